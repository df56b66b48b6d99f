/* Formulas in the headers of library modules: values, errors, and that every module of rtl/ has its two lines. */
#include "test_passes_support.h"

#include "common/text_pair.h"
#include "dataflow/header.h"
#include "dataflow/library.h"
#include "support/file/file.h"
#include "support/file/tree.h"

static weir_rtl_instance instance_of(weir_rtl_design *design, const char *module) {
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_instance u = weir_rtl_add_instance(design, top, weir_library_module(design, module), "u");
    weir_rtl_set_parameter(design, u, "M_W", 18);
    weir_rtl_set_parameter(design, u, "DIGIT", 4);
    return u;
}

static void values(void **state) {
    (void)state;
    static const struct {
        const char *formula;
        int64_t value;
    } cases[] = {{"7", 7},
                 {"2 + 3 * 4", 14},
                 {"(2 + 3) * 4", 20},
                 {"10 - 4 - 3", 3},
                 {"ceil(M_W / DIGIT)", 5},
                 {"2 + ceil(M_W / DIGIT) * 2", 12},
                 {"ceil(7 / 2 + 1 / 2)", 4},
                 {"ceil(0 - 7 / 2)", -3},
                 {"-3 + 5", 2},
                 {"clog2(1)", 0},
                 {"clog2(2)", 1},
                 {"clog2(M_W)", 5},
                 {"digits(0)", 0},
                 {"digits(0 - 8)", 1},
                 {"digits(7)", 2},
                 {"digits(85)", 4},
                 {"digits(0 - 11)", 3},
                 {"max(M_W, DIGIT)", 18},
                 {"min(M_W, DIGIT)", 4},
                 {"M_W <= 18 ? 1 : 2", 1},
                 {"M_W < 18 ? 1 : M_W > 18 ? 2 : 3", 3},
                 {"1 / 3 == 2 / 6", 1},
                 {"DIGIT != 4", 0},
                 {"2 + (M_W >= DIGIT)", 3}};
    weir_rtl_design *design = weir_rtl_design_new();
    weir_rtl_instance u = instance_of(design, "weir_requantize");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;
        assert_true(weir_header_evaluate(cases[i].formula, design, u, &value));
        if (value != cases[i].value) fail_msg("%s is %lld", cases[i].formula, (long long)value);
    }
    weir_rtl_design_free(design);
}

static void errors(void **state) {
    (void)state;
    static const text_pair cases[] = {{"2 +", "weir_requantize:0: error: formula '2 +': unexpected text"},
                                      {"2 3", "unexpected text at '3'"},
                                      {"(2", "unexpected text"},
                                      {"NONE + 1", "no such parameter"},
                                      {"floor(2)", "unknown function"},
                                      {"M_W / 4", "the value is not an integer"},
                                      {"1 / 0", "division by a number that is not positive"},
                                      {"", "unexpected text"},
                                      {"max(1)", "unexpected text"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        weir_rtl_design *design = weir_rtl_design_new();
        weir_rtl_instance u = instance_of(design, "weir_requantize");
        int64_t value;
        assert_false(weir_header_evaluate(cases[i].text, design, u, &value));
        assert_error(cases[i].expected);
        weir_rtl_design_free(design);
    }
}

/* With its parameters at their defaults each formula has a value; what is in rtl/check is no hardware. */
static bool read_module(void *user, const char *path) {
    (void)user;
    const char *file = weir_path_name(path);
    size_t size = strlen(file);
    if (size < 3 || strcmp(file + size - 2, ".v") != 0 || strncmp(path, "check/", 6) == 0) return true;
    char *name = weir_format("%.*s", (int)(size - 2), file);
    weir_header header;
    weir_rtl_design *design = weir_rtl_design_new();
    weir_rtl_module top = weir_rtl_add_module(design, "top");
    weir_rtl_instance u = weir_rtl_add_instance(design, top, weir_library_module(design, name), "u");
    int64_t latency, interval;
    if (!weir_header_read(name, &header) || !weir_header_evaluate(header.latency, design, u, &latency) ||
        !weir_header_evaluate(header.interval, design, u, &interval) || latency < 0 || interval < 1)
        fail_msg("%s: latency or interval", name);
    weir_header_free(&header);
    weir_rtl_design_free(design);
    free(name);
    return true;
}

static void every_module(void **state) {
    (void)state;
    char *data = weir_data_folder(), *rtl = weir_path_join(data, "rtl");
    assert_true(weir_tree_walk(rtl, read_module, NULL));
    free(rtl);
    free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(values), TEST(errors), TEST(every_module)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
