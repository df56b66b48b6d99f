/* The importer, in this order: decode, check the model as a whole, put branches of Ifs into one graph with the rest,
 * collect definitions, check every node against the schema (in a branch once it is chosen), sort, then build the graph
 * node by node with type inference. A stage with errors is the last one; after a node that fails while building, what
 * depends on it is skipped silently. */
#include "frontend/import/onnx.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/import/onnx_branch.h"
#include "frontend/import/onnx_compose.h"
#include "frontend/import/onnx_finn.h"
#include "frontend/import/onnx_float.h"
#include "frontend/import/onnx_form.h"
#include "frontend/import/onnx_known.h"
#include "frontend/import/onnx_label.h"
#include "frontend/import/onnx_name.h"
#include "frontend/import/onnx_parameter.h"
#include "frontend/import/onnx_scope.h"
#include "frontend/wire/onnx_schema.h"
#include "frontend/wire/onnx_tensor.h"
#include "frontend/wire/onnx_type.h"
#include "frontend/wire/onnx_wire.h"
#include "ir/graph/graph.h"
#include "ir/shape/infer.h"
#include "ir/trait/trait.h"
#include "onnx.pb-c.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/kind.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"
#include "support/text/unreachable.h"

enum { IR_VERSION_LOW = 3, SUGGESTION_LIMIT = 512 };

/* Of an If: which of its branches is built. */
typedef enum choice { UNDECIDED, THEN, ELSE, NEITHER } choice;

typedef struct importer {
    const char *file; /* its last part */
    const weir_archive *bindings;
    weir_onnx_sizes sizes;
    weir_onnx_tensor_source source;
    size_t scales_left; /* that nodes may still use */
    size_t errors_before;
    weir_onnx_flat flat;
    const Onnx__GraphProto *proto; /* flat.graph */
    weir_onnx_opsets opsets;
    weir_onnx_scope scope;
    weir_onnx_known known;
    const weir_onnx_rule **rule; /* by node */
    weir_onnx_rule *own;         /* by node: its rule when the operator was registered */
    bool listed;                 /* all operators, in a message */
    choice *choice;              /* by node */
    uint32_t *order;
    weir_graph *graph;
    weir_onnx_outline *outline; /* NULL: the whole model */
} importer;

static weir_location whole(const importer *im) { return weir_at(im->file, 0); }
static weir_location location_of(const importer *im, size_t node) {
    return weir_at(im->file, weir_onnx_branch_line(&im->flat, (uint32_t)node));
}
static size_t errors(const importer *im) { return weir_diag_errors() - im->errors_before; }

/* The limit of reported errors is reached. */
static bool full(const importer *im) { return errors(im) >= WEIR_DIAG_LIMIT; }

static const char *text_of(const char *text) { return text == NULL ? "" : text; }

/* --- the model as a whole --- */

static void check_model(importer *im, const Onnx__ModelProto *model) {
    if (!model->has_ir_version) weir_error(whole(im), "not an ONNX model: it has no IR version");
    else if (model->ir_version < IR_VERSION_LOW)
        weir_error(whole(im), "IR version %lld is not supported, expected %d or later", (long long)model->ir_version,
                   (int)IR_VERSION_LOW);
    weir_onnx_schema_import(model, im->file, &im->opsets);
    for (size_t i = 0; i < model->n_functions && !full(im); i++)
        weir_error(whole(im), "function '%.80s' of domain '%.80s': model functions are not supported",
                   text_of(model->functions[i]->name), text_of(model->functions[i]->domain));
    if (model->n_training_info > 0) weir_error(whole(im), "training information is not supported");
    if (model->graph == NULL) {
        weir_error(whole(im), "not an ONNX model: it has no graph");
        return;
    }
    for (size_t i = 0; i < model->graph->n_sparse_initializer && !full(im); i++) {
        const Onnx__TensorProto *values = model->graph->sparse_initializer[i]->values;
        weir_error(whole(im), "sparse initializer '%.100s' is not supported",
                   values == NULL ? "" : text_of(values->name));
    }
    if (model->graph->n_output == 0) weir_error(whole(im), "the graph has no outputs");
}

