#include "dse/mapping/ordering.h"

#include <assert.h>
#include <string.h>

/* --- what the mapping fixes --- */

/* The dimension of an entry of the mapping's order; -1: "*"; -2: the layer has none of that name. */
static int fixed_dim(const weir_dse_layer *layer, int entry) {
    assert(entry >= 0 && entry < layer->mapping->ordering_count);
    const char *name = layer->mapping->ordering[entry].dim;
    if (name == NULL) return -1;
    const int dim = weir_dse_layer_dim(layer, name);
    return dim < 0 ? -2 : dim;
}

bool weir_dse_ordering_stated(const weir_dse_problem *problem, weir_dse_loops *loops) {
    const weir_dse_layer *layer = problem->layer;
    double size[WEIR_DSE_DIMS];
    weir_dse_loops needed;
    for (int d = 0; d < layer->dim_count; d++) size[d] = 1;
    loops->count = 0;
    for (int i = 0; i < layer->mapping->ordering_count; i++) {
        const int dim = fixed_dim(layer, i);
        if (dim == -2) continue;
        if (dim < 0 || layer->mapping->ordering[i].size == WEIR_DSE_ANY) return false;
        loops->dim[loops->count] = (uint8_t)dim;
        loops->size[loops->count++] = (double)layer->mapping->ordering[i].size;
        size[dim] *= (double)layer->mapping->ordering[i].size;
    }
    weir_dse_temporal_sizes(problem, &needed);
    for (int i = 0; i < needed.count; i++) {
        if (size[needed.dim[i]] != needed.size[i]) return false;
        size[needed.dim[i]] = 1;
    }
    for (int d = 0; d < layer->dim_count; d++)
        if (size[d] != 1) return false;
    return loops->count > 0;
}

/* Behind ["*", "*"], places count from the outermost loop. */
bool weir_dse_ordering_allowed(const weir_dse_layer *layer, const weir_dse_loops *loops) {
    int entries = 0, at = 0;
    bool is_outer = false;
    for (int i = 0; i < layer->mapping->ordering_count; i++) entries += fixed_dim(layer, i) != -2;
    for (int i = 0; i < layer->mapping->ordering_count; i++) {
        const int dim = fixed_dim(layer, i);
        const int64_t size = layer->mapping->ordering[i].size;
        if (dim == -2) continue;
        const int place = is_outer ? loops->count - entries + at : at;
        at++;
        if (dim < 0) {
            is_outer = true;
            continue;
        }
        if (place < 0 || place >= loops->count || loops->dim[place] != dim) return false;
        if (size != WEIR_DSE_ANY && loops->size[place] != (double)size) return false;
    }
    return true;
}

/* --- factors --- */

/* The factors of one loop, ascending; those that the mapping fixes at the end, never merged. */
typedef struct cut {
    int dim, count, fixed_count;
    double factor[WEIR_DSE_LOOPS], fixed[WEIR_DSE_LOOPS];
} cut;

static void insert(cut *c, double factor) {
    assert(c->count >= 0 && c->count < WEIR_DSE_LOOPS);
    int at = c->count++;
    for (; at > 0 && c->factor[at - 1] > factor; at--) c->factor[at] = c->factor[at - 1];
    c->factor[at] = factor;
}

static bool take_factor(cut *c, double factor) {
    for (int i = 0; i < c->count; i++) {
        if (c->factor[i] != factor) continue;
        c->count--;
        for (; i < c->count; i++) c->factor[i] = c->factor[i + 1];
        return true;
    }
    return false;
}

static int split(int64_t size, double *primes) {
    assert(size >= 1);
    int count = 0;
    for (int64_t p = 2; p * p <= size; p++)
        for (; size % p == 0; size /= p) primes[count++] = (double)p;
    if (size > 1 || count == 0) primes[count++] = (double)size;
    return count;
}

/* Puts the primes of a fixed size together again, if they are all there. */
static void fix(cut *c, int64_t size) {
    double primes[WEIR_DSE_LOOPS];
    const int count = split(size, primes);
    const cut before = *c;
    for (int i = 0; i < count; i++) {
        if (take_factor(c, primes[i])) continue;
        *c = before;
        return;
    }
    c->fixed[c->fixed_count++] = (double)size;
}

static void cut_loop(const weir_dse_layer *layer, int dim, int64_t size, cut *c) {
    assert(dim >= 0 && dim < layer->dim_count);
    double primes[WEIR_DSE_LOOPS];
    *c = (cut){.dim = dim};
    const int count = split(size, primes);
    for (int i = 0; i < count; i++) insert(c, primes[i]);
    for (int i = 0; i < layer->mapping->ordering_count; i++)
        if (fixed_dim(layer, i) == dim && layer->mapping->ordering[i].size > 1)
            fix(c, layer->mapping->ordering[i].size);
}

