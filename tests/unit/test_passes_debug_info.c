/* Symbol tables: each entry's line of Verilog is looked up in the file itself, its source line in the design's text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <cmocka.h>

#include "common/folder.h"
#include "passes/rtl/rtl.h"
#include "rtlir/text/text.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "test_pass_bench.h"

static const char source[] = "wrtl 1\n"
                             "origin \"net.onnx\" 3 \"emit_top\" \"tune\"\n"
                             "module leaf {\n"
                             "  input x : 4\n"
                             "  output y : 4\n"
                             "  body {\n"
                             "    assign y = (x + 4'h1) @1\n"
                             "  }\n"
                             "}\n"
                             "module top {\n"
                             "  input clk : $clock\n"
                             "  input s : 2\n"
                             "  input p : 4\n"
                             "  output q : 4\n"
                             "  variable r : 4\n"
                             "  variable t : 4\n"
                             "  instances {\n"
                             "    u : leaf\n"
                             "  }\n"
                             "  body {\n"
                             "    instance u {\n"
                             "      connect x = p\n"
                             "      connect y = t\n"
                             "    }\n"
                             "    always posedge clk {\n"
                             "      if s[0] {\n"
                             "        next r = t @1\n"
                             "      } else {\n"
                             "        case s {\n"
                             "          item 2'h0 {\n"
                             "            next r = 4'h0\n"
                             "          }\n"
                             "          item 2'h2 {\n"
                             "            next r = 4'h2\n"
                             "          }\n"
                             "          default {\n"
                             "            next r = 4'h1\n"
                             "          }\n"
                             "        }\n"
                             "      }\n"
                             "    }\n"
                             "    comment \"and out\"\n"
                             "    assign q = r\n"
                             "  }\n"
                             "}\n";

static char *folder;

static void run_on(const char *text, const char *pipeline) {
    weir_module *module = weir_module_new("m");
    weir_rtl_design *design = weir_rtl_parse_text(text, strlen(text), "design.wrtl");
    assert_non_null(design);
    weir_module_set_rtl(module, design, "top");
    weir_module_set_folder(module, folder);
    assert_true(run_pipeline(module, pipeline));
    weir_module_free(module);
}

static void run(const char *pipeline) { run_on(source, pipeline); }

static char *read_file(const char *name) {
    size_t size;
    char *path = weir_path_join(folder, name), *text = weir_file_read(path, &size);
    assert_non_null(text);
    free(path);
    return text;
}

static json_t *read_table(const char *name, const char *top) {
    char *text = read_file(name);
    json_t *whole = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(whole);
    assert_string_equal(json_string_value(json_object_get(whole, "top")), top);
    return whole;
}

/* Line `number` of a text, from 1; heap memory. */
static char *line_of(const char *text, json_int_t number) {
    for (json_int_t i = 1; i < number; i++) text = strchr(text, '\n') + 1;
    return weir_format("%.*s", (int)strcspn(text, "\n"), text);
}

typedef struct tally {
    const char *verilog;
    size_t assigns, blocks, conditions, instances;
} tally;

/* Every entry has what the schema asks of its type, and its line of Verilog is what it says. */
static void check_scope(const json_t *scope, tally *t) {
    size_t index;
    json_t *e;
    assert_true(json_is_array(scope));
    json_array_foreach(scope, index, e) {
        const char *type = json_string_value(json_object_get(e, "type"));
        const json_t *line = json_object_get(e, "rtl_line");
        char *text = line == NULL ? NULL : line_of(t->verilog, json_integer_value(line));
        assert_non_null(type);
        if (strcmp(type, "assign") == 0) {
            const char *name = json_string_value(json_object_get(json_object_get(e, "variable"), "value"));
            assert_true(json_is_integer(json_object_get(e, "line")));
            assert_non_null(strstr(text, name));
            assert_non_null(strchr(text, '='));
            t->assigns++;
        } else if (strcmp(type, "block") == 0) {
            t->blocks++;
            t->conditions += json_object_get(e, "condition") != NULL;
            check_scope(json_object_get(e, "scope"), t);
        } else {
            assert_string_equal(type, "none");
            assert_non_null(strstr(text, json_string_value(json_object_get(e, "name"))));
            t->instances++;
        }
        free(text);
    }
}

static void check_module(const json_t *module, const char *verilog_name, tally *t) {
    char *verilog = read_file(verilog_name);
    t->verilog = verilog;
    assert_string_equal(json_string_value(json_object_get(module, "type")), "module");
    assert_true(json_is_string(json_object_get(module, "name")));
    assert_true(json_array_size(json_object_get(module, "variables")) > 0);
    check_scope(json_object_get(module, "scope"), t);
    free(verilog);
}

static void lines_are_those_of_the_files(void **state) {
    (void)state;
    const char *dialects[] = {"verilog", "systemverilog"}, *ends[] = {"v", "sv"};
    for (size_t i = 0; i < 2; i++) {
        tally t = {0};
        char *pipeline =
            weir_format("generate_verilog{dialect=%s},extract_debug_info{dialect=%s}", dialects[i], dialects[i]);
        char *table_name = weir_format("top.%s.json", ends[i]), *name = weir_format("top.%s", ends[i]);
        run(pipeline);
        json_t *whole = read_table(table_name, "top");
        const json_t *table = json_object_get(whole, "table");
        assert_int_equal(json_array_size(table), 1);
        check_module(json_array_get(table, 0), name, &t);
        assert_int_equal(t.assigns, 5);
        assert_int_equal(t.instances, 1);
        assert_int_equal(t.conditions, 5); /* then, else, two items, the default */
        json_decref(whole);
        free(pipeline);
        free(table_name);
        free(name);
    }
}

