/* One script for two boards: boards/host/wire talks, over a wire that a random script damages, to the board written
 * from the protocol's page (tests/board/fake_board.h) and, beside it, to the hardware (bench.v). What the hardware
 * sends must be byte for byte what the board in C sends. So that this is defined whatever either takes to answer, the
 * wire waits after each zero to the board until the board is quiet (the hardware: SILENCE turns without a byte), and no
 * more is under way than either can hold: nothing is busy, no packet shares the wire with another one. Both echo.
 * Compared is all that the board sends: answers, acknowledgements, flags, positions, payload, CRCs, framing, among them
 * the error bits that it counts and packets that it repeats. The host's time follows from the bytes alone, so the whole
 * conversation is the same with and without hardware: its CRC is printed, and a run with hardware makes the same
 * packets without it first and compares. With memory=1 they do not echo: a parameter memory is written again and again,
 * and what was there comes back. usage: script_test packets=N [seed=N] [damage=N] [memory=1] [-- SIMULATOR ...];
 * damage: one packet in so many, each way. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fake_board.h"
#include "host.h"
#include "wire/link.h"
#include "wire/register.h"

/* The parameter memory: its number, bits and words, as bench.v has it. */
enum { NUMBER = 2, BITS = 43, WORDS = 11, WORD_BYTES = (BITS + 7) / 8, MEMORY_BYTES = WORDS * WORD_BYTES };
enum { BAUD = 3000000, SILENCE = 6, ROOM = 4096, UNDER_WAY = 500, QUESTION = WEIR_REGISTER_FRAMES };

typedef enum script_damage {
    SOUND,
    LOST,
    BYTE_LOST,
    BYTE_DOUBLED,
    BIT_CHANGED,
    BYTE_CHANGED,
    BYTE_ADDED,
    END_LOST, /* the rest, its zero too: what comes next is added to it */
    CUT,      /* the rest, but not its zero */
    TWICE,
    NO_STOP_BIT, /* of a byte; this one and the next: to the board only */
    GLITCH,
    DAMAGES
} script_damage;

static const char *const names[DAMAGES] = {"sound",         "lost",           "a byte lost",  "a byte doubled",
                                           "a bit changed", "a byte changed", "a byte added", "its end lost",
                                           "cut",           "twice",          "no stop bit",  "a glitch"};

typedef struct bytes {
    uint8_t data[ROOM];
    size_t size;
} bytes;

static struct {
    weir_link *link;
    fake_board *board;
    bool has_hardware;
    uint64_t time;      /* microseconds, of the host */
    uint64_t carried;   /* bytes both ways, from which it follows */
    bytes out;          /* from the link */
    bytes sent, found;  /* from the board in C, and the hardware, since it was quiet */
    uint8_t data[ROOM]; /* of the stream, by position */
    uint64_t put, got;  /* of the stream */
    uint64_t packets;   /* both ways */
    uint64_t made[DAMAGES][2];
    uint64_t started, asked;
    uint32_t crc; /* of the conversation */
    unsigned one_in;
    bool has_memory;
    bool is_chosen;             /* the memory, for the next start */
    bool wants_start;           /* it is over */
    uint8_t held[MEMORY_BYTES]; /* by the memory, in the order in which it comes */
    uint8_t fake[MEMORY_BYTES]; /* the board's in C */
    int broken;                 /* stop bits of the board */
} world;

static void fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fprintf(stderr, "error: turn %llu, packet %llu: ", (unsigned long long)(world.has_hardware ? wire_now() : 0),
            (unsigned long long)world.packets);
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    exit(1);
}

static void add(bytes *to, uint8_t byte) {
    if (to->size == ROOM) fail("more bytes than a board can have to send");
    to->data[to->size++] = byte;
}

static uint32_t below(uint32_t limit) { return (host_random() >> 4) % limit; }

/* --- the wire --- */

static bool hardware_turn(int order, int value) {
    uint8_t came[4];
    const int count = wire_turn(order, value, came, &world.broken);
    for (int i = 0; i < count; i++) add(&world.found, came[i]);
    return count > 0;
}

