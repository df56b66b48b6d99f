"""exported.py WEIR WORK [--plant] [--most N] [--simulate N] [--first N] [--seed N]: random networks (exported_networks.py) as PyTorch's two exporters write
them: the float engine gives PyTorch's results, `--quantize int8` compiles, its integer engine stays near, and the first ones have no mismatch in a simulator.
--plant: one result is changed, which must be noticed. Prints what was wrong and refused, and how many; exit status 1 where one is, 77 without PyTorch."""

import argparse
import contextlib
import io
import logging
import os
import random
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

SEED, NEAR = 7, 15  # decibels that int8 keeps of any of these networks
KNOWN = "hardware needs rows of two elements or more"  # attention of one patch to itself


def trained(module):
    """As if it had seen data: the statistics of batches."""
    module.eval()
    for part in module.modules():
        if isinstance(part, (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d)):
            part.running_mean.normal_(0, 0.3)
            part.running_var.uniform_(0.5, 1.5)
    return module


@contextlib.contextmanager
def silence():
    """Of Python and of what the exporter itself prints."""
    kept, nothing = [os.dup(1), os.dup(2)], os.open(os.devnull, os.O_WRONLY)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for number in (1, 2):
                os.dup2(nothing, number)
            yield
    finally:
        for number, before in zip((1, 2), kept):
            os.dup2(before, number)
            os.close(before)
        os.close(nothing)


def export(module, x, path, r):
    """Which exporter; none: it does not take the network."""
    options = {"dynamo": True, "verbose": False, "external_data": False} if r.random() < 0.5 else {"dynamo": False, "opset_version": r.choice((13, 14, 17))}
    try:
        with silence():
            torch.onnx.export(module, (x[:1],), path, **options)
    except Exception:  # pylint: disable=broad-except # of a dozen kinds
        return None
    return "dynamo" if options["dynamo"] else "script"


class Judge:
    def __init__(self, arguments):
        self.weir, self.plant, self.simulated, self.refused, self.known, self.wrong, self.made = arguments.weir, arguments.plant, 0, 0, 0, 0, 0
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
        status, text = self.run("compile", "model.onnx", "-q", "int8", "-c", "x.npy", "-o", "compiled")
        if status != 0:
            self.refused += KNOWN not in text
            self.known += KNOWN in text
            self.say(title, f"compile exits with {status}", text)
            return
        status, text = self.run("eval", "model.onnx", "-e", "int", "-q", "int8", "-c", "x.npy", "-d", "x.npy", "-o", "y.npy")
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
        r = random.Random(arguments.seed * 100000 + index)
        torch.manual_seed(arguments.seed * 100000 + index)
        module, x, name = exported_networks.KINDS[index % len(exported_networks.KINDS)](r)
        try:
            with torch.no_grad():
                want = trained(module)(x).numpy()
        except RuntimeError:  # an image became too small
            continue
        exporter = export(module, x, "model.onnx", r)
        if exporter is None:
            continue
        np.save("x.npy", x.numpy())
        judge.network(f"seed {arguments.seed}, network {index}, {name} by {exporter}", want, index < arguments.first + arguments.simulate, r)
    print(f"{judge.made} networks that PyTorch exported (seed {arguments.seed}), {judge.simulated} simulated: {judge.wrong} wrong, {judge.refused} refused, {judge.known} more of one step")
    return 1 if judge.wrong + judge.refused > 0 else 0


sys.exit(main())
