#!/bin/sh
# own_component.sh BUILD PROTOC ONNX_PROTO_FOLDER: an operator of the user's own domain with its component, against the installed tree: the example
# of the installed page, compiled as it says, imported from ONNX, lowered, folded, simulated and reported; what must be refused.
# test: name=own_component seconds=900 cost=30 -- %build %protoc %onnx_proto
build=$1 protoc=$2 proto=$3
name=own_component
. "$(dirname "$0")/lib.sh"
install_weir "$build"
mkdir elsewhere
cd elsewhere
PATH=$work/prefix/bin:$PATH
export PATH
unset WEIR_DATA
weir() { command weir "$@"; }

page=$(find "$work/prefix" -name components.md)
part() { awk -v fence="\`\`\`$1" '/^## /{ on = $0 == "## Your own operator and component" } on && $0 == "```" { code = 0 }
    code; on && $0 == fence { code = 1 }' "$page"; }
part c >square.c
part verilog >example_square.v
part sh >commands
[ "$(wc -l <square.c)" -ge 50 ] && [ "$(wc -l <commands)" -ge 3 ] || fail "the page has no example"

# y = dequantize(quantize(square(dequantize(quantize(x))))) with scales 1/16 and 1/4: all of it is exact in float32.
cat >squares.textproto <<'END'
ir_version: 8
opset_import { version: 13 }
opset_import { domain: "example" version: 1 }
graph {
  name: "squares"
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 12 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 12 } } } } }
  initializer { name: "sx" data_type: 1 float_data: 0.0625 }
  initializer { name: "zx" data_type: 2 int32_data: 100 }
  initializer { name: "sy" data_type: 1 float_data: 0.25 }
  initializer { name: "zy" data_type: 2 int32_data: 3 }
  node { op_type: "QuantizeLinear" name: "qx" input: "x" input: "sx" input: "zx" output: "xq" }
  node { op_type: "DequantizeLinear" name: "dx" input: "xq" input: "sx" input: "zx" output: "xd" }
  node { op_type: "Square" domain: "example" name: "square" input: "xd" output: "s" }
  node { op_type: "QuantizeLinear" name: "qy" input: "s" input: "sy" input: "zy" output: "yq" }
  node { op_type: "DequantizeLinear" name: "dy" input: "yq" input: "sy" input: "zy" output: "y" }
}
END
encode() { "$protoc" --encode=onnx.ModelProto -I "$proto" "$proto/onnx.proto" <"$1.textproto" >"$1.onnx" || fail "protoc $1"; }
encode squares
# Frame i holds x = (12 i + j - 100) / 16 for j = 0 to 11: all codes once. By hand: code c stands for (c - 100) / 16, its square divided
# by 1/4 is (c - 100)^2 / 64, rounded half to even, plus 3, at most 255.
awk 'BEGIN { for (i = 0; i < 21; i++) for (j = 0; j < 12; j++) printf "%.4f%s", (12 * i + j - 100) / 16, j < 11 ? "," : "\n" }' >frames.csv
awk 'BEGIN { for (i = 0; i < 21; i++) for (j = 0; j < 12; j++) {
    v = (12 * i + j - 100) ^ 2 / 64; f = int(v); d = v - f
    y = f + (d > 0.5 || (d == 0.5 && f % 2)) + 3; if (y > 255) y = 255
    printf "%.2f%s", (y - 3) / 4, j < 11 ? "," : "\n" } }' >expected.csv
sed -i 's/frames\.npy/frames.csv/' commands
expect 0 "2 streams" sh -e commands
grep -q 'settings  stages' output || fail "weir components does not show the setting"
grep -q 'square  *example_square' output || fail "the report does not name the component"
grep -q 'square: x . x of codes' output || fail "weir components does not show it"

for engine in int float; do
    expect 0 "" weir eval --load-pass ./libsquare.so squares.onnx -d frames.csv -e $engine -o $engine.npy
    array_tool same $engine.npy expected.csv || fail "the $engine engine"
done
expect 0 "example_square" weir compile --load-pass ./libsquare.so squares.onnx -o design
cmp -s design/rtl/example_square.v example_square.v || fail "the folder lacks the component's Verilog"
expect 0 "0 of 252" weir sim --load-pass ./libsquare.so design -d frames.csv --simulator icarus -o sim.npy
array_tool same sim.npy expected.csv || fail "simulation"
expect 0 "zero point 100" weir show --load-pass ./libsquare.so design/hardware.weir
expect 0 "example.Square .*yes" weir operators --load-pass ./libsquare.so example.Square
if is_night && command -v yosys >/dev/null; then
    expect 0 "24 values compared, 0 wrong" weir synth --load-pass ./libsquare.so design --device ecp5-25k --frames 1
fi
expect 0 "" weir export --load-pass ./libsquare.so squares.onnx -o back.onnx
expect 0 "" weir eval --load-pass ./libsquare.so back.onnx -d frames.csv -o back.npy
cmp -s back.npy int.npy || fail "export and import change results"

