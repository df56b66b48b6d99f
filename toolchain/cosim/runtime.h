/* Results of simulating compiled hardware: accuracy, errors, simulations, activity; as text and as JSON
 * (report/schema/simulation.schema.json). */
#ifndef WEIR_COSIM_RUNTIME_H
#define WEIR_COSIM_RUNTIME_H

#include "cosim/cosim.h"
#include "cosim/metrics.h"
#include "dataflow/cost/resources.h"
#include "support/text/text.h"

/* Side data of the module under which runtime_analysis leaves its result. */
#define WEIR_RUNTIME_DATA "runtime"
/* A signal-to-quantization-noise ratio below this many dB gives a warning. */
enum { WEIR_RUNTIME_LOW_SQNR = 10 };

typedef struct weir_runtime {
    char *model;
    const weir_graph *hardware; /* borrowed from the module */
    weir_reference *reference;
    int64_t frames;
    int64_t values; /* of the output, a frame */
    weir_scoring scoring;
    const weir_array *input; /* the data of the first one while it runs */
    bool labelled;           /* the data has labels: there are metrics */
    weir_metrics integer_metrics;
    json_t *confusion; /* of the integer engine's outputs; NULL: no labels, or none that name classes */
    bool has_float;    /* the float engine ran: the next four hold, metrics with labels */
    weir_metrics float_metrics;
    bool equal;                   /* float and integer results are the same in every value of every output */
    double agreement;             /* share of entries that integer and float put into the same class */
    double sqnr_db;               /* power of the float result over power of (float - integer); infinite when equal */
    double max_error;             /* largest |float - integer| */
    json_t *noise;                /* as weir_noise_json; NULL: the model was not quantized here */
    uint64_t contract_mismatches; /* values in which the components' arithmetic differs from the contract's graph */
    weir_resources resources;
    size_t planned; /* number of runs if nothing diverges */
    size_t runs;
    weir_cosim *run;
    weir_metrics *run_metrics; /* a run; of labelled data, not of debug runs */
    char *wave;                /* waveform around the first divergence, NAME.fst; NULL: none */
    bool wave_view;            /* and what opens it, NAME.gtkw */
} weir_runtime;

typedef struct weir_runtime_options {
    const char *data; /* as for weir_frames_read */
    const char *work; /* a copy of the folder (weir_cosim_copy) that nobody else uses; NULL: one is made */
    bool simulate[WEIR_SIMULATORS];
    bool profile[WEIR_SIM_PROFILES];
    int64_t frames, debug_frames;
    uint32_t seed;
    const char *task, *output;   /* as weir_scoring_choose takes them */
    const weir_graph *quantized; /* the quantized form of `model`, for the noise of each layer; NULL: none */
    size_t threads;              /* of the software engines, at most; 0: one a processor */
    bool malformed;              /* one more run under each profile, with frames that are too short or too long */
    bool stop;                   /* at the first run that disagrees, and its debug run; no waveform */
    const char *netlist;         /* as weir_cosim_options has it: fast benches only */
    const char *cells[2];        /* models of its cells, NULL-terminated */
} weir_runtime_options;

/* Simulates a copy of the compiled `folder`, which gets the waveforms only (waves/). Exit status: fine, mismatch, tool
 * or input. *runtime is valid unless the status is input or usage. `model` and `integer` may be NULL: then the
 * comparisons that need them are omitted. */
int weir_runtime_run(const char *name, const weir_graph *model, const weir_graph *integer, const weir_graph *hardware,
                     const char *folder, const weir_runtime_options *options, weir_runtime **runtime);
void weir_runtime_free(weir_runtime *runtime);
void weir_runtime_print(const weir_runtime *runtime, weir_text *text);
/* A new object. */
json_t *weir_runtime_json(const weir_runtime *runtime);
/* The run that represents the hardware: the last one over all frames; NULL: none. */
const weir_cosim *weir_runtime_fast_run(const weir_runtime *runtime);
/* The run with the components' activity: of the first simulator that has one; NULL: none. */
const weir_cosim *weir_runtime_debug_run(const weir_runtime *runtime);
const char *weir_profile_name(weir_sim_profile profile); /* "always", "half", "eighth", "after-valid" */

#endif
