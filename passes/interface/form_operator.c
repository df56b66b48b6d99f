/* Quantized operators to QDQ: dequantized operands, the float operator, a quantizer. ONNX Runtime fuses that back into
 * the same kernels. */
#include <stdlib.h>

#include "passes/interface/form.h"
#include "support/memory/array.h"

/* A scale or zero point for the QDQ operators: one is of rank 0, several are a list. */
static weir_value parameter_value(weir_graph *graph, weir_node node, const char *suffix, const weir_array *array) {
    weir_array copy = *array;
    copy.shape = (weir_shape){.rank = array->count > 1, .dim = {(int64_t)array->count}};
    return weir_form_constant(graph, node, suffix, &copy);
}

/* DequantizeLinear of input `index`, its scale in the next, its zero point in the one after; along `axis` where there
 * are several scales. None after an error. */
static weir_value dequantize(weir_graph *graph, weir_node node, size_t index, const char *suffix, int64_t axis) {
    const weir_array *scale, *zero;
    if (!weir_form_parameter(graph, node, index + 1, "scale", &scale) ||
        !weir_form_parameter(graph, node, index + 2, "zero point", &zero))
        return WEIR_NO_VALUE;
    weir_value inputs[] = {weir_node_input(graph, node, index), parameter_value(graph, node, "scale", scale),
                           WEIR_NO_VALUE};
    /* A single zero point for several scales is repeated. */
    weir_array *zeros = zero == NULL ? NULL : weir_array_new(zero->dtype, &scale->shape);
    for (size_t i = 0; zeros != NULL && i < zeros->count; i++)
        weir_array_set_int(zeros, i, weir_array_get_int(zero, zero->count == 1 ? 0 : i));
    if (zeros != NULL) inputs[2] = parameter_value(graph, node, "zero_point", zeros);
    weir_array_free(zeros);
    weir_value value = weir_form_add(graph, node, WEIR_OP_DEQUANTIZE_LINEAR, suffix, inputs, zero == NULL ? 2 : 3);
    if (scale->count > 1) weir_node_set_int(graph, weir_value_producer(graph, value), "axis", axis);
    return value;
}

/* QuantizeLinear of the value with the scale at `index` and the zero point in the next input; codes of type `dtype`. */
static weir_value quantize(weir_graph *graph, weir_node node, weir_value value, size_t index, weir_dtype dtype) {
    const weir_array *scale, *zero;
    if (!weir_form_parameter(graph, node, index, "scale", &scale) ||
        !weir_form_parameter(graph, node, index + 1, "zero point", &zero))
        return WEIR_NO_VALUE;
    weir_array *zeros = weir_array_new(dtype, &(weir_shape){.rank = 0});
    if (zero != NULL) weir_array_set_int(zeros, 0, weir_array_get_int(zero, 0));
    const weir_value inputs[] = {value, parameter_value(graph, node, "scale", scale),
                                 weir_form_constant(graph, node, "zero_point", zeros)};
    weir_array_free(zeros);
    return weir_form_add(graph, node, WEIR_OP_QUANTIZE_LINEAR, "quantize", inputs, 3);
}

/* The float operator's result instead of the node's, quantized when the node has a scale at `index`. */
static bool finish(weir_graph *graph, weir_node node, weir_value value, size_t index) {
    const weir_dtype dtype = weir_value_type(graph, weir_node_output(graph, node, 0))->dtype;
    weir_node heir = weir_value_producer(graph, value);
    if (weir_node_input(graph, node, index).id != 0) value = quantize(graph, node, value, index, dtype);
    return value.id != 0 && weir_form_replace(graph, node, value, heir);
}

