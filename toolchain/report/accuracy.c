#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/html.h"
#include "report/plot.h"
#include "report/section.h"

/* Classes up to which the confusion matrix is shown. */
enum { MATRIX_CLASSES = 40, LABEL_LETTERS = 30, ROW = 20, LEFT = 240, WIDTH = 520 };

static void add_metrics(const weir_report_facts *facts, weir_text *html) {
    static const struct {
        const char *key, *name;
        double factor;
        int digits;
    } rows[] = {{"accuracy", "accuracy %", 100, 2},
                {"top5", "top-5 accuracy %", 100, 2},
                {"precision", "precision, weighted %", 100, 2},
                {"recall", "recall, weighted %", 100, 2},
                {"f1", "F1, weighted %", 100, 2},
                {"auc", "area under the ROC curve", 1, 4},
                {"r2", "R\xc2\xb2", 1, 4},
                {"rmse", "RMSE", 1, 5},
                {"max_error", "largest error", 1, 5},
                {"loss", "loss", 1, 4}};
    static const char *const heads[] = {"metric", "#float", "#integer", "#hardware"};
    const json_t *software = json_object_get(facts->run->check, "metrics");
    const json_t *metrics[] = {json_object_get(software, "float"), json_object_get(software, "integer"),
                               json_object_get(facts->fast, "metrics")};
    weir_html_table(html, "Metrics", heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!isfinite(weir_html_number(metrics[1], rows[i].key))) continue;
        weir_html_row(html, rows[i].name);
        for (size_t m = 0; m < 3; m++)
            weir_html_cell_real(html, rows[i].factor * weir_html_number(metrics[m], rows[i].key), rows[i].digits);
        weir_html_row_end(html);
    }
    weir_html_table_end(html);
}

/* --- classes --- */

static int64_t count_of(const json_t *confusion, size_t label, size_t named) {
    return json_integer_value(json_array_get(json_array_get(json_object_get(confusion, "counts"), label), named));
}

static int64_t class_of(const json_t *confusion, size_t index) {
    return json_integer_value(json_array_get(json_object_get(confusion, "classes"), index));
}

/* The darker a cell, the more of its label's entries; its number says how many. */
static void add_matrix(const json_t *confusion, size_t classes, weir_text *html) {
    weir_text_add(html,
                  "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Confusion matrix\"><table "
                  "class=\"confusion\"><caption>Confusion matrix: a row a label, a column a class as named by the "
                  "integer engine</caption><thead><tr><th scope=\"col\">label</th>");
    for (size_t c = 0; c < classes; c++)
        weir_text_format(html, "<th scope=\"col\" class=\"n\">%lld</th>", (long long)class_of(confusion, c));
    weir_text_add(html, "</tr></thead><tbody>\n");
    for (size_t label = 0; label < classes; label++) {
        int64_t total = 0;
        for (size_t c = 0; c < classes; c++) total += count_of(confusion, label, c);
        weir_text_format(html, "<tr><th scope=\"row\" class=\"n\">%lld</th>", (long long)class_of(confusion, label));
        for (size_t c = 0; c < classes; c++) {
            const int64_t count = count_of(confusion, label, c);
            const int64_t level = total == 0 ? 0 : (9 * count + total - 1) / total;
            weir_text_format(html, "<td class=\"n %s%lld\">", c == label ? "right" : "wrong", (long long)level);
            if (count > 0 || c == label) weir_html_integer(html, count);
            weir_text_add(html, "</td>");
        }
        weir_html_row_end(html);
    }
    weir_html_table_end(html);
}

static void add_classes(const json_t *confusion, size_t classes, weir_text *html) {
    static const char *const heads[] = {"class",        "#entries",  "#named so", "#right",
                                        "#precision %", "#recall %", "#F1 %"};
    weir_html_table(html, "Classes", heads, sizeof heads / sizeof *heads);
    for (size_t c = 0; c < classes; c++) {
        int64_t labelled = 0, named = 0;
        for (size_t other = 0; other < classes; other++) {
            labelled += count_of(confusion, c, other);
            named += count_of(confusion, other, c);
        }
        const double right = (double)count_of(confusion, c, c);
        char name[32];
        snprintf(name, sizeof name, "%lld", (long long)class_of(confusion, c));
        weir_html_row(html, name);
        weir_html_cell_integer(html, labelled);
        weir_html_cell_integer(html, named);
        weir_html_cell_integer(html, (int64_t)right);
        weir_html_cell_real(html, named > 0 ? 100 * right / (double)named : NAN, 1);
        weir_html_cell_real(html, labelled > 0 ? 100 * right / (double)labelled : NAN, 1);
        weir_html_cell_real(html, labelled + named > 0 ? 200 * right / (double)(labelled + named) : NAN, 1);
        weir_html_row_end(html);
    }
    weir_html_table_end(html);
}

/* --- layers --- */

