/* nextpnr: placing and routing with several seeds at once, each kept in the cache. */
#ifndef WEIR_SYNTH_PLACE_H
#define WEIR_SYNTH_PLACE_H

#include <jansson.h>

#include "dataflow/cost/device.h"
#include "synth/program.h"

/* How nextpnr ended with a seed; except for PLACED there is no clock and no report. */
typedef enum weir_place_end {
    WEIR_PLACE_PLACED,
    WEIR_PLACE_LATE,   /* the time was over */
    WEIR_PLACE_BROKEN, /* it failed and named no error: a fault of its own, which another seed may not meet */
    WEIR_PLACE_FULL,   /* there was no place for a cell */
    WEIR_PLACE_FAILED
} weir_place_end;

typedef struct weir_placement {
    int64_t seed;
    weir_place_end end;
    double fmax_mhz; /* of the slowest clock */
    json_t *report;  /* of nextpnr: fmax, utilization, critical_paths */
    char *log;       /* what nextpnr said; heap */
    char *output;    /* the file that the job names; heap, NULL: it names none */
    size_t output_size;
    bool cached; /* it was not started */
} weir_placement;

typedef struct weir_placements {
    weir_placement *item; /* by seed from 1 on */
    size_t count;
    size_t best;
    bool lacks_room; /* of the device: why there is none */
} weir_placements;

/* Where pins lie, and what nextpnr is asked to write: a design for a board. */
typedef struct weir_place_pins {
    const char *file, *text;   /* the constraints: a name without folders */
    const char *const *option; /* all of nextpnr's, instead of the profile's, and those that name both files */
    size_t option_count;
    const char *output; /* name of the file that nextpnr writes */
} weir_place_pins;

typedef struct weir_place_job {
    const weir_program *nextpnr;
    const weir_device *device;
    const char *cache;
    const json_t *netlist;       /* with the pins */
    const weir_place_pins *pins; /* NULL: no board, the profile's */
    const char *placer;          /* of nextpnr's, NULL: the one that it takes by itself */
    int64_t clock_hz, seeds;
} weir_place_job;

/* Seeds 1, 2, ... until one meets the clock goal, at most `seeds`; which those are does not depend on how many run at
 * once. The best is the one that meets the goal, else the fastest. Seeds that take too long, and those on which nextpnr
 * breaks, are warned of; when there is no other, that is an error. WEIR_EXIT_FINE, or, after a reported error,
 * WEIR_EXIT_INPUT where the device has no room and else WEIR_EXIT_TOOL. */
int weir_place(const weir_place_job *job, weir_placements *placements);
void weir_placements_free(weir_placements *placements);

#endif
