/* Which values of loops over time get codes of 16 bits: what is added up from step to step, and what functions read of
 * it. Rounded to 8 bits in every step, errors of the cell of an LSTM add up, and functions multiply those of their
 * inputs. What layers multiply with weights stays at 8 bits, except an input of the sequence that needs more. */
#include "ir/shape/index_map.h"
#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/quantize/function.h"
#include "passes/quantize/quantizer.h"

/* Is it multiplied with weights, as such, in another shape or a step later? */
static bool is_multiplied(const weir_quantizer *q, weir_value value) {
    bool is = false;
    for (size_t i = 0; !is && i < weir_value_use_count(q->graph, value); i++) {
        const weir_use use = weir_value_use(q->graph, value, i);
        if (weir_recurrence_names_state(q->graph, use.node, use.index)) continue;
        const weir_op op = weir_node_op(q->graph, use.node);
        if (op == WEIR_OP_UPDATE) {
            const weir_value state = weir_node_input(q->graph, use.node, 1);
            is = is_multiplied(q, state) || is_multiplied(q, weir_node_output(q->graph, use.node, 0));
        } else if (weir_index_map_exists(op) && use.index == 0) {
            for (size_t o = 0; !is && o < weir_node_output_count(q->graph, use.node); o++)
                is = is_multiplied(q, weir_node_output(q->graph, use.node, o));
        } else {
            is = weir_trait_of(op)->task == WEIR_TASK_LAYER;
        }
    }
    return is;
}

static void widen(const weir_quantizer *q, weir_value value) {
    if (weir_quantizer_is_computed(q, value) && !is_multiplied(q, value)) weir_quantizer_value(q, value)->wide = true;
}

/* What a layer multiplies with weights for the value, before a bias and moves; none: no layer makes it. */
static weir_value multiplied_for(const weir_quantizer *q, weir_value value) {
    for (;;) {
        const weir_node node = weir_value_producer(q->graph, value);
        if (node.id == 0) return WEIR_NO_VALUE;
        if (weir_trait_of(weir_node_op(q->graph, node))->task == WEIR_TASK_LAYER)
            return weir_node_input(q->graph, node, 0);
        const size_t index = weir_quantizer_is_constant(q, weir_node_input(q->graph, node, 0)) ? 1 : 0;
        const bool is_biased = weir_trait_kind(q->graph, node) == WEIR_OP_ADD &&
                               weir_quantizer_is_constant(q, weir_node_input(q->graph, node, 1 - index));
        if (!is_biased && !weir_index_map_exists(weir_node_op(q->graph, node))) return WEIR_NO_VALUE;
        value = weir_node_input(q->graph, node, index);
    }
}

static bool is_sum(const weir_quantizer *q, weir_node node) {
    const weir_op kind = weir_trait_kind(q->graph, node);
    return (kind == WEIR_OP_ADD || kind == WEIR_OP_SUB) &&
           weir_quantizer_is_computed(q, weir_node_input(q->graph, node, 0)) &&
           weir_quantizer_is_computed(q, weir_node_input(q->graph, node, 1));
}

/* The product of two computed values; none: it is something else. */
static weir_node product_of(const weir_quantizer *q, weir_value value) {
    const weir_node node = weir_value_producer(q->graph, value);
    const bool is = node.id != 0 && weir_trait_kind(q->graph, node) == WEIR_OP_MUL &&
                    weir_quantizer_is_computed(q, weir_node_input(q->graph, node, 0)) &&
                    weir_quantizer_is_computed(q, weir_node_input(q->graph, node, 1));
    return is ? node : WEIR_NO_NODE;
}

static uint32_t root_of(const weir_quantizer *q, uint32_t id) {
    while (weir_quantizer_value(q, (weir_value){id})->scale_of != 0)
        id = weir_quantizer_value(q, (weir_value){id})->scale_of;
    return id;
}

/* Where both are wide they have one scale: codes add up as they are. */
static void unite(const weir_quantizer *q, weir_value a, weir_value b) {
    if (!weir_quantizer_value(q, a)->wide || !weir_quantizer_value(q, b)->wide) return;
    const uint32_t one = root_of(q, a.id), other = root_of(q, b.id);
    if (one != other) weir_quantizer_value(q, (weir_value){other})->scale_of = one;
}

