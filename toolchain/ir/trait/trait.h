/* What passes and engines ask of an operator, whatever node it is in: facts of its row in op.def. */
#ifndef WEIR_IR_TRAIT_H
#define WEIR_IR_TRAIT_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/graph/graph.h"
#include "ir/graph/op.h"

typedef enum weir_trait_task {
    WEIR_TASK_NONE,          /* none of these */
    WEIR_TASK_LAYER,         /* products of real numbers with weights, or of two computed matrices */
    WEIR_TASK_CODE_LAYER,    /* the same of codes */
    WEIR_TASK_CODE_OPERATOR, /* other arithmetic of codes, with quantizers in it */
    WEIR_TASK_QUANTIZER,     /* rounds real numbers to codes, or to the numbers that these stand for */
    WEIR_TASK_DEQUANTIZER,   /* numbers of codes */
    WEIR_TASK_EXTREME,       /* largest or least of several */
    WEIR_TASK_MEAN,          /* sum or mean of several */
    WEIR_TASK_SOFTMAX,       /* shares of a whole, or which is the largest */
    WEIR_TASK_NORMALIZATION  /* by what several have in common */
} weir_trait_task;

typedef enum weir_trait_element {
    WEIR_ELEMENT_NONE, /* on others, too, or it is only moved */
    WEIR_ELEMENT_ANY,  /* some function of them */
    /* a monotone one of one operand, where parameters are not negative and other operands constant */
    WEIR_ELEMENT_MONOTONE,
    WEIR_ELEMENT_STEP, /* the same, and a requantizer has it as a step on a number and a constant */
} weir_trait_element;

/* An element of the result as a function of an element of an operand. */
typedef enum weir_trait_curve {
    WEIR_CURVE_OTHER,  /* it has corners, steps or poles, or nobody has asked */
    WEIR_CURVE_SMOOTH, /* parabolas on a few segments come near it, and it is straight far from 0 */
    WEIR_CURVE_CORNER, /* the same on either side of 0 */
    WEIR_CURVE_BENT    /* parabolas come near it where it is finite, but it is straight nowhere */
} weir_trait_curve;

typedef enum weir_trait_order {
    WEIR_ORDER_OTHER,       /* the result has the dimensions of ONNX's order alone */
    WEIR_ORDER_FREE,        /* so, and they are not those of the input */
    WEIR_ORDER_SHAPE,       /* so, and nothing else of the input is used */
    WEIR_ORDER_CHANNELS,    /* attribute `layout`: a window, channels innermost in streams */
    WEIR_ORDER_NORMALIZE,   /* attribute `layout`: channels at any position */
    WEIR_ORDER_ELEMENTWISE, /* one order for all inputs and the output */
    WEIR_ORDER_QUANTIZE,    /* the same for input 0, parameters along an axis */
    WEIR_ORDER_THRESHOLDS,  /* the same, the axis in a text */
    WEIR_ORDER_AXIS,        /* the same, an axis in the attribute */
    WEIR_ORDER_REDUCE,      /* axes in input 1 */
    WEIR_ORDER_POSITION,    /* positions along an axis */
    WEIR_ORDER_PAD,         /* numbers an axis in inputs */
    WEIR_ORDER_SLICE,       /* the same */
    WEIR_ORDER_TRANSPOSE,   /* is an order */
    WEIR_ORDER_RESHAPE,     /* other dimensions over the same elements in memory */
    WEIR_ORDER_PRODUCT      /* of matrices: sums over the innermost dimension */
} weir_trait_order;

typedef enum weir_trait_meaning {
    WEIR_MEANING_OTHER,      /* nothing that is known */
    WEIR_MEANING_SAME,       /* what the data says */
    WEIR_MEANING_SHARE,      /* numbers from 0 to 1, one a class */
    WEIR_MEANING_POSITION,   /* the number of a class */
    WEIR_MEANING_POSITION_1, /* so in output 1 */
    WEIR_MEANING_PICK        /* of a constant, what input 1 is the number of */
} weir_trait_meaning;

typedef struct weir_trait {
    weir_trait_task task;
    weir_trait_element element;
    weir_trait_curve curve;
    weir_trait_order order;
    weir_trait_meaning meaning;
    weir_op kind; /* the operator that it is to what knows just that one; WEIR_OP_NONE: nothing does */
    size_t sizes; /* the first input that must be a constant; SIZE_MAX: none */
    bool is_exact, takes_frames, is_for_host;
} weir_trait;

/* The operator's row; of a registered operator (operator.h) what is true of any: nothing is taken for granted, and the
 * host computes those on tensors. */
const weir_trait *weir_trait_of(weir_op op);
/* The node's kind. Code that is about one operator asks for it: operators are added by rows, and theirs may say that
 * they are one more of that kind. */
weir_op weir_trait_kind(const weir_graph *graph, weir_node node);
/* Does it round numbers to codes, or make numbers of codes? */
bool weir_trait_is_quantizer(weir_op op);

#endif
