/* What tests of the pass manager run passes in: a registry, a context and a module; what is said is kept as text. After <cmocka.h>. */
#ifndef WEIR_TEST_PASS_BENCH_H
#define WEIR_TEST_PASS_BENCH_H

#include "common/messages.h"
#include "ir/graph/graph.h"
#include "pass/core/context.h"
#include "pass/core/registry.h"

typedef struct pass_bench {
    weir_pass_registry *registry;
    weir_pass_context *context;
    weir_module *module;
} pass_bench;

/* A module of one graph, which it takes over; `messages` gets what is said from now on. */
static inline void pass_bench_start(pass_bench *b, const weir_pass_info *passes, size_t count, weir_graph *graph,
                                    weir_text *messages) {
    weir_diag_set_handler(keep_message, messages);
    b->registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add_all(b->registry, passes, count));
    b->context = weir_pass_context_new(b->registry);
    b->module = weir_module_new("m");
    weir_module_add_graph(b->module, graph);
}

static inline void pass_bench_stop(pass_bench *b) {
    weir_module_free(b->module);
    weir_pass_context_free(b->context);
    weir_pass_registry_free(b->registry);
    weir_diag_set_handler(NULL, NULL);
}

#endif
