#include "board/ladder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "board/benchmark.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"
#include "support/text/color.h"
#include "support/text/diag.h"

/* Most bytes that the echo rung sends, and parts of a million by which the clock may be off: oscillators of boards are
 * within 100. */
enum { ECHO_BYTES = 32768, CLOCK_PPM = 2000, CLOCK_APART = 300000 };
/* Microseconds that a stream of one frame may take. */
enum { LAYER_LIMIT = 200000 };

static const struct {
    const char *text;
    uint64_t limit; /* microseconds */
} rungs[WEIR_RUNGS] = {
#define WEIR_RUNG(name, text, seconds) {text, UINT64_C(1000000) * seconds},
#include "board/ladder.def"
#undef WEIR_RUNG
};

const char *weir_rung_text(weir_rung_name name) { return rungs[name].text; }

/* --- what a red rung says --- */

/* Causes by rung and by what the wire says, the likeliest first; the first row that fits counts. ANY: whichever it
 * is. */
enum { ANY = -1 };
static const struct {
    int rung;  /* weir_rung_name */
    int error; /* weir_wire_error */
    const char *cause[WEIR_RUNG_CAUSES];
    const char *next;
} reasons[] = {
    {WEIR_RUNG_PORT,
     WEIR_WIRE_NOT_ALLOWED,
     {"you are not in the group that the port belongs to"},
     "sudo usermod -a -G dialout $USER, then log in again"},
    {WEIR_RUNG_PORT,
     WEIR_WIRE_IN_USE,
     {"a terminal program, ModemManager or another run of weir has the port"},
     "close it; fuser -v PORT tells which"},
    {WEIR_RUNG_PORT,
     ANY,
     {"the board is not attached, or its port changed its name when it was programmed"},
     "weir doctor lists the ports"},
    {WEIR_RUNG_BAUD,
     WEIR_WIRE_SILENT,
     {"RX and TX are swapped", "the bitstream is not loaded, or another one is",
      "the port belongs to another board or interface",
      "the core has no clock: the oscillator's jumper, or the PLL does not lock"},
     "program the board again and check whether its LED blinks"},
    {WEIR_RUNG_BAUD,
     WEIR_WIRE_GARBAGE,
     {"the UART runs at a baud that was not tried: its clock differs from the one that was built for",
      "another program's bitstream is loaded", "the wire picks up noise"},
     "weir board build --baud 115200"},
    {WEIR_RUNG_BAUD,
     WEIR_WIRE_STRANGER,
     {"the bitstream has another version of the protocol, or is not from Weir"},
     "build and program again with this version of weir"},
    {WEIR_RUNG_BAUD,
     WEIR_WIRE_OK,
     {"the PLL or the oscillator runs at another frequency than the board's file says",
      "the USB chip multiplies the baud (4 times: firmware of the BL616)"},
     "compare the oscillator with 'weir boards NAME'"},
    {WEIR_RUNG_IDENTITY,
     WEIR_WIRE_ABSENT,
     {"the loaded parameters are lost: it was programmed, or lost power", "loading them was interrupted",
      "those of another model were loaded"},
     "weir board weights DIR --load"},
    {WEIR_RUNG_IDENTITY,
     ANY,
     {"another bitstream is loaded: the board was not programmed, or starts from its flash",
      "the folder was built again since the board was programmed"},
     "program the board with this folder's bitstream"},
    {WEIR_RUNG_PARAMETERS, WEIR_WIRE_NOT_FOUND, {"the folder was changed since it was built"}, "build it again"},
    {WEIR_RUNG_PARAMETERS,
     WEIR_WIRE_OK,
     {"a bit of block RAM is stuck, or the bitstream was changed after it was packed",
      "another program wrote the memories after the board was programmed",
      "the clock is too fast for the path to a memory"},
     "program it again; if the same word is wrong, try another board, or build with a lower --clock"},
    {WEIR_RUNG_CLOCK,
     ANY,
     {"the oscillator differs from the board's file", "the PLL's settings are wrong",
      "the host was too busy to measure the time"},
     "run it again; then measure the clock pin"},
    {WEIR_RUNG_ECHO,
     WEIR_WIRE_OK,
     {"the wire damages bytes: a long or loose cable, or a baud that the USB chip makes inaccurately",
      "the clock jitters: the PLL at the edge of its range"},
     "weir board build --baud 115200"},
    {WEIR_RUNG_LAYERS,
     WEIR_WIRE_TIMEOUT,
     {"a beat is lost in it: a FIFO, a handshake", "it is reset at a different time from the others",
      "the clock is too fast for a path in it"},
     "simulate the netlist: weir synth; then build with a lower --clock"},
    {WEIR_RUNG_LAYERS,
     WEIR_WIRE_OK,
     {"its parameter memory differs from the compiled one",
      "it is reset at a different time from the others, or a beat is lost in it",
      "a path in it is too slow for the clock", "synthesis changed the function of its Verilog"},
     "simulate the netlist: weir synth; then build with a lower --clock"},
    {WEIR_RUNG_FRAME,
     WEIR_WIRE_TIMEOUT,
     {"the accelerator hangs: a register that is not reset, a beat that is lost", "the clock is too fast for a path"},
     "simulate the netlist: weir synth"},
    {WEIR_RUNG_FRAMES,
     WEIR_WIRE_TIMEOUT,
     {"a beat is lost now and then: the clock is too fast for a path", "the accelerator hangs under back-pressure"},
     "build with a lower --clock"},
    {WEIR_RUNG_FRAME,
     WEIR_WIRE_OK,
     {"a parameter memory differs from the compiled one", "a bit of a result is stuck, or a path is too slow",
      "synthesis changed the function of the Verilog"},
     "simulate the netlist: weir synth; then build with a lower --clock"},
    {WEIR_RUNG_FRAMES,
     WEIR_WIRE_OK,
     {"a path is too slow for the clock: only some values show it", "a parameter memory differs from the compiled one"},
     "build with a lower --clock"},
    {WEIR_RUNG_BENCHMARK,
     WEIR_WIRE_TIMEOUT,
     {"the accelerator hangs when frames follow each other back to back", "the clock is too fast for a path"},
     "build with a lower --clock"},
    {WEIR_RUNG_BENCHMARK,
     WEIR_WIRE_OK,
     {"a path is too slow for the clock: only full speed shows it",
      "a parameter memory differs from the compiled one, which the data's frames do not show",
      "the frames come from a different generator"},
     "build with a lower --clock"},
    {ANY,
     WEIR_WIRE_RESET,
     {"the board was reset", "it lost power for a moment, and with it its configuration"},
     "check the supply and the reset button, and run it again"},
    {ANY,
     WEIR_WIRE_DISAGREES,
     {"the board was reset in the middle of the run", "a frame was lost inside the accelerator"},
     "run it again; if it happens again, simulate the netlist: weir synth"},
    {ANY,
     WEIR_WIRE_GONE,
     {"the cable or a hub lost the board", "it was programmed or switched off by another program",
      "its tty came back under another name"},
     "weir doctor lists the ports; run it again"},
    {ANY,
     WEIR_WIRE_SILENT,
     {"the board was reset or lost its configuration", "the wire came loose", "the clock stopped"},
     "program it again"},
    {ANY,
     WEIR_WIRE_DAMAGED,
     {"the wire damages bytes: a long or loose cable, or a baud that the USB chip makes inaccurately"},
     "weir board build --baud 115200"},
};