# Its own setting: the folding file's goes into the text form, the report, the Verilog and the hardware's time, and nothing else changes.
expect 0 "zero point 100, stages 3" weir compile --load-pass ./libsquare.so squares.onnx -f stages.yaml -o staged
grep -q 'module=example_square stages=3 in_lanes=' staged/hardware.weir || fail "the text form does not carry the setting"
grep -q 'STAGES *(3)' staged/rtl/squares.v || fail "the hardware does not have the setting"
grep -q 'stages' design/hardware.weir && fail "a setting that is not set is printed"
expect 0 "" weir check --load-pass ./libsquare.so squares.onnx -d frames.csv --frames 3 --simulator icarus -f stages.yaml --json report.json
tr -d ' \n' <report.json | grep -q '"settings":{"stages":3}' || fail "the report does not have the setting"
again() { # FOLDER PASS: reads its hardware again
    echo "load_graph{load_dir=$1 graph=hardware},$2"
}
expect 0 "" weir opt --load-pass ./libsquare.so squares.onnx -p "$(again staged 'choose_folding,save_graph{save_dir=saved graph=hardware}')"
grep -q 'stages=3' saved/hardware.weir || fail "a text that is read loses the setting"
wrong_setting() { # PATTERN FOLDING
    echo "$2" >wrong.yaml
    expect 1 "$1" weir compile --load-pass ./libsquare.so squares.onnx -f wrong.yaml -o refused
}
wrong_setting "wrong.yaml:1: error: unknown setting 'stage' for node 'square'" 'nodes: {square: {stage: 3}}'
grep -q "^note: known settings: stages$" output || fail "the names that it has are not said"
wrong_setting "wrong.yaml:1: error: .*9" 'nodes: {square: {stages: 9}}'
wrong_setting "wrong.yaml:1: error: unknown setting 'simd' for node 'square'" 'nodes: {square: {simd: 1}}'
mkdir unknown && cp staged/hardware.npz unknown/
sed 's/stages=3/stage=3/' staged/hardware.weir >unknown/hardware.weir
for pass in emit_verilog_top choose_folding; do
    expect 1 "node 'square' .*: hardware: example_square has no setting 'stage'" \
        weir opt --load-pass ./libsquare.so squares.onnx -p "$(again unknown $pass)"
    grep -q "^note: its settings: stages$" output || fail "$pass: the text's refusal does not say the settings"
done
sed 's/stages=3/stages=9/' staged/hardware.weir >unknown/hardware.weir
expect 1 "node 'square' .*: stages is 9, expected 0 to 8" \
    weir opt --load-pass ./libsquare.so squares.onnx -p "$(again unknown emit_verilog_top)"

# A component that computes something else is found, and named.
sed 's/x \* x;/x * x + 1;/' example_square.v >wrong.v
mkdir wrong && cp libsquare.so wrong/ && mv wrong.v wrong/example_square.v
expect 3 "square" weir check --load-pass wrong/libsquare.so squares.onnx --data frames.csv --simulator icarus

