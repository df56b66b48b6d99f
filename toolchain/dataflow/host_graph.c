#include "dataflow/host_graph.h"

#include <assert.h>
#include <stdlib.h>

#include "dataflow/host.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* --- checking --- */

/* The parts that make the node's data: bits of the host's two, of what comes into the graph, and of the hardware. */
enum { FROM_HEAD = 1, FROM_TAIL = 2, FROM_OUTSIDE = 4, FROM_HARDWARE = 8 };

static unsigned sources_of(const weir_graph *graph, weir_node node, weir_node *tail) {
    unsigned sources = 0;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value value = weir_node_input(graph, node, i);
        if (value.id == 0 || weir_value_constant(graph, value) != NULL) continue;
        const weir_node producer = weir_value_producer(graph, value);
        const weir_host part = producer.id == 0 ? WEIR_HOST_NONE : weir_host_of(graph, producer);
        if (part == WEIR_HOST_TAIL) *tail = producer;
        if (producer.id == 0) sources |= weir_stream_is_input(graph, value) ? FROM_HARDWARE : FROM_OUTSIDE;
        else if (part == WEIR_HOST_TAIL) sources |= FROM_TAIL;
        else if (part == WEIR_HOST_HEAD && !weir_stream_is_input(graph, value)) sources |= FROM_HEAD;
        else sources |= FROM_HARDWARE;
    }
    return sources;
}

static bool check_node(const weir_graph *graph, weir_node node) {
    weir_node tail = WEIR_NO_NODE;
    const unsigned sources = sources_of(graph, node, &tail);
    const weir_host part = weir_host_of(graph, node);
    if (part != WEIR_HOST_TAIL && (sources & FROM_TAIL)) {
        weir_node_fail(
            graph, tail,
            "is between quantized operators, but only the host computes it, before the first quantizer or after the "
            "last");
        return false;
    }
    if (part == WEIR_HOST_NONE && (sources & (FROM_HEAD | FROM_OUTSIDE)))
        return weir_node_fail(graph, node, "uses real numbers that no quantizer turns into codes");
    return true;
}

bool weir_host_graph_check(const weir_graph *graph) {
    bool fine = true;
    for (weir_node node = weir_graph_first(graph); fine && node.id != 0; node = weir_node_next(graph, node))
        fine = check_node(graph, node);
    return fine;
}

/* --- graphs of their own --- */

/* What is copied of a graph: `own` are the copies of values, by handle; those that are given are the new graph's
 * inputs. */
typedef struct extract {
    const weir_graph *from;
    weir_graph *to;
    weir_value *own;
    bool *given, *needed;
} extract;

static extract extract_new(const weir_graph *from, const char *name) {
    const size_t limit = weir_graph_value_limit(from);
    return (extract){from, weir_graph_new(name), weir_calloc(limit, sizeof(weir_value)),
                     weir_calloc(limit, sizeof(bool)), weir_calloc(limit, sizeof(bool))};
}

static void give(extract *e, weir_value value) {
    assert(value.id < weir_graph_value_limit(e->from));
    if (e->given[value.id]) return;
    e->given[value.id] = true;
    e->own[value.id] = weir_graph_add_input(e->to, weir_value_name(e->from, value), weir_value_type(e->from, value));
}

static bool is_needed(const extract *e, weir_node node) {
    bool needed = false;
    for (size_t i = 0; i < weir_node_output_count(e->from, node); i++) {
        const weir_value value = weir_node_output(e->from, node, i);
        needed |= e->needed[value.id] && !e->given[value.id];
    }
    return needed;
}

/* Marks what the needed values are computed from, back to the given ones. */
static void mark_needed(extract *e) {
    for (weir_node node = weir_graph_last(e->from); node.id != 0; node = weir_node_previous(e->from, node)) {
        const bool needed = is_needed(e, node);
        for (size_t i = 0; needed && i < weir_node_input_count(e->from, node); i++)
            e->needed[weir_node_input(e->from, node, i).id] = true;
    }
}

