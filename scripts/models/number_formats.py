#!/usr/bin/env python3
"""Makes tests/unit/data/number_formats.npz: tensors through every number format of toolchain/ir/number/number.def.

Independent of the C code: the values of a format are listed one by one and sorted, and each element takes the nearest
one (of two equally near ones that with the even place), but for OCP's elements, which ml_dtypes rounds, and grids,
which NumPy does. Entries: x0, x1, ... the inputs; `cases`, the bytes of one line each: "number of the input|axis|flattens|format";
y0, y1, ... the results.
"""
import sys
from pathlib import Path

import ml_dtypes
import numpy as np


def inputs():
    random = np.random.default_rng(20261129)
    def mixed(shape):
        count = int(np.prod(shape))
        kinds = [random.normal(size=count), random.normal(size=count) * 2.0 ** random.integers(-12, 12, count),
                 random.integers(-40, 41, count) / 16.0, 2.0 ** random.integers(-9, 7, count) * random.choice([-1, 1], count)]
        x = np.choose(random.integers(0, 4, count), kinds)
        x[random.random(count) < 0.04] = 0.0
        x[random.random(count) < 0.01] = -0.0
        return x.astype(np.float32).reshape(shape)
    with_zeros = mixed((5, 21))
    with_zeros[2, :16] = 0
    with_zeros[4] = 0
    small = (mixed((3, 7, 2, 2)) * 2.0 ** -11).astype(np.float32)
    return [with_zeros, mixed((2, 18, 2, 2)), small, (mixed((4, 19)) * 200).astype(np.float32)]


def nearest(values, x, only_powers=False):
    """Of sorted magnitudes from 0 on. Between two powers of two without a fraction half to even is the upper one, 2 of
    the lower one's unit."""
    magnitudes, sign = np.asarray(values, np.float64), np.where(x < 0, -1.0, 1.0)
    size = np.abs(x.astype(np.float64))
    above = np.clip(np.searchsorted(magnitudes, size), 0, len(magnitudes) - 1)
    below = np.clip(above - 1, 0, None)
    up, down = magnitudes[above] - size, size - magnitudes[below]
    take = np.where(up < down, above, np.where(up > down, below, np.where((above > 1) if only_powers else (above % 2 == 0), above, below)))
    return sign * magnitudes[take]


def ieee(width, exponent, bias):
    fraction = width - exponent - 1
    low = [k * 2.0 ** (1 - bias - fraction) for k in range(2 ** fraction)]
    high = [(1 + k / 2 ** fraction) * 2.0 ** (e - bias) for e in range(1, 2 ** exponent) for k in range(2 ** fraction)]
    return low + high


def denorm(width, exponent, bias):
    m = width - exponent - 1
    return sorted({k * 2.0 ** (e - m) for e in range(-bias, 2 ** exponent - bias) for k in range(2 ** m)})


def powers(count, bias):
    return [2.0 ** (i - bias) for i in range(count)]


def log_nearest(count, bias, x):
    size = np.abs(x.astype(np.longdouble))
    with np.errstate(divide="ignore"):
        place = np.where(size > 0, np.rint(np.log2(size)), -10000)
    return np.where(x < 0, -1.0, 1.0) * 2.0 ** np.clip(place.astype(np.float64), -bias, count - 1 - bias)


def integer(width, frac, x, signed=True, floor=False):
    v = x.astype(np.float64) * 2.0 ** frac
    v = np.floor(v) if floor else np.rint(v)
    low, high = (-2 ** (width - 1), 2 ** (width - 1) - 1) if signed else (0, 2 ** width - 1)
    return np.clip(v, low, high) / 2.0 ** frac


def fraction_of(largest, width, signed=True):
    """The most fraction bits whose largest code is not below half of the largest magnitude's power of two."""
    frac = 200
    while 2.0 ** (width - (1 if signed else 0)) <= largest * 2.0 ** frac:
        frac -= 1
    return frac


def ceil_log2(v):
    e = -200
    while 2.0 ** e < v:
        e += 1
    return e


def floor_log2(v):
    e = 200
    while 2.0 ** e > v:
        e -= 1
    return e


