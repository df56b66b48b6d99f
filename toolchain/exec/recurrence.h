/* Runs the recurrences of a graph (ir/trait/recurrence.h) step by step, each step with an executor of its own. */
#ifndef WEIR_EXEC_RECURRENCE_H
#define WEIR_EXEC_RECURRENCE_H

#include "exec/exec.h"
#include "ir/trait/recurrence.h"

typedef struct weir_recurrence_run weir_recurrence_run;

/* The executor that runs a step: exec.h's functions. */
typedef struct weir_recurrence_engine {
    weir_executor *(*make)(const weir_graph *graph);
    void (*release)(weir_executor *executor);
    bool (*run)(weir_executor *executor, const weir_array *const *inputs);
    const weir_array *(*value)(const weir_executor *executor, weir_value value);
} weir_recurrence_engine;

/* In the arena; weir_recurrence_run_free releases the rest. NULL after an error. */
weir_recurrence_run *weir_recurrence_run_new(const weir_graph *graph, const weir_recurrence *recurrence,
                                             const weir_recurrence_engine *engine, weir_arena *arena);
void weir_recurrence_run_free(weir_recurrence_run *run);
/* What it reads of the rest of the graph: input `index`; none: no more. The first are the States' initial values. */
weir_value weir_recurrence_run_input(const weir_recurrence_run *run, size_t index);
/* All steps of a frame: arrays by value of the graph, what it reads there already. States that are kept continue from
 * the frame before; a frame that begins a sequence has the initial values. */
void weir_recurrence_run_frame(weir_recurrence_run *run, const weir_array *const *value, weir_array *const *result);
/* The next frame begins a sequence. */
void weir_recurrence_run_restart(weir_recurrence_run *run);

#endif
