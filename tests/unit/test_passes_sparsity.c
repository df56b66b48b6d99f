/* Widths, zeros and masks, derived by hand on a layer of two inputs and two outputs. Tests named defect_ hold what MASE
 * does wrong. */
#include "test_passes_analysis.h"

#include "pass/run/instrument.h"
#include "passes/mase/fact.h"

#define DATA "test_passes_sparsity.csv"

/* fc1: x [1,2] -> Gemm(w) -> relu -> fc2: Gemm(v), both with transB. With masks: fc1's weight [[1,0],[1,1]], and of
 * fc2's input what relu gives less 1, so that values up to 1 go. */
typedef struct layers {
    bool weight_mask, activation_mask;
} layers;

static weir_graph *model(layers with) {
    static const double w[4] = {1, 2, 0, 4}, v[4] = {1, 0, 0, 0}, mask[4] = {1, 0, 1, 1};
    weir_graph *g = weir_graph_new("model");
    weir_value weight = add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w);
    if (with.weight_mask)
        weight = ADD(g, WEIR_OP_MASK, "fc1_mask", weight, add_constant(g, "m", WEIR_UINT8, 2, 2, 2, mask));
    weir_value h = add_gemm(g, "fc1", add_real_input(g, "x", 1, 2), weight);
    h = ADD(g, WEIR_OP_RELU, "relu", h);
    if (with.activation_mask) {
        weir_value one = add_scalar(g, "one", WEIR_FLOAT32, 1);
        weir_value over = ADD(g, WEIR_OP_RELU, "over", ADD(g, WEIR_OP_SUB, "less", h, one));
        h = ADD(g, WEIR_OP_MASK, "fc2_mask", h, over);
    }
    weir_graph_add_output(g, "y", add_gemm(g, "fc2", h, add_constant(g, "v", WEIR_FLOAT32, 2, 2, 2, v)));
    return g;
}

/* --- the operator --- */

/* Without data the pass runs on random numbers and says so. */
static void assert_random_numbers(weir_graph *graph, const char *pipeline) {
    test_setup(NULL);
    analysis a = analyse_with(graph, NULL, pipeline, NULL);
    assert_non_null(a.info);
    assert_non_null(strstr(test_messages.data, "warning: no data for graph"));
    analysis_free(&a);
}

static void mask_keeps_where_it_is_not_zero(void **state) {
    (void)state;
    static const double mask[3] = {0, -2, 0.5};
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_real_input(g, "x", 2, 3), m = add_constant(g, "m", WEIR_FLOAT32, 1, 3, 0, mask);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_MASK, "mask", x, m));
    weir_executor *executor = weir_executor_new(g);
    weir_array *in = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {2, 3}});
    for (size_t i = 0; i < 6; i++) weir_array_set(in, i, (double)i + 1);
    assert_true(weir_executor_run(executor, (const weir_array *const[]){in}));
    static const double expected[6] = {0, 2, 3, 0, 5, 6};
    for (size_t i = 0; i < 6; i++)
        assert_true(weir_array_get(weir_executor_value(executor, weir_graph_output(g, 0)), i) == expected[i]);
    weir_array_free(in);
    weir_executor_free(executor);
    weir_graph_free(g);
}

/* Codes keep their quantization, their range takes in 0. */
static void mask_of_codes(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, 1, 2, 3, 7), m = add_real_input(g, "m", 1, 2);
    const weir_type *type = weir_value_type(g, ADD(g, WEIR_OP_MASK, "mask", x, m));
    assert_int_equal(type->dtype, WEIR_INT8);
    assert_int_equal(type->low, 0);
    assert_int_equal(type->high, 7);
    weir_value below = add_codes_input(g, "below", WEIR_INT8, 1, 2, -7, -3);
    assert_int_equal(weir_value_type(g, ADD(g, WEIR_OP_MASK, "mask", below, m))->high, 0);
    weir_node wide = put(g, WEIR_OP_MASK, "wide", 2, (weir_value[]){x, add_real_input(g, "n", 2, 2)});
    assert_false(weir_infer_node(g, wide));
    assert_error("mask");
    weir_type shifted = *weir_value_type(g, x);
    static const double scale = 0.5;
    static const int64_t zero = 1;
    shifted.quant.count = 1;
    shifted.quant.scale = &scale;
    shifted.quant.zero_point = &zero;
    weir_value z = weir_graph_add_input(g, "z", &shifted);
    weir_diag_reset();
    assert_false(weir_infer_node(g, put(g, WEIR_OP_MASK, "shifted", 2, (weir_value[]){z, m})));
    assert_error("input 0 must have zero point 0");
    weir_graph_free(g);
}

