/* The link against a board of the tests' own, in simulated time: a good wire at full rate, bad wires, slow and broken
 * boards. */
/* nightly: 10 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/memory/random.h"
#include "wire_bench.h"

static uint64_t seed = 1;
static unsigned more = 1;

static const fake_wire_settings good = GOOD_WIRE(12, 11);

static uint64_t now(const bench *it) { return it->transport.now(it->transport.user); }

static void begin(bench *it, weir_mode mode, const weir_wire_frames *frames) {
    weir_failure why;
    check_fine(weir_wire_begin(it->wire, mode, frames, &why), &why);
}

static void fill(bench *it, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const uint64_t random = weir_random_next(&it->random);
        bytes[i] = random >> 60 == 0 ? 0 : (uint8_t)(random >> 20);
    }
}

/* Runs `count` frames and compares each result; the first failure, or OK. */
static weir_wire_error run_frames(bench *it, const weir_wire_frames *frames, size_t count, size_t *wrong,
                                  weir_failure *why) {
    const size_t in = frames->bytes_in, out = frames->bytes_out;
    uint8_t *sent = malloc(in * frames->in_flight), *expected = malloc(out), *result = malloc(out);
    weir_wire_error error = WEIR_WIRE_OK;
    size_t submitted = 0, received = 0;
    *wrong = 0;
    while (received < count && error == WEIR_WIRE_OK) {
        while (submitted < count && submitted - received < frames->in_flight && error == WEIR_WIRE_OK) {
            uint8_t *frame = sent + in * (submitted % frames->in_flight);
            fill(it, frame, in);
            error = weir_wire_submit(it->wire, frame, SECOND, why);
            submitted++;
        }
        if (error == WEIR_WIRE_OK) error = weir_wire_receive(it->wire, result, 100 * SECOND, why);
        if (error != WEIR_WIRE_OK) break;
        fake_result(sent + in * (received % frames->in_flight), in, expected, out);
        *wrong += memcmp(result, expected, out) != 0;
        received++;
    }
    free(sent);
    free(expected);
    free(result);
    return error;
}

/* --- a good wire --- */

static void identity_and_registers(void **state) {
    (void)state;
    bench it = open_bench(&good);
    weir_wire_identity identity;
    weir_failure why;
    check_fine(weir_wire_identify(it.wire, &identity, &why), &why);
    assert_int_equal(identity.protocol, 1);
    assert_int_equal(identity.build, 0xb1d0000f);
    assert_int_equal(identity.model, 0x0de10000);
    assert_int_equal(identity.clock_hz, 48000000);
    assert_int_equal(identity.receive_buffer, 4096);
    assert_int_equal(identity.send_buffer, 2048);
    uint32_t value;
    check_fine(weir_wire_write(it.wire, WEIR_REGISTER_CONTROL, 0x301, &why), &why);
    check_fine(weir_wire_read(it.wire, WEIR_REGISTER_CONTROL, &value, &why), &why);
    assert_int_equal(value, 0x301);
    check_fine(weir_wire_read(it.wire, 100, &value, &why), &why);
    assert_int_equal(value, 0);
    assert_int_equal(weir_wire_read(it.wire, 128, &value, &why), WEIR_WIRE_ARGUMENT);
    close_bench(&it);
}

