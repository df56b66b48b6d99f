#include "dse/folding/folding_structure_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/cost/contents.h"
#include "dataflow/folding.h"
#include "dataflow/frame.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"

typedef weir_folding_amount amount;
typedef weir_folding_setting folding;
typedef weir_folding_unit unit;
typedef weir_folding_edge edge;
typedef weir_folding_structure structure;

/* Nodes, after which the survey's design is made anew. */
enum { RESOURCES = WEIR_KNAPSACK_RESOURCES, MEMBERS = WEIR_FOLDING_MEMBERS, SURVEYED = 16000 };

/* --- prices --- */

weir_cost_survey *weir_folding_survey(weir_folding_space *s) {
    if (s->survey != NULL && ++s->surveyed <= SURVEYED) return s->survey;
    if (s->survey != NULL) weir_cost_survey_free(s->survey);
    s->survey = weir_cost_survey_new(s->at.graph, s->device);
    s->surveyed = 0;
    return s->survey;
}

void weir_folding_add(amount *into, const amount *a) {
    for (int r = 0; r < RESOURCES; r++) into->use[r] += a->use[r];
    into->work += a->work;
}

static void use_of(const weir_folding_space *s, const weir_cost *cost, int64_t *use) {
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(cost, s->device, uses);
    for (int r = 0; r < RESOURCES; r++) use[r] = uses[r].used;
}

static amount amount_of_use(const weir_folding_space *s, const int64_t *use, int64_t busy) {
    assert(s->by < s->weights_count);
    const weir_folding_weights *w = &s->weights[s->by];
    amount a = {{0}, w->node * busy};
    for (int r = 0; r < RESOURCES; r++) {
        a.use[r] = use[r];
        a.work += w->busy[r] * use[r] * busy;
    }
    return a;
}

static amount amount_of(const weir_folding_space *s, const weir_cost *cost, int64_t busy) {
    int64_t use[RESOURCES];
    use_of(s, cost, use);
    return amount_of_use(s, use, busy);
}

/* The choice (weir_folding_choices) that a node has. */
static unsigned choice_of(const weir_component_rules *rules, const weir_meta_hardware *h) {
    return (unsigned)h->storage + 3 * (unsigned)weir_component_setting_value_as(rules, h, WEIR_SETTING_PRODUCTS);
}

/* What a node's hardware depends on: its metadata, what `settle` has done for a folding of so many lanes (0: nothing),
 * and the time of a frame where it holds rows or pools them, whose spare ones fill what is left of it (0: of
 * another). */
static uint64_t key_of(uint64_t form, const weir_component_rules *rules, const weir_meta_hardware *h, int64_t settled,
                       int64_t pace) {
    const uint64_t part[] = {(uint64_t)h->in_lanes, (uint64_t)h->out_lanes, choice_of(rules, h), (uint64_t)settled,
                             (uint64_t)pace};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) form = weir_hash_mix(form, part[i]);
    return weir_settings_hash(&h->settings, form);
}

/* A new price by its key: the index of `price`. */
static size_t add_price(weir_folding_space *s, uint64_t key, const weir_folding_hardware_price *price,
                        const weir_folding_hardware_form *built) {
    s->price = weir_grow(s->price, &s->price_capacity, s->price_count + 1, sizeof *s->price);
    s->built = weir_grow(s->built, &s->built_capacity, s->price_count + 1, sizeof *s->built);
    s->price[s->price_count] = *price;
    s->built[s->price_count] = *built;
    *weir_map_put(&s->prices, key) = s->price_count;
    return s->price_count++;
}

/* What is known of the memories of the node. */
static weir_contents_known known_of(weir_folding_space *s, weir_node node) {
    assert(node.id < weir_graph_node_limit(s->at.graph));
    return (weir_contents_known){&s->contents, weir_hash_mix(s->at.form[node.id], s->at.values[node.id]), 0};
}

weir_meta_hardware weir_folding_built(weir_folding_space *s, weir_node node) {
    const weir_contents_known known = known_of(s, node);
    weir_meta_hardware *hardware = weir_folding_hardware(s->at.graph, node);
    const weir_meta_hardware before = *hardware;
    if (weir_folding_is_fixed(s->at.graph, node)) return before;
    weir_folding_take_over(s->at.graph, weir_folding_survey(s), node, &known);
    const weir_meta_hardware built = *hardware;
    *hardware = before;
    return built;
}

