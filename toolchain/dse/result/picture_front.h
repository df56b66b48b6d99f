/* Foldings of a network, as a table and as a picture. */
#ifndef WEIR_DSE_PICTURE_FRONT_H
#define WEIR_DSE_PICTURE_FRONT_H

#include "dse/result/result.h"
#include "support/text/text.h"

/* Frames a second. */
double weir_dse_picture_rate(const weir_dse_evaluation *evaluation);
/* The one to take: the fewest lookup tables on the smallest device that gives so many frames a second; of `rate` 0, or
 * when none does, the fastest. */
size_t weir_dse_picture_choose(const weir_dse_result *results, size_t count, double rate);
/* Lookup tables over frames a second, both logarithmic, a colour a device, the chosen one in a ring. */
void weir_dse_picture_front(const weir_dse_result *results, size_t count, size_t chosen, weir_text *svg);

#endif
