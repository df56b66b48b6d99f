/* QONNX's Quant against hand-written codes, and against what the qonnx package executes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "common/operands.h"
#include "support/memory/arena.h"

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(quant_clips_and_rounds),
                                       cmocka_unit_test(quant_is_what_qonnx_executes)};
    return cmocka_run_group_tests_name("op quant", tests, NULL, NULL);
}
