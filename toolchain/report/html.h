/* Pieces of HTML and SVG. Whatever comes from a model or a file goes through weir_html_text, so that it is text and
 * nothing else. */
#ifndef WEIR_REPORT_HTML_H
#define WEIR_REPORT_HTML_H

#include <jansson.h>
#include <stdint.h>

#include "support/text/text.h"

/* The string as content of an element or of a quoted attribute: &, <, > and both quotes escaped, control characters
 * blanks, what is not UTF-8 a question mark. */
void weir_html_text(weir_text *html, const char *string);
/* The same, at most `most` characters (of them at least 3): where there are more, the middle is "…". */
void weir_html_short(weir_text *html, const char *string, size_t most);
/* "12,345"; of a fraction so many digits behind the point; "–" of what is not finite. */
void weir_html_integer(weir_text *html, int64_t value);
void weir_html_real(weir_text *html, double value, int digits);
/* "12.3 k": four characters of digits at most, the unit a factor of 1,000. */
void weir_html_brief(weir_text *html, double value);

/* A table opens with its caption and the heads of its columns, of which those that begin with "#" are numbers. */
void weir_html_table(weir_text *html, const char *caption, const char *const *heads, size_t count);
void weir_html_table_end(weir_text *html);
/* Cells: of a name (the head of its row), of text, of numbers. */
void weir_html_row(weir_text *html, const char *name);
void weir_html_row_end(weir_text *html);
void weir_html_cell(weir_text *html, const char *string);
void weir_html_cell_integer(weir_text *html, int64_t value);
void weir_html_cell_real(weir_text *html, double value, int digits);
void weir_html_cell_none(weir_text *html);

/* Numbers of a JSON object; NaN, 0 or "" where it has none under the name. */
double weir_html_number(const json_t *object, const char *key);
int64_t weir_html_whole(const json_t *object, const char *key);
const char *weir_html_string(const json_t *object, const char *key);

#endif
