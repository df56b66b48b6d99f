/* Packets: the CRC is zlib's, the two framings are those of another author, and nothing that is damaged is taken for a
 * packet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fake_board.h"
#include "support/memory/random.h"
#include "wire/packet.h"

static uint64_t seed = 20;

static unsigned below(unsigned limit) { return (unsigned)((weir_random_next(&seed) >> 20) % limit); }

static void crc_is_zlibs(void **state) {
    (void)state;
    assert_int_equal(weir_packet_crc(0, (const uint8_t *)"123456789", 9), 0xcbf43926u);
    uint8_t bytes[1000];
    for (int round = 0; round < 1000; round++) {
        const size_t size = below(sizeof bytes), half = below((unsigned)size + 1);
        for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)below(256);
        assert_int_equal(weir_packet_crc(0, bytes, size), crc32(0, bytes, (uInt)size));
        assert_int_equal(weir_packet_crc(weir_packet_crc(0, bytes, half), bytes + half, size - half),
                         crc32(0, bytes, (uInt)size));
    }
}

/* Runs without zeros of every length around 254, all zeros, and random bytes with few and many zeros. */
static size_t make_payload(int round, uint8_t *payload) {
    const unsigned zeros = below(4);
    const size_t length = round <= 256 ? (size_t)round : below(257);
    for (size_t i = 0; i < length; i++)
        payload[i] = zeros == 0 ? (uint8_t)(1 + below(255))
                     : below(zeros == 1   ? 256
                             : zeros == 2 ? 8
                                          : 1) == 0
                         ? 0
                         : (uint8_t)below(256);
    return length;
}

static void make_packets(int round, weir_packet *packet, fake_packet *fake) {
    *packet = (weir_packet){.type = (weir_packet_type)(1 + below(4)),
                            .flags = below(8),
                            .position = below(4096),
                            .acknowledged = below(4096)};
    packet->length = make_payload(round, packet->payload);
    *fake = (fake_packet){packet->type, packet->flags, packet->position, packet->acknowledged, packet->length, {0}};
    memcpy(fake->payload, packet->payload, packet->length);
}

static void check_equal(const weir_packet *packet, const fake_packet *fake) {
    assert_int_equal(packet->type, fake->type);
    assert_int_equal(packet->flags, fake->flags);
    assert_int_equal(packet->position, fake->position);
    assert_int_equal(packet->acknowledged, fake->acknowledged);
    assert_int_equal(packet->length, fake->length);
    assert_memory_equal(packet->payload, fake->payload, packet->length);
}

static void both_framings_are_the_readmes(void **state) {
    (void)state;
    size_t longest = 0;
    for (int round = 0; round < 20000; round++) {
        weir_packet packet, read;
        fake_packet fake, fake_read;
        uint8_t wire[WEIR_PACKET_WIRE];
        make_packets(round, &packet, &fake);
        size_t size = weir_packet_encode(&packet, wire);
        assert_true(size <= WEIR_PACKET_WIRE && wire[size - 1] == 0 && memchr(wire, 0, size - 1) == NULL);
        assert_true(fake_packet_from_host(wire, size - 1, &fake_read));
        check_equal(&packet, &fake_read);
        longest = size > longest ? size : longest;
        size = fake_packet_to_host(&fake, wire);
        assert_true(size <= WEIR_PACKET_WIRE && wire[size - 1] == 0 && memchr(wire, 0, size - 1) == NULL);
        assert_true(weir_packet_decode(wire, size - 1, &read));
        check_equal(&read, &fake);
    }
    assert_int_equal(longest, WEIR_PACKET_WIRE);
}

