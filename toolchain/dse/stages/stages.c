#include "dse/stages/stages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

typedef struct relay {
    weir_dse_sink *sink;
    void *user;
    bool received;
} relay;

static bool pass_on(void *user, const weir_dse_result *result) {
    relay *r = user;
    r->received = true;
    return r->sink(r->user, result);
}

bool weir_dse_stages_run_layer(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                               void *user) {
    relay r = {sink, user, false};
    const weir_dse_layer *layer = weir_dse_get(context, WEIR_DSE_LAYER);
    const weir_dse_accelerator *accelerator = weir_dse_get(context, WEIR_DSE_ACCELERATOR);
    if (!weir_dse_stage_below(stage, context, pass_on, &r)) return false;
    if (!r.received)
        weir_error(layer->location, "layer '%s' has no mapping that fits '%s'", layer->name, accelerator->name);
    return r.received;
}

static void add_name(weir_text *text, const char *name) {
    for (; *name != '\0'; name++)
        weir_text_char(text, isalnum((unsigned char)*name) || *name == '.' || *name == '-' ? *name : '_');
}

char *weir_dse_stages_path(const weir_dse_context *context, const char *pattern) {
    const weir_dse_layer *layer = weir_dse_get(context, WEIR_DSE_LAYER);
    const weir_dse_accelerator *accelerator = weir_dse_get(context, WEIR_DSE_ACCELERATOR);
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "");
    while (*pattern != '\0') {
        if (layer != NULL && strncmp(pattern, "{layer}", 7) == 0) {
            add_name(&text, layer->name);
            pattern += 7;
        } else if (accelerator != NULL && strncmp(pattern, "{accelerator}", 13) == 0) {
            add_name(&text, accelerator->name);
            pattern += 13;
        } else weir_text_char(&text, *pattern++);
    }
    return text.data;
}

const char *weir_dse_stages_need(const weir_dse_stage *stage, int option) {
    const char *text = stage->value[option].text;
    if (text == NULL)
        weir_error(WEIR_NOWHERE, "stage '%s': expected %s{%s=...}", stage->info->name, stage->info->name,
                   stage->info->body->options[option].name);
    return text;
}

bool weir_dse_stages_write_text(const char *path, const weir_text *text) {
    char *folder = weir_path_folder(path);
    const bool fine = weir_make_folder(folder) && weir_file_write(path, text->data, text->size);
    free(folder);
    return fine;
}

bool weir_dse_stages_write_into(const char *folder, const char *name, const weir_text *text) {
    char *path = weir_path_join(folder, name);
    const bool fine = weir_dse_stages_write_text(path, text);
    free(path);
    return fine;
}

bool weir_dse_stages_write(const char *path, json_t *value) {
    char *dumped = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "%s\n", dumped);
    const bool fine = weir_dse_stages_write_text(path, &text);
    json_decref(value);
    free(dumped);
    weir_text_free(&text);
    return fine;
}
