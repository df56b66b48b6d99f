/* link_test SCENARIO [KEY=VALUE ...] -- SIMULATOR ...: a host against the board's core (bench.v). Scenarios:
 *   registers   what each register says and takes; frame counters, cycles, error bits of frames (frames=N flags= early=
 *               as the bench was told); what is left of it behind a reset
 *   stream      `total` bytes to the board and back in mode `mode` (0 accelerator, 1 echo, 2 sink, 3 source), packets
 *               of up to `most` bytes, each packet damaged with a chance of 1 in `damage` (0 never); at least `percent`
 *               of the wire in payload each way
 *   malformed   packets that are whole but wrong, and frames of bits that are none: all dropped, each with its error
 *               bit
 *   hangs       an accelerator that takes nothing: busy, answers of registers all the same, and a start that mends it
 *   reset       by a button and by a PLL that loses its lock, in the middle of packets both ways, `rounds` times
 *   benchmark   frames made on the chip, and their CRC as computed here
 *   memories    parameter memories read back, from any word on, and written where they can be (loadable=1), over a wire
 *               that damages packets; `words` of memory 1
 * Exit status 0 if all is as README.md of boards/common says. A wrong result that is accepted ends the run at once. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "host.h"

enum {
    MODE_ACCELERATOR,
    MODE_ECHO,
    MODE_SINK,
    MODE_SOURCE,
    MODE_BENCHMARK,
    MODE_READ,
    MODE_LOAD,
    WINDOW = 2048,
    QUEUE = 1 << 16
};
enum { BUTTON = 5 }; /* an order of bench.v: pressed, and a PLL without its lock, by the bits of the value */
enum { FRAMING = 1, CRC = 2, PLACE = 4, NO_ROOM = 8, LAST = 16, FLAGGED = 32 };

static size_t
    option_silent; /* bytes from the board of which the first are not acknowledged before all of these have come */
static int option_damage, option_delay, option_most = 256;
/* Streams of the accelerator, as the bench was told: of each, and how much more the next one has. */
static int option_streams = 1, option_beats = 4, option_in_bits = 8, option_out_bits = 8;
static int option_beats_step, option_in_step, option_out_step;
static const uint8_t *stored; /* what a memory has, as it comes */
static uint8_t *loaded;       /* what it gets */
static uint8_t queue[QUEUE];
static uint8_t orders[QUEUE];
static unsigned queue_in, queue_out;
static uint8_t pending[2048];
static size_t pending_size;
static unsigned long packets, damaged, useless; /* both ways; from the board, not readable */
static int stop_bits;

static void fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fprintf(stderr, "error: turn %llu: ", (unsigned long long)wire_now());
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    exit(1);
}

static void put(int order, int byte) {
    if (queue_in - queue_out == QUEUE) fail("the queue to the board is full");
    orders[queue_in % QUEUE] = (uint8_t)order;
    queue[queue_in++ % QUEUE] = (uint8_t)byte;
}

/* One kind of damage to a packet of `size` bytes with the zero at its end; the new size. */
static size_t damage(uint8_t *bytes, size_t size) {
    size_t at = host_random() % size;
    damaged++;
    switch (host_random() % 8) {
    case 0: return 0; /* lost */
    case 1: /* a byte lost */ memmove(bytes + at, bytes + at + 1, size - at - 1); return size - 1;
    case 2: /* doubled */ memmove(bytes + at + 1, bytes + at, size - at); return size + 1;
    case 3: bytes[at] ^= (uint8_t)(1 << host_random() % 8); return size;
    case 4: bytes[at] = (uint8_t)host_random(); return size;
    case 5: /* cut, its end too: what comes next is added to it */ return at;
    case 6: /* cut */ bytes[at] = 0; return at + 1;
    default: /* the whole packet twice */ memcpy(bytes + size, bytes, size); return 2 * size;
    }
}

static void give(packet *p) {
    uint8_t bytes[1300];
    size_t size = host_encode(p, bytes);
    int order = 1;
    packets++;
    if (option_damage != 0 && host_random() % (unsigned)option_damage == 0) {
        if (host_random() % 8 == 0) {
            order = host_random() % 2 != 0 ? 2 : 3; /* a stop bit is low; a glitch on the line, or a start bit alone */
            put(order, (int)host_random());
            damaged++;
        } else {
            size = damage(bytes, size);
        }
    }
    for (size_t i = 0; i < size; i++) put(1, bytes[i]);
}