def by_blocks(x, axis, size, flattens, function):
    """The function of each block, along the axis; `flattens`: on into the next row."""
    moved = np.moveaxis(x, axis, -1)
    rows = moved.reshape(1, -1) if flattens else moved.reshape(-1, moved.shape[-1])
    result = np.zeros(rows.shape, np.float64)
    step = rows.shape[1] if size < 0 else size
    for row in range(rows.shape[0]):
        for first in range(0, rows.shape[1], step):
            result[row, first:first + step] = function(rows[row, first:first + step])
    return np.moveaxis(result.reshape(moved.shape), -1, axis)


def or_zeros(function):
    return lambda block: function(block) if np.any(block) else np.zeros_like(block, np.float64)


def block_fp(width, exponent, bias):
    def one(block):
        largest = float(np.max(np.abs(block)))
        e = -bias
        while e < 2 ** exponent - 1 - bias and np.rint(largest * 2.0 ** (width - 1 - e)) > 2 ** (width - 1) - 1:
            e += 1
        return nearest(np.arange(2 ** (width - 1)) * 2.0 ** (e - width + 1), block)
    return or_zeros(one)


def signed_clip(v, bits):
    return max(-2 ** (bits - 1), min(2 ** (bits - 1) - 1, v))


def block_minifloat(width, exponent, bias_width):
    def one(block):
        bias = signed_clip(2 ** exponent - 1 - floor_log2(float(np.max(np.abs(block)))), bias_width)
        return nearest(ieee(width, exponent, bias), block)
    return or_zeros(one)


def block_log(width, bias_width):
    def one(block):
        largest = float(np.max(np.abs(block)))
        top = 2 ** (width - 1) - 1
        bias = signed_clip(top - (ceil_log2(largest) if largest > 0 else 0), bias_width)
        return log_nearest(top + 1, bias, block)
    return one


def mxint(width):
    def one(block):
        s = ceil_log2(float(np.max(np.abs(block))))
        return integer(width, width - 1 - s, block)
    return or_zeros(one)


def mxint_hardware(width, exponent):
    def one(block):
        e = signed_clip(ceil_log2(float(np.max(np.abs(block)))) - (width - 1), exponent)
        return integer(width, -e, block)
    return or_zeros(one)


OCP = {(4, 3): (ml_dtypes.float8_e4m3fn, 8), (5, 2): (ml_dtypes.float8_e5m2, 15), (2, 3): (ml_dtypes.float6_e2m3fn, 2),
       (3, 2): (ml_dtypes.float6_e3m2fn, 4), (2, 1): (ml_dtypes.float4_e2m1fn, 2)}


def cast(element, v):
    largest = float(ml_dtypes.finfo(element).max)
    return np.clip(v, -largest, largest).astype(np.float32).astype(element).astype(np.float64)


def mxfp(exponent, fraction):
    def one(block):
        largest = floor_log2(float(np.max(np.abs(block))))
        if exponent == 0:
            scale = 2.0 ** largest
            return np.clip(np.rint(block.astype(np.float64) / scale * 64), -127, 127) / 64 * scale
        element, top = OCP[exponent, fraction]
        scale = 2.0 ** (largest - top)
        return cast(element, block.astype(np.float64) / scale) * scale
    return or_zeros(one)


def nvfp4(x, axis, size):
    tensor = np.float64(np.float32(np.max(np.abs(x.astype(np.float64))) / (6.0 * 448.0)))
    def one(block):
        wanted = float(np.max(np.abs(block.astype(np.float64)))) / 6.0 / tensor
        scale = float(nearest(ieee(8, 4, 7)[:127], np.array([wanted]))[0]) * tensor
        if scale == 0:
            return np.zeros_like(block, np.float64)
        return nearest([0, 0.5, 1, 1.5, 2, 3, 4, 6], block.astype(np.float64) / scale) * scale
    return by_blocks(x, axis, size, False, one)


def rows_of(x):
    return x.reshape(x.shape[0], -1)


