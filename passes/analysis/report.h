/* MASE's reports as text, made by the passes report_* and shown by `weir show`. */
#ifndef WEIR_PASSES_REPORT_H
#define WEIR_PASSES_REPORT_H

#include "ir/fx.h"
#include "pass/context.h"
#include "pass/pass.h"

/* Each adds its report to the text. O(size of the graph). */
void weir_report_graph(const weir_fx_view *view, weir_text *text);     /* summary, syntax, overview */
void weir_report_node_type(const weir_fx_view *view, weir_text *text); /* MASE's type and operator */
void weir_report_node_shape(const weir_fx_view *view, weir_text *text);

/* What every report pass does: the text of the current graph goes to the context's output, or to the file of the pass's
 * option `option` when it names one (NULL: the pass has none). The graph is left as it is. */
typedef void weir_report_writer(const weir_fx_view *view, weir_text *text);
bool weir_report_run(const weir_pass *pass, weir_pass_context *context, const weir_graph *graph,
                     weir_report_writer *write, const char *option);

#endif
