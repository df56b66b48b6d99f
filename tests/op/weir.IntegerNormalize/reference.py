import math

import numpy as np


def toward_zero(a, b):
    return abs(a) // b * (1 if a >= 0 else -1)


def compute(inputs, attributes, input_types, output_types):
    """With Python's integers, which have any number of bits."""
    x, gain = inputs
    rows, results = x.reshape(-1, x.shape[-1]), []
    for row in rows:
        row = [int(v) for v in row]
        mean = toward_zero(sum(row), len(row)) if attributes.get("centred", 0) else 0
        deviation = math.isqrt(sum((v - mean) ** 2 for v in row) // len(row) + 1)
        by = [int(g) for g in np.broadcast_to(gain, (len(row),))]
        results.append([toward_zero((v - mean) * g, deviation) for v, g in zip(row, by)])
    return [np.array(results, dtype=output_types[0].split("[")[0] if output_types[0] != "?" else np.int64).reshape(x.shape)]
