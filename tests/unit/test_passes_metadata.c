/* MASE's metadata: records as MASE prints them, and what MASE gets wrong done right. Expected records are written from
 * MASE's documentation and the shapes of the graphs. */
#include <stdio.h>

#include "test_passes_support.h"

#include "common/setting_of.h"
#include "common/text_pair.h"
#include "ir/graph/print.h"
#include "passes/mase/metadata/node_meta.h"
#include "passes/mase/metadata/node_meta_param.h"
#include "support/file/file.h"
#include "test_pass_bench.h"
#include "test_passes_mlp.h"

static pass_bench start(weir_graph *graph) { return pass_bench_of_weir(module_of_graph(graph)); }

static void run(pass_bench *b, const char *pipeline) {
    if (!pass_bench_run(b, pipeline)) fail_msg("%s", test_messages.data);
}

static weir_graph *graph_of(const pass_bench *b) { return weir_module_graph(b->module, 0); }

static void stop(pass_bench *b) {
    weir_module_free(b->module);
    pass_bench_stop(b);
}

/* The value at a path of keys "args.weight.precision" of a node's group. A new reference; NULL: not there. */
static json_t *meta_at(const weir_graph *graph, const char *node, weir_meta_group group, const char *path) {
    weir_fx_view *view = weir_fx_view_new(graph);
    const weir_fx_node *found = weir_fx_view_find(view, node);
    assert_non_null(found);
    json_t *record = weir_node_meta(view, found, group, NULL), *at = record;
    while (at != NULL && *path != '\0') {
        char key[64];
        size_t size = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)size, path);
        at = json_object_get(at, key);
        path += size + (path[size] == '.');
    }
    json_incref(at);
    json_decref(record);
    weir_fx_view_free(view);
    return at;
}

/* Expected JSON is written with ' for ". */
static void assert_json(json_t *found, const char *expected) {
    char *quoted = weir_copy_string(expected);
    for (char *c = quoted; *c != '\0'; c++) *c = *c == '\'' ? '"' : *c;
    json_t *wanted = json_loads(quoted, JSON_DECODE_ANY, NULL);
    free(quoted);
    assert_non_null(wanted);
    char *text = found == NULL ? NULL : json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY);
    if (found == NULL || !json_equal(found, wanted)) fail_msg("expected %s, found %s", expected, text);
    free(text);
    json_decref(wanted);
    json_decref(found);
}

static void assert_meta(const weir_graph *graph, const char *node, weir_meta_group group, const char *path,
                        const char *expected) {
    assert_json(meta_at(graph, node, group, path), expected);
}

/* ---- records of the published example ---- */

static void common_records_of_the_example(void **state) {
    (void)state;
    weir_graph *g = import_mlp();
    assert_meta(g, "fc2", WEIR_META_COMMON, "",
                "{'mase_type': 'module_related_func', 'mase_op': 'linear', 'args': {"
                "'data_in_0': {'shape': [1, 784], 'torch_dtype': 'torch.float32', 'type': 'float', 'precision': [32]},"
                "'weight': {'type': 'float', 'precision': [32], 'shape': [3136, 784], 'from': null},"
                "'bias': {'type': 'float', 'precision': [32], 'shape': [1, 3136], 'from': null}},"
                "'results': {'data_out_0': {'type': 'float', 'precision': [32], 'shape': [1, 3136], "
                "'torch_dtype': 'torch.float32'}}}");
    assert_meta(g, "x", WEIR_META_COMMON, "",
                "{'mase_type': 'placeholder', 'mase_op': 'placeholder', 'args': {}, 'results': {'data_out_0': {'type': "
                "'float', 'precision': [32], 'shape': [1, 28, 28], 'torch_dtype': 'torch.float32'}}}");
    assert_meta(g, "relu", WEIR_META_COMMON, "args.inplace", "false");
    assert_meta(g, "flatten", WEIR_META_COMMON, "args.start_dim",
                "{'type': 'int', 'precision': null, 'shape': [1], 'torch_dtype': null, 'value': 1}");
    assert_meta(g, "output", WEIR_META_COMMON, "",
                "{'mase_type': 'output', 'mase_op': 'output', 'args': {}, 'results': {}}");
    weir_graph_free(g);
}

