/* Signatures and service rules against the same networks followed beat by beat: every time of the first and of the
 * steady frames, and every depth. The rules here are written apart from the oracle (common/network.c). */
/* nightly: 20000 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/network.h"
#include "dataflow/schedule/bounds.h"
#include "dataflow/schedule/service.h"
#include "support/memory/arena.h"

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

/* --- rules --- */

static void work_beat(weir_service *s, const void *user) {
    const network_node *node = user;
    int64_t at = weir_service_take_all(s, s->time[0]);
    weir_service_give(s, 0, at + node->latency);
    s->time[0] = at + node->cycles;
}

static void work(weir_service *s, const void *user) {
    weir_service_repeat(s, ((const network_node *)user)->beats, work_beat, user);
}

/* Lanes: registers 0 and 1: when the next beat can be taken and given. */
typedef struct lanes_rule {
    int64_t in; /* beats that make a period */
    int64_t in_lanes, out_lanes, latency;
} lanes_rule;

static void lanes_beat(weir_service *s, const lanes_rule *rule, int64_t ready) {
    int64_t at = weir_service_take(s, 0, s->time[0]);
    s->time[0] = at + 1;
    for (int64_t i = 0; i < ready; i++) {
        int64_t given = later(at + 1, s->time[1]);
        weir_service_give(s, 0, given + rule->latency);
        s->time[1] = given + 1;
    }
    s->time[0] = later(s->time[0], s->time[1] - (rule->in_lanes < rule->out_lanes ? 2 : 1));
}

static void lanes_period(weir_service *s, const void *user) {
    const lanes_rule *rule = user;
    for (int64_t i = 0; i < rule->in; i++)
        lanes_beat(s, rule, (i + 1) * rule->in_lanes / rule->out_lanes - i * rule->in_lanes / rule->out_lanes);
}

static void lanes(weir_service *s, const void *user) {
    const network_node *node = user;
    int64_t g = node->in_lanes, h = node->out_lanes;
    while (h != 0) {
        int64_t rest = g % h;
        g = h;
        h = rest;
    }
    lanes_rule rule = {
        .in = node->out_lanes / g, .in_lanes = node->in_lanes, .out_lanes = node->out_lanes, .latency = node->latency};
    int64_t beats = (node->elements + node->in_lanes - 1) / node->in_lanes, whole = (beats - 1) / rule.in;
    weir_service_repeat(s, whole, lanes_period, &rule);
    for (int64_t i = whole * rule.in; i < beats; i++) {
        int64_t before = i * node->in_lanes / node->out_lanes;
        int64_t after = i == beats - 1 ? node->beats : (i + 1) * node->in_lanes / node->out_lanes;
        lanes_beat(s, &rule, after - before);
    }
}

/* Linear: registers 0: the next beat, 1: computing, 2 and 3: the half for this row and for the next one. */
static void linear_take(weir_service *s, const void *user) {
    const network_node *node = user;
    int64_t at = weir_service_take(s, 0, later(s->time[0], s->time[node->groups == 1 ? 1 : 2]));
    s->time[0] = at + 1;
    s->time[1] = later(s->time[1], at + (node->groups == 1 ? 0 : 2)) + 1;
}

static void linear_give(weir_service *s, const void *user) {
    const network_node *node = user;
    weir_service_give(s, 0, s->time[1] + node->latency);
    s->time[1] += node->in_beats;
}

static void linear_row(weir_service *s, const void *user) {
    const network_node *node = user;
    weir_service_repeat(s, node->in_beats, linear_take, user);
    weir_service_repeat(s, node->groups, linear_give, user);
    s->time[1] -= node->in_beats;
    s->time[2] = s->time[3];
    s->time[3] = s->time[1];
}

static void linear(weir_service *s, const void *user) {
    weir_service_repeat(s, ((const network_node *)user)->rows, linear_row, user);
}

/* Window: registers 0: the next pixel, 1: the next result, 2 on: when the rows of the line buffer have been used, the
 * one that the next row replaces first. */
static void window_take(weir_service *s, const void *user) {
    (void)user;
    s->time[0] = weir_service_take(s, 0, s->time[0]) + 1;
}

