/* Frames that the engines run in a second of one processor's time: engine GRAPH.weir FRAMES [SECONDS]. FRAMES a call,
 * of random inputs; the graph is loaded and its executor made before the time is taken. A line: the best of five parts
 * of the time. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "exec/exec.h"
#include "ir/graph/print.h"
#include "support/memory/arena.h"

enum { PARTS = 5 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Codes of the proven range, real numbers between 0 and 1. */
static weir_array *random_frames(const weir_graph *graph, size_t input, int64_t frames) {
    const weir_type *type = weir_value_type(graph, weir_graph_input(graph, input));
    size_t count = 0;
    weir_shape_count(&type->shape, &count);
    weir_array *data = weir_array_new(type->dtype, &(weir_shape){2, {frames, (int64_t)count}});
    const uint64_t span = type->has_range ? (uint64_t)(type->high - type->low) + 1 : 1;
    uint64_t state = 1;
    for (size_t i = 0; i < data->count; i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        if (weir_dtype_is_float(type->dtype)) weir_array_set(data, i, (double)(state >> 40) * 0x1p-24);
        else weir_array_set_int(data, i, type->low + (int64_t)((state >> 33) % span));
    }
    return data;
}

static void run(weir_executor *executor, const weir_graph *graph, const weir_array *const *data) {
    weir_array **results = weir_calloc(weir_graph_output_count(graph), sizeof *results);
    if (!weir_executor_run_batch(executor, data, 0, results)) exit(1);
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) weir_array_free(results[i]);
    free(results);
}

/* Frames a second. */
static double rate(weir_executor *executor, const weir_graph *graph, const weir_array *const *data, int64_t frames,
                   double seconds) {
    const double start = now();
    double spent = 0;
    int64_t done = 0;
    while (spent < seconds) {
        run(executor, graph, data);
        done += frames;
        spent = now() - start;
    }
    return (double)done / spent;
}

int main(int argc, char **argv) {
    const int64_t frames = argc > 2 ? atoll(argv[2]) : 0;
    const double seconds = argc > 3 ? atof(argv[3]) : 1;
    if (frames < 1) {
        fprintf(stderr, "usage: engine GRAPH.weir FRAMES [SECONDS]\n");
        return 2;
    }
    weir_graph *graph = weir_graph_load(argv[1]);
    weir_executor *executor = graph == NULL ? NULL : weir_executor_new(graph);
    if (executor == NULL) return 1;
    const size_t inputs = weir_graph_input_count(graph);
    weir_array **data = weir_calloc(inputs, sizeof *data);
    for (size_t i = 0; i < inputs; i++) data[i] = random_frames(graph, i, frames);
    double best = 0;
    run(executor, graph, (const weir_array *const *)data);
    for (int i = 0; i < PARTS; i++) {
        const double found = rate(executor, graph, (const weir_array *const *)data, frames, seconds / PARTS);
        best = found > best ? found : best;
    }
    printf("%.0f\n", best);
    for (size_t i = 0; i < inputs; i++) weir_array_free(data[i]);
    free(data);
    weir_executor_free(executor);
    weir_graph_free(graph);
    return 0;
}
