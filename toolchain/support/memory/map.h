/* The hash map: from a number that stands for the key to a value of 64 bits. Keys that are more than a number (names in
 * a scope, expressions) come as a hash of the caller's with a function that says whether an entry is meant. What is put
 * in stays in the order in which it was first put there, which is the order of the walk: nothing depends on addresses
 * or hashes. Lookup, put and remove: O(1) on average; clearing: O(entries). 8 bytes a slot and 16 an entry. */
#ifndef WEIR_MAP_H
#define WEIR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weir_map_entry {
    uint64_t key, value;
} weir_map_entry;

typedef struct weir_map_slot {
    uint32_t hash, entry; /* index + 1; 0: free */
} weir_map_slot;

/* All zero is the empty map; heap memory. */
typedef struct weir_map {
    weir_map_slot *slot;
    weir_map_entry *entry;
    bool *removed;  /* by entry; NULL before the first removal */
    size_t slots;   /* a power of two, or 0 */
    size_t entries; /* removed ones included */
    size_t entry_capacity, count;
} weir_map;

/* Is the entry with this key and value the one that is looked for? Called where hashes are equal. */
typedef bool weir_map_is(const void *user, uint64_t key, uint64_t value);

void weir_map_free(weir_map *map);
/* Empties it; memory that it has used well it keeps. */
void weir_map_clear(weir_map *map);
/* A copy with its own memory. */
weir_map weir_map_copy(const weir_map *map);

/* --- numbers as keys --- */

/* Where the key's value is stored, NULL: not there; valid until the next put. */
uint64_t *weir_map_find(const weir_map *map, uint64_t key);
/* The same; a new one is 0. */
uint64_t *weir_map_put(weir_map *map, uint64_t key);
bool weir_map_remove(weir_map *map, uint64_t key);
/* The value of the key; `otherwise` when there is none. */
static inline uint64_t weir_map_get(const weir_map *map, uint64_t key, uint64_t otherwise) {
    const uint64_t *value = weir_map_find(map, key);
    return value == NULL ? otherwise : *value;
}

/* --- keys of the caller's --- */

/* The entry that `is` means, NULL: none; valid until the next put. */
weir_map_entry *weir_map_find_as(const weir_map *map, uint32_t hash, weir_map_is *is, const void *user);
/* The same, else a new one with key and value 0, which the caller fills before anything else is asked; `is_new` says
 * so. */
weir_map_entry *weir_map_put_as(weir_map *map, uint32_t hash, weir_map_is *is, const void *user, bool *is_new);
bool weir_map_remove_as(weir_map *map, uint32_t hash, weir_map_is *is, const void *user);

/* Of numbers: all bits of the result depend on all of the key (the finalizer of MurmurHash3, A. Appleby, in part). */
static inline uint32_t weir_map_hash(uint64_t key) {
    key = (key ^ key >> 32) * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(key >> 32 ^ key >> 12);
}

/* Of text: FNV-1a with 64 bits, folded. */
static inline uint32_t weir_map_hash_text(const char *text, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(hash ^ hash >> 32);
}

/* In the order of the first put: for (const weir_map_entry *e = weir_map_first(map); e != NULL; e = weir_map_next(map,
 * e)). Nothing may be put before it ends. */
const weir_map_entry *weir_map_next(const weir_map *map, const weir_map_entry *entry);
static inline const weir_map_entry *weir_map_first(const weir_map *map) { return weir_map_next(map, NULL); }

#endif
