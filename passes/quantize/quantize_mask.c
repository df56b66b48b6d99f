/* Masks that are computed, as from an input: scores get their quantizer before them, and a mask one of its own, with
 * two codes in use. */
#include <math.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/quantize/mask.h"
#include "passes/quantize/quantizer.h"
#include "support/memory/arena.h"

/* The value before quantizers that a node in front has got. */
static weir_value unquantized(const weir_quantizer *q, weir_value value) {
    for (weir_node maker = weir_value_producer(q->graph, value);
         !weir_quantizer_is_float(q, value) && maker.id != 0 && weir_trait_is_quantizer(weir_node_op(q->graph, maker));
         maker = weir_value_producer(q->graph, value))
        value = weir_node_input(q->graph, maker, 0);
    return value;
}

bool weir_quantizer_masks(const weir_quantizer *q, weir_node node, weir_computed_mask *mask) {
    bool found = false;
    for (uint32_t i = 0; !found && i < 3 && !q->fixed; i++) {
        if (!weir_mask_may_be(q->graph, node, i, mask)) continue;
        const weir_value data = weir_node_input(q->graph, node, i),
                         other = unquantized(q, weir_node_input(q->graph, node, mask->other));
        found = weir_quantizer_is_float(q, data) && weir_quantizer_is_float(q, other) &&
                weir_quantizer_value(q, data)->after && !weir_quantizer_value(q, other)->is_numbers &&
                (!weir_quantizer_value(q, other)->after || weir_mask_is_kept(q->graph, other));
    }
    return found;
}

static weir_value add_node(weir_graph *graph, weir_op op, weir_node as, const char *suffix, const weir_value *inputs,
                           size_t count) {
    char *name = weir_format("%s%s", weir_node_name(graph, as), suffix);
    const weir_node node = weir_graph_add_node(graph, op, name, inputs, count, 1, as);
    free(name);
    if (weir_trait_of(op)->kind == WEIR_OP_CAST) weir_node_set_string(graph, node, "to", "float32");
    weir_node_set_location(graph, node, weir_node_location(graph, as));
    return weir_infer_node(graph, node) ? weir_node_output(graph, node, 0) : WEIR_NO_VALUE;
}

static weir_value number(weir_quantizer *q, weir_node as, const char *suffix, double value) {
    weir_array *array = weir_array_new(WEIR_FLOAT32, &(weir_shape){.rank = 0});
    weir_array_set(array, 0, value);
    char *name = weir_format("%s%s", weir_node_name(q->graph, as), suffix);
    const weir_value made = weir_graph_add_constant(q->graph, name, array);
    free(name);
    weir_array_free(array);
    return made;
}

/* What a Where adds: 0 to what it keeps, else a number below. */
static weir_value addend_of(weir_quantizer *q, weir_node node, const weir_computed_mask *mask, double below) {
    const weir_value condition = weir_node_input(q->graph, node, 0);
    const bool keeps = mask->data == 1; /* what its condition holds for */
    weir_value x = add_node(q->graph, WEIR_OP_CAST, node, "_condition", &condition, 1);
    if (x.id != 0 && keeps)
        x = add_node(q->graph, WEIR_OP_SUB, node, "_left_out", (weir_value[]){x, number(q, node, "_one", 1)}, 2);
    return x.id == 0 ? x
                     : add_node(q->graph, WEIR_OP_MUL, node, "_mask",
                                (weir_value[]){x, number(q, node, "_below", keeps ? below : -below)}, 2);
}

bool weir_quantizer_mask(weir_quantizer *q, weir_node node, const weir_computed_mask *mask) {
    enum { CODES = 255, FAR = 64 };
    const weir_value data = weir_node_input(q->graph, node, mask->data), result = weir_node_output(q->graph, node, 0);
    const weir_range *scores = &weir_quantizer_value(q, data)->range;
    /* a step is beyond all distances of scores */
    const double step = FAR + 2 * (fmax(scores->max, 0) - fmin(scores->min, 0));
    const weir_range range = {true, -CODES * step, 0};
    const weir_value numbers =
                         mask->sum ? weir_node_input(q->graph, node, mask->other) : addend_of(q, node, mask, step),
                     left = numbers.id == 0 ? numbers : weir_quantizer_of_range(q, numbers, &range, node),
                     right = weir_quantizer_activation(q, data, node);
    if (left.id == 0 || right.id == 0) return false;
    const weir_value inputs[2] = {right, left}, sum = add_node(q->graph, WEIR_OP_ADD, node, "_masked", inputs, 2);
    if (sum.id == 0) return false;
    for (size_t i = weir_value_use_count(q->graph, result); i-- > 0;) {
        const weir_use use = weir_value_use(q->graph, result, i);
        weir_node_set_input(q->graph, use.node, use.index, sum);
    }
    return true;
}
