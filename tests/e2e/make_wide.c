/* make_wide KIND OUT.weir: models that are large in one respect, for what must not be bounded.
 *   outputs N   one quantized input, N outputs, each the input quantized and limited in its own way
 *   alike N     the same, whose names are N different ones that Verilog would write alike (N up to 4)
 *   inputs N    N quantized inputs, added up
 *   fan N       one value with N users, whose results are added up
 *   names N     names of N characters for model, node, input and outputs
 *   chain N     N nodes one behind the other, real numbers
 *   dense N     int8 classifier of 784 values with two hidden layers of N, random weights */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/print.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

static weir_graph *graph;

static weir_value scalar(weir_dtype dtype, double number) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){0, {0}});
    weir_array_set(array, 0, number);
    weir_value value = weir_graph_add_constant(graph, "c", array);
    weir_array_free(array);
    return value;
}

static weir_value add(weir_op op, const char *name, size_t count, const weir_value *inputs) {
    weir_node node = weir_graph_add_node(graph, op, name, inputs, count, 1, WEIR_NO_NODE);
    if (!weir_infer_node(graph, node)) exit(1);
    return weir_node_output(graph, node, 0);
}

static weir_value input_of(const char *name, int64_t elements) {
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {2, {1, elements}}, .quant = {.axis = -1}};
    return weir_graph_add_input(graph, name, &type);
}

static weir_value input(const char *name) { return input_of(name, 4); }

/* To codes and back. */
static weir_value scaled(const char *name, weir_value x, double scale, double zero) {
    const weir_value s = scalar(WEIR_FLOAT32, scale), z = scalar(WEIR_INT8, zero);
    const weir_value codes = add(WEIR_OP_QUANTIZE_LINEAR, name, 3, (weir_value[]){x, s, z});
    return add(WEIR_OP_DEQUANTIZE_LINEAR, name, 3, (weir_value[]){codes, s, z});
}

static weir_value quantized(const char *name, weir_value x, double zero) { return scaled(name, x, 1, zero); }

static void make_outputs(size_t n) {
    const weir_value x = quantized("in", input("x"), 0);
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "y%zu", i);
        weir_graph_add_output(graph, name, quantized(name, add(WEIR_OP_RELU, "relu", 1, &x), -(double)(i % 100)));
    }
}

static void make_alike(size_t n) {
    static const char *const names[] = {"y.", "y__2", "y-", "y_"};
    const weir_value x = quantized("in", input("x"), 0);
    for (size_t i = 0; i < n && i < 4; i++)
        weir_graph_add_output(graph, names[i], quantized("q", add(WEIR_OP_RELU, "relu", 1, &x), -(double)i));
}

static void make_inputs(size_t n) {
    weir_value sum = WEIR_NO_VALUE;
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "x%zu", i);
        const weir_value x = quantized(name, input(name), 0);
        sum = i == 0 ? x : quantized("sum", add(WEIR_OP_ADD, "add", 2, (weir_value[]){sum, x}), 0);
    }
    weir_graph_add_output(graph, "y", sum);
}

static void make_fan(size_t n) {
    const weir_value x = quantized("in", input("x"), 0);
    weir_value sum = x;
    for (size_t i = 1; i < n; i++) sum = quantized("sum", add(WEIR_OP_ADD, "add", 2, (weir_value[]){sum, x}), 0);
    weir_graph_add_output(graph, "y", sum);
}

static void make_names(size_t n) {
    char *name = weir_malloc(n + 1);
    memset(name, 'n', n);
    name[n] = '\0';
    weir_graph_set_name(graph, name);
    const weir_value x = quantized(name, input(name), 0);
    for (int i = 0; i < 2; i++) {
        name[n - 1] = (char)('a' + i);
        weir_graph_add_output(graph, name, quantized(name, add(WEIR_OP_RELU, name, 1, &x), i));
    }
    free(name);
}

static void make_chain(size_t n) {
    weir_value x = input("x");
    for (size_t i = 0; i < n; i++) x = add(WEIR_OP_NEG, "neg", 1, &x);
    weir_graph_add_output(graph, "y", x);
}

/* Sums of n random products of codes of 73 each on average are about 73 * 73 * sqrt(n). */
static weir_value layer(const char *name, weir_value x, int64_t rows, int64_t columns, double *scale,
                        uint64_t *random) {
    weir_array *codes = weir_array_new(WEIR_INT8, &(weir_shape){2, {rows, columns}});
    for (size_t i = 0; i < codes->count; i++)
        weir_array_set_int(codes, i, (int64_t)(weir_random_next(random) >> 32) % 255 - 127);
    const weir_value w = weir_graph_add_constant(graph, "w", codes);
    weir_array_free(codes);
    const weir_value real =
        add(WEIR_OP_DEQUANTIZE_LINEAR, name, 3, (weir_value[]){w, scalar(WEIR_FLOAT32, 0x1p-10), scalar(WEIR_INT8, 0)});
    *scale *= 0x1p-10 * 73 * sqrt((double)rows);
    return scaled(name, add(WEIR_OP_MATMUL, name, 2, (weir_value[]){x, real}), *scale, 0);
}

static void make_dense(size_t n) {
    const int64_t sizes[] = {784, (int64_t)n, (int64_t)n, 10};
    uint64_t random = 1;
    double scale = 1.0 / 127;
    weir_value x = scaled("in", input_of("x", sizes[0]), scale, 0);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "fc%d", i + 1);
        if (i > 0) x = add(WEIR_OP_RELU, name, 1, &x);
        x = layer(name, x, sizes[i], sizes[i + 1], &scale, &random);
    }
    weir_graph_add_output(graph, "y", x);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*make)(size_t n);
    } kinds[] = {{"outputs", make_outputs}, {"alike", make_alike}, {"inputs", make_inputs}, {"fan", make_fan},
                 {"names", make_names},     {"chain", make_chain}, {"dense", make_dense}};
    for (size_t i = 0; argc == 4 && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, argv[1]) != 0) continue;
        graph = weir_graph_new("wide");
        kinds[i].make((size_t)strtoul(argv[2], NULL, 10));
        const bool fine = weir_graph_save(graph, argv[3]);
        weir_graph_free(graph);
        return !fine;
    }
    fprintf(stderr, "usage: %s outputs|alike|inputs|fan|names|chain|dense N OUT.weir\n", argv[0]);
    return 2;
}