static void frames_come_back(void **state) {
    (void)state;
    static const weir_wire_frames shapes[] = {{64, 10, 1},     {64, 10, 40},  {1, 1, 200},  {784, 10, 4},
                                              {3000, 5000, 2}, {10, 1000, 3}, {256, 256, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        fake_wire_settings settings = good;
        settings.board.bytes_in = shapes[i].bytes_in;
        settings.board.bytes_out = shapes[i].bytes_out;
        settings.seed = seed + i;
        bench it = open_bench(&settings);
        weir_failure why;
        size_t wrong;
        begin(&it, WEIR_MODE_ACCELERATOR, &shapes[i]);
        check_fine(run_frames(&it, &shapes[i], 100, &wrong, &why), &why);
        assert_int_equal(wrong, 0);
        uint32_t errors;
        check_fine(weir_wire_check(it.wire, &errors, &why), &why);
        assert_int_equal(errors, 0);
        const weir_link_counters counters = weir_wire_count(it.wire);
        assert_int_equal(counters.damaged + counters.repeated + counters.unanswered + counters.gaps, 0);
        assert_int_equal(counters.bytes_out, 100 * shapes[i].bytes_in);
        assert_int_equal(counters.bytes_in, 100 * shapes[i].bytes_out);
        close_bench(&it);
    }
}

/* Payload bytes a second, of `size` bytes each way that is used, in simulated time. */
static double rate_of(const fake_wire_settings *settings, weir_mode mode, size_t out_size, size_t in_size) {
    bench it = open_bench(settings);
    weir_failure why;
    uint8_t *out = malloc(out_size + 1), *in = malloc(in_size + 1);
    begin(&it, mode, NULL);
    fill(&it, out, out_size);
    const uint64_t start = now(&it);
    check_fine(weir_wire_exchange(it.wire, out, out_size, in, in_size, 100 * SECOND, &why), &why);
    const double seconds = (double)(now(&it) - start) * 1e-6;
    for (size_t i = 0; i < in_size; i++) assert_int_equal(in[i], mode == WEIR_MODE_SOURCE ? (uint8_t)i : out[i]);
    const weir_link_counters counters = weir_wire_count(it.wire);
    printf("mode %d, %.0f baud: %.0f bytes/s, round trip %llu us, %llu bytes repeated\n", (int)mode, settings->baud,
           (double)(out_size > in_size ? out_size : in_size) / seconds, (unsigned long long)counters.round_trip,
           (unsigned long long)counters.repeated);
    free(out);
    free(in);
    close_bench(&it);
    return (double)(out_size > in_size ? out_size : in_size) / seconds;
}

static void full_rate(void **state) {
    (void)state;
    enum { SIZE = 1000000 };
    assert_true(rate_of(&good, WEIR_MODE_SINK, SIZE, 0) >= 0.95 * 300000);
    assert_true(rate_of(&good, WEIR_MODE_SOURCE, 0, SIZE) >= 0.95 * 300000);
    assert_true(rate_of(&good, WEIR_MODE_ECHO, SIZE, SIZE) >= 0.95 * 300000); /* both ways at once */
    fake_wire_settings slow = good;
    slow.baud = 115200;
    assert_true(rate_of(&slow, WEIR_MODE_ECHO, 100000, 100000) >= 0.95 * 11520);
    /* A send buffer as iCE40 has it: 512 bytes are what a round trip carries back. */
    fake_wire_settings small = good;
    small.board.send_log2 = 9;
    assert_true(rate_of(&small, WEIR_MODE_SOURCE, 0, 200000) >= 0.25 * 300000);
    assert_true(rate_of(&small, WEIR_MODE_ECHO, 200000, 200000) >= 0.25 * 300000);
    /* Frames, whose results are a quarter, with that buffer: the full rate there, a quarter back. */
    const weir_wire_frames frames = {.bytes_in = 256, .bytes_out = 64, .in_flight = 40};
    small.board.bytes_in = 256;
    small.board.bytes_out = 64;
    bench it = open_bench(&small);
    weir_failure why;
    size_t wrong;
    begin(&it, WEIR_MODE_ACCELERATOR, &frames);
    const uint64_t start = now(&it);
    check_fine(run_frames(&it, &frames, 4000, &wrong, &why), &why);
    const double rate = 4000 * 256e6 / (double)(now(&it) - start);
    printf("frames of 256 to 64, 512 bytes of send buffer: %.0f bytes/s there, %.0f back\n", rate, rate / 4);
    assert_int_equal(wrong, 0);
    assert_true(rate >= 0.95 * 300000);
    close_bench(&it);
    small.baud = 115200; /* acknowledgements that are made long before they are sent come late */
    assert_true(rate_of(&small, WEIR_MODE_ECHO, 30000, 30000) >= 0.5 * 11520);
}

/* Answers that are later than the first time-outs: none is taken for that of a later question. */
static void a_long_delay_is_borne(void **state) {
    (void)state;
    fake_wire_settings settings = good;
    settings.delay = 150000000;
    const weir_wire_frames frames = {64, 10, 100};
    bench it = open_bench(&settings);
    weir_failure why;
    weir_wire_clock clock;
    size_t wrong;
    for (uint32_t i = 1; i < 4; i++) {
        uint32_t value;
        check_fine(weir_wire_write(it.wire, WEIR_REGISTER_CONTROL, i << 8, &why), &why);
        check_fine(weir_wire_read(it.wire, WEIR_REGISTER_CONTROL, &value, &why), &why);
        assert_int_equal(value, i << 8);
    }
    check_fine(weir_wire_measure_clock(it.wire, 2 * SECOND, &clock, &why), &why);
    printf("round trip 300 ms: measured %.0f, within %.0f\n", clock.hz, clock.error);
    assert_true(clock.hz - clock.error <= 48e6 && 48e6 <= clock.hz + clock.error);
    begin(&it, WEIR_MODE_ACCELERATOR, &frames);
    check_fine(run_frames(&it, &frames, 300, &wrong, &why), &why);
    assert_int_equal(wrong, 0);
    close_bench(&it);
}

/* A round trip that grows a hundredfold in the middle: slow, but fine. */
static void a_delay_that_grows_is_borne(void **state) {
    (void)state;
    fake_wire_settings settings = good;
    settings.later = 1100000000;
    settings.later_delay = 200000000;
    const weir_wire_frames frames = {64, 10, 100};
    bench it = open_bench(&settings);
    weir_failure why;
    size_t wrong;
    begin(&it, WEIR_MODE_ACCELERATOR, &frames);
    check_fine(run_frames(&it, &frames, 1000, &wrong, &why), &why);
    assert_int_equal(wrong, 0);
    const weir_link_counters counters = weir_wire_count(it.wire);
    printf("round trip of 4 ms, then 400 ms: %llu bytes repeated, %llu time-outs, %.1f s\n",
           (unsigned long long)counters.repeated, (unsigned long long)counters.unanswered, (double)now(&it) * 1e-6 - 1);
    close_bench(&it);
}

static void clock_is_measured(void **state) {
    (void)state;
    static const double clocks[] = {48e6, 24e6, 51.84e6, 250e6};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        fake_wire_settings settings = good;
        settings.board.real_clock_hz = clocks[i];
        bench it = open_bench(&settings);
        weir_wire_clock clock;
        weir_failure why;
        check_fine(weir_wire_measure_clock(it.wire, SECOND, &clock, &why), &why);
        printf("%.0f Hz: measured %.0f, within %.0f\n", clocks[i], clock.hz, clock.error);
        assert_true(clock.hz - clock.error <= clocks[i] && clocks[i] <= clock.hz + clock.error);
        assert_true(clock.error < 0.01 * clocks[i]);
        assert_int_equal(weir_wire_measure_clock(it.wire, 5 * SECOND, &clock, &why), WEIR_WIRE_ARGUMENT);
        close_bench(&it);
    }
}

