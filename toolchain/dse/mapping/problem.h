/* A layer on an accelerator with a fixed spatial mapping: all data that is independent of the order of temporal loops,
 * precomputed. Immutable; threads may share it. */
#ifndef WEIR_DSE_PROBLEM_H
#define WEIR_DSE_PROBLEM_H

#include <stdatomic.h>

#include "dse/mapping/spatial.h"

enum { WEIR_DSE_LEVELS = WEIR_DSE_MEMORIES + 1, WEIR_DSE_LOOPS = 64 };

/* One spatial mapping as an operand's levels see it; level 0 is the array, level m + 1 memory m. */
typedef struct weir_dse_scope {
    double boost[3][WEIR_DSE_LEVELS]; /* of the data of a level, how many units below take different parts */
    double units[3][WEIR_DSE_LEVELS]; /* instances */
    double irrelevant_above[WEIR_DSE_LEVELS +
                            1];           /* of the output: product of irrelevant spatial factors from level l on */
    bool sums_above[WEIR_DSE_LEVELS + 1]; /* is one of these more than 1? */
} weir_dse_scope;

/* A memory in the order in which loops are allocated, with the operands of this layer that it holds. */
typedef struct weir_dse_stop {
    const weir_dse_memory *memory;
    int count;
    uint8_t operand[3], level[3];
    bool is_top[3];
} weir_dse_stop;

typedef struct weir_dse_transfer {
    uint8_t operand, level, direction;
} weir_dse_transfer;

typedef struct weir_dse_channel {
    double bandwidth;
    bool is_shared; /* between the two inputs */
    int count;
    weir_dse_transfer transfer[WEIR_DSE_OPERANDS * WEIR_DSE_DIRECTIONS];
    const weir_dse_memory *memory;
    const weir_dse_port *port;
} weir_dse_channel;

/* Constants of the energy of one transfer: words of a period are ceil(bits / narrow) * ratio. */
typedef struct weir_dse_word {
    double narrow, ratio, wide, energy;
    int channel; /* -1: no port */
} weir_dse_word;

typedef struct weir_dse_problem {
    const weir_dse_accelerator *accelerator;
    const weir_dse_layer *layer;
    weir_dse_unroll unroll;
    weir_dse_spatial spatial, whole;
    bool is_whole; /* both are the same */
    weir_dse_scope scope, whole_scope;
    int levels[3];
    const weir_dse_memory *memory[3][WEIR_DSE_MEMORIES];
    int stop_count, channel_count;
    int stop_of[3][WEIR_DSE_MEMORIES];
    weir_dse_stop stop[WEIR_DSE_MEMORIES];
    weir_dse_channel channel[WEIR_DSE_MEMORIES * WEIR_DSE_PORTS];
    weir_dse_word word[3][WEIR_DSE_MEMORIES][WEIR_DSE_DIRECTIONS];
    double mac_energy, ideal_cycles;
    atomic_int holders;
} weir_dse_problem;

/* Heap memory. Layer and accelerator must outlive it. */
weir_dse_problem *weir_dse_problem_new(const weir_dse_accelerator *accelerator, const weir_dse_layer *layer,
                                       const weir_dse_unroll *unroll);
/* One more holds it; each of them frees it. */
const weir_dse_problem *weir_dse_problem_hold(const weir_dse_problem *problem);
void weir_dse_problem_free(const weir_dse_problem *problem);

/* Walks the loops of an operand: how much each adds to the data. */
typedef struct weir_dse_footprint {
    const weir_dse_layer *layer;
    const weir_dse_operand *operand;
    double loop[WEIR_DSE_RELATIONS][2], size[WEIR_DSE_RELATIONS], reuse[WEIR_DSE_RELATIONS];
} weir_dse_footprint;

void weir_dse_footprint_start(weir_dse_footprint *footprint, const weir_dse_layer *layer, int operand);
/* Multiplies *fresh by how much new data the loop brings, *again by how often the same. */
void weir_dse_footprint_add_loop(weir_dse_footprint *footprint, int dim, double factor, double *fresh, double *again);

#endif
