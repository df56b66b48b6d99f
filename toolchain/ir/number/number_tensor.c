/* What formats do to numbers and tensors: the functions of each. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/number/number_private.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

typedef struct number_row {
    weir_number_shared (*measure)(const weir_number *n, const float *x, size_t count, double whole);
    int64_t (*encode)(const weir_number *n, const weir_number_shared *shared, double x);
    double (*decode)(const weir_number *n, const weir_number_shared *shared, int64_t code);
    number_limits (*limits)(const weir_number *n);
} number_row;

#define WEIR_NUMBER(id, ...)                                                                                           \
    [WEIR_NUMBER_##id] = {weir_number_##id##_measure, weir_number_##id##_encode, weir_number_##id##_decode,            \
                          weir_number_##id##_limits},
static const number_row rows[WEIR_NUMBER_COUNT] = {
#include "ir/number/number.def"
};

static const number_row *row_of(weir_number_id id) {
    assert(id < WEIR_NUMBER_COUNT);
    return &rows[id];
}

/* --- values --- */

bool weir_number_measures(const weir_number *n) {
    bool is_open = n->id == WEIR_NUMBER_BINARY
                       ? weir_number_get(n, WEIR_KEY_BIPOLAR) == 0
                       : n->id == WEIR_NUMBER_TERNARY || n->id == WEIR_NUMBER_SCALE_INTEGER ||
                             n->id == WEIR_NUMBER_AFFINE || weir_number_group_of(n->id) == WEIR_GROUP_BLOCKS;
    return is_open || weir_number_needs_range(n);
}

weir_number_shared weir_number_measure(const weir_number *n, const float *x, size_t count, double whole) {
    return row_of(n->id)->measure(n, x, count, whole);
}

int64_t weir_number_encode(const weir_number *n, const weir_number_shared *shared, double x) {
    return row_of(n->id)->encode(n, shared, x);
}

double weir_number_decode(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    return row_of(n->id)->decode(n, shared, code);
}

void weir_number_limits(const weir_number *n, int64_t *low, int64_t *high) {
    const number_limits limits = row_of(n->id)->limits(n);
    *low = limits.low;
    *high = limits.high;
}

/* Numbers as whole ones in the same order: bits of float32, below 0 all but the sign inverted. */
static float float_of(int32_t place) {
    const uint32_t bits = place < 0 ? (uint32_t)place ^ UINT32_C(0x7fffffff) : (uint32_t)place;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

float weir_number_threshold(const weir_number *n, const weir_number_shared *shared, int64_t code) {
    enum { LARGEST = 0x7f7fffff };
    int64_t below = -(int64_t)LARGEST - 1, reached = LARGEST;
    assert(row_of(n->id)->encode(n, shared, (double)float_of(LARGEST)) >= code);
    while (reached - below > 1) {
        const int64_t middle = below + (reached - below) / 2;
        if (row_of(n->id)->encode(n, shared, (double)float_of((int32_t)middle)) >= code) reached = middle;
        else below = middle;
    }
    return float_of((int32_t)reached) + 0.0F; /* zero has no sign */
}

weir_number_codes weir_number_codes_of(const weir_number *n, int *fraction) {
    switch (n->id) {
    case WEIR_NUMBER_MINIFLOAT_IEEE:
    case WEIR_NUMBER_BLOCK_MINIFLOAT:
        *fraction = weir_number_get(n, WEIR_KEY_WIDTH) - weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH) - 1;
        return WEIR_NUMBER_CODES_PLACES;
    case WEIR_NUMBER_MXFP:
        *fraction = weir_number_get(n, WEIR_KEY_FRAC_WIDTH);
        return weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH) == 0 ? WEIR_NUMBER_CODES_STEPS : WEIR_NUMBER_CODES_PLACES;
    case WEIR_NUMBER_NVFP4: *fraction = 1; return WEIR_NUMBER_CODES_PLACES;
    case WEIR_NUMBER_BLOCK_FP:
    case WEIR_NUMBER_MXINT:
    case WEIR_NUMBER_MXINT_HARDWARE: return WEIR_NUMBER_CODES_STEPS;
    default: return WEIR_NUMBER_CODES_OTHER;
    }
}

int weir_number_width(const weir_number *n) {
    if (weir_number_has(n, WEIR_KEY_WIDTH)) return weir_number_get(n, WEIR_KEY_WIDTH);
    if (n->id == WEIR_NUMBER_NVFP4) return 4;
    if (n->id == WEIR_NUMBER_BINARY_RESIDUAL) return weir_number_get(n, WEIR_KEY_LEVELS);
    assert(n->id == WEIR_NUMBER_MXFP);
    const int exponent = weir_number_get(n, WEIR_KEY_EXPONENT_WIDTH),
              fraction = weir_number_get(n, WEIR_KEY_FRAC_WIDTH);
    return 1 + exponent + fraction + (exponent == 0);
}

