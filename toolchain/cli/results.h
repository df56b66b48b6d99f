/* What `eval` and `sim` write: a model's outputs, one row a frame. */
#ifndef WEIR_CLI_RESULTS_H
#define WEIR_CLI_RESULTS_H

#include "ir/graph/graph.h"

/* OUT.npz gets all outputs by their names, OUT.npy the only one. False after a reported error. */
bool weir_results_write(const char *path, const weir_graph *graph, weir_array *const *results);
/* As text on stdout; several outputs each under a comment with its name. */
void weir_results_print(const weir_graph *graph, weir_array *const *results);

#endif
