/* Settings of PLLs: within the ranges of the device, exact, and as near to what is wanted as those of the families' own
 * tools, whose results are in data/pll.csv with the commands that made them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/clock.h"
#include "common/messages.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static weir_device *read_device(const char *name) {
    int status;
    weir_device *device = weir_device_read(name, &status);
    assert_non_null(device);
    return device;
}

static long long value_of(const weir_clock *clock, const char *name) {
    for (size_t i = 0; i < clock->parameters; i++) {
        const char *text = clock->parameter[i].value;
        if (strcmp(clock->parameter[i].name, name) != 0) continue;
        if (strchr(text, '\'') != NULL) text = strchr(text, '\'') + 2;
        return strtoll(*text == '"' ? text + 1 : text, NULL, 10);
    }
    fail_msg("no parameter %s", name);
    return 0;
}

/* The frequency that the data sheet's formula makes of the parameters. */
static double made_by(const weir_clock *clock) {
    const double in = (double)clock->input_hz;
    if (clock->module == NULL) return in;
#define P(name) ((double)value_of(clock, name))
    if (strncmp(clock->module, "weir_pll_ice40", 14) == 0)
        return in / (P("DIVR") + 1) * (P("DIVF") + 1) / (double)(1 << value_of(clock, "DIVQ"));
    if (strcmp(clock->module, "weir_pll_ecp5") == 0)
        return in / P("CLKI_DIV") * P("CLKFB_DIV") * P("CLKOP_DIV") / P("CLKOS_DIV");
    if (strcmp(clock->module, "weir_pll_gowin") == 0) return in / (P("IDIV_SEL") + 1) * (P("FBDIV_SEL") + 1);
    if (strcmp(clock->module, "weir_pll_xilinx7") == 0)
        return in / P("DIVCLK_DIVIDE") * P("CLKFBOUT_MULT") / P("CLKOUT0_DIVIDE");
#undef P
    assert_string_equal(clock->module, "weir_pll_gatemate");
    for (size_t i = 0; i < clock->parameters; i++)
        if (strcmp(clock->parameter[i].name, "OUT_CLK") == 0) return 1e6 * strtod(clock->parameter[i].value + 1, NULL);
    return 0;
}

static double off(double a, double b) { return a > b ? a - b : b - a; }

/* The oscillator by the formula of the data sheet; 0: the tool chooses it. */
static double vco_of(const weir_clock *clock) {
    if (strncmp(clock->module, "weir_pll_ice40", 14) == 0)
        return made_by(clock) * (double)(1 << value_of(clock, "DIVQ"));
    if (strcmp(clock->module, "weir_pll_ecp5") == 0) return made_by(clock) * (double)value_of(clock, "CLKOS_DIV");
    if (strcmp(clock->module, "weir_pll_gowin") == 0) return made_by(clock) * (double)value_of(clock, "ODIV_SEL");
    if (strcmp(clock->module, "weir_pll_xilinx7") == 0)
        return made_by(clock) * (double)value_of(clock, "CLKOUT0_DIVIDE");
    return 0;
}

static void check_clock(const weir_device *device, const weir_clock *clock) {
    const double exact = (double)clock->input_hz * (double)clock->multiply / (double)clock->divide;
    assert_true(off(made_by(clock), exact) < 1);
    assert_true((double)clock->hz <= exact && exact - (double)clock->hz < 1);
    if (clock->module == NULL) return;
    const double vco = vco_of(clock);
    assert_true(vco == 0 ||
                (vco >= (double)device->pll.vco.low * 1e3 - 1 && vco <= (double)device->pll.vco.high * 1e3 + 1));
    assert_true(exact >= (double)device->pll.output.low * 1e3 && exact <= (double)device->pll.output.high * 1e3);
}

/* Every clock that is asked for of every device: right by the formulas, and the next lower one is lower. */
static void formulas(void **state) {
    (void)state;
    static const struct {
        const char *device;
        int64_t input;
    } all[] = {{"ice40up5k", 12000000}, {"ice40hx8k", 100000000}, {"ecp5-25k", 25000000}, {"ecp5-85k", 48000000},
               {"gw1nr-9", 27000000},   {"gw2ar-18", 27000000},   {"xc7a35t", 100000000}, {"ccgm1a1", 10000000}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_device *device = read_device(all[i].device);
        for (int64_t wanted = 20000000; wanted <= 200000000; wanted += 7300000) {
            weir_clock clock, lower;
            assert_true(weir_clock_find(device, all[i].input, false, wanted, &clock));
            check_clock(device, &clock);
            assert_true(off((double)clock.hz, (double)wanted) < 0.2 * (double)wanted);
            assert_true(weir_clock_below(device, all[i].input, false, clock.hz, &lower));
            check_clock(device, &lower);
            assert_true(lower.multiply * clock.divide < clock.multiply * lower.divide);
        }
        weir_device_free(device);
    }
}

