/* Lookup tables of memories in logic, against functions whose tables are counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dataflow/cost/contents_tables.h"

/* Whether an odd number of the lowest `bits` of the line's number are 1. */
static uint64_t parity(int bits) {
    uint64_t word = 0;
    for (int i = 0; i < WEIR_CONTENTS_WORD; i++)
        word |= (uint64_t)(__builtin_popcount((unsigned)i & ((1U << bits) - 1)) % 2) << i;
    return word;
}

static void check(const uint64_t *word, size_t columns, int64_t lines, int64_t inputs, int64_t leaves,
                  int64_t choices) {
    const weir_contents_tables tables = weir_contents_tables_count(word, columns, lines, inputs);
    assert_int_equal(tables.leaves, leaves);
    assert_int_equal(tables.choices, choices);
}

/* A constant, a bit of the address, a function of as many bits as a table has inputs and of one more. */
static void one_column(void **state) {
    (void)state;
    check(&(uint64_t){0}, 1, 64, 4, 0, 0);
    check(&(uint64_t){UINT64_MAX}, 1, 64, 4, 0, 0);
    check(&(uint64_t){UINT64_C(0xffffffff00000000)}, 1, 64, 4, 0, 0);
    check(&(uint64_t){parity(4)}, 1, 64, 4, 1, 0);
    check(&(uint64_t){parity(4) & UINT64_C(0xffffffff00000000)}, 1, 64, 4, 1, 1);
    check(&(uint64_t){parity(6)}, 1, 64, 6, 1, 0);
    /* Both halves, and their halves, are one function or its inverse. */
    check(&(uint64_t){parity(6)}, 1, 64, 4, 1, 2);
}

/* Of so many lines bits of the address choose nothing: line 17 of 20 is known by the bits 4, 1 and 0. */
static void odd_lines(void **state) {
    (void)state;
    check(&(uint64_t){UINT64_C(1) << 17}, 1, 20, 4, 1, 0);
    check(&(uint64_t){UINT64_C(1) << 17}, 1, 32, 4, 1, 1); /* of 32 lines the bits 3 and 2 as well */
    check((uint64_t[]){parity(6), 1}, 1, 65, 6, 1, 1);     /* line 64 is a word of its own, and all of that is one */
}

/* What two columns have in common is built once; a column that is inside of another one, too. */
static void shared(void **state) {
    (void)state;
    check((uint64_t[]){parity(6), parity(5)}, 2, 64, 4, 1, 2);
    check((uint64_t[]){parity(6), parity(6)}, 2, 64, 4, 1, 2);
    check((uint64_t[]){parity(6), ~parity(6)}, 2, 64, 4, 2, 2); /* each has a register */
    /* Four different leaves each; the second column has two of the first's, and one choice among them. */
    const uint64_t a = UINT64_C(0x0116), b = UINT64_C(0x6880), c = UINT64_C(0x1ee1), d = UINT64_C(0x7fff);
    const uint64_t first = a | b << 16 | c << 32 | d << 48, second = a | b << 16 | d << 32 | c << 48;
    check(&first, 1, 64, 4, 4, 3);
    check((uint64_t[]){first, second}, 2, 64, 4, 4, 5);
}

/* Of several words: two at a time, or four where a table has six inputs. */
static void words(void **state) {
    (void)state;
    check((uint64_t[]){parity(6), ~parity(6)}, 1, 128, 4, 1, 3);
    check((uint64_t[]){parity(6), parity(6)}, 1, 128, 4, 1, 2);
    const uint64_t word[] = {parity(6), parity(5), parity(4) ^ UINT64_C(2), UINT64_C(0x8000000000000000)};
    check(word, 1, 256, 6, 4, 1);
    check(word, 1, 192, 6, 3, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_column), cmocka_unit_test(odd_lines),
                                       cmocka_unit_test(shared), cmocka_unit_test(words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
