/* One operator on random operands, for tests in C (after cmocka.h). */
#ifndef WEIR_TEST_OPERANDS_H
#define WEIR_TEST_OPERANDS_H

#include <math.h>
#include <string.h>

#include "common/random_int.h"
#include "exec/exec.h"
#include "ir/shape/infer.h"

/* Operands of one node, all constant but the first. */
typedef struct operands {
    weir_graph *graph;
    weir_value value[9];
    weir_array *array[9];
    size_t count;
} operands;

static inline weir_array *add(operands *to, weir_dtype dtype, const weir_shape *shape) {
    weir_array *array = weir_array_new(dtype, shape);
    to->array[to->count++] = array;
    return array;
}

static inline void add_codes(operands *to, weir_dtype dtype, int rank, int64_t a, int64_t b, int64_t c) {
    const int64_t dims[] = {a, b, c};
    const weir_shape shape = weir_shape_of(rank, dims + 3 - rank);
    weir_array *array = add(to, dtype, &shape);
    int64_t low, high;
    weir_dtype_limits(dtype, &low, &high);
    if (dtype == WEIR_INT32) low = -(high = 20000);
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, random_int(low, high));
}

/* Scales that bring accumulators of a few hundred products into the 8-bit range. */
static inline void add_scales(operands *to, int64_t count, double about) {
    const weir_shape shape = weir_shape_of(count == 0 ? 0 : 1, &count);
    weir_array *array = add(to, WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < array->count; i++)
        weir_array_set(array, i, about * (1 + (double)random_int(0, 1000) / 1000));
}

/* The node on its operands; attributes may be set before `compute`. */
static inline weir_node build(operands *from, weir_op op) {
    from->graph = weir_graph_new("g");
    for (size_t i = 0; i < from->count; i++) {
        if (from->array[i] == NULL) continue;
        if (i > 0) {
            from->value[i] = weir_graph_add_constant(from->graph, "c", from->array[i]);
            continue;
        }
        weir_type type = {.dtype = from->array[0]->dtype, .shape = from->array[0]->shape, .quant = {.axis = -1}};
        if (!weir_dtype_is_float(type.dtype)) {
            type.quant.format = WEIR_FORMAT_INTEGER;
            type.quant.is_signed = weir_dtype_is_signed(type.dtype);
            type.quant.width = 8;
        }
        from->value[0] = weir_graph_add_input(from->graph, "x", &type);
    }
    return weir_graph_add_node(from->graph, op, "n", from->value, from->count, 1, WEIR_NO_NODE);
}

static inline const weir_array *compute(operands *from, weir_node node, weir_executor **executor) {
    assert_true(weir_infer_graph(from->graph));
    *executor = weir_executor_new(from->graph);
    assert_non_null(*executor);
    assert_true(weir_executor_run(*executor, (const weir_array *const *)from->array));
    return weir_executor_value(*executor, weir_node_output(from->graph, node, 0));
}

static inline void release(operands *from, weir_executor *executor) {
    weir_executor_free(executor);
    weir_graph_free(from->graph);
    for (size_t i = 0; i < from->count; i++) weir_array_free(from->array[i]);
    memset(from, 0, sizeof *from);
}

static inline int64_t at(const weir_array *array, size_t index) {
    return array == NULL ? 0 : weir_array_get_int(array, array->count == 1 ? 0 : index);
}

static inline float real_at(const weir_array *array, size_t index) {
    return (float)weir_array_get(array, array->count == 1 ? 0 : index);
}

static inline int64_t requantized(int64_t sum, float multiplier, int64_t zero, weir_dtype dtype) {
    int64_t low, high;
    weir_dtype_limits(dtype, &low, &high);
    volatile float product = (float)sum;
    product = product * multiplier;
    const int64_t code = (int64_t)rintf(product) + zero;
    return code < low ? low : code > high ? high : code;
}

#endif
