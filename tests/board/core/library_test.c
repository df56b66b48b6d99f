/* boards/host/wire against the hardware: the host's library over the simulated wire of host.h, whose turns are its
 * time. Identity, registers, the clock, echo, sink, source, and frames of four bytes, each of which comes back times 3
 * and 1 more, all on a wire that damages bytes. usage: library_test frames=N bytes=N damage=N delay=TURNS seed=N --
 * SIMULATOR ...; damage: one byte in so many, each way, is lost, doubled, changed or one more comes; 0: none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "wire/wire.h"

enum { BAUD = 3000000, FRAME = 4, ROOM = 4096 };

static int frames = 200, bytes = 3000, damage = 0, delay = 600;
static unsigned damages;

typedef struct uart_line {
    uint8_t out[ROOM], in[ROOM];
    size_t out_size, in_size;
} uart_line;

static uint64_t to_microseconds(uint64_t turns) { return turns * 10000000 / BAUD; }

static bool is_damaged(void) {
    const bool is = damage > 0 && host_random() % (unsigned)damage == 0;
    damages += is;
    return is;
}

/* One turn: a byte each way at most. */
static void turn(uart_line *line) {
    uint8_t came[4];
    int order = 0, value = 0, broken = 0;
    if (line->out_size > 0) {
        order = 1;
        value = line->out[0];
        const unsigned kind = is_damaged() ? host_random() % 4 : 4;
        if (kind == 0) order = 0;
        if (kind == 1) order = 2; /* no stop bit */
        if (kind == 2) value ^= 1 << host_random() % 8;
        if (kind != 3) memmove(line->out, line->out + 1, --line->out_size); /* 3: twice */
    }
    const int count = wire_turn(order, value, came, &broken);
    for (int i = 0; i < count && line->in_size + 2 < ROOM; i++) {
        const unsigned kind = is_damaged() ? host_random() % 4 : 4;
        if (kind != 0) line->in[line->in_size++] = kind == 1 ? came[i] ^ 0x10 : came[i];
        if (kind == 2) line->in[line->in_size++] = came[i];
        if (kind == 3) line->in[line->in_size++] = (uint8_t)host_random();
    }
}

static uint64_t line_now(void *user) {
    (void)user;
    return to_microseconds(wire_now());
}

static int line_read(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    (void)why;
    uart_line *line = user;
    while (line->in_size == 0 && line_now(user) < until) turn(line);
    if (size > line->in_size) size = line->in_size;
    memcpy(data, line->in, size);
    memmove(line->in, line->in + size, line->in_size - size);
    line->in_size -= size;
    return (int)size;
}

static int line_write(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    (void)why;
    uart_line *line = user;
    if (size > ROOM - line->out_size) size = ROOM - line->out_size;
    memcpy(line->out + line->out_size, data, size);
    line->out_size += size;
    return (int)size;
}

static weir_wire_error line_set_baud(void *user, unsigned baud, weir_failure *why) {
    (void)user;
    return baud == BAUD ? WEIR_WIRE_OK : weir_failure_set(why, WEIR_WIRE_BAUD, "the bench has one baud");
}

static void line_close(void *user) { (void)user; }

static void need(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "library_test: %s\n", what);
    exit(1);
}

static void fine(weir_wire_error error, const char *what, const weir_failure *why) {
    if (error == WEIR_WIRE_OK) return;
    fprintf(stderr, "library_test: %s: %s: %s\n", what, weir_failure_name(error), why->text);
    exit(1);
}

static void check_board(weir_wire *wire) {
    weir_failure why;
    weir_wire_identity identity;
    weir_wire_clock clock;
    uint32_t value;
    fine(weir_wire_identify(wire, &identity, &why), "identify", &why);
    need(identity.build == 0x01234567 && identity.model == 0x89abcdef && identity.protocol == 1, "another board");
    printf("clock %u Hz, buffers of %zu and %zu bytes, features 0x%x\n", identity.clock_hz, identity.receive_buffer,
           identity.send_buffer, identity.features);
    fine(weir_wire_measure_clock(wire, 8000, &clock, &why), "clock", &why);
    printf("measured %.0f Hz, within %.0f\n", clock.hz, clock.error);
    need(clock.hz - clock.error <= identity.clock_hz && identity.clock_hz <= clock.hz + clock.error,
         "the clock is another one");
    fine(weir_wire_write(wire, WEIR_REGISTER_BENCH_FRAMES, 77, &why), "write", &why);
    fine(weir_wire_read(wire, 99, &value, &why), "read", &why);
    need(value == 0, "a register that is not there is not 0");
}

