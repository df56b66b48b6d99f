/* Lowering of MatMul. By a constant matrix it is a dense layer; by several, one for each batch, a dense layer of
 * groups, with the batches innermost. Of two matrices that are both computed: lower_product.c. */
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* One more loop over all elements of a result. */
static void add_loop(weir_reordering *r, int64_t size, int64_t stride) {
    r->shape.dim[r->shape.rank++] = size;
    r->size[r->loops] = r->end[r->loops] = size;
    r->stride[r->loops++] = stride;
}

static int64_t dimension(const weir_shape *own, const weir_shape *result, int i) {
    const int at = i - result->rank + own->rank;
    return at < 0 ? 1 : own->dim[at];
}

/* The elements from one index of the result's dimension to the next; where it is broadcast: 0. */
static int64_t stride_of(const weir_shape *own, const weir_shape *result, int i) {
    const int at = i - result->rank + own->rank;
    int64_t stride = 1;
    for (int d = at + 1; d < own->rank; d++) stride *= d < 0 ? 1 : own->dim[d];
    return dimension(own, result, i) == 1 ? 0 : stride;
}

/* --- a constant matrix a batch --- */

/* What a batch dimension of the result is to the operands: rows of the data that meet one matrix, a matrix of its own
 * for each, or more results of one row. */
typedef enum batch_kind { BATCH_ROWS, BATCH_GROUPS, BATCH_OUTPUTS } batch_kind;

typedef struct batches {
    weir_shape data, weights, result;
    int count; /* of batch dimensions */
    batch_kind kind[WEIR_MAX_RANK];
    int64_t rows, groups, outputs,
        inner; /* of the data; matrices; columns of all results of one row in a group; products each */
} batches;

static batches batches_of(const weir_shape *data, const weir_shape *weights, const weir_shape *result) {
    batches b = {.data = *data, .weights = *weights, .result = *result, .count = result->rank - 2};
    b.rows = result->dim[result->rank - 2];
    b.outputs = result->dim[result->rank - 1];
    b.groups = 1;
    b.inner = data->dim[data->rank - 1];
    for (int i = 0; i < b.count; i++) {
        const bool shared = dimension(weights, result, i) == 1, repeated = dimension(data, result, i) == 1;
        b.kind[i] = shared ? BATCH_ROWS : repeated ? BATCH_OUTPUTS : BATCH_GROUPS;
        int64_t *of = b.kind[i] == BATCH_ROWS ? &b.rows : b.kind[i] == BATCH_GROUPS ? &b.groups : &b.outputs;
        *of *= result->dim[i];
    }
    return b;
}

/* Loops over the batch dimensions of one kind. */
static void add_kind(weir_reordering *r, const batches *b, batch_kind kind, const weir_shape *own) {
    for (int i = 0; i < b->count; i++)
        if (b->kind[i] == kind) add_loop(r, b->result.dim[i], stride_of(own, &b->result, i));
}

/* The data as rows of the parts that meet each matrix. */
static weir_reordering rows_of_groups(const batches *b) {
    weir_reordering r = {.loops = 0};
    add_kind(&r, b, BATCH_ROWS, &b->data);
    add_loop(&r, b->data.dim[b->data.rank - 2], b->inner);
    add_kind(&r, b, BATCH_GROUPS, &b->data);
    add_loop(&r, b->inner, 1);
    r.shape = (weir_shape){2, {b->rows, b->groups * b->inner}};
    return r;
}

/* Where element [row, group, output] of the product is in the result: its dimensions, in the order of the product. */
static int product_dimensions(const batches *b, int *dimension_at) {
    static const batch_kind kinds[3] = {BATCH_ROWS, BATCH_GROUPS, BATCH_OUTPUTS};
    int count = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < b->count; i++)
            if (b->kind[i] == kinds[k]) dimension_at[count++] = i;
        if (kinds[k] == BATCH_ROWS) dimension_at[count++] = b->count; /* the rows of a matrix */
    }
    dimension_at[count++] = b->count + 1; /* its columns */
    return count;
}

/* The result, of the product. */
static weir_reordering order_of_result(const batches *b) {
    int at[WEIR_MAX_RANK];
    int64_t stride[WEIR_MAX_RANK], next = 1;
    for (int i = product_dimensions(b, at) - 1; i >= 0; i--) {
        stride[at[i]] = next;
        next *= b->result.dim[at[i]];
    }
    weir_reordering r = {.loops = 0};
    for (int i = 0; i < b->result.rank; i++) add_loop(&r, b->result.dim[i], stride[i]);
    r.shape = b->result;
    return r;
}

/* Of row [group, output] of the matrix: the element of the weights in column 0, and the index along their axis
 * `axis`. */
static size_t weights_at(const batches *b, int64_t row, int axis, int64_t *index) {
    int at[WEIR_MAX_RANK];
    int64_t element = 0;
    *index = 0;
    for (int i = product_dimensions(b, at) - 1; i >= 0; i--) {
        const int d = at[i], own = d - b->result.rank + b->weights.rank;
        if (d == b->count || (d < b->count && b->kind[d] == BATCH_ROWS)) continue;
        const int64_t position = row % b->result.dim[d];
        row /= b->result.dim[d];
        element += position * stride_of(&b->weights, &b->result, d);
        if (own == axis) *index = position;
    }
    return (size_t)element;
}

