"""Random networks as exporters write them, for random_run.py: float ones, ONNX Runtime's quantizer in all its settings (QDQ and
QOperator), and QONNX; opsets 11 to 23, constants in both forms of the file and as nodes, open batches, several inputs and outputs. A
network is a function of its seed alone."""

import contextlib
import io
import os
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

import random_layers

OPSETS = [11, 12, 13, 14, 15, 16, 17, 17, 18, 19, 20, 21, 22, 23]

# The functions that a network may take of its tensors, with what the exporter writes for them.
FUNCTIONS = ["Relu", "Relu", "Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "Clip", "Elu", "Softplus", "SiLU", "Gelu", "PRelu",
             "Abs", "Neg"]


class Network(random_layers.Layers):
    """A float network under construction: the current tensor is `value` of `shape` (with a batch of 1)."""

    def __init__(self, rng, kind):
        self.rng, self.kind = rng, kind
        self.nodes, self.constants, self.count = [], [], 0
        self.channels = int(rng.integers(1, 7))
        self.opset = int(rng.choice(OPSETS))
        short = int(rng.integers(2, 5)) if rng.random() < 0.2 else int(rng.integers(5, 17))
        self.sizes = {"dense": [], "1d": [short], "2d": [int(n) for n in rng.integers(5, 12, 2)]}[kind]
        self.shape = [1, self.channels, *self.sizes] if kind != "dense" else [1, int(rng.integers(4, 25))]
        self.inputs = {"x": list(self.shape)}
        self.outputs = []
        self.value = "x"

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def constant(self, array, prefix="c"):
        name = self.name(prefix)
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weights(self, *shape):
        fan = max(1, int(np.prod(shape[1:])))
        array = self.rng.normal(0, 1.2 / np.sqrt(fan), shape).astype(np.float32)
        if self.rng.random() < 0.1:
            array[self.rng.integers(0, shape[0])] = 0  # a channel that died
        if len(shape) > 1 and self.rng.random() < 0.1:
            array[:, self.rng.integers(0, shape[1])] = 0  # one that nobody reads
        return array

    def node(self, op, inputs, outputs=1, **attributes):
        names = [self.name(op.lower() + "_") for _ in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, name=names[0] + "_node", **attributes))
        return names[0] if outputs == 1 else names

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *options):
        return options[int(self.rng.integers(0, len(options)))]

    # --- layers ---

    def window(self, most=3):
        dims = len(self.shape) - 2
        kernel = [int(min(self.rng.integers(1, most + 1), size)) for size in self.shape[2:]]
        stride = [int(self.rng.integers(1, 3)) for _ in range(dims)]
        dilation = [2 if self.chance(0.15) and 2 * (k - 1) + 1 <= n else 1 for k, n in zip(kernel, self.shape[2:])]
        pads = [int(self.rng.integers(0, (k - 1) * d // 2 + 1)) for k, d in zip(kernel, dilation)]
        ends = [int(np.clip(p + self.rng.integers(-1, 2), 0, (k - 1) * d)) if self.chance(0.2) else p
                for p, k, d in zip(pads, kernel, dilation)]
        out = [(n + b + e - (k - 1) * d - 1) // s + 1 for n, b, e, k, d, s in zip(self.shape[2:], pads, ends, kernel, dilation, stride)]
        return kernel, stride, dilation, pads + ends, out

    def conv(self):
        kernel, stride, dilation, pads, out = self.window()
        channels = self.shape[1]
        form = self.pick("full", "full", "full", "depthwise", "grouped")
        groups = {"full": 1, "depthwise": channels, "grouped": self.pick(*[g for g in (1, 2, 3) if channels % g == 0])}[form]
        outputs = groups * int(self.rng.integers(1, max(2, 8 // groups + 1)))
        inputs = [self.value, self.constant(self.weights(outputs, channels // groups, *kernel), "w")]
        if self.chance(0.8):
            inputs.append(self.constant(self.rng.normal(0, 0.3, outputs).astype(np.float32), "b"))
        self.value = self.node("Conv", inputs, kernel_shape=kernel, strides=stride, dilations=dilation, pads=pads, group=groups)
        self.shape = [1, outputs, *out]
        if self.chance(0.2):
            numbers = [self.rng.uniform(0.5, 1.5, outputs), self.rng.normal(0, 0.3, outputs), self.rng.normal(0, 0.3, outputs),
                       self.rng.uniform(0.5, 1.5, outputs)]
            self.value = self.node("BatchNormalization", [self.value] + [self.constant(n.astype(np.float32), "n") for n in numbers])

    def dense(self):
        features, outputs = self.shape[-1], int(self.rng.integers(2, 17))
        bias = self.constant(self.rng.normal(0, 0.3, outputs).astype(np.float32), "b")
        if len(self.shape) == 2 and self.chance(0.6):
            across = self.chance(0.5)
            weights = self.weights(outputs, features) if across else self.weights(outputs, features).T.copy()
            self.value = self.node("Gemm", [self.value, self.constant(weights, "w"), bias], transB=int(across))
        else:
            self.value = self.node("MatMul", [self.value, self.constant(self.weights(outputs, features).T.copy(), "w")])
            if self.chance(0.7):
                self.value = self.node("Add", self.pick([self.value, bias], [bias, self.value]))
        self.shape = [*self.shape[:-1], outputs]

    def function(self, value=None, of=None):
        value = value or self.value
        of = of or self.pick(*FUNCTIONS)
        if of == "HardSwish" and self.opset < 14:
            of = "Relu"
        if of == "SiLU":
            return self.node("Mul", [value, self.node("Sigmoid", [value])])
        if of == "Gelu":
            half = self.node("Mul", [value, self.constant(np.float32(0.5))])
            error = self.node("Erf", [self.node("Div", [value, self.constant(np.float32(np.sqrt(2)))])])
            return self.node("Mul", [half, self.node("Add", [error, self.constant(np.float32(1))])])
        if of == "Clip":
            low, high = self.pick((0, 6), (-1, 1), (0, 1))
            return self.node("Clip", [value, self.constant(np.float32(low)), self.constant(np.float32(high))])
        if of == "PRelu":
            ones = [1] * (len(self.shape) - 2)
            return self.node("PRelu", [value, self.constant(self.rng.uniform(-0.2, 0.5, [self.shape[1], *ones]).astype(np.float32), "slope")])
        attributes = {"LeakyRelu": {"alpha": 0.1}, "Elu": {"alpha": 1.0}}.get(of, {})
        return self.node(of, [value], **attributes)

    def pool(self):
        kernel, stride, _, pads, out = self.window()
        pads = [min(p, k - 1) for p, k in zip(pads, kernel * 2)]
        out = [(n + b + e - k) // s + 1 for n, b, e, k, s in zip(self.shape[2:], pads, pads[len(out):], kernel, stride)]
        op = self.pick("MaxPool", "AveragePool")
        extra = {"count_include_pad": int(self.chance(0.5))} if op == "AveragePool" else {}
        self.value = self.node(op, [self.value], kernel_shape=kernel, strides=stride, pads=pads, **extra)
        self.shape = [1, self.shape[1], *out]

    def residual(self):
        before, shape = self.value, list(self.shape)
        self.conv() if len(shape) > 2 and self.chance(0.7) else None
        if self.shape != shape:
            channels, size = shape[1], shape[2:]
            self.value, self.shape = before, shape
            self.value = self.node("Conv", [before, self.constant(self.weights(channels, channels, *[1] * len(size)), "w")])
        other = self.function(before) if self.chance(0.4) else before
        op = self.pick("Add", "Add", "Mul", "Sub")
        self.value = self.node(op, self.pick([self.value, other], [other, self.value]))

    def attention_of_channels(self):
        axes = list(range(2, len(self.shape)))
        mean = self.pick(lambda: self.node("GlobalAveragePool", [self.value]), lambda: self.reduce("ReduceMean", self.value, axes))()
        channels = self.shape[1]
        gate = self.node("Conv", [mean, self.constant(self.weights(channels, channels, *[1] * len(axes)), "w")])
        self.value = self.node("Mul", [self.value, self.node(self.pick("Sigmoid", "HardSigmoid"), [gate])])

    def branches(self):
        value, shape = self.value, list(self.shape)
        parts, channels = [], 0
        for _ in range(int(self.rng.integers(2, 4))):
            self.value, self.shape = value, list(shape)
            outputs = int(self.rng.integers(1, 5))
            if self.chance(0.75):
                self.value = self.node("Conv", [value, self.constant(self.weights(outputs, shape[1], *[1] * (len(shape) - 2)), "w")])
                self.shape[1] = outputs
                if self.chance(0.6):
                    self.value = self.function()
            parts.append(self.value)
            channels += self.shape[1]
        self.value, self.shape = self.node("Concat", parts, axis=1), [1, channels, *shape[2:]]

    def split(self):
        channels = self.shape[1]
        if channels < 2:
            return
        first = int(self.rng.integers(1, channels))
        a, b = self.split_in(self.value, 1, [first, channels - first])
        if 2 * first == channels and self.chance(0.5):
            self.value = self.node("Mul", [a, self.node("Sigmoid", [b])])
            self.shape[1] = first
        else:
            self.value = self.node("Concat", self.pick([self.function(a, "Relu"), b], [b, a]), axis=1)

    def move(self):
        rank = len(self.shape)
        kind = self.pick("transpose", "pad", "slice", "resize", "reshape", "gather", "flatten")
        if kind == "transpose" and rank == 3:
            self.value = self.node("Transpose", [self.value], perm=[0, 2, 1])
            self.shape = [1, self.shape[2], self.shape[1]]
        elif kind == "pad" and rank > 2:
            pads = [0, 0, *self.rng.integers(0, 2, rank - 2)] * 1
            ends = [0, 0, *self.rng.integers(0, 2, rank - 2)]
            value = np.float32(self.pick(0, 0, 0.5))
            self.value = self.node("Pad", [self.value, self.constant(np.array([*pads, *ends], np.int64)), self.constant(value)])
            self.shape = [n + int(b) + int(e) for n, b, e in zip(self.shape, pads, ends)]
        elif kind == "slice" and self.shape[-1] > 3:
            axis = rank - 1
            start, step = int(self.rng.integers(0, 2)), self.pick(1, 1, 2)
            end = int(self.shape[axis] - self.rng.integers(0, 2))
            self.value = self.slice(self.value, axis, start, end, step)
            self.shape[axis] = (end - start + step - 1) // step
        elif kind == "resize" and rank == 4 and np.prod(self.shape) < 400:
            self.value = self.upscale(self.value, self.pick(("asymmetric", "floor"), ("half_pixel", "round_prefer_floor")))
            self.shape = [*self.shape[:2], 2 * self.shape[2], 2 * self.shape[3]]
        elif kind == "reshape" and rank == 4:
            shape = [1, self.shape[1], self.shape[2] * self.shape[3]]
            self.value, self.shape = self.node("Reshape", [self.value, self.constant(np.array(shape, np.int64))]), shape
        elif kind == "gather" and self.shape[1] > 1:
            order = self.rng.permutation(self.shape[1])
            self.value = self.node("Gather", [self.value, self.constant(order.astype(np.int64))], axis=1)
        elif kind == "flatten" and self.chance(0.3):
            self.value = self.node("Flatten", [self.value])
            self.shape = [1, int(np.prod(self.shape))]

    def scale(self):
        op = self.pick("Mul", "Add", "Sub", "Div")
        size = [self.shape[1], *[1] * (len(self.shape) - 2)] if self.chance(0.5) else []
        constant = self.constant(self.rng.uniform(0.4, 1.6, size).astype(np.float32))
        self.value = self.node(op, [self.value, constant])

    def with_itself(self):
        """An element-wise operator, or a product, of the tensor and a move of it."""
        op = self.pick("Add", "Mul", "Sub")
        if len(self.shape) == 3 and self.shape[1] == self.shape[2] or len(self.shape) == 4 and self.shape[2] == self.shape[3]:
            perm = [0, 2, 1] if len(self.shape) == 3 else [0, 1, 3, 2]
            self.value = self.node(op, self.pick([self.value, t := self.node("Transpose", [self.value], perm=perm)], [t, self.value]))
        elif len(self.shape) == 2 and self.shape[1] <= 16:
            n = self.shape[1]
            column = self.node("Reshape", [self.value, self.constant(np.array([1, n, 1], np.int64))])
            row = self.node("Reshape", [self.function() if self.chance(0.4) else self.value, self.constant(np.array([1, 1, n], np.int64))])
            self.value, self.shape = self.node(op, self.pick([column, row], [row, column])), [1, n, n]
        elif len(self.shape) == 3:
            other = self.node("Transpose", [self.value], perm=[0, 2, 1])
            if self.chance(0.5):
                self.value, self.shape = self.node("MatMul", [self.value, other]), [1, self.shape[1], self.shape[1]]
            else:
                self.value, self.shape = self.node("MatMul", [other, self.value]), [1, self.shape[2], self.shape[2]]
        else:
            axis = int(self.rng.integers(1, len(self.shape)))
            order = self.constant(np.arange(self.shape[axis])[::-1].astype(np.int64))
            self.value = self.node(op, [self.value, self.node("Gather", [self.value, order], axis=axis)])

    def gate_of_mean(self):
        """x times a gate that a dense layer computes of its mean along an axis."""
        if len(self.shape) != 3:
            return
        axis = self.pick(1, 2)
        mean = self.reduce("ReduceMean", self.value, [axis])
        if axis == 1:
            mean = self.node("MatMul", [mean, self.constant(self.weights(self.shape[2], self.shape[2]).T.copy(), "w")])
        self.value = self.node("Mul", [self.value, self.node(self.pick("Sigmoid", "Tanh", "Relu"), [mean])])

    def layer_norm(self):
        if self.opset < 17:
            return
        n = self.shape[-1]
        numbers = [self.constant(self.rng.uniform(0.5, 1.5, n).astype(np.float32)), self.constant(self.rng.normal(0, 0.3, n).astype(np.float32))]
        self.value = self.node("LayerNormalization", [self.value, *numbers], axis=-1)

    def transposed_conv(self):
        outputs = int(self.rng.integers(1, 6))
        dims = len(self.shape) - 2
        kernel, stride = self.pick(([2] * dims, [2] * dims), ([3] * dims, [1] * dims), ([3] * dims, [2] * dims))
        weights = self.weights(self.shape[1], outputs, *kernel)
        self.value = self.node("ConvTranspose", [self.value, self.constant(weights, "w")], strides=stride)
        self.shape = [1, outputs, *[(n - 1) * s + k for n, s, k in zip(self.shape[2:], stride, kernel)]]

    def step(self):
        image = len(self.shape) > 2
        layers = [self.dense] * (3 if not image else 1)
        if image:
            layers += [self.conv] * 5 + [self.pool] * 2 + [self.residual] * 2 + [self.attention_of_channels, self.branches, self.split] + [self.move] * 2
        else:
            layers += [self.move]
        layers += [self.scale]
        if self.chance(0.5):
            layers = [self.with_move, self.with_move, self.gate, self.weights_of_parts, self.second_input]
            layers += [self.left, self.reduce_and_move, self.many_branches, self.ceil_pool, self.prelu_between, self.ceil_pool] if image else [self.outer]
        elif self.chance(0.3):
            layers += [self.with_itself, self.layer_norm] + ([self.gate_of_mean, self.transposed_conv] if image else [])
        if int(np.prod(self.shape)) > 3000 and image:
            layers = [self.pool, self.conv]
        self.pick(*layers)()
        if self.chance(0.7):
            self.value = self.function()
        if self.chance(0.1):
            self.outputs.append((self.value, list(self.shape)))

    def finish(self):
        if len(self.shape) > 2 and self.chance(0.25):
            self.move_last()
            return
        if len(self.shape) > 2 and self.chance(0.6):
            if self.chance(0.5):
                self.value = self.node("Flatten", [self.node("GlobalAveragePool", [self.value])])
                self.shape = [1, self.shape[1]]
            else:
                self.value = self.node("Flatten", [self.value])
                self.shape = [1, int(np.prod(self.shape))]
            self.dense()
        if len(self.shape) == 2 and self.chance(0.15):
            self.value = self.node("Softmax", [self.value], axis=-1)

    def model(self):
        outputs = {value: shape for value, shape in [*self.outputs, (self.value, self.shape)] if value not in self.inputs}
        describe = lambda tensors: [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in tensors.items()]
        graph = helper.make_graph(self.nodes, "g", describe(self.inputs), describe(outputs), self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8 if self.opset < 20 else 10)
        onnx.checker.check_model(model, full_check=True)
        return model


def spell(rng, model, path):
    """The model in one of the forms in which files have it: constants as raw bytes, by type or as nodes; an open batch."""
    initializers = list(model.graph.initializer)
    if rng.random() < 0.5:
        for tensor in initializers:
            array = numpy_helper.to_array(tensor)
            if array.dtype in (np.float32, np.int32, np.int64, np.int8, np.uint8):
                tensor.CopyFrom(helper.make_tensor(tensor.name, tensor.data_type, array.shape, array.ravel().tolist()))
    if rng.random() < 0.15:
        nodes = [helper.make_node("Constant", [], [tensor.name], value=tensor) for tensor in initializers]
        kept = list(model.graph.node)
        del model.graph.initializer[:], model.graph.node[:]
        model.graph.node.extend(nodes + kept)
    if rng.random() < 0.25:
        for value in [*model.graph.input, *model.graph.output]:
            value.type.tensor_type.shape.dim[0].dim_param = "N"
        del model.graph.value_info[:]
    onnx.save(model, path)


def float_model(seed):
    rng = np.random.default_rng(seed)
    network = Network(rng, ["dense", "1d", "2d", "2d", "2d"][int(rng.integers(0, 5))])
    for _ in range(int(rng.integers(2, 6))):
        network.step()
    network.finish()
    return network.model(), network.inputs


def frames(seed, inputs, count):
    """Arrays of `count` frames by the inputs' names."""
    rng = np.random.default_rng([seed, 1])
    return {name: rng.normal(0, 1, [count, *shape[1:]]).astype(np.float32) for name, shape in inputs.items()}


def save_frames(folder, name, arrays):
    """As a .npy of the only input's, or an .npz."""
    if len(arrays) == 1:
        np.save(os.path.join(folder, name + ".npy"), next(iter(arrays.values())))
        return
    np.savez(os.path.join(folder, name + ".npz"), **arrays)


class Reader(CalibrationDataReader):
    def __init__(self, data):
        self.data = iter([{name: array[i:i + 1] for name, array in data.items()} for i in range(len(next(iter(data.values()))))])

    def get_next(self):
        return next(self.data, None)


def ort_settings(rng, model):
    """One of ONNX Runtime's quantizer's settings, as keyword arguments of quantize_static."""
    pick = lambda *options: options[int(rng.integers(0, len(options)))]
    opset = model.opset_import[0].version
    form = pick(QuantFormat.QDQ, QuantFormat.QDQ, QuantFormat.QOperator)
    activation = pick(QuantType.QUInt8, QuantType.QUInt8, QuantType.QInt8, QuantType.QInt8)
    weight = pick(QuantType.QInt8, QuantType.QInt8, QuantType.QUInt8) if activation == QuantType.QUInt8 else QuantType.QInt8
    if form == QuantFormat.QDQ and rng.random() < 0.15:
        activation = pick(QuantType.QUInt16, QuantType.QInt16)
        weight = pick(QuantType.QInt8, QuantType.QInt16) if activation == QuantType.QInt16 else QuantType.QInt8
    extra = {}
    for key, chance in (("ActivationSymmetric", 0.35), ("WeightSymmetric", 0.2), ("DedicatedQDQPair", 0.15), ("ForceQuantizeNoInputCheck", 0.2),
                        ("CalibMovingAverage", 0.1), ("AddQDQPairToWeight", 0.0), ("QDQKeepRemovableActivations", 0.2)):
        if rng.random() < chance:
            extra[key] = key != "WeightSymmetric" or weight == QuantType.QInt8
    return dict(quant_format=form, activation_type=activation, weight_type=weight, per_channel=bool(rng.random() < 0.4) and opset > 12,
                reduce_range=bool(rng.random() < 0.15), extra_options=extra,
                calibrate_method=pick(CalibrationMethod.MinMax, CalibrationMethod.MinMax, CalibrationMethod.Percentile))


def ort_model(seed, model, inputs, folder, choose):
    """Quantized with the settings that `choose` makes of a generator of random numbers and the model."""
    rng = np.random.default_rng([seed, 2])
    settings = choose(rng, model)
    source, prepared, target = (os.path.join(folder, name) for name in ("float.onnx", "prepared.onnx", "model.onnx"))
    onnx.save(model, source)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if rng.random() < 0.5:
            quant_pre_process(source, prepared, skip_symbolic_shape=True)
        else:
            prepared = source
        quantize_static(prepared, target, Reader(frames(seed + 7, inputs, 24)), **settings)
    text = " ".join(f"{key}={value}" for key, value in settings.items() if value not in (False, {}))
    return onnx.load(target), text


def qonnx_model(seed, model):
    """Quant nodes behind constants and functions, with widths, signs and scales at random."""
    rng = np.random.default_rng([seed, 3])
    constants = {c.name: numpy_helper.to_array(c) for c in model.graph.initializer}
    graph, nodes, added, quantized = model.graph, [], [], {}
    bits_of_weights, bits_of_data = int(rng.integers(2, 9)), int(rng.integers(2, 9))

    def number(value, name):
        added.append(numpy_helper.from_array(np.asarray(value, np.float32), name))
        return name

    def quantizer(source, width, signed, scale, mode="ROUND", narrow=0):
        target = source + "_quant"
        nodes.append(helper.make_node("Quant", [source, number(scale, target + "_s"), number(0, target + "_z"), number(width, target + "_w")],
                                      [target], name=target, domain="qonnx.custom_op.general", signed=signed, narrow=narrow, rounding_mode=mode))
        quantized[source] = target

    for value in graph.input:
        quantizer(value.name, bits_of_data if bits_of_data > 3 else 8, 1, 2.0 ** -int(rng.integers(2, 5)))
    results = {value.name for value in graph.output}
    integers = {value.name for value in onnx.shape_inference.infer_shapes(model).graph.value_info
                if value.type.tensor_type.elem_type != TensorProto.FLOAT}
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm", "MatMul") or all(name in constants for name in node.input):
            for name in node.input if node.op_type in ("MatMul", "Concat") else node.input[1:2]:
                if name in constants and name not in quantized:
                    high = float(np.abs(constants[name]).max()) or 1.0
                    scale = high / (2 ** (bits_of_weights - 1) - 1)
                    if rng.random() < 0.4:
                        scale = 2.0 ** np.ceil(np.log2(scale))
                    quantizer(name, bits_of_weights, 1, np.float32(scale), narrow=1)
        inputs = [quantized.get(name, name) for name in node.input]
        del node.input[:]
        node.input.extend(inputs)
        nodes.append(node)
        if node.op_type in ("Relu", "Sigmoid", "Clip", "Tanh", "HardSigmoid", "Add", "Mul", "Concat", "Conv", "MatMul", "Gemm", "AveragePool",
                            "GlobalAveragePool", "ReduceMean", "Sub") and node.output[0] not in results | integers:
            signed = 0 if node.op_type in ("Relu", "Sigmoid", "HardSigmoid") else 1
            if node.op_type in ("Conv", "MatMul", "Gemm", "Concat", "Add", "Mul", "Sub") and rng.random() < 0.4:
                continue
            scale = 2.0 ** -int(rng.integers(2, 6)) if rng.random() < 0.6 else np.float32(rng.uniform(0.02, 0.3))
            quantizer(node.output[0], bits_of_data, signed, scale, mode=["ROUND", "ROUND", "FLOOR"][int(rng.integers(0, 3))])
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(added)
    model.opset_import.append(helper.make_opsetid("qonnx.custom_op.general", 1))
    return model, f"weights={bits_of_weights} data={bits_of_data}"


FORMS = ("ort", "ort", "ort", "float-int8", "float-fixed", "qonnx")


def make(seed, folder, source=None):
    """model.onnx in `folder`, frames to run and to calibrate with, from this module or another one with float_model and ort_settings. Returns
    the form and its settings."""
    source = source or sys.modules[__name__]
    model, inputs = source.float_model(seed)
    forms = getattr(source, "FORMS", FORMS)
    form = forms[seed % len(forms)]
    text = f"opset={model.opset_import[0].version}"
    if form == "ort":
        model, settings = ort_model(seed, model, inputs, folder, source.ort_settings)
        text += " " + settings
    elif form == "qonnx":
        model, settings = qonnx_model(seed, model)
        text += " " + settings
    elif form in ("own", "saved"):
        model, settings = source.quantized(seed, model, inputs, folder, form == "saved")
        text += " " + settings
    spell(np.random.default_rng([seed, 5]), model, os.path.join(folder, "model.onnx"))
    save_frames(folder, "frames", frames(seed, inputs, 6))
    save_frames(folder, "calibration", frames(seed + 7, inputs, 24))
    return form, text


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(make(1, folder))
