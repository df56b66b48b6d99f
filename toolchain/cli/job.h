/* What several subcommands do alike: read a model, compile it. */
#ifndef WEIR_CLI_JOB_H
#define WEIR_CLI_JOB_H

#include "cli/cli.h"
#include "cli/plugins.h"
#include "pass/core/context.h"

/* Sizes that a model leaves open. */
typedef struct weir_job_sizes {
    int64_t batch;
    weir_cli_list shape; /* [INPUT=]SIZES */
} weir_job_sizes;
#define WEIR_JOB_SIZES_DEFAULTS                                                                                        \
    { .batch = 1 }
/* Rows of an option table for `sizes`. */
#define WEIR_JOB_SIZE_OPTIONS(sizes)                                                                                   \
    {"batch", 0, WEIR_CLI_COUNT, &(sizes).batch, "N", "value of a symbolic first dimension (1)"}, {                    \
        "shape", 0, WEIR_CLI_LIST, &(sizes).shape, "[INPUT=]SIZES",                                                    \
            "an input's shape if the model leaves it open, such as 1,3,224,224"                                        \
    }

/* A module with the model as graph "model", from .onnx or from text IR; named after the file. NULL after errors. */
weir_module *weir_job_read(const char *path, const weir_job_sizes *sizes);
/* The same to run frames through: where the file's first dimension is a fixed batch whose rows do not touch each other,
 * the model for one row, with a note. */
weir_module *weir_job_read_frames(const char *path, const weir_job_sizes *sizes);

/* A module of the same name with the model again, which is taken over. */
weir_module *weir_job_again(const weir_module *module, weir_graph *model);

/* The graph that a run left: `name`, or the last one when it is NULL. The imported one gets its own name back: the
 * file's for an ONNX file, the graph's for text IR. NULL after a reported error. */
weir_graph *weir_job_result(weir_module *module, const char *name);

/* How to compile: the options that `compile`, `check` and `eval` share. */
typedef struct weir_job {
    const char *command; /* the subcommand, for messages */
    const char *quantize, *calibrator, *target, *contract, *requantize, *folding, *top,
        *device;        /* target: NULL is any format; contract: NULL is the model's; device: NULL is any */
    const char *decode; /* IN=AXIS[:ring], or NULL */
    weir_cli_list calibration, input_quantizers, states;
    weir_job_sizes sizes;
    int64_t target_interval, max_macs, clock, level,
        sequence;       /* clock: in MHz, 0 is the device's; level -1: no optimization */
    const char *passes; /* a pipeline that runs on the model first, or NULL */
    weir_cli_list set;
    const char *objective, *budget; /* of the folding, or NULL */
    bool patchable;                 /* parameters may change later */
    const char *like;               /* a patchable hardware.weir whose requantizers the model's must fit, or NULL */
    bool whole;                     /* the folding leaves no margin of the device free */
    bool finds_states; /* inputs that names leave no doubt about are kept, unless the user says otherwise */
    bool verify, timing;
    weir_plugins plugins;
} weir_job;

#define WEIR_JOB_DEFAULTS(command_)                                                                                    \
    { .command = command_, .requantize = "auto", .sizes = WEIR_JOB_SIZES_DEFAULTS, .level = -1, .finds_states = true }
/* Rows of an option table for `job`: about user passes, about quantization, about any pass, about hardware (FOLDING:
 * for a device that is chosen otherwise). */
#define WEIR_JOB_PLUGIN_OPTIONS(job)                                                                                   \
    WEIR_PLUGINS_OPTION((job).plugins),                                                                                \
        {"passes", 0, WEIR_CLI_STRING, &(job).passes, "PIPELINE", "passes to run on the model first"}, {               \
        "level", 'O', WEIR_CLI_INT, &(job).level, "N",                                                                 \
            "optimize the model first: the passes of 'default' up to this level"                                       \
    }
