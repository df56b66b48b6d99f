#include "dse/mapping/spatial.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/text/diag.h"

/* Largest factor of each loop along each array dimension. */
typedef struct limits {
    double most[WEIR_DSE_ARRAY_DIMS][WEIR_DSE_DIMS];
} limits;

typedef struct generator {
    const weir_dse_accelerator *a;
    const weir_dse_layer *layer;
    limits limit;
} generator;

/* The layer's operand that the memory operand stands for, -1: the layer has none. */
static int layer_operand(const weir_dse_layer *layer, int memory_operand) {
    assert(memory_operand >= 0 && memory_operand < WEIR_DSE_OPERANDS);
    for (int o = 0; o < layer->operand_count; o++)
        if (layer->operand[o].memory_operand == memory_operand) return o;
    return -1;
}

/* Memories next to the array deliver at most their bandwidth to the dimensions that share them. */
static void limit_by_bandwidth(generator *g, const weir_dse_memory *memory, int memory_operand) {
    const int o = layer_operand(g->layer, memory_operand);
    if (o < 0 || g->layer->operand[o].precision <= 0) return;
    const int port = memory->port_of[memory_operand][o == 0 ? WEIR_DSE_WRITE_LOW : WEIR_DSE_READ_LOW];
    if (port < 0) return;
    const double most = fmax(1, floor(memory->port[port].bandwidth_max / g->layer->operand[o].precision));
    for (int a = 0; a < g->a->dimension_count; a++)
        for (int d = 0; (memory->serves >> a & 1) != 0 && d < g->layer->dim_count; d++)
            if (g->layer->operand[o].relevance[d] != WEIR_DSE_IRRELEVANT && most < g->limit.most[a][d])
                g->limit.most[a][d] = most;
}

static void find_limits(generator *g) {
    for (int a = 0; a < g->a->dimension_count; a++)
        for (int d = 0; d < g->layer->dim_count; d++)
            g->limit.most[a][d] = fmin((double)g->layer->size[d], (double)g->a->dimension_size[a]);
    for (int m = 0; m < g->a->memory_count; m++)
        for (int i = 0; g->a->memory[m].is_inner && i < g->a->memory[m].operand_count; i++)
            limit_by_bandwidth(g, &g->a->memory[m], g->a->memory[m].operand[i]);
}

/* --- the given part --- */

static double used_of_array(const weir_dse_unroll *u, int a) {
    assert(a >= 0 && a < WEIR_DSE_ARRAY_DIMS);
    double product = 1;
    for (int i = 0; i < u->count[a]; i++) product *= u->factor[a][i];
    return product;
}

static double used_of_loop(const weir_dse_accelerator *accelerator, const weir_dse_unroll *u, int dim) {
    double product = 1;
    for (int a = 0; a < accelerator->dimension_count; a++)
        for (int i = 0; i < u->count[a]; i++)
            if (u->dim[a][i] == dim) product *= u->factor[a][i];
    return product;
}

static void drop(weir_dse_unroll *u, int a, int index) {
    assert(index >= 0 && index < u->count[a]);
    for (int i = index + 1; i < u->count[a]; i++) {
        u->dim[a][i - 1] = u->dim[a][i];
        u->factor[a][i - 1] = u->factor[a][i];
    }
    u->count[a]--;
}

bool weir_dse_spatial_stated(const weir_dse_accelerator *accelerator, const weir_dse_layer *layer,
                             weir_dse_unroll *into) {
    const weir_dse_mapping_entry *entry = layer->mapping;
    memset(into, 0, sizeof *into);
    for (int i = 0; i < entry->spatial_count; i++) {
        const int a = weir_dse_accelerator_dimension(accelerator, entry->spatial[i].dimension);
        if (a < 0) {
            weir_error(layer->location,
                       "layer '%s': the spatial mapping '%s' is over '%s', which is not an array dimension of '%s'",
                       layer->name, entry->name, entry->spatial[i].dimension, accelerator->name);
            return false;
        }
        into->is_decided[a] = true;
        for (int k = 0; k < entry->spatial[i].count; k++) {
            const int dim = weir_dse_layer_dim(layer, entry->spatial[i].factor[k].dim);
            if (dim < 0) continue;
            into->dim[a][into->count[a]] = (uint8_t)dim;
            into->factor[a][into->count[a]++] = (double)entry->spatial[i].factor[k].size;
        }
    }
    return true;
}

