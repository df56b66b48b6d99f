#include <assert.h>
#include <stdlib.h>

#include "ir/shape/index_map.h"
#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/graph/scale_axis.h"
#include "passes/lower/lower.h"
#include "passes/quantize/function.h"
#include "passes/quantize/mask.h"
#include "passes/quantize/quantizer.h"
#include "support/memory/arena.h"

/* The constant addend of the only user of a MatMul, where frameworks put the bias: node and input index. */
static bool bias_after(const weir_quantizer *q, weir_node node, weir_use *use) {
    weir_value result = weir_node_output(q->graph, node, 0);
    if (weir_trait_kind(q->graph, node) != WEIR_OP_MATMUL || weir_value_use_count(q->graph, result) != 1) return false;
    *use = weir_value_use(q->graph, result, 0);
    if (weir_trait_kind(q->graph, use->node) != WEIR_OP_ADD) return false;
    use->index = 1 - use->index;
    const weir_value addend = weir_node_input(q->graph, use->node, use->index);
    const int last = weir_value_type(q->graph, result)->shape.rank - 1;
    return weir_quantizer_is_constant(q, addend) && weir_scale_fits(q->graph, result, addend, last);
}

static bool set_input(weir_quantizer *q, weir_node node, size_t index, weir_value value) {
    if (value.id == 0) return false;
    weir_node_set_input(q->graph, node, index, value);
    return true;
}

/* Is input 2 a constant of the results' channels? A Gemm may also have one of its rows, which stays a real number. */
static bool is_bias(const weir_quantizer *q, weir_node node) {
    const weir_value bias = weir_node_input(q->graph, node, 2);
    return weir_quantizer_is_constant(q, bias) &&
           (weir_trait_kind(q->graph, node) != WEIR_OP_GEMM ||
            weir_scale_fits(q->graph, weir_node_output(q->graph, node, 0), bias, 1));
}

static bool quantize_layer(weir_quantizer *q, weir_node node) {
    weir_value weights = weir_node_input(q->graph, node, 1);
    const weir_op kind = weir_trait_kind(q->graph, node);
    const int axis = weir_quantizer_axis(q, node, 1);
    const size_t outputs = weir_quantizer_scales(q, weights, axis);
    weir_value x = weir_quantizer_activation(q, weir_node_input(q->graph, node, 0), node);
    if (!set_input(q, node, 0, x)) return false;
    weir_use bias = {node, 2};
    bool has_bias = kind != WEIR_OP_MATMUL ? is_bias(q, node) : axis >= 0 && bias_after(q, node, &bias);
    weir_value addend = has_bias ? weir_node_input(q->graph, bias.node, bias.index) : WEIR_NO_VALUE;
    if (q->fixed) {
        return set_input(q, node, 1, weir_quantizer_fixed(q, node, weights, "weight")) &&
               (!has_bias || set_input(q, bias.node, bias.index, weir_quantizer_fixed(q, bias.node, addend, "bias")));
    }
    const size_t groups = kind == WEIR_OP_CONV_TRANSPOSE ? (size_t)weir_node_int(q->graph, node, "group", 1) : 1;
    double *scale = weir_calloc(outputs * groups, sizeof *scale);
    const weir_array *numbers = has_bias ? weir_value_constant(q->graph, addend) : NULL;
    double *least = weir_quantizer_least_scales(numbers, weir_quantizer_scale(q, x), outputs, outputs * groups);
    bool fine = set_input(q, node, 1, weir_quantizer_weights(q, node, weights, axis, least, scale));
    free(least);
    for (size_t c = outputs; c < outputs * groups; c++) scale[c] = scale[c - outputs]; /* all groups have the first's */
    if (fine && has_bias)
        fine =
            set_input(q, bias.node, bias.index,
                      weir_quantizer_bias(q, bias.node, addend, weir_quantizer_scale(q, x), scale, outputs * groups));
    free(scale);
    return fine;
}

