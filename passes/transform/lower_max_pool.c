/* MaxPool of codes: the largest code is that of the largest number, so the codes pass as they are, and a Relu in front may as
 * well come behind. A window is the largest of its rows' largest elements: one node for each dimension along which it has more than
 * one element or moves, the innermost first, which leaves the others the fewest elements to hold. */
#include <string.h>

#include "ir/geometry.h"
#include "ir/infer.h"
#include "ir/layout.h"
#include "passes/transform/view.h"
#include "support/arena.h"

/* Is there an element in every window? What padding alone gives is not a code. */
static bool sees_elements(const weir_window *w, int i) {
    for (int64_t o = 0; o < w->out[i]; o++) {
        bool any = false;
        for (int64_t k = 0; k < w->kernel[i] && !any; k++) {
            const int64_t at = o * w->stride[i] + k * w->dilation[i] - w->begin[i];
            any = at >= 0 && at < w->in[i];
        }
        if (!any) return false;
    }
    return true;
}

/* `value` pooled along spatial dimension `along`; no value after an error. */
static weir_value pool_along(weir_lowering *l, weir_node node, weir_value value, const weir_window *w, int along) {
    const size_t rank = (size_t)w->rank;
    int64_t ones[WEIR_MAX_RANK], pads[2 * WEIR_MAX_RANK] = {0}, sizes[WEIR_MAX_RANK];
    char suffix[8] = "_0";
    suffix[1] = (char)('0' + along);
    for (size_t i = 0; i < rank; i++) ones[i] = 1;
    const weir_node pool = weir_lower_add_node(l, node, WEIR_OP_MAX_POOL, suffix, &value, 1, NULL);
    memcpy(sizes, ones, sizeof sizes);
    sizes[along] = w->kernel[along];
    weir_node_set_ints(l->to, pool, "kernel_shape", sizes, rank);
    sizes[along] = w->stride[along];
    weir_node_set_ints(l->to, pool, "strides", sizes, rank);
    sizes[along] = w->dilation[along];
    weir_node_set_ints(l->to, pool, "dilations", sizes, rank);
    pads[along] = w->begin[along];
    pads[along + w->rank] = w->end[along];
    weir_node_set_ints(l->to, pool, "pads", pads, 2 * rank);
    weir_node_set_int(l->to, pool, "ceil_mode", weir_node_int(l->from, node, "ceil_mode", 0));
    weir_node_set_string(l->to, pool, "layout", weir_node_string(l->from, node, "layout", ""));
    return weir_infer_node(l->to, pool) ? weir_node_output(l->to, pool, 0) : WEIR_NO_VALUE;
}

bool weir_lower_max_pool(weir_lowering *l, weir_node node) {
    weir_view view = l->view[weir_node_input(l->from, node, 0).id];
    const weir_shape *x = &weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape;
    int order[WEIR_MAX_RANK], last[WEIR_MAX_RANK];
    weir_window w;
    if (view.kind != WEIR_VIEW_CODES) return weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
    if (view.reshaped || weir_value_type(l->to, view.value)->quant.count > 1)
        return weir_lower_fail(l, node,
                               "its input has a scale per channel: it needs a quantizer with one scale before it");
    weir_layout_order(l->from, node, order);
    weir_layout_channels_last(x->rank, last);
    if (memcmp(order, last, (size_t)x->rank * sizeof *order) != 0)
        return weir_lower_fail(l, node, "hardware needs the channels innermost");
    const weir_shape onnx = weir_layout_to_onnx(x, order);
    if (!weir_geometry_window(l->from, node, &onnx, NULL, &w)) return false;
    for (int i = w.rank - 1; i >= 0 && view.value.id != 0; i--) {
        const bool trivial = w.kernel[i] == 1 && w.stride[i] == 1 && w.begin[i] == 0 && w.end[i] == 0;
        if (!sees_elements(&w, i)) return weir_lower_fail(l, node, "a window covers nothing but padding");
        if (!trivial) view.value = pool_along(l, node, view.value, &w, i);
    }
    weir_lower_set(l, node, &view);
    return view.value.id != 0;
}
