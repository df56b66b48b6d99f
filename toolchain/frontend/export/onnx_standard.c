/* One function an operator (table `rules` at the end), each a transcription of the operator's definition in
 * toolchain/exec. Between them values have their own element types; inside, codes are int64. */
#include "frontend/export/onnx_standard.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/wire/onnx_tensor.h"
#include "ir/shape/geometry.h"
#include "ir/shape/layout.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

__extension__ typedef __int128 wide;

/* The node at work. */
typedef struct work {
    weir_onnx_builder *b;
    const char *const *names;
    weir_node node;
} work;

/* A value of the file, by name. */
typedef const char *name;

enum { CODE_BITS = 53 }; /* float64 holds codes up to here */

static bool fail(const work *w, const char *what) {
    weir_error(weir_node_location(w->b->graph, w->node), "node '%s' (%s) cannot be exported: %s",
               weir_node_name(w->b->graph, w->node), weir_node_info(w->b->graph, w->node)->full_name, what);
    return false;
}

/* --- reading the node --- */

static weir_value input_value(const work *w, size_t index) { return weir_node_input(w->b->graph, w->node, index); }
static name input(const work *w, size_t index) { return w->names[input_value(w, index).id]; }
static name output(const work *w) { return w->names[weir_node_output(w->b->graph, w->node, 0).id]; }

static const weir_type *input_type(const work *w, size_t index) {
    return weir_value_type(w->b->graph, input_value(w, index));
}

static const weir_type *output_type(const work *w) {
    return weir_value_type(w->b->graph, weir_node_output(w->b->graph, w->node, 0));
}

static int64_t attribute(const work *w, const char *key, int64_t otherwise) {
    return weir_node_int(w->b->graph, w->node, key, otherwise);
}

static bool is_onnx_contract(const work *w) {
    return strcmp(weir_node_string(w->b->graph, w->node, "arithmetic", "qlinear"), "qlinear") == 0;
}

/* Bounds of a cast's result: attributes low and high, by default all codes of the output. */
static void clip_bounds(const work *w, int64_t *low, int64_t *high) {
    weir_quant_limits(&output_type(w)->quant, low, high);
    *low = attribute(w, "low", *low);
    *high = attribute(w, "high", *high);
}

static wide size_of(int64_t v) { return v < 0 ? -(wide)v : v; }
static wide larger(wide a, wide b) { return a > b ? a : b; }

/* The largest magnitude that a value can have. */
static wide reach(const weir_type *type) {
    int64_t low = type->low, high = type->high;
    if (!type->has_range) weir_dtype_limits(type->dtype, &low, &high);
    return larger(size_of(low), size_of(high));
}

static wide reach_of(const work *w, size_t index) {
    return input_value(w, index).id == 0 ? 0 : reach(input_type(w, index));
}

/* --- nodes and constants --- */

/* The node has the name of its result. Calls never nest where two of the arguments add nodes: C does not say which
 * comes first, and files must not depend on the compiler. */
static Onnx__NodeProto *apply_node(const work *w, weir_op op, name a, name b, name c, name result) {
    const char *inputs[] = {a, b, c};
    const char *own = weir_arena_format(w->b->arena, "%s/%s", result, weir_op_get(op)->name);
    return weir_onnx_build_node(w->b, op, own, inputs, c != NULL ? 3 : b != NULL ? 2 : 1, &result, 1);
}

static name fresh(const work *w) { return weir_onnx_build_name(w->b, weir_node_name(w->b->graph, w->node)); }

static name apply(const work *w, weir_op op, name a, name b, name c) {
    name result = fresh(w);
    apply_node(w, op, a, b, c, result);
    return result;
}

static name unary(const work *w, weir_op op, name a) { return apply(w, op, a, NULL, NULL); }
static name binary(const work *w, weir_op op, name a, name b) { return apply(w, op, a, b, NULL); }

static void cast_to(const work *w, name a, weir_dtype dtype, name result) {
    weir_onnx_build_int(w->b, apply_node(w, WEIR_OP_CAST, a, NULL, NULL, result), "to", weir_onnx_tensor_number(dtype));
}

static name cast(const work *w, name a, weir_dtype dtype) {
    name result = fresh(w);
    cast_to(w, a, dtype, result);
    return result;
}

static name tensor(const work *w, const weir_array *array) {
    name result = fresh(w);
    weir_onnx_build_tensor(w->b, result, array);
    return result;
}

static name number(const work *w, weir_dtype dtype, double value) {
    weir_array *array = weir_array_in(w->b->arena, dtype, &(weir_shape){.rank = 0});
    weir_array_set(array, 0, value);
    return tensor(w, array);
}

static name whole(const work *w, int64_t value) {
    weir_array *array = weir_array_in(w->b->arena, WEIR_INT64, &(weir_shape){.rank = 0});
    weir_array_set_int(array, 0, value);
    return tensor(w, array);
}

static name whole_list(const work *w, int64_t value) {
    weir_array *array = weir_array_in(w->b->arena, WEIR_INT64, &(weir_shape){.rank = 1, .dim = {1}});
    weir_array_set_int(array, 0, value);
    return tensor(w, array);
}

/* A parameter of each channel of `quant`, shaped to broadcast over a value of rank `rank`. */
static weir_array *channel_array(const work *w, const weir_quant *quant, int rank, weir_dtype dtype) {
    weir_shape shape = {.rank = 0};
    if (quant->count > 1) {
        shape.rank = rank - quant->axis;
        for (int i = 0; i < shape.rank; i++) shape.dim[i] = i == 0 ? quant->count : 1;
    }
    return weir_array_in(w->b->arena, dtype, &shape);
}

