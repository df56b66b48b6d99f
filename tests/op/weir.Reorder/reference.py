import numpy as np


def compute(inputs, attributes, input_types, output_types):
    """Element k is that at start + the sum of strides * iteration k of nested loops, or the fill value outside [begins, ends)."""
    (x,) = inputs
    sizes = attributes["sizes"]
    at = np.indices(sizes).reshape(len(sizes), -1)
    begins = np.array(attributes.get("begins", [0] * len(sizes))).reshape(-1, 1)
    ends = np.array(attributes.get("ends", sizes)).reshape(-1, 1)
    inside = np.all((at >= begins) & (at < ends), axis=0)
    places = attributes.get("start", 0) + np.array(attributes["strides"]) @ at
    y = np.where(inside, x.reshape(-1)[np.where(inside, places, 0)], attributes.get("fill", 0))
    return [y.astype(x.dtype).reshape(attributes["shape"])]
