/* The host's part of a model: what is float before the first quantizer and after the last. Its nodes are copied as they
 * are, and the float engine runs them. Whether a node after the hardware is followed by more hardware is known later;
 * until then its expression keeps the reason why it cannot be hardware. */
#include <stdlib.h>

#include "exec/evaluate.h"
#include "exec/kernel.h"
#include "ir/shape/infer.h"
#include "passes/lower/lower.h"
#include "passes/quantize/remedy.h"
#include "support/memory/arena.h"

/* --- constants --- */

/* A copy in the arena of one result of a node all of whose inputs are constant. */
static const weir_array *evaluate(weir_lowering *l, weir_value value) {
    const weir_node node = weir_value_producer(l->from, value);
    const size_t inputs = weir_node_input_count(l->from, node), outputs = weir_node_output_count(l->from, node);
    const weir_array **data = weir_calloc(inputs + 1, sizeof *data);
    bool known = true;
    for (size_t i = 0; i < inputs; i++) {
        const weir_value input = weir_node_input(l->from, node, i);
        data[i] = input.id == 0 ? NULL : weir_lower_constant(l, input);
        known &= input.id == 0 || data[i] != NULL;
    }
    weir_array **results = known ? weir_evaluate_node(l->from, node, data) : NULL;
    const weir_array *result = NULL;
    for (size_t i = 0; results != NULL && i < outputs; i++) {
        if (i == weir_value_producer_output(l->from, value))
            result = weir_array_copy_in(weir_graph_arena(l->to), results[i]);
        weir_array_free(results[i]);
    }
    free(results);
    free(data);
    return result;
}

const weir_array *weir_lower_constant(weir_lowering *l, weir_value value) {
    if (value.id == 0) return NULL;
    const weir_expression *x = weir_lower_expression(l, value);
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_CONSTANT) return weir_expression_data(x);
    const weir_array *data = weir_value_constant(l->from, value);
    return !weir_expression_has_data(x) ? NULL : data != NULL ? data : evaluate(l, value);
}

/* --- values --- */

/* Real numbers leave the hardware as codes and are decoded on the host. */
static weir_value decode(weir_lowering *l, weir_node producer, const weir_expression *x, const weir_type *declared) {
    const weir_leaf *leaf = weir_expression_leaf(x);
    weir_value codes = leaf->codes;
    weir_type type = *declared;
    type.shape = weir_value_type(l->to, codes)->shape;
    weir_node node = weir_graph_add_node(l->to, WEIR_OP_DECODE, "decode", &codes, 1, 1, WEIR_NO_NODE);
    weir_value value = weir_node_output(l->to, node, 0);
    weir_value_set_type(l->to, value, &type);
    uint32_t offsets;
    const double *number = weir_expression_numbers(x, &offsets);
    weir_contract contract = number == NULL ? l->contract : WEIR_CONTRACT_REAL;
    weir_node_set_string(l->to, node, "arithmetic", weir_contract_name(contract));
    if (number != NULL) weir_node_set_floats(l->to, node, "offset", number, offsets);
    if (weir_expression_kind_of(x) == WEIR_EXPRESSION_RELU) {
        weir_node relu = weir_graph_add_node(l->to, WEIR_OP_RELU, "decode_relu", &value, 1, 1, WEIR_NO_NODE);
        value = weir_node_output(l->to, relu, 0);
        weir_value_set_type(l->to, value, &type);
    }
    return weir_lower_mapped(l, producer, value, leaf->map);
}

