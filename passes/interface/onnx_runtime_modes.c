#include "passes/interface/onnx_runtime_modes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/graph/fold_affine.h"
#include "passes/interface/layer_quantizers.h"
#include "passes/passes.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"
#include "support/text/table.h"
#include "support/text/unreachable.h"

enum { CODES = UINT8_MAX, HALF = 128 };

static const double LEAST_SCALE = 0x1p-126; /* of normal float32 numbers; below it ONNX Runtime takes 1 */

/* --- static --- */

/* The constant with other codes for the same numbers, in `done` once it is made. */
static weir_value shifted(weir_graph *graph, weir_value value, weir_dtype to, weir_value *done) {
    const weir_array *from = weir_value_constant(graph, value);
    if (done[value.id].id != 0) return done[value.id];
    weir_array *array = weir_array_new(to, &from->shape);
    const int64_t shift = to == WEIR_INT8 ? -HALF : HALF;
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, weir_array_get_int(from, i) + shift);
    char *name = weir_format("%s_%s", weir_value_name(graph, value), weir_dtype_name(to));
    done[value.id] = weir_graph_add_constant(graph, name, array);
    free(name);
    weir_array_free(array);
    return done[value.id];
}

/* Codes of 8 bits become those of the precision; the pass quantize gives data uint8 and weights int8. */
static bool recode(weir_graph *graph, const weir_onnx_runtime_config *config) {
    const weir_dtype from = config->is_unsigned ? WEIR_INT8 : WEIR_UINT8;
    const weir_dtype to = config->is_unsigned ? WEIR_UINT8 : WEIR_INT8;
    weir_value *done = weir_calloc(weir_graph_value_limit(graph), sizeof *done);
    bool fine = true;
    for (weir_node node = weir_graph_first(graph); fine && node.id != 0; node = weir_node_next(graph, node)) {
        const weir_op kind = weir_trait_kind(graph, node);
        if (kind != WEIR_OP_QUANTIZE_LINEAR && kind != WEIR_OP_DEQUANTIZE_LINEAR) continue;
        for (size_t i = 0; i < 3; i += 2) {
            const weir_value value = weir_node_input(graph, node, i);
            const weir_array *data = value.id == 0 ? NULL : weir_value_constant(graph, value);
            if (data != NULL && data->dtype == from)
                weir_node_set_input(graph, node, i, shifted(graph, value, to, done));
        }
        fine = weir_infer_node(graph, node);
    }
    free(done);
    weir_eliminate_dead_code(graph);
    return fine;
}

static weir_graph *quantize_statically(const weir_graph *graph, const weir_onnx_runtime_config *config,
                                       const char *calibration, weir_pass_context *context) {
    weir_pass *pass = weir_pass_new(weir_pass_context_registry(context), "quantize");
    char *frames = weir_format("%lld", (long long)config->batches);
    weir_pass_context *nested = weir_pass_context_nest(context);
    weir_module *module = weir_module_new(weir_graph_name(graph));
    weir_graph *copy = weir_graph_copy(graph), *made = NULL;
    weir_graph_set_name(copy, "model");
    weir_module_add_graph(module, copy);
    if (weir_pass_set(pass, "calibration", calibration) && weir_pass_set(pass, "frames", frames) &&
        weir_pass_run(nested, pass, module))
        made = weir_graph_copy(weir_module_find_graph(module, "quantized"));
    weir_module_free(module);
    weir_pass_context_free(nested);
    weir_pass_free(pass);
    free(frames);
    if (made == NULL || recode(made, config)) return made;
    weir_graph_free(made);
    return NULL;
}

/* --- layers --- */

/* Scales as ONNX Runtime chooses them: of int8 symmetric, codes from -127 to 127; of uint8 over the range with 0. */
typedef struct chosen {
    double scale;
    int64_t zero;
} chosen;

static chosen choose(const weir_range *range, bool is_symmetric) {
    const double low = range->seen ? fmin(range->min, 0) : 0, high = range->seen ? fmax(range->max, 0) : 0;
    const double scale = is_symmetric ? 2 * fmax(-low, high) / (CODES - 1) : (high - low) / CODES;
    if (scale < LEAST_SCALE) return (chosen){1, 0};
    return (chosen){(double)(float)scale, is_symmetric ? 0 : (int64_t)nearbyint(-low / scale)};
}

static weir_range range_of(const float *x, size_t count) {
    weir_range range = {.seen = false};
    for (size_t i = 0; i < count; i++) weir_range_see(&range, (double)x[i]);
    return range;
}

