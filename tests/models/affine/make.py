#!/usr/bin/env python3
"""Writes the models of this folder and what qonnx or ONNX Runtime make of their data: NAME.onnx, NAME.npz (x, expected).

Needs onnx, onnxruntime and qonnx (versions: README.md). `make.py NAME...` writes these only. Frames are rows, 48 of them.
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

ROWS = 48
GENERAL = "qonnx.custom_op.general"
rng = np.random.default_rng(7)


class Network:
    """Nodes in order, each by a call that returns its result's name."""

    def __init__(self, width, quantized=False, version=1):
        self.nodes, self.constants, self.count, self.version = [], [], 0, version
        self.inputs, self.qonnx = width, not quantized
        self.last = "x"

    def constant(self, value, dtype=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def node(self, op, *inputs, domain="", **attributes):
        self.count += 1
        name = f"{op.lower()}_{self.count}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name, domain=domain, **attributes))
        self.last = name
        return name

    def quant(self, x, scale, bits, signed=1, narrow=0, zero=0.0, rounding="ROUND"):
        return self.node("Quant", x, self.constant(scale), self.constant(zero), self.constant(float(bits)),
                         domain=GENERAL, signed=signed, narrow=narrow, rounding_mode=rounding)

    def bipolar(self, x, scale=1.0):
        return self.node("BipolarQuant", x, self.constant(scale), domain=GENERAL)

    def thresholds(self, x, values, dtype, scale=1.0, bias=0.0):
        return self.node("MultiThreshold", x, self.constant(values), domain=GENERAL, out_dtype=dtype, out_scale=scale, out_bias=bias)

    def trunc(self, x, scale, *rest, rounding="FLOOR", zero=0.0, **attributes):
        numbers = [self.constant(v) for v in (scale, zero, *rest)]
        return self.node("Trunc", x, *numbers, domain=GENERAL, rounding_mode=rounding, **attributes)

    def weights(self, inputs, outputs, bits=4, scale=0.125):
        w = rng.normal(size=(inputs, outputs)) * np.max(scale) * 2.0 ** (bits - 2)
        return self.quant(self.constant(w), scale, bits)

    def binary_weights(self, inputs, outputs):
        return self.bipolar(self.constant(rng.normal(size=(inputs, outputs))))

    def matmul(self, x, w):
        return self.node("MatMul", x, w)

    def batch_normalization(self, x, scale, shift, mean, variance, epsilon=1e-5):
        return self.node("BatchNormalization", x, self.constant(scale), self.constant(shift), self.constant(mean),
                         self.constant(variance), epsilon=epsilon)

    def random_normalization(self, x, channels, size, sign=None):
        scale = rng.uniform(0.5, 2, channels) * (rng.choice([-1, 1], channels) if sign is None else sign)
        return self.batch_normalization(x, scale, rng.normal(size=channels), rng.normal(size=channels) * size / 3,
                                        rng.uniform(0.3, 1, channels) * size ** 2)

    def model(self):
        shape = onnx.shape_inference.infer_shapes
        graph = helper.make_graph(self.nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ROWS, self.inputs])],
                                  [helper.make_tensor_value_info(self.last, self.output_type(), None)], self.constants)
        opsets = [helper.make_opsetid("", 13)] + ([helper.make_opsetid(GENERAL, self.version)] if self.qonnx else [])
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        return model if self.qonnx else shape(model)

    def output_type(self):
        return TensorProto.FLOAT


# --- the models ---


def gemm_bn_relu():
    n = Network(16)
    x = n.quant("x", 0.0625, 8)
    for inputs, outputs in ((16, 12), (12, 10)):
        w = n.weights(inputs, outputs)
        x = n.node("Gemm", x, w, n.constant(rng.normal(size=outputs)))
        x = n.node("Relu", n.random_normalization(x, outputs, 2.0, sign=1))
        x = n.quant(x, 0.25, 4, signed=0)
    n.matmul(x, n.weights(10, 5))
    return n


