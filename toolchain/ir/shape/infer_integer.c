/* Type inference of Weir's own operators. Integer ranges are exact for Linear, Sum, Maximum, Threshold and Lookup and
 * the clip bounds for casts. */
#include "ir/shape/geometry.h"
#include "ir/shape/infer_rule.h"
#include "ir/shape/normalize.h"
#include "ir/shape/normalize_integer.h"

#include <float.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* Ranges stay inside this, so that an accumulator and the operations on it fit 64 bits. */
static const int64_t range_limit = (int64_t)1 << 62;
/* Largest shift of the cast operators. */
enum { SHIFT_LIMIT = 62, FLOAT_SHIFT_LIMIT = 90 };
/* Largest number of elements of a mean: float32 has no room for more. */
enum { COUNT_LIMIT = 1 << 24 };
/* Most steps of a share: a whole number of them and a half has a last bit of zero in float32. */
enum { STEPS_LIMIT = (1 << 22) - 1 };
static const int64_t ENTRY_LIMIT = (int64_t)1 << 56, SUM_LIMIT = (int64_t)1 << 62; /* of tables of integers */

/* ---- Weir: conversions and exact integer arithmetic ---- */

static bool integer_input(const weir_graph *graph, weir_node node, size_t index) {
    return weir_rule_is_integer(weir_rule_input(graph, node, index)) ||
           weir_rule_fail_dtype(graph, node, index, "an integer");
}

/* Range of the input's codes: the proven one, else its container's. */
static void input_range(const weir_graph *graph, weir_node node, size_t index, int64_t *low, int64_t *high) {
    const weir_type *type = weir_rule_input(graph, node, index);
    weir_dtype_limits(type->dtype, low, high);
    if (type->has_range) {
        *low = type->low;
        *high = type->high;
    }
}

static int64_t channel_count(const weir_shape *shape) { return shape->rank == 0 ? 1 : shape->dim[shape->rank - 1]; }

/* Are the scales of `type` per tensor, or one for each index of the last axis? */
static bool check_channels(const weir_graph *graph, weir_node node, const weir_type *type) {
    const weir_quant *quant = &type->quant;
    return quant->count <= 1 ||
           (quant->axis == type->shape.rank - 1 && (int64_t)quant->count == channel_count(&type->shape)) ||
           weir_rule_fail(graph, node,
                          "per-channel quantization must be along the last axis (%lld elements), has %u on axis %d",
                          (long long)channel_count(&type->shape), (unsigned)quant->count, quant->axis);
}

/* Input `index` (when given) must be a constant of the dtype with 1 or C elements. */
static bool check_constant(const weir_graph *graph, weir_node node, size_t index, weir_dtype dtype) {
    const weir_type *type = weir_rule_input(graph, node, index);
    if (type == NULL) return true;
    if (type->dtype != dtype || weir_rule_constant(graph, node, index) == NULL) {
        return weir_rule_fail(graph, node, "input %zu must be a constant of type %s", index, weir_dtype_name(dtype));
    }
    return weir_rule_check_parameter(graph, node, index, channel_count(&weir_rule_input(graph, node, 0)->shape));
}

static bool check_shift(const weir_graph *graph, weir_node node, const char *name, int limit) {
    const int64_t shift = weir_node_int(graph, node, name, 0);
    return (shift >= 0 && shift <= limit) ||
           weir_rule_fail(graph, node, "attribute '%s' is %lld, expected 0 to %d", name, (long long)shift, limit);
}

static bool check_arithmetic(const weir_graph *graph, weir_node node) {
    static const char *const kinds[] = {"qlinear", "quant", NULL};
    return weir_rule_is_word(graph, node, "arithmetic", kinds);
}

static bool check_quantized(const weir_graph *graph, weir_node node, const weir_inferred *to) {
    return to->type[0].quant.format != WEIR_FORMAT_FLOAT ||
           weir_rule_fail(graph, node, "the output must have a quantized type, such as int8[...] integer s8");
}

/* Type of an accumulator: container, width and sign follow from the range; what a pass has written about scale, zero
 * point and rounding stays. */
static bool set_ranged(const weir_graph *graph, weir_node node, weir_inferred *to, const weir_shape *shape, wide low,
                       wide high) {
    if (low < -range_limit || high > range_limit)
        return weir_rule_fail(graph, node, "values may need more than 62 bits: give the inputs a narrower range");
    weir_type type = {.shape = *shape, .quant = to->type[0].quant, .has_range = true};
    type.low = (int64_t)low;
    type.high = (int64_t)high;
    type.dtype = weir_dtype_for(type.low, type.high);
    if (type.quant.format == WEIR_FORMAT_FLOAT) {
        type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .axis = -1};
    }
    if (type.quant.format == WEIR_FORMAT_BINARY || type.quant.format == WEIR_FORMAT_TERNARY)
        type.quant.format = WEIR_FORMAT_INTEGER; /* of any range */
    type.quant.is_signed = low < 0;
    type.quant.width = weir_bits_for(type.low, type.high);
    return check_channels(graph, node, &type) && weir_rule_set(graph, node, to, &type);
}

