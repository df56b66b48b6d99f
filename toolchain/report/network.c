#include <assert.h>
#include <math.h>

#include "dataflow/component.h"
#include "dataflow/component_setting.h"
#include "dataflow/cost/resources.h"
#include "dataflow/schedule/stream.h"
#include "report/html.h"
#include "report/layout.h"
#include "report/plot.h"
#include "report/section.h"

/* Letters that fit a line of a box: of 12 and 11 pixels in a typeface of equal widths, 0.602 of that each. */
enum {
    BOX = WEIR_LAYOUT_BOX_WIDTH,
    HIGH = WEIR_LAYOUT_BOX_HEIGHT,
    PAD = 8,
    NAME_LETTERS = 20,
    LINE_LETTERS = 30,
    TABLE_LETTERS = 48
};

typedef enum share_kind { BUSY, STARVED, BLOCKED, SHARES } share_kind;
static const char *const shares[SHARES] = {"busy", "starved", "blocked"};

/* Of all cycles of the debug run; NaN where there is none. */
static double share_of(const weir_report_facts *facts, const weir_report_node *node, share_kind kind) {
    const double cycles = weir_html_number(facts->debug, "cycles");
    return weir_html_number(node->activity, shares[kind]) / (cycles > 0 ? cycles : 1);
}

static const weir_meta_hardware *hardware_of(const weir_report_facts *facts, const weir_report_node *node) {
    return &weir_node_metadata_of(facts->run->hardware, node->node)->hardware;
}

/* "weir_mvu 4 x 1", "Reshape on the host" */
static void add_what(weir_text *text, const weir_report_facts *facts, const weir_report_node *node) {
    weir_text_add(text, node->component == NULL ? node->op : node->component);
    const weir_component *component = weir_component_of(facts->run->hardware, node->node);
    weir_text units = {NULL, 0, 0};
    if (component != NULL && weir_component_setting_add_units(component->rules, hardware_of(facts, node), &units))
        weir_text_format(text, " %s", units.data);
    weir_text_free(&units);
    if (node->on_host) weir_text_add(text, " on the host");
}

/* --- the picture --- */

static void draw_bar(const weir_report_facts *facts, const weir_report_node *node, double x, double y,
                     weir_text *html) {
    double left = x, room = BOX;
    for (int kind = 0; kind < SHARES; kind++) {
        double width = share_of(facts, node, (share_kind)kind) * BOX;
        if (!(width > 0)) continue;
        if (width > room) width = room;
        weir_plot_rect(html, shares[kind], left, y, width, 7);
        left += width;
        room -= width;
    }
}

static void draw_node(const weir_report_facts *facts, const weir_report_node *node, const weir_graph_layout *layout,
                      weir_text *html) {
    const double x = layout->x[node->node.id] - BOX / 2.0, y = layout->y[node->node.id] - HIGH / 2.0;
    const bool is_active = node->activity != NULL;
    weir_text_add(html, "<a href=\"#");
    weir_report_add_anchor(html, facts, node);
    weir_text_format(html, "\" class=\"node %s\"><title>",
                     node->on_host     ? "host"
                     : node->is_wiring ? "wiring"
                                       : "component");
    weir_html_text(html, node->name);
    weir_text_add(html, "</title>\n");
    weir_plot_rect(html, "box", x, y, BOX, HIGH);
    if (is_active) draw_bar(facts, node, x, y + HIGH - 7, html);
    weir_text_add(html, "<text class=\"name\"");
    weir_plot_attribute(html, "x", x + PAD);
    weir_plot_attribute(html, "y", y + 18);
    weir_text_char(html, '>');
    weir_html_short(html, node->name, is_active ? NAME_LETTERS : NAME_LETTERS + 5);
    weir_text_add(html, "</text>");
    weir_text what = {NULL, 0, 0};
    add_what(&what, facts, node);
    weir_text_add(html, "<text class=\"what\"");
    weir_plot_attribute(html, "x", x + PAD);
    weir_plot_attribute(html, "y", y + 34);
    weir_text_char(html, '>');
    weir_html_short(html, what.data, LINE_LETTERS);
    weir_text_add(html, "</text>");
    weir_text_free(&what);
    if (is_active) {
        weir_text_add(html, "<text class=\"share\" text-anchor=\"end\"");
        weir_plot_attribute(html, "x", x + BOX - PAD);
        weir_plot_attribute(html, "y", y + 18);
        weir_text_char(html, '>');
        weir_html_real(html, 100 * share_of(facts, node, BUSY), 1);
        weir_text_add(html, "%</text>");
    }
    weir_text_add(html, "</a>\n");
}