/* Ends a capture, if there is one, and reports what is in it if that is `needed`; was there an error? */
static bool end_capture(weir_diag_log *log, bool needed) {
    if (log == NULL) return false;
    weir_diag_release(log);
    const bool found = *weir_diag_log_error(log) != '\0';
    if (found && needed) weir_diag_replay(log);
    weir_diag_log_free(log);
    return found;
}

static bool is_among(const char *const *names, const char *name) {
    while (names != NULL && *names != NULL && strcmp(*names, name) != 0) names++;
    return names != NULL && *names != NULL;
}

/* May the node not be opaque? */
static bool is_needed(const importer *im, uint32_t index) {
    return im->outline != NULL && is_among(im->outline->needed, text_of(im->proto->node[index]->op_type));
}

/* Tells of the node's name, and takes the remarks from it. */
static void take_remarks(const importer *im, uint32_t index) {
    Onnx__NodeProto *node = im->proto->node[index];
    size_t kept = 0;
    if (*text_of(node->name) != '\0') im->outline->named(im->outline->user, (int)index + 1, node->name);
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = node->attribute[i];
        if (!is_among(im->outline->remark, text_of(attribute->name))) {
            node->attribute[kept++] = node->attribute[i];
        } else if (attribute->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT) {
            im->outline->remarked(im->outline->user, (int)index + 1, attribute->name, attribute->i);
        } else {
            char label[WEIR_ONNX_LABEL_SIZE];
            weir_error(location_of(im, index), "%s: attribute '%s' must be a whole number",
                       weir_onnx_schema_label(node, label), attribute->name);
        }
    }
    node->n_attribute = kept;
}

/* --- nodes against the schema and the scope --- */

static void suggest_value(const importer *im, const char *name) {
    if (im->scope.count > SUGGESTION_LIMIT) return;
    const char *names[SUGGESTION_LIMIT];
    for (size_t i = 0; i < im->scope.count; i++) names[i] = im->scope.definition[i].name;
    const char *nearest = weir_suggest(name, names, im->scope.count);
    if (nearest != NULL) weir_note("did you mean '%s'?", nearest);
}

static void check_inputs(const importer *im, size_t index) {
    const Onnx__NodeProto *node = im->proto->node[index];
    char label[WEIR_ONNX_LABEL_SIZE];
    for (size_t i = 0; i < node->n_input && !full(im); i++) {
        weir_onnx_definition *d = *node->input[i] == '\0' ? NULL : weir_onnx_scope_find(&im->scope, node->input[i]);
        if (d != NULL) d->is_used = true;
        if (*node->input[i] == '\0' || d != NULL) continue;
        weir_error(location_of(im, index),
                   "%s: input '%.100s' is neither a graph input, an initializer nor the output of a node",
                   weir_onnx_schema_label(node, label), node->input[i]);
        suggest_value(im, node->input[i]);
    }
}

static bool check_node(importer *im, size_t index) {
    const Onnx__NodeProto *node = im->proto->node[index];
    const weir_location location = location_of(im, index);
    const weir_onnx_rule *rule = weir_onnx_schema_find(node, &im->opsets, location, &im->listed, &im->own[index]);
    im->rule[index] = rule;
    return rule != NULL && weir_onnx_schema_check(rule, node, &im->opsets, location);
}

static bool is_in_branch(const importer *im, size_t index) {
    return weir_onnx_branch_around(&im->flat, (uint32_t)index) != WEIR_ONNX_NO_IF;
}

static void check_nodes(importer *im) {
    im->rule = weir_calloc(im->proto->n_node + 1, sizeof *im->rule);
    im->own = weir_calloc(im->proto->n_node + 1, sizeof *im->own);
    im->choice = weir_calloc(im->proto->n_node + 1, sizeof *im->choice);
    for (size_t i = 0; i < im->proto->n_node && !full(im); i++) {
        weir_diag_log *log = NULL;
        if (im->outline != NULL) {
            take_remarks(im, (uint32_t)i);
            log = weir_diag_capture();
        }
        if (!weir_onnx_branch_is_if(im->proto->node[i]) && !is_in_branch(im, i)) check_node(im, i);
        if (end_capture(log, is_needed(im, (uint32_t)i))) im->rule[i] = NULL;
        check_inputs(im, i);
    }
}

/* --- constants --- */

