#!/usr/bin/env python3
"""Places each module of rtl/ alone between registers, at corners of its parameters, on two devices: scripts/cost/placed.csv.

usage: place.py [--program FILE] [--jobs N] [--module NAME] [--device NAME] [--networks N] [-o FILE]
                measures what FILE lacks and what has changed since; with --networks as many instances of the networks of tests/models
                for each module and device as well, on a third device too, to which the estimate of clocks is fitted
       place.py --check FILE [--planted] [--program FILE] [--module NAME] [--device NAME]    measures again what FILE says; exit
                status 1 if it differs (a clock: by over a quarter), 77 if a tool is missing or has another version than in FILE; with --planted a wrong row must
                be found
       place.py --markdown FILE    prints the table of rtl/README.md
FILE is placed.csv unless it is given. The program is build/tests/bench/cost_place; it takes Yosys and nextpnr from PATH.
Corners, which make the table, are as networks have them: instances of the 8-bit jet-tagging network at intervals of 32 and of 512 cycles where it has
the module.
"""
import argparse
import concurrent.futures
import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

import measure

HERE = os.path.dirname(os.path.abspath(__file__))
GOAL_MHZ = 200  # what nextpnr works towards; above the devices' own goals
SKIPPED = 77
CLOCKS = 0.25  # by which a clock may differ
LIMIT_SECONDS = 300  # nextpnr may never end
FIELDS = ("device", "module", "parameters", "fmax_mhz", "luts", "flip_flops", "multipliers", "memory_blocks", "yosys", "nextpnr", "source")

# What a compilation sets by the device.
DEVICES = {
    "ice40hx8k": {"SPREAD": 0, "PARTS": 2, "PAIRS": 0, "MUL_W": 0, "READ": 2, "REGISTERED": 0},
    "ecp5-45k": {"SPREAD": 1, "PARTS": 1, "PAIRS": 1, "MUL_W": 18, "READ": 3, "REGISTERED": 1},
}
BY_DEVICE = {"fifo": ("SPREAD", "REGISTERED"), "rom_source": ("REGISTERED",), "replay": ("REGISTERED",), "mvu": ("SPREAD", "PARTS", "READ", "PAIRS"), "requantize": ("MUL_W",), "requantize_float": ("MUL_W",),
             "rom_sequence": ("READ",), "lookup": ("READ",), "multiply": ("PARTS",),
             "product": ("SPREAD", "PARTS", "READ", "REGISTERED")}

# The devices whose clocks are estimated, by the family of measure.py.
NETWORKS = {"ice40hx8k": "ice40", "ice40up5k": "ice40u", "ecp5-45k": "ecp5"}

