/* Constants of the model by channel of the codes that they meet, or element by element. */
#include <stdlib.h>
#include <string.h>

#include "exec/kernel_common.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "quant/arithmetic.h"
#include "support/memory/arena.h"

/* Elements in row-major order belong to channels in turn: is element i of the broadcast constant that of channel i %
 * channels? */
static bool is_by_channel(const weir_shape *own, const weir_array *constant, const weir_shape *shape) {
    const size_t channels = own->rank == 0 ? 1 : (size_t)own->dim[own->rank - 1],
                 size = weir_dtype_size(constant->dtype);
    if (constant->count == 1) return true;
    const weir_broadcast from = weir_broadcast_of(&constant->shape, shape);
    size_t elements = 1;
    bool same = true;
    weir_shape_count(shape, &elements);
    for (size_t i = channels; same && i < elements; i++)
        same = memcmp((const char *)constant->data + weir_broadcast_index(&from, i) * size,
                      (const char *)constant->data + weir_broadcast_index(&from, i % channels) * size, size) == 0;
    return same;
}

static bool keeps_count(const weir_shape *own, const weir_shape *shape) {
    size_t elements = 1, wanted = 1;
    weir_shape_count(shape, &elements);
    weir_shape_count(own, &wanted);
    return elements == wanted;
}

const weir_array *weir_lower_by_channel(weir_lowering *l, weir_node node, weir_value codes, const weir_array *constant,
                                        const weir_shape *shape) {
    const weir_shape *own = &weir_value_type(l->to, codes)->shape;
    const size_t size = weir_dtype_size(constant->dtype);
    if (!keeps_count(own, shape)) {
        weir_lower_fail(l, node, "its constant broadcasts its input to more elements");
        return NULL;
    }
    if (!is_by_channel(own, constant, shape)) {
        weir_lower_fail(l, node, "its constant may differ only along the channels, the last axis of the dense layer");
        return NULL;
    }
    const weir_broadcast from = weir_broadcast_of(&constant->shape, shape);
    const int64_t count = constant->count == 1 ? 1 : own->dim[own->rank - 1];
    weir_array *result = weir_array_in(weir_graph_arena(l->to), constant->dtype, &(weir_shape){1, {count}});
    for (size_t i = 0; i < result->count; i++)
        memcpy((char *)result->data + i * size, (const char *)constant->data + weir_broadcast_index(&from, i) * size,
               size);
    return result;
}

/* A matrix of the elements of `shape` whose rows have the same part of the constant. */
static weir_shape rows_of(const weir_array *constant, const weir_shape *shape) {
    weir_shape rows = {2, {1, 1}};
    const int ahead = shape->rank - constant->shape.rank;
    bool varies = false;
    for (int d = 0; d < shape->rank; d++) {
        varies |= d >= ahead && constant->shape.dim[d - ahead] > 1;
        rows.dim[varies] *= shape->dim[d];
    }
    return rows;
}

/* Are they constant codes of one scale that change from element to element of x, or have more elements? */
static bool needs_elements(const weir_lowering *l, weir_node node, const weir_expression *given,
                           const weir_expression *x) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (!weir_expression_has_codes(x) || !weir_expression_has_data(given)) return false;
    const weir_array *data = weir_expression_data(given);
    const bool are_codes = weir_expression_kind_of(given) == WEIR_EXPRESSION_WEIGHTS
                               ? weir_expression_quant(given)->count <= 1
                               : !weir_dtype_is_float(data->dtype);
    const weir_shape *own = &weir_value_type(l->to, weir_expression_first(x)->codes)->shape;
    return are_codes && (!keeps_count(own, shape) || !is_by_channel(own, data, shape));
}

/* What changes by channel, for the elements of a row, in which the channels take turns. */
static const weir_array *repeat_array(weir_lowering *l, const weir_array *array, int64_t elements) {
    if (array == NULL || array->count == 1) return array;
    weir_array *result = weir_array_in(weir_graph_arena(l->to), array->dtype, &(weir_shape){1, {elements}});
    for (size_t i = 0; i < result->count; i++) weir_array_set(result, i, weir_array_get(array, i % array->count));
    return result;
}

/* The operators of x, of the leaf, with what changes by channel repeated. */
static const weir_expression *repeat_operators(weir_lowering *l, const weir_expression *x, const weir_leaf *leaf,
                                               int64_t elements) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_expression_kind kind = weir_expression_kind_of(x);
    if (kind == WEIR_EXPRESSION_CODES) return weir_expression_of_leaf(arena, leaf);
    const weir_expression *operand = repeat_operators(l, weir_expression_operand(x), leaf, elements);
    if (kind == WEIR_EXPRESSION_RELU) return weir_expression_relu(arena, operand);
    if (kind == WEIR_EXPRESSION_STEP) {
        const weir_step *step = weir_expression_step_of(x);
        return weir_lower_step(l, operand, step->op, repeat_array(l, step->constant, elements));
    }
    uint32_t count;
    const double *number = weir_expression_numbers(x, &count);
    if (count == 1) return weir_expression_offset(arena, operand, number, 1);
    double *offset = weir_arena_array(arena, (size_t)elements, sizeof *offset);
    for (size_t i = 0; i < (size_t)elements; i++) offset[i] = number[i % count];
    return weir_expression_offset(arena, operand, offset, (uint32_t)elements);
}

