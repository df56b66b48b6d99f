/* Nodes are served in graph order, each from the signatures of its inputs. Cost: as service.h says, for each node. */
#include "dataflow/schedule/schedule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/schedule/stream.h"
#include "dataflow/state.h"
#include "ir/trait/recurrence.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* Parts of a signature: far more than networks have whose layers fit each other. */
enum { MOST_PARTS = 256 };

/* Beats up to which a row is in registers: rtl/stream/weir_fifo.v. */
enum { FIFO_REGISTERS = 32 };

/* Between frames that come alone: more than any takes. */
#define LONG_AFTER (INT64_C(1) << 42)

/* Between rows of a State that come alone. */
#define LONG_ROW (INT64_C(1) << 30)

/* What waited last between two signatures; without levels: nothing is known. */
typedef struct comparison {
    weir_signature given, taken;
    weir_waiting waiting;
} comparison;

/* How a node was served, in the arena. */
typedef struct record {
    size_t inputs;
    int64_t latency;
    weir_bounds *arrive, *taken, given;
    comparison *compared; /* by input */
} record;

/* When the first beats of a recurrence's rows come, at the earliest and at the latest: of frame 0, of later ones. */
typedef struct beginning {
    int64_t first[2], steady[2];
} beginning;

struct weir_schedule {
    const weir_graph *graph;
    weir_arena *arena;
    weir_bounds *given; /* by value id; without levels: not a stream */
    record *record;     /* by node id, of the last time that the node was served */
    size_t value_capacity, node_capacity;
    weir_schedule_edge *edge;
    size_t edge_count, edge_capacity;
    int64_t interval, latency, steps;
    beginning *begins;            /* by recurrence; NULL: all begin at once, for what they begin with is constant */
    size_t *recurrence;           /* by node: index of its recurrence, for States */
    bool begins_later;            /* than rows have been served */
    const weir_recurrence *alone; /* whose rows are LONG_ROW apart, and those of others as they say; NULL: none */
    bool holds_rows;
};

static const weir_bounds *arrivals(const weir_schedule *s, weir_node node, size_t input) {
    assert(input < weir_node_input_count(s->graph, node));
    return &s->given[weir_stream_source(s->graph, weir_node_input(s->graph, node, input)).id];
}

static void add_edge(weir_schedule *s, weir_node node, size_t input, const record *r) {
    s->edge = weir_grow(s->edge, &s->edge_capacity, s->edge_count + 1, sizeof *s->edge);
    s->edge[s->edge_count++] = (weir_schedule_edge){.value = weir_node_input(s->graph, node, input),
                                                    .user = node,
                                                    .input = input,
                                                    .given = arrivals(s, node, input),
                                                    .taken = &r->taken[input],
                                                    .exact = r->arrive[input].exact && r->taken[input].exact};
}

/* --- one node --- */

typedef struct served {
    const weir_graph *graph;
    weir_node node;
    int64_t beats, cycles, latency; /* of a rule that is one beat for a beat */
} served;

/* Register 0: when the component is free. */
static void serve_beat(weir_service *s, const void *user) {
    const served *x = user;
    int64_t at = weir_service_take_all(s, s->time[0]);
    weir_service_give(s, 0, at + x->latency);
    s->time[0] = at + x->cycles;
}

/* A beat for a beat: the cycles that the pieces of its work take, and the component's latency until it is given. */
static void serve_beats(weir_service *s, const void *user) {
    weir_service_repeat(s, ((const served *)user)->beats, serve_beat, user);
}

static void serve_by_rule(weir_service *s, const void *user) {
    const served *x = user;
    weir_component_of(x->graph, x->node)->rules->service(s, x->graph, x->node);
}