def mul_add():
    n = Network(16)
    x = n.quant("x", 0.0625, 6)
    x = n.matmul(x, n.weights(16, 12))
    x = n.node("Mul", x, n.constant(rng.uniform(0.1, 3, 12)))
    x = n.node("Add", n.constant(rng.normal(size=12)), x)
    x = n.quant(x, 0.25, 5)
    x = n.matmul(x, n.weights(12, 6))
    x = n.node("Mul", n.constant(0.37), x)
    x = n.node("Add", x, n.constant([0.11]))
    n.quant(x, 0.05, 8)
    return n


def bipolar_falling():
    n = Network(24)
    x = n.bipolar("x")
    for inputs, outputs in ((24, 16), (16, 12)):
        x = n.matmul(x, n.binary_weights(inputs, outputs))
        x = n.bipolar(n.random_normalization(x, outputs, 4.0))
    n.matmul(x, n.binary_weights(12, 4))
    return n


def ternary_falling():
    n = Network(24)
    x = n.quant("x", 1.0, 2, narrow=1)
    for inputs, outputs in ((24, 16), (16, 12)):
        x = n.matmul(x, n.binary_weights(inputs, outputs))
        x = n.quant(n.random_normalization(x, outputs, 3.0), 1.0, 2, narrow=1)
    x = n.matmul(x, n.weights(12, 4, bits=2, scale=1.0))
    n.random_normalization(x, 4, 2.0)
    return n


def zero_and_falling():
    n = Network(16)
    x = n.quant("x", 0.25, 6)
    x = n.matmul(x, n.weights(16, 8))
    scale = np.array([0, 0, 1.5, -1.5, 0.7, -0.3, 2, -0.0])
    x = n.batch_normalization(x, scale, rng.normal(size=8), rng.normal(size=8), rng.uniform(1, 2, 8))
    x = n.quant(x, 0.125, 6)
    x = n.matmul(x, n.weights(8, 4))
    n.quant(n.node("Mul", x, n.constant([0.0, 1.0, -1.0, 3.0])), 0.25, 4)
    return n


def sub_div():
    n = Network(16)
    x = n.quant("x", 0.125, 8)
    x = n.matmul(x, n.weights(16, 12))
    x = n.node("Sub", x, n.constant(rng.normal(size=(1, 12))))
    x = n.node("Div", x, n.constant(rng.uniform(0.2, 3, 12) * rng.choice([-1, 1], 12)))
    x = n.quant(x, 0.125, 5)
    x = n.matmul(x, n.weights(12, 6))
    x = n.node("Sub", n.constant(0.6), x)
    x = n.node("Neg", n.node("Div", x, n.constant(0.7)))
    n.quant(x, 0.25, 6)
    return n


def head_and_tail():
    n = Network(16)
    x = n.random_normalization("x", 16, 1.5)
    x = n.node("Div", n.node("Sub", x, n.constant(0.1)), n.constant(0.8))
    x = n.quant(x, 0.125, 6)
    x = n.matmul(x, n.weights(16, 8))
    x = n.quant(n.node("Relu", x), 0.25, 5, signed=0)
    x = n.matmul(x, n.weights(8, 5))
    x = n.random_normalization(x, 5, 2.0)
    x = n.node("Mul", x, n.constant(0.3))
    n.node("Relu", n.node("Add", x, n.constant(rng.normal(size=5))))
    return n


def falling_activations():
    n = Network(16)
    x = n.quant("x", 0.125, 6)
    x = n.node("Mul", x, n.constant(-0.7))
    x = n.quant(x, 0.25, 4)
    x = n.matmul(x, n.weights(16, 8))
    x = n.quant(n.node("Neg", x), 0.5, 4)
    x = n.bipolar(n.node("Sub", n.constant(0.3), x))
    n.matmul(x, n.binary_weights(8, 4))
    return n


