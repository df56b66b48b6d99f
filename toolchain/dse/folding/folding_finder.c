#include "dse/folding/folding_search_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/folding.h"
#include "dataflow/schedule/signature.h"
#include "dataflow/schedule/stream.h"
#include "dse/folding/folding_budget.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

enum {
    RESOURCES = WEIR_KNAPSACK_RESOURCES,
    BUILD_WORK = 40000, /* to build a node */
    SCHEDULE_WORK = 60  /* for a step of its schedule */
};

/* --- what is minimized --- */

/* Fewest lookup tables; of the rest a block counts for eight flip-flops. */
const weir_folding_weights weir_folding_least_area = {.each = {INT64_C(1) << 20, 1, 8, 8}};

/* fJ a cycle in which a node works, and in any cycle for the clock: README.md gives the model. Those of the configured
 * device itself, a lookup table of it, are STATIC_FJ at 100 MHz. */
enum { STATIC_FJ = 30 };
const weir_folding_weights weir_folding_least_energy = {.busy = {40, 15, 4000, 8000}, .cycle = {0, 10, 200, 400}};

/* The least latency by a mix of bounds, with few cycles of all nodes: a slow one holds back those beside it, which the
 * sums do not see. */
const weir_folding_weights weir_folding_quick = {.share = WEIR_FOLDING_SHARE, .node = WEIR_FOLDING_CYCLE >> 6};

int64_t weir_folding_energy(const int64_t *use, int64_t busy, int64_t interval) {
    assert(busy >= 0 && interval >= 0);
    int64_t sum = 0;
    for (int r = 0; r < RESOURCES; r++)
        sum += use[r] * (weir_folding_least_energy.busy[r] * busy + weir_folding_least_energy.cycle[r] * interval);
    return sum;
}

int64_t weir_folding_static_energy(const weir_target *target, int64_t interval) {
    assert(interval >= 0 && target->clock_mhz > 0);
    return interval * target->device->luts.count * STATIC_FJ * 100 / target->clock_mhz;
}

bool weir_folding_solve(weir_folding_finder *s, size_t index, int64_t limit, int64_t *bound) {
    assert(index < weir_folding_space_count(s->space));
    weir_knapsack_price always;
    const int64_t shares = weir_folding_space_share(s->space, index, s->mix);
    weir_knapsack k = *weir_folding_space_at(s->space, index, &always);
    s->work -= weir_folding_space_steps(s->space);
    always.value += WEIR_FOLDING_SHARE * shares;
    if (s->request->objective == WEIR_FOLDING_ENERGY)
        always.value += weir_folding_static_energy(&s->target, weir_folding_space_interval(s->space, index));
    for (int r = 0; r < RESOURCES; r++) k.budget[r] = s->budget[r] - s->reserve[r] - always.use[r];
    k.limit = limit - always.value;
    k.capacity = s->capacity;
    k.work = s->work > s->parts ? s->work / s->parts : 1;
    size_t *chosen = weir_calloc(k.count + 1, sizeof *chosen);
    const weir_knapsack_result result = weir_knapsack_solve(&k, chosen);
    s->work -= result.work;
    *bound = result.bound + always.value;
    for (int r = 0; r < RESOURCES; r++)
        if (result.least[r] + always.use[r] < s->least[r]) s->least[r] = result.least[r] + always.use[r];
    if (!result.fits) {
        free(chosen);
        return false;
    }
    free(s->pick);
    s->pick = weir_folding_space_picks(s->space, chosen);
    free(chosen);
    s->index = index;
    s->fits = true;
    s->total = always;
    for (int r = 0; r < RESOURCES; r++) s->total.use[r] += result.total.use[r];
    s->total.value += result.total.value;
    s->built = (weir_folding_report){.interval = 0};
    return true;
}

/* --- what comes of it --- */

void weir_folding_use(const weir_cost *cost, const weir_device *device, int64_t *use) {
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(cost, device, uses);
    for (int r = 0; r < RESOURCES; r++) use[r] = uses[r].used;
}

static void use_of_fifos(const weir_graph *graph, const weir_cost_report *cost, const weir_device *device,
                         int64_t *use) {
    memset(use, 0, RESOURCES * sizeof *use);
    for (size_t i = 0; i < cost->count; i++) {
        if (weir_node_op(graph, cost->item[i].node) != WEIR_OP_FIFO) continue;
        int64_t of_one[RESOURCES];
        weir_folding_use(&cost->item[i].cost, device, of_one);
        for (int r = 0; r < RESOURCES; r++) use[r] += of_one[r];
    }
}

