/* The index map of each operator that only moves elements: a rule that its row of op.def names. */
#include "ir/shape/geometry.h"
#include "ir/shape/index_map.h"
#include "ir/shape/infer_rule.h"
#include "ir/shape/layout.h"
#include "support/memory/arena.h"

/* What a rule sees. */
typedef struct move {
    weir_arena *arena;
    const weir_graph *graph;
    weir_node node;
    size_t output;
    weir_shape from, to;
} move;

/* The map of the node; false: it does not only move elements, or how is not constant. */
typedef bool rule(const move *m, weir_index_map *map);

static bool keep(const move *m, weir_index_map *map) {
    *map = weir_index_map_keep(m->arena, &m->from, &m->to);
    return true;
}

static bool transpose(const move *m, weir_index_map *map) {
    int order[WEIR_MAX_RANK];
    weir_layout_permutation(m->graph, m->node, order);
    *map = weir_index_map_transpose(m->arena, &m->from, order);
    return true;
}

/* --- an index along each axis --- */

typedef struct axes {
    int64_t *at[WEIR_MAX_RANK];
} axes;

/* Each axis of the result is that of the source, from index 0 on. */
static axes new_axes(const move *m) {
    axes a = {{NULL}};
    for (int i = 0; i < m->to.rank; i++) {
        a.at[i] = weir_arena_array(m->arena, (size_t)m->to.dim[i], sizeof **a.at);
        for (int64_t o = 0; o < m->to.dim[i]; o++) a.at[i][o] = o;
    }
    return a;
}

static bool take_axes(const move *m, const axes *a, weir_index_map *map) {
    *map = weir_index_map_along(m->arena, &m->from, &m->to, (const int64_t *const *)a->at);
    return true;
}

static bool slice(const move *m, weir_index_map *map) {
    weir_slice s;
    axes a = new_axes(m);
    if (!weir_geometry_slice(m->graph, m->node, &s)) return false;
    for (int i = 0; i < m->to.rank; i++)
        for (int64_t o = 0; o < m->to.dim[i]; o++) a.at[i][o] = s.start[i] + o * s.step[i];
    return take_axes(m, &a, map);
}

static int axis_of(const move *m) {
    const int64_t axis = weir_node_int(m->graph, m->node, "axis", 0);
    return (int)(axis < 0 ? axis + m->from.rank : axis);
}

static bool split(const move *m, weir_index_map *map) {
    const int axis = axis_of(m);
    axes a = new_axes(m);
    int64_t first = 0;
    for (size_t i = 0; i < m->output; i++)
        first += weir_value_type(m->graph, weir_node_output(m->graph, m->node, i))->shape.dim[axis];
    for (int64_t o = 0; o < m->to.dim[axis]; o++) a.at[axis][o] += first;
    return take_axes(m, &a, map);
}

static bool pad(const move *m, weir_index_map *map) {
    weir_padding p;
    axes a = new_axes(m);
    if (!weir_geometry_padding(m->graph, m->node, &p)) return false;
    for (int i = 0; i < m->to.rank; i++)
        for (int64_t o = 0; o < m->to.dim[i]; o++) a.at[i][o] = weir_geometry_padded(&p, i, m->from.dim[i], o);
    return take_axes(m, &a, map);
}

static bool resize(const move *m, weir_index_map *map) {
    weir_resizing r;
    axes a = new_axes(m);
    if (!weir_geometry_resizing(m->graph, m->node, &r) || r.is_linear) return false;
    for (int i = 0; i < m->to.rank; i++)
        for (int64_t o = 0; o < m->to.dim[i]; o++) a.at[i][o] = weir_geometry_resized(&r, i, m->from.dim[i], o);
    return take_axes(m, &a, map);
}

static bool tile(const move *m, weir_index_map *map) {
    axes a = new_axes(m);
    for (int i = 0; i < m->to.rank; i++)
        for (int64_t o = 0; o < m->to.dim[i]; o++) a.at[i][o] = o % m->from.dim[i];
    return take_axes(m, &a, map);
}

/* Dimensions that the source lacks in front, and those of one element, give the same for every index. */
static bool expand(const move *m, weir_index_map *map) {
    move same = *m;
    const int more = m->to.rank - m->from.rank;
    same.from.rank = m->to.rank;
    for (int i = 0; i < m->to.rank; i++) same.from.dim[i] = i < more ? 1 : m->from.dim[i - more];
    axes a = new_axes(&same);
    for (int i = 0; i < m->to.rank; i++)
        for (int64_t o = 0; o < m->to.dim[i] && same.from.dim[i] == 1; o++) a.at[i][o] = 0;
    take_axes(&same, &a, map);
    map->from = m->from;
    return true;
}

/* Elements before an axis, at its constant indices, and behind it. */
static bool gather_along(const move *m, int axis, weir_index_map *map) {
    const weir_array *indices = weir_rule_constant(m->graph, m->node, 1);
    int64_t outer = 1, inner = 1;
    const int64_t dim = m->from.dim[axis];
    if (indices == NULL) return false;
    for (int i = 0; i < axis; i++) outer *= m->from.dim[i];
    for (int i = axis + 1; i < m->from.rank; i++) inner *= m->from.dim[i];
    int64_t *table = weir_arena_array(m->arena, indices->count, sizeof *table);
    for (size_t i = 0; i < indices->count; i++) {
        const int64_t index = weir_array_get_int(indices, i);
        table[i] = (index < 0 ? index + dim : index) * inner;
    }
    const int64_t count = (int64_t)indices->count;
    const weir_index_loop loop[] = {
        {outer, dim * inner, 0, outer, NULL}, {.size = count, .end = count, .at = table}, {inner, 1, 0, inner, NULL}};
    *map = weir_index_map_loops(m->arena, &m->from, &m->to, 0, loop, sizeof loop / sizeof *loop);
    return true;
}

