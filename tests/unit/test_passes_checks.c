/* Checks of hardware designs where no text form leads: what the verifier would have stopped, instances whose module
 * changed. */
#include "test_rtlir_support.h"

#include "pass/context.h"
#include "pass/registry.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text.h"

/* Runs the pipeline on the design, which stays the caller's until the module is freed. */
static bool run(weir_module *module, const char *pipeline) {
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass *pass = weir_pass_parse(registry, pipeline, weir_at("pipeline", 1));
    assert_non_null(pass);
    bool fine = weir_pass_run(context, pass, module);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
    return fine;
}

static weir_module *parse(const char *text) {
    weir_rtl_design *design = weir_rtl_parse_text(text, strlen(text), "design");
    assert_non_null(design);
    weir_module *module = weir_module_new("m");
    weir_module_set_rtl(module, design, "top");
    return module;
}

static void decided_otherwise_is_an_error(void **state) {
    (void)state;
    weir_module *module = parse("wrtl 1\n"
                                "module top {\n"
                                "  input clk : $clock\n"
                                "  input x : 2\n"
                                "  output y : 2\n"
                                "  body {\n"
                                "    set y[0] = x[0]\n"
                                "    always posedge clk {\n"
                                "      set y[1] = x[1]\n"
                                "    }\n"
                                "  }\n"
                                "}\n");
    assert_false(run(module, "fix_assignment_type"));
    ASSERT_MESSAGES("design:7: error: assignment to 'y[0]' in module 'top' is blocking, expected continuous where it "
                    "stands\n"
                    "design:9: error: assignment to 'y[1]' in module 'top' is blocking, expected nonblocking where it "
                    "stands\n"
                    "note: pass 'fix_assignment_type' failed on the design of module 'm'\n");
    weir_module_free(module);
}

static void ports_keep_their_widths(void **state) {
    (void)state;
    weir_module *module = parse("wrtl 1\n"
                                "module narrow {\n"
                                "  output y : 2\n"
                                "  body {\n"
                                "    assign y = 2'h1\n"
                                "  }\n"
                                "}\n"
                                "module wide {\n"
                                "  output y : 4\n"
                                "  body {\n"
                                "    assign y = 4'h1\n"
                                "  }\n"
                                "}\n"
                                "module top {\n"
                                "  output z : 2\n"
                                "  instances {\n"
                                "    u : narrow wired\n"
                                "  }\n"
                                "  body {\n"
                                "    instance u {\n"
                                "    }\n"
                                "    assign z = u.y\n"
                                "  }\n"
                                "}\n");
    weir_rtl_design *d = weir_module_design(module);
    assert_true(run(module, "verify_assignments"));
    weir_rtl_instance u = weir_rtl_find_instance(d, weir_rtl_find_module(d, "top"), "u");
    assert_true(weir_rtl_set_instance_module(d, u, weir_rtl_find_module(d, "wide")));
    assert_false(run(module, "verify_assignments"));
    ASSERT_MESSAGES("design:22: error: 'u.y' in module 'top' is taken for 2 bits, but the port has 4\n"
                    "note: pass 'verify_assignments' failed on the design of module 'm'\n");
    weir_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {DESIGN_TEST(decided_otherwise_is_an_error),
                                       DESIGN_TEST(ports_keep_their_widths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
