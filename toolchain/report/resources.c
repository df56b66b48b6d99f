#include <math.h>

#include "report/html.h"
#include "report/plot.h"
#include "report/section.h"

enum { KINDS = 4, ROW = 46, LEFT = 128, WIDTH = 560 };
static const char *const fields[KINDS] = {"luts", "flip_flops", "multipliers", "memory_blocks"};
static const char *const names[KINDS] = {"LUTs", "flip-flops", "multipliers", "memory blocks"};

/* What is used by synthesis or by the estimate; NaN where it is not known. */
static double used(const json_t *resources, int kind) {
    return weir_html_number(json_object_get(resources, fields[kind]), "used");
}

static double available(const weir_report_facts *facts, int kind) {
    const json_t *made = json_object_get(facts->run->synthesis, "utilization"),
                 *estimated = json_object_get(facts->run->estimate, "resources");
    const json_t *known = made != NULL ? made : estimated;
    return weir_html_number(json_object_get(known, fields[kind]), "available");
}

static void draw_bar(const weir_plot *plot, const char *style, double share, double y, weir_text *html) {
    if (!isfinite(share)) return;
    const double from = weir_plot_x(plot, 0), to = weir_plot_x(plot, share);
    weir_text label = {NULL, 0, 0};
    weir_html_real(&label, share, 1);
    weir_text_add(&label, " %");
    weir_plot_rect(html, style, from, y, to - from > 1 ? to - from : 1, 14);
    weir_plot_text(html, "label", to + 5, y + 11, "start", label.data);
    weir_text_free(&label);
}

static void draw(const weir_report_facts *facts, const json_t *made, const json_t *estimated, weir_text *html) {
    weir_plot plot = {
        .width = WIDTH, .height = KINDS * ROW, .left = LEFT, .right = 76, .x = {.title = "% of the device"}};
    weir_plot_axis_include(&plot.x, 0);
    weir_plot_axis_include(&plot.x, 100);
    for (int kind = 0; kind < KINDS; kind++) {
        const double all = available(facts, kind);
        if (!(all > 0)) continue;
        if (isfinite(used(made, kind))) weir_plot_axis_include(&plot.x, 100 * used(made, kind) / all);
        if (isfinite(used(estimated, kind))) weir_plot_axis_include(&plot.x, 100 * used(estimated, kind) / all);
    }
    weir_plot_open(&plot, "resources used, in shares of the device", html);
    weir_plot_line(html, "limit", weir_plot_x(&plot, 100), WEIR_PLOT_ABOVE, weir_plot_x(&plot, 100),
                   WEIR_PLOT_ABOVE + plot.height);
    for (int kind = 0; kind < KINDS; kind++) {
        const double y = WEIR_PLOT_ABOVE + ROW * kind, all = available(facts, kind);
        weir_plot_text(html, "tick", LEFT - 8, y + 27, "end", names[kind]);
        if (!(all > 0)) continue;
        draw_bar(&plot, "made", 100 * used(made, kind) / all, y + 7, html);
        draw_bar(&plot, "estimated", 100 * used(estimated, kind) / all, y + 24, html);
    }
    weir_plot_close(html);
}

static void add_table(const weir_report_facts *facts, const json_t *made, const json_t *estimated, weir_text *html) {
    static const char *const heads[] = {"resource",     "#available", "#estimated",
                                        "#synthesized", "#share %",   "#estimate is off by %"};
    weir_html_table(html, "Resources", heads, sizeof heads / sizeof *heads);
    for (int kind = 0; kind < KINDS; kind++) {
        const double result = used(made, kind), estimate = used(estimated, kind), all = available(facts, kind);
        weir_html_row(html, names[kind]);
        weir_html_cell_real(html, all, 0);
        weir_html_cell_real(html, estimate, 0);
        weir_html_cell_real(html, result, 0);
        weir_html_cell_real(html, 100 * (isfinite(result) ? result : estimate) / all, 1);
        weir_html_cell_real(html, result > 0 ? 100 * (estimate / result - 1) : NAN, 1);
        weir_html_row_end(html);
    }
    weir_html_table_end(html);
}

static void add_path(const json_t *synthesis, weir_text *html) {
    const json_t *path = json_object_get(synthesis, "critical_path");
    const double logic = weir_html_number(path, "logic_ns"), routing = weir_html_number(path, "routing_ns"),
                 delay = weir_html_number(path, "delay_ns");
    if (!(delay > 0)) return;
    weir_text_add(html, "<h3>Critical path</h3><p>");
    weir_html_text(html, weir_html_string(path, "text"));
    weir_text_add(html, ": ");
    weir_html_real(html, delay, 1);
    weir_text_add(html, " ns, ");
    weir_html_integer(html, weir_html_whole(path, "levels"));
    weir_text_add(html, " cells between the registers.</p>\n");
    weir_plot plot = {.width = WIDTH, .height = 30, .left = LEFT, .right = 76, .x = {.title = "ns"}};
    weir_plot_axis_include(&plot.x, 0);
    weir_plot_axis_include(&plot.x, delay);
    weir_plot_open(&plot, "logic and routing of the critical path", html);
    const double from = weir_plot_x(&plot, 0), middle = weir_plot_x(&plot, logic),
                 to = weir_plot_x(&plot, logic + routing);
    weir_plot_rect(html, "made", from, WEIR_PLOT_ABOVE + 8, middle - from, 14);
    weir_plot_rect(html, "estimated", middle, WEIR_PLOT_ABOVE + 8, to - middle, 14);
    weir_plot_text(html, "tick", LEFT - 8, WEIR_PLOT_ABOVE + 19, "end", "logic, routing");
    weir_plot_close(html);
}

static void add_clock(const weir_report_facts *facts, weir_text *html) {
    const json_t *synthesis = facts->run->synthesis;
    const double made = weir_html_number(synthesis, "fmax_mhz"), goal = weir_html_number(synthesis, "clock_goal_mhz"),
                 estimated = weir_html_number(facts->run->estimate, "fmax_mhz");
    weir_text_add(html, "<p>Clock: ");
    if (isfinite(made)) {
        weir_html_real(html, made, 1);
        weir_text_add(html, " MHz placed; the goal of ");
        weir_html_real(html, goal, 0);
        weir_text_add(html, made >= goal ? " MHz is met; " : " MHz is <strong>missed</strong>; ");
    }
    weir_html_real(html, estimated, 1);
    weir_text_add(html, " MHz estimated.</p>\n");
}

void weir_section_resources(const weir_report_facts *facts, weir_text *html) {
    const json_t *made = json_object_get(facts->run->synthesis, "utilization"),
                 *estimated = json_object_get(facts->run->estimate, "resources");
    if (made == NULL && estimated == NULL) return;
    const char *device = weir_html_string(made != NULL ? facts->run->synthesis : facts->run->estimate, "device");
    weir_report_section_open(facts, "resources", "Resources", html);
    weir_text_add(html, "<p class=\"legend\">Of ");
    weir_html_text(html, device);
    weir_text_add(
        html,
        ": <svg width=\"22\" height=\"12\" aria-hidden=\"true\"><rect class=\"made\" width=\"22\" height=\"12\"/></svg> "
        "synthesized, <svg width=\"22\" height=\"12\" aria-hidden=\"true\"><rect class=\"estimated\" width=\"22\" "
        "height=\"12\"/></svg> estimated.</p>\n");
    draw(facts, made, estimated, html);
    add_table(facts, made, estimated, html);
    add_clock(facts, html);
    add_path(facts->run->synthesis, html);
    weir_report_section_close(html);
}
