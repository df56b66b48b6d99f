#!/usr/bin/env python3
"""Makes tests/unit/data/calibrators.npz: the ranges that passes/quantize/calibrator.h promises, by NumPy.

Independent of the C code: histograms by numpy.histogram over the range that the largest magnitude needs, the entropy
by its definition with whole arrays, least squared errors by numpy's rounding. Entries: x0, x1, ... the numbers;
`cases`, the bytes of one line each: "number of the input|calibrator|percentile|width|symmetric", with "of elements"
where no histogram stands for them; `ranges` [cases, 2]. `shared_cases`, "number of the input|format", and `shared`
[cases, 2], the threshold and the scale that elements of such data share. `channels0` and `channels1` [frames, channels, height, width], without and with
negative numbers, and `channel_scales` [2, widths 8 and 4, calibrators max, percentile 99, entropy, mse, channels]: the scales of data that has one a channel.
"""
import sys
from pathlib import Path

import numpy as np

BINS = 2048


def inputs():
    random = np.random.default_rng(20261130)
    relu = np.maximum(random.normal(size=4000), 0)
    tail = random.standard_t(3, 5000)
    return [x.astype(np.float32) for x in
            (random.normal(size=3000), relu, tail, np.abs(tail) * 100, random.uniform(2, 7, 2000), -relu - 1,
             random.laplace(size=6000) * 2.0 ** -9, np.zeros(50), np.full(20, 0.3), np.concatenate([relu, [1000]]))]


def histogram(x):
    exponent = -20
    while not (np.all(x >= -2.0 ** exponent) and np.all(x < 2.0 ** exponent)):
        exponent += 1
    edges = np.linspace(-2.0 ** exponent, 2.0 ** exponent, BINS + 1)
    counts = np.bincount(np.searchsorted(edges, x, side="right") - 1, minlength=BINS)
    return counts.astype(np.float64), edges


def fold(counts, edges):
    half = BINS // 2
    return counts[half:] + counts[half - 1::-1], edges[half:]


def percentile(x, percent, symmetric):
    counts, edges = histogram(x)
    if symmetric:
        folded, tops = fold(counts, edges)
        threshold = tops[1:][np.argmax(np.cumsum(folded) >= percent / 100 * len(x))]
        return -threshold, threshold
    share = (1 - (100 - percent) / 200) * len(x)
    high = edges[1:][np.argmax(np.cumsum(counts) >= share)]
    low = edges[:-1][::-1][np.argmax(np.cumsum(counts[::-1]) >= share)]
    return low, high


