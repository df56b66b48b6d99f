/* Open addressing with linear probing over indices of the entries, at most three quarters full; a removed slot is
 * filled by later ones that are displaced from their first slot. */
#include "support/memory/map.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

void weir_map_free(weir_map *map) {
    free(map->slot);
    free(map->entry);
    free(map->removed);
    *map = (weir_map){.slot = NULL};
}

/* Slots that few entries left are given back: emptying them would cost more than the entries did. */
void weir_map_clear(weir_map *map) {
    if (map->entries * 8 < map->slots) {
        weir_map_free(map);
        return;
    }
    if (map->entries > 0) memset(map->slot, 0, map->slots * sizeof *map->slot);
    if (map->removed != NULL) memset(map->removed, 0, map->entries * sizeof *map->removed);
    map->entries = map->count = 0;
}

static void *copy_of(const void *data, size_t capacity, size_t count, size_t size) {
    if (capacity == 0 || data == NULL) return NULL;
    void *copy = weir_calloc(capacity, size);
    memcpy(copy, data, count * size);
    return copy;
}

weir_map weir_map_copy(const weir_map *map) {
    weir_map copy = *map;
    copy.slot = copy_of(map->slot, map->slots, map->slots, sizeof *map->slot);
    copy.entry = copy_of(map->entry, map->entry_capacity, map->entries, sizeof *map->entry);
    copy.removed = copy_of(map->removed, map->entry_capacity, map->entries, sizeof *map->removed);
    return copy;
}

/* The slot of the entry that `is` means, else the free one where it belongs. With a NULL `is`, the key is `*user`. */
static inline size_t find_slot(const weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    const size_t mask = map->slots - 1;
    assert(map->slots > map->count && (map->slots & mask) == 0); /* or the search does not end */
    size_t at = hash & mask;
    for (; map->slot[at].entry != 0; at = (at + 1) & mask) {
        if (map->slot[at].hash != hash) continue;
        const weir_map_entry *entry = &map->entry[map->slot[at].entry - 1];
        if (is == NULL ? entry->key == *(const uint64_t *)user : is(user, entry->key, entry->value)) break;
    }
    return at;
}

/* Drops the entries that were removed; slots follow. */
static void compact(weir_map *map) {
    assert(map->count <= map->entries);
    uint32_t *moved = weir_calloc(map->entries + 1, sizeof *moved); /* index + 1 to index + 1 */
    size_t kept = 0;
    for (size_t i = 0; i < map->entries; i++) {
        if (map->removed[i]) continue;
        map->entry[kept++] = map->entry[i];
        moved[i + 1] = (uint32_t)kept;
    }
    assert(kept == map->count);
    for (size_t i = 0; i < map->slots; i++) map->slot[i].entry = moved[map->slot[i].entry];
    memset(map->removed, 0, map->entries * sizeof *map->removed);
    map->entries = kept;
    free(moved);
}

static void grow_slots(weir_map *map) {
    assert((map->slots & (map->slots - 1)) == 0);
    const weir_map_slot *old = map->slot;
    const size_t old_slots = map->slots, slots = old_slots == 0 ? 16 : old_slots * 2;
    weir_map_slot *slot = weir_calloc(slots, sizeof *slot);
    for (size_t i = 0; i < old_slots; i++) {
        if (old[i].entry == 0) continue;
        size_t at = old[i].hash & (slots - 1);
        while (slot[at].entry != 0) at = (at + 1) & (slots - 1);
        slot[at] = old[i];
    }
    free(map->slot);
    map->slot = slot;
    map->slots = slots;
}

/* Room for one more in slots and entries. */
static bool make_room(weir_map *map) {
    if (map->entries > 2 * map->count + 16) compact(map);
    if (map->entries == map->entry_capacity) {
        const size_t before = map->entry_capacity;
        map->entry = weir_grow(map->entry, &map->entry_capacity, map->entries + 1, sizeof *map->entry);
        assert(map->entry_capacity <= UINT32_MAX);
        if (map->removed != NULL) {
            map->removed = weir_realloc(map->removed, map->entry_capacity * sizeof *map->removed);
            memset(map->removed + before, 0, (map->entry_capacity - before) * sizeof *map->removed);
        }
    }
    if ((map->count + 1) * 4 <= map->slots * 3) return false;
    grow_slots(map);
    return true;
}

static inline weir_map_entry *find(const weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    if (map->count == 0) return NULL;
    const weir_map_slot *slot = &map->slot[find_slot(map, hash, is, user)];
    return slot->entry == 0 ? NULL : &map->entry[slot->entry - 1];
}

static inline weir_map_entry *put(weir_map *map, uint32_t hash, weir_map_is *is, const void *user, bool *is_new) {
    size_t at = 0;
    *is_new = false;
    if (map->slots > 0) {
        at = find_slot(map, hash, is, user);
        if (map->slot[at].entry != 0) return &map->entry[map->slot[at].entry - 1];
    }
    if (make_room(map)) at = find_slot(map, hash, is, user);
    map->entry[map->entries] = (weir_map_entry){0, 0};
    map->slot[at] = (weir_map_slot){hash, (uint32_t)++map->entries};
    map->count++;
    *is_new = true;
    return &map->entry[map->entries - 1];
}

static bool take(weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    assert((map->slots & (map->slots - 1)) == 0);
    if (map->count == 0) return false;
    const size_t mask = map->slots - 1;
    size_t hole = find_slot(map, hash, is, user);
    if (map->slot[hole].entry == 0) return false;
    if (map->removed == NULL) map->removed = weir_calloc(map->entry_capacity, sizeof *map->removed);
    map->removed[map->slot[hole].entry - 1] = true;
    map->count--;
    for (size_t at = (hole + 1) & mask; map->slot[at].entry != 0; at = (at + 1) & mask) {
        const size_t home = map->slot[at].hash & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        map->slot[hole] = map->slot[at];
        hole = at;
    }
    map->slot[hole].entry = 0;
    return true;
}

uint64_t *weir_map_find(const weir_map *map, uint64_t key) {
    weir_map_entry *entry = find(map, weir_map_hash(key), NULL, &key);
    return entry == NULL ? NULL : &entry->value;
}

uint64_t *weir_map_put(weir_map *map, uint64_t key) {
    bool is_new;
    weir_map_entry *entry = put(map, weir_map_hash(key), NULL, &key, &is_new);
    entry->key = key;
    return &entry->value;
}

bool weir_map_remove(weir_map *map, uint64_t key) { return take(map, weir_map_hash(key), NULL, &key); }

weir_map_entry *weir_map_find_as(const weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    return find(map, hash, is, user);
}

weir_map_entry *weir_map_put_as(weir_map *map, uint32_t hash, weir_map_is *is, const void *user, bool *is_new) {
    return put(map, hash, is, user, is_new);
}

bool weir_map_remove_as(weir_map *map, uint32_t hash, weir_map_is *is, const void *user) {
    return take(map, hash, is, user);
}

const weir_map_entry *weir_map_next(const weir_map *map, const weir_map_entry *entry) {
    assert(entry == NULL || (entry >= map->entry && entry < map->entry + map->entries));
    size_t i = entry == NULL ? 0 : (size_t)(entry - map->entry) + 1;
    while (i < map->entries && map->removed != NULL && map->removed[i]) i++;
    return i < map->entries ? &map->entry[i] : NULL;
}