static bool check_constant(weir_location location, const char *name, const weir_array *array) {
    const bool may_be_empty = array->dtype == WEIR_INT64 || array->dtype == WEIR_FLOAT32;
    if (array->count == 0 && (!may_be_empty || array->shape.rank != 1)) {
        char text[128];
        weir_error(location, "tensor '%.100s' is empty (shape %s)", name,
                   weir_shape_print(&array->shape, text, sizeof text));
        return false;
    }
    for (size_t i = 0; weir_dtype_is_float(array->dtype) && i < array->count; i++) {
        if (!isnan(weir_array_get(array, i))) continue;
        weir_error(location, "tensor '%.100s': element %zu is not a number", name, i);
        return false;
    }
    return true;
}

/* Makes the definition's value from the array, which is freed; NULL or bad content fails the definition. */
static void define_constant(importer *im, weir_onnx_definition *d, weir_array *array, weir_location location) {
    d->failed = array == NULL || !check_constant(location, d->name, array);
    if (!d->failed) d->value = weir_graph_add_constant(im->graph, d->name, array);
    weir_array_free(array);
}

/* Constant: one checked attribute of those that the schema knows. */
static weir_array *constant_array(importer *im, const Onnx__AttributeProto *attribute, const char *name,
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

static weir_dtype converted(const importer *im, weir_dtype dtype) {
    return im->source.to_float32 ? weir_onnx_tensor_narrowed(dtype) : dtype;
}

/* A value of a declared type, of which nothing else is known. */
static void define_opaque(importer *im, weir_onnx_definition *d, const weir_onnx_declared *declared) {
    weir_type type;
    d->failed = !weir_onnx_type_input(declared, d->name, whole(im), 1, NULL, &type);
    if (!d->failed) d->value = weir_graph_add_input(im->graph, d->name, &type);
}

/* In an outline: is the shape of the tensor enough? */
static bool define_outlined(importer *im, weir_onnx_definition *d, const Onnx__TensorProto *tensor) {
    const bool external = tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    weir_onnx_declared declared = {.rank = (int)tensor->n_dims};
    if (im->outline == NULL || (tensor->n_dims < 2 && !external) || tensor->n_dims > WEIR_MAX_RANK ||
        !weir_onnx_tensor_type(tensor->data_type, &declared.dtype))
        return false;
    declared.dtype = converted(im, declared.dtype);
    for (size_t i = 0; i < tensor->n_dims; i++) declared.dim[i] = tensor->dims[i];
    define_opaque(im, d, &declared);
    return true;
}

/* The value of a definition that was built before or is an initializer, which is read at its first use. */
static weir_value resolve(importer *im, weir_onnx_definition *d) {
    if (d->value.id == 0 && !d->failed && d->source == WEIR_ONNX_INITIALIZER) {
        const Onnx__TensorProto *tensor = im->proto->initializer[d->index];
        if (define_outlined(im, d, tensor)) return d->value;
        weir_array *array = weir_onnx_label_positions(im->proto, tensor, im->file);
        if (array != NULL) weir_onnx_label_names(im->graph, tensor);
        else array = weir_onnx_tensor_read(tensor, d->name, whole(im), &im->source);
        define_constant(im, d, array, whole(im));
    }
    return d->value;
}

/* --- element types --- */

static bool read_declared(const importer *im, const Onnx__ValueInfoProto *info, const char *what,
                          weir_location location, weir_onnx_declared *declared) {
    if (!weir_onnx_type_read(info, what, location, declared)) return false;
    declared->dtype = converted(im, declared->dtype);
    return true;
}

static void convert_attribute(const importer *im, weir_node node, const char *name) {
    weir_dtype dtype;
    if (weir_dtype_parse(weir_node_string(im->graph, node, name, ""), &dtype))
        weir_node_set_string(im->graph, node, name, weir_dtype_name(converted(im, dtype)));
}

static void choose_float(importer *im, bool wanted) {
    weir_dtype dtype;
    if (!wanted || !weir_onnx_float_find(im->proto, &im->scope, &dtype)) return;
    im->source.to_float32 = true;
    weir_note("%s: the model computes in %s; it is converted to float32", im->file, weir_dtype_name(dtype));
}

/* --- graph inputs --- */

static void bind_input(importer *im, weir_onnx_definition *d, const weir_onnx_declared *declared, const char *what,
                       const weir_array *array) {
    const weir_dtype dtype = converted(im, array->dtype);
    d->failed = !weir_onnx_type_agrees(declared, what, whole(im), dtype, &array->shape);
    if (!d->failed) define_constant(im, d, weir_array_convert(array, dtype), whole(im));
}

static size_t count_inputs(const importer *im) {
    size_t count = 0;
    for (size_t i = 0; i < im->proto->n_input; i++)
        count += weir_onnx_scope_find(&im->scope, im->proto->input[i]->name)->source == WEIR_ONNX_INPUT;
    return count;
}

/* NULL: no shape is given for the input. */
static const weir_shape *given_shape(const importer *im, const char *input) {
    for (size_t i = im->sizes.shape_count; i-- > 0;)
        if (im->sizes.shape[i].input == NULL || strcmp(im->sizes.shape[i].input, input) == 0)
            return &im->sizes.shape[i].shape;
    return NULL;
}

/* Is each shape that of an input? */
static void check_shapes(importer *im) {
    const size_t inputs = count_inputs(im);
    for (size_t i = 0; i < im->sizes.shape_count && !full(im); i++) {
        const char *name = im->sizes.shape[i].input;
        const weir_onnx_definition *d = name == NULL ? NULL : weir_onnx_scope_find(&im->scope, name);
        if (name == NULL && inputs != 1)
            weir_error(whole(im), "the model has %zu inputs: expected INPUT=SIZES, to say which one has the shape",
                       inputs);
        if (name != NULL && (d == NULL || d->source != WEIR_ONNX_INPUT))
            weir_error(whole(im), "a shape is given for '%.100s': the model has no such input", name);
    }
}

/* Every input's first dimension is open, and nobody gives it a size: the name that the first has for it. */
static void note_batch(importer *im, const weir_onnx_declared *declared, bool given, bool *closed) {
    const bool open = im->sizes.batch <= 1 && !given && declared->rank > 0 && declared->dim[0] == -1;
    const char *known = weir_graph_batch(im->graph);
    *closed = *closed || !open;
    if (*closed) weir_graph_set_batch(im->graph, NULL);
    else if (known == NULL || *known == '\0')
        weir_graph_set_batch(im->graph, declared->symbol[0] != NULL ? declared->symbol[0] : "");
}

static void build_inputs(importer *im) {
    bool closed = im->outline != NULL;
    check_shapes(im);
    for (size_t i = 0; i < im->proto->n_input && !full(im); i++) {
        const Onnx__ValueInfoProto *info = im->proto->input[i];
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, info->name);
        weir_onnx_declared declared;
        weir_type type;
        char what[160];
        if (d->source != WEIR_ONNX_INPUT) continue;
        snprintf(what, sizeof what, "graph input '%.100s'", info->name);
        const weir_array *bound = im->bindings == NULL ? NULL : weir_archive_find(im->bindings, info->name);
        d->failed = !read_declared(im, info, what, whole(im), &declared);
        if (d->failed) continue;
        if (bound != NULL) {
            bind_input(im, d, &declared, what, bound);
            continue;
        }
        d->failed = !weir_onnx_type_input(&declared, what, whole(im), im->sizes.batch < 1 ? 1 : im->sizes.batch,
                                          given_shape(im, info->name), &type);
        if (d->failed) continue;
        note_batch(im, &declared, given_shape(im, info->name) != NULL, &closed);
        d->value = weir_graph_add_input(im->graph, info->name, &type);
        d->value = weir_onnx_finn_input(im->graph, im->proto, &im->scope, d->value, whole(im));
    }
    for (size_t i = 0; im->bindings != NULL && i < im->bindings->count && !full(im); i++) {
        const weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, im->bindings->name[i]);
        if (d != NULL && d->source == WEIR_ONNX_INPUT) continue;
        weir_error(whole(im), "'%.100s' cannot be bound: the model has no such input", im->bindings->name[i]);
    }
}

