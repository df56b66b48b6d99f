/* Lowering of a Concat of quantized tensors: codes follow each other as they are where all have one scale and zero
 * point. Else the quantizer after the Concat, which computes element by element, becomes one of each input. Constants
 * among the inputs are streams: each beat of a part of another input, whose codes mean nothing, reads the next from a
 * table. Constants alone, as the weights of layers that were merged, are joined here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "passes/lower/scaled.h"
#include "support/memory/arena.h"

weir_value weir_lower_join(weir_lowering *l, weir_node node, const char *suffix, const weir_value *pair, int axis) {
    const weir_quant quant = weir_value_type(l->to, pair[0])->quant;
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_CONCAT, suffix, pair, 2, NULL);
    weir_node_set_int(l->to, made, "axis", axis);
    if (!weir_infer_node(l->to, made)) return WEIR_NO_VALUE;
    const weir_value result = weir_node_output(l->to, made, 0);
    weir_type type = *weir_value_type(l->to, result);
    type.quant = quant;
    weir_value_set_type(l->to, result, &type);
    return result;
}

/* --- constants --- */

/* The constant's numbers as codes of the quantization, one a row; NULL after a reported error: where no quantizer
 * rounds them, they must have codes. */
static weir_array *encode(weir_lowering *l, weir_node node, size_t index, const weir_quant *quant, bool rounds) {
    const weir_array *data = weir_lower_constant(l, weir_node_input(l->from, node, index));
    weir_array *codes = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){2, {(int64_t)data->count, 1}});
    for (size_t i = 0; i < codes->count; i++) {
        const double number = weir_array_get(data, i);
        const int64_t code = weir_encode(number, quant, 0, l->contract);
        weir_array_set_int(codes, i, code);
        const double real = (double)(code - weir_quant_zero(quant, 0)) * weir_quant_scale(quant, 0);
        if (rounds || (float)real == (float)number) continue;
        weir_lower_fail(l, node, "input %zu is a constant with %g, which is not a code of the scale %g of the others",
                        index, number, weir_quant_scale(quant, 0));
        weir_note("quantize the constant like the others, or quantize the result");
        return NULL;
    }
    return codes;
}

/* As many beats as the constant has elements: the first of x, or x and then others, all of which become 0. */
static weir_value take_beats(weir_lowering *l, weir_node node, const char *name, weir_value x, int64_t count) {
    char suffix[48];
    size_t own = 0;
    weir_shape_count(&weir_value_type(l->to, x)->shape, &own);
    snprintf(suffix, sizeof suffix, "%s_nothing", name);
    x = weir_lower_nothing(l, node, suffix, x);
    if (x.id == 0) return x;
    const weir_shape row = {2, {1, count}};
    const weir_reordering r = {.shape = row,
                               .loops = 1,
                               .size = {count},
                               .end = {count < (int64_t)own ? count : (int64_t)own},
                               .stride = {1},
                               .fills = count > (int64_t)own};
    snprintf(suffix, sizeof suffix, "%s_beats", name);
    return count == (int64_t)own ? weir_lower_reshape_as(l, node, suffix, x, &row)
                                 : weir_lower_reorder(l, node, suffix, x, &r, 0);
}

static bool are_codes(const weir_array *data, const weir_quant *quant, weir_contract contract) {
    bool all = quant->count <= 1;
    for (size_t i = 0; all && i < data->count; i++) {
        const double number = weir_array_get(data, i);
        const int64_t code = weir_encode(number, quant, 0, contract) - weir_quant_zero(quant, 0);
        all = (float)((double)code * weir_quant_scale(quant, 0)) == (float)number;
    }
    return all;
}

/* Of numbers in fixed point, to which the others are aligned. */
static weir_quant fixed_point_of(weir_lowering *l, const weir_array *data) {
    double largest = 0;
    for (size_t i = 0; i < data->count; i++) largest = fmax(largest, fabs(weir_array_get(data, i)));
    const double unit = weir_scaled_unit(largest, WEIR_LOWER_NUMBER_BITS);
    const int64_t most = (int64_t)ceil(largest / unit);
    weir_scaled_note_unit(l, unit);
    return weir_scaled_quant(l, unit, -most, most);
}

/* What its codes are of: the quantizer behind, else the constant's own where that is x's grid, in more bits perhaps,
 * else x's; or, where values are carried and it has no codes of that, its own or fixed point. */
