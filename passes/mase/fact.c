#include "passes/mase/fact.h"

#include <string.h>

/* The member, an object, made when absent. */
static json_t *member(json_t *object, const char *key) {
    json_t *found = json_object_get(object, key);
    if (found != NULL) return found;
    json_object_set_new(object, key, json_object());
    return json_object_get(object, key);
}

static const char *side(const char *name) { return strncmp(name, "data_out_", 9) == 0 ? "results" : "args"; }

void weir_fact_set(weir_graph *graph, weir_node node, const char *name, const char *key, json_t *value) {
    json_t *software = weir_metadata_facts(weir_node_metadata(graph, node), WEIR_META_SOFTWARE);
    json_object_set_new(member(member(software, side(name)), name), key, value);
}

const json_t *weir_fact_get(const weir_graph *graph, weir_node node, const char *name, const char *key) {
    const json_t *software = weir_metadata_facts_of(weir_node_metadata_of(graph, node), WEIR_META_SOFTWARE);
    return json_object_get(json_object_get(json_object_get(software, side(name)), name), key);
}
