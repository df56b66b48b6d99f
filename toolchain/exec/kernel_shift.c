/* RequantShift's domain (README.md): exact arithmetic of real numbers that are whole. */
#include "exec/kernel_common.h"

#include <assert.h>
#include <math.h>

#include "exec/softmax.h"

/* Far beyond the whole numbers of float32, and so that differences of two are numbers of 64 bits. */
static const double MOST = 0x1p61;

static int64_t whole(const weir_array *array, size_t i) {
    return (int64_t)fmax(-MOST, fmin(MOST, floor(weir_array_get(array, i))));
}

/* Products and sums stop at the ends of what 64 bits hold. */
static int64_t times(int64_t a, int64_t b) {
    int64_t product;
    if (!__builtin_mul_overflow(a, b, &product)) return product;
    return (a < 0) == (b < 0) ? INT64_MAX / 2 : INT64_MIN / 2;
}

static int64_t plus(int64_t a, int64_t b) {
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return a > 0 ? INT64_MAX / 2 : INT64_MIN / 2;
}

static int64_t number(const weir_graph *graph, weir_node node, const char *name) {
    return weir_node_int(graph, node, name, 0);
}

/* The quotient's floor; b > 0. */
static int64_t floor_of(int64_t a, int64_t b) {
    assert(b > 0);
    return a / b - (a % b < 0);
}

static int64_t clip(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

static int64_t clip_signed(int64_t x, int64_t levels) { return clip(x, -(levels / 2), levels / 2 - 1); }

/* The root's floor. */
static int64_t root_of(int64_t x) {
    int64_t root = (int64_t)sqrt((double)x);
    while (root * root > x) root--;
    while ((root + 1) * (root + 1) <= x) root++;
    return root;
}

/* ---- element by element ---- */

void weir_kernel_REQUANT_SHIFT(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                               weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const weir_broadcast from_factor = weir_broadcast_of(&inputs[1]->shape, &x->shape),
                         from_addend = weir_broadcast_of(&inputs[2]->shape, &x->shape);
    const int64_t divisor = number(graph, node, "div"), own = number(graph, node, "n_levels"),
                  levels = own > 0 ? own : number(graph, node, "n_levels_out");
    const bool is_signed = number(graph, node, "signed") != 0;
    for (size_t i = 0; i < x->count; i++) {
        const int64_t factor = whole(inputs[1], weir_broadcast_index(&from_factor, i)),
                      addend = whole(inputs[2], weir_broadcast_index(&from_addend, i));
        const int64_t y = floor_of(plus(plus(times(whole(x, i), factor), addend), divisor / 2), divisor);
        weir_array_set(outputs[0], i, (double)(is_signed ? clip_signed(y, levels) : clip(y, 0, levels - 1)));
    }
}

/* I-BERT's: erf as a parabola up to -b, one from there on. */
static int64_t gelu(int64_t x, int64_t b, int64_t one) {
    const int64_t size = x < 0 ? -x : x, q = (size < -b ? size : -b) + b, erf = (x > 0) - (x < 0);
    return times(x, floor_of(plus(one, erf * plus(one, -times(q, q))), 2));
}

void weir_kernel_I_GELU(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                        weir_array *const *outputs) {
    const int64_t b = number(graph, node, "b"), one = number(graph, node, "one");
    for (size_t i = 0; i < inputs[0]->count; i++)
        weir_array_set(outputs[0], i, (double)gelu(whole(inputs[0], i), b, one));
}

void weir_kernel_I_HARDSWISH(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    const int64_t three = number(graph, node, "three"), six = number(graph, node, "six"),
                  share = number(graph, node, "one_over_six");
    for (size_t i = 0; i < inputs[0]->count; i++) {
        const int64_t x = whole(inputs[0], i);
        weir_array_set(outputs[0], i, (double)times(x, times(clip(plus(x, three), 0, six), share)));
    }
}

void weir_kernel_TRUE_INTEGER_DIV(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                  weir_array *const *outputs) {
    const int64_t eta = number(graph, node, "eta"), factor = times(number(graph, node, "Delta"), eta),
                  divisor = plus(times(eta, number(graph, node, "y")), number(graph, node, "eps"));
    for (size_t i = 0; i < inputs[0]->count; i++)
        weir_array_set(outputs[0], i, (double)floor_of(times(factor, whole(inputs[0], i)), divisor));
}

/* Half up; a divisor below 1 gives 0. */
void weir_kernel_INTEGER_DIV(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                             weir_array *const *outputs) {
    const weir_broadcast from_a = weir_broadcast_of(&inputs[0]->shape, &outputs[0]->shape),
                         from_b = weir_broadcast_of(&inputs[1]->shape, &outputs[0]->shape);
    const int64_t delta = number(graph, node, "Delta"), eta = number(graph, node, "eta"),
                  epsilon = number(graph, node, "eps");
    for (size_t i = 0; i < outputs[0]->count; i++) {
        const int64_t by = plus(times(eta, whole(inputs[1], weir_broadcast_index(&from_b, i))), epsilon);
        const int64_t of = times(times(delta, eta), whole(inputs[0], weir_broadcast_index(&from_a, i)));
        weir_array_set(outputs[0], i, by < 1 ? 0 : (double)floor_of(plus(times(2, of), by), times(2, by)));
    }
}

void weir_kernel_I_NO_NORM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                           weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const weir_broadcast from_gain = weir_broadcast_of(&inputs[1]->shape, &x->shape),
                         from_shift = weir_broadcast_of(&inputs[2]->shape, &x->shape);
    const int64_t factor = number(graph, node, "mul"), divisor = number(graph, node, "D"),
                  levels = number(graph, node, "n_levels");
    for (size_t i = 0; i < x->count; i++) {
        const int64_t sum = plus(times(whole(x, i), whole(inputs[1], weir_broadcast_index(&from_gain, i))),
                                 whole(inputs[2], weir_broadcast_index(&from_shift, i)));
        weir_array_set(outputs[0], i, (double)clip_signed(floor_of(times(sum, factor), divisor), levels));
    }
}

