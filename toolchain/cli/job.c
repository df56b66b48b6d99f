#include "cli/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pipeline.h"
#include "cli/setting.h"
#include "ir/graph/print.h"
#include "ir/trait/batch.h"
#include "pass/run/instrument.h"
#include "passes/interface/interface.h"
#include "passes/passes.h"
#include "passes/verilog/emit.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"

/* The name that the model's graph has outside, because passes know it as "model". */
#define OWN_NAME "model.name"

static bool is_text(const char *path) {
    const char *dot = strrchr(weir_path_name(path), '.');
    return dot != NULL && strcmp(dot, ".weir") == 0;
}

/* A module with the graph, which is taken over. */
static weir_module *module_of(const char *path, weir_graph *graph) {
    const char *name = weir_path_name(path), *dot = strrchr(name, '.');
    bool text = is_text(path);
    char *stem = weir_format("%.*s", dot == NULL ? (int)strlen(name) : (int)(dot - name), name);
    weir_module *module = weir_module_new(stem);
    weir_module_set_string(module, OWN_NAME, text ? weir_graph_name(graph) : stem);
    weir_graph_set_name(graph, "model");
    free(stem);
    weir_module_add_graph(module, graph);
    return module;
}

weir_module *weir_job_again(const weir_module *module, weir_graph *model) {
    weir_module *again = weir_module_new(weir_module_name(module));
    weir_module_set_string(again, OWN_NAME, weir_module_string(module, OWN_NAME, "model"));
    weir_module_add_graph(again, model);
    return again;
}

/* "[INPUT=]SIZE,SIZE,..."; input names may have equals signs. `name` gets heap memory or NULL. False after a reported
 * error. */
static bool read_shape(const char *item, weir_onnx_shape *to, char **name) {
    const char *equals = strrchr(item, '='), *at = equals == NULL ? item : equals + 1;
    *name = equals == NULL ? NULL : weir_format("%.*s", (int)(equals - item), item);
    to->input = *name;
    to->shape.rank = 0;
    for (bool more = true; more;) {
        char *end;
        const long long size = strtoll(at, &end, 10);
        if (end == at || size < 1 || (*end != ',' && *end != '\0') || to->shape.rank == WEIR_MAX_RANK) {
            weir_error(WEIR_NOWHERE, "--shape %s: expected [INPUT=]SIZE,SIZE,..., up to %d whole numbers from 1", item,
                       (int)WEIR_MAX_RANK);
            return false;
        }
        to->shape.dim[to->shape.rank++] = size;
        more = *end == ',';
        at = end + 1;
    }
    return true;
}

static weir_graph *read_graph(const char *path, const weir_job_sizes *sizes) {
    const size_t count = sizes->shape.count;
    weir_onnx_shape *shape = weir_calloc(count + 1, sizeof *shape);
    char **name = weir_calloc(count + 1, sizeof *name);
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) fine = read_shape(sizes->shape.item[i], &shape[i], &name[i]);
    weir_graph *graph = fine ? weir_interface_read(path, &(weir_onnx_sizes){sizes->batch, shape, count}) : NULL;
    for (size_t i = 0; i < count; i++) free(name[i]);
    free(name);
    free(shape);
    return graph;
}

weir_module *weir_job_read(const char *path, const weir_job_sizes *sizes) {
    weir_graph *graph = read_graph(path, sizes);
    return graph == NULL ? NULL : module_of(path, graph);
}

/* The graph for one row where the file has a batch of them; takes the graph over. */
static weir_graph *split_rows(const char *path, weir_graph *graph) {
    const weir_batch rows = weir_batch_find(graph);
    const char *file = weir_path_name(path);
    weir_graph *row = rows.count > 1 && rows.why == NULL ? weir_batch_split(graph, rows.count) : NULL;
    if (row != NULL) {
        weir_note("%s: the first dimension, %lld, is the batch: each row is a frame", file, (long long)rows.count);
        weir_graph_free(graph);
        return row;
    }
    if (rows.count > 1 && rows.mixed.id != 0)
        weir_note("%s: all %lld rows form one frame, because node '%s' (%s) mixes them: %s", file,
                  (long long)rows.count, weir_node_name(graph, rows.mixed),
                  weir_node_info(graph, rows.mixed)->full_name, rows.why);
    else if (rows.count > 1)
        weir_note("%s: all %lld rows form one frame: %s", file, (long long)rows.count,
                  rows.why != NULL ? rows.why : "its shapes do not depend on the number of rows");
    return graph;
}

weir_module *weir_job_read_frames(const char *path, const weir_job_sizes *sizes) {
    weir_graph *graph = read_graph(path, sizes);
    if (graph != NULL && sizes->batch <= 1 && !is_text(path)) graph = split_rows(path, graph);
    return graph == NULL ? NULL : module_of(path, graph);
}

