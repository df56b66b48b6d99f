/* What the pass manager costs, printed for scripts/bench: nanoseconds an empty pass in several settings, and the time
 * of the pipeline `default` on graphs of growing size. passes [NODES]...; processor time, medians. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/pass_stubs.h"
#include "ir/shape/infer.h"
#include "pass/run/instrument.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { RUNS = 9, EMPTY_PASSES = 1000 };

static double median(double *times) {
    qsort(times, RUNS, sizeof *times, ascending);
    return times[RUNS / 2];
}

static void must(bool ok) {
    if (!ok) exit(EXIT_FAILURE);
}

/* --- empty passes --- */
static const weir_pass_info empty[] = {
    {.name = "nothing", .kind = WEIR_PASS_GRAPH, .run = {.graph = keep_graph}},
    {.name = "silent", .kind = WEIR_PASS_GRAPH, .run = {.graph = touch_graph}},
    {.name = "needs", .kind = WEIR_PASS_GRAPH, .requires = "nothing", .preserves = "*", .run = {.graph = touch_graph}},
    {.name = "of-module", .kind = WEIR_PASS_MODULE, .run = {.module = touch_module}},
};

static weir_pass *many(weir_pass_registry *registry, weir_pass_kind kind, const char *name) {
    weir_pass *sequence = weir_pass_sequence_new(kind, NULL, 0);
    for (int i = 0; i < EMPTY_PASSES; i++) must(weir_pass_sequence_add(sequence, weir_pass_new(registry, name)));
    return sequence;
}

static void empty_row(const char *title, weir_pass_kind kind, const char *name, weir_pass_instrument *instrument) {
    weir_pass_registry *registry = weir_pass_registry_new();
    must(weir_passes_register(registry) && weir_pass_registry_add_all(registry, empty, sizeof empty / sizeof *empty));
    weir_pass_context *context = weir_pass_context_new(registry);
    if (instrument != NULL) weir_pass_context_add_instrument(context, instrument);
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, weir_graph_new("main"));
    weir_pass *pass = many(registry, kind, name);
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const int repeats = 50;
        double start = seconds();
        for (int i = 0; i < repeats; i++) must(weir_pass_run(context, pass, module));
        times[run] = (seconds() - start) / repeats / EMPTY_PASSES;
    }
    printf("  %-40s %8.0f ns\n", title, median(times) * 1e9);
    weir_pass_free(pass);
    weir_module_free(module);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
    weir_pass_instrument_free(instrument);
}

/* --- graphs --- */
static weir_value add(weir_graph *graph, weir_op op, size_t count, const weir_value *inputs) {
    weir_node node = weir_graph_add_node(graph, op, "n", inputs, count, 1, WEIR_NO_NODE);
    must(weir_infer_node(graph, node));
    return weir_node_output(graph, node, 0);
}

static weir_value add_constant(weir_graph *graph, const double *values) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {2, 2}});
    for (size_t i = 0; i < 4; i++) weir_array_set(array, i, values[i]);
    weir_value value = weir_graph_add_constant(graph, "c", array);
    weir_array_free(array);
    return value;
}

/* Ten nodes in which every pass finds something: constants to fold, a node twice, views that cancel, a dead one. */
static weir_value add_block(weir_graph *graph, weir_value x, weir_value c) {
    weir_value twice = add(graph, WEIR_OP_ADD, 2, (weir_value[]){c, c});
    weir_value sum = add(graph, WEIR_OP_ADD, 2, (weir_value[]){x, twice});
    weir_value one = add(graph, WEIR_OP_RELU, 1, &sum), other = add(graph, WEIR_OP_RELU, 1, &sum);
    weir_value both = add(graph, WEIR_OP_ADD, 2, (weir_value[]){one, other});
    weir_value view = add(graph, WEIR_OP_TRANSPOSE, 1, &both);
    view = add(graph, WEIR_OP_TRANSPOSE, 1, &view);
    add(graph, WEIR_OP_RELU, 1, &both);
    weir_value product = add(graph, WEIR_OP_MATMUL, 2, (weir_value[]){view, c});
    return add(graph, WEIR_OP_IDENTITY, 1, &product);
}