static name scales(const work *w, const weir_quant *quant, int rank, weir_dtype dtype) {
    weir_array *array = channel_array(w, quant, rank, dtype);
    for (size_t i = 0; i < array->count; i++) weir_array_set(array, i, weir_quant_scale(quant, (int64_t)i));
    return tensor(w, array);
}

static bool has_zero(const weir_quant *quant) {
    for (uint32_t i = 0; quant->zero_point != NULL && i < quant->count; i++) {
        if (quant->zero_point[i] != 0) return true;
    }
    return false;
}

/* a + sign * zero points of `quant`, in the element type of `a`. */
static name add_zero(const work *w, weir_op operation, name a, const weir_quant *quant, int rank, weir_dtype dtype) {
    if (!has_zero(quant)) return a;
    weir_array *array = channel_array(w, quant, rank, dtype);
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, weir_quant_zero(quant, (int64_t)i));
    return binary(w, operation, a, tensor(w, array));
}

/* --- common steps --- */

static name codes(const work *w, size_t index) { return cast(w, input(w, index), WEIR_INT64); }

static bool store(const work *w, name codes64) {
    cast_to(w, codes64, output_type(w)->dtype, output(w));
    return true;
}

/* v, or the bound where `comparison` with it holds. Comparisons, because Max, Min and Clip of int64 are wrong in ONNX
 * Runtime 1.30 with AVX2 where both upper halves are equal and the lower ones differ in their first bit. */
static name bounded(const work *w, name v, weir_op comparison, int64_t bound) {
    name limit = whole(w, bound);
    return apply(w, WEIR_OP_WHERE, binary(w, comparison, v, limit), limit, v);
}

static bool store_clipped(const work *w, name codes64) {
    int64_t low, high;
    clip_bounds(w, &low, &high);
    return store(w, bounded(w, bounded(w, codes64, WEIR_OP_LESS, low), WEIR_OP_GREATER, high));
}

/* An integral float64 (or one beyond every code) as codes, clipped first: a cast of what does not fit is undefined. */
static name clip_real(const work *w, name real, int64_t low, int64_t high) {
    name least = number(w, WEIR_FLOAT64, (double)low), most = number(w, WEIR_FLOAT64, (double)high);
    return cast(w, apply(w, WEIR_OP_CLIP, real, least, most), WEIR_INT64);
}

static bool fits_real(int64_t low, int64_t high) {
    const wide limit = (wide)1 << CODE_BITS;
    return size_of(low) <= limit && size_of(high) <= limit;
}

/* floor(v / 2^shift) of codes; *rest gets what is left, NULL when there is no shift. */
static name floor_shift(const work *w, name v, int64_t shift, name *rest) {
    *rest = NULL;
    if (shift == 0) return v;
    name divisor = whole(w, (int64_t)1 << shift);
    *rest = binary(w, WEIR_OP_MOD, v, divisor); /* of integers: not negative */
    return binary(w, WEIR_OP_DIV, binary(w, WEIR_OP_SUB, v, *rest), divisor);
}

/* --- real numbers to codes --- */

/* A number with the sign of v and the size that `operation` makes of |v|. */
static name keep_sign(const work *w, name v, name size) {
    return binary(w, WEIR_OP_MUL, unary(w, WEIR_OP_SIGN, v), size);
}

/* floor(v), plus one where what is left is beyond (or `reached`: at) one half. */
static name round_half(const work *w, name v, bool reached) {
    name half = number(w, WEIR_FLOAT64, 0.5), down = unary(w, WEIR_OP_FLOOR, v), rest = binary(w, WEIR_OP_SUB, v, down);
    name up = binary(w, reached ? WEIR_OP_GREATER_OR_EQUAL : WEIR_OP_GREATER, rest, half);
    return binary(w, WEIR_OP_ADD, down, cast(w, up, WEIR_FLOAT64));
}

/* weir_round of float64. */
static name round_real(const work *w, name v, weir_rounding rounding) {
    switch (rounding) {
    case WEIR_ROUND_FLOOR: return unary(w, WEIR_OP_FLOOR, v);
    case WEIR_ROUND_CEIL: return unary(w, WEIR_OP_CEIL, v);
    case WEIR_ROUND_TRUNCATE: return keep_sign(w, v, unary(w, WEIR_OP_FLOOR, unary(w, WEIR_OP_ABS, v)));
    case WEIR_ROUND_AWAY: return keep_sign(w, v, unary(w, WEIR_OP_CEIL, unary(w, WEIR_OP_ABS, v)));
    case WEIR_ROUND_HALF_UP: return round_half(w, v, true);
    case WEIR_ROUND_HALF_DOWN: return round_half(w, v, false);
    case WEIR_ROUND_HALF_AWAY: return keep_sign(w, v, round_half(w, unary(w, WEIR_OP_ABS, v), true));
    case WEIR_ROUND_HALF_TO_ZERO: return keep_sign(w, v, round_half(w, unary(w, WEIR_OP_ABS, v), false));
    case WEIR_ROUND_HALF_EVEN: return unary(w, WEIR_OP_ROUND, v);
    case WEIR_ROUND_COUNT: break;
    }
    weir_unreachable("a rounding");
}

