/* tensorrt_calibrate: the quantizers that tensorrt_fake_quantize put into "quantized" get ranges. Each calibrator is
 * tried; kept is the one whose results on the calibration differ least from those in float. As an analysis, labelled
 * data also says how many of its frames each classifies rightly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "cosim/metrics.h"
#include "exec/elementary.h"
#include "ir/trait/trait.h"
#include "passes/interface/tensorrt_config.h"
#include "passes/interface/tensorrt_quantizers.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/text/table.h"

/* --- graphs --- */

static const char *calibrator_of(const weir_graph *graph, weir_node node) {
    if (weir_trait_kind(graph, node) != WEIR_OP_FAKE_QUANTIZE) return "";
    return weir_node_string(graph, node, "calibrator", "");
}

/* A copy whose quantizers are gone: constants that are quantized, and the pairs behind them, stay real. */
static weir_graph *float_graph(const weir_graph *graph) {
    weir_graph *copy = weir_graph_copy(graph);
    for (weir_node node = weir_graph_first(copy); node.id != 0; node = weir_node_next(copy, node)) {
        const weir_op kind = weir_trait_kind(copy, node);
        const weir_value in = weir_node_input(copy, node, 0), out = weir_node_output(copy, node, 0);
        const weir_node before = weir_value_producer(copy, in);
        if (*calibrator_of(copy, node) != '\0') weir_value_replace(copy, out, in);
        else if (kind == WEIR_OP_DEQUANTIZE_LINEAR && before.id != 0 &&
                 weir_trait_kind(copy, before) == WEIR_OP_QUANTIZE_LINEAR)
            weir_value_replace(copy, out, weir_node_input(copy, before, 0));
    }
    return copy;
}

/* A copy with pairs in place of the quantizers without a range; NULL after a reported error. */
static weir_graph *calibrated(const weir_graph *graph, const weir_layer_seen *seen, const weir_calibrator *calibrator) {
    static const weir_calibrator all = {WEIR_CALIBRATOR_MAX, 100};
    weir_graph *copy = weir_graph_copy(graph);
    bool fine = true;
    for (weir_node node = weir_graph_first(copy), next; fine && node.id != 0; node = next) {
        next = weir_node_next(copy, node);
        const char *own = calibrator_of(copy, node);
        if (*own == '\0') continue;
        const weir_value in = weir_node_input(copy, node, 0);
        const double amax = weir_tensorrt_amax(&seen[in.id], strcmp(own, "max") == 0 ? &all : calibrator);
        const weir_value made = weir_tensorrt_put_data(copy, in, node, amax);
        fine = made.id != 0;
        if (fine) weir_value_replace(copy, weir_node_output(copy, node, 0), made);
    }
    weir_eliminate_dead_code(copy);
    if (fine) return copy;
    weir_graph_free(copy);
    return NULL;
}

/* --- judging --- */

typedef struct judge {
    const weir_frames *data;
    int64_t frames;
    weir_array *wanted; /* output 0 in float */
    weir_array *labels; /* or NULL */
    weir_scoring scoring;
} judge;

/* Output 0 of the frames; NULL after a reported error. */
static weir_array *run(const weir_graph *graph, const judge *j) {
    const size_t count = weir_graph_output_count(graph);
    weir_array **results = weir_calloc(count, sizeof *results), *first = NULL;
    weir_executor *executor = weir_executor_new(graph);
    if (executor != NULL && weir_executor_run_batch(executor, weir_frames_arrays(j->data), j->frames, results)) {
        first = results[0];
        for (size_t i = 1; i < count; i++) weir_array_free(results[i]);
    }
    weir_executor_free(executor);
    free(results);
    return first;
}

static double accuracy_of(const judge *j, const weir_array *results) {
    if (j->labels == NULL) return NAN;
    return weir_metrics_of(&j->scoring, results, j->labels, (int64_t)results->count / j->scoring.values).accuracy;
}

static const double LOG_10 = 2.302585092994046;

/* Signal to noise in decibels. */
static double nearness(const weir_array *wanted, const weir_array *found) {
    double signal = 0, noise = 0;
    for (size_t i = 0; i < wanted->count; i++) {
        const double w = weir_array_get(wanted, i), d = w - weir_array_get(found, i);
        signal += w * w;
        noise += d * d;
    }
    return noise > 0 ? 10 * weir_elementary_log(signal / noise) / LOG_10 : INFINITY;
}

