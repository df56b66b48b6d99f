/* What the library's modules state for their parameters: each statement is read, and each, violated, is noticed for an
 * instance by the verifier as by Icarus. */
/* nightly: 200 */
#include "test_rtlir_library.h"

#include <stdio.h>
#include <unistd.h>

#include "support/memory/random.h"

enum { MOST_TRIES = 20000 };

static size_t occurrences(const char *text, const char *word) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) count++;
    return count;
}

static void every_condition_is_read(void **state) {
    weir_rtl_design *design = *state;
    char *folder = source_path("rtl");
    const int files = read_folder(design, folder);
    free(folder);
    if (files == 0) skip();
    size_t all = 0;
    for (weir_rtl_module module = weir_rtl_first_module(design); module.id;
         module = weir_rtl_next_module(design, module)) {
        const weir_rtl_module_info info = weir_rtl_get_module(design, module);
        size_t size;
        char *text = weir_file_read(info.path, &size);
        const size_t written = occurrences(text, " u_error ()");
        if (info.condition_count != written)
            fail_msg("%s: %zu conditions of %zu are read", info.name, info.condition_count, written);
        all += written;
        free(text);
    }
    assert_true(all > 70);
}

/* Parameters of the instance, one to three of them changed at random; as Verilog in `text`. Their product: about how
 * large it is. */
static int64_t change_parameters(weir_rtl_design *design, weir_rtl_module module, weir_rtl_instance u, uint64_t *random,
                                 weir_text *text) {
    static const int64_t values[] = {-1, 0, 1, 2, 3, 5, 7, 8, 9, 33, 40, 100};
    const size_t count = weir_rtl_get_module(design, module).parameter_count;
    const size_t changes = 1 + (size_t)(weir_random_next(random) % 3);
    int64_t size = 1;
    for (size_t i = 0; i < changes; i++) {
        const weir_rtl_parameter_info p = weir_rtl_get_parameter(
            design, weir_rtl_parameter_at(design, module, (size_t)(weir_random_next(random) % count)));
        const bool is_bound = strcmp(p.name, "HI") == 0 || strcmp(p.name, "LO") == 0; /* of 32 bits */
        const int64_t value =
            (is_bound ? 100000 : 1) * values[weir_random_next(random) % (sizeof values / sizeof *values)];
        char *known = weir_format(".%s(", p.name);
        const bool again = text->data != NULL && strstr(text->data, known) != NULL;
        free(known);
        if (p.is_local || again) continue;
        weir_text_format(text, "%s.%s(", text->size > 0 ? ", " : "", p.name);
        if (p.has_integer) {
            weir_rtl_set_parameter(design, u, p.name, value);
            weir_text_format(text, "%lld)", (long long)value);
            if (value > 1 && !is_bound) size *= value;
        } else {
            weir_rtl_set_parameter_string(design, u, p.name, "nothing");
            weir_text_add(text, "\"nothing\")");
        }
    }
    return size;
}

/* Draws parameters until the verifier has told of each condition of the module; those instances go to `source`, the
 * conditions to `conditions`, a line each. */
static void violate(weir_rtl_design *design, weir_rtl_module module, uint64_t *random, weir_text *source,
                    weir_text *conditions) {
    const weir_rtl_module_info info = weir_rtl_get_module(design, module);
    bool *found = weir_calloc(info.condition_count + 1, sizeof *found);
    size_t left = info.condition_count;
    for (int tries = 0; left > 0 && tries < MOST_TRIES; tries++) {
        const weir_rtl_module top = weir_rtl_add_module(design, weir_rtl_free_module_name(design, "top"));
        weir_text parameters = {0};
        change_parameters(design, module, weir_rtl_add_instance(design, top, module, "u"), random, &parameters);
        weir_rtl_verify(design, top);
        for (size_t i = 0; i < info.condition_count; i++) {
            const char *condition = weir_rtl_condition_at(design, module, i);
            char *message = weir_format("'%s', found ", condition);
            const bool told = !found[i] && messages.data != NULL && strstr(messages.data, message) != NULL;
            free(message);
            if (!told) continue;
            found[i] = true;
            left--;
            weir_text_format(source, "  %s #(%s) u_%zu ();\n", info.name, parameters.data, conditions->size);
            weir_text_format(conditions, "%s\n", condition);
        }
        weir_text_free(&messages);
        messages = (weir_text){0};
        weir_text_free(&parameters);
    }
    for (size_t i = 0; i < info.condition_count; i++)
        if (!found[i]) fail_msg("%s: never violated", weir_rtl_condition_at(design, module, i));
    free(found);
}

