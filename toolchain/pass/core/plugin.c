/* Shared objects of user passes: found, checked against this program's headers before any code of theirs runs,
 * registered. The registry keeps them loaded, because its records lie in them. */
#include "pass/core/plugin.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pass/core/private.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

/* What the dynamic linker says, without the path that stands before it in the diagnostic. */
static void report_linker(const char *path, const char *opened) {
    const char *text = dlerror();
    size_t size = strlen(opened);
    if (text && strncmp(text, opened, size) == 0 && strncmp(text + size, ": ", 2) == 0) {
        text += size + 2;
    }
    weir_error(weir_at(path, 0), "cannot be loaded as a shared object: %s", text ? text : "no reason given");
}

_Static_assert(offsetof(weir_pass_plugin_record, abi) == 0, "the ABI comes first");

/* Any symbol may have that name, so it is read as bytes, of which those of the ABI come first. */
static bool check_record(const char *path, const void *symbol) {
    const char *abi = symbol;
    if (!symbol) {
        weir_error(weir_at(path, 0), "has no symbol 'weir_pass_plugin', expected a shared object of passes");
        weir_note("WEIR_PASS_PLUGIN(add) of pass/core/plugin.h defines it");
        return false;
    }
    if (memcmp(abi, "weir ", 5) != 0 || !memchr(abi, 0, WEIR_PASS_ABI_SIZE)) {
        weir_error(weir_at(path, 0), "its 'weir_pass_plugin' was not made by WEIR_PASS_PLUGIN of pass/core/plugin.h");
        return false;
    }
    if (strcmp(abi, WEIR_PASS_ABI) != 0) {
        weir_error(weir_at(path, 0), "was compiled for '%s', expected '%s'", abi, WEIR_PASS_ABI);
        weir_note("compile it again with the headers of this version");
        return false;
    }
    return true;
}

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
    if (!weir_file_exists(path)) {
        weir_error(weir_at(path, 0), "no such file");
        return false;
    }
    /* A name without a folder would be looked for on the linker's own path. */
    char *opened = strchr(path, '/') ? weir_copy_string(path) : weir_path_join(".", path);
    void *object = dlopen(opened, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!object) {
        report_linker(path, opened);
        free(opened);
        return false;
    }
    free(opened);
    if (is_loaded(registry, object)) {
        weir_error(weir_at(path, 0), "is loaded twice");
        dlclose(object);
        return false;
    }
    registry->object =
        weir_grow(registry->object, &registry->object_capacity, registry->object_count + 1, sizeof *registry->object);
    registry->object[registry->object_count++] = object;
    const weir_pass_plugin_record *record = dlsym(object, "weir_pass_plugin");
    if (!check_record(path, record)) {
        return false;
    }
    size_t errors = weir_diag_errors();
    registry->folder = absolute_folder(path);
    bool fine = record->add(registry);
    free(registry->folder);
    registry->folder = NULL;
    if (!fine) weir_pass_blame(errors, "the passes of '%s' cannot be registered", path);
    return fine;
}

const char *weir_pass_registry_folder(const weir_pass_registry *registry) { return registry->folder; }
