/* Stages that make one result of many, or change what comes with them. */
#include <math.h>

#include "dse/stages/stages.h"

/* --- the best --- */

typedef bool is_better(const weir_dse_cost *a, const weir_dse_cost *b);

static bool less_energy(const weir_dse_cost *a, const weir_dse_cost *b) {
    return a->energy < b->energy || (a->energy == b->energy && a->latency < b->latency);
}
static bool less_latency(const weir_dse_cost *a, const weir_dse_cost *b) {
    return a->latency < b->latency || (a->latency == b->latency && a->energy < b->energy);
}
static bool less_product(const weir_dse_cost *a, const weir_dse_cost *b) {
    return a->energy * a->latency < b->energy * b->latency;
}

typedef struct minimum {
    is_better *better;
    bool keeps_others;
    weir_dse_kept best, others;
    double evaluations;
} minimum;

static bool take_best(void *user, const weir_dse_result *result) {
    minimum *m = user;
    m->evaluations += result->evaluations;
    if (result->evaluation == NULL) return true;
    if (m->best.count == 0 || m->better(&result->evaluation->cost, &m->best.list[0].evaluation->cost))
        weir_dse_kept_replace(&m->best, result);
    if (m->keeps_others) weir_dse_kept_add(&m->others, result);
    return true;
}

/* Nothing comes of nothing: the workload stage says which layer has no mapping. */
static bool run_minimal(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user,
                        is_better *better) {
    minimum m = {.better = better, .keeps_others = stage->value[0].number != 0};
    bool fine = weir_dse_stage_below(stage, context, take_best, &m);
    if (fine && m.best.count > 0)
        fine = sink(user, &(weir_dse_result){m.best.list[0].evaluation, m.evaluations, m.others.count, m.others.list,
                                             m.best.list[0].parameters});
    weir_dse_kept_free(&m.best);
    weir_dse_kept_free(&m.others);
    return fine;
}

static bool run_energy(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return run_minimal(stage, context, sink, user, less_energy);
}
static bool run_latency(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return run_minimal(stage, context, sink, user, less_latency);
}
static bool run_edp(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return run_minimal(stage, context, sink, user, less_product);
}

static const weir_dse_option minimal_options[] = {
    {"keep_others", "reduce_minimal_keep_others", WEIR_DSE_FLAG, "false", "keep all results beside the best"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_minimal_energy = {.options = minimal_options, .run = run_energy};
const weir_dse_stage_body weir_dse_stage_minimal_latency = {.options = minimal_options, .run = run_latency};
const weir_dse_stage_body weir_dse_stage_minimal_edp = {.options = minimal_options, .run = run_edp};

/* --- all together --- */

typedef struct total {
    weir_dse_evaluation sum;
    weir_dse_kept parts;
    double evaluations;
} total;

static void add_cost(weir_dse_cost *sum, const weir_dse_cost *cost) {
    sum->energy += cost->energy;
    sum->mac_energy += cost->mac_energy;
    sum->memory_energy += cost->memory_energy;
    sum->ideal += cost->ideal;
    sum->ideal_temporal += cost->ideal_temporal;
    sum->stall += cost->stall;
    sum->onloading += cost->onloading;
    sum->offloading += cost->offloading;
    sum->latency += cost->latency;
    sum->latency_computation += cost->latency_computation;
    sum->latency_loaded += cost->latency_loaded;
}

/* All of it is there at once, or one part after the other on the same. */
static void add_hardware(weir_dse_hardware *sum, const weir_dse_hardware *part) {
    for (int r = 0; r < WEIR_KNAPSACK_RESOURCES; r++) sum->use[r] += part->use[r];
    if (part->delay_ps > sum->delay_ps) sum->delay_ps = part->delay_ps;
    sum->point = part->point;
}

static bool take_part(void *user, const weir_dse_result *result) {
    total *t = user;
    t->evaluations += result->evaluations;
    if (result->evaluation == NULL && result->count == 0) return true;
    if (result->evaluation != NULL) {
        add_cost(&t->sum.cost, &result->evaluation->cost);
        add_hardware(&t->sum.hardware, &result->evaluation->hardware);
        t->sum.accelerator = result->evaluation->accelerator;
        t->sum.rules = result->evaluation->rules;
    }
    weir_dse_kept_add(&t->parts, result);
    return true;
}

/* Runs the stages below into a total, which goes on with its sum, or as a list alone. */
static bool run_total(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user,
                      weir_dse_sink *take, bool summed) {
    total t = {.evaluations = 0};
    const bool fine =
        weir_dse_stage_below(stage, context, take, &t) &&
        sink(user, &(weir_dse_result){summed ? &t.sum : NULL, t.evaluations, t.parts.count, t.parts.list, NULL});
    weir_dse_kept_free(&t.parts);
    return fine;
}

static bool run_sum(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return run_total(stage, context, sink, user, take_part, true);
}

/* The latencies are those of the slowest. */
static bool take_parallel(void *user, const weir_dse_result *result) {
    total *t = user;
    weir_dse_cost slowest = t->sum.cost;
    if (!take_part(user, result)) return false;
    if (result->evaluation == NULL) return true;
    if (result->evaluation->cost.latency > slowest.latency) slowest = result->evaluation->cost;
    slowest.energy = t->sum.cost.energy;
    slowest.mac_energy = t->sum.cost.mac_energy;
    slowest.memory_energy = t->sum.cost.memory_energy;
    t->sum.cost = slowest;
    return true;
}

static bool run_pipeline(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                         void *user) {
    return run_total(stage, context, sink, user, take_parallel, true);
}

static bool run_listify(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return run_total(stage, context, sink, user, take_part, false);
}

const weir_dse_stage_body weir_dse_stage_sum = {.run = run_sum};
const weir_dse_stage_body weir_dse_stage_pipeline = {.run = run_pipeline};
const weir_dse_stage_body weir_dse_stage_listify = {.run = run_listify};

/* --- as they are --- */

typedef struct target {
    weir_dse_sink *sink;
    void *user;
} target;

static bool drop_extra(void *user, const weir_dse_result *result) {
    const target *t = user;
    if (result->evaluation == NULL) return t->sink(t->user, result); /* a list is the result itself */
    return t->sink(t->user, &(weir_dse_result){result->evaluation, result->evaluations, 0, NULL, NULL});
}

static bool run_remove(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return weir_dse_stage_below(stage, context, drop_extra, &(target){sink, user});
}

static bool run_cache(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    total t = {.evaluations = 0};
    bool fine = weir_dse_stage_below(stage, context, take_part, &t);
    for (size_t i = 0; fine && i < t.parts.count; i++) fine = sink(user, &t.parts.list[i]);
    weir_dse_kept_free(&t.parts);
    return fine;
}

const weir_dse_stage_body weir_dse_stage_remove_extra_info = {.run = run_remove};
const weir_dse_stage_body weir_dse_stage_cache_before_yield = {.run = run_cache};
