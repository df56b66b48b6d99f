/* Loop nests of operators that move elements. */
#include <assert.h>
#include <string.h>

#include "ir/shape/geometry.h"
#include "ir/shape/index_map.h"
#include "ir/shape/loop_rule.h"

/* O = I, a loop for each dimension of the output, which it is written along. */
static weir_loop_operand *move(weir_loop_builder *b, uint32_t *first) {
    b->nest->body = WEIR_LOOP_MOVE;
    *first = weir_loop_add_shape(b, weir_loop_output_shape(b, 0));
    weir_loop_operand *out = weir_loop_write(b, 0);
    weir_loop_broadcast(b, out, *first, out->rank);
    return weir_loop_read(b, 'I', 0);
}

/* The same elements in the same order under other dimensions. */
void weir_loop_reshape(weir_loop_builder *b) {
    size_t count = 0;
    weir_shape_count(weir_loop_output_shape(b, 0), &count);
    b->nest->body = WEIR_LOOP_MOVE;
    const uint32_t e = weir_loop_add(b, "E", (int64_t)count, false);
    weir_loop_operand *operands[] = {weir_loop_write(b, 0), weir_loop_read(b, 'I', 0)};
    for (size_t i = 0; i < 2; i++) {
        operands[i]->is_flat = true;
        operands[i]->rank = 1;
        operands[i]->axis[0].size = (int64_t)count;
        weir_loop_term(operands[i], 0, e, 1);
    }
}

void weir_loop_copy(weir_loop_builder *b) {
    uint32_t first;
    weir_loop_operand *in = move(b, &first);
    weir_loop_broadcast(b, in, first, weir_loop_output_shape(b, 0)->rank);
}

void weir_loop_fork(weir_loop_builder *b) {
    weir_loop_copy(b);
    for (size_t i = 1; i < weir_node_output_count(b->graph, b->node); i++) {
        weir_loop_operand *out = weir_loop_write(b, i);
        weir_loop_broadcast(b, out, 0, out->rank);
    }
}

void weir_loop_transpose(weir_loop_builder *b) {
    const weir_attribute *perm = weir_node_attribute(b->graph, b->node, "perm");
    uint32_t first;
    weir_loop_operand *in = move(b, &first);
    for (int i = 0; i < in->rank; i++)
        weir_loop_term(in, perm != NULL ? (int)perm->as.ints[i] : in->rank - 1 - i, first + (uint32_t)i, 1);
}

void weir_loop_slice(weir_loop_builder *b) {
    weir_slice slice;
    uint32_t first;
    weir_loop_operand *in = move(b, &first);
    weir_geometry_slice(b->graph, b->node, &slice);
    for (int i = 0; i < in->rank; i++) {
        in->axis[i].offset = slice.start[i];
        weir_loop_term(in, i, first + (uint32_t)i, slice.step[i]);
    }
}

/* Outside the input is the fill value; other modes take elements from inside. */
void weir_loop_pad(weir_loop_builder *b) {
    weir_padding padding;
    uint32_t first;
    weir_loop_operand *in = move(b, &first);
    weir_geometry_padding(b->graph, b->node, &padding);
    for (int i = 0; i < in->rank; i++) {
        in->axis[i].offset = -padding.begin[i];
        in->axis[i].is_indirect = padding.mode != WEIR_PAD_CONSTANT && padding.out[i] != in->axis[i].size;
        weir_loop_term(in, i, first + (uint32_t)i, 1);
    }
}

void weir_loop_resize(weir_loop_builder *b) {
    const weir_shape *y = weir_loop_output_shape(b, 0);
    uint32_t first;
    weir_loop_operand *in = move(b, &first);
    for (int i = 0; i < in->rank; i++) {
        in->axis[i].is_indirect = in->axis[i].size != y->dim[i];
        weir_loop_term(in, i, first + (uint32_t)i, 1);
    }
}

/* O[k] = I[the index map of k]: its loops over the elements in memory; a table and a fill value are a rule. */
void weir_loop_moved(weir_loop_builder *b) {
    weir_index_map map;
    const bool moves = weir_index_map_of_node(b->arena, b->graph, b->node, 0, &map);
    assert(moves);
    (void)moves;
    size_t count = 0;
    int64_t stride = 1;
    weir_shape_count(&map.from, &count);
    b->nest->body = WEIR_LOOP_MOVE;
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    out->is_flat = in->is_flat = true;
    out->rank = in->rank = 1;
    in->axis[0] = (weir_loop_axis){.size = (int64_t)count,
                                   .offset = map.start,
                                   .is_indirect = weir_index_map_fills(&map) || !weir_index_map_is_regular(&map)};
    out->axis[0] = (weir_loop_axis){.size = 0};
    for (size_t i = 0; i < map.count; i++)
        weir_loop_add(b, (const char[]){'D', (char)('0' + i), '\0'}, map.loop[i].size, false);
    for (size_t i = map.count; i-- > 0; stride *= map.loop[i].size) {
        weir_loop_term(out, 0, (uint32_t)i, stride);
        weir_loop_term(in, 0, (uint32_t)i, map.loop[i].stride);
    }
    out->axis[0].size = stride;
}

