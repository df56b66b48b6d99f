/* Each thread takes the next seed as long as none before it has met the goal. Those beyond the first that does are
 * thrown away, so that the result is that of one seed after the other. Signals are held back in all threads;
 * weir_process_run notices them, and they arrive when all threads have ended. */
#include "synth/place.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cache.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/progress.h"
#include "support/text/diag.h"
#include "synth/place_private.h"

/* Changes when the same netlist shall give another result. */
#define FORM "2"

typedef struct sweep {
    const weir_place_job *job;
    const char *text; /* the netlist */
    weir_hash key;
    pthread_mutex_t lock;
    int64_t next; /* seed */
    int64_t met;  /* the first that met the goal, or beyond the last */
    bool failed;
    weir_placement *item;
    weir_diag_log **log; /* of each seed */
} sweep;

/* --- one seed --- */

typedef struct making {
    const sweep *sweep;
    int64_t seed;
    const char *progress; /* NULL: another thread says how long it takes */
    weir_place_end end;
} making;

static bool write_pins(const weir_place_pins *pins, const char *folder) {
    if (pins->file == NULL) return true;
    char *path = weir_path_join(folder, pins->file);
    const bool fine = weir_file_write(path, pins->text, strlen(pins->text));
    free(path);
    return fine;
}

/* How nextpnr ends when it finds no place for a cell. */
static bool says_full(const char *messages) {
    static const char *const words[] = {"Unable to find legal placement", "no BELs remaining", "ERROR: failed to place",
                                        "Unable to find a placement location", "Unable to place cell"};
    bool full = false;
    for (size_t i = 0; messages != NULL && i < sizeof words / sizeof *words; i++)
        full |= strstr(messages, words[i]) != NULL;
    return full;
}

/* Its own errors begin a line with this word; a fault of its own (a signal, a trap, a failed assertion) has none. */
static bool names_error(const char *messages) {
    return messages != NULL && (strncmp(messages, "ERROR: ", 7) == 0 || strstr(messages, "\nERROR: ") != NULL);
}

static weir_place_end end_of(weir_tool_end end, const char *messages) {
    switch (end) {
    case WEIR_TOOL_FINE: return WEIR_PLACE_PLACED;
    case WEIR_TOOL_LATE: return WEIR_PLACE_LATE;
    case WEIR_TOOL_FAILED: break;
    }
    if (says_full(messages)) return WEIR_PLACE_FULL;
    return names_error(messages) ? WEIR_PLACE_FAILED : WEIR_PLACE_BROKEN;
}

static bool make_placement(void *user, const char *folder) {
    making *m = user;
    const weir_place_job *job = m->sweep->job;
    char *netlist = weir_path_join(folder, "placed.json"), *log = weir_path_join(folder, "nextpnr.log");
    weir_arguments arguments = {0};
    weir_text output = {NULL, 0, 0};
    weir_arguments_add(&arguments, "%s", job->nextpnr->name);
    for (size_t i = 0; i < job->pins->option_count; i++) weir_arguments_add(&arguments, "%s", job->pins->option[i]);
    static const char *const files[] = {"--json", "placed.json", "--report", "report.json", "--timing-allow-fail"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) weir_arguments_add(&arguments, "%s", files[i]);
    if (job->placer != NULL) {
        weir_arguments_add(&arguments, "--placer");
        weir_arguments_add(&arguments, "%s", job->placer);
    }
    weir_arguments_add(&arguments, "--freq");
    weir_arguments_add(&arguments, "%.9g", (double)job->clock_hz / 1e6);
    weir_arguments_add(&arguments, "--seed");
    weir_arguments_add(&arguments, "%lld", (long long)m->seed);
    bool fine = weir_file_write(netlist, m->sweep->text, strlen(m->sweep->text)) && write_pins(job->pins, folder);
    if (fine) {
        const double seconds = job->nextpnr->seconds;
        const weir_tool_end end = weir_tool_wait(&arguments, folder, seconds, m->progress, &output);
        m->end = end_of(end, output.data);
        fine = m->end == WEIR_PLACE_PLACED;
    }
    fine = fine && weir_file_write(log, output.data == NULL ? "" : output.data, output.size);
    unlink(netlist);
    weir_text_free(&output);
    weir_arguments_free(&arguments);
    free(netlist);
    free(log);
    return fine;
}

