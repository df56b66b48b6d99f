#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job.h"
#include "cli/pipeline.h"
#include "ir/print.h"
#include "pass/registry.h"
#include "pass/reproducer.h"
#include "passes/analysis/semantics.h"
#include "support/file.h"
#include "support/text.h"
#include "support/yaml.h"

static const char help_text[] =
    "INPUT is .onnx, text IR, or a reproducer, whose pipeline and settings hold unless given here. The text IR of the\n"
    "last graph (of --graph NAME) goes to stdout, or with its constants to OUT.weir and OUT.npz. In its place stdout has\n"
    "the records with --info, else the reports of passes that print one. Everything else goes to stderr. 'weir passes'\n"
    "lists the passes. Executions of passes count from 1 for --bisect-limit; those under --require always run and are\n"
    "not counted.\n";

enum { NO_LIMIT = -2 };

/* The command's own options. */
typedef struct request {
    weir_pipeline pipeline;
    const char *input, *output, *graph, *folder, *before, *after, *style, *dump, *timing_json, *info, *reproducer;
    int64_t batch, limit, samples, seed;
    double tolerance;
    bool verify, no_verify, semantics, unchanged, change, failure, timing, statistics, explain;
} request;

/* Options whose values are names. */
static int check(request *r) {
    const char *lists[] = {r->before, r->after};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (lists[i] != NULL && strcmp(lists[i], "all") != 0 &&
            !weir_pass_registry_knows(r->pipeline.registry, lists[i]))
            return WEIR_EXIT_USAGE;
    }
    if (r->verify && r->no_verify) return weir_cli_misuse("opt", "--verify-each does not go with --no-verify-each");
    if (strcmp(r->style, "diff") != 0 && strcmp(r->style, "text") != 0)
        return weir_cli_misuse("opt", "unknown style '%s', expected diff or text", r->style);
    if (r->info != NULL && strcmp(r->info, "json") != 0 && strcmp(r->info, "text") != 0)
        return weir_cli_misuse("opt", "unknown form '%s', expected json or text", r->info);
    return WEIR_EXIT_FINE;
}

/* Those that watch for failures come behind those that may fail. */
static weir_pass_instrument *add_instruments(request *r) {
    weir_pipeline *p = &r->pipeline;
    weir_pass_instrument *timing =
        r->timing || r->timing_json != NULL ? weir_pipeline_add(p, weir_pass_timing_new()) : NULL;
    if (r->limit != NO_LIMIT) weir_pipeline_add(p, weir_pass_bisect_new(stderr, r->limit));
    if (!r->no_verify) weir_pipeline_add(p, weir_pass_verifier_new());
    if (r->unchanged) weir_pipeline_add(p, weir_pass_immutable_new());
    if (r->semantics)
        weir_pipeline_add(p, weir_semantics_new(&(weir_semantics){
                                 .samples = (size_t)r->samples, .seed = (uint64_t)r->seed, .tolerance = r->tolerance}));
    if (r->change)
        weir_pipeline_add(p, weir_pass_changes_new(stderr, strcmp(r->style, "text") == 0 ? WEIR_PASS_CHANGE_TEXT
                                                                                         : WEIR_PASS_CHANGE_DIFF));
    if (r->dump != NULL) weir_pipeline_add(p, weir_pass_dump_new(r->dump));
    if (r->before != NULL || r->after != NULL || r->failure)
        weir_pipeline_add(p, weir_pass_printer_new(stderr, r->before, r->after, r->failure));
    if (r->reproducer != NULL) weir_pipeline_add(p, weir_pass_reproducer_new(r->reproducer, !r->no_verify));
    return timing;
}

static int explain(const weir_pipeline *p) {
    weir_text text = {NULL, 0, 0};
    bool fine = weir_pass_explain(p->context, p->pass, &text);
    if (text.size > 0) fputs(text.data, stderr);
    weir_text_free(&text);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_USAGE;
}

/* What the passes recorded, as JSON or as YAML. */
static void print_info(const request *r) {
    json_t *records = (json_t *)(uintptr_t)weir_pass_records(r->pipeline.context);
    weir_text text = {NULL, 0, 0};
    if (strcmp(r->info, "json") == 0) {
        char *json = weir_cli_json(json_incref(records));
        weir_text_add(&text, json);
        free(json);
    } else {
        weir_yaml_print(records, &text);
    }
    fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
}

static int run(request *r, weir_module *module) {
    weir_pipeline *p = &r->pipeline;
    weir_text text = {NULL, 0, 0};
    const weir_pass_instrument *timing = add_instruments(r);
    bool fine = weir_pass_run(p->context, p->pass, module);
    if (r->timing) weir_pass_timing_print(timing, &text);
    if (r->statistics) weir_pass_print_statistics(p->context, &text);
    if (text.size > 0) fputs(text.data, stderr);
    weir_text_free(&text);
    if (r->timing_json != NULL) {
        char *json = weir_cli_json(weir_pass_timing_json(timing));
        fine = weir_file_write(r->timing_json, json, strlen(json)) && fine;
        free(json);
    }
    const weir_text *output = weir_pass_output(p->context);
    fwrite(output->data, 1, output->size, r->info == NULL ? stdout : stderr);
    if (r->info != NULL) print_info(r);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

static int write_result(const request *r, weir_module *module) {
    const weir_graph *graph = weir_job_result(module, r->graph);
    if (graph == NULL) return WEIR_EXIT_USAGE;
    if (r->output != NULL) return weir_graph_save(graph, r->output) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (r->info != NULL || weir_pass_output(r->pipeline.context)->size > 0) return WEIR_EXIT_FINE;
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
    int status = weir_pipeline_parse(&r->pipeline, "");
    if (status == WEIR_EXIT_FINE && r->explain) status = explain(&r->pipeline);
    if (status != WEIR_EXIT_FINE) return status;
    weir_module *module = weir_job_read(r->input, r->batch);
    if (module == NULL) return WEIR_EXIT_INPUT;
    status = optimize(r, module);
    weir_module_free(module);
    return status;
}

/* The settings of the failing run, over which those given here go. */
static int run_reproducer(request *r) {
    weir_pass_reproducer reproducer;
    int status =
        weir_pass_reproducer_read(r->input, r->pipeline.context, &reproducer) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE) {
        fprintf(stderr, "%s: %s\n", r->input, reproducer.failure);
        r->no_verify |= !reproducer.verified && !r->verify;
        status = weir_pipeline_parse(&r->pipeline, reproducer.pipeline);
    }
    if (status == WEIR_EXIT_FINE && r->explain) status = explain(&r->pipeline);
    if (status == WEIR_EXIT_FINE) status = optimize(r, reproducer.module);
    weir_pass_reproducer_free(&reproducer);
    return status;
}

