/* Runs the model and its lowered graph side by side and compares them value by value: each node of the model reads the
 * numbers that the codes of the lowered graph represent, so a difference is found at the node that causes it,
 * independent of earlier ones. Codes may be replaced on both sides once they are compared, so later nodes see the
 * corners of their ranges, which the model's inputs may never reach. */
#ifndef WEIR_COSIM_LOCKSTEP_H
#define WEIR_COSIM_LOCKSTEP_H

#include "cosim/counterpart.h"

typedef struct weir_lockstep weir_lockstep;

typedef enum weir_drive {
    WEIR_DRIVE_NATURAL, /* values are the results of the nodes before them */
    WEIR_DRIVE_CORNERS, /* quantized values are the ends of their proven range, or zero */
    WEIR_DRIVE_UNIFORM, /* quantized values are anything in their proven range */
    WEIR_DRIVE_STEPS    /* sums before a Requantize with steps are on either side of a random step of its results */
} weir_drive;

typedef struct weir_frame {
    const char *what; /* for messages: "random frame 3" */
    weir_drive drive;
    uint64_t seed;     /* of replaced codes */
    bool leaves_model; /* known to equal `integer`: only the two lowered graphs are compared */
} weir_frame;

/* `model` is the original, `integer` the result of lower_integer (NULL: not compared), `lowered` that of the passes
 * after it. All outlive this. NULL after a reported error. */
weir_lockstep *weir_lockstep_new(const weir_graph *model, const weir_graph *integer, const weir_graph *lowered,
                                 const weir_counterparts *counterparts);
void weir_lockstep_free(weir_lockstep *lockstep);
/* One frame: inputs of the model's types. `integer` and `lowered` must agree in every code; the model may differ from
 * them by what float32 rounding explains: nothing where scales are powers of two. False after a reported error that
 * names the first node that differs. */
bool weir_lockstep_run(weir_lockstep *lockstep, const weir_array *const *inputs, const weir_frame *frame);

#endif
