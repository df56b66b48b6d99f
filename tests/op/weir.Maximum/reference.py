import numpy as np


def compute(inputs, attributes, input_types, output_types):
    return [np.maximum(inputs[0].astype(np.int64), attributes.get("zero", 0))]
