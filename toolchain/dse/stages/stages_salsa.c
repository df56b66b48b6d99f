/* SALSA: simulated annealing over orders of loops (Jung et al., "SALSA", 2023), from a seed. */
#include <math.h>
#include <string.h>

#include "dse/mapping/ordering.h"
#include "dse/stages/stages.h"
#include "support/memory/random.h"
#include "support/text/diag.h"

enum { SALSA_ITERATIONS, SALSA_TEMPERATURE, SALSA_SEED, SALSA_CORES, SALSA_OBJECTIVE, SALSA_TYPE };

/* The stages below cost an order; the best that was seen is kept with what they made of it. */
typedef struct annealing {
    const weir_dse_stage *stage;
    const weir_dse_context *context;
    bool is_even, by_latency, received;
    weir_dse_temporal temporal;
    double cost, best_cost, evaluations;
    weir_dse_kept best;
} annealing;

static bool take(void *user, const weir_dse_result *result) {
    annealing *a = user;
    a->evaluations += result->evaluations;
    if (result->evaluation == NULL) return true;
    a->received = true;
    a->cost = a->by_latency ? result->evaluation->cost.latency : result->evaluation->cost.energy;
    if (a->best.count > 0 && a->cost >= a->best_cost) return true;
    a->best_cost = a->cost;
    weir_dse_kept_replace(&a->best, result);
    return true;
}

/* The cost of the present order is in `cost`, infinity when it does not fit. */
static bool cost_order(annealing *a) {
    a->cost = INFINITY;
    if (!weir_dse_temporal_allocate(&a->temporal, a->is_even, NULL)) return true;
    const weir_dse_context frame = {a->context, WEIR_DSE_TEMPORAL, &a->temporal};
    return weir_dse_stage_below(a->stage, &frame, take, a);
}

static void swap(weir_dse_loops *loops, int i, int k) {
    const uint8_t dim = loops->dim[i];
    const double size = loops->size[i];
    loops->dim[i] = loops->dim[k];
    loops->size[i] = loops->size[k];
    loops->dim[k] = dim;
    loops->size[k] = size;
}

static int draw(uint64_t *state, int count) { return (int)(weir_random_next(state) >> 33) % count; }
/* In [0, 1). */
static double draw_real(uint64_t *state) { return (double)(weir_random_next(state) >> 11) * 0x1p-53; }

/* exp(x) for x <= 0 by its series, the same bits on every machine. */
static double decay(double x) {
    double sum = 1, term = 1;
    int halvings = 0;
    if (x < -700) return 0;
    for (; x < -0.5; halvings++) x /= 2;
    for (int i = 1; i < 20; i++) sum += term *= x / i;
    for (; halvings > 0; halvings--) sum *= sum;
    return sum;
}

static bool anneal(annealing *a, uint64_t state, int iterations, double temperature) {
    weir_dse_loops *loops = &a->temporal.loops;
    for (int i = loops->count - 1; i > 0; i--) swap(loops, i, draw(&state, i + 1));
    if (!cost_order(a)) return false;
    double present = a->cost;
    for (int n = 0; n < iterations && loops->count > 1; n++, temperature *= 0.995) {
        const int i = draw(&state, loops->count), k = draw(&state, loops->count);
        swap(loops, i, k);
        if (!cost_order(a)) return false;
        const double worse = isinf(present) ? 0 : isinf(a->cost) ? -INFINITY : present / a->cost - 1;
        if (worse >= 0 || draw_real(&state) < decay(worse / temperature)) present = a->cost;
        else swap(loops, i, k);
    }
    return true;
}

static bool run_salsa(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    annealing a = {.stage = stage, .context = context};
    const char *objective = stage->value[SALSA_OBJECTIVE].text;
    const double walks = fmax(1, stage->value[SALSA_CORES].number);
    a.by_latency = strcmp(objective, "latency") == 0;
    if (!a.by_latency && strcmp(objective, "energy") != 0) {
        weir_error(WEIR_NOWHERE, "stage 'salsa': objective: expected energy or latency, found '%s'", objective);
        return false;
    }
    a.is_even = strcmp(stage->value[SALSA_TYPE].text, "even") == 0;
    a.temporal.problem = weir_dse_get(context, WEIR_DSE_SPATIAL);
    bool fine = true;
    for (double w = 0; fine && w < walks; w++) {
        weir_dse_ordering_factors(a.temporal.problem, 0, &a.temporal.loops);
        uint64_t seed = (uint64_t)stage->value[SALSA_SEED].number + (uint64_t)w * UINT64_C(0x9e3779b97f4a7c15);
        fine = anneal(&a, weir_random_next(&seed), (int)stage->value[SALSA_ITERATIONS].number,
                      stage->value[SALSA_TEMPERATURE].number);
    }
    if (fine && a.best.count > 0)
        fine = sink(user, &(weir_dse_result){a.best.list[0].evaluation, a.evaluations, 0, NULL, NULL});
    weir_dse_kept_free(&a.best);
    return fine;
}

static const weir_dse_option salsa_options[] = {
    {"iterations", "salsa_iteration_number", WEIR_DSE_COUNT, "1000", "orders to try"},
    {"temperature", "salsa_start_temperature", WEIR_DSE_REAL, "0.05", "at the start; it falls by 0.5 % each step"},
    {"seed", NULL, WEIR_DSE_COUNT, "1", "of the random numbers"},
    {"walks", "salsa_number_of_core", WEIR_DSE_COUNT, "1", "number of starts; the best counts"},
    {"objective", "salsa_opt_criterion", WEIR_DSE_TEXT, "energy", "energy or latency"},
    WEIR_DSE_TYPE_OPTION,
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_salsa = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_SPATIAL),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_SPATIAL, WEIR_DSE_TEMPORAL),
    .options = salsa_options,
    .run = run_salsa};
