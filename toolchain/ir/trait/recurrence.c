#include "ir/trait/recurrence.h"

#include <assert.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/trait/batch.h"
#include "support/memory/arena.h"

bool weir_recurrence_any(const weir_graph *graph) {
    weir_node node = weir_graph_first(graph);
    while (node.id != 0 && weir_node_op(graph, node) != WEIR_OP_STATE) node = weir_node_next(graph, node);
    return node.id != 0;
}

bool weir_recurrence_is_kept(const weir_graph *graph, weir_node state) {
    assert(weir_node_op(graph, state) == WEIR_OP_STATE);
    return weir_node_int(graph, state, "kept", 0) != 0;
}

bool weir_recurrence_spans(const weir_graph *graph, weir_node state) {
    return weir_recurrence_is_kept(graph, state) && weir_node_int(graph, state, "steps", 1) == 1;
}

int64_t weir_recurrence_sequence(const weir_graph *graph) {
    const weir_node kept = weir_recurrence_first_kept(graph);
    return kept.id == 0 ? 0 : weir_node_int(graph, kept, "sequence", 0);
}

bool weir_recurrence_begins(const weir_graph *graph, weir_node state, int64_t frame) {
    assert(weir_recurrence_is_kept(graph, state) && frame >= 0);
    const int64_t frames = weir_node_int(graph, state, "sequence", 0);
    return frame == 0 || (frames > 0 && frame % frames == 0);
}

weir_node weir_recurrence_first_kept(const weir_graph *graph) {
    weir_node node = weir_graph_first(graph);
    while (node.id != 0 && (weir_node_op(graph, node) != WEIR_OP_STATE || !weir_recurrence_is_kept(graph, node)))
        node = weir_node_next(graph, node);
    return node;
}

bool weir_recurrence_names_state(const weir_graph *graph, weir_node node, size_t index) {
    return index == 1 && weir_node_op(graph, node) == WEIR_OP_UPDATE;
}

weir_node weir_recurrence_update(const weir_graph *graph, weir_node state) {
    assert(weir_node_op(graph, state) == WEIR_OP_STATE);
    const weir_value value = weir_node_output(graph, state, 0);
    weir_node found = WEIR_NO_NODE;
    for (size_t i = 0; i < weir_value_use_count(graph, value); i++) {
        const weir_use use = weir_value_use(graph, value, i);
        if (!weir_recurrence_names_state(graph, use.node, use.index)) continue;
        if (found.id != 0) return WEIR_NO_NODE;
        found = use.node;
    }
    return found;
}

/* --- which States belong together --- */

/* Sets of States, a bit each, by value or State. */
typedef struct sets {
    uint64_t *bits;
    size_t words;
} sets;

static sets new_sets(weir_arena *arena, size_t count, size_t states) {
    const size_t words = (states + 63) / 64;
    return (sets){weir_arena_array(arena, count * words, sizeof(uint64_t)), words};
}

static uint64_t *set_of(const sets *s, size_t index) { return &s->bits[index * s->words]; }
static bool has(const sets *s, size_t index, size_t state) { return set_of(s, index)[state / 64] >> state % 64 & 1; }
static void include(const sets *s, size_t index, size_t state) {
    set_of(s, index)[state / 64] |= (uint64_t)1 << state % 64;
}
static void include_all(const sets *s, size_t index, const sets *from, size_t other) {
    for (size_t w = 0; w < s->words; w++) set_of(s, index)[w] |= set_of(from, other)[w];
}

typedef struct finder {
    const weir_graph *graph;
    bool spanning; /* States whose steps are the frames, or all others */
    weir_arena *arena;
    weir_node *state, *update;
    size_t states;
    sets read;    /* by value: States that it depends on in the same step */
    sets written; /* by value: States whose next content depends on it */
    sets reached; /* by State: those whose content some step later depends on it */
} finder;

static void find_states(finder *f) {
    const weir_graph *graph = f->graph;
    const size_t limit = weir_graph_node_count(graph);
    f->state = weir_arena_array(f->arena, limit, sizeof *f->state);
    f->update = weir_arena_array(f->arena, limit, sizeof *f->update);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_STATE || weir_recurrence_spans(graph, node) != f->spanning) continue;
        const weir_node update = weir_recurrence_update(graph, node);
        if (update.id == 0) continue; /* the verifier refuses it */
        f->state[f->states] = node;
        f->update[f->states++] = update;
    }
}

static size_t state_number(const finder *f, const weir_node *list, weir_node node) {
    size_t i = 0;
    while (i < f->states && list[i].id != node.id) i++;
    return i;
}

static void follow_reads(finder *f) {
    const weir_graph *graph = f->graph;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const size_t own = weir_node_op(graph, node) == WEIR_OP_STATE ? state_number(f, f->state, node) : f->states;
        for (size_t o = 0; o < weir_node_output_count(graph, node); o++) {
            const uint32_t id = weir_node_output(graph, node, o).id;
            if (own < f->states) include(&f->read, id, own);
            for (size_t i = 0; i < weir_node_input_count(graph, node); i++)
                include_all(&f->read, id, &f->read, weir_node_input(graph, node, i).id);
        }
    }
}

