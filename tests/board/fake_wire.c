#include "fake_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/random.h"

enum { DRIVER = 4096, CHUNK = 510, LATENCY_TIMER = 1000000 };

/* Bytes on their way, each with the time at which it is there. */
typedef struct track {
    uint8_t *bytes;
    uint64_t *times;
    size_t capacity; /* a power of two */
    uint64_t in, out;
    uint64_t clear; /* when the sender is free */
    uint64_t to_damage, cut_until;
    uint64_t zero;       /* no zero lies between out and here */
    uint8_t packet[600]; /* since the last zero, for sending it twice */
    size_t packet_size;
} track;

struct fake_wire {
    fake_wire_settings settings;
    fake_board *board;
    track to_board, to_host;
    uint64_t time, random;
    double host_baud;
    bool was_reset;
    uint64_t bytes, damage[DAMAGES];
};

static uint64_t below(fake_wire *wire, uint64_t limit) { return (weir_random_next(&wire->random) >> 11) % limit; }

static uint64_t distance(fake_wire *wire) {
    return wire->settings.rate > 0 ? 1 + below(wire, (uint64_t)(2 / wire->settings.rate)) : UINT64_MAX;
}

static void append(track *lane, uint8_t byte, uint64_t time) {
    if (lane->in - lane->out == lane->capacity) {
        const size_t capacity = lane->capacity == 0 ? 8192 : 2 * lane->capacity;
        uint8_t *bytes = malloc(capacity);
        uint64_t *times = malloc(capacity * sizeof *times);
        for (uint64_t i = lane->out; i < lane->in; i++) {
            bytes[i & (capacity - 1)] = lane->bytes[i & (lane->capacity - 1)];
            times[i & (capacity - 1)] = lane->times[i & (lane->capacity - 1)];
        }
        free(lane->bytes);
        free(lane->times);
        lane->bytes = bytes;
        lane->times = times;
        lane->capacity = capacity;
    }
    lane->bytes[lane->in & (lane->capacity - 1)] = byte;
    lane->times[lane->in++ & (lane->capacity - 1)] = time;
}

static bool rates_differ(const fake_wire *wire) {
    return wire->host_baud > 1.04 * wire->settings.baud || wire->host_baud < 0.96 * wire->settings.baud;
}

static uint64_t byte_time(double baud) { return (uint64_t)(1e10 / baud); }

static uint64_t delay(const fake_wire *wire) {
    const bool is_later = wire->settings.later > 0 && wire->time >= wire->settings.later;
    return is_later ? wire->settings.later_delay : wire->settings.delay;
}

/* One byte as the other side sees it. */
static void carry(fake_wire *wire, track *lane, uint8_t byte, uint64_t time) {
    if (rates_differ(wire)) byte = (uint8_t)(1 + below(wire, 255));
    if (lane->packet_size < sizeof lane->packet) lane->packet[lane->packet_size++] = byte;
    const size_t packet_size = lane->packet_size;
    if (byte == 0) lane->packet_size = 0;
    if (time < lane->cut_until) return;
    if (lane->to_damage-- > 1) {
        append(lane, byte, time);
        return;
    }
    lane->to_damage = distance(wire);
    const fake_damage damage = (fake_damage)below(wire, DAMAGES);
    wire->damage[damage]++;
    switch (damage) {
    case DAMAGE_LOST: break;
    case DAMAGE_DOUBLED:
        append(lane, byte, time);
        append(lane, byte, time);
        break;
    case DAMAGE_CUT: lane->cut_until = time + below(wire, 400) * byte_time(wire->settings.baud); break;
    case DAMAGE_CHANGED: append(lane, byte ^ (uint8_t)(1 + below(wire, 255)), time); break;
    case DAMAGE_INSERTED:
        append(lane, (uint8_t)below(wire, 256), time);
        append(lane, byte, time);
        break;
    case DAMAGE_TWICE: /* all of a packet, once more */
        append(lane, byte, time);
        for (size_t i = 0; byte == 0 && i < packet_size; i++) append(lane, lane->packet[i], time);
        break;
    case DAMAGES: break;
    }
}

static uint64_t first_time(const track *lane) {
    return lane->in == lane->out ? UINT64_MAX : lane->times[lane->out & (lane->capacity - 1)];
}

static bool board_can_send(const fake_wire *wire) {
    return wire->to_host.clear <= wire->time && fake_board_has_to_send(wire->board);
}

