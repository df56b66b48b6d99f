/* Results of exploration: the cost of a layer with its mapping, or of several together. */
#ifndef WEIR_DSE_RESULT_H
#define WEIR_DSE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "dse/folding/knapsack.h"
#include "dse/mapping/cost.h"

/* Where a folding was found; it lives until the run ends. */
typedef struct weir_dse_point {
    const char *device, *budget;
    int64_t clock_mhz;    /* the goal */
    int64_t device_luts;  /* of the whole device */
    int64_t latency;      /* cycles from the first beat of a frame to the last of its result */
    const char *settings; /* a folding file: dataflow/folding.h */
} weir_dse_point;

/* Hardware of its own, instead of a mapping on an array: a component, or all of a folding. Its cost has the cycles
 * between two frames for a latency, and energies by a model (README.md). */
typedef struct weir_dse_hardware {
    const char *component;                /* NULL: several together */
    int64_t use[WEIR_KNAPSACK_RESOURCES]; /* in the order of weir_cost_uses */
    int64_t delay_ps;                     /* of the slowest path of all of the folding; 0: not known */
    const weir_dse_point *point;          /* NULL: none of this */
} weir_dse_hardware;

typedef struct weir_dse_evaluation {
    weir_dse_cost cost;
    const weir_dse_layer *layer; /* NULL: a sum of layers */
    const weir_dse_accelerator *accelerator;
    const weir_dse_temporal *temporal; /* with its problem, which has the spatial mapping; NULL in sums */
    weir_dse_rules rules;
    weir_dse_hardware hardware;
} weir_dse_evaluation;

/* Is it all of a folding, not a component of one, nor a mapping? False of NULL. */
bool weir_dse_is_folding(const weir_dse_evaluation *evaluation);
/* Nanoseconds between two frames of hardware, at the clock that is estimated, or its goal where none is. */
double weir_dse_time(const weir_dse_evaluation *evaluation);

/* What a sink gets; it lives during the call. Without evaluation and list it says that a result is not needed, or comes
 * later. */
typedef struct weir_dse_result {
    const weir_dse_evaluation *evaluation; /* NULL: a list only */
    double evaluations;                    /* of the cost model, behind this result */
    size_t count;                          /* results that went into it, of stages that keep them */
    const struct weir_dse_result *list;
    const char
        *parameters; /* that general_parameter_iterator gave the stages behind it, "lpf_limit=4 count=1"; NULL: none */
} weir_dse_result;

/* False: no more. */
typedef bool weir_dse_sink(void *user, const weir_dse_result *result);

/* Results that outlive the call, with all that they point to but layers and accelerators. */
typedef struct weir_dse_kept {
    weir_dse_result *list;
    size_t count, capacity;
} weir_dse_kept;

void weir_dse_kept_add(weir_dse_kept *kept, const weir_dse_result *result);
/* The evaluation and its parameters alone, instead of those that are there. */
void weir_dse_kept_replace(weir_dse_kept *kept, const weir_dse_result *result);
void weir_dse_kept_free(weir_dse_kept *kept);

#endif
