import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, b, one = inputs[0].astype(np.int64), attributes["b"], attributes["one"]
    q = np.minimum(np.abs(x), -b)
    return [x * ((one + np.sign(x) * (one - (q + b) ** 2)) // 2)]
