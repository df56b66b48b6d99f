/* make_pruned FOLDER FIRST COUNT: random networks with masked channels, as text IR: FOLDER/SEED.weir. */
#include <stdio.h>
#include <stdlib.h>

#include "common/channel_graph.h"
#include "ir/graph/print.h"
#include "support/memory/arena.h"

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const unsigned long first = strtoul(argv[2], NULL, 10), count = strtoul(argv[3], NULL, 10);
    for (unsigned long seed = first; seed < first + count; seed++) {
        weir_graph *graph = channel_graph(seed);
        char *path = weir_format("%s/%lu.weir", argv[1], seed);
        const bool fine = weir_graph_save(graph, path);
        free(path);
        weir_graph_free(graph);
        if (!fine) return 1;
    }
    return 0;
}
