/* libFuzzer's entry points. Under libFuzzer the target must return 0; the mutation driver is built with
 * WEIR_FUZZ_ACCEPTED=1 to learn which inputs made a graph. */
#ifndef WEIR_FUZZ_ONNX_H
#define WEIR_FUZZ_ONNX_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef WEIR_FUZZ_ACCEPTED
#define WEIR_FUZZ_ACCEPTED 0
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

/* One call of it with a block of exactly that size, so that a sanitizer sees every overrun: what it gave. */
static inline int try_block(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    if (copy == NULL) exit(1);
    memcpy(copy, data, size);
    const int accepted = LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return accepted;
}

#endif
