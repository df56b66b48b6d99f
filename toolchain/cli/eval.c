#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job.h"
#include "exec/exec.h"

static const char help_text[] =
    "The float engine runs the model as ONNX defines its operators; the integer engine runs the bit-exact integer graph\n"
    "that the hardware implements. OUT.npy gets the model's output as the model declares it, one row a frame.\n";

static int evaluate(const weir_graph *graph, const char *data_path, const char *output) {
    weir_array *data = weir_array_read(data_path, NULL);
    weir_executor *executor = data == NULL ? NULL : weir_executor_new(graph);
    weir_array *result = executor == NULL ? NULL : weir_executor_run_all(executor, data, 0, 0);
    int status = result == NULL ? WEIR_EXIT_INPUT : WEIR_EXIT_FINE;
    if (result != NULL && output != NULL) {
        if (!weir_npy_write(output, result)) status = WEIR_EXIT_INPUT;
    } else if (result != NULL) {
        size_t row =
            result->shape.rank > 1 && result->shape.dim[0] > 0 ? result->count / (size_t)result->shape.dim[0] : 1;
        for (size_t i = 0; i < result->count; i++)
            printf("%.9g%c", weir_array_get(result, i), (i + 1) % row == 0 ? '\n' : ' ');
    }
    weir_array_free(result);
    weir_executor_free(executor);
    weir_array_free(data);
    return status;
}

typedef struct request {
    weir_job *job;
    const char *model, *data, *output;
    bool integer;
} request;

static int run(void *user) {
    const request *r = user;
    weir_job *job = r->job;
    weir_module *module = weir_job_read(r->model, job->batch);
    int status = module == NULL ? WEIR_EXIT_INPUT : WEIR_EXIT_FINE;
    if (module != NULL && (r->integer || job->quantize != NULL || job->passes != NULL))
        status = weir_job_run(job, module, r->integer ? "lower_integer" : "");
    if (status == WEIR_EXIT_FINE) {
        const char *graph = r->integer ? "integer" : job->quantize != NULL ? "quantized" : "model";
        status = evaluate(weir_module_find_graph(module, graph), r->data, r->output);
    }
    weir_module_free(module);
    return status;
}

int weir_command_eval(int argc, char **argv) {
    weir_job job = WEIR_JOB_DEFAULTS("eval");
    const char *data = NULL, *engine = "int", *output = NULL;
    const weir_cli_option options[] = {
        {"data", 'd', WEIR_CLI_STRING, &data, "FILE", "frames: .npy, .npz[:key], .csv[.gz]; required"},
        {"engine", 'e', WEIR_CLI_STRING, &engine, "NAME", "float or int (int)"},
        {"output", 'o', WEIR_CLI_STRING, &output, "OUT.npy", "write the outputs here, not as text"},
        WEIR_JOB_PLUGIN_OPTIONS(job),
        WEIR_JOB_QUANTIZE_OPTIONS(job),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("eval", options, help_text, argc, argv, 1, 1, &count);
    bool integer = strcmp(engine, "int") == 0;
    if (status < 0 && data == NULL) status = weir_cli_misuse("eval", "--data FILE is missing");
    if (status < 0 && !integer && strcmp(engine, "float") != 0)
        status = weir_cli_misuse("eval", "unknown engine '%s', expected float or int", engine);
    if (status < 0) status = weir_plugins_guard(&job.plugins, run, &(request){&job, argv[1], data, output, integer});
    weir_job_free(&job);
    return status;
}
