/* The lists of components: the section of rtl/README.md that is made of them, JSON, one component, unknown names. */
#include "test_passes_support.h"

#include "dataflow/catalog.h"
#include "dataflow/component.h"
#include "support/file/file.h"

static void the_readme_says_what_is_there(void **state) {
    (void)state;
    static const char start_mark[] = "<!-- weir components -->\n";
    const char *source = getenv("WEIR_SOURCE");
    if (source == NULL) skip();
    char *path = weir_path_join(source, "rtl/README.md"), *page = weir_file_read(path, &(size_t){0});
    assert_non_null(page);
    char *start = strstr(page, start_mark), *end = start == NULL ? NULL : strstr(start, "<!-- end -->\n");
    assert_non_null(end);
    *end = '\0';
    weir_text text = {NULL, 0, 0};
    assert_true(weir_catalog_markdown(&text));
    if (strcmp(text.data, start + strlen(start_mark)) != 0) fail_msg("rtl/README.md is out of date: run scripts/pages");
    weir_text_free(&text);
    free(page);
    free(path);
}

static void every_component_is_listed(void **state) {
    (void)state;
    json_t *list = weir_catalog_json(NULL);
    assert_int_equal(json_array_size(list), weir_component_count());
    for (size_t i = 0; i < weir_component_count(); i++) {
        const weir_component *component = weir_component_at(i);
        json_t *object = json_array_get(list, i);
        assert_string_equal(json_string_value(json_object_get(object, "name")), component->name);
        assert_string_equal(json_string_value(json_object_get(object, "module")), component->module);
        assert_true(json_is_string(json_object_get(object, "latency")));
        assert_non_null(component->rules->timing);
        assert_non_null(component->rules->build);
    }
    json_decref(list);
}

static void one_by_any_of_its_names(void **state) {
    (void)state;
    static const char *const names[] = {"requantize", "weir_requantize", "weir.Scale"};
    for (size_t i = 0; i < 3; i++) {
        json_t *object = weir_catalog_json_one(names[i], NULL);
        assert_string_equal(json_string_value(json_object_get(object, "name")), "requantize");
        assert_string_equal(json_string_value(json_object_get(object, "interval")), "ceil(M_W / DIGIT)");
        assert_string_equal(json_string_value(json_object_get(object, "unit")), "beat");
        json_decref(object);
    }
    weir_text text = {NULL, 0, 0};
    assert_true(weir_catalog_print_one("linear", NULL, &text));
    assert_non_null(strstr(text.data, "settings  simd, pe, storage\n"));
    weir_text_free(&text);
    assert_false(weir_catalog_print_one("lineer", NULL, &text));
    assert_error("there is no component 'lineer'\nnote: did you mean 'linear'?");
}

/* What an instance takes is what is known of its module with the defaults of its Verilog. */
static void costs_of_a_device(void **state) {
    (void)state;
    int status;
    weir_device *device = weir_device_read("ice40up5k", &status);
    assert_non_null(device);
    json_t *list = weir_catalog_json(device);
    size_t known = 0;
    for (size_t i = 0; i < weir_component_count(); i++) {
        const json_t *cost = json_object_get(json_array_get(list, i), "cost");
        const weir_component *component = weir_component_at(i);
        assert_int_equal(json_is_null(cost), component->rules->cost == NULL);
        known += !json_is_null(cost);
    }
    assert_true(known >= 8);
    /* weir_relu: LANES 1, WIDTH 8, SIGNED 1, ZERO 0: a slice of 7 bits, the sign is always 0, and `last`, twice; two of
     * state. */
    json_decref(list);
    json_t *relu = weir_catalog_json_one("relu", device);
    const json_t *cost = json_object_get(relu, "cost");
    assert_int_equal(json_integer_value(json_object_get(cost, "flip_flops")), 2 * (7 + 1) + 2);
    assert_int_equal(json_integer_value(json_object_get(cost, "multipliers")), 0);
    assert_string_equal(json_string_value(json_object_get(cost, "parameters")), "LANES=1 WIDTH=8 SIGNED=1 ZERO=0");
    json_decref(relu);
    weir_text text = {NULL, 0, 0};
    assert_true(weir_catalog_print(device, &text));
    assert_non_null(strstr(text.data, "multipliers"));
    weir_text_free(&text);
    weir_device_free(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(the_readme_says_what_is_there), TEST(every_component_is_listed),
                                       TEST(one_by_any_of_its_names), TEST(costs_of_a_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
