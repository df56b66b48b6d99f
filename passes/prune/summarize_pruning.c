/* summarize_pruning: what a graph takes before and after it was pruned: accuracy, parameters, products of layers, and
 * with a device the estimate for its hardware and, if asked for, what Yosys maps it to. Both are compiled for one
 * interval, that of the graph before unless an option says another, so that the areas compare. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/metrics.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/resources.h"
#include "exec/parallel.h"
#include "ir/shape/loop.h"
#include "ir/trait/trait.h"
#include "passes/interface/interface.h"
#include "passes/passes.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/text/table.h"
#include "synth/synth.h"

/* Rows of the table: a title, the key, and decimals. */
typedef enum row { FLOAT_ACCURACY, ACCURACY, PARAMETERS, MASKED, PRODUCTS, BITS, INTERVAL, AREA } row;
enum { MAPPED = AREA + WEIR_COST_USES, ROWS = MAPPED + WEIR_COST_USES };
static const struct {
    const char *title, *key;
    int decimals;
} rows[AREA] = {{"Accuracy in float (%)", "float_accuracy", 2},
                {"Accuracy of the hardware (%)", "accuracy", 2},
                {"Parameters", "parameters", 0},
                {"Masked parameters", "masked", 0},
                {"Products a frame", "products", 0},
                {"Bits of parameters", "parameter_bits", 0},
                {"Interval (cycles)", "interval", 0}};

/* NaN: not known. */
typedef struct column {
    double value[ROWS];
} column;

static void count_parameters(const weir_graph *graph, column *c) {
    c->value[PARAMETERS] = c->value[MASKED] = c->value[PRODUCTS] = 0;
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        const weir_value value = {id};
        const weir_array *data = weir_value_exists(graph, value) ? weir_value_constant(graph, value) : NULL;
        if (data != NULL && weir_dtype_is_float(data->dtype) && weir_value_use_count(graph, value) > 0)
            c->value[PARAMETERS] += (double)data->count;
    }
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_trait_of(weir_node_op(graph, node))->task == WEIR_TASK_LAYER)
            c->value[PRODUCTS] += (double)weir_loop_macs(graph, node);
        if (weir_node_op(graph, node) != WEIR_OP_MASK ||
            weir_value_constant(graph, weir_node_input(graph, node, 0)) == NULL)
            continue;
        const weir_array *keep = weir_value_constant(graph, weir_node_input(graph, node, 1));
        for (size_t i = 0; keep != NULL && i < keep->count; i++) c->value[MASKED] += weir_array_get_int(keep, i) == 0;
    }
}

/* The share of right answers in percent, or NaN where the data has no labels. False after a reported error. */
static bool score(const weir_graph *graph, const char *data, double *accuracy) {
    weir_frames *frames = weir_frames_read(graph, data);
    const size_t outputs = weir_graph_output_count(graph);
    weir_array **results = weir_calloc(outputs, sizeof *results);
    const bool fine = frames != NULL && weir_parallel_run(graph, weir_frames_arrays(frames), 0, 1, results);
    if (fine) {
        weir_scoring scoring = weir_scoring_of(graph);
        weir_array *labels = weir_labels_read(frames, &scoring);
        if (labels != NULL && weir_scoring_has_classes(&scoring))
            *accuracy = 100 * weir_metrics_of(&scoring, results[scoring.output], labels,
                                              weir_frames_count(frames) * scoring.entries)
                                  .accuracy;
        weir_array_free(labels);
    }
    for (size_t i = 0; i < outputs; i++) weir_array_free(results[i]);
    free(results);
    weir_frames_free(frames);
    return fine;
}

/* --- hardware --- */

/* The pass with an option, its text set unless it is empty; at the end of the sequence. */
static bool add_pass(weir_pass_context *context, weir_pass *sequence, const char *name, const char *option,
                     const char *text) {
    weir_pass *pass = weir_pass_new(weir_pass_context_registry(context), name);
    const bool fine = pass != NULL && (option == NULL || *text == '\0' || weir_pass_set(pass, option, text));
    return weir_pass_sequence_add(sequence, pass) && fine;
}