static void window_pixel(weir_service *s, const void *user) {
    const network_node *node = user;
    window_take(s, user);
    int64_t start = later(s->time[0], s->time[1]);
    weir_service_give(s, 0, start + node->latency);
    s->time[1] = start + node->cycles;
}

static void window_next_row(weir_service *s, const network_node *node) {
    s->time[0] = later(s->time[0], s->time[2]);
    memmove(&s->time[2], &s->time[3], (size_t)node->kernel * sizeof(int64_t));
}

static void window_first_row(weir_service *s, const void *user) {
    const network_node *node = user;
    window_next_row(s, node);
    weir_service_repeat(s, node->columns, window_take, user);
}

static void window_row(weir_service *s, const void *user) {
    const network_node *node = user;
    window_next_row(s, node);
    weir_service_repeat(s, node->kernel - 1, window_take, user);
    weir_service_repeat(s, node->columns - node->kernel + 1, window_pixel, user);
    s->time[3] = s->time[1]; /* row - kernel + 1 stands kernel - 1 places before this one, which is the last of them */
}

static void window(weir_service *s, const void *user) {
    const network_node *node = user;
    /* Places: row r is at register 2 + kernel once it has come; its use ends when row r + kernel - 1 has come. */
    weir_service_repeat(s, node->kernel - 1, window_first_row, user);
    weir_service_repeat(s, node->rows - node->kernel + 1, window_row, user);
    for (int64_t r = 1; r < node->kernel; r++) s->time[3 + r] = s->time[1];
}

static weir_service_body *const rules[] = {
    [NETWORK_WORK] = work, [NETWORK_LANES] = lanes, [NETWORK_LINEAR] = linear, [NETWORK_WINDOW] = window};

/* --- comparing --- */

/* More than the oracle needs until all frames are alike. */
enum { EXTRA_FRAMES = 12 };

typedef struct plan {
    weir_arena *arena;
    weir_signature *given;
    weir_signature (*taken)[NETWORK_INPUTS];
    int64_t steps, beats;
} plan;

/* Cycles by which some node is too slow for the interval; 0: the plan is complete. */
static int64_t make_plan(const network *net, plan *p) {
    p->arena = weir_arena_new();
    p->given = weir_arena_array(p->arena, net->count, sizeof *p->given);
    p->taken = weir_arena_array(p->arena, net->count, sizeof *p->taken);
    p->steps = p->beats = 0;
    for (size_t i = 0; i < net->count; i++) {
        const network_node *node = &net->node[i];
        if (node->kind == NETWORK_SOURCE) {
            p->given[i] = weir_signature_run(p->arena, 0, node->beats, 1);
            continue;
        }
        const weir_signature *arrive[NETWORK_INPUTS];
        for (size_t k = 0; k < node->inputs; k++) arrive[k] = &p->given[node->input[k]];
        weir_service_ports ports = {arrive, node->inputs, 1, net->interval};
        weir_service_result result =
            weir_service_run(p->arena, &ports, rules[node->kind], node, p->taken[i], &p->given[i]);
        if (result.status == WEIR_SERVICE_SLOW) return result.late;
        assert_int_equal(result.status, WEIR_SERVICE_FINE);
        assert_int_equal(weir_signature_beats(&p->given[i]), node->beats);
        p->steps += result.steps;
        p->beats += network_beats_in(net, i) + node->beats;
    }
    return 0;
}

/* Is every beat of the first and the last frame where the oracle has it, and none of the others before? Those between
 * may be ahead of the plan. */
static bool same_times(const weir_signature *found, const network_times *times, int64_t frames, int64_t interval) {
    int64_t beats = times->count / frames;
    for (int64_t i = 0; i < times->count; i++) {
        int64_t frame = i / beats;
        int64_t at = weir_signature_at(frame == 0 ? &found->first : &found->steady, i % beats) + frame * interval;
        if (frame == 0 || frame == frames - 1 ? at != times->at[i] : at < times->at[i]) return false;
    }
    return true;
}

/* Never less than waits; never more than 2 beats or 5% above. */
static bool deep_enough(int64_t depth, int64_t least) {
    return depth >= least && depth <= later(least + 2, least + least / 20);
}

