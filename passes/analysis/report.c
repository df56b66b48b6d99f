/* What the report passes share: where a report goes. */
#include "passes/analysis/report.h"

#include "support/file.h"

bool weir_report_run(const weir_pass *pass, weir_pass_context *context, const weir_graph *graph,
                     weir_report_writer *write, const char *option) {
    weir_text report = {NULL, 0, 0};
    const char *file = option == NULL ? "" : weir_pass_string(pass, option);
    weir_fx_view *view = weir_fx_view_new(graph);
    write(view, *file == '\0' ? weir_pass_output(context) : &report);
    bool fine = *file == '\0' || weir_file_write(file, report.data, report.size);
    weir_fx_view_free(view);
    weir_text_free(&report);
    return fine;
}