/* The keys come in MASE's order, which is not the same for arguments, parameters and results. */
static void keys_are_in_order(void **state) {
    (void)state;
    weir_graph *g = import_mlp();
    static const char *const paths[][2] = {
        {"args.data_in_0", "shape torch_dtype type precision "},
        {"args.weight", "type precision shape from "},
        {"results.data_out_0", "type precision shape torch_dtype "},
        {"", "mase_type mase_op args results "},
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        weir_text keys = {NULL, 0, 0};
        json_t *record = meta_at(g, "fc1", WEIR_META_COMMON, paths[i][0]), *value;
        const char *key;
        json_object_foreach(record, key, value) { weir_text_format(&keys, "%s ", key); }
        assert_string_equal(keys.data, paths[i][1]);
        weir_text_free(&keys);
        json_decref(record);
    }
    weir_graph_free(g);
}

static void software_records_of_the_example(void **state) {
    (void)state;
    pass_bench b = start(import_mlp());
    assert_meta(graph_of(&b), "fc1", WEIR_META_SOFTWARE, "", "{'args': {}, 'results': {}}");
    run(&b, "add_software_metadata");
    assert_meta(graph_of(&b), "fc1", WEIR_META_SOFTWARE, "",
                "{'args': {'data_in_0': {'stat': {}}, 'weight': {'stat': {}}, 'bias': {'stat': {}}}, "
                "'results': {'data_out_0': {'stat': {}}}}");
    stop(&b);
}

static void hardware_records_of_the_example(void **state) {
    (void)state;
    pass_bench b = start(import_mlp());
    run(&b, "add_hardware_metadata{max_parallelism=\"1,8\"}");
    weir_graph *g = graph_of(&b);
    assert_meta(g, "fc3", WEIR_META_HARDWARE, "verilog_param",
                "{'DATA_IN_0_PRECISION_0': 32, 'DATA_IN_0_TENSOR_SIZE_DIM_0': 3136, 'DATA_IN_0_TENSOR_SIZE_DIM_1': 1,"
                "'DATA_IN_0_PARALLELISM_DIM_0': 8, 'DATA_IN_0_PARALLELISM_DIM_1': 1, 'WEIGHT_PRECISION_0': 32,"
                "'WEIGHT_TENSOR_SIZE_DIM_0': 3136, 'WEIGHT_TENSOR_SIZE_DIM_1': 10, 'WEIGHT_PARALLELISM_DIM_0': 8,"
                "'WEIGHT_PARALLELISM_DIM_1': 1, 'BIAS_PRECISION_0': 32, 'BIAS_TENSOR_SIZE_DIM_0': 10,"
                "'BIAS_TENSOR_SIZE_DIM_1': 1, 'BIAS_PARALLELISM_DIM_0': 5, 'BIAS_PARALLELISM_DIM_1': 1,"
                "'DATA_OUT_0_PRECISION_0': 32, 'DATA_OUT_0_TENSOR_SIZE_DIM_0': 10, 'DATA_OUT_0_TENSOR_SIZE_DIM_1': 1,"
                "'DATA_OUT_0_PARALLELISM_DIM_0': 5, 'DATA_OUT_0_PARALLELISM_DIM_1': 1}");
    assert_meta(g, "fc3", WEIR_META_HARDWARE, "interface",
                "{'weight': {'storage': 'BRAM', 'transpose': false}, 'bias': {'storage': 'BRAM', 'transpose': false}}");
    assert_meta(g, "fc3", WEIR_META_HARDWARE, "max_parallelism", "[1, 8]");
    assert_meta(g, "fc3", WEIR_META_HARDWARE, "module", "'weir_mvu'");
    assert_meta(g, "fc3", WEIR_META_HARDWARE, "device_id", "-1");
    assert_meta(g, "relu", WEIR_META_HARDWARE, "module", "'weir_relu'");
    assert_meta(g, "relu", WEIR_META_HARDWARE, "verilog_param.INPLACE", "0");
    assert_meta(g, "relu", WEIR_META_HARDWARE, "dependence_files",
                "['rtl/activation/weir_relu.v', 'rtl/stream/weir_register_slice.v', 'rtl/check/weir_check_carried.v',"
                "'rtl/check/weir_check_hold.v', 'rtl/check/weir_check.v']");
    assert_meta(g, "x", WEIR_META_HARDWARE, "", "{'is_implicit': true, 'device_id': 0}");
    stop(&b);
}

