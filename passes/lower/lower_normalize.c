/* Normalizations between quantizers: weir.Normalize of rows that are innermost (exec/normalize.h). The quantizer behind
 * and the products, quotients, sums and differences with constants before it are part of it: a gain and an offset for
 * each element of a frame, in the order of the rows. Gains are the codes of a scale with one quantizer, else whole
 * numbers of 25 bits and a sign. */
#include <math.h>
#include <stdlib.h>

#include "exec/kernel_common.h"
#include "exec/normalize.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/lower/scaled.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"

enum {
    NUMBER_BITS = 24, /* of an element that is a fixed point number, without the sign */
    GAIN_BITS = 25,   /* of a gain that is no code, without the sign */
    POINT_BITS = 26,  /* of an offset below its point, at most */
    SPARE_BITS = 30,  /* of the least V, at least: how exact epsilon is */
    OFFSET_BITS = 36, /* of an offset above its point, at most */
    INNER_BITS = 120, /* of all numbers */
    MOST_JOINED = 16  /* constants behind it */
};

/* A normalization, and what a frame of its result is. */
typedef struct normal {
    weir_normalize_mode mode;
    double epsilon;
    bool rooted; /* the mean of the squares, not their sum */
    weir_shape shape;
    int order[WEIR_MAX_RANK]; /* of the dimensions in rows, those of a row last */
    int outer;                /* dimensions before a row's */
    int64_t length, elements;
    double *gain, *offset;   /* by element of the rows */
    weir_array *place;       /* of the model's value so far: which element of the rows is here */
    const weir_quant *codes; /* whose codes the gains are, times `factor`; NULL: none */
    double factor;
    weir_value joined[MOST_JOINED]; /* results of nodes that are part of it */
    size_t joined_count;
} normal;

/* --- what it is --- */

static int axis_of(const weir_lowering *l, weir_node node, int rank) {
    const int64_t axis = weir_node_int(l->from, node, "axis", -1);
    return (int)(axis < 0 ? axis + rank : axis);
}

/* The dimensions of a row are those that `along` names. */
static void set_order(normal *n, const bool *along) {
    n->outer = 0;
    n->length = n->elements = 1;
    for (int d = 0; d < n->shape.rank; d++)
        if (!along[d]) n->order[n->outer++] = d;
    for (int d = 0, next = n->outer; d < n->shape.rank; d++) {
        n->elements *= n->shape.dim[d];
        if (!along[d]) continue;
        n->order[next++] = d;
        n->length *= n->shape.dim[d];
    }
}

static bool read_rows(weir_lowering *l, weir_node node, normal *n) {
    const weir_op kind = weir_trait_kind(l->from, node);
    bool along[WEIR_MAX_RANK] = {false};
    n->shape = weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const int rank = n->shape.rank, axis = axis_of(l, node, rank);
    n->mode = kind == WEIR_OP_LAYER_NORMALIZATION || kind == WEIR_OP_INSTANCE_NORMALIZATION ? WEIR_NORMALIZE_MEAN
                                                                                            : WEIR_NORMALIZE_SQUARE;
    n->epsilon = weir_node_float(l->from, node, "epsilon", 1e-5);
    n->rooted = kind == WEIR_OP_RMS_NORMALIZATION;
    if (kind == WEIR_OP_LP_NORMALIZATION) {
        n->epsilon = 0;
        if (weir_node_int(l->from, node, "p", 2) == 1) n->mode = WEIR_NORMALIZE_MAGNITUDE;
        along[axis] = true;
    } else if (kind == WEIR_OP_INSTANCE_NORMALIZATION) {
        int order[WEIR_MAX_RANK];
        if (!weir_layout_order(l->from, node, order)) return false;
        for (int d = 0; d < rank; d++) along[d] = order[d] > 1;
    } else {
        for (int d = axis; d < rank; d++) along[d] = true;
    }
    set_order(n, along);
    return n->length >= 2 || weir_lower_fail(l, node, "hardware needs rows of two elements or more");
}

/* --- gains and offsets --- */

