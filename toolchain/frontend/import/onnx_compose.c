#include "frontend/import/onnx_compose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/import/onnx_activation.h"
#include "frontend/import/onnx_codes.h"
#include "frontend/import/onnx_label.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

#define NODE(op, suffix, ...)                                                                                          \
    weir_onnx_form_node(form, WEIR_OP_##op, suffix, (weir_value[]){__VA_ARGS__},                                       \
                        sizeof((weir_value[]){__VA_ARGS__}) / sizeof(weir_value))

/* --- what they share --- */

static const Onnx__AttributeProto *attribute_of(const weir_onnx_form *form, const char *name) {
    return weir_onnx_schema_attribute(form->proto, name);
}

static int64_t int_of(const weir_onnx_form *form, const char *name, int64_t otherwise) {
    const Onnx__AttributeProto *a = attribute_of(form, name);
    return a == NULL ? otherwise : a->i;
}

static double float_of(const weir_onnx_form *form, const char *name, double otherwise) {
    const Onnx__AttributeProto *a = attribute_of(form, name);
    return a == NULL ? otherwise : (double)a->f;
}

static bool word_is(const weir_onnx_form *form, const char *name, const char *word) {
    const Onnx__AttributeProto *a = attribute_of(form, name);
    return a != NULL && a->s.len == strlen(word) && memcmp(a->s.data, word, a->s.len) == 0;
}

static bool fail(const weir_onnx_form *form, const char *text) {
    weir_error(form->location, "node '%s' (%s): %s", form->name, form->rule->name, text);
    return false;
}

static const weir_shape *shape_of(const weir_onnx_form *form, weir_value value) {
    return &weir_value_type(form->graph, value)->shape;
}

static weir_value vector(const weir_onnx_form *form, const char *part, const int64_t *values, size_t count) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {(int64_t)count}});
    for (size_t i = 0; i < count; i++) weir_array_set_int(array, i, values[i]);
    return weir_onnx_form_constant(form, part, array);
}

static weir_value number(const weir_onnx_form *form, const char *part, weir_dtype dtype, double value) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){.rank = 0});
    weir_array_set(array, 0, value);
    return weir_onnx_form_constant(form, part, array);
}

static weir_value infer(const weir_onnx_form *form, weir_value value) {
    return weir_infer_node(form->graph, weir_value_producer(form->graph, value)) ? value : WEIR_NO_VALUE;
}

static weir_value reshape(const weir_onnx_form *form, const char *part, weir_value value, const weir_shape *shape) {
    char *name = weir_format("%s_shape", part);
    const weir_value to = vector(form, name, shape->dim, (size_t)shape->rank);
    free(name);
    return weir_shape_equal(shape_of(form, value), shape) ? value : infer(form, NODE(RESHAPE, part, value, to));
}

/* Dimension i of the result is dimension perm[i]. */
static weir_value transpose(const weir_onnx_form *form, const char *part, weir_value value, const int64_t *perm) {
    const int rank = shape_of(form, value)->rank;
    bool moves = false;
    for (int i = 0; i < rank; i++) moves |= perm[i] != i;
    if (!moves) return value;
    const weir_value made = NODE(TRANSPOSE, part, value);
    weir_node_set_ints(form->graph, weir_value_producer(form->graph, made), "perm", perm, (size_t)rank);
    return infer(form, made);
}

/* With dimensions `a` and `b` exchanged. */
static weir_value swap(const weir_onnx_form *form, const char *part, weir_value value, int64_t a, int64_t b) {
    int64_t perm[WEIR_MAX_RANK];
    for (int i = 0; i < WEIR_MAX_RANK; i++) perm[i] = i == a ? b : i == b ? a : i;
    return transpose(form, part, value, perm);
}

static const weir_array *constant_of(const weir_onnx_form *form, weir_value value, const char *what) {
    const weir_array *array = weir_value_constant(form->graph, value);
    if (array == NULL)
        weir_error(form->location, "node '%s' (%s): %s must be constant", form->name, form->rule->name, what);
    return array;
}

