#include "wire/link.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wire/packet.h"

enum {
    FLIGHT = 32,            /* packets under way */
    SILENCE = 8,            /* repeats in a row without an answer */
    STRANGE = 8,            /* packets in a row that acknowledge what was not sent */
    FRUITLESS = 200,        /* repeats of one place, each asked for by the board */
    LEAST_PAYLOAD = 16,     /* what packets shrink to on a bad wire */
    FIRST_TIMEOUT = 100000, /* microseconds, before a round trip was measured */
    LEAST_TIMEOUT = 8000,   /* what a scheduler may take */
    LONGEST_TIMEOUT = 1000000,
    LONGEST_QUESTION = 250000, /* between questions to a board that is alive */
    LONGEST_BUSY = 100000,     /* between attempts where the board has no room and forgot to say that it has */
};

/* In place of a time: that of the next weir_link_send. */
#define NEXT_LOOK UINT64_MAX

/* Bytes of a stream by their position; of which hold, the owner knows. */
typedef struct byte_ring {
    uint8_t *data;
    size_t capacity;
} byte_ring;

typedef struct flight {
    uint64_t begin, end; /* bytes of the stream */
    uint64_t left;       /* when its last bit is on the wire */
    bool again;          /* the answer may be to an earlier one */
} flight;

/* A request that is repeated until it is answered: START, or a register. */
typedef struct repeated {
    bool is_pending, is_due;
    unsigned number; /* what the answer carries: of the last try; one more for each */
    unsigned tries;
    uint64_t sent;          /* the last one */
    uint64_t left[SILENCE]; /* each one */
    uint64_t deadline;
} repeated;

struct weir_link {
    weir_transport transport;
    unsigned baud;
    bool is_started;
    weir_failure failure; /* of the streams, which it ended */

    uint8_t out[1 + WEIR_PACKET_WIRE]; /* what the transport has not taken yet */
    size_t out_at, out_size;
    uint64_t clear;               /* nanoseconds: when all that was written is on the wire */
    uint8_t in[WEIR_PACKET_WIRE]; /* since the last zero */
    size_t in_size;               /* larger than `in`: too long */
    uint64_t heard;               /* bytes since the last packet */

    /* The stream to the board: acknowledged <= next <= furthest <= queued. */
    byte_ring send;
    uint64_t acknowledged, next, furthest, queued;
    flight flight[FLIGHT]; /* of acknowledged .. next, in order */
    size_t flights;
    size_t payload;  /* of a packet, at most */
    bool is_careful; /* one packet at a time: after a time-out, and where the board has no room */
    uint64_t resume; /* and none before this time */
    unsigned busy, fruitless, strange;
    size_t stale;        /* answers under way to packets behind the one that was lost */
    unsigned unanswered; /* time-outs since the last packet came */

    /* The stream from the board: taken <= expected. */
    byte_ring receive;
    uint64_t taken, expected, wanted;
    bool owes_acknowledgement, lacked_room, repeat_due, question_due, has_reply;
    unsigned question; /* the link's own: a register */
    uint32_t reply;
    uint64_t quiet_since, repeat_left;
    unsigned quiet, fruitless_in;
    uint64_t damaged_before; /* the repeat that was asked for last */

    repeated start, ask;
    unsigned ask_address;
    bool ask_writes, is_answered;
    uint32_t value;
    weir_link_moment moment;

    uint64_t round_trip, variation, least_round_trip; /* microseconds */
    weir_link_counters counters;
};

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t now(const weir_link *link) { return link->transport.now(link->transport.user); }

/* Nanoseconds on the wire: ten bits a byte. */
static uint64_t wire_time(const weir_link *link, size_t bytes) { return bytes * UINT64_C(10000000000) / link->baud; }

/* How far ahead of the wire a packet is made: enough for a late wake-up, not so much that acknowledgements get old. */
static uint64_t ahead(const weir_link *link) { return wire_time(link, WEIR_PACKET_WIRE) / 4; }

