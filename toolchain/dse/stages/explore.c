#include "dse/stages/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

static bool ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

static const char *minimal_of(const char *objective) {
    static const char *const names[][2] = {
        {"latency", "minimal_latency"}, {"energy", "minimal_energy"}, {"EDP", "minimal_edp"}, {"edp", "minimal_edp"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], objective) == 0) return names[i][1];
    weir_error(WEIR_NOWHERE, "unknown objective '%s', expected latency, energy or EDP", objective);
    return NULL;
}

/* Adds the stages of a list. */
static bool add_all(weir_dse_pipeline *pipeline, const char *const *names) {
    for (; *names != NULL; names++)
        if (**names != '\0' && !weir_dse_pipeline_add(pipeline, *names)) return false;
    return true;
}

static bool add_usual(weir_dse_pipeline *pipeline, const weir_dse_request *r) {
    const char *minimal = minimal_of(r->objective);
    const char *search = r->data_locality ? "search_inter_layer_data_locality" : "";
    const char *checkpoint = r->resume != NULL ? "checkpoint" : "";
    const char *exploit = r->data_locality ? "exploit_inter_layer_data_locality" : "";
    return minimal != NULL &&
           add_all(pipeline,
                   (const char *const[]){"sum", search, "multi_processing_gather", "workload", "multi_processing_spawn",
                                         exploit, checkpoint, minimal, "spatial_mapping_generator", minimal,
                                         "temporal_mapping_generator", "cost_model", NULL});
}

/* Each stage with a value of one of its options, NULL: none. */
static bool add_each(weir_dse_pipeline *pipeline, const char *const (*stages)[3], size_t count) {
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++)
        fine = weir_dse_pipeline_add(pipeline, stages[i][0]) &&
               (stages[i][1] == NULL || weir_dse_pipeline_set(pipeline, stages[i][1], stages[i][2]));
    return fine;
}

/* The front over devices and budgets. */
static bool add_sweep(weir_dse_pipeline *pipeline, const weir_dse_sweep *sweep) {
    const char *const front[][3] = {{"folding_save", "dump_folder", sweep->folder},
                                    {"pareto", "of", "time,luts,multipliers,memory_blocks,device"}};
    if (!add_each(pipeline, front, sizeof front / sizeof *front)) return false;
    if (sweep->foldings != NULL) {
        const char *const load[][3] = {{"folding_load", "file", sweep->foldings}};
        return add_each(pipeline, load, 1);
    }
    char *devices = weir_format("device=%s", sweep->devices), *budgets = weir_format("budget=%s", sweep->budgets);
    const char *const stages[][3] = {{"general_parameter_iterator", "iterations", devices},
                                     {"target", NULL, NULL},
                                     {"general_parameter_iterator", "iterations", budgets},
                                     {"folding_generator", NULL, NULL},
                                     {"pipeline", NULL, NULL},
                                     {"components", NULL, NULL},
                                     {"resource_model", NULL, NULL}};
    const bool fine = add_each(pipeline, stages, sizeof stages / sizeof *stages);
    free(devices);
    free(budgets);
    return fine;
}

static bool add_stages(weir_dse_pipeline *pipeline, const weir_dse_request *r) {
    if (r->stages == NULL) return r->sweep.folder != NULL ? add_sweep(pipeline, &r->sweep) : add_usual(pipeline, r);
    return ends_with(r->stages, ".yaml") ? weir_dse_pipeline_read(pipeline, r->stages)
                                         : weir_dse_pipeline_parse(pipeline, r->stages);
}

/* The files that are given are read first, unless the stages say otherwise. */
static bool add_parsers(weir_dse_pipeline *pipeline, const weir_dse_request *r) {
    const bool reads_workload =
        weir_dse_pipeline_has(pipeline, "workload_parser") || weir_dse_pipeline_has(pipeline, "onnx_model_parser");
    const char *workload = r->mapping == NULL || reads_workload                                ? NULL
                           : ends_with(r->workload, ".yaml") || ends_with(r->workload, ".yml") ? "workload_parser"
                                                                                               : "onnx_model_parser";
    return (workload == NULL || weir_dse_pipeline_prepend(pipeline, workload)) &&
           (r->accelerator == NULL || weir_dse_pipeline_has(pipeline, "accelerator_parser") ||
            weir_dse_pipeline_prepend(pipeline, "accelerator_parser"));
}

