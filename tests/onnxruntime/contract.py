"""contract.py WEIR [--sets N] [--first SEED] [--only CASE]: `--contract onnxruntime` is what ONNX Runtime computes at its default level.

For each operator of which that runs a kernel on codes: models of quantizers around it with random scales and zero points (some in simple
ratios, whose results are full of ties), uint8 and int8, two computed operands or a constant, on every pair of codes (every code where
there is one operand). Prints the share of elements that differ of each, from --contract onnxruntime and from --contract model; the first may
be one in a million, and of Sigmoid what lies at a tie of the exact value, because its kernel approximates. With --plant the model's contract
stands for it. Exit status 1 after more, or where the two contracts never differ, so that nothing was tried."""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import nodes

onnxruntime.set_default_logger_severity(4)
CODES = {"u8": (np.uint8, 0, 255), "s8": (np.int8, -128, 127)}


class Model(nodes.Nodes):
    """Quantizers around one operator."""

    def __init__(self, rng, kind):
        super().__init__()
        self.rng, self.kind = rng, kind
        self.dtype, self.low, self.high = CODES[kind]

    def quantization(self, base=None):
        """Scale and zero point; in a simple ratio to `base`."""
        ratio = self.rng.choice([0.25, 0.5, 1, 2, 4])
        scale = np.float32(base * ratio if base is not None else np.exp(self.rng.uniform(-6, 1)))
        zero = self.rng.integers(self.low, self.high + 1) if self.rng.random() < 0.7 else (self.low + self.high + 1) // 2
        return scale, self.dtype(zero)

    def all_codes(self, quantization):
        return ((np.arange(self.low, self.high + 1) - int(quantization[1])) * quantization[0]).astype(np.float32)


def around(values, m):
    """A quantization of the results, that most of them fit."""
    low, high = min(values.min(), 0), max(values.max(), 0)
    scale = np.float32(max(high - low, 1e-6) / 255 * m.rng.choice([0.5, 1, 1, 2]))
    return scale, m.dtype(np.clip(np.round(m.low - low / scale), m.low, m.high))


def binary(op, m, constant):
    simple = m.rng.random() < 0.5
    a = m.quantization()
    b = m.quantization(a[0] if simple else None)
    x, y = np.meshgrid(m.all_codes(a), m.all_codes(b), indexing="ij")
    function = np.add if op == "Add" else np.multiply
    out = m.quantization(a[0]) if simple and op == "Add" else around(function(x, y), m)
    if constant:
        code = m.dtype(m.rng.integers(m.low, m.high + 1))
        scale, zero = m.constant(b[0]), m.constant(b[1])
        other = m.node("DequantizeLinear", [m.constant(code), scale, zero])
        order = [m.pair("x", a), other]
        frames = {"x": m.all_codes(a)[None]}
    else:
        order = [m.pair("x", a), m.pair("y", b)]
        frames = {"x": x, "y": y}
    return m.pair(m.node(op, order if m.rng.random() < 0.5 else order[::-1]), out), frames


def unary(op, m, **attributes):
    a = m.quantization()
    x = m.all_codes(a)
    values = 1 / (1 + np.exp(-x.astype(np.float64))) if op == "Sigmoid" else np.where(x < 0, attributes.get("alpha", 0) * x, x)
    out = around(values, m)
    exact = values.astype(np.float64) / float(out[0]) + int(out[1])
    m.tied = (np.abs(exact - np.floor(exact) - 0.5) < 2.0 ** -16)[None]
    return m.pair(m.node(op, [m.pair("x", a)], **attributes), out), {"x": x[None]}


def pool(op, m, **attributes):
    a = m.quantization()
    out = a if m.rng.random() < 0.5 else m.quantization(a[0])
    x = m.all_codes(a)[m.rng.integers(0, 256, (16, 3, 8, 8))]
    return m.pair(m.node(op, [m.pair("x", a)], **attributes), out), {"x": x}


def softmax(m):
    a = (np.float32(m.rng.uniform(0.02, 0.2)), m.dtype(m.rng.integers(m.low, m.high + 1)))
    x = m.all_codes(a)[m.rng.integers(0, 256, (64, 24))]
    return m.pair(m.node("Softmax", [m.pair("x", a)], axis=-1), (np.float32(1 / 256), m.dtype(m.low))), {"x": x}


