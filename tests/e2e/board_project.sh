#!/bin/sh
# board_project.sh: boards that no free tool places get sources, pins and scripts: Yosys elaborates the sources, Yosys' Tcl runs the one for Vivado, whose
# commands are told here as they come, and all files that it names are there.
# test: name=board_project seconds=120
name=board_project
. "$(dirname "$0")/lib.sh"
need_tools yosys jq
model=$models/mlp_qdq.onnx

expect 4 "no free tools make a bitstream for board 'arty-a7-35'" weir board build "$model" --board arty-a7-35 -o none
grep -q -e "--sources" output || fail "the note does not tell of --sources"
[ ! -e none ] || fail "a folder is left"
expect 0 "arty-a7-35.bit is to be made in the folder" weir board build "$model" --board arty-a7-35 --sources --clock 50 -o arty
jq -e '.bitstream == "arty-a7-35.bit" and .clock_hz == 50000000 and (has("bitstream_bytes") | not)' arty/board.json >/dev/null || fail "board.json"
expect 0 "" yosys -q -p "read_verilog -lib +/xilinx/cells_sim.v +/xilinx/cells_xtra.v; read_verilog arty/rtl/*.v; hierarchy -check -top weir_board; check -assert"
expect 1 "arty-a7-35.bit: error: is not there" weir bringup arty -d "$test_data" -n 1
# A period of 20 ns is the PLL's business: what the pin has is the board's 100 MHz.
grep -q "create_clock -name clk -period 10 " arty/pins.xdc || fail "the clock's constraint"

cat >vivado.tcl <<'END_TCL'
# Vivado's commands, by their words.
foreach command {read_verilog read_xdc synth_design opt_design place_design phys_opt_design route_design report_utilization report_timing_summary write_bitstream} {
    proc $command {args} "puts \"did $command \[join \$args\]\""
}
proc get_timing_paths {args} { return path }
proc get_property {name of} { return $::env(SLACK) }
source arty/vivado.tcl
END_TCL
expect 0 "did synth_design -top weir_board -part xc7a35ticsg324-1L" env SLACK=0.5 yosys -q -c vivado.tcl
cp output told
grep -q "did write_bitstream -force $work/arty/arty-a7-35.bit" told || fail "the bitstream is not written: $(cat told)"
for file in $(sed -n 's/^did read_verilog //p' told); do [ -s "arty/rtl/$file" ] || fail "no '$file'"; done
[ "$(sed -n 's/^did read_verilog //p' told | wc -w)" -eq "$(find arty/rtl -name '*.v' | wc -l)" ] || fail "not all sources are read"
[ -s "$(sed -n 's/^did read_xdc //p' told)" ] || fail "no pins"
expect 1 "the clock is missed by 0.25 ns" env SLACK=-0.25 yosys -q -c vivado.tcl
grep -q "did write_bitstream" output && fail "a bitstream that misses its clock is written"
expect 4 "'nextpnr-xilinx' is not on PATH" sh arty/openxc7.sh
finish
