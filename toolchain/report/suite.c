/* The page of a suite (`weir regress`), from its JSON alone (schema/regress.schema.json). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/plot.h"
#include "report/report.h"
#include "report/section.h"
#include "support/memory/arena.h"

/* Rows of the table, marks of a plot, points named of a group; plots. */
enum { MOST_ROWS = 5000, MOST_MARKS = 4000, MOST_NAMED = 20, MOST_PLOTS = 8, MOST_SERIES = 10, NAMES = 64 };

/* What the points differ in, and the numbers that any has; borrowed from the JSON. */
typedef struct columns {
    const char *name[NAMES], *metric[NAMES];
    size_t names, metrics;
    bool is_short[NAMES]; /* values are shown without their folders */
} columns;

static const json_t *points_of(const json_t *tally) { return json_object_get(tally, "points"); }

static bool is_right(const json_t *point) { return strcmp(weir_html_string(point, "state"), "right") == 0; }
static bool is_worse(const json_t *point) { return json_array_size(json_object_get(point, "worse")) > 0; }

static void take_keys(const json_t *object, const char **key, size_t *count) {
    const char *found;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, found, value) {
        size_t i = 0;
        while (i < *count && strcmp(key[i], found) != 0) i++;
        if (i == *count && *count < NAMES) key[(*count)++] = found;
    }
}

/* NULL: the point has none of that name. */
static const char *text_of(const json_t *point, const char *name) {
    return json_string_value(json_object_get(json_object_get(point, "point"), name));
}

static const char *after_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The values of a name, each once, as long as there is room; how many. */
static size_t values_of(const json_t *points, const char *name, const char *value[NAMES]) {
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(points); i++) {
        const char *one = text_of(json_array_get(points, i), name);
        size_t k = 0;
        while (k < count && one != NULL && strcmp(value[k], one) != 0) k++;
        if (one != NULL && k == count && count < NAMES) value[count++] = one;
    }
    return count;
}

/* May the name's values, paths among them, be shown without their folders? */
static bool is_short(const json_t *points, const char *name) {
    const char *value[NAMES];
    const size_t count = values_of(points, name, value);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(after_folder(value[i]), after_folder(value[k])) == 0) return false;
    return count < NAMES;
}

static columns columns_of(const json_t *tally) {
    const json_t *points = points_of(tally);
    columns c = {.names = 0};
    for (size_t i = 0; i < json_array_size(points); i++) {
        take_keys(json_object_get(json_array_get(points, i), "point"), c.name, &c.names);
        take_keys(json_object_get(json_array_get(points, i), "metrics"), c.metric, &c.metrics);
    }
    size_t kept = 0;
    const char *value[NAMES];
    for (size_t k = 0; k < c.names; k++)
        if (values_of(points, c.name[k], value) > 1) c.name[kept++] = c.name[k];
    c.names = kept;
    for (size_t k = 0; k < c.names; k++) c.is_short[k] = is_short(points, c.name[k]);
    return c;
}

/* --- the head --- */

static void add_card(const char *name, int64_t value, const char *style, weir_text *html) {
    weir_text_format(html, "<div><dt>%s</dt><dd%s>", name, style);
    weir_html_integer(html, value);
    weir_text_add(html, "</dd></div>\n");
}

static void add_coverage(const json_t *coverage, weir_text *html) {
    const char *kind;
    json_t *places;
    if (!json_is_object(coverage)) return;
    json_object_foreach((json_t *)(uintptr_t)coverage, kind, places) {
        const double found = weir_html_number(places, "found");
        if (!(found > 0)) continue;
        weir_text_add(html, "<div><dt>coverage, ");
        weir_html_text(html, kind);
        weir_text_add(html, "</dt><dd>");
        weir_html_real(html, 100 * weir_html_number(places, "reached") / found, 1);
        weir_text_add(html, " <small>% of ");
        weir_html_integer(html, (int64_t)found);
        weir_text_add(html, "</small></dd></div>\n");
    }
}

static void add_summary(const json_t *tally, weir_text *html) {
    static const char *const bad[] = {"wrong", "failed", "lost", "open"};
    const json_t *counts = json_object_get(tally, "counts"), *points = points_of(tally);
    int64_t kept = 0, worse = 0;
    for (size_t i = 0; i < json_array_size(points); i++) {
        kept += json_is_true(json_object_get(json_array_get(points, i), "kept"));
        worse += is_worse(json_array_get(points, i));
    }
    weir_text_add(html, "<dl class=\"cards\">\n");
    add_card("points", (int64_t)json_array_size(points), "", html);
    add_card("right", weir_html_whole(counts, "right"), " class=\"good\"", html);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const int64_t count = weir_html_whole(counts, bad[i]);
        if (count > 0) add_card(bad[i], count, " class=\"bad\"", html);
    }
    if (worse > 0) add_card("worse than the baseline", worse, " class=\"bad\"", html);
    add_card("kept from earlier runs", kept, "", html);
    add_coverage(json_object_get(tally, "coverage"), html);
    weir_text_add(html, "</dl>\n");
}

