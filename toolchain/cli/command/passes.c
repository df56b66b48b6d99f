#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/pipeline.h"
#include "pass/core/registry.h"

static const char help_text[] =
    "Without NAME: every pass with its level, its promise about results, its requirements and its options.\n"
    "--explain PIPELINE says for each pass, requirements included, whether it would run and why (under --level and "
    "so on).\n";

typedef struct request {
    weir_pipeline pipeline;
    const char *name;
    bool json, markdown;
} request;

static void print(char *text) {
    fputs(text, stdout);
    free(text);
}

/* "VERB NAME: WHY" lines as an array of objects. */
static json_t *split(char *lines) {
    json_t *list = json_array();
    for (char *line = strtok(lines, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *name = strchr(line, ' '), *why = strchr(line, ':');
        *name++ = *why = '\0';
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "pass", name, "verdict", line, "why", why + 2));
    }
    return list;
}

static int explain(const weir_pipeline *p, bool json) {
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "");
    if (!weir_pass_explain(p->context, p->pass, &text)) return WEIR_EXIT_USAGE;
    if (json) print(weir_cli_json(split(text.data)));
    else fputs(text.data, stdout);
    weir_text_free(&text);
    return WEIR_EXIT_FINE;
}

static int list(const weir_pass_registry *registry, const request *r) {
    const char *name = r->name;
    if (r->json) {
        json_t *value = name == NULL ? weir_pass_registry_json(registry) : weir_pass_registry_json_one(registry, name);
        if (value == NULL) return WEIR_EXIT_USAGE;
        print(weir_cli_json(value));
        return WEIR_EXIT_FINE;
    }
    weir_text text = {NULL, 0, 0};
    bool fine = true;
    if (r->markdown) weir_pass_registry_markdown(registry, &text);
    else if (name == NULL) weir_pass_registry_print(registry, &text);
    else fine = weir_pass_registry_print_one(registry, name, &text);
    if (fine) fputs(text.data, stdout);
    weir_text_free(&text);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_USAGE;
}

static int work(void *user) {
    request *r = user;
    int status = weir_pipeline_open(&r->pipeline);
    if (status == WEIR_EXIT_FINE) status = weir_pipeline_parse(&r->pipeline, "");
    if (status != WEIR_EXIT_FINE) return status;
    return r->pipeline.text != NULL ? explain(&r->pipeline, r->json) : list(r->pipeline.registry, r);
}

int weir_command_passes(int argc, char **argv) {
    request r = {.pipeline = WEIR_PIPELINE_DEFAULTS("passes")};
    weir_pipeline *p = &r.pipeline;
    const weir_cli_option options[] = {
        {"explain", 'e', WEIR_CLI_STRING, &p->text, "PIPELINE", "print which of its passes would run, and why"},
        {"json", 'j', WEIR_CLI_FLAG, &r.json, NULL, "print JSON"},
        {"markdown", 0, WEIR_CLI_FLAG, &r.markdown, NULL, "print all as Markdown"},
        WEIR_PIPELINE_OPTIONS(*p),
        {.name = NULL}};
    size_t count;
    int status = weir_cli_parse("passes", options, help_text, argc, argv, 0, 1, &count);
    r.name = count == 1 ? argv[1] : NULL;
    if (status < 0 && r.name != NULL && p->text != NULL)
        status = weir_cli_misuse("passes", "--explain cannot be combined with NAME");
    if (status < 0 && r.markdown && (r.name != NULL || p->text != NULL || r.json))
        status = weir_cli_misuse("passes", "--markdown cannot be combined with NAME, --explain or --json");
    if (status < 0) status = weir_plugins_guard(&p->plugins, work, &r);
    weir_pipeline_close(p);
    return status;
}
