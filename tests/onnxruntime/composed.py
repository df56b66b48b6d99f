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


def add(op, domain, inputs, outputs=1, types=None, **attributes):
    """Inputs: a shape is a graph input, an array a constant, the rest attributes."""
    cases.append((op, domain, inputs, outputs, types or {}, attributes))


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
for axis in (1, 2, 3, -1):
    for exclusive in (0, 1):
        for reverse in (0, 1):
            add("CumSum", "", [(1, 2, 3, 4), np.array(axis, np.int64)], exclusive=exclusive, reverse=reverse)
for axis in (0, 1, -1, -2):
    add("OneHot", "", [(1, 3), np.array(5, np.int64), np.array([-1, 3], np.float32)], types={0: np.int64}, axis=axis)
for axis, shape in ((1, (1, 2, 4)), (2, (1, 3, 6)), (-1, (1, 1, 2)), (1, (1, 5, 3))):
    add("GatherElements", "", [(1, 3, 4), rng.integers(-3, 3, shape).astype(np.int64)], axis=axis)
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


def run(number, op, domain, inputs, outputs, types, attributes):
    """How far the values are off, or what was said instead."""
    names, values, constants, shapes = [], [], [], []
    for i, x in enumerate(inputs):
        names.append(f"i{i}")
        if isinstance(x, tuple):
            dtype = types.get(i, np.float32)
            frames = [rng.integers(-5, 5, x).astype(dtype) if dtype != np.float32 else real(*x) for _ in range(FRAMES)]
            values.append((f"i{i}", frames))
            shapes.append(helper.make_tensor_value_info(f"i{i}", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), x))
        else:
            constants.append(numpy_helper.from_array(x, f"i{i}"))
    results = [f"o{i}" for i in range(outputs)]
    node = helper.make_node(op, names, results, domain=domain, **attributes)
    label = outputs == 2
    declared = [helper.make_tensor_value_info(r, TensorProto.INT64 if label and i == 0 else TensorProto.FLOAT, None)
                for i, r in enumerate(results)]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(helper.make_graph([node], "g", shapes, declared, constants), opset_imports=opsets, ir_version=8)
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
        print(f"{number} {case[0]} {case[5]}: {said}")
print(f"{len(cases)} models of {len({c[:2] for c in cases})} operators, {wrong} differ")
sys.exit(wrong > 0)
