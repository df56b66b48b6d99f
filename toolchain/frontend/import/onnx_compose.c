#include "frontend/import/onnx_compose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/import/onnx_activation.h"
#include "frontend/import/onnx_attention.h"
#include "frontend/import/onnx_codes.h"
#include "frontend/import/onnx_einsum.h"
#include "frontend/import/onnx_label.h"
#include "frontend/import/onnx_normal.h"
#include "frontend/import/onnx_packed.h"
#include "frontend/import/onnx_part.h"
#include "frontend/import/onnx_recurrent.h"
#include "frontend/import/onnx_rotary.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

#define PART WEIR_ONNX_PART

/* --- CumSum --- */

static bool cum_sum_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *axis = weir_onnx_part_constant(form, inputs[1], "its axis (input 1)");
    const weir_type *type = weir_value_type(form->graph, inputs[0]);
    if (axis == NULL) return false;
    if (!weir_dtype_is_float(type->dtype) || axis->count != 1)
        return weir_onnx_part_fail(form, "expected floating-point numbers and one axis");
    form->axis = weir_onnx_part_axis(form, weir_array_get_int(axis, 0), type->shape.rank);
    if (form->axis < 0) return false;
    const int64_t size = type->shape.dim[form->axis], exclusive = weir_onnx_part_int(form, "exclusive", 0);
    if (size > 1024) return weir_onnx_part_fail(form, "sums along more than 1024 elements are not supported");
    weir_array *ones = weir_array_new(type->dtype, &(weir_shape){2, {size, size}});
    for (int64_t from = 0; from < size; from++)
        for (int64_t to = 0; to < size; to++)
            if (weir_onnx_part_int(form, "reverse", 0) != 0 ? from >= to + exclusive : from + exclusive <= to)
                weir_array_set(ones, (size_t)(from * size + to), 1);
    inputs[0] = weir_onnx_part_swap(form, "last", inputs[0], form->axis, type->shape.rank - 1);
    inputs[1] = weir_onnx_form_constant(form, "triangle", ones);
    *count = 2;
    return inputs[0].id != 0;
}

static weir_value cum_sum_finish(weir_onnx_form *form, weir_value value) {
    const int last = weir_onnx_part_shape(form, value)->rank - 1;
    return form->axis == last
               ? value
               : weir_onnx_part_swap(form, "back", weir_onnx_part_named(form, value, "sums"), form->axis, last);
}

/* --- Trilu --- */

/* Zeros below a diagonal, or above it. */
static bool trilu_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *given = *count > 1 ? weir_onnx_part_constant(form, inputs[1], "its diagonal (input 1)") : NULL;
    const weir_shape *s = weir_onnx_part_shape(form, inputs[0]);
    if (*count > 1 && given == NULL) return false;
    if (s->rank < 2 || (given != NULL && given->count != 1))
        return weir_onnx_part_fail(form, "expected matrices, and one diagonal");
    const int64_t rows = s->dim[s->rank - 2], columns = s->dim[s->rank - 1],
                  diagonal = given == NULL ? 0 : weir_array_get_int(given, 0);
    const bool upper = weir_onnx_part_int(form, "upper", 1) != 0;
    weir_array *kept = weir_array_new(WEIR_BOOL, &(weir_shape){2, {rows, columns}});
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < columns; c++) {
            const bool is = upper ? c - r >= diagonal : c - r <= diagonal;
            weir_array_set_int(kept, (size_t)(r * columns + c), is);
        }
    }
    inputs[1] = inputs[0];
    inputs[2] = weir_onnx_part_number(form, "zero", weir_onnx_part_dtype(form, inputs[0]), 0);
    inputs[0] = weir_onnx_form_constant(form, "triangle", kept);
    *count = 3;
    return true;
}

/* --- OneHot --- */

