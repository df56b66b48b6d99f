/* The `cost` of the memories that several components use (rtl/memory). */
#ifndef WEIR_DATAFLOW_COST_MEMORY_H
#define WEIR_DATAFLOW_COST_MEMORY_H

#include "dataflow/cost/cost.h"

void weir_cost_memory_rom(weir_cost_part *part);
void weir_cost_memory_source(weir_cost_part *part);
void weir_cost_memory_sequence(weir_cost_part *part);
void weir_cost_memory_pair(weir_cost_part *part);
void weir_cost_memory_replay(weir_cost_part *part);

#endif
