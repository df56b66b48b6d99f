/* Loop nests say what the operators compute: executed literally, as nested loops with the accesses that they state,
 * they give what the float engine gives, on random shapes and attributes. Their names and counts are those of ZigZag's
 * layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nest_execute.h"
#include "exec/exec.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/shape/loop.h"
#include "support/memory/arena.h"

enum { ROUNDS = 60 };

static uint32_t seed = 7;

static int64_t pick(int64_t low, int64_t high) {
    seed = seed * 1664525u + 1013904223u;
    return low + (int64_t)(seed >> 8) % (high - low + 1);
}

/* Small whole numbers, so that sums are exact in any order. */
static weir_array *numbers(weir_shape shape) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, (double)pick(-8, 8));
    return array;
}

typedef struct bench {
    weir_graph *graph;
    weir_value values[4];
    weir_array *data[4];
    size_t count;
} bench;

static void add(bench *b, weir_shape shape) {
    if (b->graph == NULL) b->graph = weir_graph_new("g");
    weir_array *array = numbers(shape);
    const weir_type type = {.dtype = array->dtype, .shape = shape, .quant = {.axis = -1}};
    b->values[b->count] = weir_graph_add_input(b->graph, "x", &type);
    b->data[b->count++] = array;
}

static weir_node node_of(bench *b, weir_op op, size_t outputs) {
    return weir_graph_add_node(b->graph, op, "n", b->values, b->count, outputs, WEIR_NO_NODE);
}

/* Float engine and nest give the same; the bench is used up. `divide`: means, sums divided by the window's size. */
static void check(bench *b, weir_node node, double divide) {
    weir_arena *arena = weir_arena_new();
    const size_t outputs = weir_node_output_count(b->graph, node);
    const weir_op op = weir_node_op(b->graph, node);
    weir_array *result[4];
    for (size_t i = 0; i < outputs; i++) weir_graph_add_output(b->graph, "y", weir_node_output(b->graph, node, i));
    assert_true(weir_infer_graph(b->graph));
    weir_executor *executor = weir_executor_new(b->graph);
    assert_true(weir_executor_run(executor, (const weir_array *const *)b->data));
    const weir_loop_nest *nest = weir_loop_nest_of(b->graph, node, arena);
    for (size_t i = 0; i < outputs; i++) {
        const weir_type *type = weir_value_type(b->graph, weir_node_output(b->graph, node, i));
        result[i] = weir_array_in(arena, type->dtype, &type->shape);
    }
    execute_nest(nest, op, (const weir_array *const *)b->data, result);
    for (size_t i = 0; i < outputs; i++) {
        const weir_array *y = weir_executor_value(executor, weir_node_output(b->graph, node, i));
        for (size_t j = 0; j < y->count; j++)
            assert_true(weir_array_get(y, j) == (double)(float)(weir_array_get(result[i], j) / divide));
    }
    weir_executor_free(executor);
    weir_graph_free(b->graph);
    weir_arena_free(arena);
    for (size_t i = 0; i < b->count; i++) weir_array_free(b->data[i]);
    *b = (bench){.graph = NULL};
}

/* ---- operators with windows ---- */

typedef struct window {
    int rank;
    int64_t in[3], kernel[3], stride[3], dilation[3], pads[6];
} window;

static window random_window(void) {
    window w = {.rank = (int)pick(1, 3)};
    for (int i = 0; i < w.rank; i++) {
        w.kernel[i] = pick(1, 3);
        w.stride[i] = pick(1, 3);
        w.dilation[i] = pick(1, 2);
        const int64_t reach = (w.kernel[i] - 1) * w.dilation[i];
        w.pads[i] = pick(0, reach < 2 ? reach : 2);
        w.pads[i + w.rank] = pick(0, reach < 2 ? reach : 2);
        w.in[i] = reach + pick(1, 5);
    }
    return w;
}

/* The data of input 0 in a random order of dimensions, or in ONNX's. */
static void lay_out(bench *b, weir_node node) {
    weir_array *x = b->data[0];
    int order[WEIR_MAX_RANK];
    char text[WEIR_LAYOUT_TEXT];
    if (pick(0, 1)) return;
    weir_layout_channels_last(x->shape.rank, order);
    for (int64_t i = pick(0, 2); i > 0; i--) {
        const int64_t from = pick(0, x->shape.rank - 1), to = pick(0, x->shape.rank - 1);
        const int kept = order[from];
        order[from] = order[to];
        order[to] = kept;
    }
    weir_layout_print(order, x->shape.rank, text);
    if (text[0] == '\0') return;
    b->data[0] = weir_layout_transpose(x, order);
    weir_array_free(x);
    weir_type type = *weir_value_type(b->graph, b->values[0]);
    type.shape = b->data[0]->shape;
    weir_value_set_type(b->graph, b->values[0], &type);
    weir_node_set_string(b->graph, node, "layout", text);
}

static weir_shape with_spatial(int64_t first, int64_t second, const int64_t *dims, int rank) {
    weir_shape shape = {.rank = rank + 2, .dim = {first, second}};
    for (int i = 0; i < rank; i++) shape.dim[i + 2] = dims[i];
    return shape;
}

