#include "dse/folding/folding_options_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

enum { RESOURCES = WEIR_KNAPSACK_RESOURCES, MEMBERS = WEIR_FOLDING_MEMBERS, STATE = WEIR_FOLDING_STATE, CHOICES = 9 };

typedef weir_folding_unit unit;
typedef weir_folding_setting folding;

/* How a member may be built. `kind`: those that are the same in time. */
typedef struct way {
    unsigned choice, kind;
    uint32_t built; /* index of its price */
    int64_t use[RESOURCES];
    weir_folding_times times;
    weir_component_timing timing;
    weir_meta_hardware hardware;
} way;

/* Of the members so far: 4 bits for each in `kinds`, as in `choices`. */
typedef struct partial {
    uint64_t choices, kinds;
    int64_t use[RESOURCES];
} partial;

/* A service rule knows of memories and products no more than the timing says. */
static bool are_alike(const way *a, const way *b) {
    return strcmp(a->hardware.module, b->hardware.module) == 0 && a->timing.latency == b->timing.latency &&
           a->timing.interval == b->timing.interval &&
           weir_settings_hash(&a->hardware.settings, 0) == weir_settings_hash(&b->hardware.settings, 0);
}

static bool is_as_good(const int64_t *a, const int64_t *b) {
    bool good = true;
    for (int k = 0; k < RESOURCES; k++) good &= a[k] <= b[k];
    return good;
}

/* The node as it stands. */
static way way_of(weir_folding_space *s, weir_node node, unsigned choice, int64_t settled) {
    assert(choice < CHOICES);
    const size_t built = weir_folding_priced(s, node, settled);
    assert(built < s->price_count);
    const weir_folding_hardware_price *price = &s->price[built];
    const weir_folding_hardware_form *form = &s->built[built];
    way w = {.choice = choice,
             .built = (uint32_t)built,
             .times = price->times,
             .timing = form->timing,
             .hardware = weir_folding_built_as(form, weir_folding_hardware(s->at.graph, node))};
    memcpy(w.use, price->use, sizeof w.use);
    return w;
}

/* Unless a way that is the same in time is as good. */
static void add_way(way *to, size_t *count, way *w) {
    assert(*count < CHOICES && w->choice < CHOICES);
    unsigned kinds = 0;
    bool known = false;
    for (size_t k = 0; k < *count; k++) {
        if (to[k].kind >= kinds) kinds = to[k].kind + 1;
        if (!are_alike(&to[k], w)) continue;
        w->kind = to[k].kind;
        known = true;
        if (is_as_good(to[k].use, w->use)) return;
    }
    if (!known) w->kind = kinds;
    to[(*count)++] = *w;
}

/* Of member i. False: it is taken over by what needs memory blocks, of which the rest of the graph may leave none. */
static bool find_ways(weir_folding_space *s, const unit *u, const folding *f, size_t i, way *to, size_t *count) {
    assert(i < u->members);
    const weir_node node = u->member[i];
    weir_meta_hardware *h = weir_folding_hardware(s->at.graph, node);
    const unsigned choices = weir_folding_choices(u, i);
    bool fine = true;
    *count = 0;
    h->interval = f->state[STATE * i + 3];
    for (unsigned choice = 0; choice < CHOICES && fine; choice++) {
        if ((choices >> choice & 1) == 0) continue;
        weir_folding_pick_choice(s->at.graph, node, choice);
        way w = way_of(s, node, choice, weir_folding_settled_for(u, f, i));
        fine = strcmp(w.hardware.module, h->module) == 0 || w.use[RESOURCES - 1] == 0;
        add_way(to, count, &w);
    }
    h->interval = 0;
    return fine;
}

/* Each partial choice with each way of member i. */
static void combine(partial **all, size_t *count, const way *ways, size_t ways_count, size_t i) {
    partial *grown = weir_malloc(*count * ways_count * sizeof *grown);
    size_t kept = 0;
    for (size_t p = 0; p < *count; p++) {
        for (size_t w = 0; w < ways_count; w++) {
            partial next = (*all)[p];
            if (i < MEMBERS) next.choices |= (uint64_t)ways[w].choice << 4 * i;
            if (i < MEMBERS) next.kinds |= (uint64_t)ways[w].kind << 4 * i;
            for (int k = 0; k < RESOURCES; k++) next.use[k] += ways[w].use[k];
            bool worse = false;
            for (size_t k = 0; k < kept && !worse; k++)
                worse = grown[k].kinds == next.kinds && is_as_good(grown[k].use, next.use);
            if (!worse) grown[kept++] = next;
        }
    }
    free(*all);
    *all = grown;
    *count = kept;
}

