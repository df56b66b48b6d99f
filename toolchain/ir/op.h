/* The operator table: one row of op.def each. */
#ifndef WEIR_IR_OP_H
#define WEIR_IR_OP_H

#include <stdbool.h>
#include <stddef.h>

typedef enum weir_op {
    WEIR_OP_NONE,
#define WEIR_OP(id, ...) WEIR_OP_##id,
#include "ir/op.def"
#undef WEIR_OP
    WEIR_OP_COUNT
} weir_op;

typedef enum weir_op_class { WEIR_CLASS_TENSOR, WEIR_CLASS_INTEGER, WEIR_CLASS_HOST, WEIR_CLASS_STREAM } weir_op_class;

/* How an operator fuses with its neighbours: TVM's classes in TVM's order, from the freest to the strictest. */
typedef enum weir_op_pattern_class {
    WEIR_PATTERN_ELEMWISE,     /* an output element depends on the input elements of the same index */
    WEIR_PATTERN_BROADCAST,    /* the same, once the inputs are broadcast */
    WEIR_PATTERN_INJECTIVE,    /* an output element is one input element from elsewhere */
    WEIR_PATTERN_REDUCE,       /* an output element gathers many input elements, in any order */
    WEIR_PATTERN_OUT_ELEMWISE, /* elementwise operators can be computed into its output: convolution, product */
    WEIR_PATTERN_TUPLE,        /* several values as one: no operator here, but a group of results */
    WEIR_PATTERN_OPAQUE        /* fuses with nothing */
} weir_op_pattern_class;

/* MASE's kinds of nodes. */
typedef enum weir_mase_type {
    WEIR_MASE_MODULE,
    WEIR_MASE_MODULE_RELATED_FUNC,
    WEIR_MASE_BUILTIN_FUNC,
    WEIR_MASE_IMPLICIT_FUNC,
    WEIR_MASE_PLACEHOLDER,
    WEIR_MASE_GET_ATTR,
    WEIR_MASE_OUTPUT,
    WEIR_MASE_TYPE_COUNT
} weir_mase_type;

typedef struct weir_op_info {
    const char *domain;
    const char *name;      /* as ONNX spells it */
    const char *full_name; /* "Gemm", "weir.Linear", "com.microsoft.QGemm": the text form's spelling */
    int inputs_min;
    int inputs_max; /* -1: any number */
    int outputs;    /* -1: any number */
    weir_op_class class;
    weir_op_pattern_class pattern;
    bool is_commutative;
    weir_mase_type mase_type;
    const char *mase_op;
} weir_op_info;

const weir_op_info *weir_op_get(weir_op op);
/* By domain and name ("ai.onnx" counts as ""), or WEIR_OP_NONE. */
weir_op weir_op_find(const char *domain, const char *name);
weir_op weir_op_find_full(const char *full_name);
weir_op_pattern_class weir_op_pattern(weir_op op);
const char *weir_op_pattern_name(weir_op_pattern_class pattern); /* "elemwise", "out-elemwise", ... */
/* May the inputs change places without changing the result? */
bool weir_op_is_commutative(weir_op op);
const char *weir_mase_type_name(weir_mase_type type);

#endif