static name sign_of(const work *w, name v, weir_dtype dtype) {
    name positive = binary(w, WEIR_OP_GREATER_OR_EQUAL, v, number(w, dtype, 0)), one = whole(w, 1),
         minus = whole(w, -1);
    return apply(w, WEIR_OP_WHERE, positive, one, minus);
}

/* weir_encode_sum of float64 numbers, or weir_encode of float32 ones, under ONNX's contract or under "real". */
static name encode_real(const work *w, name real, weir_dtype dtype, const weir_quant *quant, int rank, bool onnx) {
    int64_t low, high;
    const bool binary_codes = quant->format == WEIR_FORMAT_BINARY;
    if (binary_codes && !has_zero(quant)) return sign_of(w, real, dtype);
    weir_quant_limits(quant, &low, &high);
    name ratio = binary(w, WEIR_OP_DIV, real, scales(w, quant, rank, dtype));
    if (!onnx || binary_codes) {
        name shifted = add_zero(w, WEIR_OP_ADD, ratio, quant, rank, dtype);
        if (binary_codes) return sign_of(w, shifted, dtype);
        return clip_real(w, round_real(w, cast(w, shifted, WEIR_FLOAT64), quant->rounding), low, high);
    }
    name rounded = unary(w, WEIR_OP_ROUND, ratio);
    if (dtype != WEIR_FLOAT64) rounded = cast(w, rounded, WEIR_FLOAT64);
    return clip_real(w, add_zero(w, WEIR_OP_ADD, rounded, quant, rank, WEIR_FLOAT64), low, high);
}

/* A float32 that was rounded to an integer, plus the zero point, clipped. */
static name finish_float(const work *w, name rounded, const weir_quant *quant, int rank, int64_t low, int64_t high) {
    name sum = add_zero(w, WEIR_OP_ADD, cast(w, rounded, WEIR_FLOAT64), quant, rank, WEIR_FLOAT64);
    return clip_real(w, sum, low, high);
}

/* Is it what QuantizeLinear and DequantizeLinear do with codes of this type? */
static bool is_linear(const weir_type *type) {
    const weir_quant *quant = &type->quant;
    int64_t low, high;
    if (quant->format != WEIR_FORMAT_INTEGER || quant->count == 0) return false;
    if (type->dtype != WEIR_INT8 && type->dtype != WEIR_UINT8) return false;
    weir_dtype_limits(type->dtype, &low, &high);
    for (uint32_t i = 0; i < quant->count; i++) {
        if (weir_quant_zero(quant, i) < low || weir_quant_zero(quant, i) > high) return false;
    }
    return true;
}

/* The two operators of ONNX, with scales and zero points as lists where there are several. */
static void linear_node(const work *w, weir_op op, name x, const weir_type *coded, name result) {
    const weir_quant *quant = &coded->quant;
    weir_shape shape = {.rank = quant->count > 1 ? 1 : 0, .dim = {quant->count}};
    weir_array *scale = weir_array_in(w->b->arena, WEIR_FLOAT32, &shape);
    weir_array *zero = weir_array_in(w->b->arena, coded->dtype, &shape);
    for (uint32_t i = 0; i < quant->count; i++) {
        weir_array_set(scale, i, weir_quant_scale(quant, i));
        weir_array_set_int(zero, i, weir_quant_zero(quant, i));
    }
    name scale_name = tensor(w, scale), zero_name = tensor(w, zero);
    Onnx__NodeProto *node = apply_node(w, op, x, scale_name, zero_name, result);
    if (quant->count > 1) weir_onnx_build_int(w->b, node, "axis", quant->axis);
}

static bool add_encode(const work *w) {
    const weir_type *type = output_type(w);
    const weir_quant *quant = &type->quant;
    const int rank = type->shape.rank;
    const bool onnx = is_onnx_contract(w) && quant->format != WEIR_FORMAT_BINARY;
    int64_t low, high, least, most;
    weir_quant_limits(quant, &low, &high);
    if (!fits_real(low, high)) return fail(w, "its codes have more than 53 bits");
    name x = input_type(w, 0)->dtype == WEIR_FLOAT32 ? input(w, 0) : cast(w, input(w, 0), WEIR_FLOAT32);
    if (!onnx) return store(w, encode_real(w, x, WEIR_FLOAT32, quant, rank, false));
    if (is_linear(type)) {
        weir_dtype_limits(type->dtype, &least, &most);
        const bool full = low == least && high == most;
        name result = full ? output(w) : fresh(w);
        linear_node(w, WEIR_OP_QUANTIZE_LINEAR, x, type, result);
        return full || store_clipped(w, cast(w, result, WEIR_INT64));
    }
    name rounded = unary(w, WEIR_OP_ROUND, binary(w, WEIR_OP_DIV, x, scales(w, quant, rank, WEIR_FLOAT32)));
    return store(w, finish_float(w, rounded, quant, rank, low, high));
}