def entropy(x, width):
    counts, tops = fold(*histogram(x))
    counts = counts.copy()
    counts[0] = counts[1]
    used = np.nonzero(counts)[0]
    if len(used) == 0:
        return -np.inf, np.inf
    bins, steps = used[-1] + 1, 2 ** (width - 1)
    found = []
    for end in range(steps, bins + 1):
        p = counts[:end].copy()
        p[-1] += counts[end:].sum()
        group = np.arange(end) * steps // end
        has = counts[:end] > 0
        sums, sizes = np.bincount(group, counts[:end], steps), np.bincount(group, has, steps)
        q = np.where(has, sums[group] / np.maximum(sizes[group], 1), 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(p > 0, p / p.sum() * np.log((p / p.sum()) / (q / q.sum())), 0)
        found.append((np.inf if q.sum() == 0 else terms.sum(), -end))
    end = -min(found)[1] if found and np.isfinite(min(found)[0]) else bins
    return -tops[end], tops[end]


def least_error(x, width, symmetric, counts, centers):
    """Of the parts of the range of x that with the least squared error of what was counted."""
    best = None
    for part in range(100, 19, -1):
        low, high = np.float64(x.min()) * part / 100, np.float64(x.max()) * part / 100
        least, most = min(low, 0), max(high, 0)
        if symmetric:
            top = 2 ** (width - 1) - 1
            scale, zero, limits = max(most, -least) * 2 / (2 * top), 0, (-top, top)
        else:
            scale, limits = (most - least) / (2 ** width - 1), (0, 2 ** width - 1)
            zero = np.clip(np.rint(-least / scale), *limits) if scale > 0 else 0
        codes = np.clip(np.rint(centers / scale) + zero, *limits) if scale > 0 else np.zeros(len(centers))
        error = np.sum(counts * (centers - (codes - zero) * scale) ** 2)
        if best is None or error < best[0]:
            best = (error, low, high)
    return best[1:]


def shared(x, binary, threshold, scaling):
    """All magnitudes by the middles of their bins, but for the mean and the largest."""
    counts, tops = fold(*histogram(x))
    size = np.abs(x.astype(np.float64))
    if binary:
        return 0.0, size.mean()
    middles = np.repeat((tops[1:] + tops[:-1]) / 2, counts.astype(int))
    limit = (0.75 * size.mean(), 0.05 * size.max(), 0.75 * np.median(middles))[threshold]
    above = middles[middles > limit]
    return limit, (above.mean() if len(above) else 0.0) if scaling else 1.0


def channel_data():
    """Ranges of very different sizes, one of zeros, and one with numbers far from the others."""
    random = np.random.default_rng(20261131)
    signed = random.normal(size=(8, 6, 5, 5)) * np.array([1, 0.01, 30, 2, 0, 0.5]).reshape(1, 6, 1, 1)
    signed[3, 3, 2, 2] = 100
    return [np.maximum(signed, 0).astype(np.float32), signed.astype(np.float32)]


def channel_scales(x, width, symmetric):
    """By calibrator and channel; a channel of zeros has the largest of the others."""
    found = []
    for name in ("max", "percentile", "entropy", "mse"):
        scales = []
        for c in range(x.shape[1]):
            own = x[:, c].reshape(-1)
            counts, edges = histogram(own)
            low, high = {"max": lambda: (own.min(), own.max()), "percentile": lambda: percentile(own, 99, symmetric), "entropy": lambda: entropy(own, width),
                         "mse": lambda: least_error(own, width, symmetric, counts, (edges[1:] + edges[:-1]) / 2)}[name]()
            low, high = max(low, np.float64(own.min())), min(high, np.float64(own.max()))
            scales.append(max(high, -low) / (2 ** (width - 1) - 1) if symmetric else (max(high, 0) - min(low, 0)) / (2 ** width - 1))
        scales = np.array(scales)
        found.append(np.where(scales > 0, scales, scales.max()))
    return found


def main(out):
    data, lines, ranges = inputs(), [], []
    of_all, values = [], []
    for i, x in enumerate(data):
        of_all.append(f"{i}|binary bipolar=0\n")
        values.append(shared(x, True, 0, 0))
        for threshold in (0, 1, 2):
            for scaling in (0, 1):
                of_all.append(f"{i}|ternary threshold={threshold} scaling_factor={scaling}\n")
                values.append(shared(x, False, threshold, scaling))
    for i, x in enumerate(data):
        for width in (8, 4):
            for symmetric in (0, 1):
                counts, edges = histogram(x)
                cases = [("max", 0, (x.min(), x.max())), ("entropy", 0, entropy(x, width)),
                         ("mse", 0, least_error(x, width, symmetric, counts, (edges[1:] + edges[:-1]) / 2)),
                         ("mse of elements", 0, least_error(x, width, symmetric, np.ones(len(x)), x.astype(np.float64)))]
                cases += [("percentile", p, percentile(x, p, symmetric)) for p in (99.99, 99, 90)]
                for name, percent, (low, high) in cases:
                    lines.append(f"{i}|{name}|{percent}|{width}|{symmetric}\n")
                    ranges.append((max(low, np.float64(x.min())), min(high, np.float64(x.max()))))
    arrays = {f"x{i}": x for i, x in enumerate(data)}
    by_channel = channel_data()
    arrays.update({f"channels{i}": x for i, x in enumerate(by_channel)})
    arrays["channel_scales"] = np.array([[channel_scales(x, width, i) for width in (8, 4)] for i, x in enumerate(by_channel)], np.float32)
    np.savez_compressed(out, cases=np.frombuffer("".join(lines).encode(), np.uint8), ranges=np.array(ranges, np.float64),
                        shared_cases=np.frombuffer("".join(of_all).encode(), np.uint8), shared=np.array(values, np.float64), **arrays)
    print(len(lines), "cases,", len(of_all), "of what elements share")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "tests/unit/data/calibrators.npz")
