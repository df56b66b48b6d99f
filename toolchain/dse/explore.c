#include "dse/explore.h"

#include <stdio.h>
#include <string.h>

#include "support/diag.h"
#include "support/text.h"

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

/* Files are read first, unless the stages say otherwise. */
static bool add_parsers(weir_dse_pipeline *pipeline, const weir_dse_request *r, const weir_dse_pipeline *stages) {
    const bool is_yaml = ends_with(r->workload, ".yaml") || ends_with(r->workload, ".yml");
    if (!weir_dse_pipeline_has(stages, "accelerator_parser") && !weir_dse_pipeline_add(pipeline, "accelerator_parser"))
        return false;
    return weir_dse_pipeline_has(stages, "workload_parser") || weir_dse_pipeline_has(stages, "onnx_model_parser") ||
           weir_dse_pipeline_add(pipeline, is_yaml ? "workload_parser" : "onnx_model_parser");
}

static bool add_stages(weir_dse_pipeline *pipeline, const weir_dse_request *r) {
    if (r->stages == NULL) return add_usual(pipeline, r);
    return ends_with(r->stages, ".yaml") ? weir_dse_pipeline_read(pipeline, r->stages)
                                         : weir_dse_pipeline_parse(pipeline, r->stages);
}

/* Sets those of the list `kept` (NULL: none), which must be known. */
static bool keep_defects(weir_dse_pipeline *pipeline, const char *const *known, const char *const *kept) {
    for (; kept != NULL && *kept != NULL; kept++) {
        size_t i = 0;
        while (known[i] != NULL && strcmp(known[i], *kept) != 0) i++;
        if (known[i] == NULL) {
            weir_error(WEIR_NOWHERE, "unknown defect '%.60s', expected %s, %s or %s", *kept, known[0], known[1],
                       known[2]);
            return false;
        }
        if (!weir_dse_pipeline_default(pipeline, *kept, "true")) return false;
    }
    return true;
}

static bool set_options(weir_dse_pipeline *pipeline, const weir_dse_request *r) {
    char limit[16], count[16], threads[16];
    snprintf(limit, sizeof limit, "%d", r->lpf_limit);
    snprintf(count, sizeof count, "%d", r->spatial_mappings);
    snprintf(threads, sizeof threads, "%d", r->threads);
    static const char *const all[] = {"negative_onloading", "half_shared_replaced", "fatal_misfit", NULL};
    const char *const values[][2] = {{"lpf_limit", limit},
                                     {"nb_mappings_generated", count},
                                     {"threads", threads},
                                     {"mixed", r->mixed_spatial ? "true" : "false"},
                                     {"temporal_mapping_type", r->even ? "even" : "uneven"}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!weir_dse_pipeline_default(pipeline, values[i][0], values[i][1])) return false;
    if (r->resume != NULL && !weir_dse_pipeline_default(pipeline, "folder", r->resume)) return false;
    return keep_defects(pipeline, all, r->compatible ? all : r->defects);
}

weir_dse_pipeline *weir_dse_explore_pipeline(const weir_dse_registry *registry, const weir_dse_request *r) {
    static const char *const keys[] = {WEIR_DSE_ACCELERATOR_PATH, WEIR_DSE_WORKLOAD_PATH, WEIR_DSE_MAPPING_PATH, NULL};
    weir_dse_pipeline *stages = weir_dse_pipeline_new(registry), *pipeline = weir_dse_pipeline_new(registry);
    const bool fine = add_stages(stages, r) && add_parsers(pipeline, r, stages) && add_stages(pipeline, r) &&
                      set_options(pipeline, r) && weir_dse_pipeline_check(pipeline, keys);
    weir_dse_pipeline_free(stages);
    if (fine) return pipeline;
    weir_dse_pipeline_free(pipeline);
    return NULL;
}

bool weir_dse_explore_run(const weir_dse_pipeline *pipeline, const weir_dse_request *r, weir_dse_sink *sink,
                          void *user) {
    const weir_dse_context accelerator = {NULL, WEIR_DSE_ACCELERATOR_PATH, r->accelerator};
    const weir_dse_context workload = {&accelerator, WEIR_DSE_WORKLOAD_PATH, r->workload};
    const weir_dse_context mapping = {&workload, WEIR_DSE_MAPPING_PATH, r->mapping};
    return weir_dse_pipeline_run(pipeline, &mapping, sink, user);
}
