/* Rows of few and many elements in beats of one and more, tables as the real softmax has them, as the integer ones of
 * networks, or at random, some shorter than the distances; shares in halves or not, steps from none to more than codes,
 * zero points that clip. */
#include "component/case.h"
#include "exec/softmax.h"
#include "support/memory/arena.h"

static weir_value table(component_case *c, const char *name, const int64_t *entry, int64_t count) {
    weir_array *made = weir_array_in(weir_graph_arena(c->graph), WEIR_INT64, &(weir_shape){1, {count}});
    for (int64_t i = 0; i < count; i++) weir_array_set_int(made, (size_t)i, entry[i]);
    return weir_graph_add_constant(c->graph, name, made);
}

/* Entries of both tables; returns 1 for shares in halves. */
static int64_t fill(component_case *c, int64_t *term, int64_t *numerator, int64_t count) {
    const int64_t kind = case_range(c, 0, 3), steps = case_chance(c, 50) ? 255 : case_range(c, 0, 600);
    if (kind == 0) {
        weir_softmax_tables((double)case_range(c, 1, 300) / 1000, 1.0 / (double)(steps + 1), term, numerator,
                            (size_t)count);
        return 1;
    }
    const int bits = (int)case_range(c, 1, 30);
    const int64_t shift = case_range(c, 0, 5);
    for (int64_t d = 0; d < count; d++) {
        const int64_t far = (d + ((int64_t)1 << shift >> 1)) >> shift, by = far < 40 ? far : 40;
        term[d] = kind == 1 ? 256 >> (by < 8 ? by : 8) : case_number(c, bits, false);
        if (d == 0 && term[d] == 0) term[d] = 1;
        numerator[d] = kind == 3 ? case_range(c, 0, term[0]) * steps : kind == 2 ? term[d] * steps : steps * 256 >> by;
        if (kind == 2 && term[d] > term[0]) numerator[d] = term[0] * steps;
    }
    return case_range(c, 0, 1);
}

static void build(component_case *c) {
    const int64_t rows = case_chance(c, 30) ? case_range(c, 2, 9) : case_rows(c), most = case_chance(c, 60) ? 3 : 20;
    const int64_t length = case_range(c, 1, case_chance(c, 70) ? 4 : 9) * case_range(c, 2, most);
    const weir_value x = case_codes(c, rows, length, 1, 8, 50);
    const int64_t distances = c->high - c->low + 1,
                  count = case_chance(c, 60) ? distances : case_range(c, 1, distances);
    int64_t *term = weir_malloc(2 * (size_t)count * sizeof *term), *numerator = term + count;
    const int64_t half = fill(c, term, numerator, count), zero = case_chance(c, 50) ? 0 : case_number(c, 8, true);
    const weir_value inputs[3] = {x, table(c, "terms", term, count), table(c, "numerators", numerator, count)};
    int64_t largest = 0;
    for (int64_t i = 0; i < count; i++) largest = numerator[i] > largest ? numerator[i] : largest;
    const int64_t quotient = largest / term[0], share = (quotient + half) >> half;
    free(term);
    weir_node node = case_node(c, WEIR_OP_SOFTMAX_INTEGER, "softmax", inputs, 3, 1);
    weir_node_set_int(c->graph, node, "half", half);
    weir_node_set_int(c->graph, node, "zero", zero);
    if (case_chance(c, 30))
        weir_node_set_int(c->graph, node, "high", zero + case_range(c, 0, share / case_range(c, 1, length)));
    const int64_t bits = weir_bits_for(0, quotient);
    int64_t units = case_chance(c, 50) ? bits : case_range(c, 1, bits);
    while ((bits + (bits + units - 1) / units - 1) / ((bits + units - 1) / units) != units) units--;
    case_place(c, node, 1, 1, units);
    if (case_chance(c, 60)) case_hurry(c, node);
    case_finish(c, case_result(c, node));
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_softmax_integer = {"softmax_integer", build, "softmax_numerators", false};
