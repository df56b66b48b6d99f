#!/bin/sh
# `weir opt` and `weir passes`: what comes out, every switch, bad usage.
name=opt
. "$(dirname "$0")/lib.sh"
model=$models/mlp_qdq.onnx
steps=lower_integer,realize_requantize,choose_folding

# opt INPUT ...: stdout in ./out, stderr in ./err.
opt() { weir opt "$@" >out 2>err; }
has() { grep -Eq -e "$2" "$1" || fail "no '$2' in $1: $(head -5 "$1")"; }
lacks() { ! grep -Eq -e "$2" "$1" || fail "'$2' in $1"; }

# --- the result ---
weir import "$model" -o plain.weir
opt "$model" || fail "nothing to do"
cmp out plain.weir || fail "a graph changes without passes"
[ ! -s err ] || fail "words without need"
opt plain.weir -p '' -o same.weir && cmp same.weir plain.weir && cmp same.npz plain.npz || fail "text IR does not come back"
opt "$model" -p lower_integer -o integer.weir && [ ! -s out ] || fail "-o writes to stdout too"
weir compile "$model" -o design >/dev/null
cmp integer.weir design/integer.weir && cmp integer.npz design/integer.npz || fail "opt and compile lower differently"
opt "$model" -p "$steps" --graph integer && cmp out integer.weir || fail "--graph takes another graph"
opt "$model" -p "$steps" --graph model && cmp out plain.weir || fail "the imported graph lost its name"
opt "$model" -p "$steps" -s choose_folding.max-macs=1 && has out 'simd=1 pe=1'
opt "$model" -p "$steps" && lacks out 'simd=1 pe=1'
opt "$model" -p compile --folder made >/dev/null && diff -r made/rtl design/rtl || fail "--folder is not where passes write"

# --- MASE's function names ---
opt "$model" -p report_node_type -o report.weir && mv err short
opt "$model" -p report_node_type_analysis_pass -o report.weir && cmp err short || fail "MASE's name of a pass is another pass"
expect 2 "unknown pass 'report_node_type_pass'" weir opt "$model" -p report_node_type_pass

# --- levels: a pass asked for by itself runs, a pipeline says what it leaves out ---
opt "$model" -p canonicalize_ops --statistics && lacks err 'leaves out'
opt "$model" -p canonicalize_ops,dead_code_elimination
has err '^note: level 2 leaves out passes above it: canonicalize_ops .3.$'
opt "$model" -p canonicalize_ops,dead_code_elimination --level 3 && lacks err 'leaves out'

# --- instruments ---
opt "$model" -p "$steps" --timing --statistics --explain
has err '^run lower_integer: level 0 <= 2$'
has err ' lower_integer$'
opt "$model" -p "$steps" --timing-json times.json && [ "$(grep -o '"pass": "[a-z_]*"' times.json | tr '\n' ' ')" = \
    '"pass": "pipeline" "pass": "lower_integer" "pass": "realize_requantize" "pass": "choose_folding" ' ] ||
    fail "--timing-json: $(cat times.json)"
[ ! -s err ] || fail "--timing-json writes to stderr"
opt "$model" -p lower_integer --info json -o records.weir && [ "$(cat out)" = "[]" ] && cmp records.weir integer.weir ||
    fail "--info without records"
opt "$model" -p 'print_ir{header="at first"},lower_integer' && has err '^print_ir\(at first\):$' && cmp out integer.weir ||
    fail "print_ir"
