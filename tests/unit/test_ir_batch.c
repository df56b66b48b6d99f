/* Batches of rows: which operators keep rows apart, held against the kernels: the graph for one row gives each row of
 * what the whole graph gives. What mixes rows is refused with its reason, and a planted mix shows in the values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "ir/shape/infer.h"
#include "ir/trait/batch.h"
#include "ir/trait/trait.h"
#include "support/text/diag.h"

enum { ROWS = 3, COLUMNS = 4 };

static weir_value add_constant(weir_graph *g, weir_dtype dtype, int rank, const int64_t *dims, const double *values) {
    const weir_shape shape = weir_shape_of(rank, dims);
    weir_array *array = weir_array_new(dtype, &shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, values == NULL ? (double)i / 3 - 1 : values[i]);
    weir_value value = weir_graph_add_constant(g, "c", array);
    weir_array_free(array);
    return value;
}

static weir_value add_list(weir_graph *g, size_t count, const double *values) {
    return add_constant(g, WEIR_INT64, 1, (const int64_t[]){(int64_t)count}, values);
}

#define LIST(g, ...) add_list(g, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})
#define FLOATS(g, ...)                                                                                                 \
    add_constant(g, WEIR_FLOAT32, sizeof((int64_t[]){__VA_ARGS__}) / 8, (const int64_t[]){__VA_ARGS__}, NULL)
#define NODE(g, op, ...)                                                                                               \
    weir_graph_add_node(g, op, "n", (const weir_value[]){__VA_ARGS__}, sizeof((weir_value[]){__VA_ARGS__}) / 4, 1,     \
                        WEIR_NO_NODE)

static void one(weir_graph *g, weir_value x, int form);

/* --- one operator a form, all on x: [3, 4] --- */

enum { KEPT = 19, FORMS = 33 };

static weir_node with_int(weir_graph *g, weir_node node, const char *name, int64_t value) {
    weir_node_set_int(g, node, name, value);
    return node;
}

static weir_node make_kept(weir_graph *g, weir_value x, int form) {
    switch (form) {
    case 0: return NODE(g, WEIR_OP_RELU, x);
    case 1: return NODE(g, WEIR_OP_ADD, x, FLOATS(g, 4));
    case 2: return NODE(g, WEIR_OP_MUL, FLOATS(g, 1, 4), x);
    case 3: return NODE(g, WEIR_OP_MATMUL, x, FLOATS(g, 4, 2));
    case 4: return with_int(g, NODE(g, WEIR_OP_GEMM, x, FLOATS(g, 3, 4), FLOATS(g, 3)), "transB", 1);
    case 5: return with_int(g, NODE(g, WEIR_OP_SOFTMAX, x), "axis", -1);
    case 6: return with_int(g, NODE(g, WEIR_OP_REDUCE_MEAN, x, LIST(g, 1)), "keepdims", 0);
    case 7: return NODE(g, WEIR_OP_RESHAPE, x, LIST(g, 3, 2, 2));
    case 8: return NODE(g, WEIR_OP_RESHAPE, x, LIST(g, 0, 2, -1));
    case 9: return NODE(g, WEIR_OP_RESHAPE, x, LIST(g, -1, 4));
    case 10: return with_int(g, NODE(g, WEIR_OP_FLATTEN, x), "axis", 1);
    case 11: return with_int(g, NODE(g, WEIR_OP_CONCAT, x, x), "axis", 1);
    case 12: return NODE(g, WEIR_OP_SLICE, x, LIST(g, 1), LIST(g, 3), LIST(g, 1));
    case 13: return NODE(g, WEIR_OP_EXPAND, x, LIST(g, 3, 4));
    case 14: return NODE(g, WEIR_OP_UNSQUEEZE, x, LIST(g, 1));
    case 15: return with_int(g, NODE(g, WEIR_OP_GATHER, x, LIST(g, 2, 0)), "axis", 1);
    case 16: return NODE(g, WEIR_OP_PAD, x, LIST(g, 0, 1, 0, 2));
    case 17: return NODE(g, WEIR_OP_LAYER_NORMALIZATION, x, FLOATS(g, 1, 4));
    default: return with_int(g, NODE(g, WEIR_OP_ARG_MAX, x), "axis", 1);
    }
}

