/* What the report passes share: where a report goes. */
#include "passes/mase/report.h"

#include <stdlib.h>

#include "support/file/file.h"

/* Before the report of a graph after the first: the reports of the others, which the file has already. */
static bool prepend(weir_text *text, const char *file) {
    size_t size;
    char *before = weir_file_read(file, &size);
    if (before == NULL) return false;
    weir_text_add_n(text, before, size);
    free(before);
    return true;
}

bool weir_report_deliver(weir_pass_context *context, const weir_graph *graph, weir_text *report, const char *file) {
    const weir_module *module = weir_pass_module_of(context);
    const bool alone = weir_module_graph_count(module) == 1, first = weir_module_graph(module, 0) == graph;
    weir_text text = {NULL, 0, 0};
    bool fine = *file == '\0' || first || prepend(&text, file);
    weir_text *to = *file == '\0' ? weir_pass_output(context) : &text;
    if (!alone) weir_text_format(to, "graph '%s'\n", weir_graph_name(graph));
    weir_text_add_n(to, report->data, report->size);
    fine = fine && (*file == '\0' || weir_file_write(file, text.data, text.size));
    weir_text_free(&text);
    weir_text_free(report);
    return fine;
}

bool weir_mase_report(weir_pass_context *context, const weir_graph *graph, weir_report_writer *write,
                      const char *file) {
    weir_text report = {NULL, 0, 0};
    weir_fx_view *view = weir_fx_view_new(graph);
    write(view, &report);
    weir_fx_view_free(view);
    return weir_report_deliver(context, graph, &report, file);
}
