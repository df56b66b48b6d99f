#include "ir/shape/layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static const weir_type *input_type(const weir_graph *graph, weir_node node, size_t index) {
    const weir_value value = weir_node_input(graph, node, index);
    return value.id == 0 ? NULL : weir_value_type(graph, value);
}

static const char spatial[] = "SUVDHW"; /* for the last ranks: W, HW, DHW, ... */

bool weir_layout_has_channels(weir_op op) {
    const weir_trait_order order = weir_trait_of(op)->order;
    return order == WEIR_ORDER_CHANNELS || order == WEIR_ORDER_NORMALIZE;
}

static char letter_of(int dimension, int rank) {
    assert(dimension >= 0 && dimension < rank && rank <= WEIR_MAX_RANK);
    return dimension < 2 ? "NC"[dimension] : spatial[sizeof spatial - 1 - (size_t)(rank - dimension)];
}

bool weir_layout_parse(const char *text, int rank, int *order) {
    assert(rank >= 0 && rank <= WEIR_MAX_RANK);
    bool seen[WEIR_MAX_RANK] = {false};
    if (rank < 2 || strlen(text) != (size_t)rank) return false;
    for (int i = 0; i < rank; i++) {
        order[i] = 0;
        while (order[i] < rank && letter_of(order[i], rank) != text[i]) order[i]++;
        if (order[i] == rank || seen[order[i]]) return false;
        seen[order[i]] = true;
    }
    return true;
}

void weir_layout_print(const int *order, int rank, char *text) {
    for (int i = 0; i < rank; i++) text[i] = letter_of(order[i], rank);
    text[rank < 2 || weir_layout_is_identity(order, rank) ? 0 : rank] = '\0';
}

bool weir_layout_is_permutation(const int *order, int rank) {
    unsigned seen = 0;
    assert(rank >= 0 && rank <= WEIR_MAX_RANK);
    for (int i = 0; i < rank; i++) {
        if (order[i] < 0 || order[i] >= rank || (seen >> order[i] & 1) != 0) return false;
        seen |= 1u << order[i];
    }
    return true;
}

void weir_layout_channels_last(int rank, int *order) {
    assert(rank >= 0 && rank <= WEIR_MAX_RANK);
    for (int i = 0; i < rank; i++) order[i] = i == 0 ? 0 : i == rank - 1 ? 1 : i + 1;
}

bool weir_layout_is_identity(const int *order, int rank) {
    assert(rank >= 0 && rank <= WEIR_MAX_RANK);
    int i = 0;
    while (i < rank && order[i] == i) i++;
    return i == rank;
}

/* ONNX Runtime's contributions say it with a flag. */
static bool says_last(const weir_graph *graph, weir_node node) {
    return weir_node_int(graph, node, "channels_last", 0) != 0;
}

bool weir_layout_is_changed(const weir_graph *graph, weir_node node) {
    return weir_layout_has_channels(weir_node_op(graph, node)) &&
           (weir_node_attribute(graph, node, "layout") != NULL || says_last(graph, node));
}

bool weir_layout_order(const weir_graph *graph, weir_node node, int *order) {
    const int rank = input_type(graph, node, 0)->shape.rank;
    const bool given = weir_node_attribute(graph, node, "layout") != NULL;
    const char *text =
        given && weir_layout_is_changed(graph, node) ? weir_node_string(graph, node, "layout", "") : NULL;
    for (int i = 0; i < rank; i++) order[i] = i;
    if (!given && says_last(graph, node)) weir_layout_channels_last(rank, order);
    if (text == NULL || weir_layout_parse(text, rank, order)) return true;
    weir_error(weir_node_location(graph, node),
               "node '%s' (%s): attribute 'layout' is '%s', expected a permutation of the %d dimensions",
               weir_node_name(graph, node), weir_node_info(graph, node)->full_name, text, rank);
    return false;
}

static int threshold_axis(const weir_graph *graph, weir_node node) {
    const int rank = input_type(graph, node, 0)->shape.rank;
    const char *layout = weir_node_string(graph, node, "data_layout", ""), *channels = strchr(layout, 'C');
    assert(rank >= 1);
    const int axis = channels != NULL ? (int)(channels - layout) : *layout == '\0' && rank == 3 ? 2 : 1;
    return axis < rank ? axis : -1;
}

int weir_layout_channel_axis(const weir_graph *graph, weir_node node) {
    if (weir_trait_of(weir_node_op(graph, node))->order == WEIR_ORDER_THRESHOLDS) return threshold_axis(graph, node);
    int order[WEIR_MAX_RANK], axis = 0;
    weir_layout_order(graph, node, order);
    assert(input_type(graph, node, 0)->shape.rank >= 2);
    while (order[axis] != 1) axis++;
    return axis;
}

weir_shape weir_layout_to_onnx(const weir_shape *shape, const int *order) {
    assert(weir_layout_is_permutation(order, shape->rank));
    weir_shape to = {.rank = shape->rank};
    for (int i = 0; i < shape->rank; i++) to.dim[order[i]] = shape->dim[i];
    return to;
}

weir_shape weir_layout_from_onnx(const weir_shape *shape, const int *order) {
    assert(weir_layout_is_permutation(order, shape->rank));
    weir_shape to = {.rank = shape->rank};
    for (int i = 0; i < shape->rank; i++) to.dim[i] = shape->dim[order[i]];
    return to;
}

