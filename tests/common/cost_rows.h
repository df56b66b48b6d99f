/* What modules of rtl/ were measured to take (scripts/cost): the rows of measured.csv and of placed.csv, and how far
 * estimates are from them. */
#ifndef WEIR_TESTS_COST_ROWS_H
#define WEIR_TESTS_COST_ROWS_H

#include "dataflow/cost/cost.h"

enum { COST_ROW_PARAMETERS = 48, COST_ROW_DEVICES = 8, COST_ROW_FLOOR = 16 };

typedef struct cost_row {
    const char *family; /* the first column of measured.csv; in placed.csv the device */
    const char *module; /* "weir_cast" */
    weir_device *device;
    weir_cost_parameter parameter[COST_ROW_PARAMETERS];
    size_t parameters;
    weir_cost measured;
    double fmax_mhz; /* 0 in measured.csv */
    bool alone;      /* false: part of a network (scripts/estimates/instances.csv) */
} cost_row;

typedef struct cost_rows {
    cost_row *item;
    size_t count;
    char *text; /* that rows point into */
    char **modules;
    weir_device *device[COST_ROW_DEVICES];
} cost_rows;

/* False after a reported error. Free the rows in any case with cost_rows_free. */
bool cost_rows_read(const char *path, cost_rows *rows);
void cost_rows_free(cost_rows *rows);

/* What is compiled in says of the row; false: nothing is known of its module. */
bool cost_rows_estimate(const cost_row *row, weir_cost *cost);
/* |estimate - measured| as a share of measured, of at least COST_ROW_FLOOR of it: a few lookup tables too many are no
 * error. */
double cost_rows_error(double estimate, int64_t measured);

/* Of errors, which are sorted: the middle one, that which nine of ten keep to, the largest. */
typedef struct cost_spread {
    double median, ninth, worst;
} cost_spread;
cost_spread cost_rows_spread(double *errors, size_t count);

#endif
