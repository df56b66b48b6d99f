/* Lowering of the operators that move elements: Slice, Split, Pad, Resize, DepthToSpace, SpaceToDepth, Tile, Gather,
 * Expand and Transpose become Reorder, where nested loops walk the index map. Along an axis with any other indices a
 * product picks elements, with a matrix of a one a row. A quantizer that takes all of the result comes before it, so
 * that what is added has a code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/geometry.h"
#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

static size_t count_of(const weir_shape *shape) {
    size_t count = 0;
    weir_shape_count(shape, &count);
    return count;
}

/* --- loops --- */

/* The map as the loops of a Reorder that fills nothing; false: it has other ones, or too many. */
static bool take_loops(const weir_index_map *map, weir_reordering *r) {
    *r = (weir_reordering){.shape = map->to, .loops = (int)map->count, .start = map->start};
    if (!weir_index_map_is_regular(map) || weir_index_map_fills(map) || map->count > WEIR_MAX_RANK) return false;
    for (size_t i = 0; i < map->count; i++) {
        r->size[i] = map->loop[i].size;
        r->stride[i] = map->loop[i].stride;
        r->end[i] = r->size[i];
    }
    return true;
}

/* What reorders has its elements in what is reordered by the node that makes the codes, and so on. */
static weir_value read_through(const weir_lowering *l, weir_arena *arena, weir_value codes, weir_index_map *map) {
    for (weir_node maker = weir_value_producer(l->to, codes);
         maker.id != 0 && weir_node_op(l->to, maker) == WEIR_OP_REORDER; maker = weir_value_producer(l->to, codes)) {
        weir_index_map before;
        weir_index_map_of_node(arena, l->to, maker, 0, &before);
        if (weir_index_map_fills(&before)) break;
        *map = weir_index_map_then(arena, &before, map);
        codes = weir_node_input(l->to, maker, 0);
    }
    return codes;
}

/* The codes in the order of the map; no value where no loops walk them, without an error. */
static weir_value reorder(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                          const weir_index_map *map) {
    weir_arena *arena = weir_arena_new();
    weir_index_map whole = *map;
    weir_reordering r;
    const weir_value source = read_through(l, arena, codes, &whole);
    const bool through = take_loops(&whole, &r), fine = through || take_loops(map, &r);
    const bool keeps = weir_index_map_is_kept(through ? &whole : map);
    weir_arena_free(arena);
    if (!fine) return WEIR_NO_VALUE;
    codes = through ? source : codes;
    return keeps ? weir_lower_reshape_as(l, node, suffix, codes, &r.shape)
                 : weir_lower_reorder(l, node, suffix, codes, &r, 0);
}

weir_value weir_lower_in_order(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                               const weir_reordering *r) {
    weir_arena *arena = weir_arena_new();
    weir_index_loop loop[WEIR_MAX_RANK];
    for (int i = 0; i < r->loops; i++) loop[i] = (weir_index_loop){r->size[i], r->stride[i], 0, r->size[i], NULL};
    const weir_index_map map =
        weir_index_map_loops(arena, &weir_value_type(l->to, codes)->shape, &r->shape, r->start, loop, (size_t)r->loops);
    const weir_value result = reorder(l, node, suffix, codes, &map);
    weir_arena_free(arena);
    return result;
}

/* --- any index along an axis --- */

/* Where the output's indices along each axis are in the input, whatever the other indices are. */
typedef struct picking {
    weir_shape from, to;
    int64_t *at[WEIR_MAX_RANK];
} picking;

static int64_t stride_of(const weir_shape *shape, int axis) {
    int64_t stride = 1;
    for (int i = axis + 1; i < shape->rank; i++) stride *= shape->dim[i];
    return stride;
}

/* The same elements, of an input with as many dimensions as `to` has. */
static weir_index_map map_of(weir_arena *arena, const picking *p) {
    return weir_index_map_along(arena, &p->from, &p->to, (const int64_t *const *)p->at);
}

static bool find_picking(weir_arena *arena, const weir_index_map *map, picking *p) {
    *p = (picking){map->from, map->to, {NULL}};
    if (map->from.rank != map->to.rank) return false;
    for (int a = 0; a < p->to.rank; a++) {
        p->at[a] = weir_arena_array(arena, (size_t)p->to.dim[a], sizeof **p->at);
        for (int64_t o = 0; o < p->to.dim[a]; o++)
            p->at[a][o] = weir_index_map_at(map, o * stride_of(&p->to, a)) / stride_of(&p->from, a) % p->from.dim[a];
    }
    const weir_index_map found = map_of(arena, p);
    return weir_index_map_equal(&found, map);
}