/* Builds the node, unless one of its form was whose constants come to the same: an index. */
static size_t find_price(weir_folding_space *s, weir_node node, uint64_t key) {
    structure *t = &s->at;
    weir_meta_hardware *hardware = weir_folding_hardware(t->graph, node);
    const uint64_t values = t->values[node.id];
    const bool shares = values != 0 && weir_folding_is_fixed(t->graph, node);
    weir_contents_known known = known_of(s, node);
    if (shares) known.built = key;
    const uint64_t alike = shares ? weir_hash_mix(key, weir_contents_hash(t->graph, node, &known)) : 0;
    const uint64_t *found = shares ? weir_map_find(&s->prices, alike) : NULL;
    if (found != NULL) return *found;
    const weir_meta_hardware before = *hardware;
    *hardware = weir_folding_built(s, node);
    weir_component_setting_lay_out(weir_folding_rules(t->graph, node), hardware); /* names outlive the structure */
    const weir_folding_hardware_form built = {.timing = weir_folding_rules(t->graph, node)->timing(t->graph, node),
                                              .module = weir_component_of(t->graph, node)->module,
                                              .settings = hardware->settings,
                                              .interval = hardware->interval};
    weir_folding_hardware_price price = {.is_timed = false};
    const weir_cost cost = weir_cost_survey_known(weir_folding_survey(s), node, &known).cost;
    use_of(s, &cost, price.use);
    *hardware = before;
    return add_price(s, shares ? alike : weir_hash_mix(key, values), &price, &built);
}

/* Once for what is the same in time: a service rule knows of memories and products no more than the timing says. */
static weir_folding_times times_of(weir_folding_space *s, weir_node node, int64_t settled, int64_t pace,
                                   const weir_component_timing *timing) {
    const weir_meta_hardware *h = weir_folding_hardware(s->at.graph, node);
    const uint64_t part[] = {(uint64_t)h->in_lanes, (uint64_t)h->out_lanes,    (uint64_t)settled,
                             (uint64_t)pace,        (uint64_t)timing->latency, (uint64_t)timing->interval};
    uint64_t key = weir_settings_hash(&h->settings, s->at.form[node.id]);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) key = weir_hash_mix(key, part[i]);
    const uint64_t *known = weir_map_find(&s->timed, key);
    if (known != NULL) return s->times[*known];
    const size_t index = s->timed.count;
    s->times = weir_grow(s->times, &s->times_capacity, index + 1, sizeof *s->times);
    s->times[index] = weir_folding_times_of(&s->at, node);
    *weir_map_put(&s->timed, key) = index;
    return s->times[index];
}

size_t weir_folding_priced(weir_folding_space *s, weir_node node, int64_t settled) {
    structure *t = &s->at;
    const weir_component_rules *rules = weir_folding_rules(t->graph, node);
    const int64_t pace = rules->start != NULL ? weir_stream_pace(t->graph) : 0;
    const uint64_t key = key_of(t->form[node.id], rules, weir_folding_hardware(t->graph, node), settled, pace);
    const uint64_t own = weir_hash_mix(key, t->values[node.id]), *found = weir_map_find(&s->prices, own);
    const size_t index = found != NULL ? *found : find_price(s, node, key);
    if (found == NULL) *weir_map_put(&s->prices, own) = index;
    weir_folding_hardware_price *price = &s->price[index];
    if (s->share != NULL && !price->is_timed) {
        price->times = times_of(s, node, settled, pace, &s->built[index].timing);
        price->is_timed = true;
    }
    return index;
}

amount weir_folding_amount_of(const weir_folding_space *s, weir_node node, const weir_folding_hardware_price *price,
                              int64_t busy) {
    assert(busy >= 0);
    amount a = amount_of_use(s, price->use, busy);
    const int64_t share = s->weights[s->by].share;
    if (share > 0) a.work += share * weir_folding_part(&s->at, node, &price->times, s->share_before);
    return a;
}

