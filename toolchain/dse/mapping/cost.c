#include "dse/mapping/cost.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "dse/mapping/flow.h"
#include "dse/mapping/stall.h"

/* Words of all periods and instances. */
static double count_words(const weir_dse_problem *p, const weir_dse_periods *periods, const weir_dse_flow *flow, int o,
                          int m, int direction) {
    assert(o >= 0 && o < p->layer->operand_count && m >= 0 && m < p->levels[o]);
    const weir_dse_word *word = &p->word[o][m][direction];
    const double amount = flow->amount[o][m][direction], bits = flow->bits[o][m][direction];
    assert(word->channel < 0 || word->narrow > 0);
    if (amount == 0 || bits == 0 || word->channel < 0) return 0;
    const double count = periods->count[o][weir_dse_flow_level(m, direction)];
    return trunc(ceil(amount * bits / word->narrow) * word->ratio * count * p->scope.units[o][m + 1]);
}

static void count_energy(const weir_dse_problem *p, const weir_dse_periods *periods, const weir_dse_flow *flow,
                         weir_dse_cost *cost, weir_dse_detail *detail) {
    cost->mac_energy = p->mac_energy;
    cost->memory_energy = 0;
    for (int o = 0; o < p->layer->operand_count; o++) {
        for (int m = 0; m < p->levels[o]; m++) {
            const weir_dse_memory *memory = p->memory[o][m];
            double words[WEIR_DSE_DIRECTIONS];
            for (int d = 0; d < WEIR_DSE_DIRECTIONS; d++) words[d] = count_words(p, periods, flow, o, m, d);
            const double reads =
                words[WEIR_DSE_READ_HIGH] * memory->read_energy + words[WEIR_DSE_READ_LOW] * memory->read_energy;
            const double writes =
                words[WEIR_DSE_WRITE_HIGH] * memory->write_energy + words[WEIR_DSE_WRITE_LOW] * memory->write_energy;
            cost->memory_energy += reads + writes;
            if (detail == NULL) continue;
            memcpy(detail->words[o][m], words, sizeof words);
            detail->energy[o][m] = reads + writes;
        }
    }
    cost->energy = cost->memory_energy + cost->mac_energy;
}

static void count_utilization(const weir_dse_problem *p, const weir_dse_flow *flow, weir_dse_detail *detail) {
    for (int i = 0; i < p->stop_count; i++) {
        const weir_dse_stop *stop = &p->stop[i];
        double sum = 0;
        for (int k = 0; k < stop->count; k++) {
            const int o = stop->operand[k], l = stop->level[k] + 1;
            sum += flow->elements[o][l] * flow->precision[o][l] / stop->memory->size;
        }
        for (int k = 0; k < stop->count; k++) detail->utilization[stop->operand[k]][stop->level[k]] = sum;
    }
}

void weir_dse_cost_of(const weir_dse_temporal *t, const weir_dse_rules *rules, weir_dse_cost *cost,
                      weir_dse_detail *detail) {
    const weir_dse_problem *p = t->problem;
    weir_dse_periods periods;
    weir_dse_flow flow, whole;
    weir_dse_flow_periods(t, rules, &periods);
    weir_dse_flow_data(t, &periods, false, &flow);
    if (!p->is_whole) weir_dse_flow_data(t, &periods, true, &whole);
    count_energy(p, &periods, &flow, cost, detail);
    weir_dse_stall_count(t, rules, &periods, &flow, p->is_whole ? &flow : &whole, cost,
                         detail == NULL ? NULL : detail->stall);
    cost->ideal = p->ideal_cycles;
    cost->ideal_temporal = periods.total;
    cost->latency_computation = periods.total + cost->stall;
    cost->latency_loaded = periods.total + cost->stall + cost->onloading;
    cost->latency = periods.total + cost->stall + cost->onloading + cost->offloading;
    if (detail == NULL) return;
    count_utilization(p, &flow, detail);
    memcpy(detail->start, periods.start, sizeof detail->start);
}