# The small corner of a module and the large one, or more where it has several forms.
CORNERS = {
    "register_slice": ({"WIDTH": 8}, {"WIDTH": 128}),
    "fifo": ({"WIDTH": 8, "DEPTH": 4}, {"WIDTH": 64, "DEPTH": 512}),
    "frame_guard": ({"BEATS": 2}, {"BEATS": 784}),
    "frame_flags": ({"INPUTS": 1, "DEPTH": 2}, {"INPUTS": 2, "DEPTH": 8}),
    "sequence": ({"INPUTS": 1, "STATES": 1, "DEPTH": 2}, {"INPUTS": 2, "STATES": 4, "DEPTH": 8}),
    "state": ({"WIDTH": 8, "BEATS": 8, "STEPS": 8}, {"WIDTH": 32, "BEATS": 64, "STEPS": 16}),
    "fork": ({"WIDTH": 8, "OUTPUTS": 2}, {"WIDTH": 64, "OUTPUTS": 4}),
    "lane_converter": ({"WIDTH": 8, "IN_LANES": 1, "OUT_LANES": 4, "FRAME": 64},
                       {"WIDTH": 8, "IN_LANES": 2, "OUT_LANES": 64, "FRAME": 64},
                       {"WIDTH": 8, "IN_LANES": 3, "OUT_LANES": 5, "FRAME": 60},
                       {"WIDTH": 8, "IN_LANES": 12, "OUT_LANES": 7, "FRAME": 84}),
    "rom_source": ({"WIDTH": 39, "DEPTH": 32, "STYLE": "logic", "INTERVAL": 2},
                   {"WIDTH": 122, "DEPTH": 512, "STYLE": "block", "INTERVAL": 1}),
    "rom_sequence": ({"WIDTH": 16, "DEPTH": 32, "STYLE": "logic"}, {"WIDTH": 64, "DEPTH": 512, "STYLE": "block"}),
    "rom_pair": ({"A_WIDTH": 8, "A_DEPTH": 840, "A_REGISTERED": 1, "B_WIDTH": 16, "B_DEPTH": 128, "B_REGISTERED": 1},
                 {"A_WIDTH": 45, "A_DEPTH": 512, "A_REGISTERED": 1, "B_WIDTH": 39, "B_DEPTH": 120, "B_REGISTERED": 1}),
    "replay": ({"WIDTH": 16, "BEATS": 8, "TIMES": 64}, {"WIDTH": 128, "BEATS": 64, "TIMES": 32}),
    "mvu": ({"X_W": 8, "X_SIGNED": 0, "W_W": 8, "ACC_W": 19, "SIMD": 2, "PE": 1, "BEATS": 8},
            {"X_W": 8, "X_SIGNED": 0, "W_W": 8, "ACC_W": 21, "SIMD": 8, "PE": 1, "BEATS": 8},
            {"X_W": 8, "X_SIGNED": 0, "W_W": 8, "ACC_W": 32, "SIMD": 2, "PE": 1, "BEATS": 8},
            {"X_W": 4, "X_SIGNED": 0, "W_W": 4, "ACC_W": 13, "SIMD": 8, "PE": 2, "BEATS": 8},
            {"X_W": 8, "X_SIGNED": 0, "W_W": 2, "ACC_W": 15, "SIMD": 8, "PE": 1, "BEATS": 8, "SIGNS": 1},
            {"X_W": 2, "X_SIGNED": 1, "W_W": 2, "ACC_W": 8, "SIMD": 8, "PE": 2, "BEATS": 8, "SIGNS": 3}),
    "add": ({"A_W": 8, "A_SIGNED": 1, "B_W": 8, "B_SIGNED": 1, "CA": 1, "CB": 1, "OUT_W": 9, "LANES": 1},
            {"A_W": 12, "A_SIGNED": 1, "B_W": 12, "B_SIGNED": 1, "CA": 1191, "CB": 725, "OUT_W": 25, "LANES": 4}),
    "cast": ({"LANES": 1, "IN_W": 16, "IN_SIGNED": 1, "OUT_W": 8, "SHIFT": 6, "LEFT": 0, "ROUND": 0, "LO": -128, "HI": 127, "ADD_W": 0},
             {"LANES": 4, "IN_W": 24, "IN_SIGNED": 1, "OUT_W": 8, "SHIFT": 12, "LEFT": 0, "ROUND": 3, "LO": 0, "HI": 255, "ADD_W": 20}),
    "requantize": ({"LANES": 1, "X_W": 19, "OUT_W": 8, "M_W": 22, "A_W": 39, "SHIFT": 29, "DIGIT": 3, "LO": 0, "HI": 255},
                   {"LANES": 1, "X_W": 19, "OUT_W": 8, "M_W": 22, "A_W": 39, "SHIFT": 29, "DIGIT": 11, "LO": 0, "HI": 255}),
    "requantize_float": (
        {"LANES": 1, "X_W": 21, "OUT_W": 8, "M_W": 25, "A_W": 14, "SHIFT": 33, "DIGIT": 2, "ZERO": 0, "LO": 0, "HI": 255},
        {"LANES": 1, "X_W": 21, "OUT_W": 8, "M_W": 25, "A_W": 14, "SHIFT": 33, "DIGIT": 25, "ZERO": 0, "LO": 0, "HI": 255}),
    "relu": ({"LANES": 1, "WIDTH": 8, "SIGNED": 1, "ZERO": 0}, {"LANES": 8, "WIDTH": 16, "SIGNED": 1, "ZERO": 3}),
    "threshold": (
        {"LANES": 1, "IN_W": 12, "IN_SIGNED": 1, "OUT_W": 4, "COUNT": 15, "PARALLEL": 1, "T_W": 14, "BASE": -8, "STEP": 1},
        {"LANES": 2, "IN_W": 16, "IN_SIGNED": 1, "OUT_W": 4, "COUNT": 15, "PARALLEL": 15, "T_W": 18, "BASE": -8, "STEP": 1}),
    "threshold_search": (
        {"LANES": 1, "IN_W": 16, "IN_SIGNED": 1, "OUT_W": 4, "COUNT": 15, "T_W": 18, "BASE": -8, "STEP": 1, "GROUPS": 4, "READ": 1},
        {"LANES": 1, "IN_W": 20, "IN_SIGNED": 1, "OUT_W": 8, "COUNT": 255, "T_W": 22, "BASE": 0, "STEP": 1, "GROUPS": 64, "READ": 2}),
    "pool": (
        {"LANES": 1, "WIDTH": 8, "SIGNED": 0, "INNER": 1, "IN": 28, "OUT": 14, "LINES": 28, "KERNEL": 2, "STRIDE": 2, "BEGIN": 0},
        {"LANES": 4, "WIDTH": 8, "SIGNED": 0, "INNER": 64, "IN": 28, "OUT": 13, "LINES": 1, "KERNEL": 3, "STRIDE": 2, "BEGIN": 0},
        {"LANES": 4, "WIDTH": 8, "SIGNED": 0, "SUM": 1, "OUT_W": 14, "INNER": 64, "IN": 64, "OUT": 1, "LINES": 1, "KERNEL": 64, "STRIDE": 64, "BEGIN": 0}),
    "window": (
        {"LANES": 1, "X_W": 8, "Y_W": 8, "IN_X": 1, "IN_Y": 64, "OUT_X": 1, "OUT_Y": 62, "KERNEL_X": 1, "KERNEL_Y": 3},
        {"LANES": 8, "X_W": 8, "Y_W": 8, "GROUPS": 8, "IN_X": 5, "IN_Y": 25, "OUT_X": 5, "OUT_Y": 25, "KERNEL_X": 3, "KERNEL_Y": 3,
         "BEGIN_X": 1, "BEGIN_Y": 1}),
    "taps": (  # a LeNet's first layer, down the columns and along the rows
        {"LANES": 1, "X_W": 8, "Y_W": 8, "INNER": 28, "IN": 28, "OUT": 28, "LINES": 1, "KERNEL": 5, "BEGIN": 2},
        {"LANES": 5, "X_W": 8, "Y_W": 8, "INNER": 1, "IN": 28, "OUT": 28, "LINES": 28, "KERNEL": 5, "BEGIN": 2}),
    "argmax": ({"LANES": 1, "WIDTH": 8, "SIGNED": 0, "BEATS": 10, "OUT_W": 4, "LAST": 0},
               {"LANES": 10, "WIDTH": 8, "SIGNED": 0, "BEATS": 10, "OUT_W": 7, "LAST": 0}),
    "softmax": ({"WIDTH": 8, "SIGNED": 1, "LENGTH": 16, "STEPS_W": 9, "UNITS": 1, "OUT_W": 8, "ZERO": -128, "HIGH": 127, "READ": 1},
                {"WIDTH": 8, "SIGNED": 1, "LENGTH": 128, "STEPS_W": 9, "UNITS": 3, "OUT_W": 8, "ZERO": -128, "HIGH": 127, "READ": 2}),
    "softmax_integer": ({"LANES": 1, "WIDTH": 8, "SIGNED": 1, "BEATS": 64, "ADDR_W": 8, "TERM_W": 31, "SUM_W": 37, "NUMERATOR_W": 39,
                         "QUOTIENT_W": 9, "HALF": 1, "UNITS": 9, "OUT_W": 8, "ZERO": -128, "HIGH": 127, "READ": 2},
                        {"LANES": 4, "WIDTH": 8, "SIGNED": 0, "BEATS": 16, "ADDR_W": 8, "TERM_W": 9, "SUM_W": 15, "NUMERATOR_W": 16,
                         "QUOTIENT_W": 8, "HALF": 0, "UNITS": 8, "OUT_W": 8, "ZERO": 0, "HIGH": 255, "READ": 1}),
    "normalize_integer": (  # rows of an 8-bit transformer, a beat a cycle and all cycles
        {"LANES": 1, "WIDTH": 8, "SIGNED": 1, "LENGTH": 128, "CENTRED": 1, "SUM_W": 16, "SQUARES_W": 23, "MEAN_W": 8, "ROOT_W": 7,
         "AWAY_W": 8, "GAIN_W": 19, "NUMERATOR_W": 27, "QUOTIENT_W": 23, "UNITS": 23, "OUT_W": 24, "ROWS": 2, "READ": 3},
        {"LANES": 1, "WIDTH": 8, "SIGNED": 1, "LENGTH": 128, "CENTRED": 1, "SUM_W": 16, "SQUARES_W": 23, "MEAN_W": 8, "ROOT_W": 7,
         "AWAY_W": 8, "GAIN_W": 19, "NUMERATOR_W": 27, "QUOTIENT_W": 23, "UNITS": 1, "OUT_W": 24, "ROWS": 2, "READ": 3}),
    "normalize": ({"LANES": 1, "WIDTH": 8, "SIGNED": 1, "X_W": 8, "LENGTH": 64, "SUM_W": 14, "SQUARES_W": 21, "A_W": 8, "MODE": 1, "FRACTION": 22,
                   "EPSILON": 123456789, "BITS": 44, "STAGES": 3, "ROWS": 2, "SHARED": 1, "T_W": 41, "COARSE": 1, "GAIN_W": 8, "OFFSET_W": 34, "SHIFT": 46,
                   "POINT": 26, "OUT_W": 8, "LO": -128, "HI": 127, "ROOT_READ": 2, "READ": 3},
                  {"LANES": 1, "WIDTH": 8, "SIGNED": 1, "X_W": 8, "LENGTH": 256, "SUM_W": 16, "SQUARES_W": 23, "A_W": 17, "MODE": 0, "FRACTION": 22,
                   "EPSILON": 123456789, "BITS": 52, "STAGES": 4, "ROWS": 2, "SHARED": 1, "T_W": 50, "COARSE": 2, "GAIN_W": 8, "OFFSET_W": 34, "SHIFT": 46,
                   "POINT": 26, "OUT_W": 8, "LO": -128, "HI": 127, "ROOT_READ": 2, "READ": 3}),
    "concat": ({"A_W": 8, "A_SIGNED": 1, "B_W": 8, "B_SIGNED": 1, "OUT_W": 8, "LANES": 1, "A_BEATS": 8, "B_BEATS": 8},
               {"A_W": 8, "A_SIGNED": 1, "B_W": 8, "B_SIGNED": 1, "OUT_W": 8, "LANES": 16, "A_BEATS": 64, "B_BEATS": 48}),
    "multiply": ({"A_W": 8, "A_SIGNED": 0, "A_ZERO": 0, "A_BITS": 9, "B_W": 8, "B_SIGNED": 1, "B_ZERO": 3, "B_BITS": 9, "OUT_W": 17, "LANES": 1},
                 {"A_W": 8, "A_SIGNED": 0, "A_ZERO": 0, "A_BITS": 9, "B_W": 8, "B_SIGNED": 1, "B_ZERO": 3, "B_BITS": 9, "OUT_W": 17, "LANES": 8}),
    "product": [measure.product_loops({"X_W": 8, "X_SIGNED": 1, "W_W": 8, "W_SIGNED": 1, "ACC_W": 22, "SIMD": simd, "PE": pe, "BEATS": 32 // simd,
                                       "GROUPS": 32 // pe, "MATRICES": matrices, "ALONG": along}, 64)
                for simd, pe, matrices, along in ((1, 2, 1, 0), (4, 4, 2, 1))],
    "select": ({"LANES": 1, "X_W": 8, "Y_W": 8, "SIZE_4": 28, "END_4": 14, "SIZE_5": 28, "END_5": 14},
               {"LANES": 16, "X_W": 8, "Y_W": 8, "FILLS": 1, "SIZE_4": 28, "BEGIN_4": 1, "END_4": 27, "SIZE_5": 56, "BEGIN_5": 2, "END_5": 54}),
    "reorder": ({"WIDTH": 8, "PAGES": 14, "PAGE": 56, "SIZE_3": 2, "STRIDE_3": 2, "SIZE_4": 14, "STRIDE_4": 4, "SIZE_5": 2, "STRIDE_5": 1},
                {"WIDTH": 64, "PAGES": 14, "PAGE": 56, "SIZE_2": 2, "STRIDE_2": 0, "SIZE_3": 14, "STRIDE_3": 4, "SIZE_4": 2, "STRIDE_4": 0,
                 "SIZE_5": 4, "STRIDE_5": 1}),
    "lookup": ({"LANES": 1, "IN_W": 8, "OUT_W": 8, "GROUPS": 1}, {"LANES": 8, "IN_W": 8, "OUT_W": 8, "GROUPS": 24}),
}


class Failure(Exception):
    """A configuration that was not measured."""

    def __init__(self, text, is_missing=False):
        super().__init__(text)
        self.is_missing = is_missing


def configurations(modules, devices):
    texts = measure.read_sources()
    for module in modules:
        for corner in CORNERS[module]:
            for device in devices:
                if module == "rom_pair" and NETWORKS[device] not in measure.DUAL_PORT:
                    continue
                values = {**corner, **{name: DEVICES[device][name] for name in BY_DEVICE.get(module, ())}}
                if values.get("STYLE") == "logic" and "READ" in values:
                    values["READ"] -= 1  # no register behind the memory's own
                if corner.get("PE", 1) % 2 == 1:
                    values.pop("PAIRS", None)  # of two outputs
                if values.get("SIGNS", 0) > 0:
                    values.update({"PARTS": 1, "PAIRS": 0})  # no multipliers
                if module in ("multiply", "product") and values["PARTS"] > 1:
                    values["PARTS"] = (values.get("B_BITS", 8) + 3) // 4
                if "REGISTERED" in values and corner is CORNERS[module][0]:
                    values["REGISTERED"] = 0  # no memory block
                yield device, module, measure.complete(texts["weir_" + module], values)


def instances(modules, devices, count):
    """Of the networks: those that are there for each module and device, in an order that does not change."""
    texts = measure.read_sources()
    for device in devices:
        known = measure.networks(texts, NETWORKS[device])
        for module in modules:
            found = [p for p in known.get(module, []) if measure.size_of(p) <= measure.LARGEST]
            random.Random("%s %s" % (device, module)).shuffle(found)
            for parameters in found[:count]:
                yield device, module, parameters


def place(program, device, module, parameters):
    """Row of the configuration: all FIELDS as text."""
    with tempfile.TemporaryDirectory() as work:
        rtl = os.path.join(work, "rtl")
        os.mkdir(rtl)
        for source in measure.sources().values():
            shutil.copy(source, rtl)
        values = {**parameters, **measure.write_rom(rtl, module, parameters)}
        path = os.path.join(rtl, "weir_%s.v" % module)
        with open(path) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(measure.set_defaults(text, values))
        name = "%s %s %s" % (device, module, measure.words(parameters))
        run = subprocess.Popen([program, work, "weir_" + module, device, str(GOAL_MHZ)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, start_new_session=True,
                               env={"WEIR_DATA": measure.ROOT, **os.environ, "WEIR_CACHE": os.path.join(work, "cache")})
        try:
            output, messages = run.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGTERM)  # weir's tools end with it
            run.communicate()
            raise Failure("%s: not placed in %d s" % (name, LIMIT_SECONDS)) from None
        if run.returncode != 0:
            raise Failure("%s: %s" % (name, (messages or output)[-600:]), run.returncode == 4 and "missing" in messages)
        figures, yosys, nextpnr = output.splitlines()
        return dict(zip(FIELDS, [device, module, measure.words(parameters), *figures.split(","), yosys.split(" (")[0],
                                 "nextpnr " + nextpnr.replace("nextpnr-", ""),
                                 measure.hash_of(measure.read_sources(), "weir_" + module, device)]))


def read(path):
    with open(path, newline="") as f:
        return {(row["device"], row["module"], row["parameters"]): row for row in csv.DictReader(f)}


def key_of(configuration):
    return (*configuration[:2], measure.words(configuration[2]))


def append(a, modules, devices):
    have = read(a.file) if os.path.exists(a.file) else {}
    texts = measure.read_sources()
    fresh = {key for key, row in have.items() if not measure.is_stale(texts, row)}
    jobs = list(configurations(modules, devices))
    if a.networks:
        jobs += instances(modules, [a.device] if a.device else NETWORKS, a.networks)
    jobs = [c for c in jobs if key_of(c) not in fresh]
    failed = False
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(place, a.program, *c) for c in jobs]):
            try:
                row = done.result()
                have[row["device"], row["module"], row["parameters"]] = row
                write(a.file, texts, have)  # what is done is kept when we are stopped
            except Failure as error:
                failed = True
                print(error, file=sys.stderr, flush=True)
    write(a.file, texts, have)
    return 1 if failed else 0


