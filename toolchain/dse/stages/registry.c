/* The stages by name: the published ones and those of shared objects. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dse/stages/stages.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"

struct weir_dse_registry {
    const weir_dse_stage_info **info;
    size_t count, capacity;
};

static const weir_dse_stage_info published[] = {
#define WEIR_DSE_STAGE(name, help) {#name, help, &weir_dse_stage_##name},
#include "dse/stages/stage.def"
#undef WEIR_DSE_STAGE
};

weir_dse_registry *weir_dse_registry_new(void) {
    weir_dse_registry *registry = weir_calloc(1, sizeof *registry);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) weir_dse_registry_add(registry, &published[i]);
    return registry;
}

void weir_dse_registry_free(weir_dse_registry *registry) {
    if (registry != NULL) free(registry->info);
    free(registry);
}

/* Letters and digits alone, small, without "stage" at the end: SumStage, sum and Sum are one. LOMA is the generator's
 * other name. */
static void plain(const char *name, char *into, size_t size) {
    assert(size > 0);
    size_t length = 0;
    for (; *name != '\0' && length + 1 < size; name++)
        if (isalnum((unsigned char)*name)) into[length++] = (char)tolower((unsigned char)*name);
    if (length > 5 && strncmp(into + length - 5, "stage", 5) == 0) length -= 5;
    into[length] = '\0';
    if (strcmp(into, "loma") == 0) strcpy(into, "temporalmappinggenerator");
}

static const weir_dse_stage_info *find(const weir_dse_registry *registry, const char *name) {
    char wanted[64], known[64];
    plain(name, wanted, sizeof wanted);
    for (size_t i = 0; i < registry->count; i++) {
        plain(registry->info[i]->name, known, sizeof known);
        if (strcmp(wanted, known) == 0) return registry->info[i];
    }
    return NULL;
}

bool weir_dse_registry_add(weir_dse_registry *registry, const weir_dse_stage_info *info) {
    if (find(registry, info->name) != NULL) {
        weir_error(WEIR_NOWHERE, "stage '%s' is already registered", info->name);
        return false;
    }
    registry->info = weir_grow(registry->info, &registry->capacity, registry->count + 1, sizeof *registry->info);
    registry->info[registry->count++] = info;
    return true;
}

bool weir_dse_registry_load(weir_dse_registry *registry, const char *path) {
    void *object = weir_object_open(path);
    const weir_dse_stages_record *record =
        object == NULL
            ? NULL
            : weir_object_record_of(object, path, "weir_dse_stages", "WEIR_DSE_STAGES of dse/stages/stage.h");
    return record != NULL && record->add(registry);
}

const weir_dse_stage_info *weir_dse_registry_find(const weir_dse_registry *registry, const char *name) {
    const weir_dse_stage_info *info = find(registry, name);
    if (info != NULL) return info;
    const char **names = weir_malloc((registry->count + 1) * sizeof *names);
    for (size_t i = 0; i < registry->count; i++) names[i] = registry->info[i]->name;
    const char *near = weir_suggest(name, names, registry->count);
    weir_error(WEIR_NOWHERE, "unknown stage '%.60s'", name);
    if (near != NULL) weir_note("did you mean '%s'?", near);
    free(names);
    return NULL;
}

size_t weir_dse_registry_count(const weir_dse_registry *registry) { return registry->count; }
const weir_dse_stage_info *weir_dse_registry_at(const weir_dse_registry *registry, size_t index) {
    assert(index < registry->count);
    return registry->info[index];
}