weir_number weir_number_nearest_hardware(const weir_number *n) {
    if (weir_number_hardware_of(n->id) == WEIR_NUMBER_HARDWARE_INTEGER) return *n;
    weir_number integer = weir_number_new(WEIR_NUMBER_INTEGER);
    weir_number_set(&integer, WEIR_KEY_WIDTH, weir_number_width(n));
    return integer;
}

/* --- tensors --- */

/* The elements with one dimension moved to the end, or to the front: rows of `row` elements, of which each is cut into
 * groups of `group`. */
typedef struct order {
    size_t row, group;
    size_t length, inner; /* of the dimension that is moved; elements behind it */
    bool to_front;
} order;

static size_t index_of(const order *o, size_t position) {
    if (o->to_front) {
        const size_t channel = position / o->row, rest = position % o->row;
        return (rest / o->inner * o->length + channel) * o->inner + rest % o->inner;
    }
    const size_t line = position / o->length;
    return (line / o->inner * o->length + position % o->length) * o->inner + line % o->inner;
}

static order blocks_of(const weir_number *n, weir_number_layout layout, const weir_array *x) {
    const int axis = x->shape.rank == 0 ? 0 : layout.axis;
    order o = {x->count, x->count, x->count, 1, false};
    if (x->shape.rank > 0) {
        assert(axis >= 0 && axis < x->shape.rank);
        o.length = (size_t)x->shape.dim[axis];
        for (int d = axis + 1; d < x->shape.rank; d++) o.inner *= (size_t)x->shape.dim[d];
    }
    const int size = weir_number_get(n, WEIR_KEY_BLOCK_SIZE);
    o.row = layout.flattens ? x->count : o.length;
    o.group = size < 0 ? o.length : (size_t)size;
    return o;
}

/* Rows of one output each: the dimensions behind its own and before it come together. */
static order outputs_of(const weir_number *n, weir_number_layout layout, const weir_array *x) {
    const int axis = layout.output;
    if (axis < 0 || axis >= x->shape.rank || weir_number_get(n, WEIR_KEY_CHANNEL) == 0)
        return (order){x->count, x->count, x->count, 1, false};
    size_t inner = 1;
    for (int d = axis + 1; d < x->shape.rank; d++) inner *= (size_t)x->shape.dim[d];
    const size_t channels = (size_t)x->shape.dim[axis];
    return (order){x->count / channels, x->count / channels, channels, inner, true};
}

static order order_of(const weir_number *n, weir_number_layout layout, const weir_array *x) {
    const weir_shape *shape = &x->shape;
    size_t row = x->count;
    switch (weir_number_group_of(n->id)) {
    case WEIR_GROUP_BLOCKS: return blocks_of(n, layout, x);
    case WEIR_GROUP_WHOLE: break;
    case WEIR_GROUP_OUTPUTS: return outputs_of(n, layout, x);
    case WEIR_GROUP_FIRST: row = shape->rank < 2 ? x->count : x->count / (size_t)shape->dim[0]; break;
    case WEIR_GROUP_LAST: row = shape->rank < 1 ? x->count : (size_t)shape->dim[shape->rank - 1]; break;
    }
    return (order){row, row, x->count, 1, false};
}

void weir_number_quantize(const weir_number *n, weir_number_layout layout, const weir_array *x, weir_array *y) {
    assert(x->dtype == WEIR_FLOAT32 && y->dtype == WEIR_FLOAT32 && x->count == y->count);
    if (x->count == 0) return;
    const number_row *row = row_of(n->id);
    const order o = order_of(n, layout, x);
    const float *from = x->data;
    float *to = y->data;
    const double whole = number_largest(from, x->count);
    const size_t most = o.group < o.row ? o.group : o.row;
    float *group = weir_malloc(most * sizeof *group);
    for (size_t start = 0; start < x->count; start += o.row) {
        for (size_t first = start; first < start + o.row; first += o.group) {
            const size_t left = start + o.row - first, count = left < o.group ? left : o.group;
            for (size_t i = 0; i < count; i++) group[i] = from[index_of(&o, first + i)];
            const weir_number_shared shared = row->measure(n, group, count, whole);
            for (size_t i = 0; i < count; i++) {
                const double v = (double)group[i];
                to[index_of(&o, first + i)] =
                    isnan(v) ? group[i] : (float)row->decode(n, &shared, row->encode(n, &shared, v));
            }
        }
    }
    free(group);
}
