/* Ranges are in the device profiles, with the vendors' data sheets. Dividers:
 *   iCE40    Lattice FPGA-TN-02052, iCE40 sysCLOCK PLL Design and User Guide: out = in / (DIVR + 1) * (DIVF + 1) /
 *            2^DIVQ, feedback SIMPLE; DIVR 4 bits, DIVF 7 bits, DIVQ 1 to 6; FILTER_RANGE by the frequency of the phase
 *            detector
 *   ECP5     Lattice FPGA-TN-02200, ECP5 and ECP5-5G sysCLOCK PLL/DLL Design and User Guide: VCO = in / CLKI_DIV *
 *            CLKFB_DIV * CLKOP_DIV, feedback CLKOP; out = VCO / CLKOS_DIV; all of 1 to 128
 *   Gowin    UG286, Gowin Clock User Guide, rPLL: out = in / (IDIV_SEL + 1) * (FBDIV_SEL + 1), VCO = out * ODIV_SEL
 *   GateMate Cologne Chip UG1001, GateMate Primitives Library, CC_PLL: the placement tool chooses dividers of REF_CLK
 *   for OUT_CLK: in * N1 *
 *            N2 / (2 * M1 * M2) with N1, M1 up to 64, N2, M2 up to 1024, M1 * M2 1 or even (nextpnr,
 *            himbaechel/uarch/gatemate/pll.cc)
 *   Xilinx 7 AMD UG472, 7 Series FPGAs Clocking Resources, PLLE2_BASE: VCO = in / DIVCLK_DIVIDE * CLKFBOUT_MULT, out =
 *   VCO / CLKOUT0_DIVIDE */
#include "board/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/text/diag.h"

typedef enum search_aim { NEAREST, BELOW, LOWEST, HIGHEST } search_aim;

/* A setting: the clock is input * multiply / divide; the family's own dividers. */
typedef struct setting {
    int64_t multiply, divide, detector, vco; /* `detector`: what the input is divided by; `vco`: Hz, rounded down */
    int64_t divider[4];
} setting;

typedef struct search {
    const weir_device *device;
    int64_t input, wanted;
    search_aim aim;
    bool found;
    setting best;
} search;

/* Sign of the difference of two clocks, as fractions of the input. */
static int compare(const setting *a, const setting *b) {
    const int64_t left = a->multiply * b->divide, right = b->multiply * a->divide;
    return (left > right) - (left < right);
}

/* input * multiply / divide - wanted, times divide. */
static int64_t error_of(const search *s, const setting *a) { return s->input * a->multiply - s->wanted * a->divide; }

static bool is_nearer(const search *s, const setting *a) {
    const int64_t middle = (s->device->pll.vco.low + s->device->pll.vco.high) * 500;
    const int64_t left = llabs(error_of(s, a)) * s->best.divide, right = llabs(error_of(s, &s->best)) * a->divide;
    if (left != right) return left < right;
    if (a->detector != s->best.detector) return a->detector < s->best.detector; /* a fast detector jitters less */
    return llabs(a->vco - middle) < llabs(s->best.vco - middle);
}

static void consider(search *s, const setting *a) {
    if (s->aim == BELOW && error_of(s, a) >= 0) return;
    const int order = s->found ? compare(a, &s->best) : 0;
    bool better = !s->found;
    if (s->found) {
        switch (s->aim) {
        case LOWEST: better = order < 0; break;
        case HIGHEST: better = order > 0; break;
        case NEAREST:
        case BELOW: better = is_nearer(s, a); break;
        }
    }
    if (!better) return;
    s->found = true;
    s->best = *a;
}

/* Is hz = input * multiply / divide within the range? */
static bool within(const search *s, int64_t multiply, int64_t divide, weir_device_range range) {
    const int64_t value = s->input * multiply;
    return value >= range.low * 1000 * divide && value <= range.high * 1000 * divide;
}

/* --- the families --- */