/* The axis among `rank` dimensions; -1 after an error. */
static int64_t axis_of(const weir_onnx_form *form, int64_t axis, int rank) {
    const int64_t from_start = axis < 0 ? axis + rank : axis;
    if (from_start >= 0 && from_start < rank) return from_start;
    fail(form, "its axis is not one of its input's");
    return -1;
}

static weir_value named(const weir_onnx_form *form, weir_value value, const char *part) {
    weir_onnx_form_rename(form->graph, form->scope, value, form->name, part);
    return value;
}

/* --- Einsum --- */

/* The letters of operands and result; which operand a letter is of. */
typedef struct equation {
    char term[3][WEIR_MAX_RANK + 1];
    size_t count[3];
} equation;

static bool add_letter(equation *e, int term, char c) {
    if (e->count[term] == WEIR_MAX_RANK || strchr(e->term[term], c) != NULL) return false;
    e->term[term][e->count[term]++] = c;
    return true;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* Without an arrow the result has the letters that are there once, in order of the alphabet. */
static bool imply_result(equation *e) {
    bool fine = true;
    for (int c = 'A'; c <= 'z'; c++)
        if (is_letter((char)c) && (strchr(e->term[0], c) == NULL) != (strchr(e->term[1], c) == NULL))
            fine &= add_letter(e, 2, (char)c);
    return fine;
}

static bool parse(const weir_onnx_form *form, equation *e) {
    const ProtobufCBinaryData *text = &attribute_of(form, "equation")->s;
    const int last = form->operand[1].id != 0;
    int term = 0;
    bool fine = true;
    *e = (equation){.count = {0}};
    for (size_t i = 0; fine && i < text->len; i++) {
        const char c = (char)text->data[i];
        if (c == ' ') continue;
        if (c == ',') fine = term++ < last;
        else if (c == '-' && i + 1 < text->len && text->data[i + 1] == '>' && term == last) term = 2, i++;
        else fine = is_letter(c) && add_letter(e, term, c);
    }
    if (fine && term == last) fine = imply_result(e);
    for (size_t i = 0; fine && i < e->count[2]; i++)
        fine = strchr(e->term[0], e->term[2][i]) != NULL || strchr(e->term[1], e->term[2][i]) != NULL;
    return (fine && term >= last) ||
           fail(form, last == 1 ? "its equation is not one of two operands, each letter once in each"
                                : "its equation is not one of one operand, each letter once in it");
}

/* 0: in both and the result, 1: in the result and this operand alone, 2: in both alone; -1: none of these. */
static int role(const equation *e, int term, char c) {
    const bool other = strchr(e->term[1 - term], c) != NULL, result = strchr(e->term[2], c) != NULL;
    return other ? result ? 0 : 2 : result ? 1 : -1;
}

/* The letters of a role in the order of the first operand (roles 0 and 2) or of their own. */
static size_t letters_of(const equation *e, int term, int wanted, char *letters) {
    const int from = wanted == 1 ? term : 0;
    size_t count = 0;
    for (size_t i = 0; i < e->count[from]; i++)
        if (role(e, from, e->term[from][i]) == wanted) letters[count++] = e->term[from][i];
    letters[count] = '\0';
    return count;
}

static int64_t size_of(const weir_onnx_form *form, const equation *e, int term, char c) {
    return shape_of(form, form->operand[term])->dim[strchr(e->term[term], c) - e->term[term]];
}

/* An operand as matrices: batches, then rows and columns, of which `second` says the roles. */
static weir_value as_matrices(const weir_onnx_form *form, const equation *e, int term, const int roles[2]) {
    int64_t perm[WEIR_MAX_RANK];
    weir_shape shape = {.rank = 0};
    char letters[WEIR_MAX_RANK + 1];
    int rank = 0;
    for (int group = 0; group < 3; group++) {
        const size_t count = letters_of(e, term, group == 0 ? 0 : roles[group - 1], letters);
        int64_t size = 1;
        for (size_t i = 0; i < count; i++) {
            perm[rank++] = strchr(e->term[term], letters[i]) - e->term[term];
            if (group == 0) shape.dim[shape.rank++] = size_of(form, e, term, letters[i]);
            else size *= size_of(form, e, term, letters[i]);
        }
        if (group > 0) shape.dim[shape.rank++] = size;
    }
    const weir_value moved = transpose(form, term == 0 ? "left_order" : "right_order", form->operand[term], perm);
    return moved.id == 0 ? moved : reshape(form, term == 0 ? "left" : "right", moved, &shape);
}

static bool check_sizes(const weir_onnx_form *form, const equation *e) {
    char batches[WEIR_MAX_RANK + 1];
    bool fine = letters_of(e, 0, 0, batches) + 2 <= WEIR_MAX_RANK;
    for (int term = 0; term < 2 && fine; term++) {
        fine = shape_of(form, form->operand[term])->rank == (int)e->count[term];
        for (size_t i = 0; fine && i < e->count[term]; i++) {
            const char c = e->term[term][i];
            fine = role(e, term, c) != -1 &&
                   (strchr(e->term[1 - term], c) == NULL || size_of(form, e, 0, c) == size_of(form, e, 1, c));
        }
    }
    return fine || fail(form, "its operands do not have the dimensions of its equation, or one is summed alone");
}

/* Of one operand: the letters of the result, then those that are summed. */
static bool reduce_alone(weir_onnx_form *form, const equation *e, weir_value *inputs, size_t *count) {
    int64_t perm[WEIR_MAX_RANK], axes[WEIR_MAX_RANK];
    size_t rank = 0, sums = 0;
    if (shape_of(form, inputs[0])->rank != (int)e->count[0])
        return fail(form, "its operand does not have the dimensions of its equation");
    for (size_t i = 0; i < e->count[2]; i++) perm[rank++] = strchr(e->term[0], e->term[2][i]) - e->term[0];
    for (size_t i = 0; i < e->count[0]; i++) {
        if (strchr(e->term[2], e->term[0][i]) != NULL) continue;
        axes[sums++] = (int64_t)rank;
        perm[rank++] = (int64_t)i;
    }
    inputs[0] = transpose(form, "order", inputs[0], perm);
    form->op = sums == 0 ? WEIR_OP_IDENTITY : WEIR_OP_REDUCE_SUM;
    if (sums > 0) inputs[1] = vector(form, "axes", axes, sums);
    *count = sums == 0 ? 1 : 2;
    return inputs[0].id != 0;
}

static void einsum_attributes(const weir_onnx_form *form, weir_node node) {
    const bool sums = form->operand[1].id == 0 && weir_node_input_count(form->graph, node) == 2; /* their axes */
    if (sums) weir_node_set_int(form->graph, node, "keepdims", 0);
}

static bool einsum_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    equation e;
    form->operand[0] = inputs[0];
    form->operand[1] = *count > 1 ? inputs[1] : WEIR_NO_VALUE;
    if (!parse(form, &e)) return false;
    if (*count == 1) return reduce_alone(form, &e, inputs, count);
    if (!check_sizes(form, &e)) return false;
    inputs[0] = as_matrices(form, &e, 0, (const int[2]){1, 2});
    inputs[1] = as_matrices(form, &e, 1, (const int[2]){2, 1});
    *count = 2;
    return inputs[0].id != 0 && inputs[1].id != 0;
}