static void say(weir_table *table, json_t *list, const char *name, double near, double accuracy) {
    json_t *row = json_pack("{s:s}", "calibrator", name);
    weir_table_add(table, name);
    if (isfinite(near)) {
        weir_table_format(table, "%.2f", near);
        json_object_set_new(row, "decibels", json_real(near));
    } else {
        weir_table_add(table, "-");
    }
    if (isfinite(accuracy)) {
        weir_table_format(table, "%.2f %%", 100 * accuracy);
        json_object_set_new(row, "accuracy", json_real(accuracy));
    } else {
        weir_table_add(table, "-");
    }
    json_array_append_new(list, row);
}

static char *name_of(const weir_calibrator *c) {
    return c->id == WEIR_CALIBRATOR_PERCENTILE ? weir_format("percentile %g", c->percentile)
                                               : weir_copy_string(weir_calibrator_names[c->id]);
}

/* --- the pass --- */

/* The graph of the best calibrator, and the table of all; NULL after a reported error. */
static weir_graph *best_of(const weir_graph *graph, const weir_tensorrt_config *config, const weir_layer_seen *seen,
                           const judge *j, weir_pass_context *context) {
    static const char *const headers[] = {"calibrator", "dB", "accuracy"};
    weir_table *table = weir_table_new(headers, 3);
    json_t *list = json_array();
    weir_graph *best = NULL;
    double nearest = -INFINITY;
    bool fine = true;
    say(table, list, "float", INFINITY, accuracy_of(j, j->wanted));
    for (size_t i = 0; fine && i < config->candidates; i++) {
        weir_graph *own = calibrated(graph, seen, &config->candidate[i]);
        weir_array *found = own == NULL ? NULL : run(own, j);
        fine = found != NULL;
        if (fine) {
            const double near = nearness(j->wanted, found);
            char *name = name_of(&config->candidate[i]);
            say(table, list, name, near, accuracy_of(j, found));
            if (best == NULL || near > nearest) {
                json_object_set_new(weir_pass_record(context), "calibrator", json_string(name));
                weir_graph *worse = best;
                best = own;
                own = worse;
                nearest = near;
            }
            free(name);
        }
        weir_array_free(found);
        if (own != NULL) weir_graph_free(own);
    }
    if (fine && config->analyses) {
        weir_table_print(table, WEIR_TABLE_PIPE, weir_pass_output(context));
        json_object_set(weir_pass_record(context), "post_calibration_analysis", list);
    }
    weir_table_free(table);
    json_decref(list);
    if (fine) return best;
    if (best != NULL) weir_graph_free(best);
    return NULL;
}

static weir_graph *calibrate(const weir_graph *graph, const weir_tensorrt_config *config, const char *calibration,
                             weir_pass_context *context) {
    weir_graph *real = float_graph(graph), *best = NULL;
    weir_layer_seen *seen = weir_layer_seen_new(graph);
    weir_frames *data = weir_frames_read(real, calibration);
    judge j = {.data = data, .frames = config->batches, .scoring = weir_scoring_of(real)};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (*calibrator_of(graph, node) != '\0') seen[weir_node_input(graph, node, 0).id].wanted = true;
    bool fine = data != NULL && weir_layer_measure(real, calibration, config->batches, seen);
    if (fine) {
        j.wanted = run(real, &j);
        if (config->analyses) j.labels = weir_labels_read(data, &j.scoring);
        fine = j.wanted != NULL;
    }
    if (fine) best = best_of(graph, config, seen, &j, context);
    weir_array_free(j.wanted);
    weir_array_free(j.labels);
    weir_frames_free(data);
    weir_layer_seen_free(seen, graph);
    weir_graph_free(real);
    return best;
}

bool weir_pass_tensorrt_calibrate(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    const char *calibration = weir_pass_string(pass, "calibration");
    size_t index = 0, fakes = 0;
    while (index < weir_module_graph_count(module) &&
           strcmp(weir_graph_name(weir_module_graph(module, index)), "quantized") != 0)
        index++;
    const weir_graph *graph = weir_module_find_graph(module, "quantized");
    for (weir_node node = graph == NULL ? WEIR_NO_NODE : weir_graph_first(graph); node.id != 0;
         node = weir_node_next(graph, node))
        fakes += *calibrator_of(graph, node) != '\0';
    if (fakes == 0) {
        weir_error(WEIR_NOWHERE, "tensorrt_calibrate: no quantizer waits for a range");
        weir_note("run tensorrt_fake_quantize first");
        return false;
    }
    if (*calibration == '\0') {
        weir_error(WEIR_NOWHERE, "tensorrt_calibrate needs 'calibration', a file of typical inputs");
        return false;
    }
    weir_tensorrt_config *config = weir_tensorrt_config_read(weir_pass_string(pass, "config"));
    weir_graph *best = config == NULL ? NULL : calibrate(graph, config, calibration, context);
    weir_tensorrt_config_free(config);
    if (best != NULL) weir_module_replace_graph(module, index, best);
    return best != NULL;
}
