#include "exec/recurrence.h"

#include <assert.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/unreachable.h"

struct weir_recurrence_run {
    const weir_graph *graph;
    const weir_recurrence *recurrence;
    weir_recurrence_step step;
    const weir_recurrence_engine *engine;
    weir_executor *executor;
    weir_array **row; /* by input of the step's graph */
    weir_value *made; /* values of the graph that it computes */
    size_t made_count;
    int64_t frames; /* so far */
    bool restarts;  /* the next frame begins a sequence */
};

weir_recurrence_run *weir_recurrence_run_new(const weir_graph *graph, const weir_recurrence *recurrence,
                                             const weir_recurrence_engine *engine, weir_arena *arena) {
    weir_recurrence_run *run = weir_arena_alloc(arena, sizeof *run);
    *run = (weir_recurrence_run){.graph = graph, .recurrence = recurrence, .engine = engine};
    if (!weir_recurrence_step_of(graph, recurrence, arena, &run->step)) return NULL;
    const weir_graph *step = run->step.graph;
    run->executor = engine->make(step);
    run->row = weir_arena_array(arena, weir_graph_input_count(step), sizeof *run->row);
    for (size_t i = 0; i < weir_graph_input_count(step); i++) {
        const weir_type *type = weir_value_type(step, weir_graph_input(step, i));
        run->row[i] = weir_array_in(arena, type->dtype, &type->shape);
    }
    run->made = weir_arena_array(arena, weir_graph_value_limit(graph), sizeof *run->made);
    for (size_t i = 0; i < recurrence->node_count; i++)
        for (size_t o = 0; o < weir_node_output_count(graph, recurrence->node[i]); o++)
            run->made[run->made_count++] = weir_node_output(graph, recurrence->node[i], o);
    if (run->executor != NULL) return run;
    weir_recurrence_run_free(run);
    return NULL;
}

void weir_recurrence_run_free(weir_recurrence_run *run) {
    if (run == NULL) return;
    run->engine->release(run->executor);
    weir_graph_free(run->step.graph);
}

weir_value weir_recurrence_run_input(const weir_recurrence_run *run, size_t index) {
    const weir_recurrence *r = run->recurrence;
    if (index < r->state_count) return weir_node_input(run->graph, r->state[index], 0);
    index -= r->state_count;
    return index < run->step.input_count ? run->step.input[index] : WEIR_NO_VALUE;
}

static size_t bytes_of(const weir_array *array) { return array->count * weir_dtype_size(array->dtype); }

/* The step reads row `index` of what has rows, and all of the rest. */
static void take_rows(const weir_recurrence_run *run, const weir_array *const *value, size_t index) {
    const size_t states = run->recurrence->state_count;
    for (size_t i = 0; i < run->step.input_count; i++) {
        weir_array *row = run->row[states + i];
        const weir_array *all = value[run->step.input[i].id];
        if (index > 0 && !run->step.is_row[i]) continue;
        assert(bytes_of(row) * (index + 1) <= bytes_of(all));
        memcpy(row->data, (const char *)all->data + index * bytes_of(row), bytes_of(row));
    }
}

static void give_rows(const weir_recurrence_run *run, weir_array *const *result, size_t index) {
    for (size_t i = 0; i < run->made_count; i++) {
        const weir_value inside = run->step.inside[run->made[i].id];
        const weir_array *row = run->engine->value(run->executor, inside);
        memcpy((char *)result[run->made[i].id]->data + index * bytes_of(row), row->data, bytes_of(row));
    }
}

void weir_recurrence_run_frame(weir_recurrence_run *run, const weir_array *const *value, weir_array *const *result) {
    const weir_recurrence *r = run->recurrence;
    for (size_t i = 0; i < r->state_count; i++)
        if (run->restarts || !weir_recurrence_is_kept(run->graph, r->state[i]) ||
            weir_recurrence_begins(run->graph, r->state[i], run->frames))
            memcpy(run->row[i]->data, value[weir_recurrence_run_input(run, i).id]->data, bytes_of(run->row[i]));
    run->frames++;
    run->restarts = false;
    for (size_t t = 0; t < (size_t)r->steps; t++) {
        take_rows(run, value, t);
        if (!run->engine->run(run->executor, (const weir_array *const *)run->row))
            weir_unreachable("a step's inputs have its types");
        give_rows(run, result, t);
        for (size_t i = 0; i < r->state_count; i++) {
            const weir_value next = weir_node_input(run->graph, r->update[i], 0);
            const weir_array *row = run->engine->value(run->executor, run->step.inside[next.id]);
            memcpy(run->row[i]->data, row->data, bytes_of(run->row[i]));
        }
    }
}

void weir_recurrence_run_restart(weir_recurrence_run *run) { run->restarts = true; }
