#include "dse/mapping/exact.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dse/mapping/ordering.h"
#include "support/memory/arena.h"

enum { MOST_SETS = 1 << 18, MOST_SHARED = 4 };
static const uint32_t NONE = UINT32_MAX;

/* One way to a state. Its states are numbered set * statuses + status; a status says how many memories of each operand
 * are closed, from 0 on: an input's reads from its first memory begin with the first loop that brings new data. */
typedef struct label {
    double energy, used[MOST_SHARED]; /* bits of shared memories */
    uint32_t parent, next;            /* label before; next of the same state */
    uint32_t set;
    uint16_t status;
} label;

typedef struct solver {
    const weir_dse_problem *p;
    const weir_dse_rules *rules;
    int factor_count; /* distinct */
    uint8_t dim[WEIR_DSE_LOOPS];
    double size[WEIR_DSE_LOOPS];
    int most[WEIR_DSE_LOOPS], stride[WEIR_DSE_LOOPS]; /* how many there are; place in the number of a set */
    int sets, statuses, radix[3];
    int shared[WEIR_DSE_MEMORIES], shared_count; /* by stop: which of `used`, -1: one operand's */
    double total;                                /* iterations */
    uint32_t *first;                             /* label of a state */
    label *list;
    size_t count, capacity;
} solver;

static int taken(const solver *s, int set, int factor) {
    assert(factor >= 0 && factor < s->factor_count);
    return set / s->stride[factor] % (s->most[factor] + 1);
}

/* Iterations of each loop in the set, of the spatial ones below level m of the operand, and of all loops in the set. */
static double sizes_of(const solver *s, int set, int o, int m, double *size) {
    double cycles = 1;
    for (int d = 0; d < s->p->layer->dim_count; d++) size[d] = 1;
    for (int i = 0; i < s->p->spatial.start[o][m + 1]; i++) size[s->p->spatial.dim[o][i]] *= s->p->spatial.factor[o][i];
    for (int f = 0; f < s->factor_count; f++) {
        for (int n = taken(s, set, f); n > 0; n--) {
            size[s->dim[f]] *= s->size[f];
            cycles *= s->size[f];
        }
    }
    return cycles;
}

/* Iterations of loops outside the set that the output does not depend on. */
static double sums_over(const solver *s, int set) {
    double product = 1;
    for (int f = 0; f < s->factor_count; f++)
        for (int n = taken(s, set, f); n < s->most[f]; n++)
            if (s->p->layer->operand[0].relevance[s->dim[f]] == WEIR_DSE_IRRELEVANT) product *= s->size[f];
    return product;
}

static bool is_fresh(const solver *s, int o, int factor) {
    return s->p->layer->operand[o].relevance[s->dim[factor]] != WEIR_DSE_IRRELEVANT;
}

/* Bits of the operand in memory m when the set is below its end. */
static double bits_of(const solver *s, int set, int o, int m, double elements) {
    assert(o >= 0 && o < s->p->layer->operand_count && m < s->p->levels[o]);
    const weir_dse_operand *operand = &s->p->layer->operand[o];
    if (o > 0) return elements * operand->precision;
    bool goes_on = sums_over(s, set) > 1;
    for (int i = s->p->spatial.start[0][m + 1]; i < s->p->spatial.start[0][s->p->levels[0] + 1]; i++)
        goes_on = goes_on || operand->relevance[s->p->spatial.dim[0][i]] == WEIR_DSE_IRRELEVANT;
    return elements * (goes_on ? operand->precision : s->p->layer->final_precision);
}

static double energy_of(const solver *s, int o, int m, int direction, double amount, double bits, double count) {
    assert(direction >= 0 && direction < WEIR_DSE_DIRECTIONS && count > 0);
    const weir_dse_word *word = &s->p->word[o][m][direction];
    const weir_dse_memory *memory = s->p->memory[o][m];
    const bool reads = direction == WEIR_DSE_READ_LOW || direction == WEIR_DSE_READ_HIGH;
    if (amount == 0 || bits == 0 || word->channel < 0) return 0;
    const double words = trunc(ceil(amount * bits / word->narrow) * word->ratio * count * s->p->scope.units[o][m + 1]);
    return words * (reads ? memory->read_energy : memory->write_energy);
}

