/* Models that take many samples at once: the first dimension of every input is one fixed number, or open, the rows of a
 * batch. */
#ifndef WEIR_IR_BATCH_H
#define WEIR_IR_BATCH_H

#include "ir/graph/graph.h"

typedef struct weir_batch {
    int64_t count;   /* rows; 1: the inputs have no first dimension in common, or it is 1 */
    weir_node mixed; /* the first node whose result for a row depends on other rows; none: there is no such node */
    const char *why; /* what that node does; NULL: nothing */
} weir_batch;

/* Does the graph compute each row on its own? Checks the nodes that outputs depend on. O(size). */
weir_batch weir_batch_find(const weir_graph *graph);
/* The same graph for one row, whose rows do: a copy whose inputs have first dimension 1. NULL when the shapes do not
 * follow. */
weir_graph *weir_batch_split(const weir_graph *graph, int64_t count);
/* Both where only some inputs have `count` rows, by input: the others are the same for each. */
weir_batch weir_batch_find_rows(const weir_graph *graph, int64_t count, const bool *has_rows);
weir_graph *weir_batch_split_rows(const weir_graph *graph, int64_t count, const bool *has_rows);

/* A graph whose batch is open, for any number of rows. */
typedef struct weir_batch_open {
    weir_graph *graph; /* a copy in which no constant counts the rows; NULL: rows are mixed */
    bool *has_rows;    /* by value of the copy: its first dimension is the rows */
    bool *is_live;     /* by value: an output depends on it; of others nothing is known */
    weir_batch mixed;  /* what mixes rows */
} weir_batch_open;

/* O(size). */
weir_batch_open weir_batch_open_of(const weir_graph *graph);
void weir_batch_open_free(weir_batch_open *open);

#endif
