#include "dataflow/folding.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/products.h"
#include "dataflow/schedule/stream.h"
#include "ir/shape/loop.h"
#include "rtlir/core/rtl.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"
#include "support/text/yaml.h"

static const weir_component_rules *rules_of(const weir_graph *graph, weir_node node) {
    const weir_component *component = weir_component_of(graph, node);
    return component == NULL ? NULL : component->rules;
}

static bool sets_pace(const weir_component_rules *rules) { return rules != NULL && rules->foldings != NULL; }

/* --- the cheapest folding --- */

typedef struct choice {
    const weir_graph *graph;
    weir_node node;
    const weir_component_rules *rules;
    int64_t target;
    weir_meta_hardware best, fastest;
} choice;

/* Fewest multipliers, then the shorter interval, then the one named first; the fastest when nothing meets the
 * target. */
static void consider(void *user, const weir_meta_hardware *settings) {
    choice *c = user;
    weir_meta_hardware folding = *settings;
    c->rules->derive(c->graph, c->node, &folding);
    if (c->fastest.interval == 0 || folding.interval < c->fastest.interval) c->fastest = folding;
    if (folding.interval > c->target) return;
    const int64_t cost = weir_component_setting_units(c->rules, &folding),
                  best = c->best.interval == 0 ? INT64_MAX : weir_component_setting_units(c->rules, &c->best);
    if (cost < best || (cost == best && folding.interval < c->best.interval)) c->best = folding;
}

static weir_meta_hardware cheapest(const weir_graph *graph, weir_node node, int64_t target) {
    assert(sets_pace(rules_of(graph, node)));
    const weir_meta_hardware *fixed = &weir_node_metadata_of(graph, node)->hardware;
    choice c = {graph, node, rules_of(graph, node), target, {.interval = 0}, {.interval = 0}};
    c.rules->foldings(graph, node, fixed, consider, &c);
    return c.best.interval > 0 ? c.best : c.fastest;
}

/* --- what targets cost --- */

typedef struct pace {
    int64_t interval, cost;
} pace;

/* What each folding of each node gives and costs: `end[i]` is behind those of node i. */
typedef struct paces {
    const weir_graph *graph;
    const weir_component_rules *rules;
    weir_node node;
    pace *pace;
    size_t count, capacity;
    size_t *end, nodes;
} paces;

static void add_pace(void *user, const weir_meta_hardware *settings) {
    paces *p = user;
    weir_meta_hardware folding = *settings;
    p->rules->derive(p->graph, p->node, &folding);
    p->pace = weir_grow(p->pace, &p->capacity, p->count + 1, sizeof *p->pace);
    p->pace[p->count++] = (pace){folding.interval, weir_component_setting_units(p->rules, &folding)};
}

static paces paces_of(const weir_graph *graph) {
    paces p = {.graph = graph, .end = weir_calloc(weir_graph_node_count(graph) + 1, sizeof *p.end)};
    for (p.node = weir_graph_first(graph); p.node.id != 0; p.node = weir_node_next(graph, p.node)) {
        p.rules = rules_of(graph, p.node);
        if (!sets_pace(p.rules)) continue;
        p.rules->foldings(graph, p.node, &weir_node_metadata_of(graph, p.node)->hardware, add_pace, &p);
        p.end[p.nodes++] = p.count;
    }
    return p;
}

static void paces_free(paces *p) {
    free(p->pace);
    free(p->end);
}

/* The pace of what `cheapest` chooses among these; 0 where there are none. */
static pace cheapest_pace(const pace *among, const pace *end, int64_t target) {
    assert(among <= end);
    pace best = {0, INT64_MAX}, fastest = among < end ? *among : (pace){0, 0};
    for (; among < end; among++) {
        if (among->interval < fastest.interval) fastest = *among;
        if (among->interval <= target &&
            (among->cost < best.cost || (among->cost == best.cost && among->interval < best.interval)))
            best = *among;
    }
    return best.interval > 0 ? best : fastest;
}

/* Multipliers that a target costs, and the interval it really gives. */
static int64_t cost_at(const paces *p, int64_t target, int64_t *reached) {
    int64_t cost = 0;
    *reached = 1;
    for (size_t i = 0, first = 0; i < p->nodes; first = p->end[i++]) {
        const pace chosen = cheapest_pace(p->pace + first, p->pace + p->end[i], target);
        cost += chosen.cost;
        if (chosen.interval > *reached) *reached = chosen.interval;
    }
    return cost;
}

