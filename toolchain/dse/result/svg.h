/* Pieces of SVG, which any browser opens: sizes in pixels, numbers in whole hundredths, whatever the locale. */
#ifndef WEIR_DSE_SVG_H
#define WEIR_DSE_SVG_H

#include "support/text/text.h"

/* Pixels from one line of text to the next, and of the letters. */
enum { WEIR_SVG_LINE = 16, WEIR_SVG_FONT = 11 };

typedef enum weir_svg_anchor { WEIR_SVG_START, WEIR_SVG_MIDDLE, WEIR_SVG_END } weir_svg_anchor;

/* White, with a viewBox of this size; the end. */
void weir_svg_open(weir_text *svg, double width, double height);
void weir_svg_close(weir_text *svg);
void weir_svg_box(weir_text *svg, double x, double y, double width, double height, const char *colour);
void weir_svg_line(weir_text *svg, double x1, double y1, double x2, double y2, const char *colour);
/* A dot with a text that shows when the mouse is on it; a ring. */
void weir_svg_dot(weir_text *svg, double x, double y, const char *colour, const char *title);
void weir_svg_ring(weir_text *svg, double x, double y, const char *colour);
/* Up to `most` characters, "..." instead of the rest; `attributes` as XML, NULL: none. */
void weir_svg_text(weir_text *svg, double x, double y, weir_svg_anchor anchor, const char *attributes, const char *text,
                   size_t most);
/* The same, turned to run upwards. */
void weir_svg_upward(weir_text *svg, double x, double y, weir_svg_anchor anchor, int size, const char *text,
                     size_t most);

/* The colour of series `index`: white text is legible on each. */
const char *weir_svg_colour(size_t index);

#endif
