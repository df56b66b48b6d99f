/* Graphviz places boxes from top to bottom and says how edges bend around them. A graph that is much higher than wide
 * is then cut between rows into columns; an edge from one column to another goes under the first and over the second,
 * through the gap between. */
#include "report/layout.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot.h"
#include "support/memory/arena.h"

enum { MARGIN = 12, GAP = 56, INCH = 72 };
static const double ASPECT = 1.7; /* of the picture, width over height */

typedef struct point {
    double x, y;
} point;

typedef struct drawing {
    const weir_graph *graph;
    weir_graph_layout *layout;
    point **bend; /* of edges, as Graphviz has them: the ends of Bézier curves and what bends them; heap */
    size_t *bends;
} drawing;

static void collect_edges(const weir_graph *graph, weir_graph_layout *layout) {
    size_t capacity = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
            const weir_value value = weir_node_input(graph, node, i);
            const weir_node maker = value.id == 0 ? WEIR_NO_NODE : weir_value_producer(graph, value);
            if (maker.id == 0) continue;
            layout->edge = weir_grow(layout->edge, &capacity, layout->edge_count + 1, sizeof *layout->edge);
            layout->edge[layout->edge_count++] = (weir_layout_edge){maker, node, value, NULL};
        }
    }
}

void weir_layout_dot(const weir_graph *graph, weir_text *dot) {
    weir_graph_layout layout = {0, 0, NULL, NULL, NULL, 0};
    collect_edges(graph, &layout);
    weir_text_format(dot, "digraph {\nrankdir=TB; nodesep=0.35; ranksep=%.3f;\n",
                     (double)(WEIR_LAYOUT_ROW - WEIR_LAYOUT_BOX_HEIGHT) / INCH);
    weir_text_format(dot, "edge [arrowhead=none]; node [shape=box fixedsize=true width=%.3f height=%.3f label=\"\"];\n",
                     (double)WEIR_LAYOUT_BOX_WIDTH / INCH, (double)WEIR_LAYOUT_BOX_HEIGHT / INCH);
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        weir_text_format(dot, "%u;\n", node.id);
    for (size_t i = 0; i < layout.edge_count; i++)
        weir_text_format(dot, "%u -> %u;\n", layout.edge[i].from.id, layout.edge[i].to.id);
    weir_text_add(dot, "}\n");
    weir_layout_free(&layout);
}

/* --- Graphviz --- */

/* The next word of a line, as a number; NaN at the end of the line. */
static double next_number(const char **at) {
    while (**at == ' ') (*at)++;
    if (**at == '\n' || **at == '\0') return NAN;
    char *end;
    const double value = weir_parse_double(*at, &end);
    if (end == *at) return NAN;
    *at = end;
    return value;
}

/* The first edge between the two that has no bends yet. */
static size_t find_edge(const drawing *d, double from, double to) {
    for (size_t i = 0; i < d->layout->edge_count; i++) {
        const weir_layout_edge *edge = &d->layout->edge[i];
        if (edge->from.id == (uint32_t)from && edge->to.id == (uint32_t)to && d->bends[i] == 0) return i;
    }
    return d->layout->edge_count;
}

static bool read_edge(drawing *d, const char *at, double height) {
    const double from = next_number(&at), to = next_number(&at), count = next_number(&at);
    const size_t edge = find_edge(d, from, to);
    if (edge == d->layout->edge_count || !(count >= 4 && count < 1e6)) return false;
    d->bends[edge] = (size_t)count;
    d->bend[edge] = weir_calloc((size_t)count, sizeof **d->bend);
    for (size_t i = 0; i < d->bends[edge]; i++) {
        const double x = next_number(&at), y = next_number(&at);
        if (isnan(x) || isnan(y)) return false;
        d->bend[edge][i] = (point){x * INCH, (height - y) * INCH};
    }
    return true;
}

static bool read_node(drawing *d, const char *at, double height) {
    const double id = next_number(&at), x = next_number(&at), y = next_number(&at);
    if (isnan(y) || !(id >= 1 && id < weir_graph_node_limit(d->graph))) return false;
    d->layout->x[(uint32_t)id] = x * INCH;
    d->layout->y[(uint32_t)id] = (height - y) * INCH;
    return true;
}

/* graph SCALE WIDTH HEIGHT, node NAME X Y ..., edge FROM TO N X Y ..., stop; y counts upwards. False: not all is there.
 * */
static bool read_plain(drawing *d, const char *plain) {
    size_t nodes = 0, edges = 0;
    double height = NAN;
    for (const char *line = plain; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        bool fine = true;
        if (strncmp(line, "graph ", 6) == 0) {
            const char *at = line + 6;
            next_number(&at);
            d->layout->width = next_number(&at) * INCH;
            height = next_number(&at);
            d->layout->height = height * INCH;
        } else if (strncmp(line, "node ", 5) == 0) {
            fine = read_node(d, line + 5, height);
            nodes++;
        } else if (strncmp(line, "edge ", 5) == 0) {
            fine = read_edge(d, line + 5, height);
            edges++;
        }
        if (!fine) return false;
    }
    return nodes == weir_graph_node_count(d->graph) && edges == d->layout->edge_count && d->layout->height > 0;
}

