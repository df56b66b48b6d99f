/* What the tests of lowerings share: models of tests/models, their components, verify_lowering on a chain of graphs. */
#ifndef WEIR_TEST_PASSES_LOWERING_H
#define WEIR_TEST_PASSES_LOWERING_H

#include <math.h>

#include "common/model_path.h"
#include "exec/evaluate.h"
#include "frontend/import/onnx.h"
#include "ir/trait/batch.h"
#include "test_passes_support.h"

#include "test_pass_bench.h"

/* tests/models/FOLDER/NAME.onnx for one row, as the graph "model". */
static inline weir_graph *import_model(const char *folder, const char *name) {
    char *file = weir_format("%s/%s.onnx", folder, name), *path = model_path(file);
    const weir_onnx_options options = {.evaluate = weir_evaluate_node, .to_float32 = true};
    weir_graph *all = weir_onnx_import(path, &options);
    free(path);
    free(file);
    if (all == NULL) fail_msg("%s", test_messages.data);
    weir_graph *row = weir_batch_split(all, weir_batch_find(all).count);
    assert_non_null(row);
    weir_graph_free(all);
    weir_graph_set_name(row, "model");
    return row;
}

/* An array of tests/models/FOLDER/NAME.npz. */
static inline weir_array *read_stored(const char *folder, const char *name, const char *key) {
    char *file = weir_format("%s/%s.npz", folder, name), *path = model_path(file);
    weir_array *array = weir_array_read(path, key);
    free(path);
    free(file);
    if (array == NULL) fail_msg("%s", test_messages.data);
    return array;
}

/* Elements of output 0 that are further from `expected` than allowed, over all rows of x. */
static inline size_t wrong(const weir_graph *graph, const weir_array *x, const weir_array *expected, double tolerance) {
    weir_executor *executor = weir_executor_new(graph);
    assert_non_null(executor);
    const size_t rows = (size_t)x->shape.dim[0], width = x->count / rows, outputs = expected->count / rows;
    size_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        weir_array *frame = weir_array_new(WEIR_FLOAT32, &weir_value_type(graph, weir_graph_input(graph, 0))->shape);
        for (size_t i = 0; i < width; i++) weir_array_set(frame, i, weir_array_get(x, row * width + i));
        const weir_array *inputs[1] = {frame};
        assert_true(weir_executor_run(executor, inputs));
        const weir_array *y = weir_executor_value(executor, weir_graph_output(graph, 0));
        assert_int_equal(y->count, outputs);
        for (size_t i = 0; i < outputs; i++)
            count += !(fabs(weir_array_get(y, i) - weir_array_get(expected, row * outputs + i)) <= tolerance);
        weir_array_free(frame);
    }
    weir_executor_free(executor);
    return count;
}

static inline weir_graph *realized(const weir_graph *integer) {
    weir_graph *hardware = weir_graph_copy(integer);
    weir_graph_set_name(hardware, "hardware");
    if (!weir_realize_requantize(hardware, WEIR_REQUANTIZE_AUTO)) fail_msg("%s", test_messages.data);
    return hardware;
}

/* Runs verify_lowering on copies of the three graphs (`hardware` may be NULL). */
static inline bool verified(const weir_graph *model, const weir_graph *integer, const weir_graph *hardware) {
    weir_module *module = module_of_graph(weir_graph_copy(model));
    weir_module_add_graph(module, weir_graph_copy(integer));
    if (hardware != NULL) weir_module_add_graph(module, weir_graph_copy(hardware));
    test_setup(NULL);
    const bool fine = run_pipeline(module, "verify_lowering");
    weir_module_free(module);
    return fine;
}

#endif
