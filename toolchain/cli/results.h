/* What `eval` and `sim` write: a model's outputs, one row a frame. */
#ifndef WEIR_CLI_RESULTS_H
#define WEIR_CLI_RESULTS_H

#include "cosim/reference.h"

/* OUT.npz gets all outputs by their names, OUT.npy the only one. False after a reported error. */
bool weir_results_write(const char *path, const weir_graph *graph, weir_array *const *results);
/* The same from codes of every hardware output for the first `frames` frames of the reference, as weir_decode takes
 * them. */
bool weir_results_write_codes(const char *path, const weir_graph *hardware, const weir_reference *reference,
                              const int64_t *const *codes, int64_t frames);
/* As text on stdout; several outputs each under a comment with its name. */
void weir_results_print(const weir_graph *graph, weir_array *const *results);

#endif