/* --- nodes --- */

/* Vectors of shape arithmetic may have no elements: the part of a shape before its first dimension, say. */
static bool may_be_empty(const weir_type *type) { return type->dtype == WEIR_INT64 && type->shape.rank == 1; }

/* What type inference does not look at. */
static bool check_result(const importer *im, weir_node node) {
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
static bool resolve_inputs(importer *im, const Onnx__NodeProto *proto, weir_value *inputs, size_t *count) {
    bool fine = true;
    for (*count = proto->n_input; *count > 0 && *proto->input[*count - 1] == '\0';) --*count;
    for (size_t i = 0; i < *count; i++) {
        inputs[i] = WEIR_NO_VALUE;
        if (*proto->input[i] == '\0') continue;
        inputs[i] = resolve(im, weir_onnx_scope_find(&im->scope, proto->input[i]));
        fine = fine && inputs[i].id != 0;
    }
    return fine;
}

/* Names and values of the outputs that the operator has here; `first` is the value of the first. The file may leave out
 * the last ones, which nothing reads then. */
static void define_outputs(importer *im, const Onnx__NodeProto *proto, weir_node node, weir_value first) {
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
static void define_more(importer *im, const Onnx__NodeProto *proto, const weir_value *more) {
    for (size_t i = 1; i < proto->n_output && i <= WEIR_ONNX_FORM_OUTPUTS; i++) {
        if (*proto->output[i] == '\0' || more[i - 1].id == 0) continue;
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, proto->output[i]);
        d->value = more[i - 1];
        if (weir_value_constant(im->graph, d->value) == NULL) weir_value_set_name(im->graph, d->value, d->name);
    }
}

/* `inputs` has room for those of the file and WEIR_ONNX_FORM_SPARE more. */
static void build_operator(importer *im, uint32_t index, weir_value *inputs) {
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
                           .location = location_of(im, index),
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

static choice choose(importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    if (im->choice[index] != UNDECIDED) return im->choice[index];
    const weir_value condition = resolve(im, weir_onnx_scope_find(&im->scope, proto->input[0]));
    const weir_array *known = condition.id == 0 ? NULL : weir_onnx_known_find(&im->known, im->graph, condition);
    char label[WEIR_ONNX_LABEL_SIZE];
    im->choice[index] = NEITHER;
    if (known != NULL && known->dtype == WEIR_BOOL && known->count == 1)
        im->choice[index] = weir_array_get_int(known, 0) != 0 ? THEN : ELSE;
    else if (known != NULL)
        weir_error(location_of(im, index), "%s: its condition '%.100s' must be one truth value",
                   weir_onnx_schema_label(proto, label), proto->input[0]);
    else if (condition.id != 0) {
        weir_error(location_of(im, index),
                   "%s: its condition '%.100s' depends on the data of an input, expected constants and shapes only",
                   weir_onnx_schema_label(proto, label), proto->input[0]);
        weir_note("hardware computes the same for every frame: compute both branches and select with Where");
    }
    return im->choice[index];
}

/* Is every branch that the node is in chosen? */
static bool is_chosen(importer *im, uint32_t index) {
    const uint32_t around = weir_onnx_branch_around(&im->flat, index);
    return around == WEIR_ONNX_NO_IF ||
           (is_chosen(im, around) && choose(im, around) == (im->flat.place[index].otherwise ? ELSE : THEN));
}

/* Its outputs are the values of the chosen branch; what a node of that computes, no constant, is called by the If's
 * name for it. */
static void build_if(importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    const choice chosen = choose(im, index);
    for (size_t i = 0; chosen != NEITHER && i < proto->n_output; i++) {
        if (*proto->output[i] == '\0') continue;
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, proto->output[i]),
                             *from =
                                 weir_onnx_scope_find(&im->scope, weir_onnx_branch_result(proto, chosen == ELSE, i));
        d->value = resolve(im, from);
        if (d->value.id != 0 && from->source == WEIR_ONNX_OUTPUT &&
            weir_onnx_branch_around(&im->flat, from->index) == index &&
            weir_value_constant(im->graph, d->value) == NULL &&
            strcmp(weir_value_name(im->graph, d->value), from->name) == 0)
            weir_value_set_name(im->graph, d->value, d->name);
    }
}

/* A graph output whose value has another name, which an If passes on. */
static weir_value passed_on(importer *im, const weir_onnx_definition *d, weir_value value) {
    const bool is_if = d->source == WEIR_ONNX_OUTPUT && weir_onnx_branch_is_if(im->proto->node[d->index]);
    if (!is_if || strcmp(weir_value_name(im->graph, value), d->name) == 0) return value;
    char name[WEIR_ONNX_NAME_SIZE];
    weir_onnx_name_node(im->proto->node[d->index]->name, "If", name);
    const weir_node node = weir_graph_add_node(im->graph, WEIR_OP_IDENTITY, name, &value, 1, 1, WEIR_NO_NODE);
    weir_node_set_location(im->graph, node, location_of(im, d->index));
    if (!weir_infer_node(im->graph, node)) weir_unreachable("any value has a copy");
    weir_value_set_name(im->graph, weir_node_output(im->graph, node, 0), d->name);
    return weir_node_output(im->graph, node, 0);
}

/* Outputs that an operator may have in ONNX and has not here: nothing may use them. */
static void check_spare_outputs(const importer *im, size_t index) {
    const Onnx__NodeProto *node = im->proto->node[index];
    const weir_onnx_rule *rule = im->rule[index];
    const int known = rule == NULL                                      ? -1
                      : rule->composed != NULL && rule->outputs_max > 0 ? rule->outputs_max
                                                                        : weir_op_get(rule->op)->outputs;
    char label[WEIR_ONNX_LABEL_SIZE];
    for (size_t i = 1; known > 0 && i < node->n_output && !full(im); i++) {
        const weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, node->output[i]);
        if (d == NULL || !d->is_used || i < (size_t)known) continue;
        weir_error(location_of(im, index), "%s: output %zu ('%.100s') is used, only output 0 is supported",
                   weir_onnx_schema_label(node, label), i, node->output[i]);
    }
}

