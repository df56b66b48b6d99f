/* report_node_hardware_type: what makes each node's hardware, and on which device. */
#include "passes/mase/metadata/node_meta.h"
#include "passes/mase/report.h"
#include "passes/passes.h"
#include "support/text/table.h"

static const char *text_or(const json_t *value, const char *otherwise) {
    return json_is_string(value) ? json_string_value(value) : otherwise;
}

static const char *result_type(const json_t *common) {
    const json_t *result = json_object_get(json_object_get(common, "results"), "data_out_0");
    return text_or(json_object_get(result, "type"), "NA");
}

void weir_report_node_hardware_type(const weir_fx_view *view, weir_text *text) {
    static const char *const headers[] = {"Node name", "Fx Node op", "Type", "Tool Chain", "Device ID"};
    weir_table *table = weir_table_new(headers, 5);
    for (size_t i = 0; i < weir_fx_view_count(view); i++) {
        const weir_fx_node *node = weir_fx_view_at(view, i);
        if (weir_node_meta_is_implicit(weir_fx_view_graph(view), node->node)) continue;
        json_t *common = weir_node_meta(view, node, WEIR_META_COMMON, NULL);
        json_t *hardware = weir_node_meta(view, node, WEIR_META_HARDWARE, NULL);
        weir_table_add(table, node->name);
        weir_table_add(table, weir_fx_op_name(node->op));
        weir_table_add(table, result_type(common));
        weir_table_add(table, text_or(json_object_get(hardware, "toolchain"), "NA"));
        weir_table_format(table, "%lld", (long long)json_integer_value(json_object_get(hardware, "device_id")));
        json_decref(common);
        json_decref(hardware);
    }
    weir_table_print(table, WEIR_TABLE_PIPE, text);
    weir_table_free(table);
}

bool weir_pass_report_node_hardware_type(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    return weir_mase_report(context, graph, weir_report_node_hardware_type, "");
}