static bool report_wrong(const weir_schedule *s, weir_node node, size_t port, size_t inputs) {
    weir_error(weir_node_location(s->graph, node), "node '%s': component '%s' %s %zu in its schedule",
               weir_node_name(s->graph, node), weir_component_of(s->graph, node)->name,
               port < inputs ? "does not accept the beats that arrive at input" : "emits no beat at output",
               port < inputs ? port : port - inputs);
    return false;
}

/* A rule of the component's own does not ask for the latency: it is there where `timed`. */
static weir_service_body *rule_of(const weir_graph *graph, weir_node node, bool timed, served *x) {
    assert(weir_stream_role(graph, node) == WEIR_ROLE_COMPONENT);
    const weir_component_rules *rules = weir_component_of(graph, node)->rules;
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    *x = (served){graph, node, 0, 1, timed || rules->service == NULL ? rules->timing(graph, node).latency : 0};
    x->beats = weir_stream_beats(graph, weir_node_output(graph, node, 0), hardware->out_lanes);
    if (rules->pieces != NULL) x->cycles = hardware->interval / x->beats;
    return rules->service == NULL ? serve_beats : serve_by_rule;
}

static weir_bounds moved(const weir_bounds *bounds, int64_t cycles) {
    weir_bounds later = *bounds;
    later.early.first.at += cycles;
    later.early.steady.at += cycles;
    later.late.first.at += cycles;
    later.late.steady.at += cycles;
    return later;
}

static bool is_later(const weir_signature_part *part, const weir_signature_part *than, int64_t cycles) {
    const weir_signature_part later = {part->first, than->at + cycles, than->level};
    return weir_signature_equal(part, &later);
}

static bool are_later(const weir_signature *signature, const weir_signature *than, int64_t cycles) {
    return is_later(&signature->first, &than->first, cycles) && is_later(&signature->steady, &than->steady, cycles);
}

/* Where all arrives as it did when the node was served last, only later, so goes all that the node does: rules are of
 * maxima and constants (service.h). */
static bool serve_later(record *r, const weir_bounds *const *arrive, size_t inputs, int64_t latency) {
    if (r->inputs != inputs || inputs == 0 || r->latency != latency) return false;
    const int64_t cycles = arrive[0]->early.first.at - r->arrive[0].early.first.at;
    for (size_t i = 0; i < inputs; i++) {
        const weir_bounds *now = arrive[i], *before = &r->arrive[i];
        if (now->exact != before->exact || !are_later(&now->early, &before->early, cycles) ||
            !are_later(&now->late, &before->late, cycles))
            return false;
    }
    for (size_t i = 0; i < inputs; i++) {
        r->arrive[i] = *arrive[i];
        r->taken[i] = moved(&r->taken[i], cycles);
    }
    r->given = moved(&r->given, cycles);
    return true;
}

/* Cycles by which the node is too slow for the interval go to *late. */
static bool serve(weir_schedule *s, weir_node node, const weir_bounds *const *arrive, size_t inputs, int64_t *late) {
    const weir_bounds_ports ports = {arrive, inputs, 1, s->interval, MOST_PARTS};
    served x;
    weir_service_body *rule = rule_of(s->graph, node, true, &x);
    record *r = &s->record[node.id];
    if (serve_later(r, arrive, inputs, x.latency)) return true;
    comparison *compared = r->inputs == inputs ? r->compared : weir_arena_array(s->arena, inputs, sizeof *r->compared);
    *r = (record){.inputs = inputs, .latency = x.latency, .compared = compared};
    r->arrive = weir_arena_array(s->arena, inputs, sizeof *r->arrive);
    r->taken = weir_arena_array(s->arena, inputs, sizeof *r->taken);
    for (size_t i = 0; i < inputs; i++) r->arrive[i] = *arrive[i];
    const weir_service_result result = weir_bounds_serve(s->arena, &ports, rule, &x, r->taken, &r->given);
    s->steps += result.steps;
    if (result.status == WEIR_SERVICE_WRONG) return report_wrong(s, node, result.port, inputs);
    *late = result.late;
    return true;
}

