/* runtime_analysis: how well and how fast a model runs, on the float or the integer engine, or as hardware, where
 * runtime.h simulates, compares and measures. Figures have MASE's names; those that cannot be had are left out, and the
 * table and the record say why. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/runtime.h"
#include "exec/exec.h"
#include "passes/interface/interface.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"
#include "support/text/table.h"

/* Of one engine; NaN: not to be had. */
typedef struct figures {
    bool hardware, labelled;
    int64_t frames;
    weir_metrics metrics;
    double latency, throughput; /* milliseconds a batch, frames a second */
    double power, energy;
    double latency_cycles, interval, utilisation; /* of hardware */
} figures;

typedef struct row {
    const char *name;
    size_t figure;      /* offset in figures */
    bool of_hardware;   /* only hardware has it */
    const char *reason; /* why there may be none */
} row;

static const char no_labels[] = "the data has no labels that name classes";
static const char no_clock[] = "needs clock-frequency and a simulation of three frames or more";
static const char no_interval[] = "needs a simulation of three frames or more";

static const row rows[] = {
    {"Average Accuracy", offsetof(figures, metrics.accuracy), false, no_labels},
    {"Average Precision", offsetof(figures, metrics.precision), false, no_labels},
    {"Average Recall", offsetof(figures, metrics.recall), false, no_labels},
    {"Average F1 Score", offsetof(figures, metrics.f1), false, no_labels},
    {"Average Loss", offsetof(figures, metrics.loss), false,
     "a label is missing or names no output, or the output is the class itself"},
    {"Average Latency (ms)", offsetof(figures, latency), false, no_clock},
    {"Average GPU Power Usage (W)", offsetof(figures, power), false, "no GPU is used"},
    {"Inference Energy Consumption (mWh)", offsetof(figures, energy), false, "power is not measured"},
    {"Throughput (frames/s)", offsetof(figures, throughput), false, no_clock},
    {"Latency (cycles)", offsetof(figures, latency_cycles), true, no_interval},
    {"Interval (cycles)", offsetof(figures, interval), true, no_interval},
    {"Multiplier Utilisation", offsetof(figures, utilisation), true, no_interval},
};
enum { ROWS = sizeof rows / sizeof *rows };

static figures nothing(bool hardware) {
    figures f = {.hardware = hardware, .metrics = weir_metrics_none(), .latency = NAN, .throughput = NAN};
    f.power = f.energy = f.latency_cycles = f.interval = f.utilisation = NAN;
    return f;
}

static double figure_of(const figures *f, const row *of) {
    return *(const double *)(const void *)((const char *)f + of->figure);
}

/* --- showing --- */

static void print(const figures *f, bool test, weir_text *text) {
    static const char *const headers[] = {"Metric (Per Batch)", "Value"};
    weir_table *table = weir_table_new(headers, 2);
    weir_text left_out = {NULL, 0, 0};
    for (size_t i = 0; i < ROWS; i++) {
        double value = figure_of(f, &rows[i]);
        if (rows[i].of_hardware && !f->hardware) continue;
        if (!isfinite(value)) {
            weir_text_format(&left_out, "left out: %s, %s\n", rows[i].name, rows[i].reason);
            continue;
        }
        if (i == 0) weir_table_add(table, test ? "Average Test Accuracy" : "Average Validation Accuracy");
        else weir_table_add(table, rows[i].name);
        weir_table_format(table, "%.7g", value);
    }
    weir_table_print(table, WEIR_TABLE_PIPE, text);
    weir_table_free(table);
    if (left_out.size > 0) weir_text_add(text, left_out.data);
    weir_text_free(&left_out);
}

static void record(const figures *f, json_t *to) {
    json_t *left_out = json_object();
    json_object_set_new(to, "frames", json_integer(f->frames));
    for (size_t i = 0; i < ROWS; i++) {
        double value = figure_of(f, &rows[i]);
        if (rows[i].of_hardware && !f->hardware) continue;
        if (isfinite(value)) json_object_set_new(to, rows[i].name, json_real(value));
        else json_object_set_new(left_out, rows[i].name, json_string(rows[i].reason));
    }
    json_object_set_new(to, "left out", left_out);
}

