/* YAML configuration: the tree, its lines, the scalar readers, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/messages.h"
#include "common/text_pair.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/text.h"
#include "support/text/yaml.h"
#include "test_support_scratch.h"

static weir_yaml *read(const char *content, size_t size) {
    char *path = weir_path_join(folder, "c.yaml");
    assert_true(weir_file_write(path, content, size));
    weir_yaml *root = weir_yaml_read(path);
    free(path);
    return root;
}

static void the_tree_has_lines_and_values(void **state) {
    (void)state;
    static const char content[] = "# configuration\nclock: 2.5e1\nname: \"a b\"\nlayers:\n  - {pe: 0x10, on: true}\n"
                                  "  - pe: -3\nempty:\n";
    weir_yaml *root = read(content, sizeof content - 1);
    assert_non_null(root);
    assert_int_equal(root->kind, WEIR_YAML_MAPPING);
    assert_int_equal(root->count, 4);
    assert_string_equal(root->key[2], "layers");
    assert_int_equal(root->key_location[2].line, 4);
    double clock;
    int64_t number;
    bool flag;
    assert_true(weir_yaml_double(weir_yaml_find(root, "clock"), &clock));
    assert_true(clock > 24.9 && clock < 25.1);
    assert_string_equal(weir_yaml_find(root, "name")->text, "a b");
    const weir_yaml *layers = weir_yaml_find(root, "layers");
    assert_int_equal(layers->kind, WEIR_YAML_SEQUENCE);
    assert_int_equal(layers->count, 2);
    assert_int_equal(layers->item[1]->location.line, 6);
    assert_true(weir_yaml_int(weir_yaml_find(layers->item[0], "pe"), 0, 16, &number));
    assert_int_equal(number, 16);
    assert_true(weir_yaml_bool(weir_yaml_find(layers->item[0], "on"), &flag));
    assert_true(flag);
    assert_true(weir_yaml_int(weir_yaml_find(layers->item[1], "pe"), -3, 0, &number));
    assert_int_equal(number, -3);
    assert_string_equal(weir_yaml_find(root, "empty")->text, "");
    assert_null(weir_yaml_find(root, "absent"));
    assert_null(weir_yaml_find(layers, "pe"));
    assert_string_equal(weir_path_name(root->location.file), "c.yaml");
    weir_yaml_free(root);
    weir_yaml_free(NULL);
}

static void an_empty_file_is_an_empty_mapping(void **state) {
    (void)state;
    static const char *const contents[] = {"", "# nothing\n", "\n\n"};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        weir_yaml *root = read(contents[i], strlen(contents[i]));
        assert_non_null(root);
        assert_int_equal(root->kind, WEIR_YAML_MAPPING);
        assert_int_equal(root->count, 0);
        weir_yaml_free(root);
    }
}

static void check_refused(const char *content, size_t size, const char *expected) {
    weir_text text = {0};
    weir_diag_set_handler(keep_line, &text);
    assert_null(read(content, size));
    assert_int_equal(weir_diag_errors(), 1);
    weir_diag_set_handler(NULL, NULL);
    if (!strstr(text.data, expected)) {
        fail_msg("expected '%s' in '%s'", expected, text.data);
    }
    weir_text_free(&text);
}

static void what_configuration_does_not_need_is_refused(void **state) {
    (void)state;
    static const text_pair cases[] = {
        {"a: 1\nb: 2\na: 3\n", "3: key 'a' is repeated"},
        {"a: &x 1\n", "1: anchor 'x' is not supported"},
        {"a: 1\nb: *x\n", "2: alias 'x' is not supported"},
        {"a: !!str 1\n", "1: tag 'tag:yaml.org,2002:str' is not supported"},
        {"a: [1\n", "expected ',' or ']'"},
        {"a: 1\n---\nb: 2\n", "2: expected one document, found another"},
        {"a: \"x\\0y\"\n", "1: expected text, found a zero character"},
        {"{[a]: 1}\n", "1: expected a name as the key"},
        {"? {a: b}\n: 1\n", "1: expected a name as the key"},
        {"a:\n\t- 1\n", "2: found character that cannot start any token"},
        {"a: \xff\n", "1: invalid"},
        {"a: 1\nb: \x7f\nc: 2\n", "2: control characters are not allowed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_refused(cases[i].text, strlen(cases[i].text), cases[i].expected);
    }
    weir_text deep = {0};
    for (int i = 0; i < 100000; i++) {
        weir_text_char(&deep, '[');
    }
    check_refused(deep.data, deep.size, "expected at most 64 nested levels");
    weir_text_free(&deep);
}

static void scalar_readers_say_what_they_expected(void **state) {
    (void)state;
    static const char content[] = "int: [1.5, '', x, 010, 17, -1, 99999999999999999999, 0x, [1], + 1, ' 1']\n"
                                  "bool: [yes, '', 'True', 1, {}]\n"
                                  "double: [x, '', inf, .nan, 0x10, 1e999, '1 2', [], 1e]\n";
    weir_yaml *root = read(content, sizeof content - 1);
    assert_non_null(root);
    weir_text text = {0};
    weir_diag_set_handler(keep_line, &text);
    int64_t number = 5;
    bool flag = true;
    double value = 5;
    size_t count = 0;
    const weir_yaml *list = weir_yaml_find(root, "int");
    for (size_t i = 0; i < list->count; i++, count++) {
        assert_false(weir_yaml_int(list->item[i], 0, 16, &number));
    }
    list = weir_yaml_find(root, "bool");
    for (size_t i = 0; i < list->count; i++, count++) {
        assert_false(weir_yaml_bool(list->item[i], &flag));
    }
    list = weir_yaml_find(root, "double");
    for (size_t i = 0; i < list->count; i++, count++) {
        assert_false(weir_yaml_double(list->item[i], &value));
    }
    assert_int_equal(weir_diag_errors(), count);
    assert_non_null(strstr(text.data, "1: expected a whole number from 0 to 16, found '1.5'\n"));
    assert_non_null(strstr(text.data, "1: expected a whole number from 0 to 16, found a sequence\n"));
    assert_non_null(strstr(text.data, "2: expected true or false, found 'yes'\n"));
    assert_non_null(strstr(text.data, "3: expected a number, found 'x'\n"));
    assert_int_equal(number, 5);
    assert_true(flag);
    weir_diag_set_handler(NULL, NULL);
    weir_text_free(&text);
    weir_yaml_free(root);
}

static void damaged_files_never_crash(void **state) {
    (void)state;
    static const char content[] = "a: {b: [1, 2, \"x\"], c: 'y'}\nd:\n  - e: |\n      text\n    f: >-\n      g\n";
    weir_text text = {0};
    weir_diag_set_handler(keep_line, &text);
    for (size_t i = 0; i < sizeof content - 1; i++) {
        weir_yaml_free(read(content, i));
        for (const char *c = "\"'[]{}:-&*!|>%@\n\t\x01\xff#?,"; *c; c++) {
            char *changed = weir_copy_string(content);
            changed[i] = *c;
            weir_yaml_free(read(changed, sizeof content - 1));
            free(changed);
        }
    }
    weir_diag_set_handler(NULL, NULL);
    weir_text_free(&text);
}

static void json_values_by_how_scalars_look(void **state) {
    (void)state;
    static const char content[] = "{a: null, b: ~, c: true, d: false, e: -3, f: 0x10, g: 2.5, h: 1e3, i: text, j: '7', "
                                  "k: \"true\", l: [1, [2]], m: {}, n: 007}";
    weir_yaml *root = weir_yaml_parse(content, sizeof content - 1, "text");
    json_t *json = weir_yaml_json(root);
    char *text = json_dumps(json, JSON_COMPACT);
    assert_string_equal(text, "{\"a\":null,\"b\":null,\"c\":true,\"d\":false,\"e\":-3,\"f\":16,\"g\":2.5,\"h\":1000.0,"
                              "\"i\":\"text\",\"j\":\"7\",\"k\":\"true\",\"l\":[1,[2]],\"m\":{},\"n\":7.0}");
    free(text);
    json_decref(json);
    weir_yaml_free(root);
}

static void written_values_read_back(void **state) {
    (void)state;
    static const char content[] =
        "{\"\": \"\", \"1\": \"1\", \"yes\": \"No\", \"null\": null, \"t\": [true, false, \"true\"], \"r\": [0.1, 1.0, -1e-300, "
        "1e22, 123456789.25], \"i\": [0, -9007199254740993, 9223372036854775807], \"s\": [\"a b\", \"#x\", \"- y\", \"k: v\", "
        "\"line\\nline\", \"\\u00e9\", \"\\u0001\", \" lead\", \"{\", \"&a\", \"*a\", \"!t\", \"%\", \"@\", \"1e5\", \"=\"], \"o\": {\"p\": {}, "
        "\"q\": [[], [{\"deep\": [1, {\"er\": null}]}]]}}";
    json_t *json = json_loads(content, 0, NULL);
    assert_non_null(json);
    weir_text text = {0};
    weir_yaml_print(json, &text);
    weir_yaml *root = weir_yaml_parse(text.data, text.size, "text");
    assert_non_null(root);
    json_t *again = weir_yaml_json(root);
    assert_true(json_equal(json, again));
    assert_non_null(strstr(text.data, "\"null\": null"));
    json_object_set_new(again, "t", json_null());
    assert_false(json_equal(json, again));
    json_decref(json);
    json_decref(again);
    weir_yaml_free(root);
    weir_text_free(&text);
}

static void texts_of_several_lines_stand_as_such(void **state) {
    (void)state;
    json_t *json = json_pack("{s:s, s:[s]}", "text", "first\n  second: #\n\nlast\n", "list", "a\nb");
    weir_text text = {0};
    weir_yaml_print(json, &text);
    assert_string_equal(text.data, "text: |\n  first\n    second: #\n\n  last\nlist: [\"a\\nb\"]\n");
    weir_text_free(&text);
    json_decref(json);
}

/* Random texts of characters that YAML has rules about, at every place where a text may stand. */
static void random_texts_read_back(void **state) {
    (void)state;
    static const char letters[] = "ab \n\n\t\r:#-'\"|>%!&*{}[],?~0\x01\x7f";
    uint32_t seed = 1;
    for (int round = 0; round < 5000; round++) {
        char content[12] = "";
        size_t length = (seed >> 8) % (sizeof content - 1);
        for (size_t i = 0; i < length; i++) {
            seed = seed * 1664525 + 1013904223;
            content[i] = letters[(seed >> 8) % (sizeof letters - 1)];
        }
        seed = seed * 1664525 + 1013904223;
        json_t *json =
            json_pack("{s:s, s:[s, s], s:[{s:s}, []]}", "a", content, content, "x", content, "b", "c", content);
        weir_text text = {0};
        weir_yaml_print(json, &text);
        weir_yaml *root = weir_yaml_parse(text.data, text.size, "text");
        assert_non_null(root);
        json_t *again = weir_yaml_json(root);
        if (!json_equal(json, again)) {
            fail_msg("round %d: %s", round, text.data);
        }
        json_decref(json);
        json_decref(again);
        weir_yaml_free(root);
        weir_text_free(&text);
    }
}