bool weir_form_split_matmul(weir_graph *graph, weir_node node) {
    const int rank = weir_value_type(graph, weir_node_input(graph, node, 3))->shape.rank;
    weir_value inputs[2] = {dequantize(graph, node, 0, "a", 0), WEIR_NO_VALUE};
    if (inputs[0].id != 0) inputs[1] = dequantize(graph, node, 3, "b", rank - 1);
    if (inputs[1].id == 0) return false;
    return finish(graph, node, weir_form_add(graph, node, WEIR_OP_MATMUL, "matmul", inputs, 2), 6);
}

/* The bias as a product's scale makes it real: alpha * sa * sb, one or one a column. None after an error. */
static weir_value dequantize_bias(weir_graph *graph, weir_node node, int64_t columns) {
    const weir_array *bias, *a, *b;
    const float alpha = (float)weir_node_float(graph, node, "alpha", 1);
    if (!weir_form_parameter(graph, node, 6, "bias", &bias) || !weir_form_parameter(graph, node, 1, "scale", &a) ||
        !weir_form_parameter(graph, node, 4, "scale", &b))
        return WEIR_NO_VALUE;
    if (b->count > 1 && bias->count != 1 && bias->count != (size_t)columns) {
        weir_node_fail(graph, node, "its bias differs from row to row, which scales per column cannot express");
        return WEIR_NO_VALUE;
    }
    const bool spread = b->count > 1 && bias->count == 1; /* one bias, but a scale a column */
    weir_shape list = {.rank = 1, .dim = {columns}};
    weir_array *scale = weir_array_new(WEIR_FLOAT32, &(weir_shape){.rank = b->count > 1, .dim = {columns}});
    weir_array *codes = weir_array_new(WEIR_INT32, spread || bias->count == (size_t)columns ? &list : &bias->shape);
    const float left = alpha * (float)weir_array_get(a, 0);
    for (size_t i = 0; i < scale->count; i++) ((float *)scale->data)[i] = left * (float)weir_array_get(b, i);
    for (size_t i = 0; i < codes->count; i++)
        weir_array_set_int(codes, i, weir_array_get_int(bias, bias->count == 1 ? 0 : i));
    const weir_value inputs[] = {weir_form_constant(graph, node, "bias", codes),
                                 weir_form_constant(graph, node, "scale", scale)};
    weir_value value = weir_form_add(graph, node, WEIR_OP_DEQUANTIZE_LINEAR, "c", inputs, 2);
    if (scale->count > 1) weir_node_set_int(graph, weir_value_producer(graph, value), "axis", 0);
    weir_array_free(scale);
    weir_array_free(codes);
    return value;
}

bool weir_form_split_gemm(weir_graph *graph, weir_node node) {
    static const char *const kept[] = {"transA", "transB"};
    const int64_t columns = weir_value_type(graph, weir_node_output(graph, node, 0))->shape.dim[1];
    const bool bias = weir_node_input(graph, node, 6).id != 0;
    weir_value inputs[3] = {dequantize(graph, node, 0, "a", 0), WEIR_NO_VALUE, WEIR_NO_VALUE};
    if (inputs[0].id != 0) inputs[1] = dequantize(graph, node, 3, "b", weir_node_int(graph, node, "transB", 0) ? 0 : 1);
    if (inputs[1].id != 0 && bias) inputs[2] = dequantize_bias(graph, node, columns);
    if (inputs[1].id == 0 || (bias && inputs[2].id == 0)) return false;
    weir_value value = weir_form_add(graph, node, WEIR_OP_GEMM, "gemm", inputs, bias ? 3 : 2);
    weir_node gemm = weir_value_producer(graph, value);
    for (size_t i = 0; i < 2; i++) {
        if (weir_node_attribute(graph, node, kept[i]) != NULL)
            weir_node_set_int(graph, gemm, kept[i], weir_node_int(graph, node, kept[i], 0));
    }
    if (weir_node_attribute(graph, node, "alpha") != NULL)
        weir_node_set_float(graph, gemm, "alpha", weir_node_float(graph, node, "alpha", 1));
    return finish(graph, node, value, 7);
}
