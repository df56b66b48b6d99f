/* What the passes that rewrite a tensor graph share. */
#ifndef WEIR_TRANSFORM_REWRITE_H
#define WEIR_TRANSFORM_REWRITE_H

#include "ir/graph/graph.h"

/* A graph that is being rewritten. Types stay those that inference gives: when a value is replaced by one of another
 * type, the rest of the graph is inferred again at the end. */
typedef struct weir_rewrite {
    weir_graph *graph;
    size_t count; /* nodes removed so far */
    bool is_stale;
    weir_node at; /* new nodes go before it, with its source location and its name as prefix of theirs */
} weir_rewrite;

/* Is the value a constant, or what quantizers make of one? */
bool weir_rewrite_is_fixed(const weir_graph *graph, weir_value value);
/* May passes over tensors change the node? Not when it is hardware, part of a stream, or has its channels at another
 * axis than ONNX (ir/shape/layout.h), which the passes do not handle. */
bool weir_rewrite_may(const weir_graph *graph, weir_node node);
/* Every use of `old` becomes one of `with`. */
void weir_rewrite_replace(weir_rewrite *rewrite, weir_value old, weir_value with);
/* Removes a node whose outputs are unused and the constants that only it used. */
void weir_rewrite_remove(weir_rewrite *rewrite, weir_node node);
/* A new node before `at` with one inferred output, which is returned; called "at_suffix", or what is free. */
weir_value weir_rewrite_node(weir_rewrite *rewrite, weir_op op, const char *suffix, const weir_value *inputs,
                             size_t count);
#define WEIR_REWRITE_NODE(rewrite, op, suffix, ...)                                                                    \
    weir_rewrite_node(rewrite, op, suffix, (weir_value[]){__VA_ARGS__},                                                \
                      sizeof((weir_value[]){__VA_ARGS__}) / sizeof(weir_value))
/* The same in steps, for nodes with attributes: a node whose output has no type, its attributes, its type. */
weir_value weir_rewrite_start(weir_rewrite *rewrite, weir_op op, const char *suffix, const weir_value *inputs,
                              size_t count);
void weir_rewrite_set_int(weir_rewrite *rewrite, weir_value value, const char *name, int64_t number);
void weir_rewrite_copy_attributes(weir_rewrite *rewrite, weir_value value, weir_node from);
weir_value weir_rewrite_infer(weir_rewrite *rewrite, weir_value value); /* returns the value */
/* New constants, named as nodes are: an array, which is taken over; one element of the type; a vector of int64 (a
 * shape, axes). */
weir_value weir_rewrite_constant(weir_rewrite *rewrite, const char *suffix, weir_array *array);
weir_value weir_rewrite_number(weir_rewrite *rewrite, const char *suffix, weir_dtype dtype, double number);
weir_value weir_rewrite_integers(weir_rewrite *rewrite, const char *suffix, const int64_t *values, size_t count);
/* QONNX's Quant of the value: half to even, saturated at all codes of so many bits; zero point and bits become
 * constants. */
weir_value weir_rewrite_quant(weir_rewrite *rewrite, weir_value value, weir_value scale, double zero, int bits,
                              bool is_signed);
/* `value` in another shape with as many elements: itself, a new constant, or a Reshape. */
weir_value weir_rewrite_reshape(weir_rewrite *rewrite, const char *suffix, weir_value value, const weir_shape *shape);
/* `value` with dimension i of the result being dimension perm[i]: itself, or a Transpose. */
weir_value weir_rewrite_transpose(weir_rewrite *rewrite, const char *suffix, weir_value value, const int64_t *perm);
/* Replaces output 0 of `at` by `value` and removes `at`. The node that makes the value takes over the names. */
void weir_rewrite_become(weir_rewrite *rewrite, weir_value value);
/* Have the nodes the same attributes, bit by bit? */
bool weir_rewrite_same_attributes(const weir_graph *graph, weir_node a, weir_node b);
/* Does the value hold a model's parameters: a constant, a graph input, or products, quotients and shapes of these? Not
 * when it is a quantizer's result: then nothing may be put between the two. O(1). */
bool weir_rewrite_is_parameter(const weir_graph *graph, weir_value value);
/* Infers what became stale; false after a reported error. */
bool weir_rewrite_finish(weir_rewrite *rewrite);

/* A constant that is compared by content: of one element, or the short int64 vectors by which ONNX gives shapes and
 * axes; NULL: another value. */
const weir_array *weir_rewrite_small_constant(const weir_graph *graph, weir_value value);
/* Do both compute the same: the operator, its attributes, the types of its outputs, and its inputs, where small
 * constants are equal by content? */
bool weir_rewrite_same_node(const weir_graph *graph, weir_node a, weir_node b);

#endif
