#include "cli/contract.h"

#include <stdlib.h>

#include "cosim/frames.h"
#include "exec/parallel.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* Does the model have operators that are kernels on codes? */
static bool has_kernels(const weir_graph *source) {
    size_t count = 0;
    weir_graph *copy = weir_graph_copy(source);
    weir_diag_log *log = weir_diag_capture();
    const bool fine = weir_onnxruntime_kernels(copy, &count);
    weir_diag_release(log);
    weir_diag_log_free(log);
    weir_graph_free(copy);
    return fine && count > 0;
}

/* Elements that differ; the total goes to `all`. */
static int64_t count_different(weir_array *const *a, weir_array *const *b, size_t count, int64_t *all) {
    int64_t different = 0;
    for (size_t i = 0; i < count; i++) {
        *all += (int64_t)a[i]->count;
        for (size_t k = 0; k < a[i]->count; k++) different += weir_array_get(a[i], k) != weir_array_get(b[i], k);
    }
    return different;
}

static bool compare(const weir_graph *a, const weir_graph *b, const weir_cli_list *data, int64_t threads,
                    weir_contract_other *result) {
    const size_t count = weir_graph_output_count(a);
    weir_array **of_a = weir_calloc(count, sizeof *of_a), **of_b = weir_calloc(count, sizeof *of_b);
    char *source = weir_cli_list_join(data);
    weir_frames *frames = weir_frames_read(a, source);
    const bool fine = frames != NULL && weir_parallel_run(a, weir_frames_arrays(frames), 0, (size_t)threads, of_a) &&
                      weir_parallel_run(b, weir_frames_arrays(frames), 0, (size_t)threads, of_b);
    if (fine) result->changed = count_different(of_a, of_b, count, &result->outputs);
    for (size_t i = 0; i < count; i++) {
        weir_array_free(of_a[i]);
        weir_array_free(of_b[i]);
    }
    weir_frames_free(frames);
    free(source);
    free(of_a);
    free(of_b);
    return fine;
}

weir_contract_other weir_contract_compare(const weir_job *job, const weir_module *module, weir_graph *before,
                                          const weir_cli_list *data, int64_t threads) {
    const weir_graph *integer = weir_module_find_graph(module, "integer");
    weir_contract_other result = {.own = weir_graph_contract_of(integer)};
    result.other = result.own == WEIR_GRAPH_MODEL ? WEIR_GRAPH_ONNXRUNTIME : WEIR_GRAPH_MODEL;
    if (result.own == WEIR_GRAPH_MODEL && !has_kernels(weir_lower_source(module))) {
        weir_graph_free(before);
        return result;
    }
    weir_job again = *job; /* everything is said already */
    again.contract = weir_graph_contract_name(result.other);
    again.verify = again.timing = false;
    weir_module *other = weir_job_again(module, before);
    weir_diag_log *log = weir_diag_capture();
    if (weir_job_run(&again, other, "lower_integer") != WEIR_EXIT_FINE ||
        !compare(integer, weir_module_find_graph(other, "integer"), data, threads, &result))
        result.outputs = 0;
    weir_diag_release(log);
    weir_diag_log_free(log);
    weir_module_free(other);
    return result;
}

char *weir_contract_text(const weir_contract_other *result) {
    if (result->outputs == 0) return NULL;
    return weir_format("contract %s; of %lld outputs %lld differ by the contract %s",
                       weir_graph_contract_name(result->own), (long long)result->outputs, (long long)result->changed,
                       weir_graph_contract_name(result->other));
}
