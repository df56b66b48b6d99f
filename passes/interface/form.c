#include "passes/interface/form.h"

#include <stdio.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* --- what the rules share --- */

weir_value weir_form_constant(weir_graph *graph, weir_node node, const char *suffix, const weir_array *array) {
    char *name = weir_format("%s_%s", weir_node_name(graph, node), suffix);
    weir_value value = weir_graph_add_constant(graph, name, array);
    free(name);
    return value;
}

weir_value weir_form_number(weir_graph *graph, weir_node node, const char *suffix, double value) {
    float number = (float)value;
    weir_array array = {.dtype = WEIR_FLOAT32, .count = 1, .data = &number};
    return weir_form_constant(graph, node, suffix, &array);
}

weir_value weir_form_add(weir_graph *graph, weir_node node, weir_op op, const char *suffix, const weir_value *inputs,
                         size_t count) {
    char *name = weir_format("%s_%s", weir_node_name(graph, node), suffix);
    weir_node added = weir_graph_add_node(graph, op, name, inputs, count, 1, node);
    weir_node_set_location(graph, added, weir_node_location(graph, node));
    free(name);
    return weir_node_output(graph, added, 0);
}

bool weir_form_replace(weir_graph *graph, weir_node node, weir_value value, weir_node heir) {
    char *name = weir_copy_string(weir_node_name(graph, node));
    weir_value old = weir_node_output(graph, node, 0);
    char *value_name = weir_copy_string(weir_value_name(graph, old));
    weir_value_replace(graph, old, value);
    weir_graph_remove_node(graph, node);
    weir_node_rename(graph, heir, name, "");
    weir_value made = weir_node_output(graph, heir, 0);
    if (made.id != value.id) {
        char *real = weir_format("%s_real", name);
        weir_value_set_name(graph, made, real);
        free(real);
    }
    weir_value_set_name(graph, value, value_name);
    free(value_name);
    free(name);
    return true;
}

bool weir_form_parameter(const weir_graph *graph, weir_node node, size_t index, const char *what,
                         const weir_array **array) {
    weir_value value = weir_node_input(graph, node, index);
    *array = value.id == 0 ? NULL : weir_value_constant(graph, value);
    if (value.id == 0 || *array != NULL) return true;
    return weir_node_fail(graph, node, "its %s '%s' must be constant to convert between dialects", what,
                          weir_value_name(graph, value));
}

int64_t weir_form_axis(const weir_array *array, const weir_shape *shape) {
    int64_t axis = WEIR_FORM_ONE;
    for (int i = 0; i < array->shape.rank; i++) {
        const int dimension = shape->rank - array->shape.rank + i;
        if (array->shape.dim[i] == 1) continue;
        if (axis >= 0 || array->shape.dim[i] != shape->dim[dimension]) return WEIR_FORM_NO_AXIS;
        axis = dimension;
    }
    return axis;
}

weir_array *weir_form_along(const weir_array *parameters, int64_t axis, int rank) {
    weir_array *array = weir_array_convert(parameters, WEIR_FLOAT32);
    array->shape = (weir_shape){.rank = parameters->count == 1 ? 0 : rank - (int)axis};
    for (int i = 0; i < array->shape.rank; i++) array->shape.dim[i] = i == 0 ? (int64_t)parameters->count : 1;
    return array;
}

/* --- the rules of each step --- */

typedef struct form_rule {
    weir_op op;
    weir_form_rule *apply;
} form_rule;

static bool refuse_codes(weir_graph *graph, weir_node node) {
    return weir_node_fail(graph, node, "its result has integers without a scale, which float operators cannot express");
}

static bool refuse_integer(weir_graph *graph, weir_node node) {
    return weir_node_fail(graph, node, "integer operators cannot be expressed in QONNX, which has only float values");
}

static bool refuse_qonnx(weir_graph *graph, weir_node node) {
    return weir_node_fail(graph, node, "it cannot be expressed outside QONNX");
}

static const form_rule from_operators[] = {
    {WEIR_OP_QLINEAR_MATMUL, weir_form_split_matmul},
    {WEIR_OP_QGEMM, weir_form_split_gemm},
    {WEIR_OP_MATMUL_INTEGER, refuse_codes},
};

static const form_rule native[] = {
    {WEIR_OP_FAKE_QUANTIZE, weir_form_number_native},
};

static const form_rule from_qonnx[] = {
    {WEIR_OP_FAKE_QUANTIZE, weir_form_number_to_onnx},
    {WEIR_OP_FLOAT_QUANT, weir_form_split_float},
    {WEIR_OP_QUANT, weir_form_split_quant},
    {WEIR_OP_BIPOLAR_QUANT, weir_form_split_bipolar},
    {WEIR_OP_TRUNC, refuse_qonnx},
    {WEIR_OP_MULTI_THRESHOLD, refuse_qonnx},
};

