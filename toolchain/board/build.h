/* From a compiled design to a board's bitstream: wraps, synthesizes, places at the highest PLL clock that meets timing,
 * packs, and writes board.json. */
#ifndef WEIR_BOARD_BUILD_H
#define WEIR_BOARD_BUILD_H

#include <jansson.h>

#include "board/board.h"
#include "ir/graph/graph.h"
#include "support/text/text.h"

typedef struct weir_board_build_options {
    const weir_board *board;
    const char *name;           /* of the board, as the user gave it */
    const weir_graph *hardware; /* of the design */
    const char *folder;         /* has the compiled design in WEIR_BOARD_DESIGN; the rest is written there */
    const char *work;           /* a scratch folder */
    const char *data;           /* frames to simulate the netlist with, as for weir_frames_read; NULL: random ones */
    const char *yosys;          /* as in weir_program_yosys */
    int64_t clock_hz, baud;     /* 0: the best */
    int64_t seeds, seconds;     /* placements a clock; time limit of each tool, 0: none */
    bool place;                 /* false: sources for simulation only, no bitstream */
    bool benchmark;             /* frames can be made on the chip */
    bool debug;                 /* the streams of all layers can be looked at */
    bool read_back;             /* parameter memories can be read; */
    bool loadable;              /* and written: of a design for any parameters (weir_graph_patchable) */
} weir_board_build_options;

/* The most resources that the board's own logic needs, with options off and a small link buffer. */
enum {
    WEIR_BOARD_SHARE_LUTS = 900,
    WEIR_BOARD_SHARE_FLIP_FLOPS = 600,
    WEIR_BOARD_SHARE_BLOCKS = 2,
    WEIR_BOARD_BENCHMARK_LUTS = 400, /* more, with a benchmark, of both */
    WEIR_BOARD_DEBUG_LUTS = 400,     /* for debugging, of streams of about 100 bytes */
    WEIR_BOARD_READ_BACK_LUTS = 400, /* to read memories back, of words of 30 bytes together */
    WEIR_BOARD_LOADABLE_LUTS = 150,  /* to write them */
    WEIR_BOARD_BUFFER = 512
};

enum { WEIR_BOARD_CLOCKS = 3, WEIR_BOARD_SEEDS = 3 };

/* Exit status; *report is what board.json says, a new object, NULL after an error; *lacks_room: the error is that the
 * device is too small. */
int weir_board_build(const weir_board_build_options *options, json_t **report, bool *lacks_room);
/* For users. */
void weir_board_build_print(const json_t *report, weir_text *text);

#endif
