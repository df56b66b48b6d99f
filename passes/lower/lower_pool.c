/* Pools and reductions of codes. The largest code is that of the largest number, so MaxPool and ReduceMax pass codes as
 * they are, and a Relu before the pool can be moved after it. A mean is a sum of codes with a smaller scale, which the
 * quantizer after it takes in: real = (sum - count * zero) * (scale / count).
 *
 * A window is joined from its rows: one node for each dimension along which it has more than one element or moves, the
 * innermost first, which leaves the others the fewest elements to hold. Dimensions that a window covers whole are one
 * with the dimension before them: a pool over all of an image is a single line, which holds an element a channel. */
#include <stdlib.h>

#include "ir/shape/geometry.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

enum { MOST_ELEMENTS = 1 << 24, MOST_FACTOR = 255 }; /* of a mean: a float32 counts so many; of windows at the edges */

/* --- windows --- */

/* All of a tensor [batch, channels, ...]. */
static weir_window whole_window(const weir_shape *x) {
    weir_window w = {.rank = x->rank - 2};
    for (int i = 0; i < w.rank; i++) {
        w.in[i] = w.kernel[i] = w.stride[i] = x->dim[i + 2];
        w.out[i] = w.dilation[i] = 1;
    }
    return w;
}

/* Without the elements at its ends that see padding only, which add nothing, where the rest begins and ends as windows
 * may. */
static weir_window trimmed_window(const weir_window *given) {
    weir_window w = *given;
    for (int i = 0; i < w.rank; i++) {
        weir_window t = w;
        weir_geometry_trim(&t, i);
        if (t.begin[i] < 0 || t.end[i] <= -t.stride[i]) continue;
        if (t.end[i] < 0) t.end[i] = 0;
        w = t;
    }
    return w;
}

/* The last dimensions as one, as far as they are covered. What has one position holds one window at a time. */
static weir_window joined_window(const weir_window *given) {
    weir_window w = *given;
    for (int i = w.rank - 2; i >= 0 && weir_geometry_is_whole(&w, i + 1) && (w.dilation[i] == 1 || w.kernel[i] == 1);
         i--) {
        const int64_t size = w.in[i + 1];
        w.rank--;
        w.in[i] *= size;
        w.kernel[i] *= size;
        w.stride[i] *= size;
        w.dilation[i] = 1;
        w.begin[i] *= size;
        w.end[i] *= size;
    }
    for (int i = 0; i < w.rank; i++) {
        const int64_t span = (w.kernel[i] - 1) * w.dilation[i] + 1;
        if (w.out[i] == 1 && w.stride[i] < span) w.stride[i] = span;
    }
    return w;
}

/* The shape with channels last, its spatial dimensions those of the window's input or output. */
static weir_shape windowed(const weir_shape *x, const weir_window *w, bool out) {
    weir_shape shape = {.rank = w->rank + 2, .dim = {x->dim[0]}};
    for (int i = 0; i < w->rank; i++) shape.dim[i + 1] = out ? w->out[i] : w->in[i];
    shape.dim[w->rank + 1] = x->dim[x->rank - 1];
    return shape;
}

/* --- nodes --- */

static weir_value reshaped(weir_lowering *l, weir_node node, const char *suffix, weir_value value,
                           const weir_shape *shape) {
    if (weir_shape_equal(&weir_value_type(l->to, value)->shape, shape)) return value;
    return weir_lower_reshape_as(l, node, suffix, value, shape);
}

/* What pools of one node have in common. */
typedef struct pooling {
    weir_op op;
    bool shares;             /* SumPool: sums of fewer elements are multiplied, so that all are of as many */
    int64_t zero;            /* SumPool: of the codes, where padding is added */
    const weir_quant *label; /* scales and zero points of the result; NULL: those of the input */
} pooling;

/* Elements of the sums along dimension `i`; 0: there is no such number. */
static int64_t count_along(const pooling *p, const weir_window *w, int i) {
    return p->shares ? weir_geometry_common(w, i, MOST_ELEMENTS) : w->kernel[i];
}