/* What passes between the level below and memory `above`; the set is below. Level 0 is the array. */
static double crossing(const solver *s, int set, int o, int above) {
    assert(set >= 0 && set < s->sets && above >= 0 && above <= s->p->levels[o]);
    const weir_dse_problem *p = s->p;
    double size[WEIR_DSE_DIMS], elements = 1, cycles = 1;
    if (above > 0 || o > 0) cycles = sizes_of(s, set, o, above - 1, size);
    if (above > 0) elements = rint(weir_dse_operand_size(p->layer, o, size));
    const double count = s->total / (above == 0 && (o == 0 || !s->rules->access_same_free) ? 1 : cycles);
    const double up = elements * p->scope.boost[o][above];
    if (o > 0) {
        const double bits = p->layer->operand[o].precision;
        double energy = energy_of(s, o, above, WEIR_DSE_READ_LOW, up, bits, count);
        if (above > 0) energy += energy_of(s, o, above - 1, WEIR_DSE_WRITE_HIGH, elements, bits, count);
        return energy;
    }
    const double over = sums_over(s, set) * p->scope.irrelevant_above[above + 1];
    const bool partial = trunc(p->layer->operand[0].elements * (over - 1)) != 0;
    const bool comes_back = sums_over(s, set) > 1 || p->scope.sums_above[above + 1];
    const double bits = partial ? p->layer->operand[0].precision : p->layer->final_precision, back = partial ? bits : 0;
    double energy = energy_of(s, 0, above, WEIR_DSE_WRITE_LOW, trunc(up), bits, count);
    if (comes_back) energy += energy_of(s, 0, above, WEIR_DSE_READ_LOW, trunc(up), back, count);
    if (above == 0) return energy;
    energy += energy_of(s, 0, above - 1, WEIR_DSE_READ_HIGH, elements, bits, count);
    return comes_back ? energy + energy_of(s, 0, above - 1, WEIR_DSE_WRITE_HIGH, elements, back, count) : energy;
}

/* --- labels --- */

static bool dominates(const solver *s, const label *a, const label *b) {
    if (a->energy > b->energy) return false;
    for (int i = 0; i < s->shared_count; i++)
        if (a->used[i] > b->used[i]) return false;
    return true;
}

/* Adds the label to its state unless another is as good; worse ones leave. */
static void add_label(solver *s, const label *l) {
    assert(l->set < (uint32_t)s->sets && l->status < s->statuses);
    uint32_t *at = &s->first[(size_t)l->set * (size_t)s->statuses + l->status];
    for (uint32_t i = *at; i != NONE; i = s->list[i].next)
        if (dominates(s, &s->list[i], l)) return;
    for (uint32_t *link = at; *link != NONE;) {
        if (dominates(s, l, &s->list[*link])) *link = s->list[*link].next;
        else link = &s->list[*link].next;
    }
    s->list = weir_grow(s->list, &s->capacity, s->count + 1, sizeof *s->list);
    s->list[s->count] = *l;
    s->list[s->count].next = *at;
    *at = (uint32_t)s->count++;
}

static int closed(const solver *s, int status, int o) {
    assert(o >= 0 && o < s->p->layer->operand_count);
    for (int i = 0; i < o; i++) status /= s->radix[i];
    return status % s->radix[o];
}

static int status_step(const solver *s, int o) {
    int step = 1;
    for (int i = 0; i < o; i++) step *= s->radix[i];
    return step;
}

/* Ends the present memory of an operand here: it must have room for what is below. Status c closes memory c - 1. */
static void close_memory(solver *s, uint32_t index, int o) {
    const label from = s->list[index];
    const int c = closed(s, from.status, o), levels = s->p->levels[o];
    label l = from;
    if (c == levels) return; /* the last memory takes the rest */
    l.parent = index;
    l.status = (uint16_t)(from.status + status_step(s, o));
    if (c > 0) {
        double size[WEIR_DSE_DIMS];
        sizes_of(s, (int)from.set, o, c - 1, size);
        const double elements = weir_dse_operand_size(s->p->layer, o, size);
        sizes_of(s, s->sets - 1, o, c - 1, size);
        const double room =
            weir_dse_temporal_room(s->p->memory[o][c - 1], elements, weir_dse_operand_size(s->p->layer, o, size));
        const double bits = bits_of(s, (int)from.set, o, c - 1, room);
        const int stop = s->p->stop_of[o][c - 1], shared = s->shared[stop];
        const double used = shared < 0 ? bits : (l.used[shared] += bits);
        if (used > s->p->stop[stop].memory->size) return;
    }
    l.energy += crossing(s, (int)from.set, o, c);
    add_label(s, &l);
}

/* The next loop outside; before an input's reads have begun only loops without new data may come. */
static void add_factor(solver *s, uint32_t index, int factor) {
    label l = s->list[index];
    if (taken(s, (int)l.set, factor) == s->most[factor]) return;
    for (int o = 0; o < s->p->layer->operand_count; o++)
        if (closed(s, l.status, o) == 0 && (o == 0 || is_fresh(s, o, factor))) return;
    l.parent = index;
    l.set += (uint32_t)s->stride[factor];
    add_label(s, &l);
}

