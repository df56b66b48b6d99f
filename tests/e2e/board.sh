#!/bin/sh
# board.sh: from a model to the sources of a board and, where the tools are, to its bitstream; what is refused; a compiled folder; the user's own board.
# test: name=board seconds=600 cost=30
name=board
. "$(dirname "$0")/lib.sh"
need_tools jq iverilog
model=$models/mlp_qdq.onnx

expect 2 "-o DIR is missing" weir board build "$model" --board icebreaker
expect 2 "--board NAME is missing" weir board build "$model" -o out
expect 2 "unknown action 'bild', expected build or weights" weir board bild "$model" --board icebreaker -o out
expect 2 "did you mean 'icebreaker'?" weir board build "$model" --board icebraker -o out
expect 1 "absent.onnx" weir board build absent.onnx --board icebreaker -o out
! grep -q "has room" output || fail "a model that cannot be read lacks room"
expect 4 "no free tools make a bitstream for board 'arty-a7-35'" weir board build "$model" --board arty-a7-35 -o out
[ ! -e out ] || fail "a refused build leaves a folder"

# Sources alone: with the PLL and without, all ids and rates in the manifest, and three tools take them.
expect 0 "core clock 12.000 MHz, UART 1500000 baud" weir board build "$model" --board icebreaker -o direct --sources --clock 12 \
    --html direct.html
grep -q 'fc1' direct.html || fail "the page has no network"
expect 0 "" weir report direct -o again.html
cmp direct.html again.html || fail "weir report makes another page"
# With the figures of a placement: those of the accelerator, without the board's own logic.
cp -r direct placed
jq '. + {fmax_mhz: 110.5, resources: {luts: {name: "LUTs", used: 3769, available: 5280, board: 1149}}}' direct/board.json >placed/board.json
expect 0 "" weir report placed -o placed.html
grep -q '2,620' placed.html || fail "the page has no lookup tables"
grep -q '110.5 MHz placed; the goal of 12 MHz is met' placed.html || fail "the page has no clock"
expect 2 "--html is for 'build'" weir board weights direct "$model" --html x.html
jq -e '.board == "icebreaker" and .clock_hz == 12000000 and .baud == 1500000 and .bitstream == null and .bytes_in == 64 and .bytes_out == 10' \
    direct/board.json >/dev/null || fail "board.json"
