#include <math.h>

#include "report/html.h"
#include "report/plot.h"
#include "report/section.h"

enum { ROW = 20, LABEL_LETTERS = 34, LEFT = 268, WIDTH = 620 };

static const json_t *frame_of(const weir_report_node *node) {
    const json_t *frame = json_object_get(node->activity, "frame");
    return json_is_object(frame) ? frame : NULL;
}

static void draw_row(const weir_report_facts *facts, const weir_plot *plot, const weir_report_node *node, double y,
                     weir_text *html) {
    const json_t *frame = frame_of(node);
    const double in = weir_plot_x(plot, weir_html_number(frame, "first_in")),
                 out = weir_plot_x(plot, weir_html_number(frame, "first_out")),
                 end = weir_plot_x(plot, weir_html_number(frame, "last_out"));
    weir_text_add(html, "<a href=\"#");
    weir_report_add_anchor(html, facts, node);
    weir_text_add(html, "\"><title>");
    weir_html_text(html, node->name);
    weir_text_add(html, ": first beat in at cycle ");
    weir_html_integer(html, weir_html_whole(frame, "first_in"));
    weir_text_add(html, ", beats out from ");
    weir_html_integer(html, weir_html_whole(frame, "first_out"));
    weir_text_add(html, " to ");
    weir_html_integer(html, weir_html_whole(frame, "last_out"));
    weir_text_add(html, "</title><text class=\"tick\" text-anchor=\"end\"");
    weir_plot_attribute(html, "x", LEFT - 8);
    weir_plot_attribute(html, "y", y + 13);
    weir_text_char(html, '>');
    weir_html_short(html, node->name, LABEL_LETTERS);
    weir_text_add(html, "</text>\n");
    if (out > in) weir_plot_rect(html, "filling", in, y + 4, out - in, ROW - 8);
    weir_plot_rect(html, "giving", out, y + 4, end - out > 1.5 ? end - out : 1.5, ROW - 8);
    weir_text_add(html, "</a>\n");
}

void weir_section_schedule(const weir_report_facts *facts, weir_text *html) {
    size_t rows = 0;
    weir_plot plot = {.width = WIDTH, .left = LEFT, .right = 24, .x = {.is_tight = true, .title = "cycle"}};
    weir_plot_axis_include(&plot.x, 0);
    for (size_t i = 0; i < facts->count; i++) {
        if (frame_of(&facts->node[i]) == NULL) continue;
        weir_plot_axis_include(&plot.x, weir_html_number(frame_of(&facts->node[i]), "last_out"));
        rows++;
    }
    if (rows == 0) return;
    plot.height = (double)rows * ROW;
    weir_report_section_open(facts, "schedule", "Schedule of a frame", html);
    weir_text_add(
        html, "<p class=\"legend\">Frame 0, which nothing holds up: from the first beat that a component takes "
              "<svg width=\"22\" height=\"12\" aria-hidden=\"true\"><rect class=\"filling\" width=\"22\" "
              "height=\"12\"/></svg> to its first beat out, and <svg width=\"22\" height=\"12\" aria-hidden=\"true\">"
              "<rect class=\"giving\" width=\"22\" height=\"12\"/></svg> to its last.</p>\n<div class=\"scroll\" "
              "tabindex=\"0\" role=\"region\" aria-label=\"schedule\">");
    weir_plot_open(&plot, "when frame 0 passes each component", html);
    size_t row = 0;
    for (size_t i = 0; i < facts->count; i++)
        if (frame_of(&facts->node[i]) != NULL)
            draw_row(facts, &plot, &facts->node[i], WEIR_PLOT_ABOVE + (double)row++ * ROW, html);
    weir_plot_close(html);
    weir_text_add(html, "</div>\n");
    weir_report_section_close(html);
}
