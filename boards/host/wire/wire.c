#include "wire/wire.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wire/packet.h"

enum {
    SLICE = 1000,       /* microseconds: how long what another thread submits may wait for the one that reads */
    ATTEMPT = 330000,   /* for an answer at one of the rates that are tried */
    PATIENCE = 8000000, /* for START and registers: their repeats end before */
    LONGEST_APART = 4000000,
    READINGS = 5,  /* of the time, of which the closest counts */
    BYTES = 16384, /* buffered of each stream where there are no frames */
    CHUNK = 4096,
};

struct weir_wire {
    pthread_mutex_t mutex; /* of the tickets; whose turn it is has the rest */
    pthread_cond_t changed;
    uint64_t ticket, turn;
    bool is_reading; /* a thread waits for bytes, without the mutex; nobody else calls the transport */
    bool is_asking;  /* the link has a question */
    uint64_t time;   /* the transport's, when it was looked at last */
    unsigned begun;  /* how often streams were begun */
    weir_link *link;
    weir_transport transport;
    weir_wire_frames frames; /* 0: none */
    weir_mode mode;
    uint64_t submitted, received;
};

weir_wire_error weir_wire_open(weir_wire **wire, const weir_transport *transport, unsigned baud, weir_failure *why) {
    weir_wire *made = calloc(1, sizeof *made);
    weir_link *link = made == NULL || baud == 0 ? NULL : weir_link_new(transport, baud);
    if (link == NULL) {
        free(made);
        transport->close(transport->user);
        if (baud == 0) return weir_failure_set(why, WEIR_WIRE_BAUD, "0 is not a baud");
        return weir_failure_set(why, WEIR_WIRE_MEMORY, "no memory for a handle");
    }
    made->link = link;
    made->transport = *transport;
    made->time = transport->now(transport->user);
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    *wire = made;
    return WEIR_WIRE_OK;
}

void weir_wire_close(weir_wire *wire) {
    if (wire == NULL) return;
    weir_link_free(wire->link);
    pthread_cond_destroy(&wire->changed);
    pthread_mutex_destroy(&wire->mutex);
    free(wire);
}

/* --- turns: first come, first served, so that a thread whose reads take no time keeps nobody out --- */

static void take_turn(weir_wire *wire) {
    pthread_mutex_lock(&wire->mutex);
    const uint64_t ticket = wire->ticket++;
    while (wire->turn != ticket) pthread_cond_wait(&wire->changed, &wire->mutex);
    pthread_mutex_unlock(&wire->mutex);
}

static void end_turn(weir_wire *wire) {
    pthread_mutex_lock(&wire->mutex);
    wire->turn++;
    pthread_cond_broadcast(&wire->changed);
    pthread_mutex_unlock(&wire->mutex);
}

/* --- waiting: in a turn at the beginning and at the end --- */

/* The transport's time, which a thread that reads keeps up to date. */
static uint64_t now(weir_wire *wire) {
    if (!wire->is_reading) wire->time = wire->transport.now(wire->transport.user);
    return wire->time;
}

/* Another thread reads: until something changes, or 10 ms of the processor's clock. */
static void wait_for_other(weir_wire *wire) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 10000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&wire->mutex);
    wire->turn++;
    pthread_cond_broadcast(&wire->changed);
    pthread_cond_timedwait(&wire->changed, &wire->mutex, &until);
    pthread_mutex_unlock(&wire->mutex);
    take_turn(wire);
}

static weir_wire_error tell_mode(const weir_wire *wire, uint32_t control, weir_failure *why) {
    return weir_failure_set(why, WEIR_WIRE_RESET, "the board is in mode %u, not in mode %d: it was reset", control & 7,
                            (int)wire->mode);
}

/* The link's question was answered. What a board counts of frames since START lies between what was received and what
 * was submitted, and it is in the mode that was begun, unless it was reset. */
