#include "passes/graph/carrier.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"

/* ---- orders ---- */

weir_order weir_order_plain(int rank) {
    weir_order o = {.rank = rank};
    for (int i = 0; i < rank; i++) o.at[i] = i;
    return o;
}

weir_order weir_order_channels_last(int rank) {
    weir_order o = {.rank = rank};
    weir_layout_channels_last(rank, o.at);
    return o;
}

bool weir_order_equal(const weir_order *a, const weir_order *b) {
    return a->rank == b->rank && memcmp(a->at, b->at, (size_t)a->rank * sizeof *a->at) == 0;
}

bool weir_order_is_plain(const weir_order *o) { return weir_layout_is_identity(o->at, o->rank); }

/* The position of the model's dimension. */
int weir_order_position(const weir_order *o, int64_t dimension) {
    int i = 0;
    while (o->at[i] != dimension) i++;
    return i;
}

/* Dimension i of the result is dimension perm[i] of a tensor in order `from`. */
weir_order weir_order_permutation(const weir_order *from, const weir_order *to) {
    weir_order perm = {.rank = to->rank};
    for (int i = 0; i < to->rank; i++) perm.at[i] = weir_order_position(from, to->at[i]);
    return perm;
}

/* ---- new values ---- */

static weir_value add_node(weir_relayout *c, weir_op op, weir_value named, const weir_value *inputs, size_t count) {
    const weir_node maker = weir_value_producer(c->graph, named);
    const char *base = maker.id != 0 ? weir_node_name(c->graph, maker) : weir_value_name(c->graph, named);
    char *name = weir_format("%s_%s", base, weir_trait_of(op)->kind == WEIR_OP_TRANSPOSE ? "transposed" : "view");
    const weir_node node = weir_graph_add_node(c->graph, op, name, inputs, count, 1, c->at);
    free(name);
    const weir_node source = c->at.id != 0 ? c->at : weir_value_producer(c->graph, named);
    if (source.id != 0) weir_node_set_location(c->graph, node, weir_node_location(c->graph, source));
    return weir_node_output(c->graph, node, 0);
}

static weir_value infer(weir_relayout *c, weir_value value) {
    c->fine = c->fine && weir_infer_node(c->graph, weir_value_producer(c->graph, value));
    return value;
}

weir_value weir_carrier_integers(weir_relayout *c, const char *name, const int64_t *values, size_t count) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {(int64_t)count}});
    for (size_t i = 0; i < count; i++) weir_array_set_int(array, i, values[i]);
    const weir_value value = weir_graph_add_constant(c->graph, name, array);
    weir_array_free(array);
    return value;
}

weir_value weir_carrier_reshape(weir_relayout *c, weir_value value, const weir_shape *shape) {
    const weir_type *type = weir_value_type(c->graph, value);
    if (weir_shape_equal(&type->shape, shape)) return value;
    char *name = weir_format("%s_shape", weir_value_name(c->graph, value));
    const weir_value inputs[2] = {value, weir_carrier_integers(c, name, shape->dim, (size_t)shape->rank)};
    free(name);
    return infer(c, add_node(c, WEIR_OP_RESHAPE, value, inputs, 2));
}

/* By a Transpose, or where nothing moves in memory by a Reshape. */
static weir_value transpose(weir_relayout *c, weir_value value, const weir_order *perm) {
    const weir_shape from = weir_value_type(c->graph, value)->shape;
    int64_t numbers[WEIR_MAX_RANK];
    if (weir_layout_keeps_memory(&from, perm->at)) {
        const weir_shape shape = weir_layout_from_onnx(&from, perm->at);
        return weir_carrier_reshape(c, value, &shape);
    }
    for (int i = 0; i < perm->rank; i++) numbers[i] = perm->at[i];
    const weir_value to = add_node(c, WEIR_OP_TRANSPOSE, value, &value, 1);
    weir_node_set_ints(c->graph, weir_value_producer(c->graph, to), "perm", numbers, (size_t)perm->rank);
    return infer(c, to);
}

/* ---- values of the model in an order ---- */

weir_moved *weir_carrier_find(const weir_relayout *c, uint32_t id, const weir_order *want) {
    for (size_t i = 0; i < c->moved_count; i++)
        if (c->moved[i].id == id && weir_order_equal(&c->moved[i].order, want)) return &c->moved[i];
    return NULL;
}

