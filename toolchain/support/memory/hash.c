/* FNV-1a with 128 bits: hash = (hash ^ byte) * (2^88 + 0x13b), modulo 2^128 (draft-eastlake-fnv, section 5). The
 * product is built from 32-bit halves; about one byte a nanosecond. */
#include "support/memory/hash.h"

#include <string.h>

weir_hash weir_hash_start(void) { return (weir_hash){UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d)}; }

void weir_hash_add(weir_hash *hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    uint64_t high = hash->high, low = hash->low;
    for (size_t i = 0; i < size; i++) {
        low ^= bytes[i];
        uint64_t bottom = (low & UINT32_MAX) * 0x13b;
        uint64_t top = (low >> 32) * 0x13b + (bottom >> 32);
        high = high * 0x13b + (top >> 32) + (low << 24);
        low = top << 32 | (bottom & UINT32_MAX);
    }
    hash->high = high;
    hash->low = low;
}

void weir_hash_add_string(weir_hash *hash, const char *text) { weir_hash_add(hash, text, strlen(text) + 1); }

void weir_hash_print(const weir_hash *hash, char text[33]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) {
        uint64_t half = i < 16 ? hash->high : hash->low;
        text[i] = digits[half >> (60 - 4 * (i % 16)) & 15];
    }
    text[32] = 0;
}
