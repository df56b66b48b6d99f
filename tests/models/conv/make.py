#!/usr/bin/env python3
"""Writes the models of this folder and their data: small convolutional networks with random weights, quantized by ONNX Runtime's own
static quantization, as QDQ (signed, scales by channel) and as QOperator (unsigned), with what ONNX Runtime computes without its
optimizations. Needs numpy, onnx 1.23 and onnxruntime 1.32. usage: make.py FOLDER
"""
import os
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

FRAMES = 12


class Network:
    def __init__(self, shape, seed):
        self.random = np.random.RandomState(seed)
        self.shape, self.channels, self.value = shape, shape[1], "x"
        self.nodes, self.constants = [], []

    def constant(self, *shape):
        data = self.random.randn(*shape) / np.sqrt(max(1, np.prod(shape[1:])))
        self.constants.append(numpy_helper.from_array(data.astype(np.float32), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def value_of(self, name, number):
        if name not in (c.name for c in self.constants):
            self.constants.append(numpy_helper.from_array(np.float32(number), name))
        return name

    def add(self, op, *constants, **attributes):
        result = f"{op.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, [self.value, *constants], [result], name=result + "_node", **attributes))
        self.value = result

    def join(self, values, axis):
        self.value = values[0]
        self.add("Concat", *values[1:], axis=axis)

    def conv(self, outputs, kernel, group=1, **attributes):
        self.add("Conv", self.constant(outputs, self.channels // group, *kernel), self.constant(outputs), group=group, **attributes)
        self.add("Relu")
        self.channels = outputs

    def transposed(self, outputs, kernel, group=1, **attributes):
        weights = self.constant(self.channels, outputs // group, *kernel)
        self.add("ConvTranspose", weights, self.constant(outputs), group=group, **attributes)
        self.add("Relu")
        self.channels = outputs

    def dense(self, inputs, outputs):
        self.add("Flatten")
        self.add("Gemm", self.constant(outputs, inputs), self.constant(outputs), transB=1)

    def model(self, *outputs):
        graph = helper.make_graph(
            self.nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(self.value, TensorProto.FLOAT, [1, *outputs])], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        onnx.checker.check_model(model)
        return model


def line():
    """One dimension: strides, a dilation, more padding than one side needs."""
    n = Network([1, 3, 48], 1)
    n.conv(8, [5], strides=[2], pads=[2, 2])
    n.conv(8, [3], pads=[1, 1])
    n.add("MaxPool", kernel_shape=[2], strides=[2])
    n.conv(4, [3], pads=[2, 2], dilations=[2])
    n.dense(48, 5)
    return n.model(5)


def separable():
    """Depthwise and pointwise in turn."""
    n = Network([1, 3, 12, 12], 2)
    n.conv(8, [3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    n.conv(8, [3, 3], group=8, pads=[1, 1, 1, 1])
    n.conv(12, [1, 1])
    n.conv(12, [3, 3], group=12, strides=[2, 2], pads=[0, 0, 1, 1])
    n.dense(108, 6)
    return n.model(6)


def pooled():
    """A pool that leaves out the last rows and columns, groups, a window that is no square."""
    n = Network([1, 2, 14, 11], 3)
    n.conv(4, [3, 2], group=2, auto_pad="SAME_UPPER")
    n.add("MaxPool", kernel_shape=[3, 3], strides=[3, 3])
    n.conv(6, [2, 2])
    n.dense(36, 3)
    return n.model(3)


def mobile():
    """An inverted residual as MobileNet has it: expanded, depthwise, projected without a function, added to what it came from; Relu6
    as Clip; a mean over the positions."""
    n = Network([1, 3, 10, 10], 4)
    n.conv(8, [3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    start = n.value
    for outputs, kernel, group in ((24, 1, 1), (24, 3, 24)):
        n.add("Conv", n.constant(outputs, n.channels // group, kernel, kernel), n.constant(outputs), group=group, pads=[kernel // 2] * 4)
        n.add("Clip", n.value_of("low", 0), n.value_of("high", 6))
        n.channels = outputs
    n.add("Conv", n.constant(8, 24, 1, 1), n.constant(8))
    n.add("Add", start)
    n.add("GlobalAveragePool")
    n.dense(8, 5)
    return n.model(5)


def autoencoder():
    """As many outputs as inputs, a narrow layer in the middle."""
    n = Network([1, 40], 5)
    for inputs, outputs in ((40, 24), (24, 4), (4, 24), (24, 40)):
        n.add("Gemm", n.constant(outputs, inputs), n.constant(outputs), transB=1)
        if outputs != 40:
            n.add("Relu")
    return n.model(40)


def inception():
    """Branches of several depths that meet in a Concat along the channels; two pools in one along the rows."""
    n = Network([1, 3, 5, 6], 6)
    n.conv(8, [3, 3], pads=[1, 1, 1, 1])
    start, channels, parts = n.value, n.channels, []
    for outputs, sizes in ((4, [1]), (6, [1, 3]), (3, [1, 3, 3]), (5, [])):
        n.value, n.channels = start, channels
        if not sizes:
            n.add("MaxPool", kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
        for size in sizes or [1]:
            n.conv(outputs, [size, size], pads=[size // 2] * 4)
        parts.append(n.value)
    n.join(parts, 1)
    n.channels = 18
    start = n.value
    n.add("MaxPool", kernel_shape=[2, 3], strides=[2, 3])
    first = n.value
    n.value = start
    n.add("MaxPool", kernel_shape=[5, 3], strides=[5, 3])
    n.join([first, n.value], 2)
    n.conv(4, [1, 1])
    n.dense(24, 4)
    return n.model(4)


def upsampler():
    """As ESPCN: convolutions, the last of which computes the four pixels that DepthToSpace makes of each."""
    n = Network([1, 1, 6, 7], 7)
    n.conv(6, [5, 5], pads=[2, 2, 2, 2])
    n.conv(4, [3, 3], pads=[1, 1, 1, 1])
    n.conv(8, [3, 3], pads=[1, 1, 1, 1])
    n.add("DepthToSpace", blocksize=2, mode="CRD")
    return n.model(2, 12, 14)


def decoder():
    """An autoencoder of images: strides on the way down, Resize to the nearest pixel on the way up, each before a convolution."""
    n = Network([1, 2, 8, 8], 8)
    n.conv(4, [3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    n.conv(6, [3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for outputs in (4, 2):
        n.add("Resize", "", n.value_of("factors", [1, 1, 2, 2]), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        n.conv(outputs, [3, 3], pads=[1, 1, 1, 1])
    return n.model(2, 8, 8)


def generator():
    """Images from a few numbers, as DCGAN makes them: ConvTranspose with windows of 4, of 3 with padding of the result, of 2, and depthwise."""
    n = Network([1, 4, 2, 3], 9)
    n.transposed(6, [4, 4], strides=[2, 2], pads=[1, 1, 1, 1])
    n.transposed(6, [3, 3], group=6, strides=[1, 2], pads=[1, 1, 1, 1], output_padding=[0, 1])
    n.transposed(4, [2, 2], strides=[2, 2])
    n.conv(2, [3, 3], pads=[1, 1, 1, 1])
    return n.model(2, 8, 24)


def averaged():
    """Pools of both kinds between convolutions. A mean of nine is never halfway between two codes of its own scale."""
    n = Network([1, 2, 13, 12], 10)
    n.conv(4, [3, 3], pads=[1, 1, 1, 1])
    n.add("AveragePool", kernel_shape=[3, 3], strides=[2, 2])
    n.conv(6, [3, 2], strides=[1, 2], pads=[1, 0, 0, 1])
    n.add("MaxPool", kernel_shape=[2, 2], strides=[1, 1])
    n.conv(3, [1, 1])
    n.dense(24, 4)
    return n.model(4)


def excited():
    """An inverted residual whose channels are weighted by what the whole image gives (squeeze and excitation), as EfficientNet has it."""
    n = Network([1, 3, 16, 16], 12)
    n.conv(8, [3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    before = n.value
    n.conv(16, [1, 1])
    n.conv(16, [3, 3], group=16, pads=[1, 1, 1, 1])
    expanded = n.value
    n.add("GlobalAveragePool")
    n.conv(4, [1, 1])
    n.add("Conv", n.constant(16, 4, 1, 1), n.constant(16))
    n.add("Sigmoid")
    n.add("Mul", expanded)
    n.channels = 16
    n.add("Conv", n.constant(8, 16, 1, 1), n.constant(8))
    n.add("Add", before)
    n.add("GlobalAveragePool")
    n.dense(8, 4)
    return n.model(4)


class Frames(CalibrationDataReader):
    def __init__(self, x):
        self.rest = iter(x)

    def get_next(self):
        frame = next(self.rest, None)
        return None if frame is None else {"x": frame[None]}


def optimize(source, path):
    """The model as ONNX Runtime runs it, with channels innermost."""
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = path
    onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def run(path, x):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, {"x": frame[None]})[0] for frame in x])


def main(folder):
    forms = {"qdq": (QuantFormat.QDQ, QuantType.QInt8, True), "qoperator": (QuantFormat.QOperator, QuantType.QUInt8, False)}
    for seed, network in enumerate((line, separable, pooled, mobile, autoencoder, inception, upsampler, decoder, generator, averaged, excited)):
        model = network()
        shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
        x = np.random.RandomState(100 + seed).randn(FRAMES, *shape[1:]).astype(np.float32)
        with tempfile.TemporaryDirectory() as work:
            source = os.path.join(work, "float.onnx")
            onnx.save(model, source)
            for form, (layout, activations, by_channel) in forms.items():
                if network in (upsampler, decoder, generator, excited) and form == "qoperator":
                    continue  # sums of unsigned codes saturate in ONNX Runtime on some processors
                path = os.path.join(folder, f"{network.__name__}_{form}.onnx")
                quantize_static(source, path, Frames(x), quant_format=layout, activation_type=activations,
                                weight_type=QuantType.QInt8, per_channel=by_channel,
                                reduce_range=network in (inception, averaged) and form == "qoperator")
                np.savez(path[:-4] + "npz", x=x, expected=run(path, x))
                if network == averaged and form == "qoperator":
                    optimize(path, os.path.join(folder, "averaged_optimized.onnx"))


if __name__ == "__main__":
    main(sys.argv[1])
