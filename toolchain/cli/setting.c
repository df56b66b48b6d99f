#include "cli/setting.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/suggest.h"

/* Sets the option in the pass or the sequence that holds it; counts where it applied, -1 after an error. */
static int apply(weir_pass *pass, const char *name, const char *option, const char *value) {
    if (!weir_pass_is_sequence(pass)) {
        if (strcmp(weir_pass_name(pass), name) != 0) return 0;
        return weir_pass_set(pass, option, value) ? 1 : -1;
    }
    int applied = 0;
    for (size_t i = 0; i < weir_pass_sequence_count(pass); i++) {
        int result = apply((weir_pass *)weir_pass_sequence_at(pass, i), name, option, value);
        if (result < 0) return result;
        applied += result;
    }
    return applied;
}

/* Appends the names of the passes to a heap array. */
static const char **collect(const weir_pass *pass, const char **names, size_t *count) {
    if (!weir_pass_is_sequence(pass)) {
        names = weir_realloc(names, (*count + 1) * sizeof *names);
        names[(*count)++] = weir_pass_name(pass);
        return names;
    }
    for (size_t i = 0; i < weir_pass_sequence_count(pass); i++)
        names = collect(weir_pass_sequence_at(pass, i), names, count);
    return names;
}

static int unknown(const weir_pass *pipeline, const char *name) {
    size_t count = 0;
    const char **names = collect(pipeline, NULL, &count), *near = weir_suggest(name, names, count);
    weir_error(WEIR_NOWHERE, "the pipeline runs no pass '%s'", name);
    if (near != NULL) weir_note("did you mean '%s'?", near);
    free(names);
    return WEIR_EXIT_USAGE;
}

int weir_setting_apply(const char *command, weir_pass *pipeline, const char *setting) {
    const char *equals = strchr(setting, '='), *dot = strchr(setting, '.');
    if (equals == NULL || dot == NULL || dot > equals)
        return weir_cli_misuse(command, "expected PASS.OPTION=VALUE, found '%s'", setting);
    char *name = weir_format("%.*s", (int)(dot - setting), setting);
    char *option = weir_format("%.*s", (int)(equals - dot - 1), dot + 1);
    int applied = apply(pipeline, name, option, equals + 1);
    int status = applied > 0 ? WEIR_EXIT_FINE : applied == 0 ? unknown(pipeline, name) : WEIR_EXIT_USAGE;
    free(option);
    free(name);
    return status;
}