static size_t by_batch(const void *user, int64_t row, int64_t column) {
    const batches *b = user;
    int64_t index;
    return weights_at(b, row, -1, &index) + (size_t)(column * b->weights.dim[b->weights.rank - 1]);
}

/* The weights with a scale and zero point for each row of the matrix, where they have several. */
static const weir_expression *scale_rows(weir_lowering *l, const batches *b, const weir_expression *weights) {
    const uint32_t rows = (uint32_t)(b->groups * b->outputs);
    const weir_quant *given = weir_expression_quant(weights);
    if (given->count <= 1) return weights;
    weir_arena *arena = weir_graph_arena(l->to);
    double *scale = weir_arena_array(arena, rows, sizeof *scale);
    int64_t *zero = weir_arena_array(arena, rows, sizeof *zero);
    for (uint32_t i = 0; i < rows; i++) {
        int64_t index;
        weights_at(b, i, given->axis, &index);
        scale[i] = weir_quant_scale(given, index);
        zero[i] = weir_quant_zero(given, index);
    }
    weir_quant quant = *given;
    quant.count = rows;
    quant.axis = 0;
    quant.scale = scale;
    quant.zero_point = zero;
    return weir_expression_weights(arena, weir_expression_data(weights), &quant);
}

static bool keeps_order(const weir_reordering *r) {
    int64_t next = 1;
    bool same = true;
    for (int i = r->loops - 1; i >= 0; i--) {
        same &= r->size[i] == 1 || r->stride[i] == next;
        next *= r->size[i];
    }
    return same;
}

/* The product as the result: codes of the quantizer behind move, else sums. */
static bool give_result(weir_lowering *l, weir_node node, const batches *b, const weir_quant *quantizer) {
    const weir_reordering r = order_of_result(b);
    const weir_value output = weir_node_output(l->from, node, 0);
    const weir_expression *x = weir_lower_expression(l, output);
    if (keeps_order(&r)) {
        weir_lower_set(l, node, weir_lower_reshaped(l, x, &b->result));
        return true;
    }
    if (quantizer != NULL) {
        if (!weir_lower_quantize(l, node, x, quantizer)) return false;
        x = weir_lower_expression(l, output);
    }
    weir_leaf leaf = *weir_expression_leaf(x);
    leaf.ahead = quantizer != NULL;
    if (quantizer == NULL) {
        if (weir_lower_scales_differ(l, leaf.codes))
            return weir_lower_fail(l, node, "its weights have several scales: it needs a quantizer right after it");
        leaf.codes = weir_lower_one_scale(l, node, leaf.codes);
        if (leaf.codes.id == 0) return false;
    }
    leaf.codes = weir_lower_in_order(l, node, "_result", leaf.codes, &r);
    if (leaf.codes.id == 0) return false;
    weir_lower_set(l, node, weir_expression_with_leaf(weir_graph_arena(l->to), x, &leaf));
    return true;
}

static bool lower_batches(weir_lowering *l, weir_node node, const weir_expression *x, const weir_expression *weights,
                          const weir_quant *quantizer) {
    if (!weir_lower_check_operands(l, node, x, weights)) return false;
    const int inputs = weir_expression_data(weights)->shape.rank - 2, axis = weir_expression_quant(weights)->axis;
    weir_value codes = weir_lower_one_scale(l, node, weir_lower_operand(l, node, x, false));
    if (codes.id == 0) return false;
    weights = weir_lower_scale_inputs(l, node, &codes, weights, axis == inputs ? -1 : axis, inputs);
    if (weights == NULL) return false;
    const weir_shape *data = &weir_value_type(l->to, codes)->shape;
    const weir_shape *result = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (data->rank < 2)
        return weir_lower_fail(l, node,
                               "hardware multiplies a matrix, not a vector, by several "
                               "matrices");
    const batches b = batches_of(data, &weir_expression_data(weights)->shape, result);
    const weir_reordering r = rows_of_groups(&b);
    const weir_value rows = weir_lower_in_order(l, node, "_rows", codes, &r);
    if (rows.id == 0) return false;
    const weir_expression *scaled = scale_rows(l, &b, weights);
    const weir_shape shape = {2, {b.groups * b.outputs, b.inner}};
    const weir_array *matrix = weir_lower_matrix(l, scaled, &shape, by_batch, &b);
    return weir_lower_product(l, node, rows, matrix, weir_expression_quant(scaled), b.groups, NULL) &&
           give_result(l, node, &b, quantizer);
}

/* --- the operators --- */

static bool is_operand(const weir_lowering *l, weir_node node, const weir_expression *x) {
    return weir_expression_has_codes(x) || (weir_expression_is_hardware(x) && weir_lower_carries(l, node));
}

bool weir_lower_matrices(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b,
                         const weir_quant *quantizer) {
    if (is_operand(l, node, a) && is_operand(l, node, b))
        return weir_lower_product_of_two(l, node, a, b, quantizer != NULL);
    if (is_operand(l, node, a) && weir_expression_has_data(b) && weir_expression_data(b)->shape.rank > 2)
        return lower_batches(l, node, a, b, quantizer);
    return weir_lower_linear(l, node, a, b, false, NULL);
}

bool weir_lower_matmul(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    return weir_lower_matrices(l, node, weir_lower_input(l, node, 0), weir_lower_input(l, node, 1), quantizer);
}
