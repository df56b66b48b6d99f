/* What comes behind a node in the model: does hardware compute with its results again? */
#include <stdlib.h>

#include "ir/shape/index_map.h"
#include "ir/shape/loop.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

static bool reads(const weir_graph *graph, weir_node node, const bool *reached) {
    bool any = false;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) any |= reached[weir_node_input(graph, node, i).id];
    return any;
}

/* Does hardware compute the node, where an input of it, of those reached, has codes? A product does, where both of its
 * operands have; where values are carried, they have what is reached. */
static bool is_in_hardware(const weir_lowering *l, weir_node node, const bool *reached) {
    const weir_trait *trait = weir_trait_of(weir_node_op(l->from, node));
    if (trait->task == WEIR_TASK_DEQUANTIZER) return false;
    if (trait->task != WEIR_TASK_LAYER || !trait->is_for_host)
        return weir_trait_is_quantizer(weir_node_op(l->from, node)) || !trait->is_for_host;
    for (size_t i = 0; i < 2; i++) {
        if (l->carries && reached[weir_node_input(l->from, node, i).id]) continue;
        weir_node maker = weir_value_producer(l->from, weir_node_input(l->from, node, i));
        while (maker.id != 0 && weir_index_map_exists(weir_node_op(l->from, maker)))
            maker = weir_value_producer(l->from, weir_node_input(l->from, maker, 0));
        if (maker.id == 0) return false;
        const weir_op op = weir_node_op(l->from, maker);
        if (weir_trait_of(op)->task != WEIR_TASK_DEQUANTIZER && !weir_trait_is_quantizer(op)) return false;
    }
    return true;
}

bool weir_lower_leads_to_hardware(const weir_lowering *l, weir_node from) {
    bool *reached = weir_calloc(weir_graph_value_limit(l->from) + 1, sizeof *reached), found = false;
    for (size_t i = 0; i < weir_node_output_count(l->from, from); i++)
        reached[weir_node_output(l->from, from, i).id] = true;
    for (weir_node node = weir_node_next(l->from, from); !found && node.id != 0; node = weir_node_next(l->from, node)) {
        if (!reads(l->from, node, reached)) continue;
        found = is_in_hardware(l, node, reached);
        for (size_t i = 0; i < weir_node_output_count(l->from, node); i++)
            reached[weir_node_output(l->from, node, i).id] = true;
    }
    free(reached);
    return found;
}

bool weir_lower_carries(const weir_lowering *l, weir_node node) {
    return l->carries && (weir_trait_of(weir_node_op(l->from, node))->task == WEIR_TASK_LAYER ||
                          weir_lower_leads_to_hardware(l, node));
}

bool weir_lower_is_small(const weir_graph *model, weir_node layer) {
    double all = 0;
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node))
        all += (double)weir_loop_macs(model, node);
    return 100 * (double)weir_loop_macs(model, layer) <= all;
}
