/* Products of quantized operands and QONNX's Quant, against their definitions written out with one scalar loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "exec/exec.h"
#include "ir/infer.h"
#include "support/arena.h"

static uint64_t seed = 0x2545f4914f6cdd1du;

static uint64_t random_bits(void) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 0x2545f4914f6cdd1du;
}

static int64_t random_int(int64_t low, int64_t high) {
    return low + (int64_t)(random_bits() % ((uint64_t)(high - low) + 1));
}

/* Operands of one node, all constant but the first. */
typedef struct operands {
    weir_graph *graph;
    weir_value value[9];
    weir_array *array[9];
    size_t count;
} operands;

static weir_array *add(operands *to, weir_dtype dtype, const weir_shape *shape) {
    weir_array *array = weir_array_new(dtype, shape);
    to->array[to->count++] = array;
    return array;
}

static void add_codes(operands *to, weir_dtype dtype, int rank, int64_t a, int64_t b, int64_t c) {
    const int64_t dims[] = {a, b, c};
    const weir_shape shape = weir_shape_of(rank, dims + 3 - rank);
    weir_array *array = add(to, dtype, &shape);
    int64_t low, high;
    weir_dtype_limits(dtype, &low, &high);
    if (dtype == WEIR_INT32) low = -(high = 20000);
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, random_int(low, high));
}

/* Scales that bring accumulators of a few hundred products into the 8-bit range. */
static void add_scales(operands *to, int64_t count, double about) {
    const weir_shape shape = weir_shape_of(count == 0 ? 0 : 1, &count);
    weir_array *array = add(to, WEIR_FLOAT32, &shape);
    for (size_t i = 0; i < array->count; i++)
        weir_array_set(array, i, about * (1 + (double)random_int(0, 1000) / 1000));
}

