/* The importer under fuzzing: whatever the bytes are, it returns a graph that verifies or at least one error, never
 * both and never neither. A graph that it returns comes back from the exporter as it was, where its batch is closed,
 * else well formed. */
#include <stdlib.h>

#include "common/round_trip.h"
#include "exec/evaluate.h"
#include "frontend/import/onnx.h"
#include "fuzz_onnx.h"
#include "ir/graph/graph.h"
#include "ir/graph/verify.h"
#include "mutate_onnx.h"
#include "support/text/diag.h"

static void ignore(void *user, const weir_diagnostic *diagnostic) {
    (void)user;
    (void)diagnostic;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    weir_diag_set_handler(ignore, NULL);
    const weir_onnx_options options = {.evaluate = weir_evaluate_node, .to_float32 = true};
    weir_graph *graph = weir_onnx_import_bytes(data, size, "fuzz.onnx", NULL, &options);
    if ((graph == NULL) == (weir_diag_errors() == 0)) abort();
    if (graph != NULL && !weir_graph_verify(graph)) abort();
    int accepted = graph != NULL;
    if (accepted && weir_graph_batch(graph) != NULL) { /* constants that count rows become open ones */
        weir_graph *open = read_back(graph);
        if (open == NULL || !weir_graph_verify(open)) abort();
        weir_graph_free(open);
        weir_graph_set_batch(graph, NULL);
    }
    if (accepted) {
        weir_graph *again = read_back(graph);
        if (again == NULL || !weir_graph_verify(again) || !same_graph(graph, again)) abort();
        weir_graph_free(again);
    }
    weir_graph_free(graph);
    weir_diag_set_handler(NULL, NULL);
    return accepted * WEIR_FUZZ_ACCEPTED;
}

#if WEIR_FUZZ_ACCEPTED == 0
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    uint64_t state = seed;
    size_t changed = seed % 2 == 0 ? weir_mutate_onnx(data, size, capacity, &state) : 0;
    return changed > 0 ? changed : LLVMFuzzerMutate(data, size, capacity);
}
#endif
