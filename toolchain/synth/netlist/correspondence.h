/* Two designs of the same registers and blocks, compared: from states that correspond, do they go to states that
 * correspond, and output the same? Registers correspond by their names or, failing that, by what they take next, blocks
 * by their names or by what they are given. With equal initial values that is a proof of equivalence by induction, for
 * all inputs (C. van Eijk, "Sequential equivalence checking based on structural similarities", 2000). Where the first
 * is undefined, anything is the same; what is undefined in the second only, is not. */
#ifndef WEIR_SYNTH_CORRESPONDENCE_H
#define WEIR_SYNTH_CORRESPONDENCE_H

#include "support/text/text.h"
#include "synth/netlist/aig.h"
#include "synth/netlist/gates.h"

/* Something to be the same on both sides: an output, what a register takes next, an input of a block. */
typedef struct weir_cone {
    weir_literal gold, gate;
    char *name; /* "u_x.count_q[3]" */
    enum { WEIR_CONE_OPEN, WEIR_CONE_EQUAL, WEIR_CONE_DIFFERENT, WEIR_CONE_UNMATCHED, WEIR_CONE_STATES } state;
} weir_cone;

typedef struct weir_correspondence {
    weir_aig *aig;
    bool *unmatched; /* by node, of inputs: a register or block's output without a partner */
    weir_cone *cone;
    size_t cones, capacity;
    size_t registers, registers_found; /* of gold; those that have a register, or a constant, of the gate side */
    size_t blocks, blocks_found;
} weir_correspondence;

/* Cones that are the same node, or differ under random patterns, are decided; those whose logic has a register or block
 * without a partner are unmatched; the rest is open. What both sides are: `gold` was there first, `gate` was made of
 * it. Free it in any case. */
void weir_correspondence_of(const weir_gates *gold, const weir_gates *gate, weir_correspondence *found);
/* Decides a cone by its functions: the same node, different under random patterns, or open. */
void weir_correspondence_decide(const weir_correspondence *found, weir_cone *cone);
void weir_correspondence_free(weir_correspondence *found);

#endif
