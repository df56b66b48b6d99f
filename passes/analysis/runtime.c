/* Runs the frames through the reference, then through each simulator: first a few frames in the debug
 * bench, where every stream is compared and every component metered, then all of them in the fast bench under each
 * profile. When only the fast bench diverges, the debug bench is run up to that frame to find where it began. */
#include "passes/analysis/runtime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/elementary.h"
#include "exec/exec.h"
#include "support/arena.h"
#include "support/file.h"
#include "support/progress.h"

/* Streams of all frames are kept for comparison when they fit this many codes. */
enum { MAX_TAP_CODES = 1 << 24 };
/* Cycles of waveform kept around a divergence. */
enum { WAVE_BEFORE = 200, WAVE_AFTER = 50 };

const char *weir_profile_name(weir_sim_profile profile) {
    static const char *const names[WEIR_SIM_PROFILES] = {"always", "half", "eighth", "after-valid"};
    return names[profile];
}

/* --- accuracy --- */

weir_array *weir_runtime_labels(const char *data, const char *key, int64_t frames) {
    const char *ending = strstr(data, ".npz");
    if (ending == NULL || (ending[4] != '\0' && ending[4] != ':')) return NULL;
    char *path = weir_format("%.*s", (int)(ending + 4 - data), data);
    weir_archive archive;
    bool fine = weir_npz_read(path, &archive);
    free(path);
    if (!fine) return NULL;
    const weir_array *labels = weir_archive_find(&archive, key);
    weir_array *copy = labels != NULL && (int64_t)labels->count >= frames && !weir_dtype_is_float(labels->dtype)
                           ? weir_array_copy(labels)
                           : NULL;
    weir_archive_free(&archive);
    return copy;
}

static void compare_float(weir_runtime *r, const weir_array *real, const weir_array *integer) {
    double signal = 0, noise = 0;
    int64_t agree = 0;
    for (int64_t i = 0; i < r->frames * r->values; i++) {
        double a = weir_array_get(real, (size_t)i), b = weir_array_get(integer, (size_t)i);
        signal += a * a;
        noise += (a - b) * (a - b);
        if (fabs(a - b) > r->max_error) r->max_error = fabs(a - b);
    }
    for (int64_t f = 0; f < r->frames; f++)
        agree += weir_metrics_class(real, f, r->values) == weir_metrics_class(integer, f, r->values);
    r->has_float = true;
    r->agreement = (double)agree / (double)r->frames;
    r->equal = noise == 0;
    r->sqnr_db = noise == 0 ? INFINITY : 10 * weir_elementary_log10(signal / noise);
}

/* Output 0 of a graph for the first frames of the data; NULL after a reported error. */
static weir_array *run_engine(const weir_graph *graph, const weir_array *data, int64_t frames) {
    weir_executor *executor = weir_executor_new(graph);
    weir_array *result = executor == NULL ? NULL : weir_executor_run_all(executor, data, frames, 0);
    weir_executor_free(executor);
    return result;
}

static bool software_side(weir_runtime *r, const weir_graph *model, const weir_graph *integer, const weir_array *data,
                          const weir_array *labels, const weir_reference *reference) {
    bool fine = true;
    if (integer != NULL) {
        weir_array *contract = run_engine(integer, data, r->frames);
        fine = contract != NULL;
        for (size_t i = 0; fine && i < contract->count; i++)
            r->contract_mismatches += weir_array_get(contract, i) != weir_array_get(reference->result, i);
        weir_array_free(contract);
    }
    if (fine && model != NULL) {
        weir_array *real = run_engine(model, data, r->frames);
        fine = real != NULL;
        if (fine) compare_float(r, real, reference->result);
        if (fine && labels != NULL) r->float_metrics = weir_metrics_of(real, labels, r->frames);
        weir_array_free(real);
    }
    if (labels != NULL) {
        r->labelled = true;
        r->integer_metrics = weir_metrics_of(reference->result, labels, r->frames);
    }
    return fine;
}

/* --- simulations --- */

static weir_cosim *add_run(weir_runtime *r) {
    r->run = weir_realloc(r->run, (r->runs + 1) * sizeof *r->run);
    r->run_metrics = weir_realloc(r->run_metrics, (r->runs + 1) * sizeof *r->run_metrics);
    r->run_metrics[r->runs] = (weir_metrics){0};
    return &r->run[r->runs++];
}

static int run_once(weir_runtime *r, const char *folder, const weir_reference *reference,
                    const weir_cosim_options *options, const weir_array *labels) {
    weir_cosim result;
    char *what = weir_format("%s, %s", weir_simulator_name(options->simulator),
                             options->debug ? "debug" : weir_profile_name(options->profile));
    weir_progress(what, (double)r->runs, 0);
    free(what);
    int status = weir_cosim_run(r->hardware, folder, reference, options, &result);
    weir_progress_end();
    if (status != WEIR_EXIT_FINE) {
        weir_cosim_free(&result);
        return status;
    }
    *add_run(r) = result;
    if (labels == NULL || result.frames < r->frames) return weir_cosim_is_right(&result) ? 0 : WEIR_EXIT_MISMATCH;
    weir_array *decoded = weir_decode(r->hardware, (const int64_t *const *)result.output, result.frames, 0);
    if (decoded != NULL) r->run_metrics[r->runs - 1] = weir_metrics_of(decoded, labels, result.frames);
    weir_array_free(decoded);
    return weir_cosim_is_right(&result) ? WEIR_EXIT_FINE : WEIR_EXIT_MISMATCH;
}

/* A disagreement is a fact, whatever a simulator says that is missing; a missing one leaves a question open. Input that
 * cannot be read leaves no result at all. */