static bool serve_node(weir_schedule *s, weir_node node, int64_t *late) {
    const weir_bounds *arrive[WEIR_SERVICE_PORTS];
    const size_t inputs = weir_stream_count(s->graph, node);
    assert(inputs <= WEIR_SERVICE_PORTS);
    for (size_t i = 0; i < inputs; i++) arrive[i] = arrivals(s, node, i);
    if (!serve(s, node, arrive, inputs, late)) return false;
    for (size_t i = 0; i < inputs && *late == 0; i++) add_edge(s, node, i, &s->record[node.id]);
    for (size_t o = 0; o < weir_node_output_count(s->graph, node); o++)
        s->given[weir_node_output(s->graph, node, o).id] = s->record[node.id].given;
    return true;
}

/* --- the graph --- */

static bool find_rows(const weir_graph *graph) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        const weir_component *component = weir_component_of(graph, node);
        if (component != NULL && component->rules->may_wait) return true;
    }
    return false;
}

/* Cycles from one beat of an input to the next: they are back to back. Where rows are held, evenly over the interval:
 * the source is made to wait, and a FIFO for what it could give earlier would serve nobody. */
static int64_t stride_of(int64_t beats, int64_t interval, bool holds_rows) {
    assert(beats >= 1 && interval >= 1);
    return holds_rows ? interval / beats : 1;
}

/* Does a frame of the recurrence begin with the input, as it is or as nodes with one stream make it? */
static bool begins_state(const weir_graph *graph, weir_value input) {
    bool begins = false;
    for (weir_node node = weir_graph_first(graph); !begins && node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_STATE || weir_stream_count(graph, node) == 0) continue;
        weir_value value = weir_stream_source(graph, weir_node_input(graph, node, 0));
        weir_node producer = weir_value_producer(graph, value);
        while (value.id != input.id && producer.id != 0 && weir_stream_count(graph, producer) == 1) {
            value = weir_stream_source(graph, weir_node_input(graph, producer, 0));
            producer = weir_value_producer(graph, value);
        }
        begins = value.id == input.id;
    }
    return begins;
}

/* What a recurrence begins with is there at once. */
static void serve_inputs(weir_schedule *s) {
    size_t count;
    weir_value *inputs = weir_stream_inputs(s->graph, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t beats = weir_stream_beats(s->graph, inputs[i], weir_stream_lanes(s->graph, inputs[i]));
        s->interval = weir_later(s->interval, beats);
        const bool begins = s->begins != NULL && begins_state(s->graph, inputs[i]), paced = s->holds_rows && !begins;
        const weir_signature given = weir_signature_run(s->arena, 0, beats, stride_of(beats, s->interval, paced));
        s->given[inputs[i].id] = (weir_bounds){given, given, true};
    }
    free(inputs);
}

/* The State waits for the row that it begins a frame with: the cycle of its first beat, if all come back to back. */
static int64_t row_begins(const weir_schedule *s, weir_node node, const weir_signature_part *arrive) {
    const int64_t beats = weir_state_row(s->graph, node);
    int64_t at = 0;
    for (int64_t i = 0; i < beats; i++) at = weir_later(at, weir_signature_at(arrive, i) - i);
    return at;
}

static void delay(int64_t *at, int64_t to, bool *is_later) {
    *is_later |= to > *at;
    *at = weir_later(*at, to);
}

