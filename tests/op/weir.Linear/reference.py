import numpy as np


def compute(inputs, attributes, input_types, output_types):
    x, w = (i.astype(np.int64) for i in inputs)
    group, interleave = attributes.get("group", 1), attributes.get("interleave", 1)
    runs = [r.reshape(*x.shape[:-1], -1, interleave) for r in np.split(x, group // interleave, axis=-1)]
    rows = [run[..., i] for run in runs for i in range(interleave)]
    return [np.concatenate([a @ b.T for a, b in zip(rows, np.split(w, group, axis=0))], axis=-1)]
