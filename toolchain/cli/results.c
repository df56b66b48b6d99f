#include "cli/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

static bool write_archive(const char *path, const weir_graph *graph, weir_array *const *results) {
    weir_archive archive;
    weir_archive_init(&archive);
    for (size_t i = 0; i < weir_graph_output_count(graph); i++)
        weir_archive_add(&archive, weir_graph_output_name(graph, i), weir_array_copy(results[i]));
    bool fine = weir_npz_write(path, &archive);
    weir_archive_free(&archive);
    return fine;
}

bool weir_results_write(const char *path, const weir_graph *graph, weir_array *const *results) {
    size_t size = strlen(path), count = weir_graph_output_count(graph);
    if (size > 4 && strcmp(path + size - 4, ".npz") == 0) return write_archive(path, graph, results);
    if (count == 1) return weir_npy_write(path, results[0]);
    weir_error(weir_at(path, 0), "the model has %zu outputs, expected a file OUT.npz for them", count);
    return false;
}

bool weir_results_write_codes(const char *path, const weir_graph *hardware, const weir_reference *reference,
                              const int64_t *const *codes, int64_t frames) {
    const size_t count = weir_graph_output_count(hardware);
    weir_array **decoded = weir_calloc(count, sizeof *decoded);
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        decoded[i] = weir_decode(hardware, reference, codes, frames, i);
        fine = decoded[i] != NULL;
    }
    fine = fine && weir_results_write(path, hardware, decoded);
    for (size_t i = 0; i < count; i++) weir_array_free(decoded[i]);
    free(decoded);
    return fine;
}

static void print(const weir_array *result) {
    size_t row = result->shape.rank > 1 && result->shape.dim[0] > 0 ? result->count / (size_t)result->shape.dim[0] : 1;
    for (size_t i = 0; i < result->count; i++)
        printf("%.9g%c", weir_array_get(result, i), (i + 1) % row == 0 ? '\n' : ' ');
}

void weir_results_print(const weir_graph *graph, weir_array *const *results) {
    size_t count = weir_graph_output_count(graph);
    for (size_t i = 0; i < count; i++) {
        if (count > 1) printf("# %s\n", weir_graph_output_name(graph, i));
        print(results[i]);
    }
}