/* All rows of a recurrence wait for the last of its initial ones, which are taken as they are given. */
static void take_initial(weir_schedule *s, weir_node node) {
    const weir_bounds *arrive = arrivals(s, node, 0);
    record *r = &s->record[node.id];
    comparison *compared = r->inputs == 1 ? r->compared : weir_arena_array(s->arena, 1, sizeof *r->compared);
    *r = (record){.inputs = 1, .compared = compared};
    r->arrive = weir_arena_array(s->arena, 1, sizeof *r->arrive);
    r->taken = weir_arena_array(s->arena, 1, sizeof *r->taken);
    const weir_signature row = weir_signature_run(s->arena, 0, weir_state_row(s->graph, node), 1);
    *r->arrive = *arrive;
    *r->taken = (weir_bounds){row, row, arrive->exact};
    beginning *b = &s->begins[s->recurrence[node.id]];
    const weir_signature *comes[] = {&arrive->early, &arrive->late};
    for (size_t i = 0; i < 2; i++) {
        delay(&b->first[i], row_begins(s, node, &comes[i]->first), &s->begins_later);
        delay(&b->steady[i], row_begins(s, node, &comes[i]->steady), &s->begins_later);
    }
}

static void begin_at(const beginning *b, weir_bounds *rows) {
    weir_signature *bound[] = {&rows->early, &rows->late};
    for (size_t i = 0; i < 2; i++) {
        bound[i]->first.at += b->first[i];
        bound[i]->steady.at += b->steady[i];
    }
}

/* The rows of a State, back to back within themselves: its Update gives them, later than here, but never too late. */
static void serve_state(weir_schedule *s, weir_node node) {
    const weir_value value = weir_node_output(s->graph, node, 0);
    const int64_t rows = weir_state_steps(s->graph, node), beats = weir_state_row(s->graph, node),
                  soonest = weir_later(weir_state_step(s->graph, node), beats);
    int64_t apart = s->interval == LONG_AFTER ? soonest : s->interval / rows;
    for (size_t i = 0; s->alone != NULL && i < s->alone->state_count; i++)
        if (s->alone->state[i].id == node.id) apart = LONG_ROW;
    /* of one that is kept, the frame's inputs are there before: a step is what it takes from the row on */
    const int64_t begin = apart == LONG_ROW && rows == 1 && weir_recurrence_is_kept(s->graph, node) ? LONG_ROW : 0;
    weir_signature_list list = {.arena = s->arena};
    weir_signature_append(&list, weir_signature_run(s->arena, begin, beats, 1).first);
    if (rows > 1) weir_signature_repeat(&list, 0, rows - 1, apart);
    const weir_signature_part part = weir_signature_close(&list);
    const bool is_taken = weir_stream_count(s->graph, node) > 0;
    weir_bounds *given = &s->given[value.id];
    *given = (weir_bounds){{part, part}, {part, part}, s->begins == NULL};
    if (is_taken) take_initial(s, node);
    if (s->begins != NULL) begin_at(&s->begins[s->recurrence[node.id]], given);
    if (!is_taken) return;
    begin_at(&s->begins[s->recurrence[node.id]], s->record[node.id].taken);
    add_edge(s, node, 0, &s->record[node.id]);
}

/* A frame's last beat leaves in the cycle after those of the inputs at the earliest, whether it needs them or not
 * (frame.h). */
static int64_t earliest_latency(const weir_schedule *s) {
    size_t count;
    weir_value *inputs = weir_stream_inputs(s->graph, &count);
    int64_t latency = 0;
    for (size_t i = 0; i < count; i++) {
        const weir_signature_part *first = &s->given[inputs[i].id].late.first;
        latency = weir_later(latency, first->at + first->level->last + 2);
    }
    free(inputs);
    return latency;
}

static void measure_latency(weir_schedule *s) {
    s->latency = weir_later(s->latency, earliest_latency(s));
    size_t count;
    weir_value *outputs = weir_stream_outputs(s->graph, &count);
    for (size_t i = 0; i < count; i++) {
        const weir_bounds *given = weir_schedule_given(s, outputs[i]);
        if (given == NULL) continue;
        const weir_signature_part *first = &given->late.first;
        s->latency = weir_later(s->latency, first->at + first->level->last + 1);
    }
    free(outputs);
}