static void follow_writes(finder *f) {
    const weir_graph *graph = f->graph;
    for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node)) {
        const size_t own = weir_node_op(graph, node) == WEIR_OP_UPDATE ? state_number(f, f->update, node) : f->states;
        if (own < f->states) include(&f->written, weir_node_output(graph, node, 0).id, own);
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++)
            for (size_t o = 0; o < weir_node_output_count(graph, node); o++)
                include_all(&f->written, weir_node_input(graph, node, i).id, &f->written,
                            weir_node_output(graph, node, o).id);
    }
}

/* Of which State does the content depend on that of which, however many steps later? */
static void follow_steps(finder *f) {
    for (size_t to = 0; to < f->states; to++) {
        const uint32_t next = weir_node_input(f->graph, f->update[to], 0).id;
        for (size_t from = 0; from < f->states; from++)
            if (has(&f->read, next, from)) include(&f->reached, from, to);
    }
    for (size_t through = 0; through < f->states; through++)
        for (size_t from = 0; from < f->states; from++)
            if (has(&f->reached, from, through)) include_all(&f->reached, from, &f->reached, through);
}

static bool is_together(const finder *f, size_t a, size_t b) {
    return a == b || (has(&f->reached, a, b) && has(&f->reached, b, a));
}

/* Does the value depend on one of the States, and does the next content of one of them depend on it? */
static bool is_between(const finder *f, weir_value value, const sets *group) {
    bool reads = false, writes = false;
    for (size_t w = 0; w < group->words; w++) {
        reads |= (set_of(&f->read, value.id)[w] & group->bits[w]) != 0;
        writes |= (set_of(&f->written, value.id)[w] & group->bits[w]) != 0;
    }
    return reads && writes;
}

static bool is_in(const finder *f, weir_node node, const sets *group) {
    const weir_graph *graph = f->graph;
    const size_t state = weir_node_op(graph, node) == WEIR_OP_STATE ? state_number(f, f->state, node) : f->states,
                 update = weir_node_op(graph, node) == WEIR_OP_UPDATE ? state_number(f, f->update, node) : f->states;
    if (state < f->states || update < f->states) return has(group, 0, state < f->states ? state : update);
    bool between = false;
    for (size_t o = 0; o < weir_node_output_count(graph, node); o++)
        between |= is_between(f, weir_node_output(graph, node, o), group);
    return between;
}

static weir_recurrence recurrence_of(const finder *f, size_t first) {
    const sets group = new_sets(f->arena, 1, f->states);
    weir_recurrence r = {.steps = weir_node_int(f->graph, f->state[first], "steps", 1)};
    r.state = weir_arena_array(f->arena, f->states, sizeof *r.state);
    r.update = weir_arena_array(f->arena, f->states, sizeof *r.update);
    r.node = weir_arena_array(f->arena, weir_graph_node_count(f->graph), sizeof *r.node);
    for (size_t i = first; i < f->states; i++) {
        if (!is_together(f, first, i)) continue;
        include(&group, 0, i);
        r.state[r.state_count] = f->state[i];
        r.update[r.state_count++] = f->update[i];
    }
    for (weir_node node = weir_graph_first(f->graph); node.id != 0; node = weir_node_next(f->graph, node))
        if (is_in(f, node, &group)) r.node[r.node_count++] = node;
    return r;
}

static size_t find(const weir_graph *graph, bool spanning, weir_arena *arena, weir_recurrence **found) {
    finder f = {.graph = graph, .spanning = spanning, .arena = arena};
    find_states(&f);
    *found = NULL;
    if (f.states == 0) return 0;
    const uint32_t limit = weir_graph_value_limit(graph);
    size_t count = 0;
    f.read = new_sets(arena, limit, f.states);
    f.written = new_sets(arena, limit, f.states);
    f.reached = new_sets(arena, f.states, f.states);
    follow_reads(&f);
    follow_writes(&f);
    follow_steps(&f);
    *found = weir_arena_array(arena, f.states, sizeof **found);
    for (size_t i = 0; i < f.states; i++) {
        bool is_first = true;
        for (size_t k = 0; k < i; k++) is_first &= !is_together(&f, k, i);
        if (is_first) (*found)[count++] = recurrence_of(&f, i);
    }
    return count;
}

size_t weir_recurrences_find(const weir_graph *graph, weir_arena *arena, weir_recurrence **found) {
    return find(graph, false, arena, found);
}

size_t weir_recurrences_find_spanning(const weir_graph *graph, weir_arena *arena, weir_recurrence **found) {
    return find(graph, true, arena, found);
}

/* --- one step --- */

typedef struct stepper {
    const weir_graph *graph;
    const weir_recurrence *recurrence;
    weir_recurrence_step *step;
    weir_graph *rows; /* all steps, each a row */
    weir_arena *arena;
} stepper;

static weir_value add_input(const stepper *s, weir_value value) {
    return weir_graph_add_input(s->rows, weir_value_name(s->graph, value), weir_value_type(s->graph, value));
}

