/* What the tests of lowerings share: models of tests/models, their components, verify_lowering on a chain of graphs. */
#ifndef WEIR_TEST_PASSES_LOWERING_H
#define WEIR_TEST_PASSES_LOWERING_H

#include "exec/evaluate.h"
#include "frontend/onnx.h"
#include "ir/rows.h"
#include "test_passes_support.h"

/* The file tests/models/NAME; heap memory. */
static inline char *model_path(const char *name) {
    const char *source = getenv("WEIR_SOURCE");
    return weir_format("%s/tests/models/%s", source != NULL ? source : ".", name);
}

/* tests/models/FOLDER/NAME.onnx for one row, as the graph "model". */
static inline weir_graph *import_model(const char *folder, const char *name) {
    char *file = weir_format("%s/%s.onnx", folder, name), *path = model_path(file);
    const weir_onnx_options options = {.evaluate = weir_evaluate_node, .to_float32 = true};
    weir_graph *all = weir_onnx_import(path, &options);
    free(path);
    free(file);
    if (all == NULL) fail_msg("%s", test_messages.data);
    weir_graph *row = weir_rows_split(all, weir_rows_find(all).count);
    assert_non_null(row);
    weir_graph_free(all);
    weir_graph_set_name(row, "model");
    return row;
}

static inline weir_graph *realized(const weir_graph *integer) {
    weir_graph *hardware = weir_graph_copy(integer);
    weir_graph_set_name(hardware, "hardware");
    if (!weir_realize_requantize(hardware, WEIR_REQUANTIZE_AUTO)) fail_msg("%s", test_messages.data);
    return hardware;
}

/* Runs verify_lowering on copies of the three graphs (`hardware` may be NULL). */
static inline bool verified(const weir_graph *model, const weir_graph *integer, const weir_graph *hardware) {
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass *pass = weir_pass_parse(registry, "verify_lowering", weir_at("test", 1));
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, weir_graph_copy(model));
    weir_module_add_graph(module, weir_graph_copy(integer));
    if (hardware != NULL) weir_module_add_graph(module, weir_graph_copy(hardware));
    test_setup(NULL);
    const bool fine = weir_pass_run(context, pass, module);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
    weir_module_free(module);
    return fine;
}

#endif
