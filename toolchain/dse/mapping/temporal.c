#include "dse/mapping/temporal.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

/* An operand while its loops are given to memories. */
typedef struct state {
    int taken, level;           /* loops that memories have; the next memory */
    double size[WEIR_DSE_DIMS]; /* iterations of each loop below */
} state;

/* What an operand may take of a memory: bits for its first i loops, and accesses to the memory above. */
typedef struct choices {
    int first, count; /* i from first on */
    double bits[WEIR_DSE_LOOPS + 1], accesses[WEIR_DSE_LOOPS + 1];
} choices;

static void add_spatial(const weir_dse_problem *p, int o, int level, state *s) {
    assert(o >= 0 && o < p->layer->operand_count && level >= 0 && level <= p->levels[o]);
    for (int i = p->spatial.start[o][level]; i < p->spatial.start[o][level + 1]; i++)
        s->size[p->spatial.dim[o][i]] *= p->spatial.factor[o][i];
}

/* Outputs are kept in full while sums go on above. */
static double precision_of(const weir_dse_temporal *t, int o, const state *s) {
    assert(o >= 0 && o < t->problem->layer->operand_count && s->taken <= t->loops.count);
    const weir_dse_problem *p = t->problem;
    const weir_dse_operand *operand = &p->layer->operand[o];
    if (o != 0) return operand->precision;
    for (int i = s->taken; i < t->loops.count; i++)
        if (operand->relevance[t->loops.dim[i]] == WEIR_DSE_IRRELEVANT) return operand->precision;
    for (int i = p->spatial.start[o][s->level + 1]; i < p->spatial.start[o][p->levels[o] + 1]; i++)
        if (operand->relevance[p->spatial.dim[o][i]] == WEIR_DSE_IRRELEVANT) return operand->precision;
    return p->layer->final_precision;
}

double weir_dse_temporal_room(const weir_dse_memory *memory, double data, double all) {
    assert(data >= 0);
    return memory->is_double_buffered && data < all ? 2 * data : data;
}

/* Elements of the operand with all of its loops. */
static double all_elements(const weir_dse_temporal *t, int o, const state *s) {
    double size[WEIR_DSE_DIMS];
    for (int d = 0; d < t->problem->layer->dim_count; d++) size[d] = s->size[d];
    for (int i = s->taken; i < t->loops.count; i++) size[t->loops.dim[i]] *= t->loops.size[i];
    return weir_dse_operand_size(t->problem->layer, o, size);
}

/* Prefixes of the loops that fit; false: not even what is below. */
static bool find_choices(const weir_dse_temporal *t, int o, const state *s, const weir_dse_memory *memory, bool is_top,
                         const double *above, choices *c, double *needed) {
    const weir_dse_layer *layer = t->problem->layer;
    const double precision = precision_of(t, o, s);
    const double all = memory->is_double_buffered ? all_elements(t, o, s) * precision : 0;
    double size[WEIR_DSE_DIMS];
    const int rest = t->loops.count - s->taken;
    for (int d = 0; d < layer->dim_count; d++) size[d] = s->size[d];
    double bits = weir_dse_temporal_room(memory, weir_dse_operand_size(layer, o, size) * precision, all);
    *needed = bits;
    c->first = c->count = 0;
    for (int i = 0; bits <= memory->size; i++) {
        c->bits[c->count] = bits;
        c->accesses[c->count++] = above[s->taken + i] * bits;
        if (i == rest) break;
        const int dim = t->loops.dim[s->taken + i];
        size[dim] *= t->loops.size[s->taken + i];
        if (layer->operand[o].relevance[dim] != WEIR_DSE_IRRELEVANT)
            bits = weir_dse_temporal_room(memory, weir_dse_operand_size(layer, o, size) * precision, all);
    }
    if (c->count == 0) return false;
    *needed = bits;
    if (!is_top) return true;
    c->first = c->count - 1;
    c->bits[0] = c->bits[c->first];
    c->accesses[0] = 0;
    c->count = 1;
    return true;
}

/* With even mappings no loop may be given for one operand and left for another. */
static bool split_evenly(const int *taken, const int *chosen, int count) {
    assert(count >= 1 && count <= WEIR_DSE_OPERANDS);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            if (taken[b] + chosen[b] > taken[a] + chosen[a] && chosen[b] > 0) return false;
    return true;
}

