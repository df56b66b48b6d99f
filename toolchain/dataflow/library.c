#include "dataflow/library.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "ir/graph/operator.h"
#include "rtlir/reader/read.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static void add_file(weir_library_files *files, const char *name, size_t size) {
    for (size_t i = 0; i < files->count; i++) {
        if (strlen(files->file[i].name) == size && memcmp(files->file[i].name, name, size) == 0) return;
    }
    files->file = weir_grow(files->file, &files->capacity, files->count + 1, sizeof *files->file);
    files->file[files->count++] = (weir_library_file){.name = weir_format("%.*s", (int)size, name)};
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

/* The file in the folder of registered component `i`; NULL: not there. */
static char *find_beside(size_t i, const char *file) {
    assert(i < weir_operator_component_count());
    const char *folder;
    weir_operator_component(i, &folder);
    char *path = weir_path_join(folder, file);
    if (weir_file_exists(path)) return path;
    free(path);
    return NULL;
}

/* "ROOT/FILE" if that is below the data folder; NULL: not there. */
static char *find_in(const char *data, const char *root, const char *file) {
    char *path = weir_path_join(root, file), *full = weir_path_join(data, path);
    const bool found = weir_file_exists(full);
    free(full);
    if (found) return path;
    free(path);
    return NULL;
}

/* The modules that there were when this was built, in alphabetical order of their paths. */
static const char *const known[] = {
#include "library_files.inc"
};

/* The path of a known module's file as long as it is there; NULL: to be searched for. */
static char *find_known(const char *data, const char *file) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(weir_path_name(known[i]), file) == 0) return find_in(data, "", known[i]);
    }
    return NULL;
}