/* "model=a.onnx, seed=3", of what varies. */
static void add_point(const json_t *point, const columns *c, weir_text *html) {
    for (size_t k = 0, shown = 0; k < c->names; k++) {
        const char *value = text_of(point, c->name[k]);
        if (value == NULL) continue;
        weir_text_add(html, shown++ == 0 ? "" : ", ");
        weir_html_text(html, c->name[k]);
        weir_text_char(html, '=');
        weir_html_text(html, c->is_short[k] ? after_folder(value) : value);
    }
}

static void add_groups(const json_t *tally, const columns *c, weir_text *html) {
    const json_t *groups = json_object_get(tally, "groups");
    if (json_array_size(groups) == 0) return;
    weir_text_add(html, "<section id=\"failures\"><h2>Failures by first cause</h2>\n");
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *group = json_array_get(groups, i), *members = json_object_get(group, "points");
        const json_t *first = json_array_get(points_of(tally), (size_t)json_integer_value(json_array_get(members, 0)));
        const char *node = weir_html_string(group, "node"), *log = weir_html_string(first, "log");
        weir_text_add(html, "<h3><span class=\"bad\">");
        weir_html_text(html, weir_html_string(group, "state"));
        weir_text_format(html, "</span>: %zu at ", json_array_size(members));
        weir_html_text(html, weir_html_string(group, "step"));
        if (*node != '\0') weir_text_add(html, ", node ");
        weir_html_text(html, node);
        weir_text_add(html, "</h3><p>");
        weir_html_text(html, weir_html_string(group, "message"));
        weir_text_add(html, "</p><ul>\n");
        for (size_t k = 0; k < json_array_size(members) && k < MOST_NAMED; k++) {
            weir_text_add(html, "<li>");
            add_point(json_array_get(points_of(tally), (size_t)json_integer_value(json_array_get(members, k))), c,
                      html);
            weir_text_add(html, "</li>\n");
        }
        weir_text_add(html, "</ul>\n");
        if (json_array_size(members) > MOST_NAMED)
            weir_text_format(html, "<p>and %zu more</p>\n", json_array_size(members) - MOST_NAMED);
        if (*log == '\0') continue;
        weir_text_add(html, "<details><summary>what the first one printed</summary><pre>");
        weir_html_text(html, log);
        weir_text_add(html, "</pre></details>\n");
    }
    weir_text_add(html, "</section>\n");
}

/* --- plots of numbers over what varies as a number --- */

/* NaN for what is none. */
static double value_of(const json_t *point, const char *name) {
    const char *text = text_of(point, name);
    char *end;
    const double value = text == NULL ? NAN : weir_parse_double(text, &end);
    return text == NULL || *text == '\0' || *end != '\0' ? NAN : value;
}

/* The first name whose values are numbers; NULL. */
static const char *axis_of(const json_t *points, const columns *c) {
    for (size_t k = 0; k < c->names; k++) {
        bool is_number = strcmp(c->name[k], "seed") != 0;
        for (size_t i = 0; is_number && i < json_array_size(points); i++) {
            const json_t *point = json_array_get(points, i);
            is_number = text_of(point, c->name[k]) == NULL || isfinite(value_of(point, c->name[k]));
        }
        if (is_number) return c->name[k];
    }
    return NULL;
}

/* The number of the point's value among those of the series. */
static unsigned series_of(const json_t *point, const char *name, const char *const *value, size_t count) {
    const char *own = name == NULL ? NULL : text_of(point, name);
    unsigned i = 0;
    while (own != NULL && i < count && strcmp(value[i], own) != 0) i++;
    return i;
}

static bool is_drawn(const json_t *point, const char *axis, const char *metric) {
    return isfinite(weir_html_number(json_object_get(point, "metrics"), metric)) && isfinite(value_of(point, axis));
}

static void draw(const json_t *points, const columns *c, const char *axis, const char *metric, weir_text *html) {
    const char *value[NAMES];
    size_t s = 0;
    while (s < c->names && (c->name[s] == axis || strcmp(c->name[s], "seed") == 0)) s++;
    const char *series = s < c->names ? c->name[s] : NULL;
    const size_t count = series == NULL ? 0 : values_of(points, series, value);
    weir_plot plot = {
        .width = 520, .height = 240, .left = 90, .right = 220, .x = {.title = axis}, .y = {.title = metric}};
    for (size_t i = 0; i < json_array_size(points); i++) {
        const json_t *point = json_array_get(points, i);
        if (!is_drawn(point, axis, metric)) continue;
        weir_plot_axis_include(&plot.x, value_of(point, axis));
        weir_plot_axis_include(&plot.y, weir_html_number(json_object_get(point, "metrics"), metric));
    }
    weir_plot_open(&plot, metric, html);
    for (size_t i = 0; i < json_array_size(points) && i < MOST_MARKS; i++) {
        const json_t *point = json_array_get(points, i);
        if (!is_drawn(point, axis, metric)) continue;
        const double y = weir_html_number(json_object_get(point, "metrics"), metric);
        weir_text title = {NULL, 0, 0};
        add_point(point, c, &title);
        weir_plot_mark(html, series_of(point, series, value, count), weir_plot_x(&plot, value_of(point, axis)),
                       weir_plot_y(&plot, y), title.data == NULL ? "" : title.data);
        weir_text_free(&title);
    }
    for (unsigned k = 0; k < count && k < MOST_SERIES; k++) {
        const double line = WEIR_PLOT_ABOVE + 8 + 20 * (double)k, left = plot.left + plot.width + 16;
        const char *shown = c->is_short[s] ? after_folder(value[k]) : value[k];
        weir_plot_mark(html, k, left, line, shown);
        weir_plot_text(html, "label", left + 12, line + 4, "start", shown);
    }
    weir_plot_close(html);
}

