/* How many frames of a netlist are simulated, and in which simulator: by counted work, never by the clock. */
#ifndef WEIR_SYNTH_EXTENT_H
#define WEIR_SYNTH_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/driver.h"

typedef struct weir_synth_extent {
    int64_t cycles, cells; /* of a frame without stalls; of the netlist: at least 1 each */
    int64_t frames;        /* 0: none is possible; INT64_MAX: all of the data */
    weir_simulator simulator;
    bool is_cut; /* the work allows no more frames */
} weir_synth_extent;

/* Of random frames as many as so many cycles allow without stalls, from the fewest to the most. */
enum { WEIR_SYNTH_RANDOM_CYCLES = 1500, WEIR_SYNTH_FEWEST_FRAMES = 2, WEIR_SYNTH_MOST_FRAMES = 16 };

/* `asked`: frames that were asked for, which are simulated whatever they take; 0: those of the data, or random ones. */
weir_synth_extent weir_synth_extent_of(int64_t cycles, int64_t cells, int64_t asked, bool has_data, bool has_verilator);

/* Why there are no more frames than were simulated. Heap memory. */
char *weir_synth_extent_limit(const weir_synth_extent *extent);

#endif