static weir_node make_mixed(weir_graph *g, weir_value x, int form) {
    switch (form) {
    case 19: return NODE(g, WEIR_OP_ADD, x, FLOATS(g, 3, 4));
    case 20: return NODE(g, WEIR_OP_ADD, x, FLOATS(g, 3, 1));
    case 21: return with_int(g, NODE(g, WEIR_OP_SOFTMAX, x), "axis", 0);
    case 22: return NODE(g, WEIR_OP_REDUCE_SUM, x, LIST(g, 0));
    case 23: return NODE(g, WEIR_OP_TRANSPOSE, x);
    case 24: return NODE(g, WEIR_OP_RESHAPE, x, LIST(g, 4, 3));
    case 25: return NODE(g, WEIR_OP_MATMUL, FLOATS(g, 3, 3), x);
    case 26: return with_int(g, NODE(g, WEIR_OP_GEMM, x, FLOATS(g, 3, 2)), "transA", 1);
    case 27: return NODE(g, WEIR_OP_SLICE, x, LIST(g, -1), LIST(g, -4), LIST(g, 0), LIST(g, -1));
    case 28: return NODE(g, WEIR_OP_PAD, x, LIST(g, -1, 0, 1, 0));
    case 29: return NODE(g, WEIR_OP_EXPAND, x, LIST(g, 3, 3, 4));
    case 30: return with_int(g, NODE(g, WEIR_OP_CONCAT, x, x), "axis", 0);
    case 31: return NODE(g, WEIR_OP_LAYER_NORMALIZATION, x, FLOATS(g, 3, 1));
    default: return with_int(g, NODE(g, WEIR_OP_GATHER, x, LIST(g, 2, 1, 0)), "axis", 0);
    }
}

static weir_graph *make(int form) {
    weir_graph *g = weir_graph_new("g");
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {2, {ROWS, COLUMNS}}, .quant = {.axis = -1}};
    one(g, weir_graph_add_input(g, "x", &type), form);
    return g;
}

static void one(weir_graph *g, weir_value x, int form) {
    weir_node node = form < KEPT ? make_kept(g, x, form) : make_mixed(g, x, form);
    assert_true(weir_infer_node(g, node));
    weir_graph_add_output(g, "y", weir_node_output(g, node, 0));
}

static weir_array *random_data(int64_t rows) {
    weir_array *x = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {rows, COLUMNS}});
    for (size_t i = 0; i < x->count; i++) weir_array_set(x, i, (double)(i * 7 % 11) / 4 - 1);
    return x;
}

/* Are the rows of the whole graph's result what the graph for one row gives? */
static bool agrees(const weir_graph *whole, const weir_graph *row) {
    weir_array *x = random_data(ROWS);
    weir_executor *all = weir_executor_new(whole), *each = weir_executor_new(row);
    assert_true(weir_executor_run(all, (const weir_array *const[]){x}));
    const weir_array *expected = weir_executor_value(all, weir_graph_output(whole, 0));
    bool same = true;
    for (size_t r = 0; same && r < ROWS; r++) {
        weir_array *one_row = random_data(1);
        memcpy(one_row->data, (const float *)x->data + r * COLUMNS, COLUMNS * sizeof(float));
        assert_true(weir_executor_run(each, (const weir_array *const[]){one_row}));
        const weir_array *found = weir_executor_value(each, weir_graph_output(row, 0));
        const size_t size = found->count * weir_dtype_size(found->dtype);
        same = found->count * ROWS == expected->count &&
               memcmp(found->data, (const char *)expected->data + r * size, size) == 0;
        weir_array_free(one_row);
    }
    weir_executor_free(all);
    weir_executor_free(each);
    weir_array_free(x);
    return same;
}