/* Which of the sums along dimension `i` are of fewer? */
static bool differs(const weir_window *w, int i) {
    bool any = false;
    for (int64_t o = 1; o < w->out[i]; o++) any |= weir_geometry_seen(w, i, o) != weir_geometry_seen(w, i, 0);
    return any;
}

/* `value` pooled along spatial dimension `along`, channels last; no value after an error. */
static weir_value pool_along(weir_lowering *l, weir_node node, const pooling *p, weir_value value, const weir_window *w,
                             int along) {
    const size_t rank = (size_t)w->rank;
    const int64_t span = (w->kernel[along] - 1) * w->dilation[along] + 1;
    const int64_t end = (w->out[along] - 1) * w->stride[along] + span - w->in[along] - w->begin[along];
    int64_t pads[2 * WEIR_MAX_RANK] = {0}, sizes[WEIR_MAX_RANK];
    int order[WEIR_MAX_RANK];
    char suffix[8] = "_0", layout[WEIR_LAYOUT_TEXT];
    suffix[1] = (char)('0' + along);
    for (size_t i = 0; i < rank; i++) sizes[i] = 1;
    const weir_node pool = weir_lower_add_node(l, node, p->op, suffix, &value, 1, NULL);
    sizes[along] = w->kernel[along];
    weir_node_set_ints(l->to, pool, "kernel_shape", sizes, rank);
    sizes[along] = w->stride[along];
    weir_node_set_ints(l->to, pool, "strides", sizes, rank);
    sizes[along] = w->dilation[along];
    weir_node_set_ints(l->to, pool, "dilations", sizes, rank);
    pads[along] = w->begin[along];
    pads[along + w->rank] = end < 0 ? 0 : end; /* what the windows reach */
    weir_node_set_ints(l->to, pool, "pads", pads, 2 * rank);
    weir_layout_channels_last(w->rank + 2, order);
    weir_layout_print(order, w->rank + 2, layout);
    weir_node_set_string(l->to, pool, "layout", layout);
    if (p->zero != 0) weir_node_set_int(l->to, pool, "zero", p->zero);
    if (p->shares && differs(w, along)) weir_node_set_int(l->to, pool, "common", count_along(p, w, along));
    return weir_infer_node(l->to, pool) ? weir_node_output(l->to, pool, 0) : WEIR_NO_VALUE;
}

static void set_label(weir_lowering *l, weir_value value, const weir_quant *label) {
    weir_type type = *weir_value_type(l->to, value);
    type.quant.count = label->count;
    type.quant.axis = label->count > 1 ? type.shape.rank - 1 : -1;
    type.quant.scale = label->scale;
    type.quant.zero_point = label->zero_point;
    weir_value_set_type(l->to, value, &type);
}

static bool is_padded(const weir_window *w) {
    int64_t least, most, all = 1;
    weir_geometry_count_seen(w, &least, &most);
    for (int i = 0; i < w->rank; i++) all *= w->kernel[i];
    return least < all;
}

/* The only element that each window sees, of which nothing was subtracted, by the scales of the label. */
static weir_value scaled(weir_lowering *l, weir_node node, weir_value value, const pooling *p) {
    const weir_node named =
        weir_lower_add_node(l, node, WEIR_OP_RELABEL, "_mean", &value, 1, weir_value_type(l->to, value));
    int64_t *zero = weir_arena_array(weir_graph_arena(l->to), p->label->count, sizeof *zero);
    weir_quant label = *p->label;
    for (uint32_t c = 0; c < label.count; c++) zero[c] = weir_quant_zero(p->label, c) + p->zero;
    label.zero_point = zero;
    value = weir_node_output(l->to, named, 0);
    set_label(l, value, &label);
    return value;
}

