/* Data that stay in memories near the array from one layer to the next: how low they may stay, and the hierarchy
 * without what lies above. Memories are counted as the accelerator's file has them. */
#include <stdlib.h>
#include <string.h>

#include "dse/mapping/workload.h"
#include "dse/stages/stages.h"
#include "support/memory/arena.h"

#define LOCALITY "mem_update_list"

/* The highest memory that each layer's activations and output need, and that of all weights. */
typedef struct locality {
    const weir_dse_workload *layers; /* nodes that cost nothing left out */
    int *activations, *output;       /* by node */
    int weights;
    double weight_bits; /* of the network */
} locality;

static int top_memory(const weir_dse_accelerator *a, int operand) {
    for (int m = a->memory_count - 1; m >= 0; m--)
        for (int i = 0; i < a->memory[m].operand_count; i++)
            if (a->memory[m].operand[i] == operand) return m;
    return -1;
}

static bool serves(const weir_dse_memory *memory, int operand) {
    for (int i = 0; i < memory->operand_count; i++)
        if (memory->operand[i] == operand) return true;
    return false;
}

/* The memory operands of a layer's activations and weights. A layer of one input has no weights: -1. */
static int activations_of(const weir_dse_layer *layer) {
    return layer->operand[weir_dse_layer_activations(layer)].memory_operand;
}
static int weights_of(const weir_dse_layer *layer) {
    const int operand = weir_dse_layer_weights(layer);
    return operand == 0 ? -1 : layer->operand[operand].memory_operand;
}

static double activation_bits(const weir_dse_layer *layer) {
    double bits = 0;
    if (weir_dse_layer_constants(layer) > 0) return layer->operand[weir_dse_layer_activations(layer)].bits;
    for (int i = 1; i < layer->operand_count; i++) bits += layer->operand[i].bits;
    return bits;
}

/* The nodes that take from a node, in their order. */
static int find_users(const weir_dse_workload *w, int node, int *first) {
    int count = 0;
    for (int i = w->count - 1; i >= 0; i--) {
        for (int s = 0; s < w->node[i].source_count; s++) {
            if (w->node[i].source[s] != node) continue;
            *first = i;
            count++;
        }
    }
    return count;
}

/* The lowest memory in which the layer's output, with its activations and the weights in it, has room. */
static void settle(const weir_dse_accelerator *a, locality *l, int node, int next, bool is_first) {
    const weir_dse_layer *layer = l->layers->node[node].layer;
    const int activations = activations_of(layer), weights = weights_of(layer), output = WEIR_DSE_O;
    const int next_activations = next < 0 ? activations : activations_of(l->layers->node[next].layer);
    const bool is_sum = weir_dse_layer_constants(layer) == 0;
    for (int m = a->memory_count - 1; m >= 0; m--) {
        const weir_dse_memory *memory = &a->memory[m];
        const bool both = serves(memory, next_activations) && serves(memory, output);
        const bool has_weights = weights >= 0 && serves(memory, weights),
                   holds_weights = has_weights && !(is_sum && both);
        double need = holds_weights ? l->weight_bits : 0;
        if (!both && !has_weights) continue;
        if ((is_sum && both) || serves(memory, activations)) need += activation_bits(layer);
        if (serves(memory, output)) need += layer->operand[0].bits;
        if (need > memory->size * weir_dse_memory_count(a, memory)) continue;
        if (both && is_first) l->activations[node] = m;
        if (both) l->output[node] = m;
        if (m < l->weights && has_weights && memory->serves + 1 == 1U << a->dimension_count) l->weights = m;
    }
}

static void find_levels(const weir_dse_accelerator *a, locality *l) {
    const weir_dse_workload *w = l->layers;
    for (int i = 0; i < w->count; i++) {
        const int node = w->order[i], previous = w->node[node].source_count > 0 ? w->node[node].source[0] : -1;
        int next = -1;
        const int users = find_users(w, node, &next);
        if (i > 0 && previous >= 0) l->activations[node] = l->output[previous];
        if (users > 1 || (users == 1 && w->node[next].source_count > 1)) {
            if (i == 0) l->activations[node] = top_memory(a, activations_of(w->node[node].layer));
            l->output[node] = top_memory(a, WEIR_DSE_O);
        } else settle(a, l, node, next, i == 0);
    }
}

