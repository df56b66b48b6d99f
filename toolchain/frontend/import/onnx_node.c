/* Nodes of files, into the graph, with type inference. */
#include "frontend/import/onnx_importer_private.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/import/onnx_compose.h"
#include "frontend/import/onnx_form.h"
#include "frontend/import/onnx_name.h"
#include "frontend/import/onnx_parameter.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "support/memory/arena.h"
#include "support/text/unreachable.h"

/* --- nodes --- */

/* Constant: one checked attribute of those that the schema knows. */
static weir_array *constant_array(weir_onnx_importer *im, const Onnx__AttributeProto *attribute, const char *name,
                                  weir_location location) {
    bool many = strcmp(attribute->name, "value_floats") == 0 || strcmp(attribute->name, "value_ints") == 0;
    bool real = strncmp(attribute->name, "value_float", 11) == 0;
    if (strcmp(attribute->name, "value") == 0) return weir_onnx_tensor_read(attribute->t, name, location, &im->source);
    size_t count = !many ? 1 : real ? attribute->n_floats : attribute->n_ints;
    weir_shape shape = weir_shape_of(many ? 1 : 0, (const int64_t[]){(int64_t)count});
    weir_array *array = weir_array_new(real ? WEIR_FLOAT32 : WEIR_INT64, &shape);
    for (size_t i = 0; i < count; i++) {
        if (real) weir_array_set(array, i, (double)(many ? attribute->floats[i] : attribute->f));
        else weir_array_set_int(array, i, many ? attribute->ints[i] : attribute->i);
    }
    return array;
}

static void convert_attribute(const weir_onnx_importer *im, weir_node node, const char *name) {
    weir_dtype dtype;
    if (weir_dtype_parse(weir_node_string(im->graph, node, name, ""), &dtype))
        weir_node_set_string(im->graph, node, name, weir_dtype_name(weir_onnx_importer_dtype(im, dtype)));
}

/* Vectors of shape arithmetic may have no elements: the part of a shape before its first dimension, say. */
static bool may_be_empty(const weir_type *type) { return type->dtype == WEIR_INT64 && type->shape.rank == 1; }

/* What type inference does not look at. */
static bool check_result(const weir_onnx_importer *im, weir_node node) {
    for (size_t i = 0; i < weir_node_output_count(im->graph, node); i++) {
        size_t count;
        const weir_type *type = weir_value_type(im->graph, weir_node_output(im->graph, node, i));
        if (weir_shape_count(&type->shape, &count) && (count > 0 || may_be_empty(type))) continue;
        weir_error(weir_node_location(im->graph, node), "node '%s' (%s): the output is empty",
                   weir_node_name(im->graph, node), weir_node_info(im->graph, node)->full_name);
        return false;
    }
    return true;
}

/* Values of the inputs; false when one of them failed. */
static bool resolve_inputs(weir_onnx_importer *im, const Onnx__NodeProto *proto, weir_value *inputs, size_t *count) {
    bool fine = true;
    for (*count = proto->n_input; *count > 0 && *proto->input[*count - 1] == '\0';) --*count;
    for (size_t i = 0; i < *count; i++) {
        inputs[i] = WEIR_NO_VALUE;
        if (*proto->input[i] == '\0') continue;
        inputs[i] = weir_onnx_importer_resolve(im, weir_onnx_scope_find(&im->scope, proto->input[i]));
        fine = fine && inputs[i].id != 0;
    }
    return fine;
}

/* Names and values of the outputs that the operator has here; `first` is the value of the first. The file may leave out
 * the last ones, which nothing reads then. */
static void define_outputs(weir_onnx_importer *im, const Onnx__NodeProto *proto, weir_node node, weir_value first) {
    for (size_t i = 0; i < weir_node_output_count(im->graph, node); i++) {
        const weir_value value = i == 0 ? first : weir_node_output(im->graph, node, i);
        if (i >= proto->n_output || *proto->output[i] == '\0') {
            char part[32];
            snprintf(part, sizeof part, "output%zu", i);
            weir_onnx_form_rename(im->graph, &im->scope, value, weir_node_name(im->graph, node), part);
            continue;
        }
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, proto->output[i]);
        d->value = value;
        weir_value_set_name(im->graph, value, d->name);
    }
}

