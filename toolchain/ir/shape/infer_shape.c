/* Type inference of operators that move elements: shapes by ONNX's rules. A result holds elements of the inputs and no
 * others, so quantization and ranges are kept where they still mean the same. */
#include "ir/shape/geometry.h"
#include "ir/shape/infer_rule.h"

#include <math.h>
#include <stdlib.h>

#include "support/memory/arena.h"

bool weir_infer_flatten(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    const int64_t axis = weir_node_int(graph, node, "axis", 1);
    if (axis < -from->rank || axis > from->rank) {
        return weir_rule_fail(graph, node, "axis %lld is outside [-%d, %d]", (long long)axis, from->rank, from->rank);
    }
    weir_shape shape = {.rank = 2, .dim = {1, 1}};
    for (int i = 0; i < from->rank; i++) shape.dim[i < (axis < 0 ? axis + from->rank : axis) ? 0 : 1] *= from->dim[i];
    return weir_rule_set_reshaped(graph, node, to, &shape);
}

/* Replaces the one -1 of `shape`; the counts must agree. */
static bool complete_shape(const weir_graph *graph, weir_node node, weir_shape *shape) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    const size_t total = weir_rule_count(weir_rule_input(graph, node, 0));
    int open = -1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] < -1 || (shape->dim[i] == -1 && open >= 0)) {
            return weir_rule_fail(graph, node, "the new shape may hold one -1 and no other negative number");
        }
        if (shape->dim[i] == -1) {
            open = i;
            shape->dim[i] = 1;
        }
    }
    size_t count;
    if (!weir_shape_count(shape, &count)) return weir_rule_fail(graph, node, "the new shape is too large");
    if (open >= 0 && count > 0 && total % count == 0) {
        shape->dim[open] = (int64_t)(total / count);
        count = total;
    }
    return count == total || weir_rule_fail_shapes(graph, node, "reshape", from, shape);
}

bool weir_infer_reshape(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    const weir_array *wanted = weir_rule_constant(graph, node, 1);
    if (wanted == NULL || wanted->dtype != WEIR_INT64 || wanted->shape.rank != 1) {
        return weir_rule_fail(graph, node, "the new shape (input 1) must be a constant int64 vector");
    }
    if (wanted->count > WEIR_MAX_RANK) {
        return weir_rule_fail(graph, node, "the new shape has %zu dimensions, at most %d are supported", wanted->count,
                              WEIR_MAX_RANK);
    }
    const bool keep_zero = weir_node_int(graph, node, "allowzero", 0) != 0;
    weir_shape shape = {.rank = (int)wanted->count};
    for (int i = 0; i < shape.rank; i++) {
        shape.dim[i] = weir_array_get_int(wanted, (size_t)i);
        if (shape.dim[i] == 0 && !keep_zero) {
            if (i >= from->rank)
                return weir_rule_fail(graph, node, "0 at position %d of the new shape copies no dimension", i);
            shape.dim[i] = from->dim[i];
        }
    }
    return complete_shape(graph, node, &shape) && weir_rule_set_reshaped(graph, node, to, &shape);
}

