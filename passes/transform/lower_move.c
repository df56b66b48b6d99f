/* Lowering of the operators that move elements: Slice, Split, Pad, Resize, DepthToSpace, SpaceToDepth, Tile, Gather, Expand and
 * Transpose become Reorder. The operator's own kernel says where elements come from: it moves their positions, and nested loops
 * that walk these are found. Along an axis with any other indices a product picks elements, with a matrix of a one a row. A quantizer that takes all of the result comes before it, so that what is added has a code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/kernel.h"
#include "ir/geometry.h"
#include "ir/infer.h"
#include "ir/layout.h"
#include "passes/transform/rewrite.h"
#include "passes/transform/view.h"
#include "support/arena.h"

static size_t count_of(const weir_shape *shape) {
    size_t count = 0;
    weir_shape_count(shape, &count);
    return count;
}

/* --- where elements come from --- */

/* For each element of each output its position in input 0, on the heap; false after a reported error. */
static bool find_positions(weir_lowering *l, weir_node node, weir_array **to) {
    const size_t slots = (size_t)weir_node_info(l->from, node)->inputs_max;
    const weir_array **inputs = weir_calloc(slots, sizeof *inputs);
    weir_array *places =
        weir_array_new(WEIR_INT64, &weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape);
    bool fine = true;
    for (size_t i = 0; i < places->count; i++) weir_array_set_int(places, i, (int64_t)i);
    inputs[0] = places;
    for (size_t i = 1; i < weir_node_input_count(l->from, node); i++) {
        const weir_value value = weir_node_input(l->from, node, i);
        inputs[i] = value.id == 0 ? NULL : l->view[value.id].codes;
        if (value.id != 0 && inputs[i] == NULL) fine = weir_lower_fail(l, node, "input %zu must be a constant", i);
    }
    for (size_t i = 0; fine && i < weir_node_output_count(l->from, node); i++)
        to[i] = weir_array_new(WEIR_INT64, &weir_value_type(l->from, weir_node_output(l->from, node, i))->shape);
    if (fine) weir_kernel_run(l->from, node, inputs, to);
    weir_array_free(places);
    free(inputs);
    return fine;
}

/* The outermost positions of runs of `run`, each of which takes steps of `step`; false: some run differs. */
static bool take_runs(int64_t *place, size_t *count, size_t run, int64_t step) {
    if (*count % run != 0) return false;
    for (size_t i = 0; i < *count; i++)
        if (place[i] != place[i - i % run] + (int64_t)(i % run) * step) return false;
    *count /= run;
    for (size_t i = 0; i < *count; i++) place[i] = place[i * run];
    return true;
}

/* The loops that walk positions, the innermost found first: the longest run of equal steps. Changes the positions. */
static bool find_loops(weir_array *places, weir_reordering *r) {
    *r = (weir_reordering){.shape = places->shape};
    int64_t *place = places->data;
    size_t count = places->count;
    while (count > 1 && r->loops < WEIR_MAX_RANK) {
        size_t run = 2;
        const int64_t step = place[1] - place[0];
        while (run < count && place[run] - place[run - 1] == step) run++;
        if (!take_runs(place, &count, run, step)) return false;
        memmove(r->size + 1, r->size, (size_t)r->loops * sizeof *r->size);
        memmove(r->stride + 1, r->stride, (size_t)r->loops * sizeof *r->stride);
        r->size[0] = (int64_t)run;
        r->stride[0] = step;
        r->loops++;
    }
    r->start = place[0];
    return count == 1;
}

/* --- the node --- */

/* What reorders has its positions in what is reordered by the node that makes the codes. */
static weir_value read_through(const weir_lowering *l, weir_value codes, weir_array *places) {
    for (weir_node maker = weir_value_producer(l->to, codes);
         maker.id != 0 && weir_node_op(l->to, maker) == WEIR_OP_REORDER; maker = weir_value_producer(l->to, codes)) {
        weir_reordering r;
        weir_geometry_reordering(l->to, maker, &r);
        if (r.fills) break;
        for (size_t i = 0; i < places->count; i++)
            weir_array_set_int(places, i, weir_geometry_reordered(&r, weir_array_get_int(places, i)));
        codes = weir_node_input(l->to, maker, 0);
    }
    return codes;
}

/* Loops that walk the positions in the codes, or in what these are themselves reordered from. */
static bool find_walk(const weir_lowering *l, weir_value *codes, const weir_array *places, weir_reordering *r) {
    weir_array *copy = weir_array_copy(places);
    const weir_value source = read_through(l, *codes, copy);
    bool fine = find_loops(copy, r);
    weir_array_free(copy);
    if (fine) *codes = source;
    if (fine || source.id == codes->id) return fine;
    copy = weir_array_copy(places);
    fine = find_loops(copy, r);
    weir_array_free(copy);
    return fine;
}

