#!/usr/bin/env python3
"""Writes the models of this folder and what ONNX Runtime makes of their data: NAME.onnx, NAME.npz (x, expected).

Needs onnx and onnxruntime (versions: README.md). `make.py NAME...` writes these only. Frames are rows, 48 of them.
"""
import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

ROWS, INPUTS, HIDDEN, OUTPUTS = 48, 12, 8, 6


class Network:
    """Two dense layers, and between them nodes, each by a call that returns its result's name."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.constants = [], []

    def constant(self, value, dtype=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def node(self, op, *inputs, **attributes):
        name = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name, **attributes))
        return name

    def dense(self, x, inputs, outputs):
        w, b = self.rng.normal(size=(outputs, inputs)) * 0.3, self.rng.normal(size=outputs) * 0.1
        return self.node("Gemm", x, self.constant(w), self.constant(b), transB=1)

    def model(self, function, tail=None):
        y = self.dense(function(self, self.dense("x", INPUTS, HIDDEN)), HIDDEN, OUTPUTS)
        y = self.node(tail, y) if tail else y
        x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [ROWS, w]) for n, w in (("x", INPUTS), (y, OUTPUTS)))
        graph = helper.make_graph(self.nodes, "net", [x], [y], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def unary(op, **attributes):
    return lambda n, x: n.node(op, x, **attributes)


def times(op, **attributes):
    return lambda n, x: n.node("Mul", x, n.node(op, x, **attributes))


def gelu(n, x):
    """As PyTorch's exporter writes it."""
    y = n.node("Erf", n.node("Div", x, n.constant(2 ** 0.5)))
    return n.node("Mul", n.node("Mul", x, n.node("Add", y, n.constant(1))), n.constant(0.5))


def prelu(n, x):
    return n.node("PRelu", x, n.constant(n.rng.uniform(0.05, 0.3, HIDDEN)))


def masked(n, x):
    return n.node("Where", n.constant(np.arange(HIDDEN) % 3 > 0, bool), x, n.constant(np.linspace(-1, 1, HIDDEN)))


QDQ, QOPERATOR = QuantFormat.QDQ, QuantFormat.QOperator
MODELS = {
    "sigmoid_qoperator": (unary("Sigmoid"), QOPERATOR, False),
    "leaky_relu_qoperator": (unary("LeakyRelu", alpha=0.1), QOPERATOR, True),
    "silu_qdq": (times("Sigmoid"), QDQ, False),
    "silu_qoperator": (times("Sigmoid"), QOPERATOR, False),
    "hard_swish_qdq": (unary("HardSwish"), QDQ, True),
    "hard_swish_pytorch": (times("HardSigmoid", alpha=1 / 6, beta=0.5), QOPERATOR, False),
    "gelu_qdq": (gelu, QDQ, False),
    "gelu_qoperator": (gelu, QOPERATOR, True),
    "prelu_qdq": (prelu, QDQ, True),
    "elu_qdq": (unary("Elu"), QDQ, False),
    "tanh_qoperator": (unary("Tanh"), QOPERATOR, False),
    "where_qoperator": (masked, QOPERATOR, False),
}
LATEST = "where_qoperator"  # weights of 7 bits: sums of more saturate on processors without VNNI; a Softmax at the end


class Calibration(CalibrationDataReader):
    def __init__(self, x):
        self.frames = iter([{"x": x}])

    def get_next(self):
        return next(self.frames, None)


def write(name, folder):
    function, form, per_channel = MODELS[name]
    network = Network(sorted(MODELS).index(name))
    path = os.path.join(folder, f"{name}.onnx")
    x = (network.rng.normal(size=(ROWS, INPUTS)) * 1.2).astype(np.float32)
    with tempfile.TemporaryDirectory() as scratch:
        plain = os.path.join(scratch, "float.onnx")
        onnx.save(network.model(function, "Softmax" if name == LATEST else None), plain)
        quantize_static(plain, path, Calibration(x), quant_format=form, per_channel=per_channel,
                        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
                        reduce_range=name == LATEST,
                        extra_options={"ForceQuantizeNoInputCheck": name == LATEST})
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    np.savez_compressed(path[:-5] + ".npz", x=x, expected=session.run(None, {"x": x})[0])


for wanted in sys.argv[1:] or MODELS:
    write(wanted, os.path.dirname(os.path.abspath(__file__)))