def write(path, texts, have):
    """Corners in their order, then the others that are not stale."""
    corners = [key_of(c) for c in configurations(CORNERS, DEVICES)]
    others = sorted(key for key, row in have.items() if key not in corners and not measure.is_stale(texts, row))
    with open(path, "w", newline="") as f:
        rows = csv.DictWriter(f, FIELDS, lineterminator="\n")
        rows.writeheader()
        rows.writerows(have[key] for key in corners + others if key in have)


def alike(field, now, before):
    """Clocks differ from processor to processor, for nextpnr places by sums of floating-point numbers; all else is the same."""
    return now == before if field != "fmax_mhz" else abs(float(now) / float(before) - 1) <= CLOCKS


def check(a, modules, devices):
    have = read(a.check)
    count = equal = 0
    for device, module, parameters in configurations(modules, devices):
        row = have.get((device, module, measure.words(parameters)))
        if row is None:
            print("%s: error: no row for %s %s %s" % (a.check, device, module, measure.words(parameters)), file=sys.stderr)
            return 1
        if a.planted:
            row = {**row, "luts": str(int(row["luts"]) + 1)}
        try:
            now = place(a.program, device, module, parameters)
        except Failure as error:
            print(error, file=sys.stderr)
            return SKIPPED if error.is_missing else 1
        if (now["yosys"], now["nextpnr"]) != (row["yosys"], row["nextpnr"]):
            print("skipped: measured with %s, %s; here are %s, %s" % (row["yosys"], row["nextpnr"], now["yosys"], now["nextpnr"]))
            return SKIPPED
        wrong = [field for field in FIELDS[3:-1] if not alike(field, now[field], row[field])]
        for field in wrong:
            print("%s: error: %s %s %s: %s is %s, measured %s" % (a.check, device, module, measure.words(parameters), field, row[field], now[field]),
                  file=sys.stderr)
        count += 1
        equal += not wrong
    print("%d of %d rows of %s measured equal again" % (equal, count, a.check))
    return int((equal == count) == a.planted)


