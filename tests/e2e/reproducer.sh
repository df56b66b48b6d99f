#!/bin/sh
# reproducer.sh BUILD: one file that runs a failure again: passes that fail, crash or break the graph, with the state just
# before them.
# test: -- %build
build=$1
name=reproducer
. "$(dirname "$0")/lib.sh"
install_weir "$build"
model=$models/mlp_qdq.onnx

cat >bad.c <<'END'
#include <stdlib.h>
#include <string.h>
#include "pass/core/plugin.h"

static bool crash(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)context;
    if (weir_graph_node_count(graph) >= (size_t)weir_pass_int(pass, "nodes")) *(volatile int *)8 = 0;
    return true;
}
static bool refuse(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context;
    weir_error(WEIR_NOWHERE, "graph '%s' has %zu nodes", weir_graph_name(graph), weir_graph_node_count(graph));
    return false;
}
static bool spoil(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context;
    weir_graph_move_before(graph, weir_graph_last(graph), weir_graph_first(graph));
    return true;
}
static bool leave(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass, (void)context, (void)module;
    exit(0);
}
static bool once(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context;
    bool first = strcmp(weir_graph_source(graph), "once") != 0;
    if (!first) weir_error(WEIR_NOWHERE, "a second time");
    weir_graph_set_source(graph, "once");
    return first;
}
static const weir_pass_option nodes[] = {{"nodes", WEIR_PASS_INT, "0", NULL, "crash from so many on"}, {.name = NULL}};
static const weir_pass_info infos[] = {
    {.name = "crash", .options = nodes, .kind = WEIR_PASS_GRAPH, .help = "h", .run.graph = crash},
    {.name = "deep", .options = nodes, .kind = WEIR_PASS_GRAPH, .level = 4, .help = "h", .run.graph = crash},
    {.name = "needs-deep", .kind = WEIR_PASS_GRAPH, .requires = "deep", .help = "h", .run.graph = spoil},
    {.name = "once", .kind = WEIR_PASS_GRAPH, .help = "h", .run.graph = once},
    {.name = "needs-once", .kind = WEIR_PASS_GRAPH, .requires = "once", .help = "h", .run.graph = refuse},
    {.name = "refuse", .kind = WEIR_PASS_GRAPH, .help = "h", .run.graph = refuse},
    {.name = "spoil", .kind = WEIR_PASS_GRAPH, .help = "h", .run.graph = spoil},
    {.name = "leave", .kind = WEIR_PASS_MODULE, .help = "h", .run.module = leave},
};
static bool add(weir_pass_registry *registry) {
    return weir_pass_registry_add_all(registry, infos, sizeof infos / sizeof *infos);
}
WEIR_PASS_PLUGIN(add);
END
compile_plugin bad.c bad.so
load="--load-pass ./bad.so"

