#!/bin/sh
# bisect.sh BUILD: `weir bisect` finds planted faults by itself, and nothing where there is none.
# test: -- %build
build=$1
name=bisect
. "$(dirname "$0")/lib.sh"
install_weir "$build"
model=$models/mlp_float.onnx

cat >faults.c <<'END'
#include <stdlib.h>
#include <string.h>
#include "pass/core/plugin.h"

/* Sets an attribute of the first Gemm: other results, whatever the pass promises. */
static void scale(weir_graph *graph, const char *attribute, double value) {
    weir_node node = weir_graph_first(graph);
    while (strcmp(weir_node_info(graph, node)->name, "Gemm") != 0) node = weir_node_next(graph, node);
    weir_node_set_float(graph, node, attribute, value);
}
static bool nothing(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context, (void)graph;
    return true;
}
static bool twice(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)context;
    scale(graph, "alpha", weir_pass_real(pass, "by"));
    return true;
}
static bool bias(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context;
    scale(graph, "beta", 0.5);
    return true;
}
static bool crash(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context, (void)graph;
    *(volatile int *)8 = 0;
    return true;
}
static bool spoil(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context;
    weir_graph_move_before(graph, weir_graph_last(graph), weir_graph_first(graph));
    return true;
}
static const weir_pass_option by[] = {{"by", WEIR_PASS_REAL, "2", NULL, "factor"}, {.name = NULL}};
static const weir_pass_info infos[] = {
    {.name = "nothing", .kind = WEIR_PASS_GRAPH, .help = "h", .run.graph = nothing},
    {.name = "needs-nothing", .kind = WEIR_PASS_GRAPH, .requires = "nothing", .help = "h", .run.graph = nothing},
    {.name = "lie", .options = by, .kind = WEIR_PASS_GRAPH, .help = "h", .run.graph = twice},
    {.name = "rough", .options = by, .kind = WEIR_PASS_GRAPH, .promise = WEIR_PASS_APPROXIMATE, .help = "h", .run.graph = twice},
    {.name = "train", .kind = WEIR_PASS_GRAPH, .promise = WEIR_PASS_CHANGES, .help = "h", .run.graph = bias},
    {.name = "crash", .kind = WEIR_PASS_GRAPH, .help = "h", .run.graph = crash},
    {.name = "spoil", .kind = WEIR_PASS_GRAPH, .help = "h", .run.graph = spoil},
};
static bool add(weir_pass_registry *registry) {
    return weir_pass_registry_add_all(registry, infos, sizeof infos / sizeof *infos);
}
WEIR_PASS_PLUGIN(add);
END
compile_plugin faults.c faults.so

# bisect STATUS TEXT PIPELINE [OPTION...]
bisect() {
    status=$1 text=$2 pipeline=$3
    shift 3
    expect "$status" "$text" "$WEIR" bisect --load-pass ./faults.so "$model" -p "$pipeline" "$@"
}
culprit() { # PASS NUMBER PIPELINE [OPTION...]
    who="^culprit: pass \($2\) $1 on graph 'model'\$" pipeline=$3
    shift 3
    bisect 3 "$who" "$pipeline" "$@"
}

# --- nothing to find ---
for healthy in nothing nothing,nothing,needs-nothing train 'lie{by=1},train,nothing' 'rough{by=1.00001}'; do
    bisect 0 "^first [0-9]+ of [0-9]+: right\$" "$healthy"
done
bisect 0 right quantize,compile -s "quantize.calibration=$models/digits_calib.npz"
for quantized in mlp_qdq mlp_qonnx_w4a4 mlp_residual_qdq; do
    expect 0 '^first ([0-9]+) of \1: right$' "$WEIR" bisect "$models/$quantized.onnx" -p compile
    expect 0 "^no culprit\$" "$WEIR" bisect "$models/$quantized.onnx" -p compile
    expect 0 '^first ([0-9]+) of \1: right$' "$WEIR" bisect "$models/$quantized.onnx" -p compile --data "$test_data"
