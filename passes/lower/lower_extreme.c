/* Lowering of Max, Min and Abs of quantized tensors. Quantizers never fall, so one behind becomes one of each input; of codes of one grid
 * the larger is b + max(a - b, 0), the smaller a - max(a - b, 0), clipped to what it can be. */
#include <stdio.h>
#include <stdlib.h>

#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "passes/quantize/function.h"
#include "support/memory/arena.h"

/* One more pair of inputs of the node. */
typedef struct extreme {
    weir_lowering *l;
    weir_node node;
    char pair[24]; /* in the names of what is made */
} extreme;

static weir_value add(const extreme *e, weir_op op, const char *what, const weir_value *inputs, size_t count,
                      const weir_type *type) {
    char suffix[40];
    snprintf(suffix, sizeof suffix, "%s%s", what, e->pair);
    return weir_node_output(e->l->to, weir_lower_add_node(e->l, e->node, op, suffix, inputs, count, type), 0);
}

static bool infer(const extreme *e, weir_value value) {
    return weir_infer_node(e->l->to, weir_value_producer(e->l->to, value));
}

static weir_value sum(const extreme *e, const char *what, weir_value a, weir_value b, int64_t cb, int64_t zero) {
    weir_graph *to = e->l->to;
    const weir_value inputs[2] = {a, b};
    double *scale = weir_arena_array(weir_graph_arena(to), 1, sizeof *scale);
    int64_t *point = weir_arena_array(weir_graph_arena(to), 1, sizeof *point);
    const weir_type *like = weir_value_type(to, a);
    *scale = weir_quant_scale(&like->quant, 0);
    *point = zero;
    const weir_type type = {
        .dtype = WEIR_INT64,
        .shape = like->shape,
        .quant = {.format = WEIR_FORMAT_INTEGER, .axis = -1, .count = 1, .scale = scale, .zero_point = point}};
    const weir_value made = add(e, WEIR_OP_SUM, what, inputs, 2, &type);
    weir_node_set_int(to, weir_value_producer(to, made), "cb", cb);
    return infer(e, made) ? made : WEIR_NO_VALUE;
}

/* No value after a reported error. */
static weir_value choose(const extreme *e, weir_value a, weir_value b) {
    weir_graph *to = e->l->to;
    const bool larger = weir_trait_kind(e->l->from, e->node) != WEIR_OP_MIN;
    const weir_type ta = *weir_value_type(to, a), tb = *weir_value_type(to, b);
    const bool low_of_a = larger == (ta.low > tb.low), high_of_a = larger == (ta.high > tb.high);
    const weir_value difference = sum(e, "_difference", a, b, -1, 0);
    if (difference.id == 0) return difference;
    const weir_value above = add(e, WEIR_OP_MAXIMUM, "_above", &difference, 1, weir_value_type(to, difference));
    if (!infer(e, above)) return WEIR_NO_VALUE;
    const weir_value chosen = sum(e, "_chosen", larger ? b : a, above, larger ? 1 : -1, weir_quant_zero(&ta.quant, 0));
    if (chosen.id == 0) return chosen;
    const weir_type type =
        weir_lower_codes_type(&ta.quant, &ta.shape, low_of_a ? ta.low : tb.low, high_of_a ? ta.high : tb.high);
    return weir_lower_clip(e->l, e->node, e->pair, chosen, &type);
}

static bool any_constant(const weir_lowering *l, weir_node node) {
    bool any = false;
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++)
        any |= weir_expression_is_given(weir_lower_input(l, node, i));
    return any;
}

/* The codes of all inputs, in the shape of the result; false after a reported error. */
static bool read_inputs(weir_lowering *l, weir_node node, const weir_quant *behind, weir_value *codes) {
    const size_t count = weir_node_input_count(l->from, node);
    const weir_shape *result = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    for (size_t i = 0; i < count; i++) {
        char suffix[24];
        snprintf(suffix, sizeof suffix, "_%zu", i);
        codes[i] = weir_lower_read_codes(l, node, i, behind);
        if (codes[i].id != 0) codes[i] = weir_lower_broadcast(l, node, suffix, codes[i], result);
        if (codes[i].id == 0) return false;
    }
    return behind != NULL || !weir_lower_carries(l, node) || weir_lower_align(l, node, codes, count);
}

/* Of all of them; no value after a reported error. */
static weir_value choose_of(weir_lowering *l, weir_node node, weir_value *codes, size_t count) {
    weir_value chosen = codes[0];
    for (size_t i = 1; i < count && chosen.id != 0; i++) {
        extreme e = {.l = l, .node = node};
        if (i + 1 < count) snprintf(e.pair, sizeof e.pair, "_%zu", i);
        chosen = weir_lower_unite(l, node, i, &chosen, &codes[i]) ? choose(&e, chosen, codes[i]) : WEIR_NO_VALUE;
    }
    return chosen;
}

bool weir_lower_extreme(weir_lowering *l, weir_node node, const weir_quant *behind) {
    const size_t count = weir_node_input_count(l->from, node);
    const bool one = weir_function_root(l, weir_node_output(l->from, node, 0)).id != 0;
    if (any_constant(l, node) || (one && weir_lower_is_function(l, node))) return weir_lower_affine(l, node);
    weir_value *codes = weir_calloc(count, sizeof *codes);
    weir_leaf chosen = {.ahead = behind != NULL};
    if (read_inputs(l, node, behind, codes)) chosen.codes = choose_of(l, node, codes, count);
    free(codes);
    return weir_lower_set_leaf(l, node, &chosen);
}

/* The codes of the quantizer behind, of the difference; no value after a reported error. */
static weir_value quantize_difference(const extreme *e, const weir_leaf *a, const weir_leaf *b,
                                      const weir_quant *behind) {
    const weir_leaf_sum difference = {.left = *a, .right = *b, .minus = true};
    const weir_expression *x = weir_expression_sum(weir_graph_arena(e->l->to), &difference);
    if (!weir_lower_quantize(e->l, e->node, x, behind)) return WEIR_NO_VALUE;
    return weir_expression_codes_of(weir_lower_expression(e->l, weir_node_output(e->l->from, e->node, 0)));
}

static bool same_scale(const weir_lowering *l, const weir_leaf_sum *sum) {
    return weir_quant_scale(&weir_value_type(l->to, sum->left.codes)->quant, 0) ==
           weir_quant_scale(&weir_value_type(l->to, sum->right.codes)->quant, 0);
}

bool weir_lower_absolute(weir_lowering *l, weir_node node, const weir_quant *behind) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    if (behind == NULL || weir_expression_kind_of(x) != WEIR_EXPRESSION_SUM) return weir_lower_function(l, node);
    const weir_leaf_sum *sum = weir_expression_sum_of(x);
    if (!sum->minus || sum->left.map != NULL || same_scale(l, sum)) return weir_lower_function(l, node);
    const extreme e = {.l = l, .node = node};
    const weir_value rest = quantize_difference(&e, &sum->left, &sum->right, behind);
    const weir_value turned = rest.id == 0 ? rest : quantize_difference(&e, &sum->right, &sum->left, behind);
    if (turned.id == 0) return false;
    const weir_leaf chosen = {.codes = choose(&e, rest, turned), .ahead = true};
    return weir_lower_set_leaf(l, node, &chosen);
}
