#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dse/folding/folding_exact.h"
#include "dse/folding/folding_search_private.h"
#include "support/memory/arena.h"

enum {
    FEWER = 32, /* partial choices of a knapsack */
    MIXES = 12,
    MOST_STEPS = 2000000, /* of service and what goes with it, in exact searches over all intervals */
    FEW_BEGINNINGS = 60,
    MOST_BEGINNINGS = 6000,
    RELAX_WORK = 40 /* to relax an option in the exact search */
};

/* The least latency by a mix of bounds. */
static const weir_folding_weights mixed = {.share = WEIR_FOLDING_SHARE};
/* The same where budgets are tight: a cycle is worth a lookup table. */
static const weir_folding_weights thrifty = {.share = WEIR_FOLDING_SHARE, .each = {WEIR_FOLDING_CYCLE, 1, 8, 8}};

/* --- latency --- */

static void make_whole(double *part, size_t bounds) {
    double sum = 0;
    for (size_t i = 0; i < bounds; i++) sum += part[i];
    assert(sum > 0);
    for (size_t i = 0; i < bounds; i++) part[i] /= sum;
}

/* A bound behind what gives results before the element that it is about has arrived says nothing: it is far below 0. */
static double said_by(int64_t cycles) { return cycles > 0 ? (double)cycles : 0; }

/* Shares of the bounds, in fractions, by what the first choice comes to. */
static void mix_first(double *part, const int64_t *cycles, size_t bounds, int64_t most) {
    assert(most > 0);
    for (size_t i = 0; i < bounds; i++) {
        const double ratio = said_by(cycles[i]) / (double)most, square = ratio * ratio;
        part[i] = square * square * square * square;
    }
    make_whole(part, bounds);
}

/* Moves shares from bounds that the chosen folding keeps easily to those that it does not. */
static void mix_again(double *part, const int64_t *cycles, size_t bounds, double step) {
    double mean = 0;
    for (size_t i = 0; i < bounds; i++) mean += part[i] * said_by(cycles[i]);
    assert(mean > 0);
    for (size_t i = 0; i < bounds; i++) {
        const double factor = 1 + step * (said_by(cycles[i]) / mean - 1);
        part[i] *= factor < 0.1 ? 0.1 : factor;
    }
    make_whole(part, bounds);
}

