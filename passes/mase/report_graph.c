/* report_graph: the graph as torch.fx shows it: a table, the syntax, how many nodes of each kind. */
#include "passes/mase/report.h"

#include "ir/trait/mase.h"
#include "passes/mase/python.h"
#include "passes/passes.h"
#include "support/text/table.h"

/* "(x,)", "(a, b)", "((a, b),)" for several results: the operands as Python prints a tuple. */
static void print_args(const weir_fx_view *view, const weir_fx_node *node, const char *before, weir_text *text) {
    size_t count = weir_fx_operand_count(view, node);
    bool nested = node->op == WEIR_FX_OUTPUT && count > 1;
    weir_text_add(text, nested ? "((" : "(");
    for (size_t i = 0; i < count; i++) {
        weir_text_add(text, i == 0 ? before : ", ");
        if (i > 0) weir_text_add(text, before);
        weir_fx_value_name(view, weir_fx_operand(view, node, i), text);
    }
    weir_text_add(text, nested ? "),)" : count == 1 ? ",)" : ")");
}

/* The settings of a call: attributes, then those that ONNX passes as constants. Modules keep theirs. A new object. */
static json_t *settings_of(const weir_graph *graph, const weir_fx_node *node) {
    if (node->op != WEIR_FX_CALL_FUNCTION) return json_object();
    json_t *settings = weir_mase_settings(graph, node->node);
    for (size_t i = 0; i < weir_node_input_count(graph, node->node); i++) {
        char name[WEIR_MASE_NAME_SIZE];
        if (weir_mase_input(graph, node->node, i, name) != WEIR_MASE_SETTING) continue;
        const weir_array *constant = weir_mase_constant(graph, weir_node_input(graph, node->node, i));
        if (constant != NULL) json_object_set_new(settings, name, weir_python_tensor(constant));
    }
    return settings;
}

static void print_summary(const weir_fx_view *view, weir_text *text) {
    static const char *const headers[] = {"opcode", "name", "target", "args", "kwargs"};
    weir_table *table = weir_table_new(headers, 5);
    weir_text cell = {NULL, 0, 0};
    for (size_t i = 0; i < weir_fx_view_count(view); i++) {
        const weir_fx_node *node = weir_fx_view_at(view, i);
        json_t *settings = settings_of(weir_fx_view_graph(view), node);
        weir_table_add(table, weir_fx_op_name(node->op));
        weir_table_add(table, node->name);
        weir_fx_target_shown(view, node, &cell);
        weir_table_take(table, &cell);
        print_args(view, node, "", &cell);
        weir_table_take(table, &cell);
        weir_python_print(settings, &cell);
        weir_table_take(table, &cell);
        json_decref(settings);
    }
    weir_table_print(table, WEIR_TABLE_PIPE, text);
    weir_table_free(table);
}

/* {start_dim: 1, end_dim: -1}: names without quotes, unlike a Python dictionary. */
static void print_settings(const weir_graph *graph, const weir_fx_node *node, weir_text *text) {
    json_t *settings = settings_of(graph, node), *value;
    const char *name, *before = "";
    weir_text_char(text, '{');
    json_object_foreach(settings, name, value) {
        weir_text_format(text, "%s%s: ", before, name);
        weir_python_print(value, text);
        before = ", ";
    }
    weir_text_char(text, '}');
    json_decref(settings);
}

static void print_syntax(const weir_fx_view *view, weir_text *text) {
    size_t last = weir_fx_view_count(view) - 1;
    weir_text_add(text, "graph():\n");
    for (size_t i = 0; i < last; i++) {
        const weir_fx_node *node = weir_fx_view_at(view, i);
        weir_text_format(text, "    %%%s : [num_users=%zu] = %s[target=", node->name, weir_fx_user_count(view, node),
                         weir_fx_op_name(node->op));
        weir_fx_target(view, node, text);
        weir_text_char(text, ']');
        if (node->node.id != 0) {
            weir_text_add(text, "(args = ");
            print_args(view, node, "%", text);
            weir_text_add(text, ", kwargs = ");
            print_settings(weir_fx_view_graph(view), node, text);
            weir_text_char(text, ')');
        }
        weir_text_char(text, '\n');
    }
    const weir_fx_node *output = weir_fx_view_at(view, last);
    size_t count = weir_fx_operand_count(view, output);
    weir_text_add(text, count > 1 ? "    return (" : "    return ");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) weir_text_add(text, ", ");
        weir_fx_value_name(view, weir_fx_operand(view, output, i), text);
    }
    weir_text_add(text, count > 1 ? ")\n" : "\n");
}

static void print_overview(const weir_fx_view *view, weir_text *text) {
    json_t *overview = json_object(), *types = json_array();
    for (int op = 0; op < WEIR_FX_OP_COUNT; op++) {
        json_int_t nodes = 0;
        for (size_t i = 0; i < weir_fx_view_count(view); i++) nodes += weir_fx_view_at(view, i)->op == (weir_fx_op)op;
        json_object_set_new(overview, weir_fx_op_name((weir_fx_op)op), json_integer(nodes));
    }
    for (size_t i = 0; i < weir_fx_view_count(view); i++) {
        const weir_fx_node *node = weir_fx_view_at(view, i);
        if (node->op == WEIR_FX_CALL_MODULE) json_array_append_new(types, json_string(node->mase_op));
    }
    weir_text_add(text, "Network overview: ");
    weir_python_print(overview, text);
    weir_text_add(text, "\nLayer types: ");
    weir_python_print(types, text);
    weir_text_char(text, '\n');
    json_decref(overview);
    json_decref(types);
}

void weir_report_graph(const weir_fx_view *view, weir_text *text) {
    weir_text_add(text, "Graph Summary\n");
    print_summary(view, text);
    weir_text_add(text, "\nGraph Syntax\n");
    print_syntax(view, text);
    weir_text_add(text, "\nGraph Overview\n");
    print_overview(view, text);
}

bool weir_pass_report_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    return weir_mase_report(context, graph, weir_report_graph, weir_pass_string(pass, "file_name"));
}