expect 0 "core clock 24.000 MHz" weir board build "$model" --board icebreaker -o pll --sources --clock 24 --baud 1000000
grep -q "weir_pll_ice40_pad" pll/rtl/weir_board.v || fail "no PLL"
[ "$(jq -r .build direct/board.json)" != "$(jq -r .build pll/board.json)" ] || fail "the clock is no part of the build id"
[ "$(jq -r .model direct/board.json)" = "$(jq -r .model pll/board.json)" ] || fail "the model id depends on the clock"
(cd direct/rtl && iverilog -g2005 -Wall -o ../board.vvp -s weir_board ./*.v) >output 2>&1 || fail "iverilog: $(cat output)"
! grep -q "warning" output || fail "iverilog warns: $(cat output)"

expect 1 "a UART of 9000000 baud needs a core clock of at least 36.000 MHz" weir board build "$model" --board icebreaker -o low --sources --clock 12 \
    --baud 9000000
expect 1 "a UART divides a core clock of 24.000 MHz down to at least 733 baud, found 732" weir board build "$model" --board icebreaker -o low --sources --clock 24 \
    --baud 732
expect 0 "UART 733 baud" weir board build "$model" --board icebreaker -o low --sources --clock 24 --baud 733
expect 0 "core clock 12.000 MHz" env -u WEIR_CACHE -u HOME -u XDG_CACHE_HOME "$WEIR" board build "$model" --board icebreaker -o homeless --sources --clock 12

# A folder that was compiled before is taken as it is.
expect 0 "" weir compile "$model" -o compiled --max-macs 4
expect 0 "" weir board build compiled --board icebreaker -o from_folder --sources --clock 12
cmp compiled/hardware.weir from_folder/design/hardware.weir || fail "the compiled folder was changed"
expect 0 "" weir sim from_folder/design --data "$test_data" --frames 2 --simulator icarus

expect 2 "is already compiled: --max-macs would have no effect" weir board build compiled --board icebreaker -o again --sources --max-macs 8
expect 0 "" weir compile "$model" -o for_other --max-macs 4 --device ecp5-25k
expect 0 "warning: compiled for ecp5-25k, but the board has ice40up5k" weir board build for_other --board icebreaker -o again --sources --clock 12

# Other weights: another model id, the same build.
cp -r compiled retrained
sed 's/^./0/' compiled/rtl/fc1_weights.hex >retrained/rtl/fc1_weights.hex
expect 0 "" weir board build retrained --board icebreaker -o other --sources --clock 12
[ "$(jq -r .build other/board.json)" = "$(jq -r .build from_folder/board.json)" ] || fail "weights are part of the build id"
[ "$(jq -r .model other/board.json)" != "$(jq -r .model from_folder/board.json)" ] || fail "weights are no part of the model id"

# A board of the user's own.
mkdir mine
sed 's/^name: .*/name: mine/' "$E2E_SOURCE/boards/icebreaker/board.yaml" >mine/board.yaml
expect 0 "board ./mine: core clock" weir board build compiled --board ./mine -o of_mine --sources --clock 12

# No clock beyond what the board's own logic reaches.
sed 's/^name: .*/name: slow/; s/board_mhz: [0-9]*/board_mhz: 20/' "$E2E_SOURCE/boards/devices/ice40up5k.yaml" >mine/slow.yaml
sed 's/^device: .*/device: .\/slow.yaml/' mine/board.yaml >mine/slow_board.yaml
expect 0 "core clock 19.875 MHz" weir board build compiled --board mine/slow_board.yaml -o slow --sources
expect 0 "core clock" weir board build "$model" --board mine/slow_board.yaml -o slow --sources
! grep -q "warning" output || fail "a profile of one's own is taken for another device: $(cat output)"

# Too small: how much is missing, and which boards have room.
sed 's/^name: .*/name: tiny/; s/count: 5280/count: 2000/' "$E2E_SOURCE/boards/devices/ice40up5k.yaml" >mine/tiny.yaml
sed 's/^device: .*/device: .\/tiny.yaml/' mine/board.yaml >mine/tiny_board.yaml
expect 1 "no folding fits tiny: it takes at least [0-9]+ LUTs of 1100" weir board build "$model" --board mine/tiny_board.yaml -o out --sources
grep -q "note: the smallest device of a board that has room, by estimate, is gw1nr-9: tangnano9k$" output || fail "which board has room: $(cat output)"

# GateMate's registers begin without a value: its reset waits for the device.
expect 0 "core clock 10.000 MHz" weir board build compiled --board olimex-gatemate -o gatemate --sources --clock 10
cat >gatemate/bench.v <<'END_BENCH'
`timescale 1ps / 1ps
module bench;
    reg clk = 1'b0;
    wire tx, led;
    always #50000 clk = !clk;
    weir_board u_board (.clk(clk), .rx(1'b1), .tx(tx), .led(led), .button(1'b1));
    initial begin
        #90000000 $display("RESET %b", u_board.rst);
        #30000000 $display("RESET %b", u_board.rst);
        $finish;
    end
endmodule
END_BENCH
resets() { # MODEL
    (cd gatemate/rtl && iverilog -g2005 -o ../board.vvp -s bench ../bench.v ./*.v "$1") >output 2>&1 || fail "iverilog: $(cat output)"
    (cd gatemate/rtl && ../board.vvp | sed -n 's/^RESET //p' | tr '\n' ' ')
}
start=$E2E_SOURCE/boards/cells/pll/CC_USR_RSTN.v
[ "$(resets "$start")" = "1 0 " ] || fail "GateMate's reset: $(resets "$start")"
sed "s/= 1'b0/= 1'b1/" "$start" >gatemate/configured.v
[ "$(resets ../configured.v)" != "1 0 " ] || fail "a device that never says that it is not configured is reset"

# Up to the bitstream: what the manifest says is what nextpnr and icepack made.
need_tools yosys nextpnr-ice40 icepack
expect 0 "" weir compile "$E2E_SOURCE/tests/models/affine/gemm_bn_relu.onnx" -o small --max-macs 1
expect 0 "icebreaker.bin has 104090 bytes" weir board build small --board icebreaker -o placed --seeds 1 --clock 12 --json report.json
grep -Eq "the netlist, simulated through its pins by (icarus|verilator): 0 of 10 values differ" output || fail "the netlist: $(cat output)"
grep -Eq "the bitstream, simulated through its pins by (icarus|verilator): 0 of 10 values differ" output || fail "the bitstream: $(cat output)"
jq -e '.resources.multipliers.used == 1 and (.simulated | [.netlist, .bitstream] | all(.mismatches == 0 and .frames == 2 and .data == "random" and
    .cycles < .limit and .limit == 1000000) and .[0].cycles == .[1].cycles)' report.json >/dev/null || fail "the report of what was simulated: $(cat report.json)"
cmp report.json placed/board.json || fail "--json is another report"
[ "$(wc -c <placed/icebreaker.bin)" = 104090 ] || fail "the bitstream's size"
# A placer that finds no place: what the netlist takes, in exit status 1.
mkdir -p full
printf '#!/bin/sh\n[ "$1" = -V ] || { echo "ERROR: Unable to find legal placement for all cells, design is probably at utilisation limit."; exit 1; }\necho "(Version 0.4)"\n' >full/nextpnr-ice40
chmod +x full/nextpnr-ice40
expect 1 "the netlist does not fit ice40up5k: [0-9]+ LUTs of 5280, " env PATH="$PWD/full:$PATH" "$WEIR" board build small --board icebreaker -o out --seeds 1 --clock 12
sed -i 's/Unable to find legal placement/Unable to read/' full/nextpnr-ice40
expect 4 "failed with exit status 1" env PATH="$PWD/full:$PATH" "$WEIR" board build small --board icebreaker -o out --seeds 1 --clock 12
jq -e '.fmax_mhz >= 12 and .resources.luts.used > 1500 and .resources.luts.available == 5280 and
    .resources.luts.board > 700 and .resources.luts.board < 1300 and .resources.memory_blocks.board == 2' report.json >/dev/null || fail "the report"
if is_night; then
    expect 1 "no placement meets the clock" weir board build compiled --board icebreaker -o fast --seeds 1 --clock 120
    [ ! -e fast ] || fail "a design that is too slow is written"
    sed 's/^name: .*/name: small/; s/count: 5280/count: 900/' "$E2E_SOURCE/boards/devices/ice40up5k.yaml" >mine/small.yaml
    sed -i 's/^device: .*/device: .\/small.yaml/' mine/board.yaml
    expect 1 "does not fit small: [0-9]+ LUTs of 900" weir board build compiled --board ./mine -o large --clock 12
    sed -i 's/count: 900/count: 2400/' mine/small.yaml
    expect 1 "does not fit small: [0-9]+ LUTs of 2400" weir board build "$model" --board ./mine -o large --clock 12 --max-macs 16
    grep -q "the smallest device of a board that has room" output || fail "which board has room: $(cat output)"
    [ ! -e large ] || fail "a design that does not fit is written"
fi
finish
