/* ONNX's own conformance tests against importer, inference and executor:
 *   conformance [--planted | --markdown] [--at-least N] [FOLDER]
 * FOLDER holds the node tests; without it the distribution's package libonnx-testdata is asked. Every test whose
 * operators are all known here (op.def, and what the importer makes of others) must run and pass; which those are is
 * read from the files, not from the importer. What runs is the graph written as ONNX and read back, which must be the
 * imported one. Each test runs with its inputs as inputs, and once more with all but the
 * first bound as constants; where an operator needs constants only the second way exists. --planted disturbs one
 * element of every result: then every test must be reported as failing.
 * --markdown prints a table of the outcomes instead of a line for each test (scripts/pages puts it into README.md).
 * Exit status: 0 as it should be, 1 not, 77 skipped (no data). */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/round_trip.h"
#include "conformance/scan.h"
#include "exec/evaluate.h"
#include "exec/exec.h"
#include "frontend/import/onnx.h"
#include "ir/trait/trait.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

enum { STATUS_FINE = 0, STATUS_WRONG = 1, STATUS_SKIPPED = 77 };

/* EMPTY: a result without elements, where no fault can be planted. BROKEN: there is no result to compare. */
typedef enum verdict { VERDICT_PASS, VERDICT_EMPTY, VERDICT_FAIL, VERDICT_BROKEN } verdict;

/* ONNX's runner compares floats with these (numpy.testing.assert_allclose), everything else exactly. Sums of half
 * precision depend on their order: two units in the last place. */
static const double absolute = 1e-7;

static double relative(weir_dtype dtype) {
    return dtype == WEIR_FLOAT16 ? 0x1p-9 : dtype == WEIR_BFLOAT16 ? 0x1p-6 : 1e-3;
}

static bool is_close(weir_dtype dtype, double found, double expected) {
    if (isnan(expected) || isinf(expected)) return isnan(expected) ? isnan(found) : found == expected;
    return fabs(found - expected) <= absolute + relative(dtype) * fabs(expected);
}

static bool matches(const weir_array *found, const weir_array *expected, bool quiet) {
    char first[96], second[96];
    if (found->dtype != expected->dtype || !weir_shape_equal(&found->shape, &expected->shape)) {
        if (!quiet)
            printf("  expected %s %s, found %s %s\n", weir_dtype_name(expected->dtype),
                   weir_shape_print(&expected->shape, first, sizeof first), weir_dtype_name(found->dtype),
                   weir_shape_print(&found->shape, second, sizeof second));
        return false;
    }
    if (!weir_dtype_is_float(found->dtype)) {
        if (weir_array_equal(found, expected)) return true;
        if (!quiet) printf("  integer results differ\n");
        return false;
    }
    for (size_t i = 0; i < found->count; i++) {
        const double f = weir_array_get(found, i), e = weir_array_get(expected, i);
        if (is_close(found->dtype, f, e)) continue;
        if (!quiet) printf("  element %zu: expected %.9g, found %.9g\n", i, e, f);
        return false;
    }
    return true;
}

/* A fault that a comparison must notice: the next integer or place, or twice the tolerance off. */
static weir_array *disturbed(const weir_array *array) {
    weir_array *copy = weir_array_copy(array);
    const size_t at = copy->count / 2;
    const double v = weir_array_get(copy, at);
    if (weir_dtype_is_small_float(copy->dtype)) {
        ((uint8_t *)copy->data)[at] ^= 1;
    } else if (weir_dtype_is_float(copy->dtype)) {
        weir_array_set(copy, at, v + 2.5 * (absolute + relative(copy->dtype) * fabs(v)));
    } else {
        weir_array_set_int(copy, at, copy->dtype == WEIR_BOOL ? v == 0 : weir_array_get_int(copy, at) + 1);
    }
    return copy;
}

static weir_array *read_tensor(const char *folder, const char *kind, size_t index) {
    char *name = weir_format("%s_%zu.pb", kind, index);
    char *path = weir_path_join(folder, name);
    weir_array *array = weir_onnx_read_tensor(path);
    free(path);
    free(name);
    return array;
}