static void operators_keep_rows_apart(void **state) {
    (void)state;
    for (int form = 0; form < KEPT; form++) {
        weir_graph *g = make(form);
        const weir_batch rows = weir_batch_find(g);
        if (rows.why != NULL) fail_msg("form %d: %s", form, rows.why);
        assert_int_equal(rows.count, ROWS);
        weir_graph *row = weir_batch_split(g, ROWS);
        assert_non_null(row);
        if (!agrees(g, row)) fail_msg("form %d gives something else", form);
        weir_graph_free(row);
        weir_graph_free(g);
    }
}

static void mixed_rows_are_named(void **state) {
    (void)state;
    for (int form = KEPT; form < FORMS; form++) {
        weir_graph *g = make(form);
        const weir_batch rows = weir_batch_find(g);
        if (rows.why == NULL || rows.mixed.id == 0) fail_msg("form %d is taken to keep rows apart", form);
        weir_graph_free(g);
    }
}

/* What is not asked for is not split: a vector, inputs with different numbers of rows, one row. */
static void batches_are_recognized(void **state) {
    (void)state;
    static const weir_shape shapes[][2] = {
        {{1, {3}}, {1, {3}}}, {{2, {3, 4}}, {2, {2, 4}}}, {{2, {1, 4}}, {2, {1, 4}}}, {{2, {3, 4}}, {1, {3}}}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        weir_graph *g = weir_graph_new("g");
        for (size_t k = 0; k < 2; k++) {
            const weir_type type = {.dtype = WEIR_FLOAT32, .shape = shapes[i][k], .quant = {.axis = -1}};
            weir_value x = weir_graph_add_input(g, "x", &type);
            weir_graph_add_output(g, k == 0 ? "y" : "z", x);
        }
        assert_int_equal(weir_batch_find(g).count, 1);
        weir_graph_free(g);
    }
}

/* Shape arithmetic that only fed a shape does not count; a shape that reaches the data does. */
static void shapes_that_reach_the_data_count(void **state) {
    (void)state;
    for (int reaches = 0; reaches < 2; reaches++) {
        weir_graph *g = make(0);
        weir_node shape = NODE(g, WEIR_OP_SHAPE, weir_graph_input(g, 0));
        weir_node cast = NODE(g, WEIR_OP_CAST, weir_node_output(g, shape, 0));
        weir_node_set_string(g, cast, "to", "float32");
        assert_true(weir_infer_graph(g));
        if (reaches) weir_graph_add_output(g, "z", weir_node_output(g, cast, 0));
        assert_int_equal(weir_batch_find(g).why != NULL, reaches);
        weir_graph_free(g);
    }
}

/* The comparison sees a mix: the graph for one row of another form. */
static void planted_mix_is_seen(void **state) {
    (void)state;
    weir_graph *g = make(19), *other = make(1);
    weir_graph *row = weir_batch_split(other, ROWS);
    assert_false(agrees(g, row));
    weir_graph_free(row);
    weir_graph_free(other);
    weir_graph_free(g);
}

/* --- an open batch --- */

enum { OPENED = 15, STUCK = 21 };

static weir_node reshaped(weir_graph *g, weir_value x, bool allow_zero) {
    return with_int(g, NODE(g, WEIR_OP_RESHAPE, x, LIST(g, 1, -1, 2)), "allowzero", allow_zero);
}

static weir_node resized(weir_graph *g, weir_value x, weir_value sizes) {
    const weir_node node = NODE(g, WEIR_OP_RESIZE, x, WEIR_NO_VALUE, WEIR_NO_VALUE, sizes);
    weir_node_set_string(g, node, "coordinate_transformation_mode", "asymmetric");
    return node;
}

static weir_node with_ints(weir_graph *g, weir_node node, const char *name, size_t count, const int64_t *values) {
    weir_node_set_ints(g, node, name, values, count);
    return node;
}

