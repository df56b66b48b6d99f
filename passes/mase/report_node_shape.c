/* report_node_shape: the shapes that go into and out of each node, and its settings. */
#include "passes/mase/metadata/node_meta.h"
#include "passes/mase/python.h"
#include "passes/mase/report.h"
#include "passes/passes.h"

static void print_entries(const char *label, const json_t *entries, weir_text *text) {
    const char *name, *before = " ";
    const json_t *entry;
    weir_text_format(text, "  %s", label);
    json_object_foreach((json_t *)entries, name, entry) {
        const json_t *tensor = json_object_get(entry, "value") == NULL ? json_object_get(entry, "shape") : NULL;
        weir_text_format(text, "%s%s = ", before, name);
        weir_python_print(tensor == NULL ? entry : tensor, text);
        before = ", ";
    }
    weir_text_char(text, '\n');
}

void weir_report_node_shape(const weir_fx_view *view, weir_text *text) {
    for (size_t i = 0; i < weir_fx_view_count(view); i++) {
        const weir_fx_node *node = weir_fx_view_at(view, i);
        json_t *common = weir_node_meta(view, node, WEIR_META_COMMON, NULL);
        weir_text_format(text, "%s:\n", node->name);
        print_entries("in:", json_object_get(common, "args"), text);
        print_entries("out:", json_object_get(common, "results"), text);
        json_decref(common);
    }
}

bool weir_pass_report_node_shape(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    return weir_mase_report(context, graph, weir_report_node_shape, "");
}