/* The flatten in front is only another view of x, so fc1 is the first node. */
static void edges_of_the_example(void **state) {
    (void)state;
    pass_bench b = start(import_mlp());
    run(&b, "add_common_metadata{force_device_meta=true}");
    const json_t *info = json_object_get(json_array_get(weir_pass_records(b.context), 0), "info");
    assert_json(json_incref(json_object_get(info, "nodes_in")), "['fc1']");
    assert_json(json_incref(json_object_get(info, "nodes_out")), "['fc3']");
    assert_json(json_incref(json_object_get(json_object_get(json_object_get(info, "args"), "data_in_0"), "shape")),
                "[1, 784]");
    assert_json(json_incref(json_object_get(json_object_get(json_object_get(info, "results"), "data_out_0"), "shape")),
                "[1, 10]");
    stop(&b);
}

/* ---- defects of MASE ---- */

static weir_graph *make_sum_of_inputs(void) {
    weir_graph *g = weir_graph_new("sum");
    weir_value a = add_real_input(g, "a", 1, 4), b = add_real_input(g, "b", 1, 8);
    weir_value left = ADD(g, WEIR_OP_RELU, "left", a), right = ADD(g, WEIR_OP_RELU, "right", b);
    weir_graph_add_output(g, "y", left);
    weir_graph_add_output(g, "z", right);
    return g;
}

/* MASE merges the arguments of the first nodes by name: of two inputs called data_in_0 one is left. */
static void two_inputs_called_data_in_0_do_not_collide(void **state) {
    (void)state;
    pass_bench b = start(make_sum_of_inputs());
    run(&b, "add_common_metadata{force_device_meta=true}");
    const json_t *info = json_object_get(json_array_get(weir_pass_records(b.context), 0), "info");
    assert_json(json_incref(json_object_get(info, "nodes_in")), "['left', 'right']");
    assert_json(json_incref(json_object_get(info, "args")),
                "{'data_in_0': {'type': 'float', 'precision': [32], 'shape': [1, 4], 'torch_dtype': 'torch.float32', "
                "'node': 'left'}, 'data_in_1': {'type': 'float', 'precision': [32], 'shape': [1, 8], 'torch_dtype': "
                "'torch.float32', 'node': 'right'}}");
    assert_int_equal(json_object_size(json_object_get(info, "results")), 2);
    stop(&b);
}

/* 8-bit data, 6-bit weights, accumulators as wide as they must be: MASE gives all of them the precision of the data. */
static weir_graph *make_quantized(void) {
    weir_graph *g = weir_graph_new("quantized");
    double weights[16];
    for (int i = 0; i < 16; i++) weights[i] = i - 8;
    weir_value x = add_codes_input(g, "x", WEIR_INT8, 1, 4, -128, 127);
    weir_value w = add_constant(g, "w", WEIR_INT8, 2, 4, 4, weights);
    weir_type type = *weir_value_type(g, w);
    type.quant = (weir_quant){.format = WEIR_FORMAT_FIXED, .is_signed = true, .width = 6, .frac = 3, .axis = -1};
    weir_value_set_type(g, w, &type);
    weir_value y = ADD(g, WEIR_OP_LINEAR, "fc", x, w);
    weir_graph_add_output(g, "y", y);
    return g;
}