/* The bytes of two packets, written down by hand: STATUS with `repeat`, acknowledged 0x123; DATA "\0a" at 0x456. */
static void bytes_by_hand(void **state) {
    (void)state;
    static const uint8_t status[] = {0x13, 0, 0, 0x30, 0x12};
    weir_packet packet = {.type = WEIR_PACKET_STATUS, .flags = WEIR_PACKET_REPEAT, .acknowledged = 0x123};
    uint8_t wire[WEIR_PACKET_WIRE];
    const uint32_t crc = (uint32_t)crc32(0, status, 5);
    uint8_t expected[] = {
        2, 0x13, 1, 7, 0x30, 0x12, (uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16), (uint8_t)(crc >> 24), 0};
    assert_true(memchr(expected, 0, 10) == NULL);
    assert_int_equal(weir_packet_encode(&packet, wire), sizeof expected);
    assert_memory_equal(wire, expected, sizeof expected);
    static const uint8_t data[] = {0x01, 2, 0x56, 0x04, 0, 0, 'a'};
    const uint32_t data_crc = (uint32_t)crc32(0, data, 7);
    uint8_t back[] = {0x01,
                      2,
                      0x56,
                      0x04,
                      5,
                      1,
                      'a',
                      (uint8_t)data_crc,
                      (uint8_t)(data_crc >> 8),
                      (uint8_t)(data_crc >> 16),
                      (uint8_t)(data_crc >> 24),
                      6};
    assert_true(weir_packet_decode(back, sizeof back, &packet));
    assert_int_equal(packet.type, WEIR_PACKET_DATA);
    assert_int_equal(packet.position, 0x456);
    assert_int_equal(packet.length, 2);
    assert_memory_equal(packet.payload, "\0a", 2);
}

/* A CRC that is right does not make a packet of what the page refuses: another length than the header says, an unknown
 * type, more than 265 bytes. */
static void what_the_page_refuses(void **state) {
    (void)state;
    weir_packet read;
    for (unsigned type = 0; type < 16; type++) {
        const fake_packet packet = {.type = type, .length = 3};
        uint8_t wire[FAKE_WIRE];
        assert_int_equal(weir_packet_decode(wire, fake_packet_to_host(&packet, wire) - 1, &read),
                         type >= 1 && type <= 4);
    }
    for (unsigned said = 0; said < 512; said++) {
        for (unsigned size = said < 20 ? 0 : said - 20; size < said + 20; size++) {
            uint8_t bytes[600] = {(uint8_t)(1 | (said & 256) >> 1), (uint8_t)said}, wire[620];
            const uint32_t crc = (uint32_t)crc32(0, bytes, 5 + said);
            for (unsigned i = 0; i < 4; i++) bytes[5 + said + i] = (uint8_t)(crc >> 8 * i);
            const size_t count = fake_bytes_to_host(bytes, 9 + size, wire);
            assert_int_equal(weir_packet_decode(wire, count - 1, &read), said == size && said <= 256);
        }
    }
}

static size_t change(uint8_t *wire, size_t size) {
    const size_t at = below((unsigned)size);
    switch (below(4)) {
    case 0: wire[at] ^= (uint8_t)(1 << below(8)); return size;
    case 1: wire[at] = (uint8_t)below(256); return size;
    case 2: memmove(wire + at, wire + at + 1, size - at - 1); return size - 1;
    default:
        memmove(wire + at + 1, wire + at, size - at);
        wire[at] = (uint8_t)below(256);
        return size + 1;
    }
}

static void what_is_damaged_is_no_packet(void **state) {
    (void)state;
    unsigned same = 0;
    for (int round = 0; round < 300000; round++) {
        weir_packet packet, read;
        fake_packet fake;
        uint8_t wire[WEIR_PACKET_WIRE + 8];
        make_packets(257, &packet, &fake);
        size_t size = fake_packet_to_host(&fake, wire) - 1;
        for (unsigned more = 0; more < 1 + below(4); more++) size = change(wire, size);
        if (!weir_packet_decode(wire, size, &read)) continue;
        check_equal(&read, &fake); /* a change that undid another */
        same++;
    }
    assert_true(same < 10000);
}

static void no_bytes_are_read_beyond(void **state) {
    (void)state;
    weir_packet packet;
    for (int round = 0; round < 100000; round++) {
        const size_t size = below(300);
        uint8_t *wire = malloc(size + 1);
        for (size_t i = 0; i < size; i++) wire[i] = round % 2 == 0 ? (uint8_t)below(256) : (uint8_t)(1 + below(6));
        assert_false(weir_packet_decode(wire, size, &packet));
        free(wire);
    }
}

int main(void) {
    const char *given = getenv("WEIR_SEED");
    if (given != NULL) seed = strtoull(given, NULL, 10);
    printf("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_is_zlibs),
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(both_framings_are_the_readmes),
        cmocka_unit_test(what_the_page_refuses),
        cmocka_unit_test(what_is_damaged_is_no_packet),
        cmocka_unit_test(no_bytes_are_read_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
