/* Open addressing with linear probing over indices of the entries, at most half full; a removed slot is filled by those
 * behind it that belong nearer to their home. */
#include "support/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"

void weir_map_free(weir_map *map) {
    free(map->slot);
    free(map->entry);
    *map = (weir_map){.slot = NULL};
}

void weir_map_clear(weir_map *map) {
    map->entries = map->count = 0;
    if (++map->round == 0 && map->slots > 0) memset(map->slot, 0, map->slots * sizeof *map->slot);
}

weir_map weir_map_copy(const weir_map *map) {
    weir_map copy = *map;
    if (map->slots > 0) {
        copy.slot = weir_malloc(map->slots * sizeof *copy.slot);
        memcpy(copy.slot, map->slot, map->slots * sizeof *copy.slot);
    }
    if (map->entry_capacity > 0) {
        copy.entry = weir_calloc(map->entry_capacity, sizeof *copy.entry);
        if (map->entries > 0) memcpy(copy.entry, map->entry, map->entries * sizeof *copy.entry);
    }
    return copy;
}

static bool is_taken(const weir_map *map, size_t at) {
    return map->slot[at].entry != 0 && map->slot[at].round == map->round;
}

/* The slot of the entry that `is` means, else the free one where it belongs. With a NULL `is`, the key is `*user`. */
static inline size_t find_slot(const weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    const size_t mask = map->slots - 1;
    size_t at = hash & mask;
    for (; is_taken(map, at); at = (at + 1) & mask) {
        if (map->slot[at].hash != hash) continue;
        const weir_map_entry *entry = &map->entry[map->slot[at].entry - 1];
        if (is == NULL ? entry->key == *(const uint64_t *)user : is(user, entry->key, entry->value)) break;
    }
    return at;
}

/* Twice the slots, unless dropping what was removed makes room enough. */
static void grow(weir_map *map) {
    size_t kept = 0;
    for (size_t i = 0; i < map->entries; i++) {
        if (!map->entry[i].removed) map->entry[kept++] = map->entry[i];
    }
    assert(kept == map->count);
    map->entries = kept;
    if (map->slots == 0 || kept * 2 >= map->slots) map->slots = map->slots == 0 ? 64 : map->slots * 2;
    free(map->slot);
    map->slot = weir_calloc(map->slots, sizeof *map->slot);
    for (size_t i = 0; i < kept; i++) {
        size_t at = map->entry[i].hash & (map->slots - 1);
        while (map->slot[at].entry != 0) at = (at + 1) & (map->slots - 1);
        map->slot[at] = (weir_map_slot){map->entry[i].hash, (uint32_t)i + 1, map->round};
    }
}

static weir_map_entry *entry_of(const weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    if (map->count == 0) return NULL;
    const size_t at = find_slot(map, hash, is, user);
    return is_taken(map, at) ? &map->entry[map->slot[at].entry - 1] : NULL;
}

static uint64_t *find(const weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    weir_map_entry *entry = entry_of(map, hash, is, user);
    return entry == NULL ? NULL : &entry->value;
}

static uint64_t *put(weir_map *map, uint32_t hash, weir_map_is *is, const void *user, uint64_t key) {
    if (map->slots > 0) {
        const size_t at = find_slot(map, hash, is, user);
        if (is_taken(map, at)) return &map->entry[map->slot[at].entry - 1].value;
    }
    if ((map->entries + 1) * 2 > map->slots) grow(map);
    const size_t at = find_slot(map, hash, is, user);
    assert(map->entries < UINT32_MAX);
    map->entry = weir_grow(map->entry, &map->entry_capacity, map->entries + 1, sizeof *map->entry);
    map->entry[map->entries] = (weir_map_entry){.key = key, .hash = hash};
    map->slot[at] = (weir_map_slot){hash, (uint32_t)++map->entries, map->round};
    map->count++;
    return &map->entry[map->entries - 1].value;
}

static bool take(weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    if (map->count == 0) return false;
    const size_t mask = map->slots - 1;
    size_t hole = find_slot(map, hash, is, user);
    if (!is_taken(map, hole)) return false;
    map->entry[map->slot[hole].entry - 1].removed = true;
    map->count--;
    for (size_t at = (hole + 1) & mask; is_taken(map, at); at = (at + 1) & mask) {
        const size_t home = map->slot[at].hash & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        map->slot[hole] = map->slot[at];
        hole = at;
    }
    map->slot[hole].entry = 0;
    return true;
}

uint64_t *weir_map_find(const weir_map *map, uint64_t key) { return find(map, weir_map_hash(key), NULL, &key); }

uint64_t *weir_map_put(weir_map *map, uint64_t key) { return put(map, weir_map_hash(key), NULL, &key, key); }

bool weir_map_remove(weir_map *map, uint64_t key) { return take(map, weir_map_hash(key), NULL, &key); }

const weir_map_entry *weir_map_entry_as(const weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    return entry_of(map, hash, is, user);
}

uint64_t *weir_map_find_as(const weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    return find(map, hash, is, user);
}

uint64_t *weir_map_put_as(weir_map *map, uint32_t hash, weir_map_is *is, const void *user, uint64_t key) {
    return put(map, hash, is, user, key);
}

bool weir_map_remove_as(weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    return take(map, hash, is, user);
}

const weir_map_entry *weir_map_next(const weir_map *map, const weir_map_entry *entry) {
    size_t i = entry == NULL ? 0 : (size_t)(entry - map->entry) + 1;
    while (i < map->entries && map->entry[i].removed) i++;
    return i < map->entries ? &map->entry[i] : NULL;
}
