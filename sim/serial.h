/* A simulator whose bench has a weir_sim_serial, as a process beside this one: the board's clock and the other end of
 * its UART, on a pseudo-terminal that any program can open. Its time is the board's; see sim/README.md. Times are in
 * picoseconds since the start, resets included. One thread at a time. */
#ifndef WEIR_SIM_SERIAL_H
#define WEIR_SIM_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/driver.h"

/* What happens to bytes between the wire and the host: probabilities of each byte, and the seed of the dice. */
typedef struct weir_sim_damage {
    double lost, changed, doubled;
    uint32_t seed;
    bool is_silent; /* nothing passes */
} weir_sim_damage;

/* Zeros are a board without faults. */
typedef struct weir_sim_serial_options {
    const char *folder; /* working directory: relative $readmemh names start here */
    double clock_hz;    /* of the oscillator */
    double baud_ratio;  /* of the rate on the wire to the one that the host set, 0: 1 */
    uint64_t delay;     /* each way, between the host and the wire */
    /* time passes by itself while bytes are in flight, for hosts that know nothing of it; else in weir_sim_serial_wait
     * only */
    bool is_free;
    bool is_low; /* the wire to the board is stuck at 0 */
    weir_sim_damage to_board, to_host;
    uint64_t unplug_at; /* bytes on the wire to the board, after which the tty goes; 0: it stays */
    uint64_t away;      /* how long, until there is one of another name */
    uint64_t reset_at;  /* bytes on the wire to the board, after which the board starts again; 0: it does not */
    double seconds;     /* limit of the start, 0: none */
} weir_sim_serial_options;

typedef struct weir_sim_serial weir_sim_serial;

/* NULL after a reported error; *status is then what a command exits with. A memory file that the design does not find
 * is one. The artifact and its folder outlive the simulator, which ends with this process at the latest. */
weir_sim_serial *weir_sim_serial_start(const weir_sim_artifact *artifact, const weir_sim_serial_options *options,
                                       int *status);
void weir_sim_serial_stop(weir_sim_serial *serial);

/* The path of the tty; NULL while it is unplugged. */
const char *weir_sim_serial_tty(const weir_sim_serial *serial);
/* How many ttys there were: whoever opened an earlier one has lost it. */
unsigned weir_sim_serial_ttys(const weir_sim_serial *serial);
uint64_t weir_sim_serial_now(const weir_sim_serial *serial);
/* Lets time pass: until then, or until the host has something to read, or the tty is gone. What was told to
 * weir_sim_serial_wrote is on its way first. False when the simulator has ended; *why, which lives as long as `serial`,
 * has the reason. */
bool weir_sim_serial_wait(weir_sim_serial *serial, uint64_t until, const char **why);
/* The host has written so many bytes to the tty. */
void weir_sim_serial_wrote(weir_sim_serial *serial, uint64_t bytes);
/* Of these, how many the board's chip has not taken. */
uint64_t weir_sim_serial_waiting(const weir_sim_serial *serial);
/* Bytes that the tty has for the host, since it is there. They may take a moment to come. */
uint64_t weir_sim_serial_delivered(const weir_sim_serial *serial);
/* As if the board was configured again; when time passes next. */
void weir_sim_serial_reset(weir_sim_serial *serial);

/* Bytes on the wire. */
typedef struct weir_sim_serial_counts {
    uint64_t to_board, from_board;
    uint32_t framing; /* from the board, without a stop bit */
    uint32_t unknown; /* from the board, with unknown bits */
    uint32_t overrun; /* not read by the host in time */
    uint32_t resets;
    long process; /* the simulator */
} weir_sim_serial_counts;
weir_sim_serial_counts weir_sim_serial_count(const weir_sim_serial *serial);

#endif