/* The node on its operands; attributes may be set before `compute`. */
static weir_node build(operands *from, weir_op op) {
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

static const weir_array *compute(operands *from, weir_node node, weir_executor **executor) {
    assert_true(weir_infer_graph(from->graph));
    *executor = weir_executor_new(from->graph);
    assert_non_null(*executor);
    assert_true(weir_executor_run(*executor, (const weir_array *const *)from->array));
    return weir_executor_value(*executor, weir_node_output(from->graph, node, 0));
}

static void release(operands *from, weir_executor *executor) {
    weir_executor_free(executor);
    weir_graph_free(from->graph);
    for (size_t i = 0; i < from->count; i++) weir_array_free(from->array[i]);
    memset(from, 0, sizeof *from);
}

static int64_t at(const weir_array *array, size_t index) {
    return array == NULL ? 0 : weir_array_get_int(array, array->count == 1 ? 0 : index);
}

static float real_at(const weir_array *array, size_t index) {
    return (float)weir_array_get(array, array->count == 1 ? 0 : index);
}

static int64_t requantized(int64_t sum, float multiplier, int64_t zero, weir_dtype dtype) {
    int64_t low, high;
    weir_dtype_limits(dtype, &low, &high);
    volatile float product = (float)sum;
    product = product * multiplier;
    const int64_t code = (int64_t)rintf(product) + zero;
    return code < low ? low : code > high ? high : code;
}

/* Every combination of transposes, signs, bias shapes and outputs; per-column scales and zero points. */
static void qgemm_is_its_formula(void **state) {
    (void)state;
    for (int which = 0; which < 96; which++) {
        const bool ta = which & 1, tb = which & 2, real = which & 4;
        const int bias = which / 8 % 3;
        const weir_dtype a_type = which & 32 ? WEIR_INT8 : WEIR_UINT8, b_type = which & 64 ? WEIR_UINT8 : WEIR_INT8;
        const size_t rows = 3, inner = 70, columns = 67;
        operands from = {.count = 0};
        add_codes(&from, a_type, 2, 0, ta ? 70 : 3, ta ? 3 : 70);
        add_scales(&from, 0, 0.01);
        add_codes(&from, a_type, 1, 0, 0, 1);
        add_codes(&from, b_type, 2, 0, tb ? 67 : 70, tb ? 70 : 67);
        add_scales(&from, 67, 0.02);
        add_codes(&from, b_type, 1, 0, 0, 67);
        if (bias == 0) from.array[from.count++] = NULL;
        if (bias == 1) add_codes(&from, WEIR_INT32, 1, 0, 0, 67);
        if (bias == 2) add_codes(&from, WEIR_INT32, 2, 0, 3, 1);
        if (!real) add_scales(&from, 0, 0.7);
        if (!real) add_codes(&from, a_type, 1, 0, 0, 1);
        const weir_node node = build(&from, WEIR_OP_QGEMM);
        weir_node_set_int(from.graph, node, "transA", ta);
        weir_node_set_int(from.graph, node, "transB", tb);
        weir_node_set_float(from.graph, node, "alpha", 0.7f);
        weir_executor *executor;
        const weir_array *y = compute(&from, node, &executor);
        assert_int_equal(y->dtype, real ? WEIR_FLOAT32 : a_type);
        for (size_t r = 0; r < rows; r++) {
            for (size_t c = 0; c < columns; c++) {
                int64_t sum = bias == 0 ? 0 : at(from.array[6], bias == 1 ? c : r);
                for (size_t k = 0; k < inner; k++)
                    sum +=
                        (weir_array_get_int(from.array[0], ta ? k * rows + r : r * inner + k) - at(from.array[2], 0)) *
                        (weir_array_get_int(from.array[3], tb ? c * inner + k : k * columns + c) -
                         at(from.array[5], c));
                const float scale = 0.7f * real_at(from.array[1], 0) * real_at(from.array[4], c);
                if (real) {
                    assert_true(weir_array_get(y, r * columns + c) == (double)((float)sum * scale));
                } else {
                    assert_int_equal(weir_array_get_int(y, r * columns + c),
                                     requantized(sum, scale / real_at(from.array[7], 0), at(from.array[8], 0), a_type));
                }
            }
        }
        release(&from, executor);
    }
}

static void matmul_integer_takes_zero_points_by_row_and_column(void **state) {
    (void)state;
    for (int which = 0; which < 8; which++) {
        const bool per_row = which & 1, per_column = which & 2, batched = which & 4;
        operands from = {.count = 0};
        add_codes(&from, WEIR_UINT8, 3, 2, 4, 9);
        add_codes(&from, WEIR_INT8, batched ? 3 : 2, 2, 9, 5);
        add_codes(&from, WEIR_UINT8, 1, 0, 0, per_row ? 4 : 1);
        add_codes(&from, WEIR_INT8, 1, 0, 0, per_column ? 5 : 1);
        weir_executor *executor;
        const weir_array *y = compute(&from, build(&from, WEIR_OP_MATMUL_INTEGER), &executor);
        assert_int_equal(y->count, 40);
        for (size_t i = 0; i < y->count; i++) {
            const size_t batch = i / 20, row = i / 5 % 4, column = i % 5;
            int64_t sum = 0;
            for (size_t k = 0; k < 9; k++)
                sum += (weir_array_get_int(from.array[0], batch * 36 + row * 9 + k) - at(from.array[2], row)) *
                       (weir_array_get_int(from.array[1], (batched ? batch * 45 : 0) + k * 5 + column) -
                        at(from.array[3], column));
            assert_int_equal(weir_array_get_int(y, i), sum);
        }
        release(&from, executor);
    }
}

static void qlinear_matmul_scales_by_column(void **state) {
    (void)state;
    for (int which = 0; which < 4; which++) {
        const bool per_column = which & 1;
        const weir_dtype type = which & 2 ? WEIR_INT8 : WEIR_UINT8;
        operands from = {.count = 0};
        add_codes(&from, type, 3, 2, 4, 90);
        add_scales(&from, 0, 0.01);
        add_codes(&from, type, 1, 0, 0, 1);
        add_codes(&from, type, 2, 0, 90, 5);
        add_scales(&from, per_column ? 5 : 1, 0.02);
        add_codes(&from, type, 1, 0, 0, per_column ? 5 : 1);
        add_scales(&from, 1, 0.9);
        add_codes(&from, type, 1, 0, 0, 1);
        weir_executor *executor;
        const weir_array *y = compute(&from, build(&from, WEIR_OP_QLINEAR_MATMUL), &executor);
        for (size_t i = 0; i < y->count; i++) {
            int64_t sum = 0;
            for (size_t k = 0; k < 90; k++)
                sum += (weir_array_get_int(from.array[0], i / 5 * 90 + k) - at(from.array[2], 0)) *
                       (weir_array_get_int(from.array[3], k * 5 + i % 5) - at(from.array[5], i % 5));
            const float scale = real_at(from.array[1], 0) * real_at(from.array[4], i % 5);
            assert_int_equal(weir_array_get_int(y, i),
                             requantized(sum, scale / real_at(from.array[6], 0), at(from.array[7], 0), type));
        }
        release(&from, executor);
    }
}

/* QONNX's Quant at bit width 3, scale 1/2 (and 1/4 for the second half), zero point 0 or 1. */
static void quant_clips_and_rounds(void **state) {
    (void)state;
    static const struct {
        const char *mode;
        int is_signed, narrow;
        double zero, low, high;
        double at_ties[4]; /* codes of -1.5, -0.5, 0.5 and 1.5 times the scale */
    } rows[] = {{"ROUND", 1, 0, 0, -4, 3, {-2, 0, 0, 2}},    {"ROUND", 1, 1, 0, -3, 3, {-2, 0, 0, 2}},
                {"ROUND", 0, 0, 0, 0, 7, {0, 0, 0, 2}},      {"ROUND", 0, 1, 0, 0, 6, {0, 0, 0, 2}},
                {"FLOOR", 1, 0, 0, -4, 3, {-2, -1, 0, 1}},   {"CEIL", 1, 0, 0, -4, 3, {-1, 0, 1, 2}},
                {"UP", 1, 0, 0, -4, 3, {-2, -1, 1, 2}},      {"DOWN", 1, 0, 0, -4, 3, {-1, 0, 0, 1}},
                {"HALF_UP", 1, 0, 0, -4, 3, {-2, -1, 1, 2}}, {"HALF_DOWN", 1, 0, 0, -4, 3, {-1, 0, 0, 1}},
                {"ROUND", 1, 0, 1, -4, 3, {0, 0, 2, 2}}};
    static const double units[] = {-1.5, -0.5, 0.5, 1.5, -100, 100};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const int64_t dims[] = {2, 6}, one = 1, two[] = {2, 1};
        const weir_shape shape = weir_shape_of(2, dims), scalar = weir_shape_of(1, &one), half = weir_shape_of(2, two);
        operands from = {.count = 0};
        weir_array *x = add(&from, WEIR_FLOAT32, &shape), *scale = add(&from, WEIR_FLOAT32, &half);
        weir_array_set(scale, 0, 0.5);
        weir_array_set(scale, 1, 0.25);
        weir_array_set(add(&from, WEIR_FLOAT32, &scalar), 0, rows[r].zero);
        weir_array_set(add(&from, WEIR_FLOAT32, &scalar), 0, 3);
        for (size_t i = 0; i < 12; i++) weir_array_set(x, i, units[i % 6] * (i < 6 ? 0.5 : 0.25));
        const weir_node node = build(&from, WEIR_OP_QUANT);
        weir_node_set_string(from.graph, node, "rounding_mode", rows[r].mode);
        weir_node_set_int(from.graph, node, "signed", rows[r].is_signed);
        weir_node_set_int(from.graph, node, "narrow", rows[r].narrow);
        weir_executor *executor;
        const weir_array *y = compute(&from, node, &executor);
        for (size_t i = 0; i < 12; i++) {
            const double code = i % 6 < 4 ? rows[r].at_ties[i % 6] : i % 6 == 4 ? rows[r].low : rows[r].high;
            assert_true(weir_array_get(y, i) == (code - rows[r].zero) * (i < 6 ? 0.5 : 0.25));
        }
        release(&from, executor);
    }
}