static void carry(extract *e, weir_node node) {
    const size_t inputs = weir_node_input_count(e->from, node), outputs = weir_node_output_count(e->from, node);
    weir_value *input = weir_calloc(inputs + 1, sizeof *input);
    for (size_t i = 0; i < inputs; i++) {
        const weir_value value = weir_node_input(e->from, node, i);
        if (value.id != 0 && e->own[value.id].id == 0)
            e->own[value.id] =
                weir_graph_add_constant(e->to, weir_value_name(e->from, value), weir_value_constant(e->from, value));
        input[i] = e->own[value.id];
    }
    weir_node made = weir_graph_add_node(e->to, weir_node_op(e->from, node), weir_node_name(e->from, node), input,
                                         inputs, outputs, WEIR_NO_NODE);
    weir_node_set_location(e->to, made, weir_node_location(e->from, node));
    for (size_t i = 0; i < outputs; i++) {
        const weir_value value = weir_node_output(e->from, node, i), copy = weir_node_output(e->to, made, i);
        weir_value_set_type(e->to, copy, weir_value_type(e->from, value));
        if (e->own[value.id].id == 0) e->own[value.id] = copy;
    }
    weir_node_copy_attributes(e->to, made, e->from, node);
    free(input);
}

static void carry_all(extract *e) {
    mark_needed(e);
    for (weir_node node = weir_graph_first(e->from); node.id != 0; node = weir_node_next(e->from, node)) {
        if (is_needed(e, node)) carry(e, node);
    }
}

static weir_graph *extract_end(extract *e) {
    free(e->own);
    free(e->given);
    free(e->needed);
    return e->to;
}

weir_graph *weir_host_graph_head(const weir_graph *hardware) {
    size_t count, carried_count;
    weir_value *inputs = weir_stream_inputs(hardware, &count), *carried = weir_stream_carried(hardware, &carried_count);
    extract e = extract_new(hardware, "head");
    for (size_t i = 0; i < weir_graph_input_count(hardware); i++) give(&e, weir_graph_input(hardware, i));
    for (size_t i = 0; i < count; i++) e.needed[inputs[i].id] = true;
    for (size_t i = 0; i < carried_count; i++) e.needed[carried[i].id] = true;
    carry_all(&e);
    for (size_t i = 0; i < count; i++)
        weir_graph_add_output(e.to, weir_value_name(hardware, inputs[i]), e.own[inputs[i].id]);
    for (size_t i = 0; i < carried_count; i++)
        weir_graph_add_output(e.to, weir_value_name(hardware, carried[i]), e.own[carried[i].id]);
    free(carried);
    free(inputs);
    return extract_end(&e);
}

weir_graph *weir_host_graph_tail(const weir_graph *hardware) {
    size_t count, carried_count;
    weir_value *outputs = weir_stream_outputs(hardware, &count);
    weir_value *carried = weir_stream_carried(hardware, &carried_count);
    extract e = extract_new(hardware, "tail");
    for (size_t i = 0; i < count; i++) give(&e, outputs[i]);
    for (size_t i = 0; i < carried_count; i++) give(&e, carried[i]);
    for (size_t i = 0; i < weir_graph_output_count(hardware); i++) e.needed[weir_graph_output(hardware, i).id] = true;
    carry_all(&e);
    for (size_t i = 0; i < weir_graph_output_count(hardware); i++)
        weir_graph_add_output(e.to, weir_graph_output_name(hardware, i), e.own[weir_graph_output(hardware, i).id]);
    free(carried);
    free(outputs);
    return extract_end(&e);
}

weir_graph *weir_host_graph_between(const weir_graph *hardware) {
    size_t inputs, outputs;
    weir_value *input = weir_stream_inputs(hardware, &inputs), *output = weir_stream_outputs(hardware, &outputs);
    extract e = extract_new(hardware, "between");
    for (size_t i = 0; i < inputs; i++) give(&e, input[i]);
    for (size_t i = 0; i < outputs; i++) e.needed[output[i].id] = true;
    carry_all(&e);
    for (size_t i = 0; i < outputs; i++)
        weir_graph_add_output(e.to, weir_value_name(hardware, output[i]), e.own[output[i].id]);
    free(input);
    free(output);
    return extract_end(&e);
}
