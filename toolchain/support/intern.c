/* String interning: an open-addressing table of pointers into the arena, at most two thirds full. Strings are never
 * removed. The hash decides only where a string stands; nothing iterates over the table. */
#include "support/intern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"

typedef struct slot {
    const char *text; /* NULL: empty */
    size_t length;
    uint64_t hash;
} slot;

struct weir_strings {
    weir_arena *arena;
    slot *slots;
    size_t size; /* a power of two */
    size_t used;
};

static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return hash ^ hash >> 32;
}

/* The slot that holds the text, or the empty one where it belongs. */
static slot *find(slot *slots, size_t size, const char *text, size_t length, uint64_t hash) {
    size_t i = (size_t)hash & (size - 1);
    while (slots[i].text &&
           (slots[i].hash != hash || slots[i].length != length || memcmp(slots[i].text, text, length) != 0)) {
        i = (i + 1) & (size - 1);
    }
    return &slots[i];
}

static void double_table(weir_strings *strings) {
    size_t size = strings->size * 2;
    slot *slots = weir_calloc(size, sizeof *slots);
    for (size_t i = 0; i < strings->size; i++) {
        const slot *old = &strings->slots[i];
        if (old->text) {
            *find(slots, size, old->text, old->length, old->hash) = *old;
        }
    }
    free(strings->slots);
    strings->slots = slots;
    strings->size = size;
}

weir_strings *weir_strings_new(weir_arena *arena) {
    weir_strings *strings = weir_calloc(1, sizeof *strings);
    strings->arena = arena;
    strings->size = 64;
    strings->slots = weir_calloc(strings->size, sizeof *strings->slots);
    return strings;
}

const char *weir_strings_intern_n(weir_strings *strings, const char *text, size_t length) {
    uint64_t hash = hash_of(text, length);
    slot *found = find(strings->slots, strings->size, text, length, hash);
    if (found->text) {
        return found->text;
    }
    char *copy = weir_arena_alloc(strings->arena, length + 1);
    memcpy(copy, text, length);
    found->text = copy;
    found->length = length;
    found->hash = hash;
    if (++strings->used > strings->size / 3 * 2) {
        double_table(strings);
    }
    return copy;
}

const char *weir_strings_intern(weir_strings *strings, const char *text) {
    return weir_strings_intern_n(strings, text, strlen(text));
}

void weir_strings_free(weir_strings *strings) {
    if (strings) {
        free(strings->slots);
        free(strings);
    }
}
