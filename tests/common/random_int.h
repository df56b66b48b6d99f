/* Random numbers of tests in C: xorshift64*, the same sequence everywhere. */
#ifndef WEIR_TEST_RANDOM_INT_H
#define WEIR_TEST_RANDOM_INT_H

#include <stdint.h>

static inline uint64_t random_bits(void) {
    static uint64_t seed = 0x853c49e6748fea9bu;
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 0x2545f4914f6cdd1du;
}

/* Uniform in [low, high]. */
static inline int64_t random_int(int64_t low, int64_t high) {
    return low + (int64_t)(random_bits() % ((uint64_t)(high - low) + 1));
}

#endif
