/* What nodes of the model say of numbers: the parameters of quantizers in any dialect, bounds, whether elements are
 * only moved. */
#include <math.h>
#include <string.h>

#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

bool weir_lower_read_quant(weir_lowering *l, weir_node node, size_t scale_index, size_t zero_index, weir_dtype dtype,
                           int axis, weir_quant *quant) {
    const weir_array *scale = weir_lower_input_constant(l, node, scale_index),
                     *zero = weir_lower_input_constant(l, node, zero_index);
    if (scale == NULL) return weir_lower_fail(l, node, "input %zu, a scale, must be a constant", scale_index);
    if (weir_node_input(l->from, node, zero_index).id != 0 && zero == NULL)
        return weir_lower_fail(l, node, "input %zu, a zero point, must be a constant", zero_index);
    if (zero != NULL && zero->count != scale->count && zero->count != 1)
        return weir_lower_fail(l, node, "%zu scales and %zu zero points", scale->count, zero->count);
    weir_arena *arena = weir_graph_arena(l->to);
    double *scales = weir_arena_array(arena, scale->count, sizeof *scales);
    int64_t *zeros = weir_arena_array(arena, scale->count, sizeof *zeros);
    for (size_t i = 0; i < scale->count; i++) {
        scales[i] = weir_array_get(scale, i);
        zeros[i] = zero == NULL ? 0 : weir_array_get_int(zero, zero->count == 1 ? 0 : i);
        if (!(scales[i] > 0) || !isfinite(scales[i]))
            return weir_lower_fail(l, node, "scale %zu is not a positive number", i);
    }
    *quant = weir_lower_quant_of(dtype, scales, zeros, (uint32_t)scale->count, axis);
    return true;
}

/* The axis of x along which a parameter that broadcasts changes, -1: it is one number, -2: along several. */
static int changing_axis(const weir_array *parameter, int rank) {
    int axis = -1;
    for (int d = 0; d < parameter->shape.rank; d++) {
        if (parameter->shape.dim[d] > 1) axis = axis == -1 ? d + rank - parameter->shape.rank : -2;
    }
    return axis;
}

/* Whole zero points of QONNX, real numbers there, into the quantization, whose `count` is set. */
static bool read_qonnx_zero(weir_lowering *l, weir_node node, const weir_array *zero, weir_quant *quant) {
    int64_t *zeros = weir_arena_array(weir_graph_arena(l->to), quant->count, sizeof *zeros);
    for (uint32_t i = 0; i < quant->count; i++) {
        double center = weir_array_get(zero, zero->count == 1 ? 0 : i);
        if (center != floor(center) || fabs(center) > 2147483647.0)
            return weir_lower_fail(l, node, "the zero point is %g, hardware needs an integer", center);
        zeros[i] = (int64_t)center;
    }
    quant->zero_point = zeros;
    return true;
}

bool weir_lower_read_qonnx_scale(weir_lowering *l, weir_node node, const weir_array *scale, const weir_array *zero,
                                 weir_quant *quant) {
    int rank = weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape.rank;
    int axis = changing_axis(scale, rank), zero_axis = changing_axis(zero, rank);
    if (axis == -2 || zero_axis == -2 || (axis != -1 && zero_axis != -1 && axis != zero_axis))
        return weir_lower_fail(l, node, "its scales and zero points must vary along one axis only");
    uint32_t count = (uint32_t)(scale->count > zero->count ? scale->count : zero->count);
    double *scales = weir_arena_array(weir_graph_arena(l->to), count, sizeof *scales);
    for (uint32_t i = 0; i < count; i++) {
        scales[i] = weir_array_get(scale, scale->count == 1 ? 0 : i);
        if (!(scales[i] > 0) || !isfinite(scales[i]))
            return weir_lower_fail(l, node, "scale %u is not a positive number", i);
    }
    *quant = weir_lower_quant_of(WEIR_INT8, scales, NULL, count, axis == -1 ? zero_axis : axis);
    return true;
}

bool weir_lower_is_between(const weir_lowering *l, weir_node node, double *zero) {
    const weir_array *given = weir_lower_input_constant(l, node, 2);
    if (!weir_expression_has_data(weir_lower_input(l, node, 0)) || given == NULL || given->count != 1) return false;
    *zero = weir_array_get(given, 0);
    return *zero != floor(*zero) && 2 * *zero == floor(2 * *zero) && fabs(*zero) < 0x1p30;
}

