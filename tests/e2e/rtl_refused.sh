#!/bin/sh
# No order of passes writes Verilog of something else: designs that are not as emitted, names that clash, files of others.
name=rtl_refused
. "$(dirname "$0")/lib.sh"
designs=$E2E_SOURCE/tests/rtl/designs

sub() { # NAME OPERATOR
    printf 'module %s {\n  input x : 4\n  output y : 4\n  body {\n    assign y = (x %s 4'"'"'h1)\n  }\n}\n' "$1" "$2"
}
top() { # NAME FIRST SECOND: both on one input
    printf 'module %s {\n  input x : 4\n  output y : 4\n  output z : 4\n  instances {\n    a : %s\n    b : %s\n  }\n' "$1" "$2" "$3"
    printf '  body {\n    instance a {\n      connect x = x\n      connect y = y\n    }\n'
    printf '    instance b {\n      connect x = x\n      connect y = z\n    }\n  }\n}\n'
}
design() { echo 'wrtl 1'; cat; }
nothing() { [ ! -e "$1" ] || fail "$1 was written"; }

# --- two modules of one name ---
{ sub sub +; sub sub -; top top sub 'sub#2'; } | design >two.wrtl
for steps in check,generate_verilog{folder=f} check,generate_verilog{file=f/x.v} extract_debug_info{folder=f} \
    'check,clean,sort_stmts,generate_verilog{folder=f dialect=systemverilog}'; do
    expect 1 "two.wrtl:9: error: two modules are called 'sub'" weir rtl two.wrtl -p "$steps"
    grep -q "run 'uniquify_generators' first" output || fail "no remedy"
    nothing f
done
expect 1 "two.wrtl:9: error: two modules are called 'sub'" weir rtl two.wrtl -p check -o f.v
nothing f.v
expect 0 "" weir rtl two.wrtl -p check,uniquify_generators,generate_verilog{folder=f}
[ "$(cd f && ls *.v | tr "\n" " ")" = "sub.v sub_unq0.v top.v " ] || fail "uniquified: $(ls f)"
expect 0 "" weir rtl two.wrtl -o f.v

# --- instances wired by assignments, state machines, what nobody drives: all passes that print ask for the same ---
expect 1 "elaborated.*is wired by assignments" weir rtl "$designs/elaborated.wrtl" -p check,clean,generate_verilog{folder=w}
expect 1 "is wired by assignments" weir rtl "$designs/elaborated.wrtl" -p uniquify_generators -o w.v
expect 1 "requires the form 'no_machines'" weir rtl "$designs/moore_machine.wrtl" -p uniquify_generators,generate_verilog{folder=w}
for pass in extract_register_names extract_enum_info auto_insert_clock_enable auto_insert_sync_reset; do
    expect 1 "pass '$pass' requires the form 'no_machines'" weir rtl "$designs/moore_machine.wrtl" -p $pass
done
sed 's/assign y = (x + 4.h1)/assign y[0] = x[0]/' two.wrtl >open.wrtl
expect 1 "requires the form 'sound_design'" weir rtl open.wrtl -p uniquify_generators,generate_verilog{folder=w}
expect 1 "'y\[3:1\]' of module 'sub' has no driver" weir rtl open.wrtl -p uniquify_generators -o w.v
nothing w
nothing w.v

# --- names that differ in case, files of one name ---
{ sub Sub +; sub sub -; top top Sub sub; } | design >near.wrtl
expect 1 "modules 'Sub' and 'sub' would share a file" weir rtl near.wrtl -p generate_verilog{folder=n}
nothing n
expect 0 "" weir rtl near.wrtl -p generate_verilog{file=n.v}

# --- two designs in one folder ---
{ sub sub +; sub other -; top one sub other; } | design >one.wrtl
{ sub sub -; sub other -; top two sub other; } | design >also.wrtl
{ sub other -; sub third -; top three third other; } | design >three.wrtl
expect 0 "" weir rtl one.wrtl -p generate_verilog --folder shared
expect 1 "shared/sub.v: error: this file holds a module of the design 'one', and the one of 'two' differs" weir rtl also.wrtl -p generate_verilog --folder shared
nothing shared/two.v
grep -q 'x + ' shared/sub.v || fail "another design's module was replaced"
expect 0 "" weir rtl three.wrtl -p generate_verilog --folder shared # shares a module that is the same
sed 's/x + /x \& /' one.wrtl >changed.wrtl
expect 0 "" weir rtl changed.wrtl -p generate_verilog --folder shared # its own
sed 's/x - /x | /' changed.wrtl >again.wrtl
expect 1 "shared/other.v: error: this file holds a module of the design 'three'" weir rtl again.wrtl -p generate_verilog --folder shared

# --- modules of the library, and files of external modules ---
sed 's/^module library_modules/module weir_ram/' "$designs/library_modules.wrtl" >library.wrtl
expect 1 "'weir_ram' has the name of a module in '.*/weir_ram.v'" weir rtl library.wrtl --top weir_ram -o library.v
nothing library.v
cp "$E2E_SOURCE/rtl/stream/weir_fifo.v" fifo.v
sed 's|"rtl/stream/weir_fifo.v"|"fifo.v"|' "$designs/library_modules.wrtl" >outside.wrtl
expect 1 "fifo.v: error: this is the file of an external module" weir rtl outside.wrtl -o fifo.v
expect 1 "fifo.v: error: this is the file of an external module" weir rtl outside.wrtl -p verilog,generate_verilog{file=./fifo.v}
expect 1 "fifo.v: error: this is the file of an external module" weir rtl outside.wrtl -p save_design{file=fifo.v}
cmp fifo.v "$E2E_SOURCE/rtl/stream/weir_fifo.v" || fail "an external module was replaced"

# --- names that tools take for something else ---
one() { # INPUT MODULE BODY [DECLARATIONS]
    printf 'wrtl 1\nmodule %s {\n  input %s : 4\n  output y : 4\n%s  body {\n%s  }\n}\n' "$2" "$1" "${4:-}" "$3" >one.wrtl
}
for word in bool process mailbox wreal wire; do
    one $word t "    assign y = $word
"
    expect 1 "one.wrtl:3: error: port name '$word' in 't' is a reserved word" weir rtl one.wrtl -o one.v
    nothing one.v
done
one t t '    assign y = t
'
expect 1 "an item in the top module 't' has the module's name" weir rtl one.wrtl -o one.v
one x t '    function f {
      return f
    }
    assign y = f(x)
' '  function f : 4 (f : 4)
'
expect 1 "is a function that has a variable of its own name 'f'" weir rtl one.wrtl -o one.v
one x t '    function f {
      return W
    }
    assign y = f(x)
' '  parameter W = 4
  function f : 4 (W : 4)
'
expect 1 "is a function that has a variable by the name of the parameter 'W'" weir rtl one.wrtl -o one.v
one x t '    for i = 0 to 4 step 1 {
      assign y[i] = x[i]
    }
    assign z = i == 0
' '  output z : 1
  iterator i
'
expect 1 "is in no loop of the iterator 'i'" weir rtl one.wrtl -o one.v
nothing one.v
# Words of C++ are fine: only Verilator would warn of them.
one switch t '    assign y = switch
'
expect 0 "" weir rtl one.wrtl -o t.v
if command -v verilator >/dev/null; then expect 0 "" verilator --lint-only -Wall t.v; fi
finish
