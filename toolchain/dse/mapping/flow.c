#include "dse/mapping/flow.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Irrelevant loops that a memory would begin with need no new data: they belong to the memory below. */
static void move_stationary(const weir_dse_temporal *t, int o, uint8_t *start) {
    assert(o >= 0 && o < t->problem->layer->operand_count);
    const weir_dse_operand *operand = &t->problem->layer->operand[o];
    const int levels = t->problem->levels[o];
    memcpy(start, t->start[o], (size_t)levels + 1);
    for (int m = 1; m < levels; m++)
        while (start[m] < t->loops.count && operand->relevance[t->loops.dim[start[m]]] == WEIR_DSE_IRRELEVANT)
            start[m]++;
}

/* Product of the loops from `first` on that follow each other down from `end` with this relevance. */
static double trailing(const weir_dse_temporal *t, int o, int first, int end, weir_dse_relevance relevance) {
    assert(first >= 0 && end <= t->loops.count);
    const weir_dse_operand *operand = &t->problem->layer->operand[o];
    double product = 1;
    while (end > first && operand->relevance[t->loops.dim[end - 1]] == relevance) product *= t->loops.size[--end];
    return product;
}

void weir_dse_flow_periods(const weir_dse_temporal *t, const weir_dse_rules *rules, weir_dse_periods *periods) {
    assert(t->loops.count >= 0 && t->loops.count <= WEIR_DSE_LOOPS);
    const weir_dse_problem *p = t->problem;
    const weir_dse_loops *loops = &t->loops;
    double below[WEIR_DSE_LOOPS + 1], sums[WEIR_DSE_LOOPS + 1];
    below[0] = 1;
    for (int i = 0; i < loops->count; i++) below[i + 1] = below[i] * loops->size[i];
    sums[loops->count] = 1;
    for (int i = loops->count - 1; i >= 0; i--)
        sums[i] = p->layer->operand[0].relevance[loops->dim[i]] == WEIR_DSE_IRRELEVANT ? sums[i + 1] * loops->size[i]
                                                                                       : sums[i + 1];
    periods->total = below[loops->count];
    for (int o = 0; o < p->layer->operand_count; o++) {
        uint8_t *start = periods->start[o];
        move_stationary(t, o, start);
        int still = 0;
        while (still < start[1] && p->layer->operand[o].relevance[loops->dim[still]] == WEIR_DSE_IRRELEVANT) still++;
        periods->cycles[o][0] = o > 0 && rules->access_same_free ? below[still] : 1;
        periods->count[o][0] = periods->total / periods->cycles[o][0];
        periods->top_fresh[o][0] = periods->top_again[o][0] = 1;
        for (int m = 0; m < p->levels[o]; m++) {
            periods->cycles[o][m + 1] = below[start[m + 1]];
            periods->count[o][m + 1] = periods->total / below[start[m + 1]];
            periods->top_fresh[o][m + 1] = trailing(t, o, start[m], start[m + 1], WEIR_DSE_RELEVANT);
            periods->top_again[o][m + 1] = trailing(t, o, start[m], start[m + 1], WEIR_DSE_IRRELEVANT);
        }
    }
    for (int m = 0; m <= p->levels[0]; m++) periods->sums_over[m] = sums[periods->start[0][m]];
}

/* Data below each level, as a product from the innermost loop on: its rounding is ZigZag's. */
static void count_elements(const weir_dse_temporal *t, const weir_dse_periods *periods, const weir_dse_spatial *s,
                           int o, double *elements) {
    assert(o >= 0 && o < t->problem->layer->operand_count);
    const weir_dse_problem *p = t->problem;
    const weir_dse_operand *operand = &p->layer->operand[o];
    const uint8_t *start = periods->start[o];
    weir_dse_footprint footprint;
    double data = 1, again = 1;
    weir_dse_footprint_start(&footprint, p->layer, o);
    elements[0] = 1;
    for (int m = 0; m < p->levels[o]; m++) {
        double level = 1;
        for (int i = start[m]; i < start[m + 1]; i++) {
            if (operand->relevance[t->loops.dim[i]] == WEIR_DSE_RELEVANT) level *= t->loops.size[i];
            else if (operand->relevance[t->loops.dim[i]] == WEIR_DSE_PARTIAL)
                weir_dse_footprint_add_loop(&footprint, t->loops.dim[i], t->loops.size[i], &level, &again);
        }
        for (int i = s->start[o][m]; i < s->start[o][m + 1]; i++)
            weir_dse_footprint_add_loop(&footprint, s->dim[o][i], s->factor[o][i], &level, &again);
        data *= level;
        elements[m + 1] = rint(data);
    }
}

