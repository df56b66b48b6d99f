#!/bin/sh
# through_pins.sh: the packed file of an iCE40 board is decoded, and it and the netlist are simulated through the pins of the UART, PLL included. Faults that are planted
# in the netlist, and in the file that is flashed, are found.
# test: name=through_pins seconds=3600 cost=400 label=nightly
name=through_pins
. "$(dirname "$0")/lib.sh"
need_tools yosys nextpnr-ice40 icepack iceunpack icebox_vlog iverilog jq
folder=board
try() { "$E2E_TOOLS/trial_tool" "$folder" "$@"; }
# Of the caches of this test alone, so that its netlist is found.
export WEIR_CACHE="$work/cache"

expect 0 "the bitstream, simulated through its pins by (icarus|verilator): 0 of 10 values differ" weir board build "$E2E_SOURCE/tests/models/affine/gemm_bn_relu.onnx" \
    --max-macs 1 --board ice40hx8k-evn --clock 24 --seeds 1 -o board
grep -q "the netlist, simulated through its pins by .*: 0 of 10 values differ" output || fail "the netlist: $(cat output)"
jq -e '.simulated | [.netlist, .bitstream] | all(.mismatches == 0 and .frames == 2 and .values == 10 and .cycles > 5000 and .cycles < .limit) and
    .[0].cycles == .[1].cycles' board/board.json >/dev/null || fail "the report: $(cat board/board.json)"
grep -q weir_pll_ice40 board/rtl/weir_board.v || fail "no PLL"

# --- in the netlist ---
wrong="answers wrongly through the board's pins"
netlist=$(ls "$WEIR_CACHE"/sim/yosys-netlist-*/netlist.v)
expect 0 '"mismatches": 0' try netlist "$netlist"
# plant WHAT FILE SCRIPT: awk's output is another file.
plant() {
    awk "$3" "$2" >planted
    ! cmp -s planted "$2" || fail "planted nothing: $1"
}
# The table in front of the register of tx is inverted.
plant "a table of tx" "$netlist" '{ line[NR] = $0 } END {
    for (i = 1; i <= NR; i++) if (line[i] ~ /\.Q\(tx\)/) for (k = i - 6; k < i + 6; k++) if (match(line[k], /\.D\([^)]*\)/)) d = substr(line[k], RSTART + 3, RLENGTH - 4)
    for (i = 1; i <= NR; i++) {
        if (line[i] ~ /SB_LUT4 #\(/) lut = i
        if (d != "" && index(line[i], ".O(" d ")")) for (k = lut; k < i; k++) if (line[k] ~ /LUT_INIT/) inverted = k
    }
    for (i = 1; i <= NR; i++) { if (i == inverted) sub(/LUT_INIT\(/, "LUT_INIT(~", line[i]); print line[i] } }'
expect 3 "the netlist $wrong" try netlist planted
# A row of parameters, of the model's id among them, or of what the link keeps is inverted.
plant "block RAM" "$netlist" '{ if (!done && $0 ~ /\.INIT_[0-9A-F]\(256.h[0-9a-f]*[1-9a-f][0-9a-f]*\)/) { sub(/256.h/, "~&"); done = 1 } print }'
expect 3 "the netlist $wrong: expected .*, found " try netlist planted

# --- in the file that is flashed ---
iceunpack board/ice40hx8k-evn.bin board.asc
repack() { # WHAT SCRIPT
    plant "$1" board.asc "$2"
    icepack planted planted.bin
    ! cmp -s planted.bin board/ice40hx8k-evn.bin || fail "the file is the same: $1"
}
# Every row that has a one: which of them are read depends on where the placer puts what.
repack "block RAM" '/^\.ram_data/ { ram = 1 } /^$/ { ram = 0 } {
    if (ram && $0 ~ /^[0-9a-f]*[1-9a-f][0-9a-f]*$/) {
        row = ""
        for (i = 1; i <= length($0); i++) row = row substr("fedcba9876543210", index("0123456789abcdef", substr($0, i, 1)), 1)
        $0 = row
    }
    print }'
expect 3 "the bitstream $wrong: expected .*, found " try bitstream planted.bin
expect 0 "" try bitstream board/ice40hx8k-evn.bin decoded.v
plant "a table of tx" decoded.v '{ line[NR] = $0; if (match($0, /tx <= .*: n[0-9]+;/)) { n = $0; sub(/;.*/, "", n); sub(/.*: /, "", n) } } END {
    for (i = 1; i <= NR; i++) { if (n != "" && line[i] ~ ("assign " n " +=")) { sub(/\*\/ /, "*/ !(", line[i]); sub(/;$/, ");", line[i]) } print line[i] } }'
expect 3 "the bitstream $wrong" try bitstream_of planted
# The PLL divides by 16 in place of 32: every rate is twice what it should be.
sed 's/\.DIVQ(3.b101)/.DIVQ(3'"'"'b100)/' decoded.v >planted
! cmp -s planted decoded.v || fail "planted nothing: the PLL"
expect 3 "the bitstream $wrong: expected its ids" try bitstream_of planted
# Another build.
sed -i 's/"build": "0x......../"build": "0x01234567/' board/board.json
expect 3 "the bitstream $wrong: expected build 01234567" try bitstream board/ice40hx8k-evn.bin

# The digits.
expect 0 "the bitstream, simulated through its pins by verilator: 0 of 20 values differ" weir board build "$models/mlp_qdq.onnx" --board ice40hx8k-evn --clock 24 --seeds 1 \
    -o digits

# UP5K's multipliers, and a PLL at its pad.
expect 0 "the bitstream, simulated through its pins by verilator: 0 of 20 values differ" weir board build "$models/mlp_qdq.onnx" --board icebreaker --clock 24 --seeds 1 \
    -o up5k
jq -e '.resources.multipliers.used > 4 and .simulated.netlist.cycles == .simulated.bitstream.cycles' up5k/board.json >/dev/null || fail "the report: $(cat up5k/board.json)"
folder=up5k
expect 0 "" try bitstream up5k/icebreaker.bin decoded.v
grep -q "SB_MAC16" decoded.v || fail "no multiplier"
sed "s/\.BOTOUTPUT_SELECT(2'd1)/.BOTOUTPUT_SELECT(2'd2)/" decoded.v >planted
! cmp -s planted decoded.v || fail "planted nothing: multipliers"
expect 3 "the bitstream $wrong: expected -?[0-9]+, found -?[0-9]+ in frame" try bitstream_of planted
finish