/* As the graph is divided for the target. */
static int64_t divided_cost_of(const weir_graph *graph, int64_t target) {
    weir_graph *divided = weir_component_copy(graph);
    weir_folding_divide(divided, target);
    paces p = paces_of(divided);
    int64_t reached;
    const int64_t cost = cost_at(&p, target, &reached);
    paces_free(&p);
    weir_graph_free(divided);
    return cost;
}

/* The smallest target from `low` on whose cost stays in the budget; the cheapest foldings when even they are too much.
 * Division is for short targets and takes more multipliers, never fewer. */
static int64_t target_for(const weir_graph *graph, int64_t budget, int64_t low) {
    assert(low > 0);
    assert(budget >= 0);
    int64_t high, most, reached;
    paces p = paces_of(graph);
    cost_at(&p, INT64_MAX, &most);
    for (high = most; low < high;) {
        int64_t middle = low + (high - low) / 2;
        if (cost_at(&p, middle, &reached) <= budget) high = middle;
        else low = middle + 1;
    }
    paces_free(&p);
    if (divided_cost_of(graph, high) <= budget) return high;
    for (low = high, high = most; low < high;) {
        const int64_t middle = low + (high - low) / 2;
        if (divided_cost_of(graph, middle) <= budget) high = middle;
        else low = middle + 1;
    }
    return high;
}

/* --- the folding file --- */

static bool has_memory(const weir_component_rules *rules) { return rules != NULL && rules->memory != NULL; }

static bool has_settings(const weir_graph *graph, weir_node node) {
    const char *name[WEIR_COMPONENT_SETTING_OPEN_MOST];
    return weir_component_setting_open_names(rules_of(graph, node), name) > 0;
}

static void note_settings(const weir_component_rules *rules) {
    weir_text text = {NULL, 0, 0};
    weir_component_setting_add_open(rules, &text);
    if (text.size == 0) weir_note("the node has no settings");
    else weir_note("known settings: %s", text.data);
    weir_text_free(&text);
}

static bool read_storage(const weir_yaml *value, weir_storage *storage) {
    if (value->kind == WEIR_YAML_SCALAR && weir_storage_parse(value->text, storage)) return true;
    weir_error(value->location, "expected auto, block or logic");
    return false;
}

/* From 1 on, or where products are formed. */
static bool read_number(const weir_graph *graph, weir_node node, const weir_component_setting *setting,
                        const weir_yaml *value, int64_t *number) {
    if (setting->role != WEIR_SETTING_PRODUCTS)
        return weir_yaml_int(value, 1, weir_component_setting_most(setting, graph, node), number);
    weir_storage products;
    if (!read_storage(value, &products)) return false;
    *number = products;
    return true;
}

static bool read_setting(weir_graph *graph, weir_node node, const char *key, weir_location at, const weir_yaml *value) {
    const weir_component_rules *rules = rules_of(graph, node);
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    const weir_component_setting *setting = weir_component_setting_called(rules, key);
    if (setting != NULL && weir_component_setting_is_open(setting)) {
        int64_t number;
        if (!read_number(graph, node, setting, value, &number)) return false;
        weir_component_setting_set(hardware, setting, number);
        return true;
    }
    if (has_memory(rules) && strcmp(key, "storage") == 0) return read_storage(value, &hardware->storage);
    weir_error(at, "unknown setting '%s' for node '%s'", key, weir_node_name(graph, node));
    note_settings(rules);
    return false;
}

static void suggest_node(const weir_graph *graph, const char *name) {
    const char **names = weir_calloc(weir_graph_node_count(graph) + 1, sizeof *names);
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (has_settings(graph, node)) names[count++] = weir_node_name(graph, node);
    }
    const char *near = weir_suggest(name, names, count);
    if (near != NULL) weir_note("did you mean '%s'?", near);
    free(names);
}

static bool read_nodes(weir_graph *graph, const weir_yaml *nodes) {
    for (size_t i = 0; i < nodes->count; i++) {
        weir_node node = weir_graph_find_node(graph, nodes->key[i]);
        if (node.id == 0) {
            weir_error(nodes->key_location[i], "there is no node '%s'", nodes->key[i]);
            suggest_node(graph, nodes->key[i]);
            return false;
        }
        if (nodes->item[i]->kind != WEIR_YAML_MAPPING) {
            weir_error(nodes->key_location[i], "expected settings such as {simd: 8, pe: 4}");
            return false;
        }
        const weir_yaml *settings = nodes->item[i];
        for (size_t k = 0; k < settings->count; k++) {
            if (!read_setting(graph, node, settings->key[k], settings->key_location[k], settings->item[k]))
                return false;
        }
    }
    return true;
}

