/* Content hashes (FNV-1a, 128 bit): names for cache entries and equality keys; not cryptographic. */
#ifndef WEIR_HASH_H
#define WEIR_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct weir_hash {
    uint64_t high, low;
} weir_hash;

weir_hash weir_hash_start(void);
void weir_hash_add(weir_hash *hash, const void *data, size_t size);
/* Adds the text and its terminating zero, so that neighbours cannot run together. */
void weir_hash_add_string(weir_hash *hash, const char *text);
/* 32 hexadecimal digits and a zero. */
void weir_hash_print(const weir_hash *hash, char text[33]);

#endif