static bool add_decode(const work *w) {
    const weir_type *type = input_type(w, 0);
    const weir_quant *quant = &type->quant;
    const int rank = type->shape.rank;
    if (is_onnx_contract(w) && is_linear(type)) {
        linear_node(w, WEIR_OP_DEQUANTIZE_LINEAR, input(w, 0), type, output(w));
        return true;
    }
    name centered = add_zero(w, WEIR_OP_SUB, codes(w, 0), quant, rank, WEIR_INT64);
    if (is_onnx_contract(w)) {
        name real = cast(w, centered, WEIR_FLOAT32), scale = scales(w, quant, rank, WEIR_FLOAT32);
        apply_node(w, WEIR_OP_MUL, real, scale, NULL, output(w));
        return true;
    }
    name scale = scales(w, quant, rank, WEIR_FLOAT64);
    name real = binary(w, WEIR_OP_MUL, cast(w, centered, WEIR_FLOAT64), scale);
    const weir_attribute *offset = weir_node_attribute(w->b->graph, w->node, "offset");
    if (offset != NULL) {
        weir_shape shape = {.rank = 1, .dim = {(int64_t)offset->count}};
        weir_array *array = weir_array_in(w->b->arena, WEIR_FLOAT64, &shape);
        memcpy(array->data, offset->as.floats, offset->count * sizeof(double));
        real = binary(w, WEIR_OP_ADD, real, tensor(w, array));
    }
    cast_to(w, real, WEIR_FLOAT32, output(w));
    return true;
}

/* --- integers --- */

static name in_shape(const work *w, name v, const weir_shape *shape) {
    weir_array *array = weir_array_in(w->b->arena, WEIR_INT64, &(weir_shape){1, {shape->rank}});
    for (int i = 0; i < shape->rank; i++) weir_array_set_int(array, (size_t)i, shape->dim[i]);
    return binary(w, WEIR_OP_RESHAPE, v, tensor(w, array));
}

static bool has_rows(const work *w) { return weir_onnx_build_has_rows(w->b, input_value(w, 0)); }

/* The same of data, with as many rows as there are in an open batch. */
static name data_in_shape(const work *w, name v, const weir_shape *shape) {
    weir_shape open = *shape;
    if (has_rows(w)) open.dim[0] = -1;
    return in_shape(w, v, &open);
}

/* The last two of `rank` dimensions change places. */
static name swapped(const work *w, name v, int rank) {
    int64_t perm[WEIR_MAX_RANK];
    name result = fresh(w);
    for (int i = 0; i < rank; i++) perm[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    weir_onnx_build_ints(w->b, apply_node(w, WEIR_OP_TRANSPOSE, v, NULL, NULL, result), "perm", perm, (size_t)rank);
    return result;
}

/* A row of one matrix, or of each group's by itself. */
static bool add_linear(const work *w) {
    const int64_t group = attribute(w, "group", 1), interleave = attribute(w, "interleave", 1);
    name weights = cast(w, input(w, 1), WEIR_INT64), x = codes(w, 0);
    if (group == 1) return store(w, binary(w, WEIR_OP_MATMUL, x, swapped(w, weights, 2)));
    const weir_shape *matrix = &input_type(w, 1)->shape, *from = &input_type(w, 0)->shape;
    const int64_t rows = matrix->dim[0] / group, inner = matrix->dim[1];
    int64_t lines = 1;
    for (int i = 0; i < from->rank - 1; i++) lines *= from->dim[i];
    const weir_shape blocks = {4, {lines, group / interleave, inner, interleave}};
    if (interleave > 1) x = swapped(w, data_in_shape(w, x, &blocks), 4);
    x = data_in_shape(w, x, &(weir_shape){4, {lines, group, 1, inner}});
    weights = swapped(w, in_shape(w, weights, &(weir_shape){3, {group, rows, inner}}), 3);
    return store(w, data_in_shape(w, binary(w, WEIR_OP_MATMUL, x, weights), &output_type(w)->shape));
}

static name times(const work *w, name v, int64_t factor) {
    return factor == 1 ? v : binary(w, WEIR_OP_MUL, v, whole(w, factor));
}

static bool add_sum(const work *w) {
    name a = times(w, codes(w, 0), attribute(w, "ca", 1)), b = times(w, codes(w, 1), attribute(w, "cb", 1));
    return store(w, binary(w, WEIR_OP_ADD, a, b));
}

/* Input `index` less the zero point that the attribute gives. */
static name centered(const work *w, size_t index, const char *zero) {
    const int64_t number = attribute(w, zero, 0);
    const name x = codes(w, index);
    return number == 0 ? x : binary(w, WEIR_OP_SUB, x, whole(w, number));
}

static bool add_product(const work *w) {
    const name a = centered(w, 0, "za"), b = centered(w, 1, "zb");
    return store(w, binary(w, WEIR_OP_MUL, a, b));
}

static name places_of(const work *w, const weir_shape *shape, const int64_t *place) {
    weir_array *array = weir_array_in(w->b->arena, WEIR_INT64, shape);
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, place[i]);
    return tensor(w, array);
}

/* v of [pages, ...], what the places along dimension 1 choose. */
static name gathered(const work *w, name v, const weir_shape *shape, const int64_t *place) {
    const name places = places_of(w, shape, place), moved = fresh(w);
    weir_onnx_build_int(w->b, apply_node(w, WEIR_OP_GATHER, v, places, NULL, moved), "axis", 1);
    return moved;
}

/* The matrices in their own order, and of each page that of each row, times the rows as columns. */
static bool add_matrices(const work *w) {
    weir_matrices m;
    weir_geometry_matrices(w->b->graph, w->node, &m);
    const int64_t elements = m.matrices * m.columns * m.inner;
    int64_t *to = weir_arena_array(w->b->arena, (size_t)elements, sizeof *to),
            *from = weir_arena_array(w->b->arena, (size_t)elements, sizeof *from),
            *own = weir_arena_array(w->b->arena, (size_t)m.rows, sizeof *own);
    weir_geometry_walk(m.loops, m.size, m.stride, to);
    weir_geometry_walk(m.row_loops, m.row_size, m.row_stride, own);
    for (int64_t i = 0; i < elements; i++) from[to[i]] = i;
    name v = data_in_shape(w, codes(w, 1), &(weir_shape){2, {m.pages, elements}});
    v = gathered(w, v, &(weir_shape){3, {m.matrices, m.columns, m.inner}}, from);
    v = gathered(w, v, &(weir_shape){1, {m.rows}}, own);
    const name x = data_in_shape(w, codes(w, 0), &(weir_shape){4, {m.pages, m.rows, m.inner, 1}});
    return store(w, data_in_shape(w, binary(w, WEIR_OP_MATMUL, v, x), &output_type(w)->shape));
}

