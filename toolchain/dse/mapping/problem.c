#include "dse/mapping/problem.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

void weir_dse_footprint_start(weir_dse_footprint *footprint, const weir_dse_layer *layer, int operand) {
    assert(operand >= 0 && operand < layer->operand_count);
    footprint->layer = layer;
    footprint->operand = &layer->operand[operand];
    for (int i = 0; i < layer->relation_count; i++)
        footprint->loop[i][0] = footprint->loop[i][1] = footprint->size[i] = footprint->reuse[i] = 1;
}

/* A loop in a relation counts by the ratio of the relation's sizes after and before it, which keeps ZigZag's
 * rounding. */
static void add_partial(weir_dse_footprint *footprint, int dim, double factor, double *fresh, double *again) {
    assert(factor > 0);
    for (int i = 0; i < footprint->layer->relation_count; i++) {
        const weir_dse_relation *r = &footprint->layer->relation[i];
        if (r->dim[0] != dim && r->dim[1] != dim) continue;
        footprint->loop[i][r->dim[1] == dim] *= factor;
        const double size = weir_dse_relation_size(r, footprint->loop[i][0], footprint->loop[i][1]);
        const double reuse = footprint->loop[i][0] * footprint->loop[i][1] / size;
        *fresh *= size / footprint->size[i];
        *again *= reuse / footprint->reuse[i];
        footprint->size[i] = size;
        footprint->reuse[i] = reuse;
    }
}

void weir_dse_footprint_add_loop(weir_dse_footprint *footprint, int dim, double factor, double *fresh, double *again) {
    assert(dim >= 0 && dim < footprint->layer->dim_count && factor > 0);
    switch ((weir_dse_relevance)footprint->operand->relevance[dim]) {
    case WEIR_DSE_RELEVANT: *fresh *= factor; break;
    case WEIR_DSE_IRRELEVANT: *again *= factor; break;
    case WEIR_DSE_PARTIAL: add_partial(footprint, dim, factor, fresh, again); break;
    case WEIR_DSE_NEITHER: break;
    }
}

/* Python's round(x, 3), then round(x). */
static double round_twice(double x) { return rint(rint(x * 1000) / 1000); }

static void scope_operand(const weir_dse_problem *p, const weir_dse_spatial *s, int o, weir_dse_scope *scope) {
    assert(o >= 0 && o < p->layer->operand_count && p->levels[o] < WEIR_DSE_LEVELS);
    double fresh[WEIR_DSE_LEVELS], again[WEIR_DSE_LEVELS], total[WEIR_DSE_LEVELS], unique[WEIR_DSE_LEVELS];
    bool sums[WEIR_DSE_LEVELS] = {false};
    weir_dse_footprint footprint;
    weir_dse_footprint_start(&footprint, p->layer, o);
    const int levels = p->levels[o];
    for (int l = 0; l <= levels; l++) {
        fresh[l] = again[l] = total[l] = 1;
        for (int i = s->start[o][l]; i < s->start[o][l + 1]; i++) {
            double f = 1, g = 1;
            weir_dse_footprint_add_loop(&footprint, s->dim[o][i], s->factor[o][i], &f, &g);
            fresh[l] *= f;
            again[l] *= g;
            total[l] *= p->layer->operand[o].relevance[s->dim[o][i]] == WEIR_DSE_NEITHER ? s->factor[o][i] : f * g;
            sums[l] = sums[l] || g > 1;
        }
    }
    for (int l = 0; l <= levels; l++) {
        double units = 1;
        unique[l] = 1;
        for (int k = l; k <= levels; k++) {
            units *= total[k];
            unique[l] *= fresh[k];
        }
        scope->units[o][l] = round_twice(units);
    }
    for (int l = 0; l <= levels; l++) scope->boost[o][l] = l == levels ? 1 : rint(unique[l] / unique[l + 1]);
    if (o != 0) return;
    for (int l = 0; l <= levels; l++) {
        scope->irrelevant_above[l] = 1;
        for (int k = l; k <= levels; k++) {
            scope->irrelevant_above[l] *= again[k];
            scope->sums_above[l] = scope->sums_above[l] || sums[k];
        }
    }
    scope->irrelevant_above[levels + 1] = 1;
    scope->sums_above[levels + 1] = false;
}

static void prepare_stops(weir_dse_problem *p) {
    int level[3] = {0};
    for (int i = 0; i < p->accelerator->memory_count; i++) {
        const weir_dse_memory *memory = &p->accelerator->memory[p->accelerator->order[i]];
        weir_dse_stop *stop = &p->stop[p->stop_count];
        *stop = (weir_dse_stop){.memory = memory};
        for (int k = 0; k < memory->operand_count; k++) {
            for (int o = 0; o < p->layer->operand_count; o++) {
                if (p->layer->operand[o].memory_operand != memory->operand[k]) continue;
                stop->operand[stop->count] = (uint8_t)o;
                stop->is_top[stop->count] = level[o] + 1 == p->levels[o];
                p->memory[o][level[o]] = memory;
                p->stop_of[o][level[o]] = p->stop_count;
                stop->level[stop->count++] = (uint8_t)level[o]++;
            }
        }
        p->stop_count += stop->count > 0;
    }
}

