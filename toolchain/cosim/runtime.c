/* Runs the frames through the reference, then through each simulator: first a few frames in the debug
 * bench, where every stream is compared and every component metered, then all of them in the fast bench under each
 * profile; short runs in Verilator take the debug bench with its taps off. When only the fast bench diverges, the debug
 * bench is run up to that frame to find where it began. */
#include "cosim/runtime.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cosim/noise.h"
#include "exec/elementary.h"
#include "exec/exec.h"
#include "exec/parallel.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/process/progress.h"

/* Streams of all frames are kept for comparison when they fit this many codes. */
enum { MAX_TAP_CODES = 1 << 24 };
/* Cycles of waveform kept around a divergence. */
enum { WAVE_BEFORE = 200, WAVE_AFTER = 50 };
/* Up to so many cycles a run, Verilator builds the debug bench only: taps that are off cost a fifth of a run, a build
 * far more. */
enum { ONE_BENCH_CYCLES = 2000000 };

const char *weir_profile_name(weir_sim_profile profile) {
    assert((unsigned)profile < WEIR_SIM_PROFILES);
    static const char *const names[WEIR_SIM_PROFILES] = {"always", "half", "eighth", "after-valid"};
    return names[profile];
}

/* --- accuracy --- */

/* Of outputs by an engine or a simulation, of the output that is scored. */
static weir_metrics score(const weir_runtime *r, const weir_array *outputs, const weir_array *labels, int64_t entries) {
    if (r->scoring.kind != WEIR_SCORING_ANOMALY) return weir_metrics_of(&r->scoring, outputs, labels, entries);
    weir_array *errors = weir_scoring_errors(&r->scoring, outputs, r->input, entries);
    const weir_metrics metrics = weir_metrics_of(&r->scoring, errors, labels, entries);
    weir_array_free(errors);
    return metrics;
}

/* Outputs of the engines, by position; the scored one says how many entries have the same class. */
static void compare_float(weir_runtime *r, weir_array *const *real, weir_array *const *integer, size_t outputs) {
    double signal = 0, noise = 0;
    for (size_t o = 0; o < outputs; o++) {
        for (size_t i = 0; i < real[o]->count; i++) {
            double a = weir_array_get(real[o], i), b = weir_array_get(integer[o], i);
            signal += a * a;
            noise += (a - b) * (a - b);
            if (fabs(a - b) > r->max_error) r->max_error = fabs(a - b);
        }
    }
    int64_t agree = 0, entries = r->frames * r->scoring.entries;
    for (int64_t i = 0; i < entries; i++)
        agree += weir_scoring_class(&r->scoring, real[r->scoring.output], i) ==
                 weir_scoring_class(&r->scoring, integer[r->scoring.output], i);
    r->has_float = true;
    r->agreement = (double)agree / (double)entries;
    r->equal = noise == 0;
    r->sqnr_db = noise == 0 ? INFINITY : 10 * weir_elementary_log10(signal / noise);
    if (r->sqnr_db < WEIR_RUNTIME_LOW_SQNR)
        weir_warning(WEIR_NOWHERE, "%s: the integer result is far from the float one: SQNR %.1f dB, below %d dB",
                     r->model, r->sqnr_db, WEIR_RUNTIME_LOW_SQNR);
}

static void free_results(weir_array **results, size_t count) {
    for (size_t i = 0; i < count; i++) weir_array_free(results[i]);
    free(results);
}

