#include "support/process/tool.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"

void weir_arguments_add(weir_arguments *arguments, const char *format, ...) {
    weir_text text = {0};
    va_list values;
    va_start(values, format);
    weir_text_vformat(&text, format, values);
    va_end(values);
    arguments->list = weir_grow(arguments->list, &arguments->capacity, arguments->count + 2, sizeof(char *));
    arguments->list[arguments->count++] = text.data ? text.data : weir_copy_string("");
    arguments->list[arguments->count] = NULL;
}

void weir_arguments_free(weir_arguments *arguments) {
    for (size_t i = 0; i < arguments->count; i++) free(arguments->list[i]);
    free(arguments->list);
    memset(arguments, 0, sizeof *arguments);
}

char *weir_tool_late(const char *name, double seconds) {
    return weir_format("'%s' took longer than %g seconds", name, seconds);
}

static void report_late(const weir_process *process) {
    char *text = weir_tool_late(process->arguments[0], process->seconds);
    weir_error(WEIR_NOWHERE, "%s", text);
    free(text);
}

/* Where line `count` begins, from 0 on. */
static const char *line_at(const char *text, size_t count) {
    for (; count > 0; count--) text = strchr(text, '\n') + 1;
    return text;
}

/* Of a long one, such as a placer's, the head and the end: an error is the first thing that compilers write, and the
 * last of others. */
static void note_messages(const char *text) {
    enum { HEAD = 20, END = 30 };
    size_t lines = 0;
    for (const char *c = text; *c != '\0'; c++) lines += *c == '\n';
    if (lines <= HEAD + END) weir_note("its messages:\n%s", text);
    else
        weir_note("its messages:\n%.*s... %zu more lines ...\n%s", (int)(line_at(text, HEAD) - text), text,
                  lines - HEAD - END, line_at(text, lines - END));
}

/* The process ended without doing its work; what it wrote from `before` on is reported. */
static void report(const weir_process *process, weir_process_end end, int status, const weir_text *output,
                   size_t before) {
    const char *name = process->arguments[0];
    if (end == WEIR_PROCESS_MISSING) weir_error(WEIR_NOWHERE, "cannot run '%s': no such program", name);
    else if (end == WEIR_PROCESS_TIMEOUT) report_late(process);
    else if (end == WEIR_PROCESS_SIGNAL) weir_error(WEIR_NOWHERE, "'%s' was killed by signal %d", name, status);
    else weir_error(WEIR_NOWHERE, "'%s' failed with exit status %d", name, status);
    if (output->size > before) note_messages(output->data + before);
}

static weir_tool_end run(const weir_process *process, bool is_late_reported, weir_text *output) {
    weir_text own = {0};
    weir_text *messages = output ? output : &own;
    const size_t before = messages->size;
    int status = 0;
    const weir_process_end end = weir_process_run(process, messages, &status);
    const bool is_fine = end == WEIR_PROCESS_EXITED && status == 0, is_late = end == WEIR_PROCESS_TIMEOUT;
    if (!is_fine && (!is_late || is_late_reported)) report(process, end, status, messages, before);
    weir_text_free(&own);
    return is_fine ? WEIR_TOOL_FINE : is_late ? WEIR_TOOL_LATE : WEIR_TOOL_FAILED;
}

static weir_process process_of(const weir_arguments *arguments, const char *folder, double seconds) {
    static const char *const here[] = {"TMPDIR=.", NULL};
    return (weir_process){.arguments = (const char *const *)arguments->list,
                          .folder = folder,
                          .seconds = seconds,
                          .environment = folder ? here : NULL};
}

bool weir_tool_run(const weir_arguments *arguments, const char *folder, double seconds, weir_text *output) {
    const weir_process process = process_of(arguments, folder, seconds);
    return run(&process, true, output) == WEIR_TOOL_FINE;
}

weir_tool_end weir_tool_wait(const weir_arguments *arguments, const char *folder, double seconds, const char *progress,
                             weir_text *output) {
    weir_process process = process_of(arguments, folder, seconds);
    process.progress = progress;
    return run(&process, false, output);
}