/* One turn of the wire; true with a packet from the board. */
static bool turn(packet *p) {
    uint8_t came[4];
    static uint8_t again[4096];
    static size_t again_size; /* of a packet that came twice */
    int order = 0, byte = 0;
    if (queue_out != queue_in) {
        order = orders[queue_out % QUEUE];
        byte = queue[queue_out++ % QUEUE];
    }
    int count = wire_turn(order, byte, came, &stop_bits);
    bool found = false;
    for (int i = 0; i < count; i++) {
        if (pending_size == sizeof pending) fail("a packet from the board does not end");
        pending[pending_size++] = came[i];
        if (came[i] != 0) continue;
        size_t size = pending_size;
        pending_size = 0;
        packets++;
        if (option_damage != 0 && host_random() % (unsigned)option_damage == 0) {
            memcpy(again, pending, size);
            size = damage(again, size);
            if (size == 0) continue;
            if (again[size - 1] != 0) { /* the end is cut */
                memcpy(pending, again, size);
                pending_size = size;
                continue;
            }
            again_size = size;
        } else {
            memcpy(again, pending, size);
            again_size = size;
        }
        /* What damage made of it may be several; the last is what is given, the others are lost: one at most of two
         * that are equal. */
        size_t start = 0;
        for (size_t j = 0; j < again_size; j++)
            if (again[j] == 0) {
                if (j > start && host_decode(again + start, j - start, p)) {
                    found = true;
                } else if (j > start) {
                    useless++;
                }
                start = j + 1;
            }
    }
    return found;
}

/* The board's answer to `request`, asked for up to 8 times. */
static packet ask(packet request) {
    packet p;
    for (int i = 0; i < 8; i++) {
        if (request.type == REGISTER) request.payload[0] = (uint8_t)host_random();
        if (request.type == START) request.position = (int)(host_random() % 4096);
        give(&request);
        for (int wait = 0; wait < 700 + 2 * option_delay; wait++) {
            if (!turn(&p) || p.type != request.type) continue;
            if (p.type == START && p.position == request.position && p.length == 0) return p;
            if (p.type == REGISTER && p.length == 6 && p.payload[0] == request.payload[0]) {
                if (p.payload[1] != request.payload[1]) fail("the answer is of register %02x", p.payload[1]);
                return p;
            }
        }
    }
    fail("no answer to a request of type %d", request.type);
    return p;
}

static uint32_t word(const packet *p) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value |= (uint32_t)p->payload[2 + i] << 8 * i;
    return value;
}

static uint32_t read_register(int address) {
    packet p = {.type = REGISTER, .length = 2, .payload = {0, (uint8_t)address}};
    p = ask(p);
    return word(&p);
}

static void write_register(int address, uint32_t value) {
    packet p = {.type = REGISTER, .length = 6, .payload = {0, (uint8_t)(address | 128)}};
    for (int i = 0; i < 4; i++) p.payload[2 + i] = (uint8_t)(value >> 8 * i);
    p = ask(p);
    if (word(&p) != value) fail("written %08x, answered %08x", value, word(&p));
}

static void expect_register(int address, uint32_t value) {
    uint32_t found = read_register(address);
    if (found != value) fail("register %d: expected %08x, found %08x", address, value, found);
}

static void start(int mode) {
    packet p = {.type = START};
    write_register(9, (uint32_t)mode);
    ask(p);
}

static size_t beats_of(int stream) { return (size_t)(option_beats + stream * option_beats_step); }
static int in_bits_of(int stream) { return option_in_bits + stream * option_in_step; }
static int out_bits_of(int stream) { return option_out_bits + stream * option_out_step; }
static size_t bytes_of(int bits) { return (size_t)(bits + 7) / 8; }
static uint64_t masked(uint64_t value, int bits) { return value & (UINT64_MAX >> (64 - bits)); }

/* Bytes of a frame, and of its results. */
static size_t frame_in(void) {
    size_t bytes = 0;
    for (int i = 0; i < option_streams; i++) bytes += beats_of(i) * bytes_of(in_bits_of(i));
    return bytes;
}
static size_t frame_out(void) {
    size_t bytes = 0;
    for (int i = 0; i < option_streams; i++) bytes += beats_of(i) * bytes_of(out_bits_of(i));
    return bytes;
}

