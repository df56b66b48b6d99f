/* Attention without its Softmax: three layers of one input, a product of two of them for each head, one of that and the
 * third, as lowering makes them: the branches wait for each other in memories of products and in Fifos. */
#include <stdio.h>
#include <stdlib.h>

#include "component/case.h"
#include "dataflow/component.h"
#include "ir/shape/infer.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

enum { FRAMES = 6 };

static void must(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "%s failed on a graph that it should take\n", what);
    abort();
}

static weir_value infer(const component_case *c, weir_node node) {
    must(weir_infer_node(c->graph, node), "inference");
    return case_result(c, node);
}

/* Codes of 8 bits of a value: its leading ones. */
static weir_value narrow(component_case *c, weir_value value) {
    const weir_type *type = weir_value_type(c->graph, value);
    const int bits = weir_bits_for(type->low < 0 ? type->low : -1, type->high);
    weir_node node = case_node(c, WEIR_OP_CAST_CODES, "narrow", &value, 1, 1);
    weir_node_set_int(c->graph, node, "shift", bits > 8 ? bits - 8 : 0);
    weir_node_set_string(c->graph, node, "rounding", "half-even");
    weir_node_set_int(c->graph, node, "low", -128);
    weir_node_set_int(c->graph, node, "high", 127);
    return infer(c, node);
}

static weir_value project(component_case *c, weir_value x, int64_t outputs) {
    const weir_shape *shape = &weir_value_type(c->graph, x)->shape;
    const int64_t inputs = shape->dim[shape->rank - 1];
    int64_t *codes = case_numbers(c, outputs * inputs, 5, true);
    weir_value operands[2] = {x, case_ints(c, "w", outputs, inputs, codes)};
    free(codes);
    return narrow(c, infer(c, case_node(c, WEIR_OP_LINEAR, "project", operands, 2, 1)));
}

static weir_value reshape(component_case *c, weir_value value, int64_t rows, int64_t columns) {
    weir_array *dims = weir_array_new(WEIR_INT64, &(weir_shape){1, {2}});
    weir_array_set_int(dims, 0, rows);
    weir_array_set_int(dims, 1, columns);
    weir_value inputs[2] = {value, weir_graph_add_constant(c->graph, "rows", dims)};
    weir_array_free(dims);
    return infer(c, case_node(c, WEIR_OP_RESHAPE, "reshape", inputs, 2, 1));
}

/* Rows of positions, then heads, times a matrix for each head, of which each position brings a row (of heads, then
 * elements): an element of every output, or all elements of one. */
static weir_value multiply(component_case *c, weir_value rows, weir_value matrices, int64_t positions, int64_t heads,
                           int64_t inner, int64_t columns, bool by_output) {
    weir_value pair[2] = {rows, matrices};
    const int64_t brought = by_output ? columns : inner, each = by_output ? inner : columns;
    weir_node node = case_node(c, WEIR_OP_PRODUCT, "product", pair, 2, 1);
    weir_node_set_ints(c->graph, node, "shape", (const int64_t[]){positions * heads, columns}, 2);
    weir_node_set_ints(c->graph, node, "row_sizes", (const int64_t[]){positions, heads}, 2);
    weir_node_set_ints(c->graph, node, "row_strides", (const int64_t[]){0, 1}, 2);
    weir_node_set_ints(c->graph, node, "sizes", (const int64_t[]){brought, heads, each}, 3);
    weir_node_set_ints(c->graph, node, "strides",
                       (const int64_t[]){by_output ? inner : 1, inner * columns, by_output ? 1 : inner}, 3);
    return narrow(c, infer(c, node));
}

static void build(component_case *c) {
    const int64_t positions = case_range(c, 2, 12), heads = case_range(c, 1, 2), size = case_range(c, 2, 4);
    weir_value x = case_codes(c, positions, case_range(c, 1, 6), 4, 8, 50);
    const weir_value query = project(c, x, heads * size), key = project(c, x, heads * size),
                     value = project(c, x, heads * size);
    const weir_value scores =
        multiply(c, reshape(c, query, positions * heads, size), key, positions, heads, size, positions, true);
    case_finish(c, multiply(c, scores, value, positions, heads, positions, size, false));
    must(weir_component_assign(c->graph), "assignment");
    must(weir_choose_folding(c->graph, case_chance(c, 50) ? case_range(c, 1, 200) : 0, case_range(c, 1, 64), NULL),
         "choose_folding");
    must(weir_insert_streams(c->graph), "insert_streams");
    must(weir_size_fifos(c->graph), "size_fifos");
    case_make_data(c, FRAMES);
}

const component_test component_test_attention = {"attention", build, NULL, true};
