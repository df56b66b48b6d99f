/* verify_lowering: right lowerings pass, whatever their scales, and every planted fault of a lowering is found: in the
 * integer graph, as a bug of lower_integer would leave it, and in the hardware graph, as a bug of a pass behind it. */
#include <math.h>

#include "test_passes_lowering.h"

/* Random networks that must not be refused, and random faults a model. */
enum { NETWORKS = 100, FAULTS = 4, SINGLE_CODES = 40 };

/* --- right lowerings --- */

static double random_scale(bool power) {
    return power ? ldexp(1, (int)random_int(-6, 0)) : (double)(float)((double)random_int(1, 100000) / 300000);
}

static weir_value random_layer(weir_graph *g, weir_value x, double scale, int64_t inputs, int64_t outputs, bool power) {
    double w[12 * 12], s[12], codes[12], bias[12];
    for (int64_t i = 0; i < inputs * outputs; i++) w[i] = (double)random_int(-128, 127);
    for (int64_t i = 0; i < outputs; i++) {
        s[i] = random_scale(power);
        codes[i] = (double)random_int(-3000, 3000);
        bias[i] = (double)((float)scale * (float)s[i]);
    }
    weir_value parts[3] = {add_constant(g, "w", WEIR_INT8, 2, inputs, outputs, w),
                           add_constant(g, "ws", WEIR_FLOAT32, 1, outputs, 0, s), WEIR_NO_VALUE};
    weir_node weights = put(g, WEIR_OP_DEQUANTIZE_LINEAR, "wdq", 2, parts);
    weir_node_set_int(g, weights, "axis", 1);
    assert_true(weir_infer_node(g, weights));
    weir_value terms[2] = {add_constant(g, "b", WEIR_INT32, 1, outputs, 0, codes),
                           add_constant(g, "bs", WEIR_FLOAT32, 1, outputs, 0, bias)};
    weir_node offset = put(g, WEIR_OP_DEQUANTIZE_LINEAR, "bdq", 2, terms);
    weir_node_set_int(g, offset, "axis", 0);
    assert_true(weir_infer_node(g, offset));
    weir_value w_real = weir_node_output(g, weights, 0), b_real = weir_node_output(g, offset, 0);
    if (random_int(0, 1)) return ADD(g, WEIR_OP_GEMM, "gemm", x, w_real, b_real);
    weir_value product = ADD(g, WEIR_OP_MATMUL, "matmul", x, w_real);
    return ADD(g, WEIR_OP_ADD, "bias", product, b_real);
}

/* One to three layers in QDQ, with Relu and residual additions. */
static weir_graph *random_network(void) {
    weir_graph *g = weir_graph_new("model");
    bool power = random_int(0, 3) == 0;
    int64_t width = random_int(1, 12), layers = random_int(1, 3);
    double scale = random_scale(power);
    weir_value x = add_qdq(g, "q", add_real_input(g, "x", 1, width), scale, WEIR_UINT8, (double)random_int(0, 255));
    for (int64_t i = 0; i < layers; i++) {
        bool residual = random_int(0, 2) == 0;
        int64_t outputs = residual ? width : random_int(1, 12);
        weir_value y = random_layer(g, x, scale, width, outputs, power);
        double wanted = random_scale(power) * (double)width * 20;
        scale = power ? exp2(nearbyint(log2(wanted))) : (double)(float)wanted;
        bool is_signed = random_int(0, 1);
        weir_dtype dtype = is_signed ? WEIR_INT8 : WEIR_UINT8;
        if (residual) {
            y = add_qdq(g, "q", y, scale, dtype, (double)random_int(0, 100));
            y = ADD(g, WEIR_OP_ADD, "residual", y, x);
        }
        if (random_int(0, 1)) y = ADD(g, WEIR_OP_RELU, "relu", y);
        x = add_qdq(g, "q", y, scale, dtype, (double)random_int(is_signed ? -128 : 0, 127));
        width = outputs;
    }
    weir_graph_add_output(g, "y", x);
    return g;
}

static void right_lowerings_pass(void **state) {
    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        weir_graph *model = random_network(), *integer = weir_lower_integer(model);
        if (integer == NULL) {
            weir_graph_free(model);
            test_setup(NULL); /* an addition whose scales lie too far apart */
            continue;
        }
        weir_graph *hardware = realized(integer);
        if (!verified(model, integer, NULL) || !verified(model, integer, hardware))
            fail_msg("network %d: %s", i, test_messages.data);
        weir_graph_free(model);
        weir_graph_free(integer);
        weir_graph_free(hardware);
    }
}

