/* The exact schedule of the hardware graph: when each component takes and gives each beat, with unbounded queues on
 * every edge and frames entering at the folding's interval. Queues of the depth that beats reach here cannot slow the
 * real pipeline down: dataflow is monotone. */
#ifndef WEIR_DATAFLOW_SCHEDULE_H
#define WEIR_DATAFLOW_SCHEDULE_H

#include "dataflow/component.h"

typedef struct weir_schedule weir_schedule;

/* Beats that the components' own registers hold; an edge where fewer wait needs no Fifo. */
enum { WEIR_SCHEDULE_SLACK = 2 };

typedef struct weir_schedule_edge {
    weir_value value; /* as the user names it */
    weir_node user;
    size_t input;
    int64_t waiting; /* most beats that wait on the edge at one time */
} weir_schedule_edge;

weir_times weir_times_new(int64_t count);
static inline int64_t weir_later(int64_t a, int64_t b) { return a > b ? a : b; }

/* Follows a few frames through the graph; NULL after a reported error. */
weir_schedule *weir_schedule_new(const weir_graph *graph);
void weir_schedule_free(weir_schedule *schedule);
size_t weir_schedule_edge_count(const weir_schedule *schedule);
weir_schedule_edge weir_schedule_edge_at(const weir_schedule *schedule, size_t index);
/* Cycles from the first beat of a frame to the last beat of its result, and between results of the last frames. */
int64_t weir_schedule_latency(const weir_schedule *schedule);
int64_t weir_schedule_interval(const weir_schedule *schedule);

#endif