static bool one_hot_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *depth = weir_onnx_part_constant(form, inputs[1], "its depth (input 1)"),
                     *values = depth == NULL ? NULL : weir_onnx_part_constant(form, inputs[2], "its values (input 2)");
    const weir_type *type = weir_value_type(form->graph, inputs[0]);
    if (values == NULL) return false;
    const int64_t classes = depth->count == 1 ? weir_array_get_int(depth, 0) : 0;
    if (classes < 1 || classes > 65536 || values->count != 2 || type->shape.rank == WEIR_MAX_RANK)
        return weir_onnx_part_fail(form, "expected one depth from 1 to 65536, and two values");
    const int64_t axis = weir_onnx_part_axis(form, weir_onnx_part_int(form, "axis", -1), type->shape.rank + 1);
    if (axis < 0) return false;
    weir_shape wide = type->shape, along = {.rank = type->shape.rank + 1};
    wide.rank = along.rank;
    for (int64_t i = 0; i < along.rank; i++) {
        along.dim[i] = i == axis ? classes : 1;
        wide.dim[i] = i < axis ? type->shape.dim[i] : i == axis ? 1 : type->shape.dim[i - 1];
    }
    weir_array *positions = weir_array_new(type->dtype, &along), *on = weir_array_new(values->dtype, &(weir_shape){0}),
               *off = weir_array_new(values->dtype, &(weir_shape){0});
    for (int64_t i = 0; i < classes; i++) weir_array_set_int(positions, (size_t)i, i);
    weir_array_set(off, 0, weir_array_get(values, 0));
    weir_array_set(on, 0, weir_array_get(values, 1));
    const weir_value zero = weir_onnx_part_number(form, "zero", type->dtype, 0),
                     size = weir_onnx_part_number(form, "depth", type->dtype, (double)classes),
                     shaped = weir_onnx_part_reshape(form, "indices", inputs[0], &wide),
                     below = PART(LESS, "below", shaped, zero), added = PART(ADD, "from_end", shaped, size),
                     index = PART(WHERE, "index", below, added, shaped),
                     at = weir_onnx_form_constant(form, "positions", positions);
    inputs[0] = PART(EQUAL, "is", index, at);
    inputs[1] = weir_onnx_form_constant(form, "on", on);
    inputs[2] = weir_onnx_form_constant(form, "off", off);
    *count = 3;
    return inputs[0].id != 0;
}

/* --- elements at constant indices --- */

static weir_value flat(const weir_onnx_form *form, const char *part, weir_value value) {
    size_t count = 0;
    weir_shape_count(weir_onnx_part_shape(form, value), &count);
    return weir_onnx_part_reshape(form, part, value, &(weir_shape){1, {(int64_t)count}});
}

static int64_t stride_of(const weir_shape *shape, int64_t axis) {
    int64_t stride = 1;
    for (int64_t d = axis + 1; d < shape->rank; d++) stride *= shape->dim[d];
    return stride;
}

/* Element i of indices along the axis as an element of the data; -1 after an error. */
static int64_t element_along(const weir_onnx_form *form, const weir_array *indices, size_t i, const weir_shape *data,
                             int64_t axis) {
    int64_t element = 0;
    for (int64_t d = 0; d < data->rank; d++) {
        const int64_t stride = stride_of(&indices->shape, d);
        int64_t at = (int64_t)i / stride % indices->shape.dim[d];
        if (d == axis) at = weir_array_get_int(indices, i) + (weir_array_get_int(indices, i) < 0 ? data->dim[d] : 0);
        if (at < 0 || at >= data->dim[d]) {
            weir_onnx_part_fail(form, "an index is outside of its input");
            return -1;
        }
        element += at * stride_of(data, d);
    }
    return element;
}

/* The indices, whole and of the rank of the data, and the axis; NULL after an error. */
static const weir_array *indices_along(const weir_onnx_form *form, const weir_value *inputs, int64_t *axis) {
    const weir_array *indices = weir_onnx_part_constant(form, inputs[1], "its indices (input 1)");
    const weir_shape *data = weir_onnx_part_shape(form, inputs[0]);
    if (indices == NULL) return NULL;
    if (indices->shape.rank != data->rank || weir_dtype_is_float(indices->dtype)) {
        weir_onnx_part_fail(form, "expected whole indices of as many dimensions as its input");
        return NULL;
    }
    *axis = weir_onnx_part_axis(form, weir_onnx_part_int(form, "axis", 0), data->rank);
    return *axis < 0 ? NULL : indices;
}

static bool gather_elements_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    int64_t axis;
    const weir_array *indices = indices_along(form, inputs, &axis);
    if (indices == NULL) return false;
    weir_array *at = weir_array_new(WEIR_INT64, &indices->shape);
    bool fine = true;
    for (size_t i = 0; fine && i < at->count; i++) {
        const int64_t element = element_along(form, indices, i, weir_onnx_part_shape(form, inputs[0]), axis);
        fine = element >= 0;
        weir_array_set_int(at, i, element);
    }
    inputs[1] = weir_onnx_form_constant(form, "elements", at);
    inputs[0] = flat(form, "flat", inputs[0]);
    *count = 2;
    return fine && inputs[0].id != 0;
}

/* Positions are kept for every element. */
static bool is_small(const weir_onnx_form *form, weir_value data) {
    size_t count = 0;
    return (weir_shape_count(weir_onnx_part_shape(form, data), &count) && count <= 1 << 24) ||
           weir_onnx_part_fail(form, "it has too many elements, expected at most 2^24");
}

/* Indices of an axis that updates replace, with all indices of the others. */
typedef struct band {
    int64_t axis, begin, end;
} band;

