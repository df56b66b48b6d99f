/* What each component of a network reaches, and what holds it back. */
#ifndef WEIR_DSE_PICTURE_ROOFLINE_H
#define WEIR_DSE_PICTURE_ROOFLINE_H

#include "ir/graph/graph.h"
#include "support/text/text.h"

/* Of a folded hardware graph with its streams, each component that multiplies and accumulates: multiply-accumulates a
 * cycle over multiply-accumulates a byte of its streams. A dot is what it does at the network's interval, a line above
 * it ends at its roof: its SIMD * PE, or what its streams can carry where that is less. */
void weir_dse_picture_roofline(const weir_graph *hardware, weir_text *svg);

#endif
