"""move_chains.py COUNT SEED: random chains of operators that only move elements, and what ONNX Runtime gives for 1, 2, 3, ...
Writes the chains that tests/unit/test_ir_index_map.c reads: `x DIMENSIONS`, an operator a line with its numbers in groups that
`|` separates, `= VALUES`. Made once (2000 32); the values are ONNX Runtime's."""

import random
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

MOST = 40  # elements
onnxruntime.set_default_logger_severity(4)
MODES = ["constant", "reflect", "edge", "wrap"]
COORDINATES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
NEAREST = ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]


def factor(rng, count):
    """Dimensions whose product is `count`."""
    dims = []
    while count > 1 and len(dims) < 4:
        divisors = [d for d in range(2, count + 1) if count % d == 0]
        dims.append(rng.choice(divisors))
        count //= dims[-1]
    dims = dims[:-1] + [dims[-1] * count] if dims else [count]
    for _ in range(rng.choice([0, 0, 1])):
        dims.insert(rng.randrange(len(dims) + 1), 1)
    return dims


def draw(rng, shape):
    """An operator for the shape: its line, its attributes and its constants, in order."""
    rank, count = len(shape), int(np.prod(shape))
    kind = rng.choice("Transpose Transpose Reshape Slice Pad Gather Expand Tile Split Squeeze Unsqueeze Resize "
                      "DepthToSpace SpaceToDepth Flatten Slice Pad".split())
    axis = rng.randrange(rank)
    if kind == "Transpose":
        perm = rng.sample(range(rank), rank)
        return kind, [perm], {"perm": perm}, []
    if kind == "Reshape":
        dims = factor(rng, count)
        return kind, [dims], {}, [dims]
    if kind == "Flatten":
        return kind, [[axis]], {"axis": axis}, []
    if kind == "Slice":
        step = rng.choice([1, 1, 2, -1, -2])
        first, last = sorted([rng.randrange(shape[axis]), rng.randrange(shape[axis])])
        start, end = (first, last + 1) if step > 0 else (last, first - 1 if first > 0 else -99)
        return kind, [[start], [end], [axis], [step]], {}, [[start], [end], [axis], [step]]
    if kind == "Pad":
        mode = rng.choice(MODES)
        pads = [0] * (2 * rank)
        for at in rng.sample(range(2 * rank), 2):
            most = shape[at % rank] - (1 if mode == "reflect" else 0)
            pads[at] = rng.randrange(0, 1 + min(2, most))
        return kind, [[MODES.index(mode)], pads], {"mode": mode}, [pads]
    if kind == "Gather":
        picked = [rng.randrange(-shape[axis], shape[axis]) for _ in range(rng.randrange(1, 5))]
        return kind, [[axis], picked], {"axis": axis}, [picked]
    if kind == "Expand":
        dims = [rng.choice([1, 2, 3]) if d == 1 else d for d in shape]
        dims = [rng.choice([1, 2])] * rng.choice([0, 0, 1]) + dims
        return kind, [dims], {}, [dims]
    if kind == "Tile":
        repeats = [rng.choice([1, 1, 2, 3]) for _ in shape]
        return kind, [repeats], {}, [repeats]
    if kind == "Split":
        sizes = []
        while sum(sizes) < shape[axis]:
            sizes.append(rng.randrange(1, shape[axis] - sum(sizes) + 1))
        taken = rng.randrange(len(sizes))
        return kind, [[axis], sizes, [taken]], {"axis": axis}, [sizes]
    if kind == "Squeeze":
        axes = [i for i, d in enumerate(shape) if d == 1]
        return (kind, [axes], {}, [axes]) if axes and len(axes) < rank else None
    if kind == "Unsqueeze":
        at = rng.randrange(rank + 1)
        return kind, [[at]], {}, [[at]]
    if kind == "Resize":
        coordinates, nearest = rng.choice(COORDINATES), rng.choice(NEAREST)
        sizes = list(shape)
        for i in range(max(0, rank - 2), rank):
            sizes[i] = rng.choice([shape[i], 2 * shape[i], max(1, shape[i] - 1), shape[i] + 1])
        return (kind, [[COORDINATES.index(coordinates)], [NEAREST.index(nearest)], sizes],
                {"coordinate_transformation_mode": coordinates, "nearest_mode": nearest, "mode": "nearest"},
                [None, None, sizes])
    if rank != 4:
        return None
    if kind == "DepthToSpace":
        mode = rng.choice(["DCR", "CRD"])
        return (kind, [[2], [mode == "CRD"]], {"blocksize": 2, "mode": mode}, []) if shape[1] % 4 == 0 else None
    return (kind, [[2]], {"blocksize": 2}, []) if shape[2] % 2 == 0 and shape[3] % 2 == 0 else None


def run(shape, kind, attributes, constants, outputs, taken, x):
    names, initializers = ["x"], []
    for i, constant in enumerate(constants):
        names.append("" if constant is None else f"c{i}")
        if constant is not None:
            initializers.append(numpy_helper.from_array(np.array(constant, np.int64), f"c{i}"))
    node = helper.make_node(kind, names, [f"y{i}" for i in range(outputs)], **attributes)
    results = [helper.make_tensor_value_info(f"y{taken}", TensorProto.FLOAT, None)]
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)], results,
                              initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def chain(rng):
    shape = [rng.choice([1, 2, 3, 4, 6]) for _ in range(rng.choice([1, 2, 3, 4, 4]))]
    if rng.random() < 0.2:
        shape = [rng.choice([1, 2]), 4, 2, rng.choice([2, 4])]
    count = int(np.prod(shape))
    if count > MOST:
        return None
    x = np.arange(1, count + 1, dtype=np.float32).reshape(shape)
    lines = ["x " + " ".join(map(str, shape))]
    for _ in range(rng.randrange(1, 7)):
        drawn = draw(rng, list(x.shape))
        if drawn is None:
            continue
        kind, groups, attributes, constants = drawn
        outputs = len(groups[1]) if kind == "Split" else 1
        taken = groups[2][0] if kind == "Split" else 0
        y = run(list(x.shape), kind, attributes, constants, outputs, taken, x)
        if not 0 < y.size <= MOST or y.ndim == 0 or y.ndim > 6:
            continue
        x = y
        lines.append(kind + " " + " | ".join(" ".join(str(int(v)) for v in group) for group in groups))
    return lines + ["= " + " ".join(str(int(v)) for v in x.reshape(-1))] if len(lines) > 1 else None


def main():
    count, rng = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    while count > 0:
        lines = chain(rng)
        if lines is not None:
            print("\n".join(lines))
            count -= 1


main()
