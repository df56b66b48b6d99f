/* What the inference rules share; used by toolchain/ir/infer*.c only. */
#ifndef WEIR_IR_INFER_RULE_H
#define WEIR_IR_INFER_RULE_H

#include "ir/infer.h"

/* A rule sets the types of the node's outputs, or reports an error and returns false. The number of inputs is checked
 * and the required ones are there. One rule per row of op.def. */
typedef bool weir_infer_rule(weir_graph *graph, weir_node node);

#define WEIR_OP(id, ...) weir_infer_rule weir_infer_##id;
#include "ir/op.def"
#undef WEIR_OP

/* Reports an error at the node, with its name and operator in front; returns false. */
bool weir_rule_fail(const weir_graph *graph, weir_node node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "`what`: shapes A and B do not fit"; returns false. */
bool weir_rule_fail_shapes(const weir_graph *graph, weir_node node, const char *what, const weir_shape *a,
                           const weir_shape *b);
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
bool weir_rule_set(weir_graph *graph, weir_node node, const weir_type *type);
bool weir_rule_set_plain(weir_graph *graph, weir_node node, weir_dtype dtype, const weir_shape *shape);
/* Do the dimensions broadcast (numpy)? The result goes to *to. */
bool weir_rule_broadcast(const weir_shape *a, const weir_shape *b, weir_shape *to);
/* Input `index`, when given, must have one element or be a vector of `count`. */
bool weir_rule_check_parameter(const weir_graph *graph, weir_node node, size_t index, int64_t count);

#endif
