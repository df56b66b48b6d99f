/* Facts about a node's arguments and results under MASE's path: software.args.weight.stat. */
#ifndef WEIR_PASSES_FACT_H
#define WEIR_PASSES_FACT_H

#include <jansson.h>

#include "ir/graph/graph.h"

/* Stores software.args.NAME.KEY, or software.results.NAME.KEY for the name of a result ("data_out_0"). Takes over the
 * value. */
void weir_fact_set(weir_graph *graph, weir_node node, const char *name, const char *key, json_t *value);
/* NULL when it is not there. */
const json_t *weir_fact_get(const weir_graph *graph, weir_node node, const char *name, const char *key);

#endif
