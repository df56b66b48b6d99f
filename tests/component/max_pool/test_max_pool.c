/* MaxPool lowered to pools along one dimension each: on random windows the integer engine gives what the float engine gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "exec/exec.h"
#include "ir/infer.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "support/diag.h"

enum { GRAPHS = 400 };

static uint32_t seed;

static int64_t pick(int64_t low, int64_t high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (int64_t)(seed >> 8) % (high - low + 1);
}

static weir_graph *random_pool(weir_array **data) {
    const int rank = (int)pick(1, 3);
    weir_shape shape = {.rank = rank + 2, .dim = {1, pick(1, 4)}};
    int64_t kernel[3], stride[3], dilation[3], pads[6];
    for (int i = 0; i < rank; i++) {
        kernel[i] = pick(1, 3);
        stride[i] = pick(1, 3);
        dilation[i] = pick(1, 2);
        const int64_t reach = (kernel[i] - 1) * dilation[i];
        pads[i] = pick(0, reach);
        pads[i + rank] = pick(0, reach);
        shape.dim[i + 2] = pick(reach + 1, reach + 4);
    }
    weir_graph *graph = weir_graph_new("g");
    weir_type type = {.dtype = WEIR_INT8,
                      .shape = shape,
                      .quant = {.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1}};
    const weir_value x = weir_graph_add_input(graph, "x", &type);
    const weir_node pool = weir_graph_add_node(graph, WEIR_OP_MAX_POOL, "pool", &x, 1, 1, WEIR_NO_NODE);
    weir_node_set_ints(graph, pool, "kernel_shape", kernel, (size_t)rank);
    weir_node_set_ints(graph, pool, "strides", stride, (size_t)rank);
    weir_node_set_ints(graph, pool, "dilations", dilation, (size_t)rank);
    if (pick(0, 3) == 0) weir_node_set_string(graph, pool, "auto_pad", pick(0, 1) ? "SAME_UPPER" : "SAME_LOWER");
    else weir_node_set_ints(graph, pool, "pads", pads, 2 * (size_t)rank);
    weir_node_set_int(graph, pool, "ceil_mode", pick(0, 1));
    weir_graph_add_output(graph, "y", weir_node_output(graph, pool, 0));
    assert_true(weir_infer_graph(graph));
    *data = weir_array_new(WEIR_INT8, &shape);
    for (size_t i = 0; i < (*data)->count; i++) weir_array_set_int(*data, i, pick(-128, 127));
    return graph;
}

static weir_array *run(const weir_graph *graph, const weir_array *data) {
    weir_executor *executor = weir_executor_new(graph);
    assert_true(weir_executor_run(executor, &data));
    weir_array *result = weir_array_copy(weir_executor_value(executor, weir_graph_output(graph, 0)));
    weir_executor_free(executor);
    return result;
}

static void random_windows(void **state) {
    (void)state;
    size_t pools = 0;
    for (uint32_t i = 0; i < GRAPHS; i++) {
        seed = i + 1;
        weir_array *data;
        weir_graph *model = random_pool(&data), *integer = weir_lower_integer(model);
        assert_non_null(integer);
        assert_true(weir_graph_verify(integer));
        for (weir_node node = weir_graph_first(integer); node.id != 0; node = weir_node_next(integer, node))
            pools += weir_node_op(integer, node) == WEIR_OP_MAX_POOL;
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
    assert_true(pools > GRAPHS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
