/* The host's end of the link under fuzzing. The first byte chooses what the rest is:
 *   0  bytes between two zeros: a packet is refused, or the framing's definition (tests/board/fake_board.c) makes the
 *      same bytes of it;
 *   1  what a board, its user and time do to a link: nothing fails but by an error, and all that is sent are packets;
 *   2  a recording: refused with its line, or every call of it plays.
 * Built with WEIR_FUZZ_DRIVER the file is a deterministic stand-in for libFuzzer: run_wire_mutations SEED ROUNDS;
 * `planted` for ROUNDS: a packet that another framing makes, which must be noticed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_board.h"
#include "fuzz_onnx.h"
#include "support/file/file.h"
#include "support/memory/random.h"
#include "wire/link.h"
#include "wire/packet.h"
#include "wire/recording.h"

static void need(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "fuzz_wire: %s\n", what);
    abort();
}

/* --- packets --- */

static bool is_same(const weir_packet *packet, const uint8_t *wire, size_t size) {
    fake_packet fake = {(unsigned)packet->type, packet->flags,  packet->position,
                        packet->acknowledged,   packet->length, {0}};
    memcpy(fake.payload, packet->payload, packet->length);
    uint8_t again[FAKE_WIRE];
    return fake_packet_to_host(&fake, again) == size + 1 && memcmp(again, wire, size) == 0;
}

static int decode(const uint8_t *wire, size_t size) {
    weir_packet packet;
    if (!weir_packet_decode(wire, size, &packet)) return 0;
    need(memchr(wire, 0, size) != NULL || is_same(&packet, wire, size), "a packet is not what its bytes are");
    return 1;
}

/* --- a link --- */

typedef struct board_world {
    uint64_t time;
    uint8_t from_host[FAKE_WIRE];
    size_t size, packets;
    uint64_t put;
    unsigned start; /* the number that the answer needs */
    const uint8_t *at, *end;
} board_world;

static unsigned next_byte(board_world *world) { return world->at < world->end ? *world->at++ : 0; }

static int world_read(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    (void)user, (void)data, (void)size, (void)until, (void)why;
    return 0;
}

static int world_write(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    (void)why;
    board_world *world = user;
    if (world->time % 7 == 0) size /= 2;
    for (size_t i = 0; i < size; i++) {
        if (data[i] != 0) {
            need(world->size < sizeof world->from_host, "a packet is too long");
            world->from_host[world->size++] = data[i];
            continue;
        }
        fake_packet packet;
        need(world->size == 0 || fake_packet_from_host(world->from_host, world->size, &packet),
             "what is sent is no packet");
        if (world->size > 0 && packet.type == 4) world->start = packet.position;
        world->packets += world->size > 0;
        world->size = 0;
    }
    return (int)size;
}

static uint64_t world_now(void *user) { return ((board_world *)user)->time; }
static weir_wire_error world_set_baud(void *user, unsigned baud, weir_failure *why) {
    (void)user, (void)baud, (void)why;
    return WEIR_WIRE_OK;
}
static void world_close(void *user) { (void)user; }

/* Positions near those that a sound board would say, and any others. */
static void send_packet(board_world *world, weir_link *link, const weir_link_counters *counters) {
    fake_packet packet = {.type = 1 + next_byte(world) % 4, .flags = next_byte(world) % 8};
    const unsigned kind = next_byte(world), step = next_byte(world);
    packet.position =
        packet.type == 4 ? world->start : (unsigned)(counters->bytes_in + (kind & 1 ? step * 16 : 0)) % 4096;
    packet.acknowledged = (unsigned)(counters->bytes_out + (kind & 2 ? step * 8 : 0)) % 4096;
    if (kind & 4) packet.position = (packet.position + 4096 - step) % 4096;
    packet.length = packet.type == 1 ? 1 + (kind * 7 + step) % 256 : packet.type == 2 ? 6 : (kind & 128) / 128;
    for (size_t i = 0; i < packet.length; i++) packet.payload[i] = (uint8_t)next_byte(world);
    uint8_t wire[FAKE_WIRE];
    weir_link_accept(link, wire, fake_packet_to_host(&packet, wire));
}

