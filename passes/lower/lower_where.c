/* A Where: of one tensor and numbers a function, of several that no quantizer takes b + condition * (a - b)
 * (lower_carry.c). */
#include "ir/trait/trait.h"
#include "passes/lower/scaled.h"
#include "support/memory/arena.h"

/* One of the two values that a Where chooses from: codes in the result's shape, or numbers by channel. */
typedef struct choice {
    bool is_given;
    weir_value codes;
    const double *number;
    uint32_t count;
} choice;

/* False after a reported error. */
static bool read_choice(weir_lowering *l, weir_node node, size_t index, weir_value like, choice *c) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    c->is_given = weir_expression_has_data(weir_lower_input(l, node, index));
    if (!c->is_given) {
        c->codes = weir_lower_carried(l, node, index);
        if (c->codes.id != 0) c->codes = weir_lower_broadcast(l, node, index == 1 ? "_then" : "_else", c->codes, shape);
        return c->codes.id != 0;
    }
    const weir_array *data = weir_lower_constant(l, weir_node_input(l->from, node, index));
    data = data == NULL ? data : weir_lower_by_channel(l, node, like, data, shape);
    if (data == NULL || !weir_lower_check_finite(l, node, data)) return false;
    double *number = weir_arena_array(weir_graph_arena(l->to), data->count, sizeof *number);
    for (size_t i = 0; i < data->count; i++) number[i] = weir_array_get(data, i);
    c->number = number;
    c->count = (uint32_t)data->count;
    return true;
}

/* a - b, of which one at least has codes; no value after a reported error. */
static weir_value difference(weir_lowering *l, weir_node node, const choice *a, const choice *b) {
    weir_value pair[2] = {a->codes, b->codes};
    if (!a->is_given && !b->is_given)
        return weir_lower_align(l, node, pair, 2, weir_lower_any) ? weir_scaled_add(l, node, "_difference", pair, true)
                                                                  : WEIR_NO_VALUE;
    weir_scaled x = weir_scaled_of(l, &(weir_leaf){.codes = a->is_given ? b->codes : a->codes});
    if (a->is_given) weir_scaled_apply(l, &x, WEIR_OP_NEG, NULL, 1);
    const choice *given = a->is_given ? a : b;
    weir_scaled_apply(l, &x, a->is_given ? WEIR_OP_ADD : WEIR_OP_SUB, given->number, given->count);
    return weir_scaled_settle(l, node, &x);
}

/* b + condition * (a - b) */
static bool carry(weir_lowering *l, weir_node node) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    choice a = {0}, b = {0};
    weir_value condition = weir_lower_carried(l, node, 0);
    if (condition.id != 0) condition = weir_lower_broadcast(l, node, "_condition", condition, shape);
    if (condition.id == 0 || !read_choice(l, node, 1, condition, &a) || !read_choice(l, node, 2, condition, &b))
        return false;
    weir_value apart = difference(l, node, &a, &b);
    if (apart.id != 0) apart = weir_scaled_narrow(l, node, apart);
    const weir_value part = weir_lower_gated(l, node, condition, apart);
    if (part.id == 0) return false;
    if (b.is_given) {
        weir_scaled x = weir_scaled_of(l, &(weir_leaf){.codes = part});
        weir_scaled_apply(l, &x, WEIR_OP_ADD, b.number, b.count);
        return weir_lower_set_codes(l, node, weir_scaled_settle(l, node, &x));
    }
    weir_value pair[2] = {b.codes, part};
    if (!weir_lower_align(l, node, pair, 2, weir_lower_any)) return false;
    return weir_lower_set_codes(l, node, weir_scaled_add(l, node, "_where", pair, false));
}

bool weir_lower_where(weir_lowering *l, weir_node node) {
    return weir_lower_function_root(l, node).id == 0 && weir_lower_carries(l, node) ? carry(l, node)
                                                                                    : weir_lower_function(l, node);
}
