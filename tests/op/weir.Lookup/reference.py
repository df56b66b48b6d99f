import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, table = inputs
    rows = np.arange(x.shape[-1]) if len(table) > 1 else 0
    return [table[rows, x.astype(np.int64) - attributes.get("low", 0)]]
