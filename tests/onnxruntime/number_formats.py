"""number_formats.py WEIR MODEL DATA CALIBRATION [--plant]: number formats in files, run by others.

MODEL quantized by a configuration of each format is exported in each form; qonnx runs FloatQuant, ONNX Runtime the floats of 8 bits and the blocks
that it has kernels for, onnx.reference the rest. Where codes meet codes, the results are the same; weights of blocks meet real numbers, whose
sums float32 rounds. What is read back computes what was exported. Exit status 1 where one differs. With --plant one result is another."""

import argparse
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

onnxruntime.set_default_logger_severity(4)
FRAMES, ROUNDED = 24, 1e-5
MINIFLOAT = "name: minifloat_ieee, width: 8, exponent_width: 4"
# A configuration, the largest difference, the forms that have it.
CASES = [
    (f"{MINIFLOAT}, exponent_bias: 7", 0, ["native", "qdq", "qonnx"]),
    (f"{MINIFLOAT}, weight_width: 4, weight_exponent_width: 2, bias_name: NA", 0, ["native", "qdq", "qonnx"]),
    ("name: minifloat_denorm, width: 8, exponent_width: 3", 0, ["native", "qonnx"]),
    *((f"name: {block}, data_in_name: NA, bias_name: NA", ROUNDED, ["native", "qdq"])
      for block in ["mxfp", "mxfp, exponent_width: 5, frac_width: 2", "mxfp, exponent_width: 2, frac_width: 1", "nvfp4", "mxint",
                    "mxint, width: 4, block_size: 7", "block_fp, width: 8", "block_minifloat"]),
]


def run_qonnx(model, frames):
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.core.onnx_exec import execute_onnx
    from qonnx.transformation.infer_shapes import InferShapes

    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    wrapped = ModelWrapper(model).transform(InferShapes())
    name, output = model.graph.input[0].name, model.graph.output[0].name
    return np.concatenate([execute_onnx(wrapped, {name: frame[None]})[output] for frame in frames])


def run_others(path, frames):
    model = onnx.load(path)
    name = model.graph.input[0].name
    if any(node.op_type == "FloatQuant" for node in model.graph.node):
        return "qonnx", run_qonnx(model, frames)
    try:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        run = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run
        word = "ONNX Runtime"
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
        run, word = ReferenceEvaluator(model).run, "onnx.reference"
    return word, np.concatenate([run(None, {name: frame[None]})[0] for frame in frames])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("calibration")
    parser.add_argument("--plant", action="store_true")
    a = parser.parse_args()
    frames = np.load(a.data)["x"][:FRAMES].astype(np.float32)
    np.save("frames.npy", frames)
    failures = 0
    for number, (format, tolerance, forms) in enumerate(CASES):
        with open("config.yaml", "w") as file:
            file.write(f"default: {{config: {{{format}}}}}\n")
        quantize = ["--quantize", "config.yaml", "--calibration", a.calibration]
        weir = lambda *words: subprocess.run([a.weir, *words], check=True, capture_output=True)
        evaluate = lambda model, to, *more: weir("eval", model, *more, "-e", "float", "-d", "frames.npy", "-o", to)
        evaluate(a.model, "own.npy", *quantize)
        own = np.load("own.npy")
        for form in forms:
            weir("export", a.model, *quantize, "--form", form, "-o", "made.onnx")
            evaluate("made.onnx", "again.npy")
            again = np.load("again.npy")
            word, theirs = run_others("made.onnx", frames)
            if a.plant and number == 0:
                theirs[0, 0] += 1
            off = float(np.abs(own - theirs).max())
            wrong = not (own == again).all() or not off <= tolerance
            failures += wrong
            print(f"{'DIFFERENT' if wrong else 'same'}: {format} as {form}: {word} differs by up to {off:g}, read back {int((own != again).sum())} values")
    sys.exit(1 if failures else 0)


main()
