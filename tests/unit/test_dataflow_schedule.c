/* The schedule of random hardware graphs against the beat-exact oracle: every beat of the first and the steady frames,
 * what waits on every edge and how long, latency and interval. */
/* nightly: 20000 */
#include "stream_graphs.h"

#include "common/setting_of.h"
#include "dataflow/cost/resources.h"
#include "dataflow/fifo.h"
#include "dataflow/schedule/schedule.h"
#include "dataflow/schedule/service.h"
#include "ir/graph/print.h"

enum { EXTRA_FRAMES = 10 };

static void compare_beats(const weir_bounds *bounds, const network_times *times, int64_t frames, int64_t interval) {
    const weir_signature *early = &bounds->early, *late = &bounds->late;
    int64_t beats = times->count / frames;
    assert_int_equal(weir_signature_beats(early), beats);
    assert_int_equal(weir_signature_beats(late), beats);
    for (int64_t i = 0; i < beats; i++) {
        int64_t first = times->at[i], steady = times->at[times->count - beats + i] - (frames - 1) * interval;
        assert_true(weir_signature_at(&early->first, i) <= first && first <= weir_signature_at(&late->first, i));
        assert_true(weir_signature_at(&early->steady, i) <= steady && steady <= weir_signature_at(&late->steady, i));
        if (!bounds->exact) continue;
        assert_int_equal(weir_signature_at(&early->first, i), weir_signature_at(&late->first, i));
        assert_int_equal(weir_signature_at(&early->steady, i), weir_signature_at(&late->steady, i));
    }
}

static int64_t longest_stall(const network_times *given, const network_times *taken) {
    int64_t most = 0;
    for (int64_t i = 0; i < given->count; i++) most = weir_later(most, taken->at[i] - given->at[i]);
    return most;
}

/* Whether all times are exact; in one graph of thousands some are bounds, and what waits is no more than they say. */
static bool compare_schedule(const weir_graph *g) {
    weir_value *streams;
    network net = network_of(g, &streams);
    weir_schedule *s = weir_schedule_new(g);
    assert_non_null(s);
    assert_int_equal(weir_schedule_interval(s), net.interval);
    network_run run = network_follow(&net, weir_schedule_latency(s) / net.interval + EXTRA_FRAMES);
    size_t edges = 0;
    bool exact = true;
    for (size_t i = 0; i < net.count; i++) {
        compare_beats(weir_schedule_given(s, streams[i]), &run.given[i], run.frames, net.interval);
        for (size_t k = 0; k < net.node[i].inputs; k++) {
            weir_schedule_edge edge = weir_schedule_edge_at(s, edges++);
            compare_beats(edge.taken, &run.taken[i], run.frames, net.interval);
            int64_t stall = longest_stall(&run.given[net.node[i].input[k]], &run.taken[i]);
            const weir_waiting waiting = weir_schedule_waiting(s, &edge);
            assert_true(waiting.beats >= run.waiting[i][k] && waiting.cycles >= stall);
            assert_true(!edge.exact || (waiting.beats == run.waiting[i][k] && waiting.cycles == stall));
            exact = exact && edge.exact;
        }
    }
    assert_int_equal(edges, weir_schedule_edge_count(s));
    network_run_free(&net, &run);
    network_free(&net);
    free(streams);
    weir_schedule_free(s);
    return exact;
}

static void random_graphs(void **state) {
    (void)state;
    const char *more = getenv("WEIR_RANDOM");
    int graphs = more == NULL ? 2000 : atoi(more), bounded = 0;
    for (int count = graphs; count > 0; count--) {
        weir_graph *g = random_streams(8, true);
        bounded += !compare_schedule(g);
        weir_graph_free(g);
    }
    assert_true(bounded * 1000 <= graphs);
}

/* --- FIFOs --- */

/* Beats that the components on both sides of an edge hold; the least depth of a Fifo, also where fewer wait. */
enum { REGISTERS = 2, SHALLOWEST = 2 };

/* By the oracle, with the Fifos as components that delay: what each of them holds, the cycle of leaving included, and
 * no edge without one where more waits than registers hold. Never less; where times are exact, at most 2 beats or 5%
 * more. */
