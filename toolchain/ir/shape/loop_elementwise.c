/* Loop nests of operators that compute element by element, of reductions and normalizations. A normalization counts as
 * one visit of each element: its sums are taken once, not once an element. */
#include "ir/shape/geometry.h"
#include "ir/shape/layout.h"
#include "ir/shape/loop_rule.h"

static weir_loop_operand *write_all(weir_loop_builder *b, uint32_t *first) {
    b->nest->body = WEIR_LOOP_MAP;
    *first = weir_loop_add_shape(b, weir_loop_output_shape(b, 0));
    weir_loop_operand *out = weir_loop_write(b, 0);
    weir_loop_broadcast(b, out, *first, out->rank);
    return out;
}

/* Every input broadcast to the output. */
void weir_loop_elementwise(weir_loop_builder *b) {
    uint32_t first;
    const int rank = write_all(b, &first)->rank;
    for (size_t i = 0; i < weir_node_input_count(b->graph, b->node); i++) {
        weir_loop_operand *in = weir_loop_read(b, i == 0 ? 'I' : 'W', i);
        if (in != NULL) weir_loop_broadcast(b, in, first, rank);
    }
}

/* Input `index` is one parameter, or one for each element of an axis of the output. */
static void read_parameter(weir_loop_builder *b, size_t index, uint32_t first, int axis) {
    weir_loop_operand *p = weir_loop_read(b, 'P', index);
    if (p != NULL && p->rank == 1 && p->axis[0].size != 1) weir_loop_term(p, 0, first + (uint32_t)axis, 1);
}

/* Input 0 as it is, the others parameters along an axis. */
static void with_parameters(weir_loop_builder *b, int64_t axis) {
    uint32_t first;
    const int rank = write_all(b, &first)->rank;
    weir_loop_broadcast(b, weir_loop_read(b, 'I', 0), first, rank);
    for (size_t i = 1; i < weir_node_input_count(b->graph, b->node); i++)
        read_parameter(b, i, first, (int)(axis < 0 ? axis + rank : axis));
}

void weir_loop_by_channel(weir_loop_builder *b) { with_parameters(b, weir_layout_channel_axis(b->graph, b->node)); }
void weir_loop_by_last(weir_loop_builder *b) { with_parameters(b, -1); }
void weir_loop_by_axis(weir_loop_builder *b) { with_parameters(b, weir_node_int(b->graph, b->node, "axis", 1)); }

/* Input 0 alone; what else the operator takes are numbers for all elements. */
void weir_loop_one_input(weir_loop_builder *b) {
    uint32_t first;
    const int rank = write_all(b, &first)->rank;
    weir_loop_broadcast(b, weir_loop_read(b, 'I', 0), first, rank);
}

/* Scale and shift are broadcast to the normalized dimensions. */
void weir_loop_layer_normalization(weir_loop_builder *b) {
    uint32_t first;
    const int rank = write_all(b, &first)->rank;
    for (size_t i = 0; i < 3; i++) {
        weir_loop_operand *in = weir_loop_read(b, i == 0 ? 'I' : 'P', i);
        if (in != NULL) weir_loop_broadcast(b, in, first, rank);
    }
}

void weir_loop_two_quantized(weir_loop_builder *b) {
    uint32_t first;
    const int rank = write_all(b, &first)->rank;
    weir_loop_broadcast(b, weir_loop_read(b, 'I', 0), first, rank);
    weir_loop_broadcast(b, weir_loop_read(b, 'W', 3), first, rank);
}

/* Thresholds are compared one by one. */
/* Thresholds of all channels, or a row of them for each index of the axis. */
static void thresholds_by(weir_loop_builder *b, int64_t axis) {
    uint32_t first;
    const int rank = write_all(b, &first)->rank;
    weir_loop_broadcast(b, weir_loop_read(b, 'I', 0), first, rank);
    weir_loop_operand *thresholds = weir_loop_read(b, 'P', 1);
    const uint32_t t = weir_loop_add(b, "T", thresholds->axis[1].size, true);
    b->nest->body = WEIR_LOOP_REDUCE;
    if (thresholds->axis[0].size != 1) weir_loop_term(thresholds, 0, first + (uint32_t)(axis < 0 ? rank - 1 : axis), 1);
    weir_loop_term(thresholds, 1, t, 1);
}

void weir_loop_threshold(weir_loop_builder *b) { thresholds_by(b, -1); }
void weir_loop_multi_threshold(weir_loop_builder *b) { thresholds_by(b, weir_layout_channel_axis(b->graph, b->node)); }

/* The code says which column of the table is read. */
void weir_loop_lookup(weir_loop_builder *b) {
    uint32_t first;
    const int rank = write_all(b, &first)->rank;
    weir_loop_broadcast(b, weir_loop_read(b, 'I', 0), first, rank);
    weir_loop_operand *table = weir_loop_read(b, 'P', 1);
    if (table->axis[0].size != 1) weir_loop_term(table, 0, first + (uint32_t)rank - 1, 1);
    table->axis[1].is_indirect = true;
}

/* ---- reductions ---- */

/* The loops are the input's dimensions; the output has those that stay. */
static void reduction(weir_loop_builder *b, const bool *reduced) {
    const weir_shape *x = weir_loop_input_shape(b, 0);
    const bool keep = weir_node_int(b->graph, b->node, "keepdims", 1) != 0;
    b->nest->body = WEIR_LOOP_REDUCE;
    const uint32_t first = weir_loop_add_shape(b, x);
    weir_loop_operand *out = weir_loop_write(b, 0), *in = weir_loop_read(b, 'I', 0);
    weir_loop_broadcast(b, in, first, x->rank);
    for (int i = 0, at = 0; i < x->rank; i++) {
        b->nest->loop[first + (uint32_t)i].is_reduced = reduced[i];
        if (!reduced[i]) weir_loop_term(out, at, first + (uint32_t)i, 1);
        at += keep || !reduced[i];
    }
}

void weir_loop_by_axes(weir_loop_builder *b) {
    bool reduced[WEIR_MAX_RANK] = {false};
    weir_geometry_reduced(b->graph, b->node, reduced);
    reduction(b, reduced);
}

void weir_loop_by_one_axis(weir_loop_builder *b) {
    bool reduced[WEIR_MAX_RANK] = {false};
    const int rank = weir_loop_input_shape(b, 0)->rank;
    const int64_t axis = weir_node_int(b->graph, b->node, "axis", 0);
    reduced[axis < 0 ? axis + rank : axis] = true;
    reduction(b, reduced);
}

/* Each result looks at all elements of its line. */
void weir_loop_top_k(weir_loop_builder *b) {
    const weir_shape *x = weir_loop_input_shape(b, 0);
    const int64_t given = weir_node_int(b->graph, b->node, "axis", -1);
    const int axis = (int)(given < 0 ? given + x->rank : given);
    b->nest->body = WEIR_LOOP_REDUCE;
    const uint32_t first = weir_loop_add_shape(b, weir_loop_output_shape(b, 0));
    const uint32_t seen = weir_loop_add(b, "T", x->dim[axis], true);
    weir_loop_operand *in = weir_loop_read(b, 'I', 0);
    for (int d = 0; d < x->rank; d++) weir_loop_term(in, d, d == axis ? seen : first + (uint32_t)d, 1);
    for (size_t i = 0; i < weir_node_output_count(b->graph, b->node); i++)
        weir_loop_broadcast(b, weir_loop_write(b, i), first, x->rank);
}
