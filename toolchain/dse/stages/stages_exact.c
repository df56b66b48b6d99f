/* The stage that searches the order and allocation with the least energy exactly. */
#include <math.h>
#include <string.h>

#include "dse/mapping/exact.h"
#include "dse/stages/stages.h"
#include "support/text/diag.h"

/* Does the leaf count reads of data that stay at a memory's output? */
static weir_dse_rules rules_of(const weir_dse_stage *stage) {
    while (stage->below != NULL) stage = stage->below;
    weir_dse_rules rules = {.access_same_free = true};
    for (int i = 0; stage->info->body->options != NULL && stage->info->body->options[i].name != NULL; i++)
        if (strcmp(stage->info->body->options[i].name, "access_same_free") == 0)
            rules.access_same_free = stage->value[i].number != 0;
    return rules;
}

typedef struct check {
    weir_dse_sink *sink;
    void *user;
    const weir_dse_layer *layer;
    double least;
} check;

/* The sums of the search and of the cost model are rounded at other places. */
static bool compare(void *user, const weir_dse_result *result) {
    const check *c = user;
    const weir_dse_evaluation *e = result->evaluation;
    if (e != NULL && fabs(e->cost.energy - c->least) > 1e-9 * c->least)
        weir_warning(c->layer->location, "layer '%s': the mapping takes %.17g pJ, the bound is %.17g", c->layer->name,
                     e->cost.energy, c->least);
    return c->sink(c->user, result);
}

static bool run_exact(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    weir_dse_temporal temporal = {.problem = weir_dse_get(context, WEIR_DSE_SPATIAL)};
    const weir_dse_layer *layer = temporal.problem->layer;
    const weir_dse_rules rules = rules_of(stage);
    check c = {sink, user, layer, 0};
    bool too_many;
    if (!weir_dse_exact_energy(&temporal, &rules, &c.least, &too_many)) {
        if (too_many)
            weir_error(layer->location, "layer '%s' has too many loop factors for an exact search", layer->name);
        return !too_many;
    }
    const weir_dse_context frame = {context, WEIR_DSE_TEMPORAL, &temporal};
    return weir_dse_stage_below(stage, &frame, compare, &c);
}

const weir_dse_stage_body weir_dse_stage_exact = {
    .takes = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_SPATIAL),
    .gives = WEIR_DSE_KEYS(WEIR_DSE_ACCELERATOR, WEIR_DSE_LAYER, WEIR_DSE_SPATIAL, WEIR_DSE_TEMPORAL),
    .run = run_exact};
