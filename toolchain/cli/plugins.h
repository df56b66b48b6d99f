/* --load-pass, for every subcommand that reads a model or runs passes. */
#ifndef WEIR_CLI_PLUGINS_H
#define WEIR_CLI_PLUGINS_H

#include "cli/cli.h"
#include "pass/core/registry.h"

typedef struct weir_plugins {
    weir_cli_list files;
    bool guarded;                  /* run in a child process without files too */
    weir_pass_instrument *witness; /* of weir_plugins_guard, for the context; NULL: none needed */
} weir_plugins;

/* Row of an option table. */
#define WEIR_PLUGINS_OPTION(plugins)                                                                                   \
    {                                                                                                                  \
        "load-pass", 'l', WEIR_CLI_LIST, &(plugins).files, "FILE.so",                                                  \
            "load your own passes, operators and components from a shared object"                                      \
    }

/* Loads them and checks what their passes require of each other. False after a reported error. */
bool weir_plugins_load(const weir_plugins *plugins, weir_pass_registry *registry);
/* Runs `body`: in a child process when there are files or `guarded` says so, so that a pass that crashes is named. Exit
 * status. */
int weir_plugins_guard(weir_plugins *plugins, int (*body)(void *user), void *user);

#endif