/* The loop with the most factors, of which two can be merged. */
static cut *most_factors(cut *cuts, int count) {
    cut *most = NULL;
    for (int i = 0; i < count; i++) {
        if (cuts[i].count < 2) continue;
        if (most == NULL || cuts[i].count + cuts[i].fixed_count > most->count + most->fixed_count) most = &cuts[i];
    }
    return most;
}

void weir_dse_ordering_factors(const weir_dse_problem *problem, int limit, weir_dse_loops *factors) {
    weir_dse_loops sizes;
    cut cuts[WEIR_DSE_DIMS];
    int total = 0;
    weir_dse_temporal_sizes(problem, &sizes);
    for (int i = 0; i < sizes.count; i++) {
        cut_loop(problem->layer, sizes.dim[i], (int64_t)sizes.size[i], &cuts[i]);
        total += cuts[i].count + cuts[i].fixed_count;
    }
    if (limit == 0 || limit > WEIR_DSE_LOOPS) limit = WEIR_DSE_LOOPS;
    if (limit < sizes.count) limit = sizes.count;
    for (cut *c; total > limit && (c = most_factors(cuts, sizes.count)) != NULL; total--) {
        const double merged = c->factor[0] * c->factor[1];
        take_factor(c, c->factor[0]);
        take_factor(c, c->factor[0]);
        insert(c, merged);
    }
    factors->count = 0;
    for (int i = 0; i < sizes.count; i++) {
        for (int k = 0; k < cuts[i].count + cuts[i].fixed_count; k++) {
            factors->dim[factors->count] = (uint8_t)cuts[i].dim;
            factors->size[factors->count++] = k < cuts[i].count ? cuts[i].factor[k] : cuts[i].fixed[k - cuts[i].count];
        }
    }
}

double weir_dse_ordering_count(const weir_dse_loops *factors) {
    double count = 1;
    for (int i = 0; i < factors->count; i++) {
        int same = 1;
        for (int k = 0; k < i; k++) same += factors->dim[k] == factors->dim[i] && factors->size[k] == factors->size[i];
        count = count * (i + 1) / same;
    }
    return count;
}

/* --- permutations --- */

/* By name, then size: the order of the first permutation reversed. */
static int compare(const weir_dse_layer *layer, const weir_dse_loops *f, int a, int b) {
    assert(a >= 0 && a < f->count && b >= 0 && b < f->count);
    const int names = strcmp(layer->dim[f->dim[a]], layer->dim[f->dim[b]]);
    return names != 0 ? names : f->size[a] < f->size[b] ? -1 : f->size[a] > f->size[b];
}

void weir_dse_ordering_start(weir_dse_ordering *o, const weir_dse_layer *layer, const weir_dse_loops *factors) {
    assert(factors->count >= 0 && factors->count <= WEIR_DSE_LOOPS);
    int sorted[WEIR_DSE_LOOPS];
    o->count = factors->count;
    for (int i = 0; i < o->count; i++) {
        int at = i;
        for (; at > 0 && compare(layer, factors, sorted[at - 1], i) < 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = i;
    }
    int rank = o->count;
    for (int i = 0; i < o->count; i++) {
        if (i > 0 && compare(layer, factors, sorted[i - 1], sorted[i]) != 0) rank--;
        o->rank[i] = (uint8_t)rank;
        o->next[i] = (uint8_t)(i + 1);
        o->dim[i] = factors->dim[sorted[i]];
        o->size[i] = factors->size[sorted[i]];
    }
    o->head = 0;
    o->last = (uint8_t)(o->count - 1);
    o->second_last = (uint8_t)(o->count < 2 ? 0 : o->count - 2);
}

bool weir_dse_ordering_step(weir_dse_ordering *o) {
    assert(o->last < o->count && o->second_last < o->count && o->head < o->count);
    const uint8_t none = (uint8_t)o->count, after = o->next[o->last];
    if (after == none && o->rank[o->last] >= o->rank[o->head]) return false;
    const bool from_last = after != none && o->rank[o->second_last] >= o->rank[after];
    const uint8_t before = from_last ? o->last : o->second_last, moved = o->next[before];
    assert(moved != none);
    o->next[before] = o->next[moved];
    o->next[moved] = o->head;
    if (o->rank[moved] < o->rank[o->head]) o->second_last = moved;
    o->last = o->next[o->second_last];
    o->head = moved;
    return true;
}

void weir_dse_ordering_read(const weir_dse_ordering *o, weir_dse_loops *loops) {
    assert(o->count >= 0 && o->count <= WEIR_DSE_LOOPS);
    loops->count = o->count;
    for (int i = 0, node = o->head; i < o->count; i++, node = o->next[node]) {
        loops->dim[i] = o->dim[node];
        loops->size[i] = o->size[node];
    }
}
