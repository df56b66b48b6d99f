#define _XOPEN_SOURCE 700 /* realpath */
#include "passes/equivalence/files.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/library.h"
#include "rtlir/core/visitor.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

/* Takes the path over. */
static void add_path(weir_rtl_files *files, char *path) {
    for (size_t i = 0; i < files->count; i++) {
        if (strcmp(files->path[i], path) != 0) continue;
        free(path);
        return;
    }
    files->path = weir_grow(files->path, &files->capacity, files->count + 1, sizeof *files->path);
    files->path[files->count++] = path;
}

static char *absolute(const char *data, const char *path) {
    char *below = weir_path_join(data, path), *full = realpath(path, NULL);
    if (full == NULL) full = realpath(below, NULL);
    free(below);
    return full;
}

/* Every file of the library that one of its modules needs. */
static bool add_library(weir_rtl_files *files, const char *data, const char *name) {
    weir_library_files list = {NULL, 0, 0};
    weir_library_add(&list, name);
    const bool fine = weir_library_close(&list, NULL);
    for (size_t i = 0; fine && i < list.count; i++) {
        char *full = absolute(data, list.file[i].path);
        if (full != NULL) add_path(files, full);
    }
    weir_library_free(&list);
    return fine;
}

static bool add_external(const weir_rtl_module_info *info, const char *data, weir_rtl_files *files, weir_text *why) {
    char *full = info->path == NULL ? NULL : absolute(data, info->path);
    if (full == NULL) {
        weir_text_format(why, "external module '%s' has no file", info->name);
        return false;
    }
    char *library = weir_path_join(data, "rtl/");
    char *root = realpath(library, NULL);
    const bool is_library = root != NULL && strncmp(full, root, strlen(root)) == 0;
    free(library);
    free(root);
    add_path(files, full);
    return !is_library || add_library(files, data, info->name);
}

bool weir_rtl_find_files(weir_rtl_design *design, weir_rtl_module top, weir_rtl_files *files, weir_text *why) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_PARENTS_FIRST, &count);
    char *data = NULL;
    bool fine = modules != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        const weir_rtl_module_info info = weir_rtl_get_module(design, modules[i]);
        if (!info.is_external) continue;
        if (data == NULL) data = weir_data_folder();
        fine = data != NULL && add_external(&info, data, files, why);
    }
    free(data);
    free(modules);
    return fine;
}

void weir_rtl_free_files(weir_rtl_files *files) {
    for (size_t i = 0; i < files->count; i++) free(files->path[i]);
    free(files->path);
    *files = (weir_rtl_files){NULL, 0, 0};
}