static weir_value einsum_finish(weir_onnx_form *form, weir_value value) {
    equation e;
    char made[3 * WEIR_MAX_RANK + 1];
    weir_shape shape = {.rank = 0};
    int64_t perm[WEIR_MAX_RANK];
    if (form->operand[1].id == 0) return value;
    if (!parse(form, &e)) return WEIR_NO_VALUE;
    size_t count = letters_of(&e, 0, 0, made);
    count += letters_of(&e, 0, 1, made + count);
    count += letters_of(&e, 1, 1, made + count);
    for (size_t i = 0; i < count; i++)
        shape.dim[shape.rank++] = size_of(form, &e, strchr(e.term[0], made[i]) != NULL ? 0 : 1, made[i]);
    for (size_t i = 0; i < e.count[2]; i++) perm[i] = strchr(made, e.term[2][i]) - made;
    const weir_value shaped = reshape(form, "product_shaped", named(form, value, "product"), &shape);
    return shaped.id == 0 ? shaped : transpose(form, "product_order", shaped, perm);
}

/* --- CumSum --- */

static bool cum_sum_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *axis = constant_of(form, inputs[1], "its axis (input 1)");
    const weir_type *type = weir_value_type(form->graph, inputs[0]);
    if (axis == NULL) return false;
    if (!weir_dtype_is_float(type->dtype) || axis->count != 1)
        return fail(form, "expected floating-point numbers and one axis");
    form->axis = axis_of(form, weir_array_get_int(axis, 0), type->shape.rank);
    if (form->axis < 0) return false;
    const int64_t size = type->shape.dim[form->axis], exclusive = int_of(form, "exclusive", 0);
    if (size > 1024) return fail(form, "sums along more than 1024 elements are not supported");
    weir_array *ones = weir_array_new(type->dtype, &(weir_shape){2, {size, size}});
    for (int64_t from = 0; from < size; from++)
        for (int64_t to = 0; to < size; to++)
            if (int_of(form, "reverse", 0) != 0 ? from >= to + exclusive : from + exclusive <= to)
                weir_array_set(ones, (size_t)(from * size + to), 1);
    inputs[0] = swap(form, "last", inputs[0], form->axis, type->shape.rank - 1);
    inputs[1] = weir_onnx_form_constant(form, "triangle", ones);
    *count = 2;
    return inputs[0].id != 0;
}

