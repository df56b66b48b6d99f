/* What a State is as hardware: how often and how far apart its rows are (component/stream/state.c). */
#ifndef WEIR_DATAFLOW_STATE_H
#define WEIR_DATAFLOW_STATE_H

#include "ir/graph/graph.h"

/* Rows of a frame, beats of a row, cycles from one row to the next; 0: nobody has set them. */
int64_t weir_state_steps(const weir_graph *graph, weir_node node);
int64_t weir_state_row(const weir_graph *graph, weir_node node);
int64_t weir_state_step(const weir_graph *graph, weir_node node);
/* Sets these, the cycles from a frame's last row to the next frame's first one, and the interval that follows. */
void weir_state_set_step(weir_graph *graph, weir_node node, int64_t step, int64_t rest);

#endif
