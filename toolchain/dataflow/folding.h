/* Folding: how many multipliers, lanes and pieces of work a cycle each component gets. For a target interval each
 * component that sets the pace gets the cheapest folding that meets it; for a budget of multipliers the smallest target
 * that fits it is used; the others keep up with the components before them. If one of these, a window or a stream,
 * cannot keep up with any folding, it sets the pace, and no multiplier is spent on more speed. Before that, a node that
 * is too slow is divided if a chain of nodes is faster (a window into its columns and rows). Beats of several positions
 * come last (README.md). A YAML file sets nodes manually, with any numbers: what does not divide is padded inside.
 *   interval: 512
 *   nodes:
 *     fc1: {simd: 8, pe: 4, storage: block}
 * `interval`, cycles a frame, is the target where the call has none. */
#ifndef WEIR_DATAFLOW_FOLDING_H
#define WEIR_DATAFLOW_FOLDING_H

#include "dataflow/cost/contents.h"
#include "dataflow/cost/cost.h"
#include "ir/graph/graph.h"
#include "support/text/text.h"

/* In place, with components assigned. `target`, in cycles: no shorter than what all components can reach; 0: the
 * smallest interval for `budget` multipliers; `file` may be NULL or empty. False after a reported error. O(foldings of
 * all nodes * log(interval)). */
bool weir_folding_choose(weir_graph *graph, int64_t target, int64_t budget, const char *file);
/* Only reads the file: settings into the metadata, its interval where *interval is 0. */
bool weir_folding_read(weir_graph *graph, const char *file, int64_t *interval);
/* A file of the graph's settings, so that weir_folding_choose folds the same graph without them alike. `graph` has been
 * given its settings, but not been folded. */
void weir_folding_write(const weir_graph *graph, int64_t interval, weir_text *text);
/* Is every component folded, with settings and lanes that it can have? False after a reported error. What reads a graph
 * that was folded elsewhere asks before it relies on it. */
bool weir_folding_verify(const weir_graph *graph);

/* --- the parts of that choice, for a search among foldings (dse/folding) --- */

/* The shortest interval that any number of multipliers gives: a window, a stream or a setting of the file may be slower
 * than the products. */
int64_t weir_folding_shortest(const weir_graph *graph);
/* Divides nodes that no folding makes that fast. */
void weir_folding_divide(weir_graph *graph, int64_t interval);
/* Folds a node that keeps up with its folded producers, for the graph's interval. */
void weir_folding_follow(weir_graph *graph, weir_node node);
/* A folded node gets the component that takes its nodes over, where that is smaller. `known`: NULL, or columns of the
 * node's memories that were counted. */
void weir_folding_take_over(weir_graph *graph, weir_cost_survey *survey, weir_node node,
                            const weir_contents_known *known);

#endif
