/* Mappings of layers as JSON that loads again and gives the same cost. */
#ifndef WEIR_DSE_SAVED_H
#define WEIR_DSE_SAVED_H

#include <jansson.h>

#include "dse/result/result.h"
#include "support/memory/types.h"

/* {"layer", "spatial_mapping": {"D1": [["K", 32]]}, "temporal_mapping": {"O": [[["C", 2]], []]}, ...}: whole results,
 * lists of which contain those of layers. */
json_t *weir_dse_saved_json(const weir_dse_result *result);
/* The same as ZigZag saves it: outputs by operand and memory, energies in pJ, latencies in cycles, and inputs. */
json_t *weir_dse_saved_complete(const weir_dse_evaluation *evaluation);
/* The mapping of the layer by its name, somewhere in the value; *temporal refers to a problem that is to be freed.
 * False after a reported error. */
bool weir_dse_saved_mapping(const json_t *value, const char *file, const weir_dse_accelerator *accelerator,
                            const weir_dse_layer *layer, weir_dse_temporal *temporal);
/* A folding of such a result with its components, or a result without one; all of it in the arena. False after a
 * reported error. */
bool weir_dse_saved_folding(const json_t *value, const char *file, weir_arena *arena, weir_dse_result *result);
/* How many mappings were evaluated for the layer; 0: not said. */
double weir_dse_saved_evaluations(const json_t *value, const weir_dse_layer *layer);

#endif
