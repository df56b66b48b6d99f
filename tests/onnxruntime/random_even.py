"""Random networks in which each operator that becomes hardware comes as often as any other: the third source of random_run.py, for those that the
layers of random_models.py and the blocks of random_blocks.py seldom or never take. A network is a function of its seed alone."""

import numpy as np

import random_models
from random_models import FORMS, ort_settings  # the module stands for random_models

# Functions of one number, and to what their argument is brought before: anything, small, positive, inside -1 to 1, above 1.
FUNCTIONS = {
    "Exp": "small", "Sqrt": "positive", "Reciprocal": "positive", "Log": "positive", "Sign": "any", "Floor": "any", "Ceil": "any", "Round": "any", "Selu": "any",
    "Softsign": "any", "Celu": "any", "ThresholdedRelu": "any", "Mish": "any", "Sin": "any", "Cos": "any", "Tan": "inside", "Asin": "inside", "Acos": "inside",
    "Atan": "any", "Sinh": "small", "Cosh": "small", "Asinh": "any", "Acosh": "above", "Atanh": "inside", "Shrink": "any", "Erf": "any", "Softplus": "any",
    "Elu": "any", "Gelu": "any", "HardSwish": "any", "Abs": "any", "Neg": "any", "HardSigmoid": "any", "LeakyRelu": "any", "Sigmoid": "any", "Tanh": "any",
}
SINCE = {"Mish": 18, "Gelu": 20, "HardSwish": 14, "LessOrEqual": 12, "GreaterOrEqual": 12, "Celu": 12}
ATTRIBUTES = {"Celu": {"alpha": 0.7}, "ThresholdedRelu": {"alpha": 0.4}, "Shrink": {"lambd": 0.3, "bias": 0.1}, "Elu": {"alpha": 0.8}, "LeakyRelu": {"alpha": 0.2}}
COMPARISONS = ["Greater", "Less", "Equal", "GreaterOrEqual", "LessOrEqual"]
PAIRS = ["Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Mod"]
OTHERS = ["Where", "And", "Or", "Xor", "Not", "Cast", "IsNaN", "IsInf", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "SpaceToDepth", "DepthToSpace", "Tile", "Expand",
          "Gather", "Slice", "Pad", "Transpose", "Concat", "Split", "Resize", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "BatchNormalization",
          "PRelu", "Clip", "ConvTranspose"]
LAST = ["ArgMax", "ArgMin", "TopK"]


