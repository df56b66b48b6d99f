#include "frontend/export/onnx_build.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/wire/onnx_tensor.h"
#include "support/memory/arena.h"

void weir_onnx_build_start(weir_onnx_builder *builder, const weir_graph *graph) {
    *builder = (weir_onnx_builder){.arena = weir_arena_new(), .graph = graph};
    builder->proto = weir_arena_alloc(builder->arena, sizeof *builder->proto);
    onnx__graph_proto__init(builder->proto);
}

void weir_onnx_build_free(weir_onnx_builder *builder) {
    free(builder->proto->node);
    free(builder->proto->initializer);
    free(builder->proto->input);
    free(builder->proto->output);
    free(builder->proto->value_info);
    weir_arena_free(builder->arena);
}

/* protobuf-c does not change the texts that it packs, but its messages hold them as char *. */
static char *text_of(weir_onnx_builder *builder, const char *text) {
    return weir_arena_copy_string(builder->arena, text == NULL ? "" : text);
}

static char **texts_of(weir_onnx_builder *builder, const char *const *texts, size_t count) {
    char **copy = weir_arena_array(builder->arena, count, sizeof *copy);
    for (size_t i = 0; i < count; i++) copy[i] = text_of(builder, texts[i]);
    return copy;
}

/* --- nodes --- */

Onnx__NodeProto *weir_onnx_build_node(weir_onnx_builder *builder, weir_op op, const char *name,
                                      const char *const *inputs, size_t input_count, const char *const *outputs,
                                      size_t output_count) {
    Onnx__GraphProto *graph = builder->proto;
    Onnx__NodeProto *node = weir_arena_alloc(builder->arena, sizeof *node);
    const weir_op_info *info = weir_op_get(op);
    onnx__node_proto__init(node);
    node->op_type = text_of(builder, info->name);
    node->name = text_of(builder, name);
    if (*info->domain != '\0') node->domain = text_of(builder, info->domain);
    node->n_input = input_count;
    node->input = texts_of(builder, inputs, input_count);
    node->n_output = output_count;
    node->output = texts_of(builder, outputs, output_count);
    graph->node = weir_grow(graph->node, &builder->capacity.nodes, graph->n_node + 1, sizeof(void *));
    graph->node[graph->n_node++] = node;
    return node;
}

static Onnx__AttributeProto *add_attribute(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name,
                                           Onnx__AttributeProto__AttributeType type) {
    Onnx__AttributeProto **list = weir_arena_array(builder->arena, node->n_attribute + 1, sizeof *list);
    if (node->n_attribute > 0) memcpy(list, node->attribute, node->n_attribute * sizeof *list);
    Onnx__AttributeProto *attribute = weir_arena_alloc(builder->arena, sizeof *attribute);
    onnx__attribute_proto__init(attribute);
    attribute->name = text_of(builder, name);
    attribute->has_type = 1;
    attribute->type = type;
    list[node->n_attribute++] = attribute;
    node->attribute = list;
    return attribute;
}

void weir_onnx_build_int(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, int64_t value) {
    Onnx__AttributeProto *attribute = add_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
    attribute->has_i = 1;
    attribute->i = value;
}

void weir_onnx_build_float(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, double value) {
    Onnx__AttributeProto *attribute = add_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
    attribute->has_f = 1;
    attribute->f = (float)value;
}

void weir_onnx_build_string(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, const char *value) {
    Onnx__AttributeProto *attribute = add_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
    attribute->has_s = 1;
    attribute->s.len = strlen(value);
    attribute->s.data = (uint8_t *)text_of(builder, value);
}

void weir_onnx_build_ints(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, const int64_t *values,
                          size_t count) {
    Onnx__AttributeProto *attribute = add_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
    attribute->n_ints = count;
    attribute->ints = weir_arena_array(builder->arena, count, sizeof *attribute->ints);
    if (count > 0) memcpy(attribute->ints, values, count * sizeof *values);
}

void weir_onnx_build_floats(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name, const double *values,
                            size_t count) {
    Onnx__AttributeProto *attribute = add_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);
    attribute->n_floats = count;
    attribute->floats = weir_arena_array(builder->arena, count, sizeof *attribute->floats);
    for (size_t i = 0; i < count; i++) attribute->floats[i] = (float)values[i];
}

/* --- tensors and types --- */

static Onnx__TensorProto *tensor_of(weir_onnx_builder *builder, const char *name, const weir_array *array) {
    Onnx__TensorProto *tensor = weir_arena_alloc(builder->arena, sizeof *tensor);
    onnx__tensor_proto__init(tensor);
    tensor->name = text_of(builder, name);
    tensor->has_data_type = 1;
    tensor->data_type = weir_onnx_tensor_number(array->dtype);
    tensor->n_dims = (size_t)array->shape.rank;
    tensor->dims = weir_arena_array(builder->arena, tensor->n_dims, sizeof *tensor->dims);
    for (size_t i = 0; i < tensor->n_dims; i++) tensor->dims[i] = array->shape.dim[i];
    tensor->has_raw_data = 1;
    tensor->raw_data.data = weir_onnx_tensor_bytes(builder->arena, array, &tensor->raw_data.len);
    return tensor;
}

