/* Convolution of codes with channels innermost: weir.Window gathers the elements of each window, weir.Linear multiplies
 * it with the kernels as a matrix. A window's elements are ordered by the last spatial dimension, then the others, then
 * channels: hardware reads rows of the input side by side. Padding is the code of zero. A window of one element that
 * moves by one is the input itself. ConvTranspose is a convolution with the kernels turned round, of its input with
 * zeros between the elements, which a weir.Reorder inserts. */
#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* Where the kernels' element for a row and column of the matrix is. */
typedef struct kernels {
    int rank;
    int64_t size[WEIR_MAX_RANK];                       /* by spatial dimension */
    int64_t plane;                                     /* of all of them */
    int64_t first[WEIR_MAX_RANK], used[WEIR_MAX_RANK]; /* of those that see the input */
    int64_t channels, outputs;                         /* of a group */
    bool turned; /* [inputs, outputs of a group, ...], the last element first, else [outputs, inputs of a group, ...] */
} kernels;

static size_t element_of(const void *user, int64_t row, int64_t column) {
    const kernels *k = user;
    const int64_t channel = column % k->channels;
    int64_t rest = column / k->channels, stride = k->plane, at = 0;
    for (int i = 0; i < k->rank; i++) {
        stride /= k->size[i];
        at += (k->first[i] + rest % k->used[i]) * stride;
        rest /= k->used[i];
    }
    if (!k->turned) return (size_t)((row * k->channels + channel) * k->plane + at);
    const int64_t input = row / k->outputs * k->channels + channel;
    return (size_t)((input * k->outputs + row % k->outputs + 1) * k->plane - 1 - at);
}