static void search_ice40(search *s) {
    for (int64_t r = 0; r <= 15; r++) {
        if (!within(s, 1, r + 1, s->device->pll.detector)) continue;
        for (int64_t f = 0; f <= 127; f++) {
            if (!within(s, f + 1, r + 1, s->device->pll.vco)) continue;
            for (int64_t q = 1; q <= 6; q++) {
                const setting a = {f + 1, (r + 1) << q, r + 1, s->input * (f + 1) / (r + 1), {r, f, q, 0}};
                if (within(s, a.multiply, a.divide, s->device->pll.output)) consider(s, &a);
            }
        }
    }
}

/* Of the factors of the VCO's multiple the smallest for the feedback that leaves 1 to 128 to CLKOP. */
static int64_t ecp5_feedback(int64_t multiple) {
    int64_t feedback = 1;
    while (multiple % feedback != 0 || multiple / feedback > 128) feedback++;
    return feedback <= 128 ? feedback : 0;
}

static void search_ecp5(search *s) {
    for (int64_t i = 1; i <= 128; i++) {
        if (!within(s, 1, i, s->device->pll.detector)) continue;
        for (int64_t m = 1; within(s, m, i, (weir_device_range){0, s->device->pll.vco.high}); m++) {
            const int64_t f = ecp5_feedback(m);
            if (f == 0 || !within(s, m, i, s->device->pll.vco) || !within(s, f, i, s->device->pll.input)) continue;
            for (int64_t o = 1; o <= 128; o++) {
                const setting a = {m, i * o, i, s->input * m / i, {i, f, m / f, o}};
                if (within(s, m, i * o, s->device->pll.output)) consider(s, &a);
            }
        }
    }
}

static void search_gowin(search *s) {
    static const int64_t outputs[] = {2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128};
    for (int64_t i = 0; i <= 63; i++) {
        if (!within(s, 1, i + 1, s->device->pll.detector)) continue;
        for (int64_t f = 0; f <= 63; f++) {
            if (!within(s, f + 1, i + 1, s->device->pll.output)) continue;
            for (size_t o = 0; o < sizeof outputs / sizeof *outputs; o++) {
                const int64_t m = (f + 1) * outputs[o];
                const setting a = {f + 1, i + 1, i + 1, s->input * m / (i + 1), {i, f, outputs[o], 0}};
                if (within(s, m, i + 1, s->device->pll.vco)) consider(s, &a);
            }
        }
    }
}

/* Two factors of at most 64 and 1,024: the second divider takes half of what the first does, which is four times the
 * output's most. `vco`: half of the oscillator's frequency. */
static bool gatemate_splits(const search *s, int64_t vco, int64_t value) {
    const int64_t most = s->device->pll.output.high * 1000 * 2;
    for (int64_t a = 1; a <= 64; a++)
        if (value % a == 0 && value / a <= 1024 && vco <= most * a) return true;
    return false;
}

/* Of the clocks that can be made those of whole tenths of a megahertz, which text tells exactly. Twice the input's
 * multiple is the oscillator's: PDIV1 is 2. */
static void search_gatemate(search *s) {
    const int64_t step = 100000;
    for (int64_t n = 1; within(s, 2 * n, 1, (weir_device_range){0, s->device->pll.vco.high}); n++) {
        if (!within(s, 2 * n, 1, s->device->pll.vco) || !gatemate_splits(s, s->input * n, n)) continue;
        for (int64_t m = 1; m <= 65536; m = m == 1 ? 2 : m + 2) {
            const setting a = {n, 2 * m, 1, s->input * 2 * n, {0, 0, 0, 0}};
            if (!within(s, n, 2 * m, (weir_device_range){s->device->pll.output.low, INT32_MAX})) break;
            if (s->input * n % (2 * m) != 0 || s->input * n / (2 * m) % step != 0 ||
                !gatemate_splits(s, s->input * n, m))
                continue;
            if (within(s, n, 2 * m, s->device->pll.output)) consider(s, &a);
        }
    }
}

static void search_xilinx7(search *s) {
    for (int64_t d = 1; d <= 56; d++) {
        if (!within(s, 1, d, s->device->pll.detector)) continue;
        for (int64_t m = 2; m <= 64; m++) {
            if (!within(s, m, d, s->device->pll.vco)) continue;
            for (int64_t o = 1; o <= 128; o++) {
                const setting a = {m, d * o, d, s->input * m / d, {d, m, o, 0}};
                if (within(s, m, d * o, s->device->pll.output)) consider(s, &a);
            }
        }
    }
}

