/* What a simulated board and the process that started it share: a file that both map. The board's process writes what
 * it has done and where its time is, the other one how far it may go. Of weir_serial.c and sim/serial.c only; the two
 * are compiled by different compilers. */
#ifndef WEIR_SERIAL_PRIVATE_H
#define WEIR_SERIAL_PRIVATE_H

#include <semaphore.h>
#include <stdint.h>

/* Of each byte, on its path between the wire and the host, in this order: lost, one of its bits changed, twice. */
typedef struct weir_serial_damage {
    double lost, changed, doubled; /* probabilities */
    uint32_t seed;
    uint32_t silent; /* no byte passes */
} weir_serial_damage;

/* Bytes on their way, and the time at which each is through; counted on modulo 2^32. */
enum { WEIR_SERIAL_RING = 1 << 14 };
typedef struct weir_serial_ring {
    uint32_t first, end;
    uint64_t due[WEIR_SERIAL_RING];
    unsigned char byte[WEIR_SERIAL_RING];
} weir_serial_ring;

/* What a reset of the board leaves as it is. */
typedef struct weir_serial_chip {
    int32_t tty, slave; /* files; the slave is held so that its settings stay */
    char next_tty[64];  /* while it is unplugged */
    uint64_t back;      /* when it is there again */
    weir_serial_ring to_board, to_host;
    uint32_t released; /* of to_host: the end of what is on its way to the host */
    uint64_t last;     /* when the last byte came from the board */
    uint32_t random_to_board, random_to_host;
    uint32_t is_fresh; /* the host has something to read, or its tty is gone */
} weir_serial_chip;

typedef struct weir_serial_map {
    /* --- set by the process that starts the board, before it starts --- */
    uint64_t size;     /* of this structure: both were compiled from the same one */
    int64_t parent;    /* whose end is the board's, too */
    double clock_hz;   /* of the oscillator */
    double baud_ratio; /* of what is on the wire to what the host set */
    uint64_t delay;    /* ps from the host to the wire, and from the wire to the host */
    uint32_t is_free;  /* time passes by itself, not by `until` */
    uint32_t is_low;   /* the wire to the board is stuck at 0 */
    weir_serial_damage to_board, to_host;
    uint64_t unplug_at; /* bytes on the wire to the board, after which the tty goes; 0: it stays */
    uint64_t away;      /* ps until there is another one */
    uint64_t reset_at;  /* bytes on the wire to the board, after which the board starts again; 0: it does not */

    /* --- the host's --- */
    _Atomic uint64_t until;   /* ps up to which time may pass */
    _Atomic uint64_t written; /* bytes that the host gave to this tty */
    _Atomic uint32_t is_to_reset;
    sem_t go; /* posted when `until` is set */

    /* --- the board's --- */
    sem_t stopped;        /* posted when it is ready, then when `until` is reached or the host has something to read */
    _Atomic uint64_t now; /* ps */
    _Atomic uint64_t taken;     /* bytes read from this tty */
    _Atomic uint64_t delivered; /* bytes written to it */
    _Atomic uint32_t ttys;      /* how many there were: the tty has changed when this has */
    char tty[64];               /* path; "": unplugged */
    _Atomic uint64_t sent;      /* bytes on the wire to the board */
    _Atomic uint64_t received;  /* bytes on the wire from it */
    _Atomic uint32_t framing;   /* of these, without a stop bit */
    _Atomic uint32_t unknown;   /* of these, with unknown bits, which read as 0 */
    _Atomic uint32_t overrun;   /* bytes that the host did not read in time */
    _Atomic uint32_t resets;
    char failure[256];     /* "": none */
    weir_serial_chip chip; /* the board's alone */
} weir_serial_map;

#endif
