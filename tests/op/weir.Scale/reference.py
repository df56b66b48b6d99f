import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, multiplier, add = (v.astype(object) for v in inputs)
    codes = (x * multiplier + add) // 2 ** attributes["shift"]
    return [np.clip(codes, attributes["low"], attributes["high"]).astype(np.int64)]
