import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, a = inputs[0].astype(np.int64), attributes
    return [a["Delta"] * a["eta"] * x // (a["eta"] * a["y"] + a["eps"])]
