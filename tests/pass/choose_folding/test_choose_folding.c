/* choose_folding: divisors, targets, budgets, the file and its errors. */
#include "test_passes_support.h"

#include "common/setting_of.h"
#include "common/text_pair.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/resources.h"
#include "dataflow/cost/target.h"
#include "dataflow/folding.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/file/file.h"

static const char folding[] = "test_choose_folding.yaml";

/* Codes [rows, 12] -> fc (12 -> 8) -> scale -> fc2 (8 -> 5) -> scale. */
static weir_graph *network(int64_t rows) {
    static const int64_t sizes[3] = {12, 8, 5};
    double w[96];
    for (size_t i = 0; i < 96; i++) w[i] = (double)(i % 7) - 3;
    weir_graph *g = weir_graph_new("hardware");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, rows, 12, -128, 127);
    for (size_t i = 0; i < 2; i++) {
        x = ADD(g, WEIR_OP_LINEAR, i == 0 ? "fc" : "fc2", x,
                add_constant(g, "w", WEIR_INT8, 2, sizes[i + 1], sizes[i], w));
        static const double m = 1000, a = 5;
        weir_value in[3] = {x, add_constant(g, "m", WEIR_INT64, 1, 1, 0, &m),
                            add_constant(g, "a", WEIR_INT64, 1, 1, 0, &a)};
        weir_node node = put(g, WEIR_OP_SCALE, i == 0 ? "scale" : "scale2", 3, in);
        weir_node_set_int(g, node, "shift", 10);
        weir_node_set_int(g, node, "low", -128);
        weir_node_set_int(g, node, "high", 127);
        assert_true(weir_infer_node(g, node));
        x = weir_node_output(g, node, 0);
    }
    weir_graph_add_output(g, "y", x);
    return g;
}

static const weir_meta_hardware *hardware_of(const weir_graph *g, const char *name) {
    return &weir_node_metadata_of(g, weir_graph_find_node(g, name))->hardware;
}

static int64_t multipliers(const weir_graph *g) {
    return setting_of(hardware_of(g, "fc"), "simd") * setting_of(hardware_of(g, "fc"), "pe") +
           setting_of(hardware_of(g, "fc2"), "simd") * setting_of(hardware_of(g, "fc2"), "pe");
}

/* Fewest multipliers over all pairs of divisors that meet the target, and for rows side by side. */
static int64_t cheapest(int64_t rows, int64_t k, int64_t n, int64_t target) {
    int64_t best = rows * k * n;
    for (int64_t s = 1; s <= k; s++)
        for (int64_t p = 1; p <= n; p++)
            if (k % s == 0 && n % p == 0 && rows * (k / s) * (n / p) <= target && s * p < best) best = s * p;
    for (int64_t together = 2; together <= rows; together++)
        if (rows % together == 0 && rows / together <= target && together * k * n < best) best = together * k * n;
    return best;
}

static void targets_are_met_with_divisors(void **state) {
    (void)state;
    for (int64_t rows = 1; rows <= 3; rows++) {
        for (int64_t target = 1; target <= 300; target += 7) {
            weir_graph *g = network(rows);
            assert_true(weir_choose_folding(g, target, 64, ""));
            const weir_meta_hardware *a = hardware_of(g, "fc"), *b = hardware_of(g, "fc2");
            assert_int_equal(12 % setting_of(a, "simd") + 8 * rows % setting_of(a, "pe") + 8 % setting_of(b, "simd") +
                                 5 * rows % setting_of(b, "pe"),
                             0);
            assert_int_equal(a->interval, rows * (12 / setting_of(a, "simd")) * 8 / setting_of(a, "pe"));
            assert_true(a->interval <= target && b->interval <= target);
            assert_int_equal(setting_of(a, "simd") * setting_of(a, "pe"), cheapest(rows, 12, 8, target));
            assert_int_equal(setting_of(b, "simd") * setting_of(b, "pe"), cheapest(rows, 8, 5, target));
            assert_int_equal(a->in_lanes,
                             setting_of(a, "simd") * (setting_of(a, "pe") > 8 ? setting_of(a, "pe") / 8 : 1));
            assert_int_equal(a->out_lanes, setting_of(a, "pe"));
            assert_int_equal(a->operations, rows * 96);
            /* elementwise nodes never become the slowest */
            assert_true(hardware_of(g, "scale")->interval <= weir_stream_interval(g) ||
                        setting_of(hardware_of(g, "scale"), "digit") == 10);
            assert_int_equal(hardware_of(g, "scale")->out_lanes, setting_of(a, "pe"));
            weir_graph_free(g);
        }
    }
}

