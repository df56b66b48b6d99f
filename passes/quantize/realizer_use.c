#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "passes/quantize/realizer.h"
#include "support/memory/arena.h"

enum { MAX_TABLE = 1 << 18, LARGE_TABLE = 1 << 18 /* bits */ };

weir_value weir_realizer_parameter(weir_realizer *r, const char *suffix, const int64_t *values, size_t rows,
                                   size_t columns) {
    weir_shape shape =
        columns == 0 ? (weir_shape){1, {(int64_t)rows}} : (weir_shape){2, {(int64_t)rows, (int64_t)columns}};
    weir_array *array = weir_array_new(WEIR_INT64, &shape);
    memcpy(array->data, values, array->count * sizeof *values);
    char *name = weir_format("%s_%s", weir_node_name(r->graph, r->node), suffix);
    weir_value value = weir_graph_add_constant(r->graph, name, array);
    free(name);
    weir_array_free(array);
    return value;
}

weir_node weir_realizer_replace(weir_realizer *r, weir_op op, const weir_value *inputs, size_t count) {
    weir_graph *graph = r->graph;
    weir_value old = weir_node_output(graph, r->node, 0);
    weir_node made = weir_graph_add_node(graph, op, "replacement", inputs, count, 1, r->node);
    weir_value value = weir_node_output(graph, made, 0);
    weir_value_set_type(graph, value, weir_value_type(graph, old));
    weir_node_set_location(graph, made, weir_node_location(graph, r->node));
    if (op == weir_node_op(graph, r->node)) weir_node_copy_attributes(graph, made, graph, r->node);
    char *name = weir_copy_string(weir_node_name(graph, r->node));
    weir_value_replace(graph, old, value);
    weir_graph_remove_node(graph, r->node);
    weir_node_rename(graph, made, name, "");
    free(name);
    return made;
}

/* The type of factor * x + add, in one channel or in each; factors are positive. */
static weir_type moved(const weir_realizer *r, const weir_type *x, const int64_t *factor, const int64_t *add) {
    weir_type type = *x;
    double *scale = weir_arena_array(weir_graph_arena(r->graph), r->channels, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(r->graph), r->channels, sizeof *zero);
    for (size_t c = 0; c < r->channels; c++) {
        const int64_t low = x->low * factor[c] + add[c], high = x->high * factor[c] + add[c];
        assert(factor[c] > 0);
        scale[c] = weir_quant_scale(&x->quant, (int64_t)c) / (double)factor[c];
        zero[c] = weir_quant_zero(&x->quant, (int64_t)c) * factor[c] + add[c];
        type.low = c == 0 || low < type.low ? low : type.low;
        type.high = c == 0 || high > type.high ? high : type.high;
    }
    type.dtype = weir_dtype_for(type.low, type.high);
    type.quant.format = WEIR_FORMAT_INTEGER;
    type.quant.is_signed = type.low < 0;
    type.quant.width = weir_bits_for(type.low, type.high);
    type.quant.axis = r->channels > 1 ? type.shape.rank - 1 : -1;
    type.quant.scale = scale;
    type.quant.zero_point = zero;
    type.quant.count = (uint32_t)r->channels;
    return type;
}

/* Reads the node again, whose input is other codes of the same numbers. */
static bool put_before(weir_realizer *r, weir_op op, const char *suffix, const weir_value *inputs, size_t count,
                       const weir_type *type) {
    weir_graph *graph = r->graph;
    char *name = weir_format("%s%s", weir_node_name(graph, r->node), suffix);
    const weir_node made = weir_graph_add_node(graph, op, name, inputs, count, 1, r->node);
    free(name);
    weir_node_set_location(graph, made, weir_node_location(graph, r->node));
    weir_node_set_int(graph, made, "low", type->low);
    weir_node_set_int(graph, made, "high", type->high);
    weir_value_set_type(graph, weir_node_output(graph, made, 0), type);
    weir_node_set_input(graph, r->node, 0, weir_node_output(graph, made, 0));
    return weir_infer_node(graph, made) && weir_realizer_read(r);
}