static int work(void *user) {
    request *r = user;
    int status = weir_pipeline_open(&r->pipeline);
    if (status == WEIR_EXIT_FINE) status = check(r);
    if (status != WEIR_EXIT_FINE) return status;
    return weir_pass_reproducer_is(r->input) ? run_reproducer(r) : run_model(r);
}

int weir_command_opt(int argc, char **argv) {
    request r = {.pipeline = WEIR_PIPELINE_DEFAULTS("opt"),
                 .batch = 1,
                 .limit = NO_LIMIT,
                 .samples = 4,
                 .seed = 1,
                 .style = "diff"};
    const weir_cli_option options[] = {
        WEIR_PIPELINE_TEXT_OPTION(r.pipeline),
        {"output", 'o', WEIR_CLI_STRING, &r.output, "OUT.weir", "write the graph here, its constants beside it"},
        {"graph", 'g', WEIR_CLI_STRING, &r.graph, "NAME", "the graph to print or write (the last one)"},
        {"folder", 0, WEIR_CLI_STRING, &r.folder, "DIR", "where passes write their files (.)"},
        {"batch", 0, WEIR_CLI_INT, &r.batch, "N", "value of a symbolic first dimension (1)"},
        WEIR_PIPELINE_OPTIONS(r.pipeline),
        {"verify-each", 0, WEIR_CLI_FLAG, &r.verify, NULL, "verify the IR after each pass (the default)"},
        {"no-verify-each", 0, WEIR_CLI_FLAG, &r.no_verify, NULL, "do not verify the IR after each pass"},
        {"check-semantics", 'c', WEIR_CLI_FLAG, &r.semantics, NULL,
         "compare what graphs compute before and after each pass"},
        {"samples", 'n', WEIR_CLI_INT, &r.samples, "N", "on so many random inputs (4)"},
        {"seed", 0, WEIR_CLI_INT, &r.seed, "N", "of these inputs (1)"},
        {"tolerance", 0, WEIR_CLI_REAL, &r.tolerance, "X", "allowing so much, as a part of the largest value (0)"},
        {"check-unchanged", 0, WEIR_CLI_FLAG, &r.unchanged, NULL, "hold passes that say they changed nothing to it"},
        {"explain", 'e', WEIR_CLI_FLAG, &r.explain, NULL, "say first which passes will run and why"},
        {"print-before", 0, WEIR_CLI_STRING, &r.before, "NAMES", "print the IR before these passes, or 'all'"},
        {"print-after", 0, WEIR_CLI_STRING, &r.after, "NAMES", "print the IR after these passes, or 'all'"},
        {"print-after-change", 0, WEIR_CLI_FLAG, &r.change, NULL, "print what each pass changed"},
        {"change-style", 0, WEIR_CLI_STRING, &r.style, "NAME", "as a line diff or the whole text (diff)"},
        {"print-after-failure", 0, WEIR_CLI_FLAG, &r.failure, NULL, "print what a pass that failed left"},
        {"dump", 0, WEIR_CLI_STRING, &r.dump, "DIR", "write the IR after each pass, one file a pass"},
        {"timing", 0, WEIR_CLI_FLAG, &r.timing, NULL, "print the time of each pass"},
        {"timing-json", 0, WEIR_CLI_STRING, &r.timing_json, "FILE", "write the times as JSON"},
        {"info", 'i', WEIR_CLI_STRING, &r.info, "FORM", "print what passes found out, as json or text (YAML)"},
        {"statistics", 0, WEIR_CLI_FLAG, &r.statistics, NULL, "print what passes counted"},
        {"reproducer", 0, WEIR_CLI_STRING, &r.reproducer, "FILE",
         "when a pass fails or crashes, write all that it takes to run it again"},
        {"bisect-limit", 0, WEIR_CLI_LIMIT, &r.limit, "N", "run only the first N executions of passes; -1: all"},
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("opt", options, help_text, argc, argv, 1, 1, &count);
    r.input = argv[1];
    if (status < 0) {
        r.pipeline.plugins.guarded = r.reproducer != NULL;
        if (r.reproducer != NULL) weir_pass_reproducer_discard(r.reproducer);
        status = weir_plugins_guard(&r.pipeline.plugins, work, &r);
        if (r.reproducer != NULL) weir_pass_reproducer_rescue(r.reproducer);
    }
    weir_pipeline_close(&r.pipeline);
    return status;
}