static void budgets_buy_the_shortest_interval(void **state) {
    (void)state;
    int64_t last = INT64_MAX;
    for (int64_t budget = 2; budget <= 140; budget++) {
        weir_graph *g = network(1);
        assert_true(weir_choose_folding(g, 0, budget, NULL));
        assert_true(multipliers(g) <= budget);
        int64_t interval = weir_stream_interval(g);
        assert_true(interval <= last);
        bool shorter = cheapest(1, 12, 8, interval - 1) + cheapest(1, 8, 5, interval - 1) <= budget && interval > 1 &&
                       interval - 1 >= 1;
        assert_false(shorter);
        last = interval;
        weir_graph_free(g);
    }
    assert_int_equal(last, 1); /* 96 + 40 multipliers */
}

/* What choosing a folding says, or "" */
static void assert_said(int64_t target, int64_t budget, const char *file, const char *expected) {
    weir_graph *g = network(2);
    weir_diag_log *log = weir_diag_capture();
    assert_true(weir_choose_folding(g, target, budget, file));
    weir_diag_release(log);
    assert_int_equal(weir_diag_log_count(log), *expected == '\0' ? 0 : 1);
    if (*expected != '\0') ASSERT_SAID(log, 0, expected);
    weir_diag_log_free(log);
    weir_graph_free(g);
}

static void write_folding(const char *text) { assert_true(weir_file_write(folding, text, strlen(text))); }

/* Two rows: one product a cycle and multiplier takes 192 cycles, all of a row at once 2, both rows 1. */
static void what_cannot_be_is_said(void **state) {
    (void)state;
    write_folding("nodes:\n  fc: {simd: 12, pe: 8}\n");
    assert_said(2, 64, NULL, "");
    assert_said(1, 64, NULL, "");
    assert_said(1, 64, folding, "a frame takes 2 cycles, not 1: node 'fc' (weir_mvu) cannot be faster");
    assert_said(0, 2, NULL, "");
    assert_said(0, 1, NULL, "the design takes 2 multipliers, not 1: no folding takes fewer");
    assert_said(0, 1, folding, ""); /* 96 of them as the file says */
}

static void the_file_decides(void **state) {
    (void)state;
    write_folding("nodes:\n  fc: {simd: 5, pe: 3, storage: block}\n");
    weir_graph *g = network(1);
    assert_true(weir_choose_folding(g, 40, 64, folding));
    const weir_meta_hardware *a = hardware_of(g, "fc");
    assert_int_equal(setting_of(a, "simd"), 5);
    assert_int_equal(setting_of(a, "pe"), 3);
    assert_int_equal(a->interval, 3 * 3); /* padded */
    assert_int_equal(a->storage, WEIR_STORAGE_BLOCK);
    assert_int_equal(setting_of(hardware_of(g, "fc2"), "simd") * setting_of(hardware_of(g, "fc2"), "pe"),
                     1); /* 40 cycles for 40 products */
    weir_graph_free(g);
}

/* With PE 2, SIMD 6 is the cheapest that takes 12 * 8 products in 8 cycles; a requantizer's memory goes where it is
 * told. */
static void what_the_file_leaves_open(void **state) {
    (void)state;
    write_folding("nodes:\n  fc: {pe: 2}\n  scale: {storage: block}\n");
    weir_graph *g = network(1);
    assert_true(weir_choose_folding(g, 8, 64, folding));
    assert_int_equal(setting_of(hardware_of(g, "fc"), "pe"), 2);
    assert_int_equal(setting_of(hardware_of(g, "fc"), "simd"), 6);
    assert_int_equal(hardware_of(g, "fc")->interval, 8);
    assert_int_equal(hardware_of(g, "scale")->storage, WEIR_STORAGE_BLOCK);
    weir_graph_free(g);
}

static weir_cost cost_with(weir_cost_survey *survey, weir_graph *g, weir_node node, weir_storage products) {
    weir_meta_hardware *hardware = &weir_node_metadata(g, node)->hardware;
    const int64_t before = setting_of(hardware, "products");
    set_setting(hardware, "products", products);
    const weir_cost cost = weir_cost_survey_node(survey, node).cost;
    set_setting(hardware, "products", before);
    return cost;
}

/* 28 multiplier blocks: layers take what they need, and a requantizer is in logic only where blocks would not fit or
 * would save little. */
