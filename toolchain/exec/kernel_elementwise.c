/* Elementwise operators on any number type. Floating-point results are computed in float64 and rounded once: for sums,
 * products, quotients and square roots that gives exactly the result of the narrower arithmetic (its precision is less
 * than half). Integers are taken modulo 2^bits; division by zero gives 0. */
#include "exec/kernel_common.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "exec/elementary.h"
#include "exec/trigonometry.h"

/* ---- one input ---- */

/* What an operator does to a real number and, when it takes integers, to one widened to 64 bits. Parameters are the
 * node's attributes. */
typedef struct unary {
    double (*real)(double x, double a, double b);
    float (*narrow)(float x, float a, float b); /* of float32; NULL: `real`, rounded once */
    int64_t (*whole)(int64_t x);
    const char *name_a, *name_b;
    double a, b; /* when the attribute is absent */
} unary;

static void apply_unary(const weir_graph *graph, weir_node node, const weir_array *x, weir_array *y,
                        const unary *function) {
    assert(x->count == y->count);
    const double a = function->name_a == NULL ? 0 : weir_node_float(graph, node, function->name_a, function->a);
    const double b = function->name_b == NULL ? 0 : weir_node_float(graph, node, function->name_b, function->b);
    if (x->dtype == WEIR_FLOAT32) {
        const float *from = x->data;
        float *to = y->data;
        for (size_t i = 0; i < y->count && function->narrow != NULL; i++)
            to[i] = function->narrow(from[i], (float)a, (float)b);
        for (size_t i = 0; i < y->count && function->narrow == NULL; i++)
            to[i] = (float)function->real((double)from[i], a, b);
    } else if (weir_dtype_is_float(x->dtype)) {
        for (size_t i = 0; i < y->count; i++) weir_array_set(y, i, function->real(weir_array_get(x, i), a, b));
    } else {
        for (size_t i = 0; i < y->count; i++)
            weir_array_set_int(y, i, function->whole((int64_t)weir_kernel_bits(x, i)));
    }
}

#define UNARY_KERNEL(id, ...)                                                                                          \
    void weir_kernel_##id(const weir_graph *graph, weir_node node, const weir_array *const *inputs,                    \
                          weir_array *const *outputs) {                                                                \
        static const unary function = {.real = real_##id, __VA_ARGS__};                                                \
        apply_unary(graph, node, inputs[0], outputs[0], &function);                                                    \
    }
#define UNARY(id, expression, ...)                                                                                     \
    static double real_##id(double x, double a, double b) {                                                            \
        (void)a;                                                                                                       \
        (void)b;                                                                                                       \
        return expression;                                                                                             \
    }                                                                                                                  \
    UNARY_KERNEL(id, __VA_ARGS__)

static int64_t whole_negative(int64_t x) { return (int64_t)(0 - (uint64_t)x); }
static int64_t whole_absolute(int64_t x) { return x < 0 ? whole_negative(x) : x; }

UNARY(NEG, -x, .whole = whole_negative)
UNARY(EXP, weir_elementary_exp(x), .whole = NULL)
UNARY(SQRT, sqrt(x), .whole = NULL)
UNARY(SIGMOID, 1 / (1 + weir_elementary_exp(-x)), .whole = NULL)
UNARY(TANH, weir_elementary_tanh(x), .whole = NULL)
UNARY(LEAKY_RELU, x < 0 ? a * x : x, .name_a = "alpha", .a = 0.00999999977648258209228515625)
UNARY(RECIPROCAL, 1 / x, .whole = NULL)
UNARY(LOG, weir_elementary_log(x), .whole = NULL)
UNARY(ERF, weir_elementary_erf(x), .whole = NULL)
UNARY(FLOOR, floor(x), .whole = NULL)
UNARY(CEIL, ceil(x), .whole = NULL)
UNARY(ROUND, weir_round(x, WEIR_ROUND_HALF_EVEN), .whole = NULL)
UNARY(ELU, x < 0 ? a * weir_elementary_expm1(x) : x, .name_a = "alpha", .a = 1)
UNARY(SELU, b *(x > 0 ? x : a * weir_elementary_expm1(x)), .name_a = "alpha", .a = 1.67326319217681884765625,
      .name_b = "gamma", .b = 1.05070102214813232421875)