/* Input 0 less its zero, with zeros where the window reaches beyond it. */
static name padded(const work *w, const weir_window *window, const int *axis) {
    const int rank = input_type(w, 0)->shape.rank;
    const int64_t zero = attribute(w, "zero", 0);
    name x = codes(w, 0);
    weir_array *pads = weir_array_in(w->b->arena, WEIR_INT64, &(weir_shape){1, {2 * rank}});
    bool any = false;
    if (zero != 0) x = binary(w, WEIR_OP_SUB, x, whole(w, zero));
    for (int i = 0; i < window->rank; i++) {
        weir_array_set_int(pads, (size_t)axis[i], window->begin[i]);
        weir_array_set_int(pads, (size_t)(axis[i] + rank), window->end[i]);
        any |= window->begin[i] != 0 || window->end[i] != 0;
    }
    return any ? binary(w, WEIR_OP_PAD, x, tensor(w, pads)) : x;
}

/* Element `k` of each window along spatial axis `i`. */
static name window_slice(const work *w, name x, const weir_window *window, int i, int axis, int64_t k) {
    const int64_t from = k * window->dilation[i], to = from + (window->out[i] - 1) * window->stride[i] + 1;
    const char *inputs[] = {x, whole_list(w, from), whole_list(w, to), whole_list(w, axis),
                            whole_list(w, window->stride[i])};
    name result = fresh(w);
    weir_onnx_build_node(w->b, WEIR_OP_SLICE, weir_arena_format(w->b->arena, "%s/Slice", result), inputs, 5, &result,
                         1);
    return result;
}

/* How often each position's sum counts, in the dimensions of the result. */
static name window_factors(const work *w, const weir_window *window, const int *axis, int64_t common) {
    weir_shape shape = output_type(w)->shape;
    size_t stride[WEIR_MAX_RANK], count = 1;
    for (int i = 0; i < shape.rank; i++) shape.dim[i] = 1;
    for (int i = 0; i < window->rank; i++) shape.dim[axis[i]] = window->out[i];
    for (int d = shape.rank - 1; d >= 0; d--) {
        stride[d] = count;
        count *= (size_t)shape.dim[d];
    }
    weir_array *factors = weir_array_in(w->b->arena, WEIR_INT64, &shape);
    for (size_t at = 0; at < count; at++) {
        int64_t seen = 1;
        for (int i = 0; i < window->rank; i++)
            seen *= weir_geometry_seen(window, i, (int64_t)(at / stride[axis[i]]) % window->out[i]);
        weir_array_set_int(factors, at, common / seen);
    }
    return tensor(w, factors);
}

/* The sum of a slice for each element of the window, one dimension after the other. */
static bool add_sum_pool(const work *w) {
    int order[WEIR_MAX_RANK], axis[WEIR_MAX_RANK];
    weir_window window;
    weir_layout_order(w->b->graph, w->node, order);
    const weir_shape onnx = weir_layout_to_onnx(&input_type(w, 0)->shape, order);
    if (!weir_geometry_window(w->b->graph, w->node, &onnx, NULL, &window)) return false;
    for (int i = 0; i < onnx.rank; i++) {
        if (order[i] >= 2) axis[order[i] - 2] = i;
    }
    name sum = padded(w, &window, axis);
    for (int i = 0; i < window.rank; i++) {
        const bool whole_axis = window.kernel[i] == window.in[i] && window.begin[i] == 0 && window.end[i] == 0;
        if (window.kernel[i] == 1 && window.stride[i] == 1) continue;
        if (whole_axis) {
            sum = binary(w, WEIR_OP_REDUCE_SUM, sum, whole_list(w, axis[i]));
            continue;
        }
        name x = sum;
        sum = window_slice(w, x, &window, i, axis[i], 0);
        for (int64_t k = 1; k < window.kernel[i]; k++) {
            name next = window_slice(w, x, &window, i, axis[i], k);
            sum = binary(w, WEIR_OP_ADD, sum, next);
        }
    }
    const int64_t common = attribute(w, "common", 0);
    if (common != 0) {
        name factors = window_factors(w, &window, axis, common);
        sum = binary(w, WEIR_OP_MUL, sum, factors);
    }
    return store(w, sum);
}

static bool add_maximum(const work *w) {
    return store(w, bounded(w, codes(w, 0), WEIR_OP_LESS, attribute(w, "zero", 0)));
}