opt "$model" -p "$steps" --disable realize_requantize,choose_folding --explain && cmp out integer.weir || fail "--disable"
has err '^skip realize_requantize: disabled$'
for when in before after; do
    opt "$model" -p "$steps" --print-$when all
    [ "$(grep -c "^\*\*\* $when " err)" = 3 ] || fail "--print-$when all: $(grep '^\*\*\*' err)"
    opt "$model" -p "$steps" --print-$when lower_integer,choose_folding
    [ "$(grep "^\*\*\*" err)" = "*** $when lower_integer on module 'mlp_qdq'
*** $when choose_folding on module 'mlp_qdq'" ] || fail "--print-$when NAMES: $(grep '^\*\*\*' err)"
done
opt "$model" -p "$steps" --print-before lower_integer && lacks err 'weir.Linear' && has err 'DequantizeLinear'
opt "$model" -p "$steps" --print-after lower_integer && has err 'weir.Linear'
opt "$model" -p lower_integer --print-after-change && has err '^\+fc1: .*weir.Linear' && lacks err '^ fc1: '
opt "$model" -p lower_integer --print-after-change --change-style text && has err '^fc1: .*weir.Linear'
opt "$model" -p "" --print-after-change && [ ! -s err ] || fail "no change, but words"
opt "$model" -p "$steps" --dump dump
[ "$(ls dump | tr '\n' ' ')" = "001_lower_integer.txt 002_realize_requantize.txt 003_choose_folding.txt weir.manifest " ] ||
    fail "--dump: $(ls dump)"
for limit in -1 0 1 2 3 4; do
    opt "$model" -p "$steps" --bisect-limit $limit --graph model
    runs=$limit
    [ $limit -ge 0 ] && [ $limit -le 3 ] || runs=3
    i=0
    for pass in lower_integer realize_requantize choose_folding; do
        i=$((i + 1)) not=
        [ $i -le $runs ] || not="NOT "
        echo "BISECT: ${not}running pass ($i) $pass on module 'mlp_qdq'"
    done >wanted
    cmp err wanted || fail "--bisect-limit $limit: $(cat err)"
done
opt "$model" -p "$steps" --bisect-limit 1 && cmp out integer.weir || fail "the first pass only"
opt "$model" -p "$steps" --bisect-limit 0 --require lower_integer && cmp out integer.weir || fail "required passes are exempt"
lacks err lower_integer

# --- failures ---
expect 1 "pass 'realize_requantize' requires the form 'integer_graph'" "$WEIR" opt "$model" -p realize_requantize -o new.weir --print-after-failure
grep -q "^\*\*\* after failing realize_requantize on module 'mlp_qdq'$" output || fail "--print-after-failure"
[ ! -e new.weir ] || fail "a failed run writes"
expect 1 "absent.onnx: error" "$WEIR" opt absent.onnx
expect 2 "INPUT is missing" "$WEIR" opt
expect 2 "too many operands" "$WEIR" opt a b
expect 2 "did you mean 'lower_integer'" "$WEIR" opt "$model" -p lower_intger
expect 2 "did you mean 'lower_integer'" "$WEIR" opt "$model" --print-after lower_intger
expect 2 "did you mean 'lower_integer'" "$WEIR" opt "$model" --disable lower_intger
expect 2 "did you mean 'lower_integer'" "$WEIR" opt "$model" --require lower_intger
expect 2 "did you mean 'lower_integer'" "$WEIR" opt "$model" -p lower_integer -s lower_intger.x=1
expect 2 "'weir opt --help'" "$WEIR" opt "$model" -p lower_integer -s lower_integer
expect 2 "has no option 'x'" "$WEIR" opt "$model" -p 'lower_integer{x=1}'
expect 2 "must be one of 'int8', 'fixed'" "$WEIR" opt "$model" -p 'quantize{scheme=4}'
expect 2 "must be an integer from 1" "$WEIR" opt "$model" -p 'choose_folding{max-macs=0}'
expect 2 "must be an integer" "$WEIR" opt "$model" -p 'choose_folding{max-macs=many}'
expect 2 "from 0 to 4, found 5" "$WEIR" opt "$model" --level 5
expect 2 "expected KEY=VALUE" "$WEIR" opt "$model" --config nonsense
expect 2 "no option 'nonsense'" "$WEIR" opt "$model" --config nonsense=1
expect 2 "expected diff or text" "$WEIR" opt "$model" --change-style html
expect 2 "cannot be combined with" "$WEIR" opt "$model" --verify-each --no-verify-each
expect 2 "expected json or text" "$WEIR" opt "$model" --info html
expect 1 "error: " "$WEIR" opt "$model" --timing-json absent/times.json
expect 2 "whole number from -1 to 4294967295, found '-2'" "$WEIR" opt "$model" --bisect-limit -2
expect 2 "did you mean 'integer'" "$WEIR" opt "$model" -p lower_integer --graph integr
expect 2 "the last graph is 'integer'" "$WEIR" opt "$model" -p lower_integer --graph xyzzy

# --- what passes do to results ---
whole=lower_integer,realize_requantize,choose_folding,insert_streams,size_fifos
for name in mlp_qdq mlp_qoperator mlp_qonnx_w4a4 mlp_bipolar mlp_residual_qdq_relu; do
    expect 0 "" "$WEIR" opt "$models/$name.onnx" -p $whole --check-semantics --samples 50 --check-unchanged -o checked.weir
done
expect 0 "" "$WEIR" opt "$models/mlp_float.onnx" -p "quantize{calibration=$models/digits_calib.npz},$whole" -c -o checked.weir
expect 2 "number of at least 0, found '-1'" "$WEIR" opt "$model" -c --tolerance -1
expect 2 "number of at least 0, found 'nan'" "$WEIR" opt "$model" -c --tolerance nan
expect 2 "number of at least 0, found '1e-3x'" "$WEIR" opt "$model" -c --tolerance=1e-3x

# --- emission as passes, with the folder and the name of the top as MASE has them ---
emit="lower_integer,set_target,realize_requantize,partition,choose_folding,insert_streams,size_fifos"
emit="$emit,emit_verilog_top_transform_pass{project_dir=project,top_name=TOP},emit_bram_transform_pass{project_dir=project},emit_internal_rtl,emit_verilog_tb"
expect 0 "" "$WEIR" opt "$model" -p "$(echo "$emit" | sed s/TOP/net_of_mine/)" -o emitted.weir
[ -f project/rtl/net_of_mine.v ] && [ -f project/tb/tb.v ] || fail "not in the project's folder: $(find project)"
ls project/rtl/*.hex >/dev/null || fail "no parameter memories in the project's folder"
iverilog -g2005 -t null project/rtl/*.v || fail "the project does not elaborate"
expect 1 "top_name 'tb' is the name of the bench" "$WEIR" opt "$model" -p "$(echo "$emit" | sed s/TOP/tb/)" -o emitted.weir
expect 1 "'project_dir' is set, but the command has a folder of its own" "$WEIR" compile "$model" -o compiled -s emit_bram.project_dir=other
[ ! -e compiled ] && [ ! -e other ] || fail "something was written"

# --- passes ---
expect 0 "^lower_integer \(module, level 0" "$WEIR" passes
for pass in $(grep -o 'WEIR_PASS([A-Z]*, [a-z_0-9]*, "[a-z_0-9]*"' "$E2E_SOURCE/passes/pass.def" | sed 's/.*"\(.*\)"/\1/'); do
    grep -q "^$pass (" output || fail "'$pass' is not listed"
done
expect 0 "^        max-macs: int 1..[0-9]*, default 64: " "$WEIR" passes choose_folding
expect 0 "^run lower_integer: level 0 <= 2$" "$WEIR" passes --explain compile
expect 0 "^skip lower_integer: disabled$" "$WEIR" passes --explain compile --disable lower_integer
expect 0 "^run lower_integer: required by the context$" "$WEIR" passes --explain compile --require lower_integer
expect 0 '^  "level": 0,$' "$WEIR" passes choose_folding --json
expect 0 '^ +"name": "runtime_analysis",$' "$WEIR" passes --json
expect 0 '^    "why": "level 0 <= 2"$' "$WEIR" passes --explain compile --json
expect 2 "did you mean 'lower_integer'" "$WEIR" passes lower_intger
expect 2 "did you mean 'lower_integer'" "$WEIR" passes lower_intger --json
expect 2 "cannot be combined with NAME" "$WEIR" passes lower_integer --explain compile
expect 2 "did you mean 'lower_integer'" "$WEIR" passes --explain lower_intger
for command in opt passes; do
    expect 0 "usage: weir $command" "$WEIR" $command --help
    expect 2 "unknown option '--frobnicate'" "$WEIR" $command --frobnicate
done
finish
