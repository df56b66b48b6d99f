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
 * cannot express. */
weir_graph *weir_form_convert(const weir_graph *graph, weir_form form);

/* --- between the files of this conversion --- */

/* A rule replaces a node of the graph; false after an error. */
typedef bool weir_form_rule(weir_graph *graph, weir_node node);
/* QLinearMatMul and the like to QDQ; Quant to QDQ; QDQ to Quant. */
weir_form_rule weir_form_split_matmul, weir_form_split_gemm, weir_form_split_quant, weir_form_split_bipolar,
    weir_form_join_dequantize;

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