static void blocks_go_where_they_save(void **state) {
    (void)state;
    static const char *const names[] = {"scale", "scale2"};
    enum { BLOCKS = 28, WORTH = 60 };
    size_t in_blocks = 0, too_many = 0;
    for (int64_t target = 1; target <= 40; target++) {
        weir_graph *g = network(1);
        assert_true(weir_target_set(g, "ecp5-25k", 0));
        assert_true(weir_choose_folding(g, target, 64, NULL));
        weir_cost_report report = weir_cost_of_graph(g, weir_target_of(g).device);
        weir_cost_survey *survey = weir_cost_survey_new(g, weir_target_of(g).device);
        for (size_t i = 0; i < 2; i++) {
            const weir_node node = weir_graph_find_node(g, names[i]);
            const weir_cost block = cost_with(survey, g, node, WEIR_STORAGE_BLOCK),
                            logic = cost_with(survey, g, node, WEIR_STORAGE_LOGIC);
            const int64_t blocks = block.multipliers, saved = logic.luts - block.luts;
            assert_int_equal(logic.multipliers, 0);
            assert_int_equal(setting_of(hardware_of(g, names[i]), "products") == WEIR_STORAGE_AUTO, blocks == 0);
            const bool fits = report.total.multipliers + blocks <= BLOCKS;
            if (setting_of(hardware_of(g, names[i]), "products") == WEIR_STORAGE_BLOCK) {
                assert_true(saved >= WORTH * blocks && report.total.multipliers <= BLOCKS);
                in_blocks++;
            } else if (blocks > 0) {
                assert_true(!fits || saved < WORTH * blocks);
                too_many += !fits && saved >= WORTH * blocks;
            }
        }
        weir_cost_survey_free(survey);
        weir_cost_report_free(&report);
        weir_graph_free(g);
    }
    assert_true(in_blocks > 0 && too_many > 0);
}

/* Nothing is chosen without blocks to choose; a file decides where there are some. */
static void products_by_hand(void **state) {
    (void)state;
    static const char *const devices[] = {NULL, "ice40hx8k"};
    for (size_t i = 0; i < 2; i++) {
        weir_graph *g = network(1);
        assert_true(weir_target_set(g, devices[i], 0));
        assert_true(weir_choose_folding(g, 8, 64, NULL));
        assert_int_equal(setting_of(hardware_of(g, "scale"), "products"), WEIR_STORAGE_AUTO);
        weir_graph_free(g);
    }
    static const weir_storage wanted[] = {WEIR_STORAGE_BLOCK, WEIR_STORAGE_LOGIC};
    for (size_t i = 0; i < 2; i++) {
        write_folding(i == 0 ? "nodes:\n  scale: {products: block}\n" : "nodes:\n  scale: {products: logic}\n");
        weir_graph *g = network(1);
        assert_true(weir_target_set(g, "ecp5-25k", 0));
        assert_true(weir_choose_folding(g, 24, 64, folding));
        assert_int_equal(setting_of(hardware_of(g, "scale"), "products"), wanted[i]);
        weir_graph_free(g);
    }
}

/* 255 thresholds of 17 bits for each of 300 channels: not all in one vector of hardware. */
static void words_fit_in_vectors(void **state) {
    (void)state;
    enum { CHANNELS = 300, STEPS = 255, VECTOR = 1 << 20 };
    double step[STEPS];
    for (int i = 0; i < STEPS; i++) step[i] = 200 * i;
    weir_graph *g = weir_graph_new("hardware");
    weir_value in[2] = {add_codes_input(g, "x", WEIR_INT16, 1, CHANNELS, -32768, 32767)};
    in[1] = add_constant(g, "steps", WEIR_INT64, 2, 1, STEPS, step);
    weir_node node = put(g, WEIR_OP_THRESHOLD, "threshold", 2, in);
    assert_true(weir_infer_node(g, node));
    weir_graph_add_output(g, "y", weir_node_output(g, node, 0));
    weir_diag_log *log = weir_diag_capture();
    assert_true(weir_choose_folding(g, 1, 64, NULL));
    weir_diag_release(log);
    ASSERT_SAID(log, 0, "a frame takes 2 cycles, not 1: node 'threshold' (weir_threshold) cannot be faster");
    weir_diag_log_free(log);
    assert_int_equal(weir_stream_interval(g), 2);
    weir_memory memory;
    assert_true(weir_memory_get(g, node, 0, &memory));
    assert_in_range(memory.width, CHANNELS * STEPS, VECTOR);
    weir_graph_free(g);
}

/* 255 thresholds for each of 16 channels, a channel's share of them a beat: searched where a device has the memory
 * blocks for it. */
static void thresholds_by_channel_are_searched(void **state) {
    (void)state;
    enum { CHANNELS = 16, STEPS = 255 };
    static const struct {
        const char *device;
        int64_t interval;
        const char *module;
    } cases[] = {{"ice40up5k", CHANNELS, "weir_threshold_search"},
                 {"ice40up5k", CHANNELS / 8, "weir_threshold"}, /* 8 lanes with 4 of 30 blocks each */
                 {"ecp5-85k", CHANNELS / 8, "weir_threshold_search"},
                 {"ecp5-85k", CHANNELS * STEPS, "weir_threshold"},
                 {"", CHANNELS, "weir_threshold"}};
    double step[CHANNELS * STEPS];
    /* Uneven ones, of which no bit is the same everywhere. */
    for (int i = 0; i < CHANNELS * STEPS; i++) step[i] = 300 * (i % STEPS) + i * 7919 % 299 - 38250;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *g = weir_graph_new("hardware");
        assert_true(weir_target_set(g, cases[i].device, 0));
        weir_value in[2] = {add_codes_input(g, "x", WEIR_INT16, 1, CHANNELS, -32768, 32767)};
        in[1] = add_constant(g, "steps", WEIR_INT64, 2, CHANNELS, STEPS, step);
        weir_node node = put(g, WEIR_OP_THRESHOLD, "threshold", 2, in);
        assert_true(weir_infer_node(g, node));
        weir_graph_add_output(g, "y", weir_node_output(g, node, 0));
        assert_true(weir_choose_folding(g, cases[i].interval, 64, NULL));
        assert_string_equal(hardware_of(g, "threshold")->module, cases[i].module);
        weir_graph_free(g);
    }
}

