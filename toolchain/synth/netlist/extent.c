#include "synth/netlist/extent.h"

#include <assert.h>

#include "support/memory/arena.h"

/* Work is cycles without stalls times cells. Icarus does a million a second, in runs that take six times the cycles
 * together; Verilator, if it is there, 30 to 300 millions, but takes a quarter of a minute and more to build. So what
 * is more than the first goes to Verilator, and frames that are not asked for end with the second: some minutes. */
static const int64_t verilator_from = 10000000,
                     most_work[] = {[WEIR_SIM_ICARUS] = 100000000, [WEIR_SIM_VERILATOR] = 2000000000};

/* Frames that there shall be unless they are too much work; all of the data: as many as there can be. */
static int64_t wanted_frames(int64_t asked, bool has_data, int64_t cycles) {
    assert(asked >= 0 && cycles >= 1);
    if (asked > 0) return asked;
    if (has_data) return INT64_MAX;
    const int64_t frames = WEIR_SYNTH_RANDOM_CYCLES / cycles;
    return frames < WEIR_SYNTH_FEWEST_FRAMES ? WEIR_SYNTH_FEWEST_FRAMES
           : frames > WEIR_SYNTH_MOST_FRAMES ? WEIR_SYNTH_MOST_FRAMES
                                             : frames;
}

weir_synth_extent weir_synth_extent_of(int64_t cycles, int64_t cells, int64_t asked, bool has_data,
                                       bool has_verilator) {
    weir_synth_extent e = {.cycles = cycles < 1 ? 1 : cycles, .cells = cells < 1 ? 1 : cells};
    const int64_t wanted = wanted_frames(asked, has_data, e.cycles), work = e.cycles * e.cells;
    e.simulator = wanted > verilator_from / work && has_verilator ? WEIR_SIM_VERILATOR : WEIR_SIM_ICARUS;
    const int64_t most = most_work[e.simulator] / work;
    e.is_cut = asked == 0 && wanted > most;
    e.frames = e.is_cut ? most : wanted;
    return e;
}

char *weir_synth_extent_limit(const weir_synth_extent *e) {
    return e->is_cut ? weir_format("a frame is %lld cycles of %lld cells; --frames N simulates N", (long long)e->cycles,
                                   (long long)e->cells)
                     : weir_format("of random ones as many as %d cycles have, from %d to %d", WEIR_SYNTH_RANDOM_CYCLES,
                                   WEIR_SYNTH_FEWEST_FRAMES, WEIR_SYNTH_MOST_FRAMES);
}
