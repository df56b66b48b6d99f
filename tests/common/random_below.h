/* Random numbers of a test with one sequence a seed: a linear congruential generator (Knuth's MMIX). */
#ifndef WEIR_TEST_RANDOM_BELOW_H
#define WEIR_TEST_RANDOM_BELOW_H

#include <stdint.h>

static uint64_t random_state; /* the seed at first */

static inline uint32_t below(uint32_t limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

#endif
