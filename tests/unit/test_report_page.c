/* Pages: names of strangers are text, numbers are right, boxes of a graph do not lie over each other, edges go from box
 * to box. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/html.h"
#include "report/layout.h"
#include "report/plot.h"
#include "report/report.h"
#include "support/memory/arena.h"

typedef void writer(weir_text *html);

static void assert_html(writer *write, const char *expected) {
    weir_text html = {NULL, 0, 0};
    weir_text_add(&html, "");
    write(&html);
    assert_string_equal(html.data, expected);
    weir_text_free(&html);
}

/* --- pieces --- */

static void hostile(weir_text *html) { weir_html_text(html, "<script>a&\"b'\n\x1f\xff</script>"); }
static void whole(weir_text *html) { weir_html_short(html, "conv_2d_15", 10); }
static void cut(weir_text *html) { weir_html_short(html, "conv_2d_15_window_lanes", 9); }
static void cut_letters(weir_text *html) { weir_html_short(html, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 3); }
static void cut_then_escaped(weir_text *html) { weir_html_short(html, "<<<<<<<<<<", 3); }

static void names(void **state) {
    (void)state;
    assert_html(hostile, "&lt;script&gt;a&amp;&quot;b&#39;  ?&lt;/script&gt;");
    assert_html(whole, "conv_2d_15");
    assert_html(cut, "conv\xe2\x80\xa6"
                     "anes");
    assert_html(cut_letters, "\xc3\xa9\xe2\x80\xa6\xc3\xa9");
    assert_html(cut_then_escaped, "&lt;\xe2\x80\xa6&lt;");
}

static void integers(weir_text *html) {
    static const int64_t values[] = {0, 7, 999, 1000, -1234567, INT64_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        weir_html_integer(html, values[i]);
        weir_text_char(html, ' ');
    }
}

static void reals(weir_text *html) {
    static const struct {
        double value;
        int digits;
    } values[] = {{1234.567, 1}, {0.05, 1}, {-0.04, 1}, {-2.5, 2}, {NAN, 1}, {INFINITY, 0}, {99.999, 2}, {1e300, 2}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        weir_html_real(html, values[i].value, values[i].digits);
        weir_text_char(html, ' ');
    }
}

static void briefs(weir_text *html) {
    static const double values[] = {0, 0.125, 12, 999, 999.6, 12345, 2e6, 3e9, -1500};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        weir_html_brief(html, values[i]);
        weir_text_char(html, ';');
    }
}

static void numbers(void **state) {
    (void)state;
    assert_html(integers, "0 7 999 1,000 -1,234,567 -9,223,372,036,854,775,808 ");
    assert_html(reals, "1,234.6 0.1 0.0 -2.50 \xe2\x80\x93 \xe2\x80\x93 100.00 1e+300 ");
    assert_html(briefs, "0;0.125;12;999;1 k;12.3 k;2 M;3 G;-1.5 k;");
}

/* Ticks of `low` to `high`, as the labels of an axis say. */
static void assert_ticks(double low, double high, bool is_log, const char *expected) {
    weir_plot plot = {.width = 375, .height = 72, .x = {.is_log = is_log, .title = ""}};
    weir_text html = {NULL, 0, 0}, found = {NULL, 0, 0};
    weir_plot_axis_include(&plot.x, low);
    weir_plot_axis_include(&plot.x, high);
    weir_plot_open(&plot, "title", &html);
    weir_plot_close(&html);
    for (const char *at = html.data; (at = strstr(at, "<text class=\"tick\"")) != NULL;) {
        at = strchr(at, '>') + 1;
        weir_text_add_n(&found, at, strcspn(at, "<"));
        weir_text_char(&found, ';');
    }
    assert_string_equal(found.data, expected);
    assert_true(fabs(weir_plot_x(&plot, plot.x.low)) < 1e-9 && fabs(weir_plot_x(&plot, plot.x.high) - 375) < 1e-9);
    weir_text_free(&html);
    weir_text_free(&found);
}

static void axes(void **state) {
    (void)state;
    assert_ticks(0, 100, false, "0;20;40;60;80;100;");
    assert_ticks(0, 7, false, "0;2;4;6;8;");
    assert_ticks(-300, 1200, false, "-500;0;500;1 k;1.5 k;");
    assert_ticks(0, 0, false, "0;0.2;0.4;0.6;0.8;1;");
    assert_ticks(3, 40, true, "5;10;20;");
    assert_ticks(1, 1e6, true, "1;10;100;1 k;10 k;100 k;1 M;");
}

/* --- graphs --- */