/* Type of codes in [low, high]: a width that a pass has written stays and must hold them. */
static bool set_coded(const weir_graph *graph, weir_node node, weir_inferred *to, wide low, wide high) {
    weir_type type = {.shape = weir_rule_input(graph, node, 0)->shape, .quant = to->type[0].quant};
    if (type.quant.format == WEIR_FORMAT_FLOAT) return set_ranged(graph, node, to, &type.shape, low, high);
    int64_t least, most;
    weir_quant_limits(&type.quant, &least, &most);
    if (low < least || high > most) {
        return weir_rule_fail(graph, node, "results in [%lld, %lld] do not fit the output's codes [%lld, %lld]",
                              (long long)low, (long long)high, (long long)least, (long long)most);
    }
    type.dtype = weir_dtype_for(least, most);
    type.has_range = true;
    type.low = (int64_t)low;
    type.high = (int64_t)high;
    return check_channels(graph, node, &type) && weir_rule_set(graph, node, to, &type);
}

/* Type of a cast's output: codes clipped to attributes low and high, by default all codes of the output. */
static bool set_clipped(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_quant *quant = &to->type[0].quant;
    int64_t low = 0, high = 0;
    if (quant->format != WEIR_FORMAT_FLOAT) {
        weir_quant_limits(quant, &low, &high);
    } else if (weir_node_attribute(graph, node, "low") == NULL || weir_node_attribute(graph, node, "high") == NULL) {
        return weir_rule_fail(graph, node, "needs a quantized output type, or the attributes 'low' and 'high'");
    }
    low = weir_node_int(graph, node, "low", low);
    high = weir_node_int(graph, node, "high", high);
    if (low > high)
        return weir_rule_fail(graph, node, "attribute 'low' is %lld, above 'high', which is %lld", (long long)low,
                              (long long)high);
    return set_coded(graph, node, to, low, high);
}

/* Per-axis scales must be as many as the axis is long. */
static bool check_scales(const weir_graph *graph, weir_node node, const weir_type *type) {
    const weir_quant *quant = &type->quant;
    return quant->count <= 1 ||
           (quant->axis >= 0 && quant->axis < type->shape.rank && type->shape.dim[quant->axis] == quant->count) ||
           weir_rule_fail(graph, node, "there are %u scales along axis %d, expected one or one per element of an axis",
                          (unsigned)quant->count, quant->axis);
}

bool weir_infer_encode(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_type type = to->type[0];
    type.shape = weir_rule_input(graph, node, 0)->shape;
    if (!weir_dtype_is_float(weir_rule_input(graph, node, 0)->dtype))
        return weir_rule_fail_dtype(graph, node, 0, "a floating-point number");
    if (!check_quantized(graph, node, to)) return false;
    weir_quant_limits(&type.quant, &type.low, &type.high);
    type.has_range = true;
    type.dtype = weir_dtype_for(type.low, type.high);
    return check_scales(graph, node, &type) && check_arithmetic(graph, node) && weir_rule_set(graph, node, to, &type);
}

bool weir_infer_decode(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    const weir_attribute *offset = weir_node_attribute(graph, node, "offset");
    if (offset != NULL && (offset->kind != WEIR_ATTRIBUTE_FLOATS ||
                           (offset->count != 1 && (int64_t)offset->count != channel_count(&x->shape)))) {
        return weir_rule_fail(graph, node, "attribute 'offset' must hold 1 or %lld numbers",
                              (long long)channel_count(&x->shape));
    }
    return integer_input(graph, node, 0) && check_scales(graph, node, x) && check_arithmetic(graph, node) &&
           weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, &x->shape);
}

/* Codes that positions outside the input have, too: then signs are no longer all that there is. */
static void add_fill(weir_type *type, int64_t fill) {
    if (type->quant.format == WEIR_FORMAT_BINARY && fill != -1 && fill != 1) type->quant.format = WEIR_FORMAT_INTEGER;
    if (!type->has_range) return;
    type->low = fill < type->low ? fill : type->low;
    type->high = fill > type->high ? fill : type->high;
}

