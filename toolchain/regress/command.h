/* What the steps of a point run, and the key of its result: a hash of these commands and of the contents of all that
 * they read. */
#ifndef WEIR_REGRESS_COMMAND_H
#define WEIR_REGRESS_COMMAND_H

#include "regress/fingerprint.h"
#include "regress/kept.h"
#include "regress/suite.h"
#include "support/process/tool.h"
#include "support/text/text.h"

typedef struct weir_commands weir_commands;

/* `program`: this one. Checks that each step has its operand in some point and that each placeholder is a name; false
 * after reported errors. */
weir_commands *weir_commands_new(const weir_suite *suite, const char *program);
void weir_commands_free(weir_commands *commands);
const char *weir_step_name(weir_step_kind kind);

/* Arguments of the step, in the folder `work`, to run in the suite's folder. */
void weir_commands_arguments(const weir_commands *commands, const weir_suite_point *point, size_t step,
                             const char *work, weir_arguments *arguments);
/* Adds the word as a shell reads it, in quotes if need be. */
void weir_commands_quote(weir_text *text, const char *word);
/* The report that the step leaves; NULL: none. Heap memory. */
char *weir_commands_report(const weir_commands *commands, size_t step, const char *work);
/* Do points leave such a file for the run? */
bool weir_commands_leave(const weir_commands *commands, weir_kept_kind kind);
/* One command for a shell that repeats the point up to the step, in a folder `repeat`. Heap memory. */
char *weir_commands_repeat(const weir_commands *commands, const weir_suite_point *point, size_t last);
/* False after a reported error: a file that the point needs is missing. */
bool weir_commands_key(const weir_commands *commands, const weir_suite_point *point, weir_fingerprints *fingerprints,
                       weir_hash *key);

#endif