static weir_value add(weir_graph *graph, const char *name, weir_op op, weir_value a, weir_value b) {
    const weir_value inputs[] = {a, b};
    const weir_node node = weir_graph_add_node(graph, op, name, inputs, b.id == 0 ? 1 : 2, 1, WEIR_NO_NODE);
    const weir_value value = weir_node_output(graph, node, 0);
    weir_value_set_type(graph, value, weir_value_type(graph, a));
    return value;
}

/* `length` nodes in a row; every tenth adds what the fourth before it has made. */
static weir_graph *chain(size_t length, const char *first) {
    weir_graph *graph = weir_graph_new("g");
    const weir_type type = {.dtype = WEIR_FLOAT32, .shape = {2, {1, 4}}};
    weir_value *made = weir_calloc(length + 1, sizeof *made);
    made[0] = weir_graph_add_input(graph, "x", &type);
    for (size_t i = 1; i <= length; i++) {
        char *name = i == 1 ? weir_copy_string(first) : weir_format("node%zu", i);
        made[i] = i % 10 == 0 ? add(graph, name, WEIR_OP_ADD, made[i - 1], made[i - 4])
                              : add(graph, name, WEIR_OP_RELU, made[i - 1], WEIR_NO_VALUE);
        free(name);
    }
    weir_graph_add_output(graph, "y", made[length]);
    free(made);
    return graph;
}

/* Where a path begins (last 0) or ends. */
static void end_of(const char *path, bool last, double *x, double *y) {
    const char *at = path + 1;
    if (last)
        for (const char *c = path; *c != '\0'; c++)
            if (*c == 'L' || *c == ' ' || *c == 'C') at = c + 1;
    char *rest;
    *x = weir_parse_double(at, &rest);
    *y = weir_parse_double(rest + 1, &rest);
}

static void assert_layout(const weir_graph *graph, const char *plain) {
    weir_graph_layout l = weir_layout_of(graph, plain);
    for (weir_node a = weir_graph_first(graph); a.id != 0; a = weir_node_next(graph, a)) {
        assert_true(l.x[a.id] >= WEIR_LAYOUT_BOX_WIDTH / 2.0 && l.x[a.id] <= l.width - WEIR_LAYOUT_BOX_WIDTH / 2.0);
        assert_true(l.y[a.id] >= WEIR_LAYOUT_BOX_HEIGHT / 2.0 && l.y[a.id] <= l.height - WEIR_LAYOUT_BOX_HEIGHT / 2.0);
        for (weir_node b = weir_node_next(graph, a); b.id != 0; b = weir_node_next(graph, b))
            assert_true(fabs(l.x[a.id] - l.x[b.id]) >= WEIR_LAYOUT_BOX_WIDTH - 0.01 ||
                        fabs(l.y[a.id] - l.y[b.id]) >= WEIR_LAYOUT_BOX_HEIGHT - 0.01);
    }
    for (size_t i = 0; i < l.edge_count; i++) {
        const weir_layout_edge *edge = &l.edge[i];
        double x, y;
        end_of(edge->path, false, &x, &y);
        assert_true(fabs(x - l.x[edge->from.id]) < WEIR_LAYOUT_BOX_WIDTH / 2.0);
        assert_true(fabs(y - l.y[edge->from.id] - WEIR_LAYOUT_BOX_HEIGHT / 2.0) < 2);
        end_of(edge->path, true, &x, &y);
        assert_true(fabs(x - l.x[edge->to.id]) < WEIR_LAYOUT_BOX_WIDTH / 2.0);
        assert_true(fabs(y - l.y[edge->to.id] + WEIR_LAYOUT_BOX_HEIGHT / 2.0) < 2);
    }
    weir_layout_free(&l);
}

static void rows(void **state) {
    (void)state;
    static const size_t lengths[] = {1, 2, 12, 60, 400};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        weir_graph *graph = chain(lengths[i], "first");
        assert_layout(graph, NULL);
        weir_graph_free(graph);
    }
}

/* A long chain is about as wide as a screen; a short one is a column. */
static void folded(void **state) {
    (void)state;
    weir_graph *graph = chain(60, "first");
    weir_graph_layout l = weir_layout_of(graph, NULL);
    assert_true(l.width / l.height > 1.2 && l.width / l.height < 2.4);
    weir_layout_free(&l);
    weir_graph_free(graph);
    graph = chain(3, "first");
    l = weir_layout_of(graph, NULL);
    assert_true(l.width < 2 * WEIR_LAYOUT_BOX_WIDTH);
    weir_layout_free(&l);
    weir_graph_free(graph);
}