/* [batch, positions..., group * window * channels of a group] */
bool weir_infer_window(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    const int64_t group = weir_node_int(graph, node, "group", 1), fill = weir_node_int(graph, node, "fill", 0);
    int64_t least, most;
    weir_window w;
    if (!integer_input(graph, node, 0) || !weir_geometry_window_innermost(graph, node, &w)) return false;
    weir_quant_limits(&x->quant, &least, &most);
    if (fill < least || fill > most) {
        return weir_rule_fail(graph, node, "attribute 'fill' is %lld, expected one of the input's codes [%lld, %lld]",
                              (long long)fill, (long long)least, (long long)most);
    }
    if (group < 1 || channel_count(&x->shape) % group != 0) {
        return weir_rule_fail(graph, node, "%lld groups do not divide %lld channels", (long long)group,
                              (long long)channel_count(&x->shape));
    }
    weir_shape shape = x->shape;
    bool pads = false;
    for (int i = 0; i < w.rank; i++) {
        shape.dim[i + 1] = w.out[i];
        shape.dim[shape.rank - 1] *= w.kernel[i];
        pads |= w.begin[i] > 0 || w.end[i] > 0;
    }
    weir_type type = weir_rule_moved_type(graph, node, &shape);
    if (pads) add_fill(&type, fill);
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_reorder(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const int64_t fill = weir_node_int(graph, node, "fill", 0);
    int64_t least, most;
    weir_reordering r;
    if (!integer_input(graph, node, 0) || !weir_geometry_reordering(graph, node, &r)) return false;
    weir_type type = weir_rule_moved_type(graph, node, &r.shape);
    weir_quant_limits(&type.quant, &least, &most);
    if (r.fills && (fill < least || fill > most)) {
        return weir_rule_fail(graph, node, "attribute 'fill' is %lld, expected one of the input's codes [%lld, %lld]",
                              (long long)fill, (long long)least, (long long)most);
    }
    if (r.fills) add_fill(&type, fill);
    return weir_rule_set(graph, node, to, &type);
}

void weir_infer_linear_range(const weir_array *weights, size_t channel, int64_t low, int64_t high, int64_t *sum_low,
                             int64_t *sum_high) {
    const size_t inputs = (size_t)weights->shape.dim[1];
    wide negative = 0, positive = 0;
    for (size_t k = 0; k < inputs; k++) {
        const int64_t w = weir_array_get_int(weights, channel * inputs + k);
        negative += w < 0 ? w : 0;
        positive += w < 0 ? 0 : w;
    }
    const wide least = negative * high + positive * low, most = negative * low + positive * high;
    *sum_low = least < INT64_MIN ? INT64_MIN : (int64_t)least;
    *sum_high = most > INT64_MAX ? INT64_MAX : (int64_t)most;
}

/* Of any weights that the type allows. */
static void any_linear_range(const weir_type *weights, int64_t inputs, int64_t low, int64_t high, wide *sum_low,
                             wide *sum_high) {
    const wide product[] = {(wide)weights->low * low, (wide)weights->low * high, (wide)weights->high * low,
                            (wide)weights->high * high};
    wide least = product[0], most = product[0];
    for (size_t i = 1; i < sizeof product / sizeof *product; i++) {
        least = product[i] < least ? product[i] : least;
        most = product[i] > most ? product[i] : most;
    }
    *sum_low = least * inputs;
    *sum_high = most * inputs;
}

bool weir_infer_linear(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    const weir_array *w = weir_rule_constant(graph, node, 1);
    if (!integer_input(graph, node, 0) || !integer_input(graph, node, 1)) return false;
    const int64_t group = weir_node_int(graph, node, "group", 1);
    if (w == NULL || w->shape.rank != 2 || x->shape.rank < 1 || group < 1 || w->shape.dim[0] % group != 0 ||
        channel_count(&x->shape) % group != 0 || w->shape.dim[1] != channel_count(&x->shape) / group) {
        return weir_rule_fail_shapes(graph, node, "weights must be a constant [group * N, K], x [..., group * K]",
                                     &x->shape, &weir_rule_input(graph, node, 1)->shape);
    }
    const int64_t interleave = weir_node_int(graph, node, "interleave", 1);
    if (interleave < 1 || group % interleave != 0)
        return weir_rule_fail(graph, node, "'interleave' is %lld, expected a divisor of group, %lld",
                              (long long)interleave, (long long)group);
    int64_t low, high, least = 0, most = 0;
    input_range(graph, node, 0, &low, &high);
    for (int64_t n = 0; n < w->shape.dim[0]; n++) {
        int64_t sum_low, sum_high;
        weir_infer_linear_range(w, (size_t)n, low, high, &sum_low, &sum_high);
        least = n == 0 || sum_low < least ? sum_low : least;
        most = n == 0 || sum_high > most ? sum_high : most;
    }
    wide any_least = least, any_most = most;
    if (weir_graph_patchable(graph))
        any_linear_range(weir_rule_input(graph, node, 1), w->shape.dim[1], low, high, &any_least, &any_most);
    weir_shape shape = x->shape;
    shape.dim[shape.rank - 1] = w->shape.dim[0];
    return set_ranged(graph, node, to, &shape, any_least, any_most);
}

bool weir_infer_sum(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *a = weir_rule_input(graph, node, 0), *b = weir_rule_input(graph, node, 1);
    const wide ca = weir_node_int(graph, node, "ca", 1), cb = weir_node_int(graph, node, "cb", 1);
    weir_shape shape;
    if (!integer_input(graph, node, 0) || !integer_input(graph, node, 1)) return false;
    if (!weir_rule_broadcast(&a->shape, &b->shape, &shape) ||
        (weir_rule_constant(graph, node, 0) == NULL && !weir_shape_equal(&a->shape, &shape)) ||
        (weir_rule_constant(graph, node, 1) == NULL && !weir_shape_equal(&b->shape, &shape))) {
        return weir_rule_fail_shapes(graph, node, "sum", &a->shape, &b->shape);
    }
    int64_t a_low, a_high, b_low, b_high;
    input_range(graph, node, 0, &a_low, &a_high);
    input_range(graph, node, 1, &b_low, &b_high);
    const wide low = (ca < 0 ? ca * a_high : ca * a_low) + (cb < 0 ? cb * b_high : cb * b_low);
    const wide high = (ca < 0 ? ca * a_low : ca * a_high) + (cb < 0 ? cb * b_low : cb * b_high);
    return set_ranged(graph, node, to, &shape, low, high);
}

/* The least and the largest product. */
static void find_corners(wide a_low, wide a_high, wide b_low, wide b_high, wide *low, wide *high) {
    const wide corner[] = {a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high};
    *low = *high = corner[0];
    for (size_t i = 1; i < sizeof corner / sizeof *corner; i++) {
        *low = corner[i] < *low ? corner[i] : *low;
        *high = corner[i] > *high ? corner[i] : *high;
    }
}

/* What the streams between it and a component carry, too. */
static weir_value carried_by(const weir_graph *graph, weir_value value) {
    weir_node maker = weir_value_producer(graph, value);
    while (maker.id != 0 && weir_node_info(graph, maker)->class == WEIR_CLASS_STREAM) {
        value = weir_node_input(graph, maker, 0);
        maker = weir_value_producer(graph, value);
    }
    return value;
}

static bool is_square(const weir_graph *graph, weir_node node) {
    return weir_node_int(graph, node, "za", 0) == weir_node_int(graph, node, "zb", 0) &&
           carried_by(graph, weir_node_input(graph, node, 0)).id ==
               carried_by(graph, weir_node_input(graph, node, 1)).id;
}

bool weir_infer_multiply(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *a = weir_rule_input(graph, node, 0), *b = weir_rule_input(graph, node, 1);
    weir_shape shape;
    if (!integer_input(graph, node, 0) || !integer_input(graph, node, 1)) return false;
    if (!weir_rule_broadcast(&a->shape, &b->shape, &shape))
        return weir_rule_fail_shapes(graph, node, "product", &a->shape, &b->shape);
    int64_t a_low, a_high, b_low, b_high;
    input_range(graph, node, 0, &a_low, &a_high);
    input_range(graph, node, 1, &b_low, &b_high);
    const wide za = weir_node_int(graph, node, "za", 0), zb = weir_node_int(graph, node, "zb", 0);
    wide low, high;
    find_corners(a_low - za, a_high - za, b_low - zb, b_high - zb, &low, &high);
    if (low < 0 && is_square(graph, node)) low = 0;
    return set_ranged(graph, node, to, &shape, low, high);
}

bool weir_infer_product(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_matrices p;
    if (!integer_input(graph, node, 0) || !integer_input(graph, node, 1) || !weir_geometry_matrices(graph, node, &p))
        return false;
    int64_t a_low, a_high, b_low, b_high;
    input_range(graph, node, 0, &a_low, &a_high);
    input_range(graph, node, 1, &b_low, &b_high);
    wide low, high;
    find_corners(a_low, a_high, b_low, b_high, &low, &high);
    return set_ranged(graph, node, to, &p.shape, low * p.inner, high * p.inner);
}

bool weir_infer_sum_pool(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_shape shape;
    weir_window window;
    if (!integer_input(graph, node, 0) || !weir_rule_pool_shape(graph, node, &shape, &window)) return false;
    int64_t low, high, least, most;
    input_range(graph, node, 0, &low, &high);
    weir_geometry_count_seen(&window, &least, &most);
    const wide from = (wide)low - weir_node_int(graph, node, "zero", 0);
    const wide up = (wide)high - weir_node_int(graph, node, "zero", 0);
    const int64_t common = weir_node_int(graph, node, "common", 0);
    if (common != 0) {
        int64_t least_common = 1;
        for (int i = 0; i < window.rank && least_common > 0; i++)
            least_common *= weir_geometry_common(&window, i, COUNT_LIMIT / least_common);
        if (common < 0 || common > COUNT_LIMIT || least_common == 0 || common % least_common != 0)
            return weir_rule_fail(graph, node, "'common' is %lld, which not every window's number of elements divides",
                                  (long long)common);
        least = most = common;
    }
    return set_ranged(graph, node, to, &shape, from * (from < 0 ? most : least), up * (up < 0 ? least : most));
}

/* Input `index` must be a constant with a row of thresholds for all channels, or for each. */
static bool check_thresholds(const weir_graph *graph, weir_node node, size_t index) {
    const weir_type *type = weir_rule_input(graph, node, index);
    const int64_t channels = channel_count(&weir_rule_input(graph, node, 0)->shape);
    return (type->dtype == WEIR_FLOAT32 && weir_rule_constant(graph, node, index) != NULL && type->shape.rank == 2 &&
            (type->shape.dim[0] == 1 || type->shape.dim[0] == channels)) ||
           weir_rule_fail(graph, node, "input %zu must be a constant of type float32 with 1 or %lld rows", index,
                          (long long)channels);
}

/* "Mul Add Relu": known operators, and as many constants as they take, from input 2 on. */
static bool check_steps(const weir_graph *graph, weir_node node) {
    const char *text = weir_node_string(graph, node, "steps", "");
    size_t wanted = 0, inputs = weir_node_input_count(graph, node);
    while (*text != '\0') {
        const char *word = text;
        bool takes_constant;
        const weir_op step = weir_op_step(&text, &takes_constant);
        if (step == WEIR_OP_NONE)
            return weir_rule_fail(graph, node,
                                  "attribute 'steps': '%.*s' cannot be a step, expected an operator that "
                                  "works on each element by itself, such as Relu",
                                  (int)strcspn(word, " "), word);
        const size_t index = 2 + wanted;
        wanted += takes_constant;
        if (!takes_constant || index >= inputs) continue;
        if (weir_rule_input(graph, node, index) == NULL)
            return weir_rule_fail(graph, node, "input %zu is missing", index);
        if (step == WEIR_OP_MULTI_THRESHOLD ? !check_thresholds(graph, node, index)
                                            : !check_constant(graph, node, index, WEIR_FLOAT32))
            return false;
    }
    return wanted == (inputs > 2 ? inputs - 2 : 0) ||
           weir_rule_fail(graph, node, "attribute 'steps' takes %zu constants from input 2 on, found %zu", wanted,
                          inputs > 2 ? inputs - 2 : 0);
}

/* Constants for the floor of a quotient, whose numerators 64 bits hold. */
static bool check_floor(const weir_graph *graph, weir_node node) {
    int64_t low, high;
    if (weir_rule_input(graph, node, 1) != NULL || weir_node_attribute(graph, node, "steps") != NULL)
        return weir_rule_fail(graph, node, "'requantshift' has no offset and no steps");
    if (weir_rule_input(graph, node, 2) == NULL || weir_rule_input(graph, node, 3) == NULL)
        return weir_rule_fail(graph, node, "'requantshift' takes a factor and an addend, inputs 2 and 3");
    if (!check_constant(graph, node, 2, WEIR_INT64) || !check_constant(graph, node, 3, WEIR_INT64)) return false;
    if (weir_node_int(graph, node, "divisor", 1) < 1) return weir_rule_fail(graph, node, "'divisor' is below 1");
    const weir_array *factor = weir_rule_constant(graph, node, 2), *addend = weir_rule_constant(graph, node, 3);
    const size_t count = factor->count > addend->count ? factor->count : addend->count;
    input_range(graph, node, 0, &low, &high);
    for (size_t c = 0; c < count; c++) {
        const wide by = weir_array_get_int(factor, factor->count == 1 ? 0 : c),
                   add = weir_array_get_int(addend, addend->count == 1 ? 0 : c);
        const wide ends[2] = {low * by + add, high * by + add};
        for (int i = 0; i < 2; i++)
            if (ends[i] >= range_limit || ends[i] <= -range_limit)
                return weir_rule_fail(graph, node, "its products have more than 62 bits");
    }
    return true;
}

bool weir_infer_requantize(const weir_graph *graph, weir_node node, weir_inferred *to) {
    static const char *const kinds[] = {"qlinear", "quant", "exact", "requantshift", NULL};
    const weir_type *x = weir_rule_input(graph, node, 0);
    if (!integer_input(graph, node, 0) || !weir_rule_is_word(graph, node, "arithmetic", kinds) ||
        !check_constant(graph, node, 1, WEIR_FLOAT64) || !check_channels(graph, node, x)) {
        return false;
    }
    const bool is_floor = strcmp(weir_node_string(graph, node, "arithmetic", ""), "requantshift") == 0;
    if (is_floor ? !check_floor(graph, node) : !check_steps(graph, node)) return false;
    const int64_t elements = weir_node_int(graph, node, "count", 1);
    if (elements < 1 || elements > COUNT_LIMIT)
        return weir_rule_fail(graph, node, "'count' is %lld, expected 1 to %d", (long long)elements, COUNT_LIMIT);
    if (elements > 1 && weir_rule_input(graph, node, 1) != NULL)
        return weir_rule_fail(graph, node, "'count' and an offset exclude each other");
    return check_quantized(graph, node, to) && set_clipped(graph, node, to);
}

bool weir_infer_cast_codes(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const char *names[WEIR_ROUND_COUNT + 1] = {NULL};
    for (int i = 0; i < WEIR_ROUND_COUNT; i++) names[i] = weir_rounding_name((weir_rounding)i);
    return weir_rule_is_word(graph, node, "rounding", names) && integer_input(graph, node, 0) &&
           check_constant(graph, node, 1, WEIR_INT64) && check_shift(graph, node, "left", SHIFT_LIMIT) &&
           check_shift(graph, node, "shift", SHIFT_LIMIT) && set_clipped(graph, node, to);
}

static bool infer_scaled(const weir_graph *graph, weir_node node, int most_shift, weir_inferred *to) {
    return integer_input(graph, node, 0) && check_constant(graph, node, 1, WEIR_INT64) &&
           check_constant(graph, node, 2, WEIR_INT64) && check_shift(graph, node, "shift", most_shift) &&
           set_clipped(graph, node, to);
}

bool weir_infer_scale(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return infer_scaled(graph, node, SHIFT_LIMIT, to);
}

bool weir_infer_scale_float(const weir_graph *graph, weir_node node, weir_inferred *to) {
    if (!infer_scaled(graph, node, FLOAT_SHIFT_LIMIT, to)) return false;
    int64_t low, high, m_low, m_high, a_low, a_high;
    input_range(graph, node, 0, &low, &high);
    weir_value_data_range(graph, weir_node_input(graph, node, 1), &m_low, &m_high);
    weir_value_data_range(graph, weir_node_input(graph, node, 2), &a_low, &a_high);
    const wide least = (wide)low + a_low, most = (wide)high + a_high;
    const wide reach = -least > most ? -least : most, factor = -(wide)m_low > m_high ? -(wide)m_low : m_high;
    const wide product_limit = (wide)1 << 120;
    return factor == 0 || reach < product_limit / factor ||
           weir_rule_fail(graph, node, "the product may need more than 120 bits: give the input a narrower range");
}

/* How many of the row's ascending thresholds are <= x. */
static int64_t passed(const weir_array *thresholds, int64_t row, int64_t x) {
    const int64_t count = thresholds->shape.dim[1];
    int64_t n = 0;
    while (n < count && weir_array_get_int(thresholds, (size_t)(row * count + n)) <= x) {
        n++;
    }
    return n;
}

bool weir_infer_threshold(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    const weir_array *t = weir_rule_constant(graph, node, 1);
    if (!integer_input(graph, node, 0)) return false;
    if (t == NULL || t->dtype != WEIR_INT64 || t->shape.rank != 2 || t->count == 0 ||
        (t->shape.dim[0] != 1 && t->shape.dim[0] != channel_count(shape))) {
        return weir_rule_fail(graph, node, "thresholds (input 1) must be a constant int64 [1 or %lld, count]",
                              (long long)channel_count(shape));
    }
    int64_t low, high, least = t->shape.dim[1], most = 0;
    input_range(graph, node, 0, &low, &high);
    for (int64_t row = 0; row < t->shape.dim[0]; row++) {
        for (int64_t i = 1; i < t->shape.dim[1]; i++) {
            const size_t at = (size_t)(row * t->shape.dim[1] + i);
            if (weir_array_get_int(t, at) < weir_array_get_int(t, at - 1)) {
                return weir_rule_fail(graph, node, "thresholds of row %lld do not ascend", (long long)row);
            }
        }
        const int64_t fewest = passed(t, row, low), all = passed(t, row, high);
        least = fewest < least ? fewest : least;
        most = all > most ? all : most;
    }
    if (weir_graph_patchable(graph)) {
        least = 0;
        most = t->shape.dim[1];
    }
    const wide base = weir_node_int(graph, node, "base", 0), step = weir_node_int(graph, node, "step", 1);
    const wide first = base + step * least, last = base + step * most;
    return set_coded(graph, node, to, first < last ? first : last, first < last ? last : first);
}

/* Column i of the table is the result for code low + i; its rows are channels. */
bool weir_infer_lookup(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    const weir_array *table = weir_rule_constant(graph, node, 1);
    if (!integer_input(graph, node, 0)) return false;
    if (table == NULL || table->dtype != WEIR_INT64 || table->shape.rank != 2 || table->count == 0 ||
        (table->shape.dim[0] != 1 && table->shape.dim[0] != channel_count(shape))) {
        return weir_rule_fail(graph, node, "the table (input 1) must be a constant int64 [1 or %lld, codes]",
                              (long long)channel_count(shape));
    }
    int64_t low, high;
    input_range(graph, node, 0, &low, &high);
    const int64_t first = weir_node_int(graph, node, "low", 0), codes = table->shape.dim[1];
    if (low < first || high - first >= codes) {
        return weir_rule_fail(graph, node, "the table is for codes [%lld, %lld], the input has [%lld, %lld]",
                              (long long)first, (long long)(first + codes - 1), (long long)low, (long long)high);
    }
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int64_t row = 0; row < table->shape.dim[0]; row++) {
        for (int64_t code = low; code <= high; code++) {
            const int64_t result = weir_array_get_int(table, (size_t)(row * codes + code - first));
            least = result < least ? result : least;
            most = result > most ? result : most;
        }
    }
    return set_coded(graph, node, to, least, most);
}

