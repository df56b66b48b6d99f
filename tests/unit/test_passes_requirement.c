/* What passes of modules require is declared in pass.def and checked before they run: a module that lacks it is refused
 * in the same words whichever pass asks, and no pass meets a module that it cannot work on. */
#include "pass/core/context.h"
#include "pass/core/registry.h"
#include "passes/requirement.h"
#include "test_passes_support.h"

static bool run(weir_pass_registry *registry, const char *name, weir_module *module) {
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass *pass = weir_pass_new(registry, name);
    assert_non_null(pass);
    const bool fine = weir_pass_run(context, pass, module);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    return fine;
}

/* Every one of them names the first thing that it requires; what requires nothing takes the empty module or says why
 * not. */
static void an_empty_module_is_refused(void **state) {
    (void)state;
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    size_t requiring = 0;
    for (size_t i = 0; i < weir_pass_registry_count(registry); i++) {
        const weir_pass_info *info = weir_pass_registry_at(registry, i);
        if (info->kind != WEIR_PASS_MODULE) continue;
        test_setup(NULL);
        weir_module *module = weir_module_new("m");
        const bool fine = run(registry, info->name, module);
        const bool requires = info->requires != NULL && *info->requires != '\0';
        if (!fine) assert_non_null(strstr(test_messages.data, "error: "));
        if (requires) {
            char *expected = weir_format("error: pass '%s' requires the form '%.*s': the module has ", info->name,
                                         (int)strcspn(info->requires, ", "), info->requires);
            assert_false(fine);
            if (strncmp(test_messages.data, expected, strlen(expected)) != 0)
                fail_msg("expected '%s', found '%s'", expected, test_messages.data);
            free(expected);
        }
        requiring += requires;
        weir_module_free(module);
    }
    assert_true(requiring >= 19);
    weir_pass_registry_free(registry);
}

/* The remedy: the pass that makes what is missing. A model alone is no graph of hardware. */
static void the_remedy_is_named(void **state) {
    (void)state;
    static const struct {
        const char *pass, *form, *remedy;
    } cases[] = {{"realize_requantize", "integer_graph", "lower_integer"},
                 {"choose_folding", "hardware_graph", "realize_requantize"},
                 {"emit_bram", "hardware_graph", "realize_requantize"},
                 {"verify_lowering", "integer_graph", "lower_integer"},
                 {"emit_internal_rtl", "top_module", "emit_verilog_top"}};
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        weir_module *module = weir_module_new("m");
        weir_module_add_graph(module, weir_graph_new("model"));
        assert_false(run(registry, cases[i].pass, module));
        char *refusal = weir_format("pass '%s' requires the form '%s': ", cases[i].pass, cases[i].form);
        char *note = weir_format("note: run '%s' first\n", cases[i].remedy);
        if (strstr(test_messages.data, refusal) == NULL || strstr(test_messages.data, note) == NULL)
            fail_msg("expected '%s' and '%s', found '%s'", refusal, note, test_messages.data);
        free(refusal);
        free(note);
        weir_module_free(module);
    }
    weir_pass_registry_free(registry);
}

/* A graph of hardware operators without components: nothing can be connected, scheduled or emitted. */
static void an_unfolded_graph_is_refused(void **state) {
    (void)state;
    static const char *const passes[] = {"insert_streams", "size_fifos", "emit_verilog_top", "emit_bram"};
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        test_setup(NULL);
        weir_module *module = weir_module_new("m");
        weir_graph *graph = weir_graph_new("hardware");
        const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {1, {2}}, .quant = {.axis = -1}};
        const weir_value x = weir_graph_add_input(graph, "x", &type);
        const weir_node node = weir_graph_add_node(graph, WEIR_OP_RELU, "r", &x, 1, 1, WEIR_NO_NODE);
        assert_true(weir_infer_node(graph, node));
        weir_graph_add_output(graph, "y", weir_node_output(graph, node, 0));
        weir_module_add_graph(module, graph);
        assert_false(run(registry, passes[i], module));
        if (strstr(test_messages.data, "requires the form 'folded_graph'") == NULL ||
            strstr(test_messages.data, "note: run 'choose_folding' first\n") == NULL)
            fail_msg("found '%s'", test_messages.data);
        weir_module_free(module);
    }
    weir_pass_registry_free(registry);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(an_empty_module_is_refused), TEST(the_remedy_is_named),
                                       TEST(an_unfolded_graph_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