def binary_scaled(x):
    mean = np.mean(np.abs(rows_of(x).astype(np.float64)), axis=1)
    return np.where(rows_of(x) > 0, mean[:, None], 0.0).reshape(x.shape)


def ternary(x, scaling, threshold):
    flat = rows_of(x).astype(np.float64)
    size = np.abs(flat)
    limit = {0: 0.75 * size.mean(axis=1), 1: 0.05 * size.max(axis=1), 2: 0.75 * np.median(size, axis=1)}[threshold][:, None]
    kept = size > limit
    result = np.where(kept, np.sign(flat), 0.0)
    if scaling:
        mean = np.where(kept.any(axis=1), (size * kept).sum(axis=1) / np.maximum(kept.sum(axis=1), 1), 0.0)
        result = result * mean[:, None]
    return result.reshape(x.shape)


def residual(x, levels):
    rest, total, unit = x.astype(np.float64), np.zeros(x.shape), 2.0 / (levels * (levels + 1))
    for level in range(levels, 0, -1):
        sign = np.where(rest >= 0, level, -level)
        total, rest = total + sign, rest - sign * unit
    return total * unit


def scale_integer(x, width, signed):
    most = 2 ** (width - 1) - 1 if signed else 2 ** width - 1
    most = max(most, 1)
    scale = np.max(np.abs(x.astype(np.float64)), axis=-1, keepdims=True) / most
    safe = np.where(scale > 0, scale, 1)
    return np.clip(np.rint(x / safe), -most if signed else 0, most) * scale


def flexround(x, width):
    low, high = -2 ** (width - 1), 2 ** (width - 1) - 1
    wide = x.astype(np.float64)
    best = None
    for trial in range(1, 101):
        scale = np.max(np.abs(wide)) / high * trial / 100
        y = np.clip(np.rint(wide / scale), low, high) * scale
        error = np.sum((wide - y) ** 2)
        if best is None or error <= best[0]:
            best = (error, y)
    return best[1]


def affine_of(x, width, symmetric):
    """One scale and zero point that hold all of it."""
    low, high = min(0.0, float(np.min(x))), max(0.0, float(np.max(x)))
    top = 2 ** (width - 1) - 1
    limits = (-top, top) if symmetric else (0, 2 ** width - 1)
    scale = (2 * max(high, -low) if symmetric else high - low) / (limits[1] - limits[0])
    if not scale > 0:
        return np.zeros(x.shape)
    zero = 0 if symmetric else np.clip(np.rint(-low / scale), *limits)
    return (np.clip(np.rint(x.astype(np.float64) / scale) + zero, *limits) - zero) * scale


def affine(x, axis, width, symmetric, channel):
    moved = np.moveaxis(x, axis, 0)
    if not channel:
        return affine_of(x, width, symmetric)
    return np.moveaxis(np.stack([affine_of(row, width, symmetric) for row in moved]), 0, axis)


