/* Simulates what is about to be programmed: a board's top as Verilog, from a netlist or decoded from a bitstream, is
 * simulated down to its UART pins, and its answers are compared with its ids and the reference. */
#ifndef WEIR_BOARD_TRIAL_H
#define WEIR_BOARD_TRIAL_H

#include <jansson.h>

#include "board/board.h"
#include "graph/manifest.h"
#include "ir/graph/graph.h"

/* Of the core's clock. A trial ends there at the latest, whatever the board does. If the wire is so slow that half of
 * WEIR_TRIAL_CYCLES is too short for one frame, it ends at WEIR_TRIAL_LONG, and Verilator runs it; a design that needs
 * more is not simulated. */
enum { WEIR_TRIAL_CYCLES = 1000000, WEIR_TRIAL_LONG = 8000000, WEIR_TRIAL_FRAMES = 2 };

typedef struct weir_trial {
    const char *what;    /* "netlist": for messages, and the name in the cache */
    const char *verilog; /* a file that holds the module WEIR_BOARD_TOP and its memories' contents */
    size_t cells;        /* about as many are in it */
    const char *models;  /* of these cells, a file; NULL: there are none, and nothing is tried */
    const weir_board *board;
    const weir_graph *hardware;
    const weir_board_manifest *manifest; /* the ids, clock and baud that it must have */
    int64_t bytes_in, bytes_out;         /* of a frame and its results */
    const char *data;                    /* as weir_frames_read takes it, its first frames; NULL: random ones */
    const char *folder;                  /* where files of the trial are written */
    const char *cache;                   /* of weir_sim_cache: what was right once is not tried again */
    double seconds;                      /* that each tool may take, 0: no limit */
} weir_trial;

/* WEIR_EXIT_FINE; WEIR_EXIT_MISMATCH after a reported error: a wrong answer, or none; or WEIR_EXIT_TOOL,
 * WEIR_EXIT_INPUT. *result is a new object, NULL after an error: "frames", "values", "mismatches", "cycles", "limit" of
 * these, "simulator", "data"; or "why_not". */
int weir_trial_run(const weir_trial *trial, json_t **result);
/* That there was no trial, as such an object; takes the text over. */
json_t *weir_trial_none(char *why_not);
/* "  the netlist ...\n" of such an object. */
void weir_trial_print(const char *what, const json_t *result, weir_text *text);

#endif
