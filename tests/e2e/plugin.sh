#!/bin/sh
# plugin.sh BUILD: user passes against the installed tree: the example of the installed README, compiled as it says and
# run; objects that must be refused; passes that crash or break the graph.
# test: -- %build
build=$1
name=plugin
. "$(dirname "$0")/lib.sh"
install_weir "$build"
mkdir elsewhere
cp "$models/mlp_qdq.onnx" elsewhere/model.onnx
cp "$models/digits_test.npz" elsewhere/
cd elsewhere
PATH=$work/prefix/bin:$PATH
export PATH
unset WEIR_DATA

# --- the example, word for word ---
page=$(find "$work/prefix" -name passes.md)
part() { awk -v title="## $1" -v fence="\`\`\`$2" '/^## /{ on = $0 == title } on && $0 == "```" { code = 0 }
    code; on && $0 == fence { code = 1 }' "$page"; }
part "Your own passes" c >mine.c
part "Your own passes" sh >commands
[ "$(wc -l <mine.c)" -ge 20 ] && [ "$(wc -l <commands)" -ge 2 ] || fail "the page has no example"
expect 0 "top module" sh -e commands
for node in mine_Gemm mine_DequantizeLinear_1 mine_QuantizeLinear_1; do
    grep -q "$node" named.weir && grep -q "$node" design/model.weir || fail "the example does not name a node '$node'"
done
expect 0 "" "$work/prefix/bin/weir" compile model.onnx -o plain
for file in design/rtl/*.hex; do # renamed nodes, same parameters
    cat "$file"
done | sort | cksum >ours
cat plain/rtl/*.hex | sort | cksum >theirs
cmp -s ours theirs || fail "the example changes parameters"
expect 0 "" weir eval model.onnx -d digits_test.npz -e float --load-pass ./libmine.so --passes name-nodes -o named.npy
expect 0 "" weir eval model.onnx -d digits_test.npz -e float -o plain.npy
cmp -s named.npy plain.npy || fail "the example changes results"
expect 0 "name-nodes .graph, level 1, exact.: names every node" weir passes --load-pass ./libmine.so
expect 0 "prefix: string, default my_: what names begin with" weir passes --load-pass ./libmine.so name-nodes
expect 0 "run name-nodes: asked for by itself" weir passes --load-pass ./libmine.so --explain name-nodes --level 0
expect 0 "skip name-nodes: level 1 > 0" weir passes --load-pass ./libmine.so --explain "graph(name-nodes)" --level 0
expect 0 "nodes named" weir opt --load-pass ./libmine.so -p 'graph(name-nodes)' --statistics model.onnx
expect 2 "did you mean 'prefix'" weir compile --load-pass ./libmine.so --passes 'name-nodes{prefx=a}' model.onnx -o bad
expect 2 "did you mean 'name-nodes'" weir compile --load-pass libmine.so --passes name-node model.onnx -o bad
expect 2 "unknown pass 'name-nodes'" weir compile --passes name-nodes model.onnx -o bad

# --- the example for hardware: two levels, of which the top has the input afterwards ---
part "Your own hardware passes" c >outward.c
part "Your own hardware passes" sh >commands
cat >design.wrtl <<'END'
wrtl 1
module leaf {
  attribute from_top
  input scan : 1
  input x : 4
  output y : 4
  body {
    assign y = (scan ? 4'h0 : x)
  }
}
module middle {
  input x : 4
  output y : 4
  instances {
    u_leaf : leaf
  }
  body {
    instance u_leaf {
      connect x = x
      connect y = y
    }
  }
}
module top {
  input x : 4
  output y : 4
  instances {
    u_middle : middle
  }
  body {
    instance u_middle {
      connect x = x
      connect y = y
    }
  }
}
END
expect 1 "'scan' of instance 'u_leaf'" weir rtl design.wrtl -o design.v
expect 0 "" sh -e commands
[ "$(grep -c '(scan)' design.v)" = 2 ] && [ "$(grep -c 'input  wire       scan' design.v)" = 3 ] ||
    fail "the example for hardware: $(grep scan design.v)"

# --- objects ---
object() { # NAME: compiles the C text of stdin
    cat >"$1.c"
    compile_plugin "$1.c" "lib$1.so"
}
refused() { # PATTERN OBJECT...: exit status 1, and no folder
    pattern=$1 options=
    shift
    for file; do options="$options --load-pass $file"; done
    # shellcheck disable=SC2086 # words
    expect 1 "$pattern" weir compile $options model.onnx -o bad
    [ ! -e bad ] || fail "a refused object leaves a folder: $*"
    # shellcheck disable=SC2086 # words
    expect 1 "$pattern" weir passes $options
}
refused "absent.so: error: no such file" ./absent.so
refused "model.onnx: error: cannot be loaded as a shared object: .*(ELF|header|short)" model.onnx
refused "error: cannot be loaded" .
refused "libmine.so: error: is loaded twice" ./libmine.so libmine.so
echo 'int some_other_name;' | object nothing
refused "libnothing.so: error: has no symbol 'weir_pass_plugin'" ./libnothing.so
echo 'int weir_nonesuch(void); int weir_pass_plugin(void) { return weir_nonesuch(); }' | object unknown
refused "undefined symbol: weir_nonesuch" ./libunknown.so
echo 'int weir_pass_plugin(int a) { return a * a + 1; }' | object function
refused "was not made by WEIR_PASS_PLUGIN" ./libfunction.so
sed 's/^WEIR_PASS_PLUGIN.*//' mine.c >old.c
echo 'const weir_pass_plugin_record weir_pass_plugin = {"weir 0.0.1 0123456789ab", add};' | cat old.c - | object older
refused "was compiled for 'weir 0.0.1 0123456789ab', expected 'weir [0-9.]+ [0-9a-f]+'" ./libolder.so
grep -q "note: compile it again" output || fail "no hint after a version clash"
sed 's/"name-nodes"/"quantize"/' mine.c | object clash
refused "'quantize' is registered twice" ./libclash.so
grep -q "note: the passes of './libclash.so'" output || fail "a name clash does not say where"
sed 's/libmine/libother/' mine.c | object other
refused "'name-nodes' is registered twice" ./libmine.so ./libother.so
sed 's/level = 1/level = 9/' mine.c | object level
refused "pass 'name-nodes' has level 9, expected 0 to 4" ./liblevel.so
sed 's/registry_add(registry, &info)/registry_find(registry, "nonesuch") != 0/' mine.c | object silent
refused "the passes of './libsilent.so' cannot be registered" ./libsilent.so
sed 's/\.level = 1/.requires = "nonesuch"/' mine.c | object requires
refused "nonesuch" ./librequires.so

# Linked with all of Weir, it still uses what is in the command.
if pkg-config --exists weir; then
    # shellcheck disable=SC2046 # words
    "${CC:-cc}" -shared -fPIC mine.c $(pkg-config --cflags --libs weir) -o libwhole.so || fail "linking with libweir"
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir weir) \
        expect 0 "" weir compile --load-pass ./libwhole.so --passes name-nodes model.onnx -o whole
    grep -q my_Gemm whole/model.weir || fail "an object linked with libweir does nothing"
