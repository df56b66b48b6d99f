#include "exec/normalize.h"

#include <assert.h>
#include <math.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

weir_normalize weir_normalize_of(const weir_graph *graph, weir_node node) {
    assert(weir_node_op(graph, node) == WEIR_OP_NORMALIZE_CODES);
    const weir_shape *x = &weir_value_type(graph, weir_node_input(graph, node, 0))->shape;
    const weir_array *root = weir_value_constant(graph, weir_node_input(graph, node, 1));
    assert(x->rank > 0 && root != NULL && root->dtype == WEIR_INT64);
    weir_normalize n = {.length = x->dim[x->rank - 1],
                        .zero = weir_node_int(graph, node, "zero", 0),
                        .epsilon = weir_node_int(graph, node, "epsilon", 0),
                        .fraction = (int)weir_node_int(graph, node, "fraction", 0),
                        .bits = (int)weir_node_int(graph, node, "bits", 0),
                        .shift = (int)weir_node_int(graph, node, "shift", 0),
                        .point = (int)weir_node_int(graph, node, "point", 0),
                        .root = (const int64_t *)root->data};
    weir_normalize_mode_of(weir_node_string(graph, node, "mode", "mean"), &n.mode);
    return n;
}

/* --- the root --- */

/* constant / sqrt by the parabola through three points of each interval (those of Chebyshev), in units of P. */
static void fit(double constant, double from, double width, double c[3]) {
    const double at[3] = {-sqrt(3.0) / 4, 0, sqrt(3.0) / 4};
    double value[3];
    for (int i = 0; i < 3; i++) value[i] = constant / sqrt(from + width * (0.5 + at[i]));
    const double first = (value[1] - value[0]) / (at[1] - at[0]), second = (value[2] - value[1]) / (at[2] - at[1]);
    c[2] = (second - first) / (at[2] - at[0]);
    c[1] = first - c[2] * (at[0] + at[1]);
    c[0] = value[1];
}

void weir_normalize_table(double constant, int *exponent, int64_t root[3 * WEIR_NORMALIZE_ROWS]) {
    assert(constant > 0 && isfinite(constant));
    int own;
    double mantissa = ldexp(frexp(constant, &own), WEIR_NORMALIZE_ROOT_BITS);
    if (mantissa > ldexp(1, WEIR_NORMALIZE_ROOT_BITS) - 64) { /* P's error has room */
        mantissa /= 2;
        own++;
    }
    *exponent = WEIR_NORMALIZE_ROOT_BITS - own;
    const double half = ldexp(0.5, -WEIR_NORMALIZE_REST_BITS); /* d stands for the middle of what has these bits */
    for (int i = 0; i < WEIR_NORMALIZE_ROWS; i++) {
        const int parity = i >> WEIR_NORMALIZE_INDEX_BITS, place = i & ((1 << WEIR_NORMALIZE_INDEX_BITS) - 1);
        const double width = ldexp(parity + 1, -WEIR_NORMALIZE_INDEX_BITS);
        double c[3];
        fit(mantissa, (parity + 1) + width * place, width, c);
        /* Half a unit for the floor of the product. */
        root[i] = (int64_t)nearbyint(c[0] + c[1] * half - 0.5);
        root[WEIR_NORMALIZE_ROWS + i] = (int64_t)nearbyint(-c[1] - 2 * c[2] * half - 0.5);
        root[2 * WEIR_NORMALIZE_ROWS + i] = (int64_t)nearbyint(c[2]);
    }
}

