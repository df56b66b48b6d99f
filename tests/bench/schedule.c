/* What schedule and FIFO depths of a hardware graph cost, in milliseconds of processor time and megabytes that the
 * process grew:
 *   bench_schedule             ten Linears of 200,000 cycles a frame, in few and in many rows, with ten times the
 *                              beats; a chain and a residual ladder of 1,000 nodes and of 10,000
 *   bench_schedule small       the first of each */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "dataflow/folding.h"
#include "dataflow/schedule/schedule.h"
#include "ir/shape/infer.h"
#include "passes/passes.h"
#include "support/memory/arena.h"

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static weir_value add_constant(weir_graph *g, const char *name, weir_dtype dtype, int64_t rows, int64_t columns) {
    weir_array *array = weir_array_new(dtype, &(weir_shape){2, {rows, columns}});
    for (size_t i = 0; i < array->count; i++) weir_array_set_int(array, i, dtype == WEIR_INT8 ? 1 : (int64_t)i);
    weir_value value = weir_graph_add_constant(g, name, array);
    weir_array_free(array);
    return value;
}

static weir_value add(weir_graph *g, weir_op op, weir_value a, weir_value b) {
    weir_node node = weir_graph_add_node(g, op, "n", (weir_value[]){a, b}, 2, 1, WEIR_NO_NODE);
    if (op == WEIR_OP_THRESHOLD) weir_node_set_int(g, node, "base", -7);
    if (!weir_infer_node(g, node)) exit(1);
    return weir_node_output(g, node, 0);
}

/* `rows` rows of `width` elements through `layers` layers with `simd` * `pe` multipliers each, a branch around each or
 * not. */
static weir_graph *network(int layers, int64_t rows, int64_t width, int64_t simd, int64_t pe, bool residual) {
    weir_graph *g = weir_graph_new("hardware");
    weir_type type = {.dtype = WEIR_INT8, .shape = {2, {rows, width}}, .has_range = true, .low = -8, .high = 7};
    type.quant = (weir_quant){
        .format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .rounding = WEIR_ROUND_HALF_EVEN, .axis = -1};
    weir_value x = weir_graph_add_input(g, "x", &type);
    for (int i = 0; i < layers; i++) {
        weir_value y = add(g, WEIR_OP_LINEAR, x, add_constant(g, "w", WEIR_INT8, width, width));
        weir_settings *settings = &weir_node_metadata(g, weir_value_producer(g, y))->hardware.settings;
        weir_settings_set(settings, "simd", WEIR_SETTINGS_BEFORE_LANES, simd);
        weir_settings_set(settings, "pe", WEIR_SETTINGS_BEFORE_LANES, pe);
        y = add(g, WEIR_OP_THRESHOLD, y, add_constant(g, "t", WEIR_INT64, 1, 15));
        x = residual ? add(g, WEIR_OP_SUM, x, y) : y;
        if (residual) x = add(g, WEIR_OP_THRESHOLD, x, add_constant(g, "t", WEIR_INT64, 1, 15));
    }
    weir_graph_add_output(g, "y", x);
    if (!weir_choose_folding(g, INT64_MAX / 2, 0, NULL) || !weir_insert_streams(g)) exit(1);
    return g;
}

static void measure(const char *what, int layers, int64_t rows, int64_t width, int64_t simd, int64_t pe,
                    bool residual) {
    enum { RUNS = 5 };
    weir_graph *g = network(layers, rows, width, simd, pe, residual);
    double best = 1e9, before = megabytes(), sized = 0;
    int64_t steps = 0, interval = 0;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        weir_schedule *schedule = weir_schedule_new(g);
        double time = now() - start;
        if (schedule == NULL) exit(1);
        if (time < best) best = time;
        steps = weir_schedule_steps(schedule);
        interval = weir_schedule_interval(schedule);
        weir_schedule_free(schedule);
    }
    size_t nodes = weir_graph_node_count(g);
    double start = now();
    if (!weir_size_fifos(g)) exit(1);
    sized = now() - start;
    printf("%-30s %6zu %9lld %9.2f ms %9lld %9.2f ms %8.1f MB\n", what, nodes, (long long)interval, best,
           (long long)steps, sized, megabytes() - before);
    weir_graph_free(g);
}

int main(int argc, char **argv) {
    bool small = argc > 1 && strcmp(argv[1], "small") == 0;
    printf("%-30s %6s %9s %12s %9s %12s %11s\n", "", "nodes", "interval", "schedule", "steps", "with FIFOs", "memory");
    measure("ten Linears, one row", 10, 1, 448, 1, 1, false);
    measure("ten Linears, 50,000 rows", 10, 50000, 4, 2, 2, false);
    measure("chain", 500, 8, 16, 4, 4, false);
    measure("residual ladder", 200, 8, 16, 4, 4, true);
    if (small) return 0;
    measure("ten Linears, 500,000 rows", 10, 500000, 4, 2, 2, false);
    measure("chain", 5000, 8, 16, 4, 4, false);
    measure("residual ladder", 2000, 8, 16, 4, 4, true);
    return 0;
}
