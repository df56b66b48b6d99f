/* Results as text for people, JSON, CSV and JUnit's XML (as Jenkins and GitLab read it: a failure is a wrong, worse or
 * failed point, an error a lost one). */
#include <stdlib.h>
#include <string.h>

#include "regress/tally.h"
#include "support/memory/arena.h"
#include "support/text/table.h"

enum { MOST_ROWS = 60, MOST_SHOWN = 3 };

/* --- what tables have in columns --- */
typedef struct columns {
    bool *varies;             /* by name: the points differ in it */
    weir_suite_texts metrics; /* that some point has */
} columns;

static bool has_text(const weir_suite_texts *texts, const char *text) {
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->item[i], text) == 0) return true;
    return false;
}

static bool same(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

static columns columns_of(const weir_tally *r) {
    const weir_suite *suite = r->suite;
    columns c = {weir_calloc(suite->names.count + 1, sizeof *c.varies), {NULL, 0}};
    size_t capacity = 0;
    for (size_t i = 0; i < suite->points; i++) {
        const char *name;
        json_t *value;
        for (size_t k = 0; k < suite->names.count; k++)
            c.varies[k] = c.varies[k] || !same(suite->point[i].value[k], suite->point[0].value[k]);
        json_object_foreach(r->record[i].metrics, name, value) {
            if (has_text(&c.metrics, name)) continue;
            c.metrics.item = weir_grow(c.metrics.item, &capacity, c.metrics.count + 1, sizeof *c.metrics.item);
            c.metrics.item[c.metrics.count++] = name;
        }
    }
    return c;
}

static void free_columns(columns *c) {
    free(c->varies);
    free(c->metrics.item);
}

static void add_number(weir_text *text, const json_t *value, bool is_short) {
    if (json_is_integer(value)) weir_text_format(text, "%lld", (long long)json_integer_value(value));
    else if (is_short) weir_text_format(text, "%.6g", json_number_value(value));
    else if (value != NULL) weir_text_double(text, json_number_value(value));
}

/* --- text --- */
static bool is_worse(const weir_tally *r, size_t point) {
    size_t count;
    weir_tally_worse(r, point, &count);
    return count > 0;
}

static void add_row(const weir_tally *r, const columns *c, size_t point, weir_table *table) {
    const weir_record *record = &r->record[point];
    for (size_t k = 0; k < r->suite->names.count; k++) {
        const char *value = r->suite->point[point].value[k];
        if (c->varies[k]) weir_table_add(table, value == NULL ? "-" : value);
    }
    weir_table_format(table, "%s%s", is_worse(r, point) ? "worse" : weir_point_state_name(record->state),
                      r->is_kept[point] ? " (kept)" : "");
    weir_table_color(table,
                     record->state == WEIR_POINT_RIGHT && !is_worse(r, point) ? WEIR_COLOR_GOOD : WEIR_COLOR_BAD);
    for (size_t k = 0; k < c->metrics.count; k++) {
        weir_text cell = {NULL, 0, 0};
        add_number(&cell, json_object_get(record->metrics, c->metrics.item[k]), true);
        weir_table_take(table, &cell);
    }
    weir_table_format(table, "%.1f", record->seconds);
    weir_table_format(table, "%lld", (long long)record->megabytes);
}

static void print_table(const weir_tally *r, bool all, weir_text *text) {
    columns c = columns_of(r);
    size_t count = 0, shown = 0;
    const char **header = weir_calloc(r->suite->names.count + c.metrics.count + 3, sizeof *header);
    for (size_t k = 0; k < r->suite->names.count; k++)
        if (c.varies[k]) header[count++] = r->suite->names.item[k];
    header[count++] = "result";
    for (size_t k = 0; k < c.metrics.count; k++) header[count++] = c.metrics.item[k];
    header[count++] = "seconds";
    header[count++] = "MB";
    weir_table *table = weir_table_new(header, count);
    const bool only_bad = !all && r->suite->points > MOST_ROWS;
    for (size_t i = 0; i < r->suite->points; i++) {
        if (only_bad && ((r->record[i].state == WEIR_POINT_RIGHT && !is_worse(r, i)) || shown >= MOST_ROWS)) continue;
        add_row(r, &c, i, table);
        shown++;
    }
    if (shown > 0) weir_table_print(table, WEIR_TABLE_PLAIN, text);
    if (shown < r->suite->points)
        weir_text_format(text, "  (%zu other points: --all shows them)\n", r->suite->points - shown);
    weir_table_free(table);
    free(header);
    free_columns(&c);
}

static void print_group(const weir_tally *r, const weir_group *g, weir_text *text) {
    const weir_record *record = &r->record[g->point[0]];
    weir_text_format(text, "\n%s: %zu point%s at %s", weir_point_state_name(record->state), g->count,
                     g->count == 1 ? "" : "s", *record->step == '\0' ? "the start" : record->step);
    if (*record->node != '\0') weir_text_format(text, ", node '%s'", record->node);
    weir_text_format(text, "\n  %s\n", record->message);
    for (size_t i = 0; i < g->count && i < MOST_SHOWN; i++) {
        char *name = weir_suite_point_text(r->suite, &r->suite->point[g->point[i]]);
        weir_text_format(text, "  %s%s\n", name, r->is_kept[g->point[i]] ? " (kept: --again failed repeats it)" : "");
        free(name);
    }
    if (g->count > MOST_SHOWN) weir_text_format(text, "  and %zu more\n", g->count - MOST_SHOWN);
    size_t step = 0;
    while (step + 1 < r->suite->steps && strcmp(weir_step_name(r->suite->step[step].kind), record->step) != 0) step++;
    char *repeat = weir_commands_repeat(r->commands, &r->suite->point[g->point[0]], step);
    weir_text_format(text, "  to repeat the first: %s\n", repeat);
    free(repeat);
}

static void add_tolerance(weir_text *text, const weir_suite_tolerance *t) {
    weir_text_format(text, "%c", t->is_upwards ? '+' : '-');
    weir_text_format(text, "%g%s", t->amount, t->is_relative ? "%" : "");
}

static void print_worse(const weir_tally *r, weir_text *text) {
    if (r->worses > 0) weir_text_add(text, "\nworse than the baseline:\n");
    for (size_t i = 0; i < r->worses; i++) {
        const weir_worse *w = &r->worse[i];
        char *name = weir_suite_point_text(r->suite, &r->suite->point[w->point]);
        weir_text_format(text, "  %s: %s %.6g, was %.6g (allowed ", name, w->tolerance->metric, w->now, w->before);
        add_tolerance(text, w->tolerance);
        weir_text_add(text, ")\n");
        free(name);
    }
}

static void print_coverage(const weir_coverage *c, weir_text *text) {
    if (c->files == 0) return;
    weir_text_format(text, "\ncoverage of %zu point%s:", c->files, c->files == 1 ? "" : "s");
    const char *between = "";
    for (size_t k = 0; k < WEIR_COVERAGE_KINDS; k++) {
        if (c->found[k] == 0) continue;
        weir_text_format(text, "%s %s %zu of %zu (%.1f %%)", between, weir_coverage_kind(k), c->reached[k], c->found[k],
                         100.0 * (double)c->reached[k] / (double)c->found[k]);
        between = ",";
    }
    weir_text_char(text, '\n');
}

void weir_tally_print(const weir_tally *r, bool all, weir_text *text) {
    static const weir_point_state states[] = {WEIR_POINT_RIGHT, WEIR_POINT_WRONG, WEIR_POINT_FAILED, WEIR_POINT_LOST,
                                              WEIR_POINT_OPEN};
    size_t groups, kept = 0;
    print_table(r, all, text);
    weir_group *group = weir_tally_groups(r, &groups);
    for (size_t i = 0; i < groups; i++) print_group(r, &group[i], text);
    weir_groups_free(group, groups);
    print_worse(r, text);
    for (size_t i = 0; i < r->suite->points; i++) kept += r->is_kept[i];
    print_coverage(&r->coverage, text);
    weir_text_format(text, "\n%s: %zu point%s: ", r->suite->name, r->suite->points, r->suite->points == 1 ? "" : "s");
    const char *between = "";
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        const size_t count = weir_tally_count(r, states[i]);
        if (count > 0) weir_text_format(text, "%s%zu %s", between, count, weir_point_state_name(states[i]));
        if (count > 0) between = ", ";
    }
    if (r->has_baseline)
        weir_text_format(text, "; %zu number%s worse than the baseline", r->worses, r->worses == 1 ? "" : "s");
    if (r->fresh > 0) weir_text_format(text, ", which lacks %zu", r->fresh);
    if (kept > 0) weir_text_format(text, "; %zu kept from before", kept);
    weir_text_format(text, "; %.1f s\n", r->seconds);
}

