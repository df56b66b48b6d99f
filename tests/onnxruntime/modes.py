"""modes.py WEIR WORK [--plant] FLOAT_MODEL CALIBRATION DATA...: what the pass onnx_runtime writes in ONNX Runtime's modes static, dynamic and auto, with
both precisions, weights by tensor and by channel.
 - ONNX Runtime computes of each file what `weir` expects, without its graph optimizations: float32 sums differ in the last bits, which may be a code
   more in one frame of twenty
 - codes, scales and zero points of dynamic weights are those of onnxruntime.quantization.quantize_dynamic
 - static files of both precisions mean the same numbers
 - of auto, by ONNX Runtime on the calibration: results are within the tolerance of the float model, and no layer in float can be quantized beside the
   others; of all choices of layers the file has one that is as large as it can be made by adding layers
--plant: a layer more is quantized, and a weight changed, which must be noticed. Prints how many files; 1 where one is wrong."""

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
sets = list(zip(arguments[2::3], arguments[3::3], arguments[4::3]))
os.makedirs(work, exist_ok=True)
FRAMES, BATCHES = 20, 60
count, errors = 0, []


def embedding():
    """A table that indices look into, and two products of the same data."""
    rng = np.random.default_rng(5)
    path, data = os.path.join(work, "embedding.onnx"), os.path.join(work, "embedding.npy")
    constants = [numpy_helper.from_array(rng.normal(0, 1, shape).astype(np.float32), name)
                 for name, shape in (("t", (9, 6)), ("w", (6, 5)), ("v", (6, 5)), ("u", (5, 4)))]
    nodes = [helper.make_node("Gather", ["t", "x"], ["e"], "gather"), helper.make_node("MatMul", ["e", "w"], ["p"], "first"),
             helper.make_node("MatMul", ["e", "v"], ["q"], "second"), helper.make_node("Tanh", ["p"], ["a"]), helper.make_node("Mul", ["a", "q"], ["m"]),
             helper.make_node("MatMul", ["m", "u"], ["y"], "third")]
    graph = helper.make_graph(nodes, "embedding", [helper.make_tensor_value_info("x", TensorProto.INT64, [1, 3])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3, 4])], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    np.save(data, rng.integers(0, 9, (BATCHES, 3)))
    return path, data, data


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model if isinstance(model, str) else model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def results(model, frames):
    session = session_of(model)
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: frame[None]})[0].reshape(1, -1) for frame in frames])


def frames_of(model, source):
    data = np.load(source)
    data = data[data.files[0]] if hasattr(data, "files") else data
    info = onnx.load(model).graph.input[0].type.tensor_type
    shape = [d.dim_value for d in info.shape.dim][1:]
    return np.ascontiguousarray(data[:BATCHES].astype(helper.tensor_dtype_to_np_dtype(info.elem_type))).reshape(-1, *shape)


def constants_of(model):
    return {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}


def decoded(model):
    """Node -> (codes, scale, zero point) of its constant, and the nodes that have none."""
    constants = constants_of(model)
    makers = {o: n for n in model.graph.node for o in n.output}
    found, plain = {}, set()
    for node in model.graph.node:
        if node.op_type not in ("Conv", "MatMul", "Gemm", "Gather"):
            continue
        index = 0 if node.op_type == "Gather" else 1
        pair = makers.get(node.input[index])
        if pair is not None and pair.op_type == "DequantizeLinear":
            found[node.name] = [constants[i] for i in pair.input]
        else:
            plain.add(node.name)
    return found, plain


def wrong(text):
    errors.append(text)


def compare_weights(label, path, model, precision, by_channel):
    """Those of quantize_dynamic have the names of the float model's, Gemms' are transposed there."""
    theirs = os.path.join(work, "theirs.onnx")
    quantize_dynamic(model, theirs, weight_type=QuantType.QInt8 if precision == "int8" else QuantType.QUInt8, per_channel=by_channel)
    constants, made = constants_of(onnx.load(theirs)), decoded(onnx.load(path))[0]
    compared = 0
    for node in onnx.load(model).graph.node:
        if node.op_type not in ("Conv", "MatMul", "Gemm", "Gather"):
            continue
        if node.name not in made:
            wrong(f"{label}: '{node.name}' is not quantized")
            continue
        name, transposed = node.input[0 if node.op_type == "Gather" else 1], False
        if name + "_Transposed_quantized" in constants:
            name, transposed = name + "_Transposed", True
        codes, scale, zero = (constants[f"{name}_{part}"] for part in ("quantized", "scale", "zero_point"))
        own = made[node.name]
        if plant and compared == 0:
            own[0] = own[0] ^ 1
        if by_channel and scale.size == 1:
            continue  # ONNX Runtime has one scale for ConvInteger and tables
        same = np.array_equal(own[0], codes.T if transposed else codes) and np.array_equal(own[1].reshape(-1), scale.reshape(-1)) and \
            np.array_equal(own[2].reshape(-1), zero.reshape(-1)) and own[0].dtype == codes.dtype
        if not same:
            wrong(f"{label}: weights of '{node.name}' are not quantize_dynamic's")
        compared += 1
    if compared == 0:
        wrong(f"{label}: no weights compared")


