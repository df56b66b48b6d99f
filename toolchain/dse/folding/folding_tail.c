/* The least that a frame takes from end to end, as a sum over the nodes of one path: from an input to an output, through the most components
 * that set the pace. The last beat of a frame leaves a node no sooner than the node needs for what depends on the last beat that it
 * took. Behind a window that is more than a beat: a component that sets the pace computes all positions which see the last element (its
 * `burst`), however soon the nodes between have them. So the nodes up to it count until the first of these elements, it counts until the
 * last, and from there on the next stretch begins with one element. */
#include <stdlib.h>

#include "dataflow/schedule.h"
#include "dse/folding/folding_structure_private.h"
#include "support/arena.h"

typedef weir_folding_structure structure;
typedef weir_folding_station station;

/* Of the longest path to a node: components that set the pace, then all. */
typedef struct reach {
    weir_node before;
    size_t input, paces, nodes;
} reach;

static bool is_longer(const reach *a, const reach *b) {
    return a->paces != b->paces ? a->paces > b->paces : a->nodes > b->nodes;
}

static weir_node find_path(const structure *t, reach *to) {
    weir_node last = WEIR_NO_NODE;
    for (weir_node node = weir_graph_first(t->graph); node.id != 0; node = weir_node_next(t->graph, node)) {
        if (weir_folding_rules(t->graph, node) == NULL) continue;
        reach *best = &to[node.id];
        for (size_t i = 0; i < weir_stream_count(t->graph, node); i++) {
            const weir_node from = weir_folding_source(t->graph, node, i);
            const reach r = {from, i, to[from.id].paces, to[from.id].nodes};
            if (i == 0 || is_longer(&r, best)) *best = r;
        }
        best->paces += weir_folding_sets_pace(t->graph, node);
        best->nodes++;
        if (last.id == 0 || is_longer(best, &to[last.id])) last = node;
    }
    return last;
}

/* Another component may take the node over, with a timing of its own. */
static bool is_fixed(const weir_graph *graph, weir_node node) {
    for (size_t i = 0; i < weir_component_count(); i++)
        if (weir_component_at(i)->rules->replaces == weir_folding_rules(graph, node)) return false;
    return true;
}

/* Elements that wait after the node for the last `burst` of those before it, whole rows of channels: with the fewest lanes, which let the
 * fewest wait. */
static int64_t burst_after(structure *t, weir_node node, size_t input, int64_t burst) {
    const weir_component_rules *rules = weir_folding_rules(t->graph, node);
    weir_meta_hardware *hardware = weir_folding_hardware(t->graph, node),
                       *pace = weir_folding_hardware(t->graph, t->pace);
    const weir_meta_hardware before = *hardware;
    const int64_t interval = pace->interval;
    hardware->in_lanes = hardware->out_lanes = 1;
    pace->interval = INT64_MAX / 4;
    if (rules->derive != NULL) rules->derive(t->graph, node, hardware);
    pace->interval = interval;
    weir_schedule_tail tail = {.elements = 1};
    const bool known = weir_schedule_tail_of(t->graph, node, input, burst, &tail);
    *hardware = before;
    const weir_shape *shape = &weir_value_type(t->graph, weir_node_output(t->graph, node, 0))->shape;
    const int64_t channels = shape->rank == 0 ? 1 : shape->dim[shape->rank - 1];
    const int64_t whole = tail.elements / channels * channels;
    return known && whole > 0 ? whole : 1;
}

void weir_folding_find_stations(weir_folding_structure *t) {
    reach *to = weir_calloc(weir_graph_node_limit(t->graph) + 1, sizeof *to);
    t->station = weir_calloc(weir_graph_node_limit(t->graph) + 1, sizeof *t->station);
    const weir_node end = find_path(t, to);
    weir_node next = WEIR_NO_NODE;
    for (weir_node node = end; node.id != 0; next = node, node = to[node.id].before) {
        t->station[node.id] = (station){.counts = is_fixed(t->graph, node), .input = to[node.id].input, .next = next};
        t->entry = weir_stream_source(t->graph, weir_node_input(t->graph, node, to[node.id].input));
    }
    int64_t burst = 1;
    for (weir_node node = next; node.id != 0; node = t->station[node.id].next) {
        station *at = &t->station[node.id];
        const bool paced = weir_folding_sets_pace(t->graph, node);
        at->burst = burst;
        at->whole = paced || to[node.id].paces == to[end.id].paces;
        burst = paced ? 1 : burst_after(t, node, at->input, burst);
    }
    free(to);
}

int64_t weir_folding_tail(const structure *t, weir_node node) {
    const station *at = &t->station[node.id];
    weir_schedule_tail tail;
    if (!at->counts || !weir_schedule_tail_of(t->graph, node, at->input, at->burst, &tail)) return 0;
    return at->whole ? tail.last : tail.first;
}
