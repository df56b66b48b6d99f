#include "dataflow/component/window/sliding_private.h"

#include <assert.h>

#include "dataflow/schedule/stream.h"
#include "ir/shape/geometry.h"

static weir_sliding_axis axis_of(const weir_window *w, int i) {
    assert(i >= 0 && i < w->rank);
    return (weir_sliding_axis){w->in[i], w->out[i], w->kernel[i], w->stride[i], w->dilation[i], w->begin[i]};
}

weir_sliding weir_sliding_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_WINDOW);
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    const int64_t group = weir_node_int(graph, node, "group", 1);
    assert(group >= 1 && x->dim[x->rank - 1] % group == 0);
    weir_window w;
    weir_geometry_window_innermost(graph, node, &w);
    weir_sliding result = {{1, 1, 1, 1, 1, 0}, axis_of(&w, 0), group, x->dim[x->rank - 1] / group, x->dim[0]};
    if (w.rank > 1) result.x = axis_of(&w, 1);
    return result;
}

int64_t weir_sliding_reach(const weir_sliding_axis *a) {
    assert(a->kernel >= 1 && a->dilation >= 1);
    return (a->kernel - 1) * a->dilation;
}

bool weir_sliding_fits(const weir_graph *graph, weir_node node, weir_text *why) {
    const weir_type *type = weir_value_type(graph, weir_node_input(graph, node, 0));
    bool is_signed;
    if (type->quant.format == WEIR_FORMAT_FLOAT) return false;
    if (type->shape.rank > 4) {
        weir_text_add(why, "hardware slides windows along 1 or 2 dimensions");
        return false;
    }
    if (weir_stream_width(graph, weir_node_output(graph, node, 0), &is_signed) > 32) {
        weir_text_add(why, "hardware slides windows over elements of at most 32 bits");
        return false;
    }
    const weir_sliding w = weir_sliding_of(graph, node);
    if (w.x.begin > weir_sliding_reach(&w.x) || w.y.begin > weir_sliding_reach(&w.y)) {
        weir_text_add(why, "a window covers nothing but padding");
        return false;
    }
    return true;
}

int64_t weir_sliding_given_bits(const weir_cost_part *part, int64_t elements) {
    assert(elements >= 1);
    const int64_t bits = weir_cost_value(part, "X_W"), wide = weir_cost_value(part, "Y_W") - bits;
    const bool is_signed = weir_cost_value(part, "X_SIGNED") != 0;
    const int64_t above =
        (weir_cost_value(part, "FILL") >> (bits - is_signed)) & (((int64_t)1 << (wide + is_signed)) - 1);
    const bool differs = above != 0 && (!is_signed || above != ((int64_t)1 << (wide + 1)) - 1);
    return elements * bits + (is_signed ? elements * differs : differs);
}