static weir_value remember(weir_relayout *c, uint32_t id, const weir_order *want, weir_value value) {
    c->moved = weir_grow(c->moved, &c->moved_capacity, c->moved_count + 1, sizeof *c->moved);
    c->moved[c->moved_count++] = (weir_moved){id, *want, value};
    return value;
}

/* A shuffled value in the model's sequence. */
void weir_carrier_restore(weir_relayout *c, weir_value value) {
    weir_carrier *from = &weir_known(c, value)->carrier;
    if (from->shuffled == NULL) return;
    const weir_order back = weir_order_plain(from->shuffled->order.rank);
    const weir_order to = weir_order_permutation(&from->shuffled->order, &back);
    weir_value now = weir_carrier_reshape(c, from->value, &from->shuffled->shape);
    now = transpose(c, now, &to);
    from->value = weir_carrier_reshape(c, now, &weir_known(c, value)->shape);
    from->shuffled = NULL;
}

weir_value weir_carrier_fetch(weir_relayout *c, weir_value value, const weir_order *want) {
    if (value.id == 0) return value;
    weir_carrier_restore(c, value);
    const weir_carrier *from = &weir_known(c, value)->carrier;
    if (weir_order_equal(&from->order, want)) return from->value;
    const weir_moved *known = weir_carrier_find(c, value.id, want);
    if (known != NULL) return known->value;
    const weir_order perm = weir_order_permutation(&from->order, want);
    return remember(c, value.id, want, transpose(c, from->value, &perm));
}

weir_value weir_carrier_fetch_plain(weir_relayout *c, weir_value value) {
    const weir_order want = weir_order_plain(weir_known(c, value)->shape.rank);
    return weir_carrier_fetch(c, value, &want);
}

/* ---- constants and what is computed from them ---- */

/* A copy of the node that makes a fixed value, with other inputs. */
static weir_value clone(weir_relayout *c, weir_value value, const weir_value *inputs) {
    const weir_node old = weir_value_producer(c->graph, value);
    const weir_value made =
        add_node(c, weir_node_op(c->graph, old), value, inputs, weir_node_input_count(c->graph, old));
    weir_node_copy_attributes(c->graph, weir_value_producer(c->graph, made), c->graph, old);
    return made;
}

static bool is_linear_quantizer(weir_op kind) {
    return kind == WEIR_OP_QUANTIZE_LINEAR || kind == WEIR_OP_DEQUANTIZE_LINEAR;
}

bool weir_carrier_is_one(const weir_graph *graph, weir_value value) {
    size_t count;
    return weir_shape_count(&weir_value_type(graph, value)->shape, &count) && count == 1;
}

int weir_carrier_quantizer_axis(const weir_relayout *c, weir_node node, int rank) {
    const int64_t axis = weir_node_int(c->graph, node, "axis", 1);
    return (int)(axis < 0 ? axis + rank : axis);
}

/* The value, broadcast from the last dimension to the order's rank, in that order. */
static weir_value move_fixed(weir_relayout *c, weir_value value, const weir_order *want) {
    const weir_shape shape = weir_value_type(c->graph, value)->shape;
    const weir_node maker = weir_value_producer(c->graph, value);
    const weir_op kind = maker.id == 0 ? WEIR_OP_NONE : weir_trait_kind(c->graph, maker);
    const int missing = want->rank - shape.rank;
    weir_shape wide = {.rank = want->rank};
    for (int i = 0; i < want->rank; i++) wide.dim[i] = i < missing ? 1 : shape.dim[i - missing];
    if (kind == WEIR_OP_NONE) {
        weir_array *data = weir_array_copy(weir_value_constant(c->graph, value));
        data->shape = wide;
        weir_array *to = weir_layout_transpose(data, want->at);
        const weir_value made = weir_graph_add_constant(c->graph, weir_value_name(c->graph, value), to);
        weir_array_free(to);
        weir_array_free(data);
        return made;
    }
    if (is_linear_quantizer(kind) || kind == WEIR_OP_QUANT || kind == WEIR_OP_BIPOLAR_QUANT) {
        weir_value inputs[4] = {weir_carrier_fixed(c, weir_node_input(c->graph, maker, 0), want)};
        for (size_t i = 1; i < weir_node_input_count(c->graph, maker); i++) {
            inputs[i] = weir_node_input(c->graph, maker, i);
            if (!is_linear_quantizer(kind)) inputs[i] = weir_carrier_fixed(c, inputs[i], want);
        }
        const weir_value made = clone(c, value, inputs);
        if (is_linear_quantizer(kind) && !weir_carrier_is_one(c->graph, inputs[1]))
            weir_node_set_int(c->graph, weir_value_producer(c->graph, made), "axis",
                              weir_order_position(want, weir_carrier_quantizer_axis(c, maker, shape.rank) + missing));
        return infer(c, made);
    }
    return transpose(c, weir_carrier_reshape(c, value, &wide), want);
}

