#include "passes/lower/lower.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/index_map.h"
#include "ir/shape/infer.h"
#include "ir/shape/layout.h"
#include "ir/trait/trait.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"

bool weir_lower_fail(const weir_lowering *l, weir_node node, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    weir_node_vfail(l->from, node, format, arguments);
    va_end(arguments);
    return false;
}

static bool moves(weir_op kind) { return kind == WEIR_OP_TRANSPOSE || kind == WEIR_OP_RESHAPE; }

/* Are the weights of the layer whole numbers, as in a network that computes with codes? */
static bool has_whole_weights(const weir_graph *model, weir_node node) {
    if (weir_trait_of(weir_node_op(model, node))->task != WEIR_TASK_LAYER) return false;
    const weir_array *weights = weir_value_constant(model, weir_node_input(model, node, 1));
    bool whole = weights != NULL;
    for (size_t i = 0; whole && i < weights->count; i++)
        whole = floor(weir_array_get(weights, i)) == weir_array_get(weights, i);
    return whole;
}

/* Quantizing the model helps only where it has no quantizers yet. */
bool weir_lower_fail_unquantized(const weir_lowering *l, weir_node node, size_t index, const char *what) {
    if (!weir_remedy_has_quantizers(l->from) && has_whole_weights(l->from, node))
        return weir_lower_fail(l, node,
                               "%s, but its weights are whole numbers: state the input's type, such as "
                               "--input-quantizer u8:1 for codes from 0 to 255, or quantize the model first "
                               "(--quantize int8 --calibration DATA)",
                               what);
    if (!weir_remedy_has_quantizers(l->from))
        return weir_lower_fail(l, node, "%s; quantize the model first (--quantize int8 --calibration DATA)", what);
    weir_value value = weir_node_input(l->from, node, index);
    for (weir_node maker = weir_value_producer(l->from, value); /* as the model calls it, before its layout changed */
         maker.id != 0 && moves(weir_trait_kind(l->from, maker)); maker = weir_value_producer(l->from, value))
        value = weir_node_input(l->from, maker, 0);
    weir_lower_fail(l, node, "%s: tensor '%s' has no quantizer, though the model has others", what,
                    weir_value_name(l->from, value));
    if (strcmp(weir_graph_name(l->from), "quantized") != 0) /* else --quantize did what it can */
        weir_note("quantize it in the tool that quantized the model%s",
                  weir_remedy_completes(l->from) ? WEIR_REMEDY_COMPLETE : "");
    return false;
}

/* --- values of the model --- */

const weir_expression *weir_lower_expression(const weir_lowering *l, weir_value value) {
    return l->of[value.id].expression;
}

void weir_lower_become(weir_lowering *l, weir_value value, const weir_expression *x) {
    weir_lowering_value *known = &l->of[value.id];
    known->expression = x;
    known->sums = WEIR_NO_VALUE;
    known->is_inside = known->is_bounded = false;
    known->carried = WEIR_NO_VALUE;
    known->mask = NULL;
    known->masking = WEIR_NO_VALUE;
}

void weir_lower_set(weir_lowering *l, weir_node node, const weir_expression *x) {
    weir_lower_become(l, weir_node_output(l->from, node, 0), x);
}

bool weir_lower_set_leaf(weir_lowering *l, weir_node node, const weir_leaf *leaf) {
    if (leaf->codes.id != 0) weir_lower_set(l, node, weir_expression_of_leaf(weir_graph_arena(l->to), leaf));
    return leaf->codes.id != 0;
}

bool weir_lower_set_codes(weir_lowering *l, weir_node node, weir_value codes) {
    return weir_lower_set_leaf(l, node, &(weir_leaf){.codes = codes});
}

bool weir_lower_set_with_codes(weir_lowering *l, weir_node node, const weir_expression *x, weir_value codes) {
    if (codes.id != 0) weir_lower_set(l, node, weir_expression_with_codes(weir_graph_arena(l->to), x, codes));
    return codes.id != 0;
}

const weir_expression *weir_lower_input(const weir_lowering *l, weir_node node, size_t index) {
    return weir_lower_expression(l, weir_node_input(l->from, node, index));
}

const weir_array *weir_lower_input_constant(const weir_lowering *l, weir_node node, size_t index) {
    const weir_expression *x = weir_lower_input(l, node, index);
    return weir_expression_has_data(x) ? weir_expression_data(x) : NULL;
}