/* Is each element what the band says: its own, or the update in its place? */
static bool is_band(const weir_array *at, const band *b) {
    const int64_t count = (int64_t)at->count, stride = stride_of(&at->shape, b->axis), size = at->shape.dim[b->axis];
    bool fine = b->begin < b->end;
    for (int64_t i = 0; fine && i < count; i++) {
        const int64_t outer = i / stride / size, index = i / stride % size;
        const bool inside = index >= b->begin && index < b->end;
        const int64_t update = (outer * (b->end - b->begin) + index - b->begin) * stride + i % stride;
        fine = weir_array_get_int(at, (size_t)i) == (inside ? count + update : i);
    }
    return fine;
}

static bool find_band(const weir_array *at, band *found) {
    const int64_t count = (int64_t)at->count;
    for (int d = 0; d < at->shape.rank; d++) {
        const int64_t stride = stride_of(&at->shape, d), size = at->shape.dim[d];
        *found = (band){d, 0, 0};
        for (int64_t i = 0; i < size; i++) {
            if (weir_array_get_int(at, (size_t)(i * stride)) < count) continue;
            if (found->end == 0) found->begin = i;
            found->end = i + 1;
        }
        if (is_band(at, found)) return true;
    }
    return false;
}

/* What is before the band, the updates, what is behind. */
static weir_value join_band(const weir_onnx_form *form, weir_value data, weir_value updates, const band *b) {
    weir_shape shape = *weir_onnx_part_shape(form, data);
    const int64_t size = shape.dim[b->axis];
    shape.dim[b->axis] = b->end - b->begin;
    weir_value all = weir_onnx_part_reshape(form, "updates", updates, &shape);
    if (all.id != 0 && b->begin > 0)
        all = weir_onnx_part_concat(form, "begun", weir_onnx_part_slice(form, "before", data, b->axis, 0, b->begin),
                                    all, b->axis);
    if (all.id != 0 && b->end < size)
        all = weir_onnx_part_concat(form, "ended", all,
                                    weir_onnx_part_slice(form, "behind", data, b->axis, b->end, size), b->axis);
    return all;
}

/* The data with elements of the updates: `at` says for each of the data which of both, one after the other, it is.
 * Taken over. */
static bool gather_updated(const weir_onnx_form *form, weir_value *inputs, size_t *count, weir_array *at) {
    band b;
    *count = 2;
    if (at->count > 0 && find_band(at, &b)) {
        weir_array *rows = weir_array_new(WEIR_INT64, &(weir_shape){1, {at->shape.dim[0]}}); /* each where it is */
        for (size_t i = 0; i < rows->count; i++) weir_array_set_int(rows, i, (int64_t)i);
        weir_array_free(at);
        inputs[0] = join_band(form, inputs[0], inputs[2], &b);
        inputs[1] = weir_onnx_form_constant(form, "rows", rows);
        return inputs[0].id != 0;
    }
    const weir_value data = flat(form, "flat", inputs[0]), updates = flat(form, "updates", inputs[2]);
    inputs[1] = weir_onnx_form_constant(form, "elements", at);
    inputs[0] = weir_onnx_part_concat(form, "both", data, updates, 0);
    return inputs[0].id != 0;
}

static weir_array *own_elements(const weir_onnx_form *form, weir_value data) {
    weir_array *at = weir_array_new(WEIR_INT64, weir_onnx_part_shape(form, data));
    for (size_t i = 0; i < at->count; i++) weir_array_set_int(at, i, (int64_t)i);
    return at;
}

static bool scatter_elements_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    int64_t axis;
    const weir_array *indices = indices_along(form, inputs, &axis);
    if (indices == NULL || !is_small(form, inputs[0])) return false;
    if (!weir_shape_equal(&indices->shape, weir_onnx_part_shape(form, inputs[2])))
        return weir_onnx_part_fail(form, "expected as many updates as indices");
    weir_array *at = own_elements(form, inputs[0]);
    bool fine = true;
    for (size_t i = 0; fine && i < indices->count; i++) {
        const int64_t element = element_along(form, indices, i, &at->shape, axis);
        fine = element >= 0;
        if (fine) weir_array_set_int(at, (size_t)element, (int64_t)(at->count + i));
    }
    return gather_updated(form, inputs, count, at) && fine;
}

/* The first element of the data that row `row` of the indices names; -1: none. */
static int64_t element_of_row(const weir_array *indices, int64_t row, int64_t length, const weir_shape *data) {
    int64_t element = 0;
    for (int64_t d = 0; d < length; d++) {
        const int64_t index = weir_array_get_int(indices, (size_t)(row * length + d)),
                      at = index < 0 ? index + data->dim[d] : index;
        if (at < 0 || at >= data->dim[d]) return -1;
        element += at * stride_of(data, d);
    }
    return element;
}

