"""dynamic.py WEIR WORK [--plant] FLOAT_MODEL DATA...: files of onnxruntime.quantization.quantize_dynamic, weights int8 and uint8, by tensor and by channel, as
they are and as ONNX Runtime's optimizer fuses them (DynamicQuantizeMatMul, MatMulIntegerToFloat): `weir eval --engine float` gives ONNX Runtime's
results, bit for bit. --plant: one result is changed, which must be noticed. Prints how many files; 1 where one differs."""

import itertools
import logging
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

logging.getLogger().setLevel(logging.ERROR)
onnxruntime.set_default_logger_severity(4)
arguments = [a for a in sys.argv[1:] if a != "--plant"]
weir, work, plant = arguments[0], arguments[1], "--plant" in sys.argv
pairs = list(zip(arguments[2::2], arguments[3::2]))
os.makedirs(work, exist_ok=True)
count, bad, seen = 0, 0, set()


def theirs(path, frames):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: frame[None]})[0] for frame in frames])


def ours(path, data):
    out = os.path.join(work, "ours.npy")
    subprocess.run([weir, "eval", path, "--engine", "float", "-d", data, "-o", out], check=True, stdout=subprocess.DEVNULL)
    return np.load(out)


def check(path, data, frames):
    """Sums of codes are exact, and what follows is one rounding after the other, in the same order."""
    global count, bad
    expected, found = theirs(path, frames), ours(path, data)
    seen.update(node.op_type for node in onnx.load(path).graph.node)
    if plant and count == 0:
        expected.flat[0] = np.nextafter(expected.flat[0], np.float32(np.inf))
    same = np.array_equal(expected, found.reshape(expected.shape))
    count += 1
    bad += not same
    if not same:
        print(f"{path}: off by {np.abs(expected - found.reshape(expected.shape)).max():g}")


def two_products():
    """Two layers that read the same codes: ONNX Runtime keeps the quantizer apart."""
    rng = np.random.default_rng(3)
    path, data = os.path.join(work, "two.onnx"), os.path.join(work, "two.npy")
    constants = [numpy_helper.from_array(rng.normal(0, 1, shape).astype(np.float32), name) for name, shape in (("w", (12, 5)), ("v", (12, 5)), ("b", (5,)))]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["s"]), helper.make_node("MatMul", ["x", "v"], ["q"]),
             helper.make_node("Sub", ["s", "q"], ["y"])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, n]) for name, n in (("x", 12), ("y", 5)))
    onnx.save(helper.make_model(helper.make_graph(nodes, "two", [x], [y], constants), opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    np.save(data, rng.normal(0, 3, (60, 12)).astype(np.float32))
    return path, data


for (model, data), weights, channels in itertools.product([*pairs, two_products()], (QuantType.QInt8, QuantType.QUInt8), (False, True)):
    path = os.path.join(work, f"{os.path.basename(model)[:-5]}_{weights.name}_{channels:d}.onnx")
    quantize_dynamic(model, path, weight_type=weights, per_channel=channels)
    frames = np.load(data)
    frames = frames[frames.files[0]] if hasattr(frames, "files") else frames
    shape = [d.dim_value for d in onnx.load(model).graph.input[0].type.tensor_type.shape.dim][1:]
    frames = np.ascontiguousarray(frames[:60].astype(np.float32)).reshape(-1, *shape)
    rows = os.path.join(work, "frames.npy")
    np.save(rows, frames)
    check(path, rows, frames)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = path[:-5] + "_fused.onnx"
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    check(options.optimized_model_filepath, rows, frames)
missing = {"DynamicQuantizeLinear", "MatMulInteger", "ConvInteger", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"} - seen
if missing:
    print(f"no file has {', '.join(sorted(missing))}")
print(f"{count} files, {bad} differ")
sys.exit(bad > 0 or len(missing) > 0)