/* The value [batch, ..., channels] pooled along all dimensions; no value after an error. */
static weir_value pool_all(weir_lowering *l, weir_node node, const pooling *given_pooling, weir_value value,
                           const weir_window *given) {
    const weir_shape x = weir_value_type(l->to, value)->shape;
    const weir_window trimmed = trimmed_window(given), w = joined_window(&trimmed);
    const weir_shape in = windowed(&x, &w, false), out = windowed(&x, given, true);
    pooling p = *given_pooling;
    bool any = false;
    value = reshaped(l, node, "_line", value, &in);
    for (int i = w.rank - 1; i >= 0 && value.id != 0; i--) {
        if (weir_geometry_is_trivial(&w, i)) continue;
        value = pool_along(l, node, &p, value, &w, i);
        any = true;
        p.zero = 0;
    }
    if (value.id == 0) return value;
    if (!any && !p.shares && p.label != NULL && is_padded(given)) value = scaled(l, node, value, &p);
    else if (any && p.label != NULL) set_label(l, value, p.label);
    return reshaped(l, node, "", value, &out);
}

/* --- pools --- */

/* The node's window over [batch, ..., channels]; false after a reported error. */
static bool read_window(weir_lowering *l, weir_node node, weir_window *w) {
    const weir_op kind = weir_trait_kind(l->from, node);
    int64_t least, most;
    weir_shape onnx;
    if (!weir_lower_channels_last(l, node, &onnx)) return false;
    const bool global = kind == WEIR_OP_GLOBAL_AVERAGE_POOL || kind == WEIR_OP_GLOBAL_MAX_POOL ||
                        kind == WEIR_OP_QLINEAR_GLOBAL_AVERAGE_POOL;
    if (global) *w = whole_window(&onnx);
    else if (!weir_geometry_window(l->from, node, &onnx, NULL, w)) return false;
    weir_geometry_count_seen(w, &least, &most);
    return least > 0 || weir_lower_fail(l, node, "a window covers nothing but padding");
}

/* Do the numbers of each channel rise with its codes? */
static bool rises(const weir_expression *x) {
    bool fine = true;
    for (; weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP; x = weir_expression_operand(x)) {
        const weir_step *step = weir_expression_step_of(x);
        fine &= step->op != WEIR_OP_NEG;
        const bool scales = step->op == WEIR_OP_MUL || step->op == WEIR_OP_DIV;
        for (size_t c = 0; scales && c < step->constant->count; c++) fine &= weir_array_get(step->constant, c) >= 0;
    }
    return fine;
}

static bool is_rising(const weir_expression *x) {
    return weir_expression_source(x) == WEIR_EXPRESSION_CODES && weir_expression_leaf(x)->map == NULL && rises(x);
}

/* The input, whose largest code is that of the largest number, where need be of the quantizer behind; NULL after a
 * reported error. */
static const weir_expression *read_rising(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    if (!is_rising(x) && quantizer != NULL) {
        if (!weir_lower_quantize(l, node, x, quantizer)) return NULL;
        x = weir_lower_expression(l, weir_node_output(l->from, node, 0));
        weir_leaf leaf = *weir_expression_leaf(x);
        leaf.ahead = true;
        x = weir_expression_with_leaf(weir_graph_arena(l->to), x, &leaf);
    }
    if (is_rising(x)) return x;
    if (weir_lower_carries(l, node)) {
        const weir_value codes = weir_lower_carried(l, node, 0);
        return codes.id == 0 ? NULL : weir_expression_codes(weir_graph_arena(l->to), codes);
    }
    if (weir_expression_source(x) != WEIR_EXPRESSION_CODES)
        weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
    else if (weir_expression_leaf(x)->map != NULL)
        weir_lower_fail(l, node, "its input has a scale per channel: it needs a quantizer with one scale before it");
    else weir_lower_fail(l, node, "its input has a negative factor: it needs a quantizer before it");
    return NULL;
}

bool weir_lower_max_pool(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    const weir_expression *x = read_rising(l, node, quantizer);
    weir_window w;
    if (x == NULL || !read_window(l, node, &w)) return false;
    const weir_value pooled = pool_all(l, node, &(pooling){.op = WEIR_OP_MAX_POOL}, weir_expression_codes_of(x), &w);
    return weir_lower_set_with_codes(l, node, x, pooled);
}

