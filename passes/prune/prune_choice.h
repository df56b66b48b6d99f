/* What prune does to weights, and to activations: the mappings of its options, with MASE's keys. */
#ifndef WEIR_PASSES_PRUNE_CHOICE_H
#define WEIR_PASSES_PRUNE_CHOICE_H

#include <jansson.h>

#include "ir/graph/graph.h"

typedef struct weir_prune_choice {
    bool is_global, is_random, is_channel;
    bool is_coupled;   /* channels that can only go together are one unit, and those that cannot go are none */
    bool takes_bias;   /* masked channels lose what is added to them, too */
    int64_t keep, of;  /* N:M; `of` 0: no */
    int64_t block;     /* 1: elements */
    double sparsity;   /* of nodes that are not named */
    const json_t *own; /* by node, or NULL; the mapping's */
    uint64_t random;   /* state of random numbers */
} weir_prune_choice;

/* Reads the mapping of the option, "weight" or "activation", into a choice of zeros. False after a reported error. */
bool weir_prune_read(const json_t *mapping, const char *option, weir_prune_choice *choice);
/* Are all nodes that the mapping names among these? False after a reported error. */
bool weir_prune_knows(const weir_graph *graph, const weir_node *nodes, size_t count, const weir_prune_choice *choice);
/* The share of the node's elements that are to become zero. */
double weir_prune_share(const weir_graph *graph, weir_node node, const weir_prune_choice *choice);

/* Puts masks before the data of linear layers and convolutions (prune_activation.c). `dummy_in`: frames by which a
 * common threshold is found. False after a reported error. */
bool weir_prune_activations(weir_graph *graph, weir_prune_choice *choice, const char *dummy_in, json_t *record);

#endif