/* The combination with the fewest accesses above, the later of equals; false: the smallest does not fit. */
static bool choose(const choices *c, bool is_even, const int *taken, int count, double capacity, int *best) {
    assert(count >= 1 && count <= WEIR_DSE_OPERANDS);
    static const choices none = {.count = 1};
    const choices *c0 = &c[0], *c1 = count > 1 ? &c[1] : &none, *c2 = count > 2 ? &c[2] : &none;
    double fewest = INFINITY;
    for (int k = 0; k < count; k++) best[k] = 0;
    if (c0->bits[0] + c1->bits[0] + c2->bits[0] > capacity) return false;
    for (int i = 0; i < c0->count; i++) {
        for (int j = 0; j < c1->count; j++) {
            const double bits = c0->bits[i] + c1->bits[j], accesses = c0->accesses[i] + c1->accesses[j];
            for (int k = 0; k < c2->count; k++) {
                if (bits + c2->bits[k] > capacity || accesses + c2->accesses[k] > fewest) continue;
                const int chosen[3] = {c0->first + i, c1->first + j, c2->first + k};
                if (is_even && !split_evenly(taken, chosen, count)) continue;
                fewest = accesses + c2->accesses[k];
                for (int n = 0; n < count; n++) best[n] = chosen[n];
            }
        }
    }
    return true;
}

static bool refuse(weir_dse_misfit *misfit, const weir_dse_memory *memory, int operand, double bits) {
    if (misfit != NULL) *misfit = (weir_dse_misfit){memory, operand, bits};
    return false;
}

static bool allocate_stop(weir_dse_temporal *t, bool is_even, const weir_dse_stop *stop, const double *above,
                          state *states, weir_dse_misfit *misfit) {
    assert(stop->count >= 0 && stop->count <= WEIR_DSE_OPERANDS);
    choices c[3];
    int best[3], taken[3];
    double needed[3] = {0};
    for (int k = 0; k < stop->count; k++) {
        const int o = stop->operand[k];
        taken[k] = states[o].taken;
        if (!find_choices(t, o, &states[o], stop->memory, stop->is_top[k], above, &c[k], &needed[k]))
            return refuse(misfit, stop->memory, o, needed[k]);
    }
    if (!choose(c, is_even, taken, stop->count, stop->memory->size, best)) {
        double bits = 0;
        for (int k = 0; k < stop->count; k++) bits += c[k].bits[0];
        return refuse(misfit, stop->memory, 3, bits);
    }
    for (int k = 0; k < stop->count; k++) {
        const int o = stop->operand[k];
        state *s = &states[o];
        for (int i = s->taken; i < s->taken + best[k]; i++) s->size[t->loops.dim[i]] *= t->loops.size[i];
        s->taken += best[k];
        t->start[o][++s->level] = (uint8_t)s->taken;
        add_spatial(t->problem, o, s->level, s);
        if (stop->is_top[k] && s->taken < t->loops.count) return refuse(misfit, stop->memory, o, needed[k]);
    }
    return true;
}

bool weir_dse_temporal_allocate(weir_dse_temporal *t, bool is_even, weir_dse_misfit *misfit) {
    assert(t->loops.count > 0 && t->loops.count <= WEIR_DSE_LOOPS);
    const weir_dse_problem *p = t->problem;
    double above[WEIR_DSE_LOOPS + 1];
    state states[3];
    above[t->loops.count] = 1;
    for (int i = t->loops.count - 1; i >= 0; i--) above[i] = above[i + 1] * t->loops.size[i];
    for (int o = 0; o < p->layer->operand_count; o++) {
        states[o].taken = states[o].level = 0;
        t->start[o][0] = 0;
        for (int d = 0; d < p->layer->dim_count; d++) states[o].size[d] = 1;
        add_spatial(p, o, 0, &states[o]);
    }
    for (int i = 0; i < p->stop_count; i++)
        if (!allocate_stop(t, is_even, &p->stop[i], above, states, misfit)) return false;
    return true;
}

void weir_dse_temporal_sizes(const weir_dse_problem *p, weir_dse_loops *loops) {
    assert(p->layer->operand_count > 1);
    double size[WEIR_DSE_DIMS];
    for (int d = 0; d < p->layer->dim_count; d++) size[d] = (double)p->layer->size[d];
    for (int i = 0; i < p->spatial.start[1][p->levels[1] + 1]; i++) {
        const int d = p->spatial.dim[1][i];
        if (size[d] > 1) size[d] = ceil(size[d] / p->spatial.factor[1][i]);
    }
    loops->count = 0;
    for (int d = 0; d < p->layer->dim_count; d++) {
        if (size[d] <= 1) continue;
        loops->dim[loops->count] = (uint8_t)d;
        loops->size[loops->count++] = size[d];
    }
    if (loops->count > 0) return;
    loops->dim[0] = 0;
    loops->size[0] = 1;
    loops->count = 1;
}
