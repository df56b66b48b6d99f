/* MASE's reports as text, made by the passes report_* and shown by `weir show`. */
#ifndef WEIR_PASSES_REPORT_H
#define WEIR_PASSES_REPORT_H

#include "exec/exec.h"
#include "pass/core/context.h"
#include "passes/mase/fx.h"

/* Each adds its report to the text. O(size of the graph). */
void weir_report_graph(const weir_fx_view *view, weir_text *text);     /* summary, syntax, overview */
void weir_report_node_type(const weir_fx_view *view, weir_text *text); /* MASE's type and operator */
void weir_report_node_shape(const weir_fx_view *view, weir_text *text);
void weir_report_node_hardware_type(const weir_fx_view *view, weir_text *text); /* nodes that get a component */

void weir_report_node_meta_param(const weir_fx_view *view, const bool wanted[WEIR_META_GROUPS],
                                 const weir_executor *values, weir_text *text); /* `values`: node_meta.h */

/* Puts the report, which is released, into the file, or into the context's output when `file` is empty. Where a module
 * has several graphs the report is under the graph's name, and a file holds those of all graphs. False after a reported
 * error. */
bool weir_report_deliver(weir_pass_context *context, const weir_graph *graph, weir_text *report, const char *file);

/* What a pass does whose report needs the graph alone. */
typedef void weir_report_writer(const weir_fx_view *view, weir_text *text);
bool weir_mase_report(weir_pass_context *context, const weir_graph *graph, weir_report_writer *write, const char *file);

#endif