def residual():
    n = Network(12)
    x = n.quant("x", 0.25, 5)
    y = n.matmul(x, n.weights(12, 12))
    y = n.quant(n.random_normalization(y, 12, 2.0), 0.125, 6)
    x = n.node("Add", x, y)
    x = n.random_normalization(x, 12, 1.0, sign=1)
    x = n.quant(n.node("Relu", x), 0.25, 4, signed=0)
    n.matmul(x, n.weights(12, 4))
    return n


def residual_falling():
    n = Network(8)
    x = n.quant("x", 0.25, 5)
    y = n.quant(n.matmul(x, n.weights(8, 8)), 0.25, 5)
    x = n.quant(n.random_normalization(n.node("Add", x, y), 8, 2.0), 0.25, 5)
    x = n.bipolar(n.node("Mul", x, n.constant([1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 0.0, 1.0])))
    n.matmul(x, n.binary_weights(8, 4))
    return n


def shapes():
    n = Network(16)
    x = n.quant("x", 0.25, 5)
    x = n.matmul(x, n.weights(16, 12))
    x = n.node("Unsqueeze", x, n.constant([2], np.int64))
    x = n.random_normalization(x, 12, 2.0)
    x = n.node("Squeeze", x, n.constant([2], np.int64))
    x = n.quant(x, 0.25, 5)
    x = n.matmul(x, n.weights(12, 8))
    x = n.node("Reshape", x, n.constant([0, 2, 4], np.int64))
    x = n.node("Mul", x, n.constant(rng.uniform(0.2, 2, (2, 4))))
    x = n.node("Flatten", x)
    x = n.quant(n.node("Add", x, n.constant(rng.normal(size=8))), 0.25, 5)
    n.matmul(x, n.weights(8, 3))
    return n


def clip_between():
    n = Network(16)
    x = n.quant("x", 0.125, 8)
    x = n.matmul(x, n.weights(16, 10))
    x = n.node("Mul", x, n.constant(rng.uniform(0.3, 1.5, 10)))
    x = n.node("Clip", x, n.constant(-1.1), n.constant(0.9))
    x = n.node("Add", x, n.constant(0.05))
    x = n.quant(x, 0.0625, 6)
    x = n.node("Relu", n.matmul(x, n.weights(10, 8)))
    x = n.node("Sub", n.random_normalization(x, 8, 1.0), n.constant(0.3))
    x = n.quant(x, 0.125, 6)
    x = n.node("Clip", n.matmul(x, n.weights(8, 4)), "", n.constant(0.5))
    n.quant(x, 0.0625, 5)
    return n


def roundings():
    n = Network(12)
    x = n.quant("x", 0.125, 6, rounding="FLOOR")
    for rounding in ("FLOOR", "CEIL", "DOWN", "UP", "HALF_UP", "HALF_DOWN"):
        x = n.matmul(x, n.weights(12, 12, scale=0.25))
        x = n.quant(n.random_normalization(x, 12, 2.0), 0.25, 5, rounding=rounding, narrow=1)
    n.matmul(x, n.weights(12, 3))
    return n


def wide():
    n = Network(16)
    x = n.quant("x", 0.0625, 8)
    x = n.matmul(x, n.weights(16, 6))
    x = n.random_normalization(x, 6, 3.0, sign=1)
    n.quant(x, 0.004, 12)
    return n


def layer_scales():
    n = Network(16)
    x = n.quant("x", 0.25, 5)
    x = n.node("Mul", x, n.constant(0.5))
    x = n.matmul(x, n.weights(16, 12))
    x = n.quant(n.node("Mul", x, n.constant(0.31)), 0.25, 5)
    x = n.node("Div", x, n.constant(4.0))
    n.matmul(x, n.weights(12, 5))
    return n


def zero_points():
    n = Network(16)
    x = n.quant("x", 0.125, 6, zero=3.0)
    x = n.matmul(x, n.weights(16, 12))
    x = n.quant(n.random_normalization(x, 12, 2.0), 0.125, 6, signed=0, zero=17.0)
    x = n.matmul(x, n.weights(12, 6))
    n.quant(n.node("Mul", x, n.constant(rng.normal(size=6))), 0.25, 6, zero=-5.0)
    return n


