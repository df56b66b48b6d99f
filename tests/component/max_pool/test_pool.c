/* Pools and reductions lowered to pools along one dimension each: on random windows and axes the integer engine gives
 * what the float engine gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "exec/exec.h"
#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "passes/passes.h"
#include "support/text/diag.h"

enum { GRAPHS = 400 };

static uint32_t seed;

static int64_t pick(int64_t low, int64_t high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (int64_t)(seed >> 8) % (high - low + 1);
}

/* The node takes input 0 through a random window. */
static void set_window(weir_graph *graph, weir_node pool, weir_shape *shape) {
    const int rank = shape->rank - 2;
    int64_t kernel[3], stride[3], dilation[3], pads[6];
    const bool whole = pick(0, 4) == 0;
    for (int i = 0; i < rank; i++) {
        kernel[i] = pick(1, 3);
        stride[i] = pick(1, 3);
        dilation[i] = pick(1, 2);
        const int64_t reach = (kernel[i] - 1) * dilation[i];
        pads[i] = pick(0, reach);
        pads[i + rank] = pick(0, reach);
        shape->dim[i + 2] = pick(reach + 1, reach + 4);
        if (whole || (i > 0 && pick(0, 4) == 0)) { /* all of a dimension */
            kernel[i] = shape->dim[i + 2];
            dilation[i] = 1;
            pads[i] = pads[i + rank] = 0;
        }
    }
    weir_node_set_ints(graph, pool, "kernel_shape", kernel, (size_t)rank);
    weir_node_set_ints(graph, pool, "strides", stride, (size_t)rank);
    weir_node_set_ints(graph, pool, "dilations", dilation, (size_t)rank);
    if (pick(0, 3) == 0) weir_node_set_string(graph, pool, "auto_pad", pick(0, 1) ? "SAME_UPPER" : "SAME_LOWER");
    else weir_node_set_ints(graph, pool, "pads", pads, 2 * (size_t)rank);
    weir_node_set_int(graph, pool, "ceil_mode", pick(0, 1));
}

static weir_value add_codes(weir_graph *graph, const weir_shape *shape) {
    const weir_type type = {.dtype = WEIR_INT8,
                            .shape = *shape,
                            .quant = {.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1}};
    return weir_graph_add_input(graph, "x", &type);
}

static weir_array *random_codes(const weir_shape *shape) {
    weir_array *data = weir_array_new(WEIR_INT8, shape);
    for (size_t i = 0; i < data->count; i++) weir_array_set_int(data, i, pick(-128, 127));
    return data;
}

static weir_shape random_shape(void) {
    weir_shape shape = {.rank = (int)pick(1, 3) + 2, .dim = {1, pick(1, 4)}};
    for (int i = 2; i < shape.rank; i++) shape.dim[i] = pick(1, 5);
    return shape;
}

static weir_graph *random_pool(weir_array **data) {
    weir_graph *graph = weir_graph_new("g");
    weir_shape shape = random_shape();
    const weir_value none = WEIR_NO_VALUE;
    const weir_node pool = weir_graph_add_node(graph, WEIR_OP_MAX_POOL, "pool", &none, 1, 1, WEIR_NO_NODE);
    set_window(graph, pool, &shape);
    weir_node_set_input(graph, pool, 0, add_codes(graph, &shape));
    weir_graph_add_output(graph, "y", weir_node_output(graph, pool, 0));
    assert_true(weir_infer_graph(graph));
    *data = random_codes(&shape);
    return graph;
}

/* --- means and sums --- */

static weir_value add_number(weir_graph *graph, weir_dtype dtype, double value) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){.rank = 0});
    if (dtype == WEIR_FLOAT32) weir_array_set(array, 0, value);
    else weir_array_set_int(array, 0, (int64_t)value);
    const weir_value made = weir_graph_add_constant(graph, "c", array);
    weir_array_free(array);
    return made;
}

static weir_value add_axes(weir_graph *graph, int rank) {
    int64_t axes[5];
    weir_shape shape = {1, {0}};
    for (int i = 0; i < rank; i++)
        if (pick(0, 1) == 1) axes[shape.dim[0]++] = pick(0, 1) ? i : i - rank;
    if (shape.dim[0] == 0) axes[shape.dim[0]++] = rank - 1;
    weir_array *array = weir_array_new(WEIR_INT64, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, axes[i]);
    const weir_value made = weir_graph_add_constant(graph, "axes", array);
    weir_array_free(array);
    return made;
}