static void give_reasons(weir_rung *rung, weir_rung_name name, weir_wire_error error) {
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if ((reasons[i].rung != ANY && reasons[i].rung != (int)name) ||
            (reasons[i].error != ANY && reasons[i].error != (int)error))
            continue;
        for (size_t k = 0; k < WEIR_RUNG_CAUSES; k++) rung->cause[k] = reasons[i].cause[k];
        rung->next = reasons[i].next;
        return;
    }
    rung->cause[0] = weir_failure_meaning(error);
    rung->next = "run it again";
}

/* --- rungs --- */

typedef struct climb {
    const weir_ladder_options *options;
    weir_ladder *ladder;
    weir_transport transport;
    weir_wire *wire;
    weir_failure why;
} climb;

static bool green(climb *c, weir_rung_name name, char *found) {
    c->ladder->rung[name].state = WEIR_RUNG_GREEN;
    c->ladder->rung[name].found = found;
    return true;
}

static bool red(climb *c, weir_rung_name name, weir_wire_error error, char *expected, char *found) {
    weir_rung *rung = &c->ladder->rung[name];
    rung->state = WEIR_RUNG_RED;
    rung->expected = expected;
    rung->found = found;
    give_reasons(rung, name, error);
    return false;
}

static bool failed(climb *c, weir_rung_name name, weir_wire_error error, const char *expected) {
    return red(c, name, error, weir_copy_string(expected), weir_copy_string(c->why.text));
}

