/* Bump allocation and the checked allocators.
 * An arena is a list of zeroed blocks that grow from 16 KiB to 1 MiB; an object larger than a quarter of a block gets a
 * block of its own, so at most a quarter of any block is wasted. Allocation costs a pointer addition. */
#include "support/memory/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "support/text/diag.h"

enum { FIRST_BLOCK = 16 * 1024, LARGEST_BLOCK = 1024 * 1024 };

typedef struct block {
    struct block *next;
    max_align_t memory[]; /* keeps the objects aligned */
} block;

struct weir_arena {
    block *blocks;
    unsigned char *free; /* the unused part of the current block */
    size_t left;
    size_t block_size; /* of the next block */
};

typedef struct limit {
    int resource;
    const char *what, *option;
} limit;

/* What a process may be refused memory by, before the machine has none left. */
static const limit limits[] = {{RLIMIT_AS, "address space", "-v"}, {RLIMIT_DATA, "data", "-d"}};

/* Says of each limit that is set how to raise it; without one, that the machine has no more. */
static void note_limits(void) {
    bool is_limited = false;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit set;
        if (getrlimit(limits[i].resource, &set) != 0 || set.rlim_cur == RLIM_INFINITY) continue;
        is_limited = true;
        fprintf(stderr, "weir: note: this process may have %llu KiB of %s; raise the limit with 'ulimit %s KIB'\n",
                (unsigned long long)set.rlim_cur / 1024, limits[i].what, limits[i].option);
    }
    if (!is_limited)
        fprintf(stderr,
                "weir: note: no limit is set (ulimit -v, -d), so the machine has no more memory; end other programs, "
                "pass fewer frames of data, or add swap space\n");
}

static _Noreturn void out_of_memory(size_t size) {
    fprintf(stderr, "weir: error: out of memory (%zu bytes wanted)\n", size);
    note_limits();
    exit(WEIR_EXIT_INPUT);
}

/* A size that no address space holds: not the machine's fault. */
static _Noreturn void out_of_addresses(void) {
    fprintf(stderr, "weir: error: out of memory: the input asks for more than a process can address\n"
                    "weir: note: look for a shape that is too large in the model or its data\n");
    exit(WEIR_EXIT_INPUT);
}

static size_t product(size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        out_of_addresses();
    }
    return count * size;
}

void *weir_malloc(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) {
        out_of_memory(size);
    }
    return memory;
}

void *weir_calloc(size_t count, size_t size) {
    size_t bytes = product(count, size);
    void *memory = calloc(bytes ? bytes : 1, 1);
    if (!memory) {
        out_of_memory(bytes);
    }
    return memory;
}

void *weir_realloc(void *memory, size_t size) {
    void *moved = realloc(memory, size ? size : 1);
    if (!moved) {
        out_of_memory(size);
    }
    return moved;
}

void *weir_grow(void *memory, size_t *capacity, size_t need, size_t element_size) {
    assert(element_size > 0);
    if (need <= *capacity && memory) {
        return memory;
    }
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < need) {
        wanted = wanted > SIZE_MAX / 2 ? need : wanted * 2;
    }
    memory = weir_realloc(memory, product(wanted, element_size));
    *capacity = wanted;
    return memory;
}

void *weir_grow_zeroed(void *memory, size_t *capacity, size_t need, size_t element_size) {
    assert(element_size > 0);
    size_t old = *capacity, wanted = old < 8 ? 8 : old;
    if (need <= old && memory) {
        return memory;
    }
    while (wanted < need) {
        wanted = wanted > SIZE_MAX / 2 ? need : wanted * 2;
    }
    void *grown = weir_calloc(wanted, element_size);
    if (memory) {
        memcpy(grown, memory, old * element_size);
    }
    free(memory);
    *capacity = wanted;
    return grown;
}

void *weir_zlib_alloc(void *opaque, unsigned count, unsigned size) {
    (void)opaque;
    return weir_malloc(product(count, size));
}

void weir_zlib_free(void *opaque, void *memory) {
    (void)opaque;
    free(memory);
}

char *weir_copy_string(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(weir_malloc(size), text, size);
}

/* The length of the formatted text; a format that cannot be printed gives the empty text. */
static size_t formatted_length(const char *format, va_list arguments) {
    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    return length > 0 ? (size_t)length : 0;
}

char *weir_format(const char *format, ...) {
    char near[256]; /* as most are: formatted once */
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(near, sizeof near, format, arguments);
    const size_t size = length > 0 ? (size_t)length + 1 : 1;
    char *text = weir_malloc(size);
    if (length > 0 && size > sizeof near) vsnprintf(text, size, format, again);
    else memcpy(text, length > 0 ? near : "", size);
    va_end(again);
    va_end(arguments);
    return text;
}

weir_arena *weir_arena_new(void) {
    weir_arena *arena = weir_calloc(1, sizeof *arena);
    arena->block_size = FIRST_BLOCK;
    return arena;
}

void weir_arena_free(weir_arena *arena) {
    if (!arena) {
        return;
    }
    for (block *b = arena->blocks; b;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    free(arena);
}

static unsigned char *add_block(weir_arena *arena, size_t size) {
    if (size > SIZE_MAX - sizeof(block)) {
        out_of_addresses();
    }
    block *b = weir_calloc(1, sizeof *b + size);
    b->next = arena->blocks;
    arena->blocks = b;
    return (unsigned char *)b->memory;
}

void *weir_arena_alloc(weir_arena *arena, size_t size) {
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX - align) {
        out_of_addresses();
    }
    size = size ? (size + align - 1) / align * align : align;
    if (size > arena->left) {
        if (size > arena->block_size / 4) {
            return add_block(arena, size);
        }
        arena->free = add_block(arena, arena->block_size);
        arena->left = arena->block_size;
        if (arena->block_size < LARGEST_BLOCK) {
            arena->block_size *= 2;
        }
    }
    assert(size <= arena->left);
    void *memory = arena->free;
    arena->free += size;
    arena->left -= size;
    return memory;
}

void *weir_arena_array(weir_arena *arena, size_t count, size_t size) {
    return weir_arena_alloc(arena, product(count, size));
}

char *weir_arena_copy_string(weir_arena *arena, const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(weir_arena_alloc(arena, size), text, size);
}

char *weir_arena_format(weir_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t length = formatted_length(format, arguments);
    char *text = weir_arena_alloc(arena, length + 1);
    vsnprintf(text, length + 1, format, arguments);
    va_end(arguments);
    return text;
}