static uint64_t timeout(const weir_link *link) {
    const uint64_t packets = 4 * wire_time(link, WEIR_PACKET_WIRE) / 1000;
    if (link->round_trip == 0) return FIRST_TIMEOUT + packets;
    return most(link->round_trip + 4 * link->variation + packets, LEAST_TIMEOUT);
}

static uint64_t doubled(uint64_t time, unsigned times, uint64_t limit) {
    return least(time << (times < 10 ? times : 10), most(limit, time));
}

/* RFC 6298. */
static void measure_round_trip(weir_link *link, uint64_t left) {
    const uint64_t at = now(link), sample = at > left ? at - left : 1;
    if (link->round_trip == 0) {
        link->round_trip = link->least_round_trip = sample;
        link->variation = sample / 2;
        return;
    }
    const uint64_t error = sample > link->round_trip ? sample - link->round_trip : link->round_trip - sample;
    link->variation = (3 * link->variation + error) / 4;
    link->round_trip = most((7 * link->round_trip + sample) / 8, 1);
    link->least_round_trip = least(link->least_round_trip, sample);
}

weir_link *weir_link_new(const weir_transport *transport, unsigned baud) {
    assert(baud > 0);
    weir_link *link = calloc(1, sizeof *link);
    if (link == NULL) return NULL;
    link->transport = *transport;
    link->baud = baud;
    link->start.number = link->ask.number = (unsigned)(now(link) * 0x9e3779b1u >> 12);
    return link;
}

void weir_link_free(weir_link *link) {
    if (link == NULL) return;
    link->transport.close(link->transport.user);
    free(link->send.data);
    free(link->receive.data);
    free(link);
}

weir_wire_error weir_link_set_baud(weir_link *link, unsigned baud, weir_failure *why) {
    if (baud == 0) return weir_failure_set(why, WEIR_WIRE_BAUD, "0 is not a baud");
    const weir_wire_error error = link->transport.set_baud(link->transport.user, baud, why);
    if (error != WEIR_WIRE_OK) return error;
    link->baud = baud;
    link->in_size = link->out_at = link->out_size = 0;
    link->round_trip = link->least_round_trip = 0;
    link->clear = 0;
    return WEIR_WIRE_OK;
}

/* --- streams in memory --- */

static bool resize(byte_ring *ring, size_t capacity) {
    if (capacity == ring->capacity) return true;
    uint8_t *data = realloc(ring->data, capacity == 0 ? 1 : capacity);
    if (data == NULL) return false;
    ring->data = data;
    ring->capacity = capacity;
    return true;
}

static void copy_in(const byte_ring *ring, uint64_t position, const uint8_t *data, size_t size) {
    if (size == 0) return;
    assert(size <= ring->capacity);
    const size_t at = (size_t)(position % ring->capacity),
                 first = size < ring->capacity - at ? size : ring->capacity - at;
    memcpy(ring->data + at, data, first);
    memcpy(ring->data, data + first, size - first);
}

static void copy_out(const byte_ring *ring, uint64_t position, uint8_t *data, size_t size) {
    if (size == 0) return;
    assert(size <= ring->capacity);
    const size_t at = (size_t)(position % ring->capacity),
                 first = size < ring->capacity - at ? size : ring->capacity - at;
    memcpy(data, ring->data + at, first);
    memcpy(data + first, ring->data, size - first);
}

size_t weir_link_room(const weir_link *link) {
    return link->send.capacity - (size_t)(link->queued - link->acknowledged);
}

size_t weir_link_put(weir_link *link, const uint8_t *data, size_t size) {
    if (size > weir_link_room(link)) size = weir_link_room(link);
    copy_in(&link->send, link->queued, data, size);
    link->queued += size;
    return size;
}

size_t weir_link_available(const weir_link *link) { return (size_t)(link->expected - link->taken); }

