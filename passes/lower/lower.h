/* One lowering of a model to integer codes (lower_integer.c): its state, the rules of the operators, and what they
 * share. What a value is until then says expression.h. */
#ifndef WEIR_PASSES_LOWER_H
#define WEIR_PASSES_LOWER_H

#include "cosim/counterpart.h"
#include "ir/graph/graph.h"
#include "ir/shape/geometry.h"
#include "passes/graph/rewrite.h"
#include "passes/lower/expression.h"
#include "quant/contract.h"
#include "support/text/diag.h"

/* Real numbers, ends included. */
typedef struct weir_interval {
    double low, high;
} weir_interval;

/* What is known of a value of the model. */
typedef struct weir_lowering_value {
    const weir_expression *expression; /* NULL: nothing yet */
    weir_value host;                   /* its real numbers in the new graph, where the host needed them */
    weir_value sums; /* those that one node of the model computes and quantizes at once, in the new graph; else none */
    /* its codes of one scale in the new graph, where hardware continues without a quantizer; else none */
    weir_value carried;
    const struct weir_mask *mask; /* of a Softmax's input: the elements that it leaves out; the rest is `expression` */
    weir_value masking;           /* the same as codes in the new graph; else none */
    double rounding;              /* how far they may be from the model's; 0: they are exact */
    uint32_t position;            /* place of its node in the model, from 1 on; 0: it has none */
    bool is_inside;               /* a function is computed from codes in front, as if there was no such value */
    bool is_done;                 /* what is before its node has done its work: lower_normalize.c */
    bool is_bounded;              /* its steps are bounds of the codes behind it: nothing does them in float32 */
} weir_lowering_value;

/* Codes in the new graph of which the largest stands for infinite. */
typedef struct weir_lowering_infinite {
    weir_value codes;
    int64_t code;
} weir_lowering_infinite;

/* State of one lowering. */
typedef struct weir_lowering {
    const weir_graph *from;
    weir_graph *to;
    weir_lowering_value *of; /* by value id of `from` */
    weir_contract contract;  /* who defines the rounding of this model */
    bool carries;    /* values without quantizers become codes of one scale: a model that cannot be lowered otherwise */
    double rounding; /* of the node that is lowered: leaf.rounding of its results */
    bool cuts;       /* numbers are cut off where nothing tells them apart (weir_lower_needed) */
    weir_lowering_infinite *infinite; /* lower_scaled.c */
    size_t infinite_count, infinite_capacity;
    bool (*affine)(struct weir_lowering *l,
                   weir_node node); /* weir_lower_affine, for what lies below it (lower_carry.c) */
    weir_diag_log **log;            /* causes of expressions */
    size_t log_count, log_capacity;
} weir_lowering;

/* What is known of a value of the model; NULL: nothing. */
const weir_expression *weir_lower_expression(const weir_lowering *l, weir_value value);
/* Sets the value's expression; sums and functions that were found of it before are forgotten. */
void weir_lower_become(weir_lowering *l, weir_value value, const weir_expression *x);
/* The same of output 0 of the node; false where there are no codes, after a reported error. */
void weir_lower_set(weir_lowering *l, weir_node node, const weir_expression *x);
bool weir_lower_set_codes(weir_lowering *l, weir_node node, weir_value codes);
bool weir_lower_set_leaf(weir_lowering *l, weir_node node, const weir_leaf *leaf);
/* x, of a leaf, of these codes. */
bool weir_lower_set_with_codes(weir_lowering *l, weir_node node, const weir_expression *x, weir_value codes);
/* The node's input, NULL where it is left out; its constant, NULL where that is none. */
const weir_expression *weir_lower_input(const weir_lowering *l, weir_node node, size_t index);
const weir_array *weir_lower_input_constant(const weir_lowering *l, weir_node node, size_t index);
/* Scale and zero point inputs as a quantization of element type `dtype`, in the new graph's arena; false after a
 * reported error. */
bool weir_lower_read_quant(weir_lowering *l, weir_node node, size_t scale_index, size_t zero_index, weir_dtype dtype,
                           int axis, weir_quant *quant);
/* The quantizer, or several of one kind, that takes all of the node's result, also behind what rises; of the value,
 * also behind what moves. A count of 0: there is none. False after a reported error. */
