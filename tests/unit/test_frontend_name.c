/* Node and graph names made from what ONNX files call things. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "frontend/import/onnx_name.h"

static void node_names(void **state) {
    static const struct {
        const char *name, *op, *expected;
    } cases[] = {
        {"/fc1/Gemm", "Gemm", "fc1"},
        {"/relu/Relu", "Relu", "relu"},
        {"/Relu", "Relu", "relu"},
        {"/Relu_1", "Relu", "relu"},
        {"Gemm_13", "Gemm", "gemm"},
        {NULL, "Gemm", "gemm"},
        {"", "DequantizeLinear", "dequantizelinear"},
        {"/", "Add", "add"},
        {"///", "Add", "add"},
        {"/fc1/Gemm_quant", "QGemm", "fc1"},
        {"/fc1/MatMul_quant", "QLinearMatMul", "fc1"},
        {"/fc1/Gemm_2_quant", "QGemm", "fc1"},
        {"QuantizeLinear_0", "QuantizeLinear", "quantizelinear"},
        {"input_QuantizeLinear", "QuantizeLinear", "input_QuantizeLinear"},
        {"/layers/layers.0/Gemm", "Gemm", "layers_0"},
        {"/block/conv/conv.1/relu/Relu_3", "Relu", "block_conv_1_relu"},
        {"/0/Gemm", "Gemm", "_0"},
        {"fc1", "Gemm", "fc1"},
        {"fc1/", "Gemm", "fc1"},
        {"Gemm_", "Gemm", "Gemm_"},
        {"_1", "Gemm", "_1"},
        {"input", "Relu", "input_"},
        {"/reg/Gemm", "Gemm", "reg_"},
        {"logic", "Relu", "logic_"},
        {"", "And", "and_"},
        {"a b-c\n\"d", "Relu", "a_b_c__d"},
        {"\xc3\xa9", "Relu", "relu"},
        {"\xc3\xa9t\xc3\xa9", "Relu", "__t__"},
        {"$", "::", "node"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[WEIR_ONNX_NAME_SIZE];
        weir_onnx_name_node(cases[i].name, cases[i].op, text);
        assert_string_equal(text, cases[i].expected);
    }
}

static void names_are_bounded(void **state) {
    char name[5000], text[WEIR_ONNX_NAME_SIZE];
    (void)state;
    for (size_t length = 0; length < sizeof name; length++) {
        memset(name, '7', length);
        for (size_t i = 3; i < length; i += 5) name[i] = '/';
        name[length] = '\0';
        weir_onnx_name_node(name, "Relu", text);
        assert_true(strlen(text) > 0 && strlen(text) < WEIR_ONNX_NAME_SIZE);
        assert_int_equal(strspn(text, "_7relu"), strlen(text));
        assert_false(*text == '7');
        if (length == sizeof name - 1) break;
    }
}

static void graph_names(void **state) {
    char text[WEIR_ONNX_NAME_SIZE];
    (void)state;
    weir_onnx_name_graph("mlp_qdq.onnx", text);
    assert_string_equal(text, "mlp_qdq");
    weir_onnx_name_graph("model-2.opt.onnx", text);
    assert_string_equal(text, "model_2");
    weir_onnx_name_graph(".onnx", text);
    assert_string_equal(text, "model");
    weir_onnx_name_graph("module", text);
    assert_string_equal(text, "module_");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_names),
        cmocka_unit_test(names_are_bounded),
        cmocka_unit_test(graph_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
