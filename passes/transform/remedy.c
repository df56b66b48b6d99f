#include "passes/transform/remedy.h"

#include "ir/index_map.h"
#include "passes/transform/rewrite.h"
#include "support/diag.h"

void weir_remedy_operator(weir_op op) {
    switch (op) {
    case WEIR_OP_SOFTMAX:
        weir_note(
            "between layers it has no hardware, but ONNX Runtime's QLinearSoftmax has: quantize the model with QuantFormat.QOperator; after "
            "the last layer it runs on the host");
        break;
    case WEIR_OP_LOG_SOFTMAX:
    case WEIR_OP_HARDMAX:
        weir_note(
            "between layers it has no hardware; after the last layer it runs on the host: compile what is before it and what is "
            "behind it as two models");
        break;
    case WEIR_OP_LAYER_NORMALIZATION:
    case WEIR_OP_INSTANCE_NORMALIZATION:
    case WEIR_OP_LP_NORMALIZATION:
        weir_note(
            "between layers it has no hardware: train with BatchNormalization, which becomes part of the next quantizer, or "
            "compile what is before it and what is behind it as two models");
        break;
    default:
        weir_note(
            "no pass can replace it; weir eval --engine float runs it; passes/README.md lists what can be lowered");
        break;
    }
}

/* Does the operator compute with codes? */
static bool is_quantized_operator(weir_op op) {
    return op == WEIR_OP_QLINEAR_MATMUL || op == WEIR_OP_MATMUL_INTEGER || op == WEIR_OP_QGEMM ||
           op == WEIR_OP_QLINEAR_CONV || op == WEIR_OP_CONV_INTEGER || op == WEIR_OP_QLINEAR_ADD ||
           op == WEIR_OP_QLINEAR_MUL || op == WEIR_OP_QLINEAR_SIGMOID || op == WEIR_OP_QLINEAR_AVERAGE_POOL ||
           op == WEIR_OP_QLINEAR_GLOBAL_AVERAGE_POOL || op == WEIR_OP_QLINEAR_LEAKY_RELU;
}

bool weir_remedy_has_quantizers(const weir_graph *model) {
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        const weir_op op = weir_node_op(model, node);
        if (weir_rewrite_is_quantizer(op) || is_quantized_operator(op)) return true;
    }
    return false;
}

/* Operators through which the codes of a quantizer pass. */
static bool keeps_codes(weir_op op) {
    return weir_index_map_exists(op) || op == WEIR_OP_RELU || op == WEIR_OP_MAX_POOL;
}

static bool is_quantized(const weir_graph *model, weir_value value) {
    weir_node producer = weir_value_producer(model, value);
    while (producer.id != 0 && keeps_codes(weir_node_op(model, producer)))
        producer = weir_value_producer(model, weir_node_input(model, producer, 0));
    return producer.id != 0 && weir_rewrite_is_quantizer(weir_node_op(model, producer));
}

bool weir_remedy_unquantized(const weir_graph *model, weir_use *use) {
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        if (!weir_rewrite_is_layer(weir_node_op(model, node))) continue;
        for (uint32_t i = 0; i < 2; i++) {
            if (is_quantized(model, weir_node_input(model, node, i))) continue;
            *use = (weir_use){node, i};
            return true;
        }
    }
    return false;
}
