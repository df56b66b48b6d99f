#include "report/plot.h"

#include <math.h>
#include <stdio.h>

#include "exec/elementary.h"
#include "report/html.h"

/* --- pieces --- */

void weir_plot_pixel(weir_text *html, double value) {
    const long long hundredths = (long long)(value < 0 ? value * 100 - 0.5 : value * 100 + 0.5);
    const long long size = hundredths < 0 ? -hundredths : hundredths;
    weir_text_format(html, "%s%lld", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100 != 0) weir_text_format(html, ".%02lld", size % 100);
}

void weir_plot_attribute(weir_text *html, const char *name, double value) {
    weir_text_format(html, " %s=\"", name);
    weir_plot_pixel(html, value);
    weir_text_char(html, '"');
}

void weir_plot_line(weir_text *html, const char *style, double x1, double y1, double x2, double y2) {
    weir_text_format(html, "<line class=\"%s\"", style);
    weir_plot_attribute(html, "x1", x1);
    weir_plot_attribute(html, "y1", y1);
    weir_plot_attribute(html, "x2", x2);
    weir_plot_attribute(html, "y2", y2);
    weir_text_add(html, "/>\n");
}

void weir_plot_rect(weir_text *html, const char *style, double x, double y, double width, double height) {
    weir_text_format(html, "<rect class=\"%s\"", style);
    weir_plot_attribute(html, "x", x);
    weir_plot_attribute(html, "y", y);
    weir_plot_attribute(html, "width", width);
    weir_plot_attribute(html, "height", height);
    weir_text_add(html, "/>\n");
}

void weir_plot_text(weir_text *html, const char *style, double x, double y, const char *anchor, const char *string) {
    weir_text_format(html, "<text class=\"%s\" text-anchor=\"%s\"", style, anchor);
    weir_plot_attribute(html, "x", x);
    weir_plot_attribute(html, "y", y);
    weir_text_char(html, '>');
    weir_html_text(html, string);
    weir_text_add(html, "</text>\n");
}

void weir_plot_mark(weir_text *html, unsigned index, double x, double y, const char *title) {
    static const char *const shapes[] = {"M-5,0A5,5,0,1,1,5,0A5,5,0,1,1,-5,0Z",
                                         "M-5,-5H5V5H-5Z",
                                         "M0,-6L6,5H-6Z",
                                         "M0,-6L6,0L0,6L-6,0Z",
                                         "M-6,-5H6L0,6Z",
                                         "M-2,-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z"};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    weir_text_format(html, "<path class=\"mark series%u\" d=\"%s\" transform=\"translate(", index % SHAPES,
                     shapes[(index + index / SHAPES) % SHAPES]);
    weir_plot_pixel(html, x);
    weir_text_char(html, ',');
    weir_plot_pixel(html, y);
    weir_text_add(html, ")\"><title>");
    weir_html_text(html, title);
    weir_text_add(html, "</title></path>\n");
}

/* --- axes --- */

void weir_plot_axis_include(weir_plot_axis *axis, double value) {
    if (!axis->is_used || value < axis->low) axis->low = value;
    if (!axis->is_used || value > axis->high) axis->high = value;
    axis->is_used = true;
}

static double share_of(const weir_plot_axis *axis, double value) {
    if (axis->is_log) return weir_elementary_log(value / axis->low) / weir_elementary_log(axis->high / axis->low);
    return (value - axis->low) / (axis->high - axis->low);
}

double weir_plot_x(const weir_plot *c, double value) { return c->left + share_of(&c->x, value) * c->width; }

double weir_plot_y(const weir_plot *c, double value) {
    return WEIR_PLOT_ABOVE + (1 - share_of(&c->y, value)) * c->height;
}

/* The distance of about `count` ticks: 1, 2 or 5 times a power of ten. */
static double step_of(double span, int count) {
    double step = 1;
    while (step * count < span) step *= 10;
    while (step * count >= span * 10) step /= 10;
    return span / (step / 5) <= count ? step / 5 : span / (step / 2) <= count ? step / 2 : step;
}

/* Tick `index`, from one below the axis or at its start on: of a logarithmic axis 1, 2, 5, 10, ..., over more than
 * three decades 1, 10, ... */
