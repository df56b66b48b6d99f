/* Tables as text: widths, styles, cells of several lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/table.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pipe_style), cmocka_unit_test(grid_style),
                                       cmocka_unit_test(long_cells_stick_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
