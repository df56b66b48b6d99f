/* The dialects of quantized ONNX, converted into one another where the result is the same. */
#ifndef WEIR_PASSES_FORM_H
#define WEIR_PASSES_FORM_H

#include "ir/graph/graph.h"

typedef enum weir_form {
    WEIR_FORM_NATIVE, /* as the graph is */
    WEIR_FORM_QDQ,    /* QuantizeLinear and DequantizeLinear around float operators */
    WEIR_FORM_QONNX   /* Quant on float values */
} weir_form;

/* A copy of the graph in that form (README.md, "Forms"); NULL after an error that names the node and what the form
 * cannot express. `opset`: what was asked for, whose narrowest element types constant codes of QDQ take; 0: the oldest
 * possible, where they have 8 bits or more. */
weir_graph *weir_form_convert(const weir_graph *graph, weir_form form, int64_t opset);

/* --- between the files of this conversion --- */

/* A rule replaces a node of the graph; false after an error. */
typedef bool weir_form_rule(weir_graph *graph, weir_node node);
/* QLinearMatMul and the like to QDQ; Quant and FloatQuant to QDQ; QDQ to Quant, of floats to FloatQuant. */
weir_form_rule weir_form_split_matmul, weir_form_split_gemm, weir_form_split_quant, weir_form_split_bipolar,
    weir_form_split_float, weir_form_join_dequantize, weir_form_join_float;
/* FakeQuantize to FloatQuant, to QDQ, and to the first of these that has it. */
weir_form_rule weir_form_number_to_qonnx, weir_form_number_to_onnx, weir_form_number_native;

enum { WEIR_FORM_ONE = -1, WEIR_FORM_NO_AXIS = -2 };
/* The one axis of a tensor of that shape along which a parameter that broadcasts to it changes; or it is one number, or
 * changes along several. */
int64_t weir_form_axis(const weir_array *array, const weir_shape *shape);
/* The parameters of an axis, float32 that broadcast along it in a tensor of that rank; on the heap. */
weir_array *weir_form_along(const weir_array *parameters, int64_t axis, int rank);

/* A constant: its name is the node's with a suffix. The array is copied. */
weir_value weir_form_constant(weir_graph *graph, weir_node node, const char *suffix, const weir_array *array);
/* One float32, of rank 0. */
weir_value weir_form_number(weir_graph *graph, weir_node node, const char *suffix, double value);
/* A node before `node`, named after it; its output 0, whose type is inferred at the end of the conversion. */
weir_value weir_form_add(weir_graph *graph, weir_node node, weir_op op, const char *suffix, const weir_value *inputs,
                         size_t count);
/* `value` takes the name and the uses of the output of `node`, `heir` (which made it, or what it is made of) the name
 * of `node`, which is removed. Returns true. */
bool weir_form_replace(weir_graph *graph, weir_node node, weir_value value, weir_node heir);
/* The constant content of an input, NULL when it is left out; false after an error: it is not a constant. */
bool weir_form_parameter(const weir_graph *graph, weir_node node, size_t index, const char *what,
                         const weir_array **array);

#endif
