import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x = inputs[0].astype(np.int64)
    s = (x.max(-1, keepdims=True) - x + 16) >> 5
    return [(attributes["n_levels"] - 1) * 256 // (256 >> s).sum(-1, keepdims=True) >> s]
