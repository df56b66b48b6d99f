/* Parameter memories over the wire, against a board of the tests' own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "support/memory/random.h"
#include "wire/memory.h"
#include "wire_bench.h"

static const fake_wire_settings good = GOOD_WIRE(9, 9);

static void fill(uint64_t *random, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(weir_random_next(random) >> 20);
}

enum { WORDS = 700, WORD_BYTES = 5 };

static void memories_are_read_and_written(void **state) {
    (void)state;
    uint8_t stored[WORDS * WORD_BYTES], found[sizeof stored], next[sizeof stored];
    fake_wire_settings settings = good;
    settings.board.memory = stored;
    settings.board.memory_words = WORDS;
    settings.board.memory_bits = 8 * WORD_BYTES;
    settings.board.memory_number = 3;
    settings.board.loadable = true;
    settings.rate = 1e-4;
    settings.seed = 5;
    uint64_t random = 1;
    bench it = open_bench(&settings);
    weir_failure why;
    weir_wire_identity identity;
    const weir_wire_memory memory = {3, WORDS, WORD_BYTES};
    fill(&random, stored, sizeof stored);
    fill(&random, next, sizeof next);
    check_fine(weir_wire_read_memory(it.wire, &memory, found, 10 * SECOND, &why), &why);
    assert_memory_equal(found, stored, sizeof stored);
    uint8_t before[sizeof stored];
    memcpy(before, stored, sizeof stored);
    check_fine(weir_wire_write_memory(it.wire, &memory, next, found, 10 * SECOND, &why), &why);
    assert_memory_equal(found, before, sizeof before);
    assert_memory_equal(stored, next, sizeof next);
    check_fine(weir_wire_write_memory(it.wire, &memory, before, NULL, 10 * SECOND, &why), &why);
    assert_memory_equal(stored, before, sizeof before);
    check_fine(weir_wire_set_model(it.wire, 0x12345678, &why), &why);
    check_fine(weir_wire_identify(it.wire, &identity, &why), &why);
    assert_int_equal(identity.model, 0x12345678);
    assert_int_equal(identity.features, WEIR_FEATURE_READ_BACK | WEIR_FEATURE_LOADABLE);
    /* It is smaller than the host thinks; it is another one. */
    const weir_wire_memory longer = {3, WORDS, WORD_BYTES + 1}, other = {2, WORDS, WORD_BYTES};
    assert_int_equal(weir_wire_read_memory(it.wire, &longer, NULL, SECOND, &why), WEIR_WIRE_TIMEOUT);
    assert_int_equal(weir_wire_read_memory(it.wire, &other, NULL, SECOND, &why), WEIR_WIRE_TIMEOUT);
    check_fine(weir_wire_read_memory(it.wire, &memory, found, 10 * SECOND, &why), &why);
    assert_memory_equal(found, before, sizeof before);
    close_bench(&it);
}

static void memories_that_are_not_there_are_told(void **state) {
    (void)state;
    uint8_t stored[12] = {1}, content[12];
    const weir_wire_memory memory = {3, 4, 3};
    const weir_wire_memory wrong[] = {{2048, 4, 3}, {3, 0, 3}, {3, 524289, 3}, {3, 4, 0}, {3, 524288, SIZE_MAX / 2}};
    fake_wire_settings settings = good;
    weir_failure why;
    bench it = open_bench(&settings);
    assert_int_equal(weir_wire_read_memory(it.wire, &memory, content, SECOND, &why), WEIR_WIRE_ABSENT);
    assert_string_equal(why.text, "the board was built without read-back");
    assert_int_equal(weir_wire_set_model(it.wire, 1, &why), WEIR_WIRE_ABSENT);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(weir_wire_read_memory(it.wire, &wrong[i], content, SECOND, &why), WEIR_WIRE_ARGUMENT);
    close_bench(&it);
    settings.board.memory = stored;
    settings.board.memory_words = 4;
    settings.board.memory_bits = 24;
    settings.board.memory_number = 3;
    it = open_bench(&settings);
    check_fine(weir_wire_read_memory(it.wire, &memory, content, SECOND, &why), &why);
    assert_memory_equal(content, stored, sizeof stored);
    assert_int_equal(weir_wire_write_memory(it.wire, &memory, content, NULL, SECOND, &why), WEIR_WIRE_ABSENT);
    assert_string_equal(why.text, "the board was built without loadable memories");
    close_bench(&it);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memories_are_read_and_written),
        cmocka_unit_test(memories_that_are_not_there_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
