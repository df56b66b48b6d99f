/* Frames for the inputs of a graph from data files, and runs with a visitor. README.md ("Data") documents which array
 * of a file belongs to which input. */
#ifndef WEIR_COSIM_FRAMES_H
#define WEIR_COSIM_FRAMES_H

#include "exec/exec.h"

/* Arrays read from files. Those of inputs have the same number of frames, and every element of them is finite. */
typedef struct weir_frames weir_frames;

/* `source` is a file (.npy, .npz, FILE.npz:KEY, .csv, .csv.gz), or NAME=FILE for each input, separated by commas or
 * line ends. NULL after a reported error. */
weir_frames *weir_frames_read(const weir_graph *graph, const char *source);
void weir_frames_free(weir_frames *frames);
int64_t weir_frames_count(const weir_frames *frames);
/* One array for each input of the graph, in its order; [frames, ...] or the only frame itself. */
const weir_array *const *weir_frames_arrays(const weir_frames *frames);
/* Frame `index` of every input, converted to the graph's types, as heap arrays in one; NULL after a reported error. */
weir_array **weir_frames_frame(const weir_frames *frames, const weir_graph *graph, int64_t index);
void weir_frames_free_frame(const weir_graph *graph, weir_array **frame);
/* The array that has the frames' labels, going by its name, and that name; NULL: there is none. */
const weir_array *weir_frames_labels(const weir_frames *frames, const char **name);
/* The file that input 0 comes from, for messages. */
const char *weir_frames_file(const weir_frames *frames);

/* Called after each frame; false, after a reported error, ends the run. */
typedef bool weir_frames_visitor(void *user, const weir_executor *executor);

/* Runs the graph on the first `limit` frames of the source (0: all), or, when it is empty and with a warning, on one
 * frame of random numbers; `user` goes to the visitor. Returns how many frames ran, at least one, or -1 after a
 * reported error. */
int64_t weir_frames_run(const weir_graph *graph, const char *source, int64_t limit, weir_frames_visitor *visit,
                        void *user);

#endif
