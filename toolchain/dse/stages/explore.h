/* The usual exploration of a workload on an accelerator, built as a pipeline of stages. */
#ifndef WEIR_DSE_EXPLORE_H
#define WEIR_DSE_EXPLORE_H

#include "dse/stages/pipeline.h"
#include "dse/stages/stages_folding.h"

/* Foldings of a network over devices and budgets instead of mappings. */
typedef struct weir_dse_sweep {
    const char *folder;            /* NULL: none of this */
    const char *devices, *budgets; /* "ecp5-25k|xc7a35t", "50%|lut=2000,dsp=8" */
    int clock_mhz, interval;       /* 0: the device's own goal; 0: any */
    double rate;                   /* inferences a second of the one to mark; 0: the fastest */
    const char *foldings;          /* a file of all foldings, which other processes found; NULL: search them here */
} weir_dse_sweep;

typedef struct weir_dse_request {
    const char *accelerator, *workload, *mapping; /* files; NULL: none */
    const weir_dse_source *source;                /* of hardware of the workload; NULL: none */
    weir_dse_sweep sweep;
    const char *objective; /* latency, energy or EDP */
    const char *stages;    /* NULL: the usual ones; else a text, or a YAML file */
    const char *resume;    /* NULL: none; else a folder of mappings that were found */
    int lpf_limit, spatial_mappings, threads;
    const char *const *defects; /* of ZigZag, kept: options of stages, NULL-terminated; NULL: none */
    bool data_locality, mixed_spatial, even, compatible;
} weir_dse_request;

/* The checked pipeline, preceded by reading the files; NULL after reported errors. */
weir_dse_pipeline *weir_dse_explore_pipeline(const weir_dse_registry *registry, const weir_dse_request *request);
/* Runs it on the request's files. */
bool weir_dse_explore_run(const weir_dse_pipeline *pipeline, const weir_dse_request *request, weir_dse_sink *sink,
                          void *user);

#endif