static void round_mix(int64_t *mix, const double *part, size_t bounds) {
    assert(bounds > 0);
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

/* What no folding for the interval takes less than from end to end, or more than `enough`: the largest that a mix of
 * the bounds proves. `best` gets the mix whose choice is quickest by all bounds. */
static int64_t bound_of(weir_folding_finder *s, size_t index, int64_t enough, int64_t *best) {
    assert(index < weir_folding_space_count(s->space));
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
        const bool fits = weir_folding_solve(s, index, WEIR_FOLDING_NEVER, &bound);
        bound =
            bound >= WEIR_FOLDING_NEVER ? WEIR_FOLDING_NEVER : (bound + WEIR_FOLDING_CYCLE - 1) / WEIR_FOLDING_CYCLE;
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

/* By what foldings are chosen, the choice with no room for FIFOs, and what the bounds say of it; WEIR_FOLDING_NEVER: it
 * does not fit. */
typedef struct taste {
    const weir_folding_weights *weights;
    int64_t *mix, cycles;
    size_t order; /* settles ties */
    weir_folding_pick *pick;
} taste;

static bool choose_by(weir_folding_finder *s, size_t index, taste *by) {
    int64_t bound;
    s->mix = by->mix;
    weir_folding_space_weigh(s->space, by->weights);
    s->fits = weir_folding_solve(s, index, WEIR_FOLDING_NEVER, &bound);
    by->cycles = WEIR_FOLDING_NEVER;
    if (!s->fits) return false;
    const size_t bounds = weir_folding_space_bounds(s->space, index);
    int64_t *cycles = weir_malloc(bounds * sizeof *cycles);
    weir_folding_space_latencies(s->space, s->pick, cycles);
    by->cycles = most_of(cycles, bounds);
    free(cycles);
    return true;
}

/* A choice for the interval of the one before. */
static void set_pick(weir_folding_finder *s, weir_folding_pick *pick) {
    free(s->pick);
    s->pick = pick;
    s->fits = true;
    s->built = (weir_folding_report){.interval = 0};
}

static weir_folding_pick *take_pick(weir_folding_finder *s) {
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
static void keep(weir_folding_finder *s, weir_folding_finder *best) {
    free(best->pick);
    *best = *s;
    best->value = s->built.latency;
    s->pick = NULL;
}

/* The folding of interval `index` that is best by the weights and fits with its FIFOs becomes `best` if it is
 * quicker. */
static void try_interval(weir_folding_finder *s, size_t index, taste *by, weir_folding_finder *best, bool is_first) {
    weir_folding_spare tried = {.has_high = false};
    if (by->cycles >= best->value || (s->work <= 0 && !is_first)) return;
    memset(s->reserve, 0, sizeof s->reserve);
    set_pick(s, by->pick);
    by->pick = NULL;
    for (int round = 0; round < WEIR_FOLDING_FEW_ROUNDS; round++) {
        if ((round == 0 || choose_by(s, index, by)) &&
            (by->cycles >= best->value || !weir_folding_try_out(s, best->value) || s->built.latency >= best->value))
            return;
        if (s->fits && weir_folding_is_within(s)) break;
        if (!weir_folding_try_room(s, &tried)) return;
    }
    if (s->fits && weir_folding_is_within(s)) keep(s, best);
}

/* --- exactly --- */

typedef struct trial {
    weir_folding_finder *search, *best;
} trial;

/* Built with its FIFOs, where it is the best so far and fits. */
static int64_t try_pick(void *user, const weir_folding_pick *pick, const int64_t *use, int64_t latency) {
    const trial *t = user;
    weir_folding_finder *s = t->search;
    const size_t units = weir_folding_space_units(s->space);
    weir_folding_pick *copy = weir_malloc((units + 1) * sizeof *copy);
    memcpy(copy, pick, units * sizeof *pick);
    set_pick(s, copy);
    memcpy(s->total.use, use, sizeof s->total.use);
    (void)latency;
    if (weir_folding_try_out(s, t->best->value) && s->built.latency < t->best->value && weir_folding_is_within(s))
        keep(s, t->best);
    return t->best->value;
}

/* Exactly, with room for so many beginnings. Returns what no folding for the interval takes less than, or the best: it
 * becomes that of these, where one is better and fits with its FIFOs. */
static int64_t search_exactly(weir_folding_finder *s, size_t index, const int64_t *mix, size_t room, int64_t *work,
                              weir_folding_finder *best) {
    assert(room > 0 && index < weir_folding_space_count(s->space));
    weir_knapsack_price always;
    weir_folding_space_weigh(s->space, &mixed);
    weir_folding_space_share(s->space, index, mix);
    weir_folding_space_at(s->space, index, &always);
    s->index = index;
    s->mix = NULL;
    const int64_t relaxing = RELAX_WORK * weir_folding_exact_options(s->space);
    if (relaxing > s->work / WEIR_FOLDING_SOME_PARTS) return 0;
    s->work -= relaxing;
    trial t = {s, best};
    const weir_folding_exact exact = {s->budget, mix, best->value, room, work, try_pick, &t};
    return weir_folding_exact_search(s->space, &exact);
}

/* The foldings of interval `index` with the least energy, whose nodes work little at a time, those with short tails
 * (folding_tail.c) and those that the mix of bounds likes best. */
static void try_tastes(weir_folding_finder *s, size_t index, int64_t *mix, weir_folding_finder *best) {
    taste taste_of[] = {{&weir_folding_least_energy, NULL, 0, 0, NULL},
                        {&weir_folding_quick, NULL, 0, 1, NULL},
                        {&weir_folding_quick, mix, 0, 2, NULL},
                        {&mixed, mix, 0, 3, NULL},
                        {&thrifty, mix, 0, 4, NULL}};
    enum { TASTES = sizeof taste_of / sizeof *taste_of };
    s->capacity = WEIR_FOLDING_FEW;
    memset(s->reserve, 0, sizeof s->reserve);
    for (size_t k = 0; k < TASTES; k++)
        if (choose_by(s, index, &taste_of[k])) taste_of[k].pick = take_pick(s);
    qsort(taste_of, TASTES, sizeof *taste_of, by_cycles);
    for (size_t k = 0; k < TASTES; k++) {
        try_interval(s, index, &taste_of[k], best, k == 0);
        free(taste_of[k].pick);
    }
}

/* What no folding for the interval takes less than, or the best, which becomes that of these where one is better: a
 * bound first, then an exact search with little room, and where that is not enough one with as much room as there is
 * work for half of, and other foldings. */
static int64_t search_interval(weir_folding_finder *s, size_t index, int64_t *work, weir_folding_finder *best) {
    int64_t *mix = weir_calloc(weir_folding_space_bounds(s->space, index), sizeof *mix);
    int64_t bound = bound_of(s, index, best->value, mix);
    const bool first = bound < best->value && best->value == WEIR_FOLDING_NEVER;
    if (first) try_tastes(s, index, mix, best);
    if (bound < best->value && best->value < WEIR_FOLDING_NEVER) {
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

/* The least folding for the shortest interval that fits becomes the best. Returns the first interval that may have one
 * that fits, else `count`. */
static size_t find_first(weir_folding_finder *s, size_t count, weir_folding_finder *best) {
    const int64_t work = s->work;
    weir_folding_space_weigh(s->space, &weir_folding_least_area);
    s->mix = NULL;
    s->capacity = 0;
    s->work = work / WEIR_FOLDING_SOME_PARTS;
    weir_folding_find_fastest(s, count);
    s->work += work - work / WEIR_FOLDING_SOME_PARTS;
    if (s->fits) keep(s, best);
    size_t first = 0;
    while (first < count && weir_folding_space_interval(s->space, first) < s->bound) first++;
    return first;
}

/* All intervals where one may still be quicker by the bounds; none where not even the least folding of any fits. */
void weir_folding_find_quickest(weir_folding_finder *s, size_t count) {
    assert(count > 0 && count <= weir_folding_space_count(s->space));
    weir_folding_finder best = {.value = WEIR_FOLDING_NEVER};
    int64_t least = WEIR_FOLDING_NEVER, work = MOST_STEPS;
    const size_t first = find_first(s, count, &best);
    for (size_t i = first;
         best.value < WEIR_FOLDING_NEVER && i < count && weir_folding_space_entry(s->space, i) < best.value; i++) {
        const bool spent = s->work <= 0;
        const int64_t bound = spent ? weir_folding_space_entry(s->space, i) : search_interval(s, i, &work, &best);
        if (bound < least) least = bound;
        if (spent) break; /* no later interval's entry is sooner */
    }
    best.work = s->work;
    free(s->pick);
    s->fits = best.value < WEIR_FOLDING_NEVER;
    s->pick = best.pick;
    s->index = best.index;
    s->total = best.total;
    s->built = best.built;
    s->value = best.value;
    s->bound = least < best.value ? least : best.value;
}