static bool serve_all(weir_schedule *s, int64_t *late) {
    serve_inputs(s);
    for (weir_node node = weir_graph_first(s->graph); node.id != 0 && *late == 0;
         node = weir_node_next(s->graph, node)) {
        if (weir_stream_role(s->graph, node) != WEIR_ROLE_COMPONENT) continue;
        if (weir_node_op(s->graph, node) == WEIR_OP_STATE) serve_state(s, node);
        else if (!serve_node(s, node, late)) return false;
    }
    if (*late == 0) measure_latency(s);
    return true;
}

/* At the folding's interval, or the shortest that a component slower than its own interval says keeps up. */
bool weir_schedule_update(weir_schedule *s) {
    const size_t values = weir_graph_value_limit(s->graph), nodes = weir_graph_node_limit(s->graph) + 1;
    s->given = weir_grow_zeroed(s->given, &s->value_capacity, values, sizeof *s->given);
    s->record = weir_grow_zeroed(s->record, &s->node_capacity, nodes, sizeof *s->record);
    for (;;) {
        int64_t late = 0;
        s->edge_count = 0;
        s->latency = 0;
        s->begins_later = false;
        if (!serve_all(s, &late)) return false;
        if (late == 0 && !s->begins_later) return true;
        if (late == 0) continue;
        s->interval += late;
        memset(s->record, 0, nodes * sizeof *s->record);
    }
}

/* Where a recurrence begins with what is computed. */
static void find_beginnings(weir_schedule *s) {
    bool any = false;
    for (weir_node node = weir_graph_first(s->graph); node.id != 0; node = weir_node_next(s->graph, node))
        any |= weir_node_op(s->graph, node) == WEIR_OP_STATE && weir_stream_count(s->graph, node) > 0;
    if (!any) return;
    weir_recurrence *found[2];
    const size_t loops = weir_recurrences_find(s->graph, s->arena, &found[0]),
                 others = weir_recurrences_find_spanning(s->graph, s->arena, &found[1]);
    s->begins = weir_arena_array(s->arena, loops + others, sizeof *s->begins);
    s->recurrence = weir_arena_array(s->arena, weir_graph_node_limit(s->graph) + 1, sizeof *s->recurrence);
    for (size_t i = 0; i < loops + others; i++) {
        const weir_recurrence *r = i < loops ? &found[0][i] : &found[1][i - loops];
        for (size_t k = 0; k < r->state_count; k++) s->recurrence[r->state[k].id] = i;
    }
}

static weir_schedule *new_schedule(const weir_graph *graph, int64_t interval, bool holds_rows,
                                   const weir_recurrence *alone) {
    assert(interval >= 1);
    weir_schedule *s = weir_calloc(1, sizeof *s);
    s->alone = alone;
    s->graph = graph;
    s->arena = weir_arena_new();
    s->interval = interval;
    s->holds_rows = holds_rows;
    find_beginnings(s);
    if (weir_schedule_update(s)) return s;
    weir_schedule_free(s);
    return NULL;
}

weir_schedule *weir_schedule_new(const weir_graph *graph) {
    return new_schedule(graph, weir_stream_interval(graph), find_rows(graph), NULL);
}

bool weir_schedule_first_latency(const weir_graph *graph, int64_t *latency) {
    weir_schedule *s = new_schedule(graph, LONG_AFTER, false, NULL);
    if (s != NULL) *latency = s->latency;
    weir_schedule_free(s);
    return s != NULL;
}

/* Cycles from the last beat of a row of the State to that of the row of its Update that depends on it, if all else is
 * there: what comes in for a frame comes before the second row. */
static int64_t step_of(const weir_schedule *s, weir_node state) {
    const weir_node update = weir_recurrence_update(s->graph, state);
    const int64_t beats = weir_state_row(s->graph, state), rows = weir_state_steps(s->graph, state),
                  last = rows > 1 ? 2 * beats - 1 : beats - 1;
    const weir_bounds *given = weir_schedule_given(s, weir_node_output(s->graph, state, 0)),
                      *taken = &s->record[update.id].arrive[0];
    return weir_signature_at(&taken->late.first, last) - weir_signature_at(&given->late.first, last);
}