enum { WIDE_INPUTS = 768, WIDE_OUTPUTS = 24 };

/* A convolution of one pixel, as wide as networks have. Float32 rounds each of many terms where their sums are large;
 * the last one is small, as the weights' second half takes back what the first gave. */
static weir_value add_wide_convolution(weir_graph *g) {
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, WIDE_INPUTS, 20, 20}}, .quant = {.axis = -1}};
    weir_value x = add_qdq(g, "q", weir_graph_add_input(g, "x", &type), (double)0.0106294f, WEIR_UINT8, 16);
    weir_array *codes = weir_array_new(WEIR_INT8, &(weir_shape){4, {WIDE_OUTPUTS, WIDE_INPUTS, 1, 1}});
    for (size_t i = 0; i < codes->count; i++)
        weir_array_set(codes, i, (double)random_int(60, 127) * (i % WIDE_INPUTS < WIDE_INPUTS / 2 ? 1 : -1));
    weir_value parts[2] = {weir_graph_add_constant(g, "w", codes),
                           add_scalar(g, "ws", WEIR_FLOAT32, (double)0.00596266f)};
    weir_array_free(codes);
    return ADD(g, WEIR_OP_CONV, "conv", x, add_value(g, WEIR_OP_DEQUANTIZE_LINEAR, "wdq", 2, parts));
}

static void passes(weir_graph *model) {
    weir_graph *integer = weir_lower_integer(model);
    if (integer == NULL) fail_msg("%s", test_messages.data);
    weir_graph *hardware = realized(integer);
    weir_eliminate_dead_code(hardware);
    if (!verified(model, integer, NULL) || !verified(model, integer, hardware)) fail_msg("%s", test_messages.data);
    weir_graph_free(model);
    weir_graph_free(integer);
    weir_graph_free(hardware);
}

static void wide_convolutions_pass(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_graph_add_output(g, "y", add_wide_convolution(g));
    passes(g);
}

/* A product by channels with either sign, after which hardware has other sums than the integer graph. */
static void mirrored_layers_pass(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_array *factors = weir_array_new(WEIR_FLOAT32, &(weir_shape){3, {WIDE_OUTPUTS, 1, 1}}),
               *terms = weir_array_copy(factors);
    for (int i = 0; i < WIDE_OUTPUTS; i++) {
        weir_array_set(factors, (size_t)i, (double)random_int(500, 1500) / 1000 * (i % 2 == 0 ? 1 : -1));
        weir_array_set(terms, (size_t)i, (double)random_int(-1000, 1000) / 1000);
    }
    weir_value y = add_wide_convolution(g);
    y = ADD(g, WEIR_OP_MUL, "mul", y, weir_graph_add_constant(g, "factor", factors));
    y = ADD(g, WEIR_OP_ADD, "add", y, weir_graph_add_constant(g, "term", terms));
    weir_array_free(factors);
    weir_array_free(terms);
    weir_graph_add_output(g, "y", add_qdq(g, "qy", y, (double)0.05f, WEIR_UINT8, 128));
    passes(g);
}

/* The unit of an exact sum may be a power of two where those of its terms are none; float32 rounds the sum, whatever
 * only moves it. */
static void moved_sums_pass(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    weir_value a = add_qdq(g, "qa", add_real_input(g, "a", 16, 32), (double)0.28536674f, WEIR_UINT8, 145);
    weir_value b = add_qdq(g, "qb", add_real_input(g, "b", 16, 32), (double)0.19111751f, WEIR_UINT8, 149);
    weir_value sum = ADD(g, WEIR_OP_ADD, "sum", a, b);
    weir_node moved = put(g, WEIR_OP_TRANSPOSE, "moved", 1, &sum);
    weir_node_set_ints(g, moved, "perm", (const int64_t[]){1, 0}, 2);
    assert_true(weir_infer_node(g, moved));
    weir_value c = add_qdq(g, "qc", add_real_input(g, "c", 32, 16), 0.25, WEIR_UINT8, 128);
    const weir_value both[2] = {weir_node_output(g, moved, 0), c};
    weir_node concat = put(g, WEIR_OP_CONCAT, "concat", 2, both);
    weir_node_set_int(g, concat, "axis", 1);
    assert_true(weir_infer_node(g, concat));
    weir_graph_add_output(g, "y", add_qdq(g, "qy", weir_node_output(g, concat, 0), 0.4, WEIR_UINT8, 128));
    passes(g);
}

