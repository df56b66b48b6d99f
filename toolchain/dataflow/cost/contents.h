/* What hardware takes depends on what its parameter memories hold: tools keep nothing of a column that is constant, of
 * registers that hold the same they keep one, and a product with a constant is a few sums. What is to be known of that
 * are numbers beside the parameters of an instance, for its cost (cost.h). */
#ifndef WEIR_DATAFLOW_CONTENTS_H
#define WEIR_DATAFLOW_CONTENTS_H

#include "dataflow/cost/cost.h"
#include "support/memory/map.h"

/* Columns of a memory, the bits of all its lines at one place. */
typedef struct weir_contents_columns {
    int64_t varying; /* hold zeros and ones */
    /* how many of these differ; all count in a memory of blocks, or a large one */
    int64_t distinct;
} weir_contents_columns;

/* State of a column. */
typedef enum weir_contents_bit { WEIR_CONTENTS_ZERO, WEIR_CONTENTS_ONE, WEIR_CONTENTS_VARIES } weir_contents_bit;

/* Of a node that has its component and folding. `bit`: NULL, or room for the state of each column of a line. Cost: a
 * few words where no column is constant, else all of it. */
weir_contents_columns weir_contents_count(const weir_graph *graph, weir_node node, const weir_memory *memory,
                                          uint8_t *bit);

enum { WEIR_CONTENTS_FACTS = 12 };

/* Numbers of a node as `facts` gives them (component.h). */
typedef struct weir_contents_facts {
    weir_cost_parameter fact[WEIR_CONTENTS_FACTS];
    size_t count;
} weir_contents_facts;

/* What was counted of nodes, all zero: nothing. Heap memory: weir_contents_forget. */
typedef struct weir_contents_counted {
    weir_map number; /* columns, tables and hashes; 1 + index of facts */
    weir_contents_facts *facts;
    size_t facts_count, facts_capacity;
} weir_contents_counted;
void weir_contents_forget(weir_contents_counted *counted);

/* What was counted: columns once for a layout of a memory wherever it lies, facts once for a folding, both wherever
 * products are formed, and in however many cycles. `values` stands for the node's constants and what it is except for
 * its folding. */
typedef struct weir_contents_known {
    weir_contents_counted *counted;
    uint64_t values;
    /* equal where the same modules with the same parameters are built, whatever they hold; 0: not known */
    uint64_t built;
} weir_contents_known;

/* The facts for an instance of the node's, after the `count` parameters that it has: the columns of the memory in
 * `file`, NULL: it has none, the lookup tables of these in logic where a column takes several of the target's, and what
 * the component says. Returns how many there are then. `known`: NULL, or of the node. */
size_t weir_contents_add(const weir_graph *graph, weir_node node, const char *file, const weir_contents_known *known,
                         weir_cost_parameter *parameter, size_t count);
/* A hash of all facts of the node; `known` is not NULL. */
uint64_t weir_contents_hash(const weir_graph *graph, weir_node node, const weir_contents_known *known);

#endif