static bool try_port(climb *c) {
    const unsigned baud = (unsigned)c->options->manifest->baud;
    weir_wire_error error = c->options->open(c->options->user, baud, &c->transport, &c->why);
    if (error == WEIR_WIRE_OK) error = weir_wire_open(&c->wire, &c->transport, baud, &c->why);
    if (error != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_PORT, error, "a port that opens");
    return green(c, WEIR_RUNG_PORT, weir_copy_string("open"));
}

static bool try_baud(climb *c) {
    const unsigned baud = (unsigned)c->options->manifest->baud;
    weir_wire_rate *rate = &c->ladder->rate;
    const weir_wire_error error = weir_wire_probe(c->wire, baud, rate, &c->why);
    if (error != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_BAUD, error, "an answer to a question");
    if (c->options->may_quadruple && fabs(rate->ratio - 4) < 0.1)
        return green(c, WEIR_RUNG_BAUD, weir_format("%u baud, which the USB chip calls %u", baud, rate->baud));
    if (fabs(rate->ratio - 1) > 0.02)
        return red(c, WEIR_RUNG_BAUD, WEIR_WIRE_OK, weir_format("%u baud", baud),
                   weir_format("it answers at %u baud, %.3g of it", rate->baud, rate->ratio));
    return green(c, WEIR_RUNG_BAUD, weir_format("%u baud", rate->baud));
}

static bool try_identity(climb *c) {
    const weir_board_manifest *m = c->options->manifest;
    weir_wire_identity *i = &c->ladder->identity;
    const weir_wire_error error = weir_wire_identify(c->wire, i, &c->why);
    if (error != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_IDENTITY, error, "a board of this protocol");
    /* Parameters that can be written are about to be. */
    const bool loads = m->loadable && (c->options->rungs >> WEIR_RUNG_PARAMETERS & 1) != 0;
    if (i->build != m->build || (i->model != m->model && !loads))
        return red(c, WEIR_RUNG_IDENTITY, m->loadable && i->build == m->build ? WEIR_WIRE_ABSENT : WEIR_WIRE_OK,
                   weir_format("build %08x, model %08x", m->build, m->model),
                   weir_format("build %08x, model %08x", i->build, i->model));
    return green(c, WEIR_RUNG_IDENTITY, weir_format("build %08x, model %08x", i->build, i->model));
}

static bool try_clock(climb *c) {
    weir_wire_clock *clock = &c->ladder->clock;
    const double wanted = (double)c->options->manifest->clock_hz;
    const weir_wire_error error = weir_wire_measure_clock(c->wire, CLOCK_APART, clock, &c->why);
    if (error != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_CLOCK, error, "two readings of the counter");
    char *found = weir_format("%.4f MHz, within %.4f", clock->hz / 1e6, clock->error / 1e6);
    if (fabs(clock->hz - wanted) > clock->error + wanted * CLOCK_PPM / 1e6)
        return red(c, WEIR_RUNG_CLOCK, WEIR_WIRE_OK, weir_format("%.4f MHz", wanted / 1e6), found);
    return green(c, WEIR_RUNG_CLOCK, found);
}

/* What goes over the wire in a ninth of a second, at least a packet. */
static size_t echo_bytes(const climb *c) {
    const size_t bytes = c->ladder->rate.baud / 10 / 9;
    return bytes < 256 ? 256 : bytes < ECHO_BYTES ? bytes : ECHO_BYTES;
}

