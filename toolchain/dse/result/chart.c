#include "dse/result/chart.h"

#include <stdio.h>

#include "exec/elementary.h"

enum { LEFT = WEIR_CHART_LEFT, TOP = WEIR_CHART_TOP, WIDTH = WEIR_CHART_WIDTH, HEIGHT = WEIR_CHART_HEIGHT, LABEL = 60 };

void weir_chart_include(weir_chart *c, double x, double y) {
    const double value[] = {x, y};
    for (int k = 0; k < 2; k++) {
        if (c->low[k] == 0 || value[k] < c->low[k]) c->low[k] = value[k];
        if (value[k] > c->high[k]) c->high[k] = value[k];
    }
}

static double place(const weir_chart *c, int k, double value, double size) {
    return weir_elementary_log(value / c->low[k]) / weir_elementary_log(c->high[k] / c->low[k]) * size;
}

double weir_chart_x(const weir_chart *c, double value) { return LEFT + place(c, 0, value, WIDTH); }
double weir_chart_y(const weir_chart *c, double value) { return TOP + HEIGHT - place(c, 1, value, HEIGHT); }

/* 1, 2, 5, 10, 20...; over more than three decades 1, 10, 100..., within one 1, 2, 3, 4... */
static double tick_at(const weir_chart *c, int k, int index) {
    static const double leading[][9] = {{1}, {1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
    static const int steps[] = {1, 3, 9};
    const double range = c->high[k] / c->low[k];
    const int density = range > 1000 ? 0 : range > 20 ? 1 : 2, step = steps[density];
    double decade = 1;
    while (decade > c->low[k]) decade /= 10;
    for (; index >= step; index -= step) decade *= 10;
    return decade * leading[density][index];
}

/* "200 k" */
static void draw_label(weir_text *svg, double x, double y, weir_svg_anchor anchor, double tick) {
    const char *const units[] = {"", " k", " M", " G"};
    char label[32];
    int unit = 0;
    for (; unit < 3 && tick > 999; unit++) tick /= 1000;
    snprintf(label, sizeof label, "%.4g%s", tick, units[unit]);
    weir_svg_text(svg, x, y, anchor, NULL, label, sizeof label);
}

static void draw_ticks(const weir_chart *c, int k, weir_text *svg) {
    double tick;
    for (int i = 0; (tick = tick_at(c, k, i)) <= c->high[k]; i++) {
        if (tick < c->low[k]) continue;
        if (k == 0) {
            const double x = weir_chart_x(c, tick);
            weir_svg_line(svg, x, TOP, x, TOP + HEIGHT, "#dddddd");
            draw_label(svg, x, TOP + HEIGHT + WEIR_SVG_LINE, WEIR_SVG_MIDDLE, tick);
        } else {
            const double y = weir_chart_y(c, tick);
            weir_svg_line(svg, LEFT, y, LEFT + WIDTH, y, "#dddddd");
            draw_label(svg, LEFT - 6, y + 4, WEIR_SVG_END, tick);
        }
    }
}

void weir_chart_draw(weir_chart *c, const char *x, const char *y, weir_text *svg) {
    for (int k = 0; k < 2; k++) {
        const double room = c->high[k] / c->low[k] < 3 ? 1.8 : 1.12;
        c->low[k] /= room;
        c->high[k] *= room;
        draw_ticks(c, k, svg);
    }
    weir_svg_line(svg, LEFT, TOP + HEIGHT, LEFT + WIDTH, TOP + HEIGHT, "black");
    weir_svg_line(svg, LEFT, TOP, LEFT, TOP + HEIGHT, "black");
    weir_svg_text(svg, LEFT + WIDTH / 2, TOP + HEIGHT + 2.5 * WEIR_SVG_LINE, WEIR_SVG_MIDDLE, NULL, x, LABEL);
    weir_svg_upward(svg, 20, TOP + HEIGHT / 2, WEIR_SVG_MIDDLE, WEIR_SVG_FONT, y, LABEL);
}
