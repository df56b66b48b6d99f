#!/usr/bin/env python3
"""Measures what Yosys makes of the modules of rtl/, each alone, a family of devices after the other: scripts/cost/measured.csv.
The coefficients of toolchain/dataflow/cost/cost.def come from it, and tests hold the estimates to it.

usage: measure.py [--count N] [--seed N] [--batch N] [--module NAME] [--family NAME] [-o FILE]    measures again what FILE says of
                  sources that have changed, then adds configurations until there are N of each module and family
       measure.py --check [FILE] [--planted]    are all rows of the present sources? exit status 1 if not; with --planted a source is
                  changed first, and its rows must be found
FILE is measured.csv unless it is given. Needs the commands weir and cost_place in build/; cost_place takes Yosys from PATH.
Two of three configurations are instances of the networks of tests/models at some interval, as `weir compile` emits them, the
third has random parameters. The column `source` is a hash of the module and of those below it, without comments and space, and
of the device's `yosys`.
"""
import argparse
import csv
import functools
import glob
import hashlib
import math
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build")
FIELDS = ("family", "module", "parameters", "luts", "flip_flops", "multipliers", "memory_blocks", "source")

FAMILIES = {"ice40": "ice40hx8k", "ice40u": "ice40up5k", "ecp5": "ecp5-45k", "gowin": "gw1nr-9", "xilinx7": "xc7a35t"}
PRODUCTS = ("mvu", "multiply", "product", "requantize", "requantize_float")  # where ice40 differs from ice40u
INTERVALS = (16, 128, 1024)
SPREAD = ("ecp5", "gowin", "xilinx7")  # devices with distributed RAM
DUAL_PORT = ("ecp5", "gowin", "xilinx7")  # devices whose blocks two ports read
SLOW = ("ice40", "gowin")  # products in logic
BLOCKS = {"ice40": 0, "ice40u": 16, "gowin": 18}  # bits of multiplier blocks, as compile sets them; else 18


def pick(r, *values):
    return r.choice(values)


def register_slice(r, _):
    return {"WIDTH": r.randint(1, 256)}


def fifo(r, family):
    return {"WIDTH": r.randint(1, 96), "DEPTH": pick(r, 2, 3, 5, 9, 16, 24, 32, 33, 64, 100, 300, 1000),
            "SPREAD": int(family in SPREAD)}


def frame_guard(r, _):
    return {"BEATS": pick(r, 1, 2, 3, 5, 16, 28, 49, 100, 300, 784, 3000, 50000), "COUNT_W": pick(r, 8, 8, 8, 4, 16)}


def frame_flags(r, _):
    return {"INPUTS": pick(r, 1, 1, 1, 2, 3), "DEPTH": pick(r, 2, 2, 3, 4, 5, 6, 8, 12, 16)}


def sequence(r, _):
    return {"INPUTS": pick(r, 1, 1, 1, 2, 3), "STATES": pick(r, 1, 1, 2, 2, 3, 4, 6, 8), "DEPTH": pick(r, 2, 2, 2, 4, 4, 8, 8, 16)}


def fork(r, _):
    return {"WIDTH": r.randint(1, 64), "OUTPUTS": r.randint(2, 5)}


def state(r, family):
    return {"WIDTH": r.randint(1, 64), "BEATS": pick(r, 1, 2, 4, 7, 8, 16, 24, 32, 48, 64, 128), "STEPS": pick(r, 1, 2, 5, 8, 28, 64, 100),
            "KEPT": r.randint(0, 1), "SPREAD": int(family in SPREAD)}


def lane_converter(r, _):
    narrow, ratio = r.randint(1, 8), r.randint(2, 8)
    lanes = [narrow, narrow * ratio] if r.random() < 0.7 else [r.randint(2, 12), r.randint(2, 12)]
    r.shuffle(lanes)
    return {"WIDTH": r.randint(1, 12), "IN_LANES": lanes[0], "OUT_LANES": lanes[1], "FRAME": r.randint(1, 20) * 12}


def rom_source(r, _):
    if r.random() < 0.5:
        return {"WIDTH": r.randint(4, 160), "DEPTH": r.randint(128, 3000), "STYLE": "block", "INTERVAL": r.randint(1, 2)}
    return {"WIDTH": r.randint(4, 96), "DEPTH": r.randint(2, 200), "STYLE": "logic", "INTERVAL": r.randint(1, 2)}


