/* A network on a board as a function of the model's tensors: what the model computes before the hardware, codes over
 * the wire, what it computes behind it. Works on a folder that 'weir board build' wrote; README.md in the folder above
 * has an example.
 *
 * Errors are values, as in wire/wire.h. One thread may submit while another receives; more of a kind take turns. */
#ifndef WEIR_REMOTE_H
#define WEIR_REMOTE_H

#include "ir/graph/graph.h"
#include "wire/wire.h"

typedef struct weir_remote weir_remote;

/* Reads the folder: FORMAT when it is none. At most `in_flight` frames, at least 1, may be submitted and not
 * received. */
weir_wire_error weir_remote_new(weir_remote **remote, const char *folder, size_t in_flight, weir_failure *why);
/* Closes what is connected, too; NULL: nothing. */
void weir_remote_free(weir_remote *remote);

/* What its port must be opened at. */
unsigned weir_remote_baud(const weir_remote *remote);
/* The model's inputs are those of the first graph, its outputs those of the second: names and types. Owned by the
 * host. */
const weir_graph *weir_remote_head(const weir_remote *remote);
const weir_graph *weir_remote_tail(const weir_remote *remote);

/* Takes the transport over, which is closed with the host, and when this fails. STRANGER: the board has another
 * bitstream than the folder. */
weir_wire_error weir_remote_connect(weir_remote *remote, const weir_transport *transport, weir_failure *why);
/* Of the connected board: registers, clock, counters. NULL: none is connected. */
weir_wire *weir_remote_wire(const weir_remote *remote);

/* One frame: an array for each of the model's inputs, of its type. FULL: as many as may be are in flight after `limit`
 * microseconds. */
weir_wire_error weir_remote_submit(weir_remote *remote, const weir_array *const *inputs, uint64_t limit,
                                   weir_failure *why);
/* The next frame's outputs, in the order of submission: outputs[i] becomes a heap array of the type of output i.
 * TIMEOUT: not yet; the frame stays in flight. ARGUMENT: none is in flight. */
weir_wire_error weir_remote_receive(weir_remote *remote, weir_array **outputs, uint64_t limit, weir_failure *why);

#endif
