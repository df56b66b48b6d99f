/* Charts with two logarithmic axes. */
#ifndef WEIR_DSE_CHART_H
#define WEIR_DSE_CHART_H

#include "dse/result/svg.h"

/* Pixels of the area between the axes, and where it lies. */
enum {
    WEIR_CHART_LEFT = 80,
    WEIR_CHART_TOP = 64,
    WEIR_CHART_WIDTH = 560,
    WEIR_CHART_HEIGHT = 400,
    WEIR_CHART_BELOW = 56
};

typedef struct weir_chart {
    double low[2], high[2]; /* of x and y, positive */
} weir_chart;

/* Makes room for another point; the first one: of a chart of zeros. */
void weir_chart_include(weir_chart *chart, double x, double y);
/* The axes with their ticks, around all points, which are not included any more. */
void weir_chart_draw(weir_chart *chart, const char *x, const char *y, weir_text *svg);
double weir_chart_x(const weir_chart *chart, double value);
double weir_chart_y(const weir_chart *chart, double value);

#endif
