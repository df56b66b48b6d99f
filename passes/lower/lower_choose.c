/* The larger or the smaller of two tensors of codes of one grid: b + max(a - b, 0), a - max(a - b, 0), clipped to what
 * it can be. */
#include <stdio.h>

#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* A pair of inputs of the node. */
typedef struct extreme {
    weir_lowering *l;
    weir_node node;
    bool larger;
    const char *pair; /* in the names of what is made */
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
    const bool larger = e->larger;
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

weir_value weir_lower_choose(weir_lowering *l, weir_node node, const char *suffix, weir_value a, weir_value b,
                             bool larger) {
    const extreme e = {.l = l, .node = node, .larger = larger, .pair = suffix};
    return choose(&e, a, b);
}