/* Codes in and out; scales with which no mean lies on a tie. */
static weir_graph *random_mean(weir_array **data) {
    static const weir_op ops[] = {WEIR_OP_AVERAGE_POOL, WEIR_OP_GLOBAL_AVERAGE_POOL, WEIR_OP_GLOBAL_MAX_POOL,
                                  WEIR_OP_REDUCE_MEAN,  WEIR_OP_REDUCE_SUM,          WEIR_OP_REDUCE_MAX};
    const weir_op op = ops[pick(0, 5)];
    const bool window =
        op == WEIR_OP_AVERAGE_POOL || op == WEIR_OP_GLOBAL_AVERAGE_POOL || op == WEIR_OP_GLOBAL_MAX_POOL;
    weir_graph *graph = weir_graph_new("g");
    weir_shape shape = random_shape();
    const double scale = (double)pick(1000, 9000) / 70001;
    weir_value inputs[3] = {WEIR_NO_VALUE, add_number(graph, WEIR_FLOAT32, scale),
                            add_number(graph, WEIR_INT8, (double)pick(-128, 127))};
    const weir_node decode = weir_graph_add_node(graph, WEIR_OP_DEQUANTIZE_LINEAR, "d", inputs, 3, 1, WEIR_NO_NODE);
    inputs[0] = weir_node_output(graph, decode, 0);
    if (!window) inputs[1] = add_axes(graph, shape.rank);
    const weir_node pool = weir_graph_add_node(graph, op, "pool", inputs, window ? 1 : 2, 1, WEIR_NO_NODE);
    if (op == WEIR_OP_AVERAGE_POOL) {
        set_window(graph, pool, &shape);
        weir_node_set_int(graph, pool, "count_include_pad", pick(0, 1));
    }
    if (!window) weir_node_set_int(graph, pool, "keepdims", pick(0, 1));
    weir_node_set_input(graph, decode, 0, add_codes(graph, &shape));
    inputs[0] = weir_node_output(graph, pool, 0);
    inputs[1] = add_number(graph, WEIR_FLOAT32, scale * (double)pick(2000, 9000) / 7919);
    inputs[2] = add_number(graph, WEIR_INT8, (double)pick(-128, 127));
    const weir_node encode = weir_graph_add_node(graph, WEIR_OP_QUANTIZE_LINEAR, "q", inputs, 3, 1, WEIR_NO_NODE);
    weir_graph_add_output(graph, "y", weir_node_output(graph, encode, 0));
    assert_true(weir_infer_graph(graph));
    *data = random_codes(&shape);
    return graph;
}

static weir_array *run(const weir_graph *graph, const weir_array *data) {
    weir_executor *executor = weir_executor_new(graph);
    assert_true(weir_executor_run(executor, &data));
    weir_array *result = weir_array_copy(weir_executor_value(executor, weir_graph_output(graph, 0)));
    weir_executor_free(executor);
    return result;
}

static bool is_pool(weir_op op) { return op == WEIR_OP_MAX_POOL || op == WEIR_OP_SUM_POOL; }

static void compare(weir_graph *make(weir_array **data)) {
    size_t pools = 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        seed = i + 1;
        weir_array *data;
        weir_graph *model = make(&data), *integer = weir_lower_integer(model);
        assert_non_null(integer);
        assert_true(weir_graph_verify(integer));
        for (weir_node node = weir_graph_first(integer); node.id != 0; node = weir_node_next(integer, node))
            pools += is_pool(weir_node_op(integer, node));
        weir_array *wanted = run(model, data), *found = run(integer, data);
        assert_int_equal(wanted->count, found->count);
        for (size_t k = 0; k < wanted->count; k++)
            assert_int_equal(weir_array_get_int(wanted, k), weir_array_get_int(found, k));
        weir_array_free(wanted);
        weir_array_free(found);
        weir_array_free(data);
        weir_graph_free(integer);
        weir_graph_free(model);
    }
    assert_true(pools > GRAPHS / 2);
}

static void random_windows(void **state) {
    (void)state;
    compare(random_pool);
}

static void random_means(void **state) {
    (void)state;
    compare(random_mean);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_windows), cmocka_unit_test(random_means)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
