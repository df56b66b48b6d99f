/* Lowering of Pad: one Reorder whose loops go beyond the input, where a constant fills; with elements of the input, for
 * each axis a Reorder of those before and of those after, concatenated with the input. */
#include <math.h>
#include <stdio.h>

#include "ir/shape/geometry.h"
#include "passes/lower/scaled.h"

/* The fill value, a code where the tensor has codes; false after a reported error. */
static bool read_fill(weir_lowering *l, weir_node node, double *real) {
    const weir_array *constant = weir_lower_input_constant(l, node, 2);
    if (weir_node_input(l->from, node, 2).id != 0 && constant == NULL)
        return weir_lower_fail(l, node, "its fill value must be a constant");
    if (constant != NULL) *real = weir_array_get(constant, 0);
    return true;
}

/* Its code; false: it has none. */
static bool has_code(const weir_lowering *l, weir_node node, weir_value x, double real, int64_t *code) {
    const weir_quant *quant = &weir_value_type(l->to, x)->quant;
    const bool codes = !weir_dtype_is_float(weir_value_type(l->from, weir_node_output(l->from, node, 0))->dtype);
    const double scale = weir_quant_scale(quant, 0), zero = (double)weir_quant_zero(quant, 0);
    *code = codes ? (int64_t)real : weir_encode(real, quant, 0, l->contract);
    return codes || (float)(((double)*code - zero) * scale) == (float)real;
}

/* The numbers of a unit in as many bits as the code needs. */
static weir_value with_code(weir_lowering *l, weir_node node, weir_value numbers, double unit, int64_t code) {
    if (numbers.id == 0) return numbers;
    const weir_type *type = weir_value_type(l->to, numbers);
    int64_t least, most;
    weir_quant_limits(&type->quant, &least, &most);
    if (code >= least && code <= most) return numbers;
    const weir_quant quant =
        weir_scaled_quant(l, unit, code < type->low ? code : type->low, code > type->high ? code : type->high);
    const weir_type wide = weir_lower_codes_type(&quant, &type->shape, type->low, type->high);
    return weir_lower_clip(l, node, "_wide", numbers, &wide);
}

/* The codes as numbers in fixed point, among which the fill value is, where it is not much larger; no value after a
 * reported error. */
static weir_value among_numbers(weir_lowering *l, weir_node node, weir_value codes, double real, int64_t *code) {
    enum { MOST_TIMES = 256 };
    const weir_type *type = weir_value_type(l->to, codes);
    const weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = codes});
    const double reach = !type->has_range ? 0
                                          : fmax(fabs((double)type->low * a.factor[0] + a.term[0]),
                                                 fabs((double)type->high * a.factor[0] + a.term[0]));
    if (!weir_lower_carries(l, node) || fabs(real) > MOST_TIMES * reach) {
        weir_lower_fail(l, node, "its fill value %g is not among its input's: it needs a quantizer after it", real);
        return WEIR_NO_VALUE;
    }
    const double unit = weir_scaled_unit(fmax(reach, fabs(real)), WEIR_LOWER_NUMBER_BITS);
    *code = (int64_t)nearbyint(real / unit);
    return with_code(l, node, weir_scaled_emit(l, node, &a, unit), unit, *code);
}

/* Negative paddings cut; `padding` keeps the others. No value after a reported error. */
static weir_value cut(weir_lowering *l, weir_node node, weir_padding *padding, weir_value value) {
    const weir_shape *x = &weir_value_type(l->to, value)->shape;
    weir_reordering r = {.shape = *x, .loops = x->rank};
    int64_t stride = 1;
    bool any = false;
    for (int i = x->rank - 1; i >= 0; i--) {
        const int64_t begin = padding->begin[i] < 0 ? -padding->begin[i] : 0,
                      after = padding->begin[i] + x->dim[i] - padding->out[i];
        r.size[i] = r.end[i] = r.shape.dim[i] = x->dim[i] - begin - (after > 0 ? after : 0);
        r.stride[i] = stride;
        r.start += begin * stride;
        stride *= x->dim[i];
        any |= r.size[i] != x->dim[i];
        padding->begin[i] += begin;
    }
    return any ? weir_lower_reorder(l, node, "_cut", value, &r, 0) : value;
}