/* Of each batch, the parts of the data at its rows of indices. */
static bool gather_nd_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *indices = weir_onnx_part_constant(form, inputs[1], "its indices (input 1)");
    if (indices == NULL) return false;
    const weir_shape *data = weir_onnx_part_shape(form, inputs[0]), *own = &indices->shape;
    const int64_t batch = weir_onnx_part_int(form, "batch_dims", 0),
                  length = own->rank == 0 ? 0 : own->dim[own->rank - 1];
    if (batch >= own->rank || length < 1 || batch + length > data->rank || weir_dtype_is_float(indices->dtype))
        return weir_onnx_part_fail(form,
                                   "expected whole indices of as many positions as its input has dimensions, or fewer");
    weir_shape rest = {.rank = data->rank - (int)batch}, made = {.rank = 0};
    for (int d = 0; d < rest.rank; d++) rest.dim[d] = data->dim[batch + d];
    for (int d = 0; d < own->rank - 1; d++) {
        if (d < batch && own->dim[d] != data->dim[d])
            return weir_onnx_part_fail(form, "its batches differ from those of its indices");
        made.dim[made.rank++] = own->dim[d];
    }
    if (made.rank + rest.rank - length > WEIR_MAX_RANK)
        return weir_onnx_part_fail(form, "expected a result of at most %d dimensions", WEIR_MAX_RANK);
    for (int d = (int)length; d < rest.rank; d++) made.dim[made.rank++] = rest.dim[d];
    weir_array *at = weir_array_new(WEIR_INT64, &made);
    const int64_t size = stride_of(&rest, length - 1), per = stride_of(own, batch - 1) / length,
                  whole = stride_of(data, batch - 1);
    bool fine = true;
    for (int64_t row = 0; fine && row * size < (int64_t)at->count; row++) {
        const int64_t element = element_of_row(indices, row, length, &rest);
        fine = element >= 0 || weir_onnx_part_fail(form, "an index is outside of its input");
        for (int64_t i = 0; fine && i < size; i++)
            weir_array_set_int(at, (size_t)(row * size + i), row / per * whole + element + i);
    }
    inputs[1] = weir_onnx_form_constant(form, "elements", at);
    inputs[0] = flat(form, "flat", inputs[0]);
    *count = 2;
    return fine && inputs[0].id != 0;
}

static bool scatter_nd_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *indices = weir_onnx_part_constant(form, inputs[1], "its indices (input 1)");
    if (indices == NULL || !is_small(form, inputs[0])) return false;
    const weir_shape *data = weir_onnx_part_shape(form, inputs[0]), *own = &indices->shape;
    const int64_t length = own->rank == 0 ? 0 : own->dim[own->rank - 1];
    if (length < 1 || length > data->rank || weir_dtype_is_float(indices->dtype))
        return weir_onnx_part_fail(form,
                                   "expected whole indices of as many positions as its input has dimensions, or fewer");
    const int64_t rows = (int64_t)indices->count / length, size = stride_of(data, length - 1);
    size_t updates;
    if (!weir_shape_count(weir_onnx_part_shape(form, inputs[2]), &updates) || (int64_t)updates != rows * size)
        return weir_onnx_part_fail(form, "the number of its updates does not match its indices");
    weir_array *at = own_elements(form, inputs[0]);
    bool fine = true;
    for (int64_t row = 0; fine && row < rows; row++) {
        const int64_t element = element_of_row(indices, row, length, &at->shape);
        fine = element >= 0 || weir_onnx_part_fail(form, "an index is outside of its input");
        for (int64_t i = 0; fine && i < size; i++)
            weir_array_set_int(at, (size_t)(element + i), (int64_t)at->count + row * size + i);
    }
    return gather_updated(form, inputs, count, at) && fine;
}

/* --- fused with what follows --- */

static weir_value activate(const weir_onnx_form *form, weir_value value) {
    return weir_onnx_part_attribute(form, "activation") == NULL
               ? value
               : weir_onnx_activation(form, weir_onnx_part_named(form, value, "sum"));
}

static weir_value fused_gemm_finish(weir_onnx_form *form, weir_value value) { return activate(form, value); }

/* Dimensions 1 to rank - 2 are the batch, dimension 0 is behind them. */
static weir_value with_batch_first(const weir_onnx_form *form, const char *part, weir_value value, int rank) {
    int64_t perm[WEIR_MAX_RANK];
    for (int i = 0; i < rank; i++) perm[i] = i == rank - 1 ? i : i == rank - 2 ? 0 : i + 1;
    return weir_onnx_part_transpose(form, part, value, perm);
}

