#include <math.h>
#include <string.h>

#include "report/html.h"
#include "report/plot.h"
#include "report/section.h"

/* Position of the device among those of the foldings. */
static unsigned series_of(const json_t *front, size_t index) {
    const char *device = weir_html_string(json_array_get(front, index), "device");
    unsigned series = 0;
    for (size_t i = 0; i < index; i++) {
        const char *other = weir_html_string(json_array_get(front, i), "device");
        if (strcmp(other, device) == 0) return series_of(front, i);
        size_t first = 0;
        while (strcmp(weir_html_string(json_array_get(front, first), "device"), other) != 0) first++;
        series += first == i;
    }
    return series;
}

static void draw(const json_t *front, weir_text *html) {
    const size_t count = json_array_size(front);
    weir_plot plot = {.width = 620,
                      .height = 360,
                      .left = 72,
                      .right = 190,
                      .x = {.is_log = true, .title = "inferences a second, at the estimated clock"},
                      .y = {.is_log = true, .title = "LUTs"}};
    for (size_t i = 0; i < count; i++) {
        const json_t *folding = json_array_get(front, i);
        weir_plot_axis_include(&plot.x, fmax(1e-3, weir_html_number(folding, "inferences_per_second")));
        weir_plot_axis_include(&plot.y, fmax(1, weir_html_number(folding, "luts")));
    }
    weir_plot_open(&plot, "Pareto front: LUTs over inferences a second", html);
    for (size_t i = 0, shown = 0; i < count; i++) {
        const json_t *folding = json_array_get(front, i);
        const unsigned series = series_of(front, i);
        const double x = weir_plot_x(&plot, fmax(1e-3, weir_html_number(folding, "inferences_per_second"))),
                     y = weir_plot_y(&plot, fmax(1, weir_html_number(folding, "luts")));
        weir_plot_mark(html, series, x, y, weir_html_string(folding, "folding"));
        if (json_is_true(json_object_get(folding, "chosen"))) {
            weir_text_add(html, "<circle class=\"ring\" r=\"10\"");
            weir_plot_attribute(html, "cx", x);
            weir_plot_attribute(html, "cy", y);
            weir_text_add(html, "/>\n");
        }
        if (series < shown) continue;
        const double line = WEIR_PLOT_ABOVE + 8 + 20 * (double)shown++, left = plot.left + plot.width + 16;
        weir_plot_mark(html, series, left, line, weir_html_string(folding, "device"));
        weir_plot_text(html, "label", left + 12, line + 4, "start", weir_html_string(folding, "device"));
    }
    weir_plot_close(html);
}

void weir_section_front(const weir_report_facts *facts, weir_text *html) {
    static const char *const heads[] = {"folding",        "device",      "budget", "#MHz",        "#interval",
                                        "#inferences/s",  "#latency us", "#LUTs",  "#flip-flops", "#multipliers",
                                        "#memory blocks", "#nJ",         "chosen"};
    static const struct {
        const char *key;
        int digits;
    } columns[] = {{"clock_mhz", 1},  {"interval", 0},    {"inferences_per_second", 1}, {"latency_us", 3}, {"luts", 0},
                   {"flip_flops", 0}, {"multipliers", 0}, {"memory_blocks", 0},         {"energy_nj", 1}};
    const json_t *front = facts->run->front;
    if (front == NULL) return;
    weir_report_section_open(facts, "front", "Foldings", html);
    if (json_array_size(front) == 0) weir_text_add(html, "<p>No folding fits.</p>\n");
    if (json_array_size(front) > 0) {
        draw(front, html);
        weir_html_table(html, "The Pareto front: no other folding is as good in everything", heads,
                        sizeof heads / sizeof *heads);
        for (size_t i = 0; i < json_array_size(front); i++) {
            const json_t *folding = json_array_get(front, i);
            weir_html_row(html, weir_html_string(folding, "folding"));
            weir_html_cell(html, weir_html_string(folding, "device"));
            weir_html_cell(html, weir_html_string(folding, "budget"));
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
                weir_html_cell_real(html, weir_html_number(folding, columns[c].key), columns[c].digits);
            weir_html_cell(html, json_is_true(json_object_get(folding, "chosen")) ? "yes" : "");
            weir_html_row_end(html);
        }
        weir_html_table_end(html);
    }
    weir_report_section_close(html);
}