static bool fifos_fit(const weir_graph *g) {
    weir_value *streams;
    network net = network_of(g, &streams);
    network_run run = network_follow(&net, 60);
    bool fits = true;
    for (size_t i = 0; i < net.count; i++) {
        const network_node *node = &net.node[i];
        weir_node user = weir_value_producer(g, streams[i]);
        if (user.id != 0 && weir_node_op(g, user) == WEIR_OP_FIFO) continue;
        for (size_t k = 0; k < node->inputs; k++) {
            size_t from = node->input[k];
            weir_node fifo = weir_value_producer(g, streams[from]);
            if (fifo.id == 0 || weir_node_op(g, fifo) != WEIR_OP_FIFO) {
                fits = fits && run.waiting[i][k] < REGISTERS;
                continue;
            }
            for (int64_t b = 0; b < run.taken[i].count; b++) run.taken[i].at[b]++;
            int64_t held = network_waiting(&run.taken[from], &run.taken[i]);
            for (int64_t b = 0; b < run.taken[i].count; b++) run.taken[i].at[b]--;
            const weir_meta_hardware *hardware = &weir_node_metadata_of(g, fifo)->hardware;
            int64_t depth = setting_of(hardware, "depth"), most = weir_later(held + 2, held + held / 20);
            fits = fits && depth >= held && (depth <= most || setting_of(hardware, "bound") != 0);
        }
    }
    network_run_free(&net, &run);
    network_free(&net);
    free(streams);
    return fits;
}

static void fifos_hold_what_waits(void **state) {
    (void)state;
    const char *more = getenv("WEIR_RANDOM");
    for (int count = more == NULL ? 200 : atoi(more); count > 0; count--) {
        weir_graph *g = random_streams(12, true);
        assert_true(weir_size_fifos(g));
        if (!fifos_fit(g)) fail_msg("graph %d from the end", count);
        weir_node fifo = find_op(g, WEIR_OP_FIFO);
        if (fifo.id != 0 && weir_fifo_of(g, fifo).bound == WEIR_FIFO_EXACT) { /* planted */
            const int64_t right = weir_fifo_of(g, fifo).depth;
            weir_settings_set(&weir_node_metadata(g, fifo)->hardware.settings, "depth", WEIR_SETTINGS_AFTER_LANES,
                              right - 1);
            assert_true(right == SHALLOWEST || !fifos_fit(g));
            /* a deeper one may be a memory, which delays: more wait */
            weir_settings_set(&weir_node_metadata(g, fifo)->hardware.settings, "depth", WEIR_SETTINGS_AFTER_LANES,
                              right + weir_later(6, right / 15 + 1));
            assert_false(fifos_fit(g));
        }
        weir_graph_free(g);
    }
}

static int64_t occurrences(const char *text, const char *word) {
    int64_t count = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) count++;
    return count;
}

static weir_value uneven_layer(weir_graph *g, weir_value x, int64_t simd, int64_t pe) {
    const int64_t n = channels_of(g, x);
    double *w = weir_calloc((size_t)(n * n), sizeof *w);
    weir_value y = ADD(g, WEIR_OP_LINEAR, "fc", x, add_constant(g, "w", WEIR_INT8, 2, n, n, w));
    free(w);
    weir_meta_hardware *hardware = &weir_node_metadata(g, weir_value_producer(g, y))->hardware;
    set_setting(hardware, "simd", simd);
    set_setting(hardware, "pe", pe);
    return random_thresholds(g, y, 1);
}

/* Beats of 23, 21, 4, 26 and 17 elements of 289, whose patterns repeat after more parts than a signature may have. */
static weir_graph *uneven_graph(void) {
    weir_graph *g = weir_graph_new("hardware");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, 1, 289, -8, 7);
    weir_value y = uneven_layer(g, uneven_layer(g, x, 12, 23), 21, 4);
    y = random_thresholds(g, ADD(g, WEIR_OP_SUM, "sum", x, y), 2);
    weir_graph_add_output(g, "y", uneven_layer(g, y, 26, 17));
    assert_true(weir_choose_folding(g, 1000000, 0, NULL));
    assert_true(weir_insert_streams(g));
    assert_true(weir_size_fifos(g));
    return g;
}

/* What is not exact is marked: in the text form and in the table that commands print. */
static void bounds_are_marked(void **state) {
    (void)state;
    weir_graph *g = uneven_graph();
    weir_text text = {NULL, 0, 0}, table = {NULL, 0, 0};
    int64_t bounds = 0, fifos = 0;
    for (weir_node node = weir_graph_first(g); node.id != 0; node = weir_node_next(g, node)) {
        if (weir_node_op(g, node) != WEIR_OP_FIFO) continue;
        fifos++;
        bounds += weir_fifo_of(g, node).bound;
    }
    assert_true(bounds > 0 && bounds < fifos);
    assert_true(fifos_fit(g));
    weir_graph_print(g, &text);
    weir_resources_print(g, &table);
    assert_int_equal(occurrences(text.data, "bound=1"), bounds);
    assert_int_equal(occurrences(table.data, "(upper bounds)"), bounds);
    assert_int_equal(occurrences(table.data, "(exact)"), fifos - bounds);
    weir_text_free(&text);
    weir_text_free(&table);
    weir_graph_free(g);
}

/* --- cost --- */