static weir_value cum_sum_finish(weir_onnx_form *form, weir_value value) {
    const int last = shape_of(form, value)->rank - 1;
    return form->axis == last ? value : swap(form, "back", named(form, value, "sums"), form->axis, last);
}

/* --- OneHot --- */

static bool one_hot_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *depth = constant_of(form, inputs[1], "its depth (input 1)"),
                     *values = depth == NULL ? NULL : constant_of(form, inputs[2], "its values (input 2)");
    const weir_type *type = weir_value_type(form->graph, inputs[0]);
    if (values == NULL) return false;
    const int64_t classes = depth->count == 1 ? weir_array_get_int(depth, 0) : 0;
    if (classes < 1 || classes > 65536 || values->count != 2 || type->shape.rank == WEIR_MAX_RANK)
        return fail(form, "expected one depth from 1 to 65536, and two values");
    const int64_t axis = axis_of(form, int_of(form, "axis", -1), type->shape.rank + 1);
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
    const weir_value zero = number(form, "zero", type->dtype, 0),
                     size = number(form, "depth", type->dtype, (double)classes),
                     shaped = reshape(form, "indices", inputs[0], &wide),
                     below = shaped.id == 0 ? shaped : infer(form, NODE(LESS, "below", shaped, zero)),
                     added = below.id == 0 ? below : infer(form, NODE(ADD, "from_end", shaped, size)),
                     index = added.id == 0 ? added : infer(form, NODE(WHERE, "index", below, added, shaped)),
                     at = weir_onnx_form_constant(form, "positions", positions);
    inputs[0] = index.id == 0 ? index : infer(form, NODE(EQUAL, "is", index, at));
    inputs[1] = weir_onnx_form_constant(form, "on", on);
    inputs[2] = weir_onnx_form_constant(form, "off", off);
    *count = 3;
    return inputs[0].id != 0;
}

/* --- elements at constant indices --- */

static weir_value flat(const weir_onnx_form *form, const char *part, weir_value value) {
    size_t count = 0;
    weir_shape_count(shape_of(form, value), &count);
    return reshape(form, part, value, &(weir_shape){1, {(int64_t)count}});
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
            fail(form, "an index is outside of its input");
            return -1;
        }
        element += at * stride_of(data, d);
    }
    return element;
}

/* The indices, whole and of the rank of the data, and the axis; NULL after an error. */
static const weir_array *indices_along(const weir_onnx_form *form, const weir_value *inputs, int64_t *axis) {
    const weir_array *indices = constant_of(form, inputs[1], "its indices (input 1)");
    const weir_shape *data = shape_of(form, inputs[0]);
    if (indices == NULL) return NULL;
    if (indices->shape.rank != data->rank || weir_dtype_is_float(indices->dtype)) {
        fail(form, "expected whole indices of as many dimensions as its input");
        return NULL;
    }
    *axis = axis_of(form, int_of(form, "axis", 0), data->rank);
    return *axis < 0 ? NULL : indices;
}