static bool is_regular(const picking *p, int axis) {
    bool fine = true;
    for (int64_t o = 2; o < p->to.dim[axis]; o++)
        fine &= p->at[axis][o] - p->at[axis][o - 1] == p->at[axis][1] - p->at[axis][0];
    return fine;
}

/* The axis moves between its place and the innermost one. */
static weir_value move_axis(weir_lowering *l, weir_node node, const char *what, weir_value codes, int axis,
                            bool inside) {
    const weir_shape x = weir_value_type(l->to, codes)->shape;
    const int last = x.rank - 1;
    int order[WEIR_MAX_RANK];
    char suffix[32];
    for (int i = 0; i <= last; i++) {
        if (inside) order[i] = i == last ? axis : i < axis ? i : i + 1;
        else order[i] = i == axis ? last : i < axis ? i : i - 1;
    }
    weir_arena *arena = weir_arena_new();
    const weir_index_map moved = weir_index_map_transpose(arena, &x, order);
    snprintf(suffix, sizeof suffix, "_%d_%s", axis, what);
    const weir_value result = reorder(l, node, suffix, codes, &moved);
    weir_arena_free(arena);
    return result;
}

/* A product with a matrix that has a single one in each row: the same codes. */
static weir_value pick(weir_lowering *l, weir_node node, weir_value codes, const picking *p, int axis) {
    static const double one = 1;
    const weir_quant quant = {.format = WEIR_FORMAT_INTEGER, .axis = -1, .count = 1, .scale = &one};
    const weir_shape shape = {2, {p->to.dim[axis], p->from.dim[axis]}};
    codes = move_axis(l, node, "inside", codes, axis, true);
    if (codes.id == 0) return codes;
    weir_array *matrix = weir_array_in(weir_graph_arena(l->to), WEIR_INT8, &shape);
    for (int64_t o = 0; o < shape.dim[0]; o++)
        weir_array_set_int(matrix, (size_t)(o * shape.dim[1] + p->at[axis][o]), 1);
    const weir_type before = *weir_value_type(l->to, codes);
    if (!weir_lower_product(l, node, codes, matrix, &quant, 1, NULL)) return WEIR_NO_VALUE;
    codes = weir_expression_codes_of(weir_lower_expression(l, weir_node_output(l->from, node, 0)));
    const weir_type type =
        weir_lower_codes_type(&before.quant, &weir_value_type(l->to, codes)->shape, before.low, before.high);
    char suffix[32];
    snprintf(suffix, sizeof suffix, "_%d_codes", axis);
    codes = weir_lower_clip(l, node, suffix, codes, &type);
    return codes.id == 0 ? codes : move_axis(l, node, "outside", codes, axis, false);
}

/* The map to a shape with as many dimensions as the data: those that a Gather's indices have are one, along its
 * axis. */
static weir_index_map along_axes(const weir_lowering *l, weir_node node, const weir_shape *data,
                                 const weir_index_map *map) {
    weir_index_map along = *map;
    along.from = *data;
    if (weir_trait_kind(l->from, node) != WEIR_OP_GATHER) return along;
    const weir_shape *indices = &weir_value_type(l->from, weir_node_input(l->from, node, 1))->shape;
    const int64_t axis = weir_node_int(l->from, node, "axis", 0), at = axis < 0 ? axis + map->from.rank : axis;
    along.to = map->from;
    along.to.dim[at] = (int64_t)count_of(indices);
    return along;
}

/* Products along axes with any indices, then loops along the others; no value after a reported error. */
static weir_value pick_codes(weir_lowering *l, weir_node node, weir_value codes, const weir_index_map *map) {
    weir_arena *arena = weir_arena_new();
    picking p;
    const bool fine = find_picking(arena, map, &p);
    if (!fine) weir_lower_fail(l, node, "its elements come from positions that no loop nest visits in order");
    weir_value result = fine ? codes : WEIR_NO_VALUE;
    for (int a = p.from.rank - 1; a >= 0 && result.id != 0; a--) {
        if (is_regular(&p, a)) continue;
        result = pick(l, node, result, &p, a);
        for (int64_t o = 0; o < p.to.dim[a]; o++) p.at[a][o] = o;
        p.from.dim[a] = p.to.dim[a];
    }
    if (result.id != 0) {
        const weir_index_map rest = map_of(arena, &p);
        result = reorder(l, node, "", result, &rest);
    }
    weir_arena_free(arena);
    return result;
}