/* --- means and sums --- */

/* Elements of a mean; 0 after a reported error. */
static int64_t count_elements(weir_lowering *l, weir_node node, const pooling *p, const weir_window *given) {
    const weir_window w = joined_window(given);
    int64_t count = 1, least, most;
    weir_geometry_count_seen(given, &least, &most);
    for (int i = 0; i < w.rank && count > 0; i++) {
        const int64_t along = count_along(p, &w, i);
        count = along <= MOST_ELEMENTS / count ? count * along : 0;
    }
    if (count == 0 || count / least > MOST_FACTOR) {
        weir_lower_fail(l, node, "its windows see %lld to %lld elements, which have no small common multiple",
                        (long long)least, (long long)most);
        return 0;
    }
    return count;
}

/* Of sums of `count` elements of `x`, less `zero`, or of their means. */
static weir_quant label_of(weir_lowering *l, const weir_quant *x, int64_t count, int64_t zero, bool mean) {
    const uint32_t channels = x->count > 1 ? x->count : 1;
    double *scale = weir_arena_array(weir_graph_arena(l->to), channels, sizeof *scale);
    int64_t *zeros = weir_arena_array(weir_graph_arena(l->to), channels, sizeof *zeros);
    for (uint32_t c = 0; c < channels; c++) {
        scale[c] = weir_quant_scale(x, c) / (mean ? (double)count : 1);
        zeros[c] = count * (weir_quant_zero(x, c) - zero);
    }
    return (weir_quant){.format = WEIR_FORMAT_INTEGER, .count = channels, .scale = scale, .zero_point = zeros};
}

/* The zero point of all channels; false after a reported error. */
static bool read_zero(weir_lowering *l, weir_node node, const weir_quant *quant, int64_t *zero) {
    *zero = weir_quant_zero(quant, 0);
    for (uint32_t c = 1; c < quant->count; c++) {
        if (weir_quant_zero(quant, c) != *zero)
            return weir_lower_fail(l, node, "padding needs one zero point for all channels of its input");
    }
    return true;
}

/* With ceil_mode last windows may reach beyond the padding. */
static bool reaches_beyond(const weir_window *w) {
    bool any = false;
    for (int i = 0; i < w->rank; i++) any |= weir_geometry_covered(w, i, w->out[i] - 1) < w->kernel[i];
    return any;
}

/* The paddings become elements, codes of zero, so that windows share what they see of them; no value after a reported
 * error. */
static weir_value pad_all(weir_lowering *l, weir_node node, weir_value codes, weir_window *w) {
    const weir_type *type = weir_value_type(l->to, codes);
    weir_shape shape = type->shape;
    int64_t begin[WEIR_MAX_RANK] = {0}, zero;
    if (!read_zero(l, node, &type->quant, &zero)) return WEIR_NO_VALUE;
    for (int i = 0; i < shape.rank - 2; i++) {
        begin[i + 1] = w->begin[i];
        w->in[i] = shape.dim[i + 1] += w->begin[i] + w->end[i];
        w->begin[i] = w->end[i] = 0;
    }
    return weir_lower_padded(l, node, "_padded", codes, &shape, begin, zero);
}

