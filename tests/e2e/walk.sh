#!/bin/sh
# The commands of README.md's Quick start, as a reader types them in a fresh copy, and from there those of toolchain/synth/README.md's "On an
# FPGA", in the same shell; then those of "Your own model", and of the passes' "Running passes". Skipped without the tools.
# test: seconds=1800 label=nightly
name=walk
. "$(dirname "$0")/lib.sh"
need_tools verilator iverilog yosys nextpnr-ice40

# commands TITLE FILE: those of the first block of the section, one a line.
commands() {
    awk -v title="## $1" '$0 == title { inside = 1; next } /^## / { inside = 0 } inside && /^```/ { if (block++) exit; next } inside && block == 1' "$2"
}

# walk: the commands on stdin, in a copy of what they name; what is built stands for what setup builds, and files go below the copy, not to /tmp.
walk() {
    rm -rf fresh && mkdir -p fresh/build/toolchain/cli fresh/tests/models fresh/tmp
    cp -r "$models" fresh/tests/models/ && cp -r "$E2E_SOURCE/tests/hardware" fresh/tests/
    ln -s "$WEIR" fresh/build/toolchain/cli/weir
    { echo "set -e" && sed -e 's/^\.\/scripts\/setup .*/: built/' -e "s|/tmp/|$work/fresh/tmp/|g"; } >script.sh
    (cd fresh && sh ../script.sh) >walked 2>&1
}

# many TITLE FILE COUNT: as many commands of Weir, and they run.
many() {
    commands "$1" "$2" >typed
    walk <typed || fail "'$1' ends with $?: $(tail -5 walked)"
    [ "$(grep -c '^weir ' script.sh)" -eq "$3" ] || fail "'$1' has other commands than expected: $(cat script.sh)"
}
many "Your own model" "$E2E_SOURCE/README.md" 11
many "Running passes" "$E2E_SOURCE/passes/README.md" 6
grep -qx "no culprit" walked || fail "a bisection finds a culprit: $(cat walked)"

# fpga SYNTH-PAGE: from the quick start on.
fpga() { { commands "Quick start" "$E2E_SOURCE/README.md" && commands "On an FPGA" "$1"; } | walk; }
fpga "$E2E_SOURCE/toolchain/synth/README.md" || fail "the commands end with $?: $(tail -5 walked)"
[ "$(grep -c '^weir ' script.sh)" -eq 3 ] || fail "other commands than expected: $(cat script.sh)"
for line in 'mlp_qdq: 397 frames, 10 output values each' '  verilator  always      397               0 of 3970' \
    'netlist simulated on 5 frames \(of the data\), with and without stalls: 100 values compared, 0 wrong' \
    '  [0-9.]+ MHz with seed 1; the goal of 48 MHz is met'; do
    grep -Eq "^$line" walked || fail "no '$line' in what is printed: $(cat walked)"
done

# Planted: a file that is not where the reader stands.
sed 's|--folding [^ ]*up5k.yaml|--folding up5k.yaml|' "$E2E_SOURCE/toolchain/synth/README.md" >planted.md
cmp -s planted.md "$E2E_SOURCE/toolchain/synth/README.md" && fail "nothing planted"
if fpga planted.md; then fail "a missing file is not noticed"; fi
finish