/* Layers of `width` inputs and outputs, one product a cycle, behind `rows` rows of input; with a branch around each. */
static weir_graph *layers(int count, int64_t rows, int64_t width, bool residual) {
    weir_graph *g = weir_graph_new("hardware");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, rows, width, -8, 7);
    double *w = weir_calloc((size_t)(width * width), sizeof *w);
    for (int i = 0; i < count; i++) {
        weir_value y = ADD(g, WEIR_OP_LINEAR, "fc", x, add_constant(g, "w", WEIR_INT8, 2, width, width, w));
        weir_meta_hardware *hardware = &weir_node_metadata(g, weir_value_producer(g, y))->hardware;
        set_setting(hardware, "simd", 1);
        set_setting(hardware, "pe", 1);
        y = random_thresholds(g, y, 1);
        x = residual ? random_thresholds(g, ADD(g, WEIR_OP_SUM, "sum", x, y), 2) : y;
    }
    free(w);
    weir_graph_add_output(g, "y", x);
    assert_true(weir_choose_folding(g, 1000000, 0, NULL));
    assert_true(weir_insert_streams(g));
    return g;
}

static int64_t steps_of(int count, int64_t rows, int64_t width, bool residual, size_t nodes) {
    weir_graph *g = layers(count, rows, width, residual);
    weir_schedule *s = weir_schedule_new(g);
    assert_int_equal(weir_schedule_interval(s), rows * width * width);
    assert_int_equal(weir_graph_node_count(g), nodes);
    int64_t steps = weir_schedule_steps(s);
    weir_schedule_free(s);
    weir_graph_free(g);
    return steps;
}

/* Ten times the rows, or wider ones, cost the same; ten times the layers ten times as much. */
static void cost_is_flat_in_beats_and_linear_in_nodes(void **state) {
    (void)state;
    for (int residual = 0; residual < 2; residual++) {
        size_t nodes = residual ? 5 : 2; /* a layer: Linear, Threshold; Fork, Sum, Threshold */
        int64_t few = steps_of(10, 50, 20, residual, 10 * nodes);
        assert_true(few < 10 * (int64_t)nodes * 60);
        assert_int_equal(steps_of(10, 500, 20, residual, 10 * nodes), few);
        assert_int_equal(steps_of(10, 50, 80, residual, 10 * nodes), few);
        assert_true(steps_of(100, 50, 20, residual, 100 * nodes) < 11 * few);
        int64_t one = steps_of(10, 1, 30, residual, 10 * nodes);
        assert_int_equal(steps_of(10, 1, 300, residual, 10 * nodes), one);
    }
}

/* --- once more --- */

static bool is_same(const weir_schedule *a, const weir_schedule *b) {
    bool same = weir_schedule_latency(a) == weir_schedule_latency(b) &&
                weir_schedule_interval(a) == weir_schedule_interval(b) &&
                weir_schedule_edge_count(a) == weir_schedule_edge_count(b);
    for (size_t i = 0; same && i < weir_schedule_edge_count(a); i++) {
        const weir_schedule_edge x = weir_schedule_edge_at(a, i), y = weir_schedule_edge_at(b, i);
        same = x.exact == y.exact && weir_signature_equal(&x.given->early.first, &y.given->early.first) &&
               weir_signature_equal(&x.taken->late.steady, &y.taken->late.steady);
    }
    return same;
}

/* Fifos that become deeper, and so slower, one after the other: each update gives what a new schedule does, with fewer
 * steps. */
static void an_update_is_a_new_schedule(void **state) {
    (void)state;
    weir_graph *g = layers(6, 8, 6, true);
    assert_true(weir_size_fifos(g));
    weir_schedule *s = weir_schedule_new(g);
    int64_t updated = -weir_schedule_steps(s), anew = 0, stale = 0;
    for (weir_node node = weir_graph_first(g); node.id != 0; node = weir_node_next(g, node)) {
        if (weir_node_op(g, node) != WEIR_OP_FIFO) continue;
        weir_settings_set(&weir_node_metadata(g, node)->hardware.settings, "depth", WEIR_SETTINGS_AFTER_LANES,
                          weir_fifo_of(g, node).depth + 100);
        weir_schedule *fresh = weir_schedule_new(g);
        stale += !is_same(s, fresh);
        assert_true(weir_schedule_update(s));
        assert_true(is_same(s, fresh));
        anew += weir_schedule_steps(fresh);
        weir_schedule_free(fresh);
    }
    updated += weir_schedule_steps(s);
    assert_true(2 * updated < anew);
    assert_true(stale > 2); /* planted: no update */
    weir_schedule_free(s);
    weir_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(random_graphs), TEST(fifos_hold_what_waits), TEST(bounds_are_marked),
                                       TEST(an_update_is_a_new_schedule),
                                       TEST(cost_is_flat_in_beats_and_linear_in_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
