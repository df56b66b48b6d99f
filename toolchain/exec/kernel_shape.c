/* Operators that move elements and leave their values alone. */
#include "exec/kernel_common.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/geometry.h"
#include "ir/shape/index_map.h"
#include "support/memory/arena.h"

static void copy(const weir_array *x, weir_array *y) {
    assert(x->dtype == y->dtype && x->count == y->count);
    memcpy(y->data, x->data, x->count * weir_dtype_size(x->dtype));
}

void weir_kernel_copy(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    (void)graph;
    (void)node;
    copy(inputs[0], outputs[0]);
}

void weir_kernel_FORK(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) copy(inputs[0], outputs[i]);
}

void weir_kernel_TRANSPOSE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                           weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    const weir_attribute *perm = weir_node_attribute(graph, node, "perm");
    const int rank = x->shape.rank;
    const size_t size = weir_dtype_size(x->dtype);
    size_t stride[WEIR_MAX_RANK], step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        stride[i] = step;
        step *= (size_t)x->shape.dim[i];
    }
    for (size_t i = 0; i < y->count; i++) {
        size_t rest = i, from = 0;
        for (int axis = rank - 1; axis >= 0; axis--) {
            const int64_t named = perm == NULL ? rank - 1 - axis : perm->as.ints[axis];
            from += rest % (size_t)y->shape.dim[axis] * stride[named < 0 ? named + rank : named];
            rest /= (size_t)y->shape.dim[axis];
        }
        memcpy((char *)y->data + i * size, (const char *)x->data + from * size, size);
    }
}

/* Elements before and after an axis. */
typedef struct axis_split {
    size_t outer, inner;
} axis_split;

static axis_split split_at(const weir_shape *shape, int axis) {
    assert(axis >= 0 && axis < shape->rank);
    axis_split split = {1, 1};
    for (int i = 0; i < axis; i++) split.outer *= (size_t)shape->dim[i];
    for (int i = axis + 1; i < shape->rank; i++) split.inner *= (size_t)shape->dim[i];
    return split;
}

static int axis_of(const weir_graph *graph, weir_node node, int rank) {
    const int64_t axis = weir_node_int(graph, node, "axis", 0);
    return (int)(axis < 0 ? axis + rank : axis);
}

/* Copies all of `part` to or from its place in `whole`, from index `first` of the axis on. */
static void copy_part(weir_array *to, const weir_array *from, int axis, size_t first) {
    assert(to->dtype == from->dtype && to->shape.rank == from->shape.rank);
    const bool into = to->count >= from->count;
    const weir_array *part = into ? from : to, *whole = into ? to : from;
    const axis_split split = split_at(&whole->shape, axis);
    const size_t size = weir_dtype_size(whole->dtype), dim = (size_t)whole->shape.dim[axis];
    const size_t run = (size_t)part->shape.dim[axis] * split.inner * size;
    for (size_t i = 0; i < split.outer; i++) {
        const size_t whole_at = (i * dim + first) * split.inner * size, part_at = i * run;
        memcpy((char *)to->data + (into ? whole_at : part_at), (const char *)from->data + (into ? part_at : whole_at),
               run);
    }
}

void weir_kernel_CONCAT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const int axis = axis_of(graph, node, outputs[0]->shape.rank);
    size_t first = 0;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        copy_part(outputs[0], inputs[i], axis, first);
        first += (size_t)inputs[i]->shape.dim[axis];
    }
}

void weir_kernel_SPLIT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    const int axis = axis_of(graph, node, inputs[0]->shape.rank);
    size_t first = 0;
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        copy_part(outputs[i], inputs[0], axis, first);
        first += (size_t)outputs[i]->shape.dim[axis];
    }
}

/* Which input index each output index of each axis comes from; -1: the fill value, or zero without one. */
typedef struct axis_maps {
    const weir_shape *shape; /* of the output */
    int64_t *at[WEIR_MAX_RANK];
} axis_maps;

static axis_maps new_maps(const weir_shape *shape) {
    axis_maps maps = {.shape = shape};
    for (int axis = 0; axis < shape->rank; axis++)
        maps.at[axis] = weir_calloc((size_t)shape->dim[axis] + 1, sizeof **maps.at);
    return maps;
}

/* Moves the elements and frees the maps. */
static void apply_maps(axis_maps *maps, const weir_array *x, const weir_array *fill, weir_array *y) {
    assert(x->dtype == y->dtype && maps->shape->rank == x->shape.rank);
    const size_t size = weir_dtype_size(x->dtype);
    for (size_t i = 0; i < y->count; i++) {
        size_t rest = i, from = 0, stride = 1;
        bool outside = false;
        for (int axis = y->shape.rank - 1; axis >= 0; axis--) {
            const int64_t at = maps->at[axis][rest % (size_t)y->shape.dim[axis]];
            outside = outside || at < 0;
            from += outside ? 0 : (size_t)at * stride;
            stride *= (size_t)x->shape.dim[axis];
            rest /= (size_t)y->shape.dim[axis];
        }
        char *to = (char *)y->data + i * size;
        if (!outside) memcpy(to, (const char *)x->data + from * size, size);
        else if (fill != NULL) memcpy(to, fill->data, size);
        else memset(to, 0, size);
    }
    for (int axis = 0; axis < maps->shape->rank; axis++) free(maps->at[axis]);
}

