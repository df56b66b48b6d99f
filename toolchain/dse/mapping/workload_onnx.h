/* Workloads from networks: an ONNX model, of which shapes are enough, or a model in text IR. */
#ifndef WEIR_DSE_WORKLOAD_ONNX_H
#define WEIR_DSE_WORKLOAD_ONNX_H

#include "dse/mapping/workload.h"

/* Layers are the nodes that multiply and accumulate, by their loop nests; all others, known or not, cost nothing. Lives
 * in the arena; NULL after reported errors. */
weir_dse_workload *weir_dse_workload_import(const char *path, const weir_dse_mapping *mapping, weir_arena *arena);

#endif
