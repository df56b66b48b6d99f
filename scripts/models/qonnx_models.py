"""Quantization-aware training with Brevitas, export to the QONNX dialect, and execution by the qonnx package."""

import numpy as np
import torch
from brevitas import nn as qnn
from brevitas.export import export_qonnx
from brevitas.inject.enum import ScalingImplType
from brevitas.quant import (
    Int8ActPerTensorFloat, Int8WeightPerChannelFloat, Int32Bias, SignedBinaryActPerTensorConst,
    SignedBinaryWeightPerTensorConst, Uint8ActPerTensorFloat,
)
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.core.onnx_exec import execute_onnx
from qonnx.util.cleanup import cleanup_model
from torch import nn

OPSET = 13


class W4A4(nn.Module):
    """64-64-32-10: unsigned 4-bit input and ReLU outputs, signed 4-bit weights a channel, int32 biases, 8-bit logits."""

    def __init__(self):
        super().__init__()

        def linear(inputs, outputs):
            return qnn.QuantLinear(inputs, outputs, bias=True, weight_quant=Int8WeightPerChannelFloat,
                                   weight_bit_width=4, bias_quant=Int32Bias)

        def relu():
            return qnn.QuantReLU(act_quant=Uint8ActPerTensorFloat, bit_width=4, return_quant_tensor=True)

        self.quant_in = qnn.QuantIdentity(act_quant=Uint8ActPerTensorFloat, bit_width=4, return_quant_tensor=True)
        self.fc1, self.relu1 = linear(64, 64), relu()
        self.fc2, self.relu2 = linear(64, 32), relu()
        self.fc3 = linear(32, 10)
        self.quant_out = qnn.QuantIdentity(act_quant=Int8ActPerTensorFloat, bit_width=8)

    def forward(self, x):
        x = self.relu1(self.fc1(self.quant_in(x)))
        return self.quant_out(self.fc3(self.relu2(self.fc2(x))))


class Input4Bit(Uint8ActPerTensorFloat):
    """Unsigned 4 bits of constant scale 1/16: with power-of-two scales everywhere, float and integer sums are equal."""

    scaling_impl_type = ScalingImplType.CONST
    scaling_init = 15.0 / 16.0
    bit_width = 4


class Bipolar(nn.Module):
    """64-256-128-10: 4-bit input, weights and activations of plus or minus a constant, no batch norm, accumulator logits."""

    def __init__(self):
        super().__init__()

        def linear(inputs, outputs):
            return qnn.QuantLinear(inputs, outputs, bias=True, weight_quant=SignedBinaryWeightPerTensorConst,
                                   weight_scaling_const=0.125, bias_quant=Int32Bias)

        def sign():
            return qnn.QuantIdentity(act_quant=SignedBinaryActPerTensorConst, scaling_const=1.0,
                                     return_quant_tensor=True)

        self.quant_in = qnn.QuantIdentity(act_quant=Input4Bit, return_quant_tensor=True)
        self.fc1, self.sign1 = linear(64, 256), sign()
        self.fc2, self.sign2 = linear(256, 128), sign()
        self.fc3 = linear(128, 10)

    def forward(self, x):
        x = self.sign1(self.fc1(self.quant_in(x)))
        return self.fc3(self.sign2(self.fc2(x)))


def export(model, path):
    """Export with a fixed batch of one, then fold constants and name tensors with the qonnx package."""
    export_qonnx(model, torch.zeros(1, 64), path, opset_version=OPSET, dynamo=False,
                 input_names=["input"], output_names=["logits"])
    cleanup_model(ModelWrapper(path)).save(path)


def run(path, x):
    """The qonnx package's executor, one image at a time as the model declares."""
    model = ModelWrapper(path)
    name_in, name_out = model.graph.input[0].name, model.graph.output[0].name
    rows = [execute_onnx(model, {name_in: x[i:i + 1]})[name_out] for i in range(len(x))]
    return np.concatenate(rows).astype(np.float32)
