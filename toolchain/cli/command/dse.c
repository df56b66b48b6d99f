#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/estimate.h"
#include "cli/launch.h"
#include "cli/page.h"
#include "cli/source.h"
#include "dataflow/cost/device.h"
#include "dse/result/picture_front.h"
#include "dse/result/saved.h"
#include "dse/stages/explore.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/array.h"
#include "support/text/diag.h"
#include "support/text/text.h"

enum { SCHEMA = 1 };

static const char help_text[] =
    "Searches for the cheapest mapping of every layer of a workload (YAML as ZigZag's, ONNX) on an accelerator: "
    "which loops run side\n"
    "by side, in which order the others, and what each memory holds. Energies in pJ, latencies in cycles.\n"
    "STAGES is a text such as "
    "'workload,minimal_latency,spatial_mapping_generator,minimal_latency,loma{lpf_limit=6},cost_model'\n"
    "or a YAML file; --list lists the stages.\n"
    "--sweep DIR, instead of accelerator and mapping, folds the network for FPGAs, over devices and budgets (those "
    "of compile,\n"
    "\"50%\" a share of everything): DIR gets the Pareto-optimal foldings by inferences a second, LUTs, multipliers\n"
    "and memory blocks, each as a file for `weir compile --folding`, as a table in front.csv and front.json, and as "
    "a picture in front.svg.\n"
    "With --on each device and budget is searched on other machines, and DIR.points keeps the results.\n";

/* What the pipeline gave. */
typedef struct output {
    json_t *results;
    weir_text lines;                     /* a line a result that is no folding */
    double energy, latency, evaluations; /* of the last result; of all */
    size_t count, foldings;
} output;

/* A line a folding. */
static void print_folding(const weir_dse_evaluation *e) {
    const weir_dse_hardware *h = &e->hardware;
    printf("%-14s %-16s %12.0f cycles %14.0f inferences/s %8lld LUTs %5lld multipliers %5lld memory blocks\n",
           h->point->device, h->point->budget, e->cost.latency, weir_dse_picture_rate(e), (long long)h->use[0],
           (long long)h->use[2], (long long)h->use[3]);
}

static void print_cost(weir_text *text, double energy, double latency) {
    weir_text_add(text, "energy ");
    weir_text_double(text, energy);
    weir_text_add(text, " pJ, latency ");
    weir_text_double(text, latency);
    weir_text_add(text, " cycles");
}

/* What it is, of which values of parameters and of which layer, and its cost. */
static void add_line(output *o, const weir_dse_result *result, const char *above) {
    const weir_dse_evaluation *e = result->evaluation;
    const char *own = result->parameters == NULL ? "" : result->parameters;
    const char *layer = e->layer == NULL ? "" : e->layer->name;
    weir_text_format(&o->lines, "%s%s%s%s%s%s", above, *above == '\0' || *own == '\0' ? "" : " ", own,
                     *layer == '\0' || (*above == '\0' && *own == '\0') ? "" : ", ", layer,
                     *above == '\0' && *own == '\0' && *layer == '\0' ? "" : ": ");
    print_cost(&o->lines, e->cost.energy, e->cost.latency);
    weir_text_char(&o->lines, '\n');
    o->energy = e->cost.energy;
    o->latency = e->cost.latency;
    o->count++;
}

static bool take(void *user, const weir_dse_result *result) {
    output *o = user;
    o->evaluations += result->evaluations;
    if (weir_dse_is_folding(result->evaluation)) {
        print_folding(result->evaluation);
        o->foldings++;
    } else if (result->evaluation != NULL) {
        add_line(o, result, "");
    }
    for (size_t i = 0; result->evaluation == NULL && i < result->count; i++)
        if (result->list[i].evaluation != NULL)
            add_line(o, &result->list[i], result->parameters == NULL ? "" : result->parameters);
    json_array_append_new(o->results, weir_dse_saved_json(result));
    return true;
}