/* --- software --- */

/* The graph of an engine; *own when it is the caller's. NULL after a reported error. */
static weir_graph *graph_of(const weir_pass *pass, const weir_module *module, bool integer, bool *own) {
    const char *model = weir_pass_string(pass, "model");
    const char *quantized = weir_module_find_graph(module, "quantized") == NULL ? "model" : "quantized";
    bool lowered = integer && weir_module_find_graph(module, "integer") != NULL;
    weir_graph *graph = weir_interface_find(module, pass,
                                            *model != '\0' ? model
                                            : !integer     ? "model"
                                            : lowered      ? "integer"
                                                           : quantized,
                                            own);
    bool is_integer = !*own && graph != NULL && strcmp(weir_graph_name(graph), "integer") == 0;
    if (graph == NULL || !integer || is_integer) return graph;
    weir_graph *made = weir_lower_integer(graph);
    if (*own) weir_graph_free(graph);
    *own = true;
    return made;
}

/* Frames to run: options frames and num_batches, 0: all. */
static int64_t limit_of(const weir_pass *pass) {
    int64_t frames = weir_pass_int(pass, "frames");
    int64_t batches = weir_pass_int(pass, "num_batches") * weir_pass_int(pass, "batch_size");
    return frames == 0 || (batches > 0 && batches < frames) ? batches : frames;
}

/* Output 0 of so many frames of the data; NULL after a reported error. */
static weir_array *run_some(weir_executor *executor, const weir_graph *graph, const weir_frames *data, int64_t frames) {
    size_t outputs = weir_graph_output_count(graph);
    weir_array **results = weir_calloc(outputs, sizeof *results);
    weir_array *first =
        weir_executor_run_batch(executor, weir_frames_arrays(data), frames, results) ? results[0] : NULL;
    for (size_t i = 1; i < outputs; i++) weir_array_free(results[i]);
    free(results);
    return first;
}

/* Output 0 of the frames that the options say; the first batches run once before the time counts. */
static weir_array *run(const weir_pass *pass, const weir_graph *graph, const weir_frames *data, int64_t entries,
                       double *seconds) {
    int64_t size = weir_pass_int(pass, "batch_size");
    int64_t warm = (weir_pass_int(pass, "num_warmup_batches") * size + entries - 1) / entries;
    weir_executor *executor = weir_executor_new(graph);
    weir_array *first = executor == NULL || warm == 0 ? NULL : run_some(executor, graph, data, warm);
    bool fine = executor != NULL && (first != NULL || warm == 0);
    double start = weir_seconds();
    weir_array *result = fine ? run_some(executor, graph, data, (limit_of(pass) + entries - 1) / entries) : NULL;
    *seconds = weir_seconds() - start;
    weir_array_free(first);
    weir_executor_free(executor);
    return result;
}

static bool analyse_software(const weir_pass *pass, const weir_module *module, bool integer, figures *f) {
    bool own;
    weir_graph *graph = graph_of(pass, module, integer, &own);
    weir_frames *data = graph == NULL ? NULL : weir_frames_read(graph, weir_pass_string(pass, "data"));
    weir_array *result = NULL;
    if (data != NULL) {
        weir_scoring scoring = weir_scoring_of(graph);
        double seconds;
        result = run(pass, graph, data, scoring.entries, &seconds);
        if (result != NULL) {
            f->frames = (int64_t)result->count / scoring.values;
            f->throughput = (double)f->frames / seconds;
            f->latency = 1000 * (double)weir_pass_int(pass, "batch_size") / f->throughput;
            weir_array *labels = weir_labels_read(data, &scoring);
            f->labelled = labels != NULL;
            if (f->labelled) f->metrics = weir_metrics_of(&scoring, result, labels, f->frames);
            weir_array_free(labels);
        }
    }
    weir_frames_free(data);
    if (own && graph != NULL) weir_graph_free(graph);
    bool fine = result != NULL;
    weir_array_free(result);
    return fine;
}

/* --- hardware --- */

