/* Shared objects of user passes: found, checked against this program's headers before any code of theirs runs,
 * registered. The registry keeps them loaded, because its records lie in them. */
#include "pass/core/plugin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pass/core/private.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/object.h"

static bool is_loaded(const weir_pass_registry *registry, const void *object) {
    for (size_t i = 0; i < registry->object_count; i++) {
        if (registry->object[i] == object) {
            return true;
        }
    }
    return false;
}

/* Of the object: who asks for it may go elsewhere. */
static char *absolute_folder(const char *path) {
    char here[4096], *folder = weir_path_folder(path);
    if (*folder == '/' || getcwd(here, sizeof here) == NULL) return folder;
    char *absolute = strcmp(folder, ".") == 0 ? weir_copy_string(here) : weir_path_join(here, folder);
    free(folder);
    return absolute;
}

bool weir_pass_registry_load(weir_pass_registry *registry, const char *path) {
    void *object = weir_object_open(path);
    if (object == NULL) return false;
    if (is_loaded(registry, object)) {
        weir_error(weir_at(path, 0), "is loaded twice");
        dlclose(object);
        return false;
    }
    registry->object =
        weir_grow(registry->object, &registry->object_capacity, registry->object_count + 1, sizeof *registry->object);
    registry->object[registry->object_count++] = object;
    const weir_pass_plugin_record *record =
        weir_object_record_of(object, path, "weir_pass_plugin", "WEIR_PASS_PLUGIN of pass/core/plugin.h");
    if (record == NULL) return false;
    size_t errors = weir_diag_errors();
    registry->folder = absolute_folder(path);
    bool fine = record->add(registry);
    free(registry->folder);
    registry->folder = NULL;
    if (!fine) weir_pass_blame(errors, "the passes of '%s' cannot be registered", path);
    return fine;
}

const char *weir_pass_registry_folder(const weir_pass_registry *registry) { return registry->folder; }
