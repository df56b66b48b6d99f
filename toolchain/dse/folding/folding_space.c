#include "dse/folding/folding_space.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/cost/target.h"
#include "dataflow/folding.h"
#include "dataflow/schedule/schedule.h"
#include "dataflow/schedule/stream.h"
#include "dse/folding/folding_structure_private.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"

typedef weir_folding_amount amount;
typedef weir_folding_combination combination;
typedef weir_folding_setting folding;
typedef weir_folding_counted counted;
typedef weir_folding_unit unit;
typedef weir_folding_edge edge;
typedef weir_folding_structure structure;

/* To list the options of a folding, and to count its combinations. */
enum { LIST_STEPS = 600, COUNT_STEPS = 2400 };
enum {
    RESOURCES = WEIR_KNAPSACK_RESOURCES,
    MEMBERS = WEIR_FOLDING_MEMBERS,
    STATE = WEIR_FOLDING_STATE,
    CHOICES = WEIR_FOLDING_CHOICES
};

/* --- intervals --- */

typedef struct visit {
    weir_folding_space *space;
    const weir_graph *graph;
    weir_node node;
} visit;

static void note_interval(void *user, const weir_meta_hardware *settings) {
    visit *v = user;
    weir_folding_space *s = v->space;
    weir_meta_hardware folded = *settings;
    weir_folding_rules(v->graph, v->node)->derive(v->graph, v->node, &folded);
    if (folded.interval <= s->shortest) return;
    s->interval = weir_grow(s->interval, &s->intervals_capacity, s->count + 1, sizeof *s->interval);
    s->interval[s->count++] = folded.interval;
}

static int by_size(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void add_intervals(weir_folding_space *s, const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!weir_folding_sets_pace(graph, node)) continue;
        visit v = {.space = s, .graph = graph, .node = node};
        weir_folding_rules(graph, node)
            ->foldings(graph, node, &weir_node_metadata_of(graph, node)->hardware, note_interval, &v);
    }
}

/* The shortest one, and all longer ones that a component can set, in a divided node or a whole one. */
static void list_intervals(weir_folding_space *s) {
    s->shortest = weir_folding_shortest(s->graph);
    s->interval = weir_grow(s->interval, &s->intervals_capacity, 1, sizeof *s->interval);
    s->interval[s->count++] = s->shortest;
    add_intervals(s, s->graph);
    weir_graph *divided = weir_component_copy(s->graph);
    weir_folding_divide(divided, s->shortest);
    add_intervals(s, divided);
    weir_graph_free(divided);
    qsort(s->interval, s->count, sizeof *s->interval, by_size);
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (i == 0 || s->interval[i] != s->interval[kept - 1]) s->interval[kept++] = s->interval[i];
    s->count = kept;
}

static void move_to(weir_folding_space *s, size_t index) {
    assert(index < s->count);
    if (weir_folding_structure_make(s, index)) weir_folding_find_forms(s);
}

/* --- combinations --- */

/* Notes how member i is folded now. A price is that of the way in which it is, and of the time of a frame where it
 * starts by that. */
static void note_state(const weir_folding_space *s, const unit *u, folding *f, size_t i) {
    assert(i < u->members);
    const weir_meta_hardware *h = weir_folding_hardware(s->at.graph, u->member[i]);
    const weir_component_rules *rules = weir_folding_rules(s->at.graph, u->member[i]);
    const int64_t pieces = weir_component_setting_value_as(rules, h, WEIR_SETTING_PIECES);
    const int64_t state[STATE] = {h->in_lanes, h->out_lanes, pieces, h->interval};
    const bool starts = rules->start != NULL;
    if (memcmp(f->state + STATE * i, state, sizeof state) == 0 && (!starts || f->reached == s->reached)) return;
    memcpy(f->state + STATE * i, state, sizeof state);
    memset(f->price + CHOICES * i, 0, CHOICES * sizeof *f->price);
}

