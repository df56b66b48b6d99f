#include "support/text/table.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

/* A wider cell overflows its column, so that one long cell does not widen every row. */
enum { WIDTH_LIMIT = 120 };

struct weir_table {
    char **cell; /* the headers are the first row */
    weir_color *color;
    size_t count, capacity, columns;
};

weir_table *weir_table_new(const char *const *headers, size_t columns) {
    assert(columns > 0);
    weir_table *table = weir_calloc(1, sizeof *table);
    table->columns = columns;
    for (size_t i = 0; i < columns; i++) weir_table_add(table, headers[i]);
    return table;
}

void weir_table_free(weir_table *table) {
    if (table == NULL) return;
    for (size_t i = 0; i < table->count; i++) free(table->cell[i]);
    free(table->cell);
    free(table->color);
    free(table);
}

static void take(weir_table *table, char *cell) {
    size_t capacity = table->capacity;
    table->color = weir_grow(table->color, &capacity, table->count + 1, sizeof *table->color);
    table->cell = weir_grow(table->cell, &table->capacity, table->count + 1, sizeof *table->cell);
    table->color[table->count] = table->count < table->columns ? WEIR_COLOR_HEAD : WEIR_COLOR_NONE;
    table->cell[table->count++] = cell;
}

void weir_table_add(weir_table *table, const char *cell) { take(table, weir_copy_string(cell)); }

void weir_table_format(weir_table *table, const char *format, ...) {
    weir_text text = {NULL, 0, 0};
    va_list arguments;
    va_start(arguments, format);
    weir_text_vformat(&text, format, arguments);
    va_end(arguments);
    weir_table_take(table, &text);
}

void weir_table_color(weir_table *table, weir_color color) {
    assert(table->count > table->columns && color < WEIR_COLORS);
    table->color[table->count - 1] = color;
}

void weir_table_take(weir_table *table, weir_text *cell) {
    weir_table_add(table, cell->data == NULL ? "" : cell->data);
    weir_text_free(cell);
    *cell = (weir_text){NULL, 0, 0};
}

static const char *cell_at(const weir_table *table, size_t row, size_t column) {
    assert(column < table->columns);
    size_t at = row * table->columns + column;
    return at < table->count ? table->cell[at] : "";
}

/* Characters of UTF-8 text: what it takes on a screen. */
static size_t width_of(const char *line, size_t size) {
    size_t width = 0;
    for (size_t i = 0; i < size; i++) width += ((unsigned char)line[i] & 0xC0) != 0x80;
    return width;
}

static size_t row_count(const weir_table *table) { return (table->count + table->columns - 1) / table->columns; }

static size_t *measure(const weir_table *table, weir_table_style style) {
    size_t *width = weir_calloc(table->columns, sizeof *width);
    for (size_t row = 0; row < row_count(table); row++) {
        for (size_t column = 0; column < table->columns; column++) {
            for (const char *line = cell_at(table, row, column);; line++) {
                size_t size = strcspn(line, "\n"), wide = width_of(line, size);
                if (style == WEIR_TABLE_PLAIN && wide > WIDTH_LIMIT) wide = WIDTH_LIMIT;
                if (wide > width[column] && wide <= WIDTH_LIMIT) width[column] = wide;
                line += size;
                if (*line == '\0') break;
            }
        }
    }
    return width;
}

static void repeat(weir_text *text, char c, size_t count) {
    while (count-- > 0) weir_text_char(text, c);
}

static void print_rule(const weir_table *table, const size_t *width, char line, char cross, weir_text *text) {
    weir_text_char(text, cross);
    for (size_t i = 0; i < table->columns; i++) {
        repeat(text, line, width[i] + 2);
        weir_text_char(text, cross);
    }
    weir_text_char(text, '\n');
}

/* Line `index` of a cell, empty after its last one. */
static size_t line_of(const char *cell, size_t index, const char **line) {
    for (; index > 0 && *cell != '\0'; index--) {
        cell += strcspn(cell, "\n");
        cell += *cell == '\n';
    }
    *line = cell;
    return strcspn(cell, "\n");
}

static size_t height_of(const weir_table *table, size_t row) {
    assert(row < row_count(table));
    size_t height = 1;
    for (size_t i = 0; i < table->columns; i++) {
        size_t lines = 1;
        for (const char *c = cell_at(table, row, i); *c != '\0'; c++) lines += *c == '\n';
        if (lines > height) height = lines;
    }
    return height;
}

static void print_row(const weir_table *table, const size_t *width, size_t row, weir_text *text) {
    size_t height = height_of(table, row);
    for (size_t index = 0; index < height; index++) {
        for (size_t i = 0; i < table->columns; i++) {
            const char *line;
            size_t size = line_of(cell_at(table, row, i), index, &line);
            weir_text_add(text, "| ");
            weir_text_add_n(text, line, size);
            size_t wide = width_of(line, size);
            repeat(text, ' ', wide > width[i] ? 1 : width[i] - wide + 1);
        }
        weir_text_add(text, "|\n");
    }
}

