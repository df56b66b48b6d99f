#!/usr/bin/env python3
"""Makes the models of this folder, their inputs and their expected outputs, which come from ONNX Runtime without its
optimizations (README.md), or from onnx.reference and qonnx. Needs onnx, onnxruntime, qonnx, skl2onnx and scikit-learn:  make.py FOLDER [PART...]"""
import os
import sys

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

random = np.random.default_rng(7)
folder = sys.argv[1]


def value(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def model_of(nodes, inputs, outputs, constants, opset=17, domain=None):
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    imports = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    model = helper.make_model(graph, opset_imports=imports)
    if domain is None:
        onnx.checker.check_model(model, full_check=True)
    return model


def floats(name, numbers, dtype=np.float32):
    return numpy_helper.from_array(np.asarray(numbers).astype(dtype), name)


def expected(model, x, dtype=np.float32):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.ir_version = min(copy.ir_version, 10)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(copy.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: x})[0].astype(dtype)


def save(name, model, x, y=None):
    onnx.save(model, os.path.join(folder, name + ".onnx"))
    y = expected(model, x) if y is None else y
    np.savez_compressed(os.path.join(folder, name + ".npz"), x=x.astype(np.float32), expected=y)


def int4():
    """A QDQ network whose codes have four bits, raw and typed tensors; the weights of the second layer a scale a tensor."""
    first = random.integers(-8, 8, (9, 5))
    second = random.integers(-8, 8, (5, 3))
    pack = lambda codes, signed: bytes(
        (a & 15) | (b & 15) << 4 for a, b in zip(*[iter([*codes.flatten().tolist(), 0])] * 2)
    )
    constants = [
        floats("x_scale", 0.123), helper.make_tensor("x_zero", TensorProto.UINT4, [], [7]),
        helper.make_tensor("w1", TensorProto.INT4, first.shape, pack(first, True), raw=True),
        floats("w1_scale", [0.1, 0.21, 0.053, 0.3, 0.07]),
        helper.make_tensor("w1_zero", TensorProto.INT4, [5], [0] * 5),
        floats("h_scale", 0.247), helper.make_tensor("h_zero", TensorProto.UINT4, [], [0]),
        helper.make_tensor("w2", TensorProto.INT4, second.shape, second.flatten().tolist()),
        floats("w2_scale", 0.0931), helper.make_tensor("w2_zero", TensorProto.INT4, [], [0]),
        floats("y_scale", 0.31), helper.make_tensor("y_zero", TensorProto.INT4, [], [-1]),
    ]
    node = helper.make_node
    nodes = [
        node("QuantizeLinear", ["x", "x_scale", "x_zero"], ["xq"]),
        node("DequantizeLinear", ["xq", "x_scale", "x_zero"], ["xd"]),
        node("DequantizeLinear", ["w1", "w1_scale", "w1_zero"], ["w1d"], axis=1),
        node("MatMul", ["xd", "w1d"], ["m1"], name="fc1"), node("Relu", ["m1"], ["r1"]),
        node("QuantizeLinear", ["r1", "h_scale", "h_zero"], ["hq"]),
        node("DequantizeLinear", ["hq", "h_scale", "h_zero"], ["hd"]),
        node("DequantizeLinear", ["w2", "w2_scale", "w2_zero"], ["w2d"]),
        node("MatMul", ["hd", "w2d"], ["m2"], name="fc2"),
        node("QuantizeLinear", ["m2", "y_scale", "y_zero"], ["yq"]),
        node("DequantizeLinear", ["yq", "y_scale", "y_zero"], ["y"]),
    ]
    x = random.normal(size=(64, 9)).astype(np.float32) * 0.6
    inputs, outputs = [value("x", TensorProto.FLOAT, ["N", 9])], [value("y", TensorProto.FLOAT, ["N", 3])]
    old = model_of(nodes, inputs, outputs, constants, 21)
    save("int4", old, x)
    newest = model_of(nodes, inputs, outputs, constants, onnx.defs.onnx_opset_version())
    save("int4_newest", newest, x, expected(old, x))


