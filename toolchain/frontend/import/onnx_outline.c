/* Graphs of shapes, for exploration: what cannot be built is opaque. */
#include "frontend/import/onnx_importer_private.h"

#include <string.h>

static const char *text_of(const char *text) { return text == NULL ? "" : text; }

static const Onnx__ValueInfoProto *find_info(const weir_onnx_importer *im, const char *name) {
    for (size_t i = 0; i < im->proto->n_value_info; i++)
        if (strcmp(text_of(im->proto->value_info[i]->name), name) == 0) return im->proto->value_info[i];
    for (size_t i = 0; i < im->proto->n_output; i++)
        if (strcmp(text_of(im->proto->output[i]->name), name) == 0) return im->proto->output[i];
    return NULL;
}

/* What the file declares of its outputs stands for the node; what depends on others is opaque too. */
static void build_opaque(weir_onnx_importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    const weir_onnx_opaque node = {
        (int)index + 1, text_of(proto->op_type), (const char *const *)proto->input, (const char *const *)proto->output,
        proto->n_input, proto->n_output};
    for (size_t i = 0; i < proto->n_output; i++) {
        weir_onnx_definition *d = *proto->output[i] == '\0' ? NULL : weir_onnx_scope_find(&im->scope, proto->output[i]);
        const Onnx__ValueInfoProto *info = d == NULL || d->value.id != 0 ? NULL : find_info(im, d->name);
        weir_onnx_declared declared;
        weir_diag_log *log = weir_diag_capture();
        if (info != NULL && info->type != NULL &&
            weir_onnx_importer_read_declared(im, info, d->name, weir_onnx_importer_whole(im), &declared))
            weir_onnx_importer_define_opaque(im, d, &declared);
        weir_onnx_importer_end_capture(log, false);
    }
    if (im->outline->opaque != NULL) im->outline->opaque(im->outline->user, &node);
}

void weir_onnx_outline_build(weir_onnx_importer *im, uint32_t index) {
    const Onnx__NodeProto *proto = im->proto->node[index];
    weir_diag_log *log = weir_diag_capture();
    if (im->rule[index] != NULL) weir_onnx_node_build(im, index);
    const bool failed = weir_onnx_importer_end_capture(log, weir_onnx_importer_is_needed(im, index));
    const weir_onnx_definition *d = proto->n_output == 0 ? NULL : weir_onnx_scope_find(&im->scope, proto->output[0]);
    if (d != NULL && d->value.id != 0) return;
    if (weir_onnx_importer_is_needed(im, index) && im->rule[index] != NULL && !failed) {
        char label[WEIR_ONNX_LABEL_SIZE];
        weir_error(weir_onnx_importer_location(im, index),
                   "%s: the shape of an input is not known, and the file declares none",
                   weir_onnx_schema_label(proto, label));
        weir_note("onnx.shape_inference.infer_shapes writes shapes into a file");
    }
    build_opaque(im, index);
}