static void multiply(normal *n, const weir_array *constant, const weir_broadcast *from, bool divide) {
    for (size_t i = 0; i < (size_t)n->elements; i++) {
        const size_t at = (size_t)weir_array_get_int(n->place, i);
        const double number = weir_array_get(constant, weir_broadcast_index(from, i));
        n->gain[at] = divide ? n->gain[at] / number : n->gain[at] * number;
        n->offset[at] = divide ? n->offset[at] / number : n->offset[at] * number;
    }
}

static void add(normal *n, const weir_array *constant, const weir_broadcast *from, double sign) {
    for (size_t i = 0; i < (size_t)n->elements; i++)
        n->offset[weir_array_get_int(n->place, i)] += sign * weir_array_get(constant, weir_broadcast_index(from, i));
}

/* A constant of an element, or of several, of a value that has the elements of a frame. */
static bool is_fine(const normal *n, const weir_array *constant, const weir_shape *shape) {
    size_t elements = 1;
    bool fine = constant != NULL && weir_dtype_is_float(constant->dtype);
    weir_shape_count(shape, &elements);
    for (size_t i = 0; fine && i < constant->count; i++) fine = isfinite(weir_array_get(constant, i));
    return fine && (int64_t)elements == n->elements;
}

/* By the channels of an operator with a layout, as a constant that broadcasts. */
static const weir_array *along_channels(weir_lowering *l, weir_node node, const weir_array *constant, int rank) {
    if (constant == NULL || weir_trait_kind(l->from, node) != WEIR_OP_INSTANCE_NORMALIZATION) return constant;
    weir_array *wide = weir_array_copy_in(weir_graph_arena(l->to), constant);
    wide->shape = (weir_shape){.rank = rank};
    for (int d = 0; d < rank; d++) wide->shape.dim[d] = 1;
    wide->shape.dim[weir_layout_channel_axis(l->from, node)] = (int64_t)constant->count;
    return wide;
}

/* The node's own scale and bias. */
static bool read_own(weir_lowering *l, weir_node node, normal *n) {
    const bool mean = n->mode == WEIR_NORMALIZE_MEAN;
    const char *const names[] = {"scale", "bias"};
    for (size_t i = 1; i < weir_node_input_count(l->from, node) && i <= 2; i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        if (input.id == 0) continue;
        const weir_array *constant = along_channels(l, node, weir_lower_constant(l, input), n->shape.rank);
        if (!is_fine(n, constant, &n->shape))
            return weir_lower_fail(l, node, "its %s must be a constant of finite numbers", names[i - 1]);
        const weir_broadcast from = weir_broadcast_of(&constant->shape, &n->shape);
        if (i == 1) multiply(n, constant, &from, false);
        else if (mean) add(n, constant, &from, 1);
        const weir_expression *x = weir_lower_expression(l, input);
        if (i == 1 && weir_expression_kind_of(x) == WEIR_EXPRESSION_WEIGHTS && weir_expression_quant(x)->count <= 1)
            n->codes = weir_expression_quant(x);
    }
    return true;
}

/* The only node that takes the value. */
static weir_node only_user(const weir_lowering *l, weir_value value) {
    if (weir_value_use_count(l->from, value) != 1 || weir_value_is_output(l->from, value)) return WEIR_NO_NODE;
    return weir_value_use(l->from, value, 0).node;
}

static void turn(normal *n) {
    for (size_t i = 0; i < (size_t)n->elements; i++) {
        n->gain[i] = -n->gain[i];
        n->offset[i] = -n->offset[i];
    }
    n->factor = -n->factor;
}

/* A BatchNormalization. */
static bool join_channels(weir_lowering *l, weir_node node, const weir_shape *shape, normal *n) {
    const weir_array *factor, *term;
    if (!weir_lower_normalization(l, node, &factor, &term) || !is_fine(n, factor, shape) || !is_fine(n, term, shape))
        return false;
    const weir_broadcast from = weir_broadcast_of(&factor->shape, shape);
    multiply(n, factor, &from, false);
    add(n, term, &from, 1);
    n->codes = NULL;
    return true;
}

