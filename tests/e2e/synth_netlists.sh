#!/bin/sh
# Netlists of the digits and jet networks for iCE40, ECP5 and Gowin, simulated on test data: every value is the reference's.
# test: seconds=3600 cost=60 label=nightly
name=synth_netlists
. "$(dirname "$0")/lib.sh"
need_tools yosys iverilog vvp jq
folder=$E2E_SOURCE/tests/models
compared=0
for device in ice40hx8k ice40up5k ecp5-45k gw1nr-9; do
    for network in digits/mlp_qdq digits/mlp_qonnx_w4a4 jet/jet_qdq jet/jet_qonnx_w6a6; do
        data=$folder/${network%/*}/${network%/*}_test.npz
        expect 0 "" weir compile "$folder/$network.onnx" -o design --device $device --target-interval 1024
        expect 0 ", 0 wrong" weir synth design --data "$data" --frames 3 --json report.json
        values=$(jq '.simulation | select(.frames == 3 and .mismatches == 0) | .compared' report.json)
        [ "${values:-0}" -ge 15 ] || { cat report.json >&2; fail "$network on $device: ${values:-0} values compared"; }
        echo "$network on $device: ${values:-0} values compared, 0 wrong"
        compared=$((compared + ${values:-0}))
    done
done
echo "$compared values compared"
finish