/* A byte of the results: each beat of a stream times 3 and 1 more. */
static uint8_t result(const uint8_t *sent, size_t at) {
    const uint8_t *frame = sent + at / frame_out() * frame_in();
    at %= frame_out();
    int i = 0;
    for (; at >= beats_of(i) * bytes_of(out_bits_of(i)); i++) {
        at -= beats_of(i) * bytes_of(out_bits_of(i));
        frame += beats_of(i) * bytes_of(in_bits_of(i));
    }
    const uint8_t *beat = frame + at / bytes_of(out_bits_of(i)) * bytes_of(in_bits_of(i));
    uint64_t value = 0;
    for (size_t j = 0; j < bytes_of(in_bits_of(i)); j++) value |= (uint64_t)beat[j] << 8 * j;
    value = masked(3 * masked(value, in_bits_of(i)) + 1, out_bits_of(i));
    return (uint8_t)(value >> 8 * (at % bytes_of(out_bits_of(i))));
}

static uint8_t expected(int mode, const uint8_t *sent, size_t at) {
    switch (mode) {
    case MODE_ACCELERATOR: return result(sent, at);
    case MODE_ECHO: return sent[at];
    case MODE_READ:
    case MODE_LOAD: return stored[at];
    default: return (uint8_t)at;
    }
}

static int acknowledged(size_t taken) { return taken < option_silent ? 0 : (int)(taken & 4095); }

/* Streams `total` bytes to the board and `back` from it; the turns it took. */
static uint64_t stream(int mode, size_t total, size_t back) {
    uint8_t *sent = malloc(total + 1);
    size_t base = 0, next = 0, taken = 0;
    int limit = 700 + 3 * option_delay;
    uint64_t begun = wire_now(), moved = begun, came = begun, rewound = 0, asked = begun;
    bool owed = false, closed = false;
    if (sent == NULL) fail("no memory");
    for (size_t i = 0; i < total; i++)
        sent[i] = (uint8_t)(i / 700 % 2 == 0 && host_random() % 4 == 0 ? 0 : 1 + host_random() % 255);
    if (mode == MODE_LOAD) memcpy(loaded, sent, total);
    while (base < total || taken < back) {
        packet p;
        uint64_t now = wire_now();
        if (turn(&p)) {
            if (p.type == DATA || p.type == STATUS || p.type == REGISTER) {
                size_t advance = (size_t)(p.acknowledged - (int)base) & 4095;
                if (base + advance > next && advance <= WINDOW && base + advance <= total) next = base + advance;
                if (base + advance > next) fail("the board acknowledges what was not sent");
                if (advance != 0) moved = now;
                base += advance;
            }
            if (p.type == DATA) {
                if (p.position == (int)(taken & 4095)) {
                    for (int i = 0; i < p.length; i++)
                        if ((mode != MODE_SOURCE && mode != MODE_READ && taken + (size_t)i >= back) ||
                            p.payload[i] != expected(mode, sent, taken + (size_t)i))
                            fail("a wrong byte is accepted at %zu", taken + (size_t)i);
                    taken += (size_t)p.length;
                    came = now;
                } else if (now > asked + (uint64_t)limit / 2) {
                    packet again = {.type = STATUS, .flags = 1, .position = 0, .acknowledged = acknowledged(taken)};
                    give(&again);
                    asked = now;
                }
                owed = true;
            }
            if (p.type == STATUS && (p.flags & 2) != 0) closed = true;
            if (p.type == STATUS && (p.flags & 4) != 0) {
                closed = false;
                next = base;
            }
            if (p.type == STATUS && (p.flags & 1) != 0 && now > rewound + (uint64_t)option_delay * 2 + 600) {
                next = base;
                rewound = now;
            }
        }
        if (base < total && now > moved + (uint64_t)limit) {
            next = base;
            moved = now;
            closed = false;
        }
        if (taken < back && now > came + (uint64_t)limit) {
            packet again = {.type = STATUS, .flags = 1, .acknowledged = acknowledged(taken)};
            give(&again);
            came = now;
        }
        if (now > begun + 20 * (uint64_t)limit + 12 * (uint64_t)(total + back) * (option_damage != 0 ? 20 : 1))
            fail("nothing moves: %zu of %zu, %zu back", base, total, taken);
        if (queue_in != queue_out) continue;
        size_t length = total - next;
        if (length > (size_t)option_most)
            length = 1 + (option_most == MOST_BYTES && option_damage == 0 ? MOST_BYTES - 1
                                                                          : host_random() % (unsigned)option_most);
        if (length > total - next) length = total - next;
        if (length > 0 && !closed && next + length <= base + WINDOW) {
            packet data = {.type = DATA,
                           .length = (int)length,
                           .position = (int)(next & 4095),
                           .acknowledged = acknowledged(taken)};
            memcpy(data.payload, sent + next, length);
            give(&data);
            next += length;
            owed = false;
        } else if (owed) {
            packet status = {.type = STATUS, .acknowledged = acknowledged(taken)};
            give(&status);
            owed = false;
        }
    }
    free(sent);
    return wire_now() - begun;
}

