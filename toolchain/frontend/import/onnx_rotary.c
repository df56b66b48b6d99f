#include "frontend/import/onnx_rotary.h"

#include <stdlib.h>

#include "frontend/import/onnx_part.h"
#include "support/memory/arena.h"

#define PART WEIR_ONNX_PART

typedef struct rotation {
    weir_value x;            /* [batch, heads, length, size] or, `flat`, [batch, length, heads, size] */
    weir_value cosine, sine; /* [batch, length, turned / 2] */
    int64_t length, turned;
    bool flat;
} rotation;

/* Indices of a table of `turned` elements: which of the half as many factors each has, or its pair's other element. */
static weir_value spread(const weir_onnx_form *form, const char *part, weir_value value, int64_t axis, int64_t turned,
                         bool exchanged) {
    const bool interleaved = weir_onnx_part_int(form, "interleaved", 0) != 0;
    int64_t *index = weir_calloc((size_t)turned, sizeof *index);
    for (int64_t i = 0; i < turned; i++) {
        if (exchanged) index[i] = interleaved ? i ^ 1 : (i + turned / 2) % turned;
        else index[i] = interleaved ? i / 2 : i % (turned / 2);
    }
    value = weir_onnx_part_pick(form, part, value, axis, index, (size_t)turned);
    free(index);
    return value;
}

/* The first element of a pair takes the other one's product with -sine. */
static weir_value signs(const weir_onnx_form *form, weir_dtype dtype, int64_t turned) {
    const bool interleaved = weir_onnx_part_int(form, "interleaved", 0) != 0;
    weir_array *array = weir_array_new(dtype, &(weir_shape){1, {turned}});
    for (int64_t i = 0; i < turned; i++)
        weir_array_set(array, (size_t)i, (interleaved ? i % 2 == 0 : i < turned / 2) ? -1 : 1);
    return weir_onnx_form_constant(form, "signs", array);
}

/* A factor for each element: of [batch, length, turned / 2], or [length, turned / 2] for all frames. */
static weir_value factors(const weir_onnx_form *form, const rotation *r, const char *part, const char *wide,
                          weir_value half) {
    weir_shape shape = *weir_onnx_part_shape(form, half);
    const int64_t batch = shape.rank == 3 ? shape.dim[0] : 1;
    const weir_shape by_head = {4, {batch, r->flat ? r->length : 1, r->flat ? 1 : r->length, r->turned}};
    return weir_onnx_part_reshape(form, wide, spread(form, part, half, shape.rank - 1, r->turned, false), &by_head);
}

static bool check(const weir_onnx_form *form, const rotation *r) {
    const weir_shape *cosine = weir_onnx_part_shape(form, r->cosine), *sine = weir_onnx_part_shape(form, r->sine);
    const bool fits = cosine->rank >= 2 && weir_shape_equal(cosine, sine) &&
                      cosine->dim[cosine->rank - 1] == r->turned / 2 && cosine->dim[cosine->rank - 2] == r->length;
    if (r->cosine.id == 0 || r->sine.id == 0) return false;
    return (fits && r->turned % 2 == 0) ||
           weir_onnx_part_fail(form,
                               "expected cosines and sines of %lld positions and half of the %lld elements that "
                               "are turned",
                               (long long)r->length, (long long)r->turned);
}

/* The node's is the sum of both products. */
static bool turn(weir_onnx_form *form, const rotation *r, weir_value *inputs, size_t *count) {
    if (!check(form, r)) return false;
    const int64_t size = weir_onnx_part_shape(form, r->x)->dim[3];
    const weir_value part = weir_onnx_part_slice(form, "turned", r->x, 3, 0, r->turned),
                     cosine = factors(form, r, "cosines", "cosines_by_head", r->cosine),
                     sine = PART(MUL, "signed_sines", factors(form, r, "sines", "sines_by_head", r->sine),
                                 signs(form, weir_onnx_part_dtype(form, r->x), r->turned));
    inputs[0] = PART(MUL, "by_cosine", part, cosine);
    inputs[1] = PART(MUL, "by_sine", spread(form, "exchanged", part, 3, r->turned, true), sine);
    if (r->turned < size) form->operand[0] = weir_onnx_part_slice(form, "kept", r->x, 3, r->turned, size);
    *count = 2;
    return inputs[0].id != 0 && inputs[1].id != 0 && (r->turned == size || form->operand[0].id != 0);
}