/* Until the board is quiet; what it sends must be the same of both. */
static void settle(void) {
    uint8_t out[FAKE_WIRE];
    size_t size, begin = world.sent.size;
    /* The hardware acknowledges before the first byte has come back to it, and has all that come back before it is done
     * with that. */
    do {
        size = fake_board_send(world.board, world.time * 1000, out);
        for (size_t i = 0; i < size; i++) add(&world.sent, out[i]);
        fake_board_work(world.board, world.time * 1000);
    } while (fake_board_has_to_send(world.board));
    if (!world.has_hardware) return;
    for (int quiet = 0; quiet < SILENCE; quiet++)
        if (hardware_turn(0, 0)) quiet = -1;
    if (world.broken > 0) fail("a stop bit of the board is low");
    size = world.sent.size - begin;
    if (size != world.found.size || memcmp(world.sent.data + begin, world.found.data, size) != 0) {
        fprintf(stderr, "expected");
        for (size_t i = begin; i < world.sent.size; i++) fprintf(stderr, " %02x", world.sent.data[i]);
        fprintf(stderr, "\nfound   ");
        for (size_t i = 0; i < world.found.size; i++) fprintf(stderr, " %02x", world.found.data[i]);
        fprintf(stderr, "\n");
        fail("the hardware does not send what the board in C sends");
    }
    world.found.size = 0;
}

static void note(script_damage what, const uint8_t *data, size_t size) {
    const uint8_t tag = (uint8_t)what;
    world.crc = (uint32_t)crc32(world.crc, &tag, 1);
    world.crc = (uint32_t)crc32(world.crc, data, (uInt)size);
    world.carried += size;
}

/* One byte, or something less, to both boards; `order` as in bench.v. */
static void deliver(int order, uint8_t byte) {
    if (order == 2) fake_board_framing_error(world.board);
    if (order != 3) fake_board_byte(world.board, byte, world.time * 1000);
    if (world.has_hardware) {
        hardware_turn(order, byte);
        if (order == 2) hardware_turn(0, 0); /* the line is high before the next byte */
    }
    if (order != 3 && byte == 0) settle();
}

/* What becomes of a packet with its zero; its new size. There is room for twice as much. */
static size_t damage(script_damage kind, uint8_t *data, size_t size) {
    const size_t at = below((uint32_t)size);
    switch (kind) {
    case LOST: return 0;
    case BYTE_LOST: memmove(data + at, data + at + 1, size - at - 1); return size - 1;
    case BYTE_DOUBLED: memmove(data + at + 1, data + at, size - at); return size + 1;
    case BIT_CHANGED: data[at] ^= (uint8_t)(1 << below(8)); return size;
    case BYTE_CHANGED: data[at] = (uint8_t)below(256); return size;
    case BYTE_ADDED:
        memmove(data + at + 1, data + at, size - at);
        data[at] = (uint8_t)below(256);
        return size + 1;
    case END_LOST: return at;
    case CUT: data[at] = 0; return at + 1;
    case TWICE: memcpy(data + size, data, size); return 2 * size;
    default: return size;
    }
}

static script_damage choose(int direction) {
    script_damage kind = SOUND;
    if (world.one_in != 0 && below(world.one_in) == 0)
        kind = (script_damage)(1 + below((direction == 0 ? DAMAGES : NO_STOP_BIT) - 1));
    world.made[kind][direction]++;
    world.packets++;
    return kind;
}

/* A packet of the host's to the board, and what that sends to the host. */
static void exchange(const uint8_t *given, size_t size) {
    uint8_t data[2 * ROOM];
    script_damage kind = choose(0);
    memcpy(data, given, size);
    const size_t at = below((uint32_t)size);
    size = damage(kind, data, size);
    note(kind, data, size);
    world.sent.size = 0;
    if (kind == GLITCH) deliver(3, 0);
    for (size_t i = 0; i < size; i++) deliver(kind == NO_STOP_BIT && i == at ? 2 : 1, data[i]);
    size_t begin = 0;
    for (size_t end = 0; end < world.sent.size; end++) {
        if (world.sent.data[end] != 0) continue;
        size = end + 1 - begin;
        memcpy(data, world.sent.data + begin, size);
        begin = end + 1;
        note(DAMAGES, data, size);
        kind = choose(1);
        size = damage(kind, data, size);
        note(kind, data, size);
        weir_link_accept(world.link, data, size);
    }
    world.time = 1000 + world.carried * 10000000 / BAUD;
}

/* --- the host --- */

static int link_write(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    (void)user, (void)why;
    for (size_t i = 0; i < size; i++) add(&world.out, data[i]);
    return (int)size;
}