/* --- calculate_avg_bits_mg --- */

/* Gives the constant or input a quantization. */
static void set_format(weir_graph *g, const char *name, weir_number_format format, int width, int frac) {
    weir_value value = weir_graph_find_value(g, name);
    weir_type type = *weir_value_type(g, value);
    type.quant = (weir_quant){.format = format, .is_signed = true, .width = width, .frac = frac, .axis = -1};
    weir_value_set_type(g, value, &type);
}

/* MASE adds up the whole precision list: 8 + 4 for fixed <8, 4>. */
static void defect_average_bits_count_the_storage_width(void **state) {
    (void)state;
    weir_graph *g = model((layers){false, false});
    set_format(g, "x", WEIR_FORMAT_FIXED, 8, 4);
    set_format(g, "w", WEIR_FORMAT_FIXED, 6, 3);
    set_format(g, "v", WEIR_FORMAT_FIXED, 4, 2);
    analysis a = analyse(g, "calculate_avg_bits_mg");
    /* data: 2 elements of 8 bits, 2 of float32; weights: 4 of 6, 4 of 4 */
    assert_json(a.info, "{\"data_avg_bit\": 20.0, \"w_avg_bit\": 5.0}");
    analysis_free(&a);
}

static void defect_average_bits_of_block_formats(void **state) {
    (void)state;
    static const weir_number_format formats[] = {WEIR_FORMAT_BLOCK, WEIR_FORMAT_MX, WEIR_FORMAT_MINIFLOAT,
                                                 WEIR_FORMAT_LOG};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        weir_graph *g = model((layers){false, false});
        set_format(g, "w", formats[i], 12, 0);
        set_format(g, "v", formats[i], 12, 0);
        analysis a = analyse(g, "calculate_avg_bits_mg");
        assert_json(a.info, "{\"data_avg_bit\": 32.0, \"w_avg_bit\": 12.0}");
        analysis_free(&a);
    }
}

/* MatMul and Add on three axes, as PyTorch and Keras write a dense layer, with quantized weights, half of them 0. */
static weir_graph *product_model(void) {
    static const double codes[4] = {0, 3, -2, 0}, bias[2] = {1, 2};
    weir_graph *g = weir_graph_new("g");
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = {3, {1, 3, 2}}, .quant = {.axis = -1}};
    weir_value w = ADD(g, WEIR_OP_DEQUANTIZE_LINEAR, "wdq", add_constant(g, "w", WEIR_INT8, 2, 2, 2, codes),
                       add_scalar(g, "s", WEIR_FLOAT32, 0.5));
    weir_value y = ADD(g, WEIR_OP_MATMUL, "fc", weir_graph_add_input(g, "x", &type), w);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_ADD, "add", y, add_constant(g, "b", WEIR_FLOAT32, 1, 2, 0, bias)));
    return g;
}

static void average_bits_of_dense_products(void **state) {
    (void)state;
    analysis a = analyse(product_model(), "calculate_avg_bits_mg");
    assert_json(a.info, "{\"data_avg_bit\": 32.0, \"w_avg_bit\": 8.0}");
    analysis_free(&a);
}

static void sparsity_of_dense_products(void **state) {
    (void)state;
    analysis a = analyse(product_model(), "add_natural_sparsity_metadata");
    char *text = json_dumps(a.info, JSON_COMPACT | JSON_SORT_KEYS);
    if (strstr(text, "\"numel\":4,\"sparsity\":0.5") == NULL) fail_msg("%s", text);
    free(text);
    analysis_free(&a);
}

static void average_bits_of_nothing(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("g");
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_RELU, "relu", add_real_input(g, "x", 1, 2)));
    analysis a = analyse(g, "calculate_avg_bits_mg");
    assert_json(a.info, "{\"data_avg_bit\": null, \"w_avg_bit\": null}");
    analysis_free(&a);
}

/* --- add_natural_sparsity_metadata --- */