/* The first assignment of the if: made at net.onnx:3 and touched by two passes; the rest stands in the text itself. */
static void entries_tell_source_and_passes(void **state) {
    (void)state;
    run("extract_debug_info{file=all.json}");
    json_t *whole = read_table("all.json", "top");
    const json_t *table = json_object_get(whole, "table");
    assert_int_equal(json_array_size(table), 2); /* children first */
    const json_t *leaf = json_array_get(json_object_get(json_array_get(table, 0), "scope"), 0);
    assert_string_equal(json_string_value(json_object_get(leaf, "filename")), "net.onnx");
    const json_t *top = json_array_get(table, 1);
    const json_t *file = json_array_get(json_object_get(top, "scope"), 0);
    assert_string_equal(json_string_value(json_object_get(file, "filename")), "design.wrtl");
    const json_t *always = json_array_get(json_object_get(file, "scope"), 1);
    assert_int_equal(json_integer_value(json_object_get(always, "line")), 25);
    const json_t *then = json_array_get(json_object_get(always, "scope"), 0);
    assert_string_equal(json_string_value(json_object_get(then, "condition")), "(s & 1)");
    const json_t *assign = json_array_get(json_object_get(then, "scope"), 0);
    assert_int_equal(json_integer_value(json_object_get(assign, "line")), 3);
    assert_string_equal(json_string_value(json_object_get(assign, "filename")), "net.onnx");
    const json_t *passes = json_object_get(assign, "passes");
    assert_string_equal(json_string_value(json_array_get(passes, 0)), "emit_top");
    assert_string_equal(json_string_value(json_array_get(passes, 1)), "tune");
    const json_t *otherwise = json_array_get(json_object_get(always, "scope"), 1);
    assert_string_equal(json_string_value(json_object_get(otherwise, "condition")), "!((s & 1))");
    const json_t *last = json_array_get(json_object_get(otherwise, "scope"), 2);
    assert_string_equal(json_string_value(json_object_get(last, "condition")), "(s != 0) && (s != 2)");
    assert_string_equal(json_string_value(json_object_get(last, "rtl_condition")), "s != 2'h0 && s != 2'h2");
    const json_t *instance = json_array_get(json_object_get(top, "instances"), 0);
    assert_string_equal(json_string_value(json_object_get(instance, "module")), "leaf");
    json_decref(whole);
}

static const char branches[] = "wrtl 1\n"
                               "module top {\n"
                               "  input in : 4\n"
                               "  output a : 4\n"
                               "  output b : 4\n"
                               "  body {\n"
                               "    combinational {\n"
                               "      set a = in\n"
                               "      if in == 4 {\n"
                               "        set a = a + 1\n"
                               "      } else {\n"
                               "        set a = a - 2\n"
                               "      }\n"
                               "      set b = a\n"
                               "    }\n"
                               "  }\n"
                               "}\n";

/* "line condition: declarations -> assignment" of a block of one assignment. */
static char *summary_of(const json_t *block) {
    const json_t *scope = json_object_get(block, "scope"), *e;
    const char *condition = json_string_value(json_object_get(block, "condition"));
    weir_text text = {NULL, 0, 0};
    size_t i;
    weir_text_format(&text, "%d %s:", (int)json_integer_value(json_object_get(block, "line")),
                     condition != NULL ? condition : "always");
    json_array_foreach(scope, i, e) {
        const json_t *variable = json_object_get(e, "variable");
        const bool is_last = i + 1 == json_array_size(scope);
        assert_string_equal(json_string_value(json_object_get(e, "type")), is_last ? "assign" : "decl");
        assert_true(json_is_true(json_object_get(variable, "rtl")));
        weir_text_format(&text, "%s %s=%s", is_last ? " ->" : "", json_string_value(json_object_get(variable, "name")),
                         json_string_value(json_object_get(variable, "value")));
    }
    return text.data;
}

/* At each statement, a name of the source is the version that holds there; what only chooses is no entry. */
static void names_are_versions_that_hold(void **state) {
    (void)state;
    static const char *const expected[] = {"8 always: -> a=a_0", "10 taken_0: a=a_0 -> a=a_1",
                                           "12 !taken_0: a=a_0 -> a=a_2", "14 always: a=a_3 -> b=b_0"};
    run_on(branches, "ssa_transform,propagate_scope_variable,extract_debug_info{file=versions.json}");
    json_t *whole = read_table("versions.json", "top");
    const json_t *top = json_array_get(json_object_get(whole, "table"), 0);
    assert_int_equal(json_array_size(json_object_get(top, "variables")), 3);
    const json_t *file = json_array_get(json_object_get(top, "scope"), 0);
    const json_t *process = json_object_get(json_array_get(json_object_get(file, "scope"), 0), "scope");
    assert_int_equal(json_array_size(process), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char *summary = summary_of(json_array_get(process, i));
        assert_string_equal(summary, expected[i]);
        free(summary);
    }
    json_decref(whole);
}

static int make_folder(void **state) {
    (void)state;
    folder = make_test_folder();
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    return remove_test_folder(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_those_of_the_files),
                                       cmocka_unit_test(entries_tell_source_and_passes),
                                       cmocka_unit_test(names_are_versions_that_hold)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