static weir_graph *make_graph(size_t nodes) {
    weir_graph *graph = weir_graph_new("main");
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = {2, {2, 2}}, .quant = {.axis = -1}};
    weir_value x = weir_graph_add_input(graph, "x", &type), c = add_constant(graph, (const double[]){1, 2, 3, 4});
    while (weir_graph_node_count(graph) < nodes) x = add_block(graph, x, c);
    weir_graph_add_output(graph, "y", x);
    return graph;
}

static double time_of(weir_pass_registry *registry, const weir_graph *graph, int level, bool verify, size_t *left) {
    weir_pass_instrument *verifier = verify ? weir_pass_verifier_new() : NULL;
    weir_pass *pass = weir_pass_parse(registry, "default", WEIR_NOWHERE);
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        weir_module *module = weir_module_new("m");
        weir_module_add_graph(module, weir_graph_copy(graph));
        weir_pass_context *context = weir_pass_context_new(registry);
        must(weir_pass_context_set_level(context, level));
        if (verify) weir_pass_context_add_instrument(context, verifier);
        double start = seconds();
        must(weir_pass_run(context, pass, module));
        times[run] = seconds() - start;
        *left = weir_graph_node_count(weir_module_graph(module, 0));
        weir_pass_context_free(context);
        weir_module_free(module);
    }
    weir_pass_free(pass);
    weir_pass_instrument_free(verifier);
    return median(times);
}

static void pipeline_rows(int count, char **sizes) {
    static char *const usual[] = {"1000", "10000", "100000"};
    weir_pass_registry *registry = weir_pass_registry_new();
    must(weir_passes_register(registry));
    double before = 0;
    size_t nodes_before = 0;
    printf("  %-10s %10s %12s %15s %12s %16s\n", "nodes", "left at 3", "level 2", "verified each", "level 3",
           "growth a node");
    for (int i = 0; i < (count > 0 ? count : 3); i++) {
        weir_graph *graph = make_graph((size_t)strtoull(count > 0 ? sizes[i] : usual[i], NULL, 10));
        size_t nodes = weir_graph_node_count(graph), left;
        double plain = time_of(registry, graph, 2, false, &left), verified = time_of(registry, graph, 2, true, &left);
        double costly = time_of(registry, graph, 3, false, &left);
        printf("  %-10zu %10zu %9.2f ms %12.2f ms %9.2f ms", nodes, left, plain * 1e3, verified * 1e3, costly * 1e3);
        if (i > 0) printf(" %14.2fx\n", costly / before / ((double)nodes / (double)nodes_before));
        else printf("\n");
        before = costly;
        nodes_before = nodes;
        weir_graph_free(graph);
    }
    weir_pass_registry_free(registry);
}

int main(int argc, char **argv) {
    printf("An empty pass: median of %d runs of %d passes\n", RUNS, EMPTY_PASSES);
    empty_row("in a sequence over modules", WEIR_PASS_MODULE, "of-module", NULL);
    empty_row("over one graph", WEIR_PASS_GRAPH, "nothing", NULL);
    empty_row("over one graph, results do not hold after", WEIR_PASS_GRAPH, "silent", NULL);
    empty_row("with a requirement that holds", WEIR_PASS_GRAPH, "needs", NULL);
    empty_row("under the timing instrument", WEIR_PASS_GRAPH, "nothing", weir_pass_timing_new());
    empty_row("under the verifier (of an empty graph)", WEIR_PASS_GRAPH, "nothing", weir_pass_verifier_new());
    printf("\nPipeline default on graphs made of ten-node blocks: median of %d runs\n", RUNS);
    pipeline_rows(argc - 1, argv + 1);
    return EXIT_SUCCESS;
}