/* Frames (1, -1), (0, 2) and (0, 0): relu gives (0, 0), (4, 8), (0, 0). MASE calls the density sparsity. */
static void defect_sparsity_is_the_share_of_zeros(void **state) {
    (void)state;
    write_file(DATA, "1,-1\n0,2\n0,0\n");
    analysis a = analyse(model((layers){false, false}), "add_natural_sparsity_metadata{dummy_in=" DATA "}");
    assert_json(a.info, "{\"fc1_weight\": {\"numel\": 4, \"sparsity\": 0.25, \"density\": 0.75},"
                        "\"fc1_activation\": {\"numel\": 2, \"sparsity\": 0.5, \"density\": 0.5},"
                        "\"fc2_weight\": {\"numel\": 4, \"sparsity\": 0.75, \"density\": 0.25},"
                        "\"fc2_activation\": {\"numel\": 2, \"sparsity\": 0.66666666666666663,"
                        " \"density\": 0.33333333333333337},"
                        "\"avg_weight\": {\"numel\": 8, \"sparsity\": 0.5, \"density\": 0.5},"
                        "\"avg_activation\": {\"numel\": 4, \"sparsity\": 0.58333333333333337,"
                        " \"density\": 0.41666666666666663}}");
    weir_graph *g = weir_module_graph(a.module, 0);
    weir_node fc1 = weir_graph_find_node(g, "fc1"), relu = weir_graph_find_node(g, "relu");
    assert_json(weir_fact_get(g, fc1, "weight", "natural_sparsity"), "0.25");
    assert_json(weir_fact_get(g, fc1, "weight", "natural_density"), "0.75");
    assert_json(weir_fact_get(g, fc1, "data_in_0", "natural_sparsity"), "0.5");
    assert_null(weir_node_metadata_of(g, relu)->facts);
    analysis_free(&a);
    a = analyse(model((layers){false, false}), "add_natural_sparsity_metadata{dummy_in=" DATA ",add_meta=false}");
    g = weir_module_graph(a.module, 0);
    assert_null(weir_node_metadata_of(g, weir_graph_find_node(g, "fc1"))->facts);
    analysis_free(&a);
    assert_random_numbers(model((layers){false, false}), "add_natural_sparsity_metadata");
}

/* Code 3 stands for 0 when that is the zero point. */
static void zeros_of_codes_are_their_zero_points(void **state) {
    (void)state;
    write_file(DATA, "3,0\n3,3\n");
    weir_graph *g = weir_graph_new("g");
    static const double scale = 0.5, w[4] = {0, 1, 1, 1};
    static const int64_t zero = 3;
    weir_type type = {.dtype = WEIR_UINT8, .shape = {2, {1, 2}}, .has_range = true, .high = 255};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .width = 8, .axis = -1, .count = 1};
    type.quant.scale = &scale;
    type.quant.zero_point = &zero;
    weir_value x = weir_graph_add_input(g, "x", &type);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_LINEAR, "fc", x, add_constant(g, "w", WEIR_INT8, 2, 2, 2, w)));
    analysis a = analyse(g, "add_natural_sparsity_metadata{dummy_in=" DATA "}");
    assert_json(json_object_get(a.info, "fc_activation"), "{\"numel\": 2, \"sparsity\": 0.75, \"density\": 0.25}");
    assert_json(json_object_get(a.info, "fc_weight"), "{\"numel\": 4, \"sparsity\": 0.25, \"density\": 0.75}");
    analysis_free(&a);
}

/* --- add_pruning_metadata --- */

/* With the mask fc1 is [[1, 0], [0, 4]]: relu gives (1, 0), (0, 8), (0.5, 4), of which 1, 0, 0, 0.5 are not above 1. */
static void masks_are_measured(void **state) {
    (void)state;
    write_file(DATA, "1,-1\n0,2\n0.5,1\n");
    analysis a = analyse(model((layers){true, true}), "add_pruning_metadata{dummy_in=" DATA "}");
    assert_json(a.info, "{\"fc1\": {\"weight_sparsity\": 0.25, \"activation_sparsity\": null},"
                        "\"fc2\": {\"weight_sparsity\": null, \"activation_sparsity\": 0.66666666666666663}}");
    weir_graph *g = weir_module_graph(a.module, 0);
    weir_node fc1 = weir_graph_find_node(g, "fc1"), fc2 = weir_graph_find_node(g, "fc2");
    assert_json(weir_fact_get(g, fc1, "weight", "sparsity"), "0.25");
    assert_json(weir_fact_get(g, fc1, "weight", "mask_value"), "[[1, 0], [1, 1]]");
    assert_json(weir_fact_get(g, fc2, "data_in_0", "sparsity"), "0.66666666666666663");
    assert_null(weir_fact_get(g, fc2, "weight", "sparsity"));
    assert_null(weir_fact_get(g, fc1, "data_in_0", "sparsity"));
    analysis_free(&a);
    assert_random_numbers(model((layers){true, true}), "add_pruning_metadata");
}

