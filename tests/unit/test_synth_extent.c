/* How many frames of a netlist are simulated, at both sides of each limit (toolchain/synth/README.md states them). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "synth/netlist/extent.h"

static void expect(weir_synth_extent e, int64_t frames, weir_simulator simulator, bool is_cut, const char *limit) {
    char *text = weir_synth_extent_limit(&e);
    assert_int_equal(e.frames, frames);
    assert_int_equal(e.simulator, simulator);
    assert_int_equal(e.is_cut, is_cut);
    assert_string_equal(text, limit);
    free(text);
}

static const char random_ones[] = "of random ones as many as 1500 cycles have, from 2 to 16";

static void random_frames(void **state) {
    (void)state;
    expect(weir_synth_extent_of(0, 0, 0, false, true), 16, WEIR_SIM_ICARUS, false, random_ones);
    expect(weir_synth_extent_of(93, 100, 0, false, true), 16, WEIR_SIM_ICARUS, false, random_ones);
    expect(weir_synth_extent_of(192, 600, 0, false, true), 7, WEIR_SIM_ICARUS, false, random_ones);
    expect(weir_synth_extent_of(5000, 100, 0, false, true), 2, WEIR_SIM_ICARUS, false, random_ones);
    /* 10 million cycles times cells are Icarus', more are Verilator's where that is there. */
    expect(weir_synth_extent_of(5000, 1000, 0, false, true), 2, WEIR_SIM_ICARUS, false, random_ones);
    expect(weir_synth_extent_of(5000, 1001, 0, false, true), 2, WEIR_SIM_VERILATOR, false, random_ones);
    expect(weir_synth_extent_of(5000, 1001, 0, false, false), 2, WEIR_SIM_ICARUS, false, random_ones);
}

static void work_ends(void **state) {
    (void)state;
    /* 2,000 million for Verilator, 100 million without it. */
    expect(weir_synth_extent_of(100000, 10000, 0, false, true), 2, WEIR_SIM_VERILATOR, false, random_ones);
    expect(weir_synth_extent_of(100000, 10001, 0, false, true), 1, WEIR_SIM_VERILATOR, true,
           "a frame is 100000 cycles of 10001 cells; --frames N simulates N");
    expect(weir_synth_extent_of(100001, 20000, 0, false, true), 0, WEIR_SIM_VERILATOR, true,
           "a frame is 100001 cycles of 20000 cells; --frames N simulates N");
    expect(weir_synth_extent_of(50000, 1000, 0, false, false), 2, WEIR_SIM_ICARUS, false, random_ones);
    expect(weir_synth_extent_of(50000, 1001, 0, false, false), 1, WEIR_SIM_ICARUS, true,
           "a frame is 50000 cycles of 1001 cells; --frames N simulates N");
    expect(weir_synth_extent_of(100001, 1000, 0, false, false), 0, WEIR_SIM_ICARUS, true,
           "a frame is 100001 cycles of 1000 cells; --frames N simulates N");
    /* Of data as many as the work allows. */
    expect(weir_synth_extent_of(1000, 20000, 0, true, true), 100, WEIR_SIM_VERILATOR, true,
           "a frame is 1000 cycles of 20000 cells; --frames N simulates N");
    /* What is asked for is simulated. */
    assert_int_equal(weir_synth_extent_of(100001, 20000, 3, true, true).frames, 3);
    assert_false(weir_synth_extent_of(100001, 20000, 3, true, true).is_cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_frames), cmocka_unit_test(work_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
