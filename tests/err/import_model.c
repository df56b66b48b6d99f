/* Imports a model and prints the graph: the command that tests/err/run drives until a better one is given.
 * usage: import_model MODEL.onnx [--batch N] [--bind FILE.npz]; exit status 0 with a graph that verifies, else 1. */
#include <stdlib.h>
#include <string.h>

#include "exec/evaluate.h"
#include "frontend/import/onnx.h"
#include "ir/graph/graph.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "support/text/text.h"

static int print_graph(const char *path, const weir_onnx_options *options) {
    weir_graph *graph = weir_onnx_import(path, options);
    if (graph == NULL) return WEIR_EXIT_INPUT;
    bool fine = weir_graph_verify(graph);
    weir_text text = {0};
    weir_graph_print(graph, &text);
    fputs(text.data, stdout);
    weir_text_free(&text);
    weir_graph_free(graph);
    return fine ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

int main(int count, char **argument) {
    weir_archive bindings;
    weir_onnx_options options = {.sizes.batch = 1, .evaluate = weir_evaluate_node, .to_float32 = true};
    weir_archive_init(&bindings);
    if (count < 2 || count % 2 != 0) return WEIR_EXIT_USAGE;
    for (int i = 2; i < count; i += 2) {
        if (strcmp(argument[i], "--batch") == 0) options.sizes.batch = strtoll(argument[i + 1], NULL, 10);
        else if (strcmp(argument[i], "--bind") != 0) return WEIR_EXIT_USAGE;
        else if (!weir_npz_read(argument[i + 1], &bindings)) return WEIR_EXIT_INPUT;
        else options.bindings = &bindings;
    }
    int status = print_graph(argument[1], &options);
    weir_archive_free(&bindings);
    return status;
}