static bool run_search(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    const weir_dse_accelerator *a = weir_dse_get(context, WEIR_DSE_ACCELERATOR);
    weir_arena *arena = weir_arena_new();
    locality l = {.layers = weir_dse_workload_layers(weir_dse_get(context, WEIR_DSE_WORKLOAD), arena)};
    const size_t count = (size_t)l.layers->count;
    l.activations = weir_arena_array(arena, count, sizeof(int));
    l.output = weir_arena_array(arena, count, sizeof(int));
    for (size_t i = 0; i < count; i++) {
        const weir_dse_layer *layer = l.layers->node[i].layer;
        l.activations[i] = top_memory(a, activations_of(layer));
        l.output[i] = top_memory(a, WEIR_DSE_O);
        if (weir_dse_layer_constants(layer) > 0 && weir_dse_layer_weights(layer) > 0)
            l.weight_bits += layer->operand[weir_dse_layer_weights(layer)].bits;
    }
    const int weights = weights_of(l.layers->node[0].layer);
    l.weights = weights < 0 ? a->memory_count - 1 : top_memory(a, weights);
    find_levels(a, &l);
    const weir_dse_context frame = {context, LOCALITY, &l};
    const bool fine = weir_dse_stage_below(stage, &frame, sink, user);
    weir_arena_free(arena);
    return fine;
}

const weir_dse_stage_body weir_dse_stage_search_inter_layer_data_locality = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_WORKLOAD),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_WORKLOAD, LOCALITY),
    .run = run_search};

/* --- the hierarchy of a layer --- */

static void keep_operand(weir_dse_memory *to, const weir_dse_memory *from, int operand) {
    if (!serves(from, operand)) return;
    to->operand[to->operand_count++] = (uint8_t)operand;
    for (int p = 0; p < from->port_count; p++) {
        for (int i = 0; i < from->port[p].served; i++)
            if (from->port[p].serves[i].operand == operand)
                to->port[p].serves[to->port[p].served++] = from->port[p].serves[i];
    }
}

/* Ports that serve nothing any more go. */
static void drop_ports(weir_dse_memory *memory) {
    int kept = 0;
    memset(memory->port_of, -1, sizeof memory->port_of);
    for (int p = 0; p < memory->port_count; p++) {
        if (memory->port[p].served == 0) continue;
        memory->port[kept] = memory->port[p];
        for (int i = 0; i < memory->port[kept].served; i++)
            memory->port_of[memory->port[kept].serves[i].operand][memory->port[kept].serves[i].direction] =
                (int8_t)kept;
        kept++;
    }
    memory->port_count = kept;
}

/* Each operand up to its level; in a memory, activations, weights, output. */
static weir_dse_accelerator *cut_down(const weir_dse_accelerator *a, const int operand[3], const int level[3]) {
    weir_dse_accelerator *cut = weir_malloc(sizeof *cut);
    *cut = *a;
    cut->memory_count = 0;
    for (int m = 0; m < a->memory_count; m++) {
        weir_dse_memory *memory = &cut->memory[cut->memory_count];
        *memory = a->memory[m];
        memory->operand_count = 0;
        for (int p = 0; p < memory->port_count; p++) memory->port[p].served = 0;
        for (int i = 0; i < 3; i++)
            if (operand[i] >= 0 && m <= level[i]) keep_operand(memory, &a->memory[m], operand[i]);
        drop_ports(memory);
        cut->memory_count += memory->operand_count > 0;
    }
    weir_dse_accelerator_link(cut);
    return cut;
}

static bool run_exploit(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    const locality *l = weir_dse_get(context, LOCALITY);
    const weir_dse_layer *layer = weir_dse_get(context, WEIR_DSE_LAYER);
    int node = 0;
    while (l->layers->node[node].layer != layer) node++;
    const int operand[3] = {activations_of(layer), weights_of(layer), WEIR_DSE_O};
    const int weights = weir_dse_layer_constants(layer) == 0 ? l->activations[node] : l->weights;
    const int level[3] = {l->activations[node], weights, l->output[node]};
    weir_dse_accelerator *cut = cut_down(weir_dse_get(context, WEIR_DSE_ACCELERATOR), operand, level);
    weir_dse_keep(context, cut, free);
    const weir_dse_context frame = {context, WEIR_DSE_ACCELERATOR, cut};
    return weir_dse_stage_below(stage, &frame, sink, user);
}

const weir_dse_stage_body weir_dse_stage_exploit_inter_layer_data_locality = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, LOCALITY),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER),
    .run = run_exploit};
