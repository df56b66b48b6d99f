/* One case of tests/pass: a graph, a pipeline, and the expected graph. usage: run_pass CASE [--print]
 * Besides the text it checks that the result verifies, reads back byte for byte, stays as it is when the pipeline runs
 * again, and computes the same as before on random inputs. tests/README.md describes the file; exit status 0 when all
 * holds (or, in a case with `planted:`, when exactly that check fails), else 1. --print shows the result as well. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph_case.h"
#include "common/messages.h"
#include "common/text_case.h"
#include "exec/exec.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "pass/run/instrument.h"
#include "passes/passes.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

enum { FRAMES = 3 };

/* The parts of the file; text points into it, ends are zero. */
typedef struct test_case {
    char *pipeline, *level, *disable, *require, *config, *check, *planted, *again;
    char *input, *expected, *data, *values, *output, *diagnostics;
} test_case;

static weir_text messages, output;
static bool print_result;
static bool read_case(char *text, test_case *c) {
    const case_field header[] = {{"pipeline", &c->pipeline}, {"level", &c->level},   {"disable", &c->disable},
                                 {"require", &c->require},   {"config", &c->config}, {"check", &c->check},
                                 {"planted", &c->planted},   {"again", &c->again}};
    const case_field sections[] = {{"input", &c->input},   {"expected", &c->expected},
                                   {"data", &c->data},     {"values", &c->values},
                                   {"output", &c->output}, {"diagnostics", &c->diagnostics}};
    return read_case_text(text, header, sizeof header / sizeof *header, sections, sizeof sections / sizeof *sections) &&
           c->pipeline != NULL && c->input != NULL;
}

/* --- running --- */

/* Runs the pipeline on the module under the case's settings; false when it could not be set up or failed. */
static bool run_pipeline(const test_case *c, weir_module *module) {
    weir_pass_registry *registry = weir_pass_registry_new();
    bool fine = weir_passes_register(registry);
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_pass_context_add_instrument(context, verifier);
    if (c->require != NULL) fine = fine && weir_pass_context_require(context, c->require);
    if (c->config != NULL) {
        char *key = weir_copy_string(c->config), *equal = strchr(key, '=');
        *equal = '\0';
        fine = fine && weir_pass_config_set(context, key, equal + 1);
        free(key);
    }
    fine = fine && run_case_pipeline(context, c->level, c->disable, c->pipeline, module);
    output.size = 0;
    weir_text_add(&output, weir_pass_output(context)->size > 0 ? weir_pass_output(context)->data : "");
    weir_pass_context_free(context);
    weir_pass_instrument_free(verifier);
    weir_pass_registry_free(registry);
    return fine;
}

/* Constants of the result against the section `values`. */
static void check_values(const test_case *c, const weir_graph *graph, double tolerance) {
    char *copy = weir_copy_string(c->values == NULL ? "" : c->values);
    for (char *line, *rest = copy; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        char *equal = strstr(line, " = ");
        if (equal == NULL) {
            complain("values", line);
            continue;
        }
        *equal = '\0';
        const weir_value value = weir_graph_find_value(graph, line);
        const weir_array *found = value.id == 0 ? NULL : weir_value_constant(graph, value);
        if (found == NULL) {
            complain("values", "no such constant");
            continue;
        }
        weir_array *expected = weir_array_new(found->dtype, &found->shape);
        if (!case_fill(expected, line, equal + 3)) complain("values", line);
        for (size_t i = 0; i < found->count; i++) {
            const double a = weir_array_get(expected, i), b = weir_array_get(found, i);
            if (fabs(a - b) > tolerance * fmax(1, fabs(a)) || signbit(a) != signbit(b)) {
                fprintf(stderr, "%s: element %zu is %.9g, expected %.9g\n", line, i, b, a);
                complain("values", "differ");
            }
        }
        weir_array_free(expected);
    }
    free(copy);
}

static void check_round_trip(const weir_graph *graph, const char *text) {
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph_collect(graph, &archive);
    weir_graph *read = weir_graph_parse(text, strlen(text), &archive, "result");
    if (read == NULL) {
        complain("round trip", messages.data);
    } else {
        weir_text again = {0};
        weir_graph_print(read, &again);
        check_equal("round trip", text, again.data);
        weir_text_free(&again);
        weir_graph_free(read);
    }
    weir_archive_free(&archive);
}