static void check_reply(weir_wire *wire) {
    uint32_t value;
    weir_failure why;
    if (!weir_link_reply(wire->link, &value)) return;
    if (wire->frames.in_flight == 0) {
        if ((value & 7) == (uint32_t)wire->mode) return;
        tell_mode(wire, value, &why);
    } else {
        const unsigned in = value & 0xffff, out = value >> 16, received = (unsigned)wire->received;
        const uint64_t most = wire->submitted - wire->received;
        if (wire->mode != WEIR_MODE_ACCELERATOR ||
            (((in - received) & 0xffff) <= most && ((out - received) & 0xffff) <= most))
            return;
        weir_failure_set(
            &why, WEIR_WIRE_RESET,
            "the board counted %u frames in and %u out, but %llu results came (modulo 65,536): it was reset", in, out,
            (unsigned long long)wire->received);
    }
    weir_link_stop(wire->link, &why);
}

static weir_wire_error read_some(weir_wire *wire, uint64_t until, weir_failure *why) {
    uint8_t data[CHUNK];
    wire->is_reading = true;
    end_turn(wire);
    const int size = wire->transport.read(wire->transport.user, data, sizeof data, until, why);
    const uint64_t time = wire->transport.now(wire->transport.user);
    take_turn(wire);
    wire->is_reading = false;
    wire->time = time;
    if (size < 0) return why->error;
    weir_link_accept(wire->link, data, (size_t)size);
    check_reply(wire);
    return WEIR_WIRE_OK;
}

/* Moves bytes until `is_done` or the time `until`: TIMEOUT, without a text. */
static weir_wire_error run(weir_wire *wire, bool (*is_done)(const weir_wire *wire), uint64_t until, weir_failure *why) {
    const unsigned begun = wire->begun;
    for (;;) {
        if (begun != wire->begun) return weir_failure_set(why, WEIR_WIRE_RESET, "another thread restarted the streams");
        if (is_done(wire)) return WEIR_WIRE_OK;
        if (wire->is_reading) {
            if (now(wire) >= until) return WEIR_WIRE_TIMEOUT;
            wait_for_other(wire);
            continue;
        }
        weir_wire_error error = weir_link_send(wire->link, why);
        if (error != WEIR_WIRE_OK) return error;
        const uint64_t time = now(wire), wake = weir_link_wake(wire->link), slice = time + SLICE;
        const uint64_t first = wake < until ? wake : until;
        error = read_some(wire, first < slice ? first : slice, why);
        if (error != WEIR_WIRE_OK) return error;
        if (time >= until && begun == wire->begun) return is_done(wire) ? WEIR_WIRE_OK : WEIR_WIRE_TIMEOUT;
    }
}

static uint64_t after(weir_wire *wire, uint64_t limit) {
    const uint64_t time = now(wire);
    return limit > UINT64_MAX - time ? UINT64_MAX : time + limit;
}

/* --- START and registers --- */

static bool is_not_starting(const weir_wire *wire) { return !weir_link_is_starting(wire->link); }
static bool is_answered(const weir_wire *wire) { return !weir_link_is_asking(wire->link); }
static bool is_not_asking(const weir_wire *wire) { return !wire->is_asking; }
static bool is_not_reading(const weir_wire *wire) { return !wire->is_reading; }

/* Nothing answered to a request since the time `begin`. */
static weir_wire_error tell_silence(weir_wire *wire, const char *what, uint64_t begin, weir_failure *why) {
    weir_link_cancel(wire->link);
    const unsigned long long heard = weir_link_heard(wire->link), time = (now(wire) - begin) / 1000;
    if (heard == 0) return weir_failure_set(why, WEIR_WIRE_SILENT, "%s: no byte came in %llu ms", what, time);
    return weir_failure_set(why, WEIR_WIRE_GARBAGE, "%s: %llu bytes came in %llu ms, without a packet among them", what,
                            heard, time);
}