/* The output's dimensions, of which [begin, begin + size) are the input's; no value after a reported error. */
static weir_value fill(weir_lowering *l, weir_node node, const weir_padding *padding, weir_value codes, bool ahead) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    int64_t code = 0;
    double real = 0;
    if (!read_fill(l, node, &real)) return WEIR_NO_VALUE;
    if (!has_code(l, node, codes, real, &code) && !ahead) codes = among_numbers(l, node, codes, real, &code);
    return codes.id == 0 ? codes : weir_lower_padded(l, node, "", codes, shape, padding->begin, code);
}

/* What stands along `axis` for output indices [from, from + count) outside of the input: its positions there have one
 * step. */
static weir_value outside(weir_lowering *l, weir_node node, const weir_padding *padding, weir_value value, int axis,
                          int64_t from, int64_t count) {
    const weir_shape *x = &weir_value_type(l->to, value)->shape;
    const int64_t dim = x->dim[axis], first = weir_geometry_padded(padding, axis, dim, from);
    weir_reordering r = {.shape = *x, .loops = x->rank};
    char suffix[32];
    int64_t stride = 1;
    r.shape.dim[axis] = count;
    for (int i = x->rank - 1; i >= 0; i--) {
        r.size[i] = r.end[i] = r.shape.dim[i];
        r.stride[i] = stride;
        stride *= x->dim[i];
    }
    r.start = first * r.stride[axis];
    r.stride[axis] *= count == 1 ? 1 : weir_geometry_padded(padding, axis, dim, from + 1) - first;
    snprintf(suffix, sizeof suffix, "_%d_%s", axis, from == 0 ? "before" : "after");
    return weir_lower_reorder(l, node, suffix, value, &r, 0);
}

/* The value padded along `axis`; no value after a reported error. */
static weir_value extend(weir_lowering *l, weir_node node, const weir_padding *padding, weir_value value, int axis) {
    const int64_t dim = weir_value_type(l->to, value)->shape.dim[axis], before = padding->begin[axis],
                  after = padding->out[axis] - before - dim;
    char suffix[24];
    weir_value pair[2] = {value, value};
    if (before > 0) {
        snprintf(suffix, sizeof suffix, "_%d_begun", axis);
        pair[0] = outside(l, node, padding, value, axis, 0, before);
        if (pair[0].id == 0) return pair[0];
        pair[0] = weir_lower_join(l, node, suffix, pair, axis);
    }
    if (after == 0 || pair[0].id == 0) return pair[0];
    snprintf(suffix, sizeof suffix, "_%d", axis);
    pair[1] = outside(l, node, padding, value, axis, before + dim, after);
    return pair[1].id == 0 ? pair[1] : weir_lower_join(l, node, suffix, pair, axis);
}

weir_value weir_lower_pad(weir_lowering *l, weir_node node, weir_value codes, bool ahead) {
    const weir_shape *x = &weir_value_type(l->to, codes)->shape;
    weir_padding padding;
    if (!weir_geometry_padding(l->from, node, &padding)) return WEIR_NO_VALUE;
    for (int i = 0; i < x->rank; i++) {
        if (padding.out[i] >= 1 && padding.begin[i] + x->dim[i] >= 1 && padding.begin[i] < padding.out[i]) continue;
        weir_lower_fail(l, node, "it crops away all of its input");
        return WEIR_NO_VALUE;
    }
    const int rank = x->rank;
    codes = cut(l, node, &padding, codes);
    if (codes.id == 0) return codes;
    if (padding.mode == WEIR_PAD_CONSTANT) return fill(l, node, &padding, codes, ahead);
    for (int i = rank - 1; i >= 0 && codes.id != 0; i--) codes = extend(l, node, &padding, codes, i);
    return codes;
}
