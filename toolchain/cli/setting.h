/* PASS.OPTION=VALUE: options of passes that a command line sets in a pipeline. */
#ifndef WEIR_CLI_SETTING_H
#define WEIR_CLI_SETTING_H

#include "cli/cli.h"
#include "pass/core/pass.h"

/* Sets it in every instance of PASS in the pipeline. Exit status; misuse cites the subcommand, and a pass that is not
 * in the pipeline comes with the nearest one that is. */
int weir_setting_apply(const char *command, weir_pass *pipeline, const char *setting);

#endif