UNARY(SOFTPLUS, fmax(x, 0) + weir_elementary_log1p(weir_elementary_exp(-fabs(x))), .whole = NULL)
UNARY(CELU, x < 0 ? a * weir_elementary_expm1(x / a) : x, .name_a = "alpha", .a = 1)
UNARY(THRESHOLDED_RELU, x > a ? x : 0, .name_a = "alpha", .a = 1)
UNARY(SIN, weir_trigonometry_sin(x), .whole = NULL)
UNARY(COS, weir_trigonometry_cos(x), .whole = NULL)
UNARY(TAN, weir_trigonometry_tan(x), .whole = NULL)
UNARY(ASIN, weir_trigonometry_asin(x), .whole = NULL)
UNARY(ACOS, weir_trigonometry_acos(x), .whole = NULL)
UNARY(ATAN, weir_trigonometry_atan(x), .whole = NULL)
UNARY(SINH, weir_elementary_sinh(x), .whole = NULL)
UNARY(COSH, weir_elementary_cosh(x), .whole = NULL)
UNARY(ASINH, weir_elementary_asinh(x), .whole = NULL)
UNARY(ACOSH, weir_elementary_acosh(x), .whole = NULL)
UNARY(ATANH, weir_elementary_atanh(x), .whole = NULL)
UNARY(SHRINK, x<-b ? x + a : x> b ? x - a : 0, .name_a = "bias", .name_b = "lambd", .b = 0.5)