/* Equal bits, or a difference within the tolerance of the largest magnitude when that is not 0. */
static void check_output(const char *name, const weir_array *a, const weir_array *b, double tolerance) {
    double largest = 0, worst = 0;
    if (a->dtype != b->dtype || !weir_shape_equal(&a->shape, &b->shape)) {
        complain("results", "another type or shape");
        return;
    }
    if (memcmp(a->data, b->data, a->count * weir_dtype_size(a->dtype)) == 0) return;
    for (size_t i = 0; i < a->count; i++) {
        largest = fmax(largest, fabs(weir_array_get(a, i)));
        worst = fmax(worst, fabs(weir_array_get(a, i) - weir_array_get(b, i)));
    }
    if (tolerance > 0 && worst <= tolerance * largest) return;
    fprintf(stderr, "output '%s' differs by up to %g at magnitude %g\n", name, worst, largest);
    complain("results", "the graph computes something else than before");
}

static void check_results(const weir_graph *before, const weir_graph *after, double tolerance) {
    weir_executor *old = weir_executor_new(before), *new = weir_executor_new(after);
    const size_t inputs = weir_graph_input_count(before);
    weir_array **input = weir_calloc(inputs + 1, sizeof *input);
    if (old == NULL || new == NULL || weir_graph_input_count(after) != inputs) {
        complain("results", messages.data);
    }
    for (int frame = 0; failed_check() == NULL && frame < FRAMES; frame++) {
        for (size_t i = 0; i < inputs; i++) {
            const weir_value value = weir_graph_input(before, i);
            const weir_type *type = weir_value_type(before, value);
            const bool is_float = weir_dtype_is_float(type->dtype);
            if (frame == 0) input[i] = weir_array_new(type->dtype, &type->shape);
            case_fill_random(input[i], case_seed(weir_value_name(before, value)) + (uint64_t)frame,
                             type->has_range ? (double)type->low
                             : is_float      ? -2
                                             : 0,
                             type->has_range ? (double)type->high
                             : is_float      ? 2
                                             : 9);
        }
        weir_executor_run(old, (const weir_array *const *)input);
        weir_executor_run(new, (const weir_array *const *)input);
        for (size_t i = 0; i < weir_graph_output_count(before); i++)
            check_output(weir_graph_output_name(before, i), weir_executor_value(old, weir_graph_output(before, i)),
                         weir_executor_value(new, weir_graph_output(after, i)), tolerance);
    }
    for (size_t i = 0; i < inputs; i++) weir_array_free(input[i]);
    free(input);
    weir_executor_free(old);
    weir_executor_free(new);
}

static void print_graph(const weir_module *module, weir_text *text) {
    weir_graph_print(weir_module_graph(module, 0), text);
}

static void check_result(const test_case *c, const weir_graph *before, weir_module *module) {
    const weir_graph *after = weir_module_graph(module, 0);
    const double tolerance = c->check == NULL || strcmp(c->check, "none") == 0 ? 0 : atof(c->check);
    weir_text text = {0}, again = {0}, same = {0};
    print_graph(module, &text);
    weir_graph_print(before, &same);
    if (print_result) fputs(text.data, stdout);
    if (print_result && output.size > 0) printf("--- output\n%s", output.data);
    check_equal("text", c->expected == NULL ? same.data : c->expected, text.data);
    if (c->output != NULL) check_equal("output", c->output, output.data);
    check_values(c, after, tolerance);
    check_round_trip(after, text.data);
    if (c->check == NULL || strcmp(c->check, "none") != 0) check_results(before, after, tolerance);
    if (!run_pipeline(c, module)) complain("again", messages.data);
    print_graph(module, &again);
    if (c->again == NULL) check_equal("again", text.data, again.data);
    weir_text_free(&text);
    weir_text_free(&again);
    weir_text_free(&same);
}

static void run_case(const test_case *c) {
    weir_graph *graph = case_read_graph(c->input, c->data);
    if (graph == NULL) {
        complain("input", messages.data);
        return;
    }
    weir_graph *before = weir_graph_copy(graph);
    weir_module *module = weir_module_new("case");
    weir_module_add_graph(module, graph);
    if (run_pipeline(c, module)) {
        if (c->expected == NULL && c->output == NULL) complain("diagnostics", "the pipeline is expected to fail");
        else check_result(c, before, module);
    } else if (c->expected != NULL || c->output != NULL) {
        complain("pipeline", messages.data);
    }
    check_equal("diagnostics", c->diagnostics == NULL ? "" : c->diagnostics, messages.data);
    weir_module_free(module);
    weir_graph_free(before);
}

int main(int count, char **arguments) {
    test_case c = {0};
    size_t size;
    print_result = count == 3 && strcmp(arguments[2], "--print") == 0;
    char *text = count == 2 || print_result ? weir_file_read(arguments[1], &size) : NULL;
    if (text == NULL || !read_case(text, &c)) {
        fprintf(stderr, "usage: run_pass CASE [--print]\n");
        free(text);
        return 2;
    }
    weir_text_add(&messages, "");
    weir_diag_set_handler(keep_message, &messages);
    run_case(&c);
    const int status = case_status(c.planted);
    weir_text_free(&messages);
    weir_text_free(&output);
    free(text);
    return status;
}
