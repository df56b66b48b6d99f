/* Lowering of a product of two quantized tensors: codes less their zero points are multiplied exactly, and the
 * quantizer after it scales the product with one float32 factor, as that of a dense layer does. */
#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* One row for all rows of the result, which hardware repeats by itself. */
static bool is_row(const weir_shape *a, const weir_shape *result) {
    int d = 0;
    bool same = a->rank == result->rank;
    while (d < a->rank - 1 && a->dim[d] == 1) d++;
    for (; same && d < a->rank; d++) same = a->dim[d] == result->dim[d];
    return same;
}

bool weir_lower_multiply(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b) {
    const bool inputs = a == weir_lower_input(l, node, 0) && b == weir_lower_input(l, node, 1);
    weir_value pair[2] = {inputs ? weir_lower_read_codes(l, node, 0, NULL) : weir_lower_codes(l, node, a),
                          WEIR_NO_VALUE};
    if (pair[0].id != 0) pair[1] = inputs ? weir_lower_read_codes(l, node, 1, NULL) : weir_lower_codes(l, node, b);
    if (pair[1].id == 0) return false;
    const weir_type *y = weir_value_type(l->from, weir_node_output(l->from, node, 0));
    if (!weir_shape_equal(&weir_value_type(l->to, pair[1])->shape, &y->shape)) { /* what is repeated comes first */
        const weir_value first = pair[0];
        pair[0] = pair[1];
        pair[1] = first;
    }
    if (!is_row(&weir_value_type(l->to, pair[0])->shape, &y->shape))
        pair[0] = weir_lower_broadcast(l, node, "_left", pair[0], &y->shape);
    pair[1] = weir_lower_broadcast(l, node, "_right", pair[1], &y->shape);
    if (pair[0].id == 0 || pair[1].id == 0) return false;
    if (weir_value_type(l->to, pair[0])->quant.count > 1 || weir_value_type(l->to, pair[1])->quant.count > 1)
        return weir_lower_fail(l, node, "hardware multiplies tensors with one scale each");
    if (weir_lower_carries(l, node) && !weir_lower_narrow_pair(l, node, pair)) return false;
    const weir_interval needed =
        l->infinite_count > 0 ? weir_lower_needed(l, weir_node_output(l->from, node, 0)) : weir_lower_any;
    return weir_lower_set_codes(l, node, weir_lower_products(l, node, "", pair, needed));
}

bool weir_lower_round_product(weir_lowering *l, weir_node node, const weir_quant *quant) {
    static const double one = 1;
    const weir_value output = weir_node_output(l->from, node, 0);
    const weir_expression *x = weir_lower_expression(l, output);
    const weir_value products = weir_expression_codes_of(x);
    weir_type type = *weir_value_type(l->to, products);
    double *factor = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *factor);
    *factor = (float)weir_quant_scale(&type.quant, 0) / (float)weir_quant_scale(quant, 0);
    type.quant.scale = factor;
    weir_value_set_type(l->to, products, &type);
    weir_array *zero = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){1, {1}});
    weir_array_set(zero, 0, (double)weir_quant_zero(quant, 0));
    weir_quant whole = *quant; /* codes as whole numbers */
    whole.scale = &one;
    whole.zero_point = NULL;
    if (!weir_lower_quantize(l, node, weir_lower_step(l, x, WEIR_OP_ADD, zero), &whole)) return false;
    const weir_value codes = weir_expression_codes_of(weir_lower_expression(l, output));
    type = *weir_value_type(l->to, codes);
    type.quant = *quant;
    const weir_node named = weir_lower_add_node(l, node, WEIR_OP_RELABEL, "", &codes, 1, &type);
    return weir_lower_set_codes(l, node, weir_node_output(l->to, named, 0));
}