static int64_t longest_stall(const network_times *given, const network_times *taken) {
    int64_t most = 0;
    for (int64_t i = 0; i < given->count; i++) most = later(most, taken->at[i] - given->at[i]);
    return most;
}

typedef struct tally {
    int64_t edges, deeper, steps, beats;
} tally;

static network_run follow(const network *net, const plan *p) {
    int64_t latest = 0;
    for (size_t i = 0; i < net->count; i++)
        latest = later(latest, weir_signature_at(&p->given[i].steady, net->node[i].beats - 1));
    return network_follow(net, latest / net->interval + EXTRA_FRAMES);
}

/* Where plan and oracle disagree first; NULL: nowhere. */
static const char *compare_network(const network *net, const plan *p, tally *sum) {
    network_run run = follow(net, p);
    const char *wrong = NULL;
    for (size_t i = 0; i < net->count; i++) {
        const network_node *node = &net->node[i];
        if (!same_times(&p->given[i], &run.given[i], run.frames, net->interval)) wrong = "given";
        for (size_t k = 0; k < node->inputs && wrong == NULL; k++) {
            if (!same_times(&p->taken[i][k], &run.taken[i], run.frames, net->interval)) wrong = "taken";
            const weir_signature *given = &p->given[node->input[k]];
            weir_waiting waiting = weir_signature_waiting(given, &p->taken[i][k], net->interval);
            if (!deep_enough(waiting.beats, run.waiting[i][k])) wrong = "depth";
            if (waiting.cycles != longest_stall(&run.given[node->input[k]], &run.taken[i])) wrong = "stall";
            sum->edges++;
            sum->deeper += waiting.beats > run.waiting[i][k];
        }
        if (wrong != NULL) break;
    }
    sum->steps += p->steps;
    sum->beats += p->beats;
    network_run_free(net, &run);
    return wrong;
}

static void random_networks(void **state) {
    (void)state;
    tally sum = {0};
    const char *more = getenv("WEIR_RANDOM");
    uint32_t count = more == NULL ? 2000 : (uint32_t)atoi(more);
    for (uint32_t seed = 1; seed <= count; seed++) {
        network net = network_random(seed, 3 + seed % 10);
        plan p;
        for (int64_t late; (late = make_plan(&net, &p)) > 0; net.interval += late) weir_arena_free(p.arena);
        const char *wrong = compare_network(&net, &p, &sum);
        if (wrong != NULL) fail_msg("network %u: another %s than the oracle's", seed, wrong);
        weir_arena_free(p.arena);
        network_free(&net);
    }
    print_message("%u networks, %lld edges, %lld deeper than the oracle; %lld steps for %lld beats\n", count,
                  (long long)sum.edges, (long long)sum.deeper, (long long)sum.steps, (long long)sum.beats);
}

/* --- bounds --- */

/* No beat earlier or later than its bounds say. */
static bool inside(const weir_bounds *bounds, const weir_signature *exact) {
    for (int64_t i = 0; i < weir_signature_beats(exact); i++) {
        int64_t first = weir_signature_at(&exact->first, i), steady = weir_signature_at(&exact->steady, i);
        if (weir_signature_at(&bounds->early.first, i) > first || weir_signature_at(&bounds->late.first, i) < first ||
            weir_signature_at(&bounds->early.steady, i) > steady || weir_signature_at(&bounds->late.steady, i) < steady)
            return false;
    }
    return true;
}

/* Networks whose nests do not fit each other, with few parts allowed: every stream stays inside its bounds, no depth is
 * below the exact one, signatures stay small, and of bounded edges the depths together are at most `percent` above the
 * exact ones. */