static bool read_root(weir_graph *graph, const weir_yaml *root, int64_t *interval) {
    if (root->kind != WEIR_YAML_MAPPING) {
        weir_error(root->location, "expected a mapping with the key 'nodes'");
        return false;
    }
    for (size_t i = 0; i < root->count; i++) {
        const weir_yaml *item = root->item[i];
        if (strcmp(root->key[i], "interval") == 0) {
            int64_t written;
            if (!weir_yaml_int(item, 1, INT32_MAX, &written)) return false;
            if (*interval == 0) *interval = written;
        } else if (strcmp(root->key[i], "nodes") != 0 || item->kind != WEIR_YAML_MAPPING) {
            weir_error(root->key_location[i], "expected the key 'nodes' with a mapping, or 'interval', found '%s'",
                       root->key[i]);
            return false;
        } else if (!read_nodes(graph, item)) return false;
    }
    return true;
}

bool weir_folding_read(weir_graph *graph, const char *file, int64_t *interval) {
    if (file == NULL || *file == '\0') return true;
    weir_yaml *root = weir_yaml_read(file);
    bool fine = root != NULL && read_root(graph, root, interval);
    weir_yaml_free(root);
    return fine;
}

static void write_setting(weir_text *text, const char *name, const char *value) {
    weir_text_format(text, "%s%s: %s", text->size == 0 ? "" : ", ", name, value);
}

/* What is set of where products are formed, or of the others, as far as a file may set it. */
static void write_declared(const weir_component_rules *rules, const weir_meta_hardware *hardware, bool products,
                           weir_text *text) {
    size_t count;
    const weir_component_setting *settings = weir_component_setting_list(rules, &count);
    for (size_t i = 0; i < count; i++) {
        const int64_t value = weir_component_setting_of(hardware, &settings[i]);
        if (value == 0 || !weir_component_setting_is_open(&settings[i]) ||
            (settings[i].role == WEIR_SETTING_PRODUCTS) != products)
            continue;
        char number[24];
        snprintf(number, sizeof number, "%lld", (long long)value);
        write_setting(text, settings[i].name, products ? weir_storage_name((weir_storage)value) : number);
    }
}

/* "simd: 8, pe: 4": what is set. */
static void write_settings(const weir_graph *graph, weir_node node, weir_text *text) {
    const weir_component_rules *rules = rules_of(graph, node);
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    write_declared(rules, hardware, false, text);
    if (has_memory(rules) && hardware->storage != WEIR_STORAGE_AUTO)
        write_setting(text, "storage", weir_storage_name(hardware->storage));
    write_declared(rules, hardware, true, text);
}

void weir_folding_write(const weir_graph *graph, int64_t interval, weir_text *text) {
    const char *head = "nodes:\n";
    weir_text_format(text, "interval: %lld\n", (long long)interval);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        weir_text settings = {NULL, 0, 0};
        if (has_settings(graph, node)) write_settings(graph, node, &settings);
        if (settings.size > 0) {
            weir_text_format(text, "%s  ", head);
            weir_text_quoted(text, weir_node_name(graph, node));
            weir_text_format(text, ": {%s}\n", settings.data);
            head = "";
        }
        weir_text_free(&settings);
    }
}

/* --- components that set their pace --- */

static bool is_legal(const weir_graph *graph, weir_node node, const weir_component_rules *rules) {
    weir_text why = {NULL, 0, 0};
    bool fine = rules->legal == NULL || rules->legal(graph, node, &weir_node_metadata_of(graph, node)->hardware, &why);
    if (!fine) weir_error(weir_node_location(graph, node), "node '%s' %s", weir_node_name(graph, node), why.data);
    weir_text_free(&why);
    return fine;
}

/* A stream's beat and a memory's word are vectors; a design that reaches their limit is far beyond any device. */
static bool fits_vectors(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    bool is_signed, fits = weir_memory_fits_vectors(graph, node);
    const weir_value in = weir_node_input(graph, node, 0), out = weir_node_output(graph, node, 0);
    fits = fits && hardware->in_lanes * weir_stream_width(graph, in, &is_signed) <= WEIR_RTL_MAX_WIDTH &&
           hardware->out_lanes * weir_stream_width(graph, out, &is_signed) <= WEIR_RTL_MAX_WIDTH;
    if (fits) return true;
    weir_error(weir_node_location(graph, node), "node '%s' takes more than %d bits of a stream or a memory in a cycle",
               weir_node_name(graph, node), WEIR_RTL_MAX_WIDTH);
    weir_note("raise --target-interval or lower --max-macs");
    return false;
}

