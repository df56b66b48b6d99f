#include "ir/graph/verify.h"

#include <stdlib.h>

#include "ir/graph/verify_part.h"
#include "ir/trait/recurrence.h"
#include "support/memory/arena.h"

typedef struct verifier {
    const weir_graph *graph;
    const weir_verify_lines *lines;
    uint32_t *order; /* position of a node in the list; 0: not in it */
    uint32_t *uses;  /* inputs of nodes that are this value */
    bool fine;
} verifier;

/* At the node's location, or at the file as a whole for what no node makes. */
static weir_location location_of(const weir_graph *graph, weir_node node) {
    return node.id != 0 ? weir_node_location(graph, node) : weir_at(weir_graph_source(graph), 0);
}

#define COMPLAIN(v, node, ...)                                                                                         \
    do {                                                                                                               \
        (v)->fine = false;                                                                                             \
        weir_error(location_of((v)->graph, node), __VA_ARGS__);                                                        \
    } while (0)

/* Every use in the list is an input of that node, and there are as many as the nodes have: then none is missing. */
static void verify_uses(verifier *v, weir_value value) {
    const weir_graph *graph = v->graph;
    size_t uses = weir_value_use_count(graph, value);
    bool right = uses == v->uses[value.id];
    for (size_t i = 0; right && i < uses; i++) {
        weir_use use = weir_value_use(graph, value, i);
        right = weir_node_exists(graph, use.node) && weir_node_input(graph, use.node, use.index).id == value.id;
    }
    if (!right)
        COMPLAIN(v, weir_value_producer(graph, value), "the use list of '%s' is wrong: %zu uses, expected %u",
                 weir_value_name(graph, value), uses, (unsigned)v->uses[value.id]);
}

static void verify_input(verifier *v, weir_node node, size_t index) {
    const weir_graph *graph = v->graph;
    const char *name = weir_node_name(graph, node);
    weir_value value = weir_node_input(graph, node, index);
    if (value.id == 0) {
        if ((int)index < weir_node_info(graph, node)->inputs_min)
            COMPLAIN(v, node, "node '%s': input %zu is required but left out", name, index);
        return;
    }
    if (!weir_value_exists(graph, value)) {
        COMPLAIN(v, node, "node '%s': input %zu is a removed value", name, index);
        return;
    }
    weir_node producer = weir_value_producer(graph, value);
    if (producer.id != 0 && (!weir_node_exists(graph, producer) || v->order[producer.id] >= v->order[node.id]))
        COMPLAIN(v, node, "node '%s': input '%s' is used before it is made", name, weir_value_name(graph, value));
    v->uses[value.id]++;
}

static void complain_inputs(verifier *v, weir_node node) {
    const weir_op_info *info = weir_node_info(v->graph, node);
    char bound[32] = "";
    if (info->inputs_max < 0) snprintf(bound, sizeof bound, " or more");
    else if (info->inputs_max != info->inputs_min) snprintf(bound, sizeof bound, " to %d", info->inputs_max);
    COMPLAIN(v, node, "node '%s': %s takes %d%s input%s, found %zu", weir_node_name(v->graph, node), info->full_name,
             info->inputs_min, bound, *bound == '\0' && info->inputs_min == 1 ? "" : "s",
             weir_node_input_count(v->graph, node));
}

static void verify_node(verifier *v, weir_node node) {
    const weir_graph *graph = v->graph;
    const weir_op_info *info = weir_node_info(graph, node);
    size_t inputs = weir_node_input_count(graph, node), outputs = weir_node_output_count(graph, node);
    if ((int)inputs < info->inputs_min || (info->inputs_max >= 0 && (int)inputs > info->inputs_max))
        complain_inputs(v, node);
    if (info->outputs >= 0 && (int)outputs != info->outputs)
        COMPLAIN(v, node, "node '%s': %s gives %d outputs, found %zu", weir_node_name(graph, node), info->full_name,
                 info->outputs, outputs);
    if (info->outputs < 0 && outputs == 0)
        COMPLAIN(v, node, "node '%s': %s gives one output or more, found none", weir_node_name(graph, node),
                 info->full_name);
    for (size_t i = 0; i < inputs; i++) verify_input(v, node, i);
    for (size_t i = 0; i < outputs; i++) {
        weir_value value = weir_node_output(graph, node, i);
        if (!weir_value_exists(graph, value) || weir_value_producer(graph, value).id != node.id ||
            weir_value_producer_output(graph, value) != i)
            COMPLAIN(v, node, "node '%s': output %zu does not name it as its producer", weir_node_name(graph, node), i);
    }
}