static verdict compare(const weir_array *found, const weir_array *expected, bool planted) {
    if (!planted) return matches(found, expected, planted) ? VERDICT_PASS : VERDICT_FAIL;
    if (found->count == 0) return VERDICT_EMPTY;
    weir_array *wrong = disturbed(found);
    const verdict result = matches(wrong, expected, planted) ? VERDICT_PASS : VERDICT_FAIL;
    weir_array_free(wrong);
    return result;
}

static verdict worse(verdict a, verdict b) { return a > b ? a : b; }

static verdict compare_outputs(const weir_graph *graph, const weir_executor *executor, const char *set, bool planted) {
    verdict result = VERDICT_PASS;
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        weir_array *expected = read_tensor(set, "output", i);
        if (expected == NULL) return VERDICT_BROKEN;
        result = worse(result, compare(weir_executor_value(executor, weir_graph_output(graph, i)), expected, planted));
        weir_array_free(expected);
    }
    return result;
}

/* Files have no form of it. */
static bool has_states(const weir_graph *graph) {
    weir_node node = weir_graph_first(graph);
    while (node.id != 0 && weir_node_op(graph, node) != WEIR_OP_STATE) node = weir_node_next(graph, node);
    return node.id != 0;
}

/* The model's graph after it was written as ONNX, where it can be, and read back; NULL when it is not the same. */
static weir_graph *import_twice(const char *model, const weir_onnx_options *options) {
    weir_graph *graph = weir_onnx_import(model, options);
    if (graph != NULL && has_states(graph)) return graph;
    weir_graph *again = graph == NULL ? NULL : read_back(graph);
    if (again != NULL && !same_graph(graph, again)) {
        weir_graph_free(again);
        again = NULL;
    }
    if (graph != NULL) weir_graph_free(graph);
    return again;
}

/* Runs the model on the arrays (all inputs of the model), the first `free_inputs` as inputs, the others bound. */
static verdict run_model(const char *model, const scan *scanned, weir_array *const *inputs, size_t free_inputs,
                         const char *set, bool planted) {
    weir_archive bindings;
    weir_archive_init(&bindings);
    for (size_t i = free_inputs; i < scanned->input_count; i++)
        weir_archive_add(&bindings, scanned->input[i], weir_array_copy(inputs[i]));
    const weir_onnx_options options = {.bindings = &bindings, .evaluate = weir_evaluate_node};
    verdict result = VERDICT_BROKEN;
    weir_graph *graph = import_twice(model, &options);
    weir_executor *executor = graph == NULL ? NULL : weir_executor_new(graph);
    if (executor != NULL && weir_graph_input_count(graph) != free_inputs) {
        printf("  the graph has %zu inputs, expected %zu\n", weir_graph_input_count(graph), free_inputs);
    } else if (executor != NULL && weir_executor_run(executor, (const weir_array *const *)inputs)) {
        result = compare_outputs(graph, executor, set, planted);
    }
    weir_executor_free(executor);
    if (graph != NULL) weir_graph_free(graph);
    weir_archive_free(&bindings);
    return result;
}

/* How many inputs may stay inputs: those behind are sizes, axes or positions, which must be constants. -1: all. The
 * rows of op.def say it, of names that the importer turns into other operators this table. */
static int free_inputs(const char *name) {
    static const char *const others[] = {"ReduceL1",        "ReduceL2",        "ReduceSumSquare", "ReduceLogSum",
                                         "ReduceLogSumExp", "CumSum",          "OneHot",          "GatherElements",
                                         "GatherND",        "ScatterElements", "ScatterND",       "Trilu"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0) return 1;
    if (strcmp(name, "Loop") == 0) return 0; /* how often, first of all */
    const weir_op op = weir_op_find_full(name);
    const size_t sizes = weir_trait_of(op)->sizes;
    return op == WEIR_OP_NONE || sizes == SIZE_MAX || weir_trait_is_quantizer(op) ? -1 : (int)sizes;
}

static int inputs_that_vary(const scan *scanned) {
    int least = -1;
    for (size_t i = 0; i < scanned->node_count; i++) {
        const int count = free_inputs(scanned->op[i]);
        if (count >= 0 && (least < 0 || count < least)) least = count;
    }
    return least;
}

