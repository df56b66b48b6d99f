/* insert_streams, the schedule and size_fifos: forks and converters where they are needed, FIFOs on the short branch of
 * a residual network, deep enough that the simulated interval is the folding's, and no deadlock when they are not. */
/* nightly: 60 */
#include "stream_graphs.h"

#include <stdio.h>
#include <unistd.h>

#include "common/folder.h"
#include "cosim/cosim.h"
#include "dataflow/fifo.h"
#include "dataflow/schedule/schedule.h"
#include "dataflow/schedule/stream.h"
#include "support/file/file.h"
#include "test_pass_bench.h"

enum { CHANNELS = 16, FRAMES = 40 };

static weir_value add_thresholds(weir_graph *g, const char *name, weir_value x, int64_t stride) {
    double steps[15];
    for (int64_t i = 0; i < 15; i++) steps[i] = (double)((i - 7) * stride);
    weir_node node =
        put(g, WEIR_OP_THRESHOLD, name, 2, (weir_value[]){x, add_constant(g, "t", WEIR_INT64, 2, 1, 15, steps)});
    weir_node_set_int(g, node, "base", -7);
    assert_true(weir_infer_node(g, node));
    return weir_node_output(g, node, 0);
}

static weir_value add_linear(weir_graph *g, const char *name, weir_value x) {
    double w[CHANNELS * CHANNELS];
    for (size_t i = 0; i < CHANNELS * CHANNELS; i++) w[i] = (double)random_int(-4, 3);
    return ADD(g, WEIR_OP_LINEAR, name, x, add_constant(g, "w", WEIR_INT8, 2, CHANNELS, CHANNELS, w));
}

/* y = thresholds(x + thresholds(fc2(thresholds(fc1(x))))): x waits for two layers. */
static weir_graph *residual(void) {
    weir_graph *g = weir_graph_new("hardware");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, 1, CHANNELS, -8, 7);
    weir_value h = add_thresholds(g, "q1", add_linear(g, "fc1", x), 10);
    h = add_thresholds(g, "q2", add_linear(g, "fc2", h), 10);
    weir_graph_add_output(g, "y", add_thresholds(g, "q3", ADD(g, WEIR_OP_SUM, "sum", x, h), 2));
    return g;
}

static weir_graph *folded(int64_t target) {
    weir_graph *g = residual();
    assert_true(weir_choose_folding(g, target, 0, NULL));
    assert_true(weir_insert_streams(g));
    return g;
}

/* Every hardware value has one user and both ends of an edge agree about lanes. */
static void check_edges(const weir_graph *g) {
    for (weir_node node = weir_graph_first(g); node.id != 0; node = weir_node_next(g, node)) {
        const weir_meta_hardware *hardware = &weir_node_metadata_of(g, node)->hardware;
        for (size_t o = 0; o < weir_node_output_count(g, node); o++) {
            weir_value value = weir_node_output(g, node, o);
            assert_int_equal(weir_value_use_count(g, value) + weir_value_is_output(g, value), 1);
        }
        for (size_t i = 0; i < weir_stream_count(g, node); i++)
            assert_int_equal(weir_stream_lanes(g, weir_node_input(g, node, i)), hardware->in_lanes);
    }
}

static void forks_and_converters(void **state) {
    (void)state;
    for (int64_t target = 1; target <= 256; target *= 4) {
        weir_graph *g = folded(target);
        assert_int_equal(count_op(g, WEIR_OP_FORK), 1);
        check_edges(g);
        assert_true(weir_graph_verify(g));
        assert_true(weir_size_fifos(g));
        check_edges(g);
        assert_true(weir_graph_verify(g));
        weir_graph_free(g);
    }
}

/* What leaves as it enters is still driven by a component. */
static void an_input_leaves_through_a_register(void **state) {
    (void)state;
    weir_graph *g = residual();
    weir_graph_add_output(g, "as_it_is", add_codes_input(g, "z", WEIR_INT8, 1, CHANNELS, -8, 7));
    assert_true(weir_choose_folding(g, 8, 0, NULL));
    assert_true(weir_insert_streams(g));
    assert_int_equal(count_op(g, WEIR_OP_REGISTER_SLICE), 1);
    assert_int_equal(weir_graph_output(g, 1).id, weir_node_output(g, find_op(g, WEIR_OP_REGISTER_SLICE), 0).id);
    check_edges(g);
    assert_true(weir_graph_verify(g));
    weir_graph_free(g);
}

/* Two graph outputs of one value share a branch. */
static void outputs_share_a_branch(void **state) {
    (void)state;
    weir_graph *g = weir_graph_new("hardware");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, 1, 4, -8, 7);
    weir_value y = add_thresholds(g, "q1", x, 1), z = add_thresholds(g, "q2", y, 1);
    weir_graph_add_output(g, "a", y);
    weir_graph_add_output(g, "b", y);
    weir_graph_add_output(g, "c", z);
    assert_true(weir_choose_folding(g, 4, 0, NULL));
    assert_true(weir_insert_streams(g));
    assert_int_equal(count_op(g, WEIR_OP_FORK), 1);
    assert_int_equal(weir_node_output_count(g, find_op(g, WEIR_OP_FORK)), 2);
    assert_int_equal(weir_graph_output(g, 0).id, weir_graph_output(g, 1).id);
    weir_graph_free(g);
}

static void the_schedule_keeps_the_interval(void **state) {
    (void)state;
    for (int64_t target = 4; target <= 256; target *= 4) {
        weir_graph *g = folded(target);
        weir_schedule *schedule = weir_schedule_new(g);
        assert_int_equal(weir_schedule_interval(schedule), weir_stream_interval(g));
        assert_true(weir_schedule_latency(schedule) > weir_stream_interval(g));
        weir_schedule_free(schedule);
        weir_graph_free(g);
    }
}

