/* partition: which nodes of the hardware graph the host computes (dataflow/host.h): marked in their metadata, which
 * later passes and files keep. Refuses what cannot be partitioned: hardware after the host's tail. */
#include "dataflow/component.h"
#include "dataflow/host.h"
#include "dataflow/host_graph.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/text/diag.h"

/* A layer there is no mistake in QONNX, where an input may go without a quantizer, nor behind what only the host
 * computes, but it is worth a word. */
static void warn_layer(const weir_graph *graph, weir_node node) {
    if (weir_trait_of(weir_node_op(graph, node))->task != WEIR_TASK_LAYER) return;
    const weir_value x = weir_node_input(graph, node, 0);
    const weir_node maker = weir_value_producer(graph, x);
    const bool in_tail = maker.id != 0 && weir_host_of(graph, maker) == WEIR_HOST_TAIL;
    weir_warning(weir_node_location(graph, node), "node '%s' (%s) runs on the host: its input '%s' %s",
                 weir_node_name(graph, node), weir_node_info(graph, node)->full_name, weir_value_name(graph, x),
                 in_tail ? "is computed there" : "has no quantizer");
}

static bool has_hardware(const weir_graph *graph) {
    bool any = false;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        any |= weir_host_of(graph, node) == WEIR_HOST_NONE && weir_component_for(weir_node_op(graph, node)) != NULL;
    return any;
}

bool weir_pass_partition(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass;
    weir_graph *hardware = weir_module_find_graph(module, "hardware");
    weir_component_mark_host(hardware);
    if (!weir_host_graph_check(hardware)) return false;
    if (!has_hardware(hardware)) {
        weir_error(weir_at(weir_graph_source(hardware), 0),
                   "no part of the model becomes hardware: the host computes all of it");
        weir_note("hardware computes what is between quantizers: dense layers, sums, requantizations");
        return false;
    }
    for (weir_node node = weir_graph_first(hardware); node.id != 0; node = weir_node_next(hardware, node)) {
        if (!weir_host_computes(hardware, node)) continue;
        weir_pass_count(context,
                        weir_host_of(hardware, node) == WEIR_HOST_HEAD ? "host nodes before" : "host nodes after", 1);
        warn_layer(hardware, node);
    }
    return true;
}