static void draw_edge(const weir_report_facts *facts, const weir_layout_edge *edge, weir_text *html) {
    weir_text type = {NULL, 0, 0};
    weir_report_add_type(&type, weir_value_type(facts->run->hardware, edge->value));
    weir_text_format(html, "<path class=\"edge\" d=\"%s\" marker-end=\"url(#r%zu-arrow)\"><title>", edge->path,
                     facts->index);
    weir_html_text(html, type.data);
    weir_text_add(html, "</title></path>\n");
    weir_text_free(&type);
}

void weir_network_draw(const weir_report_facts *facts, const char *attributes, const char *first, weir_text *html) {
    weir_graph_layout layout = weir_layout_of(facts->run->hardware, facts->run->layout);
    weir_text_format(html, "<svg class=\"graph\" role=\"group\"%s viewBox=\"0 0 ", attributes);
    weir_plot_pixel(html, layout.width);
    weir_text_char(html, ' ');
    weir_plot_pixel(html, layout.height);
    weir_text_char(html, '"');
    weir_plot_attribute(html, "width", layout.width);
    weir_plot_attribute(html, "height", layout.height);
    weir_text_add(html, " aria-label=\"hardware of ");
    weir_html_text(html, facts->run->name);
    weir_text_format(html,
                     "\">\n%s<defs><marker id=\"r%zu-arrow\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" "
                     "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path class=\"arrow\" "
                     "d=\"M0,0L8,4L0,8Z\"/></marker></defs>\n",
                     first, facts->index);
    for (size_t i = 0; i < layout.edge_count; i++) draw_edge(facts, &layout.edge[i], html);
    for (size_t i = 0; i < facts->count; i++) draw_node(facts, &facts->node[i], &layout, html);
    weir_text_add(html, "</svg>\n");
    weir_layout_free(&layout);
}

/* --- what is known of a node --- */

static void add_term(weir_text *html, const char *term) { weir_text_format(html, "<dt>%s</dt><dd>", term); }

static void add_fact(weir_text *html, const char *term, const char *value) {
    add_term(html, term);
    weir_html_text(html, value);
    weir_text_add(html, "</dd>\n");
}

static void add_fact_integer(weir_text *html, const char *term, int64_t value, const char *unit) {
    add_term(html, term);
    weir_html_integer(html, value);
    weir_text_format(html, "%s%s</dd>\n", *unit == '\0' ? "" : " ", unit);
}

static void add_quantization(weir_text *html, const weir_type *type) {
    const weir_quant *quant = &type->quant;
    weir_text text = {NULL, 0, 0};
    weir_text_format(&text, "%s, %s, %d bits", weir_format_name(quant->format),
                     quant->is_signed ? "signed" : "unsigned", quant->width);
    if (quant->count == 1 || quant->format == WEIR_FORMAT_FIXED) {
        weir_text_add(&text, ", scale ");
        weir_text_double(&text, weir_quant_scale(quant, 0));
        weir_text_format(&text, ", zero point %lld", (long long)weir_quant_zero(quant, 0));
    } else if (quant->count > 1) {
        weir_text_format(&text, ", a scale for each of %u along axis %d", quant->count, quant->axis);
    }
    if (type->has_range) weir_text_format(&text, ", codes %lld to %lld", (long long)type->low, (long long)type->high);
    add_fact(html, "quantization", text.data);
    weir_text_free(&text);
}