/* --- who is there --- */

static void probe_finds_the_rate(void **state) {
    (void)state;
    static const double ratios[] = {1, 4, 0.5, 1.02, 1.08, 0.93, 0.98, 1.11};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        fake_wire_settings settings = good;
        settings.baud = 115200 * ratios[i];
        settings.seed = seed + i;
        bench it = open_bench(&settings);
        weir_wire_rate rate;
        weir_failure why;
        check_fine(weir_wire_probe(it.wire, 115200, &rate, &why), &why);
        printf("board at %.2f: found %u baud, ratio %.2f, errors 0x%x\n", ratios[i], rate.baud, rate.ratio,
               rate.errors);
        assert_true(rate.ratio > 0.96 * ratios[i] && rate.ratio < 1.04 * ratios[i]);
        assert_int_equal(rate.baud, (unsigned)(115200 * rate.ratio + 0.5));
        assert_true((rate.ratio == 1) == ((rate.errors & WEIR_BOARD_FRAMING) == 0));
        weir_wire_identity identity;
        check_fine(weir_wire_identify(it.wire, &identity, &why), &why);
        close_bench(&it);
    }
}

static void expect_probe(fake_fault fault, double baud, weir_wire_error expected) {
    fake_wire_settings settings = good;
    settings.board.fault = fault;
    settings.baud = baud;
    bench it = open_bench(&settings);
    weir_wire_rate rate;
    weir_failure why;
    const uint64_t start = now(&it);
    assert_int_equal(weir_wire_probe(it.wire, 115200, &rate, &why), expected);
    assert_int_equal(why.error, expected);
    printf("%s: %s (%.1f s)\n", weir_failure_name(expected), why.text, (double)(now(&it) - start) * 1e-6);
    assert_true(now(&it) - start < 5 * SECOND);
    close_bench(&it);
}

