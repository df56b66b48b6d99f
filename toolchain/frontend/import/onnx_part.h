/* What operators of files that become several nodes (onnx_compose.h) are made with: nodes and constants of a node, its
 * attributes. A function of values gives no value where one that it needs is none, after the error that says why. */
#ifndef WEIR_ONNX_PART_H
#define WEIR_ONNX_PART_H

#include "frontend/import/onnx_form.h"

/* A node with inferred types, its output 0. */
#define WEIR_ONNX_PART(op, suffix, ...)                                                                                \
    weir_onnx_part_infer(form, weir_onnx_part_add(form, WEIR_OP_##op, suffix, (weir_value[]){__VA_ARGS__},             \
                                                  sizeof((weir_value[]){__VA_ARGS__}) / sizeof(weir_value)))

const Onnx__AttributeProto *weir_onnx_part_attribute(const weir_onnx_form *form, const char *name);
int64_t weir_onnx_part_int(const weir_onnx_form *form, const char *name, int64_t otherwise);
double weir_onnx_part_float(const weir_onnx_form *form, const char *name, double otherwise);
bool weir_onnx_part_word_is(const weir_onnx_form *form, const char *name, const char *word);

/* "node 'n' (Op): text"; returns false. */
bool weir_onnx_part_fail(const weir_onnx_form *form, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of no value: a scalar's. */
const weir_shape *weir_onnx_part_shape(const weir_onnx_form *form, weir_value value);
weir_dtype weir_onnx_part_dtype(const weir_onnx_form *form, weir_value value);
/* The constant, or NULL after an error: "`what` must be constant". */
const weir_array *weir_onnx_part_constant(const weir_onnx_form *form, weir_value value, const char *what);
/* The axis among `rank` dimensions; -1 after an error. */
int64_t weir_onnx_part_axis(const weir_onnx_form *form, int64_t axis, int rank);

/* Constants of the node. */
weir_value weir_onnx_part_vector(const weir_onnx_form *form, const char *part, const int64_t *values, size_t count);
weir_value weir_onnx_part_number(const weir_onnx_form *form, const char *part, weir_dtype dtype, double value);

/* A node without types: its attributes come before weir_onnx_part_infer. */
weir_value weir_onnx_part_add(const weir_onnx_form *form, weir_op op, const char *suffix, const weir_value *inputs,
                              size_t count);
/* Sets an attribute of the node that makes the value. */
weir_value weir_onnx_part_with(const weir_onnx_form *form, weir_value value, const char *name, int64_t number);
weir_value weir_onnx_part_infer(const weir_onnx_form *form, weir_value value);
weir_value weir_onnx_part_named(const weir_onnx_form *form, weir_value value, const char *part);

/* The value itself where nothing changes. Transposed: dimension i of the result is dimension perm[i]. */
weir_value weir_onnx_part_reshape(const weir_onnx_form *form, const char *part, weir_value value,
                                  const weir_shape *shape);
weir_value weir_onnx_part_transpose(const weir_onnx_form *form, const char *part, weir_value value,
                                    const int64_t *perm);
/* With dimensions `a` and `b` exchanged. */
weir_value weir_onnx_part_swap(const weir_onnx_form *form, const char *part, weir_value value, int64_t a, int64_t b);
/* The indices along the axis, as constant positions; the rest of the dimensions stays. */
weir_value weir_onnx_part_pick(const weir_onnx_form *form, const char *part, weir_value value, int64_t axis,
                               const int64_t *indices, size_t count);
/* Elements from `begin` to `end` of the axis. */
weir_value weir_onnx_part_slice(const weir_onnx_form *form, const char *part, weir_value value, int64_t axis,
                                int64_t begin, int64_t end);
weir_value weir_onnx_part_concat(const weir_onnx_form *form, const char *part, weir_value a, weir_value b,
                                 int64_t axis);

#endif