static bool software_side(weir_runtime *r, const weir_graph *model, const weir_graph *quantized,
                          const weir_graph *integer, const weir_array *const *data, const weir_array *labels,
                          const weir_reference *reference, size_t threads) {
    const int64_t entries = r->frames * r->scoring.entries;
    const size_t outputs = reference->result_count;
    weir_array **found = weir_calloc(outputs, sizeof *found);
    bool fine = integer == NULL || weir_parallel_run(integer, data, r->frames, threads, found);
    for (size_t o = 0; integer != NULL && fine && o < outputs; o++) {
        for (size_t i = 0; i < found[o]->count; i++)
            r->contract_mismatches += weir_array_get(found[o], i) != weir_array_get(reference->result[o], i);
    }
    free_results(found, outputs);
    found = weir_calloc(outputs, sizeof *found);
    fine = fine && (model == NULL || weir_parallel_run(model, data, r->frames, threads, found));
    if (fine && model != NULL) {
        compare_float(r, found, reference->result, outputs);
        if (labels != NULL) r->float_metrics = score(r, found[r->scoring.output], labels, entries);
    }
    free_results(found, outputs);
    if (labels != NULL) {
        r->labelled = true;
        const weir_array *scored = reference->result[r->scoring.output];
        r->integer_metrics = score(r, scored, labels, entries);
        r->confusion = weir_metrics_confusion(&r->scoring, scored, labels, entries);
    }
    if (fine && model != NULL && quantized != NULL) r->noise = weir_noise_json(model, quantized, data, r->frames);
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
    weir_progress(what, (double)r->runs + 1, (double)r->planned, 0);
    free(what);
    int status = weir_cosim_run(r->hardware, folder, reference, options, &result);
    weir_progress_end();
    if (status != WEIR_EXIT_FINE) {
        weir_cosim_free(&result);
        return status;
    }
    *add_run(r) = result;
    if (labels == NULL || result.frames < r->frames) return weir_cosim_is_right(&result) ? 0 : WEIR_EXIT_MISMATCH;
    weir_array *decoded =
        weir_decode(r->hardware, reference, (const int64_t *const *)result.output, result.frames, r->scoring.output);
    if (decoded != NULL) r->run_metrics[r->runs - 1] = score(r, decoded, labels, result.frames * r->scoring.entries);
    weir_array_free(decoded);
    return weir_cosim_is_right(&result) ? WEIR_EXIT_FINE : WEIR_EXIT_MISMATCH;
}

/* A disagreement is a fact, whatever a simulator says that is missing; a missing one leaves a question open. Input that
 * cannot be read leaves no result at all. */
static int worse(int a, int b) {
    assert(a >= WEIR_EXIT_FINE && a <= WEIR_EXIT_TOOL && b >= WEIR_EXIT_FINE && b <= WEIR_EXIT_TOOL);
    static const int rank[] = {
        [WEIR_EXIT_FINE] = 0, [WEIR_EXIT_TOOL] = 1, [WEIR_EXIT_MISMATCH] = 2, [WEIR_EXIT_INPUT] = 3};
    return rank[a] >= rank[b] ? a : b;
}

/* Where waveforms go; NULL with a warning when the folder cannot be made, as in a compiled folder that is read-only. */
static char *waves_folder(const char *folder) {
    char *waves = weir_path_join(folder, "waves");
    weir_diag_log *log = weir_diag_capture();
    bool fine = weir_make_folder(waves);
    weir_diag_release(log);
    if (!fine) {
        weir_warning(weir_at(waves, 0), "no waveform of the divergence: %s", weir_diag_log_error(log));
        free(waves);
        waves = NULL;
    }
    weir_diag_log_free(log);
    return waves;
}

/* The waveform around the first divergence of the last run, in FOLDER/waves/SIMULATOR.fst, and what opens it. */
static void dump_divergence(weir_runtime *r, const char *folder, const weir_reference *reference, const char *work,
                            const weir_cosim_options *options) {
    assert(r->runs > 0);
    const weir_cosim *wrong = &r->run[r->runs - 1];
    const uint32_t cycle = weir_cosim_divergence(wrong);
    char *waves = waves_folder(folder);
    if (waves == NULL) return;
    char *wave = weir_format("%s/%s.fst", waves, weir_simulator_name(options->simulator));
    weir_cosim_options run = *options;
    run.frames = wrong->frames;
    run.wave_of = wrong;
    run.wave = wave;
    run.wave_from = cycle > WAVE_BEFORE ? cycle - WAVE_BEFORE : 0;
    run.wave_to = cycle + WAVE_AFTER;
    weir_cosim result = {0};
    if (weir_cosim_run(r->hardware, work, reference, &run, &result) == WEIR_EXIT_FINE && result.wave) {
        free(r->wave);
        r->wave = weir_copy_string(wave);
        r->wave_view = result.wave_view;
    }
    weir_cosim_free(&result);
    free(waves);
    free(wave);
}

