import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, width = inputs[0].astype(np.int64), attributes["group_width"]
    result = np.empty_like(x)
    length = x.shape[-1]
    for row, y in zip(x.reshape(-1, length), result.reshape(-1, length)):
        most, total = -128, 0
        for group in row.reshape(-1, width):
            if group.max() > most:
                total >>= (group.max() - most + 16) >> 5
                most = group.max()
            total += (256 >> ((most - group + 16) >> 5)).sum()
        y[:] = (attributes["n_levels"] // 2 - 1) * 256 // total >> ((most - row + 16) >> 5)
    return [result]
