/* runtime_analysis of software and summarize_quantization, on a classifier whose results are plain: logits are the
 * inputs. Hardware is measured in tests/e2e/analyses.sh. */
#include "test_passes_analysis.h"

#include "common/assert_file.h"
#include "support/memory/array.h"

#define DATA "test_passes_runtime.npz"
#define FOLDER "test_passes_runtime_summary"

/* y = x w with w one; x [batch, 3]. Quantized: x in codes of 1, w too. */
static weir_graph *model(const char *name, int64_t batch, bool quantized) {
    static const double w[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    weir_graph *g = weir_graph_new(name);
    weir_value x = add_real_input(g, "x", batch, 3), weight = add_constant(g, "w", WEIR_FLOAT32, 2, 3, 3, w);
    if (quantized) {
        static const double codes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        x = add_qdq(g, "x_quant", x, 1, WEIR_INT8, 0);
        weir_value s = add_scalar(g, "one", WEIR_FLOAT32, 1), z = add_scalar(g, "zero", WEIR_INT8, 0);
        weight = ADD(g, WEIR_OP_DEQUANTIZE_LINEAR, "w_dequantize",
                     add_constant(g, "w_codes", WEIR_INT8, 2, 3, 3, codes), s, z);
    }
    weir_node fc = put(g, WEIR_OP_GEMM, "fc", 2, (weir_value[]){x, weight});
    assert_true(weir_infer_node(g, fc));
    weir_graph_add_output(g, "y", weir_node_output(g, fc, 0));
    return g;
}

/* Eight frames; the classes named are 0 0 1 1 1 2 2 0, the labels (with `labels`) 0 0 0 1 1 2 2 2. */
static void write_data(bool labels) {
    static const double named[8] = {0, 0, 1, 1, 1, 2, 2, 0}, label[8] = {0, 0, 0, 1, 1, 2, 2, 2};
    weir_archive archive;
    weir_archive_init(&archive);
    weir_array *x = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {8, 3}});
    weir_array *y = weir_array_new(WEIR_INT64, &(weir_shape){1, {8}});
    for (size_t i = 0; i < 8; i++) {
        weir_array_set(x, 3 * i + (size_t)named[i], 2);
        weir_array_set(y, i, label[i]);
    }
    weir_archive_add(&archive, "x", x);
    if (labels) weir_archive_add(&archive, "y", y);
    else weir_array_free(y);
    assert_true(weir_npz_write(DATA, &archive));
    weir_archive_free(&archive);
}

static double figure(const analysis *a, const char *key) {
    const json_t *value = json_object_get(a->info, key);
    if (!json_is_real(value)) fail_msg("no '%s'", key);
    return json_real_value(value);
}

static void assert_figure(const analysis *a, const char *key, double expected) {
    if (fabs(figure(a, key) - expected) > 1e-12) fail_msg("%s: %.17g, expected %.17g", key, figure(a, key), expected);
}

/* Precision 2/3, 2/3, 1 and recall 2/3, 1, 2/3 of classes with 3, 2 and 3 frames; F1 2/3, 4/5, 4/5. */
static void assert_figures(const analysis *a) {
    assert_figure(a, "Average Accuracy", 6.0 / 8);
    assert_figure(a, "Average Precision", (3 * 2.0 / 3 + 2 * 2.0 / 3 + 3) / 8);
    assert_figure(a, "Average Recall", 6.0 / 8);
    assert_figure(a, "Average F1 Score", (3 * 2.0 / 3 + 2 * 4.0 / 5 + 3 * 4.0 / 5) / 8);
    /* logits (2, 0, 0): log(e^2 + 2) - 2 where right, log(e^2 + 2) where wrong */
    assert_figure(a, "Average Loss", log(exp(2) + 2) - 2 * 6.0 / 8);
    assert_true(figure(a, "Throughput (frames/s)") > 0);
}

static void engines_agree(void **state) {
    (void)state;
    write_data(true);
    analysis a = analyse(model("model", 1, false), "runtime_analysis{engine=float,data=" DATA ",batch_size=4}");
    assert_figures(&a);
    assert_int_equal(json_integer_value(json_object_get(a.info, "frames")), 8);
    assert_true(fabs(figure(&a, "Average Latency (ms)") * figure(&a, "Throughput (frames/s)") - 4000) < 1e-6);
    assert_json(json_object_get(a.info, "left out"),
                "{\"Average GPU Power Usage (W)\": \"no GPU is used\","
                "\"Inference Energy Consumption (mWh)\": \"power is not measured\"}");
    analysis_free(&a);
    static const char *const integer[] = {"runtime_analysis{engine=integer,data=" DATA "}",
                                          "lower_integer,runtime_analysis{engine=integer,data=" DATA "}",
                                          "runtime_analysis{engine=integer,model=model,data=" DATA "}"};
    for (size_t i = 0; i < sizeof integer / sizeof *integer; i++) {
        a = analyse(model("model", 1, true), integer[i]);
        assert_figures(&a);
        assert_string_equal(json_string_value(json_object_get(a.info, "engine")), "integer");
        analysis_free(&a);
    }
}

