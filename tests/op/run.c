/* Cases of tests/op: an operator in a graph, and what must hold. usage:
 *   run_op FOLDER            every case FOLDER/CASE.txt of the operator that the folder is named after
 *   run_op CASE [--print]    one; --print: what is found, in the form of the sections
 *   run_op CASE --data       the values of its inputs and constants, as the section `data` writes them
 *   run_op CASE --save DIR   its graph as DIR/case.weir and frames of its inputs as DIR/INPUT.npy, for the command
 *                            `weir`
 * tests/README.md describes the file. Exit status 0 when all holds (in a case with `planted:`, when exactly that check
 * fails), else 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph_case.h"
#include "common/messages.h"
#include "common/nest_execute.h"
#include "common/text_case.h"
#include "exec/exec.h"
#include "ir/graph/print.h"
#include "ir/shape/infer.h"
#include "op/case.h"
#include "op/nest.h"
#include "op/subject.h"
#include "passes/passes.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

enum { FRAMES = 8 };

typedef struct test_case {
    op_case text;
    weir_op subject;
    bool print;
} test_case;

static weir_text messages;

/* --- what is inferred, and the nest --- */

static void each_node(const weir_graph *graph, void (*visit)(const weir_graph *, weir_node, void *), void *user) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        visit(graph, node, user);
}

/* Types of integer operators hold what a lowering pass decides; the verifier has compared the rest with inference. */
static void forget_types(weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_op_class class = weir_op_get(weir_node_op(graph, node))->class;
        const weir_type nothing = {.quant = {.axis = -1}};
        for (size_t i = 0; class == WEIR_CLASS_TENSOR && i < weir_node_output_count(graph, node); i++)
            weir_value_set_type(graph, weir_node_output(graph, node, i), &nothing);
    }
}

/* The text states the types; inference must find them again without it. */
static void check_types(const test_case *c, weir_graph *graph) {
    weir_text stated = {0}, inferred = {0};
    weir_graph_print(graph, &stated);
    forget_types(graph);
    if (!weir_infer_graph(graph)) complain("types", messages.data);
    weir_graph_print(graph, &inferred);
    if (c->print) printf("--- graph\n%s", inferred.data);
    if (strstr(c->text.graph, " ?\n") != NULL) complain("types", "the case leaves a type open");
    check_equal("types", stated.data, inferred.data);
    weir_text_free(&stated);
    weir_text_free(&inferred);
}

typedef struct subject_nodes {
    weir_op op;
    size_t count;
    weir_text nest;
} subject_nodes;

static void visit_subject(const weir_graph *graph, weir_node node, void *user) {
    subject_nodes *s = user;
    if (weir_node_op(graph, node) != s->op) return;
    s->count++;
    print_nest(graph, node, &s->nest);
}

static void check_subject(const test_case *c, const weir_graph *graph) {
    subject_nodes s = {.op = c->subject};
    each_node(graph, visit_subject, &s);
    if (s.count == 0) complain("subject", "no node of the folder's operator");
    if (c->print && s.count > 0) printf("--- nest\n%s", s.nest.data);
    if (c->text.nest != NULL && s.count > 0) check_equal("nest", c->text.nest, s.nest.data);
    weir_text_free(&s.nest);
}

/* --- values --- */

/* The whole number, modulo 2^64. */
static uint64_t whole(const weir_array *array, size_t i) {
    return array->dtype == WEIR_UINT64 ? ((const uint64_t *)array->data)[i] : (uint64_t)weir_array_get_int(array, i);
}

static void print_values(const char *name, const weir_array *array) {
    printf("%s =", name);
    for (size_t i = 0; i < array->count; i++) {
        if (weir_dtype_is_float(array->dtype)) printf(" %.17g", weir_array_get(array, i));
        else if (array->dtype == WEIR_UINT64) printf(" %llu", (unsigned long long)whole(array, i));
        else printf(" %lld", (long long)whole(array, i));
    }
    printf("\n");
}

/* Numbers of the line, as many as the array has elements; false when there are others. */
static bool read_numbers(const char *line, weir_array *to) {
    const char *at = line;
    for (size_t i = 0; i < to->count; i++) {
        char *end;
        if (weir_dtype_is_float(to->dtype)) weir_array_set(to, i, weir_parse_double(at, &end));
        else weir_array_set_int(to, i, (int64_t)strtoull(at, &end, 10));
        if (end == at) return false;
        at = end + strspn(end, " ");
    }
    return *at == '\0';
}

