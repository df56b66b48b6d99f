/* Passes as tests run them: a registry, a context and the module that they run on, which stays the test's. After
 * <cmocka.h>. */
#ifndef WEIR_TEST_PASS_BENCH_H
#define WEIR_TEST_PASS_BENCH_H

#include <jansson.h>

#include "common/messages.h"
#include "common/pass_stubs.h"
#include "ir/graph/graph.h"
#include "pass/core/context.h"
#include "pass/core/registry.h"
#include "passes/passes.h"
#include "support/text/diag.h"

typedef struct pass_bench {
    weir_pass_registry *registry;
    weir_pass_context *context;
    weir_module *module;
} pass_bench;

/* A module "m" of the graph, which it takes over. */
static inline weir_module *module_of_graph(weir_graph *graph) {
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, graph);
    return module;
}

/* With the test's own passes. */
static inline pass_bench pass_bench_of(const weir_pass_info *passes, size_t count, weir_module *module) {
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add_all(registry, passes, count));
    return (pass_bench){registry, weir_pass_context_new(registry), module};
}

/* With Weir's. */
static inline pass_bench pass_bench_of_weir(weir_module *module) {
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    return (pass_bench){registry, weir_pass_context_new(registry), module};
}

/* Runs a pipeline, which must be one. */
static inline bool pass_bench_run(const pass_bench *b, const char *pipeline) {
    weir_pass *pass = weir_pass_parse(b->registry, pipeline, weir_at("pipeline", 1));
    if (pass == NULL) fail_msg("'%s': %s", pipeline, weir_diag_last_error());
    const bool fine = weir_pass_run(b->context, pass, b->module);
    weir_pass_free(pass);
    return fine;
}

static inline void pass_bench_stop(pass_bench *b) {
    weir_pass_context_free(b->context);
    weir_pass_registry_free(b->registry);
}

/* A fixture's: with the test's own passes, and what is said kept in `said`. */
static inline pass_bench pass_bench_open(const weir_pass_info *passes, size_t count, weir_graph *graph,
                                         weir_text *said) {
    weir_text_free(&passes_that_ran);
    weir_text_add(&passes_that_ran, "");
    weir_text_free(said);
    weir_text_add(said, "");
    weir_diag_set_handler(keep_message, said);
    return pass_bench_of(passes, count, module_of_graph(graph));
}

static inline void pass_bench_close(pass_bench *b, weir_text *said) {
    weir_diag_set_handler(NULL, NULL);
    weir_module_free(b->module);
    pass_bench_stop(b);
    weir_text_free(&passes_that_ran);
    weir_text_free(said);
}

/* One pipeline of Weir's passes; the records that it left are the caller's, NULL: nobody's. */
static inline bool run_recorded(weir_module *module, const char *pipeline, json_t **records) {
    pass_bench b = pass_bench_of_weir(module);
    const bool fine = pass_bench_run(&b, pipeline);
    if (records != NULL) *records = json_deep_copy(weir_pass_records(b.context));
    pass_bench_stop(&b);
    return fine;
}

static inline bool run_pipeline(weir_module *module, const char *pipeline) {
    return run_recorded(module, pipeline, NULL);
}

/* What a test's pass does that is another one. */
static inline bool run_pass_here(weir_pass_context *context, const char *name) {
    weir_pass *pass = weir_pass_new(weir_pass_context_registry(context), name);
    const bool fine = weir_pass_run_here(context, pass);
    weir_pass_free(pass);
    return fine;
}

#endif