/* What Icarus says of a module with the instances. */
static weir_text refusals(const char *instances) {
    char *file = weir_format("test_rtlir_conditions_%ld.v", (long)getpid());
    char *source = weir_format("module top;\n%sendmodule\n", instances);
    weir_text output = {0};
    assert_true(weir_file_write(file, source, strlen(source)));
    ask_icarus("-g2005", file, NULL, &output);
    unlink(file);
    free(file);
    free(source);
    return output;
}

/* Each line of `conditions` is in what Icarus says; takes the lines apart. */
static void expect_refusals(const char *instances, char *conditions) {
    weir_text output = refusals(instances);
    for (char *line = strtok(conditions, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (strstr(output.data, line) == NULL) fail_msg("Icarus does not refuse %s", line);
    weir_text_free(&output);
}

static void violated_conditions_are_noticed(void **state) {
    weir_rtl_design *design = *state;
    char *rtl = source_path("rtl");
    uint64_t random = 1;
    weir_text source = {0}, conditions = {0};
    if (read_folder(design, rtl) == 0) skip();
    for (weir_rtl_module module = weir_rtl_first_module(design); module.id;
         module = weir_rtl_next_module(design, module)) {
        if (weir_rtl_get_module(design, module).path == NULL) break; /* the tops that are made here */
        violate(design, module, &random, &source, &conditions);
    }
    if (weir_process_found("iverilog")) expect_refusals(source.data, conditions.data);
    weir_text_free(&source);
    weir_text_free(&conditions);
    free(rtl);
}

enum { DRAWS = 40, MOST_INNER = 40, MOST_SIZE = 50 }; /* larger ones take Icarus too long */

static void expect_no_refusal(const weir_text *accepted) {
    weir_text output = refusals(accepted->data == NULL ? "" : accepted->data);
    const char *missed = output.data == NULL ? NULL : strstr(output.data, "_must_");
    if (missed != NULL) fail_msg("Icarus refuses what the verifier takes: %.200s", missed - 60);
    weir_text_free(&output);
}

/* Instances inside modules answer for their own: what the verifier accepts, Icarus elaborates without any condition,
 * and what it refuses for an instance inside, Icarus refuses with the same name. A call of Icarus a module: it takes
 * longer for all of them in one. */
static void conditions_hold_inside_modules(void **state) {
    weir_rtl_design *design = *state;
    char *rtl = source_path("rtl");
    uint64_t random = 2;
    weir_text refused = {0}, names = {0};
    size_t inner = 0, count = 0, taken = 0;
    const char *more = getenv("WEIR_RANDOM");
    const int draws = more == NULL ? DRAWS : atoi(more);
    if (read_folder(design, rtl) == 0 || !weir_process_found("iverilog")) skip();
    free(rtl);
    for (weir_rtl_module module = weir_rtl_first_module(design); module.id;
         module = weir_rtl_next_module(design, module)) {
        const weir_rtl_module_info info = weir_rtl_get_module(design, module);
        if (info.path == NULL) break; /* the tops that are made here */
        weir_text accepted = {0};
        inner += info.inner_count;
        for (int i = 0; i < draws && info.inner_count > 0; i++) {
            const weir_rtl_module top = weir_rtl_add_module(design, weir_rtl_free_module_name(design, "top"));
            weir_text parameters = {0};
            const int64_t size = change_parameters(design, module, weir_rtl_add_instance(design, top, module, "u"),
                                                   &random, &parameters);
            weir_rtl_verify(design, top);
            const char *text = messages.data == NULL ? "" : messages.data, *told = strstr(text, "instance 'u.");
            char *instance = weir_format("  %s #(%s) u_%zu ();\n", info.name, parameters.data, count++);
            const bool has_string = strstr(instance, "nothing") != NULL; /* Icarus compares it as a number */
            if (strstr(text, "_must_") == NULL && !has_string && size <= MOST_SIZE) {
                weir_text_add(&accepted, instance);
                taken++;
            }
            const char *name = told == NULL ? NULL : strstr(told, "': '") + 4;
            if (name != NULL && occurrences(refused.data == NULL ? "" : refused.data, "\n") < MOST_INNER) {
                weir_text_add(&refused, instance);
                weir_text_format(&names, "%.*s\n", (int)strcspn(name, "'"), name);
            }
            free(instance);
            weir_text_free(&parameters);
            weir_text_free(&messages);
            messages = (weir_text){0};
        }
        if (accepted.size > 0) expect_no_refusal(&accepted);
        weir_text_free(&accepted);
    }
    assert_true(inner > 50 && taken > 5 * (size_t)draws);
    expect_refusals(refused.data, names.data);
    weir_text_free(&refused);
    weir_text_free(&names);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESIGN_TEST(every_condition_is_read),
        DESIGN_TEST(violated_conditions_are_noticed),
        DESIGN_TEST(conditions_hold_inside_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
