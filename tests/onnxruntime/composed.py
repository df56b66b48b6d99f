"""composed.py WEIR WORK [--plant]: operators of files that become several of the graph's (toolchain/frontend/import/onnx_compose.h), each alone in
models with many settings: what `weir eval --engine float` gives is what ONNX Runtime gives, up to the rounding of float32. --plant: one result is
changed, which must be noticed. Prints how many models; 1 where one differs."""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FRAMES = 4
onnxruntime.set_default_logger_severity(4)
weir, work, plant = sys.argv[1], sys.argv[2], "--plant" in sys.argv
os.makedirs(work, exist_ok=True)
rng = np.random.default_rng(7)
cases = []


def real(*shape):
    return rng.normal(0, 1, shape).astype(np.float32)


def add(op, domain, inputs, outputs=1, types=None, opset=18, **attributes):
    """Inputs: a shape is a graph input, an array a constant, None left out, the rest attributes."""
    cases.append((op, domain, inputs, outputs, types or {}, opset, attributes))


for left, right, result, a, b in [("i", "io", "o", (5,), (5, 3)), ("nd", "no", "do", (4, 3), (4, 2)), ("ij", "jk", "ik", (3, 4), (4, 2)),
                                  ("bij", "bjk", "bik", (2, 3, 4), (2, 4, 5)), ("hid", "hjd", "hij", (2, 3, 4), (2, 5, 4)),
                                  ("hij", "jhd", "ihd", (2, 3, 4), (4, 2, 5)), ("chw", "kc", "khw", (3, 2, 4), (5, 3)),
                                  ("i", "j", "ij", (3,), (4,)), ("ij", "ij", "", (3, 4), (3, 4)), ("ba", " ac", "cb", (3, 4), (4, 2)),
                                  ("abc", "cd", "dab", (2, 3, 4), (4, 5)), ("ij", "ij", "ij", (3, 4), (3, 4)), ("xy", "zy", "zx", (3, 4), (5, 4))]:
    add("Einsum", "", [(1,) + a, real(*b)], equation=f"N{left},{right}->N{result}")
    add("Einsum", "", [real(*a), (1,) + b], equation=f"{left},N{right}->N{result}")
add("Einsum", "", [(1, 4), real(4, 2)], equation="ij,jk")
for equation, shape in [("Nij->Nji", (1, 3, 4)), ("Nijk->Nk", (1, 2, 3, 4)), ("Nij->N", (1, 3, 4)), ("jNi->Nij", (2, 1, 3))]:
    add("Einsum", "", [shape], equation=equation)
for equation, *shapes in [("Nnd,Nno->Nd", (1, 4, 3), (1, 4, 2)), ("Nij,jk,kl->Nil", (1, 2, 3), (3, 4), (4, 5)), ("N...ij,jk->N...ik", (1, 2, 3, 4), (4, 2)),
                          ("...ij,...jk", (1, 2, 3, 4), (1, 2, 4, 2)), ("Nii->Ni", (1, 3, 3)), ("Nijj,j->Ni", (1, 2, 3, 3), (3,)),
                          ("Nij,Nij->Nij", (1, 2, 3), (1, 2, 3)), ("Nqhc,Nkhc->Nhqk", (1, 4, 2, 3), (1, 5, 2, 3))]:
    add("Einsum", "", [(1,) + shapes[0][1:], *(s if s[0] == 1 and len(s) > 2 else real(*s) for s in shapes[1:])], equation=equation)
for axis in (1, 2, 3, -1):
    for exclusive in (0, 1):
        for reverse in (0, 1):
            add("CumSum", "", [(1, 2, 3, 4), np.array(axis, np.int64)], exclusive=exclusive, reverse=reverse)
for axis in (0, 1, -1, -2):
    add("OneHot", "", [(1, 3), np.array(5, np.int64), np.array([-1, 3], np.float32)], types={0: np.int64}, axis=axis)
for axis, shape in ((1, (1, 2, 4)), (2, (1, 3, 6)), (-1, (1, 1, 2)), (1, (1, 5, 3))):
    add("GatherElements", "", [(1, 3, 4), rng.integers(-3, 3, shape).astype(np.int64)], axis=axis)
for batches, indices in ((0, [[0, 1], [0, -1]]), (0, [[[0, 1, 2], [0, 2, -4]]]), (1, [[[1], [-1]]]), (1, [[1, 2]]), (2, [[[1], [0], [-1]]]), (0, [0])):
    add("GatherND", "", [(1, 3, 4), np.array(indices, np.int64)], batch_dims=batches)
