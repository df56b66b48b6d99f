#include "support/text/color.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_set(const char *value) { return value != NULL && *value != '\0'; }

static bool has_color(FILE *file) {
    const char *when = getenv(WEIR_COLOR_VARIABLE), *terminal = getenv("TERM");
    if (when != NULL && strcmp(when, "always") == 0) return true;
    if (when != NULL && strcmp(when, "never") == 0) return false;
    return !is_set(getenv("NO_COLOR")) && is_set(terminal) && strcmp(terminal, "dumb") != 0 && isatty(fileno(file));
}

const char *weir_color_begin(weir_color color, FILE *file) {
    static const char *const begins[WEIR_COLORS] = {"", "\x1b[1m", "\x1b[32m", "\x1b[1;31m", "\x1b[1;35m", "\x1b[36m"};
    assert(color < WEIR_COLORS);
    return color != WEIR_COLOR_NONE && has_color(file) ? begins[color] : "";
}

const char *weir_color_end(weir_color color, FILE *file) {
    return color != WEIR_COLOR_NONE && has_color(file) ? "\x1b[0m" : "";
}
