#!/usr/bin/env python3
"""Measures what Yosys makes of the modules of rtl/: random parameters, one module at a time, a family of devices after
the other. The result is scripts/cost/measured.csv, from which scripts/cost/fit makes the coefficients of
toolchain/dataflow/cost.def, and which tests hold the estimates to.

usage: measure.py [--count N] [--seed N] [--jobs N] [--module NAME] [--family NAME] -o FILE
Appends to FILE what is not in it yet. Needs yosys; about 2 s a configuration.
"""
import argparse
import concurrent.futures
import json
import os
import random
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FAMILIES = {
    "ice40": "synth_ice40 -device hx",
    "ice40u": "synth_ice40 -device u -dsp",
    "ecp5": "synth_ecp5",
    "gowin": "synth_gowin",
    "xilinx7": "synth_xilinx -flatten -noiopad -noclkbuf",
}
SLOW = ("ice40", "gowin")  # products in logic
BLOCKS = {"ice40": 0, "ice40u": 16, "gowin": 0}  # bits of multiplier blocks, as compile sets them; else 18
PRODUCTS = ("mvu", "requantize", "requantize_float")  # where ice40 differs from ice40u


def pick(r, *values):
    return r.choice(values)


def register_slice(r, _):
    return {"WIDTH": r.randint(1, 256)}


def fifo(r, _):
    return {"WIDTH": r.randint(1, 96), "DEPTH": pick(r, 2, 3, 5, 9, 16, 24, 32, 33, 64, 100, 300, 1000)}


def fork(r, _):
    return {"WIDTH": r.randint(1, 64), "OUTPUTS": r.randint(2, 5)}


def lane_converter(r, _):
    narrow, ratio = r.randint(1, 8), r.randint(2, 8)
    lanes = [narrow, narrow * ratio] if r.random() < 0.7 else [r.randint(2, 12), r.randint(2, 12)]
    r.shuffle(lanes)
    return {"WIDTH": r.randint(1, 12), "IN_LANES": lanes[0], "OUT_LANES": lanes[1], "FRAME": r.randint(1, 20) * 12}


def rom_source(r, _):
    if r.random() < 0.5:
        return {"WIDTH": r.randint(4, 160), "DEPTH": r.randint(128, 3000), "STYLE": "block", "INTERVAL": r.randint(1, 2)}
    return {"WIDTH": r.randint(4, 96), "DEPTH": r.randint(2, 200), "STYLE": "logic", "INTERVAL": r.randint(1, 2)}


def rom_sequence(r, family):
    values = rom_source(r, family)
    del values["INTERVAL"]
    return {**values, "READ": r.randint(1, 3)}


def replay(r, _):
    return {"WIDTH": r.randint(4, 128), "BEATS": pick(r, 1, 2, 4, 7, 16, 30, 64, 128, 400), "TIMES": r.randint(2, 64)}


