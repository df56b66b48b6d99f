/* add_pruning_metadata: the elements that masks remove. The sparsity of a pruned argument is the share of zeros in its
 * mask: of a weight's as it is, of an activation's over all frames of `dummy_in`. Facts software.args.weight.sparsity
 * and .data_in_0.sparsity, with add_value the weight's mask_value. What no mask prunes has no fact and null in the
 * record. */
#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "ir/trait/mase.h"
#include "passes/mase/fact.h"
#include "passes/mase/metadata/sparsity.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

/* A mask at an argument. */
typedef struct pruned {
    weir_node node;
    const char *name;
    weir_value mask;
    weir_zeros zeros;
} pruned;

typedef struct list {
    const weir_graph *graph;
    pruned *item;
    size_t count, capacity;
    bool computed; /* a mask depends on the frame */
} list;

static void find(list *l, weir_node node, const char *name) {
    weir_value value = weir_mase_find(l->graph, node, name);
    weir_node mask = value.id == 0 ? WEIR_NO_NODE : weir_sparsity_mask(l->graph, value);
    if (mask.id == 0) return;
    l->item = weir_grow(l->item, &l->capacity, l->count + 1, sizeof *l->item);
    l->item[l->count++] = (pruned){node, name, weir_node_input(l->graph, mask, 1), {0, 0}};
    l->computed = l->computed || weir_mase_constant(l->graph, weir_node_input(l->graph, mask, 1)) == NULL;
}

/* Any number but 0 keeps an element, whatever the mask's zero point. */
static bool see_frame(void *user, const weir_executor *executor) {
    list *l = user;
    static const weir_type plain = {.quant = {.axis = -1}};
    for (size_t i = 0; i < l->count; i++)
        weir_zeros_add(&l->item[i].zeros, &plain, weir_executor_value(executor, l->item[i].mask));
    return true;
}

static bool measure(list *l, const char *dummy_in) {
    if (l->computed) return weir_frames_run(l->graph, dummy_in, 0, see_frame, l) > 0;
    weir_executor *executor = weir_executor_new(l->graph);
    bool fine = executor != NULL && see_frame(l, executor);
    weir_executor_free(executor);
    return fine;
}

/* Nested lists of 0 and 1. */
static json_t *mask_value(const weir_array *mask, int axis, size_t *at) {
    if (axis == mask->shape.rank) return json_integer(weir_array_get(mask, (*at)++) != 0);
    json_t *values = json_array();
    for (int64_t i = 0; i < mask->shape.dim[axis]; i++) json_array_append_new(values, mask_value(mask, axis + 1, at));
    return values;
}

static void store(weir_graph *graph, const pruned *p, bool add_value, json_t *record) {
    double sparsity = weir_zeros_share(&p->zeros);
    bool is_weight = strcmp(p->name, "weight") == 0;
    json_t *target = json_object_get(record, weir_node_name(graph, p->node));
    json_object_set_new(target, is_weight ? "weight_sparsity" : "activation_sparsity", json_real(sparsity));
    weir_fact_set(graph, p->node, p->name, "sparsity", json_real(sparsity));
    const weir_array *mask = weir_value_constant(graph, p->mask);
    size_t at = 0;
    if (is_weight && add_value && mask != NULL)
        weir_fact_set(graph, p->node, p->name, "mask_value", mask_value(mask, 0, &at));
}

bool weir_pass_add_pruning_metadata(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    list l = {.graph = graph};
    json_t *record = weir_pass_record(context);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!weir_sparsity_applies(graph, node)) continue;
        json_object_set_new(record, weir_node_name(graph, node),
                            json_pack("{s:n, s:n}", "weight_sparsity", "activation_sparsity"));
        find(&l, node, "weight");
        find(&l, node, "data_in_0");
    }
    bool fine = measure(&l, weir_pass_string(pass, "dummy_in"));
    for (size_t i = 0; fine && i < l.count; i++) store(graph, &l.item[i], weir_pass_bool(pass, "add_value"), record);
    free(l.item);
    return fine;
}
