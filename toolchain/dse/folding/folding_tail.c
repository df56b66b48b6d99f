/* The least that a frame takes from end to end, as a sum over the nodes of one path: from an input to an output,
 * through the most components that set the pace. The last beat of a frame leaves a node no sooner than the node needs
 * for what depends on the last beat that it took. Behind a window that is more than a beat: a component that sets the
 * pace computes all positions which see the last element (its `burst`), however soon the nodes between have them. So
 * the nodes up to it count until the first of these elements, it counts until the last, and from there on the next
 * stretch begins with one element.
 *
 * That is the first bound. There is one more for each component that sets the pace: from what it gives last on the same
 * tails count, and that takes all its work from its first beat on. Where inputs come evenly over the interval it begins
 * no sooner than the element comes that its first result depends on; where they come at once, no sooner than the nodes
 * before it have given a first beat, their heads. */
#include <assert.h>
#include <stdlib.h>

#include "dataflow/schedule/schedule.h"
#include "dse/folding/folding_structure_private.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"

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
        bool any = false;
        for (size_t i = 0; i < weir_stream_count(t->graph, node); i++) {
            const weir_node from = weir_folding_source(t->graph, node, i);
            if (from.id != 0 && to[from.id].nodes == 0) continue; /* States alone lead to it, no input */
            const reach r = {from, i, to[from.id].paces, to[from.id].nodes};
            if (!any || is_longer(&r, best)) *best = r;
            any = true;
        }
        if (!any) continue;
        best->paces += weir_folding_sets_pace(t->graph, node);
        best->nodes++;
        if (last.id == 0 || is_longer(best, &to[last.id])) last = node;
    }
    return last;
}

/* With the fewest lanes, in any time. */
static void derive_narrow(structure *t, weir_node node) {
    const weir_component_rules *rules = weir_folding_rules(t->graph, node);
    weir_meta_hardware *hardware = weir_folding_hardware(t->graph, node);
    const int64_t interval = weir_graph_interval(t->graph);
    hardware->in_lanes = hardware->out_lanes = 1;
    weir_graph_set_interval(t->graph, INT64_MAX / 4);
    if (rules->derive != NULL) rules->derive(t->graph, node, hardware);
    weir_graph_set_interval(t->graph, interval);
}

/* Elements that wait after the node for the last `burst` of those before it, whole rows of channels: with the fewest
 * lanes, which let the fewest wait. */
static int64_t burst_after(structure *t, weir_node node, size_t input, int64_t burst) {
    weir_meta_hardware *hardware = weir_folding_hardware(t->graph, node);
    const weir_meta_hardware before = *hardware;
    derive_narrow(t, node);
    weir_schedule_tail tail = {.elements = 1};
    const bool known = weir_schedule_tail_of(t->graph, node, input, burst, &tail);
    *hardware = before;
    const weir_shape *shape = &weir_value_type(t->graph, weir_node_output(t->graph, node, 0))->shape;
    const int64_t channels = shape->rank == 0 ? 1 : shape->dim[shape->rank - 1];
    const int64_t whole = tail.elements / channels * channels;
    return known && whole > 0 ? whole : 1;
}

/* --- where the path begins --- */

/* Elements of its input for each position that a component which sets the pace computes. */
static int64_t elements_of(const structure *t, weir_node node) {
    const weir_value value = weir_node_output(t->graph, node, 0);
    const weir_shape *shape = &weir_value_type(t->graph, value)->shape;
    const int64_t channels = shape->rank == 0 ? 1 : shape->dim[shape->rank - 1];
    return weir_stream_elements(t->graph, weir_node_input(t->graph, node, t->station[node.id].input)) * channels /
           weir_stream_elements(t->graph, value);
}

/* The same by the service rule of a node that does not set the pace. */
static int64_t served_for(structure *t, weir_node node, int64_t element) {
    assert(element >= 0);
    weir_meta_hardware *hardware = weir_folding_hardware(t->graph, node);
    const weir_meta_hardware before = *hardware;
    derive_narrow(t, node);
    int64_t needed = 0;
    if (!weir_schedule_needed(t->graph, node, t->station[node.id].input, element, &needed)) needed = 0;
    *hardware = before;
    return needed;
}