static weir_wire_error echo(climb *c, size_t bytes, const uint8_t *out, uint8_t *in) {
    const weir_wire_error error = weir_wire_begin(c->wire, WEIR_MODE_ECHO, NULL, &c->why);
    if (error != WEIR_WIRE_OK) return error;
    return weir_wire_exchange(c->wire, out, bytes, in, bytes, rungs[WEIR_RUNG_ECHO].limit, &c->why);
}

static bool try_echo(climb *c) {
    const size_t bytes = echo_bytes(c);
    uint8_t *out = weir_malloc(bytes), *in = weir_calloc(bytes, 1);
    uint32_t state = 1;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525u + 1013904223u; /* Numerical Recipes */
        out[i] = (uint8_t)(state >> 24);
    }
    const uint64_t before = weir_wire_count(c->wire).damaged;
    const weir_wire_error error = echo(c, bytes, out, in);
    const uint64_t damaged = weir_wire_count(c->wire).damaged - before;
    const bool same = memcmp(out, in, bytes) == 0;
    uint32_t flags = 0;
    const weir_wire_error told =
        error != WEIR_WIRE_OK ? error : weir_wire_read(c->wire, WEIR_REGISTER_ERRORS, &flags, &c->why);
    free(out);
    free(in);
    if (error != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_ECHO, error, "what was sent comes back");
    if (told != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_ECHO, told, "the error flags");
    flags &= WEIR_BOARD_FRAMING | WEIR_BOARD_CRC;
    if (!same || damaged > 0 || flags != 0)
        return red(c, WEIR_RUNG_ECHO, WEIR_WIRE_OK, weir_format("%zu bytes and all packets whole", bytes),
                   weir_format("%s, %llu packets damaged on the way back%s",
                               same ? "the same bytes after repeats" : "other bytes", (unsigned long long)damaged,
                               flags != 0 ? ", some on the way there" : ""));
    return green(c, WEIR_RUNG_ECHO, weir_format("%zu bytes", bytes));
}

/* Each bit that can be written is 0 and 1. */
static bool try_registers(climb *c) {
    static const uint32_t patterns[] = {WEIR_CONTROL_LED | WEIR_CONTROL_LED_IS_BIT, WEIR_CONTROL_LED_IS_BIT, 0};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        uint32_t found = 0;
        weir_wire_error error = weir_wire_write(c->wire, WEIR_REGISTER_CONTROL, patterns[i], &c->why);
        if (error == WEIR_WIRE_OK) error = weir_wire_read(c->wire, WEIR_REGISTER_CONTROL, &found, &c->why);
        if (error != WEIR_WIRE_OK)
            return failed(c, WEIR_RUNG_REGISTERS, error, "registers that can be written and read");
        if (found != patterns[i])
            return red(c, WEIR_RUNG_REGISTERS, WEIR_WIRE_OK, weir_format("control %08x", patterns[i]),
                       weir_format("control %08x", found));
    }
    return green(c, WEIR_RUNG_REGISTERS, weir_copy_string("written and read back"));
}

/* All memories hold what was compiled, and can be written where they are meant to be. */
static bool try_parameters(climb *c) {
    const weir_board_manifest *m = c->options->manifest;
    if (m->memories == 0 || (c->ladder->identity.features & WEIR_FEATURE_READ_BACK) == 0) {
        c->ladder->rung[WEIR_RUNG_PARAMETERS].state = WEIR_RUNG_ABSENT;
        c->ladder->rung[WEIR_RUNG_PARAMETERS].found =
            weir_copy_string("not looked at: 'weir board build --readback' builds what reads them back");
        return true;
    }
    weir_parameters *p = &c->ladder->parameters;
    const weir_parameters_options options = {.manifest = m,
                                             .sources = c->options->sources,
                                             .loads = m->loadable,
                                             .marches = !c->options->loads,
                                             .is_known = !c->options->loads && c->ladder->identity.model == m->model,
                                             .limit = rungs[WEIR_RUNG_PARAMETERS].limit / 10};
    const weir_wire_error error = weir_parameters_run(c->wire, &options, p, &c->why);
    if (error != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_PARAMETERS, error, "parameter memories that answer");
    c->ladder->differs = p->differs;
    if (p->differs)
        return red(c, WEIR_RUNG_PARAMETERS, WEIR_WIRE_OK, weir_copy_string(p->expected), weir_copy_string(p->found));
    return green(c, WEIR_RUNG_PARAMETERS,
                 weir_format("%zu memories, %llu bytes%s: CRCs as compiled", p->memories, (unsigned long long)p->bytes,
                             !options.loads    ? " read back"
                             : options.marches ? " marched, written and read back"
                                               : " written and read back"));
}

