"""Random networks of the blocks that published ones are made of, spelled as PyTorch's and TensorFlow's exporters spell them: the second
source of random_run.py, beside the single layers of random_models.py. A network is a function of its seed alone."""

import numpy as np
from onnxruntime.quantization import CalibrationMethod, QuantFormat, QuantType

import random_models


class Blocks(random_models.Network):
    """A network of two dimensions, or of one: the current tensor is `value` of `shape`."""

    def __init__(self, rng):
        super().__init__(rng, rng.choice(["2d", "2d", "2d", "1d"]))
        self.channels = self.shape[1] = int(rng.integers(1, 5))
        self.inputs["x"] = list(self.shape)
        self.dims = len(self.shape) - 2

    # --- pieces ---

    def f32(self, numbers, prefix="c"):
        return self.constant(np.asarray(numbers, np.float32), prefix)

    def i64(self, *numbers):
        return self.constant(np.asarray(numbers, np.int64))

    def filter(self, outputs, kernel=1, stride=1, groups=1, dilation=1, bias=True):
        """Conv, padded so that the size stays but for the stride."""
        reach = (kernel - 1) * dilation
        inputs = [self.value, self.constant(self.weights(outputs, self.shape[1] // groups, *[kernel] * self.dims), "w")]
        if bias:
            inputs.append(self.f32(self.rng.normal(0, 0.3, outputs), "b"))
        self.value = self.node("Conv", inputs, kernel_shape=[kernel] * self.dims, strides=[stride] * self.dims, group=groups,
                               dilations=[dilation] * self.dims, pads=[reach // 2] * self.dims + [reach - reach // 2] * self.dims)
        self.shape = [1, outputs, *((n - 1) // stride + 1 for n in self.shape[2:])]

    def norm(self):
        n = self.shape[1]
        numbers = [self.rng.uniform(0.5, 1.5, n), self.rng.normal(0, 0.3, n), self.rng.normal(0, 0.3, n), self.rng.uniform(0.5, 1.5, n)]
        self.value = self.node("BatchNormalization", [self.value] + [self.f32(each, "n") for each in numbers])

    def act(self):
        of = self.act_of
        if of == "relu6":
            self.value = self.node("Clip", [self.value, self.f32(0), self.f32(6)])
        elif of == "relu6_min_max":
            self.value = self.node("Min", [self.node("Max", [self.value, self.f32(0)]), self.f32(6)])
        elif of == "leaky_max":
            self.value = self.node("Max", [self.value, self.node("Mul", [self.value, self.f32(0.125)])])
        elif of == "hardswish_spelled":
            clipped = self.node("Clip", [self.node("Add", [self.value, self.f32(3)]), self.f32(0), self.f32(6)])
            self.value = self.node("Div", [self.node("Mul", [self.value, clipped]), self.f32(6)])
        else:
            self.value = self.function(of=of)

    def unit(self, outputs, kernel=1, stride=1, groups=1, dilation=1, act=True):
        self.filter(outputs, kernel, stride, groups, dilation, bias=not self.with_norm)
        if self.with_norm:
            self.norm()
        if act:
            self.act()

    def size(self):
        return int(self.rng.integers(2, 7))

    def from_here(self, *branches):
        """Results and shapes of each branch from the current tensor."""
        start, done = (self.value, list(self.shape)), []
        for branch in branches:
            self.value, self.shape = start[0], list(start[1])
            branch()
            done.append((self.value, list(self.shape)))
        return done

    def concat(self, parts):
        self.value = self.node("Concat", [value for value, _ in parts], axis=1)
        self.shape = [1, sum(shape[1] for _, shape in parts), *parts[0][1][2:]]

    def add(self, a, b):
        self.value = self.node("Add", self.pick([a, b], [b, a]))

    def shape_by_nodes(self, *dims):
        """Reshape whose target an exporter computes from the tensor's own shape: dims are numbers or (axis,)."""
        whole = self.node("Shape", [self.value])
        parts = [self.unsqueeze(self.node("Gather", [whole, self.constant(np.int64(d[0]))], axis=0), 0) if isinstance(d, tuple) else self.i64(d)
                 for d in dims]
        return self.node("Concat", parts, axis=0)

    # --- blocks ---

    def residual(self):
        outputs, stride = self.pick((self.shape[1], 1), (self.size(), 1), (self.size(), 2))
        same = outputs == self.shape[1] and stride == 1

        def main():
            self.unit(outputs, 3, stride)
            self.unit(outputs, 3, act=False)

        (a, shape), (b, _) = self.from_here(main, lambda: None if same else self.unit(outputs, 1, stride, act=False))
        self.add(a, b)
        self.shape = shape
        self.act()

    def inverted(self):
        inputs, stride = self.shape[1], self.pick(1, 1, 2)
        outputs = inputs if self.chance(0.6) else self.size()
        before = self.value
        self.unit(inputs * 2)
        self.unit(inputs * 2, self.pick(3, 5), stride, groups=inputs * 2)
        if self.chance(0.4):
            self.squeeze_excite()
        self.unit(outputs, act=False)
        if stride == 1 and outputs == inputs:
            self.add(before, self.value)

    def squeeze_excite(self):
        before, shape = self.value, list(self.shape)
        axes = list(range(2, len(shape)))
        if self.chance(0.5):
            self.value = self.node("GlobalAveragePool", [before])
        else:
            self.value = self.reduce("ReduceMean", before, axes)
        self.shape = [1, shape[1]] + [1] * self.dims
        self.filter(max(1, shape[1] // 2))
        self.value = self.function(of="Relu")
        self.filter(shape[1])
        self.value = self.function(of=self.pick("Sigmoid", "HardSigmoid"))
        self.value = self.node("Mul", self.pick([before, self.value], [self.value, before]))
        self.shape = shape

    def channel_attention(self):
        before, shape = self.value, list(self.shape)
        self.value = self.reduce("ReduceMean", before, list(range(2, len(shape))), 0)
        self.value = self.unsqueeze(self.value, 1)
        weights = self.constant(self.weights(1, 1, 3), "w")
        self.value = self.function(self.node("Conv", [self.value, weights], kernel_shape=[3], pads=[1, 1]), "Sigmoid")
        self.value = self.node("Reshape", [self.value, self.i64(1 if self.chance(0.5) else -1, shape[1], *[1] * self.dims)])
        self.value = self.node("Mul", [before, self.value])

    def spatial_attention(self):
        before, shape = self.value, list(self.shape)
        parts = [(self.reduce(op, before, [1]), [1, 1, *shape[2:]]) for op in ("ReduceMean", "ReduceMax")]
        self.concat(parts)
        self.filter(1, 3, bias=False)
        self.value = self.node("Mul", [before, self.function(of="Sigmoid")])
        self.shape = shape

    def shuffle(self):
        groups = self.pick(*[g for g in (2, 3, 4, 1) if self.shape[1] % g == 0])
        inner = self.shape[1] // groups
        first = self.shape_by_nodes((0,), groups, inner, *[(2 + i,) for i in range(self.dims)]) if self.chance(0.4) else self.i64(
            1, groups, inner, *self.shape[2:])
        self.value = self.node("Reshape", [self.value, first])
        self.value = self.node("Transpose", [self.value], perm=[0, 2, 1, *range(3, 3 + self.dims)])
        self.value = self.node("Reshape", [self.value, self.i64(1, -1, *self.shape[2:])])

    def halves(self):
        if self.shape[1] % 2:
            return self.unit(self.shape[1] + 1)
        half, shape = self.shape[1] // 2, list(self.shape)
        if self.chance(0.5):
            a, b = self.split_in(self.value, 1, [half, half])
        else:
            a, b = self.slice(self.value, 1, 0, half), self.slice(self.value, 1, half, 2 * half)
        self.value, self.shape = b, [1, half, *shape[2:]]
        self.unit(half)
        self.unit(half, 3, groups=half)
        self.concat(self.pick([(a, [1, half, *shape[2:]]), (self.value, self.shape)], [(self.value, self.shape), (a, [1, half, *shape[2:]])]))
        if self.chance(0.6):
            self.shuffle()

    def inception(self):
        branches = [lambda: self.unit(self.size()), lambda: (self.unit(self.size()), self.unit(self.size(), 3)),
                    lambda: (self.pool(self.pick("MaxPool", "AveragePool")), self.unit(self.size()))]
        self.concat(self.from_here(*branches[:int(self.rng.integers(2, 4))]))

    def pool(self, op):
        extra = {"count_include_pad": self.pick(0, 1)} if op == "AveragePool" else {}
        self.value = self.node(op, [self.value], kernel_shape=[3] * self.dims, strides=[1] * self.dims, pads=[1] * (2 * self.dims), **extra)

    def pyramid_pool(self):
        self.unit(self.size())
        parts = [(self.value, list(self.shape))]
        for _ in range(2):
            self.value = self.node("MaxPool", [self.value], kernel_shape=[3] * self.dims, strides=[1] * self.dims, pads=[1] * (2 * self.dims))
            parts.append((self.value, list(self.shape)))
        self.concat(parts)
        self.unit(self.size())

    def dense_block(self):
        for _ in range(2):
            parts = self.from_here(lambda: None, lambda: self.unit(self.size() // 2 + 1, 3))
            self.concat(parts)

    def dilated(self):
        self.concat(self.from_here(lambda: self.unit(2), lambda: self.unit(2, 3, dilation=2), lambda: self.unit(2, 3, dilation=self.pick(1, 3))))

    def down_and_up(self):
        if any(n % 2 for n in self.shape[2:]) or min(self.shape[2:]) < 4:
            return self.unit(self.size(), 3)
        skip = (self.value, list(self.shape))
        self.value = self.node("MaxPool", [self.value], kernel_shape=[2] * self.dims, strides=[2] * self.dims)
        self.shape = [1, self.shape[1], *(n // 2 for n in self.shape[2:])]
        self.unit(self.size(), 3)
        if self.chance(0.5):
            self.resize()
        else:
            outputs = self.size()
            weights = self.constant(self.weights(self.shape[1], outputs, *[2] * self.dims), "w")
            self.value = self.node("ConvTranspose", [self.value, weights], kernel_shape=[2] * self.dims, strides=[2] * self.dims)
            self.shape[1] = outputs
        self.shape = [1, self.shape[1], *skip[1][2:]]
        if self.chance(0.7):
            self.concat([skip, (self.value, self.shape)])
        else:
            if self.shape[1] != skip[1][1]:
                self.unit(skip[1][1])
            self.add(skip[0], self.value)
        self.unit(self.size(), 3)

    def resize(self):
        """To twice the size, as PyTorch (asymmetric, floor), Keras (half_pixel) and others write it, by scales or by sizes."""
        mode = self.pick(*[dict(mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")] * 2,
                         dict(mode="nearest", coordinate_transformation_mode="half_pixel", nearest_mode="round_prefer_ceil"),
                         dict(mode="linear", coordinate_transformation_mode=self.pick("half_pixel", "pytorch_half_pixel", "align_corners")))
        empty = self.f32([]) if self.opset < 13 else ""
        if self.chance(0.5):
            inputs = [empty, self.f32([1, 1] + [2] * self.dims)]
        else:
            inputs = [empty, self.f32([]) if self.opset < 13 else "", self.i64(*self.shape[:2], *(2 * n for n in self.shape[2:]))]
        self.value = self.node("Resize", [self.value, *inputs], **mode)

    def gated(self):
        outputs = self.size()
        if self.chance(0.5):
            (a, shape), (b, _) = self.from_here(lambda: self.filter(outputs, 3), lambda: self.filter(outputs, 3))
        else:
            self.filter(2 * outputs, 3)
            shape = [1, outputs, *self.shape[2:]]
            a, b = self.split_in(self.value, 1, [outputs, outputs])
        left = self.node("Tanh", [a]) if self.chance(0.6) else a
        self.value, self.shape = self.node("Mul", [left, self.node("Sigmoid", [b])]), shape

    def causal(self):
        """Padded before and not behind, or cut off behind."""
        outputs, dilation = self.size(), self.pick(1, 2)
        before, shape = self.value, list(self.shape)
        reach = 2 * dilation
        weights = [self.constant(self.weights(outputs, shape[1], *[3] * self.dims), "w"), self.f32(self.rng.normal(0, 0.3, outputs), "b")]
        sizes = dict(kernel_shape=[3] * self.dims, dilations=[dilation] * self.dims)
        if self.chance(0.5):
            pads = [0, 0, *[reach] * self.dims, 0, 0, *[0] * self.dims]
            padded = self.node("Pad", [before, self.i64(*pads), self.f32(0)])
            self.value = self.node("Conv", [padded, *weights], **sizes)
        else:
            self.value = self.node("Conv", [before, *weights], pads=[reach] * (2 * self.dims), **sizes)
            for i in range(self.dims):
                self.value = self.slice(self.value, 2 + i, 0, shape[2 + i])
        self.shape = [1, outputs, *shape[2:]]
        self.act()
        if self.chance(0.5):
            now = self.value
            self.value, self.shape = before, shape
            self.filter(outputs)
            self.add(now, self.value)

    def focus(self):
        if self.dims != 2 or any(n % 2 for n in self.shape[2:]):
            return self.unit(self.size(), 3, 2)
        parts = [(self.slice(self.slice(self.value, 2, i, 1 << 30, 2), 3, j, 1 << 30, 2), [1, self.shape[1], *(n // 2 for n in self.shape[2:])])
                 for j in (0, 1) for i in (0, 1)]
        self.concat(parts)
        self.unit(self.size(), 3)

    def pixel_shuffle(self):
        if self.dims != 2 or max(self.shape[2:]) > 8:
            return self.unit(self.size(), 3)
        outputs = self.pick(1, 2, 3)
        h, w = self.shape[2:]
        self.filter(outputs * 4, 3)
        if self.chance(0.5):
            self.value = self.node("DepthToSpace", [self.value], blocksize=2, mode=self.pick("DCR", "CRD"))
        else:
            self.value = self.node("Reshape", [self.value, self.i64(1, outputs, 2, 2, h, w)])
            self.value = self.node("Transpose", [self.value], perm=[0, 1, 4, 2, 5, 3])
            self.value = self.node("Reshape", [self.value, self.i64(1, outputs, 2 * h, 2 * w)])
        self.shape = [1, outputs, 2 * h, 2 * w]

    def maxout(self):
        outputs = self.size()
        parts = self.from_here(*[lambda: self.filter(outputs, 3)] * 2)
        self.value, self.shape = self.node("Max", [value for value, _ in parts]), parts[0][1]

    def mixer(self):
        """Tokens: channels last, a dense layer over channels, or over positions, with what comes in added."""
        positions, n = int(np.prod(self.shape[2:])), self.shape[1]
        shape = list(self.shape)
        self.value = self.node("Transpose", [self.node("Reshape", [self.value, self.i64(1, n, positions)])], perm=[0, 2, 1])
        before = self.value
        over = self.chance(0.5)
        if over:
            self.value = self.node("Transpose", [self.value], perm=[0, 2, 1])
        size = positions if over else n
        for inputs, outputs in ((size, 5), (5, size)):
            self.value = self.node("MatMul", [self.value, self.constant(self.weights(outputs, inputs).T.copy(), "w")])
            self.value = self.node("Add", [self.f32(self.rng.normal(0, 0.3, outputs), "b"), self.value])
            if outputs == 5:
                self.value = self.function(of=self.pick("Relu", "Gelu"))
        if over:
            self.value = self.node("Transpose", [self.value], perm=[0, 2, 1])
        self.add(before, self.value)
        self.value = self.node("Reshape", [self.node("Transpose", [self.value], perm=[0, 2, 1]), self.i64(*shape)])

    def channels_last(self):
        """A dense layer or bias over the last axis, between transpositions, as TensorFlow's exporter leaves them."""
        there, back = [0, *range(2, 2 + self.dims), 1], [0, 1 + self.dims, *range(1, 1 + self.dims)]
        outputs = self.size()
        self.value = self.node("Transpose", [self.value], perm=there)
        self.value = self.node("MatMul", [self.value, self.constant(self.weights(outputs, self.shape[1]).T.copy(), "w")])
        self.value = self.node("Add", [self.value, self.f32(self.rng.normal(0, 0.3, outputs), "b")])
        self.shape[1] = outputs
        if self.act_of != "PRelu":  # whose slopes are for the axis 1
            self.act()
        self.value = self.node("Transpose", [self.value], perm=back)

    def same_padding(self):
        """Stride 2 with TensorFlow's padding, one more behind: auto_pad, or Pad before the convolution."""
        outputs = self.size()
        weights = self.constant(self.weights(outputs, self.shape[1], *[3] * self.dims), "w")
        sizes = dict(kernel_shape=[3] * self.dims, strides=[2] * self.dims)
        if self.chance(0.5):
            self.value = self.node("Conv", [self.value, weights], auto_pad=self.pick("SAME_UPPER", "SAME_LOWER"), **sizes)
            self.shape = [1, outputs, *(-(-n // 2) for n in self.shape[2:])]
        else:
            mode = self.pick("constant", "constant", "reflect", "edge")
            padded = self.node("Pad", [self.value, self.i64(0, 0, *[0] * self.dims, 0, 0, *[1] * self.dims)], mode=mode)
            self.value = self.node("Conv", [padded, weights], **sizes)
            self.shape = [1, outputs, *((n + 1 - 3) // 2 + 1 for n in self.shape[2:])]
        self.norm()
        self.act()

    # --- a network ---

    def stem(self):
        n = self.shape[1]
        if self.chance(0.3):
            self.value = self.node("Div", [self.node("Sub", [self.value, self.f32(self.rng.normal(0, 0.3, [1, n, *[1] * self.dims]))]),
                                           self.f32(self.rng.uniform(0.5, 1.5, [1, n, *[1] * self.dims]))])
        elif self.chance(0.2):
            self.value = self.node("Mul", [self.value, self.f32(0.75)])
        self.unit(self.size(), 3)

    def flatten(self):
        count = int(np.prod(self.shape[1:]))
        form = self.pick("flatten", "reshape", "shape", "zero")
        if form == "flatten":
            self.value = self.node("Flatten", [self.value], axis=1)
        else:
            target = {"reshape": self.i64(1, -1), "zero": self.i64(0, -1)}.get(form) or self.shape_by_nodes((0,), -1)
            self.value = self.node("Reshape", [self.value, target])
        self.shape = [1, count]

    def head(self):
        form = self.pick("mean", "mean_keras", "flatten", "both", "map")
        axes = list(range(2, len(self.shape)))
        if form == "map":
            self.filter(int(self.rng.integers(1, 4)))
            if self.chance(0.5):
                self.value = self.function(of="Sigmoid")
            return
        if form == "mean":
            self.value = self.node("GlobalAveragePool", [self.value])
            self.shape = [1, self.shape[1]] + [1] * self.dims
        elif form == "mean_keras":
            self.value = self.reduce("ReduceMean", self.value, axes, 0)
            self.shape = [1, self.shape[1]]
        elif form == "both":
            parts = [(self.node(op, [self.value]), [1, self.shape[1]] + [1] * self.dims) for op in ("GlobalAveragePool", "GlobalMaxPool")]
            self.concat(parts)
        if len(self.shape) > 2:
            self.flatten()
        if self.chance(0.3):
            self.dense()
            self.act()
        self.dense()
        if self.chance(0.3):
            self.value = self.node("Softmax", [self.value], axis=-1)

    BLOCKS = (residual, residual, inverted, inverted, squeeze_excite, channel_attention, spatial_attention, shuffle, halves, inception, pyramid_pool,
              dense_block, dilated, down_and_up, gated, causal, focus, pixel_shuffle, maxout, mixer, channels_last, same_padding)

    def build(self):
        self.act_of = self.pick("Relu", "Relu", "Relu", "relu6", "relu6_min_max", "LeakyRelu", "leaky_max", "HardSwish", "hardswish_spelled", "SiLU",
                                "PRelu", "Elu")
        self.with_norm = self.chance(0.6)
        self.stem()
        for _ in range(int(self.rng.integers(1, 4))):
            if min(self.shape[2:]) < 3 or int(np.prod(self.shape)) > 1200:
                break
            self.pick(*self.BLOCKS)(self)
        self.head()


def float_model(seed):
    network = Blocks(np.random.default_rng([seed, 9]))
    network.build()
    return network.model(), network.inputs


def ort_settings(rng, model):
    """Settings of ONNX Runtime's quantizer that random_models.py does not use, for some of the networks."""
    pick = lambda *options: options[int(rng.integers(0, len(options)))]
    opset = model.opset_import[0].version
    chosen = random_models.ort_settings(rng, model)
    convolutions = [node.name for node in model.graph.node if node.op_type == "Conv"]
    if rng.random() < 0.15:
        chosen["calibrate_method"] = CalibrationMethod.Entropy
    if rng.random() < 0.1 and len(convolutions) > 1:
        chosen["nodes_to_exclude"] = [convolutions[-1]]
    if rng.random() < 0.1:
        chosen["op_types_to_quantize"] = ["Conv", "MatMul", "Gemm", "Add", "Mul", "Relu", "Clip"]
    if chosen["quant_format"] == QuantFormat.QDQ:
        for key, chance in (("QuantizeBias", 0.1), ("AddQDQPairToWeight", 0.1)):
            if rng.random() < chance:
                chosen["extra_options"][key] = key != "QuantizeBias"
        if opset >= 21 and rng.random() < 0.3:
            chosen["weight_type"] = pick(QuantType.QInt4, QuantType.QInt16) if chosen["activation_type"] == QuantType.QInt16 else QuantType.QInt4
    return chosen


class Products(Blocks):
    """Networks whose quantizers are at the inputs of products only, as TensorRT's explicit form has them: between these values are sums, moved,
    joined, pooled and compared, and functions of them."""

    def residual_chain(self):
        """A trunk that no quantizer touches: layers read it, and their results are added to it."""
        trunk, shape = self.value, list(self.shape)
        for _ in range(int(self.rng.integers(1, 4))):
            self.value, self.shape = trunk, list(shape)
            self.unit(shape[1], self.pick(1, 3))
            self.filter(shape[1], self.pick(1, 3), bias=self.chance(0.5))
            self.add(trunk, self.value)
            if self.chance(0.6):
                self.act()
            trunk = self.value

    def joined_sums(self):
        """Sums of several layers, of scales of their own, follow each other, and are read twice."""
        self.concat(self.from_here(*[lambda: self.unit(self.size() // 2 + 1, self.pick(1, 3), act=self.chance(0.5))] * int(self.rng.integers(2, 4))))
        if self.chance(0.5):
            self.concat(self.from_here(lambda: None, lambda: self.unit(2, 3)))

    def pooled_functions(self):
        self.unit(self.size(), self.pick(1, 3), act=False)
        if self.chance(0.7):
            self.value = self.function(of=self.pick("Relu", "LeakyRelu", "Elu", "HardSwish", "Tanh", "Sigmoid"))
        self.pool(self.pick("MaxPool", "AveragePool"))

    def moved_sums(self):
        """Parts of sums, or sums in another order, before functions and layers read them."""
        if self.chance(0.5):
            self.filter(4, 3)
            a, b = self.split_in(self.value, 1, [2, 2])
            self.shape[1] = 2
            self.value = self.node("Mul", [self.node("Tanh", [a]), self.node("Sigmoid", [b])]) if self.chance(0.3) else self.node("Add", [a, b])
        else:
            self.unit(self.size(), 3)
            axis = int(self.rng.integers(2, len(self.shape)))
            self.value = self.slice(self.value, axis, 0, self.shape[axis] - 1)
            self.shape[axis] -= 1

    BLOCKS = (residual_chain, residual_chain, joined_sums, joined_sums, pooled_functions, moved_sums, Blocks.residual, Blocks.inverted,
              Blocks.halves, Blocks.inception, Blocks.dense_block, Blocks.down_and_up, Blocks.squeeze_excite)


class ProductsOnly:
    """The source of such networks, in the place of this module."""

    FORMS = ("ort",)

    @staticmethod
    def float_model(seed):
        network = Products(np.random.default_rng([seed, 11]))
        network.build()
        return network.model(), network.inputs

    @staticmethod
    def ort_settings(rng, model):
        pick = lambda *options: options[int(rng.integers(0, len(options)))]
        products = ["Conv", "ConvTranspose", "MatMul", "Gemm"]
        extra = {"OpTypesToExcludeOutputQuantization": products, "QuantizeBias": bool(rng.random() < 0.3), "WeightSymmetric": True,
                 "ActivationSymmetric": bool(rng.random() < 0.6)}
        chosen = dict(quant_format=QuantFormat.QDQ, activation_type=pick(QuantType.QInt8, QuantType.QInt8, QuantType.QUInt8),
                      weight_type=QuantType.QInt8, per_channel=bool(rng.random() < 0.5) and model.opset_import[0].version > 12, extra_options=extra)
        if rng.random() < 0.75:
            chosen["op_types_to_quantize"] = products
        return chosen
