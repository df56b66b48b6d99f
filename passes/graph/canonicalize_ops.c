/* Biases become sums of their own: Conv with a bias is Conv and Add, Gemm with one (and beta 1) is Gemm and Add. Then
 * passes have one form of a bias to look for: fold_scale_axis moves scales through it, combine_parallel_conv2d and
 * eliminate_common_subexpr find more in common. A Conv computes the same bits (the kernel adds its bias last as well),
 * a Gemm rounds in another order. O(size). */
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"

/* The bias in a shape that broadcasts to the result. */
static weir_value bias_of(weir_rewrite *r) {
    const weir_graph *graph = r->graph;
    const weir_value bias = weir_node_input(graph, r->at, 2);
    const weir_shape *y = &weir_value_type(graph, weir_node_output(graph, r->at, 0))->shape;
    if (weir_trait_kind(graph, r->at) == WEIR_OP_GEMM) return bias;
    weir_shape shape = {.rank = y->rank - 1, .dim = {y->dim[1]}};
    for (int i = 1; i < shape.rank; i++) shape.dim[i] = 1;
    return weir_rewrite_reshape(r, "bias", bias, &shape);
}

/* Quantized biases stay where lowering expects them. */
static bool has_bias(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    const weir_value bias = weir_node_input(graph, node, 2);
    const bool is_plain =
        kind == WEIR_OP_CONV || (kind == WEIR_OP_GEMM && weir_node_float(graph, node, "beta", 1) == 1);
    return is_plain && bias.id != 0 && weir_rewrite_is_parameter(graph, bias) && weir_rewrite_may(graph, node);
}

/* The same node without its bias, inserted before it. */
static weir_value copy_without_bias(weir_rewrite *r) {
    const weir_graph *graph = r->graph;
    const weir_value inputs[] = {weir_node_input(graph, r->at, 0), weir_node_input(graph, r->at, 1)};
    const weir_value product = weir_rewrite_start(r, weir_node_op(graph, r->at), "product", inputs, 2);
    weir_rewrite_copy_attributes(r, product, r->at);
    return weir_rewrite_infer(r, product);
}

bool weir_pass_canonicalize_ops(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_rewrite r = {.graph = graph};
    (void)pass;
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        if (!has_bias(graph, node)) continue;
        r.at = node;
        const weir_value bias = bias_of(&r);
        weir_rewrite_become(&r, WEIR_REWRITE_NODE(&r, WEIR_OP_ADD, "sum", copy_without_bias(&r), bias));
    }
    weir_pass_count(context, "biases split off", (int64_t)r.count);
    if (r.count == 0) weir_pass_unchanged(context);
    return weir_rewrite_finish(&r);
}