/* Numbers by distance from a row's largest code, none larger than the first; what float32 makes of their products and
 * sums is finite. */
static bool check_powers(const weir_graph *graph, weir_node node, int64_t distances, int64_t steps) {
    const weir_array *power = weir_rule_constant(graph, node, 1);
    const int64_t length = channel_count(&weir_rule_input(graph, node, 0)->shape);
    if (power == NULL || power->dtype != WEIR_FLOAT32 || power->shape.rank != 1 || power->shape.dim[0] < distances)
        return weir_rule_fail(graph, node, "the powers (input 1) must be a constant float32 [%lld or more]",
                              (long long)distances);
    const double first = weir_array_get(power, 0);
    for (size_t i = 0; i < power->count; i++)
        if (!(weir_array_get(power, i) >= 0 && weir_array_get(power, i) <= first))
            return weir_rule_fail(graph, node, "power %zu is not a number from 0 to the first one", i);
    const double most = first * (double)(steps > length ? steps : length);
    return (first >= FLT_MIN && most <= FLT_MAX) ||
           weir_rule_fail(graph, node, "the first power, %g, times %lld steps or %lld elements is beyond float32",
                          first, (long long)steps, (long long)length);
}

/* A share of `steps` never exceeds them. */
bool weir_infer_softmax_codes(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const int64_t steps = weir_node_int(graph, node, "steps", 0), zero = weir_node_int(graph, node, "zero", 0);
    const weir_quant *quant = &to->type[0].quant;
    int64_t low, high, least, most = zero + steps;
    if (!integer_input(graph, node, 0)) return false;
    if (weir_rule_input(graph, node, 0)->shape.rank == 0)
        return weir_rule_fail(graph, node, "expected at least one dimension, found a scalar");
    input_range(graph, node, 0, &low, &high);
    if (steps < 0 || steps > STEPS_LIMIT)
        return weir_rule_fail(graph, node, "attribute 'steps' is %lld, expected 0 to %d", (long long)steps,
                              STEPS_LIMIT);
    if (quant->format != WEIR_FORMAT_FLOAT) weir_quant_limits(quant, &least, &most);
    most = weir_node_int(graph, node, "high", most);
    if (most < zero)
        return weir_rule_fail(graph, node, "results begin at attribute 'zero', %lld, and end at %lld", (long long)zero,
                              (long long)most);
    return check_powers(graph, node, high - low + 1, steps) &&
           set_coded(graph, node, to, zero, most < zero + steps ? most : zero + steps);
}

