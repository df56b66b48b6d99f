/* The published stages by name, and what several of them share. */
#ifndef WEIR_DSE_STAGES_H
#define WEIR_DSE_STAGES_H

#include <jansson.h>
#include <stdatomic.h>

#include "dse/stages/stage.h"
#include "support/text/text.h"

#define WEIR_DSE_STAGE(name, help) extern const weir_dse_stage_body weir_dse_stage_##name;
#include "dse/stages/stage.def"
#undef WEIR_DSE_STAGE

/* The array of keys NULL-terminated. */
#define WEIR_DSE_KEYS(...)                                                                                             \
    (const char *const[]) { __VA_ARGS__, NULL }

/* The option of stages that give loops to memories. */
#define WEIR_DSE_TYPE_OPTION                                                                                           \
    { "type", "temporal_mapping_type", WEIR_DSE_TEXT, "uneven", "even: operands that share a memory split loops alike" }

/* Progress of a run, for a line on a terminal; stages in any thread add to it. */
#define WEIR_DSE_PROGRESS "progress"
typedef struct weir_dse_progress {
    double start; /* weir_seconds */
    size_t layers;
    _Atomic uint64_t done, part; /* millionths of a layer: of all, of a spatial mapping */
    _Atomic uint64_t orders;     /* of loops */
} weir_dse_progress;

/* Runs the stage below for a layer and reports an error if there is no result. */
bool weir_dse_stages_run_layer(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                               void *user);
/* The pattern with {layer} and {accelerator} replaced by their names, fit for a file: others than letters, digits, '.',
 * '-' become '_'. Heap memory. */
char *weir_dse_stages_path(const weir_dse_context *context, const char *pattern);
/* An option that must be given. NULL after an error. */
const char *weir_dse_stages_need(const weir_dse_stage *stage, int option);
/* Writes a file, and makes its folder. */
bool weir_dse_stages_write_text(const char *path, const weir_text *text);
bool weir_dse_stages_write_into(const char *folder, const char *name, const weir_text *text);
/* The same of the value, which is taken over, as indented JSON. */
bool weir_dse_stages_write(const char *path, json_t *value);

#endif
