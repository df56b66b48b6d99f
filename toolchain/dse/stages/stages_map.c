/* Stages that map a layer: spatially, temporally, and the cost model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dse/mapping/ordering.h"
#include "dse/stages/stages.h"
#include "support/process/progress.h"
#include "support/process/seconds.h"
#include "support/text/diag.h"

/* --- spatial --- */

static bool run_with_unroll(const weir_dse_stage *stage, const weir_dse_context *context, const weir_dse_unroll *unroll,
                            weir_dse_sink *sink, void *user) {
    const weir_dse_accelerator *accelerator = weir_dse_get(context, WEIR_DSE_ACCELERATOR);
    weir_dse_problem *problem = weir_dse_problem_new(accelerator, weir_dse_get(context, WEIR_DSE_LAYER), unroll);
    const weir_dse_context given = {context, WEIR_DSE_UNROLL, unroll};
    const weir_dse_context whole = {&given, WEIR_DSE_SPATIAL_WHOLE, &problem->whole};
    const weir_dse_context spatial = {&whole, WEIR_DSE_SPATIAL, problem};
    const bool fine = weir_dse_stage_below(stage, &spatial, sink, user);
    weir_dse_problem_free(problem);
    return fine;
}

static bool run_conversion(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                           void *user) {
    const weir_dse_unroll *given = weir_dse_get(context, WEIR_DSE_UNROLL);
    weir_dse_unroll own;
    if (given == NULL) {
        given = &own;
        if (!weir_dse_spatial_stated(weir_dse_get(context, WEIR_DSE_ACCELERATOR), weir_dse_get(context, WEIR_DSE_LAYER),
                                     &own))
            return false;
    }
    return run_with_unroll(stage, context, given, sink, user);
}

const weir_dse_stage_body weir_dse_stage_spatial_mapping_conversion = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER),
    .gives =
        WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_UNROLL, WEIR_DSE_SPATIAL, WEIR_DSE_SPATIAL_WHOLE),
    .run = run_conversion};

enum { GENERATOR_COUNT, GENERATOR_MIXED };

static bool run_generator(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                          void *user) {
    const weir_dse_spatial_options options = {(int)stage->value[GENERATOR_COUNT].number,
                                              stage->value[GENERATOR_MIXED].number != 0};
    int count;
    weir_dse_unroll *unrolls = weir_dse_spatial_generate(weir_dse_get(context, WEIR_DSE_ACCELERATOR),
                                                         weir_dse_get(context, WEIR_DSE_LAYER), &options, &count);
    bool fine = unrolls != NULL;
    weir_dse_progress *progress = (weir_dse_progress *)weir_dse_get(context, WEIR_DSE_PROGRESS);
    for (int i = 0; fine && i < count; i++) {
        if (progress != NULL) progress->part = 1000000 / (uint64_t)count;
        fine = run_with_unroll(stage, context, &unrolls[i], sink, user);
        if (progress != NULL) progress->done += 1000000 / (uint64_t)count;
    }
    free(unrolls);
    return fine;
}

static const weir_dse_option generator_options[] = {
    {"count", "nb_mappings_generated", WEIR_DSE_COUNT, "3", "largest number of mappings, at least 1"},
    {"mixed", "enable_mix_spatial_mapping_generation", WEIR_DSE_FLAG, "false",
     "several loops along one array dimension"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_spatial_mapping_generator = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER),
    .gives =
        WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_UNROLL, WEIR_DSE_SPATIAL, WEIR_DSE_SPATIAL_WHOLE),
    .options = generator_options,
    .run = run_generator};

/* --- temporal --- */

/* One order after the other goes to the stage below, as far as it fits the memories. */
typedef struct search {
    const weir_dse_stage *stage;
    const weir_dse_context *context;
    weir_dse_sink *sink;
    void *user;
    weir_dse_temporal temporal;
    bool is_even, fits;
    weir_dse_misfit misfit; /* of the last order that did not fit */
} search;

static bool try_order(search *s) {
    if (!weir_dse_temporal_allocate(&s->temporal, s->is_even, &s->misfit)) return true;
    s->fits = true;
    const weir_dse_context frame = {s->context, WEIR_DSE_TEMPORAL, &s->temporal};
    return weir_dse_stage_below(s->stage, &frame, s->sink, s->user);
}

enum { REPORT = 1 << 16 };

/* Each 65,536 orders of all layers: how many, how fast; `share`: of this spatial mapping. */
static void report_progress(const search *s, uint64_t more, double share) {
    weir_dse_progress *p = (weir_dse_progress *)weir_dse_get(s->context, WEIR_DSE_PROGRESS);
    if (p == NULL) return;
    const uint64_t before = atomic_fetch_add(&p->orders, more), orders = before + more;
    if (before / REPORT == orders / REPORT) return;
    const double done = ((double)p->done + share * (double)p->part) / 1e6 / (double)p->layers;
    char what[160];
    snprintf(what, sizeof what, "layer %.60s: %.0f orders a second; percent", s->temporal.problem->layer->name,
             (double)orders / (weir_seconds() - p->start));
    weir_progress(what, 100 * done, 100, p->start);
}

static bool try_all(search *s, int limit) {
    const weir_dse_problem *problem = s->temporal.problem;
    weir_dse_loops factors;
    weir_dse_ordering ordering;
    bool fine = true;
    weir_dse_ordering_factors(problem, limit, &factors);
    weir_dse_ordering_start(&ordering, problem->layer, &factors);
    const double total = weir_dse_ordering_count(&factors);
    uint64_t done = 0;
    do {
        if (++done % REPORT == 0) report_progress(s, REPORT, (double)done / total);
        weir_dse_ordering_read(&ordering, &s->temporal.loops);
        if (weir_dse_ordering_allowed(problem->layer, &s->temporal.loops)) fine = try_order(s);
    } while (fine && weir_dse_ordering_step(&ordering));
    report_progress(s, done % REPORT, 1);
    return fine;
}

