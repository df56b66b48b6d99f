#include "frontend/import/onnx_importer_private.h"

#include <math.h>
#include <string.h>

#include "frontend/import/onnx_label.h"
#include "support/text/suggest.h"

enum { SUGGESTION_LIMIT = 512 };

static const char *text_of(const char *text) { return text == NULL ? "" : text; }

weir_location weir_onnx_importer_whole(const weir_onnx_importer *im) { return weir_at(im->file, 0); }
weir_location weir_onnx_importer_location(const weir_onnx_importer *im, size_t node) {
    return weir_at(im->file, im->line > 0 ? im->line : weir_onnx_branch_line(&im->flat, (uint32_t)node));
}
size_t weir_onnx_importer_errors(const weir_onnx_importer *im) { return weir_diag_errors() - im->errors_before; }

bool weir_onnx_importer_full(const weir_onnx_importer *im) { return weir_onnx_importer_errors(im) >= WEIR_DIAG_LIMIT; }

void weir_onnx_importer_suggest(const weir_onnx_importer *im, const char *name) {
    if (im->scope.count > SUGGESTION_LIMIT) return;
    const char *names[SUGGESTION_LIMIT];
    for (size_t i = 0; i < im->scope.count; i++) names[i] = im->scope.definition[i].name;
    const char *nearest = weir_suggest(name, names, im->scope.count);
    if (nearest != NULL) weir_note("did you mean '%s'?", nearest);
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

void weir_onnx_importer_define(weir_onnx_importer *im, weir_onnx_definition *d, weir_array *array,
                               weir_location location) {
    d->failed = array == NULL || !check_constant(location, d->name, array);
    if (!d->failed) d->value = weir_graph_add_constant(im->graph, d->name, array);
    weir_array_free(array);
}

weir_dtype weir_onnx_importer_dtype(const weir_onnx_importer *im, weir_dtype dtype) {
    return im->source.to_float32 ? weir_onnx_tensor_narrowed(dtype) : dtype;
}

void weir_onnx_importer_define_opaque(weir_onnx_importer *im, weir_onnx_definition *d,
                                      const weir_onnx_declared *declared) {
    weir_type type;
    d->failed = !weir_onnx_type_input(declared, d->name, weir_onnx_importer_whole(im), 1, NULL, &type);
    if (!d->failed) d->value = weir_graph_add_input(im->graph, d->name, &type);
}

/* In an outline: is the shape of the tensor enough? */
static bool define_outlined(weir_onnx_importer *im, weir_onnx_definition *d, const Onnx__TensorProto *tensor) {
    const bool external = tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    weir_onnx_declared declared = {.rank = (int)tensor->n_dims};
    if (im->outline == NULL || (tensor->n_dims < 2 && !external) || tensor->n_dims > WEIR_MAX_RANK ||
        !weir_onnx_tensor_type(tensor->data_type, &declared.dtype))
        return false;
    declared.dtype = weir_onnx_importer_dtype(im, declared.dtype);
    for (size_t i = 0; i < tensor->n_dims; i++) declared.dim[i] = tensor->dims[i];
    weir_onnx_importer_define_opaque(im, d, &declared);
    return true;
}

weir_value weir_onnx_importer_resolve(weir_onnx_importer *im, weir_onnx_definition *d) {
    if (d->value.id == 0 && !d->failed && d->source == WEIR_ONNX_INITIALIZER) {
        const Onnx__TensorProto *tensor = im->proto->initializer[d->index];
        if (define_outlined(im, d, tensor)) return d->value;
        weir_array *array = weir_onnx_label_positions(im->proto, tensor, im->file);
        if (array != NULL) weir_onnx_label_names(im->graph, tensor);
        else array = weir_onnx_tensor_read(tensor, d->name, weir_onnx_importer_whole(im), &im->source);
        weir_onnx_importer_define(im, d, array, weir_onnx_importer_whole(im));
    }
    if (d->list != NULL && !d->failed) {
        d->failed = true;
        weir_error(d->source == WEIR_ONNX_OUTPUT ? weir_onnx_importer_location(im, d->index)
                                                 : weir_onnx_importer_whole(im),
                   "'%.100s' is a sequence of tensors, expected one tensor where it is read", d->name);
    }
    return d->value;
}

/* --- element types --- */

bool weir_onnx_importer_read_declared(const weir_onnx_importer *im, const Onnx__ValueInfoProto *info, const char *what,
                                      weir_location location, weir_onnx_declared *declared) {
    if (!weir_onnx_type_read(info, what, location, declared)) return false;
    declared->dtype = weir_onnx_importer_dtype(im, declared->dtype);
    return true;
}

/* --- outlines --- */

bool weir_onnx_importer_end_capture(weir_diag_log *log, bool needed) {
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

bool weir_onnx_importer_is_needed(const weir_onnx_importer *im, uint32_t index) {
    return im->outline != NULL && is_among(im->outline->needed, text_of(im->proto->node[index]->op_type));
}

void weir_onnx_importer_take_remarks(const weir_onnx_importer *im, uint32_t index) {
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
            weir_error(weir_onnx_importer_location(im, index), "%s: attribute '%s' must be a whole number",
                       weir_onnx_schema_label(node, label), attribute->name);
        }
    }
    node->n_attribute = kept;
}
