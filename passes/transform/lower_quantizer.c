/* A quantizer of real numbers, whatever they come from. */
#include "passes/transform/view.h"

bool weir_lower_quantize_sum(weir_lowering *l, weir_node node, const weir_view *sum, const weir_quant *quant) {
    if (weir_lower_sum_has_table(l, sum, quant)) return weir_lower_sum(l, node, sum, quant);
    weir_view exact = *sum;
    return weir_lower_sum_exact(l, node, "", &exact) ? weir_lower_quantize(l, node, &exact, quant)
                                                     : weir_lower_fail_sum(l, node, sum);
}

bool weir_lower_quantize_input(weir_lowering *l, weir_node node, size_t index, const weir_quant *quant) {
    const weir_value input = weir_node_input(l->from, node, index);
    const weir_view *x = &l->view[input.id];
    if (x->kind == WEIR_VIEW_SUM) return weir_lower_quantize_sum(l, node, x, quant);
    if (x->kind == WEIR_VIEW_FUNCTION) return weir_lower_tabulate(l, node, input, quant);
    return weir_lower_quantize(l, node, x, quant);
}

static bool is_hardware(const weir_view *view) {
    return view->kind == WEIR_VIEW_CODES || view->kind == WEIR_VIEW_SUM || view->kind == WEIR_VIEW_FUNCTION;
}

/* Does the node join what the host computes first with what hardware does? */
static bool joins(const weir_lowering *l, weir_node node) {
    bool any = false;
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++)
        any |= is_hardware(&l->view[weir_node_input(l->from, node, i).id]);
    return any;
}

weir_value weir_lower_read_codes(weir_lowering *l, weir_node node, size_t index, const weir_quant *quant) {
    const weir_view *view = &l->view[weir_node_input(l->from, node, index).id];
    const bool becomes_codes = is_hardware(view) || (view->kind == WEIR_VIEW_REAL && joins(l, node));
    if (!weir_lower_has_codes(view) && (quant == NULL || !becomes_codes)) {
        weir_lower_fail_unquantized(l, node, index, "its input is not quantized");
        return WEIR_NO_VALUE;
    }
    if (quant != NULL) {
        if (!weir_lower_quantize_input(l, node, index, quant)) return WEIR_NO_VALUE;
        view = &l->view[weir_node_output(l->from, node, 0).id];
    }
    return weir_lower_codes(l, node, view);
}