/* Where a frame goes wrong, in a board that was built to tell. */
static bool try_layers(climb *c) {
    weir_layers *l = &c->ladder->layers;
    const weir_wire_error error =
        weir_layers_run(c->wire, &c->transport, c->options->hardware, c->options->reference, LAYER_LIMIT, l, &c->why);
    if (error != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_LAYERS, error, "CRCs of streams");
    c->ladder->differs = l->diverged;
    if (!l->diverged)
        return green(c, WEIR_RUNG_LAYERS, weir_format("%zu streams of a frame right, %zu CRCs", l->streams, l->sums));
    const bool is_short = l->came < (uint32_t)l->beats;
    return red(c, WEIR_RUNG_LAYERS, is_short ? WEIR_WIRE_TIMEOUT : WEIR_WIRE_OK,
               weir_format("%lld beats of %s, CRC %08x of byte %zu of those that came", (long long)l->beats, l->name,
                           l->expected, l->byte),
               weir_format("%u beats, CRC %08x; all streams before it are right", l->came, l->found));
}

static char *first_difference(const climb *c) {
    const weir_board_exchange *e = &c->ladder->exchange;
    return weir_format(
        "%llu of %llu values differ; the first: frame %lld, output '%s', element %lld: expected %lld, found %lld",
        (unsigned long long)e->mismatches, (unsigned long long)e->compared, (long long)e->frame,
        weir_value_name(c->options->hardware, c->options->reference->outputs[e->output].value), (long long)e->element,
        (long long)e->expected, (long long)e->found);
}

static bool run_frames(climb *c, weir_rung_name name, int64_t frames, size_t in_flight) {
    weir_board_exchange *e = &c->ladder->exchange;
    const uint64_t repeated = weir_wire_count(c->wire).repeated;
    uint32_t flags = 0;
    weir_board_exchange_free(e);
    weir_wire_error error = weir_board_exchange_run(c->wire, &c->transport, c->options->hardware, c->options->reference,
                                                    frames, in_flight, rungs[WEIR_RUNG_FRAME].limit, e, &c->why);
    if (error == WEIR_WIRE_OK) error = weir_wire_check(c->wire, &flags, &c->why);
    c->ladder->repeated = weir_wire_count(c->wire).repeated - repeated;
    c->ladder->hangs = error == WEIR_WIRE_TIMEOUT;
    if (error != WEIR_WIRE_OK) {
        char *found =
            weir_format("%lld of %lld frames, then: %s", (long long)e->frames, (long long)frames, c->why.text);
        return red(c, name, error, weir_format("%lld results", (long long)frames), found);
    }
    if (e->mismatches == 0) return true;
    c->ladder->differs = true;
    return red(c, name, WEIR_WIRE_OK, weir_copy_string("the reference's values"), first_difference(c));
}

static bool try_frame(climb *c) {
    if (!run_frames(c, WEIR_RUNG_FRAME, 1, 1)) return false;
    const weir_wire_error error = weir_wire_read(c->wire, WEIR_REGISTER_CYCLES, &c->ladder->cycles, &c->why);
    if (error != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_FRAME, error, "the cycles of the frame");
    return green(c, WEIR_RUNG_FRAME, weir_format("right, %u cycles", c->ladder->cycles));
}

static bool try_frames(climb *c) {
    if (!run_frames(c, WEIR_RUNG_FRAMES, c->options->reference->frames, c->options->in_flight)) return false;
    const weir_board_exchange *e = &c->ladder->exchange;
    return green(c, WEIR_RUNG_FRAMES,
                 weir_format("%lld frames, %llu values, 0 differ; %.0f frames/s over the wire", (long long)e->frames,
                             (unsigned long long)e->compared, (double)e->frames / e->seconds));
}

