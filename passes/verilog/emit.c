#include "passes/verilog/emit.h"

#include <ctype.h>
#include <stdlib.h>

#include "rtlir/read.h"
#include "support/arena.h"
#include "support/file.h"

weir_graph *weir_emit_graph(weir_module *module, const weir_pass *pass) {
    weir_graph *graph = weir_module_find_graph(module, "hardware");
    if (graph == NULL)
        weir_error(WEIR_NOWHERE, "%s needs the hardware graph that realize_requantize makes", weir_pass_name(pass));
    return graph;
}

char *weir_emit_library_path(const char *name) {
    static const char *const folders[] = {"rtl/stream",     "rtl/memory", "rtl/linear",
                                          "rtl/activation", "rtl/cast",   "sim/bench"};
    char *data = weir_data_folder();
    if (data == NULL) return NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path = weir_format("%s/%s/%s.v", data, folders[i], name);
        if (weir_file_exists(path)) {
            free(data);
            return path;
        }
        free(path);
    }
    weir_error(weir_at(data, 0), "the component library has no module '%s'", name);
    free(data);
    return NULL;
}

weir_rtl_module weir_emit_library(weir_rtl_design *design, const char *name) {
    weir_rtl_module module = weir_rtl_find_module(design, name);
    if (module.id != 0) return module;
    char *path = weir_emit_library_path(name);
    if (path != NULL) module = weir_rtl_read_module(design, path);
    free(path);
    return module;
}

char *weir_emit_folder(const weir_module *module, const char *sub) {
    char *folder = weir_path_join(weir_module_folder(module), sub);
    if (weir_make_folder(folder)) return folder;
    free(folder);
    return NULL;
}

static char *identifier(const char *text) {
    char *name = weir_format("%s%s", isalpha((unsigned char)*text) || *text == '_' ? "" : "n", text);
    for (char *c = name; *c != '\0'; c++) {
        if (!isalnum((unsigned char)*c)) *c = '_';
    }
    return name;
}

const char *weir_emit_top_name(weir_rtl_design *design, const weir_module *module) {
    char *wanted = identifier(weir_module_string(module, WEIR_EMIT_TOP, weir_module_name(module)));
    const char *name = weir_rtl_free_module_name(design, wanted);
    free(wanted);
    return name;
}

char *weir_emit_prefix(const weir_graph *graph, const char *side, weir_value value, size_t count) {
    if (count == 1) return weir_copy_string(side);
    char *name = identifier(weir_value_name(graph, value));
    char *prefix = weir_format("%s_%s", side, name);
    free(name);
    return prefix;
}
