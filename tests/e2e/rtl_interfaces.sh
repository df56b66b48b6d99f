#!/bin/sh
# Groups of ports as interfaces of SystemVerilog: Verilator reads them without a warning, alone and beside another design of
# the same names with other widths, and they compute in each cycle what the flat Verilog computes in Icarus.
name=rtl_interfaces
. "$(dirname "$0")/lib.sh"
for tool in iverilog verilator; do
    command -v $tool >/dev/null || { echo "rtl_interfaces: skipped: there is no $tool"; exit 77; }
done

# design PREFIX WIDTH: the width of a field
design() {
    sed -e "s/@\([a-z]\)/$1_\1/" -e "s/WIDTH_1/$(($2 - 1))/; s/WIDTH_Z/$((9 - $2))'h0/; s/WIDTH/$2/" <<'END'
wrtl 1
struct pair {
  high : signed 4
  low : WIDTH
}
interface stream {
  clk : $clock
  data : pair
  sum : signed 9
  valid : 1
  ready : 1
  modport source {
    input clk
    output data
    output sum
    output valid
    input ready
  }
  modport sink {
    input clk
    input data
    input sum
    input valid
    output ready
  }
  modport watch {
    input valid
    input ready
  }
}
interface source {
  source : 4
  modport source {
    output source
  }
}
module @producer {
  input rst : $reset
  input x : 12
  input out_clk : $clock
  comment "registered here"
  output out_data : pair = 0
  output out_sum : signed 9
  output out_valid : 1
  input ready_of_out : 1
  output own_source : 4
  group out : stream.source (ready = ready_of_out)
  group own : source.source
  register go : 1 = 1
  body {
    always posedge out_clk reset rst {
      if ready_of_out {
        next go = ~go
        next out_data.high = $signed(x[11:8])
        next out_data.low = x[WIDTH_1:0]
      }
    }
    assign own_source = out_data.low[3:0] ^ {ready_of_out, 3'h5}
    assign out_sum = $signed(x[8:0]) + 1
    assign out_valid = go
  }
}
module @consumer {
  input in_clk : $clock
  input in_data : pair
  input in_sum : signed 9
  input in_valid : 1
  output in_ready : 1
  output y : 9
  group in : stream.sink
  register held : 9 = 3
  input rst : $reset
  body {
    always posedge in_clk reset rst {
      if in_valid { next held = $unsigned(in_sum) ^ {WIDTH_Z, in_data.low} }
    }
    assign in_ready = ~held[1]
    assign y = held
  }
}
module @reader {
  input own_source : 4
  output z : 4
  group own : source.source flipped
  body {
    assign z = own_source
  }
}
module @middle {
  input rst : $reset
  input x : 12
  input out_clk : $clock
  output out_data : pair
  output out_sum : signed 9
  output out_valid : 1
  input out_ready : 1
  output z : 4
  group out : stream.source
  variable own_source : 4
  group own : source
  instances {
    u : @producer
    r : @reader
  }
  body {
    instance u {
      connect rst = rst
      connect x = x
      connect out = out
      connect own = own
    }
    instance r {
      connect own = own
      connect z = z
    }
  }
}
module @watcher {
  input w_valid : 1
  input w_ready : 1
  output taken : 1
  group w : stream.watch
  body {
    assign taken = w_valid & w_ready
  }
}
module @top {
  input clk : $clock
  input rst : $reset
  input x : 12
  output y : 9
  output z : 4
  output z2 : 4
  output taken : 3
  output busy : 1
  input port_clk : $clock
  output port_data : pair
  output port_sum : signed 9
  output port_valid : 1
  input port_ready : 1
  group port : stream.source
  output own_valid : 1
  output own_ready : 1
  group own : stream.watch flipped
  variable link_data : pair
  comment "between the two"
  variable link_sum : signed 9
  variable link_valid : 1
  variable link_ready : 1
  variable link_clk : $clock
  group link : stream
  instances {
    m : @middle
    c : @consumer
    w : @watcher
    o : @middle
    p : @watcher
    q : @watcher
  }
  body {
    assign link_clk = $clock(clk)
    assign busy = link_valid & ~link_ready & link_data.high[3]
    instance m {
      connect rst = rst
      connect x = x
      connect out = link
      connect z = z
    }
    instance c {
      connect in = link
      connect y = y
      connect rst = rst
    }
    instance w {
      connect w = link
      connect taken = taken[0]
    }
    instance o {
      connect rst = rst
      connect x = x
      connect out = port
      connect z = z2
    }
    assign own_valid = x[3]
    assign own_ready = z[0]
    instance q {
      connect w_valid = own_valid
      connect w_ready = own_ready
      connect taken = taken[2]
    }
    instance p {
      connect w_valid = port_valid
      connect w_ready = port_ready
      connect taken = taken[1]
    }
  }
}
END
}
design a 8 >a.wrtl
design b 5 >b.wrtl

cat >bench.v <<'END'
module bench;
  reg clk, rst, port_ready;
  reg [11:0] x;
  wire [8:0] y, sum;
  wire [3:0] z, z2;
  wire [2:0] taken;
  wire busy, valid, own_valid, own_ready;
  wire [11:0] data;
  integer i;
  a_top top (.clk(clk), .rst(rst), .x(x), .y(y), .z(z), .z2(z2), .taken(taken), .busy(busy), .port_clk(clk),
             .port_data(data), .port_sum(sum), .port_valid(valid), .port_ready(port_ready), .own_valid(own_valid),
             .own_ready(own_ready));
  initial begin
    clk = 0;
    rst = 1;
    port_ready = 1;
    x = 12'h5a3;
    for (i = 0; i < 200; i = i + 1) begin
      #1 clk = 1;
      #1 if (i > 12) $display("%h %h %h %b %b %h %h %b %b %b", y, z, z2, taken, busy, data, sum, valid, own_valid, own_ready);
      clk = 0;
      rst = i < 1;
      x = {x[10:0], x[11] ^ x[5] ^ x[3] ^ x[0]};
      port_ready = x[4] | x[7];
    end
    $finish;
  end
endmodule
END

for d in a b; do
    weir rtl $d.wrtl -p create_interface_instantiation -o $d.sv 2>notes || fail "$d.sv"
    [ ! -s notes ] || fail "groups of $d stay flat: $(head -3 notes)"
    weir rtl $d.wrtl -p "create_interface_instantiation,generate_verilog{folder=$d.d dialect=systemverilog}" >output || fail "files of $d"
done
grep -q '^  a_top_stream.source out,$' a.sv || fail "a port that is no interface"
! grep -q 'link_valid' a.sv || fail "a flat name of a member"

# --- Verilog-2005 stays flat ---
weir rtl a.wrtl -p '' -o flat.v && weir rtl a.wrtl -p create_interface_instantiation -o marked.v && cmp flat.v marked.v ||
    fail "the Verilog of marked groups differs"

# --- Verilator reads them, in any order ---
lint="verilator --lint-only -Wall -Wno-DECLFILENAME -Wno-MULTITOP -Wno-UNUSEDSIGNAL"
for files in a.sv "a.sv b.sv" "b.sv a.sv" "a.d/*.sv b.d/*.sv"; do
    $lint $files >messages 2>&1 || fail "verilator -Wall of $files: $(head -5 messages)"
    [ ! -s messages ] || fail "verilator -Wall of $files: $(head -5 messages)"
done

# --- they compute what the flat modules compute ---
iverilog -g2005 -o flat bench.v flat.v && vvp -N flat >flat.out || fail "iverilog"
command -v ccache >/dev/null && export OBJCACHE=ccache
verilator --binary --timing -Wno-fatal -O0 -CFLAGS -O0 --top-module bench bench.v a.sv >build 2>&1 || fail "verilator: $(tail -5 build)"
./obj_dir/Vbench | grep -v finish >made.out
cmp flat.out made.out || fail "interfaces compute something else: $(diff flat.out made.out | head -4)"
[ "$(sort -u made.out | wc -l)" -gt 100 ] || fail "the bench sees too little"

# planted: a driver that is inverted must be seen
sed 's/assign out_valid = go;/assign out_valid = ~go;/' flat.v >planted.v
! cmp -s flat.v planted.v && iverilog -g2005 -o planted bench.v planted.v && vvp -N planted >planted.out || fail "planted"
! cmp -s planted.out made.out || fail "planted: a wrong driver is not seen"

# --- what comes behind the marks is no silent change ---
weir rtl a.wrtl -p create_interface_instantiation -o marked.wrtl
weir rtl marked.wrtl -p '' -o again.sv && cmp again.sv a.sv || fail "marks do not come back from the text"
sed 's/connect in_valid = link_valid/connect in_valid = (~link_valid)/' marked.wrtl >apart.wrtl
expect 1 "group 'in' of module 'a_consumer' can no longer be an interface: instance 'c' in module 'a_top' does not" \
    weir rtl apart.wrtl -p '' -o apart.sv
expect 0 "" weir rtl apart.wrtl -p '' -o apart.v
expect 1 "is an interface, whose members a symbol table cannot name" \
    weir rtl marked.wrtl -p 'extract_debug_info{dialect=systemverilog}'

finish
