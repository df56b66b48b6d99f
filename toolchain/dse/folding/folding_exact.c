#include "dse/folding/folding_exact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/cost/target.h"
#include "dataflow/schedule/stream.h"
#include "dse/folding/folding_beats_private.h"
#include "dse/folding/folding_options_private.h"
#include "support/memory/arena.h"

enum {
    RESOURCES = WEIR_KNAPSACK_RESOURCES,
    RELAXATIONS = 6,
    STEPS = 120,
    MOST_PAIRS = 1500, /* kinds of beginnings that are compared with each other */
    MOST_TOLD = 3,
    FOLLOW_STEPS = 3, /* to find a state, beside those of its service */
    LOOKS_A_STEP = 16 /* options looked at */
};

/* Cycles in bounds, for multipliers are whole numbers. */
#define CYCLE (INT64_C(1) << 10)
#define MULTIPLIER_MOST 8e9
#define NONE UINT32_MAX

typedef weir_folding_unit unit;
typedef weir_folding_option option;
typedef weir_folding_variant variant;

/* A mix of bounds in shares, and resources at multipliers. */
typedef struct relaxation {
    int64_t *share, multiplier[RESOURCES];
    int64_t *shares;   /* of the bounds before each, and of all */
    int64_t *arrival;  /* the same of share times arrival */
    int64_t *rest;     /* by item: the least that it and all after it come to, in shares of cycles * CYCLE */
    int64_t *value;    /* by option, without resources */
    int64_t resources; /* what the budget is worth at the multipliers, once they stay */
    int64_t bound;
} relaxation;

/* What the beats do after some items: streams that later ones take. */
typedef struct state {
    uint32_t *stream; /* by place of `live` */
    int64_t out;      /* cycles after which the results so far have come */
    int64_t base[RELAXATIONS];
    uint32_t first; /* label */
} state;

/* A beginning: all that leads to a state with these resources. */
typedef struct label {
    int64_t use[RESOURCES], bound;
    uint32_t state, before, option, next;
    bool attains;
} label;

/* Beginnings up to an item. */
typedef struct stage {
    weir_node *live; /* whose streams later items take */
    size_t lives;
    weir_node path; /* the last one on the path so far */
    size_t paced;   /* components on it that set the pace */
    state *state;
    label *label;
    size_t states, labels, state_capacity, label_capacity;
    weir_map known; /* states by streams */
} stage;

/* Of an option that is open, what a relaxation asks for again and again. */
typedef struct asked {
    int64_t value, use[RESOURCES];
} asked;

typedef struct solver {
    weir_folding_space *space;
    const weir_folding_structure *t;
    const weir_folding_exact *exact;
    weir_folding_beats *beats;
    weir_folding_options options;
    asked *open;        /* for the relaxation at hand */
    size_t *open_first; /* by item, and one more */
    relaxation relaxation[RELAXATIONS];
    size_t relaxations, bounds;
    int64_t *arrival; /* by bound */
    int64_t *least;   /* by item and resource: of it and all after it */
    stage *stage;     /* by item, before it */
    uint32_t *stream; /* by node */
    int64_t limit, budget[RESOURCES];
    int64_t dropped; /* the least bound of what was dropped for lack of room */
    weir_map converters;
    weir_folding_amount *converter;
    size_t converters_capacity;
    int64_t steps; /* but for those of service */
    bool attain;
} solver;

static int64_t steps_of(const solver *s) { return weir_folding_beats_steps(s->beats) + s->steps; }

/* --- bounds --- */

static int64_t cost_of(const solver *s, const relaxation *r, size_t index) {
    assert(index < s->options.count);
    int64_t sum = r->value[index];
    for (int k = 0; k < RESOURCES; k++) sum += r->multiplier[k] * s->options.option[index].use[k];
    return sum;
}

/* The options that are open, for dual_of. */
static void list_open(const solver *s, const relaxation *r) {
    size_t count = 0;
    for (size_t u = 0; u < s->t->units; u++) {
        s->open_first[u] = count;
        for (size_t i = s->options.first[u]; i < s->options.first[u + 1]; i++) {
            if (s->options.option[i].closed) continue;
            s->open[count].value = r->value[i];
            memcpy(s->open[count++].use, s->options.option[i].use, sizeof s->open->use);
        }
    }
    s->open_first[s->t->units] = count;
}

