#!/bin/sh
# The commands of README.md's Quick start, as a reader types them in a fresh copy, and from there those of "On an FPGA", in the same
# shell. Skipped without the tools.
# test: seconds=900 label=nightly
name=walk
. "$(dirname "$0")/lib.sh"
need_tools verilator iverilog yosys nextpnr-ice40

# commands TITLE FILE: those of the first block of the section, one a line.
commands() {
    awk -v title="## $1" '$0 == title { inside = 1; next } /^## / { inside = 0 } inside && /^```/ { if (block++) exit; next } inside && block == 1' "$2"
}

# walk README: in a copy of what the commands name; what is built stands for what setup builds, and files go below the copy, not to /tmp.
walk() {
    rm -rf fresh && mkdir -p fresh/build/toolchain/cli fresh/tests/models fresh/tmp
    cp -r "$models" fresh/tests/models/ && cp -r "$E2E_SOURCE/tests/hardware" fresh/tests/
    ln -s "$WEIR" fresh/build/toolchain/cli/weir
    {
        echo "set -e"
        { commands "Quick start" "$1" && commands "On an FPGA" "$1"; } |
            sed -e 's/^\.\/scripts\/setup .*/: built/' -e "s|/tmp/|$work/fresh/tmp/|g"
    } >script.sh
    (cd fresh && sh ../script.sh) >walked 2>&1
}

walk "$E2E_SOURCE/README.md" || fail "the commands end with $?: $(tail -5 walked)"
[ "$(grep -c '^weir ' script.sh)" -eq 3 ] || fail "other commands than expected: $(cat script.sh)"
for line in 'mlp_qdq: 397 frames, 10 output values each' '  verilator  always      397               0 of 3970' \
    'netlist simulated on 5 frames \(of the data\), with and without stalls: 100 values compared, 0 wrong' \
    '  [0-9.]+ MHz with seed 1; the goal of 48 MHz is met'; do
    grep -Eq "^$line" walked || fail "no '$line' in what is printed: $(cat walked)"
done

# Planted: a file that is not where the reader stands.
sed 's|--folding [^ ]*up5k.yaml|--folding up5k.yaml|' "$E2E_SOURCE/README.md" >planted.md
cmp -s planted.md "$E2E_SOURCE/README.md" && fail "nothing planted"
if walk planted.md; then fail "a missing file is not noticed"; fi
finish
