/* RequantShift's domain: real numbers that are whole, so codes of scale 1, and the floor of a quotient of them, which
 * is a Requantize of its own contract. What is exact between two of these (sums, products, moves, maxima) is lowered as
 * elsewhere. */
#include <math.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/scaled.h"
#include "quant/arithmetic.h"
#include "support/memory/arena.h"

/* y = clip(floor((x * factor + addend) / divisor), low, high) */
typedef struct fraction {
    uint32_t count; /* of factors and addends: 1, or one a channel */
    double *factor, *addend;
    int64_t divisor, low, high;
} fraction;

/* Whole numbers of float64, of which sums and products are exact; codes of results that nothing clips. */
static const double MOST = 0x1p53;
static const int64_t WIDEST = INT64_C(1) << 46;
/* Codes that are an input's, or a table's. */
enum { MOST_CODES = 1 << 16 };

/* --- what is between the codes and the quotient --- */

/* The steps of x, from the innermost on, as one product and one sum of `count` channels: number[0] and [1], these times
 * `elements`. False without an error: one is neither. */
static bool collect(const weir_expression *x, double elements, double *number[2], uint32_t count) {
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_CODES) return true;
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_RELU ||
        !collect(weir_expression_operand(x), elements, number, count))
        return false;
    const bool is_step = weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP;
    uint32_t offsets;
    const double *offset = is_step ? NULL : weir_expression_numbers(x, &offsets);
    const weir_step *step = is_step ? weir_expression_step_of(x) : NULL;
    const weir_array *constant = is_step ? step->constant : NULL;
    const weir_op kind = is_step ? weir_trait_of(step->op)->kind : WEIR_OP_ADD;
    const bool is_product = kind == WEIR_OP_MUL || kind == WEIR_OP_NEG,
               is_sum = kind == WEIR_OP_ADD || kind == WEIR_OP_SUB;
    for (uint32_t c = 0; c < count; c++) {
        const double by = constant != NULL ? weir_array_get(constant, constant->count == 1 ? 0 : c)
                          : is_step        ? -1
                                           : offset[offsets == 1 ? 0 : c];
        for (int i = 0; i < 2 && is_product; i++) number[i][c] *= by;
        if (is_sum) number[1][c] += (kind == WEIR_OP_SUB ? -by : by) * elements;
    }
    return is_product || is_sum || kind == WEIR_OP_IDENTITY;
}

/* The channels that something of x tells apart: 1, or all. */
static uint32_t channels_of(const weir_lowering *l, const weir_expression *x) {
    const weir_shape *shape = &weir_value_type(l->to, weir_expression_codes_of(x))->shape;
    return weir_lower_has_channels(l, x) ? (uint32_t)shape->dim[shape->rank - 1] : 1;
}

static double *spread(weir_lowering *l, const double *numbers, uint32_t count, uint32_t wanted) {
    double *all = weir_arena_array(weir_graph_arena(l->to), wanted, sizeof *all);
    for (uint32_t c = 0; c < wanted; c++) all[c] = numbers[count == 1 ? 0 : c];
    return all;
}

static bool check(const weir_lowering *l, weir_node node, double number) {
    if (number != floor(number)) return weir_lower_fail(l, node, "its input has fractions, expected whole numbers");
    return fabs(number) <= MOST || weir_lower_fail(l, node, "its parameters have more than 53 bits");
}

/* f of x's numbers becomes f of its codes. False after a reported error. */
static bool of_codes(weir_lowering *l, weir_node node, const weir_expression *x, fraction *f) {
    const weir_quant *quant = &weir_value_type(l->to, weir_expression_codes_of(x))->quant;
    const uint32_t own = channels_of(l, x), count = own > f->count ? own : f->count;
    const int64_t of = weir_expression_leaf(x)->count, elements = of < 1 ? 1 : of;
    double *number[2];
    for (int i = 0; i < 2; i++) number[i] = weir_arena_array(weir_graph_arena(l->to), count, sizeof **number);
    for (uint32_t c = 0; c < count; c++) {
        number[0][c] = weir_quant_element_scale(quant, c, elements);
        number[1][c] = -(double)weir_quant_zero(quant, c) * number[0][c];
    }
    if (!collect(x, (double)elements, number, count)) {
        weir_lower_fail(l, node, "products and sums alone may be between its codes and it");
        weir_note("put a RequantShift before what else there is");
        return false;
    }
    f->factor = spread(l, f->factor, f->count, count);
    f->addend = spread(l, f->addend, f->count, count);
    f->count = count;
    bool fine = check(l, node, (double)f->divisor * (double)elements);
    f->divisor *= fine ? elements : 1;
    for (uint32_t c = 0; fine && c < count; c++) {
        f->addend[c] = number[1][c] * f->factor[c] + (double)elements * f->addend[c];
        f->factor[c] *= number[0][c];
        fine = check(l, node, f->factor[c]) && check(l, node, f->addend[c]);
    }
    return fine;
}

