#include "wire/packet.h"

#include <assert.h>
#include <string.h>

enum { HEADER = 5, CRC = 4, LONGEST_RUN = 255 };

uint32_t weir_packet_crc(uint32_t crc, const uint8_t *data, size_t size) {
    /* The remainders of four bits, for the reflected polynomial 0xedb88320. */
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

/* COBS: a code byte is the distance to the next one, which stands for a zero unless the distance is 255. */
static size_t stuff(const uint8_t *bytes, size_t size, uint8_t *wire) {
    size_t code = 0, at = 1;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            wire[at++] = bytes[i];
            if (at - code < LONGEST_RUN || i + 1 == size) continue;
        }
        wire[code] = (uint8_t)(at - code);
        code = at++;
    }
    wire[code] = (uint8_t)(at - code);
    wire[at++] = 0;
    return at;
}

size_t weir_packet_encode(const weir_packet *packet, uint8_t wire[WEIR_PACKET_WIRE]) {
    assert(packet->length <= WEIR_PACKET_PAYLOAD && packet->flags < 8);
    uint8_t bytes[WEIR_PACKET_BYTES];
    const unsigned length = (unsigned)packet->length, position = packet->position % WEIR_PACKET_MODULO,
                   acknowledged = packet->acknowledged % WEIR_PACKET_MODULO;
    bytes[0] = (uint8_t)((unsigned)packet->type | packet->flags << 4 | (length >> 8) << 7);
    bytes[1] = (uint8_t)length;
    bytes[2] = (uint8_t)position;
    bytes[3] = (uint8_t)(position >> 8 | (acknowledged & 15) << 4);
    bytes[4] = (uint8_t)(acknowledged >> 4);
    memcpy(bytes + HEADER, packet->payload, length);
    const uint32_t crc = weir_packet_crc(0, bytes, HEADER + length);
    for (size_t i = 0; i < CRC; i++) bytes[HEADER + length + i] = (uint8_t)(crc >> 8 * i);
    return stuff(bytes, HEADER + length + CRC, wire);
}

/* Pointers that look back, read from the end: writes the bytes at the end of `bytes` and returns where they begin, or
 * WEIR_PACKET_BYTES + 1 when they are none. */
static size_t unstuff(const uint8_t *wire, size_t size, uint8_t bytes[WEIR_PACKET_BYTES]) {
    size_t begin = WEIR_PACKET_BYTES, pointer = size - 1;
    for (;;) {
        const size_t distance = wire[pointer];
        if (distance == 0 || distance > pointer + 1 || distance - 1 > begin) return WEIR_PACKET_BYTES + 1;
        begin -= distance - 1;
        memcpy(bytes + begin, wire + pointer + 1 - distance, distance - 1);
        if (distance == pointer + 1) return begin;
        pointer -= distance;
        if (wire[pointer] == LONGEST_RUN) continue;
        if (begin == 0) return WEIR_PACKET_BYTES + 1;
        bytes[--begin] = 0;
    }
}

bool weir_packet_decode(const uint8_t *wire, size_t size, weir_packet *packet) {
    uint8_t buffer[WEIR_PACKET_BYTES];
    if (size < 2 || size >= WEIR_PACKET_WIRE) return false;
    const size_t begin = unstuff(wire, size, buffer);
    if (begin > WEIR_PACKET_BYTES - HEADER - CRC) return false;
    const uint8_t *bytes = buffer + begin;
    const size_t length = (size_t)(bytes[0] >> 7) << 8 | bytes[1], covered = HEADER + length;
    if (length > WEIR_PACKET_PAYLOAD || covered + CRC != WEIR_PACKET_BYTES - begin) return false;
    uint32_t crc = 0;
    for (size_t i = 0; i < CRC; i++) crc |= (uint32_t)bytes[covered + i] << 8 * i;
    if (crc != weir_packet_crc(0, bytes, covered)) return false;
    const unsigned type = bytes[0] & 15;
    if (type < WEIR_PACKET_DATA || type > WEIR_PACKET_START) return false;
    packet->type = (weir_packet_type)type;
    packet->flags = bytes[0] >> 4 & 7;
    packet->position = bytes[2] | (bytes[3] & 15u) << 8;
    packet->acknowledged = bytes[3] >> 4 | (unsigned)bytes[4] << 4;
    packet->length = length;
    memcpy(packet->payload, bytes + HEADER, length);
    return true;
}