bool weir_realizer_add_before(weir_realizer *r, const int64_t *whole) {
    const weir_value x = weir_node_input(r->graph, r->node, 0),
                     inputs[2] = {x, weir_realizer_parameter(r, "whole", whole, r->channels, 0)};
    int64_t *one = weir_malloc(r->channels * sizeof *one);
    for (size_t c = 0; c < r->channels; c++) one[c] = 1;
    const weir_type type = moved(r, weir_value_type(r->graph, x), one, whole);
    free(one);
    return put_before(r, WEIR_OP_CAST_CODES, "_moved", inputs, 2, &type);
}

bool weir_realizer_multiply_before(weir_realizer *r, const int64_t *factor, const int64_t *add) {
    const weir_value x = weir_node_input(r->graph, r->node, 0),
                     inputs[3] = {x, weir_realizer_parameter(r, "factor", factor, r->channels, 0),
                                  weir_realizer_parameter(r, "term", add, r->channels, 0)};
    const weir_type type = moved(r, weir_value_type(r->graph, x), factor, add);
    return put_before(r, WEIR_OP_SCALE, "_product", inputs, 3, &type);
}

static bool finish(weir_realizer *r, weir_node made) { return weir_infer_node(r->graph, made); }

bool weir_realizer_use_candidate(weir_realizer *r, const weir_candidate *k) {
    bool cast = k->op == WEIR_OP_CAST_CODES, zero = true;
    for (size_t c = 0; c < r->channels; c++) zero &= k->add[c] == 0;
    weir_value inputs[3] = {weir_node_input(r->graph, r->node, 0)};
    size_t count = 1;
    /* The range of a table's results is that of its input's codes; users of the result rely on it. */
    const weir_type *out = weir_value_type(r->graph, weir_node_output(r->graph, r->node, 0));
    bool narrow = r->thresholds != NULL && r->stride == 1 && out->has_range;
    int64_t low = narrow && out->low > k->low ? out->low : k->low;
    int64_t high = narrow && out->high < k->high ? out->high : k->high;
    if (!cast) inputs[count++] = weir_realizer_parameter(r, "multiplier", k->multiplier, r->channels, 0);
    if (!cast || !zero) inputs[count++] = weir_realizer_parameter(r, "add", k->add, r->channels, 0);
    weir_node made = weir_realizer_replace(r, k->op, inputs, count);
    weir_node_set_int(r->graph, made, "low", low);
    weir_node_set_int(r->graph, made, "high", high);
    weir_node_set_int(r->graph, made, "shift", k->shift);
    if (k->op == WEIR_OP_SCALE_FLOAT) weir_node_set_int(r->graph, made, "zero", k->zero);
    if (cast) {
        weir_node_set_int(r->graph, made, "left", k->left);
        weir_node_set_string(r->graph, made, "rounding", weir_rounding_name(k->rounding));
    }
    return finish(r, made);
}

/* What the model's author can do about a table of thresholds. */
static void note_steps(const weir_realizer *r) {
    const char *steps = r->thresholds != NULL ? "" : weir_node_string(r->graph, r->node, "steps", "");
    if (*steps == '\0') return;
    weir_note(
        "each of '%s' rounds in float32: fold them into the layer before it is quantized, as ONNX Runtime's quant_pre_process does "
        "with a BatchNormalization",
        steps);
}

/* A memory larger than most layers' weights is worth a word. */
static void warn_table(const weir_realizer *r, size_t count, const char *of, int width) {
    if (r->thresholds != NULL || count * r->channels * (size_t)width < LARGE_TABLE) return;
    weir_warning(weir_node_location(r->graph, r->node),
                 "node '%s': no multiplication is exact; its table has %zu %s of %d bits",
                 weir_node_name(r->graph, r->node), count * r->channels, of, width);
    note_steps(r);
}

