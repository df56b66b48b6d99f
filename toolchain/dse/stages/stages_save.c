/* Stages that write results to files, and one that reads them again. */
#include <stdlib.h>
#include <string.h>

#include "dse/result/saved.h"
#include "dse/stages/stages.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* --- one file a result --- */

typedef struct saver {
    const weir_dse_stage *stage;
    const weir_dse_context *context;
    weir_dse_sink *sink;
    void *user;
} saver;

static json_t *simple_json(const weir_dse_evaluation *e) {
    return json_pack("{s:f, s:f}", "energy", e->cost.energy, "latency", e->cost.latency);
}

/* FOLDER/LAYER_KIND.json, overall_KIND.json for sums. */
static bool save(const saver *s, const weir_dse_evaluation *e, const char *kind, json_t *value) {
    const weir_dse_context layer = {s->context, WEIR_DSE_LAYER, e->layer};
    char *pattern =
        weir_format("%s/%s_%s.json", s->stage->value[0].text, e->layer == NULL ? "overall" : "{layer}", kind);
    char *path = weir_dse_stages_path(&layer, pattern);
    const bool fine = weir_dse_stages_write(path, value);
    free(pattern);
    free(path);
    return fine;
}

static bool take_simple(void *user, const weir_dse_result *result) {
    const saver *s = user;
    const weir_dse_evaluation *e = result->evaluation;
    return (e == NULL || save(s, e, "simple", simple_json(e))) && s->sink(s->user, result);
}

static bool take_complete(void *user, const weir_dse_result *result) {
    const saver *s = user;
    const weir_dse_evaluation *e = result->evaluation;
    return (e == NULL || save(s, e, "complete", weir_dse_saved_complete(e))) && s->sink(s->user, result);
}

static bool run_saver(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user,
                      weir_dse_sink *take) {
    if (weir_dse_stages_need(stage, 0) == NULL) return false;
    return weir_dse_stage_below(stage, context, take, &(saver){stage, context, sink, user});
}

static bool run_simple(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return run_saver(stage, context, sink, user, take_simple);
}
static bool run_complete(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                         void *user) {
    return run_saver(stage, context, sink, user, take_complete);
}

static const weir_dse_option folder_options[] = {{"dump_folder", NULL, WEIR_DSE_TEXT, NULL, "the folder"},
                                                 {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_simple_save = {.options = folder_options, .run = run_simple};
const weir_dse_stage_body weir_dse_stage_complete_save = {.options = folder_options, .run = run_complete};

/* --- all in one file --- */

typedef struct dumper {
    weir_dse_sink *sink;
    void *user;
    json_t *list;
} dumper;

static bool take_dump(void *user, const weir_dse_result *result) {
    dumper *d = user;
    json_array_append_new(d->list, weir_dse_saved_json(result));
    return d->sink(d->user, result);
}

static bool run_dump(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    const char *pattern = weir_dse_stages_need(stage, 0);
    if (pattern == NULL) return false;
    dumper d = {sink, user, json_array()};
    char *path = weir_dse_stages_path(context, pattern);
    bool fine = weir_dse_stage_below(stage, context, take_dump, &d);
    if (fine) fine = weir_dse_stages_write(path, d.list);
    else json_decref(d.list);
    free(path);
    return fine;
}

static const weir_dse_option pickle_options[] = {
    {"file", "pickle_filename", WEIR_DSE_TEXT, NULL,
     "a JSON file that load_mapping reads; {layer}, {accelerator}: their names"},
    {.name = NULL}};
static const weir_dse_option dump_options[] = {
    {"file", "dump_filename_pattern", WEIR_DSE_TEXT, NULL, "a JSON file; {layer}, {accelerator}: their names"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_pickle_save = {.options = pickle_options, .run = run_dump};
const weir_dse_stage_body weir_dse_stage_dump = {.options = dump_options, .run = run_dump};

/* --- mappings from a file --- */

static bool run_load(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    const char *file = weir_dse_stages_need(stage, 0);
    json_error_t error;
    weir_dse_temporal temporal;
    if (file == NULL) return false;
    json_t *root = json_load_file(file, 0, &error);
    if (root == NULL) {
        weir_error(weir_at(file, error.line > 0 ? error.line : 0), "%s", error.text);
        return false;
    }
    bool fine = weir_dse_saved_mapping(root, file, weir_dse_get(context, WEIR_DSE_ACCELERATOR),
                                       weir_dse_get(context, WEIR_DSE_LAYER), &temporal);
    json_decref(root);
    if (!fine) return false;
    const weir_dse_context whole = {context, WEIR_DSE_SPATIAL_WHOLE, &temporal.problem->whole};
    const weir_dse_context spatial = {&whole, WEIR_DSE_SPATIAL, temporal.problem};
    const weir_dse_context frame = {&spatial, WEIR_DSE_TEMPORAL, &temporal};
    fine = weir_dse_stage_below(stage, &frame, sink, user);
    weir_dse_problem_free(temporal.problem);
    return fine;
}

static const weir_dse_option load_options[] = {
    {"file", NULL, WEIR_DSE_TEXT, NULL, "what --json, pickle_save or dump wrote"}, {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_load_mapping = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_SPATIAL, WEIR_DSE_SPATIAL_WHOLE,
                           WEIR_DSE_TEMPORAL),
    .options = load_options,
    .run = run_load};