static void idle(int turns) {
    packet p;
    for (int i = 0; i < turns; i++) turn(&p);
}

static void registers(int frames, bool flags, bool early) {
    expect_register(0, 0x57454952);
    uint32_t version = read_register(1);
    if ((version & 255) != 1) fail("version %08x", version);
    expect_register(2, 0x01234567);
    expect_register(3, 0x89abcdef);
    expect_register(8, 0);
    expect_register(9, 0);
    expect_register(10, 0);
    expect_register(127, 0);
    uint32_t clock = read_register(4), before = read_register(5);
    uint64_t turns = wire_now();
    if (clock == 0) fail("no clock");
    idle(500);
    uint32_t passed = read_register(5) - before;
    turns = wire_now() - turns;
    double each = (double)passed / (double)turns;
    printf("%.1f cycles a turn\n", each);
    write_register(9, 0x305);
    expect_register(9, 0x305);
    start(MODE_ACCELERATOR);
    expect_register(6, 0);
    stream(MODE_ACCELERATOR, (size_t)frames * frame_in(), (size_t)frames * frame_out());
    idle(100);
    expect_register(6, (uint32_t)frames | (uint32_t)frames << 16);
    uint32_t cycles = read_register(7), errors = read_register(8);
    if (errors != (uint32_t)((flags && frames > 2 ? FLAGGED : 0) | (early ? LAST : 0))) fail("errors %08x", errors);
    if (frames > 0 && (cycles == 0 || cycles > (uint32_t)(each * 400) + 100)) fail("cycles %u", cycles);
    write_register(8, 127);
    expect_register(8, 0);
    /* A frame by itself: its beats come together, some cycles apart. */
    start(MODE_ACCELERATOR);
    stream(MODE_ACCELERATOR, frame_in(), frame_out());
    idle(100);
    cycles = read_register(7);
    if (cycles < (uint32_t)option_beats || cycles > 40 + 4 * (uint32_t)option_beats)
        fail("%u cycles of a frame", cycles);
    printf("%u cycles of a frame\n", cycles);
    if ((version & 256) != 0) {
        expect_register(16, cycles);
        expect_register(17, cycles);
        expect_register(18, 0);
        start(MODE_ACCELERATOR);
        stream(MODE_ACCELERATOR, 8 * frame_in(), 8 * frame_out());
        uint32_t least = read_register(19), greatest = read_register(20), last = read_register(18);
        if (least == 0 || least > last || last > greatest) fail("intervals %u %u %u", least, last, greatest);
    } else {
        expect_register(16, 0);
        expect_register(20, 0);
    }
    if ((version & 512) != 0) {
        uint32_t first = read_register(24), second;
        idle(100);
        second = read_register(24);
        if (second <= first || second - first < (uint32_t)(each * 100)) fail("stalls %u %u", first, second);
    }
    /* The id of the model's parameters lay where the frames have been since. */
    put(BUTTON, 1);
    put(BUTTON, 0);
    idle(100);
    expect_register(6, 0);
    expect_register(3, 0x89abcdef);
}

/* An acknowledgement of what was never there changes nothing, whatever packet carries it; one of all that is there
 * does. */
