/* What consumers of codes read: of an expression with all that is pending computed, which no quantizer rounds. */
#include <math.h>

#include "passes/lower/scaled.h"
#include "support/memory/arena.h"

const weir_expression *weir_lower_sum_aligned(weir_lowering *l, weir_node node, const char *suffix,
                                              const weir_expression *x, weir_interval needed) {
    const weir_leaf_sum *sum = weir_expression_sum_of(x);
    const weir_leaf *of[2] = {&sum->left, &sum->right};
    const double before = l->rounding;
    weir_value pair[2];
    weir_interval range[2];
    l->rounding = 0;
    for (int i = 0; i < 2; i++) {
        const weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = of[i]->codes});
        range[i] = weir_scaled_range(l, &a);
    }
    for (size_t i = 0; i < 2; i++) {
        weir_scaled a = weir_scaled_of(l, &(weir_leaf){.codes = of[i]->codes});
        a.needed = weir_lower_needed_term(sum->minus, i, range[1 - i], needed);
        pair[i] = weir_scaled_settle(l, node, &a);
        if (pair[i].id == 0) return NULL;
    }
    if (!weir_lower_align_terms(l, node, pair, sum->minus, needed)) return NULL;
    const weir_leaf leaf = {
        .codes = weir_scaled_add(l, node, suffix, pair, sum->minus), .map = sum->left.map, .rounding = 2 * l->rounding};
    l->rounding = fmax(before, leaf.rounding);
    return leaf.codes.id == 0 ? NULL : weir_expression_with_leaf(weir_graph_arena(l->to), x, &leaf);
}

const weir_expression *weir_lower_sum_single(weir_lowering *l, weir_node node, const char *suffix,
                                             const weir_expression *x, weir_interval needed) {
    const weir_expression *exact = weir_lower_sum_exact(l, node, suffix, x);
    if (exact != NULL || !l->carries) return exact;
    weir_diag_log *log = weir_diag_capture();
    x = weir_lower_sum_aligned(l, node, suffix, x, needed);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return x;
}

/* Is it a product with positive numbers, or a quotient by such? */
static bool is_scaling(const weir_step *step) {
    bool fine = step->op == WEIR_OP_MUL || step->op == WEIR_OP_DIV;
    for (size_t c = 0; fine && c < step->constant->count; c++) fine = weir_array_get(step->constant, c) > 0;
    return fine;
}

/* The most scales that the codes have or get. */
static uint32_t count_scales(const weir_quant *quant, const weir_expression *x) {
    uint32_t count = quant->count > 1 ? quant->count : 1;
    for (; weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP; x = weir_expression_operand(x)) {
        const weir_array *constant = weir_expression_step_of(x)->constant;
        if (constant != NULL && constant->count > count) count = (uint32_t)constant->count;
    }
    return count;
}

/* The scales of the leaf after the steps of x, the first of which is the innermost; false: one of them is no product
 * with positive numbers. `relu`: there is a Relu among them. */
static bool scale_by_steps(const weir_lowering *l, const weir_expression *x, double *scale, uint32_t count,
                           bool *relu) {
    if (weir_expression_kind_of(x) != WEIR_EXPRESSION_STEP) return true;
    const weir_step *step = weir_expression_step_of(x);
    if (!scale_by_steps(l, weir_expression_operand(x), scale, count, relu)) return false;
    if (step->op == WEIR_OP_RELU) return *relu = true;
    if (!is_scaling(step)) return false;
    for (uint32_t c = 0; c < count; c++) {
        const double by = weir_array_get(step->constant, step->constant->count == 1 ? 0 : c);
        if (step->op == WEIR_OP_MUL) scale[c] = weir_contract_product(l->contract, scale[c], by);
        else scale[c] = l->contract == WEIR_CONTRACT_REAL ? scale[c] / by : (double)((float)scale[c] / (float)by);
    }
    return true;
}

/* Products with positive numbers, one a tensor or one a channel, are other scales of the same codes: x, of a leaf, with
 * its steps as scales, or as it is where they are more than that. */
static const weir_expression *rescaled(weir_lowering *l, weir_node node, const weir_expression *x) {
    uint32_t offsets;
    if (weir_expression_kind_of(x) != WEIR_EXPRESSION_STEP || weir_expression_numbers(x, &offsets) != NULL) return x;
    weir_arena *arena = weir_graph_arena(l->to);
    weir_leaf leaf = *weir_expression_leaf(x);
    weir_type type = *weir_value_type(l->to, leaf.codes);
    const uint32_t count = count_scales(&type.quant, x);
    if (count > 1 && leaf.map != NULL) return x;
    double *scale = weir_arena_array(arena, count, sizeof *scale);
    int64_t *zero = weir_arena_array(arena, count, sizeof *zero);
    for (uint32_t c = 0; c < count; c++) {
        scale[c] = weir_quant_scale(&type.quant, c);
        zero[c] = weir_quant_zero(&type.quant, c);
    }
    bool relu = false;
    if (!scale_by_steps(l, x, scale, count, &relu)) return x;
    if (type.quant.format == WEIR_FORMAT_FIXED) type.quant.format = WEIR_FORMAT_INTEGER;
    type.quant.count = count;
    type.quant.axis = count > 1 ? type.shape.rank - 1 : -1;
    type.quant.scale = scale;
    type.quant.zero_point = zero;
    const weir_node relabel = weir_lower_add_node(l, node, WEIR_OP_RELABEL, "_input", &leaf.codes, 1, &type);
    leaf.codes = weir_node_output(l->to, relabel, 0);
    const weir_expression *made = weir_expression_of_leaf(arena, &leaf);
    return relu ? weir_expression_relu(arena, made) : made;
}

weir_value weir_lower_codes(weir_lowering *l, weir_node node, const weir_expression *given) {
    const weir_expression *x = given;
    if (weir_expression_source(x) == WEIR_EXPRESSION_SUM)
        x = weir_lower_sum_single(l, node, "_input", given, weir_lower_any);
    if (x == NULL && given != NULL) {
        weir_lower_fail_sum(l, node, given);
        return WEIR_NO_VALUE;
    }
    x = rescaled(l, node, x);
    const bool relu = weir_expression_kind_of(x) == WEIR_EXPRESSION_RELU;
    const weir_expression *codes = relu ? weir_expression_operand(x) : x;
    if (weir_expression_kind_of(codes) != WEIR_EXPRESSION_CODES) {
        weir_lower_fail(l, node, "its input has no quantizer after the operators before it");
        weir_note("put one between them and the node");
        return WEIR_NO_VALUE;
    }
    const weir_leaf *leaf = weir_expression_leaf(codes);
    if (leaf->map != NULL) {
        weir_lower_fail(l, node, "a reshape splits the per-channel scales of its input: quantize it again, per tensor");
        return WEIR_NO_VALUE;
    }
    if (!relu) return leaf->codes;
    const weir_type *type = weir_value_type(l->to, leaf->codes);
    if (type->quant.count > 1) {
        weir_lower_fail(l, node, "a Relu on accumulators needs a quantizer after it");
        return WEIR_NO_VALUE;
    }
    return weir_lower_at_least(l, node, leaf->codes, weir_quant_zero(&type->quant, 0));
}
