"""Random networks with quantizers of their own: types, scales and zero points that no tool would choose so and every file may have, at the inputs
of products and anywhere else; some as ONNX Runtime saves them after its optimizations. The fourth source of random_run.py. A network is a function
of its seed alone."""

import os

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import random_blocks
import random_models
from random_models import ort_settings  # noqa: F401: the module stands for random_models

FORMS = ("own", "own", "saved")
TYPES = {"u8": (TensorProto.UINT8, 0, 255), "s8": (TensorProto.INT8, -128, 127), "u16": (TensorProto.UINT16, 0, 65535),
         "s16": (TensorProto.INT16, -32768, 32767), "u4": (TensorProto.UINT4, 0, 15), "s4": (TensorProto.INT4, -8, 7)}
PRODUCTS = ("Conv", "ConvTranspose", "Gemm", "MatMul")
SHARES = {"everywhere": 1.0, "mixed": 0.65, "sparse": 0.3, "products": 0.0}  # of the values that have a quantizer


def float_model(seed):
    return (random_blocks if seed % 2 else random_models).float_model(seed)


def session(model, level, path=None):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = level
    if path is not None:
        options.optimized_model_filepath = path
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def elements(model):
    """Element types by value."""
    inferred = onnx.shape_inference.infer_shapes(model).graph
    return {value.name: value.type.tensor_type.elem_type for value in [*inferred.input, *inferred.value_info, *inferred.output]}


def ranges(model, inputs, seed):
    """The least and the largest of each value of real numbers, zero among them."""
    types, whole = elements(model), onnx.ModelProto()
    whole.CopyFrom(model)
    names = [name for node in model.graph.node for name in node.output if types.get(name) == TensorProto.FLOAT]
    del whole.graph.output[:]
    whole.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    run, data, found = session(whole, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL), random_models.frames(seed + 7, inputs, 6), {}
    for i in range(6):
        feed = {name: array[i:i + 1] for name, array in data.items()}
        for name, values in [*zip(names, run.run(names, feed)), *feed.items()]:
            low, high = found.get(name, (0.0, 0.0))
            found[name] = min(low, float(values.min(initial=0))), max(high, float(values.max(initial=0)))
    return found