static int level_of(const weir_dse_problem *p, int o, const weir_dse_memory *memory) {
    assert(o >= 0 && o < p->layer->operand_count);
    for (int l = 0; l < p->levels[o]; l++)
        if (p->memory[o][l] == memory) return l;
    return -1;
}

static void prepare_port(weir_dse_problem *p, const weir_dse_memory *memory, const weir_dse_port *port) {
    assert(p->channel_count < WEIR_DSE_MEMORIES * WEIR_DSE_PORTS);
    weir_dse_channel *channel = &p->channel[p->channel_count];
    uint32_t inputs = 0;
    *channel = (weir_dse_channel){.bandwidth = port->bandwidth_max, .memory = memory, .port = port};
    for (int i = 0; i < port->served; i++) {
        const int operand = port->serves[i].operand, direction = port->serves[i].direction;
        if (operand != WEIR_DSE_O) inputs |= 1U << operand;
        for (int o = 0; o < p->layer->operand_count; o++) {
            if (p->layer->operand[o].memory_operand != operand) continue;
            const int level = level_of(p, o, memory);
            weir_dse_word *word = &p->word[o][level][direction];
            channel->transfer[channel->count++] = (weir_dse_transfer){(uint8_t)o, (uint8_t)level, (uint8_t)direction};
            if (&memory->port[memory->port_of[operand][direction]] != port) continue;
            word->narrow = port->bandwidth_min;
            word->ratio = port->bandwidth_min / port->bandwidth_max;
            word->wide = port->bandwidth_max;
            word->channel = p->channel_count;
        }
    }
    channel->is_shared = inputs == 3;
    p->channel_count += channel->count > 0;
}

static void prepare_channels(weir_dse_problem *p) {
    for (int o = 0; o < p->layer->operand_count; o++)
        for (int l = 0; l < p->levels[o]; l++)
            for (int d = 0; d < WEIR_DSE_DIRECTIONS; d++) p->word[o][l][d] = (weir_dse_word){.channel = -1};
    for (int i = 0; i < p->accelerator->memory_count; i++) {
        const weir_dse_memory *memory = &p->accelerator->memory[i];
        for (int k = 0; k < memory->port_count; k++) prepare_port(p, memory, &memory->port[k]);
    }
}

static bool same_factors(const weir_dse_problem *p) {
    for (int o = 0; o < p->layer->operand_count; o++)
        for (int i = 0; i < p->spatial.start[o][p->levels[o] + 1]; i++)
            if (p->spatial.factor[o][i] != p->whole.factor[o][i]) return false;
    return true;
}

weir_dse_problem *weir_dse_problem_new(const weir_dse_accelerator *accelerator, const weir_dse_layer *layer,
                                       const weir_dse_unroll *unroll) {
    assert(layer->operand_count > 0 && layer->operand_count <= WEIR_DSE_OPERANDS);
    weir_dse_problem *p = weir_calloc(1, sizeof *p);
    atomic_init(&p->holders, 1);
    p->accelerator = accelerator;
    p->layer = layer;
    p->unroll = *unroll;
    weir_dse_spatial_convert(accelerator, layer, unroll, false, &p->spatial);
    weir_dse_spatial_convert(accelerator, layer, unroll, true, &p->whole);
    for (int o = 0; o < layer->operand_count; o++) p->levels[o] = p->spatial.levels[o];
    prepare_stops(p);
    prepare_channels(p);
    for (int o = 0; o < layer->operand_count; o++) {
        scope_operand(p, &p->spatial, o, &p->scope);
        scope_operand(p, &p->whole, o, &p->whole_scope);
    }
    p->is_whole = same_factors(p);
    p->mac_energy = accelerator->unit_energy * layer->macs;
    p->ideal_cycles = ceil(layer->macs / accelerator->unit_count);
    return p;
}

const weir_dse_problem *weir_dse_problem_hold(const weir_dse_problem *problem) {
    assert(atomic_load(&((weir_dse_problem *)problem)->holders) > 0);
    atomic_fetch_add(&((weir_dse_problem *)problem)->holders, 1);
    return problem;
}

void weir_dse_problem_free(const weir_dse_problem *problem) {
    if (problem != NULL && atomic_fetch_sub(&((weir_dse_problem *)problem)->holders, 1) == 1) free((void *)problem);
}