/* What is known of a node in a branch only once it is chosen. */
static bool enters(importer *im, uint32_t index) {
    if (!is_in_branch(im, index)) return true;
    if (!is_chosen(im, index)) return false;
    if (weir_onnx_branch_is_if(im->proto->node[index])) return true;
    const size_t before = errors(im);
    if (check_node(im, index)) check_spare_outputs(im, index);
    return errors(im) == before;
}

static void build_node(importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    if (!enters(im, index)) return;
    if (weir_onnx_branch_is_if(proto)) {
        build_if(im, index);
        return;
    }
    if (im->rule[index]->op == WEIR_OP_NONE) {
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, proto->output[0]);
        weir_location location = location_of(im, index);
        define_constant(im, d, constant_array(im, proto->attribute[0], d->name, location), location);
        return;
    }
    weir_value *inputs = weir_calloc(proto->n_input + WEIR_ONNX_FORM_SPARE, sizeof *inputs);
    build_operator(im, index, inputs);
    free(inputs);
}

/* --- outlines --- */

static const Onnx__ValueInfoProto *find_info(const importer *im, const char *name) {
    for (size_t i = 0; i < im->proto->n_value_info; i++)
        if (strcmp(text_of(im->proto->value_info[i]->name), name) == 0) return im->proto->value_info[i];
    for (size_t i = 0; i < im->proto->n_output; i++)
        if (strcmp(text_of(im->proto->output[i]->name), name) == 0) return im->proto->output[i];
    return NULL;
}

