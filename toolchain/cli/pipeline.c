#include "cli/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "cli/setting.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

static int configure(const weir_pipeline *p, const char *setting) {
    const char *equals = strchr(setting, '=');
    if (equals == NULL) return weir_cli_misuse(p->command, "expected KEY=VALUE, found '%s'", setting);
    char *key = weir_format("%.*s", (int)(equals - setting), setting);
    bool fine = weir_pass_config_set(p->context, key, equals + 1);
    free(key);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_USAGE;
}

/* The context's settings; all complaints of one kind come together. */
static int set_up(const weir_pipeline *p) {
    bool fine = p->level == WEIR_PIPELINE_NO_LEVEL ||
                weir_pass_context_set_level(p->context, p->level > INT16_MAX ? INT16_MAX : (int)p->level);
    for (size_t i = 0; i < p->require.count; i++) fine &= weir_pass_context_require(p->context, p->require.item[i]);
    for (size_t i = 0; i < p->disable.count; i++) fine &= weir_pass_context_disable(p->context, p->disable.item[i]);
    int status = fine ? WEIR_EXIT_FINE : WEIR_EXIT_USAGE;
    for (size_t i = 0; i < p->config.count && status == WEIR_EXIT_FINE; i++) status = configure(p, p->config.item[i]);
    return status;
}

int weir_pipeline_open(weir_pipeline *p) {
    p->registry = weir_pass_registry_new();
    if (!weir_passes_register(p->registry)) return WEIR_EXIT_USAGE;
    if (!weir_plugins_load(&p->plugins, p->registry)) return WEIR_EXIT_INPUT;
    p->context = weir_pass_context_new(p->registry);
    if (p->plugins.witness != NULL) weir_pass_context_add_instrument(p->context, p->plugins.witness);
    return WEIR_EXIT_FINE;
}

int weir_pipeline_parse(weir_pipeline *p, const char *otherwise) {
    int status = set_up(p);
    if (status != WEIR_EXIT_FINE) return status;
    p->pass = weir_pass_parse(p->registry, p->text == NULL ? otherwise : p->text, weir_at("pipeline", 1));
    status = p->pass == NULL ? WEIR_EXIT_USAGE : WEIR_EXIT_FINE;
    for (size_t i = 0; i < p->set.count && status == WEIR_EXIT_FINE; i++)
        status = weir_setting_apply(p->command, p->pass, p->set.item[i]);
    return status;
}

void weir_pipeline_note_skipped(const weir_pass_context *context, const weir_pass *pass) {
    weir_text text = {NULL, 0, 0};
    weir_pass_list_skipped(context, pass, &text);
    if (text.size > 0)
        fprintf(stderr, "note: level %d leaves out passes above it: %s\n", weir_pass_context_level(context), text.data);
    weir_text_free(&text);
}

weir_pass_instrument *weir_pipeline_add(weir_pipeline *p, weir_pass_instrument *instrument) {
    p->instrument[p->instruments++] = instrument;
    weir_pass_context_add_instrument(p->context, instrument);
    return instrument;
}

void weir_pipeline_close(weir_pipeline *p) {
    weir_pass_context_free(p->context);
    for (size_t i = 0; i < p->instruments; i++) weir_pass_instrument_free(p->instrument[i]);
    weir_pass_free(p->pass);
    if (p->registry != NULL) weir_pass_registry_free(p->registry);
    weir_cli_list_free(&p->require);
    weir_cli_list_free(&p->disable);
    weir_cli_list_free(&p->config);
    weir_cli_list_free(&p->set);
    weir_cli_list_free(&p->plugins.files);
}
