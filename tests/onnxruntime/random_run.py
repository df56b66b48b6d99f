"""random_run.py WEIR [OPTION]...: random networks as exporters write
them (random_models.py, random_blocks.py, random_even.py, random_quantizers.py or random_exported.py) through the commands; the judges are ONNX Runtime, in both of its settings, and qonnx's executor.

For each: `eval` with the integer engine equals one of the judge's settings in all elements, or each first difference is shown to
be a tie: the value before rounding, in float64 from the codes before it, is rounded so, or as near to the tie as float32 can tell; what `export` writes of the lowered graph computes the same bits; `compile` exits with 0 and what it wrote
is clean under `iverilog -Wall` and `verilator -Wall` and elaborates in Yosys (of as many as --elaborate says); the first --simulate
of them pass `check` in a simulator. A refusal (exit status 1 with an error) is counted, anything else fails; one that says that
`--quantize int8` adds the quantizers that are missing is `completed` where that is so, and all of this holds for the result. Prints a line for each finding and a summary; exit status 1 after a failure."""

import argparse
import collections
import functools
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, NotImplemented

import random_blocks
import random_even
import random_models
import random_quantizers

onnxruntime.set_default_logger_severity(4)
TIE = 2.0 ** -22  # of the value: what the few roundings of a requantizer in float32 may be off
EXACT = 1e-10  # of the value: what float64 may be off
SHARE = 1 / 64  # of the elements of one tensor that may lie at ties before it looks like more than chance
COMPLETES = "let --quantize int8 --calibration DATA add what is missing"
# Graphs of windows and of positions with channels last have no form in standard operators.
NO_FORM = re.compile("standard operators have no exact form|which ONNX cannot express|cannot be exported: it needs more than 62 bits")


class Wrong(Exception):
    pass


class Refused(Exception):
    pass


def load_frames(path):
    """Arrays by input, of a .npy for the only one, which is `x`, or an .npz."""
    loaded = np.load(path)
    return {"x": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)


def each(frames):
    """The feeds, a frame each."""
    return [{name: array[i:i + 1] for name, array in frames.items()} for i in range(len(next(iter(frames.values()))))]


def with_own_constants(model):
    """The same with a DequantizeLinear of constants for each that reads it, and constants of its own for each: ONNX Runtime's default level shifts
    the codes of shared ones twice, under one name, and fails."""
    constants = {constant.name: constant for constant in model.graph.initializer}
    outputs = {value.name for value in model.graph.output}
    shared = {node.output[0]: node for node in model.graph.node
              if node.op_type == "DequantizeLinear" and all(name in constants for name in node.input) and node.output[0] not in outputs}
    own = onnx.ModelProto()
    own.CopyFrom(model)
    del own.graph.node[:]
    for node in model.graph.node:
        if node.output and node.output[0] in shared:
            continue
        reader = onnx.NodeProto()
        reader.CopyFrom(node)
        for i, name in enumerate(node.input):
            if name in shared:
                maker = own.graph.node.add()
                maker.CopyFrom(shared[name])
                maker.name = maker.output[0] = reader.input[i] = f"{name}.{len(own.graph.node)}"
                for k, constant in enumerate(shared[name].input):
                    initializer = own.graph.initializer.add()
                    initializer.CopyFrom(constants[constant])
                    initializer.name = maker.input[k] = f"{maker.name}.{k}"
        own.graph.node.append(reader)
    return own


def session_of(model, optimize, **settings):
    """A session on one thread. Its products are added in 32 bits as with VNNI: on processors without, only an optimization sees to that, which
    does not know products of int8 in operators of codes, nor quantizers that say their type."""
    model = onnx.load(model) if isinstance(model, str) else model
    source = (with_own_constants(model) if optimize else model).SerializeToString()
    levels = onnxruntime.GraphOptimizationLevel
    for precise in ("1", "0"):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimize else levels.ORT_DISABLE_ALL
        options.add_session_config_entry("session.x64quantprecision", precise)
        for name, setting in settings.items():
            setattr(options, name, setting)
        try:
            return onnxruntime.InferenceSession(source, options)
        except (Fail, NotImplemented):
            if not optimize or precise == "0":
                raise


def run_onnxruntime(model, frames, optimize):
    session = session_of(model, optimize)
    names = [output.name for output in session.get_outputs()]
    taken = [value.name for value in session.get_inputs()]
    results = [session.run(names, {name: feed[name] for name in taken}) for feed in each(frames)]
    return {name: np.concatenate([np.atleast_1d(result[i]) for result in results]) for i, name in enumerate(names)}


