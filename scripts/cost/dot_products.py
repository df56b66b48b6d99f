#!/usr/bin/env python3
"""Prints what a dot product of 16 inputs takes in each number format that has hardware: `scripts/bench --only dot_products`.

usage: dot_products.py [FORMAT]...    all, or those whose name contains one of the words
weir_dot as `weir compile` sets its parameters for the first layer of the digits' MLP, quantized by the configuration,
with 16 inputs a cycle: placed alone between registers on ecp5-45k, mapped on xc7a35t. Its weights are inputs too, so no
product knows its factors. Needs the commands weir and cost_place in build/.
"""
import os
import subprocess
import sys
import tempfile

import measure
import place

DEVICES = ("ecp5-45k", "xc7a35t")
INPUTS = 16
DIGITS = os.path.join(measure.ROOT, "tests", "models", "digits")
WEIGHTS = "bias_name: NA, data_in_name: integer, data_in_width: 8"
FORMATS = (  # weights x data
    ("integer 8 x 8", "name: integer, width: 8, bias_name: NA"),
    ("integer 4 x 8", "name: integer, weight_width: 4, " + WEIGHTS),
    ("integer 4 x 4", "name: integer, width: 4, bias_name: NA"),
    ("integer 2 x 2", "name: integer, width: 2, bias_name: NA"),
    ("fixed 8 x 8", "name: fixed, width: 8, bias_name: NA"),
    ("ternary x 8", "name: ternary, " + WEIGHTS),
    ("ternary x ternary", "name: ternary, data_in_name: ternary"),
    ("binary x 8", "name: binary, " + WEIGHTS),
    ("binary x binary", "name: binary, data_in_name: binary"),
    ("binary_residual x 8", "name: binary_residual, " + WEIGHTS),
    ("binary_residual x the same", "name: binary_residual, bias_name: NA"),
)


def compiled(work, settings, device):
    """Parameters of weir_dot in the first layer."""
    config, folding, out = (os.path.join(work, name) for name in ("config.yaml", "folding.yaml", device))
    with open(config, "w") as f:
        f.write("default: {config: {%s}}\n" % settings)
    with open(folding, "w") as f:
        f.write("nodes: {fc1: {simd: %d, pe: 1}}\n" % INPUTS)
    run = subprocess.run([os.path.join(measure.BUILD, "toolchain", "cli", "weir"), "compile", os.path.join(DIGITS, "mlp_float.onnx"),
                          "--quantize", config, "--calibration", os.path.join(DIGITS, "digits_calib.npz"), "--folding", folding,
                          "--device", device, "-o", out], capture_output=True, text=True, env={"WEIR_DATA": measure.ROOT, **os.environ})
    if run.returncode != 0:
        raise SystemExit("%s: %s" % (settings, run.stderr))
    mvu = next(values for module, values in measure.instances(out) if module == "mvu")
    signs = mvu.get("SIGNS", 0)
    product = (mvu["X_W"] + mvu["W_W"], mvu["X_W"] + 1, 2, 1)[signs]
    bits = (INPUTS - 1).bit_length()  # the tree's levels; halves are doubled
    return {"X_W": mvu["X_W"], "X_SIGNED": mvu["X_SIGNED"], "W_W": mvu["W_W"], "PROD_W": product, "ACC_W": product + bits + (signs == 3),
            "SIMD": INPUTS, "ACCUMULATE": 0, "PARTS": mvu["PARTS"], "PAIR": 0, "SIGNS": signs}


def main():
    program, texts = os.path.join(measure.BUILD, "tests", "bench", "cost_place"), measure.read_sources()
    chosen = [row for row in FORMATS if not sys.argv[1:] or any(word in row[0] for word in sys.argv[1:])]
    print("%-28s %27s   %19s" % ("", "ecp5-45k", "xc7a35t"))
    print("%-28s %5s %5s %5s %9s   %5s %6s %6s" % ("weights x data", "LUTs", "FFs", "DSPs", "Fmax, MHz", "LUTs", "FFs", "DSPs"))
    for name, settings in chosen:
        with tempfile.TemporaryDirectory() as work:
            own = {device: compiled(work, settings, device) for device in DEVICES}
        placed = place.place(program, DEVICES[0], "dot", own[DEVICES[0]])
        mapped = measure.measure(texts, [("xilinx7", "dot", own[DEVICES[1]])])[0]
        print("%-28s %5s %5s %5s %9s   %5s %6s %6s" % (name, placed["luts"], placed["flip_flops"], placed["multipliers"], placed["fmax_mhz"],
                                                       mapped["luts"], mapped["flip_flops"], mapped["multipliers"]), flush=True)


if __name__ == "__main__":
    main()
