#!/usr/bin/env python3
"""Makes tests/unit/data/qonnx_quantizers.npz: what the qonnx package (1.0.0) executes for Quant nodes of every kind.

usage: qonnx_quantizers.py OUT.npz

Arrays, one row a case: `parameters` float32 [N, 6] (rounding mode as an index of MODES, signed, narrow, bit width, scale,
zero point), `x` and `y` float32 [N, 10]. `grid` int64 [N]: 1 where float64 arithmetic gives the same codes, so that the
same numbers can be expected of an accumulator.
"""
import sys

import numpy as np
from qonnx.custom_op.general.intquant import int_quant

MODES = ["ROUND", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"]
COUNT = 10
f32 = np.float32


def execute(x, mode, signed, narrow, bits, scale, zero):
    kind = x.dtype.type
    return int_quant(x, kind(scale), kind(zero), kind(bits), signed, narrow, MODES[mode])


def inputs(rng, bits, signed, scale, zero):
    """Multiples of 1/64 around the range: ends, ties, zero, anything."""
    low = -(2.0 ** (bits - 1)) if signed else 0.0
    ends = (low + np.array([0, 0.5, 1, 2.0**bits - 1, 2.0**bits - 1.5]) - zero) * scale
    span = 2.0**bits * scale
    rest = rng.uniform(-span, span, COUNT - 6)
    x = np.concatenate([ends, rest, [0]])
    return (np.clip(np.round(x * 64), -(2**17), 2**17) / 64).astype(f32)


def main():
    rng = np.random.default_rng(7)
    scales = [f32(0.25), f32(2), f32(0.1), f32(0.3), f32(1.7), f32(1 / 3)]
    zeros = [0, 0, 1, -3, 7, 0.5, -1.25, 300, -40]
    rows, xs, ys, grid = [], [], [], []
    for mode in range(len(MODES)):
        for signed in (0, 1):
            for narrow in (0, 1):
                for bits in (1, 2, 3, 4, 8, 12):
                    for _ in range(3):
                        scale, zero = scales[rng.integers(len(scales))], f32(zeros[rng.integers(len(zeros))])
                        x = inputs(rng, bits, signed, float(scale), float(zero))
                        y = execute(x, mode, signed, narrow, bits, scale, zero).astype(f32)
                        exact = execute(x.astype(np.float64), mode, signed, narrow, bits, scale, zero)
                        rows.append([mode, signed, narrow, bits, scale, zero])
                        xs.append(x)
                        ys.append(y)
                        grid.append(int(np.all(np.abs(exact - y) < float(scale) / 4)))
    np.savez_compressed(
        sys.argv[1], parameters=np.array(rows, f32), x=np.array(xs, f32), y=np.array(ys, f32), grid=np.array(grid)
    )
    print(len(rows), "cases,", sum(grid), "on the grid")


main()