/* Integers are equal; reals are as near as the tolerance of themselves, and an eighth of it of the largest. */
static void compare(const char *check, const char *name, const weir_array *found, const weir_array *expected,
                    double tolerance) {
    double largest = 0;
    for (size_t i = 0; i < expected->count; i++) {
        const double size = fabs(weir_array_get(expected, i));
        if (isfinite(size)) largest = fmax(largest, size);
    }
    for (size_t i = 0; i < expected->count; i++) {
        const double f = weir_array_get(found, i), e = weir_array_get(expected, i);
        const bool is_real = weir_dtype_is_float(found->dtype);
        bool same = is_real ? f == e || (isnan(f) && isnan(e)) : whole(found, i) == whole(expected, i);
        if (!same && is_real && isfinite(e)) same = fabs(f - e) <= tolerance * (fabs(e) + largest / 8);
        if (same) continue;
        char *text = weir_format("element %zu of '%s' is %.9g, expected %.9g", i, name, f, e);
        complain(check, text);
        free(text);
        return;
    }
}

/* An output of a graph against its line. */
static void check_output(const test_case *c, const char *check, const char *name, const weir_array *found,
                         double tolerance) {
    char *line = case_find_line(c->text.values, name);
    weir_array *expected = weir_array_new(found->dtype, &found->shape);
    if (line == NULL || !read_numbers(line, expected)) {
        char *text = weir_format("section values: expected '%s = ' and %zu numbers", name, found->count);
        complain(check, text);
        free(text);
    } else {
        compare(check, name, found, expected, tolerance);
    }
    weir_array_free(expected);
    free(line);
}

static weir_array **make_inputs(const test_case *c, const weir_graph *graph) {
    const size_t count = weir_graph_input_count(graph);
    weir_array **inputs = weir_calloc(count + 1, sizeof *inputs);
    for (size_t i = 0; i < count; i++) {
        const weir_value value = weir_graph_input(graph, i);
        const weir_type *type = weir_value_type(graph, value);
        inputs[i] = weir_array_new(type->dtype, &type->shape);
        char *line = case_find_line(c->text.data, weir_value_name(graph, value));
        if (!case_fill(inputs[i], weir_value_name(graph, value), line)) complain("data", line);
        free(line);
    }
    return inputs;
}

static void free_inputs(const weir_graph *graph, weir_array **inputs) {
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) weir_array_free(inputs[i]);
    free(inputs);
}

/* `planted: literal` moves what the first input is read at. */
static void plant_nest(const weir_loop_nest *nest) {
    for (uint32_t i = 0; i < nest->operand_count; i++) {
        weir_loop_operand *operand = &nest->operand[i];
        if (operand->is_output || operand->rank == 0) continue;
        operand->axis[operand->rank - 1].offset++;
        return;
    }
}

/* Where the loop nest is all of the operator's definition, executing it literally gives what the kernel gives. */
static void check_literally(const test_case *c, const weir_graph *graph, const weir_executor *executor, weir_node node,
                            double tolerance) {
    weir_arena *arena = weir_arena_new();
    const weir_loop_nest *nest = weir_loop_nest_of(graph, node, arena);
    const size_t inputs = weir_node_input_count(graph, node), outputs = weir_node_output_count(graph, node);
    if (c->text.planted != NULL && strcmp(c->text.planted, "literal") == 0) plant_nest(nest);
    if (nest_is_definition(graph, node, nest)) {
        const weir_array **data = weir_calloc(inputs, sizeof *data);
        weir_array **result = weir_calloc(outputs, sizeof *result);
        for (size_t i = 0; i < inputs; i++) {
            const weir_value value = weir_node_input(graph, node, i);
            if (value.id != 0) data[i] = weir_executor_value(executor, value);
        }
        for (size_t i = 0; i < outputs; i++) {
            const weir_type *type = weir_value_type(graph, weir_node_output(graph, node, i));
            result[i] = weir_array_in(arena, type->dtype, &type->shape);
        }
        execute_nest(nest, weir_node_op(graph, node), data, result);
        for (size_t i = 0; i < outputs; i++)
            compare("literal", weir_node_name(graph, node), result[i],
                    weir_executor_value(executor, weir_node_output(graph, node, i)), tolerance);
        free(result);
        free(data);
    }
    weir_arena_free(arena);
}