size_t weir_link_get(weir_link *link, uint8_t *data, size_t size) {
    if (size > weir_link_available(link)) size = weir_link_available(link);
    if (data != NULL) copy_out(&link->receive, link->taken, data, size);
    link->taken += size;
    if (link->lacked_room && size > 0) {
        link->lacked_room = false;
        link->repeat_due = true;
    }
    return size;
}

void weir_link_expect(weir_link *link, uint64_t bytes) {
    if (link->wanted <= link->expected) {
        link->quiet_since = NEXT_LOOK;
        link->quiet = 0;
    }
    link->wanted = bytes;
}

bool weir_link_is_acknowledged(const weir_link *link) { return link->acknowledged == link->queued; }

weir_link_counters weir_link_count(const weir_link *link) {
    weir_link_counters counters = link->counters;
    counters.round_trip = link->round_trip;
    return counters;
}

bool weir_link_reply(weir_link *link, uint32_t *value) {
    const bool has_reply = link->has_reply;
    *value = link->reply;
    link->has_reply = false;
    return has_reply;
}

/* --- requests --- */

weir_wire_error weir_link_start(weir_link *link, size_t send, size_t receive, unsigned question, weir_failure *why) {
    if (!resize(&link->send, send) || !resize(&link->receive, receive))
        return weir_failure_set(why, WEIR_WIRE_MEMORY, "no memory for buffers of %zu and %zu bytes", send, receive);
    link->is_started = false;
    link->failure.error = WEIR_WIRE_OK;
    link->acknowledged = link->next = link->furthest = link->queued = 0;
    link->flights = 0;
    link->payload = WEIR_PACKET_PAYLOAD;
    link->is_careful = false;
    link->resume = 0;
    link->busy = link->fruitless = link->strange = link->unanswered = 0;
    link->stale = 0;
    link->taken = link->expected = link->wanted = 0;
    link->owes_acknowledgement = link->lacked_room = link->repeat_due = link->question_due = link->has_reply = false;
    link->repeat_left = 0;
    link->quiet = link->fruitless_in = 0;
    link->heard = 0;
    link->question = question;
    link->start = (repeated){.is_pending = true, .is_due = true, .number = link->start.number + 1};
    return WEIR_WIRE_OK;
}

bool weir_link_is_started(const weir_link *link) { return link->is_started; }
bool weir_link_is_starting(const weir_link *link) { return link->start.is_pending; }
bool weir_link_is_asking(const weir_link *link) { return link->ask.is_pending; }

const weir_failure *weir_link_failure(const weir_link *link) {
    return link->failure.error == WEIR_WIRE_OK ? NULL : &link->failure;
}

void weir_link_stop(weir_link *link, const weir_failure *why) {
    link->failure = *why;
    link->is_started = false;
}

void weir_link_cancel(weir_link *link) {
    link->start.is_pending = link->start.is_due = false;
    link->ask.is_pending = link->ask.is_due = false;
}

void weir_link_ask(weir_link *link, unsigned address, bool write, uint32_t value) {
    assert(address < 128);
    link->ask = (repeated){.is_pending = true, .is_due = true, .number = link->ask.number + 1};
    link->ask_address = address;
    link->ask_writes = write;
    link->value = value;
    link->is_answered = false;
    link->heard = 0;
}

bool weir_link_answer(const weir_link *link, uint32_t *value, weir_link_moment *moment) {
    if (!link->is_answered) return false;
    *value = link->value;
    *moment = link->moment;
    return true;
}

/* --- what is sent --- */

/* Puts the packet behind what the transport has not taken. Its first one ends whatever a former host left on the
 * wire. */
static void compose(weir_link *link, weir_packet *packet, bool ends_former) {
    packet->acknowledged = link->expected % WEIR_PACKET_MODULO;
    link->out_at = link->out_size = 0;
    if (ends_former) link->out[link->out_size++] = 0;
    link->out_size += weir_packet_encode(packet, link->out + link->out_size);
    link->clear = most(link->clear, now(link) * 1000) + wire_time(link, link->out_size);
    link->owes_acknowledgement = false;
    link->counters.packets_out++;
}

