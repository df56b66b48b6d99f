/* What threshold and threshold_search have in common: weir.Threshold's steps, as words of a memory. */
#ifndef WEIR_DATAFLOW_THRESHOLD_PRIVATE_H
#define WEIR_DATAFLOW_THRESHOLD_PRIVATE_H

#include "dataflow/build.h"
#include "dataflow/component.h"

extern const weir_component_rules weir_threshold_rules;

bool weir_threshold_fits(const weir_graph *graph, weir_node node, weir_text *why);
/* Thresholds of a channel. */
int64_t weir_threshold_count(const weir_graph *graph, weir_node node);
/* Of the module's signed thresholds: room for a number that no input reaches. */
int weir_threshold_width(const weir_graph *graph, weir_node node);
/* The largest number in a field, of up to 64 bits: what no sum reaches. */
int64_t weir_threshold_never(const weir_memory *memory);
/* LANES to COUNT, T_W to STEP, and the streams s and m. */
void weir_threshold_connect(weir_builder *b, weir_node node, weir_rtl_instance u);

#endif