fi

# --- passes that go wrong ---
# body NAME TEXT: the example with another body
body() { sed "s|weir_node_rename.*|$2|;s|name-nodes|$1|" mine.c | object "$1"; }
body crash '*(volatile int *)8 = 0;'
body abort '__builtin_trap();'
body deep 'return name_nodes(pass, context, graph) \&\& weir_graph_node_count(graph) > 0;' # a full stack
body leave '{ void exit(int); exit(0); }'
for pass in crash abort deep leave; do
    expect 1 "error: pass '$pass' on graph 'model' (crashed: |ended the program with status)" \
        weir compile --load-pass ./lib$pass.so --passes "$pass" model.onnx -o bad
    [ ! -e bad ] || fail "a pass that crashes leaves a folder"
done
cp -r design before
expect 1 "pass 'crash'" weir compile --load-pass ./libcrash.so --passes crash model.onnx -o design
diff -r before design >/dev/null || fail "a pass that crashes changes the folder of an earlier run"
for options in "" --no-verify-each --print-after-change; do
    # shellcheck disable=SC2086 # words
    expect 1 "error: pass 'crash' on graph 'model'" weir opt --load-pass ./libcrash.so -p crash $options model.onnx -o x.weir
done
expect 1 "error: pass 'crash' on graph 'model'" weir opt --load-pass ./libcrash.so -p 'graph(crash)' model.onnx -o x.weir
[ ! -e x.weir ] || fail "a pass that crashes leaves an output file"
expect 1 "pass 'crash'" weir check --load-pass ./libcrash.so --passes crash model.onnx -d digits_test.npz
expect 1 "pass 'crash'" weir eval --load-pass ./libcrash.so --passes crash model.onnx -d digits_test.npz
body disorder 'weir_graph_move_before(graph, weir_graph_last(graph), weir_graph_first(graph)); break;'
expect 1 "pass 'disorder'" weir compile --verify-each --load-pass ./libdisorder.so --passes disorder model.onnx -o bad
expect 1 "pass 'disorder'" weir opt --load-pass ./libdisorder.so -p disorder model.onnx
# Every Relu goes.
body drop 'if (weir_node_op(graph, node) == WEIR_OP_RELU) { weir_value_replace(graph, weir_node_output(graph, node, 0), weir_node_input(graph, node, 0)); }'
cp "$models/mlp_float.onnx" .
expect 0 "" weir opt --load-pass ./libdrop.so -p drop mlp_float.onnx -o x.weir
expect 1 "error: pass 'drop' changed what graph 'model' computes: output '[a-z0-9]+', element \[0,[0-9]\]: before -?[0-9.]+, after -?[0-9.]+" \
    weir opt --load-pass ./libdrop.so -p drop mlp_float.onnx --check-semantics -o y.weir