static void forget_bends(drawing *d) {
    for (size_t i = 0; i < d->layout->edge_count; i++) {
        free(d->bend[i]);
        d->bend[i] = NULL;
        d->bends[i] = 0;
    }
}

/* --- rows --- */

/* A node lies one row below the lowest of those that it reads, in the first free column. An edge over several rows
 * takes the first column that is free in all rows between. */
static void lay_out_rows(drawing *d) {
    weir_graph_layout *l = d->layout;
    const uint32_t limit = weir_graph_node_limit(d->graph);
    uint32_t *row = weir_calloc(limit, sizeof *row), *used = weir_calloc(limit + 1, sizeof *used), columns = 1,
             rows = 0;
    for (size_t i = 0; i < l->edge_count; i++) { /* the edges of a node come together, after those of nodes before it */
        const uint32_t from = l->edge[i].from.id, to = l->edge[i].to.id;
        if (row[from] >= row[to]) row[to] = row[from] + 1;
    }
    for (weir_node node = weir_graph_first(d->graph); node.id != 0; node = weir_node_next(d->graph, node)) {
        const uint32_t column = used[row[node.id]]++;
        l->x[node.id] = WEIR_LAYOUT_COLUMN * (column + 0.5);
        l->y[node.id] = WEIR_LAYOUT_ROW * row[node.id] + WEIR_LAYOUT_BOX_HEIGHT / 2.0;
        if (row[node.id] >= rows) rows = row[node.id] + 1;
        if (column >= columns) columns = column + 1;
    }
    for (size_t i = 0; i < l->edge_count; i++) {
        const weir_layout_edge *edge = &l->edge[i];
        const uint32_t from = row[edge->from.id], to = row[edge->to.id];
        const point start = {l->x[edge->from.id], l->y[edge->from.id] + WEIR_LAYOUT_BOX_HEIGHT / 2.0},
                    end = {l->x[edge->to.id], l->y[edge->to.id] - WEIR_LAYOUT_BOX_HEIGHT / 2.0};
        uint32_t column = 0;
        for (uint32_t r = from + 1; r < to; r++)
            if (used[r] > column) column = used[r];
        for (uint32_t r = from + 1; r < to; r++) used[r] = column + 1;
        if (to > from + 1 && column >= columns) columns = column + 1;
        const double x = to > from + 1 ? WEIR_LAYOUT_COLUMN * (column + 0.5) : 0, half = WEIR_LAYOUT_ROW / 3.0;
        const point over = {x, start.y + WEIR_LAYOUT_ROW - WEIR_LAYOUT_BOX_HEIGHT},
                    under = {x, end.y - WEIR_LAYOUT_ROW + WEIR_LAYOUT_BOX_HEIGHT};
        d->bends[i] = to > from + 1 ? 10 : 4;
        d->bend[i] = weir_calloc(d->bends[i], sizeof **d->bend);
        const point direct[] = {start, {start.x, start.y + half / 2}, {end.x, end.y - half / 2}, end};
        const point around[] = {start, {start.x, start.y + half}, {x, over.y - half},    over, over, under,
                                under, {x, under.y + half},       {end.x, end.y - half}, end};
        memcpy(d->bend[i], to > from + 1 ? around : direct, d->bends[i] * sizeof(point));
    }
    l->width = WEIR_LAYOUT_COLUMN * columns;
    l->height = WEIR_LAYOUT_ROW * rows;
    free(row);
    free(used);
}

/* --- columns side by side --- */

static void add_point(weir_text *path, const char *command, double x, double y) {
    weir_text_add(path, command);
    weir_plot_pixel(path, x);
    weir_text_char(path, ',');
    weir_plot_pixel(path, y);
}

/* Along the row under the box to the gap behind its column, in gaps and under the columns between, along the row over
 * the other box. Boxes lie in rows, so none is crossed. */
static void add_detour(weir_text *path, const drawing *d, const weir_layout_edge *edge, size_t between, double pitch,
                       double bottom, size_t index) {
    const weir_graph_layout *l = d->layout;
    const double lane = (double)(index % 4), under = l->y[edge->from.id] + WEIR_LAYOUT_BOX_HEIGHT / 2.0,
                 over = l->y[edge->to.id] - WEIR_LAYOUT_BOX_HEIGHT / 2.0;
    const double x1 = l->x[edge->from.id], x2 = l->x[edge->to.id], out = under + 8 + 4 * lane,
                 in = over - 28 + 4 * lane;
    const double last = MARGIN - GAP / 2.0 + 9 * lane - 12, gap = last + pitch * floor((x2 - last) / pitch);
    add_point(path, "M", x1, under);
    add_point(path, "L", x1, out);
    if (between > 0) {
        const double first = gap - pitch * (double)between;
        add_point(path, "L", first, out);
        add_point(path, "L", first, bottom + 6 * lane);
        add_point(path, "L", gap, bottom + 6 * lane);
    } else {
        add_point(path, "L", gap, out);
    }
    add_point(path, "L", gap, in);
    add_point(path, "L", x2, in);
    add_point(path, "L", x2, over);
}

