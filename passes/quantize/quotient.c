#include "passes/quantize/quotient.h"

#include <stdlib.h>

#include "ir/graph/side.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/quantize/function.h"

/* Of a value. */
typedef struct origin {
    uint32_t root;      /* the value of which it is a function, element by element; its own id: of none */
    bool after, before; /* a layer or a quantizer: does it depend on one, does one depend on it? */
} origin;

static origin *origin_of(const weir_side *origins, weir_value value) { return weir_side_at(origins, value.id); }

static bool is_computed(const weir_graph *graph, weir_value value) {
    return value.id != 0 && !weir_rewrite_is_fixed(graph, value);
}

/* The one root of all that the node computes from; 0: there are several, or it is no function of elements. */
static uint32_t root_of(const weir_graph *graph, const weir_side *origins, weir_node node) {
    uint32_t root = 0;
    if (!weir_function_takes(weir_node_op(graph, node))) return 0;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        if (!is_computed(graph, input)) continue;
        const uint32_t of_input = origin_of(origins, input)->root;
        if (root != 0 && of_input != root) return 0;
        root = of_input;
    }
    return root;
}

static bool is_hardware(const weir_graph *graph, weir_node node) {
    const weir_op op = weir_node_op(graph, node);
    return weir_trait_of(op)->task == WEIR_TASK_LAYER || weir_trait_is_quantizer(op);
}

static void find_origin(const weir_graph *graph, const weir_side *origins, weir_node node) {
    bool after = is_hardware(graph, node);
    const uint32_t root = root_of(graph, origins, node);
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        after |= is_computed(graph, input) && origin_of(origins, input)->after;
    }
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        const weir_value output = weir_node_output(graph, node, i);
        *origin_of(origins, output) = (origin){root != 0 ? root : output.id, after, false};
    }
}

static void find_aim(const weir_graph *graph, const weir_side *origins, weir_node node) {
    bool before = is_hardware(graph, node);
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
        before |= origin_of(origins, weir_node_output(graph, node, i))->before;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value input = weir_node_input(graph, node, i);
        if (input.id != 0) origin_of(origins, input)->before |= before;
    }
}

static bool is_quotient(const weir_graph *graph, const weir_side *origins, weir_node node) {
    const weir_value x = weir_node_input(graph, node, 0), y = weir_node_input(graph, node, 1);
    return weir_trait_kind(graph, node) == WEIR_OP_DIV && is_computed(graph, x) && is_computed(graph, y) &&
           weir_value_type(graph, y)->dtype == WEIR_FLOAT32 &&
           origin_of(origins, x)->root != origin_of(origins, y)->root &&
           (origin_of(origins, x)->after || origin_of(origins, y)->after) &&
           origin_of(origins, weir_node_output(graph, node, 0))->before;
}

static void split(weir_rewrite *r) {
    const weir_value x = weir_node_input(r->graph, r->at, 0), y = weir_node_input(r->graph, r->at, 1),
                     part = WEIR_REWRITE_NODE(r, WEIR_OP_RECIPROCAL, "reciprocal", y);
    weir_rewrite_become(r, WEIR_REWRITE_NODE(r, WEIR_OP_MUL, "product", x, part));
}

static bool has_quotients(const weir_graph *graph) {
    weir_node node = weir_graph_first(graph);
    while (node.id != 0 &&
           (weir_trait_kind(graph, node) != WEIR_OP_DIV || !is_computed(graph, weir_node_input(graph, node, 0)) ||
            !is_computed(graph, weir_node_input(graph, node, 1))))
        node = weir_node_next(graph, node);
    return node.id != 0;
}

bool weir_quotient_split(weir_graph *graph) {
    if (!has_quotients(graph)) return true;
    const uint32_t limit = weir_graph_value_limit(graph);
    weir_side origins = weir_side_new(sizeof(origin), limit);
    weir_rewrite r = {.graph = graph};
    weir_node *quotient = weir_calloc(weir_graph_node_count(graph) + 1, sizeof *quotient);
    size_t count = 0;
    for (uint32_t id = 1; id < limit; id++) *origin_of(&origins, (weir_value){id}) = (origin){.root = id};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        find_origin(graph, &origins, node);
    for (weir_node node = weir_graph_last(graph); node.id != 0; node = weir_node_previous(graph, node))
        find_aim(graph, &origins, node);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (is_quotient(graph, &origins, node)) quotient[count++] = node;
    for (size_t i = 0; i < count; i++) {
        r.at = quotient[i];
        split(&r);
    }
    free(quotient);
    weir_side_free(&origins);
    return weir_rewrite_finish(&r);
}