/* --- the plain style --- */

/* Do all cells below the header hold numbers, or two of them: 5 %, 1.5x, 3/4, 0 of 7? */
static bool is_numeric(const weir_table *table, size_t column) {
    assert(column < table->columns);
    for (size_t row = 1; row < row_count(table); row++) {
        const char *cell = cell_at(table, row, column);
        if (cell[strspn(cell, "-+.0123456789 %x/of")] != '\0') return false;
    }
    return true;
}

/* The cell, or its start and end where it is too wide. */
static void add_cell(const char *cell, weir_text *text) {
    static const char gap[] = "...";
    const size_t wide = width_of(cell, strlen(cell)), half = (WIDTH_LIMIT - (sizeof gap - 1)) / 2;
    size_t character = 0;
    for (const char *c = cell; *c != '\0'; c++) {
        const bool starts = (*c & 0xC0) != 0x80;
        if (starts && wide > WIDTH_LIMIT && character == WIDTH_LIMIT - (sizeof gap - 1) - half)
            weir_text_add(text, gap);
        character += starts ? 1 : 0;
        if (wide <= WIDTH_LIMIT || character <= WIDTH_LIMIT - (sizeof gap - 1) - half || character > wide - half)
            weir_text_char(text, *c);
    }
}

/* By column; heap memory. */
static bool *find_numeric(const weir_table *table) {
    bool *numeric = weir_calloc(table->columns, sizeof *numeric);
    for (size_t i = 0; i < table->columns; i++) numeric[i] = is_numeric(table, i);
    return numeric;
}

static void print_plain(const weir_table *table, const size_t *width, const bool *numeric, size_t row,
                        weir_text *text) {
    const size_t start = text->size;
    for (size_t i = 0; i < table->columns; i++) {
        const char *cell = cell_at(table, row, i);
        const size_t wide = width_of(cell, strlen(cell)), rest = wide > width[i] ? 0 : width[i] - wide;
        const weir_color color = wide == 0 ? WEIR_COLOR_NONE : table->color[row * table->columns + i];
        weir_text_add(text, "  ");
        if (numeric[i]) repeat(text, ' ', rest);
        weir_text_add(text, weir_color_begin(color, stdout));
        add_cell(cell, text);
        weir_text_add(text, weir_color_end(color, stdout));
        if (!numeric[i]) repeat(text, ' ', rest);
    }
    while (text->size > start && text->data[text->size - 1] == ' ') text->data[--text->size] = '\0';
    weir_text_char(text, '\n');
}

void weir_table_print(const weir_table *table, weir_table_style style, weir_text *text) {
    size_t *width = measure(table, style);
    bool *numeric = style == WEIR_TABLE_PLAIN ? find_numeric(table) : NULL;
    if (style == WEIR_TABLE_GRID) print_rule(table, width, '-', '+', text);
    for (size_t row = 0; row < row_count(table); row++) {
        if (style == WEIR_TABLE_PLAIN) {
            print_plain(table, width, numeric, row, text);
            continue;
        }
        print_row(table, width, row, text);
        if (style == WEIR_TABLE_GRID) print_rule(table, width, row == 0 ? '=' : '-', '+', text);
        else if (row == 0) print_rule(table, width, '-', '|', text);
    }
    free(numeric);
    free(width);
}

static bool alike(const weir_table *table, size_t a, size_t b) {
    assert(a < row_count(table) && b < row_count(table));
    for (size_t column = 1; column < table->columns; column++)
        if (strcmp(cell_at(table, a, column), cell_at(table, b, column)) != 0) return false;
    return true;
}

static void print_cells(const weir_table *table, size_t row, weir_text *text) {
    for (size_t column = 1; column < table->columns; column++)
        weir_text_format(text, " %s |", cell_at(table, row, column));
    weir_text_char(text, '\n');
}

void weir_table_print_groups(const weir_table *table, weir_text *text) {
    weir_text_format(text, "| %s |", cell_at(table, 0, 0));
    print_cells(table, 0, text);
    for (size_t column = 0; column < table->columns; column++) weir_text_add(text, column == 0 ? "|---|" : "---|");
    weir_text_char(text, '\n');
    const size_t rows = (table->count + table->columns - 1) / table->columns;
    bool *told = weir_calloc(rows, sizeof *told);
    for (size_t row = 1; row < rows; row++) {
        if (told[row]) continue;
        weir_text_format(text, "| %s", cell_at(table, row, 0));
        for (size_t other = row + 1; other < rows; other++) {
            if (told[other] || !alike(table, row, other)) continue;
            weir_text_format(text, ", %s", cell_at(table, other, 0));
            told[other] = true;
        }
        weir_text_add(text, " |");
        print_cells(table, row, text);
    }
    free(told);
}
