/* What realize_requantize chooses a component for: a Requantize or Threshold of the integer graph, the function that
 * each of its channels specifies, and candidates for hardware that computes the same. */
#ifndef WEIR_PASSES_REALIZER_H
#define WEIR_PASSES_REALIZER_H

#include "quant/arithmetic.h"
#include "quant/contract.h"
#include "quant/staircase.h"

/* Values above outputs of so many codes have no staircases: WEIR_STAIRCASE_CODES. Binary outputs are handled as step
 * numbers 0, 1 with base -1 and stride 2. */
typedef struct weir_realizer {
    weir_graph *graph;
    weir_node node;
    size_t channels; /* 1 when every channel has the same function */
    weir_staircase *staircase;
    weir_requantizer requantizer; /* Requantize only */
    const weir_array *thresholds; /* Threshold only */
    int64_t low, high, base, stride;
    const weir_graph *like; /* a patchable graph whose requantizers these must fit; NULL: none */
    bool *falling;          /* by channel, while the node's function is straightened */
} weir_realizer;

/* --- realizer.c: the specification --- */

bool weir_realizer_fail(const weir_realizer *r, const char *what); /* reports an error at the node; false */
/* Bits of the number in two's complement, or of a positive one without a sign. */
int weir_realizer_bits(int64_t value);

/* Reads the node: the channels, the codes. False after a reported error. */
bool weir_realizer_read(weir_realizer *r);
/* The staircase of each channel. False after a reported error: a channel's function falls. */
bool weir_realizer_build(weir_realizer *r);

typedef struct weir_channel_function {
    const weir_realizer *r;
    int64_t channel;
    bool is_product; /* the requantizer is: this one */
    weir_channel_product product;
} weir_channel_function;

weir_channel_function weir_realizer_function(const weir_realizer *r, size_t channel);
/* What the function (a weir_channel_function) gives for sums, as the staircase counts codes. */
void weir_realizer_specified(const void *function, const int64_t *x, size_t count, int64_t *code);

/* --- candidate.c: each fills parameters a channel --- */

typedef struct weir_candidate {
    weir_op op;
    int shift, left;
    weir_rounding rounding;
    int64_t zero, low, high; /* low, high: in the codes of the staircase */
    int64_t *multiplier, *add;
} weir_candidate;

typedef struct weir_channel_candidate {
    const weir_candidate *k;
    size_t channel;
} weir_channel_candidate;

enum { WEIR_CANDIDATE_ADD_BITS = 56 }; /* the most that a component's addend has */
/* What rtl/cast/weir_requantize_float.v takes: the smallest shift, the largest distance of codes from the zero point,
 * and bits of a multiplier, so that sums of 62 bits times that stay below 2^126. */
enum { WEIR_CANDIDATE_FLOAT_SHIFT = 2, WEIR_CANDIDATE_FLOAT_REACH = 1 << 22, WEIR_CANDIDATE_FLOAT_BITS = 44 };
/* What a table takes: bits of its codes, and so many codes. */
enum { WEIR_REALIZER_TABLE_BITS = 16, WEIR_REALIZER_TABLE_CODES = 1 << WEIR_REALIZER_TABLE_BITS };

/* What a channel of the candidate (a weir_channel_candidate) gives for sums. */
void weir_candidate_computed(const void *channel, const int64_t *x, size_t count, int64_t *code);
/* False: there is none, or it is not the same function. */
bool weir_candidate_cast(const weir_realizer *r, weir_candidate *k);
bool weir_candidate_scale(const weir_realizer *r, weir_candidate *k);
bool weir_candidate_float(const weir_realizer *r, weir_candidate *k);
/* Parameters alone, without the proof. A shift: where ratios are powers of two and additions whole; float32 arithmetic:
 * by ONNX Runtime's contract. */
bool weir_candidate_shift_of(const weir_realizer *r, weir_candidate *k);
bool weir_candidate_float_of(const weir_realizer *r, weir_candidate *k);

/* --- realizer_wide.c: outputs of more codes than staircases take --- */

bool weir_realizer_is_wide(const weir_realizer *r);
/* A candidate that is exact by construction, or proved step by step. False after a reported error. */
bool weir_realizer_use_wide(weir_realizer *r, weir_candidate *k);

/* --- realizer_products.c --- */

/* Codes that the model makes float32 numbers and quantizes again, proved at every step: one product that float32
 * rounds, or an exact one before it, which it rounds first. */
typedef struct weir_products {
    weir_candidate last;
    int64_t *factor, *term; /* by channel, of the exact one */
    bool has_exact;         /* else `last` adds the term itself, and factors are 1 */
} weir_products;

/* False: there are none. Its numbers are in memory of the graph. */
bool weir_realizer_find_products(const weir_realizer *r, weir_products *p);
/* False after a reported error. */
bool weir_realizer_use_products(weir_realizer *r, const weir_products *p);

/* --- realizer_corrected.c --- */

/* A Scale that is at most one code too low, and a table of where it is. `found`: whether there is one, which then is
 * used; k's arrays are filled. False after a reported error. */
bool weir_realizer_use_corrected(weir_realizer *r, weir_candidate *k, bool *found);

/* --- realizer_patchable.c --- */

/* Of a patchable graph: float32 arithmetic, or all thresholds, in tables with room for other parameters. False after a
 * reported error. */
bool weir_realizer_use_patchable(weir_realizer *r, weir_candidate *k);

/* --- realizer_straighten.c --- */

/* Makes every channel's function rise: by the weights before it, or, where all fall, by counting codes from the top. */
bool weir_realizer_straighten(weir_realizer *r);

/* --- realizer_use.c: the winner in the graph --- */

/* The new node takes the old one's name, location, output type and users. */
weir_node weir_realizer_replace(weir_realizer *r, weir_op op, const weir_value *inputs, size_t count);
/* A constant NAME_SUFFIX of int64: [rows], or [rows, columns] where columns are not 0. */
weir_value weir_realizer_parameter(weir_realizer *r, const char *suffix, const int64_t *values, size_t rows,
                                   size_t columns);
/* Whole numbers, one a channel, added to what the node reads; or what it reads times a factor of 1 or more, exact, and
 * a term. The node is read again. False after a reported error. */
bool weir_realizer_add_before(weir_realizer *r, const int64_t *whole);
bool weir_realizer_multiply_before(weir_realizer *r, const int64_t *factor, const int64_t *term);
/* False after a reported error. */
bool weir_realizer_use_candidate(weir_realizer *r, const weir_candidate *k);
bool weir_realizer_use_thresholds(weir_realizer *r);
bool weir_realizer_use_table(weir_realizer *r);
/* Has a table of no more than so many entries at most four times the bits of thresholds, which need comparisons
 * besides? */
bool weir_realizer_table_is_small(const weir_realizer *r, int64_t entries);

#endif