static void acknowledged_too_far(void) {
    packet p;
    static const int steps[] = {1, 5, 1500, 2047};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        packet lie = {.type = i % 2 != 0 ? DATA : STATUS, .length = i % 2 != 0 ? 9 : 0, .acknowledged = steps[i]};
        start(MODE_ECHO);
        write_register(8, 127);
        expect_register(8, 0);
        give(&lie);
        int came = 0;
        for (int j = 0; j < 150; j++)
            if (turn(&p) && p.type == DATA) came += p.position == 0 && p.length == lie.length ? 1 : 100;
        if (came != (lie.length > 0)) fail("an acknowledgement of what was not there is taken");
        expect_register(8, PLACE);
    }
    const int size = 1 << (read_register(1) >> 24), held = size == 4096 ? 4095 : size;
    start(MODE_SOURCE); /* the buffer is full */
    idle(150);
    write_register(8, 127);
    packet none = {.type = STATUS}, all = {.type = STATUS, .acknowledged = size < 2048 ? size : 2048},
           more = {.type = STATUS, .acknowledged = held + 1};
    give(&none);
    idle(30);
    expect_register(8, 0);
    if (held < 2047) {
        give(&more);
        idle(30);
        expect_register(8, PLACE);
        write_register(8, 127);
    }
    give(&all);
    bool found = false;
    for (int j = 0; j < 600; j++)
        if (turn(&p) && p.type == DATA) found |= p.position == all.acknowledged;
    if (!found) fail("all that is there is acknowledged, and the next byte does not come");
    expect_register(8, 0);
}

static void malformed(void) {
    packet p;
    static const struct {
        int type, length, flags;
        uint32_t errors;
        const char *what;
    } wrong[] = {
        {0, 0, 0, CRC, "type 0"},
        {5, 0, 0, CRC, "type 5"},
        {15, 4, 0, CRC, "type 15"},
        {DATA, 257, 0, CRC, "257 bytes"},
        {DATA, 300, 0, CRC, "300 bytes"},
        {DATA, 511, 0, CRC, "511 bytes"},
        {START, 1, 0, CRC, "a start with payload"},
        {STATUS, 3, 0, CRC, "a status with payload"},
        {REGISTER, 0, 0, CRC, "a request of nothing"},
        {REGISTER, 1, 0, CRC, "a request of no address"},
        {REGISTER, 5, 0, CRC, "a request of 5 bytes"},
        {REGISTER, 10, 0, CRC, "a request of 10 bytes"},
    };
    start(MODE_ECHO);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        packet bad = {.type = wrong[i].type, .length = wrong[i].length, .flags = wrong[i].flags};
        for (int j = 0; j < bad.length; j++) bad.payload[j] = (uint8_t)(j * 7);
        bad.payload[1] = 137;
        write_register(8, 127);
        give(&bad);
        for (int j = 0; j < bad.length + 150; j++)
            if (turn(&p)) fail("an answer to %s", wrong[i].what);
        expect_register(8, wrong[i].errors);
    }
    /* Where the place in the stream is not that which is due. */
    write_register(8, 127);
    packet ahead = {.type = DATA, .length = 9, .position = 1};
    give(&ahead);
    bool said = false;
    for (int j = 0; j < 300; j++)
        if (turn(&p)) {
            if (p.type != STATUS || p.flags != 1 || p.acknowledged != 0 || said)
                fail("expected one STATUS with gap, found type %d, flags %d", p.type, p.flags);
            said = true;
        }
    if (!said) fail("no STATUS about a gap");
    expect_register(8, PLACE);
    /* An acknowledgement that goes back is ignored. */
    packet lie = {.type = STATUS, .acknowledged = 4000};
    give(&lie);
    idle(100);
    acknowledged_too_far();
    start(MODE_ECHO);
    /* Empty packets are none; a length that lies, a CRC that is wrong. */
    write_register(8, 127);
    for (int j = 0; j < 5; j++) put(1, 0);
    idle(20);
    expect_register(8, 0);
    uint8_t bytes[600];
    packet data = {.type = DATA, .length = 20};
    size_t size = host_encode(&data, bytes);
    bytes[size - 2] ^= 4;
    for (size_t j = 0; j < size; j++) put(1, bytes[j]);
    idle(100);
    expect_register(8, CRC);
    write_register(8, CRC);
    /* The end is missing: of the CRC, of the payload, of the header. */
    for (size_t cut = 1; cut < size - 2; cut += cut < 5 ? 1 : 6) {
        size_t all = host_encode(&data, bytes);
        for (size_t j = 0; j + 1 < all - cut; j++) put(1, bytes[j]);
        put(1, 0);
        idle(30);
    }
    if (read_register(8) != CRC) fail("a packet without its end is taken");
    write_register(8, CRC);
    put(2, 85);
    put(1, 0);
    idle(20);
    expect_register(8, CRC | FRAMING);
    write_register(8, 127);
    put(3, 0);
    idle(20);
    expect_register(8, 0);
    /* All is as if nothing had been. */
    stream(MODE_ECHO, 400, 400);
    expect_register(8, 0);
}

