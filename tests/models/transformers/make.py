"""make.py REFERENCE: the files of this folder: operators.onnx, masks.onnx and decoder.onnx, whose outputs are ONNX Runtime's, and shift.onnx, whose
outputs are those of pactops_ref.py in REFERENCE."""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

here = pathlib.Path(__file__).parent
FRAMES = 4
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

# A block of RequantShift's domain, its operators without a domain and their attributes as tensors.
sys.path.insert(0, sys.argv[1])
import pactops_ref

constants, nodes = [], []
whole = lambda low, high, *shape: rng.integers(low, high, shape).astype(np.float32)
tensors = lambda **values: {k: numpy_helper.from_array(np.array([v], np.float32), k) for k, v in values.items()}
shift = lambda x, mul, add, signed=1: node("RequantShift", x, np.asarray(mul, np.float32), np.asarray(add, np.float32),
                                           **tensors(div=2.0 ** 12, n_levels_out=256.0, signed=float(signed)))
y = shift(node("Conv", "x", whole(-20, 20, 8, 1, 3, 3), kernel_shape=[3, 3], pads=[1, 1, 1, 1]), whole(4, 9, 8, 1, 1), whole(-9, 9, 8, 1, 1), 0)
y = node("Transpose", node("Reshape", y, np.array([1, 8, 16], np.int64)), perm=[0, 2, 1])
y = node("iLayerNorm", y, whole(2000, 9000, 8), whole(-90, 90, 8), **tensors(D=128.0, n_levels=256.0))
q, k, v = (shift(node("MatMul", y, whole(-20, 20, 8, 8)), 9, 3) for _ in range(3))
scores = shift(node("MatMul", q, node("Transpose", k, perm=[0, 2, 1])), 7, 0)
shares = node("iSoftmax", scores, **tensors(coeffA=1.0, coeffB=84.0, coeffC=3735.0, log2=62.0, n_levels=256.0))
y = shift(node("Add", shift(node("MatMul", shares, v), 17, 1), y), 2048, 0)
y = shift(node("iGELU", y, b=-40, one=1743), 20, 0)
y = node("IntegerMean", shift(node("iHardswish", y, one_over_six=42, three=122, six=245), 6, 0), axes=[1], keepdims=0)
nodes.append(helper.make_node("Gemm", [y, constant(whole(-20, 20, 5, 8)), constant(whole(-900, 900, 5))], ["y"], "result", transB=1))
graph = helper.make_graph(nodes, "shift", [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 4, 4))],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 5))], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 10)], ir_version=5)
onnx.save(model, here / "shift.onnx")
x = whole(0, 256, FRAMES, 1, 4, 4)
style = {"round": 1, "softmax_signed": 0, "mean": "half", "div": "floor"}
np.savez_compressed(here / "shift.npz", x=x, expected=np.concatenate([pactops_ref.run(model, {"x": f[None]}, style)[0][0] for f in x]).astype(np.float32))

# Attention written out with three masks: causal, of whole numbers that come in, of conditions that come in.
constants, nodes = [], []
rng = np.random.default_rng(39)
SIZE, LENGTH, FRAMES = 8, 6, 8
heads, back = np.array([1, LENGTH, 2, SIZE // 2], np.int64), np.array([1, LENGTH, SIZE], np.int64)


def attention(x, masked):
    q, k, v = (node("Reshape", node("MatMul", x, real(SIZE, SIZE)), heads) for _ in range(3))
    q, k, v = node("Transpose", q, perm=[0, 2, 1, 3]), node("Transpose", k, perm=[0, 2, 3, 1]), node("Transpose", v, perm=[0, 2, 1, 3])
    shares = node("Softmax", masked(node("MatMul", node("Mul", q, np.float32(0.75)), node("Mul", k, np.float32(0.75)))), axis=-1)
    y = node("Reshape", node("Transpose", node("MatMul", shares, v), perm=[0, 2, 1, 3]), back)
    return node("MatMul", y, real(SIZE, SIZE))


far = np.float32(np.finfo(np.float32).min)
left_out = node("Mul", node("Sub", np.float32(1), node("Cast", node("Unsqueeze", "words", np.array([1, 2], np.int64)), to=1)), far)
y = attention("x", lambda s: node("Add", s, np.triu(np.full((LENGTH, LENGTH), -np.inf, np.float32), 1)))
y = attention(y, lambda s: node("Add", s, left_out))
y = attention(y, lambda s: node("Where", "seen", s, np.float32(-np.inf)))
nodes.append(helper.make_node("Identity", [y], ["y"], "result"))
inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, LENGTH, SIZE)), helper.make_tensor_value_info("words", TensorProto.INT64, (1, LENGTH)),
          helper.make_tensor_value_info("seen", TensorProto.BOOL, (1, 1, LENGTH, LENGTH))]