double weir_place_clock(const json_t *report) {
    const char *name;
    json_t *clock;
    double slowest = 0;
    json_object_foreach(json_object_get(report, "fmax"), name, clock) {
        const double mhz = json_number_value(json_object_get(clock, "achieved"));
        if (slowest == 0 || mhz < slowest) slowest = mhz;
    }
    return slowest;
}

static bool read_output(const char *folder, const weir_place_pins *pins, weir_placement *placement) {
    if (pins->output == NULL) return true;
    char *path = weir_path_join(folder, pins->output);
    placement->output = weir_file_read(path, &placement->output_size);
    free(path);
    return placement->output != NULL;
}

static bool read_placement(const char *folder, const weir_place_pins *pins, weir_placement *placement) {
    char *path = weir_path_join(folder, "report.json"), *log = weir_path_join(folder, "nextpnr.log");
    size_t size = 0;
    json_error_t error = {.line = 0};
    char *text = weir_file_read(path, &size);
    placement->report = text == NULL ? NULL : json_loadb(text, size, 0, &error);
    placement->fmax_mhz = weir_place_clock(placement->report);
    placement->log = weir_file_read(log, &size);
    bool fine = placement->report != NULL && placement->fmax_mhz > 0 && placement->log != NULL;
    if (!fine && text != NULL) weir_error(weir_at(path, error.line), "nextpnr reported no clock: %s", error.text);
    free(text);
    free(path);
    free(log);
    return fine && read_output(folder, pins, placement);
}

/* Another seed may end otherwise. */
static bool is_passed_over(weir_place_end end) { return end == WEIR_PLACE_LATE || end == WEIR_PLACE_BROKEN; }

static void place_seed(const sweep *s, int64_t seed, const char *progress, weir_placement *placement) {
    assert(seed >= 1 && seed <= s->job->seeds);
    making m = {.sweep = s, .seed = seed, .progress = progress, .end = WEIR_PLACE_FAILED};
    weir_hash hash = s->key;
    weir_hash_add_number(&hash, (uint64_t)seed);
    char digits[33];
    weir_hash_print(&hash, digits);
    char *name = weir_format("nextpnr-placement-%s", digits);
    int held = -1;
    bool made = false;
    char *folder = weir_cache_entry(s->job->cache, name, true, make_placement, &m, &held, &made);
    if (folder != NULL) m.end = WEIR_PLACE_FAILED;
    if (folder != NULL && read_placement(folder, s->job->pins, placement)) m.end = WEIR_PLACE_PLACED;
    placement->seed = seed;
    placement->cached = !made;
    placement->end = m.end;
    if (folder != NULL) weir_cache_release(held);
    free(folder);
    free(name);
}

/* --- all seeds --- */

static bool take_seed(sweep *s, int64_t *seed) {
    pthread_mutex_lock(&s->lock);
    *seed = s->next;
    const bool more = !s->failed && s->next <= s->job->seeds && s->next <= s->met;
    if (more) s->next++;
    pthread_mutex_unlock(&s->lock);
    return more;
}

static void note_end(sweep *s, const weir_placement *placement) {
    s->failed |= placement->end != WEIR_PLACE_PLACED && !is_passed_over(placement->end);
    const bool is_met = placement->fmax_mhz * 1e6 >= (double)s->job->clock_hz;
    if (placement->end == WEIR_PLACE_PLACED && is_met && placement->seed < s->met) s->met = placement->seed;
}

static void place_seeds(sweep *s, bool has_progress) {
    for (int64_t seed; take_seed(s, &seed);) {
        weir_placement *placement = &s->item[seed - 1];
        char *progress =
            weir_format("placing, seed %lld of up to %lld, seconds", (long long)seed, (long long)s->job->seeds);
        weir_diag_log *log = weir_diag_capture();
        place_seed(s, seed, has_progress ? progress : NULL, placement);
        weir_diag_release(log);
        pthread_mutex_lock(&s->lock);
        s->log[seed - 1] = log;
        note_end(s, placement);
        pthread_mutex_unlock(&s->lock);
        free(progress);
    }
}

