/* A Reorder that only moves whole rows, before operators that do the same with every row, comes behind them instead:
 * then it is a part of what is behind, or cancels there. Numbers that are added by element, as of a mask, are then in
 * the new order. */
#include <stdlib.h>

#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "passes/graph/fusion.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

enum { MOST = 16 };

/* The operators between a Reorder and the codes, the last one first. */
typedef struct chain {
    weir_node node[MOST], reorder;
    int count;
    int64_t row, elements; /* of a row, of all */
    weir_index_map map;    /* of the Reorder */
} chain;

static int64_t row_of(const weir_graph *graph, weir_value value) {
    const weir_shape *shape = &weir_value_type(graph, value)->shape;
    return shape->rank == 0 ? 1 : shape->dim[shape->rank - 1];
}

/* Does it the same with each row, whatever the others are? */
static bool is_by_row(const weir_graph *graph, weir_node node, int64_t row) {
    const weir_op op = weir_node_op(graph, node);
    const weir_fusion_pattern pattern = weir_fusion_pattern_of(op);
    bool fine = op == WEIR_OP_SOFTMAX_CODES || op == WEIR_OP_SOFTMAX_INTEGER || pattern == WEIR_PATTERN_ELEMWISE ||
                pattern == WEIR_PATTERN_BROADCAST;
    for (size_t i = 1; i < weir_node_input_count(graph, node) && fine; i++)
        fine = weir_node_input(graph, node, i).id == 0 ||
               weir_value_constant(graph, weir_node_input(graph, node, i)) != NULL;
    return fine && weir_node_output_count(graph, node) == 1 && row_of(graph, weir_node_output(graph, node, 0)) == row;
}

/* Another shape of the same elements? */
static bool is_shape(const weir_graph *graph, weir_node node) {
    if (node.id == 0 || !weir_index_map_keeps(weir_node_op(graph, node)) || weir_node_input_count(graph, node) != 2)
        return false;
    const weir_array *dims = weir_value_constant(graph, weir_node_input(graph, node, 1));
    return dims != NULL && (int)dims->count == weir_value_type(graph, weir_node_output(graph, node, 0))->shape.rank;
}

/* Does it add a number to each element of several rows, which have a shape for that? */
static bool is_by_element(const weir_graph *graph, weir_node node, int64_t row) {
    return weir_node_op(graph, node) == WEIR_OP_CAST_CODES && weir_node_input_count(graph, node) == 2 &&
           row_of(graph, weir_node_output(graph, node, 0)) % row == 0 &&
           is_shape(graph, weir_value_producer(graph, weir_node_input(graph, node, 0)));
}

/* Does the model use in one place alone what the value stands for there? */
static bool is_for_one(const weir_lowering *l, uint32_t id, weir_value value) {
    const weir_lowering_value *known = &l->of[id];
    const weir_expression_kind source = weir_expression_source(known->expression);
    if (known->carried.id == value.id || known->host.id == value.id || known->sums.id == value.id) return false;
    if (source == WEIR_EXPRESSION_SUM) {
        const weir_leaf_sum *sum = weir_expression_sum_of(known->expression);
        return sum->left.codes.id != value.id && sum->right.codes.id != value.id;
    }
    if (source != WEIR_EXPRESSION_CODES || weir_expression_codes_of(known->expression).id != value.id) return true;
    return weir_value_use_count(l->from, (weir_value){id}) <= 1 && !weir_value_is_output(l->from, (weir_value){id});
}

/* Is the value of no use but to the node that has been found behind it? */
static bool is_alone(const weir_lowering *l, weir_value value, bool is_last) {
    bool alone = weir_value_use_count(l->to, value) == (is_last ? 0 : 1);
    for (uint32_t id = 1; id < weir_graph_value_limit(l->from) && alone; id++)
        alone = !weir_value_exists(l->from, (weir_value){id}) || is_for_one(l, id, value);
    return alone;
}

/* Does it move whole rows, each to one place? */
static bool moves_rows(const weir_index_map *map, int64_t row) {
    int64_t next = 1;
    size_t elements, sources;
    if (!weir_index_map_is_regular(map) || weir_index_map_fills(map) || map->start != 0 || map->count == 0)
        return false;
    const weir_index_loop *last = &map->loop[map->count - 1];
    for (size_t i = 0; i + 1 < map->count; i++)
        if (map->loop[i].stride % row != 0) return false;
    for (size_t found = 0, i = 0; found < map->count; found++) { /* each stride is what the smaller ones reach */
        for (i = 0; i < map->count && map->loop[i].stride != next; i++) continue;
        if (i == map->count) return false;
        next *= map->loop[i].size;
    }
    return weir_shape_count(&map->to, &elements) && weir_shape_count(&map->from, &sources) && elements == sources &&
           (int64_t)elements == next && (row == 1 || (last->stride == 1 && last->size % row == 0));
}

