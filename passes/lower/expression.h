/* What a value of the model is while the model is lowered: an expression whose leaves are codes of the new graph and
 * whose operators are pending until a quantizer absorbs them; or numbers that have no codes. Expressions never change
 * once they are made. An accessor asserts the kind that it is for; those that say "below the operators" look through
 * OFFSET, RELU and STEP. All memory is the arena's. */
#ifndef WEIR_PASSES_EXPRESSION_H
#define WEIR_PASSES_EXPRESSION_H

#include "ir/graph/graph.h"
#include "ir/shape/index_map.h"
#include "quant/contract.h"
#include "support/text/diag.h"

typedef enum weir_expression_kind {
    WEIR_EXPRESSION_NONE,     /* nothing is known of the value */
    WEIR_EXPRESSION_REAL,     /* real numbers before the hardware: a graph input, or what the host computes from it */
    WEIR_EXPRESSION_HOST,     /* real numbers that the host computes after the hardware */
    WEIR_EXPRESSION_CONSTANT, /* a real or integer constant, not (yet) quantized */
    WEIR_EXPRESSION_WEIGHTS,  /* a constant given by codes and their quantization */
    WEIR_EXPRESSION_CODES,    /* a leaf */
    WEIR_EXPRESSION_OFFSET,   /* a leaf and real numbers that are not whole numbers of its codes, added */
    WEIR_EXPRESSION_RELU,     /* max(x, 0), as a quantizer's lower bound computes it: of a leaf, an OFFSET or a SUM */
    WEIR_EXPRESSION_STEP,     /* an operation of the model on x, in float32: of a leaf, an OFFSET or a STEP */
    WEIR_EXPRESSION_SUM,      /* the sum or the difference of two leaves */
    WEIR_EXPRESSION_FUNCTION  /* any other element-wise function of one value that has codes (quantize/function.h) */
} weir_expression_kind;

typedef struct weir_expression weir_expression;

/* How the model's kernels round what a leaf holds. */
typedef enum weir_sums {
    WEIR_SUMS_PRODUCT, /* by one float32 product: codes themselves, and sums of products */
    WEIR_SUMS_EXACT,   /* the exact number, once: nobody knows in which order they add */
    WEIR_SUMS_WINDOWS  /* the same, with the zero point before the rounding: means of windows */
} weir_sums;

/* real = (code - zero) * scale, with the scale and the zero point of the codes' type, by channel of the codes. */
typedef struct weir_leaf {
    weir_value codes;          /* in the new graph */
    const weir_index_map *map; /* from the codes to the elements of the model's value; NULL: they are those */
    weir_sums sums;
    int64_t count;   /* of the elements whose mean it is; up to 1: of no more than one */
    bool centered;   /* the model's value is an integer tensor with the elements code - zero */
    bool ahead;      /* they are codes of the quantizer after the value, which has been moved before it */
    double rounding; /* how far their numbers may be from the exact ones: of fixed point (lower_carry.c) */
} weir_leaf;

/* left + right, or left - right; both have one shape and one map. */
typedef struct weir_leaf_sum {
    weir_leaf left, right;
    bool minus;
} weir_leaf_sum;

/* --- making them --- */

/* `cause`: why no hardware computes the first node that the host took; NULL: it did not need to. */
const weir_expression *weir_expression_real(weir_arena *arena, weir_value value, const weir_diag_log *cause);
const weir_expression *weir_expression_host(weir_arena *arena, weir_value value, const weir_diag_log *cause);
const weir_expression *weir_expression_constant(weir_arena *arena, const weir_array *data);
const weir_expression *weir_expression_weights(weir_arena *arena, const weir_array *codes, const weir_quant *quant);
const weir_expression *weir_expression_of_leaf(weir_arena *arena, const weir_leaf *leaf);
/* A leaf of the codes as they are. */
const weir_expression *weir_expression_codes(weir_arena *arena, weir_value codes);
/* x is a leaf; one number, or one a channel of its codes. */
const weir_expression *weir_expression_offset(weir_arena *arena, const weir_expression *x, const double *number,
                                              uint32_t count);
/* Of a STEP one more; of a RELU itself. */
const weir_expression *weir_expression_relu(weir_arena *arena, const weir_expression *x);
/* What is below becomes steps, too, where it is a RELU. The constant is float32, with one element or one a channel of
 * the codes. */
const weir_expression *weir_expression_step(weir_arena *arena, const weir_expression *x, weir_op op,
                                            const weir_array *constant);
const weir_expression *weir_expression_sum(weir_arena *arena, const weir_leaf_sum *sum);
/* `value`: of the model. */
const weir_expression *weir_expression_function(weir_arena *arena, weir_value value);
/* The operators of x, of another leaf. */
const weir_expression *weir_expression_with_leaf(weir_arena *arena, const weir_expression *x, const weir_leaf *leaf);
/* The same leaf, of other codes. */
const weir_expression *weir_expression_with_codes(weir_arena *arena, const weir_expression *x, weir_value codes);
/* The elements of x moved: the map, from the model's value, is the last of each leaf's. `own`: the shape of the
 * codes. */
const weir_expression *weir_expression_moved(weir_arena *arena, const weir_expression *x, const weir_shape *own,
                                             const weir_index_map *map);
/* The RELU as a step: float32 computes it. */
const weir_expression *weir_expression_in_steps(weir_arena *arena, const weir_expression *x);

/* --- reading them; x may be NULL where nothing is known of a value --- */

weir_expression_kind weir_expression_kind_of(const weir_expression *x);
/* The kind below the operators. */
weir_expression_kind weir_expression_source(const weir_expression *x);
/* Of OFFSET, RELU, STEP: what it is applied to. */
const weir_expression *weir_expression_operand(const weir_expression *x);
/* Of REAL, HOST: the value in the new graph; of FUNCTION: that of the model. */
weir_value weir_expression_value(const weir_expression *x);
/* Of REAL, HOST. */
const weir_diag_log *weir_expression_cause(const weir_expression *x);
/* Of CONSTANT: the data; of WEIGHTS: the codes. */
const weir_array *weir_expression_data(const weir_expression *x);
/* Of WEIGHTS. */
const weir_quant *weir_expression_quant(const weir_expression *x);
/* Of STEP. */
const weir_step *weir_expression_step_of(const weir_expression *x);
/* The leaf below the operators, and its codes. */
const weir_leaf *weir_expression_leaf(const weir_expression *x);
weir_value weir_expression_codes_of(const weir_expression *x);
/* The SUM below the operators. */
const weir_leaf_sum *weir_expression_sum_of(const weir_expression *x);
/* The leaf, or that on the left of a SUM: in the order of its codes are the elements. */
const weir_leaf *weir_expression_first(const weir_expression *x);
/* The numbers of the OFFSET below other operators, and how many; NULL and 0: there is none. */
const double *weir_expression_numbers(const weir_expression *x, uint32_t *count);
size_t weir_expression_count_steps(const weir_expression *x);

/* CONSTANT, WEIGHTS. */
bool weir_expression_has_data(const weir_expression *x);
/* A leaf or a SUM, below the operators. */
bool weir_expression_has_codes(const weir_expression *x);
/* What hardware computes: such, or a FUNCTION. */
bool weir_expression_is_hardware(const weir_expression *x);

#endif
