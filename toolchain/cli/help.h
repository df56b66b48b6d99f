/* The three forms of a command's help, of the same table: text (--help), a man page (--help=man), and a line of words
 * for each option or command, which completion in shells reads (--help=words). */
#ifndef WEIR_CLI_HELP_H
#define WEIR_CLI_HELP_H

#include <stdio.h>

#include "cli/cli.h"

/* Does the argument ask for help? `form`: "" for text, "man", "words", or what no form is called. */
bool weir_help_is_asked(const char *argument, const char **form);
/* Of one command; false: there is no such form. */
bool weir_help_of_command(const weir_command *command, const weir_cli_option *options, const char *text,
                          const char *form);
/* Of `weir` itself. */
bool weir_help_of_all(FILE *file, const weir_command *commands, size_t count, const char *form);

#endif