/* A constant matrix on the left, with a scale a row, which gives the results of one, or a matrix for each batch. */
static bool quantize_left(weir_quantizer *q, weir_node node) {
    const weir_value matrix = weir_node_input(q->graph, node, 0);
    const int axis = weir_quantizer_axis(q, node, 0);
    if (!set_input(q, node, 1, weir_quantizer_activation(q, weir_node_input(q->graph, node, 1), node))) return false;
    if (q->fixed) return set_input(q, node, 0, weir_quantizer_fixed(q, node, matrix, "weight"));
    const size_t rows = weir_quantizer_scales(q, matrix, axis);
    double *scale = weir_calloc(rows, sizeof *scale), *least = weir_calloc(rows, sizeof *least);
    const bool fine = set_input(q, node, 0, weir_quantizer_weights(q, node, matrix, axis, least, scale));
    free(least);
    free(scale);
    return fine;
}

/* --- functions between layers --- */

/* Does the next quantizer absorb the operation on its one computed operand, or does it only move elements? */
static bool is_absorbed(const weir_quantizer *q, weir_node node) {
    const weir_op op = weir_node_op(q->graph, node), kind = weir_trait_of(op)->kind;
    const bool divides = kind == WEIR_OP_DIV && weir_quantizer_is_constant(q, weir_node_input(q->graph, node, 0));
    return weir_index_map_reshapes(op) || (weir_trait_of(op)->element == WEIR_ELEMENT_STEP && !divides);
}

/* The one computed operand of an operation that is absorbed; false: the value is made otherwise. */
static bool operand_of(const weir_quantizer *q, weir_value value, weir_use *use) {
    const weir_node maker = weir_value_producer(q->graph, value);
    size_t computed = 0;
    for (uint32_t i = 0; maker.id != 0 && i < weir_node_input_count(q->graph, maker); i++) {
        if (!weir_quantizer_is_computed(q, weir_node_input(q->graph, maker, i))) continue;
        computed++;
        *use = (weir_use){maker, i};
    }
    return computed == 1 && is_absorbed(q, maker) && weir_node_op(q->graph, maker) != WEIR_OP_UPDATE;
}

static weir_value read_by(const weir_quantizer *q, weir_use use) {
    return weir_node_input(q->graph, use.node, use.index);
}

/* The operand at which a function starts: itself, or one before absorbed operations that other nodes read as well. */
static weir_use start_of(const weir_quantizer *q, weir_use use) {
    weir_use start = use;
    while (operand_of(q, read_by(q, use), &use)) {
        if (weir_value_use_count(q->graph, read_by(q, use)) > 1) start = use;
    }
    return start;
}

static uint32_t root_of(const weir_quantizer *q, weir_use use) {
    const uint32_t root = weir_quantizer_value(q, read_by(q, use))->root;
    return root != 0 ? root : read_by(q, start_of(q, use)).id;
}

/* The value's quantizer moves to the node that makes the value, before all that may read it. */
static void advance(weir_quantizer *q, weir_value value, weir_value quantized) {
    const weir_node maker = weir_value_producer(q->graph, value);
    weir_node next = maker.id != 0 ? weir_node_next(q->graph, maker) : weir_graph_first(q->graph);
    while (quantized.id != 0 && quantized.id != value.id) {
        const weir_node node = weir_value_producer(q->graph, quantized);
        assert(node.id != 0 && next.id != 0);
        if (node.id != next.id) weir_graph_move_before(q->graph, node, next);
        next = node;
        quantized = weir_node_input(q->graph, node, 0);
    }
}

/* Quantizes where the operand starts, which is the root of what lies between. */
static bool quantize_start(weir_quantizer *q, weir_use operand) {
    const weir_use start = start_of(q, operand);
    const weir_value root = read_by(q, start);
    for (weir_use use = operand; read_by(q, use).id != root.id;) {
        weir_quantizer_value(q, read_by(q, use))->root = root.id;
        operand_of(q, read_by(q, use), &use);
    }
    const weir_value quantized = weir_quantizer_activation(q, root, start.node);
    advance(q, root, quantized);
    return set_input(q, start.node, start.index, quantized);
}

/* Is the value a sum or a difference of two computed ones, as such or in another shape? */
static bool is_sum(const weir_quantizer *q, weir_value value) {
    weir_node node = weir_value_producer(q->graph, value);
    while (node.id != 0 &&
           (weir_trait_kind(q->graph, node) == WEIR_OP_RELU || weir_index_map_reshapes(weir_node_op(q->graph, node))))
        node = weir_value_producer(q->graph, weir_node_input(q->graph, node, 0));
    const weir_op kind = node.id == 0 ? WEIR_OP_NONE : weir_trait_kind(q->graph, node);
    return (kind == WEIR_OP_ADD || kind == WEIR_OP_SUB) &&
           !weir_quantizer_is_constant(q, weir_node_input(q->graph, node, 0)) &&
           !weir_quantizer_is_constant(q, weir_node_input(q->graph, node, 1));
}