def markdown(path):
    have = read(path)
    tools = {device: next("%s, %s" % (row["yosys"], row["nextpnr"]) for row in have.values()
                          if row["device"] == device) for device in DEVICES if any(key[0] == device for key in have)}
    print("; ".join("%s: %s" % pair for pair in tools.items()) + "; seed 1, towards %d MHz.\n" % GOAL_MHZ)
    print("| module | parameters | device | Fmax, MHz | LUTs | flip-flops | DSPs | RAMs |")
    print("|---|---|---|---:|---:|---:|---:|---:|")
    for key in [key_of(c) for c in configurations(CORNERS, DEVICES)]:
        device, module, parameters = key
        row = have.get(key)
        if row is None:
            continue
        print("| weir_%s | %s | %s | %s |" % (module, parameters, device, " | ".join(row[field] for field in FIELDS[3:8])))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--program", default=os.path.join(measure.ROOT, "build", "tests", "bench", "cost_place"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--module", choices=CORNERS)
    parser.add_argument("--device", choices=NETWORKS)
    parser.add_argument("--check")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--networks", type=int, default=0)
    parser.add_argument("--markdown")
    parser.add_argument("-o", "--file", default=os.path.join(HERE, "placed.csv"))
    a = parser.parse_args()
    if a.markdown:
        return markdown(a.markdown)
    action = check if a.check else append
    return action(a, [a.module] if a.module else list(CORNERS), [d for d in DEVICES if a.device in (None, d)])


if __name__ == "__main__":
    sys.exit(main())
