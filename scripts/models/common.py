"""Shared facts of the digits models: seeds, the data split, file writing and model descriptions."""

import hashlib
import os

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from sklearn.datasets import load_digits

SEED_SPLIT = 20240501
SEED_TRAIN = 7
SEED_RANDOM = 99
TEST_IMAGES = 397
CALIBRATION_IMAGES = 256
RANDOM_ROWS = 10000

ALLOWED_OPS = {
    "Gemm", "MatMul", "Add", "Relu", "Flatten", "Reshape", "Transpose", "Constant", "Identity",
    "QuantizeLinear", "DequantizeLinear", "QLinearMatMul", "MatMulInteger", "QGemm", "Quant", "BipolarQuant",
}


class Digits:
    """The 1,797 images as float32 [N,64] in 0..1, split by a seeded shuffle."""

    def __init__(self):
        raw = load_digits()
        self.all_x = (raw.data / 16.0).astype(np.float32)
        self.all_y = raw.target.astype(np.int64)
        order = np.random.RandomState(SEED_SPLIT).permutation(len(self.all_x))
        train, test = order[:-TEST_IMAGES], order[-TEST_IMAGES:]
        self.train_x, self.train_y = self.all_x[train], self.all_y[train]
        self.test_x, self.test_y = self.all_x[test], self.all_y[test]
        self.calib_x = self.train_x[:CALIBRATION_IMAGES]

    @staticmethod
    def random_rows():
        """Inputs far outside the images: multiples of 1/64 from -0.5 to 1.5."""
        k = np.random.RandomState(SEED_RANDOM).randint(-32, 97, size=(RANDOM_ROWS, 64))
        return (k / 64.0).astype(np.float32)


def write_npz(path, **arrays):
    """Write a deflated npz. NumPy stamps members with a fixed date, so equal arrays give equal bytes."""
    np.savez_compressed(path, **arrays)


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def check_allowed(path):
    """Stop if the model uses an operator outside the set that the importer is tested with."""
    model = onnx.load(path)
    extra = {n.op_type for n in model.graph.node} - ALLOWED_OPS
    if extra:
        raise SystemExit(f"{os.path.basename(path)}: operators outside the allowed set: {sorted(extra)}")


def _type_text(value):
    t = value.type.tensor_type
    dims = [d.dim_param or str(d.dim_value) for d in t.shape.dim]
    return f"{TensorProto.DataType.Name(t.elem_type).lower()}[{','.join(dims)}]"


def _array_text(a):
    flat = a.ravel()
    if flat.size == 1:
        return f"= {flat[0].item()!r}"
    if (flat == flat[0]).all():
        return f"all {flat[0]}"
    return f"min {flat.min()} max {flat.max()}"


def describe(path, out=print):
    """Print a model node by node: domains, attributes, inputs, and every constant's type, shape and range."""
    model = onnx.load(path)
    graph = model.graph
    opsets = ", ".join(f"{o.domain or 'ai.onnx'} {o.version}" for o in model.opset_import)
    out(f"{os.path.basename(path)}: ir {model.ir_version}, opsets {opsets}, "
        f"producer {model.producer_name} {model.producer_version}")
    inits = {t.name: t for t in graph.initializer}
    for v in graph.input:
        out(f"  input  {v.name} {_type_text(v)}{'  (also an initializer)' if v.name in inits else ''}")
    for v in graph.output:
        out(f"  output {v.name} {_type_text(v)}")
    shown = set()
    for i, n in enumerate(graph.node, 1):
        attrs = []
        for a in n.attribute:
            value = onnx.helper.get_attribute_value(a)
            if isinstance(value, TensorProto):
                arr = numpy_helper.to_array(value)
                value = f"{arr.dtype}{list(arr.shape)} {_array_text(arr)}"
            attrs.append(f"{a.name}={value}")
        domain = f"{n.domain}." if n.domain else ""
        out(f"  {i:2} {domain}{n.op_type}({', '.join(x or '<none>' for x in n.input)}) -> {', '.join(n.output)}"
            f"{'  {' + ', '.join(attrs) + '}' if attrs else ''}  name='{n.name}'")
        for x in n.input:
            if x in inits and x not in shown:
                shown.add(x)
                arr = numpy_helper.to_array(inits[x])
                out(f"       const {x}: {arr.dtype}{list(arr.shape)} {_array_text(arr)}")
    unused = sorted(set(inits) - shown)
    if unused:
        out(f"  initializers used by no node: {', '.join(unused)}")
