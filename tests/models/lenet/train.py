"""LeNet-5 in NumPy alone: convolutions as matrix products of their windows, Adam, and Quant nodes with straight-through gradients.
Images are [N,H,W,C]; pixels are 0 to 255."""
import gzip
import os

import numpy as np

DATA = "/usr/share/datasets/fashion-mnist"  # Debian's dataset-fashion-mnist
KERNEL = 5
SHAPES = {"conv1": (25 * 1, 6), "conv2": (25 * 6, 16), "fc1": (400, 120), "fc2": (120, 84), "fc3": (84, 10)}
LAYERS = tuple(SHAPES)


def images(part):
    with gzip.open(os.path.join(DATA, f"{part}-images-idx3-ubyte.gz")) as f:
        x = np.frombuffer(f.read(), np.uint8, offset=16).reshape(-1, 28, 28, 1)
    with gzip.open(os.path.join(DATA, f"{part}-labels-idx1-ubyte.gz")) as f:
        return x, np.frombuffer(f.read(), np.uint8, offset=8).astype(np.int64)


def windows(x):
    view = np.lib.stride_tricks.sliding_window_view(x, (KERNEL, KERNEL), (1, 2))  # N, H, W, C, kh, kw
    return view.transpose(0, 1, 2, 4, 5, 3).reshape(*view.shape[:3], -1)


def spread(d, shape):
    """The gradient at the image from that at its windows."""
    d = d.reshape(*d.shape[:3], KERNEL, KERNEL, -1)
    x = np.zeros(shape, np.float32)
    for i in range(KERNEL):
        for j in range(KERNEL):
            x[:, i:i + d.shape[1], j:j + d.shape[2]] += d[:, :, :, i, j]
    return x


class Plain:
    """No quantizers: a quantizer gives the value, and where its gradient passes."""

    def weight(self, name, w):
        return w

    def activation(self, name, x):
        return x, x > 0


def pool(x):
    n, h, w, c = x.shape
    quads = x.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 5, 2, 4).reshape(n, h // 2, w // 2, c, 4)
    where = quads.argmax(-1)
    return np.take_along_axis(quads, where[..., None], -1)[..., 0], where


def unpool(d, where):
    n, h, w, c = d.shape
    quads = (where[..., None] == np.arange(4)) * d[..., None]
    return quads.reshape(n, h, w, c, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(n, 2 * h, 2 * w, c).astype(np.float32)


def forward(params, x, quantizers=Plain(), keep=None):
    """Logits; `keep` takes what the gradients need, and what enters each activation's quantizer."""
    keep = {} if keep is None else keep
    x = np.pad(x.astype(np.float32), ((0, 0), (2, 2), (2, 2), (0, 0)))
    for name in LAYERS:
        if name.startswith("conv"):
            keep[name, "shape"] = x.shape
            x = windows(x)
        elif x.ndim > 2:
            keep["flat"] = x.shape
            x = x.reshape(len(x), -1)
        w = quantizers.weight(name, params[name + ".weight"])
        keep[name, "x"], keep[name, "w"] = x, w
        x = (x.reshape(-1, w.shape[0]) @ w).reshape(*x.shape[:-1], -1) + params[name + ".bias"]
        if name != LAYERS[-1]:
            keep[name, "sum"] = x
            x, keep[name, "open"] = quantizers.activation(name, np.maximum(x, 0))
        if name.startswith("conv"):
            x, keep[name, "where"] = pool(x)
    return x


def gradients(params, x, label, quantizers):
    keep = {}
    logits = forward(params, x, quantizers, keep)
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    p[np.arange(len(x)), label] -= 1
    d, found = p / len(x), {}
    for name in reversed(LAYERS):
        if name.startswith("conv"):
            d = unpool(d.reshape(keep["flat"]) if d.ndim == 2 else d, keep[name, "where"])
        if name != LAYERS[-1]:
            d = d * keep[name, "open"]
        flat, entered, w = d.reshape(-1, d.shape[-1]), keep[name, "x"], keep[name, "w"]
        found[name + ".weight"] = entered.reshape(-1, entered.shape[-1]).T @ flat
        found[name + ".bias"] = flat.sum(0)
        if name == LAYERS[0]:
            return found
        d = (flat @ w.T).reshape(entered.shape)
        if name.startswith("conv"):
            d = spread(d, keep[name, "shape"])


def initial(random):
    """He's; pixels are worth a 128th to the first layer."""
    params = {}
    for name, (rows, columns) in SHAPES.items():
        scale = np.sqrt(2 / rows) / (128 if name == LAYERS[0] else 1)
        params[name + ".weight"] = (random.randn(rows, columns) * scale).astype(np.float32)
        params[name + ".bias"] = np.zeros(columns, np.float32)
    return params


def augmented(x, random):
    """Mirrored half of the time, moved by up to one pixel."""
    x = np.where(random.rand(len(x), 1, 1, 1) < 0.5, x[:, :, ::-1], x)
    return np.roll(x, random.randint(-1, 2, 2), (1, 2))


def train(params, x, label, epochs, rate, random, change=lambda x, random: x, quantizers=Plain(), batch=128):
    """Adam, on images that `change` changes, with a rate that falls to nothing along a cosine; steps are relative to the size of the layer's weights."""
    first, second = ({name: np.zeros_like(p) for name, p in params.items()} for _ in range(2))
    size = {name: 1 / 128 if name == "conv1.weight" else 1 for name in params}
    steps = epochs * (len(x) // batch)
    for step in range(steps):
        if step % (len(x) // batch) == 0:
            order = random.permutation(len(x))
        chosen = order[step % (len(x) // batch) * batch:][:batch]
        now = rate * (1 + np.cos(np.pi * step / steps)) / 2
        for name, g in gradients(params, change(x[chosen], random), label[chosen], quantizers).items():
            first[name] += 0.1 * (g - first[name])
            second[name] += 0.001 * (g * g - second[name])
            unbiased = first[name] / (1 - 0.9 ** (step + 1)), second[name] / (1 - 0.999 ** (step + 1))
            params[name] = (params[name] - now * size[name] * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-12)).astype(np.float32)


def accuracy(params, x, label, quantizers=Plain()):
    parts = [forward(params, x[i:i + 500], quantizers).argmax(1) for i in range(0, len(x), 500)]
    return 100 * np.mean(np.concatenate(parts) == label)