bool weir_lower_mean_pool(weir_lowering *l, weir_node node, const weir_expression *x) {
    weir_window w;
    pooling p = {.op = WEIR_OP_SUM_POOL};
    weir_value codes = weir_lower_operand(l, node, x, true);
    if (codes.id == 0 || !read_window(l, node, &w)) return false;
    p.shares = weir_node_int(l->from, node, "count_include_pad", 0) == 0;
    /* Of a QLinearAveragePool they count as padding, too: ONNX Runtime's kernel divides by all of the window. */
    if (!p.shares && weir_trait_kind(l->from, node) != WEIR_OP_QLINEAR_AVERAGE_POOL && reaches_beyond(&w)) {
        p.shares = true;
        codes = pad_all(l, node, codes, &w);
        if (codes.id == 0) return false;
    }
    const weir_quant quant = weir_value_type(l->to, codes)->quant;
    const int64_t count = count_elements(l, node, &p, &w);
    if (count == 0 || (!p.shares && is_padded(&w) && !read_zero(l, node, &quant, &p.zero))) return false;
    const weir_quant label = label_of(l, &quant, count, p.zero, true);
    p.label = &label;
    const bool windows = !weir_geometry_is_all_whole(&w); /* else ONNX Runtime has a kernel for all of the image */
    const weir_leaf mean = {.codes = pool_all(l, node, &p, codes, &w),
                            .sums = windows ? WEIR_SUMS_WINDOWS : WEIR_SUMS_PRODUCT,
                            .count = count};
    return weir_lower_set_leaf(l, node, &mean);
}

/* --- reductions --- */

/* A stream's elements as [outer, size, inner], the middle ones reduced. */
typedef struct group {
    int64_t outer, size, inner;
} group;

/* The last run of reduced dimensions of more than one element, which become 1; false: there is none. */
static bool take_group(weir_shape *shape, const bool *reduced, group *g) {
    int last = shape->rank - 1;
    while (last >= 0 && (!reduced[last] || shape->dim[last] == 1)) last--;
    *g = (group){1, 1, 1};
    for (int i = last + 1; i < shape->rank; i++) g->inner *= shape->dim[i];
    int first = last;
    for (; first >= 0 && (reduced[first] || shape->dim[first] == 1); first--) {
        g->size *= shape->dim[first];
        shape->dim[first] = 1;
    }
    for (; first >= 0; first--) g->outer *= shape->dim[first];
    return last >= 0;
}

/* The sum of each row of [rows, size]: a product with ones. */
static weir_value add_rows(weir_lowering *l, weir_node node, weir_value value, int64_t size, const char *suffix) {
    weir_array *ones = weir_array_new(WEIR_INT8, &(weir_shape){2, {1, size}});
    for (size_t i = 0; i < ones->count; i++) weir_array_set_int(ones, i, 1);
    char *name = weir_format("%s%s_ones", weir_node_name(l->from, node), suffix);
    const weir_value inputs[2] = {value, weir_graph_add_constant(l->to, name, ones)};
    free(name);
    weir_array_free(ones);
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_LINEAR, suffix, inputs, 2, NULL);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

/* No value after an error. */
static weir_value reduce_group(weir_lowering *l, weir_node node, weir_op op, weir_value value, const group *g) {
    const weir_shape line = {3, {g->outer, g->size, g->inner}}, rows = {2, {g->outer, g->size}};
    const weir_window w = {
        .rank = 1, .in = {g->size}, .out = {1}, .kernel = {g->size}, .stride = {g->size}, .dilation = {1}};
    if (op == WEIR_OP_SUM_POOL && g->inner == 1) {
        value = reshaped(l, node, "_line", value, &rows);
        return add_rows(l, node, value, g->size, "_rows");
    }
    value = reshaped(l, node, "_line", value, &line);
    return pool_along(l, node, &(pooling){.op = op}, value, &w, 0);
}

/* `value` reduced along the flagged dimensions, which become 1, with the scales and zero points of `label` if there is
 * one; no value after an error. */
static weir_value reduce_all(weir_lowering *l, weir_node node, weir_op op, weir_value value, const bool *reduced,
                             const weir_quant *label) {
    weir_shape shape = weir_value_type(l->to, value)->shape;
    const weir_value given = value;
    for (group g; value.id != 0 && take_group(&shape, reduced, &g);) value = reduce_group(l, node, op, value, &g);
    if (value.id != 0 && value.id != given.id && label != NULL) set_label(l, value, label);
    return value;
}

