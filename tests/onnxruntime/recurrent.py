"""recurrent.py WEIR WORK [--plant] [--most N]: random LSTM, GRU and RNN layers (directions, peepholes, initial states, lengths, clip, activations with
parameters), and Scans and Loops: `weir eval --engine float` gives ONNX Runtime's results within 1e-5 on three frames. --plant: one result is changed,
which must be noticed. Prints how many; exit status 1 where one differs."""

import argparse
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

onnxruntime.set_default_logger_severity(4)
FRAMES, SEED = 3, 11
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
FUNCTIONS = {"LSTM": 3, "GRU": 2, "RNN": 1}
ALPHA = ("LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu", "Affine")
BETA = ("ScaledTanh", "HardSigmoid", "Affine")
BOUNDED = ("Sigmoid", "Tanh", "ScaledTanh", "HardSigmoid", "Softsign")  # the others may grow from step to step
FLOAT = TensorProto.FLOAT


def numbers(rng, *shape):
    return rng.normal(0, 0.6, shape).astype(np.float32)


def layer(rng, op):
    steps, batch, width, hidden = (int(rng.integers(1, high)) for high in (9, 4, 8, 9))
    direction = ["forward", "reverse", "bidirectional"][rng.integers(3)]
    both = 2 if direction == "bidirectional" else 1
    constants, inputs, shapes = [], ["x"], {"x": [steps, batch, width]}

    def put(name, array, share):
        if rng.random() < share:
            constants.append(numpy_helper.from_array(array, name))
        inputs.append(name if any(c.name == name for c in constants) else "")

    put("W", numbers(rng, both, GATES[op] * hidden, width), 1)
    put("R", numbers(rng, both, GATES[op] * hidden, hidden), 1)
    put("B", numbers(rng, both, 2 * GATES[op] * hidden), 0.7)
    put("lens", rng.integers(1, steps + 1, batch).astype(np.int32), 0.3)
    if rng.random() < 0.4:
        inputs.append("h0")
        shapes["h0"] = [both, batch, hidden]
    else:
        put("H0", numbers(rng, both, batch, hidden), 0.5)
    attributes = {"hidden_size": hidden, "direction": direction}
    if op == "LSTM":
        put("C0", numbers(rng, both, batch, hidden), 0.5)
        put("P", numbers(rng, both, 3 * hidden), 0.4)
        attributes["input_forget"] = int(rng.integers(2))
    if op == "GRU":
        attributes["linear_before_reset"] = int(rng.integers(2))
    if rng.random() < 0.5:
        names = [(ALPHA + BOUNDED)[rng.integers(len(ALPHA + BOUNDED))] if op == "RNN" else BOUNDED[rng.integers(len(BOUNDED))]
                 for _ in range(FUNCTIONS[op] * both)]
        attributes["activations"] = names
        for key, takes in (("activation_alpha", ALPHA), ("activation_beta", BETA)):
            values = [float(v) for v in rng.uniform(0.1, 0.6, sum(name in takes for name in names))]
            attributes.update({key: values} if values else {})
    if rng.random() < 0.3:
        attributes["clip"] = float(rng.uniform(0.3, 2))
    while inputs[-1] == "":
        inputs.pop()
    outputs = ["y", "yh", "yc"][:3 if op == "LSTM" else 2]
    return [helper.make_node(op, inputs, outputs, **attributes)], shapes, outputs, constants