static bool gather_elements_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    int64_t axis;
    const weir_array *indices = indices_along(form, inputs, &axis);
    if (indices == NULL) return false;
    weir_array *at = weir_array_new(WEIR_INT64, &indices->shape);
    bool fine = true;
    for (size_t i = 0; fine && i < at->count; i++) {
        const int64_t element = element_along(form, indices, i, shape_of(form, inputs[0]), axis);
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
    return (weir_shape_count(shape_of(form, data), &count) && count <= 1 << 24) ||
           fail(form, "it has too many elements, expected at most 2^24");
}

/* The data with elements of the updates: `at` says for each of the data which of both, one after the other, it is.
 * Taken over. */
static bool gather_updated(const weir_onnx_form *form, weir_value *inputs, size_t *count, weir_array *at) {
    const weir_value data = flat(form, "flat", inputs[0]), updates = flat(form, "updates", inputs[2]);
    inputs[1] = weir_onnx_form_constant(form, "elements", at);
    *count = 2;
    if (data.id == 0 || updates.id == 0) return false;
    const weir_value both = NODE(CONCAT, "both", data, updates);
    weir_node_set_int(form->graph, weir_value_producer(form->graph, both), "axis", 0);
    inputs[0] = infer(form, both);
    return inputs[0].id != 0;
}

static weir_array *own_elements(const weir_onnx_form *form, weir_value data) {
    weir_array *at = weir_array_new(WEIR_INT64, shape_of(form, data));
    for (size_t i = 0; i < at->count; i++) weir_array_set_int(at, i, (int64_t)i);
    return at;
}

static bool scatter_elements_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    int64_t axis;
    const weir_array *indices = indices_along(form, inputs, &axis);
    if (indices == NULL || !is_small(form, inputs[0])) return false;
    if (!weir_shape_equal(&indices->shape, shape_of(form, inputs[2])))
        return fail(form, "expected as many updates as indices");
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

static bool scatter_nd_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *indices = constant_of(form, inputs[1], "its indices (input 1)");
    if (indices == NULL || !is_small(form, inputs[0])) return false;
    const weir_shape *data = shape_of(form, inputs[0]), *own = &indices->shape;
    const int64_t length = own->rank == 0 ? 0 : own->dim[own->rank - 1];
    if (length < 1 || length > data->rank || weir_dtype_is_float(indices->dtype))
        return fail(form, "expected whole indices of as many positions as its input has dimensions, or fewer");
    const int64_t rows = (int64_t)indices->count / length, size = stride_of(data, length - 1);
    size_t updates;
    if (!weir_shape_count(shape_of(form, inputs[2]), &updates) || (int64_t)updates != rows * size)
        return fail(form, "the number of its updates does not match its indices");
    weir_array *at = own_elements(form, inputs[0]);
    bool fine = true;
    for (int64_t row = 0; fine && row < rows; row++) {
        const int64_t element = element_of_row(indices, row, length, &at->shape);
        fine = element >= 0 || fail(form, "an index is outside of its input");
        for (int64_t i = 0; fine && i < size; i++)
            weir_array_set_int(at, (size_t)(element + i), (int64_t)at->count + row * size + i);
    }
    return gather_updated(form, inputs, count, at) && fine;
}

/* --- fused with what follows --- */

static weir_value activate(const weir_onnx_form *form, weir_value value) {
    return attribute_of(form, "activation") == NULL ? value : weir_onnx_activation(form, named(form, value, "sum"));
}

static weir_value fused_gemm_finish(weir_onnx_form *form, weir_value value) { return activate(form, value); }

static bool fused_matmul_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    static const char *const flags[2] = {"transA", "transB"}, *const parts[2] = {"left", "right"};
    for (size_t i = 0; i < *count; i++) {
        const int rank = shape_of(form, inputs[i])->rank;
        if (int_of(form, flags[i], 0) != 0 && rank >= 2)
            inputs[i] = swap(form, parts[i], inputs[i], rank - 2, rank - 1);
    }
    return inputs[0].id != 0 && inputs[1].id != 0;
}

