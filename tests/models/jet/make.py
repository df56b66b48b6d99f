"""Writes the networks of this folder: a 16-64-32-32-5 classifier, the size of the jet taggers of high-energy physics, in
every dialect, with test data and what ONNX Runtime and qonnx give for them.
usage: make.py FOLDER (numpy, scikit-learn, onnx, onnxruntime, qonnx)"""
import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.core.onnx_exec import execute_onnx
from qonnx.transformation.infer_shapes import InferShapes
from sklearn.datasets import make_classification
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

SEED, LAYERS = 19, ("fc1", "fc2", "fc3", "output")
node = helper.make_node


class Rows(CalibrationDataReader):
    def __init__(self, x):
        self.batches = iter([{"input": x[i:i + 32]} for i in range(0, len(x), 32)])

    def get_next(self):
        return next(self.batches, None)


def save(nodes, constants, path, domain=None):
    graph = helper.make_graph(
        nodes, "jet", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 16])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 5])],
        [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in constants.items()])
    opsets = [helper.make_opsetid("", 13)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def dense(weights, path):
    nodes, constants, x = [], {}, "input"
    for i, (name, w, b) in enumerate(weights):
        y = "logits" if i == len(weights) - 1 else name + "_sum"
        nodes.append(node("Gemm", [x, name + ".weight", name + ".bias"], [y], name, transB=1))
        constants.update({name + ".weight": w.T, name + ".bias": b})
        if y != "logits":
            nodes.append(node("Relu", [y], [name + "_relu"], name + "_relu"))
            x = name + "_relu"
    save(nodes, constants, path)


def quant(x, y, name, constants, scale, bits, signed, narrow=0):
    constants.update({name + ".scale": scale, name + ".zero": 0, name + ".bits": bits})
    return node("Quant", [x, name + ".scale", name + ".zero", name + ".bits"], [y], name, domain="qonnx.custom_op.general",
                signed=signed, narrow=narrow, rounding_mode="ROUND")


def power_of_two(largest, codes):
    return np.float32(2.0 ** np.ceil(np.log2(largest / codes)))


def six_bits(weights, x, path):
    """Quant nodes with scales that are powers of two, as quantization-aware training leaves them."""
    nodes, constants = [], {}
    nodes.append(quant("input", "x0", "input_quant", constants, power_of_two(np.abs(x).max(), 127), 8, 1))
    at, value = "x0", x
    for i, (name, w, b) in enumerate(weights):
        constants[name + ".weight"], constants[name + ".bias"] = w, b
        nodes.append(quant(name + ".weight", name + "_w", name + "_wquant", constants,
                           power_of_two(np.abs(w).max(), 31), 6, 1, 1))
        nodes.append(node("MatMul", [at, name + "_w"], [name + "_product"], name))
        value = value @ w + b
        last = i == len(weights) - 1
        nodes.append(node("Add", [name + "_product", name + ".bias"], ["logits" if last else name + "_sum"], name + "_bias"))
        if not last:
            value = np.maximum(value, 0)
            nodes.append(node("Relu", [name + "_sum"], [name + "_relu"], name + "_relu"))
            at = f"x{i + 1}"
            nodes.append(quant(name + "_relu", at, name + "_quant", constants, power_of_two(value.max(), 63), 6, 0))
    save(nodes, constants, path, "qonnx.custom_op.general")


def run(path, x):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(path, options).run(None, {"input": x})[0]


def run_qonnx(path, x):
    model = ModelWrapper(path)
    model.set_tensor_shape("input", [len(x), 16])
    model.set_tensor_shape("logits", [len(x), 5])
    return execute_onnx(model.transform(InferShapes()), {"input": x})["logits"]


def main(folder):
    data, label = make_classification(6000, 16, n_informative=12, n_redundant=4, n_classes=5, n_clusters_per_class=2,
                                      class_sep=1.6, random_state=SEED)
    x = StandardScaler().fit_transform(data).astype(np.float32).clip(-6, 6)
    train, test = slice(0, 5500), slice(5500, 6000)
    net = MLPClassifier((64, 32, 32), max_iter=60, random_state=SEED).fit(x[train], label[train])
    weights = [(name, w.astype(np.float32), b.astype(np.float32)) for name, w, b in zip(LAYERS, net.coefs_, net.intercepts_)]
    path = {name: os.path.join(folder, f"jet_{name}.onnx") for name in ("float", "qdq", "qoperator", "qonnx_w6a6")}
    dense(weights, path["float"])
    for form, kind in (("qdq", QuantFormat.QDQ), ("qoperator", QuantFormat.QOperator)):
        quantize_static(path["float"], path[form], Rows(x[:256]), quant_format=kind, per_channel=True, reduce_range=False,
                        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    six_bits(weights, x[train], path["qonnx_w6a6"])
    np.savez_compressed(os.path.join(folder, "jet_test.npz"), x=x[test], y=label[test].astype(np.int64))
    np.savez_compressed(os.path.join(folder, "jet_calib.npz"), x=x[:256])
    for name, file in path.items():
        found = (run_qonnx if "qonnx" in name else run)(file, x[test])
        np.savez_compressed(os.path.join(folder, f"jet_{name}.expected.npz"), test=found)
        print(f"{name}: {100 * (found.argmax(1) == label[test]).mean():.2f} % of {len(found)}")


if __name__ == "__main__":
    print("seed", SEED)
    main(sys.argv[1])
