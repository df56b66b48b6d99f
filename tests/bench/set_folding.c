/* The best folding against a greedy one in the manner of FINN's SetFolding (Xilinx/finn,
 * transformation/fpgadataflow/set_folding.py): each layer raises SIMD until it meets a target or its stream of weights
 * gets wider than 36 bits, then PE; where some layer missed the target, all are folded again for what was reached.
 *
 * set_folding DEVICE MODEL...: a line a model. The greedy folding is that for the smallest target which fits the
 * device; beside it the best of all that fit, and the best of those that take no more of anything than the greedy one.
 * Exit status 1 when that is slower. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/folding.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "dse/folding/folding_search.h"
#include "dse/folding/folding_space.h"
#include "frontend/import/onnx.h"
#include "pass/core/context.h"
#include "pass/core/pass.h"
#include "pass/core/registry.h"
#include "passes/interface/interface.h"
#include "passes/passes.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

enum { RESOURCES = WEIR_KNAPSACK_RESOURCES, WEIGHT_STREAM = 36 };

typedef struct design {
    int64_t interval, use[RESOURCES];
    bool fits;
} design;

static bool sets_pace(const weir_graph *graph, weir_node node) {
    const weir_component *component = weir_component_of(graph, node);
    return component != NULL && component->rules->foldings != NULL;
}

/* --- greedy --- */

typedef struct foldings {
    const weir_graph *graph;
    weir_node node;
    weir_meta_hardware *item;
    size_t count, capacity;
} foldings;

static void collect(void *user, const weir_meta_hardware *settings) {
    foldings *f = user;
    f->item = weir_grow(f->item, &f->capacity, f->count + 1, sizeof *f->item);
    f->item[f->count] = *settings;
    weir_component_of(f->graph, f->node)->rules->derive(f->graph, f->node, &f->item[f->count++]);
}

static int64_t simd_of(const weir_meta_hardware *folding) { return weir_settings_get(&folding->settings, "simd"); }
static int64_t pe_of(const weir_meta_hardware *folding) { return weir_settings_get(&folding->settings, "pe"); }

static int by_size(const void *a, const void *b) {
    const weir_meta_hardware *x = a, *y = b;
    if (pe_of(x) != pe_of(y)) return pe_of(x) < pe_of(y) ? -1 : 1;
    return simd_of(x) < simd_of(y) ? -1 : simd_of(x) > simd_of(y);
}

/* SIMD at the smallest PE, then PE at that SIMD. */
static weir_meta_hardware greedy(const weir_graph *graph, weir_node node, int64_t target) {
    foldings f = {.graph = graph, .node = node};
    weir_component_of(graph, node)
        ->rules->foldings(graph, node, &weir_node_metadata_of(graph, node)->hardware, collect, &f);
    qsort(f.item, f.count, sizeof *f.item, by_size);
    const int64_t bits = weir_memory_signed_bits(graph, weir_node_input(graph, node, 1));
    size_t at = 0;
    for (size_t i = 1; i < f.count && f.item[at].interval > target && pe_of(&f.item[i]) == pe_of(&f.item[0]); i++) {
        if (simd_of(&f.item[i]) * bits > WEIGHT_STREAM) break;
        at = i;
    }
    const int64_t simd = simd_of(&f.item[at]);
    for (size_t i = at + 1; i < f.count && f.item[at].interval > target; i++)
        if (simd_of(&f.item[i]) == simd) at = i;
    const weir_meta_hardware chosen = f.item[at];
    free(f.item);
    return chosen;
}

static int64_t fold_layers(weir_graph *graph, int64_t target) {
    int64_t slowest = 1;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!sets_pace(graph, node)) continue;
        weir_settings_set(&weir_node_metadata(graph, node)->hardware.settings, "simd", WEIR_SETTINGS_BEFORE_LANES, 0);
        weir_settings_set(&weir_node_metadata(graph, node)->hardware.settings, "pe", WEIR_SETTINGS_BEFORE_LANES, 0);
        const weir_meta_hardware chosen = greedy(graph, node, target);
        weir_settings_set(&weir_node_metadata(graph, node)->hardware.settings, "simd", WEIR_SETTINGS_BEFORE_LANES,
                          simd_of(&chosen));
        weir_settings_set(&weir_node_metadata(graph, node)->hardware.settings, "pe", WEIR_SETTINGS_BEFORE_LANES,
                          pe_of(&chosen));
        if (chosen.interval > slowest) slowest = chosen.interval;
    }
    return slowest;
}

static bool is_within(const design *d, const weir_device *device) {
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&(weir_cost){.luts = 0}, device, uses);
    bool within = true;
    for (int r = 0; r < RESOURCES; r++) within &= d->use[r] <= uses[r].available;
    return within;
}

