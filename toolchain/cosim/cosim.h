/* One co-simulation of a compiled folder: sends frames and compares every recorded stream with the reference. */
#ifndef WEIR_COSIM_COSIM_H
#define WEIR_COSIM_COSIM_H

#include "cosim/reference.h"
#include "sim/driver.h"
#include "sim/scoreboard.h"

struct weir_cosim;

typedef struct weir_cosim_options {
    weir_simulator simulator;
    weir_sim_profile profile;
    uint32_t seed;
    bool debug;     /* the bench with taps and meters, on the reference's debug frames */
    bool one_bench; /* this bench also for runs without taps: one build serves all */
    bool asserts;   /* the components' assertions are on (rtl/README.md): simulation is slower; not of netlists */
    bool malformed; /* some frames are too short or too long: those must be flagged, the others right; not with debug */
    int64_t frames; /* of the reference to run, 0: all (debug: all debug frames) */
    /* Write the waveform of cycles [wave_from, wave_to) of a debug run to this .fst, with its save file (wave.h), if
     * possible, then stop; its first divergence is that of `wave_of`. NULL: none. */
    const char *wave;
    uint32_t wave_from, wave_to;
    const struct weir_cosim *wave_of;
    const char *netlist;              /* a synthesized netlist instead of FOLDER/rtl, or NULL */
    const char *const *netlist_files; /* models of its cells; NULL-terminated, or NULL */
} weir_cosim_options;

/* What a component did, from the meters and taps of a debug run. */
typedef struct weir_activity {
    weir_node node;
    weir_sim_meter meter;
    double interval; /* cycles between frames at its output once the pipeline is full; 0: too few frames */
    /* Of frame 0: the cycles in which the first and the last beat of output 0 were accepted; both 0 if it did not
     * end. */
    uint32_t first_out, last_out;
} weir_activity;

typedef struct weir_cosim {
    weir_simulator simulator;
    weir_sim_profile profile;
    bool debug, cached;
    bool wave, wave_view; /* the waveform was written, and what opens it */
    bool malformed;
    int64_t frames, damaged; /* and how many of them were too short or too long */
    weir_sim_status status;
    double build_seconds, seconds;
    uint32_t cycles;
    uint64_t compared,
        mismatches; /* output values; mismatches count wrong, unknown and missing ones, and wrong flags */
    uint64_t streams, stream_values; /* debug runs: streams and values between components that were compared */
    /* The first divergence in graph order of streams (debug) or at an output. */
    bool diverged;
    char *where; /* node name; heap */
    weir_comparison first;
    uint32_t last_beat; /* of a divergence without a cycle: of the last beat at that node */
    char *miscounted;   /* "input 'x': 2 damaged frames counted, expected 3", or NULL; heap */
    char *violation;    /* "NODE: valid dropped at cycle 12", or NULL; heap */
    int64_t latency;    /* first beat of any input to last beat of frame 0 at all outputs, cycles */
    double interval;    /* cycles a frame once the pipeline is full; 0: too few frames */
    int64_t **output;   /* codes of each hardware output as found, frames * elements; zero where missing */
    size_t output_count, activity_count;
    weir_activity *activity; /* debug runs */
} weir_cosim;

/* Runs in `folder`, which no other run may use before it ends. WEIR_EXIT_FINE when the simulation ran (the result says
 * whether the hardware is right), else after a reported error WEIR_EXIT_TOOL or WEIR_EXIT_INPUT. */
int weir_cosim_run(const weir_graph *hardware, const char *folder, const weir_reference *reference,
                   const weir_cosim_options *options, weir_cosim *result);
void weir_cosim_free(weir_cosim *result);
/* Cycle of the first divergence, of missing beats that of the last one at the node; of a run without one, its last. */
uint32_t weir_cosim_divergence(const weir_cosim *run);
/* Copies the files of a compiled folder that a run needs, replacing those in `work`. False after a reported error. */
bool weir_cosim_copy(const char *folder, const char *work);
/* All values equal the reference, in time and within the protocol. */
bool weir_cosim_is_right(const weir_cosim *result);

#endif
