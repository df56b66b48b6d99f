/* passes/REFERENCE.md, which is made from the registrations, says what they say. */
#include "test_passes_support.h"

#include "support/file/file.h"

/* What stands between the marks; heap memory. */
static char *section_of(const char *page) {
    static const char start_mark[] = "<!-- weir passes -->\n", end_mark[] = "<!-- end -->\n";
    const char *start = strstr(page, start_mark);
    assert_non_null(start);
    start += strlen(start_mark);
    const char *end = strstr(start, end_mark);
    assert_non_null(end);
    return weir_format("%.*s", (int)(end - start), start);
}

/* Fails at the first line that differs, with what to do. */
static void compare(const char *expected, const char *found) {
    size_t line = 0;
    for (size_t i = 0; expected[i] != 0 && expected[i] == found[i]; i++) {
        if (expected[i] == '\n') line = i + 1;
    }
    if (strcmp(expected, found) != 0)
        fail_msg("passes/REFERENCE.md says '%.*s' where '%.*s' is registered: run scripts/pages",
                 (int)strcspn(found + line, "\n"), found + line, (int)strcspn(expected + line, "\n"), expected + line);
}

static void the_reference_says_what_is_registered(void **state) {
    (void)state;
    const char *source = getenv("WEIR_SOURCE");
    if (source == NULL) skip();
    char *path = weir_path_join(source, "passes/REFERENCE.md");
    char *page = weir_file_read(path, &(size_t){0});
    assert_non_null(page);
    char *section = section_of(page);
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    weir_text text = {0};
    weir_pass_registry_markdown(registry, &text);
    compare(text.data, section);
    weir_text_free(&text);
    weir_pass_registry_free(registry);
    free(section);
    free(page);
    free(path);
}

static bool run_nothing(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    (void)graph;
    return true;
}

/* Every field has its place, and bars do not end a cell. */
static void a_page_has_everything(void **state) {
    (void)state;
    static const weir_pass_option options[] = {{"mode", WEIR_PASS_ENUM, "b", "a|b", "one | the other"},
                                               {"count", WEIR_PASS_INT, "3", "1..9", "how many"},
                                               {"file", WEIR_PASS_STRING, "", NULL, "where"},
                                               {.name = NULL}};
    static const weir_pass_info infos[] = {{.name = "first", .kind = WEIR_PASS_GRAPH, .run = {.graph = run_nothing}},
                                           {.name = "second",
                                            .kind = WEIR_PASS_GRAPH,
                                            .level = 3,
                                            .promise = WEIR_PASS_APPROXIMATE,
                                            .requires = "first",
                                            .preserves = "*",
                                            .invalidates = "first",
                                            .options = options,
                                            .help = "does much",
                                            .run = {.graph = run_nothing}}};
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_pass_registry_add_all(registry, infos, 2));
    assert_true(weir_pass_registry_add_pipeline(registry, WEIR_PASS_GRAPH, "both", "first,second", "one by one"));
    assert_true(weir_pass_registry_add_config(
        registry, &(weir_pass_option){"seed", WEIR_PASS_INT, "1", "0..", "of random numbers"}));
    weir_text text = {0};
    weir_pass_registry_markdown(registry, &text);
    assert_string_equal(text.data, "\n## first\nGraph pass, level 0; results: exact.\n"
                                   "\n## second\nGraph pass, level 3; results: approximate; requires first; "
                                   "preserves everything; invalidates first.\n\nDoes much.\n"
                                   "\n| option | values | default | what |\n|---|---|---|---|\n"
                                   "| `mode` | a, b | b | one \\| the other |\n"
                                   "| `count` | int 1..9 | 3 | how many |\n"
                                   "| `file` | string | \"\" | where |\n"
                                   "\n## both\nPipeline over a graph: `first,second`.\n\nOne by one.\n"
                                   "\n## Configuration\nKeys of the context, `--config KEY=VALUE`.\n"
                                   "\n| option | values | default | what |\n|---|---|---|---|\n"
                                   "| `seed` | int 0.. | 1 | of random numbers |\n");
    weir_text_free(&text);
    weir_pass_registry_free(registry);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_reference_says_what_is_registered),
        TEST(a_page_has_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
