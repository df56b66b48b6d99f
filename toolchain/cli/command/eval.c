#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/contract.h"
#include "cli/job.h"
#include "cli/results.h"
#include "cosim/metrics.h"
#include "exec/parallel.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"

static const char help_text[] =
    "The float engine runs the model as ONNX defines its operators; the integer engine runs the bit-exact integer "
    "graph\n"
    "that the hardware implements. Outputs have the types that the model declares: OUT.npy gets the only one, a row "
    "per\n"
    "frame; OUT.npz gets all by name. If the data has labels, the accuracy, or R2 and root mean squared error of a\n"
    "regression, are printed on stderr.\n";

/* With labels among the data. */
static void print_accuracy(const weir_graph *graph, const weir_frames *frames, const weir_array *outputs) {
    weir_scoring scoring = weir_scoring_of(graph);
    weir_array *labels = weir_labels_read(frames, &scoring);
    if (labels == NULL) return;
    char rule[64], score[64];
    const int64_t entries = weir_frames_count(frames) * scoring.entries;
    const weir_metrics metrics = weir_metrics_of(&scoring, outputs, labels, entries);
    weir_metrics_print(&scoring, &metrics, score, sizeof score);
    if (scoring.kind == WEIR_SCORING_NUMBER) fprintf(stderr, "%s of %lld frames\n", score, (long long)entries);
    else
        fprintf(stderr, "accuracy %s of %lld frames (%s)\n", score, (long long)entries,
                weir_scoring_print(&scoring, rule, sizeof rule));
    weir_array_free(labels);
}

static int evaluate(const weir_graph *graph, const weir_cli_list *data, const char *output, int64_t threads) {
    char *source = weir_cli_list_join(data);
    weir_frames *frames = weir_frames_read(graph, source);
    size_t count = weir_graph_output_count(graph);
    weir_array **results = weir_calloc(count, sizeof *results);
    bool fine = frames != NULL && weir_parallel_run(graph, weir_frames_arrays(frames), 0, (size_t)threads, results);
    if (fine && output == NULL) weir_results_print(graph, results);
    else fine = fine && weir_results_write(output, graph, results);
    if (fine) print_accuracy(graph, frames, results[0]);
    for (size_t i = 0; i < count; i++) weir_array_free(results[i]);
    free(results);
    weir_frames_free(frames);
    free(source);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

typedef struct request {
    weir_job *job;
    const char *model, *output;
    weir_cli_list data;
    bool integer;
    int64_t threads;
} request;

/* How many outputs the other contract would change; takes `before` over. */
static void tell_contract(const request *r, const weir_module *module, weir_graph *before) {
    const weir_contract_other other = weir_contract_compare(r->job, module, before, &r->data, r->threads);
    char *text = weir_contract_text(&other);
    if (text != NULL) fprintf(stderr, "%s\n", text);
    free(text);
}

static int run(void *user) {
    const request *r = user;
    weir_job *job = r->job;
    weir_module *module = weir_job_read_frames(r->model, &job->sizes);
    int status = module == NULL ? WEIR_EXIT_INPUT : WEIR_EXIT_FINE;
    weir_graph *before = module != NULL && r->integer ? weir_graph_copy(weir_module_find_graph(module, "model")) : NULL;
    if (module != NULL &&
        (r->integer || job->quantize != NULL || job->contract != NULL || job->input_quantizers.count > 0 ||
         job->states.count > 0 || job->decode != NULL || job->sequence > 0 || job->passes != NULL))
        status = weir_job_run(job, module, r->integer ? "lower_integer" : "");
    const bool is_plain = job->quantize == NULL && job->states.count == 0 && job->decode == NULL;
    if (status == WEIR_EXIT_INPUT && is_plain && before != NULL && !weir_remedy_has_quantizers(before))
        weir_note("the model has no quantizers: '--engine float' runs it as it is");
    if (status == WEIR_EXIT_FINE) {
        const char *graph = r->integer ? "integer" : job->quantize != NULL ? "quantized" : "model";
        status = evaluate(weir_module_find_graph(module, graph), &r->data, r->output, r->threads);
    }
    if (status == WEIR_EXIT_FINE && before != NULL) tell_contract(r, module, before);
    else weir_graph_free(before);
    weir_module_free(module);
    return status;
}

int weir_command_eval(int argc, char **argv) {
    weir_job job = WEIR_JOB_DEFAULTS("eval");
    job.finds_states = false; /* the model is run as it is */
    weir_cli_list data = {NULL, 0};
    const char *engine = "int", *output = NULL;
    int64_t threads = 1;
    const weir_cli_option options[] = {
        WEIR_DATA_OPTION(data, "frames"),
        {"engine", 'e', WEIR_CLI_STRING, &engine, "NAME", "float or int (int)"},
        {"output", 'o', WEIR_CLI_STRING, &output, "OUT", "write the outputs here, .npy or .npz, not as text"},
        {"threads", 't', WEIR_CLI_INT, &threads, "N", "frames run at a time; 0: one per processor (1)"},
        WEIR_JOB_PLUGIN_OPTIONS(job),
        WEIR_JOB_QUANTIZE_OPTIONS(job),
        WEIR_JOB_SET_OPTION(job),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("eval", options, help_text, argc, argv, 1, 1, &count);
    bool integer = strcmp(engine, "int") == 0;
    if (status < 0 && data.count == 0) status = weir_cli_misuse("eval", "--data FILE is missing");
    if (status < 0 && !integer && strcmp(engine, "float") != 0)
        status = weir_cli_misuse("eval", "unknown engine '%s', expected float or int", engine);
    if (status < 0)
        status = weir_plugins_guard(&job.plugins, run, &(request){&job, argv[1], output, data, integer, threads});
    weir_cli_list_free(&data);
    weir_job_free(&job);
    return status;
}
