/* report_check: asserts what a JSON report of `weir check` or `weir sim` must say.
 *
 *   report_check REPORT --simulator icarus|verilator|both --profile NAME|all --frames N
 *                [--padded] [--no-interval] [--no-debug]
 *
 * The report has schema 3; metrics and the comparison of float and integer results are whole or null. Every run: done,
 * no mismatch, no protocol violation, compared = frames * values. Every simulator: one debug run and one run a profile,
 * no other. Profile always: interval at most 2 % above the ideal one; --padded, for foldings that do not divide: above
 * the folded one. Debug: every weir_mvu is busy for its folded interval a frame, within 2 %, and no node's interval is
 * more than 2 % above the largest ideal (--padded: folded) one. A node's ideal interval is at least 1 and at most its
 * folded one. An interval needs three frames. Prints each violation; exit status 1 when there is one. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double tolerance = 0.02;
static const char *const simulators[] = {"icarus", "verilator"};
static const char *const profiles[] = {"always", "half", "eighth", "after-valid"};
enum { SIMULATORS = 2, PROFILES = 4 };

typedef struct check {
    const char *report, *simulator, *profile;
    json_int_t frames, values, ideal;
    bool interval, debug, padded;
    int wrong;
} check;

__attribute__((format(printf, 2, 3))) static void wrong(check *c, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: error: ", c->report);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    c->wrong++;
}

/* Fields are required: an absent one counts as -1 or "". */
static json_int_t whole(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static double number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : -1;
}

static const char *text(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? json_string_value(value) : "";
}

static bool chosen(const char *choice, const char *any, const char *name) {
    return strcmp(choice, any) == 0 || strcmp(choice, name) == 0;
}

static bool is_share(const json_t *object, const char *key) {
    return number(object, key) >= 0 && number(object, key) <= 1;
}

static void check_metrics(check *c, const char *of, const json_t *metrics) {
    if (json_is_null(metrics)) return;
    static const char *const shares[] = {"accuracy", "precision", "recall", "f1"};
    for (int i = 0; i < 4; i++) {
        if (!is_share(metrics, shares[i])) wrong(c, "metrics of %s: no %s", of, shares[i]);
    }
    /* each class counts by its share of the frames */
    if (fabs(number(metrics, "recall") - number(metrics, "accuracy")) > 1e-9)
        wrong(c, "metrics of %s: weighted recall is not the accuracy", of);
    if (number(metrics, "loss") < 0) wrong(c, "metrics of %s: no loss", of);
}

static void check_nodes(check *c, const json_t *run, json_int_t frames) {
    const json_t *nodes = json_object_get(run, "nodes");
    size_t index;
    json_t *node;
    json_int_t largest = 1;
    const char *key = c->padded ? "folded_interval" : "ideal_interval";
    if (json_array_size(nodes) == 0) wrong(c, "the debug run names no nodes");
    json_array_foreach(nodes, index, node) {
        if (whole(node, key) > largest) largest = whole(node, key);
    }
    json_array_foreach(nodes, index, node) {
        const char *name = text(node, "node");
        const double busy = (double)whole(node, "busy") / (double)frames;
        const double folded = (double)whole(node, "folded_interval");
        if (whole(node, "ideal_interval") < 1) wrong(c, "node '%s' has no ideal interval", name);
        if (folded < (double)whole(node, "ideal_interval")) wrong(c, "node '%s' is folded below its ideal", name);
        if (strcmp(text(node, "component"), "weir_mvu") == 0 && fabs(busy - folded) > tolerance * folded)
            wrong(c, "node '%s' is busy for %.2f cycles a frame, folded %.0f", name, busy, folded);
        double interval = number(node, "interval");
        if (frames > 2 && (interval < 0 || interval > (1 + tolerance) * (double)largest))
            wrong(c, "node '%s' has an interval of %.3f cycles, ideal %lld", name, interval, (long long)largest);
    }
}

static void check_run(check *c, const json_t *run) {
    const char *simulator = text(run, "simulator"), *profile = text(run, "profile");
    bool debug = json_is_true(json_object_get(run, "debug"));
    if (debug) profile = "debug";
    json_int_t frames = whole(run, "frames");
    if (!debug && frames != c->frames)
        wrong(c, "%s %s: %lld frames, expected %lld", simulator, profile, (long long)frames, (long long)c->frames);
    if (frames < 1) wrong(c, "%s %s: no frames", simulator, profile);
    if (json_object_get(run, "metrics") != NULL) check_metrics(c, simulator, json_object_get(run, "metrics"));
    if (strcmp(text(run, "status"), "done") != 0)
        wrong(c, "%s %s: status '%s', expected 'done'", simulator, profile, text(run, "status"));
    if (whole(run, "mismatches") != 0)
        wrong(c, "%s %s: %lld mismatches", simulator, profile, (long long)whole(run, "mismatches"));
    if (whole(run, "compared") != frames * c->values)
        wrong(c, "%s %s: compared %lld values, expected %lld", simulator, profile, (long long)whole(run, "compared"),
              (long long)(frames * c->values));
    if (!json_is_null(json_object_get(run, "first_divergence"))) wrong(c, "%s %s: diverges", simulator, profile);
    if (!json_is_null(json_object_get(run, "protocol"))) wrong(c, "%s %s: breaks the protocol", simulator, profile);
    if (!c->interval) return;
    double interval = number(run, "interval");
    if (strcmp(profile, "always") == 0 && frames > 2 &&
        (interval <= 0 || interval > (1 + tolerance) * (double)c->ideal))
        wrong(c, "%s always: interval %.3f cycles, ideal %lld", simulator, interval, (long long)c->ideal);
    if (debug) check_nodes(c, run, frames);
}

