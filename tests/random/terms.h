/* Random expressions between quantizers, and what they are by definition: element by element in float64 and float32, by
 * loops that know nothing of the lowering. Of two kinds: on grids of powers of two, where float32 rounds nothing, so
 * that exact arithmetic is the only answer; and with any scales, where the model is one chain of operations on a leaf,
 * each of which rounds to float32. */
#ifndef WEIR_TESTS_RANDOM_TERMS_H
#define WEIR_TESTS_RANDOM_TERMS_H

#include "generator.h"

enum { MOST_TERMS = 48, MOST_ELEMENTS = 64, MOST_INPUTS = 3, MOST_OUTPUTS = 3 };

typedef enum term_kind {
    TERM_INPUT,    /* a real graph input */
    TERM_CONSTANT, /* codes of the model */
    TERM_QUANTIZE, /* a, rounded to codes; its elements are the real numbers of these */
    TERM_STEP,     /* a op constant, or constant op a; Neg, Relu, Abs without */
    TERM_PAIR,     /* a op b, broadcast */
    TERM_CONCAT,   /* a, then b, along `axis` */
    TERM_RESHAPE,
    TERM_TRANSPOSE, /* of the last two dimensions */
    TERM_SLICE,     /* along `axis`, from `start` on, every `step`-th */
    TERM_REDUCE,    /* along `axis`, which becomes 1 */
    TERM_POOL,      /* the larger of neighbours along the last dimension */
    TERM_DENSE      /* a times a constant matrix [k, n] */
} term_kind;

typedef struct term {
    term_kind kind;
    weir_op op;
    int a, b; /* terms before this one */
    weir_shape shape;
    double constant
        /* of a STEP: one number, one a channel (the last dimension) or all; of DENSE the real weights */
        [MOST_ELEMENTS];
    size_t constants;
    bool constant_first;
    int axis;
    int64_t start, step;
    double scale; /* QUANTIZE */
    int64_t zero, low, high;
    double reach; /* about the largest magnitude */
    double grid;  /* whole numbers of this are its elements; 0: of none */
    weir_value value, codes;
} term;

typedef struct terms {
    weir_graph *graph;
    bool exact, qonnx; /* grids of powers of two; quantizers of QONNX */
    term of[MOST_TERMS];
    int count, input[MOST_INPUTS], inputs, output[MOST_OUTPUTS], outputs;
} terms;

/* A verified graph with the terms; freed by the caller. */
void terms_make(terms *t, random_source *r);
/* The elements of each term, of random inputs. False: float32 rounds one of them, and the terms are exact. */
bool terms_define(const terms *t, random_source *r, weir_array *const *input, double (*element)[MOST_ELEMENTS]);
/* What output i is, of these elements: codes, or QONNX's real numbers. */
double terms_output(const terms *t, int i, double element);

#endif