/* --- JSON --- */
static json_t *worse_json(const weir_tally *r, size_t point) {
    json_t *list = json_array();
    size_t count;
    const weir_worse *worse = weir_tally_worse(r, point, &count);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "metric", worse[i].tolerance->metric, "before",
                                              worse[i].before, "now", worse[i].now));
    return list;
}

static json_t *groups_json(const weir_tally *r) {
    size_t count;
    weir_group *group = weir_tally_groups(r, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const weir_record *record = &r->record[group[i].point[0]];
        json_t *points = json_array();
        for (size_t k = 0; k < group[i].count; k++)
            json_array_append_new(points, json_integer((json_int_t)group[i].point[k]));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s*, s:s*, s:o}", "state",
                                              weir_point_state_name(record->state), "step", record->step, "node",
                                              record->node, "message", record->message, "points", points));
    }
    weir_groups_free(group, count);
    return list;
}

static json_t *coverage_json(const weir_coverage *c) {
    if (c->files == 0) return json_null();
    json_t *json = json_pack("{s:I}", "points", (json_int_t)c->files);
    for (size_t k = 0; k < WEIR_COVERAGE_KINDS; k++)
        json_object_set_new(
            json, weir_coverage_kind(k),
            json_pack("{s:I, s:I}", "found", (json_int_t)c->found[k], "reached", (json_int_t)c->reached[k]));
    return json;
}