/* Without which element of its input the node does not give an element: nodes of one form need the same. What computes
 * groups takes only some of a position, of which the first may be one. */
static int64_t needed_of(weir_folding_space *s, weir_node node, int64_t element) {
    assert(element >= 0);
    structure *t = &s->at;
    const station *at = &t->station[node.id];
    if (at->paces) {
        const weir_value value = weir_node_output(t->graph, node, 0);
        const weir_shape *shape = &weir_value_type(t->graph, value)->shape;
        const int64_t position = element / (shape->rank == 0 ? 1 : shape->dim[shape->rank - 1]);
        return position * elements_of(t, node) + at->first - 1;
    }
    const uint64_t key = weir_hash_mix(weir_hash_mix(t->form[node.id], at->input), (uint64_t)element);
    const uint64_t *known = weir_map_find(&s->needs, key);
    if (known != NULL) return (int64_t)*known;
    const int64_t needed = served_for(t, node, element);
    *weir_map_put(&s->needs, key) = (uint64_t)needed;
    return needed;
}

typedef struct trace {
    weir_folding_space *space;
    weir_node *path;
    weir_map known; /* by place of the path and element: of the entry */
} trace;

/* The entry's element without which the path's node `at` does not give an element. Deep down most of them need the
 * same. */
static int64_t trace_back(trace *t, size_t at, int64_t element) {
    assert(element >= 0 && element < INT64_C(1) << 40);
    enum { ELEMENT_BITS = 40 };
    int64_t *seen = weir_malloc((at + 1) * sizeof *seen);
    size_t last = at + 1; /* the earliest place that was walked through */
    for (bool is_known = false; last > 0 && !is_known;) {
        const uint64_t key = (uint64_t)(last - 1) << ELEMENT_BITS | (uint64_t)element;
        const uint64_t *known = weir_map_find(&t->known, key);
        is_known = known != NULL;
        if (is_known) element = (int64_t)*known;
        else {
            seen[--last] = element;
            element = needed_of(t->space, t->path[last], element);
        }
    }
    for (size_t i = last; i <= at; i++)
        *weir_map_put(&t->known, (uint64_t)i << ELEMENT_BITS | (uint64_t)seen[i]) = (uint64_t)element;
    free(seen);
    return element;
}

void weir_folding_find_needed(weir_folding_space *s) {
    structure *t = &s->at;
    if (t->needed != NULL) return;
    t->needed = weir_calloc(t->places + 1, sizeof *t->needed);
    if (!t->holds_rows) return;
    trace to = {.space = s, .path = weir_malloc(weir_graph_node_count(t->graph) * sizeof *to.path)};
    size_t nodes = 0;
    for (weir_node node = t->begin; node.id != 0; node = t->station[node.id].next) {
        to.path[nodes++] = node;
        const station *at = &t->station[node.id];
        if (at->paces) t->needed[at->place] = trace_back(&to, nodes - 1, 0);
    }
    free(to.path);
    weir_map_free(&to.known);
}

bool weir_folding_is_fixed(const weir_graph *graph, weir_node node) {
    return !weir_component_is_replaced(weir_folding_rules(graph, node));
}

/* The same, once for nodes that are seen alike with those beside them. */
static int64_t known_burst(weir_folding_space *s, weir_node node, size_t input, int64_t burst) {
    structure *t = &s->at;
    const weir_value result = weir_node_output(t->graph, node, 0);
    const weir_node before = weir_folding_source(t->graph, node, input);
    uint64_t key = weir_hash_mix(weir_folding_seen(t, node), (uint64_t)burst);
    key = weir_hash_mix(weir_hash_mix(key, input), before.id == 0 ? 0 : weir_folding_seen(t, before));
    for (size_t i = 0; i < weir_value_use_count(t->graph, result); i++)
        key = weir_hash_mix(key, weir_folding_seen(t, weir_value_use(t->graph, result, i).node));
    const uint64_t *known = weir_map_find(&s->bursts, key);
    if (known != NULL) return (int64_t)*known;
    const int64_t after = burst_after(t, node, input, burst);
    *weir_map_put(&s->bursts, key) = (uint64_t)after;
    return after;
}

