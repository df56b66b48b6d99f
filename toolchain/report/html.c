#include "report/html.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DASH "\xe2\x80\x93"
#define ELLIPSIS "\xe2\x80\xa6"

/* --- text --- */

static void add_escaped(weir_text *html, const char *string, size_t size) {
    for (size_t i = 0; i < size; i++) {
        switch (string[i]) {
        case '<': weir_text_add(html, "&lt;"); break;
        case '>': weir_text_add(html, "&gt;"); break;
        case '&': weir_text_add(html, "&amp;"); break;
        case '"': weir_text_add(html, "&quot;"); break;
        case '\'': weir_text_add(html, "&#39;"); break;
        default: weir_text_char(html, string[i]);
        }
    }
}

/* Where `count` characters of UTF-8 end, from the start or, counted from the end, where they begin. */
static size_t skip_characters(const char *string, size_t size, size_t count) {
    size_t at = 0;
    for (; at < size && count > 0; count--) {
        do at++;
        while (at < size && ((unsigned char)string[at] & 0xc0) == 0x80);
    }
    return at;
}

static size_t count_characters(const char *string, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) count += ((unsigned char)string[i] & 0xc0) != 0x80;
    return count;
}

void weir_html_short(weir_text *html, const char *string, size_t most) {
    assert(most >= 3);
    weir_text plain = {NULL, 0, 0};
    weir_text_plain(&plain, string, strlen(string));
    const size_t count = plain.size == 0 ? 0 : count_characters(plain.data, plain.size);
    if (count <= most) {
        if (plain.size > 0) add_escaped(html, plain.data, plain.size);
    } else {
        const size_t head = (most - 1) / 2, tail = most - 1 - head;
        add_escaped(html, plain.data, skip_characters(plain.data, plain.size, head));
        weir_text_add(html, ELLIPSIS);
        const size_t rest = skip_characters(plain.data, plain.size, count - tail);
        add_escaped(html, plain.data + rest, plain.size - rest);
    }
    weir_text_free(&plain);
}

void weir_html_text(weir_text *html, const char *string) { weir_html_short(html, string, SIZE_MAX); }

/* --- numbers --- */

void weir_html_integer(weir_text *html, int64_t value) {
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    if (value < 0) weir_text_char(html, '-');
    const size_t count = strlen(digits);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) weir_text_char(html, ',');
        weir_text_char(html, digits[i]);
    }
}

void weir_html_real(weir_text *html, double value, int digits) {
    if (!isfinite(value)) {
        weir_text_add(html, DASH);
        return;
    }
    double unit = 1;
    for (int i = 0; i < digits; i++) unit *= 10;
    if (fabs(value) * unit >= 9e15) {
        weir_text_double(html, value);
        return;
    }
    const int64_t scaled = (int64_t)(fabs(value) * unit + 0.5), whole = scaled / (int64_t)unit;
    if (value < 0 && scaled != 0) weir_text_char(html, '-');
    weir_html_integer(html, whole);
    if (digits > 0) weir_text_format(html, ".%0*" PRId64, digits, scaled % (int64_t)unit);
}

void weir_html_brief(weir_text *html, double value) {
    static const char *const units[] = {"", " k", " M", " G", " T"};
    size_t unit = 0;
    if (!isfinite(value)) {
        weir_text_add(html, DASH);
        return;
    }
    while (unit + 1 < sizeof units / sizeof *units && fabs(value) >= 999.5) {
        value /= 1000;
        unit++;
    }
    char number[32];
    snprintf(number, sizeof number, "%.3g", value);
    for (char *c = number; *c != '\0'; c++) /* the locale's own point */
        if (*c == ',') *c = '.';
    weir_text_add(html, number);
    weir_text_add(html, units[unit]);
}

/* --- tables --- */

void weir_html_table(weir_text *html, const char *caption, const char *const *heads, size_t count) {
    weir_text_add(html, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    weir_html_text(html, caption);
    weir_text_add(html, "\"><table><caption>");
    weir_html_text(html, caption);
    weir_text_add(html, "</caption><thead><tr>");
    for (size_t i = 0; i < count; i++) {
        const bool is_number = heads[i][0] == '#';
        weir_text_format(html, "<th scope=\"col\"%s>", is_number ? " class=\"n\"" : "");
        weir_html_text(html, heads[i] + is_number);
        weir_text_add(html, "</th>");
    }
    weir_text_add(html, "</tr></thead><tbody>\n");
}

void weir_html_table_end(weir_text *html) { weir_text_add(html, "</tbody></table></div>\n"); }

void weir_html_row(weir_text *html, const char *name) {
    weir_text_add(html, "<tr><th scope=\"row\">");
    weir_html_text(html, name);
    weir_text_add(html, "</th>");
}

void weir_html_row_end(weir_text *html) { weir_text_add(html, "</tr>\n"); }

void weir_html_cell(weir_text *html, const char *string) {
    weir_text_add(html, "<td>");
    weir_html_text(html, string);
    weir_text_add(html, "</td>");
}

void weir_html_cell_integer(weir_text *html, int64_t value) {
    weir_text_add(html, "<td class=\"n\">");
    weir_html_integer(html, value);
    weir_text_add(html, "</td>");
}

void weir_html_cell_real(weir_text *html, double value, int digits) {
    weir_text_add(html, "<td class=\"n\">");
    weir_html_real(html, value, digits);
    weir_text_add(html, "</td>");
}

void weir_html_cell_none(weir_text *html) { weir_text_add(html, "<td class=\"n\">" DASH "</td>"); }

/* --- JSON --- */

double weir_html_number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

int64_t weir_html_whole(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : 0;
}

const char *weir_html_string(const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    return value == NULL ? "" : value;
}
