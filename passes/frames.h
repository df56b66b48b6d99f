/* Frames of a data file through a graph, for passes that watch what flows. */
#ifndef WEIR_PASSES_FRAMES_H
#define WEIR_PASSES_FRAMES_H

#include "exec/exec.h"

/* Called after each frame; false, after a reported error, ends the run. */
typedef bool weir_frames_visitor(void *user, const weir_executor *executor);

/* Runs the graph, which must have one input, on the first `limit` frames of the file (0: all), or, when the path is
 * empty and with a warning, any graph on one frame of random numbers; `user` goes to the visitor. Returns how many frames ran, at least one, or -1 after a reported error. */
int64_t weir_frames_run(const weir_graph *graph, const char *path, int64_t limit, weir_frames_visitor *visit,
                        void *user);

#endif