static void set_window(weir_graph *graph, weir_node node, const window *w) {
    const size_t rank = (size_t)w->rank;
    weir_node_set_ints(graph, node, "kernel_shape", w->kernel, rank);
    weir_node_set_ints(graph, node, "strides", w->stride, rank);
    weir_node_set_ints(graph, node, "dilations", w->dilation, rank);
    weir_node_set_ints(graph, node, "pads", w->pads, 2 * rank);
}

static void convolutions(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const window w = random_window();
        const int64_t groups = pick(1, 3), share = pick(1, 3), outputs = groups * pick(1, 3);
        bench b = {.graph = NULL};
        add(&b, with_spatial(pick(1, 2), groups * share, w.in, w.rank));
        add(&b, with_spatial(outputs, share, w.kernel, w.rank));
        if (pick(0, 1)) add(&b, (weir_shape){1, {outputs}});
        const weir_node node = node_of(&b, WEIR_OP_CONV, 1);
        weir_node_set_int(b.graph, node, "group", groups);
        set_window(b.graph, node, &w);
        lay_out(&b, node);
        check(&b, node, 1);
    }
}

static void pools(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        window w = random_window();
        double divide = 1;
        bench b = {.graph = NULL};
        add(&b, with_spatial(pick(1, 2), pick(1, 4), w.in, w.rank));
        if (round % 3 == 2) {
            for (int i = 0; i < w.rank; i++) divide *= (double)w.in[i];
            check(&b, node_of(&b, WEIR_OP_GLOBAL_AVERAGE_POOL, 1), divide);
            continue;
        }
        const weir_node node = node_of(&b, round % 3 == 0 ? WEIR_OP_MAX_POOL : WEIR_OP_AVERAGE_POOL, 1);
        set_window(b.graph, node, &w);
        if (round % 3 == 1) weir_node_set_int(b.graph, node, "count_include_pad", 1);
        weir_node_set_int(b.graph, node, "ceil_mode", round % 3 == 0 ? pick(0, 1) : 0);
        for (int i = 0; round % 3 == 1 && i < w.rank; i++) divide *= (double)w.kernel[i];
        lay_out(&b, node);
        check(&b, node, divide);
    }
}

/* ---- products ---- */

static void products(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const int64_t d = pick(1, 4), c = pick(1, 5), k = pick(1, 4);
        bench b = {.graph = NULL};
        if (round % 2 == 0) {
            const int flip_a = (int)pick(0, 1), flip_b = (int)pick(0, 1);
            add(&b, flip_a ? (weir_shape){2, {c, d}} : (weir_shape){2, {d, c}});
            add(&b, flip_b ? (weir_shape){2, {k, c}} : (weir_shape){2, {c, k}});
            const int64_t form = pick(0, 3);
            if (form == 1) add(&b, (weir_shape){1, {k}});
            if (form == 2) add(&b, (weir_shape){2, {d, 1}});
            if (form == 3) add(&b, (weir_shape){0, {0}});
            const weir_node node = node_of(&b, WEIR_OP_GEMM, 1);
            weir_node_set_int(b.graph, node, "transA", flip_a);
            weir_node_set_int(b.graph, node, "transB", flip_b);
            check(&b, node, 1);
            continue;
        }
        const int64_t batch[3] = {pick(1, 2), pick(1, 3), pick(1, 2)};
        weir_shape x = {0}, w = {0};
        for (int i = (int)pick(0, 3); i < 3; i++) x.dim[x.rank++] = pick(0, 3) == 0 ? 1 : batch[i];
        for (int i = (int)pick(0, 3); i < 3; i++) w.dim[w.rank++] = pick(0, 3) == 0 ? 1 : batch[i];
        if (x.rank > 0 || pick(0, 3) > 0) x.dim[x.rank++] = d;
        x.dim[x.rank++] = c;
        const bool columns = w.rank > 0 || pick(0, 3) > 0;
        w.dim[w.rank++] = c;
        if (columns) w.dim[w.rank++] = k;
        add(&b, x);
        add(&b, w);
        check(&b, node_of(&b, WEIR_OP_MATMUL, 1), 1);
    }
}

/* ---- the others ---- */

static weir_shape random_shape(int rank) {
    weir_shape shape = {.rank = rank};
    for (int i = 0; i < rank; i++) shape.dim[i] = pick(1, 4);
    return shape;
}

