#include <math.h>
#include <string.h>

#include "report/html.h"
#include "report/section.h"

/* Which direction is better. */
typedef enum better { LESS, MORE } better;

typedef double quantity(const weir_report_facts *facts);

static const json_t *metrics_of(const weir_report_facts *f) {
    const json_t *made = json_object_get(f->fast, "metrics");
    return json_is_object(made) ? made : json_object_get(json_object_get(f->run->check, "metrics"), "integer");
}

static double accuracy(const weir_report_facts *f) { return 100 * weir_html_number(metrics_of(f), "accuracy"); }
static double r2(const weir_report_facts *f) { return weir_html_number(metrics_of(f), "r2"); }
static double auc(const weir_report_facts *f) { return weir_html_number(metrics_of(f), "auc"); }
static double top5(const weir_report_facts *f) { return 100 * weir_html_number(metrics_of(f), "top5"); }
static double sqnr(const weir_report_facts *f) {
    return weir_html_number(json_object_get(f->run->check, "float_integer"), "sqnr_db");
}

static double interval(const weir_report_facts *f) {
    const double fast = weir_html_number(f->fast, "interval");
    return isfinite(fast) ? fast : weir_html_number(f->run->check, "folded_interval");
}

static double latency(const weir_report_facts *f) { return weir_html_number(f->fast, "latency"); }

/* Of placement, else of the estimate. */
static double clock_of(const weir_report_facts *f) {
    const double runs = weir_html_number(f->run->synthesis, "clock_mhz"), /* of a board */
        made = isfinite(runs) ? runs : weir_html_number(f->run->synthesis, "fmax_mhz");
    return isfinite(made) ? made : weir_html_number(f->run->estimate, "fmax_mhz");
}

static double rate(const weir_report_facts *f) {
    const double made = weir_html_number(f->run->synthesis, "inferences_per_second");
    return isfinite(made) ? made : weir_html_number(f->run->estimate, "inferences_per_second");
}

static double used(const weir_report_facts *f, const char *kind) {
    const json_t *made = json_object_get(f->run->synthesis, "utilization");
    const json_t *known = made != NULL ? made : json_object_get(f->run->estimate, "resources");
    return weir_html_number(json_object_get(known, kind), "used");
}

static double luts(const weir_report_facts *f) { return used(f, "luts"); }
static double flip_flops(const weir_report_facts *f) { return used(f, "flip_flops"); }
static double blocks(const weir_report_facts *f) { return used(f, "memory_blocks"); }
static double multipliers(const weir_report_facts *f) {
    const double made = used(f, "multipliers");
    return isfinite(made) ? made : weir_html_number(f->run->check, "multipliers");
}
static double memory(const weir_report_facts *f) { return weir_html_number(f->run->check, "memory_bits"); }

static const struct {
    const char *name, *unit;
    quantity *of;
    better better;
    int digits;
} rows[] = {{"accuracy", "%", accuracy, MORE, 2},
            {"top-5 accuracy", "%", top5, MORE, 2},
            {"R\xc2\xb2", "", r2, MORE, 4},
            {"area under ROC", "", auc, MORE, 4},
            {"SQNR of the outputs", "dB", sqnr, MORE, 1},
            {"interval", "cycles", interval, LESS, 1},
            {"latency", "cycles", latency, LESS, 0},
            {"clock", "MHz", clock_of, MORE, 1},
            {"inferences", "/s", rate, MORE, 0},
            {"LUTs", "", luts, LESS, 0},
            {"flip-flops", "", flip_flops, LESS, 0},
            {"multipliers", "", multipliers, LESS, 0},
            {"memory blocks", "", blocks, LESS, 0},
            {"parameters", "bits", memory, LESS, 0}};
enum { ROWS = sizeof rows / sizeof *rows };

