/* The usual exploration of a workload on an accelerator, built as a pipeline of stages. */
#ifndef WEIR_DSE_EXPLORE_H
#define WEIR_DSE_EXPLORE_H

#include "dse/pipeline.h"

typedef struct weir_dse_request {
    const char *accelerator, *workload, *mapping; /* files */
    const char *objective;                        /* latency, energy or EDP */
    const char *stages;                           /* NULL: the usual ones; else a text, or a YAML file */
    const char *resume;                           /* NULL: none; else a folder of mappings that were found */
    int lpf_limit, spatial_mappings, threads;
    const char *const *defects; /* of ZigZag, kept: options of stages, NULL-terminated; NULL: none */
    bool data_locality, mixed_spatial, even, compatible;
} weir_dse_request;

/* The checked pipeline, files in front; NULL after reported errors. */
weir_dse_pipeline *weir_dse_explore_pipeline(const weir_dse_registry *registry, const weir_dse_request *request);
/* Runs it on the request's files. */
bool weir_dse_explore_run(const weir_dse_pipeline *pipeline, const weir_dse_request *request, weir_dse_sink *sink,
                          void *user);

#endif
