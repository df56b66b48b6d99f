"""steps.py WEIR WORK [--plant] [--most N] [--simulate N]: random networks of one step of time, whose states are inputs and outputs (layers of LSTM, GRU
and RNN, caches of convolutions, running sums, loops inside; apart or packed in one tensor, under names as exporters give them). `weir eval --state` gives what ONNX
Runtime gives step after step, of the float model within 1e-4; each is folded for a device, a share simulated in Icarus with stalls, damaged frames and sequences.
--plant: one result is changed, which must be noticed. Prints how many; exit status 1 where one differs."""

import argparse
import os
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

onnxruntime.set_default_logger_severity(4)
SEED, FRAMES = 23, 20
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STYLES = (("{}_in", "{}_out"), ("{}0", "{}n"), ("prev_{}", "next_{}"), ("{}_cache", "{}_cache_out"), ("in.{}", "res.{}"), ("state_{}", "new_state_{}"))


class Step:
    def __init__(self, rng):
        self.rng, self.nodes, self.constants, self.states, self.shapes = rng, [], [], [], {}
        self.width, self.value = int(rng.integers(2, 9)), "x"
        self.shapes["x"] = [1, self.width]
        self.grows = False
        self.before, self.after = STYLES[rng.integers(len(STYLES))]

    def constant(self, array):
        name = f"k{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def numbers(self, *shape):
        return self.constant(self.rng.normal(0, 0.5, shape).astype(np.float32))

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def node(self, op, inputs, outputs=1, **attributes):
        made = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, made, **attributes))
        return made if outputs > 1 else made[0]

    def state(self, shape):
        """A new state: the value that is read; `give` says what is the next one."""
        name = f"s{len(self.states)}"
        self.states.append([self.before.format(name), None, shape])
        return self.states[-1][0]

    def recurrent(self, op):
        hidden = int(self.rng.integers(2, 9))
        inputs = [self.node("Unsqueeze", [self.value, self.integers(0)]), self.numbers(1, GATES[op] * hidden, self.width), self.numbers(1, GATES[op] * hidden, hidden),
                  self.numbers(1, 2 * GATES[op] * hidden), ""]
        at = len(self.states)
        inputs += [self.state([1, 1, hidden]) for _ in range(2 if op == "LSTM" else 1)]
        more = {"linear_before_reset": int(self.rng.integers(2))} if op == "GRU" else {}
        made = self.node(op, inputs, 3 if op == "LSTM" else 2, hidden_size=hidden, **more)
        for i, value in enumerate(made[1:]):
            self.states[at + i][1] = value
        self.value, self.width = self.node("Squeeze", [made[1], self.integers(0)]), hidden

    def loop(self):
        """Steps inside of the frame, over its elements, which start anew in each."""
        op, hidden = ("LSTM", "GRU", "RNN")[self.rng.integers(3)], int(self.rng.integers(2, 6))
        rows = self.node("Reshape", [self.value, self.integers(self.width, 1, 1)])
        weights = [self.numbers(1, GATES[op] * hidden, 1), self.numbers(1, GATES[op] * hidden, hidden), self.numbers(1, 2 * GATES[op] * hidden)]
        made = self.node(op, [rows, *weights], 2, hidden_size=hidden)
        self.value, self.width = self.node("Squeeze", [made[1], self.integers(0)]), hidden

    def convolution(self):
        taps, outputs, at = int(self.rng.integers(2, 5)), int(self.rng.integers(2, 9)), len(self.states)
        lines = self.state([1, self.width, taps - 1])
        row = self.node("Unsqueeze", [self.value, self.integers(2)])
        window = self.node("Concat", [lines, row], axis=2)
        self.states[at][1] = self.node("Slice", [window, self.integers(1), self.integers(taps), self.integers(2)])
        sums = self.node("Conv", [window, self.numbers(outputs, self.width, taps), self.numbers(outputs)])
        self.value, self.width = self.node("Squeeze", [self.node("Relu", [sums]), self.integers(2)]), outputs

    def attention(self):
        """Keys and values of the steps before, to which this one's are joined: what comes out has a step more than what comes in."""
        size, past, at = int(self.rng.integers(2, 5)), int(self.rng.integers(2, 6)), len(self.states)
        rows = [self.node("Gemm", [self.value, self.numbers(self.width, size), self.numbers(size)]) for _ in range(3)]
        heads = [self.node("Reshape", [row, self.integers(1, 1, 1, size)]) for row in rows]
        joined = []
        for value in heads[1:]:
            before = self.state([1, 1, past, size])
            joined.append(self.node("Concat", [before, value], axis=2))
        for i, value in enumerate(joined):
            self.states[at + i][1] = value
        scores = self.node("MatMul", [heads[0], self.node("Transpose", [joined[0]], perm=[0, 1, 3, 2])])
        made = self.node("MatMul", [self.node("Softmax", [scores], axis=-1), joined[1]])
        self.value, self.width, self.grows = self.node("Reshape", [made, self.integers(1, size)]), size, True

    def average(self):
        at = len(self.states)
        kept = self.node("Mul", [self.state([1, self.width]), self.constant(np.array(0.75, np.float32))])
        fresh = self.node("Mul", [self.value, self.constant(np.array(0.25, np.float32))])
        self.value = self.states[at][1] = self.node("Add", [kept, fresh])

    def dense(self):
        outputs = int(self.rng.integers(2, 9))
        self.value = self.node("Gemm", [self.value, self.numbers(outputs, self.width), self.numbers(outputs)], transB=1)
        self.width = outputs

    def pack(self):
        """All states side by side in one tensor."""
        sizes = [int(np.prod(shape)) for _, _, shape in self.states]
        packed, begin = self.before.format("packed"), 0
        front = []
        for (name, _, shape), size in zip(self.states, sizes):
            front += [helper.make_node("Slice", [packed, self.integers(begin), self.integers(begin + size), self.integers(1)], [name + "_row"]),
                      helper.make_node("Reshape", [name + "_row", self.integers(*shape)], [name])]
            begin += size
        rows = [self.node("Reshape", [value, self.integers(1, size)]) for (_, value, _), size in zip(self.states, sizes)]
        self.nodes = front + self.nodes
        self.states = [[packed, self.node("Concat", rows, axis=1), [1, begin]]]

    def model(self):
        self.dense()
        for i, (name, value, _) in enumerate(self.states):
            out = self.after.format(re.sub(r"^.*?(s\d+|packed).*$", r"\1", name))
            self.nodes.append(helper.make_node("Identity", [value], [out]))
            self.states[i][1] = out
        self.nodes.append(helper.make_node("Identity", [self.value], ["y"]))
        info = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "step", [info("x", self.shapes["x"])] + [info(name, shape) for name, _, shape in self.states],
                                  [info("y", [1, self.width])] + [info(out, None) for _, out, _ in self.states], self.constants)
        graph = onnx.shape_inference.infer_shapes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)).graph
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        return model