def int2():
    """Codes of two bits: weights four a byte, raw; activations of two, four and eight bits."""
    node = helper.make_node
    codes = lambda name, array, dtype: numpy_helper.from_array(np.asarray(array).astype(dtype), name)
    constants = [
        floats("x_scale", 0.3), codes("x_zero", 1, ml_dtypes.uint2),
        codes("w1", random.integers(-2, 2, (9, 5)), ml_dtypes.int2), floats("w1_scale", [0.1, 0.21, 0.053, 0.3, 0.07]),
        floats("h_scale", 0.147), codes("h_zero", 0, ml_dtypes.uint4),
        codes("w2", random.integers(-2, 2, (5, 3)), ml_dtypes.int2), floats("w2_scale", 0.31),
        floats("y_scale", 0.011), codes("y_zero", -1, np.int8),
    ]
    nodes = [
        node("QuantizeLinear", ["x", "x_scale", "x_zero"], ["xq"]), node("DequantizeLinear", ["xq", "x_scale", "x_zero"], ["xd"]),
        node("DequantizeLinear", ["w1", "w1_scale"], ["w1d"], axis=1),
        node("MatMul", ["xd", "w1d"], ["m1"], name="fc1"), node("Relu", ["m1"], ["r1"]),
        node("QuantizeLinear", ["r1", "h_scale", "h_zero"], ["hq"]), node("DequantizeLinear", ["hq", "h_scale", "h_zero"], ["hd"]),
        node("DequantizeLinear", ["w2", "w2_scale"], ["w2d"]), node("MatMul", ["hd", "w2d"], ["m2"], name="fc2"),
        node("QuantizeLinear", ["m2", "y_scale", "y_zero"], ["yq"]), node("DequantizeLinear", ["yq", "y_scale", "y_zero"], ["y"]),
    ]
    x = random.normal(size=(64, 9)).astype(np.float32) * 0.6
    inputs, outputs = [value("x", TensorProto.FLOAT, ["N", 9])], [value("y", TensorProto.FLOAT, ["N", 3])]
    save("int2", model_of(nodes, inputs, outputs, constants, 25), x)


def float8():
    """Floats of eight bits, all four types; scales that are powers of two, so that no sum is rounded."""
    node = helper.make_node
    weights = lambda name, shape, dtype: numpy_helper.from_array(random.normal(size=shape).astype(np.float32).astype(dtype), name)
    constants = [
        floats("x_scale", 0.0078125), weights("w1", (9, 5), ml_dtypes.float8_e5m2), floats("w1_scale", [0.5, 0.25, 2, 1, 0.125]),
        floats("h_scale", 0.0625), weights("w2", (3, 5), ml_dtypes.float8_e5m2fnuz), floats("w2_scale", 0.5),
        floats("y_scale", 0.0003),
    ]
    pair = lambda x, scale, to, saturate=1: [
        node("QuantizeLinear", [x, scale], [x + "q"], output_dtype=to, saturate=saturate), node("DequantizeLinear", [x + "q", scale], [x + "d"])]
    nodes = [
        *pair("x", "x_scale", TensorProto.FLOAT8E4M3FN), node("DequantizeLinear", ["w1", "w1_scale"], ["w1d"], axis=1),
        node("MatMul", ["xd", "w1d"], ["m1"], name="fc1"), node("Relu", ["m1"], ["r"]),
        *pair("r", "h_scale", TensorProto.FLOAT8E4M3FNUZ), node("DequantizeLinear", ["w2", "w2_scale"], ["w2d"]),
        node("Gemm", ["rd", "w2d"], ["m2"], name="fc2", transB=1), *pair("m2", "y_scale", TensorProto.FLOAT8E5M2, 0),
    ]
    x = random.normal(size=(64, 9)).astype(np.float32) * 2
    inputs, outputs = [value("x", TensorProto.FLOAT, ["N", 9])], [value("m2d", TensorProto.FLOAT, ["N", 3])]
    save("float8", model_of(nodes, inputs, outputs, constants, 21), x)