def clipped(m):
    """A Relu that the quantizer makes redundant, behind a Reshape."""
    a, b = m.quantization(), m.quantization()
    x, y = np.meshgrid(m.all_codes(a), m.all_codes(b), indexing="ij")
    shape = m.constant(np.array([-1, 16, 16], np.int64))
    operands = [m.node("Reshape", [m.pair(v, q), shape]) for v, q in (("x", a), ("y", b))]
    value = m.node("Relu", [m.node("Add", operands)])
    scale, _ = around(np.maximum(x + y, 0), m)
    return m.pair(value, (scale, m.dtype(m.low))), {"x": x, "y": y}


def concat(m):
    a, b = m.quantization(), m.quantization()
    x, y = m.all_codes(a)[None], m.all_codes(b)[None]
    return m.pair(m.node("Concat", [m.pair("x", a), m.pair("y", b)], axis=1), around(np.concatenate([x, y], 1), m)), {"x": x, "y": y}


CASES = {
    "Add": lambda m: binary("Add", m, False),
    "Add of a constant": lambda m: binary("Add", m, True),
    "Mul": lambda m: binary("Mul", m, False),
    "Mul by a constant": lambda m: binary("Mul", m, True),
    "Sigmoid": lambda m: unary("Sigmoid", m),
    "LeakyRelu": lambda m: unary("LeakyRelu", m, alpha=float(m.rng.choice([0.01, 0.1, 0.125, 0.3]))),
    "GlobalAveragePool": lambda m: pool("GlobalAveragePool", m),
    "Softmax": softmax,
    "Concat": concat,
    "Add, Relu between moves": clipped,
}


def default_results(model, frames, optimized):
    """None: ONNX Runtime leaves the operator in float (a constant of int8 beside codes that became uint8)."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.optimized_model_filepath = optimized
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    if not any(node.op_type.startswith("QLinear") for node in onnx.load(optimized).graph.node):
        return None
    count = len(next(iter(frames.values())))
    return np.concatenate([session.run(None, {k: v[i:i + 1] for k, v in frames.items()})[0] for i in range(count)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--plant", action="store_true")
    a = parser.parse_args()
    fine, either = True, 0
    with tempfile.TemporaryDirectory() as work:
        for case, make in CASES.items():
            if a.only and a.only != case:
                continue
            differ, tried, refused, ties, float_ones = {"onnxruntime": 0, "model": 0}, 0, 0, 0, 0
            for seed in range(a.first, a.first + a.sets):
                m = Model(np.random.default_rng(seed), "us"[seed % 2] + "8")
                result, frames = make(m)
                m.nodes[-1].output[0] = "out"
                graph = helper.make_graph(m.nodes, "g", [helper.make_tensor_value_info(k, TensorProto.FLOAT, [1, *v.shape[1:]])
                                                         for k, v in frames.items()],
                                          [helper.make_tensor_value_info("out", TensorProto.FLOAT, None)], m.constants)
                model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
                model = onnx.shape_inference.infer_shapes(model)
                onnx.save(model, os.path.join(work, "m.onnx"))
                data = []
                for k, v in frames.items():
                    np.save(os.path.join(work, k + ".npy"), v)
                    data += ["--data", "%s=%s" % (k, os.path.join(work, k + ".npy"))]
                want = default_results(model, frames, os.path.join(work, "optimized.onnx"))
                if want is None:
                    float_ones += 1
                    continue
                for contract in differ:
                    out = os.path.join(work, "out.npy")
                    done = subprocess.run([a.weir, "eval", os.path.join(work, "m.onnx"), "-e", "int", "--contract", "model" if a.plant else contract, *data, "-o", out],
                                          capture_output=True, text=True)
                    if done.returncode != 0:
                        refused += 1
                        print("%s, seed %d, %s: %s" % (case, seed, contract, done.stderr.strip().splitlines()[0]))
                        continue
                    wrong = np.load(out).reshape(want.shape) != want
                    if contract == "onnxruntime" and case == "Sigmoid":
                        ties += int((wrong & m.tied).sum())
                        wrong &= ~m.tied
                    differ[contract] += int(wrong.sum())
                tried += want.size
            bad = differ["onnxruntime"] > tried / 1e6 or refused > 0
            fine = fine and not bad
            either += differ["model"]
            print("%-26s %9d elements: %d differ%s; by the model's contract %d (%.2f %%)%s" % (
                case, tried, differ["onnxruntime"], " and %d ties" % ties if ties else "", differ["model"],
                100 * differ["model"] / max(tried, 1), (", %d models stay in float" % float_ones if float_ones else "") + ("  WRONG" if bad else "")), flush=True)
    if either == 0 and not a.only:
        sys.exit("contract: nothing was tried: the two contracts agree everywhere")
    sys.exit(not fine)


if __name__ == "__main__":
    main()