/* Of all items with the present multipliers; adds what the chosen options take to `use`. */
static int64_t dual_of(const solver *s, relaxation *r, int64_t *use) {
    int64_t sum = 0;
    memset(use, 0, RESOURCES * sizeof *use);
    for (size_t u = s->t->units; u-- > 0;) {
        int64_t least = INT64_MAX;
        const asked *best = NULL;
        for (const asked *o = &s->open[s->open_first[u]]; o < &s->open[s->open_first[u + 1]]; o++) {
            int64_t cost = o->value;
            for (int k = 0; k < RESOURCES; k++) cost += r->multiplier[k] * o->use[k];
            if (cost < least) best = o;
            if (cost < least) least = cost;
        }
        if (s->options.first[u] == s->options.first[u + 1]) least = 0;
        for (int k = 0; best != NULL && k < RESOURCES; k++) use[k] += best->use[k];
        sum = least == INT64_MAX || sum == INT64_MAX ? INT64_MAX : sum + least;
        r->rest[u] = sum;
    }
    return sum;
}

static int64_t entry_of(const solver *s, const relaxation *r) { return r->arrival[s->bounds] * CYCLE; }

static int64_t resources_of(const solver *s, const relaxation *r) {
    int64_t sum = 0;
    for (int k = 0; k < RESOURCES; k++) sum += r->multiplier[k] * s->budget[k];
    return sum;
}

/* Subgradient steps towards the largest bound (Polyak's length towards the limit), which it is left with. */
static void raise(const solver *s, relaxation *r) {
    const int64_t goal = s->limit * WEIR_FOLDING_SHARES * CYCLE, entry = entry_of(s, r);
    int64_t best[RESOURCES] = {0}, use[RESOURCES];
    double scale = 1;
    r->bound = INT64_MIN;
    list_open(s, r);
    for (int step = 0, idle = 0; step < STEPS; step++) {
        const int64_t sum = dual_of(s, r, use);
        if (sum == INT64_MAX) break;
        const int64_t bound = entry + sum - resources_of(s, r);
        if (bound > r->bound) {
            r->bound = bound;
            memcpy(best, r->multiplier, sizeof best);
            idle = 0;
        } else if (++idle % 4 == 0) {
            scale /= 2;
        }
        if (bound >= goal) break;
        double norm = 0, excess[RESOURCES];
        for (int k = 0; k < RESOURCES; k++) {
            excess[k] = (double)(use[k] - s->budget[k]) / ((double)s->budget[k] + 1);
            if (excess[k] < 0 && r->multiplier[k] == 0) excess[k] = 0;
            norm += excess[k] * excess[k];
        }
        if (norm == 0) break;
        for (int k = 0; k < RESOURCES; k++) {
            const double next = (double)r->multiplier[k] +
                                scale * (double)(goal - bound) / norm * excess[k] / ((double)s->budget[k] + 1);
            r->multiplier[k] = next <= 0 ? 0 : next > MULTIPLIER_MOST ? (int64_t)MULTIPLIER_MOST : (int64_t)next;
        }
    }
    memcpy(r->multiplier, best, sizeof best);
    const int64_t sum = dual_of(s, r, use);
    r->bound = sum == INT64_MAX ? INT64_MAX : entry + sum - resources_of(s, r);
}

static bool is_enough(const solver *s, int64_t bound) { return bound > (s->limit - 1) * WEIR_FOLDING_SHARES * CYCLE; }

/* Closes options that lead to no better one by a relaxation. Are some left of each item? */
static bool close_options(solver *s, const relaxation *r) {
    for (size_t u = 0; u < s->t->units; u++) {
        size_t open = 0;
        const int64_t after = u + 1 < s->t->units ? r->rest[u + 1] : 0, least = r->rest[u] - after;
        for (size_t i = s->options.first[u]; i < s->options.first[u + 1]; i++) {
            option *o = &s->options.option[i];
            if (!o->closed) o->closed = is_enough(s, r->bound - least + cost_of(s, r, i));
            open += !o->closed;
        }
        if (open == 0 && s->options.first[u] < s->options.first[u + 1]) return false;
    }
    return true;
}

