"""codes.py WEIR [--sets N] [--first SEED] [--only CASE]: codes that the model makes float32 numbers and quantizes again, every code of 8 and of 16 bits.

Models of quantizers around nothing, Neg, Relu, a MaxPool with a quantizer of its own, a Concat of two scales, and a number that is added, that
codes are taken from, or that multiplies them; with random scales and zero points, from and to 8 and 16 bits, and QONNX's Quant of 5 to 16
bits. The judges are ONNX Runtime without optimizations, whose contracts are both the same here but for the pool's two quantizers in a row, which
its default setting merges, and qonnx's executor; `compile` exits with 0. Prints
how many models each case has and how many of them multiply, of float32's two roundings, or have tables; exit status 1 after a code that differs. With
--plant one code of each judge's is another."""

import argparse
import collections
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
TYPES = {"s8": np.int8, "u8": np.uint8, "s16": np.int16, "u16": np.uint16}
WIDTH = 256  # codes a frame


class Model(nodes.Nodes):
    def __init__(self, rng):
        super().__init__()
        self.rng, self.domains = rng, [helper.make_opsetid("", 21)]

    def quantization(self, kind, base=None):
        """Scale and zero point; of about as many numbers as there are codes of `base`, a scale and its type."""
        info = np.iinfo(TYPES[kind])
        ratio = self.rng.uniform(0.5, 2.5)
        if base is not None:
            ratio *= np.iinfo(TYPES[base[1]]).max / info.max
        scale = np.float32((base[0] if base is not None else np.exp(self.rng.uniform(-9, -5))) * ratio)
        zero = int(self.rng.integers(info.min, info.max + 1)) if self.rng.random() < 0.6 else 0
        return scale, TYPES[kind](zero)



def all_codes(kind, quantization):
    info = np.iinfo(TYPES[kind])
    return ((np.arange(info.min, info.max + 1) - int(quantization[1])) * quantization[0]).astype(np.float32).reshape(-1, 1, WIDTH)


def between(model, case, value, quantization, kind):
    """What is between two quantizers."""
    span = float(quantization[0]) * (np.iinfo(TYPES[kind]).max - np.iinfo(TYPES[kind]).min)
    number = model.constant(np.float32(model.rng.uniform(0.1, 0.6) * span))
    if case == "again":
        return value
    if case == "pool":
        return model.node("MaxPool", [model.pair(value, model.quantization(kind, (quantization[0], kind)))], kernel_shape=[1])
    if case == "plus":
        return model.node("Add", [value, number])
    if case == "from":
        return model.node("Sub", [number, value])
    if case == "times":
        return model.node("Mul", [value, model.constant(np.float32(model.rng.uniform(0.3, 1.7)))])
    return model.node({"neg": "Neg", "relu": "Relu"}[case], [value])


def of_onnx(rng, case):
    """A model and its data."""
    model = Model(rng)
    kind, to = [rng.choice(list(TYPES)) for _ in range(2)]
    if rng.random() < 0.6:
        kind, to = [rng.choice(["s16", "u16"]) for _ in range(2)]
    first = model.quantization(kind)
    data = {"x": all_codes(kind, first)}
    value = model.pair("x", first)
    if case == "concat":
        second = model.quantization(kind, (first[0], kind))
        data["w"] = all_codes(kind, second)
        value = model.node("Concat", [value, model.pair("w", second)], axis=1)
    else:
        value = between(model, case, value, first, kind)
    last = model.quantization(to, (first[0], kind))
    model.nodes.append(helper.make_node("QuantizeLinear", [value, model.constant(last[0]), model.constant(last[1])], ["y"]))
    return model, data, helper.np_dtype_to_tensor_dtype(np.dtype(TYPES[to])), f"{kind} to {to}"