json_t *weir_tally_json(const weir_tally *r) {
    json_t *points = json_array(), *counts = json_object();
    for (size_t i = 0; i < r->suite->points; i++) {
        json_t *values = weir_suite_point_json(r->suite, &r->suite->point[i]);
        json_t *point = weir_record_json(&r->record[i], values);
        json_object_set_new(point, "kept", json_boolean(r->is_kept[i]));
        json_object_set_new(point, "worse", worse_json(r, i));
        json_array_append_new(points, point);
        json_decref(values);
    }
    for (int s = WEIR_POINT_OPEN; s <= WEIR_POINT_LOST; s++)
        json_object_set_new(counts, weir_point_state_name((weir_point_state)s),
                            json_integer((json_int_t)weir_tally_count(r, (weir_point_state)s)));
    return json_pack("{s:i, s:s, s:i, s:f, s:o, s:o, s:o, s:o}", "schema", 1, "suite", r->suite->name, "status",
                     weir_tally_status(r), "seconds", r->seconds, "counts", counts, "groups", groups_json(r), "points",
                     points, "coverage", coverage_json(&r->coverage));
}

/* --- CSV (RFC 4180) --- */
static void add_cell(weir_text *text, const char *cell) {
    if (cell == NULL) cell = "";
    if (strpbrk(cell, ",\"\r\n") == NULL) {
        weir_text_add(text, cell);
        return;
    }
    weir_text_char(text, '"');
    for (; *cell != '\0'; cell++) {
        if (*cell == '"') weir_text_char(text, '"');
        weir_text_char(text, *cell);
    }
    weir_text_char(text, '"');
}

void weir_tally_csv(const weir_tally *r, weir_text *text) {
    columns c = columns_of(r);
    for (size_t k = 0; k < r->suite->names.count; k++) {
        add_cell(text, r->suite->names.item[k]);
        weir_text_char(text, ',');
    }
    weir_text_add(text, "state,step,node,message,seconds,processor_seconds,megabytes");
    for (size_t k = 0; k < c.metrics.count; k++) {
        weir_text_char(text, ',');
        add_cell(text, c.metrics.item[k]);
    }
    weir_text_char(text, '\n');
    for (size_t i = 0; i < r->suite->points; i++) {
        const weir_record *record = &r->record[i];
        for (size_t k = 0; k < r->suite->names.count; k++) {
            add_cell(text, r->suite->point[i].value[k]);
            weir_text_char(text, ',');
        }
        add_cell(text, weir_point_state_name(record->state));
        const char *cells[] = {record->step, record->node, record->message};
        for (size_t k = 0; k < 3; k++) {
            weir_text_char(text, ',');
            add_cell(text, cells[k]);
        }
        weir_text_format(text, ",%.3f,%.3f,%lld", record->seconds, record->processor_seconds,
                         (long long)record->megabytes);
        for (size_t k = 0; k < c.metrics.count; k++) {
            weir_text_char(text, ',');
            add_number(text, json_object_get(record->metrics, c.metrics.item[k]), false);
        }
        weir_text_char(text, '\n');
    }
    free_columns(&c);
}

