/* Base64: the vectors of RFC 4648, section 10, every length there and back, damaged texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/text_pair.h"
#include "support/text/base64.h"

static void vectors(void **state) {
    (void)state;
    static const text_pair pairs[] = {{"f", "Zg==\n"},        {"fo", "Zm8=\n"},        {"foo", "Zm9v\n"},
                                      {"foob", "Zm9vYg==\n"}, {"fooba", "Zm9vYmE=\n"}, {"foobar", "Zm9vYmFy\n"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        weir_text text = {0}, data = {0};
        weir_base64_encode(pairs[i].text, strlen(pairs[i].text), &text);
        assert_string_equal(text.data, pairs[i].expected);
        assert_true(weir_base64_decode(text.data, &data));
        assert_string_equal(data.data, pairs[i].text);
        weir_text_free(&text);
        weir_text_free(&data);
    }
}

static void every_length_comes_back(void **state) {
    (void)state;
    unsigned char bytes[400];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(i * 197 + 41);
    }
    for (size_t size = 0; size < sizeof bytes; size++) {
        weir_text text = {0}, data = {0};
        weir_text_add(&text, "");
        weir_base64_encode(bytes, size, &text);
        for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1) {
            assert_true(strcspn(line, "\n") <= 100);
        }
        assert_true(weir_base64_decode(text.data, &data));
        assert_int_equal(data.size, size);
        assert_true(size == 0 || memcmp(data.data, bytes, size) == 0);
        weir_text_free(&text);
        weir_text_free(&data);
    }
}

static void damaged_texts_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "Zg=", "Zg", "Z", "Zm9v!", "Zm9vYg==Zg==", "=Zg=", "Z===", "Zm9v=", "Zm=v", "Zh==", "Zm9=", "Zm9\xc3\xa9"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        weir_text data = {0};
        assert_false(weir_base64_decode(bad[i], &data));
        weir_text_free(&data);
    }
    weir_text data = {0};
    assert_true(weir_base64_decode(" Zm9v\r\n\tYg = = \n", &data));
    assert_string_equal(data.data, "foob");
    weir_text_free(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors), cmocka_unit_test(every_length_comes_back),
                                       cmocka_unit_test(damaged_texts_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
