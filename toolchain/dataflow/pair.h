/* Parameter memories that share blocks: if the device's blocks have two read ports, two memories that leave much of
 * their blocks empty are put into one array, one after the other, each with its own read port
 * (rtl/memory/weir_rom_pair.v). That changes neither their contents nor their timing. */
#ifndef WEIR_DATAFLOW_PAIR_H
#define WEIR_DATAFLOW_PAIR_H

#include "dataflow/cost/device.h"
#include "ir/graph/graph.h"

/* A ROM of a graph: copy `copy` of memory `memory` of the node, of `depth` lines of `width` bits. */
typedef struct weir_pair_rom {
    weir_node node;
    size_t memory;
    int64_t copy;
    int64_t width, depth;
} weir_pair_rom;

/* Both in one array, b's lines behind those of a. */
typedef struct weir_pair {
    weir_pair_rom a, b;
} weir_pair;

typedef struct weir_pairs {
    weir_pair *item;
    size_t count;
} weir_pairs;

/* The pairs of ROMs in blocks that take fewer blocks of the graph's device together than apart, those that save most
 * first; each ROM is in one of them at most. None without a device, or where its blocks have one read port. Of a graph
 * with components assigned and folded; free it with weir_pair_free. Cost: the square of the number of different
 * sizes. */
weir_pairs weir_pair_find(const weir_graph *hardware);
void weir_pair_free(weir_pairs *pairs);
/* The pair that such a ROM is in, and whether it is b of it; `count` of the pairs: none. */
size_t weir_pair_of(const weir_pairs *pairs, weir_node node, size_t memory, int64_t copy, bool *is_b);
/* Blocks of a device for both together; a device whose blocks have one read port holds the array twice. */
int64_t weir_pair_blocks(const weir_device *device, const weir_pair *pair);

#endif
