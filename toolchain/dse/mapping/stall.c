#include "dse/mapping/stall.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST = WEIR_DSE_OPERANDS * WEIR_DSE_DIRECTIONS };

typedef struct counter {
    const weir_dse_problem *p;
    const weir_dse_rules *rules;
    const weir_dse_periods *periods;
    const weir_dse_flow *flow, *whole;
    double allowed[3][WEIR_DSE_LEVELS];                        /* cycles of a period in which data may move */
    double loading[3][WEIR_DSE_MEMORIES][WEIR_DSE_DIRECTIONS]; /* cycles before or after the computation */
    double stall;
} counter;

/* A memory that is half empty, or has room for the next data of an operand, takes them while the present are in use. */
static void find_windows(counter *c) {
    const weir_dse_problem *p = c->p;
    double own[3][WEIR_DSE_MEMORIES], used[WEIR_DSE_MEMORIES];
    for (int i = 0; i < p->stop_count; i++) {
        const weir_dse_stop *stop = &p->stop[i];
        used[i] = 0;
        for (int k = 0; k < stop->count; k++) {
            const int o = stop->operand[k], m = stop->level[k], l = m + 1;
            const double bits = c->flow->elements[o][l] * c->flow->precision[o][l];
            own[o][m] = floor(bits / c->periods->top_fresh[o][l]) / stop->memory->size;
            used[i] += own[o][m];
        }
    }
    for (int o = 0; o < p->layer->operand_count; o++) {
        c->allowed[o][0] = c->periods->cycles[o][0];
        for (int m = 0; m < p->levels[o]; m++) {
            double *shared = &used[p->stop_of[o][m]];
            const bool half_empty = *shared <= 0.5, has_room = own[o][m] <= 1 - *shared;
            const double cycles = c->periods->cycles[o][m + 1];
            c->allowed[o][m + 1] = half_empty || has_room ? cycles : trunc(cycles / c->periods->top_again[o][m + 1]);
            if (!half_empty && has_room) *shared += own[o][m];
        }
    }
}

/* A transfer on its port: cycles it takes and may take each period. */
typedef struct activity {
    weir_dse_transfer transfer;
    double real, allowed, period, count;
} activity;

static int collect(const counter *c, const weir_dse_channel *channel, activity *list) {
    assert(channel->count >= 0 && channel->count <= MOST);
    int count = 0;
    for (int i = 0; i < channel->count; i++) {
        const weir_dse_transfer t = channel->transfer[i];
        const int level = weir_dse_flow_level(t.level, t.direction);
        const double amount = c->whole->amount[t.operand][t.level][t.direction];
        if (amount == 0) continue;
        const double wide = c->p->word[t.operand][t.level][t.direction].wide;
        list[count++] = (activity){t, ceil(amount * c->whole->bits[t.operand][t.level][t.direction] / wide),
                                   c->allowed[t.operand][level], c->periods->cycles[t.operand][level],
                                   c->periods->count[t.operand][level]};
    }
    return count;
}

/* --- the time in which at least one transfer may happen --- */

/* Distinct periods, each dividing the next, with the longest window and how much of it shorter periods cover. */
typedef struct window_set {
    int count;
    double period[MOST], allowed[MOST], covered[MOST], busy[MOST];
} window_set;

static void add_window(window_set *w, double period, double allowed) {
    assert(w->count < MOST && period > 0);
    int at = w->count;
    while (at > 0 && w->period[at - 1] > period) at--;
    if (at > 0 && w->period[at - 1] == period) {
        if (allowed > w->allowed[at - 1]) w->allowed[at - 1] = allowed;
        return;
    }
    for (int i = w->count++; i > at; i--) {
        w->period[i] = w->period[i - 1];
        w->allowed[i] = w->allowed[i - 1];
    }
    w->period[at] = period;
    w->allowed[at] = allowed;
}

