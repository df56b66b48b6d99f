/* The cost of hardware depends on the contents of its parameter memories: tools remove a constant column, keep one of
 * several equal registers, and turn a product with a constant into a few sums. Facts are numbers that state this beside
 * the parameters of an instance, for its cost (cost.h). */
#ifndef WEIR_DATAFLOW_CONTENTS_H
#define WEIR_DATAFLOW_CONTENTS_H

#include "dataflow/cost/cost.h"
#include "support/memory/map.h"

/* Columns of a memory: the same bit of all its lines. */
typedef struct weir_contents_columns {
    int64_t varying; /* hold zeros and ones */
    /* how many of these differ; all count in a memory of blocks, or a large one */
    int64_t distinct;
} weir_contents_columns;

/* State of a column. */
typedef enum weir_contents_bit { WEIR_CONTENTS_ZERO, WEIR_CONTENTS_ONE, WEIR_CONTENTS_VARIES } weir_contents_bit;

/* For a node with component and folding. `bit`: NULL, or room for the state of each column of a line. Cost: a few words
 * if no column is constant, else the whole memory. */
weir_contents_columns weir_contents_count(const weir_graph *graph, weir_node node, const weir_memory *memory,
                                          uint8_t *bit);

enum { WEIR_CONTENTS_FACTS = 12 };

/* Facts of a node, as its component's `facts` returns them (component.h). */
typedef struct weir_contents_facts {
    weir_cost_parameter fact[WEIR_CONTENTS_FACTS];
    size_t count;
} weir_contents_facts;

/* What was counted for nodes; all zero: nothing. Free it with weir_contents_forget. */
typedef struct weir_contents_counted {
    weir_map number; /* columns, tables and hashes; 1 + index of facts */
    weir_contents_facts *facts;
    size_t facts_count, facts_capacity;
} weir_contents_counted;
void weir_contents_forget(weir_contents_counted *counted);

/* What was counted: columns once per layout of a memory, whatever its storage; facts once per folding; both independent
 * of where, and in how many cycles, products are computed. `values` identifies the node and its constants without its
 * folding. */
typedef struct weir_contents_known {
    weir_contents_counted *counted;
    uint64_t values;
    /* equal if the same modules with the same parameters are built, whatever their contents; 0: not known */
    uint64_t built;
} weir_contents_known;

/* Adds facts for an instance of the node after its `count` parameters: the columns of the memory in `file` (NULL: it
 * has none), their lookup tables in logic if a column takes several of the target's, and the component's own facts.
 * Returns the new count. `known`: NULL, or of the node. */
size_t weir_contents_add(const weir_graph *graph, weir_node node, const char *file, const weir_contents_known *known,
                         weir_cost_parameter *parameter, size_t count);
/* A hash of all facts of the node; `known` is not NULL. */
uint64_t weir_contents_hash(const weir_graph *graph, weir_node node, const weir_contents_known *known);

#endif