/* --- simulated --- */
/* Emits and simulates on Icarus; the interval at the output. Takes the graph. */
static double simulate(weir_graph *g, weir_sim_profile profile) {
    char *folder = make_test_folder();
    weir_module *module = weir_module_new("residual");
    weir_module_set_folder(module, folder);
    weir_module_add_graph(module, g);
    assert_true(run_pipeline(module, "emit_verilog_top,emit_bram,emit_internal_rtl,emit_verilog_tb"));
    const weir_shape *shape = &weir_value_type(g, weir_graph_input(g, 0))->shape;
    weir_array *data = weir_array_new(WEIR_INT64, &(weir_shape){2, {FRAMES * shape->dim[0], shape->dim[1]}});
    for (size_t i = 0; i < data->count; i++) weir_array_set_int(data, i, random_int(-8, 7));
    weir_reference *reference = weir_reference_new(g, (const weir_array *const[]){data}, 0, 0);
    weir_cosim_options options = {.simulator = WEIR_SIM_ICARUS, .profile = profile, .seed = 1};
    weir_cosim result;
    assert_int_equal(weir_cosim_run(g, folder, reference, &options, &result), WEIR_EXIT_FINE);
    if (!weir_cosim_is_right(&result)) fail_msg("status %d, %s", (int)result.status, result.where);
    double interval = result.interval;
    weir_cosim_free(&result);
    weir_reference_free(reference);
    weir_array_free(data);
    weir_module_free(module);
    assert_int_equal(remove_test_folder(folder), 0);
    return interval;
}

static void fifos_suffice(void **state) {
    (void)state;
    if (!weir_simulator_found(WEIR_SIM_ICARUS)) skip();
    for (int64_t target = 1; target <= 64; target *= 4) {
        weir_graph *g = folded(target);
        assert_true(weir_size_fifos(g));
        assert_true(count_op(g, WEIR_OP_FIFO) > 0);
        double ideal = (double)weir_stream_interval(g), found = simulate(g, WEIR_SIM_ALWAYS);
        if (found > ideal * 1.02 + 0.001) fail_msg("interval %g, ideal %g", found, ideal);
    }
}

/* x beside three registers, a beat a cycle: a Fifo that is full does not take a beat in the cycle in which it gives
 * one. */
static void a_full_fifo_takes_nothing(void **state) {
    (void)state;
    if (!weir_simulator_found(WEIR_SIM_ICARUS)) skip();
    weir_graph *g = weir_graph_new("hardware");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, 1, 4, -8, 7), y = x;
    for (int i = 0; i < 3; i++) y = ADD(g, WEIR_OP_MAXIMUM, "relu", y);
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_SUM, "sum", x, y));
    assert_true(weir_choose_folding(g, 1, 0, NULL));
    assert_true(weir_insert_streams(g));
    assert_true(weir_size_fifos(g));
    assert_true(simulate(g, WEIR_SIM_ALWAYS) < 1.001);
}

/* Forks, joins, lane converters of any ratio, bursts of rows and of groups, thresholds that take many cycles: the
 * measured interval is the scheduled one. */
static void random_graphs_keep_the_interval(void **state) {
    (void)state;
    if (!weir_simulator_found(WEIR_SIM_ICARUS)) skip();
    const char *more = getenv("WEIR_RANDOM");
    for (int count = more == NULL ? 1 : atoi(more); count > 0; count--) {
        weir_graph *g = random_streams(4, false);
        assert_true(weir_size_fifos(g));
        double ideal = (double)weir_stream_interval(g), found = simulate(g, WEIR_SIM_ALWAYS);
        if (found > ideal + 0.001) print_message("%d: interval %g, scheduled %g\n", count, found, ideal);
        if (found > ideal * 1.02 + 0.001) fail_msg("interval %g, scheduled %g", found, ideal);
    }
}

/* Half as deep: slower at worst, never stuck. Not at all: the residual branch holds no frame, which must show. */
static void shallow_fifos_only_slow_down(void **state) {
    (void)state;
    if (!weir_simulator_found(WEIR_SIM_ICARUS)) skip();
    weir_graph *g = folded(16);
    assert_true(weir_size_fifos(g));
    for (weir_node node = weir_graph_first(g); node.id != 0; node = weir_node_next(g, node)) {
        if (weir_node_op(g, node) != WEIR_OP_FIFO) continue;
        weir_settings_set(&weir_node_metadata(g, node)->hardware.settings, "depth", WEIR_SETTINGS_AFTER_LANES,
                          weir_later(weir_fifo_of(g, node).depth / 2, 2));
    }
    for (int profile = 0; profile < WEIR_SIM_PROFILES; profile += 3)
        assert_true(simulate(weir_graph_copy(g), (weir_sim_profile)profile) > 0);
    weir_graph_free(g);
}

int main(void) {
    char *cache = make_test_folder();
    setenv("WEIR_CACHE", cache, 0);
    const struct CMUnitTest tests[] = {
        TEST(forks_and_converters),
        TEST(outputs_share_a_branch),
        TEST(an_input_leaves_through_a_register),
        TEST(the_schedule_keeps_the_interval),
        TEST(fifos_suffice),
        TEST(shallow_fifos_only_slow_down),
        TEST(random_graphs_keep_the_interval),
        TEST(a_full_fifo_takes_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_test_folder(cache);
    return failed;
}
