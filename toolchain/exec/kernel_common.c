#include "exec/kernel_common.h"

#include <assert.h>

weir_broadcast weir_broadcast_of(const weir_shape *operand, const weir_shape *result) {
    assert(operand->rank <= result->rank && result->rank <= WEIR_MAX_RANK);
    weir_broadcast broadcast = {.kind = WEIR_BROADCAST_SAME, .rank = result->rank};
    size_t stride = 1;
    bool same = true, gone = false, repeat = true;
    for (int i = 1; i <= result->rank; i++) {
        const size_t dim = (size_t)result->dim[result->rank - i];
        const size_t own = i <= operand->rank ? (size_t)operand->dim[operand->rank - i] : 1;
        broadcast.dim[result->rank - i] = dim;
        broadcast.stride[result->rank - i] = own == dim ? stride : 0;
        stride *= own;
        same = same && own == dim;
        gone = gone || own != dim;
        repeat = repeat && (!gone || own == 1);
    }
    broadcast.count = stride;
    if (!same) broadcast.kind = repeat ? WEIR_BROADCAST_REPEAT : WEIR_BROADCAST_GENERAL;
    return broadcast;
}

size_t weir_broadcast_index(const weir_broadcast *broadcast, size_t i) {
    if (broadcast->kind == WEIR_BROADCAST_SAME) return i;
    if (broadcast->kind == WEIR_BROADCAST_REPEAT) return i % broadcast->count;
    size_t index = 0;
    for (int axis = broadcast->rank - 1; axis >= 0; axis--) {
        index += i % broadcast->dim[axis] * broadcast->stride[axis];
        i /= broadcast->dim[axis];
    }
    return index;
}

weir_product weir_product_of(const weir_shape *a, const weir_shape *b) {
    assert(a->rank > 0 && b->rank > 0);
    weir_product product = {.batch = 1, .rows = 1, .columns = 1, .inner = (size_t)a->dim[a->rank - 1]};
    weir_shape left = *a, right = *b, all;
    if (a->rank > 1) product.rows = (size_t)a->dim[a->rank - 2];
    if (b->rank > 1) product.columns = (size_t)b->dim[b->rank - 1];
    left.rank = a->rank > 2 ? a->rank - 2 : 0;
    right.rank = b->rank > 2 ? b->rank - 2 : 0;
    all = left.rank > right.rank ? left : right;
    for (int i = 1; i <= all.rank; i++) {
        const int64_t da = i <= left.rank ? left.dim[left.rank - i] : 1;
        const int64_t db = i <= right.rank ? right.dim[right.rank - i] : 1;
        all.dim[all.rank - i] = da == 1 ? db : da;
        product.batch *= (size_t)all.dim[all.rank - i];
    }
    product.a = weir_broadcast_of(&left, &all);
    product.b = weir_broadcast_of(&right, &all);
    return product;
}

weir_channels weir_channels_of(const weir_shape *shape, int axis, size_t count) {
    assert(count <= 1 || (axis >= 0 && axis < shape->rank && (size_t)shape->dim[axis] == count));
    weir_channels channels = {.inner = 1, .count = count};
    for (int i = axis + 1; count > 1 && i < shape->rank; i++) channels.inner *= (size_t)shape->dim[i];
    return channels;
}

const weir_type *weir_kernel_input_type(const weir_graph *graph, weir_node node, size_t index) {
    return weir_value_type(graph, weir_node_input(graph, node, index));
}

const weir_type *weir_kernel_output_type(const weir_graph *graph, weir_node node) {
    return weir_value_type(graph, weir_node_output(graph, node, 0));
}

uint64_t weir_kernel_bits(const weir_array *array, size_t i) {
    assert(i < array->count && !weir_dtype_is_float(array->dtype));
    if (array->dtype == WEIR_UINT64) return ((const uint64_t *)array->data)[i];
    return (uint64_t)weir_array_get_int(array, i);
}

