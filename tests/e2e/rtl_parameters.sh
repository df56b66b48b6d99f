#!/bin/sh
# Modules whose widths depend on parameters: Verilog at values that no design uses gives what was worked out by hand, tools
# accept it at them, and what does not fit is refused by name.
name=rtl_parameters
. "$(dirname "$0")/lib.sh"
designs=$E2E_SOURCE/tests/rtl/designs
need_tools iverilog verilator_bin yosys

# --- values that no instance in the designs has ---
for design in adder fifo tree hierarchy; do
    for dialect in v sv; do
        expect 0 "" weir rtl "$designs/parametrised_$design.wrtl" -o "$design.$dialect"
    done
done
cat >bench.v <<'END'
module bench;
  reg clk = 0, rst = 1, push = 0, pop = 0;
  reg [6:0] a, b;
  wire [7:0] sum;
  wire [6:0] wrapped;
  wire top;
  adder #(.WIDTH(7)) u_adder (.a(a), .b(b), .sum(sum), .wrapped(wrapped), .top(top));
  reg signed [2:0] x;
  wire signed [9:0] y;
  extender #(.FROM(3), .TO(10)) u_extender (.x(x), .y(y), .low(), .any());
  reg [8:0] d = 0;
  wire [8:0] q;
  wire [3:0] count;
  wire full, empty;
  queue #(.WIDTH(9), .DEPTH(5)) u_queue
    (.clk(clk), .rst(rst), .push(push), .d(d), .pop(pop), .q(q), .count(count), .full(full), .empty(empty));
  reg [55:0] leaves;
  wire [6:0] total, ones;
  tree #(.N(8), .W(7)) u_tree (.clk(clk), .rst(rst), .x(leaves), .y(total), .ones(ones));
  reg [2:0] ma, mb;
  wire [11:0] my;
  wire [23:0] mz;
  middle #(.W(3), .LANES(4)) u_middle
    (.a(ma), .b(mb), .x(24'o12345670), .up(4'b0101), .y(my), .narrow(), .z(mz));
  integer i, failures = 0;
  task want(input integer number, input [63:0] found, input [63:0] expected);
    if (found !== expected) begin
      $display("check %0d: %0d, expected %0d", number, found, expected);
      failures = failures + 1;
    end
  endtask
  task tick; begin #1 clk = 1; #1 clk = 0; end endtask
  initial begin
    a = 100; b = 90; x = -3;
    #1 want(1, sum, 190);
    want(2, wrapped, 63);              // 191 - 128
    want(3, top, 0);                   // both have bit 6
    want(4, $unsigned(y), 1021);              // -3
    x = 2;
    #1 want(5, $unsigned(y), 2);
    // 5 words of 9 bits: the sixth is not taken
    tick; rst = 0;
    push = 1;
    for (i = 1; i <= 6; i = i + 1) begin d = 9'd500 + i; tick; end
    push = 0;
    want(6, count, 5);
    want(7, full, 1);
    pop = 1;
    for (i = 1; i <= 5; i = i + 1) begin want(7 + i, q, 500 + i); tick; end
    pop = 0;
    want(13, empty, 1);
    // 1 + 2 + ... + 8 = 36, four cycles after the leaves came; 1, 3, 5, 7 are odd
    leaves = {7'd8, 7'd7, 7'd6, 7'd5, 7'd4, 7'd3, 7'd2, 7'd1};
    tick; tick; tick; tick;
    want(14, total, 36);
    want(15, ones, 4);
    // 5 * (6 + 1) = 35; times {a, b} = 5 * 8 + 6 = 46
    ma = 5; mb = 6;
    #1 want(16, my, 1610);
    // lanes of two octal digits, 70 first: the digits of lanes 0 and 2 change places
    want(17, mz, 24'o12435607);
    if (failures == 0) $display("all as worked out");
    $finish;
  end
endmodule
END
expect 0 "" iverilog -g2005 -Wall -o bench.vvp -s bench bench.v adder.v fifo.v tree.v hierarchy.v
expect 0 "^all as worked out" vvp -n bench.vvp
sed 's/sum, 190/sum, 191/' bench.v >planted.v
expect 0 "" iverilog -g2005 -o planted.vvp -s bench planted.v adder.v fifo.v tree.v hierarchy.v
expect 0 "^check 1: 190, expected 191" vvp -n planted.vvp

lint() { # DESIGN MODULE OVERRIDES
    overrides= chparam=
    for value in $3; do
        overrides="$overrides -G$value"
        chparam="$chparam -chparam ${value%=*} ${value#*=}"
    done
    for dialect in v sv; do
        expect 0 "" verilator_bin --lint-only -Wall -Wno-DECLFILENAME --top-module "$2" $overrides "$1.$dialect"
    done
    expect 0 "" yosys -q -p "read_verilog $1.v; hierarchy -check -top $2 $chparam; proc; check -assert"
}
lint adder adder WIDTH=2
lint adder adder WIDTH=64
lint adder extender "FROM=3 TO=4"
lint fifo queue "WIDTH=1 DEPTH=2"
lint fifo queue "WIDTH=33 DEPTH=17"
lint tree tree "N=9 W=1"
lint hierarchy middle "W=7 LANES=5"

# --- bounds: errors here, and in every tool ---
expect 1 "must_be_2_to_64" iverilog -g2005 -Padder.WIDTH=65 -s adder -o none.vvp adder.v
expect 1 "must_be_2_to_64" verilator_bin --lint-only --top-module adder -GWIDTH=1 adder.v
expect 1 "must_be_2_to_64" yosys -q -p "read_verilog adder.v; hierarchy -check -top adder -chparam WIDTH 1"
sed 's/WIDTH = 16/WIDTH = 65/' "$designs/parametrised_adder.wrtl" >wide.wrtl
expect 1 "error: parameter 'WIDTH' of module 'adder' is 65, expected 2 to 64" weir rtl wide.wrtl -p check
grep -q "instance 'u_16' in module 'parametrised_adder' gives module 'adder' WIDTH = 65" output || fail "no instance"

# --- widths that agree by default only: the instance, its values and both widths are named ---
cat >sum.wrtl <<'END'
wrtl 1
module sum {
  parameter A = 4
  parameter B = 4
  input a : A
  input b : B
  output y : A
  body {
    assign y = a + b
  }
}
module top {
  input a : 8
  input b : 6
  output y : 8
  instances {
    u : sum(A = 8, B = 6)
  }
  body {
    instance u {
      connect a = a
      connect b = b
      connect y = y
    }
  }
}
END
for steps in check verify_assignments specialize_parameters; do
    expect 1 "sum.wrtl:9: error: '\+' needs operands of one width: 'a' has 8 bits, 'b' has 6" weir rtl sum.wrtl -p $steps
    grep -q "instance 'u' in module 'top' gives module 'sum' A = 8, B = 6" output || fail "no instance: $steps"
done
expect 1 "'a' has 8 bits, 'b' has 6" weir rtl sum.wrtl -o sum.v
[ ! -e sum.v ] || fail "sum.v was written"
sed 's/B = 6/B = 8/' sum.wrtl >port.wrtl
expect 1 "port 'b' of instance 'u' \(module 'sum_A_8_B_8'\) has 8 bits and is connected to 'b', which has 6" weir rtl port.wrtl -p check
sed 's/B = 6/B = 8/; s/input b : 6/input b : 8/' sum.wrtl >fine.wrtl
expect 0 "" weir rtl fine.wrtl -o fine.v
# What nobody has looked at stops the tools.
expect 1 "sum_parameters_must_fit" iverilog -g2005 -Psum.B=5 -s sum -o none.vvp fine.v
expect 0 "" iverilog -g2005 -Psum.A=9 -Psum.B=9 -s sum -o some.vvp fine.v
expect 1 "lane_parameters_must_fit" verilator_bin --lint-only --top-module lane -GW=1 hierarchy.v
expect 1 "queue_parameters_must_fit" yosys -q -p "read_verilog fifo.v; hierarchy -check -top queue -chparam WIDTH 0"

# --- passes that do not take formulas say so, by what they declare ---
weir passes --json >passes.json
for pass in lift_genvar_instances port_legality_fix create_wrapper_flatten rtl_dead_code_elimination; do
    expect 1 "pass '$pass' requires the form 'fixed_widths'" weir rtl "$designs/parametrised_hierarchy.wrtl" -p $pass
    grep -q "run 'specialize_parameters' first" output || fail "no remedy: $pass"
    expect 0 "" weir rtl "$designs/parametrised_hierarchy.wrtl" -p elaborate,specialize_parameters,$pass
done
sed 's/    u_wide :/    u_wide :/; s/^    instance u_wide {/    attribute inline\n    instance u_wide {/' \
    "$designs/parametrised_hierarchy.wrtl" >inline.wrtl
expect 1 "instance 'u_wide'.*depend on parameters: run specialize_parameters first" weir rtl inline.wrtl -p inline_instance
expect 0 "" weir rtl inline.wrtl -p elaborate,specialize_parameters,inline_instance

# --- library modules whose parameters are formulas of the parent's ---
cat >library.wrtl <<END
wrtl 1
module weir_fifo external "$E2E_SOURCE/rtl/stream/weir_fifo.v" {
  parameter WIDTH = 8
  parameter DEPTH = 2
  input clk : \$clock
  input rst : \$reset
  input s_valid : 1
  output s_ready : 1
  input s_data : \$range (WIDTH - 1) 0
  input s_last : 1
  output m_valid : 1
  input m_ready : 1
  output m_data : \$range (WIDTH - 1) 0
  output m_last : 1
}
module lanes {
  parameter W = 6 from 3 to 20
  parameter D = 4
  input clk : \$clock
  input rst : \$reset
  input a : W
  input b : W
  input valid : 1
  output y : 2 * W
  output flags : 3
  instances {
    u : weir_fifo(WIDTH = W + W, DEPTH = D) wired
  }
  body {
    let u.clk = clk
    let u.rst = rst
    let u.s_data = {a, b}
    let u.s_valid = valid
    let u.s_last = a[W - 1]
    let u.m_ready = 1
    let y = u.m_data
    let flags = {u.s_ready, u.m_valid, u.m_last}
    instance u {
    }
  }
}
END
stream=$E2E_SOURCE/rtl/stream
expect 0 "" weir rtl library.wrtl -o library.v
expect 0 "" verilator_bin --lint-only -Wall -Wno-DECLFILENAME -y "$stream" -y "$E2E_SOURCE/rtl/memory" --top-module lanes -GW=11 library.v
expect 0 "" weir rtl library.wrtl -p 'specialize_parameters{values="W=9, D=8"},verilog' -o lanes.v
grep -q 'WIDTH(18)' lanes.v && grep -q 'DEPTH(8)' lanes.v || fail "the library module has other values"
expect 0 "" verilator_bin --lint-only -Wall -Wno-DECLFILENAME -y "$stream" -y "$E2E_SOURCE/rtl/memory" --top-module lanes lanes.v
sed 's/u.s_data = {a, b}/u.s_data = {a, a, b}/' library.wrtl >bad.wrtl
expect 1 "'u.s_data' has 12 bits and cannot take '{a, a, b}', which has 18" weir rtl bad.wrtl -p check

# --- names: one module a set of values ---
expect 0 "" weir rtl "$designs/parametrised_hierarchy.wrtl" -p specialize_parameters -o numbers.wrtl
grep '^module' numbers.wrtl | cut -d ' ' -f 2 | sort | tr '\n' ' ' >names
[ "$(cat names)" = "lane_W_10 lane_W_4 middle_W_2_LANES_3 middle_W_5_LANES_2 parametrised_hierarchy product_W_10 product_W_2 product_W_4 product_W_5 " ] ||
    fail "names: $(cat names)"
! grep -Eq '^  (parameter|local) ' numbers.wrtl || fail "parameters are left"
expect 0 "" weir rtl numbers.wrtl -p specialize_parameters -o again.wrtl
cmp -s numbers.wrtl again.wrtl || fail "a second run changes something"
expect 0 "" weir rtl "$designs/parametrised_hierarchy.wrtl" -c -n 40 -p elaborate,clean,specialize_parameters,clean
finish