static design greedy_design(const weir_graph *assigned, int64_t target) {
    weir_graph *graph = weir_graph_copy(assigned);
    const int64_t reached = fold_layers(graph, target);
    if (reached > target) fold_layers(graph, reached);
    weir_schedule_timing timing;
    design d = {.fits =
                    weir_folding_choose(graph, 0, INT32_MAX, NULL) && weir_complete_folding(graph, INT64_MAX, &timing)};
    if (d.fits) {
        const weir_device *device = weir_target_of(graph).device;
        weir_cost_report cost = weir_cost_of_graph(graph, device);
        weir_cost_use uses[WEIR_COST_USES];
        weir_cost_uses(&cost.total, device, uses);
        for (int r = 0; r < RESOURCES; r++) d.use[r] = uses[r].used;
        weir_cost_report_free(&cost);
        d.interval = weir_stream_interval(graph);
        d.fits = is_within(&d, device);
    }
    weir_graph_free(graph);
    return d;
}

/* Of all targets that can make a difference the smallest whose design fits. */
static design greedy_fastest(const weir_graph *assigned) {
    const weir_folding_weights none = {.each = {0}};
    weir_folding_space *space = weir_folding_space_new(assigned, &none);
    design d = {.fits = false};
    for (size_t i = 0; i < weir_folding_space_count(space) && !d.fits; i++)
        d = greedy_design(assigned, weir_folding_space_interval(space, i));
    weir_folding_space_free(space);
    return d;
}

/* --- against the best --- */

static design best(const weir_graph *assigned, const int64_t *budget) {
    weir_graph *graph = weir_graph_copy(assigned);
    weir_folding_request request = {
        .objective = WEIR_FOLDING_THROUGHPUT, .whole = true, .complete = weir_complete_folding};
    for (int r = 0; r < RESOURCES; r++) request.budget[r] = budget == NULL ? -1 : budget[r];
    weir_folding_report report;
    design d = {.fits = weir_folding_search(graph, &request, &report)};
    d.interval = report.interval;
    memcpy(d.use, report.used, sizeof d.use);
    weir_graph_free(graph);
    return d;
}

static void print(const design *d) {
    if (!d->fits) printf(" %38s", "does not fit");
    else
        printf(" %9lld %8lld %7lld %4lld %6lld", (long long)d->interval, (long long)d->use[0], (long long)d->use[1],
               (long long)d->use[2], (long long)d->use[3]);
}

/* The hardware graph with its components; NULL after a reported error. */
static weir_graph *read(const char *path, const char *device) {
    const weir_onnx_sizes sizes = {.batch = 1};
    weir_graph *graph = weir_interface_read(path, &sizes);
    if (graph == NULL) return NULL;
    weir_graph_set_name(graph, "model");
    weir_module *module = weir_module_new("model");
    weir_module_add_graph(module, graph);
    weir_pass_registry *registry = weir_pass_registry_new();
    char *pipeline = weir_format("lower_integer,set_target{device=\"%s\"},realize_requantize,partition", device);
    weir_pass *pass = weir_passes_register(registry) ? weir_pass_parse(registry, pipeline, WEIR_NOWHERE) : NULL;
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_graph *hardware = NULL;
    if (pass != NULL && weir_pass_run(context, pass, module))
        hardware = weir_graph_copy(weir_module_find_graph(module, "hardware"));
    if (hardware != NULL && !weir_component_assign(hardware)) {
        weir_graph_free(hardware);
        hardware = NULL;
    }
    free(pipeline);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
    weir_module_free(module);
    return hardware;
}

int main(int argc, char **argv) {
    int status = 0;
    printf("%-24s | %9s %8s %7s %4s %6s | %9s %8s %7s %4s %6s | %9s %8s\n", argc > 1 ? argv[1] : "", "greedy", "LUTs",
           "FFs", "DSPs", "blocks", "best", "LUTs", "FFs", "DSPs", "blocks", "as little", "LUTs");
    for (int i = 2; i < argc; i++) {
        weir_diag_log *log = weir_diag_capture();
        weir_graph *graph = read(argv[i], argv[1]);
        design g = {.fits = false}, b = g, same = g;
        if (graph != NULL) {
            g = greedy_fastest(graph);
            b = best(graph, NULL);
            same = g.fits ? best(graph, g.use) : g;
        }
        weir_diag_release(log);
        printf("%-24.24s |", weir_path_name(argv[i]));
        print(&g);
        printf(" |");
        print(&b);
        if (g.fits) printf(" | %9lld %8lld\n", (long long)same.interval, (long long)same.use[0]);
        else printf(" | %9s %8s\n", "-", "-");
        if (graph == NULL) weir_diag_replay(log);
        weir_diag_log_free(log);
        if (g.fits && (!same.fits || same.interval > g.interval || !b.fits || b.interval > g.interval)) {
            fprintf(stderr, "set_folding: error: the greedy folding of %s is faster\n", argv[i]);
            status = 1;
        }
        if (graph != NULL) weir_graph_free(graph);
    }
    return status;
}