/* The product, quotient, sum or difference of the value and a constant; false: the node is something else. */
static bool join(weir_lowering *l, weir_node node, weir_value value, normal *n) {
    const weir_op kind = weir_trait_kind(l->from, node);
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (kind == WEIR_OP_BATCH_NORMALIZATION) return join_channels(l, node, shape, n);
    if (kind == WEIR_OP_NEG) {
        turn(n);
        return true;
    }
    const bool product = kind == WEIR_OP_MUL || kind == WEIR_OP_DIV, sum = kind == WEIR_OP_ADD || kind == WEIR_OP_SUB;
    if ((!product && !sum) || weir_node_input_count(l->from, node) != 2) return false;
    const size_t data = weir_node_input(l->from, node, 1).id == value.id;
    const weir_array *constant = weir_lower_constant(l, weir_node_input(l->from, node, 1 - data));
    if (!is_fine(n, constant, shape) || (kind == WEIR_OP_DIV && data == 1)) return false;
    for (size_t i = 0; kind == WEIR_OP_DIV && i < constant->count; i++)
        if (weir_array_get(constant, i) == 0) return false;
    const weir_broadcast from = weir_broadcast_of(&constant->shape, shape);
    if (product) {
        multiply(n, constant, &from, kind == WEIR_OP_DIV);
        const double number = weir_array_get(constant, 0);
        n->factor = kind == WEIR_OP_DIV ? n->factor / number : n->factor * number;
        if (constant->count > 1) n->codes = NULL;
    } else if (kind == WEIR_OP_SUB && data == 1) {
        turn(n);
        add(n, constant, &from, 1);
    } else {
        add(n, constant, &from, kind == WEIR_OP_SUB ? -1 : 1);
    }
    return true;
}

/* The same elements in another shape or order; false: the node is something else. */
static bool move(const weir_lowering *l, weir_node node, normal *n) {
    const weir_op op = weir_node_op(l->from, node);
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (weir_trait_of(op)->kind == WEIR_OP_TRANSPOSE) {
        int order[WEIR_MAX_RANK];
        weir_layout_permutation(l->from, node, order);
        weir_array *moved = weir_layout_transpose(n->place, order);
        weir_array_free(n->place);
        n->place = moved;
        return true;
    }
    if (!weir_index_map_reshapes(op)) return false;
    n->place->shape = *shape;
    return true;
}

/* The quantizer behind, past what joins and what moves, of which the former is part of the normalization then; a count
 * of 0: there is none. False after a reported error. */
static bool read_quantizer(weir_lowering *l, weir_node node, normal *n, weir_quant *quant) {
    weir_value value = weir_node_output(l->from, node, 0);
    for (weir_node user = only_user(l, value); user.id != 0; user = only_user(l, value)) {
        const weir_op kind = weir_trait_kind(l->from, user);
        if (kind == WEIR_OP_QUANTIZE_LINEAR || kind == WEIR_OP_QUANT) return weir_lower_read_quantizer(l, user, quant);
        const weir_value result = weir_node_output(l->from, user, 0);
        if (n->joined_count < MOST_JOINED && join(l, user, value, n)) n->joined[n->joined_count++] = result;
        else if (!move(l, user, n)) break;
        value = result;
    }
    return weir_lower_read_consumers(l, value, quant);
}

/* What has been joined: what is before these nodes has done their work. */
static void mark_joined(weir_lowering *l, const normal *n) {
    for (size_t i = 0; i < n->joined_count; i++) l->of[n->joined[i].id].is_done = true;
}

/* --- the node --- */

