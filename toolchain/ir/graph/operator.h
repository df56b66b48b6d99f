/* Users' operators and components, from shared objects: their rows are registered when an object is loaded, before any
 * graph exists, and remain. Rows and everything that they point to are constant and stay loaded; the list is global,
 * because an operator is a number shared by all graphs. */
#ifndef WEIR_IR_OPERATOR_H
#define WEIR_IR_OPERATOR_H

#include "ir/shape/infer.h"

struct weir_component;    /* dataflow/component.h */
struct weir_lowering;     /* passes/lower/lower.h */
struct weir_loop_builder; /* ir/shape/loop_rule.h */

typedef struct weir_operator_attribute {
    const char *name;
    weir_attribute_kind kind;
    bool required;
} weir_operator_attribute;

typedef struct weir_operator {
    weir_op_info info; /* in a domain of the user's; full_name is "DOMAIN.NAME" */
    const weir_operator_attribute *attributes;
    size_t attribute_count;
    bool keeps_rows; /* a result's row depends on the same row of the inputs: a batch can be split */
    /* The types of the outputs (infer.h); the number of inputs is checked. */
    bool (*infer)(const weir_graph *graph, weir_node node, weir_inferred *to);
    /* What it computes, of floats in class TENSOR, of codes in class INTEGER (exec/kernel.h). */
    void (*kernel)(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                   weir_array *const *outputs);
    /* The loop nest; NULL: it is not stated. */
    void (*loops)(struct weir_loop_builder *b);
    /* Class TENSOR: makes integer operators of the node; NULL: it cannot be lowered. */
    bool (*lower)(struct weir_lowering *lowering, weir_node node);
} weir_operator;

/* The error text for an operator of an unknown domain. */
#define WEIR_OPERATOR_REMEDY "an operator of your own comes with its shared object: --load-pass FILE.so"

/* What to do about quantizers that measure each input. */
#define WEIR_DYNAMIC_REMEDY                                                                                            \
    "quantize statically, with calibration data (ONNX Runtime: quantize_static; or 'weir compile --quantize int8 "     \
    "--calibration DATA' on the float model)"

/* The operator's number; registering a row again gives the same. WEIR_OP_NONE after a reported error. */
weir_op weir_operator_register(const weir_operator *row);
/* The row of a registered operator; NULL: it is one of op.def. */
const weir_operator *weir_operator_of(weir_op op);

/* Registered components (weir_component_register), each with the folder of its Verilog. */
bool weir_operator_add_component(const struct weir_component *component, const char *folder);
size_t weir_operator_component_count(void);
const struct weir_component *weir_operator_component(size_t index, const char **folder);

#endif