static void expand(solver *s, int set, int status) {
    assert(set >= 0 && set < s->sets && status >= 0 && status < s->statuses);
    for (uint32_t i = s->first[(size_t)set * (size_t)s->statuses + (size_t)status]; i != NONE; i = s->list[i].next) {
        for (int o = 0; o < s->p->layer->operand_count; o++) close_memory(s, i, o);
        for (int f = 0; f < s->factor_count; f++) add_factor(s, i, f);
    }
}

/* --- the whole --- */

static bool number_sets(solver *s, const weir_dse_loops *factors) {
    s->sets = 1;
    s->total = 1;
    for (int i = 0; i < factors->count; i++) {
        int f = 0;
        while (f < s->factor_count && (s->dim[f] != factors->dim[i] || s->size[f] != factors->size[i])) f++;
        s->dim[f] = factors->dim[i];
        s->size[f] = factors->size[i];
        s->most[f]++;
        s->total *= factors->size[i];
        if (f == s->factor_count) s->factor_count++;
    }
    for (int f = 0; f < s->factor_count; f++) {
        s->stride[f] = s->sets;
        s->sets *= s->most[f] + 1;
        if (s->sets > MOST_SETS) return false;
    }
    s->statuses = 1;
    for (int o = 0; o < s->p->layer->operand_count; o++) s->statuses *= s->radix[o] = s->p->levels[o] + 1;
    for (int i = 0; i < s->p->stop_count; i++) s->shared[i] = s->p->stop[i].count > 1 ? s->shared_count++ : -1;
    return s->shared_count <= MOST_SHARED;
}

/* Do the last memories have room for the whole data beside what lower levels of others hold there? */
static bool tops_fit(const solver *s, const label *l) {
    label end = *l;
    for (int o = 0; o < s->p->layer->operand_count; o++) {
        const int m = s->p->levels[o] - 1, stop = s->p->stop_of[o][m], shared = s->shared[stop];
        double size[WEIR_DSE_DIMS];
        sizes_of(s, s->sets - 1, o, m, size);
        const double bits = bits_of(s, s->sets - 1, o, m, weir_dse_operand_size(s->p->layer, o, size));
        const double used = shared < 0 ? bits : (end.used[shared] += bits);
        if (used > s->p->stop[stop].memory->size) return false;
    }
    return true;
}

/* From the last label back: loops and places, from the outside in. */
static void trace(const solver *s, uint32_t index, weir_dse_temporal *t) {
    int count = 0;
    for (uint32_t i = index; i != 0; i = s->list[i].parent) count += s->list[i].set != s->list[s->list[i].parent].set;
    t->loops.count = count;
    for (int o = 0; o < s->p->layer->operand_count; o++) {
        t->start[o][0] = 0;
        t->start[o][s->p->levels[o]] = (uint8_t)count;
    }
    for (uint32_t i = index; i != 0; i = s->list[i].parent) {
        const label *l = &s->list[i], *before = &s->list[l->parent];
        if (l->set != before->set) {
            int f = 0;
            while (taken(s, (int)l->set, f) == taken(s, (int)before->set, f)) f++;
            t->loops.dim[--count] = s->dim[f];
            t->loops.size[count] = s->size[f];
            continue;
        }
        for (int o = 0; o < s->p->layer->operand_count; o++)
            if (closed(s, l->status, o) != closed(s, before->status, o) && closed(s, before->status, o) > 0)
                t->start[o][closed(s, before->status, o)] = (uint8_t)count;
    }
}

static bool solve(solver *s, weir_dse_temporal *t, double *energy) {
    const size_t states = (size_t)s->sets * (size_t)s->statuses;
    s->first = weir_malloc(states * sizeof *s->first);
    for (size_t i = 0; i < states; i++) s->first[i] = NONE;
    add_label(s, &(label){.energy = s->p->mac_energy, .parent = 0, .next = NONE});
    for (int set = 0; set < s->sets; set++)
        for (int status = 0; status < s->statuses; status++) expand(s, set, status);
    uint32_t best = NONE;
    for (uint32_t i = s->first[states - 1]; i != NONE; i = s->list[i].next)
        if (tops_fit(s, &s->list[i]) && (best == NONE || s->list[i].energy < s->list[best].energy)) best = i;
    if (best == NONE) return false;
    trace(s, best, t);
    *energy = s->list[best].energy;
    return true;
}

bool weir_dse_exact_energy(weir_dse_temporal *t, const weir_dse_rules *rules, double *energy, bool *too_many) {
    solver s = {.p = t->problem, .rules = rules};
    weir_dse_loops factors;
    weir_dse_ordering_factors(t->problem, 0, &factors);
    *too_many = !number_sets(&s, &factors);
    const bool fine = !*too_many && solve(&s, t, energy);
    free(s.first);
    free(s.list);
    return fine;
}
