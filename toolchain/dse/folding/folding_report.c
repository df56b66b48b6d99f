#include "dse/folding/folding_report.h"

#include <assert.h>
#include <string.h>

enum { RESOURCES = WEIR_KNAPSACK_RESOURCES };

static const char *const names[] = {"throughput", "latency", "area", "energy"};

bool weir_folding_objective_parse(const char *text, weir_folding_objective *objective) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *objective = (weir_folding_objective)i;
        if (strcmp(text, names[i]) == 0) return true;
    }
    return false;
}

static double gap_of(const weir_folding_report *report) {
    return report->value > report->bound ? (double)(report->value - report->bound) / (double)report->value : 0;
}

static const char *unit_of(weir_folding_objective objective) {
    return objective == WEIR_FOLDING_AREA ? "LUTs" : objective == WEIR_FOLDING_ENERGY ? "pJ" : "cycles";
}

/* Of the objective in its unit. */
static int64_t shown(const weir_folding_report *report, int64_t value) {
    assert(value >= 0 || report->objective == WEIR_FOLDING_LATENCY);
    return report->objective == WEIR_FOLDING_AREA     ? value >> 20
           : report->objective == WEIR_FOLDING_ENERGY ? value / 1000
                                                      : value;
}

json_t *weir_folding_report_json(const weir_folding_report *report) {
    static const char *const keys[] = {"luts", "flip_flops", "multipliers", "memory_blocks"};
    json_t *resources = json_object();
    for (int r = 0; r < RESOURCES; r++)
        json_object_set_new(resources, keys[r],
                            json_pack("{s:I, s:I, s:I, s:I, s:I}", "used", (json_int_t)report->used[r], "fifos",
                                      (json_int_t)report->fifos[r], "budget", (json_int_t)report->budget[r], "margin",
                                      (json_int_t)report->margin[r], "available", (json_int_t)report->available[r]));
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:s, s:f, s:b, s:I, s:I, s:o}", "objective", names[report->objective],
                     "interval", (json_int_t)report->interval, "latency", (json_int_t)report->latency, "value",
                     (json_int_t)shown(report, report->value), "bound", (json_int_t)shown(report, report->bound),
                     "unit", unit_of(report->objective), "gap", gap_of(report), "optimal",
                     report->value <= report->bound, "intervals", (json_int_t)report->intervals, "steps",
                     (json_int_t)report->steps, "resources", resources);
}

static long long number(const json_t *report, const char *key) {
    return (long long)json_integer_value(json_object_get(report, key));
}

/* A line, where something is left free. */
static void print_margins(const json_t *resources, weir_text *text) {
    static const char *const keys[] = {"luts", "flip_flops"}, *const kinds[] = {"LUTs", "flip-flops"};
    bool any = false;
    for (size_t r = 0; r < sizeof keys / sizeof *keys; r++) {
        const json_t *of = json_object_get(resources, keys[r]);
        if (number(of, "margin") == 0) continue;
        weir_text_format(text, "%s%lld of %lld %s",
                         any ? ", " : "  left free, because estimates are off by as much: ", number(of, "margin"),
                         number(of, "available"), kinds[r]);
        any = true;
    }
    if (any) weir_text_char(text, '\n');
}

void weir_folding_report_print(const json_t *report, weir_text *text) {
    const char *unit = json_string_value(json_object_get(report, "unit"));
    weir_text_format(text, "folding for %s: %lld cycles a frame, %lld from its first beat to its last result\n",
                     json_string_value(json_object_get(report, "objective")), number(report, "interval"),
                     number(report, "latency"));
    weir_text_format(text, "  %lld %s%s; of all foldings for %lld intervals none takes fewer than %lld (gap ",
                     number(report, "value"), unit, json_is_true(json_object_get(report, "optimal")) ? ", optimal" : "",
                     number(report, "intervals"), number(report, "bound"));
    weir_text_format(text, "%.2f %%)\n", 100 * json_real_value(json_object_get(report, "gap")));
    print_margins(json_object_get(report, "resources"), text);
}