def rom(r, _):  # tables
    block, width = r.randint(0, 1), r.randint(4, 32)
    return {"WIDTH": width, "DEPTH": pick(r, 1, 2, 3) << r.randint(7, 12) if block else r.randint(2, 200),
            "STYLE": "block" if block else "logic", "REGISTERED": r.randint(0, 1)}


def rom_sequence(r, family):
    values = rom_source(r, family)
    del values["INTERVAL"]
    return {**values, "READ": r.randint(1, 3)}


def rom_pair(r, _):
    sides = [{"WIDTH": r.randint(1, 64), "DEPTH": pick(r, r.randint(16, 200), r.randint(16, 1000)), "REGISTERED": r.randint(0, 1)} for _ in range(2)]
    return {side + name: value for side, values in zip(("A_", "B_"), sides) for name, value in values.items()}


def replay(r, _):
    return {"WIDTH": r.randint(4, 128), "BEATS": pick(r, 1, 2, 4, 7, 16, 30, 64, 128, 400), "TIMES": r.randint(2, 64)}


def mvu(r, family):
    x, w = r.randint(1, 9), r.randint(1, 9)
    simd, pe = r.randint(1, 8), r.randint(1, 4)
    while simd * pe > (8 if family in SLOW else 16):
        simd, pe = r.randint(1, 8), r.randint(1, 4)
    beats = pick(r, 1, 2, 8, 28, 100)
    values = {"X_W": x, "X_SIGNED": r.randint(0, 1), "W_W": w, "SIMD": simd, "PE": pe, "BEATS": beats,
              "ACC_W": x + w + (simd * beats).bit_length() + r.randint(0, 1), "READ": r.randint(1, 3),
              "PARTS": (w + 3) // 4 if family in SLOW else 1, "SPREAD": int(family in SPREAD), "VECTORS": pick(r, 1, 1, 1, pe),
              "ROWS": pick(r, 2, 3) if beats == 1 else 1}
    signs = pick(r, 0, 1, 1, 2, 3)
    if signs > 0:
        values.update({"W_W": 2, "SIMD": 2 * simd if signs == 3 else simd, "PARTS": 1, "SIGNS": signs})
    if signs > 1:
        values.update({"X_W": 2, "X_SIGNED": 1, "ACC_W": 3 + (values["SIMD"] * beats).bit_length()})
    return values


def add(r, _):
    a, b = r.randint(2, 16), r.randint(2, 16)
    ca, cb = [pick(r, 1, -1, 1 << r.randint(0, 8), r.randint(1, 2000)) for _ in range(2)]
    return {"A_W": a, "A_SIGNED": r.randint(0, 1), "B_W": b, "B_SIGNED": r.randint(0, 1), "CA": ca, "CB": cb,
            "OUT_W": max(a + abs(ca).bit_length(), b + abs(cb).bit_length()) + 2, "LANES": r.randint(1, 8)}


def clip(r, out):
    signed = r.random() < 0.5
    return (-(1 << (out - 1)), (1 << (out - 1)) - 1) if signed and out > 1 else (0, (1 << out) - 1)