/* Integers by distance from a row's largest code, the last one for all larger distances. False after a reported
 * error. */
static bool check_integers(const weir_graph *graph, weir_node node, size_t index, const char *what) {
    const weir_array *table = weir_rule_constant(graph, node, index);
    if (table == NULL || table->dtype != WEIR_INT64 || table->shape.rank != 1 || table->count == 0)
        return weir_rule_fail(graph, node, "the %ss (input %zu) must be a constant int64 [1 or more]", what, index);
    for (size_t i = 0; i < table->count; i++)
        if (weir_array_get_int(table, i) < 0 || weir_array_get_int(table, i) > ENTRY_LIMIT)
            return weir_rule_fail(graph, node, "%s %zu is %lld, expected 0 to 2^56", what, i,
                                  (long long)weir_array_get_int(table, i));
    return true;
}

static int64_t largest_of(const weir_array *table) {
    int64_t most = 0;
    for (size_t i = 0; i < table->count; i++) {
        const int64_t entry = weir_array_get_int(table, i);
        most = entry > most ? entry : most;
    }
    return most;
}

/* A row has its largest code, so its sum is at least the first term, and no share more than the largest numerator by
 * that. */
bool weir_infer_softmax_integer(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const int64_t zero = weir_node_int(graph, node, "zero", 0), half = weir_node_int(graph, node, "half", 0);
    const weir_quant *quant = &to->type[0].quant;
    if (!integer_input(graph, node, 0)) return false;
    if (weir_rule_input(graph, node, 0)->shape.rank == 0)
        return weir_rule_fail(graph, node, "expected at least one dimension, found a scalar");
    if (!check_integers(graph, node, 1, "term") || !check_integers(graph, node, 2, "numerator")) return false;
    if (half < 0 || half > 1)
        return weir_rule_fail(graph, node, "attribute 'half' is %lld, expected 0 or 1", (long long)half);
    const weir_array *term = weir_rule_constant(graph, node, 1);
    const int64_t first = weir_array_get_int(term, 0), length = channel_count(&weir_rule_input(graph, node, 0)->shape);
    if (first == 0) return weir_rule_fail(graph, node, "the first term is 0: that of a row's largest code");
    if (largest_of(term) > SUM_LIMIT / length)
        return weir_rule_fail(graph, node, "the sum of %lld terms of up to %lld is beyond 2^62", (long long)length,
                              (long long)largest_of(term));
    const int64_t steps = (largest_of(weir_rule_constant(graph, node, 2)) / first + half) >> half;
    if (steps > STEPS_LIMIT)
        return weir_rule_fail(graph, node, "shares reach %lld, expected at most %d", (long long)steps, STEPS_LIMIT);
    int64_t least, most = zero + steps;
    if (quant->format != WEIR_FORMAT_FLOAT) weir_quant_limits(quant, &least, &most);
    most = weir_node_int(graph, node, "high", most);
    if (most < zero)
        return weir_rule_fail(graph, node, "results begin at attribute 'zero', %lld, and end at %lld", (long long)zero,
                              (long long)most);
    return set_coded(graph, node, to, zero, most < zero + steps ? most : zero + steps);
}