void weir_kernel_SLICE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    axis_maps maps = new_maps(&outputs[0]->shape);
    weir_slice slice;
    weir_geometry_slice(graph, node, &slice);
    for (int axis = 0; axis < maps.shape->rank; axis++)
        for (int64_t o = 0; o < maps.shape->dim[axis]; o++) maps.at[axis][o] = slice.start[axis] + o * slice.step[axis];
    apply_maps(&maps, inputs[0], NULL, outputs[0]);
}

void weir_kernel_PAD(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    axis_maps maps = new_maps(&outputs[0]->shape);
    weir_padding padding;
    weir_geometry_padding(graph, node, &padding);
    for (int axis = 0; axis < maps.shape->rank; axis++)
        for (int64_t o = 0; o < maps.shape->dim[axis]; o++)
            maps.at[axis][o] = weir_geometry_padded(&padding, axis, inputs[0]->shape.dim[axis], o);
    apply_maps(&maps, inputs[0], inputs[2], outputs[0]);
}

/* An axis of an output that weighs two elements of the input. */
typedef struct weighed_axis {
    int64_t at[2], stride;
    double weight; /* of the second */
} weighed_axis;

/* Over the axes from `axis` on, in float64. */
static double weigh(const weir_array *x, const weighed_axis *axes, int axis, int64_t from) {
    assert(axis >= 0 && axis <= x->shape.rank);
    if (axis == x->shape.rank) return weir_array_get(x, (size_t)from);
    const weighed_axis *a = &axes[axis];
    const double first = weigh(x, axes, axis + 1, from + a->at[0] * a->stride);
    return a->weight == 0 ? first
                          : (1 - a->weight) * first + a->weight * weigh(x, axes, axis + 1, from + a->at[1] * a->stride);
}

static void interpolate(const weir_resizing *resizing, const weir_array *x, weir_array *y) {
    weighed_axis axes[WEIR_MAX_RANK];
    int64_t stride = 1;
    for (int axis = x->shape.rank - 1; axis >= 0; axis--) {
        axes[axis].stride = stride;
        stride *= x->shape.dim[axis];
    }
    for (size_t i = 0; i < y->count; i++) {
        size_t rest = i;
        for (int axis = y->shape.rank - 1; axis >= 0; axis--) {
            const int64_t o = (int64_t)(rest % (size_t)y->shape.dim[axis]);
            axes[axis].weight = weir_geometry_interpolated(resizing, axis, x->shape.dim[axis], o, axes[axis].at);
            rest /= (size_t)y->shape.dim[axis];
        }
        weir_array_set(y, i, weigh(x, axes, 0, 0));
    }
}

void weir_kernel_RESIZE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    weir_resizing resizing;
    weir_geometry_resizing(graph, node, &resizing);
    if (resizing.is_linear) {
        interpolate(&resizing, inputs[0], outputs[0]);
        return;
    }
    axis_maps maps = new_maps(&outputs[0]->shape);
    for (int axis = 0; axis < maps.shape->rank; axis++)
        for (int64_t o = 0; o < maps.shape->dim[axis]; o++)
            maps.at[axis][o] = weir_geometry_resized(&resizing, axis, inputs[0]->shape.dim[axis], o);
    apply_maps(&maps, inputs[0], NULL, outputs[0]);
}

void weir_kernel_EXPAND(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    (void)graph;
    (void)node;
    weir_array *y = outputs[0];
    const size_t size = weir_dtype_size(y->dtype);
    const weir_broadcast from = weir_broadcast_of(&inputs[0]->shape, &y->shape);
    for (size_t i = 0; i < y->count; i++) {
        const char *at = (const char *)inputs[0]->data + weir_broadcast_index(&from, i) * size;
        memcpy((char *)y->data + i * size, at, size);
    }
}

/* Indices count from the back when negative; constant ones are known to exist, others are clipped to the axis. */
static void pick(const weir_array *x, const weir_array *indices, int axis, weir_array *y) {
    assert(axis >= 0 && axis < x->shape.rank && x->dtype == y->dtype);
    const int64_t dim = x->shape.dim[axis];
    const axis_split split = split_at(&x->shape, axis);
    const size_t run = split.inner * weir_dtype_size(x->dtype);
    for (size_t i = 0; dim > 0 && i < split.outer * indices->count; i++) {
        int64_t at = weir_array_get_int(indices, i % indices->count);
        at += at < 0 ? dim : 0;
        at = at < 0 ? 0 : at >= dim ? dim - 1 : at;
        const size_t from = i / indices->count * (size_t)dim + (size_t)at;
        memcpy((char *)y->data + i * run, (const char *)x->data + from * run, run);
    }
}

