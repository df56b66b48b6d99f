#!/bin/sh
# Tri-state drivers of the text language: both dialects in all three tools, and a bus of several levels in two simulators,
# with the values that the design says by hand; a driver that does not let go of the bus is noticed.
# test: label=nightly
name=rtl_tristate
. "$(dirname "$0")/lib.sh"
designs=$E2E_SOURCE/tests/rtl/designs
need_tools iverilog verilator_bin yosys

# silent COMMAND ...: it ends with 0 and says nothing.
silent() {
    status=0
    "$@" >output 2>&1 || status=$?
    [ "$status" -eq 0 ] && [ ! -s output ] || fail "status $status: $*: $(head -5 output)"
}

# --- the tools ---
for design in bus pads; do
    top=tristate_$design
    expect 0 "" weir rtl "$designs/$top.wrtl" -o "$top.v"
    expect 0 "" weir rtl "$designs/$top.wrtl" -o "$top.sv"
    silent verilator_bin --lint-only -Wall -Wno-DECLFILENAME --top-module $top $top.v
    silent verilator_bin --lint-only -Wall -Wno-DECLFILENAME --top-module $top $top.sv
    silent iverilog -g2005 -Wall -t null -s $top $top.v
    silent iverilog -g2012 -Wall -t null -s $top $top.sv
    silent yosys -q -w "limited support for tri-state" \
        -p "read_verilog $top.v; hierarchy -check -top $top; proc; flatten; tribuf -merge; check -assert"
done
silent yosys -q -w "limited support for tri-state" \
    -p "read_verilog -sv tristate_bus.sv; hierarchy -check -top tristate_bus; proc; flatten; tribuf -logic; check -assert"

# --- two drivers of one bus, and the bench around them ---
cat >node.wrtl <<'END'
wrtl 1
module pin {
  parameter W = 4
  input drive : 1
  input value : W
  inout pad : W
  body {
    assign pad = drive ? value : 'z
  }
}
module node {
  input clk : $clock
  input rst : $reset
  input turn : 1
  input value : 8
  inout bus : 8
  output heard : 8
  register held : 8 = 0
  body {
    instance u_low : pin {
      connect drive = turn
      connect value = value[3:0]
      connect pad = bus[3:0]
    }
    instance u_high : pin(W = 4) {
      connect drive = turn
      connect value = value[7:4]
      connect pad = bus[7:4]
    }
    always posedge clk reset rst {
      next held = bus
    }
    assign heard = held
  }
}
module pair {
  input clk : $clock
  input rst : $reset
  input turn : 1
  input a : 8
  input b : 8
  output heard_a : 8
  output heard_b : 8
  wire bus : 8
  body {
    instance u_a : node {
      connect clk = clk
      connect rst = rst
      connect turn = turn
      connect value = a
      connect bus = bus
      connect heard = heard_a
    }
    instance u_b : node {
      connect clk = clk
      connect rst = rst
      connect turn = !turn
      connect value = b
      connect bus = bus
      connect heard = heard_b
    }
  }
}
END
sed 's/connect turn = !turn/connect turn = 1/' node.wrtl >both.wrtl # u_b never lets go

cat >bench.v <<'END'
module bench;
  reg clk = 0, rst = 1, turn = 0;
  reg [7:0] a = 0, b = 0, want = 0;
  wire [7:0] heard_a, heard_b;
  integer i, failures = 0;
  pair dut (.clk(clk), .rst(rst), .turn(turn), .a(a), .b(b), .heard_a(heard_a), .heard_b(heard_b));
  initial begin
    #1 clk = 1;
    #1 clk = 0;
    rst = 0;
    for (i = 0; i < 200; i = i + 1) begin
      turn = i[1] ^ i[0];
      a = 37 * i + 11;
      b = 59 * i + 200;
      want = turn ? a : b;
      #1 clk = 1;
      #1 clk = 0;
      #1 if (heard_a !== want || heard_b !== want) failures = failures + 1;
    end
    $display("%0d of 200 wrong", failures);
    $finish;
  end
endmodule
END
verilate() {
    verilator --binary --timing -Wno-fatal --Mdir "$1" --top-module bench -o bench bench.v "$2" \
        >verilate.log 2>&1 || fail "Verilator: $(head -5 verilate.log)"
}
for design in node both; do
    for dialect in v sv; do
        expect 0 "" weir rtl $design.wrtl -o $design.$dialect
        silent iverilog -g2012 -Wall -s bench -o $design.vvp bench.v $design.$dialect
        vvp $design.vvp >$design.$dialect.icarus
    done
    verilate $design $design.v
    ./$design/bench >$design.verilator
done
for result in node.v.icarus node.sv.icarus node.verilator; do
    grep -q "^0 of 200 wrong" $result || fail "$result: $(cat $result)"
done
# Half of the time both drive: different values meet.
for result in both.v.icarus both.sv.icarus both.verilator; do
    grep -Eq "^(9[0-9]|100) of 200 wrong" $result || fail "planted: $result: $(cat $result)"
done

# --- what passes make of it drives the bus as before ---
for design in node both; do
    sed 's/^module node/attribute inline\nmodule node/' $design.wrtl >inline.wrtl
    expect 0 "" weir rtl inline.wrtl -p 'inline_instance,verilog' -o inline.v
    [ "$(grep -c '^module' inline.v)" -eq 2 ] || fail "not inlined: $(grep '^module' inline.v)"
    silent iverilog -g2005 -Wall -s bench -o inline.vvp bench.v inline.v
    [ "$(vvp inline.vvp)" = "$(cat $design.v.icarus)" ] || fail "$design inlined: $(vvp inline.vvp)"
done

# --- what is refused is refused at its line ---
sed 's/assign pad = drive ? value : .z/assign pad = value/' node.wrtl >ordinary.wrtl
expect 1 "^ordinary.wrtl:54: error: 'bus\[7:0\]' in module 'pair' has two drivers: instance 'u_a' and instance 'u_b'" \
    weir rtl ordinary.wrtl -o ordinary.v
[ ! -e ordinary.v ] || fail "a short circuit was written"

finish