/* Adds one to the floor where the rest asks for it; `v` is the number that was divided by 2^shift. */
static name round_shift(const work *w, name v, name down, name rest, int64_t shift, weir_rounding rounding) {
    name none = whole(w, 0), two = whole(w, 2), divisor = whole(w, (int64_t)1 << shift);
    name twice = binary(w, WEIR_OP_MUL, rest, two), up;
    name more = binary(w, WEIR_OP_GREATER, twice, divisor), tie = binary(w, WEIR_OP_EQUAL, twice, divisor);
    name odd = binary(w, WEIR_OP_GREATER, binary(w, WEIR_OP_MOD, down, two), none),
         some = binary(w, WEIR_OP_GREATER, rest, none);
    name above = binary(w, WEIR_OP_GREATER, v, none), below = binary(w, WEIR_OP_LESS, v, none);
    switch (rounding) {
    case WEIR_ROUND_TRUNCATE: up = binary(w, WEIR_OP_AND, some, below); break;
    case WEIR_ROUND_CEIL: up = some; break;
    case WEIR_ROUND_AWAY: up = binary(w, WEIR_OP_AND, some, above); break;
    case WEIR_ROUND_HALF_UP: up = binary(w, WEIR_OP_OR, more, tie); break;
    case WEIR_ROUND_HALF_DOWN: up = more; break;
    case WEIR_ROUND_HALF_AWAY: up = binary(w, WEIR_OP_OR, more, binary(w, WEIR_OP_AND, tie, above)); break;
    case WEIR_ROUND_HALF_TO_ZERO: up = binary(w, WEIR_OP_OR, more, binary(w, WEIR_OP_AND, tie, below)); break;
    case WEIR_ROUND_HALF_EVEN: up = binary(w, WEIR_OP_OR, more, binary(w, WEIR_OP_AND, tie, odd)); break;
    default: weir_unreachable("a rounding that has no remainder to round");
    }
    return binary(w, WEIR_OP_ADD, down, cast(w, up, WEIR_INT64));
}

static bool fits(wide v) { return v <= (wide)1 << 62; }

static bool add_cast(const work *w) {
    const int64_t left = attribute(w, "left", 0), shift = attribute(w, "shift", 0);
    weir_rounding rounding = WEIR_ROUND_FLOOR;
    weir_rounding_parse(weir_node_string(w->b->graph, w->node, "rounding", "floor"), &rounding);
    if (!fits((reach_of(w, 0) + reach_of(w, 1)) * ((wide)1 << left))) return fail(w, "it needs more than 62 bits");
    name v = codes(w, 0), rest;
    if (input_value(w, 1).id != 0) v = binary(w, WEIR_OP_ADD, v, codes(w, 1));
    v = times(w, v, (int64_t)1 << left);
    name down = floor_shift(w, v, shift, &rest);
    if (rest != NULL && rounding != WEIR_ROUND_FLOOR) down = round_shift(w, v, down, rest, shift, rounding);
    return store_clipped(w, down);
}

static bool add_scale(const work *w) {
    if (!fits(reach_of(w, 0) * reach_of(w, 1) + reach_of(w, 2))) return fail(w, "it needs more than 62 bits");
    name x = codes(w, 0), factor = codes(w, 1), add = codes(w, 2), rest;
    name v = binary(w, WEIR_OP_ADD, binary(w, WEIR_OP_MUL, x, factor), add);
    return store_clipped(w, floor_shift(w, v, attribute(w, "shift", 0), &rest));
}

/* Has every multiplier so few significant bits that float64 has all of its products with a float32? */
static bool fits_product(const weir_array *factors) {
    enum { MOST_BITS = DBL_MANT_DIG - FLT_MANT_DIG };
    for (size_t i = 0; factors != NULL && i < factors->count; i++) {
        int64_t factor = llabs(weir_array_get_int(factors, i));
        while (factor != 0 && factor % 2 == 0) factor /= 2;
        if (factor >= (int64_t)1 << MOST_BITS) return false;
    }
    return factors != NULL;
}

/* The sum is rounded to float32, and so is the exact product, of float64 or of integers. The division by a power of two
 * is exact. */
static bool add_scale_float(const work *w) {
    int64_t low, high;
    clip_bounds(w, &low, &high);
    if (!fits_real(low, high)) return fail(w, "its codes have more than 53 bits");
    name x = codes(w, 0), factor = codes(w, 1), add = codes(w, 2);
    name sum24 = cast(w, binary(w, WEIR_OP_ADD, x, add), WEIR_FLOAT32);
    const bool real = fits_product(weir_value_constant(w->b->graph, input_value(w, 1)));
    if (!real && !fits((reach_of(w, 0) + reach_of(w, 2)) * reach_of(w, 1)))
        return fail(w, "it needs more than 62 bits");
    const weir_dtype dtype = real ? WEIR_FLOAT64 : WEIR_INT64;
    name sum = cast(w, sum24, dtype), times_sum = real ? cast(w, factor, dtype) : factor;
    name product = cast(w, binary(w, WEIR_OP_MUL, sum, times_sum), WEIR_FLOAT32);
    const double unit = ldexp(1, -(int)attribute(w, "shift", 0));
    name scaled = binary(w, WEIR_OP_MUL, product, number(w, WEIR_FLOAT32, unit));
    name code = cast(w, unary(w, WEIR_OP_ROUND, scaled), WEIR_FLOAT64);
    const int64_t zero = attribute(w, "zero", 0);
    if (zero != 0) code = binary(w, WEIR_OP_ADD, code, number(w, WEIR_FLOAT64, (double)zero));
    return store(w, clip_real(w, code, low, high));
}

/* How many of its channel's thresholds each element reaches. */
static name count_reached(const work *w, name v, name thresholds, weir_dtype dtype) {
    name last = whole_list(w, -1), x = binary(w, WEIR_OP_UNSQUEEZE, v, last);
    name passed = cast(w, binary(w, WEIR_OP_GREATER_OR_EQUAL, x, thresholds), dtype), count = fresh(w);
    weir_onnx_build_int(w->b, apply_node(w, WEIR_OP_REDUCE_SUM, passed, last, NULL, count), "keepdims", 0);
    return count;
}