/* Integer results leave as the model declares them, with their zero points, whole numbers a channel, subtracted. */
static weir_value subtract_zero(weir_lowering *l, weir_value codes, const weir_type *declared) {
    const weir_type *type = weir_value_type(l->to, codes);
    uint32_t count = type->quant.count == 0 ? 1 : type->quant.count;
    int64_t low = type->low, high = type->high;
    bool any = type->dtype != declared->dtype;
    weir_array *add = weir_array_new(WEIR_INT64, &(weir_shape){1, {count}});
    for (uint32_t c = 0; c < count; c++) {
        int64_t zero = weir_quant_zero(&type->quant, c);
        weir_array_set_int(add, c, -zero);
        any |= zero != 0;
        if (type->low - zero < low) low = type->low - zero;
        if (type->high - zero > high) high = type->high - zero;
    }
    int64_t least, most;
    weir_dtype_limits(declared->dtype, &least, &most);
    char *name = any ? weir_format("%s_zero", weir_node_name(l->to, weir_value_producer(l->to, codes))) : NULL;
    if (any) {
        weir_value inputs[2] = {codes, weir_graph_add_constant(l->to, name, add)};
        weir_node node = weir_graph_add_node(l->to, WEIR_OP_CAST_CODES, name, inputs, 2, 1, WEIR_NO_NODE);
        weir_node_set_int(l->to, node, "low", low > least ? low : least);
        weir_node_set_int(l->to, node, "high", high < most ? high : most);
        weir_value_set_type(l->to, weir_node_output(l->to, node, 0), declared);
        codes = weir_infer_node(l->to, node) ? weir_node_output(l->to, node, 0) : WEIR_NO_VALUE;
    }
    free(name);
    weir_array_free(add);
    return codes;
}

/* Of a leaf without steps. */
static weir_value leave(weir_lowering *l, weir_value value) {
    const weir_expression *x = weir_lower_expression(l, value);
    const weir_leaf *leaf = weir_expression_leaf(x);
    const weir_type *declared = weir_value_type(l->from, value);
    const weir_node producer = weir_value_producer(l->from, value);
    if (declared->quant.format == WEIR_FORMAT_FLOAT) return decode(l, producer, x, declared);
    weir_value codes = leaf->centered ? subtract_zero(l, leaf->codes, declared) : leaf->codes;
    return codes.id == 0 ? codes : weir_lower_mapped(l, producer, codes, leaf->map);
}

/* The node as it is in the model, reading what the host knows. */
static bool copy(weir_lowering *l, weir_node node) {
    const size_t inputs = weir_node_input_count(l->from, node), outputs = weir_node_output_count(l->from, node);
    weir_value *input = weir_calloc(inputs + 1, sizeof *input);
    bool fine = true;
    for (size_t i = 0; fine && i < inputs; i++) {
        const weir_value value = weir_node_input(l->from, node, i);
        if (value.id == 0) continue;
        input[i] = weir_lower_host_value(l, value);
        fine = input[i].id != 0;
    }
    if (fine) {
        weir_node made = weir_graph_add_node(l->to, weir_node_op(l->from, node), weir_node_name(l->from, node), input,
                                             inputs, outputs, WEIR_NO_NODE);
        weir_node_set_location(l->to, made, weir_node_location(l->from, node));
        weir_node_copy_attributes(l->to, made, l->from, node);
        for (size_t i = 0; i < outputs; i++) {
            const weir_value value = weir_node_output(l->from, node, i), here = weir_node_output(l->to, made, i);
            weir_value_set_type(l->to, here, weir_value_type(l->from, value));
            l->of[value.id].host = here;
        }
        fine = weir_infer_node(l->to, made);
    }
    free(input);
    return fine;
}

