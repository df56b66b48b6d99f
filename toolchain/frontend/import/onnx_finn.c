#include "frontend/import/onnx_finn.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/import/onnx_form.h"
#include "frontend/import/onnx_name.h"
#include "ir/shape/infer.h"
#include "support/memory/arena.h"

static const char *annotated_type(const Onnx__GraphProto *proto, const char *name) {
    for (size_t i = 0; i < proto->n_quantization_annotation; i++) {
        const Onnx__TensorAnnotation *a = proto->quantization_annotation[i];
        if (a->tensor_name == NULL || strcmp(a->tensor_name, name) != 0) continue;
        for (size_t k = 0; k < a->n_quant_parameter_tensor_names; k++) {
            const Onnx__StringStringEntryProto *entry = a->quant_parameter_tensor_names[k];
            if (entry->key != NULL && entry->value != NULL && strcmp(entry->key, "finn_datatype") == 0)
                return entry->value;
        }
    }
    return "";
}

/* Bits and sign of UINT8, INT4 and the like, of signs and of three values. */
static bool integer_type(const char *type, long *bits, bool *is_signed, bool *narrow) {
    enum { MOST = 32 };
    char *end;
    *narrow = strcmp(type, "TERNARY") == 0;
    *is_signed = *type != 'U' && strcmp(type, "BINARY") != 0;
    *bits = *narrow ? 2 : 1;
    if (*narrow || strcmp(type, "BIPOLAR") == 0 || strcmp(type, "BINARY") == 0) return true;
    if (strncmp(type, "INT", 3) != 0 && strncmp(type, "UINT", 4) != 0) return false;
    *bits = strtol(type + (*is_signed ? 3 : 4), &end, 10);
    return *end == '\0' && *bits >= (*is_signed ? 2 : 1) && *bits <= MOST;
}

static bool is_output(const Onnx__GraphProto *proto, const char *name) {
    bool any = false;
    for (size_t i = 0; i < proto->n_output; i++) any |= strcmp(proto->output[i]->name, name) == 0;
    return any;
}

static weir_value number(weir_graph *graph, const weir_onnx_scope *scope, const char *base, const char *part,
                         double value) {
    char *name = weir_onnx_form_name(scope, base, part);
    weir_array *array = weir_array_new(WEIR_FLOAT32, &(weir_shape){.rank = 0});
    weir_array_set(array, 0, value);
    const weir_value constant = weir_graph_add_constant(graph, name, array);
    weir_array_free(array);
    free(name);
    return constant;
}

weir_value weir_onnx_finn_input(weir_graph *graph, const Onnx__GraphProto *proto, const weir_onnx_scope *scope,
                                weir_value input, weir_location location) {
    const char *base = weir_value_name(graph, input);
    long bits;
    bool is_signed, narrow;
    if (weir_value_type(graph, input)->dtype != WEIR_FLOAT32 || is_output(proto, base) ||
        !integer_type(annotated_type(proto, base), &bits, &is_signed, &narrow))
        return input;
    char name[WEIR_ONNX_NAME_SIZE];
    weir_onnx_name_node(base, "codes", name);
    const weir_value inputs[4] = {input, number(graph, scope, base, "scale", 1),
                                  number(graph, scope, base, "zero_point", 0),
                                  number(graph, scope, base, "width", (double)bits)};
    const weir_node node = weir_graph_add_node(graph, WEIR_OP_QUANT, name, inputs, 4, 1, WEIR_NO_NODE);
    weir_node_set_location(graph, node, location);
    weir_node_set_int(graph, node, "signed", is_signed);
    weir_node_set_int(graph, node, "narrow", narrow);
    weir_onnx_form_rename(graph, scope, weir_node_output(graph, node, 0), base, "codes");
    weir_infer_node(graph, node);
    return weir_node_output(graph, node, 0);
}
