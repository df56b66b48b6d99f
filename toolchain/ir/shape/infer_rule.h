/* Shared by the inference rules; used only in toolchain/ir/infer*.c and geometry.c. */
#ifndef WEIR_IR_INFER_RULE_H
#define WEIR_IR_INFER_RULE_H

#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"

/* A rule computes the types of the node's outputs into `to` and changes nothing else, or reports an error and returns
 * false. The number of inputs is checked and the required ones are there. Rows of op.def name theirs. */
typedef bool weir_infer_rule(const weir_graph *graph, weir_node node, weir_inferred *to);

#define WEIR_OP_FACTS(id, domain, name, ...) __VA_ARGS__
#define INFER(rule) weir_infer_rule weir_infer_##rule;
#include "ir/graph/op.def"

/* Reports an error at the node, starting with its name and operator; returns false. */
bool weir_rule_fail(const weir_graph *graph, weir_node node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "`what`: shapes A and B do not fit"; returns false. */
bool weir_rule_fail_shapes(const weir_graph *graph, weir_node node, const char *what, const weir_shape *a,
                           const weir_shape *b);
/* "axis 3 is outside [-2, 1]"; returns false. */
bool weir_rule_fail_axis(const weir_graph *graph, weir_node node, int64_t axis, int rank);
/* "input `index` must be `expected`, is ..."; returns false. */
bool weir_rule_fail_dtype(const weir_graph *graph, weir_node node, size_t index, const char *expected);

/* Type of input `index`, or NULL when the input is left out. */
const weir_type *weir_rule_input(const weir_graph *graph, weir_node node, size_t index);
/* Its content when it is a constant, else NULL. */
const weir_array *weir_rule_constant(const weir_graph *graph, weir_node node, size_t index);
size_t weir_rule_count(const weir_type *type);
bool weir_rule_is_integer(const weir_type *type);
/* Real numbers for a float dtype, plain codes for an integer one. */
weir_type weir_rule_plain_type(weir_dtype dtype, const weir_shape *shape);
/* Sets the type of output 0; false after a reported error when its size overflows. */
bool weir_rule_set(const weir_graph *graph, weir_node node, weir_inferred *to, const weir_type *type);
bool weir_rule_set_plain(const weir_graph *graph, weir_node node, weir_inferred *to, weir_dtype dtype,
                         const weir_shape *shape);
/* Do the dimensions broadcast (numpy)? The result goes to *to. */
bool weir_rule_broadcast(const weir_shape *a, const weir_shape *b, weir_shape *to);
/* Is string attribute `name`, when given, one of `words`, which end with a NULL? Reports it when not. */
bool weir_rule_is_word(const weir_graph *graph, weir_node node, const char *name, const char *const *words);
/* `axis`, counted from the last one when negative, as a position in [0, rank); false when there is none such. */
bool weir_rule_axis(int64_t axis, int rank, int *normal);
/* The same for attribute `axis` of the node and the rank of input 0, after a reported error. */
bool weir_rule_axis_attribute(const weir_graph *graph, weir_node node, int64_t otherwise, int *axis);
/* Are the inputs from 0 to `count` - 1, where given, numbers of one type? Reports the first that is not. */
bool weir_rule_same_numbers(const weir_graph *graph, weir_node node, size_t count);
/* Is input `index`, when given, of the type of input 0? */
bool weir_rule_same_dtype(const weir_graph *graph, weir_node node, size_t index);
/* Is input 0 of a floating-point type? */
bool weir_rule_float_input(const weir_graph *graph, weir_node node);
/* Does input `index` (when given) broadcast to `shape` without changing it? Reports it when not. */
bool weir_rule_broadcasts_to(const weir_graph *graph, weir_node node, size_t index, const weir_shape *shape);
/* The constant vector of integers at input `index`, at most `limit` of them; `what` names it in messages. A left-out
 * input gives count -1. */
bool weir_rule_integers(const weir_graph *graph, weir_node node, size_t index, const char *what, int limit,
                        int64_t *values, int *count);
/* The axes that input `index` names, as flags; left out: none. An axis named twice is an error. */
bool weir_rule_axes(const weir_graph *graph, weir_node node, size_t index, int rank, bool *named, int *count);
/* The input's type with another shape. Per-axis quantization follows its axis when the new shape still has it with the
 * same elements before and after it, and is dropped (plain codes) when it has not. */
bool weir_rule_set_reshaped(const weir_graph *graph, weir_node node, weir_inferred *to, const weir_shape *shape);
/* Type of a result that holds elements of input 0 and no others: its quantization and range, except scales by axis. */
weir_type weir_rule_moved_type(const weir_graph *graph, weir_node node, const weir_shape *shape);
/* Sets the type of output `index`; false after a reported error when its size overflows. */
bool weir_rule_set_output(const weir_graph *graph, weir_node node, weir_inferred *to, size_t index,
                          const weir_type *type);
/* Output shape of a convolution of input 0 with the weights at input `weights`; false after a reported error. */
bool weir_rule_conv_shape(const weir_graph *graph, weir_node node, size_t weights, weir_shape *shape);
/* Output shape of a pool of input 0 over all of an image; false after a reported error. */
bool weir_rule_global_shape(const weir_graph *graph, weir_node node, weir_shape *shape);
/* Output shape of a pool of input 0, and its window; false after a reported error. */
bool weir_rule_pool_shape(const weir_graph *graph, weir_node node, weir_shape *shape, weir_window *window);
/* Input `index`, when given, must have one element or be a vector of `count`. */
bool weir_rule_check_parameter(const weir_graph *graph, weir_node node, size_t index, int64_t count);

#endif