static weir_wire_error start(weir_wire *wire, uint64_t limit, weir_failure *why) {
    const weir_wire_frames *frames = &wire->frames;
    const size_t send = frames->in_flight == 0 ? BYTES : frames->in_flight * frames->bytes_in,
                 receive = frames->in_flight == 0 ? BYTES : frames->in_flight * frames->bytes_out + WEIR_PACKET_PAYLOAD;
    wire->begun++;
    wire->submitted = wire->received = 0;
    weir_wire_error error = weir_link_start(wire->link, send, receive,
                                            frames->in_flight == 0 ? WEIR_REGISTER_CONTROL : WEIR_REGISTER_FRAMES, why);
    const uint64_t begin = now(wire);
    if (error == WEIR_WIRE_OK) error = run(wire, is_not_starting, after(wire, limit), why);
    if (error != WEIR_WIRE_OK && error != WEIR_WIRE_TIMEOUT) return error;
    return weir_link_is_started(wire->link) ? WEIR_WIRE_OK : tell_silence(wire, "START", begin, why);
}

static weir_wire_error ask(weir_wire *wire, unsigned address, bool write, uint32_t *value, weir_link_moment *moment,
                           uint64_t limit, weir_failure *why) {
    const uint64_t begin = now(wire), until = after(wire, limit);
    weir_wire_error error = run(wire, is_not_asking, until, why);
    if (error == WEIR_WIRE_TIMEOUT) return weir_failure_set(why, error, "another thread's question is not answered");
    if (error != WEIR_WIRE_OK) return error;
    wire->is_asking = true;
    weir_link_ask(wire->link, address, write, *value);
    error = run(wire, is_answered, until, why);
    wire->is_asking = false;
    if (error != WEIR_WIRE_OK && error != WEIR_WIRE_TIMEOUT) return error;
    if (weir_link_answer(wire->link, value, moment)) return WEIR_WIRE_OK;
    char what[40];
    snprintf(what, sizeof what, "register %u", address);
    return tell_silence(wire, what, begin, why);
}

static weir_wire_error read_register(weir_wire *wire, unsigned address, uint32_t *value, weir_failure *why) {
    weir_link_moment moment;
    *value = 0;
    return ask(wire, address, false, value, &moment, PATIENCE, why);
}

static weir_wire_error write_register(weir_wire *wire, unsigned address, uint32_t value, weir_failure *why) {
    weir_link_moment moment;
    return ask(wire, address, true, &value, &moment, PATIENCE, why);
}

/* What the calls below have in common: a turn, and a place for a failure. */
static weir_failure *enter(weir_wire *wire, weir_failure *why, weir_failure *own) {
    take_turn(wire);
    return why == NULL ? own : why;
}
static weir_wire_error leave(weir_wire *wire, weir_wire_error error) {
    end_turn(wire);
    return error;
}

weir_wire_error weir_wire_read(weir_wire *wire, unsigned address, uint32_t *value, weir_failure *why) {
    if (address > 127) return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "there is no register %u", address);
    weir_failure own;
    why = enter(wire, why, &own);
    return leave(wire, read_register(wire, address, value, why));
}

weir_wire_error weir_wire_write(weir_wire *wire, unsigned address, uint32_t value, weir_failure *why) {
    if (address > 127) return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "there is no register %u", address);
    weir_failure own;
    why = enter(wire, why, &own);
    return leave(wire, write_register(wire, address, value, why));
}

/* --- who is there --- */

