#include "dataflow/products.h"

#include <stdlib.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "support/memory/arena.h"

/* Lookup tables that a block has to save: about what a product of a layer, 8 x 8 bits, saves in one. */
enum { WORTH = 60 };

/* A node that may use blocks. */
typedef struct candidate {
    weir_node node;
    const weir_component_setting *setting;
    int64_t blocks, saved; /* lookup tables that they save */
} candidate;

static weir_cost cost_in(weir_cost_survey *survey, weir_graph *graph, weir_node node,
                         const weir_component_setting *setting, weir_storage products) {
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    const int64_t before = weir_component_setting_of(hardware, setting);
    weir_component_setting_set(hardware, setting, products);
    const weir_cost cost = weir_cost_survey_node(survey, node).cost;
    weir_component_setting_set(hardware, setting, before);
    return cost;
}

/* More lookup tables saved by a block first, then in graph order. */
static int compare(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    const int64_t more = y->saved * x->blocks - x->saved * y->blocks;
    if (more != 0) return more > 0 ? 1 : -1;
    return x->node.id > y->node.id ? 1 : -1;
}

/* The setting of where products are formed, if that is open; else NULL. */
static const weir_component_setting *open_setting(const weir_component_rules *rules,
                                                  const weir_meta_hardware *hardware) {
    const weir_component_setting *setting = weir_component_setting_as(rules, WEIR_SETTING_PRODUCTS, 0);
    const bool is_open = setting != NULL && rules->foldings == NULL;
    return is_open && weir_component_setting_of(hardware, setting) == WEIR_STORAGE_AUTO ? setting : NULL;
}

/* A search for foldings leaves none. */
static bool has_open(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component *component = weir_component_of(graph, node);
        if (component != NULL && open_setting(component->rules, &weir_node_metadata_of(graph, node)->hardware) != NULL)
            return true;
    }
    return false;
}

void weir_products_choose(weir_graph *graph) {
    const weir_device *device = weir_target_of(graph).device;
    if (device == NULL || !has_open(graph)) return;
    weir_cost_survey *survey = weir_cost_survey_new(graph, device);
    candidate *item = weir_calloc(weir_graph_node_limit(graph), sizeof *item);
    size_t count = 0;
    int64_t left = device->multipliers.count;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component *component = weir_component_of(graph, node);
        if (component == NULL) continue;
        weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
        const weir_component_setting *setting = open_setting(component->rules, hardware);
        if (setting == NULL) {
            left -= weir_cost_survey_node(survey, node).cost.multipliers;
            continue;
        }
        const weir_cost block = cost_in(survey, graph, node, setting, WEIR_STORAGE_BLOCK);
        const weir_cost logic = cost_in(survey, graph, node, setting, WEIR_STORAGE_LOGIC);
        if (block.multipliers == 0) continue;
        weir_component_setting_set(hardware, setting, WEIR_STORAGE_LOGIC);
        item[count++] = (candidate){node, setting, block.multipliers, logic.luts - block.luts};
    }
    weir_cost_survey_free(survey);
    qsort(item, count, sizeof *item, compare);
    for (size_t i = 0; i < count; i++) {
        if (item[i].blocks > left || item[i].saved < WORTH * item[i].blocks) continue;
        weir_component_setting_set(&weir_node_metadata(graph, item[i].node)->hardware, item[i].setting,
                                   WEIR_STORAGE_BLOCK);
        left -= item[i].blocks;
    }
    free(item);
}
