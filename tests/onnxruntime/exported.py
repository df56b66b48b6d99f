"""exported.py WEIR WORK [--plant] [--most N] [--simulate N] [--first N] [--seed N]: random networks (exported_networks.py) as PyTorch's two exporters write
them, some of them through ONNX Runtime's optimizer: the float engine gives PyTorch's results, `--quantize int8` compiles, its integer engine stays near, and the first ones have no mismatch in a simulator.
--plant: one result is changed, which must be noticed. Prints what was wrong and refused, and how many; exit status 1 where one is, 77 without PyTorch."""

import argparse
import logging
import os
import subprocess
import sys
import warnings

import numpy as np

try:
    import torch
    import onnxscript  # noqa: F401, of which one exporter is made
except (ImportError, ValueError) as error:
    print(f"skipped: no PyTorch with onnxscript: {error}")
    sys.exit(77)
import exported_networks

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

SEED, NEAR = 7, 15  # decibels that int8 keeps of any of these networks


class Judge:
    def __init__(self, arguments):
        self.weir, self.plant, self.simulated, self.refused, self.wrong, self.made = arguments.weir, arguments.plant, 0, 0, 0, 0
        self.profiles = ("always", "half", "eighth", "after-valid")

    def run(self, *command):
        run = subprocess.run([self.weir, *command], capture_output=True, text=True, check=False)
        return run.returncode, run.stderr + run.stdout

    def say(self, title, what, text):
        lines = [line for line in text.splitlines() if "error" in line or "ssert" in line] or text.splitlines()[-3:]
        print(f"{title}: {what}\n  " + "\n  ".join(lines[:3]), flush=True)

    def network(self, title, want, simulates, r):
        self.made += 1
        status, text = self.run("eval", "model.onnx", "-e", "float", "-d", "x.npy", "-o", "y.npy")
        found = np.load("y.npy").reshape(want.shape) if status == 0 else want + 1
        if not np.allclose(found + self.plant, want, atol=1e-4, rtol=1e-4):
            self.wrong += 1
            self.say(title, f"float, status {status}, differs by {np.abs(found - want).max()}", text)
            return
        form = ["-q", "int8", "-c", "x.npy", "--contract", r.choice(("model", "model", "model", "onnxruntime"))]
        if r.random() < 0.3:  # whose digits may be too few for these networks
            status, text = self.run("compile", "model.onnx", "-q", "fixed", "-c", "x.npy", "-o", "compiled")
            if status != 0:
                self.refused += 1
                self.say(title, f"compile -q fixed exits with {status}", text)
        status, text = self.run("compile", "model.onnx", *form, "-o", "compiled")
        title += " " + form[-1]
        if status != 0:
            self.refused += 1
            self.say(title, f"compile exits with {status}", text)
            return
        status, text = self.run("eval", "model.onnx", "-e", "int", *form, "-d", "x.npy", "-o", "y.npy")
        noise = np.square(np.load("y.npy").reshape(want.shape) - want).mean() if status == 0 else np.inf
        if not 10 * np.log10(np.square(want).mean() / max(noise, 1e-12)) >= NEAR:
            self.wrong += 1
            self.say(title, f"int8, status {status}, has noise of {noise}", text)
        if not simulates:
            return
        self.simulated += 1
        status, text = self.run("sim", "compiled", "-d", "x.npy", "--frames", "3", "--simulator", "icarus", "--profile", r.choice(self.profiles))
        if status != 0:
            self.wrong += 1
            self.say(title, f"sim exits with {status}", text)


def optimized(r):
    """Writes model.onnx as one of ONNX Runtime's levels leaves it, which needs no particular machine; what is said of that."""
    if onnxruntime is None or r.random() < 0.7:
        return ""
    options, level = onnxruntime.SessionOptions(), r.choice(("BASIC", "EXTENDED"))
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, "ORT_ENABLE_" + level)
    options.optimized_model_filepath, options.log_severity_level = "optimized.onnx", 4
    try:
        onnxruntime.InferenceSession("model.onnx", options)
    except Exception:  # pylint: disable=broad-except # what ONNX Runtime does not run
        return ""
    os.replace("optimized.onnx", "model.onnx")
    return f" optimized {level}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("work")
    parser.add_argument("--plant", action="store_true")
    for name, number in (("most", 40), ("simulate", 4), ("first", 0), ("seed", SEED)):
        parser.add_argument("--" + name, type=int, default=number)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    os.makedirs(arguments.work, exist_ok=True)
    os.chdir(arguments.work)
    judge = Judge(arguments)
    for index in range(arguments.first, arguments.first + arguments.most):
        made = exported_networks.export(arguments.seed * 100000 + index, "model.onnx")
        if made is None:
            continue
        x, want, name, r = made
        np.save("x.npy", x)
        name += optimized(r)
        judge.network(f"seed {arguments.seed}, network {index}, {name}", want, index < arguments.first + arguments.simulate, r)
    print(f"{judge.made} networks that PyTorch exported (seed {arguments.seed}), {judge.simulated} simulated: {judge.wrong} wrong, {judge.refused} refused")
    return 1 if judge.wrong + judge.refused > 0 else 0


sys.exit(main())
