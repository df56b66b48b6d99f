/* report_node_type: each node's operator to torch.fx and to MASE, and the number format of its first input. */
#include "ir/trait/mase.h"
#include "passes/mase/report.h"
#include "passes/passes.h"
#include "support/text/table.h"

static const char *value_type(const weir_graph *graph, const weir_fx_node *node) {
    weir_value value = node->node.id == 0 ? WEIR_NO_VALUE : weir_mase_find(graph, node->node, "data_in_0");
    return value.id == 0 ? "NA" : weir_mase_precision_of(graph, value).type;
}

void weir_report_node_type(const weir_fx_view *view, weir_text *text) {
    static const char *const headers[] = {"Node name", "Fx Node op", "Mase type", "Mase op", "Value type"};
    weir_table *table = weir_table_new(headers, 5);
    for (size_t i = 0; i < weir_fx_view_count(view); i++) {
        const weir_fx_node *node = weir_fx_view_at(view, i);
        weir_table_add(table, node->name);
        weir_table_add(table, weir_fx_op_name(node->op));
        weir_table_add(table, weir_mase_type_name(node->mase_type));
        weir_table_add(table, node->mase_op);
        weir_table_add(table, value_type(weir_fx_view_graph(view), node));
    }
    weir_table_print(table, WEIR_TABLE_PIPE, text);
    weir_table_free(table);
}

bool weir_pass_report_node_type(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    return weir_mase_report(context, graph, weir_report_node_type, "");
}