/* --- planted faults --- */

/* The `index`-th node of the operator. */
static weir_node nth(const weir_graph *graph, weir_op op, size_t index) {
    weir_node node = weir_graph_first(graph);
    for (; node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) == op && index-- == 0) break;
    }
    return node;
}

/* Input 1 of the node with other content. */
static void replace_weights(weir_graph *graph, weir_node node, const weir_array *codes) {
    weir_value value = weir_graph_add_constant(graph, "planted", codes);
    weir_node_set_input(graph, node, 1, value);
}

typedef enum fault {
    NEGATED,
    ONE_WEIGHT,
    SWAPPED_ROWS,
    ZERO_POINT,
    SCALE,
    ROTATED_SCALES,
    LOW_BOUND,
    FAULT_COUNT
} fault;
static const char *const fault_names[] = {"negated weights", "one weight",     "swapped rows", "zero point",
                                          "scale",           "rotated scales", "low bound"};

static void plant_in_weights(weir_graph *graph, weir_node node, fault kind) {
    const weir_array *old = weir_value_constant(graph, weir_node_input(graph, node, 1));
    weir_array *codes = weir_array_convert(old, WEIR_INT16);
    int64_t rows = codes->shape.dim[0], columns = codes->shape.dim[1];
    if (kind == ONE_WEIGHT) {
        size_t at = (size_t)(random_int(0, rows - 1) * columns), end = at + (size_t)columns;
        for (size_t i = at; i < end; i++) /* the largest of a row */
            at = llabs(weir_array_get_int(codes, i)) > llabs(weir_array_get_int(codes, at)) ? i : at;
        weir_array_set_int(codes, at, -weir_array_get_int(codes, at));
    }
    for (size_t i = 0; i < codes->count && kind == NEGATED; i++)
        weir_array_set_int(codes, i, -weir_array_get_int(codes, i));
    for (int64_t i = 0; i < columns && kind == SWAPPED_ROWS; i++) {
        size_t a = (size_t)i, b = (size_t)((rows - 1) * columns + i);
        int64_t kept = weir_array_get_int(codes, a);
        weir_array_set_int(codes, a, weir_array_get_int(codes, b));
        weir_array_set_int(codes, b, kept);
    }
    replace_weights(graph, node, codes);
    weir_array_free(codes);
}

static void plant_in_quantization(weir_graph *graph, weir_value value, fault kind) {
    weir_type type = *weir_value_type(graph, value);
    uint32_t count = type.quant.count == 0 ? 1 : type.quant.count;
    double *scale = weir_calloc(count, sizeof *scale);
    int64_t *zero = weir_calloc(count, sizeof *zero);
    for (uint32_t c = 0; c < count; c++) {
        scale[c] = weir_quant_scale(&type.quant, kind == ROTATED_SCALES ? (c + 1) % count : c);
        zero[c] = weir_quant_zero(&type.quant, c) + (kind == ZERO_POINT);
        if (kind == SCALE) scale[c] *= 1.01;
    }
    if (type.quant.format == WEIR_FORMAT_FIXED) type.quant.format = WEIR_FORMAT_INTEGER;
    type.quant.count = count;
    type.quant.scale = scale;
    type.quant.zero_point = zero;
    weir_value_set_type(graph, value, &type);
    free(scale);
    free(zero);
}

/* False: the graph has no place for it, or it would change nothing. */
static bool plant(weir_graph *graph, fault kind) {
    size_t linears = count_op(graph, WEIR_OP_LINEAR);
    weir_node linear = nth(graph, WEIR_OP_LINEAR, (size_t)random_int(0, (int64_t)linears - 1));
    weir_value result = weir_node_output(graph, linear, 0);
    if (kind <= SWAPPED_ROWS) {
        plant_in_weights(graph, linear, kind);
        return weir_infer_node(graph, linear);
    }
    if (kind == ROTATED_SCALES) {
        const weir_quant *quant = &weir_value_type(graph, result)->quant;
        if (quant->count < 2 || quant->scale[0] == quant->scale[1]) return false;
    }
    if (kind != LOW_BOUND) {
        plant_in_quantization(graph, result, kind);
        return true;
    }
    weir_node requantize = find_op(graph, WEIR_OP_REQUANTIZE);
    if (requantize.id == 0) return false;
    weir_node_set_int(graph, requantize, "low", weir_node_int(graph, requantize, "low", 0) + 1);
    return weir_infer_node(graph, requantize);
}