def multiply(r, family):
    values = {"LANES": r.randint(1, 2 if family in SLOW else 4)}
    for operand in "AB":
        width, signed, zero = r.randint(2, 10), r.randint(0, 1), pick(r, 0, 0, 1)
        values.update({operand + "_W": width, operand + "_SIGNED": signed, operand + "_ZERO": zero * r.randint(1, (1 << (width - 1)) - 1),
                       operand + "_BITS": width + max(zero, 1 - signed)})
    return {**values, "OUT_W": values["A_BITS"] + values["B_BITS"], "PARTS": (values["B_BITS"] + 3) // 4 if family in SLOW else 1}


def product_loops(values, rows):
    """Those of matrices that come output by output, or, along outputs, element by element of all; rows that take turns among matrices."""
    banks = values["SIMD"] if values["ALONG"] else values["PE"]
    words, beats, groups = values["BEATS"] * values["GROUPS"], values["BEATS"], values["GROUPS"]
    outer, inner = ((beats, 1), (groups, beats)) if values["ALONG"] else ((groups, beats), (beats, 1))
    loops = [(values["MATRICES"], words), outer, (banks, 0), inner]
    for i, (size, stride) in enumerate(loops):
        values["SIZE_%d" % (i + 2)], values["STRIDE_%d" % (i + 2)] = size, stride
    return {**values, "MATRIX": values["MATRICES"] * words * banks, "BANK": 4, "ROW_SIZE_2": rows, "ROW_STRIDE_2": 0,
            "ROW_SIZE_3": values["MATRICES"], "ROW_STRIDE_3": words}


def product(r, family):
    x, w, most = r.randint(2, 9), r.randint(2, 9), 2 if family in SLOW else 4
    values = {"X_W": x, "X_SIGNED": r.randint(0, 1), "W_W": w, "W_SIGNED": r.randint(0, 1), "SIMD": r.randint(1, most), "PE": r.randint(1, most),
              "BEATS": pick(r, 1, 2, 8, 16), "GROUPS": pick(r, 1, 2, 8, 16), "MATRICES": pick(r, 1, 1, 2, 4), "ALONG": r.randint(0, 1),
              "READ": r.randint(1, 3), "REGISTERED": r.randint(0, 1)}
    factor = w + 1 - values["W_SIGNED"]
    values["ACC_W"] = x + factor + (values["SIMD"] * values["BEATS"]).bit_length()
    values["PARTS"] = (factor + 3) // 4 if family in SLOW else 1
    values["SPREAD"] = int(family not in ("ice40", "ice40u"))
    return product_loops(values, pick(r, 1, 16, 49, 64))


def cast(r, _):
    width, out = r.randint(4, 30), r.randint(1, 10)
    low, high = clip(r, out)
    return {"LANES": r.randint(1, 8), "IN_W": width, "IN_SIGNED": 1, "OUT_W": out,
            "SHIFT": r.randint(0, min(width - 2, 16)), "LEFT": 0, "ROUND": r.randint(0, 3), "LO": low, "HI": high,
            "ADD_W": pick(r, 0, r.randint(2, width))}


def requantize(r, family):
    out, m = r.randint(2, 8), r.randint(2, 24)
    low, high = clip(r, out)
    lanes, x = r.randint(1, 2 if family in SLOW else 4), r.randint(8, 30)
    return {"LANES": lanes, "X_W": x, "OUT_W": out, "M_W": m, "A_W": r.randint(2, x + m),
            "SHIFT": r.randint(m, min(31, x + m - 2)), "DIGIT": pick(r, 1, 2, 3, 4, 6, 12, m), "MUL_W": BLOCKS.get(family, 18), "LO": low, "HI": high}


def requantize_float(r, family):
    wide = r.random() < 0.5  # behind an exact product
    out = r.randint(8, 16) if wide else r.randint(2, 8)
    low, high = clip(r, out)
    lanes, m = r.randint(1, 2 if family in SLOW or wide else 4), r.randint(25, 40) if wide else 24
    return {"LANES": lanes, "X_W": r.randint(31, 52) if wide else r.randint(8, 30), "OUT_W": out, "M_W": m, "A_W": 1 if wide else r.randint(1, 26),
            "SHIFT": m + r.randint(20, 30) if wide else r.randint(26, 40), "DIGIT": pick(r, 1, 2, 3, 4, 6, 12, m), "MUL_W": BLOCKS.get(family, 18),
            "ZERO": r.randint(0, 3), "LO": low, "HI": high}


def relu(r, _):
    values = {"LANES": r.randint(1, 8), "WIDTH": r.randint(2, 24), "SIGNED": r.randint(0, 1)}
    return {**values, "ZERO": min(r.randint(0, 3), (1 << (values["WIDTH"] - values["SIGNED"])) - 1)}


def threshold(r, _):
    bits, count = r.randint(4, 24), pick(r, 1, 3, 7, 15)
    return {"LANES": r.randint(1, 4), "IN_W": bits, "IN_SIGNED": r.randint(0, 1), "OUT_W": count.bit_length(),
            "COUNT": count, "PARALLEL": r.randint(1, count), "T_W": bits + 2, "BASE": 0, "STEP": 1}


def threshold_search(r, _):
    bits, count = r.randint(4, 24), pick(r, 7, 15, 31, 63, 255)
    return {"LANES": r.randint(1, 2), "IN_W": bits, "IN_SIGNED": r.randint(0, 1), "OUT_W": count.bit_length(),
            "COUNT": count, "T_W": bits + 2, "BASE": 0, "STEP": 1, "GROUPS": pick(r, 1, 3, 16, 64), "READ": r.randint(1, 2)}


def lookup(r, _):
    return {"LANES": r.randint(1, 8), "IN_W": r.randint(2, 9), "OUT_W": r.randint(1, 9), "GROUPS": pick(r, 1, 1, 2, 3, 8, 24, 100),
            "READ": r.randint(1, 3)}


def window(r, _):
    x, signed = r.randint(1, 8), r.randint(0, 1)
    y = x + pick(r, 0, 0, 0, 1, 2)
    values = {"LANES": r.randint(1, 8), "X_W": x, "X_SIGNED": signed, "Y_W": y, "FRAMES": pick(r, 1, 1, 1, 4),
              "GROUPS": pick(r, 1, 1, 2, 4), "RUN": pick(r, 1, 1, 2, 3)}
    for axis in "XY":
        kernel, stride, dilation, size = r.randint(1, 5), r.randint(1, 2), pick(r, 1, 1, 1, 2), pick(r, 1, 5, 7, 12, 28)
        reach = (kernel - 1) * dilation
        begin = r.randint(max(0, reach + 1 - size), reach)  # at least one position, which ends in the frame
        values.update({"IN_" + axis: size, "OUT_" + axis: (size + begin - reach - 1) // stride + 1, "KERNEL_" + axis: kernel,
                       "STRIDE_" + axis: stride, "DILATION_" + axis: dilation, "BEGIN_" + axis: begin})
    return {**values, "FILL": r.randint(0, (1 << (y - signed)) - 1)}


def taps(r, _):
    x, signed = r.randint(1, 8), r.randint(0, 1)
    y, kernel, stride, dilation = x + pick(r, 0, 0, 0, 1), r.randint(2, 5), r.randint(1, 2), pick(r, 1, 1, 1, 2)
    reach, steps = (kernel - 1) * dilation, pick(r, 5, 7, 12, 28, 100)
    begin = r.randint(max(0, reach + 1 - steps), reach)
    out = (steps + begin - reach - 1) // stride + 1
    along = pick(r, *[n for n in range(1, 9) if n == 1 or (steps % n == 0 and n % stride == 0 and out % (n // stride) == 0)])
    return {"LANES": r.randint(1, 6), "ACROSS": pick(r, 1, 1, 2) if along == 1 else 1, "ALONG": along, "X_W": x, "X_SIGNED": signed, "Y_W": y, "INNER": pick(r, 1, 1, 2, 5, 28, 100, 224), "IN": steps,
            "OUT": out, "LINES": pick(r, 1, 5, 28), "KERNEL": kernel, "STRIDE": stride,
            "DILATION": dilation, "BEGIN": begin, "FILL": r.randint(0, (1 << (y - signed)) - 1)}


def pool(r, _):
    if r.randint(0, 3) == 0:  # whole windows of a beat
        pixel, together, windows, width, adds = r.randint(1, 4), r.randint(2, 3), r.randint(2, 60), r.randint(2, 12), r.randint(0, 1)
        return {"LANES": pixel * r.randint(1, 2), "TOGETHER": together, "PIXEL": pixel, "WIDTH": width, "SIGNED": r.randint(0, 1),
                "SUM": adds, "ZERO": pick(r, 0, 3) * adds, "OUT_W": width + 2 * adds, "IN": windows, "OUT": windows, "KERNEL": 1, "STRIDE": 1}
    kernel, adds = pick(r, 1, 2, 3, 4, 49), r.randint(0, 1)
    stride, begin = r.randint(1, kernel) if kernel < 49 else kernel, r.randint(0, min(kernel, 4) - 1)
    steps = r.randint(kernel, 60)
    inner, width = pick(r, 1, 2, 3, 4, 8, 30, 64, 200), r.randint(2, 12)
    common = math.lcm(*range(kernel - begin, kernel + 1)) if adds and begin and stride == 1 else 0
    factor = (common // (kernel - begin)).bit_length() if common else 0
    return {"LANES": r.randint(1, 4 if inner > 3 else 8), "WIDTH": width, "SIGNED": r.randint(0, 1), "SUM": adds,
            "ZERO": pick(r, 0, 0, 3) * adds, "OUT_W": width + adds * (kernel - 1).bit_length() + factor, "COMMON": common,
            "FACTOR_W": factor, "INNER": inner,
            "IN": steps, "OUT": (steps + begin - kernel) // stride + 1, "LINES": pick(r, 1, 4, 28), "KERNEL": kernel,
            "STRIDE": stride, "DILATION": 1, "BEGIN": begin}


def concat(r, _):
    a, b = r.randint(1, 12), r.randint(1, 12)
    return {"A_W": a, "A_SIGNED": r.randint(0, 1), "B_W": b, "B_SIGNED": r.randint(0, 1), "OUT_W": max(a, b) + r.randint(0, 1),
            "LANES": r.randint(1, 16), "A_BEATS": pick(r, 1, 2, 5, 16, 28, 100), "B_BEATS": pick(r, 1, 2, 5, 16, 28, 100)}


def select(r, _):
    x, values = r.randint(1, 12), {}
    for loop in range(6 - r.randint(1, 3), 6):
        size = pick(r, 2, 5, 14, 28, 100)
        begin = r.randint(0, size - 1)
        values.update({f"SIZE_{loop}": size, f"BEGIN_{loop}": begin, f"END_{loop}": r.randint(begin + 1, size)})
    return {"LANES": r.randint(1, 16), "X_W": x, "X_SIGNED": r.randint(0, 1), "Y_W": x + r.randint(0, 1), "FILLS": r.randint(0, 1), "FILL": r.randint(0, 1), **values}


def reorder(r, _):
    sizes = [pick(r, 2, 3, 8, 14) for _ in range(r.randint(1, 4))]
    page, values = 1, {}
    for loop, size in zip(range(5, 5 - len(sizes), -1), sizes):
        repeats = page > 1 and r.randint(0, 2) == 0
        values.update({f"SIZE_{loop}": size, f"STRIDE_{loop}": 0 if repeats else page})
        page *= 1 if repeats else size
    return {"WIDTH": pick(r, 1, 8, 16, 64), "PAGES": pick(r, 1, 14, 28), "PAGE": page, **values}


def argmax(r, _):
    lanes, beats = r.randint(1, 12), pick(r, 1, 2, 10, 100)
    return {"LANES": lanes, "WIDTH": r.randint(2, 16), "SIGNED": r.randint(0, 1), "BEATS": beats,
            "OUT_W": (lanes * beats).bit_length() + r.randint(0, 1), "LAST": r.randint(0, 1)}


def softmax(r, _):
    steps = pick(r, 7, 8, 8, 9, 9, 9)
    units = r.randint(1, (steps + 4) // 4)
    while (steps + units) // units < 4:
        units -= 1
    return {"WIDTH": pick(r, 4, 7, 8, 8), "SIGNED": r.randint(0, 1), "LENGTH": pick(r, 2, 8, 10, 16, 50, 64, 128, 197), "STEPS_W": steps,
            "UNITS": units, "OUT_W": 8, "ZERO": pick(r, -128, 0), "HIGH": 127, "READ": r.randint(1, 2)}


def softmax_integer(r, _):
    lanes, beats, width, quotient = pick(r, 1, 1, 1, 2, 4), pick(r, 2, 8, 16, 64, 128, 197), pick(r, 4, 8, 8, 8, 10), pick(r, 7, 8, 8, 9, 9)
    term, cycles = pick(r, 9, 24, 31, 31, 31), pick(r, 1, 1, 1, 2, 3, quotient)
    units = -(-quotient // cycles)
    return {"LANES": lanes, "WIDTH": width, "SIGNED": r.randint(0, 1), "BEATS": beats, "ADDR_W": min(width, pick(r, 5, 8, 8)), "TERM_W": term,
            "SUM_W": term + math.ceil(math.log2(lanes * beats)), "NUMERATOR_W": term + quotient - 1, "QUOTIENT_W": quotient, "HALF": quotient % 2,
            "UNITS": -(-quotient // -(-quotient // units)), "OUT_W": 8, "ZERO": pick(r, 0, 0, -128), "HIGH": 127, "READ": r.randint(1, 2)}


def normalize_integer(r, _):
    lanes, width, centred = pick(r, 1, 1, 2, 4), pick(r, 4, 8, 8, 12), r.randint(0, 1)
    length, gain = lanes * pick(r, 8, 16, 32, 64, 128), pick(r, 1, 8, 18, 20, 23)
    away, log = width if centred else width - 1, (length - 1).bit_length()
    quotient = gain + min(away, (log + 3) // 2)
    return {"LANES": lanes, "WIDTH": width, "SIGNED": 1, "LENGTH": length, "CENTRED": centred, "SUM_W": width + 1 + log,
            "SQUARES_W": 2 * width + log, "MEAN_W": width, "ROOT_W": width, "AWAY_W": away, "GAIN_W": gain, "NUMERATOR_W": away + gain,
            "QUOTIENT_W": quotient, "UNITS": pick(r, 1, (quotient + 1) // 2, quotient), "OUT_W": quotient + 1, "ROWS": r.randint(2, 4),
            "MUL_W": 18, "READ": r.randint(2, 3)}


def normalize(r, family):
    """As toolchain/dataflow/component/norm/normalize.c sets them for bytes with an epsilon of 1e-5 or so."""
    length, lanes = pick(r, (16, 1), (64, 1), (64, 4), (128, 1), (192, 2), (256, 1))
    twos = (length - 1).bit_length()
    mode, gain = pick(r, 0, 0, 1), pick(r, 8, 8, 26)
    mean = mode == 0
    bits, stages = 14 + (2 * twos if mean else twos) + 22, pick(r, 3, 4)
    bits += bits % 2
    beats = length // lanes
    return {"LANES": lanes, "WIDTH": 8, "SIGNED": 1, "ZERO": 0, "X_W": 8, "LENGTH": length, "SUM_W": 8 + twos, "SQUARES_W": 15 + twos,
            "A_W": 9 + twos if mean else 8, "MODE": mode, "FRACTION": 22, "EPSILON": 123456789, "BITS": bits, "STAGES": stages,
            "ROWS": 1 + -(-40 // beats), "SHARED": int(beats >= 24), "T_W": 29 + (bits - 22) // 2 + 2 + (twos + 1) // 2 * mean, "COARSE": pick(r, 1, 2),
            "GAIN_W": gain, "OFFSET_W": 34, "HOLD": 0, "SHIFT": 46, "POINT": 26, "OUT_W": 8, "LO": -128, "HI": 127, "MUL_W": 18,
            "ROOT_READ": 2 if family == "ecp5" else 1, "READ": 3 if family == "ecp5" else 2, "SPREAD": int(family in SPREAD)}


MODULES = {f.__name__: f for f in (register_slice, fifo, frame_guard, frame_flags, sequence, fork, lane_converter, rom, rom_source, rom_sequence, rom_pair, replay, mvu, add, multiply, product,
                                   cast, requantize, requantize_float, relu, threshold, lookup, window, taps,
                                   pool, argmax, concat, threshold_search, select, reorder, softmax, softmax_integer, normalize_integer, normalize, state)}


# --- sources ---

def sources():
    """All files of rtl/, by module."""
    return {os.path.basename(path)[:-2]: path for path in sorted(glob.glob(os.path.join(ROOT, "rtl", "*", "*.v")))}


def read_sources():
    texts = {}
    for module, path in sources().items():
        with open(path) as f:
            texts[module] = f.read()
    return texts


@functools.lru_cache(maxsize=None)
def command_of(device):
    """What the device's profile says of Yosys."""
    with open(os.path.join(ROOT, "boards", "devices", device + ".yaml")) as f:
        return next(line.split("#")[0].strip() for line in f if line.startswith("yosys:"))


def hash_of(texts, module, device):
    """Of the module and what it instantiates, as synthesis reads them, and of the device's synthesis."""
    closure, todo = {"": command_of(device)}, [module]
    while todo:
        name = todo.pop()
        if name in closure or name not in texts:
            continue
        read = re.sub(r"//[^\n]*|/\*.*?\*/|`default_nettype \w+", "", texts[name], flags=re.S)
        closure[name] = " ".join(re.sub(r"`ifdef WEIR_CHECK\b.*?`endif", "", read, flags=re.S).split())
        todo += re.findall(r"\bweir_\w+", closure[name])
    return hashlib.sha256("\n".join(closure[name] for name in sorted(closure)).encode()).hexdigest()[:12]


def complete(text, parameters):
    """All parameters of the module but the files of its ROMs, in the order of its header; {} if it has lost one of those given."""
    defaults = dict(re.findall(r"^\s*parameter\b[^=]*\b(\w+)\s*=\s*(\"\w*\"|-?\d+)\s*,?\s*(?://.*)?$", text, flags=re.M))
    defaults = {name: value for name, value in defaults.items() if not name.endswith("INIT")}
    if set(parameters) - set(defaults):
        return {}
    return {name: parameters.get(name, value.strip('"') if '"' in value else int(value)) for name, value in defaults.items()}


def set_defaults(text, parameters):
    """The module's source with other defaults: then it needs no wrapper that knows the widths of its ports."""
    for name, value in parameters.items():
        value = '"%s"' % value if isinstance(value, str) else str(value)
        text, found = re.subn(r"^(\s*parameter\b[^=]*\b%s\s*=\s*)(\"[^\"]*\"|-?\d+)" % name, lambda m: m.group(1) + value, text,
                              count=1, flags=re.M)
        if found != 1:
            raise ValueError("the module has no parameter '%s' with a default to replace" % name)
    return text


# How the parameters of a module's ROMs begin.
ROMS = {"rom": ("",), "rom_source": ("",), "rom_sequence": ("",), "rom_pair": ("A_", "B_")}


def rom_words(width, depth):
    """(digits of a word, words), random ones."""
    r = random.Random(depth)
    return (width + 3) // 4, [r.getrandbits(width) for _ in range(depth)]


def write_rom(folder, module, parameters, name="rom.hex"):
    """The words of a module's ROMs; returns the parameters that name their files."""
    files = {}
    for rom in ROMS.get(module, ()):
        digits, words = rom_words(parameters[rom + "WIDTH"], parameters[rom + "DEPTH"])
        files[rom + "INIT"] = rom + name
        with open(os.path.join(folder, rom + name), "w") as f:
            for word in words:
                f.write("%0*x\n" % (digits, word))
    return files


# --- configurations ---

def words(parameters):
    return " ".join("%s=%s" % pair for pair in parameters.items())


def parse(text):
    pairs = (word.split("=") for word in text.split())
    return {name: value if value.isalpha() else int(value) for name, value in pairs}


def instances(folder):
    """(module, parameters) of each instance in the compiled design."""
    for path in glob.glob(os.path.join(folder, "rtl", "*.v")):
        if os.path.basename(path).startswith("weir_"):
            continue
        with open(path) as f:
            text = f.read()
        for module, inside in re.findall(r"^\s*weir_(\w+) #\((.*?)\n\s*\) \w+ \(", text, flags=re.M | re.S):
            found = re.findall(r"\.(\w+)\s*\((.*?)\),?\s*$", inside, flags=re.M)
            values = {name: value.strip('"') if '"' in value else eval_integer(value) for name, value in found if not name.endswith("INIT")}
            yield module, values


def eval_integer(text):
    """A Verilog literal as compile emits it: 12, -12, 32'sd12, -32'sd12."""
    sign = -1 if text.startswith("-") else 1
    return sign * int(text.lstrip("-").split("d")[-1])


def networks(texts, family):
    """{module: list of parameters} of the networks of tests/models, compiled for the family's device."""
    models = sorted(glob.glob(os.path.join(ROOT, "tests", "models", "*", "*.onnx")))
    found = {}
    for model in models:
        for interval in INTERVALS:
            with tempfile.TemporaryDirectory() as work:
                subprocess.run([os.path.join(BUILD, "toolchain", "cli", "weir"), "compile", model, "--device", FAMILIES[family],
                                "--target-interval", str(interval), "-o", os.path.join(work, "out")], capture_output=True,
                               env={"WEIR_DATA": ROOT, **os.environ})
                for module, values in instances(os.path.join(work, "out")):
                    values = complete(texts["weir_" + module], values)
                    if values not in found.setdefault(module, []):
                        found[module].append(values)
    return found


def size_of(parameters):
    """Roughly: configurations much larger than others take Yosys minutes and tell nothing new."""
    size = 1
    for name, value in parameters.items():
        if name in ("SIMD", "PE", "LANES", "WIDTH", "X_W", "OUT_LANES", "PARALLEL"):
            size *= max(1, value)
    return size


LARGEST = 4096  # of size_of


def wanted(a, texts, have, family):
    """Configurations that are still missing."""
    known = networks(texts, family)
    for module in a.module or MODULES:
        if family == "ice40" and module not in PRODUCTS or family not in DUAL_PORT and module == "rom_pair":
            continue
        keys = {row["parameters"] for row in have if (row["family"], row["module"]) == (family, module)}
        r = random.Random("%d %s %s" % (a.seed, family, module))
        left = [p for p in known.get(module, []) if words(p) not in keys and size_of(p) <= LARGEST]
        r.shuffle(left)
        for i in range(len(keys), a.count):
            parameters = left.pop() if left and i % 3 < 2 else complete(texts["weir_" + module], MODULES[module](r, family))
            if words(parameters) not in keys:
                keys.add(words(parameters))
                yield family, module, parameters


# --- measuring ---

def synthesize(texts, jobs):
    """Rows of configurations of one family. They are modules of one design, which Yosys keeps apart: it starts once."""
    with tempfile.TemporaryDirectory() as work:
        rtl = os.path.join(work, "rtl")
        os.mkdir(rtl)
        for module, text in texts.items():
            with open(os.path.join(rtl, module + ".v"), "w") as f:
                f.write(text)
        cells = []
        for i, (family, module, parameters) in enumerate(jobs):
            name = "weir_" + module
            text = set_defaults(texts[name], {**parameters, **write_rom(rtl, module, parameters, "rom_%d.hex" % i)})
            with open(os.path.join(rtl, "alone_%d.v" % i), "w") as f:
                f.write(re.sub(r"\bmodule %s\b" % name, "module alone_%d" % i, text))
            cells.append("  (* keep, keep_hierarchy *) alone_%d u_%d ();\n" % (i, i))
        with open(os.path.join(rtl, "batch.v"), "w") as f:
            f.write("module batch;\n%sendmodule\n" % "".join(cells))
        run = subprocess.run([os.path.join(BUILD, "tests", "bench", "cost_place"), work, "batch", FAMILIES[jobs[0][0]]],
                             capture_output=True, text=True, env={"WEIR_DATA": ROOT, **os.environ, "WEIR_CACHE": os.path.join(work, "cache")})
        if run.returncode != 0:
            raise RuntimeError((run.stderr or run.stdout)[-600:])
        figures = {line.split(",")[0]: line.split(",")[1:] for line in run.stdout.splitlines()}
        return [dict(zip(FIELDS, [family, module, words(parameters), *figures["alone_%d" % i],
                                  hash_of(texts, "weir_" + module, FAMILIES[family])]))
                for i, (family, module, parameters) in enumerate(jobs)]


def measure(texts, jobs):
    """The same; one by one when Yosys stops at one of them."""
    try:
        return synthesize(texts, jobs)
    except (RuntimeError, ValueError) as error:
        if len(jobs) == 1:
            print("%s %s %s: %s" % (*jobs[0][:2], words(jobs[0][2]), error), file=sys.stderr, flush=True)
            return []
        return [row for job in jobs for row in measure(texts, [job])]


# --- the file ---

def read(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as f:
        return [{name: row.get(name) or "" for name in FIELDS} for row in csv.DictReader(f)]


def write(path, rows):
    order = list(MODULES)
    rows.sort(key=lambda row: (list(FAMILIES).index(row["family"]), order.index(row["module"])))
    with open(path + ".new", "w", newline="") as f:
        out = csv.DictWriter(f, FIELDS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    os.replace(path + ".new", path)


def is_stale(texts, row):
    return row["source"] != hash_of(texts, "weir_" + row["module"], row.get("device") or FAMILIES[row["family"]])


def update(a):
    texts, rows = read_sources(), read(a.file)
    mine = [row for row in rows if is_stale(texts, row) and row["module"] in (a.module or MODULES) and a.family in (None, row["family"])]
    kept = [row for row in rows if row not in mine]
    for family in [a.family] if a.family else FAMILIES:
        # Stale rows stay in the file until they are measured again, or have parameters that the module no longer has.
        again = [(row, complete(texts["weir_" + row["module"]], parse(row["parameters"]))) for row in mine if row["family"] == family]
        again = [(row, parameters) for row, parameters in again if parameters]
        planned = [dict(zip(FIELDS, [family, row["module"], words(parameters)])) for row, parameters in again]
        jobs = [(row, (family, row["module"], parameters)) for row, parameters in again]
        jobs += [(None, job) for job in wanted(a, texts, kept + planned, family)]
        for i in range(0, len(jobs), a.batch):
            kept += measure(texts, [job for _, job in jobs[i:i + a.batch]])
            done = [row for row, _ in jobs[:i + a.batch]]
            mine = [row for row in mine if row not in done]
            write(a.file, kept + mine)
        mine = [row for row in mine if row["family"] != family]
    write(a.file, kept)
    return 0


def check(a):
    texts, rows = read_sources(), read(a.check)
    if a.planted:
        texts["weir_saturate"] = texts["weir_saturate"].replace("above ? HI", "above ? LO")
    stale = {}
    for row in rows:
        if is_stale(texts, row):
            stale[row["module"]] = stale.get(row["module"], 0) + 1
    if a.planted:
        return 0 if "cast" in stale else 1
    for module, count in stale.items():
        print("%s: error: weir_%s has changed since its %d rows were measured" % (a.check, module, count), file=sys.stderr)
    if stale:
        print("note: measure them again: scripts/cost/README.md", file=sys.stderr)
    return 1 if stale or not rows else 0


def main():
    file = os.path.join(ROOT, "scripts", "cost", "measured.csv")
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--count", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--module", choices=MODULES, action="append")
    parser.add_argument("--family", choices=FAMILIES)
    parser.add_argument("--check", nargs="?", const=file)
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("-o", "--file", default=file)
    a = parser.parse_args()
    return check(a) if a.check else update(a)


if __name__ == "__main__":
    sys.exit(main())
