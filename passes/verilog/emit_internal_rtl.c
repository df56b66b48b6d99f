/* emit_internal_rtl: copies the components that the design instantiates, and those below them, into FOLDER/rtl, so that
 * the folder is complete. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "passes/verilog/emit.h"
#include "support/arena.h"
#include "support/file.h"

typedef struct name_list {
    char **name;
    size_t count, capacity;
} name_list;

static void add_name(name_list *list, const char *name, size_t size) {
    for (size_t i = 0; i < list->count; i++) {
        if (strlen(list->name[i]) == size && memcmp(list->name[i], name, size) == 0) return;
    }
    list->name = weir_grow(list->name, &list->capacity, list->count + 1, sizeof *list->name);
    list->name[list->count++] = weir_format("%.*s", (int)size, name);
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Names "weir_..." outside comments that are followed by parameters or an instance name: instances. */
static void scan_instances(const char *text, const char *own, name_list *list) {
    for (const char *at = text; *at != '\0';) {
        if (at[0] == '/' && at[1] == '/') {
            while (*at != '\0' && *at != '\n') at++;
        } else if (strncmp(at, "weir_", 5) == 0 && (at == text || !is_name(at[-1]))) {
            const char *end = at;
            while (is_name(*end)) end++;
            const char *next = end;
            while (*next == ' ') next++;
            bool instance = *next == '#' || *next == 'u' || *next == 'g';
            bool check = strstr(at, "_must_") != NULL && strstr(at, "_must_") < end;
            bool itself = strlen(own) == (size_t)(end - at) && strncmp(at, own, (size_t)(end - at)) == 0;
            if (instance && !check && !itself) add_name(list, at, (size_t)(end - at));
            at = end;
        } else {
            at++;
        }
    }
}

static bool copy_component(const char *name, const char *folder, name_list *list) {
    char *from = weir_emit_library_path(name);
    if (from == NULL) return false;
    size_t size;
    char *text = weir_file_read(from, &size), *file = weir_format("%s/%s.v", folder, name);
    bool fine = text != NULL && weir_file_write_changed(file, text, size);
    if (fine) scan_instances(text, name, list);
    free(from);
    free(file);
    free(text);
    return fine;
}

bool weir_pass_emit_internal_rtl(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    weir_rtl_design *design = weir_module_design(module);
    weir_rtl_module top =
        design == NULL ? (weir_rtl_module){0} : weir_rtl_find_module(design, weir_module_string(module, "top", ""));
    if (top.id == 0) {
        weir_error(WEIR_NOWHERE, "%s needs the design that emit_verilog_top makes", weir_pass_name(pass));
        return false;
    }
    name_list list = {NULL, 0, 0};
    for (size_t i = 0; i < weir_rtl_get_module(design, top).instance_count; i++) {
        weir_rtl_instance instance = weir_rtl_instance_at(design, top, i);
        const char *name = weir_rtl_get_module(design, weir_rtl_get_instance(design, instance).module).name;
        add_name(&list, name, strlen(name));
    }
    char *folder = weir_emit_folder(module, "rtl");
    bool fine = folder != NULL;
    for (size_t i = 0; fine && i < list.count; i++) fine = copy_component(list.name[i], folder, &list);
    weir_pass_count(context, "components", (int64_t)list.count);
    for (size_t i = 0; i < list.count; i++) free(list.name[i]);
    free(list.name);
    free(folder);
    return fine;
}