static weir_wire_error identify(weir_wire *wire, weir_wire_identity *identity, weir_failure *why) {
    uint32_t magic, version;
    weir_wire_error error = read_register(wire, WEIR_REGISTER_MAGIC, &magic, why);
    if (error != WEIR_WIRE_OK) return error;
    if (magic != WEIR_MAGIC)
        return weir_failure_set(why, WEIR_WIRE_STRANGER, "magic is 0x%08x, expected 0x%08x", magic,
                                (unsigned)WEIR_MAGIC);
    error = read_register(wire, WEIR_REGISTER_VERSION, &version, why);
    if (error != WEIR_WIRE_OK) return error;
    *identity = (weir_wire_identity){version & 0xff,
                                     version & 0xff00,
                                     (size_t)1 << (version >> 16 & 31),
                                     (size_t)1 << (version >> 24 & 31),
                                     0,
                                     0,
                                     0};
    if (identity->protocol != WEIR_PROTOCOL)
        return weir_failure_set(why, WEIR_WIRE_STRANGER,
                                "the board speaks version %u of the protocol, this host version %d", identity->protocol,
                                WEIR_PROTOCOL);
    error = read_register(wire, WEIR_REGISTER_BUILD, &identity->build, why);
    if (error == WEIR_WIRE_OK) error = read_register(wire, WEIR_REGISTER_MODEL, &identity->model, why);
    if (error == WEIR_WIRE_OK) error = read_register(wire, WEIR_REGISTER_CLOCK_HZ, &identity->clock_hz, why);
    return error;
}

weir_wire_error weir_wire_identify(weir_wire *wire, weir_wire_identity *identity, weir_failure *why) {
    weir_failure own;
    why = enter(wire, why, &own);
    return leave(wire, identify(wire, identity, why));
}

/* One rate: OK, SILENT or GARBAGE, or what ends the search. */
static weir_wire_error try_rate(weir_wire *wire, unsigned baud, weir_wire_rate *rate, weir_failure *why) {
    weir_wire_identity identity;
    weir_wire_error error = weir_link_set_baud(wire->link, baud, why);
    if (error == WEIR_WIRE_OK) error = start(wire, ATTEMPT, why);
    if (error == WEIR_WIRE_OK) error = identify(wire, &identity, why);
    if (error != WEIR_WIRE_OK) return error;
    rate->baud = baud;
    error = read_register(wire, WEIR_REGISTER_ERRORS, &rate->errors, why);
    return error == WEIR_WIRE_OK ? write_register(wire, WEIR_REGISTER_ERRORS, rate->errors, why) : error;
}

static weir_wire_error probe(weir_wire *wire, unsigned wanted, weir_wire_rate *rate, weir_failure *why) {
    static const unsigned percent[] = {100, 400, 50, 97, 103, 94, 106, 91, 109, 88, 112};
    unsigned without = 0, garbage = 0, refused = 0;
    wire->frames = (weir_wire_frames){0, 0, 0};
    wire->mode = WEIR_MODE_ACCELERATOR;
    for (size_t i = 0; i < sizeof percent / sizeof *percent; i++) {
        rate->ratio = percent[i] / 100.0;
        const weir_wire_error error = try_rate(wire, (unsigned)((uint64_t)wanted * percent[i] / 100), rate, why);
        if (error == WEIR_WIRE_BAUD && i > 0) refused++;
        else if (error == WEIR_WIRE_SILENT) without++;
        else if (error == WEIR_WIRE_GARBAGE) garbage++;
        else return error;
    }
    const weir_wire_error error = weir_link_set_baud(wire->link, wanted, why);
    if (error != WEIR_WIRE_OK) return error;
    return weir_failure_set(
        why, garbage > 0 ? WEIR_WIRE_GARBAGE : WEIR_WIRE_SILENT,
        "no answer at %u baud, 4 times, half and up to 12 %% beside: silence at %u rates, bytes without a packet at "
        "%u, %u that the port does not have",
        wanted, without, garbage, refused);
}

weir_wire_error weir_wire_probe(weir_wire *wire, unsigned wanted, weir_wire_rate *rate, weir_failure *why) {
    weir_failure own;
    why = enter(wire, why, &own);
    weir_wire_error error = run(wire, is_not_reading, after(wire, PATIENCE), why);
    if (error == WEIR_WIRE_OK)
        error = wanted == 0 ? weir_failure_set(why, WEIR_WIRE_BAUD, "0 is not a baud") : probe(wire, wanted, rate, why);
    return leave(wire, error);
}