static weir_quant quantization_of(weir_lowering *l, weir_node node, size_t index, weir_value x,
                                  const weir_quant *quantizer) {
    const weir_value input = weir_node_input(l->from, node, index);
    const weir_expression *given = weir_lower_expression(l, input);
    const weir_quant *other = &weir_value_type(l->to, x)->quant, *own = NULL;
    if (quantizer != NULL) return *quantizer;
    if (weir_expression_kind_of(given) == WEIR_EXPRESSION_WEIGHTS && weir_expression_quant(given)->count == 1)
        own = weir_expression_quant(given);
    if (own != NULL && other->count <= 1 && weir_quant_scale(own, 0) == weir_quant_scale(other, 0) &&
        weir_quant_zero(own, 0) == weir_quant_zero(other, 0))
        return *own;
    const weir_array *data = weir_lower_constant(l, input);
    if (!weir_lower_carries(l, node) || are_codes(data, other, l->contract)) return *other;
    return own != NULL ? *own : fixed_point_of(l, data);
}

/* The constant as a stream beside x; no value after a reported error. */
static weir_value make_stream(weir_lowering *l, weir_node node, size_t index, weir_value x,
                              const weir_quant *quantizer) {
    const weir_value input = weir_node_input(l->from, node, index);
    const weir_quant quant = quantization_of(l, node, index, x, quantizer);
    if (quant.count > 1) {
        weir_lower_fail(l, node, "its input has a scale per channel: it needs a quantizer with one scale before it");
        return WEIR_NO_VALUE;
    }
    weir_array *codes = encode(l, node, index, &quant, quantizer != NULL || weir_lower_carries(l, node));
    char suffix[40];
    snprintf(suffix, sizeof suffix, "_constant_%zu", index);
    if (codes == NULL) return WEIR_NO_VALUE;
    const weir_value beats = take_beats(l, node, suffix, x, codes->shape.dim[0]);
    if (beats.id == 0) return beats;
    char *name = weir_format("%s%s_codes", weir_node_name(l->from, node), suffix);
    const weir_value table = weir_graph_add_constant(l->to, name, codes);
    free(name);
    const weir_value stream = weir_lower_read_table(l, node, suffix, beats, table, &quant);
    if (stream.id == 0) return stream;
    snprintf(suffix, sizeof suffix, "_shaped_%zu", index);
    return weir_lower_reshape_as(l, node, suffix, stream, &weir_value_type(l->from, input)->shape);
}

/* --- constants alone, as weights that are given in parts --- */

static bool same_numbers(const weir_quant *a, const weir_quant *b) {
    bool same = a->count == b->count && (a->count <= 1 || a->axis == b->axis);
    for (uint32_t i = 0; same && (i == 0 || i < a->count); i++)
        same = weir_quant_scale(a, i) == weir_quant_scale(b, i) && weir_quant_zero(a, i) == weir_quant_zero(b, i);
    return same;
}

/* The quantization of all parts together, which are WEIGHTS: theirs where they share it, else one a row of the axis
 * along which they follow each other. False after a reported error. */
static bool unite_quantizations(weir_lowering *l, weir_node node, int axis, weir_quant *quant) {
    const size_t inputs = weir_node_input_count(l->from, node);
    const weir_quant *first = weir_expression_quant(weir_lower_input(l, node, 0));
    int64_t rows = 0;
    bool same = true, by_row = true, is_signed = false;
    int width = 1;
    for (size_t i = 0; i < inputs; i++) {
        const weir_expression *part = weir_lower_input(l, node, i);
        const weir_quant *own = weir_expression_quant(part);
        const bool along = own->count > 1 && own->axis == axis;
        same = same && !along && same_numbers(own, first);
        by_row = by_row && (along || own->count <= 1);
        rows += weir_expression_data(part)->shape.dim[axis];
        is_signed |= own->is_signed;
        if (own->width > width) width = own->width;
    }
    if (!same && !by_row)
        return weir_lower_fail(l, node, "its weights have scales along an axis other than the one that it joins");
    *quant = *first;
    quant->is_signed = is_signed;
    quant->width = width;
    if (same) return true;
    double *scale = weir_arena_array(weir_graph_arena(l->to), (size_t)rows, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), (size_t)rows, sizeof *zero), row = 0;
    for (size_t i = 0; i < inputs; i++) {
        const weir_expression *part = weir_lower_input(l, node, i);
        for (int64_t k = 0; k < weir_expression_data(part)->shape.dim[axis]; k++, row++) {
            scale[row] = weir_quant_scale(weir_expression_quant(part), k);
            zero[row] = weir_quant_zero(weir_expression_quant(part), k);
        }
    }
    quant->format = WEIR_FORMAT_INTEGER; /* not the grid of the first */
    quant->axis = axis;
    quant->count = (uint32_t)rows;
    quant->scale = scale;
    quant->zero_point = zero;
    return true;
}