/* The axis is replaced by the indices' dimensions. */
void weir_loop_gather(weir_loop_builder *b) {
    uint32_t first;
    weir_loop_operand *in = move(b, &first), *indices = weir_loop_read(b, 'P', 1);
    const int64_t wanted = weir_node_int(b->graph, b->node, "axis", 0);
    const int axis = (int)(wanted < 0 ? wanted + in->rank : wanted);
    in->axis[axis].is_indirect = true;
    for (int i = 0; i < in->rank; i++) {
        if (i == axis) continue;
        weir_loop_term(in, i, first + (uint32_t)(i < axis ? i : i - 1 + indices->rank), 1);
    }
    for (int i = 0; i < indices->rank; i++) weir_loop_term(indices, i, first + (uint32_t)(axis + i), 1);
}

/* Positions along the last axis; the result of a vector has a dimension of 1 in front. */
void weir_loop_array_feature_extractor(weir_loop_builder *b) {
    uint32_t first;
    weir_loop_operand *in = move(b, &first), *indices = weir_loop_read(b, 'P', 1);
    const int rank = weir_loop_output_shape(b, 0)->rank, last = in->rank - 1;
    in->axis[last].is_indirect = true;
    for (int i = 0; i < last; i++) weir_loop_term(in, i, first + (uint32_t)i, 1);
    indices->is_flat = true;
    indices->rank = 1;
    indices->axis[0].size = weir_loop_output_shape(b, 0)->dim[rank - 1];
    weir_loop_term(indices, 0, first + (uint32_t)rank - 1, 1);
}

/* O[k] = I[start + strides * k's digits] */
void weir_loop_reorder(weir_loop_builder *b) {
    weir_reordering r;
    const bool fine = weir_geometry_reordering(b->graph, b->node, &r);
    assert(fine);
    (void)fine;
    b->nest->body = WEIR_LOOP_MOVE;
    weir_shape sizes = {.rank = r.loops};
    memcpy(sizes.dim, r.size, sizeof sizes.dim);
    const uint32_t first = weir_loop_add_shape(b, &sizes);
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    size_t count = 0;
    int64_t stride = 1;
    weir_shape_count(weir_loop_input_shape(b, 0), &count);
    out->is_flat = in->is_flat = true;
    out->rank = in->rank = 1;
    in->axis[0] = (weir_loop_axis){.size = (int64_t)count, .offset = r.start, .is_indirect = r.fills};
    for (int i = r.loops - 1; i >= 0; i--) {
        weir_loop_term(out, 0, first + (uint32_t)i, stride);
        weir_loop_term(in, 0, first + (uint32_t)i, r.stride[i]);
        stride *= r.size[i];
    }
    out->axis[0].size = stride;
}

static int axis_of(const weir_loop_builder *b, int rank) {
    const int64_t axis = weir_node_int(b->graph, b->node, "axis", 0);
    return (int)(axis < 0 ? axis + rank : axis);
}

/* Each input is at its offset along the axis. */
void weir_loop_concat(weir_loop_builder *b) {
    uint32_t first;
    weir_loop_operand *in = move(b, &first);
    const int axis = axis_of(b, in->rank);
    int64_t offset = 0;
    for (size_t i = 0; i < weir_node_input_count(b->graph, b->node); i++) {
        if (i > 0) in = weir_loop_read(b, 'I', i);
        for (int d = 0; d < in->rank; d++) weir_loop_term(in, d, first + (uint32_t)d, 1);
        in->axis[axis].offset = -offset;
        offset += in->axis[axis].size;
    }
}

/* The loops are the input's dimensions, of which each output has its part. */
void weir_loop_split(weir_loop_builder *b) {
    const weir_shape *x = weir_loop_input_shape(b, 0);
    const int axis = axis_of(b, x->rank);
    int64_t offset = 0;
    b->nest->body = WEIR_LOOP_MOVE;
    const uint32_t first = weir_loop_add_shape(b, x);
    weir_loop_broadcast(b, weir_loop_read(b, 'I', 0), first, x->rank);
    for (size_t i = 0; i < weir_node_output_count(b->graph, b->node); i++) {
        weir_loop_operand *out = weir_loop_write(b, i);
        for (int d = 0; d < x->rank; d++) weir_loop_term(out, d, first + (uint32_t)d, 1);
        out->axis[axis].offset = -offset;
        offset += out->axis[axis].size;
    }
}

/* No element is read. */
void weir_loop_write_only(weir_loop_builder *b) {
    const uint32_t first = weir_loop_add_shape(b, weir_loop_output_shape(b, 0));
    weir_loop_operand *out = weir_loop_write(b, 0);
    weir_loop_broadcast(b, out, first, out->rank);
}
