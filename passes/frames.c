#include "passes/frames.h"

#include <stdlib.h>

#include "passes/analysis/dummy_in.h"
#include "support/arena.h"

enum { RANDOM_SEED = 1 };

static int64_t run(weir_executor *executor, const weir_graph *graph, const weir_array *data, int64_t frames,
                   weir_frames_visitor *visit, void *user) {
    for (int64_t i = 0; i < frames; i++) {
        weir_array *frame = weir_executor_frame(graph, data, i);
        const weir_array *inputs[1] = {frame};
        bool fine = frame != NULL && weir_executor_run(executor, inputs) && visit(user, executor);
        weir_array_free(frame);
        if (!fine) return -1;
    }
    return frames;
}

/* One frame of random numbers for all inputs. */
static int64_t run_random(const weir_graph *graph, weir_frames_visitor *visit, void *user) {
    weir_warning(weir_at(weir_graph_source(graph), 0), "no data for graph '%s': one frame of random numbers, seed %d",
                 weir_graph_name(graph), RANDOM_SEED);
    weir_archive inputs;
    size_t count = weir_graph_input_count(graph);
    const weir_array **frame = weir_calloc(count, sizeof *frame);
    weir_executor *executor = weir_executor_new(graph);
    bool fine = executor != NULL && weir_dummy_in_make(graph, "", RANDOM_SEED, &inputs);
    if (fine) {
        for (size_t i = 0; i < count; i++)
            frame[i] = weir_archive_find(&inputs, weir_value_name(graph, weir_graph_input(graph, i)));
        fine = weir_executor_run(executor, frame) && visit(user, executor);
        weir_archive_free(&inputs);
    }
    weir_executor_free(executor);
    free(frame);
    return fine ? 1 : -1;
}

int64_t weir_frames_run(const weir_graph *graph, const char *path, int64_t limit, weir_frames_visitor *visit,
                        void *user) {
    if (*path == '\0') return run_random(graph, visit, user);
    if (weir_graph_input_count(graph) != 1) {
        weir_error(weir_at(weir_graph_source(graph), 0), "expected a model with one input, found %zu",
                   weir_graph_input_count(graph));
        return -1;
    }
    weir_array *data = weir_array_read(path, NULL);
    if (data == NULL) return -1;
    weir_executor *executor = weir_executor_new(graph);
    int64_t frames = executor == NULL ? -1 : weir_executor_frames(graph, data);
    if (limit > 0 && frames > limit) frames = limit;
    if (frames > 0) frames = run(executor, graph, data, frames, visit, user);
    else if (frames == 0) weir_error(weir_at(path, 0), "expected at least one frame of data");
    weir_executor_free(executor);
    weir_array_free(data);
    return frames > 0 ? frames : -1;
}