graph = helper.make_graph(nodes, "masks", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, LENGTH, SIZE))], constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.save(model, here / "masks.onnx")
session = onnxruntime.InferenceSession(here / "masks.onnx", options)
words = rng.integers(0, 2, (FRAMES, LENGTH))
words[:, 0] = 1
seen = rng.random((FRAMES, 1, LENGTH, LENGTH)) < 0.6
seen[:, 0, range(LENGTH), range(LENGTH)] = True
given = {"x": rng.normal(0, 1, (FRAMES, LENGTH, SIZE)).astype(np.float32), "words": words, "seen": seen}
expected = np.concatenate([session.run(None, {k: v[i:i + 1] for k, v in given.items()})[0] for i in range(FRAMES)])
np.savez_compressed(here / "masks.npz", **given)
np.savez_compressed(here / "masks_expected.npz", y=expected)

# A decoder over whole sequences of words: causal attention of two heads that share keys, nearer words count more; a dense block.
constants, nodes = [], []
WORDS, SEQUENCES, HEADS = 24, 12, 2
x = node("Gather", real(WORDS, SIZE), "tokens")
heads, keys = np.array([1, LENGTH + 2, HEADS, 4], np.int64), np.array([1, LENGTH + 2, 1, 4], np.int64)
t = np.arange(LENGTH + 2)
nearer = np.where(t[:, None] >= t, (t - t[:, None]) * np.array([0.5, 0.125])[:, None, None], -np.inf).astype(np.float32)
for _ in range(2):
    normal = node("RMSNormalization", x, np.ones(SIZE, np.float32))
    q = node("Transpose", node("Reshape", node("MatMul", normal, real(SIZE, HEADS * 4)), heads), perm=[0, 2, 1, 3])
    k, v = (node("Transpose", node("Reshape", node("MatMul", normal, real(SIZE, 4)), keys), perm=[0, 2, 1, 3]) for _ in range(2))
    shares = node("Softmax", node("Add", node("MatMul", q, node("Transpose", k, perm=[0, 1, 3, 2])), nearer), axis=-1)
    y = node("Reshape", node("Transpose", node("MatMul", shares, v), perm=[0, 2, 1, 3]), np.array([1, LENGTH + 2, HEADS * 4], np.int64))
    x = node("Add", x, node("MatMul", y, real(HEADS * 4, SIZE)))
    inside = node("MatMul", node("RMSNormalization", x, np.ones(SIZE, np.float32)), real(SIZE, 12))
    x = node("Add", x, node("MatMul", node("Mul", inside, node("Sigmoid", inside)), real(12, SIZE)))
nodes.append(helper.make_node("MatMul", [x, constant(real(SIZE, WORDS))], ["y"], "result"))
graph = helper.make_graph(nodes, "decoder", [helper.make_tensor_value_info("tokens", TensorProto.INT64, (1, LENGTH + 2))],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, LENGTH + 2, WORDS))], constants)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10), here / "decoder.onnx")
session = onnxruntime.InferenceSession(here / "decoder.onnx", options)
tokens = rng.integers(0, WORDS, (SEQUENCES, LENGTH + 2))
expected = np.concatenate([session.run(None, {"tokens": s[None]})[0] for s in tokens])
np.savez_compressed(here / "decoder.npz", tokens=tokens, expected=expected.reshape(-1, 1, WORDS))
