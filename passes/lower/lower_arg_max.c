/* ArgMax, ArgMin and TopK of one of codes with one scale: the index of the largest code, and that code; of the
 * smallest, those of the negated codes. */
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "passes/lower/lower.h"

/* The codes; no value after a reported error. */
static weir_value read_codes(weir_lowering *l, weir_node node) {
    const weir_expression *x = weir_lower_input(l, node, 0);
    if (weir_expression_source(x) != WEIR_EXPRESSION_CODES) {
        weir_lower_fail_unquantized(l, node, 0, "its input is not quantized");
        return WEIR_NO_VALUE;
    }
    return weir_lower_one_scale(l, node, weir_lower_codes(l, node, x));
}

/* Output `index` of the node: where the largest code lies along `axis`. */
static bool add_position(weir_lowering *l, weir_node node, weir_value codes, int axis, size_t index) {
    const weir_value output = weir_node_output(l->from, node, index);
    const weir_shape *wanted = &weir_value_type(l->from, output)->shape;
    const int rank = weir_value_type(l->to, codes)->shape.rank;
    const bool innermost = axis == rank - 1;
    if (!innermost) codes = weir_lower_rows(l, node, codes, axis);
    if (codes.id == 0) return false;
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_ARG_MAX, innermost ? "" : "_0", &codes, 1, NULL);
    weir_node_set_int(l->to, made, "axis", innermost ? axis : 1);
    weir_node_set_int(l->to, made, "keepdims", innermost && wanted->rank == rank);
    weir_node_set_int(l->to, made, "select_last_index", weir_node_int(l->from, node, "select_last_index", 0));
    if (!weir_infer_node(l->to, made)) return false;
    weir_value position = weir_node_output(l->to, made, 0);
    if (!innermost) position = weir_lower_reshape(l, node, position, wanted);
    weir_lower_become(l, output, weir_expression_codes(weir_graph_arena(l->to), position));
    return true;
}

static int axis_of(const weir_lowering *l, weir_node node, weir_value codes, int64_t otherwise) {
    const int64_t axis = weir_node_int(l->from, node, "axis", otherwise);
    return (int)(axis < 0 ? axis + weir_value_type(l->to, codes)->shape.rank : axis);
}

bool weir_lower_arg_max(weir_lowering *l, weir_node node) {
    const weir_value codes = read_codes(l, node);
    return codes.id != 0 && add_position(l, node, codes, axis_of(l, node, codes, 0), 0);
}

bool weir_lower_arg_min(weir_lowering *l, weir_node node) {
    weir_value codes = read_codes(l, node);
    if (codes.id != 0) codes = weir_lower_negated(l, node, codes);
    return codes.id != 0 && add_position(l, node, codes, axis_of(l, node, codes, 0), 0);
}

static bool is_needed(const weir_lowering *l, weir_node node, size_t index) {
    if (index >= weir_node_output_count(l->from, node)) return false;
    const weir_value value = weir_node_output(l->from, node, index);
    return weir_value_use_count(l->from, value) > 0 || weir_value_is_output(l->from, value);
}

bool weir_lower_top_k(weir_lowering *l, weir_node node) {
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const bool smallest = weir_node_int(l->from, node, "largest", 1) == 0;
    const weir_value given = read_codes(l, node);
    if (given.id == 0) return false;
    const int axis = axis_of(l, node, given, -1);
    if (shape->dim[axis] != 1) return weir_lower_fail(l, node, "hardware finds only one element");
    const weir_value codes = smallest ? weir_lower_negated(l, node, given) : given;
    if (codes.id == 0 || (is_needed(l, node, 1) && !add_position(l, node, codes, axis, 1))) return false;
    if (!is_needed(l, node, 0)) return true;
    weir_value largest = weir_lower_largest(l, node, smallest ? "_least" : "", codes, axis);
    if (smallest && largest.id != 0) largest = weir_lower_negated_back(l, node, largest, weir_value_type(l->to, given));
    return weir_lower_set_codes(l, node, largest);
}
