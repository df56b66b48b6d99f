#include "exec/kernel.h"

#include <cblas.h>
#include <limits.h>

#include "exec/kernel_common.h"

static weir_kernel *const kernels[WEIR_OP_COUNT] = {
#define WEIR_OP(id, ...) [WEIR_OP_##id] = weir_kernel_##id,
#include "ir/op.def"
#undef WEIR_OP
};

weir_kernel *weir_kernel_find(weir_op op) { return kernels[op]; }

/* BLAS counts in int. */
static bool fits_blas(const weir_type *type) {
    for (int i = 0; i < type->shape.rank; i++)
        if (type->shape.dim[i] > INT_MAX) return false;
    return true;
}

/* A convolution is a product of matrices whose sides are products of dimensions; its weights are input `weights`. */
static bool fits_convolution(const weir_graph *graph, weir_node node, size_t weights) {
    size_t count, positions;
    return weir_shape_count(&weir_kernel_input_type(graph, node, weights)->shape, &count) && count <= INT_MAX &&
           weir_shape_count(&weir_kernel_output_type(graph, node)->shape, &positions) && positions <= INT_MAX;
}

/* Does BLAS compute a product of these types? */
static bool fits_product(const weir_type *a, const weir_type *b) {
    return a->dtype != WEIR_FLOAT16 && fits_blas(a) && fits_blas(b);
}

bool weir_kernel_supports(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node);
    if (kernels[op] == NULL) return false;
    switch (op) {
    case WEIR_OP_CONV_INTEGER: return fits_convolution(graph, node, 1);
    case WEIR_OP_QLINEAR_CONV: return fits_convolution(graph, node, 3);
    case WEIR_OP_GEMM:
    case WEIR_OP_MATMUL:
    case WEIR_OP_CONV: break;
    default: return true;
    }
    const weir_type *a = weir_kernel_input_type(graph, node, 0), *b = weir_kernel_input_type(graph, node, 1);
    if (!fits_product(a, b)) return false;
    if (op == WEIR_OP_CONV) return fits_convolution(graph, node, 1);
    return op != WEIR_OP_GEMM || weir_dtype_is_float(a->dtype);
}

void weir_kernel_prepare(void) {
#ifdef WEIR_HAVE_OPENBLAS
    if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
#endif
}