# So is a lowering, by every command that lowers, before anything is written.
mkdir planted
sed 's/weir_node_set_int(l->to, made, "zero", zero);/weir_node_set_int(l->to, made, "zero", zero + 1);/' square.c >planted/square.c
! cmp -s square.c planted/square.c || fail "no fault was planted"
compile_plugin planted/square.c planted/libsquare.so
cp example_square.v planted/
mkdir lowered
for command in "eval -d frames.csv -o lowered/out.npy" "export --passes lower_integer -o lowered/out.onnx" "compile -o lowered/out" \
    "opt -p lower_integer -o lowered/out.weir" "opt -p lower_integer,realize_requantize -o lowered/out.weir" \
    "opt -p lower_integer,save_graph{save_dir=lowered}" "opt -p lower_integer,export_onnx{file=lowered/out.onnx}" \
    "opt -p runtime_analysis{engine=integer,data=frames.csv}" "check -d frames.csv --simulator icarus --json lowered/report.json"; do
    # shellcheck disable=SC2086 # words
    expect 1 "squares.onnx:[0-9]+: error: node 'square' .*: expected .*, found " \
        weir ${command%% *} --load-pass planted/libsquare.so squares.onnx ${command#* }
    [ -z "$(ls lowered)" ] || fail "${command%% *} writes what was lowered wrong"
done
expect 3 "culprit: pass .1. lower_integer" weir bisect --load-pass planted/libsquare.so squares.onnx -p lower_integer,realize_requantize

# A helper below it is found however its instance is written; a comment or a string is none.
mkdir helper && cp libsquare.so helper/
sed '/^  reg .*squares;/a\  example_twin /* one\n    of one */ #(.W(1))\n  // with parameters\n    twin (.a(1'"'"'b0));  // example_absent u_x' example_square.v >helper/example_square.v
printf '// Latency:   0 cycles.\nmodule example_twin #(parameter integer W = 1) (input wire [W-1:0] a);\nendmodule\n' >helper/example_twin.v
printf 'no Verilog\n' >helper/example_absent.v
expect 0 "" weir compile --load-pass helper/libsquare.so squares.onnx -o helped
[ -e helped/rtl/example_twin.v ] || fail "the helper was not found"
[ ! -e helped/rtl/example_absent.v ] || fail "a comment counts as an instance"
expect 0 "0 of 252" weir sim --load-pass helper/libsquare.so helped -d frames.csv --simulator icarus

# Its Verilog is missing, or is another module; a module below it has the name of one of ours, and is another one or the same. One
# error says so, and nothing that follows from it.
mkdir bare && cp libsquare.so bare/
one_error() {
    expect 1 "$1" weir compile --load-pass "$2/libsquare.so" squares.onnx -o refused
    [ "$(grep -c error: output)" -eq 1 ] || { fail "$2: not one error"; cat output >&2; }
}
one_error "bare/example_square.v: error: no such file, expected the Verilog of component 'square'" bare
sed 's/^module example_square/module example_other/' example_square.v >bare/example_square.v
one_error "bare/example_square.v: error: expected module 'example_square', as the file is called, found 'example_other'" bare
cp example_square.v bare/
cp "$work"/prefix/share/weir/rtl/stream/weir_register_slice.v bare/
expect 0 "" weir compile --load-pass bare/libsquare.so squares.onnx -o refused
echo '// changed' >>bare/weir_register_slice.v
one_error "bare/weir_register_slice.v: error: module 'weir_register_slice' is another one in '.*rtl/stream/weir_register_slice.v'" bare

# A component for an operator of ours takes the place of ours.
cat >fifo.c <<'END'
#include "dataflow/component.h"
#include "pass/core/plugin.h"
static weir_component_rules rules;
static weir_component fifo;
static bool add(weir_pass_registry *registry) {
    rules = *weir_component_for(WEIR_OP_FIFO)->rules;
    fifo = (weir_component){"example_fifo", "example_fifo", WEIR_OP_FIFO, "ours under another name", &rules};
    return weir_component_register(&fifo, weir_pass_registry_folder(registry));
}
WEIR_PASS_PLUGIN(add);
END
sed 's/weir_fifo/example_fifo/g' "$work"/prefix/share/weir/rtl/stream/weir_fifo.v >example_fifo.v
compile_plugin fifo.c libfifo.so
expect 0 "fifo +example_fifo" weir check --load-pass ./libfifo.so "$models/mlp_residual_qdq.onnx" --data "$test_data" --frames 1 \
    --simulator icarus
sed 's/rules = \*\(.*\);$/rules = *\1; rules.setting_count = 2;/' fifo.c >short.c
compile_plugin short.c libshort.so
expect 1 "'example_fifo' cannot be registered: it lacks a setting that the schedule finds for its operator" \
    weir components --load-pass ./libshort.so
expect 0 "fifo +weir_fifo" weir compile "$models/mlp_residual_qdq.onnx" -o ours

# Without the object, or with a wrong one.
expect 1 "squares.onnx:3: error: operator 'Square' of domain 'example' is not supported" weir import squares.onnx -o a.weir
grep -q "^note: an operator of your own comes with its shared object: --load-pass" output || fail "import: no remedy"
expect 1 "unknown operator 'example.SquareCodes'" weir sim design -d frames.csv
grep -q "^note: an operator of your own comes with its shared object: --load-pass" output || fail "sim: no remedy"
refused() {
    sed "$2" square.c >other.c
    compile_plugin other.c libother.so
    expect 1 "$1" weir components --load-pass ./libother.so
}
refused "operator 'weir.Square' cannot be registered: expected a domain of your own" 's/"example", "Square", "example.Square"/"weir", "Square", "weir.Square"/'
if is_night; then # the example compiled each time
    refused "cannot be registered: expected the full name DOMAIN.NAME" 's/"example.Square", 1/"Square", 1/'
    refused "cannot be registered: expected infer and kernel" 's/\.kernel = square,//'
    refused "component 'linear' cannot be registered: the name is in use" 's/"square", "example_square"/"linear", "example_square"/'
    refused "cannot be registered: its module is another component's" 's/"example_square", weir/"weir_mvu", weir/'
    refused "cannot be registered: expected names of settings in lower-case letters" 's/{"stages", WEIR/{"in_lanes", WEIR/'
    refused "cannot be registered: expected names of settings in lower-case letters" 's/{"stages", WEIR/{"Stages", WEIR/'
    refused "cannot be registered: it has more than 6 settings" 's/setting_count = 1/setting_count = 7/'
    refused "cannot be registered: expected timing and build" 's/\.timing = timing, //'
fi
sed 's/name: "square" input: "xd"/name: "square" attribute { name: "power" type: INT i: 3 } input: "xd"/' squares.textproto >attribute.textproto
encode attribute
expect 1 "node 'square' .example.Square.: unknown attribute 'power'" weir import --load-pass ./libsquare.so attribute.onnx -o a.weir
finish
