/* A board as boards/common/README.md describes it, written from that page alone: a state machine of bytes in and
 * packets out, with nothing of boards/host/wire in it. Time is given, in nanoseconds. */
#ifndef WEIR_FAKE_BOARD_H
#define WEIR_FAKE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_PACKET = 265, FAKE_WIRE = 268 };

/* What is wrong with a board on purpose. */
typedef enum fake_fault {
    FAKE_SOUND,
    FAKE_OTHER_MAGIC,
    FAKE_OTHER_PROTOCOL,
    FAKE_WRONG_BIT,    /* in one result */
    FAKE_LOSES_BYTE,   /* between link and accelerator */
    FAKE_FORGETS_ROOM, /* never says that there is room again */
    FAKE_DEAF,         /* hears nothing */
    FAKE_BABBLES,      /* answers with bytes that are no packets */
    FAKE_EXTRA_RESULT, /* a frame too many comes back */
} fake_fault;

typedef struct fake_board_settings {
    size_t receive_log2, send_log2; /* buffers */
    size_t bytes_in, bytes_out;     /* of frames */
    uint64_t frame_time;            /* of the accelerator */
    double clock_hz, real_clock_hz; /* what it says, and what it is */
    fake_fault fault;
    uint8_t *memory; /* a parameter memory's words * bytes, word 0 first, lowest byte first; NULL: no read-back */
    unsigned memory_number, memory_bits; /* of all memories it is the only one that there is; of a word */
    size_t memory_words;
    bool loadable;
} fake_board_settings;

typedef struct fake_board fake_board;

fake_board *fake_board_new(const fake_board_settings *settings);
void fake_board_free(fake_board *board);
/* As at power on. */
void fake_board_reset(fake_board *board);

void fake_board_byte(fake_board *board, uint8_t byte, uint64_t time);
/* The next byte has no stop bit: its packet is dropped. */
void fake_board_framing_error(fake_board *board);
/* The accelerator and its neighbours, up to now. */
void fake_board_work(fake_board *board, uint64_t time);
/* When to call fake_board_work though no byte came; UINT64_MAX: never. */
uint64_t fake_board_next(const fake_board *board);
/* The sender is free: the bytes of the next packet, or 0. */
size_t fake_board_send(fake_board *board, uint64_t time, uint8_t wire[FAKE_WIRE]);
bool fake_board_has_to_send(const fake_board *board);

/* What the accelerator makes of a frame. */
void fake_result(const uint8_t *frame, size_t bytes_in, uint8_t *result, size_t bytes_out);

/* The README's two framings and its packets; also for comparing with the library's. What is taken from the host: false
 * where it is no packet. */
typedef struct fake_packet {
    unsigned type, flags, position, acknowledged;
    size_t length;
    uint8_t payload[256];
} fake_packet;
size_t fake_bytes_to_host(const uint8_t *bytes, size_t size, uint8_t *wire); /* the framing alone */
size_t fake_packet_to_host(const fake_packet *packet, uint8_t wire[FAKE_WIRE]);
bool fake_packet_from_host(const uint8_t *wire, size_t size, fake_packet *packet);

#endif
