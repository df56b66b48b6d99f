/* Frames of a batch in several threads: the same results, whatever their number. */
#ifndef WEIR_EXEC_PARALLEL_H
#define WEIR_EXEC_PARALLEL_H

#include "ir/graph/graph.h"

/* weir_executor_run_batch of a new executor, in at most `threads` threads; 0: one per processor. */
bool weir_parallel_run(const weir_graph *graph, const weir_array *const *data, int64_t frames, size_t threads,
                       weir_array **results);

#endif