/* The reading of `time` whose moment is known best. */
static weir_wire_error read_time(weir_wire *wire, uint32_t *value, weir_link_moment *moment, weir_failure *why) {
    for (int i = 0; i < READINGS; i++) {
        uint32_t time = 0;
        weir_link_moment of;
        const weir_wire_error error = ask(wire, WEIR_REGISTER_TIME, false, &time, &of, PATIENCE, why);
        if (error != WEIR_WIRE_OK) return error;
        if (i > 0 && of.latest - of.earliest >= moment->latest - moment->earliest) continue;
        *value = time;
        *moment = of;
    }
    return WEIR_WIRE_OK;
}

static bool is_never(const weir_wire *wire) {
    (void)wire;
    return false;
}

static weir_wire_error measure(weir_wire *wire, uint64_t apart, weir_wire_clock *clock, weir_failure *why) {
    uint32_t first, second;
    weir_link_moment begin, end;
    weir_wire_error error = read_time(wire, &first, &begin, why);
    if (error == WEIR_WIRE_OK) error = run(wire, is_never, after(wire, apart), why);
    if (error != WEIR_WIRE_TIMEOUT) return error;
    error = read_time(wire, &second, &end, why);
    if (error != WEIR_WIRE_OK) return error;
    const double cycles = second - first, shortest = (double)(end.earliest - begin.latest),
                 longest = (double)(end.latest - begin.earliest);
    if (end.earliest <= begin.latest)
        return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "%llu microseconds are less than a round trip",
                                (unsigned long long)apart);
    const double slowest = 1e6 * (cycles - 1) / longest, fastest = 1e6 * (cycles + 1) / shortest;
    *clock = (weir_wire_clock){(slowest + fastest) / 2, (fastest - slowest) / 2};
    return WEIR_WIRE_OK;
}

weir_wire_error weir_wire_measure_clock(weir_wire *wire, uint64_t apart, weir_wire_clock *clock, weir_failure *why) {
    if (apart > LONGEST_APART)
        return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "the counter may wrap in more than 4 s");
    weir_failure own;
    why = enter(wire, why, &own);
    return leave(wire, measure(wire, apart, clock, why));
}

/* --- frames --- */

weir_wire_error weir_wire_begin(weir_wire *wire, weir_mode mode, const weir_wire_frames *frames, weir_failure *why) {
    const weir_wire_frames none = {0, 0, 0};
    if (frames == NULL) frames = &none;
    else if (frames->bytes_in == 0 || frames->bytes_out == 0 || frames->in_flight == 0 ||
             frames->in_flight > SIZE_MAX / 2 / frames->bytes_in ||
             frames->in_flight > SIZE_MAX / 2 / frames->bytes_out)
        return weir_failure_set(why, WEIR_WIRE_ARGUMENT,
                                "frames of %zu and %zu bytes, %zu in flight: expected at least 1 of each",
                                frames->bytes_in, frames->bytes_out, frames->in_flight);
    weir_failure own;
    why = enter(wire, why, &own);
    weir_wire_error error = run(wire, is_not_reading, after(wire, PATIENCE), why);
    if (error == WEIR_WIRE_OK) error = write_register(wire, WEIR_REGISTER_CONTROL, mode, why);
    if (error != WEIR_WIRE_OK) return leave(wire, error);
    wire->frames = *frames;
    wire->mode = mode;
    return leave(wire, start(wire, PATIENCE, why));
}

/* Each holds as well where waiting makes no sense any more: check_streams tells. */
static bool is_stopped(const weir_wire *wire) { return !weir_link_is_started(wire->link); }
static bool has_place(const weir_wire *wire) {
    return is_stopped(wire) || (wire->submitted - wire->received < wire->frames.in_flight &&
                                weir_link_room(wire->link) >= wire->frames.bytes_in);
}
static bool has_result(const weir_wire *wire) {
    return is_stopped(wire) || weir_link_available(wire->link) >= wire->frames.bytes_out;
}

