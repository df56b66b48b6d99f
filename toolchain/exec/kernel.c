#include "exec/kernel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exec/kernel_common.h"
#include "ir/graph/operator.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"

#define weir_kernel_none NULL
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

static void run_as_laid_out(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                            weir_array *const *outputs) {
    if (weir_layout_is_changed(graph, node)) run_laid_out(graph, node, inputs, outputs);
    else find(weir_node_op(graph, node))(graph, node, inputs, outputs);
}

/* Products of real numbers are computed in float32 and float64. */
static bool is_half_product(const weir_graph *graph, weir_node node) {
    const weir_op kind = weir_trait_kind(graph, node);
    if (kind != WEIR_OP_GEMM && kind != WEIR_OP_MATMUL && kind != WEIR_OP_CONV) return false;
    const weir_dtype dtype = weir_kernel_input_type(graph, node, 0)->dtype;
    return dtype == WEIR_FLOAT16 || dtype == WEIR_BFLOAT16;
}

/* A product of half precision: of float32, rounded once. */
static void run_half(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    const size_t slots = (size_t)weir_node_info(graph, node)->inputs_max;
    weir_array **wide = weir_calloc(slots, sizeof *wide);
    weir_array *y = weir_array_new(WEIR_FLOAT32, &outputs[0]->shape);
    for (size_t i = 0; i < slots; i++) wide[i] = inputs[i] == NULL ? NULL : weir_array_convert(inputs[i], WEIR_FLOAT32);
    run_as_laid_out(graph, node, (const weir_array *const *)wide, &y);
    for (size_t i = 0; i < y->count; i++) weir_array_set(outputs[0], i, weir_array_get(y, i));
    for (size_t i = 0; i < slots; i++) weir_array_free(wide[i]);
    weir_array_free(y);
    free(wide);
}

void weir_kernel_run(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    assert(find(weir_node_op(graph, node)) != NULL);
    if (weir_trait_kind(graph, node) == WEIR_OP_MAX_POOL && weir_kernel_max_codes(graph, node, inputs[0], outputs[0]))
        return;
    if (is_half_product(graph, node)) run_half(graph, node, inputs, outputs);
    else run_as_laid_out(graph, node, inputs, outputs);
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

bool weir_kernel_supports(const weir_graph *graph, weir_node node) {
    if (find(weir_node_op(graph, node)) == NULL) return false;
    return weir_trait_kind(graph, node) != WEIR_OP_GEMM ||
           weir_dtype_is_float(weir_kernel_input_type(graph, node, 0)->dtype);
}
