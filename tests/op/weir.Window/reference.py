import itertools

import numpy as np


def compute(inputs, attributes, input_types, output_types):
    """[N, spatial..., C] -> [N, positions..., group * window * C / group], the last spatial dimension of the window outermost."""
    (x,) = inputs
    kernel = attributes["kernel_shape"]
    rank = len(kernel)
    strides, dilations = attributes.get("strides", [1] * rank), attributes.get("dilations", [1] * rank)
    pads, group = attributes.get("pads", [0] * 2 * rank), attributes.get("group", 1)
    margins = [(0, 0)] + [(pads[i], pads[i + rank]) for i in range(rank)] + [(0, 0)]
    padded = np.pad(x, margins, constant_values=attributes.get("fill", 0))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    out = [(padded.shape[i + 1] - reach[i]) // strides[i] + 1 for i in range(rank)]
    run = x.shape[-1] // group
    parts = []
    for g in range(group):
        for at in itertools.product(*(range(k) for k in reversed(kernel))):
            at = at[::-1]
            where = tuple(slice(at[i] * dilations[i], at[i] * dilations[i] + (out[i] - 1) * strides[i] + 1, strides[i]) for i in range(rank))
            parts.append(padded[(slice(None),) + where + (slice(g * run, (g + 1) * run),)])
    return [np.concatenate(parts, axis=-1)]
