#include "passes/graph/scale_axis.h"

#include <math.h>

#include "ir/trait/trait.h"
#include "passes/passes.h"

static const weir_shape *shape_of(const weir_graph *graph, weir_value value) {
    return &weir_value_type(graph, value)->shape;
}

static bool is_real(const weir_graph *graph, weir_node node) {
    return weir_rewrite_may(graph, node) &&
           weir_dtype_is_float(weir_value_type(graph, weir_node_output(graph, node, 0))->dtype);
}

/* Every group of a Conv has its own input channels; only a depthwise one has a weight axis that counts them. */
static void conv_axes(const weir_graph *graph, weir_node node, weir_scale_product *product) {
    const weir_shape *w = shape_of(graph, weir_node_input(graph, node, 1));
    const int64_t groups = weir_node_int(graph, node, "group", 1);
    const bool is_depthwise = w->dim[1] == 1 && w->dim[0] == groups;
    *product = (weir_scale_product){1, 1, groups == 1 ? 1 : is_depthwise ? 0 : -1, 0};
}

bool weir_scale_product_of(const weir_graph *graph, weir_node node, weir_scale_product *product) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind != WEIR_OP_CONV && kind != WEIR_OP_GEMM && kind != WEIR_OP_MATMUL) return false;
    const weir_value weights = weir_node_input(graph, node, 1);
    if (!is_real(graph, node) || !weir_rewrite_is_parameter(graph, weights)) return false;
    if (kind == WEIR_OP_CONV) {
        conv_axes(graph, node, product);
    } else if (kind == WEIR_OP_GEMM) {
        const int ta = weir_node_int(graph, node, "transA", 0) != 0, tb = weir_node_int(graph, node, "transB", 0) != 0;
        *product = (weir_scale_product){1 - ta, 1, tb, 1 - tb};
    } else {
        const int rank = shape_of(graph, weir_node_input(graph, node, 0))->rank;
        if (rank < 2 || shape_of(graph, weights)->rank != 2) return false;
        *product = (weir_scale_product){rank - 1, rank - 1, 0, 1};
    }
    return true;
}

bool weir_scale_is_sum(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    return (kind == WEIR_OP_ADD || kind == WEIR_OP_SUB) && is_real(graph, node);
}

bool weir_scale_is_relu(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    return (kind == WEIR_OP_RELU || kind == WEIR_OP_LEAKY_RELU) && is_real(graph, node);
}

bool weir_scale_fits(const weir_graph *graph, weir_value data, weir_value value, int axis) {
    const weir_shape *from = shape_of(graph, value), *to = shape_of(graph, data);
    if (from->rank > to->rank || !weir_rewrite_is_parameter(graph, value)) return false;
    for (int i = 0; i < from->rank; i++) {
        const bool is_axis = i + to->rank - from->rank == axis;
        if (from->dim[i] != 1 && (!is_axis || from->dim[i] != to->dim[axis])) return false;
    }
    return true;
}

bool weir_scale_accepts(const weir_graph *graph, weir_scale_offer offer, weir_value scale) {
    const weir_array *constant = weir_value_constant(graph, scale);
    if (!offer.is_positive && !offer.is_divisor) return true;
    for (size_t i = 0; constant != NULL && i < constant->count; i++) {
        const double number = weir_array_get(constant, i);
        if (offer.is_positive && !(number > 0)) return false;
        if (offer.is_divisor && !(isnormal((float)number) && isnormal((float)(1 / number)))) return false;
    }
    return constant != NULL;
}

/* The scale in a shape that broadcasts along `axis` of a tensor of rank `rank`. */
static weir_value scale_along(weir_rewrite *rewrite, weir_value scale, int rank, int axis) {
    const weir_shape *from = shape_of(rewrite->graph, scale);
    weir_shape to = {.rank = rank - axis, .dim = {1}};
    for (int i = 0; i < from->rank; i++) to.dim[0] *= from->dim[i];
    for (int i = 1; i < to.rank; i++) to.dim[i] = 1;
    return weir_rewrite_reshape(rewrite, "factors", scale, &to);
}

void weir_scale_input(weir_rewrite *rewrite, weir_op op, size_t index, weir_value scale, int rank, int axis) {
    weir_graph *graph = rewrite->graph;
    const weir_value value = weir_node_input(graph, rewrite->at, index);
    const weir_value factors = scale_along(rewrite, scale, rank, axis);
    weir_node_set_input(graph, rewrite->at, index, WEIR_REWRITE_NODE(rewrite, op, "folded", value, factors));
}

bool weir_scale_finish(weir_rewrite *rewrite, weir_pass_context *context) {
    weir_pass_count(context, "scales folded", (int64_t)rewrite->count);
    if (rewrite->count == 0) weir_pass_unchanged(context);
    else weir_eliminate_dead_code(rewrite->graph);
    return weir_rewrite_finish(rewrite);
}
