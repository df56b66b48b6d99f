/* Metadata of the nodes of a graph as YAML: node: {common: {...}, software: {...}, hardware: {...}}, with MASE's
 * keys. */
#ifndef WEIR_PASSES_NODE_META_PARAM_H
#define WEIR_PASSES_NODE_META_PARAM_H

#include "ir/graph/graph.h"

/* Of the file, where no name is given. */
#define WEIR_NODE_META_PARAM_ENDING ".meta.yaml"

/* All metadata of each node, what is stored and what follows. False after a reported error. */
bool weir_node_meta_param_save(const weir_graph *graph, const char *path);
/* Replaces the stored metadata of the file's nodes. Other nodes are unchanged. Unknown nodes, and values that
 * contradict the graph, are reported with their lines; then nothing is changed. */
bool weir_node_meta_param_load(weir_graph *graph, const char *path);

#endif