/* The given mapping within the limits: first each factor, then each array dimension, then each loop. */
static void reduce(const generator *g, weir_dse_unroll *u) {
    for (int a = 0; a < g->a->dimension_count; a++) {
        for (int i = 0; i < u->count[a]; i++) u->factor[a][i] = fmin(u->factor[a][i], g->limit.most[a][u->dim[a][i]]);
        while (used_of_array(u, a) > (double)g->a->dimension_size[a]) drop(u, a, 0);
    }
    for (int d = 0; d < g->layer->dim_count; d++) {
        for (int a = 0; a < g->a->dimension_count; a++)
            for (int i = u->count[a] - 1; i >= 0; i--)
                if (u->dim[a][i] == d && used_of_loop(g->a, u, d) > (double)g->layer->size[d]) drop(u, a, i);
    }
}

static bool is_valid(const generator *g, const weir_dse_unroll *u) {
    for (int a = 0; a < g->a->dimension_count; a++) {
        for (int i = 0; i < u->count[a]; i++)
            if (u->factor[a][i] > g->limit.most[a][u->dim[a][i]]) return false;
        if (used_of_array(u, a) > (double)g->a->dimension_size[a]) return false;
    }
    for (int d = 0; d < g->layer->dim_count; d++)
        if (used_of_loop(g->a, u, d) > (double)g->layer->size[d]) return false;
    return true;
}

/* --- memories next to the array hold what the dimensions that share them unroll --- */

typedef struct place {
    int a, index;
} place;

static double product_of(const double *factor, int count) {
    assert(count >= 0);
    double product = 1;
    for (int i = 0; i < count; i++) product *= factor[i];
    return product;
}

/* The largest factor shrinks first. */
static void shrink(weir_dse_unroll *u, const place *places, int count, double most) {
    assert(count > 0 && count <= WEIR_DSE_ARRAY_DIMS * WEIR_DSE_DIMS);
    double factor[WEIR_DSE_ARRAY_DIMS * WEIR_DSE_DIMS];
    for (int i = 0; i < count; i++) factor[i] = u->factor[places[i].a][places[i].index];
    while (product_of(factor, count) > most) {
        int largest = 0;
        for (int i = 1; i < count; i++)
            if (factor[i] > factor[largest]) largest = i;
        if (factor[largest] <= 1) break;
        factor[largest] -= 1;
    }
    for (int i = 0; i < count; i++) u->factor[places[i].a][places[i].index] = factor[i];
}

static void limit_by_capacity(const generator *g, weir_dse_unroll *u, const weir_dse_memory *memory,
                              int memory_operand) {
    const int o = layer_operand(g->layer, memory_operand);
    if (o < 0 || g->layer->operand[o].precision <= 0) return;
    place places[WEIR_DSE_ARRAY_DIMS * WEIR_DSE_DIMS];
    int count = 0;
    double used = 1;
    for (int a = 0; a < g->a->dimension_count; a++) {
        for (int i = 0; (memory->serves >> a & 1) != 0 && i < u->count[a]; i++) {
            if (g->layer->operand[o].relevance[u->dim[a][i]] == WEIR_DSE_IRRELEVANT) continue;
            places[count++] = (place){a, i};
            used *= u->factor[a][i];
        }
    }
    const double most = memory->size / g->layer->operand[o].precision;
    if (count > 0 && most < used) shrink(u, places, count, most);
}

static void fit_memories(const generator *g, weir_dse_unroll *u) {
    for (int m = 0; m < g->a->memory_count; m++)
        for (int i = 0; g->a->memory[m].is_inner && i < g->a->memory[m].operand_count; i++)
            limit_by_capacity(g, u, &g->a->memory[m], g->a->memory[m].operand[i]);
}

/* --- what is not given --- */

typedef struct candidates {
    weir_dse_unroll *item;
    double *score;
    size_t count, capacity, score_capacity;
} candidates;

enum { MOST_CANDIDATES = 1 << 20 };

/* The loops that an array dimension may unroll: those of the hint, all without a hint that fits. */
static int hinted(const generator *g, int a, uint8_t *dims) {
    assert(a >= 0 && a < g->a->dimension_count);
    const weir_dse_mapping_entry *entry = g->layer->mapping;
    int count = 0;
    for (int i = 0; i < entry->hint_count; i++) {
        if (weir_dse_accelerator_dimension(g->a, entry->hint[i].dimension) != a) continue;
        for (int k = 0; k < entry->hint[i].count; k++) {
            const int dim = weir_dse_layer_dim(g->layer, entry->hint[i].factor[k].dim);
            if (dim >= 0) dims[count++] = (uint8_t)dim;
        }
    }
    for (int d = 0; count == 0 && d < g->layer->dim_count; d++) dims[d] = (uint8_t)d;
    return count == 0 ? g->layer->dim_count : count;
}

/* What one array dimension may have: a column of the product that the candidates are. */
typedef struct column {
    int array_dimension;
    weir_dse_unroll *item; /* its own dimension alone */
    size_t count, capacity;
} column;

