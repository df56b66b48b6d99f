/* String interning: a map from the hash of a text to its one copy in the arena. Strings are never removed. */
#include "support/memory/intern.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/memory/map.h"

struct weir_strings {
    weir_arena *arena;
    weir_map map; /* from the copy's address to its length */
};

typedef struct wanted {
    const char *text;
    size_t length;
} wanted;

static bool is_text(const void *user, uint64_t key, uint64_t length) {
    const wanted *w = user;
    return length == w->length && memcmp((const char *)(uintptr_t)key, w->text, w->length) == 0;
}

weir_strings *weir_strings_new(weir_arena *arena) {
    weir_strings *strings = weir_calloc(1, sizeof *strings);
    strings->arena = arena;
    return strings;
}

const char *weir_strings_intern_n(weir_strings *strings, const char *text, size_t length) {
    assert(text != NULL || length == 0);
    const uint32_t hash = weir_map_hash_text(text, length);
    const wanted w = {text, length};
    bool is_new;
    weir_map_entry *entry = weir_map_put_as(&strings->map, hash, is_text, &w, &is_new);
    if (is_new) {
        char *copy = weir_arena_alloc(strings->arena, length + 1);
        memcpy(copy, text, length);
        *entry = (weir_map_entry){(uintptr_t)copy, length};
    }
    return (const char *)(uintptr_t)entry->key;
}

const char *weir_strings_intern(weir_strings *strings, const char *text) {
    return weir_strings_intern_n(strings, text, strlen(text));
}

void weir_strings_free(weir_strings *strings) {
    if (strings) {
        weir_map_free(&strings->map);
        free(strings);
    }
}