static void fold_pacemakers(weir_graph *graph, int64_t target) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component_rules *rules = rules_of(graph, node);
        if (!sets_pace(rules)) continue;
        weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
        *hardware = cheapest(graph, node, target);
        hardware->operations = weir_loop_macs(graph, node);
        if (rules->settle != NULL) rules->settle(graph, node);
    }
}

/* --- components that keep up --- */

/* The fewest lanes that carry a frame within the interval, or the most that there are. */
static int64_t lanes_for(const weir_graph *graph, weir_value value, int64_t interval) {
    assert(interval >= 1);
    int64_t lanes = 1, more = 1;
    while (more > 0 && weir_stream_beats(graph, value, lanes) > interval) {
        more = weir_stream_more_lanes(graph, value, lanes);
        if (more > 0) lanes = more;
    }
    return lanes;
}

/* Cycles that the component may spend on a beat without becoming the slowest: those between two beats of what sets the
 * pace before it, or its share of the interval. */
static int64_t cycles_a_beat(const weir_graph *graph, weir_node node, int64_t interval) {
    assert(interval >= 1);
    weir_node producer = weir_value_producer(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)));
    const bool paced = producer.id != 0 && sets_pace(rules_of(graph, producer));
    const int64_t cycles =
        paced ? weir_node_metadata_of(graph, producer)->hardware.interval / weir_stream_beats_of(graph, producer)
              : interval / weir_stream_beats_of(graph, node);
    return cycles < 1 ? 1 : cycles;
}

void weir_folding_follow(weir_graph *graph, weir_node node) {
    assert(rules_of(graph, node) != NULL);
    const weir_component_rules *rules = rules_of(graph, node);
    const int64_t interval = weir_stream_pace(graph);
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    weir_node producer = weir_value_producer(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)));
    bool computed = producer.id != 0 && weir_stream_role(graph, producer) == WEIR_ROLE_COMPONENT;
    bool chooses = weir_stream_count(graph, node) > 1 || rules->streams == WEIR_COMPONENT_SOURCE || !computed;
    hardware->out_lanes = chooses ? lanes_for(graph, weir_node_output(graph, node, 0), interval)
                                  : weir_node_metadata_of(graph, producer)->hardware.out_lanes;
    hardware->in_lanes = hardware->out_lanes;
    int64_t pieces = rules->pieces == NULL ? 1 : rules->pieces(graph, node);
    int64_t cycles = cycles_a_beat(graph, node, interval);
    int64_t each;
    do weir_component_setting_set_as(rules, hardware, WEIR_SETTING_PIECES, each = weir_ceil_divide(pieces, cycles++));
    while (each > 1 && !weir_memory_fits_vectors(graph, node));
    if (rules->derive == NULL) {
        hardware->interval = weir_stream_beats_of(graph, node) * weir_ceil_divide(pieces, each);
        return;
    }
    rules->derive(graph, node, hardware);
}

/* All components, none of which is slower than `interval` where it has a choice. One that has none may turn out to be
 * slower: then the others have as much time. */
static void fold(weir_graph *graph, int64_t target, int64_t interval) {
    assert(target >= 1 && interval >= 1);
    fold_pacemakers(graph, target);
    for (int64_t slowest = 0; slowest < weir_stream_interval(graph);) {
        slowest = weir_stream_interval(graph);
        weir_graph_set_interval(graph, weir_later(interval, slowest));
        for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
            const weir_component_rules *rules = rules_of(graph, node);
            if (rules != NULL && !sets_pace(rules)) weir_folding_follow(graph, node);
        }
    }
}

void weir_folding_divide(weir_graph *graph, int64_t interval) {
    assert(interval >= 1);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component_rules *rules = rules_of(graph, node);
        if (rules != NULL && rules->settle != NULL) rules->settle(graph, node);
    }
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component_rules *rules = rules_of(graph, node);
        if (rules != NULL && rules->divide != NULL) rules->divide(graph, node, interval);
    }
}

/* A copy that any number of multipliers makes no faster. */
static weir_graph *fastest_of(const weir_graph *graph) {
    weir_graph *fastest = weir_component_copy(graph);
    weir_folding_divide(fastest, 1);
    fold(fastest, 1, 1);
    return fastest;
}