/* The quantizer of a result right after it, for all that read it. */
static bool quantize_result(weir_quantizer *q, weir_value result) {
    const size_t count = weir_value_use_count(q->graph, result);
    if (count == 0) return true; /* it leaves the model */
    const weir_value quantized = weir_quantizer_activation(q, result, weir_value_use(q->graph, result, 0).node);
    advance(q, result, quantized);
    for (size_t i = count; i-- > 0;) {
        const weir_use use = weir_value_use(q->graph, result, i);
        if (!set_input(q, use.node, use.index, quantized)) return false;
    }
    return quantized.id != 0;
}

/* The outputs that are the value have its codes, too. */
static void give_quantized(weir_quantizer *q, weir_value value) {
    for (size_t i = 0; i < weir_graph_output_count(q->graph); i++)
        if (weir_graph_output(q->graph, i).id == value.id)
            weir_graph_set_output(q->graph, i, weir_quantizer_value(q, value)->quantized);
}

/* Between layers it has a table of exponentials, of codes: its input is quantized, before a mask. Its result has
 * one quantizer for all that read it, outputs included. */
static bool quantize_softmax(weir_quantizer *q, weir_node node) {
    weir_use use = {node, 0};
    weir_mask mask;
    if (!weir_quantizer_is_between(q, weir_node_output(q->graph, node, 0)) || !weir_lower_needs_softmax(q->graph, node))
        return true;
    const weir_node maker = weir_value_producer(q->graph, read_by(q, use));
    if (maker.id != 0 && weir_mask_of(q->graph, maker, &mask)) use = (weir_use){maker, mask.data};
    if (weir_quantizer_is_float(q, read_by(q, use)) &&
        !set_input(q, use.node, use.index, weir_quantizer_activation(q, read_by(q, use), use.node)))
        return false;
    const weir_value result = weir_node_output(q->graph, node, 0);
    if (!quantize_result(q, result)) return false;
    give_quantized(q, result);
    return true;
}

/* Is the value read by one node, which joins or moves what is before it? */
static bool is_joined(const weir_quantizer *q, weir_value value) {
    if (weir_value_use_count(q->graph, value) != 1 || weir_value_is_output(q->graph, value)) return false;
    const weir_node user = weir_value_use(q->graph, value, 0).node;
    const weir_op op = weir_node_op(q->graph, user);
    weir_use use;
    return weir_trait_of(op)->kind == WEIR_OP_TRANSPOSE || operand_of(q, weir_node_output(q->graph, user, 0), &use);
}

/* Is the value read by one node alone, and has that a quantizer for what it reads, or is none? */
static bool is_read_quantized(const weir_quantizer *q, weir_value value) {
    const size_t count = weir_value_use_count(q->graph, value);
    if (count != 1 || weir_value_is_output(q->graph, value)) return count == 0;
    const weir_op op = weir_node_op(q->graph, weir_value_use(q->graph, value, 0).node), kind = weir_trait_of(op)->kind;
    return !weir_function_takes(op) || kind == WEIR_OP_ADD || kind == WEIR_OP_SUB;
}

/* Rows are normalized between quantizers: its result has the quantizer of what reads it, past what joins it; where
 * several do, or one that takes numbers as they come, right after it. */
static bool quantize_normalization(weir_quantizer *q, weir_node node) {
    weir_value result = weir_node_output(q->graph, node, 0);
    if (!weir_quantizer_is_between(q, result)) return true;
    if (!set_input(q, node, 0, weir_quantizer_activation(q, weir_node_input(q->graph, node, 0), node))) return false;
    while (is_joined(q, result)) result = weir_node_output(q->graph, weir_value_use(q->graph, result, 0).node, 0);
    if (is_read_quantized(q, result)) return true;
    if (!quantize_result(q, result)) return false;
    give_quantized(q, result);
    return true;
}

/* A Concat has the codes of the quantizer right after it, which quantizes what layers give and constants; the rest is
 * quantized before it. */