static void act(board_world *world, weir_link *link) {
    uint8_t bytes[256] = {0};
    const weir_link_counters counters = weir_link_count(link);
    const unsigned action = next_byte(world) % 10, amount = next_byte(world);
    weir_failure why;
    uint32_t value;
    weir_link_moment moment;
    switch (action) {
    case 0: world->time += amount * 97; break;
    case 1: world->time += amount * 9973; break;
    case 2: world->put += weir_link_put(link, bytes, amount); break;
    case 3: need(weir_link_get(link, bytes, amount) <= amount, "more was got than asked for"); break;
    case 4:
        for (unsigned i = 0; i < amount % 32; i++) bytes[i] = (uint8_t)next_byte(world);
        weir_link_accept(link, bytes, amount % 32);
        break;
    case 5: weir_link_ask(link, amount % 128, amount > 127, amount); break;
    case 6: weir_link_expect(link, counters.bytes_in + amount); break;
    case 7:
        if (amount < 32) need(weir_link_start(link, 64 * amount, 1024, 6, &why) == WEIR_WIRE_OK, "START");
        break;
    default: send_packet(world, link, &counters);
    }
    need(weir_link_count(link).bytes_out <= world->put, "more is acknowledged than was put");
    (void)weir_link_answer(link, &value, &moment);
    (void)weir_link_reply(link, &value);
    const weir_wire_error error = weir_link_send(link, &why);
    const weir_failure *failure = weir_link_failure(link);
    need(error == WEIR_WIRE_OK || strlen(why.text) > 0, "an error without a text");
    need(failure == NULL || (strlen(failure->text) > 0 && !weir_link_is_started(link)), "a failure, but streams go on");
    if (failure != NULL) need(weir_link_start(link, 4096, 4096, 6, &why) == WEIR_WIRE_OK, "START");
    (void)weir_link_wake(link);
}

static int run_link(const uint8_t *data, size_t size) {
    board_world world = {.time = 1000000, .at = data, .end = data + size};
    const weir_transport transport = {&world, world_read, world_write, world_now, world_set_baud, world_close};
    weir_link *link = weir_link_new(&transport, 1000000);
    weir_failure why;
    need(link != NULL && weir_link_start(link, 4096, 4096, 6, &why) == WEIR_WIRE_OK, "START");
    need(weir_link_send(link, &why) == WEIR_WIRE_OK, "send");
    const fake_packet started = {.type = 4, .position = world.start};
    uint8_t wire[FAKE_WIRE];
    weir_link_accept(link, wire, fake_packet_to_host(&started, wire));
    need(weir_link_is_started(link), "not started");
    while (world.at < world.end) act(&world, link);
    const weir_link_counters counters = weir_link_count(link);
    weir_link_free(link);
    return counters.bytes_in > 0 && counters.bytes_out > 0;
}

/* --- recordings --- */

/* Calls in any order until the file has no more; what is not the next one is told and changes nothing. */
static void play(const weir_transport *transport) {
    static const uint8_t zeros[4096];
    uint8_t bytes[4096];
    weir_failure why;
    unsigned told = 0;
    while (weir_recording_is_over(transport, &why) != WEIR_WIRE_OK && told < 3) {
        told = 0;
        if (transport->read(transport->user, bytes, sizeof bytes, 0, &why) < 0) told += why.error == WEIR_WIRE_DIFFERS;
        if (transport->write(transport->user, zeros, sizeof zeros, &why) < 0) told += why.error == WEIR_WIRE_DIFFERS;
        if (transport->set_baud(transport->user, 9600, &why) != WEIR_WIRE_OK) told += why.error == WEIR_WIRE_DIFFERS;
        need(strlen(why.text) < sizeof why.text, "a text without an end");
    }
}

static int read_recording(const uint8_t *data, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "fuzz_wire.%ld", (long)getpid());
    need(weir_file_write(path, data, size), "a file cannot be written");
    weir_transport transport;
    weir_failure why;
    const weir_wire_error error = weir_recording_play(&transport, path, &why);
    remove(path);
    if (error != WEIR_WIRE_OK) {
        need(error == WEIR_WIRE_FORMAT && strncmp(why.text, path, strlen(path)) == 0 && why.text[strlen(path)] == ':',
             "a refusal without a line");
        return 0;
    }
    play(&transport);
    transport.close(transport.user);
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const int accepted = data[0] % 3 == 0   ? decode(data + 1, size - 1)
                         : data[0] % 3 == 1 ? run_link(data + 1, size - 1)
                                            : read_recording(data + 1, size - 1);
    return accepted * WEIR_FUZZ_ACCEPTED;
}