weir_graph *weir_job_result(weir_module *module, const char *name) {
    size_t count = weir_module_graph_count(module);
    const char **names = weir_calloc(count, sizeof *names), *near;
    weir_graph *graph = name == NULL ? weir_module_graph(module, count - 1) : weir_module_find_graph(module, name);
    for (size_t i = 0; i < count; i++) names[i] = weir_graph_name(weir_module_graph(module, i));
    if (graph == NULL) {
        near = weir_suggest(name, names, count);
        weir_error(WEIR_NOWHERE, "the run left no graph '%s'", name);
        weir_note(near != NULL ? "did you mean '%s'?" : "the last graph is '%s'",
                  near != NULL ? near : names[count - 1]);
    } else if (strcmp(weir_graph_name(graph), "model") == 0) {
        weir_graph_set_name(graph, weir_module_string(module, OWN_NAME, "model"));
    }
    free(names);
    return graph;
}

static int set_number(const weir_job *job, weir_pass *pass, const char *setting, int64_t value) {
    char *text = weir_format("%s=%lld", setting, (long long)value);
    int status = weir_setting_apply(job->command, pass, text);
    free(text);
    return status;
}

static int set_text(const weir_job *job, weir_pass *pass, const char *setting, const char *value) {
    if (value == NULL) return WEIR_EXIT_FINE;
    char *text = weir_format("%s=%s", setting, value);
    int status = weir_setting_apply(job->command, pass, text);
    free(text);
    return status;
}

/* A configuration, and no scheme? */
static bool is_file(const char *quantize) {
    const size_t size = strlen(quantize);
    return strchr(quantize, '/') != NULL || (size > 5 && strcmp(quantize + size - 5, ".yaml") == 0) ||
           (size > 4 && strcmp(quantize + size - 4, ".yml") == 0);
}

/* One word instead of IN=OUT. */
static bool says(const weir_job *job, const char *word) {
    return job->states.count == 1 && strcmp(job->states.item[0], word) == 0;
}

static bool names_states(const weir_job *job) {
    return job->states.count > 0 && !says(job, "auto") && !says(job, "none");
}

static bool keeps_states(const weir_job *job) {
    return job->states.count > 0 ? !says(job, "none") : job->finds_states || job->sequence > 0;
}

/* IN=AXIS, with :ring behind it. */
static int set_decode(const weir_job *job, weir_pass *pass) {
    static const char ring[] = ":ring";
    const size_t size = strlen(job->decode), end = sizeof ring - 1;
    const bool rings = size > end && strcmp(job->decode + size - end, ring) == 0;
    char *input = weir_format("%.*s", (int)(rings ? size - end : size), job->decode);
    int status = set_text(job, pass, "decode.input", input);
    if (status == WEIR_EXIT_FINE && rings) status = set_text(job, pass, "decode.longer", "ring");
    free(input);
    return status;
}

/* The job's own options that a pass of the pipeline takes, then --set. */
static int configure(const weir_job *job, weir_pass *pass, bool hardware) {
    int status = WEIR_EXIT_FINE;
    if (names_states(job)) {
        char *states = weir_cli_list_join(&job->states);
        status = set_text(job, pass, "keep_state.states", states);
        free(states);
    }
    if (status == WEIR_EXIT_FINE && job->sequence > 0)
        status = set_number(job, pass, "keep_state.sequence", job->sequence);
    if (status == WEIR_EXIT_FINE && job->decode != NULL) status = set_decode(job, pass);
    if (status == WEIR_EXIT_FINE && job->input_quantizers.count > 0) {
        char *inputs = weir_cli_list_join(&job->input_quantizers);
        status = set_text(job, pass, "quantize_input.inputs", inputs);
        free(inputs);
    }
    if (status == WEIR_EXIT_FINE && job->quantize != NULL) {
        char *calibration = weir_cli_list_join(&job->calibration);
        status = set_text(job, pass, is_file(job->quantize) ? "quantize.config" : "quantize.scheme", job->quantize);
        if (status == WEIR_EXIT_FINE) status = set_text(job, pass, "quantize.target", job->target);
        if (status == WEIR_EXIT_FINE) status = set_text(job, pass, "quantize.calibrator", job->calibrator);
        if (status == WEIR_EXIT_FINE) status = set_text(job, pass, "quantize.calibration", calibration);
        if (status == WEIR_EXIT_FINE && hardware) status = set_text(job, pass, "verify_lowering.data", calibration);
        free(calibration);
    }
    if (status == WEIR_EXIT_FINE && hardware) {
        status = set_number(job, pass, "choose_folding.target-interval", job->target_interval);
        if (status == WEIR_EXIT_FINE && job->max_macs > 0)
            status = set_number(job, pass, "choose_folding.max-macs", job->max_macs);
        if (status == WEIR_EXIT_FINE) status = set_text(job, pass, "choose_folding.file", job->folding);
        if (status == WEIR_EXIT_FINE) status = set_text(job, pass, "choose_folding.objective", job->objective);
        if (status == WEIR_EXIT_FINE) status = set_text(job, pass, "choose_folding.budget", job->budget);
        if (status == WEIR_EXIT_FINE && job->whole) status = set_text(job, pass, "choose_folding.margin", "false");
        if (status == WEIR_EXIT_FINE) status = set_text(job, pass, "realize_requantize.form", job->requantize);
        if (status == WEIR_EXIT_FINE) status = set_text(job, pass, "set_target.device", job->device);
        if (status == WEIR_EXIT_FINE && job->patchable) status = set_text(job, pass, "set_target.patchable", "true");
        if (status == WEIR_EXIT_FINE) status = set_text(job, pass, "realize_requantize.like", job->like);
        if (status == WEIR_EXIT_FINE && job->clock != 0) status = set_number(job, pass, "set_target.clock", job->clock);
    }
    for (size_t i = 0; status == WEIR_EXIT_FINE && i < job->set.count; i++)
        status = weir_setting_apply(job->command, pass, job->set.item[i]);
    return status;
}

