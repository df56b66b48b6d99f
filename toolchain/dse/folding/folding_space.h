/* All foldings of a hardware graph as knapsacks, one for each possible interval. An item is a component that sets the
 * pace, with those that keep up with its stream: its options are its foldings, the storage of each of its parameter
 * memories, and where its requantizers multiply. Other components are separate items. Prices are the survey's
 * (dataflow/cost/cost.h), lane converters and forks included; FIFOs, which a schedule of the whole decides, are not. */
#ifndef WEIR_DSE_FOLDING_SPACE_H
#define WEIR_DSE_FOLDING_SPACE_H

#include "dse/folding/knapsack.h"
#include "ir/graph/graph.h"

/* What a folding is judged by, for each use of a resource, in the order of weir_cost_uses: the value is the sum of use
 * * (each + cycle * cycles a frame) + busy * (the use of each node times the cycles a frame that the node works),
 * `node` for each of these cycles and `share` for each share of a cycle that the node adds to bounds of the latency
 * (weir_folding_space_share). */
typedef struct weir_folding_weights {
    int64_t each[WEIR_KNAPSACK_RESOURCES], cycle[WEIR_KNAPSACK_RESOURCES], busy[WEIR_KNAPSACK_RESOURCES];
    int64_t node, share;
} weir_folding_weights;

typedef struct weir_folding_space weir_folding_space;

/* The graph, with components assigned and a target device, must outlive it. Settings of its nodes (from a folding file)
 * are kept. */
weir_folding_space *weir_folding_space_new(const weir_graph *graph, const weir_folding_weights *weights);
void weir_folding_space_free(weir_folding_space *space);
/* Changes the weights; prices of hardware stay known. */
void weir_folding_space_weigh(weir_folding_space *space, const weir_folding_weights *weights);
/* `relaxed`: limits components to their few slowest foldings within the interval and the smallest ones; else all. */
void weir_folding_space_relax(weir_folding_space *space, bool relaxed);
/* The possible intervals, in increasing order. */
size_t weir_folding_space_count(const weir_folding_space *space);
int64_t weir_folding_space_interval(const weir_folding_space *space, size_t index);
/* The foldings with that interval; `always` gets what all of them take (forks, converters between nodes without a
 * choice). Belongs to the space, until the next call. */
const weir_knapsack *weir_folding_space_at(weir_folding_space *space, size_t index, weir_knapsack_price *always);
/* Sums over the nodes of one path, none of which a frame takes fewer cycles than from end to end, with any folding for
 * the interval. */
size_t weir_folding_space_bounds(weir_folding_space *space, size_t index);
/* When the last element of a frame arrives: a lower bound of the latency for this and every longer interval. */
int64_t weir_folding_space_entry(weir_folding_space *space, size_t index);
/* Mixes the bounds: `share` of each, WEIR_FOLDING_SHARES in all; NULL: all of the first. Returns the value of the mix,
 * in shares of a cycle, without what nodes add to it; 0 if the weights have no share. */
enum { WEIR_FOLDING_SHARES = 1 << 10 };
int64_t weir_folding_space_share(weir_folding_space *space, size_t index, const int64_t *share);
/* A folding: of each component that sets the pace, and the choices of its nodes. */
typedef struct weir_folding_pick {
    size_t folding;
    uint64_t choices;
} weir_folding_pick;

/* Steps of the last call of weir_folding_space_at, of about a nanosecond each. */
int64_t weir_folding_space_steps(const weir_folding_space *space);
size_t weir_folding_space_units(const weir_folding_space *space);
/* The picks for the options chosen from the last weir_folding_space_at: heap memory. */
weir_folding_pick *weir_folding_space_picks(const weir_folding_space *space, const size_t *chosen);
/* The cycles of each bound for the interval of the last weir_folding_space_at. */
void weir_folding_space_latencies(weir_folding_space *space, const weir_folding_pick *pick, int64_t *cycles);
/* Sets a folding for that interval in the metadata of the graph or a copy of it, from where weir_folding_choose reads
 * it. */
void weir_folding_space_apply(weir_folding_space *space, size_t index, const weir_folding_pick *pick,
                              weir_graph *graph);

#endif