/* The computed operand of a node that has one, and that moves elements or computes each from itself; none: it has
 * others, or is something else. */
static weir_value operand_of(const weir_quantizer *q, weir_node node) {
    const weir_op op = weir_node_op(q->graph, node);
    weir_value found = WEIR_NO_VALUE;
    if (weir_trait_of(op)->element == WEIR_ELEMENT_NONE && !weir_index_map_exists(op)) return found;
    for (size_t i = 0; i < weir_node_input_count(q->graph, node); i++) {
        const weir_value input = weir_node_input(q->graph, node, i);
        if (input.id == 0 || !weir_quantizer_is_computed(q, input)) continue;
        if (found.id != 0) return WEIR_NO_VALUE;
        found = input;
    }
    return found;
}

/* Is it a function as gates are, at most moved, scaled, or what is left to 1? */
static bool is_gate(const weir_quantizer *q, weir_value value) {
    weir_node node = weir_value_producer(q->graph, value);
    while (node.id != 0 && weir_trait_of(weir_node_op(q->graph, node))->element != WEIR_ELEMENT_MONOTONE) {
        const weir_value operand = operand_of(q, node);
        node = operand.id == 0 ? WEIR_NO_NODE : weir_value_producer(q->graph, operand);
    }
    return node.id != 0;
}

/* Is it a product with constants, such as a peephole? It has a scale an element, of which there is no exact requantizer
 * to 16 bits. */
static bool is_scaled(const weir_quantizer *q, weir_value value) {
    const weir_node node = weir_value_producer(q->graph, value);
    const weir_op kind = node.id == 0 ? WEIR_OP_NONE : weir_trait_kind(q->graph, node);
    return (kind == WEIR_OP_MUL || kind == WEIR_OP_DIV) && product_of(q, value).id == 0;
}

/* Is it what a State gives, as such or moved? */
static bool is_remembered(const weir_quantizer *q, weir_value value) {
    weir_node node = weir_value_producer(q->graph, value);
    while (node.id != 0 && weir_node_op(q->graph, node) != WEIR_OP_STATE &&
           weir_index_map_exists(weir_node_op(q->graph, node)))
        node = weir_value_producer(q->graph, weir_node_input(q->graph, node, 0));
    return node.id != 0 && weir_node_op(q->graph, node) == WEIR_OP_STATE;
}

/* A sum, its terms, what of their factors is no gate, and what layers multiply for these. */
static void widen_sum(const weir_quantizer *q, weir_node sum) {
    const weir_value result = weir_node_output(q->graph, sum, 0);
    widen(q, result);
    for (size_t i = 0; i < 2; i++) {
        const weir_value term = weir_node_input(q->graph, sum, i), x = multiplied_for(q, term);
        const weir_node product = product_of(q, term);
        if (!is_scaled(q, term)) widen(q, term);
        unite(q, result, term);
        if (weir_quantizer_is_computed(q, x) && !is_remembered(q, x)) weir_quantizer_value(q, x)->is_sequence = true;
        for (size_t k = 0; product.id != 0 && k < 2; k++)
            if (!is_gate(q, weir_node_input(q->graph, product, k))) widen(q, weir_node_input(q->graph, product, k));
    }
    unite(q, weir_node_input(q->graph, sum, 0), weir_node_input(q->graph, sum, 1));
}

/* --- one step alone: what is remembered comes from outside --- */

/* The sum of which the value is a function, at most moved; none: it is something else. */
static weir_node sum_behind(const weir_quantizer *q, weir_value value) {
    weir_node node = weir_value_producer(q->graph, value);
    while (node.id != 0 && !is_sum(q, node)) {
        const weir_value operand = operand_of(q, node);
        node = operand.id == 0 ? WEIR_NO_NODE : weir_value_producer(q->graph, operand);
    }
    return node;
}

/* The sums behind its gates. */
static void widen_gates(const weir_quantizer *q, weir_node product) {
    for (size_t i = 0; i < 2; i++) {
        const weir_value factor = weir_node_input(q->graph, product, i);
        const weir_node sum = is_gate(q, factor) ? sum_behind(q, factor) : WEIR_NO_NODE;
        if (sum.id != 0) widen_sum(q, sum);
    }
}