void weir_folding_fold(weir_folding_space *s, const unit *u, folding *f) {
    assert(f >= u->folding && f < u->folding + u->foldings);
    structure *t = &s->at;
    if (f->state == NULL) {
        f->state = weir_calloc(u->members, STATE * sizeof *f->state);
        f->price = weir_calloc(u->members, CHOICES * sizeof *f->price);
    }
    if (u->pace != SIZE_MAX) weir_folding_settle(t, u, f);
    f->hash = 1;
    for (size_t i = 0; i < u->members; i++) {
        weir_meta_hardware *h = weir_folding_hardware(t->graph, u->member[i]);
        if (i != u->pace) {
            *h = t->assigned[u->member[i].id];
            weir_folding_follow(t->graph, u->member[i]);
        }
        note_state(s, u, f, i);
        for (size_t k = 0; k < STATE; k++) f->hash = weir_hash_mix(f->hash, (uint64_t)f->state[STATE * i + k]);
    }
    for (size_t i = 0; i < u->members; i++)
        weir_folding_hardware(t->graph, u->member[i])->interval = 0; /* the pace is the graph's */
    f->reached = s->reached;
    t->folded = f;
}

/* What a member takes with a folding and a choice, with times where weights ask for them. Valid until the next. */
static const weir_folding_hardware_price *member_price(weir_folding_space *s, const unit *u, folding *f, size_t member,
                                                       unsigned choice) {
    assert(member < u->members && choice < CHOICES);
    uint32_t *known = &f->price[member * CHOICES + choice];
    if (*known > 0 && (s->share == NULL || s->price[*known - 1].is_timed)) return &s->price[*known - 1];
    const weir_node node = u->member[member];
    weir_meta_hardware *h = weir_folding_hardware(s->at.graph, node);
    if (s->at.folded != f) weir_folding_fold(s, u, f);
    h->interval = f->state[STATE * member + 3];
    weir_folding_pick_choice(s->at.graph, node, choice);
    const size_t index = weir_folding_priced(s, node, weir_folding_settled_for(u, f, member));
    h->interval = 0;
    *known = (uint32_t)index + 1;
    return &s->price[index];
}

static bool is_as_good(const amount *a, const amount *b) {
    if (a->work > b->work) return false;
    for (int r = 0; r < RESOURCES; r++)
        if (a->use[r] > b->use[r]) return false;
    return true;
}

static void keep(combination *set, size_t *count, const combination *c) {
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (is_as_good(&set[i].amount, &c->amount)) return;
    }
    for (size_t i = 0; i < *count; i++)
        if (!is_as_good(&c->amount, &set[i].amount)) set[kept++] = set[i];
    set[kept++] = *c;
    *count = kept;
}

/* Each of `count` combinations of the members before with each choice of member i: those that are kept, in the other
 * room. */
static size_t combine(weir_folding_space *s, const unit *u, folding *f, size_t i, size_t count) {
    assert(i < u->members && count > 0);
    const unsigned choices = weir_folding_choices(u, i);
    s->room[(i + 1) % 2] =
        weir_grow(s->room[(i + 1) % 2], &s->room_capacity[(i + 1) % 2], CHOICES * count, sizeof *s->room[0]);
    const combination *before = s->room[i % 2];
    combination *grown = s->room[(i + 1) % 2];
    size_t kept = 0;
    for (unsigned choice = 0; choice < CHOICES; choice++) {
        if ((choices >> choice & 1) == 0) continue;
        const weir_folding_hardware_price *price = member_price(s, u, f, i, choice);
        const amount a = weir_folding_amount_of(s, u->member[i], price, f->state[STATE * i + 3]);
        for (size_t k = 0; k < count; k++) {
            combination c = before[k];
            weir_folding_add(&c.amount, &a);
            if (i < MEMBERS) c.choice |= (uint64_t)choice << 4 * i;
            keep(grown, &kept, &c);
        }
    }
    return kept;
}

