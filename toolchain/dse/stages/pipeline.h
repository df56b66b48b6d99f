/* Pipelines of stages: built call by call, from a text such as 'workload,sum,loma{lpf_limit=6},cost_model', or from
 * YAML. */
#ifndef WEIR_DSE_PIPELINE_H
#define WEIR_DSE_PIPELINE_H

#include "dse/stages/stage.h"

typedef struct weir_dse_pipeline weir_dse_pipeline;

/* The registry must outlive it. */
weir_dse_pipeline *weir_dse_pipeline_new(const weir_dse_registry *registry);
void weir_dse_pipeline_free(weir_dse_pipeline *pipeline);

/* Appends a stage; false after an error about an unknown name. */
bool weir_dse_pipeline_add(weir_dse_pipeline *pipeline, const char *name);
/* The same before all stages. */
bool weir_dse_pipeline_prepend(weir_dse_pipeline *pipeline, const char *name);
/* An option of the last stage; false after an error about name or value. */
bool weir_dse_pipeline_set(weir_dse_pipeline *pipeline, const char *option, const char *value);
/* Names with options in braces, commas between. False after reported errors. */
bool weir_dse_pipeline_parse(weir_dse_pipeline *pipeline, const char *text);
/* A YAML list of names, or of names with a mapping of options. */
bool weir_dse_pipeline_read(weir_dse_pipeline *pipeline, const char *path);
bool weir_dse_pipeline_has(const weir_dse_pipeline *pipeline, const char *name);

/* An option for every stage that has it and was not given it. False after an error about the value. */
bool weir_dse_pipeline_default(weir_dse_pipeline *pipeline, const char *option, const char *value);

/* Is every stage in its place, and does it find what it needs, if the context has `keys` (NULL ends them)? Errors
 * name stage and key. */
bool weir_dse_pipeline_check(const weir_dse_pipeline *pipeline, const char *const *keys);
/* Runs the checked pipeline. False after reported errors. */
bool weir_dse_pipeline_run(const weir_dse_pipeline *pipeline, const weir_dse_context *context, weir_dse_sink *sink,
                           void *user);

/* Sets an option of the stages from `stage` on to the value, in a copy of them; NULL after an error, else free() it. */
weir_dse_stage *weir_dse_pipeline_vary(const weir_dse_stage *stage, const char *option, const char *value, bool *known);

#endif