/* What happens on the board at the time that it is. */
static void run_board(fake_wire *wire) {
    track *lane = &wire->to_board;
    if (wire->settings.reset_at > 0 && wire->time >= wire->settings.reset_at && !wire->was_reset) {
        wire->was_reset = true;
        fake_board_reset(wire->board);
    }
    while (first_time(lane) <= wire->time) {
        if (rates_differ(wire)) fake_board_framing_error(wire->board);
        const uint8_t byte = lane->bytes[lane->out++ & (lane->capacity - 1)];
        if (wire->settings.deaf_at == 0 || wire->time < wire->settings.deaf_at)
            fake_board_byte(wire->board, byte, wire->time);
    }
    fake_board_work(wire->board, wire->time);
    while (board_can_send(wire)) {
        uint8_t packet[FAKE_WIRE];
        const size_t size = fake_board_send(wire->board, wire->time, packet);
        if (wire->to_host.clear < wire->time) wire->to_host.clear = wire->time;
        for (size_t i = 0; i < size; i++) {
            wire->to_host.clear += byte_time(wire->settings.baud);
            carry(wire, &wire->to_host, packet[i], wire->to_host.clear + delay(wire));
        }
        wire->bytes += size;
        fake_board_work(wire->board, wire->time);
    }
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t next_of_board(const fake_wire *wire) {
    uint64_t next = least(first_time(&wire->to_board), fake_board_next(wire->board));
    if (fake_board_has_to_send(wire->board)) next = least(next, wire->to_host.clear);
    if (wire->settings.reset_at > 0 && !wire->was_reset) next = least(next, wire->settings.reset_at);
    return next > wire->time ? next : wire->time + 1;
}

/* When the chip hands over: at a zero (as with an event character), a full buffer, or its timer. */
static uint64_t next_of_host(track *lane) {
    if (lane->in == lane->out) return UINT64_MAX;
    if (lane->zero < lane->out) lane->zero = lane->out;
    while (lane->zero < lane->in && lane->bytes[lane->zero & (lane->capacity - 1)] != 0) lane->zero++;
    uint64_t next = first_time(lane) + LATENCY_TIMER;
    if (lane->zero < lane->in) next = least(next, lane->times[lane->zero & (lane->capacity - 1)]);
    if (lane->in - lane->out >= CHUNK) next = least(next, lane->times[(lane->out + CHUNK - 1) & (lane->capacity - 1)]);
    return next;
}

static bool is_gone(const fake_wire *wire, weir_failure *why) {
    if (wire->settings.gone_at == 0 || wire->time < wire->settings.gone_at) return false;
    weir_failure_set(why, WEIR_WIRE_GONE, "the simulated port disappeared");
    return true;
}

static int wire_read(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    fake_wire *wire = user;
    track *lane = &wire->to_host;
    const uint64_t end = until > UINT64_MAX / 1000 ? UINT64_MAX - 1 : until * 1000;
    for (;;) {
        if (is_gone(wire, why)) return -1;
        run_board(wire);
        const uint64_t ready = next_of_host(lane);
        if (ready <= wire->time) {
            int count = 0;
            while ((size_t)count < size && first_time(lane) <= wire->time)
                data[count++] = lane->bytes[lane->out++ & (lane->capacity - 1)];
            return count;
        }
        if (wire->time >= end) return 0;
        uint64_t next = least(least(next_of_board(wire), ready), end);
        if (wire->settings.gone_at > wire->time) next = least(next, wire->settings.gone_at);
        assert(next != UINT64_MAX);
        wire->time = next;
    }
}

static int wire_write(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    fake_wire *wire = user;
    track *lane = &wire->to_board;
    if (is_gone(wire, why)) return -1;
    if (lane->clear < wire->time) lane->clear = wire->time;
    const uint64_t pending = (lane->clear - wire->time) / byte_time(wire->host_baud);
    if (size > DRIVER - least(pending, DRIVER)) size = (size_t)(DRIVER - least(pending, DRIVER));
    for (size_t i = 0; i < size; i++) {
        lane->clear += byte_time(wire->host_baud);
        carry(wire, lane, data[i], lane->clear + delay(wire));
    }
    wire->bytes += size;
    return (int)size;
}

static uint64_t wire_now(void *user) { return ((fake_wire *)user)->time / 1000; }

static weir_wire_error wire_set_baud(void *user, unsigned baud, weir_failure *why) {
    fake_wire *wire = user;
    if (is_gone(wire, why)) return why->error;
    wire->host_baud = baud;
    wire->to_host.out = wire->to_host.in;
    return WEIR_WIRE_OK;
}

static void wire_close(void *user) { (void)user; }

fake_wire *fake_wire_new(const fake_wire_settings *settings, weir_transport *transport) {
    fake_wire *wire = calloc(1, sizeof *wire);
    wire->settings = *settings;
    wire->board = fake_board_new(&settings->board);
    wire->random = settings->seed;
    wire->time = 1000000000;
    wire->host_baud = settings->baud;
    wire->to_board.to_damage = distance(wire);
    wire->to_host.to_damage = distance(wire);
    *transport = (weir_transport){wire, wire_read, wire_write, wire_now, wire_set_baud, wire_close};
    return wire;
}

void fake_wire_free(fake_wire *wire) {
    fake_board_free(wire->board);
    free(wire->to_board.bytes);
    free(wire->to_board.times);
    free(wire->to_host.bytes);
    free(wire->to_host.times);
    free(wire);
}

fake_board *fake_wire_board(fake_wire *wire) { return wire->board; }
uint64_t fake_wire_bytes(const fake_wire *wire) { return wire->bytes; }
uint64_t fake_wire_damage(const fake_wire *wire, fake_damage damage) { return wire->damage[damage]; }
