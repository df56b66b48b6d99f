/* Passes over the hierarchy of hardware designs where a case of tests/rtl does not reach: files of what was emitted,
 * hierarchies that are deep, external modules by the text of their file, the top among namesakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rtl_chain.h"
#include "pass/core/context.h"
#include "passes/rtl/hierarchy/module_hash.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"
#include "test_pass_bench.h"

/* Runs the pipeline on the design, which the module that is given back owns; NULL when it failed. */
static weir_module *run(weir_rtl_design *design, const char *top, const char *pipeline) {
    weir_module *module = weir_module_new("test");
    weir_module_set_rtl(module, design, top);
    if (run_pipeline(module, pipeline)) return module;
    weir_module_free(module);
    return NULL;
}

static weir_rtl_design *parse(const char *text) {
    weir_rtl_design *design = weir_rtl_parse_text(text, strlen(text), "text");
    assert_non_null(design);
    return design;
}

/* ---- what was emitted before ---- */

#define SUB(port) "module sub {\n  output " port " : 1\n  body {\n    assign " port " = 1'h1\n  }\n}\n"
#define TOP(port)                                                                                                      \
    "module top {\n  output y : 1\n  instances {\n    u : sub\n  }\n  body {\n    instance u {\n      connect " port   \
    " = y\n    }\n  }\n}\n"

/* The Verilog of a design after the pipeline with a file of what was emitted. */
static weir_text emit(const char *text) {
    weir_text verilog = {NULL, 0, 0};
    weir_module *module = run(parse(text), "top", "uniquify_generators{tracked=\"tracked.json\"},elaborate");
    assert_non_null(module);
    const weir_rtl_print_options options = {.dialect = WEIR_RTL_VERILOG};
    weir_rtl_design *design = weir_module_design(module);
    weir_print_hardware(design, weir_rtl_find_top(design, weir_module_string(module, "hardware.top", "")), &options,
                        &verilog);
    weir_text_add(&verilog, "");
    weir_module_free(module);
    return verilog;
}

static void check_emitted(const char *text, const char *const *names, size_t count) {
    weir_text verilog = emit(text);
    const char *at = verilog.data;
    for (size_t i = 0; i < count; i++) {
        at = strstr(at, "\nmodule ");
        assert_non_null(at);
        at += strlen("\nmodule ");
        assert_memory_equal(at, names[i], strlen(names[i]));
        assert_int_equal(at[strlen(names[i])], ' ');
    }
    assert_null(strstr(at, "\nmodule "));
    weir_text_free(&verilog);
}

static void what_was_emitted_is_not_emitted_again(void **state) {
    static const char *const first[] = {"sub", "top"}, *const changed[] = {"sub_unq0", "top_unq0"};
    (void)state;
    remove("tracked.json");
    check_emitted("wrtl 1\n" SUB("y") TOP("y"), first, 2);
    check_emitted("wrtl 1\n" SUB("y") TOP("y"), NULL, 0);
    check_emitted("wrtl 1\n" SUB("z") TOP("z"), changed, 2);
    check_emitted("wrtl 1\n" SUB("z") TOP("z"), NULL, 0);
    check_emitted("wrtl 1\n" SUB("y") TOP("y"), NULL, 0);
    /* A new design around a module that was emitted: only what is new. */
    static const char *const around[] = {"top_unq1"};
    check_emitted("wrtl 1\n" SUB("y") "comment \"same\"\n" TOP("y"), NULL, 0);
    check_emitted("wrtl 1\n" SUB("y") "attribute keep\n" TOP("y"), around, 1);
}

static void bad_file_is_an_error(void **state) {
    (void)state;
    assert_true(weir_file_write("bad.json", "[]\n", 3));
    assert_null(run(parse("wrtl 1\n" SUB("y") TOP("y")), "top", "uniquify_generators{tracked=\"bad.json\"}"));
    assert_true(weir_file_write("bad.json", "{\"sub\": \n", 9));
    assert_null(run(parse("wrtl 1\n" SUB("y") TOP("y")), "top", "uniquify_generators{tracked=\"bad.json\"}"));
    assert_true(weir_file_write("bad.json", "{\"a b\": \"0\"}\n", 13));
    assert_null(run(parse("wrtl 1\n" SUB("y") TOP("y")), "top", "uniquify_generators{tracked=\"bad.json\"}"));
}

/* ---- depth ---- */

enum { DEPTH = 10000, WIDTH = 8 };