static void probe_names_what_is_wrong(void **state) {
    (void)state;
    expect_probe(FAKE_DEAF, 115200, WEIR_WIRE_SILENT);
    expect_probe(FAKE_SOUND, 9600, WEIR_WIRE_SILENT);
    expect_probe(FAKE_BABBLES, 115200, WEIR_WIRE_GARBAGE);
    expect_probe(FAKE_OTHER_MAGIC, 115200, WEIR_WIRE_STRANGER);
    expect_probe(FAKE_OTHER_PROTOCOL, 115200, WEIR_WIRE_STRANGER);
}

/* --- boards with faults --- */

static weir_wire_error frames_of(fake_wire_settings settings, size_t count, weir_wire_error checked, size_t *wrong,
                                 weir_failure *why) {
    const weir_wire_frames frames = {settings.board.bytes_in, settings.board.bytes_out, 8};
    bench it = open_bench(&settings);
    begin(&it, WEIR_MODE_ACCELERATOR, &frames);
    weir_wire_error error = run_frames(&it, &frames, count, wrong, why);
    if (error == WEIR_WIRE_OK) {
        weir_failure own;
        assert_int_equal(weir_wire_check(it.wire, NULL, &own), checked);
    }
    close_bench(&it);
    return error;
}

static void faults_of_boards_are_told(void **state) {
    (void)state;
    fake_wire_settings settings = good;
    weir_failure why;
    size_t wrong;
    settings.board.fault = FAKE_WRONG_BIT;
    check_fine(frames_of(settings, 40, WEIR_WIRE_OK, &wrong, &why), &why);
    assert_int_equal(wrong, 1);
    settings.board.fault = FAKE_EXTRA_RESULT;
    check_fine(frames_of(settings, 40, WEIR_WIRE_DISAGREES, &wrong, &why), &why);
    assert_true(wrong > 0);
    settings.board.fault = FAKE_LOSES_BYTE; /* the last frame stays one byte short */
    assert_int_equal(frames_of(settings, 40, WEIR_WIRE_OK, &wrong, &why), WEIR_WIRE_TIMEOUT);
    settings.board.fault = FAKE_FORGETS_ROOM;
    settings.board.receive_log2 = 9;
    settings.board.frame_time = 5000000;
    check_fine(frames_of(settings, 100, WEIR_WIRE_OK, &wrong, &why), &why);
    assert_int_equal(wrong, 0);
}

