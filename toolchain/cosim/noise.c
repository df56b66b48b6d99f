#include "cosim/noise.h"

#include <math.h>
#include <stdlib.h>

#include "exec/elementary.h"
#include "exec/exec.h"
#include "support/memory/arena.h"

/* Sums over all frames of a value. */
typedef struct noise {
    double signal, power, largest, error, sum; /* of squares twice; maxima; of absolute differences */
    double count;
} noise;

/* The value of the quantized graph that stands for output 0 of the node; none: it has none. */
static weir_value partner_of(const weir_graph *model, const weir_graph *quantized, weir_node node) {
    const weir_value value = weir_node_output(model, node, 0);
    const weir_value other = weir_graph_find_value(quantized, weir_value_name(model, value));
    if (other.id == 0 || weir_value_producer(quantized, other).id == 0) return WEIR_NO_VALUE;
    const weir_type *type = weir_value_type(model, value), *found = weir_value_type(quantized, other);
    const bool is_same = weir_dtype_is_float(type->dtype) && weir_dtype_is_float(found->dtype) &&
                         weir_shape_equal(&type->shape, &found->shape);
    return is_same ? other : WEIR_NO_VALUE;
}

static void compare(noise *n, const weir_array *real, const weir_array *quantized) {
    for (size_t i = 0; i < real->count; i++) {
        const double a = weir_array_get(real, i), b = weir_array_get(quantized, i), difference = fabs(a - b);
        n->signal += a * a;
        n->power += difference * difference;
        n->sum += difference;
        n->largest = fmax(n->largest, fabs(a));
        n->error = fmax(n->error, difference);
    }
    n->count += (double)real->count;
}

static bool run_frame(weir_executor *const *executor, const weir_graph *const *graph, const weir_array *const *data,
                      int64_t frame, noise *found) {
    const size_t count = weir_graph_input_count(graph[0]);
    weir_array **input = weir_calloc(count + 1, sizeof *input);
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        input[i] = weir_executor_frame_of(graph[0], i, data[i], frame);
        fine = input[i] != NULL;
    }
    for (size_t g = 0; fine && g < 2; g++) fine = weir_executor_run(executor[g], (const weir_array *const *)input);
    for (weir_node node = weir_graph_first(graph[0]); fine && node.id != 0; node = weir_node_next(graph[0], node)) {
        const weir_value other = partner_of(graph[0], graph[1], node);
        if (other.id != 0)
            compare(&found[node.id], weir_executor_value(executor[0], weir_node_output(graph[0], node, 0)),
                    weir_executor_value(executor[1], other));
    }
    for (size_t i = 0; i < count; i++) weir_array_free(input[i]);
    free(input);
    return fine;
}

static json_t *list(const weir_graph *model, const noise *found) {
    json_t *all = json_array();
    for (weir_node node = weir_graph_first(model); node.id != 0; node = weir_node_next(model, node)) {
        const noise *n = &found[node.id];
        if (n->count == 0) continue;
        const bool is_finite = n->power > 0 && n->signal > 0 && isfinite(n->power) && isfinite(n->signal);
        json_array_append_new(
            all, json_pack("{s:s, s:s, s:o, s:f, s:f, s:f}", "node", weir_node_name(model, node), "operator",
                           weir_node_info(model, node)->full_name, "sqnr_db",
                           is_finite ? json_real(10 * weir_elementary_log10(n->signal / n->power)) : json_null(),
                           "max_absolute", n->error, "mean_absolute", n->sum / n->count, "largest", n->largest));
    }
    return all;
}

json_t *weir_noise_json(const weir_graph *model, const weir_graph *quantized, const weir_array *const *data,
                        int64_t frames) {
    const weir_graph *const graph[] = {model, quantized};
    weir_executor *executor[] = {weir_executor_new(model), weir_executor_new(quantized)};
    noise *found = weir_calloc(weir_graph_node_limit(model), sizeof *found);
    bool fine = executor[0] != NULL && executor[1] != NULL;
    for (int64_t frame = 0; fine && frame < frames && frame < WEIR_NOISE_FRAMES; frame++)
        fine = run_frame(executor, graph, data, frame, found);
    json_t *all = fine ? list(model, found) : NULL;
    for (size_t g = 0; g < 2; g++) weir_executor_free(executor[g]);
    free(found);
    return all;
}
