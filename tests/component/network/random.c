/* Small networks with random layers, residual additions, further inputs and outputs, requantizers and foldings: the
 * passes between the integer graph and emission together with every component they use. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "component/case.h"
#include "dataflow/schedule/stream.h"
#include "ir/shape/infer.h"
#include "passes/passes.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/text.h"

enum { MAX_CHANNELS = 24, FRAMES = 8 };

static void must(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "%s failed on a graph that it should take\n", what);
    abort();
}

static double random_scale(component_case *c) {
    double scale = ldexp((double)case_range(c, 1 << 22, (1 << 23) - 1), -(int)case_range(c, 24, 30));
    return case_chance(c, 30) ? ldexp(1, -(int)case_range(c, 0, 7)) : scale;
}

static weir_value add_linear(component_case *c, weir_value x, int64_t k, int64_t n, bool per_channel) {
    int64_t *codes = weir_malloc((size_t)(n * k) * sizeof *codes);
    int bits = (int)case_range(c, 1, 7);
    for (int64_t i = 0; i < n * k; i++) codes[i] = case_range(c, -((int64_t)1 << bits), ((int64_t)1 << bits) - 1);
    weir_value inputs[2] = {x, case_ints(c, "w", n, k, codes)};
    free(codes);
    weir_node node = case_node(c, WEIR_OP_LINEAR, "fc", inputs, 2, 1);
    double scale[MAX_CHANNELS];
    int64_t zero[MAX_CHANNELS];
    for (int64_t i = 0; i < n; i++) {
        scale[i] = per_channel || i == 0 ? random_scale(c) : scale[0];
        zero[i] = case_number(c, 12, true);
    }
    weir_type type = {.dtype = WEIR_INT64, .shape = {2, {1, n}}};
    type.quant = (weir_quant){
        .format = WEIR_FORMAT_INTEGER, .axis = 1, .count = (uint32_t)n, .scale = scale, .zero_point = zero};
    weir_value_set_type(c->graph, weir_node_output(c->graph, node, 0), &type);
    must(weir_infer_node(c->graph, node), "inference");
    return weir_node_output(c->graph, node, 0);
}

/* The scale of the codes fits the accumulator's range more or less. */
static weir_value add_requantize(component_case *c, weir_value accumulator) {
    const weir_type *from = weir_value_type(c->graph, accumulator);
    weir_node node = case_node(c, WEIR_OP_REQUANTIZE, "requantize", &accumulator, 1, 1);
    int width = (int)case_range(c, 2, 8);
    double reach = fmax(fabs((double)from->low), fabs((double)from->high)) * from->quant.scale[0] + 1e-3;
    double scale = (double)(float)(reach / ldexp(1, width) * ldexp(1, -(int)case_range(c, 0, 3)));
    if (case_chance(c, 30)) scale = ldexp(1, (int)floor(log2(scale)));
    int64_t zero = case_chance(c, 50) ? 0 : case_range(c, 0, ((int64_t)1 << (width - 1)) - 1);
    weir_type type = {.shape = from->shape};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER,
                              .is_signed = case_chance(c, 50),
                              .width = width,
                              .rounding = WEIR_ROUND_HALF_EVEN,
                              .axis = -1,
                              .count = 1,
                              .scale = &scale,
                              .zero_point = &zero};
    int64_t low, high;
    weir_quant_limits(&type.quant, &low, &high);
    type.dtype = weir_dtype_for(low, high);
    weir_value_set_type(c->graph, weir_node_output(c->graph, node, 0), &type);
    weir_node_set_string(c->graph, node, "arithmetic", case_chance(c, 70) ? "qlinear" : "quant");
    if (case_chance(c, 40)) weir_node_set_int(c->graph, node, "low", zero > low ? zero : low);
    must(weir_infer_node(c->graph, node), "inference");
    return weir_node_output(c->graph, node, 0);
}

static weir_value add_residual(component_case *c, weir_value a, weir_value b) {
    weir_value pair[2] = {a, b};
    weir_node sum = case_node(c, WEIR_OP_SUM, "add", pair, 2, 1);
    weir_node_set_int(c->graph, sum, "ca", case_range(c, 1, 300));
    weir_node_set_int(c->graph, sum, "cb", case_range(c, 1, 300));
    must(weir_infer_node(c->graph, sum), "inference");
    const weir_type *type = weir_value_type(c->graph, weir_node_output(c->graph, sum, 0));
    int64_t step[40], count = case_range(c, 1, 40);
    for (int64_t i = 0; i < count; i++) step[i] = case_range(c, type->low, type->high + 1);
    qsort(step, (size_t)count, sizeof *step, case_compare);
    weir_value inputs[2] = {weir_node_output(c->graph, sum, 0), case_ints(c, "steps", 1, count, step)};
    weir_node node = case_node(c, WEIR_OP_THRESHOLD, "requantize", inputs, 2, 1);
    weir_node_set_int(c->graph, node, "base", case_chance(c, 50) ? 0 : -count / 2);
    must(weir_infer_node(c->graph, node), "inference");
    return weir_node_output(c->graph, node, 0);
}

/* A folding file with random numbers, also ones that do not divide. */
static char *write_folding(component_case *c) {
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "nodes:\n");
    for (weir_node node = weir_graph_first(c->graph); node.id != 0; node = weir_node_next(c->graph, node)) {
        if (weir_node_op(c->graph, node) != WEIR_OP_LINEAR) continue;
        const weir_shape *weights = &weir_value_type(c->graph, weir_node_input(c->graph, node, 1))->shape;
        const int64_t n = weights->dim[0], k = weights->dim[1];
        weir_text_format(&text, "  %s: {simd: %lld, pe: %lld, storage: %s}\n", weir_node_name(c->graph, node),
                         (long long)case_range(c, 1, k), (long long)case_range(c, 1, n),
                         case_chance(c, 50) ? "logic" : "auto");
    }
    char *path = weir_path_join(c->folder, "folding.yaml");
    must(weir_file_write(path, text.data, text.size), "writing the folding");
    weir_text_free(&text);
    return path;
}

static void fold(component_case *c) {
    char *file = case_chance(c, 40) ? write_folding(c) : NULL;
    int64_t target = case_chance(c, 50) ? case_range(c, 1, 100) : 0;
    must(weir_realize_requantize(c->graph,
                                 (weir_requantize_form)case_range(c, WEIR_REQUANTIZE_AUTO, WEIR_REQUANTIZE_THRESHOLD)),
         "realize_requantize");
    must(weir_choose_folding(c->graph, target, case_range(c, 1, 64), file), "choose_folding");
    must(weir_insert_streams(c->graph), "insert_streams");
    must(weir_size_fifos(c->graph), "size_fifos");
    free(file);
}

static void build(component_case *c) {
    int64_t k = case_range(c, 1, MAX_CHANNELS);
    weir_value value = case_codes(c, 1, k, 1, 8, 50);
    for (int64_t layers = case_range(c, 1, 3); layers > 0; layers--) {
        bool residual = case_chance(c, 50);
        int64_t n = residual ? k : case_range(c, 1, MAX_CHANNELS);
        weir_value next = add_requantize(c, add_linear(c, value, k, n, case_chance(c, 70)));
        if (case_chance(c, 20)) weir_graph_add_output(c->graph, "between", next);
        weir_value other = case_chance(c, 40) ? case_codes(c, 1, n, 1, 8, 50) : value;
        value = residual || other.id != value.id ? add_residual(c, other, next) : next;
        k = n;
    }
    case_finish(c, value);
    fold(c);
    case_make_data(c, FRAMES);
}

const component_test component_test_network = {"network", build, NULL, false};
