#include "dse/folding/folding_beats_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/schedule/bounds.h"
#include "dataflow/schedule/schedule.h"
#include "dataflow/schedule/stream.h"
#include "ir/trait/recurrence.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"

enum { MOST_PARTS = 256, MOST_COMPARED = 1024 };

/* Beats as they move from the first one on, whenever that is. */
typedef struct shape {
    weir_signature_part part; /* from cycle 0 on */
    int64_t *at;              /* by beat, where streams are compared; NULL: not written yet */
} shape;

typedef struct stream {
    uint32_t shape;
    int64_t at, lanes; /* of the first beat */
} stream;

/* What a node is built as: a component by its number, a lane converter by its elements and lanes. */
typedef struct likeness {
    int64_t elements, from, to; /* elements 0: a component, `from` its number */
} likeness;

/* A build and what comes to it, in cycles after the first beat that comes to its first input. */
typedef struct question {
    likeness built;
    size_t inputs;
    uint32_t shape[WEIR_SERVICE_PORTS];
    int64_t lag[WEIR_SERVICE_PORTS];
} question;

/* What the node gives, in the same cycles: what comes later goes later by as much (schedule.c). */
typedef struct answer {
    question question;
    uint32_t shape;
    int64_t at, steps;
} answer;

struct weir_folding_beats {
    const weir_folding_structure *structure;
    weir_graph *graph;      /* nodes as in the structure's */
    weir_graph *converters; /* lane converters */
    weir_arena *arena;
    int64_t interval;
    shape *shape;
    stream *stream;
    answer *answer;
    size_t shapes, shape_capacity, streams, capacity, answer_capacity;
    int64_t steps;
    weir_map shaped;      /* by level: index of `shape` */
    weir_map known;       /* by shape, cycle and lanes: index of `stream` */
    weir_map answers;     /* by what a node is built as and what comes to it: index of `answer` */
    weir_map converted;   /* by edge, stream and lanes: index of `stream` */
    weir_node *converter; /* by edge */
    uint32_t *built;      /* by node: what it is built as */
};

/* --- the graph --- */

/* Rows of States come as their Updates give them, of which nothing is known yet. */
static bool is_covered(const weir_graph *graph) {
    size_t count;
    weir_value *values = weir_stream_outputs(graph, &count);
    bool fine = !weir_recurrence_any(graph);
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
    assert(interval >= 1);
    if (!is_covered(t->graph)) return NULL;
    weir_folding_beats *b = weir_calloc(1, sizeof *b);
    *b = (weir_folding_beats){.structure = t, .arena = weir_arena_new(), .interval = interval};
    b->graph = weir_component_copy(t->graph);
    b->built = weir_calloc(weir_graph_node_limit(t->graph) + 1, sizeof *b->built);
    add_converters(b);
    return b;
}

void weir_folding_beats_free(weir_folding_beats *b) {
    if (b == NULL) return;
    for (size_t i = 0; i < b->shapes; i++) free(b->shape[i].at);
    free(b->shape);
    free(b->stream);
    free(b->answer);
    free(b->converter);
    weir_map_free(&b->shaped);
    weir_map_free(&b->known);
    weir_map_free(&b->answers);
    weir_map_free(&b->converted);
    free(b->built);
    weir_arena_free(b->arena);
    weir_graph_free(b->graph);
    weir_graph_free(b->converters);
    free(b);
}

void weir_folding_beats_fold(weir_folding_beats *b, const weir_folding_unit *u, const weir_folding_setting *folding,
                             const weir_meta_hardware *member, const uint32_t *built) {
    weir_folding_structure settled = *b->structure;
    settled.graph = b->graph;
    if (u->pace != SIZE_MAX) weir_folding_settle(&settled, u, folding);
    for (size_t i = 0; i < u->members; i++) {
        *weir_folding_hardware(b->graph, u->member[i]) = member[i];
        b->built[u->member[i].id] = built[i];
    }
}

/* --- streams --- */

static bool is_shape(const void *user, uint64_t key, uint64_t value) {
    (void)key;
    const weir_folding_beats *b = user; /* the one that is looked for lies behind those known */
    return weir_signature_equal(&b->shape[b->shapes].part, &b->shape[value].part);
}

static uint32_t shape_of(weir_folding_beats *b, weir_signature_part part) {
    b->shape = weir_grow(b->shape, &b->shape_capacity, b->shapes + 1, sizeof *b->shape);
    b->shape[b->shapes] = (shape){{part.first, 0, part.level}, NULL};
    bool is_new;
    weir_map_entry *entry = weir_map_put_as(&b->shaped, weir_map_hash(part.level->hash), is_shape, b, &is_new);
    if (!is_new) return (uint32_t)entry->value;
    entry->key = part.level->hash;
    entry->value = b->shapes;
    return (uint32_t)b->shapes++;
}