/* Lane converters between two members. */
static amount inner_converters(weir_folding_space *s, size_t index, const folding *f) {
    assert(index < s->at.units);
    structure *t = &s->at;
    const unit *u = &t->unit[index];
    amount sum = {{0}, 0};
    for (size_t k = t->touching_first[index]; k < t->touching_first[index + 1]; k++) {
        const size_t e = t->touching[k];
        if (t->unit_of[t->edge[e].from.id] != index || t->unit_of[t->edge[e].to.id] != index) continue;
        int64_t lanes[2] = {1, 1};
        for (size_t i = 0; i < u->members; i++) {
            if (u->member[i].id == t->edge[e].from.id) lanes[0] = f->state[STATE * i + 1];
            if (u->member[i].id == t->edge[e].to.id) lanes[1] = weir_folding_lanes_taken(t, u, i, f, t->edge[e].input);
        }
        const amount a = weir_folding_converter(s, t->edge[e].value, lanes[0], lanes[1]);
        weir_folding_add(&sum, &a);
    }
    return sum;
}

static void count_combinations(weir_folding_space *s, size_t index, folding *f) {
    assert(index < s->at.units && s->by < s->weights_count);
    const unit *u = &s->at.unit[index];
    counted *of = &f->by[s->by];
    if (f->reached != s->reached) weir_folding_fold(s, u, f);
    if (of->state == f->hash) return;
    s->steps += COUNT_STEPS;
    of->state = f->hash;
    free(of->item);
    s->room[0] = weir_grow(s->room[0], &s->room_capacity[0], 1, sizeof *s->room[0]);
    s->room[0][0] = (combination){inner_converters(s, index, f), 0};
    of->count = 1;
    for (size_t i = 0; i < u->members; i++) of->count = combine(s, u, f, i, of->count);
    of->item = weir_malloc(of->count * sizeof *of->item);
    memcpy(of->item, s->room[u->members % 2], of->count * sizeof *of->item);
}

/* --- the knapsack --- */

static weir_knapsack_price price_of(const weir_folding_space *s, const amount *a, int64_t interval) {
    assert(interval >= 1);
    const weir_folding_weights *w = &s->weights[s->by];
    weir_knapsack_price p = {{0}, a->work};
    for (int r = 0; r < RESOURCES; r++) {
        p.use[r] = a->use[r];
        p.value += a->use[r] * (w->each[r] + w->cycle[r] * interval);
    }
    return p;
}

static size_t member_of(const unit *u, weir_node node) {
    size_t i = 0;
    while (u->member[i].id != node.id) i++;
    return i;
}

static int64_t lanes_given(const weir_folding_space *s, const edge *e, const folding *f) {
    return f->state[STATE * member_of(&s->at.unit[s->at.unit_of[e->from.id]], e->from) + 1];
}

static int64_t lanes_taken(const weir_folding_space *s, const edge *e, const folding *f) {
    const unit *u = &s->at.unit[s->at.unit_of[e->to.id]];
    return weir_folding_lanes_taken(&s->at, u, member_of(u, e->to), f, e->input);
}

static bool chooses(const structure *t, weir_node node) { return t->unit[t->unit_of[node.id]].pace != SIZE_MAX; }

/* The stream through which an item meets its parent. */
static bool meets_parent(const structure *t, const edge *e) {
    const unit *to = &t->unit[t->unit_of[e->to.id]];
    return to->parent == t->unit_of[e->from.id] && to->pace != SIZE_MAX && to->member[0].id == e->to.id;
}

/* Streams of an item: those to its children, and those whose other end has no choice. */
typedef struct streams {
    const edge **child, **fixed;
    size_t children, fixes;
} streams;

static streams streams_of(const weir_folding_space *s, size_t index) {
    assert(index < s->at.units);
    const structure *t = &s->at;
    const size_t first = t->touching_first[index], end = t->touching_first[index + 1];
    streams of = {weir_arena_array(s->arena, end - first, sizeof *of.child),
                  weir_arena_array(s->arena, end - first, sizeof *of.fixed), 0, 0};
    for (size_t i = first; i < end; i++) {
        const edge *e = &t->edge[t->touching[i]];
        const bool from = t->unit_of[e->from.id] == index, to = t->unit_of[e->to.id] == index;
        if (from && meets_parent(t, e)) of.child[of.children++] = e;
        if (t->unit[index].pace != SIZE_MAX && ((from && !chooses(t, e->to)) || (to && !chooses(t, e->from))))
            of.fixed[of.fixes++] = e;
    }
    return of;
}