#define WEIR_JOB_QUANTIZE_OPTIONS(job)                                                                                 \
    {"quantize",      'q',      WEIR_CLI_STRING,                                                                       \
     &(job).quantize, "SCHEME", "quantize a float model: int8, fixed, or by CONFIG.yaml"},                             \
        {"calibration",  'c',                                                                                          \
         WEIR_CLI_LIST,  &(job).calibration,                                                                           \
         "[INPUT=]FILE", "typical inputs to quantize with, in the form of --data"},                                    \
        {"calibrator",      0,      WEIR_CLI_STRING,                                                                   \
         &(job).calibrator, "NAME", "the part of a range that codes hold: max (default), percentile, entropy, mse"},   \
        {"target",      0,      WEIR_CLI_STRING,                                                                       \
         &(job).target, "WHAT", "number formats of a CONFIG.yaml: any, or hardware, the nearest that have hardware"},  \
        {"input-quantizer",                                                                                            \
         0,                                                                                                            \
         WEIR_CLI_LIST,                                                                                                \
         &(job).input_quantizers,                                                                                      \
         "[INPUT=]TYPE:SCALE[:ZERO]",                                                                                  \
         "quantize an input that the model leaves unquantized: x=u8:0.0039:0"},                                        \
        {"state",                                                                                                      \
         0,                                                                                                            \
         WEIR_CLI_LIST,                                                                                                \
         &(job).states,                                                                                                \
         "IN=OUT",                                                                                                     \
         "keep an input on the chip: the output is its next value; auto: by their names, none: no input"},             \
        {"decode",         0,                                                                                          \
         WEIR_CLI_STRING,  &(job).decode,                                                                              \
         "IN=AXIS[:ring]", "take one step of a causal network a frame, with its caches on the chip: tokens=1"},        \
        {"sequence",      0,   WEIR_CLI_COUNT,                                                                         \
         &(job).sequence, "N", "frames of the data after which what is kept starts anew (all are one sequence)"},      \
        {"contract",      0,      WEIR_CLI_STRING,                                                                     \
         &(job).contract, "NAME", "whose rounding: model, its own meaning (default), or onnxruntime, its kernels"},    \
        WEIR_JOB_SIZE_OPTIONS((job).sizes)
#define WEIR_JOB_SET_OPTION(job)                                                                                       \
    { "set", 's', WEIR_CLI_LIST, &(job).set, "PASS.OPTION=VALUE", "an option of a pass: see 'weir passes'" }
#define WEIR_JOB_FOLDING_OPTIONS(job)                                                                                  \
    {"target-interval", 't', WEIR_CLI_COUNT, &(job).target_interval, "N", "cycles that a frame may take"},             \
        {"max-macs", 'm', WEIR_CLI_COUNT, &(job).max_macs, "N", "multipliers to spend (64 without a device)"},         \
        {"folding", 'f', WEIR_CLI_STRING, &(job).folding, "FILE", "SIMD and PE per node, in YAML"},                    \
        {"objective",      0,      WEIR_CLI_STRING,                                                                    \
         &(job).objective, "GOAL", "best folding that fits the device: throughput (default), latency, area, energy"},  \
        {"budget", 0, WEIR_CLI_STRING, &(job).budget, "lut=N,...", "resources for that: lut, ff, dsp, bram (all)"},    \
        {"requantize",      'r',    WEIR_CLI_STRING,                                                                   \
         &(job).requantize, "FORM", "kind of requantizer: auto, scale, float or threshold"},                           \
        {"top", 0, WEIR_CLI_STRING, &(job).top, "NAME", "name of the top module (the model's name)"},                  \
        {"patchable", 0, WEIR_CLI_FLAG, &(job).patchable, NULL, "hardware for any parameters of these types"},         \
        {"verify-each", 0, WEIR_CLI_FLAG, &(job).verify, NULL, "verify the IR after each pass"}, {                     \
        "timing", 0, WEIR_CLI_FLAG, &(job).timing, NULL, "print the time of each pass"                                 \
    }
#define WEIR_JOB_HARDWARE_OPTIONS(job)                                                                                 \
    {"device",      0,      WEIR_CLI_STRING,                                                                           \
     &(job).device, "NAME", "build for this FPGA, and estimate its resources: see 'weir devices'"},                    \
        {"clock", 0, WEIR_CLI_COUNT, &(job).clock, "MHZ", "clock to build for (the device's own goal)"},               \
        WEIR_JOB_FOLDING_OPTIONS(job)

void weir_job_free(weir_job *job);

/* Runs passes on the module: the job's own, quantizes when it says so, then `pipeline` (text). Exit status. */
int weir_job_run(weir_job *job, weir_module *module, const char *pipeline);
/* The model's graph with its states kept as the job says, whose inputs are those that need data; a copy, NULL after a
 * reported error. */
weir_graph *weir_job_kept_model(const weir_job *job, const weir_module *module);
/* Compiles and writes into `folder`, without other files: hardware, benches, and the graphs as text IR. Exit status. */
int weir_job_emit(weir_job *job, weir_module *module, const char *folder);
/* The same into a folder that becomes the compilation's, whole or not at all (support/file/folder.h). `copy` (NULL:
 * none) gets the same files. Exit status. */
int weir_job_compile(weir_job *job, weir_module *module, const char *folder, const char *copy);

#endif