/* From the model to hardware with its streams. `interval` 0: 64 multipliers. */
static weir_pass *steps(const weir_pass *pass, weir_pass_context *context, int64_t interval) {
    static const char *const last[] = {"insert_streams", "size_fifos"};
    weir_pass *all = weir_pass_sequence_new(WEIR_PASS_MODULE, NULL, 0),
              *folding = weir_pass_new(weir_pass_context_registry(context), "choose_folding");
    char *target = weir_format("%lld", (long long)interval);
    bool fine = *weir_pass_string(pass, "calibration") == '\0' ||
                add_pass(context, all, "quantize", "calibration", weir_pass_string(pass, "calibration"));
    fine = fine && add_pass(context, all, "lower_integer", NULL, NULL) &&
           add_pass(context, all, "set_target", "device", weir_pass_string(pass, "device")) &&
           add_pass(context, all, "realize_requantize", NULL, NULL) && add_pass(context, all, "partition", NULL, NULL);
    fine = fine &&
           weir_pass_set(folding, interval == 0 ? "objective" : "target-interval", interval == 0 ? "none" : target);
    fine = weir_pass_sequence_add(all, folding) && fine;
    for (size_t i = 0; fine && i < sizeof last / sizeof *last; i++) fine = add_pass(context, all, last[i], NULL, NULL);
    free(target);
    if (fine) return all;
    weir_pass_free(all);
    return NULL;
}

enum { SECONDS = 1200 }; /* that Yosys may take */

/* What Yosys maps the emitted folder to; synthesis caches it. */
static bool map(const weir_module *module, const weir_device *device, column *c) {
    const weir_synth_options options = {.device = device,
                                        .hardware = weir_module_find_graph(module, "hardware"),
                                        .folder = weir_module_folder(module),
                                        .top = weir_module_string(module, "top", ""),
                                        .placing = WEIR_SYNTH_UNPLACED,
                                        .seconds = SECONDS};
    weir_synth *synth = NULL;
    const bool fine = weir_synth_run(&options, &synth) == WEIR_EXIT_FINE;
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&synth->cost, device, uses);
    for (size_t i = 0; fine && i < WEIR_COST_USES; i++) c->value[MAPPED + i] = (double)uses[i].used;
    weir_synth_free(synth);
    return fine;
}

static bool synthesize(weir_pass_context *context, weir_module *module, const weir_device *device, column *c) {
    static const char *const names[] = {"emit_verilog_top", "emit_bram", "emit_internal_rtl"};
    weir_pass *all = weir_pass_sequence_new(WEIR_PASS_MODULE, NULL, 0);
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "pruning-");
    bool fine = scratch != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fine = add_pass(context, all, names[i], NULL, NULL) && fine;
    if (fine) {
        weir_module_set_folder(module, weir_scratch_path(scratch));
        fine = weir_pass_run(context, all, module) && map(module, device, c);
    }
    weir_pass_free(all);
    weir_scratch_free(scratch);
    return fine;
}

/* The hardware of the graph, on the device. */
static bool estimate(const weir_pass *pass, weir_pass_context *context, const weir_graph *graph,
                     const weir_device *device, int64_t interval, column *c) {
    weir_pass *all = steps(pass, context, interval);
    weir_pass_context *nested = weir_pass_context_nest(context);
    weir_module *module = weir_module_new(weir_graph_name(graph));
    weir_graph *copy = weir_graph_copy(graph);
    weir_graph_set_name(copy, "model");
    weir_module_add_graph(module, copy);
    bool fine = all != NULL && weir_pass_run(nested, all, module);
    if (fine) {
        const weir_graph *hardware = weir_module_find_graph(module, "hardware");
        weir_cost_report report = weir_cost_of_graph(hardware, device);
        weir_cost_use uses[WEIR_COST_USES];
        weir_cost_uses(&report.total, device, uses);
        for (size_t i = 0; i < WEIR_COST_USES; i++) c->value[AREA + i] = (double)uses[i].used;
        c->value[BITS] = (double)weir_resources_of(hardware).memory_bits;
        c->value[INTERVAL] = (double)weir_graph_interval(hardware);
        weir_cost_report_free(&report);
        const char *data = weir_pass_string(pass, "data");
        fine = *data == '\0' || score(weir_module_find_graph(module, "integer"), data, &c->value[ACCURACY]);
        if (fine && weir_pass_bool(pass, "synthesize")) fine = synthesize(nested, module, device, c);
    }
    weir_module_free(module);
    weir_pass_context_free(nested);
    weir_pass_free(all);
    return fine;
}