def scan(rng):
    steps, width = int(rng.integers(1, 9)), int(rng.integers(1, 6))
    weights = numpy_helper.from_array(numbers(rng, width, width), "w")
    info = [helper.make_tensor_value_info(name, FLOAT, [1, width]) for name in ("s", "e")]
    body = helper.make_graph(
        [helper.make_node("MatMul", ["s", "w"], ["p"]), helper.make_node("Add", ["p", "e"], ["q"]), helper.make_node("Tanh", ["q"], ["r"]),
         helper.make_node("Mul", ["r", "outside"], ["m"])], "body", info, [helper.make_tensor_value_info(n, FLOAT, [1, width]) for n in ("r", "m")])
    axis = int(rng.integers(3))
    shape = [1, width]
    shape.insert(axis, steps)
    node = helper.make_node("Scan", ["start", "x"], ["last", "all"], body=body, num_scan_inputs=1, scan_input_axes=[axis],
                            scan_input_directions=[int(rng.integers(2))], scan_output_axes=[int(rng.integers(3))],
                            scan_output_directions=[int(rng.integers(2))])
    constants = [weights, numpy_helper.from_array(numbers(rng, 1, width), "start"), numpy_helper.from_array(numbers(rng, width), "half")]
    return [helper.make_node("Abs", ["half"], ["outside"]), node], {"x": shape}, ["last", "all"], constants


def loop(rng):
    times, width = int(rng.integers(1, 7)), int(rng.integers(1, 6))
    stop = int(rng.integers(1, 7))
    body = helper.make_graph(
        [helper.make_node("Less", ["t", "stop"], ["goes_on"]), helper.make_node("Cast", ["t"], ["f"], to=FLOAT), helper.make_node("Add", ["s", "f"], ["q"]),
         helper.make_node("Mul", ["q", "x"], ["r"]), helper.make_node("Tanh", ["r"], ["n"])], "body",
        [helper.make_tensor_value_info("t", TensorProto.INT64, []), helper.make_tensor_value_info("c", TensorProto.BOOL, []),
         helper.make_tensor_value_info("s", FLOAT, [1, width])],
        [helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []), helper.make_tensor_value_info("n", FLOAT, [1, width]),
         helper.make_tensor_value_info("q", FLOAT, [1, width])])
    constants = [numpy_helper.from_array(np.array(times, np.int64), "times"), numpy_helper.from_array(np.array(stop, np.int64), "stop")]
    return [helper.make_node("Loop", ["times", "", "x"], ["last", "all"], body=body)], {"x": [1, width]}, ["last", "all"], constants


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("work")
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--most", type=int, default=200)
    options = parser.parse_args()
    weir = os.path.abspath(options.weir)
    os.makedirs(options.work, exist_ok=True)
    os.chdir(options.work)
    bad = count = 0
    for seed in range(options.most):
        rng = np.random.default_rng(SEED + seed)
        kind = ["LSTM", "GRU", "RNN", "Scan", "Loop"][seed % 5]
        nodes, shapes, outputs, constants = scan(rng) if kind == "Scan" else loop(rng) if kind == "Loop" else layer(rng, kind)
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(n, FLOAT, s) for n, s in shapes.items()],
                                  [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs], constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), "model.onnx")
        data = {name: numbers(rng, FRAMES, *shape) for name, shape in shapes.items()}
        session = onnxruntime.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
        expected = [session.run(None, {name: frames[i] for name, frames in data.items()}) for i in range(FRAMES)]
        given = []
        for name, frames in data.items():
            np.save(name + ".npy", frames)
            given += ["--data", (name + "=" if len(data) > 1 else "") + name + ".npy"]
        run = subprocess.run([weir, "eval", "model.onnx", "--engine", "float", *given, "-o", "out.npz"], capture_output=True, text=True)
        count += 1
        if run.returncode != 0:
            print("seed %d: %s: %s" % (seed, kind, run.stderr.strip()[:200]))
            bad += 1
            continue
        found = np.load("out.npz")
        for k, name in enumerate(outputs):
            wanted = np.stack([frame[k] for frame in expected])
            if options.plant and seed == 0:
                wanted.reshape(-1)[0] += 1
            worst = np.abs(found[name].reshape(wanted.shape) - wanted).max()
            if not worst < 1e-5:
                print("seed %d: %s: output %s differs by %g" % (seed, kind, name, worst))
                bad += 1
    print("%d recurrent layers, Scans and Loops, %d differ" % (count, bad))
    return bad > 0


sys.exit(main())
