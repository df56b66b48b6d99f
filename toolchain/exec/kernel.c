#include "exec/kernel.h"

#include "exec/kernel_common.h"

static weir_kernel *const kernels[WEIR_OP_COUNT] = {
#define WEIR_OP(id, ...) [WEIR_OP_##id] = weir_kernel_##id,
#include "ir/op.def"
#undef WEIR_OP
};

weir_kernel *weir_kernel_find(weir_op op) { return kernels[op]; }

/* Products of real numbers are computed in float32 and float64. */
bool weir_kernel_supports(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node);
    if (kernels[op] == NULL) return false;
    if (op != WEIR_OP_GEMM && op != WEIR_OP_MATMUL && op != WEIR_OP_CONV) return true;
    const weir_dtype dtype = weir_kernel_input_type(graph, node, 0)->dtype;
    if (dtype == WEIR_FLOAT16 || dtype == WEIR_BFLOAT16) return false;
    return op != WEIR_OP_GEMM || weir_dtype_is_float(dtype);
}