/* Every output of the float engine is a line of `values`. */
static void check_values(const test_case *c, const weir_graph *graph, weir_array *const *inputs) {
    const double tolerance = c->text.tolerance == NULL ? 1e-6 : atof(c->text.tolerance);
    weir_executor *executor = weir_executor_new(graph);
    if (executor == NULL || !weir_executor_run(executor, (const weir_array *const *)inputs)) {
        complain("values", messages.data);
    } else {
        if (c->print) printf("--- values\n");
        for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
            const weir_array *found = weir_executor_value(executor, weir_graph_output(graph, i));
            if (c->print) print_values(weir_graph_output_name(graph, i), found);
            check_output(c, "values", weir_graph_output_name(graph, i), found, tolerance);
        }
        for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
            if (weir_node_op(graph, node) == c->subject) check_literally(c, graph, executor, node, tolerance);
        }
    }
    weir_executor_free(executor);
}

/* The exact integer graph gives the same values, to the last bit. */
static void check_integer(const test_case *c, const weir_graph *graph, weir_array *const *inputs) {
    weir_graph *integer = weir_lower_integer(graph);
    weir_executor *executor = integer == NULL ? NULL : weir_executor_new(integer);
    if (executor == NULL || weir_graph_input_count(integer) != weir_graph_input_count(graph)) {
        complain("integer", messages.data);
    } else {
        for (size_t i = 0; i < weir_graph_output_count(integer); i++) {
            weir_array **result = weir_calloc(weir_graph_output_count(integer), sizeof *result);
            if (!weir_executor_run_batch(executor, (const weir_array *const *)inputs, 0, result)) {
                complain("integer", messages.data);
            } else {
                check_output(c, "integer", weir_graph_output_name(integer, i), result[i], 0);
                for (size_t k = 0; k < weir_graph_output_count(integer); k++) weir_array_free(result[k]);
            }
            free(result);
        }
    }
    weir_executor_free(executor);
    if (integer != NULL) weir_graph_free(integer);
}

static bool wants_hardware(const test_case *c) {
    return c->text.hardware != NULL && strcmp(c->text.hardware, "yes") == 0;
}

/* --- cases --- */

static void run_accepted(const test_case *c, weir_graph *graph) {
    weir_array **inputs = make_inputs(c, graph);
    check_types(c, graph);
    check_subject(c, graph);
    check_values(c, graph, inputs);
    if (failed_check() == NULL && wants_hardware(c)) check_integer(c, graph, inputs);
    free_inputs(graph, inputs);
}

static bool is_declaration(const char *line) {
    static const char *const words[] = {"weir ", "graph ", "input ", "constant "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strncmp(line, words[i], strlen(words[i])) == 0) return true;
    }
    return false;
}

/* The graph with its declarations and one node, each on its line; false when there is no such node. */
static bool keep_node(const char *graph, size_t index, weir_text *text) {
    size_t nodes = 0;
    for (const char *line = graph; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        const bool is_node = !is_declaration(line) && *line != ' ' && strncmp(line, "output ", 7) != 0;
        nodes += is_node;
        const bool kept = is_declaration(line) || (nodes == index + 1 && strncmp(line, "output ", 7) != 0);
        weir_text_format(text, "%.*s\n", kept ? (int)size : 0, line);
        line += size + (line[size] == '\n');
    }
    return index < nodes;
}

/* Each node by itself must be refused. */
static void run_refused(const test_case *c) {
    char *call = weir_format("= %s(", weir_op_get(c->subject)->full_name);
    for (size_t index = 0;; index++) {
        weir_text text = {0};
        if (!keep_node(c->text.graph, index, &text)) {
            weir_text_free(&text);
            break;
        }
        if (strstr(text.data, call) == NULL) complain("subject", "a node is not of the folder's operator");
        weir_graph *graph = case_read_graph(text.data, c->text.data);
        if (graph != NULL) {
            char *what = weir_format("node %zu is accepted", index);
            complain("diagnostics", what);
            free(what);
            weir_graph_free(graph);
        }
        weir_text_free(&text);
        weir_diag_reset();
    }
    free(call);
    if (c->print) printf("--- diagnostics\n%s", messages.data);
    check_equal("diagnostics", c->text.diagnostics, messages.data);
}

/* The graph is a model that hardware cannot take. */
static void run_unlowered(const test_case *c, const weir_graph *graph) {
    weir_graph *integer = weir_lower_integer(graph);
    if (integer != NULL) complain("refusal", "hardware takes the model");
    if (integer != NULL) weir_graph_free(integer);
    if (c->print) printf("--- refusal\n%s", messages.data);
    check_equal("refusal", c->text.refusal, messages.data);
}

static void run_case(const test_case *c) {
    if (c->text.diagnostics != NULL) {
        run_refused(c);
        return;
    }
    weir_graph *graph = case_read_graph(c->text.graph, c->text.data);
    check_equal("diagnostics", "", messages.data);
    if (graph == NULL) return;
    if (c->text.refusal != NULL) run_unlowered(c, graph);
    else run_accepted(c, graph);
    weir_graph_free(graph);
}

