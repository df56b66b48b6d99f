#!/bin/sh
# test: seconds=300 label=nightly
# Clocks that are estimated of the networks held out from development, against those that nextpnr reached: within 15 %. One that is
# off by more is noticed.
name=clocks
. "$(dirname "$0")/lib.sh"
need_tools python3
measure() { # TABLE
    WEIR_TRAINED=$work/none python3 "$E2E_SOURCE/scripts/estimates/measure" --no-simulate --no-synth --check clock --weir "$WEIR" \
        --maker "$E2E_TOOLS/../bench/make_network" -o "$1"
}
cp "$E2E_SOURCE/scripts/estimates/heldout.csv" table.csv
expect 0 "clock  *[0-9]+ rows" measure table.csv
# Planted: one that was placed at 20 % less.
awk -F, -v OFS=, '$1 == "wide" { $12 *= 0.8 } { print }' table.csv >planted.csv
expect 1 "worst .* \(wide on ecp5-25k\)" measure planted.csv
finish
