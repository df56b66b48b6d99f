/* Arena, interning, text, hashes, suggestions and the diagnostic sink. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text_pair.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/memory/intern.h"
#include "support/text/diag.h"
#include "support/text/once.h"
#include "support/text/suggest.h"
#include "support/text/text.h"

static void arena_gives_aligned_zeroed_memory(void **state) {
    (void)state;
    weir_arena *arena = weir_arena_new();
    for (size_t size = 0; size < 40000; size = size * 2 + 1) {
        unsigned char *memory = weir_arena_alloc(arena, size);
        assert_true((uintptr_t)memory % _Alignof(max_align_t) == 0);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(memory[i], 0);
        }
        memset(memory, 0xff, size);
    }
    for (int i = 0; i < 20000; i++) {
        int *number = weir_arena_array(arena, 3, sizeof *number);
        assert_int_equal(number[2], 0);
        number[2] = i;
    }
    assert_string_equal(weir_arena_format(arena, "%s-%d", "x", 7), "x-7");
    assert_string_equal(weir_arena_copy_string(arena, ""), "");
    weir_arena_free(arena);
    weir_arena_free(NULL);
}

static void grow_keeps_the_content(void **state) {
    (void)state;
    size_t capacity = 0;
    int *numbers = NULL;
    for (int i = 0; i < 1000; i++) {
        numbers = weir_grow(numbers, &capacity, (size_t)i + 1, sizeof *numbers);
        assert_true(capacity > (size_t)i);
        numbers[i] = i;
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(numbers[i], i);
    }
    free(numbers);
}

static void equal_strings_are_one_pointer(void **state) {
    (void)state;
    weir_arena *arena = weir_arena_new();
    weir_strings *strings = weir_strings_new(arena);
    const char *first[500];
    for (int i = 0; i < 500; i++) {
        char *name = weir_format("name%d", i);
        first[i] = weir_strings_intern(strings, name);
        free(name);
    }
    for (int i = 0; i < 500; i++) {
        char *name = weir_format("name%d and more", i);
        size_t length = strcspn(name, " ");
        assert_ptr_equal(weir_strings_intern_n(strings, name, length), first[i]);
        assert_ptr_not_equal(weir_strings_intern(strings, name), first[i]);
        free(name);
    }
    assert_string_equal(weir_strings_intern(strings, ""), "");
    weir_strings_free(strings);
    assert_string_equal(first[499], "name499");
    weir_arena_free(arena);
}

static void check_double(double value, const char *expected) {
    weir_text text = {0};
    weir_text_double(&text, value);
    if (expected) {
        assert_string_equal(text.data, expected);
    }
    double back = weir_parse_double(text.data, NULL);
    assert_memory_equal(&back, &value, sizeof value);
    weir_text_free(&text);
}

static void doubles_are_shortest_and_read_back(void **state) {
    (void)state;
    check_double(0.1, "0.1");
    check_double(-0.0, "-0");
    check_double(1.0 / 3, "0.3333333333333333");
    check_double(5e-324, "5e-324");
    check_double(1e300, "1e+300");
    check_double((double)INFINITY, "inf");
    check_double((double)-INFINITY, "-inf");
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            check_double(value, NULL);
        }
    }
    weir_text text = {0};
    weir_text_double(&text, (double)NAN);
    weir_text_double(&text, -(double)NAN);
    assert_string_equal(text.data, "nannan");
    weir_text_free(&text);
}

static void numbers_ignore_the_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        found = setlocale(LC_ALL, names[i]);
    }
    if (!found) {
        print_message("no locale with a decimal comma on this machine\n");
        skip();
    }
    check_double(1234.5, "1234.5");
    char *end;
    assert_true(weir_parse_double("2.5", &end) > 2.4 && *end == 0);
    setlocale(LC_ALL, "C");
}

static void quoted_text_escapes_what_it_must(void **state) {
    (void)state;
    static const text_pair cases[] = {
        {"", "\"\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"\n\t\r\x01\x7f", "\"\\n\\t\\r\\u0001\\u007f\""},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xe9", "\"\\u00e9\""},
        {"\xc3", "\"\\u00c3\""},
        {"\xe2\x82", "\"\\u00e2\\u0082\""},
        {"\xc0\x80", "\"\\u00c0\\u0080\""},
        {"\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\""},
        {"\xf4\x90\x80\x80", "\"\\u00f4\\u0090\\u0080\\u0080\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_text text = {0};
        weir_text_quoted(&text, cases[i].text);
        assert_string_equal(text.data, cases[i].expected);
        weir_text_free(&text);
    }
}

/* Vectors of draft-eastlake-fnv. */
static void hashes_match_the_published_vectors(void **state) {
    (void)state;
    char text[33];
    weir_hash hash = weir_hash_start();
    weir_hash_print(&hash, text);
    assert_string_equal(text, "6c62272e07bb014262b821756295c58d");
    weir_hash_add(&hash, "a", 1);
    weir_hash_print(&hash, text);
    assert_string_equal(text, "d228cb696f1a8caf78912b704e4a8964");
    hash = weir_hash_start();
    weir_hash_add(&hash, "foo", 3);
    weir_hash_add(&hash, "bar", 3);
    weir_hash_print(&hash, text);
    assert_string_equal(text, "343e1662793c64bf6f0d3597ba446f18");
    weir_hash one = weir_hash_start(), other = weir_hash_start();
    weir_hash_add_string(&one, "ab");
    weir_hash_add_string(&one, "c");
    weir_hash_add_string(&other, "a");
    weir_hash_add_string(&other, "bc");
    assert_true(one.low != other.low);
}

