#!/bin/sh
# A residual block whose netlist for gw1nr-9 gave other values than its Verilog, on as many of its 100 frames as the work of a simulation allows.
# test: seconds=3600 cost=60 label=nightly
name=synth_gowin
. "$(dirname "$0")/lib.sh"
need_tools yosys yosys-abc verilator jq
folder=$E2E_SOURCE/tests/faults/gowin_netlist
expect 0 "" weir compile "$folder/model.onnx" -o design --device gw1nr-9 --objective area
expect 0 "^mapping proved: " weir synth design --data "$folder/inputs.npy" --json report.json
grep -Eq "netlist simulated on [0-9]+ frames \(of the data\), with and without stalls: [0-9]+ values compared, 0 wrong" output || fail "the values"
grep -Eq "^  no more frames: a frame is [0-9]+ cycles of [0-9]+ cells; --frames N simulates N$" output || fail "not said to be cut"
# 2,000 million cycles times cells.
jq -e '.simulation | (.limit | capture("a frame is (?<cycles>[0-9]+) cycles of (?<cells>[0-9]+) cells")) as $of |
    .mismatches == 0 and .frames > 1 and .frames < 100 and
    .frames == (2e9 / (($of.cycles | tonumber) * ($of.cells | tonumber)) | floor)' report.json >/dev/null ||
    { jq .simulation report.json >&2; fail "how many frames"; }
finish
