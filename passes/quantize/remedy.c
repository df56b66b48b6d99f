#include "passes/quantize/remedy.h"

#include "ir/shape/index_map.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "support/text/diag.h"

void weir_remedy_operator(weir_op op) {
    const weir_trait_task task = weir_trait_of(op)->task;
    if (weir_trait_of(op)->kind == WEIR_OP_SOFTMAX)
        weir_note(
            "between layers it has no hardware, but ONNX Runtime's QLinearSoftmax has: quantize the model with QuantFormat.QOperator; after "
            "the last layer it runs on the host");
    else if (task == WEIR_TASK_SOFTMAX)
        weir_note(
            "between layers it has no hardware; after the last layer it runs on the host: compile what is before it and what is "
            "behind it as two models");
    else if (task == WEIR_TASK_NORMALIZATION)
        weir_note(
            "between layers it has no hardware: train with BatchNormalization, which becomes part of the next quantizer, or "
            "compile what is before it and what is behind it as two models");
    else
        weir_note(
            "no pass can replace it; weir eval --engine float runs it; passes/README.md lists what can be lowered");
}

bool weir_remedy_has_quantizers(const weir_graph *model) {
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        const weir_op op = weir_node_op(model, node);
        const weir_trait_task task = weir_trait_of(op)->task;
        if (weir_trait_is_quantizer(op) || task == WEIR_TASK_CODE_LAYER || task == WEIR_TASK_CODE_OPERATOR) return true;
    }
    return false;
}

/* Operators through which the codes of a quantizer pass. */
static bool keeps_codes(weir_op op) {
    const weir_trait *trait = weir_trait_of(op);
    return weir_index_map_exists(op) || trait->kind == WEIR_OP_RELU ||
           (trait->task == WEIR_TASK_EXTREME && trait->is_exact);
}

bool weir_remedy_is_quantized(const weir_graph *model, weir_value value) {
    weir_node producer = weir_value_producer(model, value);
    while (producer.id != 0 && keeps_codes(weir_node_op(model, producer)))
        producer = weir_value_producer(model, weir_node_input(model, producer, 0));
    return producer.id != 0 && weir_trait_is_quantizer(weir_node_op(model, producer));
}

bool weir_remedy_unquantized(const weir_graph *model, weir_use *use) {
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        if (weir_trait_of(weir_node_op(model, node))->task != WEIR_TASK_LAYER) continue;
        for (uint32_t i = 0; i < 2; i++) {
            if (weir_remedy_is_quantized(model, weir_node_input(model, node, i))) continue;
            *use = (weir_use){node, i};
            return true;
        }
    }
    return false;
}