static bool fused_matmul_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    static const char *const flags[2] = {"transA", "transB"}, *const batches[2] = {"transBatchA", "transBatchB"},
                             *const parts[2] = {"left", "right"}, *const orders[2] = {"left_batch", "right_batch"};
    for (size_t i = 0; i < *count; i++) {
        const int rank = weir_onnx_part_shape(form, inputs[i])->rank;
        if (weir_onnx_part_int(form, batches[i], 0) != 0 && rank >= 3)
            inputs[i] = with_batch_first(form, orders[i], inputs[i], rank);
        if (weir_onnx_part_int(form, flags[i], 0) != 0 && rank >= 2)
            inputs[i] = weir_onnx_part_swap(form, parts[i], inputs[i], rank - 2, rank - 1);
    }
    return inputs[0].id != 0 && inputs[1].id != 0;
}

static weir_value fused_matmul_finish(weir_onnx_form *form, weir_value value) {
    const double alpha = weir_onnx_part_float(form, "alpha", 1);
    if (alpha == 1) return value;
    const weir_value factor = weir_onnx_part_number(form, "alpha", weir_value_type(form->graph, value)->dtype, alpha);
    return PART(MUL, "scaled", weir_onnx_part_named(form, value, "product"), factor);
}

static bool fused_conv_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    form->operand[0] = *count == 4 ? inputs[3] : WEIR_NO_VALUE;
    if (*count == 4) *count = inputs[2].id == 0 ? 2 : 3;
    return true;
}

static weir_value fused_conv_finish(weir_onnx_form *form, weir_value value) {
    if (form->operand[0].id == 0) return activate(form, value);
    value = PART(ADD, "total", weir_onnx_part_named(form, value, "convolution"), form->operand[0]);
    return value.id == 0 ? value : activate(form, value);
}

/* --- Cast to the type of another value --- */

static bool cast_like_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    form->operand[0] = inputs[1];
    *count = 1;
    return true;
}

static void cast_like_attributes(const weir_onnx_form *form, weir_node node) {
    const weir_dtype dtype = weir_value_type(form->graph, form->operand[0])->dtype;
    weir_node_set_string(form->graph, node, "to", weir_dtype_name(dtype));
}

/* --- kinds of Gelu --- */

static bool biased_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    if (*count == 2) inputs[0] = PART(ADD, "biased", inputs[0], inputs[1]);
    *count = 1;
    return inputs[0].id != 0;
}

static void tanh_attributes(const weir_onnx_form *form, weir_node node) {
    weir_node_set_string(form->graph, node, "approximate", "tanh");
}

static void quick_attributes(const weir_onnx_form *form, weir_node node) {
    weir_node_set_float(form->graph, node, "alpha", (double)(float)weir_onnx_part_float(form, "alpha", 1.702));
}

/* --- scikit-learn's linear models --- */

/* A list of numbers as a constant of two dimensions; rows 0: of one. */
static weir_value matrix(const weir_onnx_form *form, const char *name, int64_t rows, int64_t columns) {
    const Onnx__AttributeProto *list = weir_onnx_part_attribute(form, name);
    weir_array *array =
        weir_array_new(WEIR_FLOAT32, &(weir_shape){rows == 0 ? 1 : 2, {rows == 0 ? columns : rows, columns}});
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, (double)list->floats[i]);
    return weir_onnx_form_constant(form, name, array);
}

/* Of `rows` results, a row of coefficients each. */
static bool linear_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count, int64_t rows) {
    const Onnx__AttributeProto *weights = weir_onnx_part_attribute(form, "coefficients"),
                               *bias = weir_onnx_part_attribute(form, "intercepts");
    const weir_type *type = weir_value_type(form->graph, inputs[0]);
    if (type->dtype != WEIR_FLOAT32) {
        const weir_value made = weir_onnx_form_node(form, WEIR_OP_CAST, "real", inputs, 1);
        weir_node_set_string(form->graph, weir_value_producer(form->graph, made), "to", "float32");
        inputs[0] = weir_onnx_part_infer(form, made);
        if (inputs[0].id == 0) return false;
    }
    const weir_shape *shape = weir_onnx_part_shape(form, inputs[0]);
    if (shape->rank != 2 || rows < 1 || weights->n_floats / (size_t)rows != (size_t)shape->dim[1] ||
        weights->n_floats % (size_t)rows != 0)
        return weir_onnx_part_fail(form, "expected a coefficient for each feature of a matrix and each result");
    if (bias != NULL && bias->n_floats > 0 && bias->n_floats != (size_t)rows)
        return weir_onnx_part_fail(form, "expected one intercept per result");
    inputs[1] = matrix(form, "coefficients", rows, shape->dim[1]);
    if (bias != NULL && bias->n_floats > 0) inputs[2] = matrix(form, "intercepts", 0, rows);
    *count = bias != NULL && bias->n_floats > 0 ? 3 : 2;
    return true;
}