/* The same of the outputs of a composed operator from the second on. */
static void define_more(weir_onnx_importer *im, const Onnx__NodeProto *proto, const weir_value *more) {
    for (size_t i = 1; i < proto->n_output && i <= WEIR_ONNX_FORM_OUTPUTS; i++) {
        if (*proto->output[i] == '\0' || more[i - 1].id == 0) continue;
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, proto->output[i]);
        d->value = more[i - 1];
        if (weir_value_constant(im->graph, d->value) == NULL) weir_value_set_name(im->graph, d->value, d->name);
    }
}

/* `inputs` has room for those of the file and WEIR_ONNX_FORM_SPARE more. */
static void build_operator(weir_onnx_importer *im, uint32_t index, weir_value *inputs) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    const weir_onnx_rule *rule = im->rule[index];
    const weir_op_info *info = weir_op_get(rule->op);
    const size_t outputs = info->outputs < 0 ? weir_onnx_schema_outputs(proto) : (size_t)info->outputs;
    size_t count;
    char name[WEIR_ONNX_NAME_SIZE];
    if (!resolve_inputs(im, proto, inputs, &count)) return;
    if (rule->plain)
        weir_note("%s: '%.100s' is the result itself, not what %s makes of it", im->file, proto->input[0], rule->name);
    weir_onnx_known_materialize(&im->known, im->graph, &im->scope, rule->op, inputs, count);
    weir_onnx_name_node(proto->name, proto->op_type, name);
    weir_onnx_form form = {.graph = im->graph,
                           .scope = &im->scope,
                           .opsets = &im->opsets,
                           .source = &im->source,
                           .rule = rule,
                           .op = weir_onnx_rule_op(rule, im->rule, im->proto->n_node),
                           .proto = proto,
                           .location = weir_onnx_importer_location(im, index),
                           .name = name,
                           .outputs = outputs};
    weir_onnx_parameter_convert(&form, inputs, count);
    if (!weir_onnx_parameter_check(&form, inputs, count, &im->scales_left) ||
        !(rule->composed != NULL ? weir_onnx_compose_inputs : weir_onnx_form_inputs)(&form, inputs, &count))
        return;
    weir_node node = weir_graph_add_node(im->graph, form.op, name, inputs, count, form.outputs, WEIR_NO_NODE);
    weir_node_set_location(im->graph, node, form.location);
    weir_onnx_schema_attach(rule, proto, &im->opsets, im->graph, node);
    convert_attribute(im, node, "to");
    convert_attribute(im, node, "output_dtype");
    (rule->composed != NULL ? weir_onnx_compose_attributes : weir_onnx_form_attributes)(&form, node);
    if (!weir_infer_node(im->graph, node) || !weir_onnx_schema_check_types(rule, im->graph, node, &im->opsets) ||
        !check_result(im, node))
        return;
    const weir_value first =
        rule->composed != NULL ? weir_onnx_compose_finish(&form, node) : weir_onnx_form_finish(&form, node);
    if (first.id == 0) return;
    define_outputs(im, proto, node, first);
    define_more(im, proto, form.more);
    weir_onnx_known_learn(&im->known, im->graph, node);
}

/* --- branches --- */

static weir_onnx_choice choose(weir_onnx_importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    if (im->choice[index] != WEIR_ONNX_UNDECIDED) return im->choice[index];
    const weir_value condition = weir_onnx_importer_resolve(im, weir_onnx_scope_find(&im->scope, proto->input[0]));
    const weir_array *known = condition.id == 0 ? NULL : weir_onnx_known_find(&im->known, im->graph, condition);
    char label[WEIR_ONNX_LABEL_SIZE];
    im->choice[index] = WEIR_ONNX_NEITHER;
    if (known != NULL && known->dtype == WEIR_BOOL && known->count == 1)
        im->choice[index] = weir_array_get_int(known, 0) != 0 ? WEIR_ONNX_THEN : WEIR_ONNX_ELSE;
    else if (known != NULL)
        weir_error(weir_onnx_importer_location(im, index), "%s: its condition '%.100s' must be one truth value",
                   weir_onnx_schema_label(proto, label), proto->input[0]);
    else if (condition.id != 0) {
        weir_error(weir_onnx_importer_location(im, index),
                   "%s: its condition '%.100s' depends on the data of an input, expected constants and shapes only",
                   weir_onnx_schema_label(proto, label), proto->input[0]);
        weir_note("hardware computes the same for every frame: compute both branches and select with Where");
    }
    return im->choice[index];
}

