/* Passes that tests run: they record that they ran, do nothing, or do one thing wrong. */
#ifndef WEIR_TEST_PASS_STUBS_H
#define WEIR_TEST_PASS_STUBS_H

#include "pass/core/context.h"
#include "support/text/text.h"

/* What the passes of the next three add: their names, with the graph's in brackets where the module has several. */
extern weir_text passes_that_ran;
bool log_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph);
bool log_module(const weir_pass *pass, weir_pass_context *context, weir_module *module);
bool log_design(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design);

/* These change nothing: the first one says so, for all that is known the others have changed everything. */
bool keep_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph);
bool touch_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph);
bool touch_module(const weir_pass *pass, weir_pass_context *context, weir_module *module);
bool touch_design(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design);

/* Fails without a word. */
bool fail_on_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph);
/* Puts the last node first: a use before its definition. */
bool break_order(const weir_pass *pass, weir_pass_context *context, weir_graph *graph);

#endif
