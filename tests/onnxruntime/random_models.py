"""Random networks as exporters write them, for random_run.py: float ones, ONNX Runtime's quantizer in all its settings (QDQ and
QOperator), and QONNX. A network is a function of its seed alone."""

import contextlib
import io
import os
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

OPSET = 17

# The functions that a network may take of its tensors, with what the exporter writes for them.
FUNCTIONS = ["Relu", "Relu", "Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "Clip", "Elu", "Softplus", "SiLU", "Gelu", "PRelu",
             "Abs", "Neg"]


class Network:
    """A float network under construction: the current tensor is `value` of `shape` (with a batch of 1)."""

    def __init__(self, rng, kind):
        self.rng, self.kind = rng, kind
        self.nodes, self.constants, self.count = [], [], 0
        self.channels = int(rng.integers(1, 7))
        self.sizes = {"dense": [], "1d": [int(rng.integers(5, 17))], "2d": [int(n) for n in rng.integers(5, 12, 2)]}[kind]
        self.shape = [1, self.channels, *self.sizes] if kind != "dense" else [1, int(rng.integers(4, 25))]
        self.input = "x"
        self.input_shape = list(self.shape)
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
        mean = self.pick(lambda: self.node("GlobalAveragePool", [self.value]), lambda: self.node("ReduceMean", [self.value], axes=axes))()
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
        sizes = self.constant(np.array([first, channels - first], np.int64))
        a, b = self.node("Split", [self.value, sizes], 2, axis=1)
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
            lists = [[start], [end], [axis], [step]]
            self.value = self.node("Slice", [self.value] + [self.constant(np.array(part, np.int64)) for part in lists])
            self.shape[axis] = (end - start + step - 1) // step
        elif kind == "resize" and rank == 4 and np.prod(self.shape) < 400:
            scales = self.constant(np.array([1, 1, 2, 2], np.float32))
            mode = self.pick(("asymmetric", "floor"), ("half_pixel", "round_prefer_floor"))
            self.value = self.node("Resize", [self.value, "", scales], mode="nearest", coordinate_transformation_mode=mode[0], nearest_mode=mode[1])
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
        mean = self.node("ReduceMean", [self.value], axes=[axis], keepdims=1)
        if axis == 1:
            mean = self.node("MatMul", [mean, self.constant(self.weights(self.shape[2], self.shape[2]).T.copy(), "w")])
        self.value = self.node("Mul", [self.value, self.node(self.pick("Sigmoid", "Tanh", "Relu"), [mean])])

    def layer_norm(self):
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
        if self.chance(0.3):
            layers += [self.with_itself, self.layer_norm] + ([self.gate_of_mean, self.transposed_conv] if image else [])
        if int(np.prod(self.shape)) > 3000 and image:
            layers = [self.pool, self.conv]
        self.pick(*layers)()
        if self.chance(0.7):
            self.value = self.function()

    def finish(self):
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
        graph = helper.make_graph(self.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.input_shape)],
                                  [helper.make_tensor_value_info(self.value, TensorProto.FLOAT, self.shape)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        return model


def float_model(seed):
    rng = np.random.default_rng(seed)
    network = Network(rng, ["dense", "1d", "2d", "2d", "2d"][int(rng.integers(0, 5))])
    for _ in range(int(rng.integers(2, 6))):
        network.step()
    network.finish()
    return network.model(), network.input_shape


def frames(seed, shape, count):
    return np.random.default_rng([seed, 1]).normal(0, 1, [count, *shape[1:]]).astype(np.float32)


class Reader(CalibrationDataReader):
    def __init__(self, data):
        self.data = iter([{"x": frame[None]} for frame in data])

    def get_next(self):
        return next(self.data, None)


def ort_settings(rng):
    """One of ONNX Runtime's quantizer's settings, as keyword arguments of quantize_static."""
    pick = lambda *options: options[int(rng.integers(0, len(options)))]
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
    return dict(quant_format=form, activation_type=activation, weight_type=weight, per_channel=bool(rng.random() < 0.4),
                reduce_range=bool(rng.random() < 0.15), extra_options=extra,
                calibrate_method=pick(CalibrationMethod.MinMax, CalibrationMethod.MinMax, CalibrationMethod.Percentile))


def ort_model(seed, model, shape, folder):
    rng = np.random.default_rng([seed, 2])
    settings = ort_settings(rng)
    source, prepared, target = (os.path.join(folder, name) for name in ("float.onnx", "prepared.onnx", "model.onnx"))
    onnx.save(model, source)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if rng.random() < 0.5:
            quant_pre_process(source, prepared, skip_symbolic_shape=True)
        else:
            prepared = source
        quantize_static(prepared, target, Reader(frames(seed + 7, shape, 24)), **settings)
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

    quantizer("x", bits_of_data if bits_of_data > 3 else 8, 1, 2.0 ** -int(rng.integers(2, 5)))
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm", "MatMul"):
            for name in node.input[1:2]:
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
                            "GlobalAveragePool", "ReduceMean", "Sub") and node.output[0] != graph.output[0].name:
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


def make(seed, folder):
    """model.onnx in `folder`, frames to run and to calibrate with. Returns the form and its settings."""
    model, shape = float_model(seed)
    form = FORMS[seed % len(FORMS)]
    text = ""
    if form == "ort":
        model, text = ort_model(seed, model, shape, folder)
    elif form == "qonnx":
        model, text = qonnx_model(seed, model)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    np.save(os.path.join(folder, "frames.npy"), frames(seed, shape, 6))
    np.save(os.path.join(folder, "calibration.npy"), frames(seed + 7, shape, 24))
    return form, text


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(make(1, folder))
