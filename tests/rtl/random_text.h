/* Random designs in the text form of the hardware IR: parametrised modules with locals, casts, slices, constants in all
 * bases, loops in space, processes, functions, arrays and tri-state drivers, and a top that has two instances of one
 * with different parameters. */
#ifndef WEIR_TEST_RANDOM_TEXT_H
#define WEIR_TEST_RANDOM_TEXT_H

#include <stdint.h>

#include "support/text/text.h"

/* Appends the design of the seed, which is right; its top is `t<seed>_top`. Modules of different seeds have different
 * names. */
void random_text(uint64_t seed, weir_text *text);

#endif
