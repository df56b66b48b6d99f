/* Stages that read files, and those that go through what was read. */
#include <stdlib.h>
#include <string.h>

#include "dse/mapping/workload.h"
#include "dse/mapping/workload_onnx.h"
#include "dse/stages/stages.h"
#include "support/memory/arena.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"

/* --- files --- */

/* Results refer to layers and accelerators until the run ends. */
static void release(void *arena) { weir_arena_free(arena); }

static bool run_main(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return weir_dse_stage_below(stage, context, sink, user);
}

const weir_dse_stage_body weir_dse_stage_main = {.run = run_main};

static bool run_accelerator(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                            void *user) {
    weir_arena *arena = weir_arena_new();
    weir_dse_accelerator *a = weir_dse_accelerator_read(weir_dse_get(context, WEIR_DSE_ACCELERATOR_PATH), arena);
    for (int m = 0; a != NULL && stage->value[0].number != 0 && m < a->memory_count; m++)
        a->memory[m].is_double_buffered = false;
    const weir_dse_context frame = {context, WEIR_DSE_ACCELERATOR, a};
    weir_dse_keep(context, arena, release);
    return a != NULL && weir_dse_stage_below(stage, &frame, sink, user);
}

static const weir_dse_option accelerator_options[] = {
    {"single_buffered", NULL, WEIR_DSE_FLAG, "false", "force_double_buffering means nothing, as in ZigZag 3.8.5"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_accelerator_parser = {.takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR_PATH),
                                                               .gives = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR),
                                                               .options = accelerator_options,
                                                               .run = run_accelerator};

typedef weir_dse_workload *read_workload(const char *path, const weir_dse_mapping *mapping, weir_arena *arena);

static bool run_reader(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user,
                       read_workload *read) {
    weir_arena *arena = weir_arena_new();
    const weir_dse_mapping *mapping = weir_dse_mapping_read(weir_dse_get(context, WEIR_DSE_MAPPING_PATH), arena);
    const weir_dse_workload *w =
        mapping == NULL ? NULL : read(weir_dse_get(context, WEIR_DSE_WORKLOAD_PATH), mapping, arena);
    const weir_dse_context frame = {context, WEIR_DSE_WORKLOAD, w};
    weir_dse_keep(context, arena, release);
    return w != NULL && weir_dse_stage_below(stage, &frame, sink, user);
}

static bool run_yaml(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return run_reader(stage, context, sink, user, weir_dse_workload_read);
}
static bool run_onnx(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return run_reader(stage, context, sink, user, weir_dse_workload_import);
}

const weir_dse_stage_body weir_dse_stage_workload_parser = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_WORKLOAD_PATH, WEIR_DSE_MAPPING_PATH),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_WORKLOAD),
    .run = run_yaml};
const weir_dse_stage_body weir_dse_stage_onnx_model_parser = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_WORKLOAD_PATH, WEIR_DSE_MAPPING_PATH),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_WORKLOAD),
    .run = run_onnx};

/* --- layers --- */

static bool run_workload(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                         void *user) {
    const weir_dse_workload *w = weir_dse_get(context, WEIR_DSE_WORKLOAD);
    weir_dse_progress *progress = weir_calloc(1, sizeof *progress);
    weir_dse_keep(context, progress, free);
    progress->start = weir_seconds();
    for (int i = 0; i < w->count; i++) progress->layers += w->node[i].layer != NULL;
    const weir_dse_context far = {context, WEIR_DSE_PROGRESS, progress};
    for (int i = 0; i < w->count; i++) {
        const weir_dse_layer *layer = w->node[w->order[i]].layer;
        if (layer == NULL) continue;
        const weir_dse_context frame = {&far, WEIR_DSE_LAYER, layer};
        if (!weir_dse_stages_run_layer(stage, &frame, sink, user)) return false;
    }
    return true;
}

const weir_dse_stage_body weir_dse_stage_workload = {.takes = WEIR_DSE_KEYS(WEIR_DSE_WORKLOAD, WEIR_DSE_ACCELERATOR),
                                                     .gives = WEIR_DSE_KEYS(WEIR_DSE_LAYER, WEIR_DSE_ACCELERATOR),
                                                     .run = run_workload};
