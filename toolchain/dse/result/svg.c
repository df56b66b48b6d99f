#include "dse/result/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void weir_svg_open(weir_text *svg, double width, double height) {
    weir_text_format(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"sans-serif\" font-size=\"%d\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        width, height, width, height, (int)WEIR_SVG_FONT);
}

void weir_svg_close(weir_text *svg) { weir_text_add(svg, "</svg>\n"); }

static void add_number(weir_text *svg, const char *name, double value) {
    const long long hundredths = llround(value * 100);
    weir_text_format(svg, " %s=\"%s%lld.%02lld\"", name, hundredths < 0 ? "-" : "", llabs(hundredths) / 100,
                     llabs(hundredths) % 100);
}

static void add_shape(weir_text *svg, const char *kind, const char *const name[4], const double value[4]) {
    weir_text_format(svg, "<%s", kind);
    for (size_t i = 0; i < 4; i++) add_number(svg, name[i], value[i]);
}

void weir_svg_box(weir_text *svg, double x, double y, double width, double height, const char *colour) {
    add_shape(svg, "rect", (const char *const[]){"x", "y", "width", "height"}, (const double[]){x, y, width, height});
    weir_text_format(svg, " fill=\"%s\"/>\n", colour);
}

void weir_svg_line(weir_text *svg, double x1, double y1, double x2, double y2, const char *colour) {
    add_shape(svg, "line", (const char *const[]){"x1", "y1", "x2", "y2"}, (const double[]){x1, y1, x2, y2});
    weir_text_format(svg, " stroke=\"%s\"/>\n", colour);
}

static void add_escaped(weir_text *svg, const char *text, size_t most) {
    static const char special[] = "<>&\"'";
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    const size_t length = strlen(text), shown = length <= most ? length : most - 3;
    for (size_t i = 0; i < shown; i++) {
        const char *at = strchr(special, text[i]);
        if (at != NULL) weir_text_add(svg, entities[at - special]);
        else weir_text_char(svg, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
    }
    if (shown < length) weir_text_add(svg, "...");
}

static void add_circle(weir_text *svg, double x, double y, double radius) {
    weir_text_add(svg, "<circle");
    add_number(svg, "cx", x);
    add_number(svg, "cy", y);
    add_number(svg, "r", radius);
}

void weir_svg_dot(weir_text *svg, double x, double y, const char *colour, const char *title) {
    add_circle(svg, x, y, 4);
    weir_text_format(svg, " fill=\"%s\"><title>", colour);
    add_escaped(svg, title, strlen(title));
    weir_text_add(svg, "</title></circle>\n");
}

void weir_svg_ring(weir_text *svg, double x, double y, const char *colour) {
    add_circle(svg, x, y, 8);
    weir_text_format(svg, " fill=\"none\" stroke-width=\"2\" stroke=\"%s\"/>\n", colour);
}

static void start_text(weir_text *svg, double x, double y, weir_svg_anchor anchor) {
    static const char *const names[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    weir_text_add(svg, "<text");
    add_number(svg, "x", x);
    add_number(svg, "y", y);
    weir_text_add(svg, names[anchor]);
}

void weir_svg_text(weir_text *svg, double x, double y, weir_svg_anchor anchor, const char *attributes, const char *text,
                   size_t most) {
    start_text(svg, x, y, anchor);
    weir_text_format(svg, "%s%s>", attributes == NULL ? "" : " ", attributes == NULL ? "" : attributes);
    add_escaped(svg, text, most);
    weir_text_add(svg, "</text>\n");
}

void weir_svg_upward(weir_text *svg, double x, double y, weir_svg_anchor anchor, int size, const char *text,
                     size_t most) {
    start_text(svg, x, y, anchor);
    weir_text_format(svg, " font-size=\"%d\" transform=\"rotate(-90 %.0f %.0f)\">", size, x, y);
    add_escaped(svg, text, most);
    weir_text_add(svg, "</text>\n");
}

const char *weir_svg_colour(size_t index) {
    static const char *const colours[] = {"#4878a8", "#b85c10", "#3c8034", "#b04848", "#8060a8",
                                          "#806048", "#707070", "#30828c", "#a04890"};
    return colours[index % (sizeof colours / sizeof *colours)];
}