/* Converters between the item with this folding and nodes that have no choice. */
static amount outer_converters(weir_folding_space *s, size_t index, const streams *of, const folding *f) {
    assert(index < s->at.units);
    const structure *t = &s->at;
    amount sum = {{0}, 0};
    for (size_t i = 0; i < of->fixes; i++) {
        const edge *e = of->fixed[i];
        const size_t from = t->unit_of[e->from.id], to = t->unit_of[e->to.id];
        const amount a =
            weir_folding_converter(s, e->value, lanes_given(s, e, from == index ? f : &t->unit[from].folding[0]),
                                   lanes_taken(s, e, to == index ? f : &t->unit[to].folding[0]));
        weir_folding_add(&sum, &a);
    }
    return sum;
}

/* Kinds of beginnings are lanes that are taken, kinds of ends the lanes of each stream to a child, in a row of
 * `width`. */
typedef struct kinds {
    int64_t *lanes;
    size_t count, width;
} kinds;

static uint32_t kind_of(kinds *k, const int64_t *lanes) {
    for (size_t i = 0; i < k->count; i++)
        if (memcmp(&k->lanes[i * k->width], lanes, k->width * sizeof *lanes) == 0) return (uint32_t)i;
    k->lanes = weir_realloc(k->lanes, (k->count + 1) * (k->width + 1) * sizeof *lanes);
    memcpy(&k->lanes[k->count * k->width], lanes, k->width * sizeof *lanes);
    return (uint32_t)k->count++;
}

static const edge *parent_edge(const structure *t, size_t index, size_t *position) {
    assert(index < t->units && t->unit[index].parent < t->units);
    *position = 0;
    const size_t parent = t->unit[index].parent;
    for (size_t i = t->touching_first[parent]; i < t->touching_first[parent + 1]; i++) {
        const edge *e = &t->edge[t->touching[i]];
        if (!meets_parent(t, e) || t->unit_of[e->from.id] != parent) continue;
        if (t->unit_of[e->to.id] == index) return e;
        ++*position;
    }
    return NULL;
}

bool weir_folding_is_open(const weir_folding_space *s, const unit *u, const folding *f) {
    assert(f >= u->folding && f < u->folding + u->foldings);
    if (u->pace == SIZE_MAX) return true;
    const int64_t interval = u->interval[f - u->folding];
    bool open = interval <= s->reached;
    for (size_t i = 0; s->relaxed && i < u->foldings; i++)
        open &= u->interval[i] > s->reached || u->interval[i] <= interval;
    return open;
}

/* The item's options, without those that others are as good as. */
static void list_options(weir_folding_space *s, size_t index, weir_knapsack_item *item, size_t **tags, kinds *begins,
                         kinds *ends) {
    assert(index < s->at.units);
    structure *t = &s->at;
    unit *u = &t->unit[index];
    size_t count = 0;
    for (size_t i = 0; i < u->foldings; i++)
        count += weir_folding_is_open(s, u, &u->folding[i]) ? u->folding[i].by[s->by].count : 0;
    weir_knapsack_option *option = weir_arena_array(s->arena, count, sizeof *option);
    *tags = weir_arena_array(s->arena, count, sizeof **tags);
    begins->width = 1;
    const streams of_item = streams_of(s, index);
    ends->width = of_item.children;
    int64_t *lanes = weir_arena_array(s->arena, ends->width, sizeof *lanes);
    count = 0;
    for (size_t i = 0; i < u->foldings; i++) {
        const folding *f = &u->folding[i];
        if (!weir_folding_is_open(s, u, f)) continue;
        const counted *of = &f->by[s->by];
        for (size_t k = 0; k < of_item.children; k++) lanes[k] = lanes_given(s, of_item.child[k], f);
        const bool follows = u->parent != SIZE_MAX;
        const uint32_t begin = kind_of(begins, follows ? &f->state[0] : &(int64_t){0}), end = kind_of(ends, lanes);
        amount outer = weir_folding_guards(s, u, f);
        const amount converters = outer_converters(s, index, &of_item, f);
        weir_folding_add(&outer, &converters);
        for (size_t k = 0; k < of->count; k++) {
            amount a = of->item[k].amount;
            weir_folding_add(&a, &outer);
            (*tags)[count] = i << 32 | k;
            option[count++] = (weir_knapsack_option){price_of(s, &a, s->reached), begin, end,
                                                     u->pace != SIZE_MAX && f->settings.interval == s->reached};
        }
    }
    item->option = option;
    item->count = weir_knapsack_reduce(option, *tags, count);
    item->begins = (uint32_t)begins->count;
    item->ends = (uint32_t)ends->count;
}