def of_qonnx(rng):
    """Two of QONNX's Quant in a row, of all codes that the first has."""
    model = Model(rng)
    model.domains.append(helper.make_opsetid("qonnx.custom_op.general", 1))
    bits = [int(rng.integers(5, 17)) if rng.random() < 0.5 else 16 for _ in range(2)]
    scale = np.float32(np.exp(rng.uniform(-9, -5)))
    other = np.float32(scale * 2.0 ** (bits[0] - bits[1]) * rng.uniform(0.6, 2.5))
    data = {"x": (np.arange(-(1 << (bits[0] - 1)), 1 << (bits[0] - 1)) * np.float64(scale)).astype(np.float32).reshape(-1, 1, 16)}
    value = "x"
    for at, (step, width) in enumerate(zip((scale, other), bits)):
        zero = np.float32(rng.integers(-9, 10)) if at == 1 and rng.random() < 0.3 else np.float32(0)
        inputs = [value] + [model.constant(np.float32(v)) for v in (step, zero, width)]
        value = "y" if at == 1 else model.name()
        model.nodes.append(helper.make_node("Quant", inputs, [value], domain="qonnx.custom_op.general", signed=1, narrow=0, rounding_mode="ROUND"))
    return model, data, TensorProto.FLOAT, f"{bits[0]} to {bits[1]} bits"


def save(model, data, dtype, path):
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1] + list(array.shape[1:])) for name, array in data.items()]
    shape = [1, len(data), data["x"].shape[2]]
    graph = helper.make_graph(model.nodes, "g", inputs, [helper.make_tensor_value_info("y", dtype, shape)], model.constants)
    onnx.save(helper.make_model(graph, opset_imports=model.domains, ir_version=10), path)


def judged(path, data, is_qonnx, optimized):
    feeds = [{name: array[i:i + 1] for name, array in data.items()} for i in range(len(data["x"]))]
    if is_qonnx:
        from qonnx.core.modelwrapper import ModelWrapper
        from qonnx.core.onnx_exec import execute_onnx
        from qonnx.transformation.infer_shapes import InferShapes
        # Elements are independent: one frame of all.
        whole = onnx.load(path)
        count = data["x"].size
        for value in list(whole.graph.input) + list(whole.graph.output):
            for dim, size in zip(value.type.tensor_type.shape.dim, (1, 1, count)):
                dim.dim_value = size
        return execute_onnx(ModelWrapper(whole).transform(InferShapes()), {"x": data["x"].reshape(1, 1, -1)})["y"].reshape(data["x"].shape)
    options = onnxruntime.SessionOptions()
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, feed)[0] for feed in feeds])


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"codes: error: {' '.join(words)}: {done.stderr[-2000:]}")
    return done.stdout


def one(weir, rng, case, plant, counts):
    is_qonnx = case == "quant"
    model, data, dtype, what = of_qonnx(rng) if is_qonnx else of_onnx(rng, case)
    save(model, data, dtype, "model.onnx")
    np.savez("data.npz", **data)
    frames = [word for name in data for word in ("--data", f"{name}=data.npz:{name}")]
    wrong = 0
    for contract in ("model",) if is_qonnx else ("model", "onnxruntime"):
        expected = judged("model.onnx", data, is_qonnx, contract == "onnxruntime" and case == "pool").copy()
        if plant:
            expected.flat[rng.integers(expected.size)] += 1
        run(weir, "eval", "model.onnx", *frames, "--contract", contract, "-o", "ours.npy")
        differ = int((np.load("ours.npy").reshape(expected.shape) != expected).sum())
        wrong += differ
        if differ:
            print(f"{case}, {what}, contract {contract}: {differ} of {expected.size} codes differ")
    text = run(weir, "compile", "model.onnx", "-o", "design", "--max-macs", "1")
    counts[case]["models"] += 1
    counts[case]["products"] += "_product " in text
    counts[case]["tables"] += " weir_lookup" in text
    return wrong == 0


CASES = ("again", "neg", "relu", "pool", "concat", "plus", "from", "times", "quant")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("--sets", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--only", choices=CASES)
    parser.add_argument("--plant", action="store_true")
    options = parser.parse_args()
    weir = os.path.abspath(options.weir)
    counts = collections.defaultdict(collections.Counter)
    fine = True
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in [options.only] if options.only else CASES:
            for at in range(options.sets):
                rng = np.random.default_rng([options.first + at, CASES.index(case)])
                fine &= one(weir, rng, case, options.plant, counts)
    for case, count in counts.items():
        print(f"{case}: {count['models']} models, {count['products']} of two products, {count['tables']} with tables")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