static void add_noise(const weir_report_facts *facts, const json_t *noise, weir_text *html) {
    static const char *const heads[] = {"node of the model", "operator",    "#SQNR dB",
                                        "#largest error",    "#mean error", "#largest value"};
    const size_t count = json_array_size(noise);
    weir_plot plot = {.width = WIDTH,
                      .height = (double)count * ROW,
                      .left = LEFT,
                      .right = 60,
                      .x = {.title = "SQNR in dB: more is better"}};
    weir_plot_axis_include(&plot.x, 0);
    for (size_t i = 0; i < count; i++) {
        const double sqnr = weir_html_number(json_array_get(noise, i), "sqnr_db");
        if (isfinite(sqnr)) weir_plot_axis_include(&plot.x, sqnr);
    }
    weir_text_format(html, "<h3 id=\"r%zu-noise\">What quantization adds, by layer</h3>\n", facts->index);
    weir_plot_open(&plot, "SQNR of each layer against the float model", html);
    for (size_t i = 0; i < count; i++) {
        const json_t *layer = json_array_get(noise, i);
        const double sqnr = weir_html_number(layer, "sqnr_db"), y = WEIR_PLOT_ABOVE + (double)i * ROW;
        weir_text_add(html, "<text class=\"tick\" text-anchor=\"end\"");
        weir_plot_attribute(html, "x", LEFT - 8);
        weir_plot_attribute(html, "y", y + 14);
        weir_text_char(html, '>');
        weir_html_short(html, weir_html_string(layer, "node"), LABEL_LETTERS);
        weir_text_add(html, "</text>\n");
        weir_text label = {NULL, 0, 0};
        if (isfinite(sqnr)) weir_html_real(&label, sqnr, 1);
        else weir_text_add(&label, "equal");
        const double from = weir_plot_x(&plot, 0), to = isfinite(sqnr) ? weir_plot_x(&plot, sqnr) : from;
        if (to != from) weir_plot_rect(html, "made", to < from ? to : from, y + 4, fabs(to - from), ROW - 8);
        weir_plot_text(html, "label", (to > from ? to : from) + 5, y + 14, "start", label.data);
        weir_text_free(&label);
    }
    weir_plot_close(html);
    weir_html_table(html, "Layers, the quantized model against the float one", heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < count; i++) {
        const json_t *layer = json_array_get(noise, i);
        weir_html_row(html, weir_html_string(layer, "node"));
        weir_html_cell(html, weir_html_string(layer, "operator"));
        weir_html_cell_real(html, weir_html_number(layer, "sqnr_db"), 1);
        weir_html_cell_real(html, weir_html_number(layer, "max_absolute"), 5);
        weir_html_cell_real(html, weir_html_number(layer, "mean_absolute"), 5);
        weir_html_cell_real(html, weir_html_number(layer, "largest"), 4);
        weir_html_row_end(html);
    }
    weir_html_table_end(html);
}

/* How far the integer engine's outputs are from the float engine's. */
static void add_difference(const json_t *compared, bool has_classes, weir_text *html) {
    weir_text_add(html, "<p>Float and integer outputs: ");
    if (json_is_true(json_object_get(compared, "equal"))) {
        weir_text_add(html, "equal in every value.</p>\n");
        return;
    }
    weir_text_add(html, "SQNR ");
    weir_html_real(html, weir_html_number(compared, "sqnr_db"), 1);
    weir_text_add(html, " dB, largest difference ");
    weir_html_brief(html, weir_html_number(compared, "max_absolute"));
    if (has_classes) {
        weir_text_add(html, ", the same class in ");
        weir_html_real(html, 100 * weir_html_number(compared, "top1_agreement"), 2);
        weir_text_add(html, " %");
    }
    weir_text_add(html, ".</p>\n");
}

void weir_section_accuracy(const weir_report_facts *facts, weir_text *html) {
    const json_t *check = facts->run->check, *confusion = json_object_get(check, "confusion"),
                 *noise = json_object_get(check, "noise"), *compared = json_object_get(check, "float_integer");
    const bool is_scored = json_is_object(json_object_get(json_object_get(check, "metrics"), "integer"));
    if (check == NULL) return;
    weir_report_section_open(facts, "accuracy", "Accuracy", html);
    const char *task = weir_html_string(check, "task");
    const bool is_none = strcmp(task, "none") == 0;
    weir_text_add(html, "<p>Output ");
    weir_html_text(html, weir_html_string(check, "scored_output"));
    weir_text_add(html, " is scored as: ");
    weir_html_text(html, weir_html_string(check, "scoring"));
    weir_text_add(html, is_scored || is_none ? ".</p>\n" : "; the data has no labels, so nothing is scored.</p>\n");
    if (is_scored) add_metrics(facts, html);
    const bool has_classes = !is_none && strcmp(task, "regression") != 0 && strcmp(task, "anomaly") != 0;
    if (json_is_object(compared)) add_difference(compared, has_classes, html);
    const size_t classes = json_array_size(json_object_get(confusion, "classes"));
    if (classes > 0 && classes <= MATRIX_CLASSES) add_matrix(confusion, classes, html);
    if (classes > 0) add_classes(confusion, classes, html);
    if (json_array_size(noise) > 0) add_noise(facts, noise, html);
    weir_report_section_close(html);
}