def blocks():
    """Weights of four bits as OCP's MX has them, float4 with a power of two for 8 elements, the last block shorter; data of eight bits in blocks of 5."""
    node = helper.make_node
    scales = np.exp2(random.integers(-3, 2, size=(3, 4))).astype(np.float32)
    constants = [
        floats("x_scale", [[0.03125, 0.015625, 0.0625, 0.125]]),
        numpy_helper.from_array((random.normal(size=(20, 4)) * 3).astype(np.float32).astype(ml_dtypes.float4_e2m1fn), "w"),
        numpy_helper.from_array(scales.astype(ml_dtypes.float8_e8m0fnu), "w_scale"),
    ]
    nodes = [
        node("QuantizeLinear", ["x", "x_scale"], ["xq"], output_dtype=TensorProto.INT8, block_size=5),
        node("DequantizeLinear", ["xq", "x_scale"], ["xd"], block_size=5),
        node("DequantizeLinear", ["w", "w_scale"], ["wd"], axis=0, block_size=8, output_dtype=TensorProto.FLOAT),
        node("MatMul", ["xd", "wd"], ["y"], name="fc"),
    ]
    x = random.normal(size=(16, 20)).astype(np.float32)
    model = model_of(nodes, [value("x", TensorProto.FLOAT, [1, 20])], [value("y", TensorProto.FLOAT, [1, 4])], constants, 25)
    run = ReferenceEvaluator(model)
    save("blocks", model, x, np.concatenate([run.run(None, {"x": x[i:i + 1]})[0] for i in range(len(x))]))


def float_quant():
    """Minifloats as Brevitas writes them for QONNX: E4M3 with a scale, E2M1 weights with a scale a channel, E5M2 with infinities."""
    from qonnx.core.modelwrapper import ModelWrapper
    from qonnx.core.onnx_exec import execute_onnx
    from qonnx.transformation.infer_shapes import InferShapes

    node = helper.make_node
    settings = {"e4m3": (4, 3, 7, 448), "e2m1": (2, 1, 1, 6), "e5m2": (5, 2, 15, 57344)}
    constants = [floats(f"{name}_{i}", number) for name, numbers in settings.items() for i, number in enumerate(numbers)]
    constants += [floats("x_scale", 0.0078125), floats("w_scale", [[0.5, 0.25, 1]]), floats("one", 1.0),
                  floats("w", random.normal(size=(8, 3)))]
    quant = lambda x, scale, name, y, **more: node(
        "FloatQuant", [x, scale, *(f"{name}_{i}" for i in range(4))], [y], domain="qonnx.custom_op.general", rounding_mode="ROUND",
        **{"has_inf": 0, "has_nan": 1, "has_subnormal": 1, "saturation": 1, **more})
    nodes = [
        quant("x", "x_scale", "e4m3", "xq"), quant("w", "w_scale", "e2m1", "wq", has_nan=0), node("MatMul", ["xq", "wq"], ["m"], name="fc"),
        quant("m", "one", "e5m2", "y", has_inf=1, saturation=0),
    ]
    x = random.normal(size=(16, 8)).astype(np.float32) * 2
    model = model_of(nodes, [value("x", TensorProto.FLOAT, [1, 8])], [value("y", TensorProto.FLOAT, [1, 3])], constants,
                     domain="qonnx.custom_op.general")
    run = ModelWrapper(model).transform(InferShapes())
    save("float_quant", model, x, np.concatenate([execute_onnx(run, {"x": x[i:i + 1]})["y"] for i in range(len(x))]))