static void linear_attributes(const weir_onnx_form *form, weir_node node) {
    weir_node_set_int(form->graph, node, "transB", 1);
}

static weir_value scores(const weir_onnx_form *form, weir_value value) {
    if (weir_onnx_part_word_is(form, "post_transform", "SOFTMAX"))
        return PART(SOFTMAX, "probabilities", weir_onnx_part_named(form, value, "scores"));
    if (weir_onnx_part_word_is(form, "post_transform", "LOGISTIC"))
        return PART(SIGMOID, "probabilities", weir_onnx_part_named(form, value, "scores"));
    return value;
}

static bool regressor_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    return linear_inputs(form, inputs, count, weir_onnx_part_int(form, "targets", 1));
}

static weir_value regressor_finish(weir_onnx_form *form, weir_value value) { return scores(form, value); }

static bool classifier_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const Onnx__AttributeProto *numbers = weir_onnx_part_attribute(form, "classlabels_ints"),
                               *words = weir_onnx_part_attribute(form, "classlabels_strings");
    const size_t classes = numbers != NULL && numbers->n_ints > 0 ? numbers->n_ints
                           : words == NULL                        ? 0
                                                                  : words->n_strings;
    if (weir_onnx_part_shape(form, inputs[0])->rank != 2)
        return weir_onnx_part_fail(form, "expected a matrix with a row per sample");
    if (classes < 2) return weir_onnx_part_fail(form, "expected the labels of two classes or more");
    if (weir_onnx_part_attribute(form, "coefficients")->n_floats <
        classes * (size_t)weir_onnx_part_shape(form, inputs[0])->dim[1])
        return weir_onnx_part_fail(form, "expected a row of coefficients for each class, also for two classes");
    return linear_inputs(form, inputs, count, (int64_t)classes);
}

/* The labels of positions; strings stay positions. */
static weir_value labels(const weir_onnx_form *form, weir_value position) {
    const Onnx__AttributeProto *numbers = weir_onnx_part_attribute(form, "classlabels_ints"),
                               *words = weir_onnx_part_attribute(form, "classlabels_strings");
    if (words != NULL && words->n_strings > 0) {
        weir_onnx_label_words(form->graph, words->strings, words->n_strings);
        return position;
    }
    bool same = true;
    for (size_t i = 0; i < numbers->n_ints; i++) same &= numbers->ints[i] == (int64_t)i;
    if (same) return position;
    const weir_value list = weir_onnx_part_vector(form, "labels", numbers->ints, numbers->n_ints);
    return PART(GATHER, "label", list, weir_onnx_part_named(form, position, "position"));
}

static weir_value classifier_finish(weir_onnx_form *form, weir_value value) {
    const weir_value made = weir_onnx_form_node(form, WEIR_OP_ARG_MAX, "best", &value, 1);
    weir_node_set_int(form->graph, weir_value_producer(form->graph, made), "axis", 1);
    weir_node_set_int(form->graph, weir_value_producer(form->graph, made), "keepdims", 0);
    const weir_value position = weir_onnx_part_infer(form, made);
    form->more[0] = scores(form, value);
    return position.id == 0 || form->more[0].id == 0 ? WEIR_NO_VALUE : labels(form, position);
}

static bool is_by_largest(const weir_onnx_form *form) {
    return weir_onnx_part_attribute(form, "norm") == NULL || weir_onnx_part_word_is(form, "norm", "MAX");
}

static void normalizer_attributes(const weir_onnx_form *form, weir_node node) {
    if (is_by_largest(form)) return;
    weir_node_set_int(form->graph, node, "axis", -1);
    weir_node_set_int(form->graph, node, "p", weir_onnx_part_word_is(form, "norm", "L1") ? 1 : 2);
}

/* Along the last axis; the host computes it before the first layer, where ReduceMax would be hardware. */
static weir_value largest(const weir_onnx_form *form, weir_value x) {
    char *name = weir_format("%s_largest", form->name);
    const weir_value inputs[2] = {x, weir_onnx_part_vector(form, "one", (const int64_t[]){1}, 1)};
    const weir_node node = weir_graph_add_node(form->graph, WEIR_OP_TOP_K, name, inputs, 2, 2, WEIR_NO_NODE);
    free(name);
    weir_node_set_location(form->graph, node, form->location);
    weir_onnx_part_named(form, weir_node_output(form->graph, node, 1), "position");
    return weir_onnx_part_infer(form, weir_onnx_part_named(form, weir_node_output(form->graph, node, 0), "largest"));
}