/* 1,100 products of 1,000 codes of 8 bits with weights of 4 bits in one cycle: 4.4 million bits of weights, of which
 * 2^20 are a word. In 5 cycles they are. */
static void too_much_in_a_cycle(void **state) {
    (void)state;
    enum { K = 1000, N = 1100 };
    double *w = weir_malloc((size_t)K * N * sizeof *w);
    for (size_t i = 0; i < (size_t)K * N; i++) w[i] = (double)(i % 15) - 7;
    weir_graph *g = weir_graph_new("hardware");
    weir_value x = add_codes_input(g, "x", WEIR_INT8, 1, K, -128, 127);
    x = ADD(g, WEIR_OP_LINEAR, "fc", x, add_constant(g, "w", WEIR_INT8, 2, N, K, w));
    weir_graph_add_output(g, "y", x);
    weir_graph *slower = weir_graph_copy(g), *set = weir_graph_copy(g);
    weir_diag_log *log = weir_diag_capture();
    weir_meta_hardware *hardware = &weir_node_metadata(set, weir_graph_find_node(set, "fc"))->hardware;
    set_setting(hardware, "simd", K);
    set_setting(hardware, "pe", N);
    assert_false(weir_choose_folding(set, 1, 64, NULL));
    assert_true(weir_choose_folding(slower, 5, 64, NULL));
    assert_true(weir_choose_folding(g, 1, 64, NULL));
    weir_diag_release(log);
    assert_int_equal(hardware_of(g, "fc")->interval, 5);
    ASSERT_SAID(log, 0, "node 'fc' takes more than 1048576 bits of a stream or a memory in a cycle");
    ASSERT_SAID(log, 2, "a frame takes 5 cycles, not 1: node 'fc' (weir_mvu) cannot be faster");
    weir_graph_free(set);
    weir_diag_log_free(log);
    weir_graph_free(slower);
    weir_graph_free(g);
    free(w);
}