/* "every value is right", in words. */
static void add_verdict(const weir_report_facts *facts, weir_text *html) {
    const json_t *runs = json_object_get(facts->run->check, "runs");
    int64_t compared = 0, wrong = 0;
    bool is_right = true;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        compared += weir_html_whole(run, "compared") + weir_html_whole(run, "stream_values");
        wrong += weir_html_whole(run, "mismatches");
        is_right = is_right && strcmp(weir_html_string(run, "status"), "done") == 0 &&
                   !json_is_object(json_object_get(run, "first_divergence")) &&
                   !json_is_string(json_object_get(run, "protocol")) &&
                   !json_is_string(json_object_get(run, "miscounted"));
    }
    if (compared == 0) return;
    is_right = is_right && wrong == 0 && weir_html_whole(facts->run->check, "contract_mismatches") == 0;
    weir_text_format(html, "<p class=\"%s\">%s ", is_right ? "good" : "bad",
                     is_right ? "\xe2\x9c\x93" : "\xe2\x9c\x97");
    weir_html_integer(html, compared);
    if (is_right) weir_text_add(html, " values of the hardware compared with the reference: all equal.</p>\n");
    else {
        weir_text_add(html, " values of the hardware compared with the reference: the hardware is wrong, in ");
        weir_html_integer(html, wrong);
        weir_text_add(html, " outputs.</p>\n");
    }
}

void weir_section_summary(const weir_report_facts *facts, weir_text *html) {
    add_verdict(facts, html);
    weir_text_add(html, "<dl class=\"cards\">\n");
    for (size_t i = 0; i < ROWS; i++) {
        const double value = rows[i].of(facts);
        if (!isfinite(value)) continue;
        weir_text_format(html, "<div><dt>%s</dt><dd>", rows[i].name);
        weir_html_real(html, value, rows[i].digits);
        weir_text_format(html, " <small>%s</small></dd></div>\n", rows[i].unit);
    }
    weir_text_add(html, "</dl>\n");
}

/* The change from the first run: a sign, a word and a colour. */
static void add_change(double before, double after, better direction, weir_text *html) {
    const bool is_better = direction == MORE ? after > before : after < before;
    if (after == before) {
        weir_text_add(html, " <span class=\"same\">=</span>");
        return;
    }
    weir_text_format(html, " <span class=\"%s\">%s ", is_better ? "good" : "bad",
                     after > before ? "\xe2\x96\xb2" : "\xe2\x96\xbc");
    if (before != 0) {
        const double change = 100 * (after / before - 1);
        weir_text_add(html, change > 0 ? "+" : "");
        weir_html_real(html, change, 1);
        weir_text_add(html, " % ");
    }
    weir_text_format(html, "%s</span>", is_better ? "better" : "worse");
}

void weir_section_comparison(const weir_report_facts *facts, size_t count, weir_text *html) {
    weir_text_add(
        html, "<section id=\"comparison\"><h2>Comparison</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
              "aria-label=\"comparison\"><table><caption>Changes from the first run</caption><thead><tr><th "
              "scope=\"col\"></th>");
    for (size_t r = 0; r < count; r++) {
        weir_text_add(html, "<th scope=\"col\" class=\"n\">");
        weir_html_text(html, facts[r].run->name);
        weir_text_add(html, "</th>");
    }
    weir_text_add(html, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < ROWS; i++) {
        bool is_known = false;
        for (size_t r = 0; r < count; r++) is_known = is_known || isfinite(rows[i].of(&facts[r]));
        if (!is_known) continue;
        weir_text_format(html, "<tr><th scope=\"row\">%s%s%s</th>", rows[i].name, *rows[i].unit == '\0' ? "" : ", ",
                         rows[i].unit);
        const double first = rows[i].of(&facts[0]);
        for (size_t r = 0; r < count; r++) {
            const double value = rows[i].of(&facts[r]);
            weir_text_add(html, "<td class=\"n\">");
            weir_html_real(html, value, rows[i].digits);
            if (r > 0 && isfinite(first) && isfinite(value)) add_change(first, value, rows[i].better, html);
            weir_text_add(html, "</td>");
        }
        weir_html_row_end(html);
    }
    weir_html_table_end(html);
    weir_text_add(html, "</section>\n");
}