static int64_t divisor(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Numbers change only between runs of so many. */
static int64_t run_of(const double *number, int64_t count) {
    int64_t run = count;
    for (int64_t i = 1; i < count; i++)
        if (number[i] != number[i - 1]) run = divisor(run, i);
    return run;
}

static int64_t period_of(const double *number, int64_t run, int64_t count) {
    const int64_t entries = count / run;
    int64_t period = 1;
    for (; period < entries; period++) {
        bool fine = entries % period == 0;
        for (int64_t i = period; fine && i < entries; i++) fine = number[i * run] == number[(i - period) * run];
        if (fine) break;
    }
    return period;
}

/* What one unit of a gain stands for. */
static double unit_of(const normal *n) {
    double most = 0;
    bool one = true;
    for (int64_t i = 0; i < n->elements; i++) {
        most = fmax(most, fabs(n->gain[i]));
        one &= fabs(n->gain[i]) == fabs(n->gain[0]);
    }
    if (most == 0) return 1;
    if (one) return most;
    if (n->codes != NULL) return fabs(n->factor) * weir_quant_scale(n->codes, 0);
    int exponent;
    frexp(most, &exponent);
    return ldexp(1, exponent - GAIN_BITS);
}

static weir_value vector(weir_lowering *l, weir_node node, const char *suffix, const double *number, double by,
                         int64_t hold, int64_t count) {
    weir_array *numbers = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){1, {count}});
    for (int64_t i = 0; i < count; i++)
        weir_array_set_int(numbers, (size_t)i, (int64_t)nearbyint(number[i * hold] * by));
    char *name = weir_format("%s%s", weir_node_name(l->from, node), suffix);
    const weir_value constant = weir_graph_add_constant(l->to, name, numbers);
    free(name);
    return constant;
}

/* Where the points of the numbers are. */
typedef struct points {
    int64_t epsilon;
    int fraction, bits, shift, point;
    double unit; /* of a gain */
} points;

static bool set_points(weir_lowering *l, weir_node node, const normal *n, const weir_type *x, const weir_quant *y,
                       points *p, weir_array *root) {
    const double length = (double)n->length, scale = weir_quant_scale(&x->quant, 0);
    const bool mean = n->mode == WEIR_NORMALIZE_MEAN;
    const double times = mean ? length * length : n->rooted ? length : 0;
    const double epsilon = times * n->epsilon / scale / scale;
    const double least = (mean ? length - 1 : 1) + epsilon;
    p->fraction = 0;
    while (epsilon > 0 && ldexp(least, p->fraction) < ldexp(1, SPARE_BITS)) p->fraction += 2;
    if (ldexp(epsilon, p->fraction) > ldexp(1, 62))
        return weir_lower_fail(l, node, "its epsilon, %g, is too large for codes of scale %g", n->epsilon, scale);
    p->epsilon = (int64_t)nearbyint(ldexp(epsilon, p->fraction));
    const int64_t zero = mean ? 0 : weir_quant_zero(&x->quant, 0);
    p->bits = weir_normalize_bits(n->mode, n->length, x->low - zero, x->high - zero, p->fraction, p->epsilon);
    p->unit = unit_of(n);
    const double constant = (n->rooted ? sqrt(length) : 1) * p->unit / weir_quant_scale(y, 0);
    if (!(constant > 0) || !isfinite(constant))
        return weir_lower_fail(l, node, "its gains are beyond what hardware multiplies by");
    int exponent;
    weir_normalize_table(constant, &exponent, (int64_t *)root->data);
    p->shift = p->bits / 2 + exponent - 1 - p->fraction / 2;
    p->point = p->shift < POINT_BITS ? p->shift : POINT_BITS;
    if (p->bits > WEIR_NORMALIZE_MOST_BITS || p->point < 1 ||
        p->shift - p->point + OFFSET_BITS > INNER_BITS - POINT_BITS)
        return weir_lower_fail(l, node, "its rows, gains and quantizers need numbers of more than %d bits", INNER_BITS);
    return true;
}

/* What makes the nearest number the one that the quantizer rounds to, in codes; whole numbers are one unit of offsets
 * on their side. Which way a number in the middle of two goes is within what the root lacks. False after a reported
 * error. */
