/* Lowering of a PRelu whose slopes change from element to element. By channel it is a function of one code; a table an element would
 * be 2^bits as large as the tensor. Of a number and its product by the slope one counts, and the quantizer behind gives 0 for the other:
 * with zero point z, Q(PRelu(x)) = Q(max(x, 0)) + Q(slope * min(x, 0)) - z. So there are two quantizers, of which one has a
 * factor an element, and a sum. */
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "passes/lower/view.h"
#include "support/memory/arena.h"

static bool quantize_part(weir_lowering *l, weir_node node, const weir_view *part, const weir_quant *behind,
                          weir_value *codes) {
    if (!weir_lower_quantize(l, node, part, behind)) return false;
    *codes = weir_lower_codes(l, node, &l->view[weir_node_output(l->from, node, 0).id]);
    return codes->id != 0;
}

/* min(x, 0): of plain codes one clip, which leaves products by the slopes as even as any; false after a reported error. */
static bool keep_below(weir_lowering *l, weir_node node, weir_view *x) {
    const weir_type *codes = weir_value_type(l->to, x->value);
    const int64_t zero = weir_quant_zero(&codes->quant, 0);
    if (weir_lower_has_channels(l, x) || x->step_count > 0 || x->relu || x->offset != NULL || zero < codes->low ||
        zero > codes->high) {
        weir_array *number = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){1, {1}});
        weir_array_set(number, 0, 0);
        *x = weir_lower_add_step(l, x, WEIR_OP_MIN, number);
        return true;
    }
    const weir_type type = weir_lower_codes_type(&codes->quant, &codes->shape, codes->low, zero);
    x->value = weir_lower_clip(l, node, "_below", x->value, &type);
    return x->value.id != 0;
}

/* The codes of both parts, of which one is the zero point, added; no value after a reported error. */
static weir_value add_parts(weir_lowering *l, weir_node node, const weir_value *part, const weir_quant *behind) {
    const int64_t zero = weir_quant_zero(behind, 0);
    const weir_type *one = weir_value_type(l->to, part[0]), *other = weir_value_type(l->to, part[1]);
    weir_type type = {
        .dtype = WEIR_INT64, .shape = one->shape, .quant = {.format = WEIR_FORMAT_INTEGER, .axis = -1, .width = 64}};
    const weir_node sum = weir_lower_add_node(l, node, WEIR_OP_SUM, "_parts", part, 2, &type);
    if (!weir_infer_node(l->to, sum)) return WEIR_NO_VALUE;
    const int64_t low = one->low < other->low ? one->low : other->low;
    const int64_t high = one->high > other->high ? one->high : other->high;
    weir_array *add = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){1, {1}});
    weir_array_set_int(add, 0, -zero);
    type = weir_lower_codes_type(behind, &one->shape, low, high);
    return weir_lower_shift(l, node, "", weir_node_output(l->to, sum, 0), add, &type);
}

/* The view of the node's result becomes the quantizer's codes. */
static bool lower_elements(weir_lowering *l, weir_node node, const weir_view *x, const weir_array *slopes,
                           const weir_quant *behind) {
    weir_view below = *x;
    weir_value part[2];
    const weir_view above = weir_lower_add_step(l, x, WEIR_OP_RELU, NULL);
    if (!keep_below(l, node, &below)) return false;
    below = weir_lower_add_step(l, &below, WEIR_OP_MUL, slopes);
    if (!quantize_part(l, node, &above, behind, &part[0]) || !quantize_part(l, node, &below, behind, &part[1]))
        return false;
    const weir_view view = {.kind = WEIR_VIEW_CODES, .value = add_parts(l, node, part, behind), .is_inside = true};
    weir_lower_set(l, node, &view);
    return view.value.id != 0;
}

bool weir_lower_prelu(weir_lowering *l, weir_node node, const weir_quant *behind) {
    weir_view *x = &l->view[weir_node_input(l->from, node, 0).id];
    const weir_array *slopes = weir_lower_constant(l, weir_node_input(l->from, node, 1));
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (x->kind == WEIR_VIEW_SUM) weir_lower_sum_exact(l, node, "_input", x);
    if (slopes == NULL || x->kind != WEIR_VIEW_CODES) return weir_lower_function(l, node);
    const weir_view spread = weir_lower_spread(l, node, x, slopes, shape);
    if (spread.value.id == x->value.id) return weir_lower_function(l, node);
    if (behind == NULL)
        return weir_lower_fail(l, node,
                               "its slopes change from element to element, and no quantizer takes its result alone");
    const weir_array *numbers = weir_lower_by_channel(l, node, spread.value, slopes, shape);
    return numbers != NULL && weir_lower_check_finite(l, node, numbers) && weir_lower_as_codes(l, node, 0) &&
           lower_elements(l, node, &spread, numbers, behind);
}
