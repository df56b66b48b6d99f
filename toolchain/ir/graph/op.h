/* The operator table: one row of op.def each. */
#ifndef WEIR_IR_OP_H
#define WEIR_IR_OP_H

#include <stdbool.h>
#include <stddef.h>

typedef enum weir_op {
    WEIR_OP_NONE,
#define WEIR_OP_FACTS(id, ...) WEIR_OP_##id,
#include "ir/graph/op.def"
    WEIR_OP_COUNT
} weir_op;

typedef enum weir_op_class { WEIR_CLASS_TENSOR, WEIR_CLASS_INTEGER, WEIR_CLASS_HOST, WEIR_CLASS_STREAM } weir_op_class;

typedef struct weir_op_info {
    const char *domain;
    const char *name;      /* as ONNX spells it */
    const char *full_name; /* "Gemm", "weir.Linear", "com.microsoft.QGemm": the text form's spelling */
    int inputs_min;
    int inputs_max; /* -1: any number */
    int outputs;    /* -1: any number */
    weir_op_class class;
} weir_op_info;

/* One more than the largest operator: those of op.def, then those that were registered (operator.h). */
weir_op weir_op_limit(void);
const weir_op_info *weir_op_get(weir_op op);
/* By domain and name ("ai.onnx" counts as ""), or WEIR_OP_NONE. */
weir_op weir_op_find(const char *domain, const char *name);
weir_op weir_op_find_full(const char *full_name);
/* The operator of the first word of a Requantize's steps, "Mul Add Relu": a monotone operation on a real number, or on
 * it and a constant. WEIR_OP_NONE: there is none such. *text moves behind the word. */
weir_op weir_op_step(const char **text, bool *takes_constant);

/* Of a list for some operators, whose rows of `size` bytes begin with a weir_op: the row of this one; NULL: it has
 * none. O(count). */
const void *weir_op_row(const void *rows, size_t count, size_t size, weir_op op);

/* For operator.c: the number of a registered operator, whose row stays. */
weir_op weir_op_add(const weir_op_info *info);

#endif
