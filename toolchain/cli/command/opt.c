#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job.h"
#include "cli/watch.h"
#include "cosim/semantics.h"
#include "ir/graph/print.h"
#include "pass/core/registry.h"
#include "support/file/file.h"
#include "support/text/text.h"
#include "support/text/yaml.h"

static const char help_text[] =
    "INPUT is an .onnx file, text IR or a reproducer, whose pipeline and settings apply unless given here. The text IR of the\n"
    "last graph (or --graph NAME) goes to stdout, or to OUT.weir with its constants in OUT.npz. Instead of the text IR,\n"
    "--info prints the passes' records on stdout, and passes that print a report (report_graph) print that. Everything else\n"
    "goes to stderr. 'weir passes' lists the passes. For --bisect-limit, executions of passes count from 1; those under\n"
    "--require always run and are not counted.\n";

/* The command's own options. */
typedef struct request {
    weir_pipeline pipeline;
    weir_watch watch;
    const char *input, *output, *graph, *folder;
    weir_job_sizes sizes;
    int64_t samples, seed;
    double tolerance;
    bool semantics;
} request;

static int run(request *r, weir_module *module) {
    weir_pipeline *p = &r->pipeline;
    const weir_semantics semantics = {
        .samples = (size_t)r->samples, .seed = (uint64_t)r->seed, .tolerance = r->tolerance};
    weir_watch_add(&r->watch, p, r->semantics ? weir_semantics_new(&semantics) : NULL);
    bool fine = weir_pass_run(p->context, p->pass, module);
    fine = weir_watch_report(&r->watch, p) && fine;
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

static int write_result(const request *r, weir_module *module) {
    const weir_graph *graph = weir_job_result(module, r->graph);
    if (graph == NULL) return WEIR_EXIT_USAGE;
    if (r->output != NULL) return weir_graph_save(graph, r->output) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (weir_watch_has_output(&r->watch, &r->pipeline)) return WEIR_EXIT_FINE;
    weir_text text = {NULL, 0, 0};
    weir_graph_print(graph, &text);
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
    return WEIR_EXIT_FINE;
}

static int optimize(request *r, weir_module *module) {
    if (r->folder != NULL) weir_module_set_folder(module, r->folder);
    int status = run(r, module);
    if (status == WEIR_EXIT_FINE) status = write_result(r, module);
    return (int)weir_module_int(module, WEIR_MODULE_STATUS, status);
}

/* The pipeline is parsed before the model is read, because bad usage is found fast. */
static int run_model(request *r) {
    int status = weir_watch_parse(&r->watch, &r->pipeline, "");
    if (status != WEIR_EXIT_FINE) return status;
    weir_module *module = weir_job_read(r->input, &r->sizes);
    if (module == NULL) return WEIR_EXIT_INPUT;
    status = optimize(r, module);
    weir_module_free(module);
    return status;
}

static int run_reproducer(request *r) {
    weir_pass_reproducer reproducer;
    int status = weir_watch_read(&r->watch, &r->pipeline, r->input, &reproducer);
    if (status == WEIR_EXIT_FINE) status = optimize(r, reproducer.module);
    weir_pass_reproducer_free(&reproducer);
    return status;
}

static int work(void *user) {
    request *r = user;
    int status = weir_pipeline_open(&r->pipeline);
    if (status == WEIR_EXIT_FINE) status = weir_watch_check(&r->watch, &r->pipeline);
    if (status != WEIR_EXIT_FINE) return status;
    return weir_pass_reproducer_is(r->input) ? run_reproducer(r) : run_model(r);
}

int weir_command_opt(int argc, char **argv) {
    request r = {.pipeline = WEIR_PIPELINE_DEFAULTS("opt"),
                 .watch = WEIR_WATCH_DEFAULTS,
                 .sizes = WEIR_JOB_SIZES_DEFAULTS,
                 .samples = 4,
                 .seed = 1};
    const weir_cli_option options[] = {
        WEIR_PIPELINE_TEXT_OPTION(r.pipeline),
        {"output", 'o', WEIR_CLI_STRING, &r.output, "OUT.weir", "write the graph here, its constants beside it"},
        {"graph", 'g', WEIR_CLI_STRING, &r.graph, "NAME", "the graph to print or write (the last one)"},
        {"folder", 0, WEIR_CLI_STRING, &r.folder, "DIR", "folder for files that passes write (.)"},
        WEIR_JOB_SIZE_OPTIONS(r.sizes),
        WEIR_PIPELINE_OPTIONS(r.pipeline),
        WEIR_WATCH_OPTIONS(r.watch),
        {"check-semantics", 'c', WEIR_CLI_FLAG, &r.semantics, NULL,
         "run graphs before and after each pass and compare the results"},
        {"samples", 'n', WEIR_CLI_COUNT, &r.samples, "N", "number of random inputs for that (4)"},
        {"seed", 0, WEIR_CLI_INT, &r.seed, "N", "seed of these inputs (1)"},
        {"tolerance", 0, WEIR_CLI_REAL, &r.tolerance, "X", "difference allowed, relative to the largest value (0)"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("opt", options, help_text, argc, argv, 1, 1, &count);
    r.input = argv[1];
    if (status < 0) {
        status = weir_watch_guard(&r.watch, &r.pipeline, work, &r);
    }
    weir_cli_list_free(&r.sizes.shape);
    weir_pipeline_close(&r.pipeline);
    return status;
}