def uneven_scales():
    n = Network(16)
    x = n.quant("x", 0.11, 6)
    x = n.matmul(x, n.weights(16, 12, scale=rng.uniform(0.05, 0.2, (1, 12))))
    x = n.quant(n.node("Relu", n.random_normalization(x, 12, 2.0)), 0.13, 5, signed=0)
    x = n.matmul(x, n.weights(12, 6, scale=0.07))
    n.random_normalization(x, 6, 2.0)
    return n


def thresholds():
    """As FINN streamlines: whole numbers as weights, thresholds by channel; sums of two branches; results on other scales."""
    n = Network(16)
    x = n.thresholds("x", np.sort(rng.normal(size=(1, 7))), "INT4", bias=-4.0)
    y = n.matmul(x, n.constant(rng.integers(-3, 4, (16, 12))))
    y = n.thresholds(y, np.sort(rng.integers(-6, 7, (12, 3))), "UINT2")
    z = n.matmul(x, n.constant(rng.choice([-1, 1], (16, 12))))
    z = n.thresholds(n.random_normalization(z, 12, 9.0), np.sort(rng.normal(size=(12, 3))), "UINT2")
    x = n.thresholds(n.node("Add", y, z), [[0.5, 2.0, 4.5]], "FLOAT32", scale=0.25, bias=-0.375)
    x = n.matmul(x, n.constant(rng.integers(-1, 2, (12, 8))))
    x = n.thresholds(n.node("Mul", x, n.constant(0.3)), [[0.0]], "BIPOLAR", scale=2.0, bias=-1.0)
    n.node("Mul", n.matmul(x, n.constant(rng.integers(-7, 8, (8, 4)))), n.constant(0.125))
    return n


def truncations():
    n = Network(16)
    x = n.quant("x", 0.25, 5)
    for rounding in ("FLOOR", "ROUND", "CEIL", "DOWN"):
        x = n.matmul(x, n.weights(16, 16, bits=3, scale=0.5))
        x = n.trunc(x, 0.125, 10.0, 5.0, rounding=rounding, zero=32.0 if rounding == "CEIL" else 0.0)
        x = n.quant(x, 0.25, 5)
    n.trunc(n.matmul(x, n.weights(16, 4, bits=3, scale=0.5)), 0.125, 10.0, 8.0)
    return n


def truncations_to_scale():
    n = Network(16, version=2)
    x = n.quant("x", 0.25, 5)
    for rounding in ("FLOOR", "UP", "HALF_UP", "HALF_DOWN"):
        x = n.matmul(x, n.weights(16, 16, bits=3, scale=0.5))
        x = n.trunc(x, 0.125, 10.0, 1.0, 4.0, rounding=rounding, zero=16.0 if rounding == "UP" else 0.0, signed=1,
                    narrow=int(rounding == "FLOOR"))
    x = n.matmul(n.node("Relu", x), n.weights(16, 4, bits=3, scale=0.5))
    n.trunc(x, 0.5, 8.0, 2.0, 5.0, signed=0)
    return n


QONNX = [gemm_bn_relu, mul_add, bipolar_falling, ternary_falling, zero_and_falling, sub_div, head_and_tail,
         falling_activations, residual, residual_falling, shapes, clip_between, roundings, wide, layer_scales, zero_points, uneven_scales,
         thresholds, truncations, truncations_to_scale]


# --- QuantizeLinear and DequantizeLinear ---


class Linear(Network):
    def __init__(self, width):
        super().__init__(width, quantized=True)

    def qdq(self, x, scale, zero, dtype=np.uint8):
        s, z = self.constant(scale), self.constant(zero, dtype)
        return self.node("DequantizeLinear", self.node("QuantizeLinear", x, s, z), s, z)

    def codes(self, inputs, outputs):
        w = self.constant(rng.integers(-40, 41, (inputs, outputs)), np.int8)
        return self.node("DequantizeLinear", w, self.constant(2.0 ** -6), self.constant(0, np.int8))