weir_value weir_carrier_fixed(weir_relayout *c, weir_value value, const weir_order *want) {
    if (value.id == 0 || weir_order_is_plain(want) || weir_carrier_is_one(c->graph, value)) return value;
    const weir_moved *known = weir_carrier_find(c, value.id, want);
    return known != NULL ? known->value : remember(c, value.id, want, move_fixed(c, value, want));
}

static weir_value take_constant(weir_relayout *c, weir_value value, int axis, const weir_shuffle *s) {
    const weir_array *data = weir_value_constant(c->graph, value);
    const size_t size = weir_dtype_size(data->dtype);
    size_t inner = 1;
    for (int i = axis + 1; i < data->shape.rank; i++) inner *= (size_t)data->shape.dim[i];
    weir_array *to = weir_array_new(data->dtype, &data->shape);
    for (size_t i = 0; i < data->count / inner; i++) {
        const size_t count = (size_t)s->count, from = i / count * count + (size_t)s->map[i % count];
        memcpy((char *)to->data + i * inner * size, (const char *)data->data + from * inner * size, inner * size);
    }
    const weir_value made = weir_graph_add_constant(c->graph, weir_value_name(c->graph, value), to);
    weir_array_free(to);
    return made;
}

/* The value with the elements of an axis in the shuffled sequence. */
weir_value weir_carrier_taken(weir_relayout *c, weir_value value, int axis, const weir_shuffle *s) {
    if (value.id == 0 || axis < 0) return value;
    const weir_type *type = weir_value_type(c->graph, value);
    if (type->shape.dim[axis] == 1) return value;
    assert(type->shape.dim[axis] == s->count);
    const weir_node maker = weir_value_producer(c->graph, value);
    if (maker.id == 0) return take_constant(c, value, axis, s);
    const weir_op op = weir_node_op(c->graph, maker), kind = weir_trait_of(op)->kind;
    const int rank = type->shape.rank;
    if (is_linear_quantizer(kind) || kind == WEIR_OP_QUANT || kind == WEIR_OP_BIPOLAR_QUANT) {
        weir_value inputs[4] = {weir_carrier_taken(c, weir_node_input(c->graph, maker, 0), axis, s)};
        for (size_t i = 1; i < weir_node_input_count(c->graph, maker); i++) {
            inputs[i] = weir_node_input(c->graph, maker, i);
            if (inputs[i].id == 0 || weir_carrier_is_one(c->graph, inputs[i])) continue;
            const int own = weir_value_type(c->graph, inputs[i])->shape.rank;
            const bool along = !is_linear_quantizer(op) || weir_carrier_quantizer_axis(c, maker, rank) == axis;
            if (along)
                inputs[i] = weir_carrier_taken(c, inputs[i], is_linear_quantizer(op) ? 0 : axis - (rank - own), s);
        }
        return infer(c, clone(c, value, inputs));
    }
    if (kind == WEIR_OP_TRANSPOSE) {
        int perm[WEIR_MAX_RANK];
        weir_layout_permutation(c->graph, maker, perm);
        const weir_value input = weir_carrier_taken(c, weir_node_input(c->graph, maker, 0), perm[axis], s);
        return infer(c, clone(c, value, &input));
    }
    char *name = weir_format("%s_sequence", weir_value_name(c->graph, value));
    const weir_value inputs[2] = {value, weir_carrier_integers(c, name, s->map, (size_t)s->count)};
    free(name);
    const weir_value made = add_node(c, WEIR_OP_GATHER, value, inputs, 2);
    weir_node_set_int(c->graph, weir_value_producer(c->graph, made), "axis", axis);
    return infer(c, made);
}