static void weight_precision_of_a_quantized_module_is_kept(void **state) {
    (void)state;
    weir_graph *g = make_quantized();
    assert_meta(g, "fc", WEIR_META_COMMON, "args.data_in_0.precision", "[8, 0]");
    assert_meta(g, "fc", WEIR_META_COMMON, "args.data_in_0.type", "'integer'");
    assert_meta(g, "fc", WEIR_META_COMMON, "args.weight.precision", "[6, 3]");
    assert_meta(g, "fc", WEIR_META_COMMON, "args.weight.type", "'fixed'");
    assert_meta(g, "fc", WEIR_META_HARDWARE, "verilog_param.WEIGHT_PRECISION_0", "6");
    assert_meta(g, "fc", WEIR_META_HARDWARE, "verilog_param.WEIGHT_PRECISION_1", "3");
    weir_graph_free(g);
}

/* MASE's quantize leaves the result at float. Here |w| sums up to 8+7+6+5 = 26 at most, so results are within 26 * 128
 * = 3328 < 2^12: 13 bits. */
static void result_precision_follows_the_result(void **state) {
    (void)state;
    weir_graph *g = make_quantized();
    assert_meta(g, "fc", WEIR_META_COMMON, "results.data_out_0.type", "'integer'");
    json_t *precision = meta_at(g, "fc", WEIR_META_COMMON, "results.data_out_0.precision");
    assert_int_equal(json_integer_value(json_array_get(precision, 0)), 13);
    json_decref(precision);
    weir_type type = *weir_value_type(g, weir_graph_output(g, 0));
    type.quant.width = 20;
    weir_value_set_type(g, weir_graph_output(g, 0), &type);
    precision = meta_at(g, "fc", WEIR_META_COMMON, "results.data_out_0.precision");
    assert_int_equal(json_integer_value(json_array_get(precision, 0)), 20);
    json_decref(precision);
    weir_graph_free(g);
}

/* What a folding has chosen comes before limits: 2 inputs and 4 outputs a cycle. */
static void folded_nodes_have_their_parallelism(void **state) {
    (void)state;
    pass_bench b = start(make_quantized());
    run(&b, "add_hardware_metadata{max_parallelism=\"1\"}");
    weir_meta_hardware *hardware =
        &weir_node_metadata(graph_of(&b), weir_graph_find_node(graph_of(&b), "fc"))->hardware;
    *hardware = (weir_meta_hardware){.assigned = true, .module = "weir_mvu", .in_lanes = 2, .out_lanes = 4};
    set_setting(hardware, "simd", 2);
    set_setting(hardware, "pe", 4);
    static const char *const parameters[][2] = {
        {"DATA_IN_0_PARALLELISM_DIM_0", "2"},  {"DATA_IN_0_PARALLELISM_DIM_1", "1"},
        {"WEIGHT_PARALLELISM_DIM_0", "2"},     {"WEIGHT_PARALLELISM_DIM_1", "4"},
        {"DATA_OUT_0_PARALLELISM_DIM_0", "4"}, {"DATA_OUT_0_PARALLELISM_DIM_1", "1"}};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        char *path = weir_format("verilog_param.%s", parameters[i][0]);
        assert_meta(graph_of(&b), "fc", WEIR_META_HARDWARE, path, parameters[i][1]);
        free(path);
    }
    stop(&b);
}

static void no_arguments_give_the_defaults(void **state) {
    (void)state;
    pass_bench b = start(make_quantized());
    run(&b, "init_metadata,add_common_metadata,add_software_metadata,add_hardware_metadata");
    assert_meta(graph_of(&b), "fc", WEIR_META_HARDWARE, "max_parallelism", "[4, 4, 4, 4]");
    stop(&b);
}

