/* Analyses: results kept beside the bit set that says whether they hold. */
#include "pass/core/private.h"

#include <stdlib.h>

#include "ir/graph/graph.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

static weir_pass_result *find_result(const weir_pass_slot *slot, const weir_pass_entry *entry) {
    for (size_t i = 0; i < slot->result_count; i++) {
        if (slot->result[i].entry == entry) {
            return &slot->result[i];
        }
    }
    return NULL;
}

static void *compute(weir_pass_context *context, const weir_pass_analysis *analysis, weir_graph *graph) {
    switch (analysis->kind) {
    case WEIR_PASS_GRAPH: return analysis->compute.graph(context, graph);
    case WEIR_PASS_HARDWARE:
        if (!weir_module_design(context->module)) {
            weir_error(WEIR_NOWHERE, "module '%s' has no hardware design yet", weir_module_name(context->module));
            return NULL;
        }
        return analysis->compute.hardware(context, weir_module_design(context->module));
    case WEIR_PASS_MODULE: return analysis->compute.module(context, context->module);
    case WEIR_PASS_KIND_COUNT: break;
    }
    weir_unreachable("a kind of analyses");
}

static const void *get(weir_pass_context *context, const weir_pass_entry *entry, weir_pass_slot *slot) {
    weir_pass_result *result = find_result(slot, entry);
    if (result && result->data) {
        return result->data;
    }
    if (result) {
        weir_error(WEIR_NOWHERE, "analysis '%s' depends on its own result", entry->name);
        return NULL;
    }
    slot->result = weir_grow(slot->result, &slot->result_capacity, slot->result_count + 1, sizeof *slot->result);
    slot->result[slot->result_count++] = (weir_pass_result){.entry = entry};
    size_t errors = weir_diag_errors();
    void *data = compute(context, entry->analysis, slot->graph);
    result = find_result(slot, entry); /* the array may have moved */
    if (!data) {
        weir_pass_blame(errors, "analysis '%s' failed", entry->name);
        *result = slot->result[--slot->result_count];
        return NULL;
    }
    result->data = data;
    weir_pass_put(slot->valid, entry->id);
    return data;
}

static const weir_pass_entry *find_analysis(const weir_pass_context *context, const char *name) {
    const weir_pass_registry *registry = context->registry;
    const weir_pass_entry *entry = weir_pass_registry_entry(registry, name);
    if (!context->frame) {
        weir_error(WEIR_NOWHERE, "analysis '%s' can only be requested while a pass runs", name);
        return NULL;
    }
    if (entry && entry->what == WEIR_PASS_ENTRY_ANALYSIS) {
        return entry;
    }
    weir_error(WEIR_NOWHERE, "unknown analysis '%s'", name);
    const char **names = weir_calloc(registry->count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < registry->count; i++) {
        if (registry->entry[i]->what == WEIR_PASS_ENTRY_ANALYSIS) {
            names[count++] = registry->entry[i]->name;
        }
    }
    weir_pass_hint(name, names, count);
    free(names);
    return NULL;
}

const void *weir_pass_get_analysis(weir_pass_context *context, const char *name) {
    const weir_pass_entry *entry = find_analysis(context, name);
    if (!entry) {
        return NULL;
    }
    const weir_pass_frame *frame = context->frame;
    if (entry->kind != WEIR_PASS_GRAPH) {
        return get(context, entry, context->root);
    }
    if (!frame->site.graph) {
        weir_error(WEIR_NOWHERE, "analysis '%s' is about a graph, and pass '%s' does not say which", name,
                   frame->site.pass->name);
        return NULL;
    }
    return get(context, entry, frame->slot);
}

const void *weir_pass_get_graph_analysis(weir_pass_context *context, const char *name, const weir_graph *graph) {
    const weir_pass_entry *entry = find_analysis(context, name);
    if (!entry) {
        return NULL;
    }
    for (size_t i = 0; entry->kind == WEIR_PASS_GRAPH && i < weir_module_graph_count(context->module); i++) {
        if (weir_module_graph(context->module, i) == graph) {
            return get(context, entry, weir_pass_slot_of(context, graph, i));
        }
    }
    weir_error(WEIR_NOWHERE, "analysis '%s' cannot be made of graph '%s': %s", name, weir_graph_name(graph),
               entry->kind == WEIR_PASS_GRAPH ? "the module does not hold it" : "it is not about graphs");
    return NULL;
}
