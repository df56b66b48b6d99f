/* Softmax of RequantShift's domain: iSoftmax, ITAMax and ITAPartialMax of codes whose numbers are whole become
 * weir.IntegerSoftmax, with tables of what their kernels compute by distance (exec/softmax.h). */
#include <math.h>

#include "exec/softmax.h"
#include "ir/shape/infer.h"
#include "passes/lower/scaled.h"
#include "support/memory/arena.h"

enum { MOST_ENTRIES = 1 << 16 };

/* Terms and numerators by distance of codes, which stand for `unit` times as much; they may be the same for all larger
 * ones from the last on. */
typedef struct tables {
    weir_array *term, *numerator;
    int64_t unit;
} tables;

/* The codes, whose numbers are whole, and room for both tables of all distances. False after a reported error. */
static bool read_codes(weir_lowering *l, weir_node node, weir_value *codes, tables *t) {
    *codes = weir_lower_one_scale(l, node, weir_lower_operand(l, node, weir_lower_input(l, node, 0), false));
    if (codes->id == 0) return false;
    const weir_type *type = weir_value_type(l->to, *codes);
    const double unit = weir_quant_scale(&type->quant, 0);
    const int64_t distances = type->high - type->low + 1;
    if (unit != floor(unit) || unit > 0x1p31)
        return weir_lower_fail(l, node, "its input has fractions, expected whole numbers");
    if (distances > MOST_ENTRIES) {
        weir_lower_fail(l, node, "its input has %lld values, hardware has tables for at most %d", (long long)distances,
                        MOST_ENTRIES);
        weir_note("put a RequantShift before it");
        return false;
    }
    const weir_shape shape = {1, {distances}};
    t->unit = (int64_t)unit;
    t->term = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &shape);
    t->numerator = weir_array_in(weir_graph_arena(l->to), WEIR_INT64, &shape);
    return true;
}

/* The node's result in [0, most]. */
static bool add_softmax(weir_lowering *l, weir_node node, weir_value codes, const tables *t, int64_t most) {
    const weir_quant quant = weir_scaled_quant(l, 1, 0, most);
    const weir_type type = weir_lower_codes_type(&quant, &weir_value_type(l->to, codes)->shape, 0, most);
    const weir_value inputs[3] = {codes, weir_scaled_constant(l, node, "_terms", t->term),
                                  weir_scaled_constant(l, node, "_numerators", t->numerator)};
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_SOFTMAX_INTEGER, "", inputs, 3, &type);
    return weir_infer_node(l->to, made) && weir_lower_set_codes(l, node, weir_node_output(l->to, made, 0));
}

bool weir_lower_i_softmax(weir_lowering *l, weir_node node) {
    const weir_softmax_parabola of = {
        weir_node_int(l->from, node, "coeffA", 0), weir_node_int(l->from, node, "coeffB", 0),
        weir_node_int(l->from, node, "coeffC", 0), weir_node_int(l->from, node, "log2", 0)};
    const int64_t most = weir_node_int(l->from, node, "n_levels", 0) - 1;
    weir_value codes;
    tables t;
    if (!read_codes(l, node, &codes, &t)) return false;
    for (size_t d = 0; d < t.term->count; d++) {
        const int64_t term = weir_softmax_parabola_at(&of, (int64_t)d * t.unit);
        if (term < 0 || term > INT64_MAX / 2 / most)
            return weir_lower_fail(l, node, "its parameters make terms beyond 64 bits");
        weir_array_set_int(t.term, d, term);
        weir_array_set_int(t.numerator, d, term * most);
    }
    return add_softmax(l, node, codes, &t, most);
}

/* A share is the largest one, a quotient's floor, halved: the floor of the quotient of the halved numerator. */
static bool lower_halvings(weir_lowering *l, weir_node node, int64_t most) {
    weir_value codes;
    tables t;
    if (!read_codes(l, node, &codes, &t)) return false;
    for (size_t d = 0; d < t.term->count; d++) {
        const int64_t halvings = weir_softmax_halvings((int64_t)d * t.unit);
        weir_array_set_int(t.term, d, halvings > 62 ? 0 : WEIR_SOFTMAX_ONE >> halvings);
        weir_array_set_int(t.numerator, d, halvings > 62 ? 0 : most * WEIR_SOFTMAX_ONE >> halvings);
    }
    return add_softmax(l, node, codes, &t, most);
}

bool weir_lower_ita_max(weir_lowering *l, weir_node node) {
    return lower_halvings(l, node, weir_node_int(l->from, node, "n_levels", 0) - 1);
}

bool weir_lower_ita_partial_max(weir_lowering *l, weir_node node) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape;
    const int64_t width = weir_node_int(l->from, node, "group_width", 0), length = shape->dim[shape->rank - 1];
    if (width == length) return lower_halvings(l, node, weir_node_int(l->from, node, "n_levels", 0) / 2 - 1);
    weir_lower_fail(l, node, "hardware sums rows of %lld, not groups of %lld of them", (long long)length,
                    (long long)width);
    weir_note("ITAMax is the same with one sum a row");
    return false;
}