static const form_rule to_qonnx[] = {
    {WEIR_OP_FAKE_QUANTIZE, weir_form_number_to_qonnx},
    {WEIR_OP_DEQUANTIZE_LINEAR, weir_form_join_dequantize},
};

static bool apply(weir_graph *graph, const form_rule *rules, size_t count) {
    for (weir_node node = weir_graph_first(graph), next; node.id != 0; node = next) {
        next = weir_node_next(graph, node);
        const form_rule *rule = weir_op_row(rules, count, sizeof *rules, weir_trait_kind(graph, node));
        if (rule != NULL && !rule->apply(graph, node)) return false;
    }
    weir_eliminate_dead_code(graph);
    return weir_infer_graph(graph);
}

/* In QONNX no node may be left that makes or takes codes. */
static bool has_only_floats(weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_info(graph, node)->class != WEIR_CLASS_TENSOR) return refuse_integer(graph, node);
        if (weir_trait_kind(graph, node) == WEIR_OP_QUANTIZE_LINEAR)
            return weir_node_fail(graph, node,
                                  "nodes other than DequantizeLinear use its codes, which QONNX cannot express");
    }
    return true;
}

/* --- codes of few bits --- */

/* The narrowest element type of the opset that has all of them, of the sign that they have; the one that they have. */
static weir_dtype narrowest(const weir_array *codes, const weir_array *zeros, int64_t opset) {
    static const struct {
        weir_dtype dtype;
        int64_t since;
    } types[] = {{WEIR_INT2, 25}, {WEIR_UINT2, 25}, {WEIR_INT4, 21}, {WEIR_UINT4, 21}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int64_t low, high;
        weir_dtype_limits(types[i].dtype, &low, &high);
        bool fits =
            opset >= types[i].since && weir_dtype_is_signed(types[i].dtype) == weir_dtype_is_signed(codes->dtype);
        for (size_t k = 0; fits && k < codes->count; k++)
            fits = weir_array_get_int(codes, k) >= low && weir_array_get_int(codes, k) <= high;
        for (size_t k = 0; fits && zeros != NULL && k < zeros->count; k++)
            fits = weir_array_get_int(zeros, k) >= low && weir_array_get_int(zeros, k) <= high;
        if (fits) return types[i].dtype;
    }
    return codes->dtype;
}

static void narrow_input(weir_graph *graph, weir_node node, size_t index, const char *suffix, weir_dtype dtype) {
    weir_array *array = weir_array_convert(weir_value_constant(graph, weir_node_input(graph, node, index)), dtype);
    weir_node_set_input(graph, node, index, weir_form_constant(graph, node, suffix, array));
    weir_array_free(array);
}

static void narrow_codes(weir_graph *graph, int64_t opset) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_trait_kind(graph, node) != WEIR_OP_DEQUANTIZE_LINEAR) continue;
        const weir_value zero = weir_node_input(graph, node, 2);
        const weir_array *codes = weir_value_constant(graph, weir_node_input(graph, node, 0));
        const weir_array *zeros = zero.id == 0 ? NULL : weir_value_constant(graph, zero);
        if (codes == NULL || weir_dtype_size(codes->dtype) > 1 || weir_dtype_is_float(codes->dtype) ||
            (zero.id != 0 && zeros == NULL))
            continue;
        const weir_dtype dtype = narrowest(codes, zeros, opset);
        if (dtype == codes->dtype) continue;
        narrow_input(graph, node, 0, "packed", dtype);
        if (zero.id != 0) narrow_input(graph, node, 2, "packed_zero_point", dtype);
    }
    weir_eliminate_dead_code(graph);
}

weir_graph *weir_form_convert(const weir_graph *graph, weir_form form, int64_t opset) {
    weir_graph *copy = weir_graph_copy(graph);
    bool fine = form == WEIR_FORM_NATIVE ? apply(copy, native, sizeof native / sizeof *native)
                                         : apply(copy, from_operators, sizeof from_operators / sizeof *from_operators);
    if (fine && form == WEIR_FORM_QDQ) fine = apply(copy, from_qonnx, sizeof from_qonnx / sizeof *from_qonnx);
    if (fine && form == WEIR_FORM_QDQ) narrow_codes(copy, opset);
    if (fine && form == WEIR_FORM_QONNX)
        fine = apply(copy, to_qonnx, sizeof to_qonnx / sizeof *to_qonnx) && has_only_floats(copy);
    if (fine) return copy;
    weir_graph_free(copy);
    return NULL;
}