/* The codes in the order of the positions; no value where no loops walk them, without an error. */
static weir_value walk(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                       const weir_array *places) {
    weir_reordering r;
    if (!find_walk(l, &codes, places, &r)) return WEIR_NO_VALUE;
    const size_t count = count_of(&weir_value_type(l->to, codes)->shape);
    const bool same = r.start == 0 && r.loops <= 1 && (r.loops == 0 || r.stride[0] == 1);
    if (same && count == count_of(&r.shape)) return weir_lower_reshape_as(l, node, suffix, codes, &r.shape);
    memcpy(r.end, r.size, sizeof r.end);
    return weir_lower_reorder(l, node, suffix, codes, &r, 0);
}

weir_value weir_lower_in_order(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                               const weir_reordering *r) {
    weir_array *places = weir_array_new(WEIR_INT64, &r->shape);
    for (size_t i = 0; i < places->count; i++) weir_array_set_int(places, i, weir_geometry_reordered(r, (int64_t)i));
    const weir_value result = walk(l, node, suffix, codes, places);
    weir_array_free(places);
    return result;
}

/* --- any index along an axis --- */

/* Where the output's indices along each axis are in the input, whatever the other indices are. */
typedef struct picking {
    weir_shape from, to;
    int64_t *at[WEIR_MAX_RANK];
} picking;

static void strides_of(const weir_shape *shape, int64_t *stride) {
    int64_t next = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        stride[i] = next;
        next *= shape->dim[i];
    }
}

/* The positions of all elements, in a tensor with these strides. */
static weir_array *positions_of(const picking *p, const int64_t *stride) {
    weir_array *places = weir_array_new(WEIR_INT64, &p->to);
    int64_t step[WEIR_MAX_RANK];
    strides_of(&p->to, step);
    for (size_t i = 0; i < places->count; i++) {
        int64_t at = 0;
        for (int a = 0; a < p->to.rank; a++) at += p->at[a][(int64_t)i / step[a] % p->to.dim[a]] * stride[a];
        weir_array_set_int(places, i, at);
    }
    return places;
}

static bool find_picking(const weir_shape *from, const weir_array *places, picking *p) {
    const int64_t *place = places->data;
    int64_t stride[WEIR_MAX_RANK], step[WEIR_MAX_RANK];
    *p = (picking){*from, places->shape, {NULL}};
    if (from->rank != places->shape.rank) return false;
    strides_of(from, stride);
    strides_of(&places->shape, step);
    for (int a = 0; a < from->rank; a++) {
        p->at[a] = weir_calloc((size_t)p->to.dim[a], sizeof **p->at);
        for (int64_t o = 0; o < p->to.dim[a]; o++) p->at[a][o] = place[o * step[a]] / stride[a] % from->dim[a];
    }
    weir_array *found = positions_of(p, stride);
    const bool fine = weir_array_equal(found, places);
    weir_array_free(found);
    return fine;
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
    weir_array *places = weir_array_new(WEIR_INT64, &x), *moved;
    for (size_t i = 0; i < places->count; i++) weir_array_set_int(places, i, (int64_t)i);
    const weir_shape shape = weir_layout_from_onnx(&x, order);
    moved = weir_array_new(WEIR_INT64, &shape);
    weir_layout_transpose_into(places, order, moved);
    snprintf(suffix, sizeof suffix, "_%d_%s", axis, what);
    const weir_value result = walk(l, node, suffix, codes, moved);
    weir_array_free(places);
    weir_array_free(moved);
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
    codes = l->view[weir_node_output(l->from, node, 0).id].value;
    const weir_type type =
        weir_lower_codes_type(&before.quant, &weir_value_type(l->to, codes)->shape, before.low, before.high);
    char suffix[32];
    snprintf(suffix, sizeof suffix, "_%d_codes", axis);
    codes = weir_lower_clip(l, node, suffix, codes, &type);
    return codes.id == 0 ? codes : move_axis(l, node, "outside", codes, axis, false);
}

/* The positions with as many dimensions as the data: those that a Gather's indices have are one, along its axis. */
static weir_array *along_axes(const weir_lowering *l, weir_node node, const weir_array *places) {
    weir_array *result = weir_array_copy(places);
    if (weir_node_op(l->from, node) != WEIR_OP_GATHER) return result;
    const weir_shape *data = &weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape;
    const weir_shape *indices = &weir_value_type(l->from, weir_node_input(l->from, node, 1))->shape;
    const int64_t axis = weir_node_int(l->from, node, "axis", 0), at = axis < 0 ? axis + data->rank : axis;
    result->shape = *data;
    result->shape.dim[at] = (int64_t)count_of(indices);
    return result;
}

/* Products along axes with any indices, then loops along the others; no value after a reported error. */
static weir_value pick_codes(weir_lowering *l, weir_node node, weir_value codes, const weir_array *places) {
    picking p;
    int64_t stride[WEIR_MAX_RANK];
    const bool fine = find_picking(&weir_value_type(l->to, codes)->shape, places, &p);
    if (!fine) weir_lower_fail(l, node, "its elements come from positions that no nested loops walk");
    weir_value result = fine ? codes : WEIR_NO_VALUE;
    for (int a = p.from.rank - 1; a >= 0 && result.id != 0; a--) {
        if (is_regular(&p, a)) continue;
        result = pick(l, node, result, &p, a);
        for (int64_t o = 0; o < p.to.dim[a]; o++) p.at[a][o] = o;
    }
    if (result.id != 0) {
        strides_of(&weir_value_type(l->to, result)->shape, stride);
        weir_array *rest = positions_of(&p, stride);
        result = walk(l, node, "", result, rest);
        weir_array_free(rest);
    }
    for (int a = 0; a < WEIR_MAX_RANK; a++) free(p.at[a]);
    return result;
}

