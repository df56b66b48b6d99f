#include "passes/verilog/emit.h"

#include <ctype.h>
#include <stdlib.h>

#include "passes/verilog/library.h"
#include "rtlir/read.h"
#include "support/arena.h"
#include "support/file.h"

weir_graph *weir_emit_graph(weir_module *module, const weir_pass *pass) {
    weir_graph *graph = weir_module_find_graph(module, "hardware");
    if (graph == NULL)
        weir_error(WEIR_NOWHERE, "%s needs the hardware graph that realize_requantize makes", weir_pass_name(pass));
    return graph;
}

weir_rtl_module weir_emit_library(weir_rtl_design *design, const char *name) {
    weir_rtl_module module = weir_rtl_find_module(design, name);
    if (module.id != 0) return module;
    char *data = weir_data_folder(), *path = data == NULL ? NULL : weir_library_path(data, name);
    char *full = path == NULL ? NULL : weir_path_join(data, path);
    if (full != NULL) module = weir_rtl_read_module(design, full);
    free(full);
    free(path);
    free(data);
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