static void *work(void *user) {
    place_seeds(user, false);
    return NULL;
}

static void run_threads(sweep *s) {
    assert(s->job->seeds >= 1);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = processors < 1 ? 1 : (size_t)processors;
    if ((int64_t)count > s->job->seeds) count = (size_t)s->job->seeds;
    pthread_t *thread = weir_calloc(count, sizeof *thread);
    const sigset_t before = weir_process_hold();
    size_t started = 0;
    while (started + 1 < count && pthread_create(&thread[started], NULL, work, s) == 0) started++;
    place_seeds(s, true); /* this thread is one of them */
    for (size_t i = 0; i < started; i++) pthread_join(thread[i], NULL);
    weir_progress_end();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(thread);
}

static void free_placement(weir_placement *placement) {
    json_decref(placement->report);
    free(placement->log);
    free(placement->output);
}

static void warn_of(const sweep *s, const weir_placement *item) {
    const weir_program *nextpnr = s->job->nextpnr;
    const long long seed = (long long)item->seed;
    if (item->end == WEIR_PLACE_BROKEN) {
        weir_warning(WEIR_NOWHERE, "'%s' broke with seed %lld and named no error", nextpnr->name, seed);
        return;
    }
    char *late = weir_tool_late(nextpnr->name, nextpnr->seconds);
    weir_warning(WEIR_NOWHERE, "%s with seed %lld", late, seed);
    free(late);
}

/* Of seeds that were all passed over. */
static int report_none(const sweep *s) {
    const weir_program *nextpnr = s->job->nextpnr;
    for (int64_t i = 0; i < s->job->seeds; i++) {
        if (s->item[i].end != WEIR_PLACE_BROKEN) continue;
        weir_diag_replay(s->log[i]);
        weir_note("a fault of that program; more --seeds, or another folding, may avoid it");
        return WEIR_EXIT_TOOL;
    }
    weir_error(WEIR_NOWHERE, "'%s' placed no seed within %g seconds", nextpnr->name, nextpnr->seconds);
    weir_note(
        "--timeout SECONDS allows more; but nextpnr may never end on a netlist: try more seeds, or another folding");
    return WEIR_EXIT_TOOL;
}

/* What was said of one seed, and what its end means for all. */
static int take_end(const sweep *s, const weir_placement *item) {
    if (is_passed_over(item->end)) {
        warn_of(s, item);
        return WEIR_EXIT_FINE;
    }
    weir_diag_replay(s->log[item->seed - 1]);
    if (item->end == WEIR_PLACE_PLACED) return WEIR_EXIT_FINE;
    return item->end == WEIR_PLACE_FULL ? WEIR_EXIT_INPUT : WEIR_EXIT_TOOL;
}

/* The seeds up to the first that met the goal, or the first error. */
static int collect(sweep *s, weir_placements *placements) {
    int status = WEIR_EXIT_FINE;
    const int64_t last = s->met <= s->job->seeds ? s->met : s->job->seeds;
    for (int64_t i = 0; i < last && status == WEIR_EXIT_FINE; i++) {
        const weir_placement *item = &s->item[i];
        status = take_end(s, item);
        placements->lacks_room |= item->end == WEIR_PLACE_FULL;
        if (item->fmax_mhz > s->item[placements->best].fmax_mhz) placements->best = (size_t)i;
    }
    if (status == WEIR_EXIT_FINE && s->item[placements->best].end != WEIR_PLACE_PLACED) status = report_none(s);
    placements->item = s->item;
    placements->count = (size_t)last;
    for (int64_t i = 0; i < s->job->seeds; i++) {
        weir_diag_log_free(s->log[i]);
        if (i >= last) free_placement(&s->item[i]);
    }
    free(s->log);
    return status;
}