/* The cost of a lane converter by its parameters, computed once. */
static const weir_cost *converter_cost(weir_folding_space *s, const weir_cost_parameter *parameter, size_t count) {
    uint64_t key = 0;
    for (size_t i = 0; i < count; i++) key = weir_hash_mix(key, (uint64_t)parameter[i].value);
    const uint64_t *found = weir_map_find(&s->converters, key);
    if (found != NULL) return &s->converter[*found];
    const size_t index = s->converters.count;
    s->converter = weir_grow(s->converter, &s->converter_capacity, index + 1, sizeof *s->converter);
    weir_cost_of_module(s->device, weir_component_for(WEIR_OP_LANES)->module, parameter, count, &s->converter[index]);
    *weir_map_put(&s->converters, key) = index;
    return &s->converter[index];
}

/* A lane converter, as insert_streams puts it where a stream's ends differ. */
amount weir_folding_converter(weir_folding_space *s, weir_value value, int64_t in, int64_t out) {
    assert(in >= 1 && out >= 1);
    amount a = {{0}, 0};
    if (in == out) return a;
    const weir_graph *graph = s->at.graph;
    uint16_t *width = &s->at.width[value.id];
    bool is_signed;
    if (*width == 0) *width = (uint16_t)(1 + weir_stream_width(graph, value, &is_signed));
    const weir_cost_parameter parameter[] = {
        {"WIDTH", *width - 1}, {"IN_LANES", in}, {"OUT_LANES", out}, {"FRAME", weir_stream_elements(graph, value)}};
    return amount_of(s, converter_cost(s, parameter, 4), weir_stream_beats(graph, value, in < out ? in : out));
}

/* --- choices --- */

/* Of a node that may have a choice. */
static unsigned all_choices(const weir_graph *graph, weir_node node, const weir_meta_hardware *assigned,
                            bool has_blocks) {
    const weir_component_rules *rules = weir_folding_rules(graph, node);
    const bool memory = rules->memory != NULL && assigned->storage == WEIR_STORAGE_AUTO;
    const unsigned given = choice_of(rules, assigned) / 3;
    const bool multiplies =
        weir_component_setting_as(rules, WEIR_SETTING_PRODUCTS, 0) != NULL && given == (unsigned)WEIR_STORAGE_AUTO;
    unsigned choices = 0;
    for (unsigned products = 0; products < 3; products++) {
        for (unsigned storage = 0; storage < 3; storage++) {
            const bool block = storage != WEIR_STORAGE_BLOCK || has_blocks;
            if ((memory ? block : storage == assigned->storage) &&
                (multiplies ? products != WEIR_STORAGE_AUTO : products == given))
                choices |= 1u << (storage + 3 * products);
        }
    }
    return choices;
}

static unsigned choices_of(const weir_folding_space *s, const unit *u, size_t member) {
    assert(member < u->members);
    const weir_node node = u->member[member];
    const weir_meta_hardware *assigned = &s->at.assigned[node.id];
    if (member >= MEMBERS) return 1u << choice_of(weir_folding_rules(s->at.graph, node), assigned);
    return all_choices(s->at.graph, node, assigned, weir_device_block(s->device) != NULL);
}

void weir_folding_pick_choice(weir_graph *graph, weir_node node, unsigned choice) {
    assert(choice < WEIR_FOLDING_CHOICES);
    weir_meta_hardware *hardware = weir_folding_hardware(graph, node);
    hardware->storage = (weir_storage)(choice % 3);
    weir_component_setting_set_as(weir_folding_rules(graph, node), hardware, WEIR_SETTING_PRODUCTS, choice / 3);
}

/* --- the structure --- */

static void add_member(unit *u, weir_node node) {
    u->member = weir_grow(u->member, &u->capacity, u->members + 1, sizeof *u->member);
    u->member[u->members++] = node;
}

static void start_unit(structure *t, weir_node node, size_t pace) {
    assert(node.id < weir_graph_node_limit(t->graph));
    t->unit_of[node.id] = t->units;
    unit *u = &t->unit[t->units++];
    *u = (unit){.pace = pace, .parent = SIZE_MAX};
    add_member(u, node);
}

static void join_unit(structure *t, size_t index, weir_node node) {
    assert(index < t->units);
    t->unit_of[node.id] = index;
    add_member(&t->unit[index], node);
}

