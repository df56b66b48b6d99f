#include "synth/netlist/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "support/memory/arena.h"
#include "support/text/text.h"
#include "synth/netlist/family.h"

weir_node weir_synth_node_of(const weir_graph *hardware, const char *instance) {
    const char *own = strncmp(instance, "u_", 2) == 0 ? instance + 2 : instance;
    weir_node best = {0};
    size_t longest = 0;
    for (weir_node node = weir_graph_first(hardware); node.id != 0; node = weir_node_next(hardware, node)) {
        const char *name = weir_node_name(hardware, node);
        const size_t size = strlen(name);
        if (size <= longest || strncmp(own, name, size) != 0 || strchr("_. [", own[size]) == NULL) continue;
        best = node;
        longest = size;
    }
    return best;
}

typedef struct owners {
    const weir_graph *hardware;
    json_t *of_instance; /* position of the node + 1; 0: none */
    size_t *position;    /* of a node among the components, by id; `count`: it is none */
    size_t count;
} owners;

static size_t owner_of(void *user, const char *cell) {
    const owners *o = user;
    const size_t size = strcspn(cell, ".");
    char *instance = weir_format("%.*s", (int)size, cell);
    const json_t *known = json_object_get(o->of_instance, instance);
    size_t owner = known == NULL ? 0 : (size_t)json_integer_value(known);
    if (known == NULL) {
        const weir_node node = weir_synth_node_of(o->hardware, instance);
        owner = node.id == 0 ? o->count : o->position[node.id];
        json_object_set_new_nocheck(o->of_instance, instance, json_integer((json_int_t)owner));
    }
    free(instance);
    return owner;
}

json_t *weir_synth_nodes_json(const json_t *netlist, const char *module, const weir_graph *hardware,
                              const weir_device *device) {
    owners o = {.hardware = hardware, .of_instance = json_object()};
    uint32_t most = 0;
    for (weir_node node = weir_graph_first(hardware); node.id != 0; node = weir_node_next(hardware, node)) {
        most = node.id > most ? node.id : most;
        o.count += weir_component_of(hardware, node) != NULL;
    }
    o.position = weir_calloc((size_t)most + 1, sizeof *o.position);
    const char **name = weir_calloc(o.count + 1, sizeof *name);
    size_t at = 0;
    for (weir_node node = weir_graph_first(hardware); node.id != 0; node = weir_node_next(hardware, node)) {
        const bool is_component = weir_component_of(hardware, node) != NULL;
        if (is_component) name[at] = weir_node_name(hardware, node);
        o.position[node.id] = is_component ? at++ : o.count;
    }
    weir_cost *cost = weir_calloc(o.count + 1, sizeof *cost);
    weir_synth_count_by(netlist, module, device, owner_of, &o, cost, o.count);
    json_t *nodes = json_array();
    for (size_t i = 0; i < o.count; i++)
        json_array_append_new(nodes, json_pack("{s:s, s:I, s:I, s:I, s:I}", "node", name[i], "luts",
                                               (json_int_t)cost[i].luts, "flip_flops", (json_int_t)cost[i].flip_flops,
                                               "multipliers", (json_int_t)cost[i].multipliers, "memory_blocks",
                                               (json_int_t)cost[i].memory_blocks));
    free(cost);
    free(name);
    free(o.position);
    json_decref(o.of_instance);
    return nodes;
}
