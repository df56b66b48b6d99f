"""bounds.py WEIR [--first SEED] [--count N] [--plant]: element-wise operators with a constant a channel between two layers, without quantizers
between, as TensorRT's explicit form leaves them: what is carried there must follow each of them.

Conv, up to four of Max, Min, Add, Sub, Mul, Neg, Relu with a number a channel, a residual sum in two of five models, Conv, a quantizer; channels of the
first layer differ by up to 10 in scale. The judge is ONNX Runtime without optimizations. An element that differs by one step counts as a tie;
more than one in a thousand of them, any other and a refusal end with exit status 1. With --plant one expected value of each model is another."""

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
FRAMES, CHANNELS, RESULTS, WIDTH = 200, 4, 3, 7
OPERATORS = ["Max", "Min", "Max", "Min", "Add", "Sub", "Mul", "Neg", "Relu"]


def conv(model, rng, value, results):
    weights = model.constant(rng.integers(-127, 128, (results, CHANNELS, 3)).astype(np.int8))
    scale = rng.uniform(0.001, 0.02, results) * rng.choice([1, 1, 10], results)
    zero = model.constant(np.zeros(results, np.int8))
    real = model.node("DequantizeLinear", [weights, model.constant(scale.astype(np.float32)), zero], axis=0)
    bias = model.constant(rng.normal(0, 0.3, results).astype(np.float32))
    return model.node("Conv", [value, real, bias], pads=[1, 1])


def quantization(rng, least, most):
    return np.float32(rng.uniform(least, most)), np.uint8(rng.integers(80, 170))


def element_wise(model, rng, value):
    op = str(rng.choice(OPERATORS))
    if op in ("Neg", "Relu"):
        return op, model.node(op, [value])
    numbers = rng.normal(0, 1.5, (1, CHANNELS, 1))
    if op == "Mul":
        numbers = rng.uniform(0.3, 2, (1, CHANNELS, 1)) * rng.choice([1, -1])
    operands = [value, model.constant(numbers.astype(np.float32))]
    return op, model.node(op, operands[::-1] if op != "Sub" and rng.random() < 0.5 else operands)


def make(rng):
    """The model, the step of its output, the operators between its layers."""
    model, step, between = nodes.Nodes(), quantization(rng, 0.01, 0.2), []
    first = model.pair("x", quantization(rng, 0.01, 0.05))
    value = conv(model, rng, first, CHANNELS)
    for _ in range(rng.integers(1, 5)):
        op, value = element_wise(model, rng, value)
        between.append(op)
    if rng.random() < 0.4:
        between.append("residual")
        value = model.node("Add", [value, first])
    value = model.pair(conv(model, rng, value, RESULTS), step)
    graph = helper.make_graph(
        model.nodes,
        "bounds",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, CHANNELS, WIDTH])],
        [helper.make_tensor_value_info(value, TensorProto.FLOAT, [1, RESULTS, WIDTH])],
        model.constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), step[0], between


def expected(frames):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession("model.onnx", options, providers=["CPUExecutionProvider"])
    return np.stack([session.run(None, {"x": frame})[0] for frame in frames])


def judge(weir, seed, plant):
    """Elements that are ties; None after a printed difference."""
    rng = np.random.default_rng(seed)
    model, step, between = make(rng)
    onnx.save(model, "model.onnx")
    frames = rng.normal(0, 1.5, (FRAMES, 1, CHANNELS, WIDTH)).astype(np.float32)
    np.save("frames.npy", frames)
    found = subprocess.run([weir, "eval", "model.onnx", "-d", "frames.npy", "-o", "found.npy"], capture_output=True, text=True)
    if found.returncode != 0:
        print(f"{seed}: {between}: {found.stderr.splitlines()[0]}")
        return None
    values = expected(frames)
    if plant:
        values.flat[0] += 2 * step
    steps = np.rint(np.abs(np.load("found.npy").reshape(-1) - values.reshape(-1)) / step)
    ties = int((steps == 1).sum())
    if steps.max() > 1 or ties > steps.size // 1000:
        print(f"{seed}: {between}: WRONG: {int((steps > 0).sum())} of {steps.size}, by up to {int(steps.max())} steps")
        return None
    return ties


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--plant", action="store_true")
    options = parser.parse_args()
    weir = os.path.abspath(options.weir)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        ties = [judge(weir, options.first + i, options.plant) for i in range(options.count)]
    wrong = ties.count(None)
    print(f"models {options.first} to {options.first + options.count - 1}: {len(ties) - wrong} right, "
          f"{sum(t or 0 for t in ties)} elements ties, {wrong} wrong or refused")
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
