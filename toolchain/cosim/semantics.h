/* An instrument that runs graphs before and after each pass on random inputs and compares their results, as far as the
 * pass promises to preserve them (pass/core/pass.h). */
#ifndef WEIR_COSIM_SEMANTICS_H
#define WEIR_COSIM_SEMANTICS_H

#include "pass/run/instrument.h"

typedef struct weir_semantics {
    size_t samples;   /* frames that each graph is run on */
    uint64_t seed;    /* of their values */
    double tolerance; /* allowed difference of reals, as a part of the largest one of the output or of 1 */
} weir_semantics;

/* Allowed for passes that promise approximate results, unless `tolerance` is more. */
#define WEIR_SEMANTICS_APPROXIMATE 1e-4

#define WEIR_SEMANTICS_DEFAULTS                                                                                        \
    { .samples = 4, .seed = 1 }

/* Inputs are those of random_input.h. The pass that causes the first difference fails, with output, element, and the
 * value before and after. A graph that cannot be executed is not compared, with a warning, unless a pass made it so.
 * After a module pass, graphs are found by their names; a new one is compared with the last one before the pass if it
 * has the same inputs and outputs. The caller frees the instrument. */
weir_pass_instrument *weir_semantics_new(const weir_semantics *semantics);

#endif
