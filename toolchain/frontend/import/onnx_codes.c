#include "frontend/import/onnx_codes.h"

#include <stdlib.h>

#include "frontend/import/onnx_part.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"

static weir_value apply(const weir_onnx_form *form, weir_op op, const char *part, weir_value a, weir_value b) {
    return weir_onnx_part_infer(form, weir_onnx_form_node(form, op, part, (const weir_value[]){a, b}, 2));
}

/* The zero point for each scale, as DequantizeLinear has them, of the one for all. */
static weir_value zeros_of(const weir_onnx_form *form, const char *part, weir_value zero, const weir_array *scales) {
    const weir_array *one = zero.id == 0 ? NULL : weir_value_constant(form->graph, zero);
    if (one == NULL || one->count != 1 || scales->count == 1) return zero;
    weir_array *all = weir_array_new(one->dtype, &scales->shape);
    for (size_t i = 0; i < all->count; i++) weir_array_set_int(all, i, weir_array_get_int(one, 0));
    char *name = weir_format("%s_zeros", part);
    const weir_value made = weir_onnx_form_constant(form, name, all);
    free(name);
    return made;
}

/* Sums of products of codes, which become numbers as ONNX Runtime makes them: by the product of both scales. */
static bool scale_products(weir_onnx_form *form, weir_value left, weir_value right) {
    form->operand[1] = apply(form, WEIR_OP_MUL, "scales", left, right);
    form->op = WEIR_OP_MATMUL_INTEGER;
    return form->operand[1].id != 0;
}

weir_value weir_onnx_codes_product_finish(weir_onnx_form *form, weir_value value) {
    if (form->operand[1].id != 0) {
        const weir_value sums = weir_onnx_part_named(form, value, "sums"),
                         real = weir_onnx_form_node(form, WEIR_OP_CAST, "real", &sums, 1);
        weir_node_set_string(form->graph, weir_value_producer(form->graph, real), "to", "float32");
        value = weir_onnx_part_infer(form, real);
        if (value.id != 0) value = apply(form, WEIR_OP_MUL, "scaled", value, form->operand[1]);
    }
    if (value.id == 0 || form->operand[0].id == 0) return value;
    return apply(form, WEIR_OP_ADD, "biased", weir_onnx_part_named(form, value, "product"), form->operand[0]);
}

bool weir_onnx_codes_product_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    static const char *const parts[2] = {"left", "right"};
    form->operand[0] = *count == 7 ? inputs[6] : WEIR_NO_VALUE;
    const weir_value zero[2] = {*count > 4 ? inputs[4] : WEIR_NO_VALUE, *count > 5 ? inputs[5] : WEIR_NO_VALUE};
    if (weir_value_constant(form->graph, inputs[2]) == NULL) {
        const bool fine = scale_products(form, inputs[2], inputs[3]);
        inputs[2] = zero[0];
        inputs[3] = zero[1];
        *count = 4;
        return fine;
    }
    for (size_t i = 0; i < 2; i++) {
        const weir_array *scales = weir_value_constant(form->graph, inputs[2 + i]);
        if (scales == NULL) {
            return weir_onnx_part_fail(form, "where the scale of A is constant, that of B must be");
        }
        const weir_value parameters[3] = {inputs[i], inputs[2 + i], zeros_of(form, parts[i], zero[i], scales)};
        inputs[i] =
            weir_onnx_form_node(form, WEIR_OP_DEQUANTIZE_LINEAR, parts[i], parameters, parameters[2].id == 0 ? 2 : 3);
        const int last = weir_value_type(form->graph, parameters[0])->shape.rank - 1;
        weir_node_set_int(form->graph, weir_value_producer(form->graph, inputs[i]), "axis", last);
        inputs[i] = weir_onnx_part_infer(form, inputs[i]);
        if (inputs[i].id == 0) return false;
    }
    *count = 2;
    return true;
}

bool weir_onnx_codes_dynamic_inputs(weir_onnx_form *form, weir_value *inputs, size_t *count) {
    static const char *const parts[3] = {"codes", "scale", "zero"};
    const weir_value scale = inputs[2], zero = *count > 3 ? inputs[3] : WEIR_NO_VALUE;
    form->operand[0] = *count == 5 ? inputs[4] : WEIR_NO_VALUE;
    char *name = weir_format("%s_quantize", form->name);
    const weir_node node =
        weir_graph_add_node(form->graph, WEIR_OP_DYNAMIC_QUANTIZE_LINEAR, name, inputs, 1, 3, WEIR_NO_NODE);
    free(name);
    weir_node_set_location(form->graph, node, form->location);
    for (size_t i = 0; i < 3; i++) weir_onnx_part_named(form, weir_node_output(form->graph, node, i), parts[i]);
    if (!weir_infer_node(form->graph, node)) return false;
    inputs[0] = weir_node_output(form->graph, node, 0);
    inputs[2] = weir_node_output(form->graph, node, 2);
    inputs[3] = zero;
    *count = 4;
    return scale_products(form, weir_node_output(form->graph, node, 1), scale);
}