static bool is_padded(const weir_window *w) {
    bool padded = false;
    for (int i = 0; i < w->rank; i++) padded |= w->begin[i] > 0 || w->end[i] > 0;
    return padded;
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

/* Room in front of the input along an axis, so that the first window sees some of it, and behind it for the last one;
 * negative: what no window sees is cut off. */
typedef struct room {
    int64_t before, after;
} room;

/* Strides leave less than one of them at the end. */
static room place_along(weir_window *w, int i) {
    const int64_t reach = (w->kernel[i] - 1) * w->dilation[i];
    room r = {w->begin[i] > reach ? w->begin[i] - reach : w->begin[i] < 0 ? w->begin[i] : 0, 0};
    w->begin[i] -= r.before;
    w->in[i] += r.before;
    const int64_t last = (w->out[i] - 1) * w->stride[i] - w->begin[i];
    if (last >= w->in[i]) r.after = last + 1 - w->in[i];
    else if (-w->end[i] >= w->stride[i]) r.after = w->end[i];
    w->in[i] += r.after;
    w->end[i] -= r.after;
    if (w->end[i] < 0) w->end[i] = 0;
    return r;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* The codes in as much room as each window sees some of. */
static weir_value place(weir_lowering *l, weir_node node, weir_value codes, weir_window *w) {
    const weir_type *type = weir_value_type(l->to, codes);
    const int64_t zero = weir_quant_zero(&type->quant, 0);
    weir_shape cut = type->shape, all = cut;
    int64_t from[WEIR_MAX_RANK] = {0}, begin[WEIR_MAX_RANK] = {0};
    for (int i = 0; i < w->rank; i++) {
        const room r = place_along(w, i);
        from[i + 1] = least(r.before, 0);
        begin[i + 1] = r.before - from[i + 1];
        cut.dim[i + 1] += from[i + 1] + least(r.after, 0);
        all.dim[i + 1] = w->in[i];
    }
    codes = weir_lower_padded(l, node, "_cut", codes, &cut, from, zero);
    return codes.id == 0 ? codes : weir_lower_padded(l, node, "_padded", codes, &all, begin, zero);
}

/* Scales of each channel become those of the kernels, of which each has one channel: the weights with these; NULL after
 * a reported error. */
static const weir_expression *move_scales(weir_lowering *l, weir_node node, weir_value *codes, int64_t channels,
                                          uint32_t outputs, const weir_expression *weights) {
    static const double one = 1;
    weir_arena *arena = weir_graph_arena(l->to);
    weir_type type = *weir_value_type(l->to, *codes);
    const weir_quant by_channel = type.quant;
    weir_quant quant = *weir_expression_quant(weights);
    if (by_channel.count <= 1) return weights;
    if (channels != 1) {
        weir_lower_fail(l, node, "its input has a scale per channel, which only depthwise convolutions support");
        return NULL;
    }
    double *scale = weir_arena_array(arena, outputs, sizeof *scale);
    int64_t *zero = weir_arena_array(arena, outputs, sizeof *zero);
    for (uint32_t i = 0; i < outputs; i++) {
        const int64_t c = i / (outputs / by_channel.count);
        if (weir_quant_zero(&by_channel, c) != weir_quant_zero(&by_channel, 0)) {
            weir_lower_fail(l, node, "its input needs one zero point for all channels");
            return NULL;
        }
        scale[i] = weir_contract_product(l->contract, weir_quant_scale(&by_channel, c), weir_quant_scale(&quant, i));
        zero[i] = weir_quant_zero(&quant, i);
    }
    quant.count = outputs;
    quant.axis = 0;
    quant.scale = scale;
    quant.zero_point = zero;
    if (quant.format == WEIR_FORMAT_FIXED) quant.format = WEIR_FORMAT_INTEGER;
    type.quant.count = 1;
    type.quant.axis = -1;
    type.quant.scale = &one;
    *codes = weir_node_output(l->to, weir_lower_add_node(l, node, WEIR_OP_RELABEL, "_channels", codes, 1, &type), 0);
    return weir_expression_weights(arena, weir_expression_data(weights), &quant);
}

/* The windows of codes times the kernels, whose quantization has one scale or one for each output channel. Padding is
 * zero: elements of a kernel that see nothing else add nothing. */
static bool multiply(weir_lowering *l, weir_node node, weir_value codes, const weir_window *given,
                     const weir_expression *weights, bool turned, const weir_expression *bias) {
    const int64_t group = weir_node_int(l->from, node, "group", 1), *dim = weir_expression_data(weights)->shape.dim;
    weir_window w = *given;
    if (w.rank > 2)
        return weir_lower_fail(
            l, node,
            "hardware slides windows along 1 or 2 dimensions, not %d; only a Conv with constant weights may have "
            "more: replace a ConvTranspose by Resize and Conv",
            w.rank);
    kernels k = {.rank = w.rank, .plane = 1, .turned = turned};
    int64_t used = 1;
    for (int i = 0; i < w.rank; i++) {
        k.plane *= k.size[i] = w.kernel[i];
        k.first[i] = weir_geometry_trim(&w, i);
        used *= k.used[i] = w.kernel[i];
    }
    k.channels = turned ? dim[0] / group : dim[1];
    k.outputs = turned ? dim[1] : dim[0] / group;
    codes = place(l, node, codes, &w);
    if (codes.id != 0 && !is_trivial(&w)) codes = slide(l, node, codes, &w, group);
    if (codes.id == 0) return false;
    const weir_shape shape = {2, {k.outputs * group, k.channels * used}};
    const weir_array *matrix = weir_lower_matrix(l, weights, &shape, element_of, &k);
    return weir_lower_product(l, node, codes, matrix, weir_expression_quant(weights), group, bias);
}

bool weir_lower_conv(weir_lowering *l, weir_node node, const weir_expression *x, const weir_expression *weights,
                     const weir_expression *bias) {
    weir_shape onnx;
    weir_window w;
    if (!weir_lower_check_operands(l, node, x, weights) || !weir_lower_channels_last(l, node, &onnx)) return false;
    const int64_t *dim = weir_expression_data(weights)->shape.dim;
    if (!weir_geometry_window(l->from, node, &onnx, dim + 2, &w)) return false;
    weir_value codes = weir_lower_operand(l, node, x, dim[1] == 1);
    if (codes.id != 0 && is_padded(&w)) codes = weir_lower_with_zero(l, node, codes);
    if (codes.id == 0) return false;
    const weir_expression *scaled = weir_lower_scale_inputs(l, node, &codes, weights, 0, 1);
    if (scaled != NULL) scaled = move_scales(l, node, &codes, dim[1], (uint32_t)dim[0], scaled);
    return scaled != NULL && multiply(l, node, codes, &w, scaled, false, bias);
}

/* --- ConvTranspose --- */

/* The elements along each dimension as far apart as the stride says, codes of zero between and behind them. */
static weir_value spread(weir_lowering *l, weir_node node, weir_value codes, const weir_window *t) {
    const weir_type *type = weir_value_type(l->to, codes);
    weir_reordering r = {.shape = type->shape};
    int64_t size = 1;
    const int last = type->shape.rank - 1;
    for (int d = last; d >= 0; d--) size *= type->shape.dim[d];
    for (int d = 0; d <= last; d++) {
        const int64_t stride = d > 0 && d < last ? t->stride[d - 1] : 1;
        size /= type->shape.dim[d];
        r.stride[r.loops] = size;
        r.size[r.loops] = r.end[r.loops] = type->shape.dim[d];
        r.loops++;
        r.shape.dim[d] *= stride;
        if (stride == 1) continue;
        r.size[r.loops] = stride;
        r.end[r.loops++] = 1;
        r.fills = true;
    }
    return r.fills ? weir_lower_reorder(l, node, "_spread", codes, &r, weir_quant_zero(&type->quant, 0)) : codes;
}

/* The scale and zero point of each output channel, where a group's are given. */
static const weir_expression *by_output(weir_lowering *l, const weir_expression *weights, int64_t group) {
    weir_quant quant = *weir_expression_quant(weights);
    const uint32_t given = quant.count;
    if (given <= 1 || group == 1) return weights;
    double *scale = weir_arena_array(weir_graph_arena(l->to), given * (size_t)group, sizeof *scale);
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), given * (size_t)group, sizeof *zero);
    quant.count = given * (uint32_t)group;
    for (uint32_t i = 0; i < quant.count; i++) {
        scale[i] = weir_quant_scale(weir_expression_quant(weights), i % given);
        zero[i] = weir_quant_zero(weir_expression_quant(weights), i % given);
    }
    quant.scale = scale;
    quant.zero_point = zero;
    return weir_expression_weights(weir_graph_arena(l->to), weir_expression_data(weights), &quant);
}

