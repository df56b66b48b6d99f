/* Where each element of the next value comes from, through nodes that only move elements or join tensors, and which
 * elements of the State each reader takes, through nodes that move them. */
#include "passes/graph/state_parts.h"

#include <assert.h>
#include <string.h>

#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* Element `at` of a value that is computed. */
typedef struct origin {
    weir_value part;
    int64_t at;
} origin;

/* Something other than a move reads the value, which is a part of the State. */
typedef struct reader {
    weir_value value, part;
} reader;

typedef struct apart {
    weir_graph *graph;
    weir_arena *arena;
    weir_node state, update;
    origin *origin; /* by element of the State */
    reader *reader;
    size_t readers;
    weir_value *part; /* that readers take, and the States of these */
    weir_value *held;
    size_t parts;
} apart;

static int64_t elements_of(const weir_graph *graph, weir_value value) {
    size_t count = 0;
    weir_shape_count(&weir_value_type(graph, value)->shape, &count);
    return (int64_t)count;
}

static bool trace(apart *a, weir_value value, int64_t *at, int64_t *element, int64_t count);

/* Elements of a joined tensor, each in the input that has it. */
static bool trace_inputs(apart *a, weir_node concat, const int64_t *at, const int64_t *element, int64_t count) {
    const weir_shape *shape = &weir_value_type(a->graph, weir_node_output(a->graph, concat, 0))->shape;
    int64_t axis = weir_node_int(a->graph, concat, "axis", 0), inner = 1, begin = 0;
    if (axis < 0) axis += shape->rank;
    assert(axis >= 0 && axis < shape->rank);
    for (int i = (int)axis + 1; i < shape->rank; i++) inner *= shape->dim[i];
    const int64_t all = shape->dim[axis];
    bool fine = true;
    for (size_t i = 0; fine && i < weir_node_input_count(a->graph, concat); i++) {
        const weir_value input = weir_node_input(a->graph, concat, i);
        const int64_t size = weir_value_type(a->graph, input)->shape.dim[axis];
        int64_t *own_at = weir_arena_array(a->arena, (size_t)count, sizeof *own_at),
                *own_element = weir_arena_array(a->arena, (size_t)count, sizeof *own_element), own = 0;
        for (int64_t k = 0; k < count; k++) {
            const int64_t along = at[k] / inner % all - begin;
            if (along < 0 || along >= size) continue;
            own_at[own] = (at[k] / (inner * all) * size + along) * inner + at[k] % inner;
            own_element[own++] = element[k];
        }
        fine = trace(a, input, own_at, own_element, own);
        begin += size;
    }
    return fine;
}

/* Of element[k] of the State: it is element at[k] of the value. False: of a fill value. */
static bool trace(apart *a, weir_value value, int64_t *at, int64_t *element, int64_t count) {
    const weir_node node = weir_value_producer(a->graph, value);
    weir_index_map map;
    if (node.id != 0 && weir_trait_kind(a->graph, node) == WEIR_OP_CONCAT)
        return trace_inputs(a, node, at, element, count);
    if (node.id != 0 &&
        weir_index_map_of_node(a->arena, a->graph, node, weir_value_producer_output(a->graph, value), &map)) {
        const int64_t *from = weir_index_map_positions(a->arena, &map);
        for (int64_t k = 0; k < count; k++) {
            at[k] = from[at[k]];
            if (at[k] == WEIR_INDEX_FILL) return false;
        }
        return trace(a, weir_node_input(a->graph, node, 0), at, element, count);
    }
    for (int64_t k = 0; k < count; k++) a->origin[element[k]] = (origin){value, at[k]};
    return true;
}

static bool find_origins(apart *a) {
    const weir_value next = weir_node_input(a->graph, a->update, 0);
    const int64_t count = elements_of(a->graph, next);
    int64_t *at = weir_arena_array(a->arena, (size_t)count, sizeof *at),
            *element = weir_arena_array(a->arena, (size_t)count, sizeof *element);
    a->origin = weir_arena_array(a->arena, (size_t)count, sizeof *a->origin);
    for (int64_t k = 0; k < count; k++) at[k] = element[k] = k;
    return trace(a, next, at, element, count);
}

/* The part that these elements of the State are, all of it, in its order; none: they are not. */
static weir_value part_of(const apart *a, const int64_t *at, int64_t count) {
    const weir_value part = a->origin[at[0]].part;
    if (elements_of(a->graph, part) != count || weir_value_producer(a->graph, part).id == 0) return WEIR_NO_VALUE;
    for (int64_t k = 0; k < count; k++)
        if (a->origin[at[k]].part.id != part.id || a->origin[at[k]].at != k) return WEIR_NO_VALUE;
    return part;
}

