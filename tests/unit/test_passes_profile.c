/* profile_statistics: what is sampled, where the results go, its options; derived by hand. The statistics themselves
 * are in test_passes_statistic.c. */
#include "test_passes_analysis.h"

#include "passes/mase/fact.h"

#define DATA "test_passes_profile.csv"
#define CONFIG "test_passes_profile.yaml"

/* x [batch, 2] -> fc1 [[1, 2], [0, -4]] + (10, 20) -> relu -> add itself. */
static weir_graph *model(int64_t batch) {
    static const double w[4] = {1, 2, 0, -4}, b[2] = {10, 20};
    weir_graph *g = weir_graph_new("model");
    weir_value in[3] = {add_real_input(g, "x", batch, 2), add_constant(g, "w", WEIR_FLOAT32, 2, 2, 2, w),
                        add_constant(g, "b", WEIR_FLOAT32, 1, 2, 0, b)};
    weir_node fc1 = put(g, WEIR_OP_GEMM, "fc1", 3, in);
    weir_node_set_int(g, fc1, "transB", 1);
    assert_true(weir_infer_node(g, fc1));
    weir_value h = ADD(g, WEIR_OP_RELU, "relu", weir_node_output(g, fc1, 0));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_ADD, "sum", h, h));
    return g;
}

/* fc1 gives (11, 20), (10, 16), (12, 20), (14, -4) and relu 0 for the last. */
static void write_frames(void) { write_file(DATA, "1,0\n-2,1\n2,0\n-8,6\n"); }

static const json_t *stat(const analysis *a, const char *node, const char *name) {
    const weir_graph *g = weir_module_graph(a->module, 0);
    return weir_fact_get(g, weir_graph_find_node(g, node), name, "stat");
}

static void parameters_by_name(void **state) {
    (void)state;
    analysis a =
        analyse(model(1), "profile_statistics{target_weight_nodes=\"fc1\", weight_statistics=\"{range_min_max: "
                          "{abs: true}, variance_precise: {dims: [1]}}\"}");
    assert_json(stat(&a, "fc1", "weight"), "{\"range_min_max\": {\"min\": 0.0, \"max\": 4.0, \"range\": 4.0, "
                                           "\"count\": 4}, \"variance_precise\": {\"mean\": [1.5, -2.0], "
                                           "\"variance\": [0.5, 8.0], \"count\": 2}}");
    /* a parameter with one axis counts as [1, N], as in MASE */
    assert_json(stat(&a, "fc1", "bias"), "{\"range_min_max\": {\"min\": 10.0, \"max\": 20.0, \"range\": 10.0, "
                                         "\"count\": 2}, \"variance_precise\": {\"mean\": [15.0], "
                                         "\"variance\": [50.0], \"count\": 2}}");
    assert_null(stat(&a, "fc1", "data_in_0"));
    assert_null(stat(&a, "relu", "data_in_0"));
    /* the record has what the facts have */
    assert_json(json_object_get(a.info, "num_samples"), "0");
    const json_t *fc1 = json_object_get(json_object_get(a.info, "nodes"), "fc1");
    assert_true(json_equal((json_t *)json_object_get(fc1, "weight"), (json_t *)stat(&a, "fc1", "weight")));
    assert_int_equal(json_object_size(fc1), 2);
    analysis_free(&a);
}

static void activations_by_type(void **state) {
    (void)state;
    write_frames();
    analysis a = analyse(model(1), "profile_statistics{by=type,target_activation_nodes=\"[relu, add]\", "
                                   "activation_statistics=\"{abs_mean: {}, record: null}\",input_generator=" DATA "}");
    assert_json(stat(&a, "relu", "data_in_0"),
                "{\"abs_mean\": {\"abs_mean\": 13.375, \"count\": 8}, \"record\": {\"data\": [[11.0, 20.0], "
                "[10.0, 16.0], [12.0, 20.0], [14.0, -4.0]], \"count\": 4, \"size_in_bytes\": 32}}");
    assert_json(json_object_get(stat(&a, "sum", "data_in_0"), "abs_mean"), "{\"abs_mean\": 12.875, \"count\": 8}");
    assert_json(json_object_get(stat(&a, "sum", "data_in_1"), "abs_mean"), "{\"abs_mean\": 12.875, \"count\": 8}");
    assert_json(json_object_get(a.info, "num_samples"), "4");
    assert_null(stat(&a, "fc1", "data_in_0"));
    analysis_free(&a);
}

