/* The software reference: runs a graph frame by frame. Real tensors follow ONNX's definitions in float32, the
 * same bits on every machine; integer operators are exact and define the hardware. The same executor runs imported
 * graphs (float engine: quantization operators are executed as ONNX defines them) and lowered ones (integer engine). */
#ifndef WEIR_EXEC_H
#define WEIR_EXEC_H

#include "ir/graph/graph.h"

typedef struct weir_executor weir_executor;

/* Prepares buffers and kernels for the graph, which must have inferred types and outlive the executor. NULL after a
 * reported error (an operator without a kernel for its types). */
weir_executor *weir_executor_new(const weir_graph *graph);
/* The same for observed runs: values other than the graph's inputs and outputs live from the call for the node that
 * produces them to that for their last reader, which bounds the memory. */
weir_executor *weir_executor_new_passing(const weir_graph *graph);
/* The same with what its States hold in each step as further inputs, from weir_executor_give: nothing is repeated. */
weir_executor *weir_executor_new_open(const weir_graph *graph, bool passing);
/* The value of a State, all steps, for the runs that follow. */
void weir_executor_give(weir_executor *executor, weir_value state, const weir_array *data);
/* Is the node the value's last reader in a run? */
bool weir_executor_reads_last(const weir_executor *executor, weir_node node, weir_value value);
/* The next frame begins a sequence: States that are kept have their initial values. */
void weir_executor_restart(weir_executor *executor);
void weir_executor_free(weir_executor *executor);
/* One frame: input i is an array of the graph input's type. Results are read with weir_executor_value. */
bool weir_executor_run(weir_executor *executor, const weir_array *const *inputs);
/* The same with a call after each node that depends on the inputs. It may change the outputs, which later nodes then
 * read. */
typedef void weir_executor_watch(void *user, weir_node node, weir_array *const *outputs);
bool weir_executor_run_watched(weir_executor *executor, const weir_array *const *inputs, weir_executor_watch *watch,
                               void *user);
/* The value's content after the last run, after a batch of the graph's outputs only; owned by the executor. */
const weir_array *weir_executor_value(const weir_executor *executor, weir_value value);

/* The first `frames` frames of a batch, or all if there are fewer or it is 0: `data` has an array for each graph input,
 * with frames on its first axis and the input's elements on the rest. results[i] becomes output i as [frames,
 * ...elements of a frame] in the element type that the graph declares: heap arrays, NULL after a reported error. */
bool weir_executor_run_batch(weir_executor *executor, const weir_array *const *data, int64_t frames,
                             weir_array **results);
/* The same for a graph with one input: returns output `output`. */
weir_array *weir_executor_run_all(weir_executor *executor, const weir_array *data, int64_t frames, size_t output);
/* How many frames of every graph input the arrays hold, or -1 after a reported error. */
int64_t weir_executor_count_frames(const weir_graph *graph, const weir_array *const *data);
/* How many frames of the graph's first input `data` holds, or -1 after a reported error naming both shapes. */
int64_t weir_executor_frames(const weir_graph *graph, const weir_array *data);
/* Frame `index` of `data` as an array of the input's type (converted); heap array, NULL after a reported error. For the
 * first input, and for any. */
weir_array *weir_executor_frame(const weir_graph *graph, const weir_array *data, int64_t index);
weir_array *weir_executor_frame_of(const weir_graph *graph, size_t input, const weir_array *data, int64_t index);

#endif
