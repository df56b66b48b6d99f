/* A serial port of Linux, or a pseudo-terminal, as a transport: raw bytes, 8N1, no flow control, any baud that the
 * driver makes; no other program can open it before it is closed. Which port a board has is found elsewhere. */
#ifndef WEIR_PORT_H
#define WEIR_PORT_H

#include "wire/transport.h"

typedef struct weir_port_facts {
    unsigned baud;       /* what the driver says that it set */
    bool is_low_latency; /* the driver took ASYNC_LOW_LATENCY */
    /* Milliseconds that an FTDI chip holds a single frame, 1 to 255; -1: the port has no such timer. More than 1: say
     * so to the user; weir_port_advice has the words. */
    int latency_timer;
} weir_port_facts;

/* Opens `path` at `baud`. NOT_FOUND, NOT_ALLOWED, IN_USE, NOT_A_PORT, BAUD, or SYSTEM with the system's words. `facts`
 * may be NULL. `sys` is where sysfs is mounted (NULL: /sys); the timer is at
 * sys/class/tty/NAME/device/latency_timer. */
weir_wire_error weir_port_open(weir_transport *transport, const char *path, unsigned baud, const char *sys,
                               weir_port_facts *facts, weir_failure *why);

/* What to do about the latency timer, a line into `text`; false: nothing. */
bool weir_port_advice(const weir_port_facts *facts, const char *path, char *text, size_t size);

#endif
