import re

import numpy as np


def field(text, name):
    return np.float32(re.search(rf"\b{name}=(\S+)", text)[1])


def compute(inputs, attributes, input_types, output_types):
    """The contract of ONNX Runtime without steps: a product in float32, rounded to the even side."""
    old, new = input_types[0], output_types[0]
    limits = np.iinfo(new.split("[")[0])
    multiplier = field(old, "scale") / field(new, "scale")
    real = (inputs[0].astype(np.int64) - int(field(old, "zero"))).astype(np.float32) * multiplier
    return [np.clip(np.rint(real) + field(new, "zero"), limits.min, limits.max).astype(limits.dtype)]
