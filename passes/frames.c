#include "passes/frames.h"

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

int64_t weir_frames_run(const weir_graph *graph, const char *path, int64_t limit, weir_frames_visitor *visit,
                        void *user) {
    if (weir_graph_input_count(graph) != 1) {
        weir_error(weir_at(weir_graph_source(graph), 0), "expected a model with one input, found %zu",
                   weir_graph_input_count(graph));
        return -1;
    }
    if (*path == '\0') {
        weir_error(weir_at(weir_graph_source(graph), 0), "running graph '%s' needs a data file",
                   weir_graph_name(graph));
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
