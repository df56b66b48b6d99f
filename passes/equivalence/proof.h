/* Equivalence of two hardware designs, proved by Yosys: a miter of both, unrolled and then by induction
 * (`sat -tempinduct`), whose invariant is that outputs agree and, at first, registers of the same path too.
 *
 * What a proof says: started alike, both give the same outputs in every cycle, whatever the inputs are. Started alike
 * means that registers and memories with an initial value have it, and all others hold zeros on both sides; and it is
 * proved once more with ones. (Arbitrary values would refuse every rewrite that renames a register; unknown ones, which
 * spread, would accept nearly any change behind a register without reset.) The clock is left out: a step is a cycle,
 * which takes one clock, one edge, and no inout ports; asynchronous resets and latches act within the step. */
#ifndef WEIR_PASSES_EQUIVALENCE_PROOF_H
#define WEIR_PASSES_EQUIVALENCE_PROOF_H

#include "rtlir/core/rtl.h"
#include "support/text/text.h"

typedef struct weir_proof_side {
    weir_rtl_design *design; /* that can be printed (plain.h) */
    weir_rtl_module top;
    const char *file; /* its Verilog, below the folder */
} weir_proof_side;

typedef struct weir_proof {
    weir_proof_side side[2];
    const char *const *files; /* of external modules */
    size_t file_count;
    const char *folder; /* there; the proof works in it */
    size_t cells;       /* of both designs, after flattening: more are not tried */
    double seconds;     /* for each question to the solver */
} weir_proof;

typedef enum weir_proof_end {
    WEIR_PROOF_EQUAL,
    WEIR_PROOF_DIFFERENT, /* the text has the counterexample */
    WEIR_PROOF_NONE       /* the text says why */
} weir_proof_end;

/* The text of a counterexample: a line "cycle N: 'y' is 4'hd before and 4'h3 after", then a line of inputs for each of
 * the last cycles. Cycles count from 0. Yosys that is missing is a reason, not an error. */
weir_proof_end weir_proof_run(const weir_proof *proof, weir_text *text);

#endif