static bool run_pass(const weir_job *job, weir_pass_registry *registry, const weir_pass *pass, weir_module *module) {
    weir_pass_context *context = weir_pass_context_new(registry);
    if (job->level >= 0) weir_pass_context_set_level(context, (int)job->level);
    weir_pass_instrument *verifier = job->verify ? weir_pass_verifier_new() : NULL;
    weir_pass_instrument *timing = job->timing ? weir_pass_timing_new() : NULL;
    if (job->plugins.witness != NULL) weir_pass_context_add_instrument(context, job->plugins.witness);
    if (verifier != NULL) weir_pass_context_add_instrument(context, verifier);
    if (timing != NULL) weir_pass_context_add_instrument(context, timing);
    weir_pipeline_note_skipped(context, pass);
    bool fine = weir_pass_run(context, pass, module);
    if (timing != NULL) {
        weir_text text = {NULL, 0, 0};
        weir_pass_timing_print(timing, &text);
        if (text.size > 0) fputs(text.data, stderr);
        weir_text_free(&text);
    }
    const weir_text *output = weir_pass_output(context);
    fwrite(output->data, 1, output->size, stderr);
    weir_pass_context_free(context);
    weir_pass_instrument_free(timing);
    weir_pass_instrument_free(verifier);
    return fine;
}

void weir_job_free(weir_job *job) {
    weir_cli_list_free(&job->set);
    weir_cli_list_free(&job->calibration);
    weir_cli_list_free(&job->input_quantizers);
    weir_cli_list_free(&job->states);
    weir_cli_list_free(&job->sizes.shape);
    weir_cli_list_free(&job->plugins.files);
}

/* A pipeline of those parts that are not empty; each starts a line, for messages. Heap memory. */
static char *join(const char *const *parts, size_t count) {
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "");
    for (size_t i = 0; i < count; i++) {
        if (parts[i] == NULL || *parts[i] == '\0') continue;
        weir_text_format(&text, "%s%s", text.size == 0 ? "" : ",\n", parts[i]);
    }
    return text.data;
}

