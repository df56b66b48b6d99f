#include "frontend/import/onnx_label.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/wire/onnx_schema.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/text.h"

enum { MOST_NAMED = 8 };

static bool is_ml(const Onnx__NodeProto *node, const char *op) {
    return node->domain != NULL && strcmp(node->domain, weir_onnx_schema_spelling(WEIR_ONNX_DOMAIN_ML)) == 0 &&
           node->op_type != NULL && strcmp(node->op_type, op) == 0;
}

static bool is_picked_from(const Onnx__GraphProto *graph, const char *name) {
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        for (size_t k = 0; k < node->n_input; k++) {
            if (strcmp(node->input[k], name) == 0 && !(k == 0 && is_ml(node, "ArrayFeatureExtractor"))) return false;
        }
    }
    return true;
}

static void list(const Onnx__TensorProto *tensor, const char *file) {
    weir_text names = {0};
    for (size_t i = 0; i < tensor->n_string_data && i < MOST_NAMED; i++) {
        const ProtobufCBinaryData *name = &tensor->string_data[i];
        weir_text_format(&names, "%s%zu is '%.*s'", i == 0 ? "" : ", ", i, (int)(name->len > 40 ? 40 : name->len),
                         name->data == NULL ? "" : (const char *)name->data);
    }
    weir_note("%s: labels are strings and become their positions: %s%s", file, names.data == NULL ? "" : names.data,
              tensor->n_string_data > MOST_NAMED ? ", ..." : "");
    weir_text_free(&names);
}

weir_array *weir_onnx_label_positions(const Onnx__GraphProto *graph, const Onnx__TensorProto *tensor,
                                      const char *file) {
    if (tensor->data_type != ONNX__TENSOR_PROTO__DATA_TYPE__STRING || tensor->n_dims != 1 ||
        tensor->n_string_data == 0 || (uint64_t)tensor->dims[0] != tensor->n_string_data ||
        !is_picked_from(graph, tensor->name))
        return NULL;
    const weir_shape shape = weir_shape_of(1, tensor->dims);
    weir_array *positions = weir_array_new(WEIR_INT64, &shape);
    for (size_t i = 0; i < positions->count; i++) weir_array_set_int(positions, i, (int64_t)i);
    list(tensor, file);
    return positions;
}

void weir_onnx_label_words(weir_graph *graph, const ProtobufCBinaryData *words, size_t count) {
    if (weir_graph_classes(graph).count > 0) return;
    const char **name = weir_calloc(count, sizeof *name);
    weir_text text = {0};
    for (size_t i = 0; i < count; i++) {
        text.size = 0;
        weir_text_add(&text, "");
        weir_text_add_n(&text, (const char *)words[i].data, words[i].len);
        name[i] = weir_graph_intern(graph, text.data);
    }
    weir_graph_set_classes(graph, &(weir_word_list){name, count});
    weir_text_free(&text);
    free(name);
}

void weir_onnx_label_names(weir_graph *graph, const Onnx__TensorProto *tensor) {
    weir_onnx_label_words(graph, tensor->string_data, tensor->n_string_data);
}

bool weir_onnx_label_differs(const Onnx__GraphProto *graph, const Onnx__ValueInfoProto *info,
                             const weir_onnx_definition *definition, weir_dtype dtype) {
    const Onnx__TypeProto *type = info->type;
    if (type->value_case == ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE)
        return definition->source == WEIR_ONNX_OUTPUT && is_ml(graph->node[definition->index], "ZipMap");
    return type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE && dtype == WEIR_INT64 &&
           type->tensor_type->elem_type == ONNX__TENSOR_PROTO__DATA_TYPE__STRING;
}
