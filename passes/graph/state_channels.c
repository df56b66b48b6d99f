#include "passes/graph/state_channels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"

/* --- what reads it --- */

/* Does a convolution read the value as data, joined with others, in parts or quantized? */
static bool is_convolved(const weir_graph *graph, weir_value value) {
    bool is = false;
    for (size_t i = 0; !is && i < weir_value_use_count(graph, value); i++) {
        const weir_use use = weir_value_use(graph, value, i);
        const weir_op op = weir_node_op(graph, use.node), kind = weir_trait_kind(graph, use.node);
        if (kind == WEIR_OP_CONV) is = use.index == 0;
        else if (kind == WEIR_OP_CONCAT || kind == WEIR_OP_SLICE || weir_trait_is_quantizer(op))
            is = is_convolved(graph, weir_node_output(graph, use.node, 0));
    }
    return is;
}

/* --- the other order --- */

/* Of [N, C, ...] as [N, ..., C]. */
static weir_array *innermost(const weir_array *array) {
    weir_shape shape = array->shape;
    const size_t size = weir_dtype_size(array->dtype), channels = (size_t)shape.dim[1];
    const size_t rows = shape.dim[0] == 0 || channels == 0 ? 0 : array->count / channels / (size_t)shape.dim[0];
    for (int i = 1; i < shape.rank; i++) shape.dim[i] = array->shape.dim[i == shape.rank - 1 ? 1 : i + 1];
    weir_array *made = weir_array_new(array->dtype, &shape);
    for (size_t n = 0; n < (size_t)shape.dim[0]; n++)
        for (size_t c = 0; c < channels; c++)
            for (size_t r = 0; r < rows; r++)
                memcpy((char *)made->data + ((n * rows + r) * channels + c) * size,
                       (char *)array->data + ((n * channels + c) * rows + r) * size, size);
    return made;
}

static weir_value transposed(weir_graph *graph, weir_value value, bool to_innermost, weir_node before) {
    const int rank = weir_value_type(graph, value)->shape.rank;
    int64_t perm[WEIR_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        if (to_innermost) perm[i] = i == 0 ? 0 : i == rank - 1 ? 1 : i + 1;
        else perm[i] = i == 0 ? 0 : i == 1 ? rank - 1 : i - 1;
    }
    char *name = weir_format("%s_%s", weir_value_name(graph, value), to_innermost ? "innermost" : "channels");
    const weir_node node = weir_graph_add_node(graph, WEIR_OP_TRANSPOSE, name, &value, 1, 1, before);
    free(name);
    weir_node_set_ints(graph, node, "perm", perm, (size_t)rank);
    return weir_infer_node(graph, node) ? weir_node_output(graph, node, 0) : WEIR_NO_VALUE;
}

static bool turn(weir_graph *graph, weir_node state) {
    const weir_node update = weir_recurrence_update(graph, state);
    const weir_value held = weir_node_output(graph, state, 0), start = weir_node_input(graph, state, 0);
    weir_array *first = innermost(weir_value_constant(graph, start));
    weir_node_set_input(graph, state, 0, weir_graph_add_constant(graph, weir_value_name(graph, start), first));
    weir_array_free(first);
    const size_t uses = weir_value_use_count(graph, held);
    weir_use *use = weir_malloc(uses * sizeof *use);
    for (size_t i = 0; i < uses; i++) use[i] = weir_value_use(graph, held, i);
    bool fine = weir_infer_node(graph, state);
    const weir_value rows = fine ? transposed(graph, held, false, weir_node_next(graph, state)) : WEIR_NO_VALUE;
    for (size_t i = 0; rows.id != 0 && i < uses; i++)
        if (!weir_recurrence_names_state(graph, use[i].node, use[i].index))
            weir_node_set_input(graph, use[i].node, use[i].index, rows);
    free(use);
    const weir_value next = rows.id == 0 ? rows : transposed(graph, weir_node_input(graph, update, 0), true, update);
    if (next.id == 0) return false;
    weir_node_set_input(graph, update, 0, next);
    return weir_infer_node(graph, update);
}

bool weir_state_channels_innermost(weir_graph *graph) {
    bool fine = true;
    for (weir_node node = weir_graph_first(graph); fine && node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_STATE || !weir_recurrence_spans(graph, node)) continue;
        const weir_value held = weir_node_output(graph, node, 0);
        const bool is_constant = weir_value_constant(graph, weir_node_input(graph, node, 0)) != NULL;
        if (weir_value_type(graph, held)->shape.rank < 3 || !is_constant || !is_convolved(graph, held) ||
            weir_value_is_output(graph, weir_node_output(graph, weir_recurrence_update(graph, node), 0)))
            continue;
        fine = turn(graph, node);
    }
    return fine;
}