static void find_faults(const char *name) {
    weir_graph *model = import_model("digits", name), *integer = weir_lower_integer(model);
    assert_true(verified(model, integer, NULL));
    for (int i = 0; i < FAULTS * FAULT_COUNT; i++) {
        fault kind = (fault)(i % FAULT_COUNT);
        weir_graph *wrong = weir_graph_copy(integer);
        if (plant(wrong, kind)) {
            if (verified(model, wrong, NULL)) fail_msg("%s: not found: %s", name, fault_names[kind]);
            assert_non_null(strstr(test_messages.data, "expected "));
            weir_graph *hardware = realized(wrong);
            if (verified(model, wrong, hardware)) fail_msg("%s: not found: %s, realized", name, fault_names[kind]);
            if (verified(model, integer, hardware)) fail_msg("%s: not found: %s, behind", name, fault_names[kind]);
            weir_graph_free(hardware);
        }
        weir_graph_free(wrong);
    }
    weir_graph_free(model);
    weir_graph_free(integer);
}

static void faults_of_the_lowering_are_found(void **state) {
    (void)state;
    find_faults("mlp_qdq");
    find_faults("mlp_qoperator");
    find_faults("mlp_qlinearmatmul");
    find_faults("mlp_residual_qdq_relu");
    find_faults("mlp_qonnx_w4a4");
}

static int64_t either_way(int64_t number) { return number + (random_int(0, 1) ? 1 : -1); }

static weir_node random_linear(const weir_graph *graph) {
    return nth(graph, WEIR_OP_LINEAR, (size_t)random_int(0, (int64_t)count_op(graph, WEIR_OP_LINEAR) - 1));
}

static void plant_single_weight(weir_graph *graph) {
    const weir_node node = random_linear(graph);
    weir_array *codes = weir_array_convert(weir_value_constant(graph, weir_node_input(graph, node, 1)), WEIR_INT16);
    const size_t at = (size_t)random_int(0, (int64_t)codes->count - 1);
    weir_array_set_int(codes, at, either_way(weir_array_get_int(codes, at)));
    replace_weights(graph, node, codes);
    weir_array_free(codes);
    assert_true(weir_infer_node(graph, node));
}

/* Biases are the zero points of sums. */
static void plant_single_bias(weir_graph *graph) {
    const weir_value sum = weir_node_output(graph, random_linear(graph), 0);
    weir_type type = *weir_value_type(graph, sum);
    const uint32_t count = type.quant.count;
    assert_true(count > 0);
    int64_t *zero = weir_calloc(count, sizeof *zero);
    for (uint32_t c = 0; c < count; c++) zero[c] = weir_quant_zero(&type.quant, c);
    const int64_t at = random_int(0, count - 1);
    zero[at] = either_way(zero[at]);
    type.quant.zero_point = zero;
    weir_value_set_type(graph, sum, &type);
    free(zero);
}

/* The least faults: each changes what one channel sums by one input, or by one. */
static void single_codes_are_found(void **state) {
    (void)state;
    static const char *const names[] = {"mlp_qdq", "mlp_qoperator", "mlp_qlinearmatmul", "mlp_residual_qdq_relu",
                                        "mlp_qonnx_w4a4"};
    int planted[2] = {0}, found[2] = {0};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        weir_graph *model = import_model("digits", names[m]), *integer = weir_lower_integer(model);
        for (size_t i = 0; i < SINGLE_CODES; i++) {
            weir_graph *wrong = weir_graph_copy(integer);
            if (i % 2 == 0) plant_single_weight(wrong);
            else plant_single_bias(wrong);
            planted[i % 2]++;
            found[i % 2] += !verified(model, wrong, NULL);
            weir_graph_free(wrong);
        }
        weir_graph_free(model);
        weir_graph_free(integer);
    }
    print_message("single codes one off: %d of %d in weights, %d of %d in biases found\n", found[0], planted[0],
                  found[1], planted[1]);
    assert_true(100 * found[0] >= 95 * planted[0]);
    assert_true(100 * found[1] >= 95 * planted[1]);
}