/* Of products that read the value, as such or through a function. */
static void widen_readers(const weir_quantizer *q, weir_value value, int depth) {
    for (size_t i = 0; depth > 0 && i < weir_value_use_count(q->graph, value); i++) {
        const weir_node reader = weir_value_use(q->graph, value, i).node;
        const weir_value result = weir_node_output(q->graph, reader, 0);
        if (product_of(q, result).id != 0) widen_gates(q, reader);
        else if (weir_trait_of(weir_node_op(q->graph, reader))->element == WEIR_ELEMENT_MONOTONE)
            widen_readers(q, result, depth - 1);
    }
}

/* A sum of two gated values: the next cell of an LSTM, the next state of a GRU. */
static void widen_cell(const weir_quantizer *q, weir_node node) {
    enum { FUNCTIONS = 2 };
    const weir_node kept = product_of(q, weir_node_input(q->graph, node, 0)),
                    fresh = product_of(q, weir_node_input(q->graph, node, 1));
    if (kept.id == 0 || fresh.id == 0) return;
    widen_sum(q, node);
    widen_gates(q, kept);
    widen_gates(q, fresh);
    widen_readers(q, weir_node_output(q->graph, node, 0), FUNCTIONS);
}

/* --- all --- */

/* What a State gives, as such or in another shape, has the quantizer of its next value. */
static void widen_state(const weir_quantizer *q, weir_value next, weir_value given) {
    weir_quantizer_value(q, given)->wide = true;
    unite(q, next, given);
    for (size_t i = 0; i < weir_value_use_count(q->graph, given); i++) {
        const weir_use use = weir_value_use(q->graph, given, i);
        if (use.index == 0 && weir_index_map_reshapes(weir_node_op(q->graph, use.node)) &&
            weir_node_op(q->graph, use.node) != WEIR_OP_UPDATE)
            widen_state(q, next, weir_node_output(q->graph, use.node, 0));
    }
}

static void widen_states(const weir_quantizer *q, const weir_recurrence *r) {
    for (size_t s = 0; s < r->state_count; s++)
        if (weir_quantizer_value(q, weir_node_input(q->graph, r->update[s], 0))->wide)
            widen_state(q, weir_node_input(q->graph, r->update[s], 0), weir_node_output(q->graph, r->state[s], 0));
}

/* Does a layer multiply what is remembered for a term of the sum? */
static bool adds_remembered(const weir_quantizer *q, weir_node sum) {
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        const weir_value x = multiplied_for(q, weir_node_input(q->graph, sum, i));
        any |= x.id != 0 && is_remembered(q, x);
    }
    return any;
}

void weir_quantizer_widen(const weir_quantizer *q) {
    weir_arena *arena = weir_arena_new();
    weir_recurrence *loop, *spanning;
    const size_t loops = q->fixed ? 0 : weir_recurrences_find(q->graph, arena, &loop),
                 others = q->fixed ? 0 : weir_recurrences_find_spanning(q->graph, arena, &spanning);
    for (size_t i = 0; i < loops; i++)
        for (size_t n = 0; n < loop[i].node_count; n++)
            if (is_sum(q, loop[i].node[n])) widen_sum(q, loop[i].node[n]);
    for (weir_node node = weir_graph_first(q->graph); !q->fixed && node.id != 0;
         node = weir_node_next(q->graph, node)) {
        if (!is_sum(q, node)) continue;
        widen_cell(q, node);
        if (adds_remembered(q, node)) widen_sum(q, node);
    }
    for (size_t i = 0; i < loops; i++) widen_states(q, &loop[i]);
    for (size_t i = 0; i < others; i++) widen_states(q, &spanning[i]);
    weir_arena_free(arena);
}

void weir_quantizer_join_wide(const weir_quantizer *q) {
    for (int turn = 0; turn < 2; turn++) { /* to the root, and from there to all */
        for (uint32_t id = 1; weir_side_has(&q->values, id); id++) {
            weir_quantized_value *own = weir_quantizer_value(q, (weir_value){id});
            const uint32_t root = own->scale_of == 0 ? id : root_of(q, id);
            if (root == id) continue;
            weir_range *to = turn == 0 ? &weir_quantizer_value(q, (weir_value){root})->range : &own->range;
            const weir_range *from = turn == 0 ? &own->range : &weir_quantizer_value(q, (weir_value){root})->range;
            if (from->seen) weir_range_see(to, from->min);
            if (from->seen) weir_range_see(to, from->max);
        }
    }
}