static uint64_t left(const weir_link *link) { return link->clear / 1000; }

static void sent(weir_link *link, repeated *request, uint64_t at) {
    request->is_due = false;
    request->sent = at;
    request->left[request->tries] = left(link);
    request->deadline = left(link) + doubled(timeout(link), request->tries, LONGEST_TIMEOUT);
    request->tries++;
}

/* An answer to the try that was `before` the last one. Only the last one's counts, for streams and clocks; an older one
 * says that it is worth waiting longer. */
static bool is_answer(weir_link *link, repeated *request, unsigned before) {
    if (!request->is_pending || before >= request->tries) return false;
    const unsigned last = request->tries - 1;
    if (request->is_due) return false; /* the next one is not sent yet */
    measure_round_trip(link, request->left[last - before]);
    request->deadline = most(request->deadline, request->left[last] + timeout(link));
    return before == 0;
}

static void compose_start(weir_link *link, uint64_t at) {
    weir_packet packet = {.type = WEIR_PACKET_START, .position = link->start.number % WEIR_PACKET_MODULO};
    compose(link, &packet, true);
    sent(link, &link->start, at);
}

/* 0 is the tag of the link's own questions. */
static unsigned tag(const repeated *request) { return 1 + request->number % 255; }

static void compose_register(weir_link *link, unsigned tag, unsigned address, bool write, uint32_t value) {
    weir_packet packet = {.type = WEIR_PACKET_REGISTER, .length = write ? 6 : 2};
    packet.payload[0] = (uint8_t)tag;
    packet.payload[1] = (uint8_t)(address | (write ? 0x80 : 0));
    for (unsigned i = 0; i < 4; i++) packet.payload[2 + i] = (uint8_t)(value >> 8 * i);
    compose(link, &packet, !link->is_started);
}

static void compose_status(weir_link *link, unsigned flags) {
    weir_packet packet = {.type = WEIR_PACKET_STATUS, .flags = flags};
    compose(link, &packet, false);
}

/* How many bytes the next DATA packet has; 0: none may be sent. */
static size_t data_size(const weir_link *link) {
    const size_t queued = (size_t)(link->queued - link->next), under_way = (size_t)(link->next - link->acknowledged);
    const size_t size = queued < link->payload ? queued : link->payload;
    if (link->flights == FLIGHT || (link->is_careful && link->flights > 0)) return 0;
    return under_way + size <= WEIR_PACKET_WINDOW ? size : 0;
}

static void compose_data(weir_link *link, size_t size) {
    weir_packet packet = {.type = WEIR_PACKET_DATA, .position = link->next % WEIR_PACKET_MODULO, .length = size};
    copy_out(&link->send, link->next, packet.payload, size);
    compose(link, &packet, false);
    const uint64_t end = link->next + size;
    const bool again = link->next < link->furthest;
    if (again) link->counters.repeated += least(end, link->furthest) - link->next;
    link->flight[link->flights++] = (flight){link->next, end, left(link), again};
    link->next = end;
    link->furthest = most(link->furthest, end);
}

/* Makes the most urgent packet; false when there is none. */
static bool compose_next(weir_link *link) {
    const uint64_t at = now(link);
    size_t size;
    if (link->start.is_due) {
        compose_start(link, at);
    } else if (link->ask.is_due && !link->start.is_pending) {
        compose_register(link, tag(&link->ask), link->ask_address, link->ask_writes, link->value);
        sent(link, &link->ask, at);
    } else if (!link->is_started) {
        return false;
    } else if (link->repeat_due) {
        compose_status(link, WEIR_PACKET_REPEAT);
        link->repeat_due = false;
        link->repeat_left = left(link);
        link->damaged_before = link->counters.damaged;
        link->counters.repeat_requests++;
    } else if (link->question_due) {
        link->question_due = false;
        compose_register(link, 0, link->question, false, 0);
    } else if (at >= link->resume && (size = data_size(link)) > 0) {
        compose_data(link, size);
    } else if (link->owes_acknowledgement) {
        compose_status(link, 0);
    } else {
        return false;
    }
    return true;
}