/* Lines of data/pll.csv: what Weir makes is no further off than the tool's clock. Trellis' tool lets the detector run
 * slower than the data sheet does, so that its clocks may be nearer; then they are so by less than a step of the
 * detector's. */
static void as_near_as_the_tools(void **state) {
    (void)state;
    if (getenv("WEIR_SOURCE") == NULL) skip();
    static const struct {
        const char *tool, *device;
    } tools[] = {{"icepll", "ice40up5k"}, {"ecppll", "ecp5-25k"}, {"gowin_pll", "gw1nr-9"}};
    char *path = weir_path_join(getenv("WEIR_SOURCE"), "tests/unit/data/pll.csv");
    size_t size, lines = 0, nearer = 0;
    char *text = weir_file_read(path, &size);
    assert_non_null(text);
    weir_device *devices[] = {read_device("ice40up5k"), read_device("ecp5-25k"), read_device("gw1nr-9")};
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
        char tool[16];
        double in, wanted, achieved;
        if (sscanf(line, "%15[a-z_],%lf,%lf,%lf", tool, &in, &wanted, &achieved) != 4) continue;
        for (size_t i = 0; i < 3; i++) {
            weir_clock clock;
            if (strcmp(tool, tools[i].tool) != 0) continue;
            const weir_device_range range = devices[i]->pll.output; /* which icepll's result may leave */
            if (achieved * 1e3 < (double)range.low || achieved * 1e3 > (double)range.high) continue;
            weir_diag_log *log = weir_diag_capture();
            const bool found = weir_clock_find(devices[i], (int64_t)(in * 1e6), false, (int64_t)(wanted * 1e6), &clock);
            weir_diag_release(log);
            weir_diag_log_free(log);
            if (!found) { /* beyond all that can be made: the tool's clock is the nearest */
                assert_true(weir_clock_find(devices[i], (int64_t)(in * 1e6), false, (int64_t)(achieved * 1e6), &clock));
                wanted = achieved;
            }
            const double ours = off(made_by(&clock) / 1e6, wanted), theirs = off(achieved, wanted);
            if (i == 1 && ours > theirs + 0.002) nearer++;
            else if (ours > theirs + 0.002)
                fail_msg("%s: %g of %g MHz: %g MHz, by Weir %g", tool, wanted, in, achieved, made_by(&clock) / 1e6);
            lines++;
        }
    }
    printf("%zu clocks as near as the tools'; ecppll nearer in %zu\n", lines - nearer, nearer);
    assert_true(lines >= 130 && nearer <= 6);
    for (size_t i = 0; i < 3; i++) weir_device_free(devices[i]);
    free(text);
    free(path);
}

/* The dividers that icepll prints: 12 MHz to 48, and to 50.25 for 50. */
static void dividers(void **state) {
    (void)state;
    weir_device *device = read_device("ice40up5k");
    weir_clock clock;
    assert_true(weir_clock_find(device, 12000000, true, 48000000, &clock));
    assert_string_equal(clock.module, "weir_pll_ice40_pad");
    assert_int_equal(value_of(&clock, "DIVR"), 0);
    assert_int_equal(value_of(&clock, "DIVF"), 63);
    assert_int_equal(value_of(&clock, "DIVQ"), 4);
    assert_int_equal(value_of(&clock, "FILTER_RANGE"), 1);
    assert_true(weir_clock_find(device, 12000000, false, 50000000, &clock));
    assert_string_equal(clock.module, "weir_pll_ice40");
    assert_int_equal(value_of(&clock, "DIVF"), 66);
    assert_int_equal(clock.hz, 50250000);
    assert_true(
        weir_clock_find(device, 12000000, false, 12000000, &clock)); /* below the PLL's range: the input itself */
    assert_null(clock.module);
    assert_true(clock.multiply == 1 && clock.divide == 1 && clock.parameters == 0);
    assert_false(weir_clock_below(device, 12000000, false, 12000000, &clock));
    weir_device_free(device);
}

static void refused(void **state) {
    (void)state;
    weir_device *device = read_device("ice40up5k");
    weir_clock clock;
    weir_diag_log *log = weir_diag_capture();
    assert_false(weir_clock_find(device, 12000000, false, 3000000, &clock));
    assert_false(weir_clock_find(device, 12000000, false, 300000000, &clock));
    device->pll.vco.high = 0; /* nothing is known of its PLL */
    assert_false(weir_clock_find(device, 12000000, false, 48000000, &clock));
    weir_diag_release(log);
    ASSERT_SAID(log, 0, "a clock of 3 MHz cannot be made by ice40up5k; the nearest is 12 MHz");
    ASSERT_SAID(log, 1, "a clock of 300 MHz cannot be made by ice40up5k; the nearest is 270 MHz");
    ASSERT_SAID(log, 2, "a clock of 48 MHz cannot be made by ice40up5k; the nearest is 12 MHz");
    weir_diag_log_free(log);
    weir_device_free(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(formulas), cmocka_unit_test(as_near_as_the_tools),
                                       cmocka_unit_test(dividers), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