void weir_kernel_GATHER(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    pick(inputs[0], inputs[1], axis_of(graph, node, inputs[0]->shape.rank), outputs[0]);
}

void weir_kernel_ARRAY_FEATURE_EXTRACTOR(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                         weir_array *const *outputs) {
    (void)graph;
    (void)node;
    pick(inputs[0], inputs[1], inputs[0]->shape.rank - 1, outputs[0]);
}

void weir_kernel_SHAPE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    int first, last;
    weir_geometry_shape_part(graph, node, &first, &last);
    assert(first >= 0 && last <= inputs[0]->shape.rank);
    for (int i = first; i < last; i++) weir_array_set_int(outputs[0], (size_t)(i - first), inputs[0]->shape.dim[i]);
}

void weir_kernel_SIZE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    (void)graph;
    (void)node;
    weir_array_set_int(outputs[0], 0, (int64_t)inputs[0]->count);
}

void weir_kernel_CONSTANT_OF_SHAPE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                   weir_array *const *outputs) {
    (void)graph;
    (void)node;
    weir_array *y = outputs[0];
    const size_t size = weir_dtype_size(y->dtype);
    for (size_t i = 0; i < y->count; i++) {
        if (inputs[1] == NULL) memset((char *)y->data + i * size, 0, size);
        else memcpy((char *)y->data + i * size, inputs[1]->data, size);
    }
}

/* Each element from the first one on: start + i * delta, every operation in the element type. */
void weir_kernel_RANGE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    (void)graph;
    (void)node;
    weir_array *y = outputs[0];
    const bool real = weir_dtype_is_float(y->dtype);
    for (size_t i = 0; i < y->count; i++) {
        if (real) {
            weir_array_set(y, i, (double)i * weir_array_get(inputs[2], 0));
            weir_array_set(y, i, weir_array_get(inputs[0], 0) + weir_array_get(y, i));
        } else {
            weir_array_set_int(y, i, weir_array_get_int(inputs[0], 0) + (int64_t)i * weir_array_get_int(inputs[2], 0));
        }
    }
}

/* By the index map, which there always is where what says how is constant. Not of operators with a layout: theirs is
 * the map of the data as laid out. */
void weir_kernel_moved(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    weir_arena *arena = weir_arena_new();
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        weir_index_map map;
        const bool moves = weir_index_map_of_node(arena, graph, node, i, &map);
        assert(moves);
        (void)moves;
        weir_index_map_apply(&map, inputs[0], NULL, outputs[i]);
    }
    weir_arena_free(arena);
}

/* The place in the deep tensor of element i of the wide one. */
static size_t deep_place(const weir_blocks *b, size_t i) {
    const size_t size = (size_t)b->size, width = (size_t)b->width, height = (size_t)b->height;
    const size_t column = i % (width * size), row = i / (width * size) % (height * size);
    const size_t plane = i / (width * size) / (height * size), channels = (size_t)b->channels;
    const size_t channel = plane % channels * (size_t)b->channel_stride + row % size * (size_t)b->row_stride +
                           column % size * (size_t)b->column_stride;
    return ((plane / channels * channels * size * size + channel) * height + row / size) * width + column / size;
}

static void move_blocks(const weir_graph *graph, weir_node node, const weir_array *x, weir_array *y, bool to_space) {
    assert(x->dtype == y->dtype && x->count == y->count);
    const size_t size = weir_dtype_size(x->dtype);
    weir_blocks b;
    weir_geometry_blocks(graph, node, &x->shape, to_space, &b);
    for (size_t i = 0; i < y->count; i++) {
        const size_t deep = deep_place(&b, i), from = to_space ? deep : i, to = to_space ? i : deep;
        memcpy((char *)y->data + to * size, (const char *)x->data + from * size, size);
    }
}

void weir_kernel_DEPTH_TO_SPACE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                weir_array *const *outputs) {
    move_blocks(graph, node, inputs[0], outputs[0], true);
}

void weir_kernel_SPACE_TO_DEPTH(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                weir_array *const *outputs) {
    move_blocks(graph, node, inputs[0], outputs[0], false);
}

void weir_kernel_REORDER(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    const size_t size = weir_dtype_size(inputs[0]->dtype);
    const int64_t fill = weir_node_int(graph, node, "fill", 0);
    weir_array *y = outputs[0];
    weir_reordering r;
    weir_geometry_reordering(graph, node, &r);
    for (size_t k = 0; k < y->count; k++) {
        const int64_t from = weir_geometry_reordered(&r, (int64_t)k);
        if (from < 0) weir_array_set_int(y, k, fill);
        else memcpy((char *)y->data + k * size, (const char *)inputs[0]->data + (size_t)from * size, size);
    }
}
