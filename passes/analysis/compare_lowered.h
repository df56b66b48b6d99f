/* Nothing is lowered, and no hardware written, that computes something else than the quantized model
 * (cosim/lockstep.h). Frames are the corners of the inputs' ranges, random ones, some of which drive every quantized
 * value to the corners of its own range, and the first of the data. Cost: three executions a frame, of as many frames
 * as the budget allows. */
#ifndef WEIR_PASSES_COMPARE_LOWERED_H
#define WEIR_PASSES_COMPARE_LOWERED_H

#include <stdbool.h>
#include <stdint.h>

#include "cosim/counterpart.h"
#include "ir/graph/graph.h"

/* `integer` is what `prepared`, the model as it is lowered, was lowered to; `hardware` (NULL: none) what passes made of
 * that. */
typedef struct weir_lowered_graphs {
    const weir_graph *model, *prepared, *integer, *hardware;
    bool reordered; /* elements of the prepared graph's values may be in another order than the model's */
    const weir_counterparts *counterparts; /* of prepared and integer */
} weir_lowered_graphs;

typedef struct weir_lowered_effort {
    int64_t frames; /* generated ones; 0: as many as the budget allows */
    uint64_t seed;
    const char *data; /* frames of a file; "": none */
    /* the integer graph was compared with the model before: only what passes made of it is compared */
    bool leaves_model;
} weir_lowered_effort;

/* False after a reported error, which names the first node that computes something else where there is one. */
bool weir_compare_lowered(const weir_lowered_graphs *of, const weir_lowered_effort *with);

#endif