/* Converters between the item and its parent. */
static void list_meetings(weir_folding_space *s, size_t index, weir_knapsack_item *item, const kinds *begins,
                          const kinds *parent) {
    assert(begins->count > 0 && parent->count > 0);
    size_t position;
    const edge *e = parent_edge(&s->at, index, &position);
    assert(position < parent->width);
    weir_knapsack_price *meet = weir_arena_array(s->arena, parent->count * begins->count, sizeof *meet);
    for (size_t end = 0; end < parent->count; end++) {
        for (size_t begin = 0; begin < begins->count; begin++) {
            const amount a = weir_folding_converter(s, e->value, parent->lanes[end * parent->width + position],
                                                    begins->lanes[begin]);
            meet[end * begins->count + begin] = price_of(s, &a, s->reached);
        }
    }
    item->meet = meet;
}

static weir_knapsack_price always_taken(weir_folding_space *s) {
    const structure *t = &s->at;
    amount sum = weir_folding_common(s);
    for (size_t i = 0; i < t->edges; i++) {
        const edge *e = &t->edge[i];
        if (chooses(t, e->from) || chooses(t, e->to)) continue;
        const amount a =
            weir_folding_converter(s, e->value, lanes_given(s, e, &t->unit[t->unit_of[e->from.id]].folding[0]),
                                   lanes_taken(s, e, &t->unit[t->unit_of[e->to.id]].folding[0]));
        weir_folding_add(&sum, &a);
    }
    return price_of(s, &sum, s->reached);
}

/* Counts the combinations that are not counted as they are for the interval. */
static void fold_all(weir_folding_space *s, size_t index) {
    assert(index < s->count);
    structure *t = &s->at;
    s->reached = s->interval[index];
    s->steps = 0;
    for (size_t i = 0; i < t->units; i++) s->steps += LIST_STEPS * (int64_t)t->unit[i].foldings;
    weir_graph_set_interval(t->graph, s->reached);
    for (size_t i = 0; i < t->units; i++) {
        for (size_t f = 0; f < t->unit[i].foldings; f++)
            if (weir_folding_is_open(s, &t->unit[i], &t->unit[i].folding[f]))
                count_combinations(s, i, &t->unit[i].folding[f]);
    }
}