static weir_quant repeat_scales(weir_lowering *l, const weir_quant *quant, int64_t elements) {
    weir_arena *arena = weir_graph_arena(l->to);
    double *scale = weir_arena_array(arena, (size_t)elements, sizeof *scale);
    int64_t *zero = weir_arena_array(arena, (size_t)elements, sizeof *zero);
    for (int64_t i = 0; i < elements; i++) {
        scale[i] = weir_quant_scale(quant, i % quant->count);
        zero[i] = weir_quant_zero(quant, i % quant->count);
    }
    weir_quant result = *quant;
    result.count = (uint32_t)elements;
    result.axis = 1;
    result.scale = scale;
    result.zero_point = zero;
    return result;
}

static weir_value relabel(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                          const weir_quant *quant) {
    weir_type type = *weir_value_type(l->to, codes);
    type.quant = *quant;
    return weir_node_output(l->to, weir_lower_add_node(l, node, WEIR_OP_RELABEL, suffix, &codes, 1, &type), 0);
}

/* Codes as rows; scales by channel become scales by element, between which the codes are none of any scale. */
static weir_value make_rows(weir_lowering *l, weir_node node, weir_value codes, const weir_shape *rows) {
    static const double one = 1;
    const weir_quant quant = weir_value_type(l->to, codes)->quant;
    if (quant.count <= 1) return weir_lower_reshape_as(l, node, "_elements", codes, rows);
    weir_quant plain = quant;
    plain.count = 1;
    plain.axis = -1;
    plain.scale = &one;
    plain.zero_point = NULL;
    const weir_quant repeated = repeat_scales(l, &quant, rows->dim[1]);
    const weir_value bare = relabel(l, node, "_codes", codes, &plain);
    return relabel(l, node, "_scales", weir_lower_reshape_as(l, node, "_elements", bare, rows), &repeated);
}

/* x with the result's dimensions, of which it has as many elements, where those are more: the constant's. */
static const weir_expression *with_rank(weir_lowering *l, weir_node node, const weir_expression *x,
                                        const weir_shape *shape) {
    weir_leaf leaf = *weir_expression_leaf(x);
    const weir_type *own = weir_value_type(l->to, leaf.codes);
    if (leaf.map != NULL || own->quant.count > 1 || own->shape.rank >= shape->rank) return x;
    leaf.codes = weir_lower_reshape_as(l, node, "_aligned", leaf.codes, shape);
    return weir_expression_with_leaf(weir_graph_arena(l->to), x, &leaf);
}

const weir_expression *weir_lower_spread(weir_lowering *l, weir_node node, const weir_expression *x,
                                         const weir_array *constant, const weir_shape *shape) {
    if (!keeps_count(&weir_value_type(l->to, weir_expression_codes_of(x))->shape, shape)) return x;
    x = with_rank(l, node, x, shape);
    weir_leaf leaf = *weir_expression_leaf(x);
    const weir_shape *own = &weir_value_type(l->to, leaf.codes)->shape;
    if (is_by_channel(own, constant, shape)) return x;
    const weir_shape rows = rows_of(constant, shape);
    const bool channels = weir_lower_has_channels(l, x);
    if (channels && rows.dim[1] % own->dim[own->rank - 1] != 0) return x;
    weir_arena *arena = weir_graph_arena(l->to);
    weir_index_map *map = weir_arena_alloc(arena, sizeof *map);
    *map = weir_index_map_keep(arena, &rows, shape);
    leaf.codes = make_rows(l, node, leaf.codes, &rows);
    leaf.map = map;
    return channels ? repeat_operators(l, x, &leaf, rows.dim[1]) : weir_expression_with_leaf(arena, x, &leaf);
}

/* The rows' part of the codes as a table of one code a channel. */
static weir_value add_table(weir_lowering *l, weir_node node, const weir_array *codes, const weir_shape *shape,
                            int64_t row) {
    const weir_broadcast from = weir_broadcast_of(&codes->shape, shape);
    weir_array *table = weir_array_new(WEIR_INT64, &(weir_shape){2, {row, 1}});
    for (size_t i = 0; i < table->count; i++)
        weir_array_set_int(table, i, weir_array_get_int(codes, weir_broadcast_index(&from, i)));
    char *name = weir_format("%s_elements", weir_node_name(l->from, node));
    const weir_value value = weir_graph_add_constant(l->to, name, table);
    free(name);
    weir_array_free(table);
    return value;
}

