/* Content hashes (FNV-1a, 128 bit): names for cache entries and equality keys; and mixing for keys of 64 bits. Not
 * cryptographic. */
#ifndef WEIR_HASH_H
#define WEIR_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_hash {
    uint64_t high, low;
} weir_hash;

weir_hash weir_hash_start(void);
void weir_hash_add(weir_hash *hash, const void *data, size_t size);
/* Adds the text and its terminating zero, so that adjacent texts cannot be confused. */
void weir_hash_add_string(weir_hash *hash, const char *text);
/* Adds a number in one step, eight times as fast as its bytes (which give another hash): the mixing of MurmurHash3 with
 * 128 bits (A. Appleby), the number going into both halves. The same on every machine. */
static inline void weir_hash_add_number(weir_hash *hash, uint64_t number) {
    const uint64_t a = number * UINT64_C(0x87c37b91114253d5), b = number * UINT64_C(0x4cf5ad432745937f);
    hash->high ^= (a << 31 | a >> 33) * UINT64_C(0x4cf5ad432745937f);
    hash->high = ((hash->high << 27 | hash->high >> 37) + hash->low) * 5 + 0x52dce729;
    hash->low ^= (b << 33 | b >> 31) * UINT64_C(0x87c37b91114253d5);
    hash->low = ((hash->low << 31 | hash->low >> 33) + hash->high) * 5 + 0x38495ab5;
}
static inline void weir_hash_add_hash(weir_hash *hash, weir_hash other) {
    weir_hash_add_number(hash, other.high);
    weir_hash_add_number(hash, other.low);
}
static inline bool weir_hash_equal(weir_hash a, weir_hash b) { return a.high == b.high && a.low == b.low; }
/* A key of 64 bits and one number more: a multiplication by the golden ratio, and its high bits into the low ones. */
static inline uint64_t weir_hash_mix(uint64_t key, uint64_t number) {
    key = (key ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}
/* The same of a text and its end; NULL is the empty one. */
static inline uint64_t weir_hash_mix_text(uint64_t key, const char *text) {
    for (; text != NULL && *text != '\0'; text++) key = weir_hash_mix(key, (uint64_t)*text);
    return weir_hash_mix(key, 0);
}
/* 32 hexadecimal digits and a zero. */
void weir_hash_print(const weir_hash *hash, char text[33]);

#endif
