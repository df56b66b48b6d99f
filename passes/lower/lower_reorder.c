/* Codes in another order, or repeated: weir.Reorder. */
#include <assert.h>

#include "ir/shape/infer.h"
#include "passes/lower/lower.h"

weir_value weir_lower_reorder(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                              const weir_reordering *r, int64_t fill) {
    codes = weir_lower_one_scale(l, node, codes);
    if (codes.id == 0) return codes;
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_REORDER, suffix, &codes, 1, NULL);
    weir_node_set_ints(l->to, made, "shape", r->shape.dim, (size_t)r->shape.rank);
    weir_node_set_ints(l->to, made, "sizes", r->size, (size_t)r->loops);
    weir_node_set_ints(l->to, made, "strides", r->stride, (size_t)r->loops);
    weir_node_set_int(l->to, made, "start", r->start);
    if (r->fills) {
        weir_node_set_ints(l->to, made, "begins", r->begin, (size_t)r->loops);
        weir_node_set_ints(l->to, made, "ends", r->end, (size_t)r->loops);
        weir_node_set_int(l->to, made, "fill", fill);
    }
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

weir_value weir_lower_mapped(weir_lowering *l, weir_node old, weir_value codes, const weir_index_map *map) {
    if (map == NULL) return codes;
    if (weir_index_map_is_kept(map)) return weir_lower_reshape(l, old, codes, &map->to);
    weir_reordering r = {.shape = map->to, .loops = (int)map->count, .start = map->start};
    assert(weir_index_map_is_regular(map) && map->count <= WEIR_MAX_RANK); /* others: lower_move.c */
    for (int i = 0; i < r.loops; i++) {
        r.size[i] = r.end[i] = map->loop[i].size;
        r.stride[i] = map->loop[i].stride;
    }
    return weir_lower_reorder(l, old, "_result", codes, &r, 0);
}

/* Elements before, along and behind an axis. */
typedef struct lines {
    int64_t outer, length, inner;
} lines;

static lines lines_of(const weir_shape *shape, int axis) {
    lines l = {1, shape->dim[axis], 1};
    for (int i = 0; i < shape->rank; i++) {
        if (i < axis) l.outer *= shape->dim[i];
        if (i > axis) l.inner *= shape->dim[i];
    }
    return l;
}

weir_value weir_lower_rows(weir_lowering *l, weir_node node, weir_value codes, int axis) {
    const lines a = lines_of(&weir_value_type(l->to, codes)->shape, axis);
    const weir_shape rows = {2, {a.outer * a.inner, a.length}};
    const weir_reordering r = {.shape = rows,
                               .loops = 3,
                               .size = {a.outer, a.inner, a.length},
                               .end = {a.outer, a.inner, a.length},
                               .stride = {a.length * a.inner, 1, a.inner}};
    return a.inner == 1 ? weir_lower_reshape_as(l, node, "_rows", codes, &rows)
                        : weir_lower_reorder(l, node, "_rows", codes, &r, 0);
}

weir_value weir_lower_from_rows(weir_lowering *l, weir_node node, weir_value rows, const weir_shape *shape, int axis) {
    const lines a = lines_of(shape, axis);
    const weir_reordering r = {.shape = *shape,
                               .loops = 3,
                               .size = {a.outer, a.length, a.inner},
                               .end = {a.outer, a.length, a.inner},
                               .stride = {a.length * a.inner, 1, a.length}};
    return a.inner == 1 ? weir_lower_reshape(l, node, rows, shape) : weir_lower_reorder(l, node, "", rows, &r, 0);
}

weir_value weir_lower_padded(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                             const weir_shape *shape, const int64_t *begin, int64_t fill) {
    const weir_shape *own = &weir_value_type(l->to, codes)->shape;
    weir_reordering r = {.shape = *shape, .loops = own->rank};
    int64_t stride = 1;
    bool any = false;
    for (int i = own->rank - 1; i >= 0; i--) {
        r.size[i] = shape->dim[i];
        const int64_t end = begin[i] + own->dim[i];
        r.begin[i] = begin[i] > 0 ? begin[i] : 0;
        r.end[i] = end < r.size[i] ? end : r.size[i];
        r.stride[i] = stride;
        r.start -= begin[i] * stride;
        stride *= own->dim[i];
        r.fills |= r.begin[i] > 0 || r.end[i] < r.size[i];
        any |= begin[i] != 0 || r.size[i] != own->dim[i];
    }
    return any ? weir_lower_reorder(l, node, suffix, codes, &r, fill) : codes;
}

weir_value weir_lower_less(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                           const weir_quant *quant) {
    weir_type type = *weir_value_type(l->to, codes);
    weir_array *add = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){1, {quant->count}});
    int64_t low = INT64_MAX, high = INT64_MIN;
    type.quant = *quant;
    for (uint32_t c = 0; c < quant->count; c++) {
        const int64_t zero = weir_quant_zero(quant, c);
        weir_array_set_int(add, c, -zero);
        low = type.low - zero < low ? type.low - zero : low;
        high = type.high - zero > high ? type.high - zero : high;
    }
    type.quant.count = 1;
    type.quant.axis = -1;
    type.quant.zero_point = NULL;
    type.has_range = false;
    type.low = low;
    type.high = high;
    int64_t least, most;
    weir_quant_limits(&type.quant, &least, &most);
    if (low < least || high > most) { /* differences need more bits */
        type.quant.is_signed = low < 0;
        type.quant.width = weir_bits_for(low, high);
    }
    return weir_lower_shift(l, node, suffix, codes, add, &type);
}

weir_value weir_lower_less_zeros(weir_lowering *l, weir_node node, weir_value codes) {
    const weir_quant quant = weir_value_type(l->to, codes)->quant;
    return weir_lower_less(l, node, "_centered", codes, &quant);
}

bool weir_lower_scales_differ(const weir_lowering *l, weir_value codes) {
    const weir_quant *quant = &weir_value_type(l->to, codes)->quant;
    for (uint32_t c = 1; c < quant->count; c++)
        if (weir_quant_scale(quant, c) != weir_quant_scale(quant, 0)) return true;
    return false;
}

weir_value weir_lower_one_scale(weir_lowering *l, weir_node node, weir_value codes) {
    if (codes.id == 0 || weir_value_type(l->to, codes)->quant.count <= 1) return codes;
    if (weir_lower_scales_differ(l, codes)) {
        weir_lower_fail(l, node, "its input has a scale per channel: it needs a quantizer with one scale before it");
        return WEIR_NO_VALUE;
    }
    return weir_lower_less_zeros(l, node, codes);
}

weir_value weir_lower_broadcast(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                                const weir_shape *shape) {
    const weir_shape own = weir_value_type(l->to, codes)->shape;
    weir_reordering r = {.shape = *shape, .loops = shape->rank};
    size_t count = 0, all = 0;
    int64_t stride = 1;
    weir_shape_count(&own, &count);
    weir_shape_count(shape, &all);
    for (int i = shape->rank - 1; i >= 0; i--) {
        const int at = i - shape->rank + own.rank;
        const int64_t size = at < 0 ? 1 : own.dim[at];
        r.size[i] = r.end[i] = shape->dim[i];
        r.stride[i] = size == 1 ? 0 : stride;
        stride *= size;
    }
    if (weir_shape_equal(&own, shape)) return codes;
    codes = weir_lower_one_scale(l, node, codes);
    if (codes.id == 0) return codes;
    return count == all ? weir_lower_reshape_as(l, node, suffix, codes, shape)
                        : weir_lower_reorder(l, node, suffix, codes, &r, 0);
}
