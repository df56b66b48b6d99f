/* What hardware takes of a device: estimates against what Yosys made of the same modules (scripts/cost/measured.csv), and
 * blocks and multipliers against hand-made sums over the vendors' shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/cost.h"
#include "support/arena.h"
#include "support/diag.h"

static weir_device *read_device(const char *name) {
    int status;
    weir_device *device = weir_device_read(name, &status);
    assert_non_null(device);
    return device;
}

/* --- against Yosys --- */

enum { PARAMETERS_MAX = 32, SAMPLES_MAX = 4096, DEVICES = 5 };

static const struct {
    const char *word, *device;
} families[DEVICES] = {{"ice40", "ice40hx8k"},
                       {"ice40u", "ice40up5k"},
                       {"ecp5", "ecp5-25k"},
                       {"gowin", "gw1nr-9"},
                       {"xilinx7", "xc7a35t"}};

typedef struct tally {
    double luts[SAMPLES_MAX];                      /* relative error */
    size_t count, flip_flops, multipliers, blocks; /* rows; those that are off */
} tally;

static void add_row(tally *t, char *row, weir_device *const *devices, double scale) {
    char *cell[7];
    for (size_t i = 0; i < 7; i++) {
        cell[i] = strtok(i == 0 ? row : NULL, ",\n");
        assert_non_null(cell[i]);
    }
    size_t family = 0, count = 0;
    while (family < DEVICES && strcmp(families[family].word, cell[0]) != 0) family++;
    assert_true(family < DEVICES && t->count < SAMPLES_MAX);
    weir_cost_parameter parameters[PARAMETERS_MAX];
    for (char *at = strtok(cell[2], " "); at != NULL && count < PARAMETERS_MAX; at = strtok(NULL, " ")) {
        char *value = strchr(at, '=');
        weir_storage storage;
        *value++ = '\0';
        parameters[count].name = at;
        parameters[count++].value = weir_storage_parse(value, &storage) ? (int64_t)storage : strtoll(value, NULL, 10);
    }
    char *module = weir_format("weir_%s", cell[1]);
    weir_cost cost;
    assert_true(weir_cost_of_module(devices[family], module, parameters, count, &cost));
    free(module);
    const double luts = strtod(cell[3], NULL);
    const int64_t flip_flops = strtoll(cell[4], NULL, 10);
    t->luts[t->count++] = fabs((double)cost.luts * scale - luts) / (luts > 16 ? luts : 16);
    t->flip_flops += llabs(cost.flip_flops - flip_flops) > flip_flops / 10 + 4;
    t->multipliers += cost.multipliers != strtoll(cell[5], NULL, 10);
    const int64_t blocks = strtoll(cell[6], NULL, 10), most = blocks / 4 > 1 ? blocks / 4 : 1;
    t->blocks += llabs(cost.memory_blocks - blocks) > most;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All rows, with lookup tables scaled. */
static tally *compare(double scale) {
    char *path = weir_format("%s/scripts/cost/measured.csv", getenv("WEIR_SOURCE"));
    FILE *file = fopen(path, "r");
    free(path);
    assert_non_null(file);
    weir_device *devices[DEVICES];
    for (size_t i = 0; i < DEVICES; i++) devices[i] = read_device(families[i].device);
    tally *t = weir_calloc(1, sizeof *t);
    char row[1024];
    assert_non_null(fgets(row, sizeof row, file));
    while (fgets(row, sizeof row, file) != NULL) add_row(t, row, devices, scale);
    fclose(file);
    for (size_t i = 0; i < DEVICES; i++) weir_device_free(devices[i]);
    qsort(t->luts, t->count, sizeof *t->luts, ascending);
    return t;
}

/* Lookup tables: half of all within MEDIAN, nine of ten within NINTH. */
#define MEDIAN 0.15
#define NINTH 0.4

static bool is_near(const tally *t) { return t->luts[t->count / 2] <= MEDIAN && t->luts[t->count * 9 / 10] <= NINTH; }

static void estimates_are_near_yosys(void **state) {
    (void)state;
    if (getenv("WEIR_SOURCE") == NULL) skip();
    tally *t = compare(1);
    printf(
        "%zu modules: lookup tables off by %.1f %% (median), %.1f %% (nine of ten), %.1f %% (most); off: flip-flops %zu, "
        "multipliers %zu, memory blocks %zu\n",
        t->count, 100 * t->luts[t->count / 2], 100 * t->luts[t->count * 9 / 10], 100 * t->luts[t->count - 1],
        t->flip_flops, t->multipliers, t->blocks);
    assert_true(t->count >= 100);
    assert_true(is_near(t));
    assert_true(t->flip_flops * 20 <= t->count);
    assert_true(t->multipliers * 20 <= t->count);
    assert_true(t->blocks * 20 <= t->count);
    free(t);
    t = compare(1.4); /* planted: 40 % too many */
    assert_false(is_near(t));
    free(t);
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
                 {18, 1024, 5, 1}, {9, 2048, 5, 1}, {1, 16384, 8, 1}, {1, 16385, 9, 2}, {72, 1024, 18, 4}};
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
    weir_cost_report report = {.total = {5281, 5280, 9, 30}};
    weir_diag_log *log = weir_diag_capture();
    assert_false(weir_cost_check(&report, device));
    report.total = (weir_cost){5280, 5280, 8, 30};
    assert_true(weir_cost_check(&report, device));
    weir_diag_release(log);
    assert_int_equal(weir_diag_log_count(log), 3);
    assert_string_equal(weir_diag_log_at(log, 0)->text,
                        "the estimate does not fit ice40up5k: 5281 LUTs of 5280, 1 too many");
    assert_string_equal(weir_diag_log_at(log, 1)->text,
                        "the estimate does not fit ice40up5k: 9 multipliers of 8, 1 too many");
    weir_diag_log_free(log);
    weir_device_free(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(estimates_are_near_yosys), cmocka_unit_test(memory_blocks),
                                       cmocka_unit_test(multipliers), cmocka_unit_test(a_module_that_nobody_knows),
                                       cmocka_unit_test(what_does_not_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
