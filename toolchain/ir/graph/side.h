/* Side tables: a pass's data for each value or node of a graph, by id. Values or nodes that the pass adds later have no
 * record; access to one is a bug of the pass, and an assertion catches it before it reads past the end. */
#ifndef WEIR_IR_SIDE_H
#define WEIR_IR_SIDE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/memory/arena.h"

typedef struct weir_side {
    char *record; /* zeroed at first; on the heap */
    size_t size;
    uint32_t limit;
} weir_side;

/* Of ids below the limit (weir_graph_value_limit, weir_graph_node_limit); free it with weir_side_free. */
static inline weir_side weir_side_new(size_t size, uint32_t limit) {
    return (weir_side){weir_calloc((size_t)limit + 1, size), size, limit};
}

static inline void weir_side_free(weir_side *side) {
    free(side->record);
    *side = (weir_side){NULL, 0, 0};
}

/* Was it there when the table was made? The id 0, of no value, has a record of zeros. */
static inline bool weir_side_has(const weir_side *side, uint32_t id) { return id < side->limit; }

static inline void *weir_side_at(const weir_side *side, uint32_t id) {
    assert(weir_side_has(side, id));
    return side->record + id * side->size;
}

#endif