def layers(dtype, number, between):
    """Two dense layers of the type; `between`: with float32 outside and casts."""
    w1, b1, w2, b2 = (random.normal(size=s) for s in ((8, 6), (6,), (3, 6), (3,)))

    def constant(name, numbers):
        if number == TensorProto.BFLOAT16:
            return helper.make_tensor(name, number, numbers.shape, numbers.astype(np.float32).flatten().tolist())
        return floats(name, numbers, dtype)

    node = helper.make_node
    nodes = [
        node("MatMul", ["a", "w1"], ["m"], name="fc1"), node("Add", ["m", "b1"], ["s"]), node("Relu", ["s"], ["r"]),
        node("Gemm", ["r", "w2", "b2"], ["b"], name="fc2", transB=1),
    ]
    outside = TensorProto.FLOAT if between else number
    if between:
        nodes = [node("Cast", ["x"], ["a"], to=number), *nodes, node("Cast", ["b"], ["y"], to=TensorProto.FLOAT)]
    else:
        nodes[0].input[0], nodes[-1].output[0] = "x", "y"
    constants = [constant("w1", w1), constant("b1", b1), constant("w2", w2), constant("b2", b2)]
    inputs, outputs = [value("x", outside, ["N", 8])], [value("y", outside, ["N", 3])]
    return model_of(nodes, inputs, outputs, constants)


def other_floats():
    x = random.normal(size=(64, 8)).astype(np.float32)
    save("float16", m := layers(np.float16, TensorProto.FLOAT16, False), x, expected(m, x.astype(np.float16)))
    save("float16_between_casts", layers(np.float16, TensorProto.FLOAT16, True), x)
    m = layers(None, TensorProto.BFLOAT16, True)
    # ONNX Runtime has no bfloat16 here: NumPy on the weights as the file has them.
    w1, b1, w2, b2 = (numpy_helper.to_array(i).astype(np.float64) for i in m.graph.initializer)
    save("bfloat16", m, x, (np.maximum(x @ w1 + b1, 0) @ w2.T + b2).astype(np.float32))


def shapes():
    """A batch-first network as tracing exporters write it: the shape of a Reshape is computed, copies are everywhere."""
    w1, b1, w2 = (random.normal(size=s) for s in ((12, 7), (7,), (7, 3)))
    node = helper.make_node
    nodes = [
        node("Identity", ["x"], ["x1"]), node("Cast", ["x1"], ["x2"], to=TensorProto.FLOAT),
        node("Shape", ["x2"], ["shape"]), node("Gather", ["shape", "zero"], ["n"], axis=0),
        node("Unsqueeze", ["n", "first"], ["n1"]), node("Slice", ["shape", "one", "end"], ["tail"]),
        node("ReduceSum", ["rest_ones"], ["unused"], keepdims=0), node("Gather", ["tail", "zero"], ["t0"]),
        node("Gather", ["tail", "one0"], ["t1"]), node("Mul", ["t0", "t1"], ["features"]),
        node("Unsqueeze", ["features", "first"], ["f1"]), node("Concat", ["n1", "f1"], ["wanted"], axis=0),
        node("Reshape", ["x2", "wanted"], ["flat"]), node("Dropout", ["flat", "ratio"], ["flat1"]),
        node("MatMul", ["flat1", "w1"], ["m"], name="fc1"), node("Add", ["m", "b1"], ["s"]), node("Relu", ["s"], ["r"]),
        node("Identity", ["r"], ["r1"]), node("ConstantOfShape", ["two"], ["zeros"],
             value=helper.make_tensor("v", TensorProto.INT64, [1], [0])),
        node("Concat", ["minus", "seven"], ["last"], axis=0), node("Reshape", ["r1", "last"], ["r2"]),
        node("Shape", ["r2"], ["like"]), node("Expand", ["r2", "like"], ["r3"]),
        node("MatMul", ["r3", "w2t"], ["y"], name="fc2"), node("Transpose", ["w2"], ["w2t"], perm=[1, 0]),
    ]
    ints = lambda name, numbers: numpy_helper.from_array(np.array(numbers, np.int64), name)
    constants = [
        ints("zero", 0), ints("one0", 1), ints("first", [0]), ints("one", [1]), ints("end", [1000]), ints("two", [2]),
        ints("minus", [-1]), ints("seven", [7]), ints("rest_ones", [1, 1]), floats("ratio", 0.5), floats("w1", w1),
        floats("b1", b1), floats("w2", w2.T),
    ]
    x = random.normal(size=(64, 4, 3)).astype(np.float32)
    inputs, outputs = [value("x", TensorProto.FLOAT, ["N", 4, 3])], [value("y", TensorProto.FLOAT, ["N", 3])]
    save("shapes", model_of(sorted(nodes, key=lambda n: n.output[0] != "w2t"), inputs, outputs, constants), x)


