/* Sends frames through a board: the reference's codes as bytes on the wire; decodes and compares every result. */
#ifndef WEIR_BOARD_EXCHANGE_H
#define WEIR_BOARD_EXCHANGE_H

#include "cosim/reference.h"
#include "wire/wire.h"

typedef struct weir_board_exchange {
    int64_t frames;                /* that came back */
    int64_t bytes_in, bytes_out;   /* of a frame, of its results */
    uint64_t compared, mismatches; /* values */
    int64_t wrong_frames;
    /* The first value that differs. */
    bool diverged;
    size_t output; /* of the hardware */
    int64_t frame, element, expected, found;
    int64_t **code; /* of each hardware output, as in the reference: frames * elements; 0 where none came */
    size_t outputs;
    double seconds; /* of the transport's time, first byte out to last byte in */
} weir_board_exchange;

/* Sends the first `frames` frames of the reference, at most `in_flight` at a time, with a limit of `limit` microseconds
 * each; the result has what was received, also after a failure. Free it in any case. */
weir_wire_error weir_board_exchange_run(weir_wire *wire, const weir_transport *clock, const weir_graph *hardware,
                                        const weir_reference *reference, int64_t frames, size_t in_flight,
                                        uint64_t limit, weir_board_exchange *exchange, weir_failure *why);
void weir_board_exchange_free(weir_board_exchange *exchange);

#endif
