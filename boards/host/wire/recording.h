/* A conversation with a board in a file, and the board's half of it played back. Text, a line a call: the time in
 * microseconds since the first line, what was done, the bytes in hexadecimal digits.
 *
 *     weir recording 1
 *     12 to 0001...        bytes that the transport took of those that were offered; perhaps none
 *     950 from 0301...     bytes that came; perhaps none
 *     960 baud 3000000
 *     1990 fail GONE TEXT  what a call returned instead of that
 *     2000 end
 *
 * The time that the host sees is that of the last line, while recording too, so that a host which is a function of what
 * it sees (one thread; what it has to send) repeats itself to the byte. The file is complete when its last line is
 * `end`. */
#ifndef WEIR_RECORDING_H
#define WEIR_RECORDING_H

#include "wire/transport.h"

/* Puts a recorder around `transport`, which is replaced. The file is written to `path` when it is closed (under the
 * name with .part until then). On failure the transport is as it was. A write that fails later is reported by the next
 * call and by `close`'s missing `end`. */
weir_wire_error weir_recording_write(weir_transport *transport, const char *path, weir_failure *why);

/* A transport that plays `path`, read whole. Each call must be the next one of the file: a baud or bytes that are
 * others are DIFFERS, with line and place. Beyond the end nothing comes: DIFFERS, too. NOT_FOUND, FORMAT (with the
 * line), SYSTEM. */
weir_wire_error weir_recording_play(weir_transport *transport, const char *path, weir_failure *why);

/* Whether all of a recording was played; `why` says what is left. */
weir_wire_error weir_recording_is_over(const weir_transport *transport, weir_failure *why);

#endif
