"""decode.py WEIR WORK [--plant] [--most N] [--simulate N] [--seed N]: random causal networks with convolutions, recurrent layers and attention (heads, shared keys, masks in every
form that exporters write, windows, biases by distance, positions that turn or are added or are none, one layer or several, batch or not, all
steps given back or the last one). `weir eval --decode` gives, step after step, what ONNX Runtime gives for the whole sequence, of the
float model within 1e-4; of the model that `weir export --quantize int8` writes, the numbers of its own whole form, to the last bit where no
constant turns with the steps. Each is folded for a device, a share simulated in Icarus with stalls, damaged frames and sequences. --plant: one
result is changed, which must be noticed. Prints how many; exit status 1 where one differs."""

import argparse
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

onnxruntime.set_default_logger_severity(4)
SEED, SEQUENCES = 31, 6


class Decoder:
    def __init__(self, rng):
        self.rng, self.nodes, self.constants = rng, [], []
        self.steps, self.heads, self.size = int(rng.integers(3, 9)), int(rng.integers(1, 4)), int(2 * rng.integers(1, 4))
        self.width = self.heads * self.size
        self.keys = int(rng.choice([h for h in range(1, self.heads + 1) if self.heads % h == 0]))
        self.mask = ("far", "infinity", "least", "where", "where_not", "where_infinity", "computed", "filled")[rng.integers(8)]
        self.window = int(rng.integers(1, self.steps + 1)) if rng.random() < 0.25 else self.steps
        self.positions = ("none", "turned", "added", "distance")[rng.integers(4)]
        self.inputs = ("numbers", "tokens", "no batch")[rng.integers(3)]
        self.last, self.remembers = rng.random() < 0.2, False
        self.operators = self.inputs != "no batch" and self.positions != "distance" and rng.random() < 0.2

    def constant(self, array):
        name = f"k{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def numbers(self, *shape, scale=0.5):
        return self.constant(self.rng.normal(0, scale, shape).astype(np.float32))

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def node(self, op, inputs, outputs=1, **attributes):
        made = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, made, f"n{len(self.nodes)}", **attributes))
        return made if outputs > 1 else made[0]

    def dense(self, value, inputs, outputs, bias=True):
        made = self.node("MatMul", [value, self.numbers(inputs, outputs, scale=inputs ** -0.5)])
        return self.node("Add", [made, self.numbers(outputs, scale=0.1)]) if bias else made

    def norm(self, value):
        kind = self.rng.integers(3)
        if kind == 0:
            return self.node("LayerNormalization", [value, self.constant(np.ones(self.width, np.float32)), self.numbers(self.width, scale=0.1)])
        if kind == 1:
            return value
        square = self.node("ReduceMean", [self.node("Mul", [value, value]), self.integers(-1)], keepdims=1)
        root = self.node("Sqrt", [self.node("Add", [square, self.constant(np.float32(1e-5))])])
        return self.node("Mul", [self.node("Div", [value, root]), self.constant(np.ones(self.width, np.float32))])

    def split(self, value, heads):
        """[batch, steps, heads * size] or [steps, ...]: heads in front of the steps."""
        front = [] if self.inputs == "no batch" else [1]
        rows = self.node("Reshape", [value, self.integers(*front, self.steps, heads, self.size)])
        return self.node("Transpose", [rows], perm=[1, 0, 2] if not front else [0, 2, 1, 3])

    def turned(self, value):
        """Positions that turn pairs of elements, as halves."""
        at = np.arange(self.steps)[:, None] * (1 / 10 ** (np.arange(self.size // 2) / max(1, self.size // 2)))
        at = np.concatenate([at, at], 1)
        half = self.size // 2
        if not hasattr(self, "turns"):
            self.turns = [self.constant(np.cos(at).astype(np.float32)), self.constant(np.sin(at).astype(np.float32))]
        a, b = self.node("Split", [value, self.integers(half, half)], 2, axis=-1)
        other = self.node("Concat", [self.node("Neg", [b]), a], axis=-1)
        return self.node("Add", [self.node("Mul", [value, self.turns[0]]), self.node("Mul", [other, self.turns[1]])])

    def allowed(self):
        t = np.arange(self.steps)
        return (t[None, :] <= t[:, None]) & (t[None, :] > t[:, None] - self.window)

    def masked(self, scores):
        allowed = self.allowed()
        if self.rng.random() < 0.5:
            allowed = allowed[None]
        if self.mask == "computed":
            t = self.integers(*range(self.steps))
            later = self.node("Less", [self.node("Unsqueeze", [t, self.integers(1)]), self.node("Unsqueeze", [t, self.integers(0)])])
            self.window = self.steps
            return self.node("Where", [later, self.constant(np.float32(-1e4)), scores])
        if self.mask == "filled":
            self.window = self.steps
            below = numpy_helper.from_array(np.array([-np.inf if self.rng.random() < 0.5 else -1e4], np.float32))
            square = self.node("ConstantOfShape", [self.integers(self.steps, self.steps)], value=below)
            return self.node("Add", [scores, self.node("Trilu", [square, self.constant(np.array(1, np.int64))], upper=1)])
        if self.mask.startswith("where"):
            inverse = self.mask == "where_not"
            below = self.constant(np.float32(-np.inf if self.mask == "where_infinity" else -1e9))
            condition = self.constant(~allowed if inverse else allowed)
            return self.node("Where", [condition, below, scores] if inverse else [condition, scores, below])
        below = {"far": -1e4, "infinity": -np.inf, "least": np.finfo(np.float32).min}[self.mask]
        addend = self.constant(np.where(allowed, 0, below).astype(np.float32))
        return self.node("Add", [scores, addend] if self.rng.random() < 0.7 else [addend, scores])

    def as_operator(self, value):
        """Attention and RotaryEmbedding of opset 23, of values with the heads side by side."""
        q = self.dense(value, self.width, self.width)
        k, v = (self.dense(value, self.width, self.keys * self.size) for _ in range(2))
        if self.positions == "turned":
            at = np.arange(self.steps + 2)[:, None] * (1 / 10 ** (np.arange(self.size // 2) / max(1, self.size // 2)))
            turns = [self.constant(np.cos(at).astype(np.float32)), self.constant(np.sin(at).astype(np.float32)),
                     self.constant(np.arange(self.steps, dtype=np.int64)[None])]
            q, k = self.node("RotaryEmbedding", [q, *turns], num_heads=self.heads), self.node("RotaryEmbedding", [k, *turns], num_heads=self.keys)
        return self.dense(self.node("Attention", [q, k, v], q_num_heads=self.heads, kv_num_heads=self.keys, is_causal=1), self.width, self.width)

    def attention(self, value):
        if self.operators:
            return self.as_operator(value)
        q = self.split(self.dense(value, self.width, self.width), self.heads)
        k, v = (self.split(self.dense(value, self.width, self.keys * self.size, self.rng.random() < 0.5), self.keys) for _ in range(2))
        if self.positions == "turned":
            q, k = self.turned(q), self.turned(k)
        front = [] if self.inputs == "no batch" else [1]
        if self.keys != self.heads:
            group, axis = self.heads // self.keys, len(front) + 1
            wide = [*front, self.keys, group, self.steps, self.size]
            k, v = (self.node("Reshape", [self.node("Expand", [self.node("Unsqueeze", [x, self.integers(axis)]), self.integers(*wide)]),
                                          self.integers(*front, self.heads, self.steps, self.size)]) for x in (k, v))
        scale = self.constant(np.float32(self.size ** -0.5 if (way := self.rng.integers(3)) else self.size ** 0.5))
        if way == 1:
            q = self.node("Mul", [q, scale])
        columns = self.node("Transpose", [k], perm=[0, 2, 1] if not front else [0, 1, 3, 2])
        if way == 2:
            columns = self.node("Mul", [columns, scale])
        scores = self.node("MatMul", [q, columns])
        if way == 0:
            scores = self.node("Div", [scores, scale])
        if self.positions == "distance":
            t = np.arange(self.steps)
            slope = -(2.0 ** -np.arange(1, self.heads + 1))[:, None, None]
            scores = self.node("Add", [scores, self.constant((slope * np.abs(t[:, None] - t[None])).astype(np.float32))])
        share = self.node("Softmax", [self.masked(scores)], axis=-1)
        made = self.node("MatMul", [share, v])
        rows = self.node("Transpose", [made], perm=[1, 0, 2] if not front else [0, 2, 1, 3])
        return self.dense(self.node("Reshape", [rows, self.integers(*front, self.steps, self.width)]), self.width, self.width, self.rng.random() < 0.5)

    def convolution(self, value):
        """Padded in front: by itself, by a Pad, or on both sides with the end cut off; grouped or not."""
        taps, dilation = int(self.rng.integers(1, 4)), int(self.rng.integers(1, 3))
        reach, groups = (taps - 1) * dilation, self.heads if self.rng.random() < 0.5 else 1
        batch = self.inputs != "no batch"
        x = self.node("Transpose", [value], perm=[0, 2, 1] if batch else [1, 0])
        x = x if batch else self.node("Unsqueeze", [x, self.integers(0)])
        way, pads = self.rng.integers(3), [reach, 0]
        if way == 1 and reach:
            x, pads = self.node("Pad", [x, self.integers(0, 0, reach, 0, 0, 0)]), [0, 0]
        elif way == 2:
            pads = [reach, reach]
        x = self.node("Conv", [x, self.numbers(self.width, self.width // groups, taps, scale=(self.width // groups * taps) ** -0.5), self.numbers(self.width, scale=0.1)],
                      group=groups, dilations=[dilation], pads=pads, kernel_shape=[taps])
        if way == 2 and reach:
            x = self.node("Slice", [x, self.integers(0), self.integers(-reach), self.integers(2)])
        x = x if batch else self.node("Squeeze", [x, self.integers(0)])
        return self.node("Transpose", [self.node("Relu", [x])], perm=[0, 2, 1] if batch else [1, 0])

    def recurrent(self, value):
        op = ("LSTM", "GRU", "RNN")[self.rng.integers(3)]
        gates, hidden, batch = {"LSTM": 4, "GRU": 3, "RNN": 1}[op], int(self.rng.integers(2, 6)), self.inputs != "no batch"
        rows = self.node("Transpose", [value], perm=[1, 0, 2]) if batch else self.node("Unsqueeze", [value, self.integers(1)])
        made = self.node(op, [rows, self.numbers(1, gates * hidden, self.width), self.numbers(1, gates * hidden, hidden), self.numbers(1, 2 * gates * hidden)], hidden_size=hidden)
        rows = self.node("Squeeze", [made, self.integers(1)])
        rows = self.node("Transpose", [rows], perm=[1, 0, 2]) if batch else self.node("Squeeze", [rows, self.integers(1)])
        return self.dense(rows, hidden, self.width)

    def block(self, value):
        kind = self.rng.random()
        mixed = self.convolution(value) if kind < 0.2 else self.recurrent(value) if kind < 0.4 else self.attention(self.norm(value))
        value = self.node("Add", [value, mixed])
        hidden = int(self.rng.integers(2, 9))
        self.remembers |= kind >= 0.2
        inside = self.dense(self.norm(value), self.width, hidden)
        kind = self.rng.integers(3)
        inside = self.node("Relu", [inside]) if kind == 0 else self.node("Mul", [inside, self.node("Sigmoid", [inside])]) if kind == 1 else self.node("Tanh", [inside])
        return self.node("Add", [value, self.dense(inside, hidden, self.width)])

    def model(self):
        batch = [] if self.inputs == "no batch" else [1]
        if self.inputs == "tokens":
            self.vocabulary = int(self.rng.integers(4, 20))
            x, shape, kind = "x", [1, self.steps], TensorProto.INT64
            value = self.node("Gather", [self.numbers(self.vocabulary, self.width), "x"])
        else:
            features = int(self.rng.integers(1, 9))
            shape, kind = [*batch, self.steps, features], TensorProto.FLOAT
            value = self.dense("x", features, self.width)
        if self.positions == "added":
            value = self.node("Add", [value, self.numbers(self.steps, self.width, scale=0.3)])
        for _ in range(int(self.rng.integers(1, 3))):
            value = self.block(value)
        outputs = int(self.rng.integers(2, 9))
        axis = len(batch)
        result = [*batch, self.steps, outputs]
        if self.last:
            result[axis] = 1
            if self.rng.random() < 0.5:
                del result[axis]
                value = self.node("Gather", [value, self.constant(np.array(-1, np.int64))], axis=axis)
            else:
                value = self.node("Slice", [value, self.integers(-1), self.integers(2 ** 40), self.integers(axis)])
        value = self.dense(value, self.width, outputs)
        self.nodes.append(helper.make_node("Identity", [value], ["y"]))
        graph = helper.make_graph(self.nodes, "decoder", [helper.make_tensor_value_info("x", kind, shape)],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)], self.constants)
        opset = 23 if self.operators else 18
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        if onnx.defs.onnx_opset_version() >= opset:
            onnx.checker.check_model(model)
        self.shape, self.axis = shape, len(batch)
        return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("work")
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--most", type=int, default=24)
    parser.add_argument("--simulate", type=int, default=4)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    weir = os.path.abspath(arguments.weir)
    os.makedirs(arguments.work, exist_ok=True)
    os.chdir(arguments.work)
    failures = simulated = quantized = 0

    def run(*words):
        done = subprocess.run([weir, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    for index in range(arguments.most):
        rng = np.random.default_rng([arguments.seed, index])
        decoder = Decoder(rng)
        onnx.save(decoder.model(), "decoder.onnx")
        label = f"seed {arguments.seed}, network {index} ({decoder.mask}, {decoder.positions}, {decoder.inputs}, window {decoder.window} of {decoder.steps}): "

        def fail(text):
            nonlocal failures
            failures += 1
            print(label + text)

        whole = [SEQUENCES, *decoder.shape[1:]] if decoder.inputs != "no batch" else [SEQUENCES, *decoder.shape]
        x = rng.integers(0, decoder.vocabulary, whole) if decoder.inputs == "tokens" else rng.normal(0, 1, whole).astype(np.float32)
        steps = x.reshape(SEQUENCES * decoder.steps, *decoder.shape[decoder.axis + 1:])
        np.save("whole.npy", x)
        np.save("x.npy", steps)
        session = onnxruntime.InferenceSession("decoder.onnx", providers=["CPUExecutionProvider"])
        each = [session.run(None, {"x": x[i:i + 1] if decoder.inputs != "no batch" else x[i]})[0] for i in range(SEQUENCES)]
        want = np.stack(each)
        decode = ("--decode", f"x={decoder.axis}")

        def compare(found, exact, what, want=want):
            if decoder.last:
                found = found.reshape(SEQUENCES, decoder.steps, -1)[:, -1]
            found, want = found.reshape(-1), want.reshape(-1)
            if found.shape != want.shape or (np.any(found != want) if exact else np.abs(found - want).max() > 1e-4 * max(1, np.abs(want).max())):
                fail(f"{what} differs by {np.abs(found - want).max() if found.shape == want.shape else 'shape'}")

        status, text = run("eval", "decoder.onnx", "-e", "float", *decode, "-d", "whole.npy" if rng.random() < 0.5 and decoder.remembers else "x.npy", "-o", "y.npy")
        if status != 0:
            fail(text.strip())
            continue
        found = np.load("y.npy")
        if arguments.plant:
            found.flat[-1] += 1
        compare(found, False, "the float model")
        status, text = run("export", "decoder.onnx", "-q", "int8", "-c", "whole.npy", "-g", "quantized", "-o", "q.onnx")
        if status == 0:
            quantized += 1
            status, text = run("eval", "q.onnx", "-e", "float", "-d", "whole.npy", "-o", "q_whole.npy")
            if status == 0:
                status, text = run("eval", "q.onnx", "-e", "float", *decode, "-d", "x.npy", "-o", "q_steps.npy")
            if status != 0:
                fail(text.strip())
            elif decoder.positions not in ("turned", "added"):
                compare(np.load("q_steps.npy"), True, "the quantized model", np.load("q_whole.npy"))
        objective = ("throughput", "latency", "area", "energy")[rng.integers(4)]
        status, text = run("compile", "decoder.onnx", "-q", "int8", "-c", "x.npy", *decode, "--device", "ecp5-85k", "--objective", objective, "-o", "searched")
        if status != 0 and "the smallest design takes" not in text:
            fail(f"compile for {objective} exits with {status}\n{text.strip()}")
        if index >= arguments.simulate:
            continue
        simulated += 1
        status, text = run("check", "decoder.onnx", "-q", "int8", "-c", "x.npy", "-d", "x.npy", *decode, "--malformed", "--profile", "half",
                           "--simulator", "icarus", "--debug-frames", "6")
        if status != 0:
            fail(f"check exits with {status}\n{text.strip()}")
    print(f"{arguments.most} decoders (seed {arguments.seed}), {quantized} quantized as a whole, {simulated} simulated: {failures} wrong")
    sys.exit(1 if failures else 0)


main()
