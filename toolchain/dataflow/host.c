#include "dataflow/host.h"

weir_host weir_host_of(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node);
    if (op == WEIR_OP_ENCODE) return WEIR_HOST_HEAD;
    return op == WEIR_OP_DECODE ? WEIR_HOST_TAIL : weir_node_metadata_of(graph, node)->hardware.host;
}

bool weir_host_computes(const weir_graph *graph, weir_node node) {
    return weir_host_of(graph, node) != WEIR_HOST_NONE && weir_node_info(graph, node)->class != WEIR_CLASS_HOST;
}
