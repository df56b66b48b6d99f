/* The sums at which the result of a requantizer of one channel changes, found as they are asked for. */
#ifndef WEIR_COSIM_STEPS_H
#define WEIR_COSIM_STEPS_H

#include "ir/graph/graph.h"
#include "quant/contract.h"

/* What is known of a requantizer's function of one channel. */
typedef struct weir_steps {
    bool is_known;
    int64_t from, to;    /* the sums of the least result and of the most */
    int64_t least, most; /* results */
    int64_t *step; /* the first sum on the way from `from` to `to` with the result least + 1 + i; NULL: too many */
    bool *is_found;
} weir_steps;

/* Of sums of the type's range. */
weir_steps weir_steps_of(const weir_type *type, const weir_requantizer *r, int64_t channel);
/* The first sum with the result `wanted`. */
int64_t weir_steps_find(const weir_steps *steps, const weir_requantizer *r, int64_t channel, int64_t wanted);
void weir_steps_free(weir_steps *steps);

#endif
