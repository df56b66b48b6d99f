/* Checks of hardware designs where no text form leads: what the verifier would have stopped, instances whose module
 * changed. */
#include "test_rtlir_support.h"

#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "test_pass_bench.h"

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
    assert_false(run_pipeline(module, "fix_assignment_type"));
    ASSERT_MESSAGES("design:7: error: assignment to 'y[0]' in module 'top' is blocking, expected continuous here\n"
                    "design:9: error: assignment to 'y[1]' in module 'top' is blocking, expected nonblocking here\n"
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
    assert_true(run_pipeline(module, "verify_assignments"));
    weir_rtl_instance u = weir_rtl_find_instance(d, weir_rtl_find_module(d, "top"), "u");
    assert_true(weir_rtl_set_instance_module(d, u, weir_rtl_find_module(d, "wide")));
    assert_false(run_pipeline(module, "verify_assignments"));
    ASSERT_MESSAGES("design:22: error: 'u.y' in module 'top' is used with 2 bits, but the port has 4\n"
                    "note: pass 'verify_assignments' failed on the design of module 'm'\n");
    weir_module_free(module);
}

/* y = ~x at the bottom, and a module around it for each of so many levels. */
static weir_rtl_module build_chain(weir_rtl_design *d, int depth) {
    weir_rtl_module below = {0};
    for (int i = 0; i < depth; i++) {
        weir_rtl_module m = weir_rtl_add_generator(d, i == depth - 1 ? "top" : "link");
        weir_rtl_expr x = weir_rtl_read(d, weir_rtl_add_input(d, m, "x", 4));
        weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_output(d, m, "y", 4));
        if (i == 0) {
            weir_rtl_assign(d, m, y, weir_rtl_unary(d, WEIR_RTL_NOT, x));
        } else {
            weir_rtl_instance u = weir_rtl_add_instance(d, m, below, "u");
            weir_rtl_connect(d, u, "x", x);
            weir_rtl_connect(d, u, "y", y);
        }
        below = m;
    }
    return below;
}

static void depth_is_no_matter(void **state) {
    (void)state;
    weir_rtl_design *d = weir_rtl_design_new();
    weir_module *module = weir_module_new("m");
    weir_rtl_module top = build_chain(d, 10000);
    weir_module_set_rtl(module, d, "top");
    assert_true(run_pipeline(module, "check"));
    /* Bit 1 of the input from bit 0 of the result is no loop; bit 0 from itself, all the way down and up, is one. */
    weir_rtl_instance u = weir_rtl_find_instance(d, top, "u");
    weir_rtl_var x = weir_rtl_find_var(d, top, "x"), y = weir_rtl_find_var(d, top, "y");
    weir_rtl_expr bit = weir_rtl_bit(d, weir_rtl_read(d, y), 0), in = weir_rtl_read(d, x);
    weir_rtl_disconnect(d, u, weir_rtl_find_var(d, weir_rtl_get_instance(d, u).module, "x"));
    weir_rtl_connect(
        d, u, "x", weir_rtl_concat(d, 3, (weir_rtl_expr[]){weir_rtl_slice(d, in, 3, 2), bit, weir_rtl_bit(d, in, 0)}));
    assert_true(run_pipeline(module, "check"));
    weir_rtl_disconnect(d, u, weir_rtl_find_var(d, weir_rtl_get_instance(d, u).module, "x"));
    weir_rtl_connect(d, u, "x", weir_rtl_concat2(d, weir_rtl_slice(d, in, 3, 1), bit));
    assert_false(run_pipeline(module, "check"));
    ASSERT_MESSAGES("error: 'y[0]' in module 'top' depends on itself: a combinational loop\n"
                    "note: pass 'check_combinational_loop' failed on the design of module 'm'\n");
    weir_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {DESIGN_TEST(decided_otherwise_is_an_error), DESIGN_TEST(ports_keep_their_widths),
                                       DESIGN_TEST(depth_is_no_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
