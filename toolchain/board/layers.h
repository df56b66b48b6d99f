/* Finds the wrong layer: sends a frame through a board with observable streams (taps.h), and compares each stream's
 * bytes with the reference. */
#ifndef WEIR_BOARD_LAYERS_H
#define WEIR_BOARD_LAYERS_H

#include "cosim/reference.h"
#include "wire/wire.h"

typedef struct weir_layers {
    size_t streams, sums; /* that were compared, up to the first that differs */
    bool diverged;
    /* The first stream that differs, in graph order: all its inputs are right. A stream that stops after right beats is
     * stalled by another; the first of these counts only if none differs. */
    char *name;    /* "layer 'fc2'", "input 'x'"; heap */
    size_t byte;   /* of its beats */
    int64_t beats; /* expected */
    uint32_t came;
    uint32_t expected, found; /* CRC-32 of that byte of the beats that came */
} weir_layers;

/* Sends the reference's first frame, which must have taps, with a limit of `limit` microseconds a stream. Free the
 * result in any case. */
weir_wire_error weir_layers_run(weir_wire *wire, const weir_transport *clock, const weir_graph *hardware,
                                const weir_reference *reference, uint64_t limit, weir_layers *layers,
                                weir_failure *why);
void weir_layers_free(weir_layers *layers);

#endif
