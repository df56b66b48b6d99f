/* What max_pool and sum_pool have in common: weir_pool along one spatial dimension (lowering splits a window into its
 * dimensions). Channels are innermost, so a step of that dimension is the elements after it, and a line is repeated for
 * the dimensions before it. */
#ifndef WEIR_DATAFLOW_POOL_PRIVATE_H
#define WEIR_DATAFLOW_POOL_PRIVATE_H

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"

bool weir_pool_fits(const weir_graph *graph, weir_node node, weir_text *why);
/* Whole beats a pixel or whole pixels a beat. */
bool weir_pool_legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why);
/* As many lanes as what sets the pace needs. */
void weir_pool_derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware);
weir_component_timing weir_pool_timing(const weir_graph *graph, weir_node node);
int64_t weir_pool_ideal(const weir_graph *graph, weir_node node);
int64_t weir_pool_start(const weir_graph *graph, weir_node node);
int64_t weir_pool_late(const weir_graph *graph, weir_node node);
weir_service_rule weir_pool_service;
void weir_pool_cost(weir_cost_part *part);
void weir_pool_build(weir_builder *b, weir_node node);
void weir_pool_describe(const weir_graph *graph, weir_node node, weir_text *text);

/* All rules of the two, except for how their result relates to the input. */
#define WEIR_POOL_RULES(RESULT)                                                                                        \
    {                                                                                                                  \
        .asks = "channels innermost, one dimension at a time", .fits = weir_pool_fits, .result = RESULT,               \
        .legal = weir_pool_legal, .derive = weir_pool_derive, .ideal = weir_pool_ideal, .timing = weir_pool_timing,    \
        .start = weir_pool_start, .late = weir_pool_late, .service = weir_pool_service, .cost = weir_pool_cost,        \
        .build = weir_pool_build, .describe = weir_pool_describe, .pauses = true, .has_active = true                   \
    }

#endif