/* Both ways where both exist. They must agree, so that a planted fault missed in one of them shows. */
static verdict run_ways(const char *model, const scan *scanned, weir_array *const *inputs, const char *set,
                        bool planted) {
    const size_t count = scanned->input_count;
    const int vary = inputs_that_vary(scanned);
    if (vary >= 0) return run_model(model, scanned, inputs, (size_t)vary, set, planted);
    const verdict result = run_model(model, scanned, inputs, count, set, planted);
    if (count < 2) return result;
    const verdict bound = run_model(model, scanned, inputs, 1, set, planted);
    return planted && bound != result ? VERDICT_BROKEN : worse(result, bound);
}

static verdict run_set(const char *model, const scan *scanned, const char *set, bool planted) {
    weir_array *inputs[SCAN_MAX] = {NULL};
    bool complete = true;
    for (size_t i = 0; i < scanned->input_count; i++) {
        inputs[i] = read_tensor(set, "input", i);
        complete = complete && inputs[i] != NULL;
    }
    const verdict result = complete ? run_ways(model, scanned, inputs, set, planted) : VERDICT_BROKEN;
    for (size_t i = 0; i < scanned->input_count; i++) weir_array_free(inputs[i]);
    return result;
}

/* All data sets of a test. */
static verdict run_test(const char *folder, const scan *scanned, bool planted) {
    char *model = weir_path_join(folder, "model.onnx");
    verdict result = VERDICT_PASS;
    for (int i = 0;; i++) {
        char *name = weir_format("test_data_set_%d", i);
        char *set = weir_path_join(folder, name);
        const bool there = weir_file_exists(set);
        if (there) result = worse(result, run_set(model, scanned, set, planted));
        free(set);
        free(name);
        if (!there) {
            free(model);
            return i == 0 ? VERDICT_BROKEN : result;
        }
    }
}

/* What the importer makes other operators of. */
static const char *const composed[] = {"Constant",
                                       "Sum",
                                       "Mean",
                                       "ReduceL1",
                                       "ReduceL2",
                                       "ReduceSumSquare",
                                       "ReduceLogSum",
                                       "ReduceLogSumExp",
                                       "Einsum",
                                       "CumSum",
                                       "OneHot",
                                       "GatherElements",
                                       "GatherND",
                                       "ScatterND",
                                       "ScatterElements",
                                       "CastLike",
                                       "Trilu",
                                       "Attention",
                                       "RotaryEmbedding",
                                       "GroupNormalization",
                                       "LRN",
                                       "LSTM",
                                       "GRU",
                                       "RNN",
                                       "Loop",
                                       "Scan"};

static bool is_composed(const char *name) {
    for (size_t i = 0; i < sizeof composed / sizeof *composed; i++) {
        if (strcmp(composed[i], name) == 0) return true;
    }
    return false;
}

/* The first operator that is not known here; NULL: all are. */
static const char *unknown_operator(const scan *scanned) {
    for (size_t i = 0; i < scanned->node_count; i++) {
        if (weir_op_find_full(scanned->op[i]) == WEIR_OP_NONE && !is_composed(scanned->op[i])) return scanned->op[i];
    }
    return NULL;
}