static void silence_is_told(void **state) {
    (void)state;
    fake_wire_settings settings = good;
    settings.board.fault = FAKE_DEAF;
    bench it = open_bench(&settings);
    weir_failure why;
    uint32_t value;
    assert_int_equal(weir_wire_read(it.wire, 0, &value, &why), WEIR_WIRE_SILENT);
    assert_true(now(&it) < 12 * SECOND);
    assert_int_equal(weir_wire_begin(it.wire, WEIR_MODE_ECHO, NULL, &why), WEIR_WIRE_SILENT);
    assert_int_equal(weir_wire_begin(it.wire, WEIR_MODE_ECHO, NULL, NULL), WEIR_WIRE_SILENT);
    uint8_t byte = 0;
    assert_int_equal(weir_wire_exchange(it.wire, &byte, 1, NULL, 0, SECOND, &why), WEIR_WIRE_ARGUMENT);
    assert_int_equal(weir_wire_submit(it.wire, &byte, SECOND, &why), WEIR_WIRE_ARGUMENT);
    assert_int_equal(weir_wire_receive(it.wire, &byte, SECOND, &why), WEIR_WIRE_ARGUMENT);
    close_bench(&it);
}

/* The board is reset at moments of a run; whatever the positions then are, no wrong result counts as right. */
static void a_reset_is_told(void **state) {
    (void)state;
    unsigned told[WEIR_WIRE_FORMAT + 1] = {0};
    for (uint64_t i = 0; i < 200; i++) {
        fake_wire_settings settings = good;
        settings.seed = seed + i;
        settings.reset_at = 1000000000 + 20000000 + i * 137000;
        size_t wrong;
        weir_failure why;
        const weir_wire_frames frames = {64, 10, 60};
        bench it = open_bench(&settings);
        begin(&it, WEIR_MODE_ACCELERATOR, &frames);
        const uint64_t start = now(&it);
        weir_wire_error error = run_frames(&it, &frames, 150, &wrong, &why);
        if (error == WEIR_WIRE_OK) error = weir_wire_check(it.wire, NULL, &why);
        told[error]++;
        if (settings.reset_at / 1000 < start) assert_int_equal(wrong, 0);
        else assert_true(error != WEIR_WIRE_OK || settings.reset_at / 1000 > now(&it) - 10000);
        assert_true(now(&it) < 200 * SECOND);
        close_bench(&it);
    }
    for (int i = 0; i <= WEIR_WIRE_FORMAT; i++)
        if (told[i] > 0) printf("%s: %u\n", weir_failure_name((weir_wire_error)i), told[i]);
    assert_true(told[WEIR_WIRE_RESET] > 100);
}

/* Where no frames are counted, positions tell, and the mode. */
static void a_reset_between_bytes_is_told(void **state) {
    (void)state;
    static const weir_mode modes[] = {WEIR_MODE_ECHO, WEIR_MODE_SINK};
    for (size_t mode = 0; mode < 2; mode++) {
        unsigned told[WEIR_WIRE_FORMAT + 1] = {0};
        for (uint64_t i = 0; i < 100; i++) {
            static uint8_t out[20000], in[20000];
            const size_t in_size = modes[mode] == WEIR_MODE_ECHO ? sizeof in : 0;
            fake_wire_settings settings = good;
            settings.seed = seed + i;
            settings.reset_at = 1000000000 + 20000000 + i * 437000;
            bench it = open_bench(&settings);
            weir_failure why;
            begin(&it, modes[mode], NULL);
            fill(&it, out, sizeof out);
            told[weir_wire_exchange(it.wire, out, sizeof out, in, in_size, 20 * SECOND, &why)]++;
            assert_true(now(&it) < 5 * SECOND);
            uint8_t byte;
            assert_int_equal(weir_wire_exchange(it.wire, out, 1, &byte, 1, SECOND, &why),
                             WEIR_WIRE_RESET); /* until the next START */
            begin(&it, WEIR_MODE_ECHO, NULL);
            check_fine(weir_wire_exchange(it.wire, out, sizeof out, in, sizeof in, 20 * SECOND, &why), &why);
            assert_memory_equal(in, out, sizeof in);
            close_bench(&it);
        }
        assert_int_equal(told[WEIR_WIRE_RESET], 100);
    }
}