/* The doors of the design under each profile. */
static int run_malformed(weir_runtime *r, const weir_reference *reference, const weir_runtime_options *options,
                         weir_cosim_options run) {
    int status = WEIR_EXIT_FINE;
    run.debug = false;
    run.malformed = true;
    run.frames = 0;
    for (int p = 0; p < WEIR_SIM_PROFILES && status == WEIR_EXIT_FINE; p++) {
        run.profile = (weir_sim_profile)p;
        if (options->profile[p]) status = run_once(r, options->work, reference, &run, NULL);
    }
    return status;
}

static int run_simulator(weir_runtime *r, const char *folder, const weir_reference *reference,
                         const weir_runtime_options *options, weir_simulator simulator, const weir_array *labels) {
    weir_cosim_options run = {
        .simulator = simulator, .seed = options->seed, .netlist = options->netlist, .netlist_files = options->cells};
    int status = WEIR_EXIT_FINE;
    if (options->debug_frames > 0) {
        run.debug = true;
        run.one_bench = simulator == WEIR_SIM_VERILATOR && options->netlist == NULL &&
                        r->frames * weir_stream_interval(r->hardware) <= ONE_BENCH_CYCLES;
        run.frames = options->debug_frames;
        status = run_once(r, options->work, reference, &run, NULL);
        if (status == WEIR_EXIT_TOOL || status == WEIR_EXIT_INPUT) return status;
    }
    bool found = status == WEIR_EXIT_MISMATCH;
    if (found && options->stop) return status;
    if (found) dump_divergence(r, folder, reference, options->work, &run);
    for (int p = 0; p < WEIR_SIM_PROFILES; p++) {
        if (!options->profile[p]) continue;
        run.debug = false;
        run.frames = 0;
        run.profile = (weir_sim_profile)p;
        int now = run_once(r, options->work, reference, &run, labels);
        status = worse(status, now);
        if (now == WEIR_EXIT_TOOL || now == WEIR_EXIT_INPUT) break;
        if (now != WEIR_EXIT_MISMATCH || found || options->netlist != NULL) continue;
        found = true;
        run.debug = true;
        /* The back-pressure of frames behind a wrong value may be its cause: as many as the pipeline can hold. */
        const weir_cosim *wrong = &r->run[r->runs - 1];
        bool finished = wrong->status == WEIR_SIM_DONE;
        run.frames = (int64_t)wrong->first.frame + 1 + (finished ? (int64_t)weir_graph_node_count(r->hardware) : 0);
        run_once(r, options->work, reference, &run, NULL);
        if (options->stop) break;
        dump_divergence(r, folder, reference, options->work, &run);
    }
    if (options->malformed && status == WEIR_EXIT_FINE) status = run_malformed(r, reference, options, run);
    return status;
}

/* Codes of all streams for one frame. */
static int64_t codes_of(const weir_graph *hardware) {
    int64_t codes = 0;
    for (uint32_t id = 1; id < weir_graph_value_limit(hardware); id++) {
        if (weir_value_exists(hardware, (weir_value){id})) codes += weir_stream_elements(hardware, (weir_value){id});
    }
    return codes;
}

/* How many runs there will be when nothing diverges. */
static size_t plan(const weir_runtime_options *options) {
    size_t simulators = 0, runs = options->debug_frames > 0;
    for (int s = 0; s < WEIR_SIMULATORS; s++) simulators += options->simulate[s];
    for (int p = 0; p < WEIR_SIM_PROFILES; p++) runs += options->profile[p] * (1u + options->malformed);
    return simulators * runs;
}