static void add_relaxation(solver *s, const int64_t *share) {
    assert(s->bounds > 0);
    if (s->relaxations == RELAXATIONS) return;
    relaxation *r = &s->relaxation[s->relaxations++];
    *r = (relaxation){.bound = 0};
    r->share = weir_malloc(s->bounds * sizeof *r->share);
    memcpy(r->share, share, s->bounds * sizeof *share);
    r->shares = weir_calloc(s->bounds + 1, sizeof *r->shares);
    r->arrival = weir_calloc(s->bounds + 1, sizeof *r->arrival);
    for (size_t b = 0; b < s->bounds; b++) {
        r->shares[b + 1] = r->shares[b] + share[b];
        r->arrival[b + 1] = r->arrival[b] + share[b] * s->arrival[b];
    }
    r->rest = weir_calloc(s->t->units + 1, sizeof *r->rest);
    r->value = weir_calloc(s->options.count + 1, sizeof *r->value);
    int64_t *before = weir_folding_sums(share, s->bounds);
    for (size_t u = 0; u < s->t->units; u++) {
        const unit *of = &s->t->unit[u];
        for (size_t i = s->options.first[u]; i < s->options.first[u + 1]; i++)
            for (size_t k = 0; k < of->members; k++)
                r->value[i] += CYCLE * weir_folding_part(s->t, of->member[k], &s->options.option[i].times[k], before);
    }
    free(before);
}

static int by_bound(const void *a, const void *b) {
    const relaxation *x = a, *y = b;
    return x->bound > y->bound ? -1 : x->bound < y->bound;
}

/* The mix, and each bound by itself: as many as there is room for. False: no folding is below the limit. */
static bool relax(solver *s) {
    assert(s->bounds > 0);
    int64_t *one = weir_calloc(s->bounds, sizeof *one);
    s->open = weir_malloc((s->options.count + 1) * sizeof *s->open);
    s->open_first = weir_malloc((s->t->units + 1) * sizeof *s->open_first);
    add_relaxation(s, s->exact->mix);
    for (size_t b = 0; b < s->bounds; b++) {
        one[b] = WEIR_FOLDING_SHARES;
        add_relaxation(s, one);
        one[b] = 0;
    }
    free(one);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < s->relaxations; i++) {
            raise(s, &s->relaxation[i]);
            if (s->relaxation[i].bound == INT64_MAX || is_enough(s, s->relaxation[i].bound)) return false;
            if (!close_options(s, &s->relaxation[i])) return false;
        }
    }
    for (size_t i = 0; i < s->relaxations; i++) { /* for the options that are left now */
        int64_t use[RESOURCES];
        relaxation *r = &s->relaxation[i];
        list_open(s, r);
        const int64_t sum = dual_of(s, r, use);
        if (sum == INT64_MAX) return false;
        r->resources = resources_of(s, r);
        r->bound = entry_of(s, r) + sum - r->resources;
    }
    qsort(s->relaxation, s->relaxations, sizeof *s->relaxation, by_bound);
    for (size_t u = s->t->units; u-- > 0;) {
        for (int k = 0; k < RESOURCES; k++) {
            int64_t least = INT64_MAX;
            for (size_t i = s->options.first[u]; i < s->options.first[u + 1]; i++)
                if (!s->options.option[i].closed && s->options.option[i].use[k] < least)
                    least = s->options.option[i].use[k];
            s->least[u * RESOURCES + (size_t)k] =
                (least == INT64_MAX ? 0 : least) + s->least[(u + 1) * RESOURCES + (size_t)k];
        }
    }
    return true;
}

/* --- stages --- */