/* Does the node take the lanes of the stream before it where it has all the time? Else they are its own choice. */
static bool inherits(structure *t, weir_node node) {
    const weir_component_rules *rules = weir_folding_rules(t->graph, node);
    if (weir_stream_count(t->graph, node) > 1 || rules->streams == WEIR_COMPONENT_SOURCE) return false;
    if (rules->derive == NULL) return true;
    const int64_t interval = weir_graph_interval(t->graph);
    weir_graph_set_interval(t->graph, INT64_MAX / 4);
    const weir_value value = weir_node_output(t->graph, node, 0);
    const weir_shape *shape = &weir_value_type(t->graph, value)->shape;
    weir_meta_hardware one = t->assigned[node.id], all = one;
    one.in_lanes = one.out_lanes = 1;
    all.in_lanes = all.out_lanes = shape->rank == 0 ? 1 : shape->dim[shape->rank - 1];
    rules->derive(t->graph, node, &one);
    rules->derive(t->graph, node, &all);
    weir_graph_set_interval(t->graph, interval);
    return one.in_lanes != all.in_lanes;
}

typedef struct visit {
    const weir_graph *graph;
    weir_node node;
    unit *unit;
    size_t capacity;
} visit;

static void find_folding(void *user, const weir_meta_hardware *settings) {
    visit *v = user;
    unit *u = v->unit;
    u->folding = weir_grow_zeroed(u->folding, &v->capacity, u->foldings + 1, sizeof *u->folding);
    folding *f = &u->folding[u->foldings++];
    f->settings = *settings;
    weir_folding_rules(v->graph, v->node)->derive(v->graph, v->node, &f->settings);
}

/* The node as the graph has it, with a folding's settings. */
void weir_folding_settle(structure *t, const unit *u, const folding *f) {
    assert(u->pace < u->members);
    const weir_node node = u->member[u->pace];
    *weir_folding_hardware(t->graph, node) = f->settings;
    const weir_component_rules *rules = weir_folding_rules(t->graph, node);
    if (rules->settle != NULL) rules->settle(t->graph, node);
}

/* How a node before one that sets the pace folds for an interval, settled for one of its foldings. Both are left as
 * assigned. */
static weir_meta_hardware settled(structure *t, const unit *u, const folding *f, weir_node before, int64_t interval) {
    assert(u->pace < u->members && interval >= 1);
    const weir_node pace = u->member[u->pace];
    weir_meta_hardware *hardware = weir_folding_hardware(t->graph, before);
    weir_folding_settle(t, u, f);
    *weir_folding_hardware(t->graph, pace) = t->assigned[pace.id];
    weir_graph_set_interval(t->graph, interval);
    weir_folding_follow(t->graph, before);
    const weir_meta_hardware folded = *hardware;
    *hardware = t->assigned[before.id];
    return folded;
}

/* What it takes so. */
static weir_cost settled_cost(weir_folding_space *s, const unit *u, const folding *f, weir_node before,
                              const weir_meta_hardware *folded) {
    structure *t = &s->at;
    weir_folding_settle(t, u, f);
    *weir_folding_hardware(t->graph, before) = *folded;
    const weir_cost cost = weir_cost_survey_node(weir_folding_survey(s), before).cost;
    *weir_folding_hardware(t->graph, before) = t->assigned[before.id];
    *weir_folding_hardware(t->graph, u->member[u->pace]) = t->assigned[u->member[u->pace].id];
    return cost;
}

/* Does the node before one that sets the pace change with its folding, for any interval of the structure? It orders the
 * stream as that one takes it. */