#define SIGN(a, b) (((a) > (b)) - ((a) < (b)))

int weir_kernel_compare(const weir_array *a, size_t i, const weir_array *b, size_t k) {
    assert(a->dtype == b->dtype && i < a->count && k < b->count);
    if (a->dtype == WEIR_FLOAT32) return SIGN(((const float *)a->data)[i], ((const float *)b->data)[k]);
    if (a->dtype == WEIR_UINT64) return SIGN(weir_kernel_bits(a, i), weir_kernel_bits(b, k));
    if (weir_dtype_is_float(a->dtype)) return SIGN(weir_array_get(a, i), weir_array_get(b, k));
    return SIGN(weir_array_get_int(a, i), weir_array_get_int(b, k));
}

/* Pointers of their own: a store of bytes might change the array's. */
#define LOAD(c_type)                                                                                                   \
    do {                                                                                                               \
        const c_type *data = (const c_type *)array->data + first;                                                      \
        for (size_t i = 0; i < count; i++) to[i] = data[i];                                                            \
    } while (0)
#define LOAD_NARROW_CODES                                                                                              \
    case WEIR_INT8: LOAD(int8_t); break;                                                                               \
    case WEIR_UINT8: LOAD(uint8_t); break;                                                                             \
    case WEIR_INT16: LOAD(int16_t); break;                                                                             \
    case WEIR_UINT16: LOAD(uint16_t); break;                                                                           \
    case WEIR_INT32: LOAD(int32_t); break

void weir_kernel_load(const weir_array *array, size_t first, size_t count, int64_t *to) {
    assert(first <= array->count && count <= array->count - first);
    switch (array->dtype) {
        LOAD_NARROW_CODES;
    case WEIR_UINT32: LOAD(uint32_t); break;
    case WEIR_INT64: LOAD(int64_t); break;
    case WEIR_UINT64:
        for (size_t i = 0; i < count; i++) to[i] = (int64_t)((const uint64_t *)array->data)[first + i];
        break;
    default:
        for (size_t i = 0; i < count; i++) to[i] = weir_array_get_int(array, first + i);
    }
}

void weir_kernel_load_narrow(const weir_array *array, size_t first, size_t count, int32_t *to) {
    assert(first <= array->count && count <= array->count - first);
    switch (array->dtype) {
        LOAD_NARROW_CODES;
    default:
        for (size_t i = 0; i < count; i++) to[i] = (int32_t)weir_array_get_int(array, first + i);
    }
}

#define STORE(c_type)                                                                                                  \
    do {                                                                                                               \
        c_type *restrict data = (c_type *)array->data + first;                                                         \
        for (size_t i = 0; i < count; i++) data[i] = (c_type)from[i];                                                  \
    } while (0)
#define STORE_ALL                                                                                                      \
    do {                                                                                                               \
        switch (array->dtype) {                                                                                        \
        case WEIR_INT8:                                                                                                \
        case WEIR_UINT8: STORE(uint8_t); break;                                                                        \
        case WEIR_INT16:                                                                                               \
        case WEIR_UINT16: STORE(uint16_t); break;                                                                      \
        case WEIR_INT32:                                                                                               \
        case WEIR_UINT32: STORE(uint32_t); break;                                                                      \
        case WEIR_INT64:                                                                                               \
        case WEIR_UINT64: STORE(uint64_t); break;                                                                      \
        default:                                                                                                       \
            for (size_t i = 0; i < count; i++) weir_array_set_int(array, first + i, from[i]);                          \
        }                                                                                                              \
    } while (0)

void weir_kernel_store(weir_array *array, size_t first, size_t count, const int64_t *from) {
    assert(first <= array->count && count <= array->count - first);
    STORE_ALL;
}

void weir_kernel_store_narrow(weir_array *array, size_t first, size_t count, const int32_t *from) {
    assert(first <= array->count && count <= array->count - first);
    STORE_ALL;
}