/* Sets them for the States of one recurrence. */
static bool set_step(weir_graph *graph, const weir_recurrence *recurrence) {
    if (weir_stream_role(graph, recurrence->state[0]) != WEIR_ROLE_COMPONENT) return true;
    weir_schedule *s = new_schedule(graph, LONG_AFTER, false, recurrence);
    int64_t most = 1;
    if (s == NULL) return false;
    for (size_t i = 0; i < recurrence->state_count; i++) {
        const int64_t passes = weir_state_row(graph, recurrence->state[i]) <= FIFO_REGISTERS ? 1 : 2;
        most = weir_later(most, step_of(s, recurrence->state[i]) + passes);
    }
    int64_t rest = 1;
    for (size_t i = 0; i < recurrence->node_count; i++) {
        const weir_node node = recurrence->node[i];
        if (weir_node_op(graph, node) != WEIR_OP_STATE && weir_stream_role(graph, node) == WEIR_ROLE_COMPONENT)
            rest = weir_later(
                rest, weir_ceil_divide(weir_node_metadata_of(graph, node)->hardware.interval, recurrence->steps));
    }
    for (size_t i = 0; i < recurrence->state_count; i++) weir_state_set_step(graph, recurrence->state[i], most, rest);
    weir_schedule_free(s);
    return true;
}

bool weir_schedule_set_steps(weir_graph *graph) {
    weir_arena *arena = weir_arena_new();
    weir_recurrence *recurrence;
    size_t count = weir_recurrences_find(graph, arena, &recurrence);
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) fine = set_step(graph, &recurrence[i]);
    count = weir_recurrences_find_spanning(graph, arena, &recurrence); /* with the loops in them */
    for (size_t i = 0; fine && i < count; i++) fine = set_step(graph, &recurrence[i]);
    weir_arena_free(arena);
    return fine;
}

void weir_schedule_free(weir_schedule *schedule) {
    if (schedule == NULL) return;
    weir_arena_free(schedule->arena);
    free(schedule->given);
    free(schedule->record);
    free(schedule->edge);
    free(schedule);
}

size_t weir_schedule_edge_count(const weir_schedule *schedule) { return schedule->edge_count; }
weir_schedule_edge weir_schedule_edge_at(const weir_schedule *schedule, size_t index) {
    assert(index < weir_schedule_edge_count(schedule));
    return schedule->edge[index];
}

static weir_waiting waiting_at(weir_schedule *s, const weir_schedule_edge *edge, const weir_signature *given,
                               const weir_signature *taken) {
    assert(edge->user.id < s->node_capacity && edge->input < s->record[edge->user.id].inputs);
    comparison *c = &s->record[edge->user.id].compared[edge->input];
    const bool known = c->given.first.level != NULL;
    const int64_t cycles = known ? given->first.at - c->given.first.at : 0;
    if (known && are_later(given, &c->given, cycles) && are_later(taken, &c->taken, cycles)) return c->waiting;
    *c = (comparison){*given, *taken, weir_signature_waiting(given, taken, s->interval)};
    s->steps += c->waiting.steps;
    return c->waiting;
}

weir_waiting weir_schedule_waiting(weir_schedule *schedule, const weir_schedule_edge *edge) {
    return waiting_at(schedule, edge, &edge->given->early, &edge->taken->late);
}

weir_waiting weir_schedule_held(weir_schedule *schedule, const weir_schedule_edge *into,
                                const weir_schedule_edge *out) {
    weir_signature gone = out->taken->late;
    gone.first.at++;
    gone.steady.at++;
    return waiting_at(schedule, into, &into->taken->early, &gone);
}

