#include "cli/cli.h"
#include "cli/job.h"
#include "support/text/text.h"

static const char help_text[] =
    "Writes the model as imported, or the graph that --quantize and --passes make of it (the last one, or --graph "
    "NAME).\n"
    "Integer graphs (--passes lower_integer) are written with standard operators that compute the same bits.\n"
    "A batch that the model leaves open stays open; --batch or --shape give it a size.\n";

/* The pass with its options, as pipeline text. */
static weir_text pass_text(const char *output, const char *graph, const char *form, int64_t opset) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "export_onnx{opset=%lld form=", (long long)opset);
    weir_text_quoted(&text, form);
    weir_text_add(&text, " graph=");
    weir_text_quoted(&text, graph);
    weir_text_add(&text, " file=");
    weir_text_quoted(&text, output);
    weir_text_char(&text, '}');
    return text;
}

typedef struct request {
    weir_job *job;
    const char *model, *pipeline;
} request;

static int run(void *user) {
    const request *r = user;
    weir_module *module = r->job->quantize != NULL ? weir_job_read_frames(r->model, &r->job->sizes)
                                                   : weir_job_read(r->model, &r->job->sizes);
    int status = module == NULL ? WEIR_EXIT_INPUT : weir_job_run(r->job, module, r->pipeline);
    weir_module_free(module);
    return status;
}

int weir_command_export(int argc, char **argv) {
    weir_job job = WEIR_JOB_DEFAULTS("export");
    job.finds_states = false; /* the model is run as it is */
    const char *output = NULL, *graph = "", *form = "native";
    int64_t opset = 0;
    const weir_cli_option options[] = {
        {"output", 'o', WEIR_CLI_STRING, &output, "OUT.onnx", "file to write, required"},
        {"graph", 'g', WEIR_CLI_STRING, &graph, "NAME", "the graph to write (the last one)"},
        {"form", 0, WEIR_CLI_STRING, &form, "NAME", "dialect of quantization: native, qdq or qonnx (native)"},
        {"opset", 0, WEIR_CLI_COUNT, &opset, "N",
         "opset to write (the oldest possible from 17 on); in qdq 21 packs codes of 4 bits, 25 of 2"},
        WEIR_JOB_PLUGIN_OPTIONS(job),
        WEIR_JOB_QUANTIZE_OPTIONS(job),
        WEIR_JOB_SET_OPTION(job),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("export", options, help_text, argc, argv, 1, 1, &count);
    if (status < 0 && output == NULL) status = weir_cli_misuse("export", "-o OUT.onnx is missing");
    if (status < 0) {
        weir_text pass = pass_text(output, graph, form, opset);
        request r = {&job, argv[1], pass.data};
        status = weir_plugins_guard(&job.plugins, run, &r);
        weir_text_free(&pass);
    }
    weir_job_free(&job);
    return status;
}
