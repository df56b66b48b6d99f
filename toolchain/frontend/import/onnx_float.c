#include "frontend/import/onnx_float.h"

#include <string.h>

#include "frontend/wire/onnx_tensor.h"

static bool is_other(int32_t number, weir_dtype *dtype) {
    return weir_onnx_tensor_type(number, dtype) && weir_onnx_tensor_narrowed(*dtype) != *dtype;
}

static bool declares(Onnx__ValueInfoProto *const *values, size_t count, weir_dtype *dtype) {
    for (size_t i = 0; i < count; i++) {
        const Onnx__TypeProto *type = values[i]->type;
        if (type != NULL && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE &&
            is_other(type->tensor_type->elem_type, dtype))
            return true;
    }
    return false;
}

/* The tensor that a Constant holds, or NULL. */
static const Onnx__TensorProto *constant_tensor(const Onnx__NodeProto *node) {
    if (node->op_type == NULL || strcmp(node->op_type, "Constant") != 0 || node->n_attribute != 1) return NULL;
    return node->attribute[0]->t;
}

static bool is_other_constant(const Onnx__GraphProto *graph, const weir_onnx_definition *d, weir_dtype *dtype) {
    if (d == NULL || d->source == WEIR_ONNX_INPUT) return false;
    const Onnx__TensorProto *tensor =
        d->source == WEIR_ONNX_INITIALIZER ? graph->initializer[d->index] : constant_tensor(graph->node[d->index]);
    return tensor != NULL && is_other(tensor->data_type, dtype);
}

static bool has_parameters(const char *op) {
    static const char *const names[] = {"Gemm",           "MatMul",           "Conv",
                                        "QuantizeLinear", "DequantizeLinear", "BatchNormalization",
                                        "Quant",          "BipolarQuant",     "LayerNormalization",
                                        "Trunc",          "MultiThreshold",   "FloatQuant"};
    for (size_t i = 0; op != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], op) == 0) return true;
    return false;
}

bool weir_onnx_float_find(const Onnx__GraphProto *graph, const weir_onnx_scope *scope, weir_dtype *dtype) {
    if (declares(graph->input, graph->n_input, dtype) || declares(graph->output, graph->n_output, dtype)) return true;
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        for (size_t k = 0; has_parameters(node->op_type) && k < node->n_input; k++)
            if (is_other_constant(graph, weir_onnx_scope_find(scope, node->input[k]), dtype)) return true;
    }
    return false;
}
