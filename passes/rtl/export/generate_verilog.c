/* generate_verilog: the text of every module below the top, children first. Files whose content is already right are
 * left alone. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/forms.h"
#include "passes/rtl/rtl.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"

bool weir_print_hardware(weir_rtl_design *design, weir_rtl_module top, const weir_rtl_print_options *options,
                         weir_text *text) {
    size_t count = 0;
    const size_t errors = weir_rtl_errors(design);
    if (!weir_rtl_check_names(design, top)) return false;
    weir_rtl_print_options own = *options;
    weir_rtl_package *package = weir_rtl_package_new(design, top);
    own.package = package;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0, printed = 0; modules != NULL && i < count; i++) {
        if (weir_rtl_get_module(design, modules[i]).is_external) continue;
        if (printed++ > 0) weir_text_char(text, '\n');
        weir_rtl_print_module(design, modules[i], &own, text);
    }
    weir_rtl_package_free(package);
    free(modules);
    return modules != NULL && weir_rtl_errors(design) == errors;
}

weir_rtl_print_options weir_verilog_options(const weir_pass *pass) {
    return (weir_rtl_print_options){.dialect = (weir_rtl_dialect)weir_pass_choice(pass, "dialect"),
                                    .columns = (int)weir_pass_int(pass, "line_wrap"),
                                    .plain_case = !weir_pass_bool(pass, "unique_case"),
                                    .source = weir_pass_bool(pass, "yosys_src")};
}

static bool write_file(weir_rtl_design *design, weir_rtl_module top, const weir_rtl_print_options *options,
                       const char *path) {
    weir_text text = {NULL, 0, 0};
    char *folder = weir_path_folder(path);
    bool fine = weir_print_hardware(design, top, options, &text) && weir_make_folder(folder) &&
                weir_hardware_may_write(design, top, path) && weir_file_write_changed(path, text.data, text.size);
    free(folder);
    weir_text_free(&text);
    return fine;
}

/* ---- a folder of modules ---- */

/* Which design a file of the folder is of: lines `FILE TOP`, a file of several designs having several. */
static const char list_name[] = ".weir_designs";

typedef struct folder {
    const char *path, *to, *top; /* `to`: where files are written that shall come into `path` */
    char *list;                  /* what is there, or "" */
    weir_text added;
} folder;

/* The top of a design that has the file: of this one, or of another; NULL: there is none. Heap memory. */
static char *find_owner(const folder *f, const char *file, bool own) {
    const size_t size = strlen(file);
    for (const char *line = f->list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *top = line + size + 1;
        if (strncmp(line, file, size) != 0 || line[size] != ' ') continue;
        char *name = weir_format("%.*s", (int)strcspn(top, "\n"), top);
        if ((strcmp(name, f->top) == 0) == own) return name;
        free(name);
    }
    return NULL;
}

static bool is_content(const char *path, const weir_text *text) {
    size_t size = 0;
    char *content = weir_file_exists(path) ? weir_file_read(path, &size) : NULL;
    const bool same = content != NULL && size == text->size && memcmp(content, text->data, size) == 0;
    free(content);
    return same;
}

/* Another design's module is not replaced by one that differs. */
static bool may_replace(folder *f, const char *file, const weir_text *text) {
    char *path = weir_path_join(f->path, file), *owner = find_owner(f, file, false), *own = find_owner(f, file, true);
    const bool fine = owner == NULL || !weir_file_exists(path) || is_content(path, text);
    if (!fine) {
        weir_error(weir_at(path, 0), "this file holds a module of the design '%s', and the one of '%s' differs", owner,
                   f->top);
        weir_note("write each design into a folder of its own, or rename their modules with "
                  "uniquify_generators{tracked=FILE}");
    }
    if (own == NULL) weir_text_format(&f->added, "%s %s\n", file, f->top);
    free(own);
    free(owner);
    free(path);
    return fine;
}

static bool write_list(const folder *f) {
    weir_text text = {NULL, 0, 0};
    char *path = weir_path_join(f->to, list_name);
    weir_text_add(&text, f->list);
    weir_text_add(&text, f->added.size > 0 ? f->added.data : "");
    const bool fine = f->added.size == 0 || weir_file_write(path, text.data, text.size);
    free(path);
    weir_text_free(&text);
    return fine;
}

/* The files, their texts; nothing is written unless all can be. */
static bool write_modules(weir_rtl_design *design, const weir_rtl_print_options *options, const weir_rtl_module *module,
                          size_t count, folder *f) {
    const size_t errors = weir_rtl_errors(design);
    weir_text *text = weir_calloc(count + 1, sizeof *text);
    char **file = weir_calloc(count + 1, sizeof *file), *list = weir_path_join(f->path, list_name);
    size_t size = 0;
    bool fine = true;
    f->list = weir_file_exists(list) ? weir_file_read(list, &size) : weir_copy_string("");
    for (size_t i = 0; i < count && f->list != NULL; i++) {
        weir_rtl_print_module(design, module[i], options, &text[i]);
        file[i] = weir_format("%s.%s", weir_rtl_get_module(design, module[i]).name,
                              options->dialect == WEIR_RTL_SYSTEMVERILOG ? "sv" : "v");
        fine = may_replace(f, file[i], &text[i]) && fine;
    }
    fine = fine && f->list != NULL && weir_rtl_errors(design) == errors && write_list(f);
    for (size_t i = 0; i < count; i++) {
        char *path = fine ? weir_path_join(f->to, file[i]) : NULL;
        fine = fine && weir_file_write(path, text[i].data, text[i].size);
        free(path);
        free(file[i]);
        weir_text_free(&text[i]);
    }
    weir_text_free(&f->added);
    free(f->list);
    free(list);
    free(file);
    free(text);
    return fine;
}

static bool write_folder(weir_pass_context *context, weir_rtl_design *design, const weir_rtl_print_options *options,
                         const char *path) {
    const weir_rtl_module top = weir_hardware_top(context);
    folder f = {.path = path, .top = weir_rtl_get_module(design, top).name};
    weir_rtl_print_options own = *options;
    weir_rtl_package *package = weir_rtl_package_new(design, top);
    own.package = package;
    size_t count = 0;
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    bool fine = modules != NULL && weir_rtl_check_file_names(design, top);
    weir_folder *output = fine ? weir_folder_open(path, WEIR_FOLDER_SHARED) : NULL;
    f.to = output == NULL ? NULL : weir_folder_staging(output);
    fine = output != NULL && write_modules(design, &own, modules, count, &f);
    if (fine) fine = weir_folder_commit(output);
    else weir_folder_abandon(output);
    weir_rtl_package_free(package);
    free(modules);
    return fine;
}

bool weir_pass_generate_verilog(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    const weir_rtl_print_options options = weir_verilog_options(pass);
    const bool is_one = weir_pass_is_set(pass, "file");
    char *path = weir_path_join(weir_module_folder(weir_pass_module_of(context)),
                                weir_pass_string(pass, is_one ? "file" : "folder"));
    weir_pass_unchanged(context);
    const bool fine = is_one ? write_file(design, weir_hardware_top(context), &options, path)
                             : write_folder(context, design, &options, path);
    free(path);
    return fine;
}