static int compare_reals(const void *a, const void *b) {
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* How many columns make the picture about as wide as it should be. */
static size_t columns_of(const weir_graph_layout *l) {
    const double count = floor(sqrt(ASPECT * l->height / (l->width + GAP)) + 0.5);
    return count < 1 ? 1 : count > 40 ? 40 : (size_t)count;
}

/* Cuts between rows, so that each column has its share of the height; *cut has where each column but the first begins.
 * */
static size_t cut_rows(const drawing *d, double **cut) {
    const weir_graph_layout *l = d->layout;
    const size_t columns = columns_of(l), count = weir_graph_node_count(d->graph);
    double *y = weir_calloc(count + 1, sizeof *y);
    size_t rows = 0, cuts = 0;
    for (weir_node node = weir_graph_first(d->graph); node.id != 0; node = weir_node_next(d->graph, node))
        y[rows++] = l->y[node.id];
    qsort(y, rows, sizeof *y, compare_reals);
    *cut = weir_calloc(columns + 1, sizeof **cut);
    for (size_t i = 1; i < rows && cuts + 1 < columns; i++) {
        const double share = l->height * (double)(cuts + 1) / (double)columns;
        if (y[i] - y[i - 1] > WEIR_LAYOUT_BOX_HEIGHT && (y[i] + y[i - 1]) / 2 >= share - WEIR_LAYOUT_ROW / 2.0)
            (*cut)[cuts++] = (y[i] + y[i - 1]) / 2;
    }
    free(y);
    return cuts;
}

static size_t column_of(double y, const double *cut, size_t cuts) {
    size_t column = 0;
    while (column < cuts && y > cut[column]) column++;
    return column;
}

static void fold(drawing *d) {
    weir_graph_layout *l = d->layout;
    double *cut, tallest = 0;
    const size_t cuts = cut_rows(d, &cut);
    const double top = cuts == 0 ? MARGIN : MARGIN + 28, pitch = l->width + GAP;
    size_t *column = weir_calloc(weir_graph_node_limit(d->graph), sizeof *column);
    for (size_t c = 0; c <= cuts; c++) {
        const double height = (c < cuts ? cut[c] : l->height) - (c == 0 ? 0 : cut[c - 1]);
        if (height > tallest) tallest = height;
    }
    for (weir_node node = weir_graph_first(d->graph); node.id != 0; node = weir_node_next(d->graph, node)) {
        const size_t c = column[node.id] = column_of(l->y[node.id], cut, cuts);
        l->x[node.id] += MARGIN + pitch * (double)c;
        l->y[node.id] += top - (c == 0 ? 0 : cut[c - 1]);
    }
    for (size_t i = 0, detours = 0; i < l->edge_count; i++) {
        weir_layout_edge *edge = &l->edge[i];
        weir_text path = {NULL, 0, 0};
        const size_t from = column[edge->from.id], to = column[edge->to.id];
        const double dx = MARGIN + pitch * (double)from, dy = top - (from == 0 ? 0 : cut[from - 1]);
        if (from != to) add_detour(&path, d, edge, to - from - 1, pitch, top + tallest + 4, detours++);
        for (size_t p = 0; from == to && p < d->bends[i]; p++)
            add_point(&path, p == 0 ? "M" : p == 1 ? "C" : " ", d->bend[i][p].x + dx, d->bend[i][p].y + dy);
        edge->path = path.data;
    }
    l->width = 2 * MARGIN + pitch * (double)(cuts + 1) - GAP;
    l->height = top + tallest + (cuts == 0 ? MARGIN : MARGIN + 40);
    free(column);
    free(cut);
}

weir_graph_layout weir_layout_of(const weir_graph *graph, const char *plain) {
    const uint32_t limit = weir_graph_node_limit(graph);
    weir_graph_layout layout = {0, 0, weir_calloc(limit, sizeof(double)), weir_calloc(limit, sizeof(double)), NULL, 0};
    collect_edges(graph, &layout);
    drawing d = {graph, &layout, weir_calloc(layout.edge_count + 1, sizeof(point *)),
                 weir_calloc(layout.edge_count + 1, sizeof(size_t))};
    if (plain == NULL || !read_plain(&d, plain)) {
        forget_bends(&d);
        lay_out_rows(&d);
    }
    fold(&d);
    forget_bends(&d);
    free(d.bend);
    free(d.bends);
    return layout;
}

void weir_layout_free(weir_graph_layout *layout) {
    for (size_t i = 0; i < layout->edge_count; i++) free(layout->edge[i].path);
    free(layout->edge);
    free(layout->x);
    free(layout->y);
}
