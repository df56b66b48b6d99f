/* Do two versions of a hardware design compute the same? Both are copied through their text, made printable (plain.h)
 * and printed as Verilog-2005. Small designs are proved equal or different by Yosys (proof.h says what a proof means);
 * else both get the same random inputs in a simulator, and every output is compared after every change of an input or a
 * clock. There, a bit that is 0 or 1 before must be the same after; an unknown one may become anything. A state machine
 * whose state is unknown gives unknown outputs, and combinational processes run at the start, as they do in
 * SystemVerilog. */
#ifndef WEIR_PASSES_EQUIVALENCE_H
#define WEIR_PASSES_EQUIVALENCE_H

#include "pass/run/instrument.h"
#include "sim/driver.h"

typedef enum weir_rtl_method { WEIR_RTL_PROOF_OR_TEST, WEIR_RTL_PROOF, WEIR_RTL_TEST } weir_rtl_method;

typedef struct weir_rtl_equivalence {
    weir_rtl_method method;
    size_t cycles; /* of a test */
    uint64_t seed;
    weir_simulator simulator;
    size_t cells;   /* of both designs: a proof is tried up to here */
    double seconds; /* for each question of a proof */
    bool silent;    /* the instrument only counts what was found, and reports differences */
} weir_rtl_equivalence;

#define WEIR_RTL_EQUIVALENCE_DEFAULTS                                                                                  \
    { .cycles = 256, .seed = 1, .simulator = WEIR_SIM_ICARUS, .cells = 4000, .seconds = 3 }

/* One version: what weir_rtl_print_text gives, and the name of the top module (weir_rtl_find_top). */
typedef struct weir_rtl_version {
    const char *text;
    size_t size;
    const char *top;
} weir_rtl_version;

typedef enum weir_rtl_verdict {
    WEIR_RTL_PROVED,
    WEIR_RTL_TESTED, /* no difference was found */
    WEIR_RTL_DIFFERENT,
    WEIR_RTL_NOT_COMPARED /* ports differ, a tool is missing, ... */
} weir_rtl_verdict;

/* `text` gets one line that says it: "proved", "proved for bits that are 0 or 1; unknown ones may matter: ..." (a
 * register that starts unknown, a division, an index), "tested, 256 cycles, seed 1 (not proved: ...)", "cycle 3: 'y' is
 * 4'hd before and 4'h3 after", why they are not compared; after a counterexample lines with the inputs of the last
 * cycles. Reports nothing. */
weir_rtl_verdict weir_rtl_compare(const weir_rtl_version *before, const weir_rtl_version *after,
                                  const weir_rtl_equivalence *how, weir_text *text);

/* An instrument that compares the design before and after each hardware pass that promises to keep what it computes,
 * also one that says that it changed nothing; a pass that changes it fails, with the counterexample. A note after each
 * pass says what was found: unchanged (the same text), proved, tested, not compared. Why not is warned about once. The
 * statistics of the context count what was proved, tested and not compared under each pass. The caller frees it. */
weir_pass_instrument *weir_rtl_equivalence_new(const weir_rtl_equivalence *how);

#endif
