/* A network as layers and the edges between them. Nodes that cost nothing (in ONNX files all except products) are kept
 * for the order and the paths between layers. */
#ifndef WEIR_DSE_WORKLOAD_H
#define WEIR_DSE_WORKLOAD_H

#include "dse/mapping/layer.h"

typedef struct weir_dse_node {
    weir_dse_layer *layer; /* NULL: costs nothing */
    int source_count;
    int *source; /* nodes that it takes from */
} weir_dse_node;

typedef struct weir_dse_workload {
    const char *path;
    int count;
    weir_dse_node *node;
    int *order; /* topological, by generations */
} weir_dse_workload;

/* A YAML file; lives in the arena. NULL after reported errors. */
weir_dse_workload *weir_dse_workload_read(const char *path, const weir_dse_mapping *mapping, weir_arena *arena);
/* Fills `order`; false if the edges form a cycle. */
bool weir_dse_workload_sort(weir_dse_workload *workload, weir_arena *arena);
/* The same without nodes that cost nothing: their readers read from their sources. */
weir_dse_workload *weir_dse_workload_layers(const weir_dse_workload *workload, weir_arena *arena);
/* Gives the layer its mapping; false after a reported error. */
bool weir_dse_workload_map(weir_dse_layer *layer, const weir_dse_mapping *mapping);

#endif