bool weir_infer_normalize_integer(const weir_graph *graph, weir_node node, weir_inferred *to) {
    enum { MOST_CODE = 1 << 20, MOST_LENGTH = 1 << 20 };
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    int64_t low, high, most = 0;
    if (!integer_input(graph, node, 0)) return false;
    if (shape->rank == 0) return weir_rule_fail(graph, node, "expected at least one dimension, found a scalar");
    if (!check_constant(graph, node, 1, WEIR_INT64)) return false;
    const int64_t centred = weir_node_int(graph, node, "centred", 0);
    if (centred < 0 || centred > 1) return weir_rule_fail(graph, node, "attribute 'centred' must be 0 or 1");
    const weir_array *gain = weir_rule_constant(graph, node, 1);
    for (size_t i = 0; i < gain->count; i++) {
        const int64_t v = weir_array_get_int(gain, i);
        if (v >= range_limit || v <= -range_limit) return weir_rule_fail(graph, node, "a gain has more than 62 bits");
        if (v > most || -v > most) most = v < 0 ? -v : v;
    }
    input_range(graph, node, 0, &low, &high);
    if (low < -MOST_CODE || high > MOST_CODE || channel_count(shape) > MOST_LENGTH)
        return weir_rule_fail(graph, node, "expected codes of 20 bits and rows of 2^20 elements at most");
    const weir_normalize_integer n = weir_normalize_integer_of(channel_count(shape), centred != 0, low, high, 1);
    const wide reach = (wide)n.quotient * most;
    return set_ranged(graph, node, to, shape, -reach, reach);
}

