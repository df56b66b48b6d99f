/* One form for all opsets: what older opsets say in attributes becomes the constant inputs that later ones have, and
 * what ONNX can express in several forms is expressed in one. */
#ifndef WEIR_ONNX_FORM_H
#define WEIR_ONNX_FORM_H

#include "frontend/import/onnx_scope.h"
#include "frontend/wire/onnx_schema.h"
#include "frontend/wire/onnx_tensor.h"
#include "ir/graph/graph.h"

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
    weir_value unflattened;  /* what input 0 was before a node was put before it; none: there is no such node */
    bool innermost;          /* the file's node has its channels innermost: there is a Transpose before it */
    weir_value quantizer[2]; /* scale and zero point of a result that is codes */
    weir_value operand[2];   /* what a composed operator keeps of its inputs */
    int64_t axis;            /* that the operator works along, where it is not its attribute's */
    weir_value factors;      /* of a DequantizeLinear's numbers: signs of its scales, or the scales of its blocks */
    bool blocks;             /* it had blocks: its scales lie along `axis`, or are in `factors` */
    weir_value second;       /* what the file knows as a composed operator's second output */
} weir_onnx_form;

enum { WEIR_ONNX_FORM_SPARE = 8 }; /* inputs that weir_onnx_form_inputs may add */

/* Completes the node's inputs, an array with WEIR_ONNX_FORM_SPARE free entries. False after a reported error. */
bool weir_onnx_form_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count);
/* Completes the attributes of the node in the graph, before its types are inferred. */
void weir_onnx_form_attributes(const weir_onnx_form *form, weir_node node);
/* Completes the node once its types are inferred; the value that the file knows as its first output, none after a
 * reported error. */
weir_value weir_onnx_form_finish(const weir_onnx_form *form, weir_node node);

/* "`base`.`part`", with "_" added while the file uses the name; heap memory. */
char *weir_onnx_form_name(const weir_onnx_scope *scope, const char *base, const char *part);

/* Output 0, without a type, of a node that the file does not have, for the node that it has; both are called by the
 * suffix. */
weir_value weir_onnx_form_node(const weir_onnx_form *form, weir_op op, const char *suffix, const weir_value *inputs,
                               size_t count);
/* A constant for the node; the array is taken over. */
weir_value weir_onnx_form_constant(const weir_onnx_form *form, const char *part, weir_array *array);

/* Gives a value that the file does not name such a name. */
void weir_onnx_form_rename(weir_graph *graph, const weir_onnx_scope *scope, weir_value value, const char *base,
                           const char *part);

#endif
