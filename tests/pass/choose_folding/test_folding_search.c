/* The best folding for an objective: random small graphs against every folding of theirs, each built and counted by
 * itself. */
/* nightly: 12 */
#include "test_passes_support.h"

#include "common/setting_of.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/folding.h"
#include "dataflow/schedule/schedule.h"
#include "dataflow/schedule/stream.h"
#include "dse/folding/folding_search.h"

enum { RESOURCES = WEIR_KNAPSACK_RESOURCES, LAYERS = 2 };

static const char *const layer_name[LAYERS] = {"fc", "fc2"}, *const scale_name[LAYERS] = {"scale", "scale2"};

typedef struct sizes {
    int64_t rows, of[LAYERS + 1];
} sizes;

/* Codes [rows, of[0]] -> Linear -> Scale -> Linear -> Scale; the first Scale's memory and the second's products have no
 * choice. */
static weir_graph *network(const sizes *n, const char *device) {
    double w[256];
    for (size_t i = 0; i < 256; i++) w[i] = (double)(i % 7) - 3;
    weir_graph *g = weir_graph_new("hardware");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, n->rows, n->of[0], -128, 127);
    for (size_t i = 0; i < LAYERS; i++) {
        x = ADD(g, WEIR_OP_LINEAR, layer_name[i], x, add_constant(g, "w", WEIR_INT8, 2, n->of[i + 1], n->of[i], w));
        static const double m = 1000, a = 5;
        weir_value in[3] = {x, add_constant(g, "m", WEIR_INT64, 1, 1, 0, &m),
                            add_constant(g, "a", WEIR_INT64, 1, 1, 0, &a)};
        weir_node node = put(g, WEIR_OP_SCALE, scale_name[i], 3, in);
        weir_node_set_int(g, node, "shift", 10);
        weir_node_set_int(g, node, "low", -128);
        weir_node_set_int(g, node, "high", 127);
        assert_true(weir_infer_node(g, node));
        weir_node_metadata(g, node)->hardware.storage = i == 0 ? WEIR_STORAGE_LOGIC : WEIR_STORAGE_AUTO;
        set_setting(&weir_node_metadata(g, node)->hardware, "products",
                    i == 1 ? WEIR_STORAGE_LOGIC : WEIR_STORAGE_AUTO);
        x = weir_node_output(g, node, 0);
    }
    weir_graph_add_output(g, "y", x);
    assert_true(weir_target_set(g, device, 0) && weir_component_assign(g));
    return g;
}

static weir_meta_hardware *hardware_of(weir_graph *g, const char *name) {
    return &weir_node_metadata(g, weir_graph_find_node(g, name))->hardware;
}

/* A folding, and what it comes to. */
typedef struct outcome {
    int64_t interval, latency, use[RESOURCES];
    int64_t apart; /* blocks of its memories where none share any */
} outcome;

/* Without FIFOs, which no folding asks for before it is chosen. */
static bool complete(weir_graph *g, int64_t limit, weir_schedule_timing *timing) {
    (void)limit;
    weir_schedule *schedule = weir_insert_streams(g) ? weir_schedule_new(g) : NULL;
    if (schedule == NULL) return false;
    *timing = (weir_schedule_timing){weir_schedule_latency(schedule), weir_schedule_steps(schedule)};
    weir_schedule_free(schedule);
    return true;
}

static outcome outcome_of(const weir_graph *folded) {
    weir_graph *g = weir_graph_copy(folded);
    weir_schedule_timing timing = {0};
    assert_true(complete(g, INT64_MAX, &timing));
    const weir_device *device = weir_target_of(g).device;
    weir_cost_report report = weir_cost_of_graph(g, device);
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&report.total, device, uses);
    outcome o = {.interval = weir_stream_interval(g), .latency = timing.latency};
    for (int r = 0; r < RESOURCES; r++) o.use[r] = uses[r].used;
    weir_cost_survey *survey = weir_cost_survey_new(g, device);
    for (size_t i = 0; i < report.count; i++)
        o.apart += weir_cost_survey_node(survey, report.item[i].node).cost.memory_blocks;
    weir_cost_survey_free(survey);
    weir_cost_report_free(&report);
    weir_graph_free(g);
    return o;
}

