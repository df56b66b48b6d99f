/* Graphs of one integer operator for tests in C (after cmocka.h). */
#ifndef WEIR_TEST_INTEGER_GRAPH_H
#define WEIR_TEST_INTEGER_GRAPH_H

#include <string.h>

#include "common/random_int.h"
#include "exec/exec.h"
#include "ir/shape/infer.h"

static inline weir_shape shape_of(int64_t a, int64_t b) {
    const int64_t dims[] = {a, b};
    return weir_shape_of(2, dims);
}

/* An array of random codes. */
static inline weir_array *random_codes(weir_dtype dtype, int64_t rows, int64_t columns, int64_t low, int64_t high) {
    const weir_shape shape = shape_of(rows, columns);
    weir_array *array = weir_array_new(dtype, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, random_int(low, high));
    return array;
}

static inline weir_value add_codes_input(weir_graph *graph, const char *name, const weir_array *like, int64_t low,
                                         int64_t high) {
    weir_type type = {.dtype = like->dtype, .shape = like->shape, .has_range = true, .low = low, .high = high};
    type.quant = (weir_quant){
        .format = WEIR_FORMAT_INTEGER, .is_signed = low < 0, .width = weir_bits_for(low, high), .axis = -1};
    return weir_graph_add_input(graph, name, &type);
}

static inline weir_value add_ints(weir_graph *graph, const char *name, const int64_t *values, int64_t count) {
    const weir_shape shape = weir_shape_of(1, &count);
    weir_array *array = weir_array_new(WEIR_INT64, &shape);
    memcpy(array->data, values, (size_t)count * sizeof *values);
    const weir_value value = weir_graph_add_constant(graph, name, array);
    weir_array_free(array);
    return value;
}

static inline weir_node add(weir_graph *graph, weir_op op, weir_value a, weir_value b, weir_value c) {
    const weir_value inputs[] = {a, b, c};
    const size_t count = c.id != 0 ? 3 : b.id != 0 ? 2 : 1;
    return weir_graph_add_node(graph, op, "n", inputs, count, 1, WEIR_NO_NODE);
}

/* Infers the node, makes its output the graph's, runs the graph and checks the proven range. */
static inline const weir_array *run(weir_graph *graph, weir_node node, const weir_array *input,
                                    weir_executor **executor) {
    const weir_value y = weir_node_output(graph, node, 0);
    assert_true(weir_infer_graph(graph));
    weir_graph_add_output(graph, "y", y);
    *executor = weir_executor_new(graph);
    assert_non_null(*executor);
    assert_true(weir_executor_run(*executor, &input));
    const weir_array *found = weir_executor_value(*executor, y);
    const weir_type *type = weir_value_type(graph, y);
    assert_int_equal(found->dtype, type->dtype);
    for (size_t i = 0; type->has_range && i < found->count; i++)
        assert_in_range(weir_array_get_int(found, i) - type->low, 0, type->high - type->low);
    return found;
}

/* Behind `run`. */
static inline void free_run(weir_graph *graph, weir_executor *executor) {
    weir_executor_free(executor);
    weir_graph_free(graph);
}

/* Codes -2000..1999 in rows of 4 channels. */
static inline weir_array *ramp(void) {
    const weir_shape shape = shape_of(1000, 4);
    weir_array *x = weir_array_new(WEIR_INT16, &shape);
    for (size_t i = 0; i < x->count; i++) weir_array_set_int(x, i, (int64_t)i - 2000);
    return x;
}

static inline void set_output_quant(weir_graph *graph, weir_node node, const weir_quant *quant) {
    const weir_type type = {.quant = *quant};
    weir_value_set_type(graph, weir_node_output(graph, node, 0), &type);
}

#endif