/* --- the node --- */

/* As narrow as what the ends of x give, where 64 bits hold the numerators. */
static void tighten(const weir_type *x, fraction *f) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t c = 0; c < f->count; c++) {
        for (int end = 0; end < 2; end++) {
            const int64_t code = end == 0 ? x->low : x->high;
            if (fabs((double)code * f->factor[c]) + fabs(f->addend[c]) > 0x1p62) return;
            const int64_t numerator = code * (int64_t)f->factor[c] + (int64_t)f->addend[c],
                          y = numerator / f->divisor - (numerator % f->divisor < 0);
            low = y < low ? y : low;
            high = y > high ? y : high;
        }
    }
    const int64_t least = f->low, most = f->high;
    f->low = low < least ? least : low > most ? most : low;
    f->high = high < least ? least : high > most ? most : high;
}

static weir_value constant_of(weir_lowering *l, weir_node node, const char *suffix, const double *numbers,
                              uint32_t count) {
    weir_array *array = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &(weir_shape){1, {count}});
    for (uint32_t c = 0; c < count; c++) weir_array_set_int(array, c, (int64_t)numbers[c]);
    return weir_scaled_constant(l, node, suffix, array);
}

/* The fraction of x, of a leaf below steps, is the node's result. */
static bool add_fraction(weir_lowering *l, weir_node node, const weir_expression *x, fraction *f) {
    if (!of_codes(l, node, x, f)) return false;
    const weir_leaf *leaf = weir_expression_leaf(x);
    const weir_type *from = weir_value_type(l->to, leaf->codes);
    tighten(from, f);
    const weir_quant quant = weir_scaled_quant(l, 1, f->low, f->high);
    const weir_type type = weir_lower_codes_type(&quant, &from->shape, f->low, f->high);
    const weir_value inputs[4] = {leaf->codes, WEIR_NO_VALUE, constant_of(l, node, "_factor", f->factor, f->count),
                                  constant_of(l, node, "_addend", f->addend, f->count)};
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_REQUANTIZE, "", inputs, 4, &type);
    weir_node_set_int(l->to, made, "low", f->low);
    weir_node_set_int(l->to, made, "high", f->high);
    weir_node_set_int(l->to, made, "divisor", f->divisor);
    weir_node_set_string(l->to, made, "arithmetic", weir_contract_name(WEIR_CONTRACT_REQUANTSHIFT));
    return weir_infer_node(l->to, made) &&
           weir_lower_set_codes(l, node, weir_lower_mapped(l, node, weir_node_output(l->to, made, 0), leaf->map));
}

/* x without a Relu, which the quotient's lower end does where no channel's quotient of 0 is above; NULL after a
 * reported error. */
static const weir_expression *without_relu(weir_lowering *l, weir_node node, const weir_expression *x,
                                           const fraction *f) {
    if (weir_expression_kind_of(x) != WEIR_EXPRESSION_RELU) return x;
    bool is_end = true;
    for (uint32_t c = 0; c < f->count; c++)
        is_end = is_end && f->factor[c] >= 0 && floor(f->addend[c] / (double)f->divisor) <= (double)f->low;
    if (is_end) return weir_expression_operand(x);
    const weir_leaf *leaf = weir_expression_leaf(x);
    weir_value codes = WEIR_NO_VALUE;
    if (leaf->map == NULL && leaf->count <= 1 &&
        weir_expression_kind_of(weir_expression_operand(x)) == WEIR_EXPRESSION_CODES)
        codes = weir_lower_one_scale(l, node, leaf->codes);
    else weir_lower_fail(l, node, "products and sums alone may be between its codes and the Relu before it");
    if (codes.id == 0) return NULL;
    codes = weir_lower_at_least(l, node, codes, weir_quant_zero(&weir_value_type(l->to, codes)->quant, 0));
    return codes.id == 0 ? NULL : weir_expression_codes(weir_graph_arena(l->to), codes);
}

/* Constant input `index` by channel of x's codes; NULL after a reported error. */
static const weir_array *parameter(weir_lowering *l, weir_node node, const weir_expression *x, size_t index) {
    const weir_array *given = weir_lower_input_constant(l, node, index);
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    if (given == NULL) {
        weir_lower_fail(l, node, "input %zu must be a constant", index);
        return NULL;
    }
    const weir_array *numbers = weir_lower_by_channel(l, node, weir_expression_codes_of(x), given, shape);
    for (size_t c = 0; numbers != NULL && c < numbers->count; c++) {
        const double v = weir_array_get(numbers, c);
        if (v == floor(v) && fabs(v) < MOST) continue;
        weir_lower_fail(l, node, "input %zu has %g, expected a whole number", index, v);
        return NULL;
    }
    return numbers;
}