/* What the nodes read of the rest of the graph. */
static weir_value outside(const stepper *s, weir_value value) {
    if (value.id == 0) return value;
    weir_recurrence_step *step = s->step;
    weir_value *inside = &step->inside[value.id];
    if (inside->id != 0) return *inside;
    const weir_array *constant = weir_value_constant(s->graph, value);
    if (constant != NULL) {
        *inside = weir_graph_add_constant(s->rows, weir_value_name(s->graph, value), constant);
        weir_value_set_type(s->rows, *inside, weir_value_type(s->graph, value));
        return *inside;
    }
    const weir_shape *shape = &weir_value_type(s->graph, value)->shape;
    *inside = add_input(s, value);
    step->input[step->input_count] = value;
    step->is_row[step->input_count++] = shape->rank > 0 && shape->dim[0] == s->recurrence->steps;
    return *inside;
}

static void add_node(const stepper *s, weir_node node) {
    const size_t inputs = weir_node_input_count(s->graph, node), outputs = weir_node_output_count(s->graph, node);
    weir_value *input = weir_arena_array(s->arena, inputs, sizeof *input);
    for (size_t i = 0; i < inputs; i++) input[i] = outside(s, weir_node_input(s->graph, node, i));
    const weir_node made = weir_graph_add_node(s->rows, weir_node_op(s->graph, node), weir_node_name(s->graph, node),
                                               input, inputs, outputs, WEIR_NO_NODE);
    weir_node_copy_attributes(s->rows, made, s->graph, node);
    weir_node_set_location(s->rows, made, weir_node_location(s->graph, node));
    for (size_t o = 0; o < outputs; o++) {
        const weir_value value = weir_node_output(s->graph, node, o), own = weir_node_output(s->rows, made, o);
        s->step->inside[value.id] = own;
        weir_value_set_type(s->rows, own, weir_value_type(s->graph, value));
        weir_graph_add_output(s->rows, weir_value_name(s->graph, value), own);
    }
}

/* What the node reads of the rest of the graph, and has as many rows as there are steps by chance, is all of it in each
 * step: weights, say. False: there is nothing like that. */
static bool read_whole(const stepper *s, weir_node node, bool *has_rows) {
    bool any = false;
    for (size_t i = 0; i < s->step->input_count && node.id != 0; i++) {
        const weir_value input = weir_graph_input(s->rows, s->recurrence->state_count + i);
        bool is_read = false;
        for (size_t k = 0; k < weir_node_input_count(s->rows, node); k++)
            is_read |= weir_node_input(s->rows, node, k).id == input.id;
        if (!is_read || !s->step->is_row[i]) continue;
        s->step->is_row[i] = has_rows[s->recurrence->state_count + i] = false;
        any = true;
    }
    return any;
}

/* The error at the node of the outer graph. */
static bool fail(const stepper *s, const weir_batch *found) {
    const weir_node node = found->mixed.id == 0 ? s->recurrence->state[0]
                                                : weir_graph_find_node(s->graph, weir_node_name(s->rows, found->mixed));
    const char *why = found->why == NULL ? "its shape has no such axis" : found->why;
    return weir_node_fail(s->graph, node, "in a recurrence, where each step reads its own entry of the first axis: %s",
                          why);
}

bool weir_recurrence_step_of(const weir_graph *graph, const weir_recurrence *recurrence, weir_arena *arena,
                             weir_recurrence_step *step) {
    const uint32_t limit = weir_graph_value_limit(graph);
    stepper s = {graph, recurrence, step, weir_graph_new(weir_graph_name(graph)), arena};
    bool *has_rows = weir_arena_array(arena, limit, sizeof *has_rows);
    *step = (weir_recurrence_step){.input = weir_arena_array(arena, limit, sizeof *step->input),
                                   .is_row = weir_arena_array(arena, limit, sizeof *step->is_row),
                                   .inside = weir_arena_array(arena, limit, sizeof *step->inside)};
    weir_graph_set_source(s.rows, weir_graph_source(graph));
    for (size_t i = 0; i < recurrence->state_count; i++) {
        const weir_value value = weir_node_output(graph, recurrence->state[i], 0);
        step->inside[value.id] = add_input(&s, value);
        has_rows[i] = true;
    }
    for (size_t i = 0; i < recurrence->node_count; i++)
        if (weir_node_op(graph, recurrence->node[i]) != WEIR_OP_STATE) add_node(&s, recurrence->node[i]);
    for (size_t i = 0; i < step->input_count; i++) has_rows[recurrence->state_count + i] = step->is_row[i];
    if (recurrence->steps == 1) {
        step->graph = s.rows;
        return true;
    }
    weir_batch found = weir_batch_find_rows(s.rows, recurrence->steps, has_rows);
    while (found.why != NULL && read_whole(&s, found.mixed, has_rows))
        found = weir_batch_find_rows(s.rows, recurrence->steps, has_rows);
    step->graph = found.why == NULL ? weir_batch_split_rows(s.rows, recurrence->steps, has_rows) : NULL;
    const bool fine = step->graph != NULL || fail(&s, &found);
    weir_graph_free(s.rows);
    return fine;
}
