/* Which value of the lowered graph stands for a value of the model, once all are lowered. */
#include <stdlib.h>
#include <string.h>

#include "passes/lower/lower.h"
#include "support/memory/arena.h"

static const weir_index_map *copy_map(weir_arena *arena, const weir_index_map *map) {
    weir_index_map *copy = weir_arena_alloc(arena, sizeof *copy);
    *copy = weir_index_map_loops(arena, &map->from, &map->to, map->start, map->loop, map->count);
    return copy;
}

/* `carried`: by value id of the new graph, of codes that are a function for users that take none. */
static void add_counterpart(weir_counterparts *to, weir_lowering *l, const bool *carried, uint32_t id) {
    const weir_lowering_value *known = &l->of[id];
    const weir_expression *x = known->expression;
    const weir_expression_kind kind = weir_expression_kind_of(x);
    const bool is_leaf = weir_expression_source(x) == WEIR_EXPRESSION_CODES;
    weir_counterpart *made = &to->of[id];
    made->follows = (kind == WEIR_EXPRESSION_STEP && !known->is_bounded) || kind == WEIR_EXPRESSION_FUNCTION ||
                    known->is_inside || (is_leaf && weir_expression_leaf(x)->ahead);
    if (is_leaf && weir_expression_leaf(x)->map != NULL && !weir_index_map_is_kept(weir_expression_leaf(x)->map))
        made->map = copy_map(to->arena, weir_expression_leaf(x)->map);
    if (is_leaf) made->rounding = weir_expression_leaf(x)->rounding;
    if (made->follows || known->is_bounded || !is_leaf) return;
    const weir_leaf *leaf = weir_expression_leaf(x);
    if (!weir_value_exists(l->to, leaf->codes)) return; /* a Reorder that became a part of the one behind it */
    made->is_kept = carried[leaf->codes.id];
    made->name = weir_arena_copy_string(to->arena, weir_value_name(l->to, leaf->codes));
    if (known->sums.id != 0) made->sums = weir_arena_copy_string(to->arena, weir_value_name(l->to, known->sums));
    made->codes = weir_value_type(l->from, (weir_value){id})->quant.format != WEIR_FORMAT_FLOAT && !leaf->centered;
    made->relu = kind == WEIR_EXPRESSION_RELU;
    const weir_interval needed = l->cuts ? weir_lower_needed(l, (weir_value){id}) : weir_lower_any;
    made->is_cut = l->cuts;
    made->least = needed.low;
    made->most = needed.high;
    made->windows = leaf->sums == WEIR_SUMS_WINDOWS;
    const double *numbers = weir_expression_numbers(x, &made->offset_count);
    if (numbers == NULL) return;
    double *offset = weir_arena_array(to->arena, made->offset_count, sizeof *offset);
    memcpy(offset, numbers, made->offset_count * sizeof *offset);
    made->offset = offset;
}

weir_counterparts *weir_lower_counterparts(weir_lowering *l) {
    weir_arena *arena = weir_arena_new();
    weir_counterparts *made = weir_arena_alloc(arena, sizeof *made);
    *made = (weir_counterparts){.arena = arena, .contract = l->contract, .limit = weir_graph_value_limit(l->from)};
    made->of = weir_arena_array(arena, made->limit, sizeof *made->of);
    bool *carried = weir_calloc(weir_graph_value_limit(l->to), sizeof *carried);
    for (uint32_t id = 1; id < made->limit; id++) {
        const weir_expression_kind kind = weir_expression_kind_of(l->of[id].expression);
        carried[l->of[id].carried.id] |= kind == WEIR_EXPRESSION_FUNCTION || kind == WEIR_EXPRESSION_STEP;
    }
    for (uint32_t id = 1; id < made->limit; id++) {
        if (weir_value_exists(l->from, (weir_value){id})) add_counterpart(made, l, carried, id);
    }
    free(carried);
    return made;
}
