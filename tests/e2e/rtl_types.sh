#!/bin/sh
# SystemVerilog of two designs whose types have the same names, read together: each computes with its own. Members of enums
# have one name in all files of a design, which means nothing else in any of its modules and functions. Values are worked out by hand.
name=rtl_types
. "$(dirname "$0")/lib.sh"
command -v iverilog >/dev/null || { echo "rtl_types: skipped: there is no iverilog"; exit 77; }

# design PREFIX HIGH LOW RED BLUE: the fields' widths of `pair`, the values of a color's members
design() {
    cat <<END
wrtl 1
struct pair {
  high : $2
  low : $3
}
enum color : 4 {
  red = $4
  blue = $5
}
module $1_leaf {
  input p : pair
  output high : $2
  output shade : color
  body {
    assign high = p.high
    assign shade = color::blue
  }
}
module $1_top {
  input bits : 16
  output high : $2
  output low : $3
  output is_blue : 1
  output code : 4
  output hidden : 4
  variable p : pair
  variable shade : color
  variable red : 4
  function sum : 4 (blue : 4)
  instances {
    u : $1_leaf
  }
  body {
    function sum {
      return (blue + color::blue)
    }
    assign p.high = bits[$(($2 + $3 - 1)):$3]
    assign p.low = bits[$(($3 - 1)):0]
    assign low = p.low
    instance u {
      connect p = p
      connect high = high
      connect shade = shade
    }
    assign is_blue = (shade == color::blue)
    assign code = shade
    assign red = 4'hf
    assign hidden = (sum(4'h1) ^ (red & color::red))
  }
}
END
}
design a 4 8 1 2 >a.wrtl
design b 6 3 4 9 >b.wrtl

# bits = 16'habcd: of a the pair is 4'hb, 8'hcd, of b it is 6'b111001 (9 bits 1_1100_1101: 6'h39), 3'b101.
cat >bench.sv <<'END'
module bench;
  wire [3:0] a_high, a_code, b_code, a_hidden, b_hidden;
  wire [7:0] a_low;
  wire [5:0] b_high;
  wire [2:0] b_low;
  wire a_blue, b_blue;
  reg [15:0] bits;
  a_top a (.bits(bits), .high(a_high), .low(a_low), .is_blue(a_blue), .code(a_code), .hidden(a_hidden));
  b_top b (.bits(bits), .high(b_high), .low(b_low), .is_blue(b_blue), .code(b_code), .hidden(b_hidden));
  initial begin
    bits = 16'habcd;
    #1 $display("%h %h %b %h %h, %h %h %b %h %h", a_high, a_low, a_blue, a_code, a_hidden, b_high, b_low, b_blue, b_code,
                b_hidden);
    $finish;
  end
endmodule
END
# hidden: a 1 + 2 ^ f & 1 = 3 ^ 1 = 2; b 1 + 9 ^ f & 4 = a ^ 4 = e.
right="b cd 1 2 2, 39 5 1 9 e"

for order in "a b" "b a"; do
    for d in $order; do
        weir rtl $d.wrtl -o $d.v || fail "$d.v"
        weir rtl $d.wrtl -o $d.sv || fail "$d.sv"
        weir rtl $d.wrtl -p "verilog,generate_verilog{folder=$d.d dialect=systemverilog}" || fail "$d.d"
    done
    set -- $order
    iverilog -g2005-sv -o plain bench.sv $1.v $2.v && plain=$(vvp -N plain) || fail "Verilog of $order"
    [ "$plain" = "$right" ] || fail "Verilog of '$order': '$plain', expected '$right'"
    iverilog -g2012 -o system bench.sv $1.sv $2.sv && system=$(vvp -N system) || fail "SystemVerilog of $order"
    [ "$system" = "$right" ] || fail "SystemVerilog of '$order': '$system', expected '$right'"
    if command -v verilator >/dev/null; then
        verilator --lint-only -Wall -Wno-DECLFILENAME -Wno-UNUSEDSIGNAL --timing --top-module bench bench.sv $1.sv $2.sv >lint 2>&1 ||
            fail "verilator --lint-only of '$order': $(head -5 lint)"
        verilator --lint-only -Wno-fatal --timing --top-module bench bench.sv $1.d/*.sv $2.d/*.sv >lint 2>&1 ||
            fail "verilator --lint-only of the files of '$order': $(head -5 lint)"
    fi
done
if command -v verilator >/dev/null; then
    command -v ccache >/dev/null && export OBJCACHE=ccache
    verilator --binary --timing -Wno-fatal -O0 -CFLAGS -O0 --top-module bench bench.sv b.sv a.sv >build 2>&1 || fail "verilator: $(tail -5 build)"
    made=$(./obj_dir/Vbench | head -1)
    [ "$made" = "$right" ] || fail "SystemVerilog: '$made', expected '$right'"
fi

# --- types live in the package of their design alone ---
for d in a b; do
    grep -q "^package ${d}_top_types;" $d.sv || fail "$d.sv has no package of its own"
    grep -q "import ${d}_top_types::\*;" $d.sv || fail "$d.sv does not import its package"
    grep -q '^  color_red = ' $d.sv && ! grep -q '^  red = ' $d.sv || fail "a variable hides a member of $d"
    cmp -s $d.d/${d}_leaf.sv $d.d/${d}_top.sv && fail "files alike"
    sed -n '/^.ifndef/,/^.endif/p' $d.d/${d}_leaf.sv >leaf && sed -n '/^.ifndef/,/^.endif/p' $d.d/${d}_top.sv >top
    cmp leaf top || fail "the modules of $d have other packages"
done
! grep -q 'TYPE_' a.sv || fail "types behind a guard of their own"

finish
