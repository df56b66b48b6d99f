/* ONNX's operators for importer and exporter: rules (operators from an opset version on), attributes, element types.
 * From the rows of op.def, and tables of other names. */
#ifndef WEIR_ONNX_TABLE_H
#define WEIR_ONNX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/graph/op.h"
#include "support/memory/array.h"

typedef enum weir_onnx_domain {
    WEIR_ONNX_DOMAIN_ONNX,
    WEIR_ONNX_DOMAIN_MICROSOFT,
    WEIR_ONNX_DOMAIN_QONNX,
    WEIR_ONNX_DOMAIN_ML,
    WEIR_ONNX_DOMAIN_MCT,
    WEIR_ONNX_DOMAIN_PACT,
    WEIR_ONNX_DOMAIN_OWN, /* those of registered operators (ir/graph/operator.h), one version */
    WEIR_ONNX_DOMAIN_COUNT
} weir_onnx_domain;

/* Inputs of an operator on codes that ONNX Runtime defines as a plain one between quantizers: `plain` operands, then
 * codes, each with its scale and zero point; the scale and zero point of the result are first or last. */
typedef struct weir_onnx_codes {
    size_t plain;
    bool result_first;
} weir_onnx_codes;

/* An operator from an opset version on. A later row of the same operator holds from its version on. */
typedef struct weir_onnx_rule {
    weir_onnx_domain domain;
    const char *name;
    weir_op op; /* WEIR_OP_NONE: Constant, which becomes a value, or, composed, If, which becomes a branch of it */
    int since;
    bool is_gone;                 /* no longer an operator from `since` on */
    int inputs_min, inputs_max;   /* 0: as op.def says; -1: any number */
    int outputs_max;              /* 0: as op.def says; those beyond op.def's must be unused */
    uint32_t scales;              /* bit i: input i is a scale, positive and finite */
    bool per_axis;                /* scales may have more than one element */
    bool plain;                   /* its attributes are ignored */
    int opset;                    /* of ai.onnx: whose attributes and element types it has. 0: its domain's version */
    const weir_onnx_codes *codes; /* NULL: its inputs are the operator's */
    const char *composed;         /* it becomes several operators (onnx_compose.h), of which this is the main one: the
                                   * name of that form. NULL: it does not */
} weir_onnx_rule;

/* REFUSED: known, but not supported. REMOVED: no longer in the operator. DTYPE: the number of an element type, which
 * becomes its name. NUMBER: an INT, or a FLOAT or a tensor of one element that is one. */
typedef enum weir_onnx_kind {
    WEIR_ONNX_INT,
    WEIR_ONNX_NUMBER,
    WEIR_ONNX_FLOAT,
    WEIR_ONNX_STRING,
    WEIR_ONNX_TENSOR,
    WEIR_ONNX_GRAPH,
    WEIR_ONNX_INTS,
    WEIR_ONNX_FLOATS,
    WEIR_ONNX_STRINGS, /* always DROPPED */
    WEIR_ONNX_PERMUTATION,
    WEIR_ONNX_DTYPE,
    WEIR_ONNX_REFUSED,
    WEIR_ONNX_REMOVED
} weir_onnx_kind;

/* A word in the file and its counterpart in the graph. */
typedef struct weir_onnx_word {
    const char *from, *to;
} weir_onnx_word;

/* What happens to an attribute: it stays one, is irrelevant here and is dropped, or (numbers above 0) becomes the input
 * of that number, as in later opsets. */
enum { WEIR_ONNX_STAYS = 0, WEIR_ONNX_DROPPED = -1 };

typedef struct weir_onnx_attribute_rule {
    const char *only; /* of the rules of this form; NULL: of those that are not composed */
    const char *name;
    weir_onnx_kind kind;
    int since; /* as with rules, a later row replaces an earlier one */
    bool required;
    int64_t low, high;           /* INT, INTS and PERMUTATION */
    const weir_onnx_word *words; /* STRING; ends with a NULL. NULL: any printable text */
    int input;
} weir_onnx_attribute_rule;

/* An element type of input 0 or output 0 that an operator, or any (WEIR_OP_NONE), has only from a later version on;
 * WEIR_ONNX_NEVER: in no version, though the graph's operator accepts it. */
enum { WEIR_ONNX_NEVER = INT32_MAX };

typedef struct weir_onnx_type_rule {
    weir_dtype dtype;
    int since;
    const char *unless; /* a flag: nodes that set it have always had the type. NULL: none */
} weir_onnx_type_rule;

/* The next rule, in the order of op.def, then those of other names; for NULL the first; NULL: there is none. O(1). */
const weir_onnx_rule *weir_onnx_rule_next(const weir_onnx_rule *rule);
/* The operator of a node of these rules, one a node, NULL included: the rule's, but means of a model that has an
 * operator of RequantShift's domain, whose numbers are all whole, are whole, too. O(nodes) for a ReduceMean. */
weir_op weir_onnx_rule_op(const weir_onnx_rule *rule, const weir_onnx_rule *const *rules, size_t count);
/* The attributes of an operator's rules (WEIR_OP_NONE: of Constant's), or of all composed ones; they end with one
 * without a name. */
const weir_onnx_attribute_rule *weir_onnx_attributes_of(weir_op op, bool composed);
/* The operator's element types, or those of any (WEIR_OP_NONE); they end with one of since 0. Not of a registered
 * operator. */
const weir_onnx_type_rule *weir_onnx_types_of(weir_op op);

#endif