static weir_value fused_matmul_finish(weir_onnx_form *form, weir_value value) {
    const double alpha = float_of(form, "alpha", 1);
    if (alpha == 1) return value;
    const weir_value factor = number(form, "alpha", weir_value_type(form->graph, value)->dtype, alpha);
    return infer(form, NODE(MUL, "scaled", named(form, value, "product"), factor));
}

static bool fused_conv_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    form->operand[0] = *count == 4 ? inputs[3] : WEIR_NO_VALUE;
    if (*count == 4) *count = inputs[2].id == 0 ? 2 : 3;
    return true;
}

static weir_value fused_conv_finish(weir_onnx_form *form, weir_value value) {
    if (form->operand[0].id == 0) return activate(form, value);
    value = infer(form, NODE(ADD, "total", named(form, value, "convolution"), form->operand[0]));
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
    if (*count == 2) inputs[0] = infer(form, NODE(ADD, "biased", inputs[0], inputs[1]));
    *count = 1;
    return inputs[0].id != 0;
}

static void tanh_attributes(const weir_onnx_form *form, weir_node node) {
    weir_node_set_string(form->graph, node, "approximate", "tanh");
}

static void quick_attributes(const weir_onnx_form *form, weir_node node) {
    weir_node_set_float(form->graph, node, "alpha", (double)(float)float_of(form, "alpha", 1.702));
}

/* --- scikit-learn's linear models --- */

/* A list of numbers as a constant of two dimensions; rows 0: of one. */
static weir_value matrix(const weir_onnx_form *form, const char *name, int64_t rows, int64_t columns) {
    const Onnx__AttributeProto *list = attribute_of(form, name);
    weir_array *array =
        weir_array_new(WEIR_FLOAT32, &(weir_shape){rows == 0 ? 1 : 2, {rows == 0 ? columns : rows, columns}});
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, (double)list->floats[i]);
    return weir_onnx_form_constant(form, name, array);
}

/* Of `rows` results, a row of coefficients each. */
static bool linear_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count, int64_t rows) {
    const Onnx__AttributeProto *weights = attribute_of(form, "coefficients"), *bias = attribute_of(form, "intercepts");
    const weir_type *type = weir_value_type(form->graph, inputs[0]);
    if (type->dtype != WEIR_FLOAT32) {
        const weir_value made = NODE(CAST, "real", inputs[0]);
        weir_node_set_string(form->graph, weir_value_producer(form->graph, made), "to", "float32");
        inputs[0] = infer(form, made);
        if (inputs[0].id == 0) return false;
    }
    const weir_shape *shape = shape_of(form, inputs[0]);
    if (shape->rank != 2 || rows < 1 || weights->n_floats / (size_t)rows != (size_t)shape->dim[1] ||
        weights->n_floats % (size_t)rows != 0)
        return fail(form, "expected a coefficient for each feature of a matrix and each result");
    if (bias != NULL && bias->n_floats > 0 && bias->n_floats != (size_t)rows)
        return fail(form, "expected one intercept per result");
    inputs[1] = matrix(form, "coefficients", rows, shape->dim[1]);
    if (bias != NULL && bias->n_floats > 0) inputs[2] = matrix(form, "intercepts", 0, rows);
    *count = bias != NULL && bias->n_floats > 0 ? 3 : 2;
    return true;
}

static void linear_attributes(const weir_onnx_form *form, weir_node node) {
    weir_node_set_int(form->graph, node, "transB", 1);
}

static weir_value scores(const weir_onnx_form *form, weir_value value) {
    if (word_is(form, "post_transform", "SOFTMAX"))
        return infer(form, NODE(SOFTMAX, "probabilities", named(form, value, "scores")));
    if (word_is(form, "post_transform", "LOGISTIC"))
        return infer(form, NODE(SIGMOID, "probabilities", named(form, value, "scores")));
    return value;
}

static bool regressor_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    return linear_inputs(form, inputs, count, int_of(form, "targets", 1));
}

static weir_value regressor_finish(weir_onnx_form *form, weir_value value) { return scores(form, value); }