/* The streams that live before each item, and where the path is. */
static void find_stages(solver *s) {
    const weir_folding_structure *t = s->t;
    size_t *last = weir_calloc(weir_graph_node_limit(t->graph) + 1, sizeof *last); /* item that takes it, by node */
    for (size_t e = 0; e < t->edges; e++) {
        const size_t to = t->unit_of[t->edge[e].to.id];
        if (to > last[t->edge[e].from.id]) last[t->edge[e].from.id] = to;
    }
    /* By node those of items before the one whose stage it is, in the order of the graph. */
    for (weir_node node = weir_graph_first(t->graph); node.id != 0; node = weir_node_next(t->graph, node)) {
        for (size_t u = t->unit_of[node.id]; u < last[node.id]; u++) s->stage[u + 1].lives++;
    }
    for (size_t u = 0; u <= t->units; u++) {
        s->stage[u].live = weir_malloc((s->stage[u].lives + 1) * sizeof *s->stage[u].live);
        s->stage[u].lives = 0;
    }
    for (weir_node node = weir_graph_first(t->graph); node.id != 0; node = weir_node_next(t->graph, node)) {
        for (size_t u = t->unit_of[node.id]; u < last[node.id]; u++) {
            stage *g = &s->stage[u + 1];
            g->live[g->lives++] = node;
        }
    }
    weir_node next = t->begin;
    for (size_t u = 0; u <= t->units; u++) {
        stage *g = &s->stage[u];
        if (u > 0) g->path = s->stage[u - 1].path;
        if (u > 0) g->paced = s->stage[u - 1].paced;
        for (; next.id != 0 && t->unit_of[next.id] < u; next = t->station[next.id].next) {
            g->path = next;
            g->paced += t->station[next.id].paces;
        }
    }
    free(last);
}

/* Cycles after which the first and the last of what the next node of the path waits for have come. */
static void reach_of(const solver *s, const stage *g, const state *at, int64_t *first, int64_t *last) {
    const weir_node next = s->t->station[g->path.id].next;
    size_t i = 0;
    while (next.id != 0 && g->live[i].id != g->path.id) i++;
    *first = *last = at->out;
    if (next.id == 0) return;
    const uint32_t stream = at->stream[i];
    const weir_value value = weir_node_output(s->t->graph, g->path, 0);
    const int64_t from = weir_stream_elements(s->t->graph, value) - s->t->station[next.id].burst;
    *first = weir_folding_beats_at(s->beats, stream, 0) + 1;
    *last =
        weir_folding_beats_at(s->beats, stream, (from < 0 ? 0 : from) / weir_folding_beats_lanes(s->beats, stream)) + 1;
}

/* What the relaxations come to by what is known of the items before, without their resources. */
static void find_base(const solver *s, size_t u, state *at) {
    assert(u <= s->t->units);
    const stage *g = &s->stage[u];
    int64_t first = 0, last = 0;
    if (g->path.id != 0) reach_of(s, g, at, &first, &last);
    const size_t passed = g->path.id == 0 ? 0 : g->paced + 1 < s->bounds ? g->paced + 1 : s->bounds;
    for (size_t i = 0; i < s->relaxations; i++) {
        const relaxation *r = &s->relaxation[i];
        const bool arrive = g->path.id == 0 || s->t->holds_rows;
        const int64_t later =
            arrive ? r->arrival[s->bounds] - r->arrival[passed] : (r->shares[s->bounds] - r->shares[passed]) * first;
        at->base[i] = (r->shares[passed] * last + later) * CYCLE + r->rest[u] - r->resources;
    }
}

/* Of a beginning that takes so much, in cycles. */
static int64_t bound_of(const solver *s, const state *at, const int64_t *use) {
    int64_t bound = at->out * WEIR_FOLDING_SHARES * CYCLE;
    for (size_t i = 0; i < s->relaxations; i++) {
        int64_t sum = at->base[i];
        for (int k = 0; k < RESOURCES; k++) sum += s->relaxation[i].multiplier[k] * use[k];
        if (sum > bound) bound = sum;
    }
    const int64_t whole = WEIR_FOLDING_SHARES * CYCLE;
    return (bound + whole - 1) / whole;
}