void weir_layout_permutation(const weir_graph *graph, weir_node node, int *order) {
    assert(weir_trait_of(weir_node_op(graph, node))->order == WEIR_ORDER_TRANSPOSE);
    const weir_attribute *perm = weir_node_attribute(graph, node, "perm");
    const int rank = input_type(graph, node, 0)->shape.rank;
    assert(perm == NULL || (perm->kind == WEIR_ATTRIBUTE_INTS && perm->count == (size_t)rank));
    for (int i = 0; i < rank; i++) {
        order[i] = perm == NULL ? rank - 1 - i : (int)perm->as.ints[i];
        order[i] += order[i] < 0 ? rank : 0;
    }
    assert(weir_layout_is_permutation(order, rank));
}

bool weir_layout_keeps_memory(const weir_shape *shape, const int *order) {
    assert(weir_layout_is_permutation(order, shape->rank));
    int last = -1;
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dim[order[i]] == 1) continue;
        if (order[i] < last) return false;
        last = order[i];
    }
    return true;
}

#define COPY_STRIDED(c_type)                                                                                           \
    for (size_t i = 0; i < count; i++) ((c_type *)to)[i] = ((const c_type *)from)[i * stride]

/* `count` elements of `size` bytes, in `from` `stride` elements apart. */
static void copy_strided(char *to, const char *from, size_t count, size_t stride, size_t size) {
    switch (size) {
    case 1: COPY_STRIDED(uint8_t); break;
    case 2: COPY_STRIDED(uint16_t); break;
    case 4: COPY_STRIDED(uint32_t); break;
    default:
        for (size_t i = 0; i < count; i++) memcpy(to + i * size, from + i * stride * size, size);
    }
}

void weir_layout_transpose_into(const weir_array *data, const int *order, weir_array *to) {
    const int rank = data->shape.rank, last = rank - 1;
    const size_t size = weir_dtype_size(data->dtype);
    size_t stride[WEIR_MAX_RANK], at[WEIR_MAX_RANK] = {0}, from = 0;
    assert(weir_layout_is_permutation(order, rank));
    assert(to->count == data->count && to->dtype == data->dtype);
    for (int i = last; i >= 0; i--) stride[i] = i == last ? 1 : stride[i + 1] * (size_t)data->shape.dim[i + 1];
    const size_t run = rank == 0 ? 1 : (size_t)data->shape.dim[order[last]];
    for (size_t done = 0; done < data->count; done += run) {
        copy_strided((char *)to->data + done * size, (const char *)data->data + from * size, run,
                     rank == 0 ? 1 : stride[order[last]], size);
        for (int d = last - 1; d >= 0; d--) {
            from += stride[order[d]];
            if (++at[d] < (size_t)data->shape.dim[order[d]]) break;
            from -= at[d] * stride[order[d]];
            at[d] = 0;
        }
    }
}

weir_array *weir_layout_transpose(const weir_array *data, const int *order) {
    const weir_shape shape = weir_layout_from_onnx(&data->shape, order);
    weir_array *to = weir_array_new(data->dtype, &shape);
    weir_layout_transpose_into(data, order, to);
    return to;
}

/* ---- inference ---- */

/* Are the result's dimensions, where they are as many, those of the inputs in their order? */
static bool keeps_dimensions(weir_op op) {
    const weir_trait_order order = weir_trait_of(op)->order;
    return order != WEIR_ORDER_FREE && order != WEIR_ORDER_SHAPE && order != WEIR_ORDER_RESHAPE &&
           order != WEIR_ORDER_PRODUCT;
}

/* The layout that the inputs with the output's rank have, if they say the same. */
static void common_layout(const weir_graph *graph, weir_node node, int rank, char *layout) {
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_type *type = input_type(graph, node, i);
        if (type == NULL || type->shape.rank != rank || type->layout[0] == '\0') continue;
        const bool differs = layout[0] != '\0' && strcmp(layout, type->layout) != 0;
        strcpy(layout, differs ? "" : type->layout);
        if (differs) return;
    }
}

/* A model may give its dimensions other meanings by transposing: the layout is what has been written down. */
static void transposed_layout(const weir_graph *graph, weir_node node, weir_type *output) {
    const weir_type *stored = weir_value_type(graph, weir_node_output(graph, node, 0));
    int order[WEIR_MAX_RANK];
    if (weir_layout_parse(stored->layout, output->shape.rank, order)) strcpy(output->layout, stored->layout);
}

static bool channel_layout(const weir_graph *graph, weir_node node, weir_type *output) {
    int order[WEIR_MAX_RANK];
    if (!weir_layout_order(graph, node, order)) return false;
    weir_layout_print(order, output->shape.rank, output->layout);
    return true;
}

bool weir_layout_infer(const weir_graph *graph, weir_node node, weir_type *outputs) {
    const weir_op op = weir_node_op(graph, node);
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) outputs[i].layout[0] = '\0';
    if (weir_layout_has_channels(op)) return channel_layout(graph, node, &outputs[0]);
    if (weir_trait_of(op)->order == WEIR_ORDER_TRANSPOSE) {
        transposed_layout(graph, node, &outputs[0]);
        return true;
    }
    for (size_t i = 0; keeps_dimensions(op) && i < weir_node_output_count(graph, node); i++)
        common_layout(graph, node, outputs[i].shape.rank, outputs[i].layout);
    return true;
}

bool weir_layout_refresh(weir_graph *graph) {
    bool fine = true;
    for (weir_node node = weir_graph_first(graph); fine && node.id != 0; node = weir_node_next(graph, node)) {
        const size_t count = weir_node_output_count(graph, node);
        weir_type *types = weir_calloc(count, sizeof *types);
        for (size_t i = 0; i < count; i++) types[i] = *weir_value_type(graph, weir_node_output(graph, node, i));
        fine = weir_layout_infer(graph, node, types);
        for (size_t i = 0; fine && i < count; i++)
            weir_value_set_type(graph, weir_node_output(graph, node, i), &types[i]);
        free(types);
    }
    return fine;
}
