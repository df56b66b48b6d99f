/* boards/host/wire against a simulated board with its PLL, its link and an accelerator that gives frames back. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "board/simulated_transport.h"
#include "support/memory/arena.h"
#include "wire/wire.h"

enum { BAUD = 3000000, FRAME = 16 };
#define MILLISECOND UINT64_C(1000000000) /* of picoseconds */

static weir_board_sim *start(weir_simulator simulator, weir_sim_serial_options line) {
    static const char *const patterns[] = {"boards/common/*.v",
                                           "boards/common/pll/weir_pll_ice40_pad.v",
                                           "boards/cells/pll/SB_PLL40_PAD.v",
                                           "boards/cells/pll/weir_pll_model.v",
                                           "rtl/memory/weir_ram.v",
                                           "rtl/stream/weir_register_slice.v"};
    const char *source = getenv("WEIR_SOURCE");
    char *folder = weir_format("%s/tests/board/simulated/link", source);
    glob_t files;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char *pattern = weir_format("%s/%s", source, patterns[i]);
        assert_int_equal(glob(pattern, i ? GLOB_APPEND : 0, NULL, &files), 0);
        free(pattern);
    }
    line.clock_hz = line.clock_hz > 0 ? line.clock_hz : 12e6;
    line.seconds = 300;
    const weir_board_sim_options options = {.folder = folder,
                                            .files = (const char *const *)files.gl_pathv,
                                            .file_count = files.gl_pathc,
                                            .simulator = simulator,
                                            .line = line};
    int status;
    weir_board_sim *sim = weir_board_sim_start(&options, &status);
    globfree(&files);
    free(folder);
    assert_non_null(sim);
    return sim;
}

static weir_wire *connect_to(weir_board_sim *sim, unsigned baud) {
    weir_transport transport;
    weir_failure why = {WEIR_WIRE_OK, ""};
    weir_wire *wire = NULL;
    if (weir_simulated_transport_open(&transport, sim, baud, &why) || weir_wire_open(&wire, &transport, baud, &why))
        fail_msg("%s", why.text);
    return wire;
}

static void expect_fine(weir_wire_error error, const weir_failure *why) {
    if (error) fail_msg("%s: %s", weir_failure_name(error), why->text);
}

/* `expected`: the board's error flags. */
static void run_frames(weir_wire *wire, int frames, uint32_t expected) {
    const weir_wire_frames sizes = {FRAME, FRAME, 40};
    uint8_t frame[FRAME], result[FRAME];
    weir_failure why;
    int sent = 0;
    expect_fine(weir_wire_begin(wire, WEIR_MODE_ACCELERATOR, &sizes, &why), &why);
    for (int got = 0; got < frames; got++) {
        for (; sent < frames && sent - got < 40; sent++) {
            memset(frame, sent, FRAME);
            frame[0] = 0;
            expect_fine(weir_wire_submit(wire, frame, 1000000, &why), &why);
        }
        expect_fine(weir_wire_receive(wire, result, 1000000, &why), &why);
        memset(frame, got, FRAME);
        frame[0] = 0;
        assert_memory_equal(result, frame, FRAME);
    }
    uint32_t errors = 0;
    expect_fine(weir_wire_check(wire, &errors, &why), &why);
    assert_int_equal(errors, expected);
}

/* The end in simulated time. */
static uint64_t talk(weir_simulator simulator) {
    weir_board_sim *sim = start(simulator, (weir_sim_serial_options){0});
    weir_wire *wire = connect_to(sim, BAUD);
    weir_wire_identity identity;
    weir_wire_clock clock;
    weir_failure why;
    expect_fine(weir_wire_identify(wire, &identity, &why), &why);
    assert_int_equal(identity.build, 0x600DB0A2);
    assert_int_equal(identity.model, 0x12345678);
    assert_int_equal(identity.clock_hz, 24000000);
    run_frames(wire, 40, 0);
    expect_fine(weir_wire_measure_clock(wire, 2000, &clock, &why), &why);
    assert_true(fabs(clock.hz - 24e6) <= clock.error);
    const weir_sim_serial_counts counts = weir_sim_serial_count(weir_board_sim_line(sim));
    assert_int_equal(counts.framing + counts.unknown + counts.overrun, 0);
    const uint64_t end = weir_sim_serial_now(weir_board_sim_line(sim));
    weir_wire_close(wire);
    weir_board_sim_stop(sim);
    return end;
}

static void test_same_time(void **state) {
    (void)state;
    const uint64_t end = talk(WEIR_SIM_VERILATOR);
    assert_int_equal(talk(WEIR_SIM_VERILATOR), end);
    assert_int_equal(talk(WEIR_SIM_ICARUS), end);
}

/* A bridge that makes a quarter of the rate that it is told, as one is known to. */
static void test_quarter(void **state) {
    (void)state;
    weir_board_sim *sim = start(WEIR_SIM_VERILATOR, (weir_sim_serial_options){.baud_ratio = 0.25});
    weir_wire *wire = connect_to(sim, BAUD);
    weir_wire_rate rate;
    weir_failure why;
    expect_fine(weir_wire_probe(wire, BAUD, &rate, &why), &why);
    assert_true(rate.ratio == 4 && rate.baud == 4 * BAUD);
    run_frames(wire, 50, 0);
    weir_wire_close(wire);
    weir_board_sim_stop(sim);
}

/* An oscillator that is 1 % too fast is measured. */
static void test_fast_clock(void **state) {
    (void)state;
    weir_board_sim *sim = start(WEIR_SIM_VERILATOR, (weir_sim_serial_options){.clock_hz = 12.12e6});
    weir_wire *wire = connect_to(sim, BAUD);
    weir_wire_clock clock;
    weir_failure why;
    expect_fine(weir_wire_measure_clock(wire, 50000, &clock, &why), &why);
    assert_true(fabs(clock.hz - 24.24e6) <= clock.error && clock.error < 0.003 * 24e6);
    weir_wire_close(wire);
    weir_board_sim_stop(sim);
}

static void test_gone(void **state) {
    (void)state;
    weir_board_sim *sim =
        start(WEIR_SIM_VERILATOR, (weir_sim_serial_options){.unplug_at = 100, .away = 5 * MILLISECOND});
    weir_sim_serial *line = weir_board_sim_line(sim);
    weir_transport transport;
    weir_wire *wire = connect_to(sim, BAUD);
    weir_failure why;
    uint32_t value;
    weir_wire_error error = WEIR_WIRE_OK;
    const char *reason;
    for (int i = 0; i < 20 && error == WEIR_WIRE_OK; i++) error = weir_wire_read(wire, 0, &value, &why);
    assert_int_equal(error, WEIR_WIRE_GONE);
    weir_wire_close(wire);
    assert_int_equal(weir_simulated_transport_open(&transport, sim, BAUD, &why), WEIR_WIRE_GONE);
    assert_true(weir_sim_serial_wait(line, weir_sim_serial_now(line) + 6 * MILLISECOND, &reason));
    wire = connect_to(sim, BAUD);
    run_frames(wire, 20, WEIR_BOARD_CRC); /* of the packet that was cut */
    kill((pid_t)weir_sim_serial_count(line).process, SIGKILL);
    assert_int_equal(weir_wire_read(wire, 0, &value, &why), WEIR_WIRE_GONE);
    assert_non_null(strstr(why.text, "the simulator ended"));
    weir_wire_close(wire);
    weir_board_sim_stop(sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_time), cmocka_unit_test(test_quarter),
                                       cmocka_unit_test(test_fast_clock), cmocka_unit_test(test_gone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