/* Nothing comes back any more, whatever the limit is. */
static void silence_in_a_run_is_told(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 50; i++) {
        fake_wire_settings settings = good;
        settings.seed = seed + i;
        settings.deaf_at = 1000000000 + 20000000 + i * 137000;
        const weir_wire_frames frames = {64, 10, 60};
        bench it = open_bench(&settings);
        size_t wrong;
        weir_failure why;
        begin(&it, WEIR_MODE_ACCELERATOR, &frames);
        assert_int_equal(run_frames(&it, &frames, 100000, &wrong, &why), WEIR_WIRE_SILENT);
        assert_int_equal(wrong, 0);
        assert_true(now(&it) < 10 * SECOND);
        if (i == 0) printf("%s, after %.1f s\n", why.text, (double)now(&it) * 1e-6 - 1);
        close_bench(&it);
    }
}

/* What one run leaves on the wire and in buffers is not taken for the next one's. */
static void streams_begin_from_nothing(void **state) {
    (void)state;
    bench it = open_bench(&good);
    weir_failure why;
    uint8_t out[3000], in[3000];
    for (unsigned round = 0; round < 30; round++) {
        begin(&it, WEIR_MODE_SOURCE, NULL);
        check_fine(weir_wire_exchange(it.wire, NULL, 0, in, 1 + round * 97, SECOND, &why), &why);
        begin(&it, WEIR_MODE_ECHO, NULL);
        fill(&it, out, sizeof out);
        check_fine(weir_wire_exchange(it.wire, out, sizeof out, in, sizeof in, SECOND, &why), &why);
        assert_memory_equal(in, out, sizeof in);
        check_fine(weir_wire_exchange(it.wire, out, 100, in, 100, SECOND, &why), &why); /* streams go on */
        assert_memory_equal(in, out, 100);
    }
    close_bench(&it);
}

static void a_port_that_goes_is_told(void **state) {
    (void)state;
    fake_wire_settings settings = good;
    settings.gone_at = 1050000000;
    size_t wrong;
    weir_failure why;
    assert_int_equal(frames_of(settings, 10000, WEIR_WIRE_OK, &wrong, &why), WEIR_WIRE_GONE);
    assert_int_equal(wrong, 0);
}

/* 2 s a frame, so that time-outs and questions pass; then a limit that is shorter. */
static void a_slow_accelerator_is_waited_for(void **state) {
    (void)state;
    fake_wire_settings settings = good;
    settings.board.frame_time = 2000000000;
    settings.board.bytes_in = 700;
    settings.board.receive_log2 = 9;
    const weir_wire_frames frames = {700, 10, 5};
    bench it = open_bench(&settings);
    weir_failure why;
    size_t wrong;
    begin(&it, WEIR_MODE_ACCELERATOR, &frames);
    check_fine(run_frames(&it, &frames, 12, &wrong, &why), &why);
    assert_int_equal(wrong, 0);
    weir_link_counters counters = weir_wire_count(it.wire);
    printf("12 frames of 2 s: %llu packets, %llu times busy, %llu bytes repeated\n",
           (unsigned long long)counters.packets_out, (unsigned long long)counters.busy,
           (unsigned long long)counters.repeated);
    assert_true(counters.packets_out < 1000);
    uint8_t frame[700] = {0}, result[10];
    check_fine(weir_wire_submit(it.wire, frame, 0, &why), &why);
    const uint64_t start = now(&it);
    assert_int_equal(weir_wire_receive(it.wire, result, SECOND / 2, &why), WEIR_WIRE_TIMEOUT);
    printf("%s\n", why.text);
    assert_in_range(now(&it) - start, SECOND / 2, SECOND / 2 + 2000);
    assert_int_equal(weir_wire_receive(it.wire, result, 0, &why), WEIR_WIRE_TIMEOUT);
    check_fine(weir_wire_receive(it.wire, result, 10 * SECOND, &why), &why);
    close_bench(&it);
}