class Even(random_models.Network):
    def layer(self):
        """A convolution or a dense layer, so that what is tried stands between products."""
        self.conv() if len(self.shape) > 2 and self.chance(0.7) else self.dense()

    def number(self, low, high, by_channel=0.3):
        size = [self.shape[1], *[1] * (len(self.shape) - 2)] if self.chance(by_channel) else []
        return self.constant(self.rng.uniform(low, high, size).astype(np.float32))

    def brought(self, to):
        one = self.constant(np.float32(1.1))
        if to == "small":
            return self.node("Tanh", [self.value])
        if to == "inside":
            return self.node("Mul", [self.node("Tanh", [self.value]), self.constant(np.float32(0.9))])
        if to == "positive":
            return self.node("Add", [self.node("Sigmoid", [self.value]), self.constant(np.float32(0.1))])
        return self.node("Add", [self.node("Softplus", [self.value]), one]) if to == "above" else self.value

    def other(self):
        """A constant, or another function of the tensor."""
        return self.number(0.3, 1.5) if self.chance(0.5) else self.function(of=self.pick("Relu", "Sigmoid", "Tanh"))

    def condition(self, op=None):
        op = op or self.pick(*COMPARISONS)
        value = self.value
        if op == "Equal":  # of numbers that are equal at times
            value = self.node("Round", [value])
            return self.node("Equal", [value, self.constant(np.float32(self.pick(0, 1, -1)))])
        if SINCE.get(op, 0) > self.opset:
            op = "Greater"
        return self.node(op, [value, self.number(-0.5, 0.5) if self.chance(0.6) else self.function(of="Sigmoid")])  # with itself, cut off, it would be a tie

    def choose(self, condition):
        """What a condition becomes: a choice, or zeros and ones."""
        if self.chance(0.6):
            return self.node("Where", [condition, *self.pick([self.value, self.other()], [self.other(), self.value])])
        return self.node("Cast", [condition], to=1)

    def pair(self, op):
        if op == "Pow":
            base, exponent = self.pick(("any", 2.0), ("any", 3.0), ("positive", 0.5), ("positive", 1.5), ("positive", -1.0))
            return self.node("Pow", [self.brought(base), self.constant(np.float32(exponent))])
        if op == "Mod":
            return self.node("Mod", [self.value, self.constant(np.float32(self.pick(0.5, 1, 0.75)))], fmod=1)
        if op == "Div":
            return self.node("Div", [self.value, self.number(0.4, 2) if self.chance(0.6) else self.brought("positive")])
        if op in ("Max", "Min") and self.opset < 12:
            op = "Add"
        return self.node(op, self.pick([self.value, other := self.other()], [other, self.value]))

    def fold(self, op):
        rank, shape = len(self.shape), self.shape
        axis = int(self.rng.integers(1, rank))
        if op in ("And", "Or", "Xor"):
            return self.choose(self.node(op, [self.condition(), self.condition()]))
        if op in ("Not", "Where"):
            condition = self.condition()
            return self.choose(self.node("Not", [condition]) if op == "Not" else condition)
        if op == "Cast":
            return self.node("Cast", [self.node("Cast", [self.node("Mul", [self.value, self.constant(np.float32(4))])], to=6)], to=1)
        if op in ("IsNaN", "IsInf"):
            return self.node("Add", [self.value, self.node("Cast", [self.node(op, [self.value])], to=1)])
        if op.startswith("Reduce"):
            value = self.reduce(op, self.value, [axis])
            if self.chance(0.5):  # for all positions
                return self.node(self.pick("Add", "Mul", "Sub"), [self.value, value])
            shape[axis] = 1
            return value
        if op == "Tile" and int(np.prod(shape)) < 300:
            times = [2 if i == axis else 1 for i in range(rank)]
            shape[axis] *= 2
            return self.node("Tile", [self.value, self.integers(*times)])
        if op == "Expand" and rank > 2:
            mean = self.reduce("ReduceMean", self.value, list(range(2, rank)))
            return self.node("Expand", [mean, self.integers(*shape)])
        if op == "SpaceToDepth" and rank == 4 and shape[2] % 2 == 0 and shape[3] % 2 == 0:
            self.shape = [1, 4 * shape[1], shape[2] // 2, shape[3] // 2]
            return self.node("SpaceToDepth", [self.value], blocksize=2)
        if op == "DepthToSpace" and rank == 4 and shape[1] % 4 == 0:
            self.shape = [1, shape[1] // 4, 2 * shape[2], 2 * shape[3]]
            return self.node("DepthToSpace", [self.value], blocksize=2, mode=self.pick("DCR", "CRD"))
        if op == "Gather":
            return self.node("Gather", [self.value, self.constant(self.rng.permutation(shape[axis]).astype(np.int64))], axis=axis)
        if op == "Slice" and shape[axis] > 2:
            shape[axis] -= 1
            return self.slice(self.value, axis, 1, shape[axis] + 1)
        if op == "Pad":
            pads = [0] * 2 * rank
            pads[axis], pads[rank + axis] = 1, int(self.rng.integers(0, 2))
            shape[axis] += sum(pads)
            return self.node("Pad", [self.value, self.integers(*pads), self.constant(np.float32(self.pick(0, 0.5, -1)))])
        if op == "Transpose" and rank > 2:
            perm = [0, *(int(1 + p) for p in self.rng.permutation(rank - 1))]
            self.shape = [shape[p] for p in perm]
            return self.node("Transpose", [self.value], perm=perm)
        if op == "Concat":
            shape[axis] *= 2
            return self.node("Concat", [self.value, self.function(of=self.pick("Relu", "Neg", "Sigmoid"))], axis=axis)
        if op == "Split" and shape[axis] > 1:
            first = int(self.rng.integers(1, shape[axis]))
            a, b = self.split_in(self.value, axis, [first, shape[axis] - first])
            return self.node("Concat", [b, a], axis=axis)
        if op == "Resize" and rank == 4 and int(np.prod(shape)) < 300:
            self.shape = [*shape[:2], 2 * shape[2], 2 * shape[3]]
            return self.upscale(self.value, ("asymmetric", "floor"))
        if op in ("GlobalAveragePool", "GlobalMaxPool") and rank > 2:
            return self.node("Add", [self.value, self.node(op, [self.value])])
        if op == "PRelu":
            return self.function(of="PRelu")
        if op == "Clip":
            return self.node("Clip", [self.value, self.constant(np.float32(-0.5)), self.constant(np.float32(self.pick(0.75, 2)))])
        return None

    def take(self, op):
        """One step with this operator; False: the tensor's shape does not let it."""
        if SINCE.get(op, 0) > self.opset:
            return False
        if op in FUNCTIONS:
            value = self.node(op, [self.brought(FUNCTIONS[op])], **ATTRIBUTES.get(op, {}))
        elif op in PAIRS:
            value = self.pair(op)
        elif op in COMPARISONS:
            value = self.choose(self.condition(op))
        elif op in ("MaxPool", "AveragePool", "ConvTranspose", "BatchNormalization"):
            if len(self.shape) < 3 or int(np.prod(self.shape)) > 300:
                return False
            if op == "ConvTranspose":
                self.transposed_conv()
            elif op == "BatchNormalization":
                n = self.shape[1]
                numbers = [self.rng.uniform(0.5, 1.5, n), self.rng.normal(0, 0.3, n), self.rng.normal(0, 0.3, n), self.rng.uniform(0.5, 1.5, n)]
                self.value = self.node(op, [self.value] + [self.constant(each.astype(np.float32), "n") for each in numbers])
            else:
                self.pool()
            return True
        else:
            value = self.fold(op)
        if value is None:
            return False
        self.value = value
        return True

    def ending(self, op):
        axis = len(self.shape) - 1
        if op == "TopK":
            k = self.constant(np.array([min(3, self.shape[axis])], np.int64))
            self.value, _ = self.node("TopK", [self.value, k], 2, axis=axis)
            self.shape[axis] = min(3, self.shape[axis])
        else:
            self.value = self.node("Cast", [self.node(op, [self.value], axis=axis, keepdims=1)], to=1)
            self.shape[axis] = 1


def float_model(seed):
    rng = np.random.default_rng([seed, 6])
    network = Even(rng, ["dense", "1d", "2d"][int(rng.integers(0, 3))])
    operators = [*FUNCTIONS, *PAIRS, *COMPARISONS, *OTHERS]
    network.layer()
    for _ in range(int(rng.integers(2, 5))):
        for op in rng.permutation(operators)[:8]:
            if network.take(str(op)):
                break
        if int(np.prod(network.shape)) > 1500 and len(network.shape) > 2:
            network.pool()
        if network.chance(0.7):
            network.layer()
    if network.chance(0.15):
        network.ending(network.pick(*LAST))
    return network.model(), network.inputs