static void add_settings(weir_text *html, const weir_report_facts *facts, const weir_report_node *node) {
    const weir_component *component = weir_component_of(facts->run->hardware, node->node);
    if (component == NULL) return;
    const weir_meta_hardware *hardware = hardware_of(facts, node);
    json_t *settings = weir_component_setting_json(component->rules, hardware), *value;
    const char *key;
    weir_text text = {NULL, 0, 0};
    json_object_foreach(settings, key, value) {
        weir_text_format(&text, "%s%s ", text.size == 0 ? "" : ", ", key);
        if (json_is_string(value)) weir_text_add(&text, json_string_value(value));
        else weir_text_format(&text, "%lld", (long long)json_integer_value(value));
    }
    weir_text_format(&text, "%s%lld lanes in, %lld out", text.size == 0 ? "" : "; ", (long long)hardware->in_lanes,
                     (long long)hardware->out_lanes);
    add_fact(html, "folding", text.data);
    weir_text_free(&text);
    json_decref(settings);
}

static void add_interval(weir_text *html, const weir_report_facts *facts, const weir_report_node *node) {
    add_term(html, "interval");
    const double measured = weir_html_number(node->activity, "interval");
    if (isfinite(measured)) {
        weir_html_real(html, measured, 1);
        weir_text_add(html, " cycles measured, ");
    }
    weir_html_integer(html, hardware_of(facts, node)->interval);
    weir_text_add(html, " folded, ");
    weir_html_integer(html, weir_resources_ideal(facts->run->hardware, node->node));
    weir_text_add(html, " ideal</dd>\n");
}

static void add_activity(weir_text *html, const weir_report_facts *facts, const weir_report_node *node) {
    for (int kind = 0; kind < SHARES; kind++) {
        add_term(html, shares[kind]);
        weir_html_real(html, 100 * share_of(facts, node, (share_kind)kind), 1);
        weir_text_format(html, " %% of %lld cycles</dd>\n", (long long)weir_html_whole(facts->debug, "cycles"));
    }
    const int64_t depth = weir_html_whole(node->activity, "depth");
    if (depth > 0) {
        add_term(html, "fill");
        weir_html_integer(html, weir_html_whole(node->activity, "high_water"));
        weir_text_add(html, " of ");
        weir_html_integer(html, depth);
        weir_text_add(html, " beats at most</dd>\n");
        const char *bound = json_is_true(json_object_get(node->activity, "exact")) ? "cycles" : "cycles at most";
        add_fact_integer(html, "stall", weir_html_whole(node->activity, "longest_wait"), bound);
    }
    const json_t *frame = json_object_get(node->activity, "frame");
    if (!json_is_object(frame)) return;
    add_term(html, "frame 0");
    weir_text_add(html, "first beat in at cycle ");
    weir_html_integer(html, weir_html_whole(frame, "first_in"));
    weir_text_add(html, ", beats out from ");
    weir_html_integer(html, weir_html_whole(frame, "first_out"));
    weir_text_add(html, " to ");
    weir_html_integer(html, weir_html_whole(frame, "last_out"));
    weir_text_add(html, "</dd>\n");
}

static void add_resources(weir_text *html, const char *term, const json_t *uses) {
    static const char *const fields[] = {"luts", "flip_flops", "multipliers", "memory_blocks"};
    static const char *const names[] = {"LUTs", "flip-flops", "multipliers", "memory blocks"};
    add_term(html, term);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        weir_text_add(html, i == 0 ? "" : ", ");
        weir_html_integer(html, weir_html_whole(uses, fields[i]));
        weir_text_format(html, " %s", names[i]);
    }
    const double clock = weir_html_number(uses, "fmax_mhz");
    if (isfinite(clock)) {
        weir_text_add(html, ", ");
        weir_html_real(html, clock, 0);
        weir_text_add(html, " MHz");
    }
    weir_text_add(html, "</dd>\n");
}