static void places_are_counted(void **state) {
    (void)state;
    fake_wire_settings settings = good;
    const weir_wire_frames frames = {64, 10, 3}, none = {0, 10, 3};
    bench it = open_bench(&settings);
    weir_failure why;
    uint8_t frame[64] = {1, 2, 3}, result[10];
    assert_int_equal(weir_wire_begin(it.wire, WEIR_MODE_ACCELERATOR, &none, &why), WEIR_WIRE_ARGUMENT);
    begin(&it, WEIR_MODE_ACCELERATOR, &frames);
    for (int i = 0; i < 3; i++) check_fine(weir_wire_submit(it.wire, frame, 0, &why), &why);
    assert_int_equal(weir_wire_in_flight(it.wire), 3);
    assert_int_equal(weir_wire_submit(it.wire, frame, SECOND / 10, &why), WEIR_WIRE_FULL);
    assert_int_equal(weir_wire_check(it.wire, NULL, &why), WEIR_WIRE_ARGUMENT);
    for (int i = 0; i < 3; i++) check_fine(weir_wire_receive(it.wire, result, SECOND, &why), &why);
    assert_int_equal(weir_wire_in_flight(it.wire), 0);
    check_fine(weir_wire_submit(it.wire, frame, 0, &why), &why);
    close_bench(&it);
}

/* --- bad wires --- */

/* `share` of the wire is payload nevertheless. */
static void run_bad_wire(double rate, double share, size_t packets, size_t bytes_in, size_t bytes_out,
                         uint64_t frame_time, unsigned log2) {
    fake_wire_settings settings = good;
    settings.rate = rate;
    settings.seed = seed++;
    settings.board.bytes_in = bytes_in;
    settings.board.bytes_out = bytes_out;
    settings.board.frame_time = frame_time;
    settings.board.receive_log2 = settings.board.send_log2 = log2;
    const weir_wire_frames frames = {bytes_in, bytes_out, 2000 / bytes_in + 2};
    bench it = open_bench(&settings);
    weir_link_counters counters;
    size_t count = 0, all = 0;
    weir_failure why;
    begin(&it, WEIR_MODE_ACCELERATOR, &frames);
    do {
        size_t wrong;
        weir_wire_error error = run_frames(&it, &frames, 1000, &wrong, &why);
        all += 1000;
        if (error == WEIR_WIRE_OK) error = weir_wire_check(it.wire, NULL, &why);
        if (error != WEIR_WIRE_OK || wrong > 0)
            fail_msg("rate %g, seed %llu: %s, %zu results are wrong: %s", rate, (unsigned long long)settings.seed,
                     weir_failure_name(error), wrong, error == WEIR_WIRE_OK ? "" : why.text);
        counters = weir_wire_count(it.wire);
        count = (size_t)(counters.packets_in + counters.packets_out);
    } while (count < packets);
    const double seconds = (double)now(&it) * 1e-6 - 1,
                 used = (double)(counters.bytes_out > counters.bytes_in ? counters.bytes_out : counters.bytes_in) /
                        seconds / 300000;
    printf(
        "rate %g, seed %llu, frames of %zu to %zu: %zu frames, %zu packets, %llu damaged, %llu bytes again, %.1f%% of the wire;",
        rate, (unsigned long long)settings.seed, bytes_in, bytes_out, all, count, (unsigned long long)counters.damaged,
        (unsigned long long)counters.repeated, 100 * used);
    assert_true(used >= share);
    for (int i = 0; i < DAMAGES; i++) {
        printf(" %llu", (unsigned long long)fake_wire_damage(it.fake, (fake_damage)i));
        assert_true(fake_wire_damage(it.fake, (fake_damage)i) > 0);
    }
    printf("\n");
    close_bench(&it);
}

