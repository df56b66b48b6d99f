#include "passes/mase/metadata/sparsity.h"

#include <string.h>

#include "ir/trait/mase.h"

bool weir_sparsity_applies(const weir_graph *graph, weir_node node) {
    static const char *const names[] = {"linear", "conv1d", "conv2d", "conv3d"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(weir_mase_op(graph, node), names[i]) == 0) return true;
    }
    return false;
}

void weir_zeros_add(weir_zeros *to, const weir_type *type, const weir_array *array) {
    const weir_quant *quant = &type->quant;
    size_t inner = 1;
    for (int i = quant->axis + 1; quant->count > 1 && i < array->shape.rank; i++) inner *= (size_t)array->shape.dim[i];
    for (size_t i = 0; i < array->count; i++) {
        int64_t zero = quant->count == 0 ? 0 : weir_quant_zero(quant, (int64_t)(i / inner % quant->count));
        to->zeros += weir_array_get(array, i) == (double)zero;
    }
    to->count += array->count;
}

double weir_zeros_share(const weir_zeros *zeros) {
    return zeros->count == 0 ? 0 : (double)zeros->zeros / (double)zeros->count;
}

weir_node weir_sparsity_mask(const weir_graph *graph, weir_value value) {
    weir_node node = weir_value_producer(graph, value);
    while (node.id != 0 && weir_node_op(graph, node) != WEIR_OP_MASK) {
        if (!weir_mase_carries(weir_node_op(graph, node))) return WEIR_NO_NODE;
        node = weir_value_producer(graph, weir_node_input(graph, node, 0));
    }
    return node;
}