/* MASE takes profile_output_activation and ignores it. */
static void defect_outputs_are_profiled(void **state) {
    (void)state;
    write_frames();
    analysis a = analyse(model(1), "profile_statistics{target_activation_nodes=relu,activation_statistics="
                                   "\"{range_min_max: {}}\",input_generator=" DATA ",profile_output_activation=true}");
    assert_json(stat(&a, "relu", "data_out_0"),
                "{\"range_min_max\": {\"min\": 0.0, \"max\": 20.0, \"range\": 20.0, \"count\": 8}}");
    assert_json(stat(&a, "relu", "data_in_0"),
                "{\"range_min_max\": {\"min\": -4.0, \"max\": 20.0, \"range\": 24.0, \"count\": 8}}");
    analysis_free(&a);
    a = analyse(model(1), "profile_statistics{target_activation_nodes=relu,activation_statistics=\"{abs_mean: {}}\","
                          "input_generator=" DATA "}");
    assert_null(stat(&a, "relu", "data_out_0"));
    analysis_free(&a);
}

/* A sample is an entry of the batch that the graph takes, so results do not depend on the batch. */
static void batches_are_cut_into_samples(void **state) {
    (void)state;
    write_frames();
    for (int64_t batch = 1; batch <= 4; batch *= 2) {
        analysis a = analyse(model(batch), "profile_statistics{target_activation_nodes=relu,activation_statistics="
                                           "\"{variance_online: {dims: null}}\",input_generator=" DATA "}");
        /* columns 11, 10, 12, 14 and 20, 16, 20, -4 */
        assert_json(stat(&a, "relu", "data_in_0"), "{\"variance_online\": {\"mean\": [[11.75, 13.0]], \"variance\": "
                                                   "[[2.1875, 99.0]], \"count\": 4}}");
        analysis_free(&a);
    }
}