typedef struct settings {
    int64_t simd[LAYERS], pe[LAYERS];
    weir_storage storage[LAYERS], last_storage, products;
} settings;

static outcome build(const weir_graph *assigned, const settings *s) {
    weir_graph *g = weir_graph_copy(assigned);
    for (size_t i = 0; i < LAYERS; i++) {
        weir_meta_hardware *hardware = hardware_of(g, layer_name[i]);
        set_setting(hardware, "simd", s->simd[i]);
        set_setting(hardware, "pe", s->pe[i]);
        hardware->storage = s->storage[i];
    }
    hardware_of(g, scale_name[1])->storage = s->last_storage;
    set_setting(hardware_of(g, scale_name[0]), "products", s->products);
    assert_true(weir_folding_choose(g, 0, INT32_MAX, NULL));
    const outcome o = outcome_of(g);
    weir_graph_free(g);
    return o;
}

/* Every folding: all divisors, every place of memories and products. */
static size_t build_all(const weir_graph *g, const sizes *n, outcome **all) {
    size_t count = 0, capacity = 0;
    settings s;
    for (int64_t code = 0; code < 27 * 2; code++) {
        s.storage[0] = (weir_storage)(code % 3);
        s.storage[1] = (weir_storage)(code / 3 % 3);
        s.last_storage = (weir_storage)(code / 9 % 3);
        s.products = code / 27 == 0 ? WEIR_STORAGE_BLOCK : WEIR_STORAGE_LOGIC;
        for (s.simd[0] = 1; s.simd[0] <= n->of[0]; s.simd[0]++)
            for (s.pe[0] = 1; s.pe[0] <= n->of[1]; s.pe[0]++)
                for (s.simd[1] = 1; s.simd[1] <= n->of[1]; s.simd[1]++)
                    for (s.pe[1] = 1; s.pe[1] <= n->of[2]; s.pe[1]++) {
                        if (n->of[0] % s.simd[0] + n->of[1] % s.pe[0] + n->of[1] % s.simd[1] + n->of[2] % s.pe[1] > 0)
                            continue;
                        *all = weir_grow(*all, &capacity, count + 1, sizeof **all);
                        (*all)[count++] = build(g, &s);
                    }
    }
    return count;
}

static bool is_within(const outcome *o, const int64_t *budget, int64_t interval) {
    bool within = interval == 0 || o->interval <= interval;
    for (int r = 0; r < RESOURCES; r++) within &= o->use[r] <= budget[r];
    return within;
}

/* Area as folding_search.h has it: lookup tables, then the rest. */
static bool is_smaller(const outcome *a, const outcome *b) {
    if (a->use[0] != b->use[0]) return a->use[0] < b->use[0];
    return a->use[1] + 8 * (a->use[2] + a->use[3]) < b->use[1] + 8 * (b->use[2] + b->use[3]);
}

static bool is_better(weir_folding_objective objective, const outcome *a, const outcome *b) {
    if (objective == WEIR_FOLDING_THROUGHPUT && a->interval != b->interval) return a->interval < b->interval;
    return is_smaller(a, b);
}

/* NULL: none fits. Of those whose memories fit apart: that two share blocks is seen once a folding is built, and leads
 * to none. */
static const outcome *best_of(const outcome *all, size_t count, const weir_folding_request *request) {
    const outcome *best = NULL;
    for (size_t i = 0; i < count; i++) {
        if (is_within(&all[i], request->budget, request->interval) && all[i].apart <= request->budget[3] &&
            (best == NULL || is_better(request->objective, &all[i], best)))
            best = &all[i];
    }
    return best;
}

/* Is a result as good as the best of all? */
static bool is_best(const outcome *found, const outcome *best, const weir_folding_request *request) {
    return best != NULL && is_within(found, request->budget, request->interval) &&
           !is_better(request->objective, best, found) && !is_better(request->objective, found, best);
}

