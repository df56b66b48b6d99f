/* What carries bytes to a board and back, behind five functions: a serial port, a simulated board, a recording, a test.
 * Time is the transport's own, in microseconds from any moment on; it never goes back. A simulated board's is the
 * board's, so that limits mean there what they mean at a desk. One thread at a time calls into a transport. */
#ifndef WEIR_TRANSPORT_H
#define WEIR_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/failure.h"

typedef struct weir_transport {
    void *user;
    /* Up to `size` bytes that came; if none are there, waits for the first until the time `until` (0: does not wait).
     * Their number; 0 when none came in time; -1 and `why` on failure. */
    int (*read)(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why);
    /* Takes as many of the bytes as there is room for at once, without waiting: their number, 0 too; -1 and `why` on
     * failure. */
    int (*write)(void *user, const uint8_t *data, size_t size, weir_failure *why);
    uint64_t (*now)(void *user);
    /* Bits per second, any number that the port can make; drops bytes that came at the old rate and were not read. */
    weir_wire_error (*set_baud)(void *user, unsigned baud, weir_failure *why);
    void (*close)(void *user);
} weir_transport;

#endif
