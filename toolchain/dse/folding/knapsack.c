#include "dse/folding/knapsack.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

enum {
    RESOURCES = WEIR_KNAPSACK_RESOURCES,
    LAGRANGE = RESOURCES,
    MEASURES,
    DEFAULT_CAPACITY = 20000,
    FIRST_CAPACITY = 32,
    STEPS = 300,
    FEW_STEPS = 24, /* towards a dual bound, at least */
    FEW_LABELS = 6, /* held at least */
    SWEEPS = 5,     /* over the items, to spend what a choice leaves */
    REPAIRS = 10    /* to make it keep the budgets */
};

/* What takes longer than to compare two labels, in such steps: making one, its share of a sort, relaxing an option. */
enum { JOIN_WORK = 16, SORT_WORK = 48, RELAX_WORK = 8 };

/* So that no sum overflows (knapsack.h). */
#define MULTIPLIER_MOST 8e9

/* The least that a part of the forest takes: of each resource, and of value and resources at their multipliers. */
typedef struct least {
    int64_t of[MEASURES];
} least;

/* A choice for the items of a subtree, or for some of them: an option, or one more child in addition to `base`. */
typedef struct label label;
struct label {
    weir_knapsack_price price;
    bool attains;
    size_t option, order; /* of making: settles ties */
    const label *base, *child;
};

typedef struct labels {
    const label **item;
    size_t count, capacity;
} labels;

/* What a relaxation asks of all options again and again, side by side: item after item. */
typedef struct option_list {
    size_t *first; /* by item */
    int64_t *value, *use[RESOURCES];
    uint32_t *begin, *end;
    int64_t *from, *after; /* room by begin and end of an item */
} option_list;

/* Items with a virtual root before them, which has the roots as children: item i of the knapsack is i + 1. */
typedef struct solver {
    const weir_knapsack *knapsack;
    weir_arena *arena;
    size_t items;
    weir_knapsack_item *item;
    size_t *next, *first; /* children in order: first[i], then next of each; 0: none */
    least **from, **at;   /* [item][begin]: of the subtree; [item][parent's end]: with what the two meet at */
    size_t **best;        /* [item][begin]: the option in which LAGRANGE is least */
    uint32_t **begin;     /* [item][parent's end]: the kind */
    option_list option;
    int64_t multiplier[RESOURCES];
    bool binds[RESOURCES];  /* can the budget be exceeded at all? */
    bool minded[RESOURCES]; /* by the search */
    int64_t incumbent;      /* a value that has been reached, or the limit */
    size_t *chosen;
    weir_knapsack_price total;
    bool fits, complete; /* no label was dropped for lack of room */
    size_t capacity, labels, options;
    int64_t work; /* steps taken */
    int64_t left; /* for what is done now; INT64_MAX: any number */
} solver;

static int64_t lagrange(const solver *s, const weir_knapsack_price *p) {
    int64_t sum = p->value;
    for (int r = 0; r < RESOURCES; r++) sum += s->multiplier[r] * p->use[r];
    return sum;
}

static int64_t measure(const solver *s, const weir_knapsack_price *p, int m) {
    return m == LAGRANGE ? lagrange(s, p) : p->use[m];
}

static void add(weir_knapsack_price *into, const weir_knapsack_price *p) {
    for (int r = 0; r < RESOURCES; r++) into->use[r] += p->use[r];
    into->value += p->value;
}

static const weir_knapsack_price nothing = {{0}, 0};

static const weir_knapsack_price *meet(const solver *s, size_t item, uint32_t end, uint32_t begin) {
    const weir_knapsack_item *it = &s->item[item];
    return it->meet == NULL ? &nothing : &it->meet[(size_t)end * it->begins + begin];
}

static void list_options(solver *s) {
    option_list *l = &s->option;
    size_t at = 0;
    uint32_t begins = 0, ends = 0;
    l->first = weir_arena_array(s->arena, s->items, sizeof *l->first);
    l->value = weir_arena_array(s->arena, s->options + 1, sizeof *l->value);
    l->begin = weir_arena_array(s->arena, s->options + 1, sizeof *l->begin);
    l->end = weir_arena_array(s->arena, s->options + 1, sizeof *l->end);
    for (int r = 0; r < RESOURCES; r++) l->use[r] = weir_arena_array(s->arena, s->options + 1, sizeof *l->use[r]);
    for (size_t i = 0; i < s->items; i++) {
        const weir_knapsack_item *it = &s->item[i];
        l->first[i] = at;
        if (it->begins > begins) begins = it->begins;
        if (it->ends > ends) ends = it->ends;
        for (size_t o = 0; o < it->count; o++, at++) {
            const weir_knapsack_option *option = &it->option[o];
            assert(option->begin < it->begins && option->end < it->ends);
            l->value[at] = option->price.value;
            l->begin[at] = option->begin;
            l->end[at] = option->end;
            for (int r = 0; r < RESOURCES; r++) l->use[r][at] = option->price.use[r];
        }
    }
    l->from = weir_arena_array(s->arena, begins, sizeof *l->from);
    l->after = weir_arena_array(s->arena, ends, sizeof *l->after);
}