static weir_runtime *new_runtime(const char *name, const weir_graph *hardware, const weir_runtime_options *options,
                                 weir_reference *reference) {
    weir_runtime *r = weir_calloc(1, sizeof *r);
    r->reference = reference;
    r->model = weir_copy_string(name);
    r->hardware = hardware;
    r->frames = reference->frames;
    r->values = (int64_t)reference->result[0]->count / r->frames;
    r->resources = weir_resources_of(hardware);
    r->planned = plan(options);
    return r;
}

/* Simulates `options->work`. */
static int run_copy(const char *name, const weir_graph *model, const weir_graph *integer, const weir_graph *hardware,
                    const char *folder, const weir_runtime_options *options, weir_runtime **runtime) {
    weir_scoring scoring;
    if (!weir_scoring_choose(hardware, options->task, options->output, &scoring)) return WEIR_EXIT_USAGE;
    weir_frames *frames = weir_frames_read(hardware, options->data);
    if (frames == NULL) return WEIR_EXIT_INPUT;
    const weir_array *const *data = weir_frames_arrays(frames);
    int64_t keep = MAX_TAP_CODES / (codes_of(hardware) + 1);
    weir_reference *reference = weir_reference_new(hardware, data, options->frames,
                                                   keep > options->debug_frames ? keep : options->debug_frames);
    int status = reference == NULL ? WEIR_EXIT_INPUT : WEIR_EXIT_FINE;
    if (reference != NULL) {
        weir_runtime *r = *runtime = new_runtime(name, hardware, options, reference);
        r->scoring = scoring;
        r->input = data[0];
        weir_array *labels = weir_labels_read(frames, &r->scoring);
        if (!software_side(r, model, options->quantized, integer, data, labels, reference, options->threads))
            status = WEIR_EXIT_INPUT;
        if (status == WEIR_EXIT_FINE && r->contract_mismatches > 0) status = WEIR_EXIT_MISMATCH;
        for (int s = 0; s < WEIR_SIMULATORS; s++) {
            if (!options->simulate[s] || status == WEIR_EXIT_INPUT) continue;
            if (options->stop && status == WEIR_EXIT_MISMATCH) continue;
            status = worse(status, run_simulator(r, folder, reference, options, (weir_simulator)s, labels));
        }
        weir_array_free(labels);
    }
    weir_frames_free(frames);
    return status;
}

typedef struct copying {
    const char *folder, *work;
} copying;

static int copy_folder(void *user) {
    const copying *c = user;
    return weir_cosim_copy(c->folder, c->work) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
}

int weir_runtime_run(const char *name, const weir_graph *model, const weir_graph *integer, const weir_graph *hardware,
                     const char *folder, const weir_runtime_options *options, weir_runtime **runtime) {
    *runtime = NULL;
    if (options->work != NULL) return run_copy(name, model, integer, hardware, folder, options, runtime);
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "sim-");
    if (scratch == NULL) return WEIR_EXIT_INPUT;
    weir_runtime_options own = *options;
    own.work = weir_scratch_path(scratch);
    copying c = {folder, own.work};
    int status = weir_folder_read(folder, copy_folder, &c);
    if (status == WEIR_EXIT_FINE) status = run_copy(name, model, integer, hardware, folder, &own, runtime);
    weir_scratch_free(scratch);
    return status;
}

void weir_runtime_free(weir_runtime *runtime) {
    if (runtime == NULL) return;
    for (size_t i = 0; i < runtime->runs; i++) weir_cosim_free(&runtime->run[i]);
    free(runtime->run);
    free(runtime->run_metrics);
    weir_reference_free(runtime->reference);
    json_decref(runtime->confusion);
    json_decref(runtime->noise);
    free(runtime->model);
    free(runtime->wave);
    free(runtime);
}

const weir_cosim *weir_runtime_fast_run(const weir_runtime *runtime) {
    for (size_t i = runtime->runs; i-- > 0;) {
        if (!runtime->run[i].debug && !runtime->run[i].malformed) return &runtime->run[i];
    }
    return NULL;
}
