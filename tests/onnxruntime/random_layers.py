"""Layers for random_models.py after what strangers' networks broke: a tensor beside a move of itself, gates of means and of products,
products with constants on the left, reductions before moves, many branches, weights that are put together, windows of few positions."""

import numpy as np


class Layers:
    """The forms of operators that changed with the opset, and layers made of several operators. Network (random_models.py) has the rest."""

    def integers(self, *numbers):
        return self.constant(np.array(numbers, np.int64), "i")

    # --- operators whose form depends on the opset ---

    def reshape(self, value, shape):
        return self.node("Reshape", [value, self.integers(*shape)])

    def unsqueeze(self, value, *axes):
        if self.opset < 13:
            return self.node("Unsqueeze", [value], axes=list(axes))
        return self.node("Unsqueeze", [value, self.integers(*axes)])

    def squeeze(self, value, *axes):
        if self.opset < 13:
            return self.node("Squeeze", [value], axes=list(axes))
        return self.node("Squeeze", [value, self.integers(*axes)])

    def reduce(self, op, value, axes, keepdims=1):
        if self.opset >= (13 if op == "ReduceSum" else 18):
            return self.node(op, [value, self.integers(*axes)], keepdims=keepdims)
        return self.node(op, [value], axes=list(axes), keepdims=keepdims)

    def slice(self, value, axis, start, end, step=1):
        return self.node("Slice", [value] + [self.integers(n) for n in (start, end, axis, step)])

    def split_in(self, value, axis, sizes):
        if self.opset < 13:
            return self.node("Split", [value], len(sizes), axis=axis, split=list(sizes))
        return self.node("Split", [value, self.integers(*sizes)], len(sizes), axis=axis)

    def upscale(self, value, mode):
        scales = self.constant(np.array([1, 1] + [2] * (len(self.shape) - 2), np.float32))
        empty = self.constant(np.array([], np.float32)) if self.opset < 13 else ""
        return self.node("Resize", [value, empty, scales], mode="nearest", coordinate_transformation_mode=mode[0], nearest_mode=mode[1])

    def left_product(self, value, shape):
        """Constant @ value, which mixes the positions of the axis before the last; and the result's shape."""
        outputs = int(self.rng.integers(2, 7))
        return self.node("MatMul", [self.constant(self.weights(outputs, shape[-2]), "w"), value]), [*shape[:-2], outputs, shape[-1]]

    # --- a tensor beside a move of itself ---

    def moved(self):
        """Another tensor of the same shape that is made of the same elements, or one that broadcasts to it."""
        rank, shape, value = len(self.shape), self.shape, self.value
        kind = self.pick("transpose", "reverse", "roll", "reshape", "pad", "twice", "row", "mean", "product")
        axis = int(self.rng.integers(1, rank))
        if kind == "transpose" and rank > 2:
            perm = [0, *(1 + self.rng.permutation(rank - 1))]
            moved = self.node("Transpose", [value], perm=[int(p) for p in perm])
            return moved if [shape[p] for p in perm] == shape else self.reshape(moved, shape)
        if kind == "reshape":
            order = [1, *shape[:0:-1]]
            return self.reshape(self.node("Transpose", [self.reshape(value, order)], perm=[0, *range(rank - 1, 0, -1)]), shape)
        if kind == "roll" and shape[axis] > 1:
            at = int(self.rng.integers(1, shape[axis]))
            return self.node("Concat", [self.slice(value, axis, at, shape[axis]), self.slice(value, axis, 0, at)], axis=axis)
        if kind == "pad" and shape[axis] > 1:
            pads = [0] * 2 * rank
            pads[axis] = 1
            return self.node("Pad", [self.slice(value, axis, 0, shape[axis] - 1), self.integers(*pads), self.constant(np.float32(0))])
        if kind == "row" and shape[axis] > 1:
            at = int(self.rng.integers(0, shape[axis]))
            return self.slice(value, axis, at, at + 1)
        if kind == "mean":
            return self.reduce(self.pick("ReduceMean", "ReduceMax"), value, [axis])
        if kind == "product" and rank == 3:
            other = self.node("MatMul", [self.constant(self.weights(shape[1], shape[1]), "w"), value])
            return self.node("Tanh", [other]) if self.chance(0.4) else other
        if kind == "twice":
            return self.squeeze(self.unsqueeze(value, 1), 1)
        return self.node("Gather", [value, self.constant(np.arange(shape[axis])[::-1].astype(np.int64))], axis=axis)

    def with_move(self):
        op = self.pick("Add", "Mul", "Sub", "Max") if self.opset >= 12 else self.pick("Add", "Mul", "Sub")
        other = self.moved()
        if self.chance(0.3):
            other = self.function(other, self.pick("Relu", "Sigmoid", "Tanh", "HardSigmoid"))
        self.value = self.node(op, self.pick([self.value, other], [other, self.value]))

    def outer(self):
        """x[:, None] op x[None, :] of a flat tensor, both ways to write it."""
        if len(self.shape) != 2 or self.shape[1] > 12:
            return
        n, wide = self.shape[1], self.chance(0.5)
        column = self.unsqueeze(self.value, 2) if wide else self.reshape(self.value, [1, n, 1])
        row = self.unsqueeze(self.value, 1)
        if self.chance(0.4):
            row = self.function(row, self.pick("Relu", "Sigmoid"))
        self.value, self.shape = self.node(self.pick("Add", "Mul", "Sub"), self.pick([column, row], [row, column])), [1, n, n]

    # --- gates ---

    def gate(self):
        """x times a function of what a dense layer over time or positions, or one on the mean, computes."""
        op = self.pick("Sigmoid", "HardSigmoid", "Tanh")
        last = self.shape[-1]
        of = self.pick("dense", "left", "mean", "max")
        if len(self.shape) == 2 or of == "dense":
            gate = self.node("MatMul", [self.value, self.constant(self.weights(last, last).T.copy(), "w")])
            if self.chance(0.5):
                gate = self.node("Add", [gate, self.constant(self.rng.normal(0, 0.3, last).astype(np.float32), "b")])
        elif of == "left" and len(self.shape) == 3:
            gate = self.node("MatMul", [self.constant(self.weights(self.shape[1], self.shape[1]), "w"), self.value])
        else:
            channels, spatial = self.shape[1], list(range(2, len(self.shape)))
            mean = self.reduce("ReduceMax" if of == "max" else "ReduceMean", self.value, spatial)
            weights = self.weights(channels, channels, *[1] * len(spatial))
            gate = self.node("Conv", [mean, self.constant(weights, "w"), self.constant(self.rng.normal(0, 0.3, channels).astype(np.float32), "b")])
        self.value = self.node("Mul", self.pick([self.value, g := self.node(op, [gate])], [g, self.value]))

    def left(self):
        """A product with a constant on the left, and a function or a quantizer behind."""
        if len(self.shape) != 3:
            return
        self.value, self.shape = self.left_product(self.value, self.shape)
        if self.chance(0.5):
            self.value = self.function(self.value, self.pick("Relu", "Sigmoid", "Tanh", "HardSwish" if self.opset > 13 else "Clip"))

    # --- reductions before moves ---

    def reduce_and_move(self):
        rank = len(self.shape)
        if rank < 3:
            return
        axis = int(self.rng.integers(1, rank))
        self.value = self.reduce(self.pick("ReduceMean", "ReduceMax", "ReduceSum"), self.value, [axis])
        self.shape[axis] = 1
        other = 1 if axis != 1 and self.shape[1] > 1 else max(range(1, rank), key=lambda i: self.shape[i])
        n = self.shape[other]
        kind = self.pick("slice", "split", "pad", "concat")
        if kind == "slice" and n > 1:
            self.value = self.slice(self.value, other, 1, n)
            self.shape[other] = n - 1
        elif kind == "split" and n > 1:
            a, b = self.split_in(self.value, other, [n // 2, n - n // 2])
            self.value = self.node("Concat", [b, self.node("Relu", [a])], axis=other)
        elif kind == "pad":
            pads = [0] * 2 * rank
            pads[other], pads[rank + other] = 1, int(self.rng.integers(0, 2))
            self.value = self.node("Pad", [self.value, self.integers(*pads), self.constant(np.float32(self.pick(0, 0.5)))])
            self.shape[other] += sum(pads)
        else:
            self.value = self.node("Concat", [self.value, self.node("Neg", [self.value])], axis=other)
            self.shape[other] *= 2

    # --- others ---

    def many_branches(self):
        """A Concat of 16 and more, some of them the same tensor."""
        value, channels = self.value, self.shape[1]
        if len(self.shape) < 3 or int(np.prod(self.shape)) > 400:
            return
        parts = []
        for _ in range(int(self.rng.integers(16, 20))):
            kind = self.pick("conv", "conv", "function", "same")
            part = value
            if kind == "conv":
                part = self.node("Conv", [value, self.constant(self.weights(1, channels, *[1] * (len(self.shape) - 2)), "w")])
            elif kind == "function":
                part = self.node(self.pick("Relu", "Sigmoid"), [value])
            if kind == "conv" and self.chance(0.3):
                part = self.node("Relu", [part])
            parts.append((part, 1 if kind == "conv" else channels))
        self.value = self.node("Concat", [part for part, _ in parts], axis=1)
        self.shape[1] = sum(count for _, count in parts)

    def weights_of_parts(self):
        """A dense layer whose weights are a Concat of constants."""
        features, outputs = self.shape[-1], int(self.rng.integers(2, 7))
        parts = [self.constant(self.weights(outputs, features).T.copy(), "w") for _ in range(2)]
        self.value = self.node("MatMul", [self.value, self.node("Concat", parts, axis=1)])
        self.shape = [*self.shape[:-1], 2 * outputs]

    def prelu_between(self):
        for last in (False, True):
            outputs, ones = int(self.rng.integers(1, 6)), [1] * (len(self.shape) - 2)
            self.value = self.node("Conv", [self.value, self.constant(self.weights(outputs, self.shape[1], *ones), "w"),
                                            self.constant(self.rng.normal(0, 0.3, outputs).astype(np.float32), "b")])
            self.shape[1] = outputs
            if not last:
                self.value = self.function(self.value, "PRelu")

    def ceil_pool(self):
        """Windows that begin in the padding or go beyond the end."""
        sizes = self.shape[2:]
        kernel = [int(min(self.rng.integers(2, 4), n)) for n in sizes]
        stride = [int(self.rng.integers(1, 4)) for _ in sizes]
        begin, end = ([int(self.rng.integers(0, k // 2 + 1)) for k in kernel] for _ in range(2))
        counts = [-(-(n + b + e - k) // s) for n, k, s, b, e in zip(sizes, kernel, stride, begin, end)]
        if any(count * s >= n + b for count, s, n, b in zip(counts, stride, sizes, begin)):
            return  # ONNX and ONNX Runtime disagree on windows that begin in the padding behind
        out = [count + 1 for count in counts]
        op = self.pick("MaxPool", "AveragePool")
        extra = {"count_include_pad": int(self.chance(0.6))} if op == "AveragePool" else {}
        self.value = self.node(op, [self.value], kernel_shape=kernel, strides=stride, pads=begin + end, ceil_mode=1, **extra)
        self.shape = [*self.shape[:2], *out]

    def second_input(self):
        """An input of its own, through a layer, joined with what there is."""
        if len(self.inputs) > 2:
            return
        name, shape = f"x{len(self.inputs)}", list(self.shape)
        self.inputs[name] = shape
        other = name
        if len(shape) > 2 and self.chance(0.7):
            other = self.node("Conv", [name, self.constant(self.weights(shape[1], shape[1], *[1] * (len(shape) - 2)), "w")])
        kind = self.pick("Add", "Mul", "Concat")
        if kind == "Concat":
            self.value, self.shape[1] = self.node("Concat", [self.value, other], axis=1), 2 * shape[1]
        else:
            self.value = self.node(kind, [self.value, other])

    def move_last(self):
        """Nothing but moves at the end."""
        if len(self.shape) == 4 and self.shape[1] % 4 == 0 and self.chance(0.5):
            self.value = self.node("DepthToSpace", [self.value], blocksize=2, mode=self.pick("DCR", "CRD"))
            self.shape = [1, self.shape[1] // 4, 2 * self.shape[2], 2 * self.shape[3]]
        elif len(self.shape) == 4 and int(np.prod(self.shape)) < 400:
            self.value = self.upscale(self.value, self.pick(("asymmetric", "floor"), ("half_pixel", "round_prefer_floor")))
            self.shape = [*self.shape[:2], 2 * self.shape[2], 2 * self.shape[3]]
        elif len(self.shape) > 2:
            perm = [0, *range(2, len(self.shape)), 1]
            self.value = self.node("Transpose", [self.value], perm=perm)
            self.shape = [self.shape[p] for p in perm]
        if self.chance(0.3):
            self.value = self.function(self.value, self.pick("Relu", "Sigmoid"))