/* ceil(num_samples / batch_size) batches. */
static void samples_are_whole_batches(void **state) {
    (void)state;
    write_frames();
    static const struct {
        const char *options;
        json_int_t samples;
    } cases[] = {{"num_samples=1,batch_size=1", 1},
                 {"num_samples=1,batch_size=2", 2},
                 {"num_samples=3,batch_size=2", 4},
                 {"num_samples=2,batch_size=2", 2},
                 {"num_samples=100,batch_size=3", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *pipeline = weir_format("profile_statistics{target_activation_nodes=relu,activation_statistics="
                                     "\"{abs_mean: {}}\",input_generator=" DATA ",%s}",
                                     cases[i].options);
        analysis a = analyse(model(1), pipeline);
        assert_int_equal(json_integer_value(json_object_get(a.info, "num_samples")), cases[i].samples);
        free(pipeline);
        analysis_free(&a);
    }
}

/* A file has the same keys; what the pipeline sets comes first. */
static void options_from_a_file(void **state) {
    (void)state;
    write_frames();
    write_file(CONFIG, "by: type\n"
                       "target_weight_nodes: [linear]\n"
                       "target_activation_nodes:\n  - relu\n"
                       "weight_statistics:\n  abs_mean: {dims: all}\n"
                       "activation_statistics:\n  range_quantile:\n    abs: false\n    quantile: 1.0\n"
                       "input_generator: " DATA "\nnum_samples: 1\nprofile_output_activation: true\n");
    analysis a = analyse(model(1), "profile_statistics{config=" CONFIG ",num_samples=2}");
    assert_json(json_object_get(a.info, "num_samples"), "2");
    assert_json(stat(&a, "fc1", "weight"), "{\"abs_mean\": {\"abs_mean\": 1.75, \"count\": 4}}");
    assert_json(stat(&a, "fc1", "bias"), "{\"abs_mean\": {\"abs_mean\": 15.0, \"count\": 2}}");
    assert_json(stat(&a, "relu", "data_out_0"),
                "{\"range_quantile\": {\"min\": 10.0, \"max\": 20.0, \"range\": 10.0, \"count\": 4}}");
    analysis_free(&a);
    write_file(CONFIG, "by: type\nnum_sample: 1\n");
    assert_refused(model(1), "profile_statistics{config=" CONFIG "}", "num_sample");
    assert_non_null(strstr(test_messages.data, "note: it is set at " CONFIG ":2"));
    write_file(CONFIG, "- by\n");
    assert_refused(model(1), "profile_statistics{config=" CONFIG "}", "expected a mapping of options");
}

/* Weights of a QDQ model are profiled as the real numbers that their codes stand for. */
static void quantized_parameters(void **state) {
    (void)state;
    static const double codes[4] = {2, 4, -6, 0};
    weir_graph *g = weir_graph_new("model");
    weir_value s = add_scalar(g, "s", WEIR_FLOAT32, 0.5), z = add_scalar(g, "z", WEIR_INT8, 0);
    weir_value w = ADD(g, WEIR_OP_DEQUANTIZE_LINEAR, "dq", add_constant(g, "w", WEIR_INT8, 2, 2, 2, codes), s, z);
    weir_node fc = put(g, WEIR_OP_GEMM, "fc", 2, (weir_value[]){add_real_input(g, "x", 1, 2), w});
    assert_true(weir_infer_node(g, fc));
    weir_graph_add_output(g, "y", weir_node_output(g, fc, 0));
    analysis a = analyse(g, "profile_statistics{target_weight_nodes=fc,weight_statistics=\"{range_min_max: {}}\"}");
    assert_json(stat(&a, "fc", "weight"),
                "{\"range_min_max\": {\"min\": -3.0, \"max\": 2.0, \"range\": 5.0, \"count\": 4}}");
    analysis_free(&a);
}

static void bad_options(void **state) {
    (void)state;
    write_frames();
#define STATISTICS "weight_statistics=\"{abs_mean: {}}\""
    assert_refused(model(1), "profile_statistics{target_weight_nodes=fc2," STATISTICS "}",
                   "target_weight_nodes: no node 'fc2' in graph 'model'\nnote: did you mean 'fc1'?");
    assert_refused(model(1), "profile_statistics{by=type,target_weight_nodes=liner," STATISTICS "}",
                   "no operator 'liner' in graph 'model'\nnote: did you mean 'linear'?");
    assert_refused(model(1), "profile_statistics{by=type,target_weight_nodes=conv2d," STATISTICS "}",
                   "error: target_weight_nodes: no operator 'conv2d' in graph 'model'");
    test_setup(NULL);
    analysis a =
        analyse(model(1), "profile_statistics{by=type,target_weight_nodes=\"[conv2d, linear]\"," STATISTICS "}");
    assert_non_null(strstr(test_messages.data, "warning: target_weight_nodes: no operator 'conv2d' in graph 'model'"));
    assert_non_null(stat(&a, "fc1", "weight"));
    analysis_free(&a);
    assert_refused(model(1), "profile_statistics{target_weight_nodes=fc1}", "needs 'weight_statistics'");
    assert_refused(
        model(1), "profile_statistics{target_weight_nodes=fc1,weight_statistics=\"{abs_men: {}}\"}",
        "weight_statistics: node 'fc1', weight: unknown statistic 'abs_men'\nnote: did you mean 'abs_mean'?");
    assert_refused(model(1), "profile_statistics{target_weight_nodes=fc1,weight_statistics=abs_mean}",
                   "'weight_statistics' must be a mapping");
    assert_refused(model(1),
                   "profile_statistics{target_weight_nodes=fc1,weight_statistics=\"{abs_mean: {dims: [2]}}\"}",
                   "over axis 2 of a tensor with 2");
    assert_refused(model(1),
                   "profile_statistics{target_activation_nodes=relu,activation_statistics=\"{abs_mean: {}}\"}",
                   "needs 'input_generator'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(parameters_by_name),          TEST(activations_by_type),
        TEST(defect_outputs_are_profiled), TEST(batches_are_cut_into_samples),
        TEST(samples_are_whole_batches),   TEST(options_from_a_file),
        TEST(quantized_parameters),        TEST(bad_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