/* What this importer refuses by design, by the beginning of the test's name. */
static const struct {
    const char *name, *reason;
} refused[] = {
    {"test_batchnorm_epsilon_training_mode", "training"},
    {"test_batchnorm_example_training_mode", "training"},
    {"test_cast_BFLOAT16_to_FLOAT", "bfloat16 as integers of 16 bits"},
    {"test_cast_FLOAT_to_BFLOAT16", "bfloat16 as integers of 16 bits"},
    {"test_castlike_BFLOAT16_to_FLOAT", "bfloat16 as integers of 16 bits"},
    {"test_castlike_FLOAT_to_BFLOAT16", "bfloat16 as integers of 16 bits"},
    {"test_dequantizelinear_e4m3fn_float16", "scales of float16, which commands convert"},
    {"test_dropout_default_mask", "the mask is an output"},
    {"test_cumsum_1d_int32", "sums of integers along an axis"},
    {"test_cumsum_2d_int32", "sums of integers along an axis"},
    {"test_einsum_batch_diagonal", "an Einsum of a diagonal"},
    {"test_nllloss", "positions along an axis that are an input"},
    {"test_scatter_elements_with_duplicate_indices", "results of several updates"},
    {"test_scatter_elements_with_reduction", "results of several updates"},
    {"test_scatternd_add", "results of several updates"},
    {"test_scatternd_max", "results of several updates"},
    {"test_scatternd_min", "results of several updates"},
    {"test_scatternd_multiply", "results of several updates"},
    {"test_mod_float_edge_cases", "infinite numbers as constants"},
    {"test_qlinearmatmul_2D_int8_float16", "scales of float16, which commands convert"},
    {"test_qlinearmatmul_2D_uint8_float16", "scales of float16, which commands convert"},
    {"test_qlinearmatmul_3D_int8_float16", "scales of float16, which commands convert"},
    {"test_qlinearmatmul_3D_uint8_float16", "scales of float16, which commands convert"},
    {"test_rotary_embedding_3d_input_expanded", "a part without elements"},
    {"test_rotary_embedding_expanded", "a part without elements"},
    {"test_rotary_embedding_interleaved_expanded", "a part without elements"},
    {"test_rotary_embedding_no_position_ids_expanded", "a part without elements"},
    {"test_rotary_embedding_no_position_ids_interleaved_expanded", "a part without elements"},
    {"test_rotary_embedding_no_position_ids_rotary_dim_expanded", "a part without elements"},
    {"test_loop13_seq", "sequences of tensors"},
    {"test_loop16_seq_none", "sequences of tensors"},
    {"test_scan_sum", "a Scan of opset 8, over a batch"},
    {"test_training_dropout", "training"},
    {"test_maxpool_with_argmax", "positions are an output"},
    {"test_resize_downsample_scales_cubic", "only nearest and linear"},
    {"test_resize_downsample_sizes_cubic", "only nearest and linear"},
    {"test_resize_downsample_scales_linear_align_corners", "corners of a size that is not whole"},
    {"test_resize_downsample_scales_linear_antialias", "without antialias"},
    {"test_resize_downsample_sizes_linear_antialias", "without antialias"},
    {"test_resize_tf_crop_and_resize", "only nearest and linear"},
    {"test_resize_upsample_scales_cubic", "only nearest and linear"},
    {"test_resize_upsample_sizes_cubic", "only nearest and linear"},
};

static const char *reason_to_skip(const char *name, const scan *scanned) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strncmp(name, refused[i].name, strlen(refused[i].name)) == 0) return refused[i].reason;
    return scanned->obstacle;
}

/* How many tests are left out for each reason, in the order of their names. */
typedef struct reasons {
    size_t count, tests[SCAN_MAX * 8];
    char *name[SCAN_MAX * 8];
} reasons;

typedef struct tally {
    size_t seen, expected, ran, skipped, wrong;
    reasons reason, unknown; /* of those skipped; operators of those that are not expected to run */
    bool quiet;
} tally;

static void add_reason(reasons *list, const char *name) {
    size_t at = 0;
    while (at < list->count && strcmp(list->name[at], name) != 0) at++;
    if (at == sizeof list->name / sizeof *list->name) return;
    if (at == list->count) list->name[list->count++] = weir_copy_string(name);
    list->tests[at]++;
}

static void print_markdown(const tally *count) {
    printf("| outcome | node tests |\n|---|---|\n| passed | %zu |\n", count->ran - count->wrong);
    for (size_t i = 0; i < count->reason.count; i++)
        printf("| not supported: %s | %zu |\n", count->reason.name[i], count->reason.tests[i]);
    printf("| not supported: operators that are not imported (");
    for (size_t i = 0; i < count->unknown.count; i++) printf("%s%s", i == 0 ? "" : ", ", count->unknown.name[i]);
    printf(") | %zu |\n| failed | %zu |\n| **all** | %zu |\n", count->seen - count->expected, count->wrong,
           count->seen);
}

