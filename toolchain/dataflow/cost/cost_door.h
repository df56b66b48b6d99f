/* The `cost` of the doors of a design (dataflow/frame.h). */
#ifndef WEIR_DATAFLOW_COST_DOOR_H
#define WEIR_DATAFLOW_COST_DOOR_H

#include "dataflow/cost/cost.h"

void weir_cost_door_guard(weir_cost_part *part);
void weir_cost_door_flags(weir_cost_part *part);
void weir_cost_door_sequence(weir_cost_part *part);

#endif
