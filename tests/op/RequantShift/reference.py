import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, mul, add = (v.astype(np.int64) for v in inputs)
    levels = attributes.get("n_levels", attributes.get("n_levels_out"))
    y = (x * mul + add + attributes["div"] // 2) // attributes["div"]
    return [np.clip(y, -(levels // 2), levels // 2 - 1) if attributes["signed"] else np.clip(y, 0, levels - 1)]
