#include "dse/result/picture_front.h"

#include <stdio.h>
#include <string.h>

#include "dse/result/chart.h"

/* Pixels of the legend, letters of a title. */
enum { LEGEND = 180, TITLE = 160 };

double weir_dse_picture_rate(const weir_dse_evaluation *e) { return 1e9 / weir_dse_time(e); }

static bool is_smaller(const weir_dse_hardware *a, const weir_dse_hardware *b) {
    if (a->point->device_luts != b->point->device_luts) return a->point->device_luts < b->point->device_luts;
    return a->use[0] < b->use[0];
}

size_t weir_dse_picture_choose(const weir_dse_result *results, size_t count, double rate) {
    size_t fastest = 0, smallest = count;
    for (size_t i = 0; i < count; i++) {
        const weir_dse_evaluation *e = results[i].evaluation;
        const double reached = weir_dse_picture_rate(e);
        if (reached > weir_dse_picture_rate(results[fastest].evaluation)) fastest = i;
        if (reached >= rate && (smallest == count || is_smaller(&e->hardware, &results[smallest].evaluation->hardware)))
            smallest = i;
    }
    return rate > 0 && smallest < count ? smallest : fastest;
}

static void describe(const weir_dse_evaluation *e, char *text, size_t size) {
    const weir_dse_hardware *h = &e->hardware;
    snprintf(text, size, "%s: %.0f inferences/s, %lld LUTs, %lld flip-flops, %lld multipliers, %lld memory blocks",
             h->point->device, weir_dse_picture_rate(e), (long long)h->use[0], (long long)h->use[1],
             (long long)h->use[2], (long long)h->use[3]);
}

/* Position of the device among those of the results. */
static size_t series_of(const weir_dse_result *results, size_t index) {
    const char *device = results[index].evaluation->hardware.point->device;
    size_t series = 0, first = 0;
    while (strcmp(results[first].evaluation->hardware.point->device, device) != 0) {
        size_t i = 0;
        while (strcmp(results[i].evaluation->hardware.point->device,
                      results[first].evaluation->hardware.point->device) != 0)
            i++;
        series += i == first;
        first++;
    }
    return series;
}

static void draw_points(weir_text *svg, const weir_dse_result *results, size_t count, size_t chosen,
                        const weir_chart *chart) {
    char text[TITLE];
    size_t drawn = 0;
    const double legend = WEIR_CHART_LEFT + WEIR_CHART_WIDTH + 28;
    for (size_t i = 0; i < count; i++) {
        const weir_dse_evaluation *e = results[i].evaluation;
        const size_t series = series_of(results, i);
        const char *colour = weir_svg_colour(series);
        const double x = weir_chart_x(chart, weir_dse_picture_rate(e)),
                     y = weir_chart_y(chart, (double)e->hardware.use[0]);
        describe(e, text, sizeof text);
        weir_svg_dot(svg, x, y, colour, text);
        if (i == chosen) weir_svg_ring(svg, x, y, "black");
        if (series < drawn) continue;
        const double line = WEIR_CHART_TOP + WEIR_SVG_LINE * (double)++drawn;
        weir_svg_dot(svg, legend, line - 4, colour, e->hardware.point->device);
        weir_svg_text(svg, legend + 12, line, WEIR_SVG_START, NULL, e->hardware.point->device, 20);
    }
}

void weir_dse_picture_front(const weir_dse_result *results, size_t count, size_t chosen, weir_text *svg) {
    char text[TITLE] = "no folding fits";
    weir_svg_open(svg, WEIR_CHART_LEFT + WEIR_CHART_WIDTH + LEGEND,
                  WEIR_CHART_TOP + WEIR_CHART_HEIGHT + WEIR_CHART_BELOW);
    if (count > 0) describe(results[chosen].evaluation, text, sizeof text);
    weir_svg_text(svg, 8, 22, WEIR_SVG_START, "font-weight=\"bold\"", "Pareto front of foldings; in the ring:", TITLE);
    weir_svg_text(svg, 8, 22 + WEIR_SVG_LINE, WEIR_SVG_START, NULL, text, TITLE);
    weir_chart chart = {.low = {0, 0}};
    for (size_t i = 0; i < count; i++)
        weir_chart_include(&chart, weir_dse_picture_rate(results[i].evaluation),
                           (double)results[i].evaluation->hardware.use[0]);
    if (count > 0) {
        weir_chart_draw(&chart, "inferences a second, at the estimated clock", "lookup tables", svg);
        draw_points(svg, results, count, chosen, &chart);
    }
    weir_svg_close(svg);
}
