import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, w = inputs[0].astype(np.int64), inputs[1].astype(np.int64)
    deviation = np.sqrt((x ** 2).sum(-1, keepdims=True) // x.shape[-1] + 1).astype(np.int64)
    y = toward_zero(x * w, deviation) // attributes["D"]
    return [np.clip(y, -(attributes["n_levels"] // 2), attributes["n_levels"] // 2 - 1)]


def toward_zero(a, b):
    return np.abs(a) // b * np.sign(a)
