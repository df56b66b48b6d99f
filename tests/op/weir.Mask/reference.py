import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, mask = inputs
    return [np.where(mask != 0, x, np.zeros_like(x))]
