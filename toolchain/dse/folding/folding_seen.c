/* What can be seen of a node without building it: all but the contents of its constants. */
#include <assert.h>
#include <string.h>

#include "dse/folding/folding_structure_private.h"
#include "support/memory/hash.h"
#include "support/text/unreachable.h"

static uint64_t mix_real(uint64_t hash, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return weir_hash_mix(hash, bits);
}

static uint64_t mix_attribute(uint64_t hash, const weir_attribute *a) {
    hash = weir_hash_mix(weir_hash_mix(weir_hash_mix_text(hash, a->name), a->kind), a->count);
    switch (a->kind) {
    case WEIR_ATTRIBUTE_INT: return weir_hash_mix(hash, (uint64_t)a->as.i);
    case WEIR_ATTRIBUTE_FLOAT: return mix_real(hash, a->as.f);
    case WEIR_ATTRIBUTE_STRING: return weir_hash_mix_text(hash, a->as.s);
    case WEIR_ATTRIBUTE_INTS:
        for (size_t i = 0; i < a->count; i++) hash = weir_hash_mix(hash, (uint64_t)a->as.ints[i]);
        return hash;
    case WEIR_ATTRIBUTE_FLOATS:
        for (size_t i = 0; i < a->count; i++) hash = mix_real(hash, a->as.floats[i]);
        return hash;
    }
    weir_unreachable("a kind of attributes");
}

static uint64_t mix_value(const weir_graph *graph, uint64_t hash, weir_value value) {
    const weir_type *type = weir_value_type(graph, value);
    hash = weir_hash_mix(weir_hash_mix(hash, type->dtype), (uint64_t)type->shape.rank);
    for (int i = 0; i < (int)type->shape.rank; i++) hash = weir_hash_mix(hash, (uint64_t)type->shape.dim[i]);
    /* A neighbour may be a node of the host, which has real numbers on its other side: they have no codes. */
    if (type->quant.format == WEIR_FORMAT_FLOAT || weir_value_constant(graph, value) != NULL) return hash;
    bool is_signed;
    hash = weir_hash_mix(hash, (uint64_t)weir_stream_width(graph, value, &is_signed));
    return weir_hash_mix(hash, is_signed);
}

uint64_t weir_folding_seen(const weir_folding_structure *t, weir_node node) {
    assert(node.id < weir_graph_node_limit(t->graph));
    const weir_graph *graph = t->graph;
    const weir_meta_hardware *assigned = &t->assigned[node.id];
    uint64_t hash = weir_hash_mix_text(weir_hash_mix(0, weir_node_op(graph, node)), assigned->module);
    const int64_t products =
        weir_component_setting_value_as(weir_folding_rules(graph, node), assigned, WEIR_SETTING_PRODUCTS);
    hash = weir_hash_mix(hash, (uint64_t)assigned->storage * 3 + (uint64_t)products);
    for (size_t i = 0; i < weir_node_attribute_count(graph, node); i++)
        hash = mix_attribute(hash, weir_node_attribute_at(graph, node, i));
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++)
        hash = mix_value(graph, weir_hash_mix(hash, i), weir_node_input(graph, node, i));
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
        hash = mix_value(graph, weir_hash_mix(hash, i), weir_node_output(graph, node, i));
    return hash;
}
