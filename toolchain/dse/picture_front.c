#include "dse/picture_front.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dse/svg.h"
#include "exec/elementary.h"

/* Pixels. */
enum { LEFT = 80, TOP = 64, WIDTH = 560, HEIGHT = 400, LEGEND = 180, BELOW = 56, TITLE = 160 };

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

/* A logarithmic axis over `size` pixels. */
typedef struct axis {
    double low, high, size;
} axis;

static double place(const axis *a, double value) {
    return weir_elementary_log(value / a->low) / weir_elementary_log(a->high / a->low) * a->size;
}

/* Around the values, at least by a factor of 3. */
static axis axis_over(double least, double most, double size) {
    const double room = most / least < 3 ? 1.8 : 1.12;
    return (axis){least / room, most * room, size};
}

/* 1, 2, 5, 10, 20... */
static double tick_at(const axis *a, int index) {
    static const double leading[] = {1, 2, 5};
    double decade = 1;
    while (decade > a->low) decade /= 10;
    for (; index >= 3; index -= 3) decade *= 10;
    return decade * leading[index];
}

/* "200 k" */
static void draw_tick(weir_text *svg, double x, double y, weir_svg_anchor anchor, double tick) {
    const char *const units[] = {"", " k", " M", " G"};
    char label[32];
    int unit = 0;
    for (; unit < 3 && tick > 999; unit++) tick /= 1000;
    snprintf(label, sizeof label, "%.4g%s", tick, units[unit]);
    weir_svg_text(svg, x, y, anchor, NULL, label, sizeof label);
}

static void draw_axes(weir_text *svg, const axis *x, const axis *y) {
    static const char grid[] = "#dddddd";
    double tick;
    for (int i = 0; (tick = tick_at(x, i)) <= x->high; i++) {
        if (tick < x->low) continue;
        const double at = LEFT + place(x, tick);
        weir_svg_line(svg, at, TOP, at, TOP + HEIGHT, grid);
        draw_tick(svg, at, TOP + HEIGHT + WEIR_SVG_LINE, WEIR_SVG_MIDDLE, tick);
    }
    for (int i = 0; (tick = tick_at(y, i)) <= y->high; i++) {
        if (tick < y->low) continue;
        const double at = TOP + HEIGHT - place(y, tick);
        weir_svg_line(svg, LEFT, at, LEFT + WIDTH, at, grid);
        draw_tick(svg, LEFT - 6, at + 4, WEIR_SVG_END, tick);
    }
    weir_svg_line(svg, LEFT, TOP + HEIGHT, LEFT + WIDTH, TOP + HEIGHT, "black");
    weir_svg_line(svg, LEFT, TOP, LEFT, TOP + HEIGHT, "black");
    weir_svg_text(svg, LEFT + WIDTH / 2, TOP + HEIGHT + 2.5 * WEIR_SVG_LINE, WEIR_SVG_MIDDLE, NULL,
                  "inferences a second, at the estimated clock", TITLE);
    weir_svg_upward(svg, 20, TOP + HEIGHT / 2, WEIR_SVG_MIDDLE, WEIR_SVG_FONT, "lookup tables", TITLE);
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

static void draw_points(weir_text *svg, const weir_dse_result *results, size_t count, size_t chosen, const axis *x,
                        const axis *y) {
    char text[TITLE];
    size_t drawn = 0;
    for (size_t i = 0; i < count; i++) {
        const weir_dse_evaluation *e = results[i].evaluation;
        const size_t series = series_of(results, i);
        const char *colour = weir_svg_colour(series);
        const double at_x = LEFT + place(x, weir_dse_picture_rate(e)),
                     at_y = TOP + HEIGHT - place(y, (double)e->hardware.use[0]);
        describe(e, text, sizeof text);
        weir_svg_dot(svg, at_x, at_y, colour, text);
        if (i == chosen) weir_svg_ring(svg, at_x, at_y, "black");
        if (series < drawn) continue;
        const double line = TOP + WEIR_SVG_LINE * (double)++drawn;
        weir_svg_dot(svg, LEFT + WIDTH + 28, line - 4, colour, e->hardware.point->device);
        weir_svg_text(svg, LEFT + WIDTH + 40, line, WEIR_SVG_START, NULL, e->hardware.point->device, 20);
    }
}

void weir_dse_picture_front(const weir_dse_result *results, size_t count, size_t chosen, weir_text *svg) {
    char text[TITLE] = "no folding fits";
    weir_svg_open(svg, LEFT + WIDTH + LEGEND, TOP + HEIGHT + BELOW);
    if (count > 0) describe(results[chosen].evaluation, text, sizeof text);
    weir_svg_text(svg, 8, 22, WEIR_SVG_START, "font-weight=\"bold\"", "Pareto front of foldings; in the ring:", TITLE);
    weir_svg_text(svg, 8, 22 + WEIR_SVG_LINE, WEIR_SVG_START, NULL, text, TITLE);
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const double value[] = {weir_dse_picture_rate(results[i].evaluation),
                                (double)results[i].evaluation->hardware.use[0]};
        for (int k = 0; k < 2; k++) {
            least[k] = fmin(least[k], value[k]);
            most[k] = fmax(most[k], value[k]);
        }
    }
    if (count > 0) {
        const axis x = axis_over(least[0], most[0], WIDTH), y = axis_over(least[1], most[1], HEIGHT);
        draw_axes(svg, &x, &y);
        draw_points(svg, results, count, chosen, &x, &y);
    }
    weir_svg_close(svg);
}