static bool add_threshold(const work *w) {
    if (input_type(w, 0)->shape.rank == 0) return fail(w, "it has no channels");
    name x = codes(w, 0), count = count_reached(w, x, input(w, 1), WEIR_INT64);
    name stepped = times(w, count, attribute(w, "step", 1));
    return store(w, binary(w, WEIR_OP_ADD, stepped, whole(w, attribute(w, "base", 0))));
}

/* Rows of the table come one after the other: the position of a channel's row is added to the code. */
static bool add_lookup(const work *w) {
    const weir_array *table = weir_value_constant(w->b->graph, input_value(w, 1));
    const int64_t low = attribute(w, "low", 0), rows = table->shape.dim[0], codes_of = table->shape.dim[1];
    weir_array *start = weir_array_in(w->b->arena, WEIR_INT64, &(weir_shape){1, {rows}});
    for (int64_t row = 0; row < rows; row++) weir_array_set_int(start, (size_t)row, row * codes_of - low);
    name x = codes(w, 0), position = binary(w, WEIR_OP_ADD, x, tensor(w, start));
    name flat = binary(w, WEIR_OP_RESHAPE, input(w, 1), whole_list(w, -1));
    return store(w, binary(w, WEIR_OP_GATHER, flat, position));
}

static int64_t count_of(const weir_type *type) {
    size_t count = 0;
    weir_shape_count(&type->shape, &count);
    return (int64_t)count;
}

static weir_shape without_first(const weir_shape *shape) { return weir_shape_of(shape->rank - 1, shape->dim + 1); }

/* The elements by their places in one row, or in each frame of an open batch. */
static bool add_reorder(const work *w) {
    const bool rows = has_rows(w);
    weir_reordering r;
    weir_geometry_reordering(w->b->graph, w->node, &r);
    weir_array *place = weir_array_in(w->b->arena, WEIR_INT64, &r.shape);
    weir_array *outside = weir_array_in(w->b->arena, WEIR_BOOL, &r.shape);
    for (size_t k = 0; k < place->count; k++) {
        const int64_t from = weir_geometry_reordered(&r, (int64_t)k);
        weir_array_set_int(place, k, from < 0 ? 0 : from);
        weir_array_set_int(outside, k, from < 0);
    }
    name row = rows ? data_in_shape(w, codes(w, 0), &(weir_shape){2, {-1, count_of(input_type(w, 0))}})
                    : binary(w, WEIR_OP_RESHAPE, codes(w, 0), whole_list(w, -1));
    if (rows) place->shape = without_first(&r.shape);
    name places = tensor(w, place), moved = fresh(w);
    Onnx__NodeProto *gather = apply_node(w, WEIR_OP_GATHER, row, places, NULL, moved);
    if (rows) weir_onnx_build_int(w->b, gather, "axis", 1);
    if (r.fills) moved = apply(w, WEIR_OP_WHERE, tensor(w, outside), whole(w, attribute(w, "fill", 0)), moved);
    return store(w, moved);
}

static name element_scales(const work *w, const weir_quant *from, int rank) {
    weir_array *array = channel_array(w, from, rank, WEIR_FLOAT64);
    for (size_t i = 0; i < array->count; i++)
        weir_array_set(array, i, weir_quant_element_scale(from, (int64_t)i, attribute(w, "count", 1)));
    return tensor(w, array);
}

/* ONNX's contract multiplies by one float32. */
static name multiplier(const work *w, const weir_quant *from, const weir_quant *to, int rank) {
    weir_array *array = channel_array(w, from->count > 1 ? from : to, rank, WEIR_FLOAT32);
    for (size_t i = 0; i < array->count; i++) {
        const float divisor = (float)weir_quant_scale(to, (int64_t)i) * (float)attribute(w, "count", 1);
        weir_array_set(array, i,
                       (double)((float)weir_quant_element_scale(from, (int64_t)i, attribute(w, "count", 1)) / divisor));
    }
    return tensor(w, array);
}

/* The model's operations on a real number, in float32. */
static name add_steps(const work *w, name real) {
    const char *text = weir_node_string(w->b->graph, w->node, "steps", "");
    size_t constant = 2;
    name x = cast(w, real, WEIR_FLOAT32);
    while (*text != '\0') {
        bool takes_constant = false;
        const weir_op step = weir_op_step(&text, &takes_constant);
        if (step == WEIR_OP_MULTI_THRESHOLD) x = count_reached(w, x, input(w, constant++), WEIR_FLOAT32);
        else x = takes_constant ? binary(w, step, x, input(w, constant++)) : unary(w, step, x);
    }
    return x;
}

/* The quantization of sums whose means have the given one. */
static weir_quant times_count(const work *w, const weir_quant *given) {
    weir_quant quant = *given;
    if (given->format == WEIR_FORMAT_FIXED) quant.format = WEIR_FORMAT_INTEGER;
    if (given->count == 0) quant.count = 1;
    double *scale = weir_arena_array(w->b->arena, quant.count, sizeof *scale);
    for (uint32_t i = 0; i < quant.count; i++) scale[i] = weir_quant_scale(given, i) * (double)attribute(w, "count", 1);
    quant.scale = scale;
    return quant;
}