/* Is every branch that the node is in chosen? */
static bool is_chosen(weir_onnx_importer *im, uint32_t index) {
    const uint32_t around = weir_onnx_branch_around(&im->flat, index);
    return around == WEIR_ONNX_NO_IF ||
           (is_chosen(im, around) &&
            choose(im, around) == (im->flat.place[index].otherwise ? WEIR_ONNX_ELSE : WEIR_ONNX_THEN));
}

/* Its outputs are the values of the chosen branch; what a node of that computes, no constant, is called by the If's
 * name for it. */
static void build_if(weir_onnx_importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    const weir_onnx_choice chosen = choose(im, index);
    for (size_t i = 0; chosen != WEIR_ONNX_NEITHER && i < proto->n_output; i++) {
        if (*proto->output[i] == '\0') continue;
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, proto->output[i]),
                             *from = weir_onnx_scope_find(&im->scope,
                                                          weir_onnx_branch_result(proto, chosen == WEIR_ONNX_ELSE, i));
        d->value = weir_onnx_importer_resolve(im, from);
        if (d->value.id != 0 && from->source == WEIR_ONNX_OUTPUT &&
            weir_onnx_branch_around(&im->flat, from->index) == index &&
            weir_value_constant(im->graph, d->value) == NULL &&
            strcmp(weir_value_name(im->graph, d->value), from->name) == 0)
            weir_value_set_name(im->graph, d->value, d->name);
    }
}

/* A graph output whose value has another name, which an If, a Loop, a Scan or a sequence passes on. */
weir_value weir_onnx_node_passed_on(weir_onnx_importer *im, const weir_onnx_definition *d, weir_value value) {
    const Onnx__NodeProto *proto = d->source == WEIR_ONNX_OUTPUT ? im->proto->node[d->index] : NULL;
    if (proto == NULL || strcmp(weir_value_name(im->graph, value), d->name) == 0 ||
        !(weir_onnx_check_has_graphs(proto) || weir_onnx_sequence_is(im->rule[d->index])))
        return value;
    char name[WEIR_ONNX_NAME_SIZE];
    weir_onnx_name_node(proto->name, proto->op_type, name);
    const weir_node node = weir_graph_add_node(im->graph, WEIR_OP_IDENTITY, name, &value, 1, 1, WEIR_NO_NODE);
    weir_node_set_location(im->graph, node, weir_onnx_importer_location(im, d->index));
    if (!weir_infer_node(im->graph, node)) weir_unreachable("any value has a copy");
    weir_value_set_name(im->graph, weir_node_output(im->graph, node, 0), d->name);
    return weir_node_output(im->graph, node, 0);
}

/* What is known of a node in a branch only once it is chosen. */
static bool enters(weir_onnx_importer *im, uint32_t index) {
    if (!weir_onnx_check_is_in_branch(im, index)) return true;
    if (!is_chosen(im, index)) return false;
    if (weir_onnx_check_has_graphs(im->proto->node[index])) return true;
    const size_t before = weir_onnx_importer_errors(im);
    if (weir_onnx_check_node(im, index)) weir_onnx_check_spare(im, index);
    return weir_onnx_importer_errors(im) == before;
}

void weir_onnx_node_build(weir_onnx_importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    if (!enters(im, index)) return;
    if (weir_onnx_branch_is_if(proto)) {
        build_if(im, index);
        return;
    }
    if (weir_onnx_branch_repeats(proto)) {
        weir_onnx_loop_build(im, index);
        return;
    }
    if (weir_onnx_sequence_is(im->rule[index])) {
        weir_onnx_sequence_build(im, index);
        return;
    }
    if (im->rule[index]->op == WEIR_OP_NONE) {
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, proto->output[0]);
        weir_location location = weir_onnx_importer_location(im, index);
        weir_onnx_importer_define(im, d, constant_array(im, proto->attribute[0], d->name, location), location);
        return;
    }
    weir_value *inputs = weir_calloc(proto->n_input + WEIR_ONNX_FORM_SPARE, sizeof *inputs);
    build_operator(im, index, inputs);
    free(inputs);
}