static double tick_at(const weir_plot_axis *axis, int count, int index) {
    if (!axis->is_log) {
        const double step = step_of(axis->high - axis->low, count);
        return (ceil(axis->low / step - 1e-9) + index) * step;
    }
    static const double leading[] = {1, 2, 5};
    const int step = axis->high / axis->low > 1000 ? 1 : 3;
    double decade = 1;
    while (decade > axis->low) decade /= 10;
    while (decade * 10 <= axis->low) decade *= 10;
    for (; index >= step; index -= step) decade *= 10;
    return decade * leading[index];
}

/* Room around what was included, and whole ticks where the axis is linear. */
static void widen(weir_plot_axis *axis, int count) {
    if (!axis->is_used) *axis = (weir_plot_axis){1, 2, axis->is_log, true, axis->is_tight, axis->title};
    if (axis->is_log) {
        const double room = axis->high / axis->low < 3 ? 1.8 : 1.15;
        axis->low /= room;
        axis->high *= room;
        return;
    }
    if (axis->high == axis->low) axis->high += 1;
    if (axis->is_tight) return;
    const double step = step_of(axis->high - axis->low, count);
    axis->low = floor(axis->low / step + 1e-9) * step;
    axis->high = ceil(axis->high / step - 1e-9) * step;
}

static void draw_label(weir_text *html, double x, double y, const char *anchor, double tick) {
    weir_text label = {NULL, 0, 0};
    weir_html_brief(&label, tick);
    weir_plot_text(html, "tick", x, y, anchor, label.data);
    weir_text_free(&label);
}

static void draw_axes(const weir_plot *c, int across, int up, weir_text *html) {
    const double bottom = WEIR_PLOT_ABOVE + c->height;
    double tick;
    for (int i = 0; (tick = tick_at(&c->x, across, i)) <= c->x.high * (1 + 1e-9); i++) {
        if (tick < c->x.low) continue;
        const double x = weir_plot_x(c, tick);
        weir_plot_line(html, "grid", x, WEIR_PLOT_ABOVE, x, bottom);
        draw_label(html, x, bottom + 16, "middle", tick);
    }
    for (int i = 0; c->y.title != NULL && (tick = tick_at(&c->y, up, i)) <= c->y.high * (1 + 1e-9); i++) {
        if (tick < c->y.low) continue;
        const double y = weir_plot_y(c, tick);
        weir_plot_line(html, "grid", c->left, y, c->left + c->width, y);
        draw_label(html, c->left - 6, y + 4, "end", tick);
    }
    weir_plot_line(html, "axis", c->left, bottom, c->left + c->width, bottom);
    weir_plot_line(html, "axis", c->left, WEIR_PLOT_ABOVE, c->left, bottom);
    weir_plot_text(html, "title", c->left + c->width / 2, bottom + 36, "middle", c->x.title);
    if (c->y.title == NULL) return;
    weir_text_add(html, "<text class=\"title\" text-anchor=\"middle\" transform=\"translate(14,");
    weir_plot_pixel(html, WEIR_PLOT_ABOVE + c->height / 2);
    weir_text_add(html, ") rotate(-90)\">");
    weir_html_text(html, c->y.title);
    weir_text_add(html, "</text>\n");
}

void weir_plot_open(weir_plot *c, const char *title, weir_text *html) {
    enum { ACROSS = 75, UP = 36 }; /* pixels a tick, at least */
    const int across = (int)(c->width / ACROSS), up = (int)(c->height / UP);
    weir_text_add(html, "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 ");
    weir_plot_pixel(html, c->left + c->width + c->right);
    weir_text_char(html, ' ');
    weir_plot_pixel(html, WEIR_PLOT_ABOVE + c->height + WEIR_PLOT_UNDER);
    weir_text_add(html, "\"");
    weir_plot_attribute(html, "width", c->left + c->width + c->right);
    weir_text_add(html, " aria-label=\"");
    weir_html_text(html, title);
    weir_text_add(html, "\">\n");
    widen(&c->x, across);
    widen(&c->y, up);
    draw_axes(c, across, up, html);
}

void weir_plot_close(weir_text *html) { weir_text_add(html, "</svg>\n"); }