/* ---- rows along the last axis ---- */

static size_t row_length(const weir_array *x) {
    assert(x->shape.rank > 0);
    return (size_t)x->shape.dim[x->shape.rank - 1];
}

static int64_t largest_of(const weir_array *x, size_t first, size_t count) {
    int64_t largest = whole(x, first);
    for (size_t i = first + 1; i < first + count; i++)
        if (whole(x, i) > largest) largest = whole(x, i);
    return largest;
}

void weir_kernel_I_SOFTMAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                           weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const size_t length = row_length(x);
    const int64_t top = number(graph, node, "n_levels") - 1;
    const weir_softmax_parabola of = {number(graph, node, "coeffA"), number(graph, node, "coeffB"),
                                      number(graph, node, "coeffC"), number(graph, node, "log2")};
    for (size_t first = 0; first < x->count; first += length) {
        const int64_t largest = largest_of(x, first, length);
        int64_t sum = 0;
        for (size_t i = first; i < first + length; i++)
            sum = plus(sum, weir_softmax_parabola_at(&of, largest - whole(x, i)));
        for (size_t i = first; i < first + length; i++) {
            const int64_t share = times(weir_softmax_parabola_at(&of, largest - whole(x, i)), top);
            weir_array_set(outputs[0], i, sum < 1 ? 0 : (double)floor_of(share, sum));
        }
    }
}

static int64_t halved(int64_t x, int64_t times) { return times > 62 ? 0 : x >> times; }

/* The shares of a row with these, in whole halvings of the largest one; of a sum of 0 all are 0. */
static void set_shares(const weir_array *x, weir_array *y, size_t first, int64_t top, int64_t largest, int64_t sum) {
    const int64_t most = sum < 1 ? 0 : floor_of(times(top, WEIR_SOFTMAX_ONE), sum);
    for (size_t i = first; i < first + row_length(x); i++)
        weir_array_set(y, i, (double)halved(most, weir_softmax_halvings(largest - whole(x, i))));
}

void weir_kernel_ITA_MAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                         weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const size_t length = row_length(x);
    const int64_t top = number(graph, node, "n_levels") - 1;
    for (size_t first = 0; first < x->count; first += length) {
        const int64_t largest = largest_of(x, first, length);
        int64_t sum = 0;
        for (size_t i = first; i < first + length; i++)
            sum += halved(WEIR_SOFTMAX_ONE, weir_softmax_halvings(largest - whole(x, i)));
        set_shares(x, outputs[0], first, top, largest, sum);
    }
}

/* Of groups as they come: when the largest grows, what was added so far is halved. */
void weir_kernel_ITA_PARTIAL_MAX(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                                 weir_array *const *outputs) {
    const weir_array *x = inputs[0];
    const size_t length = row_length(x), width = (size_t)number(graph, node, "group_width");
    const int64_t top = number(graph, node, "n_levels") / 2 - 1;
    for (size_t first = 0; first < x->count; first += length) {
        int64_t largest = -128, sum = 0;
        for (size_t group = first; group < first + length; group += width) {
            const int64_t here = largest_of(x, group, width);
            if (here > largest) sum = halved(sum, weir_softmax_halvings(here - largest));
            if (here > largest) largest = here;
            for (size_t i = group; i < group + width; i++)
                sum += halved(WEIR_SOFTMAX_ONE, weir_softmax_halvings(largest - whole(x, i)));
        }
        set_shares(x, outputs[0], first, top, largest, sum);
    }
}

/* (x - mean) * gain / deviation, with the quotients toward 0, plus the shift, divided by D. */
static void normalize(const weir_graph *graph, weir_node node, const weir_array *const *inputs, weir_array *y,
                      bool centred) {
    const weir_array *x = inputs[0], *gain = inputs[1], *shift = centred ? inputs[2] : NULL;
    const size_t length = row_length(x);
    const int64_t count = (int64_t)length, divisor = number(graph, node, "D"), levels = number(graph, node, "n_levels");
    const weir_broadcast from_gain = weir_broadcast_of(&gain->shape, &x->shape),
                         from_shift = weir_broadcast_of(shift == NULL ? &gain->shape : &shift->shape, &x->shape);
    for (size_t first = 0; first < x->count; first += length) {
        int64_t sum = 0, squares = 0;
        for (size_t i = first; centred && i < first + length; i++) sum = plus(sum, whole(x, i));
        const int64_t mean = sum / count;
        for (size_t i = first; i < first + length; i++)
            squares = plus(squares, times(whole(x, i) - mean, whole(x, i) - mean));
        const int64_t deviation = root_of(plus(floor_of(squares, count), 1));
        for (size_t i = first; i < first + length; i++) {
            int64_t v = times(whole(x, i) - mean, whole(gain, weir_broadcast_index(&from_gain, i))) / deviation;
            if (shift != NULL) v = plus(v, whole(shift, weir_broadcast_index(&from_shift, i)));
            weir_array_set(y, i, (double)clip_signed(floor_of(v, divisor), levels));
        }
    }
}

void weir_kernel_I_LAYER_NORM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                              weir_array *const *outputs) {
    normalize(graph, node, inputs, outputs[0], true);
}

void weir_kernel_I_RMS_NORM(const weir_graph *graph, weir_node node, const weir_array *const *inputs,
                            weir_array *const *outputs) {
    normalize(graph, node, inputs, outputs[0], false);
}