/* Functions that ONNX defines by several operations, each of which rounds to the element type. */
#define UNARY_STEPS(id, expression, ...)                                                                               \
    static double real_##id(double x, double a, double b) {                                                            \
        (void)a;                                                                                                       \
        (void)b;                                                                                                       \
        return expression;                                                                                             \
    }                                                                                                                  \
    static float narrow_##id(float x, float a, float b) {                                                              \
        (void)a;                                                                                                       \
        (void)b;                                                                                                       \
        return expression;                                                                                             \
    }                                                                                                                  \
    UNARY_KERNEL(id, .narrow = narrow_##id, __VA_ARGS__)

#define ABOVE(bound, value) ((value) < (bound) ? (bound) : (value))
#define BELOW(bound, value) ((value) > (bound) ? (bound) : (value))
#define ROUNDED(x, value) _Generic((x), float : (float)(value), default : (value))

UNARY_STEPS(HARD_SIGMOID, ABOVE(0, BELOW(1, a *x + b)), .name_a = "alpha", .a = 0.2, .name_b = "beta", .b = 0.5)
UNARY_STEPS(HARD_SWISH, x *ABOVE(0, BELOW(1, x *ROUNDED(x, 1.0 / 6) + ROUNDED(x, 0.5))), .whole = NULL)
UNARY_STEPS(SOFTSIGN, 1 / (1 + (x < 0 ? -x : x)) * x, .whole = NULL)
UNARY_STEPS(SWISH, x *ROUNDED(x, 1 / (1 + weir_elementary_exp((double)-(a * x)))), .name_a = "alpha", .a = 1)
UNARY_STEPS(MISH, x *ROUNDED(x, weir_elementary_tanh((double)ROUNDED(x, real_SOFTPLUS((double)x, 0, 0)))),
            .whole = NULL)

static double real_absolute(double x, double a, double b) {
    (void)a;
    (void)b;
    return fabs(x);
}

static double real_sign(double x, double a, double b) {
    (void)a;
    (void)b;
    return isnan(x) ? x : (x > 0) - (x < 0);
}

static int64_t whole_sign(int64_t x) { return (x > 0) - (x < 0); }
static int64_t whole_unsigned_sign(int64_t x) { return x != 0; }

void weir_kernel_SIGN(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    static const unary function = {.real = real_sign, .whole = whole_sign};
    static const unary unsigned_function = {.real = real_sign, .whole = whole_unsigned_sign};
    const bool is_unsigned = inputs[0]->dtype == WEIR_UINT64;
    apply_unary(graph, node, inputs[0], outputs[0], is_unsigned ? &unsigned_function : &function);
}

void weir_kernel_IS_NAN(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    (void)graph;
    (void)node;
    for (size_t i = 0; i < outputs[0]->count; i++)
        weir_array_set_int(outputs[0], i, isnan(weir_array_get(inputs[0], i)));
}

void weir_kernel_IS_INF(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const bool below = weir_node_int(graph, node, "detect_negative", 1) != 0;
    const bool above = weir_node_int(graph, node, "detect_positive", 1) != 0;
    for (size_t i = 0; i < outputs[0]->count; i++) {
        const double x = weir_array_get(inputs[0], i);
        weir_array_set_int(outputs[0], i, (below && x == -HUGE_VAL) || (above && x == HUGE_VAL));
    }
}

/* x times the normal distribution function at x: exactly, or by its approximation with a hyperbolic tangent. */
static double real_gelu(double x, double a, double b) {
    (void)a;
    (void)b;
    return x * 0.5 * (1 + weir_elementary_erf(x * sqrt(0.5)));
}

static double real_gelu_tanh(double x, double a, double b) {
    (void)a;
    (void)b;
    return x * 0.5 * (1 + weir_elementary_tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); /* sqrt(2 / pi) */
}

void weir_kernel_GELU(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    static const unary exact = {.real = real_gelu}, approximate = {.real = real_gelu_tanh};
    const bool by_tanh = strcmp(weir_node_string(graph, node, "approximate", "none"), "tanh") == 0;
    apply_unary(graph, node, inputs[0], outputs[0], by_tanh ? &approximate : &exact);
}

/* Unsigned numbers are their own absolute values, also those that widening would make negative. */
void weir_kernel_ABS(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    static const unary function = {.real = real_absolute, .whole = whole_absolute};
    const weir_array *x = inputs[0];
    if (weir_dtype_is_float(x->dtype) || weir_dtype_is_signed(x->dtype))
        apply_unary(graph, node, x, outputs[0], &function);
    else memcpy(outputs[0]->data, x->data, x->count * weir_dtype_size(x->dtype));
}

/* NaN stays NaN, as in numpy and ONNX Runtime. */
void weir_kernel_RELU(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    assert(x->dtype == y->dtype && x->count == y->count);
    if (x->dtype == WEIR_FLOAT32) {
        const float *from = x->data;
        float *to = y->data;
        for (size_t i = 0; i < y->count; i++) to[i] = from[i] < 0 ? 0 : from[i];
        return;
    }
    memcpy(y->data, x->data, x->count * weir_dtype_size(x->dtype));
    for (size_t i = 0; i < y->count; i++)
        if (weir_array_get(x, i) < 0) weir_array_set_int(y, i, 0);
}

/* ---- two inputs ---- */

/* On integers: their bits widened to 64, and whether they are signed. */
typedef struct binary {
    double (*real)(double a, double b);
    uint64_t (*whole)(uint64_t a, uint64_t b, bool is_signed);
} binary;

static void apply_binary(const weir_array *a, const weir_array *b, weir_array *y, const binary *function) {
    assert(a->dtype == b->dtype);
    const weir_broadcast from_a = weir_broadcast_of(&a->shape, &y->shape);
    const weir_broadcast from_b = weir_broadcast_of(&b->shape, &y->shape);
    const bool is_float = weir_dtype_is_float(a->dtype), is_signed = weir_dtype_is_signed(a->dtype);
    const bool fast = a->dtype == WEIR_FLOAT32 && y->dtype == WEIR_FLOAT32;
    for (size_t i = 0; i < y->count; i++) {
        const size_t ia = weir_broadcast_index(&from_a, i), ib = weir_broadcast_index(&from_b, i);
        if (fast) {
            const double first = (double)((const float *)a->data)[ia], second = (double)((const float *)b->data)[ib];
            ((float *)y->data)[i] = (float)function->real(first, second);
        } else if (is_float) {
            weir_array_set(y, i, function->real(weir_array_get(a, ia), weir_array_get(b, ib)));
        } else {
            weir_array_set_int(y, i,
                               (int64_t)function->whole(weir_kernel_bits(a, ia), weir_kernel_bits(b, ib), is_signed));
        }
    }
}

static uint64_t divided(uint64_t a, uint64_t b, bool is_signed) {
    if (b == 0) return 0;
    if (!is_signed) return a / b;
    return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b); /* the most negative number by -1 overflows */
}