static bool is_stream(const void *user, uint64_t key, uint64_t value) {
    (void)key;
    const weir_folding_beats *b = user; /* likewise */
    const stream *wanted = &b->stream[b->streams], *known = &b->stream[value];
    return wanted->shape == known->shape && wanted->at == known->at && wanted->lanes == known->lanes;
}

static uint32_t number_of(weir_folding_beats *b, stream wanted) {
    assert(wanted.shape < b->shapes && wanted.lanes >= 1);
    b->stream = weir_grow(b->stream, &b->capacity, b->streams + 1, sizeof *b->stream);
    b->stream[b->streams] = wanted;
    const uint64_t key = weir_hash_mix(weir_hash_mix(wanted.shape, (uint64_t)wanted.at), (uint64_t)wanted.lanes);
    bool is_new;
    weir_map_entry *entry = weir_map_put_as(&b->known, weir_map_hash(key), is_stream, b, &is_new);
    if (!is_new) return (uint32_t)entry->value;
    entry->key = key;
    entry->value = b->streams;
    return (uint32_t)b->streams++;
}

static question question_of(likeness built, const stream *arrive, size_t inputs) {
    assert(inputs >= 1 && inputs <= WEIR_SERVICE_PORTS);
    question q = {.built = built, .inputs = inputs};
    for (size_t i = 0; i < inputs; i++) {
        q.shape[i] = arrive[i].shape;
        q.lag[i] = arrive[i].at - arrive[0].at;
    }
    return q;
}

static uint32_t hash_of(const question *q) {
    uint64_t key =
        weir_hash_mix(weir_hash_mix((uint64_t)q->built.elements, (uint64_t)q->built.from), (uint64_t)q->built.to);
    for (size_t i = 0; i < q->inputs; i++) key = weir_hash_mix(weir_hash_mix(key, q->shape[i]), (uint64_t)q->lag[i]);
    return weir_map_hash(key);
}

static bool is_question(const void *user, uint64_t key, uint64_t value) {
    (void)key;
    const weir_folding_beats *b = user; /* the last answer's is looked for */
    const question *wanted = &b->answer[b->answers.count].question, *known = &b->answer[value].question;
    bool same = wanted->inputs == known->inputs && wanted->built.elements == known->built.elements &&
                wanted->built.from == known->built.from && wanted->built.to == known->built.to;
    for (size_t i = 0; same && i < wanted->inputs; i++)
        same = wanted->shape[i] == known->shape[i] && wanted->lag[i] == known->lag[i];
    return same;
}

/* Runs the node's service rule. */
static bool ask(weir_folding_beats *b, const weir_graph *graph, weir_node node, const stream *arrive, size_t inputs,
                answer *made) {
    assert(inputs >= 1 && inputs <= WEIR_SERVICE_PORTS);
    weir_signature_part part, arrives[WEIR_SERVICE_PORTS];
    for (size_t i = 0; i < inputs; i++) {
        arrives[i] = b->shape[arrive[i].shape].part;
        arrives[i].at = arrive[i].at;
    }
    made->steps = 0;
    if (!weir_schedule_first_frame(b->arena, graph, node, arrives, &part, &made->steps)) return false;
    const weir_signature given = {part, part};
    part = weir_bounds_of(b->arena, &given, MOST_PARTS).early.first;
    made->shape = shape_of(b, part);
    made->at = part.at - arrive[0].at;
    return true;
}

/* The same, once for nodes that are built alike; each takes the steps. */
static bool serve_node(weir_folding_beats *b, const weir_graph *graph, weir_node node, likeness built,
                       const stream *arrive, size_t inputs, int64_t lanes, uint32_t *gives) {
    const size_t count = b->answers.count;
    answer made = {.question = question_of(built, arrive, inputs)};
    b->answer = weir_grow(b->answer, &b->answer_capacity, count + 1, sizeof *b->answer);
    b->answer[count] = made;
    const uint32_t hash = hash_of(&made.question);
    const weir_map_entry *found = weir_map_find_as(&b->answers, hash, is_question, b);
    const size_t index = found != NULL ? (size_t)found->value : count;
    if (found == NULL) {
        if (!ask(b, graph, node, arrive, inputs, &made)) return false;
        b->answer[count] = made;
        bool is_new;
        weir_map_put_as(&b->answers, hash, is_question, b, &is_new)->value = count;
    }
    const answer *known = &b->answer[index];
    b->steps += known->steps;
    *gives = number_of(b, (stream){known->shape, arrive[0].at + known->at, lanes});
    return true;
}