const weir_expression *weir_lower_step(weir_lowering *l, const weir_expression *x, weir_op op,
                                       const weir_array *constant) {
    return weir_expression_step(weir_graph_arena(l->to), x, op, constant);
}

bool weir_lower_check_finite(weir_lowering *l, weir_node node, const weir_array *numbers) {
    for (size_t i = 0; i < numbers->count; i++) {
        const double v = weir_array_get(numbers, i);
        if (!isfinite(v)) return weir_lower_fail(l, node, "its constant is %g, expected a finite number", v);
    }
    return true;
}

/* --- types and nodes --- */

weir_quant weir_lower_quant_of(weir_dtype dtype, const double *scale, const int64_t *zero, uint32_t count, int axis) {
    weir_quant quant = {.format = WEIR_FORMAT_INTEGER,
                        .is_signed = weir_dtype_is_signed(dtype),
                        .width = weir_dtype_bits(dtype),
                        .rounding = WEIR_ROUND_HALF_EVEN,
                        .axis = count == 1 ? -1 : axis,
                        .count = count,
                        .scale = scale,
                        .zero_point = zero};
    return quant;
}

bool weir_lower_is_real(weir_op quantizer) { return strcmp(weir_op_get(quantizer)->domain, "") != 0; }

bool weir_lower_is_whole(weir_op op) {
    return strcmp(weir_op_get(op)->domain, weir_op_get(WEIR_OP_REQUANT_SHIFT)->domain) == 0;
}

weir_contract weir_lower_contract_of(const weir_lowering *l, weir_node node) {
    const weir_op op = weir_node_op(l->from, node);
    if (!weir_trait_is_quantizer(op)) return l->contract;
    return weir_lower_is_real(op) ? WEIR_CONTRACT_REAL : WEIR_CONTRACT_ONNXRUNTIME;
}

void weir_lower_bounds(const weir_quant *quant, bool relu, weir_contract contract, int64_t *low, int64_t *high) {
    weir_quant_limits(quant, low, high);
    if (relu) *low = weir_encode(0, quant, 0, contract);
}

weir_type weir_lower_codes_type(const weir_quant *quant, const weir_shape *shape, int64_t low, int64_t high) {
    int64_t least, most;
    weir_quant_limits(quant, &least, &most);
    weir_type type = {.dtype = weir_dtype_for(least, most),
                      .shape = *shape,
                      .quant = *quant,
                      .has_range = true,
                      .low = low,
                      .high = high};
    return type;
}

static weir_value add_cast(weir_lowering *l, weir_node node, const char *suffix, const weir_value *inputs, size_t count,
                           const weir_type *type) {
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_CAST_CODES, suffix, inputs, count, type);
    weir_node_set_int(l->to, made, "low", type->low);
    weir_node_set_int(l->to, made, "high", type->high);
    return weir_infer_node(l->to, made) ? weir_node_output(l->to, made, 0) : WEIR_NO_VALUE;
}

weir_value weir_lower_clip(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                           const weir_type *type) {
    return add_cast(l, node, suffix, &codes, 1, type);
}

weir_value weir_lower_shift(weir_lowering *l, weir_node node, const char *suffix, weir_value codes,
                            const weir_array *add, const weir_type *type) {
    char *name = weir_format("%s_zero", weir_node_name(l->from, node));
    const weir_value inputs[2] = {codes, weir_graph_add_constant(l->to, name, add)};
    free(name);
    return add_cast(l, node, suffix, inputs, 2, type);
}

void weir_lower_recognize_fixed(weir_quant *quant) {
    int exponent;
    if (quant->format != WEIR_FORMAT_INTEGER || quant->count != 1 || weir_quant_zero(quant, 0) != 0 ||
        frexp(quant->scale[0], &exponent) != 0.5)
        return;
    quant->format = WEIR_FORMAT_FIXED;
    quant->frac = 1 - exponent;
    quant->count = 0;
    quant->axis = -1;
    quant->scale = NULL;
    quant->zero_point = NULL;
}

bool weir_lower_channels_last(const weir_lowering *l, weir_node node, weir_shape *onnx) {
    const weir_shape *x = &weir_value_type(l->from, weir_node_input(l->from, node, 0))->shape;
    int order[WEIR_MAX_RANK], last[WEIR_MAX_RANK];
    weir_layout_order(l->from, node, order);
    weir_layout_channels_last(x->rank, last);
    *onnx = weir_layout_to_onnx(x, order);
    return memcmp(order, last, (size_t)x->rank * sizeof *order) == 0 ||
           weir_lower_fail(l, node, "hardware needs the channels innermost");
}

