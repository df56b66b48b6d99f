from fractions import Fraction
from math import ceil, floor, trunc

import numpy as np

half = Fraction(1, 2)
toward_even = round
away = lambda v: ceil(v) if v > 0 else floor(v)
modes = {
    "floor": floor,
    "truncate": trunc,
    "ceil": ceil,
    "away": away,
    "half-up": lambda v: floor(v + half),
    "half-down": lambda v: ceil(v - half),
    "half-even": toward_even,
    "half-away": lambda v: floor(v + half) if v > 0 else ceil(v - half),
    "half-to-zero": lambda v: ceil(v - half) if v > 0 else floor(v + half),
}


def compute(inputs, attributes, input_types, output_types):
    x = inputs[0]
    add = np.broadcast_to(inputs[1] if len(inputs) > 1 else 0, x.shape)
    factor = Fraction(2) ** (attributes.get("left", 0) - attributes.get("shift", 0))
    rounded = modes[attributes.get("rounding", "floor")]
    codes = [rounded((int(v) + int(a)) * factor) for v, a in zip(x.flatten(), add.flatten())]
    return [np.clip(np.array(codes), attributes["low"], attributes["high"]).reshape(x.shape)]
