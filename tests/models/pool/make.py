"""Writes the models of this folder and what ONNX Runtime (1.31, its optimizations off) gives for 20 random inputs.
usage: make.py FOLDER"""
import sys

import numpy as np
import onnx
import onnxruntime
import onnx.shape_inference
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(11)
node = helper.make_node


def run(model, image):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return np.array([session.run(None, {"image": x[None]})[0].reshape(-1) for x in image])


def make(nodes, constants, shape, output, elem_type):
    graph = helper.make_graph(
        nodes, "pool", [helper.make_tensor_value_info("image", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(output, elem_type, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)


def quantized(name, zero):
    """Nodes that make NAME_dq of NAME with the scale and zero point called s_NAME and z_NAME."""
    return [node("QuantizeLinear", [name, "s_" + name, "z_" + name], [name + "_q"]),
            node("DequantizeLinear", [name + "_q", "s_" + name, "z_" + name], [name + "_dq"])]


def write(folder, name, shape, pools, flat, classes, head, more={}, **argmax):
    """An image quantized, pooled and flattened, a dense layer of int8 weights with a scale a class, its label."""
    image = random.standard_normal([20] + shape[1:]).astype(np.float32)
    constants = {"s_image": np.float32(7 / 255), "z_image": np.uint8(128), "shape": np.array([1, -1]), **more}
    front = quantized("image", 128) + pools
    size = run(make(front, constants, shape, flat, TensorProto.FLOAT), image).shape[1]
    weights = random.standard_normal([size, classes]) / np.sqrt(size)
    scale = (np.abs(weights).max(0) / 127).astype(np.float32)
    constants.update(w=np.rint(weights / scale).astype(np.int8), s_w=scale, z_w=np.zeros(classes, np.int8))
    dense = [node("DequantizeLinear", ["w", "s_w", "z_w"], ["w_dq"], axis=1), node("MatMul", [flat, "w_dq"], ["y"])] + head
    last = head[-1].output[0] if head else "y"
    scores = run(make(front + dense, constants, shape, last, TensorProto.FLOAT), image)
    constants.update({"s_" + last: np.float32(np.ptp(scores) / 255),
                      "z_" + last: np.uint8(np.rint(-scores.min() / (np.ptp(scores) / 255)).clip(0, 255))})
    nodes = front + dense + quantized(last, 0) + [node("ArgMax", [last + "_dq"], ["label"], **argmax)]
    model = make(nodes, constants, shape, "label", TensorProto.INT64)
    onnx.save(model, f"{folder}/{name}.onnx")
    np.savez(f"{folder}/{name}.npz", x=image, expected=run(model, image))
    print(name, run(model, image).reshape(-1))


if __name__ == "__main__":
    where = sys.argv[1]
    write(where, "pool_nchw", [1, 3, 9, 8],
          [node("MaxPool", ["image_dq"], ["p"], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1]),
           node("MaxPool", ["p"], ["q"], kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1), node("Flatten", ["q"], ["f"])],
          "f", 10, [], axis=1, keepdims=0)
    write(where, "pool_nhwc", [1, 8, 8, 4],
          [node("Transpose", ["image_dq"], ["t"], perm=[0, 3, 1, 2]),
           node("MaxPool", ["t"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
           node("Transpose", ["p"], ["u"], perm=[0, 2, 3, 1]), node("Reshape", ["u", "shape"], ["f"])],
          "f", 7, [node("Relu", ["y"], ["r"])], axis=-1, keepdims=1)
    codes = helper.make_graph(
        [node("MaxPool", ["image"], ["largest"], kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 0, 1])], "codes",
        [helper.make_tensor_value_info("image", TensorProto.UINT8, [1, 3, 6, 5])],
        [helper.make_tensor_value_info("largest", TensorProto.UINT8, [1, 3, 3, 3])])
    codes = helper.make_model(codes, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(codes, f"{where}/codes.onnx")
    data = np.random.default_rng(3).integers(0, 256, (20, 3, 6, 5)).astype(np.uint8)
    np.savez(f"{where}/codes.npz", x=data, expected=run(codes, data).reshape(-1, 3, 3, 3))
    write(where, "pool_1d", [1, 5, 32],
          [node("MaxPool", ["image_dq"], ["p"], kernel_shape=[4], strides=[3], pads=[2, 1], dilations=[2]),
           node("Flatten", ["p"], ["f"])],
          "f", 6, [], axis=1, keepdims=0, select_last_index=1)
    write(where, "pool_mean", [1, 6, 8, 10],
          [node("AveragePool", ["image_dq"], ["p"], kernel_shape=[2, 3], strides=[2, 1], pads=[0, 1, 0, 1], count_include_pad=1)]
          + quantized("p", 120) + [node("GlobalAveragePool", ["p_dq"], ["g"])] + quantized("g", 125) + [node("Flatten", ["g_dq"], ["f"])],
          "f", 5, [], {"s_p": np.float32(0.013), "z_p": np.uint8(120), "s_g": np.float32(0.003), "z_g": np.uint8(125)}, axis=1, keepdims=0)