const weir_knapsack *weir_folding_space_at(weir_folding_space *s, size_t index, weir_knapsack_price *always) {
    structure *t = &s->at;
    move_to(s, index);
    fold_all(s, index);
    weir_arena_free(s->arena);
    s->arena = weir_arena_new();
    weir_knapsack_item *item = weir_arena_array(s->arena, t->units, sizeof *item);
    size_t *item_of = weir_arena_array(s->arena, t->units, sizeof *item_of), items = 0;
    kinds *begins = weir_calloc(t->units, sizeof *begins), *ends = weir_calloc(t->units, sizeof *ends);
    s->unit_of_item = weir_arena_array(s->arena, t->units, sizeof *s->unit_of_item);
    s->tag = weir_arena_array(s->arena, t->units, sizeof *s->tag);
    for (size_t i = 0; i < t->units; i++) {
        const unit *u = &t->unit[i];
        if (u->members == 0) continue;
        item[items].parent = u->parent == SIZE_MAX ? WEIR_KNAPSACK_ROOT : item_of[u->parent];
        list_options(s, i, &item[items], &s->tag[items], &begins[i], &ends[i]);
        if (u->parent != SIZE_MAX) list_meetings(s, i, &item[items], &begins[i], &ends[u->parent]);
        s->unit_of_item[items] = i;
        item_of[i] = items++;
    }
    for (size_t i = 0; i < t->units; i++) {
        free(begins[i].lanes);
        free(ends[i].lanes);
    }
    free(begins);
    free(ends);
    s->knapsack = (weir_knapsack){.item = item, .count = items, .attain = s->reached > s->shortest};
    *always = always_taken(s);
    return &s->knapsack;
}

static void apply_to(const structure *t, const unit *u, const folding *f, uint64_t choice, weir_graph *graph) {
    for (size_t i = 0; i < u->members; i++) {
        const weir_node node = u->member[i];
        if (!weir_node_exists(graph, node)) continue; /* a part of a divided node, which has no settings */
        size_t count;
        const weir_component_setting *settings =
            weir_component_setting_list(weir_folding_rules(t->graph, node), &count);
        for (size_t k = 0; i == u->pace && k < count; k++)
            if (weir_component_setting_is_open(&settings[k]))
                weir_component_setting_set(weir_folding_hardware(graph, node), &settings[k],
                                           weir_component_setting_of(&f->settings, &settings[k]));
        if (i < MEMBERS) weir_folding_pick_choice(graph, node, weir_folding_choice_of(choice, i));
    }
}

weir_folding_pick *weir_folding_space_picks(const weir_folding_space *s, const size_t *chosen) {
    weir_folding_pick *pick = weir_calloc(s->at.units + 1, sizeof *pick);
    for (size_t i = 0; i < s->knapsack.count; i++) {
        assert(chosen[i] < s->knapsack.item[i].count);
        const size_t index = s->unit_of_item[i], tag = s->tag[i][chosen[i]];
        const counted *of = &s->at.unit[index].folding[tag >> 32].by[s->by];
        pick[index] = (weir_folding_pick){tag >> 32, of->item[tag & UINT32_MAX].choice};
    }
    return pick;
}

size_t weir_folding_space_units(const weir_folding_space *s) { return s->at.units; }

int64_t weir_folding_space_steps(const weir_folding_space *s) { return s->steps; }

void weir_folding_space_apply(weir_folding_space *s, size_t index, const weir_folding_pick *pick, weir_graph *graph) {
    move_to(s, index);
    for (size_t i = 0; i < s->at.units; i++) {
        const unit *u = &s->at.unit[i];
        assert(u->members == 0 || pick[i].folding < u->foldings);
        if (u->members > 0) apply_to(&s->at, u, &u->folding[pick[i].folding], pick[i].choices, graph);
    }
}

weir_folding_space *weir_folding_space_new(const weir_graph *graph, const weir_folding_weights *weights) {
    weir_folding_space *s = weir_calloc(1, sizeof *s);
    s->graph = graph;
    s->device = weir_target_of(graph).device;
    s->weights[s->weights_count++] = *weights;
    s->arena = weir_arena_new();
    list_intervals(s);
    return s;
}

void weir_folding_space_weigh(weir_folding_space *s, const weir_folding_weights *weights) {
    size_t by = 0;
    while (by < s->weights_count && memcmp(&s->weights[by], weights, sizeof *weights) != 0) by++;
    assert(by < WEIR_FOLDING_WEIGHTS);
    s->weights[by] = *weights;
    s->weights_count += by == s->weights_count;
    s->by = by;
}

void weir_folding_space_relax(weir_folding_space *s, bool relaxed) { s->relaxed = relaxed; }

