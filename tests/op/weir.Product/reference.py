import numpy as np


def walk(sizes, strides):
    """The sum of strides * iteration of nested loops, in their order."""
    at = np.indices(sizes).reshape(len(sizes), -1)
    return np.array(strides, np.int64) @ at


def compute(inputs, attributes, input_types, output_types):
    """Each row of a page of input 0 times the matrix [columns, inner] that it meets, of those that a page of input 1 brings."""
    a, b = (x.astype(np.int64) for x in inputs)
    shape, pages = attributes["shape"], attributes.get("pages", 1)
    inner, columns = a.shape[-1], shape[-1]
    brought = b.reshape(pages, -1)
    matrices = np.empty_like(brought)
    matrices[:, walk(attributes["sizes"], attributes["strides"])] = brought
    own = matrices.reshape(pages, -1, columns, inner)[:, walk(attributes["row_sizes"], attributes["row_strides"])]
    return [np.einsum("prk,prnk->prn", a.reshape(pages, -1, inner), own).reshape(shape)]
