#include "dse/folding/folding_beats_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/schedule/bounds.h"
#include "dataflow/schedule/schedule.h"
#include "support/memory/arena.h"

enum { MOST_PARTS = 256, MOST_COMPARED = 1024 };

typedef struct stream {
    weir_signature_part part;
    int64_t lanes;
    int64_t *at; /* by beat, where streams are compared; NULL: not written yet */
} stream;

struct weir_folding_beats {
    const weir_folding_structure *structure;
    weir_graph *graph;      /* nodes as in the structure's */
    weir_graph *converters; /* lane converters */
    weir_arena *arena;
    int64_t interval;
    stream *stream;
    size_t streams, capacity;
    int64_t steps;
    weir_map known;       /* by beats and lanes: index of `stream` */
    weir_map converted;   /* by edge, stream and lanes: index of `stream` */
    weir_node *converter; /* by edge */
};

/* --- the graph --- */

static bool is_covered(const weir_graph *graph) {
    size_t count;
    weir_value *values = weir_stream_outputs(graph, &count);
    bool fine = true;
    for (size_t i = 0; i < count; i++) fine &= !weir_stream_is_input(graph, values[i]);
    free(values);
    values = weir_stream_inputs(graph, &count);
    for (size_t i = 0; i < count; i++) {
        size_t users = 0;
        for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
            for (size_t k = 0; weir_folding_rules(graph, node) != NULL && k < weir_stream_count(graph, node); k++)
                users += weir_stream_source(graph, weir_node_input(graph, node, k)).id == values[i].id;
        fine &= users == 1;
    }
    free(values);
    return fine;
}

/* In a graph of their own, for nodes ask who else takes their streams. */
static void add_converters(weir_folding_beats *b) {
    const weir_folding_structure *t = b->structure;
    b->converters = weir_graph_new("converters");
    b->converter = weir_calloc(t->edges + 1, sizeof *b->converter);
    for (size_t e = 0; e < t->edges; e++) {
        const weir_type *type = weir_value_type(t->graph, t->edge[e].value);
        const weir_value value = weir_graph_add_input(b->converters, "stream", type);
        b->converter[e] = weir_graph_add_node(b->converters, WEIR_OP_LANES, "stream", &value, 1, 1, WEIR_NO_NODE);
        weir_value_set_type(b->converters, weir_node_output(b->converters, b->converter[e], 0), type);
        weir_meta_hardware *hardware = weir_folding_hardware(b->converters, b->converter[e]);
        hardware->assigned = true;
        hardware->module = weir_component_for(WEIR_OP_LANES)->module;
    }
}

weir_folding_beats *weir_folding_beats_new(const weir_folding_structure *t, int64_t interval) {
    if (!is_covered(t->graph)) return NULL;
    weir_folding_beats *b = weir_calloc(1, sizeof *b);
    *b = (weir_folding_beats){.structure = t, .arena = weir_arena_new(), .interval = interval};
    b->graph = weir_graph_copy(t->graph);
    add_converters(b);
    return b;
}

void weir_folding_beats_free(weir_folding_beats *b) {
    if (b == NULL) return;
    for (size_t i = 0; i < b->streams; i++) free(b->stream[i].at);
    free(b->stream);
    free(b->converter);
    weir_map_free(&b->known);
    weir_map_free(&b->converted);
    weir_arena_free(b->arena);
    weir_graph_free(b->graph);
    weir_graph_free(b->converters);
    free(b);
}

void weir_folding_beats_fold(weir_folding_beats *b, const weir_folding_unit *u, const weir_folding_setting *folding,
                             const weir_meta_hardware *member) {
    weir_folding_structure settled = *b->structure;
    settled.graph = b->graph;
    if (u->pace != SIZE_MAX) weir_folding_settle(&settled, u, folding);
    for (size_t i = 0; i < u->members; i++) *weir_folding_hardware(b->graph, u->member[i]) = member[i];
}

/* --- streams --- */

static bool is_stream(const void *user, uint64_t key, uint64_t value) {
    (void)key;
    const weir_folding_beats *b = user; /* the one that is looked for lies behind those known */
    const stream *wanted = &b->stream[b->streams], *known = &b->stream[value];
    return wanted->lanes == known->lanes && weir_signature_equal(&wanted->part, &known->part);
}

static uint32_t number_of(weir_folding_beats *b, weir_signature_part part, int64_t lanes) {
    b->stream = weir_grow(b->stream, &b->capacity, b->streams + 1, sizeof *b->stream);
    b->stream[b->streams] = (stream){part, lanes, NULL};
    const uint64_t key = part.level->hash ^ (uint64_t)part.at * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)lanes << 48;
    bool is_new;
    weir_map_entry *entry = weir_map_put_as(&b->known, weir_map_hash(key), is_stream, b, &is_new);
    if (!is_new) return (uint32_t)entry->value;
    entry->key = key;
    entry->value = b->streams;
    return (uint32_t)b->streams++;
}