static bool quantize_concat(weir_quantizer *q, weir_node node) {
    const weir_value result = weir_node_output(q->graph, node, 0);
    if (weir_value_use_count(q->graph, result) == 0 || !weir_quantizer_is_between(q, result)) return true;
    for (size_t i = 0; i < weir_node_input_count(q->graph, node); i++) {
        const weir_value value = weir_node_input(q->graph, node, i);
        if (!weir_quantizer_is_computed(q, value) || weir_quantizer_value(q, value)->after) continue;
        if (!set_input(q, node, i, weir_quantizer_activation(q, value, node))) return false;
    }
    return quantize_result(q, result);
}

/* Numbers that the host has before any layer meet codes as codes. */
static bool quantize_early(weir_quantizer *q, weir_node node) {
    bool meets = false;
    for (uint32_t i = 0; i < weir_node_input_count(q->graph, node); i++) {
        const weir_value value = weir_node_input(q->graph, node, i);
        meets |= value.id != 0 && !weir_quantizer_is_constant(q, value) && !weir_quantizer_is_computed(q, value);
    }
    for (uint32_t i = 0; meets && i < weir_node_input_count(q->graph, node); i++) {
        const weir_value value = weir_node_input(q->graph, node, i);
        if (!weir_quantizer_is_computed(q, value) || weir_quantizer_value(q, value)->after) continue;
        if (!set_input(q, node, i, weir_quantizer_activation(q, value, node))) return false;
    }
    return true;
}

/* A table has few entries where its input is quantized: what functions start from gets a quantizer, and none lies
 * between two of them. Operands that start from several values are quantized each. */
static bool quantize_function(weir_quantizer *q, weir_node node) {
    const weir_value result = weir_node_output(q->graph, node, 0);
    if (!weir_quantizer_is_between(q, result)) return true;
    if (!quantize_early(q, node)) return false;
    weir_use use;
    if (operand_of(q, result, &use)) {
        const weir_value value = read_by(q, use);
        if (is_sum(q, value) && !is_sum(q, result)) /* a sum has no scale of its own */
            return set_input(q, node, use.index, weir_quantizer_activation(q, value, node));
        weir_quantizer_value(q, result)->root = weir_quantizer_value(q, read_by(q, use))->root;
        return true;
    }
    uint32_t root = 0;
    bool several = false;
    const uint32_t count = (uint32_t)weir_node_input_count(q->graph, node);
    for (use = (weir_use){node, 0}; use.index < count; use.index++) {
        if (!weir_quantizer_is_computed(q, read_by(q, use))) continue;
        several |= root != 0 && root != root_of(q, use);
        root = root_of(q, use);
    }
    bool fine = true;
    for (use = (weir_use){node, 0}; fine && use.index < count; use.index++) {
        const weir_value value = read_by(q, use);
        if (!weir_quantizer_is_computed(q, value)) continue;
        if (several) fine = set_input(q, node, use.index, weir_quantizer_activation(q, value, node));
        else if (weir_quantizer_value(q, value)->root == 0) fine = quantize_start(q, use);
    }
    weir_quantizer_value(q, result)->root = several ? 0 : root;
    const weir_op kind = weir_trait_kind(q->graph, node);
    if (several && (kind == WEIR_OP_MAX || kind == WEIR_OP_MIN)) /* their scales differ */
        fine = fine && quantize_result(q, result);
    return fine;
}

/* Codes move between layers, and sums with a scale a channel do not. */
static bool quantize_moved(weir_quantizer *q, weir_node node) {
    const weir_value value = weir_node_input(q->graph, node, 0), result = weir_node_output(q->graph, node, 0);
    const bool between = weir_quantizer_is_float(q, value) && weir_quantizer_value(q, value)->before &&
                         weir_quantizer_value(q, result)->after;
    return !between || set_input(q, node, 0, weir_quantizer_activation(q, value, node));
}

/* --- channels that a reshape splits --- */

static bool is_split(const weir_quantizer *q, weir_node node) {
    const weir_shape *x = &weir_value_type(q->graph, weir_node_input(q->graph, node, 0))->shape,
                     *y = &weir_value_type(q->graph, weir_node_output(q->graph, node, 0))->shape;
    int64_t inner = 1;
    for (int d = 2; d < x->rank; d++) inner *= x->dim[d];
    return weir_index_map_reshapes(weir_node_op(q->graph, node)) && inner > 1 &&
           (y->rank < 2 || y->dim[1] != x->dim[1]);
}