/* Factors and addends of inputs 1 and 2, where the node has them, times the factor that f has, and its addend added.
 * NULL after a reported error, else the codes that they are by channel of. */
static const weir_expression *read_parameters(weir_lowering *l, weir_node node, fraction *f) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const weir_expression *x = weir_lower_as_codes(l, node, 0) ? weir_lower_input(l, node, 0) : NULL;
    for (size_t i = 1; x != NULL && i < weir_node_input_count(l->from, node); i++) {
        const weir_array *given = weir_lower_input_constant(l, node, i);
        if (given != NULL) x = weir_lower_spread(l, node, x, given, shape);
    }
    const weir_array *number[2] = {NULL, NULL};
    uint32_t count = 1;
    for (size_t i = 0; x != NULL && i + 1 < weir_node_input_count(l->from, node); i++) {
        number[i] = parameter(l, node, x, i + 1);
        if (number[i] == NULL) return NULL;
        if (number[i]->count > count) count = (uint32_t)number[i]->count;
    }
    if (x == NULL) return NULL;
    double *factor = spread(l, f->factor, 1, count), *addend = spread(l, f->addend, 1, count);
    for (uint32_t c = 0; c < count; c++) {
        if (number[1] != NULL) addend[c] += factor[c] * weir_array_get(number[1], number[1]->count == 1 ? 0 : c);
        if (number[0] != NULL) factor[c] *= weir_array_get(number[0], number[0]->count == 1 ? 0 : c);
    }
    f->factor = factor;
    f->addend = addend;
    f->count = count;
    return without_relu(l, node, x, f);
}

/* Numbers that the host has computed as codes. */
static bool encode(weir_lowering *l, weir_node node, const fraction *f) {
    const weir_quant quant = weir_scaled_quant(l, 1, f->low, f->high);
    return weir_lower_on_host(l, node, NULL) &&
           weir_lower_quantize(l, node, weir_lower_expression(l, weir_node_output(l->from, node, 0)), &quant);
}

/* A function of codes with the quotient behind it. */
static bool tabulate(weir_lowering *l, weir_node node, const fraction *f) {
    const weir_quant quant = weir_scaled_quant(l, 1, f->low, f->high);
    return weir_lower_function(l, node) && weir_lower_tabulate(l, node, weir_node_output(l->from, node, 0), &quant);
}

/* The node as the quotient that f is, of what inputs 1 and 2 make of input 0. Results that nothing clips to few codes
 * stay functions, which what is behind them may clip. */
static bool lower_fraction(weir_lowering *l, weir_node node, fraction *f) {
    const weir_expression_kind kind = weir_expression_kind_of(weir_lower_input(l, node, 0));
    const bool few = f->high - f->low < MOST_CODES;
    if (kind == WEIR_EXPRESSION_REAL && few) return encode(l, node, f);
    if (kind == WEIR_EXPRESSION_FUNCTION) return few ? tabulate(l, node, f) : weir_lower_function(l, node);
    const weir_expression *x = read_parameters(l, node, f);
    return x != NULL && add_fraction(l, node, x, f);
}

static int64_t number(const weir_lowering *l, weir_node node, const char *name) {
    return weir_node_int(l->from, node, name, 0);
}

bool weir_lower_requant_shift(weir_lowering *l, weir_node node) {
    const int64_t own = number(l, node, "n_levels"), levels = own > 0 ? own : number(l, node, "n_levels_out"),
                  least = number(l, node, "signed") != 0 ? -(levels / 2) : 0, divisor = number(l, node, "div");
    double factor = 1, addend = (double)(divisor / 2);
    fraction f = {1, &factor, &addend, divisor, least, least + levels - 1};
    if (least < 0) f.high = levels / 2 - 1;
    return lower_fraction(l, node, &f);
}

bool weir_lower_no_norm(weir_lowering *l, weir_node node) {
    const int64_t levels = number(l, node, "n_levels");
    double factor = (double)number(l, node, "mul"), addend = 0;
    fraction f = {1, &factor, &addend, number(l, node, "D"), -(levels / 2), levels / 2 - 1};
    return lower_fraction(l, node, &f);
}