static bool classifier_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const Onnx__AttributeProto *numbers = attribute_of(form, "classlabels_ints"),
                               *words = attribute_of(form, "classlabels_strings");
    const size_t classes = numbers != NULL && numbers->n_ints > 0 ? numbers->n_ints
                           : words == NULL                        ? 0
                                                                  : words->n_strings;
    if (shape_of(form, inputs[0])->rank != 2) return fail(form, "expected a matrix with a row per sample");
    if (classes < 2) return fail(form, "expected the labels of two classes or more");
    if (attribute_of(form, "coefficients")->n_floats < classes * (size_t)shape_of(form, inputs[0])->dim[1])
        return fail(form, "expected a row of coefficients for each class, also for two classes");
    return linear_inputs(form, inputs, count, (int64_t)classes);
}

/* The labels of positions; strings stay positions. */
static weir_value labels(const weir_onnx_form *form, weir_value position) {
    const Onnx__AttributeProto *numbers = attribute_of(form, "classlabels_ints"),
                               *words = attribute_of(form, "classlabels_strings");
    if (words != NULL && words->n_strings > 0) {
        weir_onnx_label_words(form->graph, words->strings, words->n_strings);
        return position;
    }
    bool same = true;
    for (size_t i = 0; i < numbers->n_ints; i++) same &= numbers->ints[i] == (int64_t)i;
    if (same) return position;
    const weir_value list = vector(form, "labels", numbers->ints, numbers->n_ints);
    return infer(form, NODE(GATHER, "label", list, named(form, position, "position")));
}

static weir_value classifier_finish(weir_onnx_form *form, weir_value value) {
    const weir_value made = NODE(ARG_MAX, "best", value);
    weir_node_set_int(form->graph, weir_value_producer(form->graph, made), "axis", 1);
    weir_node_set_int(form->graph, weir_value_producer(form->graph, made), "keepdims", 0);
    const weir_value position = infer(form, made);
    form->second = scores(form, value);
    return position.id == 0 || form->second.id == 0 ? WEIR_NO_VALUE : labels(form, position);
}

static bool is_by_largest(const weir_onnx_form *form) {
    return attribute_of(form, "norm") == NULL || word_is(form, "norm", "MAX");
}

static void normalizer_attributes(const weir_onnx_form *form, weir_node node) {
    if (is_by_largest(form)) return;
    weir_node_set_int(form->graph, node, "axis", -1);
    weir_node_set_int(form->graph, node, "p", word_is(form, "norm", "L1") ? 1 : 2);
}

/* Along the last axis; the host computes it before the first layer, where ReduceMax would be hardware. */
static weir_value largest(const weir_onnx_form *form, weir_value x) {
    char *name = weir_format("%s_largest", form->name);
    const weir_value inputs[2] = {x, vector(form, "one", (const int64_t[]){1}, 1)};
    const weir_node node = weir_graph_add_node(form->graph, WEIR_OP_TOP_K, name, inputs, 2, 2, WEIR_NO_NODE);
    free(name);
    weir_node_set_location(form->graph, node, form->location);
    named(form, weir_node_output(form->graph, node, 1), "position");
    return infer(form, named(form, weir_node_output(form->graph, node, 0), "largest"));
}

/* MAX: by the largest element, not the largest magnitude, as ONNX Runtime has it; as it is where that is 0. */
static bool normalizer_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_dtype dtype = weir_value_type(form->graph, inputs[0])->dtype;
    if (!is_by_largest(form)) return true;
    if (!weir_dtype_is_float(dtype)) return fail(form, "expected floating-point numbers");
    const weir_value by = largest(form, inputs[0]),
                     none = by.id == 0 ? by : infer(form, NODE(EQUAL, "is_zero", by, number(form, "zero", dtype, 0)));
    inputs[1] = none.id == 0 ? none : infer(form, NODE(WHERE, "divisor", none, number(form, "unit", dtype, 1), by));
    form->op = WEIR_OP_DIV;
    *count = 2;
    return inputs[1].id != 0;
}

/* --- comparisons that are numbers --- */

static bool binarizer_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_dtype dtype = weir_value_type(form->graph, inputs[0])->dtype;
    form->operand[0] = inputs[0];
    if (!weir_dtype_is_float(dtype)) return fail(form, "expected floating-point numbers");
    inputs[0] =
        infer(form, NODE(GREATER, "is", inputs[0], number(form, "threshold", dtype, float_of(form, "threshold", 0))));
    *count = 1;
    return inputs[0].id != 0;
}

