/* States and Updates (ir/trait/recurrence.h): the same of codes. What an Update takes was quantized, or is codes; its
 * State has those codes from the first step on. */
#include "ir/shape/infer.h"
#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/lower/lower.h"
#include "support/memory/arena.h"

/* What makes the codes that the value stands for: a quantizer, or the DequantizeLinear of what an operator on codes
 * gives; none: it is neither. */
static weir_node quantizer_of(const weir_graph *model, weir_value value) {
    weir_node dequantizer = WEIR_NO_NODE;
    for (;;) {
        const weir_node node = weir_value_producer(model, value);
        if (node.id == 0) return dequantizer;
        const weir_trait *trait = weir_trait_of(weir_node_op(model, node));
        if (trait->task == WEIR_TASK_QUANTIZER) return node;
        if (trait->task == WEIR_TASK_DEQUANTIZER) dequantizer = node;
        else if (!trait->is_exact) return dequantizer;
        value = weir_node_input(model, node, 0);
    }
}

static bool read_quant(weir_lowering *l, weir_node node, weir_quant *quant) {
    const bool is_quantizer = weir_trait_of(weir_node_op(l->from, node))->task == WEIR_TASK_QUANTIZER;
    if (is_quantizer) return weir_lower_read_quantizer(l, node, quant);
    const weir_dtype dtype = weir_value_type(l->from, weir_node_input(l->from, node, 0))->dtype;
    return weir_lower_read_quant(l, node, 1, 2, dtype, 0, quant);
}

/* The codes of an initial value that is computed, which must be the State's; no value after an error. */
static weir_value computed_codes(weir_lowering *l, weir_node node, const weir_quant *quant) {
    const weir_value codes = weir_lower_operand(l, node, weir_lower_input(l, node, 0), false);
    if (codes.id == 0 || weir_quant_equal(&weir_value_type(l->to, codes)->quant, quant)) return codes;
    weir_lower_fail(l, node, "its initial value needs the quantizer of what node '%s' gives it",
                    weir_node_name(l->from, weir_recurrence_update(l->from, node)));
    return WEIR_NO_VALUE;
}

/* Those of a constant, as the quantizer makes them. */
static weir_value constant_codes(weir_lowering *l, weir_node node, const weir_array *given, weir_node quantizer,
                                 const weir_type *type) {
    weir_array *codes = weir_array_new(type->dtype, &given->shape);
    const weir_contract contract = weir_lower_contract_of(l, quantizer);
    const bool is_real = weir_dtype_is_float(given->dtype);
    for (size_t i = 0; i < codes->count; i++)
        weir_array_set_int(codes, i,
                           is_real ? weir_encode(weir_array_get(given, i), &type->quant, 0, contract)
                                   : weir_array_get_int(given, i));
    char *name = weir_format("%s_initial", weir_node_name(l->from, node));
    const weir_value made = weir_graph_add_constant(l->to, name, codes);
    free(name);
    weir_type own = *type;
    own.shape = given->shape;
    weir_value_set_type(l->to, made, &own);
    weir_array_free(codes);
    return made;
}

bool weir_lower_state(weir_lowering *l, weir_node node) {
    const weir_node update = weir_recurrence_update(l->from, node);
    if (update.id == 0) return weir_lower_fail(l, node, "it has no Update");
    const weir_node quantizer = quantizer_of(l->from, weir_node_input(l->from, update, 0));
    weir_quant quant;
    if (quantizer.id == 0) return weir_lower_fail_unquantized(l, update, 0, "what it remembers is not quantized");
    if (!read_quant(l, quantizer, &quant)) return false;
    if (quant.count != 1)
        return weir_lower_fail(l, node, "what node '%s' gives it needs one scale", weir_node_name(l->from, update));
    int64_t low, high;
    weir_quant_limits(&quant, &low, &high);
    const weir_shape *shape = &weir_value_type(l->from, weir_node_output(l->from, node, 0))->shape;
    const weir_type type = weir_lower_codes_type(&quant, shape, low, high);
    const weir_array *given = weir_lower_constant(l, weir_node_input(l->from, node, 0));
    const weir_value start =
        given == NULL ? computed_codes(l, node, &quant) : constant_codes(l, node, given, quantizer, &type);
    if (start.id == 0) return false;
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_STATE, "", &start, 1, &type);
    weir_node_copy_attributes(l->to, made, l->from, node);
    return weir_infer_node(l->to, made) && weir_lower_set_codes(l, node, weir_node_output(l->to, made, 0));
}

bool weir_lower_update(weir_lowering *l, weir_node node) {
    const weir_expression *state = weir_lower_input(l, node, 1);
    if (weir_expression_kind_of(state) != WEIR_EXPRESSION_CODES)
        return weir_lower_fail(l, node, "its State is not in hardware");
    const weir_value codes = weir_lower_operand(l, node, weir_lower_input(l, node, 0), false);
    if (codes.id == 0) return false;
    const weir_value held = weir_expression_first(state)->codes;
    const weir_value inputs[2] = {codes, held};
    const weir_node made = weir_lower_add_node(l, node, WEIR_OP_UPDATE, "", inputs, 2, weir_value_type(l->to, codes));
    return weir_infer_node(l->to, made) && weir_lower_set_codes(l, node, weir_node_output(l->to, made, 0));
}