/* The value is element at[k] of the State, for each k. False: a reader takes no whole part. */
static bool find_readers(apart *a, weir_value value, const int64_t *at) {
    const int64_t count = elements_of(a->graph, value);
    bool is_read = weir_value_is_output(a->graph, value);
    for (size_t i = 0; i < weir_value_use_count(a->graph, value); i++) {
        const weir_use use = weir_value_use(a->graph, value, i);
        weir_index_map map;
        if (weir_recurrence_names_state(a->graph, use.node, use.index)) continue;
        if (use.index != 0 || !weir_index_map_of_node(a->arena, a->graph, use.node, 0, &map)) {
            is_read = true;
            continue;
        }
        for (size_t o = 0; o < weir_node_output_count(a->graph, use.node); o++) {
            if (!weir_index_map_of_node(a->arena, a->graph, use.node, o, &map)) return false;
            const weir_value moved = weir_node_output(a->graph, use.node, o);
            const int64_t *from = weir_index_map_positions(a->arena, &map), size = elements_of(a->graph, moved);
            int64_t *own = weir_arena_array(a->arena, (size_t)size, sizeof *own);
            for (int64_t k = 0; k < size; k++) {
                if (from[k] == WEIR_INDEX_FILL) return false;
                own[k] = at[from[k]];
            }
            if (!find_readers(a, moved, own)) return false;
        }
    }
    if (!is_read) return true;
    const weir_value part = count == 0 ? WEIR_NO_VALUE : part_of(a, at, count);
    a->reader[a->readers++] = (reader){value, part};
    return part.id != 0;
}

static bool find_parts(apart *a) {
    const weir_value held = weir_node_output(a->graph, a->state, 0);
    const int64_t count = elements_of(a->graph, held);
    int64_t *at = weir_arena_array(a->arena, (size_t)count, sizeof *at);
    for (int64_t k = 0; k < count; k++) at[k] = k;
    a->reader = weir_arena_array(a->arena, weir_graph_value_limit(a->graph), sizeof *a->reader);
    a->part = weir_arena_array(a->arena, weir_graph_value_limit(a->graph), sizeof *a->part);
    a->held = weir_arena_array(a->arena, weir_graph_value_limit(a->graph), sizeof *a->held);
    if (!find_origins(a) || !find_readers(a, held, at)) return false;
    for (size_t r = 0; r < a->readers; r++) {
        size_t i = 0;
        while (i < a->parts && a->part[i].id != a->reader[r].part.id) i++;
        if (i == a->parts) a->part[a->parts++] = a->reader[r].part;
    }
    return a->parts > 1;
}

/* A State of the part, with zeros first, as the whole one has. */
static bool add_state(apart *a, size_t index) {
    weir_graph *graph = a->graph;
    const weir_type *type = weir_value_type(graph, a->part[index]);
    char *name = weir_format("%s_%zu", weir_node_name(graph, a->state), index),
         *next = weir_format("%s_%zu", weir_node_name(graph, a->update), index), *start = weir_format("%s_start", name);
    weir_array *zeros = weir_array_new(type->dtype, &type->shape);
    const weir_value first = weir_graph_add_constant(graph, start, zeros);
    const weir_node state = weir_graph_add_node(graph, WEIR_OP_STATE, name, &first, 1, 1, a->state);
    weir_node_copy_attributes(graph, state, graph, a->state);
    a->held[index] = weir_node_output(graph, state, 0);
    const weir_value given[] = {a->part[index], a->held[index]};
    const weir_node update = weir_graph_add_node(graph, WEIR_OP_UPDATE, next, given, 2, 1, WEIR_NO_NODE);
    weir_array_free(zeros);
    free(start);
    free(next);
    free(name);
    return weir_infer_node(graph, state) && weir_infer_node(graph, update);
}

/* What reads the value reads the part's State, in the value's shape. */
static void read_part(apart *a, const reader *from) {
    size_t i = 0;
    while (a->part[i].id != from->part.id) i++;
    weir_rewrite r = {.graph = a->graph, .at = weir_node_next(a->graph, a->state)};
    const weir_value held = weir_rewrite_reshape(&r, weir_value_name(a->graph, from->value), a->held[i],
                                                 &weir_value_type(a->graph, from->value)->shape);
    weir_value_replace(a->graph, from->value, held);
}

size_t weir_state_take_apart(weir_graph *graph, weir_node state) {
    apart a = {.graph = graph, .arena = weir_arena_new(), .state = state};
    a.update = weir_recurrence_update(graph, state);
    size_t made = 1;
    bool fine = true;
    if (find_parts(&a)) {
        made = a.parts;
        for (size_t i = 0; fine && i < a.parts; i++) fine = add_state(&a, i);
        for (size_t i = 0; fine && i < a.readers; i++) read_part(&a, &a.reader[i]);
        if (fine) weir_eliminate_dead_code(graph);
    }
    weir_arena_free(a.arena);
    return fine ? made : 0;
}
