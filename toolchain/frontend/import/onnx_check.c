/* Nodes of files against the schema and the scope. */
#include "frontend/import/onnx_importer_private.h"

#include "support/memory/arena.h"

static void check_inputs(const weir_onnx_importer *im, size_t index) {
    const Onnx__NodeProto *node = im->proto->node[index];
    char label[WEIR_ONNX_LABEL_SIZE];
    for (size_t i = 0; i < node->n_input && !weir_onnx_importer_full(im); i++) {
        weir_onnx_definition *d = *node->input[i] == '\0' ? NULL : weir_onnx_scope_find(&im->scope, node->input[i]);
        if (d != NULL) d->is_used = true;
        if (*node->input[i] == '\0' || d != NULL) continue;
        weir_error(weir_onnx_importer_location(im, index),
                   "%s: input '%.100s' is neither a graph input, an initializer nor the output of a node",
                   weir_onnx_schema_label(node, label), node->input[i]);
        weir_onnx_importer_suggest(im, node->input[i]);
    }
}

bool weir_onnx_check_node(weir_onnx_importer *im, size_t index) {
    const Onnx__NodeProto *node = im->proto->node[index];
    const weir_location location = weir_onnx_importer_location(im, index);
    const weir_onnx_rule *rule = weir_onnx_schema_find(node, &im->opsets, location, &im->listed, &im->own[index]);
    im->rule[index] = rule;
    return rule != NULL && weir_onnx_schema_check(rule, node, &im->opsets, location);
}

bool weir_onnx_check_has_graphs(const Onnx__NodeProto *node) {
    return weir_onnx_branch_is_if(node) || weir_onnx_branch_repeats(node);
}

bool weir_onnx_check_is_in_branch(const weir_onnx_importer *im, size_t index) {
    return weir_onnx_branch_around(&im->flat, (uint32_t)index) != WEIR_ONNX_NO_IF;
}

void weir_onnx_check_all(weir_onnx_importer *im) {
    im->rule = weir_calloc(im->proto->n_node + 1, sizeof *im->rule);
    im->own = weir_calloc(im->proto->n_node + 1, sizeof *im->own);
    im->choice = weir_calloc(im->proto->n_node + 1, sizeof *im->choice);
    for (size_t i = 0; i < im->proto->n_node && !weir_onnx_importer_full(im); i++) {
        weir_diag_log *log = NULL;
        if (im->outline != NULL) {
            weir_onnx_importer_take_remarks(im, (uint32_t)i);
            log = weir_diag_capture();
        }
        if (!weir_onnx_check_has_graphs(im->proto->node[i]) && !weir_onnx_check_is_in_branch(im, i))
            weir_onnx_check_node(im, i);
        if (weir_onnx_importer_end_capture(log, weir_onnx_importer_is_needed(im, (uint32_t)i))) im->rule[i] = NULL;
        check_inputs(im, i);
    }
}

void weir_onnx_check_spare(const weir_onnx_importer *im, size_t index) {
    const Onnx__NodeProto *node = im->proto->node[index];
    const weir_onnx_rule *rule = im->rule[index];
    const int known = rule == NULL                                      ? -1
                      : rule->composed != NULL && rule->outputs_max > 0 ? rule->outputs_max
                                                                        : weir_op_get(rule->op)->outputs;
    char label[WEIR_ONNX_LABEL_SIZE];
    for (size_t i = 1; known > 0 && i < node->n_output && !weir_onnx_importer_full(im); i++) {
        const weir_onnx_definition *d = weir_onnx_scope_find(&im->scope, node->output[i]);
        if (d == NULL || !d->is_used || i < (size_t)known) continue;
        weir_error(weir_onnx_importer_location(im, index),
                   "%s: output %zu ('%.100s') is used, only output 0 is supported", weir_onnx_schema_label(node, label),
                   i, node->output[i]);
    }
}
