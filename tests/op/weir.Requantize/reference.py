import re
from fractions import Fraction

import numpy as np


def field(text, name):
    return np.float32(re.search(rf"\b{name}=(\S+)", text)[1])


def compute(inputs, attributes, input_types, output_types):
    """Without steps, of means of `count` elements. QLinearConv's arithmetic is a product in float32, rounded to the even side; the
    others are exact, and differ in where the zero point is added (Fraction rounds to the even side, too). RequantShift's is a floor."""
    old, new = input_types[0], output_types[0]
    if attributes.get("arithmetic") == "requantshift":
        y = (inputs[0].astype(np.int64) * inputs[2] + inputs[3]) // attributes["divisor"]
        return [np.clip(y, attributes.get("low", -128), attributes.get("high", 127)).astype(np.int8)]
    limits, zero = np.iinfo(new.split("[")[0]), int(field(new, "zero"))
    count, arithmetic = attributes.get("count", 1), attributes.get("arithmetic", "qlinear")
    scale = np.float32(float(re.search(r"\bscale=(\S+)", old)[1]) * count)  # of an element
    codes = inputs[0].astype(np.int64) - int(field(old, "zero"))
    if arithmetic == "qlinear":
        y = np.rint(codes.astype(np.float32) * (scale / (field(new, "scale") * np.float32(count)))) + zero
    else:
        ratio = Fraction(float(scale)) / (Fraction(float(field(new, "scale"))) * count)
        inside = zero if arithmetic == "quant" else 0
        y = np.array([round(int(a) * ratio + inside) + zero - inside for a in codes.ravel()]).reshape(codes.shape)
    return [np.clip(y, limits.min, limits.max).astype(limits.dtype)]