def mvu(r, family):
    x, w = r.randint(1, 9), r.randint(1, 9)
    simd, pe = r.randint(1, 8), r.randint(1, 4)
    while simd * pe > (8 if family in SLOW else 16):
        simd, pe = r.randint(1, 8), r.randint(1, 4)
    beats = pick(r, 1, 2, 8, 28, 100)
    return {"X_W": x, "X_SIGNED": r.randint(0, 1), "W_W": w, "SIMD": simd, "PE": pe, "BEATS": beats,
            "ACC_W": x + w + (simd * beats).bit_length() + r.randint(0, 1), "READ": r.randint(1, 3),
            "PARTS": (w + 3) // 4 if family in SLOW else 1}


def add(r, _):
    a, b = r.randint(2, 16), r.randint(2, 16)
    ca, cb = [pick(r, 1, -1, 1 << r.randint(0, 8), r.randint(1, 2000)) for _ in range(2)]
    return {"A_W": a, "A_SIGNED": r.randint(0, 1), "B_W": b, "B_SIGNED": r.randint(0, 1), "CA": ca, "CB": cb,
            "OUT_W": max(a + abs(ca).bit_length(), b + abs(cb).bit_length()) + 2, "LANES": r.randint(1, 8)}


def clip(r, out):
    signed = r.random() < 0.5
    return (-(1 << (out - 1)), (1 << (out - 1)) - 1) if signed and out > 1 else (0, (1 << out) - 1)


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
    out = r.randint(2, 8)
    low, high = clip(r, out)
    lanes = r.randint(1, 2 if family in SLOW else 4)
    return {"LANES": lanes, "X_W": r.randint(8, 30), "OUT_W": out, "M_W": 24, "A_W": r.randint(1, 26),
            "SHIFT": r.randint(26, 40), "DIGIT": pick(r, 1, 2, 3, 4, 6, 12, 24), "MUL_W": BLOCKS.get(family, 18), "ZERO": r.randint(0, 3), "LO": low, "HI": high}


def relu(r, _):
    return {"LANES": r.randint(1, 8), "WIDTH": r.randint(2, 24), "SIGNED": r.randint(0, 1), "ZERO": r.randint(0, 3)}


def threshold(r, _):
    bits, count = r.randint(4, 24), pick(r, 1, 3, 7, 15)
    return {"LANES": r.randint(1, 4), "IN_W": bits, "IN_SIGNED": r.randint(0, 1), "OUT_W": count.bit_length(),
            "COUNT": count, "PARALLEL": r.randint(1, count), "T_W": bits + 2, "BASE": 0, "STEP": 1}


def max_pool(r, _):
    kernel = r.randint(1, 4)
    stride, begin = r.randint(1, kernel), r.randint(0, kernel - 1)
    steps = r.randint(kernel, 40)
    inner = pick(r, 1, 2, 3, 4, 8, 30, 64, 200)
    return {"LANES": r.randint(1, 4 if inner > 3 else 8), "WIDTH": r.randint(2, 12), "SIGNED": r.randint(0, 1), "INNER": inner,
            "IN": steps, "OUT": (steps + begin - kernel) // stride + 1, "LINES": pick(r, 1, 4, 28), "KERNEL": kernel,
            "STRIDE": stride, "DILATION": 1, "BEGIN": begin}


def argmax(r, _):
    lanes, beats = r.randint(1, 12), pick(r, 1, 2, 10, 100)
    return {"LANES": lanes, "WIDTH": r.randint(2, 16), "SIGNED": r.randint(0, 1), "BEATS": beats,
            "OUT_W": (lanes * beats).bit_length() + r.randint(0, 1), "LAST": r.randint(0, 1)}


MODULES = {f.__name__: f for f in (register_slice, fifo, fork, lane_converter, rom_source, rom_sequence, replay, mvu, add,
                                   cast, requantize, requantize_float, relu, threshold, max_pool, argmax)}

XILINX_LUTS = {"SRL16E": 1, "SRLC32E": 1, "RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "INV": 1}


def lone_flip_flops(cells, prefix):
    """Flip-flops that no lookup table of their own feeds: those take a logic cell by themselves."""
    readers, drivers = {}, {}
    for cell in cells:
        for port, bits in cell["connections"].items():
            for bit in bits:
                if cell["port_directions"].get(port) == "output":
                    drivers[bit] = cell["type"]
                else:
                    readers[bit] = readers.get(bit, 0) + 1
    lone = 0
    for cell in cells:
        if cell["type"].startswith(prefix):
            bit = cell["connections"]["D"][0]
            lone += drivers.get(bit) != "SB_LUT4" or readers[bit] > 1
    return lone


def count(family, cells):
    n = {}
    for cell in cells:
        n[cell["type"]] = n.get(cell["type"], 0) + 1

    def total(test):
        return sum(k for name, k in n.items() if test(name))

    if family.startswith("ice40"):
        flip_flops = total(lambda t: t.startswith("SB_DFF"))
        return (n.get("SB_LUT4", 0) + lone_flip_flops(cells, "SB_DFF"), flip_flops, n.get("SB_MAC16", 0),
                n.get("SB_RAM40_4K", 0))
    if family == "ecp5":
        return (n.get("LUT4", 0) + 2 * n.get("CCU2C", 0) + 4 * n.get("TRELLIS_DPR16X4", 0), n.get("TRELLIS_FF", 0),
                n.get("MULT18X18D", 0), total(lambda t: t in ("DP16KD", "PDPW16KD")))
    if family == "gowin":
        return (total(lambda t: t in ("LUT1", "LUT2", "LUT3", "LUT4", "ALU")) + 4 * total(lambda t: t.startswith("RAM16")),
                total(lambda t: t.startswith("DFF")), 0,
                total(lambda t: t.startswith(("SP", "SDP", "DP", "pROM"))))
    return (total(lambda t: t.startswith("LUT")) + sum(XILINX_LUTS.get(t, 0) * k for t, k in n.items()),
            total(lambda t: t.startswith("FD")), n.get("DSP48E1", 0), n.get("RAMB18E1", 0) + 2 * n.get("RAMB36E1", 0))


def literal(value):
    """As chparam takes it: it reads no negative numbers."""
    if isinstance(value, str):
        return '"%s"' % value
    return "32'b" + format(value & 0xFFFFFFFF, "032b") if value < 0 else str(value)


def sources():
    """All files of rtl/."""
    rtl = os.path.join(ROOT, "rtl")
    folders = [os.path.join(rtl, d) for d in sorted(os.listdir(rtl)) if os.path.isdir(os.path.join(rtl, d))]
    return [os.path.join(d, f) for d in folders for f in sorted(os.listdir(d)) if f.endswith(".v")]


def write_rom(folder, module, parameters):
    """Random words where the module is a ROM; returns the parameter that names their file."""
    if module not in ("rom_source", "rom_sequence"):
        return {}
    r = random.Random(parameters["DEPTH"])
    digits = (parameters["WIDTH"] + 3) // 4
    with open(os.path.join(folder, "rom.hex"), "w") as f:
        for _ in range(parameters["DEPTH"]):
            f.write("%0*x\n" % (digits, r.getrandbits(parameters["WIDTH"])))
    return {"INIT": "rom.hex"}


def synthesize(family, module, parameters):
    with tempfile.TemporaryDirectory() as work:
        values = {**parameters, **write_rom(work, module, parameters)}
        sets = " ".join("-set %s %s" % (k, literal(v)) for k, v in values.items())
        top = "weir_" + module
        script = "\n".join(["read_verilog -defer " + " ".join(sources()), "chparam %s %s" % (sets, top), "%s -top %s" % (FAMILIES[family], top),
                            "setattr -mod -unset keep_hierarchy *", "flatten", "opt_clean", "write_json net.json"])
        with open(os.path.join(work, "run.ys"), "w") as f:
            f.write(script + "\n")
        run = subprocess.run(["yosys", "-q", "run.ys"], cwd=work, capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError("%s %s %s: %s" % (family, module, parameters, (run.stderr or run.stdout)[-400:]))
        with open(os.path.join(work, "net.json")) as f:
            netlist = json.load(f)
        tops = [m for m in netlist["modules"].values() if int(m["attributes"].get("top", "0"), 2)]
        return count(family, list(tops[0]["cells"].values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--module", choices=MODULES)
    parser.add_argument("--family", choices=FAMILIES)
    parser.add_argument("-o", "--output", required=True)
    a = parser.parse_args()
    header = "family,module,parameters,luts,flip_flops,multipliers,memory_blocks\n"
    have = set()
    if os.path.exists(a.output):
        with open(a.output) as f:
            have = {tuple(line.split(",")[:3]) for line in f}
    jobs = []
    for i in range(a.count):
        for module in [a.module] if a.module else MODULES:
            for family in [a.family] if a.family else FAMILIES:
                if family == "ice40" and module not in PRODUCTS:
                    continue
                p = MODULES[module](random.Random("%d %d %s" % (a.seed, i, module)), family)
                key = (family, module, " ".join("%s=%s" % kv for kv in p.items()))
                if key not in have:
                    jobs.append((key, family, module, p))
    with open(a.output, "a") as f, concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        if not have:
            f.write(header)
        futures = {pool.submit(synthesize, family, module, p): key for key, family, module, p in jobs}
        for done in concurrent.futures.as_completed(futures):
            try:
                f.write(",".join(futures[done]) + ",%d,%d,%d,%d\n" % done.result())
                f.flush()
            except RuntimeError as error:
                print(error, flush=True)


if __name__ == "__main__":
    main()
