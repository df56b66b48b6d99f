#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dataflow/component.h"
#include "dataflow/schedule/stream.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/section.h"
#include "support/memory/arena.h"

/* Products a byte of the streams, and a cycle: reached, by the units, by the streams. */
typedef struct point {
    const weir_report_node *node;
    double intensity, reached, units, carried;
} point;

static double roof_of(const point *p) { return p->units < p->carried ? p->units : p->carried; }

static double bytes_of(const weir_graph *graph, weir_value value) {
    bool is_signed;
    return (double)weir_stream_elements(graph, value) * weir_stream_width(graph, value, &is_signed) / 8;
}

static point point_of(const weir_report_facts *facts, const weir_report_node *node) {
    const weir_graph *graph = facts->run->hardware;
    const weir_meta_hardware *h = &weir_node_metadata_of(graph, node->node)->hardware;
    const weir_value in = weir_node_input(graph, node->node, 0), out = weir_node_output(graph, node->node, 0);
    const int64_t in_beats = weir_stream_beats(graph, in, h->in_lanes),
                  out_beats = weir_stream_beats(graph, out, h->out_lanes);
    const double operations = (double)h->operations, measured = weir_html_number(node->activity, "interval");
    return (point){node, operations / (bytes_of(graph, in) + bytes_of(graph, out)),
                   operations / (isfinite(measured) ? measured : (double)weir_stream_interval(graph)),
                   (double)weir_component_setting_units(weir_component_of(graph, node->node)->rules, h),
                   operations / (double)(in_beats > out_beats ? in_beats : out_beats)};
}

static void draw_roof(const weir_plot *plot, double units, double slope, weir_text *html) {
    const double ridge = units / slope, from = plot->x.low, to = plot->x.high;
    const double start = slope * from > plot->y.low ? from : plot->y.low / slope;
    if (ridge > start && start < to) {
        const double end = ridge < to ? ridge : to;
        weir_plot_line(html, "roof", weir_plot_x(plot, start), weir_plot_y(plot, slope * start), weir_plot_x(plot, end),
                       weir_plot_y(plot, slope * end));
    }
    const double flat = ridge > from ? ridge : from;
    if (flat < to)
        weir_plot_line(html, "roof", weir_plot_x(plot, flat), weir_plot_y(plot, units), weir_plot_x(plot, to),
                       weir_plot_y(plot, units));
}

static void draw_point(const weir_plot *plot, const point *p, size_t index, weir_text *html) {
    char number[24], title[256];
    const double x = weir_plot_x(plot, p->intensity), y = weir_plot_y(plot, p->reached),
                 top = weir_plot_y(plot, roof_of(p));
    snprintf(title, sizeof title, "%s: %.4g of %.4g products a cycle", p->node->name, p->reached, roof_of(p));
    snprintf(number, sizeof number, "%zu", index + 1);
    weir_plot_line(html, "drop", x, y, x, top);
    weir_plot_line(html, "drop", x - 6, top, x + 6, top);
    weir_plot_mark(html, 0, x, y, title);
    weir_plot_text(html, "label", x + 8, y + 4, "start", number);
}

static void add_table(const point *points, size_t count, weir_text *html) {
    static const char *const heads[] = {"node",  "#products a byte", "#products a cycle",
                                        "#roof", "#of roof %",       "held back by"};
    weir_html_table(html, "Components that multiply, by their numbers in the picture", heads,
                    sizeof heads / sizeof *heads);
    for (size_t i = 0; i < count; i++) {
        const point *p = &points[i];
        weir_text_format(html, "<tr><th scope=\"row\">%zu. ", i + 1);
        weir_html_text(html, p->node->name);
        weir_text_add(html, "</th>");
        weir_html_cell_real(html, p->intensity, 2);
        weir_html_cell_real(html, p->reached, 2);
        weir_html_cell_real(html, roof_of(p), 2);
        weir_html_cell_real(html, 100 * p->reached / roof_of(p), 1);
        weir_html_cell(html, p->units <= p->carried ? "its SIMD x PE" : "its streams");
        weir_html_row_end(html);
    }
    weir_html_table_end(html);
}

void weir_section_roofline(const weir_report_facts *facts, weir_text *html) {
    point *points = weir_calloc(facts->count + 1, sizeof *points);
    size_t count = 0;
    double units = 0, slope = 0;
    weir_plot plot = {.width = 620,
                      .height = 340,
                      .left = 72,
                      .right = 32,
                      .x = {.is_log = true, .title = "products a byte of its streams"},
                      .y = {.is_log = true, .title = "products a cycle"}};
    for (size_t i = 0; i < facts->count; i++) {
        const weir_report_node *node = &facts->node[i];
        if (node->is_wiring || node->on_host ||
            weir_node_metadata_of(facts->run->hardware, node->node)->hardware.operations == 0)
            continue;
        const point p = points[count++] = point_of(facts, node);
        units = fmax(units, p.units);
        slope = fmax(slope, p.carried / p.intensity);
        weir_plot_axis_include(&plot.x, p.intensity);
        weir_plot_axis_include(&plot.y, p.reached);
        weir_plot_axis_include(&plot.y, p.units);
    }
    if (count > 0 && units > 0) {
        weir_plot_axis_include(&plot.x, units / slope);
        weir_report_section_open(facts, "roofline", "Roofline", html);
        weir_text_add(
            html,
            "<p class=\"legend\">A mark is what a component does at the measured interval; the line above it "
            "ends at its own roof: its SIMD x PE, or what its streams carry where that is less. The thick line is "
            "the roof of the network: the most units of a component, and its widest stream.</p>\n");
        weir_plot_open(&plot, "roofline of the components that multiply", html);
        draw_roof(&plot, units, slope, html);
        for (size_t i = 0; i < count; i++) draw_point(&plot, &points[i], i, html);
        weir_plot_close(html);
        add_table(points, count, html);
        weir_report_section_close(html);
    }
    free(points);
}