/* Every kind of Quant, element by element, as the qonnx package executes it (scripts/models/qonnx_quantizers.py). */
static void quant_is_what_qonnx_executes(void **state) {
    (void)state;
    static const char *const modes[] = {"ROUND", "ceil", "Floor", "UP", "down", "HALF_UP", "half_down"};
    const char *source = getenv("WEIR_SOURCE");
    char *path = weir_format("%s/tests/unit/data/qonnx_quantizers.npz", source != NULL ? source : ".");
    weir_array *parameters = weir_array_read(path, "parameters"), *x = weir_array_read(path, "x");
    weir_array *y = weir_array_read(path, "y");
    free(path);
    assert_true(parameters != NULL && x != NULL && y != NULL);
    const size_t columns = (size_t)x->shape.dim[1], rows = x->count / columns;
    for (size_t r = 0; r < rows; r++) {
        const int64_t dims[] = {1, (int64_t)columns}, one = 1;
        const weir_shape shape = weir_shape_of(2, dims), scalar = weir_shape_of(1, &one);
        operands from = {.count = 0};
        weir_array *in = add(&from, WEIR_FLOAT32, &shape);
        for (size_t i = 0; i < columns; i++) weir_array_set(in, i, weir_array_get(x, r * columns + i));
        weir_array_set(add(&from, WEIR_FLOAT32, &scalar), 0, weir_array_get(parameters, r * 6 + 4));
        weir_array_set(add(&from, WEIR_FLOAT32, &scalar), 0, weir_array_get(parameters, r * 6 + 5));
        weir_array_set(add(&from, WEIR_FLOAT32, &scalar), 0, weir_array_get(parameters, r * 6 + 3));
        const weir_node node = build(&from, WEIR_OP_QUANT);
        weir_node_set_string(from.graph, node, "rounding_mode", modes[(size_t)weir_array_get(parameters, r * 6)]);
        weir_node_set_int(from.graph, node, "signed", (int64_t)weir_array_get(parameters, r * 6 + 1));
        weir_node_set_int(from.graph, node, "narrow", (int64_t)weir_array_get(parameters, r * 6 + 2));
        weir_executor *executor;
        const weir_array *found = compute(&from, node, &executor);
        for (size_t i = 0; i < columns; i++) {
            const double want = weir_array_get(y, r * columns + i), have = weir_array_get(found, i);
            if (want != have) fail_msg("case %zu, element %zu: expected %.9g, found %.9g", r, i, want, have);
        }
        release(&from, executor);
    }
    weir_array_free(parameters);
    weir_array_free(x);
    weir_array_free(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(qgemm_is_its_formula),
        cmocka_unit_test(matmul_integer_takes_zero_points_by_row_and_column),
        cmocka_unit_test(qlinear_matmul_scales_by_column),
        cmocka_unit_test(quant_clips_and_rounds),
        cmocka_unit_test(quant_is_what_qonnx_executes),
    };
    return cmocka_run_group_tests_name("exec quant", tests, NULL, NULL);
}
