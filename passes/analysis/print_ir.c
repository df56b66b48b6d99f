/* print_ir: the graph as text on stderr, like TVM's PrintIR. Changes nothing. */
#include <stdio.h>

#include "ir/graph/print.h"
#include "passes/passes.h"
#include "support/text/text.h"

bool weir_pass_print_ir(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "print_ir(%s):\n", weir_pass_string(pass, "header"));
    weir_graph_print(graph, &text);
    fputs(text.data, stderr);
    weir_text_free(&text);
    weir_pass_unchanged(context);
    return true;
}