static weir_value made(weir_graph *g, weir_node node) {
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

/* A node on x: [1, 4]; the first ones are for any number of frames, the rest for one. */
static weir_node make_open(weir_graph *g, weir_value x, int form) {
    const weir_value most = made(g, with_int(g, NODE(g, WEIR_OP_ARG_MAX, x), "axis", 1));
    switch (form) {
    case 0: return reshaped(g, x, false);
    case 1: return reshaped(g, x, true);
    case 2: return NODE(g, WEIR_OP_RESHAPE, x, LIST(g, 1, 2, 2));
    case 3: return NODE(g, WEIR_OP_RESHAPE, x, LIST(g, -1, 4));
    case 4: return NODE(g, WEIR_OP_EXPAND, made(g, NODE(g, WEIR_OP_UNSQUEEZE, x, LIST(g, 1))), LIST(g, 1, 3, 4));
    case 5: return NODE(g, WEIR_OP_SLICE, x, LIST(g, 0, 1), LIST(g, 1, 3));
    case 6: return NODE(g, WEIR_OP_SLICE, x, LIST(g, 1, -1), LIST(g, 4, 9), LIST(g, 1, -2));
    case 7: return NODE(g, WEIR_OP_SLICE, x, LIST(g, 0), LIST(g, 1), LIST(g, 0), LIST(g, 1));
    case 8: return resized(g, x, LIST(g, 1, 8));
    case 9: /* float32 has no 5 / 3 */
        x = made(g, NODE(g, WEIR_OP_SLICE, x, LIST(g, 0), LIST(g, 3), LIST(g, 1)));
        return with_ints(g, resized(g, x, LIST(g, 5, 1)), "axes", 2, (const int64_t[]){1, -2});
    case 10: return NODE(g, WEIR_OP_TILE, x, LIST(g, 1, 2));
    case 11: return NODE(g, WEIR_OP_ARRAY_FEATURE_EXTRACTOR, FLOATS(g, 1, 4), most);
    case 12: return NODE(g, WEIR_OP_ARRAY_FEATURE_EXTRACTOR, FLOATS(g, 4), most);
    case 13: return NODE(g, WEIR_OP_ADD, x, FLOATS(g, 1, 4));
    case 14: return resized(g, x, LIST(g, 1, 6)); /* by scales: half as large again */
    case 15: return with_int(g, NODE(g, WEIR_OP_FLATTEN, x), "axis", 0);
    case 16: return NODE(g, WEIR_OP_UNSQUEEZE, x, LIST(g, 0));
    case 17: return NODE(g, WEIR_OP_SQUEEZE, made(g, NODE(g, WEIR_OP_UNSQUEEZE, x, LIST(g, 0))), LIST(g, 0));
    case 18: return NODE(g, WEIR_OP_TRANSPOSE, x);
    case 19: return with_int(g, NODE(g, WEIR_OP_SOFTMAX, x), "axis", 0);
    default: return NODE(g, WEIR_OP_RESHAPE, x, LIST(g, 4, 1));
    }
}

static weir_graph *make_open_graph(int form) {
    weir_graph *g = weir_graph_new("g");
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {2, {1, COLUMNS}}, .quant = {.axis = -1}};
    const weir_value x = weir_graph_add_input(g, "x", &type);
    weir_graph_set_batch(g, "N");
    weir_graph_add_output(g, "y", made(g, make_open(g, x, form)));
    return g;
}

/* The opened graph, inferred for ROWS rows, gives for each what the closed one gives. */
static void opened_graphs_take_any_number_of_rows(void **state) {
    (void)state;
    for (int form = 0; form < OPENED; form++) {
        weir_graph *g = make_open_graph(form);
        weir_batch_open open = weir_batch_open_of(g);
        if (open.graph == NULL) fail_msg("form %d: %s", form, open.mixed.why);
        assert_true(open.has_rows[weir_graph_output(open.graph, 0).id]);
        const weir_node last = weir_value_producer(open.graph, weir_graph_output(open.graph, 0));
        if (form == 8 || form == 9 || form == 14)
            assert_true((weir_node_input(open.graph, last, 2).id != 0) == (form != 9));
        const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {2, {ROWS, COLUMNS}}, .quant = {.axis = -1}};
        weir_graph_set_batch(open.graph, NULL);
        weir_value_set_type(open.graph, weir_graph_input(open.graph, 0), &type);
        assert_true(weir_infer_graph(open.graph));
        if (!agrees(open.graph, g)) fail_msg("form %d gives something else", form);
        weir_batch_open_free(&open);
        weir_graph_free(g);
    }
}