static void hangs(void) {
    packet p;
    start(MODE_ACCELERATOR);
    int busy = 0;
    size_t acknowledged = 0;
    const int room = 1 << (read_register(1) >> 16 & 255);
    for (int i = 0; i < room / 256 + 3; i++) {
        packet data = {.type = DATA, .length = 256, .position = 256 * i % 4096};
        give(&data);
        for (int j = 0; j < 300; j++)
            if (turn(&p)) {
                acknowledged += ((size_t)p.acknowledged - acknowledged) & 4095; /* which are modulo that */
                if (p.type != STATUS) fail("a packet of type %d", p.type);
                if ((p.flags & ~2) != 0) fail("flags %d", p.flags);
                busy += p.flags != 0;
            }
    }
    if (busy == 0) fail("the board is never busy");
    if (acknowledged + 256 < (size_t)room || acknowledged > (size_t)room + 2)
        fail("the board takes %zu bytes", acknowledged);
    uint32_t errors = read_register(8);
    if (errors != NO_ROOM) fail("errors %08x", errors);
    expect_register(0, 0x57454952);
    write_register(8, 127);
    start(MODE_ECHO);
    stream(MODE_ECHO, 1200, 1200);
    start(MODE_SOURCE);
    stream(MODE_SOURCE, 0, 800);
    start(MODE_SOURCE); /* in the middle of packets */
    stream(MODE_SOURCE, 300, 600);
}

static void benchmark(int frames, int in_bits, int out_bits) {
    uint32_t state = 0xffffffff, crc = 0;
    int bytes = (out_bits + 7) / 8;
    for (int i = 0; i < frames * option_beats; i++) {
        uint32_t in = in_bits >= 32 ? state : state & ((1u << in_bits) - 1);
        uint32_t out = 3 * in + 1;
        uint8_t result[4];
        if (out_bits < 32) out &= (1u << out_bits) - 1;
        for (int j = 0; j < bytes; j++) result[j] = (uint8_t)(out >> 8 * j);
        crc = (uint32_t)crc32(crc, result, (uInt)bytes);
        state = state >> 8 ^ (uint32_t)get_crc_table()[state & 255];
    }
    write_register(32, (uint32_t)frames);
    expect_register(32, (uint32_t)frames);
    for (int again = 0; again < 2; again++) {
        start(MODE_BENCHMARK);
        idle(frames * option_beats * bytes / 20 + 50);
        expect_register(6, (uint32_t)frames | (uint32_t)frames << 16);
        expect_register(34, crc);
        uint32_t cycles = read_register(33), most = (uint32_t)(frames * option_beats * bytes);
        printf("%u cycles of %d frames\n", cycles, frames);
        if (cycles < most || cycles > most + 20) fail("%u cycles", cycles);
        expect_register(33, cycles);
        if (bytes == 1) expect_register(25, 0);
    }
    expect_register(8, 0);
}

static void reset(int rounds) {
    packet p;
    packet request = {.type = REGISTER, .length = 2, .payload = {77, 0}};
    for (int i = 0; i < rounds; i++) {
        const int mode = i % 2 == 0 ? MODE_SOURCE : MODE_ECHO;
        packet data = {.type = DATA, .length = 60};
        write_register(9, 0x300 | (uint32_t)mode);
        packet begin = {.type = START};
        ask(begin);
        give(&data);
        idle(40 + 17 * i);
        put(2, 7); /* error bits */
        idle(1);
        put(BUTTON, 1 + i % 3);
        idle(100); /* what was in the queue, and the bytes on their way */
        give(&request);
        uint8_t came[4];
        pending_size = 0;
        while (queue_in != queue_out) {
            turn(&p);
            if (pending_size != 0) fail("the board talks in its reset");
        }
        for (int j = 0; j < 60; j++)
            if (wire_turn(0, 0, came, &stop_bits) != 0) fail("the board talks in its reset");
        put(BUTTON, 0);
        for (int j = 0; j < 100; j++)
            if (turn(&p) || pending_size != 0) fail("the board talks after its reset");
        expect_register(9, 0);
        expect_register(8, 0);
        expect_register(6, 0);
        expect_register(32, 0);
        start(MODE_ECHO);
        stream(MODE_ECHO, 60, 60);
        write_register(32, 5);
        expect_register(8, 0);
    }
}