static size_t searched, proved;

static void count_proof(const weir_folding_report *report) {
    assert_true(report->bound <= report->value);
    searched++;
    proved += report->bound == report->value;
}

static void check_proofs(void) {
    print_message("%zu of %zu proved\n", proved, searched);
    assert_int_equal(proved, searched);
}

/* No folding is below the bound; what was found is one of them. */
static void check_latency(const weir_graph *assigned, weir_folding_request request, const outcome *all, size_t count) {
    request.objective = WEIR_FOLDING_LATENCY;
    int64_t least = INT64_MAX, found = INT64_MAX;
    weir_folding_report report;
    weir_graph *g = weir_graph_copy(assigned);
    const bool fine = weir_folding_find(g, &request, &report);
    for (size_t i = 0; i < count; i++) {
        if (!is_within(&all[i], request.budget, request.interval)) continue;
        if (all[i].latency < least) least = all[i].latency;
        if (fine && memcmp(all[i].use, report.used, sizeof report.used) == 0 && all[i].latency == report.latency)
            found = report.value;
    }
    assert_int_equal(fine, least < INT64_MAX);
    if (fine) {
        assert_true(report.bound > 0 && report.bound <= least);
        assert_int_equal(found, report.latency);
        assert_int_equal(report.value, least);
        count_proof(&report);
    }
    weir_graph_free(g);
}

static void check(const weir_graph *assigned, const weir_folding_request *request, const outcome *all, size_t count,
                  size_t *fits) {
    const outcome *best = best_of(all, count, request);
    weir_graph *g = weir_graph_copy(assigned);
    weir_folding_report report;
    weir_diag_log *log = weir_diag_capture();
    const bool fine = weir_folding_search(g, request, &report);
    weir_diag_release(log);
    weir_diag_log_free(log);
    assert_int_equal(fine, best != NULL);
    if (fine) {
        const outcome found = outcome_of(g);
        assert_true(is_best(&found, best, request));
        count_proof(&report);
        assert_int_equal(report.interval, found.interval);
        assert_memory_equal(report.used, found.use, sizeof found.use);
        assert_true(weir_folding_verify(g));
        /* Planted: one lookup table more, and one cycle. */
        outcome more = found, slower = found;
        more.use[0]++;
        slower.interval++;
        assert_false(is_best(&more, best, request));
        if (request->objective == WEIR_FOLDING_THROUGHPUT) assert_false(is_best(&slower, best, request));
        ++*fits;
    }
    weir_graph_free(g);
}

static void random_graphs(const char *device) {
    const char *more = getenv("WEIR_RANDOM");
    const size_t graphs = more == NULL ? 1 : (size_t)atoi(more);
    size_t fits = 0, asked = 0;
    for (size_t k = 0; k < graphs; k++) {
        const sizes n = {random_int(1, 2), {random_int(2, 6), random_int(2, 3), random_int(1, 3)}};
        weir_graph *g = network(&n, device);
        outcome *all = NULL;
        const size_t count = build_all(g, &n, &all);
        weir_cost_use uses[WEIR_COST_USES];
        weir_cost_uses(&(weir_cost){.luts = 0}, weir_target_of(g).device, uses);
        for (int i = 0; i < 24; i++, asked++) {
            weir_folding_request request = {.objective = i % 2 == 0 ? WEIR_FOLDING_THROUGHPUT : WEIR_FOLDING_AREA,
                                            .complete = complete};
            const outcome *like = &all[random_int(0, (int64_t)count - 1)];
            for (int r = 0; r < RESOURCES; r++) {
                request.budget[r] = like->use[r] + random_int(-like->use[r] / 8, 20);
                if (request.budget[r] > uses[r].available) request.budget[r] = uses[r].available;
            }
            if (i % 3 == 0) request.interval = like->interval;
            check(g, &request, all, count, &fits);
            check_latency(g, request, all, count);
        }
        free(all);
        weir_graph_free(g);
    }
    assert_in_range(fits, asked / 4, asked);
}