/* --- what the wrapper is told --- */

static char *parameter(weir_clock *clock, const char *name) {
    assert(clock->parameters < WEIR_CLOCK_PARAMETERS);
    weir_clock_parameter *p = &clock->parameter[clock->parameters++];
    p->name = name;
    return p->value;
}

static void number(weir_clock *clock, const char *name, int64_t value) {
    snprintf(parameter(clock, name), WEIR_CLOCK_VALUE, "%lld", (long long)value);
}

static void bits(weir_clock *clock, const char *name, int width, int64_t value) {
    snprintf(parameter(clock, name), WEIR_CLOCK_VALUE, "%d'd%lld", width, (long long)value);
}

/* "27", "33.333": megahertz in quotes, without zeros at the end. */
static void megahertz(weir_clock *clock, const char *name, int64_t hz) {
    char *text = parameter(clock, name);
    snprintf(text, WEIR_CLOCK_VALUE, "\"%lld.%06lld", (long long)(hz / 1000000), (long long)(hz % 1000000));
    size_t size = strlen(text);
    while (text[size - 1] == '0') size--;
    if (text[size - 1] == '.') size--;
    text[size] = '"';
    text[size + 1] = '\0';
}

static void tell_ice40(const setting *a, bool pad, weir_clock *clock) {
    static const int64_t filters[] = {17, 26, 44, 66, 101}; /* MHz at the detector: from there on the next filter */
    int64_t filter = 1;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        filter += clock->input_hz >= filters[i] * 1000000 * a->detector;
    clock->module = pad ? "weir_pll_ice40_pad" : "weir_pll_ice40";
    bits(clock, "DIVR", 4, a->divider[0]);
    bits(clock, "DIVF", 7, a->divider[1]);
    bits(clock, "DIVQ", 3, a->divider[2]);
    bits(clock, "FILTER_RANGE", 3, filter);
}

static void tell_ecp5(const setting *a, bool pad, weir_clock *clock) {
    (void)pad;
    clock->module = "weir_pll_ecp5";
    number(clock, "CLKI_DIV", a->divider[0]);
    number(clock, "CLKFB_DIV", a->divider[1]);
    number(clock, "CLKOP_DIV", a->divider[2]);
    number(clock, "CLKOS_DIV", a->divider[3]);
}

static void tell_gowin(const setting *a, bool pad, weir_clock *clock) {
    (void)pad;
    clock->module = "weir_pll_gowin";
    megahertz(clock, "FCLKIN", clock->input_hz);
    number(clock, "IDIV_SEL", a->divider[0]);
    number(clock, "FBDIV_SEL", a->divider[1]);
    number(clock, "ODIV_SEL", a->divider[2]);
}

static void tell_gatemate(const setting *a, bool pad, weir_clock *clock) {
    (void)a;
    (void)pad;
    clock->module = "weir_pll_gatemate";
    megahertz(clock, "REF_CLK", clock->input_hz);
    megahertz(clock, "OUT_CLK", clock->hz);
}

static void tell_xilinx7(const setting *a, bool pad, weir_clock *clock) {
    (void)pad;
    clock->module = "weir_pll_xilinx7";
    number(clock, "CLKIN_HZ", clock->input_hz);
    number(clock, "DIVCLK_DIVIDE", a->divider[0]);
    number(clock, "CLKFBOUT_MULT", a->divider[1]);
    number(clock, "CLKOUT0_DIVIDE", a->divider[2]);
}

static const struct {
    void (*search)(search *s);
    void (*tell)(const setting *a, bool pad, weir_clock *clock);
} families[WEIR_DEVICE_FAMILIES] = {
    [WEIR_DEVICE_ICE40] = {search_ice40, tell_ice40},          [WEIR_DEVICE_ECP5] = {search_ecp5, tell_ecp5},
    [WEIR_DEVICE_GOWIN] = {search_gowin, tell_gowin},          [WEIR_DEVICE_XILINX7] = {search_xilinx7, tell_xilinx7},
    [WEIR_DEVICE_GATEMATE] = {search_gatemate, tell_gatemate},
};