static void elementwise_and_reductions(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const weir_shape x = random_shape((int)pick(1, 4));
        bench b = {.graph = NULL};
        add(&b, x);
        if (round % 2 == 0) {
            weir_shape y = x;
            const int cut = (int)pick(0, x.rank);
            y.rank -= cut;
            for (int i = 0; i < y.rank; i++) y.dim[i] = pick(0, 1) ? 1 : x.dim[i + cut];
            add(&b, y);
            check(&b, node_of(&b, WEIR_OP_ADD, 1), 1);
            continue;
        }
        const int64_t axis = pick(-x.rank, x.rank - 1);
        weir_array *axes = weir_array_new(WEIR_INT64, &(weir_shape){1, {1}});
        weir_array_set_int(axes, 0, axis);
        weir_value inputs[2] = {b.values[0], weir_graph_add_constant(b.graph, "axes", axes)};
        weir_array_free(axes);
        const weir_node node = weir_graph_add_node(b.graph, pick(0, 1) ? WEIR_OP_REDUCE_MAX : WEIR_OP_REDUCE_SUM, "n",
                                                   inputs, 2, 1, WEIR_NO_NODE);
        weir_node_set_int(b.graph, node, "keepdims", pick(0, 1));
        check(&b, node, 1);
    }
}

static void moves(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const weir_shape x = random_shape(4);
        const int64_t axis = pick(0, 3), orders[3][4] = {{0, 2, 3, 1}, {3, 1, 0, 2}, {1, 0, 3, 2}};
        bench b = {.graph = NULL};
        add(&b, x);
        if (round % 4 == 0) {
            const weir_node node = node_of(&b, WEIR_OP_TRANSPOSE, 1);
            if (pick(0, 3) > 0) weir_node_set_ints(b.graph, node, "perm", orders[pick(0, 2)], 4);
            check(&b, node, 1);
        } else if (round % 4 == 1) {
            for (int i = 0; i < 2; i++) {
                weir_shape other = x;
                other.dim[axis] = pick(1, 3);
                add(&b, other);
            }
            const weir_node node = node_of(&b, WEIR_OP_CONCAT, 1);
            weir_node_set_int(b.graph, node, "axis", axis);
            check(&b, node, 1);
        } else if (round % 4 == 2) { /* by its index map */
            weir_array *repeats = weir_array_new(WEIR_INT64, &(weir_shape){1, {4}});
            for (size_t i = 0; i < 4; i++) weir_array_set_int(repeats, i, (int64_t)i == axis ? pick(1, 3) : 1);
            weir_value inputs[2] = {b.values[0], weir_graph_add_constant(b.graph, "repeats", repeats)};
            weir_array_free(repeats);
            check(&b, weir_graph_add_node(b.graph, WEIR_OP_TILE, "n", inputs, 2, 1, WEIR_NO_NODE), 1);
        } else {
            weir_array *shape = weir_array_new(WEIR_INT64, &(weir_shape){1, {2}});
            weir_array_set_int(shape, 0, x.dim[0] * x.dim[1]);
            weir_array_set_int(shape, 1, -1);
            weir_value inputs[2] = {b.values[0], weir_graph_add_constant(b.graph, "shape", shape)};
            weir_array_free(shape);
            check(&b, weir_graph_add_node(b.graph, WEIR_OP_RESHAPE, "n", inputs, 2, 1, WEIR_NO_NODE), 1);
        }
    }
}

/* A depthwise 3x3 convolution and a product as ZigZag's layers have them: names, sizes, which operand uses which,
 * counts by hand. */
static void names_and_counts(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t size;
        bool in, weight, out;
    } wanted[] = {{"B", 1, true, false, true},  {"K", 1, false, true, true},  {"G", 8, true, true, true},
                  {"OX", 5, true, false, true}, {"OY", 4, true, false, true}, {"C", 1, true, true, false},
                  {"FX", 3, true, true, false}, {"FY", 2, true, true, false}};
    weir_arena *arena = weir_arena_new();
    bench b = {.graph = NULL};
    add(&b, (weir_shape){4, {1, 8, 5, 7}});
    add(&b, (weir_shape){4, {8, 1, 2, 3}});
    const weir_node node = node_of(&b, WEIR_OP_CONV, 1);
    weir_node_set_int(b.graph, node, "group", 8);
    assert_true(weir_infer_graph(b.graph));
    const weir_loop_nest *nest = weir_loop_nest_of(b.graph, node, arena);
    assert_int_equal(nest->loop_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        const weir_loop *loop = weir_loop_find(nest, wanted[i].name);
        assert_ptr_equal(loop, &nest->loop[i]);
        assert_int_equal(loop->size, wanted[i].size);
        assert_int_equal(loop->is_reduced, !wanted[i].out);
        assert_int_equal(weir_loop_uses(weir_loop_find_operand(nest, 'I'), i), wanted[i].in);
        assert_int_equal(weir_loop_uses(weir_loop_find_operand(nest, 'W'), i), wanted[i].weight);
        assert_int_equal(weir_loop_uses(weir_loop_find_operand(nest, 'O'), i), wanted[i].out);
    }
    assert_null(weir_loop_find(nest, "D"));
    assert_int_equal(weir_loop_macs(b.graph, node), 8 * 5 * 4 * 3 * 2);
    weir_graph_free(b.graph);
    for (size_t i = 0; i < b.count; i++) weir_array_free(b.data[i]);
    weir_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(convolutions), cmocka_unit_test(pools),
                                       cmocka_unit_test(products),     cmocka_unit_test(elementwise_and_reductions),
                                       cmocka_unit_test(moves),        cmocka_unit_test(names_and_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