bool weir_folding_try_out(weir_folding_finder *s, int64_t limit) {
    weir_folding_report *built = &s->built;
    if (built->interval > 0) return true;
    assert(s->index < weir_folding_space_count(s->space));
    s->work -= BUILD_WORK * (int64_t)weir_graph_node_count(s->graph);
    weir_graph *copy = weir_component_copy(s->graph);
    weir_folding_space_apply(s->space, s->index, s->pick, copy);
    const int64_t interval = weir_folding_space_interval(s->space, s->index);
    weir_schedule_timing timing = {0};
    const bool fine =
        weir_folding_choose(copy, interval, INT32_MAX, NULL) && s->request->complete(copy, limit, &timing);
    s->work -= SCHEDULE_WORK * timing.steps;
    built->latency = timing.latency;
    if (fine) {
        weir_cost_report cost = weir_cost_of_graph(copy, s->target.device);
        weir_folding_use(&cost.total, s->target.device, built->used);
        use_of_fifos(copy, &cost, s->target.device, built->fifos);
        weir_folding_use(&cost.doors, s->target.device, built->doors);
        weir_cost_report_free(&cost);
        built->interval = weir_stream_interval(copy);
    }
    weir_graph_free(copy);
    return fine;
}

bool weir_folding_is_within(const weir_folding_finder *s) {
    for (int r = 0; r < RESOURCES; r++)
        if (s->built.used[r] > s->budget[r]) return false;
    return true;
}

/* --- room for FIFOs --- */

bool weir_folding_try_room(weir_folding_finder *s, weir_folding_spare *tried) {
    bool changes = false;
    if (s->fits) memcpy(tried->low, s->reserve, sizeof tried->low);
    else memcpy(tried->high, s->reserve, sizeof tried->high);
    tried->has_high |= !s->fits;
    for (int r = 0; r < RESOURCES; r++) {
        const int64_t beside = s->built.fifos[r] + s->built.doors[r];
        int64_t next = tried->low[r];
        if (tried->has_high) next += (tried->high[r] - tried->low[r]) / 2;
        else if (s->built.used[r] > s->budget[r] && beside > next) next = beside;
        else if (s->built.used[r] > s->budget[r]) next += s->built.used[r] - s->budget[r];
        else if (beside < next) next = beside; /* for another resource to use */
        changes |= next != tried->low[r];
        s->reserve[r] = next;
    }
    return changes;
}

bool weir_folding_is_short(const weir_folding_finder *s) {
    bool any = false;
    for (int r = 0; r < RESOURCES; r++) any |= s->least[r] > s->budget[r] - s->reserve[r];
    return any;
}

size_t weir_folding_count_within(const weir_folding_finder *s, int64_t longest) {
    size_t count = weir_folding_space_count(s->space);
    while (count > 0 && longest > 0 && weir_folding_space_interval(s->space, count - 1) > longest) count--;
    return count;
}

weir_folding_finder weir_folding_start(const weir_graph *graph, const weir_folding_request *request) {
    weir_folding_finder s = {.graph = graph,
                             .target = weir_target_of(graph),
                             .request = request,
                             .work = WEIR_FOLDING_MOST_WORK,
                             .parts = WEIR_FOLDING_SOME_PARTS};
    if (request->objective == WEIR_FOLDING_LATENCY) s.capacity = WEIR_FOLDING_FEW;
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&(weir_cost){.luts = 0}, s.target.device, uses);
    if (!request->whole) weir_folding_margin(s.target.device, s.margin);
    for (int r = 0; r < RESOURCES; r++) {
        int64_t room = uses[r].available - s.margin[r];
        if (room > WEIR_KNAPSACK_MOST_USE) room = WEIR_KNAPSACK_MOST_USE;
        const int64_t asked = weir_folding_budget_of(request->budget[r], uses[r].available);
        s.available[r] = uses[r].available;
        s.budget[r] = asked < room ? asked : room;
    }
    for (int r = 0; r < RESOURCES; r++) s.least[r] = INT64_MAX;
    s.space = weir_folding_space_new(graph, request->objective == WEIR_FOLDING_ENERGY    ? &weir_folding_least_energy
                                            : request->objective == WEIR_FOLDING_LATENCY ? &weir_folding_quick
                                                                                         : &weir_folding_least_area);
    return s;
}

void weir_folding_finish(weir_folding_finder *s) {
    weir_folding_space_free(s->space);
    free(s->pick);
}
