/* One form for all opsets: attributes of older opsets become the constant inputs of later ones, and whatever ONNX can
 * express in several forms is converted to one. */
#ifndef WEIR_ONNX_FORM_H
#define WEIR_ONNX_FORM_H

#include "frontend/import/onnx_scope.h"
#include "frontend/wire/onnx_schema.h"
#include "frontend/wire/onnx_tensor.h"
#include "ir/graph/graph.h"

enum { WEIR_ONNX_FORM_OUTPUTS = 3 };

/* A node that is about to enter the graph; its attributes have been checked. */
typedef struct weir_onnx_form {
    weir_graph *graph;
    const weir_onnx_scope *scope;
    const weir_onnx_opsets *opsets;
    weir_onnx_tensor_source *source;
    const weir_onnx_rule *rule;
    weir_op op; /* the rule's; a composed operator may have another */
    const Onnx__NodeProto *proto;
    weir_location location;
    const char *name;
    size_t outputs;
    weir_value unflattened;  /* input 0 without the node that was inserted before it; none: there is no such node */
    bool innermost;          /* the file's node has its channels innermost: a Transpose is before it */
    weir_value quantizer[2]; /* scale and zero point of a result of codes */
    weir_value operand[2];   /* what a composed operator keeps of its inputs */
    int64_t axis;            /* axis that the operator works along, if not its attribute's */
    weir_value factors;      /* of a DequantizeLinear's numbers: signs of its scales, or the scales of its blocks */
    bool blocks;             /* it had blocks: its scales are along `axis`, or in `factors` */
    /* What a composed operator's value becomes behind the node: of this shape, then of this order of dimensions. */
    bool has_result;
    weir_shape shape;
    int64_t perm[WEIR_MAX_RANK];
    weir_value more[WEIR_ONNX_FORM_OUTPUTS]; /* its outputs in the file from the second on */
} weir_onnx_form;

enum { WEIR_ONNX_FORM_SPARE = 8 }; /* inputs that weir_onnx_form_inputs may add */

/* Completes the node's inputs, an array with WEIR_ONNX_FORM_SPARE free entries. False after a reported error. */
bool weir_onnx_form_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
/* Completes the attributes of the node in the graph, before its types are inferred. */
void weir_onnx_form_attributes(const weir_onnx_form *form, weir_node node);
/* Completes the node once its types are inferred. Returns its first output in the file, none after a reported error. */
weir_value weir_onnx_form_finish(const weir_onnx_form *form, weir_node node);

/* "`base`.`part`", with "_" added as long as the file uses the name; heap memory. */
char *weir_onnx_form_name(const weir_onnx_scope *scope, const char *base, const char *part);

/* Adds a node that the file does not have, for one that it has. Returns output 0, without a type; both are named by the
 * suffix. */
weir_value weir_onnx_form_node(const weir_onnx_form *form, weir_op op, const char *suffix, const weir_value *inputs,
                               size_t count);
/* A constant for the node; the array is taken over. */
weir_value weir_onnx_form_constant(const weir_onnx_form *form, const char *part, weir_array *array);

/* Gives such a name to a value without a name in the file. */
void weir_onnx_form_rename(weir_graph *graph, const weir_onnx_scope *scope, weir_value value, const char *base,
                           const char *part);

#endif
