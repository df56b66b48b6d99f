/* Tables as text: rows of cells under headers, columns as wide as their widest cell of up to 120 characters; longer
 * cells overflow their column, or in the plain style lose their middle. */
#ifndef WEIR_TABLE_H
#define WEIR_TABLE_H

#include <stddef.h>

#include "support/text/color.h"
#include "support/text/text.h"

typedef enum weir_table_style {
    WEIR_TABLE_PIPE, /* | a | b | with a rule under the headers: Markdown; a cell is one line */
    WEIR_TABLE_GRID, /* rules around every row; a cell may have several lines */
    /* indented, blanks between columns, no rules; columns of numbers to the right; a cell is one line */
    WEIR_TABLE_PLAIN
} weir_table_style;

typedef struct weir_table weir_table;

/* The headers are copied, as is every cell. */
weir_table *weir_table_new(const char *const *headers, size_t columns);
void weir_table_free(weir_table *table);
/* The next cell, row by row; a missing last one is empty. */
void weir_table_add(weir_table *table, const char *cell);
void weir_table_format(weir_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The text's content (NULL counts as empty), which is released and reset. */
void weir_table_take(weir_table *table, weir_text *cell);
/* Markdown without padding, in which rows that differ in their first cell alone are one: "| Add, Sub | ... |", where
 * the first of them is. O(rows^2). */
void weir_table_print_groups(const weir_table *table, weir_text *text);
/* The colour of the last cell, in the plain style, whose headers have one, too: for stdout. */
void weir_table_color(weir_table *table, weir_color color);
void weir_table_print(const weir_table *table, weir_table_style style, weir_text *text);

#endif
