/* MASE's published example, an MLP for 28x28 digits, as PyTorch's exporter writes it: x (1,28,28), flatten, fc1
 * 784x784, relu, fc2 784x3136, relu, fc3 3136x10. All weights are 0. */
#ifndef TEST_PASSES_MLP_H
#define TEST_PASSES_MLP_H

#include "frontend/import/onnx.h"
#include "test_frontend_model.h"

static inline void put_linear(weir_text *graph, const char *layer, const char *from, const char *to, int64_t inputs,
                              int64_t outputs) {
    char name[3][32];
    float *zeros = calloc((size_t)(inputs * outputs), sizeof *zeros);
    snprintf(name[0], sizeof name[0], "%s.weight", layer);
    snprintf(name[1], sizeof name[1], "%s.bias", layer);
    snprintf(name[2], sizeof name[2], "/%s/Gemm", layer);
    put_message(graph, GRAPH_INITIALIZER,
                make_floats(name[0], 2, (const int64_t[]){outputs, inputs}, zeros, (size_t)(inputs * outputs)));
    put_message(graph, GRAPH_INITIALIZER, make_floats(name[1], 1, &outputs, zeros, (size_t)outputs));
    weir_text node = make_node("Gemm", name[2], from, name[0], to), transposed = {0};
    put_text(&node, NODE_INPUT, name[1]);
    put_text(&transposed, 1, "transB");
    put_int(&transposed, 3, 1);
    put_int(&transposed, 20, 2);
    put_message(&node, NODE_ATTRIBUTE, transposed);
    put_message(graph, GRAPH_NODE, node);
    free(zeros);
}

static inline weir_graph *import_mlp(void) {
    weir_text graph = {0};
    put_message(&graph, GRAPH_INPUT, make_value("x", ONNX_FLOAT, 3, (const int64_t[]){1, 28, 28}));
    put_message(&graph, GRAPH_OUTPUT, make_value("y", ONNX_FLOAT, 2, (const int64_t[]){1, 10}));
    put_message(&graph, GRAPH_NODE, make_node("Flatten", "/Flatten", "x", NULL, "/Flatten_output_0"));
    put_linear(&graph, "fc1", "/Flatten_output_0", "/fc1/Gemm_output_0", 784, 784);
    put_message(&graph, GRAPH_NODE, make_node("Relu", "/Relu", "/fc1/Gemm_output_0", NULL, "/Relu_output_0"));
    put_linear(&graph, "fc2", "/Relu_output_0", "/fc2/Gemm_output_0", 784, 3136);
    put_message(&graph, GRAPH_NODE, make_node("Relu", "/Relu_1", "/fc2/Gemm_output_0", NULL, "/Relu_1_output_0"));
    put_linear(&graph, "fc3", "/Relu_1_output_0", "y", 3136, 10);
    weir_text model = make_model(graph);
    weir_graph *imported = weir_onnx_import_bytes(model.data, model.size, "mlp.onnx", NULL, NULL);
    weir_text_free(&model);
    assert_non_null(imported);
    return imported;
}

#endif