bool weir_infer_transpose(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_type type = *weir_rule_input(graph, node, 0);
    const weir_shape from = type.shape;
    const int quant_axis = type.quant.axis;
    const weir_attribute *perm = weir_node_attribute(graph, node, "perm");
    if (perm != NULL && (perm->kind != WEIR_ATTRIBUTE_INTS || perm->count != (size_t)from.rank)) {
        return weir_rule_fail(graph, node, "attribute 'perm' must hold %d numbers", from.rank);
    }
    bool seen[WEIR_MAX_RANK] = {false};
    for (int i = 0; i < from.rank; i++) {
        int source = from.rank - 1 - i;
        if (perm != NULL && !weir_rule_axis(perm->as.ints[i], from.rank, &source)) {
            return weir_rule_fail(graph, node, "attribute 'perm' names axis %lld, expected 0 to %d",
                                  (long long)perm->as.ints[i], from.rank - 1);
        }
        if (seen[source]) return weir_rule_fail(graph, node, "attribute 'perm' names axis %d twice", source);
        seen[source] = true;
        type.shape.dim[i] = from.dim[source];
        if (source == quant_axis) type.quant.axis = i;
    }
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_identity(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return weir_rule_set(graph, node, to, weir_rule_input(graph, node, 0));
}

bool weir_infer_squeeze(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    bool named[WEIR_MAX_RANK];
    int count;
    weir_shape shape = {.rank = 0};
    if (!weir_rule_axes(graph, node, 1, from->rank, named, &count)) return false;
    for (int i = 0; i < from->rank; i++) {
        if (count >= 0 && named[i] && from->dim[i] != 1) {
            return weir_rule_fail(graph, node, "axis %d has %lld elements and cannot be squeezed", i,
                                  (long long)from->dim[i]);
        }
        if (count >= 0 ? !named[i] : from->dim[i] != 1) shape.dim[shape.rank++] = from->dim[i];
    }
    return weir_rule_set_reshaped(graph, node, to, &shape);
}

bool weir_infer_unsqueeze(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    const weir_array *axes = weir_rule_constant(graph, node, 1);
    bool named[WEIR_MAX_RANK];
    int count, next = 0;
    weir_shape shape = {.rank = from->rank + (axes == NULL ? 0 : (int)(axes->count & 0xffff))};
    if (shape.rank > WEIR_MAX_RANK) {
        return weir_rule_fail(graph, node, "the result has %d dimensions, at most %d are supported", shape.rank,
                              WEIR_MAX_RANK);
    }
    if (!weir_rule_axes(graph, node, 1, shape.rank, named, &count)) return false;
    for (int i = 0; i < shape.rank; i++) shape.dim[i] = named[i] ? 1 : from->dim[next++];
    return weir_rule_set_reshaped(graph, node, to, &shape);
}

bool weir_infer_slice(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape = weir_rule_input(graph, node, 0)->shape;
    weir_slice slice;
    if (!weir_geometry_slice(graph, node, &slice)) return false;
    for (int i = 0; i < shape.rank; i++) shape.dim[i] = slice.count[i];
    const weir_type type = weir_rule_moved_type(graph, node, &shape);
    return weir_rule_set(graph, node, to, &type);
}

/* The result of differently quantized inputs is plain integers. */
static void join_types(weir_type *type, const weir_type *next) {
    if (!weir_quant_equal(&type->quant, &next->quant))
        type->quant = weir_rule_plain_type(type->dtype, &type->shape).quant;
    type->has_range = type->has_range && next->has_range;
    type->low = next->low < type->low ? next->low : type->low;
    type->high = next->high > type->high ? next->high : type->high;
}

bool weir_infer_concat(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *first = weir_rule_input(graph, node, 0);
    const weir_attribute *attribute = weir_node_attribute(graph, node, "axis");
    weir_type type = weir_rule_moved_type(graph, node, &first->shape);
    int axis;
    if (attribute == NULL) return weir_rule_fail(graph, node, "attribute 'axis' is missing");
    if (!weir_rule_axis_attribute(graph, node, 0, &axis)) return false;
    for (size_t i = 1; i < weir_node_input_count(graph, node); i++) {
        const weir_type *next = weir_rule_input(graph, node, i);
        if (next == NULL) return weir_rule_fail(graph, node, "input %zu is missing", i);
        if (!weir_rule_same_dtype(graph, node, i)) return false;
        bool fits = next->shape.rank == type.shape.rank;
        for (int k = 0; fits && k < type.shape.rank; k++) fits = k == axis || next->shape.dim[k] == type.shape.dim[k];
        if (!fits) return weir_rule_fail_shapes(graph, node, "concatenation", &first->shape, &next->shape);
        if (type.shape.dim[axis] > INT64_MAX - next->shape.dim[axis])
            return weir_rule_fail(graph, node, "the output's shape is too large");
        type.shape.dim[axis] += next->shape.dim[axis];
        join_types(&type, next);
    }
    return weir_rule_set(graph, node, to, &type);
}

/* Sizes of the parts: input 1, or equal ones. Adds up to the axis. */
static bool split_sizes(const weir_graph *graph, weir_node node, int64_t dim, int64_t *sizes) {
    const size_t parts = weir_node_output_count(graph, node);
    int count;
    int64_t sum = 0;
    if (!weir_rule_integers(graph, node, 1, "the sizes", (int)parts, sizes, &count)) return false;
    if (count < 0 && dim % (int64_t)parts != 0) {
        return weir_rule_fail(graph, node, "an axis of %lld elements cannot be split into %zu equal parts",
                              (long long)dim, parts);
    }
    if (count >= 0 && (size_t)count != parts) {
        return weir_rule_fail(graph, node, "expected %zu sizes, one for each output, found %d", parts, count);
    }
    for (size_t i = 0; i < parts; i++) {
        if (count < 0) sizes[i] = dim / (int64_t)parts;
        if (sizes[i] < 0)
            return weir_rule_fail(graph, node, "size %zu is %lld, expected no negative number", i, (long long)sizes[i]);
        if (sizes[i] > dim - sum) sum = dim + 1;
        if (sum > dim) break;
        sum += sizes[i];
    }
    return sum == dim || weir_rule_fail(graph, node, "the sizes add up to %s than the axis, which has %lld elements",
                                        sum > dim ? "more" : "less", (long long)dim);
}

bool weir_infer_split(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    const size_t parts = weir_node_output_count(graph, node);
    int axis;
    if (!weir_rule_axis_attribute(graph, node, 0, &axis)) return false;
    int64_t *sizes = weir_calloc(parts, sizeof *sizes);
    bool fine = split_sizes(graph, node, from->dim[axis], sizes);
    for (size_t i = 0; fine && i < parts; i++) {
        weir_shape shape = *from;
        shape.dim[axis] = sizes[i];
        const weir_type type = weir_rule_moved_type(graph, node, &shape);
        fine = weir_rule_set_output(graph, node, to, i, &type);
    }
    free(sizes);
    return fine;
}

bool weir_infer_pad(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *fill = weir_rule_input(graph, node, 2);
    weir_shape shape = weir_rule_input(graph, node, 0)->shape;
    weir_padding padding;
    if (!weir_rule_same_dtype(graph, node, 2) || !weir_geometry_padding(graph, node, &padding)) return false;
    if (fill != NULL && weir_rule_count(fill) != 1)
        return weir_rule_fail(graph, node, "the value (input 2) must have one element");
    for (int i = 0; i < shape.rank; i++) shape.dim[i] = padding.out[i];
    weir_type type = weir_rule_moved_type(graph, node, &shape);
    type.has_range = false; /* the fill value may be outside */
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_resize(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape = weir_rule_input(graph, node, 0)->shape;
    weir_resizing resizing;
    if (!weir_geometry_resizing(graph, node, &resizing)) return false;
    const weir_dtype dtype = weir_rule_input(graph, node, 0)->dtype;
    if (resizing.is_linear && !weir_dtype_is_float(dtype) && dtype != WEIR_UINT8 && dtype != WEIR_INT8)
        return weir_rule_fail_dtype(graph, node, 0, "float32, uint8 or int8 where the mode is linear");
    for (int i = 0; i < shape.rank; i++) shape.dim[i] = resizing.out[i];
    const weir_type type = weir_rule_moved_type(graph, node, &shape);
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_gather(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0), *indices = weir_rule_input(graph, node, 1);
    const weir_array *known = weir_rule_constant(graph, node, 1);
    weir_shape shape = {.rank = 0};
    int axis;
    if (!weir_rule_axis_attribute(graph, node, 0, &axis)) return false;
    if (indices->dtype != WEIR_INT64 && indices->dtype != WEIR_INT32)
        return weir_rule_fail_dtype(graph, node, 1, "int32 or int64");
    if (x->shape.rank + indices->shape.rank - 1 > WEIR_MAX_RANK) {
        return weir_rule_fail(graph, node, "the result has %d dimensions, at most %d are supported",
                              x->shape.rank + indices->shape.rank - 1, WEIR_MAX_RANK);
    }
    const int64_t dim = x->shape.dim[axis];
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        const int64_t index = weir_array_get_int(known, i);
        if (index >= -dim && index < dim) continue;
        return weir_rule_fail(graph, node, "index %lld is outside axis %d, which has %lld elements", (long long)index,
                              axis, (long long)dim);
    }
    for (int i = 0; i < axis; i++) shape.dim[shape.rank++] = x->shape.dim[i];
    for (int i = 0; i < indices->shape.rank; i++) shape.dim[shape.rank++] = indices->shape.dim[i];
    for (int i = axis + 1; i < x->shape.rank; i++) shape.dim[shape.rank++] = x->shape.dim[i];
    const weir_type type = weir_rule_moved_type(graph, node, &shape);
    return weir_rule_set(graph, node, to, &type);
}

/* Elements of the last axis by position, as ONNX Runtime shapes them. */
bool weir_infer_array_feature_extractor(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *x = &weir_rule_input(graph, node, 0)->shape;
    const weir_type *indices = weir_rule_input(graph, node, 1);
    const weir_array *known = weir_rule_constant(graph, node, 1);
    weir_shape shape = *x;
    if (x->rank < 1) return weir_rule_fail(graph, node, "input 0 must have 1 dimension or more");
    if (indices->dtype != WEIR_INT64) return weir_rule_fail_dtype(graph, node, 1, "int64");
    const int64_t dim = x->dim[x->rank - 1];
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        const int64_t index = weir_array_get_int(known, i);
        if (index < 0 || index >= dim)
            return weir_rule_fail(graph, node, "position %lld is outside the last axis, which has %lld elements",
                                  (long long)index, (long long)dim);
    }
    if (x->rank == 1) shape = (weir_shape){2, {1}};
    shape.dim[shape.rank - 1] = (int64_t)weir_rule_count(indices);
    const weir_type type = weir_rule_moved_type(graph, node, &shape);
    return weir_rule_set(graph, node, to, &type);
}