static void add_choice(column *c, const uint8_t *dims, const double *factors, int count) {
    assert(count >= 0 && count <= WEIR_DSE_DIMS);
    c->item = weir_grow(c->item, &c->capacity, c->count + 1, sizeof *c->item);
    weir_dse_unroll *u = &c->item[c->count++];
    memset(u, 0, sizeof *u);
    u->count[c->array_dimension] = count;
    memcpy(u->dim[c->array_dimension], dims, (size_t)count * sizeof *dims);
    memcpy(u->factor[c->array_dimension], factors, (size_t)count * sizeof *factors);
}

/* Every combination of the chosen loops' divisors but 1 (and of a loop that is 1 already none). */
static void add_mixed(const generator *g, column *c, const uint8_t *dims, double *factors, int count, int at) {
    assert(at >= 0 && at <= count && count <= WEIR_DSE_DIMS);
    const double size = (double)g->a->dimension_size[c->array_dimension];
    if (at == count) {
        if (product_of(factors, count) <= size) add_choice(c, dims, factors, count);
        return;
    }
    const int64_t most = (int64_t)g->limit.most[c->array_dimension][dims[at]];
    for (int64_t f = 2; f <= most && c->count < MOST_CANDIDATES; f++) {
        if (most % f != 0) continue;
        factors[at] = (double)f;
        add_mixed(g, c, dims, factors, count, at + 1);
    }
}

/* Combinations of `count` of the hinted loops in lexicographic order. */
static void add_combinations(const generator *g, column *c, const uint8_t *hints, int hint_count, int count) {
    assert(count >= 1 && count <= hint_count);
    int index[WEIR_DSE_DIMS];
    for (int i = 0; i < count; i++) index[i] = i;
    for (;;) {
        uint8_t dims[WEIR_DSE_DIMS];
        double factors[WEIR_DSE_DIMS];
        for (int i = 0; i < count; i++) dims[i] = hints[index[i]];
        add_mixed(g, c, dims, factors, count, 0);
        int i = count - 1;
        while (i >= 0 && index[i] == hint_count - count + i) i--;
        if (i < 0) return;
        index[i]++;
        for (int k = i + 1; k < count; k++) index[k] = index[k - 1] + 1;
    }
}

static void fill_column(const generator *g, column *c, bool is_mixed) {
    uint8_t hints[WEIR_DSE_ARRAY_DIMS * WEIR_DSE_DIMS];
    const int count = hinted(g, c->array_dimension, hints);
    for (int i = 0; i < count; i++) {
        const int64_t most = (int64_t)g->limit.most[c->array_dimension][hints[i]];
        for (int64_t f = most; f >= 1; f--)
            if (most % f == 0) add_choice(c, &hints[i], &(double){(double)f}, 1);
    }
    for (int n = 2; is_mixed && n <= count && n <= WEIR_DSE_DIMS; n++) add_combinations(g, c, hints, count, n);
}

/* Utilisation first, then variety of loops. */
static double score_of(const generator *g, const weir_dse_unroll *u) {
    double used = 1, largest = 1;
    for (int a = 0; a < g->a->dimension_count; a++) used *= used_of_array(u, a);
    used = trunc(used);
    for (int d = 0; d < g->layer->dim_count; d++) largest = fmax(largest, used_of_loop(g->a, u, d));
    return used + (used / largest - 1);
}

/* Kept sorted by score, the earlier first among equals, no more than asked for. */
static void keep_best(candidates *best, int most, const weir_dse_unroll *u, double score) {
    assert(best->count <= (size_t)most);
    size_t at = best->count;
    while (at > 0 && best->score[at - 1] < score) at--;
    if (at >= (size_t)most) return;
    if (best->count < (size_t)most) best->count++;
    for (size_t i = best->count - 1; i > at; i--) {
        best->item[i] = best->item[i - 1];
        best->score[i] = best->score[i - 1];
    }
    best->item[at] = *u;
    best->score[at] = score;
}

static void combine(const generator *g, const column *columns, int column_count, int at, weir_dse_unroll *u, int most,
                    candidates *best) {
    assert(at >= 0 && at <= column_count);
    if (at == column_count) {
        if (is_valid(g, u)) keep_best(best, most, u, score_of(g, u));
        return;
    }
    const int a = columns[at].array_dimension;
    for (size_t i = 0; i < columns[at].count; i++) {
        const weir_dse_unroll *choice = &columns[at].item[i];
        u->count[a] = choice->count[a];
        memcpy(u->dim[a], choice->dim[a], sizeof u->dim[a]);
        memcpy(u->factor[a], choice->factor[a], sizeof u->factor[a]);
        combine(g, columns, column_count, at + 1, u, most, best);
    }
}