/* Is it what a layer gives, at most shaped and with operations that a quantizer absorbs? */
static bool is_layers(const weir_quantizer *q, weir_value value) {
    weir_use use;
    while (operand_of(q, value, &use)) value = read_by(q, use);
    const weir_node maker = weir_value_producer(q->graph, value);
    return maker.id != 0 && weir_trait_of(weir_node_op(q->graph, maker))->task == WEIR_TASK_LAYER;
}

/* Does something read the value that needs one scale of it: a Concat, constants that change from element to element? */
static bool needs_scale(const weir_quantizer *q, weir_value value, int depth) {
    bool needs = false;
    for (size_t i = 0; !needs && depth > 0 && i < weir_value_use_count(q->graph, value); i++) {
        const weir_node user = weir_value_use(q->graph, value, i).node;
        if (weir_trait_kind(q->graph, user) == WEIR_OP_CONCAT) needs = true;
        if (needs || !is_absorbed(q, user)) continue;
        for (size_t k = 1;
             k < weir_node_input_count(q->graph, user) && !weir_index_map_reshapes(weir_node_op(q->graph, user)); k++) {
            const weir_value other = weir_node_input(q->graph, user, k);
            needs |= weir_quantizer_is_constant(q, other) && weir_value_constant(q->graph, other)->count > 1;
        }
        needs = needs || needs_scale(q, weir_node_output(q->graph, user, 0), depth - 1);
    }
    return needs;
}

/* A scale a channel ends where a reshape splits the channels up: what needs one scale behind it has a quantizer before
 * it. */
static bool quantize_split(weir_quantizer *q, weir_node node) {
    const weir_value value = weir_node_input(q->graph, node, 0);
    if (q->fixed || !weir_quantizer_is_float(q, value) ||
        !weir_quantizer_is_between(q, weir_node_output(q->graph, node, 0)) || !is_split(q, node) ||
        !is_layers(q, value) || !needs_scale(q, weir_node_output(q->graph, node, 0), 6))
        return true;
    return set_input(q, node, 0, weir_quantizer_activation(q, value, node));
}

static bool quantize_both(weir_quantizer *q, weir_node node) {
    for (size_t i = 0; i < 2; i++) {
        if (!set_input(q, node, i, weir_quantizer_activation(q, weir_node_input(q->graph, node, i), node)))
            return false;
    }
    return true;
}

/* What a State gets has a quantizer, and what reads it behind the Update has that. Its other input names the State. */
static bool quantize_update(weir_quantizer *q, weir_node node) {
    const weir_value result = weir_node_output(q->graph, node, 0);
    weir_quantizer_value(q, result)->quantized = result;
    return set_input(q, node, 0, weir_quantizer_activation(q, weir_node_input(q->graph, node, 0), node));
}

/* What a State begins with has the codes of what its Update takes, where it is computed. */
static bool quantize_state(weir_quantizer *q, weir_node node) {
    const weir_value first = weir_node_input(q->graph, node, 0), held = weir_node_output(q->graph, node, 0);
    const weir_node update = weir_recurrence_update(q->graph, node);
    if (update.id == 0 || weir_value_constant(q->graph, first) != NULL || !weir_quantizer_value(q, held)->before ||
        !weir_dtype_is_float(weir_value_type(q->graph, first)->dtype))
        return true;
    return set_input(q, node, 0, weir_quantizer_like(q, first, weir_node_input(q->graph, update, 0), node));
}

/* Has the value a quantizer for what reads it, or gets one? */
static bool has_quantizer(const weir_quantizer *q, weir_value value) {
    bool has = weir_quantizer_value(q, value)->quantized.id != 0;
    for (size_t i = 0; i < weir_value_use_count(q->graph, value); i++) {
        const weir_op op = weir_node_op(q->graph, weir_value_use(q->graph, value, i).node);
        has |= weir_trait_of(op)->task == WEIR_TASK_LAYER || weir_quantizer_is_pool(op);
    }
    return has;
}