static void add_noise(weir_text *html, const weir_report_node *node) {
    add_term(html, "error against float");
    const double sqnr = weir_html_number(node->noise, "sqnr_db");
    if (isfinite(sqnr)) {
        weir_text_add(html, "SQNR ");
        weir_html_real(html, sqnr, 1);
        weir_text_add(html, " dB, ");
    }
    weir_text_add(html, "largest ");
    weir_html_brief(html, weir_html_number(node->noise, "max_absolute"));
    weir_text_add(html, ", mean ");
    weir_html_brief(html, weir_html_number(node->noise, "mean_absolute"));
    weir_text_add(html, "</dd>\n");
}

static void add_histogram(weir_text *html, const json_t *histogram) {
    const json_t *counts = json_object_get(histogram, "counts");
    const size_t bins = json_array_size(counts);
    if (bins == 0) return;
    const int64_t low = weir_html_whole(histogram, "low"), width = weir_html_whole(histogram, "width");
    weir_plot plot = {.width = 260,
                      .height = 90,
                      .left = 64,
                      .right = 12,
                      .x = {.is_tight = true, .title = "code"},
                      .y = {.title = "values"}};
    weir_plot_axis_include(&plot.x, (double)low);
    weir_plot_axis_include(&plot.x, (double)(low + width * (int64_t)bins));
    weir_plot_axis_include(&plot.y, 0);
    for (size_t i = 0; i < bins; i++)
        weir_plot_axis_include(&plot.y, (double)json_integer_value(json_array_get(counts, i)));
    weir_plot_open(&plot, "histogram of the codes of its values", html);
    const double base = weir_plot_y(&plot, 0);
    for (size_t i = 0; i < bins; i++) {
        const double x = weir_plot_x(&plot, (double)(low + width * (int64_t)i)),
                     end = weir_plot_x(&plot, (double)(low + width * (int64_t)(i + 1))),
                     y = weir_plot_y(&plot, (double)json_integer_value(json_array_get(counts, i)));
        if (y < base) weir_plot_rect(html, "bin", x, y, end - x, base - y);
    }
    weir_plot_close(html);
}

static void add_panel(weir_text *html, const weir_report_facts *facts, const weir_report_node *node) {
    const weir_graph *graph = facts->run->hardware;
    weir_text text = {NULL, 0, 0};
    weir_text_add(html, "<section class=\"panel\" tabindex=\"-1\" id=\"");
    weir_report_add_anchor(html, facts, node);
    weir_text_add(html, "\"><h3>");
    weir_html_text(html, node->name);
    weir_text_add(html, "</h3><dl>\n");
    add_what(&text, facts, node);
    add_fact(html, "operator", node->op);
    add_fact(html, "component", text.data);
    weir_text_free(&text);
    for (size_t i = 0; i < weir_node_input_count(graph, node->node); i++) {
        const weir_value value = weir_node_input(graph, node->node, i);
        if (value.id == 0) continue;
        weir_text_format(&text, "%s: ", weir_value_name(graph, value));
        weir_report_add_type(&text, weir_value_type(graph, value));
        add_fact(html, weir_value_constant(graph, value) == NULL ? "input" : "constant", text.data);
        weir_text_free(&text);
    }
    const weir_type *type = weir_value_type(graph, weir_node_output(graph, node->node, 0));
    weir_report_add_type(&text, type);
    add_fact(html, "output", text.data);
    weir_text_free(&text);
    if (type->quant.format != WEIR_FORMAT_FLOAT) add_quantization(html, type);
    const int64_t operations = hardware_of(facts, node)->operations;
    if (!node->on_host && !node->is_wiring) {
        add_settings(html, facts, node);
        if (operations > 0) add_fact_integer(html, "products", operations, "a frame");
        add_interval(html, facts, node);
    }
    if (node->activity != NULL) add_activity(html, facts, node);
    if (node->estimate != NULL) add_resources(html, "estimate", node->estimate);
    if (node->made != NULL) add_resources(html, "synthesis", node->made);
    if (node->noise != NULL) add_noise(html, node);
    weir_text_add(html, "</dl>\n");
    add_histogram(html, json_object_get(node->activity, "histogram"));
    weir_text_add(html, "</section>\n");
}

