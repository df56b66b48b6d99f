/* Two UARTs in simulated time with what lies between host and board: rates, a delay each way, buffers that a driver and
 * a USB chip have, and damage. The host's end is a transport; the other end a fake board. The same settings give the
 * same bytes at the same times. */
#ifndef WEIR_FAKE_WIRE_H
#define WEIR_FAKE_WIRE_H

#include "fake_board.h"
#include "wire/transport.h"

typedef enum fake_damage {
    DAMAGE_LOST,
    DAMAGE_DOUBLED,
    DAMAGE_CUT,
    DAMAGE_CHANGED,
    DAMAGE_INSERTED,
    DAMAGE_TWICE,
    DAMAGES
} fake_damage;

typedef struct fake_wire_settings {
    fake_board_settings board;
    double baud;                 /* the board's; what the host sets may be off by 4 % */
    uint64_t delay;              /* nanoseconds each way */
    uint64_t later, later_delay; /* the delay from a time on; 0: the same */
    double rate;                 /* damage a byte, each way */
    uint64_t seed;
    uint64_t reset_at; /* the board is reset at this time; 0: never */
    uint64_t deaf_at;  /* the board hears nothing from this time on; 0: never */
    uint64_t gone_at;  /* the port disappears at this time; 0: never */
} fake_wire_settings;

typedef struct fake_wire fake_wire;

fake_wire *fake_wire_new(const fake_wire_settings *settings, weir_transport *transport);
/* After the transport was closed. */
void fake_wire_free(fake_wire *wire);
fake_board *fake_wire_board(fake_wire *wire);
uint64_t fake_wire_bytes(const fake_wire *wire);
uint64_t fake_wire_damage(const fake_wire *wire, fake_damage damage);

#endif