static void errors_in_the_file(void **state) {
    (void)state;
    static const text_pair cases[] = {
        {"nodes:\n  fc3: {simd: 1}\n", "yaml:2: error: there is no node 'fc3'\nnote: did you mean 'fc"},
        {"nodes:\n  fc: {speed: 1}\n", "yaml:2: error: unknown setting 'speed' for node 'fc'"},
        {"nodes:\n  scale: {simd: 1}\n",
         "unknown setting 'simd' for node 'scale'\nnote: known settings: storage, products"},
        {"nodes:\n  fc: {simd: 13}\n", "yaml:2: error: "},
        {"nodes:\n  fc: {storage: disk}\n", "yaml:2: error: expected auto, block or logic"},
        {"nodes:\n  scale: {products: disk}\n", "yaml:2: error: expected auto, block or logic"},
        {"nodes:\n  fc: {products: logic}\n", "yaml:2: error: unknown setting 'products' for node 'fc'"},
        {"nodes:\n  fc: 3\n", "yaml:2: error: expected settings such as {simd: 8, pe: 4}"},
        {"layers:\n  fc: {simd: 1}\n", "expected the key 'nodes' with a mapping, or 'interval', found 'layers'"},
        {"- fc\n", "expected a mapping with the key 'nodes'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        write_folding(cases[i].text);
        weir_graph *g = network(1);
        assert_false(weir_choose_folding(g, 0, 64, folding));
        assert_error(cases[i].expected);
        weir_graph_free(g);
    }
    test_setup(NULL);
    write_folding("nodes:\n  fc: {simd: 5, pe: 8}\n");
    weir_graph *g = network(2);
    assert_false(weir_choose_folding(g, 0, 64, folding));
    assert_error("node 'fc' has 2 rows per frame: simd must divide 12 and pe 8, found 5 and 8");
    weir_graph_free(g);
}

/* What a graph from elsewhere says about its folding, against what follows from its settings. */
static void foldings_that_cannot_be(void **state) {
    (void)state;
    static const char *const texts[] = {"node 'fc' (weir.Linear): simd is 13, expected 1 to 12",
                                        "node 'fc' (weir.Linear): pe is 0, expected 1 to 16",
                                        "node 'fc' (weir.Linear): in_lanes is 5, expected 3 to 3",
                                        "node 'fc' (weir.Linear): interval is 3, expected 32 to 32",
                                        "node 'fc' has 2 rows per frame: simd must divide 12 and pe 8, found 5 and 2",
                                        "node 'scale' (weir.Scale): in_lanes is 0, expected 1 to",
                                        "node 'scale' (weir.Scale): out_lanes is 4, expected 2 to 2",
                                        "node 'fc' (weir.Linear): no component 'weir_nothing' computes it"};
    for (int kind = -1; kind < 8; kind++) {
        test_setup(NULL);
        write_folding("nodes:\n  fc: {simd: 3, pe: 2}\n");
        weir_graph *g = network(2);
        assert_true(weir_choose_folding(g, 1000, 64, folding));
        weir_meta_hardware *fc = &weir_node_metadata(g, weir_graph_find_node(g, "fc"))->hardware;
        weir_meta_hardware *scale = &weir_node_metadata(g, weir_graph_find_node(g, "scale"))->hardware;
        if (kind == 0) set_setting(fc, "simd", 13);
        if (kind == 1) set_setting(fc, "pe", 0);
        if (kind == 2) fc->in_lanes = 5;
        if (kind == 3) fc->interval = 3;
        if (kind == 4) set_setting(fc, "simd", 5), fc->in_lanes = 5, fc->interval = 2 * 3 * 4;
        if (kind == 5) scale->in_lanes = 0;
        if (kind == 6) scale->out_lanes = 4;
        if (kind == 7) fc->module = "weir_nothing";
        assert_true(weir_folding_verify(g) == (kind < 0));
        if (kind >= 0) assert_error(texts[kind]);
        weir_graph_free(g);
    }
}

/* Codes [1, 16, 16, 1] -> pool of `kernel` rows -> fc (-> 10). */
static weir_graph *pooled(int64_t kernel, int64_t stride, int64_t pad) {
    weir_graph *g = weir_graph_new("hardware");
    weir_type type = {.dtype = WEIR_INT8, .shape = {4, {1, 16, 16, 1}}, .has_range = true, .low = -128, .high = 127};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1};
    weir_value x = weir_graph_add_input(g, "x", &type);
    weir_node pool = put(g, WEIR_OP_MAX_POOL, "pool", 1, &x);
    weir_node_set_ints(g, pool, "kernel_shape", (const int64_t[]){kernel, 1}, 2);
    weir_node_set_ints(g, pool, "strides", (const int64_t[]){stride, 1}, 2);
    weir_node_set_ints(g, pool, "pads", (const int64_t[]){pad, 0, pad, 0}, 4);
    weir_node_set_string(g, pool, "layout", "NHWC");
    assert_true(weir_infer_node(g, pool));
    x = ADD(g, WEIR_OP_FLATTEN, "flat", weir_node_output(g, pool, 0));
    const int64_t inputs = weir_value_type(g, x)->shape.dim[1];
    double w[10 * 256];
    for (size_t i = 0; i < 10 * 256; i++) w[i] = (double)(i % 7) - 3;
    weir_graph_add_output(g, "y", ADD(g, WEIR_OP_LINEAR, "fc", x, add_constant(g, "w", WEIR_INT8, 2, 10, inputs, w)));
    return g;
}

/* One channel: 16 rows of 16 pixels go in a row a cycle at most, whatever the products may cost. 1,280 products of the
 * 128 that come out, of which the factors are powers of two up to 128 and divisors of 10. */
