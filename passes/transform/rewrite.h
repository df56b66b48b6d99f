/* What the passes that rewrite a tensor graph share. */
#ifndef WEIR_TRANSFORM_REWRITE_H
#define WEIR_TRANSFORM_REWRITE_H

#include "ir/graph.h"

/* A graph that is being rewritten. Types stay those that inference gives: when a value is replaced by one of another
 * type, the rest of the graph is inferred anew at the end. */
typedef struct weir_rewrite {
    weir_graph *graph;
    size_t count; /* rewritings so far */
    bool is_stale;
} weir_rewrite;

/* May passes over tensors change the node? Not when it stands in hardware or belongs to a stream. */
bool weir_rewrite_may(const weir_graph *graph, weir_node node);
/* Every use of `old` becomes one of `with`. */
void weir_rewrite_replace(weir_rewrite *rewrite, weir_value old, weir_value with);
/* Removes a node whose outputs are unused and the constants that only it used; counts as one rewriting. */
void weir_rewrite_remove(weir_rewrite *rewrite, weir_node node);
/* Infers what became stale; false after a reported error. */
bool weir_rewrite_finish(weir_rewrite *rewrite);

#endif
