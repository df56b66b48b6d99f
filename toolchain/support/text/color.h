/* Colour on terminals: escape sequences around words, on streams that show them. */
#ifndef WEIR_COLOR_H
#define WEIR_COLOR_H

#include <stdio.h>

typedef enum weir_color {
    WEIR_COLOR_NONE,
    WEIR_COLOR_HEAD, /* headers of tables, where an error is */
    WEIR_COLOR_GOOD,
    WEIR_COLOR_BAD,
    WEIR_COLOR_WARNING,
    WEIR_COLOR_NOTE,
    WEIR_COLORS
} weir_color;

/* The environment's variable of that name says when: "always", "never", or "auto", which is also what nothing and any
 * other word mean: on a terminal that is not "dumb" (TERM), unless NO_COLOR is set and not empty (no-color.org). Not
 * passed on to programs that are run (support/process), since what they print is read. */
#define WEIR_COLOR_VARIABLE "WEIR_COLOR"

/* What begins the colour on the stream, and what ends it: "" where it has none. */
const char *weir_color_begin(weir_color color, FILE *file);
const char *weir_color_end(weir_color color, FILE *file);

#endif