static void prepare(solver *s, const weir_knapsack *knapsack) {
    static const weir_knapsack_option none = {.attains = false};
    s->knapsack = knapsack;
    s->arena = weir_arena_new();
    s->items = knapsack->count + 1;
    s->item = weir_arena_array(s->arena, s->items, sizeof *s->item);
    s->next = weir_arena_array(s->arena, s->items, sizeof *s->next);
    s->first = weir_arena_array(s->arena, s->items, sizeof *s->first);
    s->from = weir_arena_array(s->arena, s->items, sizeof *s->from);
    s->at = weir_arena_array(s->arena, s->items, sizeof *s->at);
    s->best = weir_arena_array(s->arena, s->items, sizeof *s->best);
    s->begin = weir_arena_array(s->arena, s->items, sizeof *s->begin);
    s->chosen = weir_arena_array(s->arena, s->items, sizeof *s->chosen);
    s->item[0] = (weir_knapsack_item){&none, 1, WEIR_KNAPSACK_ROOT, 1, 1, NULL};
    for (size_t i = s->items; --i > 0;) {
        s->item[i] = knapsack->item[i - 1];
        const bool root = s->item[i].parent == WEIR_KNAPSACK_ROOT;
        assert(s->item[i].count > 0 && (root || s->item[i].parent < i - 1));
        if (root) s->item[i].meet = NULL;
        s->item[i].parent = root ? 0 : s->item[i].parent + 1;
        s->next[i] = s->first[s->item[i].parent];
        s->first[s->item[i].parent] = i;
        s->options += s->item[i].count;
    }
    for (size_t i = 0; i < s->items; i++) {
        const uint32_t ends = s->item[s->item[i].parent == WEIR_KNAPSACK_ROOT ? i : s->item[i].parent].ends;
        s->from[i] = weir_arena_array(s->arena, s->item[i].begins, sizeof **s->from);
        s->best[i] = weir_arena_array(s->arena, s->item[i].begins, sizeof **s->best);
        s->at[i] = weir_arena_array(s->arena, ends, sizeof **s->at);
        s->begin[i] = weir_arena_array(s->arena, ends, sizeof **s->begin);
    }
    list_options(s);
}

/* --- bounds --- */

/* A measure: the value or one resource, and resources with multipliers above 0. */
typedef struct weights {
    int measure, count; /* LAGRANGE: the value */
    int resource[RESOURCES];
    int64_t by[RESOURCES];
} weights;

static weights weights_of(const solver *s, int m) {
    weights w = {.measure = m};
    for (int r = 0; m == LAGRANGE && r < RESOURCES; r++) {
        if (s->multiplier[r] == 0) continue;
        w.resource[w.count] = r;
        w.by[w.count++] = s->multiplier[r];
    }
    return w;
}

static int64_t weigh(const weights *w, const weir_knapsack_price *p) {
    int64_t sum = w->measure == LAGRANGE ? p->value : p->use[w->measure];
    for (int k = 0; k < w->count; k++) sum += w->by[k] * p->use[w->resource[k]];
    return sum;
}

/* The least of item i's subtree for each kind of beginning, with so many multipliers. */
static inline void relax_kinds(solver *s, size_t i, const weights *w, int multipliers) {
    const option_list *l = &s->option;
    const size_t first = l->first[i], count = s->item[i].count;
    const int64_t *own = (w->measure == LAGRANGE ? l->value : l->use[w->measure]) + first, *use[RESOURCES];
    const uint32_t *begin = &l->begin[first], *end = &l->end[first];
    for (int k = 0; k < multipliers; k++) use[k] = l->use[w->resource[k]] + first;
    for (size_t o = 0; o < count; o++) {
        int64_t sum = own[o] + l->after[end[o]];
        for (int k = 0; k < multipliers; k++) sum += w->by[k] * use[k][o];
        if (sum >= l->from[begin[o]]) continue;
        l->from[begin[o]] = sum;
        if (w->measure == LAGRANGE) s->best[i][begin[o]] = o;
    }
}

