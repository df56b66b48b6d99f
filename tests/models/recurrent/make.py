"""make.py: writes NAME.onnx and NAME.npz beside it: small recurrent networks, inputs (`x`, frames first) and ONNX Runtime's outputs (`expected`), 1.32."""

import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(__file__).parent
FRAMES, STEPS, WIDTH = 24, 6, 5
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


class Network:
    def __init__(self, seed):
        self.random, self.nodes, self.constants, self.value, self.width = np.random.default_rng(seed), [], [], "x", WIDTH
        self.node("Transpose", ["x"], "steps_first", perm=[1, 0, 2])

    def node(self, op, inputs, output, more=(), **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output, *more], name=output, **attributes))
        self.value = output

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def numbers(self, name, *shape):
        return self.constant(name, self.random.normal(0, 0.6, shape).astype(np.float32))

    def layer(self, op, name, hidden, direction="forward", initial=False, peepholes=False, **attributes):
        both = 2 if direction == "bidirectional" else 1
        inputs = [self.value, self.numbers(name + "_W", both, GATES[op] * hidden, self.width), self.numbers(name + "_R", both, GATES[op] * hidden, hidden),
                  self.numbers(name + "_B", both, 2 * GATES[op] * hidden)]
        if initial:
            inputs += ["", self.numbers(name + "_h", both, 1, hidden)]
        if peepholes:
            inputs += [""] * (7 - len(inputs)) + [self.numbers(name + "_P", both, 3 * hidden)]
        self.node(op, inputs, name, hidden_size=hidden, direction=direction, **attributes)
        self.node("Transpose", [name], name + "_turned", perm=[0, 2, 1, 3])
        self.node("Reshape", [self.value, self.constant(name + "_shape", np.array([STEPS, 1, both * hidden], np.int64))], name + "_rows")
        self.width = both * hidden

    def write(self, name):
        self.node("Gather", [self.value, self.constant("last", np.array(STEPS - 1, np.int64))], "end", axis=0)
        self.node("Gemm", ["end", self.numbers("weights", 4, self.width), self.numbers("bias", 4)], "y", transB=1)
        graph = helper.make_graph(self.nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, STEPS, WIDTH])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, FOLDER / (name + ".onnx"))
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        x = self.random.normal(0, 1, (FRAMES, STEPS, WIDTH)).astype(np.float32)
        np.savez(FOLDER / (name + ".npz"), x=x, expected=np.concatenate([session.run(None, {"x": frame[None]})[0] for frame in x]))


def write_step(name, nodes, inputs, outputs, constants, x):
    """One step of time, or some: x and, behind it, what is remembered, which the outputs behind the first are the next of; expected: frame after frame.
    The .npz has what comes in with each frame, too."""
    values = [[helper.make_tensor_value_info(value, TensorProto.FLOAT, shape) for value, shape in side.items()] for side in (inputs, outputs)]
    model = helper.make_model(helper.make_graph(nodes, name, *values, constants), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, FOLDER / (name + ".onnx"))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    remembered = {value: np.zeros(shape, np.float32) for value, shape in list(inputs.items())[1:]}
    expected, given = [], {value: [] for value in remembered}
    for step in x:
        for value, array in remembered.items():
            given[value].append(array)
        result, *following = session.run(None, {"x": step.reshape(inputs["x"]), **remembered})
        expected.append(result)
        remembered = dict(zip(remembered, following))
    expected = np.concatenate(expected) if len(expected[0]) == 1 else np.stack(expected)
    np.savez(FOLDER / (name + ".npz"), x=x, expected=expected, **{value: np.stack(arrays) for value, arrays in given.items()})


def steps():
    random = np.random.default_rng(7)
    constant = lambda name, array: numpy_helper.from_array(np.asarray(array), name)
    numbers = lambda name, *shape: constant(name, random.normal(0, 0.5, shape).astype(np.float32))
    hidden = 8
    write_step("step_lstm",
               [helper.make_node("LSTM", ["x", "W", "R", "B", "", "h0", "c0"], ["all", "hn", "cn"], hidden_size=hidden),
                helper.make_node("Squeeze", ["hn", "axis"], ["row"]), helper.make_node("MatMul", ["row", "weights"], ["y"])],
               {"x": [1, 1, WIDTH], "h0": [1, 1, hidden], "c0": [1, 1, hidden]}, {"y": [1, 4], "hn": [1, 1, hidden], "cn": [1, 1, hidden]},
               [numbers("W", 1, 4 * hidden, WIDTH), numbers("R", 1, 4 * hidden, hidden), numbers("B", 1, 8 * hidden), numbers("weights", hidden, 4),
                constant("axis", np.array([0], np.int64))], random.normal(0, 1, (FRAMES, 1, WIDTH)).astype(np.float32))
    write_step("step_conv",
               [helper.make_node("Concat", ["cache_in", "x"], ["window"], axis=2), helper.make_node("Conv", ["window", "K"], ["sums"]),
                helper.make_node("Relu", ["sums"], ["y"]), helper.make_node("Slice", ["window", "one", "three", "two"], ["cache_out"])],
               {"x": [1, WIDTH, 1], "cache_in": [1, WIDTH, 2]}, {"y": [1, 6, 1], "cache_out": [1, WIDTH, 2]},
               [numbers("K", 6, WIDTH, 3), *(constant(name, np.array([value], np.int64)) for name, value in (("one", 1), ("two", 2), ("three", 3)))],
               random.normal(0, 1, (FRAMES, WIDTH, 1)).astype(np.float32))
    width = 4
    write_step("chunks",
               [helper.make_node("LSTM", ["x", "W", "R", "B", "", "h0", "c0"], ["all", "hn", "cn"], hidden_size=hidden),
                helper.make_node("Squeeze", ["all", "axis"], ["rows"]), helper.make_node("MatMul", ["hn", "narrow"], ["start"]),
                helper.make_node("RNN", ["rows", "V", "S", "", "", "start"], ["decoded"], hidden_size=width, activations=["Relu"]),
                helper.make_node("Squeeze", ["decoded", "axis"], ["y"])],
               {"x": [4, 1, WIDTH], "h0": [1, 1, hidden], "c0": [1, 1, hidden]}, {"y": [4, 1, width], "hn": [1, 1, hidden], "cn": [1, 1, hidden]},
               [numbers("W", 1, 4 * hidden, WIDTH), numbers("R", 1, 4 * hidden, hidden), numbers("B", 1, 8 * hidden), numbers("narrow", hidden, width),
                numbers("V", 1, width, hidden), numbers("S", 1, width, width), constant("axis", np.array([1], np.int64))],
               random.normal(0, 1, (FRAMES, 4, 1, WIDTH)).astype(np.float32))


def main():
    steps()
    n = Network(1)
    n.layer("LSTM", "lstm", 6)
    n.write("lstm")
    n = Network(2)
    n.layer("GRU", "gru", 4, direction="bidirectional", linear_before_reset=1, initial=True)
    n.write("gru")
    n = Network(3)
    n.layer("LSTM", "first", 4, peepholes=True, clip=1.5)
    n.layer("RNN", "second", 5, direction="reverse")
    n.write("layers")


main()