/* A spatial mapping under which no order fits is left out, or ends the run as in ZigZag. */
static bool report_misfit(const search *s, bool is_fatal) {
    const weir_dse_problem *p = s->temporal.problem;
    const weir_dse_misfit *m = &s->misfit;
    if (m->memory == NULL) {
        weir_error(p->layer->location, "layer '%s': no order of its loops satisfies the mapping '%s'", p->layer->name,
                   p->layer->mapping->name);
        return false;
    }
    void (*report)(weir_location, const char *, ...) = is_fatal ? weir_error : weir_warning;
    report(p->layer->location, "layer '%s': no order of its loops fits a spatial mapping", p->layer->name);
    if (m->operand < 3)
        weir_note("memory '%s' of '%s' has %.0f bits, operand '%c' needs %.0f: %.0f too many", m->memory->name,
                  p->accelerator->name, m->memory->size, p->layer->operand[m->operand].name, m->bits,
                  m->bits - m->memory->size);
    else
        weir_note("memory '%s' of '%s' has %.0f bits, its operands together need %.0f: %.0f too many", m->memory->name,
                  p->accelerator->name, m->memory->size, m->bits, m->bits - m->memory->size);
    return !is_fatal;
}

static bool start_search(search *s, const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                         void *user, const char *type) {
    *s = (search){.stage = stage, .context = context, .sink = sink, .user = user};
    s->temporal.problem = weir_dse_get(context, WEIR_DSE_SPATIAL);
    s->is_even = strcmp(type, "even") == 0;
    if (s->is_even || strcmp(type, "uneven") == 0) return true;
    weir_error(WEIR_NOWHERE, "stage '%s': type: expected even or uneven, found '%s'", stage->info->name, type);
    return false;
}

enum { TEMPORAL_LIMIT, TEMPORAL_TYPE, TEMPORAL_FATAL };

static bool run_temporal(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink,
                         void *user) {
    search s;
    if (!start_search(&s, stage, context, sink, user, stage->value[TEMPORAL_TYPE].text)) return false;
    const bool stated = weir_dse_ordering_stated(s.temporal.problem, &s.temporal.loops);
    const bool fine = stated ? try_order(&s) : try_all(&s, (int)stage->value[TEMPORAL_LIMIT].number);
    return fine && (s.fits || report_misfit(&s, stage->value[TEMPORAL_FATAL].number != 0));
}

static const weir_dse_option temporal_options[] = {
    {"lpf_limit", "loma_lpf_limit", WEIR_DSE_COUNT, "0", "loops to permute at most; 0: all prime factors"},
    WEIR_DSE_TYPE_OPTION,
    {"fatal_misfit", NULL, WEIR_DSE_FLAG, "false", "a spatial mapping that fits no order ends the run, as in ZigZag"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_temporal_mapping_generator = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_SPATIAL),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_SPATIAL, WEIR_DSE_TEMPORAL),
    .options = temporal_options,
    .run = run_temporal};

static bool run_stated(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    search s;
    if (!start_search(&s, stage, context, sink, user, stage->value[0].text)) return false;
    const weir_dse_layer *layer = s.temporal.problem->layer;
    if (!weir_dse_ordering_stated(s.temporal.problem, &s.temporal.loops)) {
        weir_error(layer->location, "layer '%s': the mapping '%s' has no temporal_ordering with all of its loops",
                   layer->name, layer->mapping->name);
        return false;
    }
    return try_order(&s) && (s.fits || report_misfit(&s, true));
}

static const weir_dse_option stated_options[] = {WEIR_DSE_TYPE_OPTION, {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_temporal_ordering_conversion = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_SPATIAL),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_SPATIAL, WEIR_DSE_TEMPORAL),
    .options = stated_options,
    .run = run_stated};

/* --- the leaf --- */

enum { COST_ACCESS, COST_NEGATIVE, COST_HALF };

static bool run_cost(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    weir_dse_evaluation e = {.temporal = weir_dse_get(context, WEIR_DSE_TEMPORAL)};
    e.layer = e.temporal->problem->layer;
    e.accelerator = e.temporal->problem->accelerator;
    e.rules = (weir_dse_rules){.negative_onloading = stage->value[COST_NEGATIVE].number != 0,
                               .half_shared_replaced = stage->value[COST_HALF].number != 0,
                               .access_same_free = stage->value[COST_ACCESS].number != 0};
    weir_dse_cost_of(e.temporal, &e.rules, &e.cost, NULL);
    return sink(user, &(weir_dse_result){&e, 1, 0, NULL, NULL});
}

static const weir_dse_option cost_options[] = {
    {"access_same_free", "access_same_data_considered_as_no_access", WEIR_DSE_FLAG, "true",
     "data that stay at a memory's output are not read again"},
    {"negative_onloading", NULL, WEIR_DSE_FLAG, "false", "loading may take less than no time, as in ZigZag"},
    {"half_shared_replaced", NULL, WEIR_DSE_FLAG, "false",
     "of links with one shared port the last counts, as in ZigZag"},
    {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_cost_model = {.is_leaf = true,
                                                       .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER,
                                                                              WEIR_DSE_SPATIAL, WEIR_DSE_SPATIAL_WHOLE,
                                                                              WEIR_DSE_TEMPORAL),
                                                       .options = cost_options,
                                                       .run = run_cost};
