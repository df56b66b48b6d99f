#!/usr/bin/env python3
"""Trains LeNet-5 on Fashion-MNIST and writes the models of this folder and their data: float; QDQ (scales by channel) and QOperator
by ONNX Runtime's static quantization; and, trained on with quantizers, QONNX with 4-bit weights and activations. The expected outputs
are ONNX Runtime's, of the last the qonnx executor's. About ten minutes on a core.
usage: make.py FOLDER (Debian's dataset-fashion-mnist, requirements.txt)"""
import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.core.onnx_exec import execute_onnx
from qonnx.transformation.infer_shapes import InferShapes

import train
from train import LAYERS

SEED, IMAGES, CALIBRATION = 5, 1000, 100
QONNX = "qonnx.custom_op.general"
node = helper.make_node


class FourBits:
    """Quant nodes: weights of four signed bits, scales by output channel, activations of four unsigned bits; all scales are powers
    of two, the activations' such that hardly any value is above the largest code."""

    def __init__(self, params, x):
        keep = {}
        train.forward(params, x, keep=keep)
        self.scale = {name: self.power(np.quantile(np.maximum(keep[name, "sum"], 0), 0.999), 15) for name in LAYERS[:-1]}

    @staticmethod
    def power(largest, codes):
        return np.float32(2.0) ** np.ceil(np.log2(np.maximum(largest, 1e-6) / codes) - 0.5).astype(np.float32)

    def weight_scale(self, w):
        return self.power(np.abs(w).max(0), 7)

    def weight(self, name, w):
        scale = self.weight_scale(w)
        return (np.round(w / scale).clip(-7, 7) * scale).astype(np.float32)

    def activation(self, name, x):
        scale = self.scale[name]
        return np.round(x / scale).clip(0, 15) * scale, (x > 0) & (x < 15 * scale)


def exported(name, w):
    """As ONNX has it: channels in front."""
    if name.startswith("conv"):
        return w.reshape(5, 5, -1, w.shape[1]).transpose(3, 2, 0, 1)
    return w.reshape(5, 5, 16, -1).transpose(3, 2, 0, 1).reshape(w.shape[1], -1) if name == "fc1" else w.T


def quant(constants, x, y, scale, bits, signed, narrow=0):
    constants.update({y + "_scale": scale, y + "_zero": 0, y + "_bits": bits})
    return node("Quant", [x, y + "_scale", y + "_zero", y + "_bits"], [y], y + "_quant", domain=QONNX, signed=signed, narrow=narrow,
                rounding_mode="ROUND")


def network(params, path, quantizers=None):
    nodes, constants, x = [], {}, "image"
    input_scale = np.float32(1)
    if quantizers is not None:
        nodes.append(quant(constants, x, "pixels", input_scale, 8, 0))
        x = "pixels"
    for name in LAYERS:
        w, b = exported(name, params[name + ".weight"]), params[name + ".bias"]
        names = [name + ".weight", name + ".bias"]
        constants.update(zip(names, (w, b)))
        if quantizers is not None:
            scale = quantizers.weight_scale(params[name + ".weight"])
            column = scale.reshape([-1] + [1] * (w.ndim - 1))
            nodes += [quant(constants, names[0], name + "_w", column, 4, 1, 1), quant(constants, names[1], name + "_b", scale * input_scale, 16, 1)]
            names = [name + "_w", name + "_b"]
        if name == "fc1":
            nodes.append(node("Flatten", [x], ["flat"], "flatten"))
            x = "flat"
        y = "logits" if name == LAYERS[-1] else name + "_sum"
        if name.startswith("conv"):
            nodes.append(node("Conv", [x, *names], [y], name, kernel_shape=[5, 5], pads=[2 if name == "conv1" else 0] * 4))
        else:
            nodes.append(node("Gemm", [x, *names], [y], name, transB=1))
        if y == "logits":
            break
        x = name + "_relu"
        nodes.append(node("Relu", [y], [x], x))
        if quantizers is not None:
            input_scale = quantizers.scale[name]
            nodes.append(quant(constants, x, name + "_codes", input_scale, 4, 0))
            x = name + "_codes"
        if name.startswith("conv"):
            nodes.append(node("MaxPool", [x], [name + "_pool"], name + "_pool", kernel_shape=[2, 2], strides=[2, 2]))
            x = name + "_pool"
    graph = helper.make_graph(
        nodes, "lenet", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 28, 28])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 10])],
        [numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name) for name, value in constants.items()])
    opsets = [helper.make_opsetid("", 13)] + ([] if quantizers is None else [helper.make_opsetid(QONNX, 1)])
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    if quantizers is None:
        onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


class Images(CalibrationDataReader):
    def __init__(self, x):
        self.rest = iter(x.astype(np.float32))

    def get_next(self):
        image = next(self.rest, None)
        return None if image is None else {"image": image[None]}


def run(path, x):
    """Quantized operators as ONNX Runtime fuses them, in exact integers also where the processor has no VNNI."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"image": image[None]})[0] for image in x.astype(np.float32)])


def run_qonnx(path, x):
    model = ModelWrapper(path)
    model.set_tensor_shape("image", list(x.shape))
    model.set_tensor_shape("logits", [len(x), 10])
    return execute_onnx(model.transform(InferShapes()), {"image": x.astype(np.float32)})["logits"]


def main(folder):
    random = [np.random.RandomState(SEED + i) for i in range(4)]
    (x, y), (test_x, test_y) = train.images("train"), train.images("t10k")
    params = train.initial(random[0])
    train.train(params, x, y, epochs=10, rate=2e-3, random=random[0], change=train.augmented)
    train.train(params, x, y, epochs=4, rate=1e-3, random=random[1])
    print(f"float: {train.accuracy(params, test_x, test_y):.2f} % of {len(test_x)}")
    path = {name: os.path.join(folder, f"lenet_{name}.onnx") for name in ("float", "qdq", "qoperator", "qonnx_w4a4")}
    network(params, path["float"])
    chosen = random[2].permutation(len(x))[:CALIBRATION]
    calibration = x[chosen].transpose(0, 3, 1, 2)
    for form, layout, by_channel in (("qdq", QuantFormat.QDQ, True), ("qoperator", QuantFormat.QOperator, False)):
        quantize_static(path["float"], path[form], Images(calibration), quant_format=layout, activation_type=QuantType.QUInt8,
                        weight_type=QuantType.QInt8, per_channel=by_channel)
    quantizers = FourBits(params, x[chosen])
    train.train(params, x, y, epochs=4, rate=5e-4, random=random[3], quantizers=quantizers)
    print(f"four bits: {train.accuracy(params, test_x, test_y, quantizers):.2f} % of {len(test_x)}")
    network(params, path["qonnx_w4a4"], quantizers)
    np.savez_compressed(os.path.join(folder, "lenet_calib.npz"), x=calibration)
    expect(path, folder)


def expect(path, folder):
    x, y = train.images("t10k")
    x, y = x[:IMAGES].transpose(0, 3, 1, 2), y[:IMAGES]
    np.savez_compressed(os.path.join(folder, "lenet_test.npz"), x=x, y=y.astype(np.uint8))
    for name, file in path.items():
        found = (run_qonnx if "qonnx" in name else run)(file, x)
        np.savez_compressed(os.path.join(folder, f"lenet_{name}.expected.npz"), test=found)
        print(f"{name}: {100 * (found.argmax(1) == y).mean():.2f} % of {len(found)}")


if __name__ == "__main__":
    print("seed", SEED)
    main(sys.argv[1])