/* A flatten between two nodes that compute: MASE makes it explicit and emits an instance without a module. */
static void an_implicit_operator_in_the_middle_is_implicit(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("middle");
    double ones[16] = {0};
    weir_type type = {.dtype = WEIR_FLOAT32, .shape = {4, {1, 1, 3, 3}}, .quant = {.axis = -1}};
    weir_array *kernel = weir_array_new(WEIR_FLOAT32, &(weir_shape){4, {4, 1, 2, 2}});
    weir_value x = weir_graph_add_input(g, "x", &type), k = weir_graph_add_constant(g, "k", kernel);
    weir_array_free(kernel);
    weir_value conv = ADD(g, WEIR_OP_CONV, "conv", x, k), flat = ADD(g, WEIR_OP_FLATTEN, "flatten", conv);
    weir_value y = ADD(g, WEIR_OP_GEMM, "fc", flat, add_constant(g, "w", WEIR_FLOAT32, 2, 16, 1, ones));
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_FLATTEN, "last", y));
    pass_bench b = start(g);
    run(&b, "add_hardware_metadata,add_common_metadata{force_device_meta=true}");
    assert_meta(g, "conv", WEIR_META_HARDWARE, "is_implicit", "false");
    assert_meta(g, "flatten", WEIR_META_HARDWARE, "", "{'is_implicit': true, 'device_id': 0}");
    assert_meta(g, "fc", WEIR_META_HARDWARE, "is_implicit", "false");
    assert_meta(g, "last", WEIR_META_HARDWARE, "is_implicit", "true");
    const json_t *info = json_object_get(json_array_get(weir_pass_records(b.context), 1), "info");
    assert_json(json_incref(json_object_get(info, "nodes_in")), "['conv']");
    assert_json(json_incref(json_object_get(info, "nodes_out")), "['fc']");
    stop(&b);
}

/* MASE knows no entry for a constant that stands alone and stops with a KeyError. */
static void a_get_attr_constant_is_no_key_error(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("constant");
    weir_value x = add_real_input(g, "x", 1, 2);
    weir_value c = add_constant(g, "c", WEIR_FLOAT32, 2, 1, 2, (const double[]){1, 2});
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_ADD, "sum", x, c));
    pass_bench b = start(g);
    run(&b, "add_common_metadata,add_software_metadata,add_hardware_metadata,report_node_meta_param");
    assert_meta(g, "c", WEIR_META_COMMON, "mase_type", "'get_attr'");
    assert_meta(g, "c", WEIR_META_COMMON, "mase_op", "'constant'");
    assert_meta(g, "c", WEIR_META_SOFTWARE, "results", "{'data_out_0': {'stat': {}}}");
    assert_meta(g, "sum", WEIR_META_SOFTWARE, "args.data_in_1", "{'stat': {}}");
    stop(&b);
}

/* MASE takes min(size, limit): 10 elements by fours. The largest divisor of 10 up to 4 is 2. */
static void parallelism_divides_the_size(void **state) {
    (void)state;
    static const int64_t cases[][3] = {{10, 4, 2},   {12, 4, 4},  {7, 4, 1},      {9, 8, 3},
                                       {16, 16, 16}, {6, 100, 6}, {3136, 64, 64}, {1, 4, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(weir_node_meta_parallelism(cases[i][0], cases[i][1]), cases[i][2]);
    for (int64_t size = 1; size <= 60; size++) {
        for (int64_t limit = 1; limit <= 70; limit++) {
            int64_t best = 1;
            for (int64_t i = 1; i <= limit; i++) best = size % i == 0 ? i : best;
            assert_int_equal(weir_node_meta_parallelism(size, limit), best);
        }
    }
}

static void init_metadata_again_erases_nothing(void **state) {
    (void)state;
    pass_bench b = start(make_quantized());
    run(&b, "init_metadata,add_software_metadata,add_hardware_metadata,init_metadata");
    assert_meta(graph_of(&b), "fc", WEIR_META_SOFTWARE, "args.weight", "{'stat': {}}");
    assert_meta(graph_of(&b), "fc", WEIR_META_HARDWARE, "max_parallelism", "[4, 4, 4, 4]");
    stop(&b);
}

static void statistics_survive_add_software_metadata(void **state) {
    (void)state;
    pass_bench b = start(make_quantized());
    run(&b, "add_software_metadata");
    weir_node node = weir_graph_find_node(graph_of(&b), "fc");
    json_t *facts = weir_metadata_facts(weir_node_metadata(graph_of(&b), node), WEIR_META_SOFTWARE);
    json_object_set_new(json_object_get(json_object_get(json_object_get(facts, "args"), "weight"), "stat"), "abs_mean",
                        json_real(4));
    run(&b, "add_software_metadata");
    assert_meta(graph_of(&b), "fc", WEIR_META_SOFTWARE, "args.weight.stat", "{'abs_mean': 4.0}");
    stop(&b);
}

/* The words of MASE's IR, and none where no component exists. */
static void one_toolchain_vocabulary(void **state) {
    (void)state;
    pass_bench b = start(import_mlp());
    run(&b, "report_node_hardware_type");
    assert_string_equal(weir_pass_output(b.context)->data,
                        "| Node name | Fx Node op    | Type  | Tool Chain   | Device ID |\n"
                        "|-----------|---------------|-------|--------------|-----------|\n"
                        "| fc1       | call_module   | float | INTERNAL_RTL | -1        |\n"
                        "| relu      | call_function | float | INTERNAL_RTL | -1        |\n"
                        "| fc2       | call_module   | float | INTERNAL_RTL | -1        |\n"
                        "| relu_1    | call_function | float | INTERNAL_RTL | -1        |\n"
                        "| fc3       | call_module   | float | INTERNAL_RTL | -1        |\n");
    stop(&b);
    weir_graph *g = weir_graph_new("none");
    weir_value x = add_real_input(g, "x", 4, 4);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_POW, "power", x, x));
    assert_meta(g, "power", WEIR_META_HARDWARE, "toolchain", "null");
    assert_meta(g, "power", WEIR_META_HARDWARE, "module", "null");
    assert_meta(g, "power", WEIR_META_HARDWARE, "dependence_files", "[]");
    weir_graph_free(g);
}

