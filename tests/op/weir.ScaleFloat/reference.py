from fractions import Fraction

import numpy as np


def to_24_bits(v):
    """A Fraction rounded to 24 significant bits, ties to even."""
    if v == 0:
        return Fraction(0)
    exponent = 0
    while abs(v) * Fraction(2) ** -exponent >= 2**24:
        exponent += 1
    while abs(v) * Fraction(2) ** -exponent < 2**23:
        exponent -= 1
    return round(v * Fraction(2) ** -exponent) * Fraction(2) ** exponent


def compute(inputs, attributes, input_types, output_types):
    x, multiplier, add = (np.broadcast_to(v, inputs[0].shape).flatten() for v in inputs)
    codes = []
    for code, m, a in zip(x, multiplier, add):
        t = to_24_bits(Fraction(int(code) + int(a)))
        codes.append(round(to_24_bits(t * int(m) / 2 ** attributes["shift"])) + attributes.get("zero", 0))
    return [np.clip(np.array(codes), attributes["low"], attributes["high"]).reshape(inputs[0].shape)]