/* The same where its children's are known. */
static void relax_options(solver *s, size_t i, const weights *w) {
    assert(i < s->items && w->count <= RESOURCES);
    const weir_knapsack_item *it = &s->item[i];
    const option_list *l = &s->option;
    for (uint32_t b = 0; b < it->begins; b++) l->from[b] = INT64_MAX;
    for (uint32_t e = 0; e < it->ends; e++) l->after[e] = 0;
    for (size_t c = s->first[i]; c != 0; c = s->next[c])
        for (uint32_t e = 0; e < it->ends; e++) l->after[e] += s->at[c][e].of[w->measure];
    if (w->count == 0) relax_kinds(s, i, w, 0);
    else if (w->count == 1) relax_kinds(s, i, w, 1);
    else if (w->count == 2) relax_kinds(s, i, w, 2);
    else relax_kinds(s, i, w, w->count);
    for (uint32_t b = 0; b < it->begins; b++) s->from[i][b].of[w->measure] = l->from[b];
}

/* And for each kind of end of its parent. */
static void relax_meetings(solver *s, size_t i, const weights *w) {
    assert(i > 0 && i < s->items && s->item[i].parent < i);
    const weir_knapsack_item *it = &s->item[i];
    const int64_t *from = s->option.from; /* of the item's options */
    for (uint32_t end = 0; end < s->item[it->parent].ends; end++) {
        int64_t smallest = INT64_MAX;
        for (uint32_t b = 0; b < it->begins; b++) {
            if (from[b] == INT64_MAX) continue; /* no option begins so */
            const int64_t sum = from[b] + weigh(w, meet(s, i, end, b));
            if (sum >= smallest) continue;
            smallest = sum;
            if (w->measure == LAGRANGE) s->begin[i][end] = b;
        }
        s->at[i][end].of[w->measure] = smallest;
    }
}

/* Measures from `first` on of `from` and `at`, for the present multipliers: those of resources never change. */
static void relax(solver *s, int first) {
    assert(first >= 0 && first <= MEASURES);
    s->work += RELAX_WORK * (int64_t)s->options * (MEASURES - first);
    for (int m = first; m < MEASURES; m++) {
        const weights w = weights_of(s, m);
        for (size_t i = s->items; i-- > 0;) {
            relax_options(s, i, &w);
            if (i > 0) relax_meetings(s, i, &w);
        }
    }
}

/* The value that no choice within the budgets is below. */
static int64_t dual(const solver *s) {
    int64_t bound = s->from[0][0].of[LAGRANGE];
    for (int r = 0; r < RESOURCES; r++) bound -= s->multiplier[r] * s->knapsack->budget[r];
    return bound;
}

static bool is_within(const solver *s, const weir_knapsack_price *p) {
    for (int r = 0; r < RESOURCES; r++)
        if (p->use[r] > s->knapsack->budget[r]) return false;
    return true;
}

/* What the relaxation chooses. Does it attain? */
static bool choose_relaxed(const solver *s, size_t *chosen, weir_knapsack_price *total) {
    bool attains = !s->knapsack->attain;
    *total = nothing;
    for (size_t i = 1; i < s->items; i++) {
        const size_t parent = s->item[i].parent;
        const uint32_t end = s->item[parent].option[chosen[parent]].end;
        const uint32_t begin = s->begin[i][end];
        chosen[i] = s->best[i][begin];
        add(total, &s->item[i].option[chosen[i]].price);
        add(total, meet(s, i, end, begin));
        attains |= s->item[i].option[chosen[i]].attains;
    }
    return attains;
}

/* The same; an incumbent where it keeps the budgets. Its price. `chosen`: room for it. */
static weir_knapsack_price relaxed_choice(solver *s, size_t *chosen) {
    weir_knapsack_price total;
    const bool attains = choose_relaxed(s, chosen, &total);
    if (attains && is_within(s, &total) && total.value < s->incumbent) {
        s->incumbent = total.value;
        s->total = total;
        s->fits = true;
        memcpy(s->chosen, chosen, s->items * sizeof *chosen);
    }
    return total;
}

/* Subgradient steps towards the largest dual bound (Polyak's length, from where the value is to be expected), which the
 * solver is left with. */
