/* Which nodes are the same hardware: those of one form take the same with the same folding, so that one of them is
 * priced for all. A deep network repeats a few layers, and what differs between these are mostly names and weights.
 *
 * A form is what a component can see of its node but the contents of constants, and what these come to: the parameters
 * and the timing of what is built of the node in the smallest and the largest of its item's foldings. What constants
 * change of the price of a folding (dataflow/cost/contents.h) is asked for with it, once for each node with values of
 * its own. */
#include <assert.h>
#include <string.h>

#include "dataflow/folding.h"
#include "dse/folding/folding_structure_private.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"

typedef weir_folding_structure structure;
typedef weir_folding_unit unit;
typedef weir_folding_setting folding;

enum { CHOICES = 9 };

/* Of the elements of all constants. */
static uint64_t values_of(const weir_graph *graph, weir_node node) {
    uint64_t hash = 0;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_array *array = weir_value_constant(graph, weir_node_input(graph, node, i));
        const size_t size = array == NULL ? 0 : array->count * weir_dtype_size(array->dtype);
        for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
            uint64_t word = 0;
            memcpy(&word, (const char *)array->data + at, size - at < sizeof word ? size - at : sizeof word);
            hash = weir_hash_mix(hash + 1, word);
        }
    }
    return hash;
}

/* And what is built of it as it is folded now, in the first and the last place of its memory and products. */
static uint64_t mix_built(weir_folding_space *s, const unit *u, size_t member, uint64_t hash) {
    assert(member < u->members);
    const weir_node node = u->member[member];
    weir_meta_hardware *h = weir_folding_hardware(s->at.graph, node);
    const unsigned choices = weir_folding_choices(u, member);
    unsigned first = 0, last = CHOICES - 1;
    while (first < CHOICES && (choices >> first & 1) == 0) first++;
    while (last > first && (choices >> last & 1) == 0) last--;
    for (unsigned choice = first; choice < CHOICES; choice = choice == last ? CHOICES : last) {
        weir_folding_pick_choice(s->at.graph, node, choice);
        const weir_meta_hardware before = *h;
        hash = weir_hash_mix(hash, weir_cost_survey_form(weir_folding_survey(s), node));
        *h = weir_folding_built(s, node);
        const weir_component_timing timing = weir_folding_rules(s->at.graph, node)->timing(s->at.graph, node);
        hash = weir_hash_mix(weir_hash_mix(weir_hash_mix_text(hash, h->module), (uint64_t)timing.latency),
                             (uint64_t)timing.interval);
        *h = before;
    }
    return hash;
}

/* Folds the item so, for the structure's first interval, and adds what its members are built of to their forms. */
static void probe(weir_folding_space *s, const unit *u, const folding *f, uint64_t *form) {
    assert(f >= u->folding && f < u->folding + u->foldings);
    structure *t = &s->at;
    weir_graph_set_interval(t->graph, s->interval[t->first]);
    if (u->pace != SIZE_MAX) weir_folding_settle(t, u, f);
    for (size_t i = 0; i < u->members; i++) {
        if (i == u->pace) continue;
        *weir_folding_hardware(t->graph, u->member[i]) = t->assigned[u->member[i].id];
        weir_folding_follow(t->graph, u->member[i]);
    }
    for (size_t i = 0; i < u->members; i++) form[u->member[i].id] = mix_built(s, u, i, form[u->member[i].id]);
    for (size_t i = 0; i < u->members; i++)
        *weir_folding_hardware(t->graph, u->member[i]) = t->assigned[u->member[i].id];
}

void weir_folding_find_forms(weir_folding_space *s) {
    structure *t = &s->at;
    t->form = weir_calloc(weir_graph_node_limit(t->graph), sizeof *t->form);
    t->values = weir_calloc(weir_graph_node_limit(t->graph), sizeof *t->values);
    for (size_t i = 0; i < t->units; i++) {
        const unit *u = &t->unit[i];
        for (size_t k = 0; k < u->members; k++) {
            const weir_folding_station *at = &t->station[u->member[k].id];
            const uint64_t form =
                weir_hash_mix(weir_folding_seen(t, u->member[k]),
                              (uint64_t)at->counts + 2 * (uint64_t)at->whole + 4 * (uint64_t)t->holds_rows);
            t->values[u->member[k].id] = values_of(t->graph, u->member[k]);
            t->form[u->member[k].id] = weir_hash_mix(
                weir_hash_mix(weir_hash_mix(weir_hash_mix(form, at->input), (uint64_t)at->burst), (uint64_t)at->first),
                at->paces);
        }
        if (u->members == 0) continue;
        probe(s, u, &u->folding[0], t->form);
        if (u->foldings > 1) probe(s, u, &u->folding[u->foldings - 1], t->form);
    }
}