/* A batch of B frames takes the latency of the first and B - 1 intervals. */
static void measure(const weir_pass *pass, const weir_runtime *r, figures *f) {
    const weir_cosim *run = weir_runtime_fast_run(r);
    double megahertz = weir_pass_real(pass, "clock-frequency");
    f->frames = r->frames;
    f->labelled = r->labelled && run != NULL;
    if (f->labelled) f->metrics = r->run_metrics[run - r->run];
    if (run == NULL || run->interval <= 0) return;
    f->interval = run->interval;
    f->latency_cycles = (double)run->latency + (double)(weir_pass_int(pass, "batch_size") - 1) * run->interval;
    f->utilisation = (double)r->resources.operations / ((double)r->resources.multipliers * run->interval);
    if (megahertz <= 0) return;
    f->latency = f->latency_cycles / (1000 * megahertz);
    f->throughput = 1e6 * megahertz / run->interval;
}

static void free_runtime(void *runtime) { weir_runtime_free(runtime); }

/* Exit status. */
static int analyse_hardware(const weir_pass *pass, weir_pass_context *context, weir_module *module, figures *f) {
    const weir_graph *hardware = weir_module_find_graph(module, "hardware");
    if (hardware == NULL || weir_module_string(module, "top", NULL) == NULL) {
        weir_error(WEIR_NOWHERE, "runtime_analysis needs compiled hardware");
        weir_note("'engine=float' and 'engine=integer' need none");
        return WEIR_EXIT_INPUT;
    }
    int simulator = weir_pass_choice(pass, "simulator"), profile = weir_pass_choice(pass, "profile");
    weir_runtime_options options = {.data = weir_pass_string(pass, "data"),
                                    .frames = limit_of(pass),
                                    .debug_frames = weir_pass_int(pass, "debug-frames"),
                                    .seed = (uint32_t)weir_pass_int(pass, "seed")};
    options.simulate[WEIR_SIM_VERILATOR] = simulator != 2;
    options.simulate[WEIR_SIM_ICARUS] = simulator != 1;
    for (int p = 0; p < WEIR_SIM_PROFILES; p++) options.profile[p] = profile == p || profile == WEIR_SIM_PROFILES;
    weir_runtime *runtime;
    int status = weir_runtime_run(weir_module_name(module), weir_module_find_graph(module, "model"),
                                  weir_module_find_graph(module, "integer"), hardware, weir_module_folder(module),
                                  &options, &runtime);
    if (runtime == NULL) return status;
    weir_module_set_data(module, WEIR_RUNTIME_DATA, runtime, free_runtime);
    measure(pass, runtime, f);
    weir_runtime_print(runtime, weir_pass_output(context));
    weir_text_char(weir_pass_output(context), '\n');
    json_object_set_new(weir_pass_record(context), "report", weir_runtime_json(runtime));
    return status;
}

bool weir_pass_runtime_analysis(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    int engine = weir_pass_choice(pass, "engine"), status = WEIR_EXIT_INPUT;
    figures f = nothing(engine == 0);
    if (*weir_pass_string(pass, "data") == '\0') {
        weir_error(WEIR_NOWHERE, "runtime_analysis needs 'data', a file of frames");
        return false;
    }
    if (engine == 0 && *weir_pass_string(pass, "model") != '\0') {
        weir_error(WEIR_NOWHERE, "runtime_analysis: 'model' requires engine=float or engine=integer");
        return false;
    }
    json_object_set_new(weir_pass_record(context), "engine", json_string(weir_pass_string(pass, "engine")));
    if (engine == 0) status = analyse_hardware(pass, context, module, &f);
    else if (analyse_software(pass, module, engine == 2, &f)) status = WEIR_EXIT_FINE;
    if (status != WEIR_EXIT_FINE) weir_module_set_int(module, WEIR_MODULE_STATUS, status);
    if (status != WEIR_EXIT_FINE && status != WEIR_EXIT_MISMATCH) return false;
    print(&f, weir_pass_bool(pass, "test"), weir_pass_output(context));
    record(&f, weir_pass_record(context));
    return true;
}
