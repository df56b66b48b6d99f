/* A stage of one's own: passes on the results that take at most so much energy.
 *
 *     cc -shared -fPIC $(pkg-config --cflags weir-plugin) limit_energy.c -o limit_energy.so
 *     weir dse ... --load-stage ./limit_energy.so --stages '...,minimal_latency,limit_energy{most=1e9},loma,cost_model'
 */
#include "dse/stages/stage.h"

/* Where results go, and the limit. */
typedef struct filter {
    weir_dse_sink *sink;
    void *user;
    double most;
} filter;

static bool take(void *user, const weir_dse_result *result) {
    const filter *f = user;
    const bool too_much = result->evaluation != NULL && result->evaluation->cost.energy > f->most;
    return too_much || f->sink(f->user, result);
}

static bool run(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    return weir_dse_stage_below(stage, context, take, &(filter){sink, user, stage->value[0].number});
}

static const weir_dse_option options[] = {{"most", NULL, WEIR_DSE_REAL, "1e12", "energy in pJ"}, {.name = NULL}};
static const weir_dse_stage_body body = {.options = options, .run = run};
static const weir_dse_stage_info info = {"limit_energy", "drop results that take more energy", &body};

static bool add(weir_dse_registry *registry) { return weir_dse_registry_add(registry, &info); }
WEIR_DSE_STAGES(add);