static void check_bounds(size_t most_parts, int64_t percent) {
    int64_t bounded = 0, all = 0, wanted = 0, found = 0;
    for (uint32_t seed = 1; seed <= 400; seed++) {
        network net = network_random(seed, 20);
        plan p;
        for (int64_t late; (late = make_plan(&net, &p)) > 0; net.interval += late) weir_arena_free(p.arena);
        weir_bounds *given = weir_calloc(net.count, sizeof *given), taken[NETWORK_INPUTS];
        for (size_t i = 0; i < net.count; i++) {
            const network_node *node = &net.node[i];
            const weir_bounds *arrive[NETWORK_INPUTS];
            if (node->kind == NETWORK_SOURCE) {
                given[i] = (weir_bounds){p.given[i], p.given[i], true};
                continue;
            }
            for (size_t k = 0; k < node->inputs; k++) arrive[k] = &given[node->input[k]];
            const weir_bounds_ports ports = {arrive, node->inputs, 1, net.interval, most_parts};
            weir_service_result result = weir_bounds_serve(p.arena, &ports, rules[node->kind], node, taken, &given[i]);
            assert_int_equal(result.status, WEIR_SERVICE_FINE);
            assert_true(inside(&given[i], &p.given[i]));
            bounded += !given[i].exact;
            all++;
            for (size_t k = 0; k < node->inputs; k++) {
                assert_true(inside(&taken[k], &p.taken[i][k]));
                const weir_bounds *from = &given[node->input[k]];
                int64_t exact = weir_signature_waiting(&p.given[node->input[k]], &p.taken[i][k], net.interval).beats;
                int64_t bound = weir_signature_waiting(&from->early, &taken[k].late, net.interval).beats;
                assert_true(bound >= exact);
                if (from->exact && taken[k].exact) assert_int_equal(bound, exact);
                else {
                    wanted += exact;
                    found += bound;
                }
            }
        }
        free(given);
        weir_arena_free(p.arena);
        network_free(&net);
    }
    assert_true(bounded > 0);
    print_message("at most %zu parts: %lld of %lld streams bounded; %lld beats where %lld wait\n", most_parts,
                  (long long)bounded, (long long)all, (long long)found, (long long)wanted);
    assert_true(found * 100 <= wanted * (100 + percent));
}

/* The schedule's own limit, and the lowest. */
static void bounds_hold(void **state) {
    (void)state;
    check_bounds(256, 5);
    check_bounds(64, 15);
}

/* --- beats before the first one --- */

/* Zeros around a frame need no input: rows of them, each with a pause behind, before the first beat is taken. Registers
 * 0: the next beat is taken, 1: the next one is given. */
enum { FILL_ROWS = 12, FILL_BEATS = 16, FILL_PAUSE = 3, FILLED = 700, FILL_INTERVAL = 2000 };

static void fill_beat(weir_service *s, const void *user) {
    (void)user;
    weir_service_give(s, 0, s->time[1]);
    s->time[1]++;
}

static void fill_row(weir_service *s, const void *user) {
    weir_service_repeat(s, FILL_BEATS, fill_beat, user);
    s->time[1] += FILL_PAUSE;
}

static void fill_and_pass(weir_service *s, const void *user) {
    weir_service_repeat(s, FILL_ROWS, fill_row, user);
    for (int64_t i = 0; i < FILLED; i++) {
        const int64_t at = weir_service_take(s, 0, s->time[0]), given = later(at + 1, s->time[1]);
        weir_service_give(s, 0, given);
        s->time[0] = at + 1;
        s->time[1] = given + 1 + i % 2;
    }
}

static void beats_before_any_input_stay_in_order(void **state) {
    (void)state;
    weir_arena *arena = weir_arena_new();
    const weir_signature source = weir_signature_run(arena, 0, FILLED, 2), *arrive[] = {&source};
    const weir_service_ports ports = {arrive, 1, 1, FILL_INTERVAL};
    weir_signature taken[1], given[1];
    assert_int_equal(weir_service_run(arena, &ports, fill_and_pass, NULL, taken, given).status, WEIR_SERVICE_FINE);
    const int64_t zeros = FILL_ROWS * FILL_BEATS;
    const int64_t start = weir_signature_at(&given->first, 0),
                  again = 2 * (FILLED - 1) + 1 + 2 - FILL_INTERVAL; /* behind the last beat of the frame before */
    assert_true(start + FILL_ROWS * (FILL_BEATS + FILL_PAUSE) < 0);
    for (int64_t i = 0; i < zeros + FILLED; i++) {
        const int64_t after = i / FILL_BEATS * (FILL_BEATS + FILL_PAUSE) + i % FILL_BEATS, passed = 2 * (i - zeros) + 1;
        assert_int_equal(weir_signature_at(&given->first, i), i < zeros ? start + after : passed);
        assert_int_equal(weir_signature_at(&given->steady, i), i < zeros ? again + after : passed);
    }
    const weir_bounds bounds = weir_bounds_of(arena, given, 2);
    assert_false(bounds.exact);
    assert_true(inside(&bounds, given));
    weir_arena_free(arena);
}

