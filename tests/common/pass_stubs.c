#include "common/pass_stubs.h"

#include "ir/graph/graph.h"

weir_text passes_that_ran;

static bool log_name(const weir_pass *pass) {
    weir_text_format(&passes_that_ran, "%s ", weir_pass_name(pass));
    return true;
}

bool log_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    if (weir_module_graph_count(weir_pass_module_of(context)) <= 1) return log_name(pass);
    weir_text_format(&passes_that_ran, "%s[%s] ", weir_pass_name(pass), weir_graph_name(graph));
    return true;
}

bool log_module(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)context, (void)module;
    return log_name(pass);
}

bool log_design(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)context, (void)design;
    return log_name(pass);
}

bool keep_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)graph;
    weir_pass_unchanged(context);
    return true;
}

bool touch_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context, (void)graph;
    return true;
}

bool touch_module(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    (void)pass, (void)context, (void)module;
    return true;
}

bool touch_design(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass, (void)context, (void)design;
    return true;
}

bool fail_on_graph(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context, (void)graph;
    return false;
}

bool break_order(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass, (void)context;
    weir_graph_move_before(graph, weir_graph_last(graph), weir_graph_first(graph));
    return true;
}