int64_t weir_folding_shortest(const weir_graph *graph) {
    weir_graph *fastest = fastest_of(graph);
    const int64_t interval = weir_stream_interval(fastest);
    weir_graph_free(fastest);
    return interval;
}

/* --- components that take over --- */

static int64_t blocks_available(const weir_device *device) {
    const weir_device_memory *block = weir_device_block(device);
    return block == NULL ? 0 : block->count;
}

/* A quarter fewer lookup tables, for estimates are off by less, and no more memory blocks for them than they are worth:
 * all blocks of a device as much as all tables. */
static bool is_cheaper(const weir_device *device, const weir_cost *cost, const weir_cost *than) {
    const int64_t luts = than->luts - cost->luts, blocks = cost->memory_blocks - than->memory_blocks;
    return luts * 4 >= than->luts && luts > 0 &&
           (blocks <= 0 || luts * blocks_available(device) > blocks * device->luts.count);
}

static bool is_smaller(weir_graph *graph, weir_cost_survey *survey, weir_node node, const weir_component *other,
                       const weir_contents_known *known) {
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    const weir_meta_hardware before = *hardware;
    const weir_cost_node now = weir_cost_survey_known(survey, node, known);
    weir_text why = {NULL, 0, 0};
    hardware->module = other->module;
    weir_component_setting_lay_out(other->rules, hardware);
    weir_component_setting_set_as(other->rules, hardware, WEIR_SETTING_PIECES, 1);
    hardware->interval = weir_stream_beats_of(graph, node);
    bool smaller = other->rules->legal(graph, node, hardware, &why);
    if (smaller) {
        const weir_cost_node then = weir_cost_survey_known(survey, node, known);
        smaller = is_cheaper(weir_target_of(graph).device, &then.cost, &now.cost);
    }
    weir_text_free(&why);
    if (!smaller) *hardware = before;
    return smaller;
}

void weir_folding_take_over(weir_graph *graph, weir_cost_survey *survey, weir_node node,
                            const weir_contents_known *known) {
    const weir_component_rules *rules = rules_of(graph, node);
    for (size_t i = 0; rules != NULL && i < weir_component_count(); i++) {
        const weir_component *other = weir_component_at(i);
        if (other->rules->replaces == rules && is_smaller(graph, survey, node, other, known)) break;
    }
}

static int64_t blocks_of(const weir_graph *graph, weir_cost_survey *survey) {
    int64_t blocks = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        if (rules_of(graph, node) != NULL) blocks += weir_cost_survey_node(survey, node).cost.memory_blocks;
    return blocks;
}

static int64_t blocks_with(weir_graph *graph, weir_cost_survey *survey, weir_node node,
                           const weir_meta_hardware *settings) {
    weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
    const weir_meta_hardware before = *hardware;
    *hardware = *settings;
    const int64_t blocks = weir_cost_survey_node(survey, node).cost.memory_blocks;
    *hardware = before;
    return blocks;
}

/* A component that takes more memory blocks takes over as long as the device has them. */
static void take_over(weir_graph *graph) {
    const weir_device *device = weir_target_of(graph).device;
    if (device == NULL) return;
    weir_cost_survey *survey = weir_cost_survey_new(graph, device);
    int64_t blocks = -1; /* of the graph as it is; not counted yet */
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
        const weir_meta_hardware before = *hardware;
        weir_folding_take_over(graph, survey, node, NULL);
        if (hardware->module == before.module) continue;
        const weir_meta_hardware after = *hardware;
        const int64_t more = blocks_with(graph, survey, node, &after);
        *hardware = before;
        if (blocks < 0) blocks = blocks_of(graph, survey);
        const int64_t with = blocks + more - blocks_with(graph, survey, node, &before);
        if (more > 0 && with > weir_later(blocks_available(device), blocks)) continue;
        *hardware = after;
        blocks = with;
    }
    weir_cost_survey_free(survey);
}

/* --- what was asked and cannot be --- */

static weir_node slowest_of(const weir_graph *graph) {
    weir_node slowest = {0};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (rules_of(graph, node) == NULL) continue;
        if (slowest.id == 0 || weir_node_metadata_of(graph, node)->hardware.interval >
                                   weir_node_metadata_of(graph, slowest)->hardware.interval)
            slowest = node;
    }
    return slowest;
}

