/* A pipeline of passes run on a module made by hand. */
#ifndef WEIR_TEST_PASSES_PIPELINE_H
#define WEIR_TEST_PASSES_PIPELINE_H

#include "pass/core/context.h"
#include "test_passes_support.h"

/* Runs the pipeline on the module; its records, when `records` is not NULL, are the caller's. */
static inline bool run_pipeline(weir_module *module, const char *text, json_t **records) {
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    weir_pass *pass = weir_pass_parse(registry, text, weir_at("pipeline", 1));
    assert_non_null(pass);
    weir_pass_context *context = weir_pass_context_new(registry);
    bool fine = weir_pass_run(context, pass, module);
    if (records != NULL) *records = json_deep_copy(weir_pass_records(context));
    weir_pass_context_free(context);
    weir_pass_free(pass);
    weir_pass_registry_free(registry);
    return fine;
}

#endif
