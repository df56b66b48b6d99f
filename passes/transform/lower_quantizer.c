/* A quantizer of real numbers, whatever they come from. */
#include "passes/transform/view.h"

bool weir_lower_quantize_input(weir_lowering *l, weir_node node, size_t index, const weir_quant *quant) {
    const weir_value input = weir_node_input(l->from, node, index);
    const weir_view *x = &l->view[input.id];
    if (x->kind == WEIR_VIEW_SUM) return weir_lower_sum(l, node, x, quant);
    if (x->kind == WEIR_VIEW_FUNCTION) return weir_lower_tabulate(l, node, input, quant);
    return weir_lower_quantize(l, node, x, quant);
}