# reproduced NAME PIPELINE KEPT TEXT [OPTION...]: PIPELINE fails with TEXT and leaves NAME.repro, which holds the
# pipeline KEPT and fails in the same words.
reproduced() {
    file=$1.repro pipeline=$2 kept=$3 text=$4
    shift 4
    # shellcheck disable=SC2086 # words
    expect 1 "$text" "$WEIR" opt $load "$model" -p "$pipeline" --reproducer "$file" "$@"
    [ -e "$file" ] && [ ! -e "$file.running" ] || { fail "no $file"; return; }
    grep -E "(error|note): " output | grep -v "runs it again" >first # a sanitizer has words of its own
    grep -q "^note: '$file' runs it again$" output || fail "nobody is told of $file"
    grep -Eqx "pipeline: (\"$kept\"|'$kept'|$kept)" "$file" || fail "$file: $(grep '^pipeline' "$file")"
    # shellcheck disable=SC2086 # words
    expect 1 "$text" "$WEIR" opt $load "$file"
    grep -q "^$file: pass '" output || fail "$file is run without saying what happened"
    grep -E "(error|note): " output | grep -v "^$file: " >second
    cmp -s first second || fail "$file fails differently: $(cat second)"
    cp "$file" again.repro
    # shellcheck disable=SC2086 # words
    expect 1 "$text" "$WEIR" opt $load again.repro --reproducer again.repro
    for one in "$file" again.repro; do grep -v '^    [A-Za-z0-9+/=]*$' "$one" >"$one.words"; done # order of constants
    cmp -s "$file.words" again.repro.words || fail "$file does not come back from itself"
}
went="(crashed: |ended the program with status)" # the latter under a sanitizer
crashed="error: pass 'crash' on graph 'model' $went"
reproduced crash crash crash "$crashed"
reproduced nested 'graph(once,crash)' crash "$crashed"
reproduced options 'crash{nodes=100},crash{nodes=17}' 'crash{nodes=17}' "$crashed"
reproduced level once,needs-deep deep "error: pass 'deep' on graph 'model' $went"
reproduced leave lower_integer,leave leave "pass 'leave' on module 'mlp_qdq' ended the program"
reproduced refuse refuse,print_ir refuse "error: graph 'model' has 17 nodes"
reproduced second lower_integer,refuse refuse "error: graph 'model' has 17 nodes" --disable quantize
reproduced holds needs-once needs-once "error: graph 'model' has 17 nodes" # 'once' is not run again
reproduced spoil spoil spoil "pass 'spoil' left graph 'model' invalid"
reproduced design compile,refuse compile,refuse "error: graph 'model' has 17 nodes" --folder made
reproduced settings refuse refuse "error: graph 'model' has 17 nodes" --level 1 --disable size_fifos
grep -qx "level: 1" settings.repro && grep -qx "disabled: \[size_fifos\]" settings.repro || fail "settings are not kept"
[ "$(grep -c '^- text:' nested.repro)" = 1 ] && [ "$(grep -c '^- text:' leave.repro)" = 2 ] || fail "the graphs kept"
grep -q 'graph "model" from "once"' nested.repro || fail "the state is not that before the pass"
grep -q 'graph "model" from "mlp_qdq.onnx"' options.repro || fail "the state is not that before the pass"
# shellcheck disable=SC2086 # words
expect 0 "" "$WEIR" opt $load spoil.repro --no-verify-each -o spoilt.weir
# shellcheck disable=SC2086 # words
expect 1 "graph 'model' has 17 nodes" "$WEIR" opt $load "$model" -p refuse --no-verify-each --reproducer loose.repro
grep -qx "verified: false" loose.repro || fail "--no-verify-each is not kept"
# shellcheck disable=SC2086 # words
expect 0 "" "$WEIR" opt $load loose.repro -p spoil
# shellcheck disable=SC2086 # words
expect 1 "pass 'spoil' left graph 'model' invalid" "$WEIR" opt $load loose.repro -p spoil --verify-each

# The graph in it is the graph: another pipeline on it gives what it gives on the model.
weir opt "$model" -p lower_integer -o wanted.weir
expect 0 "" "$WEIR" opt refuse.repro -p lower_integer -o found.weir
cmp wanted.weir found.weir && cmp wanted.npz found.npz || fail "a graph changes in the reproducer"

# Success leaves nothing, and an earlier reproducer alone.
cp refuse.repro kept.repro
expect 0 "" "$WEIR" opt "$model" -p lower_integer --reproducer kept.repro
cmp -s refuse.repro kept.repro && [ ! -e kept.repro.running ] || fail "success touches a reproducer"
echo stale >kept.repro.running
expect 1 "absent.onnx" "$WEIR" opt absent.onnx --reproducer kept.repro
cmp -s refuse.repro kept.repro || fail "what an earlier run left is taken for a reproducer"
expect 1 "error: " "$WEIR" opt "$model" -p lower_integer --reproducer absent/x.repro
expect 2 "unknown pass 'crash'" "$WEIR" opt crash.repro

# Passes that require each other.
sed 's/.name = "crash", .options/.name = "crash", .requires = "refuse", .options/; s/.name = "refuse",/& .requires = "crash",/' bad.c >cycle.c
compile_plugin cycle.c cycle.so
expect 1 "require each other in a cycle: crash -> refuse -> crash" "$WEIR" opt "$model" -p lower_integer --load-pass ./cycle.so

# Damaged files are bad input.
for size in 20 60 150 400 3000 20000; do
    head -c $size refuse.repro >cut.repro
    # shellcheck disable=SC2086 # words
    expect 1 "cut.repro.*: error: " "$WEIR" opt $load cut.repro
done
while read -r from to; do
    sed "s|$from|$to|" refuse.repro >bent.repro
    cmp -s refuse.repro bent.repro && fail "no '$from' in a reproducer"
    # shellcheck disable=SC2086 # words
    expect 1 "error: " "$WEIR" opt $load bent.repro
done <<'END'
^level:.* level: 9
^level:.* level: high
^required:.* required: 3
^required:.* required: [nonesuch]
^disabled:.* disabled: [[]]
^config:.* config: {nonesuch: '1'}
^config:.* config: {nonesuch: 1}
^config:.* config: []
^holds:.* holds: {}
^module:.* module: []
^graphs: nothing:
^properties: nothing:
UEsDB UEsDC
constants:.* constants: '!'
weir.1 weir 2
QuantizeLinear Nonesuch
END
finish