/* --- quantizers of Sony's Model Compression Toolkit --- */

/* Quant by scales of thresholds: 2^(bits - 1) codes, or 2^bits without a sign, reach as far. */
static bool quantize_by(weir_onnx_form *form, weir_array *scale, bool is_signed, weir_value *inputs, size_t *count) {
    const int bits = (int)int_of(form, "num_bits", 8);
    bool fine = true;
    for (size_t i = 0; i < scale->count; i++) {
        const double threshold = weir_array_get(scale, i);
        fine &= threshold > 0 && isfinite(threshold);
        weir_array_set(scale, i, ldexp(threshold, is_signed ? 1 - bits : -bits));
    }
    inputs[1] = weir_onnx_form_constant(form, "scale", scale);
    inputs[2] = number(form, "zero", WEIR_FLOAT32, 0);
    inputs[3] = number(form, "bits", WEIR_FLOAT32, bits);
    *count = 4;
    return fine || fail(form, "expected thresholds above 0");
}

static bool activation_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &(weir_shape){.rank = 0});
    weir_array_set(scale, 0, float_of(form, "threshold", 0));
    return quantize_by(form, scale, int_of(form, "signed", 0) != 0, inputs, count);
}

static bool weights_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_array *given = constant_of(form, inputs[1], "the thresholds");
    const weir_shape *x = shape_of(form, inputs[0]);
    const bool by_channel = int_of(form, "per_channel", 0) != 0;
    const int64_t axis = by_channel ? axis_of(form, int_of(form, "channel_axis", 0), x->rank) : 0;
    if (given == NULL || axis < 0) return false;
    if (given->count != (by_channel ? (size_t)x->dim[axis] : 1)) return fail(form, "expected a threshold per channel");
    weir_shape wide = {.rank = by_channel ? x->rank : 0};
    for (int d = 0; d < wide.rank; d++) wide.dim[d] = d == axis ? x->dim[d] : 1;
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &wide);
    for (size_t i = 0; i < given->count; i++) weir_array_set(scale, i, weir_array_get(given, i));
    return quantize_by(form, scale, true, inputs, count);
}

static void quant_attributes(const weir_onnx_form *form, weir_node node) {
    if (attribute_of(form, "signed") == NULL) weir_node_set_int(form->graph, node, "signed", 1);
    weir_node_set_int(form->graph, node, "narrow", 0);
}

/* --- the table --- */

/* By the name of the rule; each function may be NULL. */
typedef struct row {
    const char *name;
    bool (*inputs)(weir_onnx_form *form, weir_value *inputs, size_t *count);
    void (*attributes)(const weir_onnx_form *form, weir_node node);
    weir_value (*finish)(weir_onnx_form *form, weir_value value); /* of the main operator's value */
} row;

static const row rows[] = {
    {"Einsum", einsum_inputs, einsum_attributes, einsum_finish},
    {"CumSum", cum_sum_inputs, NULL, cum_sum_finish},
    {"OneHot", one_hot_inputs, NULL, NULL},
    {"GatherElements", gather_elements_inputs, NULL, NULL},
    {"ScatterElements", scatter_elements_inputs, NULL, NULL},
    {"ScatterND", scatter_nd_inputs, NULL, NULL},
    {"FusedGemm", NULL, NULL, fused_gemm_finish},
    {"FusedMatMul", fused_matmul_inputs, NULL, fused_matmul_finish},
    {"FusedConv", fused_conv_inputs, NULL, fused_conv_finish},
    {"MatMulIntegerToFloat", weir_onnx_codes_product_inputs, NULL, weir_onnx_codes_product_finish},
    {"DynamicQuantizeMatMul", weir_onnx_codes_dynamic_inputs, NULL, weir_onnx_codes_product_finish},
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
        if (strcmp(rows[i].name, form->rule->name) == 0) return &rows[i];
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

weir_value weir_onnx_compose_finish(weir_onnx_form *form, weir_node node) {
    const row *r = row_of(form);
    const weir_value value = weir_node_output(form->graph, node, 0);
    return r->finish == NULL ? value : r->finish(form, value);
}