int64_t weir_schedule_under_way(weir_schedule *schedule, const weir_schedule_edge *edge, int64_t cycles) {
    weir_signature comes = edge->given->early, gone = edge->taken->late;
    comes.first.at -= cycles;
    comes.steady.at -= cycles;
    gone.first.at++;
    gone.steady.at++;
    const weir_waiting waiting = weir_signature_waiting(&comes, &gone, schedule->interval);
    schedule->steps += waiting.steps;
    return waiting.beats;
}

const weir_bounds *weir_schedule_given(const weir_schedule *schedule, weir_value value) {
    assert(value.id < schedule->value_capacity);
    const weir_bounds *given = &schedule->given[value.id];
    return given->early.first.level == NULL ? NULL : given;
}

int64_t weir_schedule_latency(const weir_schedule *schedule) { return schedule->latency; }
bool weir_schedule_holds_rows(const weir_schedule *schedule) { return schedule->holds_rows; }
int64_t weir_schedule_interval(const weir_schedule *schedule) { return schedule->interval; }
int64_t weir_schedule_steps(const weir_schedule *schedule) { return schedule->steps; }

/* --- parts of a frame --- */

bool weir_schedule_paces_inputs(const weir_graph *graph) { return find_rows(graph); }

int64_t weir_schedule_entry(const weir_graph *graph, weir_value input, int64_t element, int64_t interval,
                            bool holds_rows) {
    assert(element >= 0 && interval >= 1);
    int64_t soonest = INT64_MAX;
    for (int64_t lanes = 1; lanes > 0; lanes = weir_stream_more_lanes(graph, input, lanes)) {
        const int64_t beats = weir_stream_beats(graph, input, lanes);
        const int64_t at = element / lanes * stride_of(beats, weir_later(interval, beats), holds_rows);
        if (at < soonest) soonest = at;
    }
    return soonest;
}

/* Between the beats that come at once and those that come last, and between frames: more than any component works. */
#define LONG_BEFORE (INT64_C(1) << 40)

/* Between two elements: more than a component works on one. */
#define LONG (INT64_C(1) << 18)

static int64_t lanes_taken(const weir_graph *graph, weir_node node, size_t input) {
    return weir_stream_lanes_taken(graph, node, &weir_node_metadata_of(graph, node)->hardware, input);
}

static int64_t beats_taken(const weir_graph *graph, weir_node node, size_t input) {
    assert(input < weir_stream_count(graph, node));
    return weir_stream_beats(graph, weir_node_input(graph, node, input), lanes_taken(graph, node, input));
}

weir_signature_part weir_schedule_input(weir_arena *arena, const weir_graph *graph, weir_value input, int64_t lanes,
                                        int64_t interval) {
    const int64_t beats = weir_stream_beats(graph, input, lanes);
    return weir_signature_run(arena, 0, beats, stride_of(beats, weir_later(interval, beats), find_rows(graph))).first;
}

bool weir_schedule_first_frame(weir_arena *arena, const weir_graph *graph, weir_node node,
                               const weir_signature_part *arrive, weir_signature_part *gives, int64_t *steps) {
    const size_t inputs = weir_stream_count(graph, node);
    weir_signature each[WEIR_SERVICE_PORTS], taken[WEIR_SERVICE_PORTS], given[WEIR_SERVICE_PORTS];
    const weir_signature *all[WEIR_SERVICE_PORTS];
    assert(inputs <= WEIR_SERVICE_PORTS);
    for (size_t i = 0; i < inputs; i++) {
        each[i] = (weir_signature){arrive[i], arrive[i]};
        all[i] = &each[i];
    }
    const weir_service_ports ports = {all, inputs, 1, 4 * LONG_BEFORE};
    served x;
    weir_service_body *rule = rule_of(graph, node, false, &x);
    const weir_service_result result = weir_service_run(arena, &ports, rule, &x, taken, given);
    *steps += result.steps;
    if (result.status != WEIR_SERVICE_FINE) return false;
    *gives = given[0].first;
    return true;
}

