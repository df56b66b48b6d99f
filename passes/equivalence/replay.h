/* Designs in a simulator: each top module is given the rows of a stimulus, and what its outputs are after each row
 * comes back. The bench is made through the hardware IR of weir_sim_stimulus and weir_sim_trace. */
#ifndef WEIR_PASSES_EQUIVALENCE_REPLAY_H
#define WEIR_PASSES_EQUIVALENCE_REPLAY_H

#include "passes/equivalence/stimulus.h"
#include "sim/driver.h"

typedef struct weir_replay_top {
    const weir_rtl_design *design; /* that has the ports */
    weir_rtl_module module;
    const char *name;              /* of the module in the files; each top has another */
    const weir_stimulus *stimulus; /* the same number of rows for all tops */
} weir_replay_top;

typedef struct weir_replay {
    weir_simulator simulator;
    const weir_replay_top *tops;
    size_t top_count;
    const char *const *files; /* Verilog of the tops and all below them */
    size_t file_count;
    const char *folder; /* there; bench and stimuli are written to it */
    double seconds;     /* time limit of each tool, 0: none */
} weir_replay;

/* All outputs of a top after each row: characters 0, 1, x, z. */
typedef struct weir_trace {
    uint32_t width; /* 0: no outputs */
    size_t rows;
    char *bit; /* rows x width; the first output stands last in a row, as the lowest bits do */
} weir_trace;

/* Fills a trace for each top. WEIR_EXIT_FINE; or, after a reported error, WEIR_EXIT_TOOL (a simulator is missing or
 * failed) or WEIR_EXIT_INPUT. Free the traces in any case. */
int weir_replay_run(const weir_replay *replay, weir_trace *traces);
void weir_trace_free(weir_trace *trace);

#endif
