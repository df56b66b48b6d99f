/* Lowering of a PRelu whose slopes change from element to element. By channel it is a function of one code; a table an
 * element would be 2^bits as large as the tensor. Of a number and its product by the slope one counts, and the
 * quantizer behind gives 0 for the other: with zero point z, Q(PRelu(x)) = Q(max(x, 0)) + Q(slope * min(x, 0)) - z. So
 * there are two quantizers, of which one has a factor an element, and a sum. */
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* No value after a reported error. */
static weir_value quantize_part(weir_lowering *l, weir_node node, const weir_expression *part,
                                const weir_quant *quantizer) {
    if (!weir_lower_quantize(l, node, part, quantizer)) return WEIR_NO_VALUE;
    return weir_lower_codes(l, node, weir_lower_expression(l, weir_node_output(l->from, node, 0)));
}

/* min(x, 0): of plain codes one clip, which leaves products by the slopes as even as any; NULL after a reported
 * error. */
static const weir_expression *below_zero(weir_lowering *l, weir_node node, const weir_expression *x) {
    const weir_type *codes = weir_value_type(l->to, weir_expression_codes_of(x));
    const int64_t zero = weir_quant_zero(&codes->quant, 0);
    if (weir_lower_has_channels(l, x) || weir_expression_kind_of(x) != WEIR_EXPRESSION_CODES || zero < codes->low ||
        zero > codes->high) {
        weir_array *number = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){1, {1}});
        weir_array_set(number, 0, 0);
        return weir_lower_step(l, x, WEIR_OP_MIN, number);
    }
    const weir_type type = weir_lower_codes_type(&codes->quant, &codes->shape, codes->low, zero);
    const weir_value clipped = weir_lower_clip(l, node, "_below", weir_expression_codes_of(x), &type);
    return clipped.id == 0 ? NULL : weir_expression_with_codes(weir_graph_arena(l->to), x, clipped);
}

/* The codes of both parts, of which one is the zero point, added; no value after a reported error. */
static weir_value add_parts(weir_lowering *l, weir_node node, const weir_value *part, const weir_quant *quantizer) {
    const int64_t zero = weir_quant_zero(quantizer, 0);
    const weir_type *one = weir_value_type(l->to, part[0]), *other = weir_value_type(l->to, part[1]);
    weir_type type = {
        .dtype = WEIR_INT64, .shape = one->shape, .quant = {.format = WEIR_FORMAT_INTEGER, .axis = -1, .width = 64}};
    const weir_node sum = weir_lower_add_node(l, node, WEIR_OP_SUM, "_parts", part, 2, &type);
    if (!weir_infer_node(l->to, sum)) return WEIR_NO_VALUE;
    const int64_t low = one->low < other->low ? one->low : other->low;
    const int64_t high = one->high > other->high ? one->high : other->high;
    weir_array *add = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){1, {1}});
    weir_array_set_int(add, 0, -zero);
    type = weir_lower_codes_type(quantizer, &one->shape, low, high);
    return weir_lower_shift(l, node, "", weir_node_output(l->to, sum, 0), add, &type);
}

/* The node's result becomes the quantizer's codes. */
static bool lower_elements(weir_lowering *l, weir_node node, const weir_expression *x, const weir_array *slopes,
                           const weir_quant *quantizer) {
    const weir_expression *above = weir_lower_step(l, x, WEIR_OP_RELU, NULL), *below = below_zero(l, node, x);
    if (below == NULL) return false;
    weir_value part[2] = {quantize_part(l, node, above, quantizer), WEIR_NO_VALUE};
    if (part[0].id == 0) return false;
    part[1] = quantize_part(l, node, weir_lower_step(l, below, WEIR_OP_MUL, slopes), quantizer);
    if (part[1].id == 0) return false;
    const weir_leaf leaf = {.codes = add_parts(l, node, part, quantizer), .ahead = true};
    return weir_lower_set_leaf(l, node, &leaf);
}

bool weir_lower_prelu(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    const weir_value input = weir_node_input(l->from, node, 0);
    const weir_expression *x = weir_lower_expression(l, input);
    const weir_array *slopes = weir_lower_constant(l, weir_node_input(l->from, node, 1));
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const bool sum = weir_expression_source(x) == WEIR_EXPRESSION_SUM;
    const weir_expression *exact =
        sum ? weir_lower_sum_single(l, node, "_input", x, weir_lower_needed(l, input)) : NULL;
    if (exact != NULL) weir_lower_become(l, input, x = exact);
    if (slopes == NULL || weir_expression_source(x) != WEIR_EXPRESSION_CODES) return weir_lower_function(l, node);
    const weir_expression *spread = weir_lower_spread(l, node, x, slopes, shape);
    if (spread == x) return weir_lower_function(l, node);
    if (quantizer == NULL && weir_lower_carries(l, node)) return weir_lower_bent(l, node);
    if (quantizer == NULL)
        return weir_lower_fail(l, node,
                               "its slopes differ by element, so a quantizer must be the only reader of its result");
    const weir_array *numbers = weir_lower_by_channel(l, node, weir_expression_codes_of(spread), slopes, shape);
    return numbers != NULL && weir_lower_check_finite(l, node, numbers) && weir_lower_as_codes(l, node, 0) &&
           lower_elements(l, node, spread, numbers, quantizer);
}
