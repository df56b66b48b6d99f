/* A bring-up as a ladder: each rung tests one more thing of a programmed board; the first red one ends it and reports
 * what was expected, what was received, the likely causes in order, and the next step. */
#ifndef WEIR_BOARD_LADDER_H
#define WEIR_BOARD_LADDER_H

#include <jansson.h>

#include "board/exchange.h"
#include "board/layers.h"
#include "board/parameters.h"
#include "cosim/metrics.h"
#include "graph/manifest.h"
#include "support/text/text.h"

typedef enum weir_rung_name {
#define WEIR_RUNG(name, text, seconds) WEIR_RUNG_##name,
#include "board/ladder.def"
#undef WEIR_RUNG
    WEIR_RUNGS
} weir_rung_name;

typedef enum weir_rung_state { WEIR_RUNG_OPEN, WEIR_RUNG_GREEN, WEIR_RUNG_RED, WEIR_RUNG_ABSENT } weir_rung_state;

enum { WEIR_RUNG_CAUSES = 5 };

typedef struct weir_rung {
    weir_rung_state state;
    double seconds; /* of the board's time */
    char *found;    /* green: the finding, "3000000 baud"; red: the answer; absent: the option that adds it; heap */
    char *expected; /* red; heap */
    const char *cause[WEIR_RUNG_CAUSES]; /* red: the likeliest first, NULL at the end */
    const char *next;                    /* red: what to do */
} weir_rung;

/* Opens the transport, again after a failure. False and `why`: it cannot be. */
typedef weir_wire_error weir_ladder_open(void *user, unsigned baud, weir_transport *transport, weir_failure *why);

typedef struct weir_ladder_options {
    const weir_board_manifest *manifest;
    const weir_graph *hardware;
    const weir_reference *reference; /* of the frames to run */
    weir_ladder_open *open;
    void *user;
    const char *sources; /* folder of the parameter memories' files */
    bool loads;          /* parameters are written without being tried before, where the board's are not these */
    bool may_quadruple;  /* the USB chip runs at 4 times the baud that is set, with some firmware */
    size_t in_flight;
    /* a bit each of those to climb; the first three always are; what the board was built without is left out */
    unsigned rungs;
} weir_ladder_options;

/* Frames made on the chip; all 0: the board has no benchmark, or did not get there. */
typedef struct weir_ladder_benchmark {
    int64_t frames;
    uint32_t cycles;          /* from the first beat in to the last beat out */
    double interval;          /* cycles a frame when the pipeline is full */
    uint32_t expected, found; /* CRC-32 of the results */
} weir_ladder_benchmark;

typedef struct weir_ladder {
    weir_rung rung[WEIR_RUNGS];
    weir_wire_rate rate;
    weir_wire_identity identity;
    weir_wire_clock clock;
    uint32_t cycles; /* of one frame */
    weir_board_exchange exchange;
    weir_ladder_benchmark benchmark;
    weir_layers layers; /* of a build that can tell */
    weir_parameters parameters;
    uint64_t repeated; /* bytes of the last frames that were sent again */
    bool differs;      /* red because bits differ */
    bool hangs;        /* red because results do not arrive */
} weir_ladder;

/* WEIR_EXIT_FINE; WEIR_EXIT_MISMATCH: bits differ; WEIR_EXIT_BOARD: another rung is red. */
int weir_ladder_climb(const weir_ladder_options *options, weir_ladder *ladder);
void weir_ladder_free(weir_ladder *ladder);
const char *weir_rung_text(weir_rung_name name);
/* A line for each rung, and all details of the red one. */
void weir_ladder_print(const weir_ladder *ladder, weir_text *text);
json_t *weir_ladder_json(const weir_ladder *ladder);

#endif