static void free_reasons(reasons *list) {
    for (size_t i = 0; i < list->count; i++) free(list->name[i]);
}

static void visit(const char *folder, const char *name, bool planted, tally *count) {
    scan scanned;
    char *model = weir_path_join(folder, "model.onnx");
    size_t size = 0;
    char *data = weir_file_exists(model) ? weir_file_read(model, &size) : NULL;
    free(model);
    if (data == NULL) return;
    const bool fine = scan_model(data, size, &scanned);
    free(data);
    count->seen++;
    const char *unknown = !fine ? "models that cannot be scanned" : unknown_operator(&scanned);
    if (unknown == NULL && scanned.node_count == 0) unknown = "none";
    if (unknown != NULL) {
        add_reason(&count->unknown, unknown);
        return;
    }
    count->expected++;
    const char *reason = reason_to_skip(name, &scanned);
    if (reason != NULL) {
        add_reason(&count->reason, reason);
        if (!count->quiet) printf("skip %s: %s\n", name, reason);
        count->skipped++;
        return;
    }
    static const char *const words[] = {"pass", "empty", "FAIL", "FAIL"};
    static const char *const planted_words[] = {"MISSED", "empty", "caught", "MISSED"};
    const verdict result = run_test(folder, &scanned, planted);
    const verdict wanted = planted ? VERDICT_FAIL : VERDICT_PASS;
    count->ran++;
    if (result != wanted && result != VERDICT_EMPTY) count->wrong++;
    if (!count->quiet) printf("%s %s\n", planted ? planted_words[result] : words[result], name);
}

/* The package's folder of node tests, or NULL; heap memory. */
static char *find_data(void) {
    const char *const arguments[] = {"dpkg", "-L", "libonnx-testdata", NULL};
    const weir_process process = {.arguments = arguments, .seconds = 60};
    weir_text output = {0};
    int status = 0;
    char *found = NULL;
    if (weir_process_run(&process, &output, &status) == WEIR_PROCESS_EXITED && status == 0 && output.data != NULL) {
        for (char *line = strtok(output.data, "\n"); line != NULL && found == NULL; line = strtok(NULL, "\n")) {
            const size_t length = strlen(line);
            if (length > 10 && strcmp(line + length - 10, "/data/node") == 0) found = weir_copy_string(line);
        }
    }
    weir_text_free(&output);
    return found;
}

static bool run_all(const char *root, tally *count, bool planted) {
    struct dirent **entries;
    const int found = scandir(root, &entries, NULL, alphasort);
    if (found < 0) {
        fprintf(stderr, "error: cannot list '%s'\n", root);
        return false;
    }
    for (int i = 0; i < found; i++) {
        char *folder = weir_path_join(root, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') visit(folder, entries[i]->d_name, planted, count);
        free(folder);
        free(entries[i]);
    }
    free(entries);
    return true;
}

int main(int argc, char **argv) {
    bool planted = false;
    size_t least = 1;
    tally count = {0};
    char *root = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--planted") == 0) {
            planted = true;
        } else if (strcmp(argv[i], "--markdown") == 0) {
            count.quiet = true;
        } else if (strcmp(argv[i], "--at-least") == 0 && i + 1 < argc) {
            least = (size_t)strtoul(argv[++i], NULL, 10);
        } else {
            root = weir_copy_string(argv[i]);
        }
    }
    if (root == NULL) root = find_data();
    if (root == NULL) {
        printf("skipped: the package libonnx-testdata is not installed\n");
        return STATUS_SKIPPED;
    }
    const bool listed = run_all(root, &count, planted);
    free(root);
    if (count.quiet) print_markdown(&count);
    else
        printf("%zu of %zu tests use known operators: %zu ran, %zu skipped, %zu %s\n", count.expected, count.seen,
               count.ran, count.skipped, count.wrong, planted ? "planted faults missed" : "failed");
    free_reasons(&count.reason);
    free_reasons(&count.unknown);
    if (count.ran < least) printf("expected at least %zu tests to run\n", least);
    const bool complete = listed && count.ran >= least && count.ran + count.skipped == count.expected;
    return complete && count.wrong == 0 ? STATUS_FINE : STATUS_WRONG;
}
