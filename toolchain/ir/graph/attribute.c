#include "ir/graph/graph.h"

int64_t weir_node_int(const weir_graph *graph, weir_node node, const char *name, int64_t otherwise) {
    const weir_attribute *attribute = weir_node_attribute(graph, node, name);
    return attribute != NULL && attribute->kind == WEIR_ATTRIBUTE_INT ? attribute->as.i : otherwise;
}

double weir_node_float(const weir_graph *graph, weir_node node, const char *name, double otherwise) {
    const weir_attribute *attribute = weir_node_attribute(graph, node, name);
    return attribute != NULL && attribute->kind == WEIR_ATTRIBUTE_FLOAT ? attribute->as.f : otherwise;
}

const char *weir_node_string(const weir_graph *graph, weir_node node, const char *name, const char *otherwise) {
    const weir_attribute *attribute = weir_node_attribute(graph, node, name);
    return attribute != NULL && attribute->kind == WEIR_ATTRIBUTE_STRING ? attribute->as.s : otherwise;
}
