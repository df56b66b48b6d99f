#include "dataflow/library.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ir/operator.h"
#include "rtlir/reader/read.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/file.h"
#include "support/tree.h"

static void add_file(weir_library_files *files, const char *name, size_t size) {
    for (size_t i = 0; i < files->count; i++) {
        if (strlen(files->file[i].name) == size && memcmp(files->file[i].name, name, size) == 0) return;
    }
    files->file = weir_grow(files->file, &files->capacity, files->count + 1, sizeof *files->file);
    files->file[files->count++] = (weir_library_file){weir_format("%.*s", (int)size, name), NULL};
}

void weir_library_add(weir_library_files *files, const char *name) { add_file(files, name, strlen(name)); }

void weir_library_free(weir_library_files *files) {
    for (size_t i = 0; i < files->count; i++) {
        free(files->file[i].name);
        free(files->file[i].path);
    }
    free(files->file);
    *files = (weir_library_files){NULL, 0, 0};
}

typedef struct search {
    const char *file;
    char *path; /* below the folder that is searched, once it is found */
} search;

static bool match(void *user, const char *path) {
    search *s = user;
    if (strcmp(weir_path_name(path), s->file) != 0) return true;
    s->path = weir_copy_string(path);
    return false;
}

/* The file in the folder of a registered component; NULL: in none. */
static char *find_own(const char *file) {
    for (size_t i = 0; i < weir_operator_component_count(); i++) {
        const char *folder;
        weir_operator_component(i, &folder);
        char *path = weir_path_join(folder, file);
        if (weir_file_exists(path)) return path;
        free(path);
    }
    return NULL;
}

/* "rtl/FOLDER/NAME.v" or "sim/bench/NAME.v" below the data folder, or the whole path of a file beside a registered component;
 * heap memory, NULL after a reported error. */
static char *find_file(const char *data, const char *name) {
    static const char *const roots[] = {"rtl", "sim/bench"};
    char *file = weir_format("%s.v", name), *path = NULL;
    for (size_t i = 0; path == NULL && i < sizeof roots / sizeof *roots; i++) {
        char *root = weir_path_join(data, roots[i]);
        search s = {file, NULL};
        weir_tree_walk(root, match, &s);
        if (s.path != NULL) path = weir_path_join(roots[i], s.path);
        free(s.path);
        free(root);
    }
    if (path == NULL) path = find_own(file);
    free(file);
    if (path == NULL) weir_error(weir_at(data, 0), "the component library has no module '%s'", name);
    return path;
}

/* Where the module's file is; heap memory, NULL after a reported error. */
static char *full_path(const char *name) {
    char *data = weir_data_folder(), *path = data == NULL ? NULL : find_file(data, name);
    char *full = path == NULL ? NULL : weir_path_join(data, path);
    free(path);
    free(data);
    return full;
}

char *weir_library_text(const char *name) {
    size_t size;
    char *full = full_path(name), *text = full == NULL ? NULL : weir_file_read(full, &size);
    free(full);
    return text;
}

weir_rtl_module weir_library_module(weir_rtl_design *design, const char *name) {
    weir_rtl_module module = weir_rtl_find_module(design, name);
    if (module.id != 0) return module;
    char *full = full_path(name);
    if (full != NULL) module = weir_rtl_read_module(design, full);
    free(full);
    return module;
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Is it the name of a library module, or of a file beside a registered component? */
static bool is_module(const char *name, size_t size) {
    if (size > 5 && strncmp(name, "weir_", 5) == 0) return true;
    if (weir_operator_component_count() == 0) return false;
    char *file = weir_format("%.*s.v", (int)size, name), *path = find_own(file);
    const bool found = path != NULL;
    free(path);
    free(file);
    return found;
}

/* Names of modules outside comments that are followed by parameters or an instance name: instances. */
static void scan_instances(const char *text, const char *own, weir_library_files *files) {
    for (const char *at = text; *at != '\0';) {
        if (at[0] == '/' && at[1] == '/') {
            while (*at != '\0' && *at != '\n') at++;
        } else if (is_name(*at)) {
            const char *end = at;
            while (is_name(*end)) end++;
            const char *next = end;
            while (*next == ' ') next++;
            bool instance = *next == '#' || *next == 'u' || *next == 'g';
            bool check = strstr(at, "_must_") != NULL && strstr(at, "_must_") < end;
            bool itself = strlen(own) == (size_t)(end - at) && strncmp(at, own, (size_t)(end - at)) == 0;
            if (instance && !check && !itself && is_module(at, (size_t)(end - at)))
                add_file(files, at, (size_t)(end - at));
            at = end;
        } else {
            at++;
        }
    }
}

bool weir_library_close(weir_library_files *files) {
    char *data = weir_data_folder();
    bool fine = data != NULL;
    for (size_t i = 0; fine && i < files->count; i++) {
        weir_library_file *file = &files->file[i];
        if (file->path == NULL) file->path = find_file(data, file->name);
        char *full = file->path == NULL ? NULL : weir_path_join(data, file->path);
        size_t size;
        char *text = full == NULL ? NULL : weir_file_read(full, &size);
        fine = text != NULL;
        if (fine) scan_instances(text, file->name, files);
        free(text);
        free(full);
    }
    free(data);
    return fine;
}