static void suggestions_are_near_or_absent(void **state) {
    (void)state;
    static const char *const names[] = {"Conv", "Relu", "MaxPool", "AveragePool", "Gemm"};
    assert_string_equal(weir_suggest("conv", names, 5), "Conv");
    assert_string_equal(weir_suggest("Cnov", names, 5), "Conv");
    assert_string_equal(weir_suggest("MaxPol", names, 5), "MaxPool");
    assert_string_equal(weir_suggest("Averagepoool", names, 5), "AveragePool");
    assert_null(weir_suggest("Softmax", names, 5));
    assert_null(weir_suggest("", names, 5));
    assert_null(weir_suggest("x", names, 0));
    char longest[1000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_null(weir_suggest(longest, names, 5));
}

static void collect(void *user, const weir_diagnostic *diagnostic) {
    weir_text_format(user, "%d %s:%d %s\n", (int)diagnostic->severity,
                     diagnostic->location.file ? diagnostic->location.file : "-", diagnostic->location.line,
                     diagnostic->text);
}

static void diagnostics_reach_the_handler_and_are_counted(void **state) {
    (void)state;
    weir_text text = {0};
    weir_diag_set_handler(collect, &text);
    weir_error(weir_at("m.onnx", 3), "bad '%s'", "x");
    weir_note("hint %d", 1);
    weir_warning(WEIR_NOWHERE, "odd");
    assert_string_equal(text.data, "2 m.onnx:3 bad 'x'\n0 -:0 hint 1\n1 -:0 odd\n");
    assert_int_equal(weir_diag_errors(), 1);
    weir_diag_reset();
    assert_int_equal(weir_diag_errors(), 0);
    weir_error(WEIR_NOWHERE, "again");
    weir_diag_set_handler(NULL, NULL);
    assert_int_equal(weir_diag_errors(), 0);
    weir_text_free(&text);
}

static void captured_diagnostics_wait_for_their_replay(void **state) {
    (void)state;
    weir_text text = {0};
    weir_diag_set_handler(collect, &text);
    weir_error(WEIR_NOWHERE, "first");
    weir_diag_log *outer = weir_diag_capture();
    assert_int_equal(weir_diag_errors(), 0);
    assert_string_equal(weir_diag_log_error(outer), "");
    char file[] = "a.onnx";
    weir_warning(WEIR_NOWHERE, "odd");
    weir_error(weir_at(file, 7), "second");
    file[0] = 'b'; /* locations are copied */
    weir_diag_log *inner = weir_diag_capture();
    for (int i = 0; i < WEIR_DIAG_LIMIT + 5; i++) {
        weir_error(WEIR_NOWHERE, "inner %d", i);
    }
    weir_diag_release(inner);
    assert_int_equal(weir_diag_log_count(inner), WEIR_DIAG_LIMIT + 5);
    assert_int_equal(weir_diag_errors(), 1);
    weir_note("hint");
    weir_diag_release(outer);
    assert_int_equal(weir_diag_errors(), 1);
    assert_string_equal(text.data, "2 -:0 first\n");
    assert_string_equal(weir_diag_log_error(outer), "second");
    assert_int_equal(weir_diag_log_at(outer, 1)->location.line, 7);
    weir_diag_replay(outer);
    assert_int_equal(weir_diag_errors(), 2);
    assert_string_equal(text.data, "2 -:0 first\n1 -:0 odd\n2 a.onnx:7 second\n0 -:0 hint\n");
    weir_diag_log_free(outer);
    weir_diag_log_free(inner);
    weir_diag_log_free(NULL);
    weir_diag_set_handler(NULL, NULL);
    weir_text_free(&text);
}

static void texts_are_new_once(void **state) {
    (void)state;
    weir_once once = {0};
    char text[] = "a";
    assert_true(weir_once_add(&once, text));
    *text = 'b';
    assert_true(weir_once_add(&once, text));
    assert_false(weir_once_add(&once, "a"));
    assert_false(weir_once_add(&once, "b"));
    weir_once_free(&once);
    assert_true(weir_once_add(&once, "a"));
    weir_once_free(&once);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_aligned_zeroed_memory),
        cmocka_unit_test(grow_keeps_the_content),
        cmocka_unit_test(equal_strings_are_one_pointer),
        cmocka_unit_test(doubles_are_shortest_and_read_back),
        cmocka_unit_test(numbers_ignore_the_locale),
        cmocka_unit_test(quoted_text_escapes_what_it_must),
        cmocka_unit_test(hashes_match_the_published_vectors),
        cmocka_unit_test(suggestions_are_near_or_absent),
        cmocka_unit_test(diagnostics_reach_the_handler_and_are_counted),
        cmocka_unit_test(texts_are_new_once),
        cmocka_unit_test(captured_diagnostics_wait_for_their_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