static int64_t raise_dual(solver *s) {
    int64_t best[RESOURCES] = {0}, bound = INT64_MIN;
    size_t *chosen = weir_arena_array(s->arena, s->items, sizeof *chosen);
    double scale = 1;
    const int64_t affordable = s->knapsack->work / 4 / (RELAX_WORK * (int64_t)s->options + 1);
    const int steps = s->knapsack->work == 0 || affordable > STEPS ? STEPS
                      : affordable < FEW_STEPS                     ? FEW_STEPS
                                                                   : (int)affordable;
    for (int step = 0, idle = 0; step < steps; step++) {
        relax(s, LAGRANGE);
        const int64_t value = dual(s);
        if (value > bound) {
            bound = value;
            memcpy(best, s->multiplier, sizeof best);
            idle = 0;
        } else if (++idle % 4 == 0) {
            scale /= 2;
        }
        const weir_knapsack_price total = relaxed_choice(s, chosen);
        if (bound >= s->incumbent) break;
        double norm = 0, excess[RESOURCES];
        for (int r = 0; r < RESOURCES; r++) {
            const double budget = (double)s->knapsack->budget[r] + 1;
            excess[r] = (double)(total.use[r] - s->knapsack->budget[r]) / budget;
            if (excess[r] < 0 && s->multiplier[r] == 0) excess[r] = 0;
            norm += excess[r] * excess[r];
        }
        if (norm == 0) break;
        const double above = s->fits ? (double)(s->incumbent - value) : 0.1 * (double)(total.value + 1);
        for (int r = 0; r < RESOURCES; r++) {
            const double budget = (double)s->knapsack->budget[r] + 1;
            const double next = (double)s->multiplier[r] + scale * above / norm * excess[r] / budget;
            s->multiplier[r] = next <= 0 ? 0 : next > MULTIPLIER_MOST ? (int64_t)MULTIPLIER_MOST : (int64_t)next;
        }
    }
    memcpy(s->multiplier, best, sizeof best);
    relax(s, LAGRANGE);
    return bound;
}

/* --- choices without labels --- */

/* What item i takes with an option where all others are chosen. */
static weir_knapsack_price price_within(const solver *s, size_t i, size_t option) {
    const weir_knapsack_option *o = &s->item[i].option[option];
    const size_t parent = s->item[i].parent;
    weir_knapsack_price price = o->price;
    add(&price, meet(s, i, s->item[parent].option[s->chosen[parent]].end, o->begin));
    for (size_t c = s->first[i]; c != 0; c = s->next[c])
        add(&price, meet(s, c, o->end, s->item[c].option[s->chosen[c]].begin));
    return price;
}

/* Its value alone. */
static int64_t value_within(const solver *s, size_t i, size_t option) {
    const weir_knapsack_option *o = &s->item[i].option[option];
    const size_t parent = s->item[i].parent;
    int64_t value = o->price.value + meet(s, i, s->item[parent].option[s->chosen[parent]].end, o->begin)->value;
    for (size_t c = s->first[i]; c != 0; c = s->next[c])
        value += meet(s, c, o->end, s->item[c].option[s->chosen[c]].begin)->value;
    return value;
}

/* Shares of the budgets that are exceeded, together. */
static double excess_of(const solver *s, const weir_knapsack_price *without, const weir_knapsack_price *with) {
    double excess = 0;
    for (int r = 0; r < RESOURCES; r++) {
        const int64_t over = s->total.use[r] - without->use[r] + with->use[r] - s->knapsack->budget[r];
        if (over > 0) excess += (double)over / ((double)s->knapsack->budget[r] + 1);
    }
    return excess;
}

/* Gives item i an option, in place of that with which it takes `now`. */
static void change(solver *s, size_t i, size_t option, const weir_knapsack_price *now, const weir_knapsack_price *then,
                   size_t *attaining) {
    assert(option < s->item[i].count);
    const weir_knapsack_item *it = &s->item[i];
    *attaining -= it->option[s->chosen[i]].attains;
    *attaining += it->option[option].attains;
    s->chosen[i] = option;
    for (int r = 0; r < RESOURCES; r++) s->total.use[r] += then->use[r] - now->use[r];
    s->total.value += then->value - now->value;
}

/* Is the item the only one whose option attains what has to be? */
static bool is_needed(const solver *s, size_t i, size_t attaining) {
    return s->knapsack->attain && attaining == 1 && s->item[i].option[s->chosen[i]].attains;
}

/* What the relaxation loses for each share of the budgets by which item i exceeds them less with its best option, which
 * it gets if that is no more than `most`. */
static double save_on(solver *s, size_t i, size_t *attaining, double most) {
    const weir_knapsack_item *it = &s->item[i];
    const weir_knapsack_price now = price_within(s, i, s->chosen[i]);
    const bool needed = is_needed(s, i, *attaining);
    const double excess = excess_of(s, &now, &now), loses = (double)lagrange(s, &now);
    weir_knapsack_price best = now;
    size_t option = s->chosen[i];
    double smallest = INFINITY;
    for (size_t o = 0; o < it->count; o++) {
        if (needed && !it->option[o].attains) continue;
        const weir_knapsack_price price = price_within(s, i, o);
        const double saved = excess - excess_of(s, &now, &price);
        if (saved <= 0) continue;
        const double loss = ((double)lagrange(s, &price) - loses) / saved;
        if (loss >= smallest) continue;
        smallest = loss;
        best = price;
        option = o;
    }
    if (smallest <= most) change(s, i, option, &now, &best, attaining);
    return smallest;
}