/* A constant of int64 numbers that serves runs of elements, over and over. */
static bool check_runs(const weir_graph *graph, weir_node node, size_t index, int64_t hold) {
    const weir_array *numbers = weir_rule_constant(graph, node, index);
    size_t elements = 0;
    weir_shape_count(&weir_rule_input(graph, node, 0)->shape, &elements);
    const bool fine = numbers != NULL && numbers->dtype == WEIR_INT64 && numbers->shape.rank == 1 &&
                      numbers->count > 0 && (int64_t)elements % (hold * (int64_t)numbers->count) == 0;
    return fine || weir_rule_fail(graph, node,
                                  "input %zu must be a constant int64 vector whose elements, %lld times each, fill "
                                  "the %zu elements of a frame",
                                  index, (long long)hold, elements);
}

/* The attributes of a normalization that say where its numbers' points are. */
static bool check_points(const weir_graph *graph, weir_node node) {
    const int64_t fraction = weir_node_int(graph, node, "fraction", 0), bits = weir_node_int(graph, node, "bits", 0);
    const int64_t shift = weir_node_int(graph, node, "shift", 0), point = weir_node_int(graph, node, "point", 0);
    if (fraction < 0 || fraction % 2 != 0 || fraction > WEIR_NORMALIZE_MOST_BITS)
        return weir_rule_fail(graph, node, "attribute 'fraction' is %lld, expected an even number from 0 to %d",
                              (long long)fraction, WEIR_NORMALIZE_MOST_BITS);
    if (bits % 2 != 0 || bits < WEIR_NORMALIZE_LEAST_BITS || bits > WEIR_NORMALIZE_MOST_BITS)
        return weir_rule_fail(graph, node, "attribute 'bits' is %lld, expected an even number from %d to %d",
                              (long long)bits, WEIR_NORMALIZE_LEAST_BITS, WEIR_NORMALIZE_MOST_BITS);
    if (fraction >= bits)
        return weir_rule_fail(graph, node, "attribute 'fraction' is %lld, expected fewer than 'bits', %lld",
                              (long long)fraction, (long long)bits);
    if (point < 1 || shift < point || shift > WEIR_NORMALIZE_MOST_BITS)
        return weir_rule_fail(graph, node,
                              "attributes 'point' and 'shift' are %lld and %lld, expected 1 <= point <= "
                              "shift <= %d",
                              (long long)point, (long long)shift, WEIR_NORMALIZE_MOST_BITS);
    return true;
}

