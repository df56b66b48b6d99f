#include "exec/evaluate.h"

#include <stdlib.h>

#include "exec/kernel.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"

/* Is the result that of the input's shape alone? */
static bool has_data(const weir_graph *graph, weir_node node, const weir_array *const *inputs) {
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++)
        if (weir_node_input(graph, node, i).id != 0 && inputs[i] == NULL) return false;
    return true;
}

/* An array of the value's type without its data. */
static weir_array without_data(const weir_type *type) {
    weir_array array = {.dtype = type->dtype, .shape = type->shape};
    weir_shape_count(&type->shape, &array.count);
    return array;
}

weir_array **weir_evaluate_node(const weir_graph *graph, weir_node node, const weir_array *const *inputs) {
    const weir_op_info *info = weir_node_info(graph, node);
    const bool shape_only = weir_trait_of(weir_node_op(graph, node))->order == WEIR_ORDER_SHAPE;
    const size_t given = weir_node_input_count(graph, node), outputs = weir_node_output_count(graph, node);
    const size_t slots = info->inputs_max > 0 && (size_t)info->inputs_max > given ? (size_t)info->inputs_max : given;
    if (!weir_kernel_supports(graph, node) || (!shape_only && !has_data(graph, node, inputs))) return NULL;
    const weir_array **operands = weir_calloc(slots, sizeof *operands);
    weir_array **results = weir_calloc(outputs, sizeof *results);
    for (size_t i = 0; i < given; i++) operands[i] = inputs[i];
    for (size_t i = 0; i < outputs; i++) {
        const weir_type *type = weir_value_type(graph, weir_node_output(graph, node, i));
        results[i] = weir_array_new(type->dtype, &type->shape);
    }
    weir_array shaped;
    if (shape_only) {
        shaped = without_data(weir_value_type(graph, weir_node_input(graph, node, 0)));
        operands[0] = &shaped;
    }
    weir_kernel_run(graph, node, operands, results);
    free(operands);
    return results;
}
