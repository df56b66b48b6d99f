#include "exec/kept.h"

#include <assert.h>
#include <string.h>

#include "ir/trait/recurrence.h"
#include "support/memory/arena.h"

typedef struct state {
    weir_node state, update;
    weir_array *row;
    int64_t frames; /* so far */
    bool restarts;
} state;

struct weir_kept {
    const weir_graph *graph;
    state *state;
    size_t count;
};

static bool is_kept(const weir_graph *graph, weir_node node) {
    return weir_node_op(graph, node) == WEIR_OP_STATE && weir_recurrence_spans(graph, node);
}

weir_kept *weir_kept_new(const weir_graph *graph, weir_arena *arena) {
    weir_kept *kept = weir_arena_alloc(arena, sizeof *kept);
    *kept = (weir_kept){graph, weir_arena_array(arena, weir_graph_node_count(graph), sizeof *kept->state), 0};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!is_kept(graph, node)) continue;
        const weir_type *type = weir_value_type(graph, weir_node_output(graph, node, 0));
        kept->state[kept->count++] = (state){.state = node,
                                             .update = weir_recurrence_update(graph, node),
                                             .row = weir_array_in(arena, type->dtype, &type->shape)};
    }
    return kept->count > 0 ? kept : NULL;
}

static void copy(const weir_array *from, weir_array *to) {
    assert(from->dtype == to->dtype && from->count == to->count);
    memcpy(to->data, from->data, from->count * weir_dtype_size(from->dtype));
}

bool weir_kept_gives(weir_kept *kept, weir_node node, const weir_array *initial, weir_array *value) {
    size_t i = 0;
    while (i < kept->count && kept->state[i].state.id != node.id) i++;
    if (i == kept->count) return false;
    state *s = &kept->state[i];
    copy(s->restarts || weir_recurrence_begins(kept->graph, node, s->frames) ? initial : s->row, value);
    s->frames++;
    s->restarts = false;
    return true;
}

void weir_kept_takes(weir_kept *kept, weir_node node, const weir_array *value) {
    for (size_t i = 0; i < kept->count; i++)
        if (kept->state[i].update.id == node.id) copy(value, kept->state[i].row);
}

void weir_kept_restart(weir_kept *kept) {
    for (size_t i = 0; kept != NULL && i < kept->count; i++) kept->state[i].restarts = true;
}