/* Do elements with scales of their own become one? */
static bool mixes_scales(const weir_lowering *l, const weir_expression *x, const bool *reduced) {
    const weir_shape *shape = &weir_value_type(l->to, weir_expression_codes_of(x))->shape;
    if (!weir_lower_has_channels(l, x)) return false;
    bool channels = shape->rank < 2 || reduced[shape->rank - 1];
    for (int i = shape->rank - 2; i >= 0 && !reduced[i]; i--) channels |= shape->dim[i] != 1;
    return channels;
}

/* Which dimensions of x, of a leaf, go, and of how many elements one is made; false after a reported error. */
static bool read_reduction(weir_lowering *l, weir_node node, const weir_expression *x, bool *reduced, int64_t *count) {
    const weir_shape *shape = &weir_value_type(l->to, weir_expression_codes_of(x))->shape;
    if (!weir_geometry_reduced(l->from, node, reduced)) return false;
    *count = 1;
    for (int i = 0; i < shape->rank; i++) *count *= reduced[i] ? shape->dim[i] : 1;
    if (*count > MOST_ELEMENTS) return weir_lower_fail(l, node, "it reduces more than %d elements", MOST_ELEMENTS);
    return !mixes_scales(l, x, reduced) ||
           weir_lower_fail(l, node, "its input has a scale per channel: it needs a quantizer with one scale before it");
}

/* Of what is quantized: the largest, or of the negated codes for the smallest; no value after a reported error. */
static weir_value reduce_extreme(weir_lowering *l, weir_node node, weir_value codes, const bool *reduced,
                                 bool largest) {
    const weir_type type = *weir_value_type(l->to, codes);
    if (largest) return reduce_all(l, node, WEIR_OP_MAX_POOL, codes, reduced, NULL);
    codes = weir_lower_negated(l, node, codes);
    if (codes.id != 0) codes = reduce_all(l, node, WEIR_OP_MAX_POOL, codes, reduced, NULL);
    return codes.id == 0 ? codes : weir_lower_negated_back(l, node, codes, &type);
}

/* Magnitudes and squares of codes are whole numbers of one scale, which needs no quantizer: of such a function the
 * codes of a table, else x as it is; NULL after a reported error. */
static const weir_expression *read_addends(weir_lowering *l, weir_node node, const weir_expression *x) {
    enum { MOST_SQUARED = 1 << 10 }; /* float32 keeps their squares apart */
    if (weir_expression_kind_of(x) != WEIR_EXPRESSION_FUNCTION) return x;
    const weir_node maker = weir_value_producer(l->from, weir_expression_value(x));
    const weir_op kind = weir_trait_kind(l->from, maker);
    const weir_expression *of = weir_lower_input(l, maker, 0);
    const bool squares =
        kind == WEIR_OP_MUL && weir_node_input(l->from, maker, 1).id == weir_node_input(l->from, maker, 0).id;
    if ((kind != WEIR_OP_ABS && !squares) || weir_expression_kind_of(of) != WEIR_EXPRESSION_CODES) return x;
    const weir_type *type = weir_value_type(l->to, weir_expression_codes_of(of));
    const int64_t zero = weir_quant_zero(&type->quant, 0), low = llabs(type->low - zero),
                  high = llabs(type->high - zero), most = low > high ? low : high;
    if (type->quant.count > 1 || (squares && most > MOST_SQUARED)) return x;
    double *scale = weir_arena_array(weir_graph_arena(l->to), 1, sizeof *scale);
    *scale = weir_quant_scale(&type->quant, 0);
    if (squares) *scale = weir_contract_product(l->contract, *scale, *scale);
    weir_quant quant = weir_lower_quant_of(WEIR_UINT32, scale, NULL, 1, -1);
    quant.width = weir_bits_for(0, squares ? most * most : most);
    return weir_lower_quantize(l, node, x, &quant) ? weir_lower_expression(l, weir_node_output(l->from, node, 0))
                                                   : NULL;
}