static void of_repeated_keys_the_last_counts_where_it_may(void **state) {
    (void)state;
    char *path = weir_path_join(folder, "c.yaml");
    static const char text[] = "a: 1\nb: 2\na: [3]\n";
    assert_true(weir_file_write(path, text, sizeof text - 1));
    assert_null(weir_yaml_read(path));
    assert_string_equal(weir_diag_last_error(), "key 'a' is repeated");
    weir_yaml *root = weir_yaml_read_lenient(path);
    assert_int_equal(root->count, 2);
    assert_int_equal(weir_yaml_find(root, "a")->kind, WEIR_YAML_SEQUENCE);
    assert_int_equal(root->key_location[0].line, 3);
    weir_yaml_free(root);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_repeated_keys_the_last_counts_where_it_may),
        cmocka_unit_test(json_values_by_how_scalars_look),
        cmocka_unit_test(written_values_read_back),
        cmocka_unit_test(texts_of_several_lines_stand_as_such),
        cmocka_unit_test(random_texts_read_back),
        cmocka_unit_test(the_tree_has_lines_and_values),
        cmocka_unit_test(an_empty_file_is_an_empty_mapping),
        cmocka_unit_test(what_configuration_does_not_need_is_refused),
        cmocka_unit_test(scalar_readers_say_what_they_expected),
        cmocka_unit_test(damaged_files_never_crash),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