def random_step(rng):
    step = Step(rng)
    for _ in range(int(rng.integers(1, 4))):
        kind = ("LSTM", "GRU", "RNN", "convolution", "average", "loop", "dense", "attention")[rng.integers(8)]
        if kind in GATES:
            step.recurrent(kind)
        else:
            getattr(step, kind)()
    if not step.states:
        step.recurrent("LSTM")
    if rng.random() < 0.3 and not step.grows:
        step.pack()
    return step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("work")
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--simulate", type=int, default=4)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    weir, failures, simulated = os.path.abspath(arguments.weir), 0, 0
    os.makedirs(arguments.work, exist_ok=True)
    os.chdir(arguments.work)

    def run(*words):
        done = subprocess.run([weir, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    for index in range(arguments.most):
        rng = np.random.default_rng([arguments.seed, index])
        step = random_step(rng)
        model = step.model()
        onnx.save(model, "step.onnx")
        x = rng.normal(0, 1, (FRAMES, *step.shapes["x"][1:])).astype(np.float32)
        np.save("x.npy", x)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        sequence, remembered, want = int(rng.integers(3, 9)), None, []
        for t in range(FRAMES):
            if t % sequence == 0:
                remembered = {name: np.zeros(shape, np.float32) for name, _, shape in step.states}
            y, *following = session.run(None, {"x": x[t:t + 1], **remembered})
            want.append(y)
            remembered = {name: next[tuple(slice(-size, None) for size in shape)] for (name, _, shape), next in zip(step.states, following)}
        want = np.concatenate(want)
        states = [word for name, out, _ in step.states for word in ("--state", f"{name}={out}")]
        status, text = run("eval", "step.onnx", "-e", "float", *states, "--sequence", str(sequence), "-d", "x.npy", "-o", "y.npy")
        found = np.load("y.npy") if status == 0 else None
        if arguments.plant and found is not None:
            found.flat[-1] += 1e-2
        if found is None or found.shape != want.shape or np.abs(found - want).max() > 1e-4 * max(1, np.abs(want).max()):
            failures += 1
            print(f"seed {arguments.seed}, network {index}: ", text.strip() if found is None else f"differs by {np.abs(found - want).max()}")
        objective = ("throughput", "latency", "area", "energy")[rng.integers(4)]
        status, text = run("compile", "step.onnx", "-q", "int8", "-c", "x.npy", *states, "--device", "ecp5-85k", "--objective", objective, "-o", "searched")
        if status != 0 and "the smallest design takes" not in text:
            failures += 1
            print(f"seed {arguments.seed}, network {index}: compile for {objective} exits with {status}\n{text.strip()}")
        if index >= arguments.simulate:
            continue
        simulated += 1
        status, text = run("check", "step.onnx", "-q", "int8", "-c", "x.npy", "-d", "x.npy", *states, "--sequence", str(sequence), "--malformed", "--profile", "half",
                           "--simulator", "icarus", "--debug-frames", "6")
        if status != 0:
            failures += 1
            print(f"seed {arguments.seed}, network {index}: check exits with {status}\n{text.strip()}")
    print(f"{arguments.most} networks of one step (seed {arguments.seed}), {simulated} simulated: {failures} wrong")
    sys.exit(1 if failures else 0)


main()