/* Busy cycles among the first `cycles`, by the periods up to `last`. */
static double busy_cycles(const window_set *w, int last, double cycles) {
    assert(last < w->count);
    double busy = 0;
    for (int k = last; k >= 0; k--) {
        const double whole = trunc(cycles / w->period[k]), rest = cycles - whole * w->period[k];
        busy += whole * w->busy[k];
        if (rest <= w->allowed[k]) return busy + rest;
        busy += w->allowed[k] - w->covered[k];
        cycles = rest;
    }
    return busy;
}

static double union_of(const activity *list, int count) {
    assert(count >= 1 && count <= MOST);
    window_set w = {.count = 0};
    const activity *longest = &list[0];
    for (int i = 0; i < count; i++)
        if (list[i].period == list[i].allowed) return list[i].period * list[i].count;
    for (int i = 0; i < count; i++) {
        add_window(&w, list[i].period, list[i].allowed);
        if (list[i].period > longest->period) longest = &list[i];
    }
    for (int k = 0; k < w.count; k++) {
        w.covered[k] = busy_cycles(&w, k - 1, w.allowed[k]);
        w.busy[k] = w.allowed[k] + busy_cycles(&w, k - 1, w.period[k]) - w.covered[k];
    }
    return w.busy[w.count - 1] * longest->count;
}

static double stall_of(const activity *list, int count) {
    if (count == 0) return 0;
    if (count == 1) return (list[0].real - list[0].allowed) * (list[0].count - 1);
    double late = 0, spare = 0, windows = 0;
    for (int i = 0; i < count; i++) {
        const double stall = (list[i].real - list[i].allowed) * (list[i].count - 1);
        if (stall > 0) late += stall;
        else spare += stall;
        windows += list[i].allowed * (list[i].count - 1);
    }
    if (spare + windows <= 0) return late;
    return late + fmax(0, spare + windows - union_of(list, count));
}

/* --- before and after --- */

