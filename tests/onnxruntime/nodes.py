"""Nodes and constants of an ONNX model that is put together one after the other."""

import numpy as np
from onnx import helper, numpy_helper


class Nodes:
    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def name(self):
        self.count += 1
        return "t%d" % self.count

    def constant(self, array):
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op, inputs, **attributes):
        name = self.name()
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def pair(self, value, quantization):
        scale, zero = self.constant(quantization[0]), self.constant(quantization[1])
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [value, scale, zero]), scale, zero])