/* Steps that are never reached are one above the largest input. */
bool weir_realizer_use_thresholds(weir_realizer *r) {
    int64_t base = r->staircase[0].base, top = base;
    for (size_t c = 0; c < r->channels; c++) {
        const weir_staircase *s = &r->staircase[c];
        if (s->base < base) base = s->base;
        if (s->base + (int64_t)s->count > top) top = s->base + (int64_t)s->count;
    }
    const bool patchable = weir_graph_patchable(r->graph);
    if (patchable) {
        base = r->low;
        top = r->high;
    }
    size_t count = (size_t)(top - base);
    if (count == 0) count = 1;
    if (count * r->channels > MAX_TABLE) {
        weir_realizer_fail(r, "no multiplication is exact, and its table of thresholds is too large");
        note_steps(r);
        return false;
    }
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    warn_table(r, count, "thresholds", weir_bits_for(in->low, in->high));
    int64_t *steps = weir_malloc(count * r->channels * sizeof *steps);
    for (size_t c = 0; c < r->channels; c++) {
        const weir_staircase *s = &r->staircase[c];
        for (size_t k = 0; k < count; k++) {
            int64_t code = base + (int64_t)k;
            bool reached = code >= s->base && code < s->base + (int64_t)s->count;
            steps[c * count + k] = code < s->base ? s->x_low : reached ? s->step[code - s->base] : s->x_high + 1;
        }
    }
    weir_value inputs[2] = {weir_node_input(r->graph, r->node, 0),
                            weir_realizer_parameter(r, "thresholds", steps, r->channels, count)};
    free(steps);
    if (patchable) {
        weir_type type = *weir_value_type(r->graph, inputs[1]);
        type.low = in->low;
        type.high = in->high + 1;
        weir_value_set_type(r->graph, inputs[1], &type);
    }
    weir_node made = weir_realizer_replace(r, WEIR_OP_THRESHOLD, inputs, 2);
    weir_node_set_int(r->graph, made, "base", r->stride == 1 ? base : r->base + r->stride * base);
    weir_node_set_int(r->graph, made, "step", r->stride);
    return finish(r, made);
}

/* The most steps of a channel. */
static size_t count_steps(const weir_realizer *r) {
    size_t most = 0;
    for (size_t c = 0; c < r->channels; c++) most = r->staircase[c].count > most ? r->staircase[c].count : most;
    return most;
}

bool weir_realizer_table_is_small(const weir_realizer *r, int64_t entries) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const int64_t steps = (int64_t)count_steps(r), width = weir_bits_for(in->low, in->high);
    return in->high - in->low < entries && ((int64_t)weir_realizer_bits(steps) << width) <= 4 * steps * width;
}

bool weir_realizer_use_table(weir_realizer *r) {
    const weir_type *in = weir_value_type(r->graph, weir_node_input(r->graph, r->node, 0));
    const int64_t low = in->low;
    const size_t codes = (size_t)(in->high - low + 1);
    warn_table(r, codes, "codes", weir_bits_for(r->low, r->high));
    int64_t *entry = weir_malloc(codes * r->channels * sizeof *entry);
    for (size_t c = 0; c < r->channels; c++) {
        const weir_channel_function function = weir_realizer_function(r, c);
        for (size_t i = 0; i < codes; i++) {
            const int64_t x = low + (int64_t)i;
            int64_t step;
            weir_realizer_specified(&function, &x, 1, &step);
            entry[c * codes + i] = r->stride == 1 ? step : r->base + r->stride * step;
        }
    }
    weir_value inputs[2] = {weir_node_input(r->graph, r->node, 0),
                            weir_realizer_parameter(r, "table", entry, r->channels, codes)};
    free(entry);
    weir_node made = weir_realizer_replace(r, WEIR_OP_LOOKUP, inputs, 2);
    weir_node_set_int(r->graph, made, "low", low);
    return finish(r, made);
}