/* --- JUnit --- */

/* XML 1.0 has no control characters but line ends and tabs, not even escaped; what programs print need not be UTF-8. */
static void add_xml(weir_text *text, const char *string) {
    weir_text one = {NULL, 0, 0};
    for (const char *c = string == NULL ? "" : string; *c != '\0';) {
        const char *line = c;
        c += strcspn(c, "\n");
        weir_text_plain(&one, line, (size_t)(c - line));
        if (*c == '\n') weir_text_char(&one, *c++);
    }
    for (const char *c = one.data == NULL ? "" : one.data; *c != '\0'; c++) {
        switch (*c) {
        case '<': weir_text_add(text, "&lt;"); break;
        case '>': weir_text_add(text, "&gt;"); break;
        case '&': weir_text_add(text, "&amp;"); break;
        case '"': weir_text_add(text, "&quot;"); break;
        default: weir_text_char(text, *c);
        }
    }
    weir_text_free(&one);
}

static void add_attribute(weir_text *text, const char *name, const char *value) {
    weir_text_format(text, " %s=\"", name);
    add_xml(text, value);
    weir_text_char(text, '"');
}

static void add_case(const weir_tally *r, size_t point, weir_text *text) {
    const weir_record *record = &r->record[point];
    const char *tag = record->state == WEIR_POINT_LOST ? "error" : "failure";
    char *name = weir_suite_point_text(r->suite, &r->suite->point[point]);
    weir_text_add(text, "    <testcase");
    add_attribute(text, "classname", r->suite->name);
    add_attribute(text, "name", name);
    weir_text_format(text, " time=\"%.3f\">", record->seconds);
    if (record->state == WEIR_POINT_OPEN) weir_text_add(text, "<skipped/>");
    if (record->state == WEIR_POINT_WRONG || record->state == WEIR_POINT_FAILED || record->state == WEIR_POINT_LOST) {
        weir_text_format(text, "\n      <%s", tag);
        add_attribute(text, "type", weir_point_state_name(record->state));
        add_attribute(text, "message", record->message);
        weir_text_char(text, '>');
        add_xml(text, record->log);
        weir_text_format(text, "</%s>\n    ", tag);
    }
    size_t count;
    const weir_worse *worse = weir_tally_worse(r, point, &count);
    for (size_t i = 0; i < count; i++) {
        const weir_worse *w = &worse[i];
        char *message = weir_format("%s %.6g, was %.6g", w->tolerance->metric, w->now, w->before);
        weir_text_add(text, "\n      <failure type=\"worse\"");
        add_attribute(text, "message", message);
        weir_text_add(text, "/>\n    ");
        free(message);
    }
    weir_text_add(text, "</testcase>\n");
    free(name);
}

void weir_tally_junit(const weir_tally *r, weir_text *text) {
    size_t failures = weir_tally_count(r, WEIR_POINT_WRONG) + weir_tally_count(r, WEIR_POINT_FAILED);
    for (size_t i = 0; i < r->suite->points; i++) failures += is_worse(r, i);
    char *counts =
        weir_format("tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"", r->suite->points,
                    failures, weir_tally_count(r, WEIR_POINT_LOST), weir_tally_count(r, WEIR_POINT_OPEN), r->seconds);
    weir_text_format(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n  <testsuite", counts);
    add_attribute(text, "name", r->suite->name);
    weir_text_format(text, " %s>\n", counts);
    for (size_t i = 0; i < r->suite->points; i++) add_case(r, i, text);
    weir_text_add(text, "  </testsuite>\n</testsuites>\n");
    free(counts);
}