#define BINARY_KERNEL(id, ...)                                                                                         \
    void weir_kernel_##id(const weir_graph *graph, weir_node node, const weir_array *const *inputs,                    \
                          weir_array *const *outputs) {                                                                \
        static const binary function = {.whole = whole_##id, __VA_ARGS__};                                             \
        (void)graph;                                                                                                   \
        (void)node;                                                                                                    \
        apply_binary(inputs[0], inputs[1], outputs[0], &function);                                                     \
    }
#define WHOLE(id, expression)                                                                                          \
    static uint64_t whole_##id(uint64_t a, uint64_t b, bool is_signed) {                                               \
        (void)is_signed;                                                                                               \
        return expression;                                                                                             \
    }
#define BINARY(id, real_expression, whole_expression)                                                                  \
    static double real_##id(double a, double b) { return real_expression; }                                            \
    WHOLE(id, whole_expression)                                                                                        \
    BINARY_KERNEL(id, .real = real_##id)
/* Of integers alone. */
#define BINARY_WHOLE(id, expression)                                                                                   \
    WHOLE(id, expression)                                                                                              \
    BINARY_KERNEL(id, .real = NULL)

BINARY(ADD, a + b, a + b)
BINARY(SUB, a - b, a - b)
BINARY(MUL, a *b, a *b)
BINARY(DIV, a / b, divided(a, b, is_signed))
BINARY(PRELU, a < 0 ? a * b : a, is_signed && (int64_t)a < 0 ? a * b : a)

BINARY(EQUAL, a == b, a == b)
BINARY(GREATER, a > b, is_signed ? (int64_t)a > (int64_t)b : a > b)
BINARY(LESS, a < b, is_signed ? (int64_t)a < (int64_t)b : a < b)
BINARY(GREATER_OR_EQUAL, a >= b, is_signed ? (int64_t)a >= (int64_t)b : a >= b)
BINARY(LESS_OR_EQUAL, a <= b, is_signed ? (int64_t)a <= (int64_t)b : a <= b)
BINARY(AND, a != 0 && b != 0, (a & b) != 0)
BINARY(OR, a != 0 || b != 0, (a | b) != 0)
BINARY(XOR, (a != 0) != (b != 0), a != b)

BINARY_WHOLE(BITWISE_AND, a &b)
BINARY_WHOLE(BITWISE_OR, a | b)
BINARY_WHOLE(BITWISE_XOR, a ^ b)

void weir_kernel_NOT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    (void)graph;
    (void)node;
    for (size_t i = 0; i < outputs[0]->count; i++)
        weir_array_set_int(outputs[0], i, weir_array_get_int(inputs[0], i) == 0);
}

void weir_kernel_BITWISE_NOT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    (void)graph;
    (void)node;
    for (size_t i = 0; i < outputs[0]->count; i++)
        weir_array_set_int(outputs[0], i, (int64_t)~weir_kernel_bits(inputs[0], i));
}

/* The remainder with the sign of a, as C has it. By 0 it is 0. */
static uint64_t truncated_remainder(uint64_t a, uint64_t b, bool is_signed) {
    if (b == 0 || (is_signed && b == UINT64_MAX)) return 0; /* the most negative number by -1 overflows */
    return is_signed ? (uint64_t)((int64_t)a % (int64_t)b) : a % b;
}

/* The remainder with the sign of b. */
static uint64_t floored_remainder(uint64_t a, uint64_t b, bool is_signed) {
    const uint64_t rest = truncated_remainder(a, b, is_signed);
    return is_signed && rest != 0 && ((int64_t)rest < 0) != ((int64_t)b < 0) ? rest + b : rest;
}

