/* What stands behind the last layer runs on the host: a classifier with a sigmoid, on Icarus. Its weights and inputs
 * are whole, so the integer engine gives what the float engine does, and the labels are the signs of sums made here. */
#include "test_passes_analysis.h"

#include <stdio.h>

#include "common/folder.h"
#include "cosim/runtime.h"
#include "support/memory/array.h"

enum { FRAMES = 12, INPUTS = 4 };
#define DATA "test_passes_host.npz"

static const double weight[INPUTS] = {1, -2, 2, -1};

/* The last label is wrong. */
static void write_data(void) {
    weir_archive archive;
    weir_archive_init(&archive);
    weir_array *x = weir_array_new(WEIR_FLOAT32, &(weir_shape){2, {FRAMES, INPUTS}});
    weir_array *y = weir_array_new(WEIR_INT64, &(weir_shape){2, {FRAMES, 1}});
    for (size_t frame = 0; frame < FRAMES; frame++) {
        double sum = 0;
        for (size_t i = 0; i < INPUTS; i++) {
            weir_array_set(x, frame * INPUTS + i, (double)random_int(-3, 3));
            sum += weight[i] * weir_array_get(x, frame * INPUTS + i);
        }
        weir_array_set(y, frame, (sum > 0) != (frame == FRAMES - 1));
    }
    weir_archive_add(&archive, "labels", y);
    weir_archive_add(&archive, "x", x);
    assert_true(weir_npz_write(DATA, &archive));
    weir_archive_free(&archive);
}

static weir_graph *model(weir_op last) {
    weir_graph *g = weir_graph_new("model");
    weir_value in[2] = {add_real_input(g, "x", 1, INPUTS), add_constant(g, "w", WEIR_FLOAT32, 2, 1, INPUTS, weight)};
    weir_node fc = put(g, WEIR_OP_GEMM, "fc", 2, in);
    weir_node_set_int(g, fc, "transB", 1);
    assert_true(weir_infer_node(g, fc));
    weir_graph_add_output(g, "y", ADD(g, last, "last", weir_node_output(g, fc, 0)));
    return g;
}

#define QUANTIZE "quantize{scheme=fixed data_in_frac_width=0 weight_frac_width=0 calibration=" DATA "}"

static void probabilities(void **state) {
    (void)state;
    write_data();
    char *folder = make_test_folder();
    char *pipeline =
        weir_format("%s,compile,runtime_analysis{data=%s,simulator=icarus,debug-frames=2}", QUANTIZE, DATA);
    weir_module *module = weir_module_new("net");
    weir_module_set_folder(module, folder);
    weir_module_add_graph(module, model(WEIR_OP_SIGMOID));
    if (!run_pipeline(module, pipeline)) fail_msg("%s", test_messages.data);
    const weir_runtime *runtime = weir_module_data(module, WEIR_RUNTIME_DATA);
    assert_int_equal(runtime->scoring.kind, WEIR_SCORING_PROBABILITY);
    assert_true(runtime->equal && runtime->labelled);
    const double expected = (double)(FRAMES - 1) / FRAMES;
    const weir_metrics *hardware = &runtime->run_metrics[weir_runtime_fast_run(runtime) - runtime->run];
    assert_true(fabs(runtime->float_metrics.accuracy - expected) < 1e-12);
    assert_true(fabs(runtime->integer_metrics.accuracy - expected) < 1e-12);
    assert_true(fabs(hardware->accuracy - expected) < 1e-12);
    assert_true(fabs(hardware->loss - runtime->float_metrics.loss) < 1e-12);
    weir_module_free(module);
    assert_int_equal(remove_test_folder(folder), 0);
    free(pipeline);
}

/* The integer graph ends in the same operators, with their attributes. */
static void operators_behind_the_last_layer(void **state) {
    (void)state;
    static const weir_op ops[] = {WEIR_OP_SIGMOID, WEIR_OP_HARD_SIGMOID, WEIR_OP_TANH, WEIR_OP_SOFTMAX};
    write_data();
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        analysis a = analyse_with(model(ops[i]), NULL, QUANTIZE ",lower_integer", NULL);
        const weir_graph *integer = weir_module_find_graph(a.module, "integer");
        if (integer == NULL) fail_msg("%s", test_messages.data);
        assert_int_equal(weir_node_op(integer, weir_value_producer(integer, weir_graph_output(integer, 0))), ops[i]);
        assert_int_equal(count_op(integer, WEIR_OP_DECODE), 1);
        analysis_free(&a);
    }
}

/* Between two layers there is no hardware for it. */
static void hardware_behind_the_host_is_refused(void **state) {
    (void)state;
    static const double one[1] = {1};
    write_data();
    weir_graph *g = model(WEIR_OP_LOG_SOFTMAX);
    weir_value y =
        ADD(g, WEIR_OP_MATMUL, "mm", weir_graph_output(g, 0), add_constant(g, "v", WEIR_FLOAT32, 2, 1, 1, one));
    weir_graph_set_output(g, 0, y);
    assert_refused(g, QUANTIZE ",lower_integer",
                   "node 'last' (LogSoftmax): is between quantized operators, but only the host computes it");
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(probabilities), TEST(operators_behind_the_last_layer),
                                       TEST(hardware_behind_the_host_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
