/* Results of graphs on given inputs, and where two of them differ. */
#ifndef WEIR_COSIM_OUTCOME_H
#define WEIR_COSIM_OUTCOME_H

#include "cosim/frames.h"
#include "support/text/text.h"

/* Plain data: results and the inputs that they come from, by sample, then by position. */
typedef struct weir_outcome {
    char *graph;
    size_t input_count, output_count, samples;
    weir_array **input, **output; /* an output is NULL when it was not computed */
    char **output_name;
    char *obstacle; /* why it could not be executed; NULL: it was */
} weir_outcome;

/* The graph's results on seeded random inputs (random_input.h). */
weir_outcome *weir_outcome_random(const weir_graph *graph, size_t samples, uint64_t seed);
/* On the inputs of another outcome, which must fit. */
weir_outcome *weir_outcome_like(const weir_graph *graph, const weir_outcome *other);
/* On all frames; NULL after a reported error. */
weir_outcome *weir_outcome_data(const weir_graph *graph, const weir_frames *frames);
/* NULL is fine. */
void weir_outcome_free(weir_outcome *outcome);
/* Has the graph inputs of the same types? */
bool weir_outcome_fits(const weir_graph *graph, const weir_outcome *other);

typedef enum weir_outcome_kind {
    WEIR_OUTCOME_SAME,
    WEIR_OUTCOME_OBSTACLE, /* `after` could not be executed */
    WEIR_OUTCOME_COUNT,    /* another number of outputs */
    WEIR_OUTCOME_TYPE,     /* an output of another element type or shape */
    WEIR_OUTCOME_ELEMENT   /* an element differs */
} weir_outcome_kind;

typedef struct weir_outcome_difference {
    weir_outcome_kind kind;
    size_t sample, output, element; /* the first one that differs */
} weir_outcome_difference;

/* Numbers may differ by `part` of the largest one in their output, or of 1; 0: not at all. */
weir_outcome_difference weir_outcome_compare(const weir_outcome *before, const weir_outcome *after, double part);
/* "[0,3]" of a position in row-major order. */
void weir_outcome_print_index(const weir_shape *shape, size_t index, weir_text *text);
/* The difference in words: "output 'y', element [0,3]: before 1, after 2". */
void weir_outcome_print(const weir_outcome *before, const weir_outcome *after, weir_outcome_difference difference,
                        weir_text *text);

#endif
