/* The host's end of the link of boards/common/README.md: packets, two streams with go-back-N, registers. A state
 * machine that never waits and never reads: its caller gives it what was read and calls it again when bytes came or
 * when weir_link_wake says. Repeats are bounded: a board that does not answer ends the streams (weir_link_failure). Not
 * thread-safe; wire.h puts a mutex and waiting around it. `why` is never NULL here.
 *
 * Time-outs follow the measured round trip. Each repeat that stays without an answer doubles the wait; any valid packet
 * counts as an answer, so a slow accelerator is asked less and less often (up to four times a second), but is waited
 * for as long as the caller likes. */
#ifndef WEIR_LINK_H
#define WEIR_LINK_H

#include "wire/transport.h"

typedef struct weir_link weir_link;

/* Since weir_link_new. */
typedef struct weir_link_counters {
    uint64_t bytes_out, bytes_in;     /* of the streams: acknowledged by the board, read from it */
    uint64_t packets_out, packets_in; /* sent, and received undamaged */
    uint64_t damaged;                 /* what came between two zeros and was no packet */
    uint64_t repeated;                /* bytes of the stream that were sent again */
    uint64_t gaps, busy, unanswered;  /* lost packets and missing room that the board reported; time-outs */
    uint64_t repeat_requests;         /* what was asked for again */
    uint64_t round_trip;              /* microseconds, smoothed; 0: not measured yet */
} weir_link_counters;

/* The earliest and the latest time at which the board can have read a register. */
typedef struct weir_link_moment {
    uint64_t earliest, latest;
} weir_link_moment;

/* NULL: out of memory, and the transport is not closed. `baud` is what the transport is set to. */
weir_link *weir_link_new(const weir_transport *transport, unsigned baud);
/* Closes the transport. */
void weir_link_free(weir_link *link);
weir_wire_error weir_link_set_baud(weir_link *link, unsigned baud, weir_failure *why);

/* Drops what both streams hold and asks the board for the same; resizes the buffers to `send` and `receive` bytes.
 * `question` is the register that the link reads where it needs to know whether the board is there. */
weir_wire_error weir_link_start(weir_link *link, size_t send, size_t receive, unsigned question, weir_failure *why);
bool weir_link_is_started(const weir_link *link);
/* Not answered, and not given up after 8 tries. */
bool weir_link_is_starting(const weir_link *link);
/* What ended the streams since START: SILENT or GARBAGE, too many repeats in a row without an answer; DAMAGED; RESET.
 * NULL: nothing. Registers can be asked nevertheless. */
const weir_failure *weir_link_failure(const weir_link *link);
/* Ends the streams for a reason that the caller knows. */
void weir_link_stop(weir_link *link, const weir_failure *why);
/* Gives up a START or a question that was not answered. */
void weir_link_cancel(weir_link *link);

/* Reads a register, or writes it; one at a time. Works before START and while streams run. */
void weir_link_ask(weir_link *link, unsigned address, bool write, uint32_t value);
/* Bytes that came since the last packet, or since the last START or question. */
uint64_t weir_link_heard(const weir_link *link);
bool weir_link_is_asking(const weir_link *link);
bool weir_link_answer(const weir_link *link, uint32_t *value, weir_link_moment *moment);

/* Bytes for the board: how many of them there was room for. These and the next ones do not call the transport. */
size_t weir_link_put(weir_link *link, const uint8_t *data, size_t size);
size_t weir_link_room(const weir_link *link);
/* Bytes from the board: how many there were; `data` may be NULL to drop them. */
size_t weir_link_get(weir_link *link, uint8_t *data, size_t size);
size_t weir_link_available(const weir_link *link);
/* So many bytes since START are due from the board eventually: while they are not here, silence is asked about. */
void weir_link_expect(weir_link *link, uint64_t bytes);
/* What the register `question` was when the link asked because nothing came: true once for each answer. */
bool weir_link_reply(weir_link *link, uint32_t *value);
/* Whether the board has acknowledged all that was put. */
bool weir_link_is_acknowledged(const weir_link *link);

/* Writes what is due; fails only with what the transport says. */
weir_wire_error weir_link_send(weir_link *link, weir_failure *why);
/* When to call weir_link_send again at the latest, if no bytes come before. */
uint64_t weir_link_wake(const weir_link *link);
/* Bytes that the transport read. */
void weir_link_accept(weir_link *link, const uint8_t *data, size_t size);

weir_link_counters weir_link_count(const weir_link *link);

#endif