static void go_back(weir_link *link) {
    link->next = link->acknowledged;
    link->flights = 0;
}

static void stop_damaged(weir_link *link, const char *direction, uint64_t position) {
    weir_failure why;
    weir_failure_set(&why, WEIR_WIRE_DAMAGED, "%d repeats of byte %llu %s the board were all damaged", FRUITLESS,
                     (unsigned long long)position, direction);
    weir_link_stop(link, &why);
}

/* The first packet under way is taken for lost; where that happens again and again, packets get shorter. */
static void lose(weir_link *link) {
    link->stale = link->flights - 1;
    go_back(link);
    if (link->fruitless++ > 0) link->payload = most(link->payload / 2, LEAST_PAYLOAD);
    if (link->fruitless > FRUITLESS) stop_damaged(link, "to", link->acknowledged);
}

/* Repeats a request, or gives it up. */
static void check_request(weir_link *link, repeated *request) {
    if (!request->is_pending || request->is_due || now(link) < request->deadline) return;
    link->counters.unanswered++;
    request->is_pending = request->is_due = request->tries < SILENCE;
    if (request->is_due) request->number++;
}

static uint64_t data_deadline(const weir_link *link) {
    return link->flight[0].left + doubled(timeout(link), link->unanswered, LONGEST_TIMEOUT);
}

static uint64_t quiet_deadline(const weir_link *link) {
    return most(link->quiet_since, link->repeat_left) + doubled(timeout(link), link->quiet, LONGEST_QUESTION);
}

static void stop_silent(weir_link *link) {
    weir_failure why;
    if (link->heard > 0)
        weir_failure_set(&why, WEIR_WIRE_GARBAGE,
                         "%u repeats at %u baud, and %llu bytes came without a packet among them", link->unanswered,
                         link->baud, (unsigned long long)link->heard);
    else
        weir_failure_set(&why, WEIR_WIRE_SILENT, "%u repeats at %u baud, and no byte came", link->unanswered,
                         link->baud);
    weir_link_stop(link, &why);
}

/* Asks again for what is overdue. */
static void check_deadlines(weir_link *link) {
    check_request(link, &link->start);
    check_request(link, &link->ask);
    if (!link->is_started) return;
    const uint64_t at = now(link);
    if (link->quiet_since == NEXT_LOOK) link->quiet_since = at;
    bool is_late = false;
    if (link->flights > 0 && at >= data_deadline(link)) {
        is_late = true;
        lose(link);
        link->is_careful = true;
        link->resume = 0;
    }
    if (link->wanted > link->expected && !link->repeat_due && !link->lacked_room && at >= quiet_deadline(link)) {
        is_late = true;
        link->quiet++;
        link->repeat_due = true;
        link->question_due = !link->ask.is_pending; /* a board takes one request at a time */
        link->quiet_since = at;
    }
    if (!is_late) return;
    link->counters.unanswered++;
    if (link->unanswered++ >= SILENCE) stop_silent(link);
}

weir_wire_error weir_link_send(weir_link *link, weir_failure *why) {
    check_deadlines(link);
    for (;;) {
        if (link->out_at < link->out_size) {
            const int count = link->transport.write(link->transport.user, link->out + link->out_at,
                                                    link->out_size - link->out_at, why);
            if (count < 0) return why->error;
            link->out_at += (size_t)count;
            if (link->out_at < link->out_size) break;
        }
        if (link->clear > now(link) * 1000 + ahead(link) || !compose_next(link)) break;
    }
    return WEIR_WIRE_OK;
}