/* From what the relaxation chooses on, items that are equal all alike: some of them save what it takes too much, those
 * first that lose little. An incumbent where it comes to keep the budgets. */
static void repair(solver *s) {
    size_t attaining = 0;
    if (!choose_relaxed(s, s->chosen, &s->total)) return;
    for (size_t i = 1; i < s->items; i++) attaining += s->item[i].option[s->chosen[i]].attains;
    double most = -INFINITY;
    for (int sweep = 0; sweep < REPAIRS && !is_within(s, &s->total); sweep++) {
        double smallest = INFINITY;
        s->work += RELAX_WORK * (int64_t)s->options;
        for (size_t i = 1; i < s->items && !is_within(s, &s->total); i++) {
            const double loss = save_on(s, i, &attaining, most);
            if (loss > most && loss < smallest) smallest = loss;
        }
        if (smallest == INFINITY) break;
        most = smallest > 0 ? 2 * smallest : smallest / 2;
    }
    s->fits = is_within(s, &s->total) && s->total.value < s->incumbent;
    if (s->fits) s->incumbent = s->total.value;
}

/* Gives item i the option of the least value that keeps the budgets; resources at their multipliers may grow by no more
 * than the value shrinks, in eighths. */
static void spend_on(solver *s, size_t i, size_t *attaining, int64_t eighths) {
    const weir_knapsack_item *it = &s->item[i];
    const weir_knapsack_price now = price_within(s, i, s->chosen[i]);
    const bool needed = is_needed(s, i, *attaining);
    weir_knapsack_price best = now;
    size_t option = s->chosen[i];
    for (size_t o = 0; o < it->count; o++) {
        if (needed && !it->option[o].attains) continue;
        if (value_within(s, i, o) >= best.value) continue;
        const weir_knapsack_price price = price_within(s, i, o);
        if (excess_of(s, &now, &price) > 0) continue;
        const double gain = (double)(now.value - price.value);
        const double loss = (double)lagrange(s, &price) - (double)lagrange(s, &now) + gain;
        if (gain * 8 < loss * (double)eighths) continue;
        best = price;
        option = o;
    }
    if (option != s->chosen[i]) change(s, i, option, &now, &best, attaining);
}

/* Spends what the incumbent leaves of the budgets, where it gains most first. */
static void spend_rest(solver *s) {
    size_t attaining = 0;
    for (size_t i = 1; i < s->items; i++) attaining += s->item[i].option[s->chosen[i]].attains;
    for (int sweep = SWEEPS; sweep-- > 0;) {
        s->work += RELAX_WORK * (int64_t)s->options;
        for (size_t i = 1; i < s->items; i++) spend_on(s, i, &attaining, 2 * sweep);
    }
    s->incumbent = s->total.value;
}

/* --- labels --- */

static void push(labels *set, const label *l) {
    set->item = weir_grow(set->item, &set->capacity, set->count + 1, sizeof *set->item);
    set->item[set->count++] = l;
}

/* What a label takes of the budgets that are minded, and whether it lacks what has to be attained: each field of 25
 * bits or one has a bit above it, which a subtraction clears where it borrows. */
typedef struct packed {
    uint64_t half[2];
} packed;

#define FIELD 26
#define BORROWS (UINT64_C(1) << (FIELD - 1) | UINT64_C(1) << (2 * FIELD - 1) | UINT64_C(1) << (2 * FIELD + 1))

static packed pack(const solver *s, const label *l) {
    const uint64_t lacks = s->knapsack->attain && !l->attains;
    packed p = {{lacks << 2 * FIELD, 0}};
    for (int r = 0; r < RESOURCES; r++) {
        if (!s->minded[r]) continue;
        assert(l->price.use[r] <= WEIR_KNAPSACK_MOST_USE); /* as the budgets are */
        p.half[r / 2] |= (uint64_t)l->price.use[r] << FIELD * (r % 2);
    }
    return p;
}

/* Of labels in order of value. */
static bool dominates(packed a, packed b) {
    return (((b.half[0] | BORROWS) - a.half[0]) & ((b.half[1] | BORROWS) - a.half[1]) & BORROWS) == BORROWS;
}

static int by_price(const void *a, const void *b) {
    const label *x = *(const label *const *)a, *y = *(const label *const *)b;
    const int order = weir_knapsack_compare(&x->price, &y->price);
    if (order != 0) return order;
    return x->attains != y->attains ? y->attains - x->attains : x->order < y->order ? -1 : 1;
}

typedef struct ranked {
    int64_t rank;
    const label *item;
} ranked;