void weir_folding_find_stations(weir_folding_space *s) {
    structure *t = &s->at;
    reach *to = weir_calloc(weir_graph_node_limit(t->graph) + 1, sizeof *to);
    t->station = weir_calloc(weir_graph_node_limit(t->graph) + 1, sizeof *t->station);
    const weir_node end = find_path(t, to);
    weir_node next = WEIR_NO_NODE;
    for (weir_node node = end; node.id != 0; next = node, node = to[node.id].before) {
        const bool paces = weir_folding_sets_pace(t->graph, node);
        t->station[node.id] = (station){.counts = weir_folding_is_fixed(t->graph, node),
                                        .input = to[node.id].input,
                                        .paces = paces,
                                        .place = to[node.id].paces - paces,
                                        .first = 1,
                                        .next = next};
        t->entry = weir_stream_source(t->graph, weir_node_input(t->graph, node, to[node.id].input));
    }
    t->begin = next;
    t->holds_rows = weir_schedule_paces_inputs(t->graph);
    int64_t burst = 1;
    for (weir_node node = next; node.id != 0; node = t->station[node.id].next) {
        station *at = &t->station[node.id];
        at->burst = burst;
        t->places += at->paces;
        if (at->paces && t->holds_rows && weir_node_int(t->graph, node, "group", 1) == 1)
            at->first = elements_of(t, node);
        at->whole = at->paces || to[node.id].paces == to[end.id].paces;
        burst = at->paces ? 1 : known_burst(s, node, at->input, burst);
    }
    free(to);
}

/* --- what a node takes --- */

weir_folding_times weir_folding_times_of(const structure *t, weir_node node) {
    const station *at = &t->station[node.id];
    weir_folding_times times = {0};
    weir_schedule_tail tail;
    if (!at->counts || !weir_schedule_tail_of(t->graph, node, at->input, at->burst, &tail)) return times;
    times.tail = at->whole ? tail.last : tail.first;
    weir_schedule_span span;
    if ((!at->paces && t->holds_rows) || !weir_schedule_span_of(t->graph, node, at->input, at->first, &span))
        return times;
    if (!t->holds_rows) times.head = span.first;
    if (at->paces) times.work = span.last;
    return times;
}

size_t weir_folding_bounds(const structure *t) { return 1 + t->places; }

/* Bounds up to that of the node's place take its tail, the next one its work if it sets the pace, those after them its
 * head. */
int64_t weir_folding_part(const structure *t, weir_node node, const weir_folding_times *times, const int64_t *before) {
    assert(node.id < weir_graph_node_limit(t->graph) && t->station[node.id].place <= t->places);
    const station *at = &t->station[node.id];
    const size_t tails = at->place + 1, works = tails + at->paces;
    return times->tail * before[tails] + times->work * (before[works] - before[tails]) +
           times->head * (before[weir_folding_bounds(t)] - before[works]);
}

void weir_folding_add_part(const structure *t, weir_node node, const weir_folding_times *times, int64_t *differences) {
    assert(node.id < weir_graph_node_limit(t->graph) && t->station[node.id].place <= t->places);
    const station *at = &t->station[node.id];
    const size_t tails = at->place + 1, bounds = weir_folding_bounds(t);
    int64_t last = times->tail;
    differences[0] += last;
    if (at->paces) {
        differences[tails] += times->work - last;
        last = times->work;
    }
    if (tails + at->paces < bounds) differences[tails + at->paces] += times->head - last;
}

int64_t *weir_folding_sums(const int64_t *share, size_t bounds) {
    assert(bounds > 0);
    int64_t *before = weir_calloc(bounds + 1, sizeof *before);
    for (size_t i = 0; i < bounds; i++) before[i + 1] = before[i] + share[i];
    return before;
}

int64_t weir_folding_arrival(const structure *t, size_t index, int64_t interval) {
    assert(index <= t->places && interval >= 1);
    if (t->entry.id == 0) return 0;
    const int64_t last = weir_stream_elements(t->graph, t->entry) - 1;
    return weir_schedule_entry(t->graph, t->entry, index == 0 ? last : t->needed[index - 1], interval, t->holds_rows) +
           1;
}