/* Are all parts WEIGHTS, or none? False after a reported error. */
static bool check_kinds(weir_lowering *l, weir_node node) {
    const weir_expression_kind first = weir_expression_kind_of(weir_lower_input(l, node, 0));
    for (size_t i = 1; i < weir_node_input_count(l->from, node); i++) {
        const weir_expression_kind kind = weir_expression_kind_of(weir_lower_input(l, node, i));
        if (kind != first)
            return weir_lower_fail(l, node, "input %zu is %s, but input 0 is not", i,
                                   kind == WEIR_EXPRESSION_WEIGHTS ? "quantized" : "a constant that is not quantized");
    }
    return true;
}

static bool join_constants(weir_lowering *l, weir_node node, int axis) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const weir_expression *first = weir_lower_input(l, node, 0);
    const bool real = weir_expression_kind_of(first) == WEIR_EXPRESSION_CONSTANT;
    weir_quant quant = {.format = WEIR_FORMAT_INTEGER};
    if (axis < 0) axis += shape->rank;
    if (!check_kinds(l, node) || (!real && !unite_quantizations(l, node, axis, &quant))) return false;
    const weir_dtype dtype = real ? weir_expression_data(first)->dtype : WEIR_INT64;
    weir_array *joined = weir_array_in(weir_graph_arena(l->to), dtype, shape);
    size_t inner = 1, begin = 0;
    for (int i = axis + 1; i < shape->rank; i++) inner *= (size_t)shape->dim[i];
    const size_t whole = (size_t)shape->dim[axis] * inner;
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++) {
        const weir_array *part = weir_expression_data(weir_lower_input(l, node, i));
        const size_t run = (size_t)part->shape.dim[axis] * inner;
        for (size_t k = 0; k < part->count; k++) {
            const size_t to = k / run * whole + begin + k % run;
            if (dtype == WEIR_INT64) weir_array_set_int(joined, to, weir_array_get_int(part, k));
            else weir_array_set(joined, to, weir_array_get(part, k));
        }
        begin += run;
    }
    weir_arena *arena = weir_graph_arena(l->to);
    weir_lower_set(l, node,
                   real ? weir_expression_constant(arena, joined) : weir_expression_weights(arena, joined, &quant));
    return true;
}

/* --- the node --- */

static bool all_given(const weir_lowering *l, weir_node node) {
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++) {
        if (!weir_expression_has_data(weir_lower_input(l, node, i))) return false;
    }
    return true;
}

/* The codes of all inputs, those computed first; false after a reported error. */
static bool read_inputs(weir_lowering *l, weir_node node, const weir_quant *quantizer, weir_value *codes) {
    const size_t inputs = weir_node_input_count(l->from, node);
    weir_value computed = WEIR_NO_VALUE;
    for (int given = 0; given < 2; given++) {
        for (size_t i = 0; i < inputs; i++) {
            if (weir_expression_has_data(weir_lower_input(l, node, i)) != (given == 1)) continue;
            codes[i] = given == 1 ? make_stream(l, node, i, computed, quantizer)
                                  : weir_lower_read_codes(l, node, i, quantizer);
            if (codes[i].id == 0) return false;
            if (computed.id == 0) computed = codes[i];
        }
    }
    return true;
}

bool weir_lower_concat(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    const weir_type *type = weir_value_type(l->from, weir_node_output(l->from, node, 0));
    const size_t inputs = weir_node_input_count(l->from, node);
    const int axis = (int)weir_node_int(l->from, node, "axis", 0);
    weir_leaf joined = {.ahead = quantizer != NULL};
    if (all_given(l, node)) return join_constants(l, node, axis);
    if (!weir_dtype_is_float(type->dtype)) return weir_lower_fail(l, node, "hardware supports it only on real numbers");
    weir_value *codes = weir_calloc(inputs, sizeof *codes);
    bool fine = read_inputs(l, node, quantizer, codes);
    if (fine && quantizer == NULL && weir_lower_carries(l, node)) {
        for (size_t i = 0; fine && i < inputs; i++) fine = (codes[i] = weir_lower_fit(l, node, codes[i])).id != 0;
        fine =
            fine && weir_lower_align(l, node, codes, inputs, weir_lower_needed(l, weir_node_output(l->from, node, 0)));
    }
    for (size_t i = 0; fine && i < inputs; i++) {
        char suffix[24] = "";
        if (i + 1 < inputs) snprintf(suffix, sizeof suffix, "_%zu", i);
        weir_value next = codes[i];
        fine = i == 0 || weir_lower_unite(l, node, i, &joined.codes, &next);
        if (fine)
            joined.codes = i == 0 ? next : weir_lower_join(l, node, suffix, (weir_value[]){joined.codes, next}, axis);
        fine = fine && joined.codes.id != 0;
    }
    free(codes);
    return fine && weir_lower_set_leaf(l, node, &joined);
}