enum { MEMORIES = 6, LOADED_MEMORIES = 4, MOST_MEMORY = 700 };

static struct memory {
    int bits, words;
} memory[MEMORIES] = {{12, 9}, {8, 5}, {43, 11}, {3, 1}, {16, 9}, {9, 6}}; /* bench.v's, and what run puts into them */

static size_t bytes_of_word(int i) { return (size_t)(memory[i].bits + 7) / 8; }
static size_t size_of(int i) { return (size_t)memory[i].words * bytes_of_word(i); }

/* The last word first. */
static void fill(int i, uint8_t *content) {
    for (int word = 0; word < memory[i].words; word++) {
        const uint64_t bits = (uint64_t)(word * 37 + i * 11 + 5) * 124568113 % ((uint64_t)1 << memory[i].bits);
        uint8_t *to = content + (size_t)(memory[i].words - 1 - word) * bytes_of_word(i);
        for (size_t j = 0; j < bytes_of_word(i); j++) to[j] = (uint8_t)(bits >> 8 * j);
    }
}

/* From the word down to word 0, and nothing behind it. */
static void read_memory(int i, int word, const uint8_t *content) {
    packet p;
    const size_t skipped = (size_t)(memory[i].words - 1 - word) * bytes_of_word(i);
    stored = content + skipped;
    write_register(40, (uint32_t)i << 20 | (uint32_t)word);
    expect_register(40, (uint32_t)i << 20 | (uint32_t)word);
    start(MODE_READ);
    stream(MODE_READ, 0, size_of(i) - skipped);
    packet status = {.type = STATUS, .acknowledged = (int)(size_of(i) - skipped)};
    give(&status);
    for (int j = 0; j < 30; j++)
        if (turn(&p) && p.type == DATA && p.length > 0 && p.position == status.acknowledged)
            fail("memory %d goes on behind its end", i);
}

static void write_memory(int i, uint8_t *content) {
    uint8_t next[MOST_MEMORY];
    const size_t bytes = bytes_of_word(i);
    stored = content;
    loaded = next;
    write_register(40, (uint32_t)i << 20 | (uint32_t)(memory[i].words - 1));
    start(MODE_LOAD);
    stream(MODE_LOAD, size_of(i), size_of(i));
    for (size_t at = 0; at < size_of(i); at++) /* bits that a word has not */
        content[at] =
            (uint8_t)(next[at] & (at % bytes < bytes - 1 ? 255 : 255 >> (bytes * 8 - (size_t)memory[i].bits)));
}

/* A memory larger than the buffers, while nothing of what was there is acknowledged: no byte is taken for which none
 * can go. */
static void write_large(uint8_t *content) {
    option_silent = 512;
    write_memory(1, content);
    option_silent = 0;
    read_memory(1, memory[1].words - 1, content);
}

static void memories(bool loadable, int damage) {
    static uint8_t content[MEMORIES][MOST_MEMORY];
    const int count = loadable ? LOADED_MEMORIES : MEMORIES;
    const uint32_t options = read_register(1) >> 11 & 3;
    if (options != (loadable ? 3u : 1u)) fail("options %u", options);
    start(MODE_ACCELERATOR);
    stream(MODE_ACCELERATOR, 2 * frame_in(), 2 * frame_out());
    option_damage = damage;
    for (int i = 0; i < count; i++) {
        fill(i, content[i]);
        read_memory(i, memory[i].words - 1, content[i]);
        if (i == 2) read_memory(i, 3, content[i]);
        if (i != 0) continue;
        start(MODE_READ); /* the register stays: from there again, though much of it has left */
        start(MODE_READ);
        stored = content[i];
        stream(MODE_READ, 0, size_of(i));
    }
    for (int i = 2; loadable && i >= 0; i -= 2) {
        write_memory(i, content[i]);
        write_memory(i, content[i]);
    }
    if (loadable && memory[1].words > 512) write_large(content[1]);
    for (int i = 0; loadable && i < count; i++) read_memory(i, memory[i].words - 1, content[i]);
    option_damage = 0;
    idle(300);
    packet p;
    while (queue_in != queue_out) turn(&p);
    /* What cannot be written stays, the id too. */
    write_register(3, 0x600dbeef);
    expect_register(3, loadable ? 0x600dbeef : 0x89abcdef);
    if (!loadable) {
        write_register(40, (uint32_t)memory[0].words - 1);
        start(MODE_LOAD);
        stream(MODE_SINK, 60, 0);
        read_memory(0, memory[0].words - 1, content[0]);
    }
    put(BUTTON, 1);
    put(BUTTON, 0);
    idle(100);
    expect_register(3, loadable ? 0x600dbeef : 0x89abcdef);
    read_memory(2, memory[2].words - 1, content[2]);
    start(MODE_ACCELERATOR);
    stream(MODE_ACCELERATOR, 2 * frame_in(), 2 * frame_out());
    expect_register(6, 2 | 2 << 16);
}