static bool is_settled(weir_folding_space *s, const unit *u, weir_node before) {
    structure *t = &s->at;
    const weir_value value = weir_node_output(t->graph, before, 0);
    if (weir_folding_rules(t->graph, u->member[u->pace])->settle == NULL || weir_folding_sets_pace(t->graph, before) ||
        inherits(t, before) || weir_value_use_count(t->graph, value) != 1 || weir_value_is_output(t->graph, value))
        return false;
    const folding *extreme[2] = {&u->folding[0], &u->folding[0]};
    for (size_t i = 0; i < u->foldings; i++) {
        if (u->folding[i].settings.out_lanes < extreme[0]->settings.out_lanes) extreme[0] = &u->folding[i];
        if (u->folding[i].settings.out_lanes > extreme[1]->settings.out_lanes) extreme[1] = &u->folding[i];
    }
    bool changes = false;
    const weir_component_rules *rules = weir_folding_rules(t->graph, before);
    weir_meta_hardware known[2] = {{.out_lanes = 0}, {.out_lanes = 0}};
    for (size_t i = t->first; i <= t->last && !changes; i++) {
        bool same = true;
        for (int e = 0; e < 2; e++) {
            const weir_meta_hardware folded = settled(t, u, extreme[e], before, s->interval[i]);
            same &= weir_component_setting_value_as(rules, &folded, WEIR_SETTING_PIECES) ==
                        weir_component_setting_value_as(rules, &known[e], WEIR_SETTING_PIECES) &&
                    folded.out_lanes == known[e].out_lanes;
            known[e] = folded;
        }
        if (same) continue;
        const weir_cost least = settled_cost(s, u, extreme[0], before, &known[0]),
                        most = settled_cost(s, u, extreme[1], before, &known[1]);
        changes = memcmp(&least, &most, sizeof least) != 0;
    }
    return changes;
}

/* A node that sets the pace takes those before it into its item as far as its folding changes them. */
static void start_pace(weir_folding_space *s, weir_node node) {
    structure *t = &s->at;
    start_unit(t, node, 0);
    unit *u = &t->unit[t->units - 1];
    visit v = {.graph = t->graph, .node = node, .unit = u};
    weir_folding_rules(t->graph, node)->foldings(t->graph, node, &t->assigned[node.id], find_folding, &v);
    for (weir_node before = weir_folding_source(t->graph, node, 0); before.id != 0 && is_settled(s, u, before);
         before = weir_folding_source(t->graph, before, 0)) {
        free(t->unit[t->unit_of[before.id]].member); /* its own item: nothing else was in it */
        t->unit[t->unit_of[before.id]].members = 0;
        t->unit_of[before.id] = t->units - 1;
        add_member(u, before);
        memmove(u->member + 1, u->member, (u->members - 1) * sizeof *u->member);
        u->member[0] = before;
        u->pace++;
    }
}

static void list_numbers(const weir_folding_space *s, unit *u) {
    u->interval = weir_malloc((u->foldings + 1) * sizeof *u->interval);
    u->choices = weir_malloc((u->members + 1) * sizeof *u->choices);
    for (size_t i = 0; i < u->foldings; i++) u->interval[i] = u->folding[i].settings.interval;
    for (size_t i = 0; i < u->members; i++) u->choices[i] = (uint16_t)choices_of(s, u, i);
}

static void find_units(weir_folding_space *s) {
    structure *t = &s->at;
    for (weir_node node = weir_graph_first(t->graph); node.id != 0; node = weir_node_next(t->graph, node)) {
        if (weir_folding_rules(t->graph, node) == NULL) continue;
        const weir_node before = weir_folding_source(t->graph, node, 0);
        const size_t of_before = before.id == 0 ? SIZE_MAX : t->unit_of[before.id];
        if (weir_folding_sets_pace(t->graph, node)) start_pace(s, node);
        else if (of_before != SIZE_MAX && t->unit[of_before].pace != SIZE_MAX && inherits(t, node))
            join_unit(t, of_before, node);
        else start_unit(t, node, SIZE_MAX);
    }
    for (size_t i = 0; i < t->units; i++) {
        unit *u = &t->unit[i];
        if (u->foldings == 0) {
            u->folding = weir_calloc(1, sizeof *u->folding);
            u->foldings = u->members > 0;
        }
        list_numbers(s, u);
    }
}

/* Streams between components, in graph order; an item's parent is what gives its first node's stream, if that has a
 * choice. */
