#include "dse/folding/folding_search.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/cost.h"
#include "dataflow/folding.h"
#include "dataflow/signature.h"
#include "dataflow/stream.h"
#include "dataflow/target.h"
#include "dse/folding/folding_budget.h"
#include "dse/folding/folding_exact.h"
#include "dse/folding/folding_space.h"
#include "support/arena.h"
#include "support/diag.h"

enum {
    RESOURCES = WEIR_KNAPSACK_RESOURCES,
    ROUNDS = 12,
    FEW_ROUNDS = 4,
    FEW = 200, /* partial choices of a knapsack, where the value is only a bound of the latency */
    FEWER = 32,
    MIXES = 12,
    MOST_STEPS =
        2000000, /* of service rules and what goes with them, in the exact search for a latency over all intervals */
    FEW_BEGINNINGS = 60,
    MOST_BEGINNINGS = 6000
};

/* A search counts its steps, of about a nanosecond each, so that deep networks take no longer than others and every machine finds the same:
 * comparisons of a knapsack's choices, which may be a part of what is left, and in such steps what else it does. Where none are left, the
 * rest of the intervals is not searched; their bounds are those that are known. */
enum {
    MOST_WORK = 1000000000,
    SOME_PARTS = 4,
    BUILD_WORK = 40000, /* to build a node */
    RELAX_WORK = 40     /* to relax an option in the exact search */
};

#define NEVER (INT64_C(1) << 60) /* more than any value (knapsack.h) */

/* --- what is minimized --- */

/* Fewest lookup tables; of the rest a block counts for eight flip-flops. */
static const weir_folding_weights area = {.each = {INT64_C(1) << 20, 1, 8, 8}};

/* fJ a cycle in which a node works, and in any cycle for the clock: README.md gives the model. Those of the configured device itself, a
 * lookup table of it, are STATIC_FJ at 100 MHz. */
enum { STATIC_FJ = 30 };
static const weir_folding_weights energy = {.busy = {40, 15, 4000, 8000}, .cycle = {0, 10, 200, 400}};

/* The least latency by a mix of bounds, in CYCLEths, for multipliers are whole numbers; and with it few cycles of all nodes: a slow one
 * holds back those beside it, which the sums do not see. */
enum { SHARE = 1 << 10, CYCLE = SHARE * WEIR_FOLDING_SHARES };
static const weir_folding_weights mixed = {.share = SHARE}, quick = {.share = SHARE, .node = CYCLE >> 6};
/* The same where budgets are tight: a cycle is worth a lookup table. */
static const weir_folding_weights thrifty = {.share = SHARE, .each = {CYCLE, 1, 8, 8}};

typedef struct search {
    const weir_graph *graph;
    weir_target target;
    const weir_folding_request *request;
    weir_folding_space *space;
    int64_t available[RESOURCES], margin[RESOURCES];
    int64_t budget[RESOURCES], reserve[RESOURCES]; /* of the budget, for what the schedule asks for */
    /* found */
    bool fits;
    size_t index;
    weir_folding_pick *pick;
    weir_knapsack_price total;
    int64_t value, bound;
    size_t capacity;           /* of knapsacks (knapsack.h) */
    bool is_again;             /* searched before with other room for FIFOs */
    int64_t work, parts;       /* steps of knapsacks that are left, and of these the part that the next one may take */
    const int64_t *mix;        /* of bounds, for a latency; NULL: the first */
    weir_folding_report built; /* what comes of it; interval 0: not known */
    int64_t least[RESOURCES];
} search;

int64_t weir_folding_energy(const int64_t *use, int64_t busy, int64_t interval) {
    int64_t sum = 0;
    for (int r = 0; r < RESOURCES; r++) sum += use[r] * (energy.busy[r] * busy + energy.cycle[r] * interval);
    return sum;
}

int64_t weir_folding_static_energy(const weir_target *target, int64_t interval) {
    return interval * target->device->luts.count * STATIC_FJ * 100 / target->clock_mhz;
}