class Quantizers:
    def __init__(self, seed, model, inputs):
        self.rng = np.random.default_rng([seed, 13])
        self.model, self.graph, self.opset = model, model.graph, model.opset_import[0].version
        self.types, self.range = elements(model), ranges(model, inputs, seed)
        self.constants = {constant.name: numpy_helper.to_array(constant) for constant in self.graph.initializer}
        self.nodes, self.added, self.behind = [], [], {}
        has_products = any(node.op_type in PRODUCTS for node in self.graph.node)
        self.style = self.pick("everywhere", "everywhere", "mixed", "sparse", "products") if has_products else "everywhere"
        self.base = self.pick("u8", "u8", "s8", "s8", "both")
        self.wide, self.powers = self.opset >= 21 and self.chance(0.15), self.chance(0.2)

    def pick(self, *options):
        return options[int(self.rng.integers(0, len(options)))]

    def chance(self, p):
        return self.rng.random() < p

    def constant(self, values, dtype=TensorProto.FLOAT):
        array = np.asarray(values)
        name = f"own{len(self.added)}"
        numbers = array.astype(np.float32 if dtype == TensorProto.FLOAT else np.int64)
        self.added.append(helper.make_tensor(name, dtype, array.shape, numbers.ravel().tolist()))
        return name

    def node(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def power(self, scale):
        return 2.0 ** np.ceil(np.log2(scale)) if self.powers else scale

    def activation(self, value):
        """A pair of quantizers of the value; its zero point may be any code."""
        other = self.pick("u8", "s8")
        kind = self.pick("u16", "s16") if self.wide and self.chance(0.4) else other if self.base == "both" or self.chance(0.05) else self.base
        dtype, least, most = TYPES[kind]
        low, high = self.range.get(value, (-1.0, 1.0))
        scale = self.power(max(high - low, 1e-3) * self.pick(1, 1, 1, 1.2, 0.6, 3) / (most - least))
        zero = int(np.clip(round(least - low / scale), least, most))
        zero = self.pick(zero, zero, (least + most + 1) // 2, int(self.rng.integers(least, most + 1)))
        parameters = [self.constant(scale), self.constant(zero, dtype)]
        if zero == 0 and kind == "u8" and self.chance(0.3):
            del parameters[1]
        name = f"{value}_{len(self.added)}"
        codes = self.node("QuantizeLinear", [value, *parameters], name + "_codes")
        return self.node("DequantizeLinear", [codes, *parameters], name + "_numbers")

    def axis_of(self, node, name):
        """The axis of weights along which they have scales; None: one scale."""
        rank = self.constants[name].ndim
        by_rows = any(a.name == "transB" and a.i for a in node.attribute)
        if rank < 2 or self.opset < 13 or node.op_type == "ConvTranspose" or not self.chance(0.45):
            return None
        if node.op_type == "MatMul":
            return rank - 1 if rank == 2 and node.input[1] == name else None
        return 0 if node.op_type == "Conv" or by_rows else 1

    def weights(self, node, name):
        """Codes of the weights behind a dequantizer, or behind both."""
        numbers = self.constants[name].astype(np.float64)
        kind = self.pick("s4", "u4", "s16") if self.opset >= 21 and self.chance(0.25) else self.pick("s8", "s8", "s8", "u8")
        dtype, least, most = TYPES[kind]
        axis = self.axis_of(node, name)
        others = None if axis is None else tuple(i for i in range(numbers.ndim) if i != axis)
        largest = np.maximum(np.abs(numbers).max(axis=others), 1e-4)
        scale = np.asarray(self.power(largest * (1 if least else 2) / most), np.float32)
        off = int(self.rng.integers(-3, 4)) if axis is None and self.chance(0.3) else 0
        zero = np.zeros(scale.shape, np.int64) + (0 if least else (most + 1) // 2) + off
        along = lambda p: p if axis is None else p.reshape([-1 if i == axis else 1 for i in range(numbers.ndim)])
        codes = np.clip(np.rint(numbers / along(scale)) + along(zero), least, most)
        parameters = [self.constant(scale), self.constant(zero, dtype)]
        attributes = {} if axis is None else {"axis": self.pick(axis, axis - numbers.ndim)}
        made = f"{name}_{len(self.added)}"
        if self.chance(0.15):
            source = self.node("QuantizeLinear", [name, *parameters], made + "_codes", **attributes)
        else:
            source = self.constant(codes, dtype)
        return self.node("DequantizeLinear", [source, *parameters], made + "_numbers", **attributes)

    def operand(self, node, index):
        name, product = node.input[index], node.op_type in PRODUCTS
        if name in self.constants:
            if product and (index == 1 or node.op_type == "MatMul"):
                if name not in self.behind or self.chance(0.3):
                    self.behind[name] = self.weights(node, name)
                return self.behind[name]
            array = self.constants[name]
            real = array.dtype == np.float32 and array.size > 0
            if index < 2 and real and node.op_type in ("Add", "Mul", "Sub", "Concat", "PRelu", "Max") and self.chance(0.3):
                self.range[name] = float(array.min(initial=0)), float(array.max(initial=0))
                return self.activation(name)
            return name
        if product and index < 2 and name not in self.behind:
            self.behind[name] = self.activation(name)
        found = self.behind.get(name, name)
        again = name in self.behind and self.style != "products" and self.types.get(name) == TensorProto.FLOAT and self.chance(0.05)
        return self.activation(found) if again else found

    def put(self):
        results = {value.name for value in self.graph.output}
        for value in self.graph.input:
            if self.style != "products" and self.chance(0.95):
                self.behind[value.name] = self.activation(value.name)
        for old in list(self.graph.node):
            node = onnx.NodeProto()
            node.CopyFrom(old)
            if any(name and name not in self.constants for name in old.input):
                node.input[:] = [self.operand(old, i) if name else "" for i, name in enumerate(old.input)]
            else:
                self.types.update({name: None for name in old.output})  # of constants alone
            self.nodes.append(node)
            for name in old.output:
                if name and name not in results and self.types.get(name) == TensorProto.FLOAT and self.chance(SHARES[self.style]):
                    self.behind[name] = self.activation(name)
        del self.graph.node[:], self.graph.value_info[:]
        self.graph.node.extend(self.nodes)
        read = {name for node in self.nodes for name in node.input}
        kept = [constant for constant in [*self.graph.initializer, *self.added] if constant.name in read]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)
        onnx.checker.check_model(self.model)
        return self.model, f"{self.style} {self.base}{' wide' if self.wide else ''}{' powers' if self.powers else ''}"


def quantized(seed, model, inputs, folder, saved):
    """The model with quantizers, and how they are."""
    model, text = Quantizers(seed, model, inputs).put()
    if not saved:
        return model, text
    path = os.path.join(folder, "saved.onnx")
    session(model, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED, path)
    return onnx.load(path), text + " saved"
