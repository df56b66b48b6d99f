/* The doors of designs with several inputs and outputs, of which some have nothing to do with each other: sums, maxima,
 * parts of a frame that leave out its end, outputs that come straight from an input, frames of a single beat. */
#include <stdio.h>
#include <stdlib.h>

#include "component/case.h"
#include "ir/graph/types.h"
#include "ir/shape/infer.h"
#include "passes/passes.h"
#include "support/text/text.h"

enum { MOST_INPUTS = 5, MOST_OUTPUTS = 4, MOST_DEEP = 2 };

typedef struct inputs {
    weir_value value[MOST_INPUTS];
    size_t count;
} inputs;

static int64_t channels_of(const component_case *c, weir_value value) {
    return weir_value_type(c->graph, value)->shape.dim[1];
}

static weir_value new_input(component_case *c, inputs *in, int64_t channels) {
    weir_value input = case_codes(c, 1, channels, 1, 8, 50);
    in->value[in->count++] = input;
    return input;
}

/* An input, mostly one that there is; `channels` 0: of any number. */
static weir_value an_input(component_case *c, inputs *in, int64_t channels) {
    const size_t first = in->count == 0 ? 0 : (size_t)case_range(c, 0, (int64_t)in->count - 1);
    const bool fresh = in->count < MOST_INPUTS && case_chance(c, 50);
    for (size_t i = 0; i < in->count && !fresh; i++) {
        const weir_value input = in->value[(first + i) % in->count];
        if (channels == 0 || channels_of(c, input) == channels) return input;
    }
    if (in->count == MOST_INPUTS) return (weir_value){0};
    return new_input(c, in, channels > 0 ? channels : case_chance(c, 30) ? 1 : case_range(c, 2, 9));
}

static weir_value finish(component_case *c, weir_node node) {
    if (!weir_infer_node(c->graph, node)) abort();
    return case_result(c, node);
}

static weir_value sum(component_case *c, weir_value a, weir_value b) {
    weir_value pair[2] = {a, b};
    const weir_node node = case_node(c, WEIR_OP_SUM, "sum", pair, 2, 1);
    weir_node_set_int(c->graph, node, "ca", case_number(c, 6, true));
    weir_node_set_int(c->graph, node, "cb", case_number(c, 6, true));
    return finish(c, node);
}

static weir_value maximum(component_case *c, weir_value x) {
    const weir_type *type = weir_value_type(c->graph, x);
    const weir_node node = case_node(c, WEIR_OP_MAXIMUM, "maximum", &x, 1, 1);
    weir_node_set_int(c->graph, node, "zero", case_range(c, type->low, type->high));
    return finish(c, node);
}

/* Its first elements. */
static weir_value part(component_case *c, weir_value x) {
    const int64_t kept = case_range(c, 1, channels_of(c, x)), shape[2] = {1, kept}, strides[2] = {0, 1};
    const weir_node node = case_node(c, WEIR_OP_REORDER, "part", &x, 1, 1);
    weir_node_set_ints(c->graph, node, "shape", shape, 2);
    weir_node_set_ints(c->graph, node, "sizes", shape, 2);
    weir_node_set_ints(c->graph, node, "strides", strides, 2);
    weir_node_set_int(c->graph, node, "start", 0);
    return finish(c, node);
}

static weir_value deepen(component_case *c, inputs *in, weir_value x) {
    const int64_t kind = case_range(c, 0, 3);
    if (kind == 0) return part(c, x);
    if (kind == 1) return maximum(c, x);
    const weir_value other = an_input(c, in, channels_of(c, x));
    return other.id == 0 ? maximum(c, x) : sum(c, x, other);
}

static void build(component_case *c) {
    inputs in = {.count = 0};
    const int64_t outputs = case_range(c, 1, MOST_OUTPUTS);
    for (int64_t o = 0; o < outputs; o++) {
        weir_value value = an_input(c, &in, 0);
        for (int64_t deep = case_range(c, 0, MOST_DEEP); deep > 0; deep--) value = deepen(c, &in, value);
        if (o + 1 == outputs) value = weir_value_producer(c->graph, value).id == 0 ? maximum(c, value) : value;
        if (o + 1 == outputs) case_finish(c, value);
        else weir_graph_add_output(c->graph, "more", value);
    }
    if (!weir_choose_folding(c->graph, case_range(c, 1, 12), 1, NULL) || !weir_insert_streams(c->graph) ||
        !weir_size_fifos(c->graph))
        abort();
    case_make_data(c, CASE_FRAMES);
}

const component_test component_test_frame = {"frame", build, NULL, false};