/* --- the table --- */

static void add_table(weir_text *html, const weir_report_facts *facts) {
    static const char *const heads[] = {"node",    "component",    "output",        "#interval",
                                        "#busy %", "#starved %",   "#blocked %",    "#fill",
                                        "#LUTs",   "#multipliers", "#memory blocks"};
    const bool is_made = json_array_size(json_object_get(facts->run->synthesis, "nodes")) > 0;
    weir_html_table(html,
                    is_made ? "Nodes of the hardware; resources as synthesized"
                            : "Nodes of the hardware; resources as estimated",
                    heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < facts->count; i++) {
        const weir_report_node *node = &facts->node[i];
        weir_text text = {NULL, 0, 0};
        weir_text_add(html, "<tr><th scope=\"row\"><a href=\"#");
        weir_report_add_anchor(html, facts, node);
        weir_text_add(html, "\" title=\"");
        weir_html_text(html, node->name);
        weir_text_add(html, "\">");
        weir_html_short(html, node->name, TABLE_LETTERS);
        weir_text_add(html, "</a></th>");
        add_what(&text, facts, node);
        weir_html_cell(html, text.data);
        weir_text_free(&text);
        weir_report_add_type(
            &text, weir_value_type(facts->run->hardware, weir_node_output(facts->run->hardware, node->node, 0)));
        weir_html_cell(html, text.data);
        weir_text_free(&text);
        weir_html_cell_real(html, weir_html_number(node->activity, "interval"), 1);
        for (int kind = 0; kind < SHARES; kind++)
            weir_html_cell_real(html, 100 * share_of(facts, node, (share_kind)kind), 1);
        const int64_t depth = weir_html_whole(node->activity, "depth");
        if (depth > 0)
            weir_text_format(html, "<td class=\"n\">%lld/%lld</td>",
                             (long long)weir_html_whole(node->activity, "high_water"), (long long)depth);
        else weir_html_cell_none(html);
        static const char *const fields[] = {"luts", "multipliers", "memory_blocks"};
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
            weir_html_cell_real(html, weir_html_number(is_made ? node->made : node->estimate, fields[f]), 0);
        weir_html_row_end(html);
    }
    weir_html_table_end(html);
}

static void add_legend(weir_text *html) {
    weir_text_add(html, "<p class=\"legend\">Share of the cycles of the debug frames, under each box:");
    for (int kind = 0; kind < SHARES; kind++)
        weir_text_format(
            html,
            " <svg width=\"22\" height=\"12\" aria-hidden=\"true\"><rect class=\"%s\" width=\"22\" height=\"12\"/></svg> %s",
            shares[kind], shares[kind]);
    weir_text_add(html, ". A dashed box is computed by the host or is only wiring.</p>\n");
}

void weir_section_network(const weir_report_facts *facts, weir_text *html) {
    if (facts->count == 0) return;
    weir_report_section_open(facts, "network", "Network", html);
    if (facts->debug != NULL) add_legend(html);
    weir_text_add(
        html,
        "<p class=\"hint\">Choose a node: click on it, or Tab and Enter; the arrow keys go to the nodes before "
        "and after it. Drag moves the graph; the buttons, + and &minus; and the wheel with Ctrl zoom, 0 fits.</p>\n");
    weir_text_add(html,
                  "<div class=\"network\"><div class=\"view\"><div class=\"tools\" hidden><button type=\"button\" "
                  "data-zoom=\"in\" aria-label=\"zoom in\">+</button><button type=\"button\" data-zoom=\"out\" "
                  "aria-label=\"zoom out\">&minus;</button><button type=\"button\" data-zoom=\"fit\">fit</button>"
                  "</div>\n");
    weir_network_draw(facts, "", "", html);
    weir_text_add(html, "</div>\n<div class=\"panels\" aria-live=\"polite\">\n");
    for (size_t i = 0; i < facts->count; i++) add_panel(html, facts, &facts->node[i]);
    weir_text_add(html, "</div></div>\n");
    add_table(html, facts);
    weir_report_section_close(html);
}
