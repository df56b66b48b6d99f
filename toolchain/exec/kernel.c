#include "exec/kernel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/kernel_common.h"
#include "ir/graph/operator.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"

static weir_kernel *const kernels[WEIR_OP_COUNT] = {
#define WEIR_OP_FACTS(id, domain, name, ...) [WEIR_OP_##id] = __VA_ARGS__
#define KERNEL(kernel) weir_kernel_##kernel,
#include "ir/graph/op.def"
};

static weir_kernel *find(weir_op op) { return op < WEIR_OP_COUNT ? kernels[op] : weir_operator_of(op)->kernel; }

static void run_laid_out(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    assert(weir_layout_is_changed(graph, node));
    const size_t slots = (size_t)weir_node_info(graph, node)->inputs_max;
    const weir_array **operands = weir_calloc(slots, sizeof *operands);
    int order[WEIR_MAX_RANK], back[WEIR_MAX_RANK];
    weir_layout_order(graph, node, order);
    for (int i = 0; i < inputs[0]->shape.rank; i++) back[order[i]] = i;
    memcpy(operands, inputs, slots * sizeof *operands);
    weir_array *x = weir_layout_transpose(inputs[0], back);
    const weir_shape shape = weir_layout_to_onnx(&outputs[0]->shape, order);
    weir_array *y = weir_array_new(outputs[0]->dtype, &shape);
    operands[0] = x;
    kernels[weir_node_op(graph, node)](graph, node, operands, &y);
    weir_layout_transpose_into(y, order, outputs[0]);
    weir_array_free(x);
    weir_array_free(y);
    free(operands);
}

void weir_kernel_run(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    assert(find(weir_node_op(graph, node)) != NULL);
    if (weir_trait_kind(graph, node) == WEIR_OP_MAX_POOL && weir_kernel_max_codes(graph, node, inputs[0], outputs[0]))
        return;
    if (weir_layout_is_changed(graph, node)) run_laid_out(graph, node, inputs, outputs);
    else find(weir_node_op(graph, node))(graph, node, inputs, outputs);
}

bool weir_kernel_is_joint(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node);
    const weir_shape *x = &weir_kernel_input_type(graph, node, 0)->shape;
    const weir_shape *y = &weir_kernel_output_type(graph, node)->shape;
    if (!weir_trait_of(op)->takes_frames || x->rank < 2 || y->rank < 2) return false;
    int order[WEIR_MAX_RANK];
    if (weir_layout_is_changed(graph, node) && (!weir_layout_order(graph, node, order) || order[0] != 0)) return false;
    return op != WEIR_OP_SUM ||
           (weir_shape_equal(x, y) && weir_shape_equal(&weir_kernel_input_type(graph, node, 1)->shape, y));
}

bool weir_kernel_exists(weir_op op) { return find(op) != NULL; }

/* Products of real numbers are computed in float32 and float64. */
bool weir_kernel_supports(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node), kind = weir_trait_of(op)->kind;
    if (find(op) == NULL) return false;
    if (kind != WEIR_OP_GEMM && kind != WEIR_OP_MATMUL && kind != WEIR_OP_CONV) return true;
    const weir_dtype dtype = weir_kernel_input_type(graph, node, 0)->dtype;
    if (dtype == WEIR_FLOAT16 || dtype == WEIR_BFLOAT16) return false;
    return kind != WEIR_OP_GEMM || weir_dtype_is_float(dtype);
}