static double floored_fmod(double a, double b) {
    const double rest = fmod(a, b);
    if (rest == 0) return copysign(rest, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}

void weir_kernel_MOD(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    static const binary as_c = {fmod, truncated_remainder}, floored = {floored_fmod, floored_remainder};
    const bool fmod_wanted = weir_node_int(graph, node, "fmod", 0) != 0;
    apply_binary(inputs[0], inputs[1], outputs[0], fmod_wanted ? &as_c : &floored);
}

static uint64_t shifted_left(uint64_t a, uint64_t b, bool is_signed) {
    (void)is_signed;
    return b > 63 ? 0 : a << b;
}

/* The sign comes in from above. */
static uint64_t shifted_right(uint64_t a, uint64_t b, bool is_signed) {
    const bool negative = is_signed && (int64_t)a < 0;
    const uint64_t size = negative ? ~a : a, shifted = b > 63 ? 0 : size >> b;
    return negative ? ~shifted : shifted;
}

void weir_kernel_BIT_SHIFT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                           weir_array *const *outputs) {
    const bool left = strcmp(weir_node_string(graph, node, "direction", ""), "LEFT") == 0;
    const binary function = {.whole = left ? shifted_left : shifted_right};
    apply_binary(inputs[0], inputs[1], outputs[0], &function);
}

/* a to the power of b modulo 2^64. */
static uint64_t whole_power(uint64_t a, uint64_t b) {
    uint64_t power = 1;
    for (; b > 0; b >>= 1) {
        if ((b & 1) != 0) power *= a;
        a *= a;
    }
    return power;
}

/* Integers to the power of natural numbers are exact; all else is computed in float64, toward zero for an integer. */
void weir_kernel_POW(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *a = inputs[0], *b = inputs[1];
    weir_array *y = outputs[0];
    const weir_broadcast from_a = weir_broadcast_of(&a->shape, &y->shape);
    const weir_broadcast from_b = weir_broadcast_of(&b->shape, &y->shape);
    const bool whole = !weir_dtype_is_float(a->dtype) && !weir_dtype_is_float(b->dtype);
    for (size_t i = 0; i < y->count; i++) {
        const size_t ia = weir_broadcast_index(&from_a, i), ib = weir_broadcast_index(&from_b, i);
        if (whole && (weir_array_get_int(b, ib) >= 0)) {
            weir_array_set_int(y, i, (int64_t)whole_power(weir_kernel_bits(a, ia), weir_kernel_bits(b, ib)));
        } else {
            weir_array_set(y, i, weir_elementary_power(weir_array_get(a, ia), weir_array_get(b, ib)));
        }
    }
}

void weir_kernel_MASK(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *x = inputs[0], *mask = inputs[1];
    weir_array *y = outputs[0];
    assert(x->count == y->count && mask->count <= y->count);
    const weir_broadcast from = weir_broadcast_of(&mask->shape, &y->shape);
    memcpy(y->data, x->data, x->count * weir_dtype_size(x->dtype));
    for (size_t i = 0; i < y->count; i++)
        if (weir_array_get(mask, weir_broadcast_index(&from, i)) == 0) weir_array_set_int(y, i, 0);
}

/* ---- more inputs ---- */

/* Element `at` of `from` to element i of y; both of one type. */
static void take(weir_array *y, size_t i, const weir_array *from, size_t at) {
    assert(y->dtype == from->dtype && i < y->count && at < from->count);
    const size_t size = weir_dtype_size(y->dtype);
    memcpy((char *)y->data + i * size, (const char *)from->data + at * size, size);
}

static bool is_nan(const weir_array *array, size_t i) {
    return weir_dtype_is_float(array->dtype) && isnan(weir_array_get(array, i));
}

/* The extreme in the direction of `sign`; NaN wins, as in numpy. */
static void extreme(const weir_array *const *inputs, size_t count, weir_array *y, int sign) {
    assert(count > 0 && (sign == 1 || sign == -1));
    for (size_t k = 0; k < count; k++) {
        const weir_broadcast from = weir_broadcast_of(&inputs[k]->shape, &y->shape);
        for (size_t i = 0; i < y->count; i++) {
            const size_t at = weir_broadcast_index(&from, i);
            const bool better = k == 0 || weir_kernel_compare(inputs[k], at, y, i) * sign > 0 || is_nan(inputs[k], at);
            if (better && !(k > 0 && is_nan(y, i))) take(y, i, inputs[k], at);
        }
    }
}

void weir_kernel_MAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    extreme(inputs, weir_node_input_count(graph, node), outputs[0], 1);
}

void weir_kernel_MIN(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                     weir_array *const *outputs) {
    extreme(inputs, weir_node_input_count(graph, node), outputs[0], -1);
}

