/* Each thread runs a run of frames with an executor of its own. Should one fail, the batch runs again in one thread,
 * whose diagnostics are those of the first frame that is wrong. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "exec/parallel.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/exec.h"
#include "ir/trait/recurrence.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

enum { MOST_THREADS = 256 };

typedef struct part {
    const weir_graph *graph;
    weir_array *data; /* views of the frames, an input each */
    weir_array **results;
    bool fine;
} part;

/* Frames `first` to `first` + `count` of `frames`, where they are. */
static weir_array view_of(const weir_array *data, int64_t frames, int64_t first, int64_t count) {
    assert(frames > 0 && first >= 0 && count > 0 && first + count <= frames && data->shape.rank > 0);
    weir_array view = *data;
    const size_t each = data->count / (size_t)frames;
    view.count = each * (size_t)count;
    view.shape.dim[0] = data->shape.dim[0] / frames * count;
    view.data = (char *)data->data + (size_t)first * each * weir_dtype_size(data->dtype);
    return view;
}

static void *work(void *user) {
    part *p = user;
    const size_t inputs = weir_graph_input_count(p->graph);
    weir_diag_log *log = weir_diag_capture();
    weir_executor *executor = weir_executor_new(p->graph);
    const weir_array **data = weir_calloc(inputs, sizeof *data);
    for (size_t i = 0; i < inputs; i++) data[i] = &p->data[i];
    p->fine = executor != NULL && weir_executor_run_batch(executor, data, 0, p->results);
    free(data);
    weir_executor_free(executor);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return NULL;
}

static part new_part(const weir_graph *graph, const weir_array *const *data, int64_t frames, int64_t first,
                     int64_t count) {
    const size_t inputs = weir_graph_input_count(graph);
    part p = {.graph = graph, .data = weir_calloc(inputs, sizeof *p.data)};
    p.results = weir_calloc(weir_graph_output_count(graph), sizeof *p.results);
    for (size_t i = 0; i < inputs; i++) p.data[i] = view_of(data[i], frames, first, count);
    return p;
}

static void free_part(part *p) {
    for (size_t i = 0; i < weir_graph_output_count(p->graph); i++) weir_array_free(p->results[i]);
    free(p->results);
    free(p->data);
}

/* Part after part of output `output`. */
static weir_array *join(const part *parts, size_t count, size_t output, int64_t frames) {
    assert(count > 0);
    weir_shape shape = parts[0].results[output]->shape;
    shape.dim[0] = frames;
    weir_array *all = weir_array_new(parts[0].results[output]->dtype, &shape);
    char *to = all->data;
    for (size_t i = 0; i < count; i++) {
        const weir_array *from = parts[i].results[output];
        const size_t bytes = from->count * weir_dtype_size(from->dtype);
        memcpy(to, from->data, bytes);
        to += bytes;
    }
    return all;
}

static bool run_parts(const weir_graph *graph, const weir_array *const *data, int64_t found, int64_t frames,
                      size_t threads, weir_array **results) {
    assert(threads > 0 && threads <= MOST_THREADS && frames <= found);
    part parts[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    size_t started = 0;
    bool fine = true;
    for (size_t i = 0; i < threads; i++) {
        const int64_t first = frames * (int64_t)i / (int64_t)threads,
                      end = frames * (int64_t)(i + 1) / (int64_t)threads;
        parts[i] = new_part(graph, data, found, first, end - first);
    }
    while (started + 1 < threads && pthread_create(&thread[started], NULL, work, &parts[started]) == 0) started++;
    for (size_t i = started; i < threads; i++) work(&parts[i]);
    for (size_t i = 0; i < started; i++) pthread_join(thread[i], NULL);
    for (size_t i = 0; i < threads; i++) fine = fine && parts[i].fine;
    for (size_t o = 0; fine && o < weir_graph_output_count(graph); o++) results[o] = join(parts, threads, o, frames);
    for (size_t i = 0; i < threads; i++) free_part(&parts[i]);
    return fine;
}

/* Frames that go on from one another run one after another. */
static size_t threads_for(const weir_graph *graph, size_t asked, int64_t frames) {
    assert(frames >= 0);
    if (weir_recurrence_first_kept(graph).id != 0) return 1;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = asked > 0 ? asked : processors > 0 ? (size_t)processors : 1;
    if ((int64_t)threads > frames) threads = (size_t)frames;
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

bool weir_parallel_run(const weir_graph *graph, const weir_array *const *data, int64_t frames, size_t threads,
                       weir_array **results) {
    const int64_t found = weir_executor_count_frames(graph, data);
    memset(results, 0, weir_graph_output_count(graph) * sizeof *results);
    if (found < 0) return false;
    const int64_t wanted = frames == 0 || frames > found ? found : frames;
    const size_t count = threads_for(graph, threads, wanted);
    if (count > 1 && run_parts(graph, data, found, wanted, count, results)) return true;
    weir_executor *executor = weir_executor_new(graph);
    const bool fine = executor != NULL && weir_executor_run_batch(executor, data, wanted, results);
    weir_executor_free(executor);
    return fine;
}
