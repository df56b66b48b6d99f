/* Plots as SVG inside of a page, whose style sheet has their colours: two axes with ticks, titles and units. */
#ifndef WEIR_REPORT_PLOT_H
#define WEIR_REPORT_PLOT_H

#include <stdbool.h>

#include "support/text/text.h"

typedef struct weir_plot_axis {
    double low, high;               /* of what has been included; of a logarithmic one positive */
    bool is_log, is_used, is_tight; /* tight: ends where its values do */
    const char *title;              /* NULL: the caller writes names of rows */
} weir_plot_axis;

/* Pixels of the area between the axes, and of the room around it. */
typedef struct weir_plot {
    double width, height, left, right;
    weir_plot_axis x, y;
} weir_plot;

enum { WEIR_PLOT_ABOVE = 16, WEIR_PLOT_UNDER = 46 };

/* Makes room for a value. */
void weir_plot_axis_include(weir_plot_axis *axis, double value);
/* Opens the SVG with its title, for those who do not see it, and draws the axes around all that was included. */
void weir_plot_open(weir_plot *chart, const char *title, weir_text *html);
void weir_plot_close(weir_text *html);
/* Pixels of values. */
double weir_plot_x(const weir_plot *chart, double value);
double weir_plot_y(const weir_plot *chart, double value);
/* A coordinate, in hundredths of a pixel whatever the locale. */
void weir_plot_pixel(weir_text *html, double value);
/* name="12.34" */
void weir_plot_attribute(weir_text *html, const char *name, double value);
/* <line>, <rect> and <text> with a class; the text is escaped, `anchor` start, middle or end. */
void weir_plot_line(weir_text *html, const char *style, double x1, double y1, double x2, double y2);
void weir_plot_rect(weir_text *html, const char *style, double x, double y, double width, double height);
void weir_plot_text(weir_text *html, const char *style, double x, double y, const char *anchor, const char *string);
/* A mark of series `index`: another shape as well as another colour. */
void weir_plot_mark(weir_text *html, unsigned index, double x, double y, const char *title);

#endif