static void graphs_for_one_row_are_named(void **state) {
    (void)state;
    for (int form = OPENED; form < STUCK; form++) {
        weir_graph *g = make_open_graph(form);
        weir_batch_open open = weir_batch_open_of(g);
        if (open.graph != NULL || open.mixed.why == NULL || open.mixed.mixed.id == 0)
            fail_msg("form %d is taken to be for any number of rows", form);
        weir_batch_open_free(&open);
        weir_graph_free(g);
    }
}

enum { MOST_OPERANDS = 6 };

static size_t operands_of(weir_op op) {
    return weir_op_get(op)->inputs_max < 0 ? 2 : (size_t)weir_op_get(op)->inputs_min;
}

/* A graph of the operator on streams of rows alone, or of one with a constant for each row, others for all; NULL: it
 * takes no such. */
static weir_graph *make_elementwise(weir_op op, weir_dtype dtype, bool by_row) {
    weir_graph *g = weir_graph_new("g");
    weir_value in[MOST_OPERANDS];
    const size_t count = operands_of(op);
    assert_true(count >= 1 && count <= MOST_OPERANDS);
    for (size_t i = 0; i < count; i++) {
        if (by_row && i > 0) {
            in[i] = add_constant(g, dtype, i == 1 ? 2 : 0, (const int64_t[]){ROWS, 1}, (const double[]){1, 2, 4});
            continue;
        }
        const weir_type type = {.dtype = op == WEIR_OP_WHERE && i == 0 ? WEIR_BOOL : dtype,
                                .shape = {2, {ROWS, COLUMNS}},
                                .quant = {.axis = -1}};
        in[i] = weir_graph_add_input(g, (const char *[]){"a", "b", "c", "d", "e", "f"}[i], &type);
    }
    const weir_node node = weir_graph_add_node(g, op, "n", in, count, 1, WEIR_NO_NODE);
    weir_diag_log *log = weir_diag_capture();
    const bool fine = weir_infer_graph(g);
    weir_diag_release(log);
    weir_diag_log_free(log);
    if (fine) {
        weir_graph_add_output(g, "y", weir_node_output(g, node, 0));
        return g;
    }
    weir_graph_free(g);
    return NULL;
}

/* Each element of a row comes from elements of that row. */
static void elementwise_operators_keep_rows_apart(void **state) {
    static const weir_dtype dtypes[] = {WEIR_FLOAT32, WEIR_BOOL};
    int seen = 0, constants = 0;
    (void)state;
    for (weir_op op = 1; op < WEIR_OP_COUNT; op++) {
        if (weir_op_get(op)->class != WEIR_CLASS_TENSOR || weir_trait_of(op)->order != WEIR_ORDER_ELEMENTWISE ||
            operands_of(op) > MOST_OPERANDS)
            continue;
        for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
            weir_graph *streams = make_elementwise(op, dtypes[i], false);
            weir_graph *by_row = operands_of(op) > 1 ? make_elementwise(op, dtypes[i], true) : NULL;
            const weir_batch apart = streams == NULL ? (weir_batch){.count = ROWS} : weir_batch_find(streams);
            if (apart.count != ROWS || apart.why != NULL) fail_msg("%s mixes rows", weir_op_get(op)->full_name);
            if (by_row != NULL && weir_batch_find(by_row).why == NULL)
                fail_msg("%s does another thing to each row", weir_op_get(op)->full_name);
            seen += streams != NULL;
            constants += by_row != NULL;
            weir_graph_free(streams);
            weir_graph_free(by_row);
        }
    }
    assert_true(seen > 50 && constants > 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_keep_rows_apart),    cmocka_unit_test(mixed_rows_are_named),
        cmocka_unit_test(batches_are_recognized),       cmocka_unit_test(shapes_that_reach_the_data_count),
        cmocka_unit_test(planted_mix_is_seen),          cmocka_unit_test(opened_graphs_take_any_number_of_rows),
        cmocka_unit_test(graphs_for_one_row_are_named), cmocka_unit_test(elementwise_operators_keep_rows_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