bool weir_lower_divide_by_attribute(weir_lowering *l, weir_node node) {
    const int64_t eta = number(l, node, "eta");
    double factor = (double)(number(l, node, "Delta") * eta), addend = 0;
    fraction f = {1, &factor, &addend, eta * number(l, node, "y") + number(l, node, "eps"), -WIDEST, WIDEST};
    return lower_fraction(l, node, &f);
}

/* Half up; by a constant. */
bool weir_lower_integer_div(weir_lowering *l, weir_node node) {
    const weir_array *divisor = weir_lower_input_constant(l, node, 1);
    if (divisor == NULL) {
        weir_lower_fail(l, node, "its divisor is computed: hardware divides by a constant");
        weir_note("divide by a constant (TrueIntegerDiv), or multiply by a function of the divisor's codes");
        return false;
    }
    for (size_t i = 1; i < divisor->count; i++)
        if (weir_array_get(divisor, i) != weir_array_get(divisor, 0))
            return weir_lower_fail(l, node, "its divisor must be one number");
    const double by = weir_array_get(divisor, 0), eta = (double)number(l, node, "eta");
    const double whole = eta * by + (double)number(l, node, "eps");
    if (!(whole >= 1 && whole < (double)WIDEST && whole == floor(whole)))
        return weir_lower_fail(l, node, "its divisor is %g, expected a whole number of 1 or more", whole);
    double factor = 2 * (double)number(l, node, "Delta") * eta, addend = whole;
    fraction f = {1, &factor, &addend, 2 * (int64_t)whole, -WIDEST, WIDEST};
    const weir_expression *x = weir_lower_as_codes(l, node, 0) ? weir_lower_input(l, node, 0) : NULL;
    if (x != NULL) x = without_relu(l, node, x, &f);
    return x != NULL && add_fraction(l, node, x, &f);
}

/* Half up. */
bool weir_lower_integer_mean(weir_lowering *l, weir_node node) {
    double factor = 2, addend = 1;
    fraction f = {1, &factor, &addend, 2, -WIDEST, WIDEST};
    return weir_lower_reduce_mean(l, node, NULL) &&
           add_fraction(l, node, weir_lower_expression(l, weir_node_output(l->from, node, 0)), &f);
}

/* --- normalizations of rows --- */

/* Gains of the innermost axis, one or one an element; NULL after a reported error. */
static const weir_array *read_gains(weir_lowering *l, weir_node node, weir_value codes) {
    const weir_shape *shape = &weir_value_type(l->to, codes)->shape;
    const weir_array *given = parameter(l, node, weir_expression_codes(weir_graph_arena(l->to), codes), 1);
    weir_array *gain = NULL;
    if (given == NULL) return NULL;
    gain = weir_array_in(weir_graph_arena(l->to), WEIR_INT64,
                         &(weir_shape){1, {given->count == 1 ? 1 : shape->dim[shape->rank - 1]}});
    for (size_t i = 0; i < gain->count; i++) weir_array_set_int(gain, i, (int64_t)weir_array_get(given, i));
    return gain;
}

/* (x - mean) * gain / deviation, toward 0; then, with its offset, divided by D, rounded down. */
static bool normalize(weir_lowering *l, weir_node node, bool centred) {
    weir_value codes = weir_lower_one_scale(l, node, weir_lower_read_codes(l, node, 0, NULL));
    if (codes.id != 0 && weir_quant_zero(&weir_value_type(l->to, codes)->quant, 0) != 0)
        codes = weir_lower_less_zeros(l, node, codes);
    if (codes.id == 0) return false;
    if (weir_quant_scale(&weir_value_type(l->to, codes)->quant, 0) != 1)
        return weir_lower_fail(l, node, "its input has fractions, expected whole numbers");
    const weir_array *gain = read_gains(l, node, codes);
    if (gain == NULL) return false;
    const weir_value inputs[2] = {codes, weir_scaled_constant(l, node, "_gain", gain)};
    weir_type type = {
        .dtype = WEIR_INT64, .shape = weir_value_type(l->to, codes)->shape, .quant = weir_scaled_quant(l, 1, -1, 0)};
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_NORMALIZE_INTEGER, "_quotient", inputs, 2, &type);
    weir_node_set_int(l->to, made, "centred", centred);
    if (!weir_infer_node(l->to, made)) return false;
    const weir_expression *x = weir_expression_codes(weir_graph_arena(l->to), weir_node_output(l->to, made, 0));
    const weir_array *offset = centred ? parameter(l, node, x, 2) : NULL;
    if (centred && offset == NULL) return false;
    const uint32_t count = offset == NULL ? 1 : (uint32_t)offset->count;
    double factor = 1, none = 0;
    const int64_t levels = number(l, node, "n_levels");
    fraction f = {
        count,         spread(l, &factor, 1, count), spread(l, &none, 1, count), number(l, node, "D"), -(levels / 2),
        levels / 2 - 1};
    for (uint32_t c = 0; offset != NULL && c < count; c++) f.addend[c] = weir_array_get(offset, c);
    return add_fraction(l, node, x, &f);
}