/* MAX: by the largest element, not the largest magnitude, as ONNX Runtime has it; as it is where that is 0. */
static bool normalizer_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_dtype dtype = weir_value_type(form->graph, inputs[0])->dtype;
    if (!is_by_largest(form)) return true;
    if (!weir_dtype_is_float(dtype)) return weir_onnx_part_fail(form, "expected floating-point numbers");
    const weir_value by = largest(form, inputs[0]),
                     none = PART(EQUAL, "is_zero", by, weir_onnx_part_number(form, "zero", dtype, 0));
    inputs[1] = PART(WHERE, "divisor", none, weir_onnx_part_number(form, "unit", dtype, 1), by);
    form->op = WEIR_OP_DIV;
    *count = 2;
    return inputs[1].id != 0;
}

/* --- comparisons that are numbers --- */

static bool binarizer_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_dtype dtype = weir_value_type(form->graph, inputs[0])->dtype;
    form->operand[0] = inputs[0];
    if (!weir_dtype_is_float(dtype)) return weir_onnx_part_fail(form, "expected floating-point numbers");
    inputs[0] = PART(GREATER, "is", inputs[0],
                     weir_onnx_part_number(form, "threshold", dtype, weir_onnx_part_float(form, "threshold", 0)));
    *count = 1;
    return inputs[0].id != 0;
}

/* --- quantizers of Sony's Model Compression Toolkit --- */

/* Quant by scales of thresholds: 2^(bits - 1) codes, or 2^bits without a sign, reach as far. */
static bool quantize_by(weir_onnx_form *form, weir_array *scale, bool is_signed, weir_value *inputs, size_t *count) {
    const int bits = (int)weir_onnx_part_int(form, "num_bits", 8);
    bool fine = true;
    for (size_t i = 0; i < scale->count; i++) {
        const double threshold = weir_array_get(scale, i);
        fine &= threshold > 0 && isfinite(threshold);
        weir_array_set(scale, i, ldexp(threshold, is_signed ? 1 - bits : -bits));
    }
    inputs[1] = weir_onnx_form_constant(form, "scale", scale);
    inputs[2] = weir_onnx_part_number(form, "zero", WEIR_FLOAT32, 0);
    inputs[3] = weir_onnx_part_number(form, "bits", WEIR_FLOAT32, bits);
    *count = 4;
    return fine || weir_onnx_part_fail(form, "expected thresholds above 0");
}

static bool activation_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &(weir_shape){.rank = 0});
    weir_array_set(scale, 0, weir_onnx_part_float(form, "threshold", 0));
    return quantize_by(form, scale, weir_onnx_part_int(form, "signed", 0) != 0, inputs, count);
}

static bool weights_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *given = weir_onnx_part_constant(form, inputs[1], "the thresholds");
    const weir_shape *x = weir_onnx_part_shape(form, inputs[0]);
    const bool by_channel = weir_onnx_part_int(form, "per_channel", 0) != 0;
    const int64_t axis =
        by_channel ? weir_onnx_part_axis(form, weir_onnx_part_int(form, "channel_axis", 0), x->rank) : 0;
    if (given == NULL || axis < 0) return false;
    if (given->count != (by_channel ? (size_t)x->dim[axis] : 1))
        return weir_onnx_part_fail(form, "expected a threshold per channel");
    weir_shape wide = {.rank = by_channel ? x->rank : 0};
    for (int d = 0; d < wide.rank; d++) wide.dim[d] = d == axis ? x->dim[d] : 1;
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &wide);
    for (size_t i = 0; i < given->count; i++) weir_array_set(scale, i, weir_array_get(given, i));
    return quantize_by(form, scale, true, inputs, count);
}

static void quant_attributes(const weir_onnx_form *form, weir_node node) {
    if (weir_onnx_part_attribute(form, "signed") == NULL) weir_node_set_int(form->graph, node, "signed", 1);
    weir_node_set_int(form->graph, node, "narrow", 0);
}

/* --- the table --- */

/* By the name of the form; each function may be NULL. */
typedef struct row {
    const char *name;
    bool (*inputs)(weir_onnx_form *form, weir_value *inputs, size_t *count);
    void (*attributes)(const weir_onnx_form *form, weir_node node);
    weir_value (*finish)(weir_onnx_form *form, weir_value value); /* of the main operator's value */
} row;

