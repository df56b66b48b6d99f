/* The top of a board: PLL, reset, link and accelerator between the pins, as module WEIR_BOARD_TOP of the hardware IR,
 * with all its sources, ready for synthesis and simulation. */
#ifndef WEIR_BOARD_WRAP_H
#define WEIR_BOARD_WRAP_H

#include "board/board.h"
#include "board/clock.h"
#include "board/memories.h"
#include "ir/graph/graph.h"

#define WEIR_BOARD_TOP "weir_board"
#define WEIR_BOARD_ACCELERATOR "u_accelerator" /* the compiled design in it */
#define WEIR_BOARD_MODEL_FILE                                                                                          \
    "weir_board_model.hex"               /* holds the model's id, where that is in a memory as parameters do */
#define WEIR_BOARD_CORE_CLOCK "core_clk" /* its net, behind a PLL */

/* Of a design that is read: numbers that the core's parameters of 32 bits hold, and frames whose bytes an int64_t
 * counts. */
enum { WEIR_BOARD_MOST_BITS = 1 << 20, WEIR_BOARD_MOST_STREAMS = 1 << 10 };

/* The streams at the edge of a compiled folder, as its host.json says. */
typedef struct weir_board_stream {
    char *prefix; /* of the ports: "s", "m_NAME" */
    int64_t width /* of a beat, in bits: up to WEIR_BOARD_MOST_BITS */, beats /* up to INT32_MAX */;
} weir_board_stream;

typedef struct weir_board_design {
    char *top; /* module */
    weir_board_stream *input, *output;
    size_t inputs, outputs;
} weir_board_design;

/* False after a reported error. Free it in any case. */
bool weir_board_design_read(const char *folder, weir_board_design *design);
void weir_board_design_free(weir_board_design *design);
/* Bytes of a frame on the wire, all inputs or all outputs. */
int64_t weir_board_frame_bytes(const weir_board_stream *streams, size_t count);

typedef struct weir_board_wrap {
    const weir_board *board;
    const weir_board_design *design;
    const weir_graph *hardware;          /* of the design */
    const weir_clock *clock;             /* how the core's clock is made */
    int64_t baud;                        /* of the UART */
    int64_t receive_bytes, send_bytes;   /* of the link's buffers */
    uint32_t build, model;               /* ids */
    bool benchmark;                      /* frames can be made on the chip */
    size_t taps;                         /* streams inside of the accelerator that can be looked at (taps.h), 0: none */
    int64_t tap_bytes;                   /* of their beats */
    const weir_board_memories *memories; /* that can be read back; NULL: none */
    bool loadable;                       /* and written */
} weir_board_wrap;

/* Writes FOLDER/weir_board.v and the library modules that it instantiates next to those of the compiled design. False
 * after a reported error. */
bool weir_board_wrap_write(const weir_board_wrap *wrap, const char *folder);
/* Hashes of what lies there: Verilog; the design's memory files. */
bool weir_board_wrap_ids(const char *folder, uint32_t *build, uint32_t *model);
/* Writes FOLDER/WEIR_BOARD_MODEL_FILE, of so many bytes. False after a reported error. */
bool weir_board_wrap_model(const char *folder, uint32_t model, int64_t bytes);

#endif