static int worse(int a, int b) {
    static const int rank[] = {
        [WEIR_EXIT_FINE] = 0, [WEIR_EXIT_TOOL] = 1, [WEIR_EXIT_MISMATCH] = 2, [WEIR_EXIT_INPUT] = 3};
    return rank[a] >= rank[b] ? a : b;
}

/* The waveform around the first divergence of the last run, in FOLDER/waves/SIMULATOR.fst. */
static void dump_divergence(weir_runtime *r, const char *folder, const weir_reference *reference,
                            const weir_cosim_options *options) {
    const weir_cosim *wrong = &r->run[r->runs - 1];
    uint32_t cycle = wrong->diverged ? wrong->first.cycle : wrong->cycles;
    char *waves = weir_path_join(folder, "waves");
    char *wave = weir_format("%s/%s.fst", waves, weir_simulator_name(options->simulator));
    weir_cosim_options run = *options;
    run.frames = wrong->frames;
    run.wave = wave;
    run.wave_from = cycle > WAVE_BEFORE ? cycle - WAVE_BEFORE : 0;
    run.wave_to = cycle + WAVE_AFTER;
    weir_cosim result = {0};
    if (weir_make_folder(waves) && weir_cosim_run(r->hardware, folder, reference, &run, &result) == WEIR_EXIT_FINE) {
        free(r->wave);
        r->wave = weir_copy_string(wave);
    }
    weir_cosim_free(&result);
    free(waves);
    free(wave);
}

static int run_simulator(weir_runtime *r, const char *folder, const weir_reference *reference,
                         const weir_runtime_options *options, weir_simulator simulator, const weir_array *labels) {
    weir_cosim_options run = {
        .simulator = simulator, .seed = options->seed, .netlist = options->netlist, .netlist_files = options->cells};
    int status = WEIR_EXIT_FINE;
    if (options->debug_frames > 0) {
        run.debug = true;
        run.frames = options->debug_frames;
        status = run_once(r, folder, reference, &run, NULL);
        if (status == WEIR_EXIT_TOOL || status == WEIR_EXIT_INPUT) return status;
    }
    bool found = status == WEIR_EXIT_MISMATCH;
    if (found) dump_divergence(r, folder, reference, &run);
    for (int p = 0; p < WEIR_SIM_PROFILES; p++) {
        if (!options->profile[p]) continue;
        run.debug = false;
        run.frames = 0;
        run.profile = (weir_sim_profile)p;
        int now = run_once(r, folder, reference, &run, labels);
        status = worse(status, now);
        if (now == WEIR_EXIT_TOOL || now == WEIR_EXIT_INPUT) break;
        if (now != WEIR_EXIT_MISMATCH || found || options->netlist != NULL) continue;
        found = true;
        run.debug = true;
        /* The back-pressure of frames behind a wrong value may be its cause: as many as the pipeline can hold. */
        const weir_cosim *wrong = &r->run[r->runs - 1];
        bool finished = wrong->status == WEIR_SIM_DONE;
        run.frames = (int64_t)wrong->first.frame + 1 + (finished ? (int64_t)weir_graph_node_count(r->hardware) : 0);
        run_once(r, folder, reference, &run, NULL);
        dump_divergence(r, folder, reference, &run);
    }
    return status;
}

int weir_runtime_run(const char *name, const weir_graph *model, const weir_graph *integer, const weir_graph *hardware,
                     const char *folder, const weir_runtime_options *options, weir_runtime **runtime) {
    *runtime = NULL;
    weir_array *data = weir_array_read(options->data, NULL);
    if (data == NULL) return WEIR_EXIT_INPUT;
    int64_t elements = 0;
    for (uint32_t id = 1; id < weir_graph_value_limit(hardware); id++) {
        if (weir_value_exists(hardware, (weir_value){id}))
            elements += weir_hardware_elements(hardware, (weir_value){id});
    }
    int64_t keep = MAX_TAP_CODES / (elements + 1);
    weir_reference *reference = weir_reference_new(hardware, data, options->frames,
                                                   keep > options->debug_frames ? keep : options->debug_frames);
    if (reference == NULL || reference->frames == 0) {
        if (reference != NULL) weir_error(weir_at(options->data, 0), "expected at least one frame");
        weir_reference_free(reference);
        weir_array_free(data);
        return WEIR_EXIT_INPUT;
    }
    weir_runtime *r = *runtime = weir_calloc(1, sizeof *r);
    r->model = weir_copy_string(name);
    r->hardware = hardware;
    r->frames = reference->frames;
    r->values = (int64_t)reference->result->count / r->frames;
    r->resources = weir_resources_of(hardware);
    weir_array *labels = weir_runtime_labels(options->data, options->labels_key, r->frames);
    int status = software_side(r, model, integer, data, labels, reference) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
    if (status == WEIR_EXIT_FINE && r->contract_mismatches > 0) status = WEIR_EXIT_MISMATCH;
    for (int s = 0; s < WEIR_SIMULATORS; s++) {
        if (!options->simulate[s] || status == WEIR_EXIT_INPUT) continue;
        status = worse(status, run_simulator(r, folder, reference, options, (weir_simulator)s, labels));
    }
    weir_array_free(labels);
    weir_reference_free(reference);
    weir_array_free(data);
    return status;
}

void weir_runtime_free(weir_runtime *runtime) {
    if (runtime == NULL) return;
    for (size_t i = 0; i < runtime->runs; i++) weir_cosim_free(&runtime->run[i]);
    free(runtime->run);
    free(runtime->run_metrics);
    free(runtime->model);
    free(runtime->wave);
    free(runtime);
}

const weir_cosim *weir_runtime_fast_run(const weir_runtime *runtime) {
    for (size_t i = runtime->runs; i-- > 0;) {
        if (!runtime->run[i].debug) return &runtime->run[i];
    }
    return NULL;
}