/* What the file declares of its outputs stands for the node; what depends on others is opaque too. */
static void build_opaque(importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    const weir_onnx_opaque node = {
        (int)index + 1, text_of(proto->op_type), (const char *const *)proto->input, (const char *const *)proto->output,
        proto->n_input, proto->n_output};
    for (size_t i = 0; i < proto->n_output; i++) {
        weir_onnx_definition *d = *proto->output[i] == '\0' ? NULL : weir_onnx_scope_find(&im->scope, proto->output[i]);
        const Onnx__ValueInfoProto *info = d == NULL || d->value.id != 0 ? NULL : find_info(im, d->name);
        weir_onnx_declared declared;
        weir_diag_log *log = weir_diag_capture();
        if (info != NULL && info->type != NULL && read_declared(im, info, d->name, whole(im), &declared))
            define_opaque(im, d, &declared);
        end_capture(log, false);
    }
    if (im->outline->opaque != NULL) im->outline->opaque(im->outline->user, &node);
}

static void outline_node(importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    weir_diag_log *log = weir_diag_capture();
    if (im->rule[index] != NULL) build_node(im, index);
    const bool failed = end_capture(log, is_needed(im, index));
    const weir_onnx_definition *d = proto->n_output == 0 ? NULL : weir_onnx_scope_find(&im->scope, proto->output[0]);
    if (d != NULL && d->value.id != 0) return;
    if (is_needed(im, index) && im->rule[index] != NULL && !failed) {
        char label[WEIR_ONNX_LABEL_SIZE];
        weir_error(location_of(im, index), "%s: the shape of an input is not known, and the file declares none",
                   weir_onnx_schema_label(proto, label));
        weir_note("onnx.shape_inference.infer_shapes writes shapes into a file");
    }
    build_opaque(im, index);
}

