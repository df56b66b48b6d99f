/* What hardware takes of a device: estimates against what Yosys made of the same modules (scripts/cost/measured.csv),
 * and blocks and multipliers against hand-made sums over the vendors' shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cost_rows.h"
#include "common/messages.h"
#include "dataflow/cost/cost.h"
#include "ir/graph/print.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static weir_device *read_device(const char *name) {
    int status;
    weir_device *device = weir_device_read(name, &status);
    assert_non_null(device);
    return device;
}

/* --- against Yosys and nextpnr --- */

/* Rows of a family of devices; how far estimates, scaled, are from them. */
typedef struct family {
    size_t count, exact;        /* rows; those with exactly so many flip-flops */
    size_t multipliers, blocks; /* rows that are off */
    cost_spread luts, flip_flops, clock;
} family;

/* A table of scripts/; the test is skipped without the sources. */
static cost_rows read_rows(const char *file) {
    if (getenv("WEIR_SOURCE") == NULL) skip();
    char *path = weir_format("%s/scripts/%s", getenv("WEIR_SOURCE"), file);
    cost_rows rows;
    assert_true(cost_rows_read(path, &rows));
    free(path);
    return rows;
}

static family compare(const cost_rows *rows, weir_device_family wanted, double scale) {
    double *luts = weir_calloc(rows->count + 1, sizeof *luts),
           *flip_flops = weir_calloc(rows->count + 1, sizeof *flip_flops),
           *clocks = weir_calloc(rows->count + 1, sizeof *clocks);
    family f = {.count = 0};
    for (size_t i = 0; i < rows->count; i++) {
        const cost_row *row = &rows->item[i];
        const weir_cost *m = &row->measured;
        weir_cost cost;
        if (row->device->family != (int64_t)wanted) continue;
        assert_true(cost_rows_estimate(row, &cost));
        luts[f.count] = cost_rows_error((double)cost.luts * scale, m->luts);
        flip_flops[f.count] = cost_rows_error((double)cost.flip_flops * scale, m->flip_flops);
        if (row->fmax_mhz > 0) clocks[f.count] = fabs(weir_cost_mhz(&cost) * scale - row->fmax_mhz) / row->fmax_mhz;
        f.count++;
        f.exact += (double)cost.flip_flops * scale == (double)m->flip_flops;
        f.multipliers += cost.multipliers != m->multipliers;
        f.blocks += cost.memory_blocks != m->memory_blocks;
    }
    f.luts = cost_rows_spread(luts, f.count);
    f.flip_flops = cost_rows_spread(flip_flops, f.count);
    f.clock = cost_rows_spread(clocks, f.count);
    free(luts);
    free(flip_flops);
    free(clocks);
    return f;
}

static bool is_within(const cost_spread *spread, double median, double ninth, double worst) {
    return spread->median <= median && spread->ninth <= ninth && spread->worst <= worst;
}

/* The bounds that toolchain/dataflow/README.md tells, of lookup tables; nothing is measured of the families after
 * these. */
enum { MEASURED = WEIR_DEVICE_XILINX7 + 1 };
static const cost_spread bounds[MEASURED] = {[WEIR_DEVICE_ICE40] = {0.03, 0.10, 0.26},
                                             [WEIR_DEVICE_ECP5] = {0.035, 0.13, 0.39},
                                             [WEIR_DEVICE_GOWIN] = {0.02, 0.09, 0.32},
                                             [WEIR_DEVICE_XILINX7] = {0.03, 0.13, 0.33}};

static bool is_near(const family *f, const cost_spread *luts) {
    return is_within(&f->luts, luts->median, luts->ninth, luts->worst) && is_within(&f->flip_flops, 0, 0.11, 0.80) &&
           f->exact * 100 >= f->count * 70 && f->multipliers * 50 <= f->count && f->blocks <= 1;
}

static void estimates_are_near_yosys(void **state) {
    (void)state;
    cost_rows rows = read_rows("cost/measured.csv");
    for (size_t i = 0; i < MEASURED; i++) {
        const family f = compare(&rows, (weir_device_family)i, 1);
        printf(
            "%s: %zu modules: lookup tables off by %.1f %% (median), %.1f %% (nine of ten), %.1f %% (worst); flip-flops "
            "exact in %zu, off by %.1f %% (nine of ten), %.1f %% (worst); off: multipliers %zu, memory blocks %zu\n",
            weir_device_family_name((weir_device_family)i), f.count, 100 * f.luts.median, 100 * f.luts.ninth,
            100 * f.luts.worst, f.exact, 100 * f.flip_flops.ninth, 100 * f.flip_flops.worst, f.multipliers, f.blocks);
        assert_true(f.count >= 240);
        assert_true(is_near(&f, &bounds[i]));
        const family planted = compare(&rows, (weir_device_family)i, 1.4); /* 40 % too many */
        assert_false(is_near(&planted, &bounds[i]));
    }
    cost_rows_free(&rows);
}