void weir_kernel_WHERE(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                       weir_array *const *outputs) {
    (void)graph;
    (void)node;
    weir_array *y = outputs[0];
    weir_broadcast from[3];
    for (int k = 0; k < 3; k++) from[k] = weir_broadcast_of(&inputs[k]->shape, &y->shape);
    for (size_t i = 0; i < y->count; i++) {
        const int k = weir_array_get_int(inputs[0], weir_broadcast_index(&from[0], i)) != 0 ? 1 : 2;
        take(y, i, inputs[k], weir_broadcast_index(&from[k], i));
    }
}

/* To floats of at most 8 bits: what is beyond the largest one is that, inf or NaN. */
static void cast_small(const weir_graph *graph, weir_node node, const weir_array *x, weir_array *y) {
    const bool saturates = weir_node_int(graph, node, "saturate", 1) != 0;
    const char *round = weir_node_string(graph, node, "round_mode", "up");
    const weir_small_power power = strcmp(round, "up") == 0     ? WEIR_SMALL_POWER_UP
                                   : strcmp(round, "down") == 0 ? WEIR_SMALL_POWER_DOWN
                                                                : WEIR_SMALL_POWER_NEAREST;
    const weir_small_float *format = weir_dtype_small_float(y->dtype);
    for (size_t i = 0; i < y->count; i++) {
        const double v = weir_array_get(x, i);
        ((uint8_t *)y->data)[i] = format != NULL ? weir_small_float_encode(format, v, saturates)
                                                 : weir_small_float_encode_power((float)v, saturates, power);
    }
}

/* Real numbers become integers toward zero, saturating; integers become narrower ones modulo 2^bits. */
void weir_kernel_CAST(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    weir_array *y = outputs[0];
    assert(x->count == y->count);
    if (weir_dtype_is_small_float(y->dtype)) {
        cast_small(graph, node, x, y);
        return;
    }
    const bool real = weir_dtype_is_float(x->dtype) || (x->dtype == WEIR_UINT64 && weir_dtype_is_float(y->dtype));
    for (size_t i = 0; i < y->count; i++) {
        if (real) weir_array_set(y, i, weir_array_get(x, i));
        else weir_array_set_int(y, i, (int64_t)weir_kernel_bits(x, i));
    }
}

/* NaN is on no side of a bound. */
static void bound_float32(float *y, size_t count, float bound, int side) {
    for (size_t i = 0; side == 0 && i < count; i++) y[i] = y[i] < bound ? bound : y[i];
    for (size_t i = 0; side == 1 && i < count; i++) y[i] = y[i] > bound ? bound : y[i];
}

/* Bounds that are left out do not bound; where they cross, the upper one wins. */
void weir_kernel_CLIP(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                      weir_array *const *outputs) {
    (void)graph;
    (void)node;
    const weir_array *x = inputs[0], *low = inputs[1], *high = inputs[2];
    weir_array *y = outputs[0];
    assert(x->dtype == y->dtype && x->count == y->count);
    memcpy(y->data, x->data, x->count * weir_dtype_size(x->dtype));
    for (int side = 0; side < 2; side++) {
        const weir_array *bound = side == 0 ? low : high;
        if (bound == NULL) continue;
        if (y->dtype == WEIR_FLOAT32) bound_float32(y->data, y->count, ((const float *)bound->data)[0], side);
        for (size_t i = 0; y->dtype != WEIR_FLOAT32 && i < y->count; i++) {
            const int order = weir_kernel_compare(y, i, bound, 0);
            if (side == 0 ? order < 0 : order > 0) take(y, i, bound, 0);
        }
    }
}

static float number_of(const weir_attribute *numbers, size_t i, float otherwise) {
    assert(numbers == NULL || (numbers->kind == WEIR_ATTRIBUTE_FLOATS && numbers->count > 0));
    return numbers == NULL ? otherwise : (float)numbers->as.floats[weir_last(i, numbers->count)];
}

void weir_kernel_SCALER(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const weir_attribute *offset = weir_node_attribute(graph, node, "offset");
    const weir_attribute *scale = weir_node_attribute(graph, node, "scale");
    for (size_t i = 0; i < inputs[0]->count; i++) {
        const float centered = (float)weir_array_get(inputs[0], i) - number_of(offset, i, 0);
        weir_array_set(outputs[0], i, (double)(centered * number_of(scale, i, 1)));
    }
}
