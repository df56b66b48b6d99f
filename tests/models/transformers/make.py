"""make.py PYTORCH: the files of this folder. PYTORCH has a folder for each network as both of PyTorch's exporters write it (convnext, gpt,
norms, points, vit), with PyTorch's outputs; what is written here are some of these files with some of the outputs, and operators.onnx,
whose outputs are ONNX Runtime's."""

import pathlib
import shutil
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

here, given = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1])
FRAMES = 4
images = np.load(given / "images.npz")["x"]
for name, exporters in (("convnext", ["script"]), ("gpt", ["dynamo", "script"]), ("norms", ["script"]), ("points", ["script"]), ("vit", ["script"])):
    x = np.load(given / name / "tokens.npy")[:FRAMES] if name == "gpt" else images[:FRAMES].astype(np.float32) / np.float32(255)
    np.savez_compressed(here / f"{name}.npz", x=x, expected=np.load(given / name / "expected.npz")["y0"][:FRAMES])
    for exporter in exporters:
        shutil.copyfile(given / name / f"{exporter}.onnx", here / f"{name}_{exporter}.onnx")

rng = np.random.default_rng(38)


def real(*shape):
    return rng.normal(0, 0.5, shape).astype(np.float32)


constants, nodes = [], []


def constant(array):
    constants.append(numpy_helper.from_array(array, f"c{len(constants)}"))
    return constants[-1].name


def node(op, *inputs, domain="", **attributes):
    names = [x if isinstance(x, str) else constant(x) for x in inputs]
    nodes.append(helper.make_node(op, names, [f"v{len(nodes)}"], f"{op}_{len(nodes)}", domain=domain, **attributes))
    return nodes[-1].output[0]


# A block in ai.onnx's operators (rotary, causal, grouped queries), then one in ONNX Runtime's.
SIZE, LENGTH = 16, 6
normal = node("RMSNormalization", "x", real(SIZE))
q, k, v = node("MatMul", normal, real(SIZE, SIZE)), node("MatMul", normal, real(SIZE, 8)), node("MatMul", normal, real(SIZE, 8))
places = np.arange(LENGTH, dtype=np.int64)[None]
q = node("RotaryEmbedding", q, real(9, 2), real(9, 2), places, num_heads=4)
k = node("RotaryEmbedding", k, real(9, 2), real(9, 2), places, num_heads=2)
attended = node("Attention", q, k, v, q_num_heads=4, kv_num_heads=2, is_causal=1)
skipped = node("SkipLayerNormalization", node("MatMul", attended, real(SIZE, SIZE)), "x", real(SIZE), real(SIZE), domain="com.microsoft")
mask = np.array([[1, 1, 1, 0, 1, 1]], np.int32)
attended = node("Attention", skipped, real(SIZE, 3 * SIZE), real(3 * SIZE), mask, domain="com.microsoft", num_heads=2)
lower = node("Trilu", node("Einsum", attended, skipped, equation="nqc,nkc->nqk"), upper=0)
grouped = node("GroupNormalization", node("Transpose", node("MatMul", lower, skipped), perm=[0, 2, 1]), real(SIZE), real(SIZE), num_groups=4)
nodes.append(helper.make_node("Identity", [grouped], ["y"], "result"))
graph = helper.make_graph(nodes, "operators", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, LENGTH, SIZE))],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, SIZE, LENGTH))], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)], ir_version=10)
onnx.save(model, here / "operators.onnx")
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(here / "operators.onnx", options)
x = rng.normal(0, 1, (FRAMES, LENGTH, SIZE)).astype(np.float32)
np.savez_compressed(here / "operators.npz", x=x, expected=np.concatenate([session.run(None, {"x": f[None]})[0] for f in x]))