/* Input `index` as a shape: a constant without negative numbers. */
static bool shape_input(const weir_graph *graph, weir_node node, size_t index, weir_shape *shape) {
    if (!weir_rule_integers(graph, node, index, "the shape", WEIR_MAX_RANK, shape->dim, &shape->rank)) return false;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[i] >= 0) continue;
        return weir_rule_fail(graph, node, "the shape (input %zu) holds %lld, expected no negative number", index,
                              (long long)shape->dim[i]);
    }
    return true;
}

bool weir_infer_expand(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *from = &weir_rule_input(graph, node, 0)->shape;
    weir_shape wanted, shape;
    if (!shape_input(graph, node, 1, &wanted)) return false;
    if (!weir_rule_broadcast(from, &wanted, &shape))
        return weir_rule_fail_shapes(graph, node, "broadcast", from, &wanted);
    const weir_type type = weir_rule_moved_type(graph, node, &shape);
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_tile(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape = weir_rule_input(graph, node, 0)->shape, repeats;
    if (!shape_input(graph, node, 1, &repeats)) return false;
    if (repeats.rank != shape.rank)
        return weir_rule_fail(graph, node, "%d numbers of repetitions for %d dimensions", repeats.rank, shape.rank);
    for (int i = 0; i < shape.rank; i++) {
        if (shape.dim[i] > 0 && repeats.dim[i] > INT32_MAX / shape.dim[i])
            return weir_rule_fail(graph, node, "%lld repetitions of %lld elements along axis %d are too many",
                                  (long long)repeats.dim[i], (long long)shape.dim[i], i);
        shape.dim[i] *= repeats.dim[i];
    }
    const weir_type type = weir_rule_moved_type(graph, node, &shape);
    return weir_rule_set(graph, node, to, &type);
}

/* The first two axes are, in either order, sequences and their elements; each sequence has a length. */
bool weir_infer_reverse_sequence(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    const weir_array *lengths = weir_rule_constant(graph, node, 1);
    const int64_t batch = weir_node_int(graph, node, "batch_axis", 1),
                  time = weir_node_int(graph, node, "time_axis", 0);
    if (shape->rank < 2) return weir_rule_fail(graph, node, "input 0 must have 2 dimensions or more");
    if (batch + time != 1 || batch * time != 0)
        return weir_rule_fail(graph, node, "batch_axis and time_axis must be 0 and 1 or 1 and 0");
    if (lengths == NULL || lengths->dtype != WEIR_INT64 || lengths->shape.rank != 1 ||
        lengths->shape.dim[0] != shape->dim[batch])
        return weir_rule_fail(graph, node, "the lengths (input 1) must be a constant vector of %lld int64",
                              (long long)shape->dim[batch]);
    for (size_t i = 0; i < lengths->count; i++) {
        const int64_t length = weir_array_get_int(lengths, i);
        if (length >= 0 && length <= shape->dim[time]) continue;
        return weir_rule_fail(graph, node, "length %lld is outside [0, %lld]", (long long)length,
                              (long long)shape->dim[time]);
    }
    const weir_type type = weir_rule_moved_type(graph, node, shape);
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_shape(const weir_graph *graph, weir_node node, weir_inferred *to) {
    int first, last;
    weir_geometry_shape_part(graph, node, &first, &last);
    const weir_shape shape = {.rank = 1, .dim = {last > first ? last - first : 0}};
    return weir_rule_set_plain(graph, node, to, WEIR_INT64, &shape);
}

bool weir_infer_size(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape scalar = {.rank = 0};
    return weir_rule_set_plain(graph, node, to, WEIR_INT64, &scalar);
}

bool weir_infer_constant_of_shape(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *value = weir_rule_input(graph, node, 1);
    weir_shape shape;
    if (value != NULL && (weir_rule_count(value) != 1 || weir_rule_constant(graph, node, 1) == NULL))
        return weir_rule_fail(graph, node, "the value (input 1) must be a constant of one element");
    return shape_input(graph, node, 0, &shape) &&
           weir_rule_set_plain(graph, node, to, value == NULL ? WEIR_FLOAT32 : value->dtype, &shape);
}

bool weir_infer_range(const weir_graph *graph, weir_node node, weir_inferred *to) {
    double given[3];
    for (size_t i = 0; i < 3; i++) {
        const weir_array *number = weir_rule_constant(graph, node, i);
        if (number == NULL || number->count != 1)
            return weir_rule_fail(graph, node, "input %zu must be one constant number", i);
        if (number->dtype != weir_rule_input(graph, node, 0)->dtype || number->dtype == WEIR_BOOL)
            return weir_rule_fail_dtype(graph, node, i, "a number of the first input's type");
        given[i] = weir_array_get(number, 0);
    }
    const double count = ceil((given[1] - given[0]) / given[2]);
    if (!(count >= 1 && count <= INT32_MAX))
        return weir_rule_fail(graph, node, "it has no elements, or too many: from %g to %g by %g", given[0], given[1],
                              given[2]);
    return weir_rule_set_plain(graph, node, to, weir_rule_input(graph, node, 0)->dtype,
                               &(weir_shape){1, {(int64_t)count}});
}

/* Rows of the initial value's type. */
bool weir_infer_state(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const int64_t steps = weir_node_int(graph, node, "steps", 0);
    weir_type type = *weir_rule_input(graph, node, 0);
    if (steps < 1)
        return weir_rule_fail(graph, node, "attribute 'steps' is %lld, expected 1 or more", (long long)steps);
    if (steps > 1 && (type.shape.rank == 0 || type.shape.dim[0] != 1))
        return weir_rule_fail(graph, node, "its initial value must have the first dimension 1");
    if (steps > 1) type.shape.dim[0] = steps;
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_update(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *next = weir_rule_input(graph, node, 0), *state = weir_rule_input(graph, node, 1);
    if (!weir_shape_equal(&next->shape, &state->shape))
        return weir_rule_fail_shapes(graph, node, "next value and State", &next->shape, &state->shape);
    return weir_rule_same_dtype(graph, node, 1) && weir_rule_set(graph, node, to, next);
}
