"""recurrent_hardware.py WEIR WORK [--plant] [--most N] [--simulate N] [--first N] [--seed N]: random LSTM, GRU and RNN layers in hardware: directions, sequences at once, peepholes,
clip, functions, initial states that are constant, come in, are kept from frame to frame or are what a layer before ends with. The float engine gives ONNX
Runtime's results within 1e-5; all compile with `--quantize int8` in a random folding; the first ones have no mismatch in a random simulator under a random
profile, damaged frames too.
--plant: one result is changed, which must be noticed. Prints how many; exit status 1 where one is wrong."""

import argparse
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

onnxruntime.set_default_logger_severity(4)
FRAMES, SEED = 6, 5
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
FUNCTIONS = {"LSTM": 3, "GRU": 2, "RNN": 1}
BOUNDED = ("Sigmoid", "Tanh", "HardSigmoid", "Softsign")
REFUSED = "no component is exact for its 16-bit codes"  # a constant for each element of a batch, of one step alone
PROFILES = ("always", "half", "eighth", "after-valid")


class Network:
    def __init__(self, rng):
        self.rng, self.nodes, self.constants, self.shapes, self.outputs, self.kept = rng, [], [], {}, [], []
        self.steps, self.batch, self.width = (int(rng.integers(low, high)) for low, high in ((1, 6), (1, 3), (1, 6)))
        self.value, self.ends = "x", {}
        self.shapes["x"] = [self.steps, self.batch, self.width]

    def constant(self, *shape):
        name = f"k{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(self.rng.normal(0, 0.6, shape).astype(np.float32), name))
        return name

    def initial(self, name, shape):
        """What a layer begins with, and whether it is kept: the layer's last is its next."""
        before = [value for value, size in self.ends.items() if size == shape]
        choice = self.rng.random()
        if before and choice < 0.4:
            return before[self.rng.integers(len(before))], False
        if choice < 0.2:
            return "", False
        if choice < 0.4:
            return self.constant(*shape), False
        self.shapes[name] = shape
        return name, choice > 0.7

    def layer(self, index):
        rng, op = self.rng, ("LSTM", "GRU", "RNN")[self.rng.integers(3)]
        hidden = int(rng.integers(1, 6)) if not self.ends or rng.random() < 0.5 else list(self.ends.values())[-1][2]
        direction = ("forward", "reverse", "bidirectional")[rng.integers(3)]
        both = 2 if direction == "bidirectional" else 1
        shape = [both, self.batch, hidden]
        inputs = [self.value, self.constant(both, GATES[op] * hidden, self.width), self.constant(both, GATES[op] * hidden, hidden),
                  self.constant(both, 2 * GATES[op] * hidden) if rng.random() < 0.7 else "", ""]
        names = [f"h{index}_in", f"c{index}_in"][:2 if op == "LSTM" else 1]
        lasts = [f"h{index}_out", f"c{index}_out"][:len(names)]
        for name, last in zip(names, lasts):
            value, kept = self.initial(name, shape)
            inputs.append(value)
            self.kept += [(value, last)] if kept else []
        attributes = {"hidden_size": hidden, "direction": direction}
        if op == "LSTM" and rng.random() < 0.4:
            inputs.append(self.constant(both, 3 * hidden))
        if op == "LSTM":
            attributes["input_forget"] = int(rng.integers(2))
        if op == "GRU":
            attributes["linear_before_reset"] = int(rng.integers(2))
        if rng.random() < 0.3:
            attributes["activations"] = [BOUNDED[rng.integers(len(BOUNDED))] for _ in range(FUNCTIONS[op] * both)]
        if rng.random() < 0.3:
            attributes["clip"] = float(rng.uniform(0.3, 2))
        while inputs[-1] == "":
            inputs.pop()
        y = f"y{index}"
        self.nodes.append(helper.make_node(op, inputs, [y, *lasts], **attributes))
        self.ends.update((last, shape) for last in lasts)
        kept = {last for _, last in self.kept}
        self.outputs += [last for last in lasts if last in kept or rng.random() < 0.5]
        moved, self.width = f"y{index}_moved", both * hidden
        for name, axes in (("order", None), ("shape", [self.steps, self.batch, self.width])):
            if axes is None:
                self.nodes.append(helper.make_node("Transpose", [y], [moved + name], perm=[0, 2, 1, 3]))
            else:
                self.constants.append(numpy_helper.from_array(np.array(axes, np.int64), moved + name + "_sizes"))
                self.nodes.append(helper.make_node("Reshape", [moved + "order", moved + name + "_sizes"], [moved]))
        self.value = moved

    def model(self):
        graph = helper.make_graph(
            self.nodes, "g", [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in self.shapes.items()],
            [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in [self.value, *self.outputs]], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def random_network(rng):
    network = Network(rng)
    for index in range(int(rng.integers(1, 4))):
        network.layer(index)
    return network


def results(network, model, data, sequence):
    """By frame, with what is kept handed on."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names, kept, found = [o.name for o in session.get_outputs()], dict(network.kept), []
    for frame in range(FRAMES):
        feed = {name: values[frame] for name, values in data.items() if name not in kept}
        begins = frame % sequence == 0
        feed.update({name: np.zeros(network.shapes[name], np.float32) if begins else found[-1][last] for name, last in kept.items()})
        found.append(dict(zip(names, session.run(None, feed))))
    return {name: np.stack([frame[name] for frame in found]) for name in names if name not in kept.values()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weir")
    parser.add_argument("work")
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--most", type=int, default=24)
    parser.add_argument("--simulate", type=int, default=6)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    weir, wrong, refused = os.path.abspath(arguments.weir), 0, 0
    os.makedirs(arguments.work, exist_ok=True)
    os.chdir(arguments.work)

    def run(*words):
        done = subprocess.run([weir, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    for index in range(arguments.first, arguments.first + arguments.most):
        rng = np.random.default_rng([arguments.seed, index])
        network = random_network(rng)
        model = network.model()
        onnx.save(model, "layers.onnx")
        data = {name: rng.uniform(-1, 1, (FRAMES, *shape)).astype(np.float32) for name, shape in network.shapes.items()}
        sequence = int(rng.integers(2, 5))
        want = results(network, model, data, sequence)
        kept = dict(network.kept)
        np.savez("data.npz", **{name: values for name, values in data.items() if name not in kept})
        words = [word for pair in network.kept for word in ("--state", "=".join(pair))] or ["--state", "none"]
        words += ["--sequence", str(sequence)] if kept else []
        status, text = run("eval", "layers.onnx", "-e", "float", *words, "-d", "data.npz", "-o", "found.npz")
        found = np.load("found.npz") if status == 0 else {}
        worst = max((np.abs(found[n].reshape(v.shape) - v).max() for n, v in want.items() if n in found), default=np.inf)
        if arguments.plant:
            worst += 1
        if not worst < 1e-5:
            wrong += 1
            print(f"seed {arguments.seed}, network {index}: float differs by {worst}\n{text.strip()[:400]}")
        folding = ("-m", str(rng.integers(4, 200))) if rng.random() < 0.5 else ("-t", str(rng.integers(1, 3000)))
        simulator = "verilator" if rng.random() < 0.1 else "icarus"
        profile = PROFILES[rng.integers(len(PROFILES))]
        simulated = index < arguments.first + arguments.simulate
        what = ["check", "-d", "data.npz", "--malformed", "--profile", profile, "--simulator", simulator, "--debug-frames", "2"] if simulated else [
            "compile", "-o", "compiled"]
        status, text = run(what[0], "layers.onnx", *words, "-q", "int8", "-c", "data.npz", *folding, *what[1:])
        if status == 1 and REFUSED in text:
            refused += 1
        elif status != 0:
            wrong += 1
            print(f"seed {arguments.seed}, network {index}: {what[0]} {' '.join(folding)} exits with {status}\n{text.strip()[:1500]}")
        elif "warning" in text:
            print(f"seed {arguments.seed}, network {index}: " + "; ".join(line for line in text.splitlines() if "warning" in line))
    print(f"{arguments.most} recurrent networks in hardware (seed {arguments.seed}), {min(arguments.most, arguments.simulate)} simulated: {wrong} wrong, {refused} refused")
    return 1 if wrong else 0


sys.exit(main())