/* The stream of an edge on so many lanes. What a converter does depends on these and the elements. */
static bool convert(weir_folding_beats *b, size_t edge, int64_t lanes, uint32_t *number) {
    assert(edge < b->structure->edges && *number < b->streams && lanes >= 1 && lanes < 1 << 24);
    const stream arrives = b->stream[*number];
    const int64_t from = arrives.lanes;
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
    const likeness built = {weir_stream_elements(b->converters, value), from, lanes};
    if (!serve_node(b, b->converters, node, built, &arrives, 1, lanes, number)) return false;
    *weir_map_put(&b->converted, key) = *number;
    return true;
}

static size_t edge_of(const weir_folding_structure *t, weir_node node, size_t input) {
    size_t e = 0;
    while (t->edge[e].to.id != node.id) e++;
    assert(e + input < t->edges && t->edge[e + input].to.id == node.id);
    return e + input;
}

/* What comes to an input: false where the node does not take what its converter does not. */
static bool arrives_at(weir_folding_beats *b, weir_node node, size_t input, size_t *edges, const uint32_t *number,
                       stream *arrives) {
    const int64_t lanes = weir_stream_lanes_taken(b->graph, node, weir_folding_hardware(b->graph, node), input);
    const weir_node from = weir_folding_source(b->structure->graph, node, input);
    if (from.id == 0) {
        const weir_value value = weir_stream_source(b->graph, weir_node_input(b->graph, node, input));
        const weir_signature_part part = weir_schedule_input(b->arena, b->graph, value, lanes, b->interval);
        *arrives = (stream){shape_of(b, part), part.at, lanes};
        return true;
    }
    uint32_t comes = number[from.id];
    if (!convert(b, edge_of(b->structure, node, (*edges)++), lanes, &comes)) return false;
    *arrives = b->stream[comes];
    return true;
}

bool weir_folding_beats_serve(weir_folding_beats *b, const weir_folding_unit *u, uint32_t *number) {
    for (size_t i = 0; i < u->members; i++) {
        const weir_node node = u->member[i];
        const size_t inputs = weir_stream_count(b->graph, node);
        assert(inputs >= 1 && inputs <= WEIR_SERVICE_PORTS);
        stream arrive[WEIR_SERVICE_PORTS];
        for (size_t k = 0, edges = 0; k < inputs; k++)
            if (!arrives_at(b, node, k, &edges, number, &arrive[k])) return false;
        if (!serve_node(b, b->graph, node, (likeness){0, b->built[node.id], 0}, arrive, inputs,
                        weir_folding_hardware(b->graph, node)->out_lanes, &number[node.id]))
            return false;
    }
    return true;
}

/* --- of streams --- */

int64_t weir_folding_beats_lanes(const weir_folding_beats *b, uint32_t number) {
    assert(number < b->streams);
    return b->stream[number].lanes;
}

int64_t weir_folding_beats_at(const weir_folding_beats *b, uint32_t number, int64_t index) {
    assert(number < b->streams);
    const stream *s = &b->stream[number];
    const weir_signature_part *part = &b->shape[s->shape].part;
    if (index < 0) index = weir_later(0, part->level->beats + index);
    return s->at + weir_signature_at(part, index);
}

static const int64_t *times_of(shape *s) {
    const int64_t beats = s->part.level->beats;
    if (s->at != NULL || beats > MOST_COMPARED) return s->at;
    s->at = weir_malloc((size_t)beats * sizeof *s->at);
    for (int64_t i = 0; i < beats; i++) s->at[i] = weir_signature_at(&s->part, i);
    return s->at;
}

bool weir_folding_beats_are_sooner(weir_folding_beats *b, uint32_t a, uint32_t c) {
    assert(a < b->streams && c < b->streams);
    if (a == c) return true;
    const stream *x = &b->stream[a], *y = &b->stream[c];
    if (x->lanes != y->lanes || x->at > y->at) return false;
    if (x->shape == y->shape) return b->shape[x->shape].part.level->beats <= MOST_COMPARED;
    const int64_t beats = b->shape[x->shape].part.level->beats, lag = y->at - x->at;
    const int64_t *first = times_of(&b->shape[x->shape]), *second = times_of(&b->shape[y->shape]);
    if (first == NULL || second == NULL) return false;
    for (int64_t i = beats; i-- > 0;)
        if (first[i] - second[i] > lag) return false;
    return true;
}

int64_t weir_folding_beats_steps(const weir_folding_beats *b) { return b->steps; }
