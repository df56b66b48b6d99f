/* The float engine on the trained digits networks (tests/models/digits) against the outputs that ONNX Runtime and QONNX
 * gave, and its speed. Operators with integer semantics (QGemm, QLinearMatMul) must agree on every element; so must
 * QONNX networks, whose sums are exact. Unfused QDQ graphs compute in float32 and may be a step off at rounding ties.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec/exec.h"
#include "frontend/import/onnx.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "test_digits.h"

static weir_array *read(const char *file, const char *key) {
    char *path = digits_path(file);
    weir_array *array = weir_array_read(path, key);
    free(path);
    assert_non_null(array);
    return array;
}

/* The first `count` rows. */
static weir_array *head(const weir_array *array, int64_t count) {
    weir_shape shape = array->shape;
    shape.dim[0] = count;
    weir_array *rows = weir_array_new(array->dtype, &shape);
    for (size_t i = 0; i < rows->count; i++) weir_array_set(rows, i, weir_array_get(array, i));
    return rows;
}

static weir_graph *import(const char *model) {
    char *file = weir_format("%s.onnx", model), *path = digits_path(file);
    weir_graph *graph = weir_onnx_import(path, NULL);
    free(path);
    free(file);
    assert_non_null(graph);
    return graph;
}

/* Elements further from the expected ones than `tolerance` times their magnitude; the largest difference goes to *far.
 */
static size_t count_differences(const weir_array *found, const weir_array *expected, double tolerance, double *far) {
    size_t differences = 0;
    assert_int_equal(found->count, expected->count);
    assert_int_equal(found->dtype, expected->dtype);
    for (size_t i = 0; i < found->count; i++) {
        const double e = weir_array_get(expected, i), distance = fabs(weir_array_get(found, i) - e);
        if (distance > *far) *far = distance;
        if (!(distance <= tolerance * fmax(fabs(e), 1))) differences++;
    }
    return differences;
}

/* Runs the model over test images and, where expected outputs exist, over random inputs. */
static size_t differences_of(const char *model, double tolerance, double *far) {
    weir_graph *graph = import(model);
    weir_executor *executor = weir_executor_new(graph);
    assert_non_null(executor);
    char *file = weir_format("%s.expected.npz", model);
    static const char *const data_files[] = {"digits_test.npz", "random10k.npz"}, *const keys[] = {"test", "random"};
    size_t differences = 0;
    for (int i = 0; i < (tolerance > 0 ? 1 : 2); i++) {
        weir_array *data = read(data_files[i], "x"), *expected = read(file, keys[i]);
        weir_array *rows = head(data, expected->shape.dim[0]);
        const double start = weir_seconds();
        weir_array *found = weir_executor_run_all(executor, rows, 0, 0);
        const double seconds = weir_seconds() - start;
        printf("  %s, %s: %lld frames in %.3f s\n", model, keys[i], (long long)rows->shape.dim[0], seconds);
        assert_non_null(found);
        assert_true(seconds < 10); /* 0.2 s in an ordinary build, 1.2 s with sanitizers */
        differences += count_differences(found, expected, tolerance, far);
        weir_array_free(found);
        weir_array_free(rows);
        weir_array_free(expected);
        weir_array_free(data);
    }
    free(file);
    weir_executor_free(executor);
    weir_graph_free(graph);
    return differences;
}

static void float_network_is_close(void **state) {
    (void)state;
    double far = 0;
    assert_int_equal(differences_of("mlp_float", 1e-4, &far), 0);
}

static void quantized_operators_equal_onnx_runtime(void **state) {
    (void)state;
    double far = 0;
    assert_int_equal(differences_of("mlp_qoperator", 0, &far), 0);
    assert_int_equal(differences_of("mlp_qlinearmatmul", 0, &far), 0);
}

static void qonnx_networks_equal_qonnx(void **state) {
    (void)state;
    double far = 0;
    assert_int_equal(differences_of("mlp_bipolar", 0, &far), 0);
    assert_int_equal(differences_of("mlp_qonnx_w4a4", 0, &far), 0);
}

static void unfused_networks_differ_at_ties_only(void **state) {
    (void)state;
    static const char *const models[] = {"mlp_qdq", "mlp_residual_qdq", "mlp_residual_qdq_relu"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        double far = 0;
        const size_t differences = differences_of(models[i], 0, &far);
        printf("  %s: %zu differences, at most %g\n", models[i], differences, far);
        assert_true(differences <= 30);
        assert_true(far < 0.5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_network_is_close),
        cmocka_unit_test(quantized_operators_equal_onnx_runtime),
        cmocka_unit_test(qonnx_networks_equal_qonnx),
        cmocka_unit_test(unfused_networks_differ_at_ties_only),
    };
    return cmocka_run_group_tests_name("exec models", tests, NULL, NULL);
}