/* Runs `frames` on the chip to the end; its cycles, and the CRC of their results. */
static weir_wire_error run_benchmark(climb *c, int64_t frames, uint32_t *cycles, uint32_t *crc) {
    const uint64_t start = c->transport.now(c->transport.user);
    uint32_t count = 0;
    weir_wire_error error = weir_wire_write(c->wire, WEIR_REGISTER_BENCH_FRAMES, (uint32_t)frames, &c->why);
    if (error == WEIR_WIRE_OK) error = weir_wire_begin(c->wire, WEIR_MODE_BENCHMARK, NULL, &c->why);
    while (error == WEIR_WIRE_OK && count >> 16 != (uint32_t)frames) {
        error = weir_wire_read(c->wire, WEIR_REGISTER_FRAMES, &count, &c->why);
        if (error == WEIR_WIRE_OK && count >> 16 != (uint32_t)frames &&
            c->transport.now(c->transport.user) - start > rungs[WEIR_RUNG_BENCHMARK].limit / 2)
            error = weir_failure_set(&c->why, WEIR_WIRE_TIMEOUT, "%u of %lld frames came out", count >> 16,
                                     (long long)frames);
    }
    if (error == WEIR_WIRE_OK) error = weir_wire_read(c->wire, WEIR_REGISTER_BENCH_CYCLES, cycles, &c->why);
    if (error == WEIR_WIRE_OK) error = weir_wire_read(c->wire, WEIR_REGISTER_BENCH_CRC, crc, &c->why);
    return error;
}

/* Half of the frames, then all: the difference has no filling of the pipeline in it. */
static bool try_benchmark(climb *c) {
    weir_ladder_benchmark *b = &c->ladder->benchmark;
    const int64_t frames = weir_benchmark_frames(c->options->hardware);
    uint32_t expected[2], found[2] = {0, 0}, cycles[2] = {0, 0};
    if (!weir_benchmark_predict(c->options->hardware, frames, &expected[0], &expected[1]))
        return red(c, WEIR_RUNG_BENCHMARK, WEIR_WIRE_OK, weir_copy_string("a reference that runs"),
                   weir_copy_string("the error above"));
    for (int i = 0; i < 2; i++) {
        const int64_t count = i == 0 ? frames / 2 : frames;
        const weir_wire_error error = run_benchmark(c, count, &cycles[i], &found[i]);
        if (error != WEIR_WIRE_OK) return failed(c, WEIR_RUNG_BENCHMARK, error, "frames made on the chip");
        *b = (weir_ladder_benchmark){.frames = count, .cycles = cycles[i], .expected = expected[i], .found = found[i]};
        c->ladder->differs = found[i] != expected[i];
        if (c->ladder->differs)
            return red(
                c, WEIR_RUNG_BENCHMARK, WEIR_WIRE_OK,
                weir_format("CRC %08x of the results of %lld frames made on the chip", expected[i], (long long)count),
                weir_format("CRC %08x", found[i]));
    }
    b->interval = (double)(cycles[1] - cycles[0]) / (double)(frames - frames / 2);
    const double hz = c->ladder->clock.hz > 0 ? c->ladder->clock.hz : (double)c->options->manifest->clock_hz;
    return green(c, WEIR_RUNG_BENCHMARK,
                 weir_format("%lld frames made on the chip, CRC %08x; one every %.1f cycles: %.0f a second",
                             (long long)frames, found[1], b->interval, hz / b->interval));
}

static bool (*const tries[WEIR_RUNGS])(climb *) = {
    [WEIR_RUNG_PORT] = try_port,
    [WEIR_RUNG_BAUD] = try_baud,
    [WEIR_RUNG_IDENTITY] = try_identity,
    [WEIR_RUNG_CLOCK] = try_clock,
    [WEIR_RUNG_ECHO] = try_echo,
    [WEIR_RUNG_REGISTERS] = try_registers,
    [WEIR_RUNG_PARAMETERS] = try_parameters,
    [WEIR_RUNG_LAYERS] = try_layers,
    [WEIR_RUNG_FRAME] = try_frame,
    [WEIR_RUNG_FRAMES] = try_frames,
    [WEIR_RUNG_BENCHMARK] = try_benchmark,
};

