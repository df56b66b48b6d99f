#include "frontend/import/onnx_part.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "support/memory/arena.h"

#define PART WEIR_ONNX_PART

const Onnx__AttributeProto *weir_onnx_part_attribute(const weir_onnx_form *form, const char *name) {
    return weir_onnx_schema_attribute(form->proto, name);
}

int64_t weir_onnx_part_int(const weir_onnx_form *form, const char *name, int64_t otherwise) {
    const Onnx__AttributeProto *a = weir_onnx_part_attribute(form, name);
    return a == NULL ? otherwise : a->i;
}

double weir_onnx_part_float(const weir_onnx_form *form, const char *name, double otherwise) {
    const Onnx__AttributeProto *a = weir_onnx_part_attribute(form, name);
    return a == NULL ? otherwise : (double)a->f;
}

bool weir_onnx_part_word_is(const weir_onnx_form *form, const char *name, const char *word) {
    const Onnx__AttributeProto *a = weir_onnx_part_attribute(form, name);
    return a != NULL && a->s.len == strlen(word) && memcmp(a->s.data, word, a->s.len) == 0;
}

bool weir_onnx_part_fail(const weir_onnx_form *form, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    weir_error(form->location, "node '%s' (%s): %s", form->name, form->rule->name, text);
    return false;
}

const weir_shape *weir_onnx_part_shape(const weir_onnx_form *form, weir_value value) {
    static const weir_shape scalar = {.rank = 0};
    return value.id == 0 ? &scalar : &weir_value_type(form->graph, value)->shape;
}

weir_dtype weir_onnx_part_dtype(const weir_onnx_form *form, weir_value value) {
    return value.id == 0 ? WEIR_FLOAT32 : weir_value_type(form->graph, value)->dtype;
}

const weir_array *weir_onnx_part_constant(const weir_onnx_form *form, weir_value value, const char *what) {
    const weir_array *array = weir_value_constant(form->graph, value);
    if (array == NULL) weir_onnx_part_fail(form, "%s must be constant", what);
    return array;
}

int64_t weir_onnx_part_axis(const weir_onnx_form *form, int64_t axis, int rank) {
    const int64_t from_start = axis < 0 ? axis + rank : axis;
    if (from_start >= 0 && from_start < rank) return from_start;
    weir_onnx_part_fail(form, "its axis is not one of its input's");
    return -1;
}

weir_value weir_onnx_part_vector(const weir_onnx_form *form, const char *part, const int64_t *values, size_t count) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {(int64_t)count}});
    for (size_t i = 0; i < count; i++) weir_array_set_int(array, i, values[i]);
    return weir_onnx_form_constant(form, part, array);
}

weir_value weir_onnx_part_number(const weir_onnx_form *form, const char *part, weir_dtype dtype, double value) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){.rank = 0});
    weir_array_set(array, 0, value);
    return weir_onnx_form_constant(form, part, array);
}

weir_value weir_onnx_part_add(const weir_onnx_form *form, weir_op op, const char *suffix, const weir_value *inputs,
                              size_t count) {
    for (size_t i = 0; i < count; i++)
        if (inputs[i].id == 0) return WEIR_NO_VALUE;
    return weir_onnx_form_node(form, op, suffix, inputs, count);
}

weir_value weir_onnx_part_with(const weir_onnx_form *form, weir_value value, const char *name, int64_t number) {
    if (value.id != 0) weir_node_set_int(form->graph, weir_value_producer(form->graph, value), name, number);
    return value;
}

weir_value weir_onnx_part_infer(const weir_onnx_form *form, weir_value value) {
    if (value.id == 0) return value;
    return weir_infer_node(form->graph, weir_value_producer(form->graph, value)) ? value : WEIR_NO_VALUE;
}

weir_value weir_onnx_part_named(const weir_onnx_form *form, weir_value value, const char *part) {
    if (value.id != 0) weir_onnx_form_rename(form->graph, form->scope, value, form->name, part);
    return value;
}

/* A constant vector named after a part of the node. */
static weir_value vector_of(const weir_onnx_form *form, const char *part, const char *what, const int64_t *values,
                            size_t count) {
    char *name = weir_format("%s_%s", part, what);
    const weir_value made = weir_onnx_part_vector(form, name, values, count);
    free(name);
    return made;
}

weir_value weir_onnx_part_reshape(const weir_onnx_form *form, const char *part, weir_value value,
                                  const weir_shape *shape) {
    if (value.id == 0 || weir_shape_equal(weir_onnx_part_shape(form, value), shape)) return value;
    return PART(RESHAPE, part, value, vector_of(form, part, "shape", shape->dim, (size_t)shape->rank));
}

weir_value weir_onnx_part_transpose(const weir_onnx_form *form, const char *part, weir_value value,
                                    const int64_t *perm) {
    const int rank = weir_onnx_part_shape(form, value)->rank;
    bool moves = false;
    for (int i = 0; i < rank; i++) moves |= perm[i] != i;
    if (!moves) return value;
    const weir_value made = weir_onnx_part_add(form, WEIR_OP_TRANSPOSE, part, &value, 1);
    weir_node_set_ints(form->graph, weir_value_producer(form->graph, made), "perm", perm, (size_t)rank);
    return weir_onnx_part_infer(form, made);
}

weir_value weir_onnx_part_swap(const weir_onnx_form *form, const char *part, weir_value value, int64_t a, int64_t b) {
    int64_t perm[WEIR_MAX_RANK];
    for (int i = 0; i < WEIR_MAX_RANK; i++) perm[i] = i == a ? b : i == b ? a : i;
    return weir_onnx_part_transpose(form, part, value, perm);
}

weir_value weir_onnx_part_pick(const weir_onnx_form *form, const char *part, weir_value value, int64_t axis,
                               const int64_t *indices, size_t count) {
    const weir_value inputs[2] = {value, vector_of(form, part, "indices", indices, count)};
    return weir_onnx_part_infer(
        form, weir_onnx_part_with(form, weir_onnx_part_add(form, WEIR_OP_GATHER, part, inputs, 2), "axis", axis));
}

weir_value weir_onnx_part_slice(const weir_onnx_form *form, const char *part, weir_value value, int64_t axis,
                                int64_t begin, int64_t end) {
    if (value.id == 0 || (begin == 0 && end == weir_onnx_part_shape(form, value)->dim[axis])) return value;
    return PART(SLICE, part, value, vector_of(form, part, "begin", &begin, 1), vector_of(form, part, "end", &end, 1),
                vector_of(form, part, "axis", &axis, 1));
}

weir_value weir_onnx_part_concat(const weir_onnx_form *form, const char *part, weir_value a, weir_value b,
                                 int64_t axis) {
    const weir_value inputs[2] = {a, b};
    return weir_onnx_part_infer(
        form, weir_onnx_part_with(form, weir_onnx_part_add(form, WEIR_OP_CONCAT, part, inputs, 2), "axis", axis));
}
