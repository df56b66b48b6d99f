/* Streams inside an accelerator that weir_board_taps observes: its inputs, then each component's outputs. */
#ifndef WEIR_BOARD_TAPS_H
#define WEIR_BOARD_TAPS_H

#include "board/wrap.h"

/* Its ports, which a compiled design has not: whether a beat moves, and all beats side by side, each from a byte of its
 * own on. */
#define WEIR_BOARD_TAP_MOVES "tap_moves"
#define WEIR_BOARD_TAP_DATA "tap_data"

typedef struct weir_board_taps {
    size_t count;  /* streams */
    int64_t bytes; /* of a beat of each, together */
} weir_board_taps;

/* Adds the ports to the top module of the design in `folder`/rtl, as it is in `sources`; what its streams are called is
 * in `folder`/WEIR_TAPS_FILE. False after a reported error. */
bool weir_board_taps_add(const char *folder, const weir_board_design *design, const char *sources,
                         weir_board_taps *taps);

#endif
