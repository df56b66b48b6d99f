/* Builds a bench for a simulator, through a cache, and runs it: stimulus in, recorded beats and statistics out. */
#ifndef WEIR_SIM_DRIVER_H
#define WEIR_SIM_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/beats.h"
#include "support/text/text.h"

typedef enum weir_simulator { WEIR_SIM_VERILATOR, WEIR_SIM_ICARUS, WEIR_SIMULATORS } weir_simulator;

const char *weir_simulator_name(weir_simulator simulator); /* "verilator", "icarus" */
/* Are its programs on PATH? */
bool weir_simulator_found(weir_simulator simulator);

/* What to build: the top module (with the instances sim/README.md names) and everything below it. */
typedef struct weir_sim_job {
    weir_simulator simulator;
    const char *const *files;   /* Verilog of design and top, without the bench parts */
    size_t file_count;          /* 0: make only what all designs share, once a machine */
    const char *const *defines; /* NAME or NAME=VALUE */
    size_t define_count;
    const char *data_folder;  /* has sim/bench and sim/harness; NULL: weir_data_folder() */
    const char *cache_folder; /* NULL: weir_cache_folder() */
    uint64_t cache_limit;     /* bytes, 0: 1 GiB */
    bool trace;               /* able to write waveforms */
    unsigned processes;       /* compilers at once, 0: 2 */
    uint64_t cycles;          /* about as many are to be simulated, 0: many; for few the compiler optimizes less */
    double seconds;           /* time limit for each tool, 0: none */
} weir_sim_job;

enum { WEIR_SIM_SHARED = 2 }; /* entries of the cache, at most, that the designs of a simulator share */

/* A simulator that is ready to run, for any stimulus, profile and seed. */
typedef struct weir_sim_artifact {
    weir_simulator simulator;
    bool trace;
    bool cached;    /* it was there already */
    double seconds; /* that building took */
    char *folder;   /* in the cache; heap */
    int held;       /* it stays there until the artifact is freed */
    struct {
        char *folder; /* heap, NULL: none */
        int held;
    } shared[WEIR_SIM_SHARED];
} weir_sim_artifact;

/* The folder of the cache in which drivers keep what they build, absolute, made when absent; `root` NULL: below
 * weir_cache_folder(). NULL after a reported error. Heap memory. */
char *weir_sim_cache(const char *root);
/* How large it may get unless a job says otherwise, bytes. */
#define WEIR_SIM_CACHE_LIMIT (UINT64_C(1) << 30)

/* Returns WEIR_EXIT_FINE; or, after a reported error, WEIR_EXIT_TOOL (missing, or failed: its messages are shown) or
 * WEIR_EXIT_INPUT (a file cannot be read). */
int weir_sim_build(const weir_sim_job *job, weir_sim_artifact *artifact);
void weir_sim_artifact_free(weir_sim_artifact *artifact);

/* When a source is valid and a sink ready. */
typedef enum weir_sim_profile {
    WEIR_SIM_ALWAYS,
    WEIR_SIM_HALF,
    WEIR_SIM_EIGHTH,
    WEIR_SIM_AFTER_VALID, /* sinks: ready only after valid; sources: bursts */
    WEIR_SIM_PROFILES
} weir_sim_profile;

/* One stream end. Sources play `records` (weir_beats_pack), sinks expect `beats`; taps use index and width only. */
typedef struct weir_sim_port {
    uint32_t index; /* of the instance: tb.u_source_<index> */
    uint32_t width; /* bits, as the instance has them */
    weir_sim_profile profile;
    size_t beats;
    const uint32_t *records;
} weir_sim_port;

typedef struct weir_sim_run {
    const char *folder; /* working directory: relative $readmemh names start here */
    const char *name;   /* stem of the files written there, NULL: "weir_run"; different for runs at the same time */
    uint32_t seed;
    uint32_t cycle_limit; /* 0: none */
    uint32_t watchdog;    /* cycles without an accepted beat that mean deadlock, 0: 100000 */
    uint32_t drain;       /* cycles to continue after the last beat expected, to catch extra ones, 0: 64 */
    bool dump;            /* waveforms of the cycles [dump_from, dump_to) in <name>.fst; needs job.trace */
    uint32_t dump_from, dump_to;
    bool random_start; /* Verilator: registers and memories start with random bits, not zeros */
    bool keep_files;   /* description, stimulus, results and statistics stay in the folder; they do after an error */
    double seconds;    /* time limit, 0: none */
    const weir_sim_port *sources, *sinks, *taps;
    size_t source_count, sink_count, tap_count;
    size_t meter_count; /* tb.u_meter_0 and up */
} weir_sim_run;

typedef enum weir_sim_status {
    WEIR_SIM_DONE,     /* every sink has what it expects */
    WEIR_SIM_DEADLOCK, /* the watchdog ended it */
    WEIR_SIM_LIMIT,    /* the cycle limit ended it */
    WEIR_SIM_WINDOW    /* the waveform window ended */
} weir_sim_status;

typedef struct weir_sim_stream {
    uint32_t beats, expected;
    uint32_t first_cycle, last_cycle;
    uint32_t errors;                     /* sources: damaged frames, as the design has counted them */
    uint32_t unknown;                    /* beats with unknown bits */
    uint32_t violation, violation_cycle; /* first breach of the protocol, see weir_sim_violation_name */
    weir_beats recorded;                 /* sinks and taps */
} weir_sim_stream;

typedef struct weir_sim_meter {
    uint32_t busy, starved, blocked; /* cycles from the first accepted input to the last beat expected */
    uint32_t occupancy;              /* largest number of beats inside (FIFO meters) */
    uint32_t in_beats, out_beats, first_in, last_out;
} weir_sim_meter;

/* In the order of the run's ports. */
typedef struct weir_sim_result {
    weir_sim_status status;
    uint32_t cycles;   /* to the last beat expected */
    uint32_t services; /* calls of the harness */
    double seconds;    /* wall time of the simulator */
    size_t source_count, sink_count, tap_count, meter_count;
    weir_sim_stream *sources, *sinks, *taps;
    weir_sim_meter *meters;
} weir_sim_result;

/* Fine also when the hardware deadlocks or violates the protocol: the result says so. Else, after a reported error,
 * WEIR_EXIT_MISMATCH (an assertion in the Verilog failed: `$display("assertion: ...")`, then `$stop`), WEIR_EXIT_TOOL
 * (the simulator failed or ran out of time) or WEIR_EXIT_INPUT (files). */
int weir_sim_run_bench(const weir_sim_artifact *artifact, const weir_sim_run *run, weir_sim_result *result);
void weir_sim_result_free(weir_sim_result *result);
const char *weir_sim_status_name(weir_sim_status status); /* "done", "deadlock", ... */
const char *weir_sim_violation_name(uint32_t violation);  /* "valid dropped", ...; "" for 0 */

/* Runs a bench of `weir_sim_stimulus` and `weir_sim_trace`, which plays itself, in a folder; what it writes goes to
 * `output`. Fine or, after a reported error, WEIR_EXIT_TOOL. `seconds`: time limit, 0: none. */
int weir_sim_run_alone(const weir_sim_artifact *artifact, const char *folder, double seconds, weir_text *output);

#endif