static int by_rank(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return by_price(&x->item, &y->item);
}

static void spend(solver *s, int64_t steps) {
    s->work += steps;
    if (s->left < INT64_MAX) s->left -= steps;
}

/* Keeps so many labels that the relaxation likes best. */
static void keep_best(solver *s, labels *set, size_t room) {
    assert(room > 0);
    if (set->count <= room) return;
    s->complete = false;
    spend(s, SORT_WORK * (int64_t)set->count);
    ranked *order = weir_malloc(set->count * sizeof *order);
    for (size_t i = 0; i < set->count; i++) order[i] = (ranked){lagrange(s, &set->item[i]->price), set->item[i]};
    qsort(order, set->count, sizeof *order, by_rank);
    for (size_t i = 0; i < room; i++) set->item[i] = order[i].item;
    set->count = room;
    free(order);
}

/* Labels by price; keeps what nothing dominates. False: there are no steps left to compare the rest, which stays. */
static bool drop_dominated(solver *s, labels *set) {
    spend(s, SORT_WORK * (int64_t)set->count);
    qsort(set->item, set->count, sizeof *set->item, by_price);
    packed *all = weir_malloc(set->count * sizeof *all);
    size_t kept = 0, i = 0;
    for (; i < set->count && (s->left > 0 || i <= FEW_LABELS); i++) {
        bool dominated = false;
        size_t k = 0;
        all[kept] = pack(s, set->item[i]);
        for (; k < kept && !dominated; k++) dominated = dominates(all[k], all[kept]);
        if (!dominated) set->item[kept++] = set->item[i];
        spend(s, (int64_t)k);
    }
    free(all);
    const size_t rest = set->count - i;
    memmove(&set->item[kept], &set->item[i], rest * sizeof *set->item);
    set->count = kept + rest;
    return rest == 0;
}

/* Of labels without a number known that can be compared with each other in the steps that are left. */
static size_t affordable(const solver *s) {
    size_t room = FEW_LABELS;
    while (room < s->capacity && (int64_t)(room * room) < s->left) room *= 2;
    return room < s->capacity ? room : s->capacity;
}

/* Labels by price. Keeps what nothing dominates, and of that what the relaxation likes best, as many as there is room
 * for. */
static void thin(solver *s, labels *set) {
    if (set->count == 0) return;
    const size_t room = s->left == INT64_MAX ? s->capacity : affordable(s);
    if (!drop_dominated(s, set)) {
        keep_best(s, set, room);
        drop_dominated(s, set);
    }
    keep_best(s, set, s->capacity);
}

/* Can a choice for a part of item i's subtree still be better than the incumbent, when the rest of it takes `rest` at
 * least and `part` is the least that a whole one takes? */
static bool leads_on(const solver *s, const weir_knapsack_price *p, const least *rest, const least *part) {
    const least *all = &s->from[0][0];
    for (int m = 0; m < MEASURES; m++) {
        if (m != LAGRANGE && !s->minded[m]) continue;
        int64_t others = all->of[m] - part->of[m];
        if (m != LAGRANGE && others < 0) others = 0; /* all may begin with a kind that takes less than the part's */
        const int64_t bound = others + rest->of[m] + measure(s, p, m);
        if (m != LAGRANGE ? bound > s->knapsack->budget[m] : bound - (all->of[m] - dual(s)) >= s->incumbent)
            return false;
    }
    return true;
}

static const label *join(solver *s, const label *base, const label *child, const weir_knapsack_price *meeting,
                         const least *rest, const least *part) {
    weir_knapsack_price price = base->price;
    add(&price, &child->price);
    add(&price, meeting);
    if (!leads_on(s, &price, rest, part)) return NULL;
    label *l = weir_arena_alloc(s->arena, sizeof *l);
    *l = (label){price, base->attains || child->attains, base->option, s->labels++, base, child};
    return l;
}

/* Adds child c to each label, all of which have an option that ends alike. */
static void extend(solver *s, labels *set, size_t c, uint32_t end, const labels *of_child, const least *rest,
                   const least *part) {
    labels grown = {NULL, 0, 0};
    size_t pairs = 0;
    for (uint32_t b = 0; b < s->item[c].begins; b++) pairs += of_child[b].count;
    if (s->left < INT64_MAX && (int64_t)pairs * JOIN_WORK * (int64_t)set->count > s->left) {
        const int64_t room = s->left / (JOIN_WORK * (int64_t)(pairs + 1));
        keep_best(s, set, room < FEW_LABELS ? FEW_LABELS : (size_t)room);
    }
    spend(s, (int64_t)pairs * JOIN_WORK * (int64_t)set->count);
    for (uint32_t b = 0; b < s->item[c].begins; b++) {
        for (size_t k = 0; k < of_child[b].count; k++) {
            for (size_t j = 0; j < set->count; j++) {
                const label *l = join(s, set->item[j], of_child[b].item[k], meet(s, c, end, b), rest, part);
                if (l != NULL) push(&grown, l);
                if (grown.count >= 16 * s->capacity) thin(s, &grown);
            }
        }
    }
    free(set->item);
    *set = grown;
    thin(s, set);
}