static void masks_of_weights_need_no_data(void **state) {
    (void)state;
    analysis a = analyse(model((layers){true, false}), "add_pruning_metadata{add_value=false}");
    assert_json(json_object_get(a.info, "fc1"), "{\"weight_sparsity\": 0.25, \"activation_sparsity\": null}");
    weir_graph *g = weir_module_graph(a.module, 0);
    assert_null(weir_fact_get(g, weir_graph_find_node(g, "fc1"), "weight", "mask_value"));
    analysis_free(&a);
}

/* MASE looks for the parametrisation of every layer and fails where there is none. */
static void defect_unpruned_nodes_do_not_fail(void **state) {
    (void)state;
    analysis a = analyse(model((layers){false, false}), "add_pruning_metadata");
    assert_json(a.info, "{\"fc1\": {\"weight_sparsity\": null, \"activation_sparsity\": null},"
                        "\"fc2\": {\"weight_sparsity\": null, \"activation_sparsity\": null}}");
    analysis_free(&a);
}

/* Behind the mask come quantizers as an importer leaves them. */
static void masks_are_found_past_quantizers(void **state) {
    (void)state;
    static const double w[4] = {1, 2, 0, 4}, mask[4] = {0, 0, 0, 1};
    weir_graph *g = weir_graph_new("model");
    weir_value weight = ADD(g, WEIR_OP_MASK, "prune", add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w),
                            add_constant(g, "m", WEIR_FLOAT32, 2, 2, 2, mask));
    weight = add_qdq(g, "q", weight, 0.5, WEIR_INT8, 0);
    weir_graph_add_output(g, "y", add_gemm(g, "fc", add_real_input(g, "x", 1, 2), weight));
    analysis a = analyse(g, "add_pruning_metadata");
    assert_json(a.info, "{\"fc\": {\"weight_sparsity\": 0.75, \"activation_sparsity\": null}}");
    analysis_free(&a);
}

/* --- hook_inspection --- */

static void hooks_are_instruments_and_masks(void **state) {
    (void)state;
    weir_pass_instrument *timing = weir_pass_timing_new();
    analysis a = analyse_with(model((layers){true, true}), NULL, "hook_inspection", timing);
    char *expected = weir_format(
        "{\"instrument_0\": {\"hook\": \"instrument\", \"name\": \"%s\", \"id\": 0},"
        "\"fc1_0\": {\"hook\": \"mask\", \"name\": \"fc1_mask\", \"argument\": \"weight\", \"mask\": \"constant\","
        " \"id\": 0},"
        "\"fc2_0\": {\"hook\": \"mask\", \"name\": \"fc2_mask\", \"argument\": \"data_in_0\","
        " \"mask\": \"computed\", \"id\": 0}}",
        timing->name);
    assert_json(a.info, expected);
    free(expected);
    analysis_free(&a);
    weir_pass_instrument_free(timing);
    a = analyse(model((layers){false, false}), "hook_inspection");
    assert_json(a.info, "{}");
    analysis_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(mask_keeps_where_it_is_not_zero),
        TEST(mask_of_codes),
        TEST(defect_average_bits_count_the_storage_width),
        TEST(defect_average_bits_of_block_formats),
        TEST(average_bits_of_dense_products),
        TEST(sparsity_of_dense_products),
        TEST(average_bits_of_nothing),
        TEST(defect_sparsity_is_the_share_of_zeros),
        TEST(zeros_of_codes_are_their_zero_points),
        TEST(masks_are_measured),
        TEST(masks_of_weights_need_no_data),
        TEST(defect_unpruned_nodes_do_not_fail),
        TEST(masks_are_found_past_quantizers),
        TEST(hooks_are_instruments_and_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
