/* report_node_meta_param: all metadata of each node, as Python prints it. */
#include <stdlib.h>
#include <string.h>

#include "passes/mase/dummy_in.h"
#include "passes/mase/metadata/node_meta.h"
#include "passes/mase/python.h"
#include "passes/mase/report.h"
#include "passes/passes.h"
#include "support/text/suggest.h"
#include "support/text/table.h"

enum { CELL_WIDTH = 80 };

/* Which groups the words name, separated by commas, in parentheses or not, as MASE's tuples are written; false after a
 * reported error. */
static bool read_which(const char *text, bool wanted[WEIR_META_GROUPS]) {
    static const char *const words[] = {"common", "software", "hardware", "all"};
    memset(wanted, 0, WEIR_META_GROUPS * sizeof *wanted);
    bool any = false;
    for (const char *at = text; *(at += strspn(at, " ,()[]'\"")) != '\0';) {
        char word[32];
        size_t size = strcspn(at, " ,()[]'\""), index = 0;
        snprintf(word, sizeof word, "%.*s", (int)size, at);
        while (index < 4 && strcmp(words[index], word) != 0) index++;
        if (index == 4) {
            const char *near = weir_suggest(word, words, 4);
            weir_error(WEIR_NOWHERE, "which: expected all, common, hardware or software, found '%s'", word);
            if (near != NULL) weir_note("did you mean '%s'?", near);
            return false;
        }
        for (size_t i = 0; i < WEIR_META_GROUPS; i++) wanted[i] |= index == 3 || index == i;
        any = true;
        at += size;
    }
    if (!any) weir_error(WEIR_NOWHERE, "which: expected all, common, hardware or software, found nothing");
    return any;
}

static void add_row(weir_table *table, const weir_fx_view *view, const weir_fx_node *node, const bool *wanted,
                    const weir_executor *values) {
    weir_text cell = {NULL, 0, 0};
    weir_table_add(table, node->name);
    weir_table_add(table, weir_fx_op_name(node->op));
    weir_table_add(table, weir_mase_type_name(node->mase_type));
    weir_table_add(table, node->mase_op);
    for (int i = 0; i < WEIR_META_GROUPS; i++) {
        if (!wanted[i]) continue;
        json_t *record = weir_node_meta(view, node, (weir_meta_group)i, values);
        weir_python_print_lines(record, CELL_WIDTH, &cell);
        weir_table_take(table, &cell);
        json_decref(record);
    }
}

void weir_report_node_meta_param(const weir_fx_view *view, const bool wanted[WEIR_META_GROUPS],
                                 const weir_executor *values, weir_text *text) {
    static const char *const titles[WEIR_META_GROUPS] = {"Common Param", "Software Param", "Hardware Param"};
    const char *headers[4 + WEIR_META_GROUPS] = {"Node name", "Fx Node op", "Mase type", "Mase op"};
    size_t columns = 4;
    for (int i = 0; i < WEIR_META_GROUPS; i++)
        if (wanted[i]) headers[columns++] = titles[i];
    weir_table *table = weir_table_new(headers, columns);
    for (size_t i = 0; i < weir_fx_view_count(view); i++)
        add_row(table, view, weir_fx_view_at(view, i), wanted, values);
    weir_table_print(table, WEIR_TABLE_GRID, text);
    weir_table_free(table);
}

bool weir_pass_report_node_meta_param(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    bool wanted[WEIR_META_GROUPS];
    if (!read_which(weir_pass_string(pass, "which"), wanted)) return false;
    weir_text report = {NULL, 0, 0};
    weir_executor *values = weir_dummy_in_run(weir_pass_module_of(context), graph);
    weir_fx_view *view = weir_fx_view_new(graph);
    weir_report_node_meta_param(view, wanted, values, &report);
    weir_fx_view_free(view);
    weir_executor_free(values);
    return weir_report_deliver(context, graph, &report, weir_pass_string(pass, "save_path"));
}