for op, more in (("Softmax", {"axis": -1}), ("LogSoftmax", {"axis": -2}), ("Hardmax", {"axis": -1}),
                 ("ReduceMean", {"axes": [-1]}), ("ReduceSum", {"axes": [-2, -1]}), ("ReduceMax", {"axes": [-1], "keepdims": 0}), ("Squeeze", {"axes": [-2]}),
                 ("Unsqueeze", {"axes": [-1]}), ("Split", {"axis": -1, "split": [1, 3]})):  # before opset 11, which has negative axes
    add(op, "", [(1, 3, 1, 4)], outputs=1 + (op == "Split"), opset=9, **more)
for axes in ([1], [2], [1, 2], [-1]):
    for keepdims in (0, 1):
        add("ReduceLogSumExp", "", [(1, 3, 4), np.array(axes, np.int64)], keepdims=keepdims)
        add("ReduceLogSumExp", "", [(1, 3, 4)], opset=13, axes=axes, keepdims=keepdims)
for axis in (1, 2, -1):
    indices = np.stack([rng.permutation(3)[:2] for _ in range(3)]).astype(np.int64)
    indices = (indices.T if axis == 1 else indices)[None]
    add("ScatterElements", "", [(1, 3, 4), indices, indices.shape], axis=axis)
for indices, updates in (([[0, 0], [0, 2]], (2, 4)), ([[0, 0, 1], [0, 2, -1]], (2,)), ([[[0, 1], [0, -3]]], (1, 2, 4))):
    add("ScatterND", "", [(1, 3, 4), np.array(indices, np.int64), real(*updates)])
activations = [{"activation": word} for word in ("Relu", "Tanh", "Sigmoid", "Softplus", "Softsign")]
for activation in activations + [{"activation": "LeakyRelu", "activation_alpha": 0.25}, {"activation": "Elu", "activation_alpha": 0.75},
                                     {"activation": "HardSigmoid", "activation_alpha": 0.3, "activation_beta": 0.4},
                                     {"activation": "Selu", "activation_alpha": 1.5, "activation_gamma": 1.25},
                                     {"activation": "ThresholdedRelu", "activation_alpha": 0.5}]:
    for trans_a, trans_b in ((0, 0), (0, 1), (1, 1)):
        add("FusedGemm", "com.microsoft", [(4, 1) if trans_a else (1, 4), real(5, 4) if trans_b else real(4, 5), real(5)],
            transA=trans_a, transB=trans_b, alpha=0.5, beta=2.0, **activation)
for trans_a in (0, 1):
    for trans_b in (0, 1):
        for alpha in (1.0, 0.125):
            add("FusedMatMul", "com.microsoft", [(1, 2, 4, 3) if trans_a else (1, 2, 3, 4), real(2, 5, 4) if trans_b else real(2, 4, 5)],
                transA=trans_a, transB=trans_b, alpha=alpha)
for activation in activations[:3] + [{"activation": "LeakyRelu", "activation_params": [0.25]},
                                     {"activation": "HardSigmoid", "activation_params": [0.3, 0.4]},
                                     {"activation": "Clip", "activation_params": [-0.5, 0.75]}]:
    add("FusedConv", "com.microsoft", [(1, 2, 5, 5), real(3, 2, 3, 3), real(3)], pads=[1, 1, 1, 1], **activation)
    add("FusedConv", "com.microsoft", [(1, 2, 5, 5), real(3, 2, 3, 3), real(3), (1, 3, 3, 3)], **activation)
for dtype in (np.uint8, np.int8):
    codes = rng.integers(-100, 100, (4, 5)).astype(np.int8)
    for scales, zeros in ((np.float32(0.02), np.int8(3)), (real(5) ** 2, np.zeros(5, np.int8)), (real(5) ** 2, np.int8(0))):
        a, b = [(1, 3, 4), codes, np.float32(0.1), scales], [np.array(7, dtype), zeros]
        for rest in ([], b, [*b, real(5)]):
            add("MatMulIntegerToFloat", "com.microsoft", [np.asarray(x) if not isinstance(x, tuple) else x for x in a + rest], types={0: dtype})
for codes, zero in ((rng.integers(-127, 128, (4, 5)).astype(np.int8), 0), (rng.integers(0, 256, (4, 5)).astype(np.uint8), 131)):
    for scales in (np.float32(0.02), abs(real(5)) + np.float32(0.01)):
        zeros = np.full(np.shape(scales), zero, codes.dtype)
        for rest in ([], [zeros], [zeros, real(5)]) if zero == 0 else ([zeros], [zeros, real(5)]):
            add("DynamicQuantizeMatMul", "com.microsoft", [(1, 3, 4), codes, np.asarray(scales), *rest])
