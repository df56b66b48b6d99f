/* Bump allocation: many small objects that die together. Freeing the arena frees everything allocated from it.
 * Allocation failure is handled here, in one place: the process reports it with the limit it met and stops. */
#ifndef WEIR_ARENA_H
#define WEIR_ARENA_H

#include <stddef.h>

#include "support/memory/types.h"

weir_arena *weir_arena_new(void);
void weir_arena_free(weir_arena *arena);

/* Zeroed memory aligned for any object; size 0 gives a valid pointer. Owned by the arena. */
void *weir_arena_alloc(weir_arena *arena, size_t size);
/* count * size with the product checked. */
void *weir_arena_array(weir_arena *arena, size_t count, size_t size);
char *weir_arena_copy_string(weir_arena *arena, const char *text);
char *weir_arena_format(weir_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* malloc, calloc and realloc that never return NULL; release with free(). weir_grow doubles a heap array so that it
 * holds at least `need` elements and updates *capacity. */
void *weir_malloc(size_t size);
void *weir_calloc(size_t count, size_t size);
void *weir_realloc(void *memory, size_t size);
void *weir_grow(void *memory, size_t *capacity, size_t need, size_t element_size);
/* The same for an array whose new elements must be zero; memory that is never written costs nothing. */
void *weir_grow_zeroed(void *memory, size_t *capacity, size_t need, size_t element_size);
/* weir_calloc and free in the form that zlib takes, for its streams' zalloc and zfree. */
void *weir_zlib_alloc(void *opaque, unsigned count, unsigned size);
void weir_zlib_free(void *opaque, void *memory);
char *weir_copy_string(const char *text);
char *weir_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