bool weir_lower_conv_transpose(weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_input(l, node, 0), *weights = weir_lower_input(l, node, 1);
    weir_shape onnx;
    weir_window t, w = {.rank = 0};
    if (!weir_lower_check_operands(l, node, x, weights) || !weir_lower_channels_last(l, node, &onnx)) return false;
    const int64_t group = weir_node_int(l->from, node, "group", 1), *dim = weir_expression_data(weights)->shape.dim;
    if (!weir_geometry_transposed(l->from, node, &onnx, dim + 2, &t)) return false;
    weir_value codes = weir_lower_operand(l, node, x, dim[0] == group);
    if (codes.id != 0) codes = weir_lower_with_zero(l, node, codes);
    if (codes.id == 0) return false;
    const weir_expression *scaled = weir_lower_scale_inputs(l, node, &codes, weights, 1, 0);
    if (scaled == NULL) return false;
    scaled = move_scales(l, node, &codes, dim[0] / group, (uint32_t)(dim[1] * group), by_output(l, scaled, group));
    if (scaled == NULL) return false;
    for (w.rank = 0; w.rank < t.rank; w.rank++) {
        const int i = w.rank;
        const int64_t spread_size = t.out[i] * t.stride[i], reach = (t.kernel[i] - 1) * t.dilation[i];
        const int64_t before = reach - t.begin[i], after = t.in[i] + t.begin[i] - spread_size;
        w.kernel[i] = t.kernel[i];
        w.dilation[i] = t.dilation[i];
        w.stride[i] = 1;
        w.begin[i] = before;
        w.end[i] = after;
        w.in[i] = spread_size;
        w.out[i] = t.in[i];
        if (spread_size + (before < 0 ? before : 0) + (after < 0 ? after : 0) < 1)
            return weir_lower_fail(l, node, "its pads crop away all of its input");
    }
    codes = spread(l, node, codes, &t);
    return codes.id != 0 && multiply(l, node, codes, &w, scaled, true, weir_lower_input(l, node, 2));
}