static bool find_chain(const weir_lowering *l, weir_arena *arena, weir_value codes, chain *c) {
    size_t elements;
    *c = (chain){.row = row_of(l->to, codes)};
    weir_shape_count(&weir_value_type(l->to, codes)->shape, &elements);
    c->elements = (int64_t)elements;
    for (weir_value value = codes;; value = weir_node_input(l->to, c->node[c->count - 1], 0)) {
        const weir_node maker = weir_value_producer(l->to, value);
        if (maker.id == 0 || !is_alone(l, value, c->count == 0)) return false;
        if (weir_node_op(l->to, maker) == WEIR_OP_REORDER) {
            c->reorder = maker;
            return c->count > 0 && row_of(l->to, weir_node_input(l->to, maker, 0)) == c->row &&
                   weir_index_map_of_node(arena, l->to, maker, 0, &c->map) && moves_rows(&c->map, c->row);
        }
        if (c->count == MOST ||
            (!is_by_row(l->to, maker, c->row) && !is_by_element(l->to, maker, c->row) && !is_shape(l->to, maker)))
            return false;
        c->node[c->count++] = maker;
    }
}

/* What stands for values of the model is moved by the map first. */
static void move_leaves(weir_lowering *l, weir_value value, const weir_index_map *map) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_index_map kept = weir_index_map_keep(arena, &weir_value_type(l->to, value)->shape, &map->from);
    for (uint32_t id = 1; id < weir_graph_value_limit(l->from); id++) {
        const weir_expression *x = l->of[id].expression;
        if (weir_expression_source(x) != WEIR_EXPRESSION_CODES || weir_expression_codes_of(x).id != value.id) continue;
        weir_leaf leaf = *weir_expression_leaf(x);
        weir_index_map *whole = weir_arena_alloc(arena, sizeof *whole);
        *whole = weir_index_map_then(arena, &kept, map);
        if (leaf.map != NULL) *whole = weir_index_map_then(arena, whole, leaf.map);
        leaf.map = whole;
        l->of[id].expression = weir_expression_with_leaf(arena, x, &leaf);
    }
}

/* --- numbers by element --- */

/* The addends in the new order, with as few as repeat. */
static weir_array *move_addends(weir_lowering *l, const chain *c, const weir_array *old) {
    weir_arena *scratch = weir_arena_new();
    const int64_t *at = weir_index_map_positions(scratch, &c->map);
    int64_t *moved = weir_arena_array(scratch, (size_t)c->elements, sizeof *moved), period = c->row;
    for (int64_t k = 0; k < c->elements; k++) moved[at[k]] = weir_array_get_int(old, (size_t)(k % (int64_t)old->count));
    for (int64_t i = 0; i < c->elements; i++) {
        if (c->elements % period == 0 && moved[i] == moved[i % period]) continue;
        period += c->row;
        i = -1;
    }
    weir_array *made = weir_array_in(weir_graph_arena(l->to), old->dtype, &(weir_shape){1, {period}});
    for (int64_t i = 0; i < period; i++) weir_array_set_int(made, (size_t)i, moved[i]);
    weir_arena_free(scratch);
    return made;
}

static void set_constant(weir_lowering *l, weir_node node, const char *suffix, const weir_array *array) {
    char *name = weir_format("%s%s", weir_node_name(l->to, node), suffix);
    weir_node_set_input(l->to, node, 1, weir_graph_add_constant(l->to, name, array));
    free(name);
}

/* Elements of a row that the operator behind it takes. */
static void set_shape(weir_lowering *l, weir_node node, int64_t elements, int64_t row) {
    weir_array *dims = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){1, {2}});
    weir_array_set_int(dims, 0, elements / row);
    weir_array_set_int(dims, 1, row);
    set_constant(l, node, "_pulled", dims);
}

/* Shapes of rows, before addends of as many elements as these have; true unless inference fails. */
static bool take_rows(weir_lowering *l, const chain *c) {
    for (int i = c->count - 1; i >= 0; i--) {
        const bool adds = i > 0 && is_shape(l->to, c->node[i]) && !is_by_row(l->to, c->node[i - 1], c->row) &&
                          is_by_element(l->to, c->node[i - 1], c->row);
        int64_t row = c->row;
        if (adds) {
            const weir_value old = weir_node_input(l->to, c->node[i - 1], 1);
            const weir_array *moved = move_addends(l, c, weir_value_constant(l->to, old));
            set_constant(l, c->node[i - 1], "_pulled", moved);
            row = (int64_t)moved->count;
        }
        if (is_shape(l->to, c->node[i])) set_shape(l, c->node[i], c->elements, row);
        if (!weir_infer_node(l->to, c->node[i])) return false;
    }
    return true;
}

bool weir_lower_pull(weir_lowering *l, weir_value codes, weir_index_map *map) {
    weir_arena *arena = weir_graph_arena(l->to);
    chain c;
    if (!find_chain(l, arena, codes, &c)) return false;
    *map = c.map;
    weir_node_set_input(l->to, c.node[c.count - 1], 0, weir_node_input(l->to, c.reorder, 0));
    if (!take_rows(l, &c)) weir_unreachable("operators on rows take them in any order");
    for (int i = c.count - 1; i >= 0; i--) move_leaves(l, weir_node_output(l->to, c.node[i], 0), map);
    return true;
}