static int link_read(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    (void)user, (void)data, (void)size, (void)until, (void)why;
    return 0;
}

static uint64_t waited; /* microseconds of the host's that no byte took */
static uint64_t link_now(void *user) {
    (void)user;
    return world.time + waited;
}

static weir_wire_error link_set_baud(void *user, unsigned baud, weir_failure *why) {
    (void)user, (void)baud, (void)why;
    return WEIR_WIRE_OK;
}

static void link_close(void *user) { (void)user; }

static void start(void) {
    weir_failure why;
    if (weir_link_start(world.link, ROOM, ROOM, QUESTION, &why) != WEIR_WIRE_OK) fail("%s", why.text);
    world.put = world.got = 0;
    world.wants_start = world.is_chosen = false;
    for (int i = 0; i < MEMORY_BYTES; i++)
        world.held[i] = world.fake[(WORDS - 1 - i / WORD_BYTES) * WORD_BYTES + i % WORD_BYTES];
    world.started++;
}

/* Bytes that may be put. */
static size_t room(void) {
    return world.has_memory ? MEMORY_BYTES - (size_t)world.put : UNDER_WAY - (size_t)(world.put - world.got);
}

/* What comes back for a byte that is put. */
static uint8_t expect(uint64_t at, uint8_t byte) {
    if (!world.has_memory) return byte;
    const uint8_t before = world.held[at];
    world.held[at] = at % WORD_BYTES == WORD_BYTES - 1 ? byte & 0xff >> (8 * WORD_BYTES - BITS) : byte;
    return before;
}

static void check_answer(unsigned address) {
    uint32_t value;
    weir_link_moment moment;
    if (!weir_link_answer(world.link, &value, &moment)) return;
    world.asked++;
    world.is_chosen |= address == WEIR_REGISTER_MEMORY;
    if (address == WEIR_REGISTER_MAGIC && value != 0x57454952) fail("another magic is accepted: %08x", value);
}

/* Registers, bytes to send, bytes to take, a new start. */
static void act(void) {
    static const unsigned addresses[] = {WEIR_REGISTER_MAGIC, WEIR_REGISTER_ERRORS, WEIR_REGISTER_CONTROL, 127};
    static unsigned address;
    const uint32_t mode = world.has_memory ? WEIR_MODE_LOAD : WEIR_MODE_ECHO;
    uint8_t data[ROOM];
    if (!weir_link_is_asking(world.link)) {
        if (world.packets > 0) check_answer(address);
        if (world.asked == 0) { /* from the next start on */
            weir_link_ask(world.link, address = WEIR_REGISTER_CONTROL, true, mode);
        } else if (world.has_memory && !world.is_chosen && !weir_link_is_starting(world.link) &&
                   (world.wants_start || !weir_link_is_started(world.link))) {
            weir_link_ask(world.link, address = WEIR_REGISTER_MEMORY, true, NUMBER << 20 | (WORDS - 1));
        } else if (below(8) == 0) {
            address = addresses[below(4)];
            const bool writes = address != WEIR_REGISTER_MAGIC && below(3) == 0;
            weir_link_ask(world.link, address, writes,
                          address == WEIR_REGISTER_CONTROL ? mode | below(4) << 8 : below(128));
        }
    }
    if (world.asked > 0 && (!world.has_memory || world.is_chosen) && !weir_link_is_started(world.link) &&
        !weir_link_is_starting(world.link))
        start();
    if (!weir_link_is_started(world.link)) return;
    size_t size = weir_link_get(world.link, data, ROOM);
    for (size_t i = 0; i < size; i++, world.got++)
        if (world.got >= world.put || data[i] != world.data[world.got % ROOM])
            fail("a wrong byte is accepted at %llu", (unsigned long long)world.got);
    if (world.has_memory) world.wants_start = world.got == MEMORY_BYTES;
    if (world.has_memory ? world.is_chosen : below(3000) == 0) {
        start();
        return;
    }
    if (!weir_link_is_acknowledged(world.link) || room() == 0 || below(3) == 0) return;
    size = 1 + below(!world.has_memory && below(4) == 0 ? UNDER_WAY : 20);
    if (size > room()) size = room();
    const uint32_t zeros = below(3) == 0 ? 0 : 4;
    for (size_t i = 0; i < size; i++) {
        data[i] = (uint8_t)(zeros != 0 && below(zeros) == 0 ? 0 : 1 + below(255));
        world.data[(world.put + i) % ROOM] = expect(world.put + i, data[i]);
    }
    if (weir_link_put(world.link, data, size) != size) fail("no room for %zu bytes", size);
    world.put += size;
    weir_link_expect(world.link, world.put);
}