/* The constant input becomes codes along the axis (-1: with one scale). */
static bool quantize_constant(weir_graph *graph, weir_node node, size_t index, int axis, bool is_unsigned) {
    const weir_value value = weir_node_input(graph, node, index);
    const weir_array *data = weir_value_constant(graph, value);
    const weir_by_output all = weir_by_output_of(&data->shape, axis);
    double *scale = weir_calloc(all.count, sizeof *scale);
    int64_t *zero = weir_calloc(all.count, sizeof *zero);
    for (size_t c = 0; c < all.count; c++) {
        float *own = weir_by_output_elements(&all, c, data);
        const weir_range range = range_of(own, all.size);
        const chosen of = choose(&range, !is_unsigned);
        scale[c] = of.scale;
        zero[c] = of.zero;
        free(own);
    }
    const weir_layer_codes codes = {is_unsigned ? WEIR_UINT8 : WEIR_INT8, axis, all.count, scale, zero};
    const weir_value made = weir_layer_put_codes(graph, value, node, &codes);
    if (made.id != 0) weir_node_set_input(graph, node, index, made);
    free(scale);
    free(zero);
    return made.id != 0;
}

/* The value's quantizer of a range that calibration has seen. */
static weir_value put_static(weir_graph *graph, weir_value x, weir_node node, const weir_range *range,
                             const weir_onnx_runtime_config *config) {
    const chosen of = choose(range, false);
    const int64_t zero = config->is_unsigned ? of.zero : of.zero - HALF;
    const weir_dtype dtype = config->is_unsigned ? WEIR_UINT8 : WEIR_INT8;
    return weir_layer_put_pair(graph, x, node, &(weir_layer_codes){dtype, -1, 1, &of.scale, &zero});
}

/* Is it constant, or elements of a table of codes? */
static bool has_codes(const weir_graph *graph, weir_value value) {
    const weir_node maker = weir_value_producer(graph, value);
    if (maker.id == 0) return weir_value_constant(graph, value) != NULL;
    const weir_node table = weir_trait_kind(graph, maker) == WEIR_OP_GATHER
                                ? weir_value_producer(graph, weir_node_input(graph, maker, 0))
                                : WEIR_NO_NODE;
    return table.id != 0 && weir_trait_kind(graph, table) == WEIR_OP_DEQUANTIZE_LINEAR;
}

/* A copy in which layers are quantized, and their data where these are computed; `seen` NULL: as each input has them.
 * Layers stay in float whose `keeps` is true (by handle; NULL: none). NULL after a reported error. */
static weir_graph *quantize_layers(const weir_graph *graph, const weir_onnx_runtime_config *config,
                                   const weir_layer_seen *seen, const bool *keeps) {
    weir_graph *copy = weir_graph_copy(graph);
    const uint32_t limit = weir_graph_value_limit(graph);
    weir_value *done = weir_calloc(limit, sizeof *done);
    bool fine = true;
    for (weir_node node = weir_graph_first(copy), next; fine && node.id != 0; node = next) {
        next = weir_node_next(copy, node);
        if (!weir_layer_has_weights(copy, node) || (keeps != NULL && keeps[node.id])) continue;
        const weir_value x = weir_node_input(copy, node, 0);
        assert(x.id < limit);
        fine = quantize_constant(copy, node, 1, config->by_channel ? weir_layer_channel_axis(copy, node) : -1,
                                 config->is_unsigned);
        if (!fine || has_codes(copy, x)) continue;
        if (done[x.id].id == 0)
            done[x.id] = seen == NULL ? weir_layer_put_dynamic(copy, x, node)
                                      : put_static(copy, x, node, &seen[x.id].range, config);
        fine = done[x.id].id != 0;
        if (fine) weir_node_set_input(copy, node, 0, done[x.id]);
    }
    free(done);
    weir_eliminate_dead_code(copy);
    if (fine) return copy;
    weir_graph_free(copy);
    return NULL;
}

/* Without dead nodes, and with normalizations in the layers before them. NULL after a reported error. */
static weir_graph *prepared(const weir_graph *graph) {
    weir_graph *copy = weir_tidy(graph);
    weir_rewrite rewrite = {.graph = copy};
    if (copy == NULL) return NULL;
    weir_fold_affine(&rewrite);
    if (weir_rewrite_finish(&rewrite)) return copy;
    weir_graph_free(copy);
    return NULL;
}

/* --- dynamic --- */

