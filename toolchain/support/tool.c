#include "support/tool.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/diag.h"
#include "support/process.h"

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

bool weir_tool_run(const weir_arguments *arguments, const char *folder, double seconds, weir_text *output) {
    const char *const environment[] = {folder ? "TMPDIR=." : NULL, NULL};
    weir_process process = {.arguments = (const char *const *)arguments->list,
                            .folder = folder,
                            .seconds = seconds,
                            .environment = environment};
    weir_text own = {0};
    weir_text *messages = output ? output : &own;
    size_t before = messages->size;
    int status = 0;
    const char *name = arguments->list[0];
    weir_process_end end = weir_process_run(&process, messages, &status);
    bool fine = end == WEIR_PROCESS_EXITED && status == 0;
    if (end == WEIR_PROCESS_MISSING) weir_error(WEIR_NOWHERE, "cannot run '%s': no such program", name);
    else if (end == WEIR_PROCESS_TIMEOUT) weir_error(WEIR_NOWHERE, "'%s' took longer than %g seconds", name, seconds);
    else if (end == WEIR_PROCESS_SIGNAL) weir_error(WEIR_NOWHERE, "'%s' was killed by signal %d", name, status);
    else if (!fine) weir_error(WEIR_NOWHERE, "'%s' failed with exit status %d", name, status);
    if (!fine && messages->size > before) weir_note("its messages:\n%s", messages->data + before);
    weir_text_free(&own);
    return fine;
}