/* 100,000 packets, a million at night. */
static void bad_wires_lose_nothing(void **state) {
    (void)state;
    run_bad_wire(1e-4, 0.6, 40000 * more, 256, 256, 0, 11);
    run_bad_wire(1e-4, 0.7, 20000 * more, 64, 10, 0, 11);
    run_bad_wire(1e-3, 0.15, 20000 * more, 100, 100, 0, 11);
    run_bad_wire(3e-3, 0.04, 10000 * more, 64, 10, 0, 9);
    run_bad_wire(5e-3, 0.0005, 4000 * more, 256, 256, 0, 11);
    run_bad_wire(1e-2, 0.005, 2000 * more, 16, 4, 0, 11);
    run_bad_wire(1e-3, 0.15, 10000 * more, 300, 20, 1500000, 9); /* slower than the wire */
}

/* --- threads --- */

static void *submit_all(void *user) {
    bench *it = user;
    uint8_t frame[64];
    for (unsigned i = 0; i < 300; i++) {
        memset(frame, (int)i, sizeof frame);
        if (weir_wire_submit(it->wire, frame, 10 * SECOND, NULL) != WEIR_WIRE_OK) return "submit";
    }
    return NULL;
}

static void *read_registers(void *user) {
    bench *it = user;
    for (unsigned i = 0; i < 100; i++) {
        uint32_t value = 0;
        if (weir_wire_read(it->wire, WEIR_REGISTER_BUILD, &value, NULL) != WEIR_WIRE_OK || value != 0xb1d0000f)
            return "register";
    }
    return NULL;
}

/* Simulated time goes on as fast as it is asked to; here it waits for the other threads. */
static int (*read_at_once)(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why);
static int read_slowly(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    const struct timespec time = {0, 100000};
    nanosleep(&time, NULL);
    return read_at_once(user, data, size, until, why);
}

static void threads_share_a_handle(void **state) {
    (void)state;
    const weir_wire_frames frames = {64, 10, 7};
    weir_transport transport;
    bench it = {.fake = fake_wire_new(&good, &transport)};
    read_at_once = transport.read;
    transport.read = read_slowly;
    assert_int_equal(weir_wire_open(&it.wire, &transport, 3000000, NULL), WEIR_WIRE_OK);
    begin(&it, WEIR_MODE_ACCELERATOR, &frames);
    pthread_t thread[3];
    void *result[3];
    pthread_create(&thread[0], NULL, submit_all, &it);
    pthread_create(&thread[1], NULL, read_registers, &it);
    pthread_create(&thread[2], NULL, read_registers, &it);
    for (unsigned i = 0; i < 300; i++) {
        uint8_t frame[64], expected[10], got[10];
        weir_failure why;
        memset(frame, (int)i, sizeof frame);
        fake_result(frame, sizeof frame, expected, sizeof expected);
        check_fine(weir_wire_receive(it.wire, got, 1000 * SECOND, &why), &why);
        assert_memory_equal(got, expected, sizeof got);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(thread[i], &result[i]);
        assert_null(result[i]);
    }
    close_bench(&it);
}

int main(void) {
    const char *given = getenv("WEIR_SEED"), *random = getenv("WEIR_RANDOM");
    if (given != NULL) seed = strtoull(given, NULL, 10);
    if (random != NULL) more = (unsigned)strtoul(random, NULL, 10);
    printf("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_and_registers),
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(full_rate),
        cmocka_unit_test(a_delay_that_grows_is_borne),
        cmocka_unit_test(clock_is_measured),
        cmocka_unit_test(a_long_delay_is_borne),
        cmocka_unit_test(probe_finds_the_rate),
        cmocka_unit_test(probe_names_what_is_wrong),
        cmocka_unit_test(faults_of_boards_are_told),
        cmocka_unit_test(silence_is_told),
        cmocka_unit_test(a_reset_is_told),
        cmocka_unit_test(a_reset_between_bytes_is_told),
        cmocka_unit_test(silence_in_a_run_is_told),
        cmocka_unit_test(streams_begin_from_nothing),
        cmocka_unit_test(a_port_that_goes_is_told),
        cmocka_unit_test(a_slow_accelerator_is_waited_for),
        cmocka_unit_test(places_are_counted),
        cmocka_unit_test(bad_wires_lose_nothing),
        cmocka_unit_test(threads_share_a_handle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
