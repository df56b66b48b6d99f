#!/bin/sh
# `weir rtl`: what comes out, files, bad input and usage.
name=rtl
. "$(dirname "$0")/lib.sh"
designs=$E2E_SOURCE/tests/unit/data/rtlir

rtl() { weir rtl "$@" >out 2>err; }
has() { grep -Eq -e "$2" "$1" || fail "no '$2' in $1: $(head -5 "$1")"; }

cat >sum.wrtl <<'END'
wrtl 1
module add {
  input x : 4
  input y : 4
  output z : 4
  body {
    assign z = (x + y)
  }
}
module sum {
  input clk : $clock
  input a : 4
  input b : 4
  output s : 4
  variable t : 4
  instances {
    u : add
  }
  body {
    instance u {
      connect x = a
      connect y = b
      connect z = t
    }
    always posedge clk {
      next s = t
    }
  }
}
END

# --- the result ---
rtl sum.wrtl && cmp out sum.wrtl || fail "a design changes without passes"
[ ! -s err ] || fail "words without need"
rtl sum.wrtl -o same.wrtl && cmp same.wrtl sum.wrtl && [ ! -s out ] || fail "-o OUT.wrtl"
rtl sum.wrtl -p '' -o sum.v && [ ! -s out ] && iverilog -g2005 -Wall -o sum.vvp sum.v || fail "-o OUT.v"
rtl sum.wrtl -p '' -o sum.sv && has sum.sv '^  always_ff @\(posedge clk\)'
touch -d '2001-01-01' sum.v
rtl sum.wrtl -p '' -o sum.v && [ "$(find sum.v -newermt 2002-01-01)" = "" ] || fail "a file that is right was written again"
rtl sum.wrtl -p generate_verilog --folder made && [ "$(ls made | tr '\n' ' ')" = "add.v sum.v weir.manifest " ] || fail "generate_verilog: $(ls made)"
cat made/add.v >both.v && echo >>both.v && cat made/sum.v >>both.v && cmp both.v sum.v || fail "one file, other text"
touch -d '2001-01-01' made/add.v made/sum.v
sed 's/(x + y)/(x - y)/' sum.wrtl >other.wrtl
rtl other.wrtl -p generate_verilog --folder made
[ "$(find made -newermt 2002-01-01 -name '*.v')" = made/add.v ] || fail "more than the changed module was written"
rtl sum.wrtl -p 'generate_verilog{file=one.v yosys_src=true}' --folder made && has made/one.v 'src = "sum.wrtl:7"'
rtl sum.wrtl --top add -p generate_verilog --folder leaf && [ "$(echo leaf/*.v)" = leaf/add.v ] || fail "--top"

# --- watching ---
rtl sum.wrtl -p generate_verilog --folder made --timing --statistics --explain -o sum.wrtl.out.wrtl
has err '^run generate_verilog: level 0 <= 2$'
has err ' generate_verilog$'
rtl sum.wrtl -p generate_verilog --folder made --print-after all && has err '^\*\*\* after generate_verilog on the design of module .sum.$'
rtl sum.wrtl -p generate_verilog --folder made --dump dump && [ "$(echo dump/*.txt)" = dump/001_generate_verilog.txt ] || fail "--dump: $(ls dump)"
cmp dump/001_generate_verilog.txt sum.wrtl || fail "--dump writes another text"

# --- a failure, again ---
cat >open.wrtl <<'END'
wrtl 1
module add {
  input x : 4
  output z : 4
  body {
    assign z = x
  }
}
module top {
  output s : 4
  instances {
    u : add wired
  }
  body {
    instance u {
    }
    assign s = u.z
  }
}
END
steps=sort_stmts,create_module_instantiation
expect 1 "pass 'create_module_instantiation' failed|'u.x'" weir rtl open.wrtl -p $steps --reproducer failure.repro -o open.v
[ ! -e open.v ] || fail "output after a failing pass"
head -1 failure.repro | grep -q "'weir rtl' runs this file again" || fail "the reproducer: $(head -3 failure.repro)"
grep -q 'pipeline: create_module_instantiation' failure.repro || fail "the reproducer does not start at the failing pass"
expect 1 "failure.repro: pass 'create_module_instantiation' failed on the design of module 'top'" weir rtl failure.repro
expect 0 "" weir rtl failure.repro -p sort_stmts
expect 1 "" weir opt "$models/mlp_qdq.onnx" -p 'export_onnx{file=/dev/null/x.onnx}' --reproducer graph.repro
expect 2 "'graph.repro' holds graphs, not a hardware design" weir rtl graph.repro

