/* What backward_fold_scale_axis and forward_fold_scale_axis share: which operators can take a scale into their weights,
 * and what a scale must be like. A scale has one element, or one for each index of one axis of the data. */
#ifndef WEIR_TRANSFORM_SCALE_AXIS_H
#define WEIR_TRANSFORM_SCALE_AXIS_H

#include "pass/core/context.h"
#include "passes/graph/rewrite.h"

/* What can be done with a scale along `axis` of a value. */
typedef struct weir_scale_offer {
    int axis;         /* -1: nothing */
    bool is_positive; /* only when all of it is a constant above 0: it passes a Relu */
    bool is_divisor;  /* only when it is a constant to divide by: it passes a sum */
} weir_scale_offer;

#define WEIR_NO_OFFER ((weir_scale_offer){.axis = -1})

/* A Conv, Gemm or MatMul on real numbers whose weights (input 1) may be scaled: axes of the data and of the result, and
 * the axes of the weights that belong to them; -1: cannot be scaled so. */
typedef struct weir_scale_product {
    int in_axis, out_axis, weight_in_axis, weight_out_axis;
} weir_scale_product;

/* False when the node is another operator. */
bool weir_scale_product_of(const weir_graph *graph, weir_node node, weir_scale_product *product);
/* Add or Sub of real numbers; Relu or LeakyRelu. */
bool weir_scale_is_sum(const weir_graph *graph, weir_node node);
bool weir_scale_is_relu(const weir_graph *graph, weir_node node);

/* Is `value` one number, or one for each index of `axis` of the data, so that a sum or product keeps the data's shape?
 * It must be a parameter. */
bool weir_scale_fits(const weir_graph *graph, weir_value data, weir_value value, int axis);
/* May the scale take the offer? */
bool weir_scale_accepts(const weir_graph *graph, weir_scale_offer offer, weir_value scale);
/* Input `index` of `at`, a parameter of rank `rank`, becomes its product (quotient) with the scale along `axis`. */
void weir_scale_input(weir_rewrite *rewrite, weir_op op, size_t index, weir_value scale, int rank, int axis);
/* Counts the scales folded, drops what nobody reads any more and ends the rewrite. */
bool weir_scale_finish(weir_rewrite *rewrite, weir_pass_context *context);

#endif
