/* Tables as text: widths, styles, cells of several lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/text/table.h"

static weir_table *make(void) {
    static const char *const headers[] = {"name", "value"};
    weir_table *table = weir_table_new(headers, 2);
    weir_text cell = {NULL, 0, 0};
    weir_table_add(table, "a");
    weir_table_format(table, "%d", 123456);
    weir_table_take(table, &cell); /* empty */
    weir_text_add(&cell, "x\ny");
    weir_table_take(table, &cell);
    assert_null(cell.data);
    weir_table_add(table, "\xc3\xa9t\xc3\xa9"); /* three letters; the last cell is missing */
    return table;
}

static void check(weir_table *table, weir_table_style style, const char *expected) {
    weir_text text = {NULL, 0, 0};
    weir_table_print(table, style, &text);
    assert_string_equal(text.data, expected);
    weir_text_free(&text);
    weir_table_free(table);
}

static void pipe_style(void **state) {
    (void)state;
    static const char *const headers[] = {"name", "value"};
    weir_table *table = weir_table_new(headers, 2);
    weir_table_add(table, "a");
    weir_table_add(table, "123456");
    check(table, WEIR_TABLE_PIPE, "| name | value  |\n|------|--------|\n| a    | 123456 |\n");
}

static void grid_style(void **state) {
    (void)state;
    check(make(), WEIR_TABLE_GRID,
          "+------+--------+\n"
          "| name | value  |\n"
          "+======+========+\n"
          "| a    | 123456 |\n"
          "+------+--------+\n"
          "|      | x      |\n"
          "|      | y      |\n"
          "+------+--------+\n"
          "| \xc3\xa9t\xc3\xa9  |        |\n"
          "+------+--------+\n");
}

/* One cell of many characters must not make every row as long. */
static void long_cells_stick_out(void **state) {
    (void)state;
    static const char *const headers[] = {"a", "b"};
    weir_table *table = weir_table_new(headers, 2);
    weir_text text = {NULL, 0, 0};
    for (int i = 0; i < 121; i++) weir_text_char(&text, 'x');
    weir_table_take(table, &text);
    weir_table_add(table, "y");
    weir_table_print(table, WEIR_TABLE_PIPE, &text);
    assert_memory_equal(text.data, "| a | b |\n|---|---|\n| xxx", 25);
    assert_string_equal(text.data + text.size - 8, "x | y |\n");
    weir_text_free(&text);
    weir_table_free(table);
}

static void plain_style(void **state) {
    (void)state;
    static const char *const headers[] = {"name", "count", "share", "note"};
    weir_table *table = weir_table_new(headers, 4);
    static const char *const cells[] = {"a", "12", "3.5 %", "first", "longer", "-", "100 %", ""};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) weir_table_add(table, cells[i]);
    check(table, WEIR_TABLE_PLAIN,
          "  name    count  share  note\n"
          "  a          12  3.5 %  first\n"
          "  longer      -  100 %\n");
}

/* 130 characters keep 59 at the start and 58 at the end; what is behind them stays in its column. */
static void plain_cells_lose_their_middle(void **state) {
    (void)state;
    static const char *const headers[] = {"a", "b"};
    weir_table *table = weir_table_new(headers, 2);
    weir_text text = {NULL, 0, 0}, expected = {NULL, 0, 0};
    for (int i = 0; i < 130; i++) weir_text_char(&text, (char)('a' + i % 26));
    weir_text_format(&expected, "  a%*s  b\n  %.59s...%s  y\n", 119, "", text.data, text.data + 72);
    weir_table_take(table, &text);
    weir_table_add(table, "y");
    check(table, WEIR_TABLE_PLAIN, expected.data);
    weir_text_free(&expected);
}

/* Rows that differ in their first cell alone are one, where the first of them stood; the others keep their places. */
static void rows_in_groups(void **state) {
    (void)state;
    static const char *const headers[] = {"name", "a", "b"};
    static const char *const cells[] = {"one", "x", "y",    "two", "x", "z",    "three",
                                        "x",   "y", "four", "",    "y", "five", "x"};
    weir_table *table = weir_table_new(headers, 3);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) weir_table_add(table, cells[i]);
    weir_text text = {NULL, 0, 0};
    weir_table_print_groups(table, &text);
    assert_string_equal(text.data, "| name | a | b |\n|---|---|---|\n| one, three | x | y |\n| two | x | z |\n"
                                   "| four |  | y |\n| five | x |  |\n");
    weir_text_free(&text);
    weir_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pipe_style),
                                       cmocka_unit_test(grid_style),
                                       cmocka_unit_test(long_cells_stick_out),
                                       cmocka_unit_test(plain_style),
                                       cmocka_unit_test(plain_cells_lose_their_middle),
                                       cmocka_unit_test(rows_in_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