/* Runs of a simulator, in debug and a profile: exactly those that were asked for. */
static void check_set(check *c, const json_t *runs) {
    for (int s = 0; s < SIMULATORS; s++) {
        int debug = 0, fast[PROFILES] = {0};
        size_t index;
        json_t *run;
        json_array_foreach(runs, index, run) {
            if (strcmp(text(run, "simulator"), simulators[s]) != 0) continue;
            if (json_is_true(json_object_get(run, "debug"))) {
                debug++;
                continue;
            }
            for (int p = 0; p < PROFILES; p++) fast[p] += strcmp(text(run, "profile"), profiles[p]) == 0;
        }
        bool used = chosen(c->simulator, "both", simulators[s]);
        if (debug != (used && c->debug)) wrong(c, "%s: %d debug runs", simulators[s], debug);
        for (int p = 0; p < PROFILES; p++) {
            if (fast[p] != (used && chosen(c->profile, "all", profiles[p])))
                wrong(c, "%s %s: %d runs", simulators[s], profiles[p], fast[p]);
        }
    }
}

/* sqnr_db is null only when there is no noise. */
static void check_software(check *c, const json_t *report) {
    const json_t *metrics = json_object_get(report, "metrics"), *compared = json_object_get(report, "float_integer");
    check_metrics(c, "the float engine", json_object_get(metrics, "float"));
    check_metrics(c, "the integer engine", json_object_get(metrics, "integer"));
    if (json_is_null(compared)) return;
    bool equal = json_is_true(json_object_get(compared, "equal"));
    if (!equal && !json_is_false(json_object_get(compared, "equal"))) wrong(c, "float_integer does not say 'equal'");
    if (equal != json_is_null(json_object_get(compared, "sqnr_db"))) wrong(c, "sqnr_db does not go with 'equal'");
    if (equal != (number(compared, "max_absolute") == 0)) wrong(c, "max_absolute does not go with 'equal'");
    if (!is_share(compared, "top1_agreement")) wrong(c, "no top1_agreement");
}

static void check_report(check *c, const json_t *report) {
    const json_t *runs = json_object_get(report, "runs");
    if (whole(report, "schema") != 3) wrong(c, "schema %lld, expected 3", (long long)whole(report, "schema"));
    check_software(c, report);
    c->values = whole(report, "values");
    c->ideal = whole(report, c->padded ? "folded_interval" : "ideal_interval");
    if (c->values < 1) wrong(c, "no output values");
    if (c->ideal < 1) wrong(c, "no ideal interval");
    if (whole(report, "frames") != c->frames)
        wrong(c, "%lld frames, expected %lld", (long long)whole(report, "frames"), (long long)c->frames);
    if (whole(report, "contract_mismatches") != 0) wrong(c, "the components differ from the contract");
    check_set(c, runs);
    size_t index;
    json_t *run;
    json_array_foreach(runs, index, run) check_run(c, run);
}

int main(int argc, char **argv) {
    check c = {.simulator = "both", .profile = "always", .interval = true, .debug = true};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--no-interval") == 0) c.interval = false;
        else if (strcmp(argv[i], "--no-debug") == 0) c.debug = false;
        else if (strcmp(argv[i], "--padded") == 0) c.padded = true;
        else if (strcmp(argv[i], "--simulator") == 0 && i + 1 < argc) c.simulator = argv[++i];
        else if (strcmp(argv[i], "--profile") == 0 && i + 1 < argc) c.profile = argv[++i];
        else if (strcmp(argv[i], "--frames") == 0 && i + 1 < argc) c.frames = atoll(argv[++i]);
        else if (c.report == NULL) c.report = argv[i];
        else return 2;
    }
    if (c.report == NULL || c.frames < 1) return 2;
    json_error_t error;
    json_t *report = json_load_file(c.report, 0, &error);
    if (report == NULL) {
        fprintf(stderr, "%s:%d: error: %s\n", c.report, error.line, error.text);
        return 1;
    }
    check_report(&c, report);
    json_decref(report);
    return c.wrong > 0;
}
