"""batch.py WEIR MODEL.onnx SYMBOL: the first dimension of every input and output is SYMBOL ("": open without a name), and in
ONNX Runtime five frames at once give what each gives alone and what `weir eval` computes."""

import subprocess
import sys

import numpy
import onnx
import onnxruntime

import random_run

FRAMES = 5
weir, path, symbol = sys.argv[1:]


def close(a, b):
    """Float32 sums of five frames and of one differ in their order."""
    return a.shape == b.shape and numpy.allclose(a, b, rtol=1e-4, atol=1e-4)


options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
for value in session.get_inputs() + session.get_outputs():
    if isinstance(value.shape[0], int) or (value.shape[0] or "") != symbol:
        sys.exit(f"the first dimension of '{value.name}' is {value.shape[0]}, expected '{symbol}'")

random = numpy.random.default_rng(1)
feed = {i.name: random.normal(0, 1, [FRAMES] + i.shape[1:]).astype(numpy.float32) for i in session.get_inputs()}
together = session.run(None, feed)
alone = [session.run(None, {name: x[k : k + 1] for name, x in feed.items()}) for k in range(FRAMES)]
numpy.savez("frames.npz", **feed)
data = [f"--data={name}=frames.npz:{name}" for name in feed]
subprocess.run([weir, "eval", path, "--engine", "float", "-o", "ours.npz"] + data, check=True)
ours = numpy.load("ours.npz")
on_codes = {"QLinearConv", "QLinearMatMul", "QGemm"} & {node.op_type for node in onnx.load(path).graph.node}
saturates = bool(on_codes) and random_run.saturates()  # this processor has no instruction for such products in 32 bits
for index, output in enumerate(session.get_outputs()):
    if not close(together[index], numpy.concatenate([one[index] for one in alone])):
        sys.exit(f"'{output.name}': frames together give something else than alone")
    if not saturates and not close(together[index], ours[output.name].reshape(together[index].shape)):
        sys.exit(f"'{output.name}': weir computes something else")