/* Tables are quantized as data are. */
static bool quantize_tables(weir_graph *graph) {
    bool fine = true;
    for (weir_node node = weir_graph_first(graph); fine && node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_trait_kind(graph, node) != WEIR_OP_GATHER) continue;
        const weir_array *table = weir_value_constant(graph, weir_node_input(graph, node, 0));
        if (table != NULL && table->dtype == WEIR_FLOAT32) fine = quantize_constant(graph, node, 0, -1, true);
    }
    return fine;
}

static weir_graph *quantize_dynamically(weir_graph *graph, const weir_onnx_runtime_config *config) {
    if (!quantize_tables(graph)) return NULL;
    bool *keeps = weir_calloc(weir_graph_node_limit(graph), sizeof *keeps);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        keeps[node.id] = weir_trait_kind(graph, node) == WEIR_OP_CONV_TRANSPOSE;
    weir_graph *made = quantize_layers(graph, config, NULL, keeps);
    free(keeps);
    return made;
}

/* --- auto --- */

typedef struct layer {
    weir_node node;
    double alone;  /* how far results are off where it alone is quantized, in tolerances; NaN: not tried */
    bool is_float; /* it is to stay in float */
} layer;

typedef struct search {
    const weir_graph *graph;
    const weir_onnx_runtime_config *config;
    const weir_frames *data;
    weir_layer_seen *seen;
    weir_array **wanted; /* results in float */
    layer *layer;
    size_t layers;
} search;

static void free_results(weir_array **results, size_t count) {
    for (size_t i = 0; results != NULL && i < count; i++) weir_array_free(results[i]);
    free(results);
}

static weir_array **results_of(const search *s, const weir_graph *graph) {
    const size_t count = weir_graph_output_count(graph);
    weir_array **results = weir_calloc(count + 1, sizeof *results);
    weir_executor *executor = weir_executor_new(graph);
    const bool fine =
        executor != NULL && weir_executor_run_batch(executor, weir_frames_arrays(s->data), s->config->batches, results);
    weir_executor_free(executor);
    if (fine) return results;
    free_results(results, count);
    return NULL;
}

/* The largest |found - wanted| / (atol + rtol * |wanted|). */
static double tolerances(const search *s, weir_array *const *found) {
    double most = 0;
    for (size_t k = 0; k < weir_graph_output_count(s->graph); k++) {
        for (size_t i = 0; i < found[k]->count; i++) {
            const double wanted = weir_array_get(s->wanted[k], i), off = fabs(weir_array_get(found[k], i) - wanted);
            if (!(off > 0)) continue;
            const double own = off / (s->config->atol + s->config->rtol * fabs(wanted));
            most = own > most ? own : most;
        }
    }
    return most;
}

/* With the layers quantized that are not to stay in float; NaN after a reported error. */
static double off_by(const search *s) {
    bool *keeps = weir_calloc(weir_graph_node_limit(s->graph), sizeof *keeps);
    for (size_t i = 0; i < s->layers; i++) keeps[s->layer[i].node.id] = s->layer[i].is_float;
    weir_graph *made = quantize_layers(s->graph, s->config, s->seen, keeps);
    weir_array **found = made == NULL ? NULL : results_of(s, made);
    const double off = found == NULL ? (double)NAN : tolerances(s, found);
    free_results(found, weir_graph_output_count(s->graph));
    weir_graph_free(made);
    free(keeps);
    return off;
}

static void keep_from(search *s, size_t first) {
    for (size_t i = 0; i < s->layers; i++) s->layer[i].is_float = i >= first;
}

static int by_alone(const void *left, const void *right) {
    const layer *a = left, *b = right;
    if (a->alone < b->alone || a->alone > b->alone) return a->alone < b->alone ? -1 : 1;
    return a->node.id < b->node.id ? -1 : 1;
}

static int by_place(const void *left, const void *right) {
    const layer *a = left, *b = right;
    return a->node.id < b->node.id ? -1 : 1;
}

static bool try_alone(search *s) {
    for (size_t i = 0; i < s->layers; i++) {
        keep_from(s, 0);
        s->layer[i].is_float = false;
        if (isnan(s->layer[i].alone = off_by(s))) return false;
    }
    qsort(s->layer, s->layers, sizeof *s->layer, by_alone);
    return true;
}

/* As many of the least harmful layers as together stay within the tolerance, by halving, then each other one that can
 * be added: no layer in float could be quantized beside them. */