def approximates(path):
    """Does ONNX Runtime's default level put in what quantizes again while it runs, which no contract follows?"""
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        session_of(path, True, optimized_model_filepath=file.name)
        return any(node.op_type == "MatMulNBits" for node in onnx.load(file.name).graph.node)


def is_qonnx(model):
    return any(node.domain.startswith("qonnx") for node in model.graph.node)


def run_qonnx(path, frames):
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.core.onnx_exec import execute_onnx
    from qonnx.transformation.infer_shapes import InferShapes
    fixed = onnx.load(path)
    constants = {constant.name for constant in fixed.graph.initializer}  # which Brevitas lists as inputs, too
    for value in [*fixed.graph.input, *fixed.graph.output]:
        if value.name not in constants:
            value.type.tensor_type.shape.dim[0].dim_value = 1
    model = ModelWrapper(fixed).transform(InferShapes())
    contexts = [execute_onnx(model, feed, return_full_exec_context=True) for feed in each(frames)]
    names = [name for node in model.graph.node for name in node.output if name]
    return {name: np.concatenate([np.atleast_1d(context[name]) for context in contexts]) for name in names}


def is_mct(model):
    return any(node.domain == "mct_quantizers" for node in model.graph.node)


def clipped_to(x, threshold, bits, signed):
    """Sony's quantizers: numbers up to the threshold, which is one code more than there are."""
    scale = threshold / 2 ** (bits - signed)
    return (np.round(np.where(x > threshold - scale, threshold - scale, np.maximum(x, -threshold * signed)) / scale) * scale).astype(np.float32)


class ActivationPOTQuantizer(OpRun):
    op_domain = "mct_quantizers"

    def _run(self, x, num_bits=None, signed=None, threshold=None, mctq_version=None):
        return (clipped_to(x, np.float32(threshold), num_bits, signed),)


class ActivationSymmetricQuantizer(ActivationPOTQuantizer):
    op_domain = "mct_quantizers"


class WeightsSymmetricQuantizer(OpRun):
    op_domain = "mct_quantizers"

    def _run(self, x, threshold, num_bits=None, per_channel=None, channel_axis=None, signed=None, mctq_version=None):
        return (clipped_to(x, threshold.reshape([-1 if per_channel and i == channel_axis else 1 for i in range(x.ndim)]), num_bits, 1),)


class WeightsPOTQuantizer(WeightsSymmetricQuantizer):
    op_domain = "mct_quantizers"


def run_mct(model, frames):
    quantizers = [ActivationPOTQuantizer, ActivationSymmetricQuantizer, WeightsSymmetricQuantizer, WeightsPOTQuantizer]
    names = [value.name for value in model.graph.output]
    results = [ReferenceEvaluator(model, new_ops=quantizers).run(names, feed) for feed in each(frames)]
    return {name: np.concatenate([result[i] for result in results]) for i, name in enumerate(names)}


def results_of(path, frames, optimize):
    """What the judge makes of the model's outputs, by name."""
    model = onnx.load(path)
    run = run_qonnx if is_qonnx(model) else functools.partial(run_onnxruntime, optimize=optimize)
    tensors = run_mct(model, frames) if is_mct(model) else run(path, frames)
    return {value.name: tensors[value.name] for value in model.graph.output}


class Weir:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.frames, self.calibration = (next(f for f in (name + ".npy", name + ".npz") if os.path.exists(os.path.join(folder, f)))
                                         for name in ("frames", "calibration"))

    def evaluate(self, model, *options, output):
        """The outputs by name; a .npy has one, whatever it is called."""
        several = len(onnx.load(os.path.join(self.folder, model)).graph.output) > 1
        file = output + (".npz" if several else ".npy")
        self("eval", model, *options, "-d", self.frames, "-o", file)
        loaded = np.load(os.path.join(self.folder, file))
        return dict(loaded) if several else {"": loaded}

    def __call__(self, *arguments, status=(0,), timeout=300):
        """Runs the command; a defined refusal is Refused, any other exit status than `status` Wrong."""
        try:
            done = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=timeout, errors="replace")
        except subprocess.TimeoutExpired:
            raise Wrong(f"{arguments[0]}: no end in {timeout} s") from None
        if done.returncode in status:
            return done
        text = done.stderr.strip() or done.stdout.strip()
        if done.returncode == 1 and ": error: " in done.stderr:
            raise Refused(text)
        raise Wrong(f"{arguments[0]}: exit status {done.returncode}: {text[-600:]}")