#ifdef WEIR_FUZZ_DRIVER

enum { ROOM = 4096 };

static uint64_t random_state;

static size_t below(size_t limit) { return (size_t)((weir_random_next(&random_state) >> 11) % limit); }

static size_t make_packet(uint8_t *data) {
    fake_packet packet = {.type = (unsigned)below(6),
                          .flags = (unsigned)below(8),
                          .position = (unsigned)below(4096),
                          .acknowledged = (unsigned)below(4096)};
    packet.length = below(257);
    const size_t values = below(2) == 0 ? 256 : 3;
    for (size_t i = 0; i < packet.length; i++) packet.payload[i] = (uint8_t)below(values);
    return fake_packet_to_host(&packet, data) - 1;
}

static size_t make_actions(uint8_t *data) {
    const size_t size = below(3000);
    for (size_t i = 0; i < size; i++) data[i] = (uint8_t)below(256);
    return size;
}

static size_t make_recording(uint8_t *data) {
    static const char *const lines[] = {"to",          "to 0000",      "from",      "from 00ff17", "baud 9600",
                                        "baud 115200", "fail GONE it", "to 000000", "fail BAUD ",  "from 00112233"};
    size_t size = (size_t)sprintf((char *)data, "weir recording 1\n");
    unsigned time = 0;
    for (size_t count = below(20); count > 0; count--)
        size += (size_t)sprintf((char *)data + size, "%u %s\n", time += (unsigned)below(3),
                                lines[below(sizeof lines / sizeof *lines)]);
    return size + (size_t)sprintf((char *)data + size, "%u end\n", time);
}

static size_t change(uint8_t *data, size_t size) {
    const size_t at = below(size + 1), length = below(size - at + 1);
    switch (below(5)) {
    case 0:
        if (at < size) data[at] ^= (uint8_t)(1 << below(8));
        return size;
    case 1:
        if (at < size) data[at] = (uint8_t)below(256);
        return size;
    case 2: /* cut */ memmove(data + at, data + at + length, size - at - length); return size - length;
    case 3: /* double */
        if (size + length > ROOM - 64) return size;
        memmove(data + at + length, data + at, size - at);
        return size + length;
    default:
        if (at < size) data[at] = (uint8_t) "0123456789 \nabcdefx"[below(19)];
        return size;
    }
}

static int planted(void) {
    uint8_t wire[FAKE_WIRE];
    fake_packet packet = {.type = 1, .length = 250, .payload = {7}};
    const size_t size = fake_packet_to_host(&packet, wire) - 1;
    weir_packet read;
    if (!weir_packet_decode(wire, size, &read)) return 0;
    read.payload[249] ^= 1;
    return !is_same(&read, wire, size);
}

int main(int count, char **argument) {
    if (count < 3) return 2;
    random_state = strtoull(argument[1], NULL, 10);
    if (strcmp(argument[2], "planted") == 0) return planted();
    static size_t (*const make[3])(uint8_t *) = {make_packet, make_actions, make_recording};
    static const char *const names[3] = {"packets", "links", "recordings"};
    const unsigned long long rounds = strtoull(argument[2], NULL, 10);
    int failed = 0;
    printf("seed %s\n", argument[1]);
    for (size_t kind = 0; kind < 3; kind++) {
        unsigned long long accepted = 0;
        for (unsigned long long round = 0; round < rounds; round++) {
            static uint8_t work[1 + ROOM];
            work[0] = (uint8_t)kind;
            size_t size = make[kind](work + 1);
            for (size_t more = round % 2 == 0 ? 0 : 1 + below(4); more > 0; more--) size = change(work + 1, size);
            accepted += (unsigned long long)try_block(work, size + 1);
        }
        printf("%s: accepted %llu of %llu\n", names[kind], accepted, rounds);
        failed |= accepted == 0 || accepted == rounds;
    }
    return failed;
}

#endif