/* --- outputs and declared types --- */

static void check_declared(importer *im, const Onnx__ValueInfoProto *info, const weir_onnx_definition *d,
                           const char *kind, size_t *others) {
    weir_onnx_declared declared;
    char what[160];
    snprintf(what, sizeof what, "%s '%.100s'", kind, d->name);
    weir_location location = d->source == WEIR_ONNX_OUTPUT ? location_of(im, d->index) : whole(im);
    const weir_type *type = weir_value_type(im->graph, d->value);
    if (info->type == NULL || weir_onnx_label_differs(im->proto, info, d, type->dtype) ||
        !read_declared(im, info, what, location, &declared))
        return;
    weir_onnx_type_remark(&declared, what, location, type->dtype, &type->shape, others);
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void check_output_names(importer *im) {
    size_t count = im->proto->n_output;
    const char **names = weir_calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = text_of(im->proto->output[i]->name);
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count && !full(im); i++) {
        if (strcmp(names[i], names[i - 1]) == 0)
            weir_error(whole(im), "graph output '%.100s' is listed twice", names[i]);
    }
    free(names);
}

static void check_outputs(importer *im) {
    for (size_t i = 0; i < im->proto->n_output && !full(im); i++) {
        const char *name = text_of(im->proto->output[i]->name);
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, name);
        if (d != NULL) d->is_used = true;
        if (d != NULL) continue;
        weir_error(whole(im), "graph output '%.100s' is not defined", name);
        suggest_value(im, name);
    }
    check_output_names(im);
}

static void build_outputs(importer *im) {
    size_t others = 0;
    for (size_t i = 0; i < im->proto->n_output && !full(im); i++) {
        weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, im->proto->output[i]->name);
        weir_value value = resolve(im, d);
        if (value.id == 0) continue;
        value = d->value = passed_on(im, d, value);
        weir_graph_add_output(im->graph, d->name, value);
        check_declared(im, im->proto->output[i], d, "graph output", &others);
    }
    for (size_t i = 0; i < im->proto->n_value_info && !full(im); i++) {
        const Onnx__ValueInfoProto *info = im->proto->value_info[i];
        const weir_onnx_definition *d = info->name == NULL ? NULL : weir_onnx_scope_find(&im->scope, info->name);
        if (d != NULL && d->value.id != 0) check_declared(im, info, d, "value", &others);
    }
    if (others > 1) weir_note("%zu more values are declared with another shape than the inferred one", others - 1);
}

/* --- the whole --- */

static void build(importer *im) {
    char name[WEIR_ONNX_NAME_SIZE];
    weir_onnx_name_graph(im->file, name);
    im->graph = weir_graph_new(name);
    weir_graph_set_source(im->graph, im->file);
    build_inputs(im);
    if (im->outline != NULL) im->outline->data_inputs = weir_graph_input_count(im->graph);
    for (size_t i = 0; i < im->proto->n_node && !full(im); i++) {
        if (im->outline != NULL) outline_node(im, im->order[i]);
        else build_node(im, im->order[i]);
    }
    build_outputs(im);
}

static void import_model(importer *im, const Onnx__ModelProto *model, bool to_float32, weir_arena *arena) {
    check_model(im, model);
    if (errors(im) > 0) return;
    im->flat.graph = model->graph;
    if (im->outline == NULL && !weir_onnx_branch_flatten(&im->flat, model->graph, &im->opsets, im->file, arena)) return;
    im->proto = im->flat.graph;
    if (!weir_onnx_scope_build(&im->scope, im->proto, im->file)) return;
    choose_float(im, to_float32);
    check_nodes(im);
    check_outputs(im);
    for (size_t i = 0; i < im->proto->n_node && !full(im) && im->outline == NULL; i++) check_spare_outputs(im, i);
    if (full(im)) return;
    im->order = weir_onnx_scope_order(&im->scope, &im->flat, im->file);
    if (errors(im) == 0) build(im);
}