/* A pass after lower_integer that moves one parameter of one component by one. */
static void faults_behind_the_lowering_are_found(void **state) {
    (void)state;
    static const weir_op ops[] = {WEIR_OP_THRESHOLD, WEIR_OP_SCALE_FLOAT, WEIR_OP_CAST_CODES};
    weir_graph *model = import_model("digits", "mlp_residual_qdq_relu"), *integer = weir_lower_integer(model);
    weir_graph *hardware = realized(integer);
    assert_true(verified(model, integer, hardware));
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        weir_graph *wrong = weir_graph_copy(hardware);
        weir_node node = find_op(wrong, ops[i]);
        if (node.id != 0) {
            const char *word = ops[i] == WEIR_OP_THRESHOLD ? "base" : ops[i] == WEIR_OP_SCALE_FLOAT ? "zero" : "shift";
            weir_node_set_int(wrong, node, word, weir_node_int(wrong, node, word, 0) + 1);
            assert_false(verified(model, integer, wrong));
            assert_non_null(strstr(test_messages.data, "a pass after lower_integer"));
        }
        weir_graph_free(wrong);
    }
    weir_graph_free(model);
    weir_graph_free(integer);
    weir_graph_free(hardware);
}

/* The message has the model's node, both values, the frame and the node of the lowered graph. */
static void the_node_is_named(void **state) {
    (void)state;
    weir_graph *model = import_model("digits", "mlp_qdq"), *integer = weir_lower_integer(model);
    plant_in_weights(integer, nth(integer, WEIR_OP_LINEAR, 1), NEGATED);
    assert_true(weir_infer_node(integer, nth(integer, WEIR_OP_LINEAR, 1)));
    assert_false(verified(model, integer, NULL));
    assert_non_null(strstr(test_messages.data, "node 'fc2' (Gemm): expected "));
    assert_non_null(strstr(test_messages.data, ", found "));
    assert_non_null(strstr(test_messages.data, "note: generated frame 1"));
    assert_non_null(strstr(test_messages.data, "'fc2' (weir.Linear) of the lowered graph"));
    weir_graph_free(model);
    weir_graph_free(integer);
}

/* Where all scales are powers of two nothing may differ, not even at ties. */
static void ties_are_exact_on_a_grid(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("model");
    double w[4] = {1, 1, 1, -1};
    weir_value x = add_qdq(g, "q", add_real_input(g, "x", 1, 2), 0.25, WEIR_INT8, 0);
    weir_value parts[2] = {add_constant(g, "w", WEIR_INT8, 2, 2, 2, w), add_scalar(g, "ws", WEIR_FLOAT32, 0.5)};
    weir_value weights = add_value(g, WEIR_OP_DEQUANTIZE_LINEAR, "wdq", 2, parts);
    weir_value y = ADD(g, WEIR_OP_MATMUL, "matmul", x, weights);
    weir_graph_add_output(g, "y", add_qdq(g, "q", y, 0.25, WEIR_INT8, 0));
    weir_graph *integer = weir_lower_integer(g);
    assert_true(verified(g, integer, NULL));
    weir_node requantize = find_op(integer, WEIR_OP_REQUANTIZE);
    weir_type type = *weir_value_type(integer, weir_node_output(integer, requantize, 0));
    weir_node cast = weir_graph_add_node(integer, WEIR_OP_CAST_CODES, "planted",
                                         &(weir_value){weir_node_input(integer, requantize, 0).id}, 1, 1, requantize);
    weir_value_set_type(integer, weir_node_output(integer, cast, 0), &type);
    weir_node_set_int(integer, cast, "shift", 1);
    weir_node_set_int(integer, cast, "low", -128);
    weir_node_set_int(integer, cast, "high", 127);
    weir_node_set_string(integer, cast, "rounding", "half-up"); /* right: half-even */
    assert_true(weir_infer_node(integer, cast));
    char *name = weir_copy_string(weir_node_name(integer, requantize));
    weir_value_replace(integer, weir_node_output(integer, requantize, 0), weir_node_output(integer, cast, 0));
    weir_graph_remove_node(integer, requantize);
    weir_node_rename(integer, cast, name, "");
    free(name);
    assert_false(verified(g, integer, NULL));
    weir_graph_free(g);
    weir_graph_free(integer);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(right_lowerings_pass),
                                       TEST(wide_convolutions_pass),
                                       TEST(mirrored_layers_pass),
                                       TEST(moved_sums_pass),
                                       TEST(faults_of_the_lowering_are_found),
                                       TEST(faults_behind_the_lowering_are_found),
                                       TEST(single_codes_are_found),
                                       TEST(the_node_is_named),
                                       TEST(ties_are_exact_on_a_grid)};
    return cmocka_run_group_tests_name("passes verify_lowering", tests, NULL, NULL);
}