def cases(tensors):
    """(input, axis, flattens, text, result)"""
    for i, x in enumerate(tensors):
        largest = float(np.max(np.abs(x)))
        axis = 1
        for width, frac in ((8, 3), (8, -2), (6, 9), (4, 2), (2, 1), (1, 0), (16, 9)):
            yield i, axis, 0, f"integer width={width} frac_width={frac}", integer(width, frac, x)
            yield i, axis, 0, f"fixed width={width} frac_width={frac}", integer(width, frac, x, floor=True)
        for width in (3, 8):
            yield i, axis, 0, f"integer width={width}", integer(width, fraction_of(largest, width), x)
            yield (i, axis, 0, f"integer width={width} signed=0",
                   integer(width, fraction_of(largest, width, False), x, signed=False))
            yield i, axis, 0, f"fixed width={width} floor=0", integer(width, fraction_of(largest, width), x)
            yield i, axis, 0, f"scale_integer width={width}", scale_integer(x, width, True)
            yield i, axis, 0, f"scale_integer width={width} signed=0", scale_integer(x, width, False)
        yield i, axis, 0, "flexround width=4", flexround(x, 4)
        yield i, axis, 0, "binary", np.where(x >= 0, 1.0, -1.0)
        yield i, axis, 0, "binary bipolar=0", binary_scaled(x)
        for levels in (1, 2, 3):
            yield i, axis, 0, f"binary_residual levels={levels}", residual(x, levels)
        for threshold in (0, 1, 2):
            for scaling in (0, 1):
                yield (i, axis, 0, f"ternary scaling_factor={scaling} threshold={threshold}",
                       ternary(x, scaling, threshold))
        for width, exponent, bias in ((8, 4, 7), (8, 5, 15), (6, 3, 3), (6, 2, 1), (4, 2, 1), (8, 4, 0), (5, 4, 7)):
            text = f"width={width} exponent_width={exponent} exponent_bias={bias}"
            yield i, axis, 0, "minifloat_ieee " + text, nearest(ieee(width, exponent, bias), x, width == exponent + 1)
            if width - exponent > 1:
                yield i, axis, 0, "minifloat_denorm " + text, nearest(denorm(width, exponent, bias), x, width == exponent + 2)
        yield i, axis, 0, "minifloat_ieee width=8 exponent_width=4", nearest(ieee(8, 4, 7), x)
        for width, bias in ((4, 3), (8, 63), (3, 5), (8, 128)):
            yield i, axis, 0, f"log width={width} exponent_bias={bias}", log_nearest(2 ** (width - 1), bias, x)
        for axis in (0, 1):
            for width, symmetric, channel in ((8, 1, 1), (8, 0, 1), (4, 1, 1), (4, 0, 0), (2, 1, 0)):
                yield (i, axis, 0, f"affine width={width} symmetric={symmetric} channel={channel}",
                       affine(x, axis, width, symmetric, channel))
            for size in (16, 5, -1):
                block = f" block_size={size}"
                for width, exponent in ((7, 8), (4, 8), (4, 4)):
                    bias = 2 ** (exponent - 1) - 1
                    yield (i, axis, 0, f"block_fp width={width} exponent_width={exponent}" + block,
                           by_blocks(x, axis, size, False, block_fp(width, exponent, bias)))
                for width, exponent, bits in ((8, 4, 8), (4, 2, 4)):
                    yield (i, axis, 0,
                           f"block_minifloat width={width} exponent_width={exponent} exponent_bias_width={bits}" + block,
                           by_blocks(x, axis, size, False, block_minifloat(width, exponent, bits)))
                for width, bits in ((4, 8), (8, 4)):
                    yield (i, axis, 0, f"block_log width={width} exponent_bias_width={bits}" + block,
                           by_blocks(x, axis, size, False, block_log(width, bits)))
                for width in (8, 4):
                    yield i, axis, 0, f"mxint width={width}" + block, by_blocks(x, axis, size, False, mxint(width))
                    yield i, axis, 1, f"mxint width={width}" + block, by_blocks(x, axis, size, size > 0, mxint(width))
                    yield (i, axis, 0, f"mxint_hardware width={width} exponent_width=5" + block,
                           by_blocks(x, axis, size, False, mxint_hardware(width, 5)))
                for exponent, fraction in ((4, 3), (5, 2), (2, 3), (3, 2), (2, 1), (0, 6)):
                    yield (i, axis, 0, f"mxfp exponent_width={exponent} frac_width={fraction}" + block,
                           by_blocks(x, axis, size, False, mxfp(exponent, fraction)))
                yield i, axis, 0, "nvfp4" + block, nvfp4(x, axis, size)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2] / "tests/unit/data")
    tensors = inputs()
    arrays = {f"x{i}": x for i, x in enumerate(tensors)}
    lines = []
    for i, axis, flattens, text, result in cases(tensors):
        arrays[f"y{len(lines)}"] = result.astype(np.float32)
        lines.append(f"{i}|{axis}|{flattens}|{text}")
    arrays["cases"] = np.frombuffer("".join(line + "\n" for line in lines).encode(), np.uint8)
    np.savez_compressed(folder / "number_formats.npz", **arrays)
    print(f"{len(lines)} cases of {len(tensors)} tensors, seed 20261129")


if __name__ == "__main__":
    main()