/* Labels of item i's whole subtree for the options of one begin and end, added to `to`. */
static void label_kind(solver *s, size_t i, uint32_t begin, uint32_t end, labels *const *of, labels *to) {
    assert(begin < s->item[i].begins && end < s->item[i].ends);
    const weir_knapsack_item *it = &s->item[i];
    labels set = {NULL, 0, 0};
    least rest = {{0}};
    for (size_t c = s->first[i]; c != 0; c = s->next[c])
        for (int m = 0; m < MEASURES; m++) rest.of[m] += s->at[c][end].of[m];
    for (size_t o = 0; o < it->count; o++) {
        const weir_knapsack_option *option = &it->option[o];
        if (option->begin != begin || option->end != end || !leads_on(s, &option->price, &rest, &s->from[i][begin]))
            continue;
        label *l = weir_arena_alloc(s->arena, sizeof *l);
        *l = (label){option->price, option->attains, o, s->labels++, NULL, NULL};
        push(&set, l);
    }
    thin(s, &set);
    for (size_t c = s->first[i]; c != 0; c = s->next[c]) {
        for (int m = 0; m < MEASURES; m++) rest.of[m] -= s->at[c][end].of[m];
        extend(s, &set, c, end, of[c], &rest, &s->from[i][begin]);
    }
    for (size_t k = 0; k < set.count; k++) push(to, set.item[k]);
    free(set.item);
}

/* Items in the order in which their labels were joined: each child's choice hangs on the label that added it. */
static void unfold(solver *s, size_t i, const label *l) {
    assert(i < s->items && l->option < s->item[i].count);
    size_t children = 0, c = s->first[i];
    for (const label *at = l; at->base != NULL; at = at->base) children++;
    const label **child = weir_malloc((children + 1) * sizeof *child);
    for (size_t k = children; k-- > 0; l = l->base) child[k] = l->child;
    s->chosen[i] = l->option;
    for (size_t k = 0; k < children; k++, c = s->next[c]) unfold(s, c, child[k]);
    free(child);
}

/* Steps for the labels of one kind of an item: of those until `until` an equal share. */
static void share_work(solver *s, int64_t until, size_t item, uint32_t begin, uint32_t end) {
    assert(item < s->items && begin < s->item[item].begins && end < s->item[item].ends);
    s->left = INT64_MAX;
    if (until == INT64_MAX) return;
    const weir_knapsack_item *it = &s->item[item];
    const int64_t kinds = (int64_t)(it->begins - begin) * it->ends - end;
    s->left = until > s->work ? (until - s->work) / ((int64_t)item + 1) / kinds : 0;
}

/* Labels of an item that its parent can join with each of its options in a quarter of the steps of an item. */
static size_t labels_for_parent(const solver *s, int64_t until, size_t item) {
    assert(item < s->items);
    const size_t parent = s->item[item].parent == WEIR_KNAPSACK_ROOT ? 0 : s->item[item].parent;
    const int64_t steps = until > s->work ? (until - s->work) / ((int64_t)item + 1) / 4 : 0;
    const int64_t room = steps / (JOIN_WORK * (int64_t)s->item[parent].count * s->item[item].begins);
    return room < FEW_LABELS ? FEW_LABELS : (size_t)room;
}

/* Looks for something better than the incumbent with room for so many labels a set; of the budgets it keeps those that
 * are minded. What it finds exceeds some budgets that are not: true, and these are from then on. */