def rows():
    """64 samples at once, as a file without a symbolic dimension has them; shapes name the number."""
    w1, b1, w2 = (random.normal(size=s) for s in ((8, 6), (6,), (6, 3)))
    node = helper.make_node
    nodes = [
        node("Reshape", ["x", "flat"], ["x1"]), node("MatMul", ["x1", "w1"], ["m"], name="fc1"),
        node("Add", ["m", "b1"], ["s"]), node("Relu", ["s"], ["r"]), node("Reshape", ["r", "copied"], ["r1"]),
        node("MatMul", ["r1", "w2"], ["y"], name="fc2"),
    ]
    constants = [
        numpy_helper.from_array(np.array([64, 8], np.int64), "flat"),
        numpy_helper.from_array(np.array([0, -1], np.int64), "copied"),
        floats("w1", w1), floats("b1", b1), floats("w2", w2),
    ]
    x = random.normal(size=(64, 2, 4)).astype(np.float32)
    inputs, outputs = [value("x", TensorProto.FLOAT, [64, 2, 4])], [value("y", TensorProto.FLOAT, [64, 3])]
    save("rows", model_of(nodes, inputs, outputs, constants), x)


def classifier(name, classes, zipmap, **settings):
    """A scaler in front, behind it labels and probabilities; rows that no rounding gives another label."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from skl2onnx import to_onnx

    source = np.random.default_rng(len(name))
    x = (source.normal(size=(600, 6)) * [1, 20, 0.1, 5, 3, 1] + [0, 100, -3, 7, 1, 0]).astype(np.float32)
    score = (x - x.mean(0)) / x.std(0) @ source.normal(size=(6, len(classes)))
    net = make_pipeline(StandardScaler(), MLPClassifier(random_state=0, max_iter=400, **settings))
    net.fit(x, np.asarray(classes)[score.argmax(1)])
    model = to_onnx(net, x[:1], options=None if zipmap else {id(net): {"zipmap": False}})
    sure = np.sort(net.predict_proba(x), 1)
    x = x[sure[:, -1] - sure[:, -2] > 0.3][:64]
    labels = expected(model, x, str if isinstance(classes[0], str) else np.int64)
    if isinstance(classes[0], str):
        labels = np.searchsorted(np.unique(classes), labels)
    save(name, model, x, labels)


def pytorch():
    """As torch.onnx writes it: weights by output, a view whose size is computed from the input's, shared parameters as copies."""
    node = helper.make_node
    w1, b1, w2, b2 = (random.normal(size=s) for s in ((10, 12), (10,), (4, 10), (4,)))
    ints = lambda numbers: numpy_helper.from_array(np.array(numbers, np.int64), "")
    nodes = [
        node("Shape", ["input"], ["/Shape_output_0"], "/Shape"),
        node("Constant", [], ["/Constant_output_0"], "/Constant", value=ints(0)),
        node("Gather", ["/Shape_output_0", "/Constant_output_0"], ["/Gather_output_0"], "/Gather", axis=0),
        node("Constant", [], ["onnx::Unsqueeze_4"], "Constant_4", value=ints([0])),
        node("Unsqueeze", ["/Gather_output_0", "onnx::Unsqueeze_4"], ["/Unsqueeze_output_0"], "/Unsqueeze"),
        node("Constant", [], ["/Constant_1_output_0"], "/Constant_1", value=ints([-1])),
        node("Concat", ["/Unsqueeze_output_0", "/Constant_1_output_0"], ["/Concat_output_0"], "/Concat", axis=0),
        node("Reshape", ["input", "/Concat_output_0"], ["/Reshape_output_0"], "/Reshape", allowzero=0),
        node("Gemm", ["/Reshape_output_0", "fc1.weight", "fc1.bias"], ["/fc1/Gemm_output_0"], "/fc1/Gemm", alpha=1.0, beta=1.0, transB=1),
        node("Identity", ["bn.running_var"], ["onnx::BatchNormalization_20"], "Identity_20"),
        node("Identity", ["onnx::BatchNormalization_20"], ["onnx::BatchNormalization_21"], "Identity_21"),
        node("BatchNormalization", ["/fc1/Gemm_output_0", "bn.weight", "bn.bias", "bn.running_mean", "onnx::BatchNormalization_21"],
             ["/bn/BatchNormalization_output_0"], "/bn/BatchNormalization", epsilon=1e-5, momentum=0.9, training_mode=0),
        node("Relu", ["/bn/BatchNormalization_output_0"], ["/act/Relu_output_0"], "/act/Relu"),
        node("Constant", [], ["/drop/Constant_output_0"], "/drop/Constant", value=floats("", 0.5)),
        node("Constant", [], ["/drop/Constant_1_output_0"], "/drop/Constant_1", value=numpy_helper.from_array(np.array(False))),
        node("Dropout", ["/act/Relu_output_0", "/drop/Constant_output_0", "/drop/Constant_1_output_0"], ["/drop/Dropout_output_0", ""], "/drop/Dropout"),
        node("Identity", ["/drop/Dropout_output_0"], ["/last/Identity_output_0"], "/last/Identity"),
        node("Gemm", ["/last/Identity_output_0", "fc2.weight", "fc2.bias"], ["/fc2/Gemm_output_0"], "/fc2/Gemm", alpha=1.0, beta=1.0, transB=1),
        node("Softmax", ["/fc2/Gemm_output_0"], ["output"], "/Softmax", axis=1),
    ]
    nodes[15].output.pop()
    constants = [
        floats("fc1.weight", w1), floats("fc1.bias", b1), floats("fc2.weight", w2), floats("fc2.bias", b2),
        floats("bn.weight", random.uniform(0.5, 2, 10)), floats("bn.bias", random.normal(size=10)),
        floats("bn.running_mean", random.normal(size=10)), floats("bn.running_var", random.uniform(4, 16, 10)),
    ]
    x = random.normal(size=(64, 3, 4)).astype(np.float32)
    inputs, outputs = [value("input", TensorProto.FLOAT, ["batch", 3, 4])], [value("output", TensorProto.FLOAT, ["batch", 4])]
    save("pytorch", model_of(nodes, inputs, outputs, constants), x)


def sklearn():
    from skl2onnx import to_onnx
    from sklearn.neural_network import MLPRegressor

    x = np.random.default_rng(1).normal(size=(64, 6))
    y = x[:, 0] * x[:, 1] + x[:, 2]
    net = MLPRegressor(hidden_layer_sizes=(8, 4), max_iter=300, random_state=0).fit(x, y)
    model = to_onnx(net, x[:1])  # float64
    save("sklearn_float64", model, x, expected(model, x))


made = {
    "int4": int4, "floats": other_floats, "shapes": shapes, "float64": sklearn, "rows": rows, "pytorch": pytorch,
    "classifiers": lambda: [
        classifier("sklearn_zipmap", [0, 1, 2, 3], True, hidden_layer_sizes=(12,)),
        classifier("sklearn_labels", ["no", "yes"], True, hidden_layer_sizes=(8, 6), activation="tanh"),
        classifier("sklearn_tensors", [3, 5, 9], False, hidden_layer_sizes=(10,)),
    ],
    "int2": int2, "float8": float8, "blocks": blocks, "float_quant": float_quant,
}
for part, make in made.items():
    if part in sys.argv[2:] or len(sys.argv) == 2:
        make()
