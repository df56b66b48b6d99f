/* The loop nest of a node: what it computes, as nested loops over named dimensions, and which element of each operand
 * an iteration reads or writes. Stated once for each operator; counts of multiply-accumulates, lowering, cost models
 * and mapping search read it here.
 *
 * Names are those of ZigZag: Conv has B G K OX OY C FX FY (OX, FX: the last spatial dimension; OY, FY the one before;
 * then OZ, FZ, and numbers), products have B H D K C (D rows, C the sum), pools B G OX OY FX FY. Operators on tensors
 * of any rank have a loop D0, D1, ... for each dimension of the output. A relation such as ix = 2*ox + 1*fx - 1 is the
 * axis with two terms and an offset. */
#ifndef WEIR_IR_LOOP_H
#define WEIR_IR_LOOP_H

#include "ir/graph/graph.h"

typedef enum weir_loop_body {
    WEIR_LOOP_NONE,                /* reads no elements: Shape, Size, ConstantOfShape */
    WEIR_LOOP_MOVE,                /* O = I */
    WEIR_LOOP_MAP,                 /* O = f(inputs) */
    WEIR_LOOP_MULTIPLY_ACCUMULATE, /* O += I * W, from the bias or 0 on */
    WEIR_LOOP_REDUCE,              /* O = f(O, I): maximum, sum, ... */
} weir_loop_body;

typedef struct weir_loop {
    char name[8];
    int64_t size;
    bool is_reduced; /* its iterations go into one element of the output */
} weir_loop;

enum { WEIR_LOOP_TERMS = WEIR_MAX_RANK };

/* Index along one dimension of an operand: offset + sum of stride * iteration; outside [0, size): nothing is there,
 * neither read (padding) nor written. */
typedef struct weir_loop_axis {
    int64_t size, offset;
    int terms;
    struct {
        uint32_t loop;
        int64_t stride;
    } term[WEIR_LOOP_TERMS];
    bool is_indirect; /* data or a rule says where: Gather, Resize, Pad by reflection */
} weir_loop_axis;

typedef struct weir_loop_operand {
    char name; /* I: data, W: weights or the second operand, B: bias, P: a parameter, O: result */
    bool is_output;
    uint32_t index; /* of the node's inputs or outputs */
    bool is_flat;   /* one axis over the elements in row-major order */
    int rank;
    weir_loop_axis axis[WEIR_MAX_RANK];
} weir_loop_operand;

typedef struct weir_loop_nest {
    weir_loop_body body;
    uint32_t loop_count, operand_count;
    weir_loop *loop; /* outermost first; any order gives the same where sums are exact */
    weir_loop_operand *operand;
} weir_loop_nest;

/* The nest of a node with inferred types; it lives in the arena. */
const weir_loop_nest *weir_loop_nest_of(const weir_graph *graph, weir_node node, weir_arena *arena);
/* The loop by its name, or NULL; the operand by its letter (the first), or NULL. */
const weir_loop *weir_loop_find(const weir_loop_nest *nest, const char *name);
const weir_loop_operand *weir_loop_find_operand(const weir_loop_nest *nest, char name);
/* Does the operand's index depend on the loop? */
bool weir_loop_uses(const weir_loop_operand *operand, uint32_t loop);
/* Product of the sizes: how often the body runs. Saturates at INT64_MAX. */
int64_t weir_loop_iterations(const weir_loop_nest *nest);
/* Multiply-accumulates a frame, those on padding included; 0 for other bodies. */
int64_t weir_loop_macs(const weir_graph *graph, weir_node node);
/* Row-major position of the element that an iteration (one number a loop) uses; -1: none. Not for indirect axes. */
int64_t weir_loop_element(const weir_loop_operand *operand, const int64_t *iteration);

#endif