for bits, columns, block in ((4, 40, 16), (4, 20, 32), (8, 40, 16), (8, 20, 32), (2, 40, 16), (2, 20, 32)):
    blocks = -(-columns // block)
    packed = rng.integers(0, 256, (3, blocks, block * bits // 8), np.uint8)
    for zeros in (None, rng.integers(0, 256, (3, -(-blocks * bits // 8)), np.uint8), real(3, blocks) if bits < 8 else None):
        for rest in ([], [None, real(3)]) if bits == 8 else ([], [None, real(3)], [rng.integers(0, blocks, columns, np.int32)]):
            if not rest or rest[0] is None or (bits == 4 and (zeros is None or zeros.dtype == np.float32)):
                scales = real(3, blocks) / 2**bits
                add("MatMulNBits", "com.microsoft", [(1, 2, columns), packed, scales, zeros, *rest] if rest or zeros is not None else
                    [(1, 2, columns), packed, scales.ravel()], K=columns, N=3, bits=bits, block_size=block)
for kind in (0, 1):
    for columns, block in ((40, 16), (5, 16), (64, 64)):
        add("MatMulBnb4", "com.microsoft", [(1, 2, columns), rng.integers(0, 256, (3 * columns + 1) // 2, np.uint8), abs(real(-(-3 * columns // block)))],
            K=columns, N=3, block_size=block, quant_type=kind)
add("CastLike", "", [(1, 7), np.zeros(1, np.float32)], types={0: np.int64})
add("Gelu", "com.microsoft", [(1, 7)])
add("BiasGelu", "com.microsoft", [(1, 7), real(7)])
add("FastGelu", "com.microsoft", [(1, 7)])
add("FastGelu", "com.microsoft", [(1, 7), real(7)])
add("QuickGelu", "com.microsoft", [(1, 7)])
add("QuickGelu", "com.microsoft", [(1, 7)], alpha=1.25)
for targets in (1, 3):
    for post in ("NONE", "SOFTMAX", "LOGISTIC"):
        if targets > 1 or post == "NONE":
            add("LinearRegressor", "ai.onnx.ml", [(1, 4)], coefficients=real(4 * targets).tolist(), intercepts=real(targets).tolist(),
                targets=targets, post_transform=post)
add("LinearRegressor", "ai.onnx.ml", [(1, 4)], coefficients=real(4).tolist())
for classes in (2, 3, 4):
    for post in ("NONE", "SOFTMAX", "LOGISTIC"):
        for labels in (list(range(classes)), [7 - i for i in range(classes)]):
            add("LinearClassifier", "ai.onnx.ml", [(1, 4)], outputs=2, coefficients=real(4 * classes).tolist(),
                intercepts=real(classes).tolist(), classlabels_ints=labels, post_transform=post)
add("LinearClassifier", "ai.onnx.ml", [(1, 4)], outputs=2, types={0: np.int64}, coefficients=real(12).tolist(),
    intercepts=real(3).tolist(), classlabels_ints=[0, 1, 2])
add("Normalizer", "ai.onnx.ml", [(1, 4)], norm="L1")
add("Normalizer", "ai.onnx.ml", [(1, 4)], norm="L2")

for k in (None, np.array(0, np.int64), np.array(1, np.int64), np.array(-2, np.int64), np.array(9, np.int64)):
    for upper in (0, 1):
        add("Trilu", "", [(1, 3, 4), k] if k is not None else [(1, 3, 4)], upper=upper)
for groups in (1, 2, 4):
    add("GroupNormalization", "", [(1, 4, 3, 5), real(4), real(4)], opset=21, num_groups=groups, epsilon=1e-3)
    add("GroupNormalization", "", [(1, 4, 6), (4,), (4,)], opset=21, num_groups=groups)
for size in (1, 3, 5, 9): # ONNX Runtime takes odd ones
    add("LRN", "", [(1, 6, 3, 4)], size=size, alpha=0.5, beta=0.6, bias=1.5)
add("LRN", "", [(1, 5, 2, 3)], size=3)
for axis in (1, 2, -1):
    add("LayerNormalization", "", [(1, 4, 6), real(*((4, 6) if axis == 1 else (6,))), real(6)], opset=12, axis=axis, epsilon=1e-3)
    add("SimplifiedLayerNormalization", "", [(1, 4, 6), real(*((4, 6) if axis == 1 else (6,)))], axis=axis, epsilon=1e-3, stash_type=1)
    add("RMSNormalization", "", [(1, 4, 6), real(*((4, 6) if axis == 1 else (6,)))], opset=23, axis=axis)
for rest in ([real(6)], [real(6), real(6)], [real(6), real(6), real(6)]):
    for outputs in (1, 4):
        add("SkipLayerNormalization", "com.microsoft", [(1, 4, 6), (1, 4, 6), *rest], outputs=outputs, epsilon=1e-4)
    add("SkipSimplifiedLayerNormalization", "com.microsoft", [(1, 4, 6), (1, 4, 6), *rest[:2]], epsilon=1e-4)
add("SkipSimplifiedLayerNormalization", "com.microsoft", [(1, 4, 6), real(1, 4, 6), real(6)], outputs=4)
for segments in (True, False):
    ids = [(1, 4), (1, 4) if segments else None, real(9, 6), real(8, 6), real(9, 6) if segments else None, real(6), real(6)]
    add("EmbedLayerNormalization", "com.microsoft", ids, types={0: np.int32, 1: np.int32}, epsilon=1e-4)
    add("EmbedLayerNormalization", "com.microsoft", [*ids, None, np.array([[3, 1, 0, 7]], np.int32)], types={0: np.int32, 1: np.int32})

for interleaved in (0, 1):
    for turned in (0, 4):
        half = (turned or 8) // 2
        places = np.array([[3, 0, 1, 7]], np.int64)
        for shape, heads in (((1, 2, 4, 8), {}), ((1, 4, 16), {"num_heads": 2})):
            more = {"interleaved": interleaved, "rotary_embedding_dim": turned, **heads}
            add("RotaryEmbedding", "", [shape, real(9, half), real(9, half), places], opset=23, **more)
            add("RotaryEmbedding", "", [shape, real(1, 4, half), real(1, 4, half)], opset=23, **more)
            if not turned or heads:
                for at in (places, np.array([2], np.int64)):
                    add("RotaryEmbedding", "com.microsoft", [shape, at, real(9, half), real(9, half)], **more)
add("RotaryEmbedding", "com.microsoft", [(1, 4, 16), np.array([2], np.int64), real(9, 4), real(9, 4)])

seen = np.array([[1, 1, 0, 1, 1, 0]], bool) | np.eye(4, 6, dtype=bool)
for heads, kv_heads in ((2, 2), (4, 2), (3, 1)):
    flat = [(1, 4, 8 * heads), (1, 6, 8 * kv_heads), (1, 6, 5 * kv_heads)]
    single = [(1, heads, 4, 8), (1, kv_heads, 6, 8), (1, kv_heads, 6, 5)]
    for more in ({}, {"is_causal": 1}, {"scale": 0.25}, {"softcap": 2.0}):
        add("Attention", "", flat, opset=23, q_num_heads=heads, kv_num_heads=kv_heads, **more)
        add("Attention", "", single, opset=23, **more)
    for mask in (seen, np.where(seen, 0, -np.inf).astype(np.float32), real(heads, 4, 6), (4, 6)):
        add("Attention", "", [*single, mask], opset=23)
        add("Attention", "", [*flat, mask], opset=23, q_num_heads=heads, kv_num_heads=kv_heads, is_causal=1)
    past = [None, (1, kv_heads, 3, 8), (1, kv_heads, 3, 5)]
    add("Attention", "", [*single, *past], outputs=3, opset=23, is_causal=1)
    for mode in (0, 1, 2, 3):
        add("Attention", "", [*flat, real(4, 9), *past[1:]], outputs=4, opset=23, q_num_heads=heads, kv_num_heads=kv_heads, softcap=3.0,
            qk_matmul_output_mode=mode)
ones = np.array([[1, 1, 0, 1]], np.int32)
for more in ({}, {"unidirectional": 1}, {"scale": 0.25}):
    for rest in ([], [np.array([3], np.int32)], [ones], [np.array([[[1, 0, 1, 0], [0, 1, 1, 1], [1, 1, 1, 1], [0, 0, 0, 1]]], np.int32)]):
        add("Attention", "com.microsoft", [(1, 4, 6), real(6, 24), real(24), *rest], num_heads=2, **more)
        add("MultiHeadAttention", "com.microsoft", [(1, 4, 8), (1, 4, 8), (1, 4, 6), real(22), *rest], num_heads=2, **more)
    add("Attention", "com.microsoft", [(1, 4, 6), real(6, 22), real(22)], num_heads=2, qkv_hidden_sizes=[8, 8, 6], **more)
    add("Attention", "com.microsoft", [(1, 4, 6), real(6, 24), real(24), None, real(2, 1, 2, 3, 4)], outputs=2,
        num_heads=2, **more)
add("Attention", "com.microsoft", [(1, 4, 6), real(6, 24), real(24), ones, None, real(1, 2, 4, 4)], num_heads=2, mask_filter_value=-100.0)
add("MultiHeadAttention", "com.microsoft", [(1, 4, 8), (1, 5, 8), (1, 5, 6), None, None, real(1, 2, 4, 5)], num_heads=2)
add("MultiHeadAttention", "com.microsoft", [(1, 4, 8), (1, 2, 5, 4), (1, 2, 5, 4)], num_heads=2)
add("MultiHeadAttention", "com.microsoft", [(1, 4, 8), (1, 4, 8), (1, 4, 8), None, None, None, (1, 2, 3, 4), (1, 2, 3, 4)], outputs=3, num_heads=2)

for trans_a, trans_b, left, right in ((0, 0, (3, 1, 2, 4), (4, 1, 2, 5)), (0, 1, (3, 1, 2, 4), (5, 1, 2, 4)), (1, 0, (4, 1, 2, 3), (4, 1, 2, 5))):
    add("FusedMatMul", "com.microsoft", [left, real(*right)], transA=trans_a, transB=trans_b, transBatchA=1, transBatchB=1)
    add("FusedMatMul", "com.microsoft", [(1, 2, 4, 3) if trans_a else (1, 2, 3, 4), real(*right)], transA=trans_a, transB=trans_b, transBatchB=1)

def run(number, op, domain, inputs, outputs, types, opset, attributes):
    """How far the values are off, or what was said instead."""
    names, values, constants, shapes = [], [], [], []
    for i, x in enumerate(inputs):
        names.append("" if x is None else f"i{i}")
        if x is None:
            continue
        if isinstance(x, tuple):
            dtype = types.get(i, np.float32)
            frames = [rng.integers(0 if op.startswith("Embed") else -5, 5, x).astype(dtype) if dtype != np.float32 else real(*x) for _ in range(FRAMES)]
            values.append((f"i{i}", frames))
            shapes.append(helper.make_tensor_value_info(f"i{i}", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), x))
        else:
            constants.append(numpy_helper.from_array(x, f"i{i}"))
    skipped = (1, 2) if op.startswith("Skip") else ()
    results = ["" if i in skipped else f"o{i}" for i in range(outputs)]
    also = ["mask"] if op.startswith("Embed") else []
    node = helper.make_node(op, names, results + also, domain=domain, **attributes)
    label = op == "LinearClassifier"
    declared = [helper.make_tensor_value_info(r, TensorProto.INT64 if label and i == 0 else TensorProto.FLOAT, None)
                for i, r in enumerate(results) if r]
    results = [r for r in results if r]
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(helper.make_graph([node], "g", shapes, declared, constants), opset_imports=opsets, ir_version=10)
    path = os.path.join(work, f"{number}_{op}")
    onnx.save(model, path + ".onnx")
    session = onnxruntime.InferenceSession(path + ".onnx")
    expected = [session.run(None, {n: v[f] for n, v in values}) for f in range(FRAMES)]
    np.savez(path + ".npz", **{n: np.stack([f.reshape(-1) for f in v]).reshape((FRAMES,) + v[0].shape) for n, v in values})
    said = subprocess.run([weir, "eval", path + ".onnx", "--engine", "float", "--data", path + ".npz", "-o", path + ".out.npz"],
                          capture_output=True, text=True)
    if said.returncode != 0:
        return [line for line in said.stderr.splitlines() if "error" in line][0]
    found = np.load(path + ".out.npz")
    for i, name in enumerate(results):
        want = np.stack([e[i].reshape(-1) for e in expected]).astype(np.float64)
        have = found[name].reshape(FRAMES, -1).astype(np.float64)
        if have.shape != want.shape:
            return f"{name} has the shape {have.shape}, expected {want.shape}"
        if plant and number == 0:
            have.flat[0] += 0.01
        off = np.abs(have - want) - 2e-5 * np.abs(want)
        if off.max() > 2e-6:
            return f"{name} is {off.max():g} off"
    return None


wrong = 0
for number, case in enumerate(cases):
    said = run(number, *case)
    if said is not None:
        wrong += 1
        print(f"{number} {case[0]} {case[6]}: {said}")
print(f"{len(cases)} models of {len({c[:2] for c in cases})} operators, {wrong} differ")
sys.exit(wrong > 0)