[ ! -e y.weir ] || fail "a wrong pass leaves an output file"
expect 3 "culprit: pass .3. drop on graph 'model'" \
    weir bisect --load-pass ./libmine.so --load-pass ./libdrop.so -p name-nodes,infer_type,drop,name-nodes mlp_float.onnx
expect 3 "culprit: pass .2. crash on graph 'model'" \
    weir bisect --load-pass ./libmine.so --load-pass ./libcrash.so -p name-nodes,crash,name-nodes mlp_float.onnx
expect 0 "" weir opt --load-pass ./libmine.so -p name-nodes mlp_float.onnx --check-semantics --check-unchanged -o x.weir
# A pass that breaks the lowering: nothing is written.
body plant 'if (weir_node_op(graph, node) == WEIR_OP_REQUANTIZE) { weir_node_set_int(graph, node, "high", 100); }'
whole=realize_requantize,choose_folding,insert_streams,size_fifos,verify_lowering,emit_verilog_top
mkdir lowered
expect 1 "model.onnx:[0-9]+: error: node '[a-zA-Z0-9_]+' [(].*[)]: expected [0-9.]+, found [0-9.]+ at element .0,[0-9]+. of '" \
    weir opt --load-pass ./libplant.so -p "lower_integer,graph(plant),$whole" model.onnx --folder lowered
grep -q "note: the lowered graph does not compute what the model computes" output && grep -q "note: generated frame [0-9]" output ||
    fail "a wrong lowering is not explained"
[ -z "$(ls lowered)" ] || fail "a wrong lowering is written"
body behind 'if (weir_node_op(graph, node) == WEIR_OP_SCALE_FLOAT) { weir_node_set_int(graph, node, "zero", 1); }'
expect 1 "found .*" weir opt --load-pass ./libbehind.so -p "lower_integer,realize_requantize,graph(behind),${whole#*,}" model.onnx
grep -q "a pass after lower_integer changed what is computed" output || fail "a wrong pass behind is not explained"
body liar 'weir_node_rename(graph, node, "a", "b"); weir_pass_unchanged(context);'
expect 1 "error: pass 'liar' reported no change, but it changed graph 'model'" \
    weir opt --load-pass ./libliar.so -p liar mlp_float.onnx --check-unchanged
body refuse 'return false;'
expect 1 "pass 'refuse' failed on graph 'model'" weir compile --load-pass ./librefuse.so --passes refuse model.onnx -o bad
body complain 'weir_error(WEIR_NOWHERE, "no such luck"); return false;'
expect 1 "error: no such luck" weir compile --load-pass ./libcomplain.so --passes complain model.onnx -o bad
finish