static weir_wire_error check_streams(const weir_wire *wire, bool of_frames, weir_failure *why) {
    const weir_failure *failure = weir_link_failure(wire->link);
    if (failure != NULL) {
        *why = *failure;
        return failure->error;
    }
    if (is_stopped(wire) || (wire->frames.in_flight > 0) != of_frames)
        return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "no streams of %s were begun", of_frames ? "frames" : "bytes");
    const uint64_t in_flight = wire->submitted - wire->received;
    if (of_frames && weir_link_available(wire->link) > in_flight * wire->frames.bytes_out)
        return weir_failure_set(why, WEIR_WIRE_DISAGREES, "more bytes of results came than %llu frames of %zu bytes",
                                (unsigned long long)in_flight, wire->frames.bytes_out);
    return WEIR_WIRE_OK;
}

static weir_wire_error submit(weir_wire *wire, const uint8_t *frame, uint64_t limit, weir_failure *why) {
    weir_wire_error error = check_streams(wire, true, why);
    if (error != WEIR_WIRE_OK) return error;
    error = run(wire, has_place, after(wire, limit), why);
    if (error == WEIR_WIRE_TIMEOUT)
        return weir_failure_set(why, WEIR_WIRE_FULL, "%zu frames are in flight; receive results",
                                wire->frames.in_flight);
    if (error == WEIR_WIRE_OK) error = check_streams(wire, true, why);
    if (error != WEIR_WIRE_OK) return error;
    weir_link_put(wire->link, frame, wire->frames.bytes_in);
    weir_link_expect(wire->link, ++wire->submitted * wire->frames.bytes_out);
    return wire->is_reading ? WEIR_WIRE_OK : weir_link_send(wire->link, why);
}

weir_wire_error weir_wire_submit(weir_wire *wire, const uint8_t *frame, uint64_t limit, weir_failure *why) {
    weir_failure own;
    why = enter(wire, why, &own);
    return leave(wire, submit(wire, frame, limit, why));
}

static weir_wire_error receive(weir_wire *wire, uint8_t *result, uint64_t limit, weir_failure *why) {
    weir_wire_error error = check_streams(wire, true, why);
    if (error == WEIR_WIRE_OK) error = run(wire, has_result, after(wire, limit), why);
    if (error == WEIR_WIRE_TIMEOUT)
        return weir_failure_set(why, error, "%zu of %zu bytes of result %llu came in %llu ms; the board answers",
                                weir_link_available(wire->link), wire->frames.bytes_out,
                                (unsigned long long)wire->received, (unsigned long long)(limit / 1000));
    if (error == WEIR_WIRE_OK) error = check_streams(wire, true, why);
    if (error != WEIR_WIRE_OK) return error;
    weir_link_get(wire->link, result, wire->frames.bytes_out);
    wire->received++;
    return WEIR_WIRE_OK;
}

weir_wire_error weir_wire_receive(weir_wire *wire, uint8_t *result, uint64_t limit, weir_failure *why) {
    weir_failure own;
    why = enter(wire, why, &own);
    return leave(wire, receive(wire, result, limit, why));
}

size_t weir_wire_in_flight(weir_wire *wire) {
    take_turn(wire);
    const size_t count = (size_t)(wire->submitted - wire->received);
    end_turn(wire);
    return count;
}

