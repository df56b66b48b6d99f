/* MASE's dummy_in: one frame for every input of a graph, from a file or made up. */
#ifndef WEIR_PASSES_DUMMY_IN_H
#define WEIR_PASSES_DUMMY_IN_H

#include "exec/exec.h"
#include "pass/core/module.h"

/* Arrays of the types of the graph's inputs, under their names. `path` is an .npz with an entry for each input, or for
 * one input any data file, of which the first frame counts. Empty: random numbers that follow from the seed alone,
 * reals in [-1, 1), codes in their range. False after a reported error. The archive is initialized here; free it. */
bool weir_dummy_in_make(const weir_graph *graph, const char *path, uint64_t seed, weir_archive *inputs);

/* Keeps the frame with the module, for the graph of that name, and takes it over. Values are not kept: they follow. */
void weir_dummy_in_keep(weir_module *module, const weir_graph *graph, weir_archive *inputs);
void weir_dummy_in_drop(weir_module *module, const weir_graph *graph);
/* An executor that has run the graph on the frame kept for it; NULL when none is kept or it no longer fits. */
weir_executor *weir_dummy_in_run(const weir_module *module, const weir_graph *graph);

#endif
