/* Models that are quantized in part: quantizers of their own stay, loops over time that have none get all, and layers
 * and what combines real numbers with what quantizers make get those that they lack, on an input from the range that
 * the calibration saw, where it has no quantizer that others read, on weights with a scale an output. Biases stay
 * numbers. */
#include <stdlib.h>

#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/quantize/quantizer.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static weir_value complete_weights(weir_quantizer *q, weir_node node, size_t index, size_t *outputs) {
    const weir_value value = weir_node_input(q->graph, node, index);
    const int axis = weir_quantizer_axis(q, node, index);
    *outputs = weir_quantizer_scales(q, value, axis);
    double *scale = weir_calloc(*outputs, sizeof *scale), *least = weir_calloc(*outputs, sizeof *least);
    const weir_value made = weir_quantizer_weights(q, node, value, axis, least, scale);
    free(least);
    free(scale);
    return made;
}

/* What the value's own quantizer makes of it for others, before the node; none: it has no such. */
static weir_value made_for_others(const weir_graph *graph, weir_value value, weir_node node) {
    for (size_t i = 0; i < weir_value_use_count(graph, value); i++) {
        const weir_node user = weir_value_use(graph, value, i).node;
        const weir_value codes = weir_node_output(graph, user, 0);
        if (weir_trait_kind(graph, user) != WEIR_OP_QUANTIZE_LINEAR || weir_value_use_count(graph, codes) == 0)
            continue;
        const weir_node back = weir_value_use(graph, codes, 0).node;
        if (weir_trait_kind(graph, back) != WEIR_OP_DEQUANTIZE_LINEAR) continue;
        weir_node next = back;
        while (next.id != 0 && next.id != node.id) next = weir_node_next(graph, next);
        if (next.id != 0) return weir_node_output(graph, back, 0);
    }
    return WEIR_NO_VALUE;
}

/* False after a reported error. */
static bool complete_input(weir_quantizer *q, weir_node node, size_t index) {
    const weir_value value = weir_node_input(q->graph, node, index);
    const bool constant = weir_quantizer_is_constant(q, value);
    const weir_value others = constant ? WEIR_NO_VALUE : made_for_others(q->graph, value, node);
    if (others.id != 0) {
        weir_node_set_input(q->graph, node, index, others);
        weir_note("node '%s' (%s): input '%s' had no quantizer: it gets the one that others read",
                  weir_node_name(q->graph, node), weir_node_info(q->graph, node)->full_name,
                  weir_value_name(q->graph, value));
        return true;
    }
    const weir_range *range = constant ? NULL : &weir_quantizer_value(q, value)->range;
    size_t outputs;
    const weir_value made =
        constant ? complete_weights(q, node, index, &outputs) : weir_quantizer_activation(q, value, node);
    if (made.id == 0) return false;
    weir_node_set_input(q->graph, node, index, made);
    if (constant)
        weir_note("node '%s' (%s): weights '%s' had no quantizer: they get 8 bits, a scale for each of %zu outputs",
                  weir_node_name(q->graph, node), weir_node_info(q->graph, node)->full_name,
                  weir_value_name(q->graph, value), outputs);
    else
        weir_note("node '%s' (%s): input '%s' had no quantizer: it gets 8 bits over [%g, %g], an error of up to %.3g",
                  weir_node_name(q->graph, node), weir_node_info(q->graph, node)->full_name,
                  weir_value_name(q->graph, value), range->min, range->max, weir_quantizer_scale(q, made) / 2);
    return true;
}

typedef struct uses {
    weir_use *item;
    size_t count, room;
} uses;

static bool keep(void *user, weir_use use) {
    uses *u = user;
    if (u->count == u->room) {
        u->room = 2 * u->room + 8;
        u->item = weir_realloc(u->item, u->room * sizeof *u->item);
    }
    u->item[u->count++] = use;
    return false;
}

static bool has_quantizers(const weir_graph *graph, const weir_recurrence *loop) {
    bool has = false;
    for (size_t i = 0; i < loop->node_count; i++) has |= weir_trait_is_quantizer(weir_node_op(graph, loop->node[i]));
    return has;
}

/* A loop over time that has none gets them as in a model without any: of 16 bits for what adds up from step to step. */
static bool complete_loop(weir_quantizer *q, const weir_recurrence *loop) {
    if (has_quantizers(q->graph, loop)) return true;
    weir_note("node '%s': its loop over time had no quantizers: it gets those of '--quantize int8'",
              weir_node_name(q->graph, loop->update[0]));
    for (size_t i = 0; i < loop->node_count; i++)
        if (!weir_quantizer_node(q, loop->node[i])) return false;
    return true;
}

static bool complete_loops(weir_quantizer *q) {
    weir_arena *arena = weir_arena_new();
    bool fine = true;
    for (int spanning = 0; spanning < 2; spanning++) {
        weir_recurrence *loop;
        const size_t count =
            (spanning ? weir_recurrences_find_spanning : weir_recurrences_find)(q->graph, arena, &loop);
        for (size_t i = 0; fine && i < count; i++) fine = complete_loop(q, &loop[i]);
    }
    weir_arena_free(arena);
    return fine;
}

bool weir_quantizer_complete(weir_quantizer *q) {
    uses u = {0};
    bool fine = complete_loops(q);
    weir_remedy_each_unquantized(q->graph, keep, &u);
    for (size_t i = 0; fine && i < u.count; i++) fine = complete_input(q, u.item[i].node, u.item[i].index);
    free(u.item);
    return fine;
}
