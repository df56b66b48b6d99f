/* Lowering of a Resize that is linear between elements: along each axis that changes a product with a constant matrix
 * of the weights as whole numbers, which is exact, and which the quantizer behind it takes as a dense layer's sums. A
 * weir.Reorder brings the axis to the inside. Codes without a meaning become codes again, truncated, as ONNX converts
 * numbers to integers. */
#include <math.h>
#include <stdio.h>

#include "ir/shape/geometry.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* The largest common denominator of an axis' weights; how far they may be from multiples, as they are computed. */
enum { MOST_PARTS = 4096 };
static const double ROUNDING = 1e-6;

typedef struct resize {
    weir_lowering *l;
    weir_node node;
    weir_resizing resizing;
    weir_value codes;
    bool truncates;           /* of integers */
    int place[WEIR_MAX_RANK]; /* dimensions of the codes, in their order */
} resize;

static int64_t size_at(const resize *r, int position) {
    return weir_value_type(r->l->to, r->codes)->shape.dim[position];
}

/* The dimensions of the codes in this order. */
static bool arrange(resize *r, const int *place, const char *suffix) {
    const int rank = weir_value_type(r->l->to, r->codes)->shape.rank;
    weir_reordering order = {.shape = {.rank = rank}, .loops = rank};
    bool same = true;
    for (int i = 0; i < rank; i++) {
        int from = 0;
        while (r->place[from] != place[i]) from++;
        order.shape.dim[i] = order.size[i] = order.end[i] = size_at(r, from);
        order.stride[i] = 1;
        for (int inner = from + 1; inner < rank; inner++) order.stride[i] *= size_at(r, inner);
        same &= from == i;
    }
    for (int i = 0; i < rank; i++) r->place[i] = place[i];
    if (!same) r->codes = weir_lower_reorder(r->l, r->node, suffix, r->codes, &order, 0);
    return r->codes.id != 0;
}

/* Into how many parts the distance of two elements is divided; 0: too many. */
static int64_t count_parts(const resize *r, int axis, int64_t dim) {
    int64_t parts = 1, at[2];
    for (int64_t o = 0; parts <= MOST_PARTS && o < r->resizing.out[axis]; o++) {
        const double weight = weir_geometry_interpolated(&r->resizing, axis, dim, o, at) * (double)parts;
        if (fabs(weight - nearbyint(weight)) <= ROUNDING * (double)parts) continue;
        parts++;
        o = -1;
    }
    return parts <= MOST_PARTS ? parts : 0;
}

/* A row an output, of how many parts it has of each element. */
static weir_array *weights_of(const resize *r, int axis, int64_t dim, int64_t parts) {
    const int64_t out = r->resizing.out[axis];
    weir_array *matrix =
        weir_array_in(weir_graph_arena(r->l->to), weir_dtype_for(-1, parts), &(weir_shape){2, {out, dim}});
    for (int64_t o = 0; o < out; o++) {
        int64_t at[2];
        const double weight = weir_geometry_interpolated(&r->resizing, axis, dim, o, at);
        const int64_t second = (int64_t)nearbyint(weight * (double)parts);
        weir_array_set_int(matrix, (size_t)(o * dim + at[0]), parts - second);
        if (second > 0) weir_array_set_int(matrix, (size_t)(o * dim + at[1]), second);
    }
    return matrix;
}

/* All rows have as many parts, so that one scale and zero point stand for those of all. */
static void unite_rows(resize *r) {
    weir_type type = *weir_value_type(r->l->to, r->codes);
    type.quant.count = 1;
    type.quant.axis = -1;
    weir_value_set_type(r->l->to, r->codes, &type);
}

static bool multiply(resize *r, int axis) {
    const int last = weir_value_type(r->l->to, r->codes)->shape.rank - 1;
    const int64_t dim = size_at(r, last), parts = count_parts(r, axis, dim);
    if (parts == 0) {
        weir_lower_fail(r->l, r->node, "the weights along axis %d have no common denominator up to %d", axis,
                        MOST_PARTS);
        weir_note("resize by a whole factor");
        return false;
    }
    if (r->truncates && (parts & (parts - 1)) != 0) { /* float32 may be on either side of a whole number */
        weir_lower_fail(r->l, r->node, "integers are resized by halves, quarters and so on, not in %lld parts",
                        (long long)parts);
        weir_note("put a DequantizeLinear before it and a QuantizeLinear after it");
        return false;
    }
    double *scale = weir_arena_array(weir_graph_arena(r->l->to), 1, sizeof *scale);
    *scale = 1 / (double)parts;
    const weir_quant quant = {.format = WEIR_FORMAT_INTEGER, .axis = -1, .count = 1, .scale = scale};
    if (!weir_lower_product(r->l, r->node, r->codes, weights_of(r, axis, dim, parts), &quant, 1, NULL)) return false;
    r->codes = weir_expression_codes_of(weir_lower_expression(r->l, weir_node_output(r->l->from, r->node, 0)));
    unite_rows(r);
    return true;
}

/* Input 0 with the axis inside, times the weights. */
static bool resize_axis(resize *r, int axis) {
    const int rank = weir_value_type(r->l->to, r->codes)->shape.rank;
    int place[WEIR_MAX_RANK], count = 0;
    char suffix[24];
    for (int i = 0; i < rank; i++)
        if (r->place[i] != axis) place[count++] = r->place[i];
    place[count] = axis;
    snprintf(suffix, sizeof suffix, "_axis_%d", axis);
    return arrange(r, place, suffix) && multiply(r, axis);
}

static weir_quant as_integers(weir_dtype dtype) {
    static const double one = 1;
    static const int64_t none = 0;
    return weir_lower_quant_of(dtype, &one, &none, 1, -1);
}

static weir_value read_integers(weir_lowering *l, weir_node node, weir_dtype dtype) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_CODES) {
        const weir_quant quant = as_integers(dtype);
        return weir_lower_requalify(l, node, weir_expression_codes_of(x), &quant);
    }
    weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
    return WEIR_NO_VALUE;
}

static bool truncate(const resize *r, weir_dtype dtype) {
    weir_quant quant = as_integers(dtype);
    const weir_leaf leaf = {.codes = r->codes, .sums = WEIR_SUMS_WINDOWS};
    quant.rounding = WEIR_ROUND_TRUNCATE;
    return weir_lower_quantize(r->l, r->node, weir_expression_of_leaf(weir_graph_arena(r->l->to), &leaf), &quant);
}

bool weir_lower_resize(weir_lowering *l, weir_node node) {
    const weir_dtype dtype = weir_value_type(l->from, weir_node_output(l->from, node, 0))->dtype;
    resize r = {.l = l, .node = node, .truncates = !weir_dtype_is_float(dtype)};
    int own[WEIR_MAX_RANK];
    if (!weir_geometry_resizing(l->from, node, &r.resizing)) return false;
    r.codes = r.truncates ? read_integers(l, node, dtype)
                          : weir_lower_one_scale(l, node, weir_lower_read_codes(l, node, 0, NULL));
    if (r.codes.id == 0) return false;
    const weir_shape x = weir_value_type(l->to, r.codes)->shape;
    for (int i = 0; i < x.rank; i++) own[i] = r.place[i] = i;
    for (int axis = x.rank - 1; axis >= 0; axis--) {
        const bool changes = r.resizing.out[axis] != x.dim[axis] || r.resizing.scale[axis] != 1;
        if (changes && !resize_axis(&r, axis)) return false;
    }
    if (!arrange(&r, own, "_result")) return false;
    return r.truncates ? truncate(&r, dtype) : weir_lower_set_codes(l, node, r.codes);
}