static bool find(search *s) {
    keep_from(s, s->layers);
    double off = off_by(s);
    if (isnan(off) || off <= 1) return !isnan(off);
    if (!try_alone(s)) return false;
    size_t low = 0, high = s->layers;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        keep_from(s, middle);
        if (isnan(off = off_by(s))) return false;
        if (off <= 1) low = middle;
        else high = middle;
    }
    keep_from(s, low);
    for (size_t i = low; i < s->layers; i++) {
        if (s->layer[i].alone > 1) continue;
        s->layer[i].is_float = false;
        if (isnan(off = off_by(s))) return false;
        s->layer[i].is_float = off > 1;
    }
    qsort(s->layer, s->layers, sizeof *s->layer, by_place);
    return true;
}

static void report(const search *s, weir_pass_context *context) {
    static const char *const headers[] = {"Layer", "Alone, of the tolerance", "Quantized"};
    weir_table *table = weir_table_new(headers, 3);
    json_t *list = json_array();
    for (size_t i = 0; i < s->layers; i++) {
        const layer *own = &s->layer[i];
        json_t *row = json_pack("{s:s s:b}", "node", weir_node_name(s->graph, own->node), "quantized", !own->is_float);
        weir_table_add(table, weir_node_name(s->graph, own->node));
        if (isnan(own->alone)) {
            weir_table_add(table, "-");
        } else {
            weir_table_format(table, "%.3g", own->alone);
            json_object_set_new(row, "alone", json_real(own->alone));
        }
        weir_table_add(table, own->is_float ? "no" : "yes");
        json_array_append_new(list, row);
    }
    weir_table_print(table, WEIR_TABLE_PIPE, weir_pass_output(context));
    weir_table_free(table);
    json_object_set_new(weir_pass_record(context), "auto", list);
}

static void find_layers(search *s) {
    s->layer = weir_calloc(weir_graph_node_limit(s->graph), sizeof *s->layer);
    for (weir_node node = weir_graph_first(s->graph); node.id != 0; node = weir_node_next(s->graph, node)) {
        if (!weir_layer_has_weights(s->graph, node)) continue;
        s->layer[s->layers++] = (layer){node, (double)NAN, false};
        const weir_value x = weir_node_input(s->graph, node, 0);
        s->seen[x.id].wanted = weir_value_constant(s->graph, x) == NULL;
    }
}

static weir_graph *quantize_some(const weir_graph *graph, const weir_onnx_runtime_config *config,
                                 const char *calibration, weir_pass_context *context) {
    search s = {.graph = graph, .config = config, .data = weir_frames_read(graph, calibration)};
    weir_graph *made = NULL;
    s.seen = weir_layer_seen_new(graph);
    find_layers(&s);
    bool fine = s.data != NULL && weir_layer_measure(graph, calibration, config->batches, s.seen);
    s.wanted = fine ? results_of(&s, graph) : NULL;
    if (s.wanted != NULL && find(&s)) {
        bool *keeps = weir_calloc(weir_graph_node_limit(graph), sizeof *keeps);
        for (size_t i = 0; i < s.layers; i++) keeps[s.layer[i].node.id] = s.layer[i].is_float;
        made = quantize_layers(graph, config, s.seen, keeps);
        free(keeps);
        report(&s, context);
    }
    free_results(s.wanted, weir_graph_output_count(graph));
    weir_layer_seen_free(s.seen, graph);
    weir_frames_free((weir_frames *)s.data);
    free(s.layer);
    return made;
}

/* --- all --- */

weir_graph *weir_onnx_runtime_quantize(weir_onnx_runtime_mode mode, const weir_graph *graph,
                                       const weir_onnx_runtime_config *config, const char *calibration,
                                       weir_pass_context *context) {
    if (weir_remedy_has_quantizers(graph)) {
        weir_error(weir_at(weir_graph_source(graph), 0), "the model already has quantizers");
        return NULL;
    }
    if (*calibration == '\0' && mode != WEIR_ONNX_RUNTIME_DYNAMIC) {
        weir_error(WEIR_NOWHERE, "onnx_runtime: mode '%s' needs 'calibration', a file of typical inputs",
                   weir_onnx_runtime_mode_names[mode]);
        return NULL;
    }
    if (mode == WEIR_ONNX_RUNTIME_STATIC) return quantize_statically(graph, config, calibration, context);
    weir_graph *ready = prepared(graph), *made = NULL;
    if (ready != NULL)
        made = mode == WEIR_ONNX_RUNTIME_DYNAMIC ? quantize_dynamically(ready, config)
                                                 : quantize_some(ready, config, calibration, context);
    weir_graph_free(ready);
    return made;
}
