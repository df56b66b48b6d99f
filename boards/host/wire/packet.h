/* Packets as boards/common/README.md defines them: header, payload, CRC-32, and what replaces zeros on the wire. Plain
 * functions without state. */
#ifndef WEIR_PACKET_H
#define WEIR_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WEIR_PACKET_PAYLOAD = 256,       /* bytes at most */
    WEIR_PACKET_BYTES = 5 + 256 + 4, /* header, payload, CRC */
    WEIR_PACKET_WIRE = 265 + 2 + 1,  /* with what replaces zeros, and the zero at the end */
    WEIR_PACKET_MODULO = 4096,       /* of positions */
    WEIR_PACKET_WINDOW = 2048,       /* bytes sent and not acknowledged, at most */
};

typedef enum weir_packet_type {
    WEIR_PACKET_DATA = 1,
    WEIR_PACKET_REGISTER = 2,
    WEIR_PACKET_STATUS = 3,
    WEIR_PACKET_START = 4,
} weir_packet_type;

/* Flags of STATUS: bits 4, 5, 6 of the first byte. */
enum {
    WEIR_PACKET_REPEAT = 1, /* to the board: send everything from `acknowledged` on again */
    WEIR_PACKET_GAP = 1,    /* to the host: a packet was lost, or one came twice */
    WEIR_PACKET_BUSY = 2,   /* to the host: there was no room for a DATA packet */
    WEIR_PACKET_ROOM = 4,   /* to the host: there is again */
};

typedef struct weir_packet {
    weir_packet_type type;
    unsigned flags;        /* 0 to 7 */
    unsigned position;     /* 0 to 4,095 */
    unsigned acknowledged; /* 0 to 4,095 */
    size_t length;         /* bytes of payload, 0 to 256 */
    uint8_t payload[WEIR_PACKET_PAYLOAD];
} weir_packet;

/* CRC-32 (IEEE 802.3) of `size` more bytes; begins with 0, as zlib's crc32. */
uint32_t weir_packet_crc(uint32_t crc, const uint8_t *data, size_t size);

/* The bytes to the board, the zero at the end included, and their number. */
size_t weir_packet_encode(const weir_packet *packet, uint8_t wire[WEIR_PACKET_WIRE]);

/* Bytes from the board, between two zeros: false if they are not a packet, of whatever size they are. */
bool weir_packet_decode(const uint8_t *wire, size_t size, weir_packet *packet);

#endif