static bool search(solver *s, size_t capacity) {
    assert(capacity > 0);
    labels **of = weir_calloc(s->items, sizeof *of);
    s->capacity = capacity;
    s->complete = true;
    const int64_t until = s->knapsack->work == 0 ? INT64_MAX : s->work + (s->knapsack->work - s->work) / 2;
    for (size_t i = s->items; i-- > 0;) {
        of[i] = weir_calloc(s->item[i].begins, sizeof **of);
        for (uint32_t b = 0; b < s->item[i].begins; b++) {
            for (uint32_t e = 0; e < s->item[i].ends; e++) {
                share_work(s, until, i, b, e);
                label_kind(s, i, b, e, of, &of[i][b]);
            }
            thin(s, &of[i][b]);
            if (s->left < INT64_MAX) keep_best(s, &of[i][b], labels_for_parent(s, until, i));
        }
    }
    const label *found = NULL;
    for (size_t k = 0; k < of[0][0].count && found == NULL; k++) {
        const label *l = of[0][0].item[k];
        if (l->price.value < s->incumbent && (l->attains || !s->knapsack->attain)) found = l;
    }
    bool exceeds = false;
    for (int r = 0; found != NULL && r < RESOURCES; r++) {
        if (found->price.use[r] <= s->knapsack->budget[r]) continue;
        s->minded[r] = exceeds = true;
    }
    if (found != NULL && !exceeds) {
        s->incumbent = found->price.value;
        s->total = found->price;
        s->fits = true;
        unfold(s, 0, found);
    }
    for (size_t i = 0; i < s->items; i++) {
        for (uint32_t b = 0; b < s->item[i].begins; b++) free(of[i][b].item);
        free(of[i]);
    }
    free(of);
    return exceeds;
}

/* Steps that a search takes with the fewest labels. */
static int64_t least_steps(const solver *s) {
    int64_t steps = 0;
    for (size_t i = 1; i < s->items; i++) {
        const weir_knapsack_item *it = &s->item[i], *parent = &s->item[it->parent];
        const int64_t joined = (int64_t)it->begins * FEW_LABELS * parent->begins * parent->ends * FEW_LABELS;
        steps += SORT_WORK * (int64_t)it->count + JOIN_WORK * joined;
    }
    return steps;
}

/* Too few steps are left for more than a few labels of an item. */
static bool is_spent(const solver *s) {
    return s->knapsack->work > 0 &&
           s->knapsack->work - s->work < (int64_t)s->items * FIRST_CAPACITY * FIRST_CAPACITY * JOIN_WORK;
}

/* First with little room, for a good incumbent; then for all that can be better, minding no more budgets than it takes.
 * A budget with a multiplier is minded from the start, for the bound on labels is one of choices that keep it. */
static void search_all(solver *s, size_t capacity) {
    if (s->knapsack->work > 0 && least_steps(s) > (s->knapsack->work - s->work) / 2) {
        s->complete = false;
        return;
    }
    memcpy(s->minded, s->binds, sizeof s->minded);
    search(s, FIRST_CAPACITY);
    if (s->complete || is_spent(s)) return;
    for (int r = 0; r < RESOURCES; r++) s->minded[r] = s->multiplier[r] > 0;
    bool exceeds = true;
    while (exceeds && !is_spent(s)) exceeds = search(s, capacity);
    if (exceeds) s->complete = false;
}

/* Budgets that even the most expensive options keep need not be compared. */
static void find_binding(solver *s) {
    for (int r = 0; r < RESOURCES; r++) {
        int64_t most = 0;
        for (size_t i = 1; i < s->items; i++) {
            const weir_knapsack_item *it = &s->item[i];
            int64_t option = 0, meeting = 0;
            for (size_t o = 0; o < it->count; o++)
                if (it->option[o].price.use[r] > option) option = it->option[o].price.use[r];
            for (size_t m = 0; it->meet != NULL && m < (size_t)s->item[it->parent].ends * it->begins; m++)
                if (it->meet[m].use[r] > meeting) meeting = it->meet[m].use[r];
            most += option + meeting;
        }
        s->binds[r] = most > s->knapsack->budget[r];
    }
}

weir_knapsack_result weir_knapsack_solve(const weir_knapsack *knapsack, size_t *chosen) {
    solver s = {.incumbent = knapsack->limit};
    const size_t capacity = knapsack->capacity == 0 ? DEFAULT_CAPACITY : knapsack->capacity;
    prepare(&s, knapsack);
    find_binding(&s);
    relax(&s, 0);
    weir_knapsack_result result = {.bound = knapsack->limit};
    bool hopeless = false;
    for (int r = 0; r < RESOURCES; r++) {
        assert(knapsack->budget[r] <= WEIR_KNAPSACK_MOST_USE);
        result.least[r] = s.from[0][0].of[r];
        hopeless |= result.least[r] > knapsack->budget[r];
    }
    if (!hopeless) {
        const int64_t bound = raise_dual(&s);
        s.complete = true;
        s.left = INT64_MAX;
        if (bound < s.incumbent) search_all(&s, capacity);
        if (!s.fits && !s.complete) repair(&s);
        if (s.fits && !s.complete && bound < s.incumbent) spend_rest(&s);
        result.bound = bound >= s.incumbent || s.complete ? s.incumbent : bound;
    }
    result.fits = s.fits;
    result.total = s.total;
    result.work = s.work;
    if (s.fits) memcpy(chosen, s.chosen + 1, knapsack->count * sizeof *chosen);
    weir_arena_free(s.arena);
    return result;
}
