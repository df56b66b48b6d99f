#include "passes/analysis/dummy_in.h"

#include <stdlib.h>
#include <string.h>

#include "passes/frames.h"
#include "support/arena.h"

/* ---- made up ---- */

/* SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014). */
static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static weir_array *random_array(const weir_type *type, uint64_t *state) {
    weir_array *array = weir_array_new(type->dtype, &type->shape);
    int64_t low = 0, high = 1;
    if (type->has_range) {
        low = type->low;
        high = type->high;
    } else if (type->quant.format != WEIR_FORMAT_FLOAT) {
        weir_quant_limits(&type->quant, &low, &high);
    } else if (type->dtype != WEIR_BOOL && !weir_dtype_is_float(type->dtype)) {
        weir_dtype_limits(type->dtype, &low, &high);
    }
    uint64_t span = (uint64_t)high - (uint64_t)low + 1; /* 0: all of 64 bits */
    for (size_t i = 0; i < array->count; i++) {
        uint64_t bits = next(state);
        if (weir_dtype_is_float(type->dtype)) weir_array_set(array, i, (double)(bits >> 11) * 0x1p-52 - 1);
        else weir_array_set_int(array, i, (int64_t)((uint64_t)low + (span == 0 ? bits : bits % span)));
    }
    return array;
}

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
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        weir_value input = weir_graph_input(graph, i);
        weir_archive_add(inputs, weir_value_name(graph, input), random_array(weir_value_type(graph, input), &seed));
    }
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