static void step(void) {
    weir_failure why;
    act();
    if (weir_link_send(world.link, &why) != WEIR_WIRE_OK) fail("%s", why.text);
    if (world.out.size == 0) {
        const uint64_t wake = weir_link_wake(world.link), now = link_now(NULL);
        waited += wake == UINT64_MAX || wake <= now ? 1 : wake - now;
        return;
    }
    const bytes out = world.out;
    world.out.size = 0;
    exchange(out.data, out.size);
}

/* As link_test has it. */
static void fill_memory(void) {
    for (int word = 0; word < WORDS; word++) {
        const uint64_t bits = (uint64_t)(word * 37 + NUMBER * 11 + 5) * 124568113 % ((uint64_t)1 << BITS);
        for (int i = 0; i < WORD_BYTES; i++) world.fake[word * WORD_BYTES + i] = (uint8_t)(bits >> 8 * i);
    }
}

/* The CRC of the conversation. */
static uint32_t run(uint64_t packets, unsigned damage, uint32_t seed, bool has_memory, char *const *simulator) {
    fake_board_settings settings = {.receive_log2 = 9, .send_log2 = 9};
    memset(&world, 0, sizeof world);
    waited = 0;
    world.has_memory = has_memory;
    if (has_memory) {
        fill_memory();
        settings.memory = world.fake;
        settings.memory_number = NUMBER;
        settings.memory_bits = BITS;
        settings.memory_words = WORDS;
        settings.loadable = true;
    }
    host_seed(seed);
    world.board = fake_board_new(&settings);
    world.has_hardware = simulator != NULL;
    if (world.has_hardware) {
        wire_open(simulator, 0);
        for (int i = 0; i < 300; i++) hardware_turn(0, 0); /* reset */
    }
    world.time = 1000;
    const weir_transport transport = {NULL, link_read, link_write, link_now, link_set_baud, link_close};
    world.link = weir_link_new(&transport, BAUD);
    world.one_in = damage;
    uint64_t idle = 0, before = 0;
    while (world.packets < packets) {
        step();
        idle = world.packets == before ? idle + 1 : 0;
        before = world.packets;
        if (idle > 1000) fail("nothing moves");
    }
    if (world.has_hardware) wire_close();
    const weir_link_counters counters = weir_link_count(world.link);
    printf(
        "%s: %llu packets, %llu bytes there and %llu back, %llu starts, %llu answers, %llu gaps, %llu repeats, conversation %08x\n",
        simulator != NULL ? "hardware" : "board in C", (unsigned long long)world.packets,
        (unsigned long long)counters.bytes_out, (unsigned long long)counters.bytes_in,
        (unsigned long long)world.started, (unsigned long long)world.asked, (unsigned long long)counters.gaps,
        (unsigned long long)counters.repeat_requests, world.crc);
    weir_link_free(world.link);
    fake_board_free(world.board);
    return world.crc;
}

static uint64_t setting(int count, char **words, const char *key, uint64_t otherwise) {
    const size_t size = strlen(key);
    for (int i = 1; i < count; i++)
        if (strncmp(words[i], key, size) == 0 && words[i][size] == '=') return strtoull(words[i] + size + 1, NULL, 10);
    return otherwise;
}

int main(int count, char **argument) {
    int words = 1;
    while (words < count && strcmp(argument[words], "--") != 0) words++;
    const uint64_t packets = setting(words, argument, "packets", 1000);
    const unsigned damage_in = (unsigned)setting(words, argument, "damage", 5);
    const uint32_t seed = (uint32_t)setting(words, argument, "seed", 1);
    const bool has_memory = setting(words, argument, "memory", 0) != 0;
    const uint32_t crc = run(packets, damage_in, seed, has_memory, NULL);
    for (int kind = 0; kind < DAMAGES; kind++)
        printf("  %s: %llu to the board, %llu back\n", names[kind], (unsigned long long)world.made[kind][0],
               (unsigned long long)world.made[kind][1]);
    if (words + 1 >= count) return 0;
    if (run(packets, damage_in, seed, has_memory, argument + words + 1) != crc) fail("the conversation is another one");
    return 0;
}