def qdq_bn_relu():
    n = Linear(16)
    x = n.node("Div", n.node("Sub", "x", n.constant(0.2)), n.constant(1.3))
    x = n.qdq(x, 0.03125, 120)
    x = n.node("Gemm", x, n.codes(16, 12), n.constant(rng.normal(size=12)))
    x = n.node("Relu", n.random_normalization(x, 12, 3.0))
    x = n.qdq(x, 0.015625, 3)
    x = n.matmul(x, n.codes(12, 6))
    x = n.node("Add", n.node("Mul", x, n.constant(rng.uniform(0.2, 1, 6))), n.constant(rng.normal(size=6)))
    n.qdq(x, 0.04, -4, np.int8)
    return n


def softmax_tail():
    n = Linear(16)
    x = n.qdq(n.node("Mul", "x", n.constant(0.7)), 0.03125, 120)
    x = n.node("Relu", n.node("Gemm", x, n.codes(16, 12), n.constant(rng.normal(size=12))))
    x = n.qdq(x, 0.0625, 0)
    x = n.matmul(x, n.codes(12, 6))
    n.qdq(n.node("Softmax", x, axis=1), 1 / 256, 0)
    return n


def integer_product():
    n = Linear(16)
    x = n.node("QuantizeLinear", "x", n.constant(0.03), n.constant(128, np.uint8))
    w = n.constant(rng.integers(-40, 41, (16, 8)), np.int8)
    x = n.node("MatMulInteger", x, w, n.constant(128, np.uint8))
    x = n.node("Cast", x, to=TensorProto.FLOAT)
    x = n.node("Mul", x, n.constant(0.03 * 0.015))
    x = n.node("Relu", n.node("Add", x, n.constant(rng.normal(size=8) / 3)))
    x = n.node("QuantizeLinear", x, n.constant(0.011), n.constant(0, np.uint8))
    w = n.constant(rng.integers(-40, 41, (8, 4)), np.int8)
    x = n.node("Cast", n.node("MatMulInteger", x, w), to=TensorProto.FLOAT)
    n.node("Mul", x, n.constant(rng.uniform(1e-4, 2e-4, 4)))
    return n


LINEAR = [qdq_bn_relu, softmax_tail, integer_product]


# --- what others make of it ---


def run_qonnx(model, x):
    make = onnx.helper.make_model

    def older(*arguments, **named):
        made = make(*arguments, **named)
        made.ir_version = 8
        return made

    onnx.helper.make_model = older
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.core.onnx_exec import execute_onnx
    from qonnx.transformation.infer_shapes import InferShapes

    wrapped = ModelWrapper(model).transform(InferShapes())
    result = execute_onnx(wrapped, {"x": x})[wrapped.graph.output[0].name]
    onnx.helper.make_model = make
    return result


def run_onnxruntime(model, x):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, {"x": x})[0]


def write(folder, name, network, x):
    model = network.model()
    expected = run_qonnx(model, x) if network.qonnx else run_onnxruntime(model, x)
    output = model.graph.output[0].type.tensor_type
    del output.shape.dim[:]
    for size in expected.shape:
        output.shape.dim.add().dim_value = size
    onnx.save(model, os.path.join(folder, f"{name}.onnx"))
    np.savez_compressed(os.path.join(folder, f"{name}.npz"), x=x, expected=expected)


def main():
    global rng
    here = os.path.dirname(os.path.abspath(__file__))
    for build in QONNX + LINEAR:
        rng = np.random.default_rng(sum(map(ord, build.__name__)))
        network = build()
        x = (rng.normal(size=(ROWS, network.inputs)) * 1.5).astype(np.float32)
        if len(sys.argv) == 1 or build.__name__ in sys.argv[1:]:
            write(here, build.__name__, network, x)


if __name__ == "__main__":
    main()