def without(model, real, names):
    """The model with all layers quantized, of which `names` read what the float model's read."""
    copy, constants = onnx.ModelProto(), {i.name: i for i in real.graph.initializer}
    copy.CopyFrom(model)
    makers = {o: n for n in model.graph.node for o in n.output}
    data = {n.name: n for n in real.graph.node}
    for node in copy.graph.node:
        if node.name not in names:
            continue
        pair = makers[node.input[0]]
        assert pair.op_type == "DequantizeLinear"
        node.input[0] = makers[pair.input[0]].input[0]
        node.input[1] = data[node.name].input[1]
        if all(i.name != node.input[1] for i in copy.graph.initializer):
            copy.graph.initializer.append(constants[node.input[1]])
    return copy


def check_auto(label, path, all_path, model, calibration, rtol, atol):
    frames = frames_of(model, calibration)
    real, everything = onnx.load(model), onnx.load(all_path)
    wanted = results(real, frames)
    layers = sorted(decoded(everything)[0])
    fits = {}
    for size in range(len(layers) + 1):
        for names in itertools.combinations(layers, size):
            found = results(without(everything, real, set(layers) - set(names)), frames)
            fits[frozenset(names)] = bool((np.abs(found - wanted) <= atol + rtol * np.abs(wanted)).all())
    chosen = set(decoded(onnx.load(path))[0])
    if plant and chosen != set(layers):
        chosen.add(sorted(set(layers) - chosen)[0])
    if not fits[frozenset(chosen)]:
        wrong(f"{label}: with {sorted(chosen)} results leave the tolerance")
    more = [sorted(names) for names, fine in fits.items() if fine and names > chosen and len(names) == len(chosen) + 1]
    if more:
        wrong(f"{label}: {more[0]} could be quantized, found {sorted(chosen)}")
    return len(chosen), len(layers)


def write(model, folder, settings, calibration, data):
    config = os.path.join(work, "config.yaml")
    with open(config, "w", encoding="utf-8") as file:
        file.write(f"by: type\nnum_calibration_batches: {BATCHES}\ndefault: {{config: {{quantize: true, {settings}}}}}\n")
    passes = f'onnx_runtime_interface_pass{{dir="{folder}" config="{config}" calibration="{calibration}" data="{data}" frames={FRAMES}}}'
    subprocess.run([weir, "opt", model, "-p", passes], check=True, stdout=subprocess.DEVNULL)


def compare(label, folder):
    global count
    path, expected = os.path.join(folder, "model.onnx"), np.load(os.path.join(folder, "output_0.npy")).reshape(FRAMES, -1)
    found = results(path, np.load(os.path.join(folder, "input_0.npy")).reshape(FRAMES, *frames_of(path, os.path.join(folder, "input_0.npy")).shape[1:]))
    off = (np.abs(found - expected) > 1e-4 + 1e-4 * np.abs(expected)).any(axis=1).sum()
    count += 1
    if off > 1:
        wrong(f"{label}: {off} frames differ")
    onnx.checker.check_model(path)


kept = []
for model, calibration, data in [*sets, embedding()]:
    name, expected = os.path.basename(model)[:-5], {}
    for precision, by_channel in itertools.product(("int8", "uint8"), (False, True)):
        label, folder = f"{name} {precision} {'by channel' if by_channel else 'by tensor'}", os.path.join(work, name)
        settings = f"precision: {precision}, per_channel: {'true' if by_channel else 'false'}"
        modes = "[dynamic]" if name == "embedding" else "[static, dynamic]"
        write(model, folder, f"quantize_types: {modes}, {settings}", calibration, data)
        compare(label, folder)
        compare(label + " dynamic", os.path.join(folder, "dynamic_quantized"))
        real = os.path.join(folder, "model.onnx")  # whose nodes have the names of the others
        compare_weights(label, os.path.join(folder, "dynamic_quantized", "model.onnx"), real, precision, by_channel)
        if name != "embedding":
            compare(label + " static", os.path.join(folder, "static_quantized"))
            expected[precision] = np.load(os.path.join(folder, "static_quantized", "output_0.npy"))
        all_folder = os.path.join(work, name + "_all")
        write(model, all_folder, f"quantize_types: auto, rtol: 1e9, atol: 1e9, {settings}", calibration, data)
        for rtol, atol in ((0.1, 0.01), (0.1, 0.1), (0.05, 0.3)):
            write(model, folder, f"quantize_types: auto, rtol: {rtol}, atol: {atol}, {settings}", calibration, data)
            compare(label + " auto", os.path.join(folder, "auto_quantized"))
            kept.append(check_auto(f"{label} {rtol} {atol}", os.path.join(folder, "auto_quantized", "model.onnx"),
                                   os.path.join(all_folder, "auto_quantized", "model.onnx"), real, calibration, rtol, atol))
    if expected and not np.array_equal(expected["int8"], expected["uint8"]):
        wrong(f"{name}: static results depend on the type of codes")
for error in errors:
    print(error)
print(f"{count} files, {len(errors)} wrong; layers quantized by auto: {sorted(set(kept))}")
sys.exit(len(errors) > 0)