/* The values of every input and constant. */
static int print_data(const test_case *c) {
    weir_graph *graph = case_read_graph(c->text.graph, c->text.data);
    if (graph == NULL) return 1;
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph_collect(graph, &archive);
    weir_array **inputs = make_inputs(c, graph);
    for (size_t i = 0; i < weir_graph_input_count(graph); i++)
        print_values(weir_value_name(graph, weir_graph_input(graph, i)), inputs[i]);
    for (size_t i = 0; i < archive.count; i++) print_values(archive.name[i], archive.array[i]);
    free_inputs(graph, inputs);
    weir_archive_free(&archive);
    weir_graph_free(graph);
    return 0;
}

/* The array and its turns to the left, a frame each. */
static weir_array *make_frames(const weir_array *first) {
    weir_array *frames = weir_array_new(first->dtype, &(weir_shape){2, {FRAMES, (int64_t)first->count}});
    for (size_t i = 0; i < frames->count; i++)
        weir_array_set(frames, i, weir_array_get(first, (i % first->count + i / first->count) % first->count));
    return frames;
}

static int save(const test_case *c, const char *folder) {
    weir_graph *graph = case_read_graph(c->text.graph, c->text.data);
    if (graph == NULL) return 1;
    char *path = weir_path_join(folder, "case.weir");
    bool fine = weir_make_folder(folder) && weir_graph_save(graph, path);
    weir_array **inputs = make_inputs(c, graph);
    for (size_t i = 0; fine && i < weir_graph_input_count(graph); i++) {
        char *file = weir_format("%s/%s.npy", folder, weir_value_name(graph, weir_graph_input(graph, i)));
        weir_array *frames = make_frames(inputs[i]);
        fine = weir_npy_write(file, frames);
        weir_array_free(frames);
        free(file);
    }
    free(path);
    free_inputs(graph, inputs);
    weir_graph_free(graph);
    return fine ? 0 : 1;
}

/* A file; what else to do with it is as in main. */
static int run_file(const char *path, weir_op subject, const char *option, const char *folder) {
    test_case c = {.subject = subject, .print = strcmp(option, "--print") == 0};
    size_t size;
    char *text = weir_file_read(path, &size);
    int status = 1;
    if (text == NULL || !op_case_read(text, &c.text)) {
        fprintf(stderr, "%s is no case\n", path);
    } else if (strcmp(option, "--data") == 0) {
        status = print_data(&c);
    } else if (folder != NULL) {
        status = save(&c, folder);
    } else {
        weir_text_free(&messages);
        weir_text_add(&messages, "");
        weir_diag_reset();
        weir_diag_set_handler(keep_message, &messages);
        run_case(&c);
        status = case_status(c.text.planted);
        weir_diag_set_handler(NULL, NULL);
        if (status != 0) fprintf(stderr, "%s: failed\n", path);
    }
    free(text);
    return status;
}

typedef struct folder_run {
    weir_op subject;
    int status;
} folder_run;

static void run_in_folder(void *user, const char *path) {
    folder_run *r = user;
    if (run_file(path, r->subject, "", NULL) != 0) r->status = 1;
}

static int run_folder(const char *path, weir_op subject) {
    folder_run r = {subject, 0};
    const int cases = op_folder_visit(path, run_in_folder, &r);
    printf("%d cases of %s\n", cases < 0 ? 0 : cases, weir_op_get(subject)->full_name);
    return cases <= 0 ? 1 : r.status;
}

int main(int count, char **argument) {
    const char *option = count > 2 ? argument[2] : "";
    const bool is_save = strcmp(option, "--save") == 0 && count == 4;
    if (count < 2 || count > 4 || (count == 4 && !is_save)) {
        fprintf(stderr, "usage: run_op FOLDER | CASE [--print | --data | --save DIR]\n");
        return 2;
    }
    const weir_op subject = subject_of_path(argument[1]);
    if (subject == WEIR_OP_NONE) {
        fprintf(stderr, "%s: its folder is not named after an operator\n", argument[1]);
        return 1;
    }
    const size_t length = strlen(argument[1]);
    const bool is_case = length > 4 && strcmp(argument[1] + length - 4, ".txt") == 0;
    const int status = is_case ? run_file(argument[1], subject, option, is_save ? argument[3] : NULL)
                               : run_folder(argument[1], subject);
    weir_text_free(&messages);
    return status;
}
