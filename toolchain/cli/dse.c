#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "dse/explore.h"
#include "dse/saved.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/file.h"
#include "support/text.h"

static const char help_text[] =
    "Searches the cheapest mapping of every layer of a workload (YAML as ZigZag's, ONNX) on an accelerator: which loops run side\n"
    "by side, in which order the others, and what each memory holds. Energies in pJ, latencies in cycles.\n"
    "STAGES is a text such as 'workload,minimal_latency,spatial_mapping_generator,minimal_latency,loma{lpf_limit=6},cost_model'\n"
    "or a YAML file; --list lists the stages.\n";

/* What the pipeline gave. */
typedef struct output {
    json_t *results;
    double energy, latency, evaluations;
} output;

static bool take(void *user, const weir_dse_result *result) {
    output *o = user;
    o->evaluations += result->evaluations;
    if (result->evaluation != NULL) {
        o->energy += result->evaluation->cost.energy;
        o->latency += result->evaluation->cost.latency;
    }
    json_array_append_new(o->results, weir_dse_saved_json(result));
    return true;
}

static void print(const output *o) {
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "energy ");
    weir_text_double(&text, o->energy);
    weir_text_add(&text, " pJ, latency ");
    weir_text_double(&text, o->latency);
    weir_text_format(&text, " cycles, %.0f mappings evaluated\n", o->evaluations);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
}

/* {"energy", "latency", "evaluations", "units", "results"} */
static bool write_json(const output *o, const char *path) {
    json_t *root = json_object();
    json_object_set_new(root, "energy", json_real(o->energy));
    json_object_set_new(root, "latency", json_real(o->latency));
    json_object_set_new(root, "evaluations", json_integer((json_int_t)o->evaluations));
    json_object_set_new(root, "units", json_pack("{s:s, s:s}", "energy", "pJ", "latency", "cycles"));
    json_object_set(root, "results", o->results);
    char *text = weir_cli_json(root);
    const bool fine = weir_file_write(path, text, strlen(text));
    free(text);
    return fine;
}

/* A line for each stage, and one for each option. */
static int list_stages(const weir_dse_registry *registry) {
    for (size_t i = 0; i < weir_dse_registry_count(registry); i++) {
        const weir_dse_stage_info *info = weir_dse_registry_at(registry, i);
        printf("%-34s %s\n", info->name, info->help);
        for (const weir_dse_option *o = info->options; o != NULL && o->name != NULL; o++)
            printf("    %-30s %s (%s)\n", o->name, o->help, o->initial == NULL ? "needed" : o->initial);
    }
    return WEIR_EXIT_FINE;
}

static bool load_all(weir_dse_registry *registry, const weir_cli_list *plugins) {
    bool fine = true;
    for (size_t i = 0; fine && i < plugins->count; i++) fine = weir_dse_registry_load(registry, plugins->item[i]);
    return fine;
}

static int explore(const weir_dse_registry *registry, const weir_dse_request *request, const char *json) {
    output o = {.results = json_array()};
    weir_dse_pipeline *pipeline = weir_dse_explore_pipeline(registry, request);
    bool fine = pipeline != NULL && weir_dse_explore_run(pipeline, request, take, &o);
    if (fine) print(&o);
    fine = fine && (json == NULL || write_json(&o, json));
    json_decref(o.results);
    weir_dse_pipeline_free(pipeline);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

int weir_command_dse(int argc, char **argv) {
    weir_dse_request r = {.objective = "latency"};
    weir_cli_list plugins = {NULL, 0}, defects = {NULL, 0};
    const char *json = NULL;
    bool list = false;
    int64_t limit = 6, spatial = 3, threads = 1;
    const weir_cli_option options[] = {
        {"accelerator", 'a', WEIR_CLI_STRING, &r.accelerator, "A.yaml", "the accelerator"},
        {"workload", 'w', WEIR_CLI_STRING, &r.workload, "W", "the layers: YAML, or an ONNX model"},
        {"mapping", 'm', WEIR_CLI_STRING, &r.mapping, "M.yaml", "what is fixed of the mapping"},
        {"objective", 'o', WEIR_CLI_STRING, &r.objective, "NAME", "latency, energy or EDP (latency)"},
        {"lpf-limit", 0, WEIR_CLI_INT, &limit, "N", "loops to permute at most; 0: all prime factors (6)"},
        {"spatial-mappings", 0, WEIR_CLI_COUNT, &spatial, "N", "spatial mappings to try at most (3)"},
        {"data-locality", 0, WEIR_CLI_FLAG, &r.data_locality, NULL, "keep data between layers near the array"},
        {"mixed-spatial", 0, WEIR_CLI_FLAG, &r.mixed_spatial, NULL, "several loops along one array dimension"},
        {"even", 0, WEIR_CLI_FLAG, &r.even, NULL, "operands that share a memory split loops alike"},
        {"compatible", 0, WEIR_CLI_FLAG, &r.compatible, NULL, "count as ZigZag does, its errors included"},
        {"defect", 0, WEIR_CLI_LIST, &defects, "NAME", "keep one of ZigZag's errors (toolchain/dse/README.md)"},
        {"threads", 't', WEIR_CLI_INT, &threads, "N",
         "layers explored at a time; 0: as many as there are processors (1)"},
        {"resume", 0, WEIR_CLI_STRING, &r.resume, "DIR",
         "keep each layer's mapping here, and go on from what is there"},
        {"stages", 's', WEIR_CLI_STRING, &r.stages, "STAGES", "another pipeline than the usual one"},
        {"load-stage", 'l', WEIR_CLI_LIST, &plugins, "FILE.so", "load your own stages from a shared object"},
        {"list", 0, WEIR_CLI_FLAG, &list, NULL, "list the stages with their options"},
        {"json", 'j', WEIR_CLI_STRING, &json, "OUT", "write the results here"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("dse", options, help_text, argc, argv, 0, 0, &count);
    const char *const needed[][2] = {
        {r.accelerator, "--accelerator A.yaml"}, {r.workload, "--workload W"}, {r.mapping, "--mapping M.yaml"}};
    for (size_t i = 0; status < 0 && !list && i < 3; i++)
        if (needed[i][0] == NULL) status = weir_cli_misuse("dse", "%s is missing", needed[i][1]);
    if (status < 0) {
        r.lpf_limit = (int)limit;
        r.spatial_mappings = (int)spatial;
        r.threads = (int)threads;
        const char **kept = weir_calloc(defects.count + 1, sizeof *kept);
        for (size_t i = 0; i < defects.count; i++) kept[i] = defects.item[i];
        r.defects = kept;
        weir_dse_registry *registry = weir_dse_registry_new();
        status = !load_all(registry, &plugins) ? WEIR_EXIT_INPUT
                 : list                        ? list_stages(registry)
                                               : explore(registry, &r, json);
        weir_dse_registry_free(registry);
        free(kept);
    }
    weir_cli_list_free(&defects);
    weir_cli_list_free(&plugins);
    return status;
}
