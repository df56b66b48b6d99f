/* hook_inspection: what watches or changes a run, apart from the nodes. Instruments are hooks around passes, masks
 * hooks at arguments: the record has "instrument_<id>" for each instrument of the context, and "<node>_<id>" for each
 * masked argument of a node, numbered from 0. */
#include <stdlib.h>

#include "ir/trait/mase.h"
#include "pass/run/instrument.h"
#include "passes/mase/metadata/sparsity.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

static void add(json_t *record, const char *target, int64_t id, json_t *hook) {
    char *key = weir_format("%s_%lld", target, (long long)id);
    json_object_set_new(hook, "id", json_integer(id));
    json_object_set_new(record, key, hook);
    free(key);
}

static void inspect_node(const weir_graph *graph, weir_node node, json_t *record) {
    char name[WEIR_MASE_NAME_SIZE];
    int64_t id = 0;
    if (weir_mase_carries(weir_node_op(graph, node))) return; /* the hook sits on the node that it leads to */
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        if (weir_mase_input(graph, node, i, name) == WEIR_MASE_NOTHING) continue;
        weir_node mask = weir_sparsity_mask(graph, weir_node_input(graph, node, i));
        if (mask.id == 0) continue;
        bool constant = weir_mase_constant(graph, weir_node_input(graph, mask, 1)) != NULL;
        add(record, weir_node_name(graph, node), id++,
            json_pack("{s:s, s:s, s:s, s:s}", "hook", "mask", "name", weir_node_name(graph, mask), "argument", name,
                      "mask", constant ? "constant" : "computed"));
    }
}

bool weir_pass_hook_inspection(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    json_t *record = weir_pass_record(context);
    for (size_t i = 0; i < weir_pass_context_instrument_count(context); i++)
        add(record, "instrument", (int64_t)i,
            json_pack("{s:s, s:s}", "hook", "instrument", "name", weir_pass_context_instrument(context, i)->name));
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        inspect_node(graph, node, record);
    weir_pass_unchanged(context);
    return true;
}