static bool rounded_by(weir_lowering *l, weir_node node, weir_rounding rounding, int point, double *by) {
    switch (rounding) {
    case WEIR_ROUND_HALF_EVEN:
    case WEIR_ROUND_HALF_UP:
    case WEIR_ROUND_HALF_DOWN:
    case WEIR_ROUND_HALF_AWAY:
    case WEIR_ROUND_HALF_TO_ZERO: *by = 0; return true;
    case WEIR_ROUND_FLOOR: *by = ldexp(1, -point) - 0.5; return true;
    case WEIR_ROUND_CEIL: *by = 0.5 - ldexp(1, -point); return true;
    case WEIR_ROUND_TRUNCATE:
    case WEIR_ROUND_AWAY:
    case WEIR_ROUND_COUNT: break;
    }
    return weir_lower_fail(l, node, "the quantizer behind it rounds by the sign, expected the nearest, floor or ceil");
}

static weir_value add_normalize(weir_lowering *l, weir_node node, normal *n, weir_value codes, const weir_quant *y) {
    static const char *const modes[] = {"mean", "square", "magnitude"};
    const weir_type *x = weir_value_type(l->to, codes);
    weir_array *root = weir_array_in(weir_graph_arena(l->to), WEIR_INT64,
                                     &(weir_shape){2, {WEIR_NORMALIZE_COLUMNS, WEIR_NORMALIZE_ROWS}});
    points p = {.unit = 1};
    double rounded = 0;
    if (!set_points(l, node, n, x, y, &p, root) || !rounded_by(l, node, y->rounding, p.point, &rounded))
        return WEIR_NO_VALUE;
    for (int64_t i = 0; i < n->elements; i++) {
        n->offset[i] = n->offset[i] / weir_quant_scale(y, 0) + (double)weir_quant_zero(y, 0) + rounded;
        if (fabs(n->offset[i]) < ldexp(1, OFFSET_BITS - 1)) continue;
        weir_lower_fail(l, node, "its bias is %g codes of the quantizer behind it", n->offset[i]);
        return WEIR_NO_VALUE;
    }
    const int64_t hold = divisor(run_of(n->gain, n->elements), run_of(n->offset, n->elements));
    int64_t low, high;
    weir_quant_limits(y, &low, &high);
    char *name = weir_format("%s_root", weir_node_name(l->from, node));
    const weir_value inputs[4] = {
        codes, weir_graph_add_constant(l->to, name, root),
        vector(l, node, "_gain", n->gain, 1 / p.unit, hold, period_of(n->gain, hold, n->elements)),
        vector(l, node, "_offset", n->offset, ldexp(1, p.point), hold, period_of(n->offset, hold, n->elements))};
    free(name);
    const weir_type type = weir_lower_codes_type(y, &x->shape, low, high);
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_NORMALIZE_CODES, "", inputs, 4, &type);
    weir_node_set_string(l->to, made, "mode", modes[n->mode]);
    if (n->mode != WEIR_NORMALIZE_MEAN) weir_node_set_int(l->to, made, "zero", weir_quant_zero(&x->quant, 0));
    const struct {
        const char *name;
        int64_t value;
    } set[] = {{"fraction", p.fraction}, {"epsilon", p.epsilon}, {"bits", p.bits}, {"shift", p.shift},
               {"point", p.point},       {"hold", hold},         {"low", low},     {"high", high}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) weir_node_set_int(l->to, made, set[i].name, set[i].value);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

/* Elements of a tensor of `shape` in the order of its dimensions. */
static weir_value in_order(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                           const weir_shape *shape, const int *order, const weir_shape *to) {
    if (weir_layout_keeps_memory(shape, order)) return weir_lower_reshape_as(l, node, suffix, codes, to);
    weir_reordering r = {.shape = *to, .loops = shape->rank};
    int64_t stride[WEIR_MAX_RANK], next = 1;
    for (int d = shape->rank - 1; d >= 0; d--) {
        stride[d] = next;
        next *= shape->dim[d];
    }
    for (int d = 0; d < shape->rank; d++) {
        r.size[d] = r.end[d] = shape->dim[order[d]];
        r.stride[d] = stride[order[d]];
    }
    return weir_lower_in_order(l, node, suffix, codes, &r);
}