static void find_edges(structure *t) {
    size_t capacity = 0;
    for (weir_node node = weir_graph_first(t->graph); node.id != 0; node = weir_node_next(t->graph, node)) {
        for (size_t i = 0; weir_folding_rules(t->graph, node) != NULL && i < weir_stream_count(t->graph, node); i++) {
            const weir_node from = weir_folding_source(t->graph, node, i);
            if (from.id == 0) continue;
            t->edge = weir_grow(t->edge, &capacity, t->edges + 1, sizeof *t->edge);
            t->edge[t->edges++] = (edge){weir_node_input(t->graph, node, i), from, node, i};
            unit *u = &t->unit[t->unit_of[node.id]];
            if (i == 0 && u->pace != SIZE_MAX && u->member[0].id == node.id &&
                t->unit[t->unit_of[from.id]].pace != SIZE_MAX)
                u->parent = t->unit_of[from.id];
        }
    }
}

static bool touches(const structure *t, const edge *e, int end, size_t *index) {
    assert(end == 0 || end == 1);
    *index = t->unit_of[end == 0 ? e->from.id : e->to.id];
    return end == 0 || *index != t->unit_of[e->from.id];
}

static void find_touching(structure *t) {
    size_t index;
    t->touching_first = weir_calloc(t->units + 2, sizeof *t->touching_first);
    t->touching = weir_calloc(2 * t->edges + 1, sizeof *t->touching);
    for (size_t e = 0; e < t->edges; e++)
        for (int end = 0; end < 2; end++)
            if (touches(t, &t->edge[e], end, &index)) t->touching_first[index + 2]++;
    for (size_t i = 2; i < t->units + 2; i++) t->touching_first[i] += t->touching_first[i - 1];
    for (size_t e = 0; e < t->edges; e++)
        for (int end = 0; end < 2; end++)
            if (touches(t, &t->edge[e], end, &index)) t->touching[t->touching_first[index + 1]++] = e;
}

static size_t users_of(const weir_graph *graph, weir_value value) {
    size_t users = weir_value_is_output(graph, value);
    for (size_t i = 0; i < weir_value_use_count(graph, value); i++)
        users += weir_node_metadata_of(graph, weir_value_use(graph, value, i).node)->hardware.host != WEIR_HOST_HEAD;
    return users;
}

/* An instance of a door with two parameters, at a stream that carries a beat in so many cycles of a frame. */
static void add_door(const weir_folding_space *s, const char *module, const weir_cost_parameter *parameter,
                     size_t count, int64_t busy, amount *sum) {
    weir_cost cost;
    weir_cost_of_module(s->device, module, parameter, count, &cost);
    const amount a = amount_of(s, &cost, busy);
    weir_folding_add(sum, &a);
}

static void add_guard(const weir_folding_space *s, int64_t beats, amount *sum) {
    assert(beats >= 1);
    const weir_cost_parameter parameter[2] = {{"BEATS", beats}, {"COUNT_W", WEIR_FRAME_COUNT_BITS}};
    add_door(s, "weir_frame_guard", parameter, 2, beats, sum);
}

/* The one node that takes the hardware's input; none: there are several, or the host. */
static weir_node taker_of(const weir_graph *graph, weir_value input, size_t *index) {
    weir_node taker = WEIR_NO_NODE;
    size_t takers = 0;
    *index = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        for (size_t i = 0; weir_folding_rules(graph, node) != NULL && i < weir_stream_count(graph, node); i++) {
            if (weir_stream_source(graph, weir_node_input(graph, node, i)).id != input.id) continue;
            takers++;
            taker = node;
            *index = i;
        }
    }
    return takers == 1 ? taker : WEIR_NO_NODE;
}

static void add_common_doors(const weir_folding_space *s, amount *sum) {
    const weir_graph *graph = s->at.graph;
    size_t inputs, outputs, index;
    weir_value *in = weir_stream_inputs(graph, &inputs), *out = weir_stream_outputs(graph, &outputs);
    for (size_t i = 0; i < inputs; i++)
        if (taker_of(graph, in[i], &index).id == 0) add_guard(s, 1, sum); /* of any lanes */
    const weir_cost_parameter sequence[] = {
        {"INPUTS", (int64_t)inputs}, {"STATES", (int64_t)weir_frame_states(graph)}, {"DEPTH", WEIR_FRAME_LEAST}};
    if (sequence[1].value > 0) add_door(s, "weir_sequence", sequence, 3, 1, sum);
    for (size_t o = 0; o < outputs; o++) {
        bool *used = weir_frame_inputs(graph, out[o], in, inputs);
        weir_cost_parameter parameter[2] = {{"INPUTS", 0}, {"DEPTH", WEIR_FRAME_LEAST}};
        for (size_t i = 0; i < inputs; i++) parameter[0].value += used[i];
        add_door(s, "weir_frame_flags", parameter, 2, 1, sum);
        free(used);
    }
    free(in);
    free(out);
}

