/* What `opt`, `passes` and `bisect` share: a pipeline with the context it runs in, from the command line. */
#ifndef WEIR_CLI_PIPELINE_H
#define WEIR_CLI_PIPELINE_H

#include "cli/plugins.h"
#include "pass/run/instrument.h"

enum { WEIR_PIPELINE_INSTRUMENTS = 12, WEIR_PIPELINE_NO_LEVEL = -1 };

typedef struct weir_pipeline {
    const char *command; /* the subcommand, for messages */
    const char *text;    /* --pipeline; NULL: none given */
    int64_t level;       /* WEIR_PIPELINE_NO_LEVEL: the context's own */
    weir_cli_list require, disable, config, set;
    weir_plugins plugins;
    /* From weir_pipeline_open: */
    weir_pass_registry *registry;
    weir_pass_context *context;
    weir_pass *pass;
    weir_pass_instrument *instrument[WEIR_PIPELINE_INSTRUMENTS]; /* in the order added */
    size_t instruments;
} weir_pipeline;

#define WEIR_PIPELINE_DEFAULTS(command_)                                                                               \
    { .command = command_, .level = WEIR_PIPELINE_NO_LEVEL }
/* Rows of an option table. */
#define WEIR_PIPELINE_TEXT_OPTION(p)                                                                                   \
    { "pipeline", 'p', WEIR_CLI_STRING, &(p).text, "TEXT", "passes to run: 'a,graph(b{option=1},c)'" }
#define WEIR_PIPELINE_OPTIONS(p)                                                                                       \
    WEIR_PLUGINS_OPTION((p).plugins),                                                                                  \
        {"level", 'O', WEIR_CLI_INT, &(p).level, "N", "run passes of pipelines up to this level, 0 to 4 (2)"},         \
        {"require", 0, WEIR_CLI_LIST, &(p).require, "NAMES", "run these passes regardless of their level"},            \
        {"disable", 0, WEIR_CLI_LIST, &(p).disable, "NAMES", "do not run these passes"},                               \
        {"config", 0, WEIR_CLI_LIST, &(p).config, "KEY=VALUE", "a setting of the context"}, {                          \
        "set", 's', WEIR_CLI_LIST, &(p).set, "PASS.OPTION=VALUE", "an option of a pass"                                \
    }

/* Registry and context. Exit status; close it in any case. */
int weir_pipeline_open(weir_pipeline *pipeline);
/* Sets the context up and makes the pass of the text that was given, else of `otherwise`. Exit status. */
int weir_pipeline_parse(weir_pipeline *pipeline, const char *otherwise);
/* Says on stderr which passes the context's level leaves out, if any. */
void weir_pipeline_note_skipped(const weir_pass_context *context, const weir_pass *pass);
/* Adds an instrument that lives as long as the pipeline; returns it. */
weir_pass_instrument *weir_pipeline_add(weir_pipeline *pipeline, weir_pass_instrument *instrument);
void weir_pipeline_close(weir_pipeline *pipeline);

#endif
