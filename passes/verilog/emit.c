#include "passes/verilog/emit.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/rtl.h"
#include "passes/verilog/library.h"
#include "rtlir/print.h"
#include "rtlir/read.h"
#include "rtlir/verify.h"
#include "support/arena.h"
#include "support/file.h"
#include "support/keyword.h"

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

weir_folder *weir_emit_open(const weir_module *module) {
    return weir_folder_open(weir_module_folder(module), WEIR_FOLDER_SHARED);
}

bool weir_emit_close(weir_folder *output, bool fine) {
    if (fine) return weir_folder_commit(output);
    weir_folder_abandon(output);
    return false;
}

char *weir_emit_folder(const weir_folder *output, const char *sub) {
    char *folder = weir_path_join(weir_folder_staging(output), sub);
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

const char *weir_emit_refusal(const char *name) {
    if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(name) ||
        *name == '\0' || isdigit((unsigned char)*name))
        return "no Verilog identifier: letters, digits and '_', not a digit first";
    if (weir_is_keyword(name)) return "a reserved word of Verilog or SystemVerilog";
    if (strncmp(name, "weir_", 5) == 0) return "kept for the component library, as all names with 'weir_'";
    return strcmp(name, "tb") == 0 ? "the name of the bench" : NULL;
}

const char *weir_emit_top_name(weir_rtl_design *design, const weir_module *module) {
    char *wanted = identifier(weir_module_string(module, WEIR_EMIT_TOP, weir_module_name(module)));
    if (weir_emit_refusal(wanted) != NULL) {
        char *other = weir_format("net_%s", wanted);
        free(wanted);
        wanted = other;
    }
    const char *name = weir_rtl_free_module_name(design, wanted);
    free(wanted);
    return name;
}

/* What a stream at the edge is called outside: the model's input that it comes from, the output that it goes to. */
static const char *outside_name(const weir_graph *graph, bool into, weir_value value) {
    for (size_t i = 0; !into && i < weir_graph_output_count(graph); i++) {
        weir_value from = weir_graph_output(graph, i);
        weir_node node = weir_value_producer(graph, from);
        while (node.id != 0 && weir_hardware_role(graph, node) == WEIR_ROLE_HOST) {
            from = weir_node_input(graph, node, 0);
            node = weir_value_producer(graph, from);
        }
        if (weir_hardware_source(graph, from).id == value.id) return weir_graph_output_name(graph, i);
    }
    for (weir_node node; into && (node = weir_value_producer(graph, value)).id != 0;)
        value = weir_node_input(graph, node, 0);
    return weir_value_name(graph, value);
}

char *weir_emit_prefix(const weir_graph *graph, const char *side, weir_value value, size_t count) {
    if (count == 1) return weir_copy_string(side);
    const bool into = *side == 's';
    weir_value *values = into ? weir_hardware_inputs(graph, &count) : weir_hardware_outputs(graph, &count);
    char **names = weir_calloc(count, sizeof *names), *prefix = NULL;
    for (size_t i = 0, next = 2; i < count && prefix == NULL; i++, next = 2) {
        char *base = identifier(outside_name(graph, into, values[i]));
        names[i] = weir_copy_string(base);
        for (size_t other = 0; other < i; other++) {
            if (strcmp(names[other], names[i]) != 0) continue;
            free(names[i]);
            names[i] = weir_format("%s_%zu", base, next++);
            other = SIZE_MAX; /* from the start */
        }
        free(base);
        if (values[i].id == value.id) prefix = weir_format("%s_%s", side, names[i]);
    }
    for (size_t i = 0; i < count; i++) free(names[i]);
    free(names);
    free(values);
    return prefix;
}

static weir_pass *way_out(const weir_pass_context *context) {
    return weir_pass_parse(weir_pass_context_registry(context), "verilog", weir_at("emission", 1));
}

static bool write_top(const weir_module *module, const char *folder) {
    weir_rtl_design *design = weir_module_design(module);
    const weir_rtl_module top = weir_hardware_top_of(module);
    return weir_rtl_verify(design, top) && weir_rtl_write_module(design, top, NULL, folder);
}

bool weir_emit_module(weir_pass_context *context, weir_module *module, const char *folder) {
    weir_pass *pass = way_out(context);
    const bool fine = pass != NULL && weir_pass_run_here(context, pass) && write_top(module, folder);
    weir_pass_free(pass);
    return fine;
}

bool weir_emit_design(const weir_pass_context *context, weir_rtl_design *design, weir_rtl_module top,
                      const char *folder) {
    const char *name = weir_rtl_get_module(design, top).name;
    weir_pass *pass = way_out(context);
    weir_pass_context *nested = weir_pass_context_nest(context);
    weir_module *module = weir_module_new(name);
    weir_module_set_rtl(module, design, name);
    const bool fine = pass != NULL && weir_pass_run(nested, pass, module) && write_top(module, folder);
    weir_module_free(module);
    weir_pass_context_free(nested);
    weir_pass_free(pass);
    return fine;
}
