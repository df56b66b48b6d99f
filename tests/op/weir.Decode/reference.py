import re

import numpy as np


def field(text, name):
    return np.float32(re.search(rf"\b{name}=(\S+)", text)[1])


def compute(inputs, attributes, input_types, output_types):
    zero = int(field(input_types[0], "zero"))
    return [(inputs[0].astype(np.int64) - zero).astype(np.float32) * field(input_types[0], "scale")]