/* MASE's documentation passes a string, and its code stops at an assertion. */
static void which_may_be_a_string(void **state) {
    (void)state;
    static const struct {
        const char *which, *has, *lacks;
    } cases[] = {{"common", "Common Param", "Hardware Param"},
                 {"hardware", "Hardware Param", "Software Param"},
                 {"\"('common', 'software')\"", "Software Param", "Hardware Param"},
                 {"\"software,hardware\"", "Hardware Param", "Common Param"},
                 {"all", "Hardware Param", "None Param"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pass_bench b = start(make_quantized());
        char *pipeline = weir_format("report_node_meta_param{which=%s}", cases[i].which);
        run(&b, pipeline);
        assert_non_null(strstr(weir_pass_output(b.context)->data, cases[i].has));
        assert_null(strstr(weir_pass_output(b.context)->data, cases[i].lacks));
        free(pipeline);
        stop(&b);
    }
    pass_bench b = start(make_quantized());
    assert_false(pass_bench_run(&b, "report_node_meta_param{which=hardwere}"));
    assert_non_null(strstr(test_messages.data, "which: expected all, common, hardware or software, found 'hardwere'"));
    assert_non_null(strstr(test_messages.data, "did you mean 'hardware'?"));
    stop(&b);
}

static void wrong_limits_are_errors(void **state) {
    (void)state;
    static const char *const texts[] = {"0", "4,", ",4", "4;4", "x", "-1", "4,4,"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pass_bench b = start(make_quantized());
        char *pipeline = weir_format("add_hardware_metadata{max_parallelism=\"%s\"}", texts[i]);
        assert_false(pass_bench_run(&b, pipeline));
        assert_non_null(strstr(test_messages.data, "max_parallelism: expected numbers of at least 1"));
        free(pipeline);
        stop(&b);
        test_setup(NULL);
    }
}

/* ---- values ---- */

static void values_of_a_given_frame(void **state) {
    (void)state;
    weir_archive frame;
    weir_archive_init(&frame);
    weir_array *x = weir_array_new(WEIR_INT8, &(weir_shape){2, {1, 4}});
    for (size_t i = 0; i < 4; i++) weir_array_set_int(x, i, (int64_t)i + 1);
    weir_archive_add(&frame, "x", x);
    assert_true(weir_npz_write("frame.npz", &frame));
    weir_archive_free(&frame);
    pass_bench b = start(make_quantized());
    run(&b, "add_common_metadata{dummy_in=\"frame.npz\"},report_node_meta_param{which=common}");
    /* Row i of the weights is 4i-8 .. 4i-5: 1*(-8) + 2*(-7) + 3*(-6) + 4*(-5) = -60, then 40 more a row. */
    assert_non_null(strstr(weir_pass_output(b.context)->data, "'value': tensor([-60, -20, 20, 60])"));
    assert_non_null(strstr(weir_pass_output(b.context)->data, "'value': tensor([1, 2, 3, 4])"));
    assert_non_null(strstr(weir_pass_output(b.context)->data, "'value': tensor([-8, -7, -6, ..., 5, 6, 7])"));
    stop(&b);
    b = start(make_quantized());
    run(&b, "add_common_metadata{dummy_in=\"frame.npz\" add_value=false},report_node_meta_param{which=common}");
    assert_null(strstr(weir_pass_output(b.context)->data, "'value'"));
    stop(&b);
    b = start(make_sum_of_inputs());
    assert_false(pass_bench_run(&b, "add_common_metadata{dummy_in=\"frame.npz\"}"));
    assert_non_null(strstr(test_messages.data, "no data for input 'a', one of the model's 2"));
    stop(&b);
}

/* The same seed gives the same frame, another seed another one. */
static void made_up_frames_follow_from_the_seed(void **state) {
    (void)state;
    static const char *const pipelines[] = {
        "add_common_metadata,report_node_meta_param{which=common}",
        "add_common_metadata{seed=1},report_node_meta_param{which=common}",
        "add_common_metadata{seed=2},report_node_meta_param{which=common}",
    };
    char *text[3];
    for (int i = 0; i < 3; i++) {
        pass_bench b = start(make_quantized());
        run(&b, pipelines[i]);
        text[i] = weir_copy_string(weir_pass_output(b.context)->data);
        stop(&b);
    }
    assert_string_equal(text[0], text[1]);
    assert_string_not_equal(text[0], text[2]);
    for (int i = 0; i < 3; i++) free(text[i]);
}

/* ---- YAML ---- */

static void yaml_round_trip_is_exact(void **state) {
    (void)state;
    pass_bench b = start(import_mlp());
    run(&b, "add_hardware_metadata{max_parallelism=\"2,16\"},add_software_metadata");
    weir_node node = weir_graph_find_node(graph_of(&b), "fc2");
    json_t *facts = weir_metadata_facts(weir_node_metadata(graph_of(&b), node), WEIR_META_SOFTWARE);
    json_object_set_new(
        facts, "odd",
        json_pack("{s:f,s:[i,n,b],s:s,s:s}", "real", 0.1, "list", 3, 1, "text", "a: 'b'\n", "number", "12"));
    char *expected = graph_text(graph_of(&b));
    run(&b, "save_node_meta_param{path=\"meta.yaml\"}");
    pass_bench fresh = start(import_mlp());
    run(&fresh, "load_node_meta_param{path=\"meta.yaml\"}");
    char *found = graph_text(graph_of(&fresh));
    assert_string_equal(found, expected);
    free(found);
    run(&b, "load_node_meta_param{path=\"meta.yaml\"}"); /* over what is there */
    found = graph_text(graph_of(&b));
    assert_string_equal(found, expected);
    free(found);
    free(expected);
    stop(&fresh);
    stop(&b);
}

static void contradictions_are_errors(void **state) {
    (void)state;
    static const text_pair cases[] = {
        {"fc:\n  common:\n    args:\n      weight:\n        shape: [4, 5]\n",
         "m.yaml:5: error: 'fc': common.args.weight.shape is [4,4] in the graph, found [4,5]"},
        {"fc:\n  common: {mase_op: conv2d}\n",
         "m.yaml:2: error: 'fc': common.mase_op is \"linear\" in the graph, found \"conv2d\""},
        {"fc:\n  hardware: {max_parallelism: [1, 2], verilog_param: {DATA_IN_0_PARALLELISM_DIM_0: 4}}\n",
         "hardware.verilog_param.DATA_IN_0_PARALLELISM_DIM_0 is 2 in the graph, found 4"},
        {"fc:\n  hardware:\n    max_parallelism: [0]\n",
         "m.yaml:3: error: max_parallelism: expected a list of numbers of at least 1"},
        {"fc:\n  common: {}\nfcc:\n  common: {}\n",
         "m.yaml:3: error: no node 'fcc' in the graph\nnote: did you mean 'fc'?"},
        {"fc:\n  comon: {}\n",
         "m.yaml:2: error: 'fc': expected the groups common, software and hardware, found 'comon'"},
        {"fc: 3\n", "m.yaml:1: error: 'fc': expected the groups common, software and hardware"},
        {"x:\n  software: {odd: 1}\n",
         "m.yaml:1: error: 'x' is not an operator: metadata can only be stored with operators"},
        {"- fc\n", "m.yaml:1: error: expected a mapping of nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        weir_graph *g = make_quantized();
        char *before = graph_text(g);
        assert_true(weir_file_write("m.yaml", cases[i].text, strlen(cases[i].text)));
        assert_false(weir_node_meta_param_load(g, "m.yaml"));
        if (strstr(test_messages.data, cases[i].expected) == NULL)
            fail_msg("expected '%s', found '%s'", cases[i].expected, test_messages.data);
        char *after = graph_text(g);
        assert_string_equal(before, after);
        free(before);
        free(after);
        weir_graph_free(g);
    }
}

static void what_agrees_is_not_stored(void **state) {
    (void)state;
    static const char yaml[] =
        "fc:\n  common: {mase_op: linear}\n  software: {args: {weight: {stat: {abs_mean: 2}}}}\n";
    weir_graph *g = make_quantized();
    assert_true(weir_file_write("m.yaml", yaml, sizeof yaml - 1));
    assert_true(weir_node_meta_param_load(g, "m.yaml"));
    const weir_metadata *metadata = weir_node_metadata_of(g, weir_graph_find_node(g, "fc"));
    assert_json(json_incref(metadata->facts), "{'software': {'args': {'weight': {'stat': {'abs_mean': 2}}}}}");
    weir_graph_free(g);
}

static void loading_replaces_what_is_stored(void **state) {
    (void)state;
    static const char yaml[] = "fc:\n  hardware: {max_parallelism: [3]}\n";
    pass_bench b = start(make_quantized());
    run(&b, "add_software_metadata,add_hardware_metadata");
    assert_true(weir_file_write("m.yaml", yaml, sizeof yaml - 1));
    assert_true(weir_node_meta_param_load(graph_of(&b), "m.yaml"));
    const weir_metadata *metadata = weir_node_metadata_of(graph_of(&b), weir_graph_find_node(graph_of(&b), "fc"));
    assert_json(json_incref(metadata->facts), "{'hardware': {'max_parallelism': [3]}}");
    stop(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(common_records_of_the_example),
        TEST(keys_are_in_order),
        TEST(software_records_of_the_example),
        TEST(hardware_records_of_the_example),
        TEST(edges_of_the_example),
        TEST(folded_nodes_have_their_parallelism),
        TEST(two_inputs_called_data_in_0_do_not_collide),
        TEST(weight_precision_of_a_quantized_module_is_kept),
        TEST(result_precision_follows_the_result),
        TEST(no_arguments_give_the_defaults),
        TEST(an_implicit_operator_in_the_middle_is_implicit),
        TEST(a_get_attr_constant_is_no_key_error),
        TEST(parallelism_divides_the_size),
        TEST(init_metadata_again_erases_nothing),
        TEST(statistics_survive_add_software_metadata),
        TEST(one_toolchain_vocabulary),
        TEST(which_may_be_a_string),
        TEST(wrong_limits_are_errors),
        TEST(values_of_a_given_frame),
        TEST(made_up_frames_follow_from_the_seed),
        TEST(yaml_round_trip_is_exact),
        TEST(contradictions_are_errors),
        TEST(what_agrees_is_not_stored),
        TEST(loading_replaces_what_is_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