/* The same where beats of one input come as they do, and all of the others at once. */
static bool serve_alone(weir_arena *arena, const weir_graph *graph, weir_node node, size_t input,
                        const weir_signature_part *arrives, weir_signature_part *gives) {
    const size_t inputs = weir_stream_count(graph, node);
    weir_signature_part arrive[WEIR_SERVICE_PORTS];
    int64_t steps = 0;
    assert(inputs <= WEIR_SERVICE_PORTS && input < inputs);
    for (size_t i = 0; i < inputs; i++)
        arrive[i] = i == input ? *arrives : weir_signature_run(arena, 0, beats_taken(graph, node, i), 1).first;
    return weir_schedule_first_frame(arena, graph, node, arrive, gives, &steps);
}

/* `before` beats at once, the rest long after, one in each cycle. */
static weir_signature_part divided(weir_arena *arena, int64_t before, int64_t rest) {
    assert(before >= 0 && rest >= 1);
    weir_signature_list list = {.arena = arena};
    if (before > 0) weir_signature_append(&list, weir_signature_run(arena, 0, before, 1).first);
    weir_signature_append(&list, weir_signature_run(arena, LONG_BEFORE, rest, 1).first);
    return weir_signature_close(&list);
}

bool weir_schedule_tail_of(const weir_graph *graph, weir_node node, size_t input, int64_t elements,
                           weir_schedule_tail *tail) {
    assert(elements >= 1);
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    const int64_t all = beats_taken(graph, node, input), lanes = lanes_taken(graph, node, input),
                  waiting = weir_ceil_divide(elements, lanes), last = waiting < all ? waiting : all;
    weir_arena *arena = weir_arena_new();
    const weir_signature_part arrives = divided(arena, all - last, last);
    weir_signature_part out;
    const bool fine = serve_alone(arena, graph, node, input, &arrives, &out);
    if (fine) {
        const int64_t before = weir_signature_count(&out, LONG_BEFORE - 1), beats = out.level->beats;
        *tail = (weir_schedule_tail){.elements = (beats - before) * hardware->out_lanes};
        if (before < beats) tail->first = weir_signature_at(&out, before) - LONG_BEFORE;
        if (before < beats) tail->last = weir_signature_at(&out, beats - 1) - LONG_BEFORE;
    }
    weir_arena_free(arena);
    return fine;
}

bool weir_schedule_span_of(const weir_graph *graph, weir_node node, size_t input, int64_t elements,
                           weir_schedule_span *span) {
    assert(elements >= 1);
    const int64_t before = weir_ceil_divide(elements, lanes_taken(graph, node, input)) - 1;
    weir_arena *arena = weir_arena_new();
    const weir_signature_part arrives = divided(arena, before, beats_taken(graph, node, input) - before);
    weir_signature_part out;
    const bool fine = serve_alone(arena, graph, node, input, &arrives, &out);
    if (fine)
        *span = (weir_schedule_span){weir_signature_at(&out, 0) - LONG_BEFORE,
                                     weir_signature_at(&out, out.level->beats - 1) - LONG_BEFORE};
    weir_arena_free(arena);
    return fine;
}

bool weir_schedule_needed(const weir_graph *graph, weir_node node, size_t input, int64_t element, int64_t *needed) {
    assert(element >= 0);
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    const int64_t beats = beats_taken(graph, node, input);
    weir_arena *arena = weir_arena_new();
    const weir_signature_part arrives = weir_signature_run(arena, 0, beats, LONG).first;
    weir_signature_part out;
    const bool fine = beats < LONG_BEFORE / LONG && serve_alone(arena, graph, node, input, &arrives, &out);
    if (fine) {
        const int64_t beat = weir_signature_at(&out, element / hardware->out_lanes) / LONG;
        *needed = (beat < beats ? beat : beats - 1) * lanes_taken(graph, node, input);
    }
    weir_arena_free(arena);
    return fine;
}
