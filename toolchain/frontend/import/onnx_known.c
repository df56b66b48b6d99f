#include "frontend/import/onnx_known.h"

#include <stdlib.h>

#include "frontend/import/onnx_form.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"

/* Elements of a value, and of all that are kept: shapes have a few, tables of positions some more. Bounds what a
 * hostile file can ask for. */
enum { ELEMENT_LIMIT = 4096, KEPT_LIMIT = 1 << 22 };

void weir_onnx_known_free(weir_onnx_known *known) {
    for (uint32_t i = 0; i < known->count; i++) weir_array_free(known->array[i]);
    free(known->array);
}

const weir_array *weir_onnx_known_find(const weir_onnx_known *known, const weir_graph *graph, weir_value value) {
    const weir_array *constant = value.id == 0 ? NULL : weir_value_constant(graph, value);
    return constant != NULL || value.id >= known->count ? constant : known->array[value.id];
}

static void keep(weir_onnx_known *known, weir_value value, weir_array *array) {
    if (value.id >= known->count) {
        const uint32_t count = value.id + 1 + value.id / 2;
        known->array = weir_realloc(known->array, count * sizeof *known->array);
        for (uint32_t i = known->count; i < count; i++) known->array[i] = NULL;
        known->count = count;
    }
    known->array[value.id] = array;
}

/* Are all outputs small enough, and is there room for them? Takes the room. */
static bool reserve(weir_onnx_known *known, const weir_graph *graph, weir_node node) {
    size_t all = 0;
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        size_t count;
        if (!weir_shape_count(&weir_value_type(graph, weir_node_output(graph, node, i))->shape, &count) ||
            count > ELEMENT_LIMIT)
            return false;
        all += count + 1;
    }
    if (all > KEPT_LIMIT - known->kept) return false;
    known->kept += all;
    return true;
}

void weir_onnx_known_learn(weir_onnx_known *known, const weir_graph *graph, weir_node node) {
    const size_t count = weir_node_input_count(graph, node);
    const bool reads_shape = weir_trait_of(weir_node_op(graph, node))->order == WEIR_ORDER_SHAPE;
    bool fine = known->evaluate != NULL;
    const weir_array **inputs = weir_calloc(count + 1, sizeof *inputs);
    for (size_t i = 0; fine && i < count; i++) {
        const weir_value input = weir_node_input(graph, node, i);
        inputs[i] = weir_onnx_known_find(known, graph, input);
        if (reads_shape || input.id == 0) continue;
        fine = inputs[i] != NULL && inputs[i]->count <= ELEMENT_LIMIT;
    }
    weir_array **results = fine && reserve(known, graph, node) ? known->evaluate(graph, node, inputs) : NULL;
    for (size_t i = 0; results != NULL && i < weir_node_output_count(graph, node); i++)
        keep(known, weir_node_output(graph, node, i), results[i]);
    free(results);
    free(inputs);
}

/* Made once for each value. */
static weir_value constant_of(weir_graph *graph, const weir_onnx_scope *scope, weir_value value,
                              const weir_array *array) {
    char *name = weir_onnx_form_name(scope, weir_value_name(graph, value), "value");
    weir_value constant = weir_graph_find_value(graph, name);
    if (constant.id == 0) constant = weir_graph_add_constant(graph, name, array);
    free(name);
    return constant;
}

void weir_onnx_known_materialize(const weir_onnx_known *known, weir_graph *graph, const weir_onnx_scope *scope,
                                 weir_op op, weir_value *inputs, size_t count) {
    for (size_t i = weir_trait_of(op)->sizes; i < count; i++) {
        if (inputs[i].id == 0 || weir_value_constant(graph, inputs[i]) != NULL) continue;
        const weir_array *array = weir_onnx_known_find(known, graph, inputs[i]);
        if (array != NULL) inputs[i] = constant_of(graph, scope, inputs[i], array);
    }
}