static bool serve_node(weir_folding_beats *b, const weir_graph *graph, weir_node node,
                       const weir_signature_part *arrive, int64_t lanes, uint32_t *gives) {
    weir_signature_part part;
    if (!weir_schedule_first_frame(b->arena, graph, node, arrive, &part, &b->steps)) return false;
    const weir_signature given = {part, part};
    *gives = number_of(b, weir_bounds_of(b->arena, &given, MOST_PARTS).early.first, lanes);
    return true;
}

/* The stream of an edge on so many lanes. */
static bool convert(weir_folding_beats *b, size_t edge, int64_t lanes, uint32_t *number) {
    const int64_t from = b->stream[*number].lanes;
    if (from == lanes) return true;
    const uint64_t key = ((uint64_t)edge << 24 | *number) << 24 | (uint64_t)lanes;
    const uint64_t *known = weir_map_find(&b->converted, key);
    if (known != NULL) {
        *number = (uint32_t)*known;
        return true;
    }
    const weir_node node = b->converter[edge];
    weir_meta_hardware *hardware = weir_folding_hardware(b->converters, node);
    const weir_value value = weir_node_output(b->converters, node, 0);
    const int64_t in = weir_stream_beats(b->converters, value, from),
                  out = weir_stream_beats(b->converters, value, lanes);
    hardware->in_lanes = from;
    hardware->out_lanes = lanes;
    hardware->interval = in > out ? in : out;
    const weir_signature_part arrives = b->stream[*number].part;
    if (!serve_node(b, b->converters, node, &arrives, lanes, number)) return false;
    *weir_map_put(&b->converted, key) = *number;
    return true;
}

static size_t edge_of(const weir_folding_structure *t, weir_node node, size_t input) {
    size_t e = 0;
    while (t->edge[e].to.id != node.id) e++;
    return e + input;
}

bool weir_folding_beats_serve(weir_folding_beats *b, const weir_folding_unit *u, uint32_t *number) {
    for (size_t i = 0; i < u->members; i++) {
        const weir_node node = u->member[i];
        const int64_t lanes = weir_folding_hardware(b->graph, node)->in_lanes;
        weir_signature_part arrive[WEIR_SERVICE_PORTS];
        for (size_t k = 0, edges = 0; k < weir_stream_count(b->graph, node); k++) {
            const weir_node from = weir_folding_source(b->structure->graph, node, k);
            if (from.id == 0) {
                const weir_value input = weir_stream_source(b->graph, weir_node_input(b->graph, node, k));
                arrive[k] = weir_schedule_input(b->arena, b->graph, input, lanes, b->interval);
                continue;
            }
            uint32_t comes = number[from.id];
            if (!convert(b, edge_of(b->structure, node, edges++), lanes, &comes)) return false;
            arrive[k] = b->stream[comes].part;
        }
        if (!serve_node(b, b->graph, node, arrive, weir_folding_hardware(b->graph, node)->out_lanes, &number[node.id]))
            return false;
    }
    return true;
}

/* --- of streams --- */

int64_t weir_folding_beats_lanes(const weir_folding_beats *b, uint32_t number) { return b->stream[number].lanes; }

int64_t weir_folding_beats_at(const weir_folding_beats *b, uint32_t number, int64_t index) {
    const weir_signature_part *part = &b->stream[number].part;
    if (index < 0) index = weir_later(0, part->level->beats + index);
    return weir_signature_at(part, index);
}

static const int64_t *times_of(stream *s) {
    const int64_t beats = s->part.level->beats;
    if (s->at != NULL || beats > MOST_COMPARED) return s->at;
    s->at = weir_malloc((size_t)beats * sizeof *s->at);
    for (int64_t i = 0; i < beats; i++) s->at[i] = weir_signature_at(&s->part, i);
    return s->at;
}

bool weir_folding_beats_are_sooner(weir_folding_beats *b, uint32_t a, uint32_t c) {
    if (a == c) return true;
    stream *x = &b->stream[a], *y = &b->stream[c];
    if (x->lanes != y->lanes || x->part.at > y->part.at) return false;
    const int64_t beats = x->part.level->beats, *first = times_of(x), *second = times_of(y);
    if (first == NULL || second == NULL) return false;
    for (int64_t i = beats; i-- > 0;)
        if (first[i] > second[i]) return false;
    return true;
}

int64_t weir_folding_beats_steps(const weir_folding_beats *b) { return b->steps; }