static weir_value move_codes(weir_lowering *l, weir_node node, size_t output, weir_value codes,
                             const weir_index_map *map) {
    char suffix[24] = "";
    if (output > 0) snprintf(suffix, sizeof suffix, "_%zu", output);
    weir_value result = reorder(l, node, suffix, codes, map);
    if (result.id != 0) return result;
    const weir_index_map along = along_axes(l, node, &weir_value_type(l->to, codes)->shape, map);
    result = pick_codes(l, node, codes, &along);
    return result.id == 0 || weir_shape_equal(&weir_value_type(l->to, result)->shape, &map->to)
               ? result
               : weir_lower_reshape_as(l, node, "_shaped", result, &map->to);
}

/* --- rules --- */

static bool is_linear(const weir_graph *graph, weir_node node) {
    return strcmp(weir_node_string(graph, node, "mode", "nearest"), "linear") == 0;
}

/* The input as codes with one scale: `ahead` where they are those of the quantizer behind; NULL after a reported
 * error. */
static const weir_expression *read_input(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_value input = weir_node_input(l->from, node, 0);
    const weir_expression *x = weir_lower_expression(l, input);
    if (weir_dtype_is_float(weir_value_type(l->from, input)->dtype)) {
        const bool ahead = weir_expression_kind_of(x) == WEIR_EXPRESSION_CODES && weir_expression_leaf(x)->ahead;
        const weir_leaf leaf = {.codes = weir_lower_read_codes(l, node, 0, quantizer),
                                .ahead = ahead || quantizer != NULL};
        if (leaf.codes.id == 0) return NULL;
        x = weir_expression_of_leaf(arena, &leaf);
    } else if (weir_expression_source(x) != WEIR_EXPRESSION_CODES || weir_expression_leaf(x)->centered ||
               weir_expression_leaf(x)->map != NULL) {
        weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
        return NULL;
    }
    const weir_value codes = weir_lower_one_scale(l, node, weir_expression_codes_of(x));
    return codes.id == 0 ? NULL : weir_expression_with_codes(arena, x, codes);
}

bool weir_lower_move(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    const size_t outputs = weir_node_output_count(l->from, node);
    if (is_linear(l->from, node)) return weir_lower_resize(l, node);
    if (outputs > 1) quantizer = NULL; /* each output has a quantizer of its own */
    const weir_expression *x = read_input(l, node, quantizer);
    if (x == NULL) return false;
    weir_arena *arena = weir_graph_arena(l->to);
    if (weir_trait_kind(l->from, node) == WEIR_OP_PAD) {
        const weir_value padded = weir_lower_pad(l, node, weir_expression_codes_of(x), weir_expression_leaf(x)->ahead);
        return weir_lower_set_with_codes(l, node, x, padded);
    }
    weir_arena *maps = weir_arena_new();
    bool fine = true;
    for (size_t i = 0; i < outputs && fine; i++) {
        weir_index_map map;
        if (!weir_index_map_of_node(maps, l->from, node, i, &map)) {
            fine = weir_lower_fail(l, node, "the positions of its elements are not constant");
            break;
        }
        const weir_value moved = move_codes(l, node, i, weir_expression_codes_of(x), &map);
        fine = moved.id != 0;
        if (fine) weir_lower_become(l, weir_node_output(l->from, node, i), weir_expression_with_codes(arena, x, moved));
    }
    weir_arena_free(maps);
    return fine;
}

bool weir_lower_transposes(const weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    const bool comes_in = weir_expression_source(x) == WEIR_EXPRESSION_CODES &&
                          weir_value_producer(l->to, weir_expression_codes_of(x)).id == 0;
    int order[WEIR_MAX_RANK];
    weir_layout_permutation(l->from, node, order);
    return weir_expression_is_hardware(x) && !comes_in &&
           !weir_layout_keeps_memory(&weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape, order) &&
           weir_lower_leads_to_hardware(l, node);
}