/* Rows are along the last axis. */
bool weir_infer_normalize_codes(const weir_graph *graph, weir_node node, weir_inferred *to) {
    static const char *const modes[] = {"mean", "square", "magnitude", NULL};
    const int64_t zero = weir_node_int(graph, node, "zero", 0), epsilon = weir_node_int(graph, node, "epsilon", 0);
    const int64_t hold = weir_node_int(graph, node, "hold", 1);
    const weir_array *root = weir_rule_constant(graph, node, 1);
    const weir_shape *shape = &weir_rule_input(graph, node, 0)->shape;
    weir_normalize_mode mode = WEIR_NORMALIZE_MEAN;
    int64_t low, high;
    if (!integer_input(graph, node, 0) || !weir_rule_is_word(graph, node, "mode", modes) || !check_points(graph, node))
        return false;
    if (shape->rank == 0) return weir_rule_fail(graph, node, "expected at least one dimension, found a scalar");
    if (epsilon < 0 || hold < 1)
        return weir_rule_fail(graph, node,
                              "attributes 'epsilon' and 'hold' are %lld and %lld, expected 0 and 1 or more",
                              (long long)epsilon, (long long)hold);
    if (root == NULL || root->dtype != WEIR_INT64 || root->shape.rank != 2 ||
        root->shape.dim[0] != WEIR_NORMALIZE_COLUMNS || root->shape.dim[1] != WEIR_NORMALIZE_ROWS)
        return weir_rule_fail(graph, node, "the table (input 1) must be a constant int64 [%d, %d]",
                              WEIR_NORMALIZE_COLUMNS, WEIR_NORMALIZE_ROWS);
    input_range(graph, node, 0, &low, &high);
    if (zero != (int32_t)zero || low - zero < INT32_MIN || high - zero > INT32_MAX ||
        channel_count(shape) > COUNT_LIMIT)
        return weir_rule_fail(graph, node, "a row may have %d codes of 32 bits, less their zero point", COUNT_LIMIT);
    weir_normalize_mode_of(weir_node_string(graph, node, "mode", "mean"), &mode);
    const int bits = weir_normalize_bits(mode, channel_count(shape), low - zero, high - zero,
                                         (int)weir_node_int(graph, node, "fraction", 0), epsilon);
    if (bits > weir_node_int(graph, node, "bits", 0))
        return weir_rule_fail(graph, node, "attribute 'bits' is %lld, but numbers may have %d",
                              (long long)weir_node_int(graph, node, "bits", 0), bits);
    return check_runs(graph, node, 2, hold) && check_runs(graph, node, 3, hold) && set_clipped(graph, node, to);
}

bool weir_infer_maximum(const weir_graph *graph, weir_node node, weir_inferred *to) {
    if (!integer_input(graph, node, 0)) return false;
    const int64_t zero = weir_node_int(graph, node, "zero", 0);
    int64_t low, high;
    input_range(graph, node, 0, &low, &high);
    return set_ranged(graph, node, to, &weir_rule_input(graph, node, 0)->shape, low < zero ? zero : low,
                      high < zero ? zero : high);
}

/* The same codes, read as other numbers: what the output's scale and zero point say stays. */
bool weir_infer_relabel(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_type type = *weir_rule_input(graph, node, 0);
    const weir_quant *label = &to->type[0].quant;
    if (!integer_input(graph, node, 0)) return false;
    if (!check_quantized(graph, node, to)) return false;
    const bool is_signed = type.quant.is_signed;
    const int width = type.quant.width;
    type.quant = *label;
    type.quant.is_signed = is_signed;
    type.quant.width = width;
    return check_scales(graph, node, &type) && weir_rule_set(graph, node, to, &type);
}

/* ---- Weir: streams ---- */

bool weir_infer_fork(const weir_graph *graph, weir_node node, weir_inferred *to) {
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
        if (!weir_rule_set_output(graph, node, to, i, weir_rule_input(graph, node, 0))) return false;
    return true;
}