/* QONNX: scale and zero point (any shapes that broadcast along one axis) and bit width as real constants. */
static bool read_qonnx(weir_lowering *l, weir_node node, weir_quant *quant) {
    const weir_array *scale = weir_lower_input_constant(l, node, 1), *zero = weir_lower_input_constant(l, node, 2);
    const weir_array *bits = weir_lower_input_constant(l, node, 3);
    if (scale == NULL || zero == NULL || bits == NULL || bits->count != 1)
        return weir_lower_fail(l, node, "scale, zero point and bit width must be constants, the bit width one number");
    if (!weir_lower_read_qonnx_scale(l, node, scale, zero, quant)) return false;
    double width = weir_array_get(bits, 0);
    if (width != floor(width) || width < 1 || width > 32)
        return weir_lower_fail(l, node, "the bit width is %g, expected a whole number from 1 to 32", width);
    quant->width = (int)width;
    quant->is_signed = weir_node_int(l->from, node, "signed", 1) != 0;
    bool narrow = weir_node_int(l->from, node, "narrow", 0) != 0;
    quant->saturation = narrow ? WEIR_SATURATE_SYMMETRIC : WEIR_SATURATE;
    if (quant->is_signed && quant->width == 1) { /* -1 and +1 */
        quant->format = WEIR_FORMAT_BINARY;
        quant->width = 2;
        quant->saturation = WEIR_SATURATE;
    }
    weir_rounding_parse_qonnx(weir_node_string(l->from, node, "rounding_mode", "ROUND"), &quant->rounding);
    double half;
    return weir_lower_is_between(l, node, &half) || read_qonnx_zero(l, node, zero, quant);
}

bool weir_lower_moves(const weir_lowering *l, weir_node node) {
    const weir_op op = weir_node_op(l->from, node), kind = weir_trait_of(op)->kind;
    return weir_trait_of(op)->task == WEIR_TASK_EXTREME ||
           (weir_node_output_count(l->from, node) == 1 && (weir_trait_of(op)->is_exact || kind == WEIR_OP_RESIZE) &&
            (weir_index_map_exists(op) || kind == WEIR_OP_CONCAT) &&
            strcmp(weir_node_string(l->from, node, "mode", ""), "linear") != 0);
}

bool weir_lower_read_quantizer(weir_lowering *l, weir_node node, weir_quant *quant) {
    const weir_op kind = weir_trait_kind(l->from, node);
    quant->count = 0;
    if (kind == WEIR_OP_QUANT) return read_qonnx(l, node, quant);
    const weir_dtype dtype = weir_value_type(l->from, weir_node_output(l->from, node, 0))->dtype;
    return kind != WEIR_OP_QUANTIZE_LINEAR || weir_lower_read_quant(l, node, 1, 2, dtype, 0, quant);
}

enum { MOST_READERS = 1 << 10 };

typedef struct reader {
    weir_lowering *l;
    bool moved; /* also behind what moves */
    int budget; /* users that it may visit */
} reader;

static bool read_all(reader *r, weir_value value, weir_quant *quant);

/* The quantizer that takes all that this user takes; a count of 0: there is none. */
static bool read_user(reader *r, weir_node user, weir_quant *quant) {
    const weir_op op = weir_node_op(r->l->from, user);
    const weir_trait *trait = weir_trait_of(op);
    quant->count = 0;
    if (trait->kind == WEIR_OP_QUANTIZE_LINEAR || trait->kind == WEIR_OP_QUANT)
        return weir_lower_read_quantizer(r->l, user, quant);
    const bool rises = (trait->element == WEIR_ELEMENT_STEP && trait->is_exact) || weir_index_map_reshapes(op);
    return !(rises || (r->moved && weir_lower_moves(r->l, user))) ||
           read_all(r, weir_node_output(r->l->from, user, 0), quant);
}

static bool read_all(reader *r, weir_value value, weir_quant *quant) {
    const size_t uses = weir_value_use_count(r->l->from, value);
    quant->count = 0;
    if (weir_value_is_output(r->l->from, value)) return true;
    for (size_t i = 0; i < uses && (i == 0 || quant->count > 0); i++) {
        weir_quant next = {.count = 0};
        if (r->budget-- > 0 && !read_user(r, weir_value_use(r->l->from, value, i).node, &next)) return false;
        if (i > 0 && !weir_quant_equal(&next, quant)) next.count = 0;
        *quant = next;
    }
    return true;
}

bool weir_lower_read_consumers(weir_lowering *l, weir_value value, weir_quant *quant) {
    reader r = {l, true, MOST_READERS};
    return read_all(&r, value, quant);
}

bool weir_lower_read_consumer(weir_lowering *l, weir_node node, weir_quant *quant) {
    reader r = {l, l->carries, MOST_READERS};
    return read_all(&r, weir_node_output(l->from, node, 0), quant);
}

const weir_array *weir_lower_clip_bound(weir_lowering *l, weir_node node, size_t index) {
    const weir_value value = weir_node_input(l->from, node, index);
    const char *name = index == 1 ? "min" : "max";
    const bool is_attribute = value.id == 0 && weir_node_attribute(l->from, node, name) != NULL;
    const weir_array *bound = value.id == 0 ? NULL : weir_lower_constant(l, value);
    if (!is_attribute && (bound == NULL || bound->count != 1)) return NULL;
    weir_array *number = weir_array_in(weir_graph_arena(l->to), WEIR_FLOAT32, &(weir_shape){1, {1}});
    weir_array_set(number, 0, is_attribute ? weir_node_float(l->from, node, name, 0) : weir_array_get(bound, 0));
    return number;
}
