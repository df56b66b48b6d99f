#include "frontend/import/onnx_parameter.h"

#include <math.h>
#include <stdlib.h>

#include "ir/trait/trait.h"
#include "support/memory/array.h"
#include "support/text/diag.h"

/* One scale where the opset allows no more; positive where it is a constant. */
static bool check_scale(const weir_onnx_form *form, weir_value value, size_t *left) {
    char text[WEIR_ONNX_LABEL_SIZE];
    const char *label = weir_onnx_schema_label(form->proto, text);
    const weir_array *scale = weir_value_constant(form->graph, value);
    size_t count = 0;
    weir_shape_count(&weir_value_type(form->graph, value)->shape, &count);
    if (!form->rule->per_axis && count > 1) {
        weir_error(form->location, "%s: '%.100s' has %zu scales, this opset allows one", label,
                   weir_value_name(form->graph, value), count);
        return false;
    }
    if (count > *left) {
        weir_error(form->location, "%s: the nodes of the model use more than %d scales", label,
                   (int)WEIR_ONNX_PARAMETER_SCALES);
        return false;
    }
    *left -= count;
    for (size_t i = 0; scale != NULL && i < scale->count; i++) {
        const double number = weir_array_get(scale, i);
        const bool may_turn = weir_trait_of(form->rule->op)->kind == WEIR_OP_DEQUANTIZE_LINEAR; /* a form of its own */
        if ((number > 0 || (may_turn && number < 0)) && isfinite(number)) continue;
        weir_error(form->location, "%s: element %zu of scale '%.100s' is %g, expected a positive number", label, i,
                   weir_value_name(form->graph, value), number);
        return false;
    }
    return true;
}

bool weir_onnx_parameter_check(const weir_onnx_form *form, const weir_value *inputs, size_t count, size_t *left) {
    for (size_t i = 0; i < count; i++) {
        if (weir_onnx_schema_is_scale(form->rule, i, count) && inputs[i].id != 0 && !check_scale(form, inputs[i], left))
            return false;
    }
    return true;
}

/* The float32 copy of a constant, made once. */
static weir_value float_copy(const weir_onnx_form *form, weir_value value) {
    char *name = weir_onnx_form_name(form->scope, weir_value_name(form->graph, value), "float32");
    weir_value copy = weir_graph_find_value(form->graph, name);
    if (copy.id == 0) {
        weir_array *array = weir_array_convert(weir_value_constant(form->graph, value), WEIR_FLOAT32);
        copy = weir_graph_add_constant(form->graph, name, array);
        weir_array_free(array);
    }
    free(name);
    return copy;
}

void weir_onnx_parameter_convert(const weir_onnx_form *form, weir_value *inputs, size_t count) {
    for (size_t i = 1; form->rule->domain == WEIR_ONNX_DOMAIN_QONNX && i < count; i++) {
        const weir_array *data = weir_value_constant(form->graph, inputs[i]);
        if (data != NULL && data->dtype != WEIR_FLOAT32) inputs[i] = float_copy(form, inputs[i]);
    }
}
