/* Every construct in both dialects: the three tools accept Verilog-2005 without a warning, and SystemVerilog as far as
 * they know it. Needs the tools; what is missing is skipped. */
#include "test_passes_hardware.h"

#include <unistd.h>

#include "rtlir/edit/mutate.h"
#include "support/process/process.h"

/* Without state machines, which Verilog does not have. */
static weir_module *load(void) { return load_hardware("constructs.wrtl", "machines", "realize_fsm", NULL); }

/* Runs a tool; anything but silence and success is reported with the text that it was about. */
static void run_tool(const char *const *arguments, const char *folder, const char *file) {
    if (!weir_process_found(arguments[0])) return;
    weir_text output = {0};
    int status = -1;
    weir_process process = {.arguments = arguments, .folder = folder, .seconds = 120};
    weir_process_end end = weir_process_run(&process, &output, &status);
    bool warns = output.data && (strstr(output.data, "arning") || strstr(output.data, "rror"));
    if (end != WEIR_PROCESS_EXITED || status != 0 || warns) {
        char *path = weir_path_join(folder, file);
        size_t size = 0;
        char *text = weir_file_read(path, &size);
        print_message("%s\n", text ? text : "");
        fail_msg("%s on %s: status %d\n%s", arguments[0], file, status, output.data ? output.data : "");
    }
    weir_text_free(&output);
}

/* The modules that a module has instances of. */
static const struct {
    const char *name, *children;
} parents[] = {{"generated", "child.v"}, {"linked", "giver.v taker.v"}};

static void check_verilog(const char *folder, const char *name) {
    const char *children = "";
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
        if (strcmp(parents[i].name, name) == 0) children = parents[i].children;
    char *file = weir_format("%s.v", name);
    char *script =
        weir_format("read_verilog %s %s; hierarchy -check -top %s; proc; check -assert", children, file, name);
    const char *a[] = {"iverilog", "-g2005", "-Wall", "-Wno-timescale", "-s", name, "-t", "null", "-y.", file, NULL};
    const char *b[] = {
        "verilator", "--lint-only", "-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-UNUSEDPARAM", "--top-module", name, "-y",
        ".",         file,          NULL};
    const char *c[] = {"yosys", "-q", "-p", script, NULL};
    run_tool(a, folder, file);
    run_tool(b, folder, file);
    run_tool(c, folder, file);
    free(script);
    free(file);
}

static void check_systemverilog(const char *folder, const char *name) {
    char *file = weir_format("%s.sv", name);
    const char *b[] = {"verilator",
                       "--lint-only",
                       "-Wall",
                       "-Wno-UNUSEDSIGNAL",
                       "-Wno-UNUSEDPARAM",
                       "-Wno-DECLFILENAME",
                       "--top-module",
                       name,
                       "-y",
                       ".",
                       file,
                       NULL};
    run_tool(b, folder, file);
    free(file);
}

typedef void checker(const char *folder, const char *name);

static void check_modules(weir_rtl_design *d, const weir_rtl_module *modules, size_t count, weir_rtl_dialect dialect,
                          checker *check) {
    char *folder = weir_format("test_rtlir_dialect_%ld", (long)getpid());
    const weir_rtl_print_options options = {.dialect = dialect};
    for (size_t i = 0; i < count; i++) {
        if (!weir_rtl_verify(d, modules[i])) fail_msg("%s", messages.data);
        assert_true(weir_rtl_write_module(d, modules[i], &options, folder));
    }
    for (size_t i = 0; i < count; i++) check(folder, weir_rtl_get_module(d, modules[i]).name);
    weir_remove_tree(folder);
    free(folder);
}

/* All constructs, and groups of ports as structs. */
static void write_and_check(weir_rtl_dialect dialect, checker *check) {
    weir_module *module = load();
    weir_rtl_design *d = weir_module_design(module);
    size_t count = 0;
    weir_rtl_module *modules = calloc(weir_rtl_module_count(d), sizeof *modules);
    assert_non_null(modules);
    for (weir_rtl_module m = weir_rtl_first_module(d); m.id; m = weir_rtl_next_module(d, m)) modules[count++] = m;
    check_modules(d, modules, count, dialect, check);
    free(modules);
    weir_module_free(module);
    module = load_hardware("constructs.wrtl", "linked", "change_port_bundle_struct", NULL);
    d = weir_module_design(module);
    modules = weir_rtl_modules_below(d, weir_rtl_find_module(d, "linked"), WEIR_RTL_CHILDREN_FIRST, &count);
    check_modules(d, modules, count, dialect, check);
    free(modules);
    weir_module_free(module);
}

static void three_tools_accept_verilog(void **state) {
    (void)state;
    write_and_check(WEIR_RTL_VERILOG, check_verilog);
}

static void verilator_accepts_systemverilog(void **state) {
    (void)state;
    write_and_check(WEIR_RTL_SYSTEMVERILOG, check_systemverilog);
}

/* The margin holds for every line that can be wrapped. */
static void lines_wrap_at_the_margin(void **state) {
    (void)state;
    weir_module *module = load();
    weir_rtl_design *d = weir_module_design(module);
    weir_text text = {0};
    const weir_rtl_print_options options = {.columns = 60};
    weir_rtl_print_module(d, weir_rtl_find_module(d, "expressions"), &options, &text);
    for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, 60);
    weir_text_free(&text);
    weir_module_free(module);
}

static void note_line(void *user, int line, weir_rtl_item item) {
    if (item.kind == WEIR_RTL_ITEM_STMT) weir_text_format(user, "%d ", line);
}

/* The lines that the printer tells are those on which the statements stand. */
static void lines_of_items_are_told(void **state) {
    (void)state;
    weir_module *module = load();
    weir_rtl_design *d = weir_module_design(module);
    weir_text text = {0}, lines = {0};
    const weir_rtl_print_options options = {.line = note_line, .user = &lines};
    weir_rtl_print_module(d, weir_rtl_find_module(d, "latches"), &options, &text);
    weir_text expected = {0};
    int number = 1;
    for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1, number++) {
        size_t length = strcspn(line, "\n");
        char *copy = weir_format("%.*s", (int)length, line);
        if (strstr(copy, "lint_off") || strstr(copy, "if (en)") || strstr(copy, "s = x;") || strstr(copy, "assign"))
            weir_text_format(&expected, "%d ", number);
        free(copy);
    }
    assert_string_equal(lines.data, expected.data);
    weir_text_free(&text);
    weir_text_free(&lines);
    weir_text_free(&expected);
    weir_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(three_tools_accept_verilog),
        DESIGN_TEST(verilator_accepts_systemverilog),
        DESIGN_TEST(lines_wrap_at_the_margin),
        DESIGN_TEST(lines_of_items_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
