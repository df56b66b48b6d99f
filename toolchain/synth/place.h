/* nextpnr: placing and routing with several seeds at once, each kept in the cache. */
#ifndef WEIR_SYNTH_PLACE_H
#define WEIR_SYNTH_PLACE_H

#include <jansson.h>

#include "dataflow/cost/device.h"
#include "synth/program.h"

/* nextpnr's outcome for a seed; only PLACED has a clock and a report. */
typedef enum weir_place_end {
    WEIR_PLACE_PLACED,
    WEIR_PLACE_LATE,   /* time limit reached */
    WEIR_PLACE_BROKEN, /* it failed without an error message: an internal fault that another seed may avoid */
    WEIR_PLACE_FULL,   /* no site was left for a cell */
    WEIR_PLACE_FAILED
} weir_place_end;

typedef struct weir_placement {
    int64_t seed;
    weir_place_end end;
    double fmax_mhz; /* of the slowest clock */
    json_t *report;  /* of nextpnr: fmax, utilization, critical_paths */
    char *log;       /* nextpnr's messages; heap */
    char *output;    /* the file that the job names; heap, NULL: it names none */
    size_t output_size;
    bool cached; /* it was not started */
} weir_placement;

typedef struct weir_placements {
    weir_placement *item; /* by seed from 1 on */
    size_t count;
    size_t best;
    bool lacks_room; /* of the device: the reason why there is none */
} weir_placements;

/* Pin constraints and nextpnr's output file: a design for a board. */
typedef struct weir_place_pins {
    const char *file, *text;   /* the constraints: a name without folders; NULL: there are none */
    const char *const *option; /* all of nextpnr's, instead of the profile's, and those that name both files */
    size_t option_count;
    const char *output; /* name of the file that nextpnr writes; NULL: none */
} weir_place_pins;

/* Takes what a seed gave: weir_place_task_run's object. False after a reported error. */
typedef bool weir_place_taker(void *user, int64_t seed, const json_t *result);

/* Places seeds in other processes: calls weir_place_task_run there with the task and each seed from 1 to `seeds`, and
 * here `take` with what that made. Exit status. */
typedef struct weir_place_elsewhere {
    int (*place)(void *user, const json_t *task, int64_t seeds, weir_place_taker *take, void *taker);
    void *user;
} weir_place_elsewhere;

typedef struct weir_place_job {
    const weir_program *nextpnr;
    const weir_device *device;
    const char *cache;
    const json_t *netlist;       /* with the pins */
    const weir_place_pins *pins; /* NULL: no board, the profile's */
    const char *placer;          /* of nextpnr's; NULL: its default */
    int64_t clock_hz, seeds;
    const weir_place_elsewhere *elsewhere; /* NULL: in threads of this process; of jobs without an output */
} weir_place_job;

/* Tries seeds 1, 2, ... until one meets the clock goal, at most `seeds`; the result does not depend on how many run in
 * parallel. The best is the one that meets the goal, else the fastest. Seeds that exceed the time limit, and those on
 * which nextpnr fails, give a warning, or an error if there is no other. WEIR_EXIT_FINE, or, after a reported error,
 * WEIR_EXIT_INPUT if the device has no room, else WEIR_EXIT_TOOL. */
int weir_place(const weir_place_job *job, weir_placements *placements);
/* Places one seed of a task of another process. *result is how it ended, a new object; NULL after a reported error: the
 * task is none, or this machine has not the same nextpnr. Exit status. */
int weir_place_task_run(const json_t *task, const char *cache, int64_t seed, json_t **result);
void weir_placements_free(weir_placements *placements);

#endif
