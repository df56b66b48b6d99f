/* Places that commands write to besides those that the user names: the cache, temporary files. */
#ifndef WEIR_CLI_PLACES_H
#define WEIR_CLI_PLACES_H

#include "support/file/scratch.h"

/* Before a command that runs simulators or other tools: where the folder for temporary files cannot be used, another
 * one is, and where the cache cannot be (no home, read-only, full), the environment names a folder of this process from
 * here on, which is returned and freed after the command; each with a note. NULL: the places are fine, or the command
 * needs none. */
weir_scratch *weir_cli_places_prepare(const char *command);

#endif