/* The file in a folder of rtl/, in sim/bench, or in one of the boards', below the data folder; NULL: not there. */
static char *find_ours(const char *data, const char *file) {
    char *found = find_known(data, file);
    if (found != NULL) return found;
    char *root = weir_path_join(data, "rtl"), *path = NULL;
    DIR *folders = opendir(root);
    for (const struct dirent *entry; path == NULL && folders != NULL && (entry = readdir(folders)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        char *folder = weir_path_join("rtl", entry->d_name);
        path = find_in(data, folder, file);
        free(folder);
    }
    if (folders != NULL) closedir(folders);
    free(root);
    static const char *const others[] = {"sim/bench", "boards/common", "boards/common/pll"};
    for (size_t i = 0; path == NULL && i < sizeof others / sizeof *others; i++) path = find_in(data, others[i], file);
    return path;
}

/* A design has one module of a name: two files of it must be the same. False after a reported error. */
static bool check_same(const char *name, const char *full, const char *other) {
    size_t size, other_size;
    char *text = weir_file_read(full, &size), *other_text = weir_file_read(other, &other_size);
    const bool read = text != NULL && other_text != NULL;
    const bool fine = read && size == other_size && memcmp(text, other_text, size) == 0;
    free(text);
    free(other_text);
    if (read && !fine) {
        weir_error(weir_at(other, 0), "module '%s' is another one in '%s', expected a name of its own", name, full);
        weir_note("a design may use modules of the library and of all loaded components: rename one, and its file");
    }
    return fine;
}

static void report_missing(const char *data, const char *name, const char *file) {
    for (size_t i = 0; i < weir_operator_component_count(); i++) {
        const char *folder;
        const weir_component *component = weir_operator_component(i, &folder);
        if (strcmp(component->module, name) != 0) continue;
        char *path = weir_path_join(folder, file);
        weir_error(weir_at(path, 0), "no such file, expected the Verilog of component '%s'", component->name);
        weir_note("put it beside the shared object that registers the component");
        free(path);
        return;
    }
    weir_error(weir_at(data, 0), "the component library has no module '%s'", name);
}

/* Where find_ours says, or the whole path of a file beside a registered component;
 * heap memory, NULL after a reported error. */
static char *find_file(const char *data, const char *name) {
    char *file = weir_format("%s.v", name), *path = find_ours(data, file);
    bool fine = true;
    for (size_t i = 0; fine && i < weir_operator_component_count(); i++) {
        char *beside = find_beside(i, file);
        char *first = path == NULL || beside == NULL ? NULL : weir_path_join(data, path);
        if (path == NULL) {
            path = beside;
            continue;
        }
        if (first != NULL && strcmp(first, beside) != 0) fine = check_same(name, first, beside);
        free(first);
        free(beside);
    }
    if (path == NULL) report_missing(data, name, file);
    free(file);
    if (fine) return path;
    free(path);
    return NULL;
}

/* Where the module's file is; heap memory, NULL after a reported error. `data`: the data folder, or NULL. */
static char *full_path(const char *data, const char *name) {
    char *path = data == NULL ? NULL : find_file(data, name);
    char *full = path == NULL ? NULL : weir_path_join(data, path);
    free(path);
    return full;
}

/* The data folder, searched for once in a design; NULL after a reported error. */
static const char *data_of(weir_rtl_design *design) {
    char *data = weir_rtl_library(design) == NULL ? weir_data_folder() : NULL;
    if (data != NULL) weir_rtl_set_library(design, data);
    free(data);
    return weir_rtl_library(design);
}

char *weir_library_text(const char *name) {
    size_t size;
    char *data = weir_data_folder(), *full = full_path(data, name);
    char *text = full == NULL ? NULL : weir_file_read(full, &size);
    free(full);
    free(data);
    return text;
}

weir_rtl_module weir_library_module(weir_rtl_design *design, const char *name) {
    weir_rtl_module module = weir_rtl_find_module(design, name);
    if (module.id != 0) return module;
    char *full = full_path(data_of(design), name);
    if (full != NULL) module = weir_rtl_read_module(design, full);
    const char *found = module.id == 0 ? name : weir_rtl_get_module(design, module).name;
    if (strcmp(found, name) != 0) {
        weir_error(weir_at(full, 0), "expected module '%s', as the file is called, found '%s'", name, found);
        module.id = 0;
    }
    free(full);
    return module;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool is_ours(const char *name, size_t size) { return size > 5 && strncmp(name, "weir_", 5) == 0; }

/* Is it the name of a library module, or of a file beside a registered component? */
static bool is_module(const char *name, size_t size) {
    if (is_ours(name, size)) return true;
    if (weir_operator_component_count() == 0) return false;
    char *file = weir_format("%.*s.v", (int)size, name);
    bool found = false;
    for (size_t i = 0; !found && i < weir_operator_component_count(); i++) {
        char *path = find_beside(i, file);
        found = path != NULL;
        free(path);
    }
    free(file);
    return found;
}

bool weir_library_read_inside(weir_rtl_design *design) {
    bool fine = true;
    for (weir_rtl_module module = weir_rtl_first_module(design); module.id; /* modules that are read come last */
         module = weir_rtl_next_module(design, module)) {
        const size_t count = weir_rtl_get_module(design, module).inner_count;
        for (size_t i = 0; i < count; i++) {
            const char *inner = weir_rtl_inner_at(design, module, i);
            if (is_module(inner, strlen(inner)))
                fine &= weir_library_module(design, inner).id != 0; /* else a device's cell */
        }
    }
    return fine;
}

/* Behind blanks and comments. */
static const char *skip_blank(const char *at) {
    for (;;) {
        const char *end;
        if (is_space(*at)) at++;
        else if (at[0] == '/' && at[1] == '/') at += strcspn(at, "\n");
        else if (at[0] == '/' && at[1] == '*' && (end = strstr(at + 2, "*/")) != NULL) at = end + 2;
        else return at;
    }
}

/* Behind the string that begins here. */
static const char *skip_string(const char *at) {
    for (at++; *at != '\0' && *at != '"'; at++) at += at[0] == '\\' && at[1] != '\0';
    return *at == '"' ? at + 1 : at;
}

/* Of a module that is not there: what must hold of parameters. */
static bool is_check(const char *name, size_t size) {
    static const char must[] = "_must_";
    const size_t length = sizeof must - 1;
    for (size_t i = 0; i + length <= size; i++)
        if (strncmp(name + i, must, length) == 0) return true;
    return false;
}

/* Is what comes behind the name of a module parameters or the name of an instance? */
static bool is_instance(const char *text) {
    const char *next = skip_blank(text);
    return *next == '#' || *next == '\\' || (is_name(*next) && !is_digit(*next));
}

/* Names of modules that are followed by parameters or the name of an instance. */
static void scan_instances(const char *text, const char *own, weir_library_files *files) {
    const bool all_are_ours = weir_operator_component_count() == 0;
    const size_t own_size = strlen(own);
    for (const char *at = skip_blank(text); *at != '\0'; at = skip_blank(at)) {
        if (*at == '"') {
            at = skip_string(at);
        } else if (is_name(*at)) {
            const char *end = at;
            while (is_name(*end)) end++;
            const size_t size = (size_t)(end - at);
            const bool itself = own_size == size && strncmp(at, own, size) == 0;
            if ((is_ours(at, size) || !all_are_ours) && !itself && is_instance(end) && is_module(at, size) &&
                !is_check(at, size))
                add_file(files, at, size);
            at = end;
        } else {
            at++;
        }
    }
}

/* What the design read of the file. */
static bool take_read(weir_rtl_design *design, weir_library_file *file) {
    const weir_rtl_module module = weir_rtl_find_module(design, file->name);
    if (module.id == 0) return false;
    const weir_rtl_module_info info = weir_rtl_get_module(design, module);
    if (info.text == NULL) return false;
    file->path = weir_copy_string(info.path);
    file->text = info.text;
    file->size = info.text_size;
    return true;
}

/* Reads the file; false after a reported error. */
static bool close_file(const char *data, weir_library_files *files, size_t index) {
    assert(index < files->count);
    weir_library_file *file = &files->file[index];
    if (data != NULL && file->path == NULL) file->path = find_file(data, file->name);
    char *full = file->path == NULL ? NULL : weir_path_join(data, file->path);
    size_t size;
    char *text = full == NULL ? NULL : weir_file_read(full, &size);
    if (text != NULL) scan_instances(text, file->name, files);
    const bool fine = text != NULL;
    free(text);
    free(full);
    return fine;
}

bool weir_library_close(weir_library_files *files, weir_rtl_design *design) {
    char *own = NULL;
    bool fine = true;
    for (size_t i = 0; fine && i < files->count; i++) {
        if (design != NULL && take_read(design, &files->file[i])) {
            scan_instances(files->file[i].text, files->file[i].name, files);
            continue;
        }
        if (design == NULL && own == NULL) own = weir_data_folder();
        fine = close_file(design == NULL ? own : data_of(design), files, i);
    }
    free(own);
    return fine;
}
