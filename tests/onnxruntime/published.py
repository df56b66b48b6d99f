"""published.py WEIR MODEL SHAPE [--frames N] [--plant] [--work DIR]: a published network, quantized by quantize_static with its default settings, as
its file has it and after its pre-processing, by both contracts.

The codes before the last Softmax equal ONNX Runtime's, at its default level for the contract `onnxruntime` and without optimizations for `model`,
or the first tensors that differ do so next to a tie, of an operator that ONNX Runtime leaves in float; how many elements is printed. --plant: a
fault in an output, which must be seen. Exit status 1 after a difference that is none of these."""

import argparse
import os
import sys
import tempfile

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

import random_run


class Frames(CalibrationDataReader):
    def __init__(self, name, frames):
        self.feeds = iter([{name: frame[None]} for frame in frames])

    def get_next(self):
        return next(self.feeds, None)


def before_softmax(path, shape):
    """The model for frames of this shape, up to the codes that its last Softmax reads."""
    model = onnx.load(path)
    for dimension, size in zip(model.graph.input[0].type.tensor_type.shape.dim[1:], shape[1:]):
        dimension.dim_value = size
    softmax = [node for node in model.graph.node if node.op_type == "Softmax"][-1]
    quantizer = next(node for node in model.graph.node if softmax.input[0] in node.output)
    return random_run.cut(model, quantizer.input[0], onnx.TensorProto.INT8)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("model")
    parser.add_argument("shape", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--work")
    a = parser.parse_args()
    work = os.path.abspath(a.work or tempfile.mkdtemp())
    os.makedirs(work, exist_ok=True)
    path, prepared, quantized = (os.path.join(work, name + ".onnx") for name in ("model", "prepared", "quantized"))
    name = onnx.load(a.model).graph.input[0].name
    draw = lambda seed, count: np.random.default_rng(seed).uniform(-1, 1, (count, *a.shape[1:])).astype(np.float32)
    np.save(os.path.join(work, "frames.npy"), draw(2, a.frames))
    np.save(os.path.join(work, "calibration.npy"), draw(1, 16))
    quant_pre_process(a.model, prepared, skip_symbolic_shape=True)
    for source in (a.model, prepared):
        quantize_static(source, quantized, Frames(name, draw(1, 16)))
        onnx.save(before_softmax(quantized, a.shape), path)
        weir = random_run.Weir(os.path.abspath(a.weir), work)
        frames = {name: np.load(os.path.join(work, "frames.npy"))}
        for contract, explain in (("onnxruntime", random_run.explain_default), ("model", random_run.explain)):
            ours = weir.evaluate("model.onnx", "--contract", contract, output="ours")
            ours[""].ravel()[0] += a.plant
            words = "the same"
            if not random_run.same(ours, random_run.results_of(path, frames, contract == "onnxruntime")):
                if a.plant:
                    sys.exit("published: error: contract %s: the fault is seen" % contract)
                try:
                    words = "%d elements differ next to a tie, %d as float64 rounds them" % explain(weir, path, frames)
                except random_run.Wrong as wrong:
                    sys.exit("published: error: contract %s: %s" % (contract, wrong))
            print("%s, %d frames, contract %s: %s" % ("pre-processed" if source == prepared else "as it is", a.frames, contract, words), flush=True)


if __name__ == "__main__":
    main()