/* Codes [1, 4, 4, 4] -> windows of 3 by 3 -> dw, of one channel each. */
static weir_graph *depthwise(void) {
    enum { CHANNELS = 4, PIXELS = 9 };
    weir_graph *g = weir_graph_new("hardware");
    weir_type type = {
        .dtype = WEIR_INT8, .shape = {4, {1, 4, 4, CHANNELS}}, .has_range = true, .low = -128, .high = 127};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1};
    const weir_value x = weir_graph_add_input(g, "x", &type);
    const weir_node window = put(g, WEIR_OP_WINDOW, "window", 1, &x);
    weir_node_set_ints(g, window, "kernel_shape", (const int64_t[]){3, 3}, 2);
    weir_node_set_ints(g, window, "pads", (const int64_t[]){1, 1, 1, 1}, 4);
    weir_node_set_int(g, window, "group", CHANNELS);
    assert_true(weir_infer_node(g, window));
    double w[CHANNELS * PIXELS];
    for (size_t i = 0; i < CHANNELS * PIXELS; i++) w[i] = (double)(i % 7) - 3;
    const weir_value in[2] = {weir_node_output(g, window, 0), add_constant(g, "w", WEIR_INT8, 2, CHANNELS, PIXELS, w)};
    const weir_node node = put(g, WEIR_OP_LINEAR, "dw", 2, in);
    weir_node_set_int(g, node, "group", CHANNELS);
    assert_true(weir_infer_node(g, node));
    weir_graph_add_output(g, "y", weir_node_output(g, node, 0));
    assert_true(weir_target_set(g, "ecp5-25k", 0) && weir_component_assign(g));
    return g;
}

/* A depthwise layer, whose windows go with its folding: within the time of each folding the best is as if all had been
 * built, but for 3 pixels of one channel, which a window that gives one serves too slowly to be worth it. */
static void windows_of_a_depthwise_layer(void **state) {
    (void)state;
    enum { PIXELS = 9, ALL = 16, STORAGES = 3 };
    weir_graph *g = depthwise();
    outcome all[PIXELS * ALL * STORAGES];
    size_t count = 0, fits = 0;
    for (int64_t simd = 1; simd <= PIXELS; simd *= 3)
        for (int64_t pe = simd == 3 ? 2 : 1; pe <= (simd == PIXELS ? ALL : 4); pe *= 2)
            for (int storage = 0; storage < STORAGES; storage++) {
                weir_graph *folded = weir_graph_copy(g);
                weir_meta_hardware *hardware = hardware_of(folded, "dw");
                set_setting(hardware, "simd", simd);
                set_setting(hardware, "pe", pe);
                hardware->storage = (weir_storage)storage;
                assert_true(weir_folding_choose(folded, 0, INT32_MAX, NULL));
                all[count++] = outcome_of(folded);
                weir_graph_free(folded);
            }
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&(weir_cost){.luts = 0}, weir_target_of(g).device, uses);
    for (size_t i = 0; i < count; i++) {
        weir_folding_request request = {.objective = i % 2 == 0 ? WEIR_FOLDING_THROUGHPUT : WEIR_FOLDING_AREA,
                                        .interval = all[i].interval,
                                        .complete = complete};
        for (int r = 0; r < RESOURCES; r++) {
            request.budget[r] = i % 3 == 0 ? uses[r].available : all[i].use[r];
            if (request.budget[r] > uses[r].available) request.budget[r] = uses[r].available;
        }
        check(g, &request, all, count, &fits);
    }
    assert_in_range(fits, count / 2, count);
    weir_graph_free(g);
}

static void on_ice40(void **state) {
    (void)state;
    random_graphs("ice40up5k");
    check_proofs();
}

static void on_ecp5(void **state) {
    (void)state;
    random_graphs("ecp5-25k");
    check_proofs();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(windows_of_a_depthwise_layer, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(on_ice40, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(on_ecp5, test_setup, test_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