static bool gather(const move *m, weir_index_map *map) { return gather_along(m, axis_of(m), map); }

static bool gather_last(const move *m, weir_index_map *map) { return gather_along(m, m->from.rank - 1, map); }

/* The first elements of each sequence, as many as it is long, in reverse order. */
static bool reverse_sequence(const move *m, weir_index_map *map) {
    const weir_array *lengths = weir_rule_constant(m->graph, m->node, 1);
    const bool by_column = weir_node_int(m->graph, m->node, "time_axis", 0) == 0;
    int64_t inner = 1, count = 0;
    for (int i = 2; i < m->from.rank; i++) inner *= m->from.dim[i];
    int64_t *position = weir_arena_array(m->arena, (size_t)(m->from.dim[0] * m->from.dim[1] * inner), sizeof *position);
    for (int64_t row = 0; row < m->from.dim[0]; row++) {
        for (int64_t column = 0; column < m->from.dim[1]; column++) {
            const int64_t length = weir_array_get_int(lengths, (size_t)(by_column ? column : row));
            const int64_t time = by_column ? row : column, from = time < length ? length - 1 - time : time;
            const int64_t first = (by_column ? from * m->from.dim[1] + column : row * m->from.dim[1] + from) * inner;
            for (int64_t i = 0; i < inner; i++) position[count++] = first + i;
        }
    }
    *map = weir_index_map_table(m->arena, &m->from, &m->to, position);
    return true;
}

/* --- blocks, loops --- */

/* The wide tensor's elements in the deep one. */
static bool to_space(const move *m, const weir_shape *deep, const weir_shape *wide, weir_index_map *map) {
    weir_blocks b;
    if (!weir_geometry_blocks(m->graph, m->node, &m->from, deep == &m->from, &b)) return false;
    const int64_t plane = b.height * b.width;
    const weir_index_loop loop[] = {{b.batch, b.channels * b.size * b.size * plane, 0, b.batch, NULL},
                                    {b.channels, b.channel_stride * plane, 0, b.channels, NULL},
                                    {b.height, b.width, 0, b.height, NULL},
                                    {b.size, b.row_stride * plane, 0, b.size, NULL},
                                    {b.width, 1, 0, b.width, NULL},
                                    {b.size, b.column_stride * plane, 0, b.size, NULL}};
    *map = weir_index_map_loops(m->arena, deep, wide, 0, loop, sizeof loop / sizeof *loop);
    return true;
}

static bool depth_to_space(const move *m, weir_index_map *map) { return to_space(m, &m->from, &m->to, map); }

static bool space_to_depth(const move *m, weir_index_map *map) {
    weir_index_map back;
    return to_space(m, &m->to, &m->from, &back) && weir_index_map_invert(m->arena, &back, map);
}

static bool reorder(const move *m, weir_index_map *map) {
    weir_reordering r;
    weir_index_loop loop[WEIR_MAX_RANK];
    if (!weir_geometry_reordering(m->graph, m->node, &r)) return false;
    for (int i = 0; i < r.loops; i++) loop[i] = (weir_index_loop){r.size[i], r.stride[i], r.begin[i], r.end[i], NULL};
    *map = weir_index_map_loops(m->arena, &m->from, &m->to, r.start, loop, (size_t)r.loops);
    return true;
}

static bool none(const move *m, weir_index_map *map) {
    (void)m;
    (void)map;
    return false;
}

static rule *rule_of(weir_op op) {
    static rule *const rules[WEIR_OP_COUNT] = {
        [WEIR_OP_NONE] = none,
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = __VA_ARGS__
#define MOVE(rule) rule,
#include "ir/graph/op.def"
    };
    return op < WEIR_OP_COUNT ? rules[op] : none;
}

bool weir_index_map_exists(weir_op op) { return rule_of(op) != none; }

bool weir_index_map_keeps(weir_op op) { return rule_of(op) == keep; }

bool weir_index_map_reshapes(weir_op op) { return rule_of(op) == keep || rule_of(op) == transpose; }

/* The node's data in another order than ONNX's: from that, the operator, and back. */
static bool laid_out(const move *m, rule *found, weir_index_map *map) {
    int order[WEIR_MAX_RANK], back[WEIR_MAX_RANK];
    if (!weir_layout_order(m->graph, m->node, order)) return false;
    for (int i = 0; i < m->from.rank; i++) back[order[i]] = i;
    move inner = *m;
    inner.from = weir_layout_to_onnx(&m->from, order);
    inner.to = weir_layout_to_onnx(&m->to, order);
    if (!found(&inner, map)) return false;
    const weir_index_map to_onnx = weir_index_map_transpose(m->arena, &m->from, back);
    const weir_index_map from_onnx = weir_index_map_transpose(m->arena, &inner.to, order);
    *map = weir_index_map_then(m->arena, &to_onnx, map);
    *map = weir_index_map_then(m->arena, map, &from_onnx);
    return true;
}

bool weir_index_map_of_node(weir_arena *arena, const weir_graph *graph, weir_node node, size_t index,
                            weir_index_map *map) {
    rule *found = rule_of(weir_node_op(graph, node));
    if (found == none) return false;
    const move m = {arena,
                    graph,
                    node,
                    index,
                    weir_value_type(graph, weir_node_input(graph, node, 0))->shape,
                    weir_value_type(graph, weir_node_output(graph, node, index))->shape};
    return weir_layout_is_changed(graph, node) ? laid_out(&m, found, map) : found(&m, map);
}