/* Solves interval `index` for values below `limit`; the bound goes to `bound`, both with what is always taken. */
static bool solve(search *s, size_t index, int64_t limit, int64_t *bound) {
    weir_knapsack_price always;
    const int64_t shares = weir_folding_space_share(s->space, index, s->mix);
    weir_knapsack k = *weir_folding_space_at(s->space, index, &always);
    s->work -= weir_folding_space_steps(s->space);
    always.value += SHARE * shares;
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

/* Folds and completes a copy, unless that was done: what it all takes, without FIFOs where its latency is `limit` or more. False after
 * a reported error. */
static bool try_out(search *s, int64_t limit) {
    weir_folding_report *built = &s->built;
    if (built->interval > 0) return true;
    s->work -= BUILD_WORK * (int64_t)weir_graph_node_count(s->graph);
    weir_graph *copy = weir_graph_copy(s->graph);
    weir_folding_space_apply(s->space, s->index, s->pick, copy);
    const int64_t interval = weir_folding_space_interval(s->space, s->index);
    const bool fine =
        weir_folding_choose(copy, interval, INT32_MAX, NULL) && s->request->complete(copy, limit, &built->latency);
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

static bool is_within(const search *s) {
    for (int r = 0; r < RESOURCES; r++)
        if (s->built.used[r] > s->budget[r]) return false;
    return true;
}

/* --- room for FIFOs --- */

/* Room for FIFOs, and for the doors at the ports, none of which an item counts: what too little was, and what too much was, where nothing fitted beside it. */
typedef struct spare {
    int64_t low[RESOURCES], high[RESOURCES];
    bool has_high;
} spare;

/* More where the last folding took too much; between what is known of both kinds, where it is. False: there is nothing between. */
static bool try_room(search *s, spare *tried) {
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

/* --- the best --- */

/* Does a folding for the interval, of which that with no room for FIFOs is solved, fit with them? With more or less room, where the first one's
 * take too much. */
static bool fits_built(search *s, size_t index) {
    spare tried = {.has_high = false};
    for (int round = 0; round < ROUNDS && (s->work > 0 || round < FEW_ROUNDS); round++) {
        int64_t bound;
        if (round > 0) s->fits = solve(s, index, NEVER, &bound);
        if (s->fits && !try_out(s, INT64_MAX)) return false;
        if (s->fits && is_within(s)) return true;
        if (!try_room(s, &tried)) return false;
    }
    return false;
}

/* Is one resource short by itself in what was solved? What takes too much in the longest interval takes no less in a shorter one. */
static bool is_short(const search *s) {
    bool any = false;
    for (int r = 0; r < RESOURCES; r++) any |= s->least[r] > s->budget[r] - s->reserve[r];
    return any;
}

static bool is_hopeless(search *s, size_t index) {
    int64_t bound;
    for (int r = 0; r < RESOURCES; r++) s->least[r] = INT64_MAX;
    solve(s, index, -NEVER, &bound);
    return is_short(s);
}

/* Is one short for all intervals below `count`? Most foldings are looked at only where the slowest ones say so. */
static bool is_short_for_all(search *s, size_t count) {
    weir_folding_space_relax(s->space, true);
    const bool seems = is_hopeless(s, count - 1);
    weir_folding_space_relax(s->space, false);
    return seems && is_hopeless(s, count - 1);
}

/* The shortest interval below `count` for which no resource is short by itself, as none is for longer ones; `count`: there is none. */
static size_t first_not_short(search *s, size_t count) {
    if (is_short_for_all(s, count)) return count;
    size_t low = 0, high = 0;
    for (size_t step = 1; high + 1 < count && is_hopeless(s, high); step *= 2) {
        low = high + 1;
        high = high + step < count ? high + step : count - 1;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_hopeless(s, middle)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Intervals in increasing order until one fits; larger and larger steps when no work is left. */
static void find_fastest(search *s, size_t count) {
    int64_t unproven = NEVER;
    memset(s->reserve, 0, sizeof s->reserve);
    s->bound = NEVER;
    for (size_t i = first_not_short(s, count), step = 1; i<count; i += s->work> 0 || i + 1 == count ? 1 : step) {
        if (s->work <= 0) step = i + 2 * step < count ? 2 * step : count - 1 - i;
        if (step == 0) step = 1;
        const int64_t interval = weir_folding_space_interval(s->space, i);
        int64_t bound;
        memset(s->reserve, 0, sizeof s->reserve);
        s->fits = solve(s, i, NEVER, &bound);
        const bool may_fit = s->fits || bound < NEVER;
        if (may_fit && interval < unproven) s->bound = unproven = interval;
        if (may_fit && fits_built(s, i)) {
            s->value = interval;
            return;
        }
        s->fits = false;
    }
}

/* What no folding for a shorter interval takes less than, where that for the longest takes at least `least`: area grows as intervals
 * shrink, and energy is at least that of the device itself. */
static int64_t least_of_shorter(const search *s, int64_t least) {
    if (s->request->objective == WEIR_FOLDING_AREA) return least;
    const int64_t device = weir_folding_static_energy(&s->target, weir_folding_space_interval(s->space, 0));
    return device < least ? device : least;
}

/* All intervals, long ones first, which take little; when no work is left only that of the time before, if there was one. */
static void find_least(search *s, size_t count) {
    const size_t before = s->index;
    s->value = s->bound = NEVER;
    for (size_t i = count; i-- > 0;) {
        int64_t bound;
        if (s->work <= 0 && s->is_again && i != before) continue;
        if (s->work <= 0 && !s->is_again && s->fits) {
            s->bound = least_of_shorter(s, s->bound);
            break;
        }
        if (solve(s, i, s->value, &bound)) s->value = s->total.value;
        if (bound < s->bound) s->bound = bound;
    }
}

/* --- latency --- */

static void make_whole(double *part, size_t bounds) {
    double sum = 0;
    for (size_t i = 0; i < bounds; i++) sum += part[i];
    for (size_t i = 0; i < bounds; i++) part[i] /= sum;
}

/* Shares of the bounds, in fractions, by what the first choice comes to. */
static void mix_first(double *part, const int64_t *cycles, size_t bounds, int64_t most) {
    for (size_t i = 0; i < bounds; i++) {
        const double ratio = (double)cycles[i] / (double)most, square = ratio * ratio;
        part[i] = square * square * square * square;
    }
    make_whole(part, bounds);
}

/* Moves shares from bounds that the chosen folding keeps easily to those that it does not. */
static void mix_again(double *part, const int64_t *cycles, size_t bounds, double step) {
    double mean = 0;
    for (size_t i = 0; i < bounds; i++) mean += part[i] * (double)cycles[i];
    for (size_t i = 0; i < bounds; i++) {
        const double factor = 1 + step * ((double)cycles[i] / mean - 1);
        part[i] *= factor < 0.1 ? 0.1 : factor;
    }
    make_whole(part, bounds);
}

static void round_mix(int64_t *mix, const double *part, size_t bounds) {
    int64_t left = WEIR_FOLDING_SHARES;
    size_t most = 0;
    for (size_t i = 0; i < bounds; i++) {
        mix[i] = (int64_t)(part[i] * WEIR_FOLDING_SHARES);
        left -= mix[i];
        if (part[i] > part[most]) most = i;
    }
    mix[most] += left;
}

static int64_t most_of(const int64_t *cycles, size_t bounds) {
    int64_t most = 0;
    for (size_t i = 0; i < bounds; i++)
        if (cycles[i] > most) most = cycles[i];
    return most;
}

/* What no folding for the interval takes less than from end to end, or more than `enough`: the largest that a mix of the bounds proves. `best`
 * gets the mix whose choice is quickest by all bounds. */
static int64_t bound_of(search *s, size_t index, int64_t enough, int64_t *best) {
    const size_t bounds = weir_folding_space_bounds(s->space, index);
    int64_t *mix = weir_calloc(bounds, sizeof *mix), *cycles = weir_calloc(bounds, sizeof *cycles), least = 0,
            quickest = INT64_MAX;
    double *part = weir_calloc(bounds, sizeof *part);
    mix[0] = WEIR_FOLDING_SHARES;
    memset(s->reserve, 0, sizeof s->reserve);
    s->capacity = FEWER;
    weir_folding_space_weigh(s->space, &mixed);
    for (int step = 0, idle = 0;
         step < MIXES && idle < 3 && least < enough && least < quickest && (s->work > 0 || step == 0); step++) {
        int64_t bound;
        if (step > 0) round_mix(mix, part, bounds);
        s->mix = mix;
        const bool fits = solve(s, index, NEVER, &bound);
        bound = bound >= NEVER ? NEVER : (bound + CYCLE - 1) / CYCLE;
        idle = bound > least + least / 512 ? 0 : idle + (step > 1);
        if (bound > least) least = bound;
        if (!fits) break;
        weir_folding_space_latencies(s->space, s->pick, cycles);
        const int64_t most = most_of(cycles, bounds);
        if (most < quickest) memcpy(best, mix, bounds * sizeof *best);
        if (most < quickest) quickest = most;
        if (step == 0) mix_first(part, cycles, bounds, most);
        else mix_again(part, cycles, bounds, 4.0 / (1 + step / 4));
    }
    free(cycles);
    free(part);
    free(mix);
    s->mix = NULL;
    return least;
}

/* By what foldings are chosen, the choice with no room for FIFOs, and what the bounds say of it; NEVER: it does not fit. */
typedef struct taste {
    const weir_folding_weights *weights;
    int64_t *mix, cycles;
    size_t order; /* settles ties */
    weir_folding_pick *pick;
} taste;

static bool choose_by(search *s, size_t index, taste *by) {
    int64_t bound;
    s->mix = by->mix;
    weir_folding_space_weigh(s->space, by->weights);
    s->fits = solve(s, index, NEVER, &bound);
    by->cycles = NEVER;
    if (!s->fits) return false;
    const size_t bounds = weir_folding_space_bounds(s->space, index);
    int64_t *cycles = weir_malloc(bounds * sizeof *cycles);
    weir_folding_space_latencies(s->space, s->pick, cycles);
    by->cycles = most_of(cycles, bounds);
    free(cycles);
    return true;
}

/* A choice for the interval of the one before. */
static void set_pick(search *s, weir_folding_pick *pick) {
    free(s->pick);
    s->pick = pick;
    s->fits = true;
    s->built = (weir_folding_report){.interval = 0};
}

static weir_folding_pick *take_pick(search *s) {
    weir_folding_pick *pick = s->pick;
    s->pick = NULL;
    return pick;
}

static int by_cycles(const void *a, const void *b) {
    const taste *x = a, *y = b;
    if (x->cycles != y->cycles) return x->cycles < y->cycles ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* What was built is the best so far. */
static void keep(search *s, search *best) {
    free(best->pick);
    *best = *s;
    best->value = s->built.latency;
    s->pick = NULL;
}

/* The folding of interval `index` that is best by the weights and fits with its FIFOs becomes `best` if it is quicker. */
static void try_interval(search *s, size_t index, taste *by, search *best, bool is_first) {
    spare tried = {.has_high = false};
    if (by->cycles >= best->value || (s->work <= 0 && !is_first)) return;
    memset(s->reserve, 0, sizeof s->reserve);
    set_pick(s, by->pick);
    by->pick = NULL;
    for (int round = 0; round < FEW_ROUNDS; round++) {
        if ((round == 0 || choose_by(s, index, by)) &&
            (by->cycles >= best->value || !try_out(s, best->value) || s->built.latency >= best->value))
            return;
        if (s->fits && is_within(s)) break;
        if (!try_room(s, &tried)) return;
    }
    if (s->fits && is_within(s)) keep(s, best);
}

/* --- exactly --- */

typedef struct trial {
    search *search, *best;
} trial;

/* Built with its FIFOs, where it is the best so far and fits. */
static int64_t try_pick(void *user, const weir_folding_pick *pick, const int64_t *use, int64_t latency) {
    const trial *t = user;
    search *s = t->search;
    const size_t units = weir_folding_space_units(s->space);
    weir_folding_pick *copy = weir_malloc((units + 1) * sizeof *copy);
    memcpy(copy, pick, units * sizeof *pick);
    set_pick(s, copy);
    memcpy(s->total.use, use, sizeof s->total.use);
    (void)latency;
    if (try_out(s, t->best->value) && s->built.latency < t->best->value && is_within(s)) keep(s, t->best);
    return t->best->value;
}

/* Exactly, with room for so many beginnings. Returns what no folding for the interval takes less than, or the best: it becomes that of these,
 * where one is better and fits with its FIFOs. */
static int64_t search_exactly(search *s, size_t index, const int64_t *mix, size_t room, int64_t *work, search *best) {
    weir_knapsack_price always;
    weir_folding_space_weigh(s->space, &mixed);
    weir_folding_space_share(s->space, index, mix);
    weir_folding_space_at(s->space, index, &always);
    s->index = index;
    s->mix = NULL;
    const int64_t relaxing = RELAX_WORK * weir_folding_exact_options(s->space);
    if (relaxing > s->work / SOME_PARTS) return 0;
    s->work -= relaxing;
    trial t = {s, best};
    const weir_folding_exact exact = {s->budget, mix, best->value, room, work, try_pick, &t};
    return weir_folding_exact_search(s->space, &exact);
}

/* The foldings of interval `index` with the least energy, whose nodes work little at a time, those with short tails (folding_tail.c) and
 * those that the mix of bounds likes best. */
static void try_tastes(search *s, size_t index, int64_t *mix, search *best) {
    taste taste_of[] = {{&energy, NULL, 0, 0, NULL},
                        {&quick, NULL, 0, 1, NULL},
                        {&quick, mix, 0, 2, NULL},
                        {&mixed, mix, 0, 3, NULL},
                        {&thrifty, mix, 0, 4, NULL}};
    enum { TASTES = sizeof taste_of / sizeof *taste_of };
    s->capacity = FEW;
    memset(s->reserve, 0, sizeof s->reserve);
    for (size_t k = 0; k < TASTES; k++)
        if (choose_by(s, index, &taste_of[k])) taste_of[k].pick = take_pick(s);
    qsort(taste_of, TASTES, sizeof *taste_of, by_cycles);
    for (size_t k = 0; k < TASTES; k++) {
        try_interval(s, index, &taste_of[k], best, k == 0);
        free(taste_of[k].pick);
    }
}

/* What no folding for the interval takes less than, or the best, which becomes that of these where one is better: a bound first, then an
 * exact search with little room, and where that is not enough one with as much room as there is work for half of, and other foldings. */
static int64_t search_interval(search *s, size_t index, int64_t *work, search *best) {
    int64_t *mix = weir_calloc(weir_folding_space_bounds(s->space, index), sizeof *mix);
    int64_t bound = bound_of(s, index, best->value, mix);
    const bool first = bound < best->value && best->value == NEVER;
    if (first) try_tastes(s, index, mix, best);
    if (bound < best->value && best->value < NEVER) {
        const int64_t before = *work;
        int64_t proved = search_exactly(s, index, mix, FEW_BEGINNINGS, work, best);
        if (proved > bound) bound = proved;
        const int64_t steps = before - *work, times = steps > 0 ? *work / 2 / steps : 0;
        if (bound < best->value && times > 1) {
            const bool many = times >= MOST_BEGINNINGS / FEW_BEGINNINGS;
            proved = search_exactly(s, index, mix, many ? MOST_BEGINNINGS : (size_t)times * FEW_BEGINNINGS, work, best);
            if (proved > bound) bound = proved;
        }
        if (bound < best->value && !first) try_tastes(s, index, mix, best);
    }
    free(mix);
    return bound;
}

/* The least folding for the shortest interval that fits becomes the best. Returns the first interval that may have one that fits, else `count`. */
static size_t find_first(search *s, size_t count, search *best) {
    const int64_t work = s->work;
    weir_folding_space_weigh(s->space, &area);
    s->mix = NULL;
    s->capacity = 0;
    s->work = work / SOME_PARTS;
    find_fastest(s, count);
    s->work += work - work / SOME_PARTS;
    if (s->fits) keep(s, best);
    size_t first = 0;
    while (first < count && weir_folding_space_interval(s->space, first) < s->bound) first++;
    return first;
}

/* All intervals where one may still be quicker by the bounds; none where not even the least folding of any fits. */
static void find_quickest(search *s, size_t count) {
    search best = {.value = NEVER};
    int64_t least = NEVER, work = MOST_STEPS;
    const size_t first = find_first(s, count, &best);
    for (size_t i = first; best.value < NEVER && i < count && weir_folding_space_entry(s->space, i) < best.value; i++) {
        const bool spent = s->work <= 0;
        const int64_t bound = spent ? weir_folding_space_entry(s->space, i) : search_interval(s, i, &work, &best);
        if (bound < least) least = bound;
        if (spent) break; /* no later interval's entry is sooner */
    }
    best.work = s->work;
    free(s->pick);
    s->fits = best.value < NEVER;
    s->pick = best.pick;
    s->index = best.index;
    s->total = best.total;
    s->built = best.built;
    s->value = best.value;
    s->bound = least < best.value ? least : best.value;
}

/* Intervals that are no longer than that; 0: all. */
static size_t count_within(const search *s, int64_t longest) {
    size_t count = weir_folding_space_count(s->space);
    while (count > 0 && longest > 0 && weir_folding_space_interval(s->space, count - 1) > longest) count--;
    return count;
}

static void find(search *s, int64_t longest) {
    const size_t count = count_within(s, longest);
    s->fits = false;
    for (int r = 0; r < RESOURCES; r++) s->least[r] = INT64_MAX;
    if (count == 0) return;
    if (s->request->objective == WEIR_FOLDING_LATENCY) find_quickest(s, count);
    else if (s->request->objective == WEIR_FOLDING_THROUGHPUT) find_fastest(s, count);
    else if (!is_hopeless(s, count - 1)) find_least(s, count);
}

static search start(const weir_graph *graph, const weir_folding_request *request) {
    search s = {
        .graph = graph, .target = weir_target_of(graph), .request = request, .work = MOST_WORK, .parts = SOME_PARTS};
    if (request->objective == WEIR_FOLDING_LATENCY) s.capacity = FEW;
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&(weir_cost){.luts = 0}, s.target.device, uses);
    if (!request->whole) weir_folding_margin(s.target.device, s.margin);
    for (int r = 0; r < RESOURCES; r++) {
        int64_t room = uses[r].available - s.margin[r];
        if (room > WEIR_KNAPSACK_MOST_USE) room = WEIR_KNAPSACK_MOST_USE;
        s.available[r] = uses[r].available;
        s.budget[r] = request->budget[r] >= 0 && request->budget[r] < room ? request->budget[r] : room;
    }
    for (int r = 0; r < RESOURCES; r++) s.least[r] = INT64_MAX;
    s.space = weir_folding_space_new(graph, request->objective == WEIR_FOLDING_ENERGY    ? &energy
                                            : request->objective == WEIR_FOLDING_LATENCY ? &quick
                                                                                         : &area);
    return s;
}

static void finish(search *s) {
    weir_folding_space_free(s->space);
    free(s->pick);
}

/* --- what does not fit --- */

/* Does a slow folding fit, with its FIFOs? What takes too much in the longest interval takes no less in a shorter one. */
static bool has_room(const weir_graph *graph, const weir_folding_request *request) {
    weir_folding_request any = *request;
    any.objective = WEIR_FOLDING_AREA;
    search s = start(graph, &any);
    weir_folding_space_relax(s.space, true);
    bool fits = false, hopeless = false;
    for (size_t i = count_within(&s, request->interval); i-- > 0 && !fits && !hopeless;) {
        int64_t bound;
        fits = solve(&s, i, NEVER, &bound) && try_out(&s, INT64_MAX) && is_within(&s);
        hopeless = is_short(&s);
    }
    finish(&s);
    return fits;
}

/* Is a device too small, as the least says that the graph takes of the one it was refused for? Of the same family it takes the same; lookup
 * tables of one family do less than four times as much as those of another. */
static bool is_too_small(const search *refused, const weir_device *device) {
    const weir_device *other = refused->target.device;
    if (device->family != other->family) return refused->least[0] / 4 > weir_device_luts(device);
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&(weir_cost){.luts = 0}, device, uses);
    bool small = false;
    for (int r = 0; r < RESOURCES; r++) small |= refused->least[r] > uses[r].available;
    return small;
}

/* The smallest device that has room for the graph. NULL: none; heap memory. */
static char *roomier(const search *refused) {
    const weir_graph *graph = refused->graph;
    size_t count;
    char **devices = weir_device_names(&count), *nearest = NULL;
    int64_t least = INT64_MAX;
    for (size_t i = 0; devices != NULL && i < count; i++) {
        weir_graph *copy = weir_graph_copy(graph);
        weir_diag_log *log = weir_diag_capture();
        if (weir_target_set(copy, devices[i], weir_graph_clock(graph)) &&
            weir_target_of(copy).device->luts.count < least && !is_too_small(refused, weir_target_of(copy).device) &&
            has_room(copy, refused->request)) {
            least = weir_target_of(copy).device->luts.count;
            free(nearest);
            nearest = weir_copy_string(devices[i]);
        }
        weir_diag_release(log);
        weir_diag_log_free(log);
        weir_graph_free(copy);
    }
    free(devices);
    return nearest;
}

/* What the smallest design takes with its FIFOs: that with the least shares of the device together, in any time. */
static void note_smallest(const search *refused) {
    weir_folding_request any = *refused->request;
    any.objective = WEIR_FOLDING_AREA;
    search s = *refused;
    s.request = &any;
    s.pick = NULL;
    s.mix = NULL;
    s.capacity = 0;
    memset(s.reserve, 0, sizeof s.reserve);
    weir_folding_weights shares = {.node = 0};
    for (int r = 0; r < RESOURCES; r++) {
        shares.each[r] = s.available[r] > 0 ? (INT64_C(1) << 30) / s.available[r] : INT64_C(1) << 30;
        s.budget[r] = WEIR_KNAPSACK_MOST_USE;
    }
    weir_folding_space_weigh(s.space, &shares);
    weir_folding_space_relax(s.space, true);
    const size_t count = count_within(&s, any.interval);
    int64_t bound;
    if (count > 0 && solve(&s, count - 1, NEVER, &bound) && try_out(&s, INT64_MAX)) {
        weir_cost_use uses[WEIR_COST_USES];
        weir_cost_uses(&(weir_cost){.luts = 0}, s.target.device, uses);
        weir_text text = {NULL, 0, 0};
        for (int r = 0; r < RESOURCES; r++)
            weir_text_format(&text, "%s%lld %s of %lld", r == 0 ? "" : ", ", (long long)s.built.used[r], uses[r].name,
                             (long long)refused->budget[r]);
        weir_note("the smallest design takes %s", text.data);
        weir_text_free(&text);
    }
    free(s.pick);
}

/* 0: none. */
static int64_t shortest_that_fits(const search *refused) {
    weir_folding_request request = *refused->request;
    request.objective = WEIR_FOLDING_THROUGHPUT;
    search s = start(refused->graph, &request);
    find(&s, 0);
    const int64_t interval = s.fits ? weir_folding_space_interval(s.space, s.index) : 0;
    finish(&s);
    return interval;
}

static void note_margin(const search *s) {
    weir_text text = {NULL, 0, 0};
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&(weir_cost){.luts = 0}, s->target.device, uses);
    for (int r = 0; r < RESOURCES; r++) {
        if (s->margin[r] == 0 || s->budget[r] < s->available[r] - s->margin[r]) continue;
        weir_text_format(&text, "%s%lld of %lld %s", text.size == 0 ? "" : ", ", (long long)s->margin[r],
                         (long long)s->available[r], uses[r].name);
    }
    if (text.size > 0) weir_note("left free, because estimates are off by as much: %s", text.data);
    weir_text_free(&text);
}

static void refuse(search *s) {
    const weir_location at = weir_at(weir_graph_source(s->graph), 0);
    const int64_t asked = s->request->interval, shortest = weir_folding_space_interval(s->space, 0);
    if (asked > 0 && asked < shortest) {
        weir_error(at, "a frame takes %lld cycles with any folding, more than the %lld asked for", (long long)shortest,
                   (long long)asked);
        return;
    }
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&(weir_cost){.luts = 0}, s->target.device, uses);
    weir_text missing = {NULL, 0, 0};
    for (int r = 0; r < RESOURCES; r++) {
        const int64_t room = s->budget[r] - s->reserve[r];
        if (s->least[r] <= room) continue;
        weir_text_format(&missing, "%s%lld %s of %lld, %lld more", missing.size == 0 ? "" : "; ",
                         (long long)s->least[r], uses[r].name, (long long)room, (long long)(s->least[r] - room));
    }
    char *within = asked > 0 ? weir_format(" in %lld cycles a frame", (long long)asked) : weir_copy_string("");
    weir_error(at, "no folding fits %s%s%s%s", s->target.device->name, within,
               missing.size > 0 ? ": it takes at least " : ": what saves one resource takes too much of another",
               missing.size > 0 ? missing.data : "");
    weir_text_free(&missing);
    note_margin(s);
    const int64_t quickest = asked > 0 ? shortest_that_fits(s) : 0;
    if (quickest > 0) weir_note("the shortest interval that fits is %lld cycles a frame", (long long)quickest);
    char *nearest = roomier(s);
    if (nearest != NULL) weir_note("the smallest known device that has room%s is %s", within, nearest);
    else weir_note("no known device has room%s within this budget", within);
    free(nearest);
    free(within);
    note_smallest(s); /* last, for it changes the space */
}

/* --- what was found --- */

/* Solves again with other room for FIFOs where these were too much, until all of it fits. *bound: that of the first time. */
static bool find_that_fits(search *s, int64_t *bound) {
    spare tried = {.has_high = false};
    for (int round = 0; round < ROUNDS; round++) {
        s->is_again = round > 0;
        find(s, s->request->interval);
        if (round == 0) *bound = s->bound;
        if (!s->fits && round == 0) return false;
        if (s->fits && !try_out(s, INT64_MAX)) return false;
        if (s->fits && is_within(s)) return true;
        if (!try_room(s, &tried)) break;
    }
    s->fits = false;
    return false;
}

static bool find_settings(search *s, weir_graph *graph, weir_folding_report *report) {
    int64_t bound;
    const bool fine = find_that_fits(s, &bound);
    *report = s->built;
    report->objective = s->request->objective;
    report->intervals = weir_folding_space_count(s->space);
    memcpy(report->budget, s->budget, sizeof s->budget);
    memcpy(report->margin, s->margin, sizeof s->margin);
    memcpy(report->available, s->available, sizeof s->available);
    report->fits = s->fits;
    report->bound = bound;
    report->steps = MOST_WORK - s->work;
    if (!fine) return false;
    report->value = s->value;
    weir_folding_space_apply(s->space, s->index, s->pick, graph);
    return true;
}

bool weir_folding_find(weir_graph *graph, const weir_folding_request *request, weir_folding_report *report) {
    search s = start(graph, request);
    const bool fine = find_settings(&s, graph, report);
    finish(&s);
    return fine;
}

bool weir_folding_search(weir_graph *graph, const weir_folding_request *request, weir_folding_report *report) {
    search s = start(graph, request);
    const bool fine = find_settings(&s, graph, report);
    if (!s.fits) refuse(&s);
    finish(&s);
    return fine && weir_folding_choose(graph, report->interval, INT32_MAX, NULL);
}