# --- the README of passes/verilog shows what is emitted: each part between "..." as it stands ---
weir compile "$models/mlp_qdq.onnx" -o digits >/dev/null
sed -n '/^## Emitted Verilog/,/^```$/p' "$E2E_SOURCE/passes/verilog/README.md" | sed '1,/^```verilog/d;/^```$/d' >shown
grep -c '' shown | grep -Eq '^[0-9]{2,}$' || fail "passes/verilog/README.md shows no top"
absent shown digits/rtl/mlp_qdq.v >found
[ ! -s found ] || fail "passes/verilog/README.md shows another top: $(cat found)"
[ "$(cat parts)" -ge 3 ] || fail "passes/verilog/README.md shows fewer parts"
sed 's/^    \.s_last (s_frame_last),$/    .s_last (last),/' shown >planted
! cmp -s planted shown && [ -n "$(absent planted digits/rtl/mlp_qdq.v)" ] || fail "a line of another top is not found"

# --- a compiled design as text gives the same Verilog ---
weir opt "$models/mlp_qdq.onnx" -p 'compile,save_design{file=digits.wrtl}' --folder saved >/dev/null
rtl saved/digits.wrtl -p verilog,generate_verilog --folder again --check-unchanged || fail "a compiled design: $(cat err)"
cmp again/mlp_qdq.v digits/rtl/mlp_qdq.v || fail "a compiled design changes through its text"
rtl saved/digits.wrtl -p save_design --folder again && cmp again/mlp_qdq.wrtl saved/digits.wrtl || fail "save_design"

# --- the design of the README of passes/rtl ---
sed -n '/^## A state machine/,/^## /p' "$E2E_SOURCE/passes/rtl/README.md" | sed '$d' | sed -n '/^wrtl 1$/,/^```$/p' | sed '/^```$/d' >door.wrtl
expect 0 "create_module_instantiation: 1 designs (proved equal|tested)" weir rtl door.wrtl -o door.v --check-equivalence --statistics
grep -q "^note: after pass 'create_module_instantiation': \(proved\|tested\)" output || fail "no verdict after a pass"
grep -q "^note: after pass 'check_active_high': unchanged" output || fail "no verdict after a check"
iverilog -g2005 -Wall -o door.vvp door.v || fail "the README's door"
grep -v 'let u_timer.run' door.wrtl >open.wrtl
expect 1 "open.wrtl:20: error: input 'run' of instance 'u_timer' in module 'door' has no driver" weir rtl open.wrtl -o open.v

# --- a text written from a text knows where things stood ---
expect 0 "" weir rtl open.wrtl -p realize_fsm --locations -o copy.wrtl
sed -n 2p copy.wrtl | grep -Fqx 'from "open.wrtl"' || fail "copy.wrtl does not say what it is from"
expect 1 "^open.wrtl:20: error: input 'run' of instance 'u_timer' in module 'door' has no driver" weir rtl copy.wrtl -o open.v
weir rtl copy.wrtl -o again.wrtl && cmp copy.wrtl again.wrtl || fail "locations change through a text"
weir rtl door.wrtl -p '' --locations -o copy.wrtl
for source in door copy; do weir rtl $source.wrtl -p 'verilog,extract_debug_info{folder=places file=table.json}' && mv places/table.json $source.json; done
cmp door.json copy.json || fail "the symbol table names locations of the copy"

# --- what nests deeply needs no stack of the environment's; what nests deeper is refused ---
nest() { # LEVELS OPEN CLOSE
    awk -v levels="$1" -v open="$2" -v close_="$3" 'BEGIN {
        print "wrtl 1\nmodule m {\n  input a : 8\n  output y : 8\n  body {"
        printf "    assign y = "
        for (i = 0; i < levels; i++) printf "%s", open
        printf "a"
        for (i = 0; i < levels; i++) printf "%s", close_
        print "\n  }\n}"
    }'
}
nest 1990 '' ' + a' >chain.wrtl
nest 1990 '~(' ')' >nest.wrtl
nest 1990 'a == 3 ? 5 : ' '' >choices.wrtl
for deep in chain nest choices; do
    (ulimit -s 128 && weir rtl $deep.wrtl -o $deep.v) || fail "$deep on a small stack"
    iverilog -g2005 -t null $deep.v || fail "$deep.v"
done
nest 2500 '' ' + a' >chain.wrtl
expect 1 "chain.wrtl:6: error: an expression has more than 65535 parts or 2000 levels; assign some of its parts to variables" weir rtl chain.wrtl

