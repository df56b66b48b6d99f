import numpy as np


def compute(inputs, attributes, input_types, output_types):
    a, b = (x.astype(np.int64) for x in inputs)
    return [attributes.get("ca", 1) * a + attributes.get("cb", 1) * b]