/* Sets those of the list `kept` (NULL: none), which must be known. */
static bool keep_defects(weir_dse_pipeline *pipeline, const char *const *known, const char *const *kept) {
    for (; kept != NULL && *kept != NULL; kept++) {
        size_t i = 0;
        while (known[i] != NULL && strcmp(known[i], *kept) != 0) i++;
        if (known[i] == NULL) {
            weir_error(WEIR_NOWHERE, "unknown defect '%.60s', expected %s, %s, %s or %s", *kept, known[0], known[1],
                       known[2], known[3]);
            return false;
        }
        if (!weir_dse_pipeline_default(pipeline, *kept, "true")) return false;
    }
    return true;
}

static bool set_number(weir_dse_pipeline *pipeline, const char *option, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.0f", value);
    return weir_dse_pipeline_default(pipeline, option, text);
}

static bool set_options(weir_dse_pipeline *pipeline, const weir_dse_request *r) {
    static const char *const all[] = {"negative_onloading", "half_shared_replaced", "single_buffered", "fatal_misfit",
                                      NULL};
    return set_number(pipeline, "lpf_limit", r->lpf_limit) &&
           set_number(pipeline, "nb_mappings_generated", r->spatial_mappings) &&
           set_number(pipeline, "threads", r->threads) && set_number(pipeline, "clock", r->sweep.clock_mhz) &&
           set_number(pipeline, "target_interval", r->sweep.interval) && set_number(pipeline, "rate", r->sweep.rate) &&
           weir_dse_pipeline_default(pipeline, "mixed", r->mixed_spatial ? "true" : "false") &&
           weir_dse_pipeline_default(pipeline, "temporal_mapping_type", r->even ? "even" : "uneven") &&
           (r->resume == NULL || weir_dse_pipeline_default(pipeline, "folder", r->resume)) &&
           keep_defects(pipeline, all, r->compatible ? all : r->defects);
}

/* What the request gives the stages; the last key is NULL. */
typedef struct inputs {
    const char *key[5];
    const void *value[5];
} inputs;

static inputs inputs_of(const weir_dse_request *r) {
    const char *const keys[] = {WEIR_DSE_ACCELERATOR_PATH, WEIR_DSE_WORKLOAD_PATH, WEIR_DSE_MAPPING_PATH,
                                WEIR_DSE_SOURCE};
    const void *const values[] = {r->accelerator, r->workload, r->mapping, r->source};
    inputs g = {.key = {NULL}};
    for (size_t i = 0, count = 0; i < 4; i++) {
        if (values[i] == NULL) continue;
        g.key[count] = keys[i];
        g.value[count++] = values[i];
    }
    return g;
}

weir_dse_pipeline *weir_dse_explore_pipeline(const weir_dse_registry *registry, const weir_dse_request *r) {
    const inputs g = inputs_of(r);
    weir_dse_pipeline *pipeline = weir_dse_pipeline_new(registry);
    if (add_stages(pipeline, r) && add_parsers(pipeline, r) && set_options(pipeline, r) &&
        weir_dse_pipeline_check(pipeline, g.key))
        return pipeline;
    weir_dse_pipeline_free(pipeline);
    return NULL;
}

bool weir_dse_explore_run(const weir_dse_pipeline *pipeline, const weir_dse_request *r, weir_dse_sink *sink,
                          void *user) {
    const inputs g = inputs_of(r);
    weir_dse_context frame[sizeof g.key / sizeof *g.key], *context = NULL;
    for (size_t i = 0; g.key[i] != NULL; i++) {
        frame[i] = (weir_dse_context){context, g.key[i], g.value[i]};
        context = &frame[i];
    }
    return weir_dse_pipeline_run(pipeline, context, sink, user);
}
