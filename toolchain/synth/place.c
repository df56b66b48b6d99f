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

typedef struct sweep {
    const weir_place_job *job;
    weir_place_netlist netlist;
    pthread_mutex_t lock;
    int64_t next; /* seed */
    int64_t met;  /* the first that met the goal, or beyond the last */
    bool failed;
    weir_placement *item;
    weir_diag_log **log; /* of each seed */
} sweep;

/* Another seed may end otherwise. */
static bool is_passed_over(weir_place_end end) { return end == WEIR_PLACE_LATE || end == WEIR_PLACE_BROKEN; }

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
        weir_place_seed(&s->netlist, seed, has_progress ? progress : NULL, placement);
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
        weir_warning(WEIR_NOWHERE, "'%s' crashed with seed %lld without an error message", nextpnr->name, seed);
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
        weir_note("a bug of that program; more --seeds, or another folding, may avoid it");
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
    sweep s = {.job = job, .next = 1, .met = job->seeds + 1};
    weir_place_netlist_open(job, &s.netlist);
    s.item = weir_calloc((size_t)job->seeds, sizeof *s.item);
    s.log = weir_calloc((size_t)job->seeds, sizeof(weir_diag_log *));
    pthread_mutex_init(&s.lock, NULL);
    const int status = run(&s);
    pthread_mutex_destroy(&s.lock);
    weir_place_netlist_close(&s.netlist);
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