static weir_wire_error check(weir_wire *wire, uint32_t *errors, weir_failure *why) {
    uint32_t counted, flags;
    weir_wire_error error = check_streams(wire, true, why);
    if (error != WEIR_WIRE_OK) return error;
    if (wire->submitted != wire->received) return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "frames are in flight");
    error = read_register(wire, WEIR_REGISTER_FRAMES, &counted, why);
    if (error == WEIR_WIRE_OK) error = read_register(wire, WEIR_REGISTER_ERRORS, &flags, why);
    if (error != WEIR_WIRE_OK) return error;
    if (errors != NULL) *errors = flags;
    error = check_streams(wire, true, why); /* what came meanwhile */
    if (error != WEIR_WIRE_OK) return error;
    const uint32_t expected = (uint32_t)(wire->submitted & 0xffff) * 0x10001u;
    if (wire->mode == WEIR_MODE_ACCELERATOR && counted != expected)
        return weir_failure_set(
            why, WEIR_WIRE_DISAGREES,
            "the board counted %u frames in and %u out, the host %u (modulo 65,536); its error flags are 0x%x",
            counted & 0xffff, counted >> 16, expected & 0xffff, flags);
    return WEIR_WIRE_OK;
}

weir_wire_error weir_wire_check(weir_wire *wire, uint32_t *errors, weir_failure *why) {
    weir_failure own;
    why = enter(wire, why, &own);
    return leave(wire, check(wire, errors, why));
}

static bool has_room(const weir_wire *wire) { return is_stopped(wire) || weir_link_room(wire->link) > 0; }
static bool has_bytes(const weir_wire *wire) { return is_stopped(wire) || weir_link_available(wire->link) > 0; }
static bool has_either(const weir_wire *wire) { return has_room(wire) || has_bytes(wire); }
static bool is_acknowledged(const weir_wire *wire) { return is_stopped(wire) || weir_link_is_acknowledged(wire->link); }

/* A board that was reset is back in mode 0, whatever its positions are. */
static weir_wire_error check_mode(weir_wire *wire, weir_failure *why) {
    uint32_t control;
    const weir_wire_error error = read_register(wire, WEIR_REGISTER_CONTROL, &control, why);
    if (error != WEIR_WIRE_OK || (control & 7) == (uint32_t)wire->mode) return error;
    return weir_failure_set(why, WEIR_WIRE_RESET, "the board is in mode %u, not in mode %d: it was reset", control & 7,
                            (int)wire->mode);
}

static weir_wire_error exchange(weir_wire *wire, const uint8_t *out, size_t out_size, uint8_t *in, size_t in_size,
                                uint64_t limit, weir_failure *why) {
    const uint64_t until = after(wire, limit);
    size_t put = 0, got = 0;
    weir_link_expect(wire->link, wire->received += in_size);
    for (;;) {
        weir_wire_error error = check_streams(wire, false, why);
        if (error != WEIR_WIRE_OK) return error;
        put += weir_link_put(wire->link, out == NULL ? NULL : out + put, out_size - put);
        got += weir_link_get(wire->link, in == NULL ? NULL : in + got, in_size - got);
        if (put == out_size && got == in_size && weir_link_is_acknowledged(wire->link)) return check_mode(wire, why);
        const bool puts = put < out_size, gets = got < in_size;
        error = run(wire, puts ? gets ? has_either : has_room : gets ? has_bytes : is_acknowledged, until, why);
        if (error == WEIR_WIRE_TIMEOUT)
            return weir_failure_set(why, error, "%zu of %zu bytes went and %zu of %zu came in %llu ms", put, out_size,
                                    got, in_size, (unsigned long long)(limit / 1000));
        if (error != WEIR_WIRE_OK) return error;
    }
}

weir_wire_error weir_wire_exchange(weir_wire *wire, const uint8_t *out, size_t out_size, uint8_t *in, size_t in_size,
                                   uint64_t limit, weir_failure *why) {
    weir_failure own;
    why = enter(wire, why, &own);
    return leave(wire, exchange(wire, out, out_size, in, in_size, limit, why));
}

weir_link_counters weir_wire_count(weir_wire *wire) {
    take_turn(wire);
    const weir_link_counters counters = weir_link_count(wire->link);
    end_turn(wire);
    return counters;
}