/* The only result, or each of several: they are alternatives, or layers that nothing adds up. */
static void print(const output *o) {
    weir_text text = {NULL, 0, 0};
    if (o->count == 1) print_cost(&text, o->energy, o->latency);
    else if (o->count > 1) weir_text_add_n(&text, o->lines.data, o->lines.size);
    if (o->count == 0) weir_text_add(&text, "no result");
    else if (o->count > 1) weir_text_format(&text, "%zu results", o->count);
    weir_text_format(&text, ", %.0f mappings evaluated\n", o->evaluations);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
}

/* Energy and latency are null unless there is one result. */
static bool write_json(const output *o, const char *path) {
    json_t *root = json_pack("{s:i}", "schema", SCHEMA);
    json_object_set_new(root, "energy", o->count == 1 ? json_real(o->energy) : json_null());
    json_object_set_new(root, "latency", o->count == 1 ? json_real(o->latency) : json_null());
    json_object_set_new(root, "evaluations", json_integer((json_int_t)o->evaluations));
    json_object_set_new(root, "units", json_pack("{s:s, s:s}", "energy", "pJ", "latency", "cycles"));
    json_object_set(root, "results", o->results);
    return weir_cli_write_json(path, root);
}

/* A line for each stage, and one for each option. */
static int list_stages(const weir_dse_registry *registry) {
    for (size_t i = 0; i < weir_dse_registry_count(registry); i++) {
        const weir_dse_stage_info *info = weir_dse_registry_at(registry, i);
        printf("%-34s %s\n", info->name, info->help);
        for (const weir_dse_option *o = info->body->options; o != NULL && o->name != NULL; o++)
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
    if (fine && o.foldings == 0) print(&o);
    fine = fine && (json == NULL || write_json(&o, json));
    json_decref(o.results);
    weir_text_free(&o.lines);
    weir_dse_pipeline_free(pipeline);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

/* "a|b". Heap memory. */
static char *alternatives(const weir_cli_list *list) {
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "");
    for (size_t i = 0; i < list->count; i++) weir_text_format(&text, "%s%s", i == 0 ? "" : "|", list->item[i]);
    return text.data;
}

static const char usual_objective[] = "latency";
enum { USUAL_LIMIT = 6, USUAL_SPATIAL = 3 };

/* What the command line says, in lists and numbers. */
typedef struct arguments {
    weir_dse_request request;
    weir_job job;
    weir_cli_list plugins, defects, devices, budgets;
    const char *json, *html;
    weir_launch launch;
    bool list;
    int64_t limit, spatial, threads, rate;
} arguments;

/* Exit status: 0 when all are known. */
static int know(const weir_cli_list *devices) {
    int status = WEIR_EXIT_FINE;
    for (size_t i = 0; status == WEIR_EXIT_FINE && i < devices->count; i++) {
        weir_device *device;
        status = weir_estimate_open(devices->item[i], &device);
        weir_device_free(device);
    }
    return status;
}

/* --- points of a sweep on other machines --- */

static void add_word(weir_text *command, const char *option, const char *value) {
    if (value == NULL) return;
    weir_launch_word(command, option);
    weir_launch_word(command, value);
}

static void add_number(weir_text *command, const char *option, int64_t value, int64_t usual) {
    if (value != usual) weir_text_format(command, " %s %lld", option, (long long)value);
}

static void add_words(weir_text *command, const char *option, const weir_cli_list *list) {
    for (size_t i = 0; i < list->count; i++) add_word(command, option, list->item[i]);
}

/* A point: the stages of the sweep below its front, for one device and one budget. */
static void add_command(weir_text *command, const weir_job *job) {
    weir_text_add(command, "{weir} dse --workload {model} --json {result} --stages "
                           "'general_parameter_iterator{iterations=\"device='{device}'\"},target,"
                           "general_parameter_iterator{iterations=\"budget='{budget}'\"},folding_generator,"
                           "pipeline,components,resource_model'");
    add_number(command, "--clock", job->clock, 0);
    add_number(command, "--target-interval", job->target_interval, 0);
    add_word(command, "--quantize", job->quantize);
    add_words(command, "--calibration", &job->calibration);
    add_words(command, "--input-quantizer", &job->input_quantizers);
    add_words(command, "--state", &job->states);
    add_word(command, "--decode", job->decode);
    add_word(command, "--calibrator", job->calibrator);
    add_word(command, "--target", job->target);
    add_word(command, "--contract", job->contract);
    add_number(command, "--batch", job->sizes.batch, 1);
    add_words(command, "--shape", &job->sizes.shape);
}

/* "INPUT=FILE.npz:KEY" names a file. */
static json_t *files_of(const weir_cli_list *data) {
    json_t *files = json_array();
    for (size_t i = 0; i < data->count; i++) {
        const char *equals = strchr(data->item[i], '='), *given = equals == NULL ? data->item[i] : equals + 1;
        char *array = NULL, *split = weir_array_split_path(given, &array);
        json_array_append_new(files, json_string(split == NULL ? given : split));
        free(split);
        free(array);
    }
    return files;
}

static json_t *texts_of(const weir_cli_list *list) {
    json_t *texts = json_array();
    for (size_t i = 0; i < list->count; i++) json_array_append_new(texts, json_string(list->item[i]));
    return texts;
}

static bool take_point(void *user, size_t point, const json_t *result) {
    (void)point;
    json_array_extend(user, json_object_get(result, "results"));
    return true;
}

/* All foldings, in DIR.points/foldings.json, whose path is heap memory. Exit status. */
static int fold_elsewhere(const arguments *a, char **foldings) {
    const weir_dse_request *r = &a->request;
    weir_text command = {NULL, 0, 0};
    add_command(&command, &a->job);
    json_t *suite = json_pack("{s:s, s:{s:[s], s:o, s:o}, s:[{s:s, s:o}]}", "name", "points", "matrix", "model",
                              r->workload, "device", texts_of(&a->devices), "budget", texts_of(&a->budgets), "steps",
                              "run", command.data, "inputs", files_of(&a->job.calibration));
    json_t *results = json_array();
    char *folder = weir_launch_folder(r->sweep.folder, "points");
    *foldings = weir_path_join(folder, "foldings.json");
    int status = weir_launch_suite(&a->launch, folder, suite, take_point, results);
    json_t *root = json_pack("{s:o}", "results", results);
    if (status != WEIR_EXIT_FINE) json_decref(root);
    else if (!weir_cli_write_json(*foldings, root)) status = WEIR_EXIT_INPUT;
    free(folder);
    weir_text_free(&command);
    return status;
}

/* Where none is given: all. */
static void complete(weir_cli_list *list, const char *const *usual, size_t count) {
    if (list->count > 0) return;
    list->item = weir_calloc(count + 1, sizeof *list->item);
    for (size_t i = 0; i < count; i++) list->item[list->count++] = usual[i];
}

static int run(arguments *a) {
    static const char *const usual[] = {"100%", "50%", "25%"};
    weir_dse_request *r = &a->request;
    size_t known = 0;
    char **names = weir_device_names(&known), *foldings = NULL;
    complete(&a->devices, (const char *const *)names, known);
    complete(&a->budgets, usual, sizeof usual / sizeof *usual);
    char *devices = alternatives(&a->devices), *budgets = alternatives(&a->budgets);
    const char **kept = weir_calloc(a->defects.count + 1, sizeof *kept);
    for (size_t i = 0; i < a->defects.count; i++) kept[i] = a->defects.item[i];
    weir_source *source = weir_source_new(&a->job, r->workload);
    weir_dse_registry *registry = weir_dse_registry_new();
    r->lpf_limit = (int)a->limit;
    r->spatial_mappings = (int)a->spatial;
    r->threads = (int)a->threads;
    r->defects = kept;
    r->source = weir_source_calls(source);
    r->sweep.devices = devices;
    r->sweep.budgets = budgets;
    r->sweep.clock_mhz = (int)a->job.clock;
    r->sweep.interval = (int)a->job.target_interval;
    r->sweep.rate = (double)a->rate;
    int status = names == NULL || !load_all(registry, &a->plugins) ? WEIR_EXIT_INPUT : WEIR_EXIT_FINE;
    if (status == WEIR_EXIT_FINE && a->launch.on != NULL) status = fold_elsewhere(a, &foldings);
    r->sweep.foldings = foldings;
    if (status == WEIR_EXIT_FINE) status = a->list ? list_stages(registry) : explore(registry, r, a->json);
    free(foldings);
    weir_dse_registry_free(registry);
    weir_source_free(source);
    free(kept);
    free(budgets);
    free(devices);
    free(names);
    return status;
}

/* The first option that is missing for what is asked; NULL: none. */
static const char *missing(const arguments *a) {
    const weir_dse_request *r = &a->request;
    if (a->list) return NULL;
    if (r->workload == NULL) return "--workload W";
    if (r->sweep.folder != NULL || r->stages != NULL) return NULL;
    return r->accelerator == NULL ? "--accelerator A.yaml" : r->mapping == NULL ? "--mapping M.yaml" : NULL;
}

/* Refuses options that would do nothing: those of mappings in a sweep, those of a sweep without one, and what a
 * pipeline of one's own says itself. Exit status, or -1 to go on. */
static int refuse_idle(const arguments *a) {
    const weir_dse_request *r = &a->request;
    enum { USUAL = 1, SWEEP = 2, OWN = 4 };
    const struct {
        const char *name;
        bool given;
        int of;
    } options[] = {{"accelerator", r->accelerator != NULL, USUAL | OWN},
                   {"mapping", r->mapping != NULL, USUAL | OWN},
                   {"objective", strcmp(r->objective, usual_objective) != 0, USUAL},
                   {"lpf-limit", a->limit != USUAL_LIMIT, USUAL | OWN},
                   {"spatial-mappings", a->spatial != USUAL_SPATIAL, USUAL | OWN},
                   {"data-locality", r->data_locality, USUAL},
                   {"mixed-spatial", r->mixed_spatial, USUAL | OWN},
                   {"even", r->even, USUAL | OWN},
                   {"compatible", r->compatible, USUAL | OWN},
                   {"defect", a->defects.count > 0, USUAL | OWN},
                   {"resume", r->resume != NULL, USUAL | OWN},
                   {"sweep", r->sweep.folder != NULL, SWEEP},
                   {"html", a->html != NULL, SWEEP},
                   {"on", a->launch.on != NULL, SWEEP},
                   {"device", a->devices.count > 0, SWEEP},
                   {"budget", a->budgets.count > 0, SWEEP},
                   {"clock", a->job.clock > 0, SWEEP | OWN},
                   {"target-interval", a->job.target_interval > 0, SWEEP | OWN},
                   {"rate", a->rate > 0, SWEEP | OWN},
                   {"quantize", a->job.quantize != NULL, SWEEP | OWN},
                   {"calibration", a->job.calibration.count > 0, SWEEP | OWN},
                   {"calibrator", a->job.calibrator != NULL, SWEEP | OWN},
                   {"target", a->job.target != NULL, SWEEP | OWN},
                   {"contract", a->job.contract != NULL, SWEEP | OWN},
                   {"input-quantizer", a->job.input_quantizers.count > 0, SWEEP | OWN},
                   {"state", a->job.states.count > 0, SWEEP | OWN},
                   {"decode", a->job.decode != NULL, SWEEP | OWN},
                   {"sequence", a->job.sequence > 0, SWEEP | OWN}};
    const int run = r->stages != NULL ? OWN : r->sweep.folder != NULL ? SWEEP : USUAL;
    for (size_t i = 0; !a->list && i < sizeof options / sizeof *options; i++) {
        if (!options[i].given || (options[i].of & run)) continue;
        return run == USUAL ? weir_cli_misuse("dse", "--%s needs --sweep", options[i].name)
                            : weir_cli_misuse("dse", "--%s cannot be combined with --%s", options[i].name,
                                              run == OWN ? "stages" : "sweep");
    }
    return -1;
}

int weir_command_dse(int argc, char **argv) {
    arguments a = {.request = {.objective = usual_objective},
                   .job = WEIR_JOB_DEFAULTS("dse"),
                   .limit = USUAL_LIMIT,
                   .spatial = USUAL_SPATIAL,
                   .threads = 1};
    weir_dse_request *r = &a.request;
    const weir_cli_option options[] = {
        {"accelerator", 'a', WEIR_CLI_STRING, &r->accelerator, "A.yaml", "the accelerator"},
        {"workload", 'w', WEIR_CLI_STRING, &r->workload, "W", "the layers: YAML, or an ONNX model"},
        {"mapping", 'm', WEIR_CLI_STRING, &r->mapping, "M.yaml", "the fixed part of the mapping"},
        {"objective", 'o', WEIR_CLI_STRING, &r->objective, "NAME", "latency, energy or EDP (latency)"},
        {"lpf-limit", 0, WEIR_CLI_INT, &a.limit, "N", "largest number of loops to permute; 0: all prime factors (6)"},
        {"spatial-mappings", 0, WEIR_CLI_COUNT, &a.spatial, "N", "largest number of spatial mappings to try (3)"},
        {"data-locality", 0, WEIR_CLI_FLAG, &r->data_locality, NULL, "keep data between layers near the array"},
        {"mixed-spatial", 0, WEIR_CLI_FLAG, &r->mixed_spatial, NULL, "several loops along one array dimension"},
        {"even", 0, WEIR_CLI_FLAG, &r->even, NULL, "operands that share a memory split loops alike"},
        {"compatible", 0, WEIR_CLI_FLAG, &r->compatible, NULL, "count as ZigZag does, its errors included"},
        {"defect", 0, WEIR_CLI_LIST, &a.defects, "NAME", "keep one of ZigZag's errors (toolchain/dse/README.md)"},
        {"threads", 't', WEIR_CLI_INT, &a.threads, "N", "layers explored at a time; 0: one per processor (1)"},
        {"resume", 0, WEIR_CLI_STRING, &r->resume, "DIR", "keep each layer's mapping here, and reuse those found here"},
        {"stages", 's', WEIR_CLI_STRING, &r->stages, "STAGES", "a pipeline instead of the default one"},
        {"load-stage", 'l', WEIR_CLI_LIST, &a.plugins, "FILE.so", "load your own stages from a shared object"},
        {"list", 0, WEIR_CLI_FLAG, &a.list, NULL, "list the stages with their options"},
        {"json", 'j', WEIR_CLI_STRING, &a.json, "OUT", "write the results here"},
        {"sweep", 0, WEIR_CLI_STRING, &r->sweep.folder, "DIR", "foldings for FPGAs, over devices and budgets"},
        WEIR_HTML_OPTION(a.html),
        {"device", 0, WEIR_CLI_LIST, &a.devices, "NAME", "an FPGA of the sweep: see 'weir devices' (all)"},
        {"budget", 0, WEIR_CLI_LIST, &a.budgets, "lut=N,...", "budget of a folding (100%, 50% and 25% of each device)"},
        {"clock", 0, WEIR_CLI_COUNT, &a.job.clock, "MHZ", "clock to build for (each device's own goal)"},
        {"target-interval", 0, WEIR_CLI_COUNT, &a.job.target_interval, "N", "cycles that a frame may take"},
        {"rate", 0, WEIR_CLI_COUNT, &a.rate, "N", "mark the smallest folding with N inferences a second (the fastest)"},
        WEIR_LAUNCH_OPTIONS(a.launch, "1 device and budget"),
        WEIR_JOB_QUANTIZE_OPTIONS(a.job),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("dse", options, help_text, argc, argv, 0, 0, &count);
    const bool helped = status == WEIR_EXIT_FINE; /* that was all it was asked for */
    if (status < 0) status = weir_launch_check("dse", &a.launch);
    if (status < 0) status = refuse_idle(&a);
    if (status < 0 && missing(&a) != NULL) status = weir_cli_misuse("dse", "%s is missing", missing(&a));
    if (status < 0) status = know(&a.devices);
    if (status == WEIR_EXIT_FINE && !helped) status = run(&a);
    if (status == WEIR_EXIT_FINE && a.html != NULL) status = weir_page_of_folders(a.html, &r->sweep.folder, 1);
    weir_cli_list_free(&a.devices);
    weir_cli_list_free(&a.budgets);
    weir_cli_list_free(&a.defects);
    weir_cli_list_free(&a.plugins);
    weir_job_free(&a.job);
    return status;
}
