/* Convolution of codes with channels innermost: weir.Window gathers the elements of each window, weir.Linear multiplies
 * it with the kernels as a matrix. A window's elements are ordered by the last spatial dimension, then the others, then
 * channels: hardware reads rows of the input side by side. Padding is the code of zero. A window of one element that
 * moves by one is the input itself. */
#include "ir/geometry.h"
#include "ir/infer.h"
#include "passes/transform/view.h"

/* Where the kernels' element for a row and column of the matrix is. */
typedef struct kernels {
    int rank;
    int64_t size[WEIR_MAX_RANK]; /* by spatial dimension */
    int64_t channels;            /* of a group */
} kernels;

static size_t element_of(const void *user, int64_t row, int64_t column) {
    const kernels *k = user;
    const int64_t channel = column % k->channels;
    int64_t rest = column / k->channels, plane = 1, stride = 1, at = 0;
    for (int i = 0; i < k->rank; i++) plane *= k->size[i];
    stride = plane;
    for (int i = 0; i < k->rank; i++) {
        stride /= k->size[i];
        at += rest % k->size[i] * stride;
        rest /= k->size[i];
    }
    return (size_t)((row * k->channels + channel) * plane + at);
}

static bool is_trivial(const weir_window *w) {
    bool trivial = true;
    for (int i = 0; i < w->rank; i++) trivial &= weir_geometry_is_trivial(w, i);
    return trivial;
}

/* The codes of each window; no value after a reported error. */
static weir_value slide(weir_lowering *l, weir_node node, weir_value codes, const weir_window *w, int64_t group) {
    const weir_type *type = weir_value_type(l->to, codes);
    const size_t rank = (size_t)w->rank;
    int64_t pads[2 * WEIR_MAX_RANK];
    for (size_t i = 0; i < rank; i++) {
        pads[i] = w->begin[i];
        pads[i + rank] = w->end[i];
    }
    const weir_node window = weir_lower_add_node(l, node, WEIR_OP_WINDOW, "_window", &codes, 1, NULL);
    weir_node_set_ints(l->to, window, "kernel_shape", w->kernel, rank);
    weir_node_set_ints(l->to, window, "strides", w->stride, rank);
    weir_node_set_ints(l->to, window, "dilations", w->dilation, rank);
    weir_node_set_ints(l->to, window, "pads", pads, 2 * rank);
    if (group > 1) weir_node_set_int(l->to, window, "group", group);
    weir_node_set_int(l->to, window, "fill", weir_quant_zero(&type->quant, 0));
    return weir_infer_node(l->to, window) ? weir_node_output(l->to, window, 0) : WEIR_NO_VALUE;
}

bool weir_lower_conv(weir_lowering *l, weir_node node, const weir_view *x, const weir_view *weights,
                     const weir_view *bias) {
    const int64_t group = weir_node_int(l->from, node, "group", 1);
    weir_shape onnx;
    weir_window w;
    if (!weir_lower_check_operands(l, node, x, weights) || !weir_lower_check_scales(l, node, weights, 0) ||
        !weir_lower_channels_last(l, node, &onnx))
        return false;
    const weir_shape *kernel = &weights->codes->shape;
    if (!weir_geometry_window(l->from, node, &onnx, kernel->dim + 2, &w)) return false;
    if (w.rank > 2) return weir_lower_fail(l, node, "hardware slides windows along 1 or 2 dimensions, not %d", w.rank);
    weir_value codes = weir_lower_codes(l, node, x);
    if (codes.id == 0) return false;
    if (weir_value_type(l->to, codes)->quant.count > 1)
        return weir_lower_fail(l, node, "its input has a scale per channel");
    if (!is_trivial(&w)) codes = slide(l, node, codes, &w, group);
    if (codes.id == 0) return false;
    kernels k = {.rank = w.rank, .channels = kernel->dim[1]};
    weir_shape shape = {2, {kernel->dim[0], kernel->dim[1]}};
    for (int i = 0; i < w.rank; i++) {
        k.size[i] = w.kernel[i];
        shape.dim[1] *= w.kernel[i];
    }
    const weir_array *matrix = weir_lower_matrix(l, weights, &shape, element_of, &k);
    return weir_lower_product(l, node, codes, matrix, &weights->quant, group, bias);
}