static void a_window_sets_the_pace(void **state) {
    (void)state;
    static const struct {
        int64_t kernel, stride, pad, target, budget; /* given */
        int64_t multipliers, interval, ideal;        /* by hand */
    } cases[] = {
        {2, 2, 0, 0, 64, 64, 20, 20},  /* 1280 / 64: the pool takes a row a cycle, 8 pixels would be 32 cycles */
        {2, 2, 0, 10, 64, 80, 16, 16}, /* a target that the pool cannot meet: 1280 / 16 */
        {2, 2, 0, 0, 2, 2, 640, 640},  /* the products are slower */
        {2, 2, 0, 640, 64, 2, 640, 640},
        {3, 1, 1, 0, 64, 64, 40, 40},
        /* 16 rows of results, the last with the next frame's first; 2560 / 16 products */
        {3, 1, 1, 1, 64, 160, 16, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *g = pooled(cases[i].kernel, cases[i].stride, cases[i].pad);
        if (!weir_choose_folding(g, cases[i].target, cases[i].budget, NULL)) fail_msg("%s", test_messages.data);
        const weir_resources found = weir_resources_of(g);
        assert_int_equal(found.multipliers, cases[i].multipliers);
        assert_int_equal(found.folded_interval, cases[i].interval);
        assert_int_equal(found.ideal_interval, cases[i].ideal);
        weir_graph_free(g);
    }
}

/* So does a node that the file fixes: 32 cycles of fc, in which fc2 does 40 products with two multipliers. */
static void a_setting_sets_the_pace(void **state) {
    (void)state;
    write_folding("nodes:\n  fc: {simd: 3, pe: 1}\n");
    weir_graph *g = network(1);
    assert_true(weir_choose_folding(g, 1, 64, folding));
    assert_int_equal(weir_stream_interval(g), 32);
    assert_int_equal(multipliers(g), 3 + 2);
    assert_int_equal(weir_resources_of(g).ideal_interval, 32);
    weir_graph_free(g);
}

/* Codes [1, 4, 4, 8] -> windows of 3 by 3 -> dw (`groups` of them). */
static weir_graph *grouped(int64_t groups, bool shared) {
    weir_graph *g = weir_graph_new("hardware");
    weir_type type = {.dtype = WEIR_INT8, .shape = {4, {1, 4, 4, 8}}, .has_range = true, .low = -128, .high = 127};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1};
    weir_value x = weir_graph_add_input(g, "x", &type);
    const weir_node window = put(g, WEIR_OP_WINDOW, "window", 1, &x);
    weir_node_set_ints(g, window, "kernel_shape", (const int64_t[]){3, 3}, 2);
    weir_node_set_ints(g, window, "pads", (const int64_t[]){1, 1, 1, 1}, 4);
    weir_node_set_int(g, window, "group", groups);
    assert_true(weir_infer_node(g, window));
    double w[72];
    for (size_t i = 0; i < 72; i++) w[i] = (double)(i % 7) - 3;
    for (int i = 0; i < 1 + shared; i++) {
        const weir_value in[2] = {weir_node_output(g, window, 0),
                                  add_constant(g, "w", WEIR_INT8, 2, groups, 72 / groups, w)};
        const weir_node node = put(g, WEIR_OP_LINEAR, i == 0 ? "dw" : "other", 2, in);
        weir_node_set_int(g, node, "group", groups);
        assert_true(weir_infer_node(g, node));
        weir_graph_add_output(g, i == 0 ? "y" : "z", weir_node_output(g, node, 0));
    }
    return g;
}

static int64_t attribute_of(const weir_graph *g, const char *node, const char *name) {
    return weir_node_int(g, weir_graph_find_node(g, node), name, 1);
}

/* 16 positions of 9 products in 8 channels, as many of which side by side as the target asks for: the window goes
 * along. */
static void channels_are_computed_side_by_side(void **state) {
    (void)state;
    for (int64_t target = 150; target <= 1200; target += 50) {
        const int64_t pe = target >= 1152 ? 1 : target >= 576 ? 2 : target >= 288 ? 4 : 8;
        weir_graph *g = grouped(8, false);
        assert_true(weir_choose_folding(g, target, 64, ""));
        const weir_meta_hardware *dw = hardware_of(g, "dw"), *window = hardware_of(g, "window");
        assert_int_equal(setting_of(dw, "simd"), 1);
        assert_int_equal(setting_of(dw, "pe"), pe);
        assert_int_equal(dw->in_lanes, pe);
        assert_int_equal(dw->interval, 1152 / pe);
        assert_int_equal(dw->operations, 1152);
        assert_int_equal(window->out_lanes, pe);
        assert_int_equal(weir_stream_interval(g), 1152 / pe);
        assert_int_equal(attribute_of(g, "dw", "interleave"), pe);
        assert_int_equal(attribute_of(g, "window", "group"), 8 / pe);
        assert_true(weir_folding_verify(g));
        weir_graph_free(g);
    }
}

/* A window that gives a pixel a cycle takes 144 cycles with all channels side by side. Below, it gives those of the
 * channels all at once, down the columns and along the rows: as many of its divisors of 9 and of the 8 channels as take
 * the fewest multipliers, and then whole rows. */