weir_dse_unroll *weir_dse_spatial_generate(const weir_dse_accelerator *accelerator, const weir_dse_layer *layer,
                                           const weir_dse_spatial_options *options, int *count) {
    generator g = {.a = accelerator, .layer = layer};
    weir_dse_unroll given;
    column columns[WEIR_DSE_ARRAY_DIMS];
    int column_count = 0;
    if (!weir_dse_spatial_stated(accelerator, layer, &given)) return NULL;
    find_limits(&g);
    reduce(&g, &given);
    for (int a = 0; a < accelerator->dimension_count; a++) {
        if (given.is_decided[a]) continue;
        columns[column_count] = (column){.array_dimension = a};
        fill_column(&g, &columns[column_count++], options->is_mixed);
        given.is_decided[a] = true;
    }
    candidates best = {weir_calloc((size_t)options->count, sizeof *best.item),
                       weir_calloc((size_t)options->count, sizeof *best.score), 0, 0, 0};
    combine(&g, columns, column_count, 0, &given, options->count, &best);
    for (int i = 0; i < column_count; i++) free(columns[i].item);
    free(best.score);
    for (size_t i = 0; i < best.count; i++) fit_memories(&g, &best.item[i]);
    *count = (int)best.count;
    if (best.count > 0) return best.item;
    weir_error(layer->location, "layer '%s': no spatial mapping fits the array of '%s'", layer->name,
               accelerator->name);
    free(best.item);
    return NULL;
}

/* --- conversion --- */

static double factor_along(const weir_dse_unroll *u, int a, int dim) {
    assert(a >= 0 && a < WEIR_DSE_ARRAY_DIMS);
    for (int i = 0; i < u->count[a]; i++)
        if (u->dim[a][i] == dim) return u->factor[a][i];
    return 0;
}

/* Of several array dimensions that unroll a loop, the first with the largest factor takes what does not divide. */
static bool takes_remainder(const weir_dse_accelerator *accelerator, const weir_dse_unroll *u, int a, int dim) {
    for (int other = 0; other < accelerator->dimension_count; other++) {
        const double difference = factor_along(u, other, dim) - factor_along(u, a, dim);
        if (difference > 0 || (difference == 0 && other < a)) return false;
    }
    return true;
}

static void adjust(const weir_dse_accelerator *accelerator, const weir_dse_layer *layer, const weir_dse_unroll *given,
                   bool whole, weir_dse_unroll *u) {
    *u = *given;
    for (int a = 0; a < accelerator->dimension_count; a++) {
        for (int i = 0; i < u->count[a]; i++) {
            const int dim = u->dim[a][i];
            const double size = (double)layer->size[dim];
            if (!takes_remainder(accelerator, given, a, dim)) continue;
            double early = 1;
            for (int before = 0; before < a; before++)
                for (int k = 0; k < u->count[before]; k++)
                    if (u->dim[before][k] == dim) early *= u->factor[before][k];
            const double steps = ceil(size / (given->factor[a][i] * early));
            u->factor[a][i] = size / steps / early;
            if (whole) u->factor[a][i] = trunc(u->factor[a][i]);
        }
    }
}

/* A loop that several array dimensions of one level unroll is there once. */
static void add_loop(weir_dse_spatial *s, int o, int level, int dim, double factor) {
    assert(level >= 0 && level <= s->levels[o] && dim >= 0 && dim < WEIR_DSE_DIMS && factor > 0);
    int *end = &s->start[o][level + 1];
    for (int i = s->start[o][level]; i < *end; i++) {
        if (s->dim[o][i] != dim) continue;
        s->factor[o][i] *= factor;
        return;
    }
    assert(*end < WEIR_DSE_SPATIAL_LOOPS);
    s->dim[o][*end] = (uint8_t)dim;
    s->factor[o][(*end)++] = factor;
}

void weir_dse_spatial_convert(const weir_dse_accelerator *accelerator, const weir_dse_layer *layer,
                              const weir_dse_unroll *unroll, bool whole, weir_dse_spatial *spatial) {
    weir_dse_unroll u;
    adjust(accelerator, layer, unroll, whole, &u);
    memset(spatial, 0, sizeof *spatial);
    for (int o = 0; o < layer->operand_count; o++) {
        const int memory_operand = layer->operand[o].memory_operand;
        uint32_t taken = 0;
        spatial->levels[o] = accelerator->levels[memory_operand];
        for (int l = 0; l <= spatial->levels[o]; l++) {
            const bool above_all = l == spatial->levels[o];
            const uint32_t served =
                above_all ? UINT32_MAX : accelerator->memory[accelerator->chain[memory_operand][l]].serves;
            spatial->start[o][l + 1] = spatial->start[o][l];
            for (int a = 0; a < accelerator->dimension_count; a++) {
                if ((taken >> a & 1) != 0 || (served >> a & 1) == 0) continue;
                taken |= 1U << a;
                for (int i = 0; i < u.count[a]; i++) add_loop(spatial, o, l, u.dim[a][i], u.factor[a][i]);
            }
        }
    }
}