/* The reduced codes in the shape of the node's result; no value after an error, or where there are none. */
static weir_value in_shape(weir_lowering *l, weir_node node, weir_value reduced) {
    if (reduced.id == 0) return reduced;
    return reshaped(l, node, "", reduced, &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape);
}

static bool lower_extreme(weir_lowering *l, weir_node node, const weir_quant *quantizer, bool largest) {
    bool dimension[WEIR_MAX_RANK] = {false};
    int64_t count;
    const weir_expression *x = read_rising(l, node, quantizer);
    if (x == NULL || !weir_geometry_reduced(l->from, node, dimension)) return false;
    if (mixes_scales(l, x, dimension) && weir_lower_carries(l, node)) {
        const weir_value codes = weir_lower_carried(l, node, 0);
        if (codes.id == 0) return false;
        x = weir_expression_codes(weir_graph_arena(l->to), codes);
    }
    if (!read_reduction(l, node, x, dimension, &count)) return false;
    const weir_value made = in_shape(l, node, reduce_extreme(l, node, weir_expression_codes_of(x), dimension, largest));
    return weir_lower_set_with_codes(l, node, x, made);
}

/* The codes in as many bits as leave room for sums of MOST_ELEMENTS of them; no value after a reported error, or of
 * none. */
static weir_value with_room(weir_lowering *l, weir_node node, weir_value codes) {
    enum { MOST_BITS = 62 - 24 };
    const weir_type *type = codes.id == 0 ? NULL : weir_value_type(l->to, codes);
    return type == NULL || !type->has_range || weir_bits_for(type->low, type->high) <= MOST_BITS
               ? codes
               : weir_lower_fit(l, node, codes);
}

static bool lower_total(weir_lowering *l, weir_node node, bool mean) {
    weir_arena *arena = weir_graph_arena(l->to);
    bool dimension[WEIR_MAX_RANK] = {false};
    int64_t count;
    if (!weir_dtype_is_float(weir_value_type(l->from, weir_node_input(l->from, node, 0))->dtype))
        return weir_lower_fail(l, node, "hardware supports it only on real numbers");
    const weir_expression *x = read_addends(l, node, weir_lower_input(l, node, 0));
    if (x == NULL) return false;
    const bool is_input = x == weir_lower_input(l, node, 0);
    const weir_value codes =
        with_room(l, node, is_input ? weir_lower_read_codes(l, node, 0, NULL) : weir_lower_codes(l, node, x));
    if (codes.id == 0 || !read_reduction(l, node, weir_expression_codes(arena, codes), dimension, &count)) return false;
    const weir_quant quant = weir_value_type(l->to, codes)->quant, label = label_of(l, &quant, count, 0, mean);
    if (!mean) l->rounding *= (double)count;
    const weir_value sums = reduce_all(l, node, WEIR_OP_SUM_POOL, codes, dimension, &label);
    const weir_leaf leaf = {.codes = in_shape(l, node, sums), .sums = WEIR_SUMS_EXACT, .count = mean ? count : 1};
    return weir_lower_set_leaf(l, node, &leaf);
}

bool weir_lower_reduce_sum(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    (void)quantizer; /* sums are rounded once, by it */
    return lower_total(l, node, false);
}
bool weir_lower_reduce_mean(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    (void)quantizer;
    return lower_total(l, node, true);
}
bool weir_lower_reduce_max(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    return lower_extreme(l, node, quantizer, true);
}
bool weir_lower_reduce_min(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    return lower_extreme(l, node, quantizer, false);
}

weir_value weir_lower_largest(weir_lowering *l, weir_node node, const char *suffix, weir_value codes, int axis) {
    bool reduced[WEIR_MAX_RANK] = {false};
    weir_shape shape = weir_value_type(l->to, codes)->shape;
    reduced[axis] = true;
    shape.dim[axis] = 1;
    const weir_value largest = reduce_all(l, node, WEIR_OP_MAX_POOL, codes, reduced, NULL);
    return largest.id == 0 ? largest : reshaped(l, node, suffix, largest, &shape);
}