int64_t weir_folding_lanes_taken(const structure *t, const unit *u, size_t member, const folding *f, size_t input) {
    const weir_component_rules *rules = weir_folding_rules(t->graph, u->member[member]);
    return rules->lanes != NULL && member == u->pace ? rules->lanes(t->graph, u->member[member], &f->settings, input)
                                                     : f->state[WEIR_FOLDING_STATE * member];
}

amount weir_folding_guards(const weir_folding_space *s, const unit *u, const folding *f) {
    const structure *t = &s->at;
    amount sum = {{0}, 0};
    for (size_t i = 0; i < t->doors; i++) {
        const weir_folding_door *door = &t->door[i];
        for (size_t k = 0; k < u->members; k++)
            if (u->member[k].id == door->taker.id)
                add_guard(s,
                          weir_stream_beats(t->graph, door->input, weir_folding_lanes_taken(t, u, k, f, door->index)),
                          &sum);
    }
    return sum;
}

static void find_doors(structure *t) {
    size_t inputs;
    weir_value *in = weir_stream_inputs(t->graph, &inputs);
    t->door = weir_calloc(inputs + 1, sizeof *t->door);
    for (size_t i = 0; i < inputs; i++) {
        size_t index;
        const weir_node taker = taker_of(t->graph, in[i], &index);
        if (taker.id != 0) t->door[t->doors++] = (weir_folding_door){in[i], taker, index};
    }
    free(in);
}

static amount count_common(const weir_folding_space *s) {
    const structure *t = &s->at;
    amount forks = {{0}, 0};
    add_common_doors(s, &forks);
    for (uint32_t id = 1; id < weir_graph_value_limit(t->graph); id++) {
        const weir_value value = {id};
        if (!weir_value_exists(t->graph, value)) continue;
        const weir_node producer = weir_value_producer(t->graph, value);
        if (!weir_stream_is_input(t->graph, value) &&
            (producer.id == 0 || weir_stream_role(t->graph, producer) == WEIR_ROLE_HOST))
            continue;
        const weir_cost_parameter parameter[] = {{"WIDTH", 1}, {"OUTPUTS", (int64_t)users_of(t->graph, value)}};
        if (parameter[1].value < 2) continue;
        weir_cost cost;
        weir_cost_of_module(s->device, weir_component_for(WEIR_OP_FORK)->module, parameter, 2, &cost);
        const amount a = amount_of(s, &cost, weir_stream_elements(t->graph, value));
        weir_folding_add(&forks, &a);
    }
    return forks;
}

amount weir_folding_common(weir_folding_space *s) {
    assert(s->by < s->weights_count);
    amount **common = &s->at.common[s->by];
    if (*common == NULL) {
        *common = weir_malloc(sizeof **common);
        **common = count_common(s);
    }
    return **common;
}

void weir_folding_structure_free(structure *t) {
    for (size_t i = 0; i < t->units; i++) {
        unit *u = &t->unit[i];
        for (size_t f = 0; f < u->foldings; f++) {
            free(u->folding[f].state);
            free(u->folding[f].price);
            for (size_t by = 0; by < WEIR_FOLDING_WEIGHTS; by++) free(u->folding[f].by[by].item);
        }
        free(u->folding);
        free(u->interval);
        free(u->choices);
        if (u->members > 0) free(u->member);
    }
    if (t->graph != NULL) weir_graph_free(t->graph);
    free(t->form);
    free(t->values);
    free(t->assigned);
    free(t->unit_of);
    free(t->unit);
    free(t->edge);
    free(t->touching);
    free(t->touching_first);
    free(t->door);
    free(t->station);
    free(t->needed);
    free(t->width);
    for (size_t by = 0; by < WEIR_FOLDING_WEIGHTS; by++) free(t->common[by]);
    *t = (structure){.graph = NULL};
}

