/* Metadata of a node as MASE prints it: three JSON objects with MASE's keys, made from what the graph says (shapes,
 * precisions, components) and from the facts that passes have stored with the node. */
#ifndef WEIR_PASSES_NODE_META_H
#define WEIR_PASSES_NODE_META_H

#include <jansson.h>

#include "exec/exec.h"
#include "passes/mase/fx.h"

/* A new object. `values`, which may be NULL, is an executor that has run the view's graph: then tensors get a "value".
 * A parameter with one axis has the shape [1, N], as in MASE. Modules and parameters follow rtl/README.md; what nobody
 * has chosen (parallelism before add_hardware_metadata or a folding) is left out. */
json_t *weir_node_meta(const weir_fx_view *view, const weir_fx_node *node, weir_meta_group group,
                       const weir_executor *values);

/* The fact of the hardware group that add_hardware_metadata stores: most elements a cycle along each dimension, a list
 * like a shape. */
#define WEIR_NODE_META_LIMITS "max_parallelism"
json_t *weir_node_meta_limits(const weir_graph *graph, weir_node node); /* borrowed; NULL: not stored */

/* What of the group follows from the graph, and with `limits` (NULL: none) as max_parallelism. A new object. */
json_t *weir_node_meta_derived(const weir_fx_view *view, const weir_fx_node *node, weir_meta_group group,
                               const json_t *limits);
json_t *weir_node_meta_hardware(const weir_graph *graph, const weir_fx_node *node, const json_t *limits);
/* The object under a path of keys, made when absent; borrowed. */
json_t *weir_node_meta_at(json_t *root, const char *const *path, size_t depth);

/* MASE's is_implicit: no component is made for the node. True for no node: inputs and results. */
bool weir_node_meta_is_implicit(const weir_graph *graph, weir_node node);

/* The graph's own "common" group: nodes_in and nodes_out, the first and last nodes that are not implicit, and args and
 * results, the tensors between them and the outside, numbered over the whole graph. A new object. */
json_t *weir_node_meta_graph(const weir_fx_view *view);
/* The files of the library that the nodes of the graph need, each once. A new array. */
json_t *weir_node_meta_sources(const weir_fx_view *view);

/* The largest divisor of size that is not above the limit. */
int64_t weir_node_meta_parallelism(int64_t size, int64_t limit);

#endif