/* A Mod of integers is not negative. */
static bool add_floor(const work *w) {
    if (!fits(reach_of(w, 0) * reach_of(w, 2) + reach_of(w, 3))) return fail(w, "it needs more than 62 bits");
    name divisor = whole(w, attribute(w, "divisor", 1));
    name v = binary(w, WEIR_OP_ADD, binary(w, WEIR_OP_MUL, codes(w, 0), codes(w, 2)), codes(w, 3));
    name rest = binary(w, WEIR_OP_MOD, v, divisor);
    return store_clipped(w, binary(w, WEIR_OP_DIV, binary(w, WEIR_OP_SUB, v, rest), divisor));
}

static bool add_requantize(const work *w) {
    if (strcmp(weir_node_string(w->b->graph, w->node, "arithmetic", ""), "requantshift") == 0) return add_floor(w);
    const weir_quant *from = &input_type(w, 0)->quant, *to = &output_type(w)->quant;
    const int rank = input_type(w, 0)->shape.rank;
    const bool offset = input_value(w, 1).id != 0, steps = *weir_node_string(w->b->graph, w->node, "steps", "") != '\0';
    const bool zero_last = strcmp(weir_node_string(w->b->graph, w->node, "arithmetic", "qlinear"), "quant") != 0;
    int64_t low, high;
    clip_bounds(w, &low, &high);
    if (!fits_real(low, high)) return fail(w, "its codes have more than 53 bits");
    name centered = add_zero(w, WEIR_OP_SUB, codes(w, 0), from, rank, WEIR_INT64);
    if (is_onnx_contract(w) && !offset && !steps) {
        name factor = multiplier(w, from, to, rank);
        name product = binary(w, WEIR_OP_MUL, cast(w, centered, WEIR_FLOAT32), factor);
        return store(w, finish_float(w, unary(w, WEIR_OP_ROUND, product), to, rank, low, high));
    }
    const double count = (double)attribute(w, "count", 1);
    name scale = element_scales(w, from, rank);
    name real = binary(w, WEIR_OP_MUL, cast(w, centered, WEIR_FLOAT64), scale);
    if (steps) {
        if (count > 1) real = binary(w, WEIR_OP_DIV, real, number(w, WEIR_FLOAT64, count));
        return store_clipped(w, encode_real(w, add_steps(w, real), WEIR_FLOAT32, to, rank, zero_last));
    }
    if (offset) real = binary(w, WEIR_OP_ADD, real, input(w, 1));
    const weir_quant of_sums = times_count(w, to);
    return store_clipped(w, encode_real(w, real, WEIR_FLOAT64, count > 1 ? &of_sums : to, rank, zero_last));
}

/* --- masks and streams --- */

/* Runtimes choose among few integer types, so codes are chosen as int64. */
static bool add_mask(const work *w) {
    const weir_dtype dtype = output_type(w)->dtype;
    const bool real = weir_dtype_is_float(dtype);
    name keep = cast(w, input(w, 1), WEIR_BOOL), zero = real ? number(w, dtype, 0) : whole(w, 0);
    if (!real) return store(w, apply(w, WEIR_OP_WHERE, keep, codes(w, 0), zero));
    apply_node(w, WEIR_OP_WHERE, keep, input(w, 0), zero, output(w));
    return true;
}

static bool add_copies(const work *w) {
    for (size_t i = 0; i < weir_node_output_count(w->b->graph, w->node); i++)
        apply_node(w, WEIR_OP_IDENTITY, input(w, 0), NULL, NULL,
                   w->names[weir_node_output(w->b->graph, w->node, i).id]);
    return true;
}

typedef struct standard_rule {
    weir_op op;
    bool (*add)(const work *w);
} standard_rule;

static const standard_rule rules[] = {
    {WEIR_OP_MASK, add_mask},
    {WEIR_OP_ENCODE, add_encode},
    {WEIR_OP_DECODE, add_decode},
    {WEIR_OP_REORDER, add_reorder},
    {WEIR_OP_LINEAR, add_linear},
    {WEIR_OP_SUM, add_sum},
    {WEIR_OP_MULTIPLY, add_product},
    {WEIR_OP_PRODUCT, add_matrices},
    {WEIR_OP_SUM_POOL, add_sum_pool},
    {WEIR_OP_REQUANTIZE, add_requantize},
    {WEIR_OP_CAST_CODES, add_cast},
    {WEIR_OP_SCALE, add_scale},
    {WEIR_OP_SCALE_FLOAT, add_scale_float},
    {WEIR_OP_THRESHOLD, add_threshold},
    {WEIR_OP_LOOKUP, add_lookup},
    {WEIR_OP_MAXIMUM, add_maximum},
    {WEIR_OP_FORK, add_copies},
    {WEIR_OP_RELABEL, add_copies},
    {WEIR_OP_FIFO, add_copies},
    {WEIR_OP_LANES, add_copies},
    {WEIR_OP_REGISTER_SLICE, add_copies},
};

bool weir_onnx_standard_add(weir_onnx_builder *builder, const char *const *names, weir_node node) {
    const work w = {builder, names, node};
    const weir_op op = weir_node_op(builder->graph, node);
    const standard_rule *rule = weir_op_row(rules, sizeof rules / sizeof *rules, sizeof *rules, op);
    if (rule != NULL) return rule->add(&w);
    const bool loops = op == WEIR_OP_STATE || op == WEIR_OP_UPDATE;
    return fail(&w, loops ? "it is part of a loop over time" : "standard operators have no exact form of it");
}