static const row rows[] = {
    {"Einsum", weir_onnx_einsum_inputs, weir_onnx_einsum_attributes, NULL},
    {"CumSum", cum_sum_inputs, NULL, cum_sum_finish},
    {"Trilu", trilu_inputs, NULL, NULL},
    {"Attention", weir_onnx_attention_inputs, NULL, weir_onnx_attention_finish},
    {"RuntimeAttention", weir_onnx_attention_of_projection, NULL, weir_onnx_attention_finish},
    {"MultiHeadAttention", weir_onnx_attention_multi_head, NULL, weir_onnx_attention_finish},
    {"RotaryEmbedding", weir_onnx_rotary_inputs, NULL, weir_onnx_rotary_finish},
    {"RuntimeRotaryEmbedding", weir_onnx_rotary_of_runtime, NULL, weir_onnx_rotary_finish},
    {"GroupNormalization", weir_onnx_normal_group_inputs, NULL, weir_onnx_normal_group_finish},
    {"LRN", weir_onnx_normal_local_inputs, NULL, NULL},
    {"SkipLayerNormalization", weir_onnx_normal_skip_inputs, weir_onnx_normal_runtime_attributes, NULL},
    {"SkipSimplifiedLayerNormalization", weir_onnx_normal_skip_rms_inputs, weir_onnx_normal_runtime_attributes, NULL},
    {"EmbedLayerNormalization", weir_onnx_normal_embed_inputs, weir_onnx_normal_runtime_attributes, NULL},
    {"LSTM", weir_onnx_recurrent_lstm, weir_onnx_recurrent_attributes, NULL},
    {"GRU", weir_onnx_recurrent_gru, weir_onnx_recurrent_attributes, NULL},
    {"RNN", weir_onnx_recurrent_rnn, weir_onnx_recurrent_attributes, NULL},
    {"OneHot", one_hot_inputs, NULL, NULL},
    {"GatherElements", gather_elements_inputs, NULL, NULL},
    {"GatherND", gather_nd_inputs, NULL, NULL},
    {"ScatterElements", scatter_elements_inputs, NULL, NULL},
    {"ScatterND", scatter_nd_inputs, NULL, NULL},
    {"FusedGemm", NULL, NULL, fused_gemm_finish},
    {"FusedMatMul", fused_matmul_inputs, NULL, fused_matmul_finish},
    {"FusedConv", fused_conv_inputs, NULL, fused_conv_finish},
    {"MatMulIntegerToFloat", weir_onnx_codes_product_inputs, NULL, weir_onnx_codes_product_finish},
    {"DynamicQuantizeMatMul", weir_onnx_codes_dynamic_inputs, NULL, weir_onnx_codes_product_finish},
    {"MatMulNBits", weir_onnx_packed_inputs, NULL, weir_onnx_codes_product_finish},
    {"MatMulBnb4", weir_onnx_packed_float_inputs, NULL, NULL},
    {"CastLike", cast_like_inputs, cast_like_attributes, NULL},
    {"BiasGelu", biased_inputs, NULL, NULL},
    {"FastGelu", biased_inputs, tanh_attributes, NULL},
    {"QuickGelu", NULL, quick_attributes, NULL},
    {"LinearRegressor", regressor_inputs, linear_attributes, regressor_finish},
    {"LinearClassifier", classifier_inputs, linear_attributes, classifier_finish},
    {"Binarizer", binarizer_inputs, cast_like_attributes, NULL},
    {"Normalizer", normalizer_inputs, normalizer_attributes, NULL},
    {"ActivationPOTQuantizer", activation_inputs, quant_attributes, NULL},
    {"ActivationSymmetricQuantizer", activation_inputs, quant_attributes, NULL},
    {"WeightsPOTQuantizer", weights_inputs, quant_attributes, NULL},
    {"WeightsSymmetricQuantizer", weights_inputs, quant_attributes, NULL},
};

static const row *row_of(const weir_onnx_form *form) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, form->rule->composed) == 0) return &rows[i];
    weir_unreachable("a composed rule without a row");
}

bool weir_onnx_compose_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const row *r = row_of(form);
    return r->inputs == NULL || r->inputs(form, inputs, count);
}

void weir_onnx_compose_attributes(const weir_onnx_form *form, weir_node node) {
    const row *r = row_of(form);
    if (r->attributes != NULL) r->attributes(form, node);
}

/* The value in the shape and order of the form. */
static weir_value result_of(const weir_onnx_form *form, weir_value value) {
    bool moves = false;
    for (int i = 0; i < form->shape.rank; i++) moves |= form->perm[i] != i;
    if (moves || !weir_shape_equal(weir_onnx_part_shape(form, value), &form->shape))
        weir_onnx_part_named(form, value, "product");
    return weir_onnx_part_transpose(form, "product_order",
                                    weir_onnx_part_reshape(form, "product_shaped", value, &form->shape), form->perm);
}

weir_value weir_onnx_compose_finish(weir_onnx_form *form, weir_node node) {
    const row *r = row_of(form);
    const weir_value value = weir_node_output(form->graph, node, 0);
    if (form->has_result) return result_of(form, value);
    return r->finish == NULL ? value : r->finish(form, value);
}