/* What a condition compares, if it has codes for others or is moved from what has; else the host compares. */
static bool quantize_condition(weir_quantizer *q, weir_node node) {
    for (uint32_t i = 0; i < weir_node_input_count(q->graph, node); i++) {
        const weir_value value = weir_node_input(q->graph, node, i);
        if (!weir_quantizer_is_computed(q, value)) continue;
        bool has = has_quantizer(q, value);
        weir_node maker = weir_value_producer(q->graph, value);
        for (; !has && maker.id != 0 && weir_index_map_exists(weir_node_op(q->graph, maker));
             maker = weir_value_producer(q->graph, weir_node_input(q->graph, maker, 0)))
            has = has_quantizer(q, weir_node_input(q->graph, maker, 0));
        if (has && !set_input(q, node, i, weir_quantizer_activation(q, value, node))) return false;
    }
    return true;
}

static bool is_condition(const weir_quantizer *q, weir_node node) {
    const weir_value result = weir_node_output(q->graph, node, 0);
    return weir_trait_of(weir_node_op(q->graph, node))->element != WEIR_ELEMENT_NONE &&
           weir_value_type(q->graph, result)->dtype == WEIR_BOOL && weir_quantizer_value(q, result)->before;
}

bool weir_quantizer_node(weir_quantizer *q, weir_node node) {
    const weir_op op = weir_node_op(q->graph, node), kind = weir_trait_of(op)->kind;
    if (op == WEIR_OP_STATE) return quantize_state(q, node);
    if (op == WEIR_OP_UPDATE) return quantize_update(q, node);
    if (weir_trait_of(op)->task == WEIR_TASK_LAYER && weir_quantizer_is_constant(q, weir_node_input(q->graph, node, 1)))
        return quantize_layer(q, node);
    if (weir_quantizer_is_pool(op))
        return set_input(q, node, 0, weir_quantizer_activation(q, weir_node_input(q->graph, node, 0), node));
    weir_mask mask;
    if (kind == WEIR_OP_SOFTMAX) return quantize_softmax(q, node);
    if (weir_mask_of(q->graph, node, &mask)) return true; /* with the Softmax behind it */
    weir_computed_mask computed;
    if (weir_quantizer_masks(q, node, &computed) && weir_quantizer_is_between(q, weir_node_output(q->graph, node, 0)))
        return weir_quantizer_mask(q, node, &computed);
    if (weir_trait_of(op)->task == WEIR_TASK_NORMALIZATION) return quantize_normalization(q, node);
    if (is_condition(q, node) && !quantize_condition(q, node)) return false;
    if (kind == WEIR_OP_CONCAT) return quantize_concat(q, node);
    if (kind == WEIR_OP_MATMUL)
        return weir_quantizer_is_constant(q, weir_node_input(q->graph, node, 0)) ? quantize_left(q, node)
                                                                                 : quantize_both(q, node);
    if (weir_index_map_exists(op) && !weir_index_map_reshapes(op)) return quantize_moved(q, node);
    if (weir_index_map_reshapes(op) && !quantize_split(q, node)) return false;
    if (kind != WEIR_OP_ADD && kind != WEIR_OP_SUB) return !weir_function_takes(op) || quantize_function(q, node);
    for (size_t i = 0; i < 2; i++) {
        weir_value other = weir_node_input(q->graph, node, 1 - i), value = weir_node_input(q->graph, node, i);
        if (weir_quantizer_is_constant(q, value) || weir_quantizer_is_constant(q, other))
            return quantize_function(q, node);
        if (!weir_quantizer_is_float(q, value) || !weir_quantizer_is_float(q, other)) return true;
    }
    return quantize_both(q, node);
}

/* Does a function of a model without layers give it? */
static bool is_function(const weir_quantizer *q, weir_value value) {
    const weir_node node = weir_value_producer(q->graph, value);
    return q->everywhere && node.id != 0 && weir_function_takes(weir_node_op(q->graph, node)) &&
           weir_dtype_is_float(weir_value_type(q->graph, value)->dtype);
}

bool weir_quantizer_outputs(weir_quantizer *q) {
    for (size_t i = 0; i < weir_graph_output_count(q->graph); i++) {
        weir_value output = weir_graph_output(q->graph, i);
        if (!weir_quantizer_is_float(q, output) || !(is_sum(q, output) || is_function(q, output))) continue;
        weir_value result = weir_quantizer_activation(q, output, WEIR_NO_NODE);
        if (result.id == 0) return false;
        weir_graph_set_output(q->graph, i, result);
    }
    return true;
}