/* Rules trust handles, arities and sane types, so they run last. */
static void verify_meaning(verifier *v) {
    const weir_graph *graph = v->graph;
    weir_arena *scratch = weir_arena_new();
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        v->fine = weir_verify_attributes(graph, node) && weir_verify_types(graph, node, scratch) &&
                  weir_verify_metadata(graph, node) && v->fine;
    }
    weir_arena_free(scratch);
}

static weir_location value_place(const verifier *v, weir_value value) {
    const weir_node node = weir_value_producer(v->graph, value);
    if (node.id == 0 && v->lines != NULL) return weir_at(v->lines->file, v->lines->line[value.id]);
    return location_of(v->graph, node);
}

/* A graph takes one row of an open batch. */
static void verify_batch(verifier *v) {
    for (size_t i = 0; weir_graph_batch(v->graph) != NULL && i < weir_graph_input_count(v->graph); i++) {
        const weir_value input = weir_graph_input(v->graph, i);
        const weir_shape *shape = &weir_value_type(v->graph, input)->shape;
        char text[WEIR_SHAPE_TEXT];
        if (shape->rank > 0 && shape->dim[0] == 1) continue;
        v->fine = false;
        weir_error(value_place(v, input), "the batch is open, so input '%s' must have the first dimension 1, found %s",
                   weir_value_name(v->graph, input), weir_shape_print(shape, text, sizeof text));
    }
}

/* Each State has one Update, each Update a State, and what is between them can be computed step by step. */
static void verify_states(verifier *v) {
    const weir_graph *graph = v->graph;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_op op = weir_node_op(graph, node);
        const weir_node maker =
            op == WEIR_OP_UPDATE ? weir_value_producer(graph, weir_node_input(graph, node, 1)) : WEIR_NO_NODE;
        if (op == WEIR_OP_STATE && weir_recurrence_update(graph, node).id == 0)
            COMPLAIN(v, node, "node '%s': a State needs one Update, which reads it", weir_node_name(graph, node));
        if (op == WEIR_OP_UPDATE && (maker.id == 0 || weir_node_op(graph, maker) != WEIR_OP_STATE))
            COMPLAIN(v, node, "node '%s': input 1 must be a State's value", weir_node_name(graph, node));
    }
    weir_arena *scratch = weir_arena_new();
    weir_recurrence *recurrence;
    const size_t count = v->fine ? weir_recurrences_find(graph, scratch, &recurrence) : 0;
    for (size_t i = 0; i < count; i++) {
        weir_recurrence_step step = {0};
        v->fine &= weir_recurrence_step_of(graph, &recurrence[i], scratch, &step);
        weir_graph_free(step.graph);
    }
    weir_arena_free(scratch);
}

bool weir_graph_verify(const weir_graph *graph) { return weir_graph_verify_text(graph, NULL); }

bool weir_graph_verify_text(const weir_graph *graph, const weir_verify_lines *lines) {
    verifier v = {graph, lines, weir_calloc(weir_graph_node_limit(graph), sizeof(uint32_t)),
                  weir_calloc(weir_graph_value_limit(graph), sizeof(uint32_t)), true};
    uint32_t position = 0;
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        v.order[node.id] = ++position;
        count++;
    }
    if (count != weir_graph_node_count(graph))
        COMPLAIN(&v, WEIR_NO_NODE, "the node list holds %zu nodes, expected %zu", count, weir_graph_node_count(graph));
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        verify_node(&v, node);
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        if (!weir_value_exists(graph, (weir_value){id})) continue;
        v.fine &= weir_verify_value(graph, (weir_value){id}, value_place(&v, (weir_value){id}));
        verify_uses(&v, (weir_value){id});
    }
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        if (!weir_value_exists(graph, weir_graph_output(graph, i)))
            COMPLAIN(&v, WEIR_NO_NODE, "output '%s' is a removed value", weir_graph_output_name(graph, i));
    }
    if (v.fine) verify_batch(&v);
    if (v.fine) verify_meaning(&v);
    if (v.fine) verify_states(&v);
    free(v.order);
    free(v.uses);
    return v.fine;
}