done
[ -z "$(find . -path ./prefix -prune -o -name '*.v' -print)" ] || fail "passes write here"

# --- a fault at each place of ten ---
for place in 1 2 3 4 5 6 7 8 9 10; do
    pipeline=
    for i in 1 2 3 4 5 6 7 8 9 10; do
        pass=nothing
        [ $i -ne $place ] || pass=lie
        pipeline=$pipeline,$pass
    done
    culprit lie $place "${pipeline#,}"
    grep -q '^\*\*\* lie on graph .model.$' output && grep -q '^+fc1: .*alpha = float 2' output || fail "no change is shown"
    grep -Eq "^output 'logits', element \[0,[0-9]\]: before " output || fail "the first difference is not shown"
    [ "$(grep -c '^first' output)" -le 6 ] || fail "more questions than halving needs"
done

# --- kinds of faults ---
culprit lie 3 nothing,needs-nothing,lie # its requirement holds
culprit lie 3 'needs-nothing,lie,needs-nothing,nothing'
culprit lie 4 nothing,train,nothing,lie,nothing
culprit lie 1 lie,train,nothing,train # hidden behind passes that change results on purpose
culprit lie 3 'nothing,train,lie,train,lie{by=1}'
culprit rough 2 'nothing,rough,nothing'
culprit lie 1 'lie{by=1.00001}'
bisect 0 right 'lie{by=1.00001}' --tolerance 1e-4
bisect 0 right 'lie{by=2}' --tolerance 10
culprit crash 2 'nothing,crash,nothing'
grep -Eq "pass 'crash' on graph 'model' (crashed: |ended the program with status)" output || fail "the crash is not named"
culprit spoil 2 'nothing,spoil,nothing'
grep -q "pass 'spoil' fails: " output || fail "what the verifier finds is not told"
bisect 3 "^culprit: pass \(2\) realize_requantize on module 'mlp_float'\$" nothing,realize_requantize
culprit lie 2 'nothing,lie' --level 0 --data "$test_data"
culprit lie 1 'nothing,lie' --disable nothing
culprit lie 1 'nothing,lie' --require nothing # not numbered, always run
culprit lie 1 'lie{by=1}' -s lie.by=3
culprit lie 2 'graph(nothing,lie,nothing)' --samples 1 --seed 7

# --- other questions ---
culprit lie 2 nothing,lie,nothing --check '! grep -q "alpha = float 2" {}'
culprit train 3 nothing,lie,train --check 'test -e {} && ! grep -q "beta = float 0.5" {}'
bisect 0 right nothing,lie --check 'test "$(head -n 1 {})" = "weir 1" && test -e "$(dirname {})/cut.npz"'
bisect 1 "wrong before any pass" nothing --check false
bisect 3 "^what is wrong\$" lie --check '! grep -q "alpha = float 2" {} || { echo what is wrong; exit 1; }'

# --- bad usage, bad input ---
expect 0 "usage: weir bisect" "$WEIR" bisect --help
expect 2 "INPUT is missing" "$WEIR" bisect -p nothing
expect 2 "p TEXT is missing" "$WEIR" bisect "$model"
expect 2 "unknown option '--frobnicate'" "$WEIR" bisect --frobnicate
bisect 2 "cannot be combined with --data" nothing --check true --data "$test_data"
bisect 2 "did you mean 'nothing'" nothin
bisect 2 "no pass that could be skipped" ""
bisect 2 "no pass that could be skipped" 'graph(lie)' --level 0 --disable lie
bisect 1 "absent.npz" nothing --data absent.npz
expect 1 "absent.onnx" "$WEIR" bisect absent.onnx -p lower_integer
expect 3 "note: temporary files are in '/[a-z/]*': '$work/nowhere' is not a folder" env TMPDIR="$work/nowhere" "$WEIR" bisect "$model" -p lower_integer
finish