/* The indices of the largest first, of equals in the order given. */
static void sort_falling(const double *cycles, int count, int *order) {
    assert(count >= 0 && count <= MOST);
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && cycles[order[at - 1]] < cycles[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Takes `surplus` cycles away, as far as the least of each allows, from the largest first. */
static void shorten(double *cycles, const double *least, int count, double surplus) {
    int order[MOST];
    sort_falling(cycles, count, order);
    for (int i = 0; i < count && surplus > 0; i++) {
        const double reduction = fmin(fmax(0, cycles[order[i]] - least[order[i]]), surplus);
        cycles[order[i]] -= reduction;
        surplus -= reduction;
    }
}

/* As ZigZag 3.8.5: the largest become equal, whatever the least of the others. */
static void balance(double *cycles, const double *least, int count, double surplus) {
    int order[MOST];
    if (surplus <= 0) return;
    sort_falling(cycles, count, order);
    for (int i = 0; i < count; i++) {
        const double each = cycles[order[i]] - least[order[i]], most = each * (i + 1);
        const double reduction = surplus >= most ? each : surplus / (i + 1);
        for (int k = 0; k <= i; k++) cycles[order[k]] -= reduction;
        if (surplus < most) break;
        surplus -= most;
    }
}

/* Data that move once move before or after, as far as the port has no time for them meanwhile. */
static void count_loading(counter *c, const weir_dse_channel *channel, const activity *list, int count) {
    double cycles[MOST], least[MOST], busy = 0;
    const activity *once[MOST];
    int once_count = 0;
    for (int i = 0; i < count; i++) {
        const weir_dse_transfer t = list[i].transfer;
        const bool comes_back = t.direction == WEIR_DSE_READ_LOW || t.direction == WEIR_DSE_WRITE_HIGH;
        if (t.operand == 0 && comes_back) continue;
        const int l = weir_dse_flow_level(t.level, t.direction);
        const double *elements = c->whole->elements[t.operand], *precision = c->whole->precision[t.operand];
        if (list[i].count == 1) {
            cycles[once_count] = list[i].real;
            least[once_count] = ceil(elements[1] * precision[1] / channel->bandwidth);
            once[once_count++] = &list[i];
            continue;
        }
        const bool low = l == t.level;
        const double boost = low ? c->p->whole_scope.boost[t.operand][l] : 1;
        busy += trunc(elements[l] * precision[l] / c->periods->cycles[t.operand][l] * boost);
        c->loading[t.operand][t.level][t.direction] = list[i].real;
    }
    if (once_count == 0) return;
    const double surplus = (channel->bandwidth - busy) / channel->bandwidth * (c->periods->total + c->stall);
    (c->rules->negative_onloading ? balance : shorten)(cycles, least, once_count, surplus);
    for (int i = 0; i < once_count; i++) {
        const weir_dse_transfer t = once[i]->transfer;
        c->loading[t.operand][t.level][t.direction] = cycles[i];
    }
}

typedef struct parts {
    double own, half, shared; /* links by neither, one or both ports that the other input shares */
} parts;

static parts onload(const counter *c, int o) {
    assert(o > 0 && o < c->p->layer->operand_count);
    parts sum = {0, 0, 0};
    for (int m = 0; m + 1 < c->p->levels[o]; m++) {
        const double cycles = fmax(c->loading[o][m][WEIR_DSE_WRITE_HIGH], c->loading[o][m + 1][WEIR_DSE_READ_LOW]);
        const int low = c->p->word[o][m][WEIR_DSE_WRITE_HIGH].channel,
                  high = c->p->word[o][m + 1][WEIR_DSE_READ_LOW].channel;
        const bool low_shared = low >= 0 && c->p->channel[low].is_shared;
        const bool high_shared = high >= 0 && c->p->channel[high].is_shared;
        if (low_shared && high_shared) sum.shared += cycles;
        else if (!low_shared && !high_shared) sum.own += cycles;
        else if (c->rules->half_shared_replaced) sum.half = cycles;
        else sum.half += cycles;
    }
    return sum;
}

static double onload_all(const counter *c) {
    const parts a = onload(c, 1);
    if (c->p->layer->operand_count == 2) return c->rules->half_shared_replaced ? a.own : a.own + a.half + a.shared;
    const parts b = onload(c, 2);
    return fmin(a.shared + fmax(b.shared + b.half + b.own, a.half + a.own),
                b.shared + fmax(a.shared + a.half + a.own, b.half + b.own));
}

static double offload_all(const counter *c) {
    double sum = 0;
    for (int m = 0; m + 1 < c->p->levels[0]; m++)
        sum += fmax(c->loading[0][m][WEIR_DSE_READ_HIGH], c->loading[0][m + 1][WEIR_DSE_WRITE_LOW]);
    return sum;
}

void weir_dse_stall_count(const weir_dse_temporal *t, const weir_dse_rules *rules, const weir_dse_periods *periods,
                          const weir_dse_flow *flow, const weir_dse_flow *whole, weir_dse_cost *cost, double *stalls) {
    const weir_dse_problem *p = t->problem;
    counter c = {.p = p, .rules = rules, .periods = periods, .flow = flow, .whole = whole};
    activity list[WEIR_DSE_MEMORIES * WEIR_DSE_PORTS][MOST];
    int count[WEIR_DSE_MEMORIES * WEIR_DSE_PORTS];
    find_windows(&c);
    for (int i = 0; i < p->channel_count; i++) {
        count[i] = collect(&c, &p->channel[i], list[i]);
        const double stall = stall_of(list[i], count[i]);
        if (stalls != NULL) stalls[i] = stall;
        if (stall > c.stall) c.stall = stall;
    }
    for (int i = 0; i < p->channel_count; i++) count_loading(&c, &p->channel[i], list[i], count[i]);
    cost->stall = c.stall;
    cost->onloading = onload_all(&c);
    cost->offloading = offload_all(&c);
}