static weir_hash key_of(const weir_place_job *job, const char *netlist) {
    weir_hash key = weir_hash_start();
    weir_hash_add_string(&key, FORM);
    weir_hash_add_string(&key, job->nextpnr->name);
    weir_hash_add_string(&key, job->nextpnr->version);
    for (size_t i = 0; i < job->pins->option_count; i++) weir_hash_add_string(&key, job->pins->option[i]);
    if (job->pins->text != NULL) weir_hash_add_string(&key, job->pins->text);
    if (job->placer != NULL) weir_hash_add_string(&key, job->placer);
    weir_hash_add_number(&key, (uint64_t)job->clock_hz);
    weir_hash_add_string(&key, netlist);
    return key;
}

static char *netlist_text(const weir_place_job *job) {
    return json_dumps(job->netlist, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
}

void weir_place_one(const weir_place_job *job, int64_t seed, weir_placement *placement) {
    char *text = netlist_text(job);
    const sweep s = {.job = job, .text = text, .key = key_of(job, text)};
    *placement = (weir_placement){.seed = seed};
    place_seed(&s, seed, NULL, placement);
    free(text);
}

static bool take(void *user, int64_t seed, const json_t *result) {
    sweep *s = user;
    assert(seed >= 1 && seed <= s->job->seeds);
    weir_placement *placement = &s->item[seed - 1];
    placement->seed = seed;
    if (!weir_place_task_read(result, placement, &s->log[seed - 1])) return false;
    note_end(s, placement);
    return true;
}

static int run(sweep *s) {
    const weir_place_elsewhere *elsewhere = s->job->elsewhere;
    if (elsewhere == NULL) {
        run_threads(s);
        return WEIR_EXIT_FINE;
    }
    assert(s->job->pins->output == NULL);
    json_t *task = weir_place_task(s->job);
    const int status = elsewhere->place(elsewhere->user, task, s->job->seeds, take, s);
    json_decref(task);
    return status;
}

static int place(const weir_place_job *job, weir_placements *placements) {
    char *text = netlist_text(job);
    sweep s = {.job = job, .text = text, .key = key_of(job, text), .next = 1, .met = job->seeds + 1};
    s.item = weir_calloc((size_t)job->seeds, sizeof *s.item);
    s.log = weir_calloc((size_t)job->seeds, sizeof(weir_diag_log *));
    pthread_mutex_init(&s.lock, NULL);
    const int status = run(&s);
    pthread_mutex_destroy(&s.lock);
    free(text);
    if (status == WEIR_EXIT_FINE) return collect(&s, placements);
    for (int64_t i = 0; i < job->seeds; i++) {
        weir_diag_log_free(s.log[i]);
        free_placement(&s.item[i]);
    }
    free(s.item);
    free(s.log);
    return status;
}

/* Ports of the top module that is placed, in the order of the profile's pins. */
static const char *const ports[] = {"clk", "given", "sum"};
#define PINS "pins.cst"

int weir_place(const weir_place_job *job, weir_placements *placements) {
    assert(job->seeds >= 1);
    *placements = (weir_placements){.item = NULL};
    if (job->pins != NULL) return place(job, placements);
    const weir_schema_strings *pins = &job->device->nextpnr.pins, *options = &job->device->nextpnr.options;
    weir_text text = {NULL, 0, 0};
    weir_arguments all = {0};
    for (size_t i = 0; i < options->count; i++) weir_arguments_add(&all, "%s", options->item[i]);
    for (size_t i = 0; i < pins->count && i < sizeof ports / sizeof *ports; i++)
        weir_text_format(&text, "IO_LOC \"%s\" %s;\n", ports[i], pins->item[i]);
    if (pins->count > 0) weir_arguments_add(&all, "--vopt");
    if (pins->count > 0) weir_arguments_add(&all, "cst=" PINS);
    const weir_place_pins own = {.file = pins->count > 0 ? PINS : NULL,
                                 .text = text.data,
                                 .option = (const char *const *)all.list,
                                 .option_count = all.count};
    weir_place_job whole = *job;
    whole.pins = &own;
    const int status = place(&whole, placements);
    weir_arguments_free(&all);
    weir_text_free(&text);
    return status;
}

void weir_placements_free(weir_placements *placements) {
    for (size_t i = 0; i < placements->count; i++) free_placement(&placements->item[i]);
    free(placements->item);
    *placements = (weir_placements){.item = NULL};
}