void weir_onnx_build_array(weir_onnx_builder *builder, Onnx__NodeProto *node, const char *name,
                           const weir_array *array) {
    add_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR)->t =
        tensor_of(builder, name, array);
}

void weir_onnx_build_tensor(weir_onnx_builder *builder, const char *name, const weir_array *array) {
    Onnx__GraphProto *graph = builder->proto;
    graph->initializer =
        weir_grow(graph->initializer, &builder->capacity.initializers, graph->n_initializer + 1, sizeof(void *));
    graph->initializer[graph->n_initializer++] = tensor_of(builder, name, array);
}

bool weir_onnx_build_has_rows(const weir_onnx_builder *builder, weir_value value) {
    return builder->open != NULL && builder->open->has_rows[value.id];
}

static Onnx__TensorShapeProto__Dimension *dimension_of(weir_onnx_builder *builder, int64_t size) {
    Onnx__TensorShapeProto__Dimension *dimension = weir_arena_alloc(builder->arena, sizeof *dimension);
    onnx__tensor_shape_proto__dimension__init(dimension);
    dimension->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    dimension->dim_value = size;
    return dimension;
}

static Onnx__TensorShapeProto__Dimension *open_dimension(weir_onnx_builder *builder) {
    Onnx__TensorShapeProto__Dimension *dimension = weir_arena_alloc(builder->arena, sizeof *dimension);
    onnx__tensor_shape_proto__dimension__init(dimension);
    if (*builder->batch == '\0') return dimension;
    dimension->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
    dimension->dim_param = text_of(builder, builder->batch);
    return dimension;
}

static Onnx__TensorShapeProto *shape_of(weir_onnx_builder *builder, weir_value value) {
    const weir_shape *shape = &weir_value_type(builder->graph, value)->shape;
    Onnx__TensorShapeProto *proto = weir_arena_alloc(builder->arena, sizeof *proto);
    onnx__tensor_shape_proto__init(proto);
    proto->n_dim = (size_t)shape->rank;
    proto->dim = weir_arena_array(builder->arena, proto->n_dim, sizeof *proto->dim);
    for (size_t i = 0; i < proto->n_dim; i++)
        proto->dim[i] = i == 0 && weir_onnx_build_has_rows(builder, value) ? open_dimension(builder)
                                                                           : dimension_of(builder, shape->dim[i]);
    return proto;
}

static Onnx__ValueInfoProto *info_of(weir_onnx_builder *builder, const char *name, weir_value value) {
    Onnx__ValueInfoProto *info = weir_arena_alloc(builder->arena, sizeof *info);
    Onnx__TypeProto *type = weir_arena_alloc(builder->arena, sizeof *type);
    Onnx__TypeProto__Tensor *tensor = weir_arena_alloc(builder->arena, sizeof *tensor);
    onnx__value_info_proto__init(info);
    onnx__type_proto__init(type);
    onnx__type_proto__tensor__init(tensor);
    tensor->has_elem_type = 1;
    tensor->elem_type = weir_onnx_tensor_number(weir_value_type(builder->graph, value)->dtype);
    tensor->shape = shape_of(builder, value);
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tensor;
    info->name = text_of(builder, name);
    info->type = type;
    return info;
}

void weir_onnx_build_input(weir_onnx_builder *builder, const char *name, weir_value value) {
    Onnx__GraphProto *graph = builder->proto;
    graph->input = weir_grow(graph->input, &builder->capacity.inputs, graph->n_input + 1, sizeof(void *));
    graph->input[graph->n_input++] = info_of(builder, name, value);
}

void weir_onnx_build_output(weir_onnx_builder *builder, const char *name, weir_value value) {
    Onnx__GraphProto *graph = builder->proto;
    graph->output = weir_grow(graph->output, &builder->capacity.outputs, graph->n_output + 1, sizeof(void *));
    graph->output[graph->n_output++] = info_of(builder, name, value);
}

void weir_onnx_build_value(weir_onnx_builder *builder, const char *name, weir_value value) {
    Onnx__GraphProto *graph = builder->proto;
    graph->value_info =
        weir_grow(graph->value_info, &builder->capacity.values, graph->n_value_info + 1, sizeof(void *));
    graph->value_info[graph->n_value_info++] = info_of(builder, name, value);
}

/* --- names --- */

static bool is_output(const weir_graph *graph, const char *name) {
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        if (strcmp(weir_graph_output_name(graph, i), name) == 0) return true;
    }
    return false;
}

const char *weir_onnx_build_name(weir_onnx_builder *builder, const char *base) {
    const char *name;
    do {
        name = weir_arena_format(builder->arena, "%s.%llu", base, (unsigned long long)++builder->fresh);
    } while (weir_graph_find_value(builder->graph, name).id != 0 || is_output(builder->graph, name));
    return name;
}
