/* What holds of a graph, or of the module, and the results of analyses that were computed of it: a bit an entry of the
 * registry. */
#include "pass/core/private.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

weir_pass_slot *weir_pass_slot_new(const weir_pass_context *context, uint32_t id) {
    weir_pass_slot *slot = weir_calloc(1, sizeof *slot);
    slot->id = id;
    slot->valid = weir_calloc(context->registry->words, sizeof *slot->valid);
    return slot;
}

void weir_pass_slot_free(const weir_pass_context *context, weir_pass_slot *slot) {
    memset(slot->valid, 0, context->registry->words * sizeof *slot->valid);
    weir_pass_drop_results(slot);
    free(slot->result);
    free(slot->valid);
    free(slot);
}

static weir_pass_slot *find_slot(weir_pass_context *context, uint32_t id, size_t likely) {
    if (likely < context->slot_count && context->slot[likely]->id == id) {
        return context->slot[likely];
    }
    for (size_t i = 0; i < context->slot_count; i++) {
        if (context->slot[i]->id == id) {
            return context->slot[i];
        }
    }
    context->slot = weir_grow(context->slot, &context->slot_capacity, context->slot_count + 1, sizeof *context->slot);
    return context->slot[context->slot_count++] = weir_pass_slot_new(context, id);
}

weir_pass_slot *weir_pass_slot_of(weir_pass_context *context, const weir_graph *graph, size_t index) {
    size_t count = weir_module_graph_count(context->module);
    while (index < count && weir_module_graph(context->module, index) != graph) {
        index++;
    }
    if (index >= count) {
        return NULL;
    }
    weir_pass_slot *slot = find_slot(context, weir_module_graph_id(context->module, index), index);
    slot->graph = weir_module_graph(context->module, index);
    return slot;
}

/* valid &= survive | (scope ^ flip), where a NULL scope is the empty set */
void weir_pass_slot_keep(const weir_pass_context *context, weir_pass_slot *slot, const uint64_t *survive,
                         const uint64_t *scope, uint64_t flip) {
    for (size_t i = 0; i < context->registry->words; i++) {
        slot->valid[i] &= survive[i] | (scope ? scope[i] ^ flip : 0);
    }
    if (slot->result_count) {
        weir_pass_drop_results(slot);
    }
}

void weir_pass_drop_results(weir_pass_slot *slot) {
    size_t kept = 0;
    for (size_t i = 0; i < slot->result_count; i++) {
        weir_pass_result *result = &slot->result[i];
        if (!result->data || weir_pass_has(slot->valid, result->entry->id)) {
            slot->result[kept++] = *result;
        } else if (result->entry->analysis->release) {
            result->entry->analysis->release(result->data);
        }
    }
    slot->result_count = kept;
}