static void pixels_are_computed_side_by_side(void **state) {
    (void)state;
    static const struct {
        int64_t target, simd, pe, interval; /* by hand: 16 * (9 / simd) * (8 / pe) */
    } cases[] = {{144, 1, 8, 144}, {143, 9, 1, 128}, {128, 9, 1, 128}, {127, 3, 4, 96}, {96, 3, 4, 96},
                 {95, 9, 2, 64},   {64, 9, 2, 64},   {63, 3, 8, 48},   {48, 3, 8, 48},  {47, 9, 4, 32},
                 {32, 9, 4, 32},   {31, 9, 8, 16},   {16, 9, 8, 16},   {15, 9, 16, 8},  {8, 9, 16, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *g = grouped(8, false);
        assert_true(weir_choose_folding(g, cases[i].target, 64, ""));
        const weir_meta_hardware *dw = hardware_of(g, "dw"), *window = hardware_of(g, "window");
        const int64_t side = cases[i].pe < 8 ? cases[i].pe : 8;
        if (setting_of(dw, "simd") != cases[i].simd || setting_of(dw, "pe") != cases[i].pe)
            fail_msg("%lld: simd %lld, pe %lld", (long long)cases[i].target, (long long)setting_of(dw, "simd"),
                     (long long)setting_of(dw, "pe"));
        assert_int_equal(dw->in_lanes, cases[i].simd * cases[i].pe);
        assert_int_equal(dw->interval, cases[i].interval);
        assert_int_equal(weir_stream_interval(g), cases[i].interval);
        assert_int_equal(weir_resources_of(g).ideal_interval, cases[i].interval);
        assert_int_equal(attribute_of(g, "dw", "interleave"), side);
        assert_int_equal(attribute_of(g, "window", "group"), 8 / side);
        assert_string_equal(window->module, cases[i].simd == 1 ? "weir_window" : "weir_taps");
        if (cases[i].simd > 1) assert_int_equal(attribute_of(g, "window_columns", "group"), 8 / side);
        assert_true(weir_folding_verify(g));
        weir_graph_free(g);
    }
}

/* The multipliers of a budget, of which a divided window takes more: 9 for 128 cycles, none fewer than 8 for 144. */
static void pixels_stay_in_the_budget(void **state) {
    (void)state;
    static const int64_t cases[][2] = {{7, 288}, {8, 144}, {9, 128}, {11, 128}, {12, 96}, {71, 32}, {72, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *g = grouped(8, false);
        assert_true(weir_choose_folding(g, 0, cases[i][0], ""));
        assert_int_equal(hardware_of(g, "dw")->interval, cases[i][1]);
        assert_true(weir_resources_of(g).multipliers <= cases[i][0]);
        weir_graph_free(g);
    }
}

/* What a file sets: the window gives what that asks for, or as much as it can where it asks for no time. */
static void pixels_by_hand(void **state) {
    (void)state;
    static const struct {
        const char *file;
        int64_t target, interval, group;
        const char *window;
    } cases[] = {{"nodes:\n  dw: {simd: 9, pe: 2}\n", 64, 64, 4, "weir_taps"},
                 {"nodes:\n  dw: {simd: 9}\n", 64, 64, 4, "weir_taps"},
                 {"nodes:\n  dw: {pe: 1}\n", 500, 384, 8, "weir_taps"},
                 {"nodes:\n  dw: {simd: 3, pe: 2}\n", 576, 192, 4, "weir_window"},
                 {"nodes:\n  dw: {pe: 32}\n", 8, 4, 1, "weir_taps"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *g = grouped(8, false);
        write_folding(cases[i].file);
        assert_true(weir_choose_folding(g, cases[i].target, 64, folding));
        assert_int_equal(hardware_of(g, "dw")->interval, cases[i].interval);
        assert_true(weir_stream_interval(g) <= cases[i].target);
        assert_int_equal(attribute_of(g, "window", "group"), cases[i].group);
        assert_string_equal(hardware_of(g, "window")->module, cases[i].window);
        assert_true(weir_folding_verify(g));
        weir_graph_free(g);
    }
}

/* Groups of two channels: 16 positions of 18 products in 4 groups, one after the other. */
static void groups_take_whole_windows(void **state) {
    (void)state;
    for (int64_t simd = 18; simd >= 1; simd--) {
        if (18 % simd != 0) continue;
        weir_graph *g = grouped(4, false);
        assert_true(weir_choose_folding(g, 64 * 18 / simd, 64, ""));
        assert_int_equal(hardware_of(g, "dw")->interval, 64 * 18 / simd);
        assert_int_equal(setting_of(hardware_of(g, "dw"), "simd"), simd);
        assert_int_equal(weir_stream_interval(g), 64 * 18 / simd);
        assert_int_equal(attribute_of(g, "window", "group"), 4);
        weir_graph_free(g);
    }
}

/* Other nodes read the window's elements in their order; those of groups of two channels are not one behind the
 * other. */
static void channels_that_stay_in_a_row(void **state) {
    (void)state;
    static const struct {
        int64_t groups;
        bool shared;
        const char *file, *error;
    } cases[] = {
        {8, true, "nodes:\n  dw: {pe: 4}\n",
         "node 'dw' computes 4 groups side by side, which must be of one channel each"},
        {4, false, "nodes:\n  dw: {pe: 2}\n",
         "node 'dw' computes 2 groups side by side, which must be of one channel each"},
        {8, false, "nodes:\n  dw: {pe: 3}\n", "has 128 rows per frame: simd must divide 9 and pe 8, found 9 and 3"},
        {8, false, "nodes:\n  dw: {pe: 9}\n",
         "takes a simd of 9 and a pe of 8 times what divides a row of 4 positions, found 9 and 9"},
        {8, false, "nodes:\n  dw: {pe: 33}\n", "yaml:2: error: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_setup(NULL);
        weir_graph *g = grouped(cases[i].groups, cases[i].shared);
        assert_true(weir_choose_folding(g, 1, 64, ""));
        if (cases[i].shared || cases[i].groups < 8) assert_int_equal(setting_of(hardware_of(g, "dw"), "pe"), 1);
        weir_graph_free(g);
        g = grouped(cases[i].groups, cases[i].shared);
        write_folding(cases[i].file);
        if (weir_choose_folding(g, 1, 64, folding)) fail_msg("%zu", i);
        assert_error(cases[i].error);
        weir_graph_free(g);
    }
    test_setup(NULL);
    weir_graph *g = grouped(8, false);
    assert_true(weir_choose_folding(g, 288, 64, ""));
    weir_node_set_int(g, weir_graph_find_node(g, "dw"), "interleave", 2);
    assert_false(weir_folding_verify(g));
    assert_error("node 'dw' computes 4 groups side by side");
    weir_graph_free(g);
}

/* Codes [1, 10, 8, 1] -> windows of 3 by 4 -> fc (12 -> 5). */
static weir_graph *slid(void) {
    weir_graph *g = weir_graph_new("hardware");
    weir_type type = {.dtype = WEIR_INT8, .shape = {4, {1, 10, 8, 1}}, .has_range = true, .low = -128, .high = 127};
    type.quant = (weir_quant){.format = WEIR_FORMAT_INTEGER, .is_signed = true, .width = 8, .axis = -1};
    weir_value x = weir_graph_add_input(g, "x", &type);
    const weir_node window = put(g, WEIR_OP_WINDOW, "window", 1, &x);
    weir_node_set_ints(g, window, "kernel_shape", (const int64_t[]){3, 4}, 2);
    weir_node_set_ints(g, window, "pads", (const int64_t[]){1, 2, 1, 1}, 4);
    weir_node_set_ints(g, window, "strides", (const int64_t[]){2, 1}, 2);
    assert_true(weir_infer_node(g, window));
    double w[60];
    for (size_t i = 0; i < 60; i++) w[i] = (double)(i % 7) - 3;
    x = ADD(g, WEIR_OP_LINEAR, "fc", weir_node_output(g, window, 0), add_constant(g, "w", WEIR_INT8, 2, 5, 12, w));
    weir_graph_add_output(g, "y", x);
    return g;
}

/* 5 by 8 positions of 12 elements, one a cycle; or columns of 3 elements at 40 places, and 4 of these at 40 positions,
 * a column a cycle; or a column a cycle of 10 rows of 8, and a position a cycle of 5 rows of 8 and the one column
 * behind each. Of 4 pixels a beat 20 for the columns and 15 for the positions, which with 2 are 25; of whole rows 10
 * each. The products of 2 positions take 20 cycles, of 4 10. */
static void a_window_is_divided_where_it_is_too_slow(void **state) {
    (void)state;
    static const struct {
        int64_t target, budget, interval;
        bool divided;
    } cases[] = {{480, 64, 480, false}, {479, 64, 400, true}, {160, 64, 160, true}, {159, 64, 120, true},
                 {119, 64, 80, true},   {39, 64, 20, true},   {19, 64, 10, true},   {1, 64, 10, true},
                 {0, 5, 480, false},    {0, 15, 160, true},   {0, 30, 80, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_graph *g = slid();
        if (!weir_choose_folding(g, cases[i].target, cases[i].budget, NULL)) fail_msg("%s", test_messages.data);
        if (!weir_folding_verify(g)) fail_msg("%zu %s", i, test_messages.data);
        const weir_node columns = weir_graph_find_node(g, "window_columns");
        assert_int_equal(columns.id != 0, cases[i].divided);
        assert_int_equal(weir_stream_interval(g), cases[i].interval);
        weir_graph_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(targets_are_met_with_divisors),
        TEST(budgets_buy_the_shortest_interval),
        TEST(what_cannot_be_is_said),
        TEST(the_file_decides),
        TEST(what_the_file_leaves_open),
        TEST(blocks_go_where_they_save),
        TEST(products_by_hand),
        TEST(words_fit_in_vectors),
        TEST(thresholds_by_channel_are_searched),
        TEST(too_much_in_a_cycle),
        TEST(errors_in_the_file),
        TEST(foldings_that_cannot_be),
        TEST(a_window_sets_the_pace),
        TEST(a_setting_sets_the_pace),
        TEST(channels_are_computed_side_by_side),
        TEST(pixels_are_computed_side_by_side),
        TEST(pixels_stay_in_the_budget),
        TEST(pixels_by_hand),
        TEST(groups_take_whole_windows),
        TEST(channels_that_stay_in_a_row),
        TEST(a_window_is_divided_where_it_is_too_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