/* --- planted --- */

static void work_without_stalls(weir_service *s, const void *user) {
    const network_node *node = user;
    int64_t at = weir_service_take_all(s, s->time[0]);
    weir_service_give(s, 0, at + node->latency);
    s->time[0] = at + 1; /* whatever the work of a beat takes */
}

static void eager_work(weir_service *s, const void *user) {
    weir_service_repeat(s, ((const network_node *)user)->beats, work_without_stalls, user);
}

/* Twenty beats back to back, three cycles each: 13 wait when the last comes, 20 - (floor(19 / 3) + 1). */
static network slow_unit(void) {
    network net = {weir_calloc(2, sizeof *net.node), 2, 100};
    net.node[0] = (network_node){.kind = NETWORK_SOURCE, .beats = 20};
    net.node[1] =
        (network_node){.kind = NETWORK_WORK, .inputs = 1, .input = {0}, .beats = 20, .cycles = 3, .latency = 2};
    return net;
}

static void an_ignored_stall_is_seen(void **state) {
    (void)state;
    network net = slow_unit();
    plan p;
    tally sum = {0};
    assert_int_equal(make_plan(&net, &p), 0);
    assert_null(compare_network(&net, &p, &sum));
    const weir_signature *arrive[] = {&p.given[0]};
    const weir_service_ports ports = {arrive, 1, 1, net.interval};
    weir_service_result result = weir_service_run(p.arena, &ports, eager_work, &net.node[1], p.taken[1], &p.given[1]);
    assert_int_equal(result.status, WEIR_SERVICE_FINE);
    assert_non_null(compare_network(&net, &p, &sum));
    weir_arena_free(p.arena);
    network_free(&net);
}

static void a_depth_too_small_is_seen(void **state) {
    (void)state;
    network net = slow_unit();
    plan p;
    assert_int_equal(make_plan(&net, &p), 0);
    network_run run = follow(&net, &p);
    weir_waiting waiting = weir_signature_waiting(&p.given[0], &p.taken[1][0], net.interval);
    assert_int_equal(waiting.beats, 13);
    assert_int_equal(waiting.cycles, 38); /* the last: given at 19, taken at 57 */
    assert_true(deep_enough(waiting.beats, run.waiting[1][0]));
    assert_false(deep_enough(waiting.beats - 1, run.waiting[1][0]));
    assert_true(deep_enough(waiting.beats + 2, run.waiting[1][0]));
    assert_false(deep_enough(waiting.beats + 3, run.waiting[1][0]));
    network_run_free(&net, &run);
    weir_arena_free(p.arena);
    network_free(&net);
}

/* --- rules that are wrong --- */

static void takes_too_few(weir_service *s, const void *user) {
    (void)user;
    weir_service_give(s, 0, weir_service_take(s, 0, 0));
}

static void wrong_rules_are_found(void **state) {
    (void)state;
    weir_arena *arena = weir_arena_new();
    const weir_signature source = weir_signature_run(arena, 0, 20, 1), *arrive[] = {&source};
    const network_node node = {.beats = 20, .cycles = 3, .latency = 1};
    weir_service_ports ports = {arrive, 1, 1, 100};
    weir_signature taken[1], given[1];
    weir_service_result result = weir_service_run(arena, &ports, takes_too_few, NULL, taken, given);
    assert_int_equal(result.status, WEIR_SERVICE_WRONG);
    assert_int_equal(result.port, 0);
    ports.interval = 50; /* 60 cycles of work */
    result = weir_service_run(arena, &ports, work, &node, taken, given);
    assert_int_equal(result.status, WEIR_SERVICE_SLOW);
    assert_int_equal(result.late, 10);
    weir_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_networks),
                                       cmocka_unit_test(bounds_hold),
                                       cmocka_unit_test(beats_before_any_input_stay_in_order),
                                       cmocka_unit_test(an_ignored_stall_is_seen),
                                       cmocka_unit_test(a_depth_too_small_is_seen),
                                       cmocka_unit_test(wrong_rules_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
