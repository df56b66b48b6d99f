/* A random hardware graph of one component (or a small network) with data for it. Everything is a function of the seed:
 * the same seed builds the same graph on every machine. */
#ifndef WEIR_TESTS_OP_CASE_H
#define WEIR_TESTS_OP_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph.h"

typedef struct op_case {
    uint64_t random;    /* state of the generator */
    const char *folder; /* for files that a graph needs, such as a folding */
    weir_graph *graph;  /* called "hardware": folded, placed, with streams where components need them */
    weir_array **data;  /* by input: int64 codes [frames, elements] */
    int64_t low, high;  /* of the last input */
} op_case;

typedef void op_kind_build(op_case *c);
typedef struct op_kind {
    const char *name;
    op_kind_build *build;
    const char *parameters; /* suffix of the node and its memory whose content a planted fault changes, or NULL */
} op_kind;

/* The kinds in the order of rtl/; ends with a NULL name. */
extern const op_kind op_kinds[];
op_kind_build op_build_network; /* network.c */

/* --- random numbers --- */
uint64_t op_bits(op_case *c);
int64_t op_range(op_case *c, int64_t low, int64_t high);
bool op_chance(op_case *c, int percent);
/* A number of random size: small ones as likely as large ones; its magnitude has at most `bits` bits. */
int64_t op_number(op_case *c, int bits, bool is_signed);
int64_t op_divisor(op_case *c, int64_t of);

/* --- building; failures are bugs of the test and abort --- */
/* A graph input: codes of [low, high] in `width` bits, shape [1, channels] or [1, rows, channels]. */
weir_value op_input(op_case *c, int64_t rows, int64_t channels, int width, bool is_signed);
/* `frames` frames of codes for every input, the extreme ones more often than others. */
void op_make_data(op_case *c, int64_t frames);
void op_free_data(op_case *c);
weir_value op_ints(op_case *c, const char *name, int64_t rows, int64_t columns, const int64_t *values);
weir_node op_node(op_case *c, weir_op op, const char *name, const weir_value *inputs, size_t count, size_t outputs);
/* Infers, gives the node its component and lanes. */
void op_place(op_case *c, weir_node node, int64_t in_lanes, int64_t out_lanes, int64_t digit);
/* Attributes low and high: a random part of the codes of `bits` bits. */
void op_clip(op_case *c, weir_node node, int bits);
/* Elements a beat for a node with `parameters` a channel (1 or the number of channels). */
int64_t op_lanes(op_case *c, int64_t rows, int64_t channels, int64_t parameters);
void op_finish(op_case *c, weir_value output);

#endif