int weir_job_run(weir_job *job, weir_module *module, const char *pipeline) {
    if (job->quantize == NULL && job->calibration.count > 0)
        return weir_cli_misuse(job->command, "--calibration needs --quantize int8, fixed or a configuration");
    if (job->calibrator != NULL && (job->quantize == NULL || is_file(job->quantize)))
        return weir_cli_misuse(job->command,
                               "--calibrator needs --quantize int8 or fixed: a configuration names its own");
    if (job->target != NULL && (job->quantize == NULL || !is_file(job->quantize)))
        return weir_cli_misuse(job->command, "--target needs --quantize with a configuration, CONFIG.yaml");
    if (job->level > WEIR_PASS_LEVEL_MAX)
        return weir_cli_misuse(job->command, "--level takes a level from 0 to %d, found %lld", WEIR_PASS_LEVEL_MAX,
                               (long long)job->level);
    if (job->sequence > 0 && says(job, "none"))
        return weir_cli_misuse(job->command, "--sequence needs a state that is kept, found --state none");
    weir_graph_contract contract = WEIR_GRAPH_MODEL;
    if (job->contract != NULL && !weir_graph_contract_parse(job->contract, &contract))
        return weir_cli_misuse(job->command, "unknown contract '%s', expected model or onnxruntime", job->contract);
    weir_pass_registry *registry = weir_pass_registry_new();
    int status = WEIR_EXIT_INPUT;
    weir_pass *pass = NULL;
    if (weir_passes_register(registry) && weir_plugins_load(&job->plugins, registry)) {
        const bool hardware = strcmp(pipeline, "compile") == 0;
        const char *const parts[] = {job->decode == NULL ? NULL : "decode",
                                     keeps_states(job) ? "keep_state" : NULL,
                                     job->input_quantizers.count > 0 ? "quantize_input" : NULL,
                                     job->passes,
                                     job->level < 0 ? NULL : "graph(default)",
                                     job->quantize == NULL ? NULL : "quantize",
                                     contract == WEIR_GRAPH_ONNXRUNTIME ? "onnxruntime_kernels" : NULL,
                                     pipeline};
        char *text = join(parts, sizeof parts / sizeof *parts);
        pass = weir_pass_parse(registry, text, weir_at("pipeline", 1));
        status = pass == NULL ? WEIR_EXIT_USAGE : configure(job, pass, hardware);
        free(text);
    }
    if (status == WEIR_EXIT_FINE && !run_pass(job, registry, pass, module)) status = WEIR_EXIT_INPUT;
    weir_pass_free(pass);
    weir_pass_registry_free(registry);
    return status;
}

weir_graph *weir_job_kept_model(const weir_job *job, const weir_module *module) {
    weir_job only = WEIR_JOB_DEFAULTS(job->command);
    only.states = job->states;
    only.sequence = job->sequence;
    only.decode = job->decode;
    only.finds_states = job->finds_states;
    weir_module *copy = weir_job_again(module, weir_graph_copy(weir_module_graph(module, 0)));
    weir_diag_log *log = weir_diag_capture(); /* the job itself says it again */
    const bool fine = weir_job_run(&only, copy, "") == WEIR_EXIT_FINE;
    weir_diag_release(log);
    if (!fine) weir_diag_replay(log);
    weir_diag_log_free(log);
    weir_graph *kept = fine ? weir_graph_copy(weir_module_graph(copy, 0)) : NULL;
    weir_module_free(copy);
    return kept;
}

/* The graphs beside the hardware: what `weir sim` reads back. */
static bool save_graphs(const weir_module *module, const char *folder) {
    bool fine = true;
    for (size_t i = 0; fine && i < weir_module_graph_count(module); i++) {
        const weir_graph *graph = weir_module_graph(module, i);
        char *path = weir_format("%s/%s.weir", folder, weir_graph_name(graph));
        fine = weir_graph_save(graph, path);
        free(path);
    }
    return fine;
}

static bool has_library(void) {
    char *data = weir_data_folder(), *library = data == NULL ? NULL : weir_path_join(data, "rtl");
    bool found = library != NULL && weir_file_exists(library);
    if (library != NULL && !found) {
        weir_error(weir_at(data, 0), "expected the component library in 'rtl' here");
        weir_note("WEIR_DATA names the folder that holds 'rtl'");
    }
    free(library);
    free(data);
    return found;
}

static int emit(weir_job *job, weir_module *module, const char *folder) {
    const char *refusal = job->top == NULL ? NULL : weir_emit_refusal(job->top);
    if (refusal != NULL)
        return weir_cli_misuse(job->command, "--top '%s' cannot name the top module: it is %s", job->top, refusal);
    weir_module_set_folder(module, folder);
    weir_module_set_bool(module, WEIR_EMIT_WHOLE, true);
    if (job->top != NULL) weir_module_set_string(module, WEIR_EMIT_TOP, job->top);
    int status = weir_job_run(job, module, "compile");
    if (status == WEIR_EXIT_FINE && !save_graphs(module, folder)) status = WEIR_EXIT_INPUT;
    return status;
}

int weir_job_emit(weir_job *job, weir_module *module, const char *folder) {
    return has_library() ? emit(job, module, folder) : WEIR_EXIT_TOOL;
}

int weir_job_compile(weir_job *job, weir_module *module, const char *folder, const char *copy) {
    if (!has_library()) return WEIR_EXIT_TOOL;
    weir_folder *output = weir_folder_open(folder, WEIR_FOLDER_WHOLE);
    if (output == NULL) return WEIR_EXIT_INPUT;
    int status = emit(job, module, weir_folder_staging(output));
    if (status == WEIR_EXIT_FINE && copy != NULL && !weir_tree_copy(weir_folder_staging(output), copy))
        status = WEIR_EXIT_INPUT;
    if (status != WEIR_EXIT_FINE) weir_folder_abandon(output);
    else if (!weir_folder_commit(output)) status = WEIR_EXIT_INPUT;
    weir_module_set_folder(module, folder);
    return status;
}