static weir_value move_codes(weir_lowering *l, weir_node node, size_t output, weir_value codes,
                             const weir_array *places) {
    char suffix[24] = "";
    if (output > 0) snprintf(suffix, sizeof suffix, "_%zu", output);
    weir_value result = walk(l, node, suffix, codes, places);
    if (result.id != 0) return result;
    weir_array *along = along_axes(l, node, places);
    result = pick_codes(l, node, codes, along);
    weir_array_free(along);
    return result.id == 0 || weir_shape_equal(&weir_value_type(l->to, result)->shape, &places->shape)
               ? result
               : weir_lower_reshape_as(l, node, "_shaped", result, &places->shape);
}

/* --- rules --- */

static bool is_linear(const weir_graph *graph, weir_node node) {
    return weir_node_op(graph, node) == WEIR_OP_RESIZE &&
           strcmp(weir_node_string(graph, node, "mode", "nearest"), "linear") == 0;
}

/* The input as codes with one scale; false after a reported error. */
static bool read_input(weir_lowering *l, weir_node node, const weir_quant *behind, weir_view *view) {
    const weir_value input = weir_node_input(l->from, node, 0);
    if (weir_dtype_is_float(weir_value_type(l->from, input)->dtype)) {
        *view = (weir_view){.kind = WEIR_VIEW_CODES, .is_inside = behind != NULL};
        view->value = weir_lower_read_codes(l, node, 0, behind);
        if (view->value.id == 0) return false;
    } else {
        *view = l->view[input.id];
        view->accumulator = WEIR_NO_VALUE; /* those sums were not moved */
        if (view->kind != WEIR_VIEW_CODES || view->centered || view->reshaped)
            return weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
    }
    view->value = weir_lower_one_scale(l, node, view->value);
    return view->value.id != 0;
}

bool weir_lower_move(weir_lowering *l, weir_node node, const weir_quant *behind) {
    const size_t outputs = weir_node_output_count(l->from, node);
    weir_view view;
    if (is_linear(l->from, node)) return weir_lower_resize(l, node);
    if (outputs > 1) behind = NULL; /* each output has a quantizer of its own */
    if (!read_input(l, node, behind, &view)) return false;
    if (weir_node_op(l->from, node) == WEIR_OP_PAD) {
        const bool fine = weir_lower_pad(l, node, &view);
        weir_lower_set(l, node, &view);
        return fine;
    }
    weir_array **places = weir_calloc(outputs, sizeof *places);
    bool fine = find_positions(l, node, places);
    for (size_t i = 0; i < outputs; i++) {
        weir_view part = view;
        if (fine) part.value = move_codes(l, node, i, view.value, places[i]);
        l->view[weir_node_output(l->from, node, i).id] = part;
        fine = fine && part.value.id != 0;
        weir_array_free(places[i]);
    }
    free(places);
    return fine;
}

static bool reads(const weir_graph *graph, weir_node node, const bool *reached) {
    bool any = false;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) any |= reached[weir_node_input(graph, node, i).id];
    return any;
}

/* Is the node's result computed with again in hardware? O(nodes behind it). */
static bool leads_to_hardware(const weir_lowering *l, weir_node from) {
    bool *reached = weir_calloc(weir_graph_value_limit(l->from) + 1, sizeof *reached), found = false;
    reached[weir_node_output(l->from, from, 0).id] = true;
    for (weir_node node = weir_node_next(l->from, from); !found && node.id != 0; node = weir_node_next(l->from, node)) {
        if (!reads(l->from, node, reached)) continue;
        const weir_op op = weir_node_op(l->from, node);
        found = op != WEIR_OP_DEQUANTIZE_LINEAR && (weir_rewrite_is_quantizer(op) || !weir_lower_host_takes(op));
        for (size_t i = 0; i < weir_node_output_count(l->from, node); i++)
            reached[weir_node_output(l->from, node, i).id] = true;
    }
    free(reached);
    return found;
}

bool weir_lower_transposes(const weir_lowering *l, weir_node node) {
    const weir_view *x = &l->view[weir_node_input(l->from, node, 0).id];
    const bool comes_in = x->kind == WEIR_VIEW_CODES && weir_value_producer(l->to, x->value).id == 0;
    const bool data = x->kind == WEIR_VIEW_CODES || x->kind == WEIR_VIEW_SUM || x->kind == WEIR_VIEW_FUNCTION;
    int order[WEIR_MAX_RANK];
    weir_layout_permutation(l->from, node, order);
    return data && !comes_in &&
           !weir_layout_keeps_memory(&weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape, order) &&
           leads_to_hardware(l, node);
}