# --- what cannot be printed is not written ---
expect 1 "door.wrtl:[0-9]+: error: module 'door' has the state machine 'state'" weir rtl door.wrtl -p '' -o half.v
[ ! -e half.v ] || fail "half a file after an error"

# --- an external module as its Verilog file declares it ---
mkdir -p beside
cat >beside/delay.v <<'END'
module delay #(
  parameter integer WIDTH = 8
) (
  input  wire             clk,
  input  wire [WIDTH-1:0] a,
  output reg  [WIDTH-1:0] y
);
  if (WIDTH < 2) begin : g_check
    delay_WIDTH_must_be_at_least_2 u_error ();
  end
  always @(posedge clk) y <= a;
endmodule
END
cat >beside/top.wrtl <<'END'
wrtl 1
module delay external "delay.v"
module top {
  input clk : $clock
  input x : 4
  output z : 4
  body {
    instance u : delay(WIDTH = 4) {
      connect clk = clk
      connect a = x
      connect y = z
    }
  }
}
END
expect 0 "" weir rtl beside/top.wrtl -o beside/top.v
iverilog -g2005 -Wall -t null beside/top.v beside/delay.v >output 2>&1 && [ ! -s output ] || fail "Icarus and the external module: $(cat output)"
! command -v yosys >/dev/null || yosys -q -p "read_verilog beside/top.v beside/delay.v; hierarchy -check -top top; check -assert" >output 2>&1 || fail "Yosys: $(cat output)"
! command -v verilator >/dev/null || verilator --lint-only -Wall beside/top.v beside/delay.v --top-module top >output 2>&1 || fail "Verilator: $(cat output)"
weir rtl beside/top.wrtl -o beside/printed.wrtl
grep -q 'parameter WIDTH = 8' beside/printed.wrtl || fail "the printed form does not have the ports"
weir rtl beside/printed.wrtl | cmp -s - beside/printed.wrtl || fail "the printed form reads back as something else"
sed 's/connect a = x/connect a = 2'"'"'d1/' beside/top.wrtl >beside/wrong.wrtl
expect 1 "wrong.wrtl:8: error: port 'a' of instance 'u' .module 'delay'. has 4 bits and is connected to '2'd1', which has 2" weir rtl beside/wrong.wrtl -o beside/wrong.v
sed 's/WIDTH = 4/WIDTH = 1/; s/: 4$/: 1/' beside/top.wrtl >beside/wrong.wrtl
expect 1 "must be at least 2|WIDTH_must_be_at_least_2" weir rtl beside/wrong.wrtl -o beside/wrong.v
sed 's/module delay external/module late external/; s/u : delay/u : late/' beside/top.wrtl >beside/wrong.wrtl
expect 1 "wrong.wrtl:2: error: 'delay.v' holds the module 'delay', expected 'late'" weir rtl beside/wrong.wrtl
sed 's/"delay.v"/"nowhere.v"/' beside/top.wrtl >beside/wrong.wrtl
expect 1 "beside/nowhere.v: error: cannot read" weir rtl beside/wrong.wrtl

# --- bad usage and bad input ---
expect 2 "'sum.txt': expected a file \*.wrtl, \*.v or \*.sv" weir rtl sum.wrtl -o sum.txt
expect 2 "unknown pass 'generate_verilogs'.*" weir rtl sum.wrtl -p generate_verilogs
expect 2 "there is no module 'nope'" weir rtl sum.wrtl --top nope
expect 2 "could be the top module" weir rtl "$designs/constructs.wrtl"
printf 'wrtl 1\nmodule a {\n  body {\n    instance u : b {}\n  }\n}\nmodule b {\n  body {\n    instance v : a {}\n  }\n}\n' >rec.wrtl
expect 1 "rec.wrtl:[49]: error: module '[ab]' contains itself through instance '[uv]' of module '[ab]'" weir rtl rec.wrtl
expect 1 "rec.wrtl:[49]: note: '[ab]' has instance '[uv]' of '[ab]'" weir rtl rec.wrtl
expect 1 "missing.wrtl: error: cannot read" weir rtl missing.wrtl
sed 's/(x + y)/(x + 3'"'"'h1)/' sum.wrtl >bad.wrtl
expect 1 '^bad.wrtl:7: error: ' weir rtl bad.wrtl -p '' -o bad.v
[ ! -e bad.v ] || fail "output after an error"
printf 'wrtl 2\n' >bad.wrtl
expect 1 '^bad.wrtl:1: error: ' weir rtl bad.wrtl
expect 2 "" weir rtl

finish
