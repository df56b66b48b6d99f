/* calculate_avg_bits_mg: bits of storage an element, over the data and the weights of all linear layers and
 * convolutions, each tensor weighed by its elements. The storage width is the first entry of a precision: fixed <8, 4>
 * is stored in 8 bits. */
#include "ir/trait/mase.h"
#include "passes/mase/metadata/sparsity.h"
#include "passes/passes.h"

typedef struct mean {
    double bits, elements;
} mean;

static void add(mean *to, const weir_graph *graph, weir_node node, const char *name) {
    weir_value value = weir_mase_find(graph, node, name);
    size_t count;
    if (value.id == 0 || !weir_shape_count(&weir_value_type(graph, value)->shape, &count)) return;
    weir_mase_precision precision = weir_mase_precision_of(graph, value);
    if (precision.count == 0) return; /* a width that is computed while the graph runs */
    to->bits += (double)precision.bits[0] * (double)count;
    to->elements += (double)count;
}

static void set(json_t *record, const char *key, const mean *of) {
    json_object_set_new(record, key, of->elements > 0 ? json_real(of->bits / of->elements) : json_null());
}

bool weir_pass_calculate_avg_bits_mg(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    mean data = {0, 0}, weights = {0, 0};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!weir_sparsity_applies(graph, node)) continue;
        add(&data, graph, node, "data_in_0");
        add(&weights, graph, node, "weight");
    }
    json_t *record = weir_pass_record(context);
    set(record, "data_avg_bit", &data);
    set(record, "w_avg_bit", &weights);
    weir_pass_unchanged(context);
    return true;
}
