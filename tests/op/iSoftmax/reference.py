import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, a = inputs[0].astype(np.int64), attributes
    d = x - x.max(-1, keepdims=True)
    z = np.minimum(-d // a["log2"], 31)
    e = (a["coeffA"] * (d + z * a["log2"] + a["coeffB"]) ** 2 + a["coeffC"]) >> z
    return [e * (a["n_levels"] - 1) // e.sum(-1, keepdims=True)]