int64_t weir_normalize_root(const int64_t *root, int64_t high) {
    enum { TOP = WEIR_NORMALIZE_LEAST_BITS - 1, REST = WEIR_NORMALIZE_REST_BITS };
    assert(high >> (TOP - 1) != 0 && high >> (TOP + 1) == 0);
    const int64_t parity = high >> TOP, below = parity != 0 ? high >> 1 : high; /* the leading bit at TOP - 1 */
    const int64_t index =
        parity << WEIR_NORMALIZE_INDEX_BITS | (below >> REST & ((1 << WEIR_NORMALIZE_INDEX_BITS) - 1));
    const int64_t d = (below & ((1 << REST) - 1)) - (1 << (REST - 1));
    const int64_t c = root[index], b = root[WEIR_NORMALIZE_ROWS + index], a = root[2 * WEIR_NORMALIZE_ROWS + index];
    return c - (((b - (a * d >> REST)) * d) >> REST);
}

/* --- V --- */

static int bits_of(unsigned_wide number) {
    int bits = 0;
    for (; number != 0; number >>= 1) bits++;
    return bits;
}

double weir_normalize_least(const weir_normalize *n) {
    const double least = n->mode == WEIR_NORMALIZE_MEAN && n->length > 2 ? (double)n->length - 1 : 1;
    return ldexp(least, n->fraction) + (double)n->epsilon;
}

/* --- a row --- */

typedef struct sums {
    wide sum, squares, magnitudes;
} sums;

static unsigned_wide argument_of(const weir_normalize *n, const sums *s) {
    const wide length = n->length;
    const wide d = n->mode == WEIR_NORMALIZE_MEAN     ? length * s->squares - s->sum * s->sum
                   : n->mode == WEIR_NORMALIZE_SQUARE ? s->squares
                                                      : s->magnitudes * s->magnitudes;
    assert(d >= 0);
    unsigned_wide v = (unsigned_wide)d << n->fraction;
    v += (uint64_t)n->epsilon;
    return v;
}

/* P 2^n. */
static wide factor_of(const weir_normalize *n, const sums *s) {
    unsigned_wide v = argument_of(n, s);
    assert(bits_of(v) <= n->bits && n->bits <= WEIR_NORMALIZE_MOST_BITS);
    if (v == 0) return 0;
    int places = 0;
    for (; v >> (n->bits - 2) == 0; v <<= 2) places++;
    return (wide)weir_normalize_root(n->root, (int64_t)(v >> (n->bits - WEIR_NORMALIZE_LEAST_BITS))) << places;
}

static int64_t half_even(wide y, int shift) {
    const wide whole = y >> shift, rest = y - (whole * ((wide)1 << shift)),
               half = shift > 0 ? (wide)1 << (shift - 1) : 0;
    const bool up = shift > 0 && (rest > half || (rest == half && (whole & 1) != 0));
    const wide code = whole + up;
    return code > INT64_MAX ? INT64_MAX : code < INT64_MIN ? INT64_MIN : (int64_t)code;
}

void weir_normalize_row(const weir_normalize *n, const weir_normalize_parameters *p, const weir_array *x, weir_array *y,
                        size_t first) {
    assert(first + (size_t)n->length <= x->count && x->count == y->count && n->point <= n->shift);
    sums s = {0, 0, 0};
    for (int64_t i = 0; i < n->length; i++) {
        const wide code = weir_array_get_int(x, first + (size_t)i) - n->zero;
        s.sum += code;
        s.squares += code * code;
        s.magnitudes += code < 0 ? -code : code;
    }
    const wide factor = factor_of(n, &s);
    for (int64_t i = 0; i < n->length; i++) {
        const size_t at = first + (size_t)i, parameter = at / p->hold;
        const wide code = weir_array_get_int(x, at) - n->zero;
        const wide a = n->mode == WEIR_NORMALIZE_MEAN ? n->length * code - s.sum : code;
        const wide gain = weir_array_get_int(p->gain, parameter % p->gain->count);
        const wide offset = weir_array_get_int(p->offset, parameter % p->offset->count);
        const int64_t result = half_even(a * factor * gain + offset * ((wide)1 << (n->shift - n->point)), n->shift);
        weir_array_set_int(y, at, result < p->low ? p->low : result > p->high ? p->high : result);
    }
}
