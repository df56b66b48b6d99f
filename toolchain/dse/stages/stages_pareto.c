/* The stage that passes on what nothing else beats. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dse/stages/stages.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

typedef double measure(const weir_dse_evaluation *e);

static double energy_of(const weir_dse_evaluation *e) { return e->cost.energy; }
static double latency_of(const weir_dse_evaluation *e) { return e->cost.latency; }
static double time_of(const weir_dse_evaluation *e) {
    return e->hardware.point != NULL ? weir_dse_time(e) : e->cost.latency;
}
static double luts_of(const weir_dse_evaluation *e) { return (double)e->hardware.use[0]; }
static double flip_flops_of(const weir_dse_evaluation *e) { return (double)e->hardware.use[1]; }
static double multipliers_of(const weir_dse_evaluation *e) { return (double)e->hardware.use[2]; }
static double memory_blocks_of(const weir_dse_evaluation *e) { return (double)e->hardware.use[3]; }
static double device_of(const weir_dse_evaluation *e) {
    return e->hardware.point != NULL ? (double)e->hardware.point->device_luts : 0;
}

static const struct {
    const char *name;
    measure *of;
} measures[] = {{"energy", energy_of},
                {"latency", latency_of},
                {"time", time_of},
                {"luts", luts_of},
                {"flip_flops", flip_flops_of},
                {"multipliers", multipliers_of},
                {"memory_blocks", memory_blocks_of},
                {"device", device_of}};
enum { MEASURES = sizeof measures / sizeof *measures };

typedef struct front {
    measure *of[MEASURES];
    size_t count;
    weir_dse_kept all;
    double evaluations;
} front;

static bool read_measures(const char *text, front *f) {
    while (*text != '\0') {
        const size_t size = strcspn(text, ", ");
        size_t i = 0;
        while (i < MEASURES && (strlen(measures[i].name) != size || strncmp(measures[i].name, text, size) != 0)) i++;
        if (i == MEASURES || f->count == MEASURES) {
            weir_error(
                WEIR_NOWHERE,
                "stage 'pareto': of: expected energy, latency, time, luts, flip_flops, multipliers, memory_blocks "
                "or device, found '%.*s'",
                (int)size, text);
            return false;
        }
        f->of[f->count++] = measures[i].of;
        text += size;
        text += strspn(text, ", ");
    }
    return true;
}

static bool collect(void *user, const weir_dse_result *result) {
    front *f = user;
    f->evaluations += result->evaluations;
    if (result->evaluation != NULL) weir_dse_kept_add(&f->all, result);
    return true;
}

/* Is `a` as good as `b` in everything, and better in something or before it? */
static bool beats(const front *f, size_t a, size_t b) {
    bool better = a < b;
    for (size_t i = 0; i < f->count; i++) {
        const double x = f->of[i](f->all.list[a].evaluation), y = f->of[i](f->all.list[b].evaluation);
        if (x > y) return false;
        better |= x < y;
    }
    return better;
}

static bool is_beaten(const front *f, size_t index) {
    for (size_t i = 0; i < f->all.count; i++)
        if (i != index && beats(f, i, index)) return true;
    return false;
}

static bool run_pareto(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    front f = {.count = 0};
    bool fine = read_measures(stage->value[0].text, &f) && weir_dse_stage_below(stage, context, collect, &f);
    double evaluations = f.evaluations; /* with the first result, so that sums are right */
    for (size_t i = 0; fine && i < f.all.count; i++) {
        if (is_beaten(&f, i)) continue;
        weir_dse_result result = f.all.list[i];
        result.evaluations = evaluations;
        evaluations = 0;
        fine = sink(user, &result);
    }
    weir_dse_kept_free(&f.all);
    return fine;
}

static const weir_dse_option pareto_options[] = {
    {"of", NULL, WEIR_DSE_TEXT, "energy,latency",
     "what to minimize: energy, latency, and of hardware time, luts, flip_flops, multipliers, memory_blocks, device "
     "(its size)"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_pareto = {.options = pareto_options, .run = run_pareto};