static bool measure(const weir_pass *pass, weir_pass_context *context, const weir_graph *graph,
                    const weir_device *device, int64_t interval, column *c) {
    const char *data = weir_pass_string(pass, "data");
    for (size_t i = 0; i < ROWS; i++) c->value[i] = (double)NAN;
    count_parameters(graph, c);
    return (*data == '\0' || score(graph, data, &c->value[FLOAT_ACCURACY])) &&
           (device == NULL || estimate(pass, context, graph, device, interval, c));
}

/* --- the table --- */

/* Of a device's resources: first the estimates, then what Yosys counts. */
static const weir_cost_use *use_of(const weir_cost_use *uses, size_t at) {
    return &uses[at - (at < MAPPED ? (size_t)AREA : (size_t)MAPPED)];
}

/* "luts", "mapped_luts" in heap memory. */
static char *key_of(size_t at, const weir_cost_use *uses) {
    if (at < AREA) return weir_copy_string(rows[at].key);
    return weir_format("%s%s", at < MAPPED ? "" : "mapped_", use_of(uses, at)->key);
}

static char *title_of(size_t at, const weir_cost_use *uses) {
    if (at < AREA) return weir_copy_string(rows[at].title);
    return weir_format("%s%s", use_of(uses, at)->name, at < MAPPED ? "" : " by Yosys");
}

static json_t *json_of(const column *c, const weir_cost_use *uses) {
    json_t *json = json_object();
    for (size_t i = 0; i < ROWS; i++) {
        if (isnan(c->value[i])) continue;
        char *key = key_of(i, uses);
        json_object_set_new(json, key, i < PARAMETERS ? json_real(c->value[i]) : json_integer((json_int_t)c->value[i]));
        free(key);
    }
    return json;
}

static void show(const column *before, const column *after, const weir_device *device, weir_pass_context *context) {
    static const char *const headers[] = {"", "Before", "After", "Change"};
    const weir_cost nothing = {0};
    weir_cost_use uses[WEIR_COST_USES];
    if (device != NULL) weir_cost_uses(&nothing, device, uses);
    weir_table *table = weir_table_new(headers, 4);
    for (size_t i = 0; i < (device == NULL ? AREA : ROWS); i++) {
        const int decimals = i < AREA ? rows[i].decimals : 0;
        const double old = before->value[i], new = after->value[i];
        if (isnan(old) || isnan(new)) continue;
        char *title = title_of(i, uses);
        weir_table_add(table, title);
        free(title);
        weir_table_format(table, "%.*f", decimals, old);
        weir_table_format(table, "%.*f", decimals, new);
        if (decimals > 0) weir_table_format(table, "%+.*f", decimals, new - old);
        else if (old > 0) weir_table_format(table, "%+.1f %%", 100 * (new - old) / old);
        else weir_table_add(table, "");
    }
    weir_table_print(table, WEIR_TABLE_PIPE, weir_pass_output(context));
    weir_table_free(table);
    json_object_set_new(weir_pass_record(context), "before", json_of(before, uses));
    json_object_set_new(weir_pass_record(context), "after", json_of(after, uses));
}

static bool summarize(const weir_pass *pass, weir_pass_context *context, const weir_graph *original,
                      const weir_graph *pruned, const weir_device *device) {
    column before, after;
    const int64_t target = weir_pass_int(pass, "target-interval");
    if (!measure(pass, context, original, device, target, &before)) return false;
    const int64_t interval = target > 0 || device == NULL ? target : (int64_t)before.value[INTERVAL];
    if (!measure(pass, context, pruned, device, interval, &after)) return false;
    show(&before, &after, device, context);
    return true;
}

bool weir_pass_summarize_pruning(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const char *name = weir_pass_string(pass, "device");
    if (*name == '\0' && weir_pass_bool(pass, "synthesize")) {
        weir_error(WEIR_NOWHERE, "summarize_pruning: 'synthesize' needs a 'device'");
        return false;
    }
    const weir_graph *pruned = weir_interface_graph(module, pass);
    bool own = false;
    weir_graph *original =
        pruned == NULL ? NULL : weir_interface_find(module, pass, weir_pass_string(pass, "original_graph"), &own);
    int status = 0;
    weir_device *device = original == NULL || *name == '\0' ? NULL : weir_device_read(name, &status);
    const bool fine =
        original != NULL && (*name == '\0' || device != NULL) && summarize(pass, context, original, pruned, device);
    weir_device_free(device);
    if (own && original != NULL) weir_graph_free(original);
    return fine;
}
