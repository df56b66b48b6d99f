/* A deterministic, bounded stand-in for libFuzzer: for each seed model every truncation, then random byte flips, then
 * field-aware changes. usage: run_mutations SEED ROUNDS MODEL.onnx...; fails when an unchanged model is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_onnx.h"
#include "mutate_onnx.h"
#include "support/file/file.h"
#include "support/memory/random.h"

enum { CAPACITY = 1 << 16 };

static size_t flip(uint8_t *data, size_t size, uint64_t *state) {
    for (uint64_t flips = 1 + weir_random_next(state) % 4; flips > 0; flips--) {
        const uint64_t bit = weir_random_next(state) % 8;
        data[weir_random_next(state) % size] ^= (uint8_t)(1u << bit);
    }
    return size;
}

static int run_model(const char *path, uint64_t rounds, uint64_t *state) {
    static uint8_t work[CAPACITY];
    size_t size, accepted[2] = {0, 0};
    char *model = weir_file_read(path, &size);
    if (model == NULL || size == 0 || size > CAPACITY) return 1;
    int refused = !try_block((const uint8_t *)model, size);
    for (size_t length = 0; length < size; length++) try_block((const uint8_t *)model, length);
    for (uint64_t round = 0; round < 2 * rounds; round++) {
        memcpy(work, model, size);
        size_t now = round < rounds ? flip(work, size, state) : weir_mutate_onnx(work, size, CAPACITY, state);
        for (int more = 0; round >= rounds && more < 2 && now > 0 && round % 2 == 0; more++)
            now = weir_mutate_onnx(work, now, CAPACITY, state);
        accepted[round >= rounds] += (size_t)try_block(work, now);
    }
    printf("%s: %s; accepted %zu of %llu flipped, %zu of %llu changed by field\n", weir_path_name(path),
           refused ? "refused" : "accepted", accepted[0], (unsigned long long)rounds, accepted[1],
           (unsigned long long)rounds);
    free(model);
    return refused;
}

int main(int count, char **argument) {
    if (count < 4) return 2;
    uint64_t state = strtoull(argument[1], NULL, 10), rounds = strtoull(argument[2], NULL, 10);
    int failed = 0;
    printf("seed %s\n", argument[1]);
    for (int i = 3; i < count; i++) failed |= run_model(argument[i], rounds, &state);
    return failed;
}
