#include "common/cost_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* The device that each of the families in measured.csv was synthesized for: scripts/cost/measure.py. */
static const struct {
    const char *word, *device;
} families[] = {{"ice40", "ice40hx8k"},
                {"ice40u", "ice40up5k"},
                {"gowin", "gw1nr-9"},
                {"ecp5", "ecp5-45k"},
                {"xilinx7", "xc7a35t"}};

static weir_device *device_of(cost_rows *rows, const char *family) {
    const char *name = family;
    size_t i = 0;
    int status;
    for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
        if (strcmp(families[k].word, family) == 0) name = families[k].device;
    }
    while (i < COST_ROW_DEVICES && rows->device[i] != NULL && strcmp(rows->device[i]->name, name) != 0) i++;
    if (i == COST_ROW_DEVICES) return NULL;
    if (rows->device[i] == NULL) rows->device[i] = weir_device_read(name, &status);
    return rows->device[i];
}

/* The text up to the separator, which is cut off *rest; NULL: there is none left. */
static char *cut(char **rest, char separator) {
    char *start = *rest, *end = start == NULL ? NULL : strchr(start, separator);
    *rest = end == NULL ? NULL : end + 1;
    if (end != NULL) *end = '\0';
    return start;
}

static bool parse_parameters(char *text, cost_row *row) {
    char *rest = text;
    for (char *at; (at = cut(&rest, ' ')) != NULL;) {
        char *value = strchr(at, '=');
        weir_storage storage;
        if (value == NULL || row->parameters == COST_ROW_PARAMETERS) return false;
        *value++ = '\0';
        row->parameter[row->parameters].name = at;
        row->parameter[row->parameters++].value =
            weir_storage_parse(value, &storage) ? (int64_t)storage : strtoll(value, NULL, 10);
    }
    return true;
}

/* Columns in order: the family or device, module, parameters, [Fmax,] four resources, and what nobody needs here. */
static bool parse_row(cost_rows *rows, char *line, bool placed, cost_row *row) {
    char *cell[8] = {NULL}, *rest = line;
    const size_t first = placed ? 4 : 3;
    for (size_t i = 0; i < first + 4; i++) cell[i] = cut(&rest, ',');
    if (cell[first + 3] == NULL) return false;
    rows->modules[rows->count] = weir_format("weir_%s", cell[1]);
    *row = (cost_row){.family = cell[0], .module = rows->modules[rows->count], .device = device_of(rows, cell[0])};
    row->fmax_mhz = placed ? strtod(cell[3], NULL) : 0;
    row->measured.luts = strtoll(cell[first], NULL, 10);
    row->measured.flip_flops = strtoll(cell[first + 1], NULL, 10);
    row->measured.multipliers = strtoll(cell[first + 2], NULL, 10);
    row->measured.memory_blocks = strtoll(cell[first + 3], NULL, 10);
    return row->device != NULL && parse_parameters(cell[2], row);
}

bool cost_rows_read(const char *path, cost_rows *rows) {
    size_t size = 0, lines = 0;
    *rows = (cost_rows){.text = weir_file_read(path, &size)};
    if (rows->text == NULL) return false;
    for (size_t i = 0; i < size; i++) lines += rows->text[i] == '\n';
    rows->item = weir_calloc(lines + 1, sizeof *rows->item);
    rows->modules = weir_calloc(lines + 1, sizeof *rows->modules);
    char *rest = rows->text, *header = cut(&rest, '\n');
    const bool placed = strncmp(header, "device,", strlen("device,")) == 0;
    const char *last = strrchr(header, ',');
    const bool alone = last == NULL || strcmp(last, ",network") != 0;
    for (size_t line = 2; rest != NULL && *rest != '\0'; line++) {
        const bool fine = parse_row(rows, cut(&rest, '\n'), placed, &rows->item[rows->count]);
        rows->item[rows->count++].alone = alone;
        if (fine) continue;
        weir_error(weir_at(path, (int)line), "expected a row of %s", placed ? "placed.csv" : "measured.csv");
        return false;
    }
    return true;
}

void cost_rows_free(cost_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) free(rows->modules[i]);
    for (size_t i = 0; i < COST_ROW_DEVICES; i++) {
        if (rows->device[i] != NULL) weir_device_free(rows->device[i]);
    }
    free(rows->modules);
    free(rows->item);
    free(rows->text);
}

bool cost_rows_estimate(const cost_row *row, weir_cost *cost) {
    return (row->alone ? weir_cost_of_module_alone : weir_cost_of_module)(row->device, row->module, row->parameter,
                                                                          row->parameters, cost);
}

double cost_rows_error(double estimate, int64_t measured) {
    return fabs(estimate - (double)measured) / (double)(measured > COST_ROW_FLOOR ? measured : COST_ROW_FLOOR);
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

cost_spread cost_rows_spread(double *errors, size_t count) {
    if (count == 0) return (cost_spread){0, 0, 0};
    qsort(errors, count, sizeof *errors, ascending);
    return (cost_spread){errors[count / 2], errors[count * 9 / 10], errors[count - 1]};
}
