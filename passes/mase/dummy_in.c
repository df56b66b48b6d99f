#include "passes/mase/dummy_in.h"

#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "cosim/random_input.h"
#include "support/memory/arena.h"

/* ---- from a file ---- */

static bool read_inputs(const weir_graph *graph, const char *path, weir_archive *inputs) {
    weir_frames *frames = weir_frames_read(graph, path);
    weir_array **frame = frames == NULL ? NULL : weir_frames_frame(frames, graph, 0);
    for (size_t i = 0; frame != NULL && i < weir_graph_input_count(graph); i++) {
        weir_archive_add(inputs, weir_value_name(graph, weir_graph_input(graph, i)), frame[i]);
        frame[i] = NULL;
    }
    bool fine = frame != NULL;
    weir_frames_free_frame(graph, frame);
    weir_frames_free(frames);
    return fine;
}

bool weir_dummy_in_make(const weir_graph *graph, const char *path, uint64_t seed, weir_archive *inputs) {
    weir_archive_init(inputs);
    if (*path != '\0') return read_inputs(graph, path, inputs);
    weir_random_frame(graph, seed, inputs);
    return true;
}

/* ---- kept with the module ---- */

static void release(void *data) {
    weir_archive_free(data);
    free(data);
}

/* Name of the side data. Heap memory. */
static char *key_of(const weir_graph *graph) { return weir_format("dummy_in %s", weir_graph_name(graph)); }

void weir_dummy_in_keep(weir_module *module, const weir_graph *graph, weir_archive *inputs) {
    weir_archive *kept = weir_malloc(sizeof *kept);
    char *key = key_of(graph);
    *kept = *inputs;
    weir_module_set_data(module, key, kept, release);
    weir_archive_init(inputs);
    free(key);
}

void weir_dummy_in_drop(weir_module *module, const weir_graph *graph) {
    char *key = key_of(graph);
    weir_module_set_data(module, key, NULL, NULL);
    free(key);
}

weir_executor *weir_dummy_in_run(const weir_module *module, const weir_graph *graph) {
    char *key = key_of(graph);
    const weir_archive *kept = weir_module_data(module, key);
    free(key);
    size_t count = weir_graph_input_count(graph);
    const weir_array **frame = weir_calloc(count, sizeof *frame);
    bool fits = kept != NULL;
    for (size_t i = 0; fits && i < count; i++) {
        const weir_type *type = weir_value_type(graph, weir_graph_input(graph, i));
        frame[i] = weir_archive_find(kept, weir_value_name(graph, weir_graph_input(graph, i)));
        fits = frame[i] != NULL && frame[i]->dtype == type->dtype && weir_shape_equal(&frame[i]->shape, &type->shape);
    }
    weir_executor *executor = fits ? weir_executor_new(graph) : NULL;
    if (executor != NULL && !weir_executor_run(executor, frame)) {
        weir_executor_free(executor);
        executor = NULL;
    }
    free(frame);
    return executor;
}
