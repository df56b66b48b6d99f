#include "passes/verilog/emit.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/folding.h"
#include "passes/rtl/rtl.h"
#include "rtlir/reader/read.h"
#include "rtlir/verify/verify.h"
#include "rtlir/verilog/print.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/keyword.h"

weir_folder *weir_emit_open(const weir_pass *pass, weir_module *module) {
    const char *wanted = weir_pass_string(pass, "project_dir");
    if (*wanted != '\0' && weir_module_bool(module, WEIR_EMIT_WHOLE, false)) {
        weir_error(WEIR_NOWHERE, "%s: 'project_dir' is set, but the command has a folder of its own",
                   weir_pass_name(pass));
        weir_note("--output names it");
        return NULL;
    }
    if (*wanted != '\0') weir_module_set_folder(module, wanted);
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
        return "not a Verilog identifier: letters, digits and '_', not a digit first";
    if (weir_is_keyword(name)) return "a reserved word of Verilog or SystemVerilog";
    if (strncmp(name, "weir_", 5) == 0)
        return "reserved for the component library, as are all names that begin with 'weir_'";
    return strcmp(name, "tb") == 0 ? "the name of the bench" : NULL;
}

bool weir_emit_wish(const weir_pass *pass, weir_module *module) {
    const char *wanted = weir_pass_string(pass, "top_name"),
               *refusal = *wanted == '\0' ? NULL : weir_emit_refusal(wanted);
    if (refusal != NULL) {
        weir_error(WEIR_NOWHERE, "%s: top_name '%s' is %s", weir_pass_name(pass), wanted, refusal);
        return false;
    }
    if (*wanted != '\0') weir_module_set_string(module, WEIR_EMIT_TOP, wanted);
    return true;
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

/* The node's first input that is not a constant. */
static weir_value data_of(const weir_graph *graph, weir_node node) {
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value value = weir_node_input(graph, node, i);
        if (value.id != 0 && weir_value_constant(graph, value) == NULL) return value;
    }
    return weir_node_input(graph, node, 0);
}

/* What the streams at the edge are called outside: the model's inputs that they come from, the first outputs that they
 * go to. */
static void name_inputs(const weir_graph *graph, const weir_value *values, size_t count, char **names) {
    for (size_t i = 0; i < count; i++) {
        weir_value value = values[i];
        for (weir_node node; (node = weir_value_producer(graph, value)).id != 0;) value = data_of(graph, node);
        names[i] = identifier(weir_value_name(graph, value));
    }
}

static void name_outputs(const weir_graph *graph, const weir_value *values, size_t count, char **names) {
    const char **outside = weir_calloc(weir_graph_value_limit(graph), sizeof *outside);
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        weir_value from = weir_graph_output(graph, i);
        weir_node node = weir_value_producer(graph, from);
        while (node.id != 0 && weir_stream_role(graph, node) == WEIR_ROLE_HOST) {
            from = data_of(graph, node);
            node = weir_value_producer(graph, from);
        }
        const char **name = &outside[weir_stream_source(graph, from).id];
        if (*name == NULL) *name = weir_graph_output_name(graph, i);
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = outside[values[i].id];
        names[i] = identifier(name != NULL ? name : weir_value_name(graph, values[i]));
    }
    free(outside);
}

typedef struct edge_name {
    const char *name;
    size_t index;
} edge_name;

static int by_name(const void *a, const void *b) {
    const edge_name *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static int compare_name(const void *name, const void *edge) { return strcmp(name, ((const edge_name *)edge)->name); }

/* The first of several streams of one name keeps it, the others are NAME_2, NAME_3, ... as far as no stream has that
 * name of its own. */
static void tell_apart(char **names, size_t count) {
    edge_name *sorted = weir_calloc(count, sizeof *sorted);
    char **own = weir_calloc(count, sizeof *own);
    for (size_t i = 0; i < count; i++) sorted[i] = (edge_name){names[i], i};
    if (count > 1) qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 1, next = 2; i < count; i++) {
        if (strcmp(sorted[i].name, sorted[i - 1].name) != 0) {
            next = 2;
            continue;
        }
        char **to = &own[sorted[i].index];
        do {
            free(*to);
            *to = weir_format("%s_%zu", sorted[i].name, next++);
        } while (bsearch(*to, sorted, count, sizeof *sorted, compare_name) != NULL);
    }
    for (size_t i = 0; i < count; i++) {
        if (own[i] == NULL) continue;
        free(names[i]);
        names[i] = own[i];
    }
    free(own);
    free(sorted);
}

char **weir_emit_prefixes(const weir_graph *graph, const char *side, const weir_value *values, size_t count) {
    char **names = weir_calloc(count, sizeof *names);
    if (count == 1) {
        names[0] = weir_copy_string(side);
        return names;
    }
    if (*side == 's') name_inputs(graph, values, count, names);
    else name_outputs(graph, values, count, names);
    tell_apart(names, count);
    for (size_t i = 0; i < count; i++) {
        char *name = names[i];
        names[i] = weir_format("%s_%s", side, name);
        free(name);
    }
    return names;
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