weir_value weir_onnx_rotary_finish(weir_onnx_form *form, weir_value value) {
    if (form->operand[0].id != 0)
        value = weir_onnx_part_concat(form, "all", weir_onnx_part_named(form, value, "rotated"), form->operand[0], 3);
    if (weir_shape_equal(weir_onnx_part_shape(form, value), &form->shape)) return value;
    return weir_onnx_part_reshape(form, "joined", weir_onnx_part_named(form, value, "by_head"), &form->shape);
}

/* x with its heads apart; `size`: of a head, where the number of heads does not say it. */
static bool split(weir_onnx_form *form, rotation *r, int64_t heads, int64_t size) {
    const weir_shape s = *weir_onnx_part_shape(form, r->x);
    form->shape = s;
    r->flat = s.rank == 3;
    if (s.rank == 4) {
        r->length = s.dim[2];
        size = s.dim[3];
    } else if (s.rank == 3) {
        if (heads > 0 && s.dim[2] % heads == 0) size = s.dim[2] / heads;
        if (size < 1 || s.dim[2] % size != 0)
            return weir_onnx_part_fail(form, "expected attribute 'num_heads' that divides the %lld elements of input 0",
                                       (long long)s.dim[2]);
        r->length = s.dim[1];
        const weir_shape apart = {4, {s.dim[0], s.dim[1], s.dim[2] / size, size}};
        r->x = weir_onnx_part_reshape(form, "heads", r->x, &apart);
    } else {
        return weir_onnx_part_fail(form, "expected an input of 3 dimensions, or of 4");
    }
    const int64_t turned = weir_onnx_part_int(form, "rotary_embedding_dim", 0);
    r->turned = turned > 0 ? turned : size;
    return r->x.id != 0 && (r->turned <= size || weir_onnx_part_fail(form, "it turns more elements than a head has"));
}

/* Rows of a table of positions. */
static weir_value rows_of(const weir_onnx_form *form, const char *part, weir_value table, weir_value positions) {
    return PART(GATHER, part, table, positions);
}

bool weir_onnx_rotary_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_value positions = *count > 3 ? inputs[3] : WEIR_NO_VALUE;
    rotation r = {.x = inputs[0], .cosine = inputs[1], .sine = inputs[2]};
    if (!split(form, &r, weir_onnx_part_int(form, "num_heads", 0), 0)) return false;
    if (positions.id != 0) {
        r.cosine = rows_of(form, "cosines_at", r.cosine, positions);
        r.sine = rows_of(form, "sines_at", r.sine, positions);
    }
    return turn(form, &r, inputs, count);
}

/* Positions of each row and element, or one that the first element has. */
bool weir_onnx_rotary_of_runtime(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    const weir_shape *cosine = weir_onnx_part_shape(form, inputs[2]);
    weir_value positions = inputs[1];
    rotation r = {.x = inputs[0]};
    if (cosine->rank != 2) return weir_onnx_part_fail(form, "expected a matrix of cosines");
    if (!split(form, &r, weir_onnx_part_int(form, "num_heads", 0), 2 * cosine->dim[1])) return false;
    if (weir_onnx_part_shape(form, positions)->rank == 1) {
        const weir_shape all = {1, {r.length}};
        weir_array *array = weir_array_new(WEIR_INT64, &all);
        for (int64_t i = 0; i < r.length; i++) weir_array_set_int(array, (size_t)i, i);
        positions = PART(ADD, "positions", positions, weir_onnx_form_constant(form, "behind", array));
    }
    r.cosine = rows_of(form, "cosines_at", inputs[2], positions);
    r.sine = rows_of(form, "sines_at", inputs[3], positions);
    return turn(form, &r, inputs, count);
}
