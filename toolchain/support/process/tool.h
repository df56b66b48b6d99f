/* Running external tools: a command line that is put together, failures reported with the tool's own messages. */
#ifndef WEIR_TOOL_H
#define WEIR_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "support/text/text.h"

/* A growing NULL-terminated argument vector that owns its strings. */
typedef struct weir_arguments {
    char **list;
    size_t count, capacity;
} weir_arguments;

void weir_arguments_add(weir_arguments *arguments, const char *format, ...) __attribute__((format(printf, 2, 3)));
void weir_arguments_free(weir_arguments *arguments);
/* Runs a tool; on failure, after `seconds` too (0: no limit), reports it with the tool's messages and returns false.
 * `output` (may be NULL) receives what it wrote. In a `folder` (NULL: here) temporary files go there as well: what a
 * killed tool leaves goes with the folder, and its name may have blanks, which the ABC of Yosys cannot take in
 * $TMPDIR. */
bool weir_tool_run(const weir_arguments *arguments, const char *folder, double seconds, weir_text *output);

typedef enum weir_tool_end { WEIR_TOOL_FINE, WEIR_TOOL_LATE, WEIR_TOOL_FAILED } weir_tool_end;
/* The same for what may take long: the progress line says `progress` (may be NULL) and the seconds that have passed,
 * and that the time is over is not reported. */
weir_tool_end weir_tool_wait(const weir_arguments *arguments, const char *folder, double seconds, const char *progress,
                             weir_text *output);
/* "'NAME' took longer than N seconds"; heap memory. */
char *weir_tool_late(const char *name, double seconds);

#endif