static int by_kinds(const void *a, const void *b) {
    const partial *x = a, *y = b;
    if (x->kinds != y->kinds) return x->kinds < y->kinds ? -1 : 1;
    return x->choices < y->choices ? -1 : x->choices > y->choices;
}

/* The ways of all members, by member. */
typedef struct members {
    way (*way)[CHOICES];
    size_t *count;
} members;

static const way *of_kind(const members *m, size_t i, uint64_t kinds) {
    size_t k = 0;
    while (i < MEMBERS && m->way[i][k].kind != (kinds >> 4 * i & 15)) k++;
    return &m->way[i][k];
}

static void add_variant(weir_folding_space *s, weir_folding_options *o, const unit *u, const folding *f,
                        const members *m, uint64_t kinds) {
    assert(f >= u->folding && f < u->folding + u->foldings);
    o->variant = weir_grow(o->variant, &o->variant_capacity, o->variants + 1, sizeof *o->variant);
    weir_folding_variant *v = &o->variant[o->variants++];
    *v = (weir_folding_variant){.folding = f, .first = o->count, .end = o->count};
    v->attains = u->pace != SIZE_MAX && f->settings.interval == s->reached;
    v->member = weir_arena_array(o->arena, u->members, sizeof *v->member);
    v->built = weir_arena_array(o->arena, u->members, sizeof *v->built);
    for (size_t i = 0; i < u->members; i++) {
        v->member[i] = of_kind(m, i, kinds)->hardware;
        v->built[i] = of_kind(m, i, kinds)->built;
    }
}

static void add_options(weir_folding_space *s, weir_folding_options *o, const unit *u, size_t index, const members *m,
                        const partial *all, size_t count) {
    weir_folding_times *times = NULL;
    for (size_t p = 0; p < count; p++) {
        if (p == 0 || all[p].kinds != all[p - 1].kinds) {
            add_variant(s, o, u, &u->folding[index], m, all[p].kinds);
            times = weir_arena_array(o->arena, u->members, sizeof *times);
            for (size_t i = 0; i < u->members; i++) times[i] = of_kind(m, i, all[p].kinds)->times;
        }
        o->option = weir_grow(o->option, &o->capacity, o->count + 1, sizeof *o->option);
        weir_folding_option *to = &o->option[o->count++];
        *to = (weir_folding_option){.folding = index, .choices = all[p].choices, .times = times};
        memcpy(to->use, all[p].use, sizeof to->use);
        o->variant[o->variants - 1].end = o->count;
    }
}

static bool add_folding(weir_folding_space *s, weir_folding_options *o, const unit *u, size_t index) {
    assert(index < u->foldings);
    folding *f = &u->folding[index];
    members m = {weir_malloc(u->members * sizeof *m.way), weir_calloc(u->members, sizeof *m.count)};
    partial *all = weir_calloc(1, sizeof *all);
    size_t count = 1;
    bool fine = true;
    weir_folding_fold(s, u, f);
    const weir_folding_amount guards = weir_folding_guards(s, u, f);
    memcpy(all->use, guards.use, sizeof all->use);
    for (size_t i = 0; i < u->members && fine; i++) {
        fine = find_ways(s, u, f, i, m.way[i], &m.count[i]);
        if (fine) combine(&all, &count, m.way[i], m.count[i], i);
    }
    if (fine) {
        qsort(all, count, sizeof *all, by_kinds);
        add_options(s, o, u, index, &m, all, count);
    }
    free(all);
    free(m.way);
    free(m.count);
    return fine;
}

bool weir_folding_options_make(weir_folding_space *s, weir_folding_options *o) {
    const weir_folding_structure *t = &s->at;
    *o = (weir_folding_options){.arena = weir_arena_new()};
    o->first = weir_arena_array(o->arena, t->units + 1, sizeof *o->first);
    o->variant_first = weir_arena_array(o->arena, t->units + 1, sizeof *o->variant_first);
    o->output = weir_stream_outputs(t->graph, &o->outputs);
    bool fine = true;
    for (size_t u = 0; u < t->units && fine; u++) {
        o->first[u] = o->count;
        o->variant_first[u] = o->variants;
        for (size_t f = 0; f < t->unit[u].foldings && fine; f++)
            if (weir_folding_is_open(s, &t->unit[u], &t->unit[u].folding[f])) fine = add_folding(s, o, &t->unit[u], f);
    }
    o->first[t->units] = o->count;
    o->variant_first[t->units] = o->variants;
    return fine;
}

void weir_folding_options_free(weir_folding_options *o) {
    weir_arena_free(o->arena);
    free(o->option);
    free(o->variant);
    free(o->output);
}
