/* All options of a structure's items: each folding with each choice of its members' memories and products, except those
 * for which another one takes the same time and no more of any resource. */
#ifndef WEIR_DSE_FOLDING_OPTIONS_PRIVATE_H
#define WEIR_DSE_FOLDING_OPTIONS_PRIVATE_H

#include "dse/folding/folding_structure_private.h"

typedef struct weir_folding_option {
    size_t folding;
    uint64_t choices;
    int64_t use[WEIR_KNAPSACK_RESOURCES]; /* without lane converters */
    const weir_folding_times *times;      /* by member */
    bool closed;                          /* leads to nothing better */
} weir_folding_option;

/* Options with the same timing: one build of the members. */
typedef struct weir_folding_variant {
    const weir_folding_setting *folding;
    weir_meta_hardware *member;
    uint32_t *built;   /* by member: equal if members are built alike */
    bool attains;      /* its interval is the frame's */
    size_t first, end; /* options */
} weir_folding_variant;

typedef struct weir_folding_options {
    weir_arena *arena;
    weir_folding_option *option;
    weir_folding_variant *variant;
    size_t count, capacity, variants, variant_capacity;
    size_t *first, *variant_first; /* by item, and one more */
    weir_value *output;            /* of the hardware */
    size_t outputs;
} weir_folding_options;

/* For the interval of the last weir_folding_space_at. False: the component that takes over a node depends on the rest
 * of the graph. */
bool weir_folding_options_make(weir_folding_space *space, weir_folding_options *options);
void weir_folding_options_free(weir_folding_options *options);

#endif
