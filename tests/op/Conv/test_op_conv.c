/* Convolutions with groups, dilations and any number of dimensions against the definition written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "exec/exec.h"
#include "ir/shape/infer.h"

static uint32_t seed = 1;

/* Small whole numbers, so that sums are exact in any order. */
static double next_number(void) {
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 16 & 15) - 8;
}

static weir_array *random_array(weir_dtype dtype, weir_shape shape) {
    weir_array *array = weir_array_new(dtype, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, next_number());
    return array;
}

/* The node's first output for these inputs; heap memory. */
static weir_array *run(weir_graph *graph, weir_node node, weir_array *const *inputs) {
    weir_graph_add_output(graph, "y", weir_node_output(graph, node, 0));
    assert_true(weir_infer_graph(graph));
    weir_executor *executor = weir_executor_new(graph);
    assert_non_null(executor);
    assert_true(weir_executor_run(executor, (const weir_array *const *)inputs));
    weir_array *result = weir_array_copy(weir_executor_value(executor, weir_node_output(graph, node, 0)));
    weir_executor_free(executor);
    return result;
}

static weir_value add_input(weir_graph *graph, const weir_array *array) {
    const weir_type type = {.dtype = array->dtype, .shape = array->shape, .quant = {.axis = -1}};
    return weir_graph_add_input(graph, "x", &type);
}

typedef struct geometry {
    int rank;
    int64_t batch, channels, outputs, group, in[3], kernel[3], stride[3], dilation[3], begin[3], end[3];
} geometry;

/* y[n, m, o] = sum over the group's channels and the kernel of x[n, c, o * stride + k * dilation - begin] * w[m, c, k],
 * for at most three dimensions. */
static double convolved(const geometry *g, const weir_array *x, const weir_array *w, int64_t n, int64_t m,
                        const int64_t *o) {
    const int64_t share = g->channels / g->group, first = m / (g->outputs / g->group) * share;
    double sum = 0;
    for (int64_t c = 0; c < share; c++) {
        for (int64_t k = 0; k < g->kernel[0] * g->kernel[1] * g->kernel[2]; k++) {
            const int64_t inner[] = {k / (g->kernel[1] * g->kernel[2]), k / g->kernel[2] % g->kernel[1],
                                     k % g->kernel[2]};
            int64_t at = n * g->channels + first + c;
            int inside = 1;
            for (int i = 0; i < 3; i++) {
                const int64_t place = o[i] * g->stride[i] + inner[i] * g->dilation[i] - g->begin[i];
                inside = inside && place >= 0 && place < g->in[i];
                at = at * g->in[i] + place;
            }
            const int64_t weight = (m * share + c) * g->kernel[0] * g->kernel[1] * g->kernel[2] + k;
            if (inside) sum += weir_array_get(x, (size_t)at) * weir_array_get(w, (size_t)weight);
        }
    }
    return sum;
}

/* Unused dimensions are 1 and come first. */
static void set_sizes(weir_graph *graph, weir_node node, const char *name, const geometry *g, const int64_t *a,
                      const int64_t *b) {
    int64_t values[6];
    for (int i = 0; i < g->rank; i++) {
        values[i] = a[3 - g->rank + i];
        if (b != NULL) values[i + g->rank] = b[3 - g->rank + i];
    }
    weir_node_set_ints(graph, node, name, values, (size_t)g->rank * (b == NULL ? 1 : 2));
}

static weir_shape shape_of(const geometry *g, int64_t first, int64_t second, const int64_t *dims) {
    weir_shape shape = {.rank = g->rank + 2, .dim = {first, second}};
    for (int i = 0; i < g->rank; i++) shape.dim[i + 2] = dims[3 - g->rank + i];
    return shape;
}

static void check_convolution(const geometry *g, weir_dtype dtype) {
    weir_array *x = random_array(dtype, shape_of(g, g->batch, g->channels, g->in));
    weir_array *w = random_array(dtype, shape_of(g, g->outputs, g->channels / g->group, g->kernel));
    weir_array *bias = random_array(dtype, weir_shape_of(1, &g->outputs));
    weir_graph *graph = weir_graph_new("g");
    const weir_value inputs[] = {add_input(graph, x), weir_graph_add_constant(graph, "w", w),
                                 weir_graph_add_constant(graph, "b", bias)};
    const weir_node node = weir_graph_add_node(graph, WEIR_OP_CONV, "conv", inputs, 3, 1, WEIR_NO_NODE);
    weir_node_set_int(graph, node, "group", g->group);
    set_sizes(graph, node, "strides", g, g->stride, NULL);
    set_sizes(graph, node, "dilations", g, g->dilation, NULL);
    set_sizes(graph, node, "pads", g, g->begin, g->end);
    weir_array *y = run(graph, node, &x);
    int64_t out[3];
    for (int i = 0; i < 3; i++)
        out[i] = (g->in[i] + g->begin[i] + g->end[i] - (g->kernel[i] - 1) * g->dilation[i] - 1) / g->stride[i] + 1;
    const weir_shape shape = shape_of(g, g->batch, g->outputs, out);
    assert_true(weir_shape_equal(&y->shape, &shape));
    const int64_t plane = out[0] * out[1] * out[2];
    for (int64_t i = 0; i < (int64_t)y->count; i++) {
        const int64_t m = i / plane % g->outputs, p = i % plane;
        const int64_t o[] = {p / (out[1] * out[2]), p / out[2] % out[1], p % out[2]};
        const double wanted = convolved(g, x, w, i / plane / g->outputs, m, o) + weir_array_get(bias, (size_t)m);
        assert_true(weir_array_get(y, (size_t)i) == wanted);
    }
    weir_array_free(x);
    weir_array_free(w);
    weir_array_free(bias);
    weir_array_free(y);
    weir_graph_free(graph);
}

static void convolutions_follow_the_definition(void **state) {
    static const geometry geometries[] = {
        {1, 2, 3, 4, 1, {1, 1, 9}, {1, 1, 3}, {1, 1, 2}, {1, 1, 1}, {0, 0, 1}, {0, 0, 2}},
        {1, 1, 6, 6, 6, {1, 1, 11}, {1, 1, 3}, {1, 1, 1}, {1, 1, 4}, {0, 0, 3}, {0, 0, 0}},
        {2, 2, 4, 6, 2, {1, 7, 5}, {1, 3, 2}, {1, 2, 1}, {1, 2, 3}, {0, 1, 0}, {0, 2, 1}},
        {2, 1, 8, 8, 8, {1, 6, 6}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}},
        {2, 1, 3, 2, 1, {1, 40, 40}, {1, 5, 5}, {1, 1, 1}, {1, 1, 1}, {0, 2, 2}, {0, 2, 2}}, /* many positions */
        {3, 1, 2, 2, 1, {4, 5, 3}, {2, 3, 1}, {1, 2, 1}, {1, 1, 1}, {1, 0, 0}, {0, 1, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        check_convolution(&geometries[i], WEIR_FLOAT32);
        check_convolution(&geometries[i], WEIR_FLOAT64);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(convolutions_follow_the_definition)};
    return cmocka_run_group_tests_name("op conv", tests, NULL, NULL);
}