bool weir_lower_integer_layer_norm(weir_lowering *l, weir_node node) { return normalize(l, node, true); }

bool weir_lower_integer_rms_norm(weir_lowering *l, weir_node node) { return normalize(l, node, false); }

/* --- RequantShift written out, as NEMO exports it: Cast to int64, Mul, Div, Cast to float32, Clip --- */

/* The constant whole number of an operand of int64, and the other operand; false: there is none. */
static bool read_whole(const weir_graph *graph, weir_node node, size_t data, double *number, weir_value *other) {
    const weir_array *constant = weir_value_constant(graph, weir_node_input(graph, node, 1 - data));
    *other = weir_node_input(graph, node, data);
    if (constant == NULL || constant->count != 1 || constant->dtype != WEIR_INT64) return false;
    *number = weir_array_get(constant, 0);
    return true;
}

/* The real numbers of which the value, an integer quotient, is factor * x / divisor; none: it is no such. */
static weir_value quotient_of(const weir_graph *graph, weir_value value, double *factor, double *divisor) {
    weir_node maker = weir_value_producer(graph, value);
    weir_value x;
    if (maker.id == 0 || weir_trait_kind(graph, maker) != WEIR_OP_DIV || !read_whole(graph, maker, 0, divisor, &x) ||
        *divisor < 1)
        return WEIR_NO_VALUE;
    *factor = 1;
    for (maker = weir_value_producer(graph, x); maker.id != 0 && weir_trait_kind(graph, maker) == WEIR_OP_MUL;
         maker = weir_value_producer(graph, x)) {
        double by;
        if (!read_whole(graph, maker, 0, &by, &x) && !read_whole(graph, maker, 1, &by, &x)) return WEIR_NO_VALUE;
        *factor *= by;
    }
    if (maker.id == 0 || weir_trait_kind(graph, maker) != WEIR_OP_CAST) return WEIR_NO_VALUE;
    x = weir_node_input(graph, maker, 0);
    return weir_value_type(graph, x)->dtype == WEIR_FLOAT32 ? x : WEIR_NO_VALUE;
}

bool weir_lower_is_quotient(const weir_graph *graph, weir_node node) {
    double factor, divisor;
    return quotient_of(graph, weir_node_output(graph, node, 0), &factor, &divisor).id != 0;
}

/* The quotient that the Clip bounds to codes of 0 and more, of which it is the floor. False: it is no such. */
static weir_value read_clipped(weir_lowering *l, weir_node node, fraction *f) {
    const weir_node cast = weir_value_producer(l->from, weir_node_input(l->from, node, 0));
    const weir_array *low = weir_lower_clip_bound(l, node, 1), *high = weir_lower_clip_bound(l, node, 2);
    if (cast.id == 0 || weir_trait_kind(l->from, cast) != WEIR_OP_CAST || low == NULL || high == NULL)
        return WEIR_NO_VALUE;
    const double ends[2] = {weir_array_get(low, 0), weir_array_get(high, 0)};
    double divisor;
    if (!(ends[0] >= 0 && ends[0] == floor(ends[0]) && ends[1] == floor(ends[1]) && ends[0] < ends[1] &&
          ends[1] < (double)WIDEST))
        return WEIR_NO_VALUE;
    const weir_value x = quotient_of(l->from, weir_node_input(l->from, cast, 0), &f->factor[0], &divisor);
    if (x.id == 0 || !(divisor < (double)WIDEST && fabs(f->factor[0]) < MOST)) return WEIR_NO_VALUE;
    f->divisor = (int64_t)divisor;
    f->low = (int64_t)ends[0];
    f->high = (int64_t)ends[1];
    return x;
}

bool weir_lower_clipped_quotient(weir_lowering *l, weir_node node) {
    double factor, addend = 0;
    fraction f = {.count = 1, .factor = &factor, .addend = &addend};
    const weir_value value = read_clipped(l, node, &f);
    const weir_expression *x = value.id == 0 ? NULL : weir_lower_expression(l, value);
    if (weir_expression_source(x) != WEIR_EXPRESSION_CODES || weir_expression_kind_of(x) == WEIR_EXPRESSION_RELU)
        return false;
    weir_diag_log *log = weir_diag_capture();
    const bool fine = add_fraction(l, node, x, &f);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return fine;
}