/* A graph that takes four frames at once. */
static void batches_in_the_graph(void **state) {
    (void)state;
    write_data(true);
    analysis a = analyse(model("model", 4, false), "runtime_analysis{engine=float,data=" DATA "}");
    assert_figures(&a);
    analysis_free(&a);
}

static void frames_are_limited(void **state) {
    (void)state;
    static const struct {
        const char *options;
        json_int_t frames;
    } cases[] = {{"num_batches=2,batch_size=3", 6}, {"num_batches=3,batch_size=3", 8}, {"frames=2", 2},
                 {"num_batches=1,frames=4", 1},     {"num_batches=5,frames=4", 4},     {"num_warmup_batches=0", 8}};
    write_data(true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *pipeline = weir_format("runtime_analysis{engine=float,data=" DATA ",%s}", cases[i].options);
        analysis a = analyse(model("model", 1, false), pipeline);
        assert_int_equal(json_integer_value(json_object_get(a.info, "frames")), cases[i].frames);
        if (cases[i].frames == 2) assert_figure(&a, "Average Accuracy", 1);
        free(pipeline);
        analysis_free(&a);
    }
}

static void without_labels(void **state) {
    (void)state;
    write_data(false);
    analysis a = analyse(model("model", 1, false), "runtime_analysis{engine=float,data=" DATA "}");
    assert_null(json_object_get(a.info, "Average Accuracy"));
    const json_t *left_out = json_object_get(a.info, "left out");
    assert_int_equal(json_object_size(left_out), 7);
    assert_string_equal(json_string_value(json_object_get(left_out, "Average F1 Score")),
                        "the data has no labels that name classes");
    analysis_free(&a);
}

static void bad_requests(void **state) {
    (void)state;
    write_data(true);
    assert_refused(model("model", 1, false), "runtime_analysis{engine=float}", "needs 'data'");
    assert_refused(model("model", 1, false), "runtime_analysis{data=" DATA "}", "needs compiled hardware");
    assert_refused(model("model", 1, false), "runtime_analysis{data=" DATA ",model=model}", "'model' requires engine");
    assert_refused(model("model", 1, false), "runtime_analysis{engine=float,model=mode,data=" DATA "}",
                   "the module has no graph 'mode'\nnote: did you mean 'model'?");
    assert_refused(model("model", 1, false), "runtime_analysis{engine=float,model=absent.onnx,data=" DATA "}",
                   "absent.onnx");
    assert_refused(model("model", 1, false), "runtime_analysis{engine=integer,data=" DATA "}", "error");
}

/* --- summarize_quantization --- */

/* The quantizers stand before the node, so its position is another one. */
static void defect_nodes_are_matched_by_name(void **state) {
    (void)state;
    analysis a = analyse_with(model("model", 1, false), model("quantized", 1, true),
                              "summarize_quantization{save_dir=" FOLDER "}", NULL);
    assert_non_null(a.info);
    assert_file(FOLDER "/quantize_histogram.csv", "Original type,OP,Total,Changed,Unchanged\n"
                                                  "placeholder,placeholder,1,0,1\n"
                                                  "Gemm,linear,1,1,0\n"
                                                  "output,output,1,0,1\n");
    size_t size;
    char *table = weir_file_read(FOLDER "/quantize_table.csv", &size);
    static const char start[] = "Ori name,New name,MASE_TYPE,Mase_OP,Original type,Quantized type,Changed\n"
                                "x,x,placeholder,placeholder,placeholder,placeholder,False\n"
                                "fc,fc,module_related_func,linear,Gemm,"
                                "\"Gemm(data_in_0=integer<8,0>, weight=integer<8,0>)\",True\n"
                                "output,output,output,output,output,output,False\n";
    assert_true(strncmp(table, start, strlen(start)) == 0);
    assert_non_null(strstr(table, "\n,x_quant,implicit_func,cast,,QuantizeLinear,True\n"));
    free(table);
    assert_json(json_object_get(json_object_get(a.info, "histogram"), "Gemm"),
                "{\"OP\": \"linear\", \"Total\": 1, \"Changed\": 1, \"Unchanged\": 0}");
    analysis_free(&a);
}

static void equal_graphs_are_unchanged(void **state) {
    (void)state;
    analysis a = analyse(model("model", 1, true), "summarize_quantization{save_dir=" FOLDER "}");
    const char *type;
    json_t *counts;
    json_object_foreach(json_object_get(a.info, "histogram"), type, counts)
        assert_int_equal(json_integer_value(json_object_get(counts, "Changed")), 0);
    analysis_free(&a);
    assert_refused(model("model", 1, false), "summarize_quantization{original_graph=float}",
                   "summarize_quantization: the module has no graph 'float'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(engines_agree),
        TEST(batches_in_the_graph),
        TEST(frames_are_limited),
        TEST(without_labels),
        TEST(bad_requests),
        TEST(defect_nodes_are_matched_by_name),
        TEST(equal_graphs_are_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