static void move_inputs(const weir_dse_problem *p, const weir_dse_scope *scope, int o, weir_dse_flow *flow) {
    assert(o > 0 && o < p->layer->operand_count);
    const double precision = p->layer->operand[o].precision;
    for (int m = 0; m < p->levels[o]; m++) {
        double *amount = flow->amount[o][m], *bits = flow->bits[o][m];
        amount[WEIR_DSE_READ_LOW] = flow->elements[o][m] * scope->boost[o][m];
        amount[WEIR_DSE_WRITE_HIGH] = m + 1 < p->levels[o] ? flow->elements[o][m + 1] : 0;
        amount[WEIR_DSE_WRITE_LOW] = amount[WEIR_DSE_READ_HIGH] = 0;
        bits[WEIR_DSE_READ_LOW] = bits[WEIR_DSE_WRITE_HIGH] = precision;
    }
}

/* Partial sums come back to be added to. */
static void move_output(const weir_dse_problem *p, const weir_dse_periods *periods, const weir_dse_scope *scope,
                        weir_dse_flow *flow) {
    const double full = p->layer->operand[0].precision, final = p->layer->final_precision;
    const double elements = p->layer->operand[0].elements;
    const int levels = p->levels[0];
    for (int m = 0; m < levels; m++) {
        const double over = periods->sums_over[m] * scope->irrelevant_above[m + 1];
        const double above = m + 1 < levels ? periods->sums_over[m + 1] * scope->irrelevant_above[m + 2] : 1;
        const bool low = trunc(elements * (over - 1)) != 0, high = trunc(elements * (above - 1)) != 0;
        double *amount = flow->amount[0][m], *bits = flow->bits[0][m];
        amount[WEIR_DSE_WRITE_LOW] = trunc(flow->elements[0][m] * scope->boost[0][m]);
        amount[WEIR_DSE_READ_LOW] = flow->is_partial[m] ? amount[WEIR_DSE_WRITE_LOW] : 0;
        amount[WEIR_DSE_READ_HIGH] = m + 1 < levels ? flow->elements[0][m + 1] : 0;
        amount[WEIR_DSE_WRITE_HIGH] = flow->is_partial[m + 1] ? amount[WEIR_DSE_READ_HIGH] : 0;
        bits[WEIR_DSE_WRITE_LOW] = low ? full : final;
        bits[WEIR_DSE_READ_LOW] = low ? full : 0;
        bits[WEIR_DSE_READ_HIGH] = high ? full : final;
        bits[WEIR_DSE_WRITE_HIGH] = high ? full : 0;
    }
}

void weir_dse_flow_data(const weir_dse_temporal *t, const weir_dse_periods *periods, bool whole, weir_dse_flow *flow) {
    const weir_dse_problem *p = t->problem;
    const weir_dse_spatial *s = whole ? &p->whole : &p->spatial;
    const weir_dse_scope *scope = whole ? &p->whole_scope : &p->scope;
    for (int m = 0; m <= p->levels[0]; m++)
        flow->is_partial[m] = m < p->levels[0] && (periods->sums_over[m] > 1 || scope->sums_above[m + 1]);
    for (int o = 0; o < p->layer->operand_count; o++) {
        count_elements(t, periods, s, o, flow->elements[o]);
        for (int l = 0; l <= p->levels[o]; l++)
            flow->precision[o][l] =
                o == 0 && !flow->is_partial[l] ? p->layer->final_precision : p->layer->operand[o].precision;
        if (o > 0) move_inputs(p, scope, o, flow);
    }
    move_output(p, periods, scope, flow);
}