/* What instances take inside of networks: lookup tables of the fewest, not of the fewest levels. */
static void estimates_are_near_yosys_in_networks(void **state) {
    (void)state;
    cost_rows rows = read_rows("estimates/instances.csv");
    for (size_t i = 0; i < MEASURED; i++) {
        const family f = compare(&rows, (weir_device_family)i, 1), planted = compare(&rows, (weir_device_family)i, 1.4);
        printf("%s: %zu instances: lookup tables off by %.1f %% (median), %.1f %% (nine of ten), blocks in %zu\n",
               weir_device_family_name((weir_device_family)i), f.count, 100 * f.luts.median, 100 * f.luts.ninth,
               f.blocks);
        assert_true(f.count >= 30);
        assert_true(is_within(&f.luts, 0.08, 0.70, 2));
        assert_false(is_within(&planted.luts, 0.08, 0.70, 2));
    }
    cost_rows_free(&rows);
}

static void clocks_are_near_nextpnr(void **state) {
    (void)state;
    cost_rows rows = read_rows("cost/placed.csv");
    static const weir_device_family placed[] = {WEIR_DEVICE_ICE40, WEIR_DEVICE_ECP5};
    for (size_t i = 0; i < sizeof placed / sizeof *placed; i++) {
        const family f = compare(&rows, placed[i], 1), planted = compare(&rows, placed[i], 1.4);
        printf("%s: %zu modules placed: clocks off by %.1f %% (median), %.1f %% (nine of ten), %.1f %% (worst)\n",
               weir_device_family_name(placed[i]), f.count, 100 * f.clock.median, 100 * f.clock.ninth,
               100 * f.clock.worst);
        assert_true(f.count >= 30);
        assert_true(is_within(&f.clock, 0.12, 0.30, 0.40));
        assert_false(is_within(&planted.clock, 0.12, 0.30, 0.40));
    }
    cost_rows_free(&rows);
}

/* --- shapes --- */

static int64_t blocks_of(const weir_device *device, int64_t width, int64_t depth) {
    weir_cost_part part = {.device = device, .term = {1}, .terms = 1};
    weir_cost_blocks(&part, width, depth);
    return part.cost.memory_blocks;
}