uint64_t weir_link_wake(const weir_link *link) {
    uint64_t wake = UINT64_MAX;
    if (link->out_at < link->out_size) return now(link) + 1000;
    const uint64_t next = link->clear > ahead(link) ? (link->clear - ahead(link) + 999) / 1000 : 0;
    if (link->start.is_due || (link->ask.is_due && !link->start.is_pending)) return next;
    if (link->start.is_pending) wake = least(wake, link->start.deadline);
    if (link->ask.is_pending && !link->ask.is_due) wake = least(wake, link->ask.deadline);
    if (!link->is_started) return wake;
    if (link->repeat_due || link->question_due || link->owes_acknowledgement) wake = least(wake, next);
    if (data_size(link) > 0) wake = least(wake, most(next, link->resume));
    if (link->flights > 0) wake = least(wake, data_deadline(link));
    if (link->wanted > link->expected && !link->lacked_room) wake = least(wake, quiet_deadline(link));
    return wake;
}

/* --- what came --- */

/* Positions that no board has whose streams began with the host's: once it may be an old packet. */
static void find_strange(weir_link *link) {
    if (++link->strange < STRANGE) return;
    weir_failure why;
    weir_failure_set(&why, WEIR_WIRE_RESET,
                     "the board's positions are not those of these streams: it was reset, or another host talks to it");
    weir_link_stop(link, &why);
}

static void take_acknowledgement(weir_link *link, unsigned acknowledged) {
    const uint64_t step = (acknowledged - link->acknowledged) % WEIR_PACKET_MODULO;
    if (step > link->furthest - link->acknowledged) {
        find_strange(link);
        return;
    }
    if (step == 0) return;
    link->strange = 0;
    link->acknowledged += step;
    link->counters.bytes_out += step;
    size_t done = 0;
    while (done < link->flights && link->flight[done].end <= link->acknowledged) done++;
    if (done > 0 && link->flight[done - 1].end == link->acknowledged && !link->flight[done - 1].again)
        measure_round_trip(link, link->flight[done - 1].left);
    link->flights -= done;
    memmove(link->flight, link->flight + done, link->flights * sizeof *link->flight);
    if (link->flights > 0) link->flight[0].begin = most(link->flight[0].begin, link->acknowledged);
    link->next = most(link->next, link->acknowledged);
    link->quiet_since = now(link);
    link->is_careful = false;
    link->resume = 0;
    link->busy = link->fruitless = 0;
    link->stale = 0;
    if (link->payload < WEIR_PACKET_PAYLOAD) link->payload = least(link->payload + LEAST_PAYLOAD, WEIR_PACKET_PAYLOAD);
}

/* A packet was lost. Those behind it get the same answer each; what cannot be, or likely is not, the answer to the
 * repeat is one of these. */
static void take_gap(weir_link *link) {
    link->counters.gaps++;
    if (link->flights == 0) return;
    const uint64_t since = now(link) - least(now(link), link->flight[0].left);
    const bool is_stale = link->stale > 0 && since < link->round_trip + 4 * link->variation;
    if (link->stale > 0) link->stale--;
    if (is_stale || since < link->least_round_trip) return;
    lose(link);
    link->is_careful = false;
}

static void take_busy(weir_link *link) {
    link->counters.busy++;
    if (link->flights == 0) { /* so it says of each packet behind the one that it had no room for */
        if (link->stale > 0) link->stale--;
        return;
    }
    link->stale = link->flights - 1;
    go_back(link);
    link->is_careful = true;
    link->resume = now(link) + doubled(timeout(link), link->busy, LONGEST_BUSY);
    link->busy++;
}

static void take_status(weir_link *link, unsigned flags) {
    if (flags & WEIR_PACKET_GAP) take_gap(link);
    if (flags & WEIR_PACKET_BUSY) take_busy(link);
    if (!(flags & WEIR_PACKET_ROOM)) return;
    link->is_careful = false;
    link->resume = 0;
}