weir_node weir_lower_add_node(weir_lowering *l, weir_node old, weir_op op, const char *suffix, const weir_value *inputs,
                              size_t count, const weir_type *type) {
    char *name = weir_format("%s%s", weir_node_name(l->from, old), suffix);
    weir_node node = weir_graph_add_node(l->to, op, name, inputs, count, 1, WEIR_NO_NODE);
    free(name);
    weir_node_set_location(l->to, node, weir_node_location(l->from, old));
    if (type != NULL) weir_value_set_type(l->to, weir_node_output(l->to, node, 0), type);
    return node;
}

weir_value weir_lower_reshape(weir_lowering *l, weir_node old, weir_value value, const weir_shape *shape) {
    return weir_lower_reshape_as(l, old, "", value, shape);
}

weir_value weir_lower_reshape_as(weir_lowering *l, weir_node old, const char *suffix, weir_value value,
                                 const weir_shape *shape) {
    weir_type type = *weir_value_type(l->to, value);
    if (type.quant.count > 1) type.quant.axis = shape->rank - 1;
    type.shape = *shape;
    type.layout[0] = '\0';
    weir_array *dims = weir_array_new(WEIR_INT64, &(weir_shape){1, {shape->rank}});
    for (int d = 0; d < shape->rank; d++) weir_array_set_int(dims, (size_t)d, shape->dim[d]);
    char *name = weir_format("%s%s_shape", weir_node_name(l->from, old), suffix);
    weir_value inputs[2] = {value, weir_graph_add_constant(l->to, name, dims)};
    free(name);
    weir_array_free(dims);
    return weir_node_output(l->to, weir_lower_add_node(l, old, WEIR_OP_RESHAPE, suffix, inputs, 2, &type), 0);
}

const weir_expression *weir_lower_reshaped(weir_lowering *l, const weir_expression *x, const weir_shape *shape) {
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_shape *own = &weir_value_type(l->to, weir_expression_first(x)->codes)->shape;
    const weir_index_map map = weir_index_map_keep(arena, own, shape);
    return weir_expression_moved(arena, x, own, &map);
}

bool weir_lower_has_channels(const weir_lowering *l, const weir_expression *x) {
    uint32_t offsets;
    weir_expression_numbers(x, &offsets);
    bool any = weir_value_type(l->to, weir_expression_first(x)->codes)->quant.count > 1 || offsets > 1;
    for (; weir_expression_kind_of(x) == WEIR_EXPRESSION_STEP; x = weir_expression_operand(x)) {
        const weir_array *constant = weir_expression_step_of(x)->constant;
        any |= constant != NULL && constant->count > 1;
    }
    return any;
}

bool weir_lower_is_one_code(const weir_graph *graph, weir_value value) {
    const weir_node node = weir_value_producer(graph, value);
    if (node.id == 0) return weir_value_constant(graph, value) == NULL;
    const weir_op op = weir_node_op(graph, node), kind = weir_trait_of(op)->kind;
    const weir_value first = weir_node_input(graph, node, 0);
    if (op == WEIR_OP_STATE) return true; /* of the quantizer before its Update */
    if (op == WEIR_OP_ENCODE || op == WEIR_OP_REQUANTIZE || op == WEIR_OP_THRESHOLD || op == WEIR_OP_LOOKUP)
        return true;
    if (op == WEIR_OP_SUM) /* which turns the sign: weir_lower_negated */
        return first.id == weir_node_input(graph, node, 1).id && weir_node_int(graph, node, "ca", 1) == -1 &&
               weir_node_int(graph, node, "cb", 1) == 0 && weir_lower_is_one_code(graph, first);
    const bool joins = kind == WEIR_OP_CONCAT;
    const bool moves = weir_index_map_exists(op) && op != WEIR_OP_RELABEL; /* whose codes mean other numbers */
    bool one = joins || moves || op == WEIR_OP_CAST_CODES || op == WEIR_OP_MAXIMUM ||
               weir_trait_of(op)->task == WEIR_TASK_EXTREME;
    for (size_t i = 0; one && i < (joins ? weir_node_input_count(graph, node) : 1); i++)
        one = weir_lower_is_one_code(graph, weir_node_input(graph, node, i));
    return one;
}