static void check_bytes(weir_wire *wire, weir_mode mode, size_t out_size, size_t in_size) {
    uint8_t *out = malloc(out_size + 1), *in = malloc(in_size + 1);
    weir_failure why;
    for (size_t i = 0; i < out_size; i++) out[i] = (uint8_t)(host_random() >> 24 < 40 ? 0 : host_random() >> 8);
    fine(weir_wire_begin(wire, mode, NULL, &why), "begin", &why);
    const uint64_t start = wire_now();
    fine(weir_wire_exchange(wire, out, out_size, in, in_size, 60000000, &why), "exchange", &why);
    for (size_t i = 0; i < in_size; i++)
        need(in[i] == (mode == WEIR_MODE_SOURCE ? (uint8_t)i : out[i]), "a wrong byte");
    printf("mode %d: %.1f %% of the wire\n", (int)mode,
           100.0 * (double)(out_size > in_size ? out_size : in_size) / (double)(wire_now() - start));
    free(out);
    free(in);
}

static void check_frames(weir_wire *wire) {
    const weir_wire_frames shape = {FRAME, FRAME, 600};
    weir_failure why;
    uint32_t errors;
    int submitted = 0;
    fine(weir_wire_begin(wire, WEIR_MODE_ACCELERATOR, &shape, &why), "begin", &why);
    for (int received = 0; received < frames; received++) {
        uint8_t frame[FRAME], result[FRAME];
        for (; submitted < frames && submitted < received + 600; submitted++) {
            for (int i = 0; i < FRAME; i++) frame[i] = (uint8_t)(submitted * 5 + i);
            fine(weir_wire_submit(wire, frame, 1000000, &why), "submit", &why);
        }
        fine(weir_wire_receive(wire, result, 20000000, &why), "receive", &why);
        for (int i = 0; i < FRAME; i++) need(result[i] == (uint8_t)(3 * (received * 5 + i) + 1), "a wrong result");
    }
    fine(weir_wire_check(wire, &errors, &why), "check", &why);
    printf("%d frames, error flags 0x%x\n", frames, errors);
    need(damage > 0 || errors == 0, "error flags of a sound wire");
}

int main(int count, char **argument) {
    int at = 1, seed = 1;
    for (; at < count && strcmp(argument[at], "--") != 0; at++) {
        struct {
            const char *name;
            int *value;
        } const settings[] = {
            {"frames", &frames}, {"bytes", &bytes}, {"damage", &damage}, {"delay", &delay}, {"seed", &seed}};
        bool is_known = false;
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
            const size_t length = strlen(settings[i].name);
            if (strncmp(argument[at], settings[i].name, length) != 0 || argument[at][length] != '=') continue;
            *settings[i].value = atoi(argument[at] + length + 1);
            is_known = true;
        }
        need(is_known, argument[at]);
    }
    need(at + 1 < count, "usage: library_test KEY=VALUE ... -- SIMULATOR ...");
    setvbuf(stdout, NULL, _IOLBF, 0);
    host_seed((uint32_t)seed);
    wire_open(argument + at + 1, delay);
    static uart_line line;
    for (int i = 0; i < 2000; i++) turn(&line); /* the board is in reset */
    const weir_transport transport = {&line, line_read, line_write, line_now, line_set_baud, line_close};
    weir_wire *wire;
    weir_failure why;
    printf("seed %d\n", seed);
    fine(weir_wire_open(&wire, &transport, BAUD, &why), "open", &why);
    check_board(wire);
    check_bytes(wire, WEIR_MODE_ECHO, (size_t)bytes, (size_t)bytes);
    check_bytes(wire, WEIR_MODE_SINK, (size_t)bytes, 0);
    check_bytes(wire, WEIR_MODE_SOURCE, 0, (size_t)bytes);
    check_frames(wire);
    const weir_link_counters counters = weir_wire_count(wire);
    printf("%llu turns, %llu packets, %llu damaged here, %u bytes damaged, %llu bytes repeated\n",
           (unsigned long long)wire_now(), (unsigned long long)(counters.packets_out + counters.packets_in),
           (unsigned long long)counters.damaged, damages, (unsigned long long)counters.repeated);
    need(damage == 0 || damages > 20, "next to nothing was damaged");
    weir_wire_close(wire);
    wire_close();
    return 0;
}
