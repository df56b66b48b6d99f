import numpy as np


def root(table, v, bits):
    """P of V, and how often V was shifted by two places: exec/normalize.h, of whole numbers of any size."""
    places = 0
    while v and v >> (bits - 2) == 0:
        v, places = v << 2, places + 1
    top = v >> (bits - 28)
    parity = top >> 27
    below = top >> parity
    row = parity << 8 | (below >> 18 & 255)
    d = (below & (1 << 18) - 1) - (1 << 17)
    c, b, a = (int(table[k, row]) for k in range(3))
    return c - ((b - (a * d >> 18)) * d >> 18), places


def compute(inputs, attributes, input_types, output_types):
    """Sums, root, products and one rounding, half to even, of Python's whole numbers."""
    x, table, gain, offset = inputs
    mode, hold = attributes.get("mode", "mean"), attributes.get("hold", 1)
    bits, shift, point = attributes["bits"], attributes["shift"], attributes.get("point", 0)
    length, result, at = x.shape[-1], [], 0
    for row in x.reshape(-1, length).tolist():
        row = [code - attributes.get("zero", 0) for code in row]
        total, squares = sum(row), sum(code * code for code in row)
        if mode == "mean":
            spread, row = length * squares - total * total, [length * code - total for code in row]
        else:
            spread = squares if mode == "square" else sum(map(abs, row)) ** 2
        p, places = root(table, (spread << attributes.get("fraction", 0)) + attributes.get("epsilon", 0), bits)
        for a in row:
            y = a * (p << places) * int(gain[at // hold % len(gain)])
            y += int(offset[at // hold % len(offset)]) << (shift - point)
            whole, rest, half = y >> shift, y & (1 << shift) - 1, 1 << (shift - 1)
            whole += rest > half or (rest == half and whole & 1)
            result.append(min(max(whole, attributes["low"]), attributes["high"]))
            at += 1
    return [np.array(result).reshape(x.shape)]