static int value(int count, char **words, const char *key, int otherwise) {
    size_t size = strlen(key);
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], key, size) == 0 && words[i][size] == '=') return atoi(words[i] + size + 1);
    return otherwise;
}

int main(int argc, char **argv) {
    int words = 0;
    while (words < argc && strcmp(argv[words], "--") != 0) words++;
    if (words < 2 || words + 1 >= argc) {
        fprintf(stderr, "usage: link_test SCENARIO [KEY=VALUE ...] -- SIMULATOR ...\n");
        return 2;
    }
    int delay = value(words, argv, "delay", 0), mode = value(words, argv, "mode", MODE_ECHO);
    host_seed((uint32_t)value(words, argv, "seed", 1));
    option_delay = delay;
    option_most = value(words, argv, "most", MOST_BYTES);
    option_streams = value(words, argv, "streams", 1);
    option_beats = value(words, argv, "beats", 4);
    option_beats_step = value(words, argv, "beats_step", 0);
    option_in_bits = value(words, argv, "in_bits", 8);
    option_in_step = value(words, argv, "in_step", 0);
    option_out_bits = value(words, argv, "out_bits", 8);
    option_out_step = value(words, argv, "out_step", 0);
    wire_open(argv + words + 1, delay);
    idle(300); /* the board's reset */
    if (strcmp(argv[1], "registers") == 0) {
        registers(value(words, argv, "frames", 10), value(words, argv, "flags", 0) != 0,
                  value(words, argv, "early", 0) != 0);
    } else if (strcmp(argv[1], "stream") == 0) {
        size_t total = (size_t)value(words, argv, "total", 10000),
               back = mode == MODE_SINK          ? 0
                      : mode == MODE_SOURCE      ? (size_t)value(words, argv, "back", (int)total)
                      : mode == MODE_ACCELERATOR ? total / frame_in() * frame_out()
                                                 : total;
        start(mode);
        option_damage = value(words, argv, "damage", 0);
        uint64_t turns = stream(mode, total, back) - 2 * (uint64_t)delay; /* the first round trip is not counted */
        option_damage = 0;
        double to = 100.0 * (double)total / (double)turns, from = 100.0 * (double)back / (double)turns;
        printf("%llu turns: %.2f %% of the wire to the board, %.2f %% back; %lu packets, %lu damaged, %lu useless\n",
               (unsigned long long)turns, to, from, packets, damaged, useless);
        int percent = value(words, argv, "percent", 0), least = value(words, argv, "back_percent", percent);
        if ((total != 0 && to < percent) || (back != 0 && from < least))
            fail("expected %d %% to the board and %d %% back", percent, least);
        if (value(words, argv, "damage", 0) == 0 && (read_register(8) & ~(uint32_t)(PLACE | NO_ROOM)) != 0)
            fail("errors %08x", read_register(8));
        expect_register(0, 0x57454952);
    } else if (strcmp(argv[1], "malformed") == 0) {
        malformed();
    } else if (strcmp(argv[1], "hangs") == 0) {
        hangs();
    } else if (strcmp(argv[1], "benchmark") == 0) {
        benchmark(value(words, argv, "frames", 50), option_in_bits, option_out_bits);
    } else if (strcmp(argv[1], "memories") == 0) {
        memory[1].words = value(words, argv, "words", memory[1].words);
        memories(value(words, argv, "loadable", 0) != 0, value(words, argv, "damage", 0));
    } else if (strcmp(argv[1], "reset") == 0) {
        reset(value(words, argv, "rounds", 2));
    } else {
        fprintf(stderr, "no scenario '%s'\n", argv[1]);
        return 2;
    }
    if (stop_bits != 0) fail("%d stop bits of the board are low", stop_bits);
    wire_close();
    return 0;
}