static void depth_is_no_matter(void **state) {
    (void)state;
    weir_module *module = run(make_chain(DEPTH, WIDTH), "top",
                              "remove_pass_through_modules,inline_instance,merge_const_port_assignment,elaborate,"
                              "port_legality_fix,lift_genvar_instances");
    assert_non_null(module);
    weir_rtl_design *design = weir_module_design(module);
    assert_int_equal(weir_rtl_module_count(design), DEPTH + 1);
    assert_true(weir_rtl_verify(design, weir_rtl_find_module(design, "top")));
    /* The innermost one was made first; all others differ from it and from each other. */
    assert_int_equal(weir_rtl_get_module(design, weir_rtl_find_module(design, "link")).instance_count, 0);
    assert_int_not_equal(weir_rtl_find_module(design, "link_unq9998").id, 0);
    weir_module_free(module);
}

/* The same chain with all links marked: the top has all additions. */
static void inlining_goes_all_the_way(void **state) {
    (void)state;
    weir_rtl_design *chain = make_chain(DEPTH, WIDTH);
    for (weir_rtl_module m = weir_rtl_first_module(chain); m.id != 0; m = weir_rtl_next_module(chain, m)) {
        weir_rtl_set_attribute(chain, WEIR_RTL_ITEM(m), m.id % 10 == 0 ? "keep_hierarchy" : "inline");
        weir_rtl_set_attribute(chain, WEIR_RTL_ITEM(m), "inline");
    }
    weir_module *module = run(chain, "top", "inline_instance,elaborate");
    assert_non_null(module);
    weir_rtl_design *design = weir_module_design(module);
    assert_int_equal(weir_rtl_module_count(design), DEPTH / 10 + 1);
    assert_true(weir_rtl_verify(design, weir_rtl_find_module(design, "top")));
    weir_module_free(module);
}

/* ---- external modules ---- */

/* Reads the hash of the top in hexadecimal. */
static bool print_top(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass, (void)design;
    const weir_module_hashes *hashes = weir_pass_get_analysis(context, WEIR_MODULE_HASHES);
    weir_hash hash = weir_module_hash(hashes, weir_hardware_top(context));
    weir_hash_print(&hash, weir_pass_context_user(context));
    return true;
}

static void hash_top(const char *text, char hash[33]) {
    static const weir_pass_info info = {
        .name = "print_top", .kind = WEIR_PASS_HARDWARE, .run = {.hardware = print_top}};
    weir_module *module = weir_module_new("test");
    weir_module_set_rtl(module, parse(text), "top");
    pass_bench b = pass_bench_of_weir(module);
    assert_true(weir_pass_registry_add(b.registry, &info));
    weir_pass_context_set_user(b.context, hash);
    assert_true(pass_bench_run(&b, "print_top"));
    weir_module_free(module);
    pass_bench_stop(&b);
}

#define EXTERNAL "wrtl 1\nmodule sub external \"hash_sub.v\" {\n  output y : 1\n}\n" TOP("y")

static void text_of_an_external_module_counts(void **state) {
    char first[33], same[33], changed[33];
    (void)state;
    assert_true(weir_file_write("hash_sub.v", "assign y = 0;", 13));
    hash_top(EXTERNAL, first);
    hash_top(EXTERNAL, same);
    assert_true(weir_file_write("hash_sub.v", "assign y = 1;", 13));
    hash_top(EXTERNAL, changed);
    assert_string_equal(first, same);
    assert_string_not_equal(first, changed);
}

/* ---- the top ---- */

static void top_is_found_among_namesakes(void **state) {
    (void)state;
    weir_rtl_design *design = parse("wrtl 1\nmodule top {\n  body {\n  }\n}\nmodule top {\n  instances {\n    u : top\n"
                                    "  }\n  body {\n    instance u {\n    }\n  }\n}\n");
    const weir_rtl_module inner = weir_rtl_find_module(design, "top");
    const weir_rtl_module top = weir_rtl_find_top(design, "top");
    assert_int_equal(top.id, weir_rtl_next_namesake(design, inner).id);
    weir_module *module = run(design, "top", "uniquify_generators");
    assert_non_null(module);
    assert_string_equal(weir_rtl_get_module(design, top).name, "top");
    assert_string_equal(weir_rtl_get_module(design, inner).name, "top_unq0");
    weir_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_emitted_is_not_emitted_again),
        cmocka_unit_test(bad_file_is_an_error),
        cmocka_unit_test(depth_is_no_matter),
        cmocka_unit_test(inlining_goes_all_the_way),
        cmocka_unit_test(text_of_an_external_module_counts),
        cmocka_unit_test(top_is_found_among_namesakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
