/* same_results A B FRAMES [SHARE]: do two graphs (.weir or .onnx) compute the same bits on random frames? With SHARE,
 * at most that share of the elements differs in value (0.0 and -0.0 do not). Names and types of inputs and outputs must
 * be the same; codes come from the ranges of A's inputs. Exit status 0 when they do, 1 when not, 2 for bad usage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/evaluate.h"
#include "exec/exec.h"
#include "frontend/import/onnx.h"
#include "ir/graph/print.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

static uint64_t state = 1;

static uint64_t random_bits(void) { return weir_random_next(&state); }

static weir_graph *read_graph(const char *path) {
    const char *dot = strrchr(path, '.');
    const weir_onnx_options options = {.evaluate = weir_evaluate_node, .to_float32 = true};
    return dot != NULL && strcmp(dot, ".weir") == 0 ? weir_graph_load(path) : weir_onnx_import(path, &options);
}

static void fill(weir_array *array, const weir_type *type) {
    int64_t low = type->low, high = type->high;
    const bool real = weir_dtype_is_float(type->dtype);
    if (!real && !type->has_range) weir_dtype_limits(type->dtype, &low, &high);
    const uint64_t span = (uint64_t)high - (uint64_t)low + 1;
    for (size_t i = 0; i < array->count; i++) {
        const uint64_t bits = random_bits();
        if (real) weir_array_set(array, i, ((double)(bits >> 11) * 0x1p-53 - 0.5) * 8);
        else weir_array_set_int(array, i, (int64_t)((uint64_t)low + (span == 0 ? bits : bits % span)));
    }
}

static size_t elements, differences;
static bool by_value;

/* Same type and shape; counts elements that differ. */
static bool compare(const weir_array *x, const weir_array *y) {
    if (x->dtype != y->dtype || !weir_shape_equal(&x->shape, &y->shape)) return false;
    const size_t size = weir_dtype_size(x->dtype);
    for (size_t i = 0; i < x->count; i++) {
        const bool same = memcmp((const char *)x->data + i * size, (const char *)y->data + i * size, size) == 0;
        differences += !same && !(by_value && weir_array_get(x, i) == weir_array_get(y, i));
    }
    elements += x->count;
    return true;
}

static bool same_outputs(const weir_graph *a, const weir_executor *of_a, const weir_graph *b,
                         const weir_executor *of_b) {
    for (size_t i = 0; i < weir_graph_output_count(a); i++) {
        const weir_array *x = weir_executor_value(of_a, weir_graph_output(a, i));
        const weir_array *y = weir_executor_value(of_b, weir_graph_output(b, i));
        if (strcmp(weir_graph_output_name(a, i), weir_graph_output_name(b, i)) == 0 && compare(x, y)) continue;
        fprintf(stderr, "error: output '%s' has another name, type or shape\n", weir_graph_output_name(a, i));
        return false;
    }
    return weir_graph_output_count(a) == weir_graph_output_count(b);
}

static bool same_frame(const weir_graph *a, weir_executor *of_a, const weir_graph *b, weir_executor *of_b) {
    const size_t count = weir_graph_input_count(a);
    weir_array **inputs = weir_calloc(count, sizeof *inputs);
    for (size_t i = 0; i < count; i++) {
        const weir_type *type = weir_value_type(a, weir_graph_input(a, i));
        inputs[i] = weir_array_new(type->dtype, &type->shape);
        fill(inputs[i], type);
    }
    const weir_array *const *frame = (const weir_array *const *)inputs;
    const bool fine = count == weir_graph_input_count(b) && weir_executor_run(of_a, frame) &&
                      weir_executor_run(of_b, frame) && same_outputs(a, of_a, b, of_b);
    for (size_t i = 0; i < count; i++) weir_array_free(inputs[i]);
    free(inputs);
    return fine;
}

int main(int argc, char **argv) {
    if (argc != 4 && argc != 5) return 2;
    const double share = argc == 5 ? strtod(argv[4], NULL) : 0;
    by_value = argc == 5;
    weir_graph *a = read_graph(argv[1]), *b = read_graph(argv[2]);
    weir_executor *of_a = a == NULL ? NULL : weir_executor_new(a), *of_b = b == NULL ? NULL : weir_executor_new(b);
    bool fine = of_a != NULL && of_b != NULL;
    for (long i = strtol(argv[3], NULL, 10); fine && i > 0; i--) fine = same_frame(a, of_a, b, of_b);
    weir_executor_free(of_a);
    weir_executor_free(of_b);
    weir_graph_free(a);
    weir_graph_free(b);
    fine = fine && (double)differences <= share * (double)elements;
    if (differences > 0) fprintf(stderr, "note: %zu of %zu elements differ\n", differences, elements);
    return fine ? 0 : 1;
}