static void warn_of_interval(const weir_graph *graph, const weir_graph *fastest, int64_t asked) {
    const weir_node slowest = slowest_of(fastest);
    if (asked == 0 || slowest.id == 0 || weir_stream_interval(graph) <= asked) return;
    weir_warning(weir_node_location(fastest, slowest),
                 "a frame takes %lld cycles, not %lld: node '%s' (%s) cannot be faster",
                 (long long)weir_stream_interval(graph), (long long)asked, weir_node_name(fastest, slowest),
                 weir_component_of(fastest, slowest)->module);
}

static void warn_of_multipliers(const weir_graph *graph, int64_t budget) {
    int64_t spent = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component_rules *rules = rules_of(graph, node);
        if (sets_pace(rules))
            spent += weir_component_setting_units(rules, &weir_node_metadata_of(graph, node)->hardware);
    }
    if (spent > budget)
        weir_warning(weir_at(weir_graph_source(graph), 0),
                     "the design takes %lld multipliers, not %lld: no folding takes fewer", (long long)spent,
                     (long long)budget);
}

static int64_t positions_of(const weir_graph *graph, weir_value value) {
    const weir_shape *shape = &weir_value_type(graph, value)->shape;
    return weir_stream_beats(graph, value, shape->rank == 0 ? 1 : shape->dim[shape->rank - 1]);
}

/* The interval of components where none sets the pace: what was asked, or else a position a cycle. */
static int64_t interval_for(const weir_graph *graph, int64_t asked, int64_t shortest) {
    assert(asked >= 0 && shortest >= 1);
    int64_t positions = shortest;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component_rules *rules = rules_of(graph, node);
        if (rules == NULL) continue;
        if (sets_pace(rules)) return shortest;
        for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
            positions = weir_later(positions, positions_of(graph, weir_node_output(graph, node, i)));
        for (size_t i = 0; i < weir_stream_count(graph, node); i++)
            positions = weir_later(positions, positions_of(graph, weir_node_input(graph, node, i)));
    }
    return asked > 0 ? weir_later(asked, shortest) : positions;
}

bool weir_folding_choose(weir_graph *graph, int64_t target, int64_t budget, const char *file) {
    assert(target >= 0 && budget >= 0);
    if (!weir_folding_read(graph, file, &target)) return false;
    weir_graph *fastest = fastest_of(graph);
    const int64_t shortest = weir_stream_interval(fastest), asked = target;
    if (target == 0) target = target_for(graph, budget, shortest);
    if (target < shortest) target = shortest;
    weir_folding_divide(graph, target);
    fold(graph, target, interval_for(graph, asked, shortest));
    warn_of_interval(graph, fastest, asked);
    weir_graph_free(fastest);
    if (asked == 0 && (file == NULL || *file == '\0')) warn_of_multipliers(graph, budget);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component_rules *rules = rules_of(graph, node);
        if (sets_pace(rules) && !is_legal(graph, node, rules)) return false;
        if (rules != NULL && !fits_vectors(graph, node)) return false;
    }
    take_over(graph);
    weir_products_choose(graph);
    return true;
}

/* --- verification --- */

static bool is(const weir_graph *graph, weir_node node, const char *name, int64_t value, int64_t low, int64_t high) {
    if (value >= low && value <= high) return true;
    return weir_node_fail(graph, node, "%s is %lld, expected %lld to %lld", name, (long long)value, (long long)low,
                          (long long)high);
}

static bool verify(const weir_graph *graph, weir_node node, const weir_component_rules *rules) {
    const weir_meta_hardware *h = &weir_node_metadata_of(graph, node)->hardware;
    weir_meta_hardware derived = *h;
    if (!weir_component_setting_verify(rules, graph, node)) return false;
    if (rules->derive != NULL) rules->derive(graph, node, &derived);
    else derived.out_lanes = derived.in_lanes;
    return is(graph, node, "in_lanes", h->in_lanes, derived.in_lanes > 1 ? derived.in_lanes : 1,
              sets_pace(rules) ? derived.in_lanes : INT32_MAX) &&
           is(graph, node, "out_lanes", h->out_lanes, derived.out_lanes, derived.out_lanes) &&
           is(graph, node, "interval", h->interval, derived.interval, derived.interval) && is_legal(graph, node, rules);
}

bool weir_folding_verify(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component_rules *rules = rules_of(graph, node);
        const char *module = weir_node_metadata_of(graph, node)->hardware.module;
        if (rules == NULL && module != NULL)
            return weir_node_fail(graph, node, "no component '%s' computes it", module);
        if (rules != NULL && !verify(graph, node, rules)) return false;
    }
    return true;
}
