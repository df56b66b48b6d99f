/* Lowering of Max, Min and Abs of quantized tensors. Quantizers never fall, so one behind becomes one of each input; of
 * codes of one grid the larger is chosen of each pair (lower_choose.c). */
#include <stdio.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "passes/quantize/function.h"
#include "support/memory/arena.h"

static bool is_larger(const weir_lowering *l, weir_node node) { return weir_trait_kind(l->from, node) != WEIR_OP_MIN; }

static bool any_constant(const weir_lowering *l, weir_node node) {
    bool any = false;
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++)
        any |= weir_expression_has_data(weir_lower_input(l, node, i));
    return any;
}

/* The codes of all inputs, in the shape of the result; false after a reported error. */
static bool read_inputs(weir_lowering *l, weir_node node, const weir_quant *quantizer, weir_value *codes) {
    const size_t count = weir_node_input_count(l->from, node);
    const weir_shape *result = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    for (size_t i = 0; i < count; i++) {
        char suffix[24];
        snprintf(suffix, sizeof suffix, "_%zu", i);
        codes[i] = weir_lower_read_codes(l, node, i, quantizer);
        if (codes[i].id != 0) codes[i] = weir_lower_broadcast(l, node, suffix, codes[i], result);
        if (codes[i].id == 0) return false;
    }
    return quantizer != NULL || !weir_lower_carries(l, node) ||
           weir_lower_align(l, node, codes, count, weir_lower_needed(l, weir_node_output(l->from, node, 0)));
}

/* Of all of them; no value after a reported error. */
static weir_value choose_of(weir_lowering *l, weir_node node, weir_value *codes, size_t count) {
    weir_value chosen = codes[0];
    for (size_t i = 1; i < count && chosen.id != 0; i++) {
        char suffix[24] = "";
        if (i + 1 < count) snprintf(suffix, sizeof suffix, "_%zu", i);
        chosen = weir_lower_unite(l, node, i, &chosen, &codes[i])
                     ? weir_lower_choose(l, node, suffix, chosen, codes[i], is_larger(l, node))
                     : WEIR_NO_VALUE;
    }
    return chosen;
}

bool weir_lower_extreme(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    const size_t count = weir_node_input_count(l->from, node);
    const bool one = weir_function_root(l, weir_node_output(l->from, node, 0)).id != 0;
    if (any_constant(l, node) || (one && weir_lower_is_function(l, node))) return weir_lower_affine(l, node);
    weir_value *codes = weir_calloc(count, sizeof *codes);
    weir_leaf chosen = {.ahead = quantizer != NULL};
    if (read_inputs(l, node, quantizer, codes)) chosen.codes = choose_of(l, node, codes, count);
    free(codes);
    return weir_lower_set_leaf(l, node, &chosen);
}

/* The codes of the quantizer behind, of the difference; no value after a reported error. */
static weir_value quantize_difference(weir_lowering *l, weir_node node, const weir_leaf *a, const weir_leaf *b,
                                      const weir_quant *quantizer) {
    const weir_leaf_sum difference = {.left = *a, .right = *b, .minus = true};
    const weir_expression *x = weir_expression_sum(weir_graph_arena(l->to), &difference);
    if (!weir_lower_quantize(l, node, x, quantizer)) return WEIR_NO_VALUE;
    return weir_expression_codes_of(weir_lower_expression(l, weir_node_output(l->from, node, 0)));
}

static bool same_scale(const weir_lowering *l, const weir_leaf_sum *sum) {
    return weir_quant_scale(&weir_value_type(l->to, sum->left.codes)->quant, 0) ==
           weir_quant_scale(&weir_value_type(l->to, sum->right.codes)->quant, 0);
}

bool weir_lower_absolute(weir_lowering *l, weir_node node, const weir_quant *quantizer) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    if (quantizer == NULL || weir_expression_kind_of(x) != WEIR_EXPRESSION_SUM) return weir_lower_function(l, node);
    const weir_leaf_sum *sum = weir_expression_sum_of(x);
    if (!sum->minus || sum->left.map != NULL || same_scale(l, sum)) return weir_lower_function(l, node);
    const weir_value rest = quantize_difference(l, node, &sum->left, &sum->right, quantizer);
    const weir_value turned = rest.id == 0 ? rest : quantize_difference(l, node, &sum->right, &sum->left, quantizer);
    if (turned.id == 0) return false;
    const weir_leaf chosen = {.codes = weir_lower_choose(l, node, "", rest, turned, true), .ahead = true};
    return weir_lower_set_leaf(l, node, &chosen);
}