static weir_value lower_rows(weir_lowering *l, weir_node node, normal *n, weir_value codes, const weir_quant *y) {
    weir_shape permuted = {.rank = n->shape.rank};
    int back[WEIR_MAX_RANK];
    for (int d = 0; d < n->shape.rank; d++) {
        permuted.dim[d] = n->shape.dim[n->order[d]];
        back[n->order[d]] = d;
    }
    const weir_shape rows = {2, {n->elements / n->length, n->length}};
    codes = in_order(l, node, "_rows", codes, &n->shape, n->order, &rows);
    if (codes.id != 0) codes = add_normalize(l, node, n, codes, y);
    return codes.id == 0 ? codes : in_order(l, node, "_result", codes, &permuted, back, &n->shape);
}

/* Each element's place in the rows. */
static void set_places(normal *n) {
    weir_shape permuted = {.rank = n->shape.rank};
    int back[WEIR_MAX_RANK];
    for (int d = 0; d < n->shape.rank; d++) {
        permuted.dim[d] = n->shape.dim[n->order[d]];
        back[n->order[d]] = d;
    }
    weir_array *rows = weir_array_new(WEIR_INT64, &permuted);
    for (size_t i = 0; i < rows->count; i++) weir_array_set_int(rows, i, (int64_t)i);
    n->place = weir_layout_transpose(rows, back);
    weir_array_free(rows);
}

/* Fixed point numbers have as many bits as float32's; no value after a reported error. */
static weir_value read_codes(weir_lowering *l, weir_node node) {
    const weir_value codes =
        weir_lower_one_scale(l, node, weir_lower_operand(l, node, weir_lower_input(l, node, 0), false));
    if (codes.id == 0 || !l->carries) return codes;
    const weir_type *type = weir_value_type(l->to, codes);
    if (weir_bits_for(type->low, type->high) <= NUMBER_BITS + 1) return codes;
    const weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = codes});
    const weir_interval range = weir_scaled_range(l, &a);
    return weir_scaled_emit(l, node, &a, weir_scaled_unit(fmax(-range.low, range.high), NUMBER_BITS));
}

static bool lower(weir_lowering *l, weir_node node, normal *n) {
    weir_quant quant;
    if (!read_own(l, node, n) || !read_quantizer(l, node, n, &quant)) return false;
    if (quant.count == 0) {
        weir_lower_fail(l, node, "hardware normalizes between quantizers, but none takes its result");
        weir_note("quantize its result, or what adds constants to it or multiplies it by such%s",
                  weir_remedy_completes(l->from) ? WEIR_REMEDY_COMPLETE : "");
        return false;
    }
    weir_lower_recognize_fixed(&quant);
    if (quant.count > 1)
        return weir_lower_fail(l, node, "activations need one scale per tensor, found %u", quant.count);
    const weir_value codes = read_codes(l, node);
    if (codes.id == 0) return false;
    const weir_leaf leaf = {.codes = lower_rows(l, node, n, codes, &quant), .ahead = true};
    if (!weir_lower_set_leaf(l, node, &leaf)) return false;
    mark_joined(l, n);
    return true;
}

bool weir_lower_normalize(weir_lowering *l, weir_node node) {
    normal n = {.factor = 1};
    for (size_t i = 1; i < weir_node_output_count(l->from, node); i++) {
        const weir_value more = weir_node_output(l->from, node, i);
        if (weir_value_exists(l->from, more) &&
            (weir_value_use_count(l->from, more) > 0 || weir_value_is_output(l->from, more)))
            return weir_lower_fail(l, node, "hardware has no mean or deviation of its rows as results");
    }
    if (!read_rows(l, node, &n)) return false;
    n.gain = weir_calloc((size_t)n.elements, sizeof *n.gain);
    n.offset = weir_calloc((size_t)n.elements, sizeof *n.offset);
    for (int64_t i = 0; i < n.elements; i++) n.gain[i] = 1;
    set_places(&n);
    const bool fine = lower(l, node, &n);
    weir_array_free(n.place);
    free(n.gain);
    free(n.offset);
    return fine;
}
