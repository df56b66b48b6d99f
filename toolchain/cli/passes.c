#include <stdio.h>

#include "cli/cli.h"
#include "cli/pipeline.h"
#include "pass/registry.h"

static const char help_text[] =
    "Without NAME: every pass with its level, what it promises about results, what it requires, and its options.\n"
    "--explain PIPELINE says for each pass, requirements included, whether it runs and why, under --level and so on.\n";

typedef struct request {
    weir_pipeline pipeline;
    const char *name;
} request;

static int show(const weir_pipeline *p, const char *name) {
    weir_text text = {NULL, 0, 0};
    bool fine = true;
    if (p->text != NULL) fine = weir_pass_explain(p->context, p->pass, &text);
    else if (name == NULL) weir_pass_registry_print(p->registry, &text);
    else fine = weir_pass_registry_print_one(p->registry, name, &text);
    if (text.size > 0) fwrite(text.data, 1, text.size, stdout);
    weir_text_free(&text);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_USAGE;
}

static int work(void *user) {
    request *r = user;
    int status = weir_pipeline_open(&r->pipeline);
    return status == WEIR_EXIT_FINE ? show(&r->pipeline, r->name) : status;
}

int weir_command_passes(int argc, char **argv) {
    request r = {.pipeline = WEIR_PIPELINE_DEFAULTS("passes")};
    weir_pipeline *p = &r.pipeline;
    const weir_cli_option options[] = {
        {"explain", 'e', WEIR_CLI_STRING, &p->text, "PIPELINE", "say which passes of it run and why"},
        WEIR_PIPELINE_OPTIONS(*p),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("passes", options, help_text, argc, argv, 0, 1, &count);
    r.name = count == 1 ? argv[1] : NULL;
    if (status < 0) status = weir_plugins_guard(&p->plugins, work, &r);
    weir_pipeline_close(p);
    return status;
}
