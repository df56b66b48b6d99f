/* Reproducers: one YAML file that holds the graphs and the hardware design before a failing pass, the pass, and the
 * context's settings, so that it can be run again. The state is that just before the pass; for a module with side data
 * or a design without a text form it is that at the start of the run, with the whole pipeline. */
#ifndef WEIR_PASS_REPRODUCER_H
#define WEIR_PASS_REPRODUCER_H

#include "pass/run/instrument.h"

/* Writes PATH when a pass fails. While passes run, the state is in PATH.running, which survives a crash. Put it after
 * instruments whose failures count; `verified`: the verifier is among them. */
weir_pass_instrument *weir_pass_reproducer_new(const char *path, bool verified);
/* Removes PATH.running, which an earlier run may have left. */
void weir_pass_reproducer_discard(const char *path);
/* After a crash: renames PATH.running to PATH. False if there is none. */
bool weir_pass_reproducer_rescue(const char *path);

typedef struct weir_pass_reproducer {
    weir_module *module;
    char *pipeline, *failure;
    bool verified;
} weir_pass_reproducer;

/* Does the file look like a reproducer? */
bool weir_pass_reproducer_is(const char *path);
/* Reads it and sets the context to the settings of the failing run, on top of earlier ones. False after a reported
 * error; free it in any case. The caller may take the module out. */
bool weir_pass_reproducer_read(const char *path, weir_pass_context *context, weir_pass_reproducer *reproducer);
void weir_pass_reproducer_free(weir_pass_reproducer *reproducer);

#endif
