#include "support/process/object.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* What the dynamic linker says, without the path that stands before it in the diagnostic. */
static void report_linker(const char *path, const char *opened) {
    const char *text = dlerror();
    size_t size = strlen(opened);
    if (text && strncmp(text, opened, size) == 0 && strncmp(text + size, ": ", 2) == 0) {
        text += size + 2;
    }
    weir_error(weir_at(path, 0), "cannot be loaded as a shared object: %s", text ? text : "no reason given");
}

void *weir_object_open(const char *path) {
    if (!weir_file_exists(path)) {
        weir_error(weir_at(path, 0), "no such file");
        return NULL;
    }
    /* A name without a folder would be looked for on the linker's own path. */
    char *opened = strchr(path, '/') ? weir_copy_string(path) : weir_path_join(".", path);
    void *object = dlopen(opened, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!object) report_linker(path, opened);
    free(opened);
    return object;
}

_Static_assert(offsetof(weir_object_record, abi) == 0, "the ABI comes first");

/* Any symbol may have that name, so it is read as bytes, of which those of the ABI come first. */
const void *weir_object_record_of(void *object, const char *path, const char *name, const char *maker) {
    const char *abi = dlsym(object, name);
    if (!abi) {
        weir_error(weir_at(path, 0), "has no symbol '%s', expected that of %s", name, maker);
        return NULL;
    }
    if (memcmp(abi, "weir ", 5) != 0 || !memchr(abi, 0, WEIR_ABI_SIZE)) {
        weir_error(weir_at(path, 0), "its '%s' was not made by %s", name, maker);
        return NULL;
    }
    if (strcmp(abi, WEIR_ABI) != 0) {
        weir_error(weir_at(path, 0), "was compiled for '%s', expected '%s'", abi, WEIR_ABI);
        weir_note("compile it again with the headers of this version");
        return NULL;
    }
    return abi;
}
