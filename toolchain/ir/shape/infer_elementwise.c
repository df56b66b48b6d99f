/* Type inference of elementwise operators. They differ in the element types that they take; what they give has the
 * broadcast shape of their inputs. Families share one rule, the lists below say which operator is in which. */
#include "ir/shape/infer_rule.h"

/* The broadcast shape of inputs [first, last); false after a reported error. */
static bool common_shape(const weir_graph *graph, weir_node node, size_t first, size_t last, weir_shape *shape) {
    *shape = weir_rule_input(graph, node, first)->shape;
    for (size_t i = first + 1; i < last; i++) {
        const weir_shape *next = &weir_rule_input(graph, node, i)->shape, before = *shape;
        if (!weir_rule_broadcast(&before, next, shape))
            return weir_rule_fail_shapes(graph, node, "broadcast", &before, next);
    }
    return true;
}

/* ---- families ---- */

/* One input of any number type, or floating-point only; the result is of the same type. */
bool weir_infer_one_number(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    return weir_rule_same_numbers(graph, node, 1) && weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

bool weir_infer_one_signed(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    if (!weir_dtype_is_float(x->dtype) && !weir_dtype_is_signed(x->dtype))
        return weir_rule_fail_dtype(graph, node, 0, "a signed number");
    return weir_infer_one_number(graph, node, to);
}

bool weir_infer_one_float(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return weir_rule_float_input(graph, node) && weir_infer_one_number(graph, node, to);
}

/* A bool a number. */
bool weir_infer_asked_float(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return weir_rule_float_input(graph, node) &&
           weir_rule_set_plain(graph, node, to, WEIR_BOOL, &weir_rule_input(graph, node, 0)->shape);
}

/* Numbers of one type, any count of them; the result is of that type. */
bool weir_infer_equal_numbers(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const size_t count = weir_node_input_count(graph, node);
    weir_shape shape;
    for (size_t i = 0; i < count; i++)
        if (weir_rule_input(graph, node, i) == NULL) return weir_rule_fail(graph, node, "input %zu is missing", i);
    return weir_rule_same_numbers(graph, node, count) && common_shape(graph, node, 0, count, &shape) &&
           weir_rule_set_plain(graph, node, to, weir_rule_input(graph, node, 0)->dtype, &shape);
}

bool weir_infer_equal_integers(const weir_graph *graph, weir_node node, weir_inferred *to) {
    if (!weir_rule_is_integer(weir_rule_input(graph, node, 0)))
        return weir_rule_fail_dtype(graph, node, 0, "an integer");
    return weir_infer_equal_numbers(graph, node, to);
}

/* Two values of one type (numbers, or anything) give a bool. */
static bool compared(const weir_graph *graph, weir_node node, weir_inferred *to, bool any) {
    weir_shape shape;
    return (any || weir_rule_same_numbers(graph, node, 1)) && weir_rule_same_dtype(graph, node, 1) &&
           common_shape(graph, node, 0, 2, &shape) && weir_rule_set_plain(graph, node, to, WEIR_BOOL, &shape);
}

bool weir_infer_compared_numbers(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return compared(graph, node, to, false);
}
bool weir_infer_compared_values(const weir_graph *graph, weir_node node, weir_inferred *to) {
    return compared(graph, node, to, true);
}

bool weir_infer_two_bools(const weir_graph *graph, weir_node node, weir_inferred *to) {
    for (size_t i = 0; i < 2; i++)
        if (weir_rule_input(graph, node, i)->dtype != WEIR_BOOL) return weir_rule_fail_dtype(graph, node, i, "bool");
    return compared(graph, node, to, true);
}

/* ---- operators with a rule of their own ---- */

/* Slopes that broadcast to the input. */
bool weir_infer_prelu(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    return weir_rule_same_numbers(graph, node, 2) && weir_rule_broadcasts_to(graph, node, 1, &x->shape) &&
           weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

/* Elements that the mask takes out become 0, also in codes: their zero point must be that. */
bool weir_infer_mask(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_type type = *weir_rule_input(graph, node, 0);
    const weir_shape *mask = &weir_rule_input(graph, node, 1)->shape;
    weir_shape shape;
    if (!weir_rule_broadcast(&type.shape, mask, &shape) || !weir_shape_equal(&shape, &type.shape))
        return weir_rule_fail_shapes(graph, node, "mask", &type.shape, mask);
    for (uint32_t i = 0; i < type.quant.count; i++) {
        if (weir_quant_zero(&type.quant, i) == 0) continue;
        return weir_rule_fail(graph, node, "input 0 must have zero point 0 (masked codes become 0), has %lld",
                              (long long)weir_quant_zero(&type.quant, i));
    }
    if (type.low > 0) type.low = 0;
    if (type.high < 0) type.high = 0;
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_relu(const weir_graph *graph, weir_node node, weir_inferred *to) {
    weir_type type = *weir_rule_input(graph, node, 0);
    if (type.dtype == WEIR_BOOL) return weir_rule_fail_dtype(graph, node, 0, "a number");
    type.low = type.low < 0 ? 0 : type.low;
    type.high = type.high < 0 ? 0 : type.high;
    return weir_rule_set(graph, node, to, &type);
}

bool weir_infer_clip(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    for (size_t i = 1; i < 3; i++) {
        const weir_type *bound = weir_rule_input(graph, node, i);
        if (bound != NULL && weir_rule_count(bound) != 1)
            return weir_rule_fail(graph, node, "input %zu must have one element", i);
    }
    return weir_rule_same_numbers(graph, node, 3) && weir_rule_set_plain(graph, node, to, x->dtype, &x->shape);
}

/* Inference alone: the values pass unchanged. */
bool weir_infer_dropout(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_array *ratio = weir_rule_constant(graph, node, 1), *training = weir_rule_constant(graph, node, 2);
    if (!weir_rule_float_input(graph, node)) return false;
    for (size_t i = 1; i < 3; i++) {
        const weir_type *type = weir_rule_input(graph, node, i);
        if (type == NULL) continue;
        if (i == 1 ? !weir_dtype_is_float(type->dtype) : type->dtype != WEIR_BOOL)
            return weir_rule_fail_dtype(graph, node, i, i == 1 ? "a floating-point number" : "bool");
        if (type->shape.rank != 0) return weir_rule_fail(graph, node, "input %zu must be a scalar", i);
    }
    if (ratio != NULL && !(weir_array_get(ratio, 0) >= 0 && weir_array_get(ratio, 0) < 1))
        return weir_rule_fail(graph, node, "the ratio (input 1) is %g, expected a number in [0, 1)",
                              weir_array_get(ratio, 0));
    if (weir_node_input(graph, node, 2).id != 0 && (training == NULL || weir_array_get_int(training, 0) != 0)) {
        return weir_rule_fail(graph, node, "the training mode (input 2) must be a constant false");
    }
    return weir_rule_set(graph, node, to, weir_rule_input(graph, node, 0));
}

bool weir_infer_gelu(const weir_graph *graph, weir_node node, weir_inferred *to) {
    static const char *const approximations[] = {"none", "tanh", NULL};
    return weir_rule_is_word(graph, node, "approximate", approximations) && weir_infer_one_float(graph, node, to);
}

bool weir_infer_cast(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const char *name = weir_node_string(graph, node, "to", "");
    weir_dtype dtype;
    if (weir_node_attribute(graph, node, "to") == NULL) return weir_rule_fail(graph, node, "attribute 'to' is missing");
    if (!weir_dtype_parse(name, &dtype))
        return weir_rule_fail(graph, node, "attribute 'to' is '%s', expected an element type, such as float32", name);
    static const char *const rounds[] = {"up", "down", "nearest", NULL};
    return weir_rule_is_word(graph, node, "round_mode", rounds) &&
           weir_rule_set_plain(graph, node, to, dtype, &weir_rule_input(graph, node, 0)->shape);
}

/* The exponent may be of another type than the result. */
bool weir_infer_pow(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_dtype base = weir_rule_input(graph, node, 0)->dtype;
    weir_shape shape;
    if (!weir_dtype_is_float(base) && base != WEIR_INT32 && base != WEIR_INT64)
        return weir_rule_fail_dtype(graph, node, 0, "int32, int64 or a floating-point number");
    if (weir_rule_input(graph, node, 1)->dtype == WEIR_BOOL) return weir_rule_fail_dtype(graph, node, 1, "a number");
    return common_shape(graph, node, 0, 2, &shape) && weir_rule_set_plain(graph, node, to, base, &shape);
}

bool weir_infer_bit_shift(const weir_graph *graph, weir_node node, weir_inferred *to) {
    static const char *const directions[] = {"LEFT", "RIGHT", NULL};
    return weir_rule_is_word(graph, node, "direction", directions) && weir_infer_equal_integers(graph, node, to);
}

bool weir_infer_not(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *x = weir_rule_input(graph, node, 0);
    if (x->dtype != WEIR_BOOL) return weir_rule_fail_dtype(graph, node, 0, "bool");
    return weir_rule_set_plain(graph, node, to, WEIR_BOOL, &x->shape);
}

bool weir_infer_where(const weir_graph *graph, weir_node node, weir_inferred *to) {
    const weir_type *a = weir_rule_input(graph, node, 1), *b = weir_rule_input(graph, node, 2);
    weir_shape shape;
    if (weir_rule_input(graph, node, 0)->dtype != WEIR_BOOL) return weir_rule_fail_dtype(graph, node, 0, "bool");
    if (a->dtype != b->dtype) return weir_rule_fail_dtype(graph, node, 2, weir_dtype_name(a->dtype));
    return common_shape(graph, node, 0, 3, &shape) && weir_rule_set_plain(graph, node, to, a->dtype, &shape);
}

/* (x - offset) * scale, numbers for all features or one for each; the result is float32 whatever the input is. */
bool weir_infer_scaler(const weir_graph *graph, weir_node node, weir_inferred *to) {
    static const char *const names[] = {"offset", "scale"};
    const weir_type *x = weir_rule_input(graph, node, 0);
    const int64_t features = x->shape.rank == 0 ? 1 : x->shape.dim[x->shape.rank - 1];
    if (!weir_rule_same_numbers(graph, node, 1)) return false;
    for (size_t i = 0; i < 2; i++) {
        const weir_attribute *given = weir_node_attribute(graph, node, names[i]);
        if (given != NULL && given->count != 1 && (int64_t)given->count != features)
            return weir_rule_fail(graph, node, "attribute '%s' has %zu numbers, expected 1 or %lld", names[i],
                                  given->count, (long long)features);
    }
    return weir_rule_set_plain(graph, node, to, WEIR_FLOAT32, &x->shape);
}