static search look(const weir_device *device, int64_t input_hz, int64_t wanted_hz, search_aim aim) {
    search s = {.device = device, .input = input_hz, .wanted = wanted_hz, .aim = aim};
    const setting direct = {1, 1, 0, 0, {0, 0, 0, 0}}; /* no detector: the input itself is the best of equals */
    consider(&s, &direct);
    if (device->pll.vco.high > 0 && within(&s, 1, 1, device->pll.input)) families[device->family].search(&s);
    return s;
}

static int64_t greatest_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void tell(const search *s, bool pad, weir_clock *clock) {
    const setting *a = &s->best;
    const int64_t divisor = greatest_divisor(a->multiply, a->divide);
    *clock = (weir_clock){.input_hz = s->input, .multiply = a->multiply / divisor, .divide = a->divide / divisor};
    clock->hz = s->input * clock->multiply / clock->divide;
    if (a->detector == 0) return;
    clock->vco_khz = a->vco / 1000;
    families[s->device->family].tell(a, pad, clock);
}

static void add_megahertz(weir_text *text, const search *s) {
    weir_text_double(text, (double)s->input * (double)s->best.multiply / (double)s->best.divide / 1e6);
}

bool weir_clock_find(const weir_device *device, int64_t input_hz, bool pad, int64_t wanted_hz, weir_clock *clock) {
    const search lowest = look(device, input_hz, wanted_hz, LOWEST),
                 highest = look(device, input_hz, wanted_hz, HIGHEST);
    const search *bound = error_of(&lowest, &lowest.best) > 0     ? &lowest
                          : error_of(&highest, &highest.best) < 0 ? &highest
                                                                  : NULL;
    if (bound != NULL) {
        weir_text nearest = {NULL, 0, 0}, wanted = {NULL, 0, 0};
        add_megahertz(&nearest, bound);
        weir_text_double(&wanted, (double)wanted_hz / 1e6);
        weir_error(WEIR_NOWHERE, "a clock of %s MHz cannot be made by %s; the nearest is %s MHz", wanted.data,
                   device->name, nearest.data);
        weir_text_free(&nearest);
        weir_text_free(&wanted);
        return false;
    }
    const search s = look(device, input_hz, wanted_hz, NEAREST);
    tell(&s, pad, clock);
    return true;
}

bool weir_clock_below(const weir_device *device, int64_t input_hz, bool pad, int64_t limit_hz, weir_clock *clock) {
    const search s = look(device, input_hz, limit_hz, BELOW);
    if (s.found) tell(&s, pad, clock);
    return s.found;
}

/* --- printing --- */

void weir_clock_print(const weir_clock *clock, weir_text *text) {
    weir_text_double(text, (double)clock->input_hz * (double)clock->multiply / (double)clock->divide / 1e6);
    weir_text_add(text, " MHz");
    if (clock->module == NULL) {
        weir_text_add(text, ", without a PLL\n");
        return;
    }
    weir_text_format(text, " = input * %lld / %lld, VCO ", (long long)clock->multiply, (long long)clock->divide);
    weir_text_double(text, (double)clock->vco_khz / 1e3);
    weir_text_format(text, " MHz: %s", clock->module);
    for (size_t i = 0; i < clock->parameters; i++)
        weir_text_format(text, "%s%s=%s", i == 0 ? " " : ", ", clock->parameter[i].name, clock->parameter[i].value);
    weir_text_char(text, '\n');
}

json_t *weir_clock_json(const weir_clock *clock) {
    json_t *parameters = json_object();
    for (size_t i = 0; i < clock->parameters; i++)
        json_object_set_new(parameters, clock->parameter[i].name, json_string(clock->parameter[i].value));
    return json_pack("{s:I, s:I, s:I, s:I, s:s?, s:I, s:o}", "hz", (json_int_t)clock->hz, "input_hz",
                     (json_int_t)clock->input_hz, "multiply", (json_int_t)clock->multiply, "divide",
                     (json_int_t)clock->divide, "module", clock->module, "vco_khz", (json_int_t)clock->vco_khz,
                     "parameters", parameters);
}
