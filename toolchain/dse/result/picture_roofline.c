#include "dse/result/picture_roofline.h"

#include <math.h>
#include <stdio.h>

#include "dataflow/component.h"
#include "dataflow/cost/target.h"
#include "dataflow/schedule/stream.h"
#include "dse/result/chart.h"

/* Pixels of the list, letters of its lines. */
enum { LIST = 360, LINE = 56 };

typedef struct component {
    const char *name;
    double intensity, reached; /* multiply-accumulates a byte, a cycle */
    double units, carried;     /* roofs: multiply-accumulates a cycle of SIMD * PE, of the streams */
} component;

static double roof_of(const component *c) { return c->units < c->carried ? c->units : c->carried; }

static double bytes_of(const weir_graph *graph, weir_value value) {
    bool is_signed;
    return (double)weir_stream_elements(graph, value) * weir_stream_width(graph, value, &is_signed) / 8;
}

/* The streams with the fewest cycles to carry a frame: the first input and the output. */
static component component_of(const weir_graph *graph, weir_node node, int64_t interval) {
    const weir_meta_hardware *h = &weir_node_metadata_of(graph, node)->hardware;
    const weir_value in = weir_node_input(graph, node, 0), out = weir_node_output(graph, node, 0);
    const double operations = (double)h->operations;
    const int64_t in_beats = weir_stream_beats(graph, in, h->in_lanes),
                  out_beats = weir_stream_beats(graph, out, h->out_lanes);
    return (component){weir_node_name(graph, node), operations / (bytes_of(graph, in) + bytes_of(graph, out)),
                       operations / (double)interval,
                       (double)weir_component_setting_units(weir_component_of(graph, node)->rules, h),
                       operations / (double)(in_beats > out_beats ? in_beats : out_beats)};
}

static bool multiplies(const weir_graph *graph, weir_node node) {
    return weir_component_of(graph, node) != NULL && weir_node_metadata_of(graph, node)->hardware.operations > 0;
}

/* The roof of a component: what its streams carry, then its SIMD * PE; as much of both as lies on the chart. */
static void draw_roof(const component *c, const weir_chart *chart, size_t index, weir_text *svg) {
    const double rate = c->carried / c->intensity, ridge = c->units / rate, /* bytes a cycle; where both meet */
        begin = fmax(chart->low[0], chart->low[1] / rate),
                 bend = fmin(ridge, fmin(chart->high[0], chart->high[1] / rate));
    const char *colour = weir_svg_colour(index);
    if (begin < bend)
        weir_svg_line(svg, weir_chart_x(chart, begin), weir_chart_y(chart, begin * rate), weir_chart_x(chart, bend),
                      weir_chart_y(chart, bend * rate), colour);
    const double flat = fmax(ridge, chart->low[0]), y = weir_chart_y(chart, c->units);
    if (flat < chart->high[0] && c->units <= chart->high[1])
        weir_svg_line(svg, weir_chart_x(chart, flat), y, weir_chart_x(chart, chart->high[0]), y, colour);
}

static void draw(const component *c, const weir_chart *chart, size_t index, weir_text *svg) {
    char line[128], number[8];
    const double x = weir_chart_x(chart, c->intensity), y = weir_chart_y(chart, c->reached),
                 top = weir_chart_y(chart, roof_of(c)), row = WEIR_CHART_TOP + WEIR_SVG_LINE * (double)(index + 1);
    const char *colour = weir_svg_colour(index);
    snprintf(line, sizeof line, "%.24s: %.3g of %.3g a cycle, %s", c->name, c->reached, roof_of(c),
             c->units <= c->carried ? "SIMD x PE" : "its streams");
    draw_roof(c, chart, index, svg);
    weir_svg_line(svg, x, y, x, top, colour);
    weir_svg_line(svg, x - 6, top, x + 6, top, colour);
    weir_svg_dot(svg, x, y, colour, line);
    snprintf(number, sizeof number, "%zu", index + 1);
    weir_svg_dot(svg, WEIR_CHART_LEFT + WEIR_CHART_WIDTH + 20, row - 4, colour, number);
    weir_svg_text(svg, WEIR_CHART_LEFT + WEIR_CHART_WIDTH + 32, row, WEIR_SVG_START, NULL, line, LINE);
}

void weir_dse_picture_roofline(const weir_graph *graph, weir_text *svg) {
    const int64_t interval = weir_stream_interval(graph);
    char title[128];
    weir_chart chart = {.low = {0, 0}};
    size_t count = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!multiplies(graph, node)) continue;
        const component c = component_of(graph, node, interval);
        weir_chart_include(&chart, c.intensity, c.reached);
        weir_chart_include(&chart, c.intensity, roof_of(&c));
        count++;
    }
    const double rows = WEIR_CHART_TOP + WEIR_SVG_LINE * (double)(count + 1),
                 height = WEIR_CHART_TOP + WEIR_CHART_HEIGHT + WEIR_CHART_BELOW;
    weir_svg_open(svg, WEIR_CHART_LEFT + WEIR_CHART_WIDTH + LIST, rows > height ? rows : height);
    snprintf(title, sizeof title, "multiply-accumulates at %lld cycles a frame, below the roof of each component",
             (long long)interval);
    weir_svg_text(svg, 8, 22, WEIR_SVG_START, "font-weight=\"bold\"", title, sizeof title);
    if (count > 0)
        weir_chart_draw(&chart, "multiply-accumulates a byte of its streams", "multiply-accumulates a cycle", svg);
    size_t index = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (!multiplies(graph, node)) continue;
        const component c = component_of(graph, node, interval);
        draw(&c, &chart, index++, svg);
    }
    weir_svg_close(svg);
}