def near(a, b):
    """Equal bits, or as near as the host's float functions behind the last quantizer are: of a normalization, whose differences are of
    numbers of that size, a few roundings of the largest. A step of 16-bit codes is twice as much."""
    a, b = a.ravel().astype(np.float64), b.ravel().astype(np.float64)
    largest = np.max(np.abs(b), initial=0, where=np.isfinite(b))
    return a.size == b.size and np.allclose(a, b, rtol=2e-5, atol=max(1e-6, 8e-6 * largest), equal_nan=True)


def same(ours, theirs):
    """The same of outputs by name; lone ones may be called otherwise."""
    if len(ours) == len(theirs) == 1:
        return near(*ours.values(), *theirs.values())
    return ours.keys() == theirs.keys() and all(near(ours[name], theirs[name]) for name in ours)


# --- which element of which tensor differs first, and does it lie next to a tie? ---

def constants_of(graph):
    values = {constant.name: numpy_helper.to_array(constant) for constant in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            values[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
        elif node.op_type == "Identity" and node.input[0] in values:  # exporters share equal zero points so
            values[node.output[0]] = values[node.input[0]]
    return values


def along(values, parameter, axis):
    """A scale or zero point, by tensor or by channel, in the form that broadcasts over values."""
    parameter = np.asarray(parameter, np.float64)
    if parameter.size == 1:
        return parameter.reshape(())
    return parameter.reshape([-1 if i == axis else 1 for i in range(values.ndim)])


def attribute(node, name, default):
    for item in node.attribute:
        if item.name == name:
            return helper.get_attribute_value(item)
    return default


def cut(model, name, dtype):
    """The model as far as tensor `name`, its only output."""
    part = onnx.ModelProto()
    part.CopyFrom(model)
    needed, nodes = {name}, []
    for node in reversed(model.graph.node):
        if needed & set(node.output):
            nodes.append(node)
            needed |= set(node.input)
    del part.graph.node[:], part.graph.output[:], part.graph.value_info[:]
    part.graph.node.extend(reversed(nodes))
    part.graph.output.append(helper.make_tensor_value_info(name, dtype, None))
    kept = [constant for constant in model.graph.initializer if constant.name in needed]
    del part.graph.initializer[:]
    part.graph.initializer.extend(kept)
    return part


def with_outputs(model, names):
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    del whole.graph.output[:]
    whole.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    return whole


def before_rounding(model, node, tensors, constants, count):
    """What a quantizer, or an operator of codes, rounds: in steps, before the zero point is added, in float64. None: unknown."""
    real_value = in_float64(model, node.input[0], tensors, constants, count) if node.op_type in ("Quant", "QuantizeLinear") else None
    value = lambda i: constants[node.input[i]] if node.input[i] in constants else tensors[node.input[i]]
    if node.op_type == "Quant":
        steps = real_value / value(1)
        return steps if attribute(node, "rounding_mode", b"ROUND") == b"ROUND" else steps - 0.5  # FLOOR has its ties at whole numbers
    if node.op_type == "QuantizeLinear":
        return real_value / along(real_value, value(1), attribute(node, "axis", 1))
    if node.op_type in ("QLinearAdd", "QLinearMul"):
        a = (value(0).astype(np.float64) - value(2)) * value(1)
        b = (value(3).astype(np.float64) - value(5)) * value(4)
        return (a + b if node.op_type == "QLinearAdd" else a * b) / value(6)
    real = lambda i: (value(i).astype(np.float64) - value(i + 2)) * value(i + 1)
    if node.op_type in ("QLinearSigmoid", "QLinearLeakyRelu"):
        x = real(0)
        y = 1 / (1 + np.exp(-x)) if node.op_type == "QLinearSigmoid" else np.where(x < 0, x * attribute(node, "alpha", 0.01), x)
        return y / value(3)
    if node.op_type in ("QLinearAveragePool", "QLinearGlobalAveragePool"):
        return None if attribute(node, "channels_last", 0) else mean_of(real(0), node) / value(3)
    if node.op_type in ("QLinearConv", "QLinearMatMul", "QGemm"):
        x = real(0)
        w = value(3).astype(np.float64)
        axis = 0 if node.op_type == "QLinearConv" else w.ndim - 1
        if node.op_type == "QGemm" and attribute(node, "transB", 0):
            w, axis = w.T, 1
        w = (w - along(w, value(5), axis)) * along(w, value(4), axis)
        if node.op_type == "QLinearConv":
            bias = value(8).astype(np.float64) * np.asarray(value(4), np.float64).ravel() * value(1) if len(node.input) > 8 else None
            return convolve(x, w, node, bias) / value(6)
        y = x @ w
        if node.op_type == "QGemm":
            if node.input[6]:
                y = y + value(6).astype(np.float64) * np.asarray(value(4), np.float64).ravel() * value(1)
            return y / value(7) if len(node.input) > 7 and node.input[7] else None
        return y / value(6)
    return None


def mean_of(x, node):
    """A pool of numbers in float64."""
    if node.op_type == "QLinearGlobalAveragePool":
        return x.mean(axis=tuple(range(2, x.ndim)), keepdims=True)
    return average(x, **{a.name: helper.get_attribute_value(a) for a in node.attribute if a.name != "channels_last"})


def average(x, kernel_shape, auto_pad=b"NOTSET", ceil_mode=0, count_include_pad=0, pads=None, strides=None, dilations=None):
    """Means of windows as the standard has them: one that begins beyond what is padded is left out, and positions beyond it do not count."""
    dims = x.ndim - 2
    strides, dilations, pads = strides or [1] * dims, dilations or [1] * dims, pads or [0] * (2 * dims)
    if auto_pad in (b"SAME_UPPER", b"SAME_LOWER", "SAME_UPPER", "SAME_LOWER"):
        less = [max(0, (-(-n // s) - 1) * s + (k - 1) * d + 1 - n) for n, s, k, d in zip(x.shape[2:], strides, kernel_shape, dilations)]
        low, high = [n // 2 for n in less], [n - n // 2 for n in less]
        pads = low + high if "UPPER" in str(auto_pad) else high + low
    for axis in range(dims):  # sums and counts of one axis after the other
        n, begin, end = x.shape[2 + axis], pads[axis], pads[dims + axis]
        k, s, d = kernel_shape[axis], strides[axis], dilations[axis]
        room = n + begin + end - (k - 1) * d - 1
        count = (-(-room // s) if ceil_mode else room // s) + 1
        count -= int(ceil_mode and (count - 1) * s >= n + begin)
        taps = np.arange(count)[:, None] * s - begin + np.arange(k) * d
        there = (taps >= 0) & (taps < n)
        counted = (taps < n + end).sum(1) if count_include_pad else there.sum(1)
        moved = np.moveaxis(x, 2 + axis, -1)
        sums = (moved[..., np.clip(taps, 0, n - 1)] * there).sum(-1) / counted
        x = np.moveaxis(sums, -1, 2 + axis)
    return x


class GlobalMaxPool(OpRun):
    """In the place of ReferenceEvaluator's, which drops dimensions."""

    op_domain = ""

    def _run(self, x):
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


class AveragePool(OpRun):
    """In the place of ReferenceEvaluator's, which counts otherwise where windows reach beyond the padding."""

    op_domain = ""

    def _run(self, x, auto_pad=None, ceil_mode=None, count_include_pad=None, dilations=None, kernel_shape=None, pads=None, strides=None):
        return (average(x, kernel_shape, auto_pad, ceil_mode, count_include_pad, pads, strides, dilations),)


def convolve(x, w, node, bias):
    """Conv in float64, by windows."""
    dims = x.ndim - 2
    strides, dilations = attribute(node, "strides", [1] * dims), attribute(node, "dilations", [1] * dims)
    pads, groups = attribute(node, "pads", [0] * 2 * dims), attribute(node, "group", 1)
    x = np.pad(x, [(0, 0), (0, 0), *zip(pads[:dims], pads[dims:])])
    spans = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations)]
    windows = np.lib.stride_tricks.sliding_window_view(x, spans, axis=tuple(range(2, x.ndim)))
    windows = windows[(slice(None), slice(None), *[slice(None, None, s) for s in strides], *[slice(None, None, d) for d in dilations])]
    inputs, outputs = w.shape[1], w.shape[0] // groups
    axes = list(range(-dims, 0))
    parts = [np.tensordot(windows[:, g * inputs:(g + 1) * inputs], w[g * outputs:(g + 1) * outputs], ([1, *axes], [1, *axes])) for g in range(groups)]
    y = np.moveaxis(np.concatenate(parts, -1), -1, 1)
    return y if bias is None else y + bias.reshape([-1] + [1] * dims)


def codes(node, values, constants):
    """A quantizer's result as whole numbers; QONNX has the numbers that they stand for."""
    return np.rint(values / constants[node.input[1]]).astype(np.int64) if node.op_type == "Quant" else values.astype(np.int64)


def dequantized(node, tensors, constants):
    """What codes stand for, in float64."""
    value = lambda i: constants[node.input[i]] if node.input[i] in constants else tensors[node.input[i]]
    numbers, axis = value(0).astype(np.float64), attribute(node, "axis", 1)
    zero = along(numbers, value(2), axis) if len(node.input) > 2 and node.input[2] else 0
    return (numbers - zero) * along(numbers, value(1), axis)


def unchanging(model, constants):
    """Tensors that nodes make of constants alone, such as codes of weights that the file quantizes."""
    found = set()
    for node in model.graph.node:
        if all(name in constants or name in found or not name for name in node.input):
            found.update(node.output)
    return found


def in_float64(model, name, tensors, constants, count):
    """Tensor `name` of `count` frames, computed in float64 from the codes before it."""
    wide = lambda array: array.astype(np.float64) if array.dtype == np.float32 else array
    makers = {output: node for node in model.graph.node for output in node.output}
    same = unchanging(model, constants)
    tensors = {n: array[:len(array) // count] if n in same and array.ndim > 0 else array for n, array in tensors.items()}
    is_start = lambda n: n not in makers or makers[n].op_type == "Quant" or tensors[n].dtype.kind in "iu"
    nodes, given, fixed, waiting = [], {}, set(constants) | same, [name]
    while waiting:
        tensor = waiting.pop()
        if not tensor or tensor in given:
            continue
        if tensor in constants:
            given[tensor] = wide(constants[tensor])
        elif is_start(tensor):
            given[tensor] = wide(tensors[tensor])
            if tensor in makers and makers[tensor].op_type == "Quant":  # the codes' numbers, which float32 has rounded
                scale = constants[makers[tensor].input[1]].astype(np.float64)
                given[tensor] = np.rint(given[tensor] / scale) * scale
        elif makers[tensor].op_type == "DequantizeLinear":  # which ReferenceEvaluator has of some opsets alone
            given[tensor] = dequantized(makers[tensor], tensors, constants)
            fixed |= {tensor} if makers[tensor].input[0] in constants else set()
        elif makers[tensor] not in nodes:
            nodes.append(makers[tensor])
            waiting.extend(makers[tensor].input)
    if not nodes:
        return given[name]
    describe = lambda n, array: helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(array.dtype), None)
    nodes = [node for node in model.graph.node if node in nodes]
    graph = helper.make_graph(nodes, "part", [describe(n, array) for n, array in given.items()], [helper.make_empty_tensor_value_info(name)])
    part = ReferenceEvaluator(helper.make_model(graph, opset_imports=model.opset_import), new_ops=[AveragePool, GlobalMaxPool])
    frame = lambda n, i: given[n] if n in fixed else given[n][i * len(given[n]) // count:(i + 1) * len(given[n]) // count]
    return np.concatenate([part.run([name], {n: frame(n, i) for n in given})[0] for i in range(count)])


# Where operators of codes have the zero point of their result.
ZERO_POINT = {"QuantizeLinear": 2, "QLinearAdd": 7, "QLinearMul": 7, "QLinearConv": 7, "QLinearMatMul": 7, "QGemm": 8, "QLinearSigmoid": 4,
              "QLinearLeakyRelu": 4, "QLinearAveragePool": 4, "QLinearGlobalAveragePool": 4}


@functools.lru_cache(None)
def saturates():
    """Does ONNX Runtime add products of uint8 and int8 in 16 bits, as it does on processors without VNNI?"""
    w = numpy_helper.from_array(np.full((64, 16), 127, np.int8), "w")
    info = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("MatMulInteger", ["x", "w"], ["y"])], "probe", [info("x", TensorProto.UINT8, [1, 64])],
                              [info("y", TensorProto.INT32, [1, 16])], [w])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    y = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"x": np.full((1, 64), 255, np.uint8)})[0]
    return bool((y != 255 * 127 * 64).any())


def is_tie(node, ours, theirs, steps, constants):
    """Raises Wrong unless each element that differs is right, or a step off where `steps`, the value that is rounded as float64 has it, is
    as near to the tie between both as float32 can tell. Where ONNX Runtime's products saturate, they may be further off, if ours are right."""
    where = ours != theirs
    words = f"'{node.output[0]}' ({node.op_type}): {where.sum()} of {where.size} elements differ, by up to {np.abs(ours - theirs).max()}"
    may_saturate = node.op_type in ("QLinearConv", "QLinearMatMul", "QGemm") and saturates()
    if steps is None or (np.abs(ours - theirs).max() > 1 and not may_saturate):
        raise Wrong(words)
    at = ZERO_POINT.get(node.op_type)
    zero = along(ours, constants[node.input[at]], attribute(node, "axis", 1)) if at is not None and at < len(node.input) and node.input[at] else 0
    if may_saturate:
        limits = np.iinfo(constants[node.input[at]].dtype)
        steps = np.clip(steps, limits.min - zero, limits.max - zero)
    off = np.abs(ours - zero - np.broadcast_to(steps, where.shape))[where] - 0.5
    size = np.maximum(1, np.abs(np.broadcast_to(steps, where.shape))[where])
    if (off > TIE * size).any():
        raise Wrong(f"{words}, {off.max():.3g} of a step beyond a tie")
    return int(np.count_nonzero(off <= EXACT * size))


def makes_codes(node):
    return node.op_type.startswith("QLinear") or node.op_type in ("QuantizeLinear", "QGemm", "Quant")


def differs_before(weir, path, tensors, contract, differs):
    """Does a tensor of codes before the output of this part of the model differ, too? How sums are carried depends on all that reads them, so that one next
    to a tie may be rounded otherwise here than where it was the output."""
    model = onnx.load(path)
    same = unchanging(model, constants_of(model.graph))
    makers = [node for node in model.graph.node if makes_codes(node) and node.output[0] not in {model.graph.output[0].name, *same}]
    whole = with_outputs(model, [node.output[0] for node in makers] + [model.graph.output[0].name])
    for item in whole.graph.output:
        item.CopyFrom(helper.make_tensor_value_info(item.name, helper.np_dtype_to_tensor_dtype(tensors[item.name].dtype), None))
    file = os.path.join(weir.folder, "whole.onnx")
    onnx.save(whole, file)
    said = weir("eval", "whole.onnx", "--contract", contract, "-d", weir.frames, "-o", "whole.npz").stderr
    found = np.load(os.path.join(weir.folder, "whole.npz"))
    differing, makers = set(), {node.output[0]: node for node in makers if node.output[0] in found}
    for node in model.graph.node:
        name = node.output[0]
        if differing & set(node.input) or (name in makers and differs(makers[name], file, said, found[name].reshape(tensors[name].shape))):
            differing |= set(node.output)
    return bool(differing)


def after_each(weir, path, tensors, constants, contract, differs):
    """Evaluates the model as far as each tensor of codes that no difference reaches, and calls differs(node, file, said, ours), which says
    whether they differ there; `said` is what Weir prints."""
    model, differing = onnx.load(path), set()
    same = unchanging(model, constants)
    for node in model.graph.node:
        if differing & set(node.input):
            differing |= set(node.output)
        elif makes_codes(node) and node.output[0] not in same:
            name = node.output[0]
            file = os.path.join(weir.folder, "cut.onnx")
            onnx.save(cut(model, name, helper.np_dtype_to_tensor_dtype(tensors[name].dtype)), file)
            try:
                said = weir("eval", "cut.onnx", "--contract", contract, "-d", weir.frames, "-o", "cut.npy").stderr
            except Refused:
                continue  # the whole was taken: a later tensor tells
            try:
                if differs(node, file, said, np.load(os.path.join(weir.folder, "cut.npy")).reshape(tensors[name].shape)):
                    differing.add(name)
            except Wrong:
                if not differs_before(weir, file, tensors, contract, differs):
                    raise
                differing.add(name)
    if not differing:
        raise Wrong("no tensor of codes differs, but the output does")


def tensors_of(model, frames):
    """Each tensor of the model as the judge has it without optimizations."""
    return run_onnxruntime(with_outputs(model, [n for node in model.graph.node for n in node.output if n and node.op_type != "Constant"]), frames, False)


def explain(weir, path, frames):
    """Raises Wrong unless each tensor of codes in which the integer engine differs from the judge, and none before it does,
    differs by one step and is right, or next to the tie, or has what ONNX Runtime's optimizations make of it. The
    number of such elements, and of those that float64 rounds so too."""
    model = onnx.load(path)
    constants, optimized = constants_of(model.graph), {}
    if is_qonnx(model):
        tensors = run_qonnx(path, frames)
    else:
        tensors = tensors_of(model, frames)
        try:
            optimized = run_onnxruntime(with_outputs(model, [n.output[0] for n in model.graph.node if makes_codes(n)]), frames, True)
        except Exception:  # some optimizations do not survive so many outputs
            pass
    tensors.update(frames)
    count, right = 0, 0

    def differs(node, file, said, values):
        nonlocal count, right
        name, ours = node.output[0], codes(node, values, constants)
        theirs = codes(node, tensors[name], constants)
        if np.array_equal(ours, theirs):
            return False
        if name not in optimized or not np.array_equal(ours, optimized[name].astype(np.int64)):
            right += is_tie(node, ours, theirs, before_rounding(model, node, tensors, constants, len(next(iter(frames.values())))), constants)
        count += int(np.count_nonzero(ours != theirs))
        return True

    after_each(weir, path, tensors, constants, "model", differs)
    return count, right


def kept_by(model, node, operators):
    """Is what the quantizer rounds made by one of these operators? Also by one behind other quantizers, whose result ONNX Runtime left as it is where
    nothing read it; no further than the next product."""
    makers = {output: maker for maker in model.graph.node for output in maker.output}
    while node.input[0] in makers:
        node = makers[node.input[0]]
        if node.op_type in operators:
            return True
        if node.op_type in ("Conv", "ConvTranspose", "MatMul", "Gemm"):
            break
    return False


def explain_default(weir, path, frames):
    """The same of the contract `onnxruntime`, whose judge is the default level. What that makes of an operator depends on what reads it, so that
    both are given the model up to each tensor, and no more. Raises Wrong unless what differs lies next to a tie, or is what Weir says that it
    does not follow."""
    model = onnx.load(path)
    constants, tensors = constants_of(model.graph), tensors_of(model, frames)
    tensors.update(frames)
    count, right = 0, 0

    def differs(node, file, said, values):
        nonlocal count, right
        name, ours = node.output[0], codes(node, values, constants)
        tensors[name] = run_onnxruntime(file, frames, True)[name]
        theirs = codes(node, tensors[name], constants)
        if np.array_equal(ours, theirs):
            return False
        if not kept_by(model, node, set(re.findall(r"\((\w+)\) keeps the model's contract", said))):
            right += is_tie(node, ours, theirs, before_rounding(model, node, tensors, constants, len(next(iter(frames.values())))), constants)
        count += int(np.count_nonzero(ours != theirs))
        return True

    after_each(weir, path, tensors, constants, "onnxruntime", differs)
    return count, right


# --- one network ---

def through(weir, form, options, plant):
    """Runs one network through the commands. The outcome in a word, and what is to be said of it."""
    frames = load_frames(os.path.join(weir.folder, weir.frames))
    quantize = []
    path = os.path.join(weir.folder, "model.onnx")
    if form.startswith("float-"):
        quantize = ["--quantize", form[6:], "--calibration", weir.calibration]
        try:
            weir("export", "model.onnx", *quantize, "-o", "quantized.onnx")
        except Refused as refusal:
            if "part of a loop over time" not in str(refusal):
                raise
            weir("compile", "model.onnx", *quantize, *options, "-o", "out")
            return "loop", ""  # which no judge can run
        path = os.path.join(weir.folder, "quantized.onnx")
    ours = weir.evaluate("model.onnx", *quantize, output="ours")
    if plant:
        first = next(iter(ours.values()))
        first.ravel()[first.size // 2] += np.abs(first).max()
    outcome, words = "equal", ""
    judges = [results_of(path, frames, False)]
    try:
        judges.append(results_of(path, frames, True))
    except Fail:  # it shifts codes of quantizers that say their type, and refuses what it made
        pass
    if not any(same(ours, theirs) for theirs in judges):
        outcome, words = "tie", "{} elements next to a tie, {} as float64 rounds them".format(*explain(weir, path, frames))
    follows = form not in ("own", "saved")  # its optimizer merges quantizers of other scales also across what it moves
    if len(judges) > 1 and follows and not is_qonnx(onnx.load(path)) and not is_mct(onnx.load(path)) and not approximates(path):
        default = weir.evaluate(os.path.basename(path), "--contract", "onnxruntime", output="default")
        if not same(default, judges[1]):
            found = "{} elements by the contract of ONNX Runtime, {} as float64 rounds them".format(*explain_default(weir, path, frames))
            outcome, words = "tie", f"{words}; {found}" if words else found
    if quantize:
        again = weir.evaluate("quantized.onnx", output="again")
        if any(not np.array_equal(ours[name], again[name]) for name in ours):
            raise Wrong("the exported quantized model computes something else than --quantize")
    try:
        weir("export", os.path.basename(path), "--passes", "lower_integer", "-o", "lowered.onnx")
        lowered = results_of(os.path.join(weir.folder, "lowered.onnx"), frames, False)
        if not same(ours, lowered) and not (outcome == "tie" and any(same(lowered, theirs) for theirs in judges)):
            raise Wrong(f"export of the lowered graph computes something else than eval: {list(lowered)}")
    except Refused as refusal:
        if not NO_FORM.search(str(refusal)):
            raise Wrong(f"export of the lowered graph: {refusal}") from None
    weir("compile", "model.onnx", *quantize, *options, "-o", "out")
    return outcome, words


def elaborate(weir, in_yosys):
    rtl = os.path.join(weir.folder, "out", "rtl")
    files = [os.path.join(rtl, file) for file in sorted(os.listdir(rtl)) if file.endswith(".v")]
    done = subprocess.run(["iverilog", "-g2005", "-Wall", "-tnull", "-s", "model", *files], cwd=rtl, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr.strip():
        raise Wrong(f"does not elaborate: {done.stderr.strip()[-300:]}")
    done = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", "model", *files], cwd=rtl, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr.strip():
        raise Wrong(f"verilator -Wall: {done.stderr.strip()[:300]}")
    if not in_yosys:
        return
    done = subprocess.run(["yosys", "-q", "-p", f"read_verilog {' '.join(files)}; hierarchy -check -top model"], cwd=rtl, capture_output=True, text=True)
    if done.returncode != 0 or "ERROR" in done.stderr:
        raise Wrong(f"yosys: {done.stderr.strip()[-300:]}")


def reason(text):
    """The kind of a refusal: its first error without names and numbers."""
    line = next((line for line in text.splitlines() if "error: " in line), text.splitlines()[0])
    line = re.sub(r".*?error: ", "", line)
    return re.sub(r"\d+(\.\d+)?(e-?\d+)?", "N", re.sub(r"'[^']*'", "'..'", line))[:150]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--simulate", type=int, default=0)
    parser.add_argument("--simulator", default="icarus")
    parser.add_argument("--elaborate", type=int, nargs="?", const=1, default=0, help="of every so many-th, in Yosys of every fifth of these")
    parser.add_argument("--blocks", action="store_true", help="networks of random_blocks.py")
    parser.add_argument("--products", action="store_true", help="networks of random_blocks.py with quantizers at the inputs of products only")
    parser.add_argument("--even", action="store_true", help="networks of random_even.py")
    parser.add_argument("--quantizers", action="store_true", help="networks of random_quantizers.py")
    parser.add_argument("--exported", action="store_true", help="networks of random_exported.py, which takes PyTorch")
    parser.add_argument("--work")
    parser.add_argument("--keep", action="store_true", help="keep the folders of what failed in --work")
    parser.add_argument("--plant", action="store_true", help="a fault in a value of each eval: must fail")
    options = parser.parse_args()
    source = random_blocks if options.blocks else random_blocks.ProductsOnly if options.products else random_even if options.even else None
    source = random_quantizers if options.quantizers else importlib.import_module("random_exported") if options.exported else source
    work = os.path.abspath(options.work or tempfile.mkdtemp())
    counts, reasons, failures, simulated = collections.Counter(), collections.Counter(), 0, 0
    print(f"networks {options.first} to {options.first + options.count - 1}, ONNX Runtime {onnxruntime.__version__}", flush=True)
    for seed in range(options.first, options.first + options.count):
        folder = os.path.join(work, str(seed))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        try:
            form, settings = random_models.make(seed, folder, source)
        except Exception as error:
            counts["not made"] += 1
            print(f"{seed}: not made: {type(error).__name__}: {str(error).splitlines()[0][:200] if str(error) else ''}", flush=True)
            shutil.rmtree(folder)
            continue
        weir = Weir(os.path.abspath(options.weir), folder)
        rng = np.random.default_rng([seed, 4])
        target = [["--target-interval", str(int(rng.integers(1, 3000)))], ["--max-macs", str(int(rng.integers(1, 200)))], []][int(rng.integers(0, 3))]
        keep = False
        try:
            try:
                outcome, words = through(weir, form, target, options.plant)
            except Refused as refusal:
                if COMPLETES not in str(refusal):
                    raise
                form = "float-int8"
                outcome, words = through(weir, form, target, options.plant)
                outcome = "completed" if outcome != "loop" else outcome
            if options.elaborate and seed % options.elaborate == 0:
                elaborate(weir, seed // options.elaborate % 5 == 0)
            if simulated < options.simulate:
                quantize = ["-q", form[6:], "-c", weir.calibration] if form.startswith("float-") else []
                weir("check", "model.onnx", *quantize, *target, "-d", weir.frames, "-n", "3", "--simulator", options.simulator, "-p", "half", timeout=900)
                simulated += 1
        except Refused as refusal:
            kind = reason(str(refusal))
            outcome, words = "alarm" if "a pass is wrong" in str(refusal) else "refused", ""
            reasons[kind] += 1
            keep = outcome == "alarm"
        except Wrong as wrong:
            outcome, words, keep = "WRONG", str(wrong), True
            failures += 1
        except Exception as error:
            outcome, words, keep = "JUDGE", f"{type(error).__name__}: {str(error)[:300]}", True
        counts[outcome] += 1
        if words or keep:
            print(f"{seed}: {form} {settings} {' '.join(target)}: {outcome} {words}", flush=True)
        if not (keep and options.keep):
            shutil.rmtree(folder)
    print("\nrefused:")
    for kind, count in reasons.most_common():
        print(f"{count:5} {kind}")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) + f"; {simulated} simulated")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
