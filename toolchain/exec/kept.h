/* States that are kept and have one step a frame (weir_recurrence_spans): each frame reads what the one before left. */
#ifndef WEIR_EXEC_KEPT_H
#define WEIR_EXEC_KEPT_H

#include "ir/graph/graph.h"

typedef struct weir_kept weir_kept;

/* In the arena; NULL: the graph has none. */
weir_kept *weir_kept_new(const weir_graph *graph, weir_arena *arena);
/* Is the node such a State? Then `value` gets what it has in this frame, `initial` where a sequence begins. */
bool weir_kept_gives(weir_kept *kept, weir_node node, const weir_array *initial, weir_array *value);
/* Where the node is the Update of one, the next frame has the value. */
void weir_kept_takes(weir_kept *kept, weir_node node, const weir_array *value);
/* The next frame begins a sequence. */
void weir_kept_restart(weir_kept *kept);

#endif