static void memory_blocks(void **state) {
    (void)state;
    weir_device *ice40 = read_device("ice40up5k"), *ecp5 = read_device("ecp5-25k");
    static const struct {
        int64_t width, depth, ice40, ecp5;
    } cases[] = {{16, 256, 1, 1},  {17, 256, 2, 1}, {16, 257, 2, 1},  {8, 512, 1, 1},   {256, 128, 16, 8},
                 {1, 2048, 1, 1},  {2, 2048, 1, 1}, {3, 2048, 2, 1},  {36, 512, 5, 1},  {37, 512, 5, 2},
                 {18, 1024, 5, 1}, {9, 2048, 5, 1}, {1, 16384, 4, 1}, {1, 16385, 5, 1}, {72, 1024, 18, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(blocks_of(ice40, cases[i].width, cases[i].depth), cases[i].ice40);
        assert_int_equal(blocks_of(ecp5, cases[i].width, cases[i].depth), cases[i].ecp5);
    }
    weir_device_free(ice40);
    weir_device_free(ecp5);
}

static int64_t multipliers_of(const char *name, int64_t a, int64_t b) {
    weir_device *device = read_device(name);
    weir_cost_part part = {.device = device, .term = {1}, .terms = 1};
    weir_cost_products(&part, 1, a, b, a + b);
    /* Either blocks or lookup tables. */
    assert_int_equal(part.cost.multipliers > 0, part.term[1] == 0);
    weir_device_free(device);
    return part.cost.multipliers;
}

static void multipliers(void **state) {
    (void)state;
    assert_int_equal(multipliers_of("ice40hx8k", 8, 8), 0); /* has none */
    assert_int_equal(multipliers_of("ice40up5k", 8, 8), 1);
    assert_int_equal(multipliers_of("ice40up5k", 5, 5), 0); /* 10 bits: too small for Yosys */
    assert_int_equal(multipliers_of("ice40up5k", 17, 16), 2);
    assert_int_equal(multipliers_of("ecp5-25k", 18, 18), 1);
    assert_int_equal(multipliers_of("ecp5-25k", 19, 19), 4);
    assert_int_equal(multipliers_of("gw1nr-9", 18, 18), 0); /* Yosys does not use them */
    assert_int_equal(multipliers_of("xc7a35t", 18, 25), 1); /* either way round */
    assert_int_equal(multipliers_of("xc7a35t", 26, 18), 2);
}

/* Every width of lookup tables that a profile may have, joined or not, prices a clip of any size. */
static void tables_of_any_width(void **state) {
    (void)state;
    weir_device *device = read_device("ecp5-25k");
    for (device->luts.inputs = 2; device->luts.inputs <= 8; device->luts.inputs++) {
        for (device->luts.joined = device->luts.inputs; device->luts.joined <= 12; device->luts.joined++) {
            for (int64_t bits = 9; bits <= 40; bits++) {
                const weir_cost_parameter parameters[] = {{"IN_W", bits}};
                weir_cost cost;
                assert_true(weir_cost_of_module(device, "weir_cast", parameters, 1, &cost));
                assert_true(cost.luts > 0);
            }
        }
    }
    weir_device_free(device);
}

static void a_module_that_nobody_knows(void **state) {
    (void)state;
    weir_device *device = read_device("ecp5-25k");
    weir_cost cost;
    assert_false(weir_cost_of_module(device, "weir_absent", NULL, 0, &cost));
    assert_int_equal(cost.luts + cost.flip_flops + cost.multipliers + cost.memory_blocks, 0);
    weir_device_free(device);
}

/* Everything that is not among the resources is missing by so much. */
static void what_does_not_fit(void **state) {
    (void)state;
    weir_device *device = read_device("ice40up5k");
    weir_cost_report report = {.total = {5281, 5280, 9, 30, 0}};
    weir_diag_log *log = weir_diag_capture();
    assert_false(weir_cost_check(&report, device));
    report.total = (weir_cost){5280, 5280, 8, 30, 0};
    assert_true(weir_cost_check(&report, device));
    weir_diag_release(log);
    assert_int_equal(weir_diag_log_count(log), 3);
    ASSERT_SAID(log, 0, "the estimate does not fit ice40up5k: 5281 LUTs of 5280, 1 too many");
    ASSERT_SAID(log, 1, "the estimate does not fit ice40up5k: 9 multipliers of 8, 1 too many");
    weir_diag_log_free(log);
    weir_device_free(device);
}

/* A state of two elements and its Update, at lanes that change: nothing of the first folding is left. */
static void a_state_in_several_foldings(void **state) {
    (void)state;
    static const char text[] =
        "weir 1\ngraph \"hardware\" from \"s.onnx\"\ninput %x : int8[1,2] integer s8 scale=1 zero=0 range=[-128,127]\n"
        "constant %start : int8[1,2] integer s8 scale=1 zero=0 range=[0,0]\n"
        "s: %s = weir.State(%start) {kept = 1, steps = 1} hardware{module=weir_state in_lanes=1 out_lanes=1 step=9 "
        "rest=1 interval=9}\n    : int8[1,2] integer s8 scale=1 zero=0 range=[-128,127]\n"
        "y: %y = weir.Update(%x, %s) hardware{module=weir_state in_lanes=1 out_lanes=1 digit=1 interval=2}\n"
        "    : int8[1,2] integer s8 scale=1 zero=0 range=[-128,127]\noutput y = %y\n";
    weir_archive archive;
    weir_archive_init(&archive);
    weir_archive_add(&archive, "start", weir_array_new(WEIR_INT8, &(weir_shape){2, {1, 2}}));
    weir_graph *graph = weir_graph_parse(text, strlen(text), &archive, "t.weir");
    weir_archive_free(&archive);
    assert_non_null(graph);
    weir_device *device = read_device("ecp5-85k");
    weir_cost_survey *survey = weir_cost_survey_new(graph, device);
    const weir_node s = weir_graph_first(graph), update = weir_node_next(graph, s);
    const weir_cost narrow = weir_cost_survey_node(survey, update).cost;
    for (weir_node node = s; node.id != 0; node = weir_node_next(graph, node)) {
        weir_meta_hardware *hardware = &weir_node_metadata(graph, node)->hardware;
        hardware->in_lanes = hardware->out_lanes = 2;
    }
    const weir_cost wide = weir_cost_survey_node(survey, update).cost;
    assert_true(wide.flip_flops > narrow.flip_flops);
    weir_cost_survey_free(survey);
    weir_device_free(device);
    weir_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(estimates_are_near_yosys),
                                       cmocka_unit_test(estimates_are_near_yosys_in_networks),
                                       cmocka_unit_test(clocks_are_near_nextpnr),
                                       cmocka_unit_test(memory_blocks),
                                       cmocka_unit_test(multipliers),
                                       cmocka_unit_test(tables_of_any_width),
                                       cmocka_unit_test(a_module_that_nobody_knows),
                                       cmocka_unit_test(what_does_not_fit),
                                       cmocka_unit_test(a_state_in_several_foldings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