static void add_plots(const json_t *tally, const columns *c, weir_text *html) {
    const char *axis = axis_of(points_of(tally), c);
    if (axis == NULL || c->metrics == 0) return;
    weir_text_add(html, "<section id=\"numbers\"><h2>Numbers over ");
    weir_html_text(html, axis);
    weir_text_add(html, "</h2>\n");
    for (size_t k = 0; k < c->metrics && k < MOST_PLOTS; k++) draw(points_of(tally), c, axis, c->metric[k], html);
    weir_text_add(html, "</section>\n");
}

/* --- all points --- */

/* A number, and beside it the baseline's where it is worse than that. */
static void add_metric(const json_t *point, const char *metric, weir_text *html) {
    const json_t *worse = json_object_get(point, "worse");
    const double now = weir_html_number(json_object_get(point, "metrics"), metric);
    weir_text_add(html, "<td class=\"n\">");
    weir_html_real(html, now, now == floor(now) ? 0 : 3);
    for (size_t i = 0; i < json_array_size(worse); i++) {
        const json_t *one = json_array_get(worse, i);
        if (strcmp(weir_html_string(one, "metric"), metric) != 0) continue;
        const double before = weir_html_number(one, "before");
        weir_text_add(html, " <span class=\"bad\">worse than ");
        weir_html_real(html, before, before == floor(before) ? 0 : 3);
        weir_text_add(html, "</span>");
    }
    weir_text_add(html, "</td>");
}

static void add_row(const json_t *point, const columns *c, size_t number, weir_text *html) {
    char *name = weir_format("%zu", number);
    weir_html_row(html, name);
    free(name);
    for (size_t k = 0; k < c->names; k++) {
        const char *value = text_of(point, c->name[k]);
        weir_html_cell(html, value == NULL ? "" : c->is_short[k] ? after_folder(value) : value);
    }
    weir_text_format(html, "<td class=\"%s\">", is_right(point) && !is_worse(point) ? "good" : "bad");
    weir_html_text(html, is_right(point) && is_worse(point) ? "worse" : weir_html_string(point, "state"));
    weir_text_format(html, "</td><td>%s</td>", json_is_true(json_object_get(point, "kept")) ? "kept" : "");
    for (size_t k = 0; k < c->metrics; k++) add_metric(point, c->metric[k], html);
    weir_html_cell_real(html, weir_html_number(point, "seconds"), 1);
    weir_html_cell_integer(html, weir_html_whole(point, "megabytes"));
    weir_html_row_end(html);
}

/* Where there are too many, those that are right are left out. */
static void add_points(const json_t *tally, const columns *c, weir_text *html) {
    const json_t *points = points_of(tally);
    const size_t count = json_array_size(points);
    weir_arena *arena = weir_arena_new();
    const char *heads[2 * NAMES + 5];
    size_t width = 0, shown = 0;
    heads[width++] = "#point";
    for (size_t k = 0; k < c->names; k++) heads[width++] = c->name[k];
    heads[width++] = "result";
    heads[width++] = "";
    for (size_t k = 0; k < c->metrics; k++) heads[width++] = weir_arena_format(arena, "#%s", c->metric[k]);
    heads[width++] = "#seconds";
    heads[width++] = "#MB";
    weir_text_add(html, "<section id=\"points\"><h2>Points</h2>\n");
    weir_html_table(html, "Each point: what varies, its result, its numbers", heads, width);
    for (size_t i = 0; i < count; i++) {
        const json_t *point = json_array_get(points, i);
        if (shown >= MOST_ROWS || (count > MOST_ROWS && is_right(point) && !is_worse(point))) continue;
        add_row(point, c, i + 1, html);
        shown++;
    }
    weir_html_table_end(html);
    if (shown < count) weir_text_format(html, "<p>%zu other points are not shown.</p>\n", count - shown);
    weir_text_add(html, "</section>\n");
    weir_arena_free(arena);
}

void weir_report_suite(const json_t *tally, weir_text *html) {
    const columns c = columns_of(tally);
    const char *name = weir_html_string(tally, "suite");
    weir_report_page_open(&name, 1, html);
    weir_text_add(html, "<main><article><h1>");
    weir_html_text(html, name);
    weir_text_add(html, "</h1>\n");
    add_summary(tally, html);
    add_groups(tally, &c, html);
    add_plots(tally, &c, html);
    add_points(tally, &c, html);
    weir_text_add(html, "</article></main>\n");
    weir_report_page_close(html);
}
