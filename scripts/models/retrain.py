#!/usr/bin/env python3
"""Train the digits MLP on: the network of tests/models/digits/mlp_qdq.onnx with other weights, biases, scales and zero points, in NumPy alone.

    python retrain.py [--out FILE] [--epochs N] [--seed N]

Starts from the file's own weights and trains them with Adam on images with noise; then quantizes as the file was
(int8 weights a channel, symmetric; uint8 activations a tensor by their least and greatest value; int32 biases). Only constants change:
the graph, its names and its shapes are the file's.
"""

import argparse
import os

import numpy as np
import onnx
from onnx import numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.normpath(os.path.join(HERE, "..", "..", "tests", "models"))
SEED_SPLIT, TEST_IMAGES, CALIBRATION_IMAGES = 20240501, 397, 256  # of common.py, which needs scikit-learn
LAYERS = ["fc1", "fc2", "fc3"]
ACTIVATIONS = ["/Relu_output_0", "/Relu_1_output_0", "logits"]


def forward(x, weights):
    values = [x]
    for i, (w, b) in enumerate(weights):
        x = x @ w.T + b
        if i + 1 < len(weights):
            x = np.maximum(x, 0)
        values.append(x)
    return values


def gradients(x, y, weights):
    values = forward(x, weights)
    shifted = np.exp(values[-1] - values[-1].max(1, keepdims=True))
    delta = (shifted / shifted.sum(1, keepdims=True) - np.eye(10)[y]) / len(x)
    result = []
    for i in reversed(range(len(weights))):
        result.append((delta.T @ values[i], delta.sum(0)))
        delta = (delta @ weights[i][0]) * (values[i] > 0)
    return result[::-1]


def noisy(x, random):
    return np.clip(x + random.normal(0, 0.05, x.shape), 0, 1)


def train(weights, x, y, epochs, seed, rate=2e-3):
    random = np.random.RandomState(seed)
    flat = [a for pair in weights for a in pair]
    first, second = [np.zeros_like(a) for a in flat], [np.zeros_like(a) for a in flat]
    step = 0
    for _ in range(epochs):
        order = random.permutation(len(x))
        for at in range(0, len(x), 50):
            rows = order[at:at + 50]
            step += 1
            for i, g in enumerate(a for pair in gradients(noisy(x[rows], random), y[rows], weights) for a in pair):
                first[i] = 0.9 * first[i] + 0.1 * g
                second[i] = 0.999 * second[i] + 0.001 * g * g
                flat[i] -= rate * (first[i] / (1 - 0.9 ** step)) / (np.sqrt(second[i] / (1 - 0.999 ** step)) + 1e-8)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=os.path.join(TESTS, "retrained", "mlp_qdq.onnx"))
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    model = onnx.load(os.path.join(TESTS, "digits", "mlp_qdq.onnx"))
    constant = {t.name: t for t in model.graph.initializer}

    def get(name):
        return numpy_helper.to_array(constant[name])

    def put(name, value):
        old = get(name)
        constant[name].CopyFrom(numpy_helper.from_array(np.asarray(value, old.dtype).reshape(old.shape), name))

    data = np.load(os.path.join(TESTS, "digits", "digits_all.npz"))
    order = np.random.RandomState(SEED_SPLIT).permutation(len(data["x"]))
    rows, held = order[:-TEST_IMAGES], order[-TEST_IMAGES:]
    x, y = data["x"].astype(np.float64), data["y"]
    weights = [(get(f"{n}.weight_quantized") * get(f"{n}.weight_scale")[:, None].astype(np.float64),
                get(f"{n}.bias_quantized") * get(f"{n}.bias_quantized_scale").astype(np.float64)) for n in LAYERS]
    print(f"before: {100 * (forward(x[held], weights)[-1].argmax(1) == y[held]).mean():.2f} % of {TEST_IMAGES} test images")
    train(weights, x[rows], y[rows], options.epochs, options.seed)
    print(f"after:  {100 * (forward(x[held], weights)[-1].argmax(1) == y[held]).mean():.2f} %")

    values = forward(x[rows][:CALIBRATION_IMAGES], weights)
    scale_in = float(get("input_scale"))
    for name, activation, (w, b), out in zip(LAYERS, ACTIVATIONS, weights, values[1:]):
        low, high = min(out.min(), 0), max(out.max(), 0)
        scale = np.float32((high - low) / 255)
        scales = np.float32(abs(w).max(1) / 127)
        bias_scales = np.float32(scale_in) * scales
        put(f"{name}.weight_quantized", np.clip(np.rint(w / scales[:, None]), -127, 127))
        put(f"{name}.weight_scale", scales)
        put(f"{name}.bias_quantized", np.rint(b / bias_scales))
        put(f"{name}.bias_quantized_scale", bias_scales)
        put(f"{activation}_scale", scale)
        put(f"{activation}_zero_point", np.rint(-low / scale))
        scale_in = float(scale)
    os.makedirs(os.path.dirname(options.out), exist_ok=True)
    onnx.save(model, options.out)


if __name__ == "__main__":
    main()
