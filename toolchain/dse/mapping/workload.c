#include "dse/mapping/workload.h"

#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

bool weir_dse_workload_sort(weir_dse_workload *w, weir_arena *arena) {
    int *degree = weir_arena_array(arena, (size_t)w->count, sizeof *degree), count = 0;
    w->order = weir_arena_array(arena, (size_t)w->count, sizeof *w->order);
    for (int i = 0; i < w->count; i++) {
        degree[i] = w->node[i].source_count;
        if (degree[i] == 0) w->order[count++] = i;
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < w->count; j++) {
            for (int s = 0; s < w->node[j].source_count; s++)
                if (w->node[j].source[s] == w->order[i] && --degree[j] == 0) w->order[count++] = j;
        }
    }
    return count == w->count;
}

static void add_source(weir_dse_node *node, int source) {
    for (int i = 0; i < node->source_count; i++)
        if (node->source[i] == source) return;
    node->source[node->source_count++] = source;
}

/* In topological order: the sources of a node that costs nothing are already layers. */
weir_dse_workload *weir_dse_workload_layers(const weir_dse_workload *w, weir_arena *arena) {
    weir_dse_workload *layers = weir_arena_alloc(arena, sizeof *layers);
    weir_dse_node *through = weir_arena_array(arena, (size_t)w->count, sizeof *through);
    int *number = weir_arena_array(arena, (size_t)w->count, sizeof *number);
    layers->path = w->path;
    layers->node = weir_arena_array(arena, (size_t)w->count, sizeof *layers->node);
    for (int i = 0; i < w->count; i++) number[i] = w->node[i].layer == NULL ? -1 : layers->count++;
    for (int i = 0; i < w->count; i++) {
        const int n = w->order[i];
        through[n].source = weir_arena_array(arena, (size_t)w->count, sizeof(int));
        for (int s = 0; s < w->node[n].source_count; s++) {
            const int source = w->node[n].source[s];
            if (number[source] >= 0) add_source(&through[n], number[source]);
            for (int k = 0; number[source] < 0 && k < through[source].source_count; k++)
                add_source(&through[n], through[source].source[k]);
        }
    }
    for (int i = 0; i < w->count; i++) {
        if (number[i] < 0) continue;
        layers->node[number[i]] = through[i];
        layers->node[number[i]].layer = w->node[i].layer;
    }
    weir_dse_workload_sort(layers, arena);
    return layers;
}

bool weir_dse_workload_map(weir_dse_layer *layer, const weir_dse_mapping *mapping) {
    layer->mapping = weir_dse_mapping_find(mapping, layer->name, layer->type);
    for (int i = 0; i < layer->operand_count; i++) {
        const int link = layer->mapping->link[(unsigned char)layer->operand[i].name];
        if (link < 0) {
            weir_error(layer->location, "layer '%s': the mapping '%s' links no memory operand to '%c'", layer->name,
                       layer->mapping->name, layer->operand[i].name);
            return false;
        }
        layer->operand[i].memory_operand = (uint8_t)link;
    }
    return true;
}