static const ProtobufCMessage *decode_as(weir_arena *arena, const ProtobufCMessageDescriptor *type, const void *data,
                                         size_t size, const char *file, weir_diag_log **log) {
    *log = weir_diag_capture();
    const ProtobufCMessage *message = weir_onnx_wire_decode(arena, type, data, size, file);
    weir_diag_release(*log);
    return message;
}

/* Tensors of conformance data are files of their own. */
static bool is_tensor(weir_arena *arena, const void *data, size_t size) {
    weir_diag_log *log;
    const Onnx__TensorProto *tensor =
        (const Onnx__TensorProto *)decode_as(arena, &onnx__tensor_proto__descriptor, data, size, "", &log);
    weir_diag_log_free(log);
    return tensor != NULL && tensor->has_data_type && (tensor->has_raw_data || tensor->n_float_data > 0);
}

/* The model, or NULL after an error that says, where that is known, what the file is instead. */
static const Onnx__ModelProto *decode(weir_arena *arena, const void *data, size_t size, const char *file) {
    static const weir_file_kind tensor = {"an ONNX tensor (TensorProto)", "pass the model; data goes to --data"};
    weir_diag_log *log;
    const Onnx__ModelProto *model =
        (const Onnx__ModelProto *)decode_as(arena, &onnx__model_proto__descriptor, data, size, file, &log);
    const weir_file_kind *kind = NULL;
    if (model == NULL || model->graph == NULL)
        kind = is_tensor(arena, data, size) ? &tensor : weir_file_kind_of(data, size);
    if (kind == NULL) weir_diag_replay(log);
    weir_diag_log_free(log);
    if (kind == NULL) return model;
    weir_error(weir_at(file, 0), "not an ONNX model: it looks like %s", kind->what);
    if (kind->hint != NULL) weir_note("%s", kind->hint);
    return NULL;
}

weir_graph *weir_onnx_import_bytes(const void *data, size_t size, const char *name, const char *folder,
                                   const weir_onnx_options *options) {
    importer im = {.file = weir_path_name(name),
                   .bindings = options == NULL ? NULL : options->bindings,
                   .sizes = options == NULL ? (weir_onnx_sizes){.batch = 1} : options->sizes,
                   .source = {folder, WEIR_ONNX_TENSOR_BYTES, false},
                   .scales_left = WEIR_ONNX_PARAMETER_SCALES,
                   .errors_before = weir_diag_errors(),
                   .known = {.evaluate = options == NULL ? NULL : options->evaluate},
                   .outline = options == NULL ? NULL : options->outline};
    weir_arena *arena = weir_arena_new();
    const Onnx__ModelProto *model = decode(arena, data, size, im.file);
    if (model != NULL) import_model(&im, model, options != NULL && options->to_float32, arena);
    if (full(&im)) weir_note("stopped after %d errors", (int)WEIR_DIAG_LIMIT);
    weir_onnx_known_free(&im.known);
    free(im.rule);
    free(im.own);
    free(im.choice);
    free(im.order);
    weir_onnx_scope_free(&im.scope);
    weir_arena_free(arena);
    if (errors(&im) == 0) return im.graph;
    weir_graph_free(im.graph);
    return NULL;
}

weir_graph *weir_onnx_import(const char *path, const weir_onnx_options *options) {
    size_t size;
    char *data = weir_file_read(path, &size);
    if (data == NULL) return NULL;
    char *folder = weir_path_folder(path);
    weir_graph *graph = weir_onnx_import_bytes(data, size, path, folder, options);
    free(folder);
    free(data);
    return graph;
}

weir_array *weir_onnx_read_tensor(const char *path) {
    size_t size;
    char *data = weir_file_read(path, &size);
    if (data == NULL) return NULL;
    const char *file = weir_path_name(path);
    weir_arena *arena = weir_arena_new();
    const Onnx__TensorProto *tensor =
        (const Onnx__TensorProto *)weir_onnx_wire_decode(arena, &onnx__tensor_proto__descriptor, data, size, file);
    weir_onnx_tensor_source source = {NULL, WEIR_ONNX_TENSOR_BYTES, false};
    weir_array *array =
        tensor == NULL ? NULL : weir_onnx_tensor_read(tensor, text_of(tensor->name), weir_at(file, 0), &source);
    weir_arena_free(arena);
    free(data);
    return array;
}