weir_value weir_lower_host_value(weir_lowering *l, weir_value value) {
    weir_value *known = &l->of[value.id].host;
    const weir_expression *x = weir_lower_expression(l, value);
    if (known->id != 0) return *known;
    switch (weir_expression_kind_of(x)) {
    case WEIR_EXPRESSION_NONE: return WEIR_NO_VALUE;
    case WEIR_EXPRESSION_REAL:
    case WEIR_EXPRESSION_HOST: *known = weir_expression_value(x); break;
    case WEIR_EXPRESSION_CONSTANT:
    case WEIR_EXPRESSION_WEIGHTS: {
        const weir_array *data = weir_lower_constant(l, value);
        if (data != NULL) *known = weir_graph_add_constant(l->to, weir_value_name(l->from, value), data);
        break;
    }
    case WEIR_EXPRESSION_CODES:
    case WEIR_EXPRESSION_OFFSET:
    case WEIR_EXPRESSION_RELU:
    case WEIR_EXPRESSION_STEP:
    case WEIR_EXPRESSION_SUM:
    case WEIR_EXPRESSION_FUNCTION:
        if (weir_expression_source(x) == WEIR_EXPRESSION_CODES && weir_expression_count_steps(x) == 0)
            *known = leave(l, value);
        else if (!copy(l, weir_value_producer(l->from, value))) return WEIR_NO_VALUE;
        break;
    }
    return *known;
}

/* --- nodes --- */

static const weir_diag_log *keep(weir_lowering *l, weir_diag_log *log) {
    l->log = weir_grow(l->log, &l->log_capacity, l->log_count + 1, sizeof *l->log);
    return l->log[l->log_count++] = log;
}

/* Is it of hardware, or of what the host computes after it? */
static bool is_after_hardware(const weir_expression *x) {
    return weir_expression_kind_of(x) == WEIR_EXPRESSION_HOST || weir_expression_is_hardware(x);
}

static const weir_diag_log *cause_of(const weir_expression *x) {
    const weir_expression_kind kind = weir_expression_kind_of(x);
    return kind == WEIR_EXPRESSION_HOST || kind == WEIR_EXPRESSION_REAL ? weir_expression_cause(x) : NULL;
}

bool weir_lower_on_host(weir_lowering *l, weir_node node, weir_diag_log *cause) {
    bool after = false;
    weir_arena *arena = weir_graph_arena(l->to);
    const weir_diag_log *own = keep(l, cause), *first = NULL;
    for (size_t i = 0; i < weir_node_input_count(l->from, node); i++) {
        const weir_value value = weir_node_input(l->from, node, i);
        if (value.id == 0) continue;
        const weir_expression *x = weir_lower_expression(l, value);
        after |= is_after_hardware(x);
        if (first == NULL) first = cause_of(x);
    }
    if (first == NULL) first = own;
    if (!copy(l, node)) return false;
    if (!weir_kernel_supports(l->from, node))
        return weir_lower_fail(l, node, "the float engine does not compute it on these types");
    for (size_t i = 0; i < weir_node_output_count(l->from, node); i++) {
        const weir_value value = weir_node_output(l->from, node, i);
        const weir_value made = l->of[value.id].host;
        weir_lower_become(l, value,
                          after ? weir_expression_host(arena, made, first) : weir_expression_real(arena, made, first));
    }
    return true;
}

/* Does the hardware have a part in any output? Then the host may compute others alone. */
static bool has_hardware(const weir_lowering *l) {
    bool any = false;
    for (size_t i = 0; i < weir_graph_output_count(l->from); i++)
        any |= is_after_hardware(weir_lower_expression(l, weir_graph_output(l->from, i)));
    return any;
}

weir_value weir_lower_result(weir_lowering *l, size_t index) {
    const weir_value output = weir_graph_output(l->from, index);
    const weir_expression *x = weir_lower_expression(l, output);
    if (is_after_hardware(x) || (weir_expression_kind_of(x) == WEIR_EXPRESSION_REAL && has_hardware(l)))
        return weir_lower_host_value(l, output);
    weir_use use;
    if (!weir_remedy_has_quantizers(l->from) && weir_remedy_unquantized(l->from, &use))
        weir_lower_fail_unquantized(l, use.node, use.index, "its input is real and has no quantizer");
    else if (cause_of(x) != NULL) weir_diag_replay(cause_of(x));
    else
        weir_error(weir_at(weir_graph_source(l->from), 0), "output '%s' is not computed from quantized values",
                   weir_graph_output_name(l->from, index));
    return WEIR_NO_VALUE;
}
