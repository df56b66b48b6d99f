/* Rows of tables of tests: a text, and what must come of it, another text or a message. */
#ifndef WEIR_TEST_TEXT_PAIR_H
#define WEIR_TEST_TEXT_PAIR_H

typedef struct text_pair {
    const char *text, *expected;
} text_pair;

#endif