/* What the board must have for the rung; 0: every board has. */
static const uint32_t needed[WEIR_RUNGS] = {
    [WEIR_RUNG_LAYERS] = WEIR_FEATURE_TAPS, [WEIR_RUNG_BENCHMARK] = WEIR_FEATURE_BENCHMARK};

int weir_ladder_climb(const weir_ladder_options *options, weir_ladder *ladder) {
    *ladder = (weir_ladder){.differs = false};
    climb c = {.options = options, .ladder = ladder};
    bool fine = true;
    for (weir_rung_name name = 0; fine && name < WEIR_RUNGS; name++) {
        if (name > WEIR_RUNG_IDENTITY && (options->rungs >> name & 1) == 0) continue;
        if ((needed[name] & ~ladder->identity.features) != 0) continue;
        const uint64_t start = c.wire == NULL ? 0 : c.transport.now(c.transport.user);
        fine = tries[name](&c);
        if (c.wire != NULL) ladder->rung[name].seconds = (double)(c.transport.now(c.transport.user) - start) / 1e6;
    }
    if (c.wire != NULL) weir_wire_close(c.wire);
    return fine ? WEIR_EXIT_FINE : ladder->differs ? WEIR_EXIT_MISMATCH : WEIR_EXIT_BOARD;
}

void weir_ladder_free(weir_ladder *ladder) {
    for (size_t i = 0; i < WEIR_RUNGS; i++) {
        free(ladder->rung[i].found);
        free(ladder->rung[i].expected);
    }
    weir_board_exchange_free(&ladder->exchange);
    weir_layers_free(&ladder->layers);
    weir_parameters_free(&ladder->parameters);
}

/* --- telling --- */

void weir_ladder_print(const weir_ladder *ladder, weir_text *text) {
    for (weir_rung_name name = 0; name < WEIR_RUNGS; name++) {
        const weir_rung *rung = &ladder->rung[name];
        if (rung->state == WEIR_RUNG_OPEN) continue;
        if (rung->state == WEIR_RUNG_GREEN || rung->state == WEIR_RUNG_ABSENT) {
            weir_text_format(text, "  %s%s%s   %-10s %s\n", weir_color_begin(WEIR_COLOR_GOOD, stdout),
                             rung->state == WEIR_RUNG_GREEN ? "ok" : "--", weir_color_end(WEIR_COLOR_GOOD, stdout),
                             rungs[name].text, rung->found);
            continue;
        }
        weir_text_format(text, "  %sRED%s  %-10s expected %s\n                  found %s\n",
                         weir_color_begin(WEIR_COLOR_BAD, stdout), weir_color_end(WEIR_COLOR_BAD, stdout),
                         rungs[name].text, rung->expected, rung->found);
        for (size_t i = 0; i < WEIR_RUNG_CAUSES && rung->cause[i] != NULL; i++)
            weir_text_format(text, "       %s %s\n", i == 0 ? "likely:   " : "          ", rung->cause[i]);
        weir_text_format(text, "       next:      %s\n", rung->next);
    }
}

json_t *weir_ladder_json(const weir_ladder *ladder) {
    static const char *const states[] = {"open", "green", "red", "absent"};
    json_t *list = json_array();
    for (weir_rung_name name = 0; name < WEIR_RUNGS; name++) {
        const weir_rung *rung = &ladder->rung[name];
        json_t *item = json_pack("{s:s, s:s, s:f}", "rung", rungs[name].text, "state", states[rung->state], "seconds",
                                 rung->seconds);
        if (rung->found != NULL) json_object_set_new(item, "found", json_string(rung->found));
        if (rung->state == WEIR_RUNG_RED) {
            json_object_set_new(item, "expected", json_string(rung->expected));
            json_t *causes = json_array();
            for (size_t i = 0; i < WEIR_RUNG_CAUSES && rung->cause[i] != NULL; i++)
                json_array_append_new(causes, json_string(rung->cause[i]));
            json_object_set_new(item, "causes", causes);
            json_object_set_new(item, "next", json_string(rung->next));
        }
        json_array_append_new(list, item);
    }
    return list;
}