bool weir_lower_read_consumer(weir_lowering *l, weir_node node, weir_quant *quant);
bool weir_lower_read_consumers(weir_lowering *l, weir_value value, weir_quant *quant);
/* What a quantizer's codes mean; a count of 0: the node is none with a scale and a zero point. False after a reported
 * error. */
/* Is the zero point of a constant's Quant halfway between two codes? Reading the quantizer then leaves it out. */
bool weir_lower_is_between(const weir_lowering *l, weir_node node, double *zero);
bool weir_lower_read_quantizer(weir_lowering *l, weir_node node, weir_quant *quant);
/* Scales of QONNX with one axis, or none, and the codes of int8. */
bool weir_lower_read_qonnx_scale(weir_lowering *l, weir_node node, const weir_array *scale, const weir_array *zero,
                                 weir_quant *quant);
/* Are the node's elements those of its inputs, or the largest or the smallest of some? */
bool weir_lower_moves(const weir_lowering *l, weir_node node);
/* An operator's own rule, or one that is given the quantizer behind, too. */
typedef bool weir_lower_rule(weir_lowering *l, weir_node node);
typedef bool weir_lower_rule_before(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* Codes get a quantization: on the value itself where it has none and its operator leaves that open, else by a
 * Relabel. */
weir_value weir_lower_requalify(weir_lowering *l, weir_node node, weir_value codes, const weir_quant *quant);

/* Each returns false after a reported error. `node` is the node of the old graph that is lowered, for names and
 * places; the result becomes its output 0. */
bool weir_lower_linear(weir_lowering *l, weir_node node, const weir_expression *x, const weir_expression *weights,
                       bool output_major, const weir_expression *bias);
/* Is x not real, and are the weights constant codes? */
bool weir_lower_check_operands(weir_lowering *l, weir_node node, const weir_expression *x,
                               const weir_expression *weights);
/* The weights with one scale, or one for each index of axis `outputs`. Those for each index of axis `inputs` go to the
 * codes, which have their channels in the order of that axis, over and over, and become numbers in fixed point. NULL
 * after a reported error. */
const weir_expression *weir_lower_scale_inputs(weir_lowering *l, weir_node node, weir_value *codes,
                                               const weir_expression *weights, int outputs, int inputs);
/* The shape of input 0 in ONNX's order, where the node has its channels innermost. */
bool weir_lower_channels_last(const weir_lowering *l, weir_node node, weir_shape *onnx);
/* The matrix [N, K] of weights whose element (row, column) is `element` of the codes, less the row's zero point. */
typedef size_t weir_lower_element(const void *user, int64_t row, int64_t column);
const weir_array *weir_lower_matrix(weir_lowering *l, const weir_expression *weights, const weir_shape *shape,
                                    weir_lower_element *element, const void *user);
/* Linear of codes and such a matrix, with the weights' quantization, one scale or one a row; `bias` may be NULL. */
bool weir_lower_product(weir_lowering *l, weir_node node, weir_value codes, const weir_array *matrix,
                        const weir_quant *weights, int64_t group, const weir_expression *bias);
/* A convolution with channels innermost: Window and Linear; x, weights, bias as above. */
bool weir_lower_conv(weir_lowering *l, weir_node node, const weir_expression *x, const weir_expression *weights,
                     const weir_expression *bias);
/* The same of a ConvTranspose. */
bool weir_lower_conv_transpose(weir_lowering *l, weir_node node);
/* QONNX quantizers are defined in real arithmetic, all others in ONNX Runtime's float32 arithmetic. */
bool weir_lower_is_real(weir_op quantizer);
/* An operator of RequantShift's domain: of real numbers that are whole. */
bool weir_lower_is_whole(weir_op op);
/* Who defines how the node rounds a number: itself where it is a quantizer, of which a model may have some of each
 * kind. */
weir_contract weir_lower_contract_of(const weir_lowering *l, weir_node node);
/* x becomes codes of `quant`, rounded as the contract says, clipped to the quantization's limits: all that a quantizer
 * absorbs is decided there. */
bool weir_lower_quantize(weir_lowering *l, weir_node node, const weir_expression *x, const weir_quant *quant);
/* The codes of the node's input, by the quantizer where `quant` is not NULL: the node's result until it has its own.
 * No value after a reported error. */
weir_value weir_lower_read_codes(weir_lowering *l, weir_node node, size_t index, const weir_quant *quant);
/* Operand `index` of the node and what those before it gave become codes of one quantization, where they differ in
 * width or sign alone; false after a reported error. */
bool weir_lower_unite(weir_lowering *l, weir_node node, size_t index, weir_value *before, weir_value *next);
/* Codes that a quantizer may give, after a Relu or not: quantizers are monotone, so a Relu before one raises its lower
 * end to the code of real zero. */
void weir_lower_bounds(const weir_quant *quant, bool relu, weir_contract contract, int64_t *low, int64_t *high);
/* Sum of two quantized tensors. */
bool weir_lower_add(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b);
/* Of a leaf and a constant: whole numbers of codes move the zero point, others become an OFFSET. */
bool weir_lower_add_constant(weir_lowering *l, weir_node node, const weir_expression *x,
                             const weir_expression *constant);
/* Difference of two quantized tensors. */
bool weir_lower_subtract(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b);
/* Max and Min, of quantized tensors or with constants. `quantizer`: as with pools. */
bool weir_lower_extreme(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* The larger or the smaller of two tensors of codes of one grid, element-wise; no value after a reported error. */
weir_value weir_lower_choose(weir_lowering *l, weir_node node, const char *suffix, weir_value a, weir_value b,
                             bool larger);
/* Abs: of a difference whose operands have scales of their own the larger of both differences. */
bool weir_lower_absolute(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* Product of two quantized tensors. */
bool weir_lower_multiply(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b);
/* The products of two tensors' codes less their zero points, one scale each, of which that is needed; no value after a
 * reported error. */
weir_value weir_lower_products(weir_lowering *l, weir_node node, const char *suffix, const weir_value *pair,
                               weir_interval needed);
/* Product by a constant matrix, by one of several for each batch, or of two quantized tensors, also in batches: of the
 * operands given, or of a MatMul. The result is a leaf `ahead` where it has the codes of `quantizer` already. */
bool weir_lower_matrices(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b,
                         const weir_quant *quantizer);
bool weir_lower_matmul(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* Where a Reorder only moves whole rows, before operators that do the same with every row of the codes, and nothing
 * else uses what is between: the operators come first. True: the codes are in the order before the Reorder, which is
 * `map`; so is what they stand for. */
bool weir_lower_pull(weir_lowering *l, weir_value codes, weir_index_map *map);
/* The quantization of products of codes of two types, one scale each. */
weir_quant weir_lower_product_quant(weir_lowering *l, const weir_type *a, const weir_type *b);
/* Product of two computed matrices, also in batches, as their streams bring them; `is_quantized`: a quantizer takes all
 * of the result. */
bool weir_lower_product_of_two(weir_lowering *l, weir_node node, const weir_expression *a, const weir_expression *b,
                               bool is_quantized);
/* The quantizer in QLinearMul, after it: float32(float32(product * factor) + zero), rounded. */
bool weir_lower_round_product(weir_lowering *l, weir_node node, const weir_quant *quant);
/* Is each element a code of one quantizer, moved, or the largest or the smallest of some? */
bool weir_lower_is_one_code(const weir_graph *graph, weir_value value);
/* Has a table all pairs of codes of the sum's operands? */
bool weir_lower_sum_is_narrow(const weir_lowering *l, const weir_leaf_sum *sum);
/* The quantizer after a SUM, Sum and a proven staircase, where a table has all pairs of codes. */
bool weir_lower_sum_has_table(const weir_lowering *l, const weir_expression *sum, const weir_quant *quant);
bool weir_lower_sum(weir_lowering *l, weir_node node, const weir_expression *sum, const weir_quant *quant);

/* Quantizers of a model, and what makes numbers of codes. */
bool weir_lower_quantize_linear(weir_lowering *l, weir_node node);
bool weir_lower_dequantize_linear(weir_lowering *l, weir_node node);
bool weir_lower_quant(weir_lowering *l, weir_node node);
bool weir_lower_bipolar_quant(weir_lowering *l, weir_node node);
bool weir_lower_cast(weir_lowering *l, weir_node node);

/* Operators on codes, with the scales among their inputs. */
bool weir_lower_qlinear_matmul(weir_lowering *l, weir_node node);
bool weir_lower_qlinear_conv(weir_lowering *l, weir_node node);
bool weir_lower_qgemm(weir_lowering *l, weir_node node);
bool weir_lower_matmul_integer(weir_lowering *l, weir_node node);
bool weir_lower_conv_integer(weir_lowering *l, weir_node node);
bool weir_lower_qlinear_add(weir_lowering *l, weir_node node);
bool weir_lower_qlinear_mul(weir_lowering *l, weir_node node);
bool weir_lower_qlinear_mean_pool(weir_lowering *l, weir_node node);

/* MaxPool, GlobalMaxPool. `quantizer` takes the result alone (NULL: no quantizer does), here and below. */
bool weir_lower_max_pool(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* AveragePool, GlobalAveragePool and their forms on codes: of `x`. */
bool weir_lower_mean_pool(weir_lowering *l, weir_node node, const weir_expression *x);
/* Reductions; each has its rule, so that none is taken for another. */
bool weir_lower_reduce_sum(weir_lowering *l, weir_node node, const weir_quant *quantizer);
bool weir_lower_reduce_mean(weir_lowering *l, weir_node node, const weir_quant *quantizer);
bool weir_lower_reduce_max(weir_lowering *l, weir_node node, const weir_quant *quantizer);
bool weir_lower_reduce_min(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* Flatten, Reshape, Squeeze, Unsqueeze, Transpose. */
bool weir_lower_shape(weir_lowering *l, weir_node node);
/* Concat of real numbers whose codes have one scale, or which a quantizer takes. */
bool weir_lower_concat(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* Concat of two tensors of codes of one quantization; no value after a reported error. */
weir_value weir_lower_join(weir_lowering *l, weir_node node, const char *suffix, const weir_value *pair, int axis);
/* Pad, of the codes of its input, which are those of the quantizer behind it where it is `ahead`; no value after a
 * reported error. */
weir_value weir_lower_pad(weir_lowering *l, weir_node node, weir_value codes, bool ahead);
/* The codes in another order; no value after a reported error. */
weir_value weir_lower_reorder(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                              const weir_reordering *r, int64_t fill);
/* The same of an order without fill values, as it is best walked: of codes that are themselves in another order by one
 * weir.Reorder. */
weir_value weir_lower_in_order(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                               const weir_reordering *r);
/* The rows along `axis`, one after the other, as a matrix, and a matrix of such rows as a tensor of `shape`; no value
 * after a reported error. */
weir_value weir_lower_rows(weir_lowering *l, weir_node node, weir_value codes, int axis);
weir_value weir_lower_from_rows(weir_lowering *l, weir_node node, weir_value rows, const weir_shape *shape, int axis);
/* The codes among others of the shape, from `begin` on, all of these `fill`; what is outside of the shape is cut off.
 * Unchanged where it is neither; no value after a reported error. */
weir_value weir_lower_padded(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                             const weir_shape *shape, const int64_t *begin, int64_t fill);
/* Do channels of the codes have different scales? */
bool weir_lower_scales_differ(const weir_lowering *l, weir_value codes);
/* The codes with one scale and zero point, so that they may move to other places: sums whose zero points alone differ
 * by channel become differences from these. No value where there is none, or after a reported error. */
weir_value weir_lower_one_scale(weir_lowering *l, weir_node node, weir_value codes);
/* The codes, whose channels have one scale, less the zero point of their channel. */
weir_value weir_lower_less_zeros(weir_lowering *l, weir_node node, weir_value codes);
/* The same of codes that are read with that quantization, one scale. */
weir_value weir_lower_less(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                           const weir_quant *quant);
/* The codes of one scale, among which there is one of real zero, for what fills with it. No value after a reported
 * error. */
weir_value weir_lower_with_zero(weir_lowering *l, weir_node node, weir_value codes);
/* The codes with elements repeated until they have the shape, as broadcasting does; no value after a reported error. */
weir_value weir_lower_broadcast(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                                const weir_shape *shape);
/* An operator that moves elements, of such numbers or of integers. */
bool weir_lower_move(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* A Resize that is linear between elements. */
bool weir_lower_resize(weir_lowering *l, weir_node node);
/* Does a Transpose move elements between operators of the hardware? */
bool weir_lower_transposes(const weir_lowering *l, weir_node node);
/* Is the node's result computed with again in hardware? O(nodes behind it). */
bool weir_lower_leads_to_hardware(const weir_lowering *l, weir_node node);
bool weir_lower_arg_max(weir_lowering *l, weir_node node);
bool weir_lower_arg_min(weir_lowering *l, weir_node node);
/* Has the layer at most a hundredth of the model's multiplications? */
bool weir_lower_is_small(const weir_graph *model, weir_node layer);
/* Does a node that only hardware computes need a Softmax, except for small layers? The host computes these with it. */
bool weir_lower_needs_softmax(const weir_graph *model, weir_node softmax);
/* QLinearSoftmax, and Softmax of which the quantizer takes the result, where hardware is behind it. */
bool weir_lower_qlinear_softmax(weir_lowering *l, weir_node node);
bool weir_lower_softmax(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* Those of RequantShift's domain, along the last axis. */
bool weir_lower_i_softmax(weir_lowering *l, weir_node node);
bool weir_lower_ita_max(weir_lowering *l, weir_node node);
bool weir_lower_ita_partial_max(weir_lowering *l, weir_node node);
/* Is the node a mask of what has codes, before a Softmax (quantize/mask.h)? Its value is then that, with the mask. */
bool weir_lower_mask(weir_lowering *l, weir_node node);
/* LayerNormalization and its like, before a quantizer. */
bool weir_lower_normalize(weir_lowering *l, weir_node node);
bool weir_lower_state(weir_lowering *l, weir_node node);
bool weir_lower_update(weir_lowering *l, weir_node node);
bool weir_lower_top_k(weir_lowering *l, weir_node node);
/* The largest codes along `axis`, which becomes 1; no value after a reported error. */
weir_value weir_lower_largest(weir_lowering *l, weir_node node, const char *suffix, weir_value codes, int axis);
/* The codes with the other sign, so that the smallest are the largest, and back as codes of `type`; no value after a
 * reported error. */
weir_value weir_lower_negated(weir_lowering *l, weir_node node, weir_value codes);
weir_value weir_lower_negated_back(weir_lowering *l, weir_node node, weir_value codes, const weir_type *type);

/* The counterparts of the values of a model whose lowering has ended. */
weir_counterparts *weir_lower_counterparts(weir_lowering *lowering);

/* The operators of weir_op_is_step with constants, BatchNormalization, Clip: steps. */
bool weir_lower_affine(weir_lowering *l, weir_node node);
/* Input `index` of a Clip, 1 the least, 2 the most, or the attribute in its place; NULL: none, or no constant
 * number. */
const weir_array *weir_lower_clip_bound(weir_lowering *l, weir_node node, size_t index);
/* x with one more step; the constant, float32 with one element or one a channel, lives in the new graph's arena. */
const weir_expression *weir_lower_step(weir_lowering *l, const weir_expression *x, weir_op op,
                                       const weir_array *constant);
/* Factor and term of a BatchNormalization, which broadcast to its result. False after a reported error. */
bool weir_lower_normalization(weir_lowering *l, weir_node node, const weir_array **factor, const weir_array **term);
/* A constant that broadcasts to a tensor of `shape`, by channel of the codes: one element, or one a channel. NULL after
 * a reported error. */
const weir_array *weir_lower_by_channel(weir_lowering *l, weir_node node, weir_value codes, const weir_array *constant,
                                        const weir_shape *shape);
/* x, of a leaf, as a matrix whose columns are channels, where the constant, which broadcasts to `shape`, changes from
 * element to element of it; what it has by channel is repeated. Else as it is, in `shape` where that has more
 * dimensions. */
const weir_expression *weir_lower_spread(weir_lowering *l, weir_node node, const weir_expression *x,
                                         const weir_array *constant, const weir_shape *shape);
/* Runs the rule; a constant operand, codes of one scale that change from element to element of the other one or have
 * more elements, is a stream beside that one. */
bool weir_lower_beside(weir_lowering *l, weir_node node, weir_lower_rule *rule);

/* The stream of the codes without what it says, all 0; and the codes of a table, one a row, of which each element of
 * such a stream reads the next: a constant beside it. No value after a reported error. */
weir_value weir_lower_nothing(weir_lowering *l, weir_node node, const char *suffix, weir_value codes);
weir_value weir_lower_read_table(weir_lowering *l, weir_node node, const char *suffix, weir_value nothing,
                                 weir_value table, const weir_quant *quant);

/* A PRelu: a function of codes, or, where its slopes change from element to element, of parts that `quantizer`
 * quantizes. */
bool weir_lower_prelu(weir_lowering *l, weir_node node, const weir_quant *quantizer);
/* Are all of them numbers? False after a reported error. */
bool weir_lower_check_finite(weir_lowering *l, weir_node node, const weir_array *numbers);

/* Is input `index` seen as codes with room for more steps, or can it be? False after a reported error. */
bool weir_lower_as_codes(weir_lowering *l, weir_node node, size_t index);

/* Has the value, with codes, few enough of them for a table? For one of 16 bits, where nothing else does? */
bool weir_lower_is_narrow(const weir_lowering *l, weir_value root);
bool weir_lower_has_table(const weir_lowering *l, weir_value root);
/* Is the node a function of codes that steps do not express: of a FUNCTION, or of two operands that are functions of
 * the same codes? Sums of such only where the codes are few: else Sum adds them. */
bool weir_lower_is_function(const weir_lowering *l, weir_node node);
/* What the node's result is a function of, after sums among its inputs have become codes; no value: of nothing that it
 * could be tabulated by. */
weir_value weir_lower_function_root(weir_lowering *l, weir_node node);
/* Any element-wise operator on codes, operations on codes, constants: a FUNCTION. */
bool weir_lower_function(weir_lowering *l, weir_node node);
/* A function of codes that gives codes: QLinearSigmoid and the like. */
bool weir_lower_quantized_function(weir_lowering *l, weir_node node);
/* The quantizer `node` of such a value: Lookup or Threshold. Without a quantization the value's elements are codes. */
bool weir_lower_tabulate(weir_lowering *l, weir_node node, weir_value value, const weir_quant *quant);

/* SUM as a leaf of one exact sum, in as many bits as the scales' ratio needs; NULL without an error where that is too
 * many. */
const weir_expression *weir_lower_sum_exact(weir_lowering *l, weir_node node, const char *suffix,
                                            const weir_expression *sum);
/* The same; where there is none, in a model that cannot be lowered otherwise, of fixed point numbers (lower_carry.c),
 * of which that is needed. */
const weir_expression *weir_lower_sum_single(weir_lowering *l, weir_node node, const char *suffix,
                                             const weir_expression *sum, weir_interval needed);
/* A SUM in such numbers, whatever would be exact; NULL after a reported error. */
const weir_expression *weir_lower_sum_aligned(weir_lowering *l, weir_node node, const char *suffix,
                                              const weir_expression *sum, weir_interval needed);
/* The error that says so; false. */
bool weir_lower_fail_sum(const weir_lowering *l, weir_node node, const weir_expression *sum);

/* Under QONNX's contract a constant of whole numbers that is a layer's weights becomes WEIGHTS, as FINN means it: codes
 * of scale 1. */
void weir_lower_whole_weights(weir_lowering *l, weir_value value);
/* QONNX's quantizers beside Quant. */
bool weir_lower_multi_threshold(weir_lowering *l, weir_node node);
bool weir_lower_trunc(weir_lowering *l, weir_node node);

/* RequantShift's domain (lower_shift.c). */
bool weir_lower_requant_shift(weir_lowering *l, weir_node node);
bool weir_lower_no_norm(weir_lowering *l, weir_node node);
bool weir_lower_divide_by_attribute(weir_lowering *l, weir_node node);
bool weir_lower_integer_div(weir_lowering *l, weir_node node);
bool weir_lower_integer_mean(weir_lowering *l, weir_node node);
bool weir_lower_integer_layer_norm(weir_lowering *l, weir_node node);
bool weir_lower_integer_rms_norm(weir_lowering *l, weir_node node);
/* A quotient of integers that are real numbers before it, as NEMO writes RequantShift; a Clip of such a one, behind a
 * Cast: its codes. False without an error: it is none. */
bool weir_lower_is_quotient(const weir_graph *graph, weir_node node);
bool weir_lower_clipped_quotient(weir_lowering *l, weir_node node);

/* What depends on constants behind quantizers becomes constant codes behind one; false after a reported error. */
bool weir_lower_weights(weir_graph *graph);
/* Rewrites forms of a model's operators that no rule takes; false after a reported error. */
bool weir_lower_forms(weir_graph *graph);
/* A convolution over more dimensions than hardware slides windows along becomes one over fewer, where it is; false: it
 * stays. */
bool weir_lower_spatial(weir_rewrite *rewrite);

/* --- values without quantizers (lower_carry.c) --- */
/* Of the largest fixed point number that can occur. */
enum { WEIR_LOWER_NUMBER_BITS = 30 };
/* Does hardware continue with the node's results, or is it a layer, in a model that cannot be lowered where only
 * quantizers make codes? */
bool weir_lower_carries(const weir_lowering *l, weir_node node);
/* What the readers of a value distinguish (lower_needed.c): numbers beyond may be its nearer end. All numbers: they do
 * not say. */
extern const weir_interval weir_lower_any;
weir_interval weir_lower_needed(weir_lowering *l, weir_value value);
/* What a quantizer does; before an operator, of whose result `of` is needed: with constants, the last of x, or all of
 * x. */
weir_interval weir_lower_needed_by(const weir_quant *quant);
weir_interval weir_lower_needed_before(weir_op kind, const weir_array *constant, weir_interval of);
weir_interval weir_lower_needed_below(const weir_expression *x, weir_interval of);
weir_interval weir_lower_needed_at_source(const weir_expression *x, weir_interval of);
/* Of operand `index` of a sum, or of a difference, whose other operand is in a range. */
weir_interval weir_lower_needed_term(bool minus, size_t index, weir_interval other, weir_interval of);
/* A value of the model, or the node's input, as codes of one scale: exact, or numbers in fixed point. No value after a
 * reported error. */
weir_value weir_lower_carry(weir_lowering *l, weir_node node, weir_value value);
weir_value weir_lower_carried(weir_lowering *l, weir_node node, size_t index);
/* The same of x, of a leaf or a SUM, of which that is needed. */
weir_value weir_lower_carry_expression(weir_lowering *l, weir_node node, const weir_expression *x,
                                       weir_interval needed);
/* What the node computes with of x, one of its inputs or what its rule has made of them: the codes that
 * weir_lower_codes gives, of one scale or, `by_channel`, with one zero point; where these are others, or none, and the
 * node carries, those that it carries. */
weir_value weir_lower_operand(weir_lowering *l, weir_node node, const weir_expression *x, bool by_channel);
/* The same of codes that the node carries: in as many bits as windows and what joins streams hold. No value after a
 * reported error, or of none. */
weir_value weir_lower_fit(weir_lowering *l, weir_node node, weir_value codes);
/* Both as codes whose products have few enough bits, rounded to fixed point where need be. False after a reported
 * error. */
bool weir_lower_narrow_pair(weir_lowering *l, weir_node node, weir_value *pair);
/* The numbers of codes by a factor, or one a channel, as codes of one scale. No value after a reported error. */
weir_value weir_lower_by_factors(weir_lowering *l, weir_node node, weir_value codes, const double *factor,
                                 uint32_t count);
/* Codes of one scale each, of which that is needed, get one scale and zero point together; so do two of whose sum, or
 * difference, that is needed. False after a reported error. */
bool weir_lower_align(weir_lowering *l, weir_node node, weir_value *codes, size_t count, weir_interval needed);
bool weir_lower_align_terms(weir_lowering *l, weir_node node, weir_value *pair, bool minus, weir_interval needed);
/* The node's result is the sum of two such. */
bool weir_lower_add_carried(weir_lowering *l, weir_node node, const weir_leaf_sum *sum);
/* The function `value` of `root`, whose numbers the codes have with one scale and no zero point, in segments
 * (lower_segments.c). No value: without an error where it has none that are as exact as float32. */
weir_value weir_lower_segments(weir_lowering *l, weir_node node, weir_value value, weir_value root, weir_value codes);
/* The node's result, of a PRelu, LeakyRelu or Abs, is made of such. */
bool weir_lower_bent(weir_lowering *l, weir_node node);
/* Such codes where a condition, in codes of scale 1, is 1; where they stand for more than alpha; else 0, exactly. No
 * value after a reported error, or of none. */
weir_value weir_lower_gated(weir_lowering *l, weir_node node, weir_value condition, weir_value codes);
weir_value weir_lower_thresholded(weir_lowering *l, weir_node node, weir_value codes, double alpha);
bool weir_lower_where(weir_lowering *l, weir_node node);
/* Is the node a function of several tensors, which are carried? */
bool weir_lower_joins_carried(const weir_lowering *l, weir_node node);

/* --- the host's part (lower_host.c) --- */
/* The host computes the node, because of `cause`: the errors that refuse it as hardware, kept in case hardware uses the
 * result. Takes the cause over. False after a reported error. */
bool weir_lower_on_host(weir_lowering *l, weir_node node, weir_diag_log *cause);
/* The value of the model as a value of the new graph that the host reads: decoded where it is codes of real numbers. No
 * value after a reported error. */
weir_value weir_lower_host_value(weir_lowering *l, weir_value value);
/* The data of a constant of the model, also through quantizers, as the float engine computes it; lives in the new
 * graph's arena. NULL: it is none. */
const weir_array *weir_lower_constant(weir_lowering *l, weir_value value);
/* What leaves the hardware for output `index` of the model; no value after a reported error. */
weir_value weir_lower_result(weir_lowering *l, size_t index);

/* --- helpers shared by the files of the lowering --- */
/* The same for an input that has no quantizer, with what to do: quantize the model, or, where it has other quantizers,
 * that tensor. */
bool weir_lower_fail_unquantized(const weir_lowering *l, weir_node node, size_t index, const char *what);
/* `error: node 'x' (Gemm): text` at the node's location; false. */
bool weir_lower_fail(const weir_lowering *l, weir_node node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Does something of x, of a leaf or a SUM, change from channel to channel? */
bool weir_lower_has_channels(const weir_lowering *l, const weir_expression *x);
/* A per-tensor quantization of `width` bits with the limits of an element type. */
weir_quant weir_lower_quant_of(weir_dtype dtype, const double *scale, const int64_t *zero, uint32_t count, int axis);
/* The type of codes of a quantization in [low, high]. */
weir_type weir_lower_codes_type(const weir_quant *quant, const weir_shape *shape, int64_t low, int64_t high);
/* The codes as a type of the same grid, clipped to its range: a weir.Cast; no value after a reported error. */
weir_value weir_lower_clip(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                           const weir_type *type);
/* The same of the codes plus a number, or one a channel, of [low, high] of the type. */
weir_value weir_lower_shift(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                            const weir_array *add, const weir_type *type);
/* A power of two as scale and no zero point: MASE's fixed-point grid. */
void weir_lower_recognize_fixed(weir_quant *quant);
/* The codes of x, of a leaf or a SUM, with all that is pending computed, which no quantizer rounds. No value after an
 * error. */
weir_value weir_lower_codes(weir_lowering *l, weir_node node, const weir_expression *x);
/* The codes, smaller ones raised to `least`. No value after an error. */
weir_value weir_lower_at_least(weir_lowering *l, weir_node node, weir_value codes, int64_t least);
/* x, of a leaf or a SUM, in another shape, which the quantizer gives it. */
const weir_expression *weir_lower_reshaped(weir_lowering *l, const weir_expression *x, const weir_shape *shape);
/* The codes where the map of a leaf says; NULL: as they are. */
weir_value weir_lower_mapped(weir_lowering *l, weir_node old, weir_value codes, const weir_index_map *map);
/* The value in another shape, by a Reshape with the old node's location and name. */
weir_value weir_lower_reshape(weir_lowering *l, weir_node old, weir_value value, const weir_shape *shape);
weir_value weir_lower_reshape_as(weir_lowering *l, weir_node old, const char *suffix, weir_value value,
                                 const weir_shape *shape);
/* A node of the new graph with the old one's location, whose output 0 gets the type before inference. */
weir_node weir_lower_add_node(weir_lowering *l, weir_node old, weir_op op, const char *suffix, const weir_value *inputs,
                              size_t count, const weir_type *type);

#endif
