/* A value depends on type, seed, sample, position of the input and element only. */
#include "cosim/random_input.h"
#include "support/memory/random.h"

#include <assert.h>
#include <math.h>

/* Reals without a quantizer behind them, and integers of which nothing is known. */
static const double REACH = 4;
enum { WORDS = 100, SEARCH_DEPTH = 6 };

static double fraction(uint64_t *state) { return (double)(weir_random_next(state) >> 11) * 0x1p-53; }

/* The reals that the codes of a quantization stand for. */
static bool reals_of(const weir_quant *quant, double *low, double *high) {
    if (quant->format == WEIR_FORMAT_FLOAT || quant->width > 32) {
        return false;
    }
    int64_t code_low, code_high;
    weir_quant_limits(quant, &code_low, &code_high);
    double scale = weir_quant_scale(quant, 0), zero = (double)weir_quant_zero(quant, 0);
    *low = ((double)code_low - zero) * scale;
    *high = ((double)code_high - zero) * scale;
    return isfinite(*low) && isfinite(*high) && *low < *high;
}

/* The range of the first quantizer behind a real value; operators that only move elements are looked through. */
static bool find_quantizer(const weir_graph *graph, weir_value value, int depth, double *low, double *high) {
    for (size_t i = 0; depth > 0 && i < weir_value_use_count(graph, value); i++) {
        weir_use use = weir_value_use(graph, value, i);
        if (use.index != 0 || weir_node_output_count(graph, use.node) == 0) {
            continue;
        }
        weir_value result = weir_node_output(graph, use.node, 0);
        const weir_type *type = weir_value_type(graph, result);
        if (reals_of(&type->quant, low, high)) {
            return true;
        }
        size_t moved = weir_node_input_count(graph, use.node);
        if (moved == 1 && find_quantizer(graph, result, depth - 1, low, high)) {
            return true;
        }
    }
    return false;
}

static void code_range(const weir_type *type, int64_t *low, int64_t *high) {
    if (type->has_range) {
        *low = type->low;
        *high = type->high;
        return;
    }
    int64_t type_low, type_high;
    weir_dtype_limits(type->dtype, &type_low, &type_high);
    *low = type_low < -WORDS ? -WORDS : type_low;
    *high = type_high > WORDS ? WORDS : type_high;
    if (type->quant.format != WEIR_FORMAT_FLOAT && type->quant.width <= 16) {
        weir_quant_limits(&type->quant, low, high);
        *low = *low < type_low ? type_low : *low;
        *high = *high > type_high ? type_high : *high;
    }
}

void weir_random_range(const weir_graph *graph, weir_value input, double *low, double *high) {
    const weir_type *type = weir_value_type(graph, input);
    int64_t first = 0, last = 1;
    if (weir_dtype_is_float(type->dtype)) {
        *low = -REACH;
        *high = REACH;
        if (!find_quantizer(graph, input, SEARCH_DEPTH, low, high)) return;
        double beyond = (*high - *low) / 8;
        *low -= beyond;
        *high += beyond;
        return;
    }
    if (type->dtype != WEIR_BOOL) code_range(type, &first, &last);
    *low = (double)first;
    *high = (double)last;
}

static void fill_reals(const weir_graph *graph, weir_value input, uint64_t *state, weir_array *array) {
    double low, high;
    weir_random_range(graph, input, &low, &high);
    for (size_t i = 0; i < array->count; i++) {
        double value = low + (high - low) * fraction(state);
        uint64_t special = weir_random_next(state) % 16;
        weir_array_set(array, i, special == 0 ? 0 : special == 1 ? floor(value) : value);
    }
}

static void fill_codes(const weir_type *type, uint64_t *state, weir_array *array) {
    int64_t low, high;
    code_range(type, &low, &high);
    assert(low <= high);
    uint64_t span = (uint64_t)high - (uint64_t)low + 1;
    for (size_t i = 0; i < array->count; i++) {
        uint64_t special = weir_random_next(state) % 16,
                 steps = span == 0 ? weir_random_next(state) : weir_random_next(state) % span;
        int64_t code = special == 0 ? low : special == 1 ? high : (int64_t)((uint64_t)low + steps);
        if (type->quant.format == WEIR_FORMAT_BINARY) {
            code = steps % 2 == 0 ? -1 : 1;
        }
        weir_array_set_int(array, i, code);
    }
}

weir_array *weir_random_input(const weir_graph *graph, weir_value input, uint64_t seed, size_t sample) {
    const weir_type *type = weir_value_type(graph, input);
    weir_array *array = weir_array_new(type->dtype, &type->shape);
    uint64_t state = seed * 0x2545f4914f6cdd1du + sample * 0x9e3779b97f4a7c15u, position = 0;
    while (weir_graph_input(graph, position).id != input.id) {
        position++;
    }
    state = weir_random_next(&state) + position;
    if (weir_dtype_is_float(type->dtype)) {
        fill_reals(graph, input, &state, array);
    } else if (type->dtype == WEIR_BOOL) {
        for (size_t i = 0; i < array->count; i++) {
            weir_array_set_int(array, i, (int64_t)(weir_random_next(&state) % 2));
        }
    } else {
        fill_codes(type, &state, array);
    }
    return array;
}

static weir_array *random_array(const weir_type *type, uint64_t *state) {
    weir_array *array = weir_array_new(type->dtype, &type->shape);
    int64_t low = 0, high = 1;
    if (type->has_range) {
        low = type->low;
        high = type->high;
    } else if (type->quant.format != WEIR_FORMAT_FLOAT) {
        weir_quant_limits(&type->quant, &low, &high);
    } else if (type->dtype != WEIR_BOOL && !weir_dtype_is_float(type->dtype)) {
        weir_dtype_limits(type->dtype, &low, &high);
    }
    uint64_t span = (uint64_t)high - (uint64_t)low + 1; /* 0: all of 64 bits */
    for (size_t i = 0; i < array->count; i++) {
        uint64_t bits = weir_random_next(state);
        if (weir_dtype_is_float(type->dtype)) weir_array_set(array, i, (double)(bits >> 11) * 0x1p-52 - 1);
        else weir_array_set_int(array, i, (int64_t)((uint64_t)low + (span == 0 ? bits : bits % span)));
    }
    return array;
}

void weir_random_frame(const weir_graph *graph, uint64_t seed, weir_archive *inputs) {
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        weir_value input = weir_graph_input(graph, i);
        weir_archive_add(inputs, weir_value_name(graph, input), random_array(weir_value_type(graph, input), &seed));
    }
}