static void take_data(weir_link *link, const weir_packet *packet) {
    const unsigned ahead_by = (packet->position - (unsigned)link->expected) % WEIR_PACKET_MODULO;
    if (ahead_by >= WEIR_PACKET_WINDOW) { /* came before: the board does not know that */
        link->owes_acknowledgement = true;
        return;
    }
    if (ahead_by > 0) {
        if (link->repeat_due || link->lacked_room ||
            (link->repeat_left > 0 && now(link) < link->repeat_left + link->least_round_trip))
            return;
        link->repeat_due = true;
        if (link->repeat_left > 0 && link->damaged_before == link->counters.damaged) find_strange(link);
        if (++link->fruitless_in > FRUITLESS) stop_damaged(link, "from", link->expected);
        return;
    }
    if (packet->length > link->receive.capacity - weir_link_available(link)) {
        link->lacked_room = true;
        return;
    }
    copy_in(&link->receive, link->expected, packet->payload, packet->length);
    link->expected += packet->length;
    link->counters.bytes_in += packet->length;
    link->owes_acknowledgement = true;
    link->repeat_left = 0;
    link->quiet = link->fruitless_in = link->strange = 0;
    link->quiet_since = now(link);
}

static uint32_t value_of(const uint8_t *payload) {
    return payload[2] | (uint32_t)payload[3] << 8 | (uint32_t)payload[4] << 16 | (uint32_t)payload[5] << 24;
}

static void take_answer(weir_link *link, const weir_packet *packet) {
    const uint8_t *payload = packet->payload;
    if (link->is_started && payload[0] == 0 && payload[1] == link->question) {
        link->has_reply = true;
        link->reply = value_of(payload);
    }
    const unsigned before = (tag(&link->ask) + 255 - payload[0]) % 255;
    if (payload[0] == 0 || (payload[1] & 0x7fu) != link->ask_address || !is_answer(link, &link->ask, before)) return;
    link->moment = (weir_link_moment){link->ask.sent, now(link)};
    link->value = value_of(payload);
    link->ask.is_pending = false;
    link->is_answered = true;
}

static void take_start(weir_link *link, const weir_packet *packet) {
    if (!is_answer(link, &link->start, (link->start.number - packet->position) % WEIR_PACKET_MODULO)) return;
    link->start.is_pending = false;
    link->is_started = true;
    link->quiet_since = now(link);
}

/* What a packet of each type has: a board sends nothing else. */
static bool is_plausible(const weir_packet *packet) {
    switch (packet->type) {
    case WEIR_PACKET_DATA: return packet->length > 0;
    case WEIR_PACKET_REGISTER: return packet->length == 6;
    case WEIR_PACKET_STATUS:
    case WEIR_PACKET_START: return packet->length == 0;
    }
    return false;
}

static void take_packet(weir_link *link) {
    weir_packet packet;
    if (!weir_packet_decode(link->in, link->in_size, &packet) || !is_plausible(&packet)) {
        link->counters.damaged++;
        link->quiet = 0; /* perhaps what is waited for */
        return;
    }
    link->counters.packets_in++;
    link->heard = 0;
    link->unanswered = 0;
    if (packet.type == WEIR_PACKET_START) {
        take_start(link, &packet);
        return;
    }
    if (link->is_started) take_acknowledgement(link, packet.acknowledged);
    if (packet.type == WEIR_PACKET_REGISTER) take_answer(link, &packet);
    if (link->is_started && packet.type == WEIR_PACKET_STATUS) take_status(link, packet.flags);
    if (link->is_started && packet.type == WEIR_PACKET_DATA) take_data(link, &packet);
}

void weir_link_accept(weir_link *link, const uint8_t *data, size_t size) {
    link->heard += size;
    for (size_t i = 0; i < size; i++) {
        if (data[i] != 0) {
            if (link->in_size < sizeof link->in) link->in[link->in_size] = data[i];
            if (link->in_size <= sizeof link->in) link->in_size++;
        } else {
            if (link->in_size > 0) take_packet(link);
            link->in_size = 0;
        }
    }
}

uint64_t weir_link_heard(const weir_link *link) { return link->heard; }