weir_value weir_lower_nothing(weir_lowering *l, weir_node node, const char *suffix, weir_value codes) {
    static const weir_quant nothing = {.format = WEIR_FORMAT_INTEGER, .axis = -1, .width = 1};
    const weir_type type = weir_lower_codes_type(&nothing, &weir_value_type(l->to, codes)->shape, 0, 0);
    return weir_lower_clip(l, node, suffix, codes, &type);
}

weir_value weir_lower_read_table(weir_lowering *l, weir_node node, const char *suffix, weir_value nothing,
                                 weir_value table, const weir_quant *quant) {
    const weir_value inputs[2] = {nothing, table};
    int64_t low, high;
    weir_quant_limits(quant, &low, &high);
    const weir_type type = weir_lower_codes_type(quant, &weir_value_type(l->to, nothing)->shape, low, high);
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_LOOKUP, suffix, inputs, 2, &type);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

/* The constant becomes a stream beside x: each beat of x reads the next of a table. */
static bool make_stream(weir_lowering *l, weir_node node, weir_value given, const weir_expression *x) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const weir_expression *constant = weir_lower_expression(l, given);
    const weir_array *data = weir_expression_data(constant);
    const weir_shape rows = rows_of(data, shape);
    const weir_quant quant = weir_expression_kind_of(constant) == WEIR_EXPRESSION_WEIGHTS
                                 ? *weir_expression_quant(constant)
                                 : weir_lower_quant_of(data->dtype, NULL, NULL, 0, -1);
    weir_value beats = weir_lower_nothing(l, node, "_nothing", weir_expression_first(x)->codes);
    if (beats.id != 0) beats = weir_lower_broadcast(l, node, "_beats", beats, shape);
    if (beats.id == 0) return false;
    beats = weir_lower_reshape_as(l, node, "_rows", beats, &rows);
    const weir_value table = add_table(l, node, data, shape, rows.dim[1]);
    const weir_value codes = weir_lower_read_table(l, node, "_constant", beats, table, &quant);
    if (codes.id == 0) return false;
    const weir_value stream = weir_lower_reshape_as(l, node, "_shaped", codes, shape);
    weir_lower_become(l, given, weir_expression_codes(weir_graph_arena(l->to), stream));
    return true;
}

/* Of the operators with two operands of one kind: where the other one is. */
static size_t second_operand(weir_op op) {
    const weir_op kind = weir_trait_of(op)->kind;
    if (kind == WEIR_OP_QLINEAR_ADD || kind == WEIR_OP_QLINEAR_MUL) return 3;
    const int most = weir_op_get(op)->inputs_max;
    const bool divides = kind == WEIR_OP_DIV; /* the divisor is no stream */
    return weir_trait_of(op)->element == WEIR_ELEMENT_STEP && (most == 2 || most < 0) && !divides ? 1 : 0;
}

bool weir_lower_beside(weir_lowering *l, weir_node node, weir_lower_rule *rule) {
    const size_t second = second_operand(weir_node_op(l->from, node));
    for (size_t i = 0; second > 0 && i <= second; i += second) {
        const weir_value value = weir_node_input(l->from, node, i), other = weir_node_input(l->from, node, second - i);
        const weir_expression *given = weir_lower_expression(l, value), *x = weir_lower_expression(l, other);
        if (!needs_elements(l, node, given, x)) continue;
        const bool fine = make_stream(l, node, value, x) && rule(l, node);
        weir_lower_become(l, value, given);
        return fine;
    }
    return rule(l, node);
}

bool weir_lower_normalization(weir_lowering *l, weir_node node, const weir_array **factor, const weir_array **term) {
    const weir_array *p[5] = {NULL};
    for (size_t i = 1; i < 5; i++) {
        p[i] = weir_lower_constant(l, weir_node_input(l->from, node, i));
        if (p[i] == NULL) return weir_lower_fail(l, node, "input %zu must be a constant", i);
    }
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    weir_shape wide = {.rank = shape->rank};
    for (int d = 0; d < wide.rank; d++) wide.dim[d] = 1;
    wide.dim[weir_layout_channel_axis(l->from, node)] = (int64_t)p[1]->count;
    weir_array *factors = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &wide);
    weir_array *terms = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &wide);
    const float epsilon = (float)weir_node_float(l->from, node, "epsilon", 1e-5);
    for (size_t c = 0; c < factors->count; c++) {
        const weir_normalization n =
            weir_normalization_of((float)weir_array_get(p[1], c), (float)weir_array_get(p[2], c),
                                  (float)weir_array_get(p[3], c), (float)weir_array_get(p[4], c), epsilon);
        weir_array_set(factors, c, (double)n.factor);
        weir_array_set(terms, c, (double)n.term);
    }
    *factor = factors;
    *term = terms;
    return true;
}