void weir_folding_space_free(weir_folding_space *s) {
    weir_folding_structure_free(&s->at);
    for (size_t i = 0; i < WEIR_FOLDING_KEPT; i++) weir_folding_structure_free(&s->kept[i]);
    if (s->survey != NULL) weir_cost_survey_free(s->survey);
    weir_arena_free(s->arena);
    weir_contents_forget(&s->contents);
    weir_map_free(&s->prices);
    weir_map_free(&s->bursts);
    weir_map_free(&s->needs);
    free(s->price);
    free(s->built);
    weir_map_free(&s->timed);
    free(s->times);
    weir_map_free(&s->converters);
    free(s->converter);
    free(s->interval);
    free(s->form_at);
    for (size_t i = 0; i < 2; i++) free(s->room[i]);
    free(s->share);
    free(s->share_before);
    free(s);
}

size_t weir_folding_space_count(const weir_folding_space *s) { return s->count; }

int64_t weir_folding_space_interval(const weir_folding_space *s, size_t index) {
    assert(index < s->count);
    return s->interval[index];
}

/* --- bounds of the latency --- */

size_t weir_folding_space_bounds(weir_folding_space *s, size_t index) {
    move_to(s, index);
    weir_folding_find_needed(s);
    return weir_folding_bounds(&s->at);
}

int64_t weir_folding_space_entry(weir_folding_space *s, size_t index) {
    assert(index < s->count);
    move_to(s, index);
    return weir_folding_arrival(&s->at, 0, s->interval[index]);
}

/* Combinations that were counted by shares are no longer right. */
static void forget_shares(weir_folding_space *s) {
    for (size_t i = 0; i < s->at.units; i++) {
        const unit *u = &s->at.unit[i];
        for (size_t by = 0; by < s->weights_count; by++) {
            for (size_t f = 0; s->weights[by].share > 0 && f < u->foldings; f++) u->folding[f].by[by].state = 0;
        }
    }
}

int64_t weir_folding_space_share(weir_folding_space *s, size_t index, const int64_t *share) {
    if (s->weights[s->by].share == 0) return 0;
    const size_t bounds = weir_folding_space_bounds(s, index);
    int64_t *mixed = weir_calloc(bounds, sizeof *mixed), sum = 0;
    mixed[0] = WEIR_FOLDING_SHARES;
    if (share != NULL) memcpy(mixed, share, bounds * sizeof *mixed);
    if (s->shares != bounds || memcmp(mixed, s->share, bounds * sizeof *mixed) != 0) forget_shares(s);
    free(s->share);
    free(s->share_before);
    s->share = mixed;
    s->share_before = weir_folding_sums(mixed, bounds);
    s->shares = bounds;
    for (size_t i = 0; i < bounds; i++)
        if (mixed[i] > 0) sum += mixed[i] * weir_folding_arrival(&s->at, i, s->interval[index]);
    return sum;
}

void weir_folding_space_latencies(weir_folding_space *s, const weir_folding_pick *pick, int64_t *cycles) {
    structure *t = &s->at;
    const size_t bounds = weir_folding_bounds(t);
    memset(cycles, 0, bounds * sizeof *cycles);
    for (size_t i = 0; i < t->units; i++) {
        const unit *u = &t->unit[i];
        if (u->members == 0) continue;
        assert(pick[i].folding < u->foldings);
        folding *f = &u->folding[pick[i].folding];
        if (f->reached != s->reached) weir_folding_fold(s, u, f);
        for (size_t k = 0; k < u->members; k++) {
            const unsigned choice = k < MEMBERS ? weir_folding_choice_of(pick[i].choices, k)
                                                : (unsigned)__builtin_ctz(weir_folding_choices(u, k));
            weir_folding_add_part(t, u->member[k], &member_price(s, u, f, k, choice)->times, cycles);
        }
    }
    for (size_t i = 1; i < bounds; i++) cycles[i] += cycles[i - 1];
    for (size_t i = 0; i < bounds; i++) cycles[i] += weir_folding_arrival(t, i, s->reached);
}