/* Of the nodes and their modules, which division changes both. */
static uint64_t count_form(const weir_folding_space *s, size_t index) {
    assert(index < s->count);
    weir_graph *graph = weir_component_copy(s->graph);
    weir_folding_divide(graph, s->interval[index]);
    uint64_t form = weir_graph_node_count(graph);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        form = weir_hash_mix_text(weir_hash_mix(form, node.id), weir_folding_hardware(graph, node)->module);
    weir_graph_free(graph);
    return form == 0 ? 1 : form;
}

static uint64_t form_at(weir_folding_space *s, size_t index) {
    assert(index < s->count);
    if (s->form_at == NULL) s->form_at = weir_calloc(s->count, sizeof *s->form_at);
    if (s->form_at[index] == 0) s->form_at[index] = count_form(s, index);
    return s->form_at[index];
}

/* The longer the interval, the less is divided. */
static size_t last_like(weir_folding_space *s, size_t index, size_t end) {
    assert(index < s->count && end < s->count);
    const uint64_t form = form_at(s, index);
    while (index != end) {
        const size_t middle = end > index ? index + (end - index + 1) / 2 : index - (index - end + 1) / 2;
        if (form_at(s, middle) == form) index = middle;
        else end = end > index ? middle - 1 : middle + 1;
    }
    return index;
}

static bool is_for(const structure *t, size_t index) {
    return t->graph != NULL && index >= t->first && index <= t->last;
}

/* As after it was made, so that steps are counted as then, but for what is known of folded nodes. */
static void take_up(weir_folding_space *s) {
    const structure *t = &s->at;
    for (size_t i = 0; i < t->units; i++)
        for (size_t f = 0; f < t->unit[i].foldings; f++)
            for (size_t by = 0; by < WEIR_FOLDING_WEIGHTS; by++) t->unit[i].folding[f].by[by].state = 0;
    weir_graph_set_interval(t->graph, s->interval[t->first]);
    if (s->survey != NULL) weir_cost_survey_turn(s->survey, t->graph);
}

/* Searches return to a structure a few times. False: it is a new one, and that before stays with those that are
 * kept. */
static bool change_to_kept(weir_folding_space *s, size_t index) {
    size_t place = 0;
    while (place < WEIR_FOLDING_KEPT && !is_for(&s->kept[place], index)) place++;
    const bool found = place < WEIR_FOLDING_KEPT;
    if (!found) place = s->keeps++ % WEIR_FOLDING_KEPT;
    const structure before = s->at;
    s->at = s->kept[place];
    s->kept[place] = before;
    if (found) take_up(s);
    return found;
}

bool weir_folding_structure_make(weir_folding_space *s, size_t index) {
    assert(index < s->count);
    structure *t = &s->at;
    if (is_for(t, index) || change_to_kept(s, index)) return false;
    weir_folding_structure_free(t);
    t->first = last_like(s, index, 0);
    t->last = last_like(s, index, s->count - 1);
    t->graph = weir_component_copy(s->graph);
    weir_folding_divide(t->graph, s->interval[index]);
    const size_t limit = weir_graph_node_limit(t->graph) + 1;
    t->width = weir_calloc(weir_graph_value_limit(t->graph), sizeof *t->width);
    t->assigned = weir_calloc(limit, sizeof *t->assigned);
    t->unit_of = weir_malloc(limit * sizeof *t->unit_of);
    for (size_t i = 0; i < limit; i++) t->unit_of[i] = SIZE_MAX;
    for (weir_node node = weir_graph_first(t->graph); node.id != 0; node = weir_node_next(t->graph, node)) {
        weir_meta_hardware *hardware = weir_folding_hardware(t->graph, node);
        hardware->in_lanes = hardware->out_lanes = 1;
        weir_component_setting_set_as(weir_folding_rules(t->graph, node), hardware, WEIR_SETTING_PIECES, 1);
        hardware->interval = 0;
        t->assigned[node.id] = *hardware;
    }
    t->unit = weir_calloc(weir_graph_node_count(t->graph) + 1, sizeof *t->unit);
    weir_graph_set_interval(t->graph, s->interval[index]);
    if (s->survey != NULL) weir_cost_survey_turn(s->survey, t->graph);
    find_units(s);
    find_edges(t);
    find_touching(t);
    find_doors(t);
    weir_folding_find_stations(s);
    return true;
}
