/* A board at the end of a UART: who it is, its registers, frames in and results out. This library needs libc alone;
 * nothing of Weir's toolchain is in it. README.md in the folder above has an example of 30 lines.
 *
 * Errors are values: every call returns WEIR_WIRE_OK or says why in `why` (which may be NULL), and ends within its
 * limit, microseconds of the transport's time, plus what the transport itself takes. After a failure of the link
 * (SILENT, GARBAGE, DAMAGED, RESET) frames in flight are lost; weir_wire_begin starts again.
 *
 * Threads: calls on a handle take turns, first come, first served; none keeps its turn while it waits for bytes. One
 * thread may submit while another receives and a third reads registers. Frames are numbered as they are submitted;
 * several threads that submit see results in that order. weir_wire_begin and weir_wire_probe end the streams: a submit
 * or receive that waits then returns RESET. weir_wire_close is called last, and alone. Bytes move only inside of
 * calls. */
#ifndef WEIR_WIRE_H
#define WEIR_WIRE_H

#include "wire/failure.h"
#include "wire/link.h"
#include "wire/register.h"
#include "wire/transport.h"

typedef struct weir_wire weir_wire;

/* Takes the transport over: it is closed with the handle, and when this fails. `baud` is what it is set to. Sends
 * nothing. */
weir_wire_error weir_wire_open(weir_wire **wire, const weir_transport *transport, unsigned baud, weir_failure *why);
void weir_wire_close(weir_wire *wire);

/* --- who is there --- */

typedef struct weir_wire_rate {
    unsigned baud;   /* at which the board answers; the transport is left there */
    double ratio;    /* of that to the requested one: 1, 4, 1/2, or one of 0.88 to 1.12 */
    uint32_t errors; /* the board's error flags of before, cleared: framing where another rate was tried */
} weir_wire_rate;

/* Tries `wanted` baud, 4 times and half of it (as bridges between and a wrong PLL make it), then up to 12 % beside it
 * (an oscillator), each for 1/3 s; ends the streams. SILENT: no byte at any of them; GARBAGE: bytes, but no packet;
 * STRANGER: a packet, but another magic or protocol. */
weir_wire_error weir_wire_probe(weir_wire *wire, unsigned wanted, weir_wire_rate *rate, weir_failure *why);

typedef struct weir_wire_identity {
    unsigned protocol;
    uint32_t features;                  /* WEIR_FEATURE_* */
    size_t receive_buffer, send_buffer; /* bytes */
    uint32_t build, model, clock_hz;
} weir_wire_identity;

/* STRANGER, when magic or protocol are others. */
weir_wire_error weir_wire_identify(weir_wire *wire, weir_wire_identity *identity, weir_failure *why);

/* The board's clock in Hz against the transport's time: `hz` is right within `error`, as far as the transport's time
 * is. */
typedef struct weir_wire_clock {
    double hz, error;
} weir_wire_clock;

/* Two groups of readings, `apart` microseconds from each other (at most 4 s: the counter has 32 bits); the error is
 * about a round trip in that. */
weir_wire_error weir_wire_measure_clock(weir_wire *wire, uint64_t apart, weir_wire_clock *clock, weir_failure *why);

/* Registers by address (WEIR_REGISTER_*, up to 127). Asked again until answered, about 5 s; may be called while frames
 * are in flight. */
weir_wire_error weir_wire_read(weir_wire *wire, unsigned address, uint32_t *value, weir_failure *why);
weir_wire_error weir_wire_write(weir_wire *wire, unsigned address, uint32_t value, weir_failure *why);

/* --- frames --- */

typedef struct weir_wire_frames {
    size_t bytes_in, bytes_out; /* of a frame, of its result: at least 1 each, as host.json says */
    size_t in_flight;           /* at most submitted and not received: so many of each are buffered here */
} weir_wire_frames;

/* Sets the mode (the LED's bits are cleared) and starts both streams from nothing. With `frames` NULL they are bytes,
 * for weir_wire_exchange. */
weir_wire_error weir_wire_begin(weir_wire *wire, weir_mode mode, const weir_wire_frames *frames, weir_failure *why);

/* Copies a frame of bytes_in bytes; waits for a place among those in flight, else FULL. Does not wait for the wire. */
weir_wire_error weir_wire_submit(weir_wire *wire, const uint8_t *frame, uint64_t limit, weir_failure *why);

/* The next result, bytes_out bytes, in the order of submission. TIMEOUT: not yet; the frame stays in flight. */
weir_wire_error weir_wire_receive(weir_wire *wire, uint8_t *result, uint64_t limit, weir_failure *why);

/* Frames submitted whose results were not received. */
size_t weir_wire_in_flight(weir_wire *wire);

/* When nothing is in flight: whether the board counted as many frames in and out as the host did since weir_wire_begin,
 * else DISAGREES. A board that was reset in the middle and whose positions happen to fit is found here. `errors`,
 * unless NULL, has its error flags. */
weir_wire_error weir_wire_check(weir_wire *wire, uint32_t *errors, weir_failure *why);

/* Streams of bytes, both ways at once: ends when the board has acknowledged all `out_size` bytes and `in_size` have
 * arrived, and it still is in the mode that was begun. For echo, sink and source; `in` may be NULL: received bytes are
 * dropped. Bytes received before a failure are in `in`, right or not. */
weir_wire_error weir_wire_exchange(weir_wire *wire, const uint8_t *out, size_t out_size, uint8_t *in, size_t in_size,
                                   uint64_t limit, weir_failure *why);

weir_link_counters weir_wire_count(weir_wire *wire);

#endif
