#!/usr/bin/env python3
"""Runs model.onnx with ONNX Runtime on the stored inputs and compares with the stored outputs of Weir's reference.

usage: compare.py [--rtol R] [--atol A] [--optimize all|none]
Everything lies beside this file; compare.json names it and has the tolerances: an element may differ from the expected
one by atol + rtol * |expected|. Where ONNX Runtime differs, it runs once more without its graph optimizations, which
may change results (fused operators round once, not twice), and it is said which of the two agrees.
Exit status: 0 equal, 1 different or refused by ONNX Runtime, 2 bad usage, 77 ONNX Runtime or NumPy is not installed.
"""

import argparse
import json
import os
import sys

try:
    import numpy
    import onnxruntime
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

FOLDER = os.path.dirname(os.path.abspath(__file__))


def load(name):
    return numpy.load(os.path.join(FOLDER, name), allow_pickle=False)


def start(model, optimize):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Where a CPU has no VNNI, the default 8-bit kernels add pairs of products in 16 bits and saturate.
    options.add_session_config_entry("session.x64quantprecision", "1")
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimize == "all" else levels.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(os.path.join(FOLDER, model), options, providers=["CPUExecutionProvider"])


def run(session, inputs, outputs):
    """Every frame by itself: a list of arrays a frame for each output."""
    frames = len(next(iter(inputs.values())))
    results = [[] for _ in outputs]
    for i in range(frames):
        feed = {name: data[i] for name, data in inputs.items()}
        for kept, found in zip(results, session.run(outputs, feed)):
            kept.append(found)
    return results


def compare(name, found, expected, rtol, atol):
    """Prints one line; True when every element is close enough."""
    found = numpy.stack(found)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        print(f"output '{name}': expected {expected.dtype}{expected.shape}, found {found.dtype}{found.shape}")
        return False
    one, other = found.astype(numpy.float64), expected.astype(numpy.float64)
    same = (found == expected) | (numpy.isnan(one) & numpy.isnan(other))
    with numpy.errstate(invalid="ignore"):
        distance = numpy.where(same, 0.0, numpy.abs(one - other))
        far = ~(distance <= atol + rtol * numpy.abs(other)) & ~same
    largest = float(distance.max()) if distance.size else 0.0
    print(
        f"output '{name}': {len(expected)} frames, max difference {largest:g}, "
        f"{int((~same).sum())} of {same.size} elements differ, {int(far.sum())} beyond the tolerance"
    )
    return not far.any()


def agrees(what, optimize, arguments):
    """Every output of the session close enough; None when there is no session."""
    try:
        session = start(what["model"], optimize)
    except Exception as error:  # ONNX Runtime has a class of its own for each kind of refusal
        print(f"ONNX Runtime refuses the file: {error}")
        return None
    inputs = {entry["name"]: load(entry["file"]) for entry in what["inputs"]}
    results = run(session, inputs, [entry["name"] for entry in what["outputs"]])
    fine = True
    for entry, found in zip(what["outputs"], results):
        fine &= compare(entry["name"], found, load(entry["file"]), arguments.rtol, arguments.atol)
    return fine


def main():
    with open(os.path.join(FOLDER, "compare.json"), encoding="utf-8") as file:
        what = json.load(file)
    parser = argparse.ArgumentParser(description="ONNX Runtime against Weir's reference")
    parser.add_argument("--rtol", type=float, default=what["rtol"], help="relative tolerance (%(default)s)")
    parser.add_argument("--atol", type=float, default=what["atol"], help="absolute tolerance (%(default)s)")
    parser.add_argument("--optimize", choices=["all", "none"], default="all", help="graph optimizations (%(default)s)")
    arguments = parser.parse_args()
    fine = agrees(what, arguments.optimize, arguments)
    if fine is None:
        return 1
    print(f"ONNX Runtime {onnxruntime.__version__}: {'equal' if fine else 'DIFFERENT'}")
    if not fine and arguments.optimize == "all":
        print("once more, without graph optimizations:")
        if agrees(what, "none", arguments):
            print("equal without them: ONNX Runtime's own graph optimizations are the difference")
        else:
            print("DIFFERENT as well: the graph optimizations are not the difference")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