/* The same with an option of item u, before what the beats do with it is known. */
static bool may_lead_on(const solver *s, size_t u, const state *at, const label *l, size_t index) {
    assert(u < s->t->units && index < s->options.count);
    const option *o = &s->options.option[index];
    for (int k = 0; k < RESOURCES; k++)
        if (l->use[k] + o->use[k] + s->least[(u + 1) * RESOURCES + (size_t)k] > s->budget[k]) return false;
    for (size_t i = 0; i < s->relaxations; i++) {
        const relaxation *r = &s->relaxation[i];
        int64_t sum = at->base[i] - r->rest[u] + r->rest[u + 1] + cost_of(s, r, index);
        for (int k = 0; k < RESOURCES; k++) sum += r->multiplier[k] * l->use[k];
        if (is_enough(s, sum)) return false;
    }
    return true;
}

typedef struct lookup {
    const stage *stage;
    const state *wanted;
} lookup;

static bool is_state(const void *user, uint64_t key, uint64_t value) {
    (void)key;
    const lookup *l = user;
    const state *known = &l->stage->state[value];
    return known->out == l->wanted->out &&
           memcmp(known->stream, l->wanted->stream, l->stage->lives * sizeof *known->stream) == 0;
}

/* The state that the nodes' streams and `out` are, before item u. */
static uint32_t state_of(solver *s, size_t u, int64_t out) {
    assert(u <= s->t->units);
    stage *g = &s->stage[u];
    state wanted = {.stream = weir_malloc((g->lives + 1) * sizeof *wanted.stream), .out = out, .first = NONE};
    uint64_t key = (uint64_t)out;
    for (size_t i = 0; i < g->lives; i++) {
        wanted.stream[i] = s->stream[g->live[i].id];
        key = (key ^ wanted.stream[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    bool is_new;
    lookup l = {g, &wanted};
    weir_map_entry *entry = weir_map_put_as(&g->known, weir_map_hash(key), is_state, &l, &is_new);
    if (!is_new) {
        free(wanted.stream);
        return (uint32_t)entry->value;
    }
    entry->key = key;
    entry->value = g->states;
    find_base(s, u, &wanted);
    g->state = weir_grow(g->state, &g->state_capacity, g->states + 1, sizeof *g->state);
    g->state[g->states] = wanted;
    return (uint32_t)g->states++;
}

static bool is_as_good(const label *a, const label *b) {
    bool good = a->attains >= b->attains;
    for (int k = 0; k < RESOURCES; k++) good &= a->use[k] <= b->use[k];
    return good;
}

/* Unless another one of the state is as good; worse ones go. */
static void add_label(stage *g, const label *l) {
    assert(l->state < g->states);
    uint32_t *first = &g->state[l->state].first;
    for (uint32_t i = *first; i != NONE; i = g->label[i].next)
        if (is_as_good(&g->label[i], l)) return;
    for (uint32_t *link = first; *link != NONE;) {
        if (is_as_good(l, &g->label[*link])) *link = g->label[*link].next;
        else link = &g->label[*link].next;
    }
    g->label = weir_grow(g->label, &g->label_capacity, g->labels + 1, sizeof *g->label);
    g->label[g->labels] = *l;
    g->label[g->labels].next = *first;
    *first = (uint32_t)g->labels++;
}

/* --- an item --- */

static const int64_t *converter_between(solver *s, size_t edge, int64_t in, int64_t out) {
    assert(edge < s->t->edges && in >= 1 && out >= 1);
    const uint64_t key = ((uint64_t)edge << 24 | (uint64_t)in) << 24 | (uint64_t)out;
    const uint64_t *known = weir_map_find(&s->converters, key);
    if (known != NULL) return s->converter[*known].use;
    const size_t index = s->converters.count;
    s->converter = weir_grow(s->converter, &s->converters_capacity, index + 1, sizeof *s->converter);
    s->converter[index] = weir_folding_converter(s->space, s->t->edge[edge].value, in, out);
    *weir_map_put(&s->converters, key) = index;
    return s->converter[index].use;
}

/* Lane converters before the members. */
static void add_converters(solver *s, size_t u, const variant *v, int64_t *use) {
    assert(u < s->t->units);
    for (size_t k = s->t->touching_first[u]; k < s->t->touching_first[u + 1]; k++) {
        const size_t e = s->t->touching[k];
        if (s->t->unit_of[s->t->edge[e].to.id] != u) continue;
        size_t member = 0;
        while (s->t->unit[u].member[member].id != s->t->edge[e].to.id) member++;
        const int64_t in = weir_folding_beats_lanes(s->beats, s->stream[s->t->edge[e].from.id]),
                      out = weir_stream_lanes_taken(s->t->graph, s->t->edge[e].to, &v->member[member],
                                                    s->t->edge[e].input);
        const int64_t *more = converter_between(s, e, in, out);
        for (int r = 0; r < RESOURCES; r++) use[r] += more[r];
    }
}

/* Cycles after which the results that the item gives have come. */
static int64_t out_of(const solver *s, size_t u, int64_t before) {
    assert(u < s->t->units);
    const unit *of = &s->t->unit[u];
    for (size_t i = 0; i < of->members; i++) {
        bool leaves = false;
        for (size_t k = 0; k < s->options.outputs; k++)
            leaves |= weir_value_producer(s->t->graph, s->options.output[k]).id == of->member[i].id;
        if (!leaves) continue;
        const int64_t last = weir_folding_beats_at(s->beats, s->stream[of->member[i].id], -1) + 1;
        if (last > before) before = last;
    }
    return before;
}

/* Every label of a state with every option of the variant. False: it ends early. */
static bool follow(solver *s, size_t u, const variant *v, uint32_t from) {
    assert(u < s->t->units && from < s->stage[u].states && v->first <= v->end && v->end <= s->options.count);
    const stage *g = &s->stage[u];
    stage *to = &s->stage[u + 1];
    bool served = false;
    uint32_t reached = NONE;
    int64_t more[RESOURCES] = {0};
    for (uint32_t i = g->state[from].first; i != NONE; i = g->label[i].next) {
        s->steps += (int64_t)(v->end - v->first) / LOOKS_A_STEP + 1;
        for (size_t k = v->first; k < v->end; k++) {
            const option *o = &s->options.option[k];
            if (o->closed || !may_lead_on(s, u, &g->state[from], &g->label[i], k)) continue;
            if (!served) {
                for (size_t n = 0; n < g->lives; n++) s->stream[g->live[n].id] = g->state[from].stream[n];
                if (!weir_folding_beats_serve(s->beats, &s->t->unit[u], s->stream)) return false;
                s->steps += FOLLOW_STEPS;
                if (steps_of(s) > *s->exact->work) return false;
                reached = state_of(s, u + 1, out_of(s, u, g->state[from].out));
                add_converters(s, u, v, more);
                served = true;
            }
            label l = {.state = reached, .before = i, .option = (uint32_t)k};
            l.attains = g->label[i].attains || v->attains;
            bool fits = true;
            for (int r = 0; r < RESOURCES; r++) {
                l.use[r] = g->label[i].use[r] + o->use[r] + more[r];
                fits &= l.use[r] + s->least[(u + 1) * RESOURCES + (size_t)r] <= s->budget[r];
            }
            l.bound = bound_of(s, &to->state[reached], l.use);
            if (fits && l.bound < s->limit) add_label(to, &l);
        }
    }
    return true;
}

static bool are_sooner(solver *s, const stage *g, const state *a, const state *b) {
    if (a->out > b->out) return false;
    for (size_t i = 0; i < g->lives; i++)
        if (!weir_folding_beats_are_sooner(s->beats, a->stream[i], b->stream[i])) return false;
    return true;
}

/* Labels of a state go where those of one whose beats all come no later are as good. */
static void compare_states(solver *s, stage *g) {
    if (g->states > MOST_PAIRS) return;
    for (size_t a = 0; a < g->states; a++) {
        for (size_t b = 0; b < g->states && g->state[a].first != NONE; b++) {
            if (a == b || g->state[b].first == NONE || !are_sooner(s, g, &g->state[a], &g->state[b])) continue;
            for (uint32_t *link = &g->state[b].first; *link != NONE;) {
                bool worse = false;
                for (uint32_t i = g->state[a].first; i != NONE && !worse; i = g->label[i].next)
                    worse = is_as_good(&g->label[i], &g->label[*link]);
                if (worse) *link = g->label[*link].next;
                else link = &g->label[*link].next;
            }
        }
    }
}

static int by_number(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Keeps those with the least bounds where there are too many. */
static void thin(solver *s, stage *g) {
    const size_t room = s->exact->room;
    assert(room > 0);
    int64_t *bound = weir_malloc((g->labels + 1) * sizeof *bound);
    size_t count = 0, below = 0;
    for (size_t i = 0; i < g->states; i++)
        for (uint32_t l = g->state[i].first; l != NONE; l = g->label[l].next) bound[count++] = g->label[l].bound;
    if (count > room) {
        qsort(bound, count, sizeof *bound, by_number);
        const int64_t most = bound[room];
        while (bound[below] < most) below++;
        size_t even = room - below; /* of those with a bound of `most`, so many stay */
        if (most < s->dropped) s->dropped = most;
        for (size_t i = 0; i < g->states; i++) {
            for (uint32_t *link = &g->state[i].first; *link != NONE;) {
                const int64_t b = g->label[*link].bound;
                const bool stays = b < most || (b == most && even > 0);
                even -= stays && b == most;
                if (stays) link = &g->label[*link].next;
                else *link = g->label[*link].next;
            }
        }
    }
    free(bound);
}

/* False: it ends early. */
static bool expand(solver *s, size_t u) {
    assert(u < s->t->units && s->options.variant_first[u + 1] <= s->options.variants);
    for (size_t k = s->options.variant_first[u]; k < s->options.variant_first[u + 1]; k++) {
        const variant *v = &s->options.variant[k];
        bool open = false;
        for (size_t i = v->first; i < v->end; i++) open |= !s->options.option[i].closed;
        if (!open) continue;
        weir_folding_beats_fold(s->beats, &s->t->unit[u], v->folding, v->member, v->built);
        for (size_t from = 0; from < s->stage[u].states; from++)
            if (s->stage[u].state[from].first != NONE && !follow(s, u, v, (uint32_t)from)) return false;
    }
    compare_states(s, &s->stage[u + 1]);
    thin(s, &s->stage[u + 1]);
    return true;
}

/* An item that was taken into another: all as it was. */
static void pass_on(solver *s, size_t u) {
    assert(u < s->t->units && s->t->unit[u].members == 0);
    stage *from = &s->stage[u], *to = &s->stage[u + 1];
    for (size_t i = 0; i < from->states; i++) {
        for (size_t n = 0; n < from->lives; n++) s->stream[from->live[n].id] = from->state[i].stream[n];
        for (uint32_t k = from->state[i].first; k != NONE; k = from->label[k].next) {
            label l = from->label[k];
            l.before = k;
            l.option = NONE;
            l.state = state_of(s, u + 1, from->state[i].out);
            add_label(to, &l);
        }
    }
}

/* --- the whole --- */

static void tell(solver *s, uint32_t index) {
    assert(index < s->stage[s->t->units].labels);
    weir_folding_pick *pick = weir_calloc(s->t->units + 1, sizeof *pick);
    const label *end = &s->stage[s->t->units].label[index];
    const label *l = end;
    for (size_t u = s->t->units; u-- > 0; l = &s->stage[u].label[l->before]) {
        if (l->option == NONE) continue;
        const option *o = &s->options.option[l->option];
        pick[u] = (weir_folding_pick){o->folding, o->choices};
    }
    s->limit = s->exact->found(s->exact->user, pick, end->use, s->stage[s->t->units].state[end->state].out);
    free(pick);
}

typedef struct ending {
    int64_t latency;
    uint32_t label;
} ending;

static int by_latency(const void *a, const void *b) {
    const ending *x = a, *y = b;
    if (x->latency != y->latency) return x->latency < y->latency ? -1 : 1;
    return x->label < y->label ? -1 : 1;
}

/* Tells of the quickest foldings until none is below the limit. Returns what no folding is below. */
static int64_t tell_quickest(solver *s) {
    const stage *g = &s->stage[s->t->units];
    ending *all = weir_malloc((g->labels + 1) * sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < g->states; i++)
        for (uint32_t l = g->state[i].first; l != NONE; l = g->label[l].next)
            if (g->label[l].attains || !s->attain) all[count++] = (ending){g->state[i].out, l};
    qsort(all, count, sizeof *all, by_latency);
    const int64_t least = count > 0 && all[0].latency < s->limit ? all[0].latency : s->limit;
    for (size_t i = 0; i < count && i < MOST_TOLD && all[i].latency < s->limit; i++) tell(s, all[i].label);
    free(all);
    return least < s->dropped ? least : s->dropped;
}

static int64_t branch(solver *s) {
    find_stages(s);
    if (!relax(s)) return s->limit;
    s->dropped = s->limit;
    const uint32_t begin = state_of(s, 0, 0);
    add_label(&s->stage[0], &(label){.state = begin, .before = NONE, .option = NONE});
    for (size_t u = 0; u < s->t->units; u++) {
        if (s->t->unit[u].members == 0) pass_on(s, u);
        else if (!expand(s, u)) return 0;
    }
    return tell_quickest(s);
}

static void start(solver *s) {
    weir_folding_space *space = s->space;
    const weir_folding_amount common = weir_folding_common(space);
    for (int k = 0; k < RESOURCES; k++) s->budget[k] = s->exact->budget[k] - common.use[k];
    s->attain = space->reached > space->shortest;
    s->limit = s->exact->limit;
    s->bounds = weir_folding_bounds(s->t);
    s->arrival = weir_calloc(s->bounds, sizeof *s->arrival);
    for (size_t b = 0; b < s->bounds; b++) s->arrival[b] = weir_folding_arrival(s->t, b, space->reached);
    s->stage = weir_calloc(s->t->units + 1, sizeof *s->stage);
    s->least = weir_calloc((s->t->units + 1) * RESOURCES, sizeof *s->least);
    s->stream = weir_calloc(weir_graph_node_limit(s->t->graph) + 1, sizeof *s->stream);
}

static void finish(solver *s) {
    for (size_t u = 0; u <= s->t->units; u++) {
        stage *g = &s->stage[u];
        for (size_t i = 0; i < g->states; i++) free(g->state[i].stream);
        free(g->live);
        free(g->state);
        free(g->label);
        weir_map_free(&g->known);
    }
    for (size_t i = 0; i < s->relaxations; i++) {
        free(s->relaxation[i].share);
        free(s->relaxation[i].shares);
        free(s->relaxation[i].arrival);
        free(s->relaxation[i].rest);
        free(s->relaxation[i].value);
    }
    free(s->open);
    free(s->open_first);
    free(s->stage);
    free(s->least);
    free(s->stream);
    free(s->arrival);
    free(s->converter);
    weir_map_free(&s->converters);
}

int64_t weir_folding_exact_options(const weir_folding_space *space) {
    int64_t count = 0;
    for (size_t u = 0; u < space->at.units; u++)
        for (size_t f = 0; f < space->at.unit[u].foldings; f++)
            if (weir_folding_is_open(space, &space->at.unit[u], &space->at.unit[u].folding[f]))
                count += (int64_t)space->at.unit[u].folding[f].by[space->by].count;
    return count * STEPS;
}

int64_t weir_folding_exact_search(weir_folding_space *space, const weir_folding_exact *exact) {
    solver s = {.space = space, .t = &space->at, .exact = exact};
    s.beats = weir_folding_beats_new(s.t, space->reached);
    if (s.beats == NULL || *exact->work <= 0) {
        weir_folding_beats_free(s.beats);
        return 0;
    }
    int64_t bound = 0;
    start(&s);
    if (weir_folding_options_make(space, &s.options)) bound = branch(&s);
    *exact->work -= steps_of(&s);
    finish(&s);
    weir_folding_options_free(&s.options);
    weir_folding_beats_free(s.beats);
    return bound < exact->limit ? bound : exact->limit;
}