/* Inches, from below: two boxes over each other with an edge of one curve between. */
static const char plain[] =
    "graph 1 3 2\nnode 1 1.5 1.6 3 0.72 \"\" solid box black lightgrey\nnode 2 1.5 0.361 3 0.72 \"\" "
    "solid box black lightgrey\nedge 1 2 4 1.5 1.239 1.5 1 1.5 0.9 1.5 0.722 solid black\nstop\n";

static void by_graphviz(void **state) {
    (void)state;
    weir_graph *graph = chain(2, "first");
    assert_layout(graph, plain);
    weir_graph_layout l = weir_layout_of(graph, plain);
    assert_true(fabs(l.y[2] - l.y[1] - 1.239 * 72) < 1e-6 && strstr(l.edge[0].path, "C") != NULL);
    weir_layout_free(&l);
    /* an answer that is cut off anywhere, or about another graph: rows */
    for (size_t size = 0; size < sizeof plain - 1; size++) {
        char *part = weir_copy_string(plain);
        part[size] = '\0';
        l = weir_layout_of(graph, part);
        assert_true(l.x[1] > 0 && l.y[2] > l.y[1] && l.edge[0].path != NULL);
        weir_layout_free(&l);
        free(part);
    }
    weir_graph_free(graph);
    graph = chain(3, "first");
    assert_layout(graph, plain);
    weir_graph_free(graph);
}

/* --- pages --- */

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) count++;
    return count;
}

static void hostile_names(void **state) {
    (void)state;
    weir_graph *graph = chain(12, "\"><script>alert(1)</script><img src=x onerror=alert(2)>");
    weir_graph *other = chain(12, "first");
    json_t *check = json_pack("{s:s, s:[{s:s, s:s, s:b, s:s, s:{s:s, s:i}}]}", "scoring", "<b>", "runs", "simulator",
                              "<i>", "profile", "'\"<u>", "debug", 0, "status", "<s>", "first_divergence", "node",
                              "</p><script>", "frame", 1);
    const weir_report_run runs[] = {{.name = "<script>", .hardware = graph, .check = check},
                                    {.name = "other", .hardware = other}};
    weir_text hostile_page = {NULL, 0, 0}, plain_page = {NULL, 0, 0};
    weir_report_page(runs, 1, &hostile_page);
    weir_report_page(&runs[1], 1, &plain_page);
    static const char *const parts[] = {"<script>", "</script>", "<img", "<b>", "<i>", "<u>", "<s>"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_int_equal(count_of(hostile_page.data, parts[i]), count_of(plain_page.data, parts[i]));
    assert_int_equal(count_of(hostile_page.data, "<script>"), 1);
    assert_non_null(strstr(hostile_page.data, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    /* nothing is fetched */
    assert_null(strstr(plain_page.data, "http://"));
    assert_null(strstr(plain_page.data, "https://"));
    assert_null(strstr(plain_page.data, " src="));
    weir_text_free(&hostile_page);
    weir_text_free(&plain_page);
    json_decref(check);
    weir_graph_free(graph);
    weir_graph_free(other);
}

static json_t *synthesis(double mhz, int luts) {
    return json_pack("{s:s, s:f, s:{s:{s:i, s:i}, s:{s:i, s:i}}}", "device", "d", "fmax_mhz", mhz, "utilization",
                     "luts", "used", luts, "available", 1000, "flip_flops", "used", 5, "available", 1000);
}

/* More MHz are better, more LUTs worse. */
static void comparison(void **state) {
    (void)state;
    json_t *one = synthesis(100, 500), *two = synthesis(150, 600);
    const weir_report_run runs[] = {{.name = "one", .synthesis = one}, {.name = "two", .synthesis = two}};
    weir_text html = {NULL, 0, 0};
    weir_report_page(runs, 2, &html);
    assert_non_null(
        strstr(html.data, "<td class=\"n\">150.0 <span class=\"good\">\xe2\x96\xb2 +50.0 % better</span></td>"));
    assert_non_null(
        strstr(html.data, "<td class=\"n\">600 <span class=\"bad\">\xe2\x96\xb2 +20.0 % worse</span></td>"));
    assert_non_null(strstr(html.data, "<td class=\"n\">5 <span class=\"same\">=</span></td>"));
    weir_text_free(&html);
    json_decref(one);
    json_decref(two);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names),         cmocka_unit_test(numbers),
                                       cmocka_unit_test(axes),          cmocka_unit_test(rows),
                                       cmocka_unit_test(folded),        cmocka_unit_test(by_graphviz),
                                       cmocka_unit_test(hostile_names), cmocka_unit_test(comparison)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
